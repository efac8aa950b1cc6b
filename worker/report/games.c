/* SPDX-License-Identifier: MIT */
#include "report/games.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "results/gamemoves.h"

const int games_score_limits[GAMES_SCORE_CELLS - 1] = {-500, -200, -75, -25, 25, 75, 200, 500};

int games_faults(const ListedPair *pair) {
    return (ending_fault(pair->games[0].ending) != FAULT_NONE) +
           (ending_fault(pair->games[1].ending) != FAULT_NONE);
}

int64_t games_plies(const ListedPair *pair) {
    int64_t first = pair->games[0].plies;
    int64_t second = pair->games[1].plies;
    return first > second ? first : second;
}

/* ---- The list ---- */

static int by_interest(const void *a, const void *b) {
    const ListedPair *one = a;
    const ListedPair *other = b;
    int faults = games_faults(other) - games_faults(one);
    int64_t points = one->games[0].points + one->games[1].points - other->games[0].points -
                     other->games[1].points;
    int64_t plies = games_plies(other) - games_plies(one);
    if (faults != 0)
        return faults;
    if (points != 0)
        return points < 0 ? -1 : 1;
    if (plies != 0)
        return plies < 0 ? -1 : 1;
    return (one->index > other->index) - (one->index < other->index);
}

void games_sort(GameList *list) {
    if (list->count > 0)
        qsort(list->pairs, list->count, sizeof *list->pairs, by_interest);
}

static size_t size_of(const ListedPair *pair) {
    size_t size = pair->fen != NULL ? strlen(pair->fen) : 0;
    for (int i = 0; i < 2; i++)
        size += pair->games[i].moves != NULL ? strlen(pair->games[i].moves) : 0;
    return size;
}

static void forget_moves(ListedPair *pair) {
    free(pair->fen);
    pair->fen = NULL;
    for (int i = 0; i < 2; i++) {
        free(pair->games[i].moves);
        pair->games[i].moves = NULL;
    }
}

/* Sorts the list, and keeps the moves of the most interesting pairs alone, as many as a page has
 * room for. */
static void leave_out(GameList *list) {
    size_t first = 0;
    games_sort(list);
    list->bytes = 0;
    for (; first < list->count; first++) {
        size_t size = size_of(&list->pairs[first]);
        if (list->bytes + size > GAMES_MOVES_MAX)
            break;
        list->bytes += size;
    }
    for (size_t i = first; i < list->count; i++)
        forget_moves(&list->pairs[i]);
}

static ListedPair *add(GameList *list) {
    MEM_ADD(list->pairs, list->count, list->capacity, (ListedPair){0});
    return &list->pairs[list->count - 1];
}

/* ---- Scores ---- */

static Side other_side(Side side) {
    return side == SIDE_DEV ? SIDE_BASE : SIDE_DEV;
}

static int cell_of(int score) {
    int cell = 0;
    while (cell < GAMES_SCORE_CELLS - 1 && score >= games_score_limits[cell])
        cell++;
    return cell;
}

/* Counts the scores of a game's moves. first: the side of the first mover. */
static void count_scores(ListedPair *pair, const char *text, Side first) {
    GameMoves moves = {0};
    GameMove move;
    while (gamemoves_next(&moves, &text, &move)) {
        bool other = moves.count % 2 == 0;
        Side mover = other ? other_side(first) : first;
        uint16_t *cell = &pair->scores[mover][cell_of(move.score)];
        if (move.scored && *cell < UINT16_MAX)
            (*cell)++;
    }
}

/* The side that moves first in a game from `fen`, in which `white` has White. */
static Side first_mover(const char *fen, Side white) {
    const char *blank = strchr(fen, ' ');
    return blank != NULL && blank[1] == 'b' ? other_side(white) : white;
}

/* ---- Adding ---- */

/* Has the pair moves that a page can show? Other moves are not kept. */
static bool has_moves(const PairResult *pair) {
    const GameResult *games = pair->games;
    for (int i = 0; i < 2; i++)
        if (games[i].fen == NULL || games[i].moves == NULL || !gamemoves_are_sound(games[i].moves))
            return false;
    return strcmp(games[0].fen, games[1].fen) == 0;
}

static void copy_moves(ListedPair *listed, const PairResult *pair) {
    listed->fen = mem_strdup(pair->games[0].fen);
    for (int i = 0; i < 2; i++) {
        const GameResult *game = &pair->games[i];
        count_scores(listed, game->moves, first_mover(listed->fen, game->white));
        listed->games[i].moves = mem_strdup(game->moves);
    }
}

void games_add(GameList *list, const PairResult *pair) {
    ListedPair *listed = add(list);
    listed->index = pair->index;
    listed->opening = pair->opening;
    for (int i = 0; i < 2; i++)
        listed->games[i] = (ListedGame){.points = pair->games[i].dev_points,
                                        .plies = pair->games[i].plies,
                                        .ending = pair->games[i].ending};
    if (has_moves(pair))
        copy_moves(listed, pair);
    list->bytes += size_of(listed);
    if (list->bytes > 2 * (size_t)GAMES_MOVES_MAX)
        leave_out(list);
}

static int by_value(const void *a, const void *b) {
    int64_t one = *(const int64_t *)a;
    int64_t other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

void games_copy(GameList *list, const GameList *from, const int64_t *indices, size_t count) {
    bool *taken = mem_calloc(count + 1, sizeof *taken);
    for (size_t i = 0; count > 0 && i < from->count; i++) {
        const ListedPair *pair = &from->pairs[i];
        const int64_t *at = bsearch(&pair->index, indices, count, sizeof *indices, by_value);
        if (at == NULL || taken[at - indices])
            continue;
        taken[at - indices] = true;
        ListedPair *copy = add(list);
        *copy = *pair;
        copy->fen = mem_strdup(pair->fen);
        for (int k = 0; k < 2; k++)
            copy->games[k].moves = mem_strdup(pair->games[k].moves);
    }
    free(taken);
    leave_out(list);
}

void games_free(GameList *list) {
    for (size_t i = 0; i < list->count; i++)
        forget_moves(&list->pairs[i]);
    free(list->pairs);
    *list = (GameList){0};
}

/* ---- Taken together ---- */

GameNumbers games_numbers(const GameList *list) {
    GameNumbers numbers = {0};
    for (size_t i = 0; i < list->count; i++) {
        const ListedPair *pair = &list->pairs[i];
        for (int game = 0; game < 2; game++) {
            int64_t moves = (pair->games[game].plies + 1) / 2;
            int64_t cell = moves / GAMES_LENGTH_STEP;
            numbers.colors[game][pair->games[game].points]++;
            numbers.lengths[cell < GAMES_LENGTH_CELLS ? cell : GAMES_LENGTH_CELLS - 1]++;
        }
        for (int side = 0; side < SIDE_COUNT; side++)
            for (int cell = 0; cell < GAMES_SCORE_CELLS; cell++)
                numbers.scores[side][cell] += pair->scores[side][cell];
    }
    return numbers;
}
