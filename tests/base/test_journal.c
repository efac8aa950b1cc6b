/* SPDX-License-Identifier: MIT */
/* Journals: what was appended is there, a torn end is passed over, and nothing else is. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/journal_rig.h"
#include "runner.h"
#include "tools/files.h"

enum { FILE_MAX = 1 << 20 };

static void check_refused(const char *words) {
    Text taken = {0};
    Journal journal;
    Error err = {0};
    ck_assert(!journal_open(&journal, journal_path, take_record, &taken, &err));
    ck_assert_msg(strstr(err.text, words) != NULL, "'%s' is not in: %s", words, err.text);
    ck_assert(!journal_read(journal_path, take_record, &taken, &err));
    ck_assert_msg(strstr(err.text, words) != NULL, "'%s' is not in: %s", words, err.text);
    text_free(&taken);
}

START_TEST(what_was_appended_is_read) {
    make_journal();
    check_whole(RECORDS);
    Text first = {0};
    Error err = {0};
    ck_assert_msg(journal_first(journal_path, &first, &err), "%s", err.text);
    text_add_char(&first, '\n');
    check_records(text_string(&first), 1);
    text_free(&first);
}
END_TEST

/* ---- What waits for the disk ---- */

enum { SYNCS = 4 };

/* What was waited for: in the place of the library's fsync. */
static struct {
    bool is_folder;
    bool named; /* The journal had its name. */
    int64_t length;
} synced[SYNCS];
static int syncs;
static unsigned failing; /* The lowest bit: the next sync fails; and so on. */

int fsync(int fd) {
    struct stat info;
    bool fails = failing & 1;
    failing >>= 1;
    if (fails) {
        errno = EIO;
        return -1;
    }
    if (syncs < SYNCS && fstat(fd, &info) == 0) {
        synced[syncs].is_folder = S_ISDIR(info.st_mode);
        synced[syncs].named = access(journal_path, F_OK) == 0;
        synced[syncs].length = (int64_t)info.st_size;
    }
    syncs++;
    return (int)syscall(SYS_fsync, fd);
}

/* The first record before the name, the name in its folder, and each write. */
START_TEST(what_is_acknowledged_is_on_the_disk) {
    Journal journal;
    Error err = {0};
    syncs = 0;
    ck_assert(journal_create(&journal, journal_path, "{\"number\":0}", 12, &err));
    ck_assert_int_eq(syncs, 2);
    ck_assert(!synced[0].is_folder && !synced[0].named);
    ck_assert_int_eq(synced[0].length, journal.length);
    ck_assert(synced[1].is_folder && synced[1].named);
    append_record(&journal, 1);
    ck_assert_int_eq(syncs, 3);
    ck_assert(!synced[2].is_folder);
    ck_assert_int_eq(synced[2].length, journal.length);
    journal_close(&journal);
}
END_TEST

START_TEST(a_journal_whose_name_may_be_lost_is_not_there) {
    Journal journal;
    Error err = {0};
    failing = 2; /* The folder's. */
    ck_assert(!journal_create(&journal, journal_path, "{\"number\":0}", 12, &err));
    ck_assert_msg(strstr(err.text, "its folder: ") != NULL, "%s", err.text);
    ck_assert(!file_exists(journal_path));
}
END_TEST

START_TEST(a_record_that_may_stay_at_the_end_ends_the_writing) {
    Journal journal;
    Text taken = {0};
    Error err = {0};
    make_journal();
    ck_assert(journal_open(&journal, journal_path, take_record, &taken, &err));
    failing = 1; /* The write's; it is taken back. */
    ck_assert(!journal_append(&journal, "{\"lost\":0}", 10, &err));
    ck_assert(!journal.spoilt);
    append_record(&journal, RECORDS);
    failing = 3; /* Taking it back fails too. */
    ck_assert(!journal_append(&journal, "{\"lost\":0}", 10, &err));
    ck_assert(journal.spoilt);
    /* A match writes "--" before this text. */
    ck_assert_msg(strncmp(err.text, "journal ", strlen("journal ")) == 0, "%s", err.text);
    ck_assert_msg(strstr(err.text, "; the record may stay at its end") != NULL, "%s", err.text);
    ck_assert(!journal_append(&journal, "{\"lost\":0}", 10, &err));
    ck_assert_msg(strstr(err.text, "may stay at its end") != NULL, "%s", err.text);
    journal_close(&journal);
    check_whole(RECORDS + 1);
    text_free(&taken);
}
END_TEST

