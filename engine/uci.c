/* SPDX-License-Identifier: MIT */
#include "uci.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "chess/movegen.h"
#include "chess/perft.h"
#include "datagen.h"
#include "eval/eval.h"
#include "genfens.h"
#include "lmr/flags.h"
#include "lmr/reduction.h"
#include "lmr/report.h"
#include "options.h"
#include "search/search.h"
#include "task.h"
#include "version.h"

/* KEYS_MAX positions since the last capture or pawn move are remembered: more than any rule asks
 * for. A search that may stop at once is polled by nobody, so no command waits for long. */
enum { LINE_MAX_BYTES = 1 << 20, KEYS_MAX = 1024, FAULT_MAX = 640, PERFT_DEPTH_MAX = 32 };
enum { THREAD_STACK_BYTES = 16 << 20 };

#define BLANKS OPENING_BLANKS

struct Uci {
    FILE *out;
    bool arguments;
    atomic_bool failed;
    Options options;
    Search *search;
    Position position;
    uint64_t keys[KEYS_MAX]; /* of the positions before `position`, oldest first */
    int key_count;

    /* What takes long is done on a thread, so that `stop`, `isready` and `quit` are heard. All that
     * follows is written while none runs; the atomic ones, and what is inside `search` and `task`,
     * alone may be touched from both sides. */
    pthread_t thread;
    void (*job)(Uci *uci);
    bool running;         /* a thread was started and not yet joined */
    bool unbounded;       /* it ends on stop (or ponderhit) only */
    atomic_bool answered; /* its bestmove is being printed: joining takes no time */
    SearchLimits limits;  /* of a search */
    Task task;            /* of every other job */
    int depth;            /* of perft, bench and lmr stats */
    char *words;          /* what the two requests point into */
    GenfensRequest genfens;
    DatagenRequest datagen;
};

/* Says what is wrong in one line, where the other side looks for it. From any thread. */
__attribute__((format(printf, 2, 3))) static void report_fault(Uci *uci, const char *format, ...) {
    char text[FAULT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* Whatever came in from outside: one line of printable characters goes out. */
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c >= 127)
            *c = '?';
    uci->failed = true;
    if (uci->arguments)
        fprintf(stderr, "reductio: %s\n", text);
    else
        fprintf(uci->out, "info string %s\n", text);
    fflush(uci->out);
}

/* Cuts the next word off *rest; NULL at the end. */
static char *next_word(char **rest) {
    char *word = *rest + strspn(*rest, BLANKS);
    if (*word == '\0') {
        *rest = word;
        return NULL;
    }
    char *end = word + strcspn(word, BLANKS);
    *rest = *end == '\0' ? end : end + 1;
    *end = '\0';
    return word;
}

static bool parse_integer(const char *text, int64_t *value) {
    enum { DIGITS_MAX = 15 };
    const char *digits = text + (*text == '-');
    size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > DIGITS_MAX || digits[count] != '\0')
        return false;
    *value = strtoll(text, NULL, 10);
    return true;
}

/* --- The thread ------------------------------------------------------------------------------- */

enum { INFO_LINE_MAX = 256 + MAX_PLY * MOVE_UCI_MAX };

/* Appends to a line that is long enough for all that is ever appended. */
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

static void print_info(const SearchInfo *info, void *user) {
    static const char *const bounds[] = {[BOUND_NONE] = "",
                                         [BOUND_UPPER] = " upperbound",
                                         [BOUND_LOWER] = " lowerbound",
                                         [BOUND_EXACT] = ""};
    Uci *uci = user;
    char line[INFO_LINE_MAX];
    size_t length = 0;
    if (info->current_move != MOVE_NONE) {
        move_to_uci(info->current_move, uci->options.chess960, line);
        fprintf(uci->out, "info depth %d currmove %s currmovenumber %d\n", info->depth, line,
                info->current_number);
        fflush(uci->out);
        return;
    }
    append(line, &length, "info depth %d seldepth %d multipv %d score %s %d%s", info->depth,
           info->seldepth, info->multipv, search_is_mate(info->score) ? "mate" : "cp",
           search_is_mate(info->score) ? search_mate_moves(info->score) : info->score,
           bounds[info->bound]);
    append(line, &length,
           " nodes %" PRIu64 " nps %" PRIu64 " hashfull %d tbhits %" PRIu64 " time %" PRId64,
           info->nodes, info->nps, info->hashfull, info->table_hits, info->time_ms);
    for (int i = 0; i < info->pv_length; i++) {
        char text[MOVE_UCI_MAX];
        move_to_uci(info->pv[i], uci->options.chess960, text);
        append(line, &length, "%s%s", i == 0 ? " pv " : " ", text);
    }
    fprintf(uci->out, "%s\n", line);
    fflush(uci->out);
}

