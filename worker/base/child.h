/* SPDX-License-Identifier: MIT */
/* Child processes on a libuv loop: engines, builds and benches.
 *
 * This very program starts a child (base/trampoline.h): the trampoline sets limits, niceness and
 * affinity, confines itself when the child has a policy (base/sandbox.h), and runs the child's
 * program beside a guard. The guard makes sure that nothing outlives the end of this process
 * (base/guard.h). The guard leads a session and a process group, so that a kill takes all
 * descendants along and the terminal's Ctrl-C does not reach them. The child's environment holds
 * PATH, HOME, LANG, LC_ALL, TMPDIR, TZ and LD_LIBRARY_PATH where the worker has them, and the
 * caller's additions; nothing else. A confined child's HOME and TMPDIR are a scratch folder, which
 * is made for the child and, when the child has been reaped, removed in libuv's thread pool. The
 * removal keeps the loop running.
 *
 * All else happens on the caller's loop and thread. Callbacks come from uv_run, never from within a
 * call of this header. */
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
    CHILD_LINE_MAX = 16384, /* Bytes of a line that are delivered; the rest is dropped. */
    CHILD_REASON_MAX = TRAMPOLINE_REASON_MAX,
};

typedef struct Child Child;

/* The program to start, and how. Only argv is required: all other fields may be zero. child_start
 * keeps no pointer into the struct. */
typedef struct {
    /* The program and its arguments, NULL-terminated. A program's name without a slash is searched
     * for on PATH. */
    const char *const *argv;
    /* The working folder; NULL: the worker's own. */
    const char *dir;
    /* "NAME=value" entries, NULL-terminated, added to the scrubbed environment; NULL: none. */
    const char *const *env;
    /* The logical CPUs for the child; count 0: any. */
    const int *cpus;
    int cpu_count;
    /* The number added to the child's niceness, 0..19. */
    int nice;
    /* The child's rights; NULL: the same rights as this process. */
    const SandboxPolicy *policy;
    /* Standard input is /dev/null instead of a pipe. */
    bool no_input;
    /* Standard error goes into the pipe of standard output, in order (builds). */
    bool merge_errors;
} ChildSpec;

typedef enum { CHILD_OUTPUT, CHILD_ERRORS } ChildStream;

/* How a child ended. */
typedef struct {
    bool failed_to_run;            /* The program could not be run: reason says why. */
    int exit_status;               /* 0..255, or -1 when a signal ended it. */
    int signal;                    /* The signal behind the end, or 0. */
    bool killed;                   /* Ended by child_kill, child_finish or child_free. */
    char reason[CHILD_REASON_MAX]; /* "exited with status 3", "killed by signal 11 (Segmentation
                                      fault)" */
} ChildEnd;

typedef struct {
    /* Called with one line of output, without its line end (a CR before the line end is dropped
     * too). `text` is NUL-terminated, may be changed in place, and is valid during the call; NUL
     * bytes of the output were turned into '?'. `stamp` is the uv_hrtime at which the line's last
     * bytes were read. A last line without an end is delivered at end of file, but see whole_lines.
     * NULL: output is read and dropped. */
    void (*line)(Child *child, ChildStream stream, char *text, size_t length, uint64_t stamp,
                 void *user);
    /* Called exactly once, unless child_free was called before: the process has been reaped and its
     * output is complete. Descendants that keep a pipe open are not waited for. May be NULL. */
    void (*gone)(Child *child, const ChildEnd *end, void *user);
    /* A last line of standard output without an end is not delivered: child_unfinished has it. */
    bool whole_lines;
} ChildEvents;

/* The first call in main of every program that starts children, test programs too. Does not return
 * when this process was started as a trampoline; else returns at once. Also ignores SIGPIPE,
 * because a write to a child that has gone must not end the program, and SIGXFSZ: a limit of the
 * size of files makes writes fail, as a full disk. Children get the default actions. */
void child_trampoline(int argc, char **argv);

/* Starts a child. NULL with err set when the child cannot be started. A program that only later
 * turns out not to be runnable (for a wrong format, say) is reported through events->gone. `events`
 * is copied. The caller releases the child with child_free. */
Child *child_start(uv_loop_t *loop, const ChildSpec *spec, const ChildEvents *events, void *user,
                   Error *err);

/* The number of the child's process group, which is the guard's process id. The number does not
 * change when the child ends. */
int child_pid(const Child *child);

/* The process id of the program itself, for messages and for its CPU time; the guard's until the
 * program has been started. */
int child_program(const Child *child);

/* True until the process has been reaped. */
bool child_alive(const Child *child);

/* The child's standard output since its last line end, and the number of bytes. No bytes when the
 * unfinished line was so long that its start has been delivered. Valid until the loop runs
 * again. */
const char *child_unfinished(const Child *child, size_t *length);

/* Writes to the child's standard input; bytes that the pipe does not take at once are queued.
 * Returns the uv_hrtime just before the bytes were written. Does nothing when the child is gone or
 * has no input. */
uint64_t child_write(Child *child, const char *bytes, size_t length);

/* Closes the child's standard input when the queued bytes are written. */
void child_close_input(Child *child);

/* Kills the child's process group with SIGKILL; `gone` follows. */
void child_kill(Child *child);

/* Asks the child to end: writes `words` ("quit\n", or NULL), closes the child's input, and kills
 * its process group when the child is still there after grace_ms. `gone` follows. */
void child_finish(Child *child, const char *words, uint64_t grace_ms);

/* Releases the child, at any time, within callbacks too: no callback comes any more, a child that
 * still lives is killed with its group, and the loop reaps the child and frees the memory. After
 * child_finish the child keeps its grace. NULL is allowed. */
void child_free(Child *child);

#endif
