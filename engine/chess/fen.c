/* SPDX-License-Identifier: MIT */
#include "chess/fen.h"

#include <ctype.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char fen_letters[PIECE_COUNT + 1] = "PpNnBbRrQqKk";

enum { COUNTER_DIGITS = 4, PIECES_MAX = 16, PAWNS_MAX = 8 };

/* A field of the text, and its end. */
typedef struct {
    const char *text;
    int length;
} Field;

enum { FIELD_BOARD, FIELD_SIDE, FIELD_CASTLING, FIELD_EP, FIELD_RULE50, FIELD_FULLMOVE, FIELDS };
enum { EPD_FIELDS = 4 };

__attribute__((format(printf, 2, 3))) static bool fault(FenError *err, const char *format, ...) {
    if (err) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return false;
}

/* A field as a message shows it: short and printable. */
typedef struct {
    char text[24];
} Quote;

static Quote quote(Field field) {
    enum { SHOWN = 16 };
    Quote q;
    int n = 0;
    for (; n < field.length && n < SHOWN; n++)
        q.text[n] = isprint((unsigned char)field.text[n]) ? field.text[n] : '?';
    snprintf(q.text + n, sizeof q.text - (size_t)n, "%s", field.length > SHOWN ? "..." : "");
    return q;
}

static Quote quote_char(const char *c) {
    return quote((Field){c, 1});
}

typedef struct {
    char text[3];
} SquareName;

static SquareName square_name(Square s) {
    return (SquareName){{(char)('a' + square_file(s)), (char)('1' + square_rank(s)), '\0'}};
}

static const char *color_name(Color c) {
    return c == WHITE ? "White" : "Black";
}

/* Splits at blanks; returns the number of fields, at most one more than there should be. */
static int split(const char *text, Field fields[FIELDS + 1]) {
    int count = 0;
    while (count <= FIELDS) {
        while (isspace((unsigned char)*text))
            text++;
        if (!*text)
            break;
        const char *start = text;
        while (*text && !isspace((unsigned char)*text))
            text++;
        ptrdiff_t length = text - start;
        /* No valid field is long: the parser of a field refuses a text that is cut here. */
        fields[count++] = (Field){start, length < FEN_MAX ? (int)length : FEN_MAX};
    }
    return count;
}

/* Reads one rank, at *at; moves *at behind it. */
static bool parse_rank(Position *pos, Field field, int *at, int rank, FenError *err) {
    int file = 0;
    bool after_number = false;
    for (; *at < field.length && field.text[*at] != '/'; (*at)++) {
        const char *c = &field.text[*at];
        bool number = *c >= '1' && *c <= '8';
        if (number) {
            if (after_number)
                return fault(err, "board: rank %d has two numbers in a row", rank + 1);
            file += *c - '0';
        } else {
            const char *letter = strchr(fen_letters, *c);
            if (!letter)
                return fault(err, "board: rank %d: unknown piece '%s'", rank + 1,
                             quote_char(c).text);
            if (file < 8)
                position_put(pos, (Piece)(letter - fen_letters), square_make(file, rank));
            file++;
        }
        after_number = number;
        if (file > 8)
            return fault(err, "board: rank %d has more than 8 files", rank + 1);
    }
    if (file < 8)
        return fault(err, "board: rank %d has %d file%s instead of 8", rank + 1, file,
                     file == 1 ? "" : "s");
    return true;
}

static bool parse_board(Position *pos, Field field, FenError *err) {
    int at = 0;
    for (int rank = 7; rank >= 0; rank--) {
        if (!parse_rank(pos, field, &at, rank, err))
            return false;
        if (rank > 0) {
            if (at >= field.length)
                return fault(err, "board: %d rank%s instead of 8", 8 - rank, rank == 7 ? "" : "s");
            at++;
        }
    }
    if (at < field.length)
        return fault(err, "board: more than 8 ranks");
    return true;
}

