/* SPDX-License-Identifier: MIT */
#include "base/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/count.h"
#include "base/program.h"
#include "base/tree.h"

static const char *const KEPT_ENVIRONMENT[] = {"PATH",   "HOME", "LANG",           "LC_ALL",
                                               "TMPDIR", "TZ",   "LD_LIBRARY_PATH"};

bool launch_is_confined(const ChildSpec *spec) {
    return spec->policy != NULL && spec->policy->on;
}

/* ---- The scratch folder and the confinement ---- */

/* A child's own user has to pass through the scratch folder, and must not list or change its
 * entries. Where the child has the worker's user, no other user may pass: a build could leave a
 * set-user-ID program there. */
enum { FOLDER_MODE = 0711 };

static bool fail_scratch(const SandboxPolicy *policy, Error *err) {
    return error_set(err, "%s: no folder for the sandbox can be made in it: %s", policy->scratch,
                     strerror(errno));
}

static bool make_scratch(const SandboxPolicy *policy, Launch *launch, Text *home, Error *err) {
    Text folder = {0};
    text_addf(&folder, "%s/" SANDBOX_SCRATCH_FORMAT SANDBOX_SCRATCH_RANDOM, policy->scratch,
              (int)getpid());
    if (mkdtemp(folder.data) == NULL) {
        fail_scratch(policy, err);
        text_free(&folder);
        return false;
    }
    launch->scratch = text_take(&folder);
    text_addf(home, "%s/" SANDBOX_SCRATCH_HOME, launch->scratch);
    char *lock = text_format("%s/" SANDBOX_SCRATCH_LOCK, launch->scratch);
    launch->theirs[LAUNCH_LOCK] = open(lock, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = launch->theirs[LAUNCH_LOCK] >= 0 && mkdir(text_string(home), 0700) == 0 &&
              (!policy->settings.layers.own_user || chmod(launch->scratch, FOLDER_MODE) == 0);
    free(lock);
    return ok || fail_scratch(policy, err);
}

static bool make_confinement(const ChildSpec *spec, Launch *launch, Text *home, Error *err) {
    const SandboxPolicy *policy = spec->policy;
    char settings[CONFINE_SETTINGS_MAX];
    if (!launch_is_confined(spec))
        return true;
    if (!make_scratch(policy, launch, home, err))
        return false;
    confine_format(&policy->settings, settings);
    words_add(&launch->confinement, settings);
    for (size_t i = 0; i < policy->rules.count; i++)
        words_add(&launch->confinement, policy->rules.items[i]);
    words_addf(&launch->confinement, "%c%s", policy->executes ? CONFINE_BUILD : CONFINE_WRITE,
               text_string(home));
    return true;
}

/* ---- The environment ---- */

/* Adds "NAME=value" unless the environment has the name: earlier entries win. */
static void add_variable(Words *env, const char *name, const char *value) {
    Text entry = {0};
    text_addf(&entry, "%s=", name);
    bool known = value == NULL;
    for (size_t i = 0; i < env->count && !known; i++)
        known = text_starts_with(env->items[i], text_string(&entry));
    text_add(&entry, known ? "" : value);
    if (!known)
        words_add(env, text_string(&entry));
    text_free(&entry);
}

/* The caller's and the policy's entries come first, then the worker's kept variables. */
static void make_environment(const ChildSpec *spec, const char *home, Words *env) {
    words_add(env, TRAMPOLINE_VARIABLE "=1");
    for (size_t i = 0; spec->env != NULL && spec->env[i] != NULL; i++)
        words_add(env, spec->env[i]);
    for (size_t i = 0; spec->policy != NULL && i < spec->policy->environment.count; i++)
        words_add(env, spec->policy->environment.items[i]);
    add_variable(env, "HOME", home);
    add_variable(env, "TMPDIR", home);
    for (size_t i = 0; i < COUNT(KEPT_ENVIRONMENT); i++)
        add_variable(env, KEPT_ENVIRONMENT[i], getenv(KEPT_ENVIRONMENT[i]));
    words_terminate(env);
}

/* Opens a plain pipe, not one of libuv's socket pairs: programs may reopen /dev/stderr, and a
 * socket cannot be reopened. */
static bool open_pipe(int number, Launch *launch, Error *err) {
    int ends[2] = {-1, -1};
    int status = uv_pipe(ends, 0, 0);
    if (status != 0)
        return error_set(err, "cannot open a pipe: %s", uv_strerror(status));
    launch->theirs[number] = ends[number == LAUNCH_INPUT ? 0 : 1];
    launch->ours[number] = ends[number == LAUNCH_INPUT ? 1 : 0];
    return true;
}

static bool open_pipes(const ChildSpec *spec, Launch *launch, Error *err) {
    if (spec->no_input)
        launch->theirs[LAUNCH_INPUT] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return (launch->theirs[LAUNCH_INPUT] >= 0 || open_pipe(LAUNCH_INPUT, launch, err)) &&
           open_pipe(LAUNCH_OUTPUT, launch, err) &&
           (spec->merge_errors || open_pipe(LAUNCH_ERRORS, launch, err)) &&
           open_pipe(LAUNCH_STATUS, launch, err);
}

/* ---- The whole launch ---- */

bool launch_make(const ChildSpec *spec, Launch *launch, Error *err) {
    char path[PROGRAM_PATH_MAX];
    Text home = {0};
    *launch = (Launch){0};
    for (int i = 0; i < LAUNCH_FDS; i++)
        launch->theirs[i] = launch->ours[i] = -1;
    TrampolineSpec words = {.nice = getpriority(PRIO_PROCESS, 0) + spec->nice,
                            .cpus = spec->cpus,
                            .cpu_count = spec->cpu_count,
                            .confinement = &launch->confinement,
                            .path = path,
                            .argv = spec->argv};
    bool ok = trampoline_check(spec->argv[0], err) && program_find(spec->argv[0], path, err) &&
              make_confinement(spec, launch, &home, err) &&
              trampoline_words(&words, &launch->argv, err) && open_pipes(spec, launch, err);
    words_terminate(&launch->argv);
    make_environment(spec, home.length > 0 ? text_string(&home) : NULL, &launch->environment);
    text_free(&home);
    if (!ok)
        launch_undo(launch);
    return ok;
}

static void close_all(int fds[LAUNCH_FDS]) {
    for (int i = 0; i < LAUNCH_FDS; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
        fds[i] = -1;
    }
}

void launch_free(Launch *launch) {
    close_all(launch->theirs);
    words_free(&launch->argv);
    words_free(&launch->environment);
    words_free(&launch->confinement);
}

void launch_undo(Launch *launch) {
    close_all(launch->ours);
    if (launch->scratch != NULL)
        tree_remove(launch->scratch, NULL);
    free(launch->scratch);
    launch->scratch = NULL;
    launch_free(launch);
}
