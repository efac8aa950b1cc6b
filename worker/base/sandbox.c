/* SPDX-License-Identifier: MIT */
#include "base/count.h"
#include "base/sandbox.h"

#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/ram.h"
#include "base/tree.h"

enum {
    ENGINE_PROCESSES = 64, /* Processes and threads of an engine, ... */
    ENGINE_PER_CPU = 2,    /* ... and more for each CPU: virtual machines use all of them. */
    BUILD_PROCESSES = 1024,
    BUILD_PER_CPU = 32,
    SHARED_PROCESSES = 1024, /* Added where the user's other processes count too. */
    ENGINE_MB = 2048, /* For networks, tables and a virtual machine, besides the hash table. */
    ENGINE_MB_PER_THREAD = 64,
    ENGINE_FILE_MB = 256,
    BUILD_MB_MIN = 2048,
    DISK_MB = 8192,
};
static const uint64_t MB = UINT64_C(1) << 20;

/* The files and folders of the system that every child may read. /etc as a whole is not among them,
 * because it holds the machine's secrets. */
static const struct {
    char right;
    bool builds; /* Only builds may. */
    const char *pattern;
} SYSTEM[] = {
    {CONFINE_EXECUTE, false, "/usr"},
    {CONFINE_EXECUTE, false, "/bin"},
    {CONFINE_EXECUTE, false, "/sbin"},
    {CONFINE_EXECUTE, false, "/lib"},
    {CONFINE_EXECUTE, false, "/lib32"},
    {CONFINE_EXECUTE, false, "/lib64"},
    {CONFINE_EXECUTE, false, "/libx32"},
    {CONFINE_EXECUTE, false, "/nix/store"},
    {CONFINE_EXECUTE, false, "/gnu/store"},
    {CONFINE_EXECUTE, false, "/etc/alternatives"},
    {CONFINE_READ, false, "/etc/ld.so.*"},
    {CONFINE_READ, false, "/etc/localtime"},
    {CONFINE_READ, false, "/etc/timezone"},
    {CONFINE_READ, false, "/etc/locale.alias"},
    {CONFINE_READ, false, "/etc/nsswitch.conf"},
    {CONFINE_READ, false, "/etc/java*"},
    {CONFINE_READ, false, "/etc/python3*"},
    {CONFINE_READ, false, "/proc"},
    {CONFINE_READ, false, "/sys/devices/system"},
    {CONFINE_READ, false, "/sys/fs/cgroup"},
    {CONFINE_READ, false, "/sys/kernel/mm"},
    {CONFINE_DEVICE, false, "/dev/null"},
    {CONFINE_DEVICE, false, "/dev/zero"},
    {CONFINE_DEVICE, false, "/dev/full"},
    {CONFINE_READ, false, "/dev/random"},
    {CONFINE_READ, false, "/dev/urandom"},
    {CONFINE_READ, true, "/etc/ssl/certs"},
    {CONFINE_READ, true, "/etc/ssl/openssl.cnf"},
    {CONFINE_READ, true, "/etc/pki/tls/certs"},
    {CONFINE_READ, true, "/etc/pki/ca-trust/extracted"},
    {CONFINE_READ, true, "/etc/ca-certificates*"},
    {CONFINE_READ, true, "/etc/hosts"},
    {CONFINE_READ, true, "/etc/host.conf"},
    {CONFINE_READ, true, "/etc/resolv.conf"},
    {CONFINE_READ, true, "/etc/gai.conf"},
    {CONFINE_READ, true, "/etc/services"},
    {CONFINE_READ, true, "/etc/protocols"},
    {CONFINE_READ, true, "/etc/os-release"},
    {CONFINE_READ, true, "/etc/debian_version"},
};

/* Folders that no rule may cover as a whole. A program's own folder below them may be read. */
static const char *const SECRETS[] = {"/etc/shadow", "/home", "/root", "/boot", "/var",
                                      "/run",        "/tmp",  "/srv",  "/mnt",  "/media"};
