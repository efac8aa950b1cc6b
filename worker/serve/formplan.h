/* SPDX-License-Identifier: MIT */
/* What to expect of a test that is not created yet: how likely an SPRT passes, how many games are
 * played, and how long the machines of today take. Pure. */
#ifndef SERVE_FORMPLAN_H
#define SERVE_FORMPLAN_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "openbench/testform.h"
#include "serve/store.h"

/* Appends the plan of the form's test on these machines in sentences, a line each, and for an SPRT
 * the block of `report --plan`. False with err naming the field that cannot be read. */
bool form_plan(const TestForm *form, const Fleet *fleet, Text *out, Text *block, Error *err);

/* The seconds that a game of this form takes on one thread of a machine of this speed (0: of the
 * speed that the clocks are scaled for), by the usual length of games. */
bool form_game_seconds(const TestForm *form, double nps, double *seconds, Error *err);

#endif
