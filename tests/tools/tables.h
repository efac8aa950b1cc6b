/* SPDX-License-Identifier: MIT */
/* Endgame tables for tests. */
#ifndef TESTS_TOOLS_TABLES_H
#define TESTS_TOOLS_TABLES_H

#include <stdbool.h>
#include <stdio.h>

#include "runner.h"
#include "search/search.h"
#include "search/tablebase.h"

/* Opens the tables of four men beside the project. False, with a line that says so, without them.
 */
static inline bool open_tables(Search *search) {
    const char *folder = shared_path("syzygy");
    int men = tablebase_open(folder);
    if (men < 4)
        printf("search: no endgame tables (libfathom %s, folder %s): left out\n",
               tablebase_available() ? "is built in" : "is not built in", folder);
    search_set_table_men(search, men);
    return men >= 4;
}

#endif
