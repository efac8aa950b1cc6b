/* SPDX-License-Identifier: MIT */
/* Games and pairs: the words of every ending, the record of a pair, and the records of older
 * versions. */
#include <check.h>
#include <string.h>

#include "base/memory.h"
#include "results/pair.h"
#include "runner.h"

static bool read_pair(const char *record, PairResult *pair, Error *err) {
    cJSON *object = json_parse(record, strlen(record), err);
    bool ok = object != NULL && pair_read(object, pair, err);
    cJSON_Delete(object);
    return ok;
}

static void expect_read(const char *record, PairResult *pair) {
    Error err = {0};
    ck_assert_msg(read_pair(record, pair, &err), "%s: %s", err.text, record);
}

START_TEST(every_ending_is_told_by_its_words) {
    static const char *const COLORS[] = {"White", "Black"};
    for (int i = ENDING_UNKNOWN + 1; i < ENDING_COUNT; i++) {
        for (int color = 0; color < 2; color++) {
            Text words = {0};
            Text detail = {0};
            ending_write((Ending)i, COLORS[color], "12", &words);
            ck_assert_int_eq(ending_read(text_string(&words), &detail), i);
            bool has_detail = i == ENDING_TIME_LOSS || i == ENDING_ILLEGAL_MOVE;
            ck_assert_str_eq(text_string(&detail), has_detail ? "12" : "");
            text_free(&words);
            text_free(&detail);
        }
        ck_assert_int_eq(ending_named(ending_name((Ending)i)), i);
        ck_assert_str_ne(ending_termination((Ending)i), "");
    }
    Text detail = {0};
    ck_assert_int_eq(ending_read("White resigns", &detail), ENDING_UNKNOWN);
    ck_assert_int_eq(ending_read("Draw by stalemate?", &detail), ENDING_UNKNOWN);
    ck_assert_int_eq(ending_read(" mates", &detail), ENDING_UNKNOWN);
    ck_assert_int_eq(ending_named("of a later version"), ENDING_UNKNOWN);
    text_free(&detail);
}
END_TEST

