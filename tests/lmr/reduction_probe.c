/* SPDX-License-Identifier: MIT */
/* Prints what the reduction room decides for the moves named on the command line, so that a script
 * can ask every variant. Each argument is a list of facts: d=10,n=20,killer,pv,history=-600 ... or
 * base:d=..,n=.. for the base alone in 1/1024 ply. One line an argument. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lmr/reduction.h"

static const struct {
    const char *name;
    size_t offset;
    bool number;
} facts[] = {{"d", offsetof(LmrMove, depth), true},
             {"n", offsetof(LmrMove, number), true},
             {"ply", offsetof(LmrMove, ply), true},
             {"history", offsetof(LmrMove, history), true},
             {"rank", offsetof(LmrMove, pawn_rank), true},
             {"cutoffs", offsetof(LmrMove, child_cutoffs), true},
             {"iteration", offsetof(LmrMove, iteration), true},
             {"alpha", offsetof(LmrMove, alpha), true},
             {"static", offsetof(LmrMove, static_eval), true},
             {"after", offsetof(LmrMove, eval_after), true},
             {"gain", offsetof(LmrMove, placement_gain), true},
             {"total", offsetof(LmrMove, eval.total), true},
             {"material", offsetof(LmrMove, eval.material), true},
             {"to_total", offsetof(LmrMove, eval_to.total), true},
             {"to_material", offsetof(LmrMove, eval_to.material), true},
             {"to_passed", offsetof(LmrMove, eval_to.passed), true},
             {"to_king", offsetof(LmrMove, eval_to.king), true},
             {"known", offsetof(LmrMove, eval_known), false},
             {"node", offsetof(LmrMove, eval.known), false},
             {"from", offsetof(LmrMove, eval_from.known), false},
             {"to", offsetof(LmrMove, eval_to.known), false},
             {"extended", offsetof(LmrMove, extended), false},
             {"best", offsetof(LmrMove, ever_best), false},
             {"threat", offsetof(LmrMove, threat), false},
             {"escape", offsetof(LmrMove, escape), false},
             {"caphist", offsetof(LmrMove, capture_history), true},
             {"correction", offsetof(LmrMove, correction), true},
             {"window", offsetof(LmrMove, window), true},
             {"root_window", offsetof(LmrMove, root_window), true},
             {"flees", offsetof(LmrMove, escapes_see), false},
             {"evades", offsetof(LmrMove, king_evades), false},
             {"few", offsetof(LmrMove, few_pieces), false},
             {"root", offsetof(LmrMove, root), false},
             {"pv", offsetof(LmrMove, pv), false},
             {"raised", offsetof(LmrMove, alpha_raised), false},
             {"cut", offsetof(LmrMove, cut), false},
             {"in_check", offsetof(LmrMove, in_check), false},
             {"improving", offsetof(LmrMove, improving), false},
             {"hash", offsetof(LmrMove, hash_move), false},
             {"capture", offsetof(LmrMove, capture), false},
             {"promotion", offsetof(LmrMove, promotion), false},
             {"queen", offsetof(LmrMove, queen_promotion), false},
             {"check", offsetof(LmrMove, gives_check), false},
             {"killer", offsetof(LmrMove, killer), false},
             {"good", offsetof(LmrMove, see_good), false}};

static void set_fact(LmrMove *move, char *word) {
    char *value = strchr(word, '=');
    if (value)
        *value++ = '\0';
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        if (strcmp(word, facts[i].name) != 0)
            continue;
        if (facts[i].number)
            *(int *)((char *)move + facts[i].offset) = value ? atoi(value) : 0;
        else
            *(bool *)((char *)move + facts[i].offset) = true;
        return;
    }
    fprintf(stderr, "reduction_probe: no fact \"%s\"\n", word);
    exit(2);
}

int main(int argc, char **argv) {
    lmr_init();
    for (int i = 1; i < argc; i++) {
        LmrMove move = {.depth = 6, .number = 10};
        bool base = strncmp(argv[i], "base:", 5) == 0;
        for (char *word = strtok(base ? argv[i] + 5 : argv[i], ","); word; word = strtok(NULL, ","))
            set_fact(&move, word);
        printf("%d\n", base ? lmr_base(move.depth, move.number) : lmr_reduction(&move));
    }
    return 0;
}
