/* SPDX-License-Identifier: MIT */
/* Option lines of an engine, read strictly. The match runner (match/uci.h) takes what it can use;
 * here each fault counts. Source: the UCI protocol. Pure. */
#ifndef CHECK_DECLARATION_H
#define CHECK_DECLARATION_H

#include <stdbool.h>

#include "base/error.h"
#include "match/uci.h"

typedef struct {
    UciOption option;
    /* Its default, "" for an empty one; NULL: none is declared. To be freed. */
    char *fallback;
} Declaration;

/* Reads the rest of an `option` line. False with err set to the fault when the match runner cannot
 * use the line either. A fault that it lives with is told in *err too, with true; err is empty for
 * a line without fault. */
bool declaration_read(const char *rest, Declaration *out, Error *err);

void declaration_free(Declaration *declaration);

#endif
