/* SPDX-License-Identifier: MIT */
/* The games that a worker has uploaded. For tests that run a worker. */
#ifndef TOOLS_GAMES_RIG_H
#define TOOLS_GAMES_RIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* The path of the server that takes them. */
#define GAMES "/clientSubmitPGN/"

/* The PGN text of the index-th upload, to be freed. */
Text uploaded(size_t index);

/* How many games the text has. Every one of them can be read. */
int count_games(const Text *text);

/* The text has these words, or lacks them. */
void expect_words(const Text *text, const char *words, bool wanted);

#endif
