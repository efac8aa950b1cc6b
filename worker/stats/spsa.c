/* SPDX-License-Identifier: MIT */
#include "stats/spsa.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"

/* The least step of an integer: with a smaller step both sides too often get the same number. */
static const double INTEGER_STEP_MIN = 0.5;

/* ---- Parameters ---- */

enum { FIELD_NAME, FIELD_TYPE, FIELD_START, FIELD_MIN, FIELD_MAX, FIELD_C, FIELD_R, FIELD_COUNT };

static const char *const FIELDS[FIELD_COUNT] = {
    [FIELD_NAME] = "name", [FIELD_TYPE] = "type", [FIELD_START] = "start", [FIELD_MIN] = "min",
    [FIELD_MAX] = "max",   [FIELD_C] = "c_end",   [FIELD_R] = "r_end"};

/* Options are 32-bit numbers in every engine. */
static const double VALUE_MAX = 2147483647;
/* Of c_end and r_end. The step divides by the square of c, which must not vanish. */
static const double END_MIN = 1e-9;

/* The fields between the commas, without the blanks around them. False: their number is wrong. */
static bool split_fields(const char *line, Words *out) {
    const char *const blanks = " \t\r\n";
    for (;;) {
        size_t length = strcspn(line, ",");
        const char *begin = line + strspn(line, blanks);
        const char *end = line + length;
        while (end > begin && strchr(blanks, end[-1]) != NULL)
            end--;
        Text field = {0};
        if (end > begin)
            text_add_bytes(&field, begin, (size_t)(end - begin));
        words_add(out, text_string(&field));
        text_free(&field);
        if (line[length] == '\0')
            return out->count == FIELD_COUNT;
        line += length + 1;
    }
}

static bool check_parameter(const SpsaParameter *p, Error *err) {
    const double numbers[] = {p->start, p->min, p->max};
    if (p->min >= p->max)
        return error_set(err, "min is not below max");
    if (p->start < p->min || p->start > p->max)
        return error_set(err, "start is not within min and max");
    for (size_t i = 0; i < COUNT(numbers) && !p->is_float; i++)
        if (numbers[i] != floor(numbers[i]))
            return error_set(err, "%s of an int is not a whole number", FIELDS[FIELD_START + i]);
    if (p->c_end <= 0 || p->r_end <= 0)
        return error_set(err, "%s is not above 0", FIELDS[p->c_end <= 0 ? FIELD_C : FIELD_R]);
    if (p->c_end < END_MIN || p->r_end < END_MIN)
        return error_set(err, "%s is below %g", FIELDS[p->c_end < END_MIN ? FIELD_C : FIELD_R],
                         END_MIN);
    return true;
}

static bool read_fields(const Words *fields, SpsaParameter *out, Error *err) {
    double *const numbers[FIELD_COUNT] = {[FIELD_START] = &out->start,
                                          [FIELD_MIN] = &out->min,
                                          [FIELD_MAX] = &out->max,
                                          [FIELD_C] = &out->c_end,
                                          [FIELD_R] = &out->r_end};
    const char *type = fields->items[FIELD_TYPE];
    out->is_float = strcmp(type, "float") == 0;
    if (*fields->items[FIELD_NAME] == '\0')
        return error_set(err, "the name is missing");
    for (const char *c = fields->items[FIELD_NAME]; *c; c++)
        if (iscntrl((unsigned char)*c))
            return error_set(err, "the name has a control character");
    if (!out->is_float && strcmp(type, "int") != 0)
        return error_set(err, "the type is \"%.32s\", neither int nor float", type);
    for (int i = FIELD_START; i < FIELD_COUNT; i++)
        if (!text_to_double(fields->items[i], -VALUE_MAX, VALUE_MAX, FIELDS[i], numbers[i], err))
            return false;
    return check_parameter(out, err);
}

bool spsa_read_parameter(const char *line, SpsaParameter *out, Error *err) {
    Words fields = {0};
    *out = (SpsaParameter){0};
    bool ok = split_fields(line, &fields) ||
              error_set(err, "is not \"name, int|float, start, min, max, c_end, r_end\"");
    ok = ok && read_fields(&fields, out, err);
    if (ok)
        out->name = mem_strdup(fields.items[FIELD_NAME]);
    else
        error_prefix(err, "%.200s", line);
    words_free(&fields);
    return ok;
}

void spsa_free_parameter(SpsaParameter *parameter) {
    free(parameter->name);
    *parameter = (SpsaParameter){0};
}

