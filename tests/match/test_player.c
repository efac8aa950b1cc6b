/* SPDX-License-Identifier: MIT */
/* Processes of one engine that start at the same time, time that does not count, and declarations
 * without an end. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "base/child.h"
#include "base/cputime.h"
#include "match/player.h"
#include "runner.h"
#include "tools/temporary.h"

enum { PROCESSES = 2, GATE_SIZE = 128, PATIENCE_MS = 300000 };

/* An engine that waits at its gate, a FIFO: with the word "amid" behind its first option, Threads;
 * with another word before that. */
static const char SCRIPT[] =
    "read line; [ $1 = amid ] || read line <\"$0\"; "
    "echo option name Threads type spin default 1 min 1 max 4; "
    "[ $1 != amid ] || read line <\"$0\"; "
    "echo option name Hash type spin default 16 min 1 max 64; echo uciok; "
    "while read line; do case $line in isready) echo readyok;; quit) exit;; esac; done";
static const char *const WAITS[PROCESSES] = {"amid", "before"};

typedef struct {
    Player *player;
    char gate[GATE_SIZE];
    bool ready;
    bool moved;
    uint64_t elapsed_ns;
    char why[512];
} Seat;

static void on_ready(Player *player, void *user) {
    (void)player;
    ((Seat *)user)->ready = true;
}

static void on_moved(Player *player, const PlayerMove *move, void *user) {
    (void)player;
    (void)move;
    (void)user;
}

static void on_failed(Player *player, PlayerFault fault, uint64_t elapsed_ns, const char *why,
                      void *user) {
    (void)player;
    (void)fault;
    (void)elapsed_ns;
    Seat *seat = user;
    snprintf(seat->why, sizeof seat->why, "%s", why);
}

static const PlayerEvents EVENTS = {.ready = on_ready, .moved = on_moved, .failed = on_failed};

/* Runs the loop until the process has declared its first option. */
static void await_first_option(uv_loop_t *loop, const Seat *seat) {
    Text heard = {0};
    while (strstr(text_string(&heard), "< option name Threads") == NULL) {
        ck_assert_msg(seat->why[0] == '\0', "%s", seat->why);
        uv_run(loop, UV_RUN_ONCE);
        text_clear(&heard);
        player_write_transcript(seat->player, &heard);
    }
    text_free(&heard);
}

static void open_gate(const Seat *seat) {
    int fd = open(seat->gate, O_WRONLY);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, "\n", 1), 1);
    close(fd);
}

/* An engine that thinks until its gate opens; but not about a single node, which it counts. */
static const char THINKER[] =
    "while read line; do case $line in uci) echo uciok;; isready) echo readyok;; "
    "'go nodes 1') echo info nodes 1; echo bestmove e2e4;; "
    "go*) read line <\"$0\"; echo bestmove e2e4;; quit) exit;; esac; done";

static void on_timed_move(Player *player, const PlayerMove *move, void *user) {
    (void)player;
    Seat *seat = user;
    seat->moved = true;
    seat->elapsed_ns = move->elapsed_ns;
}

static const PlayerEvents TIMED = {.ready = on_ready, .moved = on_timed_move, .failed = on_failed};

/* A thinker that is ready, and what it needs. */
typedef struct {
    char folder[TEMPORARY_SIZE];
    Seat seat;
    const char *argv[5];
    MatchEngine engine;
    PlayerProfile profile;
    uv_loop_t loop;
    Text position;
} Thinker;

static void begin_thinker(Thinker *t) {
    Error err = {0};
    temporary_folder(t->folder, sizeof t->folder, "test-player");
    snprintf(t->seat.gate, GATE_SIZE, "%s/gate", t->folder);
    ck_assert_int_eq(mkfifo(t->seat.gate, 0600), 0);
    const char *const argv[] = {"/bin/sh", "-c", THINKER, t->seat.gate, NULL};
    memcpy(t->argv, argv, sizeof argv);
    t->engine = (MatchEngine){.name = "engine", .argv = t->argv};
    t->profile =
        (PlayerProfile){.engine = &t->engine,
                        .deadlines = player_deadlines(&(MatchDeadlines){.uciok = PATIENCE_MS})};
    ck_assert_int_eq(uv_loop_init(&t->loop), 0);
    t->seat.player = player_start(&t->loop, &t->profile, NULL, 0, &err);
    ck_assert_msg(t->seat.player != NULL, "%s", err.text);
    player_listen(t->seat.player, &TIMED, &t->seat);
    player_new_game(t->seat.player, NULL, 0);
    while (!t->seat.ready && t->seat.why[0] == '\0')
        uv_run(&t->loop, UV_RUN_ONCE);
    ck_assert_str_eq(t->seat.why, "");
    text_add(&t->position, "position startpos");
}

