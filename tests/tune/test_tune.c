/* SPDX-License-Identifier: MIT */
/* The tuner: it sees what the evaluation sees, finds weights that are known, and writes what it
 * found. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chess/walk.h"
#include "runner.h"
#include "tune/corpus.h"
#include "tune/model.h"
#include "tune/netmodel.h"
#include "tune/start.h"
#include "tune/target.h"
#include "tune/train.h"
#include "tune/write.h"
#include "tools/temporary.h"

/* --- the model and the evaluation --- */

static void add_position(Position *pos, void *user) {
    if (!position_in_check(pos))
        corpus_add(user, pos, 0, 0.5);
}

static void check_model(Position *pos, void *user) {
    Corpus corpus = {0};
    corpus_add(&corpus, pos, 0, 0.5);
    double value = model_evaluate(user, &corpus, &corpus.samples[0]);
    double terms = (double)corpus.samples[0].terms;
    /* The evaluation rounds the cost of danger and the taper. */
    const double rounding = 4;
    REQUIRE(fabs(value - terms) < rounding, "%s: the model says %.2f, the terms %.0f",
            walk_fen(pos), value, terms);
    corpus_free(&corpus);
}

START_TEST(the_model_is_the_sum_of_the_terms) {
    Model model = model_from(&eval_weights);
    ck_assert_int_gt(walk_positions(30, 120, check_model, &model), 1000);
}
END_TEST

/* The gradient that two evaluations of the loss show. */
static double measured_slope(const Learner *learner, const Corpus *corpus,
                             const CorpusSample *sample, Target target, size_t number,
                             double step) {
    double kept = learner->value[number];
    learner->value[number] = kept + step;
    double above = learner->loss(learner->value, corpus, sample, target, NULL);
    learner->value[number] = kept - step;
    double below = learner->loss(learner->value, corpus, sample, target, NULL);
    learner->value[number] = kept;
    return (above - below) / (2 * step);
}

START_TEST(the_gradient_is_that_of_the_loss) {
    static Corpus corpus;
    walk_positions(6, 80, add_position, &corpus);
    ck_assert_uint_gt(corpus.sample_count, 200);
    Target target = {.k = 0.006, .blend = 1};
    Model model = model_from(&eval_weights);
    Learner learner = model_learner(&model);
    for (size_t i = 0; i < corpus.sample_count; i += 7) {
        const CorpusSample *sample = &corpus.samples[i];
        static Model gradient;
        memset(&gradient, 0, sizeof gradient);
        model_loss(&model, &corpus, sample, target, &gradient);
        size_t length = 0;
        for (int kind = 0; kind < COUNT_KINDS; kind++)
            length += sample->length[kind];
        for (size_t n = 0; n < length; n += 3)
            for (int half = 0; half < HALF_COUNT; half++) {
                int weight = corpus.counts[sample->first + n].weight;
                size_t number = (size_t)(weight * HALF_COUNT + half);
                double slope = measured_slope(&learner, &corpus, sample, target, number, 1e-3);
                ck_assert_double_eq_tol(gradient.value[weight][half], slope, 1e-6);
            }
    }
    corpus_free(&corpus);
}
END_TEST

/* --- training --- */

/* Positions whose scores come from weights that are known: those of the tree. */
static Corpus known_corpus(const Model *known, double k) {
    Corpus corpus = {0};
    walk_positions(400, 100, add_position, &corpus);
    for (size_t i = 0; i < corpus.sample_count; i++) {
        CorpusSample *sample = &corpus.samples[i];
        sample->score = (float)model_evaluate(known, &corpus, sample);
        sample->result = (float)(1 / (1 + exp(-k * sample->score)));
    }
    return corpus;
}

static const TrainSettings brief = {.target = {.k = 0.005, .blend = 0.5},
                                    .epochs = 30,
                                    .batch = 256,
                                    .rate = 6,
                                    .seed = 1,
                                    .threads = 2};

START_TEST(known_weights_are_found_again) {
    Model known = model_from(&eval_weights);
    Corpus corpus = known_corpus(&known, brief.target.k);
    Model model = model_from(&tune_start);
    Learner learner = model_learner(&model);
    TrainLoss before = train_loss(&learner, &corpus, brief.target, 2);
    train(&learner, &corpus, &brief);
    TrainLoss after = train_loss(&learner, &corpus, brief.target, 2);
    ck_assert_double_lt(after.training, before.training / 20);
    ck_assert_double_lt(after.held_out, before.held_out / 5);
    /* What every position shows is found itself, not only its predictions. */
    size_t tempo = eval_weight_index(&eval_weights.tempo);
    ck_assert_double_eq_tol(model.value[tempo][HALF_MG], known.value[tempo][HALF_MG], 5);
    corpus_free(&corpus);
}
END_TEST

