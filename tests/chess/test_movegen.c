/* SPDX-License-Identifier: MIT */
/* What must hold between the move lists, single moves, make and unmake, in every position. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "chess/fen.h"
#include "chess/move.h"
#include "chess/movegen.h"
#include "walk.h"
#include "runner.h"
#include "tools/position.h"

static int compare_moves(const void *a, const void *b) {
    return (int)*(const Move *)a - (int)*(const Move *)b;
}

static void check_lists(Position *pos, void *user) {
    (void)user;
    Move legal[MAX_MOVES];
    Move parts[2 * MAX_MOVES];
    int count = movegen_legal(pos, legal);
    int noisy = movegen_noisy(pos, parts);
    int quiets = movegen_quiets(pos, parts + noisy);
    for (int i = 0; i < noisy + quiets; i++)
        REQUIRE(move_is_noisy(pos, parts[i]) == (i < noisy), "%s: move %04x in the wrong list",
                walk_fen(pos), parts[i]);
    REQUIRE(noisy + quiets == count && movegen_count(pos) == count,
            "%s: %d legal, %d noisy + %d quiet, counted %d", walk_fen(pos), count, noisy, quiets,
            movegen_count(pos));
    qsort(legal, (size_t)count, sizeof(Move), compare_moves);
    qsort(parts, (size_t)count, sizeof(Move), compare_moves);
    REQUIRE(memcmp(legal, parts, (size_t)count * sizeof(Move)) == 0,
            "%s: noisy and quiet moves are not the legal ones", walk_fen(pos));
    for (int i = 1; i < count; i++)
        REQUIRE(legal[i] != legal[i - 1], "%s: %04x twice", walk_fen(pos), legal[i]);
    ck_assert(movegen_any(pos));
}

START_TEST(noisy_and_quiet_moves_are_the_legal_moves) {
    ck_assert_int_ge(walk_positions(320, 120, check_lists, NULL), 10000);
}
END_TEST

static void check_legality(Position *pos, void *user) {
    (void)user;
    static bool listed[1 << 16];
    Move legal[MAX_MOVES];
    int count = movegen_legal(pos, legal);
    memset(listed, 0, sizeof listed);
    for (int i = 0; i < count; i++)
        listed[legal[i]] = true;
    for (int move = 0; move < 1 << 16; move++)
        REQUIRE(move_is_legal(pos, (Move)move) == listed[move], "%s: move %04x is %slisted",
                walk_fen(pos), (unsigned)move, listed[move] ? "" : "not ");
}

START_TEST(of_all_16_bit_values_only_the_legal_moves_are_legal) {
    ck_assert_int_ge(walk_positions(96, 80, check_legality, NULL), 1000);
}
END_TEST

/* The state that make keeps up incrementally, against its definition. */
static void check_state(const Position *pos) {
    Color us = pos->stm;
    Bitboard occ = position_occupied(pos);
    REQUIRE(pos->key == position_compute_key(pos), "%s: key", walk_fen(pos));
    REQUIRE(pos->pawn_key == position_compute_pawn_key(pos), "%s: pawn key", walk_fen(pos));
    Bitboard checkers =
        position_attackers(pos, position_king(pos, us), occ) & pos->by_color[us ^ 1];
    REQUIRE(pos->checkers == checkers, "%s: checkers %" PRIx64 " instead of %" PRIx64,
            walk_fen(pos), pos->checkers, checkers);
    for (Square s = 0; s < SQUARE_COUNT; s++) {
        Piece piece = pos->board[s];
        bool empty = !bb_has(occ, s);
        REQUIRE(empty == (piece == PIECE_NONE), "%s: square %d", walk_fen(pos), s);
        if (empty)
            continue;
        REQUIRE(bb_has(position_pieces(pos, piece_color(piece), piece_type(piece)), s),
                "%s: square %d", walk_fen(pos), s);
        bool own = piece_color(piece) == us && piece_type(piece) != KING;
        /* Pinned: without the piece another one attacks the king. */
        Bitboard attackers = position_attackers(pos, position_king(pos, us), occ ^ bb_square(s)) &
                             pos->by_color[us ^ 1];
        REQUIRE(bb_has(pos->pinned, s) == (own && attackers != checkers), "%s: pin on square %d",
                walk_fen(pos), s);
    }
}

