/* SPDX-License-Identifier: MIT */
/* Standard algebraic notation, as PGN writes and reads it. */
#ifndef CHESS_SAN_H
#define CHESS_SAN_H

#include "chess/position.h"

enum { SAN_MAX = 12 };

/* Writes a legal move, disambiguated as far as needed: Nbd2, exd6, e8=Q+, O-O-O#. */
void san_format(const Position *pos, Move move, char out[SAN_MAX]);

/* Writes a legal move with the square that the piece leaves: e2-e4, Ng1xf3, e7-e8=Q+, O-O-O#. */
void san_format_long(const Position *pos, Move move, char out[SAN_MAX]);

/* Reads one legal move, MOVE_NONE when it is none or more than one. Lenient where PGN files are:
 * check and mate marks, ! and ?, the capture's x and the promotion's = may be missing or wrong, and
 * castling may be written with zeros. The piece letter, squares and promotion piece may not. */
Move san_parse(const Position *pos, const char *text);

#endif
