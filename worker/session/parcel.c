/* SPDX-License-Identifier: MIT */
#include "session/parcel.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/rand.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/memory.h"
#include "openbench/workload.h"

enum { SEEN_MIN = 64 /* Bytes. */ };

typedef enum {
    HEAD,
    PAIR,
    BATCH,
    ADDED,
    WITHDRAWN,
    REFUSED,
    FAILING,
    PARKED,
    RESUMED,
    OVER,
    UNPROVED,
    PROVED,
    DROPPED,
    OTHER
} Kind;

static const char *const KINDS[] = {
    [HEAD] = "head",           [PAIR] = "pair",       [BATCH] = "batch",       [ADDED] = "added",
    [WITHDRAWN] = "withdrawn", [REFUSED] = "refused", [FAILING] = "failing",   [PARKED] = "parked",
    [RESUMED] = "resumed",     [OVER] = "over",       [UNPROVED] = "unproved", [PROVED] = "proved",
    [DROPPED] = "dropped"};

/* ---- Fields of records ---- */

/* A batch's record. */
typedef struct {
    IntList before, share, sum;
    char *number;
    int64_t at;
} BatchRecord;
static const JsonField BATCH_FIELDS[] = {
    {"before", JSON_INT_LIST, JSON_REQUIRED, offsetof(BatchRecord, before)},
    {"share", JSON_INT_LIST, JSON_OPTIONAL, offsetof(BatchRecord, share)},
    {"sum", JSON_INT_LIST, JSON_OPTIONAL, offsetof(BatchRecord, sum)},
    /* Only of a batch with a number, and the last. */
    {"number", JSON_TEXT, JSON_OPTIONAL, offsetof(BatchRecord, number)},
    {"at", JSON_INT, JSON_OPTIONAL, offsetof(BatchRecord, at)}};
enum { NUMBER_FIELDS = 2 };

static const JsonField REFUSAL_FIELDS[] = {
    {"at", JSON_INT, JSON_REQUIRED, offsetof(ParcelRefusal, at)},
    {"words", JSON_TEXT, JSON_REQUIRED, offsetof(ParcelRefusal, words)}};

static const JsonField RESUMED_FIELDS[] = {
    {"at", JSON_INT, JSON_REQUIRED, offsetof(Parcel, resumed)}};

static const JsonField BENCH_FIELDS[] = {
    {"sha256", JSON_TEXT, JSON_REQUIRED, offsetof(ParcelBench, sha256)},
    {"bench", JSON_INT, JSON_REQUIRED, offsetof(ParcelBench, bench)}};

/* ---- Heads ---- */

char *parcel_new_id(void) {
    uint64_t random[2];
    if (RAND_bytes((unsigned char *)random, sizeof random) != 1)
        random[0] = random[1] = (uint64_t)clock_now_ns();
    return text_format("%016" PRIx64 "%016" PRIx64, random[0], random[1]);
}

bool parcel_is_same(const RecordWorkload *a, const RecordWorkload *b) {
    Text texts[2] = {{0}, {0}};
    record_write_workload(a, &texts[0]);
    record_write_workload(b, &texts[1]);
    bool same = strcmp(text_string(&texts[0]), text_string(&texts[1])) == 0;
    text_free(&texts[0]);
    text_free(&texts[1]);
    return same;
}

/* ---- Counts ---- */

void parcel_sum_add(ParcelSum *sum, const Tally *tally, const RealList *deltas) {
    tally_add(&sum->tally, tally);
    if (deltas->count > sum->deltas.count) {
        sum->deltas.items = mem_resize(sum->deltas.items, deltas->count, sizeof *sum->deltas.items);
        for (size_t i = sum->deltas.count; i < deltas->count; i++)
            sum->deltas.items[i] = 0;
        sum->deltas.count = deltas->count;
    }
    for (size_t i = 0; i < deltas->count; i++)
        sum->deltas.items[i] += deltas->items[i];
}

void parcel_sum_free(ParcelSum *sum) {
    free(sum->deltas.items);
    *sum = (ParcelSum){0};
}

