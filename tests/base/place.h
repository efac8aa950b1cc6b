/* SPDX-License-Identifier: MIT */
/* A place to try the sandbox in: a home with a secret, an engine's folder with a file beside the
 * engine, listening sockets; and a confined program that runs there. Tests of several modules share
 * it. Each process may have one place at a time. */
#ifndef TESTS_BASE_PLACE_H
#define TESTS_BASE_PLACE_H

#include <check.h>
#include <stdbool.h>

#include "base/child.h"
#include "base/sandbox.h"
#include "base/text.h"

enum { PLACE_PATH = 512, PLACE_ANSWER = 256, PLACE_OUTPUT_MAX = 1 << 20 };

typedef struct {
    char folder[PLACE_PATH]; /* Of all this, canonical; others may pass through, not list. */
    char home[PLACE_PATH];
    char secret[PLACE_PATH];
    char engine_folder[PLACE_PATH];
    char engine[PLACE_PATH];
    char network[PLACE_PATH]; /* A file beside the engine, */
    char closed[PLACE_PATH];  /* one that only its owner may read, */
    char local[PLACE_PATH];   /* a Unix socket, */
    char letters[PLACE_PATH]; /* and one that anybody may send to. */
    char abstract[64];
    int port;
    int sockets[4];
    Sandbox sandbox;
} Place;

/* Makes a place and opens its sandbox, "auto". HOME is the place's home from then on. */
void place_open(Place *place);
void place_close(Place *place);

void place_join(char out[PLACE_PATH], const char *folder, const char *name);

/* What a program has said, and how it ended. `output` is to be freed. */
typedef struct {
    Text output;
    ChildEnd end;
    bool gone;
} PlaceHeard;

/* A child's events, with a PlaceHeard as `user`. */
extern const ChildEvents PLACE_EVENTS;

/* Runs a program until its end, with `input` as its whole input. */
void place_run(const char *const *argv, const char *dir, const SandboxPolicy *policy,
               const char *input, PlaceHeard *heard);

/* What makes the scripted engine play its tricks. */
extern const char PLACE_PLAY[];

/* Has the engine play one trick (tests/tools/tricks.h); its answer: "done (...)" or
 * "refused (...)". */
void place_play(const Place *place, const char *trick, char answer[PLACE_ANSWER]);

/* The main of a test program: runs the tests, and under root runs them again as an ordinary user,
 * in a process of its own. Returns main's status. */
int place_main(int argc, char **argv, const char *name, void (*add_tests)(TCase *tests));

#endif
