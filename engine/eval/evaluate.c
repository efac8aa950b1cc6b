/* Terms for both colours, added up in pairs and tapered by the phase. Every weight is in
 * weights.c. */
#include <string.h>

#include "chess/attacks.h"
#include "eval/eval.h"
#include "eval/weights.h"

#define W eval_weights

/* What the terms find out for each other. */
typedef struct {
    const Position *pos;
    EvalTrace *trace; /* NULL, a constant where the code is inlined, but for eval_trace */
    EvalScore sum;    /* White's minus Black's */
    Bitboard occupied;
    Bitboard pawn_attacks[COLOR_COUNT];
    Bitboard attacks[COLOR_COUNT]; /* by any piece */
    Bitboard twice[COLOR_COUNT];   /* by two pieces */
    Bitboard by_type[COLOR_COUNT][PIECE_TYPE_COUNT];
    Bitboard ring[COLOR_COUNT]; /* king and what stands around it */
    Bitboard mobility_area[COLOR_COUNT];
    Bitboard passers;
    int danger[COLOR_COUNT]; /* units against this colour's king */
} Eval;

static const int phase_weight[PIECE_TYPE_COUNT] = {0, 1, 1, 2, 4, 0};

CHESS_INLINE void add(Eval *e, EvalTerm term, Color c, EvalScore score) {
    e->sum += c == WHITE ? score : -score;
    if (e->trace) {
        e->trace->mg[term][c] += eval_mg(score);
        e->trace->eg[term][c] += eval_eg(score);
    }
}

CHESS_INLINE int distance(Square a, Square b) {
    int files = square_file(a) - square_file(b);
    int ranks = square_rank(a) - square_rank(b);
    files = files < 0 ? -files : files;
    ranks = ranks < 0 ? -ranks : ranks;
    return files > ranks ? files : ranks;
}

/* Everything in front of the squares as c sees it, and everything behind. */
CHESS_INLINE Bitboard fill_forward(Color c, Bitboard b) {
    if (c == WHITE) {
        b |= b << 8;
        b |= b << 16;
        return b | b << 32;
    }
    b |= b >> 8;
    b |= b >> 16;
    return b | b >> 32;
}

CHESS_INLINE Bitboard before(Color c, Square s) {
    return fill_forward(c, bb_forward(c, bb_square(s)));
}

CHESS_INLINE Bitboard neighbours(Bitboard b) {
    return bb_east(b) | bb_west(b);
}

/* --- pawns alone: what the cache holds --- */

/* One pawn's structure; passers are put into the entry. */
static EvalScore pawn_structure(EvalPawnEntry *entry, const Position *pos, Color c, Square s) {
    Bitboard own = position_pieces(pos, c, PAWN);
    Bitboard enemy = position_pieces(pos, c ^ 1, PAWN);
    Bitboard me = bb_square(s);
    Bitboard front = before(c, s);
    Bitboard beside = neighbours(bb_file(square_file(s)));
    bool open = !(front & enemy);
    bool supported = (bb_pawn_attacks(c ^ 1, me) & own) != 0;
    bool phalanx = (neighbours(me) & own) != 0;
    int rank = square_rank(square_relative(c, s));
    EvalScore score = 0;
    if (open && !(neighbours(front) & enemy) && !(front & own))
        entry->passers |= me;
    if (front & own)
        score += W.doubled;
    if (!(beside & own)) {
        score += W.isolated + (open ? W.isolated_open : 0);
    } else if (!supported && !phalanx) {
        /* No neighbour can ever support its advance, and the way is guarded by a pawn. */
        Bitboard behind = neighbours(fill_forward(c ^ 1, me));
        Bitboard guards = bb_pawn_attacks(c, bb_forward(c, me)) & enemy;
        if (!(behind & own) && guards)
            score += W.backward + (open ? W.backward_open : 0);
    }
    if (supported || phalanx)
        score += W.connected[rank];
    return score;
}

