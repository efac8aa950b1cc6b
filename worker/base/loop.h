/* SPDX-License-Identifier: MIT */
/* The beginnings of libuv that may fail where a shell's limits are low: an event loop, a thread,
 * and the threads of the pool. */
#ifndef BASE_LOOP_H
#define BASE_LOOP_H

#include <stdbool.h>
#include <uv.h>

#include "base/error.h"

/* uv_loop_init. False with err set when there is no loop: it is then not to be closed. */
bool loop_init(uv_loop_t *loop, Error *err);

/* uv_thread_create. False with err set when the thread cannot be started. */
bool loop_start_thread(uv_thread_t *thread, uv_thread_cb entry, void *user, Error *err);

/* Starts the threads of libuv's pool. libuv would start them with the first work, and abort the
 * program where one cannot be started. False with err set when so many threads cannot be. The
 * threads inherit the caller's mask of signals. */
bool loop_start_pool(Error *err);

#endif
