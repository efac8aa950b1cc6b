/* SPDX-License-Identifier: MIT */
/* `obworker submit` beside a small server, in a repository made for the test: what it sends, what
 * it makes, what it refuses before anything is made or sent, and how it tells what the server says.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/tree.h"
#include "tools/openbench_double.h"
#include "tools/recordings.h"
#include "runner.h"

enum { PATH_SIZE = 256, LOG_LIMIT = 1 << 20, MAX_ARGS = 64, PATIENCE_S = 120 };

#define SCRIPTS "/scripts/"

static Double *server;
static char folder[PATH_SIZE];
static char repository[PATH_SIZE + 16];

/* ---- A repository and the server ---- */

/* Runs a shell in the repository; fails the test when it fails. */
static void shell(const char *script) {
    Text command = {0};
    text_addf(&command, "cd %s && { %s\n} >>%s/shell.log 2>&1", repository, script, folder);
    int status = system(text_string(&command));
    ck_assert_msg(status == 0, "%s: status %d", script, status);
    text_free(&command);
}

/* What a command prints in the repository, without its last line end. Allocated. */
static char *answer(const char *script) {
    Text command = {0};
    Text out = {0};
    char line[4096];
    text_addf(&command, "cd %s && { %s\n} 2>/dev/null", repository, script);
    FILE *pipe = popen(text_string(&command), "r");
    while (fgets(line, sizeof line, pipe))
        text_add(&out, line);
    pclose(pipe);
    while (out.length && out.data[out.length - 1] == '\n')
        out.data[--out.length] = '\0';
    text_free(&command);
    return text_take(&out);
}

static void expect_answer(const char *script, const char *wanted) {
    char *got = answer(script);
    ck_assert_msg(strcmp(got, wanted) == 0, "%s: got '%s', wanted '%s'", script, got, wanted);
    free(got);
}

/* A branch main whose engine is a script, with a bench that its flag table decides, which tells of
 * its rows when it is built with TUNE=1; and a bare repository beside it as origin, which is at the
 * same commit. */
static const char make_repository[] =
    "git init -q -b main . && git config user.name 'Ada L' && git config user.email ada@localhost\n"
    "mkdir -p engine/lmr engine/search && cat >engine/search/params.def <<'END'\n"
    "LATE_BASE | I | 8      | 0..64                   | move | - | late moves\n"
    "END\n"
    "cat >engine/lmr/flags.def <<'END'\n"
    "# a flag table\n"
    "KILLER | C | by-weight | ignore exempt by-weight | T0 | - | killer moves\n"
    "W_PV   | W | -1024     | -4096..4096             | T0 | - | PV node\n"
    "STATS  | B | 0         | 0..1                    | T0 | - | counts\n"
    "BROKEN | B | 0         | 0..1                    | T0 | - | does not build\n"
    "SILENT | B | 0         | 0..1                    | T0 | - | prints no bench\n"
    "END\n"
    "cat >engine/rows.sh <<'END'\n"
    "case \"$1\" in 'lmr spsa'*)\n"
    "    set -- $1 && shift 2\n"
    "    for row; do case $row in\n"
    "        W_PV) echo 'W_PV, int, -1024, -4096, 4096, 409.60, 0.0020' ;;\n"
    "        LATE_BASE) echo 'LATE_BASE, int, 8, 0, 64, 3.20, 0.0020' ;;\n"
    "        KILLER) echo '# KILLER cannot be tuned: it is a choice of words' ;;\n"
    "        *) echo \"lmr spsa: there is no row $row\"; exit 1 ;;\n"
    "    esac; done; exit\n"
    "esac\n"
    "END\n"
    "cat >engine/Makefile <<'END'\n"
    "EXE ?= engine\n"
    "TUNE ?= 0\n"
    "all:\n"
    "\t@! grep -q '^BROKEN . B . 1' lmr/flags.def || { echo 'main.c:1: error: BROKEN is 1'; exit "
    "1; }\n"
    "\t@{ echo '#!/bin/sh'; [ $(TUNE) = 0 ] || cat rows.sh; grep -q '^SILENT . B . 1' "
    "lmr/flags.def || "
    "echo \"echo $$(cat */*.def | grep -v '^STATS' | cksum | cut -d' ' -f1) nodes 1000000 nps\"; "
    "} >$(EXE)\n"
    "\t@chmod +x $(EXE)\n"
    "END\n"
    "make -s -C engine EXE=$PWD/../first && bench=$(../first | cut -d' ' -f1)\n"
    "echo $bench >../bench && echo notes >notes && git add -A\n"
    "git commit -qm 'First' -m \"Bench: $bench\"\n"
    "git init -q --bare ../origin.git && git remote add origin ../origin.git\n"
    "git push -q origin main && echo 'not in git' >scratch";

