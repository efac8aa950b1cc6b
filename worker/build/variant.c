/* Variants of the project's own engine, built on demand and kept: see build_variant in build.h. */
#include "build/build.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/datadir.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "build/run.h"
#include "base/tree.h"

enum { KEY_DIGITS = 32, CPUINFO_LIMIT = 4 << 20, VERSION_TIMEOUT_MS = 20000 };

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

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
        return error_set(err, "LMR: \"%.80s\" is not of the form ROW=VALUE", word);
    return true;
}

/* The flags in one order, with blanks between, so that equal sets have equal names. Allocated; NULL
 * with err set on failure. */
static char *normal_flags(const char *flags, Error *err) {
    Words words = {0};
    Text text = {0};
    bool ok = true;
    for (const char *word = flags ? flags : ""; ok && *word;) {
        size_t length = strcspn(word, ", \t");
        if (length > 0) {
            char *one = mem_strndup(word, length);
            ok = check_flag(one, err);
            words_add(&words, one);
            free(one);
        }
        word += length;
        word += strspn(word, ", \t");
    }
    if (words.count)
        qsort(words.items, words.count, sizeof *words.items, by_text);
    for (size_t i = 0; ok && i < words.count; i++) {
        size_t name = strcspn(words.items[i], "=");
        if (i > 0 && strncmp(words.items[i], words.items[i - 1], name + 1) == 0)
            ok = error_set(err, "LMR: %.*s is given twice", (int)name, words.items[i]);
        text_addf(&text, "%s%s", i ? " " : "", words.items[i]);
    }
    words_free(&words);
    if (ok)
        return text_take(&text);
    text_free(&text);
    return NULL;
}

/* ---- A private loop: one command to its end, unless a signal ends it ---- */

typedef struct {
    uv_loop_t loop;
    uv_signal_t signals[2];
    Build *build;
    Run *run;
    bool interrupted;
    bool ok;
    Text output;
    Error error;
} Errand;

static void stop_signals(Errand *errand) {
    for (size_t i = 0; i < COUNT(errand->signals); i++)
        if (!uv_is_closing((uv_handle_t *)&errand->signals[i]))
            uv_close((uv_handle_t *)&errand->signals[i], NULL);
}

static void on_signal(uv_signal_t *handle, int number) {
    (void)number;
    Errand *errand = handle->data;
    errand->interrupted = true;
    error_set(&errand->error, "interrupted");
    build_cancel(errand->build);
    run_cancel(errand->run);
    errand->build = NULL;
    errand->run = NULL;
    stop_signals(errand);
}

static bool errand_init(Errand *errand, Error *err) {
    static const int numbers[] = {SIGINT, SIGTERM};
    *errand = (Errand){0};
    int status = uv_loop_init(&errand->loop);
    if (status != 0)
        return error_set(err, "no event loop: %s", uv_strerror(status));
    for (size_t i = 0; i < COUNT(errand->signals); i++) {
        uv_signal_init(&errand->loop, &errand->signals[i]);
        errand->signals[i].data = errand;
        uv_signal_start(&errand->signals[i], on_signal, numbers[i]);
    }
    return true;
}

/* Runs what was started, or only winds up when nothing was. */
static void errand_run(Errand *errand) {
    if (!errand->build && !errand->run)
        stop_signals(errand);
    uv_run(&errand->loop, UV_RUN_DEFAULT);
    uv_loop_close(&errand->loop);
}

static void on_built(const BuildResult *result, void *user) {
    Errand *errand = user;
    errand->build = NULL;
    errand->ok = result->ok;
    errand->error = result->error;
    text_add(&errand->output, result->log);
    stop_signals(errand);
}

static void on_asked(const RunResult *result, void *user) {
    Errand *errand = user;
    errand->run = NULL;
    errand->ok = result->ok;
    text_add(&errand->output, result->output);
    stop_signals(errand);
}

/* ---- The key ---- */

