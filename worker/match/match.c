/* SPDX-License-Identifier: MIT */
#include "match/match.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "base/cputime.h"
#include "base/freeze.h"
#include "base/memory.h"
#include "base/program.h"
#include "match/game.h"
#include "match/player.h"
#include "match/schedule.h"

/* Processes that may be starting at a time. A hundred engines that load their networks together
 * would all miss their deadlines. */
enum { STARTS_AT_ONCE = 8 };

/* The pause after this machine could not start a process. */
enum { UNSTARTED_PAUSE_MS = 1000 };

/* A pair whose games are not both over. */
typedef struct OpenPair {
    int64_t index;
    PairResult result;
    int over; /* The number of games that are over. */
    struct OpenPair *next;
} OpenPair;

/* A place for one game at a time, with two processes that stay for the next game. */
typedef struct {
    Match *match;
    int number;
    Player *players[SIDE_COUNT];
    Game *game; /* In play, or NULL. */
    int64_t pair;
    int in_pair;
    int64_t serial; /* The number of the slot's game among all started games. */
    bool again;     /* The game could not begin, and will be tried again. */
} Slot;

/* Games that one side has lost by faults, without a sound game between. */
typedef struct {
    int count;
    int64_t started; /* The number of started games when the last fault was counted. */
} FaultRun;

struct Match {
    uv_loop_t *loop;
    MatchConfig config;
    MatchCallbacks callbacks;
    void *user;
    uv_timer_t wake; /* Its callback makes all changes to the slots; no other callback does. */
    uv_timer_t tick; /* Looks for pauses of this process. */
    FreezeWatch freeze;
    PlayerProfile profiles[SIDE_COUNT];
    Schedule schedule;
    Slot **slots;
    size_t slot_count;
    size_t slot_capacity;
    OpenPair *open_pairs;
    FaultRun fault_runs[SIDE_COUNT];
    int64_t games_started;
    int64_t started_ns;
    int told_in_play; /* The number last told by on_fewer, else the number of games at a time. */
    bool stop_now;
    bool failed;
    bool unstarted;                   /* This machine could not start a process. */
    int unstarted_in_row[SIDE_COUNT]; /* Failed tries in a row to start an engine's process. */
    uint64_t pause_until;             /* By uv_now: no process is started before. */
    Fault fault;                      /* The last of the faults in a row that ended the match. */
    bool ending;                      /* Every engine has been told to quit. */
    bool ended;                       /* on_end was called. */
    bool freed;
    bool held;     /* No game may begin. */
    int64_t limit; /* Only games of earlier pairs may begin; 0: no limit. */
    Error error;
    char *failure;         /* The error for people elsewhere; NULL: as it is. */
    Text fault_transcript; /* Of the engine that could not be started. */
};

static void on_wake(uv_timer_t *timer);

static void wake_after(Match *m, uint64_t ms) {
    if (!m->ended)
        uv_timer_start(&m->wake, on_wake, ms, 0);
}

static void wake(Match *m) {
    wake_after(m, 0);
}

/* Ends a match that cannot go on. */
static void give_up(Match *m) {
    m->failed = true;
    m->stop_now = true;
    wake(m);
}

/* ---- Pauses of this process ---- */

/* Excuses the time in which this process stood still since the last look. */
static void look_for_freeze(void *user) {
    Match *m = user;
    uint64_t now = uv_hrtime();
    if (!freeze_is_late(&m->freeze, now))
        return;
    uint64_t busy = cpu_time_busy();
    uint64_t ns = freeze_length(&m->freeze, now, busy);
    if (ns == 0)
        return;
    match_excuse(m, ns);
    freeze_look_ahead(&m->freeze, now, busy);
    if (match_in_play(m) > 0)
        log_warn(m->config.log,
                 "this process stood still for %.1f s (was the machine, its container or the "
                 "process paused?): the time counts for no engine",
                 (double)ns / 1e9);
    if (!m->freed && m->callbacks.on_frozen != NULL)
        m->callbacks.on_frozen(ns, m->user);
}

static void on_tick(uv_timer_t *timer) {
    Match *m = timer->data;
    look_for_freeze(m);
    freeze_look_ahead(&m->freeze, uv_hrtime(), cpu_time_busy());
}

