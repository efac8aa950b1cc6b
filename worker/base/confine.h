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
    bool namespaces; /* Not root: a user and mount namespace, in which nothing can be written. */
} ConfineLayers;

enum { CONFINE_LANDLOCK_MOST = 6 };

/* Finds out, in a child process that is waited for. Some milliseconds. */
void confine_probe(ConfineLayers *layers);

/* Whether the number is one that a confined child may have had as a user of its own. */
bool confine_is_own_user(unsigned id);

/* Everything but the rules. */
typedef struct {
    ConfineLayers layers;
    bool network;       /* Internet sockets are allowed. */
    bool metadata;      /* Modes, owners and times may be changed, where nothing else forbids it. */
    uint64_t memory;    /* Bytes of private memory for each process; 0: no limit. */
    uint64_t file_size; /* Bytes of a file; 0: no limit. */
    int processes;      /* And threads: of its own, or, without a user or namespace of its own, of
                           all that the user has; 0: no limit. */
} ConfineSettings;

enum { CONFINE_SETTINGS_MAX = 160 };

/* The settings as one word of a command line. */
void confine_format(const ConfineSettings *settings, char word[CONFINE_SETTINGS_MAX]);

/* A rule is a word too: one of these letters, then an absolute path, to a folder (and all below it)
 * or a file. What is not there gives no right. */
#define CONFINE_READ 'r'    /* Read files, list folders. */
#define CONFINE_EXECUTE 'x' /* And run programs. */
#define CONFINE_DEVICE 'd'  /* Read and write one that is there. */
#define CONFINE_WRITE 'w'   /* Read, write, make and remove. Must be there. */
#define CONFINE_BUILD 'b'   /* And run programs. Must be there. */

/* Shuts this process in by a word of confine_format and `count` rules. With a user of its own, what
 * it may write is made that user's. True when every layer of the settings is in force; false with
 * `what` failed, and errno. To be called with one thread, just before exec. Clears the signal for a
 * parent's death in some cases: ask for it again. */
bool confine_apply(const char *settings, char *const *rules, int count, const char **what);

#endif
