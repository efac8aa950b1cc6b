/* SPDX-License-Identifier: MIT */
/* The pages' templates, style sheet and script, which are compiled in from serve/pages/. */
#ifndef SERVE_PAGETEXTS_H
#define SERVE_PAGETEXTS_H

#include "serve/template.h"

extern const Templates PAGE_TEXTS;

#endif