void parcel_write_deltas(const ParcelSum *sum, Text *out) {
    for (size_t i = 0; i < sum->deltas.count; i++) {
        text_add(out, i ? ", " : "[");
        text_add_number(out, sum->deltas.items[i]);
    }
    if (sum->deltas.count)
        text_add_char(out, ']');
}

/* ---- Events ---- */

static void set_refusal(ParcelRefusal *refusal, int64_t at, const char *words) {
    free(refusal->words);
    *refusal = (ParcelRefusal){.at = at, .words = mem_strdup(words)};
}

/* Notes the pair's number. False: the number is already noted. */
static bool see(Parcel *parcel, int64_t index) {
    size_t byte = (size_t)index / CHAR_BIT;
    uint8_t bit = (uint8_t)(1u << (size_t)index % CHAR_BIT);
    if (byte >= parcel->seen_size) {
        size_t size = 2 * byte + SEEN_MIN;
        parcel->seen = mem_resize(parcel->seen, size, 1);
        memset(parcel->seen + parcel->seen_size, 0, size - parcel->seen_size);
        parcel->seen_size = size;
    }
    bool seen = parcel->seen[byte] & bit;
    parcel->seen[byte] |= bit;
    return !seen;
}

bool parcel_take_pair(Parcel *parcel, const PairResult *pair) {
    Tally tally = pair_tally(pair);
    if (!see(parcel, pair->index))
        return false;
    parcel->pairs++;
    parcel->has_games = parcel->has_games || (pair->games[0].pgn && !parcel->dropped);
    if (!parcel->over)
        parcel_sum_add(&parcel->waiting, &tally, &pair->deltas);
    return true;
}

void parcel_withdrawn(Parcel *parcel) {
    parcel_sum_add(&parcel->waiting, &parcel->batch.tally, &parcel->batch.deltas);
    parcel_sum_free(&parcel->batch);
    parcel->sending = false;
}

void parcel_make_batch(Parcel *parcel, const BatchMark *mark) {
    if (parcel->over)
        return;
    if (parcel->sending)
        parcel_withdrawn(parcel);
    else
        set_refusal(&parcel->failing, 0, NULL);
    parcel_sum_free(&parcel->batch);
    parcel->batch = parcel->waiting;
    parcel->waiting = (ParcelSum){0};
    parcel->mark = *mark;
    parcel->sending = true;
}

void parcel_added(Parcel *parcel) {
    parcel_sum_free(&parcel->batch);
    parcel->sending = false;
    set_refusal(&parcel->refusal, 0, NULL);
    set_refusal(&parcel->failing, 0, NULL);
}

void parcel_refused(Parcel *parcel, int64_t at, const char *words) {
    set_refusal(&parcel->refusal, at, words);
}

void parcel_failing(Parcel *parcel, int64_t at, const char *words) {
    set_refusal(&parcel->failing, at, words);
}

void parcel_parked(Parcel *parcel) {
    parcel->parked = true;
}

void parcel_resumed(Parcel *parcel, int64_t at) {
    parcel->parked = false;
    parcel->resumed = at;
    set_refusal(&parcel->refusal, 0, NULL);
    set_refusal(&parcel->failing, 0, NULL);
}

void parcel_over(Parcel *parcel) {
    parcel->over = true;
    parcel->sending = false;
    parcel_sum_free(&parcel->waiting);
    parcel_sum_free(&parcel->batch);
}

static bool is_bench(const ParcelBench *a, const ParcelBench *b) {
    return a->bench == b->bench && strcmp(a->sha256, b->sha256) == 0;
}

bool parcel_unproved(Parcel *parcel, const ParcelBench *bench) {
    for (size_t i = 0; i < parcel->unproved_count; i++)
        if (is_bench(&parcel->unproved[i], bench))
            return true;
    if (parcel->unproved_count == PARCEL_BENCHES)
        return false;
    parcel->unproved[parcel->unproved_count++] =
        (ParcelBench){.sha256 = mem_strdup(bench->sha256), .bench = bench->bench};
    return true;
}

bool parcel_proved(Parcel *parcel, const ParcelBench *bench) {
    for (size_t i = 0; i < parcel->unproved_count; i++) {
        if (!is_bench(&parcel->unproved[i], bench))
            continue;
        free(parcel->unproved[i].sha256);
        parcel->unproved[i] = parcel->unproved[--parcel->unproved_count];
        return true;
    }
    return false;
}

