/* SPDX-License-Identifier: MIT */
/* Slider lookups, lines and leaps against a walk over the board, square by square. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "chess/attacks.h"
#include "chess/random.h"
#include "walk.h"
#include "runner.h"

enum { MASK_MAX = 12 }; /* squares: a rook's in a corner */

static const int DIAGONAL[4][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
static const int STRAIGHT[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};

static Bitboard walk_ray(Square s, int df, int dr, Bitboard occ) {
    Bitboard reached = 0;
    int file = square_file(s) + df;
    int rank = square_rank(s) + dr;
    while (file >= 0 && file < 8 && rank >= 0 && rank < 8) {
        Square to = square_make(file, rank);
        reached |= bb_square(to);
        if (bb_has(occ, to))
            break;
        file += df;
        rank += dr;
    }
    return reached;
}

static Bitboard walk_slider(Square s, const int steps[4][2], Bitboard occ) {
    Bitboard reached = 0;
    for (int i = 0; i < 4; i++)
        reached |= walk_ray(s, steps[i][0], steps[i][1], occ);
    return reached;
}

static void compare(const char *how, Square s, Bitboard occ, Bitboard found, Bitboard walked) {
    if (found != walked)
        ck_abort_msg("square %d, occupied %016" PRIx64 ": %s %016" PRIx64 ", walked %016" PRIx64, s,
                     occ, how, found, walked);
}

static void compare_slider(Square s, const int steps[4][2], Bitboard occ, Bitboard looked_up) {
    compare("looked up", s, occ, looked_up, walk_slider(s, steps, occ));
}

/* A slider's subsets of its mask, in a table of this test's own and by magic, whether this program
 * looks up by magic or not. */
static void check_magic(const SliderLookup *l, Square s, const int steps[4][2]) {
    static Bitboard table[1 << MASK_MAX];
    Bitboard occ = 0;
    ck_assert_int_ge(l->shift, SQUARE_COUNT - MASK_MAX);
    memset(table, 0, sizeof table);
    do {
        Bitboard walked = walk_slider(s, steps, occ);
        Bitboard *place = &table[attacks_magic_index(l, occ)];
        if (*place == 0)
            *place = walked;
        compare("by magic", s, occ, *place, walked);
        occ = (occ - l->mask) & l->mask;
    } while (occ);
}

START_TEST(magics_keep_different_attacks_apart) {
    for (Square s = 0; s < SQUARE_COUNT; s++) {
        check_magic(&attacks_bishop_lookup[s], s, DIAGONAL);
        check_magic(&attacks_rook_lookup[s], s, STRAIGHT);
    }
}
END_TEST

START_TEST(every_blocker_set_gives_the_walked_attacks) {
    for (Square s = 0; s < SQUARE_COUNT; s++) {
        const SliderLookup *bishop = &attacks_bishop_lookup[s];
        const SliderLookup *rook = &attacks_rook_lookup[s];
        Bitboard occ = 0;
        do {
            compare_slider(s, DIAGONAL, occ, attacks_bishop(s, occ));
            occ = (occ - bishop->mask) & bishop->mask;
        } while (occ);
        do {
            compare_slider(s, STRAIGHT, occ, attacks_rook(s, occ));
            occ = (occ - rook->mask) & rook->mask;
        } while (occ);
    }
}
END_TEST

START_TEST(squares_off_the_lines_do_not_matter) {
    uint64_t state = 7;
    for (int i = 0; i < 20000; i++) {
        Bitboard occ = random_next(&state) & (i % 2 ? random_next(&state) : ~UINT64_C(0));
        Square s = (Square)(random_next(&state) % SQUARE_COUNT);
        compare_slider(s, DIAGONAL, occ, attacks_bishop(s, occ));
        compare_slider(s, STRAIGHT, occ, attacks_rook(s, occ));
        ck_assert_uint_eq(attacks_queen(s, occ), attacks_bishop(s, occ) | attacks_rook(s, occ));
    }
}
END_TEST

START_TEST(leaps_stay_on_the_board) {
    for (Square a = 0; a < SQUARE_COUNT; a++)
        for (Square b = 0; b < SQUARE_COUNT; b++) {
            int files = abs(square_file(a) - square_file(b));
            int ranks = square_rank(b) - square_rank(a);
            int dr = abs(ranks);
            ck_assert_int_eq(bb_has(attacks_knight(a), b), files * dr == 2);
            ck_assert_int_eq(bb_has(attacks_king(a), b), a != b && files <= 1 && dr <= 1);
            ck_assert_int_eq(bb_has(attacks_pawn(WHITE, a), b), files == 1 && ranks == 1);
            ck_assert_int_eq(bb_has(attacks_pawn(BLACK, a), b), files == 1 && ranks == -1);
        }
}
END_TEST

START_TEST(lines_and_what_lies_between) {
    for (Square a = 0; a < SQUARE_COUNT; a++)
        for (Square b = 0; b < SQUARE_COUNT; b++) {
            Bitboard line = 0;
            Bitboard between = 0;
            for (int i = 0; i < 8; i++) {
                const int *d = i < 4 ? DIAGONAL[i] : STRAIGHT[i - 4];
                if (!bb_has(walk_ray(a, d[0], d[1], 0), b))
                    continue;
                line = walk_ray(a, d[0], d[1], 0) | walk_ray(a, -d[0], -d[1], 0) | bb_square(a);
                between = walk_ray(a, d[0], d[1], bb_square(b)) & ~bb_square(b);
            }
            ck_assert_uint_eq(attacks_line(a, b), line);
            ck_assert_uint_eq(attacks_between(a, b), between);
        }
}
END_TEST

static void add_tests(TCase *tc) {
    tcase_add_test(tc, every_blocker_set_gives_the_walked_attacks);
    tcase_add_test(tc, magics_keep_different_attacks_apart);
    tcase_add_test(tc, squares_off_the_lines_do_not_matter);
    tcase_add_test(tc, leaps_stay_on_the_board);
    tcase_add_test(tc, lines_and_what_lies_between);
}

int main(void) {
    chess_init();
    chess_init(); /* twice does no harm */
    return run_tests("attacks", add_tests);
}
