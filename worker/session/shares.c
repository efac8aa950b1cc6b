/* SPDX-License-Identifier: MIT */
#include "session/shares.h"

static const double NS_PER_SECOND = 1e9;

void shares_enter(Shares *shares, Spell spell, int64_t now_ns) {
    int64_t spent = shares->since_ns ? now_ns - shares->since_ns : 0;
    if (shares->played)
        shares->spent_ns[shares->now] += spent;
    else
        shares->before_ns += spent;
    shares->played = shares->played || spell == SPELL_FULL || spell == SPELL_PART;
    shares->now = spell;
    shares->since_ns = now_ns;
}

void shares_write(const Shares *shares, Text *out) {
    static const char *const names[SPELLS] = {[SPELL_REGISTER] = "registering",
                                              [SPELL_ASK] = "asking for work",
                                              [SPELL_PREPARE] = "preparing",
                                              [SPELL_REPORT] = "reporting",
                                              [SPELL_NOTHING] = "waiting for work"};
    double all = 0;
    const char *before = "; ";
    for (int i = 0; i < SPELLS; i++)
        all += (double)shares->spent_ns[i];
    if (!shares->played || all <= 0)
        return;
    text_addf(out, "every slot played in %.1f %% of %.0f s, some in %.1f %%",
              (double)shares->spent_ns[SPELL_FULL] * 100 / all, all / NS_PER_SECOND,
              (double)shares->spent_ns[SPELL_PART] * 100 / all);
    for (int i = SPELL_REGISTER; i < SPELLS; i++) {
        double percent = (double)shares->spent_ns[i] * 100 / all;
        if (percent < 0.05)
            continue;
        text_addf(out, "%s%.1f %% went into %s", before, percent, names[i]);
        before = ", ";
    }
    text_addf(out, "; %.1f s before the first game", (double)shares->before_ns / NS_PER_SECOND);
}
