/* SPDX-License-Identifier: MIT */
/* Workloads and build information: every fault in them is named. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "openbench/api.h"
#include "openbench/artifacts.h"
#include "openbench/workload.h"
#include "runner.h"
#include "tools/random.h"

enum { TIMEOUT_S = 120, MUTATIONS = 4000 };

static const char build[] = "{\"path\": \"src\", \"compilers\": [\"gcc\", \"clang>=9.0.0\"], "
                            "\"cpuflags\": [\"POPCNT\"], \"systems\": [\"Linux\"]}";

/* One side as a server writes it. */
static void add_side(Text *out, const char *key, const char *sha) {
    text_addf(out,
              "\"%s\": {\"id\": 3, \"name\": \"%s-branch\", \"source\": \"http://x/y.zip\", "
              "\"sha\": \"%s\", \"bench\": 10408355, \"engine\": \"Weiss\", "
              "\"options\": \"Threads=1 Hash=8\", \"network\": \"\", \"netname\": \"\", "
              "\"time_control\": \"N=2000\", \"build\": %s, \"private\": false}",
              key, key, sha, build);
}

/* A whole workload of our own making. Allocated. */
static char *minimal(const char *type, const char *extra, const char *spsa) {
    Text out = {0};
    text_addf(&out,
              "{\"workload\": {\"result\": {\"id\": 7}, \"test\": {\"id\": 5, \"type\": \"%s\", "
              "\"syzygy_wdl\": \"OPTIONAL\", \"syzygy_adj\": \"5-MAN\", \"win_adj\": \"None\", "
              "\"draw_adj\": \"None\", \"workload_size\": 8, \"upload_pgns\": \"FALSE\", "
              "\"genfens_args\": \"\", \"play_reverses\": false, \"scale_method\": \"BASE\", "
              "\"scale_nps\": 1000000, \"book\": {\"name\": \"b.epd\", \"sha\": "
              "\"1f055af431656f09ee6a09d2448e0b876125f78bb7b404fca2031c403a1541e5\", "
              "\"source\": \"http://x/b.zip\"}, ",
              type);
    add_side(&out, "dev", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    text_add(&out, ", ");
    add_side(&out, "base", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb");
    text_addf(&out,
              ", \"book_seed\": 2, \"book_index\": 33%s}, \"distribution\": {\"runner-count\": 2, "
              "\"concurrency-per\": 2, \"rounds-per-runner\": 16}, \"spsa\": %s, "
              "\"reporting_type\": \"\"}}",
              extra, spsa);
    return text_take(&out);
}

/* Reads a workload from text. */
static bool parse(const char *text, Workload *out, bool *none, Error *err) {
    *out = (Workload){0};
    cJSON *json = json_parse(text, strlen(text), err);
    if (!json)
        return false;
    bool ok = workload_parse(json, out, none, err);
    cJSON_Delete(json);
    return ok;
}

START_TEST(a_workload_is_read_whole) {
    Workload w;
    bool none;
    Error err = {0};
    char *text = minimal("SPRT", "", "null");
    ck_assert_msg(parse(text, &w, &none, &err), "%s", err.text);
    ck_assert(!none);
    ck_assert_int_eq(w.result_id, 7);
    ck_assert_int_eq(w.test_id, 5);
    ck_assert_int_eq(w.type, WORKLOAD_SPRT);
    ck_assert_str_eq(w.syzygy_adj, "5-MAN");
    ck_assert_str_eq(w.dev.name, "dev-branch");
    ck_assert_str_eq(w.base.sha, "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb");
    ck_assert_int_eq(w.base.bench, 10408355);
    ck_assert_uint_eq(w.dev.recipe.compilers.count, 2);
    ck_assert_str_eq(w.dev.recipe.compilers.items[1], "clang>=9.0.0");
    ck_assert_int_eq(w.book_index, 33);
    ck_assert_int_eq(workload_openings(&w), 16);
    workload_free(&w);
    free(text);
}
END_TEST

/* The book's SHA-256 becomes the name of a file. */
START_TEST(the_book_none_has_neither_sha_nor_source) {
    Workload w;
    bool none;
    Error err = {0};
    Text text = {0};
    char *whole = minimal("DATAGEN", ", \"genfens_seeds\": [1]", "null");
    char *at = strstr(whole, "b.epd\", \"sha\": \"");
    text_add_bytes(&text, whole, (size_t)(at - whole));
    text_addf(&text, "NONE\", \"sha\": \"../../etc/hostname%s", strstr(at, "\", \"source\""));
    ck_assert_msg(parse(text_string(&text), &w, &none, &err), "%s", err.text);
    ck_assert_str_eq(w.book.name, "NONE");
    ck_assert_msg(!w.book.sha, "the sha is %s", w.book.sha);
    ck_assert_msg(!w.book.source, "the source is %s", w.book.source);
    workload_free(&w);
    text_free(&text);
    free(whole);
}
END_TEST

START_TEST(an_empty_object_is_no_work) {
    Workload w;
    bool none;
    Error err = {0};
    ck_assert(parse("{}", &w, &none, &err));
    ck_assert(none);
    workload_free(&w);
}
END_TEST

START_TEST(spsa_values_are_ordered_by_index_and_belong_to_runners) {
    Workload w;
    bool none;
    Error err = {0};
    char *text = minimal("SPSA", "",
                         "{\"B\": {\"index\": 1, \"dev\": [2.5, 1.5], \"base\": [1.5, 2.5], "
                         "\"flip\": [1, -1], \"c\": 0.5, \"r\": 0.25}, \"A\": {\"index\": 0, "
                         "\"dev\": [900, 600], \"base\": [600, 900], \"flip\": [-1, 1], "
                         "\"c\": 150.0, \"r\": 0.001}}");
    ck_assert_msg(parse(text, &w, &none, &err), "%s", err.text);
    ck_assert_uint_eq(w.spsa_count, 2);
    ck_assert_str_eq(w.spsa[0].name, "A");
    ck_assert_str_eq(w.spsa[1].name, "B");
    ck_assert_int_eq(w.spsa[0].flip.items[0], -1);
    ck_assert_double_eq(w.spsa[1].dev.items[0], 2.5);
    workload_free(&w);
    free(text);
    text = minimal("SPSA", "",
                   "{\"B\": {\"index\": 1, \"dev\": [2.5], \"base\": [1.5, 2.5], "
                   "\"flip\": [1, -1], \"c\": 0.5, \"r\": 0.25}}");
    ck_assert(!parse(text, &w, &none, &err));
    ck_assert_msg(strstr(err.text, "1 dev") != NULL, "%s", err.text);
    workload_free(&w);
    free(text);
}
END_TEST

/* What is put in place of `from`, and the words that the fault must have. */
static const struct {
    const char *from, *to, *words;
} faults[] = {
    {"\"bench\": 10408355", "\"bench\": \"x\"", "workload.test.dev.bench: expected a whole number"},
    {"\"bench\": 10408355", "\"bench\": 1.5", "workload.test.dev.bench"},
    {"\"bench\": 10408355", "\"bench\": 1e300", "workload.test.dev.bench"},
    {"\"bench\": 10408355, ", "", "workload.test.dev.bench is missing"},
    {"\"type\": \"SPRT\"", "\"type\": \"CHESS\"", "\"CHESS\" is not one of"},
    {"\"type\": \"SPRT\"", "\"type\": null", "workload.test.type: expected text, found null"},
    {"\"book_index\": 33", "\"book_index\": 0", "workload.test.book_index"},
    {"\"runner-count\": 2", "\"runner-count\": -1", "runner-count"},
    {"\"runner-count\": 2", "\"runner-count\": 1000000000", "runner-count"},
    {"\"rounds-per-runner\": 16", "\"rounds-per-runner\": 1", "rounds-per-runner"},
    {"\"sha\": \"aaaa", "\"sha\": \"/etc", "workload.test.dev.sha"},
    {"\"sha\": \"1f05", "\"sha\": \"1f0", "workload.test.book.sha"},
    {"\"engine\": \"Weiss\"", "\"engine\": \"We\\niss\"", "workload.test.dev.engine: there is a"},
    {"\"network\": \"\"", "\"network\": \"../x\"", "workload.test.dev.network"},
    {"\"compilers\": [\"gcc\"", "\"compilers\": [3", "build.compilers: expected a list of texts"},
    {"\"result\": {\"id\": 7}", "\"result\": []", "workload.result: expected an object"},
    {"{\"workload\": {", "{\"workload\": {\"result\": 1, ", "workload.result: expected an object"},
    {"\"1f055af431656f09ee6a09d2448e0b876125f78bb7b404fca2031c403a1541e5\"", "null",
     "workload.test.book: b.epd has no sha"},
    {"\"http://x/b.zip\"", "null", "workload.test.book: b.epd has no source"},
    {"\"concurrency-per\": 2", "\"concurrency-per\": 0", "concurrency-per: 0 is not in 1..4096"},
    {"\"concurrency-per\": 2", "\"concurrency-per\": 4097", "concurrency-per: 4097 is not in"},
    {"\"runner-count\": 2, \"concurrency-per\": 2, \"rounds-per-runner\": 16",
     "\"runner-count\": 4096, \"concurrency-per\": 2, \"rounds-per-runner\": 8194",
     "pairs of the workload: 16781312 is not in 1..16777216"},
};

/* The workload is not taken when `to` stands in place of `from`. */
static void expect_fault(const char *whole, const char *from, const char *to, const char *words) {
    char *at = strstr(whole, from);
    ck_assert_ptr_nonnull(at);
    Text text = {0};
    text_add_bytes(&text, whole, (size_t)(at - whole));
    text_add(&text, to);
    text_add(&text, at + strlen(from));
    Workload w;
    bool none;
    Error err = {0};
    ck_assert_msg(!parse(text_string(&text), &w, &none, &err), "taken: %s", to);
    ck_assert_msg(strstr(err.text, words) != NULL, "said: %s\nwanted: %s", err.text, words);
    workload_free(&w);
    text_free(&text);
}

START_TEST(a_fault_is_named_with_its_place) {
    char *whole = minimal("SPRT", "", "null");
    expect_fault(whole, faults[_i].from, faults[_i].to, faults[_i].words);
    free(whole);
}
END_TEST

/* So many names, as in a list of texts, with a comma after each. Allocated. */
static char *names(int count) {
    Text out = {0};
    for (int i = 0; i < count; i++)
        text_addf(&out, "\"c%d\", ", i);
    return text_take(&out);
}

/* The workload is not taken when `added` comes after `from`. */
static void expect_added(const char *whole, const char *from, const char *added,
                         const char *words) {
    char *to = text_format("%s%s", from, added);
    expect_fault(whole, from, to, words);
    free(to);
}

START_TEST(lists_without_measure_are_refused) {
    static const struct {
        const char *from, *words;
    } lists[] = {{"\"compilers\": [", "workload.test.dev.build.compilers: 65 entries; at most 64"},
                 {"\"cpuflags\": [", "workload.test.dev.build.cpuflags: 65 entries; at most 64"},
                 {"\"systems\": [", "workload.test.dev.build.systems: 65 entries; at most 64"}};
    char *whole = minimal("SPRT", "", "null");
    for (size_t i = 0; i < COUNT(lists); i++) {
        char *added = names(i == 0 ? 63 : 64);
        expect_added(whole, lists[i].from, added, lists[i].words);
        free(added);
    }
    char *option = mem_alloc(4097);
    memset(option, 'o', 4096);
    option[4096] = '\0';
    expect_added(whole, "\"options\": \"", option,
                 "workload.test.dev.options: 4112 bytes; at most 4096 are taken");
    free(option);
    free(whole);
}
END_TEST

/* So many engines with 64 compilers each. */
static bool read_engines(int engines, Error *err) {
    Text text = {0};
    char *compilers = names(63);
    for (int i = 0; i < engines; i++)
        text_addf(&text,
                  "%s\"E%d\": {\"path\": \"src\", \"compilers\": [%s\"gcc\"], \"cpuflags\": [], "
                  "\"systems\": [], \"private\": false}",
                  i ? ", " : "{", i, compilers);
    text_add_char(&text, '}');
    cJSON *json = json_parse(text_string(&text), text.length, err);
    ck_assert_msg(json != NULL, "%s", err->text);
    BuildInfo info;
    bool ok = build_info_parse(json, &info, err);
    build_info_free(&info);
    cJSON_Delete(json);
    text_free(&text);
    free(compilers);
    return ok;
}

START_TEST(engines_without_measure_are_refused) {
    Error err = {0};
    ck_assert_msg(read_engines(64, &err), "%s", err.text);
    ck_assert(!read_engines(65, &err));
    ck_assert_str_eq(err.text, "65 engines have 4160 compilers; at most 4096 are taken");
}
END_TEST

START_TEST(a_fault_of_a_tuning_is_named) {
    char *whole = minimal("SPSA", "",
                          "{\"B\": {\"index\": 1, \"dev\": [2.5, 1.5], \"base\": [1.5, 2.5], "
                          "\"flip\": [1, -1], \"c\": 0.5, \"r\": 0.25}}");
    expect_fault(whole, "[1, -1]", "[1, 0]", "workload.spsa: B: a flip is neither 1 nor -1");
    expect_fault(whole, "0.25", "1e308", "workload.spsa: B: r x c is beyond all numbers");
    free(whole);
}
END_TEST

START_TEST(a_fault_of_a_data_generation_is_named) {
    char *whole = minimal("DATAGEN", ", \"genfens_seeds\": [1]", "null");
    expect_fault(whole, "[1]", "[]", "genfens_seeds: its length: 0 is not in 1..4096");
    expect_fault(whole, "\"runner-count\": 2, \"concurrency-per\": 2, \"rounds-per-runner\": 16",
                 "\"runner-count\": 4096, \"concurrency-per\": 2, \"rounds-per-runner\": 1026",
                 "openings of the workload: 4202496 is not in 1..4194304");
    free(whole);
}
END_TEST

/* Changes a few bytes, cuts or repeats a part: still mostly JSON, sometimes not. */
static void mutate(Text *text, uint64_t *state) {
    static const char bytes[] = "{}[]\",:0123456789-.eEnulltrue\\ \x01\xff";
    for (uint64_t n = 1 + next_random(state) % 4; n > 0 && text->length > 1; n--) {
        size_t at = next_random(state) % text->length;
        switch (next_random(state) % 4) {
        case 0:
            text->data[at] = bytes[next_random(state) % (sizeof bytes - 1)];
            break;
        case 1:
            text->length = at + 1;
            text->data[text->length] = '\0';
            break;
        case 2: {
            size_t length = next_random(state) % (text->length - at);
            memmove(text->data + at, text->data + at + length, text->length - at - length);
            text->length -= length;
            text->data[text->length] = '\0';
            break;
        }
        default: {
            size_t length = next_random(state) % (text->length - at) % 200;
            char *part = mem_strndup(text->data + at, length);
            text_add(text, part);
            free(part);
        }
        }
    }
}

/* Reads the document as each of the answers that a server gives. */
static void read_as_any_answer(cJSON *json, const char *text, size_t length) {
    ApiAnswer answer = {.verdict = API_OK, .json = json};
    Error err = {0};
    int64_t number;
    Penta penta;
    char *words = NULL;
    ApiTestInfo info;
    ApiServerConfig config;
    ApiTestCounts counts;
    Artifacts artifacts;
    api_read_client_version(&answer, &number, &err);
    if (api_read_registration(&answer, &number, &words, &err))
        free(words);
    words = NULL;
    api_read_runner_version(&answer, &words, &err);
    free(words);
    api_read_test_results(&answer, 2, &counts, &err);
    api_read_test_pairs(&answer, &penta, &err);
    api_read_test_info(&answer, &info, &err);
    api_read_config(&answer, &config, &err);
    api_config_free(&config);
    api_is_receipt(&answer);
    api_read_stop(&answer);
    artifacts_parse(text, length, &artifacts, &err);
    artifacts_free(&artifacts);
}

static void survive(const char *whole, uint64_t seed) {
    uint64_t state = seed;
    for (int i = 0; i < MUTATIONS; i++) {
        Text text = {0};
        text_add(&text, whole);
        mutate(&text, &state);
        Error err = {0};
        cJSON *json = json_parse(text_string(&text), text.length, &err);
        if (json) {
            Workload w;
            BuildInfo info;
            bool none;
            if (!workload_parse(json, &w, &none, &err))
                ck_assert(err.text[0] != '\0');
            workload_free(&w);
            build_info_parse(json, &info, &err);
            build_info_free(&info);
            read_as_any_answer(json, text_string(&text), text.length);
            cJSON_Delete(json);
        } else {
            ck_assert(err.text[0] != '\0');
        }
        text_free(&text);
    }
}

START_TEST(no_shape_of_json_does_harm) {
    char *sprt = minimal("SPRT", "", "null");
    char *datagen = minimal("DATAGEN", ", \"genfens_seeds\": [1, 2, 3]", "null");
    survive(sprt, 0x9E3779B97F4A7C15U);
    survive(datagen, 0xD1B54A32D192ED03U);
    survive("{\"Weiss\": {\"path\": \"src\", \"compilers\": [\"gcc\"], \"cpuflags\": [], "
            "\"systems\": [], \"private\": false}}",
            0x2545F4914F6CDD1DU);
    survive(
        "{\"info\": {\"test_mode\": \"SPRT\", \"games\": 12, \"currentllr\": 0.04, \"lowerllr\": "
        "-2.25, \"upperllr\": 2.89}, \"client_version\": 49, \"machine_id\": 2, \"secret\": "
        "\"ab\", "
        "\"fastchess_min_version\": \"1.8.1\", \"engines\": [\"A\"], \"books\": {\"b\": {}}, "
        "\"stop\": true, \"artifacts\": [{\"name\": \"a\", \"archive_download_url\": \"u\", "
        "\"expired\": false}], \"results\": [{\"machine__id\": 2, \"games\": 2, \"LL\": 1, \"LD\": "
        "0, "
        "\"DD\": 0, \"DW\": 0, \"WW\": 0}]}",
        0x9E6C63D0876A9A47U);
    free(sprt);
    free(datagen);
    Text deep = {0};
    for (int i = 0; i < 100000; i++)
        text_add_char(&deep, '[');
    Error err = {0};
    ck_assert_ptr_null(json_parse(text_string(&deep), deep.length, &err));
    text_free(&deep);
}
END_TEST

START_TEST(a_binary_is_named_as_the_server_knows_it) {
    WorkloadSide side = {.engine = "Weiss", .sha = "aaaabbbbcccc", .network = ""};
    char *name = workload_binary_name(&side);
    ck_assert_str_eq(name, "Weiss-AAAABBBB");
    free(name);
    side.network = "0123456789ABCDEF";
    name = workload_binary_name(&side);
    ck_assert_str_eq(name, "Weiss-AAAABBBB-89ABCDEF");
    free(name);
}
END_TEST

static const struct {
    const char *names, *flags;
    bool slow_pext;
    const char *best;
} choices[] = {
    {"e-linux-avx2 e-windows-avx512 e-linux-popcnt", "AVX2 POPCNT AVX512BW", false, "e-linux-avx2"},
    {"e-linux-avx2 e-linux-avx512", "AVX2 AVX512BW", false, "e-linux-avx512"},
    {"e-linux-avx2-pext e-linux-avx2-popcnt", "AVX2 POPCNT BMI2", false, "e-linux-avx2-pext"},
    {"e-linux-avx2-pext e-linux-avx2-popcnt", "AVX2 POPCNT BMI2", true, "e-linux-avx2-popcnt"},
    {"e-linux-avx2-pext e-linux", "POPCNT", false, "e-linux"},
    {"e-windows e-macos", "POPCNT", false, NULL},
#if defined(__x86_64__)
    {"e-linux-arm64 e-linux-aarch64 e-linux-x86_64", "POPCNT", false, "e-linux-x86_64"},
    {"e-x86-64-v4 e-x86_64_V3 e-x86-64-v2", "SSE42 AVX2", false, "e-x86_64_V3"},
    {"e-x86-64-v4 e-x86-64-v3 e-x86-64-v2", "SSE42", false, "e-x86-64-v2"},
    {"e-x86-64-v2 e-x86-64-v4 e-x86-64-avx2", "SSE42 AVX2 AVX512BW", false, "e-x86-64-v4"},
    {"e-x86-64-v3-avx2 e-x86-64-v4", "SSE42 AVX2 AVX512BW", false, "e-x86-64-v4"},
    {"e-x86-64-v2 e-linux-v3", "POPCNT", false, "e-linux-v3"},
#elif defined(__aarch64__)
    {"e-linux-x86_64 e-linux-amd64 e-linux-arm64", "POPCNT", false, "e-linux-arm64"},
#endif
};

START_TEST(the_build_that_suits_the_cpu_best_is_chosen) {
    Words names = {0};
    Words flags = {0};
    Text text = {0};
    Error err = {0};
    Artifacts artifacts;
    ck_assert(words_split(&names, choices[_i].names, &err));
    ck_assert(words_split(&flags, choices[_i].flags, &err));
    for (size_t i = 0; i < names.count; i++)
        text_addf(&text, "%s{\"id\": 1, \"name\": \"%s\", \"archive_download_url\": \"u\"}",
                  i ? ", " : " {\"artifacts\": [", names.items[i]);
    text_add(&text, "]}");
    ck_assert(artifacts_maybe(text_string(&text)));
    ck_assert_msg(artifacts_parse(text_string(&text), text.length, &artifacts, &err), "%s",
                  err.text);
    const ArtifactEntry *best = artifacts_best(&artifacts, &flags, choices[_i].slow_pext);
    if (choices[_i].best)
        ck_assert_str_eq(best->name, choices[_i].best);
    else
        ck_assert_ptr_null(best);
    artifacts_free(&artifacts);
    text_free(&text);
    words_free(&names);
    words_free(&flags);
}
END_TEST

START_TEST(a_build_that_has_expired_is_not_taken) {
    static const char *const texts[] = {
        "{\"artifacts\": [{\"name\": \"e-linux-avx2\", \"expired\": true, "
        "\"archive_download_url\": \"u\"}, {\"name\": \"e-linux\", \"expired\": false, "
        "\"archive_download_url\": \"u\"}]}",
        "{\"artifacts\": [{\"name\": \"e-linux\", \"expired\": true, "
        "\"archive_download_url\": \"u\"}]}"};
    Words flags = {0};
    words_add(&flags, "AVX2");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Artifacts artifacts;
        Error err = {0};
        ck_assert_msg(artifacts_parse(texts[i], strlen(texts[i]), &artifacts, &err), "%s",
                      err.text);
        const ArtifactEntry *best = artifacts_best(&artifacts, &flags, false);
        ck_assert_str_eq(best ? best->name : "none", i == 0 ? "e-linux" : "none");
        artifacts_free(&artifacts);
    }
    words_free(&flags);
}
END_TEST

START_TEST(a_list_of_builds_that_is_none_is_named) {
    static const char *const texts[] = {"{}", "{\"artifacts\": 3}", "{\"artifacts\": [3]}",
                                        "{\"artifacts\": [{\"name\": 3}]}", "{"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Artifacts artifacts;
        Error err = {0};
        ck_assert(!artifacts_parse(texts[i], strlen(texts[i]), &artifacts, &err));
        ck_assert_str_ne(err.text, "");
        artifacts_free(&artifacts);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("workload");
    TCase *own = tcase_create("own");
    tcase_set_timeout(own, TIMEOUT_S);
    tcase_add_test(own, a_workload_is_read_whole);
    tcase_add_test(own, the_book_none_has_neither_sha_nor_source);
    tcase_add_test(own, an_empty_object_is_no_work);
    tcase_add_test(own, spsa_values_are_ordered_by_index_and_belong_to_runners);
    tcase_add_loop_test(own, a_fault_is_named_with_its_place, 0,
                        (int)(sizeof faults / sizeof *faults));
    tcase_add_test(own, lists_without_measure_are_refused);
    tcase_add_test(own, engines_without_measure_are_refused);
    tcase_add_test(own, a_fault_of_a_tuning_is_named);
    tcase_add_test(own, a_fault_of_a_data_generation_is_named);
    tcase_add_test(own, no_shape_of_json_does_harm);
    tcase_add_loop_test(own, the_build_that_suits_the_cpu_best_is_chosen, 0,
                        (int)(sizeof choices / sizeof *choices));
    tcase_add_test(own, a_build_that_has_expired_is_not_taken);
    tcase_add_test(own, a_list_of_builds_that_is_none_is_named);
    tcase_add_test(own, a_binary_is_named_as_the_server_knows_it);
    suite_add_tcase(suite, own);
    return run_suite(suite);
}
