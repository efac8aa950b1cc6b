/* SPDX-License-Identifier: MIT */
/* SPRTs as a whole: error rates and lengths by simulation, what is foretold of them, what is
   estimated after them, and a million inputs of any kind. */
#include "../runner.h"

#include <math.h>
#include <stdio.h>

#include "stats/estimate.h"
#include "stats/outlook.h"
#include "stats/distribution.h"
#include "tools/random.h"

static double next_share(uint64_t *state) {
    return (double)(next_random(state) >> 11) / 9007199254740992.0;
}

/* Pairs as they come in real tests: the first measured table of "Advanced LMR". */
static const Tally MEASURED = {.penta = {{16, 557, 1220, 653, 31}}};

/* Bounds far apart keep the simulated tests short; what is judged does not depend on it. */
static const SprtRule RULE = {.elo0 = 0, .elo1 = 40, .alpha = 0.05, .beta = 0.05};

/* The upper hypothesis of each model: much the same difference in its own Elo. */
static const double ELO1[] = {[SPRT_NORMALIZED] = 40, [SPRT_LOGISTIC] = 20, [SPRT_BAYES] = 30};

/* A game pair after another from these shares until the verdict. */
static Verdict simulate(const SprtRule *rule, const ScoreDistribution *truth, uint64_t *state,
                        Tally *tally) {
    enum { PAIRS_MAX = 100000 };
    LlrLimits limits = sprt_limits(rule);
    *tally = (Tally){0};
    for (int pair = 0; pair < PAIRS_MAX; pair++) {
        double draw = next_share(state);
        int cell = 0;
        while (cell < PENTA_CELLS - 1 && draw >= truth->p[cell])
            draw -= truth->p[cell++];
        tally->penta.n[cell]++;
        Verdict verdict = sprt_verdict(sprt_llr(rule, tally), limits);
        if (verdict != VERDICT_NONE)
            return verdict;
    }
    return VERDICT_NONE;
}

/* What 2,000 simulated tests of one truth come to. */
typedef struct {
    double passed;         /* share */
    double pairs;          /* mean */
    double plain, median;  /* mean errors of the two estimates' Elo, ... */
    double above, covered; /* ... and how often the corrected one, and its interval, ... */
} Outcome;

enum { TESTS = 2000 };

static ScoreDistribution measured_distribution(void) {
    Outcomes outcomes = outcomes_of(&MEASURED);
    return distribution_of(&outcomes, 0, NULL);
}

static Outcome simulate_all(const SprtRule *rule, const ScoreDistribution *truth, uint64_t seed) {
    Outcome out = {0};
    double elo = elo_of_score(distribution_moments(truth).mean);
    uint64_t state = seed;
    for (int i = 0; i < TESTS; i++) {
        Tally tally;
        EloInterval estimate;
        Verdict verdict = simulate(rule, truth, &state, &tally);
        ck_assert_int_ne(verdict, VERDICT_NONE);
        ck_assert(sprt_estimate(rule, &tally, &estimate));
        out.passed += verdict == VERDICT_H1;
        out.pairs += (double)penta_pairs(&tally.penta);
        Outcomes outcomes = outcomes_of(&tally);
        out.plain += outcomes_elo(&outcomes, INTERVAL_STUDENT).value - elo;
        out.median += estimate.value - elo;
        out.above += estimate.value > elo;
        out.covered += estimate.lower <= elo && elo <= estimate.upper;
    }
    out.passed /= (double)TESTS;
    out.pairs /= (double)TESTS;
    out.plain /= (double)TESTS;
    out.median /= (double)TESTS;
    out.above /= (double)TESTS;
    out.covered /= (double)TESTS;
    printf("%s, %.2f Elo: passed %.4f, %.1f pairs, plain %+.2f, corrected %+.2f Elo, above %.3f, "
           "covered %.3f\n",
           sprt_model_name(rule->model), elo, out.passed, out.pairs, out.plain, out.median,
           out.above, out.covered);
    return out;
}

