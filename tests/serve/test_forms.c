/* SPDX-License-Identifier: MIT */
/* The forms for new tests: their fields, what they begin with, refusals, and the plan. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "runner.h"
#include "serve/formplan.h"
#include "serve/networks.h"
#include "serve/pages.h"
#include "serve/visit.h"
#include "tools/files.h"
#include "tools/serve_rig.h"

static ServeRig rig;
static const WebRoute *const tables[] = {LIST_PAGES, TEST_PAGES, FORM_PAGES, PEOPLE_PAGES,
                                         STOCK_PAGES};

static void set_up(void) {
    rig_start(&rig, tables, COUNT(tables));
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
}

static void tear_down(void) {
    rig_stop(&rig);
}

static void expect(const char *words) {
    rig_expect(&rig, words);
}

/* Fails unless the page has the field as this element. */
static void expect_field(const char *name, const char *tag) {
    Text start = {0};
    bool input = strcmp(tag, "select") != 0 && strcmp(tag, "textarea") != 0;
    if (!input)
        text_addf(&start, "<%s name=\"%s\"", tag, name);
    else
        text_addf(&start, "<input type=\"%s\" name=\"%s\"",
                  strcmp(tag, "input") == 0 ? "text" : tag, name);
    ck_assert_msg(strstr(rig_page(&rig), text_string(&start)) != NULL, "no %s", start.data);
    text_free(&start);
}

/* Fails unless the page has every field that the recorded page has. */
static void expect_recorded(const char *recording, const char *path) {
    Text file = {0};
    Error err = {{0}};
    if (access(shared_path("openbench/forms"), R_OK) != 0) {
        puts("forms: the reference data are not here: the recorded fields are not compared");
        return;
    }
    text_addf(&file, "%s/%s", shared_path("openbench/forms"), recording);
    Text text = read_whole(text_string(&file));
    cJSON *document = json_parse(text_string(&text), text.length, &err);
    const cJSON *final = cJSON_GetObjectItem(document, "final");
    const cJSON *fields = cJSON_GetObjectItem(final, "form_fields");
    ck_assert_int_gt(cJSON_GetArraySize(fields), 10);
    rig_get(&rig, path);
    for (const cJSON *field = fields->child; field; field = field->next)
        expect_field(cJSON_GetArrayItem(field, 0)->valuestring,
                     cJSON_GetArrayItem(field, 1)->valuestring);
    cJSON_Delete(document);
    text_free(&file);
    text_free(&text);
}

START_TEST(the_forms_have_the_recorded_fields) {
    expect_recorded("48-tune-form.json", "/tune/new/");
    expect_recorded("51-datagen-form.json", "/datagen/new/");
}
END_TEST

START_TEST(a_stranger_is_sent_to_the_login) {
    static const char *const paths[] = {"/test/new/", "/tune/new/", "/datagen/new/"};
    rig_post(&rig, "/logout/", "");
    for (size_t i = 0; i < COUNT(paths); i++) {
        rig_get(&rig, paths[i]);
        ck_assert_str_eq(rig_location(&rig), "/login/");
        rig_post(&rig, paths[i], "dev_branch=x");
        ck_assert_str_eq(rig_location(&rig), "/login/");
    }
}
END_TEST

START_TEST(a_form_begins_with_the_engines_preset) {
    rig_get(&rig, "/test/new/?preset=ltc"); /* In any letter case. */
    expect("name=\"dev_time_control\" value=\"40.0+0.4\"");
    expect("name=\"base_options\" value=\"Threads=1 Hash=64\"");
    expect("name=\"workload_size\" value=\"8\"");
    expect("name=\"base_branch\" value=\"main\"");
}
END_TEST

/* The server reads what was put. */
static void reopen_catalog(void) {
    CatalogSpec spec = {.data = rig.folder, .sources = rig.serve.sources};
    Error err;
    catalog_free(&rig.serve.catalog);
    ck_assert_msg(catalog_open(&spec, &rig.serve.catalog, &err), "%s", err.text);
}

/* The server has two engines with a preset each. */
static void reopen_with_two_engines(void) {
    static const char ENGINE[] = "{\"private\": false, \"nps\": %d, \"source\": \"x\","
                                 " \"build\": {\"path\": \"\", \"compilers\": [\"gcc\"],"
                                 " \"cpuflags\": [], \"systems\": []}, \"test_presets\":"
                                 " {\"Fast & few\": {\"dev_time_control\": \"%d.0+0.01\"}}}";
    char text[512];
    rig_configure(&rig, "config.json", "{\"engines\": [\"First\", \"My Second\"], \"books\": []}");
    snprintf(text, sizeof text, ENGINE, 1001, 11);
    rig_configure(&rig, "Engines/First.json", text);
    snprintf(text, sizeof text, ENGINE, 1002, 22);
    rig_configure(&rig, "Engines/My Second.json", text);
    reopen_catalog();
}

START_TEST(the_form_leads_to_each_engines_form_and_presets) {
    reopen_with_two_engines();
    rig_get(&rig, "/test/new/");
    expect("href=\"/test/new/?engine=My%20Second\">My Second<");
    expect("href=\"/test/new/?engine=First&#38;preset=Fast%20%26%20few\"");
    ck_assert_ptr_null(strstr(rig_page(&rig), "?engine=First\""));
    rig_get(&rig, "/test/new/?engine=My Second");
    expect("name=\"scale_nps\" value=\"1002\"");
    expect("?engine=First\"");
    expect("href=\"/test/new/?engine=My%20Second&#38;preset=Fast%20%26%20few\"");
    WebRequest request = {.path = mem_strdup("/test/new/")};
    web_fields_add(&request.query, "engine", "My Second");
    web_fields_add(&request.query, "preset", "Fast & few");
    rig_ask(&rig, &request);
    expect("name=\"dev_time_control\" value=\"22.0+0.01\"");
}
END_TEST

