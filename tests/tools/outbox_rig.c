/* SPDX-License-Identifier: MIT */
#include "tools/outbox_rig.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/journal.h"
#include "base/memory.h"
#include "session/parcel.h"
#include "tools/openbench_double.h"

char *find_journal(const char *folder) {
    char *path = rig_path(folder);
    Words names = {0};
    char *found = NULL;
    file_list(path, &names, NULL);
    for (size_t i = 0; i < names.count; i++) {
        if (!text_ends_with(names.items[i], ".journal"))
            continue;
        ck_assert_msg(found == NULL, "two journals in %s", path);
        found = text_format("%s/%s", path, names.items[i]);
    }
    words_free(&names);
    free(path);
    return found;
}

int64_t leave_a_journal_of(const RigOffer *offer, const char *report_ms) {
    int64_t kept = 0;
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=2\",", "");
    rig_offer(offer);
    rig_start((const char *const[]){"--report-ms", report_ms, NULL});
    for (int i = 0; i < POLLS && kept < 10; i++, nap())
        kept = rig_kept_games();
    char *hold = rig_path("hold");
    /* Unless benches are held, the engines are proved: their speed is reported after that. */
    if (access(hold, F_OK) != 0)
        ck_assert(double_wait(rig_server, "/clientSubmitNPS/", 1, RIG_PATIENCE_S));
    free(hold);
    kill(rig_worker, SIGKILL);
    rig_wait();
    kept = rig_kept_games();
    ck_assert_int_ge(kept, 10);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
    return kept;
}

int64_t leave_a_journal(void) {
    return leave_a_journal_of(&(RigOffer){.id = 5, .rounds = 100000}, "100000");
}

bool is_parked(void) {
    char *parked = find_journal("state/outbox/parked");
    free(parked);
    return parked != NULL;
}

typedef struct {
    Journal journal;
    const char *path;
    const Change *change;
    int64_t records;
} Rewriting;

/* Copies the record, changed, as a first or a later one. */
static bool rewrite(const char *record, size_t length, void *user, Error *err) {
    static const char seal[] = ",\"crc\":";
    Rewriting *r = user;
    char *line = mem_strndup(record, length);
    char *end = line;
    for (char *next; (next = strstr(end + 1, seal));)
        end = next;
    Text text = {0};
    strcpy(end, "}");
    const char *from = r->change->from;
    const char *at = strstr(line, from);
    if (at && r->change->seal)
        text_addf(&text, "%.*s%s%s", (int)(at - line), line, r->change->to, at + strlen(from));
    else
        text_add(&text, line);
    free(line);
    bool ok = r->records++ == 0 ? journal_create(&r->journal, r->path, text.data, text.length, err)
                                : journal_append(&r->journal, text.data, text.length, err);
    text_free(&text);
    return ok;
}

void spoil(const char *path, const Change *change) {
    Text copy = {0};
    Text bytes = {0};
    Error err = {0};
    text_addf(&copy, "%s.old", path);
    Rewriting r = {.path = path, .change = change};
    ck_assert_int_eq(rename(path, text_string(&copy)), 0);
    ck_assert_msg(journal_read(text_string(&copy), rewrite, &r, &err), "%s", err.text);
    journal_close(&r.journal);
    unlink(text_string(&copy));
    if (!change->seal) {
        ck_assert(file_read(path, FILE_LIMIT, &bytes, &err));
        char *at = strstr(bytes.data, change->from);
        ck_assert_ptr_nonnull(at);
        char *rest = at + strlen(change->from);
        memmove(at + strlen(change->to), rest, strlen(rest) + 1);
        memcpy(at, change->to, strlen(change->to));
        ck_assert(file_write_atomic(path, bytes.data, strlen(bytes.data), 0600, &err));
    }
    text_free(&copy);
    text_free(&bytes);
}

void append(const char *path, const char *bytes) {
    FILE *file = fopen(path, "ab");
    ck_assert_ptr_nonnull(file);
    fputs(bytes, file);
    fclose(file);
}

void refuse(int times) {
    for (int i = 0; i < times; i++)
        double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 200, "{\"error\": \"Not today\"}");
}

void lose_a_batch(DoubleMoment moment) {
    double_replace(rig_server, RESULTS, moment, 500, "<html>");
}

int64_t games_of(int64_t test_id) {
    DoubleRow row;
    int64_t games = 0;
    for (size_t i = 0; double_row(rig_server, i, &row); i++)
        if (row.test_id == test_id)
            games += row.totals.tri[0] + row.totals.tri[1] + row.totals.tri[2];
    return games;
}

int64_t clock_now, clock_set;

static int64_t fake_clock(void) {
    return clock_now + clock_set;
}

static int64_t fake_steady(void) {
    return clock_now;
}

static void on_delivered(int64_t test_id, const Tally *batch, void *user) {
    (void)test_id;
    ((Own *)user)->delivered += tally_games(batch);
}

