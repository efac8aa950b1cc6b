/* SPDX-License-Identifier: MIT */
/* One process of an engine, and the dialogue with it: started, set up, told of new games, asked for
 * moves. What it says is believed only where it answers what was asked. */
#ifndef MATCH_PLAYER_H
#define MATCH_PLAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/contention.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "match/engine.h"
#include "match/uci.h"

/* What all processes of one engine have in common. Begins as zero but for the first five
 * and, if wanted, changed and user. */
typedef struct {
    const MatchEngine *engine;
    MatchDeadlines deadlines; /* None of them 0. */
    bool chess960;
    Log *log;
    int threads; /* With which the engine thinks. */
    /* Learnt from the first process that said `uciok`. */
    char id[UCI_NAME_MAX];
    bool known;
    bool was_ready;    /* A process has said `readyok`: it is a UCI engine. */
    bool refused;      /* It does not take an option that it must not be used without. */
    int failed_starts; /* Processes running that failed before their first. */
    UciOption *options;
    size_t option_count;
    size_t option_capacity;
    Words warned; /* What was warned about. */
    /* Processes not reaped yet, those among them that have not said `uciok`, and who is told (from
     * uv_run or not) when one of these numbers falls. */
    int processes;
    int starting;
    void (*changed)(void *user);
    void *user;
} PlayerProfile;

/* Writes the defaults where a deadline is 0. */
MatchDeadlines player_deadlines(const MatchDeadlines *wanted);

void player_profile_free(PlayerProfile *profile);

typedef struct Player Player;

/* What goes wrong with an engine. */
typedef enum {
    PLAYER_UNUSABLE, /* Before its first `readyok`: it did not start, or is no UCI engine. */
    PLAYER_GONE,     /* The process ended. */
    PLAYER_STALLED,  /* No `readyok` in time. */
    PLAYER_SILENT    /* No `bestmove` in time. */
} PlayerFault;

/* An answer to player_go. Valid during the callback. */
typedef struct {
    const char *text; /* The word after `bestmove`, "" when there is none. */
    uint64_t elapsed_ns;
    UciInfo info;        /* kind is UCI_NO_SCORE when it gave no score. */
    int64_t nodes;       /* The latest count of the search, −1: none was given. */
    const char *comment; /* The last `info string pgncomment`, or NULL. */
} PlayerMove;

/* Exactly one of these answers each player_new_game and player_go. The player may be freed from
 * within. They come from uv_run, never from within the calls below. */
typedef struct {
    void (*ready)(Player *player, void *user);
    void (*moved)(Player *player, const PlayerMove *move, void *user);
    /* It is of no use any more. elapsed_ns: since `go`, for PLAYER_SILENT. why: a sentence for
     * people. */
    void (*failed)(Player *player, PlayerFault fault, uint64_t elapsed_ns, const char *why,
                   void *user);
} PlayerEvents;

/* Starts a process. cpus: where it may run (cpu_count 0: anywhere). NULL with err set when the
 * program cannot be started. profile must outlive it; it is given back with player_free. */
Player *player_start(uv_loop_t *loop, PlayerProfile *profile, const int *cpus, int cpu_count,
                     int nice, Error *err);

/* Who is called from now on; events NULL: nobody. */
void player_listen(Player *player, const PlayerEvents *events, void *user);

/* What its process wanted of the CPUs while it was thinking, and had of them at any time, since
 * this was asked last; zeros when that is not known. */
CpuUse player_cpu_use(Player *player);

/* What was said lately, for people who look into a fault: who it is, then its transcript
 * (match/transcript.h). */
void player_write_transcript(const Player *player, Text *out);

/* Prepares the next game: sets these options besides the engine's own, says `ucinewgame`, and waits
 * for `readyok`. */
void player_new_game(Player *player, const MatchOption *options, int option_count);

/* Asks for a move. position: "position …" without its line end; go: a whole line. With deadline_ms
 * >= 0, silence for longer is PLAYER_SILENT; with nodes > 0 it may take 20 times as long as that
 * many nodes take it. */
void player_go(Player *player, const Text *position, const char *go, int64_t deadline_ms,
               int64_t nodes);

/* Ends the process (`quit`, then a kill after the deadline; a kill at once when it failed, is
 * starting or is thinking) and gives the player back: no callback comes any more but the profile's
 * `reaped`. The loop frees it when the process has been reaped. NULL is allowed. */
void player_free(Player *player);

#endif
