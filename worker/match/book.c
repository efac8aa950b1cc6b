/* SPDX-License-Identifier: MIT */
#include "match/book.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/mersenne.h"
#include "base/text.h"
#include "chess/attacks.h"
#include "chess/move.h"
#include "chess/san.h"
#include "match/pgn.h"

enum {
    FIELDS_EPD = 4,
    COUNTER_MAX = 9999, /* the largest move number and half move clock */
    INFLATE_PIECE = 1 << 16,
    BLOCK = 1 << 14,
    SHOWN = 60, /* characters of a line in an error */
};

static const unsigned char GZIP_MAGIC[] = {0x1f, 0x8b};
static const char ZIP_MAGIC[] = "PK\x03\x04";

/* --- A line of EPD or FEN --- */

/* The first word between s and end. *length is 0 when no word is left. */
static const char *next_word(const char *s, const char *end, size_t *length) {
    while (s < end && text_is_blank(*s))
        s++;
    const char *start = s;
    while (s < end && !text_is_blank(*s))
        s++;
    *length = (size_t)(s - start);
    return start;
}

static bool is_number(const char *s, size_t length) {
    return length > 0 && strspn(s, "0123456789") >= length;
}

static bool parse_counter(const char *s, size_t length, const char *what, int *out, Error *err) {
    char digits[SHOWN];
    int64_t value;
    snprintf(digits, sizeof digits, "%.*s", (int)length, s);
    if (!text_to_int(digits, 0, COUNTER_MAX, what, &value, err))
        return false;
    *out = (int)value;
    return true;
}

/* The end of one EPD operation: its ';', or `end`. Quoted operands may hold semicolons. */
static const char *operation_end(const char *s, const char *end) {
    bool quoted = false;
    for (; s < end && (quoted || *s != ';'); s++)
        if (*s == '"')
            quoted = !quoted;
    return s;
}

/* Reads the operations hmvc and fmvn, and passes over the others. */
static bool parse_operations(const char *s, const char *end, int counters[2], Error *err) {
    static const char *const opcodes[2] = {"hmvc", "fmvn"};
    while (s < end) {
        const char *stop = operation_end(s, end);
        size_t length;
        const char *opcode = next_word(s, stop, &length);
        for (int i = 0; i < 2; i++) {
            if (length != strlen(opcodes[i]) || strncmp(opcode, opcodes[i], length) != 0)
                continue;
            size_t digits;
            const char *operand = next_word(opcode + length, stop, &digits);
            if (!parse_counter(operand, digits, opcodes[i], &counters[i], err))
                return false;
        }
        s = stop + (stop < end);
    }
    return true;
}

/* Reads a position from the line [s, end). */
static bool parse_line(const char *s, const char *end, bool chess960, Position *pos, Error *err) {
    const char *at = s;
    size_t length = 0;
    for (int i = 0; i < FIELDS_EPD; i++) {
        at = next_word(at, end, &length) + length;
        if (!length)
            return error_set(err, "a position has four fields, this line has %d", i);
    }
    const char *fields_end = at;

    int counters[2] = {0, 1};
    const char *first = next_word(at, end, &length);
    if (is_number(first, length)) {
        size_t second_length;
        const char *second = next_word(first + length, end, &second_length);
        second_length -= second_length > 0 && second[second_length - 1] == ';';
        if (!parse_counter(first, length, "halfmove clock", &counters[0], err) ||
            !parse_counter(second, second_length, "move number", &counters[1], err))
            return false;
    } else if (!parse_operations(at, end, counters, err)) {
        return false;
    }

    char fen[FEN_MAX + SHOWN];
    int written =
        snprintf(fen, sizeof fen, "%.*s %d %d", (int)(fields_end - s), s, counters[0], counters[1]);
    if (written < 0 || (size_t)written >= sizeof fen)
        return error_set(err, "too long for a position");
    FenError fault;
    if (!fen_parse(pos, fen, chess960, &fault))
        return error_set(err, "%s", fault.text);
    return true;
}

/* --- A game of PGN --- */

static void add_move(Opening *out, Move move) {
    MEM_ADD(out->moves, out->move_count, out->move_capacity, move);
}

/* Refuses a game of other rules. Chess960 has several names. */
static bool check_variant(const char *variant, bool chess960, Error *err) {
    static const char *const standard[] = {"", "chess", "standard", "normal", "from position"};
    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
        if (strcasecmp(variant, standard[i]) == 0)
            return true;
    if (!book_name_is_chess960(variant))
        return error_set(err, "tag Variant: '%s' is not played here", variant);
    return chess960 || error_set(err,
                                 "tag Variant: '%s', but the book is read as standard chess "
                                 "(match --chess960 takes it)",
                                 variant);
}

