/* SPDX-License-Identifier: MIT */
#include "ucijob.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "bench.h"
#include "chess/move.h"
#include "chess/movegen.h"
#include "chess/perft.h"
#include "cpubuild.h"
#include "lmr/report.h"
#include "task.h"
#include "wdl.h"

struct UciJob {
    Output *output;
    Search *search; /* of UCIJOB_SEARCH */
    pthread_t thread;
    bool running;   /* the thread was started and not yet joined */
    bool endless;   /* the search ends on stop (or ponderhit) only */
    bool pondering; /* a search whose ponderhit has not come */
    /* The thread reads `request`, which is written while no thread runs. Both sides use the atomic
     * flag, and what is inside `search` and `task`. */
    UciJobRequest request;
    atomic_bool answered; /* the end of the answer is (being) printed: joining takes no time */
    Task task;            /* of every kind but UCIJOB_SEARCH */
};

/* --- What the jobs do and print --------------------------------------------------------------- */

enum { INFO_LINE_MAX = 256 + MAX_PLY * MOVE_UCI_MAX };

/* Appends to a line, which is long enough for any line of analysis. */
__attribute__((format(printf, 3, 4))) static void append(char line[INFO_LINE_MAX], size_t *length,
                                                         const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(line + *length, INFO_LINE_MAX - *length, format, arguments);
    va_end(arguments);
    *length += (size_t)more;
    if (*length >= INFO_LINE_MAX)
        *length = INFO_LINE_MAX - 1;
}

static void print_current_move(const UciJob *job, const SearchInfo *info) {
    char text[MOVE_UCI_MAX];
    move_to_uci(info->current_move, job->request.game.position.chess960, text);
    fprintf(job->output->file, "info depth %d currmove %s currmovenumber %d\n", info->depth, text,
            info->current_number);
    fflush(job->output->file);
}

static void print_info(const SearchInfo *info, void *user) {
    static const char *const bounds[] = {[BOUND_NONE] = "",
                                         [BOUND_UPPER] = " upperbound",
                                         [BOUND_LOWER] = " lowerbound",
                                         [BOUND_EXACT] = ""};
    const UciJob *job = user;
    char line[INFO_LINE_MAX];
    size_t length = 0;
    if (info->current_move != MOVE_NONE) {
        print_current_move(job, info);
        return;
    }
    append(line, &length, "info depth %d seldepth %d multipv %d score %s %d%s", info->depth,
           info->seldepth, info->multipv, search_is_mate(info->score) ? "mate" : "cp",
           search_is_mate(info->score) ? search_mate_moves(info->score) : info->score,
           bounds[info->bound]);
    if (job->request.show_wdl) {
        Wdl wdl = wdl_of(&job->request.game.position, info->score);
        append(line, &length, " wdl %d %d %d", wdl.win, wdl.draw, wdl.loss);
    }
    append(line, &length,
           " nodes %" PRIu64 " nps %" PRIu64 " hashfull %d tbhits %" PRIu64 " time %" PRId64,
           info->nodes, info->nps, info->hashfull, info->table_hits, info->time_ms);
    for (int i = 0; i < info->pv_length; i++) {
        char text[MOVE_UCI_MAX];
        move_to_uci(info->pv[i], job->request.game.position.chess960, text);
        append(line, &length, "%s%s", i == 0 ? " pv " : " ", text);
    }
    fprintf(job->output->file, "%s\n", line);
    fflush(job->output->file);
}

static void print_bestmove(UciJob *job, const SearchResult *result) {
    char best[MOVE_UCI_MAX], ponder[MOVE_UCI_MAX];
    atomic_store(&job->answered, true);
    if (result->best == MOVE_NONE) {
        /* The game is over, and no line was reported. */
        fprintf(job->output->file, "info depth 0 score %s 0\nbestmove (none)\n",
                position_in_check(&job->request.game.position) ? "mate" : "cp");
    } else {
        move_to_uci(result->best, job->request.game.position.chess960, best);
        if (result->ponder == MOVE_NONE) {
            fprintf(job->output->file, "bestmove %s\n", best);
        } else {
            move_to_uci(result->ponder, job->request.game.position.chess960, ponder);
            fprintf(job->output->file, "bestmove %s ponder %s\n", best, ponder);
        }
    }
    fflush(job->output->file);
}

