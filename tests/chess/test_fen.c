/* SPDX-License-Identifier: MIT */
/* Positions as text: what is read, what is refused and why, and text that is garbage. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "chess/fen.h"
#include "chess/move.h"
#include "chess/movegen.h"
#include "chess/random.h"
#include "walk.h"
#include "runner.h"

START_TEST(what_is_read_comes_out_normalised) {
    static const struct {
        const char *text;
        bool chess960;
        const char *out;
    } CASES[] = {
        {FEN_STARTPOS, false, FEN_STARTPOS},
        /* Four fields, as in EPD; blanks of any kind. */
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", false, FEN_STARTPOS},
        {"  rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR\tw  KQkq - 0 1\r\n", false, FEN_STARTPOS},
        {"4k3/8/8/8/8/8/8/4K3 b - - 99 9999", false, "4k3/8/8/8/8/8/8/4K3 b - - 99 9999"},
        {"4k3/8/8/8/8/8/8/4K3 b - - 12 0", false, "4k3/8/8/8/8/8/8/4K3 b - - 12 1"},
        /* An en passant square that nothing can capture on, or may capture on. */
        {"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", false,
         "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"},
        {"8/8/8/8/k2pP2Q/8/8/3K4 b - e3 0 1", false, "8/8/8/8/k2pP2Q/8/8/3K4 b - - 0 1"},
        {"8/8/8/8/k2pP3/8/8/3K4 b - e3 0 1", false, "8/8/8/8/k2pP3/8/8/3K4 b - e3 0 1"},
        /* Castling rights in any order, by file letters, and by the outermost rook. */
        {"r3k2r/8/8/8/8/8/8/R3K2R w qkQK - 0 1", false, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", false, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", true, "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1"},
        {"1r2k1rr/8/8/8/8/8/8/RR2K1R1 w KQkq - 0 1", true,
         "1r2k1rr/8/8/8/8/8/8/RR2K1R1 w GAhb - 0 1"},
        {"1r2k1rr/8/8/8/8/8/8/RR2K1R1 w GBgb - 0 1", true,
         "1r2k1rr/8/8/8/8/8/8/RR2K1R1 w GBgb - 0 1"},
        {"2r1kr2/8/8/8/8/8/8/2R1KR2 b Kc - 0 1", true, "2r1kr2/8/8/8/8/8/8/2R1KR2 b Fc - 0 1"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Position pos;
        FenError err;
        ck_assert_msg(fen_parse(&pos, CASES[i].text, CASES[i].chess960, &err), "%s: %s",
                      CASES[i].text, err.text);
        ck_assert_str_eq(walk_fen(&pos), CASES[i].out);
    }
}
END_TEST