/* Reading the position from its text must give the same position, to the byte. */
static void check_against_text(const Position *pos) {
    Position read;
    FenError err;
    REQUIRE(fen_parse(&read, walk_fen(pos), pos->chess960, &err), "%s: %s", walk_fen(pos),
            err.text);
    /* These remember the start of the game, which the text does not tell. */
    memcpy(read.castle_rook, pos->castle_rook, sizeof read.castle_rook);
    memcpy(read.castle_empty, pos->castle_empty, sizeof read.castle_empty);
    read.castle_squares = pos->castle_squares;
    REQUIRE(memcmp(&read, pos, sizeof read) == 0, "%s: differs from what its text says",
            walk_fen(pos));
}

static bool ep_is_capturable(const Position *pos) {
    Move moves[MAX_MOVES];
    int count = movegen_legal(pos, moves);
    for (int i = 0; i < count; i++)
        if (move_kind(moves[i]) == MOVE_EN_PASSANT)
            return true;
    return false;
}

static void check_make(Position *pos, void *user) {
    int *en_passants = user;
    Move legal[MAX_MOVES];
    int count = movegen_legal(pos, legal);
    const Position before = *pos;
    for (int i = 0; i < count; i++) {
        Move move = legal[i];
        bool gives_check = move_gives_check(pos, move);
        uint64_t key = position_key_after(pos, move);
        Undo undo;
        position_make(pos, move, &undo);
        check_state(pos);
        check_against_text(pos);
        REQUIRE(gives_check == position_in_check(pos), "%s: after move %04x check is %d, said %d",
                walk_fen(pos), move, position_in_check(pos), gives_check);
        REQUIRE((pos->ep != SQUARE_NONE) == ep_is_capturable(pos), "%s: en passant square",
                walk_fen(pos));
        bool irreversible =
            move_is_capture(&before, move) || piece_type(before.board[move_from(move)]) == PAWN;
        REQUIRE(pos->rule50 == (irreversible ? 0 : before.rule50 + 1), "%s: rule50 after %04x",
                walk_fen(&before), move);
        if (pos->ep == SQUARE_NONE)
            REQUIRE(key == pos->key, "%s: key after %04x", walk_fen(pos), move);
        else
            (*en_passants)++;
        position_unmake(pos, move, &undo);
        REQUIRE(memcmp(pos, &before, sizeof before) == 0, "%s: move %04x not taken back",
                walk_fen(&before), move);
    }
    if (!position_in_check(pos)) {
        Undo undo;
        position_make_null(pos, &undo);
        check_state(pos);
        ck_assert_int_eq(pos->stm, before.stm ^ 1);
        ck_assert_int_eq(pos->ep, SQUARE_NONE);
        ck_assert_int_eq(pos->rule50, before.rule50 + 1);
        position_unmake_null(pos, &undo);
        REQUIRE(memcmp(pos, &before, sizeof before) == 0, "%s: null move not taken back",
                walk_fen(&before));
    }
}

START_TEST(make_keeps_its_state_and_unmake_restores_every_byte) {
    int en_passants = 0;
    ck_assert_int_ge(walk_positions(320, 120, check_make, &en_passants), 2000);
    ck_assert_int_ge(en_passants, 20);
}
END_TEST

