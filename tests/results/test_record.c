/* SPDX-License-Identifier: MIT */
/* The records of a match's journal: written, read, compared, and refused when they are none. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "results/record.h"
#include "runner.h"

static RecordHead make_head(void) {
    RecordHead head = {.version = RECORD_VERSION,
                       .created = 1700000000,
                       .book = {.file = mem_strdup("books/small.epd"),
                                .sha256 = mem_strdup("0123"),
                                .openings = 2000},
                       .seed = 9000000000000000,
                       .start = 1,
                       .win_adj = mem_strdup("movecount=3 score=400"),
                       .draw_adj = mem_strdup("None"),
                       .sprt = true,
                       .rule = {.elo0 = -0.1, .elo1 = 4.9, .alpha = 0.05, .beta = 0.1},
                       .games = 100,
                       .pgn = true};
    head.pgn_notation = mem_strdup("lan");
    for (int side = 0; side < SIDE_COUNT; side++) {
        head.engines[side].name = mem_strdup(side == SIDE_DEV ? "dev \"new\"" : "base");
        head.engines[side].spec = mem_strdup("lmr:KILLER=0");
        head.engines[side].program = mem_strdup("/some/where/engine");
        head.engines[side].sha256 = mem_strdup("abcd");
        head.engines[side].tc = mem_strdup("8.0+0.08s");
        head.engines[side].margin = 250 + side;
        head.engines[side].dir = mem_strdup("/some/where");
        words_add(&head.engines[side].arguments, "an argument");
        words_add(&head.engines[side].options, "Threads=2");
        words_add(&head.engines[side].options, "Hash=64");
    }
    return head;
}

static PairResult make_pair(void) {
    PairResult pair = {.index = 7, .opening = 1903, .ended = 1700000100, .at_ms = 100123};
    for (int i = 0; i < 2; i++)
        pair.games[i] =
            (GameResult){.white = i == 0 ? SIDE_DEV : SIDE_BASE,
                         .pgn = mem_strdup("[Event \"\\\\\"]\n\n1. e4 {\xc3\xa9 \xff} *\n"),
                         .dev_points = i == 0 ? 1 : 2,
                         .plies = 81 + i,
                         .ending = i == 0 ? ENDING_STALEMATE : ENDING_TIME_LOSS,
                         .detail = i == 0 ? NULL : mem_strdup("12"),
                         .parts = {{.moves = 41,
                                    .ms = 8000,
                                    .work = {.depths = 410,
                                             .depth_moves = 40,
                                             .nodes = 5000000000,
                                             .nodes_ns = 7999999999}},
                                   {.moves = 40,
                                    .ms = 7000,
                                    .work = {.depths = 360,
                                             .depth_moves = 39,
                                             .nodes = 4000000000,
                                             .nodes_ns = 6999999999}}}};
    return pair;
}

static void read_back(const Text *text, Record *out) {
    Error err = {0};
    ck_assert_msg(record_read(text->data, text->length, out, &err), "%s: %s", err.text, text->data);
    ck_assert_ptr_null(strchr(text->data, '\n'));
}

START_TEST(a_head_is_read_as_it_was_written) {
    RecordHead head = make_head();
    Text text = {0};
    Text again = {0};
    Record record = {0};
    Error err = {0};
    record_write_head(&head, &text);
    read_back(&text, &record);
    ck_assert_int_eq(record.kind, RECORD_HEAD);
    ck_assert_msg(record_same_match(&head, &record.head, &err), "%s", err.text);
    record_write_head(&record.head, &again);
    ck_assert_str_eq(again.data, text.data);
    ck_assert_str_eq(words_value(&record.head.engines[SIDE_DEV].options, "hash"), "64");
    ck_assert_str_eq(words_value(&record.head.engines[SIDE_DEV].options, "Has"), "");
    text_free(&text);
    text_free(&again);
    record_free(&record);
    record_free_head(&head);
}
END_TEST

START_TEST(a_long_number_keeps_its_digits) {
    static const int64_t SEEDS[] = {4503599627370501, 5000000000000001, 8999999999999991,
                                    9007199254740991};
    for (size_t i = 0; i < sizeof SEEDS / sizeof *SEEDS; i++) {
        RecordHead head = make_head();
        RecordRun run = {.started = -SEEDS[i], .host = (char *)"h", .cpu = (char *)"c"};
        Text texts[2] = {{0}, {0}};
        Record record = {0};
        head.seed = SEEDS[i];
        record_write_head(&head, &texts[0]);
        read_back(&texts[0], &record);
        ck_assert_int_eq(record.head.seed, SEEDS[i]);
        record_write_run(&run, &texts[1]);
        read_back(&texts[1], &record);
        ck_assert_int_eq(record.run.started, -SEEDS[i]);
        text_free(&texts[0]);
        text_free(&texts[1]);
        record_free(&record);
        record_free_head(&head);
    }
}
END_TEST

START_TEST(a_pair_is_read_as_it_was_written) {
    PairResult pair = make_pair();
    Text text = {0};
    Text again = {0};
    Record record = {0};
    pair_write(&pair, &text);
    read_back(&text, &record);
    ck_assert_int_eq(record.kind, RECORD_PAIR);
    ck_assert_int_eq(record.pair.index, 7);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(record.pair.games[i].white, pair.games[i].white);
    ck_assert_str_eq(record.pair.games[1].pgn, pair.games[1].pgn);
    pair_write(&record.pair, &again);
    ck_assert_str_eq(again.data, text.data);
    Tally tally = pair_tally(&record.pair);
    ck_assert_int_eq(tally.wins, 1);
    ck_assert_int_eq(tally.draws, 1);
    ck_assert_int_eq(tally.penta.n[3], 1);
    ck_assert_int_eq(tally.timelosses, 1);
    ck_assert_int_eq(tally.crashes, 0);
    ck_assert_int_eq(tally.plies, 163);
    ck_assert_int_eq(tally.work[SIDE_DEV].nodes, 10000000000);
    ck_assert_int_eq(tally.work[SIDE_DEV].nodes_ns, 15999999998);
    ck_assert_int_eq(tally.work[SIDE_DEV].depths, 820);
    ck_assert_int_eq(tally.work[SIDE_DEV].depth_moves, 80);
    ck_assert_int_eq(tally.work[SIDE_BASE].nodes, 8000000000);
    ck_assert_int_eq(tally.work[SIDE_BASE].nodes_ns, 13999999998);
    ck_assert_int_eq(tally.work[SIDE_BASE].depths, 720);
    ck_assert_int_eq(tally.work[SIDE_BASE].depth_moves, 78);
    text_free(&text);
    text_free(&again);
    record_free(&record);
    pair_free(&pair);
}
END_TEST

START_TEST(the_first_setting_that_differs_is_named) {
    RecordHead begun = make_head();
    RecordHead now = make_head();
    Error err = {0};
    now.games = 7;
    now.created = 1;
    ck_assert(record_same_match(&begun, &now, &err));
    now.rule.elo1 = 5;
    ck_assert(!record_same_match(&begun, &now, &err));
    ck_assert_str_eq(err.text, "was begun with elo1 4.9, not 5 (--bounds)");
    now.syzygy = mem_strdup("/tables");
    ck_assert(!record_same_match(&begun, &now, &err));
    ck_assert_str_eq(err.text, "was begun with syzygy none, not \"/tables\" (--syzygy)");
    now.earlier = (IntList){.items = mem_calloc(1, sizeof(int64_t)), .count = 1};
    ck_assert(!record_same_match(&begun, &now, &err));
    ck_assert_str_eq(err.text, "was begun without earlier games (--after), which an SPRT counts");
    ck_assert(!record_same_match(&now, &begun, &err));
    ck_assert_str_eq(err.text, "was begun with earlier games (--after), which an SPRT counts");
    words_add(&now.engines[SIDE_BASE].options, "Ponder=true");
    ck_assert(!record_same_match(&begun, &now, &err));
    ck_assert_str_eq(err.text, "was begun with base's options [\"Threads=2\",\"Hash=64\"], not "
                               "[\"Threads=2\",\"Hash=64\",\"Ponder=true\"]");
    words_add(&now.tuning.parameters, "W_PV, int, 0, -100, 100, 10, 0.02");
    ck_assert(!record_same_match(&begun, &now, &err));
    ck_assert_str_eq(err.text, "was begun as a match, not as a tuning");
    ck_assert(!record_same_match(&now, &begun, &err));
    ck_assert_str_eq(err.text, "was begun as a tuning, not as a match");
    record_free_head(&begun);
    record_free_head(&now);
}
END_TEST

/* Each setting that is compared as a field: the SPRT, its model and the program have words of their
 * own. */
