/* SPDX-License-Identifier: MIT */
/* The UCI dialogue, held with the built engine over pipes. Waits are only against hanging. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "chess/attacks.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "runner.h"
#include "search/tablebase.h"
#include "search/timeman.h"

enum { PATIENCE_MS = 60000, LINE_MAX_BYTES = 8192 };

typedef struct {
    pid_t pid;
    int to, from;
    char buffer[1 << 16];
    size_t length;
    char line[LINE_MAX_BYTES]; /* the last line read */
    const char *awaited;       /* how the line that is waited for begins */
} Engine;

static Engine engine; /* every test runs in a process of its own */

static void engine_open(void) {
    int in[2], out[2];
    const char *path = getenv("REDUCTIO");
    ck_assert_msg(path != NULL, "REDUCTIO does not name the engine");
    signal(SIGPIPE, SIG_IGN);
    ck_assert(pipe(in) == 0 && pipe(out) == 0);
    engine.pid = fork();
    ck_assert(engine.pid >= 0);
    if (engine.pid == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[0]);
        close(in[1]);
        close(out[0]);
        close(out[1]);
        execl(path, path, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    engine.to = in[1];
    engine.from = out[0];
}

static void engine_write(const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(engine.to, bytes, count);
        ck_assert_msg(written > 0, "the engine takes no more input: %s", strerror(errno));
        bytes += written;
        count -= (size_t)written;
    }
}

__attribute__((format(printf, 1, 2))) static void engine_send(const char *format, ...) {
    char text[LINE_MAX_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text - 1, format, arguments);
    va_end(arguments);
    text[length++] = '\n';
    engine_write(text, (size_t)length);
}

/* Reads the next line into engine.line; false at the end of the output. */
static bool engine_line(void) {
    for (;;) {
        char *end = memchr(engine.buffer, '\n', engine.length);
        if (end != NULL) {
            size_t length = (size_t)(end - engine.buffer);
            snprintf(engine.line, sizeof engine.line, "%.*s", (int)length, engine.buffer);
            engine.length -= length + 1;
            memmove(engine.buffer, end + 1, engine.length);
            return true;
        }
        struct pollfd ready = {.fd = engine.from, .events = POLLIN};
        ck_assert_msg(poll(&ready, 1, PATIENCE_MS) > 0, "no \"%s\" in %d ms; the last was \"%s\"",
                      engine.awaited, PATIENCE_MS, engine.line);
        ck_assert(engine.length < sizeof engine.buffer);
        ssize_t count =
            read(engine.from, engine.buffer + engine.length, sizeof engine.buffer - engine.length);
        if (count <= 0)
            return false;
        engine.length += (size_t)count;
    }
}

/* Reads lines until one begins with that text, and returns it. */
static const char *engine_expect(const char *beginning) {
    engine.awaited = beginning;
    while (engine_line())
        if (strncmp(engine.line, beginning, strlen(beginning)) == 0)
            return engine.line;
    ck_abort_msg("the engine ended before it said \"%s\"; its last line was \"%s\"", beginning,
                 engine.line);
    return NULL;
}

