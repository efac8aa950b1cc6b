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

/* Bytes of a book's text, unpacked, at most: offsets are 32 bits wide, and a compressed book must
 * not fill the memory. */
#define BOOK_BYTES_MAX ((size_t)512 << 20)

/* A book in memory: its text, and the start of each opening. Each block of the text holds whole
 * openings. All zero is empty. */
typedef struct {
    char *path; /* the book's name in errors */
    PackedText text;
    uint32_t *offsets; /* where each opening starts in the text, in the order of play */
    size_t count;
    size_t capacity;
    size_t first; /* the index in `offsets` of opening 0 */
    size_t plies; /* moves of each opening that are played at most; 0: all */
    bool is_pgn;
    bool chess960;
} Book;

/* A start position, and the moves that lead on from there (PGN books only). */
typedef struct {
    char fen[FEN_MAX]; /* in the form of fen_format: Shredder letters in Chess960 */
    Move *moves;
    size_t move_count;
    size_t move_capacity;
} Opening;

/* Reads the book: PGN when its name ends in .pgn or .pgn.gz or its text begins with a tag, else a
   position a line (blank lines and lines beginning with '#' or ';' are passed over). Every line is
   checked: the error names file, line and fault. A book without openings is an error. */
bool book_load(Book *book, const char *path, bool chess960, Error *err);

/* Reads the book from a text in memory, which stays the caller's; `name` is for errors. is_pgn: the
   name says that it is PGN. */
bool book_load_text(Book *book, const char *name, const char *text, size_t length, bool is_pgn,
                    bool chess960, Error *err);
void book_free(Book *book);

/* Puts the openings in the order of a test: the file's order, shuffled by the seed (MT19937-64; for
 * i = 0 ... count - 2 opening i is swapped with i + r() mod (count - i)) and the first opening of
 * the result is played first. */
void book_shuffle(Book *book, uint64_t seed);

/* Makes the start-th opening the first one. start counts from 1 in the order that book_shuffle or
 * book_load left, and wraps around. */
void book_rotate(Book *book, uint64_t start);

/* Opening k (from 0, modulo their number) in the order of play, cut after book->plies moves. *out
 * is all zero or was used before: its memory is used again. */
bool book_opening(const Book *book, uint64_t k, Opening *out, Error *err);
/* The number of opening k, from 1, in the order that book_load or book_shuffle left. */
uint64_t book_number(const Book *book, uint64_t k);
void opening_free(Opening *opening);

/* Whether an OpenBench book of this name is for Chess960 (FRC, 960 or FISCHER, any case). */
bool book_name_is_chess960(const char *name);

#endif