START_TEST(everybody_may_read_a_journal) {
    struct stat info;
    make_journal();
    ck_assert_int_eq(stat(journal_path, &info), 0);
    ck_assert_int_eq(info.st_mode & 0777, 0644);
}
END_TEST

/* Cut anywhere, a journal has the records that are whole, and goes on after them. */
START_TEST(a_torn_end_is_dropped_wherever_it_is_torn) {
    make_journal();
    Text whole = read_whole(journal_path);
    size_t first = strcspn(whole.data, "\n") + 1;
    for (size_t length = first; length <= whole.length; length++) {
        int records = 0;
        for (size_t i = 0; i < length; i++)
            records += whole.data[i] == '\n';
        write_journal(whole.data, length);
        check_whole(records);
    }
    text_free(&whole);
}
END_TEST

/* A power cut can leave the length and not the bytes. */
START_TEST(a_last_record_of_zeros_is_dropped) {
    make_journal();
    Text bytes = read_whole(journal_path);
    size_t whole = bytes.length;
    for (int i = 0; i < 40; i++)
        text_add_char(&bytes, '\0');
    write_journal(bytes.data, bytes.length);
    check_whole(RECORDS);
    text_add_char(&bytes, '\n');
    write_journal(bytes.data, bytes.length);
    check_whole(RECORDS);
    /* The last record's first bytes may be what is missing. */
    memset(bytes.data + whole - 8, 0, 6);
    write_journal(bytes.data, whole);
    check_whole(RECORDS - 1);
    text_free(&bytes);
}
END_TEST

/* Any other damage is refused by its line. */
START_TEST(damage_before_the_end_is_refused) {
    make_journal();
    Text whole = read_whole(journal_path);
    size_t last = whole.length - 1;
    while (whole.data[last - 1] != '\n')
        last--;
    int line = 1;
    for (size_t i = 0; i + 1 < last; i++) {
        char words[32];
        snprintf(words, sizeof words, line == 1 ? "is not a journal" : "line %d is damaged", line);
        line += whole.data[i] == '\n';
        whole.data[i] ^= 1;
        write_journal(whole.data, whole.length);
        check_refused(words);
        whole.data[i] ^= 1;
    }
    text_free(&whole);
}
END_TEST

START_TEST(what_is_no_journal_is_refused_and_kept) {
    static const char *const OTHERS[] = {"", "\n", "1. e4 e5", "{\"number\":0}\n{\"number\":1}\n"};
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        write_journal(OTHERS[i], strlen(OTHERS[i]));
        check_refused(OTHERS[i][0] == '\0' ? "is empty: no record is in it"
                      : strchr(OTHERS[i], '\n') != NULL
                          ? "is not a journal: its first line has no checksum that matches"
                          : "is not a journal: it ends within its first line");
        Text after = read_whole(journal_path);
        ck_assert_str_eq(text_string(&after), OTHERS[i]);
        text_free(&after);
    }
    unlink(journal_path);
    check_refused("No such file");
    ck_assert_int_eq(mkfifo(journal_path, 0600), 0);
    check_refused("is not a regular file");
}
END_TEST

START_TEST(a_file_that_exists_is_not_replaced) {
    Journal journal;
    Error err = {0};
    write_journal("mine", 4);
    ck_assert(!journal_create(&journal, journal_path, "{\"number\":0}", 12, &err));
    ck_assert_msg(strstr(err.text, "File exists") != NULL, "%s", err.text);
    Text after = read_whole(journal_path);
    ck_assert_str_eq(text_string(&after), "mine");
    text_free(&after);
}
END_TEST

