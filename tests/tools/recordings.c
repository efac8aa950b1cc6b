/* SPDX-License-Identifier: MIT */
#include "tools/recordings.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "runner.h"
#include "tools/files.h"

const char *recordings_folder(void) {
    return shared_path("openbench/exchanges");
}

static const char *recording_path(const char *name) {
    char file[256];
    snprintf(file, sizeof file, "openbench/exchanges/%s", name);
    return shared_path(file);
}

bool recordings_available(void) {
    return access(recording_path("07-worker-info.json"), R_OK) == 0;
}

cJSON *recording_load(const char *name) {
    const char *path = recording_path(name);
    Text text = read_whole(path);
    cJSON *recording = cJSON_Parse(text_string(&text));
    ck_assert_msg(recording != NULL, "%s: not JSON", path);
    text_free(&text);
    return recording;
}

const cJSON *recording_form(const cJSON *recording) {
    const cJSON *request = cJSON_GetObjectItemCaseSensitive(recording, "request");
    const cJSON *form = cJSON_GetObjectItemCaseSensitive(request, "form");
    ck_assert(cJSON_IsObject(form));
    return form;
}

char *recording_body(const cJSON *recording) {
    const cJSON *response = cJSON_GetObjectItemCaseSensitive(recording, "response");
    char *printed = cJSON_Print(cJSON_GetObjectItemCaseSensitive(response, "body"));
    ck_assert_ptr_nonnull(printed);
    char *text = mem_strdup(printed);
    cJSON_free(printed);
    return text;
}
