/* SPDX-License-Identifier: MIT */
#include "openbench/testform.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/memory.h"
#include "stats/tuning.h"

enum { FILE_LIMIT = 1 << 20 };
/* A server may ask the repositories of both branches first. A form that is sent again makes a
 * second test. */
enum { FORM_TIMEOUT_MS = 150000 };
enum {
    HTTP_REDIRECTS = 300,
    HTTP_CLIENT_ERRORS = 400,
    HTTP_STATUS_FORBIDDEN = 403,
    HTTP_SERVER_ERRORS = 500
};

/* Sets of kinds. */
enum {
    TEST = 1 << TESTFORM_TEST,
    TUNE = 1 << TESTFORM_TUNE,
    DATAGEN = 1 << TESTFORM_DATAGEN,
    ALL = TEST | TUNE | DATAGEN
};

/* A field, its usual value, and the kinds of form where the field has this usual value. */
static const struct {
    const char *name, *usual;
    unsigned kinds;
} fields[] = {
    {"dev_engine", "Reductio", ALL},
    {"dev_repo", "", ALL},
    {"dev_branch", "", ALL},
    {"dev_bench", "", ALL},
    {"dev_network", "", ALL},
    {"dev_options", "Threads=1 Hash=16", ALL},
    {"dev_time_control", "8.0+0.08", TEST | TUNE},
    {"dev_time_control", "N=5000", DATAGEN},
    {"base_engine", "Reductio", TEST | DATAGEN},
    {"base_repo", "", TEST | DATAGEN},
    {"base_branch", "main", TEST | DATAGEN},
    {"base_bench", "", TEST | DATAGEN},
    {"base_network", "", TEST | DATAGEN},
    {"base_options", "Threads=1 Hash=16", TEST | DATAGEN},
    {"base_time_control", "8.0+0.08", TEST},
    {"base_time_control", "N=5000", DATAGEN},
    {"test_mode", "SPRT", TEST},
    {"test_bounds", "[0.00, 5.00]", TEST},
    {"test_confidence", "[0.05, 0.05]", TEST},
    {"test_max_games", "", TEST},
    {"spsa_reporting_type", "BATCHED", TUNE},
    {"spsa_distribution_type", "SINGLE", TUNE},
    {"spsa_alpha", "0.602", TUNE},
    {"spsa_gamma", "0.101", TUNE},
    {"spsa_A_ratio", "0.1", TUNE},
    {"spsa_iterations", "1000", TUNE},
    {"spsa_pairs_per", "8", TUNE},
    {"spsa_inputs", "", TUNE},
    {"datagen_max_games", "", DATAGEN},
    {"datagen_custom_genfens", "", DATAGEN},
    {"datagen_play_reverses", "NO", DATAGEN},
    {"book_name", "8moves_v3.epd", TEST | TUNE},
    {"book_name", "NONE", DATAGEN},
    {"upload_pgns", "COMPACT", TEST | DATAGEN},
    {"upload_pgns", "FALSE", TUNE},
    {"throughput", "1000", ALL},
    {"workload_size", "32", TEST | DATAGEN},
    {"priority", "0", ALL},
    {"syzygy_wdl", "OPTIONAL", ALL},
    {"syzygy_adj", "OPTIONAL", ALL},
    {"win_adj", "movecount=3 score=400", ALL},
    {"draw_adj", "movenumber=40 movecount=8 score=10", ALL},
    {"scale_method", "BASE", ALL},
    {"scale_nps", "1000000", ALL},
    {"info", "", ALL},
};

static_assert(COUNT(fields) == TESTFORM_ROWS, "TESTFORM_ROWS counts the table's rows");

#define SYZYGY_WORDS "OPTIONAL DISABLED 3-MAN 4-MAN 5-MAN 6-MAN 7-MAN"

/* The fields that have one of some words. */
static const struct {
    const char *name, *words;
} choices[] = {
    {"test_mode", "SPRT GAMES"},
    {"spsa_reporting_type", "BATCHED BULK"},
    {"spsa_distribution_type", "SINGLE MULTIPLE"},
    {"datagen_play_reverses", "NO YES"},
    {"upload_pgns", "FALSE COMPACT VERBOSE"},
    {"syzygy_wdl", SYZYGY_WORDS},
    {"syzygy_adj", SYZYGY_WORDS},
    {"scale_method", "BASE DEV BOTH"},
};