static void on_over(int64_t test_id, void *user) {
    Own *own = user;
    ck_assert_msg(own->may_end, "test %lld is over", (long long)test_id);
    own->over = test_id;
}

static void on_refused(int64_t test_id, void *user) {
    ((Own *)user)->refused = test_id;
}

static void on_stale(const Error *err, void *user) {
    (void)user;
    ck_abort_msg("%s", err->text);
}

static void on_crowded(const OutboxItem *item, bool crowded, void *user) {
    (void)item;
    (void)crowded;
    (void)user;
}

static void on_changed(void *user) {
    go_on(user);
}

static bool on_unreachable(const Request *request, const Error *err, int times, bool trusted,
                           void *user) {
    (void)request;
    (void)err;
    (void)times;
    (void)user;
    ck_assert(trusted);
    return true;
}

/* The queue's own: an answer came, or a wait is over. */
static void on_moved(void *user) {
    outbox_advance(((Own *)user)->outbox);
}

static void on_queue_closed(void *user) {
    ((Own *)user)->queue = NULL;
}

static void on_closed(int64_t left, void *user) {
    (void)left;
    ((Own *)user)->closed = true;
}

/* Looks at nothing: a stall that one look would end must not pass. */
static void on_tick(uv_timer_t *timer) {
    (void)timer;
}

void go_on(Own *own) {
    outbox_advance(own->outbox);
    queue_look(own->queue);
}

void set_ready(Own *own, bool ready) {
    outbox_set_ready(own->outbox, ready);
    go_on(own);
}

OutboxItem *begin_parcel_of(Own *own, int64_t test_id, int64_t machine_id,
                            const ParcelBench *unproved) {
    char word[] = "";
    char type[] = "SPRT";
    char upload[] = "COMPACT";
    Workload workload = {.test_id = test_id,
                         .result_id = 100 + test_id,
                         .type_name = type,
                         .dev = {.name = word},
                         .base = {.name = word},
                         .reporting_type = word,
                         .upload_pgns = upload};
    OutboxItem *item = outbox_begin(own->outbox, &workload, machine_id, unproved, unproved ? 1 : 0);
    go_on(own);
    return item;
}

OutboxItem *begin_parcel(Own *own, int64_t test_id, const ParcelBench *unproved) {
    return begin_parcel_of(own, test_id, 2, unproved);
}

void add_pair(Own *own, OutboxItem *item, int64_t index) {
    char games[] = "[Event \"x\"]\n\n*\n\n";
    PairResult pair = {.index = index,
                       .games = {{.dev_points = 2, .pgn = mem_strdup(games)}, {.dev_points = 1}}};
    outbox_add(item, &pair);
    go_on(own);
}

void end_parcel(Own *own, OutboxItem *item) {
    outbox_end(own->outbox, item);
    go_on(own);
}

void deliver_of(Own *own, int64_t test_id, const ParcelBench *unproved) {
    OutboxItem *item = begin_parcel(own, test_id, unproved);
    add_pair(own, item, 0);
    end_parcel(own, item);
}

void deliver(Own *own, int64_t test_id) {
    deliver_of(own, test_id, NULL);
}

