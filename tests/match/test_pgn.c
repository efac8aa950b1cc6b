/* SPDX-License-Identifier: MIT */
/* Games as text, and the endings of the golden games found again. */
#include "../runner.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "chess/attacks.h"
#include "chess/draw.h"
#include "chess/movegen.h"
#include "golden.h"

static PgnMove played(const Position *pos, const char *uci, int score, int64_t ms) {
    PgnMove move = {.move = move_from_uci(pos, uci),
                    .score = {.known = true, .value = score},
                    .depth = 12,
                    .seldepth = 18,
                    .nodes = 12345,
                    .elapsed_ms = ms};
    return move;
}

/* The shortest game, from the starting position or a given move on. */
static void fools_mate(PgnMove moves[4]) {
    static const char *const uci[] = {"f2f3", "e7e5", "g2g4", "d8h4"};
    Position pos;
    chess_init();
    ck_assert(fen_parse(&pos, FEN_STARTPOS, false, NULL));
    for (int i = 0; i < 4; i++) {
        moves[i] = played(&pos, uci[i], i * 25 - 25, 1000 * i + 123);
        Undo undo;
        position_make(&pos, moves[i].move, &undo);
    }
    moves[0].book = true;
    moves[2].score = (MoveScore){.known = true, .is_mate = true, .value = -1};
    moves[3].score = (MoveScore){.known = true, .is_mate = true, .value = 1};
}

static PgnGame make_game(const PgnMove *moves, size_t count, const TimeControl *white,
                         const TimeControl *black) {
    return (PgnGame){.round = 3,
                     .white = "dev \"a\\b\"",
                     .black = "base",
                     .result = "0-1",
                     .fen = FEN_STARTPOS,
                     .started = 86400,
                     .ended = 86461,
                     .termination = "normal",
                     .reason = "Black mates",
                     .time_control = {white, black},
                     .moves = moves,
                     .move_count = count};
}

static void check_text(const PgnGame *game, PgnStyle style, const char *wanted) {
    Text text = {0};
    pgn_write(game, style, &text);
    ck_assert_str_eq(text_string(&text), wanted);
    text_free(&text);
}

#define ROSTER                                                                                     \
    "[Event \"?\"]\n[Site \"?\"]\n[Date \"1970.01.02\"]\n[Round \"3\"]\n"                          \
    "[White \"dev \\\"a\\\\b\\\"\"]\n[Black \"base\"]\n[Result \"0-1\"]\n"

START_TEST(a_game_is_written_as_the_standard_asks) {
    PgnMove moves[4];
    fools_mate(moves);
    TimeControl tc = {.kind = TC_CLOCK, .base_ms = 8000, .inc_ms = 80};
    PgnGame game = make_game(moves, 4, &tc, &tc);
    check_text(&game, PGN_FULL,
               ROSTER "[GameDuration \"00:01:01\"]\n"
                      "[GameStartTime \"1970-01-02T00:00:00 +0000\"]\n"
                      "[GameEndTime \"1970-01-02T00:01:01 +0000\"]\n"
                      "[PlyCount \"4\"]\n[Termination \"normal\"]\n[TimeControl \"8+0.08\"]\n\n"
                      "1. f3 {book} e5 {0.00/12 1.123s, n=12345, sd=18}\n"
                      "2. g4 {-M2/12 2.123s, n=12345, sd=18}\n"
                      "Qh4# {+M1/12 3.123s, n=12345, sd=18, Black mates} 0-1\n\n");
    TimeControl nodes = {.kind = TC_NODES, .nodes = 5};
    game.time_control[BLACK] = &nodes;
    Text text = {0};
    pgn_write(&game, PGN_FULL, &text);
    ck_assert_msg(strstr(text_string(&text), "\n[WhiteTimeControl \"8+0.08\"]\n"
                                             "[BlackTimeControl \"-\"]\n\n") != NULL,
                  "%s", text_string(&text));
    text_free(&text);
    game.scale_factor = 1.25;
    moves[1].comment = "pv {x}\n";
    moves[1].hashfull = 7;
    moves[2].score = (MoveScore){0};
    check_text(&game, PGN_COMPACT,
               ROSTER "[ScaleFactor \"1.2500\"]\n\n"
                      "1. f3 {book} e5 {0.00/12, line=pv {x) } 2. g4 {unknown} Qh4# {+M1/12} 0-1\n"
                      "\n");
    check_text(&game, PGN_VERBOSE,
               ROSTER
               "[ScaleFactor \"1.2500\"]\n"
               "[GameEndTime \"1970-01-02T00:01:01 +0000\"]\n\n"
               "1. f3 {book} e5 {0.00/12 1.123s, n=12345, sd=18, line=pv {x) } 2. g4 {unknown}\n"
               "Qh4# {+M1/12 3.123s, n=12345, sd=18} 0-1\n\n");
}
END_TEST

