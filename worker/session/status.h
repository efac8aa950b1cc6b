/* SPDX-License-Identifier: MIT */
/* The standing of a session, drawn on the terminal and written to the --status file. */
#ifndef WORKER_SESSION_STATUS_H
#define WORKER_SESSION_STATUS_H

#include <stdbool.h>

#include "session/state.h"

/* Draws the session's standing on the terminal. */
void status_draw(const Session *session);

/* Begins to keep the file up to date. `written` is called from the loop after each write. */
StatusFile *status_open(Session *session, const char *path, void (*written)(Session *session));

/* Whether the file is being written. False for NULL. */
bool status_busy(const StatusFile *file);

/* Writes the last state and frees the file. NULL is allowed. */
void status_close(StatusFile *file);

#endif
