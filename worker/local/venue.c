/* SPDX-License-Identifier: MIT */
#include "local/venue.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/affinity.h"
#include "base/count.h"
#include "base/datadir.h"
#include "base/file.h"
#include "base/loop.h"
#include "base/memory.h"
#include "base/ram.h"
#include "base/text.h"
#include "build/archive.h"

static const char DEFAULT_BOOK[] = "openings/reductio.epd.gz";

/* ---- The rules ---- */

static bool read_time_control(Venue *v, Side side, Error *err) {
    const char *own = v->given->side_tc[side];
    const char *text = own != NULL ? own : v->given->tc;
    if (timecontrol_parse(text, &v->config.engines[side].time_control, err))
        return true;
    return own != NULL ? error_prefix(err, "--%s-tc", side_name(side)) : error_prefix(err, "--tc");
}

static bool read_uci_options(Venue *v, Side side, Error *err) {
    const OptionList *common = &v->given->options;
    const OptionList *own = &v->given->side_options[side];
    UciOptions *list = &v->uci[side];
    ucioptions_add_defaults(list);
    for (size_t i = 0; i < common->count; i++)
        if (!ucioptions_set(list, common->items[i], err))
            return error_prefix(err, "--option");
    for (size_t i = 0; i < own->count; i++)
        if (!ucioptions_set(list, own->items[i], err))
            return error_prefix(err, "--%s-option", side_name(side));
    v->config.engines[side].strict_options = true;
    v->config.engines[side].options = list->items;
    v->config.engines[side].option_count = (int)list->count;
    return true;
}

static bool read_rules(Venue *v, Error *err) {
    const LocalSettings *given = v->given;
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++) {
        if (!read_time_control(v, side, err) || !read_uci_options(v, side, err))
            return false;
        v->config.engines[side].margin_ms =
            given->side_margin[side] >= 0 ? given->side_margin[side] : given->margin;
        v->config.engines[side].dir = given->side_dir[side];
    }
    v->config.event = given->event;
    v->config.site = given->site;
    v->config.restart = given->restart;
    v->config.adjudication.moves_max = given->moves_max;
    Adjudication *rules = &v->config.adjudication;
    return (adjudication_parse_resign(given->win_adj, &rules->resign, err) ||
            error_prefix(err, "--win-adj")) &&
           (adjudication_parse_draw(given->draw_adj, &rules->draw, err) ||
            error_prefix(err, "--draw-adj"));
}

bool venue_is_timed(const Venue *v) {
    return timecontrol_is_timed(&v->config.engines[SIDE_DEV].time_control) ||
           timecontrol_is_timed(&v->config.engines[SIDE_BASE].time_control);
}

/* ---- CPUs ---- */

/* The number of CPUs that one game needs: only one of its engines thinks at a time. */
static size_t game_threads(const Venue *v) {
    int dev = engine_threads(&v->config.engines[SIDE_DEV]);
    int base = engine_threads(&v->config.engines[SIDE_BASE]);
    return (size_t)(dev > base ? dev : base);
}

/* Gives each of the simultaneous games CPUs of its own. */
static bool bind_games(Venue *v, size_t threads, Error *err) {
    size_t sets = v->cpus.count / threads;
    int games = v->config.concurrency;
    if ((size_t)games > sets)
        return error_set(err,
                         "--affinity: %d game%s at a time with %zu thread%s each: %zu CPUs would "
                         "be needed, of %zu",
                         games, text_plural(games), threads, text_plural((int64_t)threads),
                         (size_t)games * threads, v->cpus.count);
    v->config.cpus = v->cpus.items;
    v->config.cpus_each = (int)threads;
    v->config.cpu_sets = (int)sets;
    return true;
}

/* Chooses the number of simultaneous games and their CPUs. */
static bool share_cpus(Venue *v, Error *err) {
    const LocalSettings *given = v->given;
    size_t threads = game_threads(v);
    bool listed = given->affinity != NULL && strcmp(given->affinity, "auto") != 0;
    if (given->affinity != NULL && !affinity_exists())
        return error_set(err, "--affinity: this system binds no process to CPUs");
    if (!listed)
        cpus_physical(&v->cpus);
    else if (!cpus_parse(given->affinity, "--affinity", &v->cpus, err))
        return false;
    size_t quota = (size_t)affinity_quota();
    v->granted = v->cpus.count < quota ? v->cpus.count : quota;
    size_t sets = v->granted / threads;
    v->config.concurrency = given->concurrency > 0 ? (int)given->concurrency
                            : sets > 0             ? (int)sets
                                                   : 1;
    return given->affinity == NULL || bind_games(v, threads, err);
}

