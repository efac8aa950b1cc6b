/* SPDX-License-Identifier: MIT */
/* Engines that fail, each in a way of its own: the game is lost by the right side for the right
 * reason, another process takes over, nothing stays behind, and every other game of the match is
 * the one that would have been played anyway. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "base/child.h"
#include "base/file.h"
#include "base/program.h"
#include "match/local_run.h"
#include "match/match.h"
#include "match/player.h"
#include "runner.h"
#include "tools/files.h"

enum {
    /* What never comes is waited for so long: long enough for everything that does come. */
    SHORT_MS = 1500,
    ARGUMENTS_SIZE = 320,
    PAIRS = 3,
    FAULTY = 2 /* The game with the fault, of six: the first of the second pair. */
};

/* The same match without a fault, played once, before any test. */
static Run *control;

static void play_control(void) {
    control = run_new();
    control->config.pairs = PAIRS;
    run_play(control);
}

static void free_control(void) {
    run_free(control);
}

/* ---- One fault in one game ---- */

/* A match with a fault, and the files that belong to it. */
typedef struct {
    Run *run;
    Side side;
    char once[NAME_SIZE];
    char log[NAME_SIZE]; /* What the faulty engine was told. */
    char folder[NAME_SIZE];
    FaultFiles transcripts;
    const char *begun; /* What the transcript has as the line begun and not ended; NULL: none. */
} Faulty;

/* The side commits the fault once, in its third game. */
static void prepare(Faulty *f, Side side, const char *fault) {
    char arguments[ARGUMENTS_SIZE];
    f->side = side;
    f->begun = NULL;
    f->run = run_new();
    f->run->config.pairs = PAIRS;
    temporary_name(f->once);
    temporary_name(f->log);
    temporary_name(f->folder);
    f->transcripts = (FaultFiles){.folder = f->folder};
    f->run->config.transcripts = &f->transcripts;
    snprintf(arguments, sizeof arguments, "once=%s log=%s game=%d fault=%s", f->once, f->log,
             FAULTY + 1, fault);
    run_set_engine(f->run, side, arguments);
}

static void clean_up(Faulty *f) {
    char command[NAME_SIZE + 16];
    snprintf(command, sizeof command, "rm -rf %s", f->folder);
    ck_assert_int_eq(system(command), 0);
    remove(f->once);
    run_free(f->run);
}

static const GameResult *game_of(const Run *run, int index) {
    return &run->pairs[index / 2].games[index % 2];
}

static void expect_lost(const Faulty *f, int index, const char *reason, Fault kind) {
    const GameResult *game = game_of(f->run, index);
    const char *told = f->run->pairs[index / 2].reasons[index % 2];
    bool white = game->white == f->side;
    char expected[REASON_SIZE];
    snprintf(expected, sizeof expected, "%s%s", white ? "White" : "Black", reason);
    ck_assert_msg(strncmp(told, expected, strlen(expected)) == 0, "'%s' is not '%s'", told,
                  expected);
    ck_assert_int_eq(ending_fault(game->ending), kind);
    ck_assert_int_eq(game_loser(game), f->side);
    ck_assert_int_eq(game->dev_points, f->side == SIDE_DEV ? 0 : 2);
}

/* The games but for the one at `lost` (−1: none) are those of the match without a fault. */
static void expect_others_untouched(const Run *run, int lost) {
    run_expect_complete(run);
    for (int i = 0; i < 2 * PAIRS; i++) {
        if (i == lost)
            continue;
        ck_assert_int_eq(ending_fault(game_of(run, i)->ending), FAULT_NONE);
        ck_assert_str_eq(run->pairs[i / 2].reasons[i % 2], control->pairs[i / 2].reasons[i % 2]);
        ck_assert_str_eq(run->pairs[i / 2].moves[i % 2], control->pairs[i / 2].moves[i % 2]);
    }
}

