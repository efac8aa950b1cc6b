/* SPDX-License-Identifier: MIT */
/* How a session stands, drawn on the terminal and kept in the --status file. */
#ifndef WORKER_SESSION_STATUS_H
#define WORKER_SESSION_STATUS_H

#include <stdbool.h>

#include "session/state.h"

/* Draws how things stand on the terminal. */
void status_draw(const Session *session);

/* Keeps the file as the session is, from now on. `written` comes from the loop after each write. */
StatusFile *status_open(Session *session, const char *path, void (*written)(Session *session));

/* Whether the file is being written. False for NULL. */
bool status_busy(const StatusFile *file);

/* Writes the last state and frees. NULL is allowed. */
void status_close(StatusFile *file);

#endif
