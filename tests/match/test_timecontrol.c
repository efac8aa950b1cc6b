/* SPDX-License-Identifier: MIT */
/* Time controls, the clock's arithmetic, and the resign and draw counters. */
#include "../runner.h"

#include <stdio.h>
#include <string.h>

#include "match/adjudication.h"
#include "match/timecontrol.h"

static TimeControl parsed(const char *text) {
    TimeControl tc;
    Error err = {0};
    ck_assert_msg(timecontrol_parse(text, &tc, &err), "%s", err.text);
    return tc;
}

START_TEST(every_form_is_read_and_written) {
    static const struct {
        const char *text, *report, *pgn;
    } forms[] = {
        {"8+0.08", "8.0+0.08s", "8+0.08"},
        {"8.0+0.08", "8.0+0.08s", "8+0.08"},
        {"40/10.0+0.10", "40/10.0+0.10s", "40/10+0.1"},
        {"60", "60.0+0.00s", "60"},
        {".25+.001", "0.25+0.001s", "0.25+0.001"},
        {"0+1", "0.0+1.00s", "0+1"},
        {"1+1", "1.0+1.00s", "1+1"},
        {"1.13+1.001", "1.13+1.001s", "1.13+1.001"}, /* No double is 1.13. */
        {"N=5000", "N=5000", "-"},
        {"D=8", "D=8", "-"},
        {"MT=100", "MT=100", "0.1/move"},
        {"MT=1000", "MT=1000", "1/move"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        TimeControl tc = parsed(forms[i].text);
        char text[TIMECONTROL_TEXT_MAX];
        timecontrol_format(&tc, text);
        ck_assert_str_eq(text, forms[i].report);
        timecontrol_format_pgn(&tc, text);
        ck_assert_str_eq(text, forms[i].pgn);
    }
    TimeControl tc = parsed("40/10.5+0.1");
    ck_assert_int_eq(tc.kind, TC_CLOCK);
    ck_assert_int_eq(tc.moves, 40);
    ck_assert_int_eq(tc.base_ms, 10500);
    ck_assert_int_eq(tc.inc_ms, 100);
}
END_TEST

START_TEST(every_fault_is_named) {
    static const struct {
        const char *text, *error;
    } faults[] = {
        {"",
         "time control '': is not a time control such as 8+0.08, 40/10+0.1, N=5000, D=8 or MT=100"},
        {"x", "time control 'x': is not a time control such as 8+0.08, 40/10+0.1, N=5000, D=8 or "
              "MT=100"},
        {"-8+1", "time control '-8+1': is not a time control such as 8+0.08, 40/10+0.1, N=5000, "
                 "D=8 or MT=100"},
        {"8+", "time control '8+': increment in seconds: '' is not a number"},
        {"8+-1", "time control '8+-1': increment in seconds: -1 is not between 0 and 1000000"},
        {"8+0.08s", "time control '8+0.08s': increment in seconds: '0.08s' is not a number"},
        {"8+1+1", "time control '8+1+1': increment in seconds: '1+1' is not a number"},
        {"0/8", "time control '0/8': moves in a period: 0 is not between 1 and 1000"},
        {"4.5/8", "time control '4.5/8': moves in a period: '4.5' is not a whole number"},
        {"40/", "time control '40/': base time in seconds: '' is not a number"},
        {"0+0", "time control '0+0': the base time and the increment are both below 1 ms"},
        {"0.0001", "time control '0.0001': the base time and the increment are both below 1 ms"},
        {"1e9", "time control '1e9': base time in seconds: 1e9 is not between 0 and 1000000"},
        {"N=0", "time control 'N=0': nodes: 0 is not between 1 and 1000000000000000"},
        {"N=", "time control 'N=': nodes: '' is not a whole number"},
        {"D=1.5", "time control 'D=1.5': depth: '1.5' is not a whole number"},
        {"MT=0", "time control 'MT=0': move time in ms: 0 is not between 1 and 1000000000"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        TimeControl tc;
        Error err = {0};
        ck_assert_msg(!timecontrol_parse(faults[i].text, &tc, &err), "'%s' was taken",
                      faults[i].text);
        ck_assert_str_eq(err.text, faults[i].error);
    }
}
END_TEST

START_TEST(times_are_scaled_to_hundredths) {
    static const struct {
        const char *text;
        double factor;
        int64_t base, inc, movetime;
    } cases[] = {
        {"8+0.08", 1, 8000, 80, 0},       {"8+0.08", 1.2345, 9880, 100, 0},
        {"8+0.08", 0.5, 4000, 40, 0},     {"8+0.08", 0.01, 80, 0, 0},
        {"40/10+0.1", 0.66, 6600, 70, 0}, {"MT=100", 1.5, 0, 0, 150},
        {"MT=100", 0.001, 0, 0, 10},      {"0.01", 0.001, 10, 0, 0},
        {"0+0.01", 0.01, 0, 10, 0},       {"9e5", 1e9, 1000000000, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TimeControl tc = parsed(cases[i].text);
        TimeControl scaled = timecontrol_scale(&tc, cases[i].factor);
        ck_assert_int_eq(scaled.base_ms, cases[i].base);
        ck_assert_int_eq(scaled.inc_ms, cases[i].inc);
        ck_assert_int_eq(scaled.movetime_ms, cases[i].movetime);
        ck_assert_int_eq(scaled.moves, tc.moves);
    }
    TimeControl nodes = parsed("N=5000");
    ck_assert_int_eq(timecontrol_scale(&nodes, 2).nodes, 5000);
    ck_assert(!timecontrol_is_timed(&nodes));
}
END_TEST

START_TEST(a_clock_is_charged_and_judged_by_its_margin) {
    enum { MARGIN = 250 };
    TimeControl tc = parsed("1+0.1");
    GameClock clock;
    int64_t overrun = 0;
    gameclock_start(&clock, &tc, MARGIN);
    ck_assert_int_eq(clock.left_ms, 1100);
    ck_assert_int_eq(clock.moves_to_go, 0);
    ck_assert(gameclock_charge(&clock, 600, &overrun));
    ck_assert_int_eq(clock.left_ms, 600);
    ck_assert_int_eq(gameclock_deadline_ms(&clock), 851);
    /* Exactly the margin is forgiven, and what was overdrawn with it. */
    ck_assert(gameclock_charge(&clock, 850, &overrun));
    ck_assert_int_eq(clock.left_ms, 100);
    ck_assert(!gameclock_charge(&clock, 351, &overrun));
    ck_assert_int_eq(overrun, 251);
}
END_TEST

START_TEST(a_period_is_credited_before_its_last_move_is_charged) {
    TimeControl tc = parsed("3/1+0.1");
    GameClock clock;
    int64_t overrun = 0;
    gameclock_start(&clock, &tc, 0);
    static const int to_go[] = {3, 2, 1, 3, 2, 1};
    static const int64_t left[] = {1100, 700, 300, 900, 500, 100};
    for (size_t i = 0; i < sizeof to_go / sizeof *to_go; i++) {
        ck_assert_int_eq(clock.moves_to_go, to_go[i]);
        ck_assert_int_eq(clock.left_ms, left[i]);
        ck_assert(gameclock_charge(&clock, 500, &overrun));
    }
    gameclock_start(&clock, &tc, 0);
    ck_assert(gameclock_charge(&clock, 0, &overrun));
    ck_assert(gameclock_charge(&clock, 0, &overrun));
    ck_assert_int_eq(clock.left_ms, 1300);
    ck_assert_int_eq(gameclock_deadline_ms(&clock), 2301);
    ck_assert(gameclock_charge(&clock, 2300, &overrun));
    ck_assert_int_eq(clock.left_ms, 100);
    ck_assert_int_eq(clock.moves_to_go, 3);
}
END_TEST

START_TEST(move_time_is_the_same_for_each_move_and_nodes_have_none) {
    TimeControl tc = parsed("MT=100");
    GameClock clock;
    int64_t overrun = 0;
    gameclock_start(&clock, &tc, 20);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(clock.left_ms, 100);
        ck_assert(gameclock_charge(&clock, 120, &overrun));
    }
    ck_assert(!gameclock_charge(&clock, 121, &overrun));
    ck_assert_int_eq(overrun, 21);

    tc = parsed("N=1000");
    gameclock_start(&clock, &tc, 0);
    ck_assert(gameclock_charge(&clock, 1000000, &overrun));
    ck_assert_int_eq(gameclock_deadline_ms(&clock), -1);
}
END_TEST

START_TEST(rules_of_adjudication_are_read_strictly) {
    ResignRule resign;
    DrawRule draw;
    Error err = {0};
    ck_assert(adjudication_parse_resign("movecount=3 score=400", &resign, &err));
    ck_assert(resign.on && resign.movecount == 3 && resign.score == 400);
    ck_assert(adjudication_parse_draw("score=10 movenumber=40  movecount=8", &draw, &err));
    ck_assert(draw.on && draw.movenumber == 40 && draw.movecount == 8 && draw.score == 10);
    ck_assert(adjudication_parse_draw("movenumber=0 movecount=1 score=0", &draw, &err) && draw.on);
    ck_assert(!adjudication_parse_draw("movenumber=0 movecount=0 score=0", &draw, &err));
    ck_assert_str_eq(err.text,
                     "'movenumber=0 movecount=0 score=0' is no rule such as \"movenumber=40 "
                     "movecount=8 score=10\": movecount: 0 is not between 1 and 1000");
    ck_assert(adjudication_parse_resign("movecount=1000 score=100000", &resign, &err));
    ck_assert(!adjudication_parse_resign("movecount=1001 score=100000", &resign, &err));
    ck_assert(!adjudication_parse_resign("movecount=1000 score=100001", &resign, &err));
    ck_assert(adjudication_parse_draw("movenumber=1000 movecount=1000 score=100000", &draw, &err));
    ck_assert(adjudication_parse_resign("None", &resign, &err) && !resign.on);
    ck_assert(adjudication_parse_draw("none", &draw, &err) && !draw.on);

    static const struct {
        const char *text, *error;
    } faults[] = {
        {"", "'' is no rule such as \"movecount=3 score=400\": movecount=N is missing"},
        {"movecount=3",
         "'movecount=3' is no rule such as \"movecount=3 score=400\": score=N is missing"},
        {"movecount=3 score=4 score=4", "'movecount=3 score=4 score=4' is no rule such as "
                                        "\"movecount=3 score=400\": score is given twice"},
        {"movecount=0 score=4", "'movecount=0 score=4' is no rule such as \"movecount=3 "
                                "score=400\": movecount: 0 is not between 1 and 1000"},
        {"movecount score=4", "'movecount score=4' is no rule such as \"movecount=3 score=400\": "
                              "'movecount' is not part of this rule"},
        {"twosided=true", "'twosided=true' is no rule such as \"movecount=3 score=400\": "
                          "'twosided=true' is not part of this rule"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        ck_assert(!adjudication_parse_resign(faults[i].text, &resign, &err));
        ck_assert_str_eq(err.text, faults[i].error);
    }
}
END_TEST

static MoveScore centipawns(int value) {
    return (MoveScore){.known = true, .value = value};
}

static MoveScore mate(int value) {
    return (MoveScore){.known = true, .is_mate = true, .value = value};
}

/* Counts the move and asks for the verdict on what is then move `fullmove`. */
static Adjudged judge(Adjudicator *a, Color mover, MoveScore score, bool zeroing, int fullmove) {
    adjudicator_count(a, mover, &score, zeroing);
    return adjudicator_verdict(a, mover, &score, fullmove);
}

static const Adjudication RULES = {
    .resign = {.on = true, .movecount = 3, .score = 400},
    .draw = {.on = true, .movenumber = 40, .movecount = 8, .score = 10},
};

START_TEST(a_side_resigns_by_its_own_scores_in_a_row) {
    Adjudicator a;
    adjudicator_start(&a, &RULES);
    /* White despairs, sees hope once (or says nothing), and despairs again. */
    ck_assert_int_eq(judge(&a, WHITE, centipawns(-400), false, 10), ADJUDGED_NONE);
    ck_assert_int_eq(judge(&a, BLACK, centipawns(900), false, 11), ADJUDGED_NONE);
    ck_assert_int_eq(judge(&a, WHITE, mate(-5), false, 11), ADJUDGED_NONE);
    ck_assert_int_eq(judge(&a, WHITE, centipawns(-399), false, 12), ADJUDGED_NONE);
    ck_assert_int_eq(judge(&a, WHITE, centipawns(-500), false, 13), ADJUDGED_NONE);
    ck_assert_int_eq(judge(&a, WHITE, centipawns(-500), false, 14), ADJUDGED_NONE);
    ck_assert_int_eq(judge(&a, WHITE, (MoveScore){0}, false, 15), ADJUDGED_NONE);
    ck_assert_int_eq(judge(&a, WHITE, centipawns(-500), false, 15), ADJUDGED_NONE);
    ck_assert_int_eq(judge(&a, WHITE, mate(9), false, 15), ADJUDGED_NONE);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(judge(&a, WHITE, centipawns(-500), true, 16 + i), ADJUDGED_NONE);
        ck_assert_int_eq(judge(&a, BLACK, centipawns(500), true, 16 + i), ADJUDGED_NONE);
    }
    ck_assert_int_eq(judge(&a, WHITE, centipawns(-400), true, 18), ADJUDGED_BLACK_WINS);

    adjudicator_start(&a, &RULES);
    judge(&a, BLACK, mate(-3), false, 2);
    judge(&a, BLACK, mate(-2), false, 3);
    ck_assert_int_eq(judge(&a, BLACK, mate(-1), false, 4), ADJUDGED_WHITE_WINS);
}
END_TEST

START_TEST(a_limit_of_zero_resigns_only_when_behind) {
    Adjudication rules = {.resign = {.on = true, .movecount = 1, .score = 0}};
    Adjudicator a;
    adjudicator_start(&a, &rules);
    ck_assert_int_eq(judge(&a, WHITE, centipawns(0), false, 2), ADJUDGED_NONE);
    ck_assert_int_eq(judge(&a, WHITE, centipawns(-1), false, 2), ADJUDGED_BLACK_WINS);
}
END_TEST

START_TEST(a_draw_needs_both_sides_and_the_move_number) {
    Adjudicator a;
    adjudicator_start(&a, &RULES);
    for (int i = 0; i < 15; i++)
        ck_assert_int_eq(judge(&a, i % 2, centipawns(10), false, 60), ADJUDGED_NONE);
    ck_assert_int_eq(judge(&a, BLACK, centipawns(-10), false, 40), ADJUDGED_NONE);
    ck_assert_int_eq(judge(&a, WHITE, centipawns(0), false, 41), ADJUDGED_DRAW);
    /* A capture starts the count anew and counts itself; a mate score or none ends it. */
    ck_assert_int_eq(judge(&a, BLACK, centipawns(0), true, 42), ADJUDGED_NONE);
    ck_assert_int_eq(a.draw_count, 1);
    judge(&a, WHITE, centipawns(11), true, 42);
    ck_assert_int_eq(a.draw_count, 0);
    judge(&a, BLACK, centipawns(5), false, 42);
    judge(&a, WHITE, centipawns(-11), false, 42);
    ck_assert_int_eq(a.draw_count, 0);
    judge(&a, BLACK, centipawns(5), false, 42);
    judge(&a, WHITE, mate(7), false, 43);
    ck_assert_int_eq(a.draw_count, 0);
    judge(&a, BLACK, centipawns(5), false, 43);
    judge(&a, WHITE, (MoveScore){0}, false, 44);
    ck_assert_int_eq(a.draw_count, 0);
    /* Eight moves of each side are enough. */
    for (int i = 0; i < 16; i++)
        ck_assert_int_eq(judge(&a, i % 2, centipawns(0), false, 60),
                         i < 15 ? ADJUDGED_NONE : ADJUDGED_DRAW);
}
END_TEST

START_TEST(rules_that_are_off_end_nothing) {
    Adjudicator a;
    adjudicator_start(&a, &(Adjudication){0});
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(judge(&a, i % 2, i % 2 ? centipawns(-9999) : centipawns(0), false, 99),
                         ADJUDGED_NONE);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, every_form_is_read_and_written);
    tcase_add_test(tests, every_fault_is_named);
    tcase_add_test(tests, times_are_scaled_to_hundredths);
    tcase_add_test(tests, a_clock_is_charged_and_judged_by_its_margin);
    tcase_add_test(tests, a_period_is_credited_before_its_last_move_is_charged);
    tcase_add_test(tests, move_time_is_the_same_for_each_move_and_nodes_have_none);
    tcase_add_test(tests, rules_of_adjudication_are_read_strictly);
    tcase_add_test(tests, a_side_resigns_by_its_own_scores_in_a_row);
    tcase_add_test(tests, a_limit_of_zero_resigns_only_when_behind);
    tcase_add_test(tests, a_draw_needs_both_sides_and_the_move_number);
    tcase_add_test(tests, rules_that_are_off_end_nothing);
}

int main(void) {
    return run_tests("timecontrol", add_tests);
}
