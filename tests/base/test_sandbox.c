/* SPDX-License-Identifier: MIT */
/* The sandbox: what a confined engine and a confined build may do and what not, tried by the
 * scripted engine's tricks with every part of the kernel's help taken away in turn. */
#include <check.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
_Static_assert(LANDLOCK_ACCESS_FS_EXECUTE == 1 && LANDLOCK_ACCESS_FS_WRITE_FILE == 2 &&
                   LANDLOCK_ACCESS_FS_READ_FILE == 4 && LANDLOCK_ACCESS_FS_READ_DIR == 8 &&
                   LANDLOCK_ACCESS_FS_MAKE_SYM == 1 << 12,
               "worker/base/confine.c numbers the rights by hand");
_Static_assert(sizeof(struct landlock_path_beneath_attr) == 12 && LANDLOCK_RULE_PATH_BENEATH == 1,
               "and a rule's layout");
#endif

#include "base/child.h"
#include "base/file.h"
#include "base/filter.h"
#include "base/resident.h"
#include "base/sandbox.h"
#include "base/text.h"
#include "base/tree.h"
#include "runner.h"

enum { PATH_SIZE = 512, ANSWER_SIZE = 256, OUTPUT_MAX = 1 << 20 };

/* ---- A place to try it in ---- */

/* A home with a secret, an engine's folder with a file beside the engine, and listening sockets. */
typedef struct {
    char folder[PATH_SIZE]; /* Of all this; canonical. */
    char home[PATH_SIZE];
    char secret[PATH_SIZE];
    char engine_folder[PATH_SIZE];
    char engine[PATH_SIZE];
    char network[PATH_SIZE]; /* A file beside the engine. */
    char local[PATH_SIZE];   /* A Unix socket, */
    char letters[PATH_SIZE]; /* and one that anybody may send to. */
    char abstract[64];
    int port;
    int sockets[4];
    Sandbox sandbox;
} Place;

static void join(char out[PATH_SIZE], const char *folder, const char *name) {
    ck_assert_int_lt(snprintf(out, PATH_SIZE, "%s/%s", folder, name), PATH_SIZE);
}

static void put_file(const char *path, const char *text) {
    Error err = {0};
    ck_assert_msg(file_write_atomic(path, text, strlen(text), 0644, &err), "%s", err.text);
}

static void copy_engine(const char *to) {
    char from[PATH_SIZE];
    const char *builddir = getenv("builddir");
    Text bytes = {0};
    Error err = {0};
    join(from, builddir != NULL ? builddir : ".", "tests/bin/scripted_engine");
    ck_assert_msg(file_read(from, SIZE_MAX, &bytes, &err), "%s", err.text);
    ck_assert_msg(file_write_atomic(to, bytes.data, bytes.length, 0755, &err), "%s", err.text);
    text_free(&bytes);
}

static void name_socket(const char *path, struct sockaddr_un *out) {
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    ck_assert_uint_lt(strlen(path), sizeof out->sun_path);
    strcpy(out->sun_path, path);
}

static int listen_at(int family, void *address, socklen_t size) {
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(bind(fd, address, size), 0);
    ck_assert_int_eq(listen(fd, 8), 0);
    return fd;
}

static void open_sockets(Place *place) {
    struct sockaddr_in port = {.sin_family = AF_INET};
    port.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    place->sockets[0] = listen_at(AF_INET, &port, sizeof port);
    socklen_t size = sizeof port;
    ck_assert_int_eq(getsockname(place->sockets[0], (struct sockaddr *)&port, &size), 0);
    place->port = ntohs(port.sin_port);
    struct sockaddr_un named;
    name_socket(place->local, &named);
    place->sockets[1] = listen_at(AF_UNIX, &named, sizeof named);
    struct sockaddr_un nameless = {.sun_family = AF_UNIX};
    snprintf(place->abstract, sizeof place->abstract, "obworker-test-%d", (int)getpid());
    strcpy(nameless.sun_path + 1, place->abstract);
    place->sockets[2] = listen_at(
        AF_UNIX, &nameless,
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(place->abstract)));
    name_socket(place->letters, &named);
    place->sockets[3] = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(place->sockets[3], (struct sockaddr *)&named, sizeof named), 0);
    ck_assert_int_eq(chmod(place->letters, 0777), 0);
}

static void open_place(Place *place) {
    char template[] = "/tmp/sandbox-test-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(template));
    *place = (Place){0};
    ck_assert_ptr_nonnull(realpath(template, place->folder));
    join(place->home, place->folder, "home");
    join(place->secret, place->home, "password");
    join(place->engine_folder, place->folder, "engines");
    join(place->engine, place->engine_folder, "engine");
    join(place->network, place->engine_folder, "network");
    join(place->local, place->folder, "socket");
    join(place->letters, place->folder, "letters");
    ck_assert_int_eq(mkdir(place->home, 0755), 0);
    ck_assert_int_eq(mkdir(place->engine_folder, 0755), 0);
    put_file(place->secret, "secret");
    put_file(place->network, "weights");
    copy_engine(place->engine);
    open_sockets(place);
    setenv("HOME", place->home, 1);
    Text missing = {0};
    Error err = {0};
    ck_assert_msg(sandbox_open(&place->sandbox, "auto", &missing, &err), "%s", err.text);
    if (missing.length > 0)
        printf("%s\n", text_string(&missing));
    sandbox_hide(&place->sandbox, place->secret);
    text_free(&missing);
}

