/* SPDX-License-Identifier: MIT */
/* Archives from strangers: unpacked where they should be, refused when they would leave it. */
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <archive.h>
#include <archive_entry.h>

#include "base/file.h"
#include "base/memory.h"
#include "build/archive.h"
#include "base/tree.h"
#include "tools/files.h"
#include "tools/random.h"
#include "tools/temporary.h"
#include "tools/zip.h"
#include "runner.h"

enum { PATH_SIZE = 256 };

static char folder[PATH_SIZE]; /* holds x.zip and out/ */
static char zip[PATH_SIZE + 16];
static char out[PATH_SIZE + 16];

static void setup(void) {
    temporary_folder(folder, sizeof folder, "rd-archive");
    snprintf(zip, sizeof zip, "%s/x.zip", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    ck_assert_int_eq(mkdir(out, 0700), 0);
}

static void teardown(void) {
    ck_assert(tree_remove(folder, NULL));
}

static bool unpack(const ZipEntry *entries, size_t count, const ArchiveLimits *limits, char *top,
                   Error *err) {
    zip_write(zip, entries, count);
    return archive_unpack(zip, out, limits, top, err);
}

START_TEST(a_tree_is_unpacked_with_its_links_and_programs) {
    static const ZipEntry entries[] = {
        {"top/", ZIP_FOLDER, NULL},
        {"top/src/a.c", ZIP_FILE, "int a;\n"},
        {"top/src/run.sh", ZIP_PROGRAM, "#!/bin/sh\n"},
        {"top/src/link.c", ZIP_LINK, "a.c"},
        {"top/src/up.c", ZIP_LINK, "../src/a.c"},
    };
    char top[ARCHIVE_NAME_MAX];
    Error err = {0};
    ck_assert_msg(unpack(entries, COUNT(entries), NULL, top, &err), "%s", err.text);
    ck_assert_str_eq(top, "top");
    char path[PATH_SIZE * 2];
    struct stat status;
    snprintf(path, sizeof path, "%s/top/src/up.c", out);
    Text text = read_whole(path);
    ck_assert_str_eq(text_string(&text), "int a;\n");
    text_free(&text);
    snprintf(path, sizeof path, "%s/top/src/run.sh", out);
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_uint_eq(status.st_mode & 0700, 0700);
}
END_TEST

/* Sets the mark that names are in UTF-8, as git does, in the entries and in the directory. */
static void mark_utf8(Text *bytes) {
    static const struct {
        const char *magic;
        size_t flags;
    } heads[] = {{"PK\3\4", 7}, {"PK\1\2", 9}};
    for (size_t i = 0; i < COUNT(heads); i++) {
        char *at = bytes->data;
        while ((at = memmem(at, bytes->length - (size_t)(at - bytes->data), heads[i].magic, 4))) {
            at[heads[i].flags] |= 0x08;
            at += 4;
        }
    }
}

START_TEST(names_beyond_ascii_are_those_of_the_archive) {
    static const ZipEntry entries[] = {
        {"t\xc3\xb6p/Gr\xc3\xb6\xc3\x9f"
         "e.txt",
         ZIP_FILE, "10"},
        {"t\xc3\xb6p/link", ZIP_LINK,
         "Gr\xc3\xb6\xc3\x9f"
         "e.txt"},
    };
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (!utf8)
        puts("archive: no locale C.UTF-8 here: names that are marked as UTF-8 are left out");
    for (int marked = 0; marked < (utf8 ? 2 : 1); marked++) {
        char top[ARCHIVE_NAME_MAX];
        char path[PATH_SIZE * 2];
        Error err = {0};
        Text bytes = zip_make(entries, COUNT(entries));
        if (marked)
            mark_utf8(&bytes);
        put_bytes(zip, bytes.data, bytes.length, 0644);
        ck_assert_msg(archive_unpack(zip, out, NULL, top, &err), "%s", err.text);
        ck_assert_str_eq(top, "t\xc3\xb6p");
        snprintf(path, sizeof path, "%s/t\xc3\xb6p/link", out);
        Text text = read_whole(path);
        ck_assert_str_eq(text_string(&text), "10");
        snprintf(path, sizeof path, "%s/t\xc3\xb6p", out);
        ck_assert(tree_remove(path, NULL));
        text_free(&text);
        text_free(&bytes);
    }
    if (utf8)
        freelocale(utf8);
}
END_TEST

/* Each would write outside its folder, or be something else than a tree of files. */
static const struct {
    ZipEntry entries[2];
    size_t count;
    const char *words;
} wicked[] = {
    {{{"/etc/rd-evil", ZIP_FILE, "x"}}, 1, "an absolute name"},
    {{{"\\rd-evil", ZIP_FILE, "x"}}, 1, "an absolute name"},
    {{{"top/..\\rd-evil", ZIP_FILE, "x"}}, 1, "characters in the name that are not allowed"},
    {{{"top/../../rd-evil", ZIP_FILE, "x"}}, 1, "\"..\" in its name"},
    {{{"../rd-evil", ZIP_FILE, "x"}}, 1, "\"..\" in its name"},
    {{{"top/l", ZIP_LINK, "/etc"}}, 1, "a link outside its folder"},
    {{{"top/l", ZIP_LINK, "../../etc"}}, 1, "a link outside its folder"},
    {{{"top/l", ZIP_LINK, "a/../../.."}}, 1, "a link outside its folder"},
    {{{"top/l", ZIP_LINK, "sub"}, {"top/l/x", ZIP_FILE, "x"}}, 2, "File exists"},
    {{{"top/x", ZIP_FILE, "x"}, {"top/x", ZIP_FILE, "y"}}, 2, "File exists"},
    {{{"one/x", ZIP_FILE, "x"}, {"two/x", ZIP_FILE, "y"}}, 2, "two top folders"},
    {{{"x", ZIP_FILE, "x"}}, 1, "lies in no folder"},
    {{{"top/a\nb", ZIP_FILE, "x"}}, 1, "characters in the name that are not allowed"},
    {{{"top/x", ZIP_FILE, "0123456789abcdef"}}, 1, "more than 15 bytes"},
    {{{"top/x", ZIP_FILE, "1"}, {"top/y", ZIP_FILE, "2"}}, 2, "more than 1 entries"},
};

START_TEST(a_wicked_archive_is_refused_by_name) {
    char top[ARCHIVE_NAME_MAX];
    Error err = {0};
    ArchiveLimits limits = {0};
    if (strstr(wicked[_i].words, "bytes"))
        limits.bytes = 15;
    if (strstr(wicked[_i].words, "entries"))
        limits.files = 1;
    ck_assert_msg(!unpack(wicked[_i].entries, wicked[_i].count, &limits, top, &err), "taken: %s",
                  wicked[_i].entries[0].name);
    ck_assert_msg(strstr(err.text, wicked[_i].words) != NULL, "said: %s\nwanted: %s", err.text,
                  wicked[_i].words);
    char path[PATH_SIZE * 2];
    snprintf(path, sizeof path, "%s/rd-evil", folder);
    ck_assert(access(path, F_OK) != 0);
    ck_assert(access("/etc/rd-evil", F_OK) != 0);
}
END_TEST

/* A name, or a link's target, made of one text so many times. */
static const struct {
    const char *part;
    size_t times;
    ZipKind kind;
    const char *words; /* How the error ends; NULL: the entry is unpacked. */
} long_ones[] = {
    {"x", NAME_MAX, ZIP_FILE, NULL},
    {"x", NAME_MAX + 1, ZIP_FILE, "...: its name is too long or too deep"},
    {"d/", 63, ZIP_FOLDER, NULL},
    {"d/", 64, ZIP_FOLDER, "...: its name is too long or too deep"},
    {"0123456789abcdef0123456789abcdef/", 62, ZIP_FOLDER, "...: its name is too long"},
    {"x", PATH_MAX, ZIP_LINK, "entry top/link: a link whose target is too long"},
};

START_TEST(names_and_targets_have_a_longest_length) {
    char top[ARCHIVE_NAME_MAX];
    Error err = {0};
    Text text = {0};
    ZipKind kind = long_ones[_i].kind;
    const char *words = long_ones[_i].words;
    text_add(&text, kind == ZIP_LINK ? "" : "top/");
    for (size_t i = 0; i < long_ones[_i].times; i++)
        text_add(&text, long_ones[_i].part);
    ZipEntry entries[] = {{kind == ZIP_LINK ? "top/link" : text_string(&text), kind,
                           kind == ZIP_FOLDER ? NULL : text_string(&text)}};
    bool taken = unpack(entries, 1, NULL, top, &err);
    ck_assert_msg(taken == (words == NULL), "%s", taken ? "taken" : err.text);
    size_t length = strlen(err.text);
    ck_assert_msg(
        taken || (length >= strlen(words) && strcmp(err.text + length - strlen(words), words) == 0),
        "said: %s\nwanted: %s", err.text, words);
    text_free(&text);
}
END_TEST

/* Small on the way, large when unpacked: no more of it reaches the disk than is allowed. */
START_TEST(a_bomb_is_not_unpacked) {
    enum { BOMB = 8 << 20, LIMIT = 1 << 20, SMALL = 1 << 17 };
    char *zeros = mem_alloc(BOMB + 1);
    char top[ARCHIVE_NAME_MAX];
    char path[PATH_SIZE * 2];
    struct stat status;
    Error err = {0};
    memset(zeros, '0', BOMB);
    zeros[BOMB] = '\0';
    ZipEntry entries[] = {{"top/bomb", ZIP_FILE, zeros}};
    ArchiveLimits limits = {.bytes = LIMIT};
    ck_assert(!unpack(entries, 1, &limits, top, &err));
    ck_assert_msg(strstr(err.text, "more than 1048576 bytes") != NULL, "%s", err.text);
    ck_assert_int_eq(stat(zip, &status), 0);
    ck_assert_int_lt(status.st_size, SMALL);
    snprintf(path, sizeof path, "%s/top/bomb", out);
    ck_assert(stat(path, &status) != 0 || status.st_size <= LIMIT);
    free(zeros);
}
END_TEST

/* Each entry makes the folders on its way, and a link makes them last of all. */
START_TEST(folders_on_the_way_count_as_entries_do) {
    enum { ENTRIES = 10, DEPTH = 60, LIMIT = 100 };
    static const ZipKind kinds[] = {ZIP_FILE, ZIP_LINK, ZIP_FOLDER};
    char *names[ENTRIES];
    ZipEntry entries[ENTRIES];
    char top[ARCHIVE_NAME_MAX];
    Error err = {0};
    ArchiveLimits limits = {.files = LIMIT};
    for (int i = 0; i < ENTRIES; i++) {
        Text name = {0};
        text_addf(&name, "top/%d", i);
        for (int k = 0; k < DEPTH; k++)
            text_add(&name, "/d");
        names[i] = text_take(&name);
        entries[i] = (ZipEntry){names[i], kinds[_i], kinds[_i] == ZIP_FOLDER ? NULL : "x"};
    }
    ck_assert(!unpack(entries, ENTRIES, &limits, top, &err));
    ck_assert_msg(strstr(err.text, "more than 100 entries and folders") != NULL, "%s", err.text);
    for (int i = 0; i < ENTRIES; i++)
        free(names[i]);
}
END_TEST

/* Makes the zip's end own up to a single entry. */
static void hide_entries(void) {
    static const char END[] = "PK\5\6";
    static const char ONE[] = {1, 0, 1, 0};
    enum { COUNTS = 8 }; /* Where the end has the two counts. */
    Text bytes = read_whole(zip);
    char *end = memmem(bytes.data, bytes.length, END, strlen(END));
    ck_assert_ptr_nonnull(end);
    memcpy(end + COUNTS, ONE, sizeof ONE);
    put_bytes(zip, bytes.data, bytes.length, 0600);
    text_free(&bytes);
}

/* A directory of so many entries would fill the memory before the first entry is seen. */
START_TEST(a_zip_of_too_many_entries_is_not_opened) {
    enum { MOST = 100000 };
    ZipEntry *entries = mem_calloc(MOST + 1, sizeof *entries);
    char top[ARCHIVE_NAME_MAX];
    Error err = {0};
    for (int i = 0; i <= MOST; i++)
        entries[i] = (ZipEntry){"t/", ZIP_FOLDER, NULL};
    zip_write(zip, entries, MOST);
    ck_assert(archive_is_whole(zip));
    zip_write(zip, entries, MOST + 1);
    for (int i = 0; i < 2; i++) {
        ck_assert(!archive_is_whole(zip));
        ck_assert(!archive_unpack(zip, out, NULL, top, &err));
        ck_assert_msg(strstr(err.text, "x.zip: more than 100000 entries, ") != NULL, "%s",
                      err.text);
        hide_entries();
    }
    free(entries);
}
END_TEST

static const mode_t odd_types[] = {S_IFIFO, S_IFCHR, S_IFBLK, S_IFSOCK};

/* The kind of an entry stands in the zip's directory, as Unix has it. libarchive reads a pipe there
 * as a plain file. */
START_TEST(a_pipe_or_a_device_is_never_made) {
    enum { MADE_BY = 5, UNIX = 3, ATTRIBUTES = 40, MODE = 0644 };
    static const ZipEntry entries[] = {{"top/odd", ZIP_FILE, ""}};
    char top[ARCHIVE_NAME_MAX];
    Error err = {0};
    Text bytes = zip_make(entries, 1);
    char *directory = memmem(bytes.data, bytes.length, "PK\1\2", 4);
    ck_assert_ptr_nonnull(directory);
    directory[MADE_BY] = UNIX;
    directory[ATTRIBUTES] = (char)((odd_types[_i] | MODE) & 0xff);
    directory[ATTRIBUTES + 1] = (char)((odd_types[_i] | MODE) >> 8);
    put_bytes(zip, bytes.data, bytes.length, 0644);
    struct stat status;
    bool taken = archive_unpack(zip, out, NULL, top, &err);
    char path[PATH_SIZE * 2];
    snprintf(path, sizeof path, "%s/top/odd", out);
    if (taken) {
        ck_assert_uint_eq(odd_types[_i], S_IFIFO);
        ck_assert_int_eq(lstat(path, &status), 0);
        ck_assert(S_ISREG(status.st_mode));
    } else {
        ck_assert_msg(strstr(err.text, "neither a file, a folder nor a symbolic link") != NULL,
                      "%s", err.text);
        ck_assert_int_ne(lstat(path, &status), 0);
    }
    text_free(&bytes);
}
END_TEST

/* Other formats can hold devices and hard links: none of them is read. */
START_TEST(only_a_zip_is_unpacked) {
    static const struct {
        const char *name;
        mode_t type;
        const char *link;
    } entries[] = {{"top/null", AE_IFCHR, NULL},
                   {"top/a", AE_IFREG, NULL},
                   {"top/b", AE_IFREG, "/etc/passwd"}};
    char top[ARCHIVE_NAME_MAX];
    Error err = {0};
    struct archive *tar = archive_write_new();
    archive_write_set_format_ustar(tar);
    ck_assert_int_eq(archive_write_open_filename(tar, zip), ARCHIVE_OK);
    for (size_t i = 0; i < COUNT(entries); i++) {
        struct archive_entry *entry = archive_entry_new();
        archive_entry_set_pathname(entry, entries[i].name);
        archive_entry_set_filetype(entry, entries[i].type);
        archive_entry_set_perm(entry, 0644);
        archive_entry_set_rdev(entry, 259);
        archive_entry_set_size(entry, 0);
        if (entries[i].link)
            archive_entry_set_hardlink(entry, entries[i].link);
        ck_assert_int_eq(archive_write_header(tar, entry), ARCHIVE_OK);
        archive_entry_free(entry);
    }
    archive_write_free(tar);
    ck_assert(!archive_unpack(zip, out, NULL, top, &err));
    ck_assert_msg(strstr(err.text, "/x.zip: not a zip archive: ") != NULL, "%s", err.text);
    char path[PATH_SIZE * 2];
    snprintf(path, sizeof path, "%s/top", out);
    ck_assert(access(path, F_OK) != 0);
}
END_TEST

START_TEST(what_is_no_zip_is_said_to_be_none) {
    char top[ARCHIVE_NAME_MAX];
    Error err = {0};
    Text text = {0};
    put_text(zip, "<html>");
    ck_assert(!archive_unpack(zip, out, NULL, top, &err));
    ck_assert_msg(strstr(err.text, "/x.zip: not a zip archive: ") != NULL, "%s", err.text);
    ck_assert(!archive_read_single(zip, 100, &text, &err));
    ck_assert(!archive_is_whole(zip));
    ck_assert(!archive_unpack("/nonexistent.zip", out, NULL, top, &err));
    ck_assert_str_eq(err.text, "/nonexistent.zip: No such file or directory");
    ck_assert(!archive_read_text("/nonexistent", 100, &text, &err));
    ck_assert_str_eq(err.text, "/nonexistent: No such file or directory");
    text_free(&text);
}
END_TEST

START_TEST(a_book_is_the_only_file_of_its_zip) {
    static const ZipEntry one[] = {{"b.epd", ZIP_FILE, "line 1\r\nline 2\r\n"}};
    static const ZipEntry two[] = {{"b.epd", ZIP_FILE, "x"}, {"c.epd", ZIP_FILE, "y"}};
    Text text = {0};
    Error err = {0};
    zip_write(zip, one, 1);
    ck_assert_msg(archive_read_single(zip, 100, &text, &err), "%s", err.text);
    ck_assert_str_eq(text_string(&text), "line 1\r\nline 2\r\n");
    text_clear(&text);
    ck_assert(!archive_read_single(zip, 15, &text, &err));
    ck_assert_msg(strstr(err.text, "more than 15 bytes") != NULL, "%s", err.text);
    zip_write(zip, two, 2);
    ck_assert(!archive_read_single(zip, 100, &text, &err));
    ck_assert_msg(strstr(err.text, "more than one file in it: expected one file") != NULL, "%s",
                  err.text);
    ck_assert(archive_is_whole(zip));
    for (int bytes = 40; bytes >= 0; bytes -= 40) {
        ck_assert_int_eq(truncate(zip, bytes), 0);
        ck_assert_msg(!archive_is_whole(zip), "%d bytes are whole", bytes);
    }
    text_free(&text);
}
END_TEST

/* A server keeps a book's zip by the digest of its text, so the zip must not change with the day.
 */
START_TEST(the_same_text_gives_the_same_zip) {
    Text text = {0};
    Error err = {0};
    ck_assert_msg(archive_write_single(zip, "a.epd", "one\r\n", 5, &err), "%s", err.text);
    Text first = read_whole(zip);
    sleep(2); /* The times in a zip have a step of two seconds. */
    ck_assert_msg(archive_write_single(zip, "a.epd", "one\r\n", 5, &err), "%s", err.text);
    Text second = read_whole(zip);
    ck_assert_uint_eq(first.length, second.length);
    ck_assert_mem_eq(first.data, second.data, first.length);
    ck_assert_msg(archive_read_single(zip, 10, &text, &err), "%s", err.text);
    ck_assert_str_eq(text_string(&text), "one\r\n");
    ck_assert(!archive_write_single("/nowhere/x.zip", "a", "b", 1, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "/nowhere/x.zip"));
    text_free(&first);
    text_free(&second);
    text_free(&text);
}
END_TEST

START_TEST(a_plain_text_and_an_empty_one_are_read_too) {
    Text text = {0};
    Error err = {0};
    put_text(zip, "plain\n");
    ck_assert_msg(archive_read_text(zip, 6, &text, &err), "%s", err.text);
    ck_assert_str_eq(text_string(&text), "plain\n");
    ck_assert(!archive_read_text(zip, 5, &text, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "more than 5 bytes"));
    text_free(&text);
    put_text(zip, "");
    ck_assert_msg(archive_read_text(zip, 6, &text, &err), "%s", err.text);
    ck_assert_str_eq(text_string(&text), "");
    ck_assert(!archive_read_text("/nowhere/x", 6, &text, &err));
    text_free(&text);
}
END_TEST

static bool pack_single(const char *to, const char *plain, Error *err) {
    Text text = {0};
    ck_assert_msg(file_read(plain, 1 << 21, &text, err), "%s", err->text);
    bool ok = archive_write_single(to, "a.pgn", text.data, text.length, err);
    text_free(&text);
    return ok;
}

static bool pack_tar(const char *to, const char *plain, Error *err) {
    Words files = {0};
    words_add(&files, plain);
    bool ok = archive_write_tar(to, &files, err);
    words_free(&files);
    return ok;
}

static bool pack_bzip2(const char *to, const char *plain, Error *err) {
    return archive_pack(plain, to, err);
}

/* A limit of the size of files stands for the full disk. */
START_TEST(a_full_disk_is_named_with_the_file) {
    enum { PLAIN = 1 << 20, ROOM = 1 << 17 };
    bool (*const packs[])(const char *to, const char *plain, Error *err) = {pack_single, pack_tar,
                                                                            pack_bzip2};
    char plain[PATH_SIZE + 16];
    char *noise = mem_alloc(PLAIN);
    uint64_t state = 1;
    struct rlimit limit;
    Error err = {0};
    for (size_t i = 0; i < PLAIN; i++)
        noise[i] = (char)next_random(&state);
    snprintf(plain, sizeof plain, "%s/plain", folder);
    put_bytes(plain, noise, PLAIN, 0644);
    free(noise);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = ROOM;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    bool packed = packs[_i](zip, plain, &err);
    limit.rlim_cur = before;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert(!packed);
    ck_assert_msg(strstr(err.text, zip) && strstr(err.text, ": File too large"), "%s", err.text);
}
END_TEST

static void add_tests(TCase *tc) {
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, the_same_text_gives_the_same_zip);
    tcase_add_test(tc, a_plain_text_and_an_empty_one_are_read_too);
    tcase_add_test(tc, a_tree_is_unpacked_with_its_links_and_programs);
    tcase_add_test(tc, names_beyond_ascii_are_those_of_the_archive);
    tcase_add_loop_test(tc, a_wicked_archive_is_refused_by_name, 0, (int)COUNT(wicked));
    tcase_add_loop_test(tc, names_and_targets_have_a_longest_length, 0, (int)COUNT(long_ones));
    tcase_add_test(tc, a_bomb_is_not_unpacked);
    tcase_add_loop_test(tc, folders_on_the_way_count_as_entries_do, 0, 3);
    tcase_add_test(tc, a_zip_of_too_many_entries_is_not_opened);
    tcase_add_loop_test(tc, a_pipe_or_a_device_is_never_made, 0, (int)COUNT(odd_types));
    tcase_add_test(tc, only_a_zip_is_unpacked);
    tcase_add_test(tc, what_is_no_zip_is_said_to_be_none);
    tcase_add_test(tc, a_book_is_the_only_file_of_its_zip);
    tcase_add_loop_test(tc, a_full_disk_is_named_with_the_file, 0, 3);
}

int main(void) {
    return run_tests("archive", add_tests);
}
