/* SPDX-License-Identifier: MIT */
/* The JSON answers of the protocol, and the fields of its forms. */
#ifndef SERVE_REPLY_H
#define SERVE_REPLY_H

#include <stdbool.h>
#include <stdint.h>
#include <cjson/cJSON.h>

#include "base/error.h"
#include "serve/people.h"
#include "serve/web.h"

/* Makes the answer this document, which is freed. */
void reply_json(WebAnswer *answer, cJSON *document);

/* Makes the answer a plain text with status 503, which workers take for a fault that passes: the
 * database or a file could not be read or written. The cause goes to the server's log. */
void reply_fault(Serve *serve, WebAnswer *answer, const Error *err);

/* Does the form bring the name and password of an enabled user? Else answers: with a plain text and
 * status 429 or 503, after which workers try again, or with the refusal as a JSON error, which ends
 * workers, when there is no such user. The caller frees *user, which is zero when false is
 * returned. */
bool reply_knows_user(Serve *serve, const WebRequest *request, const char *refusal,
                      WebAnswer *answer, User *user);

/* The form's field as a whole number in [min, max]. The error names the field. */
bool reply_field(const WebRequest *request, const char *name, int64_t min, int64_t max,
                 int64_t *out, Error *err);

#endif