START_TEST(k_is_found_again) {
    Model known = model_from(&eval_weights);
    const double k = 0.0071;
    Corpus corpus = known_corpus(&known, k);
    double fitted;
    ck_assert(target_fit_k(&corpus, &fitted));
    ck_assert_double_eq_tol(fitted, k, 1e-5);
    /* What is held out decides nothing. */
    corpus.held_out_from = corpus.sample_count / 2;
    for (size_t i = corpus.held_out_from; i < corpus.sample_count; i++)
        corpus.samples[i].result = 1 - corpus.samples[i].result;
    ck_assert(target_fit_k(&corpus, &fitted));
    ck_assert_double_eq_tol(fitted, k, 1e-5);
    /* Scores that say the opposite have no k, and neither have scores in pawns. */
    for (size_t i = 0; i < corpus.held_out_from; i++)
        corpus.samples[i].score = -corpus.samples[i].score;
    ck_assert_msg(!target_fit_k(&corpus, &fitted), "fitted %g", fitted);
    for (size_t i = 0; i < corpus.held_out_from; i++)
        corpus.samples[i].score /= -100;
    ck_assert_msg(!target_fit_k(&corpus, &fitted), "fitted %g", fitted);
    corpus_free(&corpus);
}
END_TEST

static void train_model(Model *model, const Corpus *corpus, const TrainSettings *settings) {
    Learner learner = model_learner(model);
    train(&learner, corpus, settings);
}

START_TEST(threads_and_time_change_nothing) {
    Model known = model_from(&eval_weights);
    Corpus corpus = known_corpus(&known, brief.target.k);
    TrainSettings settings = brief;
    settings.epochs = 2;
    Model models[3];
    for (int i = 0; i < 3; i++) {
        settings.threads = i + 1;
        models[i] = model_from(&tune_start);
        train_model(&models[i], &corpus, &settings);
        ck_assert_msg(memcmp(&models[i], &models[0], sizeof models[0]) == 0,
                      "%d threads found other weights than one", i + 1);
    }
    settings.seed++;
    train_model(&models[0], &corpus, &settings);
    ck_assert_msg(memcmp(&models[0], &models[1], sizeof models[0]) != 0,
                  "more training changed nothing");
    corpus_free(&corpus);
}
END_TEST

START_TEST(weights_that_are_held_stay) {
    Model known = model_from(&eval_weights);
    Corpus corpus = known_corpus(&known, brief.target.k);
    TrainSettings settings = brief;
    settings.epochs = 1;
    static bool held[EVAL_WEIGHT_COUNT][HALF_COUNT];
    tune_hold(held);
    size_t tempo = eval_weight_index(&eval_weights.tempo);
    held[tempo][HALF_MG] = held[tempo][HALF_EG] = true;
    settings.held = &held[0][0];
    Model start = model_from(&tune_start);
    Model model = start;
    train_model(&model, &corpus, &settings);
    for (int half = 0; half < HALF_COUNT; half++)
        ck_assert_double_eq(model.value[tempo][half], start.value[tempo][half]);
    ck_assert_msg(memcmp(&model, &start, sizeof model) != 0, "nothing was tuned");
    corpus_free(&corpus);
}
END_TEST

/* Fails unless the numbers are the same but for rounding: none has left an integer's range. */
static void expect_rounded(const double *rounded, const Learner *learner) {
    for (size_t i = 0; i < learner->size; i++)
        ck_assert_double_eq_tol(rounded[i], learner->value[i], 0.5);
}

/* One epoch of steps that are far too large. */
static TrainSettings absurd(void) {
    TrainSettings settings = brief;
    settings.epochs = 1;
    settings.rate = 1e9;
    return settings;
}

START_TEST(absurd_steps_leave_what_the_weights_can_hold) {
    Model model = model_from(&eval_weights);
    TrainSettings settings = absurd();
    Corpus corpus = known_corpus(&model, settings.target.k);
    Learner learner = model_learner(&model);
    EvalWeights weights;
    train(&learner, &corpus, &settings);
    model_to(&model, &weights);
    Model rounded = model_from(&weights);
    expect_rounded(&rounded.value[0][0], &learner);
    corpus_free(&corpus);
}
END_TEST