/* Runs the loop for a tenth of a second at least. */
static void let_think(Thinker *t) {
    for (int i = 0; i < 50; i++) {
        usleep(2000);
        uv_run(&t->loop, UV_RUN_NOWAIT);
    }
}

static void await_move(Thinker *t) {
    while (!t->seat.moved && t->seat.why[0] == '\0')
        uv_run(&t->loop, UV_RUN_ONCE);
    ck_assert_str_eq(t->seat.why, "");
}

static void end_thinker(Thinker *t) {
    player_free(t->seat.player);
    uv_run(&t->loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&t->loop), 0);
    player_profile_free(&t->profile);
    text_free(&t->position);
    unlink(t->seat.gate);
    rmdir(t->folder);
}

static void go(Thinker *t, const char *line, int64_t deadline_ms, int64_t nodes, uint64_t seconds) {
    player_go(t->seat.player, &t->position, line, deadline_ms, nodes);
    player_excuse(t->seat.player, -(seconds * 1000000000)); /* So many have passed. */
    let_think(t);
}

/* How far a question is put back: an hour, or half of what the clock has run since the start of the
 * machine. */
static uint64_t past_ns(void) {
    static const uint64_t HOUR_NS = (uint64_t)3600 * 1000000000;
    uint64_t half = uv_hrtime() / 2;
    return half < HOUR_NS ? half : HOUR_NS;
}

/* The user stops this program, by Ctrl-Z, while the engine thinks. */
START_TEST(time_in_which_this_process_was_stopped_does_not_count) {
    Thinker t = {0};
    begin_thinker(&t);
    const uint64_t past = past_ns();
    const uint64_t deadline_ms = past / 1000000 * 5 / 6;
    player_go(t.seat.player, &t.position, "go movetime 1\n", (int64_t)deadline_ms, 0);
    player_excuse(t.seat.player, -past);
    player_excuse(t.seat.player, past);
    let_think(&t);
    open_gate(&t.seat);
    await_move(&t);
    ck_assert_str_eq(t.seat.why, "");
    ck_assert_uint_lt(t.seat.elapsed_ns, deadline_ms * 1000000);
    end_thinker(&t);
}
END_TEST

/* The question came when the pause was over, or within it. */
START_TEST(a_pause_before_the_question_is_not_excused) {
    Thinker t = {0};
    begin_thinker(&t);
    const uint64_t past = past_ns();
    player_go(t.seat.player, &t.position, "go movetime 1\n", 2 * 3600000, 0);
    player_excuse(t.seat.player, 10 * past);
    player_excuse(t.seat.player, -past); /* So long it has thought since then. */
    open_gate(&t.seat);
    await_move(&t);
    ck_assert_uint_ge(t.seat.elapsed_ns, past);
    end_thinker(&t);
}
END_TEST

static void excuse_the_past(void *user) {
    Thinker *t = user;
    player_excuse(t->seat.player, t->profile.known ? past_ns() : 0);
}

/* The owner is asked before a deadline and before a move, whichever the loop finds first. */
START_TEST(the_owner_may_excuse_a_pause_before_time_is_judged) {
    Thinker t = {0};
    begin_thinker(&t);
    t.profile.judging = excuse_the_past;
    t.profile.user = &t;
    go(&t, "go movetime 1\n", _i ? 1 : PATIENCE_MS, 0, past_ns() / 1000000000 - 1);
    ck_assert_str_eq(t.seat.why, "");
    open_gate(&t.seat);
    await_move(&t);
    ck_assert_uint_lt(t.seat.elapsed_ns, PATIENCE_MS * (uint64_t)1000000);
    end_thinker(&t);
}
END_TEST

