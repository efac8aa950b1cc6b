/* SPDX-License-Identifier: MIT */
/* Just enough chess for a small engine of another make: it plays the first legal move, its own
 * castling and en passant left out. The common part of C and C++. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SQUARES = 120, MOVES = 256 };

typedef struct {
    char at[SQUARES]; /* 10 x 12, '#' around; "PNBRQKpnbrqk" and '.' */
    int white;
} Board;

static int small_square(const char *name) {
    return 21 + (name[0] - 'a') + 10 * (name[1] - '1');
}

static int small_is_own(const Board *b, char piece) {
    return b->white ? piece >= 'A' && piece <= 'Z' : piece >= 'a' && piece <= 'z';
}

static void small_read(Board *b, const char *fen) {
    memset(b->at, '#', sizeof b->at);
    int rank = 7, file = 0;
    for (; *fen && *fen != ' '; fen++) {
        if (*fen == '/') {
            rank--;
            file = 0;
        } else if (*fen >= '1' && *fen <= '8') {
            for (int n = *fen - '0'; n > 0; n--)
                b->at[21 + file++ + 10 * rank] = '.';
        } else {
            b->at[21 + file++ + 10 * rank] = *fen;
        }
    }
    b->white = strncmp(fen, " w", 2) == 0;
}

static void small_make(Board *b, int from, int to, char promoted) {
    char piece = b->at[from];
    int pawn = piece == 'P' || piece == 'p';
    if (pawn && (to - from) % 10 != 0 && b->at[to] == '.') /* en passant */
        b->at[from / 10 * 10 + to % 10] = '.';
    if ((piece == 'K' || piece == 'k') && abs(to - from) == 2) { /* castling */
        int rook = to > from ? from + 3 : from - 4;
        b->at[(from + to) / 2] = b->at[rook];
        b->at[rook] = '.';
    }
    b->at[to] = piece;
    b->at[from] = '.';
    if (promoted)
        b->at[to] = (char)(b->white ? promoted - 'a' + 'A' : promoted);
    b->white = !b->white;
}

/* Pseudo-legal moves of the side to move, as from * 120 + to. Returns their number, -1 when the
 * king can be taken. */
static int small_moves(const Board *b, int *out) {
    static const int steps[] = {1, -1, 10, -10, 11, -11, 9, -9, 21, -21, 19, -19, 12, -12, 8, -8};
    int count = 0;
    for (int from = 21; from < 99; from++) {
        char piece = b->at[from];
        char kind = (char)(piece | 32);
        if (!small_is_own(b, piece))
            continue;
        int forward = b->white ? 10 : -10;
        for (int i = 0; i < 16; i++) {
            int step = steps[i];
            int diagonal = i >= 4 && i < 8;
            int reach = kind == 'n' || kind == 'k' ? 1 : 7;
            if (kind == 'p') {
                int home = b->white ? from < 39 : from > 80;
                reach = step == forward ? 1 + home : diagonal && step * forward > 0 ? 1 : 0;
            } else if ((kind == 'n') != (i >= 8) || (kind == 'r' && diagonal) ||
                       (kind == 'b' && i < 4)) {
                continue;
            }
            for (int to = from + step; reach > 0; to += step, reach--) {
                char target = b->at[to];
                int empty = target == '.';
                if (target == '#' || small_is_own(b, target) ||
                    (kind == 'p' && empty != (step == forward)))
                    break;
                if (target == 'k' || target == 'K')
                    return -1;
                if (count < MOVES)
                    out[count++] = from * SQUARES + to;
                if (!empty)
                    break;
            }
        }
    }
    return count;
}

/* Writes the first legal move, "0000" when there is none. */
static void small_choose(const Board *b, char word[6]) {
    int moves[MOVES];
    int replies[MOVES];
    int count = small_moves(b, moves);
    strcpy(word, "0000");
    for (int i = 0; i < count; i++) {
        int from = moves[i] / SQUARES;
        int to = moves[i] % SQUARES;
        Board next = *b;
        int last = (b->at[from] == 'P' && to > 90) || (b->at[from] == 'p' && to < 30);
        small_make(&next, from, to, last ? 'q' : '\0');
        if (small_moves(&next, replies) < 0)
            continue;
        snprintf(word, 6, "%c%c%c%c%s", 'a' + from % 10 - 1, '1' + from / 10 - 2, 'a' + to % 10 - 1,
                 '1' + to / 10 - 2, last ? "q" : "");
        return;
    }
}

/* "position fen ... moves ..." or "position startpos moves ..." */
static void small_position(Board *b, char *line) {
    char *fen = strstr(line, "fen ");
    char *moves = strstr(line, " moves ");
    small_read(b, fen ? fen + 4 : "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w");
    for (char *word = moves ? strtok(moves + 7, " \r\n") : NULL; word; word = strtok(NULL, " \r\n"))
        small_make(b, small_square(word), small_square(word + 2), word[4]);
}