/* Of two files that are one, the later written would destroy the other. A book would get games as
 * openings. */
static bool files_differ(const LocalSettings *given, const char *option, const char *path,
                         Error *err) {
    const struct {
        const char *option, *path;
    } files[] = {{"positions", given->positions}, {"journal", given->journal}, {"pgn", given->pgn},
                 {"html", given->html},           {"book", given->book},       {option, path}};
    for (size_t i = 0; i < COUNT(files); i++)
        for (size_t k = i + 1; k < COUNT(files); k++)
            if (files[i].path != NULL && files[k].path != NULL &&
                file_is_same(files[i].path, files[k].path))
                return error_set(err, "--%s %s: --%s names the same file", files[i].option,
                                 files[i].path, files[k].option);
    return true;
}

bool venue_check_names(const LocalSettings *given, Error *err) {
    const char *names[SIDE_COUNT];
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++) {
        names[side] = given->name[side] != NULL ? given->name[side] : side_name(side);
        if (names[side][0] == '\0')
            return error_set(err, "--%s-name: is empty", side_name(side));
    }
    return strcmp(names[SIDE_DEV], names[SIDE_BASE]) != 0 ||
           error_set(
               err,
               "both engines are named %s: one of them needs another name (dev-name or base-name)",
               names[SIDE_DEV]);
}

/* An option of tables or of a PGN file that is not there would say nothing. */
static bool options_count(const LocalSettings *given, Error *err) {
    static const char NO_PGN[] = "--pgn FILE is missing";
    bool pgn = given->pgn != NULL;
    const OptionUse uses[] = {
        {"syzygy-men", given->syzygy_men > 0, given->syzygy != NULL, "--syzygy DIR is missing"},
        {"pgn-hashfull", given->hashfull, pgn, NO_PGN},
        {"pgn-pv", given->pv, pgn, NO_PGN},
        {"pgn-notation", strcmp(given->pgn_notation, "san") != 0, pgn, NO_PGN}};
    return options_check_uses(uses, COUNT(uses), err);
}

bool venue_check(const LocalSettings *given, const char *option, const char *path, Error *err) {
    return options_count(given, err) && sandbox_check_limit(given->sandbox, given->disk_mb, err) &&
           files_differ(given, option, path, err);
}

bool venue_read(Venue *v, Error *err) {
    return read_rules(v, err) && share_cpus(v, err);
}

/* ---- Book, tables, transcripts, sandbox ---- */

/* Reads the only file of the zip: PGN when the zip is named X.pgn.zip or the file begins with a
 * tag. */
static bool load_zip(Venue *v, const char *path, Error *err) {
    Text text = {0};
    bool is_pgn = text_ends_with_nocase(path, ".pgn.zip");
    bool ok =
        (archive_read_single(path, BOOK_BYTES_MAX, &text, err) || error_prefix(err, "--book")) &&
        book_load_text(&v->book, path, text_string(&text), text.length, is_pgn, v->config.chess960,
                       err);
    text_free(&text);
    return ok;
}

static bool load_book(Venue *v, const char *path, Error *err) {
    v->config.chess960 = v->given->chess960 || book_name_is_chess960(file_name_of(path));
    bool is_zip = text_ends_with_nocase(path, ".zip");
    bool ok = is_zip ? load_zip(v, path, err) : book_load(&v->book, path, v->config.chess960, err);
    if (!ok)
        return false;
    if ((uint64_t)v->given->start > v->book.count)
        return error_set(err,
                         "--start: %" PRId64 " is past the end of the book %s, which has %zu "
                         "opening%s",
                         v->given->start, path, v->book.count, text_plural((int64_t)v->book.count));
    if (v->given->plies > 0 && !v->book.is_pgn)
        return error_set(err,
                         "--plies: the book %s has positions without moves; only a PGN book "
                         "has moves",
                         path);
    v->book.plies = (size_t)v->given->plies;
    return true;
}

bool venue_is_sequential(const Venue *v) {
    return strcmp(v->given->openings_order, "sequential") == 0;
}

