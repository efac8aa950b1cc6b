/* SPDX-License-Identifier: MIT */
#include "place.h"

#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <uv.h>

#include "base/tree.h"
#include "runner.h"
#include "tools/files.h"
#include "tools/ordinary.h"
#include "tools/temporary.h"

void place_join(char out[PLACE_PATH], const char *folder, const char *name) {
    ck_assert_int_lt(snprintf(out, PLACE_PATH, "%s/%s", folder, name), PLACE_PATH);
}

static void copy_engine(const char *to) {
    char from[PLACE_PATH];
    const char *builddir = getenv("builddir");
    place_join(from, builddir != NULL ? builddir : ".", "tests/bin/scripted_engine");
    Text bytes = read_whole(from);
    put_bytes(to, bytes.data, bytes.length, 0755);
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

void place_open(Place *place) {
    char folder[TEMPORARY_SIZE];
    temporary_folder(folder, sizeof folder, "sandbox-test");
    *place = (Place){0};
    ck_assert_ptr_nonnull(realpath(folder, place->folder));
    ck_assert_int_eq(chmod(place->folder, 0711), 0);
    place_join(place->home, place->folder, "home");
    place_join(place->secret, place->home, "password");
    place_join(place->engine_folder, place->folder, "engines");
    place_join(place->engine, place->engine_folder, "engine");
    place_join(place->network, place->engine_folder, "network");
    place_join(place->closed, place->engine_folder, "closed");
    place_join(place->local, place->folder, "socket");
    place_join(place->letters, place->folder, "letters");
    ck_assert_int_eq(mkdir(place->home, 0755), 0);
    ck_assert_int_eq(mkdir(place->engine_folder, 0755), 0);
    put_text(place->secret, "secret");
    put_text(place->network, "weights");
    put_text(place->closed, "closed");
    ck_assert_int_eq(chmod(place->closed, 0600), 0);
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

void place_close(Place *place) {
    for (size_t i = 0; i < sizeof place->sockets / sizeof *place->sockets; i++)
        close(place->sockets[i]);
    sandbox_free(&place->sandbox);
    ck_assert(tree_remove(place->folder, NULL));
}

/* ---- Running a confined program ---- */

static void on_line(Child *child, ChildStream stream, char *text, size_t length, uint64_t stamp,
                    void *user) {
    (void)child;
    (void)stream;
    (void)stamp;
    (void)length;
    PlaceHeard *heard = user;
    if (heard->output.length < PLACE_OUTPUT_MAX)
        text_addf(&heard->output, "%s\n", text);
}

static void on_gone(Child *child, const ChildEnd *end, void *user) {
    (void)child;
    PlaceHeard *heard = user;
    heard->end = *end;
    heard->gone = true;
}

const ChildEvents PLACE_EVENTS = {.line = on_line, .gone = on_gone};

void place_run(const char *const *argv, const char *dir, const SandboxPolicy *policy,
               const char *input, PlaceHeard *heard) {
    uv_loop_t loop;
    Error err = {0};
    *heard = (PlaceHeard){0};
    uv_loop_init(&loop);
    ChildSpec spec = {.argv = argv, .dir = dir, .policy = policy, .merge_errors = true};
    Child *child = child_start(&loop, &spec, &PLACE_EVENTS, heard, &err);
    ck_assert_msg(child != NULL, "%s", err.text);
    child_write(child, input, strlen(input));
    child_close_input(child);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(heard->gone);
    child_free(child);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

const char PLACE_PLAY[] =
    "uci\nposition fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"
    "go nodes 1\nquit\n";

void place_play(const Place *place, const char *trick, char answer[PLACE_ANSWER]) {
    char word[PLACE_PATH + 64];
    snprintf(word, sizeof word, "trick=%s", trick);
    const char *argv[] = {place->engine, word, NULL};
    SandboxPolicy policy;
    PlaceHeard heard;
    sandbox_engine(&place->sandbox, argv, NULL, 16, 1, &policy);
    place_run(argv, NULL, &policy, PLACE_PLAY, &heard);
    Text mark = {0};
    text_addf(&mark, "info string %s ", trick);
    const char *told = strstr(text_string(&heard.output), text_string(&mark));
    ck_assert_msg(told != NULL, "%s: it %s and said: %s", trick, heard.end.reason,
                  text_string(&heard.output));
    told += mark.length;
    snprintf(answer, PLACE_ANSWER, "%.*s", (int)strcspn(told, "\n"), told);
    text_free(&mark);
    text_free(&heard.output);
    sandbox_policy_free(&policy);
}

/* ---- As root, and as an ordinary user ---- */

int place_main(int argc, char **argv, const char *name, void (*add_tests)(TCase *tests)) {
    child_trampoline(argc, argv);
    if (!confine_exists())
        return leave_out(name, "this build has no sandbox");
    int status = run_tests(name, add_tests);
    if (geteuid() == 0 && !ordinary_again(argv[0]))
        status = EXIT_FAILURE;
    return status;
}
