/* SPDX-License-Identifier: MIT */
/* Journals that are written from a loop: in order, many records at a time, as far as the disk has
 * room. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <uv.h>

#include "base/journal_rig.h"
#include "base/journalqueue.h"
#include "runner.h"

enum { QUEUED = 3 * JOURNAL_QUEUE_RECORDS };

typedef struct {
    int written, dropped, failed, full, not_full, idle, disorder;
} Heard;

/* Items are their numbers, from 1. */
static void on_written(void *item, void *user) {
    Heard *heard = user;
    ck_assert_int_eq((int)(intptr_t)item, ++heard->written);
}

static void on_failed(const Error *err, void *user) {
    ck_assert_msg(strstr(err->text, "No space left") != NULL, "%s", err->text);
    ((Heard *)user)->failed++;
}

static void on_dropped(void *item, void *user) {
    Heard *heard = user;
    ck_assert_int_eq((int)(intptr_t)item, heard->written + ++heard->dropped);
    ck_assert_int_eq(heard->failed, 1);
}

static void on_full(bool full, void *user) {
    Heard *heard = user;
    heard->full += full;
    heard->not_full += !full;
    ck_assert_int_eq(heard->full - heard->not_full, full);
}

static void on_idle(void *user) {
    ((Heard *)user)->idle++;
}

static int syncs;

/* In the place of the library's fsync: each write waits for the disk once. */
int fsync(int fd) {
    syncs++;
    return (int)syscall(SYS_fsync, fd);
}

static const JournalEvents events = {.written = on_written,
                                     .failed = on_failed,
                                     .dropped = on_dropped,
                                     .full = on_full,
                                     .idle = on_idle};

static void add(JournalQueue *queue, int number) {
    Text record = {0};
    text_addf(&record, "{\"number\":%d}", number);
    journal_queue_add(queue, &record, (void *)(intptr_t)(number + 1));
}

/* A queue before a journal that does not exist yet. */
typedef struct {
    uv_loop_t loop;
    Journal journal;
    Heard heard;
    JournalQueue queue;
} Fresh;

static void fresh_open(Fresh *f) {
    *f = (Fresh){0};
    ck_assert_int_eq(uv_loop_init(&f->loop), 0);
    f->queue = (JournalQueue){.journal = &f->journal,
                              .path = strdup(journal_path),
                              .loop = &f->loop,
                              .events = &events,
                              .user = &f->heard};
    syncs = 0;
}

/* Writes all, and closes. The first record goes to the disk with the file's folder, the others in
 * so many `writes`. */
static void fresh_finish(Fresh *f, int records, int writes) {
    uv_run(&f->loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(f->heard.written, records);
    ck_assert_int_eq(syncs, 2 + writes);
    ck_assert_int_eq(f->heard.failed, 0);
    ck_assert_int_eq(f->heard.idle, 1);
    ck_assert_int_eq(f->heard.full, 1);
    ck_assert_int_eq(f->heard.not_full, 1);
    ck_assert(!f->queue.busy && f->queue.count == 0);
    journal_queue_free(&f->queue);
    journal_close(&f->journal);
    uv_loop_close(&f->loop);
    check_whole(records);
}

/* What comes faster than the disk goes to it together. */
START_TEST(a_queue_writes_in_order_and_many_at_a_time) {
    enum {
        LATER = QUEUED - 1,
        WRITES = (LATER + JOURNAL_WRITE_RECORDS - 1) / JOURNAL_WRITE_RECORDS
    };
    Fresh f;
    fresh_open(&f);
    for (int i = 0; i < QUEUED; i++)
        add(&f.queue, i);
    fresh_finish(&f, QUEUED, WRITES);
}
END_TEST

/* Long records make a write, and the queue, full by their bytes. */
START_TEST(a_write_ends_with_the_record_that_reaches_its_bytes) {
    enum { LONG = 3 << 20, COUNT_LONG = 12, WRITES = COUNT_LONG / 2 };
    const int64_t two = 2 * LONG;
    ck_assert(LONG < (int64_t)JOURNAL_WRITE_BYTES && two >= (int64_t)JOURNAL_WRITE_BYTES);
    ck_assert(COUNT_LONG / 2 * two > (int64_t)JOURNAL_QUEUE_BYTES);
    Fresh f;
    char *blanks = malloc(LONG + 1);
    memset(blanks, ' ', LONG);
    blanks[LONG] = '\0';
    fresh_open(&f);
    add(&f.queue, 0);
    for (int i = 1; i <= COUNT_LONG; i++) {
        Text record = {0};
        text_addf(&record, "{\"number\":%d,\"blanks\":\"%s\"}", i, blanks);
        journal_queue_add(&f.queue, &record, (void *)(intptr_t)(i + 1));
    }
    fresh_finish(&f, 1 + COUNT_LONG, WRITES);
    free(blanks);
}
END_TEST

/* The same without assertions, which write to a file of their own: it would be too large too. */
static void count_written(void *item, void *user) {
    Heard *heard = user;
    heard->disorder += (int)(intptr_t)item != ++heard->written;
}

static void count_failed(const Error *err, void *user) {
    ((Heard *)user)->failed += strstr(err->text, "File too large") != NULL;
}

static void count_dropped(void *item, void *user) {
    Heard *heard = user;
    heard->disorder += (int)(intptr_t)item != heard->written + ++heard->dropped;
}

static const JournalEvents counting_events = {
    .written = count_written, .failed = count_failed, .dropped = count_dropped};

/* Adds records up to `most` where no file may be longer than that many bytes. */
static void fill(Journal *journal, int most, Heard *heard) {
    uv_loop_t loop;
    struct rlimit kept;
    ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &kept), 0);
    struct rlimit limit = {.rlim_cur = (rlim_t)most, .rlim_max = kept.rlim_max};
    JournalQueue queue = {
        .journal = journal, .loop = &loop, .events = &counting_events, .user = heard};
    int set = setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = RECORDS; i < most; i++)
        add(&queue, i);
    uv_run(&loop, UV_RUN_DEFAULT);
    int put_back = setrlimit(RLIMIT_FSIZE, &kept);
    ck_assert_int_eq(set, 0);
    ck_assert_int_eq(put_back, 0);
    journal_queue_free(&queue);
    uv_loop_close(&loop);
}