START_TEST(a_tuning_knows_the_flag_table) {
    rig_get(&rig, "/tune/new/");
    expect("data-spsa=\"DIV, int, ");
    expect("data-spsa=\"W_KILLER, int, ");
    ck_assert_ptr_null(strstr(rig_page(&rig), "data-spsa=\"# "));
    rig_get(&rig, "/test/new/");
    expect("killer moves: ignore; exempt; by W_KILLER");
}
END_TEST

START_TEST(a_test_is_copied) {
    Test test = rig_test("SPRT", "try-this");
    test.elo0 = -3;
    test.elo1 = 0.125;
    test.alpha = 0.025;
    test.beta = 0.001;
    free(test.sides[SIDE_DEV].network);
    test.sides[SIDE_DEV].network = mem_strdup("BA7816BF");
    rig_add_test(&rig, &test);
    rig_get(&rig, "/test/new/?copy=1");
    expect("name=\"test_bounds\" value=\"[-3.00, 0.125]\"");
    expect("name=\"test_confidence\" value=\"[0.001, 0.025]\"");
    expect("name=\"dev_branch\" value=\"try-this\"");
    expect("name=\"dev_bench\" value=\"\"");
    /* Nothing else is chosen in place of a book and of networks that are gone. */
    expect("<select name=\"book_name\"><option value=\"reductio.epd\">reductio.epd</option>"
           "<option value=\"try-this\" selected>try-this: not on this server</option></select>");
    expect("<select name=\"dev_network\"><option value=\"\">none</option>"
           "<option value=\"BA7816BF\" selected>BA7816BF: not on this server</option></select>");
    test = rig_test("GAMES", "try-this");
    test.elo1 = test.alpha = test.beta = 0;
    free(test.sides[SIDE_DEV].repo);
    free(test.sides[SIDE_DEV].source);
    test.sides[SIDE_DEV].repo = mem_strdup("http://hub:8000/repo/mine"); /* Of an older server. */
    test.sides[SIDE_DEV].source = mem_strdup("/source/mine/x.zip");
    rig_add_repository(&rig, "mine", "main", "true");
    rig_add_test(&rig, &test);
    rig_get(&rig, "/test/new/?copy=2");
    expect("name=\"dev_repo\" value=\"mine\"");
    expect("name=\"test_max_games\" value=\"1000\"");
    ck_assert_ptr_null(strstr(rig_page(&rig), "[0, 0]"));
}
END_TEST

START_TEST(a_tuning_is_copied_with_its_parameters) {
    Test test = rig_test("SPSA", "try-this");
    SpsaParameters parameters = {0};
    Error err = {{0}};
    test.spsa.iterations = 1000;
    ck_assert(spsa_add_parameters(&parameters, "DIV, float, 2.31, 1.5, 4, 0.15, 0.002", &err));
    rig_add_test(&rig, &test);
    Transaction *t = transaction_begin(rig.serve.database, TRANSACTION_WRITE);
    store_add_parameters(t, 1, &parameters);
    ck_assert_msg(transaction_end(t, &err), "%s", err.text);
    rig_get(&rig, "/tune/new/?copy=1");
    expect(">DIV, float, 2.31, 1.5, 4, 0.15, 0.002</textarea>");
    spsa_free_parameters(&parameters);
}
END_TEST

/* A phone cuts a long line, so the whole value stands below; an area has a row for each line. */
START_TEST(long_values_are_shown_whole) {
    static const char branch[] = "a-branch-whose-name-is-longer-than-a-phone-is-wide";
    Test test = rig_test("SPSA", branch);
    Text lines = {0};
    SpsaParameters parameters = {0};
    Error err = {{0}};
    for (int i = 0; i < 12; i++)
        text_addf(&lines, "P%d, int, 20, 0, 100, 10, 0.002\n", i);
    ck_assert(spsa_add_parameters(&parameters, text_string(&lines), &err));
    rig_add_test(&rig, &test);
    Transaction *t = transaction_begin(rig.serve.database, TRANSACTION_WRITE);
    store_add_parameters(t, 1, &parameters);
    ck_assert_msg(transaction_end(t, &err), "%s", err.text);
    rig_get(&rig, "/tune/new/?copy=1");
    expect("<input type=\"text\" name=\"dev_branch\" value=\"a-branch-whose-name-is-longer-than-a-"
           "phone-is-wide\"><small class=\"whole\">a-branch-whose-name-is-longer-than-a-phone-is-"
           "wide</small>");
    expect("<textarea name=\"spsa_inputs\" rows=\"12\">");
    spsa_free_parameters(&parameters);
    text_free(&lines);
}
END_TEST

START_TEST(a_refused_form_of_a_script_leads_back_with_the_reasons) {
    rig_post(&rig, "/tune/new/", "dev_engine=nobody&spsa_inputs=DIV, int, 170, 300, 100, 10, 1");
    ck_assert_int_eq(rig.answer.status, WEB_FOUND);
    ck_assert_str_eq(rig_location(&rig), "/tune/new/");
    rig_get(&rig, "/tune/new/");
    expect("<div class=\"error-message\"><pre>");
}
END_TEST

START_TEST(a_refused_form_of_the_page_keeps_what_was_typed) {
    rig_post(&rig, "/tune/new/", "page=1&dev_engine=nobody&dev_branch=my-branch&info=why <b>");
    ck_assert_int_eq(rig.answer.status, 0);
    expect("<div class=\"error-message\"><pre>");
    expect("name=\"dev_branch\" value=\"my-branch\"");
    expect("why &#60;b&#62;</textarea>");
}
END_TEST

