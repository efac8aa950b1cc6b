/* SPDX-License-Identifier: MIT */
/* The lab: the file of results, and the tables. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/count.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/lab.h"
#include "report/labclaims.h"
#include "report/labpage.h"
#include "runner.h"
#include "tools/files.h"
#include "tools/temporary.h"

static char path[TEMPORARY_SIZE];

/* ---- The file of results ---- */

#define NO_SPRT "false,\"elo0\":0,\"elo1\":0,\"alpha\":0,\"beta\":0"
#define COMPARISON(suite, name, wins, losses, draws, penta)                                        \
    COMPARISON_OF(suite, name, NO_SPRT, 20, wins, losses, draws, penta)
#define COMPARISON_OF(suite, name, sprt, limit, wins, losses, draws, penta)                        \
    "{\"suite\":\"" suite "\",\"name\":\"" name                                                    \
    "\",\"dev\":\"lmr:\",\"base\":\"lmr:W_PV=0\",\"tc\":\"N=25000\",\"book\":\"b.epd\","           \
    "\"openings_sha256\":\"00\",\"seed\":1901,\"start\":1,\"sequential\":false,\"max_moves\":0,"   \
    "\"tables\":false,\"plies\":0,\"bench\":123,"                                                  \
    "\"sprt\":" sprt ",\"model\":\"normalized\",\"limit\":" #limit ",\"games\":20,"                \
    "\"wins\":" #wins ",\"losses\":" #losses ",\"draws\":" #draws ",\"penta\":" penta "}"
#define RESULTS(comparisons) "{\"version\":1,\"comparisons\":[\n" comparisons "\n]}\n"

START_TEST(results_are_written_as_they_were_read) {
    static const char FILE_TEXT[] = RESULTS(COMPARISON(
        "t4", "pv", 9, 5, 6, "[1,1,3,3,2]") ",\n" COMPARISON("t4", "cut", 5, 5, 10, "[1,2,4,2,1]"));
    Lab lab = {0};
    Error err = {0};
    Text text = {0};
    put_text(path, FILE_TEXT);
    ck_assert_msg(lab_read(path, &lab, &err), "%s", err.text);
    ck_assert_uint_eq(lab.count, 2);
    Report report = lab_report(lab_find(&lab, "t4", "cut"));
    ck_assert_int_eq(report.tally.penta.n[1], 2);
    ck_assert(lab_write(path, &lab, &err));
    ck_assert(file_read(path, 1 << 20, &text, &err));
    ck_assert_str_eq(text_string(&text), FILE_TEXT);
    text_free(&text);
    lab_free(&lab);
}
END_TEST

START_TEST(games_of_other_settings_are_not_the_same) {
    char *words[] = {(char *)"Hash=1", (char *)"Hash=2"};
    LabComparison known = {.suite = (char *)"s",
                           .name = (char *)"n",
                           .dev = (char *)"a",
                           .base = (char *)"b",
                           .tc = (char *)"N=1",
                           .openings = (char *)"00",
                           .dev_options = {.items = &words[0], .count = 1},
                           .base_options = {.items = &words[0], .count = 1},
                           .seed = 1};
    LabComparison others[] = {known, known, known, known, known, known, known};
    others[1].dev_options.items = others[2].base_options.items = &words[1];
    others[3].base_tc = (char *)"N=2";
    others[4].moves_max = 9;
    others[5].plies = 9;
    others[6].tables = true;
    static const char *const WORDS[] = {"",
                                        "dev's UCI options are Hash=2, but in",
                                        "base's UCI options are Hash=2, but in",
                                        "base's tc is N=2, but",
                                        "max-moves is 9, but",
                                        "plies is 9, but",
                                        "are of games without endgame tables"};
    for (size_t i = 0; i < COUNT(others); i++) {
        Error err = {{0}};
        ck_assert(lab_same_games(&known, &others[i], &err) == (i == 0));
        ck_assert_msg(strstr(err.text, WORDS[i]) != NULL, "no '%s' in '%s'", WORDS[i], err.text);
    }
    LabComparison old = known; /* Older results do not note options. */
    old.dev_options = old.base_options = (Words){0};
    ck_assert(lab_same_games(&old, &others[1], &(Error){{0}}));
}
END_TEST

START_TEST(folders_in_options_are_private) {
    Words options = {0};
    words_add(&options, "Log/File=/home/ada/a log.txt");
    words_add(&options, "Hash=16");
    lab_hide_folders(&options);
    ck_assert_str_eq(options.items[0], "Log/File=a log.txt");
    ck_assert_str_eq(options.items[1], "Hash=16");
    words_free(&options);
}
END_TEST