static const TestFormNames names[TESTFORM_KINDS] = {
    [TESTFORM_TEST] = {NULL, "test", "test/new/", "test", "test_presets"},
    [TESTFORM_TUNE] = {"SPSA", "tune", "tune/new/", "tuning", "tune_presets"},
    [TESTFORM_DATAGEN] = {"DATAGEN", "datagen", "datagen/new/", "data generation",
                          "datagen_presets"},
};

/* ---- Kinds ---- */

const TestFormNames *testform_names(TestFormKind kind) {
    return &names[kind];
}

TestFormKind testform_kind(const char *mode) {
    for (int kind = 0; kind < TESTFORM_KINDS; kind++)
        if (names[kind].mode && strcmp(names[kind].mode, mode) == 0)
            return (TestFormKind)kind;
    return TESTFORM_TEST;
}

/* ---- Fields ---- */

/* The row of a field in forms of these kinds; COUNT(fields): no such field. */
static size_t find_row(unsigned kinds, const char *name) {
    size_t i = 0;
    while (i < COUNT(fields) && (!(fields[i].kinds & kinds) || strcmp(fields[i].name, name) != 0))
        i++;
    return i;
}

static unsigned kind_of(const TestForm *form) {
    return 1U << form->kind;
}

static bool has_row(const TestForm *form, size_t row) {
    return fields[row].kinds & kind_of(form);
}

/* NULL: the form has no such field. */
static char **find_field(const TestForm *form, const char *name) {
    size_t i = find_row(kind_of(form), name);
    return i < COUNT(fields) ? (char **)&form->values[i] : NULL;
}

const char *testform_name(const TestForm *form, size_t row) {
    return has_row(form, row) ? fields[row].name : NULL;
}

bool testform_has(const TestForm *form, const char *name) {
    assert(find_row(ALL, name) < COUNT(fields));
    return find_field(form, name) != NULL;
}

void testform_set(TestForm *form, const char *name, const char *value) {
    if (!value || !testform_has(form, name))
        return;
    char **field = find_field(form, name);
    free(*field);
    *field = mem_strdup(value);
}

void testform_set_number(TestForm *form, const char *name, double number) {
    Text text = {0};
    text_add_number(&text, number);
    testform_set(form, name, text_string(&text));
    text_free(&text);
}

void testform_set_two(TestForm *form, const char *name, double first, double second) {
    Text text = {0};
    const double numbers[] = {first, second};
    for (size_t i = 0; i < COUNT(numbers); i++) {
        char two[64];
        snprintf(two, sizeof two, "%.2f", numbers[i]);
        text_add(&text, i ? ", " : "[");
        if (strtod(two, NULL) == numbers[i])
            text_add(&text, two);
        else
            text_add_number(&text, numbers[i]);
    }
    text_add_char(&text, ']');
    testform_set(form, name, text_string(&text));
    text_free(&text);
}

const TestFormNumber TESTFORM_SCHEDULE[TESTFORM_SCHEDULE_NUMBERS] = {
    {"spsa_iterations", "SPSA Iterations", offsetof(SpsaSchedule, iterations), true,
     TUNING_ITERATIONS_MAX},
    {"spsa_pairs_per", "SPSA Pairs-Per", offsetof(SpsaSchedule, pairs_per), true,
     TUNING_PAIRS_PER_MAX},
    {"spsa_alpha", "SPSA Alpha", offsetof(SpsaSchedule, alpha), false, TUNING_EXPONENT_MAX},
    {"spsa_gamma", "SPSA Gamma", offsetof(SpsaSchedule, gamma), false, TUNING_EXPONENT_MAX},
    {"spsa_A_ratio", "SPSA A-Ratio", offsetof(SpsaSchedule, a_ratio), false, TUNING_A_RATIO_MAX},
};

void testform_set_schedule(TestForm *form, const SpsaSchedule *schedule) {
    for (size_t i = 0; i < COUNT(TESTFORM_SCHEDULE); i++) {
        const TestFormNumber *number = &TESTFORM_SCHEDULE[i];
        const void *at = (const char *)schedule + number->offset;
        double value = number->whole ? (double)*(const int64_t *)at : *(const double *)at;
        if (value >= 0)
            testform_set_number(form, number->field, value);
    }
}

bool testform_read_number(const TestFormNumber *number, const char *text, const char *name,
                          SpsaSchedule *out, Error *err) {
    void *at = (char *)out + number->offset;
    if (number->whole)
        return text_to_int(text, 1, number->max, name, at, err);
    return text_to_double(text, 0, (double)number->max, name, at, err) &&
           (*(double *)at > 0 || error_set(err, "%s: has to be more than 0", name));
}