/* The log names a file with what was said; it has one line for the fault. */
static void expect_transcript(const Faulty *f) {
    static const char MARK[] = "; transcript: ";
    const char *told = strstr(f->run->log_text, MARK);
    char path[PROGRAM_PATH_MAX];
    ck_assert_msg(told != NULL, "no transcript in: %s", f->run->log_text);
    ck_assert_int_eq(count_of(f->run->log_text, "warning"), 1);
    snprintf(path, sizeof path, "%.*s", (int)strcspn(told + strlen(MARK), "\n"),
             told + strlen(MARK));
    char *text = read_and_remove(path);
    ck_assert_ptr_nonnull(strstr(text, f->side == SIDE_DEV ? "\ndev (" : "\nbase ("));
    ck_assert(strstr(text, " > isready\n") != NULL || count_of(text, " < info ") > 100);
    if (f->begun != NULL)
        ck_assert_msg(strstr(text, f->begun) != NULL, "'%s' is not in: %s", f->begun, text);
    free(text);
}

/* How many processes of the faulty side there were. */
static int processes(const Faulty *f) {
    char *said = read_and_remove(f->log);
    int count = count_of(said, " uci\n");
    free(said);
    return count;
}

static void play_faulty(const Faulty *f, int lost, const char *reason, Fault kind) {
    run_play(f->run);
    expect_others_untouched(f->run, lost);
    ck_assert_msg(file_exists(f->once), "the fault did not happen");
    expect_lost(f, lost, reason, kind);
    expect_transcript(f);
    ck_assert_int_eq(processes(f), 2);
}

/* What the engine does once loses no game. */
static void play_forgiven(const Faulty *f) {
    run_play(f->run);
    ck_assert(file_exists(f->once));
    expect_others_untouched(f->run, -1);
    ck_assert_int_eq(processes(f), 1);
}

/* ---- Faults that lose a game, on either side ---- */

static const char BEGUN[] = "(a line begun and not ended, 11 bytes)\n             < bestmove e2\n";

typedef struct {
    const char *fault;
    const char *reason; /* What follows the colour. */
    Fault kind;
    int lost; /* FAULTY, or the game after it. */
} FaultCase;

static const FaultCase FAULT_CASES[] = {
    {"die", " disconnects", FAULT_CRASH, FAULTY},
    {"exit", " disconnects", FAULT_CRASH, FAULTY},
    {"crash", " disconnects", FAULT_CRASH, FAULTY},
    {"grandchild", " disconnects", FAULT_CRASH, FAULTY},
    {"close-input", " disconnects", FAULT_CRASH, FAULTY},
    {"half-line-die", " disconnects", FAULT_CRASH, FAULTY}, /* Half a line is no move. */
    {"die-after", " disconnects", FAULT_CRASH, FAULTY},
    {"die-after at=3", " disconnects", FAULT_CRASH, FAULTY + 1}, /* Between two games. */
    {"illegal", " makes an illegal move: e2e5", FAULT_ILLEGAL, FAULTY},
    {"again", " makes an illegal move: ", FAULT_ILLEGAL, FAULTY}, /* It was legal before. */
    {"unparsable", " makes an illegal move: Nf3", FAULT_ILLEGAL, FAULTY},
    {"zero", " makes an illegal move: 0000", FAULT_ILLEGAL, FAULTY},
    {"none", " makes an illegal move: (none)", FAULT_ILLEGAL, FAULTY},
    {"missing", " makes an illegal move: (none)", FAULT_ILLEGAL, FAULTY},
};

START_TEST(a_fault_loses_one_game_and_the_match_goes_on) {
    const FaultCase *c = &FAULT_CASES[_i / SIDE_COUNT];
    Faulty f;
    prepare(&f, (Side)(_i % SIDE_COUNT), c->fault);
    if (strcmp(c->fault, "half-line-die") == 0)
        f.begun = BEGUN;
    play_faulty(&f, c->lost, c->reason, c->kind);
    clean_up(&f);
}
END_TEST

