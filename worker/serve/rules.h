/* SPDX-License-Identifier: MIT */
/* The rules of an OpenBench server: which test a machine gets, how its games are spread over match
 * runners, and when a test ends. Pure: values in, values out. Source: the protocol's section "What
 * the server does". The rules of SPSA's steps are in stats/spsa.h. */
#ifndef SERVE_RULES_H
#define SERVE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "serve/ability.h"
#include "serve/store.h"

/* The number of an option among "Name=Value" words, such as Threads: of the last word of this name,
 * in any letter case. 0: the option is missing, or no whole number of at least 1. */
int64_t rules_option(const char *options, const char *name);

/* Is the machine fit for the test, apart from the engines? Looks at the tables, at time on a noisy
 * machine, and at the threads. */
bool rules_fits(const Test *test, const Ability *ability);

/* A machine's question for work. */
typedef struct {
    const Test *tests; /* Fit for the machine. */
    size_t count;
    const BusyThreads
        *busy; /* Of other machines, in any order; tests without an entry have no other machines. */
    size_t busy_count;
    int64_t threads;    /* The concurrency of the machine that asks. */
    const Words *focus; /* Its focus. */
    int64_t last_test;  /* Its last test; 0: none. */
    bool balance;       /* A test's throughput is divided by the number of tests of its engine. */
    double random;      /* From [0, 1): chooses among equals. */
} Question;

/* The test that the machine gets. */
typedef struct {
    size_t index; /* Among the question's tests. */
    bool focused; /* For the machine's focus. */
} Choice;

/* False: there is no test. */
bool rules_choose(const Question *question, Choice *out);

/* How a workload's games are spread: runners x concurrency games at a time, and each runner plays
 * `rounds` games, two of each opening. */
typedef struct {
    int64_t runners;
    int64_t concurrency;
    int64_t rounds;
} Distribution;

/* The distribution of a workload of the test. The machine is fit for the test. */
Distribution rules_distribution(const Test *test, const Ability *ability);

/* The same with fewer openings: at most `openings` of the book, which are not fewer than
 * rules_least_openings. */
Distribution rules_shrink(const Test *test, Distribution distribution, int64_t openings);

/* Is each opening played twice, with colours swapped? Data generation without reverses plays each
 * opening once. */
bool rules_plays_pairs(const Test *test);

/* The openings of the book that a workload of this distribution takes. */
int64_t rules_openings(const Test *test, Distribution distribution);

/* The fewest openings of the book that a workload can take: those of two games. */
int64_t rules_least_openings(const Test *test);

/* The openings of the book that so many results have used. */
int64_t rules_played(const Test *test, const Tally *batch);

/* How a test ends. */
typedef enum {
    TEST_GOES_ON,
    TEST_PASSED,
    TEST_FAILED,
    TEST_OVER /* neither passed nor failed */
} TestEnd;

/* The number of games that ends the test; 0: no number ends it. */
int64_t rules_games(const Test *test);

/* The LLR of the test's tally, and the end that the tally means. */
double rules_llr(const Test *test);
TestEnd rules_end(const Test *test);

#endif
