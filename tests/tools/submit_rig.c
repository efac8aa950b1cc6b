/* SPDX-License-Identifier: MIT */
#include "tools/submit_rig.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/tree.h"
#include "tools/files.h"
#include "tools/recordings.h"
#include "runner.h"
#include "tools/temporary.h"

enum { PATH_SIZE = 256, MAX_ARGS = 64, PATIENCE_S = 120 };

Double *submit_server;
volatile pid_t submit_pid;
static char folder[PATH_SIZE];
static char repository[PATH_SIZE + 16];

/* ---- A repository and the server ---- */

void shell(const char *script) {
    Text command = {0};
    text_addf(&command, "cd %s && { %s\n} >>%s/shell.log 2>&1", repository, script, folder);
    int status = system(text_string(&command));
    ck_assert_msg(status == 0, "%s: status %d", script, status);
    text_free(&command);
}

char *answer(const char *script) {
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

void expect_answer(const char *script, const char *wanted) {
    char *got = answer(script);
    ck_assert_msg(strcmp(got, wanted) == 0, "%s: got '%s', wanted '%s'", script, got, wanted);
    free(got);
}

/* A branch main whose engine is a script, with a bench that its flag table decides, which tells of
 * its rows when it is built with TUNE=1; and a bare repository beside it as origin, which is at the
 * same commit. Every host that git reaches by ssh has that repository at every path. */
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
    "git push -q origin main && echo 'not in git' >scratch\n"
    "printf '#!/bin/sh\\nexec git upload-pack %s/../origin.git\\n' \"$PWD\" >../ssh\n"
    "chmod +x ../ssh && git config core.sshCommand \"$PWD/../ssh\"";

static void setup(void) {
    temporary_folder(folder, sizeof folder, "rd-submit");
    snprintf(repository, sizeof repository, "%s/repository", folder);
    ck_assert_int_eq(mkdir(repository, 0700), 0);
    shell(make_repository);
    static const char config[] = "{\"engines\": [\"Reductio\", \"Weiss\"], \"books\": "
                                 "{\"8moves_v3.epd\": {\"sha\": \"x\", \"source\": \"y\"}}}";
    submit_server = double_start();
    double_serve(submit_server, "/api/config/", "application/json", config, sizeof config - 1);
}

static void teardown(void) {
    double_stop(submit_server);
    ck_assert(tree_remove(folder, NULL));
}

/* ---- Files ---- */

const char *submit_repository(void) {
    return repository;
}

static char *in_folder(const char *name) {
    return text_format("%s/%s", folder, name);
}

Text read_file(const char *name) {
    char *path = in_folder(name);
    Text text = read_whole(path);
    free(path);
    return text;
}

void write_file(const char *name, const char *text) {
    char *path = in_folder(name);
    put_bytes(path, text, strlen(text), 0600);
    free(path);
}

/* ---- The command ---- */

void interrupt_git(const char *words) {
    char *git = answer("command -v git");
    char *script = text_format("#!/bin/sh\n"
                               "case \"$*\" in '%s'*) [ -e %s/bin/hit ] || { : >%s/bin/hit\n"
                               "kill -INT $SSH_SUBMIT_PID; exec sleep 60; };; esac\n"
                               "exec %s \"$@\"\n",
                               words, folder, folder, git);
    shell("mkdir ../bin");
    write_file("bin/git", script);
    shell("chmod +x ../bin/git");
    free(script);
    free(git);
}

/* In the child: the git of interrupt_git goes before the real one, and knows this process.
 * Variables whose names begin like ssh's are passed on to git. */
static void set_path(void) {
    char *path = text_format("%s/bin:%s", folder, getenv("PATH"));
    char *pid = text_format("%d", (int)getpid());
    setenv("PATH", path, 1);
    setenv("SSH_SUBMIT_PID", pid, 1);
    free(path);
    free(pid);
}

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
    set_path();
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("TMPDIR", folder, 1);
    setenv("HOME", folder, 1);
    unsetenv("OPENBENCH_PASSWORD");
    if (chdir(repository) == 0)
        execv(argv[0], (char **)argv);
    _exit(127);
}

