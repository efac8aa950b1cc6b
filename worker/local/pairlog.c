/* SPDX-License-Identifier: MIT */
#include "local/pairlog.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/memory.h"
#include "base/machine.h"

/* ---- Settings ---- */

static bool describe_engine(const MatchEngine *engine, RecordEngine *out, Error *err) {
    char tc[TIMECONTROL_TEXT_MAX];
    char digest[DIGEST_HEX_MAX];
    timecontrol_format(&engine->time_control, tc);
    if (!digest_file(engine->argv[0], digest, err))
        return false;
    out->name = mem_strdup(engine->name);
    out->program = mem_strdup(engine->argv[0]);
    out->sha256 = mem_strdup(digest);
    out->tc = mem_strdup(tc);
    for (const char *const *word = engine->argv + 1; *word != NULL; word++)
        words_add(&out->arguments, *word);
    for (int i = 0; i < engine->option_count; i++) {
        const MatchOption *option = &engine->options[i];
        Text text = {0};
        text_add(&text, option->name);
        if (option->value != NULL)
            text_addf(&text, "=%s", option->value);
        words_add(&out->options, text_string(&text));
        text_free(&text);
    }
    return true;
}

bool pairlog_describe(const MatchConfig *config, RecordHead *head, Error *err) {
    char digest[DIGEST_HEX_MAX];
    head->version = RECORD_VERSION;
    head->created = (int64_t)time(NULL);
    head->chess960 = config->chess960;
    head->margin = config->margin_ms;
    head->book.file = mem_strdup(config->book->path);
    head->book.openings = (int64_t)config->book->count;
    if (!digest_file(config->book->path, digest, err))
        return false;
    head->book.sha256 = mem_strdup(digest);
    return describe_engine(&config->engines[SIDE_DEV], &head->engines[SIDE_DEV], err) &&
           describe_engine(&config->engines[SIDE_BASE], &head->engines[SIDE_BASE], err);
}

/* ---- Records of pairs ---- */

static const RecordFault FAULTS[] = {[MATCH_NO_FAULT] = RECORD_NO_FAULT,
                                     [MATCH_CRASH] = RECORD_CRASH,
                                     [MATCH_TIME_LOSS] = RECORD_TIME_LOSS,
                                     [MATCH_ILLEGAL] = RECORD_ILLEGAL};

/* Whose moves are the even ones of the game's record. */
static int first_mover(const MatchGame *game) {
    const char *turn = strchr(game->record->fen, ' ');
    bool black = turn != NULL && turn[1] == 'b';
    return black ? !game->white : (int)game->white;
}

static void record_game(const MatchGame *game, bool pgn, RecordGame *out) {
    const PgnGame *record = game->record;
    *out = (RecordGame){.result = mem_strdup(record->result),
                        .termination = mem_strdup(record->termination),
                        .reason = mem_strdup(record->reason),
                        .dev_points = game->dev_points,
                        .plies = game->plies,
                        .fault = FAULTS[game->fault],
                        .fault_side = (int)game->fault_side};
    int mover = first_mover(game);
    for (size_t i = 0; i < record->move_count; i++, mover = !mover) {
        if (record->moves[i].book)
            continue;
        out->parts[mover].moves++;
        out->parts[mover].ms += record->moves[i].elapsed_ms;
    }
    for (int side = 0; side < SIDE_COUNT; side++)
        out->parts[side].work = game->work[side];
    if (!pgn)
        return;
    Text text = {0};
    pgn_write(record, PGN_FULL, &text);
    out->pgn = text_take(&text);
}

static RecordPair record_pair(const PairLog *log, const MatchPair *pair) {
    const Book *book = log->config->book;
    RecordPair out = {
        .index = pair->index,
        .opening = (int64_t)book_number(book, (uint64_t)(log->config->first_opening + pair->index)),
        .ended = (int64_t)time(NULL),
        .at_ms = clock_elapsed_ms(log->started_ns, clock_now_ns())};
    for (int i = 0; i < 2; i++)
        record_game(&pair->games[i], log->pgn, &out.games[i]);
    return out;
}

/* ---- Going on with a journal ---- */