/* Three standard errors of a share in so many tests. */
static double sampling_error(double share) {
    return 3 * sqrt(share * (1 - share) / (double)TESTS);
}

START_TEST(simulated_tests_err_no_more_often_than_the_rule_allows) {
    PairShape shape;
    ck_assert(shape_of_tally(&MEASURED, &shape));
    SprtRule rule = RULE;
    rule.model = (SprtModel)_i;
    rule.elo1 = ELO1[rule.model];
    LlrLimits limits = sprt_limits(&rule);
    double elo0 = sprt_logistic_elo(&rule, &shape, rule.elo0);
    double elo1 = sprt_logistic_elo(&rule, &shape, rule.elo1);
    ScoreDistribution measured = measured_distribution();
    ScoreDistribution truth0 = distribution_with_mean(&measured, score_of_elo(elo0));
    ScoreDistribution truth1 = distribution_with_mean(&measured, score_of_elo(elo1));
    Outcome h0 = simulate_all(&rule, &truth0, 88172645463325252ULL);
    Outcome h1 = simulate_all(&rule, &truth1, 1181783497276652981ULL);
    ck_assert_double_le(h0.passed, rule.alpha + sampling_error(rule.alpha));
    ck_assert_double_le(1 - h1.passed, rule.beta + sampling_error(rule.beta));

    /* Nor is the test idle: it is what was foretold. */
    Outlook told0 = sprt_outlook(&rule, limits, &shape, elo0);
    Outlook told1 = sprt_outlook(&rule, limits, &shape, elo1);
    if (rule.model == SPRT_NORMALIZED) {
        ck_assert_double_eq_tol(told0.normalized, rule.elo0, 1e-6);
        ck_assert_double_eq_tol(told1.normalized, rule.elo1, 1e-6);
    }
    ck_assert_double_eq_tol(h0.passed, told0.pass, sampling_error(told0.pass));
    ck_assert_double_eq_tol(h1.passed, told1.pass, sampling_error(told1.pass));
    ck_assert_double_eq_tol(h0.pairs / told0.pairs, 1, 0.05);
    ck_assert_double_eq_tol(h1.pairs / told1.pairs, 1, 0.05);
}
END_TEST

START_TEST(estimates_after_a_test_allow_for_its_stopping) {
    ScoreDistribution measured = measured_distribution();
    for (int i = 0; i < 2; i++) {
        ScoreDistribution truth =
            distribution_with_t(&measured, t_of_normalized_elo(PENTA_CELLS, i ? 60 : 0));
        Outcome seen = simulate_all(&RULE, &truth, 2463534242ULL);
        ck_assert_double_gt(fabs(seen.plain), 1.5 * fabs(seen.median));
        ck_assert_double_eq_tol(seen.above, 0.5, sampling_error(0.5));
        ck_assert_double_ge(seen.covered, 0.95 - sampling_error(0.05));
    }
}
END_TEST

START_TEST(exact_limits_make_the_error_rates_exact) {
    PairShape shape;
    ck_assert(shape_of_tally(&MEASURED, &shape));
    const SprtRule rules[] = {
        RULE,
        {.elo0 = 0, .elo1 = 5, .alpha = 0.05, .beta = 0.1},
        {.elo0 = -10, .elo1 = 0, .alpha = 0.01, .beta = 0.2},
        {.elo0 = 0, .elo1 = 5, .alpha = 0.05, .beta = 0.05, .model = SPRT_LOGISTIC},
        {.elo0 = 0, .elo1 = 5, .alpha = 0.05, .beta = 0.05, .model = SPRT_BAYES}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const SprtRule *rule = &rules[i];
        LlrLimits wald = sprt_limits(rule);
        LlrLimits exact;
        ck_assert(sprt_exact_limits(rule, &shape, &exact));
        Outlook h0 = sprt_outlook(rule, exact, &shape, sprt_logistic_elo(rule, &shape, rule->elo0));
        Outlook h1 = sprt_outlook(rule, exact, &shape, sprt_logistic_elo(rule, &shape, rule->elo1));
        ck_assert_double_eq_tol(h0.pass, rule->alpha, 1e-4);
        ck_assert_double_eq_tol(1 - h1.pass, rule->beta, 1e-4);
        ck_assert_double_gt(exact.lower, wald.lower);
        ck_assert_double_lt(exact.upper, wald.upper);
    }
}
END_TEST

