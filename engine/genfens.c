/* SPDX-License-Identifier: MIT */
#include "genfens.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "chess/fen.h"
#include "words.h"

/* FIRST_LOOK_MARGIN: a position within so many centipawns of the bounds after the short search is
   judged by the long one. */
enum { FIRST_LOOK_MARGIN = 40 };

/* One of the `name=number` words. */
static bool parse_argument(const char *word, GenfensRequest *request,
                           char fault[OPENING_FAULT_MAX]) {
    const struct {
        const char *name;
        int low, high;
        int *value;
    } arguments[] = {
        {"random_plies=", 0, OPENING_PLIES_MAX, &request->random_plies},
        {"min=", 0, SCORE_MATE, &request->min_score},
        {"max=", 0, SCORE_MATE, &request->max_score},
        {"nodes=", 1, GENFENS_NODES_MAX, &request->nodes},
    };
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
        size_t length = strlen(arguments[i].name);
        if (strncmp(word, arguments[i].name, length) != 0)
            continue;
        if (words_number_within(word + length, arguments[i].low, arguments[i].high,
                                arguments[i].value))
            return true;
        snprintf(fault, OPENING_FAULT_MAX, "%.64s: a number from %d to %d is wanted", word,
                 arguments[i].low, arguments[i].high);
        return false;
    }
    snprintf(fault, OPENING_FAULT_MAX,
             "unknown argument \"%.64s\" (random_plies=, min=, max= and nodes= are known)", word);
    return false;
}

/* The word that follows `name`, which has to come next; NULL where either is missing. */
static const char *value_behind(const char *name, char **rest) {
    const char *word = words_next(rest);
    return word != NULL && strcmp(word, name) == 0 ? words_next(rest) : NULL;
}

bool genfens_parse(char *text, GenfensRequest *request, char fault[OPENING_FAULT_MAX]) {
    static const char usage[] =
        "N seed S book <None|path> [random_plies=P] [min=CP] [max=CP] [nodes=N] is wanted";
    *request = (GenfensRequest){.random_plies = OPENING_PLIES_DEFAULT,
                                .min_score = GENFENS_MIN_DEFAULT,
                                .max_score = GENFENS_MAX_DEFAULT,
                                .nodes = OPENING_NODES};
    const char *count = words_next(&text);
    if (count == NULL || !words_number_within(count, 1, GENFENS_COUNT_MAX, &request->count)) {
        snprintf(fault, OPENING_FAULT_MAX, "%s, N from 1 to %d", usage, GENFENS_COUNT_MAX);
        return false;
    }
    const char *seed = value_behind("seed", &text);
    if (seed != NULL && !opening_parse_seed(seed, &request->seed)) {
        snprintf(fault, OPENING_FAULT_MAX, "seed %.64s: a number from 0 to %" PRIu64 " is wanted",
                 seed, UINT64_MAX);
        return false;
    }
    const char *path = seed != NULL ? value_behind("book", &text) : NULL;
    if (path == NULL) {
        snprintf(fault, OPENING_FAULT_MAX, "%s has to come next: %s",
                 seed == NULL ? "seed S" : "book <None|path>", usage);
        return false;
    }
    request->book = strcmp(path, "None") == 0 ? NULL : path;
    for (const char *word; (word = words_next(&text)) != NULL;)
        if (!parse_argument(word, request, fault))
            return false;
    if (request->min_score > request->max_score) {
        snprintf(fault, OPENING_FAULT_MAX, "min=%d is above max=%d", request->min_score,
                 request->max_score);
        return false;
    }
    return true;
}

/* Whether the score is within the bounds or at most `margin` centipawns outside. True also when the
   task was ended. */
static bool is_within(Task *task, const Position *position, const GenfensRequest *request,
                      int nodes, int margin) {
    int score;
    if (!opening_score(task, position, nodes, &score))
        return true;
    return abs(score) >= request->min_score - margin && abs(score) <= request->max_score + margin;
}

/* What a position is judged by. */
typedef struct {
    const GenfensRequest *request;
    Task *task;
} Judge;

static bool is_wanted(const Position *position, void *user) {
    enum { LONG_SEARCH = 4 * OPENING_NODES };
    const Judge *judge = user;
    const GenfensRequest *request = judge->request;
    Task *task = judge->task;
    if (request->nodes >= LONG_SEARCH &&
        !is_within(task, position, request, OPENING_NODES, FIRST_LOOK_MARGIN))
        return false;
    return is_within(task, position, request, request->nodes, 0);
}

/* Tries until a position meets the bounds, or the task was ended. */
static bool make_one(const GenfensRequest *request, Openings *openings, Task *task,
                     Position *position, char fault[OPENING_FAULT_MAX]) {
    Judge judge = {.request = request, .task = task};
    OpeningDraw draw =
        openings_find(openings, request->random_plies, is_wanted, &judge, position, fault);
    if (draw == OPENING_OVER)
        snprintf(fault, OPENING_FAULT_MAX,
                 "%d attempts each ended the game or came to a position twice: lower random_plies= "
                 "or take another book",
                 OPENING_DRAWS_MAX);
    if (draw == OPENING_REFUSED)
        snprintf(fault, OPENING_FAULT_MAX,
                 "%d attempts gave no position with a score from %d to %d: widen min= and max=",
                 OPENING_DRAWS_MAX, request->min_score, request->max_score);
    return draw == OPENING_DRAWN;
}

bool genfens_run(Task *task, const GenfensRequest *request, FILE *out,
                 char fault[OPENING_FAULT_MAX]) {
    Openings openings;
    if (!openings_open(&openings, request->book, request->seed, fault))
        return false;
    bool done = true;
    for (int i = 0; done && i < request->count; i++) {
        Position position;
        char fen[FEN_MAX];
        done = make_one(request, &openings, task, &position, fault);
        if (!done || task_is_ended(task))
            break;
        fen_format(&position, fen);
        fprintf(out, "info string genfens %s\n", fen);
        done = fflush(out) == 0;
        if (!done)
            snprintf(fault, OPENING_FAULT_MAX, "the output: %s", strerror(errno));
    }
    openings_close(&openings);
    return done;
}