/* Such folders and files in the user's home: the usual places of passwords and keys. */
static const char *const HOME_SECRETS[] = {"",
                                           ".ssh",
                                           ".gnupg",
                                           ".config",
                                           ".netrc",
                                           ".cache",
                                           ".local/share",
                                           ".local/state",
                                           ".cargo/credentials",
                                           ".cargo/credentials.toml",
                                           ".docker/config.json",
                                           ".fly/config.yml",
                                           ".pub-cache/credentials.json",
                                           ".pulumi/credentials.json",
                                           ".railway/config.json",
                                           ".wasmer/wasmer.toml"};

/* ---- The sandbox of a command ---- */

bool sandbox_covers(const char *path, const char *inner) {
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/')
        length--;
    return strncmp(path, inner, length) == 0 && (inner[length] == '/' || inner[length] == '\0');
}

/* The canonical form of a path. When the path does not exist: the canonical form of the nearest
 * folder above it that does, with the rest. Allocated; NULL when no such folder exists. */
static char *canonical(const char *path) {
    char *whole = realpath(path, NULL);
    const char *slash = strrchr(path, '/');
    if (whole != NULL || slash == NULL)
        return whole;
    char *folder = file_folder_of(path);
    char *real = canonical(folder);
    free(folder);
    if (real == NULL)
        return NULL;
    Text text = {0};
    text_addf(&text, "%s%s", strcmp(real, "/") == 0 ? "" : real, slash);
    free(real);
    return text_take(&text);
}

void sandbox_hide(Sandbox *sandbox, const char *path) {
    char *real = path != NULL ? canonical(path) : NULL;
    if (real != NULL)
        words_add(&sandbox->secrets, real);
    free(real);
}

/* Calls `take` for each path of a list with ':' or ';' between the paths. */
static void each_path(const char *list, void (*take)(const char *path, void *user), void *user) {
    for (const char *p = list; *p != '\0';) {
        size_t length = strcspn(p, ":;");
        char *one = mem_strndup(p, length);
        if (length > 0)
            take(one, user);
        free(one);
        p += length + (p[length] != '\0');
    }
}

static void show_one(const char *path, void *user) {
    Sandbox *sandbox = user;
    char *real = realpath(path, NULL);
    if (real != NULL)
        words_add(&sandbox->readable, real);
    free(real);
}

void sandbox_show(Sandbox *sandbox, const char *paths) {
    if (paths != NULL)
        each_path(paths, show_one, sandbox);
}

bool sandbox_check_limit(const char *wish, int64_t megabytes, Error *err) {
    return megabytes <= 0 || strcmp(wish, "off") != 0 ||
           error_set(err, "--disk-limit: the sandbox watches the disk space, and --sandbox off "
                          "leaves the sandbox out");
}

bool sandbox_limit_disk(Sandbox *sandbox, int64_t megabytes, Error *err) {
    if (megabytes <= 0)
        return true;
    if (!sandbox->on)
        return error_set(err, "--disk-limit: the sandbox watches the disk space, and this system "
                              "has none: leave --disk-limit out");
    sandbox->disk = (uint64_t)megabytes * MB;
    return true;
}

static void hide_usual(Sandbox *sandbox) {
    const char *home = getenv("HOME");
    for (size_t i = 0; i < COUNT(SECRETS); i++)
        sandbox_hide(sandbox, SECRETS[i]);
    for (size_t i = 0; home != NULL && home[0] == '/' && i < COUNT(HOME_SECRETS); i++) {
        char *path =
            text_format("%s%s%s", home, HOME_SECRETS[i][0] != '\0' ? "/" : "", HOME_SECRETS[i]);
        sandbox_hide(sandbox, path);
        free(path);
    }
}

static void add_name(Text *out, const char *name) {
    text_addf(out, "%s%s", out->length > 0 ? ", " : "", name);
}

void sandbox_describe(const ConfineLayers *layers, bool root, Text *out) {
    const struct {
        bool on;
        const char *name;
    } rows[] = {{layers->filter, "system call filter"},
                {layers->own_user, root ? "a user of its own" : NULL},
                {layers->namespaces, "namespaces"}};
    Text missing = {0};
    Text present = {0};
    if (layers->landlock > 0)
        text_addf(&present, "Landlock %d", layers->landlock);
    else
        add_name(&missing, "Landlock");
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].name != NULL)
            add_name(rows[i].on ? &present : &missing, rows[i].name);
    text_addf(out, "%s", present.length > 0 ? text_string(&present) : "no layer");
    if (missing.length > 0)
        text_addf(out, "; missing: %s", text_string(&missing));
    text_free(&present);
    text_free(&missing);
}

