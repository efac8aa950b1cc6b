/* SPDX-License-Identifier: MIT */
#include "results/pair.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"

enum { LOST = 0, DRAWN = 1, WON = 2 };

/* ---- Fields of records ---- */

#define PAIR(key, type, need, field)                                                               \
    { key, type, need, offsetof(PairResult, field) }
static const JsonField PAIR_FIELDS[] = {
    PAIR("pair", JSON_INT, JSON_REQUIRED, index),
    PAIR("opening", JSON_INT, JSON_REQUIRED, opening),
    PAIR("ended", JSON_INT, JSON_REQUIRED, ended),
    PAIR("at_ms", JSON_INT, JSON_REQUIRED, at_ms),
    PAIR("deltas", JSON_REAL_LIST, JSON_OPTIONAL, deltas),
};

#define GAME(key, type, need, field)                                                               \
    { key, type, need, offsetof(GameResult, field) }
static const JsonField GAME_FIELDS[] = {
    GAME("points", JSON_INT, JSON_REQUIRED, dev_points),
    GAME("detail", JSON_TEXT, JSON_OPTIONAL, detail),
    GAME("plies", JSON_INT, JSON_REQUIRED, plies),
    GAME("pgn", JSON_TEXT, JSON_OPTIONAL, pgn),
    GAME("fen", JSON_TEXT, JSON_OPTIONAL, fen),
    GAME("moves", JSON_TEXT, JSON_OPTIONAL, moves),
};

/* The ending by its name. */
static const JsonField ENDING_FIELDS[] = {{"ending", JSON_TEXT, JSON_REQUIRED, 0}};

#define PART(key, field)                                                                           \
    { key, JSON_INT, JSON_REQUIRED, offsetof(GamePart, field) }
static const JsonField PART_FIELDS[] = {
    PART("moves", moves),        PART("ms", ms),
    PART("depths", work.depths), PART("depth_moves", work.depth_moves),
    PART("nodes", work.nodes),   PART("nodes_ns", work.nodes_ns),
};

/* Version 1 of a match's journal: a game. */
static const JsonField OLD_GAME_FIELDS[] = {
    GAME("dev_points", JSON_INT, JSON_REQUIRED, dev_points),
    GAME("plies", JSON_INT, JSON_REQUIRED, plies),
    GAME("pgn", JSON_TEXT, JSON_OPTIONAL, pgn),
};
static const JsonField OLD_REASON_FIELDS[] = {{"reason", JSON_TEXT, JSON_REQUIRED, 0}};

/* Versions 1 and 2 of a worker's journal: a pair. */
typedef struct {
    int64_t points, reply;
    int64_t crashes, timelosses, illegals;
    char *pgn;
} OldCounts;
#define OLD_COUNT(key, type, need, field)                                                          \
    { key, type, need, offsetof(OldCounts, field) }
static const JsonField OLD_COUNT_FIELDS[] = {
    OLD_COUNT("points", JSON_INT, JSON_REQUIRED, points),
    OLD_COUNT("reply", JSON_INT, JSON_REQUIRED, reply),
    OLD_COUNT("crashes", JSON_INT, JSON_REQUIRED, crashes),
    OLD_COUNT("timelosses", JSON_INT, JSON_REQUIRED, timelosses),
    OLD_COUNT("illegals", JSON_INT, JSON_REQUIRED, illegals),
    OLD_COUNT("pgn", JSON_TEXT, JSON_OPTIONAL, pgn),
};
static const JsonField OLD_PAIR_FIELDS[] = {
    PAIR("pair", JSON_INT, JSON_REQUIRED, index),
    PAIR("deltas", JSON_REAL_LIST, JSON_OPTIONAL, deltas),
};

/* ---- Facts of games and pairs ---- */

Side game_loser(const GameResult *game) {
    return game->dev_points == LOST ? SIDE_DEV : SIDE_BASE;
}

const char *game_score(const GameResult *game) {
    if (game->dev_points == DRAWN)
        return "1/2-1/2";
    return game_loser(game) == game->white ? "0-1" : "1-0";
}

void game_write_ending(const GameResult *game, Text *out) {
    bool failed = ending_fault(game->ending) != FAULT_NONE;
    bool white = (game_loser(game) == game->white) == failed;
    ending_write(game->ending, white ? "White" : "Black", game->detail, out);
}

Tally pair_tally(const PairResult *pair) {
    Tally tally = tally_of_pair((int)pair->games[0].dev_points, (int)pair->games[1].dev_points);
    for (int i = 0; i < 2; i++) {
        const GameResult *game = &pair->games[i];
        Fault fault = ending_fault(game->ending);
        tally.plies += game->plies;
        tally.crashes += fault == FAULT_CRASH;
        tally.timelosses += fault == FAULT_TIME_LOSS;
        tally.illegals += fault == FAULT_ILLEGAL;
        for (int side = 0; side < SIDE_COUNT; side++)
            work_add(&tally.work[side], &game->parts[side].work);
    }
    return tally;
}

/* ---- Writing ---- */

static void write_game(cJSON *games, const GameResult *game) {
    cJSON *object = cJSON_CreateObject();
    const char *ending = ending_name(game->ending);
    json_write(object, ENDING_FIELDS, COUNT(ENDING_FIELDS), &ending);
    for (int side = 0; side < SIDE_COUNT; side++)
        json_write(cJSON_AddObjectToObject(object, side_name((Side)side)), PART_FIELDS,
                   COUNT(PART_FIELDS), &game->parts[side]);
    json_write(object, GAME_FIELDS, COUNT(GAME_FIELDS), game);
    cJSON_AddItemToArray(games, object);
}

