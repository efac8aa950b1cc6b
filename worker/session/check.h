/* SPDX-License-Identifier: MIT */
/* `obworker work --check`: looks at everything that work will need, without registering at the
 * server or playing anything, and says what would be refused and why. */
#ifndef WORKER_SESSION_CHECK_H
#define WORKER_SESSION_CHECK_H

#include <stdbool.h>
#include <stdio.h>

#include "session/session.h"

/* Writes a line for each thing to `out`: "ok", "warning" or "FAULT", what it is, what was found.
 * Blocking. Returns whether there was no fault: whether work can be done. */
bool session_check(const SessionConfig *config, FILE *out);

#endif
