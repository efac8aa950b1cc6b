/* The games of a workload on their way to the server: PGN text in a temporary file while they are
 * played, packed by bzip2 in the thread pool when they are over. */
#ifndef WORKER_SESSION_GAMEFILE_H
#define WORKER_SESSION_GAMEFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <uv.h>

#include "base/error.h"
#include "match/match.h"
#include "match/pgn.h"

typedef struct GameFile GameFile;

/* Called once, from the loop; err is NULL when the packed file is there. */
typedef void (*GameFilePacked)(const Error *err, void *user);

/* All zero keeps no games. */
struct GameFile {
    char *path;   /* of the text; NULL: no games are kept */
    char *packed; /* of its compressed form; NULL: not there yet */
    FILE *file;
    PgnStyle style;
    double scale_factor; /* of the clocks; 0: they were not scaled */
    int64_t games;
    uv_work_t work;
    bool packing;
    bool ok;
    Error error;
    GameFilePacked done;
    void *user;
};

/* What a server calls how much is uploaded: "COMPACT" or "VERBOSE"; false for "FALSE" and what is
 * not known. */
bool gamefile_style(const char *upload_pgns, PgnStyle *style);

/* Begins a file in `folder`. */
bool gamefile_open(GameFile *games, const char *folder, PgnStyle style, double scale_factor,
                   Error *err);

/* Adds a pair's two games. A write that fails is told by gamefile_pack. */
void gamefile_add(GameFile *games, const MatchPair *pair);

/* Packs what was added; false when there is nothing to pack, and then `done` does not come. */
bool gamefile_pack(GameFile *games, uv_loop_t *loop, GameFilePacked done, void *user);

/* Removes the files. Not while it packs. */
void gamefile_free(GameFile *games);

#endif