START_TEST(a_match_of_another_setting_does_not_go_on) {
    static const struct {
        const char *before; /* The member of another value is put behind this. */
        const char *member, *words;
    } CASES[] = {
        {"\"dev\":{", "\"name\":\"x\"", "the engine's name \"dev \\\"new\\\"\", not \"x\""},
        {"\"dev\":{", "\"arguments\":[]", "the engine's arguments [\"an argument\"], not []"},
        {"\"base\":{", "\"options\":[]",
         "the engine's options [\"Threads=2\",\"Hash=64\"], not []"},
        {"\"dev\":{", "\"tc\":\"N=1\"", "the engine's tc \"8.0+0.08s\", not \"N=1\""},
        {"\"base\":{", "\"margin\":9", "the engine's margin 251, not 9"},
        {"\"dev\":{", "\"dir\":\"/x\"", "the engine's dir \"/some/where\", not \"/x\""},
        {"{", "\"book_sha256\":\"x\"", "book_sha256 \"0123\", not \"x\" (--book)"},
        {"{", "\"chess960\":true", "chess960 false, not true (--chess960)"},
        {"{", "\"seed\":7", "seed 9000000000000000, not 7 (--seed)"},
        {"{", "\"start\":2", "start 1, not 2 (--start)"},
        {"{", "\"sequential\":true", "sequential false, not true (--openings-order)"},
        {"{", "\"plies\":8", "plies 0, not 8 (--plies)"},
        {"{", "\"win_adj\":\"None\"",
         "win_adj \"movecount=3 score=400\", not \"None\" (--win-adj)"},
        {"{", "\"draw_adj\":\"x\"", "draw_adj \"None\", not \"x\" (--draw-adj)"},
        {"{", "\"max_moves\":90", "max_moves 0, not 90 (--max-moves)"},
        {"{", "\"syzygy\":\"/x\"", "syzygy none, not \"/x\" (--syzygy)"},
        {"{", "\"syzygy_men\":5", "syzygy_men 0, not 5 (--syzygy-men)"},
        {"{", "\"elo0\":-1", "elo0 -0.1, not -1 (--bounds)"},
        {"{", "\"elo1\":5", "elo1 4.9, not 5 (--bounds)"},
        {"{", "\"alpha\":0.1", "alpha 0.05, not 0.1 (--confidence)"},
        {"{", "\"beta\":0.05", "beta 0.1, not 0.05 (--confidence)"},
        {"{", "\"restart\":true", "restart false, not true (--restart)"},
        {"{", "\"pgn\":false", "pgn true, not false (--pgn)"},
        {"{", "\"positions\":true", "positions false, not true (--positions)"},
        {"{", "\"pgn_pv\":true", "pgn_pv false, not true (--pgn-pv)"},
        {"{", "\"pgn_hashfull\":true", "pgn_hashfull false, not true (--pgn-hashfull)"},
        {"{", "\"pgn_notation\":\"uci\"", "pgn_notation \"lan\", not \"uci\" (--pgn-notation)"},
        {"\"tuning\":{", "\"parameters\":[\"B\"]", "the tuning's parameters [\"A\"], not [\"B\"]"},
        {"\"tuning\":{", "\"iterations\":9", "the tuning's iterations 500, not 9"},
        {"\"tuning\":{", "\"pairs_per\":9", "the tuning's pairs_per 8, not 9"},
        {"\"tuning\":{", "\"alpha\":0.5", "the tuning's alpha 0.6, not 0.5"},
        {"\"tuning\":{", "\"gamma\":0.5", "the tuning's gamma 0.1, not 0.5"},
        {"\"tuning\":{", "\"a_ratio\":0.5", "the tuning's a_ratio 0.2, not 0.5"},
        {"\"tuning\":{", "\"overlap\":9", "the tuning's overlap 2, not 9"},
    };
    RecordHead begun = make_head();
    Text text = {0};
    words_add(&begun.tuning.parameters, "A");
    begun.tuning.schedule = (SpsaSchedule){0.6, 0.1, 0.2, 500, 8};
    begun.tuning.overlap = 2;
    record_write_head(&begun, &text);
    for (size_t i = 0; i < COUNT(CASES); i++) {
        const char *place = strstr(text.data, CASES[i].before);
        ck_assert(place != NULL);
        place += strlen(CASES[i].before);
        Text other = {0};
        Record record = {0};
        Error err = {0};
        text_addf(&other, "%.*s%s,%s", (int)(place - text.data), text.data, CASES[i].member, place);
        read_back(&other, &record);
        ck_assert_msg(!record_same_match(&begun, &record.head, &err), "%s", CASES[i].member);
        ck_assert_str_eq(err.text + strlen("was begun with "), CASES[i].words);
        text_free(&other);
        record_free(&record);
    }
    text_free(&text);
    record_free_head(&begun);
}
END_TEST

