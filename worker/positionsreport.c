/* SPDX-License-Identifier: MIT */
#include "positionsreport.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/journal.h"
#include "base/memory.h"
#include "base/text.h"
#include "results/gamemoves.h"
#include "results/record.h"

typedef struct {
    GameResult game;
    bool chess960;
    uint64_t opening; /* The opening's hash. */
    uint64_t match;   /* That of its journal's head: copies of a journal have the same. */
    const char *journal;
    int64_t pair; /* From 1. */
} Kept;

typedef struct {
    Kept *games;
    size_t count, capacity;
    int64_t faulty; /* Games that an engine's fault ended. They are not kept. */
    /* Of the journal that is being read: */
    const char *journal;
    bool headed;
    bool chess960;
    uint64_t match;
    int64_t damaged;
} Collection;

/* ---- Reading ---- */

static const uint64_t HASH_START = UINT64_C(0xcbf29ce484222325);

/* FNV-1a (Fowler, Noll, Vo), 64 bits; `before`: HASH_START, or the hash of the bytes before. */
static uint64_t hash(uint64_t before, const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        before = (before ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return before;
}

/* Of the first position and of the moves before the first one with a score. */
static uint64_t hash_opening(const GameResult *game) {
    const char *end = game->moves;
    const char *text = game->moves;
    GameMoves moves = {0};
    GameMove move;
    while (gamemoves_next(&moves, &text, &move) && !move.scored)
        end = text;
    uint64_t of_fen = hash(HASH_START, game->fen, strlen(game->fen));
    return hash(of_fen, game->moves, (size_t)(end - game->moves));
}

static bool keep(Collection *all, GameResult *game, int64_t pair, Error *err) {
    if (ending_fault(game->ending) != FAULT_NONE) {
        all->faulty++;
        return true;
    }
    if (game->fen == NULL || game->moves == NULL)
        return error_set(err, "pair %" PRId64 " has no moves: older versions and workers keep none",
                         pair);
    free(game->pgn);
    game->pgn = NULL;
    MEM_ADD(all->games, all->count, all->capacity,
            (Kept){.game = *game,
                   .chess960 = all->chess960,
                   .opening = hash_opening(game),
                   .match = all->match,
                   .journal = all->journal,
                   .pair = pair});
    *game = (GameResult){0};
    return true;
}

static bool take_record(const char *text, size_t length, void *user, Error *err) {
    Collection *all = user;
    Record record = {0};
    bool ok =
        record_read(text, length, &record, err) && record_check_place(&record, !all->headed, err);
    if (ok && !all->headed) {
        all->headed = true;
        all->chess960 = record.head.chess960;
        all->match = hash(HASH_START, text, length);
    }
    for (int i = 0; ok && record.kind == RECORD_PAIR && i < 2; i++)
        ok = keep(all, &record.pair.games[i], record.pair.index + 1, err);
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
    all->journal = path;
    all->headed = false;
    all->damaged = 0;
    if (!journal_read_past_damage(path, take_record, pass_damaged, all, err))
        return false;
    if (all->damaged > 0)
        log_warn(log, "%s: %" PRId64 " damaged line%s left out", path, all->damaged,
                 all->damaged == 1 ? " is" : "s are");
    return true;
}

/* ---- Writing ---- */

static bool blame_file(const char *file, const char *cause, Error *err) {
    return error_set(err, "--positions %s: %s", file, cause);
}

static int order(uint64_t one, uint64_t other) {
    return (one > other) - (one < other);
}

/* 0: one game, which two journals have. */
static int compare(const Kept *one, const Kept *other) {
    int by = order(one->opening, other->opening);
    by = by != 0 ? by : strcmp(one->game.fen, other->game.fen);
    by = by != 0 ? by : strcmp(one->game.moves, other->game.moves);
    by = by != 0 ? by : order(one->match, other->match);
    by = by != 0 ? by : order((uint64_t)one->pair, (uint64_t)other->pair);
    return by != 0 ? by : (int)one->game.white - (int)other->game.white;
}

static int by_opening(const void *a, const void *b) {
    return compare(a, b);
}

static int64_t count_lines(const Text *text) {
    int64_t lines = 0;
    for (size_t i = 0; i < text->length; i++)
        lines += text->data[i] == '\n';
    return lines;
}

typedef struct {
    int64_t lines, games;
} Written;

static bool write_games(const Collection *all, const PositionsReportOptions *given, FILE *out,
                        Written *written, Error *err) {
    Text text = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < all->count; i++) {
        const Kept *kept = &all->games[i];
        if (i > 0 && compare(kept, kept - 1) == 0)
            continue;
        text_clear(&text);
        if (!positions_write(&kept->game, kept->chess960, given->kind, &text, err))
            ok = error_prefix(err, "journal %s: pair %" PRId64, kept->journal, kept->pair);
        else if (fwrite(text_string(&text), 1, text.length, out) != text.length)
            ok = blame_file(given->file, strerror(errno), err);
        written->lines += count_lines(&text);
        written->games++;
    }
    text_free(&text);
    return ok;
}

