/* SPDX-License-Identifier: MIT */
/* The tuner: reads positions, writes the evaluation's weights. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chess/attacks.h"
#include "tune/corpus.h"
#include "tune/model.h"
#include "tune/start.h"
#include "tune/train.h"
#include "tune/write.h"

static const char usage[] =
    "usage: tuner [options] FILE...\n"
    "Tunes the evaluation on positions, lines of `FEN | centipawns | result`, both White's view,\n"
    "and writes engine/eval/weights.c anew.\n"
    "  -o, --out FILE     where the weights go (standard output)\n"
    "  -e, --epochs N     times over all positions (25)\n"
    "  -b, --batch N      positions a step (8192)\n"
    "  -r, --rate X       centipawns a step at first (3)\n"
    "  -l, --blend X      share of the result in the target, the rest is the score's (0.5)\n"
    "  -d, --decay X      pull of a weight to its start (2e-9)\n"
    "  -k, --k X          scale of the logistic curve (fitted to the positions)\n"
    "  -n, --limit N      read at most so many positions (all)\n"
    "  -s, --seed N       of the order of positions (1)\n"
    "  -t, --threads N    (2)\n"
    "  -w, --warm         begin with the weights of today\n";

typedef struct {
    TrainSettings train;
    const char *out;
    double limit;
    bool warm;
} Options;

static bool number_in(const char *text, double low, double high, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && *value >= low && *value <= high;
}

/* What a short option sets, and within which limits. */
static bool set_number(Options *options, int option, const char *text) {
    double value;
    double low = option == 'e' || option == 'b' || option == 't' ? 1 : 0;
    double high = option == 't' ? (double)TRAIN_THREADS_MAX : option == 'l' ? 1 : 1e9;
    if (!number_in(text, low, high, &value))
        return false;
    switch (option) {
    case 'e':
        options->train.epochs = (int)value;
        break;
    case 'b':
        options->train.batch = (int)value;
        break;
    case 'r':
        options->train.rate = value;
        break;
    case 'l':
        options->train.target.blend = value;
        break;
    case 'd':
        options->train.decay = value;
        break;
    case 'k':
        options->train.target.k = value;
        break;
    case 'n':
        options->limit = value;
        break;
    case 's':
        options->train.seed = (uint64_t)value;
        break;
    default:
        options->train.threads = (int)value;
    }
    return true;
}

static bool read_options(int argc, char **argv, Options *options) {
    static const struct option known[] = {
        {"out", required_argument, NULL, 'o'},
        {"epochs", required_argument, NULL, 'e'},
        {"batch", required_argument, NULL, 'b'},
        {"rate", required_argument, NULL, 'r'},
        {"blend", required_argument, NULL, 'l'},
        {"decay", required_argument, NULL, 'd'},
        {"k", required_argument, NULL, 'k'},
        {"limit", required_argument, NULL, 'n'},
        {"seed", required_argument, NULL, 's'},
        {"threads", required_argument, NULL, 't'},
        {"warm", no_argument, NULL, 'w'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(argc, argv, "o:e:b:r:l:d:k:n:s:t:wh", known, NULL)) != -1) {
        if (option == 'h') {
            fputs(usage, stdout);
            exit(0);
        }
        if (option == '?')
            return false;
        if (option == 'o')
            options->out = optarg;
        else if (option == 'w')
            options->warm = true;
        else if (!set_number(options, option, optarg)) {
            fprintf(stderr, "tuner: -%c %s: out of range, or no number\n", option, optarg);
            return false;
        }
    }
    return optind < argc;
}

static bool read_all(Corpus *corpus, char **paths, size_t limit) {
    CorpusError err;
    for (; *paths; paths++)
        if (!corpus_read(corpus, *paths, limit, &err)) {
            fprintf(stderr, "tuner: %s\n", err.text);
            return false;
        }
    if (corpus->sample_count < (size_t)TRAIN_BLOCK * TRAIN_HELD_OUT) {
        fprintf(stderr, "tuner: %zu positions: %d at least are wanted\n", corpus->sample_count,
                TRAIN_BLOCK * TRAIN_HELD_OUT);
        return false;
    }
    fprintf(stderr, "%zu positions, %zu skipped, %.1f weights counted in each\n",
            corpus->sample_count, corpus->skipped,
            (double)corpus->count_count / (double)corpus->sample_count);
    return true;
}

static bool save(const EvalWeights *weights, const char *path) {
    FILE *out = path ? fopen(path, "w") : stdout;
    if (out == NULL) {
        perror(path);
        return false;
    }
    write_weights(weights, out);
    bool good = fflush(out) == 0 && !ferror(out);
    if (path && fclose(out) != 0)
        good = false;
    if (!good)
        perror(path ? path : "standard output");
    return good;
}

static void report(const char *what, const Model *model, const Corpus *corpus,
                   const TrainSettings *settings) {
    TrainLoss loss = train_loss(model, corpus, settings->target, settings->threads);
    ModelTarget results = {.k = settings->target.k, .blend = 1};
    TrainLoss played = train_loss(model, corpus, results, settings->threads);
    fprintf(stderr, "%s: loss %.6f, held out %.6f (results alone %.6f), mean size %.1f\n", what,
            loss.training, loss.held_out, played.held_out, train_mean_size(model, corpus));
}

int main(int argc, char **argv) {
    Options options = {.train = {.target = {.blend = 0.5},
                                 .epochs = 25,
                                 .batch = 8192,
                                 .rate = 3,
                                 .decay = 2e-9,
                                 .seed = 1,
                                 .threads = 2,
                                 .log = stderr}};
    if (!read_options(argc, argv, &options)) {
        fputs(usage, stderr);
        return 2;
    }
    chess_init();
    tune_hold(options.train.held);
    Corpus corpus = {0};
    if (!read_all(&corpus, argv + optind, (size_t)options.limit))
        return 1;
    TrainSettings *settings = &options.train;
    if (settings->target.k == 0)
        settings->target.k = model_fit_k(&corpus);
    fprintf(stderr, "k %.6f\n", settings->target.k);
    Model model = model_from(&eval_weights);
    report("weights of today", &model, &corpus, settings);
    if (!options.warm)
        model = model_from(&tune_start);
    train(&model, &corpus, settings);
    EvalWeights weights;
    model_to(&model, &weights);
    model = model_from(&weights);
    report("rounded", &model, &corpus, settings);
    corpus_free(&corpus);
    return save(&weights, options.out) ? 0 : 1;
}