/* Appends a form of the page for a test of the repository's branch main against itself. */
static void add_form(Text *out, const char *engine, const char *repo) {
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++) {
        const char *name = side_name(side);
        text_addf(out,
                  "%s_engine=%s&%s_repo=%s&%s_branch=main&%s_options=Threads=1 Hash=8&"
                  "%s_time_control=8.0+0.08&",
                  name, engine, name, repo, name, name, name);
    }
    text_add(out, "page=1&book_name=reductio.epd&workload_size=8&priority=0&throughput=1000&"
                  "scale_nps=1000000&upload_pgns=FALSE&syzygy_wdl=DISABLED&syzygy_adj=DISABLED&"
                  "scale_method=BASE&win_adj=None&draw_adj=None&test_mode=GAMES&"
                  "test_max_games=100");
}

/* A later commit has a bench of its own. */
START_TEST(a_typed_bench_is_copied_as_long_as_the_branch_stands) {
    Text form = {0}, script = {0};
    add_form(&form, "Reductio", "mine");
    text_add(&form, "&dev_bench=88");
    rig_add_repository(&rig, "mine", "main", "true");
    rig_post(&rig, "/test/new/", text_string(&form));
    rig_get(&rig, "/test/new/?copy=1");
    expect("name=\"dev_bench\" value=\"88\"");
    expect("name=\"base_bench\" value=\"\"");
    text_addf(&script, "git -C %s/upstream commit -q --allow-empty -m More", rig.folder);
    ck_assert_int_eq(system(text_string(&script)), 0);
    rig_get(&rig, "/test/new/?copy=1");
    expect("name=\"dev_bench\" value=\"\"");
    text_free(&form);
    text_free(&script);
}
END_TEST

/* A commit may be in another encoding. Its subject, without the bytes that are no UTF-8, is what
 * the test says of itself. */
START_TEST(a_commit_in_another_encoding_describes_its_test) {
    Text form = {0};
    add_form(&form, "Reductio", "mine");
    rig_add_repository(&rig, "mine", "main",
                       "git -c i18n.commitEncoding=none commit -q --allow-empty -m"
                       " \"$(printf 'Gr\\374n'; head -c 400 /dev/zero | tr '\\0' '\\200')\""
                       " -m 'Bench: 77'");
    rig_post(&rig, "/test/new/", text_string(&form));
    rig_get(&rig, "/index/");
    expect("Gr\uFFFDn\uFFFD");
    text_free(&form);
}
END_TEST

/* Stock clients compare with "None". */
START_TEST(no_adjudication_is_handed_out_in_one_spelling) {
    Text form = {0};
    add_form(&form, "Reductio", "mine");
    text_add(&form, "&win_adj=none&draw_adj=NONE");
    rig_add_repository(&rig, "mine", "main", "true");
    rig_post(&rig, "/test/new/", text_string(&form));
    rig_get(&rig, "/test/new/?copy=1");
    expect("name=\"win_adj\" value=\"None\"");
    expect("name=\"draw_adj\" value=\"None\"");
    text_free(&form);
}
END_TEST

/* JSON's numbers do not hold a larger one. */
START_TEST(a_bench_beyond_all_benches_is_refused_by_its_side) {
    Text form = {0};
    add_form(&form, "Reductio", "mine");
    text_add(&form, "&dev_bench=9007199254740993&base_bench=-1");
    rig_add_repository(&rig, "mine", "main", "true");
    rig_post(&rig, "/test/new/", text_string(&form));
    expect("Dev Bench: 9007199254740993 is not between 1 and 9007199254740992");
    expect("Base Bench: -1 is not between");
    text_free(&form);
}
END_TEST

/* The token of a private engine goes to the engine's own repository alone. */
START_TEST(a_private_engine_comes_from_its_own_repository_alone) {
    static const struct {
        const char *repo;
        bool own;
    } CASES[] = {{"mine", true},
                 {"http://127.0.0.1/repo/mine", true}, /* The rig's server. */
                 {"/repo/mine", true},
                 {"http://127.0.0.1:8000/repo/mine", false},
                 {"https://github.com/repo/mine", false},
                 {"fork", false},
                 {"https://github.com/me/mine", false}};
    static const char ENGINE[] = "{\"private\": true, \"nps\": 1000,"
                                 " \"source\": \"http://127.0.0.1/repo/mine\","
                                 " \"build\": {\"path\": \"\", \"compilers\": [\"gcc\"],"
                                 " \"cpuflags\": [], \"systems\": []}}";
    rig_add_repository(&rig, "mine", "main", "true");
    rig_configure(&rig, "config.json", "{\"engines\": [\"Own\"], \"books\": [\"reductio.epd\"]}");
    rig_configure(&rig, "Engines/Own.json", ENGINE);
    rig_configure(&rig, "credentials.own", "secret");
    reopen_catalog();
    for (size_t i = 0; i < COUNT(CASES); i++) {
        Text form = {0};
        add_form(&form, "Own", CASES[i].repo);
        rig_post(&rig, "/test/new/", text_string(&form));
        bool refused = strstr(rig_page(&rig), "Forked Repositories are not allowed") != NULL;
        ck_assert_msg(refused == !CASES[i].own, "%s: %.2000s", CASES[i].repo, rig_page(&rig));
        ck_assert_str_eq(rig_location(&rig), CASES[i].own ? "/index/" : "");
        text_free(&form);
    }
}
END_TEST

/* As on OpenBench. The rig's GitHub does not answer, which is told of a repository that is asked
 * for alone. */