START_TEST(what_cannot_be_planned_is_said) {
    Error err = {0};
    LlrLimits exact;
    PairShape even = shape_of_draws(0.999), usual = shape_of_draws(0.55);
    SprtRule rule = {.elo0 = 0, .elo1 = 0.15, .alpha = 0.05, .beta = 0.05};
    ck_assert(sprt_check_outlook(&rule, &usual, &err));
    Outlook h0 =
        sprt_outlook(&rule, sprt_limits(&rule), &usual, sprt_logistic_elo(&rule, &usual, 0));
    ck_assert_double_eq_tol(h0.pass, 0.05, 0.002);
    rule.elo1 = 0.02;
    ck_assert(!sprt_check_outlook(&rule, &usual, &err));
    ck_assert_str_eq(err.text,
                     "the bounds 0 and 0.02 are too near to each other to be planned with "
                     "such pairs");
    /* A single decided game leads far past the limits that would do. */
    rule = (SprtRule){.elo0 = 0, .elo1 = 150, .alpha = 0.4, .beta = 0.4, .model = SPRT_LOGISTIC};
    ck_assert(!sprt_exact_limits(&rule, &even, &exact));
}
END_TEST

START_TEST(limits_near_0_are_found) {
    PairShape usual = shape_of_draws(0.5);
    SprtRule rule = {.elo0 = 0, .elo1 = 5, .alpha = 0.4, .beta = 0.4};
    LlrLimits exact;
    ck_assert(sprt_exact_limits(&rule, &usual, &exact));
    double pass = sprt_outlook(&rule, exact, &usual, sprt_logistic_elo(&rule, &usual, 0)).pass;
    ck_assert_double_eq_tol(pass, 0.4, 1e-4);
}
END_TEST

START_TEST(small_steps_come_to_what_brownian_motion_does) {
    /* Of a motion that ends at either wall: exp(-2 drift x) is a martingale. */
    static const double DRIFTS[] = {-2, -0.3, -1e-9, 0.4, 3};
    for (size_t i = 0; i < sizeof DRIFTS / sizeof *DRIFTS; i++) {
        double mu = DRIFTS[i], a = -1.5, b = 2;
        double ever = (1 - exp(-2 * mu * a)) / (exp(-2 * mu * b) - exp(-2 * mu * a));
        ck_assert_double_eq_tol(brownian_passes(mu, a, b, 1e4), ever, 1e-7);
        ck_assert_double_eq_tol(brownian_passes(mu, a, b, 1e4) + brownian_passes(-mu, -b, -a, 1e4),
                                1, 1e-9);
        /* With the other wall far away: the inverse Gaussian distribution. */
        double one = normal_below((mu * 3 - b) / sqrt(3)) +
                     exp(2 * mu * b) * normal_below((-mu * 3 - b) / sqrt(3));
        ck_assert_double_eq_tol(brownian_passes(mu, -500, b, 3), one, 1e-9);
        double last = 0;
        for (double time = 0.01; time < 20; time *= 1.5) {
            double now = brownian_passes(mu, a, b, time);
            ck_assert_double_ge(now, last - 1e-12);
            last = now;
        }
    }
    /* A test of very close hypotheses is such a motion. */
    PairShape shape;
    ck_assert(shape_of_tally(&MEASURED, &shape));
    SprtRule rule = {.elo0 = 0, .elo1 = 2, .alpha = 0.05, .beta = 0.05};
    LlrLimits limits = sprt_limits(&rule);
    double step = t_of_normalized_elo(PENTA_CELLS, 2);
    Outlook even = sprt_outlook(&rule, limits, &shape, sprt_logistic_elo(&rule, &shape, 1));
    ck_assert_double_eq_tol(even.pass, 0.5, 1e-3);
    ck_assert_double_eq_tol(even.pairs / (limits.upper * limits.upper / (step * step)), 1, 0.01);
}
END_TEST

