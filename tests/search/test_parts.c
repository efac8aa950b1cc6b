/* SPDX-License-Identifier: MIT */
/* The parts of the search that stand alone: table, exchanges, move order, time, vote. */
#include <stdlib.h>

#include "chess/draw.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "eval/eval.h"
#include "lmr/flags.h"
#include "search/facts.h"
#include "search/movepick.h"
#include "search/see.h"
#include "search/timeman.h"
#include "search/tt.h"
#include "search/vote.h"
#include "runner.h"
#include "tools/position.h"

/* --- table --- */

static TtEntry some_entry(int depth, int score) {
    return (TtEntry){.move = 1234,
                     .score = (int16_t)score,
                     .eval = -321,
                     .depth = (int8_t)depth,
                     .bound = BOUND_LOWER,
                     .pv = true};
}

START_TEST(what_is_stored_comes_back) {
    Tt tt = {0};
    ck_assert(tt_resize(&tt, 1, 1));
    TtEntry in = some_entry(17, -31999);
    TtEntry out;
    uint64_t key = UINT64_C(0xfedcba9876543210);
    ck_assert(!tt_probe(&tt, key, &out));
    tt_store(&tt, key, &in);
    ck_assert(tt_probe(&tt, key, &out));
    ck_assert_int_eq(out.move, in.move);
    ck_assert_int_eq(out.score, in.score);
    ck_assert_int_eq(out.eval, in.eval);
    ck_assert_int_eq(out.depth, in.depth);
    ck_assert_int_eq((int)out.bound, (int)in.bound);
    ck_assert(out.pv);
    ck_assert(!tt_probe(&tt, key ^ 1, &out));
    tt_clear(&tt, 1);
    ck_assert(!tt_probe(&tt, key, &out));
    tt_free(&tt);
}
END_TEST

START_TEST(several_threads_leave_nothing_in_the_table) {
    enum { MEBIBYTES = 50 }; /* enough for three shares, and not a multiple of their size */
    for (int threads = 0; threads <= 5; threads++) {
        Tt tt = {0};
        ck_assert(tt_resize(&tt, MEBIBYTES, threads));
        for (uint64_t i = 0; i < tt.count; i++)
            atomic_store_explicit(&tt.buckets[i].slot[i % TT_WAYS].data, i + 1,
                                  memory_order_relaxed);
        tt_clear(&tt, threads);
        for (uint64_t i = 0; i < tt.count; i++)
            ck_assert_msg(tt.buckets[i].slot[i % TT_WAYS].data == 0,
                          "%d threads: bucket %lu of %lu is not empty", threads, (unsigned long)i,
                          (unsigned long)tt.count);
        tt_free(&tt);
    }
}
END_TEST

START_TEST(extreme_entries_survive_the_packing) {
    Tt tt = {0};
    ck_assert(tt_resize(&tt, 1, 1));
    const TtEntry extremes[] = {
        {.move = 0xffff, .score = 32002, .eval = -32002, .depth = 127, .bound = BOUND_EXACT},
        {.move = 0, .score = -32002, .eval = 32002, .depth = 0, .bound = BOUND_UPPER},
        {.move = 1, .score = 0, .eval = 0, .depth = 1, .bound = BOUND_LOWER}};
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
        uint64_t key = (i + 1) * UINT64_C(0x1234567812345678);
        TtEntry out;
        tt_store(&tt, key, &extremes[i]);
        ck_assert(tt_probe(&tt, key, &out));
        ck_assert_int_eq(out.move, extremes[i].move);
        ck_assert_int_eq(out.score, extremes[i].score);
        ck_assert_int_eq(out.eval, extremes[i].eval);
        ck_assert_int_eq(out.depth, extremes[i].depth);
        ck_assert_int_eq((int)out.bound, (int)extremes[i].bound);
        ck_assert_int_eq(out.pv, extremes[i].pv);
    }
    tt_free(&tt);
}
END_TEST

START_TEST(a_shallow_result_does_not_replace_a_deep_one_of_the_same_position) {
    Tt tt = {0};
    ck_assert(tt_resize(&tt, 1, 1));
    TtEntry deep = some_entry(20, 5);
    TtEntry shallow = some_entry(2, 7);
    TtEntry out;
    tt_store(&tt, 99, &deep);
    tt_store(&tt, 99, &shallow);
    ck_assert(tt_probe(&tt, 99, &out));
    ck_assert_int_eq(out.depth, 20);
    tt_new_search(&tt); /* in a later search it does; its lack of a move does not */
    shallow.move = MOVE_NONE;
    tt_store(&tt, 99, &shallow);
    ck_assert(tt_probe(&tt, 99, &out));
    ck_assert_int_eq(out.depth, 2);
    ck_assert_int_eq(out.move, deep.move);
    tt_free(&tt);
}
END_TEST

/* The depth of what is kept of two results for one position, an earlier and a later one. */
static int depth_kept(int earlier, int later, Bound bound) {
    Tt tt = {0};
    ck_assert(tt_resize(&tt, 1, 1));
    TtEntry first = some_entry(earlier, 5), second = some_entry(later, 7), out;
    second.bound = bound;
    tt_store(&tt, 99, &first);
    tt_store(&tt, 99, &second);
    ck_assert(tt_probe(&tt, 99, &out));
    tt_free(&tt);
    return out.depth;
}

START_TEST(an_exact_result_or_one_nearly_as_deep_replaces_a_deeper_one) {
    ck_assert_int_eq(depth_kept(20, 2, BOUND_EXACT), 2);
    ck_assert_int_eq(depth_kept(20, 17, BOUND_LOWER), 17);
    ck_assert_int_eq(depth_kept(20, 16, BOUND_LOWER), 20);
}
END_TEST

