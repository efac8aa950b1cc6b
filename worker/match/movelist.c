/* SPDX-License-Identifier: MIT */
#include "match/movelist.h"

#include <string.h>

#include "chess/fen.h"
#include "chess/move.h"
#include "chess/movegen.h"
#include "chess/san.h"

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

/* The number of a promotion in gamemoves.h; 0: none. */
static int promotion_of(Move move) {
    return move_kind(move) == MOVE_PROMOTION ? move_promotion(move) - KNIGHT + 1 : 0;
}

static GameMove move_of(const Position *pos, const PgnMove *move) {
    char san[SAN_MAX];
    san_format(pos, move->move, san);
    char last = san[strlen(san) - 1];
    return (GameMove){.from = move_from(move->move),
                      .to = move_to(move->move),
                      .promotion = promotion_of(move->move),
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

Move movelist_move(const Position *pos, const GameMove *move) {
    Move legal[MAX_MOVES];
    int count = movegen_legal(pos, legal);
    for (int i = 0; i < count; i++)
        if (move_from(legal[i]) == move->from && move_to(legal[i]) == move->to &&
            promotion_of(legal[i]) == move->promotion)
            return legal[i];
    return MOVE_NONE;
}
