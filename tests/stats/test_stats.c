/* SPDX-License-Identifier: MIT */
/* Elo, its interval, the LLR and the order in which pairs are judged. */
#include "../runner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/bounds.h"
#include "stats/sequence.h"
#include "stats/sprt.h"
#include "tools/random.h"

/* Counts, bounds, and what an OpenBench server computes for them. */
typedef struct {
    Penta penta;
    double elo0, elo1, lower, value, upper, llr;
} Row;

static const double TOLERANCE = 1e-4;

static double penta_llr(const Penta *penta, double elo0, double elo1) {
    SprtRule rule = {.elo0 = elo0, .elo1 = elo1};
    return sprt_llr(&rule, &(Tally){.penta = *penta});
}

static double penta_los(const Penta *penta) {
    Outcomes outcomes = outcomes_of_penta(penta);
    return outcomes_los(&outcomes);
}

static EloInterval penta_elo(const Penta *penta) {
    Outcomes outcomes = outcomes_of_penta(penta);
    return outcomes_elo(&outcomes, INTERVAL_STUDENT);
}

static void check_row(const Row *row, const char *name) {
    EloInterval elo = penta_elo(&row->penta);
    double llr = penta_llr(&row->penta, row->elo0, row->elo1);
    ck_assert_msg(fabs(elo.value - row->value) < TOLERANCE, "%s: Elo %f, not %f", name, elo.value,
                  row->value);
    ck_assert_msg(fabs(elo.lower - row->lower) < TOLERANCE, "%s: lower %f, not %f", name, elo.lower,
                  row->lower);
    ck_assert_msg(fabs(elo.upper - row->upper) < TOLERANCE, "%s: upper %f, not %f", name, elo.upper,
                  row->upper);
    ck_assert_msg(fabs(llr - row->llr) < TOLERANCE, "%s: LLR %f, not %f", name, llr, row->llr);
}

START_TEST(known_tests_come_out_as_servers_compute_them) {
    static const Row rows[] = {
        {{{16, 557, 1220, 653, 31}}, 0, 5, 3.706613, 8.838580, 13.974407, 2.905592},
        {{{122, 2731, 5805, 2964, 107}}, 0, 5, 0.646722, 3.006701, 5.366957, 3.072779},
        {{{0, 0, 10, 0, 0}}, 0, 5, 0, 0, 0, -0.002699},
        {{{144, 3, 1, 0, 0}}, 0, 5, -1199.826195, -827.867239, -703.074376, -3.016909},
        {{{0, 1, 0, 0, 0}}, 0, 5, 0, 0, 0, -0.014599},
        {{{1, 1, 1, 1, 1}}, -5, 0, -474.917673, 0, 474.917673, 0.001035},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[32];
        snprintf(name, sizeof name, "row %zu", i);
        check_row(&rows[i], name);
    }
}
END_TEST

/* Of one degree of freedom: a wide one. */
START_TEST(two_pairs_have_an_interval) {
    EloInterval elo = penta_elo(&(Penta){{0, 0, 1, 1, 0}});
    ck_assert_double_eq_tol(elo.value, 400 * log10(0.625 / 0.375), 0.5);
    ck_assert_double_gt(elo.upper, 1000);
    ck_assert_double_lt(elo.lower, -1000);
    Outcomes outcomes = outcomes_of_penta(&(Penta){{0, 0, 1, 1, 0}});
    ck_assert_ptr_null(outcomes_no_interval(&outcomes));
}
END_TEST

START_TEST(a_margin_is_the_larger_half) {
    ck_assert_double_eq(elo_margin(&(EloInterval){-5, 10, 30}), 20);
    ck_assert_double_eq(elo_margin(&(EloInterval){-30, -10, 5}), 20);
}
END_TEST

