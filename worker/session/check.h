/* SPDX-License-Identifier: MIT */
/* `obworker work --check`: checks everything that work will need, without registering at the server
 * or playing anything, and tells the reasons for which work would be refused. */
#ifndef WORKER_SESSION_CHECK_H
#define WORKER_SESSION_CHECK_H

#include <stdbool.h>
#include <stdio.h>

#include "session/session.h"

/* Writes a line for each checked thing to `out`: "ok", "warning" or "FAULT", the thing, the
 * finding. With `json` writes one JSON object in place of the lines: {"checks": [{"check",
 * "result", "text"}, …], "ready": bool}. Blocking. Returns whether no fault was found, so that work
 * can be done. */
bool session_check(const SessionConfig *config, bool json, FILE *out);

#endif