void pair_write(const PairResult *pair, Text *out) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "kind", "pair");
    json_write(object, PAIR_FIELDS, COUNT(PAIR_FIELDS), pair);
    cJSON *games = cJSON_AddArrayToObject(object, "games");
    for (int i = 0; i < 2; i++)
        write_game(games, &pair->games[i]);
    json_take(object, out);
}

/* ---- Reading ---- */

/* Reads a game's members in the present form, but not those of its sides. */
static bool read_new_game(const cJSON *object, GameResult *game, Error *err) {
    char *name = NULL;
    bool ok = json_read(object, "game", GAME_FIELDS, COUNT(GAME_FIELDS), game, err) &&
              json_read(object, "game", ENDING_FIELDS, COUNT(ENDING_FIELDS), &name, err);
    if (ok) {
        game->ending = ending_named(name);
        if (game->ending == ENDING_UNKNOWN && strcmp(name, ending_name(ENDING_UNKNOWN)) != 0)
            ok = error_set(err, "game.ending: \"%s\" is not known", name);
    }
    free(name);
    return ok;
}

static bool read_old_game(const cJSON *object, GameResult *game, Error *err) {
    char *reason = NULL;
    Text detail = {0};
    bool ok = json_read(object, "game", OLD_GAME_FIELDS, COUNT(OLD_GAME_FIELDS), game, err) &&
              json_read(object, "game", OLD_REASON_FIELDS, COUNT(OLD_REASON_FIELDS), &reason, err);
    if (ok)
        game->ending = ending_read(reason, &detail);
    if (detail.length > 0)
        game->detail = text_take(&detail);
    free(reason);
    return ok;
}

static bool check_points(const GameResult *game, Error *err) {
    if (game->dev_points < LOST || game->dev_points > WON || game->plies < 0)
        return error_set(err, "game: the half points are 0, 1 or 2, and plies is at least 0");
    if (ending_fault(game->ending) != FAULT_NONE && game->dev_points == DRAWN)
        return error_set(err, "game: the failing side has lost, but the game is a draw");
    return true;
}

static bool read_game(const cJSON *object, GameResult *game, Error *err) {
    bool old = cJSON_GetObjectItemCaseSensitive(object, "reason") != NULL;
    if (!(old ? read_old_game : read_new_game)(object, game, err))
        return false;
    for (int side = 0; side < SIDE_COUNT; side++) {
        const char *name = side_name((Side)side);
        const cJSON *part = json_object(object, "game", name, err);
        if (part == NULL ||
            !json_read(part, name, PART_FIELDS, COUNT(PART_FIELDS), &game->parts[side], err))
            return false;
    }
    return check_points(game, err);
}

/* Gives this ending to `count` decided games whose ending is still unknown. */
static bool set_old_endings(PairResult *pair, Ending ending, int64_t count, Error *err) {
    for (int i = 0; i < 2 && count > 0; i++) {
        GameResult *game = &pair->games[i];
        if (game->dev_points == DRAWN || game->ending != ENDING_UNKNOWN)
            continue;
        game->ending = ending;
        count--;
    }
    return count == 0 || error_set(err, "pair: more faults than games that were lost");
}

static bool read_counts(const cJSON *record, PairResult *pair, Error *err) {
    OldCounts old = {0};
    bool ok = json_read(record, "pair", OLD_PAIR_FIELDS, COUNT(OLD_PAIR_FIELDS), pair, err) &&
              json_read(record, "pair", OLD_COUNT_FIELDS, COUNT(OLD_COUNT_FIELDS), &old, err);
    pair->games[0].dev_points = old.points;
    pair->games[1].dev_points = old.reply;
    pair->games[0].pgn = old.pgn; /* One text holds both games. */
    return ok && check_points(&pair->games[0], err) && check_points(&pair->games[1], err) &&
           set_old_endings(pair, ENDING_CRASH, old.crashes, err) &&
           set_old_endings(pair, ENDING_TIME_LOSS, old.timelosses, err) &&
           set_old_endings(pair, ENDING_ILLEGAL_MOVE, old.illegals, err);
}

static bool read_games(const cJSON *record, PairResult *pair, Error *err) {
    if (!json_read(record, "pair", PAIR_FIELDS, COUNT(PAIR_FIELDS), pair, err))
        return false;
    const cJSON *games = cJSON_GetObjectItemCaseSensitive(record, "games");
    if (!cJSON_IsArray(games) || cJSON_GetArraySize(games) != 2)
        return error_set(err, "pair: a pair has two games");
    return read_game(cJSON_GetArrayItem(games, 0), &pair->games[0], err) &&
           read_game(cJSON_GetArrayItem(games, 1), &pair->games[1], err);
}

bool pair_read(const cJSON *record, PairResult *pair, Error *err) {
    bool old = cJSON_GetObjectItemCaseSensitive(record, "reply") != NULL;
    pair->games[0].white = SIDE_DEV;
    pair->games[1].white = SIDE_BASE;
    if (!(old ? read_counts : read_games)(record, pair, err))
        return false;
    return pair->index >= 0 || error_set(err, "pair.pair: a pair's number is at least 0");
}

/* ---- Freeing ---- */

void game_free_result(GameResult *game) {
    free(game->detail);
    free(game->pgn);
    free(game->fen);
    free(game->moves);
    *game = (GameResult){0};
}

PairResult pair_move(PairResult *pair) {
    PairResult moved = *pair;
    *pair = (PairResult){0};
    return moved;
}

void pair_free(PairResult *pair) {
    free(pair->deltas.items);
    for (int i = 0; i < 2; i++)
        game_free_result(&pair->games[i]);
    *pair = (PairResult){0};
}
