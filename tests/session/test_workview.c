/* SPDX-License-Identifier: MIT */
/* The lines that stand on the terminal before a working machine. */
#include <string.h>

#include "session/view.h"
#include "runner.h"

enum { WIDTH = 80 };

/* The test's state, as the server told it. */
static const WorkView playing = {.server = "http://s",
                                 .machine_id = 2,
                                 .threads = 4,
                                 .state = "playing",
                                 .has_test = true,
                                 .test_id = 5,
                                 .test_type = "SPRT",
                                 .dev = "faster",
                                 .dev_engine = "Tiny",
                                 .base = "main",
                                 .base_engine = "Tiny",
                                 .games_over = 1,
                                 .games = 64,
                                 .known = true,
                                 .sprt = true,
                                 .server_games = 3,
                                 .next_wait_s = -1};

/* The view of the test with this ratio and these bounds has this line. */
static void expect_llr(double llr, double lower, double upper, const char *line) {
    WorkView view = playing;
    Text lines = {0};
    view.llr = llr;
    view.llr_lower = lower;
    view.llr_upper = upper;
    workview_write(&view, WIDTH, &lines);
    ck_assert_msg(strstr(text_string(&lines), line) != NULL, "no \"%s\" in:\n%s", line,
                  text_string(&lines));
    text_free(&lines);
}

START_TEST(no_zero_of_the_ratio_has_a_minus) {
    expect_llr(-0.004, -2.25, 2.89, "LLR     +0.00 (-2.25, +2.89) after 3 games\n");
    expect_llr(-0.0, -0.001, 0.001, "LLR     +0.00 (+0.00, +0.00) after 3 games\n");
    expect_llr(-0.006, -2.25, 2.89, "LLR     -0.01 (-2.25, +2.89) after 3 games\n");
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, no_zero_of_the_ratio_has_a_minus);
}

int main(void) {
    return run_tests("workview", add_tests);
}