static void close_place(Place *place) {
    for (size_t i = 0; i < sizeof place->sockets / sizeof *place->sockets; i++)
        close(place->sockets[i]);
    sandbox_free(&place->sandbox);
    ck_assert(tree_remove(place->folder, NULL));
}

/* ---- Running a confined program ---- */

typedef struct {
    Text output;
    ChildEnd end;
    bool gone;
} Heard;

static void on_line(Child *child, ChildStream stream, char *text, size_t length, uint64_t stamp,
                    void *user) {
    (void)child;
    (void)stream;
    (void)stamp;
    (void)length;
    Heard *heard = user;
    if (heard->output.length < OUTPUT_MAX)
        text_addf(&heard->output, "%s\n", text);
}

static void on_gone(Child *child, const ChildEnd *end, void *user) {
    (void)child;
    Heard *heard = user;
    heard->end = *end;
    heard->gone = true;
}

static void run_confined(const char *const *argv, const char *dir, const SandboxPolicy *policy,
                         const char *input, Heard *heard) {
    static const ChildEvents EVENTS = {.line = on_line, .gone = on_gone};
    uv_loop_t loop;
    Error err = {0};
    *heard = (Heard){0};
    uv_loop_init(&loop);
    ChildSpec spec = {.argv = argv, .dir = dir, .policy = policy, .merge_errors = true};
    Child *child = child_start(&loop, &spec, &EVENTS, heard, &err);
    ck_assert_msg(child != NULL, "%s", err.text);
    child_write(child, input, strlen(input));
    child_close_input(child);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(heard->gone);
    child_free(child);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

static const char PLAY_TRICK[] =
    "uci\nposition fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"
    "go nodes 1\nquit\n";

/* Has the engine play one trick; its answer: "done (…)" or "refused (…)". */
static void play_trick(const Place *place, const char *trick, char answer[ANSWER_SIZE]) {
    char word[PATH_SIZE + 64];
    snprintf(word, sizeof word, "trick=%s", trick);
    const char *argv[] = {place->engine, word, NULL};
    SandboxPolicy policy;
    Heard heard;
    sandbox_engine(&place->sandbox, argv, NULL, 16, 1, &policy);
    run_confined(argv, NULL, &policy, PLAY_TRICK, &heard);
    Text mark = {0};
    text_addf(&mark, "info string %s ", trick);
    const char *told = strstr(text_string(&heard.output), text_string(&mark));
    ck_assert_msg(told != NULL, "%s: it %s and said: %s", trick, heard.end.reason,
                  text_string(&heard.output));
    told += mark.length;
    snprintf(answer, ANSWER_SIZE, "%.*s", (int)strcspn(told, "\n"), told);
    text_free(&mark);
    text_free(&heard.output);
    sandbox_policy_free(&policy);
}

/* ---- The tricks ---- */

/* What must be in force for a trick to fail; 0: never mind, it must succeed. Any of the bits. */
enum {
    BY_FILES = 1 << 0,    /* Landlock. */
    BY_FILTER = 1 << 1,   /* seccomp. */
    BY_USER = 1 << 2,     /* A user of its own. */
    BY_MOUNTS = 1 << 3,   /* Everything mounted read-only. */
    BY_SCOPE = 1 << 4,    /* Landlock 6. */
    BY_LIMITS = 1 << 5,   /* Always there. */
    BY_COUNTING = 1 << 6, /* Not root, or a user of its own. */
    BY_TRUNCATE = 1 << 7, /* Landlock 3. */
    BY_TRACING = 1 << 8,  /* Landlock, but not from root, who may look into any process. */
    NOTHING = 0
};

static const struct {
    const char *trick; /* %S secret, %H home, %N the network's file, %P port, %A, %L, %D sockets, %W
                          this process, %F the place. */
    unsigned refused_by;
} TRICKS[] = {
    {"read:%S", BY_FILES},
    {"read:/etc/shadow", BY_FILES},
    {"read:/etc/passwd", BY_FILES},
    {"list:%H", BY_FILES},
    {"write:%H/note", BY_FILES | BY_USER | BY_MOUNTS},
    {"write:%S", BY_FILES | BY_USER | BY_MOUNTS},
    {"write:%N", BY_FILES | BY_USER | BY_MOUNTS},
    {"write:/tmp/obworker-test-note", BY_FILES | BY_MOUNTS},
    {"truncate:%S", BY_TRUNCATE | BY_USER | BY_MOUNTS},
    {"truncate:%N", BY_TRUNCATE | BY_USER | BY_MOUNTS},
    {"chmod:%S", BY_FILTER | BY_USER | BY_MOUNTS},
    {"connect:%P", BY_FILTER},
    {"udp:%P", BY_FILTER},
    {"abstract:%A", BY_FILTER | BY_SCOPE},
    {"local:%L", BY_FILTER},
    {"kill:%W", BY_FILTER | BY_USER | BY_SCOPE},
    {"limit:%W", BY_FILTER | BY_USER},
    {"environ:%W", BY_TRACING | BY_USER},
    {"mem:%W", BY_TRACING | BY_USER},
    {"fork", BY_COUNTING},
    {"bigfile:300", BY_LIMITS},
    {"affinity:%W", BY_FILTER | BY_USER | BY_MOUNTS},
    {"priority:%W", BY_FILTER | BY_USER | BY_MOUNTS},
    {"policy:%W", BY_FILTER | BY_USER | BY_MOUNTS},
    {"ioprio:%W", BY_FILTER | BY_USER | BY_MOUNTS},
    {"group_priority", BY_FILTER},
    {"user_priority", BY_FILTER},
    {"letter:%D", BY_FILTER},
    {"name:%H/name", BY_FILTER},
    {"memfd", BY_FILTER},
    {"watch:/usr", BY_FILTER},
    {"namespace", BY_FILTER},
    {"mount", BY_FILTER | BY_USER | BY_MOUNTS},
    {"read:%N", NOTHING},
    {"read:/proc/cpuinfo", NOTHING},
    {"read:/proc/self/maps", NOTHING},
    {"list:/sys/devices/system/cpu", NOTHING},
    {"read:/dev/urandom", NOTHING},
    {"write:/dev/null", NOTHING},
    {"scratch", NOTHING},
    {"threads", NOTHING},
    {"pair", NOTHING},
};

static void spell_out(const Place *place, const char *pattern, Text *out) {
    for (const char *p = pattern; *p != '\0'; p++) {
        if (*p != '%') {
            text_add_char(out, *p);
            continue;
        }
        switch (*++p) {
        case 'S':
            text_add(out, place->secret);
            break;
        case 'H':
            text_add(out, place->home);
            break;
        case 'N':
            text_add(out, place->network);
            break;
        case 'P':
            text_addf(out, "%d", place->port);
            break;
        case 'A':
            text_add(out, place->abstract);
            break;
        case 'L':
            text_add(out, place->local);
            break;
        case 'D':
            text_add(out, place->letters);
            break;
        default:
            text_addf(out, "%d", (int)getpid());
            break;
        }
    }
}

/* What is in force with these layers. */
static unsigned in_force(const ConfineLayers *layers) {
    unsigned parts = BY_LIMITS;
    parts |= layers->landlock >= 1 ? BY_FILES : 0;
    parts |= layers->landlock >= 3 || (layers->landlock >= 1 && layers->filter) ? BY_TRUNCATE : 0;
    parts |= layers->landlock >= 6 ? BY_SCOPE : 0;
    parts |= layers->landlock >= 1 && geteuid() != 0 ? BY_TRACING : 0;
    parts |= layers->filter ? BY_FILTER : 0;
    parts |= layers->own_user ? BY_USER : 0;
    parts |= layers->namespaces ? BY_MOUNTS : 0;
    parts |= layers->own_user || geteuid() != 0 ? BY_COUNTING : 0;
    return parts;
}

static void try_tricks(Place *place) {
    unsigned parts = in_force(&place->sandbox.layers);
    for (size_t i = 0; i < sizeof TRICKS / sizeof *TRICKS; i++) {
        unsigned by = TRICKS[i].refused_by;
        if (by != NOTHING && (by & parts) == 0)
            continue; /* Nobody promises anything. */
        Text trick = {0};
        char answer[ANSWER_SIZE];
        spell_out(place, TRICKS[i].trick, &trick);
        play_trick(place, text_string(&trick), answer);
        const char *wanted = by == NOTHING ? "done" : "refused";
        ck_assert_msg(text_starts_with(answer, wanted), "%s: %s, wanted: %s (layers: %d %d %d %d)",
                      text_string(&trick), answer, wanted, place->sandbox.layers.landlock,
                      place->sandbox.layers.filter, place->sandbox.layers.own_user,
                      place->sandbox.layers.namespaces);
        text_free(&trick);
    }
    ck_assert_int_ne(access("/tmp/obworker-test-note", F_OK), 0);
}

START_TEST(an_engine_gets_away_with_nothing) {
    Place place;
    open_place(&place);
    try_tricks(&place);
    close_place(&place);
}
END_TEST

/* An older Landlock, or a layer missing: what the others promise still holds. */
START_TEST(each_layer_holds_without_the_others) {
    Place place;
    open_place(&place);
    const ConfineLayers all = place.sandbox.layers;
    ConfineLayers variants[] = {all, all, all, all, all, all, all, all, all};
    for (int version = 0; version < CONFINE_LANDLOCK_MAX; version++)
        variants[version].landlock = version < all.landlock ? version : all.landlock;
    variants[6].filter = false;
    variants[7].own_user = variants[7].namespaces = false;
    variants[8] = (ConfineLayers){.landlock = all.landlock < 1 ? 0 : 1, .filter = all.filter};
    place.sandbox.layers = variants[_i];
    try_tricks(&place);
    close_place(&place);
}
END_TEST

/* The same from where nothing was promised to be refused: the tricks do work. */
START_TEST(without_a_sandbox_the_tricks_succeed) {
    static const char *const patterns[] = {
        "read:%S",     "list:%H",     "write:%H/note", "connect:%P", "udp:%P",
        "abstract:%A", "local:%L",    "kill:%W",       "limit:%W",   "environ:%W",
        "chmod:%S",    "truncate:%S", "bigfile:300",   "scratch",    "memory:100000",
        "affinity:%W", "priority:%W", "policy:%W",     "ioprio:%W",  "group_priority",
        "letter:%D",   "memfd",       "watch:/usr",    "threads"};
    Place place;
    open_place(&place);
    place.sandbox.on = false;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        Text trick = {0};
        char answer[ANSWER_SIZE];
        spell_out(&place, patterns[i], &trick);
        play_trick(&place, text_string(&trick), answer);
        ck_assert_msg(text_starts_with(answer, "done"), "%s: %s", text_string(&trick), answer);
        text_free(&trick);
    }
    close_place(&place);
}
END_TEST

