/* SPDX-License-Identifier: MIT */
/* Books: what is read, in which order it is played, and what is refused. */
#include "../runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/count.h"
#include "chess/move.h"
#include "match/book.h"
#include "base/mersenne.h"
#include "match/golden.h"
#include "match/pgn.h"
#include "tools/files.h"
#include "tools/temporary.h"

#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#define OPEN "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"

static const char LINES[] = "# openings\n"
                            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\r\n"
                            "\r\n"
                            "  rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2  \n"
                            "; another comment\n"
                            "4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 7; fmvn 33; id \"a; hmvc 9; b\";\n"
                            "4k3/8/8/8/8/8/3P4/4K3 b - - bm Kd7\n"
                            "4k3/8/8/8/8/8/2P5/4K3 w - - 3 7; bm c4;\n";

static const char *const POSITIONS[] = {
    START,
    OPEN,
    "4k3/8/8/8/8/8/4P3/4K3 w - - 7 33",
    "4k3/8/8/8/8/8/3P4/4K3 b - - 0 1",
    "4k3/8/8/8/8/8/2P5/4K3 w - - 3 7",
};

static void load_text(Book *book, const char *text, bool is_pgn) {
    Error err = {0};
    ck_assert_msg(book_load_text(book, "test", text, strlen(text), is_pgn, false, &err), "%s",
                  err.text);
}

static void check_positions(const Book *book) {
    Opening opening = {0};
    Error err = {0};
    ck_assert_uint_eq(book->count, COUNT(POSITIONS));
    for (uint64_t k = 0; k < 2 * COUNT(POSITIONS); k++) {
        ck_assert(book_opening(book, k, &opening, &err));
        ck_assert_str_eq(opening.fen, POSITIONS[k % COUNT(POSITIONS)]);
        ck_assert_uint_eq(opening.move_count, 0);
    }
    opening_free(&opening);
}

START_TEST(lines_of_epd_and_fen_are_read) {
    Book book;
    load_text(&book, LINES, false);
    check_positions(&book);
    book_free(&book);
    /* Games without a move and a result between them. */
    load_text(&book, "[Event \"a\"]\n\n[Event \"b\"]\n[FEN \"" START "\"]\n\n[Event \"c\"]\n",
              true);
    ck_assert_uint_eq(book.count, 3);
    book_free(&book);
    /* Editors' mark of UTF-8. */
    load_text(&book, "\xef\xbb\xbf" START "\n", false);
    ck_assert_uint_eq(book.count, 1);
    book_free(&book);
}
END_TEST

START_TEST(a_packed_book_is_the_same_book) {
    char path[TEMPORARY_SIZE];
    int fd = temporary_file(path, sizeof path, "test_book");
    /* In two members, as `cat a.gz b.gz` makes them. */
    gzFile file = gzdopen(fd, "wb");
    gzwrite(file, LINES, 40);
    gzclose(file);
    file = gzopen(path, "ab");
    gzwrite(file, LINES + 40, sizeof LINES - 41);
    gzclose(file);

    Book book;
    Error err = {0};
    ck_assert_msg(book_load(&book, path, false, &err), "%s", err.text);
    check_positions(&book);
    book_free(&book);

    /* Zeros behind the end, as of a tape's block, are nothing; other bytes are. */
    Text packed = read_whole(path);
    Text padded = {0};
    static const char ZEROS[512];
    text_add_bytes(&padded, packed.data, packed.length);
    text_add_bytes(&padded, ZEROS, sizeof ZEROS);
    put_bytes(path, padded.data, padded.length, 0600);
    ck_assert_msg(book_load(&book, path, false, &err), "%s", err.text);
    check_positions(&book);
    book_free(&book);
    text_add(&padded, "x");
    put_bytes(path, padded.data, padded.length, 0600);
    ck_assert(!book_load(&book, path, false, &err));
    text_free(&padded);

    put_bytes(path, packed.data, packed.length - 10, 0600);
    ck_assert(!book_load(&book, path, false, &err));
    ck_assert_msg(strstr(err.text, "damaged or cut gzip data"), "%s", err.text);
    text_free(&packed);
    unlink(path);
}
END_TEST

