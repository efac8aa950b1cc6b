/* SPDX-License-Identifier: MIT */
#include "walk.h"

#include <check.h>

#include "chess/fen.h"
#include "chess/movegen.h"
#include "chess/random.h"

typedef struct {
    const char *fen;
    bool chess960;
} Start;

/* Chosen for what happens soon: castling through and out of everything, promotions, en passant with
 * pins of every kind, double checks, bare endings, and kings that castle without moving. */
static const Start STARTS[] = {
    {FEN_STARTPOS, false},
    {"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", false},
    {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", false},
    {"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", false},
    {"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", false},
    {"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", false},
    {"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", false},
    {"8/8/3p4/1Pp4r/1K3p1k/8/4P1P1/1R6 w - c6 0 3", false},
    {"4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 2", false},
    {"4r1k1/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", false},
    {"8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", false},
    {"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", true},
    {"nrbnkbrq/pppppppp/8/8/8/8/PPPPPPPP/NRBNKBRQ w GBgb - 0 1", true},
    {"1r1k1r2/8/8/8/8/8/8/1RK2R2 w FBfb - 0 1", true},
    {"rk1r4/8/8/8/8/8/8/RK1R4 w DAda - 0 1", true},
    {"4rkr1/8/8/8/8/8/8/4RKR1 b GEge - 0 1", true},
    {"1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9", true},
};
enum { START_COUNT = sizeof STARTS / sizeof STARTS[0] };

int walk_positions(int games, int plies, void (*visit)(Position *pos, void *user), void *user) {
    uint64_t state = 1;
    int visited = 0;
    for (int game = 0; game < games; game++) {
        const Start *start = &STARTS[game % START_COUNT];
        Position pos;
        FenError err;
        ck_assert_msg(fen_parse(&pos, start->fen, start->chess960, &err), "%s: %s", start->fen,
                      err.text);
        for (int ply = 0; ply < plies; ply++) {
            Move moves[MAX_MOVES];
            int count = movegen_legal(&pos, moves);
            if (count == 0)
                break;
            visit(&pos, user);
            visited++;
            Undo undo;
            position_make(&pos, moves[random_next(&state) % (uint64_t)count], &undo);
        }
    }
    return visited;
}

const char *walk_fen(const Position *pos) {
    static char text[FEN_MAX];
    fen_format(pos, text);
    return text;
}