static void fill_pawn_entry(EvalPawnEntry *entry, const Position *pos) {
    memset(entry, 0, sizeof *entry);
    entry->key = pos->pawn_key;
    for (Color c = WHITE; c <= BLACK; c++) {
        Bitboard pawns = position_pieces(pos, c, PAWN);
        entry->attacks[c] = bb_pawn_attacks(c, pawns);
        while (pawns)
            entry->pawns[c] += pawn_structure(entry, pos, c, bb_pop_lsb(&pawns));
        Bitboard passers = entry->passers & pos->by_color[c];
        while (passers)
            entry->passed[c] += W.passed[square_rank(square_relative(c, bb_pop_lsb(&passers)))];
    }
}

CHESS_INLINE void eval_pawns(Eval *e, EvalCache *cache) {
    const Position *pos = e->pos;
    EvalPawnEntry local;
    EvalPawnEntry *entry = cache ? &cache->entry[pos->pawn_key % EVAL_CACHE_SIZE] : &local;
    /* An entry that was never filled has key 0 and the attacks of no pawn at all. */
    if (!cache || entry->key != pos->pawn_key)
        fill_pawn_entry(entry, pos);
    e->passers = entry->passers;
    for (Color c = WHITE; c <= BLACK; c++) {
        e->pawn_attacks[c] = entry->attacks[c];
        add(e, EVAL_PAWNS, c, entry->pawns[c]);
        add(e, EVAL_PASSED, c, entry->passed[c]);
    }
}

/* --- pieces --- */

CHESS_INLINE void prepare(Eval *e, Color c) {
    const Position *pos = e->pos;
    Square king = position_king(pos, c);
    Bitboard pawns = position_pieces(pos, c, PAWN);
    Bitboard blocked = pawns & bb_forward(c ^ 1, e->occupied);
    Bitboard back = bb_relative_rank(c, 1);
    e->ring[c] = attacks_king(king) | bb_square(king);
    e->mobility_area[c] = ~(e->pawn_attacks[c ^ 1] | blocked | (pawns & back) | bb_square(king));
    e->by_type[c][PAWN] = e->pawn_attacks[c];
    e->by_type[c][KING] = attacks_king(king);
    e->attacks[c] = e->pawn_attacks[c] | attacks_king(king);
    e->twice[c] = e->pawn_attacks[c] & attacks_king(king);
}

CHESS_INLINE Bitboard piece_attacks(const Eval *e, Color c, PieceType t, Square s) {
    const Position *pos = e->pos;
    /* Sliders look through their own kind: a battery attacks what its rear piece attacks. */
    Bitboard own_queens = position_pieces(pos, c, QUEEN);
    switch (t) {
    case KNIGHT:
        return attacks_knight(s);
    case BISHOP:
        return attacks_bishop(s, e->occupied ^ own_queens);
    case ROOK:
        return attacks_rook(s, e->occupied ^ own_queens ^ position_pieces(pos, c, ROOK));
    default:
        return attacks_queen(s, e->occupied);
    }
}

static const int danger_units[PIECE_TYPE_COUNT] = {0,           DANGER_KNIGHT, DANGER_BISHOP,
                                                   DANGER_ROOK, DANGER_QUEEN,  0};

CHESS_INLINE void minor_extras(Eval *e, Color c, PieceType t, Square s) {
    const Position *pos = e->pos;
    Bitboard me = bb_square(s);
    Bitboard enemy = position_pieces(pos, c ^ 1, PAWN);
    Bitboard zone = bb_relative_rank(c, 3) | bb_relative_rank(c, 4) | bb_relative_rank(c, 5);
    if ((me & zone & e->pawn_attacks[c]) && !(neighbours(before(c, s)) & enemy))
        add(e, EVAL_PIECES, c, t == KNIGHT ? W.knight_outpost : W.bishop_outpost);
    if (t == BISHOP) {
        Bitboard same = me & LIGHT_SQUARES_BB ? LIGHT_SQUARES_BB : DARK_SQUARES_BB;
        add(e, EVAL_PIECES, c,
            W.bishop_own_pawns * bb_popcount(position_pieces(pos, c, PAWN) & same));
    }
}