START_TEST(an_interval_reaches_either_end_of_the_scale) {
    EloInterval low = penta_elo(&(Penta){{144, 3, 1, 0, 0}});
    EloInterval high = penta_elo(&(Penta){{0, 0, 1, 3, 144}});
    EloInterval within = penta_elo(&(Penta){{1, 1, 1, 1, 1}});
    ck_assert(elo_reaches_end(&low) && elo_reaches_end(&high) && !elo_reaches_end(&within));
    EloInterval opened[] = {low, high, within};
    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++)
        elo_open_ends(&opened[i]);
    ck_assert_double_eq(opened[0].lower, -INFINITY);
    ck_assert_double_eq(opened[0].upper, low.upper);
    ck_assert_double_eq(opened[1].lower, high.lower);
    ck_assert_double_eq(opened[1].upper, INFINITY);
    ck_assert_double_eq(opened[2].lower, within.lower);
    ck_assert_double_eq(opened[2].upper, within.upper);
}
END_TEST

START_TEST(normalized_elo_has_the_interval_of_the_score) {
    Outcomes outcomes = outcomes_of_penta(&(Penta){{16, 557, 1220, 653, 31}});
    EloInterval elo = outcomes_normalized_elo(&outcomes, INTERVAL_STUDENT);
    ck_assert_double_eq_tol(elo.lower, 6.993313, 1e-6);
    ck_assert_double_eq_tol(elo.value, 16.672898, 1e-6);
    ck_assert_double_eq_tol(elo.upper, 26.352483, 1e-6);
}
END_TEST

/* The most likely pairs p * n / (1 + t (score - 1/2)), with t such that the mean is 1/2. */
START_TEST(equal_engines_make_the_most_likely_pairs_of_mean_one_half) {
    static const double wanted[PENTA_CELLS] = {19.529555, 612.333151, 1220, 598.882325, 26.254968};
    double expected[PENTA_CELLS];
    stats_expected_pairs(&(Penta){{16, 557, 1220, 653, 31}}, expected);
    for (int i = 0; i < PENTA_CELLS; i++)
        ck_assert_double_eq_tol(expected[i], wanted[i], 1e-5);
}
END_TEST

START_TEST(every_golden_row_is_met) {
    enum { GOLDEN_ROWS = 71 };
    char line[256];
    FILE *file = fopen(shared_path("golden/sprt.csv"), "r");
    if (!file) {
        fprintf(stderr, "left out: the rows of golden/sprt.csv, which is not here\n");
        return;
    }
    int rows = 0;
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        Row row;
        long long n[PENTA_CELLS];
        int fields = sscanf(line, "%lld,%lld,%lld,%lld,%lld,%lf,%lf,%lf,%lf,%lf,%lf", &n[0], &n[1],
                            &n[2], &n[3], &n[4], &row.elo0, &row.elo1, &row.lower, &row.value,
                            &row.upper, &row.llr);
        ck_assert_int_eq(fields, 11);
        for (int i = 0; i < PENTA_CELLS; i++)
            row.penta.n[i] = n[i];
        check_row(&row, line);
        rows++;
    }
    fclose(file);
    ck_assert_int_eq(rows, GOLDEN_ROWS);
}
END_TEST

