/* SPDX-License-Identifier: MIT */
#include "local/foreigndraft.h"

void foreign_add_option(ForeignDraft *d, const char *name, const char *value) {
    Text option = {0};
    text_addf(&option, "--%s", name);
    words_add(&d->out->options, text_string(&option));
    if (value != NULL)
        words_add(&d->out->options, value);
    text_free(&option);
}

void foreign_add_remark(ForeignDraft *d, const char *what, const char *reason) {
    Text remark = {0};
    text_addf(&remark, "%s: %s", what, reason);
    words_add(&d->out->remarks, text_string(&remark));
    text_free(&remark);
}
