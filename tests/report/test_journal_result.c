/* SPDX-License-Identifier: MIT */
/* What a journal comes to: a match's and a worker's, of every version, whole and damaged. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/journal.h"
#include "report/overgames.h"
#include "report/page.h"
#include "report/result.h"
#include "report/resultwords.h"
#include "runner.h"
#include "tools/files.h"
#include "tools/temporary.h"

#define ENGINE                                                                                     \
    "{\"name\":\"x\",\"spec\":\"x\",\"program\":\"/"                                               \
    "x\",\"program_sha256\":\"01\",\"arguments\":[],"                                              \
    "\"options\":[],\"tc\":\"N=100\"}"
#define MATCH(version) MATCH_OF(version, "false", "5")
#define MATCH_OF(version, sprt, elo1) MATCH_BEHIND(version, "", sprt, elo1)
#define MATCH_BEHIND(version, earlier, sprt, elo1)                                                 \
    "{\"kind\":\"head\",\"version\":" version ",\"created\":1,\"book\":\"b\",\"openings\":9,"      \
    "\"games\":0," earlier "\"dev\":" ENGINE ",\"base\":" ENGINE                                   \
    ",\"book_sha256\":\"02\",\"chess960\":false,"                                                  \
    "\"seed\":1,\"start\":1,\"margin\":250,\"win_adj\":\"None\",\"draw_adj\":\"None\","            \
    "\"syzygy_men\":0,\"sprt\":" sprt ",\"elo0\":0,\"elo1\":" elo1                                 \
    ",\"alpha\":0.05,\"beta\":0.05,"                                                               \
    "\"pgn\":false}"
#define WORKLOAD(version) WORKLOAD_OF(version, "SPRT", "quicker")
#define WORKLOAD_OF(version, type, dev)                                                            \
    "{\"kind\":\"head\",\"version\":" version ",\"created\":1,\"server\":\"http://s/\","           \
    "\"user\":\"u\",\"test\":5,\"machine\":2,\"result\":105,\"book_index\":1,\"type\":\"" type     \
    "\",\"dev\":\"" dev "\",\"base\":\"main\",\"host\":\"h\",\"reporting\":\"\","                  \
    "\"upload_pgns\":\"FALSE\"}"
#define PARTS                                                                                      \
    "\"dev\":{\"moves\":1,\"ms\":2,\"depths\":3,\"depth_moves\":4,\"nodes\":5,\"nodes_ns\":6},"    \
    "\"base\":{\"moves\":7,\"ms\":8,\"depths\":0,\"depth_moves\":0,\"nodes\":0,\"nodes_ns\":0}"
/* dev's half points in the pair's two games. */
#define PAIR(number, first, second) PAIR_OF(number, "1", "9", first, second)
#define PAIR_OF(number, opening, ended, first, second)                                             \
    "{\"kind\":\"pair\",\"pair\":" number ",\"opening\":" opening ",\"ended\":" ended              \
    ",\"at_ms\":8,\"games\":["                                                                     \
    "{\"points\":" first ",\"ending\":\"mate\",\"plies\":61," PARTS "},"                           \
    "{\"points\":" second ",\"ending\":\"mate\",\"plies\":40," PARTS "}]}"
#define PAIR_OF_MATCH_1(number, first, second)                                                     \
    "{\"kind\":\"pair\",\"pair\":" number ",\"opening\":1,\"ended\":9,\"at_ms\":8,\"games\":["     \
    "{\"dev_points\":" first ",\"reason\":\"White mates\",\"plies\":61," PARTS "},"                \
    "{\"dev_points\":" second ",\"reason\":\"Black mates\",\"plies\":40," PARTS "}]}"
#define PAIR_OF_WORKER_2(number, first, second, crashes)                                           \
    "{\"kind\":\"pair\",\"pair\":" number ",\"points\":" first ",\"reply\":" second                \
    ",\"crashes\":" crashes ",\"timelosses\":0,\"illegals\":0}"

static char folder[TEMPORARY_SIZE];
static char path[TEMPORARY_SIZE + 32];
static Result result;

