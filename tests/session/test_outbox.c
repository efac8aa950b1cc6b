/* Results on their way: what becomes of a journal that is torn, damaged, somebody else's or too
 * new, of a disk that takes no more, and of a server that refuses, contradicts itself or is away.
 * Each is one line, and no game is lost or counted twice. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/journal.h"
#include "base/memory.h"
#include "base/tree.h"
#include "session/parcel.h"
#include "tools/openbench_double.h"
#include "tools/worker_rig.h"
#include "runner.h"

enum { FILE_LIMIT = 1 << 24, POLLS = 12000 };

#define RESULTS "/clientSubmitResults/"
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

static void take_pair(Parcel *parcel, int points, int reply, double delta) {
    ParcelPair pair = {
        .points = points, .reply = reply, .crashes = 1, .deltas = {.items = &delta, .count = 1}};
    Text record = {0};
    parcel_write_pair(&pair, &record);
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
    parcel_write_batch(&(Penta){{1, 2, 3, 4, 5}}, &record);
    take(&parcel, text_string(&record));
    take_pair(&parcel, 2, 2, 1);
    ck_assert(parcel.sending);
    ck_assert_int_eq(parcel.before.n[4], 5);
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

static const struct {
    const char *record, *words;
} wrong[] = {
    {"{\"kind\":\"pair\"}", "is not that of a workload's results"},
    {"{\"kind\":\"head\",\"version\":2}", "is of version 2; this program reads version 1"},
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

static const struct {
    Penta before, batch, counts;
    ParcelReading reading;
} readings[] = {
    {{{1, 0, 5, 0, 2}}, {{0, 0, 2, 1, 0}}, {{1, 0, 5, 0, 2}}, PARCEL_ABSENT},
    {{{1, 0, 5, 0, 2}}, {{0, 0, 2, 1, 0}}, {{1, 0, 7, 1, 2}}, PARCEL_ADDED},
    {{{1, 0, 5, 0, 2}}, {{0, 0, 2, 1, 0}}, {{1, 3, 7, 1, 2}}, PARCEL_ADDED},
    {{{1, 0, 5, 0, 2}}, {{0, 0, 2, 1, 0}}, {{1, 0, 6, 1, 2}}, PARCEL_STRANGE},
    {{{1, 0, 5, 0, 2}}, {{0, 0, 2, 1, 0}}, {{0, 0, 7, 1, 2}}, PARCEL_STRANGE},
    {{{1, 0, 5, 0, 2}}, {{0, 0, 2, 1, 0}}, {{0, 0, 0, 0, 0}}, PARCEL_STRANGE},
};

START_TEST(counts_say_whether_a_batch_was_added) {
    ck_assert_int_eq(parcel_judge(&readings[_i].before, &readings[_i].batch, &readings[_i].counts),
                     readings[_i].reading);
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

/* Leaves a journal behind of which nothing was sent; how many games are in it. */
static int64_t leave_a_journal(void) {
    int64_t kept = 0;
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=2\",", "");
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000});
    rig_start((const char *const[]){"--report-ms", "100000", NULL});
    for (int i = 0; i < POLLS && kept < 10; i++, nap())
        kept = rig_kept_games();
    kill(rig_worker, SIGKILL);
    rig_wait();
    kept = rig_kept_games();
    ck_assert_int_ge(kept, 10);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
    return kept;
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
    rig_run(rig_once, 0);
    rig_expect_games(kept);
    ck_assert_ptr_null(find_journal("state/outbox"));
    ck_assert_int_ne(access(text_string(&unborn), F_OK), 0);
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
    {"\"version\":1,", "\"version\":9,", "is of version 9; this program reads version 1", true},
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

START_TEST(what_is_refused_for_long_is_parked_and_can_be_tried_again) {
    rig_serve_dev();
    refuse(1000);
    rig_offer(&(RigOffer){.id = 5});
    rig_start((const char *const[]){"--report-ms", "100000", "--refused-ms", "20",
                                    "--refused-most-ms", "100", "--park-ms", "1", NULL});
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

static const char strange[] =
    "{\"results\": [{\"machine__id\": 2, \"games\": 2, \"LL\": 0, \"LD\": 0, \"DD\": 0, \"DW\": 0, "
    "\"WW\": 1}]}";

START_TEST(counts_that_contradict_are_not_sent_over) {
    rig_serve_dev();
    double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 500, "<html>");
    for (int i = 0; i < 2; i++)
        double_replace(rig_server, "/api/workload/5/results/", DOUBLE_INSTEAD, 200, strange);
    rig_offer(&(RigOffer){.id = 5});
    rig_offer(&(RigOffer){.id = 6});
    rig_run((const char *const[]){"--once", "--report-ms", "100000", NULL}, 0);
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
    bool played = false;
    for (int i = 0; i < POLLS && !played; i++, nap()) {
        Text log = rig_log();
        played = strstr(text_string(&log), "60 of 60 pairs played") != NULL;
        text_free(&log);
    }
    ck_assert(played);
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    double_trouble(rig_server, 0, 0);
    rig_run(rig_once, 0);
    rig_expect_games(120);
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
    tcase_add_loop_test(pure, counts_say_whether_a_batch_was_added, 0, COUNT(readings));
    suite_add_tcase(suite, pure);
    TCase *tc = rig_case(suite, "journals");
    tcase_add_test(tc, a_torn_journal_gives_what_is_whole);
    tcase_add_loop_test(tc, a_journal_that_cannot_be_taken_up_is_one_line_and_stays, 0, COUNT(bad));
    tcase_add_test(tc, a_journal_of_another_host_is_delivered_and_told);
    tc = rig_case(suite, "disk");
    tcase_add_test(tc, an_outbox_that_is_no_folder_is_one_line);
    tcase_add_test(tc, a_journal_that_cannot_be_made_costs_no_game);
    tcase_add_test(tc, a_disk_that_is_full_costs_no_game);
    tc = rig_case(suite, "server");
    tcase_add_test(tc, what_is_refused_waits_and_holds_up_nothing);
    tcase_add_test(tc, what_is_refused_for_long_is_parked_and_can_be_tried_again);
    tcase_add_test(tc, counts_that_contradict_are_not_sent_over);
    tcase_add_test(tc, a_server_that_is_away_costs_no_games);
    return run_suite(suite);
}
