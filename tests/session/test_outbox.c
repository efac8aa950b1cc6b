/* SPDX-License-Identifier: MIT */
/* Results on their way: what becomes of a journal that is torn, damaged, somebody else's or too
 * new, of a disk that takes no more, and of a server that refuses, contradicts itself or is away.
 * Each is one line, and no game is lost or counted twice. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/journal.h"
#include "base/memory.h"
#include "base/tree.h"
#include "session/outbox.h"
#include "session/parcel.h"
#include "session/queue.h"
#include "tools/openbench_double.h"
#include "tools/worker_rig.h"
#include "runner.h"

enum { FILE_LIMIT = 1 << 24, POLLS = 12000, HOUR = 3600 };

#define RESULTS "/clientSubmitResults/"
#define COUNTS "/api/workload/5/results/"
#define TOTALS "/api/workload/5/info/"
static void nap(void) {
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* ---- The parcel alone ---- */

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
        .sum = {{1, 0, 0, 2, 0}}};
    parcel_write_batch(&mark, &record);
    take(&parcel, text_string(&record));
    take_pair(&parcel, 2, 2, 1);
    ck_assert(parcel.sending);
    ck_assert(parcel.mark.before.has_share);
    ck_assert_mem_eq(&parcel.mark.before.row, &mark.before.row, sizeof(Penta));
    ck_assert_mem_eq(&parcel.mark.before.share, &mark.before.share, sizeof(Penta));
    ck_assert_mem_eq(&parcel.mark.sum, &mark.sum, sizeof(Penta));
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
    {"{\"kind\":\"pair\"}", "is not that of a workload's results"},
    {"{\"kind\":\"head\",\"version\":4}", "is of version 4; this program reads versions up to 3"},
    {"{\"kind\":\"head\",\"version\":0}", "is of version 0; this program reads versions up to 3"},
    {"{\"kind\":\"head\"}", "head.version is missing"},
    {"{\"kind\":\"head\",\"version\":1}", "head.created is missing"},
    {"[1]", "is not that of a workload's results"},
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

/* ---- Journals of an earlier process ---- */

/* The only journal of a folder of the state's. Allocated; NULL: there is none. */
static char *find_journal(const char *folder) {
    char *path = rig_path(folder);
    DIR *dir = opendir(path);
    Text found = {0};
    for (const struct dirent *entry; dir && (entry = readdir(dir));) {
        const char *suffix = strrchr(entry->d_name, '.');
        if (suffix && strcmp(suffix, ".journal") == 0) {
            ck_assert_msg(found.length == 0, "two journals in %s", path);
            text_addf(&found, "%s/%s", path, entry->d_name);
        }
    }
    if (dir)
        closedir(dir);
    free(path);
    return found.length ? text_take(&found) : NULL;
}

/* Leaves the journal of a workload behind of which nothing was sent; how many games are in it. The
 * worker was killed. */
static int64_t leave_a_journal_of(const RigOffer *offer, const char *report_ms) {
    int64_t kept = 0;
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=2\",", "");
    rig_offer(offer);
    rig_start((const char *const[]){"--report-ms", report_ms, NULL});
    for (int i = 0; i < POLLS && kept < 10; i++, nap())
        kept = rig_kept_games();
    char *hold = rig_path("hold");
    /* Unless benches are held, the engines are proved: their speed is reported after that. */
    if (access(hold, F_OK) != 0)
        ck_assert(double_wait(rig_server, "/clientSubmitNPS/", 1, RIG_PATIENCE_S));
    free(hold);
    kill(rig_worker, SIGKILL);
    rig_wait();
    kept = rig_kept_games();
    ck_assert_int_ge(kept, 10);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
    return kept;
}

static int64_t leave_a_journal(void) {
    return leave_a_journal_of(&(RigOffer){.id = 5, .rounds = 100000}, "100000");
}

static void append(const char *path, const char *bytes) {
    FILE *file = fopen(path, "ab");
    ck_assert_ptr_nonnull(file);
    fputs(bytes, file);
    fclose(file);
}

START_TEST(a_torn_journal_gives_what_is_whole) {
    int64_t kept = leave_a_journal();
    char *path = find_journal("state/outbox");
    append(path, "{\"kind\":\"pair\",\"pair\":77,\"poi");
    /* A kill can leave this too. */
    Text unborn = {0};
    text_addf(&unborn, "%s.XyZ123", path);
    append(text_string(&unborn), "{");
    /* But not this. */
    Text aside = {0};
    text_addf(&aside, "%s.bad", path);
    append(text_string(&aside), "{");
    rig_run(rig_once, 0);
    rig_expect_games(kept);
    ck_assert_ptr_null(find_journal("state/outbox"));
    ck_assert_int_ne(access(text_string(&unborn), F_OK), 0);
    ck_assert_int_eq(access(text_string(&aside), F_OK), 0);
    text_free(&aside);
    text_free(&unborn);
    free(path);
}
END_TEST

/* What is done to a journal, and the line that it leads to. */
typedef struct {
    const char *from, *to, *line;
    bool seal; /* The checksum is made right again. */
} Change;

static const Change bad[] = {
    {"\"points\":", "\"pointz\":", "is damaged: its checksum does not match", false},
    {"\"version\":3,", "\"version\":9,", "is of version 9; this program reads versions up to 3",
     true},
    {"\"user\":\"tester\"", "\"user\":\"other\"", "games wait for http://127.0.0.1:", true},
    {"\"server\":\"http", "\"server\":\"HTTP", "a worker for that delivers them", true},
    {"\"kind\":\"head\"", "\"kind\":\"tail\"", "is not that of a workload's results", true},
    {"{", "", "is not a journal", false},
};

typedef struct {
    Journal journal;
    const char *path;
    const Change *change;
    int64_t records;
} Rewriting;

/* Copies the record, changed, as a first or a later one. */
static bool rewrite(const char *record, size_t length, void *user, Error *err) {
    static const char seal[] = ",\"crc\":";
    Rewriting *r = user;
    char *line = mem_strndup(record, length);
    char *end = line;
    for (char *next; (next = strstr(end + 1, seal));)
        end = next;
    Text text = {0};
    strcpy(end, "}");
    const char *from = r->change->from;
    const char *at = strstr(line, from);
    if (at && r->change->seal)
        text_addf(&text, "%.*s%s%s", (int)(at - line), line, r->change->to, at + strlen(from));
    else
        text_add(&text, line);
    free(line);
    bool ok = r->records++ == 0 ? journal_create(&r->journal, r->path, text.data, text.length, err)
                                : journal_append(&r->journal, text.data, text.length, err);
    text_free(&text);
    return ok;
}