static void print_bestmove(Uci *uci, const SearchResult *result) {
    char best[MOVE_UCI_MAX], ponder[MOVE_UCI_MAX];
    atomic_store(&uci->answered, true);
    if (result->best == MOVE_NONE) {
        fprintf(uci->out, "bestmove (none)\n");
    } else {
        move_to_uci(result->best, uci->options.chess960, best);
        if (result->ponder == MOVE_NONE) {
            fprintf(uci->out, "bestmove %s\n", best);
        } else {
            move_to_uci(result->ponder, uci->options.chess960, ponder);
            fprintf(uci->out, "bestmove %s ponder %s\n", best, ponder);
        }
    }
    fflush(uci->out);
}

/* perft in parts that take little time each, so that `stop` and `quit` need not wait. */
static uint64_t perft_in_parts(Uci *uci, Position *position, int depth) {
    enum { PART_DEPTH = 4 };
    Move moves[MAX_MOVES];
    Undo undo;
    uint64_t sum = 0;
    if (depth <= PART_DEPTH)
        return perft(position, depth);
    int count = movegen_legal(position, moves);
    for (int i = 0; i < count && !task_is_ended(&uci->task); i++) {
        position_make(position, moves[i], &undo);
        sum += perft_in_parts(uci, position, depth - 1);
        position_unmake(position, moves[i], &undo);
    }
    return sum;
}

static void run_perft(Uci *uci) {
    Move moves[MAX_MOVES];
    Position position = uci->position;
    Undo undo;
    uint64_t sum = 0;
    int count = movegen_legal(&position, moves);
    for (int i = 0; i < count && !task_is_ended(&uci->task); i++) {
        char text[MOVE_UCI_MAX];
        position_make(&position, moves[i], &undo);
        uint64_t leaves = perft_in_parts(uci, &position, uci->depth - 1);
        position_unmake(&position, moves[i], &undo);
        if (task_is_ended(&uci->task))
            break;
        move_to_uci(moves[i], uci->options.chess960, text);
        fprintf(uci->out, "%s: %" PRIu64 "\n", text, leaves);
        sum += leaves;
    }
    if (task_is_ended(&uci->task))
        fprintf(uci->out, "info string perft: stopped\n");
    else
        fprintf(uci->out, "\nNodes searched: %" PRIu64 "\n", sum);
}

static void run_search(Uci *uci) {
    SearchResult result;
    search_run(uci->search, &uci->position, uci->keys, uci->key_count, &uci->limits, print_info,
               uci, &result);
    print_bestmove(uci, &result);
}

/* The last line of a job that `stop` or `quit` cut short. */
static void print_stopped(Uci *uci, const char *command) {
    fprintf(uci->out, "info string %s: stopped\n", command);
}

static void run_bench(Uci *uci) {
    BenchResult result;
    if (!bench_run(&uci->task, uci->depth, uci->out, &result)) {
        print_stopped(uci, "bench");
        return;
    }
    double seconds = (double)(result.time_ns > 0 ? result.time_ns : 1) / 1e9;
    fprintf(uci->out, "%" PRIu64 " nodes %.0f nps\n", result.nodes, (double)result.nodes / seconds);
}

static void run_lmr_stats(Uci *uci) {
    LmrMeasurement measurement;
    if (bench_measure(&uci->task, uci->depth, &measurement))
        lmr_report_stats(uci->out, &measurement);
    else
        print_stopped(uci, "lmr stats");
}

static void run_genfens(Uci *uci) {
    char fault[GENFENS_FAULT_MAX];
    if (!genfens_run(&uci->task, &uci->genfens, uci->out, fault))
        report_fault(uci, "%s", fault);
    else if (task_is_ended(&uci->task))
        print_stopped(uci, "genfens");
}