/* Some engines give the stacks of their threads never back. */
START_TEST(reserved_memory_is_no_matter) {
    Place place;
    char answer[ANSWER_SIZE];
    open_place(&place);
    play_trick(&place, "memory:200000", answer);
    ck_assert_msg(text_starts_with(answer, "done"), "%s", answer);
    close_place(&place);
}
END_TEST

START_TEST(occupied_memory_is_limited) {
    enum { LIMIT_MB = 500 };
    static const char *const TRICKS_OF_IT[] = {"trick=occupy:700", "trick=occupy:c700",
                                               "trick=occupy:d700", "trick=occupy:t700"};
    Place place;
    open_place(&place);
    for (size_t i = 0; i < sizeof TRICKS_OF_IT / sizeof *TRICKS_OF_IT; i++) {
        const char *argv[] = {place.engine, TRICKS_OF_IT[i], NULL};
        SandboxPolicy policy;
        Heard heard;
        sandbox_engine(&place.sandbox, argv, NULL, 16, 1, &policy);
        policy.resident = (uint64_t)LIMIT_MB << 20;
        run_confined(argv, NULL, &policy, PLAY_TRICK, &heard);
        ck_assert_msg(strstr(heard.end.reason, "MB of memory, the sandbox allows 500") != NULL,
                      "%s: %s", TRICKS_OF_IT[i], heard.end.reason);
        ck_assert(!heard.end.killed);
        ck_assert_int_eq(heard.end.signal, SIGKILL);
        text_free(&heard.output);
        sandbox_policy_free(&policy);
    }
    close_place(&place);
}
END_TEST

