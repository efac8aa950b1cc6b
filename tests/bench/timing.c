/* How far the thinking time that the runner measures lies above the one that engines report of
 * themselves, with many games at once. The scripted engine sleeps a known delay.
 *     timing ENGINE GAMES DELAY_MS MOVES
 * prints the median and the high percentiles of (measured - reported) in milliseconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/child.h"
#include "base/memory.h"
#include "match/player.h"

typedef struct {
    int moves;      /* Of each engine. */
    double *errors; /* Milliseconds. */
    size_t count;
    Text position;
} Bench;

/* One engine that is asked again and again. */
typedef struct {
    Bench *bench;
    Player *player;
    int moves;
} Seat;

static void ask(Seat *seat) {
    player_go(seat->player, &seat->bench->position, "go movetime 1000\n", 60000, 0);
}

static void on_ready(Player *player, void *user) {
    (void)player;
    ask(user);
}

static void on_moved(Player *player, const PlayerMove *move, void *user) {
    Seat *seat = user;
    Bench *bench = seat->bench;
    static const char TOOK[] = "took=";
    if (move->comment != NULL && strncmp(move->comment, TOOK, strlen(TOOK)) == 0)
        bench->errors[bench->count++] =
            (double)move->elapsed_ns / 1e6 - strtod(move->comment + strlen(TOOK), NULL) / 1e3;
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

static double quantile(const Bench *bench, double q) {
    return bench->errors[(size_t)(q * (double)(bench->count - 1))];
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
    bench.errors = mem_calloc((size_t)games * (size_t)bench.moves, sizeof *bench.errors);
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
        seats[i].player = player_start(&loop, &profile, NULL, 0, 0, &err);
        if (seats[i].player == NULL) {
            fprintf(stderr, "timing: %s\n", err.text);
            return 1;
        }
        player_listen(seats[i].player, &EVENTS, &seats[i]);
        player_new_game(seats[i].player, NULL, 0);
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    if (bench.count == 0)
        return 1;
    qsort(bench.errors, bench.count, sizeof *bench.errors, compare);
    printf(
        "%3d games at once, %zu moves of %s ms: measured - reported: median %.3f ms, 99 %% %.3f, "
        "99.9 %% %.3f, most %.3f\n",
        games, bench.count, argv[3], quantile(&bench, 0.5), quantile(&bench, 0.99),
        quantile(&bench, 0.999), quantile(&bench, 1));
    player_profile_free(&profile);
    text_free(&bench.position);
    text_free(&delay);
    free(bench.errors);
    free(seats);
    return 0;
}