static void run_datagen(Uci *uci) {
    char fault[DATAGEN_FAULT_MAX];
    DatagenResult result;
    if (!datagen_run(&uci->task, &uci->datagen, &result, fault))
        report_fault(uci, "%s", fault);
    else if (task_is_ended(&uci->task))
        print_stopped(uci, "datagen");
    if (result.games > 0)
        fprintf(uci->out, "%d games, %" PRId64 " positions\n", result.games, result.positions);
}

static void *run_job(void *user) {
    Uci *uci = user;
    uci->job(uci);
    fflush(uci->out);
    return NULL;
}

/* Waits for the end of the job, if there is one. */
static void join(Uci *uci) {
    if (uci->running)
        pthread_join(uci->thread, NULL);
    uci->running = false;
    uci->unbounded = false;
    task_close(&uci->task);
    free(uci->words);
    uci->words = NULL;
}

static void stop_and_join(Uci *uci) {
    if (uci->running && uci->job == run_search)
        search_stop(uci->search);
    else if (uci->running)
        task_end(&uci->task);
    join(uci);
}

static void start(Uci *uci, void (*job)(Uci *uci)) {
    pthread_attr_t attributes;
    uci->job = job;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES);
    uci->running = pthread_create(&uci->thread, &attributes, run_job, uci) == 0;
    pthread_attr_destroy(&attributes);
    /* No thread to be had: work here, deaf but not dumb. An endless search would never return. */
    if (!uci->running) {
        if (uci->unbounded)
            uci->limits = (SearchLimits){.depth = 1};
        uci->unbounded = false;
        run_job(uci);
    }
}

/* Starts what uci->limits say. */
static void start_search(Uci *uci) {
    atomic_store(&uci->answered, false);
    uci->unbounded = uci->limits.infinite || uci->limits.ponder;
    search_prepare(uci->search);
    start(uci, run_search);
}

/* Starts any other job. */
static void start_task(Uci *uci, void (*job)(Uci *uci), int hash_mebibytes) {
    task_open(&uci->task, hash_mebibytes);
    start(uci, job);
}

/* Before a command that a running search must not see: waits for one that ends by itself; false,
 * with a line that says so, when it would not. */
static bool be_idle(Uci *uci, const char *command) {
    if (uci->running && uci->unbounded && !atomic_load(&uci->answered)) {
        report_fault(uci, "%s: refused while a search without an end runs; send stop first",
                     command);
        return false;
    }
    join(uci);
    return true;
}

/* --- Commands --------------------------------------------------------------------------------- */

static void command_uci(Uci *uci, char *rest) {
    (void)rest;
    uint32_t hash = lmr_hash();
    char suffix[16] = "";
    if (hash != 0)
        snprintf(suffix, sizeof suffix, " %08" PRIx32, hash);
    fprintf(uci->out, "id name Reductio " REDUCTIO_VERSION "%s\n", suffix);
    fprintf(uci->out, "id author the Reductio authors\n\n");
    options_print(uci->out);
    fprintf(uci->out, "uciok\n");
}

static void command_isready(Uci *uci, char *rest) {
    (void)rest;
    fprintf(uci->out, "readyok\n");
}

static void command_ucinewgame(Uci *uci, char *rest) {
    (void)rest;
    if (be_idle(uci, "ucinewgame"))
        search_clear(uci->search);
}

static void command_nothing(Uci *uci, char *rest) {
    (void)uci;
    (void)rest;
}

static void command_stop(Uci *uci, char *rest) {
    (void)rest;
    stop_and_join(uci);
}

static void command_ponderhit(Uci *uci, char *rest) {
    (void)rest;
    if (!uci->running || uci->job != run_search)
        return;
    uci->unbounded = uci->limits.infinite;
    search_ponderhit(uci->search);
}

static void apply_effect(Uci *uci, OptionsEffect effect) {
    switch (effect) {
    case OPTIONS_NOTHING:
        return;
    case OPTIONS_RESIZE_HASH:
        if (!search_set_hash(uci->search, uci->options.hash))
            report_fault(uci, "setoption: no memory for a hash of %d MiB; the old one stays",
                         uci->options.hash);
        return;
    case OPTIONS_SET_THREADS:
        search_set_threads(uci->search, uci->options.threads);
        return;
    case OPTIONS_CLEAR_HASH:
        search_clear(uci->search);
        return;
    case OPTIONS_RETUNE:
        lmr_init();
        return;
    }
}

