/* SPDX-License-Identifier: MIT */
#include "build/git.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "build/blocking.h"

enum { GIT_TIMEOUT_MS = 120000, GIT_ANSWER_LIMIT = 1 << 20 };

/* The beginnings of environment variables for git, or for programs that git starts. GIT_DIR and the
 * like are not among them, because the folder alone chooses the repository. */
static const char *const passed_on[] = {
    "GIT_SSH",      "GIT_CONFIG",  "GIT_ASKPASS=", "GIT_AUTHOR_", "GIT_COMMITTER_",
    "SSH_",         "XDG_",        "GNUPGHOME=",   "USER=",       "LOGNAME=",
    "DISPLAY=",     "http_proxy=", "https_proxy=", "all_proxy=",  "no_proxy=",
    "HTTPS_PROXY=", "HTTP_PROXY=", "ALL_PROXY=",   "NO_PROXY=",   "SSL_CERT_",
};

/* Is the variable of this entry among the entries of `others`? */
static bool is_said(const char *entry, const char *const *others) {
    for (size_t i = 0; others && others[i]; i++)
        if (strncmp(entry, others[i], strcspn(entry, "=") + 1) == 0)
            return true;
    return false;
}

/* Adds the variables passed on, and the caller's own, which override them. */
static void add_environment(const char *const *own, Words *out) {
    for (char **entry = environ; *entry; entry++)
        for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
            if (text_starts_with(*entry, passed_on[i]) && !is_said(*entry, own))
                words_add(out, *entry);
    for (size_t i = 0; own && own[i]; i++)
        words_add(out, own[i]);
    /* git has no terminal here to ask at, and has to fail instead of waiting. */
    words_add(out, "GIT_TERMINAL_PROMPT=0");
    /* A command that only reads leaves even the index unchanged. */
    words_add(out, "GIT_OPTIONAL_LOCKS=0");
}

/* Sets err to git's own line about the fault, without "fatal: "; git may print other lines
 * first. */
static bool explain(const BlockingResult *result, Error *err) {
    static const char *const marks[] = {"fatal: ", "error: "};
    const char *output = text_string(&result->output);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *line = strstr(output, marks[i]);
        if (line)
            return error_set(err, "git: %.*s", (int)strcspn(line + strlen(marks[i]), "\n"),
                             line + strlen(marks[i]));
    }
    if (output[0] == '\0')
        return error_set(err, "git: %s", result->error.text);
    return error_set(err, "git: %.*s", (int)strcspn(output, "\n"), output);
}

bool git_run(const GitPlace *place, const char *const *words, Text *out, Error *err) {
    Words argv = {0};
    Words env = {0};
    words_add(&argv, "git");
    for (size_t i = 0; words[i]; i++)
        words_add(&argv, words[i]);
    add_environment(place->env, &env);
    words_terminate(&argv);
    words_terminate(&env);
    RunSpec spec = {.argv = (const char *const *)argv.items,
                    .env = (const char *const *)env.items,
                    .dir = place->folder,
                    .keep = GIT_ANSWER_LIMIT,
                    .timeout_ms = GIT_TIMEOUT_MS};
    BlockingResult result = {0};
    bool ok = run_blocking(&spec, &result) || explain(&result, err);
    if (ok && out)
        text_add_bytes(out, text_string(&result.output), result.output.length);
    blocking_free(&result);
    words_free(&argv);
    words_free(&env);
    return ok;
}

char *git_ask(const GitPlace *place, const char *const *words, Error *err) {
    Text out = {0};
    char *answer = NULL;
    if (git_run(place, words, &out, err))
        answer = mem_strndup(text_string(&out), strcspn(text_string(&out), "\n"));
    text_free(&out);
    return answer;
}

char *git_top(const char *folder, Error *err) {
    static const char *const words[] = {"rev-parse", "--show-toplevel", NULL};
    Error cause;
    char here[PATH_MAX];
    char *top = git_ask(&(GitPlace){.folder = folder}, words, &cause);
    if (top)
        return top;
    if (!folder)
        folder = getcwd(here, sizeof here) ? here : "this folder";
    if (strstr(cause.text, "not a git repository"))
        error_set(err, "%s is in no git repository: change to a folder of the engine's (cd) first",
                  folder);
    else
        error_set(err, "%s: %s", folder, cause.text);
    return NULL;
}

char *git_commit(const char *top, const char *ref, Error *err) {
    Text name = {0};
    text_addf(&name, "%s^{commit}", ref);
    const char *words[] = {"rev-parse", "--verify", text_string(&name), NULL};
    bool named = ref[0] != '\0' && ref[0] != '-';
    char *commit = named ? git_ask(&(GitPlace){.folder = top}, words, NULL) : NULL;
    if (commit == NULL)
        error_set(err, "there is no commit '%s' in the repository %s", ref, top);
    text_free(&name);
    return commit;
}
