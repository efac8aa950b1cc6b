/* SPDX-License-Identifier: MIT */
#include "report/record.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "base/json.h"
#include "base/memory.h"
#include "stats/bounds.h"

static const char *const SIDES[SIDE_COUNT] = {"dev", "base"};
static const char *const KINDS[] = {
    [RECORD_OTHER] = "", [RECORD_HEAD] = "head", [RECORD_RUN] = "run", [RECORD_PAIR] = "pair"};
static const char *const FAULTS[] = {[RECORD_NO_FAULT] = "",
                                     [RECORD_CRASH] = "crash",
                                     [RECORD_TIME_LOSS] = "timeloss",
                                     [RECORD_ILLEGAL] = "illegal"};

/* ---- What is in a record: tables for writing, reading and comparing ---- */

#define ENGINE(key, type, need, field)                                                             \
    { key, type, need, offsetof(RecordEngine, field) }
#define HEAD(key, type, need, field)                                                               \
    { key, type, need, offsetof(RecordHead, field) }

/* Of an engine and of the match, what must be the same for a match to go on, and what is told
 * besides. */
static const JsonField ENGINE_MATTERS[] = {
    ENGINE("name", JSON_TEXT, JSON_REQUIRED, name),
    ENGINE("arguments", JSON_TEXT_LIST, JSON_REQUIRED, arguments),
    ENGINE("options", JSON_TEXT_LIST, JSON_REQUIRED, options),
    ENGINE("tc", JSON_TEXT, JSON_REQUIRED, tc),
    ENGINE("program_sha256", JSON_TEXT, JSON_REQUIRED, sha256),
};
static const JsonField ENGINE_TOLD[] = {
    ENGINE("spec", JSON_TEXT, JSON_REQUIRED, spec),
    ENGINE("program", JSON_TEXT, JSON_REQUIRED, program),
};

static const JsonField HEAD_MATTERS[] = {
    HEAD("book_sha256", JSON_TEXT, JSON_REQUIRED, book.sha256),
    HEAD("chess960", JSON_BOOL, JSON_REQUIRED, chess960),
    HEAD("seed", JSON_INT, JSON_REQUIRED, seed),
    HEAD("start", JSON_INT, JSON_REQUIRED, start),
    HEAD("margin", JSON_INT, JSON_REQUIRED, margin),
    HEAD("win_adj", JSON_TEXT, JSON_REQUIRED, win_adj),
    HEAD("draw_adj", JSON_TEXT, JSON_REQUIRED, draw_adj),
    HEAD("syzygy", JSON_TEXT, JSON_OPTIONAL, syzygy),
    HEAD("syzygy_men", JSON_INT, JSON_REQUIRED, syzygy_men),
    HEAD("sprt", JSON_BOOL, JSON_REQUIRED, sprt),
    HEAD("elo0", JSON_REAL, JSON_REQUIRED, rule.elo0),
    HEAD("elo1", JSON_REAL, JSON_REQUIRED, rule.elo1),
    HEAD("alpha", JSON_REAL, JSON_REQUIRED, rule.alpha),
    HEAD("beta", JSON_REAL, JSON_REQUIRED, rule.beta),
    HEAD("pgn", JSON_BOOL, JSON_REQUIRED, pgn),
};
static const JsonField HEAD_TOLD[] = {
    HEAD("version", JSON_INT, JSON_REQUIRED, version),
    HEAD("created", JSON_INT, JSON_REQUIRED, created),
    HEAD("book", JSON_TEXT, JSON_REQUIRED, book.file),
    HEAD("openings", JSON_INT, JSON_REQUIRED, book.openings),
    HEAD("games", JSON_INT, JSON_REQUIRED, games),
};

/* Of the rule, by name. A journal that does not say is of the time when there was one model. */
static const JsonField HEAD_MODEL[] = {{"model", JSON_TEXT, JSON_OPTIONAL, 0}};

#define RUN(key, type, field)                                                                      \
    { key, type, JSON_REQUIRED, offsetof(RecordRun, field) }
