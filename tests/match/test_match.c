/* The match: pairs, results, faults and endings, with the scripted engine on both sides. */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "base/child.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "chess/fen.h"
#include "chess/san.h"
#include "match/match.h"
#include "match/pgn.h"
#include "runner.h"

enum { PAIRS_MOST = 64, REASON_SIZE = 128, FILE_MOST = 1 << 24, OPENINGS = 16 };

/* Short enough that tests of what never comes do not wait long, long for everything that does come.
 */
enum { SHORT_MS = 400, QUIT_MS = 100 };

/* ---- A match and what was seen of it ---- */

typedef struct {
    int count; /* Of on_pair for this index. */
    int outcome;
    MatchGame games[2];
    char reasons[2][REASON_SIZE];
    char fens[2][FEN_MAX];
} SeenPair;

typedef struct {
    MatchConfig config;
    Words argv[MATCH_SIDES];
    Book book;
    Match *match;
    FILE *log_file;
    char *log_text;
    size_t log_size;
    Log log;
    SeenPair pairs[PAIRS_MOST];
    Text pgn; /* Of all games. */
    int pair_count;
    int game_count;
    int ends;
    MatchEnd end;
    Error error;
    /* What the test does while games are played. */
    int stop_after_games;
    MatchStop stop_how;
    int concurrency_after_game;
    bool free_after_game;
} Run;

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

static void set_engine(Run *run, MatchSide side, const char *arguments) {
    Error err = {0};
    Words *argv = &run->argv[side];
    words_free(argv);
    Text line = {0};
    const char *folder = getenv("builddir");
    text_addf(&line, "%s/tests/bin/scripted_engine side=%s %s", folder ? folder : ".",
              side == MATCH_DEV ? "dev" : "base", arguments);
    ck_assert(words_split(argv, text_string(&line), &err));
    text_free(&line);
    words_add(argv, "");
    free(argv->items[--argv->count]);
    argv->items[argv->count] = NULL;
    run->config.engines[side].argv = (const char *const *)argv->items;
}

/* Four pairs at fixed nodes, one game at a time, drawn after six plies. */
static Run *new_run(void) {
    Run *run = calloc(1, sizeof *run);
    make_book(&run->book);
    run->log_file = open_memstream(&run->log_text, &run->log_size);
    log_init(&run->log, run->log_file, LOG_NORMAL);
    run->config = (MatchConfig){
        .book = &run->book,
        .pairs = 4,
        .concurrency = 1,
        .margin_ms = 250,
        .adjudication = {.resign = {.on = true, .movecount = 3, .score = 400},
                         .draw = {.on = true, .movenumber = 0, .movecount = 3, .score = 10}},
        .deadlines = {.quit = QUIT_MS},
        .log = &run->log,
    };
    for (int side = 0; side < MATCH_SIDES; side++) {
        run->config.engines[side].name = side == MATCH_DEV ? "dev" : "base";
        run->config.engines[side].time_control = (TimeControl){.kind = TC_NODES, .nodes = 100};
        set_engine(run, (MatchSide)side, "");
    }
    return run;
}

/* Whoever wants to look at the games names a file for them. */
static void keep_games(const Run *run) {
    const char *path = getenv("RD_PGN");
    Error err = {0};
    if (path != NULL && run->pgn.length > 0)
        ck_assert_msg(pgn_append(path, run->pgn.data, run->pgn.length, &err), "%s", err.text);
}

static void free_run(Run *run) {
    keep_games(run);
    for (int side = 0; side < MATCH_SIDES; side++)
        words_free(&run->argv[side]);
    book_free(&run->book);
    text_free(&run->pgn);
    log_free(&run->log);
    fclose(run->log_file);
    free(run->log_text);
    free(run);
}

/* The game as PGN is a game that a reader plays through to its last move. */
static void check_pgn(const MatchGame *game, bool chess960) {
    Text text = {0};
    Error err = {0};
    Position pos;
    Undo undo;
    pgn_write(game->record, PGN_FULL, &text);
    PgnReader reader = {.text = text.data, .length = text.length};
    PgnRecord record = {0};
    ck_assert_msg(pgn_read(&reader, &record, &err) == 1, "%s", err.text);
    ck_assert(fen_parse(&pos, game->record->fen, chess960, NULL));
    Words words = {0};
    ck_assert(words_split(&words, text_string(&record.moves), &err));
    ck_assert_uint_eq(words.count, game->record->move_count);
    for (size_t i = 0; i < words.count; i++) {
        Move move = san_parse(&pos, words.items[i]);
        ck_assert_int_eq(move, game->record->moves[i].move);
        position_make(&pos, move, &undo);
    }
    words_free(&words);
    pgn_record_free(&record);
    text_free(&text);
}

