/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "match/pgn.h"

/* The tags that are kept, and their fields. */
typedef struct {
    const char *name;
    size_t offset;
} Tag;

static const Tag tags[] = {
    {"FEN", offsetof(PgnRecord, fen)},
    {"Variant", offsetof(PgnRecord, variant)},
    {"Round", offsetof(PgnRecord, round)},
    {"White", offsetof(PgnRecord, white)},
    {"Black", offsetof(PgnRecord, black)},
    {"Result", offsetof(PgnRecord, result)},
    {"Termination", offsetof(PgnRecord, termination)},
};

static const char *const results[] = {"1-0", "0-1", "1/2-1/2", "*"};

/* The next byte, or -1 at the end: peek leaves the byte, take passes over the byte. */
static int peek(const PgnReader *r) {
    return r->at < r->length ? (unsigned char)r->text[r->at] : -1;
}

static int take(PgnReader *r) {
    int c = peek(r);
    if (c >= 0) {
        r->at++;
        r->line += c == '\n';
    }
    return c;
}

/* A NUL is a blank too, so that no word stands still on a NUL. */
static bool is_space(int c) {
    return c == '\0' || c == ' ' || (c >= '\t' && c <= '\r');
}

static bool at_line_start(const PgnReader *r) {
    return r->at == 0 || r->text[r->at - 1] == '\n';
}

static void skip_line(PgnReader *r) {
    for (int c = take(r); c >= 0 && c != '\n';)
        c = take(r);
}

/* Passes over blanks and the comments that PGN allows anywhere: "; …" and, at the start of a line,
 * "% …". */
static void skip_blanks(PgnReader *r) {
    for (int c = peek(r); c >= 0; c = peek(r)) {
        if (is_space(c))
            take(r);
        else if (c == ';' || (c == '%' && at_line_start(r)))
            skip_line(r);
        else
            return;
    }
}

/* The first line is 0. */
static bool fault(size_t line, Error *err, const char *text) {
    return error_set(err, "line %zu: %s", line + 1, text);
}

/* Reads a word up to a blank or one of PGN's own characters; a longer word is cut. */
static void read_word(PgnReader *r, char out[PGN_TAG_MAX]) {
    size_t length = 0;
    for (int c = peek(r); c >= 0 && !is_space(c) && !strchr("[]{}()\";$", c); c = peek(r)) {
        if (length + 1 < PGN_TAG_MAX)
            out[length++] = (char)c;
        take(r);
    }
    out[length] = '\0';
}

/* Reads the text between double quotes. The reader stands at the first quote. The tag began on
 * `line`. */
static bool read_quoted(PgnReader *r, size_t line, char out[PGN_TAG_MAX], Error *err) {
    size_t length = 0;
    take(r);
    for (int c = take(r); c != '"'; c = take(r)) {
        if (c == '\\')
            c = take(r);
        if (c < 0 || c == '\n')
            return fault(line, err, "a tag's value is not closed");
        if (length + 1 < PGN_TAG_MAX)
            out[length++] = (char)c;
    }
    out[length] = '\0';
    return true;
}

/* Reads [Name "value"]. `first` is the name of the game's first tag, "" before that one. *next: the
 * name comes again, so the next game begins here, and nothing is read. */
static bool read_tag(PgnReader *r, PgnRecord *record, char first[PGN_TAG_MAX], bool *next,
                     Error *err) {
    const PgnReader before = *r;
    char name[PGN_TAG_MAX];
    char value[PGN_TAG_MAX];
    take(r);
    skip_blanks(r);
    read_word(r, name);
    skip_blanks(r);
    *next = *name && strcmp(name, first) == 0;
    if (*next) {
        *r = before;
        return true;
    }
    if (!*first)
        memcpy(first, name, sizeof name);
    if (!*name || peek(r) != '"')
        return fault(before.line, err, "not a tag of the form [Name \"value\"]");
    if (!read_quoted(r, before.line, value, err))
        return false;
    skip_blanks(r);
    if (take(r) != ']')
        return fault(before.line, err, "a tag's ']' is missing");
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (strcmp(tags[i].name, name) == 0)
            memcpy((char *)record + tags[i].offset, value, sizeof value);
    return true;
}

