/* SPDX-License-Identifier: MIT */
/* The tuner: reads positions, writes the evaluation's weights. */
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chess/attacks.h"
#include "tune/corpus.h"
#include "tune/model.h"
#include "tune/netmodel.h"
#include "tune/start.h"
#include "tune/train.h"
#include "tune/write.h"

static const char usage[] =
    "usage: tuner [--network] [options] FILE...\n"
    "Tunes the evaluation on positions, lines of `FEN | centipawns | result`, both White's view.\n"
    "Writes engine/eval/weights.c anew, or with --network engine/eval/network_weights.c, which\n"
    "is trained on top of the weights of today. In brackets: the default, and --network's.\n"
    "  -N, --network      train the network, not the weights; comes before other options\n"
    "  -o, --out FILE     where the weights go: a new file, or one of them (standard output)\n"
    "  -e, --epochs N     times over all positions (25, 9)\n"
    "  -b, --batch N      positions a step (8192, 16384)\n"
    "  -r, --rate X       size of a step at first: centipawns, network's units (3, 0.003)\n"
    "  -l, --blend X      share of the result in the target, the rest is the score's (0.5, 0.3)\n"
    "  -d, --decay X      pull of a weight to its start (2e-9, 0)\n"
    "  -k, --k X          scale of the logistic curve (fitted to the positions)\n"
    "  -n, --limit N      read at most so many positions of FILE... (all)\n"
    "  -u, --held-out FILE  hold out the positions of this file (one block of 1000 in twenty)\n"
    "  -s, --seed N       of the order of positions, and of the network's first weights (1)\n"
    "  -t, --threads N    threads, 8 at most (2)\n"
    "  -w, --warm         begin with the weights of today\n"
    "  -h, --help         this text\n";

typedef struct {
    TrainSettings train;
    const char *out, *held_out;
    char part[PATH_MAX]; /* see name_part */
    double limit;
    bool network, warm;
} Options;

static const TrainSettings weights_settings = {.target = {.blend = 0.5},
                                               .epochs = 25,
                                               .batch = 8192,
                                               .rate = 3,
                                               .decay = 2e-9,
                                               .seed = 1,
                                               .threads = 2};
static const TrainSettings network_settings = {
    .target = {.blend = 0.3}, .epochs = 9, .batch = 16384, .rate = 0.003, .seed = 1, .threads = 2};

static bool number_in(const char *text, double low, double high, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && *value >= low && *value <= high;
}

/* Does the option take a whole number? */
static bool is_whole(int option) {
    return strchr("ebnst", option) != NULL;
}