START_TEST(shapes_of_draws_are_those_of_independent_games) {
    PairShape shape = shape_of_draws(0.5);
    static const double EXPECTED[] = {1 / 16.0, 1 / 4.0, 3 / 8.0, 1 / 4.0, 1 / 16.0};
    for (int i = 0; i < PENTA_CELLS; i++)
        ck_assert_double_eq_tol(shape.p[i], EXPECTED[i], 1e-12);
    SprtRule rule = {.elo0 = 0, .elo1 = 5, .alpha = 0.05, .beta = 0.05, .model = SPRT_LOGISTIC};
    ck_assert_double_eq_tol(sprt_logistic_elo(&rule, &shape, 5), 5, 1e-9);
    /* Independent games: a pair's normalized Elo is the game's. */
    rule.model = SPRT_NORMALIZED;
    double sigma = sqrt(0.5 / 4);
    double game = elo_of_score(0.5 + 5 * M_LN10 / 800 * sigma);
    ck_assert_double_eq_tol(sprt_logistic_elo(&rule, &shape, 5), game, 0.01);
}
END_TEST

/* The logistic Elo of a Bayes Elo between engines that draw this share when they are equal. */
static double elo_of_bayes(double elo, double draws) {
    double draw_elo = 400 * log10(2 / (1 - draws) - 1);
    return elo_of_score((1 + score_of_elo(elo - draw_elo) - score_of_elo(-elo - draw_elo)) / 2);
}

START_TEST(bayes_elo_depends_on_the_share_of_drawn_games) {
    static const double DRAWS[] = {0.1, 0.55, 0.8};
    SprtRule rule = {.elo0 = 0, .elo1 = 5, .alpha = 0.05, .beta = 0.05, .model = SPRT_BAYES};
    for (size_t i = 0; i < COUNT(DRAWS); i++) {
        PairShape shape = shape_of_draws(DRAWS[i]);
        ck_assert_double_eq_tol(sprt_logistic_elo(&rule, &shape, 5), elo_of_bayes(5, DRAWS[i]),
                                1e-9);
    }
    /* Of the 1,220 even pairs of this test 182 are a win and a loss. */
    PairShape shape;
    Tally tally = {.penta = MEASURED.penta, .losses = 771, .draws = 3286, .wins = 897};
    ck_assert(shape_of_tally(&tally, &shape));
    ck_assert_double_eq_tol(sprt_logistic_elo(&rule, &shape, 5), elo_of_bayes(5, 3286 / 4954.0),
                            1e-9);
    /* Where the games are not known, an even pair is two drawn games. */
    ck_assert(shape_of_tally(&MEASURED, &shape));
    ck_assert_double_eq_tol(sprt_logistic_elo(&rule, &shape, 5), elo_of_bayes(5, 3650 / 4954.0),
                            1e-5);
}
END_TEST

