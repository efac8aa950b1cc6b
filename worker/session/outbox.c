/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "session/delivery.h"

enum { MODE_FOLDER = 0700, NAME_MAX_NUMBER = 100000 };

static const char SUFFIX[] = ".journal";
static const char PACKED[] = ".bz2";

/* A record on its way to the disk, and what it means when it is there. */
typedef struct {
    enum { NOTE_PAIR, NOTE_BATCH, NOTE_WITHDRAWN, NOTE_OTHER } kind;
    PairResult pair;
    Penta before;
} Note;

/* An allocated path in the outbox's folder. */
static char *path_of(const Outbox *o, const char *folder, const char *name, const char *suffix) {
    Text path = {0};
    text_addf(&path, "%s/%s%s%s", o->folder, folder, name, suffix);
    return text_take(&path);
}

static char *item_path(const OutboxItem *item) {
    return path_of(item->outbox, "", item->name, SUFFIX);
}

/* ---- Items ---- */

static Row *find_row(Outbox *o, const RecordWorkload *head) {
    for (Row *row = o->rows; row; row = row->next)
        if (row->test_id == head->test_id && row->machine_id == head->machine_id)
            return row;
    Row *row = mem_calloc(1, sizeof *row);
    *row = (Row){.next = o->rows, .test_id = head->test_id, .machine_id = head->machine_id};
    o->rows = row;
    return row;
}

static OutboxItem *new_item(Outbox *o) {
    OutboxItem *item = mem_calloc(1, sizeof *item);
    item->outbox = o;
    item->retry =
        (Backoff){.first_ms = o->config.waits.retry_first, .most_ms = o->config.waits.retry_most};
    item->refusals = (Backoff){.first_ms = o->config.waits.refused_first,
                               .most_ms = o->config.waits.refused_most};
    return item;
}

static void link_item(Outbox *o, OutboxItem *item) {
    OutboxItem **end = &o->items;
    while (*end)
        end = &(*end)->next;
    *end = item;
    item->row = find_row(o, &item->parcel.head);
}

static void free_item(OutboxItem *item) {
    journal_queue_free(&item->queue);
    journal_close(&item->journal);
    parcel_free(&item->parcel);
    parcel_sum_free(&item->loose);
    free(item->name);
    free(item->packed);
    free(item);
}

int64_t outbox_now(const Outbox *o) {
    return o->config.clock ? o->config.clock() : (int64_t)time(NULL);
}

int64_t outbox_item_games(const OutboxItem *item) {
    int64_t games = tally_games(&item->parcel.waiting.tally) + tally_games(&item->loose.tally);
    return games + (item->parcel.sending ? tally_games(&item->parcel.batch.tally) : 0);
}

static bool is_busy(const OutboxItem *item) {
    return item->queue.busy || item->queue.count > 0 || item->packing ||
           item->outbox->asking == item;
}

/* ---- To the disk ---- */

static void on_written(void *user_note, void *user) {
    Note *note = user_note;
    OutboxItem *item = user;
    if (note->kind == NOTE_PAIR)
        parcel_take_pair(&item->parcel, &note->pair);
    if (note->kind == NOTE_BATCH) {
        item->batching = false;
        if (item->parcel.over)
            item->row->sending = NULL;
        else
            parcel_make_batch(&item->parcel, &note->before);
    }
    if (note->kind == NOTE_WITHDRAWN) {
        item->batching = false;
        if (item->parcel.sending)
            parcel_withdrawn(&item->parcel);
        if (item->row->sending == item)
            item->row->sending = NULL;
    }
    pair_free(&note->pair);
    free(note);
}