/* Neither a move nor death, without a clock: a stall, however much else is said. */
START_TEST(silence_without_a_clock_is_a_stall) {
    static const char *const FAULTS[] = {"stall", "flood", "half-line", "long-line",
                                         "no-readyok at=0"};
    Faulty f;
    prepare(&f, (Side)(_i % SIDE_COUNT), FAULTS[_i / SIDE_COUNT]);
    f.run->config.deadlines.nodes = f.run->config.deadlines.readyok = SHORT_MS;
    if (strcmp(FAULTS[_i / SIDE_COUNT], "half-line") == 0)
        f.begun = BEGUN;
    play_faulty(&f, FAULTY, "'s connection stalls", FAULT_CRASH);
    /* Of the 100 nodes that were asked for the flood says many more. */
    ck_assert_int_eq(count_of(f.run->log_text, "does it know 'go nodes'?"),
                     strcmp(FAULTS[_i / SIDE_COUNT], "flood") == 0);
    clean_up(&f);
}
END_TEST

/* Twenty times the time that the engine needs for its nodes, however slow it is. */
START_TEST(an_engine_of_few_nodes_a_second_is_waited_for) {
    Faulty f;
    prepare(&f, (Side)_i, "slow=3000 at=1 nodes=1");
    f.run->config.deadlines.nodes = SHORT_MS;
    play_forgiven(&f);
    clean_up(&f);
}
END_TEST

/* Late, or silent for ever, by more than any machine is slow. The flag has fallen before what comes
 * late is heard. */
START_TEST(with_a_clock_lateness_and_silence_are_losses_on_time) {
    static const char *const FAULTS[] = {"late=2600", "late-missing", "late-illegal", "stall",
                                         "flood"};
    enum { MARGIN_MS = 2000 };
    Faulty f;
    prepare(&f, (Side)(_i % SIDE_COUNT), FAULTS[_i / SIDE_COUNT]);
    f.run->config.engines[f.side].margin_ms = MARGIN_MS;
    f.run->config.engines[f.side].time_control =
        (TimeControl){.kind = TC_MOVETIME, .movetime_ms = 100};
    play_faulty(&f, FAULTY, " loses on time (", FAULT_TIME_LOSS);
    /* Past zero, not past the margin. */
    int overrun = atoi(strchr(f.run->pairs[FAULTY / 2].reasons[FAULTY % 2], '(') + 1);
    ck_assert_int_gt(overrun, MARGIN_MS);
    clean_up(&f);
}
END_TEST

/* How late an answer may be, and how long the match is held up. */
enum { WIDE_MARGIN_MS = 2000, DEAF_MS = 5000 };

/* The match is held up by work, which excuses nothing, and hears the late answer before it sees
 * that the time is over: an illegal move counts before the clock, a missing one behind it. */
START_TEST(a_late_answer_that_is_heard_is_judged_by_what_it_says) {
    static const struct {
        const char *fault, *reason;
        Fault kind;
    } CASES[] = {{"late=2600", " loses on time (", FAULT_TIME_LOSS},
                 {"late-missing", " loses on time (", FAULT_TIME_LOSS},
                 {"late-illegal", " makes an illegal move: e2e5", FAULT_ILLEGAL}};
    Faulty f;
    prepare(&f, (Side)(_i % SIDE_COUNT), CASES[_i / SIDE_COUNT].fault);
    f.run->config.engines[f.side].margin_ms = WIDE_MARGIN_MS;
    f.run->config.engines[f.side].time_control =
        (TimeControl){.kind = TC_MOVETIME, .movetime_ms = 100};
    f.run->deaf_file = f.once;
    f.run->deaf_ms = DEAF_MS;
    play_faulty(&f, FAULTY, CASES[_i / SIDE_COUNT].reason, CASES[_i / SIDE_COUNT].kind);
    clean_up(&f);
}
END_TEST

/* The same, but of this time it is said that this process was stopped: by Ctrl-Z, for an hour. */
START_TEST(a_move_is_not_late_by_time_that_does_not_count) {
    Faulty f;
    prepare(&f, (Side)_i, "late=2600");
    f.run->config.engines[f.side].margin_ms = WIDE_MARGIN_MS;
    f.run->config.engines[f.side].time_control =
        (TimeControl){.kind = TC_MOVETIME, .movetime_ms = 100};
    f.run->deaf_file = f.once;
    f.run->deaf_ms = DEAF_MS;
    f.run->excuse_ns = (uint64_t)3600 * 1000000000;
    play_forgiven(&f);
    clean_up(&f);
}
END_TEST