bool testform_read_schedule(const TestForm *form, SpsaSchedule *out, Error *err) {
    bool ok = true;
    for (size_t i = 0; ok && i < COUNT(TESTFORM_SCHEDULE); i++) {
        const TestFormNumber *number = &TESTFORM_SCHEDULE[i];
        ok = testform_read_number(number, testform_text(form, number->field), number->field, out,
                                  err);
    }
    return ok;
}

/* Sets an empty field. False: the form has no such field. */
static bool suggest(TestForm *form, const char *name, const char *value) {
    char **field = find_field(form, name);
    if (field && !*field)
        *field = mem_strdup(value);
    return field != NULL;
}

bool testform_suggest(TestForm *form, const char *name, const char *value) {
    static const char both[] = "both_";
    static const char *const sides[] = {"dev_", "base_"};
    bool known = false;
    if (!text_starts_with(name, both))
        return suggest(form, name, value);
    for (size_t i = 0; i < COUNT(sides); i++) {
        char *field = text_format("%s%s", sides[i], name + strlen(both));
        known = suggest(form, field, value) || known;
        free(field);
    }
    return known;
}

const char *testform_get(const TestForm *form, const char *name) {
    return testform_has(form, name) ? *find_field(form, name) : NULL;
}

const char *testform_text(const TestForm *form, const char *name) {
    const char *value = testform_get(form, name);
    return value ? value : "";
}

const char *testform_usual(const TestForm *form, const char *name) {
    size_t row = find_row(kind_of(form), name);
    assert(row < COUNT(fields));
    return fields[row].usual;
}

const char *testform_words(const char *name) {
    for (size_t i = 0; i < COUNT(choices); i++)
        if (strcmp(choices[i].name, name) == 0)
            return choices[i].words;
    return NULL;
}

void testform_fill(TestForm *form) {
    for (size_t i = 0; i < COUNT(fields); i++)
        if (has_row(form, i) && !form->values[i])
            form->values[i] = mem_strdup(fields[i].usual);
}

void testform_copy(const TestForm *from, TestForm *to) {
    *to = (TestForm){.kind = from->kind};
    for (size_t i = 0; i < COUNT(fields); i++)
        to->values[i] = mem_strdup(from->values[i]);
}

void testform_free(TestForm *form) {
    for (size_t i = 0; i < COUNT(fields); i++)
        free(form->values[i]);
    *form = (TestForm){.kind = form->kind};
}

/* ---- A file of fields ---- */

static bool has_lines(const char *name) {
    return strcmp(name, "spsa_inputs") == 0 || strcmp(name, "info") == 0;
}

/* Appends a line to a field's value. */
static void add_line(char **field, const char *line) {
    char *first = *field;
    *field = text_format("%s\n%s", first, line);
    free(first);
}

static bool refuse_name(const TestForm *form, const char *name, Error *err) {
    TextGuess guess = {.word = name};
    for (size_t i = 0; i < COUNT(fields); i++)
        if (has_row(form, i))
            text_guess(&guess, fields[i].name);
    return error_set(err, "the server's form has no field %.40s%s", name, text_guess_hint(&guess));
}

/* Is this line an engine's field without a value? Such a line is skipped. */
static bool is_nameless(const char *field, const char *value) {
    return value[0] == '\0' &&
           (strcmp(field, "dev_engine") == 0 || strcmp(field, "base_engine") == 0);
}

static bool read_line(char *name, int number, void *user, Error *err) {
    TestForm *form = user;
    (void)number;
    size_t end;
    const char *value = text_setting(name, &end);
    if (end == 0 || value == NULL)
        return error_set(err, "expected field = value");
    name[end] = '\0';
    char **field = find_field(form, name);
    if (!field)
        return refuse_name(form, name, err);
    if (is_nameless(name, value))
        return true;
    if (!*field)
        *field = mem_strdup(value);
    else if (has_lines(name))
        add_line(field, value);
    else
        return error_set(err, "%s is given twice", name);
    return true;
}

bool testform_read(TestForm *form, const char *path, Error *err) {
    return file_read_lines(path, FILE_LIMIT, read_line, form, err);
}