/* Pieces that can only have come from promotions: more than the game starts with. */
static int promoted_pieces(const Position *pos, Color c) {
    static const int AT_START[PIECE_TYPE_COUNT] = {
        [KNIGHT] = 2, [BISHOP] = 2, [ROOK] = 2, [QUEEN] = 1};
    int promoted = 0;
    for (PieceType t = KNIGHT; t <= QUEEN; t++) {
        int excess = bb_popcount(position_pieces(pos, c, t)) - AT_START[t];
        promoted += excess > 0 ? excess : 0;
    }
    return promoted;
}

static bool check_material(const Position *pos, FenError *err) {
    for (Color c = WHITE; c <= BLACK; c++) {
        int kings = bb_popcount(position_pieces(pos, c, KING));
        int pawns = bb_popcount(position_pieces(pos, c, PAWN));
        int pieces = bb_popcount(pos->by_color[c]);
        if (kings == 0)
            return fault(err, "board: %s has no king", color_name(c));
        if (kings > 1)
            return fault(err, "board: %s has %d kings", color_name(c), kings);
        if (pawns > PAWNS_MAX)
            return fault(err, "board: %s has %d pawns, more than 8", color_name(c), pawns);
        if (pieces > PIECES_MAX)
            return fault(err, "board: %s has %d pieces, more than 16", color_name(c), pieces);
        if (pawns + promoted_pieces(pos, c) > PAWNS_MAX)
            return fault(err, "board: %s has too many pieces for %d pawn%s left to promote",
                         color_name(c), PAWNS_MAX - pawns, pawns == PAWNS_MAX - 1 ? "" : "s");
    }
    Bitboard misplaced = pos->by_type[PAWN] & (bb_rank(0) | bb_rank(7));
    if (misplaced)
        return fault(err, "board: pawn on %s, on the first or last rank",
                     square_name(bb_lsb(misplaced)).text);
    return true;
}

static bool parse_side(Position *pos, Field field, FenError *err) {
    if (field.length != 1 || (field.text[0] != 'w' && field.text[0] != 'b'))
        return fault(err, "side to move: '%s' is neither w nor b", quote(field).text);
    pos->stm = field.text[0] == 'b';
    return true;
}

/* The rook that a castling letter means: the outermost one on a side for K and Q, the one on a
 * file for the file's letter. SQUARE_NONE when there is none. */
static Square castling_rook(const Position *pos, Color c, char letter) {
    Bitboard rooks = position_pieces(pos, c, ROOK) & bb_relative_rank(c, 0);
    Square king = position_king(pos, c);
    Bitboard east = rooks & ~(bb_square(king) | (bb_square(king) - 1));
    Bitboard west = rooks & (bb_square(king) - 1);
    if (letter == 'K')
        return east ? bb_msb(east) : SQUARE_NONE;
    if (letter == 'Q')
        return west ? bb_lsb(west) : SQUARE_NONE;
    rooks &= bb_file(letter - 'A');
    return rooks ? bb_lsb(rooks) : SQUARE_NONE;
}

/* The squares that king and rook pass or come to stand on, their own left out. */
static Bitboard castle_empty(Color c, int side, Square king, Square rook) {
    Square king_to = square_relative(c, side == CASTLE_KING_SIDE ? SQUARE_G1 : SQUARE_C1);
    Square rook_to = square_relative(c, side == CASTLE_KING_SIDE ? SQUARE_F1 : SQUARE_D1);
    Bitboard passed = attacks_between(king, king_to) | attacks_between(rook, rook_to) |
                      bb_square(king_to) | bb_square(rook_to);
    return passed & ~(bb_square(king) | bb_square(rook));
}