START_TEST(the_words_name_the_winner_and_with_a_fault_the_loser) {
    static const struct {
        GameResult game;
        const char *words, *score;
    } CASES[] = {
        {{.white = SIDE_DEV, .dev_points = 2, .ending = ENDING_MATE}, "White mates", "1-0"},
        {{.white = SIDE_BASE, .dev_points = 2, .ending = ENDING_MATE}, "Black mates", "0-1"},
        {{.white = SIDE_DEV, .dev_points = 0, .ending = ENDING_STALL},
         "White's connection stalls",
         "0-1"},
        {{.white = SIDE_BASE, .dev_points = 0, .ending = ENDING_DISCONNECT},
         "Black disconnects",
         "1-0"},
        {{.white = SIDE_BASE, .dev_points = 1, .ending = ENDING_TABLE_DRAW},
         "Draw by adjudication: SyzygyTB",
         "1/2-1/2"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Text words = {0};
        game_write_ending(&CASES[i].game, &words);
        ck_assert_str_eq(text_string(&words), CASES[i].words);
        ck_assert_str_eq(game_score(&CASES[i].game), CASES[i].score);
        text_free(&words);
    }
}
END_TEST

START_TEST(a_fault_is_counted_by_its_kind) {
    for (int i = ENDING_UNKNOWN + 1; i < ENDING_COUNT; i++) {
        const PairResult pair = {.games = {{.ending = (Ending)i}, {.ending = ENDING_MATE}}};
        Tally tally = pair_tally(&pair);
        Fault fault = ending_fault((Ending)i);
        ck_assert_int_eq(tally.crashes, fault == FAULT_CRASH);
        ck_assert_int_eq(tally.timelosses, fault == FAULT_TIME_LOSS);
        ck_assert_int_eq(tally.illegals, fault == FAULT_ILLEGAL);
    }
    ck_assert_int_eq(ending_fault(ENDING_ILLEGAL_MOVE), FAULT_ILLEGAL);
    ck_assert_int_eq(ending_fault(ENDING_MATE), FAULT_NONE);
}
END_TEST

#define OLD_PARTS                                                                                  \
    "\"dev\":{\"moves\":1,\"ms\":2,\"depths\":3,\"depth_moves\":4,\"nodes\":5,\"nodes_ns\":6},"    \
    "\"base\":{\"moves\":7,\"ms\":8,\"depths\":0,\"depth_moves\":0,\"nodes\":0,\"nodes_ns\":0},"

/* As the match runner wrote it before pairs had one record. */
START_TEST(a_pair_of_version_1_of_a_matchs_journal_is_read) {
    PairResult pair = {0};
    expect_read("{\"kind\":\"pair\",\"pair\":3,\"opening\":17,\"ended\":9,\"at_ms\":8,\"games\":["
                "{\"white\":\"dev\"," OLD_PARTS "\"result\":\"1-0\",\"dev_points\":2,"
                "\"termination\":\"normal\",\"reason\":\"White mates\",\"plies\":61},"
                "{\"white\":\"base\",\"fault\":\"timeloss\",\"fault_of\":\"dev\"," OLD_PARTS
                "\"result\":\"1-0\",\"dev_points\":0,\"termination\":\"time forfeit\","
                "\"reason\":\"Black loses on time (31ms overrun)\",\"plies\":40,\"pgn\":\"x\"}]}",
                &pair);
    ck_assert_int_eq(pair.index, 3);
    ck_assert_int_eq(pair.games[0].ending, ENDING_MATE);
    ck_assert_ptr_null(pair.games[0].detail);
    ck_assert_int_eq(pair.games[0].parts[SIDE_BASE].ms, 8);
    ck_assert_int_eq(pair.games[1].ending, ENDING_TIME_LOSS);
    ck_assert_str_eq(pair.games[1].detail, "31");
    ck_assert_int_eq(game_loser(&pair.games[1]), SIDE_DEV);
    Tally tally = pair_tally(&pair);
    ck_assert_int_eq(tally.wins, 1);
    ck_assert_int_eq(tally.losses, 1);
    ck_assert_int_eq(tally.timelosses, 1);
    ck_assert_int_eq(tally.plies, 101);
    pair_free(&pair);
}
END_TEST

/* As the worker wrote it before pairs had one record. */
START_TEST(a_pair_of_version_2_of_a_workers_journal_counts_as_it_did) {
    PairResult pair = {0};
    expect_read("{\"kind\":\"pair\",\"pair\":4,\"points\":0,\"reply\":2,\"crashes\":1,"
                "\"timelosses\":0,\"illegals\":1,\"deltas\":[0.5,-1],\"pgn\":\"both\"}",
                &pair);
    Tally tally = pair_tally(&pair);
    ck_assert_int_eq(tally.wins, 1);
    ck_assert_int_eq(tally.losses, 1);
    ck_assert_int_eq(tally.penta.n[2], 1);
    ck_assert_int_eq(tally.crashes, 1);
    ck_assert_int_eq(tally.timelosses, 0);
    ck_assert_int_eq(tally.illegals, 1);
    ck_assert_uint_eq(pair.deltas.count, 2);
    ck_assert_double_eq(pair.deltas.items[1], -1);
    ck_assert_str_eq(pair.games[0].pgn, "both");
    ck_assert_ptr_null(pair.games[1].pgn);
    pair_free(&pair);
}
END_TEST

START_TEST(a_record_has_deltas_only_of_a_tuning) {
    double items[] = {0.5, -1};
    PairResult pair = {.games = {{.ending = ENDING_MATE}, {.ending = ENDING_MATE}}};
    Text without = {0};
    Text with = {0};
    pair_write(&pair, &without);
    ck_assert_ptr_null(strstr(text_string(&without), "deltas"));
    pair.deltas = (RealList){.items = items, .count = 2};
    pair_write(&pair, &with);
    ck_assert_ptr_nonnull(strstr(text_string(&with), "\"deltas\":[0.5,-1]"));
    text_free(&without);
    text_free(&with);
}
END_TEST

START_TEST(a_pair_that_cannot_be_is_refused_by_name) {
    static const struct {
        const char *record, *words;
    } CASES[] = {
        {"{\"pair\":1,\"points\":3,\"reply\":0,\"crashes\":0,\"timelosses\":0,\"illegals\":0}",
         "the half points are 0, 1 or 2"},
        {"{\"pair\":1,\"points\":-1,\"reply\":0,\"crashes\":0,\"timelosses\":0,\"illegals\":0}",
         "the half points are 0, 1 or 2"},
        {"{\"pair\":1,\"points\":1,\"reply\":1,\"crashes\":1,\"timelosses\":0,\"illegals\":0}",
         "more faults than games that were lost"},
        {"{\"pair\":1,\"opening\":1,\"ended\":1,\"at_ms\":1,\"games\":[{\"points\":1,\"plies\":1,"
         "\"ending\":\"stall\"," OLD_PARTS "\"x\":1},{}]}",
         "the failing side has lost"},
        {"{\"pair\":1,\"opening\":1,\"ended\":1,\"at_ms\":1,\"games\":[{\"points\":1,\"plies\":1,"
         "\"ending\":\"a duel\"},{}]}",
         "\"a duel\" is not known"},
        {"{\"pair\":1,\"opening\":1,\"ended\":1,\"at_ms\":1,\"games\":[{\"points\":2,\"plies\":-1,"
         "\"ending\":\"mate\"," OLD_PARTS "\"x\":1},{}]}",
         "plies is at least 0"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        PairResult pair = {0};
        Error err = {0};
        ck_assert_msg(!read_pair(CASES[i].record, &pair, &err), "read: %s", CASES[i].record);
        ck_assert_msg(strstr(err.text, CASES[i].words) != NULL, "'%s' is not in '%s'",
                      CASES[i].words, err.text);
        pair_free(&pair);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, every_ending_is_told_by_its_words);
    tcase_add_test(tests, the_words_name_the_winner_and_with_a_fault_the_loser);
    tcase_add_test(tests, a_fault_is_counted_by_its_kind);
    tcase_add_test(tests, a_pair_of_version_1_of_a_matchs_journal_is_read);
    tcase_add_test(tests, a_pair_of_version_2_of_a_workers_journal_counts_as_it_did);
    tcase_add_test(tests, a_record_has_deltas_only_of_a_tuning);
    tcase_add_test(tests, a_pair_that_cannot_be_is_refused_by_name);
}

int main(void) {
    return run_tests("pair", add_tests);
}