/* What is held out decides nothing, and is measured apart. */
START_TEST(samples_that_are_held_out_train_nothing) {
    Model known = model_from(&eval_weights);
    Corpus corpus = known_corpus(&known, brief.target.k);
    TrainSettings settings = brief;
    settings.epochs = 2;
    Model models[2];
    TrainLoss losses[2];
    corpus.held_out_from = corpus.sample_count - 100;
    for (int i = 0; i < 2; i++) {
        models[i] = model_from(&tune_start);
        Learner learner = model_learner(&models[i]);
        train(&learner, &corpus, &settings);
        losses[i] = train_loss(&learner, &corpus, settings.target, 2);
        for (size_t k = corpus.held_out_from; k < corpus.sample_count; k++)
            corpus.samples[k].result = 1 - corpus.samples[k].result;
    }
    ck_assert_msg(memcmp(&models[0], &models[1], sizeof models[0]) == 0,
                  "samples that are held out changed the weights");
    ck_assert_double_eq(losses[0].training, losses[1].training);
    ck_assert_double_lt(losses[0].held_out, losses[1].held_out);
    corpus_free(&corpus);
}
END_TEST

/* --- the network --- */

static NetModel net;

static void check_net(Position *pos, void *user) {
    (void)user;
    if (position_in_check(pos) || !network_speaks(pos))
        return;
    Corpus corpus = {.for_network = true};
    corpus_add(&corpus, pos, 0, 0.5);
    double value = netmodel_evaluate(&net, &corpus.samples[0]);
    double score = pos->stm == WHITE ? evaluate(pos) : -evaluate(pos);
    /* Centipawns are whole numbers, and so is what the output adds up. */
    const double rounding = 1.1;
    REQUIRE(fabs(value - score) < rounding || abs((int)score) == EVAL_LIMIT,
            "%s: the model says %.2f, the evaluation %.0f", walk_fen(pos), value, score);
    corpus_free(&corpus);
}

START_TEST(the_network_model_is_the_evaluation) {
    netmodel_from(&eval_network, &net);
    ck_assert_int_gt(walk_positions(30, 120, check_net, NULL), 1000);
}
END_TEST

START_TEST(the_network_is_the_same_after_a_round_trip) {
    static Network back;
    netmodel_from(&eval_network, &net);
    netmodel_to(&net, &back);
    ck_assert_msg(memcmp(&back, &eval_network, sizeof back) == 0, "a weight has changed");
}
END_TEST

START_TEST(the_networks_gradient_is_that_of_the_loss) {
    static NetModel gradient;
    Corpus corpus = {.for_network = true};
    Target target = {.k = 0.006, .blend = 1};
    netmodel_start(&net, 5);
    Learner learner = netmodel_learner(&net);
    walk_positions(4, 60, add_position, &corpus);
    ck_assert_uint_gt(corpus.sample_count, 100);
    int unlike_zero = 0;
    for (size_t i = 0; i < corpus.sample_count; i += 13) {
        const double *slopes = (const double *)&gradient;
        memset(&gradient, 0, sizeof gradient);
        learner.loss(learner.value, &corpus, &corpus.samples[i], target, (double *)&gradient);
        for (size_t n = i % 97; n < learner.size; n += 97) {
            ck_assert_double_eq_tol(
                slopes[n], measured_slope(&learner, &corpus, &corpus.samples[i], target, n, 1e-5),
                1e-6);
            unlike_zero += fabs(slopes[n]) > 1e-5;
        }
    }
    ck_assert_int_gt(unlike_zero, 100);
    corpus_free(&corpus);
}
END_TEST

/* Positions whose scores lie above the terms by what a known network says: one by chance. */
START_TEST(a_known_network_is_learnt) {
    Corpus corpus = {.for_network = true};
    TrainSettings settings = {
        .target = {.k = 0.005}, .epochs = 12, .batch = 256, .rate = 0.003, .seed = 1, .threads = 2};
    netmodel_start(&net, settings.seed + 1);
    walk_positions(400, 100, add_position, &corpus);
    for (size_t i = 0; i < corpus.sample_count; i++)
        corpus.samples[i].score = (float)netmodel_evaluate(&net, &corpus.samples[i]);
    Learner learner = netmodel_learner(&net);
    memset(&net, 0, sizeof net);
    TrainLoss terms = train_loss(&learner, &corpus, settings.target, 2);
    netmodel_start(&net, settings.seed);
    train(&learner, &corpus, &settings);
    TrainLoss after = train_loss(&learner, &corpus, settings.target, 2);
    ck_assert_double_lt(after.training, terms.training / 3);
    ck_assert_double_lt(after.held_out, terms.held_out / 2);
    corpus_free(&corpus);
}
END_TEST