static void on_pair(const MatchPair *pair, void *user) {
    Run *run = user;
    ck_assert_int_lt(pair->index, PAIRS_MOST);
    SeenPair *seen = &run->pairs[pair->index];
    seen->count++;
    seen->outcome = pair->outcome;
    for (int i = 0; i < 2; i++) {
        seen->games[i] = pair->games[i];
        snprintf(seen->reasons[i], REASON_SIZE, "%s", pair->games[i].record->reason);
        snprintf(seen->fens[i], FEN_MAX, "%s", pair->games[i].record->fen);
        ck_assert_int_eq(pair->games[i].record->round, pair->index + 1);
        check_pgn(&pair->games[i], run->config.chess960);
        pgn_write(pair->games[i].record, PGN_FULL, &run->pgn);
    }
    run->pair_count++;
}

static void on_game(int64_t pair, int game, const MatchGame *result, void *user) {
    Run *run = user;
    ck_assert_int_ge(pair, 0);
    ck_assert_int_eq(result->white, game == 0 ? MATCH_DEV : MATCH_BASE);
    run->game_count++;
    if (run->concurrency_after_game > 0)
        match_set_concurrency(run->match, run->concurrency_after_game);
    if (run->game_count == run->stop_after_games)
        match_stop(run->match, run->stop_how);
    if (run->free_after_game) {
        match_free(run->match);
        run->match = NULL;
    }
}

static void on_end(MatchEnd end, const Error *err, void *user) {
    Run *run = user;
    run->ends++;
    run->end = end;
    run->error = *err;
}

static int open_descriptors(void) {
    DIR *dir = opendir("/proc/self/fd");
    ck_assert_ptr_nonnull(dir);
    int count = 0;
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count;
}

static MatchCallbacks callbacks = {.on_pair = on_pair, .on_game = on_game, .on_end = on_end};

