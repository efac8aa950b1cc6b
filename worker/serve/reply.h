/* SPDX-License-Identifier: MIT */
/* The JSON answers of the protocol, and the fields of its forms. */
#ifndef SERVE_REPLY_H
#define SERVE_REPLY_H

#include <stdbool.h>
#include <stdint.h>
#include <cjson/cJSON.h>

#include "base/error.h"
#include "serve/web.h"

/* Makes the answer this document, which is freed. */
void reply_json(WebAnswer *answer, cJSON *document);

/* Makes the answer a plain text with status 503, which workers take for a fault that passes: the
 * database could not be read or written. The cause goes to the server's log. */
void reply_fault(Serve *serve, WebAnswer *answer, const Error *err);

/* The form's field as a whole number in [min, max]. The error names the field. */
bool reply_field(const WebRequest *request, const char *name, int64_t min, int64_t max,
                 int64_t *out, Error *err);

#endif