/* The last line of a job that `stop` cut short. */
static void print_stopped(UciJob *job, const char *command) {
    fprintf(job->output->file, "info string %s: stopped\n", command);
}

/* Perft in parts that take little time each, so that `stop` need not wait. */
static uint64_t perft_in_parts(UciJob *job, Position *position, int depth) {
    enum { PART_DEPTH = 4 };
    Move moves[MAX_MOVES];
    Undo undo;
    uint64_t sum = 0;
    if (depth <= PART_DEPTH)
        return perft(position, depth);
    int count = movegen_legal(position, moves);
    for (int i = 0; i < count && !task_is_ended(&job->task); i++) {
        position_make(position, moves[i], &undo);
        sum += perft_in_parts(job, position, depth - 1);
        position_unmake(position, moves[i], &undo);
    }
    return sum;
}

static void run_perft(UciJob *job) {
    Move moves[MAX_MOVES];
    Position position = job->request.game.position;
    Undo undo;
    uint64_t sum = 0;
    int count = movegen_legal(&position, moves);
    for (int i = 0; i < count && !task_is_ended(&job->task); i++) {
        char text[MOVE_UCI_MAX];
        position_make(&position, moves[i], &undo);
        uint64_t leaves = perft_in_parts(job, &position, job->request.depth - 1);
        position_unmake(&position, moves[i], &undo);
        if (task_is_ended(&job->task))
            break;
        move_to_uci(moves[i], job->request.game.position.chess960, text);
        fprintf(job->output->file, "%s: %" PRIu64 "\n", text, leaves);
        sum += leaves;
    }
    if (task_is_ended(&job->task))
        print_stopped(job, "perft");
    else
        fprintf(job->output->file, "\nNodes searched: %" PRIu64 "\n", sum);
}

static void run_search(UciJob *job) {
    SearchResult result;
    const Game *game = &job->request.game;
    search_run(job->search, &game->position, game->keys, game->key_count, &job->request.limits,
               print_info, job, &result);
    print_bestmove(job, &result);
}

static void run_bench(UciJob *job) {
    BenchResult result;
    fprintf(job->output->file, "built for %s, sliders by %s\n", cpubuild_name(),
            cpubuild_sliders());
    if (!bench_run(&job->task, job->request.depth, job->output->file, &result)) {
        print_stopped(job, "bench");
        return;
    }
    double seconds = (double)(result.time_ns > 0 ? result.time_ns : 1) / 1e9;
    fprintf(job->output->file, "%" PRIu64 " nodes %.0f nps\n", result.nodes,
            (double)result.nodes / seconds);
}

static void run_lmr_stats(UciJob *job) {
    LmrMeasurement measurement;
    if (!bench_measure(&job->task, job->request.depth, &measurement)) {
        print_stopped(job, "lmr stats");
        return;
    }
    /* A readyok stays outside of the report. */
    flockfile(job->output->file);
    lmr_report_stats(job->output->file, &measurement, job->request.json);
    funlockfile(job->output->file);
}

static void run_genfens(UciJob *job) {
    char fault[OPENING_FAULT_MAX];
    if (!genfens_run(&job->task, &job->request.genfens, job->output->file, fault))
        output_fault(job->output, "genfens: %s", fault);
    else if (task_is_ended(&job->task))
        print_stopped(job, "genfens");
}

static void run_datagen(UciJob *job) {
    char fault[OPENING_FAULT_MAX];
    DatagenResult result;
    if (!datagen_run(&job->task, &job->request.datagen, &result, fault))
        output_fault(job->output, "datagen: %s", fault);
    else if (task_is_ended(&job->task))
        print_stopped(job, "datagen");
    if (result.games > 0)
        fprintf(job->output->file, "%d game%s, %" PRId64 " position%s\n", result.games,
                result.games == 1 ? "" : "s", result.positions, result.positions == 1 ? "" : "s");
}

