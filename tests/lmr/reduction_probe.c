/* SPDX-License-Identifier: MIT */
/* Prints what the reduction room decides, so that a script can ask every variant. Each argument is
 * a question with facts, d=10,n=20,killer,pv,history=-600 for R or one of those below with its name
 * before the facts, base:d=10,n=20. One line an argument. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lmr/history.h"
#include "lmr/reduction.h"

typedef struct {
    LmrMove move;
    int reduction, swing, score, best, beta;
    bool first;
} Question;

static const struct {
    const char *name;
    size_t offset;
    bool number;
} facts[] = {{"d", offsetof(Question, move.depth), true},
             {"n", offsetof(Question, move.number), true},
             {"history", offsetof(Question, move.history), true},
             {"rank", offsetof(Question, move.pawn_rank), true},
             {"cutoffs", offsetof(Question, move.child_cutoffs), true},
             {"iteration", offsetof(Question, move.iteration), true},
             {"alpha", offsetof(Question, move.alpha), true},
             {"static", offsetof(Question, move.static_eval), true},
             {"after", offsetof(Question, move.eval_after), true},
             {"gain", offsetof(Question, move.placement_gain), true},
             {"total", offsetof(Question, move.eval.total), true},
             {"material", offsetof(Question, move.eval.material), true},
             {"to_total", offsetof(Question, move.eval_to.total), true},
             {"to_material", offsetof(Question, move.eval_to.material), true},
             {"to_passed", offsetof(Question, move.eval_to.passed), true},
             {"to_king", offsetof(Question, move.eval_to.king), true},
             {"known", offsetof(Question, move.eval_known), false},
             {"node", offsetof(Question, move.eval.known), false},
             {"from", offsetof(Question, move.eval_from.known), false},
             {"to", offsetof(Question, move.eval_to.known), false},
             {"extended", offsetof(Question, move.extended), false},
             {"ever_best", offsetof(Question, move.ever_best), false},
             {"threat", offsetof(Question, move.threat), false},
             {"escape", offsetof(Question, move.escape), false},
             {"caphist", offsetof(Question, move.capture_history), true},
             {"correction", offsetof(Question, move.correction), true},
             {"window", offsetof(Question, move.window), true},
             {"root_window", offsetof(Question, move.root_window), true},
             {"flees", offsetof(Question, move.escapes_see), false},
             {"evades", offsetof(Question, move.king_evades), false},
             {"few", offsetof(Question, move.few_pieces), false},
             {"root", offsetof(Question, move.root), false},
             {"pv", offsetof(Question, move.pv), false},
             {"raised", offsetof(Question, move.alpha_raised), false},
             {"cut", offsetof(Question, move.cut), false},
             {"in_check", offsetof(Question, move.in_check), false},
             {"improving", offsetof(Question, move.improving), false},
             {"hash", offsetof(Question, move.hash_move), false},
             {"capture", offsetof(Question, move.capture), false},
             {"promotion", offsetof(Question, move.promotion), false},
             {"queen", offsetof(Question, move.queen_promotion), false},
             {"check", offsetof(Question, move.gives_check), false},
             {"killer", offsetof(Question, move.killer), false},
             {"tt_pv", offsetof(Question, move.tt_pv), false},
             {"tt_deep", offsetof(Question, move.tt_deep), false},
             {"tt_capture", offsetof(Question, move.tt_capture), false},
             {"tt_move", offsetof(Question, move.tt_hit_move), false},
             {"counter", offsetof(Question, move.counter), false},
             {"good", offsetof(Question, move.see_good), false},
             {"first", offsetof(Question, first), false},
             {"r", offsetof(Question, reduction), true},
             {"swing", offsetof(Question, swing), true},
             {"score", offsetof(Question, score), true},
             {"best", offsetof(Question, best), true},
             {"beta", offsetof(Question, beta), true}};

static void set_fact(Question *question, char *word) {
    char *value = strchr(word, '=');
    if (value)
        *value++ = '\0';
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        if (strcmp(word, facts[i].name) != 0)
            continue;
        if (facts[i].number)
            *(int *)((char *)question + facts[i].offset) = value ? atoi(value) : 0;
        else
            *(bool *)((char *)question + facts[i].offset) = true;
        return;
    }
    fprintf(stderr, "reduction_probe: no fact \"%s\"\n", word);
    exit(2);
}

/* The move as it is without its costly facts, or with all of them. */
static LmrMove with_costly_facts(const LmrMove *move, bool on) {
    LmrMove m = *move;
    m.threat = m.escape = m.escapes_see = m.king_evades = m.few_pieces = on;
    m.eval_after = on ? move->alpha + 500 : 0;
    m.placement_gain = on ? 500 : 0;
    m.eval = m.eval_from = (LmrEval){.known = on};
    m.eval_to = (LmrEval){.known = on, .total = 500, .passed = 500, .king = 500};
    return m;
}

/* R, which no costly fact may change where none is asked for. */
static int ask_reduction(const Question *q) {
    int reduction = lmr_reduction(&q->move);
    for (int on = 0; on <= 1 && !lmr_needs_costly_facts(&q->move); on++) {
        LmrMove other = with_costly_facts(&q->move, on);
        if (lmr_reduction(&other) == reduction)
            continue;
        fprintf(stderr,
                "reduction_probe: %d, and %d with other costly facts, which were not needed\n",
                reduction, lmr_reduction(&other));
        exit(2);
    }
    return reduction;
}

static int ask_costly(const Question *q) {
    return lmr_needs_costly_facts(&q->move);
}

/* The base alone, in 1/1024 ply. */
static int ask_base(const Question *q) {
    return lmr_base(q->move.depth, q->move.number);
}

static int ask_trim(const Question *q) {
    return lmr_trim(&q->move, q->reduction);
}

static int ask_hindsight(const Question *q) {
    return lmr_hindsight(q->reduction, q->swing);
}

static int ask_raise(const Question *q) {
    return lmr_depth_after_raise(q->move.depth);
}

/* The depth of the search that follows when the first one, reduced by r, failed high; 0: none. */
static int ask_again(const Question *q) {
    LmrPlan plan;
    lmr_plan_first(&plan, q->move.depth, q->reduction, q->first, false);
    return lmr_plan_next(&plan, q->score, q->score - 1, q->score, q->best) ? plan.depth : 0;
}

/* The history of a move that was searched once. */
static int ask_history(const Question *q) {
    static LmrHistory history;
    lmr_history_clear(&history);
    lmr_history_update(&history, 0, 0, q->move.depth, 0, q->score, q->move.alpha, q->best, q->beta);
    return history.h[0][0];
}

static const struct {
    const char *name;
    int (*ask)(const Question *);
} questions[] = {{"base:", ask_base},     {"trim:", ask_trim},   {"hindsight:", ask_hindsight},
                 {"raise:", ask_raise},   {"again:", ask_again}, {"history:", ask_history},
                 {"costly:", ask_costly}, {"", ask_reduction}};

int main(int argc, char **argv) {
    lmr_init();
    for (int i = 1; i < argc; i++) {
        Question question = {.move = {.depth = 6, .number = 10}};
        size_t kind = 0;
        while (strncmp(argv[i], questions[kind].name, strlen(questions[kind].name)) != 0)
            kind++;
        char *words = argv[i] + strlen(questions[kind].name);
        for (char *word = strtok(words, ","); word; word = strtok(NULL, ","))
            set_fact(&question, word);
        printf("%d\n", questions[kind].ask(&question));
    }
    return 0;
}
