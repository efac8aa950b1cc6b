/* SPDX-License-Identifier: MIT */
#include "openbench/testview.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "stats/bounds.h"

/* ---- The test ---- */

#define VIEW(key, type, need, field)                                                               \
    { key, type, need, offsetof(TestView, field) }

static const JsonField VIEW_FIELDS[] = {
    VIEW("id", JSON_INT, JSON_REQUIRED, id),
    VIEW("author", JSON_TEXT, JSON_NULLABLE, author),
    VIEW("info", JSON_TEXT, JSON_NULLABLE, info),
    VIEW("book_name", JSON_TEXT, JSON_NULLABLE, book),
    VIEW("test_mode", JSON_TEXT, JSON_REQUIRED, mode),
    VIEW("creation", JSON_TEXT, JSON_OPTIONAL, created),
    VIEW("updated", JSON_TEXT, JSON_OPTIONAL, updated),
    VIEW("win_adj", JSON_TEXT, JSON_NULLABLE, win_adj),
    VIEW("draw_adj", JSON_TEXT, JSON_NULLABLE, draw_adj),
    VIEW("syzygy_wdl", JSON_TEXT, JSON_NULLABLE, syzygy_wdl),
    VIEW("syzygy_adj", JSON_TEXT, JSON_NULLABLE, syzygy_adj),
    VIEW("scale_method", JSON_TEXT, JSON_OPTIONAL, scale_method),
    VIEW("scale_nps", JSON_INT, JSON_OPTIONAL, scale_nps),
    VIEW("elolower", JSON_REAL, JSON_REQUIRED, elo0),
    VIEW("eloupper", JSON_REAL, JSON_REQUIRED, elo1),
    VIEW("alpha", JSON_REAL, JSON_REQUIRED, alpha),
    VIEW("beta", JSON_REAL, JSON_REQUIRED, beta),
    VIEW("max_games", JSON_INT, JSON_OPTIONAL, max_games),
    VIEW("passed", JSON_BOOL, JSON_OPTIONAL, passed),
    VIEW("failed", JSON_BOOL, JSON_OPTIONAL, failed),
    VIEW("finished", JSON_BOOL, JSON_OPTIONAL, finished),
    VIEW("deleted", JSON_BOOL, JSON_OPTIONAL, deleted),
    VIEW("approved", JSON_BOOL, JSON_OPTIONAL, approved),
    VIEW("error", JSON_BOOL, JSON_OPTIONAL, error),
    VIEW("use_tri", JSON_BOOL, JSON_OPTIONAL, use_tri),
};

#define SIDE(key, field)                                                                           \
    { key, JSON_TEXT, JSON_NULLABLE, offsetof(TestViewSide, field) }
static const JsonField OWN_FIELDS[2][5] = {
    {SIDE("dev_engine", engine),
     SIDE("dev_options", options),
     SIDE("dev_time_control", time_control),
     SIDE("dev_netname", network),
     {"dev_repo", JSON_TEXT, JSON_OPTIONAL, offsetof(TestViewSide, repo)}},
    {SIDE("base_engine", engine),
     SIDE("base_options", options),
     SIDE("base_time_control", time_control),
     SIDE("base_netname", network),
     {"base_repo", JSON_TEXT, JSON_OPTIONAL, offsetof(TestViewSide, repo)}},
};
static const JsonField SIDE_FIELDS[] = {
    SIDE("name", branch),
    SIDE("sha", sha),
    {"bench", JSON_INT, JSON_NULLABLE, offsetof(TestViewSide, bench)},
};

bool testview_read(const ApiAnswer *answer, TestView *view, Error *err) {
    const cJSON *info = json_object(answer->json, "answer", "info", err);
    if (!info || !json_read(info, "answer.info", VIEW_FIELDS, COUNT(VIEW_FIELDS), view, err))
        return false;
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++) {
        const cJSON *object = json_object(info, "answer.info", side_name(side), err);
        if (!object ||
            !json_read(object, "answer.info.(dev|base)", SIDE_FIELDS, COUNT(SIDE_FIELDS),
                       &view->sides[side], err) ||
            !json_read(info, "answer.info", OWN_FIELDS[side], COUNT(OWN_FIELDS[side]),
                       &view->sides[side], err))
            return false;
    }
    return api_read_test_games(answer, &view->tally, err) &&
           api_read_test_pairs(answer, &view->tally.penta, err);
}

void testview_free(TestView *view) {
    json_free_fields(VIEW_FIELDS, COUNT(VIEW_FIELDS), view);
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++) {
        json_free_fields(SIDE_FIELDS, COUNT(SIDE_FIELDS), &view->sides[side]);
        json_free_fields(OWN_FIELDS[side], COUNT(OWN_FIELDS[side]), &view->sides[side]);
    }
}

/* ---- The test's counts ---- */

typedef struct {
    char *user;
    ResultGroup group;
} MachineRow;

#define ROW(key, type, field)                                                                      \
    { key, type, JSON_REQUIRED, offsetof(MachineRow, field) }
static const JsonField MACHINE_FIELDS[] = {
    ROW("machine__user__username", JSON_TEXT, user),
    ROW("timeloss", JSON_INT, group.tally.timelosses),
    ROW("crashes", JSON_INT, group.tally.crashes),
};

static bool read_machine(const cJSON *item, ResultGroups *groups, Error *err) {
    MachineRow row = {.group = {.kind = "machine", .faults_known = true}};
    int64_t machine;
    bool ok = api_read_row(item, &machine, &row.group.tally.penta, err) &&
              json_read(item, "answer.results", MACHINE_FIELDS, COUNT(MACHINE_FIELDS), &row, err);
    const int64_t faults[] = {row.group.tally.timelosses, row.group.tally.crashes};
    ok = ok && counts_are_sound(faults, COUNT(faults), "answer.results", err);
    if (ok) {
        Text name = {0};
        text_addf(&name, "%s, machine %" PRId64, row.user, machine);
        row.group.name = name.data;
        groups_add(groups, &row.group);
        text_free(&name);
    }
    json_free_fields(MACHINE_FIELDS, COUNT(MACHINE_FIELDS), &row);
    return ok;
}

