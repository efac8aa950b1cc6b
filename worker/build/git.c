/* SPDX-License-Identifier: MIT */
#include "build/git.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/count.h"
#include "base/memory.h"
#include "build/blocking.h"

enum { GIT_TIMEOUT_MS = 120000, GIT_ANSWER_LIMIT = 1 << 20 };

/* The beginnings of environment variables for git, or for programs that git starts. GIT_DIR and the
 * like are not among them, because the folder alone chooses the repository. */
static const char *const passed_on[] = {
    "GIT_SSH",     "GIT_CONFIG",   "GIT_ASKPASS=", "GIT_AUTHOR_",  "GIT_COMMITTER_", "GIT_SSL_",
    "GIT_PROXY_",  "GIT_HTTP_",    "SSH_",         "XDG_",         "GNUPGHOME=",     "USER=",
    "LOGNAME=",    "DISPLAY=",     "http_proxy=",  "https_proxy=", "all_proxy=",     "no_proxy=",
    "HTTP_PROXY=", "HTTPS_PROXY=", "ALL_PROXY=",   "NO_PROXY=",    "SSL_CERT_",
};

extern char **environ; /* POSIX declares it nowhere. */

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
        for (size_t i = 0; i < COUNT(passed_on); i++)
            if (text_starts_with(*entry, passed_on[i]) && !is_said(*entry, own))
                words_add(out, *entry);
    for (size_t i = 0; own && own[i]; i++)
        words_add(out, own[i]);
    /* git has no terminal here to ask at, and has to fail instead of waiting. */
    words_add(out, "GIT_TERMINAL_PROMPT=0");
    /* The answers are read here, in one language. */
    words_add(out, "LC_ALL=C");
    /* A command that only reads leaves even the index unchanged. */
    words_add(out, "GIT_OPTIONAL_LOCKS=0");
}

/* The last line with text before `at`, with its length; no blanks at its ends. Length 0: there is
 * none. */
static const char *line_before(const char *output, const char *at, int *length) {
    const char *end = at;
    while (end > output && isspace((unsigned char)end[-1]))
        end--;
    const char *start = end;
    while (start > output && start[-1] != '\n')
        start--;
    while (start < end && isspace((unsigned char)*start))
        start++;
    *length = (int)(end - start);
    return start;
}

/* Sets err to git's own line about the fault, without "fatal: ". Other programs, as ssh, print why
 * before git does: the last line before git's stands in brackets. */
static bool explain(const BlockingResult *result, Error *err) {
    static const char *const marks[] = {"fatal: ", "error: "};
    const Text *said = result->errors.length > 0 ? &result->errors : &result->output;
    const char *output = text_string(said);
    for (size_t i = 0; i < COUNT(marks); i++) {
        const char *line = strstr(output, marks[i]);
        if (line) {
            int length;
            const char *before = line_before(output, line, &length);
            const char *fault = line + strlen(marks[i]);
            return error_set(err, "git: %.*s%s%.*s%s", (int)strcspn(fault, "\n"), fault,
                             length > 0 ? " (" : "", length, before, length > 0 ? ")" : "");
        }
    }
    const char *why = result->error.text;
    if (output[0] == '\0' && text_starts_with(why, "git: ")) /* git could not be started. */
        return error_set(err, "%s%s", why, strstr(why, "no such program") ? ": install git" : "");
    if (output[0] == '\0')
        return error_set(err, "git: %s", why);
    return error_set(err, "git: %.*s", (int)strcspn(output, "\n"), output);
}

static atomic_bool interrupted; /* A server runs git in several threads. */

bool git_interrupted(void) {
    return interrupted;
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
                    .keep_start = place->keep_start,
                    .errors_apart = true, /* Warnings are no part of the answer. */
                    .timeout_ms = place->timeout_ms ? place->timeout_ms : GIT_TIMEOUT_MS};
    BlockingResult result = {0};
    bool ok = run_blocking(&spec, &result) || explain(&result, err);
    if (result.interrupted)
        interrupted = true;
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

void git_remotes(const char *top, Words *out) {
    static const char *const words[] = {"remote", NULL};
    Text names = {0};
    git_run(&(GitPlace){.folder = top}, words, &names, NULL);
    words_split(out, text_string(&names), NULL);
    text_free(&names);
}

char *git_push_address(const char *top, const char *remote, Error *err) {
    const char *const words[] = {"remote", "get-url", "--push", "--", remote, NULL};
    return git_ask(&(GitPlace){.folder = top}, words, err);
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
    if (access(folder, F_OK) != 0)
        error_set(err, "%s: %s", folder, strerror(errno));
    else if (strstr(cause.text, "not a git repository"))
        error_set(err, "%s is in no git repository: change to a folder of the engine's (cd) first",
                  folder);
    else
        error_set(err, "%s: %s", folder, cause.text);
    return NULL;
}

/* Does git's answer to `rev-parse --verify` say that there is no such commit? */
static bool says_unknown(const char *answer) {
    static const char *const WORDS[] = {"Needed a single revision", "unknown revision",
                                        "bad revision"};
    for (size_t i = 0; i < COUNT(WORDS); i++)
        if (strstr(answer, WORDS[i]))
            return true;
    return false;
}