/* Joins the words up to `end` ("value", or NULL: all) with single blanks, in place. */
static char *join_words(char **rest, const char *end) {
    char *joined = *rest + strspn(*rest, BLANKS), *to = joined;
    for (char *word; (word = next_word(rest)) != NULL;) {
        if (end != NULL && strcmp(word, end) == 0)
            break;
        size_t length = strlen(word);
        if (to != joined)
            *to++ = ' ';
        memmove(to, word, length);
        to += length;
    }
    *to = '\0';
    return joined;
}

static void command_setoption(Uci *uci, char *rest) {
    char fault[OPTIONS_FAULT_MAX];
    OptionsEffect effect;
    const char *word = next_word(&rest);
    if (word == NULL || strcmp(word, "name") != 0) {
        report_fault(uci, "setoption: \"setoption name <name> [value <value>]\" is wanted");
        return;
    }
    char *name = join_words(&rest, "value");
    char *value = join_words(&rest, NULL);
    if (!be_idle(uci, "setoption"))
        return;
    if (options_set(&uci->options, name, value, &effect, fault))
        apply_effect(uci, effect);
    else
        report_fault(uci, "%s", fault);
}

/* A position with the keys of those before it. */
typedef struct {
    Position position;
    uint64_t keys[KEYS_MAX];
    int key_count;
} Line;

static void line_play(Line *line, Move move) {
    Undo undo;
    if (line->key_count == KEYS_MAX) {
        line->key_count = KEYS_MAX / 2;
        memmove(line->keys, line->keys + KEYS_MAX - line->key_count,
                (size_t)line->key_count * sizeof line->keys[0]);
    }
    line->keys[line->key_count++] = line->position.key;
    position_make(&line->position, move, &undo);
    if (line->position.rule50 == 0)
        line->key_count = 0;
}

/* Reads `startpos` or `fen ...` up to `moves` or the end. */
static bool read_root(Uci *uci, char **rest, Line *line) {
    FenError error;
    const char *word = next_word(rest);
    if (word != NULL && strcmp(word, "startpos") == 0) {
        const char *more = next_word(rest);
        if (more != NULL && strcmp(more, "moves") != 0) {
            report_fault(uci, "position: \"moves\" is wanted after startpos, not \"%.32s\"", more);
            return false;
        }
        return fen_parse(&line->position, FEN_STARTPOS, uci->options.chess960, NULL);
    }
    if (word == NULL || strcmp(word, "fen") != 0) {
        report_fault(uci, "position: \"startpos\" or \"fen <FEN>\" is wanted");
        return false;
    }
    const char *fen = join_words(rest, "moves");
    if (fen_parse(&line->position, fen, uci->options.chess960, &error))
        return true;
    report_fault(uci, "position: %s; the position stays as it was", error.text);
    return false;
}

static void command_position(Uci *uci, char *rest) {
    Line line = {.key_count = 0};
    if (!be_idle(uci, "position") || !read_root(uci, &rest, &line))
        return;
    int number = 1;
    for (char *word; (word = next_word(&rest)) != NULL; number++) {
        Move move = move_from_uci(&line.position, word);
        if (move == MOVE_NONE) {
            char fen[FEN_MAX];
            fen_format(&line.position, fen);
            report_fault(uci,
                         "position: move %d, \"%.16s\", is not legal in %s; "
                         "the position stays as it was",
                         number, word, fen);
            return;
        }
        line_play(&line, move);
    }
    uci->position = line.position;
    uci->key_count = line.key_count;
    memcpy(uci->keys, line.keys, (size_t)line.key_count * sizeof line.keys[0]);
}

typedef enum { GO_INT, GO_NODES, GO_MS, GO_CLOCK, GO_FLAG } GoKind;

typedef struct {
    const char *word;
    GoKind kind;
    int64_t low, high; /* values beyond are moved to the nearer end */
    size_t offset;     /* in SearchLimits */
} GoWord;

enum { MOVES_MAX = 10000 };
/* 34 years: in microseconds and times some permille it still fits. */
#define MS_MAX ((int64_t)1 << 40)
#define NODES_MAX ((int64_t)1 << 48)