static void set_up(void) {
    temporary_folder(folder, sizeof folder, "test_journal_result");
    snprintf(path, sizeof path, "%s/a.journal", folder);
}

static void tear_down(void) {
    result_free(&result);
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0);
}

/* Makes a journal of these records, each a write of its own; the last is NULL. */
static void make_journal(const char *const *records) {
    Journal journal = {0};
    Error err = {0};
    ck_assert_msg(journal_create(&journal, path, records[0], strlen(records[0]), &err), "%s",
                  err.text);
    for (size_t i = 1; records[i] != NULL; i++)
        ck_assert_msg(journal_append(&journal, records[i], strlen(records[i]), &err), "%s",
                      err.text);
    journal_close(&journal);
}

static void read_result(const char *const *records) {
    Error err = {0};
    make_journal(records);
    ck_assert_msg(result_of_journal(path, &result, &err), "%s", err.text);
}

static void expect_games(int64_t wins, int64_t draws, int64_t losses) {
    const Tally *tally = &result.report.tally;
    ck_assert_int_eq(tally->wins, wins);
    ck_assert_int_eq(tally->draws, draws);
    ck_assert_int_eq(tally->losses, losses);
    ck_assert_int_eq(2 * penta_pairs(&tally->penta), wins + draws + losses);
}

static const char *setting(const char *name) {
    for (size_t i = 0; i < result.setting_count; i++)
        if (strcmp(result.settings[i].name, name) == 0)
            return result.settings[i].dev;
    ck_abort_msg("there is no setting %s", name);
}

#define RUN(more)                                                                                  \
    "{\"kind\":\"run\",\"started\":1,\"host\":\"h\",\"cpu\":\"c\",\"cpus\":2,\"concurrency\":"     \
    "1" more "}"

/* ---- A match's journal ---- */

/* A match that is resumed with more games is not over when it has the number of its beginning. */
START_TEST(the_last_run_says_how_many_games_are_wanted) {
    read_result((const char *const[]){
        MATCH("2"), RUN(",\"games\":2,\"asked\":[\"--games=2\"]"), PAIR("0", "2", "1"),
        RUN(",\"games\":6,\"asked\":[\"--games=6\"]"), PAIR("1", "1", "1"), NULL});
    ck_assert_str_eq(setting("games wanted"), "6");
    ck_assert_int_eq(result.games_wanted, 6);
    ck_assert(!result.over);
    ck_assert_ptr_nonnull(strstr(result.match, "\"asked\":[\"--games=6\"]"));
}
END_TEST

START_TEST(a_match_with_the_last_run_s_games_is_over) {
    read_result((const char *const[]){MATCH("2"), RUN(",\"games\":6"), PAIR("0", "2", "1"),
                                      RUN(",\"games\":2"), NULL});
    ck_assert(result.over);
}
END_TEST

/* The match judges no pair before all earlier ones: while one is in play, the match goes on, and
 * later pairs wait, whatever they say. */
START_TEST(a_match_that_lacks_a_pair_is_not_decided) {
    enum { PAIRS = 30 };
    /* PAIRS: none is missing. The pair before the last comes after the verdict. */
    static const int MISSING[] = {PAIRS, PAIRS - 2, 0, 3};
    char pairs[PAIRS][1024];
    const char *records[PAIRS + 2] = {MATCH_OF("2", "true", "50")};
    int count = 1;
    for (int i = 0; i < PAIRS; i++) {
        snprintf(pairs[i], sizeof pairs[i], i % 2 ? PAIR("%d", "2", "1") : PAIR("%d", "2", "2"), i);
        if (i != MISSING[_i])
            records[count++] = pairs[i];
    }
    read_result(records);
    bool decided = MISSING[_i] >= PAIRS - 2;
    ck_assert_int_eq(report_verdict(&result.report), decided ? VERDICT_H1 : VERDICT_NONE);
    ck_assert_int_eq(result.over, decided);
    ck_assert_int_eq(result.waiting, decided ? 0 : PAIRS - 1 - MISSING[_i]);
    if (!decided)
        ck_assert_int_eq(penta_pairs(&result.report.tally.penta), MISSING[_i]);
}
END_TEST

