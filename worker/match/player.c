/* SPDX-License-Identifier: MIT */
#include "match/player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/memory.h"
#include "match/transcript.h"

enum {
    UCIOK_MS = 10000,
    READYOK_MS = 60000,
    DEPTH_MS = 600000,
    QUIT_MS = 1000,
    /* Lower speeds are not believed: the wait for an engine that miscounts would never end. */
    NPS_MIN = 1,
    NPS_NODES = 1000, /* Nodes that tell a speed. */
    LAST_WORDS_MAX = 200,
    WHY_MAX = 1024,
};

typedef enum {
    STATE_STARTING, /* `uci` was said, `uciok` is awaited. */
    STATE_SYNCING,  /* `readyok` is awaited before a game. */
    STATE_IDLE,
    STATE_THINKING,
    STATE_FAILED
} State;

struct Player {
    PlayerProfile *profile;
    Child *child;
    uv_timer_t timer;           /* The deadline of the awaited answer. */
    const PlayerEvents *events; /* NULL: nobody listens. */
    void *user;
    State state;
    /* What this process has declared before its `uciok`. Processes of one engine may start at the
     * same time, so each collects its own declarations. */
    char id[UCI_NAME_MAX];
    UciOption *options;
    size_t option_count;
    size_t option_capacity;
    bool counted; /* Counted among the profile's starting processes. */
    bool reaped;
    bool freed;          /* player_free was called, and the process is not reaped yet. */
    bool was_ready;      /* The process has said `readyok`. */
    bool game_wanted;    /* player_new_game came before `uciok`. */
    bool expired;        /* The deadline has passed, and the pipe is still to be read. */
    int syncs;           /* Number of `isready` without their `readyok`. */
    uint64_t started;    /* Time of the start, by uv_hrtime. */
    uint64_t cpu_ns;     /* CPU time of the process at the last player_cpu_use, */
    uint64_t thought_ns; /* and the thinking time since then. */
    uint64_t since;      /* The time of the present question, by uv_hrtime. */
    int64_t deadline_ms;
    int64_t nodes; /* The limit of the search in nodes; 0 with other limits. */
    UciInfo info;
    int64_t info_nodes;  /* The latest node count of this search; −1: none. */
    uint64_t counted_at; /* The time of that count, by uv_hrtime. */
    /* Speed of the last search that counted NPS_NODES or half of its limit; 0: not known. A forced
     * move is answered after a node or two, which tell no speed. */
    double nps;
    char *comment;
    Text pv;                  /* The principal variation of the search so far. */
    const MatchOption *extra; /* The options of the coming game. */
    int extra_count;
    Text out;
    Transcript transcript;
    char last_words[LAST_WORDS_MAX]; /* The last line on stderr. */
    char why[WHY_MAX];
    PlayerFault fault;
};

MatchDeadlines player_deadlines(const MatchDeadlines *wanted) {
    MatchDeadlines d = *wanted;
    d.uciok = d.uciok != 0 ? d.uciok : UCIOK_MS;
    d.readyok = d.readyok != 0 ? d.readyok : READYOK_MS;
    d.nodes = d.nodes != 0 ? d.nodes : PLAYER_NODES_MS;
    d.depth = d.depth != 0 ? d.depth : DEPTH_MS;
    d.quit = d.quit != 0 ? d.quit : QUIT_MS;
    return d;
}

void player_profile_free(PlayerProfile *profile) {
    free(profile->options);
    words_free(&profile->warned);
}

static void tell_profile(PlayerProfile *profile) {
    if (profile->changed != NULL)
        profile->changed(profile->user);
}

static void tell_judging(const PlayerProfile *profile) {
    if (profile->judging != NULL)
        profile->judging(profile->user);
}

/* Takes the process off the starting ones: the start is over, well or not. */
static void leave_start(Player *p) {
    if (!p->counted)
        return;
    p->counted = false;
    p->profile->starting--;
    tell_profile(p->profile);
}

/* ---- Failing ---- */

static void on_deadline(uv_timer_t *timer);

/* Reports a failure that is known already, from the loop. */
static void report_soon(Player *p) {
    uv_timer_start(&p->timer, on_deadline, 0, 0);
}

static void count_failed_start(const Player *p) {
    if (p->started < p->profile->failed_at)
        return;
    p->profile->failed_starts++;
    p->profile->failed_at = uv_hrtime();
}