/* Openings of a book of many blocks, each with its number in it, whatever their order. */
START_TEST(openings_are_found_in_every_block) {
    enum { COUNT_OF_LINES = 3000, SEED = 5 };
    for (int is_pgn = 0; is_pgn < 2; is_pgn++) {
        Book book;
        Text text = {0};
        Opening opening = {0};
        Error err = {0};
        bool seen[COUNT_OF_LINES] = {false};
        for (int i = 0; i < COUNT_OF_LINES; i++)
            text_addf(&text,
                      is_pgn ? "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 %d\"]\n\n1. e4 *\n\n"
                             : "4k3/8/8/8/8/8/4P3/4K3 w - - fmvn %d; id \"a long name\";\n",
                      i + 1);
        load_text(&book, text.data, is_pgn);
        ck_assert_uint_eq(book.count, COUNT_OF_LINES);
        ck_assert_uint_gt(book.text.count, 2);
        ck_assert_uint_lt(book.text.bytes.length, text.length / 4);
        book_shuffle(&book, SEED);
        for (uint64_t k = 0; k < COUNT_OF_LINES; k++) {
            ck_assert_msg(book_opening(&book, k, &opening, &err), "%s", err.text);
            int number = atoi(strrchr(opening.fen, ' '));
            ck_assert_int_ge(number, 1);
            ck_assert_int_le(number, COUNT_OF_LINES);
            ck_assert_int_eq((int)opening.move_count, is_pgn);
            ck_assert_msg(!seen[number - 1], "opening %d is there twice", number);
            seen[number - 1] = true;
        }
        opening_free(&opening);
        text_free(&text);
        book_free(&book);
    }
}
END_TEST

START_TEST(a_game_is_its_start_and_its_main_line) {
    static const char games[] =
        "[Event \"a [strange] one\"]\n{of tags} [FEN \"" OPEN "\"]\n{of moves}\n"
        "2. Nf3! {best (by test)} Nc6 (2... d6 3. d4 (3. Bc4) exd4 {;}) 3.Bb5 $14 a6 *\n"
        "\n; a comment\n% escaped [\n[Event \"no position\"]\n\n1.e4 e5 1/2-1/2 {drawn} $10\n"
        "[Event \"no result\"]\n\n1. d4\n[Event \"no moves\"]\n";
    Book book;
    load_text(&book, games, false); /* The name does not say that it is PGN; the first tag does. */
    ck_assert_uint_eq(book.count, 4);
    static const struct {
        const char *fen, *moves;
    } wanted[] = {
        {OPEN, "g1f3 b8c6 f1b5 a7a6 "}, {START, "e2e4 e7e5 "}, {START, "d2d4 "}, {START, ""}};
    Opening opening = {0};
    Error err = {0};
    for (uint64_t k = 0; k < 4; k++) {
        ck_assert_msg(book_opening(&book, k, &opening, &err), "%s", err.text);
        ck_assert_str_eq(opening.fen, wanted[k].fen);
        char moves[64] = "";
        for (size_t i = 0; i < opening.move_count; i++) {
            move_to_uci(opening.moves[i], false, moves + strlen(moves));
            strcat(moves, " ");
        }
        ck_assert_str_eq(moves, wanted[k].moves);
    }
    opening_free(&opening);
    book_free(&book);
}
END_TEST

/* As people and older programs write games. */
START_TEST(remarks_beside_moves_are_passed_over) {
    static const char GAME[] =
        "1. e4 ! a6 ?! 2. e5 f5 !! 3. exf6 e.p. e5 4. h4 ? e4 5. d4 exd3e.p. *";
    static const char WANTED[] = "e2e4 a7a6 e4e5 f7f5 e5f6 e7e5 h2h4 e5e4 d2d4 e4d3 ";
    Book book;
    Opening opening = {0};
    Error err = {0};
    char moves[128] = "";
    load_text(&book, GAME, true);
    ck_assert_uint_eq(book.count, 1);
    ck_assert_msg(book_opening(&book, 0, &opening, &err), "%s", err.text);
    for (size_t i = 0; i < opening.move_count; i++) {
        move_to_uci(opening.moves[i], false, moves + strlen(moves));
        strcat(moves, " ");
    }
    ck_assert_str_eq(moves, WANTED);
    opening_free(&opening);
    book_free(&book);
}
END_TEST

