/* SPDX-License-Identifier: MIT */
#include "tune/netmodel.h"

#include <math.h>
#include <stddef.h>

/* Vector code adds up in lanes, and so does this sum, with any compiler. */
enum { LANES = 8 };

/* Where a field begins in the model's numbers. */
#define NUMBER_OF(field) (offsetof(NetModel, field) / sizeof(double))
enum { MODEL_SIZE = sizeof(NetModel) / sizeof(double) };

void netmodel_start(NetModel *model, uint64_t seed) {
    const double input = 0.1;
    const double output = 0.15;
    double *value = (double *)model;
    uint64_t random = seed;
    for (size_t i = 0; i < MODEL_SIZE; i++) {
        bool is_output = i >= NUMBER_OF(output) && i < NUMBER_OF(output_bias);
        double range = i < NUMBER_OF(bias) ? input : is_output ? output : 0;
        value[i] = range * (2 * (double)train_random(&random) / (double)UINT32_MAX - 1);
    }
    /* Sums begin above 0, where their squares have a slope. */
    for (int i = 0; i < NETWORK_HIDDEN; i++)
        model->bias[i] = 0.25;
}

/* --- the integers of the engine --- */

static void bound_weights(double *value) {
    size_t output = NUMBER_OF(output);
    size_t output_bias = NUMBER_OF(output_bias);
    size_t share = NUMBER_OF(share);
    train_bound(value, output, (double)NETWORK_INPUT_MAX / NETWORK_ONE);
    train_bound(value + output, output_bias - output,
                (double)NETWORK_WEIGHT_MAX / NETWORK_WEIGHT_ONE);
    train_bound(value + output_bias, share - output_bias,
                (double)NETWORK_OUTPUT_BIAS_MAX / (NETWORK_ONE * NETWORK_WEIGHT_ONE));
    train_bound(value + share, MODEL_SIZE - share, (double)NETWORK_SHARE_MAX / NETWORK_ONE);
}

static void round_row(const double *from, int16_t *to, int count, int one) {
    for (int i = 0; i < count; i++)
        to[i] = (int16_t)lround(from[i] * one);
}

void netmodel_to(const NetModel *model, Network *network) {
    round_row(model->input[0], network->input[0], NETWORK_INPUTS * NETWORK_HIDDEN, NETWORK_ONE);
    round_row(model->bias, network->bias, NETWORK_HIDDEN, NETWORK_ONE);
    round_row(model->output[0][0], network->output[0][0],
              NETWORK_OUTPUTS * COLOR_COUNT * NETWORK_HIDDEN, NETWORK_WEIGHT_ONE);
    for (int o = 0; o < NETWORK_OUTPUTS; o++)
        network->output_bias[o] =
            (int32_t)lround(model->output_bias[o] * NETWORK_ONE * NETWORK_WEIGHT_ONE);
    round_row(model->share, network->share, NETWORK_OUTPUTS, NETWORK_ONE);
}

static void spread_row(const int16_t *from, double *to, int count, int one) {
    for (int i = 0; i < count; i++)
        to[i] = (double)from[i] / one;
}

void netmodel_from(const Network *network, NetModel *model) {
    spread_row(network->input[0], model->input[0], NETWORK_INPUTS * NETWORK_HIDDEN, NETWORK_ONE);
    spread_row(network->bias, model->bias, NETWORK_HIDDEN, NETWORK_ONE);
    spread_row(network->output[0][0], model->output[0][0],
               NETWORK_OUTPUTS * COLOR_COUNT * NETWORK_HIDDEN, NETWORK_WEIGHT_ONE);
    for (int o = 0; o < NETWORK_OUTPUTS; o++)
        model->output_bias[o] =
            (double)network->output_bias[o] / (NETWORK_ONE * NETWORK_WEIGHT_ONE);
    spread_row(network->share, model->share, NETWORK_OUTPUTS, NETWORK_ONE);
}

/* --- one sample, forwards and backwards --- */

/* What the forward way leaves for the way back: [0] the side to move's view, [1] the other's. */
typedef struct {
    int input[COLOR_COUNT][CORPUS_MEN_MAX];
    double sum[COLOR_COUNT][NETWORK_HIDDEN]; /* clamped to 0..1 */
    int output;
    double total; /* White's view, centipawns */
} Pass;

