/* SPDX-License-Identifier: MIT */
/* The page of a test, of a tuning and of a data generation: what each of them tells. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/memory.h"
#include "runner.h"
#include "serve/pages.h"
#include "tools/serve_rig.h"

static ServeRig rig;

static void set_up(void) {
    static const WebRoute *tables[2];
    tables[0] = LIST_PAGES;
    tables[1] = TEST_PAGES;
    rig_start(&rig, tables, COUNT(tables));
}

static void tear_down(void) {
    rig_stop(&rig);
}

static void expect(const char *words) {
    rig_expect(&rig, words);
}

static void expect_not(const char *words) {
    rig_expect_not(&rig, words);
}

static void set_text(char **text, const char *to) {
    free(*text);
    *text = mem_strdup(to);
}

static int64_t add(Test *test) {
    return rig_add_test(&rig, test);
}

static int64_t add_test(const char *kind) {
    Test test = rig_test(kind, "try-this");
    return add(&test);
}

/* A data generation whose two sides are one commit. */
static int64_t add_data(const char *text, const char *upload_pgns) {
    Test test = rig_test("DATAGEN", text);
    set_text(&test.sides[SIDE_BASE].sha, test.sides[SIDE_DEV].sha);
    set_text(&test.upload_pgns, upload_pgns);
    return add(&test);
}

static void play(int64_t test, int64_t pairs) {
    rig_add_results(&rig, test, rig_add_machine(&rig, test, "box"), pairs, 0.5);
}

/* ---- A test ---- */

START_TEST(a_test_shows_its_block_and_machines) {
    int64_t test = add_test("SPRT");
    play(test, 20);
    rig_get(&rig, "/test/1/");
    expect("SPRT  | 8.0+0.08s Threads=1 Hash=16MB");
    expect(" (-2.94, 2.94) [0.00, 5.00]");
    expect("Games | N: 40 W: 20 L: 10 D: 10");
    expect("Penta | [0, 0, 10, 10, 0]");
    expect("box");
    expect("1 crash");
    expect_not("What you can do with it");
}
END_TEST

/* Machine 1 has the fewest games, machine 60 the most. */
START_TEST(machines_of_a_test_come_in_pages) {
    int64_t test = add_test("SPRT");
    for (int i = 1; i <= 60; i++)
        rig_add_results(&rig, test, rig_add_machine(&rig, test, "box"), i, 0.5);
    rig_get(&rig, "/test/1/");
    expect("Machines <small>1 to 50 of 60</small>");
    expect(" · #11<");
    expect_not("#10<");
    expect("href=\"?page=2\"");
    rig_get(&rig, "/test/1/?page=2");
    expect("Machines <small>51 to 60 of 60</small>");
    expect_not("#11<");
    expect("data-part=\"/test/1/?part=report&amp;page=2\"");
    rig_get(&rig, "/test/1/?part=report&page=2");
    expect(" · #10<");
    rig_get(&rig, "/test/1/?page=9");
    expect("Machines <small>51 to 60 of 60</small>");
    expect(" · #10<");
    expect("data-part=\"/test/1/?part=report&amp;page=2\"");
}
END_TEST

START_TEST(a_test_has_one_chip_for_its_state) {
    Test test = rig_test("SPRT", "try-this");
    test.finished = test.passed = true;
    play(add(&test), 20);
    rig_get(&rig, "/test/1/");
    expect(">passed</span>");
    expect_not("undecided");
    expect_not("H1 accepted");
}
END_TEST

START_TEST(a_test_that_was_stopped_is_not_finished) {
    static const struct {
        const char *kind;
        bool played, faulty;
        const char *chip;
    } CASES[] = {
        {"SPRT", false, false, ">stopped</span>"}, {"SPRT", false, true, ">stopped</span>"},
        {"SPSA", true, true, ">finished</span>"},  {"SPSA", false, true, ">stopped</span>"},
        {"GAMES", true, true, ">finished</span>"}, {"GAMES", false, false, ">stopped</span>"}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        Test test = rig_test(CASES[i].kind, "try-this");
        char path[32];
        test.finished = true;
        test.faulty = CASES[i].faulty;
        test.spsa.iterations = 1;
        test.spsa.pairs_per = 10;
        test.max_games = 20;
        int64_t id = add(&test);
        if (CASES[i].played)
            play(id, 20);
        snprintf(path, sizeof path, "/%s/%d/", strcmp(CASES[i].kind, "SPSA") == 0 ? "tune" : "test",
                 (int)id);
        rig_get(&rig, path);
        expect(CASES[i].chip);
        if (strcmp(CASES[i].kind, "SPSA") == 0)
            expect("1 iteration of 10 pairs,");
    }
}
END_TEST