/* Four processes that share 300 MB occupy no more than that. */
START_TEST(shared_memory_counts_once) {
    Place place;
    open_place(&place);
    const char *argv[] = {place.engine, "trick=share:300", NULL};
    SandboxPolicy policy;
    Heard heard;
    sandbox_engine(&place.sandbox, argv, NULL, 16, 1, &policy);
    policy.resident = (uint64_t)500 << 20;
    run_confined(argv, NULL, &policy, PLAY_TRICK, &heard);
    ck_assert_str_eq(heard.end.reason, "exited with status 0");
    text_free(&heard.output);
    sandbox_policy_free(&policy);
    close_place(&place);
}
END_TEST

START_TEST(what_a_process_occupies_is_read_from_its_status) {
    ck_assert_uint_eq(resident_parse("Name:\tx\nVmRSS:\t  999 kB\nRssAnon:\t   100 kB\n"
                                     "RssFile:\t  800 kB\nRssShmem:\t    28 kB\n"),
                      128 << 10);
    ck_assert_uint_eq(resident_parse("Name:\tx\nState:\tZ (zombie)\n"), 0);
    ck_assert_uint_eq(resident_parse(""), 0);
    ck_assert_uint_eq(resident_parse_share("1-2 r\nRss: 9 kB\nPss: 8 kB\nPss_Anon: 5 kB\n"
                                           "Pss_File: 1 kB\nPss_Shmem: 2 kB\n"),
                      7 << 10);
    ck_assert_uint_gt(resident_of((int)getpid(), UINT64_MAX), 64 << 10);
    ck_assert_uint_eq(resident_of(-1, 0), 0);
}
END_TEST

/* ---- What outlives its time ---- */

/* How many processes, guards among them, have the word in their command line. The leaders of their
 * groups, which are the guards, are stopped when that is wanted. */
static int find_marked(const char *mark, bool stop_guards) {
    int count = 0;
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    ck_assert_ptr_nonnull(proc);
    while ((entry = readdir(proc)) != NULL) {
        char path[PATH_SIZE];
        char line[OUTPUT_MAX >> 6];
        snprintf(path, sizeof path, "/proc/%.16s/cmdline", entry->d_name);
        int fd = isdigit((unsigned char)entry->d_name[0]) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        ssize_t length = fd >= 0 ? read(fd, line, sizeof line) : 0;
        if (fd >= 0)
            close(fd);
        if (length <= 0 || memmem(line, (size_t)length, mark, strlen(mark)) == NULL)
            continue;
        pid_t pid = atoi(entry->d_name);
        count++;
        if (stop_guards && getpgid(pid) == pid)
            kill(pid, SIGSTOP);
    }
    closedir(proc);
    return count;
}

static int count_marked(const char *mark) {
    return find_marked(mark, false);
}

static void expect_none_marked(const char *mark, const char *what) {
    enum { TRIES = 3000, NAP_US = 10000 };
    int count = 1;
    for (int i = 0; i < TRIES && (count = count_marked(mark)) > 0; i++)
        usleep(NAP_US);
    ck_assert_msg(count == 0, "%s: %d processes are still there", what, count);
}

