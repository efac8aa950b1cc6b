/* The bundled book: every line a position that a game can start from, none twice. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chess/draw.h"
#include "chess/fen.h"
#include "chess/movegen.h"
#include "runner.h"

enum { POSITIONS = 2000, LINE_MAX_BYTES = 256 };

static int by_value(const void *a, const void *b) {
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

START_TEST(every_line_is_a_playable_position_and_none_comes_twice) {
    static uint64_t keys[POSITIONS];
    const char *srcdir = getenv("srcdir");
    char path[4096], line[LINE_MAX_BYTES];
    int count = 0;
    snprintf(path, sizeof path, "%s/openings/reductio.epd", srcdir ? srcdir : ".");
    FILE *book = fopen(path, "r");
    ck_assert_msg(book != NULL, "%s cannot be read", path);
    while (fgets(line, sizeof line, book) != NULL) {
        Position position;
        FenError error;
        char written[FEN_MAX];
        ck_assert_int_lt(count, POSITIONS);
        line[strcspn(line, "\n")] = '\0';
        ck_assert_msg(fen_parse(&position, line, false, &error), "line %d: %s", count + 1,
                      error.text);
        fen_format(&position, written);
        ck_assert_str_eq(written, line);
        ck_assert_msg(movegen_any(&position), "line %d: the game is over", count + 1);
        ck_assert_msg(!draw_insufficient_material(&position), "line %d: a draw", count + 1);
        keys[count++] = position.key;
    }
    fclose(book);
    ck_assert_int_eq(count, POSITIONS);
    qsort(keys, POSITIONS, sizeof keys[0], by_value);
    for (int i = 1; i < POSITIONS; i++)
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