/* Waits for the end of the engine, and looks at its exit status. */
static void engine_ends(void) {
    int status = 0;
    engine.awaited = "end of the output";
    while (engine_line())
        ;
    ck_assert_int_eq(waitpid(engine.pid, &status, 0), engine.pid);
    ck_assert_msg(WIFEXITED(status), "the engine was ended by signal %d", WTERMSIG(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}

static void engine_quit(void) {
    engine_send("quit");
    engine_ends();
}

/* Closes this side's ends, so that another engine may be opened. */
static void engine_shut(void) {
    if (engine.to >= 0)
        close(engine.to);
    close(engine.from);
    engine.length = 0;
}

/* Waits for the bestmove, and checks that it is legal in the position. */
static void expect_legal_bestmove(const char *fen) {
    Position position;
    char move[16] = "";
    ck_assert(fen_parse(&position, fen, false, NULL));
    engine_expect("bestmove ");
    sscanf(engine.line, "bestmove %15s", move);
    ck_assert_msg(move_from_uci(&position, move) != MOVE_NONE, "%s is not legal in %s", move, fen);
}

START_TEST(uci_is_answered_with_name_options_and_uciok) {
    static const char *const options[] = {
        "option name Hash type spin",         "option name Threads type spin",
        "option name Ponder type check",      "option name MultiPV type spin",
        "option name Move Overhead type",     "option name UCI_Chess960 type check",
        "option name UCI_ShowWDL type check", "option name Clear Hash type button"};
    engine_open();
    engine_send("uci");
    engine_expect("id name Reductio ");
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        engine_expect(options[i]);
    engine_expect("uciok");
    engine_quit();
}
END_TEST

START_TEST(isready_and_stop_are_answered_during_a_search) {
    engine_open();
    engine_send("position startpos\ngo infinite");
    engine_expect("info depth 2 ");
    engine_send("isready");
    engine_expect("readyok");
    engine_send("stop");
    expect_legal_bestmove(FEN_STARTPOS);
    engine_send("isready");
    engine_expect("readyok");
    engine_quit();
}
END_TEST

START_TEST(stop_right_after_go_still_gives_a_move) {
    engine_open();
    for (int i = 0; i < 50; i++) {
        engine_send("go infinite\nstop");
        expect_legal_bestmove(FEN_STARTPOS);
    }
    engine_quit();
}
END_TEST

START_TEST(quit_ends_a_search_without_an_end) {
    engine_open();
    engine_send("go infinite");
    engine_expect("info depth 1 ");
    engine_quit();
}
END_TEST

/* Each has more time than the test. */
START_TEST(quit_ends_a_search_that_time_alone_limits) {
    static const char *const searches[] = {"go movetime 36000000", "go wtime 36000000",
                                           "go ponder wtime 36000000\nponderhit"};
    for (size_t i = 0; i < sizeof searches / sizeof searches[0]; i++) {
        engine_open();
        engine_send("%s", searches[i]);
        engine_expect("info depth 1 ");
        engine_quit();
        engine_shut();
    }
}
END_TEST

/* There is no mate in three moves from the starting position. */
START_TEST(the_end_of_input_ends_a_search_without_an_end) {
    static const char *const searches[] = {"go infinite", "go mate 3", "go ponder\nponderhit"};
    for (size_t i = 0; i < sizeof searches / sizeof searches[0]; i++) {
        engine_open();
        engine_send("%s", searches[i]);
        engine_expect("info depth 1 ");
        close(engine.to);
        engine_ends();
        close(engine.from);
    }
}
END_TEST

START_TEST(an_unfinished_last_line_is_obeyed) {
    engine_open();
    engine_write("isready", strlen("isready"));
    close(engine.to);
    engine_expect("readyok");
    engine_ends();
}
END_TEST

START_TEST(garbage_is_ignored) {
    static const char *const garbage[] = {"xyzzy",
                                          "go depth",
                                          "go depth x",
                                          "go depth 99999999999999999999",
                                          "stop",
                                          "go searchmoves e9e9",
                                          "stop",
                                          "setoption",
                                          "setoption name",
                                          "setoption name value",
                                          "setoption value 3",
                                          "setoption name Hash value",
                                          "setoption name Hash value x",
                                          "position",
                                          "position fen",
                                          "position fen 8/8",
                                          "position startpos e2e4",
                                          "position startpos moves e2e5",
                                          "position startpos moves \xff\xfe",
                                          "bench x",
                                          "bench 0",
                                          "lmr nix",
                                          "lmr list nix",
                                          "genfens",
                                          "genfens 0",
                                          "genfens 1 seed",
                                          "ponderhit",
                                          "stop",
                                          "debug on",
                                          "register later",
                                          "go perft 0",
                                          "go perft x",
                                          "\x01\x02\x03",
                                          "  \t ",
                                          "\r"};
    unsigned seed = 1;
    engine_open();
    for (size_t i = 0; i < sizeof garbage / sizeof garbage[0]; i++)
        engine_send("%s", garbage[i]);
    for (int i = 0; i < 200; i++) {
        char bytes[64];
        for (size_t k = 0; k < sizeof bytes; k++) {
            seed = seed * 1103515245u + 12345u;
            bytes[k] = (char)(seed >> 16);
        }
        bytes[sizeof bytes - 1] = '\n';
        engine_write(bytes, sizeof bytes);
    }
    engine_send("isready");
    engine_expect("info string bench: a depth from 1 to "); /* No search was in the way. */
    engine_expect("info string genfens: N seed S ");
    engine_expect("readyok");
    engine_send("go depth 2");
    expect_legal_bestmove(FEN_STARTPOS);
    engine_quit();
}
END_TEST

START_TEST(a_line_without_end_is_skipped) {
    enum { CHUNK = 1 << 16, CHUNKS = 32 };
    static char chunk[CHUNK];
    memset(chunk, 'x', sizeof chunk);
    engine_open();
    for (int i = 0; i < CHUNKS; i++)
        engine_write(chunk, sizeof chunk);
    engine_send("\nisready");
    engine_expect("info string a line of 2097152 bytes is too long");
    engine_expect("readyok");
    engine_quit();
}
END_TEST

/* In 16 bits the plies of the second game would be 4. */
START_TEST(a_game_of_many_thousand_moves_is_read) {
    static const char *const shuffle[] = {"g1f3", "g8f6", "f3g1", "f6g8"};
    static const struct {
        int plies;
        const char *counts;
    } games[] = {{6000, "6000 3001"}, {65540, "9999 9999"}};
    engine_open();
    for (size_t i = 0; i < sizeof games / sizeof games[0]; i++) {
        engine_write("position startpos moves", strlen("position startpos moves"));
        for (int ply = 0; ply < games[i].plies; ply++) {
            engine_write(" ", 1);
            engine_write(shuffle[ply % 4], 4);
        }
        engine_send("\nd");
        engine_expect("Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - ");
        ck_assert_str_eq(strstr(engine.line, " - ") + 3, games[i].counts);
    }
    engine_send("go depth 2");
    expect_legal_bestmove(FEN_STARTPOS);
    engine_quit();
}
END_TEST

/* White is a queen up; the position after Qd4-d5 has stood twice. */
START_TEST(positions_of_the_game_are_repeated) {
    engine_open();
    engine_send("position fen 8/7k/8/8/3Q4/8/8/K7 w - - 0 60 moves "
                "d4d5 h7g7 d5d4 g7h7 d4d5 h7g7 d5d4 g7h7\ngo depth 4 searchmoves d4d5");
    engine_expect("info depth 4 ");
    ck_assert_msg(strstr(engine.line, " score cp 0 ") != NULL, "%s", engine.line);
    engine_quit();
}
END_TEST

/* Keys from before the pawn's move would take the room of those that count. */
START_TEST(positions_are_repeated_behind_a_thousand_plies) {
    enum { ROUNDS = 254 };
    engine_open();
    const char *begin = "position fen 8/7k/8/8/3Q4/P7/8/K7 w - - 0 60 moves";
    const char *round = " d4d5 h7g7 d5d4 g7h7";
    engine_write(begin, strlen(begin));
    for (int i = 0; i < ROUNDS; i++)
        engine_write(round, strlen(round));
    engine_send(" a3a4 h7h6 d4d5 h6g7 d5d4 g7h6 d4d5 h6g7 d5d4 g7h6\n"
                "go depth 4 searchmoves d4d5");
    engine_expect("info depth 4 ");
    ck_assert_msg(strstr(engine.line, " score cp 0 ") != NULL, "%s", engine.line);
    engine_quit();
}
END_TEST

START_TEST(the_evaluation_is_for_white_whoever_moves) {
    engine_open();
    for (int i = 0; i < 2; i++) {
        engine_send("position fen 4k3/8/8/8/8/8/8/Q3K3 %c - - 0 1\neval", "wb"[i]);
        engine_expect("evaluation +");
    }
    engine_quit();
}
END_TEST

START_TEST(a_wrong_position_is_named_and_changes_nothing) {
    engine_open();
    engine_send("position startpos moves e2e4");
    engine_send("position startpos moves d2d4 e7e6 e1e3");
    engine_expect("info string position: move 3, \"e1e3\", is not legal in ");
    engine_send("position fen 8/8/8/8/8/8/8/8 w - - 0 1");
    engine_expect("info string position: ");
    engine_send("d");
    engine_expect("Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    engine_quit();
}
END_TEST

START_TEST(an_option_out_of_range_is_refused) {
    engine_open();
    engine_send("setoption name Hash value 0");
    engine_expect("info string setoption: Hash is a number from 1 to ");
    engine_send("setoption name hash value 2");
    engine_send("setoption name MOVE  overhead value 100");
    engine_send("setoption name Clear Hash");
    engine_send("setoption name ponder value TRUE");
    engine_send("setoption name Ponder value maybe"); /* The first to be refused since. */
    ck_assert_str_eq(engine_expect("info string setoption"),
                     "info string setoption: Ponder is true or false, not \"maybe\"");
    engine_send("setoption name No Such Thing value 1");
    engine_expect("info string setoption: there is no option \"No Such Thing\"");
    engine_quit();
}
END_TEST

/* The nodes of a search to this depth. */
static long nodes_of_a_search(int depth) {
    char beginning[32];
    long nodes = 0;
    snprintf(beginning, sizeof beginning, "info depth %d ", depth);
    engine_send("position startpos\ngo depth %d", depth);
    const char *at = strstr(engine_expect(beginning), " nodes ");
    ck_assert_msg(at != NULL && sscanf(at, " nodes %ld", &nodes) == 1, "%s", engine.line);
    engine_expect("bestmove");
    return nodes;
}

START_TEST(a_cleared_table_has_forgotten_the_search_before) {
    enum { DEPTH = 8 };
    engine_open();
    long first = nodes_of_a_search(DEPTH);
    ck_assert_int_lt(nodes_of_a_search(DEPTH), first);
    engine_send("setoption name Clear Hash");
    ck_assert_int_eq(nodes_of_a_search(DEPTH), first);
    engine_quit();
}
END_TEST

START_TEST(a_new_game_begins_as_a_fresh_engine_does) {
    enum { DEPTH = 8 };
    engine_open();
    long first = nodes_of_a_search(DEPTH);
    engine_send("ucinewgame");
    ck_assert_int_eq(nodes_of_a_search(DEPTH), first);
    engine_quit();
}
END_TEST

/* Permille of the table that a search of many nodes fills. */
static int hashfull_of_a_search(int mebibytes) {
    int hashfull = -1;
    engine_send("setoption name Hash value %d\nucinewgame\ngo nodes 300000", mebibytes);
    engine.awaited = "bestmove ";
    while (engine_line() && strncmp(engine.line, "bestmove ", 9) != 0)
        if (strstr(engine.line, " hashfull ") != NULL)
            sscanf(strstr(engine.line, " hashfull "), " hashfull %d", &hashfull);
    return hashfull;
}

START_TEST(the_table_has_the_size_of_the_option) {
    engine_open();
    ck_assert_int_gt(hashfull_of_a_search(1), 500);
    int of_many = hashfull_of_a_search(64);
    ck_assert_msg(of_many >= 0 && of_many < 200, "hashfull %d", of_many);
    engine_quit();
}
END_TEST

/* The threads of the engine while it searches; -1: the system has no such list. */
static int threads_of_a_search(int threads) {
    char path[64];
    int count = 0;
    engine_send("setoption name Threads value %d\nposition startpos\ngo infinite", threads);
    engine_expect("info depth 3 ");
    snprintf(path, sizeof path, "/proc/%d/task", (int)engine.pid);
    DIR *tasks = opendir(path);
    for (const struct dirent *entry; tasks && (entry = readdir(tasks));)
        count += entry->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    engine_send("stop");
    engine_expect("bestmove");
    return tasks ? count : -1;
}

START_TEST(a_search_has_the_threads_of_the_option) {
    engine_open();
    int one = threads_of_a_search(1);
    if (one > 0)
        ck_assert_int_eq(threads_of_a_search(3), one + 2);
    else
        puts("left out: the threads of a search: there is no /proc");
    engine_quit();
}
END_TEST

START_TEST(without_a_legal_move_there_is_no_bestmove) {
    static const struct {
        const char *fen, *score;
    } ended[] = {{"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "info depth 0 score cp 0"},
                 {"R5k1/5ppp/8/8/8/8/8/7K b - - 0 1", "info depth 0 score mate 0"}};
    engine_open();
    for (size_t i = 0; i < sizeof ended / sizeof ended[0]; i++) {
        engine_send("position fen %s\ngo depth 3", ended[i].fen);
        ck_assert_str_eq(engine_expect("info depth"), ended[i].score);
        ck_assert_str_eq(engine_expect("bestmove"), "bestmove (none)");
    }
    engine_quit();
}
END_TEST

START_TEST(searchmoves_are_obeyed) {
    engine_open();
    engine_send("position startpos\ngo searchmoves a2a3 depth 4");
    ck_assert_int_eq(strncmp(engine_expect("bestmove"), "bestmove a2a3", 13), 0);
    engine_send("go depth 3 searchmoves h2h4 g2g4 nodes 2000");
    engine_expect("bestmove");
    ck_assert_msg(strncmp(engine.line, "bestmove h2h4", 13) == 0 ||
                      strncmp(engine.line, "bestmove g2g4", 13) == 0,
                  "%s", engine.line);
    engine_quit();
}
END_TEST

#ifdef __linux__
/* With no room for a thread's stack, the dialogue's own thread searches one iteration. */
START_TEST(without_a_thread_searchmoves_are_obeyed) {
    engine_open();
    engine_send("isready");
    engine_expect("readyok");
    struct rlimit none = {.rlim_cur = 1 << 20, .rlim_max = 1 << 20};
    ck_assert_int_eq(prlimit(engine.pid, RLIMIT_AS, &none, NULL), 0);
    engine_send("position startpos\ngo infinite searchmoves a2a3");
    ck_assert_int_eq(strncmp(engine_expect("bestmove"), "bestmove a2a3", 13), 0);
    engine_quit();
}
END_TEST
#endif

/* The clock has run out long before that depth. */
START_TEST(pondering_waits_for_ponderhit) {
    engine_open();
    engine_send("position startpos moves e2e4\ngo ponder wtime 1 btime 1");
    engine_expect("info depth 12 ");
    engine_send("isready");
    engine_expect("readyok");
    engine_send("ponderhit");
    expect_legal_bestmove("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    engine_quit();
}
END_TEST

static int64_t now_ms(void) {
    return timeman_now_ns() / 1000000;
}

/* The pondering takes longer than the move may. */
START_TEST(ponderhit_restarts_the_clock_of_movetime) {
    enum { MOVETIME_MS = 300, OVERHEAD_MS = 10 };
    const struct timespec longer = {.tv_nsec = 400000000};
    engine_open();
    engine_send("setoption name Move Overhead value %d", OVERHEAD_MS);
    engine_send("position startpos\ngo ponder movetime %d", MOVETIME_MS);
    engine_expect("info depth 1 ");
    nanosleep(&longer, NULL);
    int64_t hit = now_ms();
    engine_send("ponderhit");
    expect_legal_bestmove(FEN_STARTPOS);
    ck_assert_int_ge(now_ms() - hit, MOVETIME_MS - OVERHEAD_MS - 1);
    engine_quit();
}
END_TEST

START_TEST(every_kind_of_limit_ends_the_search) {
    static const char *const limits[] = {"depth 3",
                                         "nodes 500",
                                         "movetime 1",
                                         "mate 1 nodes 1000",
                                         "wtime 1 btime 1",
                                         "wtime -5 btime -5 winc 0 binc 0",
                                         "wtime 200 btime 200 movestogo 1",
                                         "wtime 1 btime 1 winc 1 binc 1",
                                         "wtime 100 btime 100 winc 1 binc 1",
                                         "depth 5 wtime 7200000 btime 7200000 winc 30000",
                                         "depth 5 wtime 999999999999999 winc 999999999999999",
                                         "depth 5 movetime 999999999999999",
                                         "depth 0",
                                         "nodes 0"};
    engine_open();
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        engine_send("position startpos\ngo %s", limits[i]);
        expect_legal_bestmove(FEN_STARTPOS);
    }
    engine_quit();
}
END_TEST

/* The clock has run out long before that depth. */
START_TEST(an_infinite_search_goes_on_beyond_its_clock) {
    engine_open();
    engine_send("position startpos\ngo infinite wtime 1 btime 1");
    engine_expect("info depth 12 ");
    engine_send("stop");
    expect_legal_bestmove(FEN_STARTPOS);
    engine_quit();
}
END_TEST

/* The nodes of some search end while the window has failed; the bound stands beside the exact score
 * of the iteration before. */
START_TEST(a_bound_lies_on_the_side_that_its_word_says) {
    enum { NODES_MIN = 5000, NODES_MAX = 200000, NODES_STEP = 1000 };
    bool above_seen = false, below_seen = false;
    engine_open();
    engine_send("position startpos");
    for (int nodes = NODES_MIN; nodes < NODES_MAX && !(above_seen && below_seen);
         nodes += NODES_STEP) {
        int exact = 0, score = 0;
        engine_send("ucinewgame\ngo nodes %d", nodes);
        engine.awaited = "bestmove ";
        while (engine_line() && strncmp(engine.line, "bestmove ", 9) != 0) {
            const char *at = strstr(engine.line, " score cp ");
            bool above = strstr(engine.line, " lowerbound ") != NULL;
            bool below = strstr(engine.line, " upperbound ") != NULL;
            if (at == NULL || sscanf(at, " score cp %d", &score) != 1)
                continue;
            ck_assert_msg(!(above && score < exact) && !(below && score > exact), "%d, then %s",
                          exact, engine.line);
            exact = above || below ? exact : score;
            above_seen = above_seen || above;
            below_seen = below_seen || below;
        }
    }
    ck_assert(above_seen && below_seen);
    engine_quit();
}
END_TEST

START_TEST(multipv_shows_different_moves) {
    enum { PV_WITH_MOVE = 8 }; /* " pv e2e4" */
    char first[PV_WITH_MOVE + 1];
    engine_open();
    engine_send("setoption name MultiPV value 2\nposition startpos\ngo depth 3");
    engine_expect("info depth 3 ");
    ck_assert_msg(strstr(engine.line, " multipv 1 ") != NULL, "%s", engine.line);
    snprintf(first, sizeof first, "%.*s", PV_WITH_MOVE, strstr(engine.line, " pv "));
    engine_expect("info depth 3 ");
    ck_assert_msg(strstr(engine.line, " multipv 2 ") != NULL, "%s", engine.line);
    ck_assert_msg(strncmp(strstr(engine.line, " pv "), first, PV_WITH_MOVE) != 0, "%s twice",
                  first);
    engine_quit();
}
END_TEST

/* In the notation of the position, which is Chess960's here. */
START_TEST(root_moves_are_told_from_the_third_second_on) {
    enum { FROM_MS = 3000 };
    engine_open();
    engine_send("setoption name UCI_Chess960 value true");
    engine_send(
        "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w HAha - 0 1");
    int64_t sent = now_ms();
    engine_send("go infinite searchmoves e1h1 e1a1");
    engine_expect("info depth 1 ");
    for (bool found = false; !found;) {
        engine_expect("info depth ");
        found = strstr(engine.line, " currmove ") != NULL;
    }
    ck_assert_int_ge(now_ms() - sent, FROM_MS);
    int depth, number;
    char move[8];
    ck_assert_msg(sscanf(engine.line, "info depth %d currmove %7s currmovenumber %d", &depth, move,
                         &number) == 3,
                  "%s", engine.line);
    ck_assert_msg(number == 1 || number == 2, "%s", engine.line);
    ck_assert_msg(strcmp(move, "e1h1") == 0 || strcmp(move, "e1a1") == 0, "%s", engine.line);
    engine_send("stop");
    engine_expect("bestmove e1");
    engine_quit();
}
END_TEST

START_TEST(perft_divides_and_counts) {
    engine_open();
    engine_send("position startpos\ngo perft 4");
    engine_expect("e2e4: 13160");
    ck_assert_str_eq(engine_expect("Nodes searched"), "Nodes searched: 197281");
    engine_send("go perft 12");
    engine_send("stop");
    engine_expect("info string perft: stopped");
    engine_quit();
}
END_TEST

START_TEST(castling_is_read_as_the_option_says) {
    engine_open();
    engine_send("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1g1\nd");
    engine_expect("Fen: 4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
    engine_send("setoption name UCI_Chess960 value true");
    engine_send("position fen 4k3/8/8/8/8/8/8/1R2K2R w HB - 0 1 moves e1b1\nd");
    engine_expect("Fen: 4k3/8/8/8/8/8/8/2KR3R b - - 1 1");
    /* Black mates by castling. */
    engine_send("position fen 4k2r/7p/8/8/1b1b3P/8/r7/5K2 w h - 0 1\n"
                "go depth 3 searchmoves h4h5");
    ck_assert_str_eq(engine_expect("bestmove"), "bestmove h4h5 ponder e8h8");
    engine_quit();
}
END_TEST

/* Moves are read in the notation that they are written in, whenever the option is set. */
START_TEST(the_option_changes_the_notation_of_the_position_that_stands) {
    engine_open();
    engine_send("position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9");
    engine_send("setoption name UCI_Chess960 value true\nd\ngo perft 1");
    engine_expect("Fen: r3k2r/8/8/8/8/8/8/R3K2R w HAha - 3 9");
    engine_expect("e1h1: 1");
    engine_expect("Nodes searched");
    engine_send("go depth 1 searchmoves e1h1");
    engine_expect("info depth 1 ");
    ck_assert_msg(strstr(engine.line, " pv e1h1") != NULL, "%s", engine.line);
    engine_expect("bestmove e1h1");
    engine_send("setoption name UCI_Chess960 value false\nd");
    engine_expect("Fen: r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9");
    engine_send("go depth 1 searchmoves e1g1");
    engine_expect("bestmove e1g1");
    engine_quit();
}
END_TEST

/* Its rook stands where only Chess960 has one. */
START_TEST(a_position_of_chess960_stays_one) {
    engine_open();
    engine_send("setoption name UCI_Chess960 value true");
    engine_send("position fen 4k3/8/8/8/8/8/8/1R2K2R w HB - 0 1");
    engine_send("setoption name UCI_Chess960 value false\nd");
    engine_expect("Fen: 4k3/8/8/8/8/8/8/1R2K2R w HB - 0 1");
    engine_send("go depth 1 searchmoves e1b1");
    engine_expect("bestmove e1b1");
    engine_quit();
}
END_TEST

START_TEST(commands_come_one_after_the_other) {
    engine_open();
    engine_send("position startpos\ngo depth 4\nposition startpos moves e2e4\ngo depth 4");
    expect_legal_bestmove(FEN_STARTPOS);
    ck_assert_msg(strstr(engine.line, " ponder ") != NULL, "%s", engine.line);
    expect_legal_bestmove("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    engine_send("position startpos\ngo foo btime 1000");
    engine_expect("info string go: \"foo\" is not understood: ignored");
    engine_expect("info string go: no time and no other limit for the side to move: depth 1");
    expect_legal_bestmove(FEN_STARTPOS);
    engine_send("go infinite\ngo depth 1");
    engine_expect("info string go: refused while a search without an end runs");
    engine_quit();
}
END_TEST

/* GUIs may send some of these too early. */
START_TEST(stop_is_heard_behind_commands_that_start_nothing) {
    static const char *const early[] = {"d",
                                        "eval",
                                        "lmr",
                                        "params list",
                                        "ucinewgame",
                                        "position startpos moves e2e4",
                                        "setoption name Hash value 2",
                                        "setoption name Threads value 2",
                                        "setoption name MultiPV value 2"};
    engine_open();
    for (size_t i = 0; i < sizeof early / sizeof early[0]; i++) {
        engine_send("position startpos\ngo depth 127\n%s\nisready", early[i]);
        engine_expect("readyok");
        engine_send("stop");
        expect_legal_bestmove(FEN_STARTPOS);
    }
    engine_quit();
}
END_TEST

START_TEST(what_is_sent_during_a_search_counts_after_it) {
    enum { DEPTH = 8 };
    static const char *const searches[] = {"go depth 127", "go infinite"};
    engine_open();
    long first = nodes_of_a_search(DEPTH);
    for (int i = 0; i < 2; i++) {
        engine_send("%s\nucinewgame\nposition startpos moves e2e4\nstop\nd", searches[i]);
        engine_expect("bestmove");
        engine_expect("Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
        ck_assert_int_eq(nodes_of_a_search(DEPTH), first);
        engine_send("%s\nsetoption name UCI_ShowWDL value %s\nstop\ngo depth 1", searches[i],
                    i == 0 ? "true" : "false");
        engine_expect("bestmove");
        engine_expect("info depth 1 ");
        ck_assert_msg((strstr(engine.line, " wdl ") != NULL) == (i == 0), "%s", engine.line);
        engine_expect("bestmove");
    }
    engine_quit();
}
END_TEST

/* Each runs for hours if nobody ends it. */
static const struct {
    const char *line, *name;
} long_commands[] = {
    {"go depth 127", ""},
    {"go perft 12", "perft"},
    {"bench 64", "bench"},
    {"genfens 10000000 seed 1 book None", "genfens"},
    {"datagen games 100000000 nodes 100000 out /dev/null", "datagen"},
};
enum { LONG_COMMANDS = sizeof long_commands / sizeof long_commands[0] };

START_TEST(isready_and_stop_are_answered_during_every_long_command) {
    engine_open();
    for (int i = 0; i < LONG_COMMANDS; i++) {
        char stopped[64];
        engine_send("%s\nisready", long_commands[i].line);
        engine_expect("readyok");
        engine_send("stop");
        snprintf(stopped, sizeof stopped, "info string %s: stopped", long_commands[i].name);
        engine_expect(i == 0 ? "bestmove " : stopped);
    }
    engine_quit();
}
END_TEST

START_TEST(stop_and_quit_end_every_long_command) {
    for (int i = 0; i < LONG_COMMANDS; i++) {
        engine_open();
        engine_send("%s\nisready", long_commands[i].line);
        engine_expect("readyok");
        engine_send("stop");
        engine_quit();
        engine_shut();
    }
}
END_TEST

/* Each ends by itself with a line that begins so. */
static const struct {
    const char *line, *answer;
} finite_commands[] = {
    {"go perft 4", "Nodes searched: 197281"},
    {"go depth 9", "info depth 9 "},
    {"go nodes 20000", "bestmove "},
    {"go wtime 36000000 nodes 20000", "bestmove "},
    {"bench 2", NULL},
    {"genfens 3 seed 1 book None nodes=100", "info string genfens "},
    {"datagen games 1 nodes 50 seed 1 out /dev/null", "1 game, "},
};
enum { FINITE_COMMANDS = sizeof finite_commands / sizeof finite_commands[0] };

/* Was the whole answer given, whatever came after it? */
static void expect_finished(int i) {
    if (finite_commands[i].answer != NULL) {
        engine_expect(finite_commands[i].answer);
        engine_ends();
        return;
    }
    engine_ends();
    ck_assert_msg(strstr(engine.line, " nps") != NULL, "%s ends with \"%s\"",
                  finite_commands[i].line, engine.line);
}

START_TEST(a_finite_command_finishes_before_quit) {
    for (int i = 0; i < FINITE_COMMANDS; i++) {
        engine_open();
        engine_send("position startpos\n%s\nquit", finite_commands[i].line);
        expect_finished(i);
        engine_shut();
    }
}
END_TEST

START_TEST(a_finite_command_finishes_before_the_end_of_input) {
    for (int i = 0; i < FINITE_COMMANDS; i++) {
        engine_open();
        engine_send("position startpos\n%s", finite_commands[i].line);
        close(engine.to);
        engine.to = -1;
        expect_finished(i);
        engine_shut();
    }
}
END_TEST

START_TEST(go_answers_with_a_bestmove_whatever_follows) {
    static const char *const words[] = {"depth 2 xyzzy",
                                        "xyzzy 7 depth 2",
                                        "depth x",
                                        "nodes",
                                        "movetime -1",
                                        "wtime 99999999999999999999 depth 2",
                                        "nodes 99999999999999999999 depth 2",
                                        "searchmoves e2e5 depth 2",
                                        "searchmoves e9e9 e2e4 depth 2"};
    engine_open();
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        engine_send("position startpos\ngo %s", words[i]);
        expect_legal_bestmove(FEN_STARTPOS);
    }
    ck_assert_int_eq(strncmp(engine.line, "bestmove e2e4", 13), 0);
    engine_send("go xyzzy"); /* no limit is left: until stop */
    engine_expect("info string go: \"xyzzy\" is not understood: ignored");
    engine_send("stop");
    expect_legal_bestmove(FEN_STARTPOS);
    engine_send("go depth 99999999999999999999\nstop");
    expect_legal_bestmove(FEN_STARTPOS);
    engine_quit();
}
END_TEST

START_TEST(a_move_is_searched_however_little_is_allowed) {
    static const char *const limits[] = {
        "wtime -5", "wtime 0 btime 0", "movetime 0",          "movetime 1",
        "nodes 0",  "nodes 1",         "wtime -5 movestogo 1"};
    engine_open();
    engine_send("setoption name Move Overhead value 5000");
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        char searched[16] = "none", best[16] = "";
        engine_send("ucinewgame\nposition startpos\ngo %s", limits[i]);
        engine.awaited = "bestmove ";
        while (engine_line() && sscanf(engine.line, "bestmove %15s", best) != 1)
            if (strstr(engine.line, " pv ") != NULL)
                sscanf(strstr(engine.line, " pv "), " pv %15s", searched);
        ck_assert_msg(strcmp(best, searched) == 0, "go %s: bestmove %s, and searched was %s",
                      limits[i], best, searched);
    }
    engine_quit();
}
END_TEST

/* In three seconds the engine searches millions of nodes. An overhead of five leaves time for about
 * a thousand. */
START_TEST(the_move_overhead_is_taken_off_the_time) {
    long long nodes = 0;
    engine_open();
    engine_send("setoption name Move Overhead value 5000");
    engine_send("position startpos\ngo movetime 3000");
    engine.awaited = "bestmove ";
    while (engine_line() && strncmp(engine.line, "bestmove ", 9) != 0)
        if (strstr(engine.line, " nodes ") != NULL)
            sscanf(strstr(engine.line, " nodes "), " nodes %lld", &nodes);
    ck_assert_msg(nodes > 0 && nodes < 100000, "%lld nodes", nodes);
    engine_quit();
}
END_TEST

START_TEST(wdl_is_shown_when_it_is_asked_for) {
    int win, draw, loss;
    engine_open();
    engine_send("position startpos\ngo depth 2");
    engine_expect("info depth 2 ");
    ck_assert_msg(strstr(engine.line, " wdl ") == NULL, "%s", engine.line);
    engine_expect("bestmove");
    engine_send("setoption name UCI_ShowWDL value true\ngo depth 2");
    engine_expect("info depth 2 ");
    const char *wdl = strstr(engine.line, " wdl ");
    ck_assert_msg(wdl != NULL && sscanf(wdl, " wdl %d %d %d", &win, &draw, &loss) == 3, "%s",
                  engine.line);
    ck_assert_int_eq(win + draw + loss, 1000);
    engine_quit();
}
END_TEST

/* The last score before the bestmove. A win of the tables stands at 31489 less the plies to it; all
 * others are evaluations. */
static int score_with_tables(void) {
    int score = 0;
    engine.awaited = "bestmove ";
    while (engine_line() && strncmp(engine.line, "bestmove ", 9) != 0) {
        const char *at = strstr(engine.line, " score cp ");
        if (at == NULL || sscanf(at, " score cp %d", &score) != 1)
            continue;
        ck_assert_msg(score < 2000 || score > 31000, "%s", engine.line);
    }
    return score;
}

START_TEST(endgame_tables_are_opened_and_asked) {
    static const char *const PAWN_ENDINGS[] = {"8/8/8/8/4k3/8/1P6/1K6 w - - 0 1\ngo depth 12",
                                               "8/8/8/4k3/8/8/2R5/2K5 w - - 0 1\ngo depth 12",
                                               "8/8/3k4/8/8/3K4/3P4/8 w - - 0 1\ngo depth 10",
                                               "8/8/8/8/1p2k3/8/1P6/1K1R4 w - - 10 1\ngo depth 9"};
    const char *folder = shared_path("syzygy");
    if (!tablebase_available() || access(folder, R_OK) != 0) {
        printf("uci: endgame tables are left out: libfathom or %s is missing\n", folder);
        return;
    }
    engine_open();
    engine_send("uci");
    engine_expect("option name SyzygyPath type string default <empty>");
    engine_expect("option name SyzygyProbeLimit type spin default 7 min 0 max 7");
    enum { TEXT_BYTES = 4095 }; /* at most */
    char text[TEXT_BYTES + 2] = "";
    memset(text, 'x', TEXT_BYTES + 1);
    engine_send("setoption name SyzygyPath value %s", text);
    engine_expect("info string setoption: SyzygyPath takes at most 4095 bytes");
    engine_send("setoption name SyzygyPath value /nonexistent");
    engine_expect("info string setoption: SyzygyPath: /nonexistent: No such file or directory");
    engine_send("setoption name SyzygyPath value  /nonexistent/two  blanks ");
    engine_expect("info string setoption: SyzygyPath: /nonexistent/two  blanks: No such file or "
                  "directory");
    engine_send("setoption name SyzygyPath value /dev/null:/");
    engine_expect("info string setoption: SyzygyPath: /dev/null: Not a directory");
    engine_expect("info string setoption: SyzygyPath: /: no tables there");
    engine_send("setoption name SyzygyPath value ::");
    engine_expect("info string setoption: SyzygyPath names no folder");
    engine_send("setoption name SyzygyPath value :/nonexistent::%s:", folder);
    engine_expect("info string setoption: SyzygyPath: /nonexistent: No such file or directory; the "
                  "tables of the other folders are in use");
    engine_send("position fen 4k3/8/3KP3/8/8/8/8/8 w - - 0 1\ngo depth 5");
    engine_expect("info depth 5 ");
    unsigned long hits = 0;
    ck_assert_msg(strstr(engine.line, " tbhits ") != NULL, "%s", engine.line);
    sscanf(strstr(engine.line, " tbhits "), " tbhits %lu", &hits);
    ck_assert_uint_gt(hits, 0);
    engine_expect("bestmove");
    engine_send("setoption name SyzygyProbeLimit value 2\ngo depth 5");
    engine_expect("info depth 5 ");
    ck_assert_msg(strstr(engine.line, " tbhits 0 ") != NULL, "%s", engine.line);
    engine_expect("bestmove");
    engine_send("ucinewgame\nsetoption name SyzygyProbeLimit value 7");
    engine_send("position fen 8/8/8/4k3/8/8/3PK3/8 w - - 0 1\ngo depth 14");
    ck_assert_int_gt(score_with_tables(), 31000);
    /* Nine of Black's moves behind Re6 lose to the tables, and three later ones hold. */
    engine_send("ucinewgame\nsetoption name SyzygyProbeLimit value 3\n"
                "position fen 4R3/8/7n/8/1k6/8/8/6K1 w - - 0 1\ngo depth 5");
    ck_assert_int_lt(score_with_tables(), 2000);
    /* What the hash has of the tables' losses is no evaluation. */
    engine_send("ucinewgame\nsetoption name SyzygyProbeLimit value 7");
    for (size_t i = 0; i < sizeof PAWN_ENDINGS / sizeof *PAWN_ENDINGS; i++) {
        engine_send("position fen %s", PAWN_ENDINGS[i]);
        score_with_tables();
    }
    /* The fifty moves end the game before the win that the hash knows. */
    engine_send("ucinewgame\nposition fen 8/8/8/8/1p2k3/8/1P6/1K1R4 w - - 10 1\ngo depth 14");
    ck_assert_int_gt(score_with_tables(), 31000);
    engine_send("position fen 8/8/8/8/1p2k3/8/1P6/1K1R4 w - - 96 60\ngo depth 3");
    ck_assert_int_lt(score_with_tables(), 2000);
    engine_quit();
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, uci_is_answered_with_name_options_and_uciok);
    tcase_add_test(tests, isready_and_stop_are_answered_during_a_search);
    tcase_add_test(tests, stop_right_after_go_still_gives_a_move);
    tcase_add_test(tests, quit_ends_a_search_without_an_end);
    tcase_add_test(tests, quit_ends_a_search_that_time_alone_limits);
    tcase_add_test(tests, the_end_of_input_ends_a_search_without_an_end);
    tcase_add_test(tests, an_unfinished_last_line_is_obeyed);
    tcase_add_test(tests, garbage_is_ignored);
    tcase_add_test(tests, a_line_without_end_is_skipped);
    tcase_add_test(tests, a_game_of_many_thousand_moves_is_read);
    tcase_add_test(tests, positions_of_the_game_are_repeated);
    tcase_add_test(tests, positions_are_repeated_behind_a_thousand_plies);
    tcase_add_test(tests, the_evaluation_is_for_white_whoever_moves);
    tcase_add_test(tests, a_wrong_position_is_named_and_changes_nothing);
    tcase_add_test(tests, an_option_out_of_range_is_refused);
    tcase_add_test(tests, a_cleared_table_has_forgotten_the_search_before);
    tcase_add_test(tests, a_new_game_begins_as_a_fresh_engine_does);
    tcase_add_test(tests, the_table_has_the_size_of_the_option);
    tcase_add_test(tests, a_search_has_the_threads_of_the_option);
    tcase_add_test(tests, without_a_legal_move_there_is_no_bestmove);
    tcase_add_test(tests, searchmoves_are_obeyed);
#ifdef __linux__
    tcase_add_test(tests, without_a_thread_searchmoves_are_obeyed);
#endif
    tcase_add_test(tests, pondering_waits_for_ponderhit);
    tcase_add_test(tests, ponderhit_restarts_the_clock_of_movetime);
    tcase_add_test(tests, every_kind_of_limit_ends_the_search);
    tcase_add_test(tests, an_infinite_search_goes_on_beyond_its_clock);
    tcase_add_test(tests, a_bound_lies_on_the_side_that_its_word_says);
    tcase_add_test(tests, multipv_shows_different_moves);
    tcase_add_test(tests, root_moves_are_told_from_the_third_second_on);
    tcase_add_test(tests, perft_divides_and_counts);
    tcase_add_test(tests, castling_is_read_as_the_option_says);
    tcase_add_test(tests, the_option_changes_the_notation_of_the_position_that_stands);
    tcase_add_test(tests, a_position_of_chess960_stays_one);
    tcase_add_test(tests, commands_come_one_after_the_other);
    tcase_add_test(tests, stop_is_heard_behind_commands_that_start_nothing);
    tcase_add_test(tests, what_is_sent_during_a_search_counts_after_it);
    tcase_add_test(tests, isready_and_stop_are_answered_during_every_long_command);
    tcase_add_test(tests, stop_and_quit_end_every_long_command);
    tcase_add_test(tests, a_finite_command_finishes_before_quit);
    tcase_add_test(tests, a_finite_command_finishes_before_the_end_of_input);
    tcase_add_test(tests, go_answers_with_a_bestmove_whatever_follows);
    tcase_add_test(tests, a_move_is_searched_however_little_is_allowed);
    tcase_add_test(tests, the_move_overhead_is_taken_off_the_time);
    tcase_add_test(tests, wdl_is_shown_when_it_is_asked_for);
    tcase_add_test(tests, endgame_tables_are_opened_and_asked);
}

int main(void) {
    chess_init();
    return run_tests("uci", add_tests);
}