START_TEST(the_table_is_as_full_as_the_present_search_has_made_it) {
    enum { BUCKETS = 250, BUCKET_AT = 50 }; /* the sample; in a key, with a table of 1 MiB */
    Tt tt = {0};
    ck_assert(tt_resize(&tt, 1, 1));
    TtEntry entry = some_entry(3, 0);
    for (uint64_t i = 0; i < BUCKETS; i++)
        tt_store(&tt, i << BUCKET_AT | 1, &entry);
    ck_assert_int_eq(tt_hashfull(&tt), 1000 / TT_WAYS);
    tt_new_search(&tt);
    ck_assert_int_eq(tt_hashfull(&tt), 0);
    tt_free(&tt);
}
END_TEST

START_TEST(a_full_bucket_loses_its_shallowest_entry) {
    Tt tt = {0};
    ck_assert(tt_resize(&tt, 1, 1));
    TtEntry out;
    for (int i = 0; i <= TT_WAYS; i++) { /* low words differ, one bucket */
        TtEntry e = some_entry(10 + (i == 1 ? -5 : i), i);
        tt_store(&tt, (uint64_t)i + 1, &e);
    }
    for (int i = 0; i <= TT_WAYS; i++)
        ck_assert_int_eq(tt_probe(&tt, (uint64_t)i + 1, &out), i != 1);
    tt_free(&tt);
}
END_TEST

/* Two searches weigh more than six plies. Ages are counted up to a number, and begin again. */
START_TEST(an_old_entry_goes_before_a_shallower_one) {
    enum { SEARCHES = 40 };
    for (int searches = 0; searches < SEARCHES; searches++) {
        Tt tt = {0};
        TtEntry deep = some_entry(12, 0), shallow = some_entry(6, 0), out;
        ck_assert(tt_resize(&tt, 1, 1));
        for (int i = 0; i < searches; i++)
            tt_new_search(&tt);
        tt_store(&tt, 1, &deep);
        tt_new_search(&tt);
        tt_new_search(&tt);
        for (uint64_t key = 2; key <= TT_WAYS + 1; key++)
            tt_store(&tt, key, &shallow);
        for (uint64_t key = 1; key <= TT_WAYS + 1; key++)
            ck_assert_int_eq(tt_probe(&tt, key, &out), key != 1);
        tt_free(&tt);
    }
}
END_TEST

START_TEST(an_empty_slot_is_taken_before_any_entry_goes) {
    enum { SEARCHES = 31 };
    Tt tt = {0};
    TtEntry least = some_entry(TT_DEPTH_QS, 0), out;
    ck_assert(tt_resize(&tt, 1, 1));
    tt_store(&tt, 1, &least);
    tt_store(&tt, 2, &least);
    for (int i = 0; i < SEARCHES; i++)
        tt_new_search(&tt);
    tt_store(&tt, 3, &least);
    for (uint64_t key = 1; key <= 3; key++)
        ck_assert(tt_probe(&tt, key, &out));
    tt_free(&tt);
}
END_TEST

START_TEST(mate_scores_are_relative_to_the_node) {
    int mate_in_9 = SCORE_MATE - 9;
    ck_assert_int_eq(tt_score_in(mate_in_9, 4), SCORE_MATE - 5);
    ck_assert_int_eq(tt_score_out(SCORE_MATE - 5, 2, 0), SCORE_MATE - 7);
    ck_assert_int_eq(tt_score_out(tt_score_in(-mate_in_9, 4), 4, 0), -mate_in_9);
    ck_assert_int_eq(tt_score_out(tt_score_in(123, 4), 7, 0), 123);
    /* Five plies to mate, but the fifty-move rule ends the game in three. */
    ck_assert_int_eq(tt_score_out(SCORE_MATE - 5, 2, 97), SCORE_NONE);
    ck_assert_int_eq(tt_score_out(-(SCORE_MATE - 5), 2, 97), SCORE_NONE);
    ck_assert_int_eq(tt_score_out(SCORE_MATE - 3, 2, 97), SCORE_MATE - 5);
    /* A win that endgame tables know, 9 plies from the root. */
    int win = SCORE_TABLES - 9;
    ck_assert_int_eq(tt_score_in(win, 4), SCORE_TABLES - 5);
    ck_assert_int_eq(tt_score_out(SCORE_TABLES - 5, 2, 95), SCORE_TABLES - 7);
    ck_assert_int_eq(tt_score_out(SCORE_TABLES - 5, 2, 96), SCORE_NONE);
    ck_assert_int_eq(tt_score_out(-(SCORE_TABLES - 5), 2, 96), SCORE_NONE);
    ck_assert_int_eq(tt_score_out(tt_score_in(-win, 4), 4, 0), -win);
    /* The farthest that is handed out, read at the deepest ply, is still one and stays exact. */
    int farthest = SCORE_TABLES - DRAW_RULE50_PLIES;
    int far = tt_score_out(farthest, MAX_PLY, 0);
    ck_assert(search_is_known(far));
    ck_assert_int_eq(tt_score_in(far, MAX_PLY), farthest);
    ck_assert_int_eq(tt_score_in(-far, MAX_PLY), -farthest);
    ck_assert_int_eq(tt_score_out(farthest - 1, MAX_PLY, 0), SCORE_NONE);
}
END_TEST

/* --- exchanges --- */

