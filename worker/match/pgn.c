/* SPDX-License-Identifier: MIT */
#include "match/pgn.h"

#include <string.h>

#include "base/clock.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "chess/san.h"

enum { LINE_LENGTH_MAX = 79 }; /* printable characters of a line, as PGN asks */

/* --- Tags --- */

/* Appends [Name "value"], with backslashes before the characters that would end the value. */
static void add_tag(Text *out, const char *name, const char *value) {
    text_addf(out, "[%s \"", name);
    for (const char *s = value; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            text_add_char(out, '\\');
        text_add_char(out, c < 0x20 || c == 0x7f ? ' ' : *s);
    }
    text_add(out, "\"]\n");
}

static void add_number_tag(Text *out, const char *name, int64_t value) {
    text_addf(out, "[%s \"%lld\"]\n", name, (long long)value);
}

/* The seven tags that every game has, in PGN's order. */
static void add_roster(const PgnGame *game, Text *out) {
    char date[CLOCK_DATE_MAX] = "????.??.??";
    if (game->started)
        clock_date(game->started, date);
    add_tag(out, "Event", game->event ? game->event : "?");
    add_tag(out, "Site", game->site ? game->site : "?");
    add_tag(out, "Date", date);
    add_number_tag(out, "Round", game->round);
    add_tag(out, "White", game->white);
    add_tag(out, "Black", game->black);
    add_tag(out, "Result", game->result);
}

static void add_start_tags(const PgnGame *game, Text *out) {
    if (strcmp(game->fen, FEN_STARTPOS) != 0) {
        add_tag(out, "SetUp", "1");
        add_tag(out, "FEN", game->fen);
    }
    if (game->chess960)
        add_tag(out, "Variant", "Chess960");
}

/* The tags of the start, the end and the duration. With PGN_VERBOSE only the end is written. */
static void add_time_tags(const PgnGame *game, PgnStyle style, Text *out) {
    char stamp[CLOCK_STAMP_MAX];
    if (!game->started || !game->ended || style == PGN_COMPACT)
        return;
    if (style == PGN_FULL) {
        char duration[CLOCK_DURATION_MAX];
        clock_duration((int64_t)(game->ended - game->started), duration);
        add_tag(out, "GameDuration", duration);
        clock_stamp(game->started, stamp);
        add_tag(out, "GameStartTime", stamp);
    }
    clock_stamp(game->ended, stamp);
    add_tag(out, "GameEndTime", stamp);
}

/* The tags of the time controls. Servers keep only the tag of a common time control. */
static void add_time_control_tags(const PgnGame *game, PgnStyle style, Text *out) {
    if (!game->time_control[WHITE] || !game->time_control[BLACK])
        return;
    char white[TIMECONTROL_TEXT_MAX];
    char black[TIMECONTROL_TEXT_MAX];
    timecontrol_format_pgn(game->time_control[WHITE], white);
    timecontrol_format_pgn(game->time_control[BLACK], black);
    if (strcmp(white, black) == 0) {
        add_tag(out, "TimeControl", white);
    } else if (style == PGN_FULL) {
        add_tag(out, "WhiteTimeControl", white);
        add_tag(out, "BlackTimeControl", black);
    }
}

static void add_scale_tag(const PgnGame *game, Text *out) {
    if (game->scale_factor > 0)
        text_addf(out, "[ScaleFactor \"%.4f\"]\n", game->scale_factor);
}

/* The tags that servers keep, in the order of OpenBench's own client. */
static void add_server_tags(const PgnGame *game, PgnStyle style, Text *out) {
    bool moved = strcmp(game->fen, FEN_STARTPOS) != 0;
    if (moved)
        add_tag(out, "FEN", game->fen);
    add_time_control_tags(game, style, out);
    if (game->chess960)
        add_tag(out, "Variant", "Chess960");
    add_scale_tag(game, out);
    if (moved)
        add_tag(out, "SetUp", "1");
    add_time_tags(game, style, out);
}

static void add_tags(const PgnGame *game, PgnStyle style, Text *out) {
    add_roster(game, out);
    if (style != PGN_FULL) {
        add_server_tags(game, style, out);
        text_add_char(out, '\n');
        return;
    }
    add_start_tags(game, out);
    add_time_tags(game, style, out);
    add_number_tag(out, "PlyCount", (int64_t)game->move_count);
    add_tag(out, "Termination", game->termination ? game->termination : "unterminated");
    add_time_control_tags(game, style, out);
    add_scale_tag(game, out);
    text_add_char(out, '\n');
}

/* --- Moves --- */

/* A line being filled. */
typedef struct {
    Text *out;
    size_t column;
} Lines;

/* Adds a word, on a new line if the present line is too short. */
static void add_word(Lines *lines, const char *word, size_t length) {
    if (lines->column && lines->column + 1 + length > LINE_LENGTH_MAX) {
        text_add_char(lines->out, '\n');
        lines->column = 0;
    } else if (lines->column) {
        text_add_char(lines->out, ' ');
        lines->column++;
    }
    text_add_bytes(lines->out, word, length);
    lines->column += length;
}

/* The length of the word at `s` with the words after it that begin with '%'. Readers of PGN skip a
 * line that begins so, and would skip the end of a comment with it. */
static size_t unbroken_length(const char *s) {
    size_t length = strcspn(s, " ");
    while (s[length] == ' ' && s[length + 1] == '%')
        length += 1 + strcspn(s + length + 1, " ");
    return length;
}

