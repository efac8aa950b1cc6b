/* SPDX-License-Identifier: MIT */
/* The rights of programs from strangers: engines that play, and builds that make them.
 *
 * An engine reads the system, its own folder, and the files that its arguments and options name. It
 * writes only to a scratch folder of its own, has no network, reaches no other process, and is
 * limited in memory, processes and disk space. A build also writes its source tree, and has the
 * network when the caller wants it. Whatever names them, neither reads a secret file, a secret
 * folder as a whole, or a folder above either (sandbox_open, sandbox_hide). The scratch folder is
 * made for each child, is the child's HOME and TMPDIR, and is removed with the child
 * (base/child.h).
 *
 * sandbox_open finds out once how much of this confinement the kernel grants. docs/SANDBOX.md
 * explains the sandbox for users. */
#ifndef BASE_SANDBOX_H
#define BASE_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/confine.h"
#include "base/error.h"
#include "base/text.h"

/* The sandbox of one command. All zero: no child is confined. */
typedef struct {
    bool on;
    ConfineLayers layers;
    /* The user's processes and threads at the start, where they count against a child's limit; else
     * 0. */
    int tasks;
    char *scratch;  /* The folder for scratch folders. */
    Words secrets;  /* Canonical paths; no rule may cover one. */
    Words readable; /* Folders readable for every engine: tables. */
    /* Most bytes of the files of one child; set by sandbox_open and sandbox_limit_disk. */
    uint64_t disk;
} Sandbox;

/* The beginning of a scratch folder's name, with the id of the process that made the folder, and
 * mkdtemp's template for the rest. The folder holds the child's home and the lock of the child's
 * guard (base/guard.h). */
#define SANDBOX_SCRATCH_FORMAT "obworker-%d-"
#define SANDBOX_SCRATCH_RANDOM "XXXXXX"
#define SANDBOX_SCRATCH_HOME "home"
#define SANDBOX_SCRATCH_LOCK "lock"

/* Opens the sandbox: finds out the layers that the kernel grants, ends children whose workers were
 * killed, and removes the scratch folders of these children. `wish` is "on", "off" or "auto". The
 * sandbox is complete when files, the network and the number of processes can be restricted. When
 * it is not, "on" fails with err set, and "auto" uses the layers that exist and appends to *missing
 * one line that says what is not restricted. Both fail where no process can be started or no
 * scratch folder can be made. On a system without a sandbox "auto" confines no child. Blocking,
 * some milliseconds. The caller frees the sandbox with sandbox_free. The call must come before the
 * process makes itself undumpable (login_protect), because an undumpable process gets no
 * namespaces. */
bool sandbox_open(Sandbox *sandbox, const char *wish, Text *missing, Error *err);
void sandbox_free(Sandbox *sandbox);

/* Names the layers that are in force, then those that this system does not grant: "Landlock 6,
 * system call filter; missing: namespaces". `root`: the process runs under root. Pure. */
void sandbox_describe(const ConfineLayers *layers, bool root, Text *out);

/* The sentence about the restrictions that these layers lack; "" when the sandbox is complete.
 * `root`: the process runs under root. Pure. */
void sandbox_missing(const ConfineLayers *layers, bool root, Text *out);

/* Hides a path: no child may read the file, or the folder as a whole, nor any folder above it as a
 * whole. What lies in a hidden folder is opened when it is named itself. NULL is allowed. */
void sandbox_hide(Sandbox *sandbox, const char *path);

/* Refuses a limit of the disk space (MB; 0: none is given) beside the wish "off". */
bool sandbox_check_limit(const char *wish, int64_t megabytes, Error *err);

/* Limits the disk space of each child to so many MB; 0: the limit stays as it is. False with err
 * set when no child is confined: nothing else watches the disk space. */
bool sandbox_limit_disk(Sandbox *sandbox, int64_t megabytes, Error *err);

/* Lets every engine read these folders, with ':' or ';' between them. NULL is allowed. */
void sandbox_show(Sandbox *sandbox, const char *paths);

/* The rights of one program. All zero: the program is not confined. */
typedef struct {
    bool on;
    ConfineSettings settings;
    Words rules;
    Words environment; /* "NAME=value" besides HOME and TMPDIR. */
    bool executes;     /* The program may also run its written files. */
    /* Bytes of memory that the program may occupy with its descendants (base/resident.h); 0: no
     * limit. The parent process enforces this limit (base/child.h). Engines have this limit and no
     * limit of reserved memory, because some never give the stacks of their threads back. */
    uint64_t resident;
    /* Most bytes of all files in the program's writable folders (base/diskwatch.h); 0: no limit. */
    uint64_t disk;
    char *scratch;
} SandboxPolicy;

void sandbox_policy_free(SandboxPolicy *policy);

/* The policy of an engine started as `argv` (the program's path, then its arguments) in the folder
 * `dir` (NULL: this process's), with a hash table of so many MB and so many threads. sandbox NULL:
 * the engine is not confined. */
void sandbox_engine(const Sandbox *sandbox, const char *const *argv, const char *dir,
                    int64_t hash_mb, int threads, SandboxPolicy *out);

/* Lets an engine read the files and folders that the value of an option names: one path, or several
 * with ':' or ';' between them, relative to `dir` or absolute. A value that names no existing path
 * changes nothing. */
void sandbox_engine_option(const Sandbox *sandbox, const char *value, const char *dir,
                           SandboxPolicy *policy);

/* Lets an engine read one more file, or a folder with all below the folder; path NULL: none. */
void sandbox_engine_file(const Sandbox *sandbox, const char *path, SandboxPolicy *policy);

/* The policy of a build with the compilers on the PATH in the tree `tree` (NULL: the build writes
 * only to its scratch folder). The build may read `input` (a network; NULL: none). sandbox NULL:
 * the build is not confined. */
void sandbox_build(const Sandbox *sandbox, const char *tree, const char *input, bool network,
                   SandboxPolicy *out);

/* Is `path` the path `inner` or a folder above it? Both are canonical. Pure. */
bool sandbox_covers(const char *path, const char *inner);

#endif
