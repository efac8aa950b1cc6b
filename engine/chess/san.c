/* SPDX-License-Identifier: MIT */
#include "chess/san.h"

#include <string.h>

#include "chess/move.h"
#include "chess/movegen.h"

static const char PIECE_LETTERS[] = "PNBRQK"; /* by PieceType */

/* Can other pieces of the same kind go to the same square, and do they share this one's file or
 * rank?
 */
typedef struct {
    bool any;
    bool same_file;
    bool same_rank;
} Rivals;

static Rivals find_rivals(const Position *pos, Move move) {
    Rivals r = {false, false, false};
    Square from = move_from(move);
    Square to = move_to(move);
    PieceType type = piece_type(pos->board[from]);
    Bitboard others = attacks_from(type, to, position_occupied(pos)) &
                      position_pieces(pos, pos->stm, type) & ~bb_square(from);
    while (others) {
        Square s = bb_pop_lsb(&others);
        if (!move_is_legal(pos, move_make(s, to, MOVE_NORMAL)))
            continue;
        r.any = true;
        r.same_file |= square_file(s) == square_file(from);
        r.same_rank |= square_rank(s) == square_rank(from);
    }
    return r;
}

static char *write_square(char *out, Square s) {
    *out++ = (char)('a' + square_file(s));
    *out++ = (char)('1' + square_rank(s));
    return out;
}

static char *write_piece_move(const Position *pos, Move move, char *out) {
    Square from = move_from(move);
    Rivals r = find_rivals(pos, move);
    *out++ = PIECE_LETTERS[piece_type(pos->board[from])];
    if (r.any && (!r.same_file || r.same_rank))
        *out++ = (char)('a' + square_file(from));
    if (r.same_file)
        *out++ = (char)('1' + square_rank(from));
    if (move_is_capture(pos, move))
        *out++ = 'x';
    return write_square(out, move_to(move));
}

static char *write_promotion(Move move, char *out) {
    if (move_kind(move) == MOVE_PROMOTION) {
        *out++ = '=';
        *out++ = PIECE_LETTERS[move_promotion(move)];
    }
    return out;
}

static char *write_pawn_move(const Position *pos, Move move, char *out) {
    if (move_is_capture(pos, move)) {
        *out++ = (char)('a' + square_file(move_from(move)));
        *out++ = 'x';
    }
    return write_promotion(move, write_square(out, move_to(move)));
}

static char *write_castling(Move move, char *out) {
    return stpcpy(out, move_to(move) > move_from(move) ? "O-O" : "O-O-O");
}

/* Ends the move's text: with + when the move gives check, with # when it mates. */
static void write_end(const Position *pos, Move move, char *out) {
    if (move_gives_check(pos, move)) {
        Position after = *pos;
        Undo undo;
        position_make(&after, move, &undo);
        *out++ = movegen_any(&after) ? '+' : '#';
    }
    *out = '\0';
}

void san_format(const Position *pos, Move move, char out[SAN_MAX]) {
    bool pawn = piece_type(pos->board[move_from(move)]) == PAWN;
    char *end = move_kind(move) == MOVE_CASTLING ? write_castling(move, out)
                : pawn                           ? write_pawn_move(pos, move, out)
                                                 : write_piece_move(pos, move, out);
    write_end(pos, move, end);
}

static char *write_long_move(const Position *pos, Move move, char *out) {
    PieceType type = piece_type(pos->board[move_from(move)]);
    if (type != PAWN)
        *out++ = PIECE_LETTERS[type];
    out = write_square(out, move_from(move));
    *out++ = move_is_capture(pos, move) ? 'x' : '-';
    return write_promotion(move, write_square(out, move_to(move)));
}

void san_format_long(const Position *pos, Move move, char out[SAN_MAX]) {
    char *end = move_kind(move) == MOVE_CASTLING ? write_castling(move, out)
                                                 : write_long_move(pos, move, out);
    write_end(pos, move, end);
}

/* The parts of a move's text; -1 for a part that is not there. */
typedef struct {
    PieceType type;
    int from_file;
    int from_rank;
    Square to;
    PieceType promotion;
    int castling; /* castle side */
} Pattern;

/* The piece a capital letter stands for, -1 when none. */
static PieceType letter_type(char c) {
    const char *found = c ? strchr(PIECE_LETTERS, c) : NULL;
    return found ? (PieceType)(found - PIECE_LETTERS) : -1;
}

/* The length of the text without check marks and comments of one or two characters at its end. */
static size_t bare_length(const char *text) {
    size_t length = strlen(text);
    while (length > 0 && strchr("+#!?", text[length - 1]))
        length--;
    return length;
}

static bool parse_castling(const char *text, size_t length, Pattern *p) {
    static const char *const WRITTEN[2][2] = {{"O-O", "0-0"}, {"O-O-O", "0-0-0"}};
    for (int side = CASTLE_KING_SIDE; side <= CASTLE_QUEEN_SIDE; side++)
        for (int i = 0; i < 2; i++)
            if (strlen(WRITTEN[side][i]) == length && !strncmp(text, WRITTEN[side][i], length)) {
                p->castling = side;
                return true;
            }
    return false;
}

/* Reads from the end: promotion, target square, x, then the origin's file and rank, which tell the
 * piece from others. */
static bool parse_pattern(const char *text, Pattern *p) {
    *p = (Pattern){PAWN, -1, -1, SQUARE_NONE, -1, -1};
    size_t n = bare_length(text);
    if (parse_castling(text, n, p))
        return true;
    size_t at = 0;
    if (n > 0 && letter_type(text[0]) > PAWN) {
        p->type = letter_type(text[0]);
        at = 1;
    }
    if (n > at && p->type == PAWN && letter_type(text[n - 1]) >= KNIGHT) {
        p->promotion = letter_type(text[n - 1]);
        n--;
        n -= n > at && text[n - 1] == '=';
    }
    if (n < at + 2 || text[n - 2] < 'a' || text[n - 2] > 'h' || text[n - 1] < '1' ||
        text[n - 1] > '8')
        return false;
    p->to = square_make(text[n - 2] - 'a', text[n - 1] - '1');
    n -= 2;
    n -= n > at && (text[n - 1] == 'x' || text[n - 1] == '-');
    if (at < n && text[at] >= 'a' && text[at] <= 'h')
        p->from_file = text[at++] - 'a';
    if (at < n && text[at] >= '1' && text[at] <= '8')
        p->from_rank = text[at++] - '1';
    return at == n;
}

static bool matches(const Position *pos, Move move, const Pattern *p) {
    Square from = move_from(move);
    if (move_kind(move) == MOVE_CASTLING)
        return p->castling == (move_to(move) > from ? CASTLE_KING_SIDE : CASTLE_QUEEN_SIDE);
    PieceType promotion = move_kind(move) == MOVE_PROMOTION ? move_promotion(move) : -1;
    return p->castling < 0 && p->type == piece_type(pos->board[from]) && p->to == move_to(move) &&
           p->promotion == promotion && (p->from_file < 0 || p->from_file == square_file(from)) &&
           (p->from_rank < 0 || p->from_rank == square_rank(from));
}

Move san_parse(const Position *pos, const char *text) {
    Pattern pattern;
    if (!parse_pattern(text, &pattern))
        return MOVE_NONE;
    Move moves[MAX_MOVES];
    Move found = MOVE_NONE;
    int count = movegen_legal(pos, moves);
    for (int i = 0; i < count; i++) {
        if (!matches(pos, moves[i], &pattern))
            continue;
        if (found != MOVE_NONE)
            return MOVE_NONE;
        found = moves[i];
    }
    return found;
}
