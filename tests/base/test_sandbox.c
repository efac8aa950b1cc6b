/* SPDX-License-Identifier: MIT */
/* The policies of the sandbox: what belongs to an engine and to a build, what is missing where, and
 * the scratch folders. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/count.h"
#include "base/ram.h"
#include "base/sandbox.h"
#include "base/text.h"
#include "place.h"
#include "tools/files.h"

/* ---- Policies as data ---- */

static bool has_rule(const SandboxPolicy *policy, char right, const char *path) {
    for (size_t i = 0; i < policy->rules.count; i++)
        if (policy->rules.items[i][0] == right && strcmp(policy->rules.items[i] + 1, path) == 0)
            return true;
    return false;
}

/* Whether some rule opens the path, or something above it. */
static bool opens(const SandboxPolicy *policy, const char *path) {
    for (size_t i = 0; i < policy->rules.count; i++)
        if (sandbox_covers(policy->rules.items[i] + 1, path))
            return true;
    return false;
}

START_TEST(an_engine_reads_what_belongs_to_it) {
    Place place;
    SandboxPolicy policy;
    char tables[PLACE_PATH], net[PLACE_PATH], bin[PLACE_PATH], script[PLACE_PATH],
        prefix[PLACE_PATH];
    place_open(&place);
    place_join(tables, place.folder, "tables");
    place_join(prefix, place.folder, "prefix");
    place_join(bin, prefix, "bin");
    place_join(net, place.home, "nets");
    ck_assert(mkdir(tables, 0755) == 0 && mkdir(prefix, 0755) == 0 && mkdir(bin, 0755) == 0 &&
              mkdir(net, 0755) == 0);
    place_join(script, bin, "python");
    put_text(script, "");
    place_join(net, place.home, "nets/a.nnue");
    put_text(net, "");
    place_join(script, place.folder, "script.py");
    Text text = {0};
    text_addf(&text, "#! %s/python -u\n", bin);
    put_text(script, text_string(&text));
    text_clear(&text);
    text_addf(&text, "--log=%s", place.network);
    sandbox_show(&place.sandbox, tables);

    const char *argv[] = {script, text_string(&text), "a,b", "/", "", NULL};
    sandbox_engine(&place.sandbox, argv, "/", 16, 1, &policy);
    ck_assert(has_rule(&policy, CONFINE_EXECUTE, place.folder) ||
              has_rule(&policy, CONFINE_EXECUTE, script));
    ck_assert(has_rule(&policy, CONFINE_EXECUTE, prefix));
    ck_assert(has_rule(&policy, CONFINE_EXECUTE, place.engine_folder));
    ck_assert(has_rule(&policy, CONFINE_READ, tables));
    ck_assert(has_rule(&policy, CONFINE_EXECUTE, "/usr"));
    ck_assert(!opens(&policy, net));
    ck_assert(!opens(&policy, "/etc/shadow"));
    /* What the options name. */
    sandbox_engine_option(&place.sandbox, "home/nets/a.nnue", place.folder, &policy);
    ck_assert(has_rule(&policy, CONFINE_READ, net));
    sandbox_engine_option(&place.sandbox, place.secret, NULL, &policy);
    sandbox_engine_option(&place.sandbox, place.home, NULL, &policy);
    sandbox_engine_option(&place.sandbox, "/:/tmp;/etc", NULL, &policy);
    sandbox_engine_option(&place.sandbox, "<empty>", NULL, &policy);
    ck_assert(!opens(&policy, place.secret));
    sandbox_policy_free(&policy);
    text_free(&text);
    place_close(&place);
}
END_TEST

/* A script may name its interpreter by a path, or have env look for it on the PATH. */
START_TEST(a_script_reads_its_interpreter) {
    static const char *const LINES[] = {"#! %s/python -u\n", "#!/usr/bin/env python\n",
                                        "#!/usr/bin/env -S python -u\n"};
    Place place;
    char prefix[PLACE_PATH], bin[PLACE_PATH], python[PLACE_PATH], script[PLACE_PATH];
    char line[PLACE_PATH * 2];
    place_open(&place);
    place_join(prefix, place.folder, "prefix");
    place_join(bin, prefix, "bin");
    place_join(python, bin, "python");
    place_join(script, place.engine_folder, "script");
    ck_assert(mkdir(prefix, 0755) == 0 && mkdir(bin, 0755) == 0);
    put_text(python, "");
    ck_assert_int_eq(chmod(python, 0755), 0);
    setenv("PATH", bin, 1);
    for (size_t i = 0; i < COUNT(LINES); i++) {
        SandboxPolicy policy;
        const char *argv[] = {script, NULL};
        snprintf(line, sizeof line, LINES[i], bin);
        put_text(script, line);
        sandbox_engine(&place.sandbox, argv, NULL, 16, 1, &policy);
        ck_assert_msg(has_rule(&policy, CONFINE_EXECUTE, prefix), "%s", line);
        sandbox_policy_free(&policy);
    }
    place_close(&place);
}
END_TEST