/* Sets a short option's number. False, with the fault told, for a number beyond its limits. */
static bool set_number(Options *options, int option, const char *text) {
    double value;
    double low = option == 'e' || option == 'b' || option == 't' ? 1 : 0;
    double high = option == 't' ? (double)TRAIN_THREADS_MAX : option == 'l' ? 1 : 1e9;
    if (!number_in(text, low, high, &value) || (is_whole(option) && value != floor(value))) {
        fprintf(stderr, "tuner: -%c %s: a %snumber from %.0f to %.0f is wanted\n", option, text,
                is_whole(option) ? "whole " : "", low, high);
        return false;
    }
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

/* Reads the options. --network chooses defaults, so it comes before the other options. */
static bool read_options(int argc, char **argv, Options *options) {
    static const struct option known[] = {
        {"network", no_argument, NULL, 'N'},
        {"out", required_argument, NULL, 'o'},
        {"epochs", required_argument, NULL, 'e'},
        {"batch", required_argument, NULL, 'b'},
        {"rate", required_argument, NULL, 'r'},
        {"blend", required_argument, NULL, 'l'},
        {"decay", required_argument, NULL, 'd'},
        {"k", required_argument, NULL, 'k'},
        {"limit", required_argument, NULL, 'n'},
        {"held-out", required_argument, NULL, 'u'},
        {"seed", required_argument, NULL, 's'},
        {"threads", required_argument, NULL, 't'},
        {"warm", no_argument, NULL, 'w'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;
    bool first = true;
    while ((option = getopt_long(argc, argv, "No:e:b:r:l:d:k:n:u:s:t:wh", known, NULL)) != -1) {
        if (option == 'h') {
            fputs(usage, stdout);
            exit(0);
        }
        if (option == '?')
            return false;
        if (option == 'N' && !first) {
            fprintf(stderr, "tuner: --network stands before all other options\n");
            return false;
        }
        first = false;
        if (option == 'N')
            *options = (Options){.train = network_settings, .network = true};
        else if (option == 'o')
            options->out = optarg;
        else if (option == 'u')
            options->held_out = optarg;
        else if (option == 'w')
            options->warm = true;
        else if (!set_number(options, option, optarg))
            return false;
    }
    if (optind == argc)
        fprintf(stderr, "tuner: no FILE of positions is given\n");
    return optind < argc;
}

static bool read_file(Corpus *corpus, const char *path, size_t limit) {
    CorpusError err;
    if (corpus_read(corpus, path, limit, &err))
        return true;
    fprintf(stderr, "tuner: %s\n", err.text);
    return false;
}

/* Reads the positions that are held out of the training. */
static bool read_held_out(Corpus *corpus, const char *path) {
    corpus->held_out_from = corpus->sample_count;
    if (!read_file(corpus, path, 0))
        return false;
    if (corpus->sample_count > corpus->held_out_from)
        return true;
    fprintf(stderr, "tuner: --held-out %s: has no position to measure on\n", path);
    return false;
}

/* A loss on positions that were trained with tells nothing. */
static bool is_apart(char **paths, const char *held_out) {
    struct stat apart;
    struct stat file;
    bool known = stat(held_out, &apart) == 0;
    for (; known && *paths; paths++)
        if (stat(*paths, &file) == 0 && file.st_dev == apart.st_dev &&
            file.st_ino == apart.st_ino) {
            fprintf(stderr, "tuner: --held-out %s: is among the FILE... to train with too\n",
                    held_out);
            return false;
        }
    return true;
}

/* How many positions were left out, and which. */
static void tell_skipped(const Corpus *corpus) {
    fprintf(stderr, "%zu skipped: in check, beyond %d centipawns%s\n", corpus->skipped,
            CORPUS_SCORE_MAX, corpus->for_network ? ", a bare king" : "");
}

static bool read_all(Corpus *corpus, char **paths, const Options *options) {
    const size_t wanted = options->held_out ? CORPUS_BLOCK : CORPUS_BLOCK * CORPUS_HELD_OUT;
    if (options->held_out && !is_apart(paths, options->held_out))
        return false;
    for (; *paths; paths++)
        if (!read_file(corpus, *paths, (size_t)options->limit))
            return false;
    if (corpus->sample_count < wanted) {
        fprintf(stderr, "tuner: %zu positions: %zu at least are wanted; ", corpus->sample_count,
                wanted);
        tell_skipped(corpus);
        return false;
    }
    if (options->held_out && !read_held_out(corpus, options->held_out))
        return false;
    size_t held_out = 0;
    for (size_t i = 0; i < corpus->sample_count; i++)
        held_out += corpus_holds_out(corpus, i);
    fprintf(stderr, "%zu positions to train with, %zu held out, ", corpus->sample_count - held_out,
            held_out);
    tell_skipped(corpus);
    return true;
}

/* Names the file in which the weights are written until they are whole: one beside a file, new or
 * old, whose place it then takes. A device, a pipe or a link stays, and is written itself. */
static void name_part(Options *options) {
    struct stat there;
    bool stays = lstat(options->out, &there) == 0 && !S_ISREG(there.st_mode);
    snprintf(options->part, sizeof options->part, "%s%s", options->out, stays ? "" : ".part");
}

static bool is_in_part(const Options *options) {
    return options->out && strcmp(options->part, options->out) != 0;
}

/* NULL, with the fault told, where the file cannot be opened. */
static FILE *open_out(const Options *options) {
    FILE *out = options->out ? fopen(options->part, "w") : stdout;
    if (out == NULL)
        perror(options->part);
    return out;
}

/* May the weights, or the network, take the place of what is at the path? So does no other file:
 * where --out's FILE is missing, the first file of positions is taken for it. */
static bool is_replaceable(const char *path, bool network) {
    const char *mark = network ? WRITE_NETWORK_MARK : WRITE_WEIGHTS_MARK;
    struct stat there;
    char line[256];
    bool marked = false;
    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode) || there.st_size == 0)
        return true;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        return false;
    }
    while (!marked && fgets(line, sizeof line, file))
        marked = strcmp(line, mark) == 0;
    fclose(file);
    if (!marked)
        fprintf(stderr, "tuner: %s: exists and is no file of %s: is --out's FILE missing?\n", path,
                network ? "a network" : "weights");
    return marked;
}