START_TEST(models_judge_as_their_formulas_say) {
    Tally tally = {.losses = 1045, .draws = 2738, .wins = 1171};
    SprtRule rule = {.elo0 = 0, .elo1 = 5, .alpha = 0.05, .beta = 0.05, .model = SPRT_LOGISTIC};
    double n = 4954, mean = (1171 + 2738 / 2.0) / n;
    double variance = (1171 + 2738 / 4.0) / n - mean * mean;
    double s0 = 0.5, s1 = score_of_elo(5);
    double normal = n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance);
    ck_assert_double_eq_tol(sprt_llr(&rule, &tally), normal, 0.01);

    rule.model = SPRT_NORMALIZED;
    double sigma = sqrt(variance), t1 = 5 * M_LN10 / 800;
    ck_assert_double_eq_tol(sprt_llr(&rule, &tally), n * t1 * ((mean - 0.5) / sigma - t1 / 2),
                            0.01);

    rule.model = SPRT_BAYES;
    double loss = 1045 / n, win = 1171 / n;
    double draw_elo = 200 * log10((1 / loss - 1) * (1 / win - 1));
    double w0 = 1 / (1 + pow(10, draw_elo / 400)), w1 = 1 / (1 + pow(10, (draw_elo - 5) / 400));
    double l1 = 1 / (1 + pow(10, (draw_elo + 5) / 400));
    double bayes =
        1171 * log(w1 / w0) + 1045 * log(l1 / w0) + 2738 * log((1 - w1 - l1) / (1 - 2 * w0));
    ck_assert_double_eq_tol(sprt_llr(&rule, &tally), bayes, 1e-6);

    Outcomes games = outcomes_of(&tally);
    ck_assert_int_eq(games.cells, TRI_CELLS);
    EloInterval elo = outcomes_elo(&games, INTERVAL_NORMAL);
    double half = 1.959964 * sqrt(variance / n);
    ck_assert_double_eq_tol(elo.value, -400 * log10(1 / mean - 1), 1e-9);
    ck_assert_double_eq_tol(elo.upper, -400 * log10(1 / (mean + half) - 1), 1e-4);
    EloInterval student = outcomes_elo(&games, INTERVAL_STUDENT);
    ck_assert_double_gt(student.upper, elo.upper);
    ck_assert_double_eq_tol(student.upper, elo.upper, 0.01);
    EloInterval normalized = outcomes_normalized_elo(&games, INTERVAL_NORMAL);
    ck_assert_double_eq_tol(normalized.value, (mean - 0.5) / sigma * 800 / M_LN10, 1e-3);

    double ratio;
    Penta penta = {{16, 557, 1220, 653, 31}};
    ck_assert(stats_draw_ratio(&penta, &ratio));
    ck_assert_double_eq_tol(ratio, 1220 / 2477.0, 1e-12);
    ck_assert(stats_pair_ratio(&penta, &ratio));
    ck_assert_double_eq_tol(ratio, 684 / 573.0, 1e-12);
    ck_assert(!stats_pair_ratio(&(Penta){{0, 0, 5, 1, 0}}, &ratio));
    ck_assert(!stats_draw_ratio(&(Penta){{0}}, &ratio));
}
END_TEST

static bool is_interval(const EloInterval *elo) {
    return isfinite(elo->lower) && isfinite(elo->upper) && elo->lower <= elo->value &&
           elo->value <= elo->upper;
}

/* Counts of any size, many of them 0; games in every second one, without pairs in every fourth. */
static Tally random_tally(uint64_t *state) {
    enum { BITS = 50 };
    Tally tally = {0};
    int64_t n[PENTA_CELLS + TRI_CELLS];
    for (int i = 0; i < PENTA_CELLS + TRI_CELLS; i++) {
        uint64_t size = next_random(state) % BITS;
        bool zero = next_random(state) % 3 == 0;
        n[i] = zero ? 0 : (int64_t)((next_random(state) >> 14) >> (BITS - size));
    }
    uint64_t kind = next_random(state) % 4;
    for (int i = 0; i < PENTA_CELLS && kind != 0; i++)
        tally.penta.n[i] = n[i];
    if (kind < 2) {
        tally.losses = n[PENTA_CELLS];
        tally.draws = n[PENTA_CELLS + 1];
        tally.wins = n[PENTA_CELLS + 2];
    }
    return tally;
}

