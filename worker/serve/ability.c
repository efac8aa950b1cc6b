/* SPDX-License-Identifier: MIT */
#include "serve/ability.h"

#include <string.h>

#include "base/count.h"

enum {
    TEXT_MAX = 65536,       /* Bytes of system_info, which the database keeps. */
    CONCURRENCY_MAX = 4096, /* Of one machine; larger numbers are mistakes. */
    SYZYGY_MEN_MAX = 9
};

static const JsonField fields[] = {
    {"client_ver", JSON_INT, JSON_REQUIRED, offsetof(Ability, client_version)},
    {"machine_name", JSON_TEXT, JSON_OPTIONAL, offsetof(Ability, machine_name)},
    {"os_name", JSON_TEXT, JSON_REQUIRED, offsetof(Ability, os_name)},
    {"cpu_name", JSON_TEXT, JSON_OPTIONAL, offsetof(Ability, cpu_name)},
    {"isa_name", JSON_TEXT, JSON_OPTIONAL, offsetof(Ability, isa_name)},
    {"python_ver", JSON_TEXT, JSON_OPTIONAL, offsetof(Ability, program)},
    {"concurrency", JSON_INT, JSON_REQUIRED, offsetof(Ability, concurrency)},
    {"sockets", JSON_INT, JSON_REQUIRED, offsetof(Ability, sockets)},
    {"physical_cores", JSON_INT, JSON_OPTIONAL, offsetof(Ability, physical_cores)},
    {"syzygy_max", JSON_INT, JSON_OPTIONAL, offsetof(Ability, syzygy_max)},
    {"noisy", JSON_BOOL, JSON_OPTIONAL, offsetof(Ability, noisy)},
    {"cpu_flags", JSON_TEXT_LIST, JSON_REQUIRED, offsetof(Ability, cpu_flags)},
    {"focus", JSON_TEXT_LIST, JSON_OPTIONAL, offsetof(Ability, focus)},
};

/* The keys of a member that is an object. */
static bool read_keys(const cJSON *info, const char *member, Words *out, Error *err) {
    const cJSON *object = json_object(info, "system_info", member, err);
    if (!object)
        return false;
    for (const cJSON *item = object->child; item; item = item->next)
        words_add(out, item->string);
    return true;
}

static bool check_numbers(const Ability *a, Error *err) {
    if (a->concurrency < 1 || a->concurrency > CONCURRENCY_MAX)
        return error_set(err, "system_info.concurrency: not from 1 to %d", CONCURRENCY_MAX);
    if (a->sockets < 1 || a->sockets > a->concurrency)
        return error_set(err, "system_info.sockets: not from 1 to the concurrency");
    if (a->syzygy_max < 0 || a->syzygy_max > SYZYGY_MEN_MAX)
        return error_set(err, "system_info.syzygy_max: not from 0 to %d", SYZYGY_MEN_MAX);
    return true;
}

bool ability_read(const char *text, Ability *out, Error *err) {
    *out = (Ability){0};
    size_t length = strlen(text);
    if (length > TEXT_MAX)
        return error_set(err, "system_info: %zu bytes, more than %d", length, TEXT_MAX);
    cJSON *info = json_parse(text, length, err);
    bool ok = info && (cJSON_IsObject(info) || error_set(err, "system_info: not an object"));
    ok = ok && json_read(info, "system_info", fields, COUNT(fields), out, err) &&
         check_numbers(out, err) && read_keys(info, "compilers", &out->compiled, err) &&
         read_keys(info, "tokens", &out->tokens, err);
    cJSON_Delete(info);
    return ok;
}

void ability_free(Ability *ability) {
    json_free_fields(fields, COUNT(fields), ability);
    words_free(&ability->compiled);
    words_free(&ability->tokens);
}

bool ability_supports(const Ability *ability, const EngineNeeds *needs) {
    for (size_t i = 0; i < needs->cpuflags->count; i++)
        if (!words_has(&ability->cpu_flags, needs->cpuflags->items[i]))
            return false;
    return words_has(needs->systems, ability->os_name) &&
           words_has(needs->is_private ? &ability->tokens : &ability->compiled, needs->name);
}