static bool open_book(Venue *v, int64_t seed, Error *err) {
    char *own = NULL;
    const char *path = v->given->book;
    if (path == NULL) {
        own = datadir_find(DEFAULT_BOOK, err);
        if (own == NULL)
            return error_prefix(err, "the default book (--book plays another)");
        path = own;
    }
    bool loaded = load_book(v, path, err);
    free(own);
    if (!loaded)
        return false;
    uint32_t fresh = (uint32_t)time(NULL) ^ (uint32_t)getpid() << 16;
    v->seed = seed >= 0 ? seed : fresh;
    if (!venue_is_sequential(v))
        book_shuffle(&v->book, (uint64_t)v->seed);
    book_rotate(&v->book, (uint64_t)v->given->start);
    v->config.book = &v->book;
    return true;
}

/* An engine in Chess960 castles by moves that are illegal in chess, and would lose by them. */
static bool check_castling(const Venue *v, Error *err) {
    for (Side side = SIDE_DEV; side < SIDE_COUNT && !v->config.chess960; side++)
        if (text_equal_nocase(ucioptions_value(&v->uci[side], "UCI_Chess960"), "true"))
            return error_set(err,
                             "UCI_Chess960=true: these games are of chess, in which %s's castling "
                             "would be illegal; --chess960 plays Chess960 and sets the option",
                             side_name(side));
    return true;
}

static bool open_tables(Venue *v, Error *err) {
    if (v->given->syzygy == NULL)
        return true;
    if (!syzygy_open(&v->syzygy, v->given->syzygy, (int)v->given->syzygy_men, v->log, err))
        return error_prefix(err, "--syzygy");
    v->config.adjudication.syzygy = &v->syzygy;
    return true;
}

/* The folder is created when the first engine fails. */
static void choose_transcripts(Venue *v) {
    const char *given = v->given->transcripts;
    if (given != NULL && strcasecmp(given, "None") == 0)
        return;
    Error err = {0};
    char *state = given == NULL ? statedir_path(&err) : NULL;
    if (given == NULL && state == NULL) {
        log_info(v->log, "no transcripts of engines that fail are kept: %s", err.text);
        return;
    }
    v->transcripts_folder =
        given != NULL ? mem_strdup(given) : text_format("%s/transcripts", state);
    v->transcripts.state = v->state_folder = state;
    v->transcripts.folder = v->transcripts_folder;
    v->config.transcripts = &v->transcripts;
}

/* Opens the sandbox, and warns of the layers that this machine lacks. */
static bool open_sandbox(Venue *v, Error *err) {
    Text missing = {0};
    bool ok = sandbox_open(&v->sandbox, v->given->sandbox, &missing, err);
    if (missing.length > 0)
        log_warn(v->log, "%s", text_string(&missing));
    text_free(&missing);
    return ok && sandbox_limit_disk(&v->sandbox, v->given->disk_mb, err);
}

bool venue_open(Venue *v, int64_t seed, Error *err) {
    v->config.log = v->log;
    if (!open_book(v, seed, err) || !check_castling(v, err) || !open_tables(v, err))
        return false;
    choose_transcripts(v);
    return open_sandbox(v, err) && loop_start_pool(err);
}

/* With clocks, games that share cores disturb each other's times. */
static void warn_of_crowding(const Venue *v) {
    size_t needed = (size_t)v->config.concurrency * game_threads(v);
    if (venue_is_timed(v) && v->given->affinity == NULL && needed > v->granted)
        log_warn(v->log,
                 "%d game%s at a time: %zu cores would be needed, of %zu: the engines will wait "
                 "for each other while their clocks run",
                 v->config.concurrency, text_plural(v->config.concurrency), needed, v->granted);
}

/* Engines that do not fit are swapped out while their clocks run, or ended by the kernel. */
static void warn_of_memory(const Venue *v) {
    Text want = {0};
    Text want_alone = {0};
    MatchConfig alone = v->config;
    alone.concurrency = 1;
    uint64_t available = ram_available();
    int fit = match_fit_memory(&v->config, available, &want);
    match_fit_memory(&alone, available, &want_alone);
    if (want.length > 0 && want_alone.length == 0)
        log_warn(v->log, "%s: play %d with --concurrency, or give the engines a smaller Hash",
                 text_string(&want), fit);
    else if (want.length > 0)
        log_warn(v->log, "%s: give the engines a smaller Hash", text_string(&want));
    text_free(&want);
    text_free(&want_alone);
}

/* What the games are of, and why, where it is not plain chess. */
static const char *kind_of_openings(const Venue *v) {
    if (!v->config.chess960)
        return "";
    return v->given->chess960 ? " of Chess960" : " of Chess960 (by the book's name)";
}

