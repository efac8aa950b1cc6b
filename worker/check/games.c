/* SPDX-License-Identifier: MIT */
/* Checks of the positions that games lead to, and of whole games. */

#include "base/count.h"
#include "check/examination.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "chess/movegen.h"

void check_positions(Examination *e, Finding *f) {
    static const char *const FENS[] = {
        NULL,                                                   /* "startpos" */
        "8/5P2/8/8/8/k7/8/K7 w - - 0 1",                        /* a promotion */
        "4k3/8/8/8/8/8/1p6/R3K3 b - - 0 1",                     /* a promotion with capture */
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",                    /* en passant, in check */
        "4k3/8/8/8/4r3/3n4/8/4K3 w - - 0 1",                    /* double check */
        "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1",   /* castling */
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", /* 218 moves */
        "8/8/4k3/8/8/4K3/4R3/8 w - - 99 120",                   /* fifty moves are near */
        "k7/8/8/8/8/8/1r6/K7 w - - 0 1",                        /* a single legal move */
    };
    SearchAnswer answer;
    for (size_t i = 0; i < COUNT(FENS); i++) {
        Search search = {.fen = FENS[i], .go = "go depth 2"};
        examine_search(e, &search, &answer, f);
    }
    find(f, CHECK_OK, "%zu positions: promotions, checks, en passant, 218 moves, ...", COUNT(FENS));
}

/* A legal move that makes the game long: quiet if any is, and a pawn's only when fifty moves are
 * near. */
static Move long_move(const Position *position, uint64_t *random) {
    enum { PAWN_DUE_PLIES = 70 };
    Move moves[MAX_MOVES];
    int count = movegen_quiets(position, moves);
    if (count == 0)
        count = movegen_legal(position, moves);
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    int start = (int)((*random >> 33) % (uint64_t)count);
    bool pawn_due = position->rule50 >= PAWN_DUE_PLIES;
    for (int i = 0; i < count; i++) {
        Move move = moves[(start + i) % count];
        if ((piece_type(position->board[move_from(move)]) == PAWN) == pawn_due)
            return move;
    }
    return moves[start];
}

void check_long_game(Examination *e, Finding *f) {
    enum { PLIES = 600 };
    Position position;
    Text moves = {0};
    uint64_t random = 15;
    int plies = 0;
    fen_parse(&position, FEN_STARTPOS, false, NULL);
    while (plies < PLIES) {
        char word[MOVE_UCI_MAX];
        Undo undo;
        Move move = long_move(&position, &random);
        position_make(&position, move, &undo);
        if (!movegen_any(&position))
            break;
        move_to_uci(move, false, word);
        text_addf(&moves, "%s%s", plies > 0 ? " " : "", word);
        plies++;
    }
    Search search = {.fen = FEN_STARTPOS, .moves = text_string(&moves), .go = "go depth 2"};
    SearchAnswer answer;
    if (examine_search(e, &search, &answer, f))
        find(f, CHECK_OK, "a position after %d plies", plies);
    text_free(&moves);
}