bool spsa_add_parameter(SpsaParameters *parameters, const char *line, Error *err) {
    SpsaParameter added;
    if (!spsa_read_parameter(line, &added, err))
        return false;
    bool ok = parameters->count < SPSA_PARAMETERS_MAX ||
              error_set(err, "more than %d parameters", SPSA_PARAMETERS_MAX);
    for (size_t i = 0; ok && i < parameters->count; i++)
        ok = !text_equal_nocase(parameters->items[i].name, added.name) ||
             error_set(err, "%s is given twice", added.name);
    if (!ok) {
        spsa_free_parameter(&added);
        return false;
    }
    MEM_ADD(parameters->items, parameters->count, parameters->capacity, added);
    return true;
}

bool spsa_add_parameters(SpsaParameters *parameters, const char *lines, Error *err) {
    bool ok = true;
    size_t length;
    for (const char *next; ok && (next = text_next_line(&lines, &length)) != NULL;) {
        char *line = mem_strndup(next, length);
        ok = spsa_add_parameter(parameters, line, err);
        free(line);
    }
    return ok;
}

void spsa_free_parameters(SpsaParameters *parameters) {
    for (size_t i = 0; i < parameters->count; i++)
        spsa_free_parameter(&parameters->items[i]);
    free(parameters->items);
    *parameters = (SpsaParameters){0};
}

void spsa_write_parameter(const SpsaParameter *p, Text *out) {
    const double numbers[] = {p->start, p->min, p->max, p->c_end, p->r_end};
    text_addf(out, "%s, %s", p->name, p->is_float ? "float" : "int");
    for (size_t i = 0; i < COUNT(numbers); i++) {
        text_add(out, ", ");
        text_add_number(out, numbers[i]);
    }
}

/* ---- Steps ---- */

SpsaStep spsa_step(const SpsaSchedule *schedule, const SpsaParameter *parameter, int64_t games) {
    assert(schedule->iterations >= 1 && schedule->pairs_per >= 1 && games >= 0);
    double iterations = (double)schedule->iterations;
    double k = 1 + (double)games / (2.0 * (double)schedule->pairs_per);
    double stability = schedule->a_ratio * iterations;

    double c_first = parameter->c_end * pow(iterations, schedule->gamma);
    double c = c_first / pow(k, schedule->gamma);
    if (!parameter->is_float && c < INTEGER_STEP_MIN)
        c = INTEGER_STEP_MIN;

    double a_end = parameter->r_end * parameter->c_end * parameter->c_end;
    double a_first = a_end * pow(stability + iterations, schedule->alpha);
    double r = a_first / pow(stability + k, schedule->alpha) / (c * c);
    return (SpsaStep){c, r};
}

static double clip(const SpsaParameter *parameter, double value) {
    return fmin(fmax(value, parameter->min), parameter->max);
}

void spsa_perturb(const SpsaParameter *parameter, double value, double c, int flip, double rounding,
                  double *dev, double *base) {
    assert((flip == 1 || flip == -1) && rounding >= 0 && rounding < 1);
    *dev = value + flip * c;
    *base = value - flip * c;
    if (!parameter->is_float) {
        *dev = floor(*dev + rounding);
        *base = floor(*base + rounding);
    }
    *dev = clip(parameter, *dev);
    *base = clip(parameter, *base);
}

double spsa_delta(SpsaStep step, int flip, int64_t wins, int64_t losses) {
    return step.r * step.c * (double)(wins - losses) * flip;
}

double spsa_moved(const SpsaParameter *parameter, double value, double delta) {
    return clip(parameter, value + delta);
}

/* ---- Drift ---- */

void spsa_drift_add(SpsaDrift *drift, double move) {
    drift->sum += move;
    drift->squares += move * move;
}

double spsa_drift_chance(const SpsaDrift *drift) {
    return sqrt(drift->squares);
}

/* The probability that a chi-squared variable exceeds x: Q(degrees / 2, x / 2), the regularized
 * upper incomplete gamma function (Abramowitz and Stegun 26.4.4 and 26.4.5: a finite sum for whole
 * and half arguments). */
static double chi_squared_above(double x, size_t degrees) {
    double half = x / 2;
    bool odd = degrees % 2 == 1;
    double order = odd ? 0.5 : 0; /* The term in turn is half^order e^-half / gamma(order + 1). */
    double term = odd ? exp(-half) * sqrt(half) / tgamma(1.5) : exp(-half);
    double above = odd ? erfc(sqrt(half)) : 0;
    for (size_t left = degrees / 2; left > 0; left--) {
        above += term;
        order += 1;
        term *= half / order;
    }
    return fmin(above, 1);
}

double spsa_drift_probability(const SpsaDrift *drifts, size_t count) {
    double x = 0;
    size_t degrees = 0;
    for (size_t i = 0; i < count; i++) {
        if (drifts[i].squares <= 0)
            continue;
        x += drifts[i].sum * drifts[i].sum / drifts[i].squares;
        degrees++;
    }
    return degrees ? chi_squared_above(x, degrees) : 1;
}

bool spsa_drift_is_progress(double probability) {
    static const double PROGRESS = 0.001;
    return probability < PROGRESS;
}
