/* SPDX-License-Identifier: MIT */
#include "uci.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "chess/movegen.h"
#include "eval/eval.h"
#include "go.h"
#include "ucijob.h"
#include "lmr/flags.h"
#include "lmr/reduction.h"
#include "lmr/report.h"
#include "options.h"
#include "output.h"
#include "search/search.h"
#include "search/tablebase.h"
#include "search/timeman.h"
#include "version.h"
#include "words.h"

enum { LINE_MAX_BYTES = 1 << 20 };

struct Uci {
    Output output;
    Options options;
    Search *search;
    int largest_table; /* men; 0: no endgame tables are open */
    Game game;         /* what `position` set */
    UciJob *job;
    unsigned due;       /* a bit for each OptionsEffect that waits for the end of the job */
    uint32_t rows_hash; /* lmr_hash() of the options, which `lmr stats` changes while it runs */
    char line[LINE_MAX_BYTES];
};

/* Starts a job, which gets the position on the board and the options that matter to it. */
static void start(Uci *uci, UciJobKind kind, UciJobRequest *request) {
    request->kind = kind;
    request->game = uci->game;
    request->show_wdl = uci->options.show_wdl;
    ucijob_start(uci->job, request);
}

/* --- Commands --------------------------------------------------------------------------------- */

/* The lines of a search that runs stay whole beside these. */
static void command_uci(Uci *uci, char *rest) {
    (void)rest;
    char suffix[16] = "";
    if (uci->rows_hash != 0)
        snprintf(suffix, sizeof suffix, " %08" PRIx32, uci->rows_hash);
    flockfile(uci->output.file);
    fprintf(uci->output.file, "id name Reductio " REDUCTIO_VERSION "%s\n", suffix);
    fprintf(uci->output.file, "id author the Reductio authors\n\n");
    options_print(uci->output.file);
    fprintf(uci->output.file, "uciok\n");
    funlockfile(uci->output.file);
}

static void command_isready(Uci *uci, char *rest) {
    (void)rest;
    fprintf(uci->output.file, "readyok\n");
}

static void command_nothing(Uci *uci, char *rest) {
    (void)uci;
    (void)rest;
}

static void command_stop(Uci *uci, char *rest) {
    (void)rest;
    ucijob_stop(uci->job);
}

/* Scripts send quit behind a search by depth or nodes, or behind a bench, and want its answer. A
 * search that time alone limits belongs to a game that is over. */
static void command_quit(Uci *uci, char *rest) {
    (void)rest;
    if (ucijob_is_timed(uci->job))
        ucijob_stop(uci->job);
    else
        ucijob_finish(uci->job);
}

static void command_ponderhit(Uci *uci, char *rest) {
    (void)rest;
    ucijob_ponderhit(uci->job);
}

/* Else errno says why. The dot makes a file an error too. */
static bool is_readable_folder(const char *folder) {
    char inside[OPTIONS_TEXT_MAX + 2];
    snprintf(inside, sizeof inside, "%s/.", folder);
    return access(inside, R_OK | X_OK) == 0;
}

/* Opens the endgame tables that SyzygyPath names. Tells which folders cannot be read, and where
 * there is no table at all, which ones have none. */
static void open_tables(Uci *uci) {
    char path[OPTIONS_TEXT_MAX], *rest = NULL;
    memcpy(path, uci->options.syzygy_path, sizeof path);
    uci->largest_table = tablebase_open(path);
    bool opened = uci->largest_table > 0;
    char *folder = strtok_r(path, ":", &rest);
    if (folder == NULL && path[0] != '\0')
        output_fault(&uci->output, "setoption: SyzygyPath names no folder");
    for (; folder != NULL; folder = strtok_r(NULL, ":", &rest)) {
        if (!is_readable_folder(folder))
            output_fault(&uci->output, "setoption: SyzygyPath: %.256s: %s%s", folder,
                         strerror(errno),
                         opened ? "; the tables of the other folders are in use" : "");
        else if (!opened)
            output_fault(&uci->output, "setoption: SyzygyPath: %.256s: no tables there", folder);
    }
}

