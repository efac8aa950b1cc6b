/* SPDX-License-Identifier: MIT */
#include "base/task.h"

#include <assert.h>

static void run_task(uv_work_t *work) {
    Task *task = work->data;
    task->ok = task->run(task->user, &task->error);
}

static void end_task(uv_work_t *work, int status) {
    Task *task = work->data;
    task->running = false;
    task->done(status == 0 && task->ok, &task->error, task->user);
}

void task_start(uv_loop_t *loop, Task *task, TaskRun run, TaskDone done, void *user) {
    assert(!task->running);
    task->run = run;
    task->done = done;
    task->user = user;
    task->running = true;
    task->error = (Error){0};
    task->work.data = task;
    uv_queue_work(loop, &task->work, run_task, end_task);
}
