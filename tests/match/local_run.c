/* SPDX-License-Identifier: MIT */
#include "match/local_run.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "base/appendfile.h"
#include "base/file.h"
#include "chess/move.h"
#include "chess/san.h"
#include "match/pgn.h"
#include "tools/descriptors.h"
#include "tools/files.h"
#include "tools/temporary.h"

enum { HOLD_MS = 100, QUIT_MS = 100 };

/* Positions after one move of a White pawn. */
static void make_book(Book *book) {
    static const char PAWNS[] = "PPPPPPPP";
    Text text = {0};
    for (int file = 0; file < 8; file++) {
        char row[32] = "";
        char home[9];
        snprintf(row, sizeof row, "%dP%d", file, 7 - file);
        snprintf(home, sizeof home, "%.*s1%s", file, PAWNS, PAWNS + file + 1);
        /* No zeros in a FEN. */
        const char *pawn = file == 0 ? row + 1 : row;
        row[strlen(row) - (file == 7)] = '\0';
        text_addf(&text, "rnbqkbnr/pppppppp/8/8/8/%s/%s/RNBQKBNR b KQkq - 0 1\n", pawn, home);
        text_addf(&text, "rnbqkbnr/pppppppp/8/8/%s/8/%s/RNBQKBNR b KQkq - 0 1\n", pawn, home);
    }
    Error err = {0};
    ck_assert_msg(book_load_text(book, "test book", text.data, text.length, false, false, &err),
                  "%s", err.text);
    ck_assert_uint_eq(book->count, OPENINGS);
    text_free(&text);
}

void run_set_engine(Run *run, Side side, const char *arguments) {
    Error err = {0};
    Words *argv = &run->argv[side];
    words_free(argv);
    Text line = {0};
    const char *folder = getenv("builddir");
    text_addf(&line, "%s/tests/bin/scripted_engine side=%s %s", folder ? folder : ".",
              side == SIDE_DEV ? "dev" : "base", arguments);
    ck_assert(words_split(argv, text_string(&line), &err));
    text_free(&line);
    words_add(argv, "");
    free(argv->items[--argv->count]);
    argv->items[argv->count] = NULL;
    run->config.engines[side].argv = (const char *const *)argv->items;
}

/* The game as PGN is a game that a reader plays through to its last move. */
static void check_pgn(const PgnGame *game, bool chess960) {
    Text text = {0};
    Error err = {0};
    Position pos;
    Undo undo;
    pgn_write(game, PGN_FULL, &text);
    PgnReader reader = {.text = text.data, .length = text.length};
    PgnRecord record = {0};
    ck_assert_msg(pgn_read(&reader, &record, &err) == 1, "%s", err.text);
    ck_assert(fen_parse(&pos, game->fen, chess960, NULL));
    Words words = {0};
    ck_assert(words_split(&words, text_string(&record.moves), &err));
    ck_assert_uint_eq(words.count, game->move_count);
    for (size_t i = 0; i < words.count; i++) {
        Move move = san_parse(&pos, words.items[i]);
        ck_assert_int_eq(move, game->moves[i].move);
        position_make(&pos, move, &undo);
    }
    words_free(&words);
    pgn_record_free(&record);
    text_free(&text);
}

static char *describe_moves(const PgnGame *record) {
    Text text = {0};
    for (size_t i = 0; i < record->move_count; i++) {
        char uci[MOVE_UCI_MAX];
        move_to_uci(record->moves[i].move, record->chess960, uci);
        text_addf(&text, "%s %d/%d ", uci, record->moves[i].score.value, record->moves[i].depth);
    }
    return text_take(&text);
}

static void on_pair(PairResult *pair, void *user) {
    Run *run = user;
    ck_assert_int_lt(pair->index, PAIRS_MAX);
    SeenPair *seen = &run->pairs[pair->index];
    seen->count++;
    seen->opening = pair->opening;
    seen->at_ms = pair->at_ms;
    seen->outcome = pair->games[0].dev_points + pair->games[1].dev_points;
    for (int i = 0; i < 2; i++) {
        seen->games[i] = pair->games[i];
        seen->games[i].pgn = seen->games[i].detail = NULL;
        text_add(&run->pgn, pair->games[i].pgn);
    }
    run->pair_count++;
}

static void look_at_game(Run *run, const FinishedGame *game) {
    const PgnGame *record = game->record;
    ck_assert_int_lt(game->pair, PAIRS_MAX);
    SeenPair *seen = &run->pairs[game->pair];
    snprintf(seen->reasons[game->number], REASON_SIZE, "%s", record->reason);
    snprintf(seen->fens[game->number], FEN_MAX, "%s", record->fen);
    seen->cpu[game->number] = game->cpu;
    free(seen->moves[game->number]);
    seen->moves[game->number] = describe_moves(record);
    ck_assert_int_eq(record->round, game->pair + 1);
    check_pgn(record, run->config.chess960);
}

static void on_hold_over(uv_timer_t *timer) {
    Run *run = timer->data;
    run->games_after_hold = run->game_count - run->hold_after_games;
    match_hold(run->match, false);
    uv_close((uv_handle_t *)timer, NULL);
}