/* The moves of the game as they are written, with their comments. */
static void check_moves(const PgnGame *game, const char *wanted) {
    Text text = {0};
    pgn_write(game, PGN_FULL, &text);
    ck_assert_str_eq(strstr(text_string(&text), "\n\n") + 2, wanted);
    text_free(&text);
}

static void check_lines(const char *text) {
    for (const char *s = text; *s; s += strcspn(s, "\n") + 1)
        if (*s != '[')
            ck_assert_uint_le(strcspn(s, "\n"), 79);
}

START_TEST(moves_are_written_in_three_notations) {
    PgnMove moves[4];
    fools_mate(moves);
    PgnGame game = make_game(moves, 4, NULL, NULL);
    for (int i = 0; i < 4; i++)
        moves[i].book = true;
    game.notation = PGN_LAN;
    check_moves(&game, "1. f2-f3 {book} e7-e5 {book} 2. g2-g4 {book} "
                       "Qd8-h4# {book, Black mates} 0-1\n\n");
    game.notation = PGN_UCI;
    check_moves(&game,
                "1. f2f3 {book} e7e5 {book} 2. g2g4 {book} d8h4 {book, Black mates} 0-1\n\n");
}
END_TEST

START_TEST(a_variation_is_written_as_far_as_it_is_legal_and_of_the_move) {
    PgnMove moves[4];
    fools_mate(moves);
    PgnGame game = make_game(moves, 4, NULL, NULL);
    for (int i = 0; i < 4; i++)
        moves[i] = (PgnMove){.move = moves[i].move, .score = {.known = true}, .nodes = -1};
    moves[0].pv = "f2f3 e7e5 g1h3 d8h4 e1f2"; /* The last move does not answer the check. */
    moves[1].pv = "d7d5 e2e4";                /* Another move was played. */
    moves[2].pv = "g2g4";
    moves[3].pv = "nonsense";
    check_moves(&game, "1. f3 {0.00/0 0.000s, pv=f3 e5 Nh3 Qh4+} e5 {0.00/0 0.000s}\n"
                       "2. g4 {0.00/0 0.000s, pv=g4} Qh4# {0.00/0 0.000s, Black mates} 0-1\n\n");
    game.notation = PGN_UCI;
    Text text = {0};
    pgn_write(&game, PGN_VERBOSE, &text);
    ck_assert_msg(strstr(text_string(&text), "pv=") == NULL, "%s", text_string(&text));
    text_free(&text);
}
END_TEST

START_TEST(a_game_that_ends_before_a_move_has_its_reason_too) {
    PgnGame game = make_game(NULL, 0, NULL, NULL);
    game.started = 0;
    game.reason = "White disconnects";
    game.fen = "qbnnbrkr/p2p1ppp/1p2p3/2p5/4P3/4NP2/PPPP2PP/QBN1BRKR b HFhf - 0 4";
    game.chess960 = true;
#define PLAYERS                                                                                    \
    "[Event \"?\"]\n[Site \"?\"]\n[Date \"\?\?\?\?.\?\?.\?\?\"]\n[Round \"3\"]\n"                  \
    "[White \"dev \\\"a\\\\b\\\"\"]\n[Black \"base\"]\n[Result \"0-1\"]\n"
#define FEN_TAG "[FEN \"qbnnbrkr/p2p1ppp/1p2p3/2p5/4P3/4NP2/PPPP2PP/QBN1BRKR b HFhf - 0 4\"]\n"
    check_text(&game, PGN_FULL,
               PLAYERS "[SetUp \"1\"]\n" FEN_TAG "[Variant \"Chess960\"]\n[PlyCount \"0\"]\n"
                       "[Termination \"normal\"]\n\n{White disconnects} 0-1\n\n");
    /* A server keeps the moves' comments, and no others; its tags stand in its order. */
    game.scale_factor = 1;
    check_text(&game, PGN_VERBOSE,
               PLAYERS FEN_TAG
               "[Variant \"Chess960\"]\n[ScaleFactor \"1.0000\"]\n[SetUp \"1\"]\n\n0-1\n\n");
}
END_TEST