START_TEST(absurd_steps_leave_what_the_network_can_hold) {
    TrainSettings settings = absurd();
    static Network network;
    static NetModel rounded;
    Corpus corpus = {.for_network = true};
    walk_positions(40, 100, add_position, &corpus);
    netmodel_from(&eval_network, &net);
    Learner learner = netmodel_learner(&net);
    train(&learner, &corpus, &settings);
    netmodel_to(&net, &network);
    netmodel_from(&network, &rounded);
    expect_rounded((const double *)&rounded, &learner);
    corpus_free(&corpus);
}
END_TEST

/* --- files --- */

/* Fails unless what was written is this file of the tree; closes it. */
static void compare_with_tree(FILE *written, const char *name) {
    const char *srcdir = getenv("srcdir");
    char path[1024];
    snprintf(path, sizeof path, "%s/engine/eval/%s", srcdir ? srcdir : ".", name);
    FILE *tree = fopen(path, "r");
    ck_assert_msg(tree != NULL, "%s cannot be read", path);
    rewind(written);
    char ours[4096];
    char theirs[4096];
    for (int line = 1;; line++) {
        char *a = fgets(ours, sizeof ours, written);
        char *b = fgets(theirs, sizeof theirs, tree);
        if (a == NULL && b == NULL)
            break;
        ck_assert_msg(a && b, "line %d: one of the files ends", line);
        ck_assert_msg(strcmp(ours, theirs) == 0, "line %d: written %s, in the tree %s", line, ours,
                      theirs);
    }
    fclose(tree);
    fclose(written);
}

START_TEST(what_is_written_is_the_file_in_the_tree) {
    FILE *weights = tmpfile();
    write_weights(&eval_weights, weights);
    compare_with_tree(weights, "weights.c");
    FILE *network = tmpfile();
    write_network(&eval_network, network);
    compare_with_tree(network, "network_weights.c");
}
END_TEST

/* Reads bytes, or a text, as a file of positions. */
static bool read_bytes(const char *bytes, size_t count, Corpus *corpus, size_t limit,
                       CorpusError *err) {
    char path[TEMPORARY_SIZE];
    int fd = temporary_file(path, sizeof path, "test_tune");
    FILE *file = fdopen(fd, "w");
    fwrite(bytes, 1, count, file);
    fclose(file);
    bool good = corpus_read(corpus, path, limit, err);
    remove(path);
    return good;
}

static bool read_text(const char *text, Corpus *corpus, size_t limit, CorpusError *err) {
    return read_bytes(text, strlen(text), corpus, limit, err);
}

#define QUIET "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"

START_TEST(positions_are_read) {
    Corpus corpus = {0};
    CorpusError err;
    ck_assert_msg(read_text(QUIET " | 120 | 1.0\n\n" QUIET " | -30 | 0.5\n"
                                  "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1 | 0 | 0.0\n" QUIET
                                  " | 9000 | 1.0\n",
                            &corpus, 0, &err),
                  "%s", err.text);
    ck_assert_uint_eq(corpus.sample_count, 2);
    ck_assert_uint_eq(corpus.skipped, 2); /* one in check, one decided */
    ck_assert_double_eq(corpus.samples[1].score, -30);
    ck_assert_double_eq(corpus.samples[1].result, 0.5);
    ck_assert(read_text(QUIET " | 1 | 1.0\n" QUIET " | 1 | 1.0\n", &corpus, 3, &err));
    ck_assert_uint_eq(corpus.sample_count, 3); /* the limit */
    corpus_free(&corpus);
}
END_TEST

/* What datagen writes in Chess960, beside the usual letters. */
START_TEST(positions_of_chess960_are_read) {
    Corpus corpus = {0};
    CorpusError err;
    ck_assert_msg(read_text("1r2k2r/pppppppp/8/8/8/8/PPPPPPPP/1R2K2R w HBhb - 0 1 | 12 | 0.5\n"
                            "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1 | 12 | 0.5\n",
                            &corpus, 0, &err),
                  "%s", err.text);
    ck_assert_uint_eq(corpus.sample_count, 2);
    corpus_free(&corpus);
}
END_TEST

START_TEST(the_network_learns_nothing_from_a_bare_king) {
    Corpus corpus = {.for_network = true};
    CorpusError err;
    ck_assert(read_text(QUIET " | 120 | 1.0\n"
                              "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1 | 0 | 0.5\n",
                        &corpus, 0, &err));
    ck_assert_uint_eq(corpus.sample_count, 1);
    ck_assert_int_eq(corpus.samples[0].men, 4);
    ck_assert_uint_eq(corpus.skipped, 1);
    corpus_free(&corpus);
}
END_TEST

