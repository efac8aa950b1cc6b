/* SPDX-License-Identifier: MIT */
/* Positions as text: FEN, the position part of EPD, X-FEN and Shredder-FEN castling rights. */
#ifndef CHESS_FEN_H
#define CHESS_FEN_H

#include "chess/position.h"

/* The room for a text, and the largest counter (halfmove clock, move number) in one. */
enum { FEN_MAX = 128, FEN_COUNTER_MAX = 9999 };

#define FEN_STARTPOS "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

/* How the pieces are written; by Piece. */
extern const char fen_letters[PIECE_COUNT + 1];

/* One sentence, without a final stop: what is wrong, and where. Zero-terminated, printable ASCII.
 */
typedef struct {
    char text[160];
} FenError;

/* Reads a position of four fields (counters are then 0 1) or six, separated by blanks.
 * Castling rights: KQkq (the outermost rook on that side) and file letters, in both kinds of chess;
 * in standard chess king and rook must be on their usual squares. An en passant square is an
 * error when no double step can have made it. It is dropped when no pawn can capture there. A move
 * number of 0 is read as 1. False, with the first fault named in *err (which may be NULL), when the
 * text is not such a position or one that no game can reach: kings, pawns on the first or last
 * rank, more pieces than promotions allow, the side not to move in check, three checkers. *pos is
 * then unspecified. */
bool fen_parse(Position *pos, const char *fen, bool chess960, FenError *err);

/* The count as a FEN has it: a longer game stays at the largest counter. */
uint16_t fen_counter(uint16_t count);

/* Writes six fields: KQkq letters in standard chess, Shredder letters (HAha) in Chess960; the en
 * passant square only when a capture there is legal. */
void fen_format(const Position *pos, char out[FEN_MAX]);

#endif