static void fail(Player *p, PlayerFault fault, uint64_t elapsed_ns) {
    leave_start(p);
    p->state = STATE_FAILED;
    p->fault = p->was_ready ? fault : PLAYER_UNUSABLE;
    if (!p->was_ready)
        count_failed_start(p);
    uv_timer_stop(&p->timer);
    if (p->events != NULL)
        p->events->failed(p, p->fault, elapsed_ns, p->why, p->user);
}

/* Fails within a call of the owner's: the report comes from the loop. */
static void fail_soon(Player *p) {
    p->state = STATE_FAILED;
    p->fault = PLAYER_UNUSABLE;
    report_soon(p);
}

static void say_why(Player *p, const char *what) {
    const MatchEngine *engine = p->profile->engine;
    int n = snprintf(p->why, sizeof p->why, "%s (%s): %s", engine->name, engine->argv[0], what);
    if (p->last_words[0] != '\0' && n > 0 && (size_t)n < sizeof p->why)
        snprintf(p->why + n, sizeof p->why - (size_t)n, "; it said: %s", p->last_words);
}

/* ---- Deadlines ---- */

static void expect_within(Player *p, int64_t ms) {
    p->deadline_ms = ms;
    p->expired = false;
    if (ms >= 0)
        uv_timer_start(&p->timer, on_deadline, (uint64_t)ms + 1, 0);
    else
        uv_timer_stop(&p->timer);
}

/* The present deadline. A search for nodes gets 20 times its usual time, as soon as the engine's
 * speed is known. */
static int64_t deadline_now(const Player *p) {
    if (p->state != STATE_THINKING || p->nodes <= 0)
        return p->deadline_ms;
    double nps = p->nps;
    if (nps <= 0 && p->info_nodes > 0 && p->counted_at > p->since)
        nps = (double)p->info_nodes * 1e9 / (double)(p->counted_at - p->since);
    if (nps <= 0)
        return p->deadline_ms;
    if (nps < (double)NPS_MIN)
        nps = NPS_MIN;
    double ms = (double)PLAYER_NODES_PATIENCE * 1000.0 * (double)p->nodes / nps;
    double most = 1e15;
    int64_t allowed = (int64_t)(ms < most ? ms : most);
    return allowed > p->deadline_ms ? allowed : p->deadline_ms;
}

static void report_silence(Player *p, uint64_t elapsed_ns) {
    char what[160];
    static const char *const AWAITED[] = {[STATE_STARTING] = "no uciok",
                                          [STATE_SYNCING] = "no readyok",
                                          [STATE_THINKING] = "no move"};
    int n = snprintf(
        what, sizeof what, "%s within %.1f s%s", AWAITED[p->state], (double)elapsed_ns / 1e9,
        p->state == STATE_STARTING && !p->profile->was_ready ? ": is it a UCI engine?" : "");
    if (p->state == STATE_THINKING && p->nodes > 0 &&
        p->info_nodes > PLAYER_NODES_PATIENCE * p->nodes)
        snprintf(what + n, sizeof what - (size_t)n,
                 ", after %lld nodes instead of %lld: does it know 'go nodes'?",
                 (long long)p->info_nodes, (long long)p->nodes);
    say_why(p, what);
    fail(p, p->state == STATE_THINKING ? PLAYER_SILENT : PLAYER_STALLED, elapsed_ns);
}

static void on_deadline(uv_timer_t *timer) {
    Player *p = timer->data;
    /* The owner asked a player that has failed. */
    if (p->state == STATE_FAILED) {
        if (p->events != NULL)
            p->events->failed(p, p->fault, 0, p->why, p->user);
        return;
    }
    tell_judging(p->profile);
    uint64_t now = uv_hrtime();
    uint64_t elapsed_ns = now > p->since ? now - p->since : 0;
    int64_t elapsed_ms = (int64_t)(elapsed_ns / CLOCK_NS_PER_MS);
    int64_t deadline = deadline_now(p);
    if (elapsed_ms <= deadline) {
        uv_timer_start(timer, on_deadline, (uint64_t)(deadline - elapsed_ms) + 1, 0);
        return;
    }
    /* Timers run before pipes are read: an answer that came in time may still be in the pipe. */
    if (!p->expired) {
        p->expired = true;
        uv_timer_start(timer, on_deadline, 1, 0);
        return;
    }
    report_silence(p, elapsed_ns);
}

/* ---- Options ---- */

static const UciOption *find_option(const PlayerProfile *profile, const char *name) {
    for (size_t i = 0; i < profile->option_count; i++)
        if (strcasecmp(profile->options[i].name, name) == 0)
            return &profile->options[i];
    return NULL;
}

static void warn_once(PlayerProfile *profile, const char *what) {
    if (words_has(&profile->warned, what))
        return;
    words_add(&profile->warned, what);
    log_warn(profile->log, "%s: option skipped: %s", profile->engine->name, what);
}

