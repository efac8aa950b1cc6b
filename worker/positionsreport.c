/* SPDX-License-Identifier: MIT */
#include "positionsreport.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/journal.h"
#include "base/memory.h"
#include "base/text.h"
#include "results/record.h"

typedef struct {
    GameResult game;
    bool chess960;
    size_t place; /* In the order of reading. */
} Kept;

typedef struct {
    Kept *games;
    size_t count, capacity;
    /* Of the journal that is being read: */
    bool chess960;
    int64_t damaged;
} Collection;

/* ---- Reading ---- */

static void keep(Collection *all, GameResult *game) {
    all->games = mem_grow(all->games, &all->capacity, all->count + 1, sizeof *all->games);
    all->games[all->count] = (Kept){.game = *game, .chess960 = all->chess960, .place = all->count};
    all->count++;
    *game = (GameResult){0};
}

static bool take_record(const char *text, size_t length, void *user, Error *err) {
    Collection *all = user;
    Record record = {0};
    bool ok = record_read(text, length, &record, err);
    if (ok && record.kind == RECORD_WORKLOAD)
        ok = error_set(err, "is the journal of a worker, which keeps no moves");
    if (ok && record.kind == RECORD_HEAD)
        all->chess960 = record.head.chess960;
    for (int i = 0; ok && record.kind == RECORD_PAIR && i < 2; i++) {
        GameResult *game = &record.pair.games[i];
        if (ending_fault(game->ending) != FAULT_NONE)
            continue;
        if (game->fen == NULL || game->moves == NULL)
            ok = error_set(err, "pair %" PRId64 " has no moves: an older version played it",
                           record.pair.index + 1);
        else
            keep(all, game);
    }
    record_free(&record);
    return ok;
}

static bool pass_damaged(const char *line, size_t length, void *user, Error *err) {
    (void)line;
    (void)length;
    (void)err;
    ((Collection *)user)->damaged++;
    return true;
}

static bool read_journal(Collection *all, const char *path, Log *log, Error *err) {
    all->damaged = 0;
    if (!journal_read_past_damage(path, take_record, pass_damaged, all, err))
        return false;
    if (all->damaged > 0)
        log_warn(log, "%s: %" PRId64 " damaged line%s left out", path, all->damaged,
                 all->damaged == 1 ? " is" : "s are");
    return true;
}

/* ---- Writing ---- */

/* Games with one opening begin with the same moves, so they become neighbours. */
static int by_opening(const void *a, const void *b) {
    const Kept *one = a;
    const Kept *other = b;
    int order = strcmp(one->game.fen, other->game.fen);
    if (order == 0)
        order = strcmp(one->game.moves, other->game.moves);
    return order != 0 ? order : (one->place > other->place) - (one->place < other->place);
}

static int64_t count_lines(const Text *text) {
    int64_t lines = 0;
    for (size_t i = 0; i < text->length; i++)
        lines += text->data[i] == '\n';
    return lines;
}

static bool write_games(const Collection *all, PositionsKind kind, FILE *out, int64_t *lines,
                        Error *err) {
    Text text = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < all->count; i++) {
        const Kept *kept = &all->games[i];
        text_clear(&text);
        ok = positions_write(&kept->game, kept->chess960, kind, &text, err) &&
             (fwrite(text_string(&text), 1, text.length, out) == text.length ||
              error_set(err, "%s", strerror(errno)));
        *lines += count_lines(&text);
    }
    text_free(&text);
    return ok;
}

static bool write_file(Collection *all, const PositionsReportOptions *given, Log *log, Error *err) {
    int64_t lines = 0;
    FILE *out = fopen(given->file, "wx");
    if (out == NULL)
        return errno == EEXIST ? error_set(err, "exists; name a new file")
                               : error_set(err, "%s", strerror(errno));
    if (all->count > 0)
        qsort(all->games, all->count, sizeof *all->games, by_opening);
    bool ok = write_games(all, given->kind, out, &lines, err);
    if (fclose(out) != 0 && ok)
        ok = error_set(err, "%s", strerror(errno));
    if (ok)
        log_info(log, "%s: %" PRId64 " position%s of %zu game%s", given->file, lines,
                 text_plural(lines), all->count, text_plural((int64_t)all->count));
    else
        remove(given->file);
    return ok;
}

bool positionsreport(const PositionsReportOptions *given, Log *log, Error *err) {
    Collection all = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < given->journals->count; i++)
        ok = read_journal(&all, given->journals->items[i], log, err);
    ok = ok &&
         (write_file(&all, given, log, err) || error_prefix(err, "--positions %s", given->file));
    for (size_t i = 0; i < all.count; i++)
        game_free_result(&all.games[i].game);
    free(all.games);
    return ok;
}
