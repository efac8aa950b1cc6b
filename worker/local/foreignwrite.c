/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "local/foreigndraft.h"
#include "local/ucioptions.h"

enum { GAMES_MAX = 100000000 };

/* ---- Writing the engines ---- */

static const char *either(const char *first, const char *second) {
    return first != NULL ? first : second;
}

/* Both tools read -each last, so its words win over an engine's own. */
#define WINNER(d, side, field) either((d)->each.field, (d)->side[side].field)

/* Appends the command. fastchess's cmd= is a path that may have blanks; cutechess-cli's is a
 * command that is split at blanks. Both look for the program in the engine's folder first. */
static void add_command(const ForeignDraft *d, const char *cmd, const char *dir, Text *spec) {
    size_t word = d->cutechess ? strcspn(cmd, " \t") : strlen(cmd);
    Text path = {0};
    if (dir != NULL && cmd[0] != '/') {
        text_addf(&path, "%s%s", dir, text_ends_with(dir, "/") ? "" : "/");
        size_t here = text_starts_with(cmd, "./") ? 2 : 0;
        text_add_bytes(&path, cmd + here, word - here);
    }
    bool inside =
        path.length > 0 && (memchr(cmd, '/', word) != NULL || access(path.data, X_OK) == 0);
    if (!inside) {
        text_clear(&path);
        text_add_bytes(&path, cmd, word);
    }
    text_addf(spec, strpbrk(text_string(&path), " \t") != NULL ? "\"%s\"" : "%s",
              text_string(&path));
    text_add(spec, cmd + word);
    text_free(&path);
}

static void write_spec(ForeignDraft *d, Side side) {
    const char *dir = WINNER(d, side, dir);
    Text spec = {0};
    add_command(d, WINNER(d, side, cmd), dir, &spec);
    if (!d->each.args_whole)
        text_add(&spec, text_string(&d->side[side].args));
    text_add(&spec, text_string(&d->each.args));
    foreign_add_option(d, side_name(side), text_string(&spec));
    text_free(&spec);
    const char *name = WINNER(d, side, name);
    if (name != NULL)
        foreign_add_option(d, side == SIDE_DEV ? "dev-name" : "base-name", name);
    if (dir != NULL)
        foreign_add_option(d, side == SIDE_DEV ? "dev-dir" : "base-dir", dir);
}

/* Appends the clock in seconds: "[moves/][minutes:]seconds[+increment]" without minutes. */
static bool write_clock(const char *tc, Text *out, Error *err) {
    const char *slash = strchr(tc, '/');
    const char *base = slash != NULL ? slash + 1 : tc;
    const char *colon = strchr(base, ':');
    if (slash != NULL && !text_starts_with(tc, "0/"))
        text_add_bytes(out, tc, (size_t)(base - tc));
    if (colon == NULL) {
        text_add(out, base);
        return true;
    }
    double minutes;
    double seconds;
    Text field = {0};
    text_add_bytes(&field, base, (size_t)(colon - base));
    bool ok = text_to_double(text_string(&field), 0, 1e6, "the minutes", &minutes, err);
    text_clear(&field);
    size_t length = strcspn(colon + 1, "+");
    text_add_bytes(&field, colon + 1, length);
    ok = ok && text_to_double(text_string(&field), 0, 1e6, "the seconds", &seconds, err);
    if (ok)
        text_add_number(out, minutes * 60 + seconds);
    text_add(out, colon + 1 + length);
    text_free(&field);
    return ok || error_prefix(err, "tc=%s", tc);
}

/* "inf" is no clock: another word gives the limit. fastchess knows it as "infinite" too. */
static bool is_clock(const char *tc) {
    return tc != NULL && strcmp(tc, "inf") != 0 && strcmp(tc, "infinite") != 0;
}

static bool write_movetime(const char *st, Text *out, Error *err) {
    double seconds;
    if (!text_to_double(st, 0.001, 1e6, "st=", &seconds, err)) /* MT= is in whole milliseconds. */
        return false;
    text_addf(out, "MT=%lld", llround(seconds * (double)CLOCK_MS_PER_SECOND));
    return true;
}

/* Appends the time control of the side, by its own words and by those for both. A match has one
 * limit here: the first of the clock, st=, nodes= and depth=. */
