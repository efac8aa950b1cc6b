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
    words_addf(&d->out->remarks, "%s: %s", what, reason);
}