START_TEST(a_slash_behind_an_address_makes_no_fork) {
    static const char *const SLASHES[] = {"", "/", "//"};
    static const char ENGINE[] = "{\"private\": true, \"nps\": 1000,"
                                 " \"source\": \"https://github.com/me/own%s\","
                                 " \"build\": {\"path\": \"\", \"compilers\": [\"gcc\"],"
                                 " \"cpuflags\": [], \"systems\": []}}";
    const Words none = {0};
    const SourcesSpec sources = {
        .data = rig.folder, .repos = &none, .github = "http://127.0.0.1:1"};
    sources_free(rig.serve.sources);
    rig.serve.sources = sources_open(&sources, NULL);
    ck_assert_ptr_nonnull(rig.serve.sources);
    rig_configure(&rig, "credentials.own", "secret");
    for (size_t i = 0; i < COUNT(SLASHES) * COUNT(SLASHES); i++) {
        Text form = {0};
        char *engine = text_format(ENGINE, SLASHES[i / COUNT(SLASHES)]);
        char *typed = text_format("https://github.com/me/own%s", SLASHES[i % COUNT(SLASHES)]);
        rig_configure(&rig, "Engines/Own.json", engine);
        reopen_catalog();
        add_form(&form, "Own", typed);
        rig_post(&rig, "/test/new/", text_string(&form));
        rig_expect_not(&rig, "Forked Repositories");
        expect("http://127.0.0.1:1/repos/me/own/branches/main: ");
        text_free(&form);
        free(engine);
        free(typed);
    }
}
END_TEST

/* Else a branch is tested that its author has changed meanwhile, and nobody knows. */
START_TEST(a_test_of_a_branch_whose_upstream_is_away_says_so) {
    Text form = {0};
    Text away = {0}, back = {0};
    add_form(&form, "Reductio", "mine");
    rig_add_repository(&rig, "mine", "main", "true");
    text_addf(&away, "%s/upstream", rig.folder);
    text_addf(&back, "%s/away", rig.folder);
    rig_post(&rig, "/test/new/", text_string(&form));
    ck_assert_str_eq(rig_location(&rig), "/index/");
    rig_get(&rig, "/index/");
    ck_assert_ptr_null(strstr(rig_page(&rig), "error-message"));
    rig_get(&rig, "/event/1/");
    expect("Created");
    expect("No log was sent.");
    ck_assert_int_eq(rename(text_string(&away), text_string(&back)), 0);
    rig_post(&rig, "/test/new/", text_string(&form));
    rig_get(&rig, "/index/");
    expect("as it was here: the repository mine: git: ");
    rig_get(&rig, "/event/2/");
    expect("Created of a branch that may have moved on");
    expect("as it was here: the repository mine: git: ");
    text_free(&form);
    text_free(&away);
    text_free(&back);
}
END_TEST

START_TEST(an_sprt_whose_llr_is_not_computed_is_refused) {
    static const char *const RULES[][2] = {
        {"[0, 300]&test_confidence=[0.05, 0.05]", "SPRT Bounds: 300 is not between -200 and 200"},
        {"[-1000, 1000]&test_confidence=[0.05, 0.05]", "SPRT Bounds: -1000 is not between"},
        {"[0, 5]&test_confidence=[1e-7, 1e-7]", "Confidence Bounds: 1e-7 is not between"},
        {"[5, 0]&test_confidence=[0.05, 0.05]", "SPRT Bounds: 5, 0: the first must be below"},
        {"0, 5&test_confidence=[0.05, 0.05]", "SPRT Bounds: &#39;0, 5&#39; are not two numbers"},
        {"[0, 5]&test_confidence=[0.5, 0.6]", "Confidence Bounds: 0.5, 0.6: together"}};
    char form[256];
    for (size_t i = 0; i < COUNT(RULES); i++) {
        snprintf(form, sizeof form, "page=1&test_mode=SPRT&test_bounds=%s", RULES[i][0]);
        rig_post(&rig, "/test/new/", form);
        expect(RULES[i][1]);
    }
    rig_post(&rig, "/test/new/",
             "page=1&test_mode=SPRT&test_bounds=[0, 200]&test_confidence=[0.05, 0.05]");
    ck_assert(strstr(rig_page(&rig), "SPRT Bounds") == NULL);
}
END_TEST

/* Workers would refuse the test, and it would never get a game. */
START_TEST(options_that_no_worker_reads_are_refused) {
    static const char *const OPTIONS[][2] = {
        {"Threads=1 Hash=8 junk", "Dev Options: option &#34;junk&#34; is not Name=Value"},
        {"Threads=1 Hash=8 =4", "Dev Options: option &#34;=4&#34; is not Name=Value"},
        {"Threads=1 Hash=8 \"X=a b",
         "Dev Options: Threads=1 Hash=8 &#34;X=a b: a quote is not closed"},
        {"Threads=0 Hash=8",
         "&#34;Threads&#34; needs to be at least 1 for Dev Options, and at most "
         "2147483647: &#39;Threads=0 Hash=8&#39;"},
        {"Threads=2147483648 Hash=8",
         "&#34;Threads&#34; needs to be at least 1 for Dev Options, and at most 2147483647: "
         "&#39;Threads=2147483648 Hash=8&#39;"},
        {"threads=1 Hash=8", "&#34;Threads&#34; needs to be at least 1 for Dev Options, and at "
                             "most 2147483647: &#39;threads=1 Hash=8&#39;"}};
    char form[256];
    for (size_t i = 0; i < COUNT(OPTIONS); i++) {
        snprintf(form, sizeof form, "page=1&dev_options=%s", OPTIONS[i][0]);
        rig_post(&rig, "/test/new/", form);
        expect(OPTIONS[i][1]);
    }
    rig_post(&rig, "/test/new/", "page=1&dev_options=Threads=1 Hash=8 \"X=a b\" Button=");
    ck_assert(strstr(rig_page(&rig), "Dev Options") == NULL);
}
END_TEST