char *git_commit(const char *top, const char *ref, Error *err) {
    Error cause = {0};
    char *name = text_format("%s^{commit}", ref);
    const char *words[] = {"rev-parse", "--verify", name, NULL};
    bool named = ref[0] != '\0' && ref[0] != '-';
    char *commit = named ? git_ask(&(GitPlace){.folder = top}, words, &cause) : NULL;
    if (commit == NULL && (!named || says_unknown(cause.text)))
        error_set(err, "there is no commit '%s' in the repository %s", ref, top);
    else if (commit == NULL)
        error_set(err, "commit '%s' of the repository %s: %s", ref, top, cause.text);
    free(name);
    return commit;
}

char *git_listed(const char *list, const char *ref) {
    char *line = text_format("\t%s\n", ref);
    char *commit = NULL;
    const char *found = strstr(list, line);
    if (found) {
        const char *start = found;
        while (start > list && start[-1] != '\n')
            start--;
        commit = mem_strndup(start, (size_t)(found - start));
    }
    free(line);
    return commit;
}

/* The number that begins `text`, without its commas; 0: there is none, or no bench is so large. */
static int64_t grouped_number(const char *text) {
    int64_t number = 0;
    for (; isdigit((unsigned char)*text) || *text == ','; text++) {
        if (*text == ',')
            continue;
        if (number > GIT_BENCH_MAX / 10)
            return 0;
        number = number * 10 + (*text - '0');
    }
    return number;
}

int64_t git_message_bench(const char *message) {
    static const char *const WORDS[] = {"bench", "nodes"};
    int64_t bench = 0;
    for (const char *at = message; *at; at++)
        for (size_t i = 0; i < COUNT(WORDS); i++) {
            size_t length = strlen(WORDS[i]);
            if (strncasecmp(at, WORDS[i], length) != 0)
                continue;
            size_t gap = strspn(at + length, " :=");
            const char *number = at + length + gap;
            if (gap > 0 && (isdigit((unsigned char)*number) || *number == ','))
                bench = grouped_number(number);
        }
    return bench;
}

/* ---- The repository on the web ---- */

/* The length of the host's name that an address has here; 0: none. */
static size_t host_length(const char *text) {
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) ||
           (text[length] != '\0' && strchr(".-", text[length]) != NULL))
        length++;
    return length;
}

/* "/me/engine.git": the length of what an address shows of it, 0 for what is no such path. */
static size_t path_length(const char *path) {
    static const char END[] = ".git";
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/')
        length--;
    if (length >= strlen(END) && strncmp(path + length - strlen(END), END, strlen(END)) == 0)
        length -= strlen(END);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)path[i]) && strchr("/._-~+", path[i]) == NULL)
            return 0;
    return length;
}

char *git_web_address(const char *remote) {
    /* A port of the web's schemes is part of the address; other ports are not the web's. */
    static const struct {
        const char *scheme;
        bool web;
    } SCHEMES[] = {{"https://", true}, {"http://", true}, {"ssh://", false}, {"git://", false}};
    size_t which = 0;
    while (which < COUNT(SCHEMES) && !text_starts_with(remote, SCHEMES[which].scheme))
        which++;
    bool short_form = which == COUNT(SCHEMES); /* "git@host:path" */
    bool web = !short_form && SCHEMES[which].web;
    const char *rest = remote + (short_form ? 0 : strlen(SCHEMES[which].scheme));
    const char *at = text_find_last(rest, strcspn(rest, "/"), '@');
    const char *host = at != NULL ? at + 1 : rest;
    size_t name_length = host_length(host);
    const char *path = host + name_length;
    /* "C:/engines" and "server:engine" are folders, or names in ssh's settings. */
    if (short_form && (*path != ':' || (at == NULL && memchr(host, '.', name_length) == NULL)))
        return NULL;
    size_t port_length = short_form ? 0 : strspn(path, ":0123456789");
    path += short_form ? 1 : port_length;
    if (!short_form && *path != '/')
        return NULL;
    path += *path == '/';
    size_t length = path_length(path);
    if (name_length == 0 || length == 0)
        return NULL;
    return text_format("%s%.*s/%.*s", web ? SCHEMES[which].scheme : SCHEMES[0].scheme,
                       (int)(name_length + (web ? port_length : 0)), host, (int)length, path);
}

bool git_is_public(const char *address) {
    static const char SCHEME[] = "https://";
    if (!text_starts_with(address, SCHEME))
        return false;
    const char *host = address + strlen(SCHEME);
    return memchr(host, '.', host_length(host)) != NULL;
}

char *git_web(const char *top, const char *remote, bool pushes) {
    const char *const fetch[] = {"remote", "get-url", "--", remote, NULL};
    char *url = pushes ? git_push_address(top, remote, NULL)
                       : git_ask(&(GitPlace){.folder = top}, fetch, NULL);
    char *address = url != NULL ? git_web_address(url) : NULL;
    free(url);
    return address;
}