static void on_dropped(void *user_note, void *user) {
    Note *note = user_note;
    OutboxItem *item = user;
    if (note->kind == NOTE_PAIR && !item->parcel.over) {
        Tally tally = pair_tally(&note->pair);
        parcel_sum_add(&item->loose, &tally, &note->pair.deltas);
    }
    if (note->kind == NOTE_BATCH) {
        item->batching = false;
        item->row->sending = NULL;
    }
    if (note->kind == NOTE_WITHDRAWN) {
        item->batching = false;
        if (!item->parcel.sending && item->row->sending == item)
            item->row->sending = NULL;
    }
    pair_free(&note->pair);
    free(note);
}

static void on_failed(const Error *err, void *user) {
    OutboxItem *item = user;
    log_error(item->outbox->log,
              "test %" PRId64
              ": %s: make room; until then its results go to the server from memory, and what is "
              "in the journal waits for the next start",
              item->parcel.head.test_id, err->text);
    /* Not even made. */
    if (!item->journal.path) {
        free(item->name);
        item->name = NULL;
    }
}

static void on_full(bool full, void *user) {
    OutboxItem *item = user;
    item->outbox->events->crowded(item, full, item->outbox->user);
}

static void on_idle(void *user) {
    delivery_go_on(((OutboxItem *)user)->outbox);
}

static const JournalEvents queue_events = {.written = on_written,
                                           .failed = on_failed,
                                           .dropped = on_dropped,
                                           .full = on_full,
                                           .idle = on_idle};

static void open_queue(OutboxItem *item) {
    item->queue.journal = &item->journal;
    item->queue.loop = item->outbox->loop;
    item->queue.events = &queue_events;
    item->queue.user = item;
}

static void note(OutboxItem *item, Note *note, Text *record) {
    Note *copy = mem_alloc(sizeof *copy);
    *copy = *note;
    journal_queue_add(&item->queue, record, copy);
}

void outbox_note(OutboxItem *item, Text *record) {
    note(item, &(Note){.kind = NOTE_OTHER}, record);
}

void outbox_note_batch(OutboxItem *item, const Penta *before) {
    Text record = {0};
    item->batching = true;
    item->row->sending = item;
    parcel_write_batch(before, &record);
    note(item, &(Note){.kind = NOTE_BATCH, .before = *before}, &record);
}

void outbox_note_withdrawn(OutboxItem *item) {
    Text record = {0};
    item->batching = true;
    parcel_write_mark("withdrawn", &record);
    note(item, &(Note){.kind = NOTE_WITHDRAWN}, &record);
}

void outbox_doubt(OutboxItem *item) {
    Row *row = item->row;
    const Outbox *o = item->outbox;
    row->doubt = true;
    row->readings = 0;
    row->read_at = uv_now(o->loop) + (uint64_t)o->config.waits.verify;
    if (item->parcel.sending && !row->sending)
        row->sending = item;
}

/* ---- The end of an item ---- */

static void take_off(Outbox *o, OutboxItem *item) {
    OutboxItem **link = &o->items;
    while (*link != item)
        link = &(*link)->next;
    *link = item->next;
    if (item->row->sending == item)
        item->row->sending = NULL;
}

/* What is left of it to deliver: "16 games", or when there are none "the PGN of 16 games".
 * Appended. */
static void describe_rest(const OutboxItem *item, int64_t games, Text *out) {
    if (games)
        text_addf(out, "%" PRId64 " games", games);
    else
        text_addf(out, "the PGN of %" PRId64 " games", 2 * item->parcel.pairs);
}

/* Moves the journal to a folder beside the others. */
static bool move_away(OutboxItem *item, const char *folder, char **to, Error *err) {
    const Outbox *o = item->outbox;
    char *from = item_path(item);
    char *into = path_of(o, folder, "", "");
    *to = path_of(o, folder, item->name, SUFFIX);
    bool ok = file_make_folders(into, err) &&
              (rename(from, *to) == 0 || error_set(err, "%s: %s", from, strerror(errno)));
    free(from);
    free(into);
    return ok;
}

