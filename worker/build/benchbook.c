/* SPDX-License-Identifier: MIT */
#include "build/benchbook.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/cpuinfo.h"
#include "base/file.h"
#include "base/json.h"

/* CLOCK_TOLERANCE: in percent of the record's clock. */
enum { RECORD_LIMIT = 4096, MODE_RECORD = 0644, CLOCK_TOLERANCE = 10 };

typedef struct {
    char *sha256;
    BenchRecord record;
} Stored;

#define NUMBER(field)                                                                              \
    { #field, JSON_INT, JSON_REQUIRED, offsetof(Stored, record) + offsetof(BenchRecord, field) }

static const JsonField fields[] = {
    {"sha256", JSON_TEXT, JSON_REQUIRED, offsetof(Stored, sha256)},
    NUMBER(bench),
    NUMBER(nps),
    NUMBER(measured),
    NUMBER(copies),
    NUMBER(mhz),
};

bool benchbook_read(const char *path, BenchRecord *out) {
    Text text = {0};
    Stored stored = {0};
    *out = (BenchRecord){0};
    cJSON *json = file_read(path, RECORD_LIMIT, &text, NULL)
                      ? json_parse(text_string(&text), text.length, NULL)
                      : NULL;
    bool ok = json && json_read(json, "record", fields, COUNT(fields), &stored, NULL) &&
              strlen(stored.sha256) < sizeof out->sha256;
    if (ok) {
        *out = stored.record;
        snprintf(out->sha256, sizeof out->sha256, "%s", stored.sha256);
    }
    json_free_fields(fields, 1, &stored);
    cJSON_Delete(json);
    text_free(&text);
    return ok;
}

bool benchbook_write(const char *path, const BenchRecord *record, Error *err) {
    Stored stored = {.sha256 = (char *)record->sha256, .record = *record};
    Text text = {0};
    cJSON *json = cJSON_CreateObject();
    json_write(json, fields, COUNT(fields), &stored);
    json_take(json, &text);
    text_add_char(&text, '\n');
    bool ok = file_write_atomic(path, text_string(&text), text.length, MODE_RECORD, err);
    text_free(&text);
    return ok;
}

void benchbook_each(const char *folder, void (*take)(const BenchRecord *record, void *user),
                    void *user) {
    Words names = {0};
    file_list(folder, &names, NULL);
    for (size_t i = 0; i < names.count; i++) {
        BenchRecord record;
        char *path = text_format("%s/%s", folder, names.items[i]);
        if (names.items[i][0] != '.' && benchbook_read(path, &record))
            take(&record, user);
        free(path);
    }
    words_free(&names);
}

bool benchbook_is_recent(const BenchRecord *record, const BenchTerms *terms) {
    int64_t age = terms->now - record->measured;
    int64_t off = terms->mhz - record->mhz;
    bool same_clock = terms->mhz == 0 || record->mhz == 0 ||
                      (off < 0 ? -off : off) * 100 <= record->mhz * CLOCK_TOLERANCE;
    bool in_time = record->measured >= terms->since || terms->since > terms->now;
    return record->measured > 0 && record->nps > 0 && age >= 0 && age <= terms->age_s && in_time &&
           record->copies == terms->copies && same_clock;
}

int64_t benchbook_parse_mhz(const char *cpuinfo) {
    static const char key[] = "cpu MHz";
    double sum = 0;
    int count = 0;
    for (const char *line = strstr(cpuinfo, key); line; line = strstr(line + 1, key)) {
        const char *value = strpbrk(line, ":\n");
        double mhz = value && *value == ':' ? strtod(value + 1, NULL) : 0;
        if (mhz > 0 && mhz < 1e6) {
            sum += mhz;
            count++;
        }
    }
    return count ? (int64_t)(sum / count) : 0;
}

int64_t benchbook_mhz(void) {
    Text text = {0};
    int64_t mhz = cpuinfo_read(&text) ? benchbook_parse_mhz(text_string(&text)) : 0;
    text_free(&text);
    return mhz;
}
