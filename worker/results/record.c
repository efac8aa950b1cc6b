/* SPDX-License-Identifier: MIT */
#include "results/record.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/json.h"
#include "base/memory.h"
#include "results/scorelist.h"
#include "stats/bounds.h"

static const char *const KINDS[] = {
    [RECORD_OTHER] = "",         [RECORD_HEAD] = "head", [RECORD_WORKLOAD] = "head",
    [RECORD_RUN] = "run",        [RECORD_PAIR] = "pair", [RECORD_OVER] = "over",
    [RECORD_DROPPED] = "dropped"};

/* ---- Fields of records: tables for writing, reading and comparing ---- */

#define ENGINE(key, type, need, field)                                                             \
    { key, type, need, offsetof(RecordEngine, field) }
#define HEAD(key, type, need, field)                                                               \
    { key, type, need, offsetof(RecordHead, field) }

/* Two tables for an engine and two for the match: the settings that must be equal for a match to be
 * continued (MATTERS), and the other ones (TOLD). */
static const JsonField ENGINE_MATTERS[] = {
    ENGINE("name", JSON_TEXT, JSON_REQUIRED, name),
    ENGINE("arguments", JSON_TEXT_LIST, JSON_REQUIRED, arguments),
    ENGINE("options", JSON_TEXT_LIST, JSON_REQUIRED, options),
    ENGINE("tc", JSON_TEXT, JSON_REQUIRED, tc),
    ENGINE("margin", JSON_INT, JSON_OPTIONAL, margin),
    ENGINE("dir", JSON_TEXT, JSON_OPTIONAL, dir),
    ENGINE("program_sha256", JSON_TEXT, JSON_REQUIRED, sha256),
};
static const JsonField ENGINE_TOLD[] = {
    ENGINE("spec", JSON_TEXT, JSON_REQUIRED, spec),
    ENGINE("repository", JSON_TEXT, JSON_OPTIONAL, repository),
    ENGINE("commit", JSON_TEXT, JSON_OPTIONAL, commit),
    ENGINE("subject", JSON_TEXT, JSON_OPTIONAL, subject),
    ENGINE("changes", JSON_TEXT, JSON_OPTIONAL, changes),
    ENGINE("web", JSON_TEXT, JSON_OPTIONAL, web),
    ENGINE("program", JSON_TEXT, JSON_REQUIRED, program),
};

static const JsonField HEAD_MATTERS[] = {
    HEAD("book_sha256", JSON_TEXT, JSON_REQUIRED, book.sha256),
    HEAD("chess960", JSON_BOOL, JSON_REQUIRED, chess960),
    HEAD("seed", JSON_INT, JSON_REQUIRED, seed),
    HEAD("start", JSON_INT, JSON_REQUIRED, start),
    HEAD("sequential", JSON_BOOL, JSON_OPTIONAL, sequential),
    HEAD("plies", JSON_INT, JSON_OPTIONAL, plies),
    HEAD("win_adj", JSON_TEXT, JSON_REQUIRED, win_adj),
    HEAD("draw_adj", JSON_TEXT, JSON_REQUIRED, draw_adj),
    HEAD("max_moves", JSON_INT, JSON_OPTIONAL, moves_max),
    HEAD("syzygy", JSON_TEXT, JSON_OPTIONAL, syzygy),
    HEAD("syzygy_men", JSON_INT, JSON_REQUIRED, syzygy_men),
    HEAD("sprt", JSON_BOOL, JSON_REQUIRED, sprt),
    HEAD("elo0", JSON_REAL, JSON_REQUIRED, rule.elo0),
    HEAD("elo1", JSON_REAL, JSON_REQUIRED, rule.elo1),
    HEAD("alpha", JSON_REAL, JSON_REQUIRED, rule.alpha),
    HEAD("beta", JSON_REAL, JSON_REQUIRED, rule.beta),
    HEAD("restart", JSON_BOOL, JSON_OPTIONAL, restart),
    HEAD("pgn", JSON_BOOL, JSON_REQUIRED, pgn),
    HEAD("positions", JSON_BOOL, JSON_OPTIONAL, positions),
    HEAD("pgn_pv", JSON_BOOL, JSON_OPTIONAL, pgn_pv),
    HEAD("pgn_hashfull", JSON_BOOL, JSON_OPTIONAL, pgn_hashfull),
    HEAD("pgn_notation", JSON_TEXT, JSON_OPTIONAL, pgn_notation),
};
static const JsonField HEAD_TOLD[] = {
    HEAD("version", JSON_INT, JSON_REQUIRED, version),
    HEAD("created", JSON_INT, JSON_REQUIRED, created),
    HEAD("book", JSON_TEXT, JSON_REQUIRED, book.file),
    HEAD("openings", JSON_INT, JSON_REQUIRED, book.openings),
    HEAD("games", JSON_INT, JSON_REQUIRED, games),
    HEAD("earlier", JSON_INT_LIST, JSON_OPTIONAL, earlier),
    HEAD("asked", JSON_TEXT_LIST, JSON_OPTIONAL, asked),
};