static void complain_unknown(const PlayerProfile *profile, const char *name, Error *err) {
    TextGuess guess = {.word = name};
    for (size_t i = 0; i < profile->option_count; i++)
        text_guess(&guess, profile->options[i].name);
    error_set(err, "%s: the engine has no such option%s", name, text_guess_hint(&guess));
}

static bool may_take(const UciOption *known, const MatchOption *option, Error *err) {
    if (known->type == UCI_BUTTON && option->least != NULL)
        return error_set(err, "%s: a button has no value to tune", known->name);
    return uci_check_value(known, option->value, err) &&
           (option->least == NULL || uci_check_value(known, option->least, err)) &&
           (option->most == NULL || uci_check_value(known, option->most, err));
}

/* Appends the `setoption` line. False when strict_options forbid to play without the option. */
static bool set_option(Player *p, const MatchOption *option) {
    PlayerProfile *profile = p->profile;
    Error err = {0};
    const UciOption *known = find_option(profile, option->name);
    if (known == NULL)
        complain_unknown(profile, option->name, &err);
    else if (may_take(known, option, &err)) {
        uci_add_value(&p->out, known, option->value);
        return true;
    }
    if (profile->engine->strict_options && (known != NULL || !option->optional)) {
        profile->refused = true;
        profile->lacking = known == NULL;
        say_why(p, err.text);
        return false;
    }
    warn_once(profile, err.text);
    return true;
}

static bool is_threads(const MatchOption *option) {
    return strcasecmp(option->name, "Threads") == 0;
}

/* Sets the engine's own options, Threads first, and UCI_Chess960. */
static bool set_own_options(Player *p) {
    const MatchEngine *engine = p->profile->engine;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < engine->option_count; i++)
            if (is_threads(&engine->options[i]) == (pass == 0) &&
                !set_option(p, &engine->options[i]))
                return false;
    if (!p->profile->chess960)
        return true;
    if (find_option(p->profile, "UCI_Chess960") == NULL) {
        p->profile->refused = true;
        say_why(p, "it has no option UCI_Chess960, so it cannot play Chess960");
        return false;
    }
    uci_add_setoption(&p->out, "UCI_Chess960", "true");
    return true;
}

/* ---- Lines to the engine ---- */

static void say(Player *p) {
    p->since = child_write(p->child, p->out.data, p->out.length);
    const char *line = text_string(&p->out);
    for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        transcript_note(&p->transcript, TRANSCRIPT_TOLD, line, (size_t)(end - line), p->since);
    text_clear(&p->out);
}

/* Announces a game. The answer to `isready` also shows that the options have been processed. p->out
 * may hold options already. */
static void announce_game(Player *p) {
    p->game_wanted = false;
    p->state = STATE_SYNCING;
    for (int i = 0; i < p->extra_count; i++) {
        if (!set_option(p, &p->extra[i])) {
            fail_soon(p);
            return;
        }
    }
    text_add(&p->out, "ucinewgame\nisready\n");
    p->syncs++;
    say(p);
    expect_within(p, p->profile->deadlines.readyok);
}

/* ---- Lines from the engine ---- */

/* The first process that says `uciok` gives its declarations to the profile. */
static void give_declarations(Player *p) {
    PlayerProfile *profile = p->profile;
    if (profile->known)
        return;
    profile->known = true;
    snprintf(profile->id, sizeof profile->id, "%s", p->id);
    profile->options = p->options;
    profile->option_count = p->option_count;
    p->options = NULL;
    p->option_count = p->option_capacity = 0;
}

static void hear_uciok(Player *p) {
    give_declarations(p);
    leave_start(p);
    if (!set_own_options(p)) {
        fail_soon(p);
        return;
    }
    p->state = STATE_IDLE;
    if (p->game_wanted)
        announce_game(p);
    else
        expect_within(p, -1);
}

static void hear_declaration(Player *p, const char *line) {
    const char *rest;
    if (uci_message(line, "uciok") != NULL) {
        hear_uciok(p);
        return;
    }
    if (p->profile->known)
        return;
    if ((rest = uci_message(line, "option")) != NULL) {
        UciOption option;
        if (!uci_parse_option(rest, &option))
            return;
        if (p->option_count == UCI_OPTIONS_MAX) {
            char what[64];
            snprintf(what, sizeof what, "it declares more than %d options", UCI_OPTIONS_MAX);
            say_why(p, what);
            fail(p, PLAYER_UNUSABLE, 0);
            return;
        }
        MEM_ADD(p->options, p->option_count, p->option_capacity, option);
    } else if ((rest = uci_message(line, "id")) != NULL &&
               (rest = uci_message(rest, "name")) != NULL)
        snprintf(p->id, sizeof p->id, "%s", rest);
}