static void make_mark(char mark[PATH_SIZE]) {
    static int number;
    snprintf(mark, PATH_SIZE, "daemon:%d-%d", (int)getpid(), number++);
}

/* The layers without which a case is tried, and whether an end of everything is still promised. */
static const struct {
    const char *name;
    bool filter, namespaces, sandbox;
} FAMILIES[] = {
    {"with all layers", true, true, true},
    {"without namespaces", true, false, true},
    {"without a filter", false, true, true},
    {"without a sandbox", false, false, false},
};

/* False, having said so, where this system has too few layers. */
static bool take_layers(Place *place, int family) {
    ConfineLayers *layers = &place->sandbox.layers;
    bool can = (layers->filter || !FAMILIES[family].filter || FAMILIES[family].namespaces) &&
               (layers->namespaces || FAMILIES[family].filter);
    layers->filter = layers->filter && FAMILIES[family].filter;
    layers->namespaces = layers->namespaces && FAMILIES[family].namespaces;
    place->sandbox.on = FAMILIES[family].sandbox;
    if (!can && place->sandbox.on)
        printf("left out: processes left behind %s\n", FAMILIES[family].name);
    return can || !place->sandbox.on;
}

/* By the filter it is refused a session of its own and goes with its group; a namespace ends
 * whatever group it is in. */
START_TEST(no_process_is_left_behind) {
    Place place;
    char answer[ANSWER_SIZE], mark[PATH_SIZE];
    open_place(&place);
    make_mark(mark);
    if (FAMILIES[_i].sandbox && take_layers(&place, _i)) {
        play_trick(&place, mark, answer);
        if (place.sandbox.layers.filter)
            ck_assert_msg(text_starts_with(answer, "refused"), "%s", answer);
        expect_none_marked(mark, FAMILIES[_i].name);
    }
    close_place(&place);
}
END_TEST

/* A worker of its own: starts an engine that leaves a process behind and stays itself. */
static pid_t start_worker(const Place *place, const char *mark, bool family) {
    int told[2];
    char byte;
    ck_assert_int_eq(pipe2(told, O_CLOEXEC), 0);
    pid_t worker = fork();
    if (worker == 0) {
        static const ChildEvents EVENTS = {.line = on_line, .gone = on_gone};
        static const char INPUT[] = "uci\nposition fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR "
                                    "w KQkq - 0 1\ngo nodes 1\n";
        char word[PATH_SIZE + 64];
        snprintf(word, sizeof word, "trick=%s", mark);
        const char *argv[] = {place->engine, word, NULL};
        SandboxPolicy policy;
        Heard heard = {0};
        Error err = {0};
        uv_loop_t loop;
        uv_loop_init(&loop);
        sandbox_engine(&place->sandbox, argv, NULL, 16, 1, &policy);
        ChildSpec spec = {.argv = argv, .policy = &policy, .merge_errors = true};
        Child *child = child_start(&loop, &spec, &EVENTS, &heard, &err);
        if (child == NULL)
            _exit(1);
        child_write(child, INPUT, family ? strlen(INPUT) : 4);
        const char *awaited = family ? "info string daemon" : "uciok";
        while (!heard.gone && strstr(text_string(&heard.output), awaited) == NULL)
            uv_run(&loop, UV_RUN_ONCE);
        if (heard.gone)
            fprintf(stderr, "%s: %s\n", heard.end.reason, text_string(&heard.output));
        if (!heard.gone && write(told[1], "x", 1) == 1)
            uv_run(&loop, UV_RUN_DEFAULT);
        _exit(0);
    }
    close(told[1]);
    ck_assert_int_gt(worker, 0);
    ck_assert_msg(read(told[0], &byte, 1) == 1, "the worker ended early");
    close(told[0]);
    return worker;
}

START_TEST(nothing_outlives_a_worker_that_is_killed) {
    Place place;
    char mark[PATH_SIZE];
    open_place(&place);
    make_mark(mark);
    bool promised = take_layers(&place, _i);
    /* Without a filter and namespaces a session of its own is the way out. */
    bool family = promised && FAMILIES[_i].sandbox;
    pid_t worker = start_worker(&place, mark, family);
    ck_assert_int_ge(count_marked(mark), family ? 3 : 2);
    kill(worker, SIGKILL);
    waitpid(worker, NULL, 0);
    expect_none_marked(mark, FAMILIES[_i].name);
    close_place(&place);
}
END_TEST

START_TEST(the_next_start_ends_what_was_left_behind) {
    Place place;
    Sandbox next;
    Text missing = {0};
    Error err = {0};
    char mark[PATH_SIZE], scratch[PATH_SIZE], name[64];
    open_place(&place);
    make_mark(mark);
    setenv("TMPDIR", place.folder, 1);
    free(place.sandbox.scratch);
    place.sandbox.scratch = strdup(place.folder);
    place.sandbox.layers.namespaces = place.sandbox.layers.namespaces && _i == 0;
    ck_assert_int_eq(chmod(place.folder, 0755), 0);
    pid_t worker = start_worker(&place, mark, false);
    find_marked(mark, true);
    kill(worker, SIGKILL);
    waitpid(worker, NULL, 0);
    ck_assert_int_ge(count_marked(mark), 1);
    ck_assert(sandbox_open(&next, "auto", &missing, &err));
    expect_none_marked(mark, "after the next start");
    snprintf(name, sizeof name, "obworker-%d-*", (int)worker);
    join(scratch, place.folder, name);
    glob_t found;
    ck_assert_int_eq(glob(scratch, 0, NULL, &found), GLOB_NOMATCH);
    sandbox_free(&next);
    text_free(&missing);
    close_place(&place);
}
END_TEST