#define TUNING(key, type, field)                                                                   \
    { key, type, JSON_REQUIRED, offsetof(RecordTuning, field) }
static const JsonField TUNING_MATTERS[] = {
    TUNING("parameters", JSON_TEXT_LIST, parameters),
    TUNING("iterations", JSON_INT, schedule.iterations),
    TUNING("pairs_per", JSON_INT, schedule.pairs_per),
    TUNING("alpha", JSON_REAL, schedule.alpha),
    TUNING("gamma", JSON_REAL, schedule.gamma),
    TUNING("a_ratio", JSON_REAL, schedule.a_ratio),
    TUNING("overlap", JSON_INT, overlap),
};

/* The rule's model by name. Journals without the name are from the time of the only model,
 * normalized Elo. */
static const JsonField HEAD_MODEL[] = {{"model", JSON_TEXT, JSON_OPTIONAL, 0}};

/* The margin of both engines, in older journals whose engines have no margins of their own. */
static const JsonField OLD_MARGIN[] = {{"margin", JSON_INT, JSON_REQUIRED, 0}};

#define RUN(key, type, need, field)                                                                \
    { key, type, need, offsetof(RecordRun, field) }
static const JsonField RUN_FIELDS[] = {
    RUN("started", JSON_INT, JSON_REQUIRED, started),
    RUN("host", JSON_TEXT, JSON_REQUIRED, host),
    RUN("cpu", JSON_TEXT, JSON_REQUIRED, cpu),
    RUN("cpus", JSON_INT, JSON_REQUIRED, cpus),
    RUN("concurrency", JSON_INT, JSON_REQUIRED, concurrency),
    RUN("games", JSON_INT, JSON_OPTIONAL, games),
    RUN("asked", JSON_TEXT_LIST, JSON_OPTIONAL, asked),
};

#define WORKLOAD(key, type, field)                                                                 \
    { key, type, JSON_REQUIRED, offsetof(RecordWorkload, field) }
static const JsonField WORKLOAD_FIELDS[] = {
    WORKLOAD("version", JSON_INT, version),
    WORKLOAD("created", JSON_INT, created),
    WORKLOAD("server", JSON_TEXT, server),
    WORKLOAD("user", JSON_TEXT, user),
    WORKLOAD("test", JSON_INT, test_id),
    WORKLOAD("machine", JSON_INT, machine_id),
    WORKLOAD("result", JSON_INT, result_id),
    WORKLOAD("book_index", JSON_INT, book_index),
    WORKLOAD("type", JSON_TEXT, type),
    WORKLOAD("dev", JSON_TEXT, dev),
    WORKLOAD("base", JSON_TEXT, base),
    WORKLOAD("host", JSON_TEXT, host),
    WORKLOAD("reporting", JSON_TEXT, reporting),
    WORKLOAD("upload_pgns", JSON_TEXT, upload_pgns),
    {"id", JSON_TEXT, JSON_OPTIONAL, offsetof(RecordWorkload, id)},
};

/* ---- Writing ---- */

static cJSON *new_record(RecordKind kind) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "kind", KINDS[kind]);
    return object;
}

static cJSON *describe_head(const RecordHead *head) {
    cJSON *object = new_record(RECORD_HEAD);
    json_write(object, HEAD_TOLD, COUNT(HEAD_TOLD), head);
    for (int side = 0; side < SIDE_COUNT; side++) {
        cJSON *engine = cJSON_AddObjectToObject(object, side_name((Side)side));
        json_write(engine, ENGINE_TOLD, COUNT(ENGINE_TOLD), &head->engines[side]);
        json_write(engine, ENGINE_MATTERS, COUNT(ENGINE_MATTERS), &head->engines[side]);
    }
    json_write(object, HEAD_MATTERS, COUNT(HEAD_MATTERS), head);
    const char *model = sprt_model_name(head->rule.model);
    json_write(object, HEAD_MODEL, COUNT(HEAD_MODEL), &model);
    if (head->tuning.parameters.count > 0)
        json_write(cJSON_AddObjectToObject(object, "tuning"), TUNING_MATTERS, COUNT(TUNING_MATTERS),
                   &head->tuning);
    return object;
}