static bool look_at_line(char *line, int number, void *user, Error *err) {
    TestForm *form = user;
    (void)number;
    (void)err;
    if (text_starts_with(line, "spsa_"))
        form->kind = TESTFORM_TUNE;
    if (text_starts_with(line, "datagen_"))
        form->kind = TESTFORM_DATAGEN;
    return true;
}

bool testform_find_kind(TestForm *form, const char *path, Error *err) {
    return file_read_lines(path, FILE_LIMIT, look_at_line, form, err);
}

/* ---- Sending ---- */

void testform_compose(const ApiAccount *account, const FormSession *session, const TestForm *form,
                      HttpRequest *request) {
    Text body = {0};
    bool test = form->kind == TESTFORM_TEST;
    for (size_t i = 0; i < COUNT(fields); i++)
        if (has_row(form, i))
            http_form_add(&body, fields[i].name, form->values[i] ? form->values[i] : "");
    if (test) { /* The server also accepts a test's form from programs without a session. */
        http_form_add(&body, "username", account->username);
        http_form_add(&body, "password", account->password);
        http_form_add(&body, "action", "CREATE_TEST");
    }
    formsession_send(account, session, test ? "scripts/" : names[form->kind].page, &body, request);
    request->timeout_ms = FORM_TIMEOUT_MS;
}

/* ---- The answer ---- */

/* Appends the text of a page between two places, without markup and with decoded entities. */
static void add_plain(Text *out, const char *from, const char *to) {
    static const struct {
        const char *entity;
        char meaning;
    } entities[] = {{"&quot;", '"'},  {"&amp;", '&'},  {"&lt;", '<'},  {"&gt;", '>'},
                    {"&#x27;", '\''}, {"&#39;", '\''}, {"&#34;", '"'}, {"&#38;", '&'},
                    {"&#60;", '<'},   {"&#62;", '>'}};
    while (from < to) {
        size_t i = 0;
        if (*from == '<') {
            const char *end = memchr(from, '>', (size_t)(to - from));
            from = end ? end + 1 : to;
            continue;
        }
        while (i < COUNT(entities) && !text_starts_with(from, entities[i].entity))
            i++;
        text_add_char(out, i < COUNT(entities) ? entities[i].meaning : *from);
        from += i < COUNT(entities) ? strlen(entities[i].entity) : 1;
    }
}

/* Reads the lines of <div class="error-message"><pre>...</pre>. */
static void read_reasons(const char *page, Words *reasons) {
    const char *box = strstr(page, "error-message");
    const char *from = box ? strstr(box, "<pre>") : NULL;
    const char *to = from ? strstr(from, "</pre>") : NULL;
    if (!to)
        return;
    Text plain = {0};
    add_plain(&plain, from + strlen("<pre>"), to);
    const char *rest = text_string(&plain);
    size_t end;
    for (const char *line; (line = text_next_line(&rest, &end)) != NULL;) {
        const char *start = line + strspn(line, " \t");
        while (line + end > start && isspace((unsigned char)line[end - 1]))
            end--;
        if (line + end > start) {
            char *reason = mem_strndup(start, (size_t)(line + end - start));
            words_add(reasons, reason);
            free(reason);
        }
    }
    text_free(&plain);
}

TestFormVerdict testform_judge(const HttpResponse *response, Words *reasons) {
    const char *url = response->url ? response->url : "";
    bool taken = text_ends_with(url, "/index/"); /* Where a server redirects to. */
    if (response->outcome != HTTP_DONE) {
        bool redirected =
            response->status >= HTTP_REDIRECTS && response->status < HTTP_CLIENT_ERRORS;
        words_add(reasons, response->error.text);
        return redirected || (response->outcome != HTTP_REFUSED && response->sent)
                   ? TESTFORM_LOST
                   : TESTFORM_REFUSED;
    }
    if (response->status != HTTP_OK && taken) {
        words_addf(reasons, "%s answers with HTTP status %d", url, response->status);
        return TESTFORM_LOST;
    }
    if (response->status == HTTP_STATUS_FORBIDDEN) {
        words_addf(reasons, "it takes no form from here (HTTP status 403)");
        return TESTFORM_FORGED;
    }
    size_t before = reasons->count;
    bool refused = response->status >= HTTP_CLIENT_ERRORS && response->status < HTTP_SERVER_ERRORS;
    if (refused)
        read_reasons(text_string(&response->body), reasons);
    if (response->status != HTTP_OK) {
        if (reasons->count == before)
            words_addf(reasons, "it answers with HTTP status %d", response->status);
        return refused ? TESTFORM_REFUSED : TESTFORM_LOST;
    }
    read_reasons(text_string(&response->body), reasons);
    if (reasons->count == before && taken)
        return TESTFORM_CREATED;
    if (reasons->count == before)
        words_addf(reasons, "it shows %s and says no reason", url);
    return TESTFORM_REFUSED;
}