static const JsonField RUN_FIELDS[] = {
    RUN("started", JSON_INT, started),
    RUN("host", JSON_TEXT, host),
    RUN("cpu", JSON_TEXT, cpu),
    RUN("cpus", JSON_INT, cpus),
    RUN("concurrency", JSON_INT, concurrency),
};

#define PAIR(key, field)                                                                           \
    { key, JSON_INT, JSON_REQUIRED, offsetof(RecordPair, field) }
static const JsonField PAIR_FIELDS[] = {PAIR("pair", index), PAIR("opening", opening),
                                        PAIR("ended", ended), PAIR("at_ms", at_ms)};

#define GAME(key, type, need, field)                                                               \
    { key, type, need, offsetof(RecordGame, field) }
static const JsonField GAME_FIELDS[] = {
    GAME("result", JSON_TEXT, JSON_REQUIRED, result),
    GAME("dev_points", JSON_INT, JSON_REQUIRED, dev_points),
    GAME("termination", JSON_TEXT, JSON_REQUIRED, termination),
    GAME("reason", JSON_TEXT, JSON_REQUIRED, reason),
    GAME("plies", JSON_INT, JSON_REQUIRED, plies),
    GAME("pgn", JSON_TEXT, JSON_OPTIONAL, pgn),
};

#define PART(key, field)                                                                           \
    { key, JSON_INT, JSON_REQUIRED, offsetof(RecordPart, field) }
static const JsonField PART_FIELDS[] = {
    PART("moves", moves),        PART("ms", ms),
    PART("depths", work.depths), PART("depth_moves", work.depth_moves),
    PART("nodes", work.nodes),   PART("nodes_ns", work.nodes_ns),
};

/* ---- Writing ---- */

static cJSON *new_record(RecordKind kind) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "kind", KINDS[kind]);
    return object;
}

void record_write_head(const RecordHead *head, Text *out) {
    cJSON *object = new_record(RECORD_HEAD);
    json_write(object, HEAD_TOLD, COUNT(HEAD_TOLD), head);
    for (int side = 0; side < SIDE_COUNT; side++) {
        cJSON *engine = cJSON_AddObjectToObject(object, SIDES[side]);
        json_write(engine, ENGINE_TOLD, COUNT(ENGINE_TOLD), &head->engines[side]);
        json_write(engine, ENGINE_MATTERS, COUNT(ENGINE_MATTERS), &head->engines[side]);
    }
    json_write(object, HEAD_MATTERS, COUNT(HEAD_MATTERS), head);
    const char *model = sprt_model_name(head->rule.model);
    json_write(object, HEAD_MODEL, COUNT(HEAD_MODEL), &model);
    json_take(object, out);
}

void record_write_run(const RecordRun *run, Text *out) {
    cJSON *object = new_record(RECORD_RUN);
    json_write(object, RUN_FIELDS, COUNT(RUN_FIELDS), run);
    json_take(object, out);
}

static void write_game(cJSON *games, const RecordGame *game, int white) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "white", SIDES[white]);
    if (game->fault != RECORD_NO_FAULT) {
        cJSON_AddStringToObject(object, "fault", FAULTS[game->fault]);
        cJSON_AddStringToObject(object, "fault_of", SIDES[game->fault_side]);
    }
    for (int side = 0; side < SIDE_COUNT; side++)
        json_write(cJSON_AddObjectToObject(object, SIDES[side]), PART_FIELDS, COUNT(PART_FIELDS),
                   &game->parts[side]);
    json_write(object, GAME_FIELDS, COUNT(GAME_FIELDS), game);
    cJSON_AddItemToArray(games, object);
}

void record_write_pair(const RecordPair *pair, Text *out) {
    cJSON *object = new_record(RECORD_PAIR);
    json_write(object, PAIR_FIELDS, COUNT(PAIR_FIELDS), pair);
    cJSON *games = cJSON_AddArrayToObject(object, "games");
    write_game(games, &pair->games[0], SIDE_DEV);
    write_game(games, &pair->games[1], SIDE_BASE);
    json_take(object, out);
}

