/* SPDX-License-Identifier: MIT */
#include "build/buildcache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/count.h"
#include "base/cpuinfo.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/tree.h"
#include "build/blocking.h"
#include "build/buildlog.h"

#define MAKING ".making-" /* How the name of a folder to build in begins. */

enum { KEY_DIGITS = 32, VERSION_TIMEOUT_MS = 20000, LINE_SHOWN = 200 };

/* ---- The key ---- */

/* Adds the compiler's name and printed version. */
static bool add_compiler(const char *compiler, Text *identity, Error *err) {
    Words words = {0};
    BlockingResult result = {0};
    if (!words_split(&words, compiler, err)) {
        words_free(&words);
        return false;
    }
    words_add(&words, "--version");
    words_terminate(&words);
    RunSpec spec = {.argv = (const char *const *)words.items, .timeout_ms = VERSION_TIMEOUT_MS};
    bool ok = run_blocking(&spec, &result);
    if (!ok)
        error_set(err, "compiler %s: --version: %s", compiler, result.error.text);
    text_addf(identity, "compiler %s\n%s\n", compiler, text_string(&result.output));
    blocking_free(&result);
    words_free(&words);
    return ok;
}

/* Adds the CPU's abilities: an engine is built for this CPU, and several machines may share a home
 * folder with the cache. */
static void add_cpu(Text *identity) {
    static const char *const keys[] = {"flags", "Features", "model name", "CPU part"};
    Text cpuinfo = {0};
    if (!cpuinfo_read(&cpuinfo))
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

/* The compiler to use: $CC, or the first usual compiler on the PATH. Allocated; NULL with err
 * set. */
static char *choose_compiler(Error *err) {
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *environment = getenv("CC");
    if (environment && environment[0])
        return mem_strdup(environment);
    for (size_t i = 0; i < COUNT(usual); i++) {
        char path[PROGRAM_PATH_MAX];
        if (program_find(usual[i], path, NULL))
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

static bool find_path(BuildCache *cache, const char *prefix, const char *sources, Error *err) {
    char digest[DIGEST_HEX_MAX];
    Text identity = {0};
    bool ok = add_compiler(cache->compiler, &identity, err);
    if (ok) {
        text_addf(&identity, "%s\n", sources);
        add_cpu(&identity);
        ok = digest_bytes(text_string(&identity), identity.length, digest, err);
    }
    text_free(&identity);
    if (!ok)
        return false;
    int length = snprintf(cache->path, sizeof cache->path, "%s/%s-%.*s", cache->folder, prefix,
                          KEY_DIGITS, digest);
    return (length >= 0 && (size_t)length < sizeof cache->path) ||
           error_set(err, "%s: the path is too long", cache->folder);
}

bool build_cache_find(BuildCache *cache, const char *folder, const char *prefix,
                      const char *sources, Error *err) {
    cache->compiler = choose_compiler(err);
    cache->folder = cache->compiler != NULL ? choose_cache(folder, err) : NULL;
    return cache->folder != NULL && find_path(cache, prefix, sources, err);
}

bool build_cache_has(const BuildCache *cache) {
    struct stat info;
    return access(cache->path, X_OK) == 0 && stat(cache->path, &info) == 0 && info.st_size > 0;
}

void build_cache_tell(const BuildCache *cache, Log *log, const char *label, const char *prefix,
                      const char *spec) {
    if (label == NULL)
        return;
    if (build_cache_has(cache))
        log_info(log, "%s: %s%s is kept from an earlier build", label, prefix, spec);
    else
        log_info(log, "%s: building %s%s", label, prefix, spec);
}

bool build_cache_explain(const BuildCache *cache, const BuildOptions *options,
                         const BlockingResult *result, Error *err) {
    Text line = {0};
    const char *output = text_string(&result->output);
    if (result->interrupted || output[0] == '\0')
        return error_set(err, "%s", result->error.text);
    buildlog_show(options->log, output);
    buildlog_line(output, &line);
    char *path = text_format("%s.log", cache->path);
    error_set(err, "%s: %.*s", result->error.text, LINE_SHOWN, text_string(&line));
    Error unwritten = {0};
    if (buildlog_write(path, output, &unwritten))
        error_set(err, "%s; the whole output is in %s", err->text, path);
    else
        log_warn(options->log, "%s", unwritten.text);
    text_free(&line);
    free(path);
    return false;
}

/* ---- The folder to build in ---- */

/* Opens and locks a folder; -1 when that cannot be done, or not at once with LOCK_NB. */
static int lock_folder(const char *path, int how) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && flock(fd, how) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Removes the folders of builders that were killed: nobody holds their locks. */
static void remove_left(const char *cache) {
    Words names = {0};
    file_list(cache, &names, NULL);
    for (size_t i = 0; i < names.count; i++) {
        if (!text_starts_with(names.items[i], MAKING))
            continue;
        char *path = text_format("%s/%s", cache, names.items[i]);
        int lock = lock_folder(path, LOCK_EX | LOCK_NB);
        if (lock >= 0) {
            tree_remove(path, NULL);
            close(lock);
        }
        free(path);
    }
    words_free(&names);
}

static bool make_folder(BuildCache *cache, Error *err) {
    char folder[BUILD_PATH_MAX];
    int length = snprintf(folder, sizeof folder, "%s/" MAKING "XXXXXX", cache->folder);
    if (length < 0 || (size_t)length >= sizeof folder)
        return error_set(err, "%s: the path is too long", cache->folder);
    if (!mkdtemp(folder))
        return error_set(err, "%s: %s", folder, strerror(errno));
    memcpy(cache->making, folder, sizeof folder);
    cache->lock = lock_folder(folder, LOCK_EX);
    return true;
}

/* A file system without locks keeps what killed builders left. */
bool build_cache_open(BuildCache *cache, Error *err) {
    int whole = lock_folder(cache->folder, LOCK_EX); /* A new folder is not locked at once. */
    if (whole >= 0)
        remove_left(cache->folder);
    bool ok = make_folder(cache, err);
    if (whole >= 0)
        close(whole);
    return ok;
}

bool build_cache_take(const BuildCache *cache, const char *executable, Error *err) {
    return build_cache_has(cache) || file_install(executable, cache->path, err);
}

void build_cache_close(BuildCache *cache, char *path) {
    if (path != NULL)
        memcpy(path, cache->path, sizeof cache->path);
    if (cache->making[0] != '\0') {
        tree_remove(cache->making, NULL);
        if (cache->lock >= 0)
            close(cache->lock);
    }
    free(cache->compiler);
    free(cache->folder);
    *cache = (BuildCache){0};
}