static void hear_readyok(Player *p) {
    if (p->syncs > 0)
        p->syncs--;
    if (p->state != STATE_SYNCING || p->syncs > 0)
        return;
    p->state = STATE_IDLE;
    if (!p->was_ready)
        p->profile->failed_starts = 0;
    p->was_ready = p->profile->was_ready = true;
    expect_within(p, -1);
    if (p->events != NULL)
        p->events->ready(p, p->user);
}

static void hear_info(Player *p, const char *rest, uint64_t stamp) {
    const char *comment = uci_message(rest, "string");
    if (comment != NULL) {
        comment = uci_message(comment, "pgncomment");
        if (comment != NULL) {
            Text valid = {0};
            text_add_utf8(&valid, comment);
            free(p->comment);
            p->comment = text_take(&valid);
        }
        return;
    }
    int64_t nodes = uci_take_info(&p->info, rest, p->profile->pv ? &p->pv : NULL);
    if (nodes >= 0) {
        p->info_nodes = nodes;
        p->counted_at = stamp;
    }
}

static void hear_bestmove(Player *p, char *rest, uint64_t stamp) {
    rest[strcspn(rest, " \t")] = '\0';
    tell_judging(p->profile);
    uint64_t elapsed = stamp > p->since ? stamp - p->since : 0;
    p->thought_ns += elapsed;
    int64_t half = p->nodes / 2;
    if (p->info_nodes > 0 && p->info_nodes >= (half < NPS_NODES ? half : NPS_NODES) && elapsed > 0)
        p->nps = (double)p->info_nodes * 1e9 / (double)elapsed;
    p->state = STATE_IDLE;
    expect_within(p, -1);
    PlayerMove move = {.text = rest,
                       .elapsed_ns = elapsed,
                       .info = p->info,
                       .nodes = p->info_nodes,
                       .comment = p->comment,
                       .pv = text_string(&p->pv)};
    if (p->events != NULL)
        p->events->moved(p, &move, p->user);
}

static void on_line(Child *child, ChildStream stream, char *text, size_t length, uint64_t stamp,
                    void *user) {
    (void)child;
    Player *p = user;
    transcript_note(&p->transcript, stream == CHILD_ERRORS ? TRANSCRIPT_COMPLAINT : TRANSCRIPT_SAID,
                    text, length, stamp);
    if (stream == CHILD_ERRORS) {
        snprintf(p->last_words, sizeof p->last_words, "%s", text);
        return;
    }
    const char *rest;
    if (p->state == STATE_STARTING)
        hear_declaration(p, text);
    else if (p->syncs > 0) {
        /* All lines before the `readyok` belong to an older question, for example a late
         * `bestmove`. */
        if (uci_message(text, "readyok") != NULL)
            hear_readyok(p);
    } else if (p->state == STATE_THINKING) {
        if ((rest = uci_message(text, "info")) != NULL)
            hear_info(p, rest, stamp);
        else if ((rest = uci_message(text, "bestmove")) != NULL)
            hear_bestmove(p, text + (rest - text), stamp);
    }
}

static void on_timer_closed(uv_handle_t *handle) {
    free(handle->data);
}

static void dispose(Player *p) {
    child_free(p->child);
    text_free(&p->out);
    text_free(&p->pv);
    transcript_free(&p->transcript);
    free(p->options);
    free(p->comment);
    uv_close((uv_handle_t *)&p->timer, on_timer_closed);
}

static void on_gone(Child *child, const ChildEnd *end, void *user) {
    (void)child;
    Player *p = user;
    leave_start(p);
    p->profile->processes--;
    tell_profile(p->profile);
    if (p->freed) {
        dispose(p);
        return;
    }
    p->reaped = true;
    bool awaited = p->state != STATE_IDLE;
    if (p->state == STATE_FAILED)
        return;
    char what[CHILD_REASON_MAX + 64];
    snprintf(what, sizeof what, "%s%s",
             p->was_ready ? "" : "it ended before it was ready: ", end->reason);
    say_why(p, what);
    if (awaited) {
        fail(p, PLAYER_GONE, 0);
        return;
    }
    p->state = STATE_FAILED;
    p->fault = p->was_ready ? PLAYER_GONE : PLAYER_UNUSABLE;
    if (!p->was_ready)
        count_failed_start(p);
}

/* ---- The owner's functions ---- */