/* ---- Reading ---- */

/* The text of the member `key` among `names`; `fallback` when there is no such member. */
static bool read_name(const cJSON *object, const char *key, const char *const *names, size_t count,
                      int fallback, int *out, Error *err) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    *out = fallback;
    if (item == NULL && fallback >= 0)
        return true;
    for (size_t i = 0; cJSON_IsString(item) && i < count; i++) {
        if (strcmp(item->valuestring, names[i]) == 0) {
            *out = (int)i;
            return true;
        }
    }
    return error_set(err, "%s is missing or not known", key);
}

static bool read_model(const cJSON *object, SprtRule *rule, Error *err) {
    char *name = NULL;
    bool ok = json_read(object, "head", HEAD_MODEL, COUNT(HEAD_MODEL), &name, err) &&
              (name == NULL || sprt_parse_model(name, rule, "head.model", err));
    free(name);
    return ok;
}

static bool read_head(const cJSON *object, RecordHead *head, Error *err) {
    if (!json_read(object, "head", HEAD_TOLD, COUNT(HEAD_TOLD), head, err))
        return false;
    if (head->version != RECORD_VERSION)
        return error_set(err, "is of version %lld; this program reads version %d",
                         (long long)head->version, RECORD_VERSION);
    for (int side = 0; side < SIDE_COUNT; side++) {
        const cJSON *engine = json_object(object, "head", SIDES[side], err);
        RecordEngine *out = &head->engines[side];
        if (engine == NULL ||
            !json_read(engine, SIDES[side], ENGINE_TOLD, COUNT(ENGINE_TOLD), out, err) ||
            !json_read(engine, SIDES[side], ENGINE_MATTERS, COUNT(ENGINE_MATTERS), out, err))
            return false;
    }
    return json_read(object, "head", HEAD_MATTERS, COUNT(HEAD_MATTERS), head, err) &&
           read_model(object, &head->rule, err);
}

static bool read_game(const cJSON *object, RecordGame *game, Error *err) {
    int fault;
    if (!json_read(object, "game", GAME_FIELDS, COUNT(GAME_FIELDS), game, err) ||
        !read_name(object, "fault", FAULTS, COUNT(FAULTS), RECORD_NO_FAULT, &fault, err) ||
        !read_name(object, "fault_of", SIDES, SIDE_COUNT, SIDE_DEV, &game->fault_side, err))
        return false;
    game->fault = (RecordFault)fault;
    for (int side = 0; side < SIDE_COUNT; side++) {
        const cJSON *part = json_object(object, "game", SIDES[side], err);
        if (part == NULL ||
            !json_read(part, SIDES[side], PART_FIELDS, COUNT(PART_FIELDS), &game->parts[side], err))
            return false;
    }
    if (game->dev_points < 0 || game->dev_points > 2 || game->plies < 0)
        return error_set(err, "game: dev_points or plies is no number of a game");
    return true;
}

static bool read_pair(const cJSON *object, RecordPair *pair, Error *err) {
    if (!json_read(object, "pair", PAIR_FIELDS, COUNT(PAIR_FIELDS), pair, err))
        return false;
    const cJSON *games = cJSON_GetObjectItemCaseSensitive(object, "games");
    if (pair->index < 0 || !cJSON_IsArray(games) || cJSON_GetArraySize(games) != 2)
        return error_set(err, "pair: a pair has a number from 0 and two games");
    return read_game(cJSON_GetArrayItem(games, 0), &pair->games[0], err) &&
           read_game(cJSON_GetArrayItem(games, 1), &pair->games[1], err);
}