CHESS_INLINE void rook_extras(Eval *e, Color c, Square s) {
    Bitboard file = bb_file(square_file(s));
    if (!(file & e->pos->by_type[PAWN]))
        add(e, EVAL_PIECES, c, W.rook_open);
    else if (!(file & position_pieces(e->pos, c, PAWN)))
        add(e, EVAL_PIECES, c, W.rook_half_open);
}

CHESS_INLINE void eval_piece_type(Eval *e, Color c, PieceType t) {
    const Position *pos = e->pos;
    Bitboard pieces = position_pieces(pos, c, t);
    while (pieces) {
        Square s = bb_pop_lsb(&pieces);
        add(e, EVAL_MATERIAL, c, W.material[t]);
        add(e, EVAL_PLACEMENT, c, W.placement[t][square_relative(c, s)]);
        Bitboard reach = piece_attacks(e, c, t, s);
        e->twice[c] |= e->attacks[c] & reach;
        e->attacks[c] |= reach;
        e->by_type[c][t] |= reach;
        add(e, EVAL_MOBILITY, c, W.mobility[t][bb_popcount(reach & e->mobility_area[c])]);
        Bitboard near = reach & e->ring[c ^ 1];
        if (near)
            e->danger[c ^ 1] += danger_units[t] + DANGER_RING_SQUARE * bb_popcount(near);
        if (t == KNIGHT || t == BISHOP)
            minor_extras(e, c, t, s);
        else if (t == ROOK)
            rook_extras(e, c, s);
    }
}

CHESS_INLINE void eval_pieces(Eval *e, Color c) {
    const Position *pos = e->pos;
    Bitboard pawns = position_pieces(pos, c, PAWN);
    while (pawns) {
        Square s = bb_pop_lsb(&pawns);
        add(e, EVAL_MATERIAL, c, W.material[PAWN]);
        add(e, EVAL_PLACEMENT, c, W.placement[PAWN][square_relative(c, s)]);
    }
    eval_piece_type(e, c, KNIGHT);
    eval_piece_type(e, c, BISHOP);
    eval_piece_type(e, c, ROOK);
    eval_piece_type(e, c, QUEEN);
    Square king = position_king(pos, c);
    add(e, EVAL_PLACEMENT, c, W.placement[KING][square_relative(c, king)]);
    Bitboard bishops = position_pieces(pos, c, BISHOP);
    if ((bishops & LIGHT_SQUARES_BB) && (bishops & DARK_SQUARES_BB))
        add(e, EVAL_PIECES, c, W.bishop_pair);
}

/* --- king --- */

/* Own and enemy pawns on the files at the king. */
CHESS_INLINE void king_shelter(Eval *e, Color c) {
    const Position *pos = e->pos;
    Square king = position_king(pos, c);
    int file = square_file(king);
    int centre = file < 1 ? 1 : file > 6 ? 6 : file;
    int king_rank = square_rank(square_relative(c, king));
    Bitboard ahead = fill_forward(c, bb_rank(square_rank(king)));
    EvalScore score = 0;
    for (int f = centre - 1; f <= centre + 1; f++) {
        Bitboard own = position_pieces(pos, c, PAWN) & bb_file(f) & ahead;
        Bitboard enemy = position_pieces(pos, c ^ 1, PAWN) & bb_file(f) & ahead;
        int own_rank = 0;
        if (own)
            own_rank =
                square_rank(square_relative(c, c == WHITE ? bb_lsb(own) : bb_msb(own))) - king_rank;
        score += W.shelter[own ? (own_rank < 1 ? 1 : own_rank) : 0];
        if (enemy) {
            Square s = c == WHITE ? bb_lsb(enemy) : bb_msb(enemy);
            score += W.storm[square_rank(square_relative(c, s)) - king_rank];
        }
        if (f == file && !(pos->by_type[PAWN] & bb_file(f)))
            score += W.king_open_file;
    }
    add(e, EVAL_KING, c, score);
}