static bool opening_of_record(const PgnRecord *record, bool chess960, Opening *out, Error *err) {
    Position pos;
    FenError fault;
    if (!check_variant(record->variant, chess960, err))
        return false;
    if (!fen_parse(&pos, *record->fen ? record->fen : FEN_STARTPOS, chess960, &fault))
        return error_set(err, "tag FEN: %s", fault.text);
    fen_format(&pos, out->fen);
    out->move_count = 0;

    const char *s = text_string(&record->moves);
    const char *end = s + record->moves.length;
    size_t length;
    for (s = next_word(s, end, &length); length; s = next_word(s + length, end, &length)) {
        char word[SHOWN];
        snprintf(word, sizeof word, "%.*s", (int)length, s);
        Move move = san_parse(&pos, word);
        if (move == MOVE_NONE)
            move = move_from_uci(&pos, word);
        if (move == MOVE_NONE)
            return error_set(err, "half move %zu: '%.20s' is not a legal move", out->move_count + 1,
                             word);
        add_move(out, move);
        Undo undo;
        position_make(&pos, move, &undo);
    }
    return true;
}

/* --- Reading --- */

static void add_offset(Book *book, size_t offset) {
    MEM_ADD(book->offsets, book->count, book->capacity, (uint32_t)offset);
}

/* Refuses a carriage return before more words: the positions behind it would be lost. */
static bool check_returns(const char *s, const char *end, Error *err) {
    const char *returned = memchr(s, '\r', (size_t)(end - s));
    size_t rest = 0;
    if (returned)
        next_word(returned, end, &rest);
    return !rest || error_set(err, "a carriage return within the line: lines end with a line feed");
}

static bool index_lines(Book *book, const Text *text, Error *err) {
    const char *start = text_string(text);
    const char *end = start + text->length;
    size_t line = 0;
    for (const char *s = start; s < end;) {
        const char *newline = memchr(s, '\n', (size_t)(end - s));
        const char *stop = newline ? newline : end;
        size_t length;
        const char *word = next_word(s, stop, &length);
        line++;
        if (length && *word != '#' && *word != ';') {
            Position pos;
            if (!check_returns(word, stop, err) ||
                !parse_line(word, stop, book->chess960, &pos, err))
                return error_prefix(err, "book %s: line %zu", book->path, line);
            add_offset(book, (size_t)(word - start));
        }
        s = newline ? newline + 1 : end;
    }
    return true;
}

static bool index_games(Book *book, const Text *text, Error *err) {
    PgnReader reader = {.text = text_string(text), .length = text->length};
    PgnRecord record = {0};
    Opening opening = {0};
    int found;
    bool ok = true;
    while (ok && (found = pgn_read(&reader, &record, err)) != 0) {
        ok = found > 0 || error_prefix(err, "book %s", book->path);
        if (ok && !opening_of_record(&record, book->chess960, &opening, err))
            ok = error_prefix(err, "book %s: game at line %zu", book->path, record.line);
        if (ok)
            add_offset(book, record.start);
    }
    opening_free(&opening);
    pgn_record_free(&record);
    return ok;
}

/* Finds the openings of the text, in the text's order. */
static bool index_book(Book *book, const Text *text, Error *err) {
    chess_init();
    if (!(book->is_pgn ? index_games(book, text, err) : index_lines(book, text, err)))
        return false;
    if (!book->count)
        return error_set(err, "book %s: no opening in it", book->path);
    book->offsets = mem_resize(book->offsets, book->count, sizeof *book->offsets);
    book->capacity = book->count;
    return true;
}

/* Keeps the text in blocks that end where an opening starts. */
static void pack(Book *book, const Text *text) {
    size_t start = 0;
    for (size_t i = 0; i <= book->count; i++) {
        bool last = i == book->count;
        size_t end = last ? text->length : book->offsets[i];
        if (last || end - start >= BLOCK) {
            packed_text_add(&book->text, text->data + start, end - start);
            start = end;
        }
    }
}

/* Is there more behind the end of a member than zeros? These are padding, as for gzip(1). */
static bool has_member(const z_stream *z) {
    for (unsigned i = 0; i < z->avail_in; i++)
        if (z->next_in[i] != 0)
            return true;
    return false;
}

/* Unpacks gzip data of one or more members. */
static bool gunzip(const Text *packed, Text *out, Error *err) {
    z_stream z = {0};
    if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
        return error_set(err, "zlib does not start");
    z.next_in = (unsigned char *)packed->data;
    z.avail_in = (unsigned)packed->length;
    int status = Z_OK;
    bool small = true;
    while (small && (status == Z_OK || (status == Z_STREAM_END && has_member(&z)))) {
        if (status == Z_STREAM_END)
            inflateReset(&z);
        text_reserve(out, INFLATE_PIECE);
        z.next_out = (unsigned char *)out->data + out->length;
        z.avail_out = INFLATE_PIECE;
        status = inflate(&z, Z_NO_FLUSH);
        out->length += INFLATE_PIECE - z.avail_out;
        out->data[out->length] = '\0';
        small = out->length <= BOOK_BYTES_MAX;
    }
    inflateEnd(&z);
    if (!small)
        return error_set(err, "longer than %zu bytes unpacked", BOOK_BYTES_MAX);
    if (status != Z_STREAM_END)
        return error_set(err, "damaged or cut gzip data");
    return true;
}