START_TEST(results_that_no_match_can_have_are_refused) {
    static const char *const FILES[][2] = {
        {RESULTS(COMPARISON("t4", "pv", 9, 5, 7, "[1,1,3,3,2]")), "do not agree"},
        {RESULTS(COMPARISON("t4", "pv", 9, 5, 6, "[1,1,4,3,1]")), "penta has other points"},
        {RESULTS(COMPARISON("t4", "pv", 11, 7, 2, "[1,1,3,3,2]")),
         "such pairs cannot have 2 draws"},
        {RESULTS(COMPARISON("t4", "pv", 9, 5, 6, "[1,1,4,4]")), "4 counts, expected 5"},
        {RESULTS(COMPARISON("t4", "pv", 9, -5, 16, "[1,1,3,3,2]")), "-5 is no count"},
        {RESULTS(COMPARISON("t4", "pv", 9, 5, 6, "[1,1,3,3,2],\"earlier\":[1,1,0,0,0,1,0]")),
         "earlier: 7 counts, expected 8"},
        {RESULTS(COMPARISON("t4", "pv", 9, 5, 6, "[1,1,3,3,2],\"earlier\":[2,1,1,0,1,0,1,0]")),
         "earlier: penta has other points"},
        {RESULTS(COMPARISON("t4", "pv", 9, 5, 6, "[1,1,3,3,2],\"earlier\":[2,2,0,2,0,0,0,2]")),
         "earlier: games, penta"},
        {RESULTS(COMPARISON("t4", "pv", 9, 5, 6, "[1,1,3,3,2],\"earlier\":[0,4,0,2,0,0,0,0]")),
         "earlier: has more games"},
        {RESULTS(COMPARISON("t4", "pv", 9, 5, 6, "[1,1,3,3,2]") "," COMPARISON("t4", "pv", 9, 5, 6,
                                                                               "[1,1,3,3,2]")),
         "comparisons[1]: t4/pv stands in the file twice"},
        {RESULTS(COMPARISON("t4", "pv", 2147483648, 5, 6, "[1,1,3,3,2]")),
         "2147483648 is no count"},
        {RESULTS(COMPARISON_OF("t4", "pv",
                               "true,\"elo0\":5,\"elo1\":0,\"alpha\":0.05,\"beta\":0.05", 20, 9, 5,
                               6, "[1,1,3,3,2]")),
         "elo0, elo1, alpha, beta: are no bounds"},
        {"{\"version\":2,\"comparisons\":[]}", "is of version 2"},
        {"{\"version\":1}", "comparisons: expected a list"},
        {"{", "JSON"},
    };
    for (size_t i = 0; i < COUNT(FILES); i++) {
        Lab lab = {0};
        Error err = {0};
        put_text(path, FILES[i][0]);
        ck_assert(!lab_read(path, &lab, &err));
        ck_assert_msg(strstr(err.text, FILES[i][1]) != NULL, "'%s' instead of '%s'", err.text,
                      FILES[i][1]);
        lab_free(&lab);
    }
}
END_TEST

#define STATISTIC(preset, depth, reduced, nodes_off)                                               \
    "{\"preset\":\"" preset "\",\"depth\":" #depth                                                 \
    ",\"positions\":10,\"moves\":1000,\"deep_moves\":800,\"reduced\":" #reduced                    \
    ",\"reduction_sum\":1000,\"researched\":50,\"held\":20,\"accepted\":0,\"best_nodes\":100,"     \
    "\"best_first_tenth\":80,\"best_first_fifth\":90,\"nodes_on\":100,\"nodes_off\":" #nodes_off   \
    ",\"deeper\":1.5}"