START_TEST(no_line_begins_with_the_sign_of_a_line_to_skip) {
    PgnMove moves[4];
    Text comment = {0};
    fools_mate(moves);
    for (int i = 0; i < 40; i++)
        text_add(&comment, "full %of it ");
    moves[1].comment = text_string(&comment);
    PgnGame game = make_game(moves, 4, NULL, NULL);
    Text text = {0};
    pgn_write(&game, PGN_FULL, &text);
    ck_assert_msg(strstr(text_string(&text), "\n%") == NULL, "%s", text_string(&text));
    check_lines(text_string(&text));
    text_free(&text);
    text_free(&comment);
}
END_TEST

START_TEST(a_tag_stays_on_its_line) {
    PgnGame game = make_game(NULL, 0, NULL, NULL);
    game.event = "a\nb\x7f";
    Text text = {0};
    pgn_write(&game, PGN_FULL, &text);
    ck_assert_msg(strncmp(text_string(&text), "[Event \"a b \"]\n", 15) == 0, "%s",
                  text_string(&text));
    text_free(&text);
}
END_TEST

START_TEST(an_illegal_move_ends_what_is_written) {
    PgnMove moves[4];
    fools_mate(moves);
    moves[2].move = moves[0].move;
    PgnGame game = make_game(moves, 3, NULL, NULL);
    Text text = {0};
    game.reason = "White makes an illegal move: f2f3";
    pgn_write(&game, PGN_FULL, &text);
    ck_assert_msg(strstr(text_string(&text),
                         "\n\n1. f3 {book} e5 {0.00/12 1.123s, n=12345, sd=18}\n"
                         "{White makes an illegal move: f2f3} 0-1\n\n") != NULL,
                  "%s", text_string(&text));
    text_free(&text);
}
END_TEST

/* Writes the game as we do, without the times that the golden games have not. */
static void write_without_times(const GoldenGame *golden, bool chess960, Text *out) {
    PgnGame game = {.round = atoi(golden->record.round),
                    .white = golden->record.white,
                    .black = golden->record.black,
                    .result = golden->record.result,
                    .fen = golden->record.fen,
                    .chess960 = chess960,
                    .termination = golden->record.termination,
                    .reason = golden->reason,
                    .moves = golden->moves,
                    .move_count = golden->count};
    pgn_write(&game, PGN_FULL, out);
    for (char *at; (at = strstr(text_string(out), " 0.000s,")) != NULL;) {
        memmove(at, at + strlen(" 0.000s,"), strlen(at + strlen(" 0.000s,")) + 1);
        out->length -= strlen(" 0.000s,");
    }
}

/* Moves *at behind the next comment of the text; the comment goes to `out` with blanks for line
 * ends. */
static bool next_comment(const char **at, char out[GOLDEN_COMMENT_MAX]) {
    const char *start = strchr(*at, '{');
    if (!start)
        return false;
    size_t length = strcspn(start, "}") + 1;
    snprintf(out, GOLDEN_COMMENT_MAX, "%.*s", (int)length, start);
    for (char *s = out; *s; s++)
        if (*s == '\n')
            *s = ' ';
    *at = start + length;
    return true;
}