void record_write_head(const RecordHead *head, Text *out) {
    json_take(describe_head(head), out);
}

/* ---- Addresses on the web ---- */

/* The part of an address between a repository and its pages: "/-" on GitLab, nothing on GitHub,
 * Codeberg and similar servers. */
static const char *pages_of(const char *web) {
    const char *host = web + strlen("https://");
    const char *gitlab = strstr(host, "gitlab");
    return gitlab != NULL && gitlab < host + strcspn(host, "/") ? "/-" : "";
}

/* Whether this may be a public address of a repository. */
static bool is_web(const char *web) {
    return web != NULL && text_starts_with(web, "https://");
}

char *record_commit_page(const RecordEngine *engine) {
    if (!is_web(engine->web) || engine->commit == NULL)
        return NULL;
    return text_format("%s%s/commit/%s", engine->web, pages_of(engine->web), engine->commit);
}

char *record_difference(const RecordHead *head) {
    const RecordEngine *dev = &head->engines[SIDE_DEV];
    const RecordEngine *base = &head->engines[SIDE_BASE];
    if (!is_web(dev->web) || base->web == NULL || strcmp(dev->web, base->web) != 0 ||
        dev->commit == NULL || base->commit == NULL || strcmp(dev->commit, base->commit) == 0)
        return NULL;
    return text_format("%s%s/compare/%s...%s", dev->web, pages_of(dev->web), base->commit,
                       dev->commit);
}

static void add_address(cJSON *object, const char *key, char *address) {
    if (address != NULL)
        cJSON_AddStringToObject(object, key, address);
    free(address);
}

void record_write_settings(const RecordHead *head, Text *out) {
    cJSON *object = describe_head(head);
    cJSON_DeleteItemFromObjectCaseSensitive(object, "kind");
    cJSON_DeleteItemFromObjectCaseSensitive(object, "version");
    cJSON_DeleteItemFromObjectCaseSensitive(object, "created");
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++) {
        cJSON *engine = cJSON_GetObjectItemCaseSensitive(object, side_name(side));
        cJSON_DeleteItemFromObjectCaseSensitive(engine, "program");
        cJSON_DeleteItemFromObjectCaseSensitive(engine, "repository");
        add_address(engine, "page", record_commit_page(&head->engines[side]));
    }
    add_address(object, "difference", record_difference(head));
    json_take(object, out);
}

void record_write_run(const RecordRun *run, Text *out) {
    cJSON *object = new_record(RECORD_RUN);
    json_write(object, RUN_FIELDS, COUNT(RUN_FIELDS), run);
    json_take(object, out);
}

void record_write_workload(const RecordWorkload *workload, Text *out) {
    cJSON *object = new_record(RECORD_WORKLOAD);
    json_write(object, WORKLOAD_FIELDS, COUNT(WORKLOAD_FIELDS), workload);
    json_take(object, out);
}

/* ---- Reading ---- */

static bool read_model(const cJSON *object, SprtRule *rule, Error *err) {
    char *name = NULL;
    bool ok = json_read(object, "head", HEAD_MODEL, COUNT(HEAD_MODEL), &name, err) &&
              (name == NULL || sprt_parse_model(name, rule, "head.model", err));
    free(name);
    return ok;
}

/* Reads an engine. In older journals the match's margin is the margin of both engines. */
static bool read_engine(const cJSON *object, const char *name, RecordEngine *out, Error *err) {
    const cJSON *engine = json_object(object, "head", name, err);
    if (engine == NULL || !json_read(engine, name, ENGINE_TOLD, COUNT(ENGINE_TOLD), out, err) ||
        !json_read(engine, name, ENGINE_MATTERS, COUNT(ENGINE_MATTERS), out, err))
        return false;
    return cJSON_GetObjectItemCaseSensitive(engine, "margin") != NULL ||
           json_read(object, "head", OLD_MARGIN, COUNT(OLD_MARGIN), &out->margin, err);
}

bool record_is_head(const Record *record) {
    return record->kind == RECORD_HEAD || record->kind == RECORD_WORKLOAD;
}