static void spoil(const char *path, const Change *change) {
    Text copy = {0};
    Text bytes = {0};
    Error err = {0};
    text_addf(&copy, "%s.old", path);
    Rewriting r = {.path = path, .change = change};
    ck_assert_int_eq(rename(path, text_string(&copy)), 0);
    ck_assert_msg(journal_read(text_string(&copy), rewrite, &r, &err), "%s", err.text);
    journal_close(&r.journal);
    unlink(text_string(&copy));
    if (!change->seal) {
        ck_assert(file_read(path, FILE_LIMIT, &bytes, &err));
        char *at = strstr(bytes.data, change->from);
        ck_assert_ptr_nonnull(at);
        char *rest = at + strlen(change->from);
        memmove(at + strlen(change->to), rest, strlen(rest) + 1);
        memcpy(at, change->to, strlen(change->to));
        ck_assert(file_write_atomic(path, bytes.data, strlen(bytes.data), 0600, &err));
    }
    text_free(&copy);
    text_free(&bytes);
}

START_TEST(a_journal_that_cannot_be_taken_up_is_one_line_and_stays) {
    Text before = {0};
    Text after = {0};
    Error err = {0};
    leave_a_journal();
    char *path = find_journal("state/outbox");
    spoil(path, &bad[_i]);
    ck_assert(file_read(path, FILE_LIMIT, &before, &err));
    rig_offer(&(RigOffer){.id = 6});
    rig_run(rig_once, 0);
    rig_expect_log(bad[_i].line);
    rig_expect_games(16);
    ck_assert_msg(file_read(path, FILE_LIMIT, &after, &err), "%s", err.text);
    ck_assert_str_eq(text_string(&before), text_string(&after));
    text_free(&before);
    text_free(&after);
    free(path);
}
END_TEST

/* A state folder may move to another machine, but must not be used on both. */
START_TEST(a_journal_of_another_host_is_delivered_and_told) {
    static const Change host = {.from = "\"host\":\"", .to = "\"host\":\"not-", .seal = true};
    int64_t kept = leave_a_journal();
    char *path = find_journal("state/outbox");
    spoil(path, &host);
    rig_run(rig_once, 0);
    rig_expect_log("was written on not-");
    rig_expect_games(kept);
    free(path);
}
END_TEST

/* ---- Benches that were not proved yet ---- */

/* The same, of engines whose bench is still running, of a worker that would report at once. */
static int64_t leave_an_unproved_journal(int bench) {
    rig_hold_benches(true);
    return leave_a_journal_of(
        &(RigOffer){.id = 5, .rounds = 100000, .dev_bench = bench, .upload_pgns = "COMPACT"}, "10");
}

/* What the server has of a test. */
static int64_t games_of(int64_t test_id) {
    DoubleRow row;
    int64_t games = 0;
    for (size_t i = 0; double_row(rig_server, i, &row); i++)
        if (row.test_id == test_id)
            games += row.totals.tri[0] + row.totals.tri[1] + row.totals.tri[2];
    return games;
}

START_TEST(a_kill_before_the_bench_costs_no_pair) {
    int64_t kept = leave_an_unproved_journal(0);
    /* Nobody has work: it waits, and is not told. */
    rig_run(rig_once, 1);
    rig_expect_log("for the bench of their engines");
    rig_expect_log("for the next start");
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
    /* A workload of the same engines proves them, whatever test it is of. */
    rig_hold_benches(false);
    rig_offer(&(RigOffer){.id = 6});
    rig_run(rig_once, 0);
    ck_assert_int_eq(games_of(5), kept);
    rig_expect_games(kept + 16);
    ck_assert_uint_eq(double_count(rig_server, "/clientSubmitPGN/"), 1);
    ck_assert_ptr_null(find_journal("state/outbox"));
}
END_TEST

START_TEST(a_kill_between_the_bench_and_its_note_costs_no_pair) {
    int64_t kept = leave_an_unproved_journal(0);
    char *path = find_journal("state/outbox");
    char *away = rig_path("away");
    ck_assert_int_eq(rename(path, away), 0);
    rig_hold_benches(false);
    rig_offer(&(RigOffer){.id = 6});
    rig_run(rig_once, 0);
    rig_expect_games(16);
    ck_assert_int_eq(rename(away, path), 0);
    rig_run(rig_once, 0);
    rig_expect_games(16 + kept);
    free(path);
    free(away);
}
END_TEST

START_TEST(pairs_of_one_engine_are_not_proved_by_another) {
    leave_an_unproved_journal(0);
    rig_hold_benches(false);
    /* Other bytes, and the right engine with another bench asked of it. */
    rig_serve_engine("/dev2.zip", RIG_BENCH, "\"side=dev\", \"plan=50,20\",", "");
    Text url = {0};
    text_addf(&url, "%s/dev2.zip", double_url(rig_server));
    rig_offer(&(RigOffer){.id = 6, .dev_source = text_string(&url)});
    rig_run(rig_once, 1);
    rig_expect_games(16);
    ck_assert_int_eq(games_of(5), 0);
    char *path = find_journal("state/outbox");
    ck_assert_ptr_nonnull(path);
    free(path);
    text_free(&url);
}
END_TEST

START_TEST(pairs_that_wait_for_a_bench_end_with_their_test) {
    leave_an_unproved_journal(0);
    rig_hold_benches(false);
    rig_serve_engine("/dev2.zip", RIG_BENCH, "\"side=dev\", \"plan=50,20\",", "");
    Text url = {0};
    text_addf(&url, "%s/dev2.zip", double_url(rig_server));
    double_stop_at(rig_server, 1);
    rig_offer(&(RigOffer){.id = 5, .dev_source = text_string(&url), .book_index = 9});
    rig_run(rig_once, 0);
    rig_expect_log("test 5 is over");
    rig_expect_log("games came too late");
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 1);
    ck_assert_uint_eq(double_count(rig_server, "/clientSubmitPGN/"), 0);
    ck_assert_ptr_null(find_journal("state/outbox"));
    text_free(&url);
}
END_TEST

START_TEST(pairs_of_an_engine_that_is_found_wrong_are_dropped) {
    leave_an_unproved_journal(RIG_BENCH + 1);
    rig_hold_benches(false);
    rig_offer(&(RigOffer){.id = 5, .dev_bench = RIG_BENCH + 1, .time_control = "1+0.01"});
    rig_run(rig_once, 1);
    rig_expect_log("games of a wrong engine are dropped");
    ck_assert_uint_eq(double_count(rig_server, "/clientBenchError/"), 1);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
    ck_assert_uint_eq(double_count(rig_server, "/clientSubmitPGN/"), 0);
    ck_assert_ptr_null(find_journal("state/outbox"));
    ck_assert_ptr_null(find_journal("state/outbox/parked"));
}
END_TEST

