/* SPDX-License-Identifier: MIT */
#include "base/freeze.h"

#include "base/clock.h"

static const uint64_t LOOK_NS = (uint64_t)FREEZE_LOOK_MS * CLOCK_NS_PER_MS;
static const uint64_t LEAST_NS = (uint64_t)FREEZE_LEAST_MS * CLOCK_NS_PER_MS;

void freeze_look_ahead(FreezeWatch *watch, uint64_t now, uint64_t busy) {
    *watch = (FreezeWatch){.due = now + LOOK_NS, .busy = busy};
}

bool freeze_is_late(const FreezeWatch *watch, uint64_t now) {
    return now > watch->due && now - watch->due > LEAST_NS;
}

uint64_t freeze_length(const FreezeWatch *watch, uint64_t now, uint64_t busy) {
    if (!freeze_is_late(watch, now) || watch->busy == 0 || busy < watch->busy)
        return 0;
    uint64_t late = now - watch->due;
    uint64_t used = busy - watch->busy;
    return late > used && late - used > LEAST_NS ? late - used : 0;
}

void freeze_skip(FreezeWatch *watch, uint64_t ns) {
    watch->due += ns;
}