/* Plays it to its end; nothing may be left: no process, no descriptor, no handle. */
static void play(Run *run) {
    uv_loop_t loop;
    Error err = {0};
    /* The library keeps a pipe for signals from its first loop on. */
    uv_loop_init(&loop);
    uv_loop_close(&loop);
    int before = open_descriptors();
    uv_loop_init(&loop);
    run->match = match_start(&loop, &run->config, &callbacks, run, &err);
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

static void expect_complete(const Run *run) {
    ck_assert_msg(run->end == MATCH_END_COMPLETE, "end %d: %s", (int)run->end, run->error.text);
    ck_assert_int_eq(run->pair_count, run->config.pairs);
    for (int i = 0; i < run->pair_count; i++)
        ck_assert_int_eq(run->pairs[i].count, 1);
}

static int count_of(const char *text, const char *part) {
    int count = 0;
    for (const char *p = text; (p = strstr(p, part)) != NULL; p++)
        count++;
    return count;
}

/* A file for engines to write to, or to find there; removed at the end. */
static void temporary_name(char path[64]) {
    snprintf(path, 64, "/tmp/test-match-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    unlink(path);
}

static char *read_and_remove(const char *path) {
    Text text = {0};
    Error err = {0};
    ck_assert_msg(file_read(path, FILE_MOST, &text, &err), "%s", err.text);
    unlink(path);
    return text_take(&text);
}

/* ---- Pairs and results ---- */

START_TEST(each_opening_is_played_twice_with_colours_swapped) {
    Run *run = new_run();
    run->config.pairs = 10;
    run->config.first_opening = 11; /* Beyond the last the first comes again. */
    run->config.concurrency = 3;
    play(run);
    expect_complete(run);
    ck_assert_int_eq(run->game_count, 20);
    for (int i = 0; i < 10; i++) {
        Opening opening = {0};
        ck_assert(book_opening(&run->book, (uint64_t)(11 + i) % OPENINGS, &opening, NULL));
        const SeenPair *pair = &run->pairs[i];
        ck_assert_str_eq(pair->fens[0], opening.fen);
        ck_assert_str_eq(pair->fens[1], opening.fen);
        ck_assert_int_eq(pair->games[0].white, MATCH_DEV);
        ck_assert_int_eq(pair->games[1].white, MATCH_BASE);
        ck_assert_int_eq(pair->outcome, 2);
        ck_assert_str_eq(pair->reasons[0], "Draw by adjudication");
        ck_assert_int_eq(pair->games[0].plies, 6);
        opening_free(&opening);
    }
    free_run(run);
}
END_TEST

START_TEST(without_reverses_each_opening_is_played_once) {
    Run *run = new_run();
    run->config.no_reverses = true;
    play(run);
    expect_complete(run);
    for (int i = 0; i < 8; i++) {
        Opening opening = {0};
        ck_assert(book_opening(&run->book, (uint64_t)i, &opening, NULL));
        ck_assert_str_eq(run->pairs[i / 2].fens[i % 2], opening.fen);
        opening_free(&opening);
    }
    free_run(run);
}
END_TEST

START_TEST(wins_and_losses_are_told_from_devs_side) {
    static const struct {
        const char *plan;
        int outcome;
        const char *first, *second;
    } CASES[] = {
        {"plan=100,0", 4, "White wins by adjudication", "Black wins by adjudication"},
        {"plan=0,0", 0, "Black wins by adjudication", "White wins by adjudication"},
    };
    for (size_t i = 0; i < 2; i++) {
        Run *run = new_run();
        set_engine(run, MATCH_DEV, CASES[i].plan);
        set_engine(run, MATCH_BASE, CASES[i].plan);
        play(run);
        expect_complete(run);
        for (int p = 0; p < run->pair_count; p++) {
            ck_assert_int_eq(run->pairs[p].outcome, CASES[i].outcome);
            ck_assert_str_eq(run->pairs[p].reasons[0], CASES[i].first);
            ck_assert_str_eq(run->pairs[p].reasons[1], CASES[i].second);
        }
        free_run(run);
    }
}
END_TEST

START_TEST(results_do_not_depend_on_the_number_of_games_at_a_time) {
    Run *one = new_run();
    Run *many = new_run();
    Run *runs[] = {one, many};
    for (int i = 0; i < 2; i++) {
        runs[i]->config.pairs = 40;
        runs[i]->config.concurrency = i == 0 ? 1 : 8;
        set_engine(runs[i], MATCH_DEV, "plan=40,30");
        set_engine(runs[i], MATCH_BASE, "plan=40,30");
        play(runs[i]);
        expect_complete(runs[i]);
    }
    bool different[5] = {false};
    for (int p = 0; p < 40; p++) {
        ck_assert_int_eq(one->pairs[p].outcome, many->pairs[p].outcome);
        ck_assert_str_eq(one->pairs[p].reasons[0], many->pairs[p].reasons[0]);
        different[one->pairs[p].outcome] = true;
    }
    ck_assert(different[0] + different[1] + different[2] + different[3] + different[4] >= 3);
    free_run(one);
    free_run(many);
}
END_TEST

START_TEST(the_number_of_games_at_a_time_can_change) {
    for (int i = 0; i < 2; i++) {
        Run *run = new_run();
        run->config.pairs = 12;
        run->config.concurrency = i == 0 ? 1 : 6;
        run->concurrency_after_game = i == 0 ? 6 : 1;
        play(run);
        expect_complete(run);
        free_run(run);
    }
}
END_TEST

START_TEST(the_record_says_what_the_engines_said) {
    Run *run = new_run();
    run->config.event = "A \"test\"";
    run->config.site = "here";
    run->config.hashfull = true;
    run->config.pairs = 1;
    set_engine(run, MATCH_DEV, "infos=3 report");
    play(run);
    expect_complete(run);
    const char *pgn = text_string(&run->pgn);
    ck_assert_int_eq(count_of(pgn, "[Event \"A \\\"test\\\"\"]\n[Site \"here\"]\n"), 2);
    ck_assert_int_eq(count_of(pgn, "{0.00/3 "), 6);
    ck_assert_int_eq(count_of(pgn, "line=took="), 6);
    ck_assert_int_eq(count_of(pgn, "n=300,"), 6);
    ck_assert_int_eq(count_of(pgn, "hashfull=7"), 12);
    for (int i = 0; i < 2; i++) {
        const EngineWork *work = run->pairs[0].games[i].work;
        ck_assert_int_eq(work[MATCH_DEV].depths, 9);
        ck_assert_int_eq(work[MATCH_DEV].depth_moves, 3);
        ck_assert_int_eq(work[MATCH_DEV].nodes, 900);
        ck_assert_int_gt(work[MATCH_DEV].nodes_ns, 0);
        ck_assert_int_eq(work[MATCH_BASE].depths, 3);
        ck_assert_int_eq(work[MATCH_BASE].nodes, 300);
    }
    free_run(run);
}
END_TEST

/* ---- Faults ---- */

/* One fault of one side in its second move of the first game. */
typedef struct {
    const char *fault;
    const char *reason; /* What follows the colour; NULL: the game goes on. */
    MatchFault kind;
} FaultCase;

static const FaultCase FAULT_CASES[] = {
    {"die", " disconnects", MATCH_CRASH},
    {"crash", " disconnects", MATCH_CRASH},
    {"grandchild", " disconnects", MATCH_CRASH},
    {"close-input", " disconnects", MATCH_CRASH},
    {"stall", "'s connection stalls", MATCH_CRASH},
    {"flood", "'s connection stalls", MATCH_CRASH},
    {"half-line", "'s connection stalls", MATCH_CRASH},
    {"long-line", "'s connection stalls", MATCH_CRASH},
    {"illegal", " makes an illegal move: e2e5", MATCH_ILLEGAL},
    {"unparsable", " makes an illegal move: Nf3", MATCH_ILLEGAL},
    {"zero", " makes an illegal move: 0000", MATCH_ILLEGAL},
    {"none", " makes an illegal move: (none)", MATCH_ILLEGAL},
    {"missing", " makes an illegal move: (none)", MATCH_ILLEGAL},
    {"garbage", NULL, MATCH_NO_FAULT},
    {"stderr", NULL, MATCH_NO_FAULT},
    {"twice", NULL, MATCH_NO_FAULT},
    {"twice-later", NULL, MATCH_NO_FAULT},
};
enum { FAULT_CASE_COUNT = sizeof FAULT_CASES / sizeof *FAULT_CASES };

/* Checks that the first game alone has the fault, and that the others are as if nothing had been.
 */
static void expect_fault(const Run *run, MatchSide side, const FaultCase *fault) {
    expect_complete(run);
    for (int p = 0; p < run->pair_count; p++)
        for (int g = 0; g < 2; g++) {
            const MatchGame *game = &run->pairs[p].games[g];
            const char *reason = run->pairs[p].reasons[g];
            if (p == 0 && g == 0 && fault->reason != NULL) {
                char expected[REASON_SIZE];
                snprintf(expected, sizeof expected, "%s%s", side == MATCH_DEV ? "White" : "Black",
                         fault->reason);
                ck_assert_msg(strncmp(reason, expected, strlen(expected)) == 0,
                              "%s: '%s' is not '%s'", fault->fault, reason, expected);
                ck_assert_int_eq(game->fault, fault->kind);
                ck_assert_int_eq(game->fault_side, side);
                ck_assert_int_eq(game->dev_points, side == MATCH_DEV ? 0 : 2);
            } else {
                ck_assert_msg(game->fault == MATCH_NO_FAULT, "%s: pair %d game %d: %s",
                              fault->fault, p, g, reason);
                ck_assert_str_eq(reason, "Draw by adjudication");
            }
        }
}

START_TEST(a_fault_loses_one_game_and_the_match_goes_on) {
    const FaultCase *fault = &FAULT_CASES[_i / 2];
    MatchSide side = _i % 2 == 0 ? MATCH_DEV : MATCH_BASE;
    char once[64];
    char arguments[160];
    temporary_name(once);
    snprintf(arguments, sizeof arguments, "fault=%s once=%s", fault->fault, once);
    Run *run = new_run();
    set_engine(run, side, arguments);
    run->config.pairs = 2;
    if (strstr(fault->reason != NULL ? fault->reason : "", "stalls") != NULL)
        run->config.deadlines.nodes = SHORT_MS;
    play(run);
    ck_assert_int_eq(unlink(once), 0); /* The fault did happen. */
    expect_fault(run, side, fault);
    free_run(run);
}
END_TEST

/* Late, or silent for ever, by more than any machine is slow. */
START_TEST(with_a_clock_lateness_and_silence_are_losses_on_time) {
    static const char *const KINDS[] = {"late=2600", "stall"};
    static const FaultCase LATE = {"late", " loses on time (", MATCH_TIME_LOSS};
    char once[64];
    char arguments[160];
    temporary_name(once);
    snprintf(arguments, sizeof arguments, "fault=%s once=%s", KINDS[_i], once);
    Run *run = new_run();
    set_engine(run, MATCH_DEV, arguments);
    run->config.pairs = 2;
    run->config.margin_ms = 2000;
    run->config.engines[MATCH_DEV].time_control =
        (TimeControl){.kind = TC_MOVETIME, .movetime_ms = 100};
    play(run);
    ck_assert_int_eq(unlink(once), 0);
    expect_fault(run, MATCH_DEV, &LATE);
    int overrun = atoi(strchr(run->pairs[0].reasons[0], '(') + 1);
    ck_assert_int_gt(overrun, 2000);
    free_run(run);
}
END_TEST

START_TEST(an_engine_that_fails_every_game_ends_the_match) {
    Run *run = new_run();
    set_engine(run, MATCH_BASE, "fault=illegal");
    play(run);
    ck_assert_int_eq(run->end, MATCH_END_FAILED);
    ck_assert_int_eq(run->game_count, MATCH_FAULTS_IN_A_ROW);
    ck_assert_ptr_nonnull(strstr(run->error.text, "failed in 3 games running, lastly: "));
    ck_assert_ptr_nonnull(strstr(run->error.text, "makes an illegal move: e2e5"));
    ck_assert_ptr_eq(strstr(run->error.text, "base ("), run->error.text);
    free_run(run);
}
END_TEST

START_TEST(an_engine_that_does_not_start_ends_the_match_and_scores_nothing) {
    static const struct {
        const char *start, *cause;
    } CASES[] = {
        {"start=exit", "exited with status 5; it said: cannot open the network file"},
        {"start=no-uciok", "no uciok within"},
        {"start=no-readyok", "no readyok within"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Run *run = new_run();
        run->config.concurrency = 3;
        run->config.deadlines.uciok = run->config.deadlines.readyok = SHORT_MS;
        set_engine(run, MATCH_BASE, CASES[i].start);
        /* The other one starts well enough, but not within so short a time on every machine. */
        play(run);
        ck_assert_int_eq(run->end, MATCH_END_FAILED);
        ck_assert_int_eq(run->game_count, 0);
        ck_assert_msg(strstr(run->error.text, CASES[i].cause) != NULL, "%s", run->error.text);
        free_run(run);
    }
}
END_TEST

START_TEST(a_program_that_is_none_is_refused_at_once) {
    static const char *const ARGV[] = {"/no/such/engine", NULL};
    uv_loop_t loop;
    Error err = {0};
    Run *run = new_run();
    run->config.engines[MATCH_DEV].argv = ARGV;
    uv_loop_init(&loop);
    ck_assert_ptr_null(match_start(&loop, &run->config, &callbacks, run, &err));
    ck_assert_str_eq(err.text, "dev: /no/such/engine: no such file");
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    free_run(run);
}
END_TEST

START_TEST(an_engine_that_loads_slowly_is_waited_for) {
    Run *run = new_run();
    run->config.pairs = 1;
    set_engine(run, MATCH_DEV, "start=slow=500");
    play(run);
    expect_complete(run);
    free_run(run);
}
END_TEST

START_TEST(engines_that_ignore_quit_are_killed) {
    Run *run = new_run();
    set_engine(run, MATCH_DEV, "ignore-quit");
    set_engine(run, MATCH_BASE, "ignore-quit");
    run->config.concurrency = 4;
    play(run);
    expect_complete(run);
    free_run(run);
}
END_TEST

/* ---- Options ---- */

static const MatchOption OPTIONS[] = {
    {"Hash", "8"},          {"Nonsense", "1"},    {"Hash", "999999"}, {"Threads", "2"},
    {"style", "Very Wild"}, {"Clear Hash", NULL}, {"Style", "Shy"}};
enum { OPTION_COUNT = sizeof OPTIONS / sizeof *OPTIONS };

START_TEST(options_are_set_threads_first_and_bad_ones_warned_about_once) {
    char log[64];
    char arguments[96];
    temporary_name(log);
    snprintf(arguments, sizeof arguments, "log=%s", log);
    Run *run = new_run();
    run->config.concurrency = 3;
    run->config.engines[MATCH_DEV].options = OPTIONS;
    run->config.engines[MATCH_DEV].option_count = OPTION_COUNT;
    set_engine(run, MATCH_DEV, arguments);
    play(run);
    expect_complete(run);
    char *said = read_and_remove(log);
    int processes = count_of(said, " uci\n");
    ck_assert_int_ge(processes, 1);
    ck_assert_int_le(processes, 3);
    ck_assert_int_eq(count_of(said, "setoption name Hash value 8\n"), processes);
    ck_assert_int_eq(count_of(said, "setoption name Style value Very Wild\n"), processes);
    ck_assert_int_eq(count_of(said, "setoption name Clear Hash\n"), processes);
    ck_assert_int_eq(count_of(said, "setoption name Threads value 2\n"), processes);
    ck_assert_int_eq(count_of(said, "setoption"), 4 * processes);
    ck_assert(strstr(said, "name Threads") < strstr(said, "name Hash"));
    ck_assert_int_eq(count_of(run->log_text, "Nonsense: the engine has no such option"), 1);
    ck_assert_int_eq(count_of(run->log_text, "Hash=999999: out of its range 1 to 1024"), 1);
    ck_assert_int_eq(count_of(run->log_text, "Style=Shy: not one of its values"), 1);
    ck_assert_int_eq(count_of(run->log_text, "warning"), 3);
    free(said);
    free_run(run);
}
END_TEST

START_TEST(with_strict_options_a_bad_one_ends_the_match) {
    Run *run = new_run();
    run->config.engines[MATCH_DEV].options = OPTIONS;
    run->config.engines[MATCH_DEV].option_count = OPTION_COUNT;
    run->config.engines[MATCH_DEV].strict_options = true;
    play(run);
    ck_assert_int_eq(run->end, MATCH_END_FAILED);
    ck_assert_ptr_nonnull(strstr(run->error.text, "Nonsense: the engine has no such option"));
    free_run(run);
}
END_TEST

static int options_of_pair(int64_t pair, MatchSide side, const MatchOption **options, void *user) {
    static const MatchOption VALUES[4] = {
        {"Hash", "10"}, {"Hash", "20"}, {"Hash", "30"}, {"Hash", "40"}};
    (void)user;
    *options = &VALUES[pair];
    return side == MATCH_DEV ? 1 : 0;
}

START_TEST(a_pair_may_have_options_of_its_own) {
    char log[64];
    char arguments[96];
    temporary_name(log);
    snprintf(arguments, sizeof arguments, "log=%s", log);
    Run *run = new_run();
    set_engine(run, MATCH_DEV, arguments);
    callbacks.pair_options = options_of_pair;
    play(run);
    callbacks.pair_options = NULL;
    expect_complete(run);
    char *said = read_and_remove(log);
    for (int i = 1; i <= 4; i++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "setoption name Hash value %d0\n", i);
        ck_assert_int_eq(count_of(said, wanted), 2);
    }
    free(said);
    free_run(run);
}
END_TEST

START_TEST(chess960_is_played_with_shredder_letters) {
    static const char BOOK[] = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1\n";
    char log[64];
    char arguments[96];
    temporary_name(log);
    snprintf(arguments, sizeof arguments, "log=%s", log);
    Run *run = new_run();
    book_free(&run->book);
    ck_assert(book_load_text(&run->book, "book", BOOK, strlen(BOOK), false, true, NULL));
    run->config.chess960 = true;
    set_engine(run, MATCH_DEV, arguments);
    play(run);
    expect_complete(run);
    char *said = read_and_remove(log);
    ck_assert_int_eq(count_of(said, "setoption name UCI_Chess960 value true\n"), 1);
    ck_assert_ptr_nonnull(
        strstr(said, "position fen bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1\n"));
    free(said);
    free_run(run);

    run = new_run();
    run->config.chess960 = true;
    set_engine(run, MATCH_BASE, "start=no960");
    play(run);
    ck_assert_int_eq(run->end, MATCH_END_FAILED);
    ck_assert_ptr_nonnull(strstr(run->error.text, "cannot play Chess960"));
    free_run(run);
}
END_TEST

/* ---- The dialogue ---- */

START_TEST(the_dialogue_is_as_the_protocol_has_it) {
    char log[64];
    char arguments[96];
    temporary_name(log);
    snprintf(arguments, sizeof arguments, "log=%s", log);
    Run *run = new_run();
    run->config.pairs = 1;
    run->config.engines[MATCH_DEV].time_control =
        (TimeControl){.kind = TC_CLOCK, .base_ms = 600000, .inc_ms = 100, .moves = 40};
    set_engine(run, MATCH_DEV, arguments);
    play(run);
    expect_complete(run);
    char *said = read_and_remove(log);
    ck_assert_int_eq(count_of(said, " uci\n"), 1);
    ck_assert_int_eq(count_of(said, " ucinewgame\n"), 2);
    ck_assert_int_eq(
        count_of(said, " go wtime 600100 btime 600100 winc 100 binc 100 movestogo 40\n"), 2);
    ck_assert_int_eq(count_of(said, " movestogo 39\n"), 2);
    ck_assert_int_eq(count_of(said, " go "), 6);
    ck_assert_int_eq(count_of(said, " quit\n"), 1);
    /* dev is White in the first game, and Black moves first in these openings. */
    const char *first = strstr(said, " position fen ");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_nonnull(strstr(first, " b KQkq - 0 1 moves "));
    free(said);
    free_run(run);
}
END_TEST

/* ---- Stopping ---- */

START_TEST(a_match_may_be_stopped_softly_or_at_once) {
    static const MatchStop HOWS[] = {MATCH_FINISH_PAIRS, MATCH_FINISH_GAMES, MATCH_NOW};
    Run *run = new_run();
    run->config.pairs = 0;
    run->config.concurrency = _i == 2 ? 3 : 1;
    run->stop_after_games = 3;
    run->stop_how = HOWS[_i];
    play(run);
    ck_assert_int_eq(run->end, MATCH_END_STOPPED);
    if (HOWS[_i] == MATCH_FINISH_PAIRS) {
        ck_assert_int_eq(run->game_count, 4);
        ck_assert_int_eq(run->pair_count, 2);
    } else if (HOWS[_i] == MATCH_FINISH_GAMES) {
        ck_assert_int_eq(run->game_count, 3);
        ck_assert_int_eq(run->pair_count, 1);
    } else {
        /* The others may have ended in the same breath. */
        ck_assert_int_ge(run->game_count, 3);
        ck_assert_int_le(run->game_count, 5);
    }
    free_run(run);
}
END_TEST

START_TEST(a_match_may_be_given_back_in_the_middle) {
    Run *run = new_run();
    run->config.concurrency = 3;
    run->free_after_game = true;
    play(run);
    ck_assert_int_ge(run->game_count, 1);
    free_run(run);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, each_opening_is_played_twice_with_colours_swapped);
    tcase_add_test(tests, without_reverses_each_opening_is_played_once);
    tcase_add_test(tests, wins_and_losses_are_told_from_devs_side);
    tcase_add_test(tests, results_do_not_depend_on_the_number_of_games_at_a_time);
    tcase_add_test(tests, the_number_of_games_at_a_time_can_change);
    tcase_add_test(tests, the_record_says_what_the_engines_said);
    tcase_add_loop_test(tests, a_fault_loses_one_game_and_the_match_goes_on, 0,
                        2 * FAULT_CASE_COUNT);
    tcase_add_loop_test(tests, with_a_clock_lateness_and_silence_are_losses_on_time, 0, 2);
    tcase_add_test(tests, an_engine_that_fails_every_game_ends_the_match);
    tcase_add_test(tests, an_engine_that_does_not_start_ends_the_match_and_scores_nothing);
    tcase_add_test(tests, a_program_that_is_none_is_refused_at_once);
    tcase_add_test(tests, an_engine_that_loads_slowly_is_waited_for);
    tcase_add_test(tests, engines_that_ignore_quit_are_killed);
    tcase_add_test(tests, options_are_set_threads_first_and_bad_ones_warned_about_once);
    tcase_add_test(tests, with_strict_options_a_bad_one_ends_the_match);
    tcase_add_test(tests, a_pair_may_have_options_of_its_own);
    tcase_add_test(tests, chess960_is_played_with_shredder_letters);
    tcase_add_test(tests, the_dialogue_is_as_the_protocol_has_it);
    tcase_add_loop_test(tests, a_match_may_be_stopped_softly_or_at_once, 0, 3);
    tcase_add_test(tests, a_match_may_be_given_back_in_the_middle);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("match", add_tests);
}