/* Another process may not open the journal. */
static void check_held(void) {
    pid_t child = fork();
    if (child == 0) {
        Journal second;
        Text taken = {0};
        Error err = {0};
        bool opened = journal_open(&second, journal_path, take_record, &taken, &err);
        _exit(opened ? 1 : strstr(err.text, "another process is using it") == NULL ? 2 : 0);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

START_TEST(whoever_made_it_has_it) {
    Journal journal;
    Error err = {0};
    ck_assert(journal_create(&journal, journal_path, "{\"number\":0}", 12, &err));
    check_held();
    journal_close(&journal);
}
END_TEST

START_TEST(one_process_at_a_time_has_it) {
    Journal journal;
    Error err = {0};
    Text taken = {0};
    make_journal();
    ck_assert_msg(journal_open(&journal, journal_path, take_record, &taken, &err), "%s", err.text);
    /* A report that this process makes of the journal meanwhile leaves the lock alone. */
    Text read = {0};
    ck_assert_msg(journal_read(journal_path, take_record, &read, &err), "%s", err.text);
    text_free(&read);
    check_held();
    journal_close(&journal);
    check_whole(RECORDS);
    text_free(&taken);
}
END_TEST

/* Another process opens a journal while its maker removes it: it must not write into a file without
 * a name. The opening waits for the lock meanwhile; where it is later still, it finds no file. */
START_TEST(a_journal_that_its_maker_removes_is_not_gone_on_with) {
    enum { NAP_US = 200 * 1000 };
    Journal journal, second;
    Text taken = {0};
    Error err = {0};
    ck_assert(journal_create(&journal, journal_path, "{\"number\":0}", 12, &err));
    pid_t maker = fork(); /* The two share the lock. */
    if (maker == 0) {
        usleep(NAP_US);
        _exit(unlink(journal_path));
    }
    journal_close(&journal);
    ck_assert(!journal_open(&second, journal_path, take_record, &taken, &err));
    int status;
    ck_assert_int_eq(waitpid(maker, &status, 0), maker);
    ck_assert_int_eq(status, 0);
    ck_assert_uint_eq(taken.length, 0);
    text_free(&taken);
}
END_TEST

/* A record that does not fit on the disk leaves the journal as it was. */
START_TEST(a_full_disk_loses_nothing_else) {
    Journal journal;
    Error err = {0};
    Text taken = {0};
    make_journal();
    ck_assert(journal_open(&journal, journal_path, take_record, &taken, &err));
    int full = open("/dev/full", O_WRONLY);
    int kept = journal.fd;
    if (full >= 0) {
        journal.fd = full;
        ck_assert(!journal_append(&journal, "{\"number\":5}", 12, &err));
        ck_assert_msg(strstr(err.text, "No space left") != NULL, "%s", err.text);
        journal.fd = kept;
        close(full);
    }
    journal_close(&journal);
    check_whole(RECORDS);
    text_free(&taken);
}
END_TEST

/* ---- Several records in one write ---- */

enum { GROUPS = 3, GROUP = 6, SECTOR = 64 };

/* A journal whose records 1 ... are GROUPS writes of GROUP records each; where the last begins. */
static size_t make_groups(Text *bytes) {
    static const char FIRST[] = "{\"number\":0}";
    Journal journal;
    Error err = {0};
    size_t last = 0;
    int number = 1;
    unlink(journal_path);
    ck_assert_msg(journal_create(&journal, journal_path, FIRST, strlen(FIRST), &err), "%s",
                  err.text);
    for (int group = 0; group < GROUPS; group++) {
        Text write = {0};
        last = (size_t)journal.length;
        for (int i = 0; i < GROUP; i++, number++) {
            char record[32];
            snprintf(record, sizeof record, "{\"number\":%d}", number);
            journal_add(&write, record, strlen(record));
        }
        ck_assert_msg(journal_write(&journal, &write, &err), "%s", err.text);
        text_free(&write);
    }
    journal_close(&journal);
    ck_assert(file_read(journal_path, FILE_MAX, bytes, &err));
    return last;
}

static int count_lines(const char *bytes, size_t length) {
    int lines = 0;
    for (size_t i = 0; i < length; i++)
        lines += bytes[i] == '\n';
    return lines;
}

/* A power cut may leave any of its sectors unwritten: the records before the first of these count,
 * and nothing is refused. */
START_TEST(a_torn_write_is_dropped_whichever_of_its_sectors_are_missing) {
    Text whole = {0};
    size_t last = make_groups(&whole);
    size_t sectors = (whole.length - last + SECTOR - 1) / SECTOR;
    ck_assert_uint_ge(sectors, GROUP - 1);
    check_whole(1 + GROUPS * GROUP);
    for (uint64_t missing = 1; missing < (uint64_t)1 << sectors; missing++) {
        size_t first = whole.length;
        Text torn = {0};
        text_add_bytes(&torn, whole.data, whole.length);
        for (size_t i = sectors; i-- > 0;) {
            size_t at = last + i * SECTOR;
            if (!(missing >> i & 1))
                continue;
            memset(torn.data + at, 0, at + SECTOR < torn.length ? SECTOR : torn.length - at);
            first = at;
        }
        write_journal(torn.data, torn.length);
        check_whole(count_lines(whole.data, first));
        text_free(&torn);
    }
    text_free(&whole);
}
END_TEST

/* Else what is whole in it would follow the next write, when that is as long as what is torn. */
START_TEST(a_torn_write_is_cut_off_before_the_next) {
    Text bytes = {0};
    size_t last = make_groups(&bytes);
    bytes.data[last + 2] ^= 1;
    write_journal(bytes.data, bytes.length);
    check_whole(1 + (GROUPS - 1) * GROUP);
    text_free(&bytes);
}
END_TEST

/* Its first record would fit. */
START_TEST(a_write_that_does_not_fit_leaves_none_of_its_records) {
    Journal journal;
    Error err = {0};
    Text taken = {0};
    Text write = {0};
    struct rlimit kept;
    make_journal();
    ck_assert(journal_open(&journal, journal_path, take_record, &taken, &err));
    journal_add(&write, "{\"number\":5}", 12);
    struct rlimit limit = {.rlim_cur = (rlim_t)journal.length + write.length + 1};
    journal_add(&write, "{\"number\":6}", 12);
    ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &kept), 0);
    limit.rlim_max = kept.rlim_max;
    int set = setrlimit(RLIMIT_FSIZE, &limit);
    bool written = journal_write(&journal, &write, &err);
    int put_back = setrlimit(RLIMIT_FSIZE, &kept);
    ck_assert_int_eq(set, 0);
    ck_assert_int_eq(put_back, 0);
    ck_assert(!written);
    journal_close(&journal);
    check_whole(RECORDS);
    text_free(&write);
    text_free(&taken);
}
END_TEST

