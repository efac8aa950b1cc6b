/* SPDX-License-Identifier: MIT */
/* Labelled positions of self-play: the file is what the header promises. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chess/attacks.h"
#include "chess/fen.h"
#include "chess/movegen.h"
#include "datagen.h"
#include "runner.h"
#include "search/search.h"
#include "tools/temporary.h"

enum { LINE_MAX_BYTES = 512, GAMES = 12 };

/* Runs datagen with these words and a new file; the caller frees the contents. */
static char *generate(const char *words, DatagenResult *result) {
    char path[TEMPORARY_SIZE], text[LINE_MAX_BYTES];
    char fault[OPENING_FAULT_MAX] = "";
    DatagenRequest request;
    Task task;
    close(temporary_file(path, sizeof path, "test_datagen"));
    unlink(path);
    snprintf(text, sizeof text, "%s out %s", words, path);
    ck_assert_msg(datagen_parse(text, &request, fault), "%s", fault);
    task_open(&task, SEARCH_HASH_MIN);
    ck_assert_msg(datagen_run(&task, &request, result, fault), "%s", fault);
    task_close(&task);
    int handle = open(path, O_RDONLY);
    off_t size = lseek(handle, 0, SEEK_END);
    char *contents = calloc((size_t)size + 1, 1);
    ck_assert(contents != NULL && pread(handle, contents, (size_t)size, 0) == size);
    close(handle);
    unlink(path);
    return contents;
}

typedef struct {
    Position position;
    int score;
    double result;
} Sample;

static Sample read_sample(const char *line) {
    Sample sample;
    char fen[FEN_MAX], written[FEN_MAX], result[4];
    FenError error;
    int fields = sscanf(line, "%127[^|] | %d | %3s", fen, &sample.score, result);
    ck_assert_msg(fields == 3, "not three fields: %s", line);
    fen[strlen(fen) - 1] = '\0'; /* the blank before the bar */
    ck_assert_msg(fen_parse(&sample.position, fen, false, &error), "%s: %s", fen, error.text);
    fen_format(&sample.position, written);
    ck_assert_str_eq(written, fen);
    ck_assert_msg(!strcmp(result, "0.0") || !strcmp(result, "0.5") || !strcmp(result, "1.0"),
                  "result %s", result);
    sample.result = strtod(result, NULL);
    return sample;
}

static int ply_of(const Position *position) {
    return position->fullmove * 2 + position->stm;
}

static void expect_quiet(const Sample *sample, const char *line) {
    ck_assert_msg(!position_in_check(&sample->position), "in check: %s", line);
    ck_assert_msg(movegen_any(&sample->position), "over: %s", line);
    ck_assert_msg(!search_is_mate(sample->score), "mate score: %s", line);
}

/* Between two positions a ply apart a move was played that had to be quiet. */
static void expect_same_men(const Position *a, const Position *b, const char *line) {
    for (PieceType type = PAWN; type <= KING; type++)
        ck_assert_msg(bb_popcount(a->by_type[type]) == bb_popcount(b->by_type[type]),
                      "a noisy move leads to: %s", line);
}

/* Scores and results are White's: at the last quiet position of a game that somebody won, the score
 * is that side's. Returns whether somebody did. */
static bool expect_scored_as_it_ended(const Sample *last) {
    bool won = last->result == 1.0, lost = last->result == 0.0;
    ck_assert_msg(!won || last->score > 0, "White won, and was at %d", last->score);
    ck_assert_msg(!lost || last->score < 0, "Black won, and White was at %d", last->score);
    return won || lost;
}

START_TEST(every_line_is_a_quiet_position_with_the_result_of_its_game) {
    DatagenResult counts;
    char *text = generate("games 12 nodes 300 seed 5 random_plies 6", &counts), *rest = NULL;
    Sample last = {.result = -1};
    int games = 0, decided = 0;
    int64_t lines = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        Sample sample = read_sample(line);
        expect_quiet(&sample, line);
        ck_assert_msg(sample.position.fullmove >= 4, "within the opening: %s", line);
        int plies = lines > 0 ? ply_of(&sample.position) - ply_of(&last.position) : 0;
        if (plies <= 0) {
            games++;
            decided += expect_scored_as_it_ended(&last);
        } else
            ck_assert_msg(sample.result == last.result, "another result within a game: %s", line);
        if (plies == 1)
            expect_same_men(&last.position, &sample.position, line);
        last = sample;
        lines++;
    }
    free(text);
    decided += expect_scored_as_it_ended(&last);
    ck_assert_int_gt(decided, GAMES / 4);
    ck_assert_int_eq(counts.games, GAMES);
    ck_assert_int_eq(games, GAMES);
    ck_assert_int_eq(lines, counts.positions);
    ck_assert_int_gt(lines, GAMES * 10);
}
END_TEST

