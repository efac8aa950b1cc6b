/* SPDX-License-Identifier: MIT */
/* The match: pairs of games between two engines, any number at a time, on the caller's event loop.
 * It knows no server, no statistics and no results' files: finished pairs go to a callback.
 * The rules it plays by are those of OpenBench's stock match runner, so that games are comparable.
 */
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
#include "match/timecontrol.h"
#include "results/pair.h"

typedef struct Match Match;

enum {
    MATCH_MARGIN_MS = 250, /* OpenBench's allowance for late moves. */
    /* So many games running lost by faults of one side (lateness too) end the match; so do as many
     * starts running of an engine that has started before. A game that was in play already when the
     * fault before it was told does not count: what disturbs the whole machine for a moment meets
     * all the games of that moment. */
    MATCH_FAULTS_IN_A_ROW = 3
};

/* A game that is over, as long as a callback runs. */
typedef struct {
    int64_t pair;
    int number; /* Of the pair's two games: 0, 1. */
    const GameResult *result;
    /* Moves, scores, headers and ending, ready for pgn_write. `round` is pair + 1. */
    const PgnGame *record;
    CpuUse cpu; /* Of both engines, when one of them has a clock: how far they were kept waiting. */
} FinishedGame;

typedef enum {
    MATCH_END_COMPLETE, /* Every pair was played. */
    MATCH_END_STOPPED,  /* match_stop. */
    MATCH_END_FAILED    /* An engine could not be used: see the error. */
} MatchEnd;

/* What the caller learns; each may be NULL. From within them match_stop, match_set_concurrency and
 * (in on_end) match_free may be called. */
typedef struct {
    /* A whole pair, as soon as its second game is over. Pairs come in the order of finishing, which
     * with several games at a time is not that of their indices; each index comes at most once. The
     * match frees the pair after the call; pair_move keeps what is in it. */
    void (*on_pair)(PairResult *pair, void *user);
    /* A single game, as soon as it is over and before its pair: for progress and fault reports. */
    void (*on_game)(const FinishedGame *game, void *user);
    /* So many games are in play now, fewer than at a time before, and no new one will begin: what
     * is free may be used for something else. Comes again whenever the number falls, lastly with 0.
     */
    void (*on_fewer)(int in_play, void *user);
    /* Once: nothing runs any more; every engine has been asked to quit or killed, and is reaped. */
    void (*on_end)(MatchEnd end, const Error *err, void *user);
    /* Options to set before this pair's games besides the engine's own (SPSA): *options stays valid
     * until the pair is over. Returns their number. The same names must come for every pair. */
    int (*pair_options)(int64_t pair, Side side, const MatchOption **options, void *user);
} MatchCallbacks;

/* The PGN text that comes with each game's result. */
typedef struct {
    bool kept;
    PgnStyle style;
    double scale_factor; /* Of the clocks, a header; 0: left out. */
} MatchPgn;

/* A match. What the pointers lead to must outlive it; the struct itself is copied. */
typedef struct {
    MatchEngine engines[SIDE_COUNT];
    /* The openings, already in playing order. Pair p plays opening first_opening + p (modulo their
     * number), twice, the first game with dev as White. */
    const Book *book;
    int64_t first_opening; /* From 0. */
    int64_t pairs;         /* 0: until match_stop. */
    /* Pairs below `pairs` that are left out, rising: they were played before. */
    const int64_t *played;
    size_t played_count;
    /* Each opening once (DATAGEN): game g plays opening first_opening + g, dev is White in even
     * ones, and games 2p and 2p + 1 are pair p. */
    bool no_reverses;
    bool chess960;
    bool restart;      /* Each game is played by processes of its own. */
    int concurrency;   /* Games at a time, at least 1. */
    int64_t margin_ms; /* A move is late when it leaves less than −margin on the clock. */
    Adjudication adjudication;
    MatchDeadlines deadlines;
    /* CPUs for each game at a time: slot s runs its engines on cpus[s % cpu_sets]; 0: anywhere. */
    const int *const *cpus;
    const int *cpu_counts;
    int cpu_sets;
    int nice;
    const char *event; /* PGN headers; NULL: "?". */
    const char *site;
    MatchPgn pgn;
    bool hashfull; /* The moves' comments also say how full the hash table was. */
    Log *log;      /* Warnings about engines; may be NULL. */
    /* Where the transcript of an engine goes that has failed; the log names the file. NULL: none is
     * kept. */
    const FaultFiles *transcripts;
} MatchConfig;

/* How many of its games at a time have room for their engines in so many bytes (0: nobody knows):
 * at most its concurrency, and at least one, for that may yet do. When there is not enough it
 * appends what is wanted and what there is: "64 games at a time need about 9216 MB of memory for
 * their engines, here are 4000 MB". Pure. */
int match_fit_memory(const MatchConfig *config, uint64_t bytes, Text *want);

/* Starts a match on `loop`. While neither side has a clock, the calling thread is scheduled in
 * batches (cpus_set_prompt), which costs the engines less. NULL with err set when something is
 * wrong with the configuration or an engine is no program; later failures come through on_end. No
 * callback comes before the loop runs.
 */
Match *match_start(uv_loop_t *loop, const MatchConfig *config, const MatchCallbacks *callbacks,
                   void *user, Error *err);

typedef enum {
    MATCH_FINISH_GAMES, /* Start no new game; the games in play are finished. */
    MATCH_NOW           /* Stop the games in play; half a pair is dropped. */
} MatchStop;

/* Ends the match early; on_end follows. A stronger wish may follow a weaker one. */
void match_stop(Match *match, MatchStop how);

/* Games that are in play, or about to begin; and whether others are to begin after them (also while
 * a match that has failed is being ended: its places are free with on_end). */
int match_in_play(const Match *match);
bool match_has_more(const Match *match);

/* Changes the number of games at a time; with fewer, games in play are finished first. */
void match_set_concurrency(Match *match, int concurrency);

/* While a match is held no game begins; those in play go on, and it does not end. */
void match_hold(Match *match, bool held);

/* Games of pairs from this number on do not begin until the limit is raised; those below go on. The
 * match does not end meanwhile. 0, as at the start: there is no limit. */
void match_limit(Match *match, int64_t pairs);

/* Has the match failed because an engine does not take one of its options? For on_end. */
bool match_option_refused(const Match *match);

/* Gives it back: after on_end, or earlier, when all engines are killed and no callback comes any
 * more. The caller must still run the loop until what is left of the children is reaped. */
void match_free(Match *match);

#endif