/* Tells the search of how many men positions are looked up. */
static void limit_tables(Uci *uci) {
    int limit = uci->options.syzygy_limit;
    search_set_table_men(uci->search, limit < uci->largest_table ? limit : uci->largest_table);
}

/* Makes the position on the board one of the kind of chess that the option now says. One that only
 * Chess960 knows stays what it is: moves are read and written as the position's kind wants. */
static void set_chess960(Uci *uci) {
    Position position;
    char fen[FEN_MAX];
    fen_format(&uci->game.position, fen);
    if (fen_parse(&position, fen, uci->options.chess960, NULL))
        uci->game.position = position;
}

static void apply_effect(Uci *uci, OptionsEffect effect) {
    switch (effect) {
    case OPTIONS_NOTHING:
        return;
    case OPTIONS_RESIZE_HASH:
        if (!search_set_hash(uci->search, uci->options.hash))
            output_fault(&uci->output,
                         "setoption: no memory for a hash of %d MiB; the old one stays",
                         uci->options.hash);
        return;
    case OPTIONS_SET_THREADS:
        if (!search_set_threads(uci->search, uci->options.threads))
            output_fault(&uci->output, "setoption: no memory for %d threads; the old ones stay",
                         uci->options.threads);
        return;
    case OPTIONS_CLEAR_HASH:
        search_clear(uci->search);
        return;
    case OPTIONS_SET_CHESS960:
        set_chess960(uci);
        return;
    case OPTIONS_RETUNE:
        lmr_init();
        uci->rows_hash = lmr_hash();
        return;
    case OPTIONS_OPEN_TABLES:
        open_tables(uci);
        limit_tables(uci);
        return;
    case OPTIONS_LIMIT_TABLES:
        limit_tables(uci);
        return;
    }
}

/* Does what options and `ucinewgame` ask for, unless a job runs: a search uses the memory and the
 * tables that they change. */
static void apply_due(Uci *uci) {
    if (uci->due == 0 || ucijob_is_running(uci->job))
        return;
    ucijob_wait(uci->job);
    for (unsigned effect = 0; uci->due >> effect != 0; effect++)
        if (uci->due >> effect & 1)
            apply_effect(uci, (OptionsEffect)effect);
    uci->due = 0;
}

/* Before a command that starts a job, or changes what a search reads at any time: waits for a job
 * that ends by itself. False, with a line that says so, while a search without an end runs. */
static bool be_idle(Uci *uci, const char *command) {
    if (ucijob_is_endless(uci->job)) {
        output_fault(&uci->output,
                     "%s: refused while a search without an end runs; send stop first", command);
        return false;
    }
    ucijob_wait(uci->job);
    apply_due(uci);
    return true;
}

static void command_ucinewgame(Uci *uci, char *rest) {
    (void)rest;
    uci->due |= 1u << OPTIONS_CLEAR_HASH;
    apply_due(uci);
}

static void command_setoption(Uci *uci, char *rest) {
    char fault[OPTIONS_FAULT_MAX];
    OptionsEffect effect;
    const char *word = words_next(&rest);
    if (word == NULL || strcmp(word, "name") != 0) {
        output_fault(&uci->output,
                     "setoption: \"setoption name <name> [value <value>]\" is wanted");
        return;
    }
    char *name = words_join(&rest, "value");
    char *value = words_rest(rest);
    if (options_is_row(name) && !be_idle(uci, "setoption"))
        return;
    if (options_set(&uci->options, name, value, &effect, fault))
        uci->due |= 1u << effect;
    else
        output_fault(&uci->output, "%s", fault);
    apply_due(uci);
}