START_TEST(statistics_stand_beside_the_claims_by_depth) {
    LabStatistics statistics = {0};
    Error err = {0};
    Text out = {0};
    put_text(path, STATISTIC("t1", 11, 500, 400) "\n" STATISTIC("t1", 9, 300, 200) "\n" STATISTIC(
                       "t0", 9, 100, 100) "\n");
    ck_assert_msg(labstats_take(path, &statistics, &err), "%s", err.text);
    put_text(path, STATISTIC("t1", 9, 500, 200) "\n"); /* In the place of the first of depth 9. */
    ck_assert_msg(labstats_take(path, &statistics, &err), "%s", err.text);
    ck_assert_uint_eq(statistics.count, 3);
    put_text(path, STATISTIC("t2", 9, 667, 200) "\n" STATISTIC("t4", 9, 300, 200) "\n" STATISTIC(
                       "t4", 11, 700, 200) "\n");
    ck_assert_msg(labstats_take(path, &statistics, &err), "%s", err.text);
    labstats_markdown(&statistics, &out);
    static const char *const EXPECTED[] = {
        "| preset t1 | claim | depth 9 | depth 11 | finding |",
        "| moves reduced, of all in the move loop | 40-60 % | 50.0 % | 50.0 % | true here |",
        "| fewer nodes | 40-60 % | 50.0 % | 75.0 % | true here or more, by depth |",
        "| reduced moves searched again | 10-20 % | 10.0 % | 10.0 % | true here |",
        "| preset t0 | claim | depth 9 | finding |",
        "| average reduction | 1.5-2.5 plies | 10.00 | more |",
        "| average reduction | 1.5-2.5 plies | 1.50 | true here |", /* 1.499 */
        "| moves reduced, of all in the move loop | 40-60 % | 30.0 % | 70.0 % | less or more, by "
        "depth |"};
    for (size_t i = 0; i < COUNT(EXPECTED); i++)
        ck_assert_msg(strstr(text_string(&out), EXPECTED[i]) != NULL, "no '%s' in: %s", EXPECTED[i],
                      text_string(&out));
    text_free(&out);
    labstats_free(&statistics);
}
END_TEST

START_TEST(statistics_that_no_search_can_have_are_refused) {
    static const char *const LINES[] = {STATISTIC("t1", 9, 2000, 200),
                                        STATISTIC("t1", 0, 500, 200),
                                        STATISTIC("t1", 9, 500, 0),
                                        "{\"preset\":\"t1\"}",
                                        "[]",
                                        "{"};
    for (size_t i = 0; i < COUNT(LINES); i++) {
        LabStatistics statistics = {0};
        Error err = {0};
        put_text(path, LINES[i]);
        ck_assert_msg(!labstats_take(path, &statistics, &err), "taken: %s", LINES[i]);
        ck_assert_msg(strstr(err.text, "line 1") != NULL, "'%s' names no line", err.text);
        labstats_free(&statistics);
    }
}
END_TEST

START_TEST(counts_that_exceed_their_whole_are_refused) {
    static const char *const MEMBERS[] = {"\"deep_moves\":1001",
                                          "\"reduced\":1001,\"reduction_sum\":2000",
                                          "\"reduction_sum\":499",
                                          "\"accepted\":451", /* With 50 searched again. */
                                          "\"held\":51",
                                          "\"held\":-1",
                                          "\"best_first_tenth\":91",
                                          "\"best_first_fifth\":101",
                                          "\"positions\":0",
                                          "\"nodes_on\":0"};
    for (size_t i = 0; i < COUNT(MEMBERS); i++) {
        LabStatistics statistics = {0};
        Error err = {0};
        Text line = {0};
        /* The first of two members of one name counts. */
        text_addf(&line, "{%s,%s", MEMBERS[i], &STATISTIC("t1", 9, 500, 200)[1]);
        put_text(path, text_string(&line));
        ck_assert_msg(!labstats_take(path, &statistics, &err), "taken: %s", MEMBERS[i]);
        ck_assert_msg(strstr(err.text, "are no counts of a search") != NULL, "%s: %s", MEMBERS[i],
                      err.text);
        text_free(&line);
        labstats_free(&statistics);
    }
}
END_TEST

/* ---- The tables ---- */

