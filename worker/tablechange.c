/* SPDX-License-Identifier: MIT */
#include "tablechange.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "submit/flagtable.h"

/* The folder's name in the difference. */
static const char FOLDER[] = "engine";

bool tablechange_open(TableChange *change, const char *engine, Error *err) {
    enum { TABLE_LIMIT = 1 << 20 };
    for (int i = 0; i < FLAGTABLE_COUNT; i++) {
        change->paths[i] = text_format("%s/%s", engine, flagtable_files[i]);
        if (!file_read(change->paths[i], TABLE_LIMIT, &change->before[i], err))
            return false;
        text_add_bytes(&change->after[i], text_string(&change->before[i]),
                       change->before[i].length);
    }
    return true;
}

void tablechange_free(TableChange *change) {
    for (int i = 0; i < FLAGTABLE_COUNT; i++) {
        free(change->paths[i]);
        text_free(&change->before[i]);
        text_free(&change->after[i]);
    }
    *change = (TableChange){0};
}

bool tablechange_set(TableChange *change, const char *word, Error *err) {
    int table = flagtable_has(&change->after[1], word) ? 1 : 0;
    FlagChange row = {0};
    return flagtable_change(&change->after[table], word, &row, err) ||
           (row.after[0] != '\0' && strcmp(row.before, row.after) == 0);
}

/* Works for an empty change too, whose texts are empty. */
static bool is_changed(const TableChange *change, int table) {
    return strcmp(text_string(&change->before[table]), text_string(&change->after[table])) != 0;
}

/* ---- The difference ---- */

/* A table's lines. A changed default leaves the count of lines. */
typedef struct {
    const char **starts;
    size_t *lengths;
    size_t count;
} Lines;

static Lines split(const char *text) {
    Lines lines = {0};
    size_t starts = 0;
    size_t lengths = 0;
    size_t length;
    for (const char *line; (line = text_next_line(&text, &length)) != NULL;) {
        lines.starts = mem_grow(lines.starts, &starts, lines.count + 1, sizeof *lines.starts);
        lines.lengths = mem_grow(lines.lengths, &lengths, lines.count + 1, sizeof *lines.lengths);
        lines.starts[lines.count] = line;
        lines.lengths[lines.count++] = length;
    }
    return lines;
}

static void free_lines(Lines *lines) {
    free(lines->starts);
    free(lines->lengths);
}

static bool differs(const Lines *before, const Lines *after, size_t i) {
    return before->lengths[i] != after->lengths[i] ||
           memcmp(before->starts[i], after->starts[i], before->lengths[i]) != 0;
}

static void add_line(char mark, const Lines *lines, size_t i, Text *out) {
    text_addf(out, "%c%.*s\n", mark, (int)lines->lengths[i], lines->starts[i]);
}

/* Adds a hunk. A run of changed lines comes before its replacements. */
static void add_hunk(const Lines *before, const Lines *after, size_t first, size_t end, Text *out) {
    text_addf(out, "@@ -%zu,%zu +%zu,%zu @@\n", first + 1, end - first, first + 1, end - first);
    for (size_t i = first; i < end;) {
        size_t run = i;
        while (run < end && differs(before, after, run))
            run++;
        for (size_t k = i; k < run; k++)
            add_line('-', before, k, out);
        for (size_t k = i; k < run; k++)
            add_line('+', after, k, out);
        if (run == i)
            add_line(' ', before, i, out);
        i = run > i ? run : i + 1;
    }
}

static void add_hunks(const Lines *before, const Lines *after, Text *out) {
    enum { CONTEXT = 3 };
    size_t count = before->count < after->count ? before->count : after->count;
    for (size_t i = 0; i < count; i++) {
        if (!differs(before, after, i))
            continue;
        size_t last = i; /* The hunk's last change; later ones are too far away. */
        for (size_t k = i + 1; k < count && k <= last + 2 * CONTEXT; k++)
            last = differs(before, after, k) ? k : last;
        add_hunk(before, after, i > CONTEXT ? i - CONTEXT : 0,
                 last + 1 + CONTEXT < count ? last + 1 + CONTEXT : count, out);
        i = last;
    }
}

void tablechange_diff(const TableChange *change, Text *out) {
    for (int table = 0; table < FLAGTABLE_COUNT; table++) {
        if (!is_changed(change, table))
            continue;
        Lines before = split(text_string(&change->before[table]));
        Lines after = split(text_string(&change->after[table]));
        text_addf(out, "--- a/%s/%s\n+++ b/%s/%s\n", FOLDER, flagtable_files[table], FOLDER,
                  flagtable_files[table]);
        add_hunks(&before, &after, out);
        free_lines(&before);
        free_lines(&after);
    }
}

bool tablechange_write(const TableChange *change, Error *err) {
    enum { TABLE_MODE = 0644 };
    for (int i = 0; i < FLAGTABLE_COUNT; i++)
        if (is_changed(change, i) &&
            !file_write_atomic(change->paths[i], text_string(&change->after[i]),
                               change->after[i].length, TABLE_MODE, err))
            return false;
    return true;
}
