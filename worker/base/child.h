/* SPDX-License-Identifier: MIT */
/* Child processes on a libuv loop: engines, builds and benches.
 *
 * A child is started through this very program (base/trampoline.h), which sets limits, niceness and
 * affinity, shuts itself in when it has a policy (base/sandbox.h), and runs the real program beside
 * a guard, so that nothing outlives the end of this process (base/guard.h). The guard leads a
 * session and process group, so that a kill takes all descendants along and the terminal's Ctrl-C
 * does not reach them. The child's environment holds PATH, HOME, LANG, LC_ALL, TMPDIR, TZ and
 * LD_LIBRARY_PATH where the worker has them, and what the caller adds; nothing else. A confined
 * child's HOME and TMPDIR are a folder made for it, which is removed when it has been reaped.
 *
 * Everything happens on the caller's loop and thread. Callbacks come from uv_run, never from
 * within a call of this header. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/error.h"
#include "base/sandbox.h"
#include "base/trampoline.h"

enum {
    CHILD_LINE_MAX =
        16384, /* Bytes of a line that are delivered; the rest of a longer one is dropped. */
    CHILD_PATH_MAX = 4096,
    CHILD_REASON_MAX = TRAMPOLINE_REASON_MAX,
};

typedef struct Child Child;

/* What to start. All-zero but for argv is a plain start. Copied: nothing need outlive the call. */
typedef struct {
    /* The program and its arguments, NULL-terminated. A name without a slash is looked for on PATH.
     */
    const char *const *argv;
    /* Working folder; NULL: the worker's own. */
    const char *dir;
    /* "NAME=value" entries, NULL-terminated, added to the scrubbed environment; NULL: none. */
    const char *const *env;
    /* The logical CPUs it may run on; count 0: any. */
    const int *cpus;
    int cpu_count;
    /* Added to its niceness, 0..19. */
    int nice;
    /* Address space and largest file it may write, in bytes; 0: no limit. */
    uint64_t memory_limit;
    uint64_t file_limit;
    /* What it may do; NULL: whatever this process may. */
    const SandboxPolicy *policy;
    /* Standard input is /dev/null instead of a pipe. */
    bool no_input;
    /* Standard error goes into the pipe of standard output, in order (builds). */
    bool merge_errors;
} ChildSpec;

typedef enum { CHILD_OUTPUT, CHILD_ERRORS } ChildStream;

/* How a child ended. */
typedef struct {
    bool failed_to_run;            /* The program itself could not be run: reason says why. */
    int exit_status;               /* 0..255, or -1 when a signal ended it. */
    int signal;                    /* The signal, or 0. */
    bool killed;                   /* By child_kill, child_finish or child_free. */
    char reason[CHILD_REASON_MAX]; /* "exited with status 3", "killed by signal 11 (Segmentation
                                      fault)" */
} ChildEnd;

typedef struct {
    /* One line of output without its line end (a CR before it is dropped too). `text` is
     * NUL-terminated, may be changed in place, and is valid during the call; NUL bytes in it were
     * turned into '?'. `stamp` is the uv_hrtime at which its last bytes were read. A last line
     * without an end is delivered at end of file. NULL: output is read and dropped. */
    void (*line)(Child *child, ChildStream stream, char *text, size_t length, uint64_t stamp,
                 void *user);
    /* The process has been reaped and its output is complete (descendants that keep a pipe open are
     * not waited for). Comes exactly once, unless child_free was called before. NULL: nobody asks.
     */
    void (*gone)(Child *child, const ChildEnd *end, void *user);
} ChildEvents;

/* To be called first thing in main of every program that starts children, test programs too: runs
 * the trampoline and does not return when the program was started as one; else returns at once.
 * Writing to a child that has gone must not end the program: it also ignores SIGPIPE. */
void child_trampoline(int argc, char **argv);

/* Finds `program` as the shell would (a name without a slash on PATH) and checks that it is a file
 * that may be executed. Writes its absolute path. On failure err names it and what is wrong:
 * "no such file", "a folder", "not executable". */
bool child_find(const char *program, char path[CHILD_PATH_MAX], Error *err);

/* Starts a child. Returns NULL with err set when it cannot be started; a program that turns out not
 * to be runnable later (a wrong format, say) is reported through events->gone. `events` is copied.
 * The child must be given back with child_free. */
Child *child_start(uv_loop_t *loop, const ChildSpec *spec, const ChildEvents *events, void *user,
                   Error *err);

/* The number of its process group, which is the guard's process. Stays valid as a number after the
 * end. */
int child_pid(const Child *child);

/* The process of the program itself, for messages and for its use of the CPU; the guard's process
 * until the program has been started. */
int child_program(const Child *child);

/* True until the process has been reaped. */
bool child_alive(const Child *child);

/* What it has written on standard output since the last line end, and how many bytes: none when
 * there is nothing, or when the line has become so long that its start was delivered. Valid until
 * the loop runs again. */
const char *child_unfinished(const Child *child, size_t *length);

/* Writes to its standard input; what the pipe does not take at once is queued. Returns the
 * uv_hrtime just before the bytes were written. Writing to one that is gone, or has no input, does
 * nothing. */
uint64_t child_write(Child *child, const char *bytes, size_t length);

/* Closes its standard input once what is queued is written. */
void child_close_input(Child *child);

/* Kills its whole process group with SIGKILL; gone follows. */
void child_kill(Child *child);

/* Asks it to end: writes `words` ("quit\n", or NULL), closes its input, and kills its group when it
 * is still there after grace_ms. gone follows. */
void child_finish(Child *child, const char *words, uint64_t grace_ms);

/* Gives it back, at any time, within callbacks too: no callback comes any more, its group is killed
 * if it still lives, and the loop reaps it and frees the memory. With child_finish before, the
 * grace is kept. NULL is allowed. */
void child_free(Child *child);

#endif
