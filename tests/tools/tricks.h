/* SPDX-License-Identifier: MIT */
/* What a program in a sandbox should not get away with: the scripted engine tries it and says how
 * it went. */
#ifndef TESTS_TOOLS_TRICKS_H
#define TESTS_TOOLS_TRICKS_H

enum { TRICK_ANSWER_MAX = 256 };

/* Plays "NAME" or "NAME:ARGUMENT" and writes "done", "done (more)" or "refused (why)":
 *   read:PATH write:PATH truncate:PATH chmod:PATH list:PATH watch:PATH (inotify)
 *   lease:PATH (a read lease) attributes:PATH (sets them as they are)
 *   connect:PORT (TCP) udp:PORT abstract:NAME local:PATH (Unix sockets)
 *   letter:PATH (to a Unix socket, through a pair of sockets) name:PATH (for one end of a pair)
 *   kill:PID environ:PID mem:PID limit:PID (sets the limit of its core dumps)
 *   affinity:PID priority:PID policy:PID ioprio:PID group_priority user_priority
 *   fork (without end) memory:MB bigfile:MB namespace mount memfd undumpable
 *   occupy:HOWMB (fills memory: by itself, or c, d, t: by a child, an orphan, a thread's child)
 *   hide:oMB (deleted files that stay open) hide:mMB (that stay mapped)
 *   descriptors:clone descriptors:close (of a thread's own)
 *   daemon:MARK (leaves a process behind, in a session of its own where it can)
 * and what is allowed: scratch (writes to $HOME) pair (of sockets) share:MB threads */
void trick_play(const char *trick, char answer[TRICK_ANSWER_MAX]);

#endif
