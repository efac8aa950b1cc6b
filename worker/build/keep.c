/* SPDX-License-Identifier: MIT */
#include "build/keep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/count.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/tree.h"
#include "build/errand.h"

enum { KEY_DIGITS = 32, CPUINFO_LIMIT = 4 << 20, VERSION_TIMEOUT_MS = 20000 };

/* ---- The key ---- */

/* What the compiler says of its version. */
static bool add_compiler(const char *compiler, Text *identity, Error *err) {
    Words words = {0};
    Errand errand = {0};
    if (!words_split(&words, compiler, err)) {
        words_free(&words);
        return false;
    }
    words_add(&words, "--version");
    words_terminate(&words);
    RunSpec spec = {.argv = (const char *const *)words.items, .timeout_ms = VERSION_TIMEOUT_MS};
    bool ok = errand_command(&spec, &errand);
    if (!ok)
        error_set(err, "compiler %s: --version: %s", compiler, errand.error.text);
    text_addf(identity, "compiler %s\n%s\n", compiler, text_string(&errand.output));
    errand_free(&errand);
    words_free(&words);
    return ok;
}

/* The engine is built for this CPU, and a home folder may be shared with others: what the CPU can
 * do is part of the key. */
static void add_cpu(Text *identity) {
    static const char *const keys[] = {"flags", "Features", "model name", "CPU part"};
    Text cpuinfo = {0};
    if (!file_read("/proc/cpuinfo", CPUINFO_LIMIT, &cpuinfo, NULL))
        return;
    for (size_t i = 0; i < COUNT(keys); i++) {
        const char *line = strstr(text_string(&cpuinfo), keys[i]);
        if (line) {
            text_add_bytes(identity, line, strcspn(line, "\n"));
            text_add_char(identity, '\n');
        }
    }
    text_free(&cpuinfo);
}

/* ---- Places ---- */

/* $CC, or the first usual compiler on the PATH. Allocated; NULL with err set. */
static char *choose_compiler(const char *wanted, Error *err) {
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *environment = getenv("CC");
    if (wanted && wanted[0])
        return mem_strdup(wanted);
    if (environment && environment[0])
        return mem_strdup(environment);
    for (size_t i = 0; i < COUNT(usual); i++) {
        char path[CHILD_PATH_MAX];
        if (child_find(usual[i], path, NULL))
            return mem_strdup(usual[i]);
    }
    error_set(err, "no C compiler: none of cc, gcc, clang is on the PATH; set CC");
    return NULL;
}

static char *choose_cache(const char *wanted, Error *err) {
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    Text path = {0};
    if (wanted)
        text_add(&path, wanted);
    else if (cache && cache[0] == '/')
        text_addf(&path, "%s/obworker/engines", cache);
    else if (home && home[0] == '/')
        text_addf(&path, "%s/.cache/obworker/engines", home);
    else
        error_set(err, "no place to keep engines: set HOME or XDG_CACHE_HOME");
    if (path.length && !file_make_folders(text_string(&path), err))
        text_free(&path);
    char *whole = path.length ? realpath(text_string(&path), NULL) : NULL;
    if (path.length && !whole)
        error_set(err, "%s: %s", text_string(&path), strerror(errno));
    text_free(&path);
    return whole;
}

static bool find_path(Keep *keep, const char *prefix, const char *sources, Error *err) {
    char digest[DIGEST_HEX_MAX];
    Text identity = {0};
    bool ok = add_compiler(keep->compiler, &identity, err);
    if (ok) {
        text_addf(&identity, "%s\n", sources);
        add_cpu(&identity);
        ok = digest_bytes(text_string(&identity), identity.length, digest, err);
    }
    text_free(&identity);
    if (!ok)
        return false;
    int length = snprintf(keep->path, sizeof keep->path, "%s/%s-%.*s", keep->folder, prefix,
                          KEY_DIGITS, digest);
    return (length >= 0 && (size_t)length < sizeof keep->path) ||
           error_set(err, "%s: the path is too long", keep->folder);
}

bool keep_find(Keep *keep, const char *compiler, const char *folder, const char *prefix,
               const char *sources, Error *err) {
    keep->compiler = choose_compiler(compiler, err);
    keep->folder = keep->compiler != NULL ? choose_cache(folder, err) : NULL;
    return keep->folder != NULL && find_path(keep, prefix, sources, err);
}

bool keep_has(const Keep *keep) {
    return access(keep->path, X_OK) == 0;
}

bool keep_open(Keep *keep, Error *err) {
    char folder[BUILD_PATH_MAX];
    int length = snprintf(folder, sizeof folder, "%s/.making-XXXXXX", keep->folder);
    if (length < 0 || (size_t)length >= sizeof folder)
        return error_set(err, "%s: the path is too long", keep->folder);
    if (!mkdtemp(folder))
        return error_set(err, "%s: %s", folder, strerror(errno));
    memcpy(keep->making, folder, sizeof folder);
    return true;
}

bool keep_take(const Keep *keep, const char *executable, Error *err) {
    return rename(executable, keep->path) == 0 ||
           error_set(err, "%s: %s", keep->path, strerror(errno));
}

void keep_close(Keep *keep, char *path) {
    if (path != NULL)
        memcpy(path, keep->path, sizeof keep->path);
    if (keep->making[0] != '\0')
        tree_remove(keep->making, NULL);
    free(keep->compiler);
    free(keep->folder);
    *keep = (Keep){0};
}