START_TEST(pairs_that_nobody_proves_for_a_day_are_parked_until_somebody_does) {
    static const Change old = {
        .from = "\"created\":", .to = "\"created\":1000000000,\"was\":", .seal = true};
    int64_t kept = leave_an_unproved_journal(0);
    char *path = find_journal("state/outbox");
    spoil(path, &old);
    rig_run(rig_once, 0);
    rig_expect_log("games are parked: the bench of their engines was not proved since long");
    ck_assert_ptr_null(find_journal("state/outbox"));
    char *parked = find_journal("state/outbox/parked");
    ck_assert_ptr_nonnull(parked);
    rig_hold_benches(false);
    rig_offer(&(RigOffer){.id = 6});
    rig_run(rig_once, 0);
    rig_expect_games(16);
    ck_assert_int_eq(rename(parked, path), 0);
    rig_run(rig_once, 0);
    rig_expect_games(16 + kept);
    free(parked);
    free(path);
}
END_TEST

/* ---- The disk ---- */

START_TEST(an_outbox_that_is_no_folder_is_one_line) {
    char *state = rig_path("state");
    char *path = rig_path("state/outbox");
    Error err = {0};
    ck_assert(file_make_folders(state, &err));
    append(path, "x");
    rig_run(rig_once, 1);
    rig_expect_log("state/outbox");
    ck_assert_uint_eq(double_count(rig_server, "/clientVersionRef/"), 0);
    free(state);
    free(path);
}
END_TEST

/* Where no journal can be made the results go to the server all the same. */
START_TEST(a_journal_that_cannot_be_made_costs_no_game) {
    char *path = rig_path("state/outbox");
    rig_serve_dev();
    rig_start((const char *const[]){"--max-workloads", "1", NULL});
    ck_assert(double_wait(rig_server, "/clientGetWorkload/", 1, RIG_PATIENCE_S));
    ck_assert_int_eq(rmdir(path), 0);
    rig_offer(&(RigOffer){.id = 5});
    rig_expect_status(0);
    rig_expect_log("make room; until then its results go to the server from memory");
    rig_expect_games(16);
    free(path);
}
END_TEST

/* Has the worker run with files of so many blocks of 512 bytes at most. */
static void limit_files(int blocks) {
    char *path = rig_path("limited");
    Text script = {0};
    Error err = {0};
    text_addf(&script, "#!/bin/sh\ntrap '' XFSZ\nulimit -f %d\nexec '%s' \"$@\"\n", blocks,
              getenv("OBWORKER"));
    ck_assert(file_write_atomic(path, script.data, script.length, 0700, &err));
    setenv("OBWORKER", path, 1);
    text_free(&script);
    free(path);
}

/* What fits on the disk waits for the next start; what does not goes to the server. */
START_TEST(a_disk_that_is_full_costs_no_game) {
    char *worker = mem_strdup(getenv("OBWORKER"));
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5, .rounds = 2});
    rig_run(rig_once, 0);
    rig_expect_games(4);
    limit_files(40);
    rig_offer(&(RigOffer){.id = 6, .rounds = 300});
    rig_start((const char *const[]){"--once", "--report-ms", "100000", "--quiet", NULL});
    ck_assert_int_eq(rig_wait(), 1);
    rig_expect_log("File too large: make room; until then");
    rig_expect_log("are kept in ");
    int64_t kept = rig_kept_games();
    DoubleTotals t = double_totals(rig_server);
    ck_assert_int_gt(kept, 0);
    ck_assert_int_eq(t.tri[0] + t.tri[1] + t.tri[2], 4 + 600 - kept);
    setenv("OBWORKER", worker, 1);
    rig_run(rig_once, 0);
    rig_expect_games(4 + 600);
    free(worker);
}
END_TEST

/* ---- The server ---- */

static void refuse(int times) {
    for (int i = 0; i < times; i++)
        double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 200, "{\"error\": \"Not today\"}");
}

START_TEST(what_is_refused_waits_and_holds_up_nothing) {
    rig_serve_dev();
    refuse(1);
    rig_offer(&(RigOffer){.id = 5});
    rig_offer(&(RigOffer){.id = 6});
    rig_run((const char *const[]){"--once", "--report-ms", "100000", NULL}, 1);
    rig_expect_log("test 5: reporting results: the server refuses: Not today; 16 games are kept");
    rig_expect_games(16);
    rig_run(rig_once, 0);
    rig_expect_games(32);
}
END_TEST

/* What an earlier process played of two tests is reported before a workload of one of them is
 * played, of which nothing is reported before its end. */
START_TEST(a_line_about_a_test_counts_the_reported_games_of_that_test) {
    rig_serve_dev();
    refuse(2);
    rig_offer(&(RigOffer){.id = 5});
    rig_offer(&(RigOffer){.id = 6});
    rig_run((const char *const[]){"--once", "--report-ms", "100000", NULL}, 1);
    rig_start((const char *const[]){NULL});
    ck_assert(double_wait(rig_server, RESULTS, 4, RIG_PATIENCE_S));
    rig_offer(&(RigOffer){.id = 5, .reporting = "BULK"});
    rig_wait_log("test 5: 1 of 8 pairs played; ");
    rig_expect_log("test 5: 1 of 8 pairs played; 16 games reported\n");
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
}
END_TEST

START_TEST(what_is_refused_for_long_is_parked_and_can_be_tried_again) {
    rig_serve_dev();
    refuse(1000);
    rig_offer(&(RigOffer){.id = 5});
    rig_start((const char *const[]){"--report-ms", "100000", "--refused-ms", "20",
                                    "--refused-max-ms", "100", "--park-ms", "1", NULL});
    char *parked = NULL;
    for (int i = 0; i < POLLS && !parked; i++, nap())
        parked = find_journal("state/outbox/parked");
    ck_assert_ptr_nonnull(parked);
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    rig_expect_log("test 5: 16 games are parked: the server has refused them since long, lastly: "
                   "Not today; they stay in ");
    char *back = rig_path("state/outbox/back.journal");
    ck_assert_int_eq(rename(parked, back), 0);
    double_forgive(rig_server, RESULTS);
    rig_run(rig_once, 0);
    rig_expect_games(16);
    free(parked);
    free(back);
}
END_TEST