static bool parse_castling_letter(Position *pos, const char *text, FenError *err) {
    char shown = *text;
    char letter = (char)toupper((unsigned char)shown);
    if (letter != 'K' && letter != 'Q' && (letter < 'A' || letter > 'H'))
        return fault(err, "castling rights: unknown letter '%s'", quote_char(text).text);
    Color c = islower((unsigned char)shown) ? BLACK : WHITE;
    Square king = position_king(pos, c);
    int file = square_file(king);
    if (!bb_has(bb_relative_rank(c, 0), king))
        return fault(err, "castling rights: %c, but the king of %s is on %s", shown, color_name(c),
                     square_name(king).text);
    Square rook = castling_rook(pos, c, letter);
    if (rook == SQUARE_NONE)
        return fault(err, "castling rights: %c, but %s has no such rook", shown, color_name(c));
    int side = rook > king ? CASTLE_KING_SIDE : CASTLE_QUEEN_SIDE;
    int usual = side == CASTLE_KING_SIDE ? 7 : 0;
    if (!pos->chess960 && (file != 4 || square_file(rook) != usual))
        return fault(err,
                     "castling rights: %c, but king and rook stand on %s and %s, which only "
                     "Chess960 allows",
                     shown, square_name(king).text, square_name(rook).text);
    if (file == 0 || file == 7)
        return fault(err, "castling rights: %c, but no game starts with a king on %s", shown,
                     square_name(king).text);
    int right = castle_index(c, side);
    if (pos->castling & (1 << right))
        return fault(err, "castling rights: %c names a side that has its right already", shown);
    pos->castling = (uint8_t)(pos->castling | 1 << right);
    pos->castle_rook[right] = (uint8_t)rook;
    pos->castle_squares |= bb_square(king) | bb_square(rook);
    pos->castle_empty[right] = castle_empty(c, side, king, rook);
    return true;
}

static bool parse_castling(Position *pos, Field field, FenError *err) {
    if (field.length == 1 && field.text[0] == '-')
        return true;
    if (field.length > CASTLE_COUNT)
        return fault(err, "castling rights: '%s' is longer than four letters", quote(field).text);
    for (int i = 0; i < field.length; i++)
        if (!parse_castling_letter(pos, &field.text[i], err))
            return false;
    return true;
}

/* Whether the last move can have been the pawn's two steps over `ep`: its pawn is there, the
 * squares it came over are empty, and before it moved the side now to move was in no check. */
static bool pawn_can_have_passed(const Position *pos, Square ep) {
    Color them = pos->stm ^ 1;
    Square pawn = ep ^ 8;
    Square origin = pawn ^ 16;
    Bitboard occ = position_occupied(pos);
    Square king = position_king(pos, pos->stm);
    if (pos->board[pawn] != piece_make(them, PAWN) || bb_has(occ, ep) || bb_has(occ, origin))
        return false;
    occ = (occ ^ bb_square(pawn)) | bb_square(origin);
    Bitboard attackers = position_attackers(pos, king, occ);
    return !(attackers & pos->by_color[them] & ~bb_square(pawn)) &&
           !bb_has(attacks_pawn(them, origin), king);
}

/* Sets pos->ep where a capture is legal. */
static bool parse_en_passant(Position *pos, Field field, FenError *err) {
    pos->ep = SQUARE_NONE;
    if (field.length == 1 && field.text[0] == '-')
        return true;
    const char *t = field.text;
    if (field.length != 2 || t[0] < 'a' || t[0] > 'h' || t[1] < '1' || t[1] > '8')
        return fault(err, "en passant: '%s' is neither a square nor -", quote(field).text);
    Square ep = square_make(t[0] - 'a', t[1] - '1');
    if (!bb_has(bb_relative_rank(pos->stm, 5), ep))
        return fault(err, "en passant: %s is not on rank %d, where %s could capture",
                     square_name(ep).text, pos->stm == WHITE ? 6 : 3, color_name(pos->stm));
    if (!pawn_can_have_passed(pos, ep))
        return fault(err, "en passant: no pawn can just have passed %s", square_name(ep).text);
    if (position_can_capture_en_passant(pos, pos->stm, ep))
        pos->ep = (uint8_t)ep;
    return true;
}

static bool parse_counter(uint16_t *value, Field field, const char *name, FenError *err) {
    int n = 0;
    bool good = field.length > 0 && field.length <= COUNTER_DIGITS;
    for (int i = 0; i < field.length && good; i++) {
        good = field.text[i] >= '0' && field.text[i] <= '9';
        n = n * 10 + (field.text[i] - '0');
    }
    if (!good)
        return fault(err, "%s: '%s' is not a number from 0 to %d", name, quote(field).text,
                     FEN_COUNTER_MAX);
    *value = (uint16_t)n;
    return true;
}

