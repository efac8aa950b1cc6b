/* SPDX-License-Identifier: MIT */
/* What becomes of batches whose marks do not fit on the disk: each game counts once, whatever the
 * journals have taken, and a disk with room again holds nothing up. RD_DEEP makes a long run of the
 * last test, RD_SEED another one. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/count.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "runner.h"
#include "session/items.h"
#include "session/outbox.h"
#include "session/parcel.h"
#include "tools/openbench_double.h"
#include "tools/outbox_rig.h"
#include "tools/random.h"
#include "tools/worker_rig.h"

/* Two journals of earlier processes. */
#define FIRST "state/outbox/5-2-00001.journal"
#define SECOND "state/outbox/5-2-00002.journal"

/* Bytes by which a journal is made longer: more than the marks of several batches. */
enum { LONGER = 4000 };

/* ---- The disk ---- */

static rlim_t size_of(const char *name) {
    char *path = rig_path(name);
    struct stat info = {0};
    ck_assert_msg(stat(path, &info) == 0, "%s is not there", path);
    free(path);
    return (rlim_t)info.st_size;
}

/* The bytes of a batch's mark in a journal, but for the checksum. */
static rlim_t size_of_mark(bool numbered) {
    const BatchMark mark = mark_of(numbered ? NUMBER : "", 0, 2);
    Text record = {0};
    parcel_write_batch(&mark, &record);
    rlim_t size = record.length;
    text_free(&record);
    return size;
}

