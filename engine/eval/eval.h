/* The hand-written evaluation: tapered, linear in its weights, the same for both colours. */
#ifndef EVAL_EVAL_H
#define EVAL_EVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "chess/position.h"
#include "chess/types.h"

/* No evaluation ever leaves this range, so none is mistaken for a mate. */
enum { EVAL_LIMIT = 20000 };

/* The terms that can be read one by one. */
typedef enum {
    EVAL_MATERIAL,
    EVAL_PLACEMENT, /* piece-square */
    EVAL_PAWNS,
    EVAL_PASSED,
    EVAL_MOBILITY,
    EVAL_PIECES, /* bishop pair, rook files, outposts */
    EVAL_KING,
    EVAL_THREATS,
    EVAL_TEMPO,
    EVAL_TERM_COUNT
} EvalTerm;

/* One evaluation taken apart: middlegame and endgame centipawns of each term for each colour, the
 * phase (0 endgame .. EVAL_PHASE_MAX opening), the endgame scale (of EVAL_SCALE_FULL), the total.
 */
enum { EVAL_PHASE_MAX = 24, EVAL_SCALE_FULL = 64 };
typedef struct {
    int mg[EVAL_TERM_COUNT][COLOR_COUNT];
    int eg[EVAL_TERM_COUNT][COLOR_COUNT];
    int phase;
    int scale;
    int total; /* for the side to move: what evaluate() answers */
} EvalTrace;

/* Pawn structure remembered between evaluations: one a thread, in the owner's memory, all zero when
 * new. Two positions with the same pawn key have the same entry, so it never goes stale. */
enum { EVAL_CACHE_SIZE = 4096 };
typedef struct {
    uint64_t key;
    int32_t pawns[COLOR_COUNT];  /* packed middlegame and endgame scores: structure */
    int32_t passed[COLOR_COUNT]; /* and passed pawns, as far as pawns alone decide */
    Bitboard passers;
    Bitboard attacks[COLOR_COUNT];
} EvalPawnEntry;
typedef struct {
    EvalPawnEntry entry[EVAL_CACHE_SIZE];
} EvalCache;

/* Centipawns for the side to move, within +-EVAL_LIMIT. Pure; the cache, which may be NULL, only
 * saves time. chess_init must have run. */
int eval_cached(const Position *pos, EvalCache *cache);
int evaluate(const Position *pos);

/* The same with everything shown. */
void eval_trace(const Position *pos, EvalTrace *out);

/* A term of a trace for `view` less the other colour's, tapered, before the endgame scale. */
int eval_term(const EvalTrace *trace, EvalTerm term, Color view);

/* The piece-square value of this piece on this square for its owner, tapered by the position's
 * phase. */
int eval_placement(const Position *pos, Piece piece, Square square);

/* Short name of a term, for tables. */
const char *eval_term_name(EvalTerm term);

#endif
