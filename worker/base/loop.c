/* SPDX-License-Identifier: MIT */
#include "base/loop.h"

#include <stdlib.h>

#include "base/memory.h"

bool loop_init(uv_loop_t *loop, Error *err) {
    int status = uv_loop_init(loop);
    return status == 0 || error_set(err, "no event loop: %s", uv_strerror(status));
}

bool loop_start_thread(uv_thread_t *thread, uv_thread_cb entry, void *user, Error *err) {
    int status = uv_thread_create(thread, entry, user);
    return status == 0 ||
           error_set(err, "no thread can be started: %s (ulimit -u may limit threads)",
                     uv_strerror(status));
}

/* The number of the pool's threads, as libuv reads it. */
static size_t pool_size(void) {
    enum { USUAL = 4, MOST = 1024 };
    const char *text = getenv("UV_THREADPOOL_SIZE");
    int size = text != NULL ? atoi(text) : USUAL;
    return size == 0 ? 1 : size < 0 || size > MOST ? MOST : (size_t)size;
}

static void await_end(void *user) {
    uv_sem_wait(user);
}

/* Tries whether so many threads can live at the same time. */
static bool try_threads(size_t count, Error *err) {
    uv_thread_t *threads = mem_calloc(count, sizeof *threads);
    size_t started = 0;
    uv_sem_t end;
    if (uv_sem_init(&end, 0) != 0)
        mem_exhausted(sizeof end);
    while (started < count && loop_start_thread(&threads[started], await_end, &end, err))
        started++;
    for (size_t i = 0; i < started; i++)
        uv_sem_post(&end);
    for (size_t i = 0; i < started; i++)
        uv_thread_join(&threads[i]);
    uv_sem_destroy(&end);
    free(threads);
    return started == count;
}

static void no_work(uv_work_t *work) {
    (void)work;
}

bool loop_start_pool(Error *err) {
    uv_loop_t loop;
    uv_work_t work;
    if (!try_threads(pool_size(), err) || !loop_init(&loop, err))
        return false;
    uv_queue_work(&loop, &work, no_work, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    return true;
}