/* An SPRT that goes on from earlier games is judged with their score: pairs that alone would end it
 * count all the same. Of the games wanted, the earlier ones are played. */
START_TEST(earlier_games_count_for_the_verdict) {
    enum { PAIRS = 22 };
    char pairs[PAIRS][1024];
    const char *records[PAIRS + 3] = {
        MATCH_BEHIND("2", "\"earlier\":[8,19,9,5,5,5,2,1],", "true", "50"), RUN(",\"games\":80")};
    for (int i = 0; i < PAIRS; i++) {
        snprintf(pairs[i], sizeof pairs[i], i % 2 ? PAIR("%d", "2", "1") : PAIR("%d", "2", "2"), i);
        records[i + 2] = pairs[i];
    }
    read_result(records);
    expect_games(33, 11, 0);
    ck_assert_int_eq(report_verdict(&result.report), VERDICT_NONE);
    ck_assert(result.over); /* 36 + 44 games */
    ck_assert_int_eq(result.games_wanted, 44);
    ck_assert_str_eq(setting("earlier games"),
                     "36, whose results are elsewhere; the LLR of all games is 2.19 (none)");
    Text block = {0};
    report_block(&result.report, &block);
    ck_assert_msg(strstr(text_string(&block), "[0.00, 50.00], with 36 earlier games\n") != NULL,
                  "%s", text_string(&block));
    text_free(&block);
}
END_TEST

/* A few pairs end an SPRT that goes on from just below its limit: all words tell the verdict. */
START_TEST(a_verdict_with_earlier_games_is_told) {
    Text page = {0};
    Text words = {0};
    Text json = {0};
    read_result(
        (const char *const[]){MATCH_BEHIND("2", "\"earlier\":[27,7,14,0,2,5,12,5],", "true", "50"),
                              PAIR("0", "2", "2"), PAIR("1", "2", "2"), NULL});
    ck_assert_int_eq(report_verdict(&(Report){
                         .sprt = true, .rule = result.report.rule, .tally = result.report.earlier}),
                     VERDICT_NONE);
    ck_assert(result.over);
    expect_games(4, 0, 0);
    ck_assert_ptr_nonnull(strstr(setting("earlier games"), "(H1)"));
    result_sentence(&result, &words);
    ck_assert_str_eq(text_string(&words),
                     "The SPRT accepts H1: 50.00 rather than 0.00 normalized Elo.");
    page_of_result(&result, &page);
    ck_assert_ptr_nonnull(strstr(text_string(&page), ">H1 accepted<"));
    ck_assert_ptr_nonnull(strstr(text_string(&page), " after 4 games behind 48 earlier ones. "));
    report_json(&result.report, &json);
    ck_assert_ptr_nonnull(strstr(text_string(&json), "\"verdict\":\"H1\",\"elo_corrected\":null"));
    text_free(&json);
    text_free(&page);
    text_free(&words);
}
END_TEST

START_TEST(counts_of_earlier_games_that_cannot_be_are_refused) {
    static const char *const HEADS[] = {
        MATCH_BEHIND("2", "\"earlier\":[1,2,3],", "false", "5"),
        MATCH_BEHIND("2", "\"earlier\":[1,0,-1,0,0,0,0,0],", "false", "5")};
    for (size_t i = 0; i < COUNT(HEADS); i++) {
        Error err = {0};
        make_journal((const char *const[]){HEADS[i], NULL});
        ck_assert(!result_of_journal(path, &result, &err));
        ck_assert_msg(strstr(err.text, "head.earlier: ") != NULL, "%s", err.text);
        result_free(&result);
        result = (Result){0};
        unlink(path);
    }
    make_journal((const char *const[]){MATCH("2"), NULL});
}
END_TEST