static void game_play(Game *game, Move move) {
    Undo undo;
    /* So many plies are a draw by fifty moves, whatever stood before. */
    if (game->key_count == GAME_KEYS_MAX)
        game->key_count = 0;
    game->keys[game->key_count++] = game->position.key;
    position_make(&game->position, move, &undo);
    game->position.rule50 = fen_counter(game->position.rule50);
    game->position.fullmove = fen_counter(game->position.fullmove);
    if (game->position.rule50 == 0)
        game->key_count = 0;
}

/* Reads `startpos` or `fen ...` up to `moves` or the end. */
static bool read_root(Uci *uci, char **rest, Game *game) {
    FenError error;
    const char *word = words_next(rest);
    if (word != NULL && strcmp(word, "startpos") == 0) {
        const char *more = words_next(rest);
        if (more != NULL && strcmp(more, "moves") != 0) {
            output_fault(&uci->output,
                         "position: \"moves\" is wanted after startpos, not \"%.32s\"", more);
            return false;
        }
        return fen_parse(&game->position, FEN_STARTPOS, uci->options.chess960, NULL);
    }
    if (word == NULL || strcmp(word, "fen") != 0) {
        output_fault(&uci->output, "position: \"startpos\" or \"fen <FEN>\" is wanted");
        return false;
    }
    const char *fen = words_join(rest, "moves");
    if (fen_parse(&game->position, fen, uci->options.chess960, &error))
        return true;
    output_fault(&uci->output, "position: %s; the position stays as it was", error.text);
    return false;
}

/* A search that runs has a copy of its position. */
static void command_position(Uci *uci, char *rest) {
    Game game = {.key_count = 0};
    if (!read_root(uci, &rest, &game))
        return;
    int number = 1;
    for (char *word; (word = words_next(&rest)) != NULL; number++) {
        Move move = move_from_uci(&game.position, word);
        if (move == MOVE_NONE) {
            char fen[FEN_MAX];
            fen_format(&game.position, fen);
            output_fault(&uci->output,
                         "position: move %d, \"%.16s\", is not legal in %s; "
                         "the position stays as it was",
                         number, word, fen);
            return;
        }
        game_play(&game, move);
    }
    uci->game = game;
}

static void command_go(Uci *uci, char *rest) {
    UciJobRequest request = {.kind = UCIJOB_SEARCH};
    Go go;
    if (!be_idle(uci, "go"))
        return;
    int64_t now = timeman_now_ns(); /* A go behind a search has its time from its end on. */
    bool sound = go_parse(rest, &uci->game.position, &go);
    if (go.ignored[0] != '\0')
        output_fault(&uci->output, "%s", go.ignored);
    if (!sound)
        return;
    if (go.no_limit)
        output_fault(&uci->output, "go: no time and no other limit for the side to move: depth 1");
    request.depth = go.perft;
    request.limits = go.limits;
    request.limits.start_ns = now;
    request.limits.multipv = uci->options.multipv;
    request.limits.move_overhead_ms = uci->options.overhead;
    start(uci, go.perft > 0 ? UCIJOB_PERFT : UCIJOB_SEARCH, &request);
}

/* Is no word left? Else names the first one. */
static bool is_end(Uci *uci, const char *command, char *rest) {
    const char *word = words_next(&rest);
    if (word != NULL)
        output_fault(&uci->output, "%s: \"%.32s\" is a word too many", command, word);
    return word == NULL;
}

/* The lines of a search that runs stay whole beside the board. */
static void command_d(Uci *uci, char *rest) {
    const Position *position = &uci->game.position;
    char fen[FEN_MAX];
    if (!is_end(uci, "d", rest))
        return;
    flockfile(uci->output.file);
    for (int rank = 7; rank >= 0; rank--) {
        fprintf(uci->output.file, "%d ", rank + 1);
        for (int file = 0; file < 8; file++) {
            Piece piece = position->board[square_make(file, rank)];
            fprintf(uci->output.file, " %c", piece == PIECE_NONE ? '.' : fen_letters[piece]);
        }
        fprintf(uci->output.file, "\n");
    }
    fen_format(position, fen);
    fprintf(uci->output.file,
            "   a b c d e f g h\nFen: %s\nKey: %016" PRIX64 "\nLegal moves: %d%s\n", fen,
            position->key, movegen_count(position),
            position_in_check(position) ? ", in check" : "");
    funlockfile(uci->output.file);
}