START_TEST(the_seed_decides_every_byte) {
    DatagenResult counts;
    char *one = generate("games 3 nodes 300 seed 9", &counts);
    char *again = generate("seed 9 nodes 300 book None games 3", &counts);
    char *other = generate("games 3 nodes 300 seed 10", &counts);
    ck_assert_str_eq(one, again);
    ck_assert_str_ne(one, other);
    free(one);
    free(again);
    free(other);
}
END_TEST

START_TEST(every_third_is_each_third_line_of_a_game) {
    DatagenResult counts;
    char *all = generate("games 1 nodes 300 seed 9", &counts), *in_all = all, *rest = NULL;
    int64_t positions = counts.positions;
    char *third = generate("games 1 nodes 300 seed 9 every 3", &counts);
    ck_assert_int_eq(counts.positions, (positions + 2) / 3);
    for (char *line = strtok_r(third, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        ck_assert_msg(!strncmp(in_all, line, strlen(line)), "out of turn: %s", line);
        for (int i = 0; i < 3 && *in_all != '\0'; i++)
            in_all = strchr(in_all, '\n') + 1;
    }
    ck_assert_str_eq(in_all, "");
    free(all);
    free(third);
}
END_TEST

START_TEST(wrong_words_are_named) {
    static const struct {
        const char *words, *fault;
    } cases[] = {
        {"", "games N out FILE"},
        {"games 5", "games N out FILE"},
        {"out x", "games N out FILE"},
        {"games 0 out x", "games wants a number from 1 to"},
        {"games -1 out x", "games wants a number from 1 to"},
        {"games", "games wants a number from 1 to"},
        {"games 5 nodes many out x", "nodes wants a number from 1 to"},
        {"games 5 seed -1 out x", "seed wants a number from 0 to 18446744073709551615"},
        {"games 5 every 0 out x", "every wants a number from 1 to"},
        {"games 5 random_plies 101 out x", "random_plies wants a number from 0 to 100"},
        {"games 5 out", "out wants a file name"},
        {"games 5 depth 3 out x", "unknown word \"depth\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[LINE_MAX_BYTES], fault[OPENING_FAULT_MAX] = "";
        DatagenRequest request;
        snprintf(text, sizeof text, "%s", cases[i].words);
        ck_assert_msg(!datagen_parse(text, &request, fault), "accepted: %s", cases[i].words);
        ck_assert_msg(strstr(fault, cases[i].fault) != NULL, "\"%s\": says \"%s\", not \"%s\"",
                      cases[i].words, fault, cases[i].fault);
        ck_assert_msg(strchr(fault, '\n') == NULL, "more than a line: %s", fault);
    }
}
END_TEST

/* Runs datagen with these words; false with one line in `fault`. */
static bool run_words(const char *words, DatagenResult *result, char fault[OPENING_FAULT_MAX]) {
    char text[LINE_MAX_BYTES];
    DatagenRequest request;
    Task task;
    snprintf(text, sizeof text, "%s", words);
    ck_assert_msg(datagen_parse(text, &request, fault), "%s", fault);
    task_open(&task, SEARCH_HASH_MIN);
    bool done = datagen_run(&task, &request, result, fault);
    task_close(&task);
    return done;
}

START_TEST(files_that_cannot_be_used_are_named) {
    static const struct {
        const char *words, *fault;
    } cases[] = {
        {"games 1 out /nonexistent/folder/file", "/nonexistent/folder/file: No such file"},
        {"games 1 nodes 50 out /dev/full", "/dev/full: No space left"},
        {"games 1 book /nonexistent/folder/book out /dev/null",
         "/nonexistent/folder/book: No such file"},
        {"games 1 book /dev/null out /dev/null", "book /dev/null: no regular file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char fault[OPENING_FAULT_MAX] = "";
        DatagenResult result;
        ck_assert_msg(!run_words(cases[i].words, &result, fault), "done: %s", cases[i].words);
        ck_assert_msg(strstr(fault, cases[i].fault) != NULL, "\"%s\": says \"%s\", not \"%s\"",
                      cases[i].words, fault, cases[i].fault);
        ck_assert_int_eq(result.games, 0);
        ck_assert_int_eq(result.positions, 0);
    }
}
END_TEST

START_TEST(a_pipe_wants_a_reader) {
    char folder[TEMPORARY_SIZE], path[TEMPORARY_SIZE + 8], words[LINE_MAX_BYTES];
    char fault[OPENING_FAULT_MAX] = "", line[LINE_MAX_BYTES] = "";
    DatagenResult result;
    temporary_folder(folder, sizeof folder, "test_datagen");
    snprintf(path, sizeof path, "%s/pipe", folder);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    snprintf(words, sizeof words, "games 1 nodes 50 out %s", path);
    ck_assert(!run_words(words, &result, fault));
    ck_assert_msg(strstr(fault, "/pipe: is a pipe that nobody reads") != NULL, "says \"%s\"",
                  fault);
    FILE *reader = fdopen(open(path, O_RDONLY | O_NONBLOCK), "r");
    ck_assert(reader != NULL);
    ck_assert_msg(run_words(words, &result, fault), "%s", fault);
    ck_assert_int_eq(result.games, 1);
    ck_assert(fgets(line, sizeof line, reader) != NULL);
    read_sample(line);
    fclose(reader);
    unlink(path);
    rmdir(folder);
}
END_TEST

#define EVEN "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1\n"
#define MATE "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1\n"
#define WON "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1\n"

static void write_text(const char *text, char path[TEMPORARY_SIZE]) {
    FILE *file = fdopen(temporary_file(path, TEMPORARY_SIZE, "test_datagen"), "w");
    ck_assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* A run without openings leaves no file, and none writes into the file of another run, whose first
 * game may not be over. */
START_TEST(a_run_that_cannot_begin_leaves_everything_as_it_is) {
    static const struct {
        const char *book, *kept, *fault;
    } cases[] = {
        {EVEN "\n" EVEN "no position\n", NULL, ": line 4: 2 fields"},
        {WON, NULL, "5000 openings drawn, and none is within 300 centipawns: change random_plies"},
        {MATE, NULL, "and each ended the game or came to a position twice: lower random_plies or"},
        {EVEN, "what an earlier run wrote\n", ": exists; name a new file"},
        {EVEN, "", ": exists; name a new file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char book[TEMPORARY_SIZE], out[TEMPORARY_SIZE], text[LINE_MAX_BYTES];
        char fault[OPENING_FAULT_MAX] = "", left[LINE_MAX_BYTES] = "";
        DatagenRequest request;
        DatagenResult result;
        Task task;
        write_text(cases[i].book, book);
        write_text(cases[i].kept == NULL ? "" : cases[i].kept, out);
        if (cases[i].kept == NULL)
            unlink(out);
        snprintf(text, sizeof text, "games 1 random_plies 0 book %s out %s", book, out);
        ck_assert_msg(datagen_parse(text, &request, fault), "%s", fault);
        task_open(&task, SEARCH_HASH_MIN);
        ck_assert_msg(!datagen_run(&task, &request, &result, fault), "done: %s", cases[i].book);
        task_close(&task);
        ck_assert_msg(strstr(fault, cases[i].fault) != NULL, "says \"%s\", not \"%s\"", fault,
                      cases[i].fault);
        FILE *file = fopen(out, "r");
        ck_assert_msg((file == NULL) == (cases[i].kept == NULL), "%s: %s", cases[i].fault,
                      file == NULL ? "no file is left" : "a file is left");
        if (file != NULL) {
            (void)!fgets(left, sizeof left, file);
            fclose(file);
            ck_assert_str_eq(left, cases[i].kept);
        }
        unlink(book);
        unlink(out);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, every_line_is_a_quiet_position_with_the_result_of_its_game);
    tcase_add_test(tests, the_seed_decides_every_byte);
    tcase_add_test(tests, every_third_is_each_third_line_of_a_game);
    tcase_add_test(tests, wrong_words_are_named);
    tcase_add_test(tests, files_that_cannot_be_used_are_named);
    tcase_add_test(tests, a_pipe_wants_a_reader);
    tcase_add_test(tests, a_run_that_cannot_begin_leaves_everything_as_it_is);
}

int main(void) {
    chess_init();
    return run_tests("datagen", add_tests);
}