void wait_for_requests(Own *own, const char *path, size_t count) {
    for (int i = 0; i < POLLS && double_count(rig_server, path) < count; i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    ck_assert_uint_ge(double_count(rig_server, path), count);
}

void wait_until_sending(Own *own) {
    for (int i = 0; i < POLLS && !queue_is_asking(own->queue, &own->table[OUTBOX_SEND]); i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    ck_assert(queue_is_asking(own->queue, &own->table[OUTBOX_SEND]));
}

void wait_until_waiting(Own *own, int64_t games) {
    for (int i = 0; i < POLLS && outbox_waiting(own->outbox) != games; i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    ck_assert_int_eq(outbox_waiting(own->outbox), games);
}

void wait_until_empty(Own *own) {
    for (int i = 0; i < POLLS && !outbox_empty(own->outbox); i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    ck_assert(outbox_empty(own->outbox));
}

void open_own(Own *own) {
    static const OutboxEvents events = {.delivered = on_delivered,
                                        .over = on_over,
                                        .refused = on_refused,
                                        .stale = on_stale,
                                        .crowded = on_crowded,
                                        .changed = on_changed,
                                        .closed = on_closed};
    static const QueueEvents moves = {
        .unreachable = on_unreachable, .changed = on_moved, .closed = on_queue_closed};
    Error err = {0};
    own->closed = false;
    own->outbox = outbox_open(&own->loop, &own->config, &events, own, &err);
    ck_assert_msg(own->outbox != NULL, "%s", err.text);
    for (int i = 0; i < 3; i++)
        own->table[i] = outbox_request(own->outbox, (OutboxRequest)i);
    own->queue = queue_open(&(QueueConfig){.loop = &own->loop,
                                           .log = own->config.log,
                                           .server = own->config.account->base_url,
                                           .retry_first_ms = 1,
                                           .retry_max_ms = 5,
                                           .table = own->table,
                                           .count = 3},
                            &moves, own);
    set_ready(own, true);
}

void shut_own(Own *own) {
    queue_close(own->queue);
    for (int i = 0; i < POLLS && own->queue; i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    outbox_close(own->outbox);
    for (int i = 0; i < POLLS && !own->closed; i++)
        uv_run(&own->loop, UV_RUN_ONCE);
}

void close_own(Own *own) {
    shut_own(own);
    ck_assert(own->closed);
}

void choose_knowledge(Own *own, bool knows) {
    static ApiAccount account; /* The outbox uses the account to its end. */
    account = *own->config.account;
    account.knows_batches = knows;
    own->config.account = &account;
}

void begin_anew(Own *own, bool knows) {
    close_own(own);
    choose_knowledge(own, knows);
    open_own(own);
}

void meet_numbers(Own *own) {
    double_know_batches(rig_server);
    begin_anew(own, true);
}

BatchMark mark_of(const char *number, int64_t before, int64_t pairs) {
    BatchMark mark = {.before = {.row = {{0, 0, 0, before, 0}},
                                 .share = {{0, 0, 0, before, 0}},
                                 .has_share = true},
                      .sum = {{0, 0, 0, pairs, 0}},
                      .at = clock_now};
    memcpy(mark.number, number, sizeof mark.number);
    return mark;
}

void with_own_outbox(void (*scenario)(Own *own)) {
    rig_run(rig_once, 0); /* which registers machine 2 */
    Own own = {0};
    Log log = {0};
    Text url = {0};
    char *state = rig_path("state");
    text_addf(&url, "%s/", double_url(rig_server));
    ApiAccount account = {.base_url = text_string(&url),
                          .username = "tester",
                          .password = "secret",
                          .machine_id = 2,
                          .secret = "secret-2"};
    own.config = (OutboxConfig){.state_dir = state,
                                .host = "h",
                                .account = &account,
                                .waits = {.retry_first = 1,
                                          .retry_max = 5,
                                          .verify = 2,
                                          .verify_again = 1,
                                          .refused_first = 1,
                                          .refused_max = 5,
                                          .park = 24 * HOUR * 1000},
                                .clock = fake_clock,
                                .steady = fake_steady,
                                .log = &log};
    clock_now = 1000000000;
    uv_loop_init(&own.loop);
    uv_timer_init(&own.loop, &own.tick);
    own.tick.data = &own;
    uv_timer_start(&own.tick, on_tick, 10, 10);
    open_own(&own);
    scenario(&own);
    close_own(&own);
    uv_close((uv_handle_t *)&own.tick, NULL);
    uv_run(&own.loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&own.loop), 0);
    text_free(&url);
    free(state);
}

void leave_parcel(const Own *own, const char *name, const BatchMark *mark) {
    char word[] = "";
    char *id = parcel_new_id();
    RecordWorkload head = {.version = WORKLOAD_RECORD_VERSION,
                           .created = clock_now,
                           .id = id,
                           .server = (char *)own->config.account->base_url,
                           .user = (char *)own->config.account->username,
                           .host = (char *)own->config.host,
                           .test_id = 5,
                           .machine_id = 2,
                           .result_id = 105,
                           .type = word,
                           .dev = word,
                           .base = word,
                           .reporting = word,
                           .upload_pgns = word};
    Journal journal;
    Text record = {0};
    Error err = {0};
    char *path = rig_path(name);
    record_write_workload(&head, &record);
    bool ok = journal_create(&journal, path, record.data, record.length, &err);
    ck_assert_msg(ok, "%s", err.text);
    text_free(&record);
    PairResult pair = {.games = {{.dev_points = 2}, {.dev_points = 1}}};
    pair_write(&pair, &record);
    ck_assert(journal_append(&journal, record.data, record.length, &err));
    text_free(&record);
    if (mark) {
        parcel_write_batch(mark, &record);
        ck_assert(journal_append(&journal, record.data, record.length, &err));
    }
    journal_close(&journal);
    text_free(&record);
    free(path);
    free(id);
}

static bool pass_over(const char *record, size_t length, void *user, Error *err) {
    (void)record;
    (void)length;
    (void)user;
    (void)err;
    return true;
}

void add_record(const char *name, const Text *record) {
    Journal journal;
    Error err = {0};
    char *path = rig_path(name);
    ck_assert_msg(journal_open(&journal, path, pass_over, NULL, &err), "%s", err.text);
    bool done = journal_append(&journal, record->data, record->length, &err);
    ck_assert_msg(done, "%s", err.text);
    journal_close(&journal);
    free(path);
}

void add_mark(const char *name, const BatchMark *mark) {
    Text record = {0};
    parcel_write_batch(mark, &record);
    add_record(name, &record);
    text_free(&record);
}
