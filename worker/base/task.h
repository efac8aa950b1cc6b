/* SPDX-License-Identifier: MIT */
/* A blocking function that runs in libuv's thread pool while the loop goes on. */
#ifndef BASE_TASK_H
#define BASE_TASK_H

#include <stdbool.h>
#include <uv.h>

#include "base/error.h"

/* Runs in the pool. False with err set when the function failed. */
typedef bool (*TaskRun)(void *user, Error *err);

/* Called once, from the loop; may start or free the task. `err` is valid until then. */
typedef void (*TaskDone)(bool ok, const Error *err, void *user);

/* All zero before the first start. A task must stay at its address until `done` has been called. */
typedef struct {
    uv_work_t work;
    TaskRun run;
    TaskDone done;
    void *user;
    bool running;
    bool ok;
    Error error;
} Task;

/* Starts a function; no other function of this task may be running. A task cannot be cancelled. */
void task_start(uv_loop_t *loop, Task *task, TaskRun run, TaskDone done, void *user);

#endif
