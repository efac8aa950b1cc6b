/* SPDX-License-Identifier: MIT */
/* The match: pairs of games between two engines, any number at a time, on the caller's event loop.
 * A match knows no server, no statistics and no files of results: finished pairs go to a callback.
 * The rules of play are those of OpenBench's stock match runner, so that games are comparable. */
#ifndef MATCH_MATCH_H
#define MATCH_MATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/contention.h"
#include "base/error.h"
#include "base/log.h"
#include "match/adjudication.h"
#include "match/book.h"
#include "match/faultfiles.h"
#include "match/engine.h"
#include "match/pgn.h"
#include "results/pair.h"

typedef struct Match Match;

enum {
    MATCH_MARGIN_MS = 250, /* OpenBench's allowance for late moves. */
    /* A match ends after so many games that one side lost by faults (lateness too), with no game
     * between that ended without a fault. It also ends after so many failed starts in a row of an
     * engine that has started before, or so many tries in a row to start its process. A game that
     * was already in play, or a process that had been started, when the previous fault was counted
     * does not count: a disturbance of the whole machine meets all games of that moment. */
    MATCH_FAULTS_IN_A_ROW = 3
};

/* A finished game. Valid during a callback. */
typedef struct {
    int64_t pair;
    int number; /* The place in the pair: 0 or 1. */
    const GameResult *result;
    /* Moves, scores, headers and ending, for pgn_write. `round` is pair + 1. */
    const PgnGame *record;
    /* CPU time that both engines wanted and got, measured when one of them has a clock. */
    CpuUse cpu;
    /* The latest lines of the dialogue with the engine that failed (match/transcript.h); "" after a
     * game without a fault. */
    const char *transcript;
} FinishedGame;

/* The callbacks of a match; each may be NULL. A callback may call match_stop and
 * match_set_concurrency, and on_end may call match_free. */
typedef struct {
    /* A whole pair, as soon as its second game is over. Pairs come in the order of finishing, which
     * with several games at a time is not the order of their indices; each index comes at most
     * once. The match frees the pair after the call; pair_move keeps its content. */
    void (*on_pair)(PairResult *pair, void *user);
    /* A single game, as soon as the game is over and before its pair: for progress and fault
     * reports. */
    void (*on_game)(const FinishedGame *game, void *user);
    /* The number of games in play has fallen, and no new game will begin: CPUs and memory of the
     * others are free. Called whenever the number falls. */
    void (*on_fewer)(void *user);
    /* Called once, when every engine's process has ended and is reaped. err: an engine could not be
     * used, and why. NULL: every pair was played, or match_stop was called. */
    void (*on_end)(const Error *err, void *user);
    /* This process stood still for so many nanoseconds (base/freeze.h). The match has excused the
     * time as match_excuse does. */
    void (*on_frozen)(uint64_t ns, void *user);
    /* The options to set before this pair's games besides the engine's own (SPSA). *options must
     * stay valid until the pair is over. Returns their number. The names must be the same for every
     * pair. */
    int (*pair_options)(int64_t pair, Side side, const MatchOption **options, void *user);
} MatchCallbacks;

/* The PGN text that comes with each game's result. */
typedef struct {
    bool kept;
    PgnStyle style;
    PgnNotation notation;
    bool hashfull; /* With PGN_FULL comments also tell how full the hash table was. */
    bool pv;       /* With PGN_FULL comments also have the principal variation. */
    /* The factor by which the clocks were scaled, for a header; 0: left out. */
    double scale_factor;
} MatchPgn;

/* The configuration of a match. The targets of the pointers must outlive the match; the match
 * copies the struct. */
