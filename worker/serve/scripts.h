/* SPDX-License-Identifier: MIT */
/* The endpoint of scripts that were written for OpenBench: CREATE_TEST and UPLOAD_NETWORK. */
#ifndef SERVE_SCRIPTS_H
#define SERVE_SCRIPTS_H

#include "serve/web.h"

/* POST /scripts/. The form holds "username", "password" and "action". The answer leads to a page
 * that says what came of the action, in OpenBench's boxes: <div class="error-message"><pre>…, or
 * "status-message". The script has to keep its cookies on the way. */
void scripts_take(Serve *serve, const WebRequest *request, WebAnswer *answer);

/* The file of UPLOAD_NETWORK, whose form has the fields before the file. */
extern const WebFile SCRIPTS_FILE;

#endif