/* What the compiler says of its version. */
static bool add_compiler(const char *compiler, Text *identity, Error *err) {
    Words words = {0};
    Errand errand;
    if (!words_split(&words, compiler, err) || !errand_init(&errand, err)) {
        words_free(&words);
        return false;
    }
    words_add(&words, "--version");
    words.items = mem_grow(words.items, &words.capacity, words.count + 1, sizeof *words.items);
    words.items[words.count] = NULL;
    RunSpec spec = {.argv = (const char *const *)words.items, .timeout_ms = VERSION_TIMEOUT_MS};
    errand.run = run_start(&errand.loop, &spec, on_asked, &errand, &errand.error);
    errand_run(&errand);
    bool ok = errand.ok;
    if (!ok && errand.error.text[0])
        error_set(err, "compiler %s: %s", compiler, errand.error.text);
    else if (!ok)
        error_set(err, "compiler %s: `%s --version` fails", compiler, compiler);
    text_addf(identity, "compiler %s\n%s\n", compiler, text_string(&errand.output));
    text_free(&errand.output);
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

/* The name under which the binary is kept. */
static bool variant_name(const char *source, const char *compiler, const char *flags,
                         char name[DIGEST_HEX_MAX + 16], Error *err) {
    char sources[DIGEST_HEX_MAX];
    char digest[DIGEST_HEX_MAX];
    Text identity = {0};
    bool ok = tree_digest(source, "build", sources, err) && add_compiler(compiler, &identity, err);
    if (ok) {
        text_addf(&identity, "sources %s\nflags %s\n", sources, flags);
        add_cpu(&identity);
        ok = digest_bytes(text_string(&identity), identity.length, digest, err);
    }
    if (ok)
        snprintf(name, DIGEST_HEX_MAX + 16, "reductio-%.*s", KEY_DIGITS, digest);
    text_free(&identity);
    return ok;
}

/* ---- Building ---- */

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

/* The line that says why: the generator's own, else the compiler's first error, else make's end. */
static void explain(const Errand *errand, Error *err) {
    static const char *const marks[] = {"LMR: ", "error:", "error "};
    const char *output = text_string(&errand->output);
    const char *found = NULL;
    for (size_t i = 0; i < COUNT(marks) && !found; i++)
        found = strstr(output, marks[i]);
    if (!found || errand->interrupted) {
        error_set(err, "%s", errand->error.text);
        return;
    }
    while (found > output && found[-1] != '\n')
        found--;
    error_set(err, "%.*s", (int)strcspn(found, "\n"), found);
}

typedef struct {
    char *source;
    char *compiler;
    char *cache;
    char *flags;
    int timeout_ms;
} Variant;

/* Builds in a folder of its own inside the cache, then renames the binary to its name. */
static bool make_variant(const Variant *variant, const char *path, Error *err) {
    char folder[BUILD_PATH_MAX];
    char objects[BUILD_PATH_MAX + 8];
    char exe[BUILD_PATH_MAX + 8];
    int length = snprintf(folder, sizeof folder, "%s/.making-XXXXXX", variant->cache);
    if (length < 0 || (size_t)length >= sizeof folder)
        return error_set(err, "%s: the path is too long", variant->cache);
    if (!mkdtemp(folder))
        return error_set(err, "%s: %s", folder, strerror(errno));
    snprintf(objects, sizeof objects, "%s/o", folder);
    snprintf(exe, sizeof exe, "%s/exe", folder);
    BuildSpec spec = {.dir = variant->source,
                      .exe = exe,
                      .compiler = variant->compiler,
                      .lmr = variant->flags,
                      .objects = objects,
                      .timeout_ms = variant->timeout_ms};
    Errand errand;
    bool ok = errand_init(&errand, err);
    if (ok) {
        errand.build = build_start(&errand.loop, &spec, on_built, &errand, &errand.error);
        errand_run(&errand);
        ok = errand.ok;
        if (!ok)
            explain(&errand, err);
        text_free(&errand.output);
    }
    if (ok && rename(exe, path) != 0)
        ok = error_set(err, "%s: %s", path, strerror(errno));
    tree_remove(folder, NULL);
    return ok;
}

static bool find_sources(const VariantOptions *options, Variant *variant, Error *err) {
    char *found =
        options->source_dir ? mem_strdup(options->source_dir) : datadir_find("engine", err);
    if (!found)
        return false;
    variant->source = realpath(found, NULL);
    if (!variant->source)
        error_set(err, "%s: %s", found, strerror(errno));
    free(found);
    return variant->source != NULL;
}

bool build_variant(const char *flags, const VariantOptions *options, char path[BUILD_PATH_MAX],
                   Error *err) {
    static const VariantOptions standard;
    const VariantOptions *o = options ? options : &standard;
    Variant v = {.timeout_ms = o->timeout_ms > 0 ? o->timeout_ms : BUILD_VARIANT_TIMEOUT_MS};
    char name[DIGEST_HEX_MAX + 16];
    v.flags = normal_flags(flags, err);
    bool ok = v.flags && find_sources(o, &v, err) &&
              (v.compiler = choose_compiler(o->compiler, err)) &&
              (v.cache = choose_cache(o->cache_dir, err)) &&
              variant_name(v.source, v.compiler, v.flags, name, err);
    if (ok) {
        int length = snprintf(path, BUILD_PATH_MAX, "%s/%s", v.cache, name);
        if (length < 0 || length >= BUILD_PATH_MAX)
            ok = error_set(err, "%s: the path is too long", v.cache);
        else if (access(path, X_OK) != 0)
            ok = make_variant(&v, path, err);
    }
    free(v.flags);
    free(v.source);
    free(v.compiler);
    free(v.cache);
    return ok;
}
