/* SPDX-License-Identifier: MIT */
/* Variants of the project's own engine, built on demand and kept: see build_variant in build.h. */
#include "build/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/datadir.h"
#include "base/digest.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/tree.h"
#include "build/errand.h"
#include "build/keep.h"

/* ---- Flags ---- */

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* ROW=VALUE with the characters that rows and values can have: nothing that a shell or make would
 * read otherwise. Whether the row exists is for the generator to say. */
static bool check_flag(const char *word, Error *err) {
    static const char row[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    static const char value[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-.";
    size_t name = strspn(word, row);
    if (name == 0 || word[name] != '=' || !word[name + 1] ||
        strspn(word + name + 1, value) != strlen(word + name + 1))
        return error_set(err, "\"%.80s\" is not of the form ROW=VALUE", word);
    return true;
}

bool variant_words(const char *flags, Words *out, Error *err) {
    for (const char *word = flags ? flags : ""; *word;) {
        size_t length = strcspn(word, ", \t");
        if (length > 0) {
            char *one = mem_strndup(word, length);
            bool ok = check_flag(one, err);
            words_add(out, one);
            free(one);
            if (!ok)
                return false;
        }
        word += length;
        word += strspn(word, ", \t");
    }
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, by_text);
    for (size_t i = 1; i < out->count; i++) {
        size_t name = strcspn(out->items[i], "=");
        if (strncmp(out->items[i], out->items[i - 1], name + 1) == 0)
            return error_set(err, "%.*s is given twice", (int)name, out->items[i]);
    }
    return true;
}

/* The flags in one order, with blanks between, so that equal sets have equal names. Allocated; NULL
 * with err set on failure. */
static char *normal_flags(const char *flags, Error *err) {
    Words words = {0};
    Text text = {0};
    bool ok = variant_words(flags, &words, err);
    for (size_t i = 0; ok && i < words.count; i++)
        text_addf(&text, "%s%s", i ? " " : "", words.items[i]);
    words_free(&words);
    return ok ? text_take(&text) : NULL;
}

/* ---- Building ---- */

/* The line that says why: the generator's own, else the compiler's first error, else make's end. */
static bool explain(const Errand *errand, Error *err) {
    static const char *const marks[] = {"LMR: ", "error:", "error "};
    const char *output = text_string(&errand->output);
    const char *found = NULL;
    for (size_t i = 0; i < COUNT(marks) && !found; i++)
        found = strstr(output, marks[i]);
    if (!found || errand->interrupted)
        return error_set(err, "%s", errand->error.text);
    while (found > output && found[-1] != '\n')
        found--;
    return error_set(err, "%.*s", (int)strcspn(found, "\n"), found);
}

/* Builds in a folder of its own, from sources that may not be written to. */
static bool make_variant(Keep *keep, const char *source, const char *flags, int timeout_ms,
                         Error *err) {
    char objects[BUILD_PATH_MAX + 8];
    char exe[BUILD_PATH_MAX + 8];
    if (!keep_open(keep, err))
        return false;
    snprintf(objects, sizeof objects, "%s/o", keep->making);
    snprintf(exe, sizeof exe, "%s/exe", keep->making);
    BuildSpec spec = {.dir = source,
                      .exe = exe,
                      .compiler = keep->compiler,
                      .lmr = flags,
                      .objects = objects,
                      .timeout_ms = timeout_ms > 0 ? timeout_ms : BUILD_VARIANT_TIMEOUT_MS};
    Errand errand = {0};
    bool ok = errand_build(&spec, &errand) || explain(&errand, err);
    errand_free(&errand);
    return ok && keep_take(keep, exe, err);
}

/* The engine's sources, absolute and allocated; NULL with err set when they are not there. */
static char *find_sources(const VariantOptions *options, Error *err) {
    char *found =
        options->source_dir ? mem_strdup(options->source_dir) : datadir_find("engine", err);
    if (!found)
        return NULL;
    char *source = realpath(found, NULL);
    if (!source)
        error_set(err, "%s: %s", found, strerror(errno));
    free(found);
    return source;
}

/* Asks the generator of the flag table in these sources. */
static bool ask_generator(const char *source, const char *flags, Error *err) {
    enum { ANSWER_LIMIT = 1 << 16, TIMEOUT_MS = 60000 };
    static const char *const ARGV[] = {
        "awk", "-f", "lmr/flags.awk", "lmr/flags.def", "search/params.def", "lmr/presets.def", NULL};
    Text rows = {0};
    Errand errand = {0};
    text_addf(&rows, "LMR=%s", flags);
    const char *env[] = {text_string(&rows), "RD_CHECK=1", NULL};
    RunSpec spec = {
        .argv = ARGV, .env = env, .dir = source, .keep = ANSWER_LIMIT, .timeout_ms = TIMEOUT_MS};
    bool ok = errand_command(&spec, &errand) || explain(&errand, err);
    errand_free(&errand);
    text_free(&rows);
    return ok;
}

bool build_variant_check(const char *flags, const VariantOptions *options, Error *err) {
    char *normal = normal_flags(flags, err);
    char *source = normal ? find_sources(options, err) : NULL;
    bool ok = source && ask_generator(source, normal, err);
    free(source);
    free(normal);
    return ok;
}

bool build_variant(const char *flags, const VariantOptions *options, char path[BUILD_PATH_MAX],
                   Error *err) {
    static const VariantOptions standard;
    const VariantOptions *o = options ? options : &standard;
    char digest[DIGEST_HEX_MAX];
    Text sources = {0};
    Keep keep = {0};
    char *normal = normal_flags(flags, err);
    char *source = normal ? find_sources(o, err) : NULL;
    bool ok = source && tree_digest(source, "build", digest, err);
    if (ok) {
        text_addf(&sources, "sources %s\nflags %s", digest, normal);
        ok = keep_find(&keep, o->compiler, o->cache_dir, "reductio", text_string(&sources), err) &&
             (keep_has(&keep) || make_variant(&keep, source, normal, o->timeout_ms, err));
    }
    keep_close(&keep, ok ? path : NULL);
    text_free(&sources);
    free(source);
    free(normal);
    return ok;
}
