/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The largest number up to which a double holds every whole number. */
static const double MAX_EXACT = 9007199254740992.0;

cJSON *json_parse(const char *text, size_t length, Error *err) {
    if (strlen(text) != length) {
        error_set(err, "not JSON: the text has a zero byte");
        return NULL;
    }
    const char *end = NULL;
    cJSON *document = cJSON_ParseWithOpts(text, &end, true);
    if (!document) {
        if (length == 0)
            error_set(err, "not JSON: the text is empty");
        else
            error_set(err, "not JSON, at byte %zu of %zu", end ? (size_t)(end - text) : (size_t)0,
                      length);
    }
    return document;
}

static const char *type_name(const cJSON *item) {
    if (!item)
        return "nothing";
    switch (item->type & 0xff) {
    case cJSON_False:
    case cJSON_True:
        return "a boolean";
    case cJSON_NULL:
        return "null";
    case cJSON_Number:
        return "a number";
    case cJSON_String:
        return "text";
    case cJSON_Array:
        return "a list";
    case cJSON_Object:
        return "an object";
    default:
        return "something else";
    }
}

static bool read_text(const cJSON *item, char **out) {
    if (!cJSON_IsString(item) || !item->valuestring)
        return false;
    *out = mem_strdup(item->valuestring);
    return true;
}

static bool read_int(const cJSON *item, int64_t *out) {
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) ||
        fabs(item->valuedouble) > MAX_EXACT || item->valuedouble != trunc(item->valuedouble))
        return false;
    *out = (int64_t)item->valuedouble;
    return true;
}

static bool read_real(const cJSON *item, double *out) {
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
        return false;
    *out = item->valuedouble;
    return true;
}

static bool read_bool(const cJSON *item, bool *out) {
    if (!cJSON_IsBool(item))
        return false;
    *out = cJSON_IsTrue(item);
    return true;
}

static bool read_text_list(const cJSON *list, Words *out) {
    if (!cJSON_IsArray(list))
        return false;
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        if (!cJSON_IsString(item) || !item->valuestring)
            return false;
        words_add(out, item->valuestring);
    }
    return true;
}

static bool read_int_list(const cJSON *list, IntList *out) {
    if (!cJSON_IsArray(list))
        return false;
    out->items = mem_alloc(((size_t)cJSON_GetArraySize(list) + 1) * sizeof(*out->items));
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        if (!read_int(item, &out->items[out->count]))
            return false;
        out->count++;
    }
    return true;
}

static bool read_real_list(const cJSON *list, RealList *out) {
    if (!cJSON_IsArray(list))
        return false;
    out->items = mem_alloc(((size_t)cJSON_GetArraySize(list) + 1) * sizeof(*out->items));
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        if (!read_real(item, &out->items[out->count]))
            return false;
        out->count++;
    }
    return true;
}

static bool read_field(const cJSON *item, JsonType type, void *slot) {
    switch (type) {
    case JSON_TEXT:
        return read_text(item, slot);
    case JSON_INT:
        return read_int(item, slot);
    case JSON_REAL:
        return read_real(item, slot);
    case JSON_BOOL:
        return read_bool(item, slot);
    case JSON_TEXT_LIST:
        return read_text_list(item, slot);
    case JSON_INT_LIST:
        return read_int_list(item, slot);
    case JSON_REAL_LIST:
        return read_real_list(item, slot);
    }
    return false;
}

/* What is there in place of a field of this type. */
static const char *found(const cJSON *item, JsonType type) {
    bool number = type == JSON_INT || type == JSON_REAL;
    if (cJSON_IsArray(item) && type >= JSON_TEXT_LIST)
        return "a list of something else";
    return cJSON_IsNumber(item) && number ? "another number" : type_name(item);
}