/* Each reason is a line of its own. */
START_TEST(what_is_refused_is_named_with_its_value) {
    rig_post(&rig, "/test/new/",
             "page=1&dev_engine=Redoctio&dev_network=Old.nn&book_name=old.epd&win_adj=score=4&"
             "draw_adj=junk");
    expect("Dev Engine was not found in the configuration: &#39;Redoctio&#39;\n");
    expect("Unknown Network Provided for Dev Network: &#39;Old.nn&#39;\n");
    expect("Book was not found in the configuration: &#39;old.epd&#39;");
    expect("\nwin_adj: &#39;score=4&#39; is no rule");
    expect("\ndraw_adj: &#39;junk&#39; is no rule");
}
END_TEST

/* A thread of the server waits for git and GitHub. */
START_TEST(no_branch_is_asked_for_when_a_form_is_refused_without_it) {
    static const char *const WRONG[][2] = {{"priority=high", "Priority: "},
                                           {"dev_bench=none", "Dev Bench: "},
                                           {"book_name=old.epd", "Book was not found"},
                                           {"test_max_games=0", "Games: "},
                                           {"base_branch=absent", "no branch or tag"}};
    rig_add_repository(&rig, "mine", "main", "true");
    for (size_t i = 0; i < COUNT(WRONG); i++) {
        Text form = {0};
        bool of_branch = i + 1 == COUNT(WRONG);
        text_addf(&form, "dev_branch=missing&%s&", WRONG[i][0]); /* The first of a name counts. */
        add_form(&form, "Reductio", "mine");
        rig_post(&rig, "/test/new/", text_string(&form));
        expect(WRONG[i][1]);
        bool asked = strstr(rig_page(&rig), "or tag &#39;missing&#39;") != NULL;
        ck_assert_msg(asked == of_branch, "%s: %.2000s", WRONG[i][0], rig_page(&rig));
        rig_expect_not(&rig, "or tag &#39;absent&#39;");
        text_free(&form);
    }
}
END_TEST

START_TEST(a_commit_without_a_bench_is_refused_and_the_way_out_told) {
    Text form = {0};
    add_form(&form, "Reductio", "mine");
    rig_add_repository(&rig, "mine", "main", "git commit -q --amend --allow-empty -m Begin");
    rig_post(&rig, "/test/new/", text_string(&form));
    expect("Unable to parse a Bench for main: write &#39;Bench: N&#39; into the commit&#39;s "
           "message, or give the bench");
    text_free(&form);
}
END_TEST

/* The engine gets the arguments within quotes. */
START_TEST(quotes_in_the_arguments_of_genfens_are_refused) {
    static const char refusal[] = "Quotes are not allowed in the arguments of genfens";
    rig_post(&rig, "/datagen/new/", "page=1&datagen_custom_genfens=random_plies=8 \"x\"");
    expect(refusal);
    rig_post(&rig, "/datagen/new/", "page=1&datagen_custom_genfens=random_plies=8");
    expect("error-message");
    ck_assert_ptr_null(strstr(rig_page(&rig), refusal));
}
END_TEST

START_TEST(the_plan_says_how_likely_and_how_long) {
    rig_post(&rig, "/test/new/", "page=1&plan=1&test_mode=SPRT&test_bounds=[0.00, 5.00]");
    expect("Pass  | ");
    expect("No machine is active now");
    rig_add_machine(&rig, 0, "box");
    rig_post(&rig, "/test/new/", "page=1&plan=1&test_mode=SPRT&test_bounds=[0.00, 5.00]");
    expect("(H1), the test passes in 95.1 % of all cases; on average it ends after 25,734 games");
    expect("(halfway), the test passes in 50.0 % of all cases; on average it ends after 42,");
    expect("today&#39;s machines: 1 with 4 threads");
    rig_post(&rig, "/test/new/", "page=1&plan=1&test_mode=SPRT&test_bounds=[5, 0]");
    expect("No plan: SPRT Bounds: 5, 0: the first must be below the second.");
}
END_TEST

START_TEST(without_machines_the_plan_says_how_long_a_game_takes) {
    static const char *const CLOCKS[][2] = {
        {"N=1000", "A game takes one thread about 0.11 s."},
        {"60.0+0.6", "A game takes one thread about 2 min."}, /* 168 s */
        {"40.0+0.4", "A game takes one thread about 112 s."},
        {"1800.0+10", "A game takes one thread about 1 h 9 min."},
    };
    for (size_t i = 0; i < COUNT(CLOCKS); i++) {
        char form[256];
        snprintf(form, sizeof form,
                 "page=1&plan=1&test_mode=GAMES&test_max_games=1000&dev_time_control=%s&"
                 "base_time_control=%s&scale_nps=1000000",
                 CLOCKS[i][0], CLOCKS[i][0]);
        rig_post(&rig, "/test/new/", form);
        expect(CLOCKS[i][1]);
    }
}
END_TEST

START_TEST(the_plan_of_a_number_of_games_says_how_long_and_how_exact) {
    rig_add_machine(&rig, 0, "box");
    /* 55 moves of 1000 nodes of both sides at 1,000,000 nodes/s: 0.11 s on each of 4 threads. */
    const char *clocks = "dev_time_control=N=1000&base_time_control=N=1000&scale_nps=1000000";
    char form[512];
    snprintf(form, sizeof form, "page=1&plan=1&test_mode=GAMES&test_max_games=1000&%s", clocks);
    rig_post(&rig, "/test/new/", form);
    expect("The test plays 1,000 games, 27 s.");
    expect("about ± 14.4 Elo");
    snprintf(form, sizeof form, "page=1&plan=1&spsa_iterations=1000&spsa_pairs_per=4&%s", clocks);
    rig_post(&rig, "/tune/new/", form);
    expect("The tuning plays 8,000 games, 3 min.");
    expect("Only machines with 2 threads or more play it.");
    snprintf(form, sizeof form,
             "page=1&plan=1&test_mode=GAMES&test_max_games=1010&%s&dev_options=Threads=2", clocks);
    rig_post(&rig, "/test/new/", form);
    expect("The test plays 1,010 games, 55 s.");
    snprintf(form, sizeof form,
             "page=1&plan=1&spsa_iterations=1000&spsa_pairs_per=4&%s&dev_options=Threads=2",
             clocks);
    rig_post(&rig, "/tune/new/", form);
    expect("Only machines with 4 threads or more play it.");
    rig_post(&rig, "/test/new/", "page=1&plan=1&test_mode=GAMES&test_max_games=none");
    expect("No plan: test_max_games: ");
    rig_post(&rig, "/datagen/new/", "page=1&plan=1&datagen_max_games=1000000001");
    expect("No plan: datagen_max_games: 1000000001 is not between 1 and 1000000000.");
    rig_post(&rig, "/test/new/", "page=1&plan=1&scale_nps=2000000001");
    expect("No plan: scale_nps: 2000000001 is not between 1 and 2000000000.");
    rig_get(&rig, "/test/new/");
    ck_assert_ptr_null(strstr(rig_page(&rig), "No plan"));
}
END_TEST

