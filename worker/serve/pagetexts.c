/* SPDX-License-Identifier: MIT */
#include "serve/pagetexts.h"

#include "base/count.h"

static const Template TEXTS[] = {
#include "serve/pages_gen.h"
};

const Templates PAGE_TEXTS = {TEXTS, COUNT(TEXTS)};