static bool limit_files(rlim_t size) {
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = size == RLIM_INFINITY ? limit.rlim_max : size;
    return setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

/* From now on no file of this process grows beyond so many bytes. Check's own file of passed
 * assertions is limited too, so nothing is asserted before the disk has room again. */
static void fill_the_disk(rlim_t size) {
    signal(SIGXFSZ, SIG_IGN);
    limit_files(size);
}

static void make_room(void) {
    bool done = limit_files(RLIM_INFINITY);
    ck_assert(done);
}

/* Appends a record without a meaning to a journal. */
static void lengthen(const char *name) {
    Text record = {0};
    text_addf(&record, "{\"kind\":\"longer\",\"text\":\"%*s\"}", LONGER, "");
    add_record(name, &record);
    text_free(&record);
}

/* Waits until the outbox has given up or has sent something. */
static void wait_for_a_batch(Own *own) {
    for (int i = 0; i < POLLS && !outbox_settled(own->outbox, false); i++) {
        if (double_count(rig_server, RESULTS) > 0)
            return;
        uv_run(&own->loop, UV_RUN_ONCE);
    }
}

static void wait_for_games(Own *own, int64_t games) {
    for (int i = 0; i < POLLS && own->delivered < games; i++)
        uv_run(&own->loop, UV_RUN_ONCE);
}

static void choose_server(Own *own, bool numbered) {
    if (numbered)
        meet_numbers(own);
}

/* ---- A batch of two journals ---- */

/* Leaves two journals of a batch. The disk has room for one mark of the first journal and for no
 * mark of the second, and the answer to whatever is sent is lost. */
static void mark_one_of_two_journals(Own *own, bool numbered) {
    choose_server(own, numbered);
    close_own(own);
    leave_parcel(own, FIRST, NULL);
    leave_parcel(own, SECOND, NULL);
    lengthen(SECOND);
    lose_a_batch(DOUBLE_AFTERWARDS);
    const rlim_t room = size_of(FIRST) + 3 * size_of_mark(numbered) / 2;
    open_own(own);
    fill_the_disk(room);
    wait_for_a_batch(own);
}

/* The first journal cannot leave the batch that its mark names, so nothing is sent. */
static void the_process_ends_while_a_mark_is_missing(Own *own, bool numbered) {
    mark_one_of_two_journals(own, numbered);
    size_t sent = double_count(rig_server, RESULTS);
    shut_own(own);
    make_room();
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(4);
    ck_assert_uint_eq(sent, 0);
}

static void a_mark_is_missing(Own *own) {
    the_process_ends_while_a_mark_is_missing(own, false);
}

static void a_mark_with_a_number_is_missing(Own *own) {
    the_process_ends_while_a_mark_is_missing(own, true);
}

/* The process goes on: the first journal takes another mark, and the second journal, which has no
 * mark, waits for the next start. */
static void the_disk_has_room_again(Own *own, bool numbered) {
    mark_one_of_two_journals(own, numbered);
    make_room();
    wait_for_games(own, 2);
    ck_assert_int_eq(own->delivered, 2);
    rig_expect_games(2);
    close_own(own);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(4);
}

static void room_for_a_mark(Own *own) {
    the_disk_has_room_again(own, false);
}

static void room_for_a_mark_with_a_number(Own *own) {
    the_disk_has_room_again(own, true);
}

/* The workload goes on while its journal holds up the row: the pair that the journal has not taken
 * is sent from memory, after the pairs of the journal. */
static void a_pair_comes_while_the_row_is_held_up(Own *own) {
    close_own(own);
    leave_parcel(own, FIRST, NULL);
    lengthen(FIRST);
    open_own(own);
    set_ready(own, false);
    OutboxItem *item = begin_parcel(own, 5, NULL);
    add_pair(own, item, 0);
    wait_until_waiting(own, 4);
    const rlim_t room = size_of(SECOND) + 3 * size_of_mark(false) / 2;
    fill_the_disk(room);
    set_ready(own, true);
    outbox_report(own->outbox, item);
    go_on(own);
    wait_for_a_batch(own);
    size_t sent = double_count(rig_server, RESULTS);
    add_pair(own, item, 1);
    make_room();
    end_parcel(own, item);
    wait_for_games(own, 4);
    rig_expect_games(4);
    close_own(own);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(6);
    ck_assert_uint_eq(sent, 0);
}

/* ---- An older batch ---- */

/* An earlier process has left a batch with a number, which the server never got. The server knows
 * no numbers for a while, so the batch's pairs are to be part of another batch; only the other
 * journal takes its mark. Later the server knows numbers again. */
static void an_old_number_comes_back(Own *own) {
    const BatchMark old = mark_of(OTHER, 0, 1);
    close_own(own);
    leave_parcel(own, FIRST, &old);
    leave_parcel(own, SECOND, NULL);
    lengthen(FIRST);
    lose_a_batch(DOUBLE_AFTERWARDS);
    const rlim_t room = size_of(FIRST);
    open_own(own);
    fill_the_disk(room);
    wait_for_a_batch(own);
    size_t sent = double_count(rig_server, RESULTS);
    shut_own(own);
    make_room();
    open_own(own);
    meet_numbers(own);
    wait_until_empty(own);
    rig_expect_games(4);
    ck_assert_uint_eq(sent, 0);
}

static bool has_mark(const char *name) {
    char *path = rig_path(name);
    Text bytes = {0};
    Error err = {0};
    bool has = file_read(path, FILE_LIMIT, &bytes, &err) &&
               strstr(text_string(&bytes), "\"kind\":\"batch\"") != NULL;
    text_free(&bytes);
    free(path);
    return has;
}

/* The disk takes the mark of a batch, but no other mark after the server has refused the batch: the
 * batch is sent again as it was, without the pairs of another journal. */
static void a_refused_batch_keeps_its_mark(Own *own) {
    refuse(1);
    deliver(own, 5);
    for (int i = 0; i < POLLS && !has_mark(FIRST); i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    const rlim_t room = size_of(FIRST);
    fill_the_disk(room);
    deliver(own, 5);
    wait_for_games(own, 2);
    shut_own(own);
    make_room();
    ck_assert(own->closed);
    ck_assert_int_eq(own->refused, 5);
    rig_expect_field(RESULTS, 1, "pentanomial", "0 0 0 1 0");
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(4);
}

/* The journal of an older batch could not be cut back after a refused mark, which may be in it: the
 * batch is not sent again as it was. */
static void a_refused_mark_may_be_on_the_disk(Own *own) {
    const BatchMark old = mark_of("", 0, 1);
    close_own(own);
    leave_parcel(own, FIRST, &old);
    leave_parcel(own, SECOND, NULL);
    open_own(own);
    for (OutboxItem *item = own->outbox->items; item; item = item->next)
        item->stored.journal.spoilt = item->stored.parcel.sending;
    for (int i = 0; i < POLLS && !own->outbox->counts->held; i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    ck_assert(own->outbox->counts->held);
    size_t sent = double_count(rig_server, RESULTS);
    shut_own(own);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(4);
    ck_assert_uint_eq(sent, 0);
}

/* ---- No journal at all ---- */

/* The disk takes nothing, and the server nothing at first. */
static void pairs_in_memory_are_refused(Own *own) {
    fill_the_disk(0);
    refuse(1);
    deliver(own, 5);
    wait_for_games(own, 2);
    make_room();
    ck_assert_int_eq(own->refused, 5);
    rig_expect_games(2);
}

static void (*const scenarios[])(Own *own) = {a_mark_is_missing,
                                              a_mark_with_a_number_is_missing,
                                              room_for_a_mark,
                                              room_for_a_mark_with_a_number,
                                              a_pair_comes_while_the_row_is_held_up,
                                              an_old_number_comes_back,
                                              a_refused_batch_keeps_its_mark,
                                              a_refused_mark_may_be_on_the_disk,
                                              pairs_in_memory_are_refused};

START_TEST(a_full_disk_counts_each_game_once) {
    with_own_outbox(scenarios[_i]);
}
END_TEST

/* ---- At random ---- */

/* Each pair of a test has a delta of its own, a power of four. The sum of the deltas that the
 * server has added tells by its digits how often the server has added each pair. */
enum {
    PAIRS = 24,
    DIGIT_BITS = 2, /* A digit counts to three. */
    DIGIT_MASK = (1 << DIGIT_BITS) - 1,
    PARCELS = 3, /* At a time. */
    TESTS = 3,
    DEEP_TESTS = 1000,
    FIRST_TEST = 10,
    TROUBLES = 25, /* Of a hundred requests. */
    ROOM = 3000,   /* Bytes of a file, at most, while the disk is full. */
    TURNS = 12,
    STEPS = 80,
    DEEP_SECONDS = 7200
};

typedef struct {
    Own *own;
    int64_t test_id;
    int made; /* Pairs. */
    OutboxItem *items[PARCELS];
    bool kept[PAIRS];   /* The pair was in a journal when a process ended. */
    bool parked[PAIRS]; /* The pair's journal was put aside. */
} Chaos;

static uint64_t random_state;

static uint64_t seed(void) {
    return seed_or(2);
}

/* Adds a pair to a parcel, which may be a new one, or ends the parcel. */
static void play_on(Chaos *chaos) {
    OutboxItem **item = &chaos->items[roll(&random_state, PARCELS)];
    if (*item && roll(&random_state, 3) == 0) {
        end_parcel(chaos->own, *item);
        *item = NULL;
    } else if (chaos->made < PAIRS) {
        PairResult pair = {.index = chaos->made,
                           .games = {{.dev_points = roll(&random_state, 3)},
                                     {.dev_points = roll(&random_state, 3)}}};
        pair.deltas.items = mem_calloc(1, sizeof *pair.deltas.items);
        pair.deltas.items[0] = (double)((int64_t)1 << DIGIT_BITS * chaos->made++);
        pair.deltas.count = 1;
        if (!*item)
            *item = begin_parcel(chaos->own, chaos->test_id, NULL);
        outbox_add(*item, &pair);
        outbox_report(chaos->own->outbox, *item);
        go_on(chaos->own);
    }
}

static bool keep_pair(const char *record, size_t length, void *user, Error *err) {
    bool *pairs = user;
    char *line = mem_strndup(record, length);
    cJSON *object = json_parse(line, length, err);
    const cJSON *index = cJSON_GetObjectItemCaseSensitive(object, "pair");
    if (index && index->valueint < PAIRS)
        pairs[index->valueint] = true;
    cJSON_Delete(object);
    free(line);
    return true;
}

/* Notes the pairs of parked journals, and removes these journals. */
static void note_parked(Chaos *chaos) {
    rig_journals("state/outbox/parked", keep_pair, chaos->parked);
    for (char *file; (file = find_journal("state/outbox/parked")); free(file))
        ck_assert_int_eq(unlink(file), 0);
}

/* The process ends, and another one begins, which may be one that knows no numbers. */
static void restart(Chaos *chaos, bool knows) {
    shut_own(chaos->own);
    make_room();
    memset(chaos->items, 0, sizeof chaos->items);
    rig_journals("state/outbox", keep_pair, chaos->kept);
    choose_knowledge(chaos->own, knows);
    open_own(chaos->own);
}

static void do_something(Chaos *chaos, bool numbered) {
    switch (roll(&random_state, 6)) {
    case 0:
        fill_the_disk((rlim_t)roll(&random_state, ROOM));
        break;
    case 1:
        limit_files(RLIM_INFINITY);
        break;
    case 2:
        if (roll(&random_state, 3) == 0)
            restart(chaos, numbered && roll(&random_state, 3));
        break;
    default:
        play_on(chaos);
    }
    for (int turns = roll(&random_state, TURNS); turns > 0; turns--)
        uv_run(&chaos->own->loop, UV_RUN_ONCE);
}

static void expect_each_pair_once(const Chaos *chaos) {
    DoubleRow row;
    int64_t sum = 0;
    for (size_t i = 0; double_row(rig_server, i, &row); i++)
        if (row.test_id == chaos->test_id)
            sum += (int64_t)(row.totals.delta + row.lost.delta);
    for (int i = 0; i < chaos->made; i++, sum >>= DIGIT_BITS) {
        const int times = (int)(sum & DIGIT_MASK);
        bool may_miss = !chaos->kept[i] || chaos->parked[i];
        ck_assert_msg(times == 1 || (times == 0 && may_miss),
                      "seed %" PRIu64 ", test %" PRId64 ": the server added pair %d %d times%s",
                      seed(), chaos->test_id, i, times, chaos->kept[i] ? "; a journal had it" : "");
    }
    ck_assert_int_eq(sum, 0);
}

static void play_a_test(Own *own, int64_t test_id, bool numbered) {
    Chaos chaos = {.own = own, .test_id = test_id};
    double_trouble(rig_server, seed() + (uint64_t)test_id, TROUBLES);
    for (int i = 0; i < STEPS; i++)
        do_something(&chaos, numbered);
    make_room();
    double_trouble(rig_server, 0, 0);
    restart(&chaos, numbered);
    wait_until_empty(own);
    note_parked(&chaos);
    expect_each_pair_once(&chaos);
}

/* The disk fills up and gets room again, processes end, and the server loses requests and answers.
 * A pair that no journal could take may be missing. So may a pair whose journal was parked: the
 * full disk refused the note that a batch was added, the server lost the row's update, and later
 * batches hid the batch among the counts (session/counts.h, rule 4). No other may be missing. */
static void anything_happens(Own *own, bool numbered) {
    const int tests = getenv("RD_DEEP") ? DEEP_TESTS : TESTS;
    random_state = seed() * 2 + 1;
    uv_timer_set_repeat(&own->tick, 1);
    choose_server(own, numbered);
    for (int i = 0; i < tests; i++)
        play_a_test(own, FIRST_TEST + i, numbered);
}

static void anything_happens_without_numbers(Own *own) {
    anything_happens(own, false);
}

static void anything_happens_with_numbers(Own *own) {
    anything_happens(own, true);
}

static void (*const chances[])(Own *own) = {anything_happens_without_numbers,
                                            anything_happens_with_numbers};

START_TEST(a_disk_that_is_full_at_any_moment_counts_no_pair_twice) {
    with_own_outbox(chances[_i]);
}
END_TEST

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    if (!rig_ready("no_room"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("no_room");
    TCase *tc = rig_case(suite, "marks");
    tcase_add_loop_test(tc, a_full_disk_counts_each_game_once, 0, COUNT(scenarios));
    tc = rig_case(suite, "at random");
    tcase_set_timeout(tc, DEEP_SECONDS);
    tcase_add_loop_test(tc, a_disk_that_is_full_at_any_moment_counts_no_pair_twice, 0,
                        COUNT(chances));
    return run_suite(suite);
}