static bool write_limit(ForeignDraft *d, Side side, Text *out, Error *err) {
    enum { CLOCK, MOVETIME, NODES, DEPTH, LIMITS };
    static const char *const WORDS[LIMITS] = {"tc=", "st=", "nodes=", "depth="};
    /* The common time a move takes the place of a side's own clock. */
    const char *tc = d->each.st != NULL ? d->each.tc : WINNER(d, side, tc);
    const char *const values[LIMITS] = {is_clock(tc) ? tc : NULL, WINNER(d, side, st),
                                        WINNER(d, side, nodes), WINNER(d, side, depth)};
    int chosen = CLOCK;
    while (chosen < LIMITS && values[chosen] == NULL)
        chosen++;
    if (chosen == LIMITS && tc != NULL)
        return error_set(err, "tc=inf: is no limit: give nodes= or depth=");
    if (chosen == LIMITS)
        return error_set(err, "tc=, st=, nodes= and depth= are missing: how long may %s think?",
                         side_name(side));
    char *why = text_format("a move has one limit here, and %s is it", WORDS[chosen]);
    for (int i = chosen + 1; i < LIMITS; i++)
        if (values[i] != NULL)
            foreign_add_remark(d, WORDS[i], why);
    free(why);
    if (chosen == CLOCK)
        return write_clock(tc, out, err);
    if (chosen == MOVETIME)
        return write_movetime(values[MOVETIME], out, err);
    text_addf(out, "%c=%s", chosen == NODES ? 'N' : 'D', values[chosen]);
    return true;
}

static bool write_limits(ForeignDraft *d, Error *err) {
    static const char *const NAMES[SIDE_COUNT] = {"dev-tc", "base-tc"};
    Text own[SIDE_COUNT] = {{0}, {0}};
    bool ok = true;
    for (Side side = SIDE_DEV; ok && side < SIDE_COUNT; side++)
        ok = write_limit(d, side, &own[side], err);
    bool equal = strcmp(text_string(&own[SIDE_DEV]), text_string(&own[SIDE_BASE])) == 0;
    if (ok && equal)
        foreign_add_option(d, "tc", text_string(&own[SIDE_DEV]));
    for (Side side = SIDE_DEV; ok && !equal && side < SIDE_COUNT; side++)
        foreign_add_option(d, NAMES[side], text_string(&own[side]));
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++)
        text_free(&own[side]);
    return ok;
}

/* Has one of `options` the name of `option`? */
static bool has_named(const Words *options, const char *option) {
    for (size_t i = 0; i < options->count; i++)
        if (ucioptions_same_name(options->items[i], option))
            return true;
    return false;
}

static void write_uci_options(ForeignDraft *d) {
    static const char *const NAMES[SIDE_COUNT] = {"dev-option", "base-option"};
    for (size_t i = 0; i < d->each.options.count; i++)
        foreign_add_option(d, "option", d->each.options.items[i]);
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++)
        for (size_t i = 0; i < d->side[side].options.count; i++)
            if (!has_named(&d->each.options, d->side[side].options.items[i]))
                foreign_add_option(d, NAMES[side], d->side[side].options.items[i]);
}

/* Both tools have a margin of 0 by default. */
static void write_margin(ForeignDraft *d) {
    static const char *const NAMES[SIDE_COUNT] = {"dev-margin", "base-margin"};
    const char *margins[SIDE_COUNT];
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++)
        margins[side] = either(WINNER(d, side, margin), "0");
    if (strcmp(margins[SIDE_DEV], margins[SIDE_BASE]) == 0) {
        foreign_add_option(d, "margin", margins[SIDE_DEV]);
        return;
    }
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++)
        foreign_add_option(d, NAMES[side], margins[side]);
}

static bool write_engines(ForeignDraft *d, Error *err) {
    if (d->engines < SIDE_COUNT)
        return error_set(err, "-engine: a match needs two engines; given: %d", d->engines);
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++) {
        if (WINNER(d, side, cmd) == NULL)
            return error_set(err, "-engine: cmd= of the %s one is missing",
                             side == SIDE_DEV ? "first" : "second");
        write_spec(d, side);
    }
    if (!write_limits(d, err))
        return false;
    write_uci_options(d);
    write_margin(d);
    return true;
}

/* ---- Writing the match ---- */