static void add_gap(Text *out, const char *what) {
    text_addf(out, "%s%s", out->length > 0 ? "; " : "", what);
}

void sandbox_missing(const ConfineLayers *layers, bool root, Text *out) {
    if (layers->landlock == 0)
        add_gap(out, layers->namespaces || layers->own_user
                         ? "this kernel has no Landlock: what engines read is not restricted"
                         : "this kernel has no Landlock: files are not protected from engines");
    if (!layers->filter)
        add_gap(out, "system calls cannot be filtered (seccomp): engines have the network");
    if (root && !layers->own_user)
        add_gap(out, "root cannot change to another user here: engines may start processes "
                     "without end");
}

/* The process that made the scratch folder of this name; 0: a scratch folder has another name. */
static pid_t maker_of(const char *name) {
    int pid = 0;
    int begin = 0; /* Stays 0 where the name begins in another way. */
    sscanf(name, SANDBOX_SCRATCH_FORMAT "%n", &pid, &begin);
    bool whole = begin > 0 && strlen(name + begin) == strlen(SANDBOX_SCRATCH_RANDOM);
    return whole && pid > 0 ? pid : 0;
}

/* Is this a scratch folder of a process now gone, and does it belong to this user? */
static bool is_leftover(const char *name, const char *path) {
    struct stat status;
    pid_t maker = maker_of(name);
    return maker != 0 && kill(maker, 0) != 0 && errno == ESRCH && lstat(path, &status) == 0 &&
           S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

/* Kills the child that was left behind with a scratch folder, if any, then removes the folder. A
 * scratch folder has the guard's lock, the child's home, or nothing: its making or its removal may
 * have been cut short. Any other one is the user's own. */
static void remove_leftover(const char *path) {
    char *lock = text_format("%s/" SANDBOX_SCRATCH_LOCK, path);
    char *home = text_format("%s/" SANDBOX_SCRATCH_HOME, path);
    if (access(lock, F_OK) != 0 && access(home, F_OK) != 0)
        rmdir(path);
    else if (guard_end_leftover(lock))
        tree_remove(path, NULL);
    free(home);
    free(lock);
}

static void remove_leftovers(const char *folder) {
    Words names = {0};
    file_list(folder, &names, NULL);
    for (size_t i = 0; i < names.count; i++) {
        char *path = text_format("%s/%s", folder, names.items[i]);
        if (is_leftover(names.items[i], path))
            remove_leftover(path);
        free(path);
    }
    words_free(&names);
}

/* Answers the wish on a system without any means of confinement. */
static bool open_nothing(const char *wish, Text *missing, Error *err) {
    if (strcmp(wish, "on") == 0)
        return error_set(err, "--sandbox on: this system has no sandbox for engines and builds");
    text_add(missing, "this system has no sandbox: engines and builds may do whatever you may");
    return true;
}

bool sandbox_open(Sandbox *sandbox, const char *wish, Text *missing, Error *err) {
    *sandbox = (Sandbox){0};
    if (strcmp(wish, "off") == 0)
        return true;
    if (!confine_exists())
        return open_nothing(wish, missing, err);
    Text gaps = {0};
    if (!confine_probe(&sandbox->layers))
        return error_set(err, "the sandbox cannot be tried out: no process can be started (the "
                              "limit of processes, ulimit -u, may be reached)");
    sandbox_missing(&sandbox->layers, geteuid() == 0, &gaps);
    bool refused = gaps.length > 0 && strcmp(wish, "on") == 0;
    if (refused)
        error_set(err, "--sandbox on: %s", text_string(&gaps));
    else if (gaps.length > 0)
        text_addf(missing, "the sandbox is not complete: %s", text_string(&gaps));
    text_free(&gaps);
    if (refused)
        return false;
    const char *folder = file_temporary_folder();
    if (access(folder, W_OK | X_OK) != 0)
        return error_set(err,
                         "%s: no folder for the sandbox can be made in it: %s (set TMPDIR to "
                         "another folder)",
                         folder, strerror(errno));
    sandbox->on = true;
    sandbox->disk = DISK_MB * MB;
    sandbox->scratch = mem_strdup(folder);
    remove_leftovers(sandbox->scratch);
    if (!sandbox->layers.namespaces && !sandbox->layers.own_user)
        sandbox->tasks = confine_tasks();
    hide_usual(sandbox);
    return true;
}

void sandbox_free(Sandbox *sandbox) {
    free(sandbox->scratch);
    words_free(&sandbox->secrets);
    words_free(&sandbox->readable);
    *sandbox = (Sandbox){0};
}

/* ---- Rules ---- */

void sandbox_policy_free(SandboxPolicy *policy) {
    words_free(&policy->rules);
    words_free(&policy->environment);
    free(policy->scratch);
    *policy = (SandboxPolicy){0};
}

static bool is_secret(const Sandbox *sandbox, const char *path) {
    for (size_t i = 0; i < sandbox->secrets.count; i++)
        if (sandbox_covers(path, sandbox->secrets.items[i]))
            return true;
    return false;
}

/* Adds a rule for a path. False: the path does not exist, or is a secret or a folder above one. */
static bool grant(const Sandbox *sandbox, SandboxPolicy *policy, char right, const char *path) {
    char *real = realpath(path, NULL);
    bool ok = real != NULL && !is_secret(sandbox, real);
    if (ok) {
        words_addf(&policy->rules, "%c%s", right, real);
    }
    free(real);
    return ok;
}

/* Grants a folder of the system, without links in its path; where secrets are in it, all else in
 * it. What its links lead to has rules of its own. */
static void grant_around(const Sandbox *sandbox, SandboxPolicy *policy, char right,
                         const char *path) {
    if (grant(sandbox, policy, right, path) || words_has(&sandbox->secrets, path))
        return;
    Words names = {0};
    file_list(path, &names, NULL);
    for (size_t i = 0; i < names.count; i++) {
        struct stat status;
        char *part = text_format("%s/%s", path, names.items[i]);
        if (lstat(part, &status) == 0 && !S_ISLNK(status.st_mode))
            grant_around(sandbox, policy, right, part);
        free(part);
    }
    words_free(&names);
}

static void grant_system(const Sandbox *sandbox, SandboxPolicy *policy, bool build) {
    for (size_t i = 0; i < COUNT(SYSTEM); i++) {
        glob_t found;
        if ((SYSTEM[i].builds && !build) || glob(SYSTEM[i].pattern, 0, NULL, &found) != 0)
            continue;
        for (size_t k = 0; k < found.gl_pathc; k++) {
            char *real = realpath(found.gl_pathv[k], NULL);
            if (real != NULL)
                grant_around(sandbox, policy, SYSTEM[i].right, real);
            free(real);
        }
        globfree(&found);
    }
}

/* Grants a folder of programs. When the folder is the "bin" of an installation, grants the whole
 * installation, whose libraries and data lie beside it. */
static bool grant_programs(const Sandbox *sandbox, SandboxPolicy *policy, char right,
                           const char *folder) {
    static const char *const parts[] = {"/bin", "/sbin", "/shims"};
    size_t length = strlen(folder);
    for (size_t i = 0; i < COUNT(parts); i++) {
        size_t part = strlen(parts[i]);
        if (length <= part || strcmp(folder + length - part, parts[i]) != 0)
            continue;
        char *above = mem_strndup(folder, length - part);
        bool granted = grant(sandbox, policy, right, above);
        free(above);
        if (granted)
            return true;
    }
    return grant(sandbox, policy, right, folder);
}

/* Grants the folder of a program, or of a file that a program runs, since the files they need lie
 * beside them. Grants the file alone where the folder may not be granted. */
static void grant_own_folder(const Sandbox *sandbox, SandboxPolicy *policy, const char *file) {
    char *folder = file_folder_of(file);
    if (!grant_programs(sandbox, policy, CONFINE_EXECUTE, folder))
        grant(sandbox, policy, CONFINE_EXECUTE, file);
    free(folder);
}

/* The path `path` as seen from the folder `dir`, allocated. */
static char *seen_from(const char *dir, const char *path) {
    Text text = {0};
    if (dir != NULL && path[0] != '/')
        text_addf(&text, "%s/", dir);
    text_add(&text, path);
    return text_take(&text);
}

static void grant_program(const Sandbox *sandbox, SandboxPolicy *policy, const char *file) {
    char *real = realpath(file, NULL);
    grant_own_folder(sandbox, policy, file);
    if (real != NULL && strcmp(real, file) != 0)
        grant_own_folder(sandbox, policy, real);
    free(real);
}

/* Grants the interpreter of a script, which need not be the system's. */
static void grant_interpreter(const Sandbox *sandbox, SandboxPolicy *policy, const char *file) {
    char line[256] = "";
    FILE *script = fopen(file, "re");
    if (script == NULL)
        return;
    bool ok = fgets(line, sizeof line, script) != NULL && strncmp(line, "#!", 2) == 0;
    fclose(script);
    if (!ok)
        return;
    static const char BLANKS[] = " \t\r\n";
    char *rest = NULL;
    char *word = strtok_r(line + 2, BLANKS, &rest);
    if (word == NULL)
        return;
    const char *slash = strrchr(word, '/');
    grant_program(sandbox, policy, word);
    if (slash == NULL || strcmp(slash, "/env") != 0)
        return;
    /* env runs its first word that is no option, found on the PATH. */
    char path[PROGRAM_PATH_MAX];
    while ((word = strtok_r(NULL, BLANKS, &rest)) != NULL && word[0] == '-')
        continue;
    if (word != NULL && program_find(word, path, &(Error){0}))
        grant_program(sandbox, policy, path);
}

/* Grants the file or folder named by an argument, as a whole or behind "=". */
static void grant_argument(const Sandbox *sandbox, SandboxPolicy *policy, const char *dir,
                           const char *word) {
    const char *equals = strchr(word, '=');
    const char *candidates[] = {word, equals != NULL ? equals + 1 : NULL};
    for (size_t i = 0; i < COUNT(candidates) && candidates[i] != NULL; i++) {
        struct stat status;
        char *path = seen_from(dir, candidates[i]);
        if (candidates[i][0] != '\0' && stat(path, &status) == 0) {
            if (S_ISREG(status.st_mode))
                grant_program(sandbox, policy, path);
            else
                grant(sandbox, policy, CONFINE_READ, path);
        }
        free(path);
    }
}

typedef struct {
    const Sandbox *sandbox;
    SandboxPolicy *policy;
    const char *dir;
    char right; /* The rule's letter for folders of programs. */
} Granting;

static void grant_value(const char *value, void *user) {
    Granting *g = user;
    char *path = seen_from(g->dir, value);
    grant(g->sandbox, g->policy, CONFINE_READ, path);
    free(path);
}

static void grant_path_entry(const char *folder, void *user) {
    Granting *g = user;
    if (folder[0] == '/')
        grant_programs(g->sandbox, g->policy, g->right, folder);
}

/* Grants the folders named by the environment that children get. A build needs the compilers on the
 * PATH; an engine needs only those programs on the PATH that are granted by name. */
static void grant_environment(const Sandbox *sandbox, SandboxPolicy *policy, bool build) {
    const struct {
        const char *name;
        char right;
    } variables[] = {{"PATH", build ? CONFINE_EXECUTE : CONFINE_OFFER},
                     {"LD_LIBRARY_PATH", CONFINE_EXECUTE}};
    for (size_t i = 0; i < COUNT(variables); i++) {
        Granting granting = {.sandbox = sandbox, .policy = policy, .right = variables[i].right};
        const char *list = getenv(variables[i].name);
        if (list != NULL)
            each_path(list, grant_path_entry, &granting);
    }
}

/* ---- Policies ---- */

static int process_limit(const Sandbox *sandbox, int own) {
    bool shared = !sandbox->layers.namespaces && !sandbox->layers.own_user;
    return shared ? sandbox->tasks + SHARED_PROCESSES + own : own;
}

static void begin_policy(const Sandbox *sandbox, SandboxPolicy *out) {
    *out =
        (SandboxPolicy){.on = true, .scratch = mem_strdup(sandbox->scratch), .disk = sandbox->disk};
    out->settings.layers = sandbox->layers;
}

/* The bytes that an engine may occupy: what its options need, but at most 15/16 of the machine's
 * memory, where that is known. A server may ask for any amount. */
static uint64_t engine_memory(int64_t hash_mb, int threads) {
    uint64_t wanted =
        MB * (uint64_t)(ENGINE_MB + hash_mb + (int64_t)ENGINE_MB_PER_THREAD * threads);
    uint64_t most = ram_total() / 16 * 15;
    return most == 0 || wanted < most ? wanted : most;
}

void sandbox_engine(const Sandbox *sandbox, const char *const *argv, const char *dir,
                    int64_t hash_mb, int threads, SandboxPolicy *out) {
    *out = (SandboxPolicy){0};
    if (sandbox == NULL || !sandbox->on)
        return;
    begin_policy(sandbox, out);
    ConfineSettings *s = &out->settings;
    s->processes =
        process_limit(sandbox, ENGINE_PROCESSES + ENGINE_PER_CPU * cpus_online() + 2 * threads);
    s->file_size = ENGINE_FILE_MB * MB;
    out->resident = engine_memory(hash_mb, threads);
    grant_system(sandbox, out, false);
    grant_environment(sandbox, out, false);
    grant_program(sandbox, out, argv[0]);
    grant_interpreter(sandbox, out, argv[0]);
    for (size_t i = 1; argv[i] != NULL; i++)
        grant_argument(sandbox, out, dir, argv[i]);
    for (size_t i = 0; i < sandbox->readable.count; i++)
        grant(sandbox, out, CONFINE_READ, sandbox->readable.items[i]);
}

void sandbox_engine_option(const Sandbox *sandbox, const char *value, const char *dir,
                           SandboxPolicy *policy) {
    Granting granting = {.sandbox = sandbox, .policy = policy, .dir = dir};
    if (policy->on && value != NULL)
        each_path(value, grant_value, &granting);
}

void sandbox_engine_file(const Sandbox *sandbox, const char *path, SandboxPolicy *policy) {
    if (policy->on && path != NULL)
        grant(sandbox, policy, CONFINE_READ, path);
}

/* Grants rustup's toolchains where they are. cargo writes to the scratch folder, its HOME. */
static void grant_rust(const Sandbox *sandbox, SandboxPolicy *policy) {
    const char *named = getenv("RUSTUP_HOME");
    const char *home = getenv("HOME");
    Text folder = {0};
    if (named != NULL)
        text_add(&folder, named);
    else if (home != NULL)
        text_addf(&folder, "%s/.rustup", home);
    if (grant(sandbox, policy, CONFINE_EXECUTE, text_string(&folder))) {
        words_addf(&policy->environment, "RUSTUP_HOME=%s", text_string(&folder));
    }
    text_free(&folder);
}

void sandbox_build(const Sandbox *sandbox, const char *tree, const char *input, bool network,
                   SandboxPolicy *out) {
    *out = (SandboxPolicy){0};
    if (sandbox == NULL || !sandbox->on)
        return;
    begin_policy(sandbox, out);
    ConfineSettings *s = &out->settings;
    s->network = network;
    s->metadata = true;
    s->processes = process_limit(sandbox, BUILD_PROCESSES + BUILD_PER_CPU * cpus_online());
    s->file_size = sandbox->disk;
    uint64_t most = ram_total() / 4 * 3;
    s->memory = most > BUILD_MB_MIN * MB ? most : BUILD_MB_MIN * MB;
    out->executes = true;
    grant_system(sandbox, out, true);
    grant_environment(sandbox, out, true);
    grant_rust(sandbox, out);
    if (tree != NULL)
        grant(sandbox, out, CONFINE_BUILD, tree);
    if (input != NULL)
        grant(sandbox, out, CONFINE_READ, input);
}