static void set_text(char **field, const char *text) {
    free(*field);
    *field = text != NULL ? mem_strdup(text) : NULL;
}

START_TEST(an_engine_that_differs_is_told_in_words) {
    static const struct {
        const char *spec[2], *commit[2], *subject[2], *changes[2]; /* In the journal, and now. */
        const char *words;
    } CASES[] = {
        {{"git:HEAD", "git:HEAD"},
         {"60c5137aa", "3ca09c2bb"},
         {"Reduce less", "Reduce more"},
         {NULL, NULL},
         "was begun with other sources: dev's git:HEAD was 60c5137 \"Reduce less\" and is 3ca09c2 "
         "\"Reduce more\" now; git:60c5137aa is the old one"},
        {{"tree:", "tree:"},
         {"60c5137aa", "60c5137aa"},
         {"Reduce less", "Reduce less"},
         {"01", "02"},
         "was begun with other sources: dev's tree: was 60c5137 \"Reduce less\" + changes and is "
         "60c5137 \"Reduce less\" + other changes now"},
        {{"lmr:", "lmr:"},
         {"60c5137aa", "60c5137aa"},
         {"Reduce less", "Reduce less"},
         {NULL, "02"},
         "was begun with other sources: dev's lmr: was 60c5137 \"Reduce less\" and is 60c5137 "
         "\"Reduce less\" + changes now"},
        {{"lmr:KILLER=0", "lmr:DIV=90"},
         {NULL, NULL},
         {NULL, NULL},
         {NULL, NULL},
         "was begun with another engine: dev was lmr:KILLER=0 and is lmr:DIV=90 now"},
        {{"lmr:", "lmr:"},
         {"60c5137aa", "60c5137aa"},
         {"Reduce less", "Reduce less"},
         {NULL, NULL},
         "was begun with another build of dev: the program of lmr: had the SHA-256 abcd... and has "
         "ef01... now"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        RecordHead heads[2] = {make_head(), make_head()};
        Error err = {0};
        for (int k = 0; k < 2; k++) {
            RecordEngine *engine = &heads[k].engines[SIDE_DEV];
            set_text(&engine->spec, CASES[i].spec[k]);
            set_text(&engine->commit, CASES[i].commit[k]);
            set_text(&engine->subject, CASES[i].subject[k]);
            set_text(&engine->changes, CASES[i].changes[k]);
        }
        ck_assert(record_same_match(&heads[0], &heads[1], &err)); /* The same program. */
        set_text(&heads[1].engines[SIDE_DEV].sha256, "ef01");
        ck_assert(!record_same_match(&heads[0], &heads[1], &err));
        ck_assert_str_eq(err.text, CASES[i].words);
        record_free_head(&heads[0]);
        record_free_head(&heads[1]);
    }
}
END_TEST

START_TEST(the_model_of_the_bounds_is_kept) {
    RecordHead head = make_head();
    for (int model = SPRT_NORMALIZED; model <= SPRT_BAYES; model++) {
        Text text = {0};
        Record record = {0};
        head.rule.model = (SprtModel)model;
        record_write_head(&head, &text);
        read_back(&text, &record);
        ck_assert_int_eq(record.head.rule.model, model);
        text_free(&text);
        record_free(&record);
    }
    RecordHead begun = make_head();
    Error err = {0};
    ck_assert(!record_same_match(&begun, &head, &err));
    ck_assert_str_eq(err.text, "was begun with model \"normalized\", not \"bayes\" (--model)");

    /* A journal of the time when there was one model does not name it. */
    static const char NAMED[] = ",\"model\":\"bayes\"";
    Text text = {0};
    Record record = {0};
    record_write_head(&head, &text);
    char *named = strstr(text.data, NAMED);
    ck_assert_ptr_nonnull(named);
    memmove(named, named + strlen(NAMED), strlen(named + strlen(NAMED)) + 1);
    ck_assert_msg(record_read(text.data, strlen(text.data), &record, &err), "%s", err.text);
    ck_assert_int_eq(record.head.rule.model, SPRT_NORMALIZED);
    text_free(&text);
    record_free(&record);
    record_free_head(&begun);
    record_free_head(&head);
}
END_TEST

START_TEST(runs_add_up_to_the_time_of_a_match) {
    RecordTime time = {0};
    Record run = {.kind = RECORD_RUN};
    Record pair = {.kind = RECORD_PAIR};
    static const int64_t ENDS[] = {-1, 100, 300, 200, -1, -1, 50};
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
        pair.pair.at_ms = ENDS[i];
        record_time_add(&time, ENDS[i] < 0 ? &run : &pair);
    }
    ck_assert_int_eq(time.earlier_ms + time.latest_ms, 350);
}
END_TEST

