/* SPDX-License-Identifier: MIT */
/* How far the thinking time that the runner measures lies above the one that engines report of
 * themselves, with many games at once. The scripted engine sleeps a known delay.
 *     timing ENGINE GAMES DELAY_MS MOVES
 * prints the median and the high percentiles of (measured - reported) in milliseconds, and what
 * they are made of: from the writing of `go` to the engine's looking at its clock, and from its
 * looking again to the stamp on its answer. The first is the kernel waking the engine (and the
 * engine's reading), the second the kernel waking the runner (and the runner's reading). Both
 * programs read the machine's one monotonic clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/child.h"
#include "base/cpus.h"
#include "base/memory.h"
#include "match/player.h"

/* What is measured of each move, in milliseconds. */
enum { ALL, WAKING_ENGINE, WAKING_RUNNER, PARTS };

typedef struct {
    int moves; /* Of each engine. */
    double *times[PARTS];
    size_t count;
    Text position;
} Bench;

/* One engine that is asked again and again. */
typedef struct {
    Bench *bench;
    Player *player;
    int moves;
    uint64_t asked_ns;
} Seat;

static void ask(Seat *seat) {
    seat->asked_ns = uv_hrtime();
    player_go(seat->player, &seat->bench->position, "go movetime 1000\n", 60000, 0);
}

static void on_ready(Player *player, void *user) {
    (void)player;
    ask(user);
}

static void on_moved(Player *player, const PlayerMove *move, void *user) {
    Seat *seat = user;
    Bench *bench = seat->bench;
    double took_us;
    double began_us;
    if (move->comment != NULL &&
        sscanf(move->comment, "took=%lf began=%lf", &took_us, &began_us) == 2) {
        double all = (double)move->elapsed_ns / 1e6 - took_us / 1e3;
        double waking = began_us / 1e3 - (double)seat->asked_ns / 1e6;
        bench->times[ALL][bench->count] = all;
        bench->times[WAKING_ENGINE][bench->count] = waking;
        bench->times[WAKING_RUNNER][bench->count++] = all - waking;
    }
    if (++seat->moves < bench->moves)
        ask(seat);
    else
        player_free(player);
}

static void on_failed(Player *player, PlayerFault fault, uint64_t elapsed_ns, const char *why,
                      void *user) {
    (void)fault;
    (void)elapsed_ns;
    (void)user;
    fprintf(stderr, "timing: %s\n", why);
    player_free(player);
}

static int compare(const void *a, const void *b) {
    const double *x = a;
    const double *y = b;
    return (*x > *y) - (*x < *y);
}

static void print_quantiles(const char *what, double *times, size_t count) {
    qsort(times, count, sizeof *times, compare);
    printf("  %-18s median %7.3f ms, 99 %% %7.3f, 99.9 %% %7.3f, most %7.3f\n", what,
           times[(count - 1) / 2], times[(size_t)(0.99 * (double)(count - 1))],
           times[(size_t)(0.999 * (double)(count - 1))], times[count - 1]);
}

static void print(const Bench *bench, int games, const char *delay) {
    static const char *const NAMES[PARTS] = {"measured-reported", "go to engine",
                                             "engine to stamp"};
    printf("%3d games at once, %zu moves of %s ms\n", games, bench->count, delay);
    for (int i = 0; i < PARTS; i++)
        print_quantiles(NAMES[i], bench->times[i], bench->count);
}

int main(int argc, char **argv) {
    static const PlayerEvents EVENTS = {.ready = on_ready, .moved = on_moved, .failed = on_failed};
    child_trampoline(argc, argv);
    if (argc != 5) {
        fputs("usage: timing ENGINE GAMES DELAY_MS MOVES\n", stderr);
        return 2;
    }
    int games = atoi(argv[2]);
    Bench bench = {.moves = atoi(argv[4])};
    for (int i = 0; i < PARTS; i++)
        bench.times[i] = mem_calloc((size_t)games * (size_t)bench.moves, sizeof(double));
    text_add(&bench.position,
             "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");

    Text delay = {0};
    text_addf(&delay, "delay=%s", argv[3]);
    const char *engine_argv[] = {argv[1], "report", text_string(&delay), NULL};
    MatchEngine engine = {.name = "engine", .argv = engine_argv};
    PlayerProfile profile = {.engine = &engine,
                             .deadlines = player_deadlines(&(MatchDeadlines){0})};
    uv_loop_t loop;
    uv_loop_init(&loop);
    Seat *seats = mem_calloc((size_t)games, sizeof *seats);
    for (int i = 0; i < games; i++) {
        Error err = {0};
        seats[i] = (Seat){.bench = &bench};
        seats[i].player = player_start(&loop, &profile, NULL, 0, &err);
        if (seats[i].player == NULL) {
            fprintf(stderr, "timing: %s\n", err.text);
            return 1;
        }
        player_listen(seats[i].player, &EVENTS, &seats[i]);
        player_new_game(seats[i].player, NULL, 0);
    }
    cpus_set_prompt(true);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    if (bench.count == 0)
        return 1;
    print(&bench, games, argv[3]);
    player_profile_free(&profile);
    text_free(&bench.position);
    text_free(&delay);
    for (int i = 0; i < PARTS; i++)
        free(bench.times[i]);
    free(seats);
    return 0;
}
