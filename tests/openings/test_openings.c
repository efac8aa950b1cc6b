/* SPDX-License-Identifier: MIT */
/* The bundled book: every line a position that a game can start from, none twice, and as many as
 * openings/README.md says. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "chess/draw.h"
#include "chess/fen.h"
#include "chess/movegen.h"
#include "runner.h"

enum { POSITIONS_MAX = 100000, POSITIONS_MIN = 2000, RANDOM_PLIES = 8, LINE_MAX_BYTES = 256 };

static int by_value(const void *a, const void *b) {
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

/* The path of a file in openings/; overwritten by the next call. */
static const char *book_file(const char *name) {
    static char path[4096];
    const char *srcdir = getenv("srcdir");
    snprintf(path, sizeof path, "%s/openings/%s", srcdir ? srcdir : ".", name);
    return path;
}

/* How many openings openings/README.md says there are. */
static int promised_count(void) {
    char line[LINE_MAX_BYTES];
    int count = 0;
    FILE *readme = fopen(book_file("README.md"), "r");
    ck_assert(readme != NULL);
    while (count == 0 && fgets(line, sizeof line, readme) != NULL)
        sscanf(line, "`reductio.epd.gz` holds %d openings", &count);
    fclose(readme);
    return count;
}

START_TEST(every_line_is_a_playable_position_and_none_comes_twice) {
    static uint64_t keys[POSITIONS_MAX];
    char line[LINE_MAX_BYTES];
    int count = 0, promised = promised_count();
    ck_assert_int_ge(promised, POSITIONS_MIN);
    gzFile book = gzopen(book_file("reductio.epd.gz"), "r");
    ck_assert_msg(book != NULL && !gzdirect(book), "not compressed");
    while (gzgets(book, line, sizeof line) != NULL) {
        Position position;
        FenError error;
        char written[FEN_MAX];
        ck_assert_int_lt(count, promised);
        line[strcspn(line, "\n")] = '\0';
        ck_assert_msg(fen_parse(&position, line, false, &error), "line %d: %s", count + 1,
                      error.text);
        fen_format(&position, written);
        ck_assert_str_eq(written, line);
        ck_assert_msg(movegen_any(&position), "line %d: the game is over", count + 1);
        ck_assert_msg(!draw_insufficient_material(&position), "line %d: a draw", count + 1);
        ck_assert_msg(position.stm == WHITE && position.fullmove == 1 + RANDOM_PLIES / 2,
                      "line %d: not after %d plies", count + 1, RANDOM_PLIES);
        keys[count++] = position.key;
    }
    ck_assert_int_eq(gzclose(book), Z_OK);
    ck_assert_int_eq(count, promised);
    qsort(keys, (size_t)count, sizeof keys[0], by_value);
    for (int i = 1; i < count; i++)
        ck_assert_msg(keys[i] != keys[i - 1], "a position comes twice");
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, every_line_is_a_playable_position_and_none_comes_twice);
}

int main(void) {
    chess_init();
    return run_tests("openings", add_tests);
}
