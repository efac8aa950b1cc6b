/* SPDX-License-Identifier: MIT */
#include "openbench/engineconfig.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "base/memory.h"

/* The preset that fills the fields which the chosen preset leaves open. */
static const char DEFAULT_PRESET[] = "default";

static const JsonField fields[] = {
    {"source", JSON_TEXT, JSON_REQUIRED, offsetof(EngineConfig, source)},
    {"nps", JSON_INT, JSON_REQUIRED, offsetof(EngineConfig, nps)},
};

/* "src" of "/src/", "." of "". NULL: the object says none. Allocated. */
static char *read_build_path(const cJSON *object) {
    const cJSON *build = cJSON_GetObjectItemCaseSensitive(object, "build");
    const cJSON *path = cJSON_GetObjectItemCaseSensitive(build, "path");
    if (!cJSON_IsString(path))
        return NULL;
    const char *start = path->valuestring + strspn(path->valuestring, "/");
    size_t length = strlen(start);
    while (length > 0 && start[length - 1] == '/')
        length--;
    return length > 0 ? mem_strndup(start, length) : mem_strdup(".");
}

static bool read_object(const cJSON *object, const char *where, const char *engine,
                        EngineConfig *out, Error *err) {
    *out = (EngineConfig){0};
    if (!json_read(object, where, fields, COUNT(fields), out, err))
        return false;
    out->name = mem_strdup(engine);
    out->build_path = read_build_path(object);
    for (int kind = 0; kind < TESTFORM_KINDS; kind++)
        out->presets[kind] =
            cJSON_GetObjectItemCaseSensitive(object, testform_names((TestFormKind)kind)->presets);
    return out->nps > 0 || error_set(err, "%s.nps: is not above 0", where);
}

bool engineconfig_read(const ApiAnswer *answer, const char *engine, EngineConfig *out, Error *err) {
    return read_object(answer->json, "answer", engine, out, err);
}

/* The length of a repository's address without an ending that does not matter: slashes, ".git". */
static size_t repository_length(const char *address) {
    static const char suffix[] = ".git";
    const size_t suffix_length = sizeof suffix - 1;
    size_t length = strlen(address);
    while (length > 0 && address[length - 1] == '/')
        length--;
    if (length > suffix_length &&
        strncmp(address + length - suffix_length, suffix, suffix_length) == 0)
        length -= suffix_length;
    return length;
}

bool repository_is_same(const char *address, const char *other) {
    size_t length = repository_length(address);
    return length > 0 && repository_length(other) == length &&
           strncasecmp(address, other, length) == 0;
}

/* The last part of a repository's address, with its ending. */
static const char *repository_name(const char *address) {
    size_t start = repository_length(address);
    while (start > 0 && strchr("/:", address[start - 1]) == NULL) /* "hub:mine.git" */
        start--;
    return address + start;
}

bool repository_is_namesake(const char *address, const char *other) {
    return repository_is_same(repository_name(address), repository_name(other));
}

const char *repository_path(const char *address, const char *base) {
    const char *host = strstr(address, "://"), *own = strstr(base, "://");
    size_t length = own ? strlen(own) : 0;
    length -= length > 0 && own[length - 1] == '/';
    bool is_own = host && own && strncasecmp(host, own, length) == 0 && host[length] == '/';
    return is_own ? host + length : NULL;
}

/* The engine whose repository is at this address, else the only one whose repository is its
 * namesake; NULL: none. */
static const cJSON *find_source(const cJSON *engines, const char *address) {
    const cJSON *engine;
    const cJSON *namesake = NULL;
    size_t namesakes = 0;
    cJSON_ArrayForEach(engine, engines) {
        const cJSON *source = cJSON_GetObjectItemCaseSensitive(engine, fields[0].key);
        if (!cJSON_IsString(source) || !repository_is_namesake(source->valuestring, address))
            continue;
        if (repository_is_same(source->valuestring, address))
            return engine;
        namesake = engine;
        namesakes++;
    }
    return namesakes == 1 ? namesake : NULL;
}

bool engineconfig_find(const ApiAnswer *answer, const char *address, const char *name,
                       EngineConfig *out, Error *err) {
    const cJSON *found = address ? find_source(answer->json, address) : NULL;
    if (!found && name)
        found = cJSON_GetObjectItemCaseSensitive(answer->json, name);
    *out = (EngineConfig){0};
    Text where = {0};
    if (found)
        text_addf(&where, "answer.%.60s", found->string);
    bool ok = !found || read_object(found, text_string(&where), found->string, out, err);
    text_free(&where);
    return ok;
}

/* ---- Presets ---- */

static const cJSON *find_preset(const EngineConfig *config, const cJSON *presets, const char *name,
                                Error *err) {
    const cJSON *preset;
    Text names = {0};
    cJSON_ArrayForEach(preset, presets) {
        if (text_equal_nocase(preset->string, name))
            break;
        text_addf(&names, "%s%s", names.length ? ", " : "", preset->string);
    }
    if (!preset)
        error_set(err, "%s has no preset '%s' there; it has: %.400s", config->name, name,
                  names.length ? text_string(&names) : "none");
    text_free(&names);
    return preset;
}

static bool is_line(const char *text) {
    while ((unsigned char)*text >= ' ' && *text != '\x7f')
        text++;
    return *text == '\0';
}

/* Formats a preset's value for the form; false: the value is no line of text and no number. */
static bool value_text(const cJSON *value, Text *out) {
    if (cJSON_IsNumber(value))
        text_add_number(out, value->valuedouble);
    else if (cJSON_IsString(value))
        text_add(out, value->valuestring);
    else
        return false;
    return is_line(text_string(out));
}

static bool apply(const cJSON *preset, TestForm *form, Words *unknown, Error *err) {
    const cJSON *field;
    const char *list = testform_names(form->kind)->presets;
    bool all = true;
    if (!cJSON_IsObject(preset))
        return error_set(err, "answer.%s.%.60s: expected an object", list, preset->string);
    cJSON_ArrayForEach(field, preset) {
        Text text = {0};
        bool ok = value_text(field, &text) ||
                  error_set(err, "answer.%s.%.60s.%.60s: expected a line of text or a number", list,
                            preset->string, field->string);
        if (ok && !testform_suggest(form, field->string, text_string(&text)))
            words_add(unknown, field->string);
        text_free(&text);
        all = all && ok;
    }
    return all;
}

bool engineconfig_apply(const EngineConfig *config, const char *preset, TestForm *form,
                        Words *unknown, Error *err) {
    const cJSON *presets = config->presets[form->kind];
    if (!cJSON_IsObject(presets))
        return error_set(err, "answer.%s %s", testform_names(form->kind)->presets,
                         presets ? "is no object" : "is missing");
    const cJSON *named = find_preset(config, presets, preset, err);
    const cJSON *usual = cJSON_GetObjectItemCaseSensitive(presets, DEFAULT_PRESET);
    return named && apply(named, form, unknown, err) &&
           (!usual || usual == named || apply(usual, form, unknown, err));
}

void engineconfig_free(EngineConfig *config) {
    free(config->name);
    free(config->build_path);
    json_free_fields(fields, COUNT(fields), config);
    *config = (EngineConfig){0};
}
