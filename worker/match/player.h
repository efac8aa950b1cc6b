/* SPDX-License-Identifier: MIT */
/* One process of an engine, and the dialogue with the engine: start, setup, new games, moves. A
 * line of the engine counts only as an answer to the present question. */
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

/* A search for a fixed number of nodes may take so many milliseconds, and where that is longer so
 * many times its expected time. */
enum { PLAYER_NODES_MS = 60000, PLAYER_NODES_PATIENCE = 20 };

/* The common part of all processes of one engine. The owner sets the first six fields and, if
 * wanted, `changed`, `judging` and `user`; the others begin as zero. */
typedef struct {
    const MatchEngine *engine;
    MatchDeadlines deadlines; /* None of them 0. */
    bool chess960;
    Log *log;
    int threads; /* The threads with which the engine thinks. */
    bool pv;     /* Moves come with their principal variations. */
    /* The engine's declarations, from the first process that said `uciok`: */
    char id[UCI_NAME_MAX];
    bool known;
    bool was_ready; /* A process has said `readyok`, so the program is a UCI engine. */
    bool lacking;   /* With strict_options: the engine lacks one of the options. */
    bool refused;   /* The engine does not take a strict option, or lacks UCI_Chess960. */
    /* Failures in a row before a first `readyok`. Processes that had been started when the previous
     * failure was counted, at failed_at by uv_hrtime, do not count: a disturbance of the whole
     * machine meets all starts of that moment. */
    int failed_starts;
    uint64_t failed_at;
    UciOption *options;
    size_t option_count;
    Words warned; /* The warnings given so far. */
    /* Processes not reaped yet, and those among them that have not said `uciok`. `changed` is
     * called, from uv_run or not, when one of these numbers falls. */
    int processes;
    int starting;
    void (*changed)(void *user);
    /* Called from uv_run before a question's time is judged. It may call player_excuse. */
    void (*judging)(void *user);
    void *user;
} PlayerProfile;

/* The deadlines with the defaults in place of 0. */
MatchDeadlines player_deadlines(const MatchDeadlines *wanted);

void player_profile_free(PlayerProfile *profile);

typedef struct Player Player;

/* The faults of an engine. */
typedef enum {
    PLAYER_UNUSABLE, /* Failed before the first `readyok`: did not start, or is no UCI engine. */
    PLAYER_GONE,     /* The process ended. */
    PLAYER_STALLED,  /* No `readyok` in time. */
    PLAYER_SILENT    /* No `bestmove` in time. */
} PlayerFault;

/* An answer to player_go. Valid during the callback. */
typedef struct {
    const char *text; /* The word after `bestmove`; "" without a word. */
    uint64_t elapsed_ns;
    UciInfo info;        /* kind is UCI_NO_SCORE without a score. */
    int64_t nodes;       /* The latest node count of the search; −1: none was given. */
    const char *comment; /* The last `info string pgncomment`, in valid UTF-8, or NULL. */
    const char *pv;      /* The principal variation as UCI moves; "" when not given. */
} PlayerMove;

/* The answers: each player_new_game and each player_go gets exactly one of these calls. They come
 * from uv_run, never from within the calls below. A callback may free the player. */
typedef struct {
    void (*ready)(Player *player, void *user);
    void (*moved)(Player *player, const PlayerMove *move, void *user);
    /* The player cannot be used any more. elapsed_ns: the time since `go`, for PLAYER_SILENT. why:
     * a sentence for people. */
    void (*failed)(Player *player, PlayerFault fault, uint64_t elapsed_ns, const char *why,
                   void *user);
} PlayerEvents;

/* Starts a process. cpus: the CPUs on which the process may run (cpu_count 0: any). NULL with err
 * set when the program cannot be started. `profile` must outlive the process. The caller frees the
 * player with player_free. */
Player *player_start(uv_loop_t *loop, PlayerProfile *profile, const int *cpus, int cpu_count,
                     Error *err);

/* Sets the receiver of the events from now on; events NULL: nobody. */
void player_listen(Player *player, const PlayerEvents *events, void *user);

/* The CPU time that the process wanted while thinking, and the CPU time that it got, since the last
 * call; zeros when not known. */
CpuUse player_cpu_use(Player *player);

/* Appends, for people who look into a fault on this machine, a line with the engine's name, its
 * program and its process. */
void player_write_name(const Player *player, Text *out);

/* Appends the latest lines of the dialogue (match/transcript.h). They name no path of this machine
 * but those that are options of the engine. */
void player_write_transcript(const Player *player, Text *out);

/* Prepares the next game: sets these options besides the engine's own, says `ucinewgame`, and waits
 * for `readyok`. */
void player_new_game(Player *player, const MatchOption *options, int option_count);

/* Asks for a move. position: "position …" without its line end; go: a whole line. With deadline_ms
 * >= 0, a longer silence is PLAYER_SILENT. With nodes > 0 the deadline is at least 20 times the
 * time that the engine needs for so many nodes, by the speed of an earlier search or of this one so
 * far. */
void player_go(Player *player, const Text *position, const char *go, int64_t deadline_ms,
               int64_t nodes);

/* Takes `ns` off the time of the present question: a pause of this process that ended just now. No
 * more than the time since the question is taken off. */
void player_excuse(Player *player, uint64_t ns);

/* Ends the process and frees the player. The process gets `quit`, and is killed after the deadline;
 * a process that failed, is starting or is thinking is killed at once. No more events come but the
 * profile's `changed`. The loop frees the memory when the process has been reaped. NULL is allowed.
 */
void player_free(Player *player);

#endif