static const GoWord go_words[] = {
    {"depth", GO_INT, 1, MAX_PLY, offsetof(SearchLimits, depth)},
    {"nodes", GO_NODES, 1, NODES_MAX, offsetof(SearchLimits, nodes)},
    {"movetime", GO_MS, 1, MS_MAX, offsetof(SearchLimits, movetime_ms)},
    {"mate", GO_INT, 1, MAX_PLY, offsetof(SearchLimits, mate)},
    {"wtime", GO_CLOCK, -MS_MAX, MS_MAX, offsetof(SearchLimits, time_ms[WHITE])},
    {"btime", GO_CLOCK, -MS_MAX, MS_MAX, offsetof(SearchLimits, time_ms[BLACK])},
    {"winc", GO_MS, 0, MS_MAX, offsetof(SearchLimits, inc_ms[WHITE])},
    {"binc", GO_MS, 0, MS_MAX, offsetof(SearchLimits, inc_ms[BLACK])},
    {"movestogo", GO_INT, 0, MOVES_MAX, offsetof(SearchLimits, movestogo)},
    {"infinite", GO_FLAG, 0, 0, offsetof(SearchLimits, infinite)},
    {"ponder", GO_FLAG, 0, 0, offsetof(SearchLimits, ponder)},
};

static const GoWord *find_go_word(const char *word) {
    for (size_t i = 0; i < sizeof go_words / sizeof go_words[0]; i++)
        if (strcmp(go_words[i].word, word) == 0)
            return &go_words[i];
    return NULL;
}

static void store_go_word(SearchLimits *limits, const GoWord *word, int64_t value) {
    void *field = (char *)limits + word->offset;
    value = value < word->low ? word->low : value > word->high ? word->high : value;
    switch (word->kind) {
    case GO_INT:
        *(int *)field = (int)value;
        return;
    case GO_NODES:
        *(uint64_t *)field = (uint64_t)value;
        return;
    case GO_CLOCK:
        limits->has_clock = true;
        *(int64_t *)field = value;
        return;
    case GO_MS:
        *(int64_t *)field = value;
        return;
    case GO_FLAG:
        *(bool *)field = true;
        return;
    }
}

/* Reads moves until a word is none; that word is returned, NULL at the end. */
static char *read_searchmoves(Uci *uci, char **rest) {
    SearchLimits *limits = &uci->limits;
    char *word;
    limits->searchmoves_count = 0;
    while ((word = next_word(rest)) != NULL) {
        Move move = move_from_uci(&uci->position, word);
        bool known = false;
        if (move == MOVE_NONE)
            break;
        for (int i = 0; i < limits->searchmoves_count; i++)
            known = known || limits->searchmoves[i] == move;
        if (!known)
            limits->searchmoves[limits->searchmoves_count++] = move;
    }
    if (limits->searchmoves_count == 0)
        report_fault(uci, "go: searchmoves: \"%.16s\" is not a legal move here", word ? word : "");
    return word;
}

/* Reads the words after `go` into uci->limits and uci->depth; false with a line about it. */
static bool parse_go(Uci *uci, char *rest) {
    char *word = next_word(&rest);
    while (word != NULL) {
        if (strcmp(word, "searchmoves") == 0) {
            word = read_searchmoves(uci, &rest);
            if (uci->limits.searchmoves_count == 0)
                return false;
            continue;
        }
        const GoWord *known = find_go_word(word);
        bool is_perft = strcmp(word, "perft") == 0;
        int64_t value = 0;
        if (known == NULL && !is_perft) {
            report_fault(uci, "go: \"%.32s\" is not understood", word);
            return false;
        }
        if (is_perft || known->kind != GO_FLAG) {
            const char *text = next_word(&rest);
            if (text == NULL || !parse_integer(text, &value) ||
                (is_perft && (value < 1 || value > PERFT_DEPTH_MAX))) {
                report_fault(uci, "go: %s wants a number, not \"%.32s\"", word, text ? text : "");
                return false;
            }
        }
        if (is_perft)
            uci->depth = (int)value;
        else
            store_go_word(&uci->limits, known, value);
        word = next_word(&rest);
    }
    return true;
}