START_TEST(castling_moves_both_pieces) {
    static const struct {
        const char *fen;
        const char *move;
        const char *after;
    } CASES[] = {
        {"r3k2r/8/8/8/8/8/8/R3K2R w HAha - 3 5", "e1h1", "r3k2r/8/8/8/8/8/8/R4RK1 b ha - 4 5"},
        {"r3k2r/8/8/8/8/8/8/R3K2R b HAha - 3 5", "e8a8", "2kr3r/8/8/8/8/8/8/R3K2R w HA - 4 6"},
        {"4k3/8/8/8/8/8/8/5RK1 w - - 0 1", "g1f1", NULL},
        {"4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"},
        {"4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"},
        {"4k3/8/8/8/8/8/8/1RK5 w B - 0 1", "c1b1", "4k3/8/8/8/8/8/8/2KR4 b - - 1 1"},
        /* The rook was all that stood between the king's new square and the enemy rook. */
        {"4k3/8/8/8/8/8/8/rRK5 w B - 0 1", "c1b1", NULL},
        {"4k3/8/8/8/8/8/8/1RK1r3 w B - 0 1", "c1b1", NULL},
        /* Through an attacked square; past an attacked rook. */
        {"4k3/8/8/8/8/5r2/8/4K2R w H - 0 1", "e1h1", NULL},
        {"1r2k3/8/8/8/8/8/8/R3K3 w A - 0 1", "e1a1", "1r2k3/8/8/8/8/8/8/2KR4 b - - 1 1"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Position pos = read_position(CASES[i].fen, true);
        Move move = move_from_uci(&pos, CASES[i].move);
        if (!CASES[i].after) {
            ck_assert_msg(move == MOVE_NONE, "%s: %s should be illegal", CASES[i].fen,
                          CASES[i].move);
            continue;
        }
        ck_assert_msg(move_kind(move) == MOVE_CASTLING, "%s: %s should castle", CASES[i].fen,
                      CASES[i].move);
        Undo undo;
        position_make(&pos, move, &undo);
        ck_assert_str_eq(walk_fen(&pos), CASES[i].after);
    }
}
END_TEST

START_TEST(en_passant_square_is_kept_only_when_it_can_be_captured_on) {
    static const struct {
        const char *fen;
        const char *move;
        const char *after;
    } CASES[] = {
        {FEN_STARTPOS, "e2e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"},
        {"4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"},
        /* Both pawns would leave the fourth rank at once. */
        {"8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", "e2e4", "8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1"},
        /* The capturing pawn is pinned on its file, and must stay; or on the diagonal that it
         * captures along. */
        {"3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1", "e2e4", "3k4/8/8/8/3pP3/8/8/3RK3 b - - 0 1"},
        {"8/8/1k6/8/3p4/8/4PB2/4K3 w - - 0 1", "e2e4", "8/8/1k6/8/3pP3/8/5B2/4K3 b - e3 0 1"},
        /* The pawn gives check and can be captured. */
        {"8/8/8/3k4/3p4/8/4P3/4K3 w - - 0 1", "e2e4", "8/8/8/3k4/3pP3/8/8/4K3 b - e3 0 1"},
        /* A discovered check that no capture of the pawn answers. */
        {"8/8/8/7k/3p4/8/4P3/3BK3 w - - 0 1", "e2e4", "8/8/8/7k/3pP3/8/8/3BK3 b - - 0 1"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Position pos = read_position(CASES[i].fen, false);
        Move move = move_from_uci(&pos, CASES[i].move);
        ck_assert_msg(move != MOVE_NONE, "%s: %s should be legal", CASES[i].fen, CASES[i].move);
        Undo undo;
        position_make(&pos, move, &undo);
        ck_assert_str_eq(walk_fen(&pos), CASES[i].after);
    }
}
END_TEST

START_TEST(mate_and_stalemate_have_no_moves) {
    static const char *const FENS[] = {
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    };
    for (int i = 0; i < 2; i++) {
        Position pos = read_position(FENS[i], false);
        ck_assert_msg(!movegen_any(&pos), "%s", FENS[i]);
        ck_assert_int_eq(position_in_check(&pos), i == 0);
    }
    Position most = read_position("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", false);
    ck_assert_int_eq(movegen_count(&most), 218);
}
END_TEST

static void add_tests(TCase *tc) {
    tcase_add_test(tc, noisy_and_quiet_moves_are_the_legal_moves);
    tcase_add_test(tc, of_all_16_bit_values_only_the_legal_moves_are_legal);
    tcase_add_test(tc, make_keeps_its_state_and_unmake_restores_every_byte);
    tcase_add_test(tc, castling_moves_both_pieces);
    tcase_add_test(tc, en_passant_square_is_kept_only_when_it_can_be_captured_on);
    tcase_add_test(tc, mate_and_stalemate_have_no_moves);
}

int main(void) {
    chess_init();
    return run_tests("movegen", add_tests);
}
