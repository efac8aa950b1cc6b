/* SPDX-License-Identifier: MIT */
#include "local/pairlog.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/memory.h"
#include "base/machine.h"

/* ---- Settings ---- */

void pairlog_describe_options(const MatchEngine *engine, Words *out) {
    for (int i = 0; i < engine->option_count; i++) {
        const MatchOption *option = &engine->options[i];
        if (option->value != NULL)
            words_addf(out, "%s=%s", option->name, option->value);
        else
            words_add(out, option->name);
    }
}

static void describe_engine(const MatchEngine *engine, RecordEngine *out) {
    char tc[TIMECONTROL_TEXT_MAX];
    timecontrol_format(&engine->time_control, tc);
    out->name = mem_strdup(engine->name);
    out->program = mem_strdup(engine->argv[0]);
    out->sha256 = mem_strdup(engine->program.sha256);
    out->tc = mem_strdup(tc);
    out->margin = engine->margin_ms;
    out->dir = engine->dir != NULL ? realpath(engine->dir, NULL) : NULL;
    for (const char *const *word = engine->argv + 1; *word != NULL; word++)
        words_add(&out->arguments, *word);
    pairlog_describe_options(engine, &out->options);
}

bool pairlog_describe(const MatchConfig *config, RecordHead *head, Error *err) {
    char digest[DIGEST_HEX_MAX];
    head->version = RECORD_VERSION;
    head->created = (int64_t)time(NULL);
    head->chess960 = config->chess960;
    head->book.file = mem_strdup(config->book->path);
    head->book.openings = (int64_t)config->book->count;
    if (!digest_file(config->book->path, digest, err))
        return false;
    head->book.sha256 = mem_strdup(digest);
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++)
        describe_engine(&config->engines[side], &head->engines[side]);
    return true;
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
        ok = error_set(err, "journal %s: is not the journal of a match", path);
    if (!ok)
        error_set(err, "%s; take another --journal, or move this file away", err->text);
    record_free(&record);
    text_free(&text);
    return ok;
}

bool pairlog_find(const char *path, bool resume, int64_t *seed, Error *err) {
    RecordHead head = {0};
    if (!pairlog_exists(path))
        return true;
    bool ok = peek(path, &head, err) || error_prefix(err, "--resume");
    if (!resume)
        ok = error_set(err, "--journal %s: exists%s", path,
                       ok ? "; --resume goes on with it"
                          : ", and is no journal of a match: give another name");
    if (ok && *seed < 0)
        *seed = head.seed;
    record_free_head(&head);
    return ok;
}

bool pairlog_start_of(const char *path, int64_t *start, Error *err) {
    RecordHead head = {0};
    bool ok = peek(path, &head, err);
    if (ok)
        *start = head.start;
    record_free_head(&head);
    return ok;
}

typedef struct {
    PairLog *log;
    RecordTime time;
    bool headed; /* The head was read. */
} Resuming;

/* Counts a pair, unless a pair of the same index counts already. */
static void count_pair(PairLog *log, const PairResult *pair) {
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
    bool ok =
        record_read(text, length, &record, err) && record_check_place(&record, !r->headed, err);
    r->headed = true;
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
              (record_same_match(&begun, head, err) ||
               error_set(err,
                         "journal %s: %s; take another --journal, or the engines and settings "
                         "that began this one",
                         path, err->text)) &&
              journal_open(&log->journal, path, take_record, &resuming, err);
    record_free_head(&begun);
    log->earlier_ms = resuming.time.earlier_ms + resuming.time.latest_ms;
    return ok;
}

bool pairlog_create(PairLog *log, const char *path, const RecordHead *head, Error *err) {
    Text text = {0};
    record_write_head(head, &text);
    log->made = journal_create(&log->journal, path, text_string(&text), text.length, err);
    text_free(&text);
    return log->made;
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

bool pairlog_start(PairLog *log, const RecordRun *run, Error *err) {
    if (log->journal.path == NULL)
        return true;
    Text text = {0};
    record_write_run(run, &text);
    bool ok = journal_append(&log->journal, text_string(&text), text.length, err);
    text_free(&text);
    return ok;
}

/* ---- Writing to the disk ---- */

static void free_pair(PairResult *pair) {
    pair_free(pair);
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

void pairlog_init(PairLog *log, uv_loop_t *loop, const PairLogEvents *events, void *user) {
    *log = (PairLog){.events = events, .user = user};
    log->queue = (JournalQueue){
        .journal = &log->journal, .loop = loop, .events = &queue_events, .user = log};
}

void pairlog_add(PairLog *log, PairResult *pair) {
    PairResult *record = mem_alloc(sizeof *record);
    *record = pair_move(pair);
    if (log->journal.path == NULL) {
        on_written(record, log);
        return;
    }
    Text line = {0};
    pair_write(record, &line);
    journal_queue_add(&log->queue, &line, record);
}

void pairlog_free(PairLog *log) {
    journal_queue_free(&log->queue);
    free(log->played);
    if (log->made && log->played_count == 0)
        unlink(log->journal.path);
    journal_close(&log->journal);
    *log = (PairLog){0};
}