bool record_check_place(const Record *record, bool first, Error *err) {
    return first == record_is_head(record) ||
           error_set(err,
                     first ? "is not the head of a match or of a workload" : "is a second head");
}

void record_drop_unit(char *tc) {
    size_t length = strlen(tc);
    if (text_starts_with(tc, "MT=") && tc[length - 1] == 's')
        tc[length - 1] = '\0';
}

static bool read_head(const cJSON *object, RecordHead *head, Error *err) {
    if (!json_read(object, "head", HEAD_TOLD, COUNT(HEAD_TOLD), head, err))
        return false;
    if (head->version < 1 || head->version > RECORD_VERSION)
        return error_set(err, "is of version %lld; this program reads versions up to %d",
                         (long long)head->version, RECORD_VERSION);
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++) {
        if (!read_engine(object, side_name(side), &head->engines[side], err))
            return false;
        record_drop_unit(head->engines[side].tc);
    }
    const cJSON *tuning = cJSON_GetObjectItemCaseSensitive(object, "tuning");
    if (!json_read(object, "head", HEAD_MATTERS, COUNT(HEAD_MATTERS), head, err))
        return false;
    if (head->pgn_notation == NULL) /* Older journals are from the time of the only notation. */
        head->pgn_notation = mem_strdup("san");
    Tally earlier;
    if (!scorelist_read(&head->earlier, &earlier, err))
        return error_prefix(err, "head.earlier");
    return read_model(object, &head->rule, err) &&
           (tuning == NULL || json_read(tuning, "head.tuning", TUNING_MATTERS,
                                        COUNT(TUNING_MATTERS), &head->tuning, err));
}

bool record_read_workload(const cJSON *object, RecordWorkload *workload, Error *err) {
    /* Only the first row, the version, is read before the check: a later version may have other
     * members. */
    if (!json_read(object, "head", WORKLOAD_FIELDS, 1, workload, err))
        return false;
    if (workload->version < 1 || workload->version > WORKLOAD_RECORD_VERSION)
        return error_set(err, "is of version %lld; this program reads versions up to %d",
                         (long long)workload->version, WORKLOAD_RECORD_VERSION);
    return json_read(object, "head", WORKLOAD_FIELDS, COUNT(WORKLOAD_FIELDS), workload, err);
}

/* The kind of a record. The heads of both kinds of journals are named "head"; only the head of a
 * worker's journal has a server. */
static RecordKind kind_of(const cJSON *object) {
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(object, "kind");
    RecordKind kind = RECORD_OTHER;
    for (size_t i = 0; cJSON_IsString(name) && kind == RECORD_OTHER && i < COUNT(KINDS); i++)
        if (strcmp(name->valuestring, KINDS[i]) == 0)
            kind = (RecordKind)i;
    if (kind == RECORD_HEAD && cJSON_GetObjectItemCaseSensitive(object, "server") != NULL)
        kind = RECORD_WORKLOAD;
    return kind;
}

static bool read_kind(const cJSON *object, Record *out, Error *err) {
    switch (out->kind) {
    case RECORD_HEAD:
        return read_head(object, &out->head, err);
    case RECORD_WORKLOAD:
        return record_read_workload(object, &out->workload, err);
    case RECORD_RUN:
        out->run.games = RECORD_GAMES_UNKNOWN;
        return json_read(object, "run", RUN_FIELDS, COUNT(RUN_FIELDS), &out->run, err);
    case RECORD_PAIR:
        return pair_read(object, &out->pair, err);
    case RECORD_OVER:
    case RECORD_DROPPED:
    case RECORD_OTHER:
        break;
    }
    return true;
}

bool record_read(const char *text, size_t length, Record *out, Error *err) {
    char *line = mem_strndup(text, length);
    cJSON *object = json_parse(line, length, err);
    free(line);
    if (object == NULL)
        return false;
    out->kind = kind_of(object);
    bool ok = read_kind(object, out, err);
    cJSON_Delete(object);
    return ok;
}

/* ---- Freeing ---- */

void record_free_head(RecordHead *head) {
    json_free_fields(HEAD_TOLD, COUNT(HEAD_TOLD), head);
    json_free_fields(HEAD_MATTERS, COUNT(HEAD_MATTERS), head);
    json_free_fields(TUNING_MATTERS, COUNT(TUNING_MATTERS), &head->tuning);
    for (int side = 0; side < SIDE_COUNT; side++) {
        json_free_fields(ENGINE_TOLD, COUNT(ENGINE_TOLD), &head->engines[side]);
        json_free_fields(ENGINE_MATTERS, COUNT(ENGINE_MATTERS), &head->engines[side]);
    }
}

