/* SPDX-License-Identifier: MIT */
/* Shutting a process in: what it does to itself between its start and the program it becomes. Every
 * step takes something away, none can be taken back, and the program's descendants inherit them.
 * Which steps there are is found out by trying them in a process of their own. What a child may do
 * is decided elsewhere (base/sandbox.h); here are the kernel's calls. */
#ifndef BASE_CONFINE_H
#define BASE_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the kernel grants this process. */
typedef struct {
    int landlock;    /* Its version of Landlock, up to the last that is used here; 0: none. */
    bool filter;     /* A filter of system calls (seccomp). */
    bool own_user;   /* Root: children can become a user of their own, who owns nothing. */
    bool namespaces; /* Of mounts, processes and messages: nothing can be written, and no other
                        process is seen. Not root: within a user namespace. */
} ConfineLayers;

enum { CONFINE_LANDLOCK_MAX = 6 };

/* Finds out, in a child process that is waited for. Some milliseconds. */
void confine_probe(ConfineLayers *layers);

/* Under root: whether a child with a user of its own gets to what is in `folder` without a
 * capability. Finds out in a child process that is waited for. */
bool confine_passes(const char *folder);

/* Everything but the rules. */
typedef struct {
    ConfineLayers layers;
    bool network;       /* Internet sockets are allowed. */
    bool metadata;      /* Modes, owners and times may be changed, where nothing else forbids it. */
    uint64_t memory;    /* Bytes of private memory for each process; 0: no limit. */
    uint64_t file_size; /* Bytes of a file; 0: no limit. */
    int processes;      /* And threads: of its own, or, without a user or namespace of its own, of
                           all that the user has; 0: no limit. */
    unsigned user;      /* Who a child with a user of its own becomes: set by confine_enter. */
} ConfineSettings;

enum { CONFINE_SETTINGS_MAX = 160 };

/* The settings as one word of a command line. */
void confine_format(const ConfineSettings *settings, char word[CONFINE_SETTINGS_MAX]);

/* A rule is a word too: one of these letters, then an absolute path, to a folder (and all below it)
 * or a file. What is not there gives no right. */
#define CONFINE_READ 'r'    /* Read files, list folders. */
#define CONFINE_EXECUTE 'x' /* And run programs. */
#define CONFINE_OFFER 'o'   /* The same; no capability is kept to get there (confine_apply). */
#define CONFINE_DEVICE 'd'  /* Read and write one that is there. */
#define CONFINE_WRITE 'w'   /* Read, write, make and remove. Must be there. */
#define CONFINE_BUILD 'b'   /* And run programs. Must be there. */

/* A process shuts itself in by two steps, with one thread, by a word of confine_format and `count`
 * rules. Both steps return true when all that they stand for is in force; else false with `what`
 * failed, and errno. Both clear the signal for a parent's death in some cases: ask for it again.
 *
 * The first step reads the word into *out and enters the namespaces. With a user of its own, what
 * the child may write is made that user's. The next process that is started is the first one of a
 * process namespace, whose end is the end of all others in it: it must not be the program
 * (base/guard.h). */
bool confine_enter(const char *settings, char *const *rules, int count, ConfineSettings *out,
                   const char **what);

/* The second step does the rest, in the process that becomes `program` (a path), just before exec.
 * Under root a child with a user of its own keeps CAP_DAC_READ_SEARCH where the child does not get
 * to the program, or to what a rule names that is more than an offer, without this capability; else
 * the child keeps none. */
bool confine_apply(const ConfineSettings *settings, const char *program, char *const *rules,
                   int count, const char **what);

#endif