/* ---- The new workload ---- */

static int newest_first(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

void testform_add_path(const TestForm *form, int64_t id, Text *out) {
    text_addf(out, "%s/%" PRId64 "/", names[form->kind].path, id);
}

void testform_links(const TestForm *form, const char *page, IntList *ids) {
    Text link = {0};
    size_t capacity = 0;
    *ids = (IntList){0};
    text_addf(&link, "/%s/", names[form->kind].path);
    for (const char *at = page; (at = strstr(at, text_string(&link)));) {
        at += link.length;
        size_t digits = strspn(at, "0123456789");
        if (digits == 0 || digits > 15 || at[digits] != '/')
            continue;
        MEM_ADD(ids->items, ids->count, capacity, strtoll(at, NULL, 10));
    }
    text_free(&link);
    if (ids->count)
        qsort(ids->items, ids->count, sizeof *ids->items, newest_first);
    size_t kept = 0;
    for (size_t i = 0; i < ids->count; i++)
        if (kept == 0 || ids->items[i] != ids->items[kept - 1])
            ids->items[kept++] = ids->items[i];
    ids->count = kept;
}

/* The compared fields of a workload. */
typedef struct {
    char *author, *mode, *book;
    char *engines[2], *options[2], *branches[2];
} Identity;

/* Does the form have this value? Fields that the form lacks always match, because the server filled
 * them in. */
static bool same(const char *text, const TestForm *form, const char *field) {
    const char *said = testform_get(form, field);
    return !testform_has(form, field) || (text && strcmp(text, said ? said : "") == 0);
}

bool testform_is(const ApiAnswer *info, const TestForm *form, const char *username) {
    static const JsonField of_test[] = {
        {"author", JSON_TEXT, JSON_REQUIRED, offsetof(Identity, author)},
        {"test_mode", JSON_TEXT, JSON_REQUIRED, offsetof(Identity, mode)},
        {"book_name", JSON_TEXT, JSON_REQUIRED, offsetof(Identity, book)},
        {"dev_engine", JSON_TEXT, JSON_REQUIRED, offsetof(Identity, engines[0])},
        {"base_engine", JSON_TEXT, JSON_REQUIRED, offsetof(Identity, engines[1])},
        {"dev_options", JSON_TEXT, JSON_REQUIRED, offsetof(Identity, options[0])},
        {"base_options", JSON_TEXT, JSON_REQUIRED, offsetof(Identity, options[1])},
    };
    static const JsonField of_dev[] = {
        {"name", JSON_TEXT, JSON_REQUIRED, offsetof(Identity, branches[0])}};
    static const JsonField of_base[] = {
        {"name", JSON_TEXT, JSON_REQUIRED, offsetof(Identity, branches[1])}};
    Identity id = {0};
    const cJSON *test = json_object(info->json, "answer", "info", NULL);
    const cJSON *dev = test ? json_object(test, "answer.info", "dev", NULL) : NULL;
    const cJSON *base = test ? json_object(test, "answer.info", "base", NULL) : NULL;
    bool is = dev && base && json_read(test, "answer.info", of_test, COUNT(of_test), &id, NULL) &&
              json_read(dev, "answer.info.dev", of_dev, 1, &id, NULL) &&
              json_read(base, "answer.info.base", of_base, 1, &id, NULL) &&
              strcmp(id.author, username) == 0 && testform_kind(id.mode) == form->kind &&
              same(id.mode, form, "test_mode") && same(id.book, form, "book_name") &&
              same(id.engines[0], form, "dev_engine") && same(id.engines[1], form, "base_engine") &&
              same(id.options[0], form, "dev_options") &&
              same(id.options[1], form, "base_options") &&
              same(id.branches[0], form, "dev_branch") && same(id.branches[1], form, "base_branch");
    json_free_fields(of_test, COUNT(of_test), &id);
    json_free_fields(of_dev, 1, &id);
    json_free_fields(of_base, 1, &id);
    return is;
}

bool testform_waits(const ApiAnswer *info) {
    const cJSON *test = json_object(info->json, "answer", "info", NULL);
    return cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(test, "approved"));
}