/* Squares from which the enemy may check without being taken. */
CHESS_INLINE int safe_checks(const Eval *e, Color c) {
    const Position *pos = e->pos;
    Color enemy = c ^ 1;
    Square king = position_king(pos, c);
    Bitboard safe =
        ~pos->by_color[enemy] & (~e->attacks[c] | (e->twice[enemy] & ~e->twice[c] &
                                                   (e->by_type[c][KING] | e->by_type[c][QUEEN])));
    Bitboard straight = attacks_rook(king, e->occupied);
    Bitboard diagonal = attacks_bishop(king, e->occupied);
    int units = 0;
    if (attacks_knight(king) & e->by_type[enemy][KNIGHT] & safe)
        units += DANGER_SAFE_CHECK_MINOR;
    if (diagonal & e->by_type[enemy][BISHOP] & safe)
        units += DANGER_SAFE_CHECK_MINOR;
    if (straight & e->by_type[enemy][ROOK] & safe)
        units += DANGER_SAFE_CHECK_ROOK;
    if ((straight | diagonal) & e->by_type[enemy][QUEEN] & safe)
        units += DANGER_SAFE_CHECK_QUEEN;
    return units;
}

/* Against a bare king: to the edge with it, and the own king near. */
CHESS_INLINE void drive_bare_king(Eval *e, Color c) {
    Square king = position_king(e->pos, c);
    int file = square_file(king) < 4 ? 3 - square_file(king) : square_file(king) - 4;
    int rank = square_rank(king) < 4 ? 3 - square_rank(king) : square_rank(king) - 4;
    int near = 7 - distance(king, position_king(e->pos, c ^ 1));
    add(e, EVAL_KING, c ^ 1, W.drive_edge * (file > rank ? 2 * file + rank : 2 * rank + file));
    add(e, EVAL_KING, c ^ 1, W.drive_near * near);
}

CHESS_INLINE void eval_king(Eval *e, Color c) {
    const Position *pos = e->pos;
    Color enemy = c ^ 1;
    if (!bb_more_than_one(pos->by_color[c]))
        drive_bare_king(e, c);
    king_shelter(e, c);
    if (!e->danger[c])
        return;
    Bitboard weak = e->ring[c] & e->attacks[enemy] & ~e->twice[c] &
                    (~e->attacks[c] | e->by_type[c][KING] | e->by_type[c][QUEEN]);
    int units = e->danger[c] + DANGER_WEAK_SQUARE * bb_popcount(weak) + safe_checks(e, c);
    if (!position_pieces(pos, enemy, QUEEN))
        units -= DANGER_NO_QUEEN;
    if (units <= 0)
        return;
    add(e, EVAL_KING, c, -W.king_danger[units < EVAL_DANGER_MAX ? units : EVAL_DANGER_MAX - 1]);
}

/* --- passed pawns, as far as pieces matter --- */

CHESS_INLINE void eval_passed(Eval *e, Color c) {
    const Position *pos = e->pos;
    Bitboard passers = e->passers & pos->by_color[c];
    while (passers) {
        Square s = bb_pop_lsb(&passers);
        int rank = square_rank(square_relative(c, s));
        Bitboard next = bb_forward(c, bb_square(s));
        Square stop = bb_lsb(next);
        EvalScore score = 0;
        if (rank >= 3) {
            score += W.passed_own_king[distance(position_king(pos, c), stop)];
            score += W.passed_enemy_king[distance(position_king(pos, c ^ 1), stop)];
        }
        if (next & e->occupied)
            score += W.passed_blocked[rank];
        else if (!(next & e->attacks[c ^ 1]))
            score += W.passed_free[rank];
        add(e, EVAL_PASSED, c, score);
    }
}