void outbox_park(OutboxItem *item, const char *why) {
    Outbox *o = item->outbox;
    int64_t test = item->parcel.head.test_id;
    Error err = {0};
    Text what = {0};
    Text record = {0};
    char *to = NULL;
    describe_rest(item, outbox_item_games(item), &what);
    item->parked = true;
    parcel_parked(&item->parcel);
    parcel_write_mark("parked", &record);
    outbox_note(item, &record);
    if (item->row->sending == item)
        item->row->sending = NULL;
    if (!item->name)
        log_error(o->log, "test %" PRId64 ": %s are lost: %s", test, text_string(&what), why);
    else if (move_away(item, "parked/", &to, &err))
        log_error(o->log,
                  "test %" PRId64
                  ": %s are parked: %s; they stay in %s (move it one folder up: the next start "
                  "tries them again, for another day)",
                  test, text_string(&what), why, to);
    else
        log_error(o->log, "test %" PRId64 ": %s stay: %s; parking them: %s", test,
                  text_string(&what), why, err.text);
    free(to);
    text_free(&what);
}

static void remove_files(OutboxItem *item) {
    Error err = {0};
    char *to = NULL;
    bool keep = item->outbox->config.keep && !item->parcel.dropped;
    if (item->name && item->done && keep) {
        if (!move_away(item, "delivered/", &to, &err))
            log_warn(item->outbox->log, "keeping what is delivered: %s", err.text);
    } else if (item->name && item->done) {
        char *path = item_path(item);
        if (unlink(path) != 0)
            log_warn(item->outbox->log, "%s: %s", path, strerror(errno));
        free(path);
    }
    if (item->packed)
        unlink(item->packed);
    free(to);
}

void outbox_sweep(Outbox *o) {
    for (OutboxItem *item = o->items, *next; item; item = next) {
        next = item->next;
        if (!(item->done || item->parked) || !item->ended || is_busy(item))
            continue;
        take_off(o, item);
        remove_files(item);
        free_item(item);
    }
}

/* ---- Games ---- */

static void do_pack(uv_work_t *work) {
    OutboxItem *item = work->data;
    char *journal = item_path(item);
    item->pack_error = (Error){0};
    gamefile_pack(journal, item->packed, &item->pack_error);
    free(journal);
}

static void packed(uv_work_t *work, int status) {
    OutboxItem *item = work->data;
    (void)status;
    item->packing = false;
    if (item->pack_error.text[0]) {
        log_warn(item->outbox->log, "packing the games: %s: they are not uploaded",
                 item->pack_error.text);
        free(item->packed);
        item->packed = NULL;
        item->unpackable = true;
    }
    delivery_go_on(item->outbox);
}

void outbox_pack(OutboxItem *item) {
    item->packed = path_of(item->outbox, "", item->name, PACKED);
    item->packing = true;
    item->work.data = item;
    uv_queue_work(item->outbox->loop, &item->work, do_pack, packed);
}

/* ---- What earlier processes left ---- */

static bool take_record(const char *record, size_t length, void *user, Error *err) {
    return parcel_take_record(user, record, length, NULL, err);
}

/* It was parked, and somebody has moved it back to have it tried again. */
static void resume(OutboxItem *item) {
    int64_t now = outbox_now(item->outbox);
    Text record = {0};
    parcel_resumed(&item->parcel, now);
    parcel_write_resumed(now, &record);
    outbox_note(item, &record);
}

/* Whether it is for this server and user. */
static bool is_ours(const Outbox *o, const OutboxItem *item, const char *path) {
    const RecordWorkload *head = &item->parcel.head;
    const ApiAccount *account = o->config.account;
    if (strcmp(head->server, account->base_url) == 0 && strcmp(head->user, account->username) == 0)
        return true;
    log_warn(o->log,
             "%s: %" PRId64 " games wait for %s, user %s: a worker for that delivers them "
             "(-S, -U, and this --state)",
             path, outbox_item_games(item), head->server, head->user);
    return false;
}