/* The timer does not keep the loop running. */
static void start_ticks(Match *m) {
    uv_timer_init(m->loop, &m->tick);
    m->tick.data = m;
    freeze_look_ahead(&m->freeze, uv_hrtime(), cpu_time_busy());
    uv_timer_start(&m->tick, on_tick, FREEZE_LOOK_MS, FREEZE_LOOK_MS);
    uv_unref((uv_handle_t *)&m->tick);
}

/* ---- Pairs ---- */

static OpenPair *open_pair(Match *m, int64_t index) {
    for (OpenPair *p = m->open_pairs; p != NULL; p = p->next)
        if (p->index == index)
            return p;
    OpenPair *p = mem_calloc(1, sizeof *p);
    p->index = index;
    p->next = m->open_pairs;
    m->open_pairs = p;
    return p;
}

static void drop_pair(Match *m, OpenPair *pair) {
    OpenPair **link = &m->open_pairs;
    while (*link != pair)
        link = &(*link)->next;
    *link = pair->next;
    pair_free(&pair->result);
    free(pair);
}

static void report_pair(Match *m, OpenPair *open) {
    PairResult *pair = &open->result;
    int64_t opening = m->config.first_opening + (m->config.no_reverses ? 2 : 1) * open->index;
    pair->index = open->index;
    pair->opening = (int64_t)book_number(m->config.book, (uint64_t)opening);
    pair->ended = (int64_t)time(NULL);
    pair->at_ms = clock_elapsed_ms(m->started_ns, clock_now_ns());
    if (!m->freed && m->callbacks.on_pair != NULL)
        m->callbacks.on_pair(pair, m->user);
    drop_pair(m, open);
}

/* ---- Faults ---- */

/* Writes the transcript of the engine that has failed into a file. Returns the words about the file
 * for the log ("" when none is kept), allocated. */
static char *keep_transcript(Slot *slot, Side side, const char *what, const Text *transcript) {
    Match *m = slot->match;
    const MatchConfig *config = &m->config;
    if (config->transcripts == NULL)
        return mem_strdup("");
    char stamp[CLOCK_STAMP_MAX];
    clock_stamp(time(NULL), stamp);
    Text text = {0};
    text_addf(&text, "%s\nRound %lld, game %d of the pair, %s\n", what, (long long)slot->pair + 1,
              slot->in_pair + 1, stamp);
    player_write_name(slot->players[side], &text);
    text_add(&text, text_string(transcript));
    char *label = text_format("round%lld-game%d-%s", (long long)slot->pair + 1, slot->in_pair + 1,
                              side_name(side));
    char *path = NULL;
    Error err = {0};
    Text told = {0};
    if (faultfiles_write(config->transcripts, label, text_string(&text), &path, &err))
        text_addf(&told, "; transcript: %s", path);
    else
        text_addf(&told, "; no transcript: %s", err.text);
    free(path);
    text_free(&text);
    free(label);
    return text_take(&told);
}

static void give_back(Slot *slot, Side side) {
    player_free(slot->players[side]);
    slot->players[side] = NULL;
}

/* Logs a fault that lost a game, and gives up the engine. why: a sentence for people; may be the
 * record's reason itself. Appends the engine's transcript. */
static void handle_fault(Slot *slot, const FinishedGame *game, const char *why, Text *transcript) {
    Side side = game_loser(game->result);
    const char *reason = game->record->reason;
    Text what = {0};
    text_add(&what, reason);
    if (why != reason)
        text_addf(&what, ": %s", why);
    player_write_transcript(slot->players[side], transcript);
    char *kept = keep_transcript(slot, side, text_string(&what), transcript);
    log_warn(slot->match->config.log, "round %lld, game %d, %s: %s%s", (long long)slot->pair + 1,
             slot->in_pair + 1, slot->match->config.engines[side].name, text_string(&what), kept);
    free(kept);
    text_free(&what);
    give_back(slot, side);
}

/* The words, which begin with the engine's name and program, without the program. Allocated. */
static char *without_program(const MatchEngine *engine, const char *words) {
    char *begin = text_format("%s (%s)", engine->name, engine->argv[0]);
    const char *rest = text_starts_with(words, begin) ? words + strlen(begin) : NULL;
    char *out = rest != NULL ? text_format("%s%s", engine->name, rest) : mem_strdup(words);
    free(begin);
    return out;
}