START_TEST(sides_of_one_branch_are_told_apart_by_their_commits) {
    Test test = rig_test("GAMES", "main");
    set_text(&test.sides[SIDE_DEV].sha, "1111111aaaa");
    set_text(&test.sides[SIDE_BASE].sha, "2222222bbbb");
    add(&test);
    rig_get(&rig, "/test/1/");
    expect("<h1>main 1111111 against main 2222222</h1>");
    rig_get(&rig, "/index/");
    expect("main 1111111 against main 2222222</a>");
}
END_TEST

START_TEST(engines_that_differ_are_named) {
    Test test = rig_test("GAMES", "main");
    set_text(&test.sides[SIDE_DEV].engine, "Reductio");
    set_text(&test.sides[SIDE_BASE].engine, "Stockfish");
    set_text(&test.sides[SIDE_BASE].branch, "master");
    add(&test);
    rig_get(&rig, "/test/1/");
    expect("<h1>Reductio main against Stockfish master</h1>");
}
END_TEST

START_TEST(a_long_note_is_cut_in_lists_alone) {
    Test test = rig_test("SPRT", "try-this");
    char line[300]; /* The list's 300 bytes end within the letter behind these. */
    char *words[2];
    memset(line, 'a', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    free(test.info);
    test.info = text_format("%s\u00e9\nand more", line);
    words[0] = text_format("title=\"%s\u2026\">%s\u2026</small>", line, line);
    words[1] = text_format("Test 1: %s", test.info);
    add(&test);
    test = rig_test("SPRT", "try-that");
    set_text(&test.info, "a note");
    add(&test);
    rig_get(&rig, "/index/");
    expect("<small class=\"info\" title=\"a note\">a note</small>");
    expect(words[0]);
    rig_get(&rig, "/test/1/");
    expect(words[1]);
    free(words[0]);
    free(words[1]);
}
END_TEST

/* ---- Faults ---- */

static const char LOST[] = "[Event \"x\"]\n[Round \"17\"]\n[White \"Reductio-dev\"]\n"
                           "[Black \"Reductio-base\"]\n[Result \"0-1\"]\n\n"
                           "1. e4 {abandoned} 0-1\n";

START_TEST(a_fault_tells_its_game) {
    int64_t test = add_test("SPRT");
    rig_add_machine(&rig, test, "box"); /* Machine 1. */
    rig_add_error(&rig, test, 1, "Disconnect", LOST);
    rig_get(&rig, "/test/1/");
    expect("Disconnect</a>: round 17: Reductio-dev (White) lost to Reductio-base (Black)<small>");
    rig_get(&rig, "/errors/");
    expect("<small>box #1</small>");
    expect("<small>round 17: Reductio-dev (White) lost to Reductio-base (Black)</small>");
    rig_get(&rig, "/event/1/");
    expect("<p>round 17: Reductio-dev (White) lost to Reductio-base (Black)</p>");
    expect("{abandoned}");
}
END_TEST

START_TEST(a_fault_whose_log_is_no_game_tells_none) {
    static const char *const logs[] = {"", "g++ -O3\nx.cpp:1: error: no [White] of \"x\"\n",
                                       "[White \"a", "[White \"a\"]\n\n1. e4 *",
                                       "{[White \"a\"][Black \"b\"]"};
    int64_t test = add_test("SPRT");
    for (size_t i = 0; i < COUNT(logs); i++)
        rig_add_error(&rig, test, 0, "Disconnect", logs[i]);
    rig_get(&rig, "/test/1/");
    expect("Disconnect</a><small>");
    expect_not("Disconnect</a>:");
}
END_TEST

START_TEST(a_test_that_no_machine_gets_says_why) {
    for (int over = 0; over < 2; over++) {
        Test test = rig_test("SPRT", "try-this");
        test.approved = true;
        test.finished = over;
        add(&test);
    }
    rig_get(&rig, "/test/1/");
    expect("No machine gets this test: the engine reductio is not in the server");
    rig_get(&rig, "/test/2/");
    expect_not("No machine gets");
}
END_TEST

START_TEST(many_faults_say_how_many_and_link_the_rest) {
    int64_t test = add_test("SPRT");
    for (int i = 0; i < 10; i++)
        rig_add_error(&rig, test, 0, "Disconnect", "");
    rig_get(&rig, "/test/1/");
    expect("What machines reported</h2>");
    expect_not("All reports of this test");
    for (int i = 0; i < 50; i++)
        rig_add_error(&rig, test, 0, "Stalled", "");
    rig_add_error(&rig, add_test("SPRT"), 0, "Illegal Move", "");
    rig_get(&rig, "/test/1/");
    expect("What machines reported <small>the newest 10 of 60</small>");
    expect("<a href=\"/errors/?test=1\">All reports of this test</a>");
    rig_get(&rig, "/errors/?test=1");
    expect("Of <a href=\"/test/1/\">test 1</a> alone.");
    expect("Stalled");
    expect_not("Illegal Move");
    expect("href=\"?test=1&#38;page=2\"");
    rig_get(&rig, "/errors/?test=1&page=2");
    expect("Disconnect");
    expect_not("rel=\"next\"");
}
END_TEST

/* ---- What compares nothing ---- */

/* The page has no words of a comparison. */
static void expect_no_comparison(void) {
    static const char *const words[] = {"<dt>Elo</dt>",     "Elo   |",
                                        "Likelihood",       "stronger one",
                                        "try-this against", "Elo, with its 95 % interval"};
    for (size_t i = 0; i < COUNT(words); i++)
        expect_not(words[i]);
}

START_TEST(a_data_generation_of_one_commit_compares_nothing) {
    int64_t test = add_data("try-this", "COMPACT");
    play(test, 200);
    rig_get(&rig, "/datagen/1/");
    expect("<h1>Training data of try-this</h1>");
    expect("One engine plays against itself and makes training data");
    expect("<dt>Games</dt><dd>400 <small>of 1,000</small>");
    expect("<dt>Machines</dt><dd>1 ");
    expect("<dt>Files of games</dt><dd>0 <small>at the button Games (PGN) below</small>");
    expect_not("Pairs by points");
    expect_no_comparison();
    rig_get(&rig, "/index/");
    expect("Training data of try-this</a>");
    expect("<span class=\"nobreak\">–</span>");
}
END_TEST

START_TEST(a_data_generation_without_games_of_machines_says_so) {
    add_data("try-this", "FALSE");
    rig_get(&rig, "/datagen/1/");
    expect("<small>PGN is FALSE: machines send none</small>");
}
END_TEST

START_TEST(a_data_generation_of_two_commits_compares_them) {
    Test test = rig_test("DATAGEN", "try-this");
    set_text(&test.sides[SIDE_BASE].branch, "other");
    play(add(&test), 200);
    rig_get(&rig, "/datagen/1/");
    expect("<h1>try-this against other</h1>");
    expect("<dt>Elo</dt>");
}
END_TEST

START_TEST(a_parameter_s_name_breaks_between_its_words) {
    int64_t test = add_test("SPSA");
    rig_add_parameter(&rig, test, "LMR_Divisor", 20, 25);
    rig_get(&rig, "/tune/1/");
    expect("<th scope=\"row\">LMR_<wbr>Divisor<small");
    expect("<th scope=\"col\" class=\"wide number\">c</th></tr>"); /* The last column. */
}
END_TEST

START_TEST(a_tuning_shows_its_parameters_and_no_elo) {
    int64_t test = add_test("SPSA");
    rig_add_parameter(&rig, test, "Value", 20, 25);
    play(test, 200);
    rig_get(&rig, "/tune/1/");
    expect("<h1>Tuning of Value in try-this</h1>");
    expect("<dt>Iterations</dt><dd>25 <small>of 100</small>");
    expect("<dt>Games</dt><dd>400 <small>of 1,600; 200 won, 100 lost, 100 drawn</small>");
    expect_no_comparison();
    expect("<summary>All numbers of the parameters</summary>");
    const char *parameters = strstr(rig_page(&rig), ">Parameters</h2>");
    const char *pairs = strstr(rig_page(&rig), ">Pairs by points</h2>");
    ck_assert_ptr_nonnull(parameters);
    ck_assert_msg(parameters < pairs, "the pairs come before the parameters");
    play(test, 600);
    rig_get(&rig, "/tune/1/");
    expect(", c 5</small>"); /* c_end, the last iteration's step */
}
END_TEST

/* ---- The changes of a test ---- */

/* Adds a test of two commits of the kept repository "mine". */
static void add_test_of(const char *base, const char *dev) {
    Test test = rig_test("SPRT", "try-this");
    set_text(&test.sides[SIDE_BASE].source, "/source/mine/x.zip");
    set_text(&test.sides[SIDE_DEV].source, "/source/mine/y.zip");
    set_text(&test.sides[SIDE_BASE].sha, base);
    set_text(&test.sides[SIDE_DEV].sha, dev);
    add(&test);
}

static SourceCommit resolve(const char *ref) {
    SourceCommit commit;
    Error err = {0};
    bool ok = sources_resolve(rig.serve.sources, "mine", ref, NULL, &commit, &err);
    ck_assert_msg(ok, "%s: %s", ref, err.text);
    return commit;
}

static void shell(const char *script) {
    char *command = text_format("cd %s && %s", rig.folder, script);
    ck_assert_int_eq(system(command), 0);
    free(command);
}

START_TEST(a_fault_of_git_is_no_missing_change) {
    rig_add_repository(&rig, "mine", "main",
                       "git tag v1 && git commit -q --allow-empty -m Killers");
    SourceCommit base = resolve("v1");
    SourceCommit dev = resolve("main");
    add_test_of(base.sha, dev.sha);
    add_test_of(base.sha, "0123456789012345678901234567890123456789");
    shell("mv repositories/mine.git away");
    rig_get(&rig, "/changes/1/");
    ck_assert_int_eq(rig.answer.status, WEB_UNAVAILABLE);
    expect(WEB_FAULT_WORDS);
    expect_not("mine.git");
    rig_expect_logged(&rig, "the repository mine: git: ");
    shell("mv away repositories/mine.git");
    rig_get(&rig, "/changes/1/");
    expect(" Killers");
    rig_get(&rig, "/changes/2/");
    ck_assert_int_eq(rig.answer.status, WEB_NOT_FOUND);
    expect("this server keeps no such commits");
    source_commit_free(&base);
    source_commit_free(&dev);
}
END_TEST

/* ---- Hostile text ---- */

START_TEST(no_text_of_a_data_generation_becomes_markup) {
    static const char evil[] = "<script>alert(1)</script>\"onload=x '<img src=x>";
    add_data(evil, evil);
    rig_get(&rig, "/datagen/1/");
    expect("Training data of &#60;script&#62;");
    expect_not("<script>");
    expect_not("<img");
}
END_TEST

START_TEST(no_tag_of_a_fault_s_game_becomes_markup) {
    int64_t test = add_test("SPRT");
    static const char log[] =
        "[Round \"<img src=x>\"]\n[White \"<script>x\"]\n[Black \"'onload=\"]\n"
        "[Result \"1-0\"]\n\n1. e4 1-0\n";
    static const char *const paths[] = {"/test/1/", "/errors/", "/event/1/"};
    rig_add_machine(&rig, test, "<img src=y>");
    rig_add_error(&rig, test, 1, "Disconnect", log);
    for (size_t i = 0; i < COUNT(paths); i++) {
        rig_get(&rig, paths[i]);
        expect("(Black) lost to &#60;script&#62;x (White)");
        expect_not("<script>");
        expect_not("<img");
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_test_shows_its_block_and_machines);
    tcase_add_test(tests, machines_of_a_test_come_in_pages);
    tcase_add_test(tests, a_test_has_one_chip_for_its_state);
    tcase_add_test(tests, a_test_that_was_stopped_is_not_finished);
    tcase_add_test(tests, sides_of_one_branch_are_told_apart_by_their_commits);
    tcase_add_test(tests, engines_that_differ_are_named);
    tcase_add_test(tests, a_long_note_is_cut_in_lists_alone);
    tcase_add_test(tests, a_fault_tells_its_game);
    tcase_add_test(tests, a_fault_whose_log_is_no_game_tells_none);
    tcase_add_test(tests, a_test_that_no_machine_gets_says_why);
    tcase_add_test(tests, many_faults_say_how_many_and_link_the_rest);
    tcase_add_test(tests, no_tag_of_a_fault_s_game_becomes_markup);
    tcase_add_test(tests, a_data_generation_of_one_commit_compares_nothing);
    tcase_add_test(tests, a_data_generation_without_games_of_machines_says_so);
    tcase_add_test(tests, a_data_generation_of_two_commits_compares_them);
    tcase_add_test(tests, a_parameter_s_name_breaks_between_its_words);
    tcase_add_test(tests, a_tuning_shows_its_parameters_and_no_elo);
    tcase_add_test(tests, a_fault_of_git_is_no_missing_change);
    tcase_add_test(tests, no_text_of_a_data_generation_becomes_markup);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    return run_tests("testpages", add_tests);
}
