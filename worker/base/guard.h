/* SPDX-License-Identifier: MIT */
/* A guard: the process that stays beside a child, so that nothing that the child started outlives
 * the child or the worker.
 *
 * The worker starts the guard, the guard starts the program, waits for the program's end and then
 * ends as the program did, by the same status or signal. In a process namespace the guard also
 * starts the namespace's first process: when this process ends, the kernel kills every other
 * process in the namespace, whatever group or session the process has made for itself. Without a
 * namespace the guard kills its process group when the worker ends; on Linux orphans come back to
 * the guard (base/kinship.h).
 *
 *   worker -> guard -> first process of the namespace (where there is one)
 *                   -> program -> what the program starts
 *
 * A guard of a confined child holds a lock on a file that the child cannot open. The next worker
 * finds a guard that was left behind by that lock (guard_end_leftover). */
#ifndef BASE_GUARD_H
#define BASE_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

/* Splits this process, which must have one thread and lead its process group, and returns in the
 * process that is to become the program. The calling process never returns: it is the guard. With
 * `lock` >= 0 the guard locks that file and keeps it open; all other descriptors of the guard are
 * closed. `worker` is the process whose end the program must not outlive. `namespaces`: the next
 * processes begin a process namespace (confine_enter). False with errno when the split fails. */
bool guard_split(pid_t worker, bool namespaces, int lock);

/* Kills the group of the guard that holds the lock on the file `path`, and waits until the guard is
 * gone. True when nobody holds the lock any more or there is no such file; false when the guard
 * cannot be killed, or is no process that this one can see (another container's). The kernel names
 * the holder of a lock, so no other process is ever killed. */
bool guard_end_leftover(const char *path);

#endif