static bool takes_variant(const char *variant, bool chess960) {
    Book book;
    Error err = {0};
    char *text = text_format("[Variant \"%s\"]\n\n1. e4 e5 *", variant);
    bool taken = book_load_text(&book, "test", text, strlen(text), true, chess960, &err);
    if (taken)
        book_free(&book);
    free(text);
    return taken;
}

START_TEST(a_variant_that_is_played_here_is_taken_by_any_of_its_names) {
    static const char *const STANDARD[] = {"", "chess", "Standard", "normal", "From Position"};
    static const char *const CHESS960[] = {"Chess960", "fischerandom", "Fischer Random", "FRC"};
    for (size_t i = 0; i < COUNT(STANDARD); i++) {
        ck_assert_msg(takes_variant(STANDARD[i], false), "'%s' is refused", STANDARD[i]);
        ck_assert_msg(takes_variant(STANDARD[i], true), "'%s' is refused", STANDARD[i]);
    }
    for (size_t i = 0; i < COUNT(CHESS960); i++) {
        ck_assert_msg(takes_variant(CHESS960[i], true), "'%s' is refused", CHESS960[i]);
        ck_assert_msg(!takes_variant(CHESS960[i], false), "'%s' is taken", CHESS960[i]);
    }
    ck_assert(!takes_variant("Atomic", true));
}
END_TEST

START_TEST(comments_outside_games_are_no_openings) {
    static const char *const moves[] = {"e2e4", "d2d4"};
    Book book;
    Opening opening = {0};
    Error err = {0};
    load_text(&book,
              "{of the file} (of it too)\n[Event \"first\"]\n\n1. e4 1/2-1/2 {Draw agreed}\n\n"
              "{between} $1\n1. d4 * {end} (1. c4 {none})\n{the last}",
              true);
    ck_assert_uint_eq(book.count, COUNT(moves));
    for (uint64_t k = 0; k < COUNT(moves); k++) {
        char move[MOVE_UCI_MAX];
        ck_assert_msg(book_opening(&book, k, &opening, &err), "%s", err.text);
        ck_assert_uint_eq(opening.move_count, 1);
        move_to_uci(opening.moves[0], false, move);
        ck_assert_str_eq(move, moves[k]);
    }
    opening_free(&opening);
    book_free(&book);
}
END_TEST