static void free_benches(Parcel *parcel) {
    for (size_t i = 0; i < parcel->unproved_count; i++)
        free(parcel->unproved[i].sha256);
    parcel->unproved_count = 0;
}

void parcel_dropped(Parcel *parcel) {
    parcel_over(parcel);
    parcel->dropped = true;
    parcel->has_games = false;
    free_benches(parcel);
}

/* ---- Writing ---- */

static void write_record(const char *kind, const JsonField *fields, size_t count, const void *in,
                         Text *out) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "kind", kind);
    json_write(object, fields, count, in);
    json_take(object, out);
}

void parcel_write_batch(const BatchMark *mark, Text *out) {
    BatchMark copy = *mark;
    BatchRecord record = {.before = {.items = copy.before.row.n, .count = PENTA_CELLS},
                          .sum = {.items = copy.sum.n, .count = PENTA_CELLS},
                          .number = copy.number,
                          .at = copy.at};
    size_t count = COUNT(BATCH_FIELDS) - (*mark->number ? 0 : NUMBER_FIELDS);
    if (mark->before.has_share)
        record.share = (IntList){.items = copy.before.share.n, .count = PENTA_CELLS};
    write_record(KINDS[BATCH], BATCH_FIELDS, count, &record, out);
}

void parcel_write_mark(const char *kind, Text *out) {
    write_record(kind, NULL, 0, NULL, out);
}

void parcel_write_bench(const char *kind, const ParcelBench *bench, Text *out) {
    write_record(kind, BENCH_FIELDS, COUNT(BENCH_FIELDS), bench, out);
}

void parcel_write_refused(const char *kind, const ParcelRefusal *refusal, Text *out) {
    write_record(kind, REFUSAL_FIELDS, COUNT(REFUSAL_FIELDS), refusal, out);
}

void parcel_write_resumed(int64_t at, Text *out) {
    write_record(KINDS[RESUMED], RESUMED_FIELDS, COUNT(RESUMED_FIELDS), &(Parcel){.resumed = at},
                 out);
}

/* ---- Reading ---- */

static bool take_pair(Parcel *parcel, const cJSON *object, Text *pgn, Error *err) {
    PairResult pair = {0};
    bool ok = pair_read(object, &pair, err);
    if (ok && (pair.index < 0 || pair.index >= WORKLOAD_PAIRS_MAX))
        ok = error_set(err, "pair: no workload has a pair of this number");
    bool fresh = ok && parcel_take_pair(parcel, &pair);
    for (int i = 0; fresh && pgn && i < 2; i++)
        text_add(pgn, pair.games[i].pgn ? pair.games[i].pgn : "");
    pair_free(&pair);
    return ok;
}

/* Reads five counts; an empty list leaves *penta. False for any other list. */
static bool read_penta(const IntList *list, Penta *penta) {
    if (list->count == PENTA_CELLS)
        memcpy(penta->n, list->items, sizeof penta->n);
    return list->count == PENTA_CELLS || list->count == 0;
}

/* Whether the text has the form of a batch's number. */
static bool is_number(const char *text) {
    return strlen(text) == BATCH_NUMBER_DIGITS &&
           strspn(text, "0123456789abcdef") == BATCH_NUMBER_DIGITS;
}

static bool take_batch(Parcel *parcel, const cJSON *object, Error *err) {
    BatchRecord record = {0};
    BatchMark mark = {0};
    bool ok = json_read(object, "batch", BATCH_FIELDS, COUNT(BATCH_FIELDS), &record, err);
    if (ok &&
        (record.before.count == 0 || !read_penta(&record.before, &mark.before.row) ||
         !read_penta(&record.share, &mark.before.share) || !read_penta(&record.sum, &mark.sum)))
        ok = error_set(err, "batch: expected lists of five numbers");
    if (ok && record.number && !is_number(record.number))
        ok = error_set(err, "batch: expected a number of %d hexadecimal digits",
                       BATCH_NUMBER_DIGITS);
    if (ok && record.at < 0)
        ok = error_set(err, "batch: the time lies before 1970");
    if (ok) {
        snprintf(mark.number, sizeof mark.number, "%s", record.number ? record.number : "");
        mark.at = record.at;
        mark.before.has_share = record.share.count > 0;
        parcel_make_batch(parcel, &mark);
        if (record.sum.count == 0)
            parcel->mark.sum = parcel->batch.tally.penta;
    }
    json_free_fields(BATCH_FIELDS, COUNT(BATCH_FIELDS), &record);
    return ok;
}

