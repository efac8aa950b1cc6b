/* SPDX-License-Identifier: MIT */
#include "base/confine.h"

#include <errno.h>

bool confine_exists(void) {
    return false;
}

bool confine_probe(ConfineLayers *layers) {
    *layers = (ConfineLayers){0};
    return true;
}

bool confine_passes(const char *folder) {
    (void)folder;
    return true;
}

int confine_tasks(void) {
    return 0;
}

void confine_format(const ConfineSettings *settings, char word[CONFINE_SETTINGS_MAX]) {
    (void)settings;
    word[0] = '\0';
}

/* No sandbox is ever open here (base/sandbox.h): a request to confine a child is refused. */
static bool refuse(const char **what) {
    errno = ENOSYS;
    *what = "this system has no sandbox";
    return false;
}

bool confine_enter(const char *settings, char *const *rules, int count, ConfineSettings *out,
                   const char **what) {
    (void)settings;
    (void)rules;
    (void)count;
    *out = (ConfineSettings){0};
    return refuse(what);
}

bool confine_apply(const ConfineSettings *settings, const char *program, char *const *rules,
                   int count, const char **what) {
    (void)settings;
    (void)program;
    (void)rules;
    (void)count;
    return refuse(what);
}