/* What goes to the disk together and does not fit together goes there as far as it fits. */
START_TEST(a_queue_fills_the_disk_to_the_last_record_that_fits) {
    enum { LENGTH_MAX = 4096, SEAL = 18 };
    Journal journal;
    Heard heard = {.written = RECORDS}; /* They are there. */
    Error err = {0};
    Text taken = {0};
    Text next = {0};
    make_journal();
    ck_assert(journal_open(&journal, journal_path, take_record, &taken, &err));
    fill(&journal, LENGTH_MAX, &heard);
    text_addf(&next, "{\"number\":%d}\n", heard.written);
    ck_assert_int_eq(heard.failed, 1);
    ck_assert_int_eq(heard.disorder, 0);
    ck_assert_int_eq(heard.written + heard.dropped, LENGTH_MAX);
    ck_assert_int_le(journal.length, LENGTH_MAX);
    ck_assert_int_gt(journal.length + (int64_t)next.length + SEAL - 1, LENGTH_MAX);
    journal_close(&journal);
    check_whole(heard.written);
    text_free(&next);
    text_free(&taken);
}
END_TEST

START_TEST(a_queue_on_a_full_disk_gives_back_what_it_could_not_write) {
    uv_loop_t loop;
    Journal journal;
    Heard heard = {0};
    Error err = {0};
    Text taken = {0};
    int full = open("/dev/full", O_WRONLY);
    make_journal();
    ck_assert(journal_open(&journal, journal_path, take_record, &taken, &err));
    ck_assert_int_ge(full, 0);
    int kept = journal.fd;
    journal.fd = full;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    JournalQueue queue = {.journal = &journal, .loop = &loop, .events = &events, .user = &heard};
    for (int i = 0; i < RECORDS; i++)
        add(&queue, i);
    uv_run(&loop, UV_RUN_DEFAULT);
    add(&queue, RECORDS);
    ck_assert_int_eq(heard.written, 0);
    ck_assert_int_eq(heard.failed, 1);
    ck_assert_int_eq(heard.dropped, RECORDS + 1);
    journal_queue_free(&queue);
    uv_loop_close(&loop);
    journal.fd = kept;
    close(full);
    journal_close(&journal);
    check_whole(RECORDS);
    text_free(&taken);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, journal_set_up, journal_tear_down);
    tcase_add_test(tests, a_queue_writes_in_order_and_many_at_a_time);
    tcase_add_test(tests, a_write_ends_with_the_record_that_reaches_its_bytes);
    tcase_add_test(tests, a_queue_fills_the_disk_to_the_last_record_that_fits);
    tcase_add_test(tests, a_queue_on_a_full_disk_gives_back_what_it_could_not_write);
}

int main(void) {
    return run_tests("journalqueue", add_tests);
}