/* ---- Policies as data ---- */

static bool has_rule(const SandboxPolicy *policy, char right, const char *path) {
    for (size_t i = 0; i < policy->rules.count; i++)
        if (policy->rules.items[i][0] == right && strcmp(policy->rules.items[i] + 1, path) == 0)
            return true;
    return false;
}

/* Whether some rule opens the path, or something above it. */
static bool opens(const SandboxPolicy *policy, const char *path) {
    for (size_t i = 0; i < policy->rules.count; i++)
        if (sandbox_covers(policy->rules.items[i] + 1, path))
            return true;
    return false;
}

START_TEST(an_engine_reads_what_belongs_to_it) {
    Place place;
    SandboxPolicy policy;
    char tables[PATH_SIZE], net[PATH_SIZE], bin[PATH_SIZE], script[PATH_SIZE], prefix[PATH_SIZE];
    open_place(&place);
    join(tables, place.folder, "tables");
    join(prefix, place.folder, "prefix");
    join(bin, prefix, "bin");
    join(net, place.home, "nets");
    ck_assert(mkdir(tables, 0755) == 0 && mkdir(prefix, 0755) == 0 && mkdir(bin, 0755) == 0 &&
              mkdir(net, 0755) == 0);
    join(script, bin, "python");
    put_file(script, "");
    join(net, place.home, "nets/a.nnue");
    put_file(net, "");
    join(script, place.folder, "script.py");
    Text text = {0};
    text_addf(&text, "#! %s/python -u\n", bin);
    put_file(script, text_string(&text));
    text_clear(&text);
    text_addf(&text, "--log=%s", place.network);
    sandbox_show(&place.sandbox, tables);

    const char *argv[] = {script, text_string(&text), "a,b", "/", "", NULL};
    sandbox_engine(&place.sandbox, argv, "/", 16, 1, &policy);
    ck_assert(has_rule(&policy, CONFINE_EXECUTE, place.folder) ||
              has_rule(&policy, CONFINE_EXECUTE, script));
    ck_assert(has_rule(&policy, CONFINE_EXECUTE, prefix));
    ck_assert(has_rule(&policy, CONFINE_EXECUTE, place.engine_folder));
    ck_assert(has_rule(&policy, CONFINE_READ, tables));
    ck_assert(has_rule(&policy, CONFINE_EXECUTE, "/usr"));
    ck_assert(!opens(&policy, net));
    ck_assert(!opens(&policy, "/etc/shadow"));
    /* What the options name. */
    sandbox_engine_option(&place.sandbox, "home/nets/a.nnue", place.folder, &policy);
    ck_assert(has_rule(&policy, CONFINE_READ, net));
    sandbox_engine_option(&place.sandbox, place.secret, NULL, &policy);
    sandbox_engine_option(&place.sandbox, place.home, NULL, &policy);
    sandbox_engine_option(&place.sandbox, "/:/tmp;/etc", NULL, &policy);
    sandbox_engine_option(&place.sandbox, "<empty>", NULL, &policy);
    ck_assert(!opens(&policy, place.secret));
    sandbox_policy_free(&policy);
    text_free(&text);
    close_place(&place);
}
END_TEST

START_TEST(an_engine_in_a_wide_folder_reads_itself_alone) {
    Place place;
    SandboxPolicy policy;
    char engine[PATH_SIZE];
    open_place(&place);
    join(engine, place.home, "engine");
    put_file(engine, "");
    const char *argv[] = {engine, NULL};
    sandbox_engine(&place.sandbox, argv, NULL, 16, 1, &policy);
    ck_assert(has_rule(&policy, CONFINE_EXECUTE, engine));
    ck_assert(!opens(&policy, place.secret));
    sandbox_policy_free(&policy);
    close_place(&place);
}
END_TEST

START_TEST(limits_follow_hash_and_threads) {
    Place place;
    SandboxPolicy small, large;
    const char *argv[] = {"/bin/true", NULL};
    open_place(&place);
    sandbox_engine(&place.sandbox, argv, NULL, 16, 1, &small);
    sandbox_engine(&place.sandbox, argv, NULL, 1040, 5, &large);
    ck_assert_uint_eq((large.resident - small.resident) >> 20, 1024 + 4 * 64);
    ck_assert_uint_eq(large.settings.memory, 0);
    ck_assert_int_eq(large.settings.processes - small.settings.processes, 8);
    ck_assert_uint_gt(small.settings.file_size, 0);
    sandbox_policy_free(&small);
    sandbox_policy_free(&large);
    close_place(&place);
}
END_TEST

START_TEST(folders_cover_what_is_in_them) {
    ck_assert(sandbox_covers("/", "/a"));
    ck_assert(sandbox_covers("/a", "/a"));
    ck_assert(sandbox_covers("/a", "/a/b"));
    ck_assert(sandbox_covers("/a/", "/a/b"));
    ck_assert(!sandbox_covers("/a", "/ab"));
    ck_assert(!sandbox_covers("/a/b", "/a"));
}
END_TEST