Player *player_start(uv_loop_t *loop, PlayerProfile *profile, const int *cpus, int cpu_count,
                     Error *err) {
    /* Half a line is no answer: an engine that dies within a line has not moved. */
    static const ChildEvents EVENTS = {.line = on_line, .gone = on_gone, .whole_lines = true};
    ChildSpec spec = {.argv = profile->engine->argv,
                      .dir = profile->engine->dir,
                      .cpus = cpus,
                      .cpu_count = cpu_count,
                      .policy = profile->engine->policy};
    Player *p = mem_calloc(1, sizeof *p);
    p->child = child_start(loop, &spec, &EVENTS, p, err);
    if (p->child == NULL) {
        error_prefix(err, "%s", profile->engine->name);
        free(p);
        return NULL;
    }
    p->profile = profile;
    profile->processes++;
    profile->starting++;
    p->counted = true;
    uv_timer_init(loop, &p->timer);
    p->timer.data = p;
    p->started = uv_hrtime();
    text_add(&p->out, "uci\n");
    say(p);
    expect_within(p, profile->deadlines.uciok);
    return p;
}

void player_listen(Player *player, const PlayerEvents *events, void *user) {
    player->events = events;
    player->user = user;
}

CpuUse player_cpu_use(Player *player) {
    uint64_t now = child_alive(player->child) ? cpu_time_of(child_program(player->child)) : 0;
    CpuUse use = {0};
    if (now > 0)
        use = (CpuUse){.wanted_ns = player->thought_ns * (uint64_t)player->profile->threads,
                       .run_ns = now - player->cpu_ns};
    player->cpu_ns = now;
    player->thought_ns = 0;
    return use;
}

void player_write_name(const Player *player, Text *out) {
    const PlayerProfile *profile = player->profile;
    const char *id = profile->known ? profile->id : player->id;
    text_addf(out, "%s (%s), process %d, calls itself '", profile->engine->name,
              profile->engine->argv[0], child_program(player->child));
    transcript_add_harmless(out, id, strlen(id));
    text_add(out, "'\n");
}

void player_write_transcript(const Player *player, Text *out) {
    text_addf(out,
              "Below: seconds since it was started, '>' to it, '<' from it, '!' on its standard "
              "error; the last %d and %d lines\n",
              TRANSCRIPT_LINES, TRANSCRIPT_COMPLAINTS);
    transcript_write(&player->transcript, player->started, out);
    size_t length;
    const char *begun = child_unfinished(player->child, &length);
    if (length == 0)
        return;
    size_t shown = length < TRANSCRIPT_TOLD_MAX ? length : TRANSCRIPT_TOLD_MAX;
    text_addf(out, "(a line begun and not ended, %zu bytes)\n             < ", length);
    transcript_add_harmless(out, begun, shown);
    text_add_char(out, '\n');
}

void player_new_game(Player *player, const MatchOption *options, int option_count) {
    player->extra = options;
    player->extra_count = option_count;
    if (player->state == STATE_FAILED)
        report_soon(player);
    else if (player->state == STATE_STARTING)
        player->game_wanted = true;
    else
        announce_game(player);
}

void player_excuse(Player *player, uint64_t ns) {
    uint64_t now = uv_hrtime();
    player->since += ns;
    if (player->since > now)
        player->since = now;
}

void player_go(Player *player, const Text *position, const char *go, int64_t deadline_ms,
               int64_t nodes) {
    if (player->state == STATE_FAILED) {
        report_soon(player);
        return;
    }
    player->state = STATE_THINKING;
    player->info = (UciInfo){.nodes = -1};
    player->info_nodes = -1;
    player->nodes = nodes;
    free(player->comment);
    player->comment = NULL;
    text_clear(&player->pv);
    /* All lines go out in one write. The `readyok` separates the answers to this search from older
     * lines. */
    text_add(&player->out, "isready\n");
    text_add_bytes(&player->out, position->data, position->length);
    text_add(&player->out, "\n");
    text_add(&player->out, go);
    player->syncs++;
    say(player);
    expect_within(player, deadline_ms);
}

void player_free(Player *player) {
    if (player == NULL)
        return;
    player_listen(player, NULL, NULL);
    if (player->reaped) {
        dispose(player);
        return;
    }
    leave_start(player);
    player->freed = true;
    uv_timer_stop(&player->timer);
    if (player->state == STATE_IDLE || player->state == STATE_SYNCING)
        child_finish(player->child, "quit\n", (uint64_t)player->profile->deadlines.quit);
    else
        child_kill(player->child);
    player->state = STATE_FAILED;
}