/* Counts faults in a row, and ends a match in which an engine only fails. A game that one side's
 * fault ends says nothing of the other side: where both engines fail, White fails first. */
static void count_faults(Slot *slot, const FinishedGame *game) {
    Match *m = slot->match;
    bool failed = ending_fault(game->result->ending) != FAULT_NONE;
    for (int side = 0; side < SIDE_COUNT; side++) {
        FaultRun *run = &m->fault_runs[side];
        if (!failed) {
            run->count = 0;
            continue;
        }
        if ((int)game_loser(game->result) != side)
            continue;
        if (run->count > 0 && slot->serial <= run->started)
            continue;
        run->count++;
        run->started = m->games_started;
        if (run->count < MATCH_FAULTS_IN_A_ROW || m->failed)
            continue;
        error_set(&m->error,
                  "%s (%s) failed in %d games without a sound game between; the last fault: %s",
                  m->config.engines[side].name, m->config.engines[side].argv[0], run->count,
                  game->record->reason);
        m->failure = without_program(&m->config.engines[side], m->error.text);
        m->fault = ending_fault(game->result->ending);
        give_up(m);
    }
}

static void take_result(Slot *slot, const char *why) {
    Match *m = slot->match;
    Game *over = slot->game;
    FinishedGame game = game_finished(over);
    Text transcript = {0};
    if (ending_fault(game.result->ending) != FAULT_NONE)
        handle_fault(slot, &game, why, &transcript);
    game.transcript = text_string(&transcript);
    slot->game = NULL;
    if (!m->freed && m->callbacks.on_game != NULL)
        m->callbacks.on_game(&game, m->user);
    text_free(&transcript);
    count_faults(slot, &game);
    OpenPair *pair = open_pair(m, slot->pair);
    pair->result.games[slot->in_pair] = game_take_result(over);
    game_free(over);
    for (Side side = SIDE_DEV; m->config.restart && side < SIDE_COUNT; side++)
        give_back(slot, side);
    if (++pair->over == 2)
        report_pair(m, pair);
}

/* Handles an engine that failed before its first `readyok`. An engine that has worked before is
 * started again: something else may have killed the process. Not one that refuses an option, for
 * it would refuse it again. */
static void handle_failed_start(Slot *slot, Side side, const char *why) {
    Match *m = slot->match;
    if (m->failed)
        return;
    Text transcript = {0};
    player_write_transcript(slot->players[side], &transcript);
    char *kept = keep_transcript(slot, side, why, &transcript);
    const PlayerProfile *profile = &m->profiles[side];
    if (profile->was_ready && !profile->refused && profile->failed_starts < MATCH_FAULTS_IN_A_ROW) {
        log_warn(m->config.log, "%s: starting the engine again%s", why, kept);
        game_free(slot->game);
        slot->game = NULL;
        slot->again = true;
        give_back(slot, side);
    } else {
        error_set(&m->error, "%s%s", why, kept);
        m->failure = without_program(&m->config.engines[side], why);
        m->fault_transcript = transcript;
        transcript = (Text){0};
        give_up(m);
    }
    text_free(&transcript);
    free(kept);
}

static void on_game_over(Game *game, GameOutcome outcome, Side unusable, const char *why,
                         void *user) {
    (void)game;
    Slot *slot = user;
    Match *m = slot->match;
    if (outcome == GAME_OVER)
        take_result(slot, why);
    else
        handle_failed_start(slot, unusable, why);
    wake(m);
}

/* This machine could not start a process: it may lack memory or descriptors for a moment. A program
 * that has been started before is tried again after a pause. */
static void handle_unstarted(Match *m, int side) {
    if (!m->profiles[side].was_ready || ++m->unstarted_in_row[side] == MATCH_FAULTS_IN_A_ROW) {
        m->unstarted = true;
        give_up(m);
        return;
    }
    log_warn(m->config.log, "%s; trying again in a second", m->error.text);
    m->pause_until = uv_now(m->loop) + UNSTARTED_PAUSE_MS;
}