START_TEST(what_is_missing_is_said) {
    static const struct {
        ConfineLayers layers;
        bool root;
        const char *said; /* A part of it. */
    } CASES[] = {
        {{.landlock = 1, .filter = true}, false, ""},
        {{.landlock = 6, .filter = true, .own_user = true}, true, ""},
        {{.landlock = 6, .filter = true}, true, "root cannot change to another user"},
        {{.landlock = 6}, false, "engines have the network"},
        {{.filter = true}, false, "files are not protected"},
        {{.filter = true, .namespaces = true}, false, "what engines read is not restricted"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Text out = {0};
        sandbox_missing(&CASES[i].layers, CASES[i].root, &out);
        if (CASES[i].said[0] == '\0')
            ck_assert_str_eq(text_string(&out), "");
        ck_assert_ptr_nonnull(strstr(text_string(&out), CASES[i].said));
        text_free(&out);
    }
}
END_TEST

/* Every jump lands within the program, which ends with an answer. */
START_TEST(filters_are_whole) {
    struct sock_filter program[FILTER_INSTRUCTIONS_MAX];
    for (unsigned refused = 0; refused < 64; refused++) {
        size_t count = filter_make(refused, 77, program);
        if (count == 0) {
            printf("left out: filters for this architecture\n");
            return;
        }
        ck_assert_uint_le(count, FILTER_INSTRUCTIONS_MAX);
        for (size_t i = 0; i < count; i++)
            if (BPF_CLASS(program[i].code) == BPF_JMP)
                ck_assert_uint_lt(
                    i + 1 + (program[i].jt > program[i].jf ? program[i].jt : program[i].jf), count);
        ck_assert_uint_eq(program[count - 1].code, BPF_RET | BPF_K);
    }
}
END_TEST

/* ---- Builds ---- */

static void run_build(const Place *place, const char *tree, const char *script, bool network,
                      Heard *heard) {
    const char *argv[] = {"/bin/sh", "-c", script, NULL};
    SandboxPolicy policy;
    sandbox_build(&place->sandbox, tree, NULL, network, &policy);
#ifdef __SANITIZE_ADDRESS__
    policy.settings.memory = 0;
#endif
    run_confined(argv, tree, &policy, "", heard);
    sandbox_policy_free(&policy);
}

START_TEST(a_build_writes_its_tree_and_nothing_else) {
    Place place;
    Heard heard;
    char tree[PATH_SIZE], made[PATH_SIZE];
    Text script = {0};
    open_place(&place);
    join(tree, place.folder, "tree");
    join(made, tree, "sub/made");
    ck_assert_int_eq(mkdir(tree, 0755), 0);
    char source[PATH_SIZE];
    join(source, tree, "source.sh");
    put_file(source, "#!/bin/sh\necho built\n");
    text_addf(
        &script,
        "test -r %s && chmod +x source.sh && ./source.sh && mkdir sub && cp source.sh sub/made && "
        "mv sub/made sub/other && mv sub/other sub/made && chmod 755 sub/made && "
        "cp source.sh \"$HOME\" && \"$HOME/source.sh\" && ./sub/made; "
        "cat %s; echo x >%s/note; chmod 777 %s; echo done",
        place.network, place.secret, place.home, place.secret);
    run_build(&place, tree, text_string(&script), false, &heard);
    const char *output = text_string(&heard.output);
    ck_assert_msg(text_starts_with(output, "built\nbuilt\nbuilt\n"), "%s", output);
    ck_assert_ptr_nonnull(strstr(output, "done\n"));
    ck_assert_int_eq(access(made, X_OK), 0);
    const ConfineLayers *layers = &place.sandbox.layers;
    struct stat status;
    if (layers->landlock > 0)
        ck_assert_ptr_null(strstr(output, "secret\n"));
    text_clear(&script);
    text_addf(&script, "%s/note", place.home);
    if (layers->landlock > 0 || layers->namespaces || layers->own_user)
        ck_assert_int_ne(access(text_string(&script), F_OK), 0);
    ck_assert_int_eq(stat(place.secret, &status), 0);
    if (layers->namespaces || layers->own_user)
        ck_assert_int_eq(status.st_mode & 0777, 0644);
    else
        printf("left out: what a build may do to the modes of files, for want of namespaces\n");
    text_free(&heard.output);
    text_free(&script);
    close_place(&place);
}
END_TEST

/* With the network a build reaches a port; without, it does not; local sockets are out of its reach
 * in any case. */
START_TEST(a_build_has_the_network_when_that_is_wanted) {
    static const struct {
        bool network;
        const char *kind;
        bool reaches;
    } CASES[] = {{true, "connect", true}, {false, "connect", false}, {true, "local", false}};
    Place place;
    open_place(&place);
    if (!place.sandbox.layers.filter)
        printf("left out: builds and the network, for want of a filter\n");
    for (size_t i = 0; place.sandbox.layers.filter && i < sizeof CASES / sizeof *CASES; i++) {
        Heard heard;
        Text script = {0};
        text_addf(
            &script,
            "echo 'position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\ngo' "
            "| ./engine trick=%s:",
            CASES[i].kind);
        if (strcmp(CASES[i].kind, "connect") == 0)
            text_addf(&script, "%d", place.port);
        else
            text_add(&script, place.local);
        run_build(&place, place.engine_folder, text_string(&script), CASES[i].network, &heard);
        const char *output = text_string(&heard.output);
        ck_assert_msg((strstr(output, " done") != NULL) == CASES[i].reaches, "%s: %s",
                      text_string(&script), output);
        ck_assert_msg((strstr(output, " refused") != NULL) != CASES[i].reaches, "%s: %s",
                      text_string(&script), output);
        text_free(&heard.output);
        text_free(&script);
    }
    close_place(&place);
}
END_TEST

/* ---- The rest ---- */

START_TEST(the_scratch_folder_goes_with_the_child) {
    Place place;
    Heard heard;
    SandboxPolicy policy;
    const char *argv[] = {"/bin/sh", "-c",
                          "echo $HOME; test \"$HOME\" = \"$TMPDIR\" && mkdir $HOME/a && "
                          "echo x >$HOME/a/b && cat $HOME/a/b",
                          NULL};
    open_place(&place);
    sandbox_engine(&place.sandbox, argv, NULL, 16, 1, &policy);
    run_confined(argv, NULL, &policy, "", &heard);
    char *line = heard.output.data;
    char *end = strchr(line, '\n');
    ck_assert_ptr_nonnull(end);
    ck_assert_str_eq(end, "\nx\n");
    *end = '\0';
    ck_assert_ptr_nonnull(strstr(line, "/obworker-"));
    ck_assert_int_ne(access(line, F_OK), 0);
    text_free(&heard.output);
    sandbox_policy_free(&policy);
    close_place(&place);
}
END_TEST

/* A worker that was killed could not remove them; one that lives still needs them. */
START_TEST(scratch_folders_of_the_dead_are_removed) {
    Place place;
    Sandbox sandbox;
    Text missing = {0};
    Error err = {0};
    char dead[PATH_SIZE], living[PATH_SIZE], strange[PATH_SIZE], inside[PATH_SIZE], name[64];
    open_place(&place);
    pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    ck_assert_int_eq(waitpid(gone, NULL, 0), gone);
    snprintf(name, sizeof name, "obworker-%d-abc", (int)gone);
    join(dead, place.folder, name);
    snprintf(name, sizeof name, "obworker-%d-abc", (int)getpid());
    join(living, place.folder, name);
    join(strange, place.folder, "obworker-notes");
    ck_assert(mkdir(dead, 0700) == 0 && mkdir(living, 0700) == 0 && mkdir(strange, 0700) == 0);
    join(inside, dead, "note");
    put_file(inside, "");
    setenv("TMPDIR", place.folder, 1);
    ck_assert(sandbox_open(&sandbox, "auto", &missing, &err));
    ck_assert_int_ne(access(dead, F_OK), 0);
    ck_assert_int_eq(access(living, F_OK), 0);
    ck_assert_int_eq(access(strange, F_OK), 0);
    sandbox_free(&sandbox);
    text_free(&missing);
    close_place(&place);
}
END_TEST

START_TEST(wishes_are_followed) {
    Sandbox sandbox;
    Text missing = {0};
    Error err = {0};
    ck_assert(sandbox_open(&sandbox, "off", &missing, &err));
    ck_assert(!sandbox.on);
    sandbox_free(&sandbox);
    ck_assert(sandbox_open(&sandbox, "auto", &missing, &err));
    ck_assert(sandbox.on);
    sandbox_free(&sandbox);
    bool refused = !sandbox_open(&sandbox, "on", &missing, &err);
    ck_assert(refused == (missing.length > 0));
    if (refused)
        ck_assert(text_starts_with(err.text, "--sandbox on: "));
    sandbox_free(&sandbox);
    text_free(&missing);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, folders_cover_what_is_in_them);
    tcase_add_test(tests, what_is_missing_is_said);
    tcase_add_test(tests, filters_are_whole);
    tcase_add_test(tests, wishes_are_followed);
    tcase_add_test(tests, scratch_folders_of_the_dead_are_removed);
    tcase_add_test(tests, an_engine_reads_what_belongs_to_it);
    tcase_add_test(tests, an_engine_in_a_wide_folder_reads_itself_alone);
    tcase_add_test(tests, limits_follow_hash_and_threads);
    tcase_add_test(tests, the_scratch_folder_goes_with_the_child);
    tcase_add_test(tests, without_a_sandbox_the_tricks_succeed);
    tcase_add_test(tests, an_engine_gets_away_with_nothing);
    tcase_add_loop_test(tests, each_layer_holds_without_the_others, 0, 9);
    tcase_add_test(tests, reserved_memory_is_no_matter);
    tcase_add_test(tests, occupied_memory_is_limited);
    tcase_add_test(tests, shared_memory_counts_once);
    tcase_add_test(tests, what_a_process_occupies_is_read_from_its_status);
    tcase_add_loop_test(tests, no_process_is_left_behind, 0, COUNT(FAMILIES));
    tcase_add_loop_test(tests, nothing_outlives_a_worker_that_is_killed, 0, COUNT(FAMILIES));
    tcase_add_loop_test(tests, the_next_start_ends_what_was_left_behind, 0, 2);
    tcase_add_test(tests, a_build_writes_its_tree_and_nothing_else);
    tcase_add_test(tests, a_build_has_the_network_when_that_is_wanted);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("sandbox", add_tests);
}