static bool write_games(ForeignDraft *d, Error *err) {
    int64_t rounds = d->cutechess ? 1 : 2;
    int64_t games = d->cutechess ? 1 : 2;
    if (d->rounds != NULL && !text_to_int(d->rounds, 1, GAMES_MAX, "-rounds", &rounds, err))
        return false;
    if (d->games != NULL && !text_to_int(d->games, 1, GAMES_MAX, "-games", &games, err))
        return false;
    if (!d->cutechess && d->repeat)
        games = 2;
    /* In cutechess-cli -games alone is a limit too. fastchess multiplies -rounds by a
     * -games above 2, also where -rounds is not given. */
    bool limited = d->rounds != NULL || (d->games != NULL && (d->cutechess || games > 2));
    if (d->sprt && !limited)
        return true; /* As many games as the SPRT needs. */
    if (rounds > GAMES_MAX / games)
        return error_set(err, "-rounds %" PRId64 " of %" PRId64 " games: more than %d", rounds,
                         games, GAMES_MAX);
    if (games > 2)
        foreign_add_remark(d, "-games", "each opening is played twice, with colours swapped");
    else if (!d->repeat && games == 1)
        foreign_add_remark(d, "-games", "each opening is played twice, as with -repeat");
    int64_t all = rounds * games;
    if (all % 2 != 0) {
        foreign_add_remark(d, "-games", "an odd number of games: the last pair is played whole");
        all++;
    }
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, all);
    foreign_add_option(d, "games", text);
    return true;
}

static bool write_sprt(ForeignDraft *d, Error *err) {
    if (!d->sprt)
        return true;
    if (d->elo0 == NULL || d->elo1 == NULL)
        return error_set(err, "-sprt: %s= is missing", d->elo0 == NULL ? "elo0" : "elo1");
    Text text = {0};
    text_addf(&text, "%s,%s", d->elo0, d->elo1);
    foreign_add_option(d, "bounds", text_string(&text));
    text_clear(&text);
    text_addf(&text, "%s,%s", either(d->alpha, "0.05"), either(d->beta, "0.05"));
    foreign_add_option(d, "confidence", text_string(&text));
    text_free(&text);
    const char *model = either(d->model, d->cutechess ? "logistic" : "normalized");
    foreign_add_option(d, "model", strcmp(model, "bayesian") == 0 ? "bayes" : model);
    if (d->cutechess)
        foreign_add_remark(d, "-sprt", "cutechess-cli judges single games, and this program pairs");
    return true;
}

/* Both adjudications are on here by default, so a foreign match without them turns them off. */
static void write_adjudication(ForeignDraft *d) {
    Text rule = {0};
    text_addf(&rule, "movecount=%s score=%s", either(d->resign_count, "1"),
              either(d->resign_score, "0"));
    foreign_add_option(d, "win-adj", d->resign ? text_string(&rule) : "None");
    text_clear(&rule);
    text_addf(&rule, "movenumber=%s movecount=%s score=%s", either(d->draw_number, "0"),
              either(d->draw_count, "1"), either(d->draw_score, "0"));
    foreign_add_option(d, "draw-adj", d->draw ? text_string(&rule) : "None");
    text_free(&rule);
}

/* Has the book positions without moves? Without a format its name says so. */
static bool is_epd(const ForeignDraft *d) {
    if (d->format != NULL)
        return strcmp(d->format, "epd") == 0;
    return text_ends_with_nocase(d->book, ".epd") || text_ends_with_nocase(d->book, ".epd.gz") ||
           text_ends_with_nocase(d->book, ".epd.zip");
}

static void write_openings(ForeignDraft *d) {
    if (d->book == NULL) {
        foreign_add_remark(d, "-openings",
                           "is missing: the openings of this project are played, since games from "
                           "the first position alone repeat themselves");
        return;
    }
    foreign_add_option(d, "book", d->book);
    if (!d->random_order)
        foreign_add_option(d, "openings-order", "sequential");
    if (d->plies != NULL && is_epd(d))
        foreign_add_remark(d, "-openings plies", "an opening of an EPD file has no moves");
    else if (d->plies != NULL)
        foreign_add_option(d, "plies", d->plies);
}

bool foreign_write(ForeignDraft *d, Error *err) {
    if (!write_engines(d, err))
        return false;
    write_openings(d);
    if (!write_games(d, err) || !write_sprt(d, err))
        return false;
    write_adjudication(d);
    foreign_add_option(d, "concurrency", either(d->concurrency, "1"));
    return true;
}