START_TEST(a_machine_s_faults_are_those_of_its_games) {
    static const char *const FAULTS[] = {"illegal move", "crash", "time loss"};
    static const char *const WORDS[] = {"2 illegal moves", "2 crashes", "2 time losses"};
    Text faults = {0};
    Text page = {0};
    Text pair = {0};
    text_addf(&pair,
              "{\"kind\":\"pair\",\"pair\":0,\"opening\":1,\"ended\":9,\"at_ms\":8,\"games\":["
              "{\"points\":2,\"ending\":\"%s\",\"plies\":61," PARTS "},"
              "{\"points\":0,\"ending\":\"%s\",\"plies\":40," PARTS "}]}",
              FAULTS[_i], FAULTS[_i]);
    read_result((const char *const[]){MATCH("2"), RUN(""), text_string(&pair), NULL});
    ck_assert_uint_eq(result.groups.count, 2); /* The machine and its CPU. */
    result_group_faults(&result.groups.items[0], &faults);
    ck_assert_str_eq(text_string(&faults), WORDS[_i]);
    page_of_result(&result, &page);
    ck_assert_ptr_nonnull(strstr(text_string(&page), "<td class=\"wide fault\">"));
    text_free(&pair);
    text_free(&page);
    text_free(&faults);
}
END_TEST

/* Equal pairs give an estimate and no interval. */
START_TEST(the_curve_of_elo_begins_with_the_first_interval) {
    Text out = {0};
    read_result((const char *const[]){MATCH("2"), PAIR("0", "2", "0"), PAIR("1", "0", "2"),
                                      PAIR("2", "2", "0"), PAIR("3", "2", "2"), PAIR("4", "1", "2"),
                                      PAIR("5", "1", "0"), NULL});
    overgames_elo(&result, &out);
    ck_assert_ptr_nonnull(strstr(text_string(&out), "class=\"number\">8</th>"));
    ck_assert_ptr_null(strstr(text_string(&out), "class=\"number\">6</th>"));
    text_free(&out);
}
END_TEST

/* An engine of a commit is named by it: by the beginning of a long subject, in whole letters. */
START_TEST(a_long_subject_is_cut_between_letters) {
    static const char LETTERS[] = "01234567890123456789012345678901234567890123456789012345678";
    const char *match = MATCH("2");
    const char *dev = strstr(match, ENGINE);
    Text head = {0};
    text_add_bytes(&head, match, (size_t)(dev - match));
    text_addf(&head,
              "{\"name\":\"dev\",\"spec\":\"git:HEAD\",\"commit\":\"3ca09c2b\","
              "\"subject\":\"%s\\u00fcber\",\"program\":\"/x\",\"program_sha256\":\"01\","
              "\"arguments\":[],\"options\":[],\"tc\":\"N=100\"}%s",
              LETTERS, dev + strlen(ENGINE));
    read_result((const char *const[]){text_string(&head), PAIR("0", "2", "1"), NULL});
    text_clear(&head);
    text_addf(&head, "3ca09c2 \"%s\" against x", LETTERS);
    ck_assert_str_eq(result.title, text_string(&head));
    text_free(&head);
}
END_TEST

/* In older journals a run does not say it. */
START_TEST(a_run_without_games_leaves_the_head_s) {
    read_result(
        (const char *const[]){MATCH("2"), RUN(",\"games\":2"), PAIR("0", "2", "1"), RUN(""), NULL});
    ck_assert_str_eq(setting("games wanted"), "2");
    ck_assert(result.over);
}
END_TEST

/* A match that was begun by an older program, and gone on with by this one, has both forms. */
START_TEST(a_match_of_both_versions_is_read) {
    read_result((const char *const[]){MATCH("1"), PAIR_OF_MATCH_1("0", "2", "1"),
                                      PAIR_OF_MATCH_1("1", "0", "1"), PAIR("2", "2", "2"), NULL});
    expect_games(3, 2, 1);
    ck_assert_int_eq(result.report.tally.plies, 303);
    ck_assert(!result.over);
    ck_assert_ptr_null(result.warning);
    ck_assert_uint_eq(result.ending_count, 1);
    ck_assert_str_eq(result.endings[0].name, "mate");
}
END_TEST

/* ---- A worker's journal ---- */

