#include "session/gamefile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "build/archive.h"

bool gamefile_style(const char *upload_pgns, PgnStyle *style) {
    *style = strcmp(upload_pgns, "VERBOSE") == 0 ? PGN_VERBOSE : PGN_COMPACT;
    return *style == PGN_VERBOSE || strcmp(upload_pgns, "COMPACT") == 0;
}

bool gamefile_open(GameFile *games, const char *folder, PgnStyle style, double scale_factor,
                   Error *err) {
    *games = (GameFile){.style = style, .scale_factor = scale_factor};
    Text path = {0};
    text_addf(&path, "%s/games-XXXXXX", folder);
    int descriptor = mkstemp(path.data);
    games->file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (!games->file) {
        error_set(err, "%s: %s", text_string(&path), strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
        text_free(&path);
        return false;
    }
    games->path = text_take(&path);
    return true;
}

void gamefile_add(GameFile *games, const MatchPair *pair) {
    if (!games->file)
        return;
    for (int i = 0; i < 2; i++) {
        Text text = {0};
        PgnGame game = *pair->games[i].record;
        game.scale_factor = games->scale_factor;
        pgn_write(&game, games->style, &text);
        fwrite(text.data, 1, text.length, games->file);
        text_free(&text);
        games->games++;
    }
}

static void pack(uv_work_t *work) {
    GameFile *games = work->data;
    bool failed = ferror(games->file) != 0;
    failed = fclose(games->file) != 0 || failed;
    games->file = NULL;
    games->ok = failed ? error_set(&games->error, "%s: %s", games->path, strerror(errno))
                       : archive_pack(games->path, games->packed, &games->error);
}

static void packed(uv_work_t *work, int status) {
    GameFile *games = work->data;
    games->packing = false;
    games->done(status == 0 && games->ok ? NULL : &games->error, games->user);
}

bool gamefile_pack(GameFile *games, uv_loop_t *loop, GameFilePacked done, void *user) {
    if (games->games == 0)
        return false;
    Text path = {0};
    text_addf(&path, "%s.bz2", games->path);
    games->packed = text_take(&path);
    games->done = done;
    games->user = user;
    games->packing = true;
    games->work.data = games;
    uv_queue_work(loop, &games->work, pack, packed);
    return true;
}

void gamefile_free(GameFile *games) {
    if (games->file)
        fclose(games->file);
    if (games->path)
        unlink(games->path);
    if (games->packed)
        unlink(games->packed);
    free(games->path);
    free(games->packed);
    *games = (GameFile){0};
}