static const struct {
    const char *fen, *move;
    int value; /* exactly what the exchange wins, in see_value's centipawns */
} exchanges[] = {
    {"1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100},
    {"1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", 100 - 320},
    {"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100},
    {"4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 0},
    {"4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", 100 - 500},
    {"4k3/8/8/3r4/8/8/8/3RK3 w - - 0 1", "d1d5", 500},
    {"3rk3/8/8/3r4/8/8/8/3RK3 w - - 0 1", "d1d5", 0},
    {"3rk3/8/8/3r4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 500},
    {"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8", 0},
    {"1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8", -500},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100},
    {"4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0},
    {"4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 850},
    {"1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", 500 + 850},
    {"1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", -100},
    {"r3k3/8/8/8/8/8/8/R3K2R w KQq - 0 1", "e1g1", 0},
    {"4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", "e4d5", 950},
    {"3rk3/8/8/8/8/3b4/8/Q3K3 b - - 0 1", "d3e2", -330},
    /* the rook that would take back is pinned before its king */
    {"k7/1r6/8/8/1p6/8/6B1/1R2K3 w - - 0 1", "b1b4", 100},
    /* a king takes nothing back that another piece guards */
    {"8/8/4k3/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100},
    /* a knight and a pawn for a knight and a pawn */
    {"3r2k1/8/5n2/3p4/4P3/2N5/8/6K1 w - - 0 1", "c3d5", 0},
    /* the pawn that is taken en passant opens the file */
    {"4k3/8/8/3pP3/8/8/7K/3r4 w - d6 0 1", "e5d6", 0},
    /* behind a pawn, and behind a queen on either of its lines, stands another attacker */
    {"6k1/8/4pn2/3p4/2P1P3/5B2/8/6K1 w - - 0 1", "c4d5", 100},
    {"3q2k1/8/5n2/3p4/8/2N2Q2/6B1/6K1 w - - 0 1", "c3d5", 100},
    {"3q2k1/8/5n2/3p4/8/2N5/3Q4/3R2K1 w - - 0 1", "c3d5", 100},
    /* what pinned the rook that takes back was taken first */
    {"Q3rr2/7k/8/8/4R3/8/8/4K3 w - - 0 1", "a8e8", 500 - 950 + 500},
};

START_TEST(exchanges_are_worth_what_they_win) {
    Position pos = parsed(exchanges[_i].fen);
    Move move = move_from_uci(&pos, exchanges[_i].move);
    ck_assert_msg(move != MOVE_NONE, "%s is not legal in %s", exchanges[_i].move,
                  exchanges[_i].fen);
    int value = -2000;
    while (value < 2000 && see_at_least(&pos, move, value + 1))
        value++;
    ck_assert_msg(value == exchanges[_i].value, "%s in %s: %d, expected %d", exchanges[_i].move,
                  exchanges[_i].fen, value, exchanges[_i].value);
}
END_TEST

/* --- move order --- */

static Square at(const char *name) {
    return square_make(name[0] - 'a', name[1] - '1');
}

static History history; /* empty */

/* Of a position that no moves led to. */
static HistoryContext context_of(const Position *pos) {
    PieceToHistory *none = &history.continuation[PIECE_NONE][0];
    return (HistoryContext){.continuations = {{none, none, none}}, .threats = threats_find(pos)};
}

/* Every legal move once, no other, and the stages in their order. */
static void check_order(const Position *pos, Move hash, const Move killer[KILLERS], Move counter) {
    HistoryContext c = context_of(pos);
    Picker picker;
    Move legal[MAX_MOVES];
    Move seen[MAX_MOVES];
    int n = movegen_legal(pos, legal);
    int given = 0;
    PickStage last = PICK_HASH;
    picker_init(&picker, pos, &history, &c, hash, killer, counter);
    for (Move m; (m = picker_next(&picker)) != MOVE_NONE;) {
        for (int i = 0; i < given; i++)
            ck_assert_msg(seen[i] != m, "move %04x came twice", m);
        ck_assert(move_is_legal(pos, m));
        ck_assert_int_ge((int)picker.given, (int)last);
        last = picker.given;
        if (picker.given == PICK_GOOD_NOISY)
            ck_assert(move_is_noisy(pos, m) && see_at_least(pos, m, 0));
        if (picker.given == PICK_BAD_NOISY)
            ck_assert(move_is_noisy(pos, m) && !see_at_least(pos, m, 0));
        if (picker.given >= PICK_KILLER_1 && picker.given <= PICK_QUIETS)
            ck_assert(!move_is_noisy(pos, m));
        seen[given++] = m;
    }
    ck_assert_int_eq(given, n);
    if (hash != MOVE_NONE && move_is_legal(pos, hash))
        ck_assert_int_eq(seen[0], hash);
}

START_TEST(each_legal_move_comes_once_in_the_order_of_the_stages) {
    srand(3);
    int positions = 0;
    for (int game = 0; game < 40; game++) {
        Position pos = parsed(game % 2 ? FEN_STARTPOS
                                       : "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/"
                                         "R3K2R w KQkq - 0 1");
        Move older[4] = {MOVE_NONE, MOVE_NONE, MOVE_NONE, MOVE_NONE};
        for (int ply = 0; ply < 80; ply++, positions++) {
            Move moves[MAX_MOVES];
            int n = movegen_legal(&pos, moves);
            if (n == 0)
                break;
            Move hash = ply % 3 == 0 ? (Move)rand() : ply % 3 == 1 ? moves[rand() % n] : older[0];
            Move killer[KILLERS] = {moves[rand() % n], older[1]};
            check_order(&pos, hash, killer, ply % 2 ? moves[rand() % n] : older[2]);
            Undo undo;
            for (int i = 3; i > 0; i--)
                older[i] = older[i - 1];
            older[0] = moves[rand() % n];
            position_make(&pos, older[0], &undo);
        }
    }
    ck_assert_int_gt(positions, 1000);
}
END_TEST

START_TEST(quiescence_sees_all_noisy_moves_and_no_others) {
    Position pos = parsed("r3k2r/pPppqpb1/bn3np1/4N3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    Picker picker;
    Move noisy[MAX_MOVES];
    int n = movegen_noisy(&pos, noisy);
    int given = 0;
    picker_init_noisy(&picker, &pos, &history, noisy[1]);
    for (Move m; (m = picker_next(&picker)) != MOVE_NONE; given++)
        ck_assert(move_is_noisy(&pos, m));
    ck_assert_int_eq(given, n);
}
END_TEST

/* A bishop attacks the white rook, and pawns attack some of the squares that White may go to. */
START_TEST(what_a_lesser_piece_attacks_flees_first_and_goes_there_last) {
    Position pos = parsed("4k3/8/1b6/5p2/p2R4/8/8/2N1K3 w - - 0 1");
    Bitboard attacked =
        bb_square(at("b3")) | bb_square(at("d8")) | bb_square(at("e4")) | bb_square(at("g4"));
    static const Move none[KILLERS] = {MOVE_NONE, MOVE_NONE};
    HistoryContext c = context_of(&pos);
    Picker picker;
    /* 1: flees to safety; 0: neither, or out of one attack into another; -1: goes into one. */
    int last = 1;
    int seen[3] = {0, 0, 0};
    picker_init(&picker, &pos, &history, &c, MOVE_NONE, none, MOVE_NONE);
    for (Move m; (m = picker_next(&picker)) != MOVE_NONE;) {
        if (picker.given != PICK_QUIETS)
            continue;
        int kind = (move_from(m) == at("d4")) - ((attacked & bb_square(move_to(m))) != 0);
        ck_assert_int_le(kind, last);
        last = kind;
        seen[1 - kind]++;
    }
    ck_assert_int_eq(seen[0], 10);
    ck_assert_int_eq(seen[2], 1);
}
END_TEST

/* The queen checks, the knight uncovers the rook's check. The queen's check on h8 loses her, and
 * the pawn stands in the king's sight without a piece behind it. */
START_TEST(checks_that_lose_little_come_first) {
    Position pos = parsed("3k4/6b1/1P6/8/8/8/3N4/3RK2Q w - - 0 1");
    static const Move none[KILLERS] = {MOVE_NONE, MOVE_NONE};
    HistoryContext c = context_of(&pos);
    Picker picker;
    bool only_checks = true;
    int checks = 0;
    int losing = 0;
    picker_init(&picker, &pos, &history, &c, MOVE_NONE, none, MOVE_NONE);
    for (Move m; (m = picker_next(&picker)) != MOVE_NONE;) {
        bool check = move_gives_check(&pos, m);
        bool loses = !see_at_least(&pos, m, -SEARCH_CHECK_LOSS);
        if (picker.given != PICK_QUIETS)
            continue;
        if (!check || loses)
            only_checks = false;
        else
            ck_assert_msg(only_checks, "%04x comes after a move that gives no good check", m);
        checks += check && !loses;
        losing += check && loses;
    }
    ck_assert_int_gt(checks, 1);
    ck_assert_int_gt(losing, 0);
}
END_TEST

/* Pawns, pieces, what lies behind a piece, and both sides. */
START_TEST(threats_are_what_the_enemy_attacks) {
    static const char *const fens[] = {
        FEN_STARTPOS, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "4k3/8/1b6/5p2/p2R4/8/8/2N1K3 w - - 0 1"};
    for (size_t f = 0; f < sizeof fens / sizeof *fens; f++) {
        Position pos = parsed(fens[f]);
        Threats threats = threats_find(&pos);
        Color enemy = pos.stm ^ 1;
        for (Square s = 0; s < SQUARE_COUNT; s++) {
            Bitboard attackers =
                position_attackers(&pos, s, position_occupied(&pos)) & pos.by_color[enemy];
            Bitboard lesser = attackers & pos.by_type[PAWN];
            ck_assert_int_eq(bb_has(threats.by_any, s), attackers != 0);
            ck_assert_int_eq(bb_has(threats.by_lesser[KNIGHT], s), lesser != 0);
            ck_assert_int_eq(bb_has(threats.by_lesser[BISHOP], s), lesser != 0);
            lesser |= attackers & (pos.by_type[KNIGHT] | pos.by_type[BISHOP]);
            ck_assert_int_eq(bb_has(threats.by_lesser[ROOK], s), lesser != 0);
            lesser |= attackers & pos.by_type[ROOK];
            ck_assert_int_eq(bb_has(threats.by_lesser[QUEEN], s), lesser != 0);
        }
        ck_assert(threats.by_lesser[PAWN] == 0 && threats.by_lesser[KING] == 0);
    }
}
END_TEST

/* The same move from an attacked square, or to one, has a history of its own. */
START_TEST(quiet_history_is_apart_by_what_the_enemy_attacks) {
    static const char *const fens[] = {"4k3/8/8/8/8/8/8/4K1N1 w - - 0 1",      /* neither */
                                       "4k3/8/1b6/8/8/8/8/4K1N1 w - - 0 1",    /* the origin */
                                       "4k3/8/8/8/6p1/8/8/4K1N1 w - - 0 1",    /* the target */
                                       "4k3/8/1b6/8/6p1/8/8/4K1N1 w - - 0 1"}; /* both */
    enum { COUNT = sizeof fens / sizeof *fens };
    Move move = move_make(at("g1"), at("f3"), MOVE_NORMAL);
    History *own = calloc(1, sizeof *own);
    ck_assert_ptr_nonnull(own);
    for (int learnt = 0; learnt < COUNT; learnt++) {
        Position pos = parsed(fens[learnt]);
        HistoryContext c = context_of(&pos);
        ck_assert_int_eq(history_quiet(own, &c, &pos, move), 0);
        history_update_quiet(own, &c, &pos, move, 100 * (learnt + 1));
        for (int i = 0; i < COUNT; i++) {
            Position other = parsed(fens[i]);
            HistoryContext o = context_of(&other);
            int want = i <= learnt ? 100 * (i + 1) : 0;
            ck_assert_int_eq(history_quiet(own, &o, &other, move), want);
        }
    }
    free(own);
    history = (History){0};
}
END_TEST

/* Whatever the steps are, also larger ones than the bound. */
START_TEST(histories_stay_within_their_bounds) {
    static const int steps[] = {2418, -693, 8000, -8000};
    Position pos = parsed(FEN_STARTPOS);
    HistoryContext c = context_of(&pos);
    Move move = move_make(at("g1"), at("f3"), MOVE_NORMAL);
    History *own = calloc(1, sizeof *own);
    ck_assert_ptr_nonnull(own);
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        int sign = steps[s] < 0 ? -1 : 1;
        for (int i = 0; i < 100; i++) {
            history_update_quiet(own, &c, &pos, move, steps[s]);
            ck_assert_int_le(abs(history_quiet(own, &c, &pos, move)), SEARCH_QUIET_MAX);
        }
        int pawns =
            own->pawn[pos.pawn_key & (PAWN_HISTORY_SIZE - 1)][pos.board[at("g1")]][at("f3")];
        ck_assert_int_gt(sign * history_quiet(own, &c, &pos, move), SEARCH_QUIET_MAX * 9 / 10);
        ck_assert_int_gt(sign * pawns, SEARCH_PAWN_MAX * 9 / 10);
        ck_assert_int_le(abs(pawns), SEARCH_PAWN_MAX);
    }
    free(own);
    history = (History){0};
}
END_TEST

/* --- time --- */

START_TEST(time_is_never_planned_beyond_the_clock) {
    static const int64_t times[] = {-5, 0, 1, 2, 5, 20, 100, 1000, 60000, 7200000};
    static const int64_t increments[] = {0, 1, 10, 1000, 60000};
    static const int moves[] = {0, 1, 2, 10, 40, 500};
    static const int overheads[] = {0, 10, 100};
    for (int t = 0; t < 10; t++)
        for (int i = 0; i < 5; i++)
            for (int m = 0; m < 6; m++)
                for (int o = 0; o < 3; o++) {
                    SearchLimits limits = {.has_clock = true,
                                           .time_ms = {times[t], times[t]},
                                           .inc_ms = {increments[i], increments[i]},
                                           .movestogo = moves[m],
                                           .move_overhead_ms = overheads[o]};
                    TimePlan plan = timeman_plan(&limits, BLACK);
                    ck_assert_int_gt(plan.soft, 0);
                    ck_assert_int_le(plan.soft, plan.hard);
                    if (times[t] >= 2 * overheads[o] + 2)
                        ck_assert_int_le(plan.hard, (times[t] - overheads[o]) * 1000);
                }
}
END_TEST

/* The worst that can be: every move takes all that it may. */
START_TEST(a_game_at_the_hard_limits_keeps_time_on_the_clock) {
    static const int64_t times[] = {1, 100, 1000, 60000, 7200000}, increments[] = {1, 10, 30000};
    for (size_t t = 0; t < sizeof times / sizeof times[0]; t++)
        for (size_t i = 0; i < sizeof increments / sizeof increments[0]; i++) {
            int64_t left_us = times[t] * 1000;
            for (int move = 0; move < 300; move++) {
                SearchLimits limits = {.has_clock = true, .move_overhead_ms = 10};
                limits.time_ms[WHITE] = left_us / 1000;
                limits.inc_ms[WHITE] = increments[i];
                left_us -= timeman_plan(&limits, WHITE).hard;
                ck_assert_msg(left_us > 0, "%d ms + %d ms: no time left at move %d", (int)times[t],
                              (int)increments[i], move + 1);
                left_us += increments[i] * 1000;
            }
        }
}
END_TEST

/* Each move takes its planned time and the overhead, which the clock counts too. */
START_TEST(a_time_control_with_many_moves_is_held) {
    static const struct {
        int moves;
        int64_t time_ms, overhead_ms;
    } controls[] = {{60, 120000, 1500}, {40, 20000, 400}, {40, 60000, 10}, {24, 60000, 1500}};
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        int64_t left_us = controls[i].time_ms * 1000;
        for (int move = controls[i].moves; move > 0; move--) {
            SearchLimits limits = {.has_clock = true,
                                   .time_ms = {[WHITE] = left_us / 1000},
                                   .movestogo = move,
                                   .move_overhead_ms = controls[i].overhead_ms};
            left_us -= timeman_plan(&limits, WHITE).soft + controls[i].overhead_ms * 1000;
            ck_assert_msg(left_us > 0, "control %d: no time left, and %d moves to play", (int)i,
                          move - 1);
        }
    }
}
END_TEST

START_TEST(each_side_plans_with_its_own_clock) {
    SearchLimits limits = {.has_clock = true, .time_ms = {[WHITE] = 60000, [BLACK] = 1000}};
    ck_assert_int_gt(timeman_plan(&limits, WHITE).soft, timeman_plan(&limits, BLACK).soft);
    limits = (SearchLimits){.has_clock = true, .time_ms = {[WHITE] = 1000, [BLACK] = 60000}};
    ck_assert_int_lt(timeman_plan(&limits, WHITE).soft, timeman_plan(&limits, BLACK).soft);
    limits = (SearchLimits){.has_clock = true,
                            .time_ms = {[WHITE] = 60000, [BLACK] = 60000},
                            .inc_ms = {[WHITE] = 1000, [BLACK] = 10}};
    ck_assert_int_gt(timeman_plan(&limits, WHITE).soft, timeman_plan(&limits, BLACK).soft);
}
END_TEST

START_TEST(an_increment_counts_beyond_the_overhead) {
    SearchLimits eaten = {.has_clock = true,
                          .time_ms = {60000, 60000},
                          .inc_ms = {100, 100},
                          .move_overhead_ms = 100};
    SearchLimits none = eaten;
    none.inc_ms[WHITE] = 0;
    ck_assert_int_eq(timeman_plan(&eaten, WHITE).soft, timeman_plan(&none, WHITE).soft);
}
END_TEST

/* Four minutes, and a second for each move. */
START_TEST(a_move_takes_its_part_of_the_clock_and_of_the_increment) {
    SearchLimits limits = {.has_clock = true, .time_ms = {[WHITE] = 240000}};
    int64_t part = 240000000 / SEARCH_TIME_MOVES;
    ck_assert_int_eq(timeman_plan(&limits, WHITE).soft, part);
    limits.inc_ms[WHITE] = 1000;
    ck_assert_int_eq(timeman_plan(&limits, WHITE).soft, part + 10000 * SEARCH_TIME_INCREMENT);
}
END_TEST

/* Of 9.9 seconds 0.1 are set aside for each of the nine moves after this one. */
START_TEST(the_overhead_of_later_moves_is_set_aside) {
    SearchLimits limits = {
        .has_clock = true, .time_ms = {[WHITE] = 10000}, .movestogo = 10, .move_overhead_ms = 100};
    ck_assert_int_eq(timeman_plan(&limits, WHITE).soft, 900000);
}
END_TEST

START_TEST(movetime_and_no_limit_are_taken_as_they_are) {
    SearchLimits none = {.depth = 5};
    ck_assert_int_eq(timeman_plan(&none, WHITE).hard, INT64_MAX);
    SearchLimits fixed = {.movetime_ms = 100, .move_overhead_ms = 10};
    TimePlan plan = timeman_plan(&fixed, WHITE);
    ck_assert_int_eq(plan.soft, INT64_MAX);
    ck_assert_int_eq(plan.hard, 90000);
    fixed.move_overhead_ms = 200;
    ck_assert_int_gt(timeman_plan(&fixed, WHITE).hard, 0);
}
END_TEST

START_TEST(movetime_beside_a_clock_bounds_what_the_clock_plans) {
    SearchLimits limits = {.has_clock = true, .time_ms = {3000, 3000}, .move_overhead_ms = 10};
    TimePlan alone = timeman_plan(&limits, WHITE);
    limits.movetime_ms = 3000;
    TimePlan both = timeman_plan(&limits, WHITE);
    ck_assert_int_eq(both.soft, alone.soft);
    ck_assert_int_eq(both.hard, alone.hard);
    limits.movetime_ms = 10 + alone.soft / 1000 + 1;
    both = timeman_plan(&limits, WHITE);
    ck_assert_int_eq(both.soft, alone.soft);
    ck_assert_int_eq(both.hard, (limits.movetime_ms - 10) * 1000);
}
END_TEST

START_TEST(the_hard_limit_follows_the_soft_one_and_the_clock) {
    SearchLimits limits = {.has_clock = true, .time_ms = {100000, 100000}};
    TimePlan plan = timeman_plan(&limits, WHITE);
    ck_assert_int_eq(plan.hard, plan.soft * SEARCH_TIME_HARD_FACTOR);
    limits.movestogo = 2; /* a half of the clock each: several times that is too much */
    ck_assert_int_eq(timeman_plan(&limits, WHITE).hard, 1000000LL * SEARCH_TIME_HARD_PERCENT);
    limits.movestogo = 1;
    ck_assert_int_eq(timeman_plan(&limits, WHITE).hard, 1000000LL * SEARCH_TIME_LAST_PERCENT);
}
END_TEST

START_TEST(the_time_follows_the_clarity_of_the_best_move) {
    /* The second is the clearer move, which takes less time. */
    static const struct {
        const char *why;
        int nodes, stable, drop;
        int clear_nodes, clear_stable, clear_drop;
    } rows[] = {
        {"more nodes on the best move", 300, 2, 0, 600, 2, 0},
        {"more nodes yet", 600, 2, 0, 880, 2, 0},
        {"the same move again", 500, 0, 0, 500, 1, 0},
        {"the same move for long", 500, 1, 0, 500, 8, 0},
        {"the score does not fall", 500, 2, 30, 500, 2, 0},
        {"the score falls less", 500, 2, 50, 500, 2, 10},
        {"the score rises", 500, 2, 0, 500, 2, -10},
        {"all together", 300, 0, 50, 800, 6, -10},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int open = timeman_stretch(rows[i].nodes, rows[i].stable, rows[i].drop);
        int clear = timeman_stretch(rows[i].clear_nodes, rows[i].clear_stable, rows[i].clear_drop);
        ck_assert_msg(clear < open, "%s: %d permille, and %d before", rows[i].why, clear, open);
    }
}
END_TEST

START_TEST(the_stretch_of_the_time_is_bounded) {
    enum { FAR = 2 * SCORE_MATE };
    ck_assert_int_eq(timeman_stretch(1000, 100, 0), timeman_stretch(1000, 8, 0));
    ck_assert_int_eq(timeman_stretch(950, 0, 0), timeman_stretch(1000, 0, 0));
    ck_assert_int_eq(timeman_stretch(500, 0, FAR), timeman_stretch(500, 0, FAR / 2));
    ck_assert_int_eq(timeman_stretch(500, 0, -FAR), timeman_stretch(500, 0, -FAR / 2));
    ck_assert_int_eq(timeman_stretch(500, 0, -FAR),
                     timeman_stretch(500, 0, -SEARCH_TIME_DROP_MAX / 3));
    ck_assert_int_le(timeman_stretch(0, 0, FAR), 3000);
    ck_assert_int_ge(timeman_stretch(1000, 100, -FAR), 300);
}
END_TEST

/* --- vote --- */

enum { A = 101, B, C }; /* moves */
static const struct {
    const char *why;
    Vote votes[4];
    int count;
    int winner;
} elections[] = {
    {"one thread has its way", {{A, -300, 7}}, 1, 0},
    {"the better score at the same depth", {{A, 10, 12}, {B, 30, 12}}, 2, 1},
    {"the deeper iteration at the same score", {{A, 25, 12}, {B, 25, 13}}, 2, 1},
    {"a much worse score does not win by one ply", {{A, 60, 12}, {B, 5, 13}}, 2, 0},
    {"of equals the first", {{A, 25, 12}, {B, 25, 12}}, 2, 0},
    {"two threads together against one", {{A, 30, 12}, {B, 25, 12}, {B, 25, 12}}, 3, 1},
    {"the deepest of those who agree", {{B, 25, 12}, {A, 0, 12}, {B, 20, 14}}, 3, 2},
    {"a mate against many",
     {{A, 900, 30}, {A, 900, 30}, {A, 900, 30}, {B, SCORE_MATE - 9, 5}},
     4,
     3},
    {"the shortest mate", {{A, SCORE_MATE - 9, 30}, {B, SCORE_MATE - 5, 8}}, 2, 1},
    {"the longest way to be mated", {{A, 9 - SCORE_MATE, 9}, {B, 15 - SCORE_MATE, 9}}, 2, 1},
    {"a thread without a move has no vote", {{MOVE_NONE, 0, 0}, {A, -500, 3}}, 2, 1},
    {"nobody has a move", {{MOVE_NONE, 0, 0}, {MOVE_NONE, 0, 0}}, 2, 0},
    {"nor does it lower the worst score",
     {{MOVE_NONE, -SCORE_INFINITE, 0}, {A, 60, 12}, {B, 5, 13}},
     3,
     1},
};

START_TEST(the_vote_with_the_most_weight_wins) {
    ck_assert_msg(vote_winner(elections[_i].votes, elections[_i].count) == elections[_i].winner,
                  "%s: number %d won", elections[_i].why,
                  vote_winner(elections[_i].votes, elections[_i].count));
}
END_TEST

START_TEST(attacked_pieces_are_those_the_enemy_could_take) {
    /* The pawn attacks both; without it the bishop attacks the rook. */
    Position pos;
    ck_assert(fen_parse(&pos, "4k3/8/3n1r2/4P3/8/8/1B6/4K3 b - - 0 1", false, NULL));
    ck_assert_uint_eq(facts_attacked(&pos, BLACK), bb_square(43) | bb_square(45));
    ck_assert_uint_eq(facts_attacked(&pos, WHITE), 0);
    ck_assert(fen_parse(&pos, "4k3/8/3n1r2/8/8/8/1B6/4K3 b - - 0 1", false, NULL));
    ck_assert_uint_eq(facts_attacked(&pos, BLACK), bb_square(45));
}
END_TEST

static const struct {
    const char *fen;
    bool chess960;
    const char *move;
    bool escapes;
} escapes[] = {
    {"4k3/8/8/4r3/8/8/4B3/6K1 w - - 0 1", false, "e2f1", true},
    {"4k3/8/8/4r3/8/8/4B3/6K1 w - - 0 1", false, "e2b5", false}, /* still attacked there */
    {"4k3/8/8/4r3/8/8/4B3/6K1 w - - 0 1", false, "g1f2", false},
    {"4k3/8/8/4r3/8/8/2R5/4N1K1 w - - 0 1", false, "c2e2", true}, /* into the line of attack */
    {"4k2r/8/8/8/8/8/PPPP4/4K2R w K - 0 1", false, "e1g1", true},
    {"4k2r/8/8/8/8/8/PPPP4/6KR w H - 0 1", true, "g1h1", true},
    {"4k2r/8/b7/8/8/8/PPPP4/6KR w H - 0 1", true, "g1h1", false}, /* the bishop attacks f1 */
};

START_TEST(a_piece_escapes_when_nothing_attacks_it_where_it_arrives) {
    Position pos;
    ck_assert(fen_parse(&pos, escapes[_i].fen, escapes[_i].chess960, NULL));
    Move move = move_from_uci(&pos, escapes[_i].move);
    ck_assert_msg(move != MOVE_NONE, "%s: %s is not legal", escapes[_i].fen, escapes[_i].move);
    Position after = pos;
    Undo undo;
    position_make(&after, move, &undo);
    ck_assert_msg(facts_escapes(&pos, &after, move) == escapes[_i].escapes, "%s: %s",
                  escapes[_i].fen, escapes[_i].move);
}
END_TEST

static const struct {
    const char *fen, *move;
    bool flees;
} flights[] = {
    {"4k3/8/8/3p4/4N3/8/8/4K3 w - - 0 1", "e4c3", true},
    {"4k3/8/8/8/4N3/8/8/4K3 w - - 0 1", "e4c3", false},
    {"4k3/8/8/4r3/8/8/4B3/6K1 w - - 0 1", "e2b5", true},    /* though still attacked there */
    {"4k3/8/5n2/8/4N3/3P4/8/4K3 w - - 0 1", "e4c3", false}, /* an even exchange */
    {"4k3/8/8/3p4/4N3/2p5/8/4K3 w - - 0 1", "e4c3", false}, /* a capture */
    {"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4e5", false},
};

START_TEST(a_piece_flees_that_would_be_lost_where_it_stood) {
    Position pos = parsed(flights[_i].fen);
    Move move = move_from_uci(&pos, flights[_i].move);
    ck_assert_msg(move != MOVE_NONE, "%s: %s is not legal", flights[_i].fen, flights[_i].move);
    Position after = pos;
    Undo undo;
    position_make(&after, move, &undo);
    ck_assert_msg(facts_flees(&pos, &after, move) == flights[_i].flees, "%s: %s", flights[_i].fen,
                  flights[_i].move);
}
END_TEST

START_TEST(an_evaluation_taken_apart_is_the_same_from_both_sides) {
    Position white, black;
    ck_assert(fen_parse(&white, "4k3/pp6/8/2P5/8/5N2/8/4K3 w - - 0 1", false, NULL));
    ck_assert(fen_parse(&black, "4k3/pp6/8/2P5/8/5N2/8/4K3 b - - 0 1", false, NULL));
    LmrEval one = facts_evaluate(&white, NULL);
    LmrEval other = facts_turned(facts_evaluate(&black, NULL));
    ck_assert(one.known && other.known);
    ck_assert_int_gt(one.material, 0);
    ck_assert_int_eq(one.material, other.material);
    ck_assert_int_eq(one.passed, other.passed);
    ck_assert_int_eq(one.king, other.king);
    /* Without the worth of the move, but for rounding. The network judges each side by itself. */
    EvalTrace of_white, of_black;
    eval_trace(&white, NULL, &of_white);
    eval_trace(&black, NULL, &of_black);
    ck_assert_int_le(abs(one.total - of_white.network - (other.total + of_black.network)), 1);
}
END_TEST

/* A draw for certain: the endgame scale is 0, and takes the worth of the move and of the pawn away.
 */
START_TEST(what_is_taken_off_a_total_is_scaled_as_the_total_is) {
    Position white, black;
    ck_assert(fen_parse(&white, "1k6/8/8/8/8/8/P7/K7 w - - 0 1", false, NULL));
    ck_assert(fen_parse(&black, "1k6/8/8/8/8/8/P7/K7 b - - 0 1", false, NULL));
    ck_assert_int_eq(facts_evaluate(&white, NULL).total, 0);
    ck_assert_int_eq(facts_evaluate(&black, NULL).total, 0);
    ck_assert_int_eq(facts_evaluate(&white, NULL).material, 0);
    ck_assert_int_eq(facts_evaluate(&black, NULL).material, 0);
}
END_TEST

static void add_tests(TCase *tcase) {
    tcase_add_test(tcase, several_threads_leave_nothing_in_the_table);
    tcase_add_test(tcase, attacked_pieces_are_those_the_enemy_could_take);
    tcase_add_loop_test(tcase, a_piece_escapes_when_nothing_attacks_it_where_it_arrives, 0,
                        sizeof escapes / sizeof *escapes);
    tcase_add_loop_test(tcase, a_piece_flees_that_would_be_lost_where_it_stood, 0,
                        sizeof flights / sizeof *flights);
    tcase_add_test(tcase, an_evaluation_taken_apart_is_the_same_from_both_sides);
    tcase_add_test(tcase, what_is_taken_off_a_total_is_scaled_as_the_total_is);
    tcase_add_test(tcase, what_is_stored_comes_back);
    tcase_add_test(tcase, extreme_entries_survive_the_packing);
    tcase_add_test(tcase, a_shallow_result_does_not_replace_a_deep_one_of_the_same_position);
    tcase_add_test(tcase, an_exact_result_or_one_nearly_as_deep_replaces_a_deeper_one);
    tcase_add_test(tcase, an_old_entry_goes_before_a_shallower_one);
    tcase_add_test(tcase, an_empty_slot_is_taken_before_any_entry_goes);
    tcase_add_test(tcase, the_table_is_as_full_as_the_present_search_has_made_it);
    tcase_add_test(tcase, a_full_bucket_loses_its_shallowest_entry);
    tcase_add_test(tcase, mate_scores_are_relative_to_the_node);
    tcase_add_loop_test(tcase, exchanges_are_worth_what_they_win, 0,
                        sizeof exchanges / sizeof *exchanges);
    tcase_add_test(tcase, each_legal_move_comes_once_in_the_order_of_the_stages);
    tcase_add_test(tcase, quiescence_sees_all_noisy_moves_and_no_others);
    tcase_add_test(tcase, what_a_lesser_piece_attacks_flees_first_and_goes_there_last);
    tcase_add_test(tcase, checks_that_lose_little_come_first);
    tcase_add_test(tcase, threats_are_what_the_enemy_attacks);
    tcase_add_test(tcase, quiet_history_is_apart_by_what_the_enemy_attacks);
    tcase_add_test(tcase, histories_stay_within_their_bounds);
    tcase_add_test(tcase, time_is_never_planned_beyond_the_clock);
    tcase_add_test(tcase, a_game_at_the_hard_limits_keeps_time_on_the_clock);
    tcase_add_test(tcase, a_time_control_with_many_moves_is_held);
    tcase_add_test(tcase, each_side_plans_with_its_own_clock);
    tcase_add_test(tcase, an_increment_counts_beyond_the_overhead);
    tcase_add_test(tcase, the_overhead_of_later_moves_is_set_aside);
    tcase_add_test(tcase, a_move_takes_its_part_of_the_clock_and_of_the_increment);
    tcase_add_test(tcase, movetime_and_no_limit_are_taken_as_they_are);
    tcase_add_test(tcase, movetime_beside_a_clock_bounds_what_the_clock_plans);
    tcase_add_test(tcase, the_hard_limit_follows_the_soft_one_and_the_clock);
    tcase_add_test(tcase, the_time_follows_the_clarity_of_the_best_move);
    tcase_add_test(tcase, the_stretch_of_the_time_is_bounded);
    tcase_add_loop_test(tcase, the_vote_with_the_most_weight_wins, 0,
                        sizeof elections / sizeof *elections);
}

int main(void) {
    chess_init();
    return run_tests("search parts", add_tests);
}
