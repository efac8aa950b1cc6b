/* SPDX-License-Identifier: MIT */
#include "local/foreigndraft.h"

#include <stdlib.h>

void foreign_add_option(ForeignDraft *d, const char *name, const char *value) {
    char *option = text_format("--%s", name);
    words_add(&d->out->options, option);
    if (value != NULL)
        words_add(&d->out->options, value);
    free(option);
}

void foreign_add_remark(ForeignDraft *d, const char *what, const char *reason) {
    char *remark = text_format("%s: %s", what, reason);
    if (!words_has(&d->out->remarks, remark)) /* Both sides may give rise to it. */
        words_add(&d->out->remarks, remark);
    free(remark);
}