static void find_inputs(const CorpusSample *sample, Pass *pass) {
    for (int v = 0; v < COLOR_COUNT; v++) {
        Color view = sample->stm ^ v;
        int turn = network_turn(view, sample->king[view]);
        for (int m = 0; m < sample->men; m++)
            pass->input[v][m] = network_input(view, turn, sample->man[m] / SQUARE_COUNT,
                                              sample->man[m] % SQUARE_COUNT);
    }
}

static void add_up(const NetModel *model, const int *input, int men, double sum[NETWORK_HIDDEN]) {
    for (int i = 0; i < NETWORK_HIDDEN; i++)
        sum[i] = model->bias[i];
    for (int m = 0; m < men; m++) {
        const double *in = model->input[input[m]];
        for (int i = 0; i < NETWORK_HIDDEN; i++)
            sum[i] += in[i];
    }
    for (int i = 0; i < NETWORK_HIDDEN; i++)
        sum[i] = sum[i] < 0 ? 0 : sum[i] > 1 ? 1 : sum[i];
}

static double weigh_squares(const double sum[NETWORK_HIDDEN], const double weight[NETWORK_HIDDEN]) {
    double lane[LANES] = {0};
    double total = 0;
    for (int i = 0; i < NETWORK_HIDDEN; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += sum[i + l] * sum[i + l] * weight[i + l];
    for (int l = 0; l < LANES; l++)
        total += lane[l];
    return total;
}

/* 1 where the side to move is White, else -1. */
static int sign_of(const CorpusSample *sample) {
    return sample->stm == WHITE ? 1 : -1;
}

static void pass_forward(const NetModel *model, const CorpusSample *sample, Pass *pass) {
    find_inputs(sample, pass);
    pass->output = network_output(sample->men);
    double output = model->output_bias[pass->output];
    for (int v = 0; v < COLOR_COUNT; v++) {
        add_up(model, pass->input[v], sample->men, pass->sum[v]);
        output += weigh_squares(pass->sum[v], model->output[pass->output][v]);
    }
    pass->total = (double)sample->terms * (1 + model->share[pass->output]) +
                  sign_of(sample) * output * NETWORK_SCALE;
}

/* Adds to the gradient what a slope of the total means for the weights. */
static void pass_backward(const NetModel *model, const CorpusSample *sample, const Pass *pass,
                          double total_slope, NetModel *gradient) {
    double slope = total_slope * sign_of(sample) * NETWORK_SCALE; /* of the output */
    gradient->share[pass->output] += total_slope * (double)sample->terms;
    gradient->output_bias[pass->output] += slope;
    for (int v = 0; v < COLOR_COUNT; v++) {
        const double *sum = pass->sum[v];
        const double *weight = model->output[pass->output][v];
        double *weight_slope = gradient->output[pass->output][v];
        double sum_slope[NETWORK_HIDDEN];
        for (int i = 0; i < NETWORK_HIDDEN; i++) {
            weight_slope[i] += slope * sum[i] * sum[i];
            sum_slope[i] = sum[i] < 1 ? slope * weight[i] * 2 * sum[i] : 0;
            gradient->bias[i] += sum_slope[i];
        }
        for (int m = 0; m < sample->men; m++) {
            double *in = gradient->input[pass->input[v][m]];
            for (int i = 0; i < NETWORK_HIDDEN; i++)
                in[i] += sum_slope[i];
        }
    }
}

double netmodel_evaluate(const NetModel *model, const CorpusSample *sample) {
    Pass pass;
    pass_forward(model, sample, &pass);
    return pass.total;
}

static double loss_of(const double *value, const Corpus *corpus, const CorpusSample *sample,
                      Target target, double *gradient) {
    const NetModel *model = (const NetModel *)value;
    Pass pass;
    double slope;
    (void)corpus;
    pass_forward(model, sample, &pass);
    double loss = target_loss(target, sample, pass.total, &slope);
    if (gradient)
        pass_backward(model, sample, &pass, slope, (NetModel *)gradient);
    return loss;
}

Learner netmodel_learner(NetModel *model) {
    return (Learner){
        .value = (double *)model, .size = MODEL_SIZE, .loss = loss_of, .bound = bound_weights};
}