START_TEST(claim_measurement_and_finding_stand_side_by_side) {
    static LabTable tables[] = {
        {.title = (char *)"Is PV less?", .about = (char *)"", .question = true, .count = 1},
        {.title = (char *)"T4: terms", .about = (char *)"", .count = 3}};
    static LabClaim rows[] = {{.suite = (char *)"t4",
                               .name = (char *)"pv",
                               .claim = (char *)"PV less",
                               .elo = (char *)"8.84 +- 5.14",
                               .kind = CLAIM_RANGE,
                               .low = 3.7,
                               .high = 13.98},
                              {.suite = (char *)"t4",
                               .name = (char *)"cut",
                               .claim = (char *)"cut more",
                               .elo = (char *)"+",
                               .kind = CLAIM_STRONGER},
                              {.suite = (char *)"t4",
                               .name = (char *)"not-played",
                               .claim = (char *)"",
                               .elo = (char *)""}};
    LabClaims claims = {.tables = tables, .table_count = 2, .claims = rows, .claim_count = 3};
    Lab lab = {0};
    Error err = {0};
    Text markdown = {0};
    Text page = {0};
    put_text(path, RESULTS(COMPARISON("t4", "pv", 9, 5, 6, "[1,1,3,3,2]") "," COMPARISON(
                       "t4", "cut", 5, 5, 10, "[1,2,4,2,1]") "," COMPARISON("own", "idea", 5, 5, 10,
                                                                            "[1,2,4,2,1]")));
    ck_assert(lab_read(path, &lab, &err));
    labpage_markdown(&lab, &claims, &markdown);
    labpage_html(&lab, &claims, &page);
    static const char *const EXPECTED[] = {"## T4: terms",
                                           "PV less: 8.84 ± 5.14 Elo",
                                           "cut more: stronger",
                                           "undecided after 20 games",
                                           "## Further comparisons",
                                           "own/idea",
                                           "Bench 123",
                                           "lmr: against lmr:W\\_PV=0, N=25000",
                                           "## Is PV less?",
                                           "the same openings: b.epd, seed 1901. 2 of 3 "
                                           "comparisons have games",
                                           "\n\nNot played yet: t4/not-played.\n"};
    for (size_t i = 0; i < COUNT(EXPECTED); i++)
        ck_assert_msg(strstr(text_string(&markdown), EXPECTED[i]) != NULL, "no '%s' in: %s",
                      EXPECTED[i], text_string(&markdown));
    static const char *const ON_PAGE[] = {"undecided after 20 games", "id=\"table-2\"",
                                          "aria-labelledby=\"table-2\"",
                                          "; 3.70 to 13.98 is claimed\"", "<rect class=\"claim\""};
    for (size_t i = 0; i < COUNT(ON_PAGE); i++)
        ck_assert_msg(strstr(text_string(&page), ON_PAGE[i]) != NULL, "no '%s' in: %s", ON_PAGE[i],
                      text_string(&page));
    text_free(&markdown);
    text_free(&page);
    lab_free(&lab);
}
END_TEST

START_TEST(the_head_has_the_games_of_each_commit) {
    LabClaims claims = {0};
    Lab lab = {0};
    Error err = {0};
    Text markdown = {0};
    put_text(
        path,
        RESULTS(
            COMPARISON("t4", "pv", 9, 5, 6, "[1,1,3,3,2],\"earlier\":[1,1,2,0,1,0,1,0]") "," COMPARISON(
                "t4", "cut", 5, 5, 10,
                "[1,2,4,2,1],\"earlier\":[1,1,2,0,1,0,1,0],\"earlier_commit\":"
                "\"0123456789abcdef\"") "," COMPARISON("t4", "killer", 5, 5, 10,
                                                       "[1,2,4,2,1]") "," COMPARISON("own", "idea",
                                                                                     5, 5, 10,
                                                                                     "[1,2,4,2,"
                                                                                     "1]")));
    ck_assert_msg(lab_read(path, &lab, &err), "%s", err.text);
    lab.items[0].commit = mem_strdup("0123456789abcdef");
    lab.items[1].commit = mem_strdup("0123456789abcdef");
    lab.items[1].changes = mem_strdup("00");
    lab.items[2].commit = mem_strdup("0123456789abcdef");
    lab.items[3].bench = 0;
    labpage_markdown(&lab, &claims, &markdown);
    static const char HEAD[] =
        "Games of the engine of Bench 123: 40 at commit 0123456789ab, 16 at commit 0123456789ab "
        "with changes that were not committed, and 4 earlier ones at these or other commits. "
        "Games of engines "
        "whose bench is not known: 20 at a "
        "commit that is not known. All comparisons";
    ck_assert_msg(strstr(text_string(&markdown), HEAD) != NULL, "no '%s' in: %s", HEAD,
                  text_string(&markdown));
    text_free(&markdown);
    lab_free(&lab);
}
END_TEST

#define MATCH_OF(changes) MATCH_FROM(1, changes)
#define MATCH_FROM(start, changes)                                                                 \
    "{\"book\":\"b.epd\",\"book_sha256\":\"00\",\"seed\":1901,\"start\":" #start ",\"games\":20,"  \
    "\"dev\":{\"spec\":\"lmr:\",\"tc\":\"N=25000\",\"commit\":\"0123\",\"changes\":\"" changes     \
    "\"},\"base\":{\"spec\":\"lmr:W_PV=0\",\"tc\":\"N=25000\"}}"

