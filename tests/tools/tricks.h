/* SPDX-License-Identifier: MIT */
/* What a program in a sandbox should not get away with: the scripted engine tries it and says how
 * it went. */
#ifndef TESTS_TOOLS_TRICKS_H
#define TESTS_TOOLS_TRICKS_H

enum { TRICK_ANSWER_MAX = 256 };

/* Plays "NAME" or "NAME:ARGUMENT" and writes "done", "done (more)" or "refused (why)":
 *   read:PATH write:PATH truncate:PATH chmod:PATH list:PATH
 *   connect:PORT (TCP) udp:PORT abstract:NAME local:PATH (Unix sockets)
 *   kill:PID environ:PID mem:PID limit:PID (lowers its limit of descriptors)
 *   fork (without end) memory:MB bigfile:MB scratch (writes to $HOME) namespace mount
 *   hide:oMB (deleted files that stay open) hide:mMB (that stay mapped) undumpable
 *   descriptors:clone descriptors:close (of a thread's own)
 *   daemon (leaves a process behind, in a session of its own where it can: "done (pid N)") */
void trick_play(const char *trick, char answer[TRICK_ANSWER_MAX]);

#endif