static bool is_read(const char *text, Error *err) {
    Record record = {0};
    bool read = record_read(text, strlen(text), &record, err);
    record_free(&record);
    return read;
}

START_TEST(what_is_no_record_is_refused_by_name) {
    static const struct {
        const char *text;
        const char *words;
    } CASES[] = {
        {"", "not JSON"},
        {"{\"kind\":\"pair\"", "not JSON"},
        {"{\"kind\":\"head\"}", "head.version is missing"},
        {"{\"kind\":\"head\",\"version\":3,\"created\":1,\"book\":\"x\",\"openings\":1,\"games\":"
         "0}",
         "version 3"},
        {"{\"kind\":\"head\",\"version\":0,\"created\":1,\"book\":\"x\",\"openings\":1,\"games\":"
         "0}",
         "version 0"},
        {"{\"kind\":\"run\",\"started\":\"now\"}", "run.started: expected a whole number"},
        {"{\"kind\":\"pair\",\"pair\":-1,\"opening\":1,\"ended\":1,\"at_ms\":1,\"games\":[]}",
         "a pair has two games"},
        {"{\"kind\":\"pair\",\"pair\":-1,\"points\":2,\"reply\":0,\"crashes\":0,"
         "\"timelosses\":0,\"illegals\":0,\"deltas\":[]}",
         "a pair's number is at least 0"},
        {"{\"kind\":\"pair\",\"pair\":1,\"opening\":1,\"ended\":1,\"at_ms\":1,\"games\":[1,2]}",
         "expected an object"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Error err = {0};
        ck_assert_msg(!is_read(CASES[i].text, &err), "read: %s", CASES[i].text);
        ck_assert_msg(strstr(err.text, CASES[i].words) != NULL, "%s: %s", CASES[i].text, err.text);
    }
    ck_assert(is_read("{\"kind\":\"of a later version\"}", NULL));
}
END_TEST

/* A record that is read says nothing impossible, and is written and read again as the same; one
 * that is refused has a cause. */
static void expect_whole_or_refused(const char *text) {
    Record record = {0};
    Error err = {0};
    if (!record_read(text, strlen(text), &record, &err))
        ck_assert_msg(err.text[0] != '\0', "refused without a cause: %s", text);
    else if (record.kind == RECORD_PAIR) {
        Tally tally = pair_tally(&record.pair);
        ck_assert_int_ge(record.pair.index, 0);
        ck_assert_int_eq(tally.wins + tally.losses + tally.draws, 2);
        Text once = {0};
        Text twice = {0};
        Record again = {0};
        pair_write(&record.pair, &once);
        read_back(&once, &again);
        pair_write(&again.pair, &twice);
        ck_assert_str_eq(text_string(&twice), text_string(&once));
        text_free(&once);
        text_free(&twice);
        record_free(&again);
    } else if (record.kind == RECORD_HEAD)
        ck_assert_int_le(record.head.version, RECORD_VERSION);
    record_free(&record);
}

/* Takes the part out of the text, in which it stands. */
static void take_out(Text *text, const char *part) {
    char *at = strstr(text->data, part);
    ck_assert_msg(at != NULL, "%s is not in %s", part, text->data);
    memmove(at, at + strlen(part), strlen(at + strlen(part)) + 1);
    text->length -= strlen(part);
}

START_TEST(an_older_head_has_one_margin_for_both_engines_and_no_notation) {
    RecordHead head = make_head();
    Text text = {0};
    Record record = {0};
    record_write_head(&head, &text);
    take_out(&text, ",\"margin\":250");
    take_out(&text, ",\"margin\":251");
    take_out(&text, ",\"pgn_notation\":\"lan\"");
    ck_assert(!is_read(text.data, NULL));
    Text old = {0};
    text_addf(&old, "{\"margin\":400,%s", text.data + 1);
    read_back(&old, &record);
    ck_assert_int_eq(record.head.engines[SIDE_DEV].margin, 400);
    ck_assert_int_eq(record.head.engines[SIDE_BASE].margin, 400);
    ck_assert_str_eq(record.head.pgn_notation, "san");
    record_free(&record);
    record_free_head(&head);
    text_free(&text);
    text_free(&old);
}
END_TEST

/* It stands in older journals alone. */
START_TEST(the_unit_of_a_move_time_is_dropped) {
    static const char *const CASES[][2] = {
        {"MT=100s", "MT=100"}, {"MT=100", "MT=100"}, {"8.0+0.08s", "8.0+0.08s"}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        RecordHead head = make_head();
        Text text = {0};
        Record record = {0};
        set_text(&head.engines[SIDE_BASE].tc, CASES[i][0]);
        record_write_head(&head, &text);
        read_back(&text, &record);
        ck_assert_str_eq(record.head.engines[SIDE_BASE].tc, CASES[i][1]);
        text_free(&text);
        record_free(&record);
        record_free_head(&head);
    }
}
END_TEST

/* A journal may come from anywhere. */
START_TEST(a_tuning_that_nobody_can_play_is_refused) {
    static const struct {
        SpsaSchedule schedule;
        int64_t overlap;
        bool sound;
    } CASES[] = {
        {{0, 0, 0, 1, 1}, 1, true},
        {{2, 2, 10, TUNING_ITERATIONS_MAX, TUNING_PAIRS_PER_MAX}, TUNING_OVERLAP_MAX, true},
        {{-0.1, 0, 0, 1, 1}, 1, false},
        {{2.1, 0, 0, 1, 1}, 1, false},
        {{0, -0.1, 0, 1, 1}, 1, false},
        {{0, 2.1, 0, 1, 1}, 1, false},
        {{0, 0, -0.1, 1, 1}, 1, false},
        {{0, 0, 10.1, 1, 1}, 1, false},
        {{0, 0, 0, 0, 1}, 1, false},
        {{0, 0, 0, TUNING_ITERATIONS_MAX + 1, 1}, 1, false},
        {{0, 0, 0, 1, 0}, 1, false},
        {{0, 0, 0, 1, TUNING_PAIRS_PER_MAX + 1}, 1, false},
        {{0, 0, 0, 1, 1}, 0, false},
        {{0, 0, 0, 1, 1}, TUNING_OVERLAP_MAX + 1, false},
    };
    RecordHead head = make_head();
    Error err = {0};
    Tuning tuning;
    ck_assert(!record_tuning(&head, &tuning, &err));
    words_add(&head.tuning.parameters, "A, int, 1, 0, 2, 1, 0.002");
    for (size_t i = 0; i < COUNT(CASES); i++) {
        head.tuning.schedule = CASES[i].schedule;
        head.tuning.overlap = CASES[i].overlap;
        ck_assert_msg(record_tuning(&head, &tuning, &err) == CASES[i].sound, "case %zu", i);
        if (CASES[i].sound)
            tuning_free(&tuning);
        else
            ck_assert_str_eq(err.text, "describes a tuning that nobody can play");
    }
    record_free_head(&head);
}
END_TEST

START_TEST(settings_for_reports_lack_programs_and_repositories) {
    RecordHead head = make_head();
    Text text = {0};
    head.engines[SIDE_DEV].repository = mem_strdup("/home/me/engine");
    record_write_settings(&head, &text);
    ck_assert_ptr_null(strstr(text.data, "/home/me"));
    ck_assert_ptr_null(strstr(text.data, "/some/where/engine"));
    text_free(&text);
    record_free_head(&head);
}
END_TEST

/* Every byte of a record changed in turn. */
START_TEST(damaged_records_do_no_harm) {
    PairResult pair = make_pair();
    RecordHead head = make_head();
    static const char INSTEAD[] = "\x01\"}]-9e";
    for (int kind = 0; kind < 2; kind++) {
        Text text = {0};
        if (kind == 0)
            pair_write(&pair, &text);
        else
            record_write_head(&head, &text);
        for (size_t i = 0; i < text.length; i++) {
            char kept = text.data[i];
            for (const char *c = INSTEAD; *c; c++) {
                text.data[i] = *c;
                expect_whole_or_refused(text.data);
            }
            text.data[i] = kept;
        }
        text_free(&text);
    }
    pair_free(&pair);
    record_free_head(&head);
}
END_TEST

/* ---- Commits on the web ---- */

static const struct {
    const char *web, *page, *difference;
} HOSTS[] = {
    {"https://github.com/me/engine", "https://github.com/me/engine/commit/d2",
     "https://github.com/me/engine/compare/b1...d2"},
    {"https://codeberg.org/gitlab/engine", "https://codeberg.org/gitlab/engine/commit/d2",
     "https://codeberg.org/gitlab/engine/compare/b1...d2"},
    {"https://gitlab.com/me/engine", "https://gitlab.com/me/engine/-/commit/d2",
     "https://gitlab.com/me/engine/-/compare/b1...d2"},
    {"javascript:alert(1)", NULL, NULL},
    {NULL, NULL, NULL},
};

START_TEST(commits_have_the_pages_that_their_host_gives_them) {
    char *web = (char *)(uintptr_t)HOSTS[_i].web;
    RecordHead head = {.engines = {{.web = web, .commit = (char *)(uintptr_t) "d2"},
                                   {.web = web, .commit = (char *)(uintptr_t) "b1"}}};
    char *page = record_commit_page(&head.engines[SIDE_DEV]);
    char *difference = record_difference(&head);
    ck_assert_pstr_eq(page, HOSTS[_i].page);
    ck_assert_pstr_eq(difference, HOSTS[_i].difference);
    free(page);
    free(difference);
    head.engines[SIDE_DEV].commit = head.engines[SIDE_BASE].commit;
    ck_assert_ptr_null(record_difference(&head));
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, commits_have_the_pages_that_their_host_gives_them, 0, COUNT(HOSTS));
    tcase_add_test(tests, a_head_is_read_as_it_was_written);
    tcase_add_test(tests, a_long_number_keeps_its_digits);
    tcase_add_test(tests, an_older_head_has_one_margin_for_both_engines_and_no_notation);
    tcase_add_test(tests, the_unit_of_a_move_time_is_dropped);
    tcase_add_test(tests, a_tuning_that_nobody_can_play_is_refused);
    tcase_add_test(tests, settings_for_reports_lack_programs_and_repositories);
    tcase_add_test(tests, a_pair_is_read_as_it_was_written);
    tcase_add_test(tests, the_first_setting_that_differs_is_named);
    tcase_add_test(tests, a_match_of_another_setting_does_not_go_on);
    tcase_add_test(tests, an_engine_that_differs_is_told_in_words);
    tcase_add_test(tests, the_model_of_the_bounds_is_kept);
    tcase_add_test(tests, runs_add_up_to_the_time_of_a_match);
    tcase_add_test(tests, what_is_no_record_is_refused_by_name);
    tcase_add_test(tests, damaged_records_do_no_harm);
}

int main(void) {
    return run_tests("record", add_tests);
}