START_TEST(a_bench_is_kept_for_the_same_engine_alone) {
    static const struct {
        const char *match;
        int64_t bench;
    } ROWS[] = {{MATCH_OF("01"), 123}, {MATCH_OF("02"), 0}};
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        Lab lab = {0};
        Error err = {0};
        put_text(path, RESULTS(COMPARISON("t4", "pv", 9, 5, 6, "[1,1,3,3,2]")));
        ck_assert_msg(lab_read(path, &lab, &err), "%s", err.text);
        lab.items[0].commit = mem_strdup("0123");
        lab.items[0].changes = mem_strdup("01");
        Result result = {.match = (char *)(uintptr_t)ROWS[i].match,
                         .before_gap = lab_report(&lab.items[0]).tally};
        bool counted;
        LabComparison *taken = lab_take(&lab, "t4/pv.jsonl", &result, 0, &counted, &err);
        ck_assert_msg(taken != NULL, "%s", err.text);
        ck_assert_int_eq(taken->bench, ROWS[i].bench);
        lab_free(&lab);
    }
}
END_TEST

/* The journal is taken twice: the second time its games are in the results. */
START_TEST(games_that_go_on_keep_the_commit_before_them) {
    static const struct {
        const char *commit, *changes; /* Of the games that the results have. */
        const char *earlier;          /* Members of theirs. */
        const char *expected;
    } ROWS[] = {
        {"4567", NULL, "", "4567"},
        {"4567", "01", "", NULL},
        {NULL, NULL, "", NULL},
        {"4567", NULL, ",\"earlier\":[1,1,2,0,1,0,1,0]", NULL},
        {"4567", NULL, ",\"earlier\":[1,1,2,0,1,0,1,0],\"earlier_commit\":\"89\"", NULL},
        {"4567", NULL, ",\"earlier\":[1,1,2,0,1,0,1,0],\"earlier_commit\":\"4567\"", "4567"}};
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        Lab lab = {0};
        Error err = {0};
        Text text = {0};
        text_addf(&text, RESULTS(COMPARISON("t4", "pv", 9, 5, 6, "[1,1,3,3,2]%s")),
                  ROWS[i].earlier);
        put_text(path, text_string(&text));
        text_free(&text);
        ck_assert_msg(lab_read(path, &lab, &err), "%s", err.text);
        lab.items[0].commit = mem_strdup(ROWS[i].commit);
        lab.items[0].changes = mem_strdup(ROWS[i].changes);
        Result result = {.match = (char *)MATCH_FROM(11, ""),
                         .before_gap = lab_report(&lab.items[0]).tally};
        for (int times = 0; times < 2; times++) {
            bool counted;
            LabComparison *taken = lab_take(&lab, "t4/pv.jsonl", &result, 123, &counted, &err);
            ck_assert_msg(taken != NULL, "%s", err.text);
            ck_assert_int_eq(taken->games, 40);
            ck_assert_str_eq(taken->commit, "0123");
            ck_assert_msg(text_same(taken->earlier_commit, ROWS[i].expected), "row %zu: %s", i,
                          taken->earlier_commit);
        }
        lab_free(&lab);
    }
}
END_TEST

START_TEST(a_table_has_room_for_every_row_of_its_plan) {
    enum { ROWS = 60 };
    LabTable table = {.title = (char *)"Many", .about = (char *)"", .count = ROWS};
    LabClaim rows[ROWS];
    LabClaims claims = {.tables = &table, .table_count = 1, .claims = rows, .claim_count = ROWS};
    Lab lab = {0};
    Error err = {0};
    Text markdown = {0};
    for (int i = 0; i < ROWS; i++)
        rows[i] = (LabClaim){.suite = (char *)"t4",
                             .name = (char *)"pv",
                             .claim = (char *)"PV less",
                             .elo = (char *)"",
                             .kind = CLAIM_NONE};
    put_text(path, RESULTS(COMPARISON("t4", "pv", 9, 5, 6, "[1,1,3,3,2]")));
    ck_assert_msg(lab_read(path, &lab, &err), "%s", err.text);
    labpage_markdown(&lab, &claims, &markdown);
    ck_assert_int_eq(count_of(text_string(&markdown), "| PV less |"), ROWS);
    text_free(&markdown);
    lab_free(&lab);
}
END_TEST