int run_submit(const char *const *words, const char *url) {
    write_file("password", "secret\n");
    char *out = in_folder("out");
    char *log = in_folder("log");
    pid_t pid = submit_pid = fork();
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

void expect_in(const char *name, const char *words) {
    Text text = read_file(name);
    ck_assert_msg(strstr(text_string(&text), words) != NULL, "%s: no \"%s\" in:\n%.3000s", name,
                  words, text_string(&text));
    text_free(&text);
}

void submit_and_expect(const char *const *words, int status) {
    int got = run_submit(words, double_url(submit_server));
    Text log = read_file("log");
    ck_assert_msg(got == status, "exit status %d, wanted %d:\n%.3000s", got, status,
                  text_string(&log));
    ck_assert_msg(!strstr(text_string(&log), "secret"), "the password is in the log:\n%.3000s",
                  text_string(&log));
    text_free(&log);
}

/* ---- What stays as it was ---- */

char *state_of_things(void) {
    return answer("git for-each-ref; git --git-dir ../origin.git for-each-ref; git status "
                  "--porcelain; git ls-files -s; git worktree list; cat .git/HEAD; ls -A . ..  "
                  "| grep -v '^log$\\|^out$\\|^password$\\|^obworker$\\|^form$\\|^.cache$'");
}

void submit_and_expect_refusal(const char *const *words, int status, const char *why) {
    char *before = state_of_things();
    submit_and_expect(words, status);
    expect_in("log", why);
    char *after = state_of_things();
    ck_assert_msg(strcmp(before, after) == 0, "%s: it was\n%s\nand is\n%s", why, before, after);
    ck_assert_uint_eq(double_count(submit_server, SCRIPTS), 0);
    free(before);
    free(after);
}

/* ---- The form ---- */

/* What is sent in place of what a recording leaves out. */
static const char *sent_for(const cJSON *field) {
    return strcmp(field->string, "password") == 0              ? "secret"
           : strcmp(field->string, "csrfmiddlewaretoken") == 0 ? "token-of-the-double"
                                                               : field->valuestring;
}

void expect_fields(const cJSON *form, const char *path, size_t index) {
    for (const cJSON *field = form->child; field; field = field->next) {
        char *value = double_field(submit_server, path, index, field->string, 0);
        ck_assert_msg(value != NULL, "no field %s", field->string);
        ck_assert_msg(strcmp(value, sent_for(field)) == 0, "%s: sent '%s', recorded '%s'",
                      field->string, value, sent_for(field));
        free(value);
    }
    char *sent = double_field_names(submit_server, path, index);
    ck_assert_msg(count_of(sent, ",") == cJSON_GetArraySize(form),
                  "%d fields were recorded, sent: %s", cJSON_GetArraySize(form), sent);
    free(sent);
}

void write_form(const cJSON *form) {
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

void expect_field_of(const char *path, size_t index, const char *name, const char *wanted) {
    char *value = double_field(submit_server, path, index, name, 0);
    ck_assert_msg(value != NULL, "no field %s", name);
    ck_assert_msg(strcmp(value, wanted) == 0, "%s: sent '%s', wanted '%s'", name, value, wanted);
    free(value);
}

void expect_field(size_t index, const char *name, const char *wanted) {
    expect_field_of(SCRIPTS, index, name, wanted);
}

void serve(const char *path, const char *body) {
    double_serve(submit_server, path, "application/json", body, strlen(body));
}

/* ---- The suite ---- */

int run_submit_tests(int argc, char **argv, const char *name, void (*add_tests)(TCase *tests)) {
    child_trampoline(argc, argv);
    if (!getenv("OBWORKER") || system("git --version >/dev/null 2>&1") != 0) {
        fprintf(stderr, "%s: left out: git is not installed, or OBWORKER not set\n", name);
        return 77;
    }
    Suite *suite = suite_create(name);
    TCase *tests = tcase_create(name);
    tcase_set_timeout(tests, PATIENCE_S);
    tcase_add_checked_fixture(tests, setup, teardown);
    add_tests(tests);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
