/* SPDX-License-Identifier: MIT */
/* Reads the golden games with their comments, for tests that replay them. */
#ifndef TESTS_MATCH_GOLDEN_H
#define TESTS_MATCH_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "chess/san.h"
#include "match/pgn.h"
#include "runner.h"

enum { GOLDEN_MOVES_MAX = 1024, GOLDEN_COMMENT_MAX = 128 };

/* One game: what pgn_read says, and each move with its comment as written. */
typedef struct {
    PgnRecord record;
    size_t count;
    PgnMove moves[GOLDEN_MOVES_MAX];
    char comments[GOLDEN_MOVES_MAX][GOLDEN_COMMENT_MAX];
    char reason[GOLDEN_COMMENT_MAX]; /* the end of the last comment, from the first capital word */
} GoldenGame;

/* {+0.74/6 n=981, sd=3 …} into the move's fields. */
static inline void golden_read_comment(const char *comment, PgnMove *move) {
    const char *score = comment + 1;
    move->score.known = true;
    move->score.is_mate = score[1] == 'M';
    if (move->score.is_mate) {
        int plies = atoi(score + 2);
        move->score.value = *score == '+' ? (plies + 1) / 2 : -plies / 2;
    } else {
        double pawns = strtod(score, NULL) * 100;
        move->score.value = (int)(pawns < 0 ? pawns - 0.5 : pawns + 0.5);
    }
    move->depth = atoi(strchr(score, '/') + 1);
    move->nodes = strstr(comment, "n=") ? atoll(strstr(comment, "n=") + 2) : -1;
    move->seldepth = strstr(comment, "sd=") ? atoi(strstr(comment, "sd=") + 3) : 0;
}

/* The next game; false at the end. *game may be used again for the next one. */
static inline bool golden_next(PgnReader *reader, GoldenGame *game, bool chess960) {
    Error err = {0};
    size_t before = reader->at;
    if (pgn_read(reader, &game->record, &err) != 1)
        return false;
    Position pos;
    if (!fen_parse(&pos, game->record.fen, chess960, NULL))
        return false;
    char *words = strdup(text_string(&game->record.moves));
    const char *at = strstr(reader->text + before, "\"]\n\n");
    game->count = 0;
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        PgnMove *move = &game->moves[game->count];
        *move = (PgnMove){.move = san_parse(&pos, word)};
        at = strchr(at, '{');
        size_t length = (size_t)(strchr(at, '}') - at) + 1;
        snprintf(game->comments[game->count], GOLDEN_COMMENT_MAX, "%.*s", (int)length, at);
        at += length;
        golden_read_comment(game->comments[game->count++], move);
        if (move->move == MOVE_NONE || game->count == GOLDEN_MOVES_MAX)
            break;
        Undo undo;
        position_make(&pos, move->move, &undo);
    }
    free(words);
    const char *last = game->comments[game->count - 1];
    const char *reason = strpbrk(last + strcspn(last, " "), "WBD");
    snprintf(game->reason, sizeof game->reason, "%.*s", reason ? (int)strcspn(reason, "}") : 0,
             reason ? reason : "");
    return true;
}

/* Reads golden/matches/NAME.pgn; false, and says so, when it is not here. */
static inline bool golden_read(const char *name, Text *out) {
    char file[256];
    Error err = {0};
    snprintf(file, sizeof file, "golden/matches/%s.pgn", name);
    if (file_read(shared_path(file), 1 << 24, out, &err))
        return true;
    fprintf(stderr, "left out: %s\n", err.text);
    return false;
}

#endif