bool testview_read_machines(const ApiAnswer *answer, ResultGroups *groups, Error *err) {
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(answer->json, "results");
    if (!cJSON_IsArray(rows))
        return error_set(err, "answer.results: expected a list");
    const cJSON *item;
    cJSON_ArrayForEach(item, rows) {
        if (!read_machine(item, groups, err))
            return false;
    }
    return true;
}

/* "(0, 1, 3, 1, 1)" */
static bool read_penta_text(const char *text, Penta *penta, Error *err) {
    int end = 0;
    int64_t *n = penta->n;
    if (sscanf(text, "(%" SCNd64 ", %" SCNd64 ", %" SCNd64 ", %" SCNd64 ", %" SCNd64 ")%n", &n[0],
               &n[1], &n[2], &n[3], &n[4], &end) != PENTA_CELLS ||
        text[end] != '\0')
        return error_set(err, "answer.summary: '%.60s' are no counts of pairs", text);
    return counts_are_sound(n, PENTA_CELLS, "answer.summary", err);
}

static bool read_summary_row(const cJSON *item, const char *kind, ResultGroups *groups,
                             Error *err) {
    typedef struct {
        char *key, *penta;
    } Row;
    static const JsonField fields[] = {
        {"key", JSON_TEXT, JSON_NULLABLE, offsetof(Row, key)},
        {"penta", JSON_TEXT, JSON_REQUIRED, offsetof(Row, penta)},
    };
    Row row = {0};
    ResultGroup group = {.kind = kind};
    bool ok = json_read(item, "answer.summary", fields, COUNT(fields), &row, err) &&
              read_penta_text(row.penta, &group.tally.penta, err);
    if (ok) {
        group.name = row.key ? row.key : "not told";
        groups_add(groups, &group);
    }
    json_free_fields(fields, COUNT(fields), &row);
    return ok;
}

bool testview_read_summary(const ApiAnswer *answer, ResultGroups *groups, Error *err) {
    static const struct {
        const char *key, *kind;
        int least; /* With fewer rows the kind is left out. */
    } KINDS[] = {{"user", "user", 2}, {"cpu_name", "CPU", 1}, {"isa_name", "instruction set", 2}};
    const cJSON *summary = json_object(answer->json, "answer", "summary", err);
    if (!summary)
        return false;
    for (size_t i = 0; i < COUNT(KINDS); i++) {
        const cJSON *rows = cJSON_GetObjectItemCaseSensitive(summary, KINDS[i].key);
        size_t before = groups->count;
        const cJSON *item;
        cJSON_ArrayForEach(item, rows) {
            if (!read_summary_row(item, KINDS[i].kind, groups, err))
                return false;
        }
        if (cJSON_GetArraySize(rows) < KINDS[i].least)
            groups_cut(groups, before);
    }
    return true;
}

/* ---- A tuning ---- */

enum { DIGITS_MAX = 64, SHOWN = 60 };

/* The length of the text's start up to a comma or the end. */
static size_t field_length(const char *s, const char *end) {
    const char *comma = memchr(s, ',', (size_t)(end - s));
    return (size_t)((comma ? comma : end) - s);
}

/* Reads the numbers of "LmrBase,781.5000,780,0,2048,140.1460,60.0000,0.0016,0.0020". *name: the
 * length of the name. */
static bool read_numbers(const char *line, const char *end, size_t *name,
                         double numbers[TUNED_NUMBERS]) {
    static const double NUMBER_MAX = 1e15;
    Error unused = {0};
    *name = field_length(line, end);
    const char *s = line + *name;
    for (int i = 0; i < TUNED_NUMBERS && s < end; i++) {
        char digits[DIGITS_MAX];
        size_t length = field_length(s + 1, end);
        snprintf(digits, sizeof digits, "%.*s", (int)length, s + 1);
        if (length >= sizeof digits ||
            !text_to_double(digits, -NUMBER_MAX, NUMBER_MAX, "", &numbers[i], &unused))
            return false;
        s += 1 + length;
        if (i == TUNED_NUMBERS - 1)
            return *name > 0 && s == end;
    }
    return false;
}

static bool read_parameter(const char *line, const char *end, TunedParameters *out, Error *err) {
    TunedParameter parameter = {0};
    size_t name;
    if (!read_numbers(line, end, &name, parameter.numbers))
        return error_set(err, "the digest's line '%.*s' does not describe a parameter",
                         end - line > SHOWN ? SHOWN : (int)(end - line), line);
    parameter.name = mem_strndup(line, name);
    tuned_add(out, &parameter);
    free(parameter.name);
    return true;
}

bool testview_read_digest(const char *text, TunedParameters *parameters, Error *err) {
    static const char COLUMNS[] = "Name,Curr,Start,Min,Max,C,C_end,R,R_end";
    bool first = true;
    size_t length;
    for (const char *s; (s = text_next_line(&text, &length)) != NULL;) {
        const char *end = s + length - (length > 0 && s[length - 1] == '\r');
        if (first &&
            ((size_t)(end - s) != strlen(COLUMNS) || memcmp(s, COLUMNS, strlen(COLUMNS)) != 0))
            break;
        if (!first && end > s && !read_parameter(s, end, parameters, err))
            return false;
        first = false;
    }
    return !first || error_set(err, "the digest does not begin with '%s'", COLUMNS);
}