START_TEST(quantiles_are_those_of_the_tables) {
    static const struct {
        double p;
        int64_t freedom;
        double t;
    } known[] = {
        {0.975, 1, 12.7062047364}, {0.975, 2, 4.3026527297},   {0.975, 3, 3.1824463053},
        {0.975, 10, 2.2281388520}, {0.975, 30, 2.0422724563},  {0.975, 100, 1.9839715185},
        {0.95, 5, 2.0150483733},   {0.025, 10, -2.2281388520}, {0.975, 1000000000, 1.9599639869},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_double_eq_tol(stats_t_quantile(known[i].p, known[i].freedom), known[i].t, 1e-8);
    /* The sums and the expansion meet where one takes over from the other. */
    double below = stats_t_quantile(0.975, 1000);
    double above = stats_t_quantile(0.975, 1001);
    ck_assert_double_eq_tol(below - above, 2.374e-6, 1e-8);
}
END_TEST

START_TEST(no_counts_give_nan) {
    enum { TRIALS = 20000, BITS = 60 };
    uint64_t state = 88172645463325252ULL;
    for (int trial = 0; trial < TRIALS; trial++) {
        Penta p;
        for (int i = 0; i < PENTA_CELLS; i++) {
            uint64_t size = next_random(&state) % BITS;
            bool zero = next_random(&state) % 3 == 0;
            p.n[i] = zero ? 0 : (int64_t)((next_random(&state) >> 4) >> (BITS - size)) / 5;
        }
        double elo0 = (double)(next_random(&state) % 40000) / 100 - SPRT_ELO_MAX;
        double elo1 = elo0 + (SPRT_ELO_MAX - elo0) * (double)(next_random(&state) % 100) / 100;
        EloInterval elo = penta_elo(&p);
        double llr = penta_llr(&p, elo0, elo1);
        double los = penta_los(&p);
        ck_assert_msg(isfinite(llr) && isfinite(elo.lower) && isfinite(elo.upper) &&
                          elo.lower <= elo.value && elo.value <= elo.upper && los >= 0 && los <= 1,
                      "%lld,%lld,%lld,%lld,%lld [%g, %g]: llr %g elo %g %g %g los %g",
                      (long long)p.n[0], (long long)p.n[1], (long long)p.n[2], (long long)p.n[3],
                      (long long)p.n[4], elo0, elo1, llr, elo.lower, elo.value, elo.upper, los);
    }
}
END_TEST

START_TEST(the_llr_is_antisymmetric_and_grows_with_the_data) {
    Penta p = {{16, 557, 1220, 653, 31}};
    Penta mirrored = {{31, 653, 1220, 557, 16}};
    ck_assert_double_eq_tol(penta_llr(&p, 0, 5), -penta_llr(&mirrored, -5, 0), 1e-9);
    ck_assert_double_eq_tol(penta_llr(&p, 0, 5), -penta_llr(&p, 5, 0), 1e-9);
    Penta twice = {{32, 1114, 2440, 1306, 62}};
    ck_assert_double_eq_tol(penta_llr(&twice, 0, 5), 2 * penta_llr(&p, 0, 5), 1e-6);
    ck_assert_double_eq_tol(penta_los(&p), 0.99963, 1e-4);
    ck_assert_double_eq_tol(penta_los(&(Penta){{0, 1, 2, 3, 1}}), 0.9528678465794, 1e-9);
    ck_assert_double_eq(penta_los(&(Penta){{0}}), 0.5);
    ck_assert_double_eq(penta_los(&(Penta){{0, 0, 9, 0, 0}}), 0.5);
    ck_assert_double_eq(penta_los(&(Penta){{0, 9, 0, 0, 0}}), 0);
    ck_assert_double_eq(penta_llr(&(Penta){{0}}, 0, 5), 0);
}
END_TEST

START_TEST(limits_and_verdicts) {
    SprtRule rule = {.elo0 = 0, .elo1 = 5, .alpha = 0.05, .beta = 0.1};
    LlrLimits limits = sprt_limits(&rule);
    ck_assert_double_eq_tol(limits.lower, -2.2512918, 1e-6);
    ck_assert_double_eq_tol(limits.upper, 2.8903718, 1e-6);
    ck_assert_str_eq(verdict_name(sprt_verdict(limits.upper, limits)), "H1");
    ck_assert_str_eq(verdict_name(sprt_verdict(limits.lower, limits)), "H0");
    ck_assert_str_eq(verdict_name(sprt_verdict(0, limits)), "none");
}
END_TEST

/* One standard deviation of the LLR, within which nothing is told, is of the model. */
START_TEST(what_is_left_is_told_in_every_model) {
    Tally tally = {.penta = {{16, 557, 1220, 653, 31}}};
    SprtRule normalized = {0, 5, 0.05, 0.05, SPRT_NORMALIZED};
    double left, other;
    ck_assert(sprt_pairs_left(&normalized, &tally, 2, &left));
    ck_assert_double_eq_tol(left, 2477 * (sprt_limits(&normalized).upper - 2) / 2, 1e-9);
    /* 5 logistic Elo are 9.4 normalized ones for these pairs, 5 Bayes Elo 4.3. */
    SprtRule logistic = {0, 5, 0.05, 0.05, SPRT_LOGISTIC};
    SprtRule bayes = {0, 5, 0.05, 0.05, SPRT_BAYES};
    ck_assert(!sprt_pairs_left(&normalized, &tally, 0.9, &left));
    ck_assert(sprt_pairs_left(&normalized, &tally, 1.1, &left));
    ck_assert(!sprt_pairs_left(&logistic, &tally, 1.9, &other));
    ck_assert(sprt_pairs_left(&logistic, &tally, 2.1, &other));
    ck_assert(!sprt_pairs_left(&bayes, &tally, 0.85, &other));
    ck_assert(sprt_pairs_left(&bayes, &tally, 0.97, &other));
    ck_assert(!sprt_pairs_left(&normalized, &(Tally){0}, 2, &other));
}
END_TEST

START_TEST(rules_are_read_strictly) {
    Error err = {0};
    Penta penta;
    SprtRule rule = {0};
    ck_assert(penta_parse("16, 557,1220 ,653,31", &penta, "--penta", &err));
    ck_assert_int_eq(penta_pairs(&penta), 2477);
    ck_assert(!penta_parse("1,2,3,4", &penta, "--penta", &err));
    ck_assert_str_eq(err.text, "--penta: '1,2,3,4' are not five counts, as in 16,557,1220,653,31");
    ck_assert(!penta_parse("1,2,3,4,5,6", &penta, "--penta", &err));
    ck_assert(!penta_parse("1,2,3,4,-5", &penta, "--penta", &err));
    ck_assert(!penta_parse("1,2,,4,5", &penta, "--penta", &err));
    ck_assert(penta_parse("[16, 23, 87, 57, 46]", &penta, "--penta", &err));
    ck_assert_int_eq(penta.n[4], 46);
    ck_assert(!penta_parse("[[1,2,3,4,5]]", &penta, "--penta", &err));
    ck_assert(!penta_parse("[1,2,3,4,5", &penta, "--penta", &err));
    ck_assert(!penta_parse("[", &penta, "--penta", &err));
    ck_assert(sprt_parse_bounds("-1.75,0.25", &rule, "--bounds", &err));
    ck_assert_double_eq(rule.elo0, -1.75);
    ck_assert(sprt_parse_bounds("[0.00, 10.00]", &rule, "--bounds", &err));
    ck_assert_double_eq(rule.elo1, 10);
    ck_assert(!sprt_parse_bounds("5,0", &rule, "--bounds", &err));
    ck_assert_str_eq(err.text, "--bounds: 5,0: the first must be below the second");
    ck_assert(!sprt_parse_bounds("5,5", &rule, "--bounds", &err));
    ck_assert(!sprt_parse_bounds("0,5,6", &rule, "--bounds", &err));
    ck_assert(!sprt_parse_bounds("0,900", &rule, "--bounds", &err));
    ck_assert(!sprt_parse_confidence("[0.05, 0.10]", &rule, "--confidence", &err));
    ck_assert(sprt_parse_confidence("0.05,0.1", &rule, "--confidence", &err));
    ck_assert_double_eq(rule.beta, 0.1);
    ck_assert(!sprt_parse_confidence("0,0.1", &rule, "--confidence", &err));
    ck_assert(!sprt_parse_confidence("0.6,0.5", &rule, "--confidence", &err));
    ck_assert(!sprt_parse_confidence("0.5,0.5", &rule, "--confidence", &err));
    ck_assert_str_eq(err.text, "--confidence: 0.5,0.5: together they must be below 1");
    static const SprtRule UNSOUND[] = {
        {0, 5, 0.5, 0.5, SPRT_NORMALIZED},     {0, 0, 0.5, 0.25, SPRT_NORMALIZED},
        {0, 5, 0, 0.25, SPRT_NORMALIZED},      {0, 5, 0.5, 0, SPRT_NORMALIZED},
        {-900, 5, 0.5, 0.25, SPRT_NORMALIZED}, {0, 900, 0.5, 0.25, SPRT_NORMALIZED}};
    ck_assert(sprt_rule_is_sound(&(SprtRule){0, 5, 0.5, 0.25, SPRT_NORMALIZED}));
    for (size_t i = 0; i < sizeof UNSOUND / sizeof *UNSOUND; i++)
        ck_assert_msg(!sprt_rule_is_sound(&UNSOUND[i]), "rule %zu", i);
    ck_assert(sprt_parse_form("[-3.00, 1]", "[0.10, 0.025]", &rule, &err));
    ck_assert(rule.elo0 == -3 && rule.elo1 == 1 && rule.alpha == 0.025 && rule.beta == 0.10);
    ck_assert(!sprt_parse_form("[0, 5", "[0.05, 0.05]", &rule, &err));
    ck_assert(!sprt_parse_form("[", "[0.05, 0.05]", &rule, &err));
    ck_assert(!sprt_parse_form("[0, 5]", "[0.05]", &rule, &err));
    for (int model = SPRT_NORMALIZED; model <= SPRT_BAYES; model++) {
        ck_assert(sprt_parse_model(sprt_model_name((SprtModel)model), &rule, "--model", &err));
        ck_assert_int_eq(rule.model, model);
    }
    ck_assert(!sprt_parse_model("Bayes", &rule, "--model", &err));
    ck_assert_str_eq(err.text, "--model: 'Bayes' is not a model of an SPRT");
}
END_TEST

/* Pair i of a made-up match that dev wins more often than not. */
static Tally made_up_pair(int64_t i) {
    static const int points[][2] = {{2, 1}, {1, 1}, {2, 0}, {2, 2}, {1, 0}, {2, 1}};
    const int *pair = points[(i * 7) % 6];
    return tally_of_pair(pair[0], pair[1]);
}

START_TEST(pairs_are_judged_in_the_order_of_the_book) {
    enum { PAIRS = 2048, WINDOW = 64 };
    SprtRule rule = {.elo0 = 0, .elo1 = 10, .alpha = 0.05, .beta = 0.05};
    Sequence in_order;
    sequence_init(&in_order, &rule);
    for (int64_t i = 0; i < PAIRS; i++) {
        Tally pair = made_up_pair(i);
        sequence_add(&in_order, i, &pair);
    }
    ck_assert_int_eq(in_order.verdict, VERDICT_H1);
    ck_assert_int_gt(in_order.next, 10);
    ck_assert_int_lt(in_order.next, PAIRS);
    ck_assert_int_eq(penta_pairs(&in_order.total.penta), in_order.next);
    ck_assert_int_eq(tally_games(&in_order.total), 2 * in_order.next);

    /* Each window of pairs finishes backwards; each pair is told twice. */
    Sequence mixed;
    sequence_init(&mixed, &rule);
    for (int64_t start = 0; start < PAIRS; start += WINDOW) {
        for (int64_t i = start + WINDOW - 1; i >= start; i--) {
            Tally pair = made_up_pair(i);
            sequence_add(&mixed, i, &pair);
            sequence_add(&mixed, i, &pair);
        }
    }
    ck_assert_int_eq(mixed.verdict, in_order.verdict);
    ck_assert_int_eq(mixed.next, in_order.next);
    ck_assert_double_eq(mixed.llr, in_order.llr);
    ck_assert_mem_eq(&mixed.total, &in_order.total, sizeof mixed.total);
    sequence_free(&mixed);
    sequence_free(&in_order);
}
END_TEST

START_TEST(earlier_pairs_count_for_the_verdict) {
    enum { PAIRS = 2048, EARLIER = 10 };
    SprtRule rule = {.elo0 = 0, .elo1 = 10, .alpha = 0.05, .beta = 0.05};
    Sequence whole;
    Sequence later;
    Tally earlier = {0};
    sequence_init(&whole, &rule);
    sequence_init(&later, &rule);
    for (int64_t i = 0; i < PAIRS; i++) {
        Tally pair = made_up_pair(i);
        sequence_add(&whole, i, &pair);
        if (i < EARLIER)
            tally_add(&earlier, &pair);
    }
    ck_assert_int_eq(sequence_begin_with(&later, &earlier), VERDICT_NONE);
    for (int64_t i = EARLIER; i < PAIRS; i++) {
        Tally pair = made_up_pair(i);
        sequence_add(&later, i - EARLIER, &pair);
    }
    ck_assert_int_eq(later.verdict, VERDICT_H1);
    ck_assert_int_eq(later.next, whole.next - EARLIER);
    ck_assert_mem_eq(&later.total, &whole.total, sizeof later.total);

    Sequence decided;
    sequence_init(&decided, &rule);
    ck_assert_int_eq(sequence_begin_with(&decided, &whole.total), VERDICT_H1);
    sequence_free(&decided);
    sequence_free(&later);
    sequence_free(&whole);
}
END_TEST

START_TEST(a_stopped_match_counts_the_pairs_it_has) {
    static const SprtRule RULE = {.elo1 = 50, .alpha = 0.05, .beta = 0.05};
    Sequence sequence;
    bool judged = _i == 1; /* An SPRT judges no pair before all earlier ones. */
    sequence_init(&sequence, judged ? &RULE : NULL);
    static const int64_t finished[] = {0, 7, 1, 3, 5, 7}; /* The last is told twice. */
    for (size_t i = 0; i < sizeof finished / sizeof *finished; i++) {
        Tally pair = tally_of_pair(2, 1);
        ck_assert_int_eq(sequence_add(&sequence, finished[i], &pair), VERDICT_NONE);
    }
    ck_assert_int_eq(sequence.next, 2);
    ck_assert_int_eq(sequence.total.penta.n[3], 2);
    sequence_close(&sequence);
    ck_assert_int_eq(sequence.next, judged ? 2 : 8); /* They were added up in their order. */
    ck_assert_int_eq(sequence.total.penta.n[3], judged ? 2 : 5);
    ck_assert_int_eq(sequence.total.wins, judged ? 2 : 5);
    ck_assert_int_eq(sequence.total.draws, judged ? 2 : 5);
    sequence_free(&sequence);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, known_tests_come_out_as_servers_compute_them);
    tcase_add_test(tests, two_pairs_have_an_interval);
    tcase_add_test(tests, a_margin_is_the_larger_half);
    tcase_add_test(tests, an_interval_reaches_either_end_of_the_scale);
    tcase_add_test(tests, normalized_elo_has_the_interval_of_the_score);
    tcase_add_test(tests, equal_engines_make_the_most_likely_pairs_of_mean_one_half);
    tcase_add_test(tests, every_golden_row_is_met);
    tcase_add_test(tests, quantiles_are_those_of_the_tables);
    tcase_add_test(tests, no_counts_give_nan);
    tcase_add_test(tests, the_llr_is_antisymmetric_and_grows_with_the_data);
    tcase_add_test(tests, limits_and_verdicts);
    tcase_add_test(tests, what_is_left_is_told_in_every_model);
    tcase_add_test(tests, rules_are_read_strictly);
    tcase_add_test(tests, pairs_are_judged_in_the_order_of_the_book);
    tcase_add_test(tests, earlier_pairs_count_for_the_verdict);
    tcase_add_loop_test(tests, a_stopped_match_counts_the_pairs_it_has, 0, 2);
}

int main(void) {
    return run_tests("stats", add_tests);
}
