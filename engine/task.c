/* SPDX-License-Identifier: MIT */
#include "task.h"

#include <stddef.h>

void task_open(Task *task, int hash_mebibytes) {
    task->search = search_new(hash_mebibytes);
    atomic_store(&task->ended, false);
}

void task_close(Task *task) {
    search_free(task->search);
    task->search = NULL;
}

void task_end(Task *task) {
    atomic_store(&task->ended, true);
    search_stop(task->search);
}

bool task_is_ended(const Task *task) {
    return atomic_load(&task->ended);
}

bool task_search(Task *task, const Position *root, const uint64_t *keys, int key_count,
                 const SearchLimits *limits, SearchResult *result) {
    /* A task_end before search_prepare is seen by the test below; a later one stops the search. */
    search_prepare(task->search);
    if (task_is_ended(task))
        return false;
    search_run(task->search, root, keys, key_count, limits, NULL, NULL, result);
    return !task_is_ended(task);
}