/* Does the text begin with a tag of PGN? No position begins so. */
static bool begins_with_tag(const char *text) {
    return text[strspn(text, " \t\r\n")] == '[';
}

/* Makes the book from a text, and may change the text. */
static bool adopt(Book *book, const char *name, Text *text, bool is_pgn, bool chess960,
                  Error *err) {
    *book = (Book){.path = mem_strdup(name), .chess960 = chess960};
    bool ok =
        strlen(text_string(text)) == text->length || error_set(err, "book %s: is not text", name);
    if (ok && text->data != NULL)
        memset(text->data, ' ', text_mark_length(text->data));
    book->is_pgn = is_pgn || begins_with_tag(text_string(text));
    ok = ok && index_book(book, text, err);
    if (ok)
        pack(book, text);
    else
        book_free(book);
    return ok;
}

bool book_load(Book *book, const char *path, bool chess960, Error *err) {
    *book = (Book){0};
    Text text = {0};
    Text unpacked = {0};
    bool ok = false;
    if (!file_read(path, BOOK_BYTES_MAX, &text, err)) {
        error_prefix(err, "book");
        goto done;
    }
    if (text.length >= sizeof GZIP_MAGIC && memcmp(text.data, GZIP_MAGIC, sizeof GZIP_MAGIC) == 0) {
        if (!gunzip(&text, &unpacked, err)) {
            error_prefix(err, "book %s", path);
            goto done;
        }
        text_free(&text);
        text = unpacked;
        unpacked = (Text){0};
    }
    if (text_starts_with(text_string(&text), ZIP_MAGIC)) {
        error_set(err, "book %s: is a zip; the name of a zip must end in .zip", path);
        goto done;
    }
    ok = adopt(book, path, &text,
               text_ends_with_nocase(path, ".pgn") || text_ends_with_nocase(path, ".pgn.gz"),
               chess960, err);
done:
    text_free(&unpacked);
    text_free(&text);
    return ok;
}

bool book_load_text(Book *book, const char *name, const char *text, size_t length, bool is_pgn,
                    bool chess960, Error *err) {
    *book = (Book){0};
    if (length > BOOK_BYTES_MAX)
        return error_set(err, "book %s: longer than %zu bytes", name, BOOK_BYTES_MAX);
    Text copy = {0};
    text_add_bytes(&copy, text, length);
    bool ok = adopt(book, name, &copy, is_pgn, chess960, err);
    text_free(&copy);
    return ok;
}

void book_free(Book *book) {
    free(book->path);
    packed_text_free(&book->text);
    free(book->offsets);
    *book = (Book){0};
}

/* --- Order --- */

static int compare_offsets(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void book_shuffle(Book *book, uint64_t seed) {
    book->first = 0;
    if (book->count < 2)
        return;
    qsort(book->offsets, book->count, sizeof *book->offsets, compare_offsets);
    Mersenne random;
    mersenne_seed(&random, seed);
    for (size_t i = 0; i + 1 < book->count; i++) {
        size_t other = i + (size_t)(mersenne_next(&random) % (book->count - i));
        uint32_t kept = book->offsets[i];
        book->offsets[i] = book->offsets[other];
        book->offsets[other] = kept;
    }
}

void book_rotate(Book *book, uint64_t start) {
    book->first = book->count && start ? (size_t)((start - 1) % book->count) : 0;
}

uint64_t book_number(const Book *book, uint64_t k) {
    return (book->first + k % book->count) % book->count + 1;
}

/* Reads the opening at the start of `text`. */
static bool read_opening(const Book *book, const char *text, size_t length, Opening *out,
                         Error *err) {
    out->move_count = 0;
    if (!book->is_pgn) {
        Position pos;
        if (!parse_line(text, text + strcspn(text, "\n"), book->chess960, &pos, err))
            return false;
        fen_format(&pos, out->fen);
        return true;
    }
    PgnReader reader = {.text = text, .length = length};
    PgnRecord record = {0};
    bool ok = pgn_read(&reader, &record, err) == 1 &&
              opening_of_record(&record, book->chess960, out, err);
    pgn_record_free(&record);
    return ok;
}

bool book_opening(const Book *book, uint64_t k, Opening *out, Error *err) {
    if (!book->count)
        return error_set(err, "the book is empty");
    Text block = {0};
    size_t at = packed_text_block(&book->text, book->offsets[book_number(book, k) - 1], &block);
    bool ok = read_opening(book, block.data + at, block.length - at, out, err);
    text_free(&block);
    if (book->plies > 0 && out->move_count > book->plies)
        out->move_count = book->plies;
    return ok || error_prefix(err, "book %s", book->path);
}

void opening_free(Opening *opening) {
    free(opening->moves);
    *opening = (Opening){0};
}

bool book_name_is_chess960(const char *name) {
    static const char *const words[] = {"FRC", "960", "FISCHER"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (const char *s = name; *s; s++)
            if (strncasecmp(s, words[i], strlen(words[i])) == 0)
                return true;
    return false;
}