/* What was acknowledged is not taken for torn. */
START_TEST(damage_before_the_last_write_is_refused) {
    Text whole = {0};
    size_t last = make_groups(&whole);
    int line = 1;
    for (size_t i = 0; i < last; i++) {
        char words[32];
        snprintf(words, sizeof words, line == 1 ? "is not a journal" : "line %d is damaged", line);
        line += whole.data[i] == '\n';
        whole.data[i] ^= 1;
        write_journal(whole.data, whole.length);
        check_refused(words);
        whole.data[i] ^= 1;
    }
    text_free(&whole);
}
END_TEST

/* ---- Reading past damage ---- */

typedef struct {
    Text taken;
    int damaged;
} PastDamage;

static bool take_past(const char *record, size_t length, void *user, Error *err) {
    return take_record(record, length, &((PastDamage *)user)->taken, err);
}

static bool count_damaged(const char *record, size_t length, void *user, Error *err) {
    (void)record;
    (void)length;
    (void)err;
    ((PastDamage *)user)->damaged++;
    return true;
}

/* Reading past damage finds so many records and damaged lines. */
static void check_past_damage(int records, int damaged) {
    PastDamage past = {0};
    Error err = {0};
    ck_assert_msg(journal_read_past_damage(journal_path, take_past, count_damaged, &past, &err),
                  "%s", err.text);
    ck_assert_int_eq(count_lines(text_string(&past.taken), past.taken.length), records);
    ck_assert_int_eq(past.damaged, damaged);
    text_free(&past.taken);
}

/* Where the line of this number, from 0, begins. */
static size_t line_start(const Text *bytes, int line) {
    size_t at = 0;
    for (; line > 0; line--)
        at = (size_t)(strchr(bytes->data + at, '\n') - bytes->data) + 1;
    return at;
}

/* Damages the first bytes of these lines, as a bit a line. */
static void damage_lines(Text *bytes, uint32_t lines) {
    for (int line = 0; line < 32; line++)
        if (lines >> line & 1)
            bytes->data[line_start(bytes, line) + 2] ^= 1;
    write_journal(bytes->data, bytes->length);
}