static void load(Outbox *o, const char *name, size_t length) {
    OutboxItem *item = new_item(o);
    Error err = {0};
    item->name = mem_strndup(name, length);
    char *path = item_path(item);
    if (!journal_open(&item->journal, path, take_record, &item->parcel, &err)) {
        log_error(o->log, "%s: it stays as it is, and is not delivered", err.text);
        free_item(item);
    } else if (!is_ours(o, item, path)) {
        free_item(item);
    } else {
        int64_t games = outbox_item_games(item);
        if (games && strcmp(item->parcel.head.host, o->config.host) != 0)
            log_warn(o->log,
                     "%s: was written on %s, and is delivered from here: no worker there may have "
                     "a copy of it",
                     path, item->parcel.head.host);
        open_queue(item);
        link_item(o, item);
        item->ended = true;
        if (item->parcel.parked)
            resume(item);
        /* Whatever the row had when that process ended, it may have more now. */
        if (item->parcel.sending || !item->row->sending)
            outbox_doubt(item);
        if (games)
            log_info(o->log, "test %" PRId64 ": %" PRId64 " games of an earlier run wait in %s%s",
                     item->parcel.head.test_id, games, path,
                     item->parcel.unproved_count ? " for the bench of their engines" : "");
    }
    free(path);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What a process that was killed left half-made; not what somebody put aside as "x.journal.bad". */
static void clear_up(const Outbox *o, const char *name) {
    enum { RANDOM = 6 }; /* Letters and digits after the dot that follows a journal's name. */
    size_t length = strlen(name);
    bool packed = length > sizeof PACKED - 1 && strstr(name, PACKED) != NULL;
    const char *after = strstr(name, ".journal.");
    after = after ? after + strlen(".journal.") : "";
    bool unborn = strlen(after) == RANDOM && strchr(after, '.') == NULL;
    if (!packed && !unborn)
        return;
    char *path = path_of(o, "", name, "");
    unlink(path);
    free(path);
}

static bool load_all(Outbox *o, Error *err) {
    Words names = {0};
    DIR *dir = opendir(o->folder);
    if (!dir)
        return error_set(err, "%s: %s", o->folder, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(dir));)
        words_add(&names, entry->d_name);
    closedir(dir);
    if (names.count)
        qsort(names.items, names.count, sizeof *names.items, by_name);
    for (size_t i = 0; i < names.count; i++) {
        size_t length = strlen(names.items[i]);
        size_t suffix = sizeof SUFFIX - 1;
        if (length > suffix && strcmp(names.items[i] + length - suffix, SUFFIX) == 0)
            load(o, names.items[i], length - suffix);
        else
            clear_up(o, names.items[i]);
    }
    words_free(&names);
    return true;
}

/* ---- The interface ---- */

Outbox *outbox_open(uv_loop_t *loop, const OutboxConfig *config, const OutboxEvents *events,
                    void *user, Error *err) {
    Outbox *o = mem_calloc(1, sizeof *o);
    Text folder = {0};
    text_addf(&folder, "%s/outbox", config->state_dir);
    *o = (Outbox){.config = *config,
                  .loop = loop,
                  .log = config->log,
                  .events = events,
                  .user = user,
                  .folder = text_take(&folder),
                  .unreachable = {.first_ms = config->waits.retry_first,
                                  .most_ms = config->waits.retry_most}};
    if (!file_make_folders(o->folder, err) || chmod(o->folder, MODE_FOLDER) != 0 ||
        !load_all(o, err)) {
        if (!err->text[0])
            error_set(err, "%s: %s", o->folder, strerror(errno));
        free(o->folder);
        free(o);
        return NULL;
    }
    uv_timer_init(loop, &o->timer);
    o->timer.data = o;
    return o;
}

void outbox_set_ready(Outbox *o, bool ready) {
    o->ready = ready;
    delivery_look(o);
}