/* The first search tells the engine's speed: half a node a second, but less than one is not
 * believed. Three nodes may then take a minute, though the deadline is a millisecond. */
START_TEST(a_search_for_nodes_may_take_twenty_times_its_usual_time) {
    Thinker t = {0};
    begin_thinker(&t);
    go(&t, "go nodes 1\n", PATIENCE_MS, 1, 2);
    await_move(&t);
    go(&t, "go nodes 3\n", 1, 3, 31);
    ck_assert_str_eq(t.seat.why, "");
    open_gate(&t.seat);
    t.seat.moved = false;
    await_move(&t);
    go(&t, "go nodes 3\n", 1, 3, 61);
    ck_assert_msg(strstr(t.seat.why, "no move within ") != NULL, "'%s'", t.seat.why);
    end_thinker(&t);
}
END_TEST

/* A forced move is answered with a single node of the 3000: that tells no speed, and the engine
 * that is silent afterwards is not waited for. */
START_TEST(a_search_that_ends_early_tells_no_speed) {
    Thinker t = {0};
    begin_thinker(&t);
    go(&t, "go nodes 1\n", PATIENCE_MS, 3000, 1);
    await_move(&t);
    go(&t, "go nodes 3000\n", 1, 3000, 31);
    ck_assert_msg(strstr(t.seat.why, "no move within ") != NULL, "'%s'", t.seat.why);
    end_thinker(&t);
}
END_TEST

/* The second question shows that each use is told once. */
START_TEST(an_engine_wants_a_cpu_for_each_thread_while_it_thinks) {
    if (cpu_time_of((int)getpid()) == 0) {
        puts("player: this system does not tell the CPU time of a process: left out");
        return;
    }
    Thinker t = {0};
    begin_thinker(&t);
    t.profile.threads = 1 + _i;
    for (int question = 0; question < 2; question++) {
        t.seat.moved = false;
        go(&t, "go movetime 1\n", PATIENCE_MS, 0, 60);
        open_gate(&t.seat);
        await_move(&t);
        CpuUse use = player_cpu_use(t.seat.player);
        ck_assert_uint_eq(use.wanted_ns, (uint64_t)t.profile.threads * t.seat.elapsed_ns);
        ck_assert_uint_gt(use.run_ns, 0);
        ck_assert_uint_lt(use.run_ns, t.seat.elapsed_ns);
        ck_assert_uint_eq(player_cpu_use(t.seat.player).wanted_ns, 0);
    }
    end_thinker(&t);
}
END_TEST

START_TEST(processes_that_start_together_keep_all_their_options) {
    char folder[TEMPORARY_SIZE];
    temporary_folder(folder, sizeof folder, "test-player");
    const MatchOption options[] = {{.name = "Threads", .value = "1"},
                                   {.name = "Hash", .value = "8"}};
    uv_loop_t loop;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    Seat seats[PROCESSES] = {{0}};
    PlayerProfile profile = {.deadlines =
                                 player_deadlines(&(MatchDeadlines){.uciok = PATIENCE_MS})};
    const char *argv[PROCESSES][6];
    MatchEngine engines[PROCESSES];
    /* The processes differ in their gates and waits alone, so they share a profile. */
    for (int i = 0; i < PROCESSES; i++) {
        snprintf(seats[i].gate, GATE_SIZE, "%s/gate%d", folder, i);
        ck_assert_int_eq(mkfifo(seats[i].gate, 0600), 0);
        const char *const words[] = {"/bin/sh", "-c", SCRIPT, seats[i].gate, WAITS[i], NULL};
        memcpy(argv[i], words, sizeof words);
        engines[i] = (MatchEngine){.name = "engine",
                                   .argv = argv[i],
                                   .options = options,
                                   .option_count = 2,
                                   .strict_options = true};
    }
    for (int i = 0; i < PROCESSES; i++) {
        Error err = {0};
        profile.engine = &engines[i];
        seats[i].player = player_start(&loop, &profile, NULL, 0, &err);
        ck_assert_msg(seats[i].player != NULL, "%s", err.text);
        player_listen(seats[i].player, &EVENTS, &seats[i]);
        if (i == 0)
            await_first_option(&loop, &seats[i]);
    }
    for (int i = 0; i < PROCESSES; i++) {
        open_gate(&seats[i]);
        player_new_game(seats[i].player, NULL, 0);
        while (!seats[i].ready && seats[i].why[0] == '\0')
            uv_run(&loop, UV_RUN_ONCE);
        ck_assert_str_eq(seats[i].why, "");
    }
    ck_assert_uint_eq(profile.option_count, 2);
    for (int i = 0; i < PROCESSES; i++)
        player_free(seats[i].player);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    player_profile_free(&profile);
    for (int i = 0; i < PROCESSES; i++)
        unlink(seats[i].gate);
    rmdir(folder);
}
END_TEST