void check_game_over(Examination *e, Finding *f) {
    static const struct {
        const char *what;
        const char *fen;
    } ENDS[] = {{"mate", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"},
                {"stalemate", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}};
    Text answers = {0};
    for (size_t i = 0; i < COUNT(ENDS); i++) {
        Error err = {0};
        Search search = {.fen = ENDS[i].fen, .go = "go depth 2"};
        if (!examine_begin(e, &search, "", f))
            break;
        const char *bestmove = dialogue_wait(e->dialogue, "bestmove", e->spec->patience_ms, &err);
        if (bestmove == NULL) {
            find(f, CHECK_WARNS, "in a position of %s: %s; a match does not ask there",
                 ENDS[i].what, err.text);
            examine_drop(e);
        } else
            text_addf(&answers, "%s%s: 'bestmove%s%.20s'", answers.length > 0 ? ", " : "",
                      ENDS[i].what, bestmove[0] != '\0' ? " " : "", bestmove);
    }
    find(f, CHECK_OK, "%s", text_string(&answers));
    text_free(&answers);
}

/* Plays a game of the engine against itself. */
static bool play_game(Examination *e, const char *fen, int plies_max, Finding *f) {
    Error err = {0};
    Text moves = {0};
    bool ok = examine_ready(e, f);
    if (ok && !examine_ask(e, "ucinewgame\nisready\n", "readyok",
                           examine_limit(e, e->deadlines.readyok), &err)) {
        find(f, CHECK_FAILS, "after ucinewgame: %s", err.text);
        ok = false;
    }
    for (int ply = 0; ok && ply < plies_max; ply++) {
        SearchAnswer answer;
        Search search = {.fen = fen, .go = "go depth 2"};
        if (moves.length > 0)
            search.moves = text_string(&moves);
        ok = examine_search(e, &search, &answer, f);
        if (!ok)
            break;
        Undo undo;
        position_make(&e->position, move_from_uci(&e->position, answer.move), &undo);
        if (!movegen_any(&e->position) || e->position.rule50 >= 100)
            break;
        text_addf(&moves, "%s%s", moves.length > 0 ? " " : "", answer.move);
    }
    text_free(&moves);
    return ok;
}

void check_games(Examination *e, Finding *f) {
    enum { GAMES = 3, PLIES = 20 };
    for (int game = 0; game < GAMES; game++)
        if (!play_game(e, FEN_STARTPOS, PLIES, f))
            return;
    find(f, CHECK_OK, "%d games of %d plies against itself, with ucinewgame between them", GAMES,
         PLIES);
}

/* ---- Chess960 ---- */

static void try_chess960(Examination *e, Finding *f) {
    static const Search SEARCHES[] = {
        {.fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
         .go = "go depth 2",
         .chess960 = true},
        {.fen = "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1",
         .moves = "e1g1 e8b8",
         .go = "go depth 2",
         .chess960 = true},
        {.fen = "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1",
         .moves = "e1b1 e8g8",
         .go = "go depth 2",
         .chess960 = true},
        {.fen = "1r3k1r/pppppppp/8/8/8/8/PPPPPPPP/1R3K1R w HBhb - 0 1",
         .go = "go depth 2 searchmoves f1h1",
         .chess960 = true},
        {.fen = "1r3k1r/pppppppp/8/8/8/8/PPPPPPPP/1R3K1R b HBhb - 0 1",
         .go = "go depth 2 searchmoves f8b8",
         .chess960 = true},
    };
    SearchAnswer answer;
    for (size_t i = 0; i < COUNT(SEARCHES); i++)
        examine_search(e, &SEARCHES[i], &answer, f);
    Finding x_fen = {0};
    Search search = {.fen = "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w KQkq - 0 1",
                     .moves = "e1g1",
                     .go = "go depth 2",
                     .chess960 = true};
    if (!examine_search(e, &search, &answer, &x_fen))
        find(f, CHECK_WARNS, "castling rights as KQkq (X-FEN): %s", text_string(&x_fen.text));
    text_free(&x_fen.text);
}

void check_chess960(Examination *e, Finding *f) {
    Error err = {0};
    if (examine_option(e, "UCI_Chess960") == NULL) {
        find(f, CHECK_LEFT_OUT, "no option UCI_Chess960: the engine plays standard chess alone");
        return;
    }
    if (!examine_ready(e, f))
        return;
    if (!examine_ask(e, "setoption name UCI_Chess960 value true\nisready\n", "readyok",
                     examine_limit(e, e->deadlines.readyok), &err)) {
        find(f, CHECK_FAILS, "UCI_Chess960=true: %s", err.text);
        return;
    }
    e->chess960 = true; /* Also a process that takes the place of one that died. */
    try_chess960(e, f);
    e->chess960 = false;
    examine_drop(e);
    find(f, CHECK_OK, "Shredder-FEN, X-FEN, and castling as king takes rook, both ways");
}

/* ---- What the searches said ---- */

void check_scores(Examination *e, Finding *f) {
    if (e->tally.without_score > 0)
        find(f, CHECK_WARNS,
             "%d of %d searches had no 'score cp' or 'score mate': such games are "
             "not adjudicated",
             e->tally.without_score, e->tally.searches);
    find(f, CHECK_OK, "each of %d searches had a score", e->tally.searches);
}

void check_lines(Examination *e, Finding *f) {
    if (e->tally.wrong_lines > 0)
        find(f, CHECK_WARNS, "%d of %d are not legal; the first: %s", e->tally.wrong_lines,
             e->tally.lines, e->tally.wrong_line);
    if (e->tally.lines == 0)
        find(f, CHECK_WARNS, "no search had a pv");
    find(f, CHECK_OK, "%d principal variations, each legal", e->tally.lines);
}
