/* SPDX-License-Identifier: MIT */
#include "match/positions.h"

#include <inttypes.h>
#include <stdlib.h>

#include "chess/attacks.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "match/movelist.h"
#include "results/gamemoves.h"

static bool is_mate(const GameMove *move) {
    return abs(move->score) > GAMEMOVE_SCORE_MAX;
}

/* The score in centipawns, from the mover's side. */
static int centipawns(const GameMove *move) {
    int sign = move->score > 0 ? 1 : -1;
    if (is_mate(move))
        return sign * POSITIONS_MATE;
    return abs(move->score) > POSITIONS_SCORE_MAX ? sign * POSITIONS_SCORE_MAX : move->score;
}

static const char *white_points(const GameResult *game) {
    static const char *const POINTS[] = {"0.0", "0.5", "1.0"};
    return POINTS[game->white == SIDE_DEV ? game->dev_points : 2 - game->dev_points];
}

static bool is_quiet(const Position *pos, Move played, const GameMove *move) {
    return !is_mate(move) && !position_in_check(pos) && !move_is_noisy(pos, played);
}

static void write_line(const Position *pos, const GameMove *move, const char *points, Text *out) {
    char fen[FEN_MAX];
    int score = centipawns(move);
    fen_format(pos, fen);
    text_addf(out, "%s | %d | %s\n", fen, pos->stm == WHITE ? score : -score, points);
}

bool positions_write(const GameResult *game, bool chess960, PositionsKind kind, Text *out,
                     Error *err) {
    Position pos;
    GameMoves moves = {0};
    GameMove move;
    const char *text = game->moves;
    chess_init();
    if (ending_fault(game->ending) != FAULT_NONE)
        return true;
    if (game->fen == NULL || game->moves == NULL)
        return error_set(err, "the moves of a game are not known");
    if (!fen_parse(&pos, game->fen, chess960, NULL))
        return error_set(err, "a game begins with \"%s\", which is no position", game->fen);
    if (!gamemoves_are_sound(game->moves))
        return error_set(err, "the moves of a game from \"%s\" cannot be read", game->fen);
    while (gamemoves_next(&moves, &text, &move)) {
        Undo undo;
        Move played = movelist_move(&pos, &move);
        if (played == MOVE_NONE)
            return error_set(err, "move %" PRId64 " of a game from \"%s\" is not legal",
                             moves.count, game->fen);
        if (move.scored && (kind == POSITIONS_ALL || is_quiet(&pos, played, &move)))
            write_line(&pos, &move, white_points(game), out);
        position_make(&pos, played, &undo);
    }
    return true;
}