/* Starts an engine that declares `declared`, so many times, and that is given this option (NULL:
 * none), without which it is not to play. Copies the reason of its failure to `why`; "" when the
 * engine became ready. */
static void declare_options(const char *declared, int count, const MatchOption *option, char *why,
                            size_t size) {
    static const char MANY[] =
        "yes \"$0\" | head -n $1; echo uciok; "
        "while read line; do case $line in isready) echo readyok;; quit) exit;; esac; done";
    Seat seat = {0};
    char words[16];
    snprintf(words, sizeof words, "%d", count);
    const char *const argv[] = {"/bin/sh", "-c", MANY, declared, words, NULL};
    MatchEngine engine = {.name = "engine",
                          .argv = argv,
                          .options = option,
                          .option_count = option != NULL,
                          .strict_options = true};
    PlayerProfile profile = {
        .engine = &engine, .deadlines = player_deadlines(&(MatchDeadlines){.uciok = PATIENCE_MS})};
    uv_loop_t loop;
    Error err = {0};
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    seat.player = player_start(&loop, &profile, NULL, 0, &err);
    ck_assert_msg(seat.player != NULL, "%s", err.text);
    player_listen(seat.player, &EVENTS, &seat);
    player_new_game(seat.player, NULL, 0);
    while (!seat.ready && seat.why[0] == '\0')
        uv_run(&loop, UV_RUN_ONCE);
    snprintf(why, size, "%s", seat.why);
    player_free(seat.player);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    player_profile_free(&profile);
}

START_TEST(an_engine_may_declare_4096_options_and_no_more) {
    char why[512];
    declare_options("option name Many type check", 4096, NULL, why, sizeof why);
    ck_assert_str_eq(why, "");
    declare_options("option name Many type check", 4097, NULL, why, sizeof why);
    ck_assert_str_eq(why, "engine (/bin/sh): it declares more than 4096 options");
}
END_TEST

START_TEST(a_button_is_pressed_and_not_tuned) {
    static const char BUTTON[] = "option name Clear Hash type button";
    MatchOption option = {.name = "Clear Hash"};
    char why[512];
    declare_options(BUTTON, 1, &option, why, sizeof why);
    ck_assert_str_eq(why, "");
    option.value = "1";
    declare_options(BUTTON, 1, &option, why, sizeof why);
    ck_assert_msg(strstr(why, "Clear Hash=1: is a button: nothing or true") != NULL, "says '%s'",
                  why);
    option = (MatchOption){.name = "Clear Hash", .value = "0", .least = "0", .most = "1"};
    declare_options(BUTTON, 1, &option, why, sizeof why);
    ck_assert_msg(strstr(why, "Clear Hash: a button has no value to tune") != NULL, "says '%s'",
                  why);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, time_in_which_this_process_was_stopped_does_not_count);
    tcase_add_test(tests, a_pause_before_the_question_is_not_excused);
    tcase_add_loop_test(tests, the_owner_may_excuse_a_pause_before_time_is_judged, 0, 2);
    tcase_add_test(tests, a_search_for_nodes_may_take_twenty_times_its_usual_time);
    tcase_add_test(tests, a_search_that_ends_early_tells_no_speed);
    tcase_add_loop_test(tests, an_engine_wants_a_cpu_for_each_thread_while_it_thinks, 0, 2);
    tcase_add_test(tests, processes_that_start_together_keep_all_their_options);
    tcase_add_test(tests, an_engine_may_declare_4096_options_and_no_more);
    tcase_add_test(tests, a_button_is_pressed_and_not_tuned);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("player", add_tests);
}