typedef enum { AS_MARKDOWN, AS_TEXT, AS_JSON } Form;

/* The results beside the claims. The caller frees the text. */
static char *shown(const char *results, const char *claims_text, Form form) {
    static const ProgressStyle STYLE = {.width = 120};
    LabClaims claims = {0};
    Lab lab = {0};
    Error err = {0};
    Text out = {0};
    put_text(path, claims_text);
    ck_assert_msg(labclaims_read(path, &claims, &err), "%s", err.text);
    put_text(path, results);
    ck_assert_msg(lab_read(path, &lab, &err), "%s", err.text);
    if (form == AS_MARKDOWN)
        labpage_markdown(&lab, &claims, &out);
    else if (form == AS_TEXT)
        labpage_text(&lab, &claims, &STYLE, &out);
    else
        labpage_json(&lab, &claims, &out);
    lab_free(&lab);
    labclaims_free(&claims);
    return text_take(&out);
}

#define WITH COMPARISON("t4", "with", 9, 5, 6, "[1,1,3,3,2]")
#define WITHOUT COMPARISON("t4", "without", 5, 5, 10, "[1,2,4,2,1]")
#define GOING_ON(name) COMPARISON_OF("t4", name, NO_SPRT, 40, 9, 5, 6, "[1,1,3,3,2]")
#define THIRD COMPARISON("t4", "third", 5, 9, 6, "[2,3,3,1,1]")
#define END COMPARISON("t4", "end", 19, 0, 1, "[0,0,0,1,9]")
#define PLAIN_ROWS "= T4\nt4/with | one |\nt4/without | two |\nt4/third | three |\n"
#define LESS_ROW "t4/with less t4/without | both help | +\n"

START_TEST(a_difference_is_a_row_computed_from_two) {
    char *markdown =
        shown(RESULTS(WITH "," WITHOUT), PLAIN_ROWS "= Synergies\n" LESS_ROW, AS_MARKDOWN);
    const char *table = strstr(markdown, "## Synergies");
    ck_assert_ptr_nonnull(table);
    double with = 0;
    double without = 0;
    double less = 0;
    double margins[3] = {0};
    int games = 0;
    const char *row = strstr(markdown, "| t4/with | one |");
    ck_assert_int_eq(sscanf(strstr(row, "N=25000 |"), "N=25000 | %lf ± %lf", &with, &margins[0]),
                     2);
    row = strstr(markdown, "| t4/without | two |");
    ck_assert_int_eq(sscanf(strstr(row, "N=25000 |"), "N=25000 | %lf ± %lf", &without, &margins[1]),
                     2);
    row = strstr(table, "| t4/with less t4/without | both help: gains more | ");
    ck_assert_msg(row != NULL, "in: %s", table);
    ck_assert_int_eq(
        sscanf(strstr(row, "more | "), "more | %lf ± %lf | %d", &less, &margins[2], &games), 3);
    ck_assert_double_eq_tol(less, with - without, 0.011);
    ck_assert_double_eq_tol(margins[2], hypot(margins[0], margins[1]), 0.011);
    ck_assert_int_eq(games, 40);
    ck_assert_ptr_nonnull(strstr(row, "| 40 | undecided after 40 games |"));
    free(markdown);
}
END_TEST

/* Each comparison once, with the claim of the text's table; each difference once. */
#define ALL_CLAIMS                                                                                 \
    "=? Does it help?\nt4/with | asked | +\nt4/third | three, asked | -\nt4/without | "            \
    "|\n" LESS_ROW "= T4\nt4/with | one | 30..50\nt4/without | two |\n" LESS_ROW