static void tell(const Collection *all, const Written *written, const char *file, Log *log) {
    int64_t twice = (int64_t)all->count - written->games;
    Text line = {0};
    text_addf(&line, "%s: %" PRId64 " position%s of %" PRId64 " game%s", file, written->lines,
              text_plural(written->lines), written->games, text_plural(written->games));
    if (twice > 0)
        text_addf(&line, "; %" PRId64 " game%s stood there twice", twice, text_plural(twice));
    if (all->faulty > 0)
        text_addf(&line, "; %" PRId64 " game%s left out, which an engine's fault ended",
                  all->faulty, all->faulty == 1 ? " is" : "s are");
    log_info(log, "%s", text_string(&line));
    text_free(&line);
}

/* May the file be written? *whole: it is to appear when it is whole. */
static bool check_target(const char *file, bool *whole, Error *err) {
    struct stat info;
    *whole = file_is_replaceable(file);
    if (stat(file, &info) != 0)
        return true;
    if (S_ISDIR(info.st_mode))
        return blame_file(file, strerror(EISDIR), err);
    return !S_ISREG(info.st_mode) || info.st_size == 0 ||
           blame_file(file, "exists; name a new file", err);
}

/* Writes to the file, or to a part beside it that becomes the file when it is whole. */
static bool write_file(const Collection *all, const PositionsReportOptions *given, bool whole,
                       Log *log, Error *err) {
    enum { MODE = 0666 };
    Written written = {0};
    char *part = NULL;
    int fd = whole ? file_make_part(given->file, MODE, &part)
                   : open(given->file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, MODE);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool ok = out != NULL || blame_file(given->file, strerror(errno), err);
    ok = ok && write_games(all, given, out, &written, err);
    if (out != NULL && fclose(out) != 0 && ok)
        ok = blame_file(given->file, strerror(errno), err);
    if (whole && ok)
        ok = file_install(part, given->file, err) || error_prefix(err, "--positions");
    if (whole && !ok && fd >= 0)
        unlink(part);
    if (ok)
        tell(all, &written, given->file, log);
    free(part);
    return ok;
}

bool positionsreport(const PositionsReportOptions *given, Log *log, Error *err) {
    Collection all = {0};
    bool whole;
    bool ok = check_target(given->file, &whole, err);
    for (size_t i = 0; ok && i < given->journals->count; i++)
        ok = read_journal(&all, given->journals->items[i], log, err);
    if (ok && all.count > 0)
        qsort(all.games, all.count, sizeof *all.games, by_opening);
    ok = ok && write_file(&all, given, whole, log, err);
    for (size_t i = 0; i < all.count; i++)
        game_free_result(&all.games[i].game);
    free(all.games);
    return ok;
}