START_TEST(the_golden_games_are_written_as_they_were) {
    static const char *const names[] = {"adjudicated", "natural", "chess960", "syzygy"};
    static GoldenGame golden;
    static GoldenGame again;
    chess_init();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool chess960 = strcmp(names[i], "chess960") == 0;
        Text text = {0};
        int games = 0;
        if (!golden_read(names[i], &text))
            continue;
        PgnReader reader = {.text = text.data, .length = text.length};
        while (golden_next(&reader, &golden, chess960)) {
            Text written = {0};
            write_without_times(&golden, chess960, &written);
            check_lines(written.data);
            const char *at = strstr(written.data, "\n\n");
            for (size_t m = 0; m < golden.count; m++) {
                char comment[GOLDEN_COMMENT_MAX] = "";
                ck_assert(next_comment(&at, comment));
                ck_assert_str_eq(comment, golden.comments[m]);
            }
            PgnReader second = {.text = written.data, .length = written.length};
            ck_assert(golden_next(&second, &again, chess960));
            ck_assert_str_eq(text_string(&again.record.moves), text_string(&golden.record.moves));
            ck_assert_str_eq(again.record.result, golden.record.result);
            text_free(&written);
            games++;
        }
        ck_assert_int_ge(games, 60);
        pgn_record_free(&golden.record);
        pgn_record_free(&again.record);
        text_free(&text);
    }
}
END_TEST

/* How the position after a move ends the game, in words of the golden reasons; NULL: it goes on. */
static const char *adjudged_reason(const Adjudicator *a, const Adjudication *rules,
                                   const Position *pos, Color mover, const MoveScore *score) {
    static const char *const by_tables[] = {NULL, "White wins by adjudication: SyzygyTB",
                                            "Black wins by adjudication: SyzygyTB",
                                            "Draw by adjudication: SyzygyTB"};
    static const char *const by_scores[] = {NULL, "White wins by adjudication",
                                            "Black wins by adjudication", "Draw by adjudication"};
    const char *reason = rules->syzygy ? by_tables[syzygy_verdict(rules->syzygy, pos)] : NULL;
    return reason ? reason : by_scores[adjudicator_verdict(a, mover, score, pos->fullmove)];
}

/* Replays a game: adjudication must end it where it ended, and not before. */
static void check_ending(const GoldenGame *golden, const Adjudication *rules, bool chess960) {
    Position pos;
    Adjudicator a;
    ck_assert(fen_parse(&pos, golden->record.fen, chess960, NULL));
    adjudicator_start(&a, rules);
    for (size_t i = 0; i < golden->count; i++) {
        const PgnMove *move = &golden->moves[i];
        Color mover = pos.stm;
        Move list[MAX_MOVES];
        Undo undo;
        position_make(&pos, move->move, &undo);
        adjudicator_count(&a, mover, &move->score, pos.rule50 == 0);
        bool last = i + 1 == golden->count;
        if (movegen_legal(&pos, list) == 0 || draw_insufficient_material(&pos) ||
            (last && strcmp(golden->record.termination, "normal") == 0))
            return; /* the rules of chess come first */
        const char *reason = adjudged_reason(&a, rules, &pos, mover, &move->score);
        ck_assert_msg(last == (reason != NULL), "round %s, %s White: move %zu of %zu: %s",
                      golden->record.round, golden->record.white, i + 1, golden->count,
                      reason ? reason : "goes on");
        if (reason)
            ck_assert_str_eq(reason, golden->reason);
    }
}

START_TEST(the_golden_games_are_adjudicated_where_they_were) {
    static GoldenGame golden;
    const char *folder = shared_path("syzygy");
    Error err = {0};
    Syzygy syzygy = {0};
    chess_init();
    bool tables = syzygy_open(&syzygy, folder, 4, NULL, &err);
    const ResignRule resign = {.on = true, .movecount = 3, .score = 400};
    const DrawRule draw = {.on = true, .movenumber = 40, .movecount = 8, .score = 10};
    const DrawRule late = {.on = true, .movenumber = 60, .movecount = 8, .score = 5};
    const struct {
        const char *name;
        Adjudication rules;
    } files[] = {
        {"adjudicated", {.resign = resign, .draw = draw}},
        {"chess960", {.resign = resign, .draw = draw}},
        {"natural", {.syzygy = NULL}},
        {"syzygy", {.draw = late, .syzygy = &syzygy}},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        Text text = {0};
        int games = 0;
        if (files[i].rules.syzygy && !tables) {
            fprintf(stderr, "left out: %s: %s\n", files[i].name, err.text);
            continue;
        }
        if (!golden_read(files[i].name, &text))
            continue;
        bool chess960 = strcmp(files[i].name, "chess960") == 0;
        PgnReader reader = {.text = text.data, .length = text.length};
        while (golden_next(&reader, &golden, chess960)) {
            check_ending(&golden, &files[i].rules, chess960);
            games++;
        }
        ck_assert_int_ge(games, 60);
        pgn_record_free(&golden.record);
        text_free(&text);
    }
}
END_TEST