START_TEST(damaged_lines_of_single_writes_are_counted) {
    for (uint32_t lines = 0; lines < 1u << (RECORDS - 1); lines++) {
        int bad = __builtin_popcount(lines);
        int tail = 0; /* Damaged lines at the end may be one torn write. */
        while (tail < RECORDS - 1 && lines >> (RECORDS - 2 - tail) & 1)
            tail++;
        make_journal();
        Text bytes = read_whole(journal_path);
        damage_lines(&bytes, lines << 1);
        check_past_damage(RECORDS - bad, bad - tail);
        text_free(&bytes);
        unlink(journal_path);
    }
}
END_TEST

START_TEST(damaged_lines_of_larger_writes_are_counted) {
    static const struct {
        uint32_t lines; /* The damaged ones, a bit each. */
        int records, damaged;
    } cases[] = {
        {1u << 1, 18, 1},            /* The first of the first write. */
        {1u << 3 | 1u << 8, 17, 2},  /* One of each of the first two. */
        {0x7eu, 13, 6},              /* The whole first write. */
        {1u << 3 | 1u << 15, 14, 1}, /* A torn last write besides: its rest is passed over. */
        {1u << 13, 13, 0},           /* The last write alone. */
        {0x7fff8u, 3, 0},            /* All from the third line on: they may be one torn write. */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text bytes = {0};
        make_groups(&bytes);
        damage_lines(&bytes, cases[i].lines);
        check_past_damage(cases[i].records, cases[i].damaged);
        text_free(&bytes);
    }
}
END_TEST

/* No write is so long. */
START_TEST(many_damaged_lines_at_the_end_are_no_torn_write) {
    enum { LINES = JOURNAL_WRITE_RECORDS + 5 };
    make_journal();
    Text bytes = read_whole(journal_path);
    for (int i = 0; i < LINES; i++)
        text_add(&bytes, "no record\n");
    write_journal(bytes.data, bytes.length);
    check_past_damage(RECORDS, LINES - 1);
    check_refused("line 6 is damaged");
    text_free(&bytes);
}
END_TEST

START_TEST(a_damaged_first_line_is_no_journal) {
    PastDamage past = {0};
    Text bytes = {0};
    Error err = {0};
    make_groups(&bytes);
    damage_lines(&bytes, 1);
    ck_assert(!journal_read_past_damage(journal_path, take_past, count_damaged, &past, &err));
    ck_assert_msg(strstr(err.text, "is not a journal") != NULL, "%s", err.text);
    ck_assert_int_eq(past.damaged, 0);
    text_free(&bytes);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, journal_set_up, journal_tear_down);
    tcase_add_test(tests, what_was_appended_is_read);
    tcase_add_test(tests, what_is_acknowledged_is_on_the_disk);
    tcase_add_test(tests, a_journal_whose_name_may_be_lost_is_not_there);
    tcase_add_test(tests, a_record_that_may_stay_at_the_end_ends_the_writing);
    tcase_add_test(tests, everybody_may_read_a_journal);
    tcase_add_test(tests, a_torn_end_is_dropped_wherever_it_is_torn);
    tcase_add_test(tests, a_last_record_of_zeros_is_dropped);
    tcase_add_test(tests, damage_before_the_end_is_refused);
    tcase_add_test(tests, what_is_no_journal_is_refused_and_kept);
    tcase_add_test(tests, a_file_that_exists_is_not_replaced);
    tcase_add_test(tests, whoever_made_it_has_it);
    tcase_add_test(tests, one_process_at_a_time_has_it);
    tcase_add_test(tests, a_journal_that_its_maker_removes_is_not_gone_on_with);
    tcase_add_test(tests, a_full_disk_loses_nothing_else);
    tcase_add_test(tests, a_torn_write_is_dropped_whichever_of_its_sectors_are_missing);
    tcase_add_test(tests, a_torn_write_is_cut_off_before_the_next);
    tcase_add_test(tests, a_write_that_does_not_fit_leaves_none_of_its_records);
    tcase_add_test(tests, damage_before_the_last_write_is_refused);
    tcase_add_test(tests, damaged_lines_of_single_writes_are_counted);
    tcase_add_test(tests, damaged_lines_of_larger_writes_are_counted);
    tcase_add_test(tests, many_damaged_lines_at_the_end_are_no_torn_write);
    tcase_add_test(tests, a_damaged_first_line_is_no_journal);
}

int main(void) {
    return run_tests("journal", add_tests);
}