void record_free_run(RecordRun *run) {
    json_free_fields(RUN_FIELDS, COUNT(RUN_FIELDS), run);
}

void record_free_workload(RecordWorkload *workload) {
    json_free_fields(WORKLOAD_FIELDS, COUNT(WORKLOAD_FIELDS), workload);
}

void record_free(Record *record) {
    record_free_head(&record->head);
    record_free_run(&record->run);
    record_free_workload(&record->workload);
    pair_free(&record->pair);
    *record = (Record){0};
}

/* ---- Comparing ---- */

/* Appends the option of `obworker match` and `tune` that sets this field of a match, in brackets:
 * " (--win-adj)" for win_adj. */
static void add_option(const char *key, Text *out) {
    static const char *const OTHERS[][2] = {
        {"book_sha256", "book"}, {"sequential", "openings-order"}, {"elo0", "bounds"},
        {"elo1", "bounds"},      {"alpha", "confidence"},          {"beta", "confidence"}};
    for (size_t i = 0; i < COUNT(OTHERS); i++)
        if (strcmp(OTHERS[i][0], key) == 0)
            key = OTHERS[i][1];
    text_add(out, " (--");
    for (; *key != '\0'; key++)
        text_add_char(out, *key == '_' ? '-' : *key);
    text_add_char(out, ')');
}

/* Compares the fields of this table. The error names the first field that differs, and where whose
 * is "" the option that sets it. whose: "dev's ", "" for the match. */
static bool same_fields(const JsonField *fields, size_t count, const void *journal, const void *now,
                        const char *whose, Error *err) {
    bool same = true;
    for (size_t i = 0; same && i < count; i++) {
        Text values[2] = {{0}, {0}};
        const void *structs[2] = {journal, now};
        for (int k = 0; k < 2; k++) {
            cJSON *one = cJSON_CreateObject();
            json_write(one, &fields[i], 1, structs[k]);
            char *text = cJSON_PrintUnformatted(one->child);
            text_add(&values[k], text != NULL ? text : "none");
            cJSON_free(text);
            cJSON_Delete(one);
        }
        if (strcmp(text_string(&values[0]), text_string(&values[1])) != 0) {
            Text option = {0};
            if (whose[0] == '\0')
                add_option(fields[i].key, &option);
            same =
                error_set(err, "was begun with %s%s %s, not %s%s", whose, fields[i].key,
                          text_string(&values[0]), text_string(&values[1]), text_string(&option));
            text_free(&option);
        }
        text_free(&values[0]);
        text_free(&values[1]);
    }
    return same;
}

/* Appends the commit of an engine: 60c5137 "Reduce less" + changes. */
static void add_commit(const RecordEngine *engine, const char *changes, Text *out) {
    enum { HASH_SHOWN = 7 };
    text_addf(out, "%.*s \"%s\"%s", HASH_SHOWN, engine->commit,
              engine->subject != NULL ? engine->subject : "",
              engine->changes != NULL ? changes : "");
}

/* Sets the error for a SPEC whose sources have changed since the journal was begun. */
static bool tell_commits(const RecordEngine *journal, const RecordEngine *now, Side side,
                         Error *err) {
    bool changed_again = text_same(journal->commit, now->commit) && journal->changes != NULL;
    Text text = {0};
    text_addf(&text, "%s's %s was ", side_name(side), now->spec);
    add_commit(journal, " + changes", &text);
    text_add(&text, " and is ");
    add_commit(now, changed_again ? " + other changes" : " + changes", &text);
    text_add(&text, " now");
    if (text_starts_with(now->spec, "git:"))
        text_addf(&text, "; git:%s is the old one", journal->commit);
    error_set(err, "was begun with other sources: %s", text_string(&text));
    text_free(&text);
    return false;
}

/* Whether the engine is the same program. The error tells the difference in words. */
static bool same_program(const RecordEngine *journal, const RecordEngine *now, Side side,
                         Error *err) {
    enum { DIGEST_SHOWN = 12 };
    if (strcmp(journal->sha256, now->sha256) == 0)
        return true;
    if (strcmp(journal->spec, now->spec) != 0)
        return error_set(err, "was begun with another engine: %s was %s and is %s now",
                         side_name(side), journal->spec, now->spec);
    if (journal->commit != NULL && now->commit != NULL &&
        (!text_same(journal->commit, now->commit) || !text_same(journal->changes, now->changes)))
        return tell_commits(journal, now, side, err);
    return error_set(
        err,
        "was begun with another build of %s: the program of %s had the SHA-256 %.*s... "
        "and has %.*s... now",
        side_name(side), now->spec, DIGEST_SHOWN, journal->sha256, DIGEST_SHOWN, now->sha256);
}

