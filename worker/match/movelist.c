/* SPDX-License-Identifier: MIT */
#include "match/movelist.h"

#include <string.h>

#include "chess/fen.h"
#include "chess/move.h"
#include "chess/san.h"
#include "results/gamemoves.h"

/* The score from the mover's view, in the numbers of gamemoves.h. */
static int score_of(const MoveScore *score) {
    int value = score->value;
    int max = score->is_mate ? GAMEMOVE_MATE_MAX : GAMEMOVE_SCORE_MAX;
    value = value > max ? max : value < -max ? -max : value;
    if (!score->is_mate)
        return value;
    return value > 0 ? GAMEMOVE_MATE - value : -GAMEMOVE_MATE - value;
}

/* The parts of the square left that the SAN of a piece's move names: the letters between the
 * piece's letter and the square it goes to. */
static int named_in(const char *san) {
    const char *end = san + strcspn(san, "=+#");
    int named = 0;
    if (strchr("NBRQK", san[0]) == NULL)
        return 0;
    for (const char *c = san + 1; c < end - 2; c++) {
        if (*c >= 'a' && *c <= 'h')
            named |= NAMED_FILE;
        else if (*c >= '1' && *c <= '8')
            named |= NAMED_RANK;
    }
    return named;
}

static GameMove move_of(const Position *pos, const PgnMove *move) {
    char san[SAN_MAX];
    san_format(pos, move->move, san);
    char last = san[strlen(san) - 1];
    bool promotes = move_kind(move->move) == MOVE_PROMOTION;
    return (GameMove){.from = move_from(move->move),
                      .to = move_to(move->move),
                      .promotion = promotes ? move_promotion(move->move) - KNIGHT + 1 : 0,
                      .named = named_in(san),
                      .check = last == '#'   ? 2
                               : last == '+' ? 1
                                             : 0,
                      .scored = !move->book && move->score.known,
                      .score = score_of(&move->score),
                      .ms = move->book ? 0 : move->elapsed_ms};
}

void movelist_write(const PgnGame *game, Text *out) {
    Position pos;
    GameMoves moves = {0};
    chess_init();
    if (!fen_parse(&pos, game->fen, game->chess960, NULL))
        return;
    for (size_t i = 0; i < game->move_count && move_is_legal(&pos, game->moves[i].move); i++) {
        Undo undo;
        GameMove move = move_of(&pos, &game->moves[i]);
        gamemoves_add(&moves, &move, out);
        position_make(&pos, game->moves[i].move, &undo);
    }
}
