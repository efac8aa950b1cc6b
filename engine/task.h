/* SPDX-License-Identifier: MIT */
/* The search behind a long command (bench, genfens, datagen, lmr stats): many searches, one after
 * the other, which another thread can tell to end soon. */
#ifndef TASK_H
#define TASK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "search/search.h"

/* An all-zero one is closed. */
typedef struct {
    Search *search; /* of its own: options and the game being played change nothing */
    atomic_bool ended;
} Task;

/* With one thread. The caller closes it. */
void task_open(Task *task, int hash_mebibytes);
void task_close(Task *task);

/* From any thread, between task_open and task_close: from now on every search is cut short. */
void task_end(Task *task);
bool task_is_ended(const Task *task);

/* search_run without reports. False when the task was ended before or meanwhile: *result is then of
 * no use. */
bool task_search(Task *task, const Position *root, const uint64_t *keys, int key_count,
                 const SearchLimits *limits, SearchResult *result);

#endif