/* ---- A tuning's schedule ---- */

static const struct {
    const char *number, *label, *reason;
} wrong_schedules[] = {
    {"spsa_iterations=0", "SPSA Iterations", "0 is not between 1 and 1000000"},
    {"spsa_iterations=1000001", "SPSA Iterations", "1000001 is not between 1 and 1000000"},
    {"spsa_pairs_per=10001", "SPSA Pairs-Per", "10001 is not between 1 and 10000"},
    {"spsa_alpha=0", "SPSA Alpha", "has to be more than 0"},
    {"spsa_alpha=2.1", "SPSA Alpha", "2.1 is not between 0 and 2"},
    {"spsa_gamma=-1", "SPSA Gamma", "-1 is not between 0 and 2"},
    {"spsa_A_ratio=11", "SPSA A-Ratio", "11 is not between 0 and 10"},
};

START_TEST(a_tuning_whose_schedule_has_a_number_beyond_its_limits_is_refused_and_has_no_plan) {
    const char *number = wrong_schedules[_i].number;
    char form[128], reason[128];
    snprintf(form, sizeof form, "page=1&%s", number);
    snprintf(reason, sizeof reason, "%s: %s", wrong_schedules[_i].label,
             wrong_schedules[_i].reason);
    rig_post(&rig, "/tune/new/", form);
    expect(reason);
    snprintf(form, sizeof form, "page=1&plan=1&%s", number);
    snprintf(reason, sizeof reason, "No plan: %.*s: %s.", (int)strcspn(number, "="), number,
             wrong_schedules[_i].reason);
    rig_post(&rig, "/tune/new/", form);
    expect(reason);
}
END_TEST

/* ---- The plan's numbers ---- */

static double seconds_of(const char *clock, double nps) {
    TestForm form = {.kind = TESTFORM_TEST};
    Error err = {{0}};
    double seconds = 0;
    testform_set(&form, "dev_time_control", clock);
    testform_set(&form, "base_time_control", clock);
    testform_set(&form, "scale_nps", "1000000");
    ck_assert_msg(form_game_seconds(&form, nps, &seconds, &err), "%s", err.text);
    testform_free(&form);
    return seconds;
}

START_TEST(a_games_time_follows_from_its_clock) {
    /* Both sides: 85 % of 8 s, and 55 increments of 0.08 s. */
    ck_assert_double_eq_tol(seconds_of("8.0+0.08", 0), 2 * (0.85 * 8 + 55 * 0.08), 1e-9);
    /* A machine of half the speed gets twice the time. */
    ck_assert_double_eq_tol(seconds_of("8.0+0.08", 500000), 2 * seconds_of("8.0+0.08", 0), 1e-9);
    ck_assert_double_eq_tol(seconds_of("N=10000", 0), 2 * 55 * 10000 / 1e6, 1e-9);
    ck_assert_double_eq_tol(seconds_of("MT=100", 0), 2 * 55 * 0.1, 1e-9);
}
END_TEST

/* ---- Networks ---- */

/* Sends a file as a browser's form does. */
static void upload(const char *name, const char *engine, const char *content) {
    WebRequest request = {
        .post = true, .path = mem_strdup("/networks/"), .peer = mem_strdup("127.0.0.1")};
    WebRequest visiting = {.cookies = rig.cookies};
    Visit visit;
    rig_add_upload(&rig, &request, "netfile", "../../evil", content);
    visit_open(rig.serve.people, &visiting, rig.now, &visit);
    web_fields_add(&request.form, VISIT_TOKEN_FIELD, visit.csrf);
    web_fields_add(&request.form, "name", name);
    web_fields_add(&request.form, "engine", engine);
    for (size_t i = 0; i < rig.cookies.names.count; i++)
        web_fields_add(&request.cookies, rig.cookies.names.items[i], rig.cookies.values.items[i]);
    web_answer_free(&rig.answer);
    web_dispatch(&rig.routes, &rig.serve, &request, &rig.answer);
    web_request_free(&request);
    visit_free(&visit);
}

