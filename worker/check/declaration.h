/* SPDX-License-Identifier: MIT */
/* Reads an engine's option lines strictly: each fault counts, while the match runner (match/uci.h)
 * takes the usable parts. Source: the UCI protocol. Pure. */
#ifndef CHECK_DECLARATION_H
#define CHECK_DECLARATION_H

#include <stdbool.h>

#include "base/error.h"
#include "match/uci.h"

typedef struct {
    UciOption option;
    /* The declared default, "" for an empty one; NULL: the line declares none. Owned;
     * declaration_free frees it. */
    char *fallback;
} Declaration;

/* Reads an `option` line, from behind the word `option`. Returns false, with the fault in *err,
 * when the match runner cannot use the line either. A fault that the match runner tolerates is in
 * *err with true; *err is empty for a line without fault. */
bool declaration_read(const char *rest, Declaration *out, Error *err);

void declaration_free(Declaration *declaration);

#endif
