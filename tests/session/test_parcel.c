/* SPDX-License-Identifier: MIT */
/* A parcel of results by its records alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "session/parcel.h"
#include "runner.h"

static const char HEAD[] =
    "{\"kind\":\"head\",\"version\":1,\"created\":1,\"server\":\"http://s/"
    "\",\"user\":\"u\",\"host\":\"h\",\"test\":5,"
    "\"machine\":2,\"result\":105,\"book_index\":1,\"type\":\"SPSA\",\"dev\":\"d\",\"base\":\"b\","
    "\"reporting\":\"\",\"upload_pgns\":\"FALSE\"}";

static void take(Parcel *parcel, const char *record) {
    Error err = {0};
    ck_assert_msg(parcel_take_record(parcel, record, strlen(record), NULL, &err), "%s: %s", record,
                  err.text);
}

/* Takes the next pair. */
static void take_pair(Parcel *parcel, int points, int reply, double delta) {
    PairResult pair = {.index = parcel->pairs,
                       .deltas = {.items = &delta, .count = 1},
                       .games = {{.dev_points = points}, {.dev_points = reply}}};
    if (points != 1)
        pair.games[0].ending = ENDING_DISCONNECT;
    Text record = {0};
    pair_write(&pair, &record);
    take(parcel, text_string(&record));
    text_free(&record);
}

START_TEST(a_parcel_is_what_its_records_say) {
    Parcel parcel = {0};
    Text deltas = {0};
    Text record = {0};
    take(&parcel, HEAD);
    take_pair(&parcel, 2, 1, 0.25);
    take_pair(&parcel, 0, 0, -0.5);
    const BatchMark mark = {
        .before = {.row = {{1, 2, 3, 4, 5}}, .share = {{2, 2, 3, 4, 5}}, .has_share = true},
        .sum = {{1, 0, 0, 2, 0}},
        .number = "00112233445566778899aabbccddeeff",
        .at = 1700000000};
    parcel_write_batch(&mark, &record);
    take(&parcel, text_string(&record));
    take_pair(&parcel, 2, 2, 1);
    ck_assert(parcel.sending);
    ck_assert(parcel.mark.before.has_share);
    ck_assert_mem_eq(&parcel.mark.before.row, &mark.before.row, sizeof(Penta));
    ck_assert_mem_eq(&parcel.mark.before.share, &mark.before.share, sizeof(Penta));
    ck_assert_mem_eq(&parcel.mark.sum, &mark.sum, sizeof(Penta));
    ck_assert_str_eq(parcel.mark.number, mark.number);
    ck_assert_int_eq(parcel.mark.at, mark.at);
    ck_assert_int_eq(tally_games(&parcel.batch.tally), 4);
    ck_assert_int_eq(parcel.batch.tally.crashes, 2);
    ck_assert_int_eq(tally_games(&parcel.waiting.tally), 2);
    parcel_write_deltas(&parcel.batch, &deltas);
    ck_assert_str_eq(text_string(&deltas), "[-0.25]");
    take(&parcel, "{\"kind\":\"withdrawn\"}");
    ck_assert(!parcel.sending);
    ck_assert_int_eq(tally_games(&parcel.waiting.tally), 6);
    take(&parcel, text_string(&record));
    ck_assert_int_eq(tally_games(&parcel.batch.tally), 6);
    take(&parcel, "{\"kind\":\"something later\"}");
    take(&parcel, "{\"kind\":\"added\"}");
    ck_assert(!parcel.sending);
    ck_assert_int_eq(tally_games(&parcel.waiting.tally), 0);
    take_pair(&parcel, 1, 1, 0);
    take(&parcel, "{\"kind\":\"over\"}");
    ck_assert_int_eq(tally_games(&parcel.waiting.tally), 0);
    ck_assert_int_eq(parcel.pairs, 4);
    parcel_free(&parcel);
    text_free(&record);
    text_free(&deltas);
}
END_TEST