/* --- threats --- */

CHESS_INLINE void add_threats(Eval *e, Color c, Bitboard targets, const EvalScore *by_victim) {
    while (targets) {
        Square s = bb_pop_lsb(&targets);
        add(e, EVAL_THREATS, c, by_victim[piece_type(e->pos->board[s])]);
    }
}

CHESS_INLINE void eval_threats(Eval *e, Color c) {
    const Position *pos = e->pos;
    Color enemy = c ^ 1;
    Bitboard pieces = pos->by_color[enemy] & ~pos->by_type[PAWN] & ~pos->by_type[KING];
    Bitboard defended = e->pawn_attacks[enemy] | (e->twice[enemy] & ~e->twice[c]);
    Bitboard targets = pos->by_color[enemy] & ~pos->by_type[KING] & ~defended;
    Bitboard minors = e->by_type[c][KNIGHT] | e->by_type[c][BISHOP];
    Bitboard heavy = pos->by_type[ROOK] | pos->by_type[QUEEN];
    add(e, EVAL_THREATS, c, W.threat_by_pawn * bb_popcount(pieces & e->pawn_attacks[c]));
    add_threats(e, c, (targets | (pos->by_color[enemy] & heavy)) & minors & ~e->pawn_attacks[c],
                W.threat_by_minor);
    add_threats(e, c,
                (targets | position_pieces(pos, enemy, QUEEN)) & e->by_type[c][ROOK] &
                    ~e->pawn_attacks[c],
                W.threat_by_rook);
    add(e, EVAL_THREATS, c, W.hanging * bb_popcount(pieces & e->attacks[c] & ~e->attacks[enemy]));
    Bitboard pushes = bb_forward(c, position_pieces(pos, c, PAWN)) & ~e->occupied;
    pushes |= bb_forward(c, pushes & bb_relative_rank(c, 2)) & ~e->occupied;
    pushes &= ~e->pawn_attacks[enemy] & (e->attacks[c] | ~e->attacks[enemy]);
    Bitboard threatened = bb_pawn_attacks(c, pushes) & pieces & ~e->pawn_attacks[c];
    add(e, EVAL_THREATS, c, W.pawn_push_threat * bb_popcount(threatened));
}

/* --- the sum --- */

static int game_phase(const Position *pos) {
    int phase = 0;
    for (PieceType t = KNIGHT; t <= QUEEN; t++)
        phase += phase_weight[t] * bb_popcount(pos->by_type[t]);
    return phase < EVAL_PHASE_MAX ? phase : EVAL_PHASE_MAX;
}

/* Of EVAL_SCALE_FULL: how much of an endgame advantage the stronger side can hope to keep. */
static int endgame_scale(const Position *pos, Color strong) {
    enum {
        NEARLY_DRAWN = 6,
        OPPOSITE_ALONE = 26,
        OPPOSITE_WITH = 48,
        PAWNS_BASE = 44,
        PER_PAWN = 5
    };
    Bitboard minors = pos->by_type[KNIGHT] | pos->by_type[BISHOP];
    Bitboard heavy = pos->by_type[ROOK] | pos->by_type[QUEEN];
    int pawns = bb_popcount(position_pieces(pos, strong, PAWN));
    int own = 3 * bb_popcount(pos->by_color[strong] & minors) +
              5 * bb_popcount(position_pieces(pos, strong, ROOK)) +
              10 * bb_popcount(position_pieces(pos, strong, QUEEN));
    int other = 3 * bb_popcount(pos->by_color[strong ^ 1] & minors) +
                5 * bb_popcount(position_pieces(pos, strong ^ 1, ROOK)) +
                10 * bb_popcount(position_pieces(pos, strong ^ 1, QUEEN));
    /* Without pawns a lead of a minor piece wins nothing, nor do two lone knights. */
    if (pawns == 0 && own - other <= 3)
        return own < 5 ? 0 : NEARLY_DRAWN;
    if (pawns == 0 && own == 6 && other == 0 && !position_pieces(pos, strong, BISHOP))
        return 0;
    Bitboard bishops = pos->by_type[BISHOP];
    bool opposite = bb_popcount(bishops) == 2 && bb_popcount(bishops & LIGHT_SQUARES_BB) == 1 &&
                    bb_popcount(bishops & pos->by_color[WHITE]) == 1;
    if (opposite && !heavy && !pos->by_type[KNIGHT])
        return OPPOSITE_ALONE;
    if (opposite)
        return OPPOSITE_WITH;
    int scale = PAWNS_BASE + PER_PAWN * pawns;
    return scale < EVAL_SCALE_FULL ? scale : EVAL_SCALE_FULL;
}