/* Whether a file can be written there: training takes hours, and the file comes last. Leaves no
 * new file, except where a link points to none. A pipe is not opened: its reader would take the
 * closing for the end of the weights. */
static bool can_write(const char *path) {
    struct stat there;
    bool is_new = lstat(path, &there) != 0;
    bool is_pipe = stat(path, &there) == 0 && S_ISFIFO(there.st_mode);
    FILE *out = is_pipe ? NULL : fopen(path, "a");
    if (is_pipe ? access(path, W_OK) != 0 : out == NULL) {
        perror(path);
        return false;
    }
    if (out != NULL)
        fclose(out);
    if (is_new)
        unlink(path);
    return true;
}

/* Ends the file; where that fails, the older one stays. */
static bool close_out(FILE *out, const Options *options) {
    const char *path = options->out;
    bool good = fflush(out) == 0 && !ferror(out);
    if (path && fclose(out) != 0)
        good = false;
    if (good && is_in_part(options))
        good = rename(options->part, path) == 0;
    if (!good)
        perror(path ? path : "standard output");
    if (!good && is_in_part(options))
        remove(options->part);
    return good;
}

static void report(const char *what, const Learner *learner, const Corpus *corpus,
                   const TrainSettings *settings) {
    TrainLoss loss = train_loss(learner, corpus, settings->target, settings->threads);
    Target results = {.k = settings->target.k, .blend = 1};
    TrainLoss played = train_loss(learner, corpus, results, settings->threads);
    fprintf(stderr, "%s: loss %.6f, held out %.6f (results alone %.6f)\n", what, loss.training,
            loss.held_out, played.held_out);
}

/* Tunes the terms' weights, and writes them. */
static bool tune_weights(const Corpus *corpus, const Options *options) {
    static bool held[EVAL_WEIGHT_COUNT][HALF_COUNT];
    TrainSettings settings = options->train;
    EvalWeights weights;
    Model model = model_from(&eval_weights);
    Learner learner = model_learner(&model);
    tune_hold(held);
    settings.held = &held[0][0];
    report("weights of today", &learner, corpus, &settings);
    if (!options->warm)
        model = model_from(&tune_start);
    train(&learner, corpus, &settings);
    model_to(&model, &weights);
    model = model_from(&weights);
    report("rounded", &learner, corpus, &settings);
    FILE *out = open_out(options);
    if (out == NULL)
        return false;
    write_weights(&weights, out);
    return close_out(out, options);
}

/* Trains the network on top of the terms, and writes it. */
static bool train_network(const Corpus *corpus, const Options *options) {
    static NetModel model;
    static Network network;
    Learner learner = netmodel_learner(&model);
    report("terms alone", &learner, corpus, &options->train);
    netmodel_from(&eval_network, &model);
    report("network of today", &learner, corpus, &options->train);
    if (!options->warm)
        netmodel_start(&model, options->train.seed);
    train(&learner, corpus, &options->train);
    netmodel_to(&model, &network);
    netmodel_from(&network, &model);
    report("rounded", &learner, corpus, &options->train);
    FILE *out = open_out(options);
    if (out == NULL)
        return false;
    write_network(&network, out);
    return close_out(out, options);
}

int main(int argc, char **argv) {
    Options options = {.train = weights_settings};
    if (!read_options(argc, argv, &options)) {
        fputs("Try './tuner --help'.\n", stderr);
        return 2;
    }
    if (options.out && !is_replaceable(options.out, options.network))
        return 1;
    if (options.out && !can_write(options.out))
        return 1;
    if (options.out)
        name_part(&options);
    if (is_in_part(&options) && !can_write(options.part))
        return 1;
    chess_init();
    Corpus corpus = {.for_network = options.network};
    if (!read_all(&corpus, argv + optind, &options))
        return 1;
    TrainSettings *settings = &options.train;
    settings->log = stderr;
    if (settings->target.k == 0 && !target_fit_k(&corpus, &settings->target.k)) {
        fprintf(stderr,
                "tuner: the scores do not predict the results: are they centipawns, White's "
                "view? --k X trains with them all the same\n");
        return 1;
    }
    fprintf(stderr, "k %.6f\n", settings->target.k);
    bool good =
        options.network ? train_network(&corpus, &options) : tune_weights(&corpus, &options);
    corpus_free(&corpus);
    return good ? 0 : 1;
}