START_TEST(a_promotion_in_capitals_is_no_move) {
    for (int side = 0; side < SIDE_COUNT; side++) {
        Faulty f;
        prepare(&f, (Side)side, "capitals");
        run_set_book(f.run, "8/P6k/8/8/8/8/p6K/8 b - - 0 1\n");
        run_play(f.run);
        ck_assert(file_exists(f.once));
        run_expect_complete(f.run);
        expect_lost(&f, FAULTY,
                    side == SIDE_DEV ? " makes an illegal move: a7a8Q"
                                     : " makes an illegal move: a2a1Q",
                    FAULT_ILLEGAL);
        ck_assert_int_eq(processes(&f), 2);
        clean_up(&f);
    }
}
END_TEST

START_TEST(an_illegal_move_is_told_in_whole_characters_of_utf8) {
    Faulty f;
    prepare(&f, (Side)_i, "odd-bytes");
    run_play(f.run);
    const char *told = strchr(f.run->pairs[FAULTY / 2].reasons[FAULTY % 2], ' ');
    ck_assert_str_eq(told, " makes an illegal move: "
                           "g\xEF\xBF\xBDx\303\251\303\251\303\251\303\251\303\251");
    clean_up(&f);
}
END_TEST

/* ---- Oddities that lose nothing ---- */

START_TEST(what_answers_nothing_is_passed_over) {
    static const char *const ODDITIES[] = {"garbage",     "stderr", "stderr-endless",
                                           "long-answer", "twice",  "twice-later"};
    Faulty f;
    prepare(&f, (Side)(_i % SIDE_COUNT), ODDITIES[_i / SIDE_COUNT]);
    run_play(f.run);
    ck_assert(file_exists(f.once));
    expect_others_untouched(f.run, -1);
    ck_assert_str_eq(f.run->log_text, "");
    ck_assert(!file_exists(f.folder));
    ck_assert_int_eq(processes(&f), 1);
    clean_up(&f);
}
END_TEST

/* The ways of the world's engines: only that there is no Hash is worth a word. */
START_TEST(other_engines_habits_are_understood) {
    static const MatchOption OPTIONS[] = {{.name = "Hash", .value = "16"},
                                          {.name = "threads", .value = "2"},
                                          {.name = "style OF play", .value = "Shy"},
                                          {.name = "Book File", .value = ""}};
    Run *run = run_new();
    Side side = (Side)_i;
    char log[NAME_SIZE];
    char arguments[ARGUMENTS_SIZE];
    temporary_name(log);
    snprintf(arguments, sizeof arguments, "habits log=%s", log);
    run->config.pairs = PAIRS;
    run->config.engines[side].options = OPTIONS;
    run->config.engines[side].option_count = sizeof OPTIONS / sizeof *OPTIONS;
    run_set_engine(run, side, arguments);
    run_play(run);
    expect_others_untouched(run, -1);
    ck_assert_int_eq(count_of(run->log_text, "\n"), 1);
    ck_assert_ptr_nonnull(strstr(run->log_text, "Hash: the engine has no such option"));
    ck_assert_ptr_nonnull(strstr(text_string(&run->pgn), "line=\xEF\xBF\xBD"
                                                         "caf\303\251"));
    char *told = read_and_remove(log);
    ck_assert_ptr_nonnull(strstr(told, "setoption name Threads value 2\n"));
    ck_assert_ptr_nonnull(strstr(told, "setoption name Style of play value Shy\n"));
    ck_assert_ptr_nonnull(strstr(told, "setoption name Book File value \n"));
    free(told);
    run_free(run);
}
END_TEST

START_TEST(how_an_engine_quits_is_its_own_affair) {
    static const char *const WAYS[] = {"ignore-quit", "crash-at-quit"};
    Run *run = run_new();
    run->config.pairs = PAIRS;
    run->config.concurrency = 3;
    for (int side = 0; side < SIDE_COUNT; side++)
        run_set_engine(run, (Side)side, WAYS[_i]);
    run_play(run);
    expect_others_untouched(run, -1);
    ck_assert_str_eq(run->log_text, "");
    run_free(run);
}
END_TEST