static bool check_checks(Position *pos, FenError *err) {
    Color us = pos->stm;
    Bitboard occ = position_occupied(pos);
    if (position_attacked(pos, position_king(pos, us ^ 1), us, occ))
        return fault(err, "%s is to move, and could capture the king on %s", color_name(us),
                     square_name(position_king(pos, us ^ 1)).text);
    position_refresh_checks(pos);
    if (bb_popcount(pos->checkers) > 2)
        return fault(err, "the king on %s is in check from %d pieces, which no move can give",
                     square_name(position_king(pos, us)).text, bb_popcount(pos->checkers));
    return true;
}

static bool count_fault(int count, FenError *err) {
    if (count == 0)
        return fault(err, "no position: the text is empty");
    if (count > FIELDS)
        return fault(err, "more than 6 fields: a position has 4 or 6");
    return fault(err, "%d field%s: a position has 4 or 6", count, count == 1 ? "" : "s");
}

bool fen_parse(Position *pos, const char *fen, bool chess960, FenError *err) {
    Field f[FIELDS + 1];
    int count = split(fen, f);
    if (count != FIELDS && count != EPD_FIELDS)
        return count_fault(count, err);
    memset(pos, 0, sizeof *pos);
    memset(pos->board, PIECE_NONE, sizeof pos->board);
    memset(pos->castle_rook, SQUARE_NONE, sizeof pos->castle_rook);
    pos->chess960 = chess960;
    pos->fullmove = 1;
    if (!parse_board(pos, f[FIELD_BOARD], err) || !check_material(pos, err) ||
        !parse_side(pos, f[FIELD_SIDE], err) || !parse_castling(pos, f[FIELD_CASTLING], err) ||
        !check_checks(pos, err) || !parse_en_passant(pos, f[FIELD_EP], err))
        return false;
    if (count == FIELDS && (!parse_counter(&pos->rule50, f[FIELD_RULE50], "halfmove clock", err) ||
                            !parse_counter(&pos->fullmove, f[FIELD_FULLMOVE], "move number", err)))
        return false;
    if (pos->fullmove == 0)
        pos->fullmove = 1;
    pos->key = position_compute_key(pos);
    pos->pawn_key = position_compute_pawn_key(pos);
    return true;
}

/* Writes the board's eight ranks; returns the end. */
static char *format_board(const Position *pos, char *out) {
    for (int rank = 7; rank >= 0; rank--) {
        int empty = 0;
        for (int file = 0; file < 8; file++) {
            Piece piece = pos->board[square_make(file, rank)];
            if (piece == PIECE_NONE) {
                empty++;
                continue;
            }
            if (empty)
                *out++ = (char)('0' + empty);
            empty = 0;
            *out++ = fen_letters[piece];
        }
        if (empty)
            *out++ = (char)('0' + empty);
        if (rank > 0)
            *out++ = '/';
    }
    return out;
}

static char *format_castling(const Position *pos, char *out) {
    static const char LETTERS[] = "KQkq"; /* by castle_index */
    if (!pos->castling)
        *out++ = '-';
    for (int right = 0; right < CASTLE_COUNT; right++) {
        if (!(pos->castling & (1 << right)))
            continue;
        char base = right < castle_index(BLACK, 0) ? 'A' : 'a';
        *out++ =
            pos->chess960 ? (char)(base + square_file(pos->castle_rook[right])) : LETTERS[right];
    }
    return out;
}

uint16_t fen_counter(uint16_t count) {
    return count < FEN_COUNTER_MAX ? count : FEN_COUNTER_MAX;
}

void fen_format(const Position *pos, char out[FEN_MAX]) {
    char *at = format_board(pos, out);
    *at++ = ' ';
    *at++ = pos->stm == WHITE ? 'w' : 'b';
    *at++ = ' ';
    at = format_castling(pos, at);
    snprintf(at, (size_t)(out + FEN_MAX - at), " %s %d %d",
             pos->ep == SQUARE_NONE ? "-" : square_name(pos->ep).text, fen_counter(pos->rule50),
             fen_counter(pos->fullmove));
}