/* A name that no file has: those that came before may be parked, or somebody else's. */
static char *free_name(const Outbox *o, const RecordWorkload *head) {
    static const char *const folders[] = {"", "parked/", "delivered/"};
    for (int n = 1;; n++) {
        Text name = {0};
        bool taken = false;
        text_addf(&name, "%" PRId64 "-%" PRId64 "-%05d", head->test_id, head->machine_id, n);
        for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
            char *path = path_of(o, folders[i], text_string(&name), SUFFIX);
            taken = taken || access(path, F_OK) == 0;
            free(path);
        }
        /* Some are not on the disk yet. */
        for (const OutboxItem *item = o->items; item; item = item->next)
            taken = taken || (item->name && strcmp(item->name, name.data) == 0);
        if (!taken || n == NAME_MAX_NUMBER)
            return text_take(&name);
        text_free(&name);
    }
}

OutboxItem *outbox_begin(Outbox *o, const Workload *w, int64_t machine_id,
                         const ParcelBench *unproved, size_t unproved_count) {
    OutboxItem *item = new_item(o);
    Text record = {0};
    item->parcel.head = (RecordWorkload){.version = WORKLOAD_RECORD_VERSION,
                                         .created = outbox_now(o),
                                         .server = mem_strdup(o->config.account->base_url),
                                         .user = mem_strdup(o->config.account->username),
                                         .host = mem_strdup(o->config.host),
                                         .test_id = w->test_id,
                                         .machine_id = machine_id,
                                         .result_id = w->result_id,
                                         .book_index = w->book_index,
                                         .type = mem_strdup(w->type_name),
                                         .dev = mem_strdup(w->dev.name),
                                         .base = mem_strdup(w->base.name),
                                         .reporting = mem_strdup(w->reporting_type),
                                         .upload_pgns = mem_strdup(w->upload_pgns)};
    item->name = free_name(o, &item->parcel.head);
    link_item(o, item);
    open_queue(item);
    item->queue.path = item_path(item);
    record_write_workload(&item->parcel.head, &record);
    outbox_note(item, &record);
    for (size_t i = 0; i < unproved_count; i++) {
        parcel_unproved(&item->parcel, &unproved[i]);
        parcel_write_bench("unproved", &unproved[i], &record);
        outbox_note(item, &record);
    }
    return item;
}

void outbox_proved(Outbox *o, const char *sha256, int64_t bench) {
    const ParcelBench proved = {.sha256 = (char *)(uintptr_t)sha256, .bench = bench};
    for (OutboxItem *item = o->items; item; item = item->next) {
        Text record = {0};
        if (item->parked || !parcel_proved(&item->parcel, &proved))
            continue;
        parcel_write_bench("proved", &proved, &record);
        outbox_note(item, &record);
    }
    delivery_look(o);
}

bool outbox_awaits_proof(const Outbox *o) {
    for (const OutboxItem *item = o->items; item; item = item->next)
        if (item->parcel.unproved_count)
            return true;
    return false;
}

/* Nothing of it is ever told. */
static void discard(OutboxItem *item) {
    Text record = {0};
    parcel_dropped(&item->parcel);
    parcel_sum_free(&item->loose);
    parcel_write_mark("dropped", &record);
    outbox_note(item, &record);
}

void outbox_discard(Outbox *o, OutboxItem *item) {
    discard(item);
    outbox_end(o, item);
}

void outbox_discard_unproved(Outbox *o, int64_t test_id) {
    for (OutboxItem *item = o->items; item; item = item->next) {
        if (item->parcel.head.test_id != test_id || !item->parcel.unproved_count || item->parked)
            continue;
        log_info(o->log, "test %" PRId64 ": %" PRId64 " games of a wrong engine are dropped",
                 test_id, outbox_item_games(item));
        discard(item);
    }
    delivery_look(o);
}