static void setup(void) {
    snprintf(folder, sizeof folder, "/tmp/rd-submit-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(repository, sizeof repository, "%s/repository", folder);
    ck_assert_int_eq(system(""), 0);
    Text make = {0};
    text_addf(&make, "mkdir %s", repository);
    ck_assert_int_eq(system(text_string(&make)), 0);
    text_free(&make);
    shell(make_repository);
    static const char config[] = "{\"engines\": [\"Reductio\", \"Weiss\"], \"books\": "
                                 "{\"8moves_v3.epd\": {\"sha\": \"x\", \"source\": \"y\"}}}";
    server = double_start();
    double_serve(server, "/api/config/", "application/json", config, sizeof config - 1);
}

static void teardown(void) {
    double_stop(server);
    ck_assert(tree_remove(folder, NULL));
}

static char *in_folder(const char *name) {
    Text path = {0};
    text_addf(&path, "%s/%s", folder, name);
    return text_take(&path);
}

static Text read_file(const char *name) {
    char *path = in_folder(name);
    Text text = {0};
    Error err = {0};
    ck_assert_msg(file_read(path, LOG_LIMIT, &text, &err), "%s", err.text);
    free(path);
    return text;
}

static void write_file(const char *name, const char *text) {
    char *path = in_folder(name);
    Error err = {0};
    ck_assert_msg(file_write_atomic(path, text, strlen(text), 0600, &err), "%s", err.text);
    free(path);
}

/* ---- The command ---- */

/* In the child: the environment of a user whom nothing but the test has set up. */
static void exec_submit(const char *const *words, const char *url) {
    const char *argv[MAX_ARGS] = {getenv("OBWORKER"), "submit"};
    int count = 2;
    while (*words && count < MAX_ARGS - 8)
        argv[count++] = *words++;
    if (url) {
        const char *more[] = {"-S", url, "-U", "tester", "--password-file", "../password"};
        for (size_t i = 0; i < sizeof more / sizeof *more; i++)
            argv[count++] = more[i];
    }
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("TMPDIR", folder, 1);
    setenv("HOME", folder, 1);
    unsetenv("OPENBENCH_PASSWORD");
    if (chdir(repository) == 0)
        execv(argv[0], (char **)argv);
    _exit(127);
}

/* Runs it to its end; stdout to the file "out", stderr to "log". Its status. */
static int run(const char *const *words, const char *url) {
    write_file("password", "secret\n");
    char *out = in_folder("out");
    char *log = in_folder("log");
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        dup2(open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
        dup2(open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
        dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
        exec_submit(words, url);
    }
    free(out);
    free(log);
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void expect_in(const char *name, const char *words) {
    Text text = read_file(name);
    ck_assert_msg(strstr(text_string(&text), words) != NULL, "%s: no \"%s\" in:\n%.3000s", name,
                  words, text_string(&text));
    text_free(&text);
}

static void expect_run(const char *const *words, int status) {
    int got = run(words, double_url(server));
    Text log = read_file("log");
    ck_assert_msg(got == status, "exit status %d, wanted %d:\n%.3000s", got, status,
                  text_string(&log));
    ck_assert_msg(!strstr(text_string(&log), "secret"), "the password is in the log:\n%.3000s",
                  text_string(&log));
    text_free(&log);
}

#define SUBMIT(status, ...) expect_run((const char *const[]){__VA_ARGS__, NULL}, status)

/* ---- What stays as it was ---- */

/* All that a user would miss: branches here and at origin, the index and the files, worktrees. */
static char *state_of_things(void) {
    return answer("git for-each-ref; git --git-dir ../origin.git for-each-ref; git status "
                  "--porcelain; git ls-files -s; git worktree list; cat .git/HEAD; ls -A . ..  "
                  "| grep -v '^log$\\|^out$\\|^password$\\|^obworker$\\|^form$\\|^.cache$'");
}

/* Refused, with these words, before anything was made or sent. */
static void refuse(const char *const *words, int status, const char *why) {
    char *before = state_of_things();
    expect_run(words, status);
    expect_in("log", why);
    char *after = state_of_things();
    ck_assert_msg(strcmp(before, after) == 0, "%s: it was\n%s\nand is\n%s", why, before, after);
    ck_assert_uint_eq(double_count(server, SCRIPTS), 0);
    free(before);
    free(after);
}

#define REFUSE(why, ...) refuse((const char *const[]){__VA_ARGS__, NULL}, 1, why)
#define REFUSE_USAGE(why, ...) refuse((const char *const[]){__VA_ARGS__, NULL}, 2, why)
#define REPO "--repo", "https://git.example/a/b"

/* ---- The form ---- */

/* What is sent in place of what a recording leaves out. */
static const char *sent_for(const cJSON *field) {
    return strcmp(field->string, "password") == 0              ? "secret"
           : strcmp(field->string, "csrfmiddlewaretoken") == 0 ? "token-of-the-double"
                                                               : field->valuestring;
}

/* The index-th form that was sent there is the recorded one, field by field. */
static void expect_fields(const cJSON *form, const char *path, size_t index) {
    for (const cJSON *field = form->child; field; field = field->next) {
        char *value = double_field(server, path, index, field->string, 0);
        ck_assert_msg(value != NULL, "no field %s", field->string);
        ck_assert_msg(strcmp(value, sent_for(field)) == 0, "%s: sent '%s', recorded '%s'",
                      field->string, value, sent_for(field));
        free(value);
    }
    char *sent = double_field_names(server, path, index);
    int count = 0;
    for (const char *at = sent; *at; at++)
        count += *at == ',';
    ck_assert_msg(count == cJSON_GetArraySize(form), "%d fields were recorded, sent: %s",
                  cJSON_GetArraySize(form), sent);
    free(sent);
}

/* The index-th form of a test is the recorded one: field by field, in its order. */
static void expect_form(const cJSON *form, size_t index) {
    Text names = {0};
    expect_fields(form, SCRIPTS, index);
    for (const cJSON *field = form->child; field; field = field->next)
        text_addf(&names, "%s,", field->string);
    char *sent = double_field_names(server, SCRIPTS, index);
    ck_assert_str_eq(sent, text_string(&names));
    free(sent);
    text_free(&names);
}

static const struct {
    const char *recording;
    const char *page, *reasons; /* of a refusal */
    int status;
    const char *said[2]; /* in the log, or on stdout */
} recorded[] = {
    {"42-create-test.json", NULL, NULL, 0, {"test 1000: lmr-killer against master", "/test/1000/"}},
    {"43-create-test-bad-branch.json",
     "/test/new/",
     "missing could not be found",
     1,
     {"refuses the test of missing: missing could not be found\n", ""}},
    /* With a wrong password as recorded nothing is sent, since it is asked before; a user who is
     * not enabled gets the same answer. */
    {"44-create-test-bad-password.json",
     "/login/",
     "Only enabled users can create tests",
     1,
     {"refuses the test of lmr-killer: Only enabled users can create tests\n", ""}},
    {"45-create-test-bad-bounds.json",
     "/test/new/",
     "&quot;Threads&quot; needs to be at least 1 for Dev Options\n"
     "SPRT Bounds must be formatted as [float1, float2]",
     1,
     {"refuses the test of lmr-killer: \"Threads\" needs to be at least 1 for Dev Options\n",
      "refuses the test of lmr-killer: SPRT Bounds must be formatted as [float1, float2]\n"}},
};

/* The recorded form as a file for --from, a field's lines each under its name; its user, password
 * and token come from elsewhere. */
static void write_form(const cJSON *form) {
    static const char *const others[] = {"username", "password", "action", "csrfmiddlewaretoken"};
    Text text = {0};
    text_add(&text, "# as recorded\n\n");
    for (const cJSON *field = form->child; field; field = field->next) {
        bool other = false;
        for (size_t i = 0; i < COUNT(others); i++)
            other |= strcmp(field->string, others[i]) == 0;
        for (const char *at = field->valuestring; at && !other;) {
            size_t length = strcspn(at, "\n");
            text_addf(&text, "%s = %.*s\n", field->string, (int)length, at);
            at = at[length] ? at + length + 1 : NULL;
        }
    }
    write_file("form", text_string(&text));
    text_free(&text);
}

START_TEST(a_recorded_form_is_sent_as_it_was) {
    if (!recordings_available()) {
        fprintf(stderr, "submit: no recordings here: forms are not compared with them\n");
        return;
    }
    cJSON *recording = recording_load(recorded[_i].recording);
    const cJSON *form = recording_form(recording);
    write_form(form);
    if (recorded[_i].page)
        double_refuse_test(server, recorded[_i].page, recorded[_i].reasons);
    SUBMIT(recorded[_i].status, "--from", "../form");
    expect_form(form, 0);
    for (int i = 0; i < 2; i++)
        expect_in(recorded[_i].page ? "log" : "out", recorded[_i].said[i]);
    ck_assert_uint_eq(double_count(server, SCRIPTS), 1);
    cJSON_Delete(recording);
}
END_TEST

START_TEST(options_make_the_recorded_form_too) {
    if (!recordings_available())
        return;
    cJSON *recording = recording_load("42-create-test.json");
    const cJSON *form = recording_form(recording);
    SUBMIT(0, "--branch", "lmr-killer", "--base-branch", "master", "--engine", "Weiss", "--repo",
           "https://github.com/TerjeKir/weiss", "--tc", "8+0.08", "--bounds", "0,5", "--confidence",
           "0.05,0.1", "--option", "Threads=1", "--info", "Reduce killers less");
    expect_form(form, 0);
    cJSON_Delete(recording);
}
END_TEST

START_TEST(a_wrong_password_is_refused_before_anything_is_made) {
    char *before = state_of_things();
    int status = run((const char *const[]){"--flag", "KILLER=0", REPO, "-U", "tester", "-P",
                                           "wrong", "-S", double_url(server), NULL},
                     NULL);
    ck_assert_int_eq(status, 1);
    expect_in("log", "Bad Credentials");
    char *after = state_of_things();
    ck_assert_str_eq(before, after);
    ck_assert_uint_eq(double_count(server, SCRIPTS), 0);
    free(before);
    free(after);
}
END_TEST

/* The server may know a user who may not create tests. */
START_TEST(reasons_on_the_login_page_are_told) {
    double_refuse_test(server, "/login/", "Only enabled users can create tests");
    SUBMIT(1, "--branch", "x", REPO);
    expect_in("log", "refuses the test of x: Only enabled users can create tests\n");
}
END_TEST

static void expect_field(size_t index, const char *name, const char *wanted) {
    char *value = double_field(server, SCRIPTS, index, name, 0);
    ck_assert_msg(value != NULL, "no field %s", name);
    ck_assert_msg(strcmp(value, wanted) == 0, "%s: sent '%s', wanted '%s'", name, value, wanted);
    free(value);
}

START_TEST(games_and_numbers_are_written_as_the_form_has_them) {
    SUBMIT(0, "--branch", "x", REPO, "--games", "4000", "--tc", "MT=100", "--confidence",
           "0.025,0.1", "--option", "Hash=64", "--option", "Name=two words");
    expect_field(0, "test_mode", "GAMES");
    expect_field(0, "test_max_games", "4000");
    expect_field(0, "dev_time_control", "MT=100");
    expect_field(0, "test_confidence", "[0.10, 0.025]");
    expect_field(0, "dev_options", "Threads=1 Hash=64 \"Name=two words\"");
    expect_field(0, "base_options", "Threads=1 Hash=64 \"Name=two words\"");
}
END_TEST

/* ---- From flags to a test ---- */

START_TEST(flags_become_a_branch_with_its_bench_and_a_test) {
    char *before = answer("git status --porcelain; git ls-files -s; cat .git/HEAD scratch");
    SUBMIT(0, "--flag", "KILLER=0", "--flag", "W_PV=-512", REPO, "--push", "origin");
    expect_in("out", "test 1000: lmr-killer-ignore-w_pv-minus512 against main: http://127.0.0.1:");
    expect_in("out", "/test/1000/\n");
    /* The files and the index are as they were, and no branch was switched to. */
    char *after = answer("git status --porcelain; git ls-files -s; cat .git/HEAD scratch");
    ck_assert_str_eq(before, after);
    /* One commit on top of main, with the two rows and the bench that its own build has. */
    const char branch[] = "lmr-killer-ignore-w_pv-minus512";
    expect_answer("git rev-list --count main..lmr-killer-ignore-w_pv-minus512", "1");
    expect_answer("git diff --numstat main lmr-killer-ignore-w_pv-minus512",
                  "2\t2\tengine/lmr/flags.def");
    expect_answer("git log -1 --format='%an %ae|%s' lmr-killer-ignore-w_pv-minus512",
                  "Ada L ada@localhost|Set KILLER to ignore, W_PV to -512");
    expect_answer("git worktree list | wc -l", "1");
    expect_answer("mkdir ../t && git archive lmr-killer-ignore-w_pv-minus512 | tar x -C ../t && "
                  "make -s -C ../t/engine EXE=e >/dev/null && echo \"Bench: $(../t/engine/e | cut "
                  "-d' ' -f1)\" "
                  ">../wanted && git log -1 --format=%B lmr-killer-ignore-w_pv-minus512 | "
                  "grep Bench: | cmp - ../wanted && echo same",
                  "same");
    expect_answer("git --git-dir ../origin.git rev-parse lmr-killer-ignore-w_pv-minus512 >../a; "
                  "git rev-parse lmr-killer-ignore-w_pv-minus512 | cmp - ../a && echo same",
                  "same");
    expect_answer("ls .. | grep obworker-", "");
    expect_field(0, "dev_branch", branch);
    expect_field(0, "base_branch", "main");
    expect_field(0, "dev_bench", "");
    expect_field(0, "base_bench", "");
    expect_field(0, "dev_engine", "Reductio");
    expect_field(0, "dev_repo", "https://git.example/a/b");
    free(before);
    free(after);
}
END_TEST

START_TEST(a_branch_may_change_flags_and_the_numbers_of_the_search) {
    REFUSE("LATE_BASE=65 is out of range 0..64", "--flag", "LATE_BASE=65", REPO);
    SUBMIT(0, "--flag", "KILLER=0", "--flag", "LATE_BASE=4", REPO, "--push", "origin");
    expect_answer("git diff --numstat main lmr-killer-ignore-late_base-4 | tr '\\n' ' '",
                  "1\t1\tengine/lmr/flags.def 1\t1\tengine/search/params.def ");
}
END_TEST

START_TEST(an_older_engine_has_the_table_of_the_flags_alone) {
    free(answer("git rm -q engine/search/params.def && git commit -qm 'Second' && "
                "git push -q origin main"));
    REFUSE("unknown row LATE_BASE", "--flag", "LATE_BASE=4", REPO);
    SUBMIT(0, "--flag", "W_PV=0", REPO, "--push", "origin");
    expect_answer("git diff --numstat main lmr-w_pv-0", "1\t1\tengine/lmr/flags.def");
}
END_TEST

START_TEST(each_set_is_a_test) {
    SUBMIT(0, "--each", "KILLER=0", "--each", "W_PV=0", "--flag", "STATS=1", REPO, "--json");
    ck_assert_uint_eq(double_count(server, SCRIPTS), 2);
    expect_field(0, "dev_branch", "lmr-killer-ignore-stats-1");
    expect_field(1, "dev_branch", "lmr-stats-1-w_pv-0");
    expect_in("out", "{\"tests\":[{\"test\":1000,\"address\":\"http://127.0.0.1:");
    expect_in("out", "\"branch\":\"lmr-killer-ignore-stats-1\"");
    expect_in("out", "{\"test\":1001,");
    expect_answer("git branch --format='%(refname:short)'",
                  "lmr-killer-ignore-stats-1\nlmr-stats-1-w_pv-0\nmain");
    /* Nothing was pushed. */
    expect_answer("git --git-dir ../origin.git branch --format='%(refname:short)'", "main");
}
END_TEST

START_TEST(a_dry_run_shows_all_and_changes_nothing) {
    char *before = state_of_things();
    /* Files that git would look at again, and note that it did. */
    shell("touch -d '2001-01-01' notes engine/Makefile");
    char *objects = answer("find .git -type f | sort; cksum <.git/index");
    int status = run((const char *const[]){"--flag", "KILLER=ignore", REPO, "--push", "origin",
                                           "--dry-run", "-P", "secret", "-S", "http://h", NULL},
                     NULL);
    ck_assert_int_eq(status, 0);
    static const char *const shown[] = {"branch lmr-killer-ignore from main (",
                                        "-KILLER | C | by-weight |",
                                        "+KILLER | C | ignore    |",
                                        "Set KILLER to ignore\n",
                                        "KILLER was by-weight, is ignore\n",
                                        "\nBench: ",
                                        "git push origin lmr-killer-ignore\n",
                                        "dev_branch = lmr-killer-ignore\n",
                                        "test_confidence = [0.05, 0.05]\n"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        expect_in("out", shown[i]);
    char *objects_after = answer("find .git -type f | sort; cksum <.git/index");
    char *after = state_of_things();
    ck_assert_str_eq(before, after);
    ck_assert_str_eq(objects, objects_after);
    ck_assert_uint_eq(double_count(server, SCRIPTS), 0);
    Text out = read_file("out");
    ck_assert_ptr_null(strstr(text_string(&out), "secret"));
    text_free(&out);
    free(before);
    free(after);
    free(objects);
    free(objects_after);
}
END_TEST

START_TEST(a_base_without_a_bench_line_is_given_one_in_the_form) {
    shell("git commit -q --allow-empty -m 'Nothing said'");
    SUBMIT(0, "--flag", "KILLER=0", REPO);
    char *bench = answer("cat ../bench");
    expect_field(0, "base_bench", bench);
    free(bench);
}
END_TEST

/* The commit of main says its bench; that of the branch, which is at the remote, does not. */
static const char make_silent_branch[] =
    "git switch -q -c quiet && sed -i 's/-1024 /-512 /' engine/lmr/flags.def && "
    "git commit -qam 'Reduce less' && git push -q origin quiet && git switch -q main";

START_TEST(a_branch_without_a_bench_line_is_benched_here) {
    shell(make_silent_branch);
    SUBMIT(0, "--branch", "quiet", REPO);
    char *bench = answer("git switch -q quiet && make -s -C engine EXE=$PWD/../quiet >/dev/null && "
                         "git switch -q main && ../quiet | cut -d' ' -f1");
    expect_field(0, "dev_bench", bench);
    expect_field(0, "base_bench", "");
    expect_in("log", "its commit says no bench: building");
    free(bench);
}
END_TEST

START_TEST(a_branch_against_itself_is_benched_once) {
    shell("git commit -q --allow-empty -m 'Nothing said' && git push -q origin main");
    SUBMIT(0, "--branch", "main", REPO);
    char *bench = answer("cat ../bench");
    char *builds = answer("grep -c ': building' ../log");
    expect_field(0, "dev_bench", bench);
    expect_field(0, "base_bench", bench);
    ck_assert_str_eq(builds, "1");
    free(bench);
    free(builds);
}
END_TEST

START_TEST(a_bench_that_the_form_says_is_not_measured) {
    shell(make_silent_branch);
    write_file("form", "dev_bench = 17\n");
    SUBMIT(0, "--branch", "quiet", "--from", "../form", REPO);
    expect_field(0, "dev_bench", "17");
}
END_TEST

START_TEST(a_branch_without_a_bench_that_does_not_build_is_refused) {
    shell("git switch -q -c broken && sed -i '/^BROKEN/s/0  /1  /' engine/lmr/flags.def && "
          "git commit -qam 'Break' && git switch -q main");
    REFUSE("broken: its commit says no bench, and here: ", "--branch", "broken", REPO);
}
END_TEST

START_TEST(flags_that_change_nothing_are_warned_of) {
    SUBMIT(0, "--flag", "STATS=1", REPO);
    expect_in("log",
              "warning: lmr-stats-1: its bench is the base's: these flags may change nothing");
}
END_TEST

START_TEST(the_address_is_that_of_the_remote) {
    shell("git remote set-url --push origin git@git.example:a/b.git");
    SUBMIT(0, "--branch", "x");
    expect_field(0, "dev_repo", "https://git.example/a/b");
    expect_field(0, "base_repo", "https://git.example/a/b");
}
END_TEST

/* ---- What the server knows of the engine ---- */

#define SETTINGS                                                                                   \
    "\"source\": \"https://Git.example/a/b.git\", \"nps\": 777000, \"test_presets\": {"            \
    "\"default\": {\"base_branch\": \"stable\", \"test_bounds\": \"[0.00, 3.00]\", \"priority\": " \
    "2}, "                                                                                         \
    "\"LTC\": {\"both_options\": \"Threads=2 Hash=64\", \"both_time_control\": \"40.0+0.4\", "     \
    "\"workload_size\": 8, \"priority\": 5, \"novelty\": 1}}"

static void serve(const char *path, const char *body) {
    double_serve(server, path, "application/json", body, strlen(body));
}

START_TEST(a_preset_fills_what_nothing_says) {
    serve("/api/config/Weiss/", "{" SETTINGS "}");
    write_file("form", "dev_time_control = 1.0+0.01\n");
    SUBMIT(0, "--engine", "Weiss", "--branch", "x", REPO, "--from", "../form", "--preset", "ltc",
           "--option", "Hash=32");
    expect_field(0, "dev_options", "Threads=2 Hash=32");
    expect_field(0, "base_options", "Threads=2 Hash=32");
    expect_field(0, "dev_time_control", "1.0+0.01");
    expect_field(0, "base_time_control", "40.0+0.4");
    expect_field(0, "workload_size", "8");
    expect_field(0, "priority", "5");
    expect_field(0, "base_branch", "stable");
    expect_field(0, "test_bounds", "[0.00, 3.00]");
    expect_field(0, "test_confidence", "[0.05, 0.05]");
    expect_field(0, "scale_nps", "777000");
    expect_in("log",
              "warning: the preset says novelty, which this program's form has not: left out");
    ck_assert_uint_eq(double_count(server, "/api/config/Weiss/"), 1);
}
END_TEST

/* Without --preset the server's speed of the engine is all that is taken. */
START_TEST(the_engine_is_the_one_whose_repository_it_is) {
    serve("/api/buildinfo/", "{\"Other\": 1, \"Reductio\": {}, \"Weiss\": {" SETTINGS "}}");
    SUBMIT(0, "--branch", "x", REPO);
    expect_field(0, "dev_engine", "Weiss");
    expect_field(0, "base_engine", "Weiss");
    expect_field(0, "scale_nps", "777000");
    expect_field(0, "base_branch", "main");
    SUBMIT(0, "--branch", "x", REPO, "--preset", "LTC");
    expect_field(1, "base_branch", "stable");
    double_replace(server, "/api/buildinfo/", DOUBLE_INSTEAD, 200,
                   "{\"Weiss\": {\"source\": \"https://git.example/a/bc\"}}");
    SUBMIT(0, "--branch", "x", REPO);
    expect_field(2, "dev_engine", "Reductio");
    expect_field(2, "scale_nps", "1000000");
}
END_TEST

START_TEST(a_dry_run_shows_the_preset) {
    serve("/api/config/Reductio/", "{" SETTINGS "}");
    const char *words[] = {"--branch", "x",         REPO,       "--engine", "Reductio", "--preset",
                           "LTC",      "--dry-run", "--server", NULL,       NULL};
    words[COUNT(words) - 2] = double_url(server);
    ck_assert_int_eq(run(words, NULL), 0);
    expect_in("out", "dev_time_control = 40.0+0.4\n");
    expect_in("out", "base_branch = stable\n");
    ck_assert_uint_eq(double_count(server, SCRIPTS), 0);
    ck_assert_int_eq(
        run((const char *const[]){"--branch", "x", REPO, "--preset", "LTC", "--dry-run", NULL},
            NULL),
        2);
    expect_in("log", "--server: is missing: its address");
}
END_TEST

START_TEST(a_preset_that_cannot_be_had_is_refused) {
    static const struct {
        const char *answer, *why;
    } answers[] = {
        {"{" SETTINGS "}", "--preset: Reductio has no preset 'STC' there; it has: default, LTC"},
        {"{\"source\": \"\", \"nps\": 1, \"test_presets\": {}}",
         "--preset: Reductio has no preset 'STC' there; it has: none"},
        {"{\"source\": \"\", \"nps\": 0, \"test_presets\": {\"STC\": {}}}",
         "answer.nps: is not above 0"},
        {"{\"source\": \"\", \"nps\": 1, \"test_presets\": {\"STC\": 7}}",
         "answer.test_presets.STC: expected an object"},
        {"{\"source\": \"\", \"nps\": 1, \"test_presets\": {\"STC\": {\"priority\": []}}}",
         "answer.test_presets.STC.priority: expected a line of text or a number"},
        {"{\"source\": \"\", \"nps\": 1, \"test_presets\": {\"STC\": {\"info\": \"\\u001b[2J\"}}}",
         "answer.test_presets.STC.info: expected a line of text or a number"},
        {"{\"source\": \"\", \"nps\": 1}", "answer.test_presets is missing"},
        {"{\"error\": \"Engine not found\"}", "Engine not found"},
        {"<html>", "the server's answer"},
    };
    for (size_t i = 0; i < COUNT(answers); i++) {
        double_replace(server, "/api/config/Reductio/", DOUBLE_INSTEAD, 200, answers[i].answer);
        REFUSE(answers[i].why, "--engine", "Reductio", "--branch", "x", REPO, "--preset", "STC");
    }
    serve("/api/buildinfo/", "{\"Weiss\": {}}");
    REFUSE("the server has no engine 'Reductoi' (did you mean Reductio?)", "--engine", "Reductoi",
           "--branch", "x", REPO, "--preset", "STC");
    REFUSE("no engine there has this repository; --engine names one", "--branch", "x", REPO,
           "--preset", "STC");
}
END_TEST

/* One that says nothing takes its time for each question. */
START_TEST(a_server_that_does_not_answer_is_asked_once) {
    double_replace(server, "/clientVersionRef/", DOUBLE_INSTEAD, 0, "");
    REFUSE(double_url(server), "--engine", "Reductio", "--branch", "x", REPO, "--preset", "LTC");
    ck_assert_uint_eq(double_count(server, "/clientVersionRef/"), 1);
    ck_assert_uint_eq(double_count(server, "/api/config/"), 0);
    ck_assert_uint_eq(double_count(server, "/api/config/Reductio/"), 0);
}
END_TEST

START_TEST(a_submitted_test_can_be_waited_for) {
    SUBMIT(0, "--each", "KILLER=0", "--each", "W_PV=0", REPO, "--wait");
    expect_in("out", "test 1000: lmr-killer-ignore against main");
    expect_in("out", "test 1001: lmr-w_pv-0 against main");
    expect_in("out", "Games | N: 12 W: 5 L: 3 D: 4\n");
    expect_in("out", "Penta | [0, 1, 3, 1, 1]\n");
}
END_TEST

/* ---- Tunings and data generations ---- */

#define TUNE_FORM "/tune/new/"
#define DATAGEN_FORM "/datagen/new/"

static void expect_field_of(const char *path, size_t index, const char *name, const char *wanted) {
    char *value = double_field(server, path, index, name, 0);
    ck_assert_msg(value != NULL, "no field %s", name);
    ck_assert_msg(strcmp(value, wanted) == 0, "%s: sent '%s', wanted '%s'", name, value, wanted);
    free(value);
}

static const struct {
    const char *recording, *path, *said;
} recorded_others[] = {
    {"../forms/49-create-tune.json", TUNE_FORM, "tuning 1000: lmr-killer: http://127.0.0.1:"},
    {"../forms/52-create-datagen.json", DATAGEN_FORM,
     "data generation 1000: lmr-killer against master: http://127.0.0.1:"},
};

/* Signed in first; then the page of the form is shown, and its form sent. */
START_TEST(a_recorded_tuning_and_data_generation_are_sent_as_they_were) {
    if (!recordings_available()) {
        fprintf(stderr, "submit: no recordings here: forms are not compared with them\n");
        return;
    }
    cJSON *recording = recording_load(recorded_others[_i].recording);
    const char *path = recorded_others[_i].path;
    write_form(recording_form(recording));
    SUBMIT(0, "--from", "../form");
    expect_fields(recording_form(recording), path, 1);
    expect_in("out", recorded_others[_i].said);
    ck_assert_uint_eq(double_count(server, path), 2);
    ck_assert_uint_eq(double_count(server, SCRIPTS), 0);
    expect_field_of("/login/", 0, "@Method", "GET");
    cJSON *login = recording_load("../forms/47-login.json");
    expect_fields(recording_form(login), "/login/", 1);
    cJSON_Delete(login);
    cJSON_Delete(recording);
}
END_TEST

/* The server's reasons, as the recorded answer has them. */
START_TEST(a_refused_tuning_is_told_in_the_servers_words) {
    double_refuse_test(
        server, TUNE_FORM,
        "Max does not exceed Min, for DIV\nValue must be within [Min, Max], for DIV");
    SUBMIT(1, "--tune", "W_PV", REPO);
    expect_in("log", "refuses the tuning of tune-w_pv: Max does not exceed Min, for DIV\n");
    expect_in("log", "refuses the tuning of tune-w_pv: Value must be within [Min, Max], for DIV\n");
    expect_in("log", "obworker submit --params FILE (its commit has the lines) --branch tune-w_pv");
    char *lines = answer("git log -1 --format=%B tune-w_pv | grep ^W_PV >../rows; cat ../rows");
    ck_assert_str_eq(lines, "W_PV, int, -1024, -4096, 4096, 409.6, 0.002");
    free(lines);
    SUBMIT(0, "--params", "../rows", "--branch", "tune-w_pv", REPO);
    expect_in("out", "tuning 1000: tune-w_pv: ");
    expect_field_of(TUNE_FORM, 4, "spsa_inputs", "W_PV, int, -1024, -4096, 4096, 409.6, 0.002");
}
END_TEST

/* What the recorded server refused is refused before anything is sent. */
START_TEST(a_parameter_with_bounds_reversed_is_refused_at_once) {
    write_file("rows", "DIV, int, 170, 300, 100, 10, 0.002\n");
    REFUSE_USAGE("--params: ../rows: line 1: DIV, int, 170, 300, 100, 10, 0.002: min is not below "
                 "max",
                 "--params", "../rows", REPO);
    ck_assert_uint_eq(double_count(server, TUNE_FORM), 0);
}
END_TEST

START_TEST(rows_become_a_branch_whose_plain_build_has_them_as_options) {
    char *before = answer("git status --porcelain; git ls-files -s; cat .git/HEAD scratch");
    SUBMIT(0, "--tune", "W_PV", "--tune", "LATE_BASE", REPO, "--push", "origin");
    expect_in("out", "tuning 1000: tune-w_pv-late_base: http://127.0.0.1:");
    expect_in("out", "/tune/1000/\n");
    char *after = answer("git status --porcelain; git ls-files -s; cat .git/HEAD scratch");
    ck_assert_str_eq(before, after);
    expect_answer("git diff --numstat main tune-w_pv-late_base", "1\t1\tengine/Makefile");
    expect_answer("mkdir ../t && git archive tune-w_pv-late_base | tar x -C ../t && "
                  "make -s -C ../t/engine EXE=e >/dev/null && ../t/engine/e 'lmr spsa LATE_BASE'",
                  "LATE_BASE, int, 8, 0, 64, 3.20, 0.0020");
    /* The parameters, and the bench, which is the base's. */
    char *message = answer("git log -1 --format=%B tune-w_pv-late_base");
    char *bench = answer("cat ../bench");
    Text wanted = {0};
    text_addf(&wanted,
              "Make W_PV and LATE_BASE tunable\n\nFor a tuning that starts from main:\n"
              "W_PV, int, -1024, -4096, 4096, 409.6, 0.002\n"
              "LATE_BASE, int, 8, 0, 64, 3.2, 0.002\n\nBench: %s",
              bench);
    ck_assert_str_eq(message, text_string(&wanted));
    expect_answer("git --git-dir ../origin.git rev-parse tune-w_pv-late_base >../a; "
                  "git rev-parse tune-w_pv-late_base | cmp - ../a && echo same",
                  "same");
    expect_field_of(TUNE_FORM, 1, "dev_branch", "tune-w_pv-late_base");
    expect_field_of(TUNE_FORM, 1, "dev_bench", "");
    expect_field_of(TUNE_FORM, 1, "spsa_inputs",
                    "W_PV, int, -1024, -4096, 4096, 409.6, 0.002\n"
                    "LATE_BASE, int, 8, 0, 64, 3.2, 0.002");
    text_free(&wanted);
    free(message);
    free(bench);
    free(before);
    free(after);
}
END_TEST

START_TEST(a_tuning_may_start_from_other_values) {
    SUBMIT(0, "--tune", "W_PV", "--flag", "LATE_BASE=4", REPO);
    expect_answer("git diff --numstat main tune-w_pv-lmr-late_base-4 | tr '\\n' ' '",
                  "1\t1\tengine/Makefile 1\t1\tengine/search/params.def ");
    expect_answer("git log -1 --format=%s tune-w_pv-lmr-late_base-4",
                  "Set LATE_BASE to 4, make W_PV tunable");
}
END_TEST

START_TEST(every_field_of_a_tuning_is_an_option_or_in_a_file) {
    write_file("rows", "W_PV, int, -1000, -2000, 1000, 150, 0.004\n");
    write_file("form", "priority = 3\nthroughput = 500\n");
    SUBMIT(0, "--params", "../rows", "--from", "../form", REPO, "--iterations", "500",
           "--pairs-per", "4", "--alpha", "0.5", "--gamma", "0.2", "--a-ratio", "0.05",
           "--reporting", "bulk", "--distribution", "multiple", "--tc", "N=2000", "--option",
           "Hash=8", "--book", "8moves_v3.epd", "--info", "Three rows", "--branch", "mine");
    static const char *const said[][2] = {{"spsa_iterations", "500"},
                                          {"spsa_pairs_per", "4"},
                                          {"spsa_alpha", "0.5"},
                                          {"spsa_gamma", "0.2"},
                                          {"spsa_A_ratio", "0.05"},
                                          {"spsa_reporting_type", "BULK"},
                                          {"spsa_distribution_type", "MULTIPLE"},
                                          {"dev_time_control", "N=2000"},
                                          {"dev_options", "Threads=1 Hash=8"},
                                          {"book_name", "8moves_v3.epd"},
                                          {"info", "Three rows"},
                                          {"priority", "3"},
                                          {"throughput", "500"},
                                          {"dev_branch", "mine"},
                                          {"spsa_inputs", "W_PV, int, -1000, -2000, 1000, 150, "
                                                          "0.004"}};
    for (size_t i = 0; i < COUNT(said); i++)
        expect_field_of(TUNE_FORM, 1, said[i][0], said[i][1]);
}
END_TEST

START_TEST(a_dry_run_of_a_tuning_is_a_file_for_the_next_run) {
    char *before = state_of_things();
    ck_assert_int_eq(
        run((const char *const[]){"--tune", "W_PV,LATE_BASE", REPO, "--dry-run", NULL}, NULL), 0);
    expect_in("out", "+TUNE ?= 1\n");
    expect_in("out", "spsa_inputs = W_PV, int, -1024, -4096, 4096, 409.6, 0.002\n"
                     "spsa_inputs = LATE_BASE, int, 8, 0, 64, 3.2, 0.002\n");
    char *after = state_of_things();
    ck_assert_str_eq(before, after);
    free(answer("grep '^[a-zA-Z_]* = ' ../out >../form"));
    SUBMIT(0, "--from", "../form");
    expect_field_of(TUNE_FORM, 1, "dev_branch", "tune-w_pv-late_base");
    expect_field_of(TUNE_FORM, 1, "spsa_inputs",
                    "W_PV, int, -1024, -4096, 4096, 409.6, 0.002\n"
                    "LATE_BASE, int, 8, 0, 64, 3.2, 0.002");
    free(before);
    free(after);
}
END_TEST

START_TEST(a_tuning_has_presets_of_its_own) {
    serve("/api/config/Reductio/",
          "{\"source\": \"\", \"nps\": 5, \"test_presets\": {}, \"tune_presets\": {\"default\": "
          "{\"spsa_pairs_per\": 16}, \"SPSA\": {\"dev_time_control\": \"N=7\", \"both_options\": "
          "\"Threads=1 Hash=4\"}}}");
    SUBMIT(0, "--tune", "W_PV", REPO, "--engine", "Reductio", "--preset", "spsa");
    expect_field_of(TUNE_FORM, 1, "dev_time_control", "N=7");
    expect_field_of(TUNE_FORM, 1, "dev_options", "Threads=1 Hash=4");
    expect_field_of(TUNE_FORM, 1, "spsa_pairs_per", "16");
    expect_field_of(TUNE_FORM, 1, "scale_nps", "5");
}
END_TEST

START_TEST(what_cannot_be_tuned_is_refused) {
    REFUSE("KILLER cannot be tuned: it is a choice of words", "--tune", "W_PV,KILLER", REPO);
    REFUSE("lmr spsa: there is no row W_PW", "--tune", "W_PW", REPO);
    write_file("rows", "W_PV, int, 0, -5000, 100, 10, 0.002\n");
    REFUSE("--params: W_PV: -5000 to 100 goes beyond the row's -4096 to 4096", "--params",
           "../rows", REPO);
    REFUSE_USAGE("--tune: 'W PV' is no name of a row", "--tune", "W PV", REPO);
    REFUSE_USAGE("--params: is instead of --tune", "--tune", "W_PV", "--params", "../rows", REPO);
    REFUSE_USAGE("--bounds: a tuning has none", "--tune", "W_PV", "--bounds", "0,5", REPO);
    REFUSE_USAGE("--games: a tuning has none", "--tune", "W_PV", "--games", "100", REPO);
    REFUSE_USAGE("--iterations: a test has none", "--flag", "W_PV=0", "--iterations", "9", REPO);
    REFUSE_USAGE("--datagen: --tune is a tuning", "--tune", "W_PV", "--datagen", REPO);
    REFUSE_USAGE("--each: is of tests", "--tune", "W_PV", "--each", "KILLER=0", REPO);
    shell("sed -i /^TUNE/d engine/Makefile && git commit -qam 'No tuning' && git push -q origin "
          "main");
    REFUSE("main's engine/Makefile: has no line TUNE ?= 0", "--tune", "W_PV", REPO);
    ck_assert_uint_eq(double_count(server, TUNE_FORM), 0);
}
END_TEST

/* The server knows the user, who may not create anything there. */
START_TEST(a_user_who_may_not_create_is_told_so) {
    double_replace(server, TUNE_FORM, DOUBLE_INSTEAD, 302, "/login/");
    SUBMIT(1, "--tune", "W_PV", REPO);
    expect_in("log", "refuses the tuning of tune-w_pv: it shows http://127.0.0.1:");
    expect_in("log", "/login/ and says no reason\n");
}
END_TEST

START_TEST(a_data_generation_has_its_fields) {
    SUBMIT(0, "--datagen", "--branch", "x", "--games", "1000", "--genfens", "depth 4", "--reverses",
           REPO);
    static const char *const said[][2] = {{"dev_branch", "x"},
                                          {"base_branch", "main"},
                                          {"datagen_max_games", "1000"},
                                          {"datagen_custom_genfens", "depth 4"},
                                          {"datagen_play_reverses", "YES"},
                                          {"book_name", "NONE"},
                                          {"dev_time_control", "N=5000"},
                                          {"base_time_control", "N=5000"}};
    for (size_t i = 0; i < COUNT(said); i++)
        expect_field_of(DATAGEN_FORM, 1, said[i][0], said[i][1]);
    expect_in("out", "data generation 1000: x against main: http://127.0.0.1:");
    expect_in("out", "/datagen/1000/\n");
}
END_TEST

START_TEST(a_tuning_and_a_data_generation_can_be_waited_for) {
    static const char digest[] = "Name,Curr,Start,Min,Max,C,C_end,R,R_end\n"
                                 "W_PV,-1030.2500,-1024,-4096,4096,410.0000,409.6000,0.0021,0.0020";
    double_serve(server, "/api/spsa/1000/digest/", "text/plain", digest, sizeof digest - 1);
    SUBMIT(0, "--tune", "W_PV", REPO, "--wait");
    expect_in("out", "tuning 1000: tune-w_pv: ");
    expect_in("out", "W_PV");
    expect_in("out", "-1030.25");
    SUBMIT(0, "--datagen", "--branch", "x", "--games", "12", REPO, "--wait");
    expect_in("out", "data generation 1001: x against main: ");
    expect_in("out", "Games | N: 12 W: 5 L: 3 D: 4\n");
}
END_TEST

/* ---- What is refused ---- */

START_TEST(a_folder_outside_of_repositories_is_refused) {
    shell("mv .git ../of-another-name");
    SUBMIT(1, "--flag", "KILLER=0", REPO);
    expect_in("log", repository);
    expect_in("log", " is in no git repository: change to a folder of the engine's (cd) first\n");
    ck_assert_uint_eq(double_count(server, SCRIPTS), 0);
}
END_TEST

START_TEST(a_dirty_tree_is_refused) {
    shell("echo more >>notes");
    REFUSE("notes is changed: commit it or put it away", "--flag", "KILLER=0", REPO);
}
END_TEST

START_TEST(a_detached_head_is_refused) {
    shell("git checkout -q --detach");
    REFUSE("the head is on no branch: git switch main", "--flag", "KILLER=0", REPO);
}
END_TEST

START_TEST(a_branch_that_exists_is_refused) {
    shell("git branch lmr-killer-ignore && git branch mine");
    REFUSE("there is a branch 'lmr-killer-ignore' already", "--flag", "KILLER=0", REPO);
    REFUSE("there is a branch 'mine' already", "--flag", "KILLER=0", "--branch", "mine", REPO);
    shell("git push -q origin mine && git branch -qD mine");
    REFUSE("--push origin: it has a branch 'mine' already", "--flag", "KILLER=0", "--branch",
           "mine", REPO, "--push", "origin");
}
END_TEST

START_TEST(a_remote_that_is_missing_or_behind_is_refused) {
    REFUSE("--push: there is no remote 'upstream'", "--flag", "KILLER=0", REPO, "--push",
           "upstream");
    shell("git remote add gone ../gone.git");
    REFUSE("--push gone: git: '../gone.git' does not appear to be a git repository", "--flag",
           "KILLER=0", REPO, "--push", "gone");
    shell("git commit -q --allow-empty -m Ahead");
    REFUSE("--push origin: its main is ", "--flag", "KILLER=0", REPO, "--push", "origin");
    shell("git --git-dir ../origin.git branch -m main trunk");
    REFUSE("--push origin: it has no branch 'main'", "--flag", "KILLER=0", REPO, "--push",
           "origin");
    REFUSE("--repo: is missing", "--flag", "KILLER=0");
}
END_TEST

START_TEST(what_cannot_be_built_or_benched_is_refused) {
    REFUSE("lmr-broken-1: make exited with status 2: ", "--flag", "BROKEN=1", REPO);
    REFUSE("BROKEN is 1", "--flag", "BROKEN=1", REPO);
    REFUSE("lmr-silent-1: its bench failed: it prints no node count", "--flag", "SILENT=1", REPO);
    REFUSE("main has no src/lmr/flags.def", "--flag", "KILLER=0", REPO, "--build-path", "src");
}
END_TEST

START_TEST(a_flag_that_there_is_not_is_refused) {
    REFUSE("main's engine/lmr/flags.def: unknown row KILLR (did you mean KILLER?)", "--flag",
           "KILLR=0", REPO);
    REFUSE("W_PV=9999 is out of range -4096..4096", "--flag", "W_PV=9999", REPO);
    REFUSE("KILLER is by-weight already", "--flag", "KILLER=2", REPO);
    REFUSE("--each: lmr-w_pv-0 is asked for twice", "--each", "W_PV=0", "--each", "W_PV=00", REPO);
    REFUSE_USAGE("KILLER is given twice", "--flag", "KILLER=0,KILLER=1", REPO);
    REFUSE_USAGE("\"KILLER\" is not of the form ROW=VALUE", "--flag", "KILLER", REPO);
    REFUSE_USAGE("--flag: is missing: what to test", REPO);
    REFUSE_USAGE("--each: names no flag", "--each", "", REPO);
}
END_TEST

START_TEST(a_wrong_bench_of_the_base_is_refused) {
    write_file("form", "base_bench = 17\n");
    REFUSE("base_bench: is 17 in the form, but main's bench is ", "--flag", "KILLER=0", REPO,
           "--from", "../form");
    shell("git commit -q --allow-empty -m Wrong -m 'Bench: 12345'");
    REFUSE(", its commit says 12345: every worker would refuse the test", "--flag", "KILLER=0",
           REPO);
}
END_TEST

START_TEST(what_the_server_does_not_have_is_refused) {
    REFUSE("the server has no engine 'Reduction' (did you mean Reductio?)", "--flag", "KILLER=0",
           REPO, "--engine", "Reduction");
    REFUSE("the server has no book '8moves.epd'", "--flag", "KILLER=0", REPO, "--book",
           "8moves.epd");
    REFUSE("--branch: 'a..b' is no name for a branch", "--flag", "KILLER=0", REPO, "--branch",
           "a..b");
    REFUSE("--base-branch: there is no branch 'trunk' in the repository", "--flag", "KILLER=0",
           REPO, "--base-branch", "trunk");
}
END_TEST

/* The networks of an engine as recorded, which the server has for another of this name. */
static bool serve_networks(const char *engine) {
    if (!recordings_available()) {
        fprintf(stderr, "submit: no recordings here: networks are left out\n");
        return false;
    }
    cJSON *recording = recording_load("41-api-networks.json");
    char *body = recording_body(recording);
    Text path = {0};
    text_addf(&path, "/api/networks/%s/", engine);
    double_serve(server, text_string(&path), "application/json", body, strlen(body));
    text_free(&path);
    free(body);
    cJSON_Delete(recording);
    return true;
}

START_TEST(a_network_is_told_by_its_digits) {
    static const char *const called[] = {"tiny.nnue", "9F86D081", "9f86d081"};
    if (!serve_networks("Weiss"))
        return;
    for (size_t i = 0; i < sizeof called / sizeof *called; i++) {
        Text form = {0};
        text_addf(&form,
                  "dev_engine = Weiss\nbase_engine = Weiss\ndev_branch = killers\n"
                  "base_network = %s\n",
                  called[i]);
        write_file("form", text_string(&form));
        SUBMIT(0, "--from", "../form", REPO);
        char *dev = double_field(server, SCRIPTS, i, "dev_network", 0);
        char *base = double_field(server, SCRIPTS, i, "base_network", 0);
        char *password = double_field(server, "/api/networks/Weiss/", i, "password", 0);
        ck_assert_str_eq(dev, "");
        ck_assert_str_eq(base, "9F86D081");
        ck_assert_str_eq(password, "secret");
        free(dev);
        free(base);
        free(password);
        text_free(&form);
    }
}
END_TEST

START_TEST(networks_of_one_engine_are_asked_for_once) {
    if (!serve_networks("Weiss"))
        return;
    write_file("form", "dev_engine = Weiss\nbase_engine = Weiss\ndev_branch = killers\n"
                       "dev_network = tiny.nnue\nbase_network = 9f86d081\n");
    SUBMIT(0, "--from", "../form", REPO);
    expect_field(0, "dev_network", "9F86D081");
    expect_field(0, "base_network", "9F86D081");
    ck_assert_uint_eq(double_count(server, "/api/networks/Weiss/"), 1);
}
END_TEST

START_TEST(a_network_that_there_is_not_is_refused) {
    if (!serve_networks("Weiss"))
        return;
    write_file("form", "dev_engine = Weiss\nbase_engine = Weiss\ndev_branch = killers\n"
                       "dev_network = tinny.nnue\n");
    REFUSE("the server has no network 'tinny.nnue' (did you mean tiny.nnue?)", "--from", "../form",
           REPO);
    double_replace(server, "/api/networks/Weiss/", DOUBLE_INSTEAD, 200, "{\"networks\": 7}");
    REFUSE("answer.networks: expected a list", "--from", "../form", REPO);
}
END_TEST

START_TEST(a_form_with_a_fault_is_refused_by_file_and_line) {
    write_file("form", "# fine\ndev_branch = x\nbok_name = y\n");
    REFUSE_USAGE(
        "../form: line 3: the server's form has no field bok_name (did you mean book_name?)",
        "--from", "../form", REPO);
    write_file("form", "dev_branch = x\n\ndev_branch = y\n");
    REFUSE_USAGE("../form: line 3: dev_branch is said twice", "--from", "../form", REPO);
    write_file("form", "dev_branch x\n");
    REFUSE_USAGE("../form: line 1: expected field = value", "--from", "../form", REPO);
    REFUSE_USAGE("--from: ../none: No such file", "--from", "../none", REPO);
    REFUSE_USAGE("--push: is for branches that --flag, --each and --tune make", "--branch", "x",
                 "--push", "origin", REPO);
    REFUSE_USAGE("--branch: is one name, --each asks for 2", "--branch", "x", "--each", "W_PV=0",
                 "--each", "W_PV=1", REPO);
    REFUSE_USAGE("--games: is instead of --bounds", "--branch", "x", "--games", "10", "--bounds",
                 "0,5", REPO);
}
END_TEST

/* ---- A server in trouble ---- */

START_TEST(a_push_that_fails_leaves_no_branch) {
    char *before = state_of_things();
    shell("printf '#!/bin/sh\\nexit 1\\n' >../origin.git/hooks/pre-receive && "
          "chmod +x ../origin.git/hooks/pre-receive");
    SUBMIT(1, "--flag", "KILLER=0", REPO, "--push", "origin");
    expect_in("log", "error: --push origin: git: ");
    char *after = state_of_things();
    ck_assert_str_eq(before, after);
    ck_assert_uint_eq(double_count(server, SCRIPTS), 0);
    free(before);
    free(after);
}
END_TEST

START_TEST(a_refused_test_can_be_submitted_again_from_its_branch) {
    double_refuse_test(server, "/test/new/", "lmr-killer-ignore could not be found");
    SUBMIT(1, "--flag", "KILLER=0", REPO);
    expect_in("log",
              "refuses the test of lmr-killer-ignore: lmr-killer-ignore could not be found\n");
    expect_in("log", "obworker submit --branch lmr-killer-ignore");
    SUBMIT(0, "--branch", "lmr-killer-ignore", REPO);
    expect_in("out", "test 1000: lmr-killer-ignore against main");
}
END_TEST

START_TEST(a_lost_answer_is_not_sent_again) {
    double_replace(server, SCRIPTS, DOUBLE_AFTERWARDS, 0, "");
    SUBMIT(1, "--branch", "x", REPO);
    expect_in("log", "/index/ whether it is there before trying again");
    ck_assert_uint_eq(double_count(server, SCRIPTS), 1);
}
END_TEST

START_TEST(a_token_against_forged_forms_is_fetched) {
    double_want_csrf(server);
    SUBMIT(0, "--branch", "x", REPO);
    expect_in("out", "test 1000: x against main");
    ck_assert_uint_eq(double_count(server, SCRIPTS), 2);
}
END_TEST

START_TEST(a_form_is_not_followed_to_another_host) {
    double_replace(server, SCRIPTS, DOUBLE_INSTEAD, 302, "http://127.0.0.2:1/index/");
    SUBMIT(1, "--branch", "x", REPO);
    expect_in("log", "redirected to http://127.0.0.2:1/index/: give that address instead");
}
END_TEST

START_TEST(a_page_without_reasons_is_told) {
    double_replace(server, SCRIPTS, DOUBLE_INSTEAD, 302, "/test/new/");
    SUBMIT(1, "--branch", "x", REPO);
    expect_in("log", "/test/new/ and says no reason");
}
END_TEST

START_TEST(a_number_that_cannot_be_found_out_is_no_failure) {
    double_replace(server, "/index/", DOUBLE_INSTEAD, 200, "<html>moved</html>");
    SUBMIT(0, "--branch", "x", REPO);
    expect_in("out",
              "test of x against main: the server has it, its number could not be found out");
}
END_TEST

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    setenv("no_proxy", "127.0.0.1", 1);
    if (!getenv("OBWORKER") || system("git --version >/dev/null 2>&1") != 0) {
        fprintf(stderr, "submit: left out: git is not installed, or OBWORKER not set\n");
        return 77;
    }
    Suite *suite = suite_create("submit");
    TCase *tests = tcase_create("submit");
    tcase_set_timeout(tests, PATIENCE_S);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, a_recorded_form_is_sent_as_it_was, 0, COUNT(recorded));
    tcase_add_test(tests, options_make_the_recorded_form_too);
    tcase_add_test(tests, a_wrong_password_is_refused_before_anything_is_made);
    tcase_add_test(tests, reasons_on_the_login_page_are_told);
    tcase_add_test(tests, games_and_numbers_are_written_as_the_form_has_them);
    tcase_add_test(tests, flags_become_a_branch_with_its_bench_and_a_test);
    tcase_add_test(tests, a_branch_may_change_flags_and_the_numbers_of_the_search);
    tcase_add_test(tests, an_older_engine_has_the_table_of_the_flags_alone);
    tcase_add_test(tests, each_set_is_a_test);
    tcase_add_test(tests, a_dry_run_shows_all_and_changes_nothing);
    tcase_add_test(tests, a_base_without_a_bench_line_is_given_one_in_the_form);
    tcase_add_test(tests, a_branch_without_a_bench_line_is_benched_here);
    tcase_add_test(tests, a_branch_against_itself_is_benched_once);
    tcase_add_test(tests, a_bench_that_the_form_says_is_not_measured);
    tcase_add_test(tests, a_branch_without_a_bench_that_does_not_build_is_refused);
    tcase_add_test(tests, flags_that_change_nothing_are_warned_of);
    tcase_add_test(tests, the_address_is_that_of_the_remote);
    tcase_add_test(tests, a_preset_fills_what_nothing_says);
    tcase_add_test(tests, the_engine_is_the_one_whose_repository_it_is);
    tcase_add_test(tests, a_dry_run_shows_the_preset);
    tcase_add_test(tests, a_preset_that_cannot_be_had_is_refused);
    tcase_add_test(tests, a_server_that_does_not_answer_is_asked_once);
    tcase_add_test(tests, a_submitted_test_can_be_waited_for);
    tcase_add_loop_test(tests, a_recorded_tuning_and_data_generation_are_sent_as_they_were, 0,
                        COUNT(recorded_others));
    tcase_add_test(tests, a_refused_tuning_is_told_in_the_servers_words);
    tcase_add_test(tests, a_parameter_with_bounds_reversed_is_refused_at_once);
    tcase_add_test(tests, rows_become_a_branch_whose_plain_build_has_them_as_options);
    tcase_add_test(tests, a_tuning_may_start_from_other_values);
    tcase_add_test(tests, every_field_of_a_tuning_is_an_option_or_in_a_file);
    tcase_add_test(tests, a_dry_run_of_a_tuning_is_a_file_for_the_next_run);
    tcase_add_test(tests, a_tuning_has_presets_of_its_own);
    tcase_add_test(tests, what_cannot_be_tuned_is_refused);
    tcase_add_test(tests, a_user_who_may_not_create_is_told_so);
    tcase_add_test(tests, a_data_generation_has_its_fields);
    tcase_add_test(tests, a_tuning_and_a_data_generation_can_be_waited_for);
    tcase_add_test(tests, a_folder_outside_of_repositories_is_refused);
    tcase_add_test(tests, a_dirty_tree_is_refused);
    tcase_add_test(tests, a_detached_head_is_refused);
    tcase_add_test(tests, a_branch_that_exists_is_refused);
    tcase_add_test(tests, a_remote_that_is_missing_or_behind_is_refused);
    tcase_add_test(tests, what_cannot_be_built_or_benched_is_refused);
    tcase_add_test(tests, a_flag_that_there_is_not_is_refused);
    tcase_add_test(tests, a_wrong_bench_of_the_base_is_refused);
    tcase_add_test(tests, what_the_server_does_not_have_is_refused);
    tcase_add_test(tests, a_network_is_told_by_its_digits);
    tcase_add_test(tests, networks_of_one_engine_are_asked_for_once);
    tcase_add_test(tests, a_network_that_there_is_not_is_refused);
    tcase_add_test(tests, a_form_with_a_fault_is_refused_by_file_and_line);
    tcase_add_test(tests, a_push_that_fails_leaves_no_branch);
    tcase_add_test(tests, a_refused_test_can_be_submitted_again_from_its_branch);
    tcase_add_test(tests, a_lost_answer_is_not_sent_again);
    tcase_add_test(tests, a_token_against_forged_forms_is_fetched);
    tcase_add_test(tests, a_form_is_not_followed_to_another_host);
    tcase_add_test(tests, a_page_without_reasons_is_told);
    tcase_add_test(tests, a_number_that_cannot_be_found_out_is_no_failure);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