START_TEST(a_million_inputs_give_numbers) {
    enum { TRIALS = 1000000, EMULATED = 50000, ESTIMATES_EVERY = 50, OUTLOOKS_EVERY = 20000 };
    bool fewer = left_out_in_emulation("all inputs but 50000", "floating point is slow there");
    int trials = fewer ? EMULATED : TRIALS;
    uint64_t state = 88172645463325252ULL;
    for (int trial = 0; trial < trials; trial++) {
        Tally tally = random_tally(&state);
        SprtRule rule = {.alpha = 0.001 + 0.4 * next_share(&state),
                         .beta = 0.001 + 0.4 * next_share(&state),
                         .model = (SprtModel)(next_random(&state) % 3)};
        rule.elo0 = 400 * next_share(&state) - 200;
        rule.elo1 = rule.elo0 + (200 - rule.elo0) * (0.001 + 0.999 * next_share(&state));
        Outcomes outcomes = outcomes_of(&tally);
        double llr = sprt_llr(&rule, &tally);
        double los = outcomes_los(&outcomes);
        EloInterval normal = outcomes_elo(&outcomes, INTERVAL_NORMAL);
        EloInterval normalized = outcomes_normalized_elo(&outcomes, INTERVAL_NORMAL);
        bool ok = isfinite(llr) && los >= 0 && los <= 1 && is_interval(&normal) &&
                  is_interval(&normalized);
        EloInterval estimate = {0}, student = {0};
        if (trial % ESTIMATES_EVERY == 0) {
            student = outcomes_elo(&outcomes, INTERVAL_STUDENT);
            ok = ok && is_interval(&student);
            ok = ok && (!sprt_estimate(&rule, &tally, &estimate) || is_interval(&estimate));
        }
        PairShape shape;
        Outlook outlook = {0};
        if (trial % OUTLOOKS_EVERY == 0 && shape_of_tally(&tally, &shape)) {
            outlook = sprt_outlook(&rule, sprt_limits(&rule), &shape, rule.elo1);
            ok = ok && outlook.pass >= 0 && outlook.pass <= 1 && isfinite(outlook.pairs);
        }
        ck_assert_msg(ok,
                      "trial %d: penta %lld,%lld,%lld,%lld,%lld tri %lld,%lld,%lld %s [%g, %g]: "
                      "llr %g los %g elo %g %g %g normalized %g %g %g estimate %g %g %g pass %g "
                      "pairs %g",
                      trial, (long long)tally.penta.n[0], (long long)tally.penta.n[1],
                      (long long)tally.penta.n[2], (long long)tally.penta.n[3],
                      (long long)tally.penta.n[4], (long long)tally.losses, (long long)tally.draws,
                      (long long)tally.wins, sprt_model_name(rule.model), rule.elo0, rule.elo1, llr,
                      los, normal.lower, normal.value, normal.upper, normalized.lower,
                      normalized.value, normalized.upper, estimate.lower, estimate.value,
                      estimate.upper, outlook.pass, outlook.pairs);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, simulated_tests_err_no_more_often_than_the_rule_allows, 0,
                        COUNT(ELO1));
    tcase_add_test(tests, estimates_after_a_test_allow_for_its_stopping);
    tcase_add_test(tests, exact_limits_make_the_error_rates_exact);
    tcase_add_test(tests, what_cannot_be_planned_is_said);
    tcase_add_test(tests, limits_near_0_are_found);
    tcase_add_test(tests, small_steps_come_to_what_brownian_motion_does);
    tcase_add_test(tests, shapes_of_draws_are_those_of_independent_games);
    tcase_add_test(tests, bayes_elo_depends_on_the_share_of_drawn_games);
    tcase_add_test(tests, models_judge_as_their_formulas_say);
    tcase_add_test(tests, a_million_inputs_give_numbers);
}

int main(void) {
    return run_tests("sequential", add_tests);
}