void outbox_add(Outbox *o, OutboxItem *item, PairResult *pair) {
    Text record = {0};
    (void)o;
    pair_write(pair, &record);
    note(item, &(Note){.kind = NOTE_PAIR, .pair = pair_move(pair)}, &record);
}

bool outbox_report(Outbox *o, OutboxItem *item) {
    if (tally_games(&item->parcel.waiting.tally) + tally_games(&item->loose.tally) == 0)
        return false;
    item->report = true;
    delivery_look(o);
    return item->batching || (o->asking == item && o->asked == DELIVERY_SEND);
}

void outbox_end(Outbox *o, OutboxItem *item) {
    if (!item)
        return;
    item->ended = true;
    delivery_look(o);
}

void outbox_drop(Outbox *o, int64_t test_id) {
    for (OutboxItem *item = o->items; item; item = item->next) {
        if (item->parcel.head.test_id != test_id || item->parcel.over || item->parked)
            continue;
        Text record = {0};
        int64_t games = outbox_item_games(item);
        if (games)
            log_info(o->log, "test %" PRId64 ": %" PRId64 " games came too late", test_id, games);
        if (item->parcel.unproved_count) {
            discard(item);
            continue;
        }
        parcel_over(&item->parcel);
        parcel_sum_free(&item->loose);
        bool on_its_way = o->asking == item && o->asked == DELIVERY_SEND;
        if (item->row->sending == item && !item->batching && !on_its_way)
            item->row->sending = NULL;
        parcel_write_mark("over", &record);
        outbox_note(item, &record);
    }
}

bool outbox_empty(const Outbox *o) {
    for (const OutboxItem *item = o->items; item; item = item->next)
        if (!item->parked && !item->done)
            return false;
    return true;
}

int64_t outbox_waiting(const Outbox *o) {
    int64_t games = 0;
    for (const OutboxItem *item = o ? o->items : NULL; item; item = item->next)
        games += item->parked ? 0 : outbox_item_games(item);
    return games;
}

/* ---- The end ---- */

static void free_outbox(uv_handle_t *handle) {
    Outbox *o = handle->data;
    const OutboxEvents *events = o->events;
    void *user = o->user;
    free(o->folder);
    free(o);
    events->closed(user);
}

/* Says what stays behind. */
static void leave(const OutboxItem *item) {
    const Outbox *o = item->outbox;
    int64_t test = item->parcel.head.test_id;
    Text what = {0};
    int64_t loose = tally_games(&item->loose.tally) +
                    (item->loose_batch ? tally_games(&item->parcel.batch.tally) : 0);
    if (loose)
        log_error(o->log,
                  "test %" PRId64 ": %" PRId64 " games were not delivered to %s, nor could be kept",
                  test, loose, o->config.account->base_url);
    int64_t kept = outbox_item_games(item) - loose;
    if (!item->name || item->parked || item->done || (kept == 0 && !item->parcel.has_games))
        return;
    describe_rest(item, kept, &what);
    log_warn(o->log, "test %" PRId64 ": %s are kept in %s/%s%s for the next start", test,
             text_string(&what), o->folder, item->name, SUFFIX);
    text_free(&what);
}

void outbox_try_close(Outbox *o) {
    if (!o->closing || o->closed || o->call)
        return;
    for (const OutboxItem *item = o->items; item; item = item->next)
        if (is_busy(item))
            return;
    outbox_sweep(o);
    o->closed = true;
    while (o->items) {
        OutboxItem *item = o->items;
        leave(item);
        o->items = item->next;
        if (item->packed)
            unlink(item->packed);
        free_item(item);
    }
    while (o->rows) {
        Row *row = o->rows;
        o->rows = row->next;
        free(row);
    }
    uv_close((uv_handle_t *)&o->timer, free_outbox);
}

void outbox_close(Outbox *o) {
    o->closing = true;
    http_cancel(o->call);
    outbox_try_close(o);
}