static void command_eval(Uci *uci, char *rest) {
    if (!is_end(uci, "eval", rest))
        return;
    int score = evaluate(&uci->game.position);
    fprintf(uci->output.file, "evaluation %+d cp for White\n",
            uci->game.position.stm == WHITE ? score : -score);
}

/* Starts a job whose depth `word` gives; NULL: the depth stays that of the request. */
static void start_with_depth(Uci *uci, UciJobKind kind, const char *command, const char *word,
                             UciJobRequest *request) {
    if (word == NULL || words_number_within(word, 1, BENCH_DEPTH_MAX, &request->depth))
        start(uci, kind, request);
    else
        output_fault(&uci->output, "%s: a depth from 1 to %d is wanted, not \"%.32s\"", command,
                     BENCH_DEPTH_MAX, word);
}

static void command_bench(Uci *uci, char *rest) {
    UciJobRequest request = {.depth = BENCH_DEPTH_DEFAULT};
    const char *depth = words_next(&rest);
    if (be_idle(uci, "bench") && is_end(uci, "bench", rest))
        start_with_depth(uci, UCIJOB_BENCH, "bench", depth, &request);
}

/* `lmr stats [depth] [--json]`. */
static void lmr_statistics(Uci *uci, char *rest) {
    UciJobRequest request = {.depth = BENCH_STATS_DEPTH_DEFAULT};
    if (!be_idle(uci, "lmr stats"))
        return;
    const char *depth = words_next(&rest);
    const char *format = words_next(&rest);
    if (depth != NULL && format == NULL && strcmp(depth, "--json") == 0) {
        format = depth;
        depth = NULL;
    }
    request.json = format != NULL;
    if (!LMR_STATS)
        output_fault(&uci->output, "lmr stats: nothing is counted; %s",
                     LMR_TUNE ? "set the option STATS" : "build with LMR=\"STATS=1\"");
    else if (!LMR_ENABLE)
        output_fault(&uci->output, "lmr stats: with ENABLE=0 nothing is reduced");
    else if (format != NULL && strcmp(format, "--json") != 0)
        output_fault(&uci->output, "lmr stats: only --json may follow the depth, not \"%.32s\"",
                     format);
    else if (is_end(uci, "lmr stats", rest))
        start_with_depth(uci, UCIJOB_LMR_STATS, "lmr stats", depth, &request);
}

/* `spsa [ROW ...]`: rows of either table, or all of the command's own. */
static void report_spsa(Output *output, const char *command, LmrTable table, char *rest) {
    const char *name = words_next(&rest);
    if (!LMR_TUNE) {
        output_fault(output, "%s spsa: the rows of this build are constants; build with TUNE=1",
                     command);
        return;
    }
    if (name == NULL)
        lmr_report_spsa(output->file, table);
    for (; name != NULL; name = words_next(&rest)) {
        int row = lmr_row_find(name);
        if (row >= 0)
            lmr_report_spsa_row(output->file, row);
        else
            output_fault(output, "%s spsa: there is no row \"%.32s\"", command, name);
    }
}

/* The table of `lmr` or `params`, as far as `what` (NULL: what differs) asks for it; `others` are
 * the words that the command knows. A search that runs changes no row, and its lines stay whole
 * beside these; `lmr stats` changes one, and finishes first. */
static void report_table(Uci *uci, const char *command, LmrTable table, const char *others,
                         const char *what, char *rest) {
    Output *output = &uci->output;
    if (ucijob_is_measuring(uci->job))
        ucijob_wait(uci->job);
    flockfile(output->file);
    if (what == NULL) {
        lmr_report_flags(output->file, table);
    } else if (strcmp(what, "spsa") == 0) {
        report_spsa(output, command, table, rest);
    } else if (strcmp(what, "list") == 0) {
        const char *format = words_next(&rest);
        if (format != NULL && strcmp(format, "--json") != 0)
            output_fault(output, "%s list: only --json may follow, not \"%.32s\"", command, format);
        else if (is_end(uci, command, rest))
            lmr_report_list(output->file, table, format != NULL);
    } else {
        output_fault(output, "%s: %s may follow, not \"%.32s\"", command, others, what);
    }
    funlockfile(output->file);
}

