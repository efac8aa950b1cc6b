/* SPDX-License-Identifier: MIT */
#include "session/gamefile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/journal.h"
#include "build/archive.h"
#include "session/parcel.h"

bool gamefile_style(const char *upload_pgns, PgnStyle *style) {
    *style = strcmp(upload_pgns, "VERBOSE") == 0 ? PGN_VERBOSE : PGN_COMPACT;
    return *style == PGN_VERBOSE || strcmp(upload_pgns, "COMPACT") == 0;
}

typedef struct {
    Parcel parcel;
    FILE *file;
    Text games; /* The games of one record. */
    int fault;  /* Of the file, an errno; 0: none. */
} Unpacking;

static bool take_games(const char *record, size_t length, void *user, Error *err) {
    Unpacking *u = user;
    text_clear(&u->games);
    if (!parcel_take_record(&u->parcel, record, length, &u->games, err))
        return false;
    if (fwrite(text_string(&u->games), 1, u->games.length, u->file) == u->games.length)
        return true;
    u->fault = errno;
    return error_set(err, "its games: %s", strerror(u->fault));
}

bool gamefile_pack(const char *journal, const char *packed, Error *err) {
    char *path = text_format("%s.pgn", packed);
    Unpacking unpacking = {.file = fopen(path, "wb")};
    bool ok = unpacking.file != NULL;
    if (!ok)
        unpacking.fault = errno;
    ok = ok && journal_read(journal, take_games, &unpacking, err);
    if (unpacking.file != NULL && fclose(unpacking.file) != 0 && ok)
        unpacking.fault = errno;
    /* The fault of the file is not the journal's, which was being read. */
    if (unpacking.fault != 0)
        ok = error_set(err, "%s: %s", path, strerror(unpacking.fault));
    ok = ok && archive_pack(path, packed, err);
    unlink(path);
    if (!ok)
        unlink(packed);
    free(path);
    text_free(&unpacking.games);
    parcel_free(&unpacking.parcel);
    return ok;
}