/* Totals of which nobody's row has anything. */
static const char strange[] = "{\"info\": {\"penta\": [99, 99, 99, 99, 99]}}";

START_TEST(counts_that_contradict_are_not_sent_over) {
    rig_serve_dev();
    double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 500, "<html>");
    rig_offer(&(RigOffer){.id = 5});
    rig_offer(&(RigOffer){.id = 6});
    rig_start(
        (const char *const[]){"--once", "--report-ms", "100000", "--verify-ms", "1000", NULL});
    ck_assert(double_wait(rig_server, RESULTS, 1, RIG_PATIENCE_S));
    double_serve(rig_server, TOTALS, "application/json", strange, sizeof strange - 1);
    rig_expect_status(0);
    rig_expect_log("16 games are parked: the server's counts fit neither with them nor without");
    char *parked = find_journal("state/outbox/parked");
    ck_assert_ptr_nonnull(parked);
    rig_expect_games(16);
    free(parked);
}
END_TEST

/* The games go on without it, and the results wait. */
START_TEST(a_server_that_is_away_costs_no_games) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=1\",", "");
    rig_offer(&(RigOffer){.id = 5, .rounds = 60});
    rig_start((const char *const[]){NULL});
    ck_assert(double_wait(rig_server, RESULTS, 1, RIG_PATIENCE_S));
    double_trouble(rig_server, 1, 100);
    rig_wait_log("60 of 60 pairs played");
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    double_trouble(rig_server, 0, 0);
    rig_run(rig_once, 0);
    rig_expect_games(120);
}
END_TEST

/* The batch was added, its answer was lost, and connections are refused until the server has been
 * restarted. */
START_TEST(a_server_that_is_restarted_while_it_answers_counts_each_game_once) {
    rig_serve_dev();
    double_replace(rig_server, RESULTS, DOUBLE_AFTERWARDS, 0, "");
    rig_offer(&(RigOffer){.id = 5});
    rig_start((const char *const[]){"--report-ms", "100000", "--verify-ms", "100", NULL});
    ck_assert(double_wait(rig_server, RESULTS, 1, RIG_PATIENCE_S));
    double_go_down(rig_server, 0);
    rig_wait_log("trying again in");
    double_come_back(rig_server);
    rig_wait_log("the server has the last 16 games");
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    rig_expect_games(16);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 1);
}
END_TEST

/* ---- A server that is well but for one test ---- */

static int64_t clock_now;

static int64_t fake_clock(void) {
    return clock_now;
}

/* An outbox in this process, and what it has told. */
typedef struct {
    uv_loop_t loop;
    uv_timer_t tick; /* So that no wait is without an end. */
    OutboxConfig config;
    Outbox *outbox;
    RequestQueue *queue;
    Request table[3];
    int64_t refused, delivered, over;
    bool may_end; /* The test. */
    bool closed;
} Own;

static void on_delivered(int64_t test_id, const Tally *batch, void *user) {
    (void)test_id;
    ((Own *)user)->delivered += tally_games(batch);
}

static void on_over(int64_t test_id, void *user) {
    Own *own = user;
    ck_assert_msg(own->may_end, "test %lld is over", (long long)test_id);
    own->over = test_id;
}

static void on_refused(int64_t test_id, void *user) {
    ((Own *)user)->refused = test_id;
}

static void on_stale(const Error *err, void *user) {
    (void)user;
    ck_abort_msg("%s", err->text);
}

static void on_crowded(const OutboxItem *item, bool crowded, void *user) {
    (void)item;
    (void)crowded;
    (void)user;
}

static void on_changed(void *user) {
    queue_look(((Own *)user)->queue);
}

static bool on_unreachable(const Request *request, const Error *err, int times, bool trusted,
                           void *user) {
    (void)request;
    (void)err;
    (void)times;
    (void)user;
    ck_assert(trusted);
    return true;
}

/* The queue's own: an answer came, or a wait is over. */
static void on_moved(void *user) {
    outbox_advance(((Own *)user)->outbox);
}

static void on_queue_closed(void *user) {
    ((Own *)user)->queue = NULL;
}

static void on_closed(void *user) {
    ((Own *)user)->closed = true;
}

static void on_tick(uv_timer_t *timer) {
    const Own *own = timer->data;
    queue_look(own->queue);
}

static void deliver_of(Own *own, int64_t test_id, const ParcelBench *unproved) {
    char word[] = "";
    char type[] = "SPRT";
    char upload[] = "COMPACT";
    char games[] = "[Event \"x\"]\n\n*\n\n";
    Workload workload = {.test_id = test_id,
                         .result_id = 100 + test_id,
                         .type_name = type,
                         .dev = {.name = word},
                         .base = {.name = word},
                         .reporting_type = word,
                         .upload_pgns = upload};
    OutboxItem *item = outbox_begin(own->outbox, &workload, 2, unproved, unproved ? 1 : 0);
    PairResult pair = {.games = {{.dev_points = 2, .pgn = mem_strdup(games)}, {.dev_points = 1}}};
    outbox_add(own->outbox, item, &pair);
    outbox_end(own->outbox, item);
}

static void deliver(Own *own, int64_t test_id) {
    deliver_of(own, test_id, NULL);
}