START_TEST(a_network_is_kept_by_its_digest) {
    static const char digest[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const char *engine = rig.serve.catalog.engines[0].name;
    Text path = {0};
    text_addf(&path, "%s/networks/%s", rig.folder, digest);
    upload("first.nn", engine, "abc");
    ck_assert_str_eq(rig_location(&rig), "/networks/?uploaded=1");
    ck_assert(file_exists(text_string(&path)));
    rig_get(&rig, "/networks/");
    expect("first.nn");
    expect("BA7816BF");
    upload("second.nn", engine, "abc");
    rig_get(&rig, "/networks/");
    expect("has a network of this name or content already.");
    text_free(&path);
}
END_TEST

START_TEST(a_network_of_a_taken_name_leaves_no_file) {
    static const char digest[] = "a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9";
    const char *engine = rig.serve.catalog.engines[0].name;
    Text path = {0};
    text_addf(&path, "%s/networks/%s", rig.folder, digest);
    upload("first.nn", engine, "abc");
    upload("first.nn", engine, "abd");
    rig_get(&rig, "/networks/");
    expect("has a network of this name or content already.");
    ck_assert(!file_exists(text_string(&path)));
    upload("second.nn", engine, "abd");
    ck_assert(file_exists(text_string(&path)));
    text_free(&path);
}
END_TEST

START_TEST(a_networks_name_is_no_path) {
    static const char *const names[] = {"", "../x", "a/b", ".hidden", "a b"};
    for (size_t i = 0; i < COUNT(names); i++) {
        upload(names[i], rig.serve.catalog.engines[0].name, "abc");
        rig_get(&rig, "/networks/");
        expect("name has 1 to 64 letters");
        expect("No network was uploaded.");
    }
    upload("good.nn", "<engine>", "abc");
    rig_get(&rig, "/networks/");
    expect("This server has no such engine.");
}
END_TEST

/* May the browser of these cookies bring a network's file? Takes over the cookies. */
static bool may_send_network(WebFields cookies) {
    WebRequest request = {.post = true, .path = mem_strdup("/networks/"), .cookies = cookies};
    bool may = web_route(&rig.routes, &request)->file->may_send(&rig.serve, &request);
    web_request_free(&request);
    return may;
}

START_TEST(only_a_signed_in_user_may_send_a_network) {
    WebFields cookies = {0};
    ck_assert(!may_send_network(cookies));
    web_fields_add(&cookies, "sessionid", web_fields_get(&rig.cookies, "sessionid"));
    ck_assert(may_send_network(cookies));
}
END_TEST

/* Signs in a new user who is no administrator, and sends the form of the network. */
static void change_network_as(const char *name, bool approver, const char *action) {
    Error err = {{0}};
    User user;
    Text path = {0}, form = {0};
    ck_assert_msg(people_add(rig.serve.people, name, RIG_PASSWORD, false, rig.now, NULL, &err),
                  "%s", err.text);
    Transaction *t = transaction_begin(rig.serve.database, TRANSACTION_WRITE);
    ck_assert(store_user_named(t, name, &user));
    user.approver = approver;
    store_update_user(t, &user);
    store_free_user(&user);
    ck_assert(transaction_end(t, &err));
    rig_sign_in(&rig, name, RIG_PASSWORD);
    text_addf(&path, "/networks/%s/first.nn/", rig.serve.catalog.engines[0].name);
    text_addf(&form, "action=%s", action);
    rig_post(&rig, text_string(&path), text_string(&form));
    text_free(&path);
    text_free(&form);
}

START_TEST(a_network_is_removed_by_an_approver_and_by_no_other_user) {
    upload("first.nn", rig.serve.catalog.engines[0].name, "abc");
    change_network_as("bob", false, "delete");
    ck_assert_int_eq(rig.answer.status, WEB_FORBIDDEN);
    rig_get(&rig, "/networks/");
    expect("first.nn");
    change_network_as("eve", true, "delete");
    ck_assert_str_eq(rig_location(&rig), "/networks/");
    rig_get(&rig, "/networks/");
    ck_assert_ptr_null(strstr(rig_page(&rig), "first.nn"));
}
END_TEST

/* The default goes into the forms of all users. */
START_TEST(a_default_network_is_made_by_an_approver_and_begins_the_forms) {
    static const char chosen[] = "<option value=\"BA7816BF\" selected>first.nn (Reductio)";
    Test test = rig_test("GAMES", "x");
    rig_add_test(&rig, &test);
    upload("first.nn", "Reductio", "abc");
    rig_get(&rig, "/networks/");
    expect(">Make default<");
    rig_get(&rig, "/test/new/");
    rig_expect_not(&rig, chosen);
    change_network_as("bob", false, "default");
    ck_assert_int_eq(rig.answer.status, WEB_FORBIDDEN);
    upload("bobs.nn", "Reductio", "abd");
    rig_get(&rig, "/networks/");
    rig_expect_not(&rig, ">Make default<");
    expect("/networks/Reductio/A52D159F/\" method=\"post\"");
    rig_expect_not(&rig, "/networks/Reductio/BA7816BF/\" method=\"post\"");
    change_network_as("eve", true, "default");
    rig_get(&rig, "/test/new/");
    expect(chosen);
    rig_get(&rig, "/tune/new/");
    expect(chosen);
    rig_get(&rig, "/test/new/?copy=1");
    rig_expect_not(&rig, chosen);
}
END_TEST

/* The clock of the rig, which is asked when the page begins and when the test is stored: then the
 * network is removed, as by another user while git was asked. */
static int64_t clock_that_removes(void *calls) {
    if (++*(int *)calls == 2) {
        Error err = {{0}};
        User user = {.id = 1, .name = (char *)RIG_USER, .admin = true};
        ck_assert_msg(networks_change(&rig.serve, &user, "Reductio", "first.nn", NETWORKS_REMOVE,
                                      &err) == WEB_OK,
                      "%s", err.text);
    }
    return rig.now;
}

START_TEST(a_test_whose_network_goes_meanwhile_is_refused) {
    int calls = 0;
    Text form = {0};
    add_form(&form, "Reductio", "mine");
    text_add(&form, "&dev_network=first.nn");
    rig_add_repository(&rig, "mine", "main", "true");
    upload("first.nn", "Reductio", "abc");
    rig.serve.clock = clock_that_removes;
    rig.serve.clock_user = &calls;
    rig_post(&rig, "/test/new/", text_string(&form));
    expect("<div class=\"error-message\"><pre>The network first.nn of Reductio was removed.");
    text_free(&form);
}
END_TEST

/* Neither the network nor the test is wrong. */
START_TEST(a_fault_of_the_database_is_no_wrong_form) {
    static const char *const TABLES[] = {"networks", "events"};
    char sql[64], cause[64];
    Text form = {0};
    text_add(&form, "page=&"); /* A script's. */
    add_form(&form, "Reductio", "mine");
    text_add(&form, "&dev_network=first.nn");
    rig_add_repository(&rig, "mine", "main", "true");
    upload("first.nn", "Reductio", "abc");
    for (size_t i = 0; i < COUNT(TABLES); i++) {
        snprintf(sql, sizeof sql, "ALTER TABLE %s RENAME TO away", TABLES[i]);
        snprintf(cause, sizeof cause, "the database: no such table: %s", TABLES[i]);
        rig_change(&rig, sql);
        rig_post(&rig, "/test/new/", text_string(&form));
        snprintf(sql, sizeof sql, "ALTER TABLE away RENAME TO %s", TABLES[i]);
        rig_change(&rig, sql);
        rig_get(&rig, "/test/new/");
        expect(WEB_FAULT_WORDS);
        rig_expect_not(&rig, "no such table");
        rig_expect_not(&rig, "Unknown Network");
        rig_expect_logged(&rig, cause);
    }
    ck_assert_int_eq(rig_number(&rig, "SELECT count(*) FROM tests"), 0);
    text_free(&form);
}
END_TEST

START_TEST(a_fault_of_the_disk_is_no_wrong_network) {
    Text path = {0};
    text_addf(&path, "%s/networks", rig.folder);
    put_text(text_string(&path), "no folder");
    upload("first.nn", "Reductio", "abc");
    ck_assert_int_eq(rig.answer.status, WEB_UNAVAILABLE);
    expect(WEB_FAULT_WORDS);
    rig_expect_not(&rig, rig.folder);
    rig_expect_logged(&rig, text_string(&path));
    unlink(text_string(&path));
    rig_change(&rig, "ALTER TABLE networks RENAME TO away");
    upload("first.nn", "Reductio", "abc");
    rig_change(&rig, "ALTER TABLE away RENAME TO networks");
    ck_assert_int_eq(rig.answer.status, WEB_UNAVAILABLE);
    rig_expect_logged(&rig, "the database: no such table: networks");
    text_free(&path);
}
END_TEST

START_TEST(engines_and_books_are_shown) {
    rig_get(&rig, "/engines/");
    expect("gcc");
    rig_get(&rig, "/books/");
    expect(rig.serve.catalog.books[0].sha);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, the_forms_have_the_recorded_fields);
    tcase_add_test(tests, a_stranger_is_sent_to_the_login);
    tcase_add_test(tests, a_form_begins_with_the_engines_preset);
    tcase_add_test(tests, the_form_leads_to_each_engines_form_and_presets);
    tcase_add_test(tests, a_tuning_knows_the_flag_table);
    tcase_add_test(tests, a_test_is_copied);
    tcase_add_test(tests, a_tuning_is_copied_with_its_parameters);
    tcase_add_test(tests, long_values_are_shown_whole);
    tcase_add_test(tests, a_refused_form_of_a_script_leads_back_with_the_reasons);
    tcase_add_test(tests, a_refused_form_of_the_page_keeps_what_was_typed);
    tcase_add_test(tests, a_test_of_a_branch_whose_upstream_is_away_says_so);
    tcase_add_test(tests, a_typed_bench_is_copied_as_long_as_the_branch_stands);
    tcase_add_test(tests, a_commit_in_another_encoding_describes_its_test);
    tcase_add_test(tests, no_adjudication_is_handed_out_in_one_spelling);
    tcase_add_test(tests, a_bench_beyond_all_benches_is_refused_by_its_side);
    tcase_add_test(tests, a_private_engine_comes_from_its_own_repository_alone);
    tcase_add_test(tests, a_slash_behind_an_address_makes_no_fork);
    tcase_add_test(tests, an_sprt_whose_llr_is_not_computed_is_refused);
    tcase_add_test(tests, options_that_no_worker_reads_are_refused);
    tcase_add_test(tests, what_is_refused_is_named_with_its_value);
    tcase_add_test(tests, no_branch_is_asked_for_when_a_form_is_refused_without_it);
    tcase_add_test(tests, a_commit_without_a_bench_is_refused_and_the_way_out_told);
    tcase_add_test(tests, quotes_in_the_arguments_of_genfens_are_refused);
    tcase_add_test(tests, the_plan_says_how_likely_and_how_long);
    tcase_add_test(tests, without_machines_the_plan_says_how_long_a_game_takes);
    tcase_add_test(tests, the_plan_of_a_number_of_games_says_how_long_and_how_exact);
    tcase_add_loop_test(
        tests, a_tuning_whose_schedule_has_a_number_beyond_its_limits_is_refused_and_has_no_plan, 0,
        COUNT(wrong_schedules));
    tcase_add_test(tests, a_games_time_follows_from_its_clock);
    tcase_add_test(tests, a_network_is_kept_by_its_digest);
    tcase_add_test(tests, a_network_of_a_taken_name_leaves_no_file);
    tcase_add_test(tests, a_networks_name_is_no_path);
    tcase_add_test(tests, only_a_signed_in_user_may_send_a_network);
    tcase_add_test(tests, a_network_is_removed_by_an_approver_and_by_no_other_user);
    tcase_add_test(tests, a_default_network_is_made_by_an_approver_and_begins_the_forms);
    tcase_add_test(tests, a_test_whose_network_goes_meanwhile_is_refused);
    tcase_add_test(tests, a_fault_of_the_database_is_no_wrong_form);
    tcase_add_test(tests, a_fault_of_the_disk_is_no_wrong_network);
    tcase_add_test(tests, engines_and_books_are_shown);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv); /* git runs as a child. */
    return run_tests("forms", add_tests);
}