static int taper(const Position *pos, EvalScore sum, EvalTrace *trace) {
    int eg = eval_eg(sum);
    int phase = game_phase(pos);
    int scale = endgame_scale(pos, eg >= 0 ? WHITE : BLACK);
    int score = (eval_mg(sum) * phase * EVAL_SCALE_FULL + eg * (EVAL_PHASE_MAX - phase) * scale) /
                (EVAL_PHASE_MAX * EVAL_SCALE_FULL);
    score = pos->stm == WHITE ? score : -score;
    score = score > EVAL_LIMIT ? EVAL_LIMIT : score < -EVAL_LIMIT ? -EVAL_LIMIT : score;
    if (trace) {
        trace->phase = phase;
        trace->scale = scale;
        trace->total = score;
    }
    return score;
}

CHESS_INLINE int evaluate_with(const Position *pos, EvalCache *cache, EvalTrace *trace) {
    Eval e;
    memset(&e, 0, sizeof e);
    e.pos = pos;
    e.trace = trace;
    e.occupied = position_occupied(pos);
    eval_pawns(&e, cache);
    prepare(&e, WHITE);
    prepare(&e, BLACK);
    eval_pieces(&e, WHITE);
    eval_pieces(&e, BLACK);
    eval_king(&e, WHITE);
    eval_king(&e, BLACK);
    eval_passed(&e, WHITE);
    eval_passed(&e, BLACK);
    eval_threats(&e, WHITE);
    eval_threats(&e, BLACK);
    add(&e, EVAL_TEMPO, pos->stm, W.tempo);
    return taper(pos, e.sum, trace);
}

int eval_cached(const Position *pos, EvalCache *cache) {
    return evaluate_with(pos, cache, NULL);
}

int evaluate(const Position *pos) {
    return evaluate_with(pos, NULL, NULL);
}

void eval_trace(const Position *pos, EvalTrace *out) {
    memset(out, 0, sizeof *out);
    evaluate_with(pos, NULL, out);
}

static int at_phase(int mg, int eg, int phase) {
    return (mg * phase + eg * (EVAL_PHASE_MAX - phase)) / EVAL_PHASE_MAX;
}

int eval_term(const EvalTrace *trace, EvalTerm term, Color view) {
    return at_phase(trace->mg[term][view] - trace->mg[term][view ^ 1],
                    trace->eg[term][view] - trace->eg[term][view ^ 1], trace->phase);
}

int eval_placement(const Position *pos, Piece piece, Square square) {
    EvalScore value = W.placement[piece_type(piece)][square_relative(piece_color(piece), square)];
    return at_phase(eval_mg(value), eval_eg(value), game_phase(pos));
}

const char *eval_term_name(EvalTerm term) {
    static const char *const names[EVAL_TERM_COUNT] = {"material", "placement", "pawns",
                                                       "passed",   "mobility",  "pieces",
                                                       "king",     "threats",   "tempo"};
    return names[term];
}
