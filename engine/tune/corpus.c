/* SPDX-License-Identifier: MIT */
#include "tune/corpus.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chess/fen.h"
#include "eval/network.h"

void *corpus_alloc(void *old, size_t count, size_t size) {
    void *memory = count <= SIZE_MAX / size ? realloc(old, count * size) : NULL;
    if (memory == NULL) {
        fprintf(stderr, "tuner: no memory for %zu times %zu bytes\n", count, size);
        exit(1);
    }
    return memory;
}

static uint16_t add_counts(Corpus *corpus, const int16_t times[EVAL_WEIGHT_COUNT]) {
    uint16_t length = 0;
    for (int i = 0; i < EVAL_WEIGHT_COUNT; i++) {
        if (times[i] == 0)
            continue;
        corpus->counts[corpus->count_count++] =
            (CorpusCount){.weight = (uint16_t)i, .times = times[i]};
        length++;
    }
    return length;
}

static void count_weights(Corpus *corpus, CorpusSample *sample, const EvalCounts *counts) {
    size_t most = COUNT_KINDS * EVAL_WEIGHT_COUNT;
    if (corpus->count_capacity - corpus->count_count < most) {
        corpus->count_capacity += corpus->count_capacity / 4 + 16 * most;
        corpus->counts =
            corpus_alloc(corpus->counts, corpus->count_capacity, sizeof *corpus->counts);
    }
    sample->length[COUNT_LINEAR] = add_counts(corpus, counts->linear);
    sample->length[COUNT_DANGER_WHITE] = add_counts(corpus, counts->danger[WHITE]);
    sample->length[COUNT_DANGER_BLACK] = add_counts(corpus, counts->danger[BLACK]);
    sample->length[COUNT_WINNABLE] = add_counts(corpus, counts->winnable);
}

void corpus_add(Corpus *corpus, const Position *pos, double score, double result) {
    EvalTrace trace;
    EvalCounts counts;
    eval_count(pos, &trace, &counts);
    int terms = trace.total - trace.network;
    if (corpus->sample_count == corpus->sample_capacity) {
        corpus->sample_capacity += corpus->sample_capacity / 4 + 4096;
        corpus->samples =
            corpus_alloc(corpus->samples, corpus->sample_capacity, sizeof *corpus->samples);
    }
    CorpusSample *sample = &corpus->samples[corpus->sample_count++];
    *sample = (CorpusSample){
        .stm = pos->stm,
        .king = {(uint8_t)position_king(pos, WHITE), (uint8_t)position_king(pos, BLACK)},
        .first = corpus->count_count,
        .phase = (uint8_t)counts.phase,
        .scale = {(uint8_t)counts.scale[WHITE], (uint8_t)counts.scale[BLACK]},
        .terms = (float)(pos->stm == WHITE ? terms : -terms),
        .score = (float)score,
        .result = (float)result};
    for (Bitboard men = position_occupied(pos); men && sample->men < CORPUS_MEN_MAX;) {
        Square s = bb_pop_lsb(&men);
        sample->man[sample->men++] = (uint16_t)(pos->board[s] * SQUARE_COUNT + s);
    }
    if (!corpus->for_network)
        count_weights(corpus, sample, &counts);
}

bool corpus_holds_out(const Corpus *corpus, size_t sample) {
    if (corpus->held_out_from > 0)
        return sample >= corpus->held_out_from;
    return sample / CORPUS_BLOCK % CORPUS_HELD_OUT == CORPUS_HELD_OUT - 1;
}

static const char blanks[] = " \t\r\n";

enum { SCORE_MOST = 1000000 };

/* The number that a field holds alone. */
static bool parse_score(const char *text, double *score) {
    char *end;
    errno = 0;
    *score = strtod(text, &end);
    bool found = end != text;
    end += strspn(end, blanks);
    return found && *end == '\0' && errno == 0 && fabs(*score) <= (double)SCORE_MOST;
}

/* A result in full: "0." or "0" is what is left of "0.5" where a file was cut. */
static bool parse_result(const char *text, double *result) {
    static const char *const results[] = {"0.0", "0.5", "1.0"};
    text += strspn(text, blanks);
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        size_t length = strlen(results[i]);
        *result = (double)i / 2;
        if (strncmp(text, results[i], length) == 0 &&
            text[length + strspn(text + length, blanks)] == '\0')
            return true;
    }
    return false;
}

static bool add_line(Corpus *corpus, char *line, char fault[200]) {
    char *score_text = strchr(line, '|');
    char *result_text = score_text ? strchr(score_text + 1, '|') : NULL;
    if (result_text == NULL) {
        snprintf(fault, 200, "\"FEN | centipawns | result\" is wanted");
        return false;
    }
    *score_text++ = '\0';
    *result_text++ = '\0';
    Position pos;
    FenError err;
    if (!fen_parse(&pos, line, true, &err)) {
        snprintf(fault, 200, "%s", err.text);
        return false;
    }
    double score;
    double result;
    if (!parse_score(score_text, &score)) {
        snprintf(fault, 200, "the score is not a number from -%d to %d", SCORE_MOST, SCORE_MOST);
        return false;
    }
    if (!parse_result(result_text, &result)) {
        snprintf(fault, 200, "the result is not 1.0, 0.5 or 0.0");
        return false;
    }
    bool silent = corpus->for_network && !network_speaks(&pos);
    if (position_in_check(&pos) || fabs(score) > (double)CORPUS_SCORE_MAX || silent)
        corpus->skipped++;
    else
        corpus_add(corpus, &pos, score, result);
    return true;
}

bool corpus_read(Corpus *corpus, const char *path, size_t limit, CorpusError *err) {
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        snprintf(err->text, sizeof err->text, "%.80s: %s", path, strerror(errno));
        return false;
    }
    char *line = NULL;
    char fault[200] = "a zero byte: was the file cut?";
    size_t capacity = 0;
    ssize_t length = 0;
    bool good = true;
    for (size_t number = 1; good && (limit == 0 || corpus->sample_count < limit) &&
                            (length = getline(&line, &capacity, file)) >= 0;
         number++) {
        good = strlen(line) == (size_t)length;
        if (good && line[strspn(line, blanks)] != '\0')
            good = add_line(corpus, line, fault);
        if (!good)
            snprintf(err->text, sizeof err->text, "%.80s: line %zu: %s", path, number, fault);
    }
    if (good && length < 0 && !feof(file)) {
        snprintf(err->text, sizeof err->text, "%.80s: %s", path, strerror(errno));
        good = false;
    }
    free(line);
    fclose(file);
    return good;
}

void corpus_free(Corpus *corpus) {
    free(corpus->counts);
    free(corpus->samples);
    *corpus = (Corpus){0};
}