void venue_announce(const Venue *v) {
    Text order = {0};
    if (venue_is_sequential(v))
        text_add(&order, "in the order of the file");
    else
        text_addf(&order, "seed %" PRId64, v->seed);
    log_info(v->log, "%zu opening%s%s, %s; %d game%s at a time", v->book.count,
             text_plural((int64_t)v->book.count), kind_of_openings(v), text_string(&order),
             v->config.concurrency, text_plural(v->config.concurrency));
    text_free(&order);
    if (v->given->chess960 && v->given->book == NULL)
        log_warn(v->log, "--chess960: the default book has openings of plain chess alone; --book "
                         "FILE names one of Chess960");
    warn_of_crowding(v);
    warn_of_memory(v);
}

/* ---- The loop ---- */

/* A terminal that goes away may tell so twice, and the user may close it before the end. */
static void on_interrupt(uv_signal_t *handle, int number) {
    Venue *v = handle->data;
    if (number == SIGHUP && v->interrupts > 0)
        return;
    v->interrupts++;
    if (v->events != NULL)
        v->events->interrupted(v->interrupts, v->user);
}

static void on_redraw(uv_timer_t *timer) {
    Venue *v = timer->data;
    if (v->events != NULL)
        v->events->redraw(v->user);
}

static void on_suspended(uv_signal_t *handle, int number) {
    (void)number;
    Venue *v = handle->data;
    uint64_t ns = log_suspend(v->log);
    if (v->events != NULL)
        v->events->resumed(ns, v->user);
}

/* Such a handle does not keep the loop running. */
static void set_aside(uv_handle_t *handle, Venue *v) {
    handle->data = v;
    uv_unref(handle);
}

/* nohup(1) starts programs so. */
static bool is_ignored(int number) {
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

bool venue_watch(Venue *v, Error *err) {
    enum { REDRAW_MS = 500 };
    static const int SIGNALS[COUNT(v->signals)] = {SIGINT, SIGTERM, SIGHUP};
    if (v->watching)
        return true;
    if (!loop_init(&v->loop, err))
        return false;
    v->watching = true;
    for (size_t i = 0; i < COUNT(SIGNALS); i++) {
        uv_signal_init(&v->loop, &v->signals[i]);
        if (SIGNALS[i] != SIGHUP || !is_ignored(SIGHUP))
            uv_signal_start(&v->signals[i], on_interrupt, SIGNALS[i]);
        set_aside((uv_handle_t *)&v->signals[i], v);
    }
    uv_timer_init(&v->loop, &v->redraw);
    uv_signal_init(&v->loop, &v->suspended);
    if (v->log->terminal)
        uv_timer_start(&v->redraw, on_redraw, 0, REDRAW_MS);
    set_aside((uv_handle_t *)&v->redraw, v);
    set_aside((uv_handle_t *)&v->suspended, v);
    return true;
}

bool venue_interrupted(Venue *v) {
    uv_handle_t *signal = (uv_handle_t *)&v->signals[0];
    uv_ref(signal); /* A loop without referenced handles would not poll its signals. */
    uv_run(&v->loop, UV_RUN_NOWAIT);
    uv_unref(signal);
    return v->interrupts > 0;
}

void venue_run(Venue *v, const VenueEvents *events, void *user) {
    v->events = events;
    v->user = user;
    uv_signal_start(&v->suspended, on_suspended, SIGTSTP); /* Else the system stops this process. */
    uv_run(&v->loop, UV_RUN_DEFAULT);
    uv_signal_stop(&v->suspended);
    v->events = NULL;
    log_progress_clear(v->log);
}

static void stop_watching(Venue *v) {
    for (size_t i = 0; i < COUNT(v->signals); i++)
        uv_close((uv_handle_t *)&v->signals[i], NULL);
    uv_close((uv_handle_t *)&v->redraw, NULL);
    uv_close((uv_handle_t *)&v->suspended, NULL);
    uv_run(&v->loop, UV_RUN_DEFAULT);
    uv_loop_close(&v->loop);
}

void venue_close(Venue *v) {
    if (v->watching)
        stop_watching(v);
    for (int side = 0; side < SIDE_COUNT; side++)
        ucioptions_free(&v->uci[side]);
    sandbox_free(&v->sandbox);
    book_free(&v->book);
    free(v->transcripts_folder);
    free(v->state_folder);
    cpulist_free(&v->cpus);
    *v = (Venue){0};
}
