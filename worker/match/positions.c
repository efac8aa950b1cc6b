/* SPDX-License-Identifier: MIT */
#include "match/positions.h"

#include <string.h>

#include "chess/attacks.h"
#include "chess/fen.h"
#include "chess/move.h"

/* The score in centipawns, from the mover's side. */
static int centipawns(const MoveScore *score) {
    if (score->is_mate)
        return score->value > 0 ? POSITIONS_MATE : -POSITIONS_MATE;
    return score->value > POSITIONS_SCORE_MAX    ? POSITIONS_SCORE_MAX
           : score->value < -POSITIONS_SCORE_MAX ? -POSITIONS_SCORE_MAX
                                                 : score->value;
}

static const char *white_points(const char *result) {
    return strcmp(result, "1-0") == 0 ? "1.0" : strcmp(result, "0-1") == 0 ? "0.0" : "0.5";
}

void positions_write(const PgnGame *game, Text *out) {
    Position pos;
    chess_init();
    if (!fen_parse(&pos, game->fen, game->chess960, NULL))
        return;
    for (size_t i = 0; i < game->move_count; i++) {
        const PgnMove *move = &game->moves[i];
        Undo undo;
        if (!move->book && move->score.known) {
            char fen[FEN_MAX];
            int score = centipawns(&move->score);
            fen_format(&pos, fen);
            text_addf(out, "%s | %d | %s\n", fen, pos.stm == WHITE ? score : -score,
                      white_points(game->result));
        }
        position_make(&pos, move->move, &undo);
    }
}