/* Ends the match when the program is another one than at its beginning. */
static bool check_program(Match *m, const MatchEngine *engine) {
    if (engine_is_noted_program(engine))
        return true;
    m->unstarted = true;
    give_up(m);
    return error_set(&m->error,
                     "%s: %s was replaced while the match was played; play with a copy that stays "
                     "as it is",
                     engine->name, engine->argv[0]);
}

/* Starts the players that the slot lacks. A player that died since its last game stays: the next
 * game scores its fault. */
static bool ready_players(Slot *slot) {
    Match *m = slot->match;
    const MatchConfig *config = &m->config;
    const int *cpus = config->cpu_sets > 0
                          ? config->cpus + slot->number % config->cpu_sets * config->cpus_each
                          : NULL;
    for (int side = 0; side < SIDE_COUNT; side++) {
        Player **player = &slot->players[side];
        if (*player != NULL)
            continue;
        if (!check_program(m, &config->engines[side]))
            return false;
        *player = player_start(m->loop, &m->profiles[side], cpus, config->cpus_each, &m->error);
        if (*player == NULL) {
            handle_unstarted(m, side);
            return false;
        }
        m->unstarted_in_row[side] = 0;
    }
    return true;
}

/* False when the slot's processes have to be tried again after a pause. */
static bool start_game(Slot *slot) {
    Match *m = slot->match;
    const MatchOption *options[SIDE_COUNT] = {NULL, NULL};
    int counts[SIDE_COUNT] = {0, 0};
    if (!ready_players(slot))
        return m->failed;
    if (!slot->again)
        schedule_next(&m->schedule, &slot->pair, &slot->in_pair);
    slot->again = false;
    slot->serial = ++m->games_started;
    slot->game = game_new(&m->config, slot->pair, slot->in_pair, &m->error);
    if (slot->game == NULL) {
        give_up(m);
        return true;
    }
    if (m->callbacks.pair_options != NULL)
        for (int side = 0; side < SIDE_COUNT; side++)
            counts[side] =
                m->callbacks.pair_options(slot->pair, (Side)side, &options[side], m->user);
    game_start(slot->game, slot->players, options, counts, on_game_over, slot);
    return true;
}

/* ---- Slots ---- */

static void empty_slot(Slot *slot) {
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++)
        give_back(slot, side);
    game_free(slot->game);
    slot->game = NULL;
}

static bool has_players(const Slot *slot) {
    return slot->players[SIDE_DEV] != NULL && slot->players[SIDE_BASE] != NULL;
}

/* Whether other engines must have started before the two of a slot. */
static bool are_enough_starting(const Match *m) {
    int starting = m->profiles[SIDE_DEV].starting + m->profiles[SIDE_BASE].starting;
    return starting + SIDE_COUNT > STARTS_AT_ONCE;
}

static void add_slot(Match *m) {
    Slot *slot = mem_calloc(1, sizeof *slot);
    slot->match = m;
    slot->number = (int)m->slot_count;
    MEM_ADD(m->slots, m->slot_count, m->slot_capacity, slot);
}

/* Whether no game may begin now, though games are left. */
static bool must_wait(const Match *m) {
    return m->held || (m->limit > 0 && schedule_next_pair(&m->schedule) >= m->limit);
}

/* Fills the slots with games, and gives up idle slots beyond the number at a time. Returns the
 * number of games in play or about to begin. Starting a process takes milliseconds in which no pipe
 * is read, so the loop goes round after each slot with new processes. */
static size_t fill_slots(Match *m) {
    size_t wanted = (size_t)m->config.concurrency;
    while (m->slot_count < wanted && schedule_has_next(&m->schedule))
        add_slot(m);
    size_t in_play = (size_t)match_in_play(m);
    size_t playing = 0;
    bool started = false;
    bool paused = uv_now(m->loop) < m->pause_until;
    for (size_t i = 0; i < m->slot_count; i++) {
        Slot *slot = m->slots[i];
        bool next = slot->again || (i < wanted && schedule_has_next(&m->schedule));
        bool waits = false;
        if (slot->game == NULL && next && !m->failed) {
            bool complete = has_players(slot);
            /* Slots beyond the number at a time may still have a game. */
            waits = (!slot->again && (must_wait(m) || in_play >= wanted)) ||
                    (!complete && (started || paused || are_enough_starting(m)));
            started = started || (!complete && !waits);
            in_play += !slot->again && !waits;
            if (!waits)
                waits = !start_game(slot);
        } else if (slot->game == NULL)
            empty_slot(slot);
        playing += slot->game != NULL || waits;
    }
    if (started)
        wake_after(m, 1);
    else if (paused)
        wake_after(m, m->pause_until - uv_now(m->loop));
    return playing;
}