static const struct {
    const char *line, *fault;
} faulty[] = {
    {"what is this", "line 1"},
    {"8/8/8/8/8/8/8/8 w - - 0 1 | 0 | 0.5", "line 1"},
    {QUIET " | many | 0.5", "score"},
    {QUIET " | | 0.5", "score"},
    {QUIET " | 2000000 | 0.5", "the score is not a number from -1000000 to 1000000"},
    {QUIET " | 10 | 1-0", "result"},
    {QUIET " | 10 | 2.0", "result"},
    {QUIET " | 10 | 0.", "result"}, /* the file was cut */
    {QUIET " | 10 | 0", "result"},
    {QUIET " | 10 | 0.5 1.0", "result"},
    {QUIET " | 10", "FEN | centipawns | result"},
};

START_TEST(faults_are_named) {
    Corpus corpus = {0};
    CorpusError err;
    ck_assert_msg(!read_text(faulty[_i].line, &corpus, 0, &err), "taken: %s", faulty[_i].line);
    ck_assert_msg(strstr(err.text, faulty[_i].fault) != NULL, "%s: says %s", faulty[_i].line,
                  err.text);
    ck_assert_uint_eq(corpus.sample_count, 0);
    corpus_free(&corpus);
}
END_TEST

/* A file that was cut may go on in zeros, whose first would end a line. */
START_TEST(a_zero_byte_is_a_fault) {
    static const char inside[] = QUIET " | 10 | 0.5\0rubbish\n";
    static const char behind[] = QUIET " | 10 | 0.5\n\0\0\0\0";
    Corpus corpus = {0};
    CorpusError err;
    ck_assert(!read_bytes(inside, sizeof inside - 1, &corpus, 0, &err));
    ck_assert_msg(strstr(err.text, "line 1: a zero byte") != NULL, "says %s", err.text);
    ck_assert_uint_eq(corpus.sample_count, 0);
    ck_assert(!read_bytes(behind, sizeof behind - 1, &corpus, 0, &err));
    ck_assert_msg(strstr(err.text, "line 2: a zero byte") != NULL, "says %s", err.text);
    corpus_free(&corpus);
}
END_TEST

START_TEST(a_long_line_is_one_line) {
    char text[1024] = QUIET " | 10 | 0.5";
    size_t length = strlen(text);
    memset(text + length, ' ', 600);
    strcpy(text + length + 600, QUIET " | 10 | 0.5\n");
    Corpus corpus = {0};
    CorpusError err;
    ck_assert(!read_text(text, &corpus, 0, &err));
    ck_assert_msg(strstr(err.text, "line 1: the result") != NULL, "says %s", err.text);
    ck_assert_uint_eq(corpus.sample_count, 0);
    corpus_free(&corpus);
}
END_TEST

static void add_tests(TCase *tcase) {
    tcase_add_test(tcase, the_model_is_the_sum_of_the_terms);
    tcase_add_test(tcase, the_gradient_is_that_of_the_loss);
    tcase_add_test(tcase, known_weights_are_found_again);
    tcase_add_test(tcase, k_is_found_again);
    tcase_add_test(tcase, threads_and_time_change_nothing);
    tcase_add_test(tcase, weights_that_are_held_stay);
    tcase_add_test(tcase, absurd_steps_leave_what_the_weights_can_hold);
    tcase_add_test(tcase, samples_that_are_held_out_train_nothing);
    tcase_add_test(tcase, the_network_model_is_the_evaluation);
    tcase_add_test(tcase, the_network_is_the_same_after_a_round_trip);
    tcase_add_test(tcase, the_networks_gradient_is_that_of_the_loss);
    tcase_add_test(tcase, a_known_network_is_learnt);
    tcase_add_test(tcase, absurd_steps_leave_what_the_network_can_hold);
    tcase_add_test(tcase, what_is_written_is_the_file_in_the_tree);
    tcase_add_test(tcase, positions_are_read);
    tcase_add_test(tcase, positions_of_chess960_are_read);
    tcase_add_test(tcase, the_network_learns_nothing_from_a_bare_king);
    tcase_add_test(tcase, a_zero_byte_is_a_fault);
    tcase_add_test(tcase, a_long_line_is_one_line);
    tcase_add_loop_test(tcase, faults_are_named, 0, sizeof faulty / sizeof *faulty);
}

int main(void) {
    chess_init();
    return run_tests("tune", add_tests);
}