START_TEST(a_program_gets_claim_and_finding_of_each_row) {
    static const char *const EXPECTED[][4] = {
        {"t4/with", "one", "30..50", "undecided after 20 games"},
        {"t4/without", "two", NULL, "undecided after 20 games"},
        {"t4/third", "three, asked", "-", "undecided after 20 games"},
        {"own/idea", NULL, NULL, "undecided after 20 games"},
        {"t4/with less t4/without", "both help", "+", "undecided after 40 games"}};
    static const char *const KEYS[] = {"name", "claim", "claimed", "finding"};
    char *json = shown(
        RESULTS(WITH "," WITHOUT "," THIRD "," COMPARISON("own", "idea", 5, 5, 10, "[1,2,4,2,1]")),
        ALL_CLAIMS, AS_JSON);
    cJSON *list = cJSON_Parse(json);
    ck_assert_int_eq(cJSON_GetArraySize(list), COUNT(EXPECTED));
    for (int i = 0; i < (int)COUNT(EXPECTED); i++)
        for (size_t k = 0; k < COUNT(KEYS); k++) {
            const cJSON *item = cJSON_GetObjectItem(cJSON_GetArrayItem(list, i), KEYS[k]);
            ck_assert_msg(item != NULL && text_same(cJSON_GetStringValue(item), EXPECTED[i][k]) &&
                              (EXPECTED[i][k] != NULL || cJSON_IsNull(item)),
                          "%s of row %d in %s", KEYS[k], i, json);
        }
    const cJSON *with = cJSON_GetArrayItem(list, 0);
    const cJSON *without = cJSON_GetArrayItem(list, 1);
    const cJSON *less = cJSON_GetArrayItem(list, 4);
    ck_assert_double_eq_tol(cJSON_GetObjectItem(less, "elo")->valuedouble,
                            cJSON_GetObjectItem(with, "elo")->valuedouble -
                                cJSON_GetObjectItem(without, "elo")->valuedouble,
                            2e-6);
    ck_assert_int_eq(cJSON_GetObjectItem(less, "games")->valueint, 40);
    ck_assert_ptr_null(cJSON_GetObjectItem(less, "penta"));
    cJSON_Delete(list);
    free(json);
}
END_TEST

START_TEST(a_terminal_gets_findings_and_the_differences_in_a_table_of_their_own) {
    char *text = shown(RESULTS(WITH "," WITHOUT "," THIRD), ALL_CLAIMS, AS_TEXT);
    const char *second = strstr(text, "\n\n");
    ck_assert_msg(second != NULL, "one table: %s", text);
    ck_assert_ptr_nonnull(strstr(text, "undecided after 20 games"));
    const char *less = strstr(text, "t4/with less t4/without");
    ck_assert_msg(less > second && strstr(less, "undecided after 40 games") != NULL, "in: %s",
                  text);
    free(text);
    text = shown(RESULTS(WITH "," WITHOUT), PLAIN_ROWS, AS_TEXT);
    ck_assert_msg(strstr(text, "\n\n") == NULL, "two tables: %s", text);
    free(text);
}
END_TEST

START_TEST(a_difference_is_unfinished_while_one_of_the_two_is) {
    static const char *const RESULTS_SO_FAR[] = {RESULTS(GOING_ON("with") "," WITHOUT),
                                                 RESULTS(WITH "," GOING_ON("without"))};
    for (size_t i = 0; i < COUNT(RESULTS_SO_FAR); i++) {
        char *markdown = shown(RESULTS_SO_FAR[i], PLAIN_ROWS LESS_ROW, AS_MARKDOWN);
        const char *row = strstr(markdown, "| t4/with less t4/without |");
        ck_assert_ptr_nonnull(row);
        ck_assert_msg(strstr(row, "undecided: 40 games so far") != NULL, "in: %.200s", row);
        free(markdown);
    }
}
END_TEST

START_TEST(a_difference_waits_for_both_comparisons) {
    static const char CLAIMS[] = PLAIN_ROWS "= Synergies\n" LESS_ROW;
    static const char *const WAITING[] = {RESULTS(WITH), RESULTS(WITHOUT)};
    for (size_t i = 0; i < COUNT(WAITING); i++) {
        char *markdown = shown(WAITING[i], CLAIMS, AS_MARKDOWN);
        ck_assert_msg(strstr(markdown, "Synergies") == NULL, "in: %s", markdown);
        ck_assert_ptr_nonnull(strstr(markdown, "## T4"));
        ck_assert_ptr_null(strstr(markdown, "## Further comparisons"));
        free(markdown);
    }
}
END_TEST

/* The rows of the three comparisons are the same in both pages. */
static void expect_same_rows(const char *with, const char *without) {
    static const char *const ROWS[] = {"| t4/with | one", "| t4/without | two",
                                       "| t4/third | three"};
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        const char *one = strstr(with, ROWS[i]);
        const char *other = strstr(without, ROWS[i]);
        ck_assert(one != NULL && other != NULL);
        size_t length = strcspn(one, "\n");
        ck_assert_msg(strncmp(one, other, length + 1) == 0, "%.*s differs from %.*s", (int)length,
                      one, (int)strcspn(other, "\n"), other);
    }
}