static void command_go(Uci *uci, char *rest) {
    int64_t now = search_now_ns();
    if (!be_idle(uci, "go"))
        return;
    uci->limits = (SearchLimits){.start_ns = now,
                                 .multipv = uci->options.multipv,
                                 .move_overhead_ms = uci->options.overhead};
    uci->depth = 0;
    if (!parse_go(uci, rest))
        return;
    if (uci->depth > 0) {
        start_task(uci, run_perft, SEARCH_HASH_MIN);
        return;
    }
    SearchLimits *limits = &uci->limits;
    if (limits->depth == 0 && limits->nodes == 0 && limits->movetime_ms == 0 &&
        !limits->has_clock && limits->mate == 0)
        limits->infinite = true;
    start_search(uci);
}

static void command_d(Uci *uci, char *rest) {
    (void)rest;
    const Position *position = &uci->position;
    char fen[FEN_MAX];
    if (!be_idle(uci, "d"))
        return;
    for (int rank = 7; rank >= 0; rank--) {
        fprintf(uci->out, "%d ", rank + 1);
        for (int file = 0; file < 8; file++)
            fprintf(uci->out, " %c", "PpNnBbRrQqKk."[position->board[square_make(file, rank)]]);
        fprintf(uci->out, "\n");
    }
    fen_format(position, fen);
    fprintf(uci->out, "   a b c d e f g h\nFen: %s\nKey: %016" PRIX64 "\nLegal moves: %d%s\n", fen,
            position->key, movegen_count(position),
            position_in_check(position) ? ", in check" : "");
}

static void command_eval(Uci *uci, char *rest) {
    (void)rest;
    if (!be_idle(uci, "eval"))
        return;
    int score = evaluate(&uci->position);
    fprintf(uci->out, "evaluation %+d cp for White\n", uci->position.stm == WHITE ? score : -score);
}

/* Reads the depth that may follow `bench` or `lmr stats` into uci->depth. */
static bool read_depth(Uci *uci, const char *command, char *rest, int standard) {
    const char *word = next_word(&rest);
    int64_t value = standard;
    if (word != NULL && (!parse_integer(word, &value) || value < 1 || value > BENCH_DEPTH_MAX)) {
        report_fault(uci, "%s: a depth from 1 to %d is wanted, not \"%.32s\"", command,
                     BENCH_DEPTH_MAX, word);
        return false;
    }
    uci->depth = (int)value;
    return true;
}

static void command_bench(Uci *uci, char *rest) {
    if (be_idle(uci, "bench") && read_depth(uci, "bench", rest, BENCH_DEPTH_DEFAULT))
        start_task(uci, run_bench, SEARCH_HASH_DEFAULT);
}

static void lmr_statistics(Uci *uci, char *rest) {
    if (!LMR_STATS)
        report_fault(uci, "lmr stats: this build counts nothing; build with LMR=\"STATS=1\"");
    else if (read_depth(uci, "lmr stats", rest, BENCH_STATS_DEPTH_DEFAULT))
        start_task(uci, run_lmr_stats, SEARCH_HASH_DEFAULT);
}

static void command_lmr(Uci *uci, char *rest) {
    const char *what = next_word(&rest);
    if (!be_idle(uci, "lmr"))
        return;
    if (what == NULL) {
        lmr_report_flags(uci->out);
    } else if (strcmp(what, "stats") == 0) {
        lmr_statistics(uci, rest);
    } else if (strcmp(what, "spsa") == 0) {
        if (LMR_TUNE)
            lmr_report_spsa(uci->out);
        else
            report_fault(uci, "lmr spsa: the rows of this build are constants; build with TUNE=1");
    } else if (strcmp(what, "list") == 0) {
        const char *format = next_word(&rest);
        if (format == NULL || strcmp(format, "--json") == 0)
            lmr_report_list(uci->out, format != NULL);
        else
            report_fault(uci, "lmr list: only --json may follow, not \"%.32s\"", format);
    } else {
        report_fault(uci, "lmr: list, stats [depth] or spsa may follow, not \"%.32s\"", what);
    }
}

/* Keeps the words of a command for the job that it starts; false when the memory does not. */
static bool keep_words(Uci *uci, const char *rest) {
    uci->words = strdup(rest);
    if (uci->words == NULL)
        report_fault(uci, "out of memory");
    return uci->words != NULL;
}

