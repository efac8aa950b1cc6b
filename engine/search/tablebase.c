/* SPDX-License-Identifier: MIT */
#include "search/tablebase.h"

#include <stddef.h>

#ifdef HAVE_FATHOM
#include <stdlib.h>
#include <string.h>
#include <tbprobe.h>

bool tablebase_available(void) {
    return true;
}

/* The folders that have a name, for the caller to free; NULL without memory. At a colon at the end
 * the library reads beyond the text. */
static char *named_folders(const char *folders) {
    char *named = malloc(strlen(folders) + 1);
    size_t length = 0;
    if (named == NULL)
        return NULL;
    for (; *folders != '\0'; folders++)
        if (*folders != ':' || (length > 0 && named[length - 1] != ':'))
            named[length++] = *folders;
    if (length > 0 && named[length - 1] == ':')
        length--;
    named[length] = '\0';
    return named;
}

int tablebase_open(const char *folders) {
    char *named = named_folders(folders);
    /* Without folders the library is not called, and its files stay mapped. To close them, Debian's
     * library would print a false "munmap: ..." for each. */
    bool opened = named != NULL && named[0] != '\0' && tb_init(named);
    free(named);
    return opened ? (int)TB_LARGEST : 0;
}

static unsigned en_passant(const Position *pos) {
    return pos->ep == SQUARE_NONE ? 0 : pos->ep;
}

TablebaseResult tablebase_probe(const Position *pos) {
    switch (tb_probe_wdl(pos->by_color[WHITE], pos->by_color[BLACK], pos->by_type[KING],
                         pos->by_type[QUEEN], pos->by_type[ROOK], pos->by_type[BISHOP],
                         pos->by_type[KNIGHT], pos->by_type[PAWN], pos->rule50, pos->castling,
                         en_passant(pos), pos->stm == WHITE)) {
    case TB_WIN:
        return TABLEBASE_WIN;
    case TB_CURSED_WIN:
    case TB_DRAW:
    case TB_BLESSED_LOSS:
        return TABLEBASE_DRAW;
    case TB_LOSS:
        return TABLEBASE_LOSS;
    default:
        return TABLEBASE_UNKNOWN;
    }
}

/* The move of ours that one of the library's is, without its kind: from, to, promoted piece. */
static bool is_same_move(Move move, TbMove theirs) {
    static const PieceType promoted[] = {PIECE_TYPE_NONE, QUEEN, ROOK, BISHOP, KNIGHT};
    PieceType own = move_kind(move) == MOVE_PROMOTION ? move_promotion(move) : PIECE_TYPE_NONE;
    unsigned piece = TB_MOVE_PROMOTES(theirs);
    return move_from(move) == TB_MOVE_FROM(theirs) && move_to(move) == TB_MOVE_TO(theirs) &&
           piece < sizeof promoted / sizeof promoted[0] && own == promoted[piece];
}

static bool rank_root(const Position *pos, bool repeated, struct TbRootMoves *ranked) {
    const uint64_t *types = pos->by_type;
    uint64_t white = pos->by_color[WHITE];
    uint64_t black = pos->by_color[BLACK];
    bool white_moves = pos->stm == WHITE;
    /* Neither function looks at the right to castle, and no table knows one. */
    if (pos->castling != 0)
        return false;
    return tb_probe_root_dtz(white, black, types[KING], types[QUEEN], types[ROOK], types[BISHOP],
                             types[KNIGHT], types[PAWN], pos->rule50, 0, en_passant(pos),
                             white_moves, repeated, true, ranked) ||
           tb_probe_root_wdl(white, black, types[KING], types[QUEEN], types[ROOK], types[BISHOP],
                             types[KNIGHT], types[PAWN], pos->rule50, 0, en_passant(pos),
                             white_moves, true, ranked);
}

/* The rank of one move; false when it was not ranked. */
static bool rank_of(const struct TbRootMoves *ranked, Move move, int *rank) {
    for (unsigned i = 0; i < ranked->size; i++) {
        if (is_same_move(move, ranked->moves[i].move)) {
            *rank = ranked->moves[i].tbRank;
            return true;
        }
    }
    return false;
}

int tablebase_keep_best(const Position *root, bool repeated, Move *moves, int count) {
    struct TbRootMoves *ranked = calloc(1, sizeof *ranked);
    int best = 0;
    int rank = 0;
    int kept = 0;
    bool known = ranked != NULL && rank_root(root, repeated, ranked);
    for (int i = 0; known && i < count; i++) {
        known = rank_of(ranked, moves[i], &rank);
        best = i == 0 || rank > best ? rank : best;
    }
    for (int i = 0; known && i < count; i++) {
        rank_of(ranked, moves[i], &rank);
        if (rank == best)
            moves[kept++] = moves[i];
    }
    free(ranked);
    return known ? kept : count;
}

#else

bool tablebase_available(void) {
    return false;
}

int tablebase_open(const char *folders) {
    (void)folders;
    return 0;
}

TablebaseResult tablebase_probe(const Position *pos) {
    (void)pos;
    return TABLEBASE_UNKNOWN;
}

int tablebase_keep_best(const Position *root, bool repeated, Move *moves, int count) {
    (void)root;
    (void)repeated;
    (void)moves;
    return count;
}

#endif
