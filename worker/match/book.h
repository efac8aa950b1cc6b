/* Opening books: EPD, FEN or PGN, plain or .gz, and the order in which a test plays them. */
#ifndef MATCH_BOOK_H
#define MATCH_BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "chess/fen.h"
#include "chess/types.h"

/* A book in memory: its text, and where each opening starts. All zero is empty. */
typedef struct {
    char *text;
    size_t length;
    uint32_t *offsets; /* of the openings, in the order of the file until it is shuffled */
    size_t count;
    bool is_pgn;
    bool chess960;
    char *path; /* for errors */
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

/* Puts the openings in the order of a test: shuffled by the seed (MT19937-64; i is swapped with
   i + r() mod (count - i)), then rotated left by start - 1. start counts from 1, any size wraps. */
void book_shuffle(Book *book, uint64_t seed);
void book_rotate(Book *book, uint64_t start);

/* Opening k in the book's present order, modulo its size. *out must be all zero or used before; its
   moves are reused. */
bool book_opening(const Book *book, uint64_t k, Opening *out, Error *err);
void opening_free(Opening *opening);

/* Does an OpenBench book of this name mean Chess960 (FRC, 960 or FISCHER, any case)? */
bool book_name_is_chess960(const char *name);

#endif
