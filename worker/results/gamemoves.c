/* SPDX-License-Identifier: MIT */
#include "results/gamemoves.h"

#include <string.h>

static const char DIGITS[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

enum {
    GROUP_BITS = 5,
    GROUP = 1 << GROUP_BITS, /* The value added to each digit that another digit follows. */
    NUMBER_BITS_MAX = 50,
    CHECKS = 3,
    NAMES = 4,
    PROMOTIONS = 5,
};

/* ---- Writing ---- */

static void add_number(int64_t number, Text *out) {
    for (; number >= GROUP; number >>= GROUP_BITS)
        text_add_char(out, DIGITS[GROUP + number % GROUP]);
    text_add_char(out, DIGITS[number]);
}

static int64_t fold_sign(int64_t number) {
    return number >= 0 ? 2 * number : -2 * number - 1;
}

static int64_t clamp(int64_t value, int64_t min, int64_t max) {
    return value < min ? min : value > max ? max : value;
}

void gamemoves_add(GameMoves *moves, const GameMove *move, Text *out) {
    int *before = &moves->scores[moves->count++ % 2];
    int score = (int)clamp(move->score, -GAMEMOVE_MATE, GAMEMOVE_MATE);
    text_add_char(out, DIGITS[move->from]);
    text_add_char(out, DIGITS[move->to]);
    text_add_char(out, DIGITS[(move->promotion * NAMES + move->named) * CHECKS + move->check]);
    add_number(move->scored ? 1 + fold_sign(score - *before) : 0, out);
    add_number(clamp(move->ms, 0, (int64_t)1 << (NUMBER_BITS_MAX - 1)), out);
    if (move->scored)
        *before = score;
}

/* ---- Reading ---- */

static bool next_digit(const char **text, int *out) {
    const char *digit = **text != '\0' ? strchr(DIGITS, **text) : NULL;
    if (digit == NULL)
        return false;
    *out = (int)(digit - DIGITS);
    (*text)++;
    return true;
}

static bool next_number(const char **text, int64_t *out) {
    int digit = GROUP;
    *out = 0;
    for (int bits = 0; digit >= GROUP; bits += GROUP_BITS) {
        if (bits >= NUMBER_BITS_MAX || !next_digit(text, &digit))
            return false;
        *out |= (int64_t)(digit % GROUP) << bits;
    }
    return true;
}

static int64_t unfold_sign(int64_t number) {
    return number % 2 == 0 ? number / 2 : -(number / 2) - 1;
}

bool gamemoves_next(GameMoves *moves, const char **text, GameMove *out) {
    int marks;
    int64_t score;
    if (!next_digit(text, &out->from) || !next_digit(text, &out->to) || !next_digit(text, &marks) ||
        !next_number(text, &score) || !next_number(text, &out->ms))
        return false;
    int *before = &moves->scores[moves->count++ % 2];
    out->check = marks % CHECKS;
    out->named = marks / CHECKS % NAMES;
    out->promotion = marks / (CHECKS * NAMES);
    out->scored = score > 0;
    out->score = 0;
    if (out->scored) {
        int64_t sum = *before + unfold_sign(score - 1);
        if (sum < -GAMEMOVE_MATE || sum > GAMEMOVE_MATE)
            return false;
        out->score = *before = (int)sum;
    }
    return out->promotion < PROMOTIONS;
}

bool gamemoves_are_sound(const char *text) {
    GameMoves moves = {0};
    GameMove move;
    while (*text != '\0')
        if (!gamemoves_next(&moves, &text, &move))
            return false;
    return true;
}