START_TEST(an_engine_that_loads_slowly_is_waited_for) {
    static const char *const WAYS[] = {"start=slow=700", "start=slow-ready=700"};
    Run *run = run_new();
    run->config.pairs = PAIRS;
    for (int side = 0; side < SIDE_COUNT; side++)
        run_set_engine(run, (Side)side, WAYS[_i]);
    run_play(run);
    expect_others_untouched(run, -1);
    run_free(run);
}
END_TEST

START_TEST(eight_seconds_to_load_are_within_the_deadlines) {
    MatchDeadlines d = player_deadlines(&(MatchDeadlines){0});
    ck_assert_int_eq(d.uciok, 10000);
    ck_assert_int_eq(d.readyok, 60000);
    ck_assert_int_eq(d.nodes, 60000);
    ck_assert_int_eq(d.depth, 600000);
}
END_TEST

/* ---- Starts ---- */

START_TEST(an_engine_that_does_not_start_ends_the_match_and_scores_nothing) {
    static const struct {
        const char *start, *cause;
        bool by_silence;
    } CASES[] = {
        {"start=exit", "exited with status 5; it said: cannot open the network file", false},
        {"start=no-uciok", " s: is it a UCI engine?", true},
        {"start=no-readyok", "no readyok within", true},
    };
    Side side = (Side)(_i % SIDE_COUNT);
    Run *run = run_new();
    char folder[NAME_SIZE];
    char command[NAME_SIZE + 16];
    temporary_name(folder);
    FaultFiles transcripts = {.folder = folder};
    run->config.transcripts = &transcripts;
    run->config.concurrency = 3;
    if (CASES[_i / SIDE_COUNT].by_silence)
        run->config.deadlines.uciok = run->config.deadlines.readyok = SHORT_MS;
    run_set_engine(run, side, CASES[_i / SIDE_COUNT].start);
    run_play(run);
    ck_assert(run->failed);
    ck_assert_int_eq(run->game_count, 0);
    ck_assert_msg(text_starts_with(run->error.text, side_name(side)), "%s", run->error.text);
    ck_assert_msg(strstr(run->error.text, CASES[_i / SIDE_COUNT].cause) != NULL, "%s",
                  run->error.text);
    ck_assert_ptr_nonnull(strstr(run->error.text, "; transcript: "));
    ck_assert_ptr_null(strchr(run->failure.text, '/'));
    ck_assert_msg(text_starts_with(run->failure.text, side_name(side)), "%s", run->failure.text);
    ck_assert(run->failure_transcript);
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
    run_free(run);
}
END_TEST

/* Something killed it, and its successor did not start at first: it is tried again. */
START_TEST(a_start_that_fails_later_is_tried_again) {
    char arguments[ARGUMENTS_SIZE];
    char once[NAME_SIZE];
    Side side = (Side)_i;
    temporary_name(once);
    snprintf(arguments, sizeof arguments, "fault=die game=%d once=%s start=exit start-if=%s",
             FAULTY + 1, once, once);
    Run *run = run_new();
    run->config.pairs = PAIRS - 1;
    run_set_engine(run, side, arguments);
    run_play(run);
    run_expect_complete(run);
    for (int i = 0; i < 2 * run->config.pairs; i++) {
        ck_assert_int_eq(ending_fault(game_of(run, i)->ending),
                         i == FAULTY ? FAULT_CRASH : FAULT_NONE);
        if (i != FAULTY)
            ck_assert_str_eq(run->pairs[i / 2].moves[i % 2], control->pairs[i / 2].moves[i % 2]);
    }
    ck_assert_int_eq(count_of(run->log_text, "starting the engine again"), 1);
    run_free(run);
}
END_TEST