START_TEST(an_engine_in_a_wide_folder_reads_itself_alone) {
    Place place;
    SandboxPolicy policy;
    char engine[PLACE_PATH];
    place_open(&place);
    place_join(engine, place.home, "engine");
    put_text(engine, "");
    const char *argv[] = {engine, NULL};
    sandbox_engine(&place.sandbox, argv, NULL, 16, 1, &policy);
    ck_assert(has_rule(&policy, CONFINE_EXECUTE, engine));
    ck_assert(!opens(&policy, place.secret));
    sandbox_policy_free(&policy);
    place_close(&place);
}
END_TEST

/* Else a password's file below /usr would take the compiler's headers away. */
START_TEST(a_secret_among_the_systems_files_hides_nothing_else) {
    Place place;
    SandboxPolicy policy;
    place_open(&place);
    sandbox_hide(&place.sandbox, "/usr/bin/env");
    sandbox_hide(&place.sandbox, "/usr/share");
    sandbox_hide(&place.sandbox, "/usr/lib/gcc"); /* /lib leads there too. */
    sandbox_build(&place.sandbox, place.engine_folder, NULL, false, &policy);
    ck_assert(!has_rule(&policy, CONFINE_EXECUTE, "/usr"));
    ck_assert(opens(&policy, "/usr/include/stdio.h"));
    ck_assert(opens(&policy, "/usr/bin/make"));
    ck_assert(!opens(&policy, "/usr/bin/env"));
    ck_assert(!opens(&policy, "/usr/share"));
    ck_assert(!opens(&policy, "/usr/share/doc"));
    for (size_t i = 0; i < policy.rules.count; i++)
        ck_assert_msg(strstr(policy.rules.items[i], "/lib/gcc/") == NULL, "%s",
                      policy.rules.items[i]);
    sandbox_policy_free(&policy);
    place_close(&place);
}
END_TEST

START_TEST(limits_follow_hash_and_threads) {
    Place place;
    SandboxPolicy small, large, huge;
    const char *argv[] = {"/bin/true", NULL};
    place_open(&place);
    sandbox_engine(&place.sandbox, argv, NULL, 16, 1, &small);
    sandbox_engine(&place.sandbox, argv, NULL, 1040, 5, &large);
    sandbox_engine(&place.sandbox, argv, NULL, 1 << 25, 1, &huge); /* The protocol's largest. */
    ck_assert_uint_lt(huge.resident, ram_total());
    if (large.resident < huge.resident) /* A small machine has not so much. */
        ck_assert_uint_eq((large.resident - small.resident) >> 20, 1024 + 4 * 64);
    ck_assert_uint_eq(large.settings.memory, 0);
    ck_assert_int_eq(large.settings.processes - small.settings.processes, 8);
    ck_assert_uint_gt(small.settings.file_size, 0);
    sandbox_policy_free(&small);
    sandbox_policy_free(&large);
    sandbox_policy_free(&huge);
    place_close(&place);
}
END_TEST

START_TEST(folders_cover_what_is_in_them) {
    ck_assert(sandbox_covers("/", "/a"));
    ck_assert(sandbox_covers("/a", "/a"));
    ck_assert(sandbox_covers("/a", "/a/b"));
    ck_assert(sandbox_covers("/a/", "/a/b"));
    ck_assert(!sandbox_covers("/a", "/ab"));
    ck_assert(!sandbox_covers("/a/b", "/a"));
}
END_TEST

