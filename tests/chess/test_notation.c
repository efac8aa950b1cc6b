/* SPDX-License-Identifier: MIT */
/* Moves as text, UCI and SAN, both ways. */
#include <string.h>

#include "chess/fen.h"
#include "chess/move.h"
#include "chess/movegen.h"
#include "chess/random.h"
#include "chess/san.h"
#include "walk.h"
#include "runner.h"
#include "tools/position.h"

static void check_moves(Position *pos, void *user) {
    (void)user;
    Move moves[MAX_MOVES];
    int count = movegen_legal(pos, moves);
    static char sans[MAX_MOVES][SAN_MAX];
    for (int i = 0; i < count; i++) {
        char uci[MOVE_UCI_MAX];
        move_to_uci(moves[i], pos->chess960, uci);
        REQUIRE(move_from_uci(pos, uci) == moves[i], "%s: %s is read as %04x", walk_fen(pos), uci,
                move_from_uci(pos, uci));
        san_format(pos, moves[i], sans[i]);
        REQUIRE(strlen(sans[i]) < SAN_MAX, "%s: %s", walk_fen(pos), sans[i]);
        REQUIRE(san_parse(pos, sans[i]) == moves[i], "%s: %s is read as %04x", walk_fen(pos),
                sans[i], san_parse(pos, sans[i]));
        char text[SAN_MAX];
        san_format_long(pos, moves[i], text);
        REQUIRE(san_parse(pos, text) == moves[i], "%s: %s is read as %04x", walk_fen(pos), text,
                san_parse(pos, text));
        for (int k = 0; k < i; k++)
            REQUIRE(strcmp(sans[i], sans[k]) != 0, "%s: %s twice", walk_fen(pos), sans[i]);
    }
}

START_TEST(all_legal_moves_round_trip) {
    ck_assert_int_ge(walk_positions(128, 100, check_moves, NULL), 4000);
}
END_TEST

START_TEST(uci_moves_are_read_strictly) {
    static const struct {
        const char *fen;
        bool chess960;
        const char *text;
        bool legal;
    } CASES[] = {
        {FEN_STARTPOS, false, "e2e4", true},
        {FEN_STARTPOS, false, "E2E4", false},
        {FEN_STARTPOS, false, "e2e4 ", false},
        {FEN_STARTPOS, false, " e2e4", false},
        {FEN_STARTPOS, false, "e2e4q", false},
        {FEN_STARTPOS, false, "e2e5", false},
        {FEN_STARTPOS, false, "e7e5", false},
        {FEN_STARTPOS, false, "e2", false},
        {FEN_STARTPOS, false, "", false},
        {FEN_STARTPOS, false, "0000", false},
        {FEN_STARTPOS, false, "(none)", false},
        {FEN_STARTPOS, false, "e4", false},
        {FEN_STARTPOS, false, "e2e4e2e4e2e4e2e4e2e4e2e4", false},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", false, "e1g1", true},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", false, "e1h1", false},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", true, "e1h1", true},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", true, "e1g1", false},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", true, "O-O", false},
        {"8/P6k/8/8/8/8/8/K7 w - - 0 1", false, "a7a8q", true},
        {"8/P6k/8/8/8/8/8/K7 w - - 0 1", false, "a7a8n", true},
        {"8/P6k/8/8/8/8/8/K7 w - - 0 1", false, "a7a8Q", false},
        {"8/P6k/8/8/8/8/8/K7 w - - 0 1", false, "a7a8k", false},
        {"8/P6k/8/8/8/8/8/K7 w - - 0 1", false, "a7a8p", false},
        {"8/P6k/8/8/8/8/8/K7 w - - 0 1", false, "a7a8", false},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Position pos = read_position(CASES[i].fen, CASES[i].chess960);
        Move move = move_from_uci(&pos, CASES[i].text);
        ck_assert_msg((move != MOVE_NONE) == CASES[i].legal, "%s: '%s' is read as %04x",
                      CASES[i].fen, CASES[i].text, move);
    }
    char text[MOVE_UCI_MAX];
    move_to_uci(MOVE_NONE, false, text);
    ck_assert_str_eq(text, "0000");
}
END_TEST