START_TEST(an_engine_that_never_starts_again_ends_the_match) {
    char arguments[ARGUMENTS_SIZE];
    char dead[NAME_SIZE];
    Side side = (Side)_i;
    temporary_name(dead);
    snprintf(arguments, sizeof arguments, "fault=die once=%s start=exit start-while=%s", dead,
             dead);
    Run *run = run_new();
    run_set_engine(run, side, arguments);
    run_play(run);
    ck_assert(run->failed);
    ck_assert_int_eq(run->game_count, 1);
    ck_assert_msg(text_starts_with(run->error.text, side_name(side)), "%s", run->error.text);
    ck_assert_int_eq(count_of(run->log_text, "starting the engine again"),
                     MATCH_FAULTS_IN_A_ROW - 1);
    remove(dead);
    run_free(run);
}
END_TEST

/* dev's program, which has another name for a while from the second game on. */
static struct {
    char path[NAME_SIZE];
    char away[NAME_SIZE + 8];
    bool returns;
    void (*on_game)(const FinishedGame *game, void *user);
} program;

static void bring_back(uv_timer_t *timer) {
    Run *run = timer->data;
    fflush(run->log_file);
    if (count_of(run->log_text, "trying again in a second") == 0)
        return;
    ck_assert_int_eq(rename(program.away, program.path), 0);
    uv_close((uv_handle_t *)timer, NULL);
}

static void take_away(const FinishedGame *game, void *user) {
    enum { LOOK_MS = 10 };
    Run *run = user;
    program.on_game(game, user);
    if (run->game_count != 2)
        return;
    ck_assert_int_eq(rename(program.path, program.away), 0);
    if (program.returns)
        uv_timer_start(&run->hold_timer, bring_back, LOOK_MS, LOOK_MS);
}

/* This machine cannot start a process for a moment, or no more at all. */
START_TEST(a_process_that_cannot_be_started_is_tried_again) {
    Run *run = run_new();
    MatchEngine *engine = &run->config.engines[SIDE_DEV];
    temporary_name(program.path);
    snprintf(program.away, sizeof program.away, "%s.away", program.path);
    char *target = realpath(engine->argv[0], NULL);
    ck_assert_ptr_nonnull(target);
    ck_assert_int_eq(symlink(target, program.path), 0);
    free(target);
    const char *const argv[] = {program.path, engine->argv[1], NULL};
    engine->argv = argv;
    program.returns = _i == 0;
    program.on_game = run->callbacks.on_game;
    run->callbacks.on_game = take_away;
    run->config.restart = true;
    if (program.returns)
        run->hold_after_games = PAIRS_MAX * 2 + 1; /* Never: bring_back needs the timer. */
    run_play(run);
    int tries = count_of(run->log_text, "; trying again in a second");
    if (program.returns) {
        run_expect_complete(run);
        ck_assert_int_eq(tries, 1);
    } else {
        ck_assert(run->failed);
        ck_assert_int_eq(run->game_count, 2);
        ck_assert_int_eq(tries, MATCH_FAULTS_IN_A_ROW - 1);
        ck_assert_msg(strstr(run->error.text, "no such file") != NULL, "%s", run->error.text);
    }
    remove(program.returns ? program.path : program.away);
    run_free(run);
}
END_TEST

/* Six processes of dev, each with a number of its own, start and end together. All are started
 * again, and the match goes on. */
START_TEST(starts_that_fail_in_one_moment_are_one_event) {
    enum { AT_ONCE = 8, FAILING = 6, PATIENCE_MS = 600000 };
    static const char NUMBERED[] =
        "n=1; while [ -e \"$0/$n\" ] || ! mkdir \"$0/$n\" 2>/dev/null; do n=$((n + 1)); done; "
        "[ $n -gt 8 ] && [ $n -le 14 ] || exec \"$@\"; "
        "while [ ! -e \"$0/14\" ]; do sleep 0.1; done; exit 5";
    char folder[NAME_SIZE];
    char command[NAME_SIZE + 16];
    temporary_name(folder);
    snprintf(command, sizeof command, "mkdir %s", folder);
    ck_assert_int_eq(system(command), 0);
    Run *run = run_new();
    run->config.pairs = AT_ONCE;
    run->config.concurrency = AT_ONCE;
    run->config.restart = true;
    run->config.deadlines.uciok = PATIENCE_MS;
    MatchEngine *engine = &run->config.engines[SIDE_DEV];
    const char *const argv[] = {"/bin/sh",       "-c", NUMBERED, folder, engine->argv[0],
                                engine->argv[1], NULL};
    engine->argv = argv;
    run_play(run);
    run_expect_complete(run);
    ck_assert_int_eq(count_of(run->log_text, "it ended before it was ready"), FAILING);
    ck_assert_int_eq(count_of(run->log_text, "starting the engine again"), FAILING);
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
    run_free(run);
}
END_TEST

