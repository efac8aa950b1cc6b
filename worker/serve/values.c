/* SPDX-License-Identifier: MIT */
#include "serve/values.h"

#include <stdlib.h>

#include <time.h>

#include "report/progress.h"

void value_text(cJSON *object, const char *name, const char *text) {
    cJSON_AddStringToObject(object, name, text ? text : "");
}

void value_bool(cJSON *object, const char *name, bool value) {
    cJSON_AddBoolToObject(object, name, value);
}

void value_number(cJSON *object, const char *name, int64_t number) {
    cJSON_AddNumberToObject(object, name, (double)number);
}

void value_take(cJSON *object, const char *name, Text *text) {
    value_text(object, name, text_string(text));
    text_free(text);
}

void value_grouped(cJSON *object, const char *name, int64_t number) {
    Text text = {0};
    text_add_grouped(&text, number);
    value_take(object, name, &text);
}

void value_time(cJSON *object, const char *name, int64_t when, int64_t now) {
    enum { STAMP_MAX = 32 };
    char stamp[STAMP_MAX] = "";
    Text ago = {0};
    time_t seconds = (time_t)when;
    struct tm parts;
    if (when != 0 && gmtime_r(&seconds, &parts))
        strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M UTC", &parts);
    if (when != 0) {
        progress_duration(&ago, (double)(now > when ? now - when : 0));
        text_add(&ago, " ago");
    }
    char *ago_name = text_format("%s_ago", name);
    value_text(object, name, stamp);
    value_take(object, ago_name, &ago);
    free(ago_name);
}

cJSON *value_item(cJSON *object, const char *list) {
    cJSON *items = cJSON_GetObjectItemCaseSensitive(object, list);
    cJSON *item = cJSON_CreateObject();
    if (!items)
        items = cJSON_AddArrayToObject(object, list);
    cJSON_AddItemToArray(items, item);
    return item;
}
