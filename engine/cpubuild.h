/* SPDX-License-Identifier: MIT */
/* Builds of the engine for newer CPUs. A package has one build that every CPU of its architecture
 * runs, and a folder of builds for higher levels of the architecture (the levels of x86-64 are
 * those of its psABI). Users start the first, and it gives its process to the best of the others
 * that this CPU runs. All builds search the same tree. */
#ifndef CPUBUILD_H
#define CPUBUILD_H

/* The level that the compiler made this build for: "x86-64-v3", "x86-64", "aarch64"; "generic" on
 * architectures without a name here. Static text. */
const char *cpubuild_name(void);

/* How this build finds the attacks of sliding pieces: "PEXT" or "magic multiplication". */
const char *cpubuild_sliders(void);

/* Executes FOLDER/reductio-LEVEL with the arguments `argv` (NULL after the last) in place of this
 * program. LEVEL is the highest that the CPU has in full and the folder has a build for; FOLDER was
 * given to configure (--with-cpu-builds; "": there are no other builds). Returns, with nothing
 * changed, when no build of a higher level than this one can be executed. Call it before anything
 * is read or written. */
void cpubuild_enter(char *const argv[]);

#endif