START_TEST(every_fault_is_named) {
    static const struct {
        const char *text;
        const char *fault;
    } CASES[] = {
        {"", "no position: the text is empty"},
        {" \t", "no position: the text is empty"},
        {"startpos", "1 field: a position has 4 or 6"},
        {"4k3/8/8/8/8/8/8/4K3 w - - 0", "5 fields: a position has 4 or 6"},
        {"4k3/8/8/8/8/8/8/4K3 w - - 0 1 x", "more than 6 fields: a position has 4 or 6"},
        {"4k3/8/8/8/8/8/4K3 w - - 0 1", "board: 7 ranks instead of 8"},
        {"4k3/8/8/8/8/8/8/8/4K3 w - - 0 1", "board: more than 8 ranks"},
        {"4k3/8/8/8/8/8/8/4K3/ w - - 0 1", "board: more than 8 ranks"},
        {"4k3/9/8/8/8/8/8/4K3 w - - 0 1", "board: rank 7: unknown piece '9'"},
        {"4k4/8/8/8/8/8/8/4K3 w - - 0 1", "board: rank 8 has more than 8 files"},
        {"4k3/pppppppppp/8/8/8/8/8/4K3 w - - 0 1", "board: rank 7 has more than 8 files"},
        {"4k3/8/8/7/8/8/8/4K3 w - - 0 1", "board: rank 5 has 7 files instead of 8"},
        {"4k3 w - - 0 1", "board: 1 rank instead of 8"},
        {"4k3/8/8/1/8/8/8/4K3 w - - 0 1", "board: rank 5 has 1 file instead of 8"},
        {"4k3/8//8/8/8/8/4K3 w - - 0 1", "board: rank 6 has 0 files instead of 8"},
        {"4k3/8/44/8/8/8/8/4K3 w - - 0 1", "board: rank 6 has two numbers in a row"},
        {"4k3/8/3x4/8/8/8/8/4K3 w - - 0 1", "board: rank 6: unknown piece 'x'"},
        {"4k3/8/3\x01"
         "4/8/8/8/8/4K3 w - - 0 1",
         "board: rank 6: unknown piece '?'"},
        {"8/8/8/8/8/8/8/4K3 w - - 0 1", "board: Black has no king"},
        {"4k3/8/8/8/8/8/8/8 w - - 0 1", "board: White has no king"},
        {"4k3/8/8/8/8/8/8/3KK3 w - - 0 1", "board: White has 2 kings"},
        {"4k2P/8/8/8/8/8/8/4K3 w - - 0 1", "board: pawn on h8, on the first or last rank"},
        {"4k3/8/8/8/8/8/8/p3K3 w - - 0 1", "board: pawn on a1, on the first or last rank"},
        {"4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", "board: White has 9 pawns, more than 8"},
        {"4k3/nnnnnnnn/nnnnnnnn/8/8/8/8/4K3 w - - 0 1", "board: Black has 17 pieces, more than 16"},
        {"4k3/8/8/8/8/QQ6/PPPPPPPP/4K3 w - - 0 1",
         "board: White has too many pieces for 0 pawns left to promote"},
        {"4k3/8/8/8/8/RRR5/PPPPPPPP/4K3 w - - 0 1",
         "board: White has too many pieces for 0 pawns left to promote"},
        {"4k3/pppppppp/bbb5/8/8/8/8/4K3 w - - 0 1",
         "board: Black has too many pieces for 0 pawns left to promote"},
        {"4k3/pppppppp/nnn5/8/8/8/8/4K3 w - - 0 1",
         "board: Black has too many pieces for 0 pawns left to promote"},
        {"4k3/8/8/8/8/QQQ5/PPPPPPP1/4K3 w - - 0 1",
         "board: White has too many pieces for 1 pawn left to promote"},
        {"4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side to move: 'x' is neither w nor b"},
        {"4k3/8/8/8/8/8/8/4K3 white - - 0 1", "side to move: 'white' is neither w nor b"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkqK - 0 1",
         "castling rights: 'KQkqK' is longer than four letters"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KX - 0 1", "castling rights: unknown letter 'X'"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w K- - 0 1", "castling rights: unknown letter '-'"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KK - 0 1",
         "castling rights: K names a side that has its right already"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KH - 0 1",
         "castling rights: H names a side that has its right already"},
        {"4k3/8/8/8/8/8/8/R3K3 w KQ - 0 1", "castling rights: K, but White has no such rook"},
        {"4k3/8/8/8/8/8/8/R3K3 w B - 0 1", "castling rights: B, but White has no such rook"},
        {"r3k3/8/8/8/8/8/4K3/R6R w Q - 0 1", "castling rights: Q, but the king of White is on e2"},
        {"4k3/8/8/8/8/8/8/R2K4 w Q - 0 1", "castling rights: Q, but king and rook stand on d1 and "
                                           "a1, which only Chess960 allows"},
        {"4k3/8/8/8/8/8/8/4K1R1 w K - 0 1", "castling rights: K, but king and rook stand on e1 and "
                                            "g1, which only Chess960 allows"},
        {"4k3/8/8/8/8/8/8/4K3 w - e 0 1", "en passant: 'e' is neither a square nor -"},
        {"4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "en passant: 'e9' is neither a square nor -"},
        {"4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1",
         "en passant: e3 is not on rank 6, where White could capture"},
        {"4k3/8/8/4p3/8/8/8/4K3 b - e6 0 1",
         "en passant: e6 is not on rank 3, where Black could capture"},
        {"4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "en passant: no pawn can just have passed e6"},
        {"4k3/8/8/4P3/8/8/8/4K3 w - e6 0 1", "en passant: no pawn can just have passed e6"},
        {"4k3/4n3/8/4p3/8/8/8/4K3 w - e6 0 1", "en passant: no pawn can just have passed e6"},
        {"4k3/8/4n3/4p3/8/8/8/4K3 w - e6 0 1", "en passant: no pawn can just have passed e6"},
        /* The rook gave check before the pawn could move. */
        {"4k3/8/8/4pP2/8/8/8/r3K3 w - e6 0 1", "en passant: no pawn can just have passed e6"},
        /* So did the pawn itself, from where it stood. */
        {"8/8/8/8/4Pp2/3k4/8/4K3 b - e3 0 1", "en passant: no pawn can just have passed e3"},
        {"4k3/8/5K2/4p3/8/8/8/8 w - e6 0 1", "en passant: no pawn can just have passed e6"},
        {"4k3/8/8/8/8/8/8/4K3 w - - -1 1", "halfmove clock: '-1' is not a number from 0 to 9999"},
        {"4k3/8/8/8/8/8/8/4K3 w - - 10000 1",
         "halfmove clock: '10000' is not a number from 0 to 9999"},
        {"4k3/8/8/8/8/8/8/4K3 w - - 0 1x", "move number: '1x' is not a number from 0 to 9999"},
        {"4k3/8/8/8/8/8/8/4K3 w - - 0 99999999999999999999",
         "move number: '9999999999999999...' is not a number from 0 to 9999"},
        {"4k3/8/8/8/8/8/8/4K2r b - - 0 1", "Black is to move, and could capture the king on e1"},
        {"8/8/8/8/8/8/4k3/4K3 b - - 0 1", "Black is to move, and could capture the king on e1"},
        {"4k3/8/8/8/1b6/5n2/8/4K2r w - - 0 1",
         "the king on e1 is in check from 3 pieces, which no move can give"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Position pos;
        FenError err = {""};
        ck_assert_msg(!fen_parse(&pos, CASES[i].text, false, &err), "accepted: %s", CASES[i].text);
        ck_assert_msg(strcmp(err.text, CASES[i].fault) == 0, "%s: '%s' instead of '%s'",
                      CASES[i].text, err.text, CASES[i].fault);
        ck_assert(!fen_parse(&pos, CASES[i].text, false, NULL));
    }
}
END_TEST

START_TEST(chess960_faults) {
    static const char *const FENS[] = {
        "k7/8/8/8/8/8/8/K6R w K - 0 1",     /* no game starts with a king on a1 */
        "k7/8/8/8/8/8/8/R6K w Q - 0 1",     /* nor on h1 */
        "4k3/8/8/8/8/8/8/1R2KR2 w G - 0 1", /* no rook on g1 */
        "4k3/8/8/8/8/8/8/1RR1K3 w BC - 0 1" /* two rights on one side */
    };
    for (size_t i = 0; i < sizeof FENS / sizeof FENS[0]; i++) {
        Position pos;
        FenError err;
        ck_assert_msg(!fen_parse(&pos, FENS[i], true, &err), "accepted: %s", FENS[i]);
        ck_assert_msg(strncmp(err.text, "castling rights: ", 17) == 0, "%s: %s", FENS[i], err.text);
    }
}
END_TEST

static void check_round_trip(Position *pos, void *user) {
    (void)user;
    char text[FEN_MAX];
    fen_format(pos, text);
    Position read;
    FenError err;
    REQUIRE(fen_parse(&read, text, pos->chess960, &err), "%s: %s", text, err.text);
    REQUIRE(strcmp(walk_fen(&read), text) == 0, "%s became %s", text, walk_fen(&read));
    REQUIRE(read.key == pos->key, "%s: another key", text);
}

START_TEST(positions_of_games_round_trip) {
    ck_assert_int_ge(walk_positions(320, 150, check_round_trip, NULL), 10000);
}
END_TEST

START_TEST(a_game_beyond_the_last_number_is_still_a_position) {
    Position pos, read;
    Undo undo;
    FenError err;
    char text[FEN_MAX];
    ck_assert(fen_parse(&pos, "4k3/8/8/8/8/8/8/4K3 b - - 9999 9999", false, NULL));
    position_make(&pos, move_from_uci(&pos, "e8d8"), &undo);
    fen_format(&pos, text);
    ck_assert_str_eq(text, "3k4/8/8/8/8/8/8/4K3 w - - 9999 9999");
    ck_assert_msg(fen_parse(&read, text, false, &err), "%s", err.text);
}
END_TEST

enum { TEXT_MAX = 256 };

/* Changes a text at a few places: letters that mean something, any byte, cuts and doublings. */
static void mutate(char text[TEXT_MAX], uint64_t *state) {
    static const char LETTERS[] = "PNBRQKpnbrqk12345678/ -wbKQkqABCDEFGHabcdefgh36";
    int edits = 1 + (int)(random_next(state) % 4);
    for (int i = 0; i < edits; i++) {
        size_t length = strlen(text);
        if (length == 0)
            return;
        size_t at = random_next(state) % length;
        switch (random_next(state) % 5) {
        case 0:
        case 1:
            text[at] = LETTERS[random_next(state) % (sizeof LETTERS - 1)];
            break;
        case 2:
            text[at] = (char)random_next(state);
            break;
        case 3:
            memmove(text + at, text + at + 1, length - at);
            break;
        default:
            if (length + 2 < TEXT_MAX)
                memmove(text + at + 1, text + at, length - at + 1);
        }
    }
}

/* An accepted position must be one that everything else can work with. */
static void exercise(const Position *pos) {
    Position copy = *pos;
    check_round_trip(&copy, NULL);
    Move moves[MAX_MOVES];
    int count = movegen_legal(&copy, moves);
    REQUIRE(count <= 218 && count == movegen_count(&copy), "%s: %d moves, counted %d",
            walk_fen(pos), count, movegen_count(&copy));
    for (int i = 0; i < count; i++) {
        Undo undo;
        bool gives_check = move_gives_check(&copy, moves[i]);
        position_make(&copy, moves[i], &undo);
        REQUIRE(gives_check == position_in_check(&copy), "%s", walk_fen(pos));
        REQUIRE(copy.pawn_key == position_compute_pawn_key(&copy), "%s", walk_fen(pos));
        position_unmake(&copy, moves[i], &undo);
        REQUIRE(memcmp(&copy, pos, sizeof copy) == 0, "%s", walk_fen(pos));
    }
}

typedef struct {
    uint64_t state;
    int accepted;
    int refused;
} Fuzz;

static void fuzz_position(Position *pos, void *user) {
    Fuzz *fuzz = user;
    for (int i = 0; i < 40; i++) {
        char text[TEXT_MAX];
        fen_format(pos, text);
        mutate(text, &fuzz->state);
        Position read;
        FenError err = {""};
        if (fen_parse(&read, text, i % 2, &err)) {
            exercise(&read);
            fuzz->accepted++;
        } else {
            REQUIRE(err.text[0] != '\0', "no reason for refusing: %s", text);
            for (const char *c = err.text; *c; c++)
                REQUIRE(isprint((unsigned char)*c), "%s: unprintable reason", text);
            fuzz->refused++;
        }
    }
}

START_TEST(mutated_texts_are_refused_with_a_reason_or_fully_usable) {
    Fuzz fuzz = {1, 0, 0};
    walk_positions(64, 40, fuzz_position, &fuzz);
    ck_assert_int_ge(fuzz.accepted, 1000);
    ck_assert_int_ge(fuzz.refused, 10000);
}
END_TEST

START_TEST(a_very_long_text_is_only_a_fault) {
    enum { LENGTH = 1 << 20 };
    static const char FILLS[] = "8k/0 K-";
    char *text = malloc(LENGTH + 1);
    ck_assert_ptr_nonnull(text);
    for (const char *fill = FILLS; *fill; fill++) {
        memset(text, *fill, LENGTH);
        text[LENGTH] = '\0';
        Position pos;
        FenError err = {""};
        ck_assert(!fen_parse(&pos, text, false, &err));
        ck_assert_str_ne(err.text, "");
    }
    free(text);
}
END_TEST

static void add_tests(TCase *tc) {
    tcase_add_test(tc, what_is_read_comes_out_normalised);
    tcase_add_test(tc, every_fault_is_named);
    tcase_add_test(tc, chess960_faults);
    tcase_add_test(tc, positions_of_games_round_trip);
    tcase_add_test(tc, a_game_beyond_the_last_number_is_still_a_position);
    tcase_add_test(tc, mutated_texts_are_refused_with_a_reason_or_fully_usable);
    tcase_add_test(tc, a_very_long_text_is_only_a_fault);
}

int main(void) {
    chess_init();
    return run_tests("fen", add_tests);
}