bool record_read(const char *text, size_t length, Record *out, Error *err) {
    char *line = mem_strndup(text, length);
    cJSON *object = json_parse(line, length, err);
    free(line);
    if (object == NULL)
        return false;
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(object, "kind");
    for (size_t i = 0; cJSON_IsString(name) && i < COUNT(KINDS); i++)
        if (strcmp(name->valuestring, KINDS[i]) == 0)
            out->kind = (RecordKind)i;
    bool ok = out->kind == RECORD_HEAD ? read_head(object, &out->head, err)
              : out->kind == RECORD_RUN
                  ? json_read(object, "run", RUN_FIELDS, COUNT(RUN_FIELDS), &out->run, err)
              : out->kind == RECORD_PAIR ? read_pair(object, &out->pair, err)
                                         : true;
    cJSON_Delete(object);
    return ok;
}

/* ---- Freeing ---- */

void record_free_head(RecordHead *head) {
    json_free_fields(HEAD_TOLD, COUNT(HEAD_TOLD), head);
    json_free_fields(HEAD_MATTERS, COUNT(HEAD_MATTERS), head);
    for (int side = 0; side < SIDE_COUNT; side++) {
        json_free_fields(ENGINE_TOLD, COUNT(ENGINE_TOLD), &head->engines[side]);
        json_free_fields(ENGINE_MATTERS, COUNT(ENGINE_MATTERS), &head->engines[side]);
    }
}

void record_free_run(RecordRun *run) {
    json_free_fields(RUN_FIELDS, COUNT(RUN_FIELDS), run);
}

void record_free_pair(RecordPair *pair) {
    for (int i = 0; i < 2; i++)
        json_free_fields(GAME_FIELDS, COUNT(GAME_FIELDS), &pair->games[i]);
}

void record_free(Record *record) {
    record_free_head(&record->head);
    record_free_run(&record->run);
    record_free_pair(&record->pair);
    *record = (Record){0};
}

/* ---- Comparing ---- */

/* What of the two is not the same by this table; whose: "dev's ", or "". */
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
        if (strcmp(text_string(&values[0]), text_string(&values[1])) != 0)
            same = error_set(err, "was begun with %s%s %s, not %s", whose, fields[i].key,
                             text_string(&values[0]), text_string(&values[1]));
        text_free(&values[0]);
        text_free(&values[1]);
    }
    return same;
}

bool record_same_match(const RecordHead *journal, const RecordHead *now, Error *err) {
    static const char *const WHOSE[SIDE_COUNT] = {"dev's ", "base's "};
    for (int side = 0; side < SIDE_COUNT; side++)
        if (!same_fields(ENGINE_MATTERS, COUNT(ENGINE_MATTERS), &journal->engines[side],
                         &now->engines[side], WHOSE[side], err))
            return false;
    const char *models[] = {sprt_model_name(journal->rule.model), sprt_model_name(now->rule.model)};
    return same_fields(HEAD_MATTERS, COUNT(HEAD_MATTERS), journal, now, "", err) &&
           same_fields(HEAD_MODEL, COUNT(HEAD_MODEL), &models[0], &models[1], "", err);
}

/* ---- What records mean ---- */

const char *record_option(const RecordEngine *engine, const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < engine->options.count; i++) {
        const char *option = engine->options.items[i];
        if (strncasecmp(option, name, length) == 0 && option[length] == '=')
            return option + length + 1;
    }
    return "";
}

void record_time_add(RecordTime *time, const Record *record) {
    if (record->kind == RECORD_RUN) {
        time->earlier_ms += time->latest_ms;
        time->latest_ms = 0;
    } else if (record->kind == RECORD_PAIR && record->pair.at_ms > time->latest_ms)
        time->latest_ms = record->pair.at_ms;
}

Tally record_tally(const RecordPair *pair) {
    Tally tally = tally_of_pair((int)pair->games[0].dev_points, (int)pair->games[1].dev_points);
    for (int i = 0; i < 2; i++) {
        const RecordGame *game = &pair->games[i];
        tally.plies += game->plies;
        tally.crashes += game->fault == RECORD_CRASH;
        tally.timelosses += game->fault == RECORD_TIME_LOSS;
        tally.illegals += game->fault == RECORD_ILLEGAL;
        for (int side = 0; side < SIDE_COUNT; side++)
            work_add(&tally.work[side], &game->parts[side].work);
    }
    return tally;
}