typedef struct {
    MatchEngine engines[SIDE_COUNT];
    /* The openings, already in playing order. Pair p plays opening first_opening + p (modulo their
     * number), twice, the first game with dev as White. */
    const Book *book;
    int64_t first_opening; /* From 0. */
    int64_t pairs;         /* 0: until match_stop. */
    /* The pairs below `pairs` that were played before and are left out, rising. */
    const int64_t *played;
    size_t played_count;
    /* Each opening is played once (DATAGEN): game g plays opening first_opening + g, dev is White
     * in even games, and games 2p and 2p + 1 are pair p. */
    bool no_reverses;
    bool chess960;
    bool restart;    /* Each game has processes of its own. */
    int concurrency; /* Games at a time, at least 1. */
    Adjudication adjudication;
    MatchDeadlines deadlines;
    /* The CPUs of the games, in cpu_sets sets of cpus_each: slot s runs its engines on set number
     * s % cpu_sets. cpu_sets 0: on any CPUs. */
    const int *cpus;
    int cpus_each;
    int cpu_sets;
    const char *event; /* PGN headers; NULL: "?". */
    const char *site;
    MatchPgn pgn;
    bool keeps_moves; /* Each game's result has its moves. */
    Log *log;         /* Warnings about engines; may be NULL. */
    /* The folder for the transcript of an engine that has failed; the log names the file. NULL: no
     * transcripts are kept. */
    const FaultFiles *transcripts;
} MatchConfig;

/* The number of games at a time whose engines fit into so many bytes of memory (0: not known): at
 * most the match's concurrency, and at least one, because one may still fit. When the memory is too
 * small, appends the need: "64 games at a time need about 9216 MB of memory for their engines, and
 * 4000 MB are available". Pure. */
int match_fit_memory(const MatchConfig *config, uint64_t bytes, Text *want);

/* Starts a match on `loop`. While neither side has a clock, the calling thread is scheduled in
 * batches (cpus_set_prompt), which leaves more CPU time to the engines. NULL with err set when the
 * configuration is wrong or an engine is no program; later failures come through on_end. No
 * callback comes before the loop runs. */
Match *match_start(uv_loop_t *loop, const MatchConfig *config, const MatchCallbacks *callbacks,
                   void *user, Error *err);

typedef enum {
    /* Start no new game. The games in play are finished, but a pair's first game whose second has
     * not begun is stopped. */
    MATCH_FINISH_GAMES,
    MATCH_NOW /* Stop the games in play; half a pair is dropped. */
} MatchStop;

/* Ends the match early; on_end follows. A stronger wish may follow a weaker one. */
void match_stop(Match *match, MatchStop how);

/* match_in_play: the games in play or about to begin. match_has_more: whether more games are to
 * begin after them; true also while a failed match is being ended, whose slots become free with
 * on_end. */
int match_in_play(const Match *match);
bool match_has_more(const Match *match);

/* Changes the number of games at a time; with fewer, no game begins before so many games in
 * play have ended that there is room for it. */
void match_set_concurrency(Match *match, int concurrency);

/* Time in which this process was stopped counts for no engine, and not as the match's time
 * (PairResult.at_ms). ns: so long. Call it as soon as the process goes on. A pause that the match
 * notices by itself (MatchCallbacks.on_frozen) is not counted twice. */
void match_excuse(Match *match, uint64_t ns);

/* While a match is held no game begins; games in play go on, and the match does not end. */
void match_hold(Match *match, bool held);

/* Games of pair `pairs` and later pairs do not begin until the limit is raised; games of earlier
 * pairs go on. The match does not end meanwhile. 0, as at the start: no limit. */
void match_limit(Match *match, int64_t pairs);

/* Whether the match failed because an engine refused one of its options, or lacks UCI_Chess960. For
 * on_end. */
bool match_option_refused(const Match *match);

/* Whether one of its options was refused because the engine does not have it. For on_end. */
bool match_option_missing(const Match *match);

/* Whether the match failed because this machine could not start a process, or the program is
 * another one now, which says nothing about the engine. For on_end. */
bool match_unstarted(const Match *match);

/* The fault of an engine that lost too many games by faults; FAULT_NONE after another failure. For
 * on_end. */
Fault match_fault(const Match *match);

/* The error of on_end for people elsewhere: without the program's path and the transcript's, where
 * an engine is at fault. For on_end. */
const char *match_failure(const Match *match);

/* The latest lines of the dialogue with an engine that could not be started (match/transcript.h);
 * "" after another failure. For on_end. */
const char *match_failure_transcript(const Match *match);

/* Frees the match: after on_end, or earlier, when all engines are killed and no more callbacks
 * come. The caller must still run the loop until the children are reaped. */
void match_free(Match *match);

#endif