/* An engine that writes when its start begins, and when that is nearly over. */
START_TEST(few_engines_start_at_a_time) {
    enum { AT_A_TIME = 8, GAMES_AT_ONCE = 12 };
    static const char SLOW[] = "echo + >>\"$0\"; sleep 0.2; echo - >>\"$0\"; exec \"$@\"";
    char started[NAME_SIZE];
    const char *argv[SIDE_COUNT][8];
    Run *run = run_new();
    temporary_name(started);
    run->config.pairs = GAMES_AT_ONCE / 2;
    run->config.concurrency = GAMES_AT_ONCE;
    for (int side = 0; side < SIDE_COUNT; side++) {
        MatchEngine *engine = &run->config.engines[side];
        const char *const words[] = {"/bin/sh",       "-c", SLOW, started, engine->argv[0],
                                     engine->argv[1], NULL};
        memcpy(argv[side], words, sizeof words);
        engine->argv = argv[side];
    }
    run_play(run);
    run_expect_complete(run);
    char *text = read_and_remove(started);
    ck_assert_int_ge(count_of(text, "+"), 2);
    int now = 0;
    for (const char *at = text; *at; at++) {
        now += (*at == '+') - (*at == '-');
        ck_assert_int_le(now, AT_A_TIME);
    }
    free(text);
    run_free(run);
}
END_TEST

START_TEST(a_program_that_is_none_is_refused_at_once) {
    static const char *const ARGV[] = {"/no/such/engine", NULL};
    uv_loop_t loop;
    Error err = {0};
    Run *run = run_new();
    run->config.engines[SIDE_DEV].argv = ARGV;
    uv_loop_init(&loop);
    ck_assert_ptr_null(match_start(&loop, &run->config, &run->callbacks, run, &err));
    ck_assert_str_eq(err.text, "dev: /no/such/engine: no such file");
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    run_free(run);
}
END_TEST

/* ---- Faults in a row ---- */

START_TEST(an_engine_that_fails_every_game_ends_the_match) {
    static const struct {
        const char *fault, *reason;
    } CASES[] = {{"illegal", "makes an illegal move: e2e5"}, {"die-after at=3", "disconnects"}};
    Run *run = run_new();
    char arguments[ARGUMENTS_SIZE];
    snprintf(arguments, sizeof arguments, "fault=%s", CASES[_i].fault);
    run_set_engine(run, SIDE_BASE, arguments);
    run_play(run);
    if (_i == 1) {
        /* It plays one game and is gone for the next: never three games running. */
        run_expect_complete(run);
        for (int i = 0; i < 2 * run->config.pairs; i++)
            ck_assert_int_eq(ending_fault(game_of(run, i)->ending),
                             i % 2 == 1 ? FAULT_CRASH : FAULT_NONE);
    } else {
        ck_assert(run->failed);
        ck_assert_int_eq(run->game_count, MATCH_FAULTS_IN_A_ROW);
        ck_assert_ptr_nonnull(strstr(
            run->error.text, "failed in 3 games without a sound game between; the last fault: "));
        ck_assert_ptr_nonnull(strstr(run->error.text, CASES[_i].reason));
        ck_assert_ptr_eq(strstr(run->error.text, "base ("), run->error.text);
        ck_assert_ptr_null(strchr(run->failure.text, '/'));
        ck_assert(!run->failure_transcript);
    }
    run_free(run);
}
END_TEST