START_TEST(a_parcel_waits_for_its_benches) {
    static const ParcelBench benches[] = {{"aa", 1}, {"bb", 2}, {"cc", 1}};
    Parcel parcel = {0};
    Text records[] = {{0}, {0}};
    Error err = {0};
    take(&parcel, HEAD);
    for (int i = 0; i < 2; i++) {
        parcel_write_bench("unproved", &benches[i], &records[i]);
        take(&parcel, text_string(&records[i]));
        take(&parcel, text_string(&records[i])); /* dev and base may be one */
    }
    ck_assert_uint_eq(parcel.unproved_count, 2);
    ck_assert(!parcel_unproved(&parcel, &benches[2]));
    take_pair(&parcel, 2, 1, 0);
    ck_assert(!parcel_proved(&parcel, &(ParcelBench){"aa", 2}));
    ck_assert(!parcel_proved(&parcel, &(ParcelBench){"bb", 1}));
    take(&parcel, "{\"kind\":\"proved\",\"sha256\":\"aa\",\"bench\":1}");
    ck_assert_uint_eq(parcel.unproved_count, 1);
    ck_assert_str_eq(parcel.unproved[0].sha256, "bb");
    ck_assert_int_eq(tally_games(&parcel.waiting.tally), 2);
    take(&parcel, "{\"kind\":\"dropped\"}");
    static const char pair[] =
        "{\"kind\":\"pair\",\"pair\":1,\"points\":2,\"reply\":2,\"crashes\":0,\"timelosses\":0,"
        "\"illegals\":0,\"deltas\":[],\"pgn\":\"x\"}";
    take(&parcel, pair);
    ck_assert(parcel.over && parcel.dropped && !parcel.has_games);
    ck_assert_int_eq(tally_games(&parcel.waiting.tally), 0);
    ck_assert(!parcel_take_record(&parcel, "{\"kind\":\"unproved\"}", 19, NULL, &err));
    text_free(&records[0]);
    text_free(&records[1]);
    parcel_free(&parcel);
}
END_TEST

START_TEST(a_fault_counts_until_something_is_taken) {
    Parcel parcel = {0};
    take(&parcel, HEAD);
    take(&parcel, "{\"kind\":\"failing\",\"at\":7,\"words\":\"status 500\"}");
    ck_assert_int_eq(parcel.failing.at, 7);
    ck_assert_ptr_null(parcel.refusal.words);
    parcel_make_batch(&parcel, &(BatchMark){0});
    ck_assert_ptr_null(parcel.failing.words);
    parcel_failing(&parcel, 8, "status 502");
    parcel_added(&parcel);
    ck_assert_ptr_null(parcel.failing.words);
    parcel_free(&parcel);
}
END_TEST

START_TEST(a_parcel_that_is_taken_up_again_begins_anew) {
    Parcel parcel = {0};
    Text record = {0};
    take(&parcel, HEAD);
    take(&parcel, "{\"kind\":\"refused\",\"at\":7,\"words\":\"no\"}");
    take(&parcel, "{\"kind\":\"failing\",\"at\":8,\"words\":\"status 500\"}");
    take(&parcel, "{\"kind\":\"parked\"}");
    take_pair(&parcel, 2, 1, 0); /* one that was in play */
    ck_assert(parcel.parked);
    parcel_write_resumed(9, &record);
    take(&parcel, text_string(&record));
    ck_assert(!parcel.parked);
    ck_assert_int_eq(parcel.resumed, 9);
    ck_assert_ptr_null(parcel.refusal.words);
    ck_assert_ptr_null(parcel.failing.words);
    ck_assert_int_eq(tally_games(&parcel.waiting.tally), 2);
    text_free(&record);
    parcel_free(&parcel);
}
END_TEST

static const struct {
    const char *record, *words;
} wrong[] = {
    {"{\"kind\":\"pair\"}", "does not belong to a workload's results"},
    {"{\"kind\":\"head\",\"version\":4}", "is of version 4; this program reads versions up to 3"},
    {"{\"kind\":\"head\",\"version\":0}", "is of version 0; this program reads versions up to 3"},
    {"{\"kind\":\"head\"}", "head.version is missing"},
    {"{\"kind\":\"head\",\"version\":1}", "head.created is missing"},
    {"[1]", "does not belong to a workload's results"},
    {"{\"kind\"", "not JSON"},
};

START_TEST(a_first_record_that_is_wrong_is_named) {
    Parcel parcel = {0};
    Error err = {0};
    ck_assert(!parcel_take_record(&parcel, wrong[_i].record, strlen(wrong[_i].record), NULL, &err));
    ck_assert_msg(strstr(err.text, wrong[_i].words) != NULL, "%s", err.text);
    parcel_free(&parcel);
}
END_TEST

/* A pair of each number counts once, whatever comes between its records. */
START_TEST(a_pair_counts_once_by_its_number) {
    static const char pair[] =
        "{\"kind\":\"pair\",\"pair\":70000,\"points\":2,\"reply\":2,\"crashes\":0,"
        "\"timelosses\":0,\"illegals\":0,\"deltas\":[0.5],\"pgn\":\"x\"}";
    Parcel parcel = {0};
    Text pgn = {0};
    Error err = {0};
    take(&parcel, HEAD);
    for (int i = 0; i < 2; i++) {
        ck_assert(parcel_take_record(&parcel, pair, sizeof pair - 1, &pgn, &err));
        take(&parcel, "{\"kind\":\"batch\",\"before\":[0,0,0,0,0]}");
        take(&parcel, "{\"kind\":\"added\"}");
    }
    take(&parcel, pair);
    take_pair(&parcel, 0, 0, 1);
    ck_assert_int_eq(parcel.pairs, 2);
    ck_assert_str_eq(text_string(&pgn), "x");
    ck_assert_int_eq(tally_games(&parcel.waiting.tally), 2);
    ck_assert_int_eq(parcel.waiting.tally.losses, 2);
    static const char wild[] =
        "{\"kind\":\"pair\",\"pair\":99999999999,\"points\":2,\"reply\":2,\"crashes\":0,"
        "\"timelosses\":0,\"illegals\":0,\"deltas\":[]}";
    ck_assert(!parcel_take_record(&parcel, wild, sizeof wild - 1, NULL, &err));
    ck_assert_str_eq(err.text, "pair: no workload has a pair of this number");
    parcel_free(&parcel);
    text_free(&pgn);
}
END_TEST