bool json_read(const cJSON *object, const char *where, const JsonField *fields, size_t count,
               void *out, Error *err) {
    static const char *const wanted[] = {
        [JSON_TEXT] = "text",
        [JSON_INT] = "a whole number",
        [JSON_REAL] = "a number",
        [JSON_BOOL] = "true or false",
        [JSON_TEXT_LIST] = "a list of texts",
        [JSON_INT_LIST] = "a list of whole numbers",
        [JSON_REAL_LIST] = "a list of numbers",
    };
    if (!cJSON_IsObject(object))
        return error_set(err, "%s: expected an object, found %s", where, type_name(object));
    for (size_t i = 0; i < count; i++) {
        const JsonField *field = &fields[i];
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, field->key);
        if (!item && field->need == JSON_OPTIONAL)
            continue;
        if (!item)
            return error_set(err, "%s.%s is missing", where, field->key);
        if (cJSON_IsNull(item) && field->need != JSON_REQUIRED)
            continue;
        if (!read_field(item, field->type, (char *)out + field->offset))
            return error_set(err, "%s.%s: expected %s, found %s", where, field->key,
                             wanted[field->type], found(item, field->type));
    }
    return true;
}

double json_rounded(double value) {
    return round(value * 1e6) / 1e6 + 0.0; /* Avoids -0. */
}

cJSON *json_texts(const Words *list) {
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < list->count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(list->items[i]));
    return array;
}

/* The whole number with all its digits: cJSON writes a number with 15 digits where the difference
 * is small. */
static cJSON *whole_number(int64_t value) {
    char *digits = text_format("%" PRId64, value);
    cJSON *item = cJSON_CreateRaw(digits);
    free(digits);
    return item;
}

static cJSON *int_list(const IntList *list) {
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < list->count; i++)
        cJSON_AddItemToArray(array, whole_number(list->items[i]));
    return array;
}

static cJSON *real_list(const RealList *list) {
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < list->count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateNumber(list->items[i]));
    return array;
}

/* The field as JSON; NULL: the field is left out. */
static cJSON *write_field(JsonType type, const void *slot) {
    switch (type) {
    case JSON_TEXT: {
        const char *text = *(char *const *)slot;
        return text ? cJSON_CreateString(text) : NULL;
    }
    case JSON_INT:
        return whole_number(*(const int64_t *)slot);
    case JSON_REAL:
        return cJSON_CreateNumber(*(const double *)slot);
    case JSON_BOOL:
        return cJSON_CreateBool(*(const bool *)slot);
    case JSON_TEXT_LIST:
        return json_texts(slot);
    case JSON_INT_LIST:
        return int_list(slot);
    case JSON_REAL_LIST:
        return real_list(slot);
    }
    return NULL;
}

static bool is_empty_list(JsonType type, const void *slot) {
    return (type == JSON_TEXT_LIST && ((const Words *)slot)->count == 0) ||
           (type == JSON_INT_LIST && ((const IntList *)slot)->count == 0) ||
           (type == JSON_REAL_LIST && ((const RealList *)slot)->count == 0);
}

void json_write(cJSON *object, const JsonField *fields, size_t count, const void *in) {
    for (size_t i = 0; i < count; i++) {
        const void *slot = (const char *)in + fields[i].offset;
        bool absent = fields[i].need == JSON_OPTIONAL && is_empty_list(fields[i].type, slot);
        cJSON *item = absent ? NULL : write_field(fields[i].type, slot);
        if (item)
            cJSON_AddItemToObject(object, fields[i].key, item);
    }
}

void json_take(cJSON *document, Text *out) {
    char *text = cJSON_PrintUnformatted(document);
    if (text)
        text_add(out, text);
    cJSON_free(text);
    cJSON_Delete(document);
}

const cJSON *json_object(const cJSON *object, const char *where, const char *key, Error *err) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!item)
        error_set(err, "%s.%s is missing", where, key);
    else if (!cJSON_IsObject(item))
        error_set(err, "%s.%s: expected an object, found %s", where, key, type_name(item));
    return cJSON_IsObject(item) ? item : NULL;
}

void json_free_fields(const JsonField *fields, size_t count, void *out) {
    for (size_t i = 0; i < count; i++) {
        void *slot = (char *)out + fields[i].offset;
        switch (fields[i].type) {
        case JSON_TEXT:
            free(*(char **)slot);
            *(char **)slot = NULL;
            break;
        case JSON_TEXT_LIST:
            words_free(slot);
            break;
        case JSON_INT_LIST:
            free(((IntList *)slot)->items);
            *(IntList *)slot = (IntList){0};
            break;
        case JSON_REAL_LIST:
            free(((RealList *)slot)->items);
            *(RealList *)slot = (RealList){0};
            break;
        case JSON_INT:
        case JSON_REAL:
        case JSON_BOOL:
            break;
        }
    }
}
