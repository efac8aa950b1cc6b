/* SPDX-License-Identifier: MIT */
#include "go.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "chess/move.h"
#include "words.h"

typedef enum { GO_INT, GO_NODES, GO_MS, GO_FLAG, GO_MOVES, GO_PERFT } GoKind;

typedef struct {
    const char *word;
    GoKind kind;
    int64_t low, high; /* values beyond are moved to the nearer end */
    size_t offset;     /* in SearchLimits; not used by GO_MOVES and GO_PERFT */
} GoWord;

enum { MOVES_TO_GO_MAX = 10000 };
/* 34 years: in microseconds and times some permille it still fits. */
#define MS_MAX ((int64_t)1 << 40)
#define NODES_MAX ((int64_t)1 << 48)

static const GoWord go_words[] = {
    {"depth", GO_INT, 1, MAX_PLY, offsetof(SearchLimits, depth)},
    {"nodes", GO_NODES, 1, NODES_MAX, offsetof(SearchLimits, nodes)},
    {"movetime", GO_MS, 1, MS_MAX, offsetof(SearchLimits, movetime_ms)},
    {"mate", GO_INT, 1, MAX_PLY, offsetof(SearchLimits, mate)},
    {"wtime", GO_MS, -MS_MAX, MS_MAX, offsetof(SearchLimits, time_ms[WHITE])},
    {"btime", GO_MS, -MS_MAX, MS_MAX, offsetof(SearchLimits, time_ms[BLACK])},
    {"winc", GO_MS, 0, MS_MAX, offsetof(SearchLimits, inc_ms[WHITE])},
    {"binc", GO_MS, 0, MS_MAX, offsetof(SearchLimits, inc_ms[BLACK])},
    {"movestogo", GO_INT, 0, MOVES_TO_GO_MAX, offsetof(SearchLimits, movestogo)},
    {"infinite", GO_FLAG, 0, 0, offsetof(SearchLimits, infinite)},
    {"ponder", GO_FLAG, 0, 0, offsetof(SearchLimits, ponder)},
    {"searchmoves", GO_MOVES, 0, 0, 0},
    {"perft", GO_PERFT, 0, 0, 0},
};

static const GoWord *find_word(const char *word) {
    for (size_t i = 0; i < sizeof go_words / sizeof go_words[0]; i++)
        if (strcmp(go_words[i].word, word) == 0)
            return &go_words[i];
    return NULL;
}

/* Notes what is ignored, unless something was ignored before. */
__attribute__((format(printf, 2, 3))) static void ignore(Go *go, const char *format, ...) {
    if (go->ignored[0] != '\0')
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(go->ignored, sizeof go->ignored, format, arguments);
    va_end(arguments);
}

static void store_number(SearchLimits *limits, const GoWord *word, int64_t value) {
    void *field = (char *)limits + word->offset;
    value = value < word->low ? word->low : value > word->high ? word->high : value;
    if (word->kind == GO_INT)
        *(int *)field = (int)value;
    else if (word->kind == GO_NODES)
        *(uint64_t *)field = (uint64_t)value;
    else
        *(int64_t *)field = value;
}

/* Is it the time left on the clock of this side? */
static bool is_clock_of(const GoWord *word, Color side) {
    return strcmp(word->word, side == WHITE ? "wtime" : "btime") == 0;
}

/* Reads moves up to the next word that `go` knows. The answer is that word, NULL at the end. */
static char *read_moves(Go *go, char **rest, const Position *position) {
    SearchLimits *limits = &go->limits;
    char *word;
    while ((word = words_next(rest)) != NULL && find_word(word) == NULL) {
        Move move = move_from_uci(position, word);
        bool known = false;
        if (move == MOVE_NONE)
            ignore(go, "go: searchmoves: \"%.16s\" is not a legal move here: ignored", word);
        for (int i = 0; i < limits->searchmoves_count; i++)
            known = known || limits->searchmoves[i] == move;
        if (move != MOVE_NONE && !known)
            limits->searchmoves[limits->searchmoves_count++] = move;
    }
    return word;
}

/* Is anything said of how long to search? `mate` says something, though it does not make sure of an
 * end. */
static bool has_limit(const SearchLimits *limits) {
    return search_limits_end(limits) || limits->mate > 0 || limits->infinite;
}

bool go_parse(char *words, const Position *position, Go *go) {
    bool unread = false; /* a limit had no number, or was the clock of the other side */
    *go = (Go){.perft = 0};
    for (char *word = words_next(&words); word != NULL;) {
        const GoWord *known = find_word(word);
        int64_t value = 0;
        char *next = NULL;
        if (known != NULL && known->kind == GO_MOVES) {
            word = read_moves(go, &words, position);
            continue;
        }
        next = words_next(&words);
        if (known == NULL) {
            ignore(go, "go: \"%.32s\" is not understood: ignored", word);
        } else if (known->kind == GO_FLAG) {
            *((bool *)(void *)((char *)&go->limits + known->offset)) = true;
        } else if (known->kind == GO_PERFT) {
            if (!words_number_within(next, 1, GO_PERFT_MAX, &go->perft)) {
                snprintf(go->ignored, sizeof go->ignored,
                         "go: perft wants a depth from 1 to %d, not \"%.32s\"", GO_PERFT_MAX,
                         next ? next : "");
                return false;
            }
            next = words_next(&words);
        } else if (words_number(next, &value)) {
            store_number(&go->limits, known, value);
            go->limits.has_clock = go->limits.has_clock || is_clock_of(known, position->stm);
            unread = unread || is_clock_of(known, position->stm ^ 1);
            next = words_next(&words);
        } else {
            ignore(go, "go: %s wants a number, not \"%.32s\": ignored", word, next ? next : "");
            unread = true;
        }
        word = next;
    }
    if (!has_limit(&go->limits) && unread) {
        go->no_limit = true;
        go->limits.depth = 1;
    } else if (!has_limit(&go->limits) && !go->limits.ponder) {
        go->limits.infinite = true;
    }
    return true;
}