START_TEST(what_is_missing_is_said) {
    static const struct {
        ConfineLayers layers;
        bool root;
        const char *said; /* A part of it. */
    } CASES[] = {
        {{.landlock = 1, .filter = true}, false, ""},
        {{.landlock = 6, .filter = true, .own_user = true}, true, ""},
        {{.landlock = 6, .filter = true}, true, "root cannot change to another user"},
        {{.landlock = 6}, false, "engines have the network"},
        {{.filter = true}, false, "files are not protected"},
        {{.filter = true, .namespaces = true}, false, "what engines read is not restricted"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Text out = {0};
        sandbox_missing(&CASES[i].layers, CASES[i].root, &out);
        if (CASES[i].said[0] == '\0')
            ck_assert_str_eq(text_string(&out), "");
        ck_assert_ptr_nonnull(strstr(text_string(&out), CASES[i].said));
        text_free(&out);
    }
}
END_TEST

/* ---- Builds ---- */

static void run_build(const Place *place, const char *tree, const char *script, bool network,
                      PlaceHeard *heard) {
    const char *argv[] = {"/bin/sh", "-c", script, NULL};
    SandboxPolicy policy;
    sandbox_build(&place->sandbox, tree, NULL, network, &policy);
#ifdef RD_ASAN
    policy.settings.memory = 0;
#endif
    place_run(argv, tree, &policy, "", heard);
    sandbox_policy_free(&policy);
}

START_TEST(a_build_writes_its_tree_and_nothing_else) {
    Place place;
    PlaceHeard heard;
    char tree[PLACE_PATH], made[PLACE_PATH];
    Text script = {0};
    place_open(&place);
    place_join(tree, place.folder, "tree");
    place_join(made, tree, "sub/made");
    ck_assert_int_eq(mkdir(tree, 0755), 0);
    char source[PLACE_PATH];
    place_join(source, tree, "source.sh");
    put_text(source, "#!/bin/sh\necho built\n");
    text_addf(
        &script,
        "test -r %s && chmod +x source.sh && ./source.sh && mkdir sub && cp source.sh sub/made && "
        "mv sub/made sub/other && mv sub/other sub/made && chmod 755 sub/made && "
        "cp source.sh \"$HOME\" && \"$HOME/source.sh\" && ./sub/made; "
        "cat %s; echo x >%s/note; chmod 777 %s; echo done",
        place.network, place.secret, place.home, place.secret);
    run_build(&place, tree, text_string(&script), false, &heard);
    const char *output = text_string(&heard.output);
    ck_assert_msg(text_starts_with(output, "built\nbuilt\nbuilt\n"), "%s", output);
    ck_assert_ptr_nonnull(strstr(output, "done\n"));
    ck_assert_int_eq(access(made, X_OK), 0);
    const ConfineLayers *layers = &place.sandbox.layers;
    struct stat status;
    if (layers->landlock > 0)
        ck_assert_ptr_null(strstr(output, "secret\n"));
    text_clear(&script);
    text_addf(&script, "%s/note", place.home);
    if (layers->landlock > 0 || layers->namespaces || layers->own_user)
        ck_assert_int_ne(access(text_string(&script), F_OK), 0);
    ck_assert_int_eq(stat(place.secret, &status), 0);
    if (layers->namespaces || layers->own_user)
        ck_assert_int_eq(status.st_mode & 0777, 0644);
    else
        printf("left out: what a build may do to the modes of files, for want of namespaces\n");
    text_free(&heard.output);
    text_free(&script);
    place_close(&place);
}
END_TEST

/* With the network a build reaches a port; without, it does not; local sockets are out of its reach
 * in any case. */
START_TEST(a_build_has_the_network_when_that_is_wanted) {
    static const struct {
        bool network;
        const char *kind;
        bool reaches;
    } CASES[] = {{true, "connect", true}, {false, "connect", false}, {true, "local", false}};
    Place place;
    place_open(&place);
    if (!place.sandbox.layers.filter)
        printf("left out: builds and the network, for want of a filter\n");
    for (size_t i = 0; place.sandbox.layers.filter && i < sizeof CASES / sizeof *CASES; i++) {
        PlaceHeard heard;
        Text script = {0};
        text_addf(
            &script,
            "echo 'position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\ngo' "
            "| ./engine trick=%s:",
            CASES[i].kind);
        if (strcmp(CASES[i].kind, "connect") == 0)
            text_addf(&script, "%d", place.port);
        else
            text_add(&script, place.local);
        run_build(&place, place.engine_folder, text_string(&script), CASES[i].network, &heard);
        const char *output = text_string(&heard.output);
        ck_assert_msg((strstr(output, " done") != NULL) == CASES[i].reaches, "%s: %s",
                      text_string(&script), output);
        ck_assert_msg((strstr(output, " refused") != NULL) != CASES[i].reaches, "%s: %s",
                      text_string(&script), output);
        text_free(&heard.output);
        text_free(&script);
    }
    place_close(&place);
}
END_TEST

/* ---- The rest ---- */

START_TEST(a_sandbox_without_a_place_for_scratch_folders_is_refused) {
    Sandbox sandbox;
    Text missing = {0};
    Error err = {0};
    setenv("TMPDIR", "/nowhere/at/all", 1);
    ck_assert(!sandbox_open(&sandbox, "auto", &missing, &err));
    ck_assert_str_eq(err.text, "/nowhere/at/all: no folder for the sandbox can be made in it: No "
                               "such file or directory (set TMPDIR to another folder)");
    sandbox_free(&sandbox);
    text_free(&missing);
}
END_TEST

/* A shortage of processes tells nothing of the kernel. No limit of processes holds for root. */
START_TEST(a_sandbox_that_cannot_be_tried_is_refused) {
    static const char *const WISHES[] = {"auto", "on"};
    struct rlimit before, none;
    if (geteuid() == 0)
        return;
    ck_assert_int_eq(getrlimit(RLIMIT_NPROC, &before), 0);
    none = before;
    none.rlim_cur = 1;
    ck_assert_int_eq(setrlimit(RLIMIT_NPROC, &none), 0);
    for (size_t i = 0; i < COUNT(WISHES); i++) {
        Sandbox sandbox;
        Text missing = {0};
        Error err = {0};
        ck_assert(!sandbox_open(&sandbox, WISHES[i], &missing, &err));
        ck_assert_str_eq(err.text, "the sandbox cannot be tried out: no process can be started "
                                   "(the limit of processes, ulimit -u, may be reached)");
        ck_assert_uint_eq(missing.length, 0);
        sandbox_free(&sandbox);
    }
    ck_assert_int_eq(setrlimit(RLIMIT_NPROC, &before), 0);
}
END_TEST

START_TEST(the_scratch_folder_goes_with_the_child) {
    Place place;
    PlaceHeard heard;
    SandboxPolicy policy;
    const char *argv[] = {"/bin/sh", "-c",
                          "echo $HOME; test \"$HOME\" = \"$TMPDIR\" && mkdir $HOME/a && "
                          "echo x >$HOME/a/b && cat $HOME/a/b && stat -c %a $HOME/..",
                          NULL};
    place_open(&place);
    sandbox_engine(&place.sandbox, argv, NULL, 16, 1, &policy);
    place_run(argv, NULL, &policy, "", &heard);
    char *line = heard.output.data;
    char *end = strchr(line, '\n');
    ck_assert_ptr_nonnull(end);
    /* A user of its own passes through the folder; other users have no business there. */
    ck_assert_str_eq(end, place.sandbox.layers.own_user ? "\nx\n711\n" : "\nx\n700\n");
    *end = '\0';
    ck_assert_ptr_nonnull(strstr(line, "/obworker-"));
    ck_assert_int_ne(access(line, F_OK), 0);
    text_free(&heard.output);
    sandbox_policy_free(&policy);
    place_close(&place);
}
END_TEST

/* Keeps the only thread of libuv's pool busy until it may read the pipe. */
static void hold_pool(uv_work_t *work) {
    const int *release = work->data;
    char byte;
    ck_assert_int_eq(read(*release, &byte, 1), 1);
}

/* A folder may hold gigabytes, and games with clocks run on the loop: it does not wait for the
 * removal. */
START_TEST(the_end_of_a_child_does_not_wait_for_its_folders_removal) {
    static const char *const ARGV[] = {"/bin/sh", "-c", "echo $HOME", NULL};
    Place place;
    PlaceHeard heard = {0};
    SandboxPolicy policy;
    Error err = {0};
    uv_loop_t loop;
    uv_work_t busy;
    int release[2];
    setenv("UV_THREADPOOL_SIZE", "1", 1);
    ck_assert_int_eq(pipe(release), 0);
    place_open(&place);
    uv_loop_init(&loop);
    busy.data = &release[0];
    ck_assert_int_eq(uv_queue_work(&loop, &busy, hold_pool, NULL), 0);
    sandbox_engine(&place.sandbox, ARGV, NULL, 16, 1, &policy);
    ChildSpec spec = {.argv = ARGV, .policy = &policy, .no_input = true};
    Child *child = child_start(&loop, &spec, &PLACE_EVENTS, &heard, &err);
    ck_assert_msg(child != NULL, "%s", err.text);
    while (!heard.gone)
        uv_run(&loop, UV_RUN_ONCE);
    child_free(child);
    char *home = heard.output.data;
    ck_assert_msg(home != NULL, "%s", heard.end.reason);
    home[strcspn(home, "\n")] = '\0';
    ck_assert_int_eq(access(home, F_OK), 0);
    ck_assert_int_eq(write(release[1], "x", 1), 1);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_ne(access(home, F_OK), 0);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    close(release[0]);
    close(release[1]);
    text_free(&heard.output);
    sandbox_policy_free(&policy);
    place_close(&place);
}
END_TEST

/* Makes a folder with a file of this name; "" makes an empty folder. */
static void make_folder(const char *path, const char *file) {
    char inside[PLACE_PATH];
    ck_assert_msg(mkdir(path, 0700) == 0, "%s", path);
    if (file[0] == '\0')
        return;
    place_join(inside, path, file);
    put_text(inside, "");
}

/* A worker that was killed could not remove them; one that lives still needs them. Folders of the
 * user's own may have nearly the same names. */
START_TEST(scratch_folders_of_the_dead_are_removed) {
    Place place;
    Sandbox sandbox;
    Text missing = {0};
    Error err = {0};
    place_open(&place);
    pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    ck_assert_int_eq(waitpid(gone, NULL, 0), gone);
    const struct {
        pid_t pid;
        const char *rest; /* Of the name. */
        const char *file;
        bool stays;
    } folders[] = {
        {gone, "-abcdef", "lock", false},
        {gone, "-ghijkl", "", false},     /* The worker was killed before it made the lock, */
        {gone, "-mnopqr", "home", false}, /* or after it had removed the lock. */
        {gone, "-backup", "note", true},
        {getpid(), "-abcdef", "lock", true},
        {gone, "", "", true},
        {gone, ".backup", "lock", true},
        {gone, "-abc", "lock", true},
        {gone, "-abcdefg", "lock", true},
    };
    enum { FOLDERS = sizeof folders / sizeof folders[0] };
    char paths[FOLDERS][PLACE_PATH];
    for (int i = 0; i < FOLDERS; i++) {
        char name[64];
        snprintf(name, sizeof name, "obworker-%d%s", (int)folders[i].pid, folders[i].rest);
        place_join(paths[i], place.folder, name);
        make_folder(paths[i], folders[i].file);
    }
    setenv("TMPDIR", place.folder, 1);
    ck_assert(sandbox_open(&sandbox, "auto", &missing, &err));
    for (int i = 0; i < FOLDERS; i++)
        ck_assert_msg((access(paths[i], F_OK) == 0) == folders[i].stays, "%s", paths[i]);
    sandbox_free(&sandbox);
    text_free(&missing);
    place_close(&place);
}
END_TEST

START_TEST(wishes_are_followed) {
    Sandbox sandbox;
    Text missing = {0};
    Error err = {0};
    ck_assert(sandbox_open(&sandbox, "off", &missing, &err));
    ck_assert(!sandbox.on);
    sandbox_free(&sandbox);
    ck_assert(sandbox_open(&sandbox, "auto", &missing, &err));
    ck_assert(sandbox.on);
    sandbox_free(&sandbox);
    bool refused = !sandbox_open(&sandbox, "on", &missing, &err);
    ck_assert(refused == (missing.length > 0));
    if (refused)
        ck_assert(text_starts_with(err.text, "--sandbox on: "));
    sandbox_free(&sandbox);
    text_free(&missing);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, folders_cover_what_is_in_them);
    tcase_add_test(tests, what_is_missing_is_said);
    tcase_add_test(tests, wishes_are_followed);
    tcase_add_test(tests, scratch_folders_of_the_dead_are_removed);
    tcase_add_test(tests, an_engine_reads_what_belongs_to_it);
    tcase_add_test(tests, a_script_reads_its_interpreter);
    tcase_add_test(tests, an_engine_in_a_wide_folder_reads_itself_alone);
    tcase_add_test(tests, a_secret_among_the_systems_files_hides_nothing_else);
    tcase_add_test(tests, limits_follow_hash_and_threads);
    tcase_add_test(tests, a_sandbox_that_cannot_be_tried_is_refused);
    tcase_add_test(tests, a_sandbox_without_a_place_for_scratch_folders_is_refused);
    tcase_add_test(tests, the_scratch_folder_goes_with_the_child);
    tcase_add_test(tests, the_end_of_a_child_does_not_wait_for_its_folders_removal);
    tcase_add_test(tests, a_build_writes_its_tree_and_nothing_else);
    tcase_add_test(tests, a_build_has_the_network_when_that_is_wanted);
}

int main(int argc, char **argv) {
    return place_main(argc, argv, "sandbox", add_tests);
}
