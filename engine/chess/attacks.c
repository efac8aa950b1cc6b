/* SPDX-License-Identifier: MIT */
#include "chess/attacks.h"

#include "chess/zobrist.h"

SliderLookup attacks_bishop_lookup[SQUARE_COUNT];
SliderLookup attacks_rook_lookup[SQUARE_COUNT];
Bitboard attacks_pawn_table[COLOR_COUNT][SQUARE_COUNT];
Bitboard attacks_knight_table[SQUARE_COUNT];
Bitboard attacks_king_table[SQUARE_COUNT];
Bitboard attacks_between_table[SQUARE_COUNT][SQUARE_COUNT];
Bitboard attacks_line_table[SQUARE_COUNT][SQUARE_COUNT];

/* Sums over the squares of 2^(squares in the mask). */
enum { BISHOP_TABLE_SIZE = 5248, ROOK_TABLE_SIZE = 102400 };
static Bitboard bishop_attacks[BISHOP_TABLE_SIZE];
static Bitboard rook_attacks[ROOK_TABLE_SIZE];

/* A direction of movement, in files and ranks. */
typedef struct {
    int file;
    int rank;
} Step;

static const Step BISHOP_STEPS[4] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
static const Step ROOK_STEPS[4] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
static const Step KNIGHT_STEPS[8] = {{1, 2},   {2, 1},   {2, -1}, {1, -2},
                                     {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};
static const Step KING_STEPS[8] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                   {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};

/* Factors without a destructive collision, found by tests/chess/find_magics.c. */
static const uint64_t BISHOP_MAGICS[SQUARE_COUNT] = {
    0x00c2200800810048, 0x8210020081020400, 0x1450388200400804, 0x8048060841000008,
    0x001414a01c050200, 0x0822021004202c08, 0x040a180202d00045, 0x0001004114014002,
    0x4004040902480208, 0x8a00140942060a00, 0x0502840802104002, 0x0010024081041021,
    0xc140042420818000, 0x0200090108420000, 0x40000400c4104840, 0x0101010100826013,
    0x9408004049010408, 0x0450006001412100, 0x4c08205000212020, 0x0118000104910002,
    0x8004802400a0006a, 0x2001010210008400, 0x0004800222212011, 0x0800840144048800,
    0x0010404248080182, 0x000809006001210a, 0x2016484414040400, 0x8024080003081100,
    0x0820820004010410, 0x424102000d03410d, 0x2202020800480202, 0x804c070021406208,
    0x0430900402488808, 0x000910822008480c, 0x18840a01028a0400, 0x0080020080180080,
    0x00204c0400084100, 0x0080940100009008, 0x20028801064200a0, 0x2401420200002100,
    0x20281110d0000801, 0x2283111010006310, 0x0840212030004800, 0x0000882014402802,
    0x0081400102143101, 0x10a0008100423200, 0xa110900090808102, 0x0084212421001120,
    0x0885045004040008, 0x0030404208200802, 0x0004488400882600, 0x2000298084040d20,
    0x0800407002088403, 0x0588401002208002, 0x000810100240420b, 0x0020c10202004044,
    0x00402401480c500c, 0x30a0003411041005, 0x0048508100981100, 0xc802800000420200,
    0x00808000a8102c00, 0x0104244410424600, 0x0120041508022408, 0x0002028801040080,
};
static const uint64_t ROOK_MAGICS[SQUARE_COUNT] = {
    0x4180021080204000, 0x10c0001001402000, 0x8880081000200080, 0x8080080010008005,
    0x0280020400800800, 0x0900080204008100, 0x0200008200010408, 0x0480004da2800100,
    0x0222800040002080, 0x1001802000400080, 0x0102802000825000, 0x0403006010010009,
    0x4201000410080100, 0x6486001008020004, 0x000c0001040210a8, 0x9001000050810012,
    0x2000808000400020, 0x2010004000402010, 0x00a0010010250042, 0x0810010010210008,
    0x0788450011000800, 0x5014008002000480, 0x0000808001000200, 0x00404a0004008041,
    0x000040008020800a, 0x8082200140100040, 0x0004100480200280, 0x0001100180080082,
    0x0804041100080100, 0x0000040080800200, 0x0102080400010210, 0x00400c4200028421,
    0x0c80004000402001, 0x0000402000401004, 0x0040481101002002, 0x0008008008801001,
    0xa080040080800802, 0x241a000402001008, 0x2000988204003041, 0x1180004c82000524,
    0x00a0400023828000, 0x0b00200050024000, 0x0460100020008080, 0x8001041000090020,
    0x8000080005010010, 0x0014000402008080, 0x0020020001008080, 0x00010408a1420003,
    0x4122010840208600, 0x8004308c40010100, 0x00a4401500200100, 0x4080801800100180,
    0x2300800800040080, 0x0040040002008080, 0x0000480290010400, 0x4407000092184900,
    0x2102590120408001, 0x184440001080210d, 0x842209a00010c101, 0x0402209000050089,
    0x2122000820100402, 0x090200443019080a, 0xc00800b001080204, 0x9002054100822c02,
};

/* The square one step away, SQUARE_NONE beyond the edge. */
static Square step_from(Square s, Step step) {
    int file = square_file(s) + step.file;
    int rank = square_rank(s) + step.rank;
    bool on_board = file >= 0 && file < 8 && rank >= 0 && rank < 8;
    return on_board ? square_make(file, rank) : SQUARE_NONE;
}

static Bitboard leap(Square s, const Step steps[8]) {
    Bitboard reached = 0;
    for (int i = 0; i < 8; i++) {
        Square to = step_from(s, steps[i]);
        if (to != SQUARE_NONE)
            reached |= bb_square(to);
    }
    return reached;
}

/* Walks one line up to and including the first occupied square. */
static Bitboard slide(Square s, Step step, Bitboard occ) {
    Bitboard reached = 0;
    for (Square to = step_from(s, step); to != SQUARE_NONE; to = step_from(to, step)) {
        reached |= bb_square(to);
        if (bb_has(occ, to))
            break;
    }
    return reached;
}

static Bitboard slide_all(Square s, const Step steps[4], Bitboard occ) {
    return slide(s, steps[0], occ) | slide(s, steps[1], occ) | slide(s, steps[2], occ) |
           slide(s, steps[3], occ);
}

/* Fills the lookups of one slider. A square's mask leaves out the last square of each line, whose
 * occupation changes nothing. */
static void init_slider(SliderLookup lookup[SQUARE_COUNT], const Step steps[4],
                        const uint64_t magics[SQUARE_COUNT], Bitboard *table) {
    for (Square s = 0; s < SQUARE_COUNT; s++) {
        SliderLookup *l = &lookup[s];
        Bitboard edges = ((bb_rank(0) | bb_rank(7)) & ~bb_rank(square_rank(s))) |
                         ((FILE_A_BB | FILE_H_BB) & ~bb_file(square_file(s)));
        l->mask = slide_all(s, steps, 0) & ~edges;
        l->magic = magics[s];
        l->shift = SQUARE_COUNT - bb_popcount(l->mask);
        l->attacks = table;
        Bitboard occ = 0;
        do {
            table[attacks_index(l, occ)] = slide_all(s, steps, occ);
            occ = (occ - l->mask) & l->mask;
        } while (occ);
        table += UINT64_C(1) << bb_popcount(l->mask);
    }
}

static void init_lines(Square a, const Step steps[4]) {
    for (int i = 0; i < 4; i++) {
        Step back = {-steps[i].file, -steps[i].rank};
        Bitboard line = bb_square(a) | slide(a, steps[i], 0) | slide(a, back, 0);
        Bitboard between = 0;
        for (Square b = step_from(a, steps[i]); b != SQUARE_NONE; b = step_from(b, steps[i])) {
            attacks_line_table[a][b] = line;
            attacks_between_table[a][b] = between;
            between |= bb_square(b);
        }
    }
}

void chess_init(void) {
    static bool done;
    if (done)
        return;
    done = true;
    init_slider(attacks_bishop_lookup, BISHOP_STEPS, BISHOP_MAGICS, bishop_attacks);
    init_slider(attacks_rook_lookup, ROOK_STEPS, ROOK_MAGICS, rook_attacks);
    for (Square s = 0; s < SQUARE_COUNT; s++) {
        attacks_knight_table[s] = leap(s, KNIGHT_STEPS);
        attacks_king_table[s] = leap(s, KING_STEPS);
        for (Color c = WHITE; c <= BLACK; c++)
            attacks_pawn_table[c][s] = bb_pawn_attacks(c, bb_square(s));
        init_lines(s, BISHOP_STEPS);
        init_lines(s, ROOK_STEPS);
    }
    zobrist_init();
}
