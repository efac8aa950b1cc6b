/* SPDX-License-Identifier: MIT */
/* The positions to tune on, each reduced to its pieces and to how often it counts every weight. */
#ifndef TUNE_CORPUS_H
#define TUNE_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chess/types.h"
#include "eval/eval.h"

/* `times` the weight with this number. */
typedef struct {
    uint16_t weight;
    int16_t times;
} CorpusCount;

/* The kinds of counts, in the order in which a sample has them. */
typedef enum {
    COUNT_LINEAR,
    COUNT_DANGER_WHITE,
    COUNT_DANGER_BLACK,
    COUNT_WINNABLE,
    COUNT_KINDS
} CorpusCountKind;

enum { CORPUS_MEN_MAX = 32 };

typedef struct {
    uint16_t man[CORPUS_MEN_MAX]; /* piece * SQUARE_COUNT + square */
    uint8_t men;
    uint8_t stm;
    uint8_t king[COLOR_COUNT]; /* squares */
    size_t first;              /* of its counts */
    uint16_t length[COUNT_KINDS];
    uint8_t phase;
    uint8_t scale[COLOR_COUNT];
    float terms;  /* the sum of the terms of today, without the network; centipawns, White's view */
    float score;  /* centipawns that a search found, White's view */
    float result; /* of the game: 1 White won, 0.5, 0 */
} CorpusSample;

/* All zero when new. Free with corpus_free. */
typedef struct {
    /* Set before the first sample: for the network. No sample then counts weights, which takes much
     * memory, and positions to which the network adds nothing are skipped. */
    bool for_network;
    CorpusCount *counts;
    CorpusSample *samples;
    size_t count_count, count_capacity;
    size_t sample_count, sample_capacity;
    /* The first of the samples that are held out of the training, which are the last ones; 0:
     * blocks are held out. */
    size_t held_out_from;
    /* Positions that are not used: in check, decided by their score, or none of the network's. */
    size_t skipped;
} Corpus;

/* What is wrong with a file, and where. */
typedef struct {
    char text[320];
} CorpusError;

/* Scores beyond this say nothing about single weights. Centipawns. */
enum { CORPUS_SCORE_MAX = 2000 };

/* One block of samples in this many is held out, so that no game is in both parts but at the seams.
 */
enum { CORPUS_BLOCK = 1000, CORPUS_HELD_OUT = 20 };

/* Is the sample held out of the training? */
bool corpus_holds_out(const Corpus *corpus, size_t sample);

void corpus_add(Corpus *corpus, const Position *pos, double score, double result);

/* Adds the lines of a file, `<FEN> | <centipawns, White's view> | <1.0, 0.5 or 0.0>`, up to `limit`
 * samples in all (0: no limit). The positions may be of Chess960. False, with the fault in *err:
 * the file cannot be read, or a line is not of that form. */
bool corpus_read(Corpus *corpus, const char *path, size_t limit, CorpusError *err);

void corpus_free(Corpus *corpus);

/* Memory, or the program ends: there is nothing a tuner could do without it. */
void *corpus_alloc(void *old, size_t count, size_t size);

#endif