/* ---- The end ---- */

static void on_wake_closed(uv_handle_t *handle) {
    Match *m = handle->data;
    for (int side = 0; side < SIDE_COUNT; side++)
        player_profile_free(&m->profiles[side]);
    while (m->open_pairs != NULL)
        drop_pair(m, m->open_pairs);
    for (size_t i = 0; i < m->slot_count; i++)
        free(m->slots[i]);
    free(m->slots);
    free(m->failure);
    text_free(&m->fault_transcript);
    free(m);
}

static void on_tick_closed(uv_handle_t *handle) {
    Match *m = handle->data;
    uv_close((uv_handle_t *)&m->wake, on_wake_closed);
}

/* Frees the match in the loop. */
static void close_handles(Match *m) {
    if (!uv_is_closing((uv_handle_t *)&m->tick))
        uv_close((uv_handle_t *)&m->tick, on_tick_closed);
}

/* Whether no side has a clock: then the loop may wake once for a whole answer (base/cpus.h). */
static bool is_untimed(const Match *m) {
    return !timecontrol_is_timed(&m->config.engines[SIDE_DEV].time_control) &&
           !timecontrol_is_timed(&m->config.engines[SIDE_BASE].time_control);
}

static void end_if_reaped(Match *m) {
    if (m->ended || !m->ending ||
        m->profiles[SIDE_DEV].processes + m->profiles[SIDE_BASE].processes > 0)
        return;
    m->ended = true;
    uv_timer_stop(&m->wake);
    uv_timer_stop(&m->tick);
    cpus_set_prompt(true);
    if (!m->freed && m->callbacks.on_end != NULL)
        m->callbacks.on_end(m->failed ? &m->error : NULL, m->user);
    /* match_free was called before the end or within on_end. */
    if (m->freed)
        close_handles(m);
}

static void on_changed(void *user) {
    wake(user);
}

/* Tells the owner of fewer games in play, once no more games will begin. */
static void tell_in_play(Match *m, int in_play) {
    if (match_has_more(m) || in_play >= m->told_in_play)
        return;
    m->told_in_play = in_play;
    if (!m->freed && m->callbacks.on_fewer != NULL)
        m->callbacks.on_fewer(m->user);
}

/* Stops the first game of a pair whose second game will not begin: the pair could not count. */
static void stop_half_pair(Match *m) {
    if (!m->schedule.no_new_games || m->schedule.next % 2 == 0)
        return;
    for (size_t i = 0; i < m->slot_count; i++) {
        Slot *slot = m->slots[i];
        if (slot->pair != m->schedule.next / 2)
            continue;
        slot->again = false;
        empty_slot(slot);
    }
}

static void on_wake(uv_timer_t *timer) {
    Match *m = timer->data;
    stop_half_pair(m);
    size_t playing = m->stop_now ? 0 : fill_slots(m);
    if (playing > 0 && !m->stop_now) {
        tell_in_play(m, (int)playing);
        return;
    }
    /* Open pairs are kept until match_free: the caller may still ask about their games. */
    m->ending = true;
    for (size_t i = 0; i < m->slot_count; i++)
        empty_slot(m->slots[i]);
    tell_in_play(m, 0);
    end_if_reaped(m);
}

/* ---- The caller's functions ---- */

int match_fit_memory(const MatchConfig *config, uint64_t bytes, Text *want) {
    enum { MB_SHIFT = 20 };
    uint64_t games = (uint64_t)config->concurrency;
    uint64_t each =
        engine_memory(&config->engines[SIDE_DEV]) + engine_memory(&config->engines[SIDE_BASE]);
    if (bytes == 0 || each * games <= bytes)
        return config->concurrency;
    text_addf(want,
              "%" PRIu64 " game%s at a time need%s about %" PRIu64 " MB of memory for their "
              "engines, and %" PRIu64 " MB are available",
              games, text_plural((int64_t)games), games == 1 ? "s" : "", (each * games) >> MB_SHIFT,
              bytes >> MB_SHIFT);
    return bytes > each ? (int)(bytes / each) : 1;
}