static void on_game(const FinishedGame *game, void *user) {
    Run *run = user;
    ck_assert_ptr_nonnull(run->match); /* No callback comes of a match that was given back. */
    ck_assert_int_ge(game->pair, 0);
    ck_assert_int_eq(game->result->white, game->number == 0 ? SIDE_DEV : SIDE_BASE);
    look_at_game(run, game);
    run->game_count++;
    run->games_beside += match_in_play(run->match) > 0;
    if (match_in_play(run->match) > run->most_beside)
        run->most_beside = match_in_play(run->match);
    if (run->game_count == 1 && run->excuse_ns > 0)
        match_excuse(run->match, run->excuse_ns);
    if (run->concurrency_after_game > 0)
        match_set_concurrency(run->match, run->concurrency_after_game);
    if (run->game_count == run->hold_after_games) {
        match_hold(run->match, true);
        uv_timer_start(&run->hold_timer, on_hold_over, HOLD_MS, 0);
    }
    if (run->game_count == run->stop_after_games)
        match_stop(run->match, run->stop_how);
    if (run->free_after_game) {
        match_free(run->match);
        run->match = NULL;
    }
}

static void on_end(const Error *err, void *user) {
    Run *run = user;
    run->ends++;
    run->failed = err != NULL;
    if (err != NULL)
        run->error = *err;
    error_set(&run->failure, "%s", match_failure(run->match));
    run->failure_transcript = *match_failure_transcript(run->match) != '\0';
}

Run *run_new(void) {
    Run *run = calloc(1, sizeof *run);
    make_book(&run->book);
    run->log_file = open_memstream(&run->log_text, &run->log_size);
    log_init(&run->log, run->log_file, LOG_NORMAL);
    run->config = (MatchConfig){
        .book = &run->book,
        .pairs = 4,
        .concurrency = 1,
        .adjudication = {.resign = {.on = true, .movecount = 3, .score = 400},
                         .draw = {.on = true, .movenumber = 0, .movecount = 3, .score = 10}},
        .deadlines = {.quit = QUIT_MS},
        .pgn = {.kept = true, .style = PGN_FULL},
        .log = &run->log,
    };
    run->callbacks = (MatchCallbacks){.on_pair = on_pair, .on_game = on_game, .on_end = on_end};
    for (int side = 0; side < SIDE_COUNT; side++) {
        run->config.engines[side].name = side == SIDE_DEV ? "dev" : "base";
        run->config.engines[side].margin_ms = MATCH_MARGIN_MS;
        run->config.engines[side].time_control = (TimeControl){.kind = TC_NODES, .nodes = 100};
        run_set_engine(run, (Side)side, "");
    }
    return run;
}

void run_set_book(Run *run, const char *epd) {
    Error err = {0};
    book_free(&run->book);
    ck_assert_msg(
        book_load_text(&run->book, "book", epd, strlen(epd), false, run->config.chess960, &err),
        "%s", err.text);
}

/* Whoever wants to look at the games names a file for them. */
static void keep_games(const Run *run) {
    const char *path = getenv("RD_PGN");
    Error err = {0};
    if (path != NULL && run->pgn.length > 0)
        ck_assert_msg(appendfile_add(path, run->pgn.data, run->pgn.length, &err), "%s", err.text);
}

void run_free(Run *run) {
    keep_games(run);
    for (int side = 0; side < SIDE_COUNT; side++)
        words_free(&run->argv[side]);
    for (int i = 0; i < 2 * PAIRS_MAX; i++)
        free(run->pairs[i / 2].moves[i % 2]);
    book_free(&run->book);
    text_free(&run->pgn);
    log_free(&run->log);
    fclose(run->log_file);
    free(run->log_text);
    free(run);
}

/* Busy and not asleep: a sleep would look like a pause of this process (base/freeze.h). */
static void on_deaf_timer(uv_timer_t *timer) {
    Run *run = timer->data;
    if (!file_exists(run->deaf_file))
        return;
    for (uint64_t start = uv_hrtime(); uv_hrtime() - start < run->deaf_ms * (uint64_t)1000000;)
        continue;
    if (run->excuse_ns > 0)
        match_excuse(run->match, run->excuse_ns);
    uv_close((uv_handle_t *)timer, NULL);
}

void run_play(Run *run) {
    uv_loop_t loop;
    Error err = {0};
    /* The library keeps a pipe for signals from its first loop on. */
    uv_loop_init(&loop);
    uv_loop_close(&loop);
    int before = open_descriptors();
    uv_loop_init(&loop);
    if (run->hold_after_games > 0)
        uv_timer_init(&loop, &run->hold_timer);
    run->hold_timer.data = run;
    if (run->deaf_file != NULL) {
        enum { LOOK_MS = 10 };
        uv_timer_init(&loop, &run->deaf_timer);
        run->deaf_timer.data = run;
        uv_timer_start(&run->deaf_timer, on_deaf_timer, LOOK_MS, LOOK_MS);
    }
    run->match = match_start(&loop, &run->config, &run->callbacks, run, &err);
    ck_assert_msg(run->match != NULL, "%s", err.text);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(run->ends, run->free_after_game ? 0 : 1);
    match_free(run->match);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    ck_assert_int_eq(open_descriptors(), before);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
    fflush(run->log_file);
}

void run_expect_complete(const Run *run) {
    ck_assert_msg(!run->failed, "%s", run->error.text);
    ck_assert_int_eq(run->pair_count, run->config.pairs);
    for (int i = 0; i < run->pair_count; i++)
        ck_assert_int_eq(run->pairs[i].count, 1);
}

void temporary_name(char path[NAME_SIZE]) {
    close(temporary_file(path, NAME_SIZE, "test-match"));
    unlink(path);
}

char *read_and_remove(const char *path) {
    Text text = read_whole(path);
    unlink(path);
    return text_take(&text);
}