START_TEST(every_fault_names_book_line_and_cause) {
    static const struct {
        const char *text;
        bool is_pgn;
        const char *error;
    } faults[] = {
        {"", false, "book test: no opening in it"},
        {"{only a comment}", true, "book test: no opening in it"},
        {"# nothing\n\n", false, "book test: no opening in it"},
        {START "\nrubbish\n", false,
         "book test: line 2: a position has four fields, this line has 1"},
        {"4k3/8/8/8/8/8/4P3/4K3 w - - 0\n", false,
         "book test: line 1: move number: '' is not a whole number"},
        {"4k3/8/8/8/8/8/4P3/4K3 w - - hmvc x;\n", false,
         "book test: line 1: hmvc: 'x' is not a whole number"},
        {"4k3/8/8/8/8/8/4P3/4K3 w - - fmvn 99999;\n", false,
         "book test: line 1: fmvn: 99999 is not between 0 and 9999"},
        {"4k3/8/8/8/8/8/4P3/4K3 w - -\r4k3/8/8/8/8/8/3P4/4K3 w - -\r", false,
         "book test: line 1: a carriage return within the line"},
        {"[Variant \"Atomic\"]\n\n1. e4 e5 *", true,
         "book test: game at line 1: tag Variant: 'Atomic' is not played here"},
        {"[Variant \"Chess960\"]\n\n1. e4 e5 *", true,
         "book test: game at line 1: tag Variant: 'Chess960', but the book is read as standard"},
        {"[FEN \"x\"]\n\n*", true, "book test: game at line 1: tag FEN: "},
        {"\n\n1. e4 e4 *", true,
         "book test: game at line 3: half move 2: 'e4' is not a legal move"},
        {"1. e4 {", true, "book test: line 1: a comment is not closed"},
        {"[Event \"x]\n\n1. e4 *", true, "book test: line 1: a tag's value is not closed"},
        {"\n[Event \"x\"\n[Site \"y\"]", true, "book test: line 2: a tag's ']' is missing"},
        {"1. e4\n(1. d4", true, "book test: line 2: a variation is not closed"},
        {"[FEN \"x]\n", true, "book test: line "},
        {"[FEN]\n", true, "book test: line 1: not a tag of the form [Name \"value\"]"},
        {"1. e4 ) *", true, "book test: line 1: a bracket or quote without a beginning"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        Book book;
        Error err = {0};
        ck_assert_msg(!book_load_text(&book, "test", faults[i].text, strlen(faults[i].text),
                                      faults[i].is_pgn, false, &err),
                      "'%s' was taken", faults[i].text);
        ck_assert_msg(strncmp(err.text, faults[i].error, strlen(faults[i].error)) == 0,
                      "'%s', not '%s'", err.text, faults[i].error);
    }
    Book book;
    Error err = {0};
    ck_assert(!book_load_text(&book, "test", "4k3\0/8", 6, false, false, &err));
    ck_assert_str_eq(err.text, "book test: is not text");
    ck_assert(!book_load(&book, "/nowhere/x.epd", false, &err));
    ck_assert_str_eq(err.text, "book: /nowhere/x.epd: No such file or directory");
}
END_TEST

START_TEST(chess960_shows_shredder_letters) {
    Book book;
    Error err = {0};
    const char line[] = "qbnnbrkr/p2p1ppp/1p2p3/2p5/4P3/4NP2/PPPP2PP/QBN1BRKR w KQkq - 0 4";
    ck_assert_msg(book_load_text(&book, "test", line, strlen(line), false, true, &err), "%s",
                  err.text);
    Opening opening = {0};
    ck_assert(book_opening(&book, 0, &opening, &err));
    ck_assert_str_eq(opening.fen,
                     "qbnnbrkr/p2p1ppp/1p2p3/2p5/4P3/4NP2/PPPP2PP/QBN1BRKR w HFhf - 0 4");
    opening_free(&opening);
    book_free(&book);
    ck_assert(book_name_is_chess960("3moves_FRC.epd"));
    ck_assert(book_name_is_chess960("fischer-random.pgn"));
    ck_assert(book_name_is_chess960("UHO_960.epd"));
    ck_assert(!book_name_is_chess960("8moves_v3.epd"));
}
END_TEST

START_TEST(the_twister_is_the_published_one) {
    enum { TEN_THOUSANDTH = 10000, DEFAULT_SEED = 5489 };
    Mersenne m;
    mersenne_seed(&m, DEFAULT_SEED);
    uint64_t value = 0;
    for (int i = 0; i < TEN_THOUSANDTH; i++)
        value = mersenne_next(&m);
    ck_assert_uint_eq(value, 9981545732273789042ULL);
}
END_TEST

START_TEST(a_share_has_the_upper_bits_of_a_number) {
    Mersenne numbers, shares;
    mersenne_seed(&numbers, 1);
    mersenne_seed(&shares, 1);
    for (int i = 0; i < MERSENNE_WORDS; i++) {
        double share = mersenne_share(&shares);
        ck_assert_double_lt(share, 1);
        ck_assert_double_eq(share * 0x1p53, (double)(mersenne_next(&numbers) >> 11));
    }
}
END_TEST

START_TEST(an_order_is_a_permutation_and_does_not_depend_on_the_last) {
    enum { LINES_COUNT = 50 };
    Text text = {0};
    for (int i = 0; i < LINES_COUNT; i++)
        text_addf(&text, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 %d\n", i + 1);
    Book book;
    load_text(&book, text_string(&text), false);
    Error err = {0};
    Opening opening = {0};
    char first[FEN_MAX];
    book_shuffle(&book, 7);
    book_opening(&book, 3, &opening, &err);
    strcpy(first, opening.fen);
    book_shuffle(&book, 8);
    book_rotate(&book, 12);
    book_shuffle(&book, 7);
    book_opening(&book, 3, &opening, &err);
    ck_assert_str_eq(opening.fen, first);
    book_rotate(&book, 4);
    book_opening(&book, 0, &opening, &err);
    ck_assert_str_eq(opening.fen, first);
    book_rotate(&book, 4 + LINES_COUNT);
    book_opening(&book, LINES_COUNT, &opening, &err);
    ck_assert_str_eq(opening.fen, first);
    bool seen[LINES_COUNT + 1] = {false};
    for (uint64_t k = 0; k < LINES_COUNT; k++) {
        ck_assert(book_opening(&book, k, &opening, &err));
        int number = atoi(strrchr(opening.fen, ' '));
        ck_assert_int_ge(number, 1);
        ck_assert_int_le(number, LINES_COUNT);
        ck_assert(!seen[number]);
        seen[number] = true;
    }
    opening_free(&opening);
    book_free(&book);
    text_free(&text);
}
END_TEST

/* The one file in a zip of the reference books, through unzip; false when there is no such thing.
 */
static bool read_zipped(const char *name, Text *out) {
    char command[4200];
    snprintf(command, sizeof command, "unzip -p '%s/%s.zip' 2>/dev/null", shared_path("books"),
             name);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return false;
    for (size_t n = 1; n > 0;) {
        text_reserve(out, 1 << 16);
        n = fread(out->data + out->length, 1, 1 << 16, pipe);
        out->length += n;
        out->data[out->length] = '\0';
    }
    return pclose(pipe) == 0 && out->length > 0;
}

START_TEST(the_golden_games_have_these_openings) {
    static const struct {
        const char *games, *book;
        uint64_t seed, start;
        bool chess960;
        int count;
    } golden[] = {
        {"adjudicated", "8moves_v3.epd", 39606, 1001, false, 80},
        {"natural", "8moves_v3.epd", 7, 34690, false, 60},
        {"chess960", "3moves_FRC.epd", 12, 5, true, 60},
        {"syzygy", "8moves_v3.epd", 2024, 500, false, 60},
    };
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        Text lines = {0};
        Text games = {0};
        Error err = {0};
        if (!golden_read(golden[i].games, &games) || !read_zipped(golden[i].book, &lines)) {
            fprintf(stderr, "left out: the openings of %s\n", golden[i].games);
            text_free(&lines);
            text_free(&games);
            continue;
        }
        Book book;
        ck_assert_msg(book_load_text(&book, golden[i].book, lines.data, lines.length, false,
                                     golden[i].chess960, &err),
                      "%s", err.text);
        book_shuffle(&book, golden[i].seed);
        book_rotate(&book, golden[i].start);
        PgnReader reader = {.text = games.data, .length = games.length};
        PgnRecord record = {0};
        Opening opening = {0};
        int count = 0;
        while (pgn_read(&reader, &record, &err) == 1) {
            ck_assert(book_opening(&book, (uint64_t)atoi(record.round) - 1, &opening, &err));
            ck_assert_str_eq(opening.fen, record.fen);
            count++;
        }
        ck_assert_int_eq(count, golden[i].count);
        opening_free(&opening);
        pgn_record_free(&record);
        book_free(&book);
        text_free(&lines);
        text_free(&games);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, lines_of_epd_and_fen_are_read);
    tcase_add_test(tests, a_packed_book_is_the_same_book);
    tcase_add_test(tests, openings_are_found_in_every_block);
    tcase_add_test(tests, a_game_is_its_start_and_its_main_line);
    tcase_add_test(tests, remarks_beside_moves_are_passed_over);
    tcase_add_test(tests, a_variant_that_is_played_here_is_taken_by_any_of_its_names);
    tcase_add_test(tests, comments_outside_games_are_no_openings);
    tcase_add_test(tests, every_fault_names_book_line_and_cause);
    tcase_add_test(tests, chess960_shows_shredder_letters);
    tcase_add_test(tests, the_twister_is_the_published_one);
    tcase_add_test(tests, a_share_has_the_upper_bits_of_a_number);
    tcase_add_test(tests, an_order_is_a_permutation_and_does_not_depend_on_the_last);
    tcase_add_test(tests, the_golden_games_have_these_openings);
}

int main(void) {
    return run_tests("book", add_tests);
}
