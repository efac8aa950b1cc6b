/* SPDX-License-Identifier: MIT */
#include "build/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/memory.h"
#include "base/text.h"
#include "build/run.h"

enum {
    BUILD_LOG_KEEP = 64 * 1024,
    BUILD_NICE = 5,
    MODE_PROGRAM = 0755 /* Not the Makefile's: it may set the user's id. */
};

/* The messages of a build are read here, in one language. Sources may have letters beyond ASCII. */
static const char *const ENGLISH[] = {"LC_ALL=C.UTF-8", NULL};

struct Build {
    Run *run;
    char path[BUILD_PATH_MAX];
    BuildDone done;
    void *user;
};

/* The make variable for the compiler; NULL for cargo and rustc, which choose themselves. */
static const char *compiler_variable(const char *compiler) {
    if (strcmp(compiler, "cargo") == 0 || strcmp(compiler, "rustc") == 0)
        return NULL;
    return strstr(compiler, "++") ? "CXX" : "CC";
}

static void make_command(const BuildSpec *spec, Words *words) {
    char jobs[32];
    snprintf(jobs, sizeof jobs, "-j%ld", spec->jobs > 0 ? (long)spec->jobs : cpus_online());
    words_add(words, "make");
    words_add(words, jobs);
    words_addf(words, "EXE=%s", spec->exe);
    const char *variable = spec->compiler ? compiler_variable(spec->compiler) : NULL;
    if (variable)
        words_addf(words, "%s=%s", variable, spec->compiler);
    if (spec->evalfile)
        words_addf(words, "EVALFILE=%s", spec->evalfile);
    if (spec->lmr)
        words_addf(words, "LMR=%s", spec->lmr);
    if (spec->tune)
        words_add(words, "TUNE=1");
    if (spec->objects)
        words_addf(words, "BUILD=%s", spec->objects);
}

static void on_made(const RunResult *run, void *user) {
    Build *build = user;
    BuildResult result = {.log = run->output};
    struct stat status;
    build->run = NULL;
    if (!run->ok)
        error_set(&result.error, "make %s", run->reason);
    else if (lstat(build->path, &status) != 0 || !S_ISREG(status.st_mode) ||
             access(build->path, X_OK) != 0)
        error_set(&result.error, "make made no executable of the name given by EXE= (the Makefile "
                                 "must write the program to $(EXE))");
    else if ((status.st_uid != geteuid() && lchown(build->path, geteuid(), getegid()) != 0) ||
             chmod(build->path, MODE_PROGRAM) != 0)
        error_set(&result.error, "%s: %s", build->path, strerror(errno));
    else
        result.ok = true;
    snprintf(result.path, sizeof result.path, "%s", build->path);
    build->done(&result, build->user);
    free(build);
}

Build *build_start(uv_loop_t *loop, const BuildSpec *spec, BuildDone done, void *user, Error *err) {
    Build *build = mem_calloc(1, sizeof *build);
    int length = spec->exe[0] == '/'
                     ? snprintf(build->path, sizeof build->path, "%s", spec->exe)
                     : snprintf(build->path, sizeof build->path, "%s/%s", spec->dir, spec->exe);
    build->done = done;
    build->user = user;
    Words words = {0};
    make_command(spec, &words);
    words_terminate(&words);
    SandboxPolicy policy;
    sandbox_build(spec->sandbox, spec->tree, spec->evalfile, spec->network, &policy);
    RunSpec run = {.argv = (const char *const *)words.items,
                   .dir = spec->dir,
                   .env = ENGLISH,
                   .policy = &policy,
                   .timeout_ms = spec->timeout_ms > 0 ? spec->timeout_ms : BUILD_TIMEOUT_MS,
                   .keep = BUILD_LOG_KEEP,
                   .nice = BUILD_NICE};
    if (length < 0 || (size_t)length >= sizeof build->path)
        error_set(err, "%s: the path is too long", spec->dir);
    else
        build->run = run_start(loop, &run, on_made, build, err);
    words_free(&words);
    sandbox_policy_free(&policy);
    if (build->run)
        return build;
    free(build);
    return NULL;
}

void build_cancel(Build *build) {
    if (!build)
        return;
    run_cancel(build->run);
    free(build);
}