/* --- The thread ------------------------------------------------------------------------------- */

static const struct {
    void (*run)(UciJob *job);
    /* Of the task: a small table is quick to empty, and short searches do not fill it. 0: the
     * caller's search serves. */
    int hash_mebibytes;
} kinds[] = {
    [UCIJOB_SEARCH] = {run_search, 0},
    [UCIJOB_PERFT] = {run_perft, SEARCH_HASH_MIN},
    [UCIJOB_BENCH] = {run_bench, SEARCH_HASH_DEFAULT},
    [UCIJOB_LMR_STATS] = {run_lmr_stats, SEARCH_HASH_DEFAULT},
    [UCIJOB_GENFENS] = {run_genfens, SEARCH_HASH_MIN},
    [UCIJOB_DATAGEN] = {run_datagen, SEARCH_HASH_MIN},
};

static void *run(void *user) {
    UciJob *job = user;
    kinds[job->request.kind].run(job);
    fflush(job->output->file);
    atomic_store(&job->answered, true);
    return NULL;
}

UciJob *ucijob_new(Output *output, Search *search) {
    UciJob *job = calloc(1, sizeof *job);
    if (job != NULL) {
        job->output = output;
        job->search = search;
    }
    return job;
}

void ucijob_free(UciJob *job) {
    if (job != NULL)
        ucijob_stop(job);
    free(job);
}

void ucijob_start(UciJob *job, const UciJobRequest *request) {
    pthread_attr_t attributes;
    ucijob_wait(job);
    job->request = *request;
    atomic_store(&job->answered, false);
    job->pondering = request->kind == UCIJOB_SEARCH && request->limits.ponder;
    if (request->kind == UCIJOB_SEARCH) {
        job->endless = request->limits.ponder || !search_limits_end(&request->limits);
        search_prepare(job->search);
    } else {
        task_open(&job->task, kinds[request->kind].hash_mebibytes);
    }
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, SEARCH_STACK_BYTES);
    job->running = pthread_create(&job->thread, &attributes, run, job) == 0;
    pthread_attr_destroy(&attributes);
    if (job->running)
        return;
    /* Nobody will hear `stop` while the caller's thread does the work. */
    if (job->endless) {
        job->request.limits.infinite = job->request.limits.ponder = false;
        job->request.limits.depth = 1;
    }
    job->endless = false;
    run(job);
}

bool ucijob_is_running(const UciJob *job) {
    return job->running && !atomic_load(&job->answered);
}

bool ucijob_is_measuring(const UciJob *job) {
    return job->request.kind == UCIJOB_LMR_STATS && ucijob_is_running(job);
}

bool ucijob_is_endless(const UciJob *job) {
    return job->endless && ucijob_is_running(job);
}

bool ucijob_is_timed(const UciJob *job) {
    const SearchLimits *limits = &job->request.limits;
    return job->request.kind == UCIJOB_SEARCH && ucijob_is_running(job) && !job->endless &&
           limits->depth == 0 && limits->nodes == 0;
}

void ucijob_wait(UciJob *job) {
    if (job->running)
        pthread_join(job->thread, NULL);
    job->running = false;
    job->endless = false;
    task_close(&job->task);
    free(job->request.words);
    job->request.words = NULL;
}

void ucijob_stop(UciJob *job) {
    if (job->running && job->request.kind == UCIJOB_SEARCH)
        search_stop(job->search);
    else if (job->running)
        task_end(&job->task);
    ucijob_wait(job);
}

void ucijob_finish(UciJob *job) {
    if (job->endless)
        ucijob_stop(job);
    else
        ucijob_wait(job);
}

void ucijob_ponderhit(UciJob *job) {
    if (!job->running || !job->pondering)
        return;
    job->pondering = false;
    job->endless = !search_limits_end(&job->request.limits);
    search_ponderhit(job->search);
}