static void wait_for_requests(Own *own, const char *path, size_t count) {
    for (int i = 0; i < POLLS && double_count(rig_server, path) < count; i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    ck_assert_uint_ge(double_count(rig_server, path), count);
}

static void wait_until_waiting(Own *own, int64_t games) {
    for (int i = 0; i < POLLS && outbox_waiting(own->outbox) != games; i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    ck_assert_int_eq(outbox_waiting(own->outbox), games);
}

static void wait_until_empty(Own *own) {
    for (int i = 0; i < POLLS && !outbox_empty(own->outbox); i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    ck_assert(outbox_empty(own->outbox));
}

static void open_own(Own *own) {
    static const OutboxEvents events = {.delivered = on_delivered,
                                        .over = on_over,
                                        .refused = on_refused,
                                        .stale = on_stale,
                                        .crowded = on_crowded,
                                        .changed = on_changed,
                                        .closed = on_closed};
    static const QueueEvents moves = {
        .unreachable = on_unreachable, .changed = on_moved, .closed = on_queue_closed};
    Error err = {0};
    own->closed = false;
    own->outbox = outbox_open(&own->loop, &own->config, &events, own, &err);
    ck_assert_msg(own->outbox != NULL, "%s", err.text);
    for (int i = 0; i < 3; i++)
        own->table[i] = outbox_request(own->outbox, (OutboxRequest)i);
    own->queue = queue_open(&(QueueConfig){.loop = &own->loop,
                                           .log = own->config.log,
                                           .server = own->config.account->base_url,
                                           .retry_first_ms = 1,
                                           .retry_max_ms = 5,
                                           .table = own->table,
                                           .count = 3},
                            &moves, own);
    outbox_set_ready(own->outbox, true);
    queue_look(own->queue);
}

/* Asserts nothing: limit_files_here. */
static void shut_own(Own *own) {
    queue_close(own->queue);
    for (int i = 0; i < POLLS && own->queue; i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    outbox_close(own->outbox);
    for (int i = 0; i < POLLS && !own->closed; i++)
        uv_run(&own->loop, UV_RUN_ONCE);
}

static void close_own(Own *own) {
    shut_own(own);
    ck_assert(own->closed);
}

/* Runs a scenario with an outbox at this server, whose day is one of the fake clock. */
static void with_own_outbox(void (*scenario)(Own *own)) {
    rig_run(rig_once, 0); /* which registers machine 2 */
    Own own = {0};
    Log log = {0};
    Text url = {0};
    char *state = rig_path("state");
    text_addf(&url, "%s/", double_url(rig_server));
    ApiAccount account = {.base_url = text_string(&url),
                          .username = "tester",
                          .password = "secret",
                          .machine_id = 2,
                          .secret = "secret-2"};
    own.config = (OutboxConfig){.state_dir = state,
                                .host = "h",
                                .account = &account,
                                .waits = {.retry_first = 1,
                                          .retry_max = 5,
                                          .verify = 2,
                                          .verify_again = 1,
                                          .refused_first = 1,
                                          .refused_max = 5,
                                          .park = 24 * HOUR * 1000},
                                .clock = fake_clock,
                                .log = &log};
    clock_now = 1000000000;
    uv_loop_init(&own.loop);
    uv_timer_init(&own.loop, &own.tick);
    own.tick.data = &own;
    uv_timer_start(&own.tick, on_tick, 10, 10);
    open_own(&own);
    scenario(&own);
    close_own(&own);
    uv_close((uv_handle_t *)&own.tick, NULL);
    uv_run(&own.loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&own.loop), 0);
    text_free(&url);
    free(state);
}

/* So many tries more of what fails. */
enum { TRIES = 8 };

static void fail_for_a_day(Own *own, const char *path) {
    double_fail(rig_server, path, 5);
    deliver(own, 5);
    wait_for_requests(own, path, 2);
    for (int hour = 0; hour < 22; hour += 11) {
        clock_now += 11 * HOUR;
        deliver(own, 6);
        size_t tries = double_count(rig_server, path);
        wait_for_requests(own, path, tries + TRIES);
        char *parked = find_journal("state/outbox/parked");
        ck_assert_msg(parked == NULL, "%s after %d hours", parked, hour + 11);
    }
    clock_now += 3 * HOUR;
    wait_until_empty(own);
    char *parked = find_journal("state/outbox/parked");
    ck_assert_ptr_nonnull(parked);
    ck_assert_msg(strstr(parked, "/5-2-") != NULL, "%s", parked);
    free(parked);
    /* What comes later is not held up. */
    deliver(own, 7);
    wait_until_empty(own);
}

static void results_of_one_test_fail(Own *own) {
    fail_for_a_day(own, RESULTS);
    ck_assert_int_eq(own->refused, 5);
    ck_assert_int_eq(own->delivered, 6);
}

static void games_of_one_test_fail(Own *own) {
    fail_for_a_day(own, "/clientSubmitPGN/");
    ck_assert_int_eq(own->refused, 0);
    ck_assert_int_eq(own->delivered, 8);
}

/* Nobody's results are taken: that is the server's trouble, and passes with it. */
static void nothing_is_taken(Own *own) {
    double_fail(rig_server, RESULTS, 5);
    deliver(own, 5);
    wait_for_requests(own, RESULTS, 2);
    clock_now += 30 * 24 * HOUR;
    wait_for_requests(own, RESULTS, 2 + TRIES);
    ck_assert_int_eq(outbox_waiting(own->outbox), 2);
    ck_assert_ptr_null(find_journal("state/outbox/parked"));
    double_fail(rig_server, RESULTS, 0);
    wait_until_waiting(own, 0);
    ck_assert_int_eq(own->delivered, 2);
    ck_assert_int_eq(own->refused, 0);
}

static void (*const scenarios[])(Own *own) = {results_of_one_test_fail, games_of_one_test_fail,
                                              nothing_is_taken};

START_TEST(one_test_that_fails_for_a_day_is_parked_and_holds_up_nothing) {
    with_own_outbox(scenarios[_i]);
}
END_TEST

/* ---- Counts that change ---- */

static bool is_parked(void) {
    char *parked = find_journal("state/outbox/parked");
    free(parked);
    return parked != NULL;
}

static void lose_a_batch(DoubleMoment moment) {
    double_replace(rig_server, RESULTS, moment, 500, "<html>");
}

/* The batch that is answered with the test's end is thrown away; the next one is added. */
static void a_batch_comes_too_late(Own *own) {
    own->may_end = true;
    double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 200, "{\"stop\": true}");
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert_int_eq(own->over, 5);
    lose_a_batch(DOUBLE_AFTERWARDS);
    deliver(own, 5);
    wait_until_empty(own);
    rig_expect_games(2);
}

/* Another answer tells of the end while a batch is on its way that is added; the next one is not.
 */
static void a_test_ends_during_a_send(Own *own) {
    int64_t wait = 0;
    deliver(own, 5);
    for (int i = 0; i < POLLS && !queue_is_asking(own->queue, &own->table[OUTBOX_SEND]); i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    ck_assert_str_eq(queue_action(own->queue, &wait), "reporting results");
    ck_assert_int_eq(wait, -1);
    outbox_drop(own->outbox, 5);
    wait_until_empty(own);
    rig_expect_games(2);
    lose_a_batch(DOUBLE_INSTEAD);
    deliver(own, 5);
    wait_until_empty(own);
    rig_expect_games(4);
}

/* The journal that a killed process leaves of a pair of test 5 which it has sent, or was about to,
 * by this mark; NULL: it waits. */
static void leave_parcel(Own *own, const char *name, const BatchMark *mark) {
    char word[] = "";
    char *id = parcel_new_id();
    RecordWorkload head = {.version = WORKLOAD_RECORD_VERSION,
                           .created = clock_now,
                           .id = id,
                           .server = (char *)own->config.account->base_url,
                           .user = (char *)own->config.account->username,
                           .host = (char *)own->config.host,
                           .test_id = 5,
                           .machine_id = 2,
                           .result_id = 105,
                           .type = word,
                           .dev = word,
                           .base = word,
                           .reporting = word,
                           .upload_pgns = word};
    Journal journal;
    Text record = {0};
    Error err = {0};
    char *path = rig_path(name);
    record_write_workload(&head, &record);
    bool ok = journal_create(&journal, path, record.data, record.length, &err);
    ck_assert_msg(ok, "%s", err.text);
    text_free(&record);
    PairResult pair = {.games = {{.dev_points = 2}, {.dev_points = 1}}};
    pair_write(&pair, &record);
    ck_assert(journal_append(&journal, record.data, record.length, &err));
    text_free(&record);
    if (mark) {
        parcel_write_batch(mark, &record);
        ck_assert(journal_append(&journal, record.data, record.length, &err));
    }
    journal_close(&journal);
    text_free(&record);
    free(path);
    free(id);
}

static bool pass_over(const char *record, size_t length, void *user, Error *err) {
    (void)record;
    (void)length;
    (void)user;
    (void)err;
    return true;
}

/* Appends the mark to a journal that was left. */
static void add_mark(const char *name, const BatchMark *mark) {
    Journal journal;
    Text record = {0};
    Error err = {0};
    char *path = rig_path(name);
    ck_assert_msg(journal_open(&journal, path, pass_over, NULL, &err), "%s", err.text);
    parcel_write_batch(mark, &record);
    ck_assert(journal_append(&journal, record.data, record.length, &err));
    journal_close(&journal);
    text_free(&record);
    free(path);
}

/* The mark of a single pair, when the server had so many like it; it lists no other machine. */
static BatchMark mark_after(int64_t pairs) {
    return (BatchMark){
        .before = {.row = {{0, 0, 0, pairs, 0}}, .share = {{0, 0, 0, pairs, 0}}, .has_share = true},
        .sum = {{0, 0, 0, 1, 0}}};
}

/* The first was added, the last was not: what waits between them must not pass for it. */
static void two_batches_are_in_doubt(Own *own) {
    deliver(own, 5);
    wait_until_empty(own);
    close_own(own);
    const BatchMark first = mark_after(0);
    const BatchMark last = mark_after(1);
    leave_parcel(own, "state/outbox/5-2-00001.journal", &first);
    leave_parcel(own, "state/outbox/5-2-00002.journal", NULL);
    leave_parcel(own, "state/outbox/5-2-00003.journal", &last);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(6);
}

/* What an earlier process left unsent comes on top of what it had sent. */
static void a_row_has_more_than_this_process_sent(Own *own) {
    deliver(own, 5);
    wait_until_empty(own);
    close_own(own);
    leave_parcel(own, "state/outbox/5-2-00001.journal", NULL);
    open_own(own);
    lose_a_batch(DOUBLE_INSTEAD);
    wait_until_empty(own);
    rig_expect_games(4);
}

/* A first reading with a part of the batch, then two equal ones: the first is not believed. */
static void counts_change_between_readings(Own *own) {
    static const char part[] = "{\"results\": [{\"machine__id\": 2, \"games\": 2, \"LL\": 0, "
                               "\"LD\": 0, \"DD\": 0, \"DW\": 0, \"WW\": 1}]}";
    deliver(own, 5);
    wait_until_empty(own);
    lose_a_batch(DOUBLE_AFTERWARDS);
    double_replace(rig_server, COUNTS, DOUBLE_INSTEAD, 200, part);
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert(!is_parked());
    ck_assert_uint_eq(double_count(rig_server, COUNTS), 1 + 3);
    rig_expect_games(4);
}

/* Another machine's results are added between a reading's parts: the reading begins anew. */
static void totals_change_within_a_reading(Own *own) {
    deliver(own, 5);
    wait_until_empty(own);
    lose_a_batch(DOUBLE_AFTERWARDS);
    double_replace(rig_server, TOTALS, DOUBLE_INSTEAD, 200,
                   "{\"info\": {\"penta\": [0, 0, 0, 1, 0]}}");
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert_uint_eq(double_count(rig_server, COUNTS), 1 + 3);
    rig_expect_games(4);
}

/* The answer is lost, and the server's row loses the update too: the totals have the batch. */
static void a_row_loses_its_update(Own *own) {
    DoubleRow row;
    deliver(own, 5);
    wait_until_empty(own);
    double_lose_row(rig_server);
    lose_a_batch(DOUBLE_AFTERWARDS);
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert(!is_parked());
    ck_assert(double_row(rig_server, 0, &row));
    ck_assert_int_eq(row.totals.penta[3], 1);
    ck_assert_int_eq(row.lost.penta[3], 1);
    rig_expect_games(4);
    /* And again, from a row that lacks what was confirmed; this one was not added. */
    lose_a_batch(DOUBLE_INSTEAD);
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert(!is_parked());
    rig_expect_games(6);
}

/* The row has lost a batch that was confirmed, as large as the next one, which was not added. */
static void a_row_has_lost_as_much_before(Own *own) {
    deliver(own, 5);
    wait_until_empty(own);
    double_lose_row(rig_server);
    double_replace(rig_server, RESULTS, DOUBLE_AFTERWARDS, 200, "{}");
    deliver(own, 5);
    wait_until_empty(own);
    lose_a_batch(DOUBLE_INSTEAD);
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert(!is_parked());
    rig_expect_games(6);
}

/* Everything that a row has waiting after a doubt goes out together. */
static void a_backlog_is_one_submission(Own *own) {
    lose_a_batch(DOUBLE_INSTEAD);
    deliver(own, 5);
    wait_for_requests(own, RESULTS, 1);
    for (int i = 0; i < 20; i++)
        deliver(own, 5);
    wait_until_empty(own);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 2);
    rig_expect_field(RESULTS, 1, "pentanomial", "0 0 0 21 0");
    rig_expect_games(42);
}

/* A crash between two journals' marks: nothing was sent, and nothing is lost. */
static void a_batch_is_marked_in_one_of_two_journals(Own *own) {
    const BatchMark mark = {.before = {.has_share = true}, .sum = {{0, 0, 0, 2, 0}}};
    close_own(own);
    leave_parcel(own, "state/outbox/5-2-00001.journal", &mark);
    leave_parcel(own, "state/outbox/5-2-00002.journal", NULL);
    open_own(own);
    wait_until_empty(own);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 1);
    rig_expect_games(4);
}

/* A crash between two journals' notes that the batch was added: the first is gone. */
static void a_batch_is_noted_in_one_of_two_journals(Own *own) {
    const BatchMark mark = {.before = {.has_share = true}, .sum = {{0, 0, 0, 2, 0}}};
    deliver(own, 5);
    deliver(own, 5);
    wait_until_empty(own);
    close_own(own);
    leave_parcel(own, "state/outbox/5-2-00002.journal", &mark);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(4);
}

/* A crash after all marks and before the answer, which would have been yes, and no. */
static void a_batch_of_two_journals_is_in_doubt(Own *own) {
    const BatchMark added = {.before = {.has_share = true}, .sum = {{0, 0, 0, 2, 0}}};
    const BatchMark absent = {
        .before = {.row = {{0, 0, 0, 2, 0}}, .share = {{0, 0, 0, 2, 0}}, .has_share = true},
        .sum = {{0, 0, 0, 2, 0}}};
    deliver(own, 5);
    deliver(own, 5);
    wait_until_empty(own);
    close_own(own);
    leave_parcel(own, "state/outbox/5-2-00001.journal", &added);
    leave_parcel(own, "state/outbox/5-2-00002.journal", &added);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(4);
    close_own(own);
    leave_parcel(own, "state/outbox/5-2-00003.journal", &absent);
    leave_parcel(own, "state/outbox/5-2-00004.journal", &absent);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(8);
}

static void copy_file(const char *from, const char *to) {
    Text bytes = {0};
    Error err = {0};
    char *paths[] = {rig_path(from), rig_path(to)};
    ck_assert_msg(file_read(paths[0], FILE_LIMIT, &bytes, &err), "%s", err.text);
    ck_assert(file_write_atomic(paths[1], bytes.data, bytes.length, 0600, &err));
    text_free(&bytes);
    free(paths[0]);
    free(paths[1]);
}

/* An earlier copy of a journal under a name that comes first; the longer one is the parcel's. */
static void a_journal_is_copied(Own *own) {
    const BatchMark mark = mark_after(0);
    deliver(own, 5);
    wait_until_empty(own);
    close_own(own);
    leave_parcel(own, "state/outbox/5-2-00007.journal", NULL);
    copy_file("state/outbox/5-2-00007.journal", "state/outbox/5-2-00001.journal");
    add_mark("state/outbox/5-2-00007.journal", &mark);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(2);
    char *aside = rig_path("state/outbox/5-2-00001.journal.copy");
    ck_assert_int_eq(access(aside, F_OK), 0);
    free(aside);
    close_own(own);
    open_own(own);
    ck_assert(outbox_empty(own->outbox));
}

/* Only the games' PGN is left for the next start. */
static void what_was_added_is_noted(Own *own) {
    double_fail(rig_server, "/clientSubmitPGN/", 5);
    deliver(own, 5);
    wait_for_requests(own, "/clientSubmitPGN/", 1);
    close_own(own);
    double_fail(rig_server, "/clientSubmitPGN/", 0);
    open_own(own);
    ck_assert_int_eq(outbox_waiting(own->outbox), 0);
    wait_until_empty(own);
    ck_assert_uint_eq(double_count(rig_server, COUNTS), 1);
    rig_expect_games(2);
}

/* From now on no file of this process grows beyond this one; NULL: as far as it likes. Check's own
 * file of passed assertions is limited too, so nothing is asserted in between. */
static void limit_files_here(const char *path) {
    struct rlimit limit;
    struct stat info = {0};
    signal(SIGXFSZ, SIG_IGN);
    if (path)
        ck_assert_int_eq(stat(path, &info), 0);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = path ? (rlim_t)info.st_size : limit.rlim_max;
    bool done = setrlimit(RLIMIT_FSIZE, &limit) == 0;
    if (!path)
        ck_assert(done);
}

static bool has_batch(const char *path) {
    Text bytes = {0};
    Error err = {0};
    bool has = file_read(path, FILE_LIMIT, &bytes, &err) &&
               strstr(text_string(&bytes), "\"kind\":\"batch\"") != NULL;
    text_free(&bytes);
    return has;
}

/* The disk takes the mark of a batch, but not that the server refused it; then another one of the
 * test is added. */
static void a_refusal_cannot_be_noted(Own *own) {
    char *path = rig_path("state/outbox/5-2-00001.journal");
    refuse(1);
    deliver(own, 5);
    for (int i = 0; i < POLLS && !has_batch(path); i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    limit_files_here(path);
    deliver(own, 5);
    for (int i = 0; i < POLLS && own->delivered < 2; i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    shut_own(own);
    limit_files_here(NULL);
    ck_assert(own->closed);
    ck_assert_int_eq(own->refused, 5);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(4);
    free(path);
}

/* The disk takes nothing, and the server nothing at first. */
static void what_is_in_memory_is_refused(Own *own) {
    char *empty = rig_path("state/lock");
    limit_files_here(empty);
    refuse(1);
    deliver(own, 5);
    for (int i = 0; i < POLLS && own->delivered < 2; i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    limit_files_here(NULL);
    ck_assert_int_eq(own->refused, 5);
    rig_expect_games(2);
    free(empty);
}

/* Both are kept, though the first has no file yet when the second is named. */
static void two_begin_at_once(Own *own) {
    outbox_set_ready(own->outbox, false);
    deliver(own, 5);
    deliver(own, 5);
    wait_until_waiting(own, 4);
    close_own(own);
    open_own(own);
    ck_assert_int_eq(outbox_waiting(own->outbox), 4);
    wait_until_empty(own);
    rig_expect_games(4);
}

/* Each has a name of its own, also beside what lies there already. */
static void two_are_parked(Own *own) {
    static const char *const names[] = {"state/outbox/parked/5-2-00001.journal",
                                        "state/outbox/parked/5-2-00002.journal"};
    refuse(1000);
    for (size_t i = 0; i < COUNT(names); i++) {
        deliver(own, 5);
        wait_for_requests(own, RESULTS, double_count(rig_server, RESULTS) + 2);
        clock_now += 25 * HOUR;
        wait_until_empty(own);
        close_own(own);
        open_own(own);
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        char *path = rig_path(names[i]);
        ck_assert_msg(access(path, F_OK) == 0, "%s is not there", path);
        free(path);
    }
}

static void (*const changes[])(Own *own) = {a_batch_comes_too_late,
                                            a_test_ends_during_a_send,
                                            two_batches_are_in_doubt,
                                            a_row_has_more_than_this_process_sent,
                                            counts_change_between_readings,
                                            totals_change_within_a_reading,
                                            a_row_loses_its_update,
                                            a_row_has_lost_as_much_before,
                                            a_backlog_is_one_submission,
                                            a_batch_is_marked_in_one_of_two_journals,
                                            a_batch_is_noted_in_one_of_two_journals,
                                            a_batch_of_two_journals_is_in_doubt,
                                            a_journal_is_copied,
                                            what_was_added_is_noted,
                                            a_refusal_cannot_be_noted,
                                            what_is_in_memory_is_refused,
                                            two_begin_at_once,
                                            two_are_parked};

START_TEST(several_parcels_of_one_test_count_once) {
    with_own_outbox(changes[_i]);
}
END_TEST

/* ---- What is moved back from the folder of what is parked ---- */

/* What keeps the games of test 5 from the server: how it begins, and how it goes on until something
 * has been tried several times or is parked. */
typedef struct {
    void (*begin)(Own *own);
    void (*go_on)(Own *own);
} Hindrance;

static void try_results(Own *own) {
    size_t wanted = double_count(rig_server, RESULTS) + TRIES;
    for (int i = 0; i < POLLS && double_count(rig_server, RESULTS) < wanted && !is_parked(); i++)
        uv_run(&own->loop, UV_RUN_ONCE);
}

static void begin_refusing(Own *own) {
    refuse(1000);
    deliver(own, 5);
}

static void begin_failing(Own *own) {
    double_fail(rig_server, RESULTS, 5);
    deliver(own, 5);
    wait_for_requests(own, RESULTS, 2);
}

/* Others' results are taken meanwhile. */
static void try_beside_others(Own *own) {
    clock_now++;
    deliver(own, 6);
    try_results(own);
}

static void begin_unproved(Own *own) {
    char sha256[] = "aa";
    deliver_of(own, 5, &(ParcelBench){sha256, 1});
}

static void look_for_a_proof(Own *own) {
    for (int i = 0; i < TRIES; i++) {
        outbox_set_ready(own->outbox, true);
        uv_run(&own->loop, UV_RUN_ONCE);
    }
}

static const Hindrance hindrances[] = {{begin_refusing, try_results},
                                       {begin_failing, try_beside_others},
                                       {begin_unproved, look_for_a_proof}};
static const Hindrance *hindrance;

/* Another start of the worker, so many hours later. */
static void start_after(Own *own, int hours) {
    close_own(own);
    clock_now += hours * HOUR;
    open_own(own);
    hindrance->go_on(own);
}

static void move_back(void) {
    char *back = rig_path("state/outbox/back.journal");
    char *parked = find_journal("state/outbox/parked");
    ck_assert_ptr_nonnull(parked);
    ck_assert_int_eq(rename(parked, back), 0);
    free(parked);
    free(back);
}

static void a_day_begins_anew(Own *own) {
    hindrance->begin(own);
    hindrance->go_on(own);
    ck_assert(!is_parked());
    start_after(own, 25);
    for (int round = 0; round < 2; round++) {
        ck_assert_msg(is_parked(), "not parked the %d. time", round + 1);
        close_own(own);
        move_back();
        open_own(own);
        hindrance->go_on(own);
        ck_assert_msg(!is_parked(), "parked again at once");
        start_after(own, 23);
        ck_assert_msg(!is_parked(), "parked again after less than a day");
        start_after(own, 2);
    }
    ck_assert_msg(is_parked(), "each start gives it another day");
    wait_until_empty(own);
}

START_TEST(what_is_moved_back_gets_its_day_anew) {
    hindrance = &hindrances[_i];
    with_own_outbox(a_day_begins_anew);
}
END_TEST

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    if (!rig_ready("outbox"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("outbox");
    TCase *pure = tcase_create("parcel");
    tcase_add_test(pure, a_parcel_is_what_its_records_say);
    tcase_add_loop_test(pure, a_first_record_that_is_wrong_is_named, 0, COUNT(wrong));
    tcase_add_test(pure, a_pair_counts_once_by_its_number);
    tcase_add_test(pure, a_later_batch_takes_the_place_of_one_that_was_not_added);
    tcase_add_test(pure, an_older_batch_is_its_own_sum);
    tcase_add_test(pure, heads_tell_parcels_apart);
    tcase_add_test(pure, a_parcel_waits_for_its_benches);
    tcase_add_test(pure, a_fault_counts_until_something_is_taken);
    tcase_add_test(pure, a_parcel_that_is_taken_up_again_begins_anew);
    suite_add_tcase(suite, pure);
    TCase *tc = rig_case(suite, "benches");
    tcase_add_test(tc, a_kill_before_the_bench_costs_no_pair);
    tcase_add_test(tc, a_kill_between_the_bench_and_its_note_costs_no_pair);
    tcase_add_test(tc, pairs_of_one_engine_are_not_proved_by_another);
    tcase_add_test(tc, pairs_that_wait_for_a_bench_end_with_their_test);
    tcase_add_test(tc, pairs_of_an_engine_that_is_found_wrong_are_dropped);
    tcase_add_test(tc, pairs_that_nobody_proves_for_a_day_are_parked_until_somebody_does);
    tc = rig_case(suite, "journals");
    tcase_add_test(tc, a_torn_journal_gives_what_is_whole);
    tcase_add_loop_test(tc, a_journal_that_cannot_be_taken_up_is_one_line_and_stays, 0, COUNT(bad));
    tcase_add_test(tc, a_journal_of_another_host_is_delivered_and_told);
    tc = rig_case(suite, "disk");
    tcase_add_test(tc, an_outbox_that_is_no_folder_is_one_line);
    tcase_add_test(tc, a_journal_that_cannot_be_made_costs_no_game);
    tcase_add_test(tc, a_disk_that_is_full_costs_no_game);
    tc = rig_case(suite, "server");
    tcase_add_test(tc, what_is_refused_waits_and_holds_up_nothing);
    tcase_add_test(tc, a_line_about_a_test_counts_the_reported_games_of_that_test);
    tcase_add_test(tc, what_is_refused_for_long_is_parked_and_can_be_tried_again);
    tcase_add_test(tc, counts_that_contradict_are_not_sent_over);
    tcase_add_test(tc, a_server_that_is_away_costs_no_games);
    tcase_add_test(tc, a_server_that_is_restarted_while_it_answers_counts_each_game_once);
    tcase_add_loop_test(tc, one_test_that_fails_for_a_day_is_parked_and_holds_up_nothing, 0,
                        COUNT(scenarios));
    tcase_add_loop_test(tc, what_is_moved_back_gets_its_day_anew, 0, COUNT(hindrances));
    tc = rig_case(suite, "counts");
    tcase_add_loop_test(tc, several_parcels_of_one_test_count_once, 0, COUNT(changes));
    return run_suite(suite);
}