static bool skip_comment(PgnReader *r, Error *err) {
    size_t line = r->line;
    for (int c = take(r); c != '}'; c = take(r))
        if (c < 0)
            return fault(line, err, "a comment is not closed");
    return true;
}

/* Passes over one variation, with the variations and comments inside. */
static bool skip_variation(PgnReader *r, Error *err) {
    size_t line = r->line;
    int depth = 0;
    do {
        skip_blanks(r);
        int c = peek(r);
        if (c < 0)
            return fault(line, err, "a variation is not closed");
        if (c == '{') {
            if (!skip_comment(r, err))
                return false;
            continue;
        }
        depth += (c == '(') - (c == ')');
        take(r);
    } while (depth);
    return true;
}

static bool is_result(const char *word) {
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (strcmp(word, results[i]) == 0)
            return true;
    return false;
}

/* Keeps a word of the movetext, without a move number before the move and an "e.p." behind it. A
 * word of '!' and '?' alone is a remark on the move before. */
static void keep_move(PgnRecord *record, const char *word) {
    size_t digits = strspn(word, "0123456789");
    size_t dots = strspn(word + digits, ".");
    if (digits && (dots || !word[digits])) /* "12." or "12", but not castling written with zeros */
        word += digits + dots;
    else if (!digits)
        word += dots;
    const char *passant = strstr(word, "e.p.");
    size_t length = passant != NULL ? (size_t)(passant - word) : strlen(word);
    if (strspn(word, "!?") >= length)
        return;
    if (record->moves.length)
        text_add_char(&record->moves, ' ');
    text_add_bytes(&record->moves, word, length);
}

/* Reads one element of a game. *done: the element was the result. */
static bool read_element(PgnReader *r, PgnRecord *record, bool *done, Error *err) {
    char word[PGN_TAG_MAX];
    switch (peek(r)) {
    case '{':
        return skip_comment(r, err);
    case '(':
        return skip_variation(r, err);
    case '$':
        take(r);
        read_word(r, word);
        return true;
    case ')':
    case '}':
    case ']':
    case '"':
        return fault(r->line, err, "a bracket or quote without a beginning");
    default:
        read_word(r, word);
        *done = is_result(word);
        if (!*done)
            keep_move(record, word);
        return true;
    }
}

/* Does a comment, a variation or a NAG begin here? They make no game of their own. */
static bool at_remark(const PgnReader *r) {
    int c = peek(r);
    return c == '{' || c == '(' || c == '$';
}

int pgn_read(PgnReader *reader, PgnRecord *record, Error *err) {
    Text moves = record->moves;
    text_clear(&moves);
    *record = (PgnRecord){.moves = moves};
    char first[PGN_TAG_MAX] = "";
    bool begun = false;
    bool done = false;
    bool in_moves = false;
    bool next = false;
    for (skip_blanks(reader); !done && peek(reader) >= 0; skip_blanks(reader)) {
        bool tag = peek(reader) == '[';
        bool remark = at_remark(reader);
        /* Tags after moves: the game before had no result. */
        if (tag && in_moves)
            return 1;
        if (!begun && !remark) {
            begun = true;
            record->start = reader->at;
            record->line = reader->line + 1;
        }
        if (!(tag ? read_tag(reader, record, first, &next, err)
                  : read_element(reader, record, &done, err)))
            return -1;
        if (next)
            return 1;
        in_moves = in_moves || !(tag || remark);
    }
    return begun ? 1 : 0;
}

void pgn_record_free(PgnRecord *record) {
    text_free(&record->moves);
    *record = (PgnRecord){0};
}
