/* SPDX-License-Identifier: MIT */
/* Openings at random: what was asked for is what comes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chess/attacks.h"
#include "chess/fen.h"
#include "genfens.h"
#include "runner.h"
#include "tools/temporary.h"

enum { LINE_MAX_BYTES = 256, COUNT = 6, SCORE_MIN = 60, SCORE_MAX = 120, NODES = 9000 };

START_TEST(a_search_of_so_many_nodes_is_within_the_bounds) {
    static const char before[] = "info string genfens ";
    char text[LINE_MAX_BYTES], fault[OPENING_FAULT_MAX], *out = NULL, *rest = NULL;
    size_t size = 0;
    GenfensRequest request;
    Task task;
    int count = 0;
    snprintf(text, sizeof text, "%d seed 3 book None random_plies=7 min=%d max=%d nodes=%d", COUNT,
             SCORE_MIN, SCORE_MAX, NODES);
    ck_assert(genfens_parse(text, &request, fault));
    task_open(&task, SEARCH_HASH_MIN);
    FILE *file = open_memstream(&out, &size);
    ck_assert_msg(genfens_run(&task, &request, file, fault), "%s", fault);
    fclose(file);
    for (char *line = strtok_r(out, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        Position position;
        int score = 0;
        ck_assert_msg(strncmp(line, before, strlen(before)) == 0, "%s", line);
        ck_assert_msg(fen_parse(&position, line + strlen(before), false, NULL), "%s", line);
        ck_assert_int_eq(position.stm, BLACK); /* after an odd number of plies */
        ck_assert(opening_score(&task, &position, NODES, &score));
        ck_assert_msg(abs(score) >= SCORE_MIN && abs(score) <= SCORE_MAX, "score %d: %s", score,
                      line);
        count++;
    }
    ck_assert_int_eq(count, COUNT);
    task_close(&task);
    free(out);
}
END_TEST

START_TEST(no_opening_repeats_a_position) {
    /* Kings that wander for so long stand somewhere twice; the game goes on otherwise. */
    static const char shuffle[] = "k7/8/8/p7/P7/8/8/K7 w - - 0 1\n";
    char path[TEMPORARY_SIZE], fault[OPENING_FAULT_MAX] = "";
    Openings openings;
    Position position;
    int handle = temporary_file(path, sizeof path, "test_genfens");
    FILE *book = fdopen(handle, "w");
    ck_assert(book != NULL && fputs(shuffle, book) >= 0 && fclose(book) == 0);
    ck_assert_msg(openings_open(&openings, path, 1, fault), "%s", fault);
    remove(path);
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(openings_draw(&openings, 80, &position, fault), OPENING_OVER);
    ck_assert_int_eq(openings_draw(&openings, 3, &position, fault), OPENING_DRAWN);
    openings_close(&openings);
}
END_TEST

/* Chance might draw the bad line late, at the end of a long run. */
START_TEST(every_line_of_a_book_is_checked_first) {
    char path[TEMPORARY_SIZE], fault[OPENING_FAULT_MAX] = "", wanted[OPENING_FAULT_MAX];
    Openings openings;
    FILE *book = fdopen(temporary_file(path, sizeof path, "test_genfens"), "w");
    ck_assert(book != NULL);
    for (int i = 0; i < 3; i++)
        fputs("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1\n", book);
    fputs("4k3/4p3/8/8/8/8/4P3/4K3 w - -\n4k3/8/8/8/8/8/8/8 w - - 0 1\n", book);
    ck_assert(fclose(book) == 0);
    ck_assert_msg(!openings_open(&openings, path, 1, fault), "the book was taken");
    remove(path);
    snprintf(wanted, sizeof wanted, "book %s: line 5: board: White has no king", path);
    ck_assert_str_eq(fault, wanted);
}
END_TEST

START_TEST(a_book_of_chess960_gives_positions_of_chess960) {
    static const struct {
        const char *book, *made;
    } cases[] = {
        {"nqbrknbr/pppppppp/8/8/8/8/PPPPPPPP/NQBRKNBR w KQkq - 0 1",
         "nqbrknbr/pppppppp/8/8/8/8/PPPPPPPP/NQBRKNBR w HDhd - 0 1"},
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1",
         "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[TEMPORARY_SIZE], fault[OPENING_FAULT_MAX] = "", fen[FEN_MAX];
        Openings openings;
        Position position;
        FILE *file = fdopen(temporary_file(path, sizeof path, "test_genfens"), "w");
        ck_assert(file != NULL && fputs(cases[i].book, file) >= 0 && fclose(file) == 0);
        ck_assert_msg(openings_open(&openings, path, 1, fault), "%s", fault);
        remove(path);
        ck_assert_int_eq(openings_draw(&openings, 0, &position, fault), OPENING_DRAWN);
        fen_format(&position, fen);
        ck_assert_str_eq(fen, cases[i].made);
        openings_close(&openings);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_search_of_so_many_nodes_is_within_the_bounds);
    tcase_add_test(tests, no_opening_repeats_a_position);
    tcase_add_test(tests, every_line_of_a_book_is_checked_first);
    tcase_add_test(tests, a_book_of_chess960_gives_positions_of_chess960);
}

int main(void) {
    chess_init();
    return run_tests("genfens", add_tests);
}
