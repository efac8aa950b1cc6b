/* SPDX-License-Identifier: MIT */
/* The recorded exchanges of an OpenBench server, where the machine has them: $RD_SHARED/openbench/
 * exchanges. Tests say when they are left out. */
#ifndef TESTS_TOOLS_RECORDINGS_H
#define TESTS_TOOLS_RECORDINGS_H

#include <stdbool.h>
#include <cjson/cJSON.h>

/* The folder's path, as shared_path gives it. */
const char *recordings_folder(void);

/* Whether they are here. */
bool recordings_available(void);

/* The recording whose file is `name` ("07-worker-info.json"); the caller frees it with
 * cJSON_Delete. Fails the test when it cannot be read. */
cJSON *recording_load(const char *name);

/* "request"."form" of a recording: an object. */
const cJSON *recording_form(const cJSON *recording);

/* "response"."body" as text. Allocated. */
char *recording_body(const cJSON *recording);

#endif