static bool same_earlier(const IntList *a, const IntList *b) {
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->items, b->items, a->count * sizeof *a->items) == 0);
}

bool record_same_match(const RecordHead *journal, const RecordHead *now, Error *err) {
    static const char *const WHOSE[SIDE_COUNT] = {"dev's ", "base's "};
    bool was_tuning = journal->tuning.parameters.count > 0;
    bool is_tuning = now->tuning.parameters.count > 0;
    if (was_tuning != is_tuning)
        return error_set(err, "was begun as a %s, not as a %s", was_tuning ? "tuning" : "match",
                         is_tuning ? "tuning" : "match");
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++)
        if (!same_program(&journal->engines[side], &now->engines[side], side, err) ||
            !same_fields(ENGINE_MATTERS, COUNT(ENGINE_MATTERS), &journal->engines[side],
                         &now->engines[side], is_tuning ? "the engine's " : WHOSE[side], err))
            return false;
    if (journal->sprt != now->sprt)
        return error_set(err, "was begun %s",
                         journal->sprt ? "with an SPRT (--bounds)"
                                       : "without an SPRT (--games alone)");
    if (now->sprt && !same_earlier(&journal->earlier, &now->earlier))
        return error_set(err, "was begun %s (--after), which an SPRT counts",
                         journal->earlier.count == 0 ? "without earlier games"
                         : now->earlier.count == 0   ? "with earlier games"
                                                     : "with other earlier games");
    const char *models[] = {sprt_model_name(journal->rule.model), sprt_model_name(now->rule.model)};
    return same_fields(HEAD_MATTERS, COUNT(HEAD_MATTERS), journal, now, "", err) &&
           same_fields(HEAD_MODEL, COUNT(HEAD_MODEL), &models[0], &models[1], "", err) &&
           (!is_tuning || same_fields(TUNING_MATTERS, COUNT(TUNING_MATTERS), &journal->tuning,
                                      &now->tuning, "the tuning's ", err));
}

/* ---- Facts from records ---- */

static bool is_sound(const RecordTuning *t) {
    const SpsaSchedule *s = &t->schedule;
    return s->iterations >= 1 && s->iterations <= TUNING_ITERATIONS_MAX && s->pairs_per >= 1 &&
           s->pairs_per <= TUNING_PAIRS_PER_MAX && t->overlap >= 1 &&
           t->overlap <= TUNING_OVERLAP_MAX && s->alpha >= 0 &&
           s->alpha <= (double)TUNING_EXPONENT_MAX && s->gamma >= 0 &&
           s->gamma <= (double)TUNING_EXPONENT_MAX && s->a_ratio >= 0 &&
           s->a_ratio <= (double)TUNING_A_RATIO_MAX && t->parameters.count <= SPSA_PARAMETERS_MAX;
}

bool record_tuning(const RecordHead *head, Tuning *out, Error *err) {
    const RecordTuning *t = &head->tuning;
    *out = (Tuning){0};
    if (t->parameters.count == 0 || !is_sound(t))
        return error_set(err, "describes a tuning that nobody can play");
    SpsaParameter *parameters = mem_calloc(t->parameters.count, sizeof *parameters);
    bool ok = true;
    for (size_t i = 0; ok && i < t->parameters.count; i++)
        ok = spsa_read_parameter(t->parameters.items[i], &parameters[i], err);
    if (ok) {
        tuning_init(out, &t->schedule, t->overlap, (uint64_t)head->seed, parameters,
                    t->parameters.count);
        return true;
    }
    for (size_t i = 0; i < t->parameters.count; i++)
        spsa_free_parameter(&parameters[i]);
    free(parameters);
    return false;
}

void record_time_add(RecordTime *time, const Record *record) {
    if (record->kind == RECORD_RUN) {
        time->earlier_ms += time->latest_ms;
        time->latest_ms = 0;
    } else if (record->kind == RECORD_PAIR && record->pair.at_ms > time->latest_ms)
        time->latest_ms = record->pair.at_ms;
}
