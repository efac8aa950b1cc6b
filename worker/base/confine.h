/* SPDX-License-Identifier: MIT */
/* The confinement of a child: steps that a process applies to itself between its start and the exec
 * of its program. Every step takes a right away, no step can be undone, and the program's
 * descendants inherit all of them. confine_probe finds out which steps the kernel grants by trying
 * them in a child process. base/sandbox.h decides what a child may do; this file makes the kernel's
 * calls. */
#ifndef BASE_CONFINE_H
#define BASE_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

/* The means of confinement granted to this process by the kernel. */
typedef struct {
    int landlock;  /* The kernel's version of Landlock, at most CONFINE_LANDLOCK_MAX; 0: none. */
    bool filter;   /* A filter of system calls (seccomp). */
    bool own_user; /* Under root: a child can become a user who owns only the child's folders. */
    /* Namespaces of mounts, processes and messages: the child can write nothing and see no other
     * process. Without root they lie within a user namespace. */
    bool namespaces;
} ConfineLayers;

enum { CONFINE_LANDLOCK_MAX = 6 };

/* Does this program know means of confinement on this system? Where it does not, no child can be
 * confined, and confine_probe finds no layer. */
bool confine_exists(void);

/* Finds out the layers in child processes, which takes some milliseconds. False: no process can be
 * started now, so nothing is known of some layers. Blocking. */
bool confine_probe(ConfineLayers *layers);

/* Under root: can a child with a user of its own reach the entries of `folder` without a
 * capability? Finds out in a child process. Blocking. */
bool confine_passes(const char *folder);

/* The number of processes and threads of this user; 0 when the system does not tell. */
int confine_tasks(void);

/* All of a confinement but its rules. */
typedef struct {
    ConfineLayers layers;
    bool network;       /* Internet sockets are allowed. */
    bool metadata;      /* File modes, owners and times may be changed, where no layer forbids. */
    uint64_t memory;    /* Bytes of private memory for each process; 0: no limit. */
    uint64_t file_size; /* Bytes of each file; 0: no limit. */
    /* Most processes and threads; 0: no limit. Counts those of the child alone, or, without a user
     * or a namespace of its own, all those of the user. */
    int processes;
    /* The number of the child's own user (own_user), set by confine_enter. */
    unsigned user;
} ConfineSettings;

enum { CONFINE_SETTINGS_MAX = 160 };

/* The settings as one word of a command line. */
void confine_format(const ConfineSettings *settings, char word[CONFINE_SETTINGS_MAX]);

/* A rule is a word too: one of these letters, then the absolute path of a folder (with all below
 * it) or of a file. A rule whose path does not exist grants nothing. */
#define CONFINE_READ 'r'    /* Read files, list folders. */
#define CONFINE_EXECUTE 'x' /* Read, and run programs. */
#define CONFINE_OFFER 'o'   /* As 'x', but no capability is kept for the path (confine_apply). */
#define CONFINE_DEVICE 'd'  /* Read and write an existing device. */
#define CONFINE_WRITE 'w'   /* Read, write, make and remove. The path must exist. */
#define CONFINE_BUILD 'b'   /* As 'w', and run programs. */

/* A process confines itself in two steps, with one thread, by a word of confine_format and `count`
 * rules. Both steps return true when the whole confinement of the step is in force; else false with
 * the failed part in *what, and errno. Both may clear the signal for a parent's death: the caller
 * has to ask for this signal again.
 *
 * The first step reads the word into *out and enters the namespaces. A user of its own becomes the
 * owner of the folders that the child may write. The next process that is started is the first one
 * of a process namespace. The end of this process ends all others in the namespace, so the program
 * must be another process (base/guard.h). */
bool confine_enter(const char *settings, char *const *rules, int count, ConfineSettings *out,
                   const char **what);

/* The second step does the rest, in the process that becomes `program` (a path), just before exec.
 * Under root a child with a user of its own keeps CAP_DAC_READ_SEARCH only when, without this
 * capability, the child cannot reach the program or the path of a rule other than CONFINE_OFFER. */
bool confine_apply(const ConfineSettings *settings, const char *program, char *const *rules,
                   int count, const char **what);

#endif