START_TEST(a_workers_journal_is_read) {
    read_result((const char *const[]){WORKLOAD("3"), PAIR("1", "2", "1"), "{\"kind\":\"batch\"}",
                                      PAIR("0", "0", "1"), "{\"kind\":\"added\"}",
                                      PAIR("2", "2", "2"), NULL});
    expect_games(3, 2, 1);
    ck_assert_str_eq(result.title, "quicker against main");
    ck_assert_str_eq(result.source, "a.journal");
    ck_assert_str_eq(setting("server"), "http://s/");
    ck_assert_str_eq(setting("test"), "5");
    ck_assert_int_eq(result.report.tally.plies, 303);
    ck_assert(!result.report.details_unknown);
    ck_assert(!result.over);
}
END_TEST

START_TEST(a_workload_that_compares_nothing_has_no_elo) {
    static const struct {
        const char *head, *title;
        Purpose purpose;
    } CASES[] = {
        {WORKLOAD_OF("3", "SPSA", "main"), "Tuning in main", PURPOSE_TUNING},
        {WORKLOAD_OF("3", "DATAGEN", "main"), "Training data of main", PURPOSE_DATA},
        {WORKLOAD_OF("3", "DATAGEN", "quicker"), "quicker against main", PURPOSE_TEST},
        {WORKLOAD_OF("3", "GAMES", "main"), "main against main", PURPOSE_TEST},
    };
    EloInterval elo;
    read_result((const char *const[]){CASES[_i].head, PAIR("0", "2", "1"), PAIR("1", "1", "1"),
                                      PAIR("2", "2", "2"), NULL});
    ck_assert_int_eq(result.report.purpose, CASES[_i].purpose);
    ck_assert_int_eq(report_elo(&result.report, &elo), CASES[_i].purpose == PURPOSE_TEST);
    ck_assert_str_eq(result.title, CASES[_i].title);
}
END_TEST

START_TEST(a_workers_journal_of_an_older_version_is_read) {
    static const char *const HEADS[] = {WORKLOAD("1"), WORKLOAD("2")};
    read_result((const char *const[]){HEADS[_i], PAIR_OF_WORKER_2("0", "2", "0", "1"),
                                      PAIR_OF_WORKER_2("1", "1", "1", "0"), NULL});
    expect_games(1, 2, 1);
    ck_assert_int_eq(result.report.tally.crashes, 1);
    /* Those versions had no plies. */
    ck_assert(result.report.details_unknown);
}
END_TEST

START_TEST(a_pair_that_is_repeated_counts_once) {
    read_result((const char *const[]){WORKLOAD("3"), PAIR("0", "2", "1"), PAIR("1", "1", "1"),
                                      PAIR("0", "2", "1"), NULL});
    expect_games(1, 3, 0);
}
END_TEST

START_TEST(a_workload_whose_test_is_over_is_finished) {
    read_result(
        (const char *const[]){WORKLOAD("3"), PAIR("0", "2", "1"), "{\"kind\":\"over\"}", NULL});
    expect_games(1, 1, 0);
    ck_assert(result.over);
    ck_assert_ptr_null(result.warning);
}
END_TEST

START_TEST(pairs_that_were_dropped_do_not_count) {
    read_result((const char *const[]){WORKLOAD("2"), PAIR_OF_WORKER_2("0", "2", "1", "0"),
                                      "{\"kind\":\"dropped\"}", NULL});
    expect_games(0, 0, 0);
    ck_assert(result.over);
    ck_assert_str_eq(result.warning, "no pair counts: the bench of an engine was wrong");
}
END_TEST

/* ---- Damage ---- */

/* Changes a byte of the line of this number, from 1: the `offset`th, or below 0 from its end. */
static void damage(int number, int offset) {
    Text bytes = read_whole(path);
    char *line = bytes.data;
    while (--number > 0)
        line = strchr(line, '\n') + 1;
    char *at = offset >= 0 ? line + offset : strchr(line, '\n') + 1 + offset;
    *at ^= 1;
    put_bytes(path, bytes.data, bytes.length, 0644);
    text_free(&bytes);
}

/* A byte within "kind" and one at the end of a line, its line end. */
enum { IN_THE_KIND = 10, LINE_END = -1, IN_THE_GAMES = 70 };

static const char *const RECORDS[] = {
    WORKLOAD("3"),       PAIR("0", "2", "1"), PAIR("1", "2", "1"), "{\"kind\":\"added\"}",
    PAIR("2", "2", "1"), PAIR("3", "2", "1"), PAIR("4", "2", "1"), NULL};