START_TEST(a_later_batch_takes_the_place_of_one_that_was_not_added) {
    Parcel parcel = {0};
    take(&parcel, HEAD);
    take_pair(&parcel, 2, 2, 1);
    take(&parcel, "{\"kind\":\"batch\",\"before\":[0,0,0,0,0],\"sum\":[0,0,0,0,3]}");
    take_pair(&parcel, 0, 0, 1);
    take(&parcel, "{\"kind\":\"batch\",\"before\":[0,0,0,0,7],\"sum\":[1,0,0,0,3]}");
    ck_assert_int_eq(tally_games(&parcel.batch.tally), 4);
    ck_assert_int_eq(tally_games(&parcel.waiting.tally), 0);
    ck_assert_int_eq(parcel.mark.before.row.n[4], 7);
    ck_assert_int_eq(parcel.mark.sum.n[0], 1);
    ck_assert(!parcel.mark.before.has_share);
    parcel_free(&parcel);
}
END_TEST

START_TEST(a_batch_has_a_number_and_a_time_or_none) {
    static const struct {
        const char *fields, *wrong; /* NULL: nothing is. */
    } cases[] = {
        {"\"number\":\"0123456789abcdef0123456789abcdef\",\"at\":1700000000", NULL},
        {"\"number\":\"0123456789abcdef\",\"at\":1700000000",
         "batch: expected a number of 32 hexadecimal digits"},
        {"\"number\":\"0123456789abcdef0123456789abcde&\",\"at\":1700000000",
         "batch: expected a number of 32 hexadecimal digits"},
        {"\"number\":\"0123456789abcdef0123456789abcdef\",\"at\":-1",
         "batch: the time lies before 1970"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Parcel parcel = {0};
        Error err = {0};
        char record[256];
        int length = snprintf(record, sizeof record,
                              "{\"kind\":\"batch\",\"before\":[0,0,0,0,0],%s}", cases[i].fields);
        take(&parcel, HEAD);
        bool taken = parcel_take_record(&parcel, record, (size_t)length, NULL, &err);
        ck_assert_str_eq(err.text, cases[i].wrong ? cases[i].wrong : "");
        ck_assert_int_eq(taken, cases[i].wrong == NULL);
        parcel_free(&parcel);
    }
}
END_TEST

/* Version 2 wrote no sum: each batch was a submission of its own. */
START_TEST(an_older_batch_is_its_own_sum) {
    Parcel parcel = {0};
    take(&parcel, HEAD);
    take_pair(&parcel, 2, 1, 1);
    take(&parcel, "{\"kind\":\"batch\",\"before\":[0,0,0,0,0]}");
    ck_assert_int_eq(parcel.mark.sum.n[3], 1);
    ck_assert_int_eq(penta_pairs(&parcel.mark.sum), 1);
    parcel_free(&parcel);
}
END_TEST

START_TEST(heads_tell_parcels_apart) {
    Parcel a = {0};
    Parcel b = {0};
    take(&a, HEAD);
    take(&b, HEAD);
    ck_assert(parcel_is_same(&a.head, &b.head));
    b.head.id = parcel_new_id();
    ck_assert(!parcel_is_same(&a.head, &b.head));
    a.head.id = parcel_new_id();
    ck_assert_str_ne(a.head.id, b.head.id);
    ck_assert(!parcel_is_same(&a.head, &b.head));
    parcel_free(&a);
    parcel_free(&b);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("parcel");
    TCase *pure = tcase_create("parcel");
    tcase_add_test(pure, a_parcel_is_what_its_records_say);
    tcase_add_loop_test(pure, a_first_record_that_is_wrong_is_named, 0, COUNT(wrong));
    tcase_add_test(pure, a_pair_counts_once_by_its_number);
    tcase_add_test(pure, a_later_batch_takes_the_place_of_one_that_was_not_added);
    tcase_add_test(pure, a_batch_has_a_number_and_a_time_or_none);
    tcase_add_test(pure, an_older_batch_is_its_own_sum);
    tcase_add_test(pure, heads_tell_parcels_apart);
    tcase_add_test(pure, a_parcel_waits_for_its_benches);
    tcase_add_test(pure, a_fault_counts_until_something_is_taken);
    tcase_add_test(pure, a_parcel_that_is_taken_up_again_begins_anew);
    suite_add_tcase(suite, pure);
    return run_suite(suite);
}
