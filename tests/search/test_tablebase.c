/* SPDX-License-Identifier: MIT */
/* What the engine and the referee of matches make of the answers of libfathom, by a stand-in for
 * the library: the tables of three and four men hold no win that the fifty moves prevent, and have
 * no distances. */
#include "search/tablebase.h"

#include <string.h>

#include "chess/move.h"
#include "chess/movegen.h"
#include "match/syzygy.h"
#include "runner.h"
#include "search/search.h"
#include "tools/position.h"

#ifdef HAVE_FATHOM
#include <tbprobe.h>

/* --- the stand-in --- */

unsigned TB_LARGEST = 5;
static char opened[64];  /* what tb_init was given */
static unsigned answer;  /* to every question for a result */
static unsigned told_ep; /* the en passant square of the last such question */
static TbMove best;      /* the move that is ranked above all others */
static bool distances;   /* Are there tables of distances? */
static bool repeats;     /* what the last question about distances said of repetitions */

bool tb_init(const char *path) {
    snprintf(opened, sizeof opened, "%s", path);
    return true;
}

unsigned tb_probe_wdl_impl(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                           uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                           unsigned ep, bool turn) {
    (void)white, (void)black, (void)kings, (void)queens, (void)rooks, (void)bishops;
    (void)knights, (void)pawns, (void)turn;
    told_ep = ep;
    return answer;
}

static TbMove their_move(Move move) {
    static const int promotes[] = {[KNIGHT] = TB_PROMOTES_KNIGHT,
                                   [BISHOP] = TB_PROMOTES_BISHOP,
                                   [ROOK] = TB_PROMOTES_ROOK,
                                   [QUEEN] = TB_PROMOTES_QUEEN};
    int piece = move_kind(move) == MOVE_PROMOTION ? promotes[move_promotion(move)] : 0;
    return (TbMove)(move_from(move) << 6 | move_to(move) | piece << 12);
}

static Position asked; /* the position that the stand-in ranks the moves of */

static int rank_moves(struct TbRootMoves *results) {
    Move moves[MAX_MOVES];
    results->size = (unsigned)movegen_legal(&asked, moves);
    for (unsigned i = 0; i < results->size; i++) {
        TbMove move = their_move(moves[i]);
        results->moves[i].move = move;
        results->moves[i].tbRank = move == best ? 1000 : -1000;
    }
    return 1;
}

int tb_probe_root_dtz(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                      uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                      unsigned rule50, unsigned castling, unsigned ep, bool turn, bool repeated,
                      bool use_rule50, struct TbRootMoves *results) {
    (void)white, (void)black, (void)kings, (void)queens, (void)rooks, (void)bishops;
    (void)knights, (void)pawns, (void)castling, (void)ep, (void)turn;
    repeats = repeated;
    ck_assert_uint_eq(rule50, asked.rule50);
    ck_assert(use_rule50);
    return distances ? rank_moves(results) : 0;
}

int tb_probe_root_wdl(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                      uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                      unsigned rule50, unsigned castling, unsigned ep, bool turn, bool use_rule50,
                      struct TbRootMoves *results) {
    (void)white, (void)black, (void)kings, (void)queens, (void)rooks, (void)bishops;
    (void)knights, (void)pawns, (void)castling, (void)ep, (void)turn;
    ck_assert(!distances);
    ck_assert_uint_eq(rule50, asked.rule50);
    ck_assert(use_rule50);
    return rank_moves(results);
}

/* --- the tests --- */

/* At a colon at its end libfathom 1.0 reads beyond the text. */
START_TEST(the_library_gets_no_folder_without_a_name) {
    static const char *const rows[][2] = {
        {"/a", "/a"},        {"/a:/b", "/a:/b"}, {"/a:", "/a"},         {":/a", "/a"},
        {"/a::/b", "/a:/b"}, {":::/a:::", "/a"}, {"/a b: c", "/a b: c"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_int_eq(tablebase_open(rows[i][0]), 5);
        ck_assert_str_eq(opened, rows[i][1]);
    }
    opened[0] = '\0';
    ck_assert_int_eq(tablebase_open("::"), 0);
    ck_assert_int_eq(tablebase_open(""), 0);
    ck_assert_str_eq(opened, "");
}
END_TEST

START_TEST(what_the_fifty_moves_prevent_is_a_draw) {
    static const struct {
        unsigned theirs;
        TablebaseResult ours;
    } rows[] = {{TB_WIN, TABLEBASE_WIN},   {TB_CURSED_WIN, TABLEBASE_DRAW},
                {TB_DRAW, TABLEBASE_DRAW}, {TB_BLESSED_LOSS, TABLEBASE_DRAW},
                {TB_LOSS, TABLEBASE_LOSS}, {TB_RESULT_FAILED, TABLEBASE_UNKNOWN}};
    Position pos = parsed("4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        answer = rows[i].theirs;
        ck_assert_int_eq((int)tablebase_probe(&pos), (int)rows[i].ours);
    }
}
END_TEST

START_TEST(the_referee_judges_by_the_tables_as_the_fifty_moves_allow) {
    static const struct {
        unsigned theirs;
        Adjudged ours[COLOR_COUNT]; /* by the colour that is to move */
    } rows[] = {{TB_WIN, {ADJUDGED_WHITE_WINS, ADJUDGED_BLACK_WINS}},
                {TB_CURSED_WIN, {ADJUDGED_DRAW, ADJUDGED_DRAW}},
                {TB_DRAW, {ADJUDGED_DRAW, ADJUDGED_DRAW}},
                {TB_BLESSED_LOSS, {ADJUDGED_DRAW, ADJUDGED_DRAW}},
                {TB_LOSS, {ADJUDGED_BLACK_WINS, ADJUDGED_WHITE_WINS}},
                {TB_RESULT_FAILED, {ADJUDGED_NONE, ADJUDGED_NONE}}};
    const Syzygy tables = {.men = 5};
    Position pos[COLOR_COUNT] = {parsed("4k3/8/8/8/8/8/8/R3K3 w - - 0 1"),
                                 parsed("4k3/8/8/8/8/8/8/R3K3 b - - 0 1")};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        answer = rows[i].theirs;
        for (Color c = WHITE; c <= BLACK; c++)
            ck_assert_int_eq((int)syzygy_verdict(&tables, &pos[c]), (int)rows[i].ours[c]);
    }
}
END_TEST