static bool take_refusal(ParcelRefusal *to, Kind kind, const cJSON *object, Error *err) {
    ParcelRefusal refusal = {0};
    bool ok = json_read(object, KINDS[kind], REFUSAL_FIELDS, COUNT(REFUSAL_FIELDS), &refusal, err);
    if (ok)
        set_refusal(to, refusal.at, refusal.words);
    json_free_fields(REFUSAL_FIELDS, COUNT(REFUSAL_FIELDS), &refusal);
    return ok;
}

static bool take_resumed(Parcel *parcel, const cJSON *object, Error *err) {
    Parcel record = {0};
    if (!json_read(object, KINDS[RESUMED], RESUMED_FIELDS, COUNT(RESUMED_FIELDS), &record, err))
        return false;
    parcel_resumed(parcel, record.resumed);
    return true;
}

static bool take_bench(Parcel *parcel, Kind kind, const cJSON *object, Error *err) {
    ParcelBench bench = {0};
    bool ok = json_read(object, KINDS[kind], BENCH_FIELDS, COUNT(BENCH_FIELDS), &bench, err);
    if (ok && kind == PROVED)
        parcel_proved(parcel, &bench);
    else if (ok && !parcel_unproved(parcel, &bench))
        ok = error_set(err, "unproved: more than %d engines", PARCEL_BENCHES);
    json_free_fields(BENCH_FIELDS, COUNT(BENCH_FIELDS), &bench);
    return ok;
}

static Kind kind_of(const cJSON *object) {
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(object, "kind");
    for (size_t i = 0; cJSON_IsString(name) && i < COUNT(KINDS); i++)
        if (strcmp(name->valuestring, KINDS[i]) == 0)
            return (Kind)i;
    return OTHER;
}

static bool take(Parcel *parcel, const cJSON *object, Text *pgn, Error *err) {
    Kind kind = kind_of(object);
    if ((kind == HEAD) != (parcel->head.version == 0))
        return error_set(err, "does not belong to a workload's results");
    switch (kind) {
    case HEAD:
        return record_read_workload(object, &parcel->head, err);
    case PAIR:
        return take_pair(parcel, object, pgn, err);
    case BATCH:
        return take_batch(parcel, object, err);
    case ADDED:
        parcel_added(parcel);
        return true;
    case WITHDRAWN:
        parcel_withdrawn(parcel);
        return true;
    case REFUSED:
        return take_refusal(&parcel->refusal, kind, object, err);
    case FAILING:
        return take_refusal(&parcel->failing, kind, object, err);
    case PARKED:
        parcel_parked(parcel);
        return true;
    case RESUMED:
        return take_resumed(parcel, object, err);
    case UNPROVED:
    case PROVED:
        return take_bench(parcel, kind, object, err);
    case DROPPED:
        parcel_dropped(parcel);
        return true;
    case OVER:
        parcel_over(parcel);
        return true;
    case OTHER:
        return true;
    }
    return true;
}

bool parcel_take_record(Parcel *parcel, const char *text, size_t length, Text *pgn, Error *err) {
    char *line = mem_strndup(text, length);
    cJSON *object = json_parse(line, length, err);
    free(line);
    bool ok = object && take(parcel, object, pgn, err);
    cJSON_Delete(object);
    return ok;
}

/* ---- Freeing ---- */

void parcel_free(Parcel *parcel) {
    record_free_workload(&parcel->head);
    parcel_sum_free(&parcel->waiting);
    parcel_sum_free(&parcel->batch);
    free(parcel->seen);
    free(parcel->refusal.words);
    free(parcel->failing.words);
    free_benches(parcel);
    *parcel = (Parcel){0};
}
