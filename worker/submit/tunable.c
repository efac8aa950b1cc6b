/* SPDX-License-Identifier: MIT */
#include "submit/tunable.h"

#include <ctype.h>
#include <string.h>

#include "build/blocking.h"

enum { ANSWER_TIMEOUT_MS = 30000 };

/* ---- Names and the Makefile ---- */

bool tunable_names(const char *list, Words *names, Error *err) {
    for (const char *at = list;;) {
        size_t length = strcspn(at, ",");
        Text name = {0};
        text_add_bytes(&name, at, length);
        const char *text = text_string(&name);
        size_t good = 0;
        while (isalnum((unsigned char)text[good]) || text[good] == '_')
            good++;
        bool valid = length > 0 && good == length;
        bool ok = valid && !words_has(names, text);
        if (ok)
            words_add(names, text);
        else
            error_set(err, valid ? "%.40s is given twice" : "'%.40s' is not a valid name of a row",
                      text);
        text_free(&name);
        if (!ok || at[length] == '\0')
            return ok;
        at += length + 1;
    }
}

bool tunable_makefile(Text *makefile, Error *err) {
    static const char LINE[] = "TUNE ?= 0";
    const char *text = text_string(makefile);
    for (const char *at = text; (at = strstr(at, LINE)) != NULL; at++) {
        const char *end = at + strlen(LINE);
        if ((at == text || at[-1] == '\n') && (*end == '\n' || *end == '\0')) {
            makefile->data[end - 1 - text] = '1';
            return true;
        }
    }
    return error_set(err, "has no line TUNE ?= 0, so its options are not made tunable; a branch "
                          "whose plain build has the options is submitted by --params FILE "
                          "--branch NAME");
}

/* ---- Rows of the engine ---- */

/* Refuses an answer with a line "# ROW cannot be tuned: why". */
static bool check_answer(const char *answer, Error *err) {
    const char *line = *answer == '#' ? answer : strstr(answer, "\n#");
    if (!line)
        return true;
    line += strspn(line, "\n# ");
    return error_set(err, "%.*s", (int)strcspn(line, "\n"), line);
}

bool tunable_rows(const char *engine, const Words *names, SpsaParameters *rows, Error *err) {
    Text command = {0};
    text_add(&command, "lmr spsa");
    for (size_t i = 0; i < names->count; i++)
        text_addf(&command, " %s", names->items[i]);
    const char *const argv[] = {engine, text_string(&command), NULL};
    RunSpec spec = {.argv = argv, .timeout_ms = ANSWER_TIMEOUT_MS};
    BlockingResult result = {0};
    bool ok = run_blocking(&spec, &result);
    const char *answer = text_string(&result.output);
    if (!ok)
        error_set(err, "%s%s%.*s", result.error.text, *answer ? ": " : "",
                  (int)strcspn(answer, "\n"), answer);
    ok = ok && check_answer(answer, err) && spsa_add_parameters(rows, answer, err) &&
         (rows->count == names->count ||
          error_set(err, "the engine lists %zu of these rows, expected %zu", rows->count,
                    names->count));
    blocking_free(&result);
    if (!ok)
        error_prefix(err, "the branch's engine, asked for \"%s\"", text_string(&command));
    text_free(&command);
    return ok;
}

static const SpsaParameter *find_row(const SpsaParameters *rows, const char *name) {
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->items[i].name, name) == 0)
            return &rows->items[i];
    return NULL;
}

bool tunable_check(const SpsaParameters *parameters, const SpsaParameters *rows, Error *err) {
    for (size_t i = 0; i < parameters->count; i++) {
        const SpsaParameter *p = &parameters->items[i];
        const SpsaParameter *row = find_row(rows, p->name);
        if (!row)
            return error_set(err, "the engine has no row %s", p->name);
        if (p->is_float && !row->is_float)
            return error_set(err, "%s takes whole numbers: its type is int", p->name);
        if (p->min < row->min || p->max > row->max)
            return error_set(err, "%s: %.10g to %.10g goes beyond the row's %.10g to %.10g",
                             p->name, p->min, p->max, row->min, row->max);
    }
    return true;
}
