/* SPDX-License-Identifier: MIT */
/* Variants of the project's own engine, built on demand and kept: see build_variant in build.h. */
#include "build/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/tree.h"
#include "build/blocking.h"
#include "build/buildcache.h"
#include "build/owntree.h"

/* ---- Flags ---- */

/* Checks that the word is ROW=VALUE, of characters that rows and values can have: no shell and no
 * make reads them in another way. The generator checks whether the row exists. */
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
    for (const char *word = flags; *word;) {
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
    words_sort(out);
    for (size_t i = 1; i < out->count; i++) {
        size_t name = strcspn(out->items[i], "=");
        if (strncmp(out->items[i], out->items[i - 1], name + 1) == 0)
            return error_set(err, "%.*s is given twice", (int)name, out->items[i]);
    }
    return true;
}

/* The flags in alphabetical order, with blanks between them, so that equal sets of flags have equal
 * names. Allocated; NULL with err set on failure. */
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

/* Did the flag table's generator refuse the flags? Sets err to the line of its output that says
 * so. */
static bool is_refusal(const BlockingResult *result, Error *err) {
    const char *refusal = strstr(text_string(&result->output), "LMR: ");
    if (refusal == NULL || result->interrupted)
        return false;
    error_set(err, "%.*s", (int)strcspn(refusal, "\n"), refusal);
    return true;
}

/* Makes `folder` with a link to each entry of `source`. */
static bool link_entries(const char *source, const char *folder, Error *err) {
    Words names = {0};
    bool ok = (mkdir(folder, 0700) == 0 || error_set(err, "%s: %s", folder, strerror(errno))) &&
              file_list(source, &names, err);
    for (size_t i = 0; ok && i < names.count; i++) {
        char *target = text_format("%s/%s", source, names.items[i]);
        char *link = text_format("%s/%s", folder, names.items[i]);
        ok = symlink(target, link) == 0 || error_set(err, "%s: %s", link, strerror(errno));
        free(target);
        free(link);
    }
    words_free(&names);
    return ok;
}

/* Builds in a temporary folder of the cache that shows the sources: they may be read-only. make is
 * given names in this folder alone, since it takes a path with a blank for two. */
static bool make_variant(BuildCache *cache, const char *source, const char *flags,
                         const BuildOptions *options, Error *err) {
    static const char EXE[] = "variant";
    if (!build_cache_open(cache, err))
        return false;
    char *folder = text_format("%s/engine", cache->making);
    char *made = text_format("%s/%s", folder, EXE);
    BuildSpec spec = {.dir = folder,
                      .exe = EXE,
                      .compiler = cache->compiler,
                      .lmr = flags,
                      .tune = options->tune,
                      .objects = "objects",
                      .timeout_ms = BUILD_VARIANT_TIMEOUT_MS};
    BlockingResult result = {0};
    bool linked = link_entries(source, folder, err);
    bool ok = linked && build_blocking(&spec, &result);
    if (linked && !ok && !is_refusal(&result, err))
        build_cache_explain(cache, options, &result, err);
    blocking_free(&result);
    ok = ok && build_cache_take(cache, made, err);
    free(folder);
    free(made);
    return ok;
}

/* Names of what is no source: hidden files, and files that builds leave in the sources' folder, by
 * engine/Makefile and by the configured Makefile. */
static const char *const NO_SOURCES[] = {".*",          "build", "reductio", "reductio-*",
                                         "flags_gen.h", "*.o",   "*.new",    NULL};

/* The engine's sources, absolute and allocated; NULL with err set when they do not exist. */
static char *find_sources(const BuildOptions *options, Error *err) {
    if (options->source_dir == NULL)
        return owntree_engine(err);
    char *source = realpath(options->source_dir, NULL);
    if (source == NULL)
        error_set(err, "%s: %s", options->source_dir, strerror(errno));
    return source;
}

/* Lets the generator of the flag table in these sources check the flags. */
static bool ask_generator(const char *source, const char *flags, Error *err) {
    enum { ANSWER_LIMIT = 1 << 16, TIMEOUT_MS = 60000 };
    static const char *const ARGV[] = {
        "awk", "-f", "lmr/flags.awk", "lmr/flags.def", "search/params.def", "lmr/presets.def",
        NULL};
    BlockingResult result = {0};
    char *rows = text_format("LMR=%s", flags);
    const char *env[] = {rows, "RD_CHECK=1", NULL};
    RunSpec spec = {
        .argv = ARGV, .env = env, .dir = source, .keep = ANSWER_LIMIT, .timeout_ms = TIMEOUT_MS};
    bool ok = run_blocking(&spec, &result);
    if (!ok && !is_refusal(&result, err))
        *err = result.error;
    blocking_free(&result);
    free(rows);
    return ok;
}

bool build_variant_check(const char *flags, const BuildOptions *options, Error *err) {
    char *normal = normal_flags(flags, err);
    char *source = normal ? find_sources(options, err) : NULL;
    bool ok = source && ask_generator(source, normal, err);
    free(source);
    free(normal);
    return ok;
}

bool build_variant(const char *flags, const BuildOptions *options, char path[BUILD_PATH_MAX],
                   Error *err) {
    char digest[DIGEST_HEX_MAX];
    Text sources = {0};
    BuildCache cache = {0};
    char *normal = normal_flags(flags, err);
    char *source = normal ? find_sources(options, err) : NULL;
    bool ok = source && tree_digest(source, NO_SOURCES, digest, err);
    if (ok) {
        text_addf(&sources, "sources %s\nflags %s%s", digest, normal,
                  options->tune ? "\ntune" : "");
        ok = build_cache_find(&cache, options->cache_dir, "reductio", text_string(&sources), err);
    }
    if (ok) {
        build_cache_tell(&cache, options->log, options->label, "lmr:", flags);
        ok = build_cache_has(&cache) || make_variant(&cache, source, normal, options, err);
    }
    build_cache_close(&cache, ok ? path : NULL);
    text_free(&sources);
    free(source);
    free(normal);
    return ok;
}