static Adjudged probe(const Syzygy *syzygy, const char *fen) {
    Position pos;
    ck_assert(fen_parse(&pos, fen, false, NULL));
    return syzygy_verdict(syzygy, &pos);
}

START_TEST(tables_are_asked_only_when_they_may) {
    const char *folder = shared_path("syzygy");
    Error err = {0};
    Syzygy syzygy;
    chess_init();
    Log log = {0};
    char *warnings = NULL;
    size_t size;
    log_init(&log, open_memstream(&warnings, &size), LOG_NORMAL);
    if (syzygy_available()) {
        ck_assert(!syzygy_open(&syzygy, "/nowhere:/:/dev/null", 0, &log, &err));
        ck_assert_str_eq(err.text, "/nowhere: No such file or directory; /: no Syzygy tables "
                                   "there; /dev/null: Not a directory");
        ck_assert(!syzygy_open(&syzygy, "::", 0, &log, &err));
        ck_assert_str_eq(err.text, "no folder is named");
    }
    ck_assert_int_eq(syzygy_complete_men("/nowhere"), 0);
    bool opened = syzygy_open(&syzygy, folder, 0, &log, &err);
    fclose(log.out);
    ck_assert_str_eq(warnings, "");
    log_free(&log);
    free(warnings);
    if (!opened) {
        fprintf(stderr, "left out: %s\n", err.text);
        return;
    }
    ck_assert_int_eq(syzygy_complete_men(folder), 4);
    ck_assert_int_eq(syzygy.men, 4);
    ck_assert_int_eq(probe(&syzygy, "8/8/8/4k3/8/8/8/2Q1K3 w - - 0 1"), ADJUDGED_WHITE_WINS);
    ck_assert_int_eq(probe(&syzygy, "8/8/8/4k3/8/8/q7/4K3 w - - 0 1"), ADJUDGED_BLACK_WINS);
    ck_assert_int_eq(probe(&syzygy, "8/8/8/4k3/8/8/8/N2NK3 w - - 0 1"), ADJUDGED_DRAW);
    ck_assert_int_eq(probe(&syzygy, "8/8/8/4k3/8/8/8/2Q1K3 w - - 1 1"), ADJUDGED_NONE);
    ck_assert_int_eq(probe(&syzygy, "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"), ADJUDGED_NONE);
    ck_assert_int_eq(probe(&syzygy, "4k3/p7/8/8/8/8/P7/R3K3 w - - 0 1"), ADJUDGED_NONE);
    char *folders = text_format(":/nowhere::%s:", folder);
    log_init(&log, open_memstream(&warnings, &size), LOG_NORMAL);
    ck_assert(syzygy_open(&syzygy, folders, 3, &log, &err));
    free(folders);
    fclose(log.out);
    ck_assert_str_eq(warnings, "warning: --syzygy: /nowhere: No such file or directory; the tables "
                               "of the other folders are in use\n");
    log_free(&log);
    free(warnings);
    ck_assert_int_eq(syzygy.men, 3);
    ck_assert_int_eq(probe(&syzygy, "8/8/8/4k3/8/8/8/N2NK3 w - - 0 1"), ADJUDGED_NONE);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_game_is_written_as_the_standard_asks);
    tcase_add_test(tests, moves_are_written_in_three_notations);
    tcase_add_test(tests, a_variation_is_written_as_far_as_it_is_legal_and_of_the_move);
    tcase_add_test(tests, a_game_that_ends_before_a_move_has_its_reason_too);
    tcase_add_test(tests, no_line_begins_with_the_sign_of_a_line_to_skip);
    tcase_add_test(tests, a_tag_stays_on_its_line);
    tcase_add_test(tests, an_illegal_move_ends_what_is_written);
    tcase_add_test(tests, the_golden_games_are_written_as_they_were);
    tcase_add_test(tests, the_golden_games_are_adjudicated_where_they_were);
    tcase_add_test(tests, tables_are_asked_only_when_they_may);
}

int main(void) {
    return run_tests("pgn", add_tests);
}