START_TEST(the_tables_hear_of_a_capture_en_passant) {
    const Syzygy tables = {.men = 5};
    Position with = parsed("8/8/8/3pP3/8/8/8/K1k5 w - d6 0 1");
    Position without = parsed("8/8/8/3pP3/8/8/8/K1k5 w - - 0 1");
    ck_assert_uint_ne(with.ep, SQUARE_NONE);
    syzygy_verdict(&tables, &with);
    ck_assert_uint_eq(told_ep, with.ep);
    syzygy_verdict(&tables, &without);
    ck_assert_uint_eq(told_ep, 0);
    tablebase_probe(&with);
    ck_assert_uint_eq(told_ep, with.ep);
    tablebase_probe(&without);
    ck_assert_uint_eq(told_ep, 0);
}
END_TEST

START_TEST(a_right_to_castle_or_a_count_of_moves_is_in_no_table) {
    Position castles = parsed("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1");
    Position counted = parsed("4k3/8/8/8/8/8/8/R3K3 w - - 1 1");
    answer = TB_WIN;
    ck_assert_int_eq((int)tablebase_probe(&castles), TABLEBASE_UNKNOWN);
    ck_assert_int_eq((int)tablebase_probe(&counted), TABLEBASE_UNKNOWN);
}
END_TEST

/* How many moves of the position are kept when the tables rank `text` above the others; the first
 * of them in *first. */
static int kept_of(const char *fen, const char *text, Move *first) {
    Move moves[MAX_MOVES];
    asked = parsed(fen);
    best = their_move(move_from_uci(&asked, text));
    int kept = tablebase_keep_best(&asked, false, moves, movegen_legal(&asked, moves));
    *first = moves[0];
    return kept;
}

START_TEST(the_moves_of_the_best_rank_are_kept) {
    static const char *const rows[][2] = {
        {"4k3/8/8/8/8/8/8/R3K3 w - - 37 60", "a1a7"}, /* the count is told, too */
        {"8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8q"},    {"8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8r"},
        {"8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8b"},    {"8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8n"},
        {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"}};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const char *const *row = rows[i / 2];
        Move first;
        distances = i % 2 == 1;
        ck_assert_msg(kept_of(row[0], row[1], &first) == 1, "%s: %s is not alone", row[0], row[1]);
        ck_assert_int_eq(first, move_from_uci(&asked, row[1]));
    }
}
END_TEST

/* After so many plies of a game whose fifth position is its first. */
static bool search_says_repeated(int plies) {
    static const char *const MOVES[] = {"a1a2", "e8e7", "a2a1", "e7e8", "a1b1"};
    Search *search = search_new(SEARCH_HASH_DEFAULT);
    SearchLimits limits = {.depth = 1};
    SearchResult result;
    uint64_t keys[16];
    Undo undo;
    asked = parsed("4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
    for (int i = 0; i < plies; i++) {
        keys[i] = asked.key;
        position_make(&asked, move_from_uci(&asked, MOVES[i]), &undo);
    }
    Move moves[MAX_MOVES];
    movegen_legal(&asked, moves);
    best = their_move(moves[0]);
    distances = true;
    repeats = plies < 4; /* the question has to say the opposite */
    search_set_table_men(search, 5);
    search_run(search, &asked, keys, plies, &limits, NULL, NULL, &result);
    search_free(search);
    ck_assert_int_eq(result.best, moves[0]);
    return repeats;
}

/* A side that wins, and shuffles, is then held to the moves that make progress. */
START_TEST(the_tables_of_distances_hear_of_repetitions) {
    ck_assert(!search_says_repeated(0));
    ck_assert(!search_says_repeated(3));
    ck_assert(search_says_repeated(4));
    ck_assert(search_says_repeated(5)); /* The position before the root stood twice. */
}
END_TEST

START_TEST(all_moves_are_kept_while_one_may_castle) {
    Move first;
    int kept = kept_of("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "a1a7", &first);
    ck_assert_int_eq(kept, movegen_count(&asked));
}
END_TEST

static void add_tests(TCase *tcase) {
    tcase_add_test(tcase, the_library_gets_no_folder_without_a_name);
    tcase_add_test(tcase, what_the_fifty_moves_prevent_is_a_draw);
    tcase_add_test(tcase, the_referee_judges_by_the_tables_as_the_fifty_moves_allow);
    tcase_add_test(tcase, the_tables_hear_of_a_capture_en_passant);
    tcase_add_test(tcase, a_right_to_castle_or_a_count_of_moves_is_in_no_table);
    tcase_add_test(tcase, the_moves_of_the_best_rank_are_kept);
    tcase_add_test(tcase, the_tables_of_distances_hear_of_repetitions);
    tcase_add_test(tcase, all_moves_are_kept_while_one_may_castle);
}

int main(void) {
    chess_init();
    return run_tests("tablebase", add_tests);
}

#else

int main(void) {
    return leave_out("endgame tables", "this build has no libfathom");
}

#endif
