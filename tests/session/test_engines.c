/* SPDX-License-Identifier: MIT */
/* Engines of another make, as a server's workers meet them: zips with a Makefile, built by the
 * compiler that their description names, or by cargo, and played against each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/files.h"
#include "tools/worker_rig.h"
#include "tools/zip.h"
#include "runner.h"

enum { SMALL_BENCH = 777 };

static Text read_source(const char *name) {
    Text path = {0};
    text_addf(&path, "%s/tests/tools/small/%s", getenv("srcdir"), name);
    Text text = read_whole(text_string(&path));
    text_free(&path);
    return text;
}

static void serve(const char *path, const char *makefile, const char *source) {
    Text rules = read_source("rules.h");
    Text program = read_source(source);
    Text name = {0};
    text_addf(&name, "small-0123abc/src/%s", source);
    ZipEntry entries[] = {{"small-0123abc/", ZIP_FOLDER, NULL},
                          {"small-0123abc/README", ZIP_FILE, "A small engine.\n"},
                          {"small-0123abc/src/Makefile", ZIP_FILE, makefile},
                          {"small-0123abc/src/rules.h", ZIP_FILE, text_string(&rules)},
                          {text_string(&name), ZIP_FILE, text_string(&program)}};
    Text zip = zip_make(entries, COUNT(entries));
    double_serve(rig_server, path, "application/zip", zip.data, zip.length);
    text_free(&zip);
    text_free(&name);
    text_free(&program);
    text_free(&rules);
}

START_TEST(engines_in_c_and_cpp_are_built_and_played) {
    serve("/dev.zip", "EXE = small\nall:\n\t$(CXX) -O1 engine.cpp -o $(EXE)\n", "engine.cpp");
    serve("/small.zip", "EXE = small\n$(EXE): engine.c rules.h\n\t$(CC) -O1 engine.c -o $@\n",
          "engine.c");
    rig_offer(&(RigOffer){.id = 5,
                          .dev_compilers = "[\"no-such-compiler++\", \"g++>=7.0\", \"clang++\"]",
                          .base_source = "small",
                          .dev_bench = SMALL_BENCH,
                          .base_bench = SMALL_BENCH,
                          .time_control = _i ? "60+1" : "N=10",
                          .upload_pgns = "COMPACT",
                          .options = "Threads=1 Hash=1"});
    /* In the sandbox, as everywhere: these write nothing. */
    rig_run((const char *const[]){"--once", "--sandbox", "auto", NULL}, 0);
    rig_expect_games(16);
    DoubleTotals totals = double_totals(rig_server);
    ck_assert_int_eq(totals.crashes + totals.timelosses + totals.illegals, 0);
    ck_assert_uint_eq(double_count(rig_server, "/clientSubmitError/"), 0);
    ck_assert_uint_eq(double_count(rig_server, "/clientSubmitPGN/"), 1);
    rig_expect_log("building Tiny-AAAAAAAA with g++");
    rig_expect_log("building Tiny-BBBBBBBB with gcc");
}
END_TEST

static const char cargo_makefile[] =
    "EXE = small\nall:\n\tcargo rustc --release --offline -- --emit link=$(EXE)\n";
static const char cargo_manifest[] =
    "[package]\nname = \"small\"\nversion = \"1.0.0\"\nedition = \"2021\"\n\n"
    "[[bin]]\nname = \"small\"\npath = \"engine.rs\"\n";

static void serve_cargo(const char *path) {
    Text program = read_source("engine.rs");
    ZipEntry entries[] = {{"small-0123abc/", ZIP_FOLDER, NULL},
                          {"small-0123abc/src/Makefile", ZIP_FILE, cargo_makefile},
                          {"small-0123abc/src/Cargo.toml", ZIP_FILE, cargo_manifest},
                          {"small-0123abc/src/engine.rs", ZIP_FILE, text_string(&program)}};
    Text zip = zip_make(entries, COUNT(entries));
    double_serve(rig_server, path, "application/zip", zip.data, zip.length);
    text_free(&zip);
    text_free(&program);
}

/* It may neither fetch anything nor write outside its tree. */
START_TEST(an_engine_of_cargo_s_is_built_and_played) {
    if (system("cargo --version >/dev/null 2>&1") != 0) {
        printf("engines: cargo is not there: an engine of its make is left out\n");
        return;
    }
    serve_cargo("/dev.zip");
    serve("/small.zip", "EXE = small\n$(EXE): engine.c rules.h\n\t$(CC) -O1 engine.c -o $@\n",
          "engine.c");
    double_set_build_info(rig_server, "{\"Tiny\": {\"path\": \"src\", \"compilers\": "
                                      "[\"cargo>=1.0\"], \"cpuflags\": [], \"systems\": "
                                      "[\"Linux\"], \"private\": false}}");
    rig_offer(&(RigOffer){.id = 5,
                          .dev_compilers = "[\"no-such-compiler\", \"cargo>=1.0\"]",
                          .base_source = "small",
                          .dev_bench = SMALL_BENCH,
                          .base_bench = SMALL_BENCH,
                          .time_control = "N=10",
                          .options = "Threads=1 Hash=1"});
    rig_run((const char *const[]){"--once", "--sandbox", "auto", NULL}, 0);
    rig_expect_log("building Tiny-AAAAAAAA with cargo");
    rig_expect_games(16);
    DoubleTotals totals = double_totals(rig_server);
    ck_assert_int_eq(totals.crashes + totals.timelosses + totals.illegals, 0);
    char *info = double_field(rig_server, "/clientWorkerInfo/", 0, "system_info", 0);
    ck_assert_ptr_nonnull(info);
    ck_assert_msg(strstr(info, "[\"cargo\",") != NULL, "%s", info);
    free(info);
}
END_TEST

int main(void) {
    if (!rig_ready("engines"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("engines");
    TCase *tc = rig_case(suite, "engines");
    tcase_add_loop_test(tc, engines_in_c_and_cpp_are_built_and_played, 0, 2);
    tcase_add_test(tc, an_engine_of_cargo_s_is_built_and_played);
    return run_suite(suite);
}