static const struct {
    int lines[2], offsets[2];
    int64_t pairs; /* That count. */
    const char *warning;
} DAMAGES[] = {
    {{3, 0}, {IN_THE_GAMES, 0}, 4, "1 pair is lost: line 3 is damaged"},
    {{3, 0}, {IN_THE_KIND, 0}, 4, "1 pair is lost: line 3 is damaged"},
    {{2, 5},
     {IN_THE_GAMES, IN_THE_GAMES},
     3,
     "2 pairs are lost: 2 lines are damaged, the first is line 2"},
    {{2, 0}, {LINE_END, 0}, 3, "2 pairs are lost: line 2 is damaged"},
    {{4, 0}, {IN_THE_KIND + 8, 0}, 5, "0 pairs are lost: line 4 is damaged"},
    /* The end of a journal may be torn: its pair never counted. */
    {{7, 0}, {IN_THE_GAMES, 0}, 4, NULL},
};

START_TEST(a_damaged_journal_says_how_many_pairs_it_has_lost) {
    Error err = {0};
    make_journal(RECORDS);
    for (int i = 0; i < 2 && DAMAGES[_i].lines[i] > 0; i++)
        damage(DAMAGES[_i].lines[i], DAMAGES[_i].offsets[i]);
    ck_assert_msg(result_of_journal(path, &result, &err), "%s", err.text);
    expect_games(DAMAGES[_i].pairs, DAMAGES[_i].pairs, 0);
    if (DAMAGES[_i].warning == NULL)
        ck_assert_ptr_null(result.warning);
    else {
        ck_assert_pstr_eq(result.warning, DAMAGES[_i].warning);
        ck_assert_str_eq(setting("warning"), DAMAGES[_i].warning);
    }
}
END_TEST

START_TEST(a_journal_has_the_score_before_its_gap) {
    read_result((const char *const[]){MATCH("2"), PAIR("0", "2", "1"), PAIR("1", "0", "1"),
                                      PAIR("3", "2", "2"), PAIR("4", "2", "2"), NULL});
    expect_games(5, 2, 1);
    ck_assert_int_eq(result.before_gap.wins, 1);
    ck_assert_int_eq(penta_pairs(&result.before_gap.penta), 2);
}
END_TEST

/* Nobody waits for a lost pair: --resume refuses its journal. */
START_TEST(a_damaged_journal_of_a_match_is_over_without_its_lost_pair) {
    enum { PAIRS = 30 };
    Error err = {0};
    char pairs[PAIRS][1024];
    bool sprt = _i == 0;
    const char *records[PAIRS + 3] = {sprt ? MATCH_OF("2", "true", "50") : MATCH("2"),
                                      sprt ? RUN(",\"games\":0") : RUN(",\"games\":60")};
    for (int i = 0; i < PAIRS; i++) {
        snprintf(pairs[i], sizeof pairs[i], i % 2 ? PAIR("%d", "2", "1") : PAIR("%d", "2", "2"), i);
        records[i + 2] = pairs[i];
    }
    make_journal(records);
    damage(6, IN_THE_GAMES);
    ck_assert_msg(result_of_journal(path, &result, &err), "%s", err.text);
    ck_assert_int_eq(report_verdict(&result.report), sprt ? VERDICT_H1 : VERDICT_NONE);
    ck_assert(result.over);
}
END_TEST

