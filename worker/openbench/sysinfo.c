/* SPDX-License-Identifier: MIT */
#include "openbench/sysinfo.h"

#include "base/json.h"

static void add_texts(cJSON *object, const char *key, const Words *words) {
    static const Words none;
    cJSON_AddItemToObject(object, key, json_texts(words ? words : &none));
}

static void add_compilers(cJSON *object, const Sysinfo *info) {
    cJSON *compilers = cJSON_AddObjectToObject(object, "compilers");
    for (size_t i = 0; i < info->compiler_count; i++) {
        cJSON *pair = cJSON_AddArrayToObject(compilers, info->compilers[i].engine);
        cJSON_AddItemToArray(pair, cJSON_CreateString(info->compilers[i].compiler));
        cJSON_AddItemToArray(pair, cJSON_CreateString(info->compilers[i].version));
    }
}

char *sysinfo_format(const Sysinfo *info) {
    cJSON *object = cJSON_CreateObject();
    add_compilers(object, info);
    cJSON *tokens = cJSON_AddObjectToObject(object, "tokens");
    for (size_t i = 0; info->tokens && i < info->tokens->count; i++)
        cJSON_AddTrueToObject(tokens, info->tokens->items[i]);
    add_texts(object, "cpu_flags", info->cpu_flags);
    cJSON_AddStringToObject(object, "cpu_name", info->cpu_name);
    cJSON_AddStringToObject(object, "isa_name", info->isa_name);
    cJSON_AddStringToObject(object, "os_name", info->os_name);
    cJSON_AddStringToObject(object, "os_ver", info->os_ver);
    cJSON_AddStringToObject(object, "python_ver", info->worker_version);
    cJSON_AddStringToObject(object, "mac_address", info->mac_address);
    cJSON_AddNumberToObject(object, "logical_cores", (double)info->logical_cores);
    cJSON_AddNumberToObject(object, "physical_cores", (double)info->physical_cores);
    cJSON_AddNumberToObject(object, "ram_total_mb", (double)info->ram_total_mb);
    /* Every registration makes a new machine. */
    cJSON_AddNullToObject(object, "machine_id");
    cJSON_AddStringToObject(object, "machine_name", info->machine_name);
    cJSON_AddNumberToObject(object, "concurrency", (double)info->concurrency);
    cJSON_AddNumberToObject(object, "sockets", (double)info->sockets);
    cJSON_AddNumberToObject(object, "syzygy_max", (double)info->syzygy_max);
    cJSON_AddBoolToObject(object, "noisy", info->noisy);
    add_texts(object, "focus", info->focus);
    cJSON_AddStringToObject(object, "cxx_comp", info->cxx_compiler);
    cJSON_AddStringToObject(object, "fastchess_ver", info->worker_version);
    cJSON_AddNumberToObject(object, "client_ver", (double)info->client_version);
    Text text = {0};
    json_take(object, &text);
    return text_take(&text);
}
