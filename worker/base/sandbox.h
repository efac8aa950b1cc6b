/* SPDX-License-Identifier: MIT */
/* What strange programs may do here: engines that play, builds that make them.
 *
 * An engine reads the system, its own folder, and what its arguments and options name; it writes
 * nothing but a scratch folder of its own, has no network, reaches no other process, and is limited
 * in memory, processes and disk space. A build also writes its source tree, and has the
 * network when that is wanted. Neither ever reads what is secret (sandbox_open, sandbox_hide),
 * whatever names it. The scratch folder is made for each child, is its HOME and TMPDIR, and goes
 * with it (base/child.h).
 *
 * How much of that the kernel grants is found out once; docs/SANDBOX.md says it for people. */
#ifndef BASE_SANDBOX_H
#define BASE_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/confine.h"
#include "base/error.h"
#include "base/text.h"

/* For one command. All zero: nobody is confined. */
typedef struct {
    bool on;
    ConfineLayers layers;
    int tasks;      /* That this user has already, where they count against the limit. */
    char *scratch;  /* Where scratch folders are made. */
    Words secrets;  /* Canonical paths that no rule may cover. */
    Words readable; /* What every engine may read: tables. */
    uint64_t disk;  /* Bytes that the files of one child may take; set by sandbox_open,
                       sandbox_limit_disk. */
} Sandbox;

/* How the name of a scratch folder begins: with the process that made it. In the folder are the
 * child's home and the lock of the child's guard (base/guard.h). */
#define SANDBOX_SCRATCH_FORMAT "obworker-%d-"
#define SANDBOX_SCRATCH_HOME "home"
#define SANDBOX_SCRATCH_LOCK "lock"

/* Finds out what there is, ends children whose workers were killed, and removes their scratch
 * folders. `wish` is "on",
 * "off" or "auto". The sandbox is available when files, the network and the number of processes can
 * be restricted; when it is not, "on" fails with the cause, and "auto" takes what there is and
 * appends to *missing one line that says what is not restricted. Blocking, some milliseconds; to be
 * freed. To be called before the process makes itself undumpable (login_protect): an undumpable
 * process gets no namespaces. */
bool sandbox_open(Sandbox *sandbox, const char *wish, Text *missing, Error *err);
void sandbox_free(Sandbox *sandbox);

/* Names the layers that are in force, then those that this system does not grant: "Landlock 6,
 * system call filter; missing: namespaces". `root` as in the probe. Pure. */
void sandbox_describe(const ConfineLayers *layers, bool root, Text *out);

/* The sentence for what these layers leave open, "" when the sandbox is available. `root` as in the
 * probe. Pure. */
void sandbox_missing(const ConfineLayers *layers, bool root, Text *out);

/* A path that no child may read, nor any folder above it as a whole. NULL is allowed. */
void sandbox_hide(Sandbox *sandbox, const char *path);

/* Limits the disk space of each child to so many MB; 0: as sandbox_open has set the limit. */
void sandbox_limit_disk(Sandbox *sandbox, int64_t megabytes);

/* Folders that every engine may read, with ':' or ';' between them. NULL is allowed. */
void sandbox_show(Sandbox *sandbox, const char *paths);

/* What one program may do. All zero: it is not confined. */
typedef struct {
    bool on;
    ConfineSettings settings;
    Words rules;
    Words environment; /* "NAME=value" besides HOME and TMPDIR. */
    bool executes;     /* What it writes it may also run. */
    /* Bytes that it may occupy with what it starts (base/resident.h); 0: no limit. The parent
     * watches over it (base/child.h). Engines have this limit and none of reserved memory: some
     * never give the stacks of their threads back. */
    uint64_t resident;
    /* Bytes that all files in the folders that it may write may take (base/diskwatch.h); 0: no
     * limit. */
    uint64_t disk;
    char *scratch;
} SandboxPolicy;

void sandbox_policy_free(SandboxPolicy *policy);

/* The policy of an engine (sandbox NULL: it is not confined) started as `argv` (the program's path,
 * then its arguments) in the folder `dir` (NULL: this process's), with a hash table of so many MB
 * and so many threads. */
void sandbox_engine(const Sandbox *sandbox, const char *const *argv, const char *dir,
                    int64_t hash_mb, int threads, SandboxPolicy *out);

/* Lets it read what the value of an option names: a file or folder, or several with ':' or ';'
 * between them, relative to `dir` or absolute. Anything else in the value is no matter. */
void sandbox_engine_option(const Sandbox *sandbox, const char *value, const char *dir,
                           SandboxPolicy *policy);

/* Lets it read one file more; path NULL: none. */
void sandbox_engine_file(const Sandbox *sandbox, const char *path, SandboxPolicy *policy);

/* The policy of a build (sandbox NULL: it is not confined) in the tree `tree` (NULL: it writes
 * nothing but its scratch folder), which reads `input` (a network, NULL: none) and makes use of
 * compilers on the PATH. */
void sandbox_build(const Sandbox *sandbox, const char *tree, const char *input, bool network,
                   SandboxPolicy *out);

/* Whether `path` is `inner` or a folder above it. Both canonical. Pure. */
bool sandbox_covers(const char *path, const char *inner);

#endif