static void command_genfens(Uci *uci, char *rest) {
    char fault[GENFENS_FAULT_MAX];
    if (!be_idle(uci, "genfens") || !keep_words(uci, rest))
        return;
    if (!genfens_parse(uci->words, &uci->genfens, fault)) {
        report_fault(uci, "%s", fault);
        return;
    }
    uci->genfens.chess960 = uci->options.chess960;
    start_task(uci, run_genfens, GENFENS_HASH);
}

static void command_datagen(Uci *uci, char *rest) {
    char fault[DATAGEN_FAULT_MAX];
    if (!be_idle(uci, "datagen") || !keep_words(uci, rest))
        return;
    if (!datagen_parse(uci->words, &uci->datagen, fault)) {
        report_fault(uci, "%s", fault);
        return;
    }
    uci->datagen.chess960 = uci->options.chess960;
    start_task(uci, run_datagen, DATAGEN_HASH);
}

static const struct {
    const char *name;
    void (*run)(Uci *uci, char *rest);
} commands[] = {
    {"uci", command_uci},
    {"isready", command_isready},
    {"ucinewgame", command_ucinewgame},
    {"setoption", command_setoption},
    {"position", command_position},
    {"go", command_go},
    {"stop", command_stop},
    {"ponderhit", command_ponderhit},
    {"quit", command_stop},
    {"debug", command_nothing},
    {"register", command_nothing},
    {"d", command_d},
    {"eval", command_eval},
    {"bench", command_bench},
    {"lmr", command_lmr},
    {"genfens", command_genfens},
    {"datagen", command_datagen},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

bool uci_is_command(const char *word, size_t length) {
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strlen(commands[i].name) == length && strncmp(commands[i].name, word, length) == 0)
            return true;
    return false;
}

bool uci_execute(Uci *uci, char *line) {
    char *rest = line;
    const char *word = next_word(&rest);
    if (word == NULL)
        return true;
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, word) == 0) {
            commands[i].run(uci, rest);
            fflush(uci->out);
            return strcmp(word, "quit") != 0;
        }
    }
    report_fault(uci, "unknown command \"%.32s\"", word);
    return true;
}

/* --- The dialogue ----------------------------------------------------------------------------- */

Uci *uci_new(FILE *out, bool arguments) {
    Uci *uci = calloc(1, sizeof *uci);
    if (uci == NULL)
        return NULL;
    uci->out = out;
    uci->arguments = arguments;
    options_init(&uci->options);
    uci->search = search_new();
    fen_parse(&uci->position, FEN_STARTPOS, false, NULL);
    return uci;
}

void uci_free(Uci *uci) {
    if (uci == NULL)
        return;
    stop_and_join(uci);
    search_free(uci->search);
    free(uci);
}

void uci_finish(Uci *uci) {
    if (uci->unbounded)
        stop_and_join(uci);
    else
        join(uci);
}

bool uci_failed(const Uci *uci) {
    return uci->failed;
}

/* Reads a line into the buffer, without its end; -1 at the end of the file, else its length, which
 * may be more than the buffer holds: the rest of such a line is lost. */
static long read_line(FILE *in, char *buffer, long capacity) {
    long length = 0;
    int c;
    while ((c = getc(in)) != EOF && c != '\n') {
        if (length < capacity - 1)
            buffer[length] = c == '\0' ? ' ' : (char)c;
        length++;
    }
    if (c == EOF && length == 0)
        return -1;
    buffer[length < capacity ? length : capacity - 1] = '\0';
    return length;
}

void uci_loop(Uci *uci, FILE *in) {
    char *line = malloc(LINE_MAX_BYTES);
    bool more = line != NULL;
    while (more) {
        long length = read_line(in, line, LINE_MAX_BYTES);
        if (length < 0)
            more = false;
        else if (length >= LINE_MAX_BYTES)
            report_fault(uci, "a line of %ld bytes is too long: ignored", length);
        else
            more = uci_execute(uci, line);
    }
    /* Without any more commands a search has nobody to think for; what a script asked for is done.
     */
    if (uci->job == run_search)
        stop_and_join(uci);
    else
        join(uci);
    free(line);
}