/* White makes the first move, and so the first fault: the sides lose in turn. */
START_TEST(two_engines_that_fail_every_game_end_the_match) {
    Run *run = run_new();
    run->config.pairs = PAIRS_MAX;
    run_set_engine(run, SIDE_DEV, "fault=die");
    run_set_engine(run, SIDE_BASE, "fault=die");
    run_play(run);
    ck_assert(run->failed);
    ck_assert_int_eq(run->game_count, 2 * MATCH_FAULTS_IN_A_ROW - 1);
    ck_assert_ptr_nonnull(
        strstr(run->error.text, "failed in 3 games without a sound game between"));
    run_free(run);
}
END_TEST

/* All the games of one moment are lost at once, as when the machine stood still: the match goes on,
 * and ends when it happens to the next games too. */
START_TEST(faults_of_one_moment_are_one_event) {
    enum { AT_ONCE = 8 };
    Run *run = run_new();
    run->config.pairs = PAIRS_MAX;
    run->config.concurrency = AT_ONCE;
    run_set_engine(run, SIDE_DEV, _i == 0 ? "fault=die game=2" : "fault=die");
    run_play(run);
    if (_i == 0) {
        run_expect_complete(run);
        ck_assert_int_gt(count_of(run->log_text, " disconnects"), MATCH_FAULTS_IN_A_ROW);
    } else {
        ck_assert(run->failed);
        ck_assert_int_gt(run->game_count, MATCH_FAULTS_IN_A_ROW);
        ck_assert_int_le(run->game_count, MATCH_FAULTS_IN_A_ROW * AT_ONCE);
    }
    run_free(run);
}
END_TEST

static int sides(size_t cases) {
    return (int)cases * SIDE_COUNT;
}

static void add_tests(TCase *tests) {
    tcase_add_unchecked_fixture(tests, play_control, free_control);
    tcase_add_loop_test(tests, a_fault_loses_one_game_and_the_match_goes_on, 0,
                        sides(sizeof FAULT_CASES / sizeof *FAULT_CASES));
    tcase_add_loop_test(tests, silence_without_a_clock_is_a_stall, 0, sides(5));
    tcase_add_loop_test(tests, an_engine_of_few_nodes_a_second_is_waited_for, 0, SIDE_COUNT);
    tcase_add_loop_test(tests, with_a_clock_lateness_and_silence_are_losses_on_time, 0, sides(5));
    tcase_add_loop_test(tests, a_late_answer_that_is_heard_is_judged_by_what_it_says, 0, sides(3));
    tcase_add_loop_test(tests, a_move_is_not_late_by_time_that_does_not_count, 0, SIDE_COUNT);
    tcase_add_test(tests, a_promotion_in_capitals_is_no_move);
    tcase_add_loop_test(tests, an_illegal_move_is_told_in_whole_characters_of_utf8, 0, SIDE_COUNT);
    tcase_add_loop_test(tests, what_answers_nothing_is_passed_over, 0, sides(6));
    tcase_add_loop_test(tests, other_engines_habits_are_understood, 0, SIDE_COUNT);
    tcase_add_loop_test(tests, how_an_engine_quits_is_its_own_affair, 0, 2);
    tcase_add_loop_test(tests, an_engine_that_loads_slowly_is_waited_for, 0, 2);
    tcase_add_test(tests, eight_seconds_to_load_are_within_the_deadlines);
    tcase_add_loop_test(tests, an_engine_that_does_not_start_ends_the_match_and_scores_nothing, 0,
                        sides(3));
    tcase_add_loop_test(tests, a_start_that_fails_later_is_tried_again, 0, SIDE_COUNT);
    tcase_add_loop_test(tests, an_engine_that_never_starts_again_ends_the_match, 0, SIDE_COUNT);
    tcase_add_loop_test(tests, a_process_that_cannot_be_started_is_tried_again, 0, 2);
    tcase_add_test(tests, starts_that_fail_in_one_moment_are_one_event);
    tcase_add_test(tests, few_engines_start_at_a_time);
    tcase_add_test(tests, a_program_that_is_none_is_refused_at_once);
    tcase_add_loop_test(tests, an_engine_that_fails_every_game_ends_the_match, 0, 2);
    tcase_add_test(tests, two_engines_that_fail_every_game_end_the_match);
    tcase_add_loop_test(tests, faults_of_one_moment_are_one_event, 0, 2);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("faults", add_tests);
}
