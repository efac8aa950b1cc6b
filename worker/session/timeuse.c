/* SPDX-License-Identifier: MIT */
#include "session/timeuse.h"

#include "base/clock.h"

void timeuse_enter(TimeUse *use, Activity activity, int64_t now_ns) {
    int64_t spent = use->since_ns ? now_ns - use->since_ns : 0;
    if (use->played)
        use->spent_ns[use->now] += spent;
    else
        use->before_ns += spent;
    use->played = use->played || activity == ACTIVITY_FULL || activity == ACTIVITY_PART;
    use->now = activity;
    use->since_ns = now_ns;
}

void timeuse_write(const TimeUse *use, Text *out) {
    static const char *const names[ACTIVITIES] = {[ACTIVITY_REGISTER] = "registering",
                                                  [ACTIVITY_ASK] = "asking for work",
                                                  [ACTIVITY_PREPARE] = "preparing",
                                                  [ACTIVITY_REPORT] = "reporting",
                                                  [ACTIVITY_NOTHING] = "waiting for work"};
    double all = 0;
    const char *before = "; ";
    for (int i = 0; i < ACTIVITIES; i++)
        all += (double)use->spent_ns[i];
    if (!use->played || all <= 0)
        return;
    text_addf(out,
              "all games at a time were in play for %.1f %% of %.0f s, some of them for %.1f %%",
              (double)use->spent_ns[ACTIVITY_FULL] * 100 / all, all / (double)CLOCK_NS_PER_SECOND,
              (double)use->spent_ns[ACTIVITY_PART] * 100 / all);
    for (int i = ACTIVITY_REGISTER; i < ACTIVITIES; i++) {
        double percent = (double)use->spent_ns[i] * 100 / all;
        if (percent < 0.05)
            continue;
        text_addf(out, "%s%.1f %% went into %s", before, percent, names[i]);
        before = ", ";
    }
    text_addf(out, "; %.1f s before the first game",
              (double)use->before_ns / (double)CLOCK_NS_PER_SECOND);
}