bool pairlog_exists(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

/* Reads the settings of an existing journal into *head, which is all zero. */
static bool peek(const char *path, RecordHead *head, Error *err) {
    Text text = {0};
    Record record = {0};
    bool ok = journal_first(path, &text, err) &&
              (record_read(text_string(&text), text.length, &record, err) ||
               error_prefix(err, "journal %s", path));
    if (ok && record.kind == RECORD_HEAD) {
        *head = record.head;
        record.head = (RecordHead){0};
    } else if (ok)
        ok = error_set(err, "journal %s: is not that of a match", path);
    record_free(&record);
    text_free(&text);
    return ok;
}

bool pairlog_find(const char *path, bool resume, int64_t *seed, Error *err) {
    RecordHead head = {0};
    if (!pairlog_exists(path))
        return true;
    if (!resume)
        return error_set(err, "--journal %s: exists; --resume goes on with it", path);
    bool ok = peek(path, &head, err) || error_prefix(err, "--resume");
    if (ok && *seed < 0)
        *seed = head.seed;
    record_free_head(&head);
    return ok;
}

typedef struct {
    PairLog *log;
    RecordTime time;
} Resuming;

/* The pair counts from now on, unless it did before. */
static void count_pair(PairLog *log, const RecordPair *pair) {
    log->played =
        mem_grow(log->played, &log->played_capacity, log->played_count + 1, sizeof *log->played);
    size_t at = log->played_count;
    while (at > 0 && log->played[at - 1] > pair->index)
        at--;
    if (at > 0 && log->played[at - 1] == pair->index)
        return;
    memmove(log->played + at + 1, log->played + at,
            (log->played_count++ - at) * sizeof *log->played);
    log->played[at] = pair->index;
    log->events->counted(pair, log->user);
}

static bool take_record(const char *text, size_t length, void *user, Error *err) {
    Resuming *r = user;
    Record record = {0};
    bool ok = record_read(text, length, &record, err);
    if (ok)
        record_time_add(&r->time, &record);
    if (ok && record.kind == RECORD_PAIR)
        count_pair(r->log, &record.pair);
    record_free(&record);
    return ok;
}

bool pairlog_resume(PairLog *log, const char *path, const RecordHead *head, Error *err) {
    Resuming resuming = {.log = log};
    RecordHead begun = {0};
    bool ok = peek(path, &begun, err) &&
              (record_same_match(&begun, head, err) || error_prefix(err, "journal %s", path)) &&
              journal_open(&log->journal, path, take_record, &resuming, err);
    record_free_head(&begun);
    log->pgn = head->pgn;
    log->earlier_ms = resuming.time.earlier_ms + resuming.time.latest_ms;
    return ok;
}

bool pairlog_create(PairLog *log, const char *path, const RecordHead *head, Error *err) {
    Text text = {0};
    record_write_head(head, &text);
    log->pgn = head->pgn;
    bool ok = journal_create(&log->journal, path, text_string(&text), text.length, err);
    text_free(&text);
    return ok;
}

void pairlog_describe_run(int concurrency, RecordRun *run) {
    Machine machine = {0};
    machine_read(&machine);
    *run = (RecordRun){.started = (int64_t)time(NULL),
                       .host = mem_strdup(machine.host),
                       .cpu = mem_strdup(machine.cpu_name),
                       .cpus = machine.logical_cores,
                       .concurrency = concurrency};
    machine_free(&machine);
}

bool pairlog_start(PairLog *log, int concurrency, Error *err) {
    log->started_ns = clock_now_ns();
    if (log->journal.path == NULL)
        return true;
    RecordRun run = {0};
    Text text = {0};
    pairlog_describe_run(concurrency, &run);
    record_write_run(&run, &text);
    bool ok = journal_append(&log->journal, text_string(&text), text.length, err);
    text_free(&text);
    record_free_run(&run);
    return ok;
}

/* ---- To the disk ---- */

static void free_pair(RecordPair *pair) {
    record_free_pair(pair);
    free(pair);
}

static void on_written(void *item, void *user) {
    PairLog *log = user;
    count_pair(log, item);
    free_pair(item);
}

static void on_failed(const Error *err, void *user) {
    PairLog *log = user;
    log->events->failed(err, log->user);
}

static void on_dropped(void *item, void *user) {
    (void)user;
    free_pair(item);
}

static void on_full(bool full, void *user) {
    PairLog *log = user;
    log->events->crowded(full, log->user);
}

static const JournalEvents queue_events = {
    .written = on_written, .failed = on_failed, .dropped = on_dropped, .full = on_full};

void pairlog_add(PairLog *log, const MatchPair *pair) {
    RecordPair *record = mem_alloc(sizeof *record);
    *record = record_pair(log, pair);
    if (log->journal.path == NULL) {
        on_written(record, log);
        return;
    }
    Text line = {0};
    record_write_pair(record, &line);
    log->queue.journal = &log->journal;
    log->queue.loop = log->loop;
    log->queue.events = &queue_events;
    log->queue.user = log;
    journal_queue_add(&log->queue, &line, record);
}

void pairlog_free(PairLog *log) {
    journal_queue_free(&log->queue);
    free(log->played);
    journal_close(&log->journal);
    *log = (PairLog){0};
}
