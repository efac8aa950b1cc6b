#include "genfens.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "chess/draw.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "chess/movegen.h"
#include "search/search.h"

enum { SCORE_NODES = 2000, ATTEMPTS_MAX = 5000, NUMBER_DIGITS_MAX = 9, LINE_MAX_BYTES = 512 };

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t random_next(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* 0 <= result < count; count far below 2^32, so the bias is of no account. */
static uint64_t random_below(uint64_t *state, uint64_t count) {
    return random_next(state) % count;
}

static bool parse_number(const char *text, int low, int high, int *value) {
    size_t count = strspn(text, "0123456789");
    if (count == 0 || count > NUMBER_DIGITS_MAX || text[count] != '\0')
        return false;
    *value = atoi(text);
    return *value >= low && *value <= high;
}

static bool parse_seed(const char *text, uint64_t *seed) {
    if (text == NULL || text[0] < '0' || text[0] > '9')
        return false;
    char *end;
    errno = 0;
    *seed = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

/* One of the `name=number` words. */
static bool parse_argument(const char *word, GenfensRequest *request,
                           char fault[GENFENS_FAULT_MAX]) {
    const struct {
        const char *name;
        int high;
        int *value;
    } arguments[] = {
        {"random_plies=", GENFENS_PLIES_MAX, &request->random_plies},
        {"min=", SCORE_MATE, &request->min_score},
        {"max=", SCORE_MATE, &request->max_score},
    };
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
        size_t length = strlen(arguments[i].name);
        if (strncmp(word, arguments[i].name, length) != 0)
            continue;
        if (parse_number(word + length, 0, arguments[i].high, arguments[i].value))
            return true;
        snprintf(fault, GENFENS_FAULT_MAX, "genfens: %.64s: a number from 0 to %d is wanted", word,
                 arguments[i].high);
        return false;
    }
    snprintf(fault, GENFENS_FAULT_MAX,
             "genfens: unknown argument \"%.64s\" (random_plies=, min= and max= are known)", word);
    return false;
}

bool genfens_parse(char *text, GenfensRequest *request, char fault[GENFENS_FAULT_MAX]) {
    static const char usage[] =
        "genfens: N seed S book <None|path> [random_plies=P] [min=CP] [max=CP] is wanted";
    char *rest = NULL;
    *request = (GenfensRequest){.random_plies = GENFENS_PLIES_DEFAULT,
                                .min_score = GENFENS_MIN_DEFAULT,
                                .max_score = GENFENS_MAX_DEFAULT};
    const char *count = strtok_r(text, " \t", &rest);
    if (count == NULL || !parse_number(count, 1, GENFENS_COUNT_MAX, &request->count)) {
        snprintf(fault, GENFENS_FAULT_MAX, "%s, N from 1 to %d", usage, GENFENS_COUNT_MAX);
        return false;
    }
    const char *seed = strtok_r(NULL, " \t", &rest);
    const char *seed_value = strtok_r(NULL, " \t", &rest);
    const char *book = strtok_r(NULL, " \t", &rest);
    const char *path = strtok_r(NULL, " \t", &rest);
    if (path == NULL || strcmp(seed, "seed") != 0 || strcmp(book, "book") != 0 ||
        !parse_seed(seed_value, &request->seed)) {
        snprintf(fault, GENFENS_FAULT_MAX, "%s, S a whole number", usage);
        return false;
    }
    request->book = strcmp(path, "None") == 0 ? NULL : path;
    for (const char *word; (word = strtok_r(NULL, " \t", &rest)) != NULL;)
        if (!parse_argument(word, request, fault))
            return false;
    if (request->min_score > request->max_score) {
        snprintf(fault, GENFENS_FAULT_MAX, "genfens: min=%d is above max=%d", request->min_score,
                 request->max_score);
        return false;
    }
    return true;
}

/* A book: the offsets at which the lines that hold something begin. */
typedef struct {
    FILE *file;
    long *lines;
    size_t count, capacity;
} Book;

static void book_close(Book *book) {
    if (book->file != NULL)
        fclose(book->file);
    free(book->lines);
    *book = (Book){0};
}

static bool book_add_line(Book *book, long offset) {
    if (book->count == book->capacity) {
        size_t capacity = book->capacity == 0 ? 1024 : book->capacity * 2;
        long *lines = realloc(book->lines, capacity * sizeof *lines);
        if (lines == NULL)
            return false;
        book->lines = lines;
        book->capacity = capacity;
    }
    book->lines[book->count++] = offset;
    return true;
}

static bool book_open(Book *book, const char *path, char fault[GENFENS_FAULT_MAX]) {
    *book = (Book){.file = fopen(path, "r")};
    if (book->file == NULL) {
        snprintf(fault, GENFENS_FAULT_MAX, "genfens: book %.256s: %s", path, strerror(errno));
        return false;
    }
    long offset = 0, start = 0;
    bool blank = true, fits = true;
    for (int c; fits && (c = getc(book->file)) != EOF;) {
        offset++;
        if (c == '\n') {
            fits = blank || book_add_line(book, start);
            blank = true;
            start = offset;
        } else if (c > ' ') {
            blank = false;
        }
    }
    fits = fits && (blank || book_add_line(book, start));
    if (fits && !ferror(book->file) && book->count > 0)
        return true;
    snprintf(fault, GENFENS_FAULT_MAX, "genfens: book %.256s: %s", path,
             !fits                ? "too large for the memory"
             : ferror(book->file) ? "cannot be read"
                                  : "holds no position");
    book_close(book);
    return false;
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

static bool book_position(Book *book, uint64_t *random, bool chess960, Position *position,
                          char fault[GENFENS_FAULT_MAX]) {
    char line[LINE_MAX_BYTES];
    FenError error = {.text = "the line cannot be read"};
    size_t index = (size_t)random_below(random, book->count);
    if (fseek(book->file, book->lines[index], SEEK_SET) == 0 &&
        fgets(line, sizeof line, book->file) != NULL) {
        cut_operations(line);
        if (fen_parse(position, line, chess960, &error))
            return true;
    }
    snprintf(fault, GENFENS_FAULT_MAX, "genfens: book: position %zu: %s", index + 1, error.text);
    return false;
}

/* Plays random moves; false when the game ended on the way or is over afterwards. */
static bool play_random(Position *position, int plies, uint64_t *random) {
    Move moves[MAX_MOVES];
    Undo undo;
    for (int i = 0; i < plies; i++) {
        int count = movegen_legal(position, moves);
        if (count == 0)
            return false;
        position_make(position, moves[random_below(random, (uint64_t)count)], &undo);
    }
    return movegen_any(position) && !draw_insufficient_material(position) &&
           position->rule50 < DRAW_RULE50_PLIES;
}

static bool score_is_within(Search *search, const Position *position,
                            const GenfensRequest *request) {
    SearchLimits limits = {.nodes = SCORE_NODES};
    SearchResult result;
    search_clear(search);
    search_run(search, position, NULL, 0, &limits, NULL, NULL, &result);
    int size = abs(result.score);
    return size >= request->min_score && size <= request->max_score;
}

/* Tries until a position meets the bounds. */
static bool make_one(const GenfensRequest *request, Book *book, Search *search, uint64_t *random,
                     Position *position, char fault[GENFENS_FAULT_MAX]) {
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        if (book->file == NULL)
            fen_parse(position, FEN_STARTPOS, request->chess960, NULL);
        else if (!book_position(book, random, request->chess960, position, fault))
            return false;
        if (play_random(position, request->random_plies, random) &&
            score_is_within(search, position, request))
            return true;
    }
    snprintf(
        fault, GENFENS_FAULT_MAX,
        "genfens: %d attempts gave no position with a score from %d to %d: widen min= and max=",
        ATTEMPTS_MAX, request->min_score, request->max_score);
    return false;
}

bool genfens_run(const GenfensRequest *request, FILE *out, char fault[GENFENS_FAULT_MAX]) {
    Book book = {0};
    if (request->book != NULL && !book_open(&book, request->book, fault))
        return false;
    Search *search = search_new();
    /* A small table is quick to empty, and 2,000 nodes do not fill it. */
    search_set_hash(search, SEARCH_HASH_MIN);
    uint64_t random = request->seed;
    bool done = true;
    for (int i = 0; done && i < request->count; i++) {
        Position position;
        done = make_one(request, &book, search, &random, &position, fault);
        if (done) {
            char fen[FEN_MAX];
            fen_format(&position, fen);
            fprintf(out, "info string genfens %s\n", fen);
            fflush(out);
        }
    }
    search_free(search);
    book_close(&book);
    return done;
}
