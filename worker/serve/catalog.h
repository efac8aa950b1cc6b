/* SPDX-License-Identifier: MIT */
/* The engines and books that tests may name, and the server's settings. Read once, at the start;
 * afterwards read-only, so any thread may look.
 *
 * The configuration folder has the files of OpenBench's own: config.json (settings),
 * Engines/NAME.json, Books/NAME.json ({"sha", "source"}), and credentials.NAME (a GitHub token for
 * a private engine; the engine's name in lower case without spaces). Everything is optional: this
 * project's engine is compiled in, and books also come from a folder of texts. Where config.json
 * lists "engines" or "books", only these are served. */
#ifndef WORKER_SERVE_CATALOG_H
#define WORKER_SERVE_CATALOG_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "serve/sources.h"

/* The settings of config.json, with OpenBench's names and defaults. */
typedef struct {
    int64_t client_version;
    char *client_repo_url;
    char *client_repo_ref;
    char *fastchess_min_version;
    char *fastchess_repo_url;
    char *fastchess_repo_ref;
    bool use_cross_approval;         /* A second user has to approve a test. */
    bool require_login_to_view;      /* Pages and the API want a user. */
    bool balance_engine_throughputs; /* Throughput is divided by the engine's number of tests. */
} CatalogSettings;

/* The fields of Engines/NAME.json. */
typedef struct {
    char *name;
    bool is_private;
    int64_t nps;  /* Nodes a second, the unit of the scaling of tests' clocks; > 0. */
    char *source; /* The repository: a full address, or "/repo/NAME" for one that is kept here. */
    char *token;  /* The GitHub token of a private engine, or NULL. */
    char *build_path;
    Words compilers, cpuflags, systems;
    cJSON *document; /* The whole file, with the three kinds of presets. */
} CatalogEngine;

typedef struct {
    char *name;
    char sha[DIGEST_HEX_MAX]; /* Of the text, with CRLF read as LF. */
    char *source;             /* A full address, or "/book/NAME.zip" for one that is kept here. */
    char *zip;                /* The path of a zip that is kept here; NULL: it is elsewhere. */
} CatalogBook;

typedef struct {
    CatalogSettings settings;
    CatalogEngine *engines;
    size_t engine_count;
    CatalogBook *books;
    size_t book_count;
    /* Of the engines' builds. A machine that registered under another one has to register again:
     * "Server Configuration Changed". */
    char checksum[DIGEST_HEX_MAX];
} Catalog;

typedef struct {
    const char *data;       /* The data folder, where zips of books are kept. */
    const char *folder;     /* The configuration folder; NULL: DATA/config, when there is one. */
    const char *books;      /* A folder of books (.epd, .pgn, each also .gz or .zip); NULL: none. */
    const Sources *sources; /* An engine whose name is a kept repository's comes from there. */
    Log *log; /* Is told of settings that are not known, of files that look like books and are not
               * served, and of tokens that others may read. NULL: nobody is. */
} CatalogSpec;

/* Reads the configuration. An error names the file and the place. */
bool catalog_open(const CatalogSpec *spec, Catalog *catalog, Error *err);
void catalog_free(Catalog *catalog);

/* NULL: there is none of this name. */
const CatalogEngine *catalog_engine(const Catalog *catalog, const char *name);
const CatalogBook *catalog_book(const Catalog *catalog, const char *name);

/* The address of a source for a client that reached this server at `base`
 * ("http://127.0.0.1:8000", without a slash at the end): base and source when `source` begins with
 * a slash, else source. Allocated. */
char *catalog_address(const char *base, const char *source);

/* The answers of the API and of clientGetBuildInfo, which the caller frees. `base` as above. */
cJSON *catalog_config_answer(const Catalog *catalog, const char *base);      /* api/config/ */
cJSON *catalog_engine_answer(const CatalogEngine *engine, const char *base); /* api/config/NAME/ */
cJSON *catalog_engines_answer(const Catalog *catalog, const char *base);     /* api/buildinfo/ */
cJSON *catalog_build_answer(const Catalog *catalog); /* clientGetBuildInfo/ */

#endif