START_TEST(san_is_written_as_pgn_asks) {
    static const struct {
        const char *fen;
        const char *uci;
        const char *san;
    } CASES[] = {
        {FEN_STARTPOS, "g1f3", "Nf3"},
        {FEN_STARTPOS, "e2e4", "e4"},
        {"4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1", "b1d2", "Nbd2"},
        {"4k3/8/8/1N6/8/8/8/1N2K3 w - - 0 1", "b1c3", "N1c3"},
        {"4k3/8/8/8/8/5q2/8/K7 b - - 0 1", "f3f1", "Qf1+"},
        /* Three queens: neither file nor rank alone tells them apart. */
        {"8/6K1/k7/8/4Q2Q/8/8/7Q w - - 0 1", "h4e1", "Qh4e1"},
        /* The other knight is pinned, so that nothing needs to be told apart. */
        {"4r1k1/8/8/8/8/8/4N3/1N2K3 w - - 0 1", "b1c3", "Nc3"},
        {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"},
        {"4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O"},
        {"3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "O-O-O+"},
        {"1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8q", "axb8=Q+"},
        {"8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8n", "a8=N"},
        {"rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", "d8h4", "Qh4#"},
        {"4k3/8/8/8/8/8/3p4/4K3 w - - 0 1", "e1d2", "Kxd2"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Position pos = read_position(CASES[i].fen, false);
        Move move = move_from_uci(&pos, CASES[i].uci);
        ck_assert_msg(move != MOVE_NONE, "%s: %s", CASES[i].fen, CASES[i].uci);
        char san[SAN_MAX];
        san_format(&pos, move, san);
        ck_assert_str_eq(san, CASES[i].san);
    }
}
END_TEST

START_TEST(san_is_read_as_pgn_files_have_it) {
    static const struct {
        const char *fen;
        const char *text;
        const char *uci; /* NULL: no move */
    } CASES[] = {
        {FEN_STARTPOS, "e4", "e2e4"},
        {FEN_STARTPOS, "e4!?", "e2e4"},
        {FEN_STARTPOS, "Nf3+", "g1f3"},
        {FEN_STARTPOS, "Ngf3", "g1f3"},
        {FEN_STARTPOS, "Ng1f3", "g1f3"},
        {FEN_STARTPOS, "Ng1-f3", "g1f3"},
        {FEN_STARTPOS, "e2e4", "e2e4"},
        {FEN_STARTPOS, "Nbf3", NULL},
        {FEN_STARTPOS, "nf3", NULL},
        {FEN_STARTPOS, "Nf3x", NULL},
        {FEN_STARTPOS, "e5", NULL},
        {FEN_STARTPOS, "", NULL},
        {FEN_STARTPOS, "+", NULL},
        {FEN_STARTPOS, "=Q", NULL},
        {FEN_STARTPOS, "x", NULL},
        {FEN_STARTPOS, "O-O", NULL},
        {FEN_STARTPOS, "e4 e5", NULL},
        {"4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1", "Nd2", NULL},
        {"8/P6k/8/8/8/8/8/K7 w - - 0 1", "a8=Q", "a7a8q"},
        {"8/P6k/8/8/8/8/8/K7 w - - 0 1", "a8R", "a7a8r"},
        {"8/P6k/8/8/8/8/8/K7 w - - 0 1", "a8", NULL},
        {"8/P6k/8/8/8/8/8/K7 w - - 0 1", "a8=K", NULL},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "0-0-0", "e1c1"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "O-O", "e1g1"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "Kg1", NULL},
        {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", "e5d6"},
        {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "ed6", "e5d6"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Position pos = read_position(CASES[i].fen, false);
        char uci[MOVE_UCI_MAX];
        move_to_uci(san_parse(&pos, CASES[i].text), false, uci);
        const char *expected = CASES[i].uci ? CASES[i].uci : "0000";
        ck_assert_msg(strcmp(uci, expected) == 0, "%s: '%s' is read as %s instead of %s",
                      CASES[i].fen, CASES[i].text, uci, expected);
    }
}
END_TEST

START_TEST(random_text_is_no_move) {
    static const char LETTERS[] = "abcdefgh12345678PNBRQKxO0-=+#!? \x80";
    Position pos =
        read_position("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", false);
    uint64_t state = 3;
    for (int i = 0; i < 50000; i++) {
        char text[12] = "";
        size_t length = random_next(&state) % sizeof text;
        for (size_t k = 0; k < length; k++)
            text[k] = LETTERS[random_next(&state) % (sizeof LETTERS - 1)];
        Move move = san_parse(&pos, text);
        REQUIRE(move == MOVE_NONE || move_is_legal(&pos, move), "%s", text);
        move = move_from_uci(&pos, text);
        REQUIRE(move == MOVE_NONE || move_is_legal(&pos, move), "%s", text);
    }
}
END_TEST

static void add_tests(TCase *tc) {
    tcase_add_test(tc, all_legal_moves_round_trip);
    tcase_add_test(tc, uci_moves_are_read_strictly);
    tcase_add_test(tc, san_is_written_as_pgn_asks);
    tcase_add_test(tc, san_is_read_as_pgn_files_have_it);
    tcase_add_test(tc, random_text_is_no_move);
}

int main(void) {
    chess_init();
    return run_tests("notation", add_tests);
}