static void command_lmr(Uci *uci, char *rest) {
    const char *what = words_next(&rest);
    if (what != NULL && strcmp(what, "stats") == 0)
        lmr_statistics(uci, rest);
    else
        report_table(uci, "lmr", LMR_TABLE_FLAGS, "list, stats [depth] [--json] or spsa", what,
                     rest);
}

static void command_params(Uci *uci, char *rest) {
    const char *what = words_next(&rest);
    report_table(uci, "params", LMR_TABLE_PARAMS, "list or spsa", what, rest);
}

/* Starts genfens or datagen as these words ask. The job points into a copy of them. */
static void start_with_words(Uci *uci, UciJobKind kind, const char *command, const char *words) {
    char fault[OPENING_FAULT_MAX];
    UciJobRequest request = {.depth = 0};
    if (!be_idle(uci, command))
        return;
    if ((request.words = strdup(words)) == NULL) {
        output_fault(&uci->output, "out of memory");
    } else if (kind == UCIJOB_GENFENS ? genfens_parse(request.words, &request.genfens, fault)
                                      : datagen_parse(request.words, &request.datagen, fault)) {
        start(uci, kind, &request);
    } else {
        output_fault(&uci->output, "%s: %s", command, fault);
        free(request.words);
    }
}

static void command_genfens(Uci *uci, char *rest) {
    start_with_words(uci, UCIJOB_GENFENS, "genfens", rest);
}

static void command_datagen(Uci *uci, char *rest) {
    start_with_words(uci, UCIJOB_DATAGEN, "datagen", rest);
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
    {"quit", command_quit},
    {"debug", command_nothing},
    {"register", command_nothing},
    {"d", command_d},
    {"eval", command_eval},
    {"bench", command_bench},
    {"lmr", command_lmr},
    {"params", command_params},
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
    const char *word = words_next(&rest);
    apply_due(uci);
    if (word == NULL)
        return true;
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, word) == 0) {
            commands[i].run(uci, rest);
            fflush(uci->output.file);
            return strcmp(word, "quit") != 0;
        }
    }
    output_fault(&uci->output, "unknown command \"%.32s\"", word);
    return true;
}

/* --- The dialogue ----------------------------------------------------------------------------- */

Uci *uci_new(FILE *out, bool arguments) {
    Uci *uci = calloc(1, sizeof *uci);
    if (uci == NULL)
        return NULL;
    uci->output.file = out;
    uci->output.arguments = arguments;
    options_init(&uci->options);
    uci->search = search_new(SEARCH_HASH_DEFAULT);
    uci->job = ucijob_new(&uci->output, uci->search);
    if (uci->job == NULL) {
        uci_free(uci);
        return NULL;
    }
    uci->rows_hash = lmr_hash();
    fen_parse(&uci->game.position, FEN_STARTPOS, false, NULL);
    return uci;
}

void uci_free(Uci *uci) {
    if (uci == NULL)
        return;
    ucijob_free(uci->job);
    search_free(uci->search);
    free(uci);
}

void uci_finish(Uci *uci) {
    ucijob_finish(uci->job);
}

bool uci_failed(const Uci *uci) {
    return uci->output.failed;
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
    bool more = true;
    while (more) {
        long length = read_line(in, uci->line, LINE_MAX_BYTES);
        if (length < 0)
            more = false;
        else if (length >= LINE_MAX_BYTES)
            output_fault(&uci->output, "a line of %ld bytes is too long: ignored", length);
        else
            more = uci_execute(uci, uci->line);
    }
    ucijob_finish(uci->job);
}
