/* SPDX-License-Identifier: MIT */
/* Opening books: EPD, FEN or PGN, plain or .gz, and the order in which a test plays them. */
#ifndef MATCH_BOOK_H
#define MATCH_BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "chess/fen.h"
#include "chess/types.h"
#include "match/packedtext.h"

/* A book in memory: its text, and where each opening starts. A block of the text holds whole
 * openings. All zero is empty. */
typedef struct {
    char *path; /* for errors */
    PackedText text;
    uint32_t *offsets; /* of the openings, in the order of play */
    size_t count;
    size_t capacity;
    size_t first; /* of the offsets, the one that is opening 0 */
    size_t plies; /* of each opening, so many moves at most are played; 0: all */
    bool is_pgn;
    bool chess960;
} Book;

/* A start position, and moves that lead on from it (PGN books only). */
typedef struct {
    char fen[FEN_MAX]; /* as our own formatter writes it: Shredder letters in Chess960 */
    Move *moves;
    size_t move_count;
    size_t move_capacity;
} Opening;

/* Reads the book: PGN when its name ends in .pgn or .pgn.gz, else a position a line (blank lines
   and lines beginning with '#' or ';' are passed over). Every line is looked at: the error names
   file, line and fault. A book without openings is an error. */
bool book_load(Book *book, const char *path, bool chess960, Error *err);

/* The same from text that is in memory already, which stays the caller's; `name` is for errors. */
bool book_load_text(Book *book, const char *name, const char *text, size_t length, bool is_pgn,
                    bool chess960, Error *err);
void book_free(Book *book);

/* Puts the openings in the order of a test: the file's order, shuffled by the seed (MT19937-64; for
 * i = 0 ... count - 2 opening i is swapped with i + r() mod (count - i)) and not rotated. */
void book_shuffle(Book *book, uint64_t seed);

/* Makes the start-th opening of the present order the first one; start counts from 1 in the order
 * that book_shuffle or book_load left, and wraps around. */
void book_rotate(Book *book, uint64_t start);

/* Opening k (from 0, modulo their number) in the order of play, cut after book->plies moves. *out
 * is all zero or was used before: its memory is used again. */
bool book_opening(const Book *book, uint64_t k, Opening *out, Error *err);
/* Its number, from 1, in the order that book_load or book_shuffle left. */
uint64_t book_number(const Book *book, uint64_t k);
void opening_free(Opening *opening);

/* Does an OpenBench book of this name mean Chess960 (FRC, 960 or FISCHER, any case)? */
bool book_name_is_chess960(const char *name);

#endif