/* Adds words that belong together: all on one line if one line can hold them. */
static void add_phrase(Lines *lines, const Text *phrase) {
    const char *s = text_string(phrase);
    if (phrase->length <= LINE_LENGTH_MAX) {
        add_word(lines, s, phrase->length);
        return;
    }
    while (*s) {
        size_t length = unbroken_length(s);
        add_word(lines, s, length);
        s += length + (s[length] == ' ');
    }
}

/* Adds text inside braces: on one line, and without a closing brace. */
static void add_comment_text(Text *out, const char *text) {
    for (const char *s = text; *s; s++) {
        unsigned char c = (unsigned char)*s;
        text_add_char(out, *s == '}' ? ')' : c < 0x20 || c == 0x7f ? ' ' : *s);
    }
}

/* Appends +0.25, -M4 or 0.00. A mate in m moves of the mover is 2m - 1 plies away, a mate against
   the mover 2m. */
static void add_score(Text *out, const MoveScore *score) {
    long long value = score->value;
    if (score->is_mate && value > 0)
        text_addf(out, "+M%lld", 2 * value - 1);
    else if (score->is_mate)
        text_addf(out, "-M%lld", -2 * value);
    else if (value == 0)
        text_add(out, "0.00");
    else
        text_addf(out, "%+.2f", (double)value / 100);
}

static void add_move_text(const Position *pos, Move move, const PgnGame *game, Text *out) {
    char text[SAN_MAX];
    if (game->notation == PGN_UCI)
        move_to_uci(move, game->chess960, text);
    else if (game->notation == PGN_LAN)
        san_format_long(pos, move, text);
    else
        san_format(pos, move, text);
    text_add(out, text);
}

/* Appends ", pv=Nf3 d5" up to the first illegal move. Appends nothing when the variation does not
 * begin with the played move, since an engine may play another move. */
static void add_variation(const PgnMove *move, const Position *before, const PgnGame *game,
                          Text *out) {
    Position pos = *before;
    Words words = {0};
    bool ok = words_split(&words, move->pv, NULL);
    for (size_t i = 0; ok && i < words.count; i++) {
        Undo undo;
        Move next = move_from_uci(&pos, words.items[i]);
        ok = next != MOVE_NONE && (i > 0 || next == move->move);
        if (!ok)
            break;
        text_add(out, i == 0 ? ", pv=" : " ");
        add_move_text(&pos, next, game, out);
        position_make(&pos, next, &undo);
    }
    words_free(&words);
}

/* Appends what the engine told of the move besides its score. */
static void add_facts(const PgnMove *move, const Position *pos, const PgnGame *game, PgnStyle style,
                      Text *out) {
    text_addf(out, " %lld.%03ds", (long long)(move->elapsed_ms / CLOCK_MS_PER_SECOND),
              (int)(move->elapsed_ms % CLOCK_MS_PER_SECOND));
    if (move->nodes >= 0)
        text_addf(out, ", n=%lld", (long long)move->nodes);
    if (move->seldepth > 0)
        text_addf(out, ", sd=%d", move->seldepth);
    if (move->hashfull > 0 && style == PGN_FULL)
        text_addf(out, ", hashfull=%d", move->hashfull);
    if (move->pv != NULL && style == PGN_FULL)
        add_variation(move, pos, game, out);
}

/* Appends the comment of a move. pos: the position before the move. */
static void add_comment(const PgnMove *move, const Position *pos, const PgnGame *game,
                        PgnStyle style, const char *reason, Text *out) {
    text_add_char(out, '{');
    if (move->book) {
        text_add(out, "book");
    } else if (!move->score.known) {
        text_add(out, "unknown");
    } else {
        add_score(out, &move->score);
        text_addf(out, "/%d", move->depth);
        if (style != PGN_COMPACT)
            add_facts(move, pos, game, style, out);
    }
    if (move->comment) {
        text_add(out, ", line=");
        add_comment_text(out, move->comment);
    }
    if (reason) {
        text_add(out, ", ");
        add_comment_text(out, reason);
    }
    text_add_char(out, '}');
}

/* Adds the moves up to the first illegal one. */
static void add_moves(const PgnGame *game, PgnStyle style, Lines *lines) {
    Position pos;
    chess_init();
    size_t count = fen_parse(&pos, game->fen, game->chess960, NULL) ? game->move_count : 0;
    /* Servers keep only the moves' comments. */
    const char *reason = style == PGN_FULL ? game->reason : NULL;
    Text phrase = {0};
    size_t i = 0;
    for (; i < count && move_is_legal(&pos, game->moves[i].move); i++) {
        const PgnMove *move = &game->moves[i];
        text_clear(&phrase);
        if (pos.stm == WHITE)
            text_addf(&phrase, "%d. ", pos.fullmove);
        else if (i == 0)
            text_addf(&phrase, "%d... ", pos.fullmove);
        add_move_text(&pos, move->move, game, &phrase);
        text_add_char(&phrase, ' ');
        add_comment(move, &pos, game, style, i + 1 == game->move_count ? reason : NULL, &phrase);
        add_phrase(lines, &phrase);
        Undo undo;
        position_make(&pos, move->move, &undo);
    }
    /* Without a last move the reason has a comment of its own. */
    if (reason && (i == 0 || i < game->move_count)) {
        text_clear(&phrase);
        text_add_char(&phrase, '{');
        add_comment_text(&phrase, reason);
        text_add_char(&phrase, '}');
        add_phrase(lines, &phrase);
    }
    text_free(&phrase);
}

void pgn_write(const PgnGame *game, PgnStyle style, Text *out) {
    add_tags(game, style, out);
    Lines lines = {.out = out};
    add_moves(game, style, &lines);
    add_word(&lines, game->result, strlen(game->result));
    text_add(out, "\n\n");
}