START_TEST(a_journal_of_another_kind_is_refused) {
    static const struct {
        const char *const records[3];
        const char *words;
    } CASES[] = {
        {{"{\"kind\":\"run\"}"}, "line 1: run.started is missing"},
        {{PAIR("0", "1", "1")}, "line 1: is not the head of a match or of a workload"},
        {{WORKLOAD("3"), MATCH("2")}, "line 2: is a second head"},
        {{WORKLOAD("4")}, "line 1: is of version 4; this program reads versions up to 3"},
        {{MATCH("3")}, "line 1: is of version 3; this program reads versions up to 2"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Error err = {0};
        make_journal(CASES[i].records);
        ck_assert(!result_of_journal(path, &result, &err));
        ck_assert_msg(strstr(err.text, CASES[i].words) != NULL, "'%s' is not in '%s'",
                      CASES[i].words, err.text);
        unlink(path);
    }
}
END_TEST

START_TEST(each_pair_is_in_one_part_of_the_time) {
    enum { PAIRS = 40, PARTS_OF_TIME = 4 };
    char pairs[PAIRS][1024];
    const char *records[PAIRS + 2] = {MATCH("2")};
    for (int i = 0; i < PAIRS; i++) {
        snprintf(pairs[i], sizeof pairs[i], PAIR_OF("%d", "1", "%d", "2", "1"), i, 1000 + 10 * i);
        records[i + 1] = pairs[i];
    }
    read_result(records);
    ck_assert_uint_eq(result.groups.count, PARTS_OF_TIME);
    for (int i = 0; i < PARTS_OF_TIME; i++) {
        ck_assert_str_eq(result.groups.items[i].kind, "time");
        ck_assert_int_eq(penta_pairs(&result.groups.items[i].tally.penta), PAIRS / PARTS_OF_TIME);
    }
    ck_assert_str_eq(result.groups.items[3].name, "00:21:32 to 00:23:10 UTC");
}
END_TEST

START_TEST(pairs_of_other_openings_than_the_head_says_are_seen) {
    static const char *const MATCHES[][3] = {
        {MATCH("2"), PAIR("0", "2", "1"), NULL},
        {MATCH("2"), PAIR("9", "2", "1"), NULL},
        {MATCH("2"), PAIR("1", "2", "1"), NULL},
        {MATCH("2"), PAIR_OF("8", "9", "9", "2", "1"), NULL}}; /* The book's last. */
    for (size_t i = 0; i < COUNT(MATCHES); i++) {
        read_result(MATCHES[i]);
        ck_assert_int_eq(result.strayed, i == 2);
        result_free(&result);
        result = (Result){0};
        unlink(path);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_match_of_both_versions_is_read);
    tcase_add_test(tests, a_workers_journal_is_read);
    tcase_add_loop_test(tests, a_workload_that_compares_nothing_has_no_elo, 0, 4);
    tcase_add_loop_test(tests, a_workers_journal_of_an_older_version_is_read, 0, 2);
    tcase_add_test(tests, a_pair_that_is_repeated_counts_once);
    tcase_add_test(tests, the_last_run_says_how_many_games_are_wanted);
    tcase_add_test(tests, a_match_with_the_last_run_s_games_is_over);
    tcase_add_loop_test(tests, a_match_that_lacks_a_pair_is_not_decided, 0, 4);
    tcase_add_test(tests, earlier_games_count_for_the_verdict);
    tcase_add_test(tests, a_verdict_with_earlier_games_is_told);
    tcase_add_test(tests, counts_of_earlier_games_that_cannot_be_are_refused);
    tcase_add_loop_test(tests, a_machine_s_faults_are_those_of_its_games, 0, 3);
    tcase_add_test(tests, the_curve_of_elo_begins_with_the_first_interval);
    tcase_add_test(tests, a_long_subject_is_cut_between_letters);
    tcase_add_test(tests, a_run_without_games_leaves_the_head_s);
    tcase_add_test(tests, a_workload_whose_test_is_over_is_finished);
    tcase_add_test(tests, pairs_that_were_dropped_do_not_count);
    tcase_add_loop_test(tests, a_damaged_journal_says_how_many_pairs_it_has_lost, 0,
                        sizeof DAMAGES / sizeof *DAMAGES);
    tcase_add_test(tests, a_journal_has_the_score_before_its_gap);
    tcase_add_loop_test(tests, a_damaged_journal_of_a_match_is_over_without_its_lost_pair, 0, 2);
    tcase_add_test(tests, each_pair_is_in_one_part_of_the_time);
    tcase_add_test(tests, pairs_of_other_openings_than_the_head_says_are_seen);
    tcase_add_test(tests, a_journal_of_another_kind_is_refused);
}

int main(void) {
    return run_tests("journal_result", add_tests);
}