static bool check_config(const MatchConfig *config, Error *err) {
    if (config->concurrency < 1)
        return error_set(err, "a match needs at least one game at a time");
    if (config->book == NULL || config->book->count == 0)
        return error_set(err, "a match needs a book with openings");
    for (int side = 0; side < SIDE_COUNT; side++) {
        char path[PROGRAM_PATH_MAX];
        if (!program_find(config->engines[side].argv[0], path, err))
            return error_prefix(err, "%s", config->engines[side].name);
    }
    return true;
}

Match *match_start(uv_loop_t *loop, const MatchConfig *config, const MatchCallbacks *callbacks,
                   void *user, Error *err) {
    if (!check_config(config, err))
        return NULL;
    Match *m = mem_calloc(1, sizeof *m);
    m->loop = loop;
    m->config = *config;
    m->config.deadlines = player_deadlines(&config->deadlines);
    m->callbacks = *callbacks;
    m->user = user;
    m->told_in_play = config->concurrency;
    m->started_ns = clock_now_ns();
    m->schedule = (Schedule){
        .pairs = config->pairs, .played = config->played, .played_count = config->played_count};
    for (int side = 0; side < SIDE_COUNT; side++)
        m->profiles[side] = (PlayerProfile){.engine = &m->config.engines[side],
                                            .deadlines = m->config.deadlines,
                                            .chess960 = config->chess960,
                                            .log = config->log,
                                            .threads = engine_threads(&m->config.engines[side]),
                                            .pv = config->pgn.kept && config->pgn.pv,
                                            .changed = on_changed,
                                            .judging = look_for_freeze,
                                            .user = m};
    uv_timer_init(loop, &m->wake);
    m->wake.data = m;
    start_ticks(m);
    cpus_set_prompt(!is_untimed(m));
    wake(m);
    return m;
}

void match_stop(Match *match, MatchStop how) {
    match->schedule.no_new_games = true;
    if (how == MATCH_NOW)
        match->stop_now = true;
    wake(match);
}

int match_in_play(const Match *match) {
    int count = 0;
    for (size_t i = 0; i < match->slot_count; i++)
        count += match->slots[i]->game != NULL || match->slots[i]->again;
    return count;
}

bool match_has_more(const Match *match) {
    return match->failed || (!match->stop_now && schedule_has_next(&match->schedule));
}

void match_set_concurrency(Match *match, int concurrency) {
    int wanted = concurrency > 1 ? concurrency : 1;
    if (wanted == match->config.concurrency)
        return;
    match->config.concurrency = wanted;
    if (match_has_more(match))
        match->told_in_play = wanted;
    wake(match);
}

void match_excuse(Match *match, uint64_t ns) {
    match->started_ns += (int64_t)ns;
    freeze_skip(&match->freeze, ns);
    for (size_t i = 0; i < match->slot_count; i++)
        for (Side side = SIDE_DEV; side < SIDE_COUNT; side++)
            if (match->slots[i]->players[side] != NULL)
                player_excuse(match->slots[i]->players[side], ns);
}

void match_hold(Match *match, bool held) {
    match->held = held;
    wake(match);
}

void match_limit(Match *match, int64_t pairs) {
    match->limit = pairs;
    wake(match);
}

bool match_option_refused(const Match *m) {
    return m->profiles[SIDE_DEV].refused || m->profiles[SIDE_BASE].refused;
}

bool match_option_missing(const Match *m) {
    return m->profiles[SIDE_DEV].lacking || m->profiles[SIDE_BASE].lacking;
}

bool match_unstarted(const Match *m) {
    return m->unstarted;
}

Fault match_fault(const Match *m) {
    return m->fault;
}

const char *match_failure(const Match *m) {
    return m->failure != NULL ? m->failure : m->error.text;
}

const char *match_failure_transcript(const Match *m) {
    return text_string(&m->fault_transcript);
}

void match_free(Match *match) {
    if (match == NULL || match->freed)
        return;
    match->freed = true;
    match->stop_now = true;
    if (!match->ended)
        wake(match);
    else
        close_handles(match);
}
