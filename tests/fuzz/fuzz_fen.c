/* SPDX-License-Identifier: MIT */
/* Any text as a FEN, in both kinds of chess: it is refused in one line, or it is a position on
 * which the rules, the notations and the evaluation agree with themselves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chess/attacks.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "chess/movegen.h"
#include "chess/perft.h"
#include "chess/san.h"
#include "eval/eval.h"
#include "fuzz/fuzz.h"

enum { TEXT_MAX = 512 };

/* The harness dies on the first thing that is not so: that is how a fuzzer takes notice. */
static void require(bool holds, const char *what, const Position *pos, Move move) {
    char fen[FEN_MAX], text[MOVE_UCI_MAX] = "";
    if (holds)
        return;
    fen_format(pos, fen);
    if (move != MOVE_NONE)
        move_to_uci(move, true, text);
    fprintf(stderr, "fuzz: fen: %s: %s %s\n", what, fen, text);
    abort();
}

static void check_fault(const FenError *error) {
    bool printable = error->text[0] != '\0';
    for (const char *c = error->text; *c != '\0'; c++)
        printable = printable && *c >= ' ' && *c <= '~';
    if (printable)
        return;
    fprintf(stderr, "fuzz: fen: refused with \"%s\"\n", error->text);
    abort();
}

static void check_board(const Position *pos) {
    Bitboard all = 0;
    for (PieceType type = PAWN; type <= KING; type++) {
        require((all & pos->by_type[type]) == 0, "two pieces on a square", pos, MOVE_NONE);
        all |= pos->by_type[type];
    }
    require((pos->by_color[WHITE] & pos->by_color[BLACK]) == 0, "two colours on a square", pos,
            MOVE_NONE);
    require(all == position_occupied(pos), "types and colours differ", pos, MOVE_NONE);
    for (Color c = WHITE; c <= BLACK; c++)
        require(bb_popcount(position_pieces(pos, c, KING)) == 1, "not one king", pos, MOVE_NONE);
    for (Square s = 0; s < SQUARE_COUNT; s++) {
        Piece piece = pos->board[s];
        Bitboard square = (Bitboard)1 << s;
        if (piece == PIECE_NONE)
            require((all & square) == 0, "an empty square is occupied", pos, MOVE_NONE);
        else
            require((position_pieces(pos, piece_color(piece), piece_type(piece)) & square) != 0,
                    "board and sets differ", pos, MOVE_NONE);
    }
    require(pos->key == position_compute_key(pos), "wrong key", pos, MOVE_NONE);
    require(pos->pawn_key == position_compute_pawn_key(pos), "wrong pawn key", pos, MOVE_NONE);
    require(
        !position_attacked(pos, position_king(pos, pos->stm ^ 1), pos->stm, position_occupied(pos)),
        "the side not to move is in check", pos, MOVE_NONE);
}

static void check_round_trip(const Position *pos) {
    char fen[FEN_MAX], again[FEN_MAX];
    Position read;
    FenError error;
    fen_format(pos, fen);
    require(fen_parse(&read, fen, pos->chess960, &error), error.text, pos, MOVE_NONE);
    fen_format(&read, again);
    require(strcmp(fen, again) == 0, "written otherwise the second time", pos, MOVE_NONE);
    require(read.key == pos->key, "another key the second time", pos, MOVE_NONE);
}

/* Both notations read the move back, and making and unmaking it restores every byte. Returns the
 * number of replies. */
static uint64_t check_move(const Position *pos, Move move) {
    char uci[MOVE_UCI_MAX], san[SAN_MAX];
    Position played = *pos;
    Undo undo;
    require(move_is_legal(pos, move), "listed, not legal", pos, move);
    move_to_uci(move, pos->chess960, uci);
    require(move_from_uci(pos, uci) == move, "UCI", pos, move);
    san_format(pos, move, san);
    require(san_parse(pos, san) == move, "SAN", pos, move);
    position_make(&played, move, &undo);
    check_board(&played);
    require(position_in_check(&played) == move_gives_check(pos, move), "check", pos, move);
    uint64_t replies = (uint64_t)movegen_count(&played);
    position_unmake(&played, move, &undo);
    require(memcmp(&played, pos, sizeof played) == 0, "not restored", pos, move);
    return replies;
}

static void check_moves(const Position *pos) {
    Move moves[MAX_MOVES], part[MAX_MOVES];
    Position scratch = *pos;
    uint64_t replies = 0;
    int count = movegen_legal(pos, moves);
    require(count == movegen_count(pos), "counted otherwise", pos, MOVE_NONE);
    require((count > 0) == movegen_any(pos), "any or none", pos, MOVE_NONE);
    require(count == movegen_noisy(pos, part) + movegen_quiets(pos, part),
            "noisy and quiet are not all", pos, MOVE_NONE);
    for (int i = 0; i < count; i++)
        replies += check_move(pos, moves[i]);
    require(perft(&scratch, 1) == (uint64_t)count, "perft 1", pos, MOVE_NONE);
    require(perft(&scratch, 2) == replies, "perft 2", pos, MOVE_NONE);
}

static void check_evaluation(const Position *pos) {
    EvalTrace trace;
    int score = evaluate(pos);
    require(abs(score) <= EVAL_LIMIT, "evaluation out of bounds", pos, MOVE_NONE);
    eval_trace(pos, NULL, &trace);
    require(trace.total == score, "evaluation and trace differ", pos, MOVE_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[TEXT_MAX];
    size_t length = size < TEXT_MAX - 1 ? size : TEXT_MAX - 1;
    if (length > 0)
        memcpy(text, data, length);
    text[length] = '\0';
    chess_init();
    for (int chess960 = 0; chess960 <= 1; chess960++) {
        Position pos;
        FenError error;
        if (!fen_parse(&pos, text, chess960, &error)) {
            check_fault(&error);
            continue;
        }
        check_board(&pos);
        check_round_trip(&pos);
        check_moves(&pos);
        check_evaluation(&pos);
    }
    return 0;
}
