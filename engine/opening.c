/* SPDX-License-Identifier: MIT */
#include "opening.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "chess/draw.h"
#include "chess/fen.h"
#include "chess/movegen.h"
#include "chess/random.h"

enum { LINE_MAX_BYTES = 512 };

/* 0 <= result < count; count far below 2^32, so the bias is of no account. */
static uint64_t random_below(uint64_t *state, uint64_t count) {
    return random_next(state) % count;
}

void openings_close(Openings *openings) {
    if (openings->book != NULL)
        fclose(openings->book);
    free(openings->lines);
    *openings = (Openings){0};
}

static bool add_line(Openings *openings, long offset) {
    if (openings->count == openings->capacity) {
        size_t capacity = openings->capacity == 0 ? 1024 : openings->capacity * 2;
        long *lines = realloc(openings->lines, capacity * sizeof *lines);
        if (lines == NULL)
            return false;
        openings->lines = lines;
        openings->capacity = capacity;
    }
    openings->lines[openings->count++] = offset;
    return true;
}

/* Reads past the mark that some editors put before UTF-8 (U+FEFF). Returns the offset behind it. */
static long skip_mark(FILE *book) {
    static const unsigned char MARK[] = {0xef, 0xbb, 0xbf};
    unsigned char begin[sizeof MARK];
    if (fread(begin, 1, sizeof begin, book) == sizeof begin &&
        memcmp(begin, MARK, sizeof MARK) == 0)
        return sizeof MARK;
    rewind(book);
    return 0;
}

/* Does a line whose first character is `first` hold a position? 0: the line is blank. A line with #
 * or ; is a comment, as for obworker. */
static bool holds_position(int first) {
    return first != 0 && first != '#' && first != ';';
}

/* Notes where the book's positions begin; false when the memory does not hold that. */
static bool scan_book(Openings *openings) {
    long start = skip_mark(openings->book), offset = start;
    int first = 0;
    bool fits = true;
    for (int c; fits && (c = getc(openings->book)) != EOF;) {
        offset++;
        if (c == '\n') {
            fits = !holds_position(first) || add_line(openings, start);
            first = 0;
            start = offset;
        } else if (first == 0 && c > ' ') {
            first = c;
        }
    }
    return fits && (!holds_position(first) || add_line(openings, start));
}

/* The position part of an EPD line: its first four fields, and the two counters of a FEN. */
static void cut_operations(char *line) {
    int fields = 0;
    bool counters = true;
    for (char *c = line; *c != '\0';) {
        c += strspn(c, " \t\r\n");
        size_t length = strcspn(c, " \t\r\n");
        counters = fields < 4 || (counters && strspn(c, "0123456789") == length);
        if (length > 0 && (fields >= 6 || !counters)) {
            *c = '\0';
            return;
        }
        c += length;
        fields++;
    }
}

/* The number of the file's line that begins at the offset, from 1. */
static size_t line_number(FILE *file, long offset) {
    size_t number = 1;
    rewind(file);
    for (int c; offset > 0 && (c = getc(file)) != EOF; offset--)
        number += c == '\n';
    return number;
}

/* Reads the position with this number, from 0. */
static bool read_position(const Openings *openings, size_t number, Position *position,
                          char fault[OPENING_FAULT_MAX]) {
    char line[LINE_MAX_BYTES];
    FenError error = {.text = "the line cannot be read"};
    if (fseek(openings->book, openings->lines[number], SEEK_SET) == 0 &&
        fgets(line, sizeof line, openings->book) != NULL) {
        cut_operations(line);
        if (fen_parse(position, line, false, NULL) || fen_parse(position, line, true, &error))
            return true;
    }
    snprintf(fault, OPENING_FAULT_MAX, "book %.256s: line %zu: %s", openings->path,
             line_number(openings->book, openings->lines[number]), error.text);
    return false;
}

/* Is every line a position? Chance might draw a bad one late, and end a long run. */
static bool check_book(const Openings *openings, char fault[OPENING_FAULT_MAX]) {
    Position position;
    for (size_t i = 0; i < openings->count; i++)
        if (!read_position(openings, i, &position, fault))
            return false;
    return true;
}

bool openings_open(Openings *openings, const char *book, uint64_t seed,
                   char fault[OPENING_FAULT_MAX]) {
    *openings = (Openings){.random = seed, .path = book};
    if (book == NULL)
        return true;
    struct stat status;
    /* Neither a pipe, which nobody may be writing to, nor a device without an end. */
    bool special = stat(book, &status) == 0 && !S_ISREG(status.st_mode);
    openings->book = special ? NULL : fopen(book, "r");
    if (openings->book == NULL) {
        snprintf(fault, OPENING_FAULT_MAX, "book %.256s: %s", book,
                 special ? "no regular file" : strerror(errno));
        return false;
    }
    bool fits = scan_book(openings);
    bool good = fits && !ferror(openings->book) && openings->count > 0;
    if (!good)
        snprintf(fault, OPENING_FAULT_MAX, "book %.256s: %s", book,
                 !fits                    ? "too large for the memory"
                 : ferror(openings->book) ? "cannot be read"
                                          : "holds no position");
    good = good && check_book(openings, fault);
    if (!good)
        openings_close(openings);
    return good;
}

/* Plays random moves; false when the game ended on the way or is over afterwards, or when a
 * position came twice: such a game is half-way to a draw, or to where it began. */
static bool play_random(Position *position, int plies, uint64_t *random) {
    Move moves[MAX_MOVES];
    uint64_t keys[OPENING_PLIES_MAX + 1] = {position->key};
    Undo undo;
    for (int i = 0; i < plies; i++) {
        int count = movegen_legal(position, moves);
        if (count == 0)
            return false;
        position_make(position, moves[random_below(random, (uint64_t)count)], &undo);
        keys[i + 1] = position->key;
        if (draw_repetitions(keys, i + 2, position->rule50) > 0)
            return false;
    }
    return movegen_any(position) && !draw_insufficient_material(position) &&
           position->rule50 < DRAW_RULE50_PLIES;
}

OpeningDraw openings_draw(Openings *openings, int plies, Position *position,
                          char fault[OPENING_FAULT_MAX]) {
    if (openings->book == NULL)
        fen_parse(position, FEN_STARTPOS, false, NULL);
    else if (!read_position(openings, (size_t)random_below(&openings->random, openings->count),
                            position, fault))
        return OPENING_BAD;
    return play_random(position, plies, &openings->random) ? OPENING_DRAWN : OPENING_OVER;
}

OpeningDraw openings_find(Openings *openings, int plies, OpeningTaker takes, void *user,
                          Position *position, char fault[OPENING_FAULT_MAX]) {
    OpeningDraw result = OPENING_OVER;
    for (int i = 0; i < OPENING_DRAWS_MAX; i++) {
        OpeningDraw draw = openings_draw(openings, plies, position, fault);
        if (draw == OPENING_BAD || (draw == OPENING_DRAWN && takes(position, user)))
            return draw;
        if (draw == OPENING_DRAWN)
            result = OPENING_REFUSED;
    }
    return result;
}

bool opening_score(Task *task, const Position *position, int nodes, int *score) {
    SearchLimits limits = {.nodes = (uint64_t)nodes};
    SearchResult result;
    search_clear(task->search);
    if (!task_search(task, position, NULL, 0, &limits, &result))
        return false;
    *score = result.score;
    return true;
}

bool opening_parse_seed(const char *text, uint64_t *seed) {
    if (text[0] < '0' || text[0] > '9')
        return false;
    char *end;
    errno = 0;
    *seed = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}