START_TEST(json_has_the_interval_of_pairs_of_one_score) {
    char *json =
        shown(RESULTS(COMPARISON("t4", "with", 20, 0, 0, "[0,0,0,0,10]")), PLAIN_ROWS, AS_JSON);
    cJSON *list = cJSON_Parse(json);
    const cJSON *won = cJSON_GetArrayItem(list, 0);
    ck_assert_double_eq_tol(cJSON_GetObjectItem(won, "elo_lower")->valuedouble,
                            400 * log10(0.7 / 0.3), 1e-6); /* 3 of 10 pairs lost */
    ck_assert(cJSON_IsNull(cJSON_GetObjectItem(won, "elo_upper")));
    ck_assert_str_eq(cJSON_GetObjectItem(won, "finding")->valuestring, "stronger");
    cJSON_Delete(list);
    free(json);
}
END_TEST

START_TEST(a_difference_has_no_part_in_the_corrected_values) {
    char *with = shown(RESULTS(WITH "," WITHOUT "," THIRD), PLAIN_ROWS LESS_ROW, AS_MARKDOWN);
    char *without = shown(RESULTS(WITH "," WITHOUT "," THIRD), PLAIN_ROWS, AS_MARKDOWN);
    expect_same_rows(with, without);
    ck_assert_ptr_nonnull(strstr(with, " | corrected | "));
    ck_assert_msg(strstr(with, " | 40 | – | undecided") != NULL, "no dash in: %s", with);
    free(with);
    free(without);
}
END_TEST

START_TEST(the_rows_of_a_question_are_not_corrected_together) {
    char *markdown = shown(RESULTS(WITH "," WITHOUT "," THIRD),
                           "=? T4?\nt4/with | |\nt4/without | |\nt4/third | |\n", AS_MARKDOWN);
    ck_assert_ptr_nonnull(strstr(markdown, "| t4/third |"));
    ck_assert_ptr_null(strstr(markdown, " | corrected | "));
    free(markdown);
}
END_TEST

START_TEST(a_row_at_the_end_of_the_scale_has_no_part_in_the_corrected_values) {
    char *with = shown(RESULTS(WITH "," WITHOUT "," THIRD "," END),
                       PLAIN_ROWS "t4/end | nearly all won |\n", AS_MARKDOWN);
    char *without = shown(RESULTS(WITH "," WITHOUT "," THIRD), PLAIN_ROWS, AS_MARKDOWN);
    expect_same_rows(with, without);
    ck_assert_msg(strstr(with, " | 20 | – | stronger") != NULL, "no dash in: %s", with);
    free(with);
    free(without);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_difference_is_a_row_computed_from_two);
    tcase_add_test(tests, a_program_gets_claim_and_finding_of_each_row);
    tcase_add_test(tests, a_terminal_gets_findings_and_the_differences_in_a_table_of_their_own);
    tcase_add_test(tests, a_difference_is_unfinished_while_one_of_the_two_is);
    tcase_add_test(tests, a_difference_waits_for_both_comparisons);
    tcase_add_test(tests, the_rows_of_a_question_are_not_corrected_together);
    tcase_add_test(tests, json_has_the_interval_of_pairs_of_one_score);
    tcase_add_test(tests, a_difference_has_no_part_in_the_corrected_values);
    tcase_add_test(tests, a_row_at_the_end_of_the_scale_has_no_part_in_the_corrected_values);
    tcase_add_test(tests, results_are_written_as_they_were_read);
    tcase_add_test(tests, games_of_other_settings_are_not_the_same);
    tcase_add_test(tests, folders_in_options_are_private);
    tcase_add_test(tests, results_that_no_match_can_have_are_refused);
    tcase_add_test(tests, statistics_stand_beside_the_claims_by_depth);
    tcase_add_test(tests, statistics_that_no_search_can_have_are_refused);
    tcase_add_test(tests, counts_that_exceed_their_whole_are_refused);
    tcase_add_test(tests, the_head_has_the_games_of_each_commit);
    tcase_add_test(tests, a_bench_is_kept_for_the_same_engine_alone);
    tcase_add_test(tests, games_that_go_on_keep_the_commit_before_them);
    tcase_add_test(tests, a_table_has_room_for_every_row_of_its_plan);
    tcase_add_test(tests, claim_measurement_and_finding_stand_side_by_side);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    close(temporary_file(path, sizeof path, "test_lab"));
    int status = run_tests("lab", add_tests);
    unlink(path);
    return status;
}
