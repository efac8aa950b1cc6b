/* SPDX-License-Identifier: MIT */
#include "serve/sources.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "build/git.h"
#include "serve/github.h"

enum {
    SHA_DIGITS = SOURCES_SHA_MAX - 1,
    REF_MAX = 200,
    FIRST_FETCH_MS = 1800000, /* The first fetch of a big repository takes minutes, ... */
    TIDY_MS = 1800000,        /* ... and so does tidying. */
    FETCH_MS = 60000,         /* A later one: a person waits. */
    REFRESH_MS = 10000,       /* A fetch for a stranger. */
    REFRESH_S = 60,           /* Strangers' requests fetch no sooner than this after another. */
    WAITING_MAX = 3,          /* Threads that wait for upstreams and GitHub: the server has few. */
    PLACE_MS = 2000,          /* A further thread gives up after so long. */
    PLACE_POLL_MS = 50,       /* It looks so often. */
    HUNG_S = 60,              /* After a fetch that hung for FETCH_MS, none is tried for so long. */
    DIFFERENCES_MAX = 16,     /* Differences that are kept in memory. */
};

static const char GITHUB_API[] = "https://api.github.com";
/* The names of the commits that tests have named. */
static const char KEPT[] = "refs/kept/";
/* What the names of the zips of other commits have before the commit. */
#define TIP "-tip-"
static const char REPO_PATH[] = "/repo/";
static const char SOURCE_PATH[] = "/source/";
static const char NO_HOOKS[] = "core.hooksPath=/dev/null";

/* A kept repository. */
typedef struct {
    char *name;
    char *folder;
    char *upstream;           /* NULL: there is none. */
    pthread_mutex_t fetching; /* Held by the one that fetches. */
    int64_t refreshed_ns;     /* When refresh() last fetched; guarded by `fetching`. 0: never. */
    int64_t hung_ns;          /* When a fetch last hung; guarded by `fetching`. 0: never. */
    pthread_mutex_t zipping;  /* Held by the one that makes a zip: a hung fetch holds up no zip. */
    pthread_mutex_t asking;   /* Held by the one stranger that asks for a branch. */
    char *tip; /* The zip of a commit that no test has named; guarded by `asking`. NULL: none. */
} Repository;

/* A difference that was found. Commits do not change, so the text stays true. */
typedef struct {
    char *key; /* NULL: none yet. */
    char *text;
} Difference;

struct Sources {
    Repository *items;
    size_t count;
    char *zips; /* The folder of the zips. */
    char *github;
    atomic_int waiting;        /* Threads that have a place (take_place). */
    pthread_mutex_t differing; /* Guards what follows, for moments. */
    bool is_differing;         /* git looks for a difference. */
    Difference differences[DIFFERENCES_MAX];
    size_t difference_next; /* The oldest, which the next one replaces. */
};

/* ---- Names ---- */

/* Is this a name that can be a part of a path and of an address, and nothing else? */
static bool is_name(const char *name) {
    return text_is_name(name, SOURCES_NAME_MAX, "._-");
}

static bool is_sha(const char *text) {
    return text_is_hex(text, SHA_DIGITS, SHA_DIGITS);
}

/* Does a part of the name, between slashes, end in ".lock"? */
static bool has_lock(const char *ref) {
    static const char LOCK[] = ".lock";
    for (const char *at = strstr(ref, LOCK); at; at = strstr(at + 1, LOCK))
        if (at[sizeof LOCK - 1] == '\0' || at[sizeof LOCK - 1] == '/')
            return true;
    return false;
}

/* Can this be the name of a branch or a tag? Source: git-check-ref-format(1). */
static bool is_ref(const char *ref) {
    size_t length = strlen(ref);
    if (length == 0 || length > REF_MAX || ref[0] == '-' || ref[0] == '/' || ref[0] == '.' ||
        ref[length - 1] == '/' || ref[length - 1] == '.')
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)ref[i] <= ' ' || ref[i] == 0x7f || strchr("~^:?*[\\", ref[i]))
            return false;
    return !strstr(ref, "..") && !strstr(ref, "//") && !strstr(ref, "/.") && !strstr(ref, "@{") &&
           strcmp(ref, "@") != 0 && !has_lock(ref);
}

static Repository *find(const Sources *sources, const char *name) {
    for (size_t i = 0; i < sources->count; i++)
        if (text_equal_nocase(sources->items[i].name, name))
            return &sources->items[i];
    return NULL;
}

size_t sources_count(const Sources *sources) {
    return sources->count;
}

const char *sources_name(const Sources *sources, size_t index) {
    return sources->items[index].name;
}

const char *sources_folder(const Sources *sources, const char *name) {
    const Repository *repository = find(sources, name);
    return repository ? repository->folder : NULL;
}

/* The name of the kept repository of this name, as it was kept; NULL: none. */
static const char *kept_name(const Sources *sources, const char *name, size_t length) {
    char copy[SOURCES_NAME_MAX + 1];
    if (length >= sizeof copy)
        return NULL;
    snprintf(copy, sizeof copy, "%.*s", (int)length, name);
    const Repository *repository = find(sources, copy);
    return repository ? repository->name : NULL;
}

const char *sources_kept(const Sources *sources, const char *repo) {
    if (!text_starts_with(repo, REPO_PATH))
        return kept_name(sources, repo, strlen(repo));
    const char *name = repo + strlen(REPO_PATH);
    size_t length = strlen(name);
    return kept_name(sources, name, length - (length > 0 && name[length - 1] == '/'));
}

/* The repository's name in a SourceCommit.source of this server. False: the source is elsewhere. */
static bool read_source(const char *source, char name[SOURCES_NAME_MAX + 1]) {
    if (!text_starts_with(source, SOURCE_PATH))
        return false;
    source += strlen(SOURCE_PATH);
    snprintf(name, SOURCES_NAME_MAX + 1, "%.*s", (int)strcspn(source, "/"), source);
    return true;
}

const char *sources_of(const Sources *sources, const char *source) {
    char name[SOURCES_NAME_MAX + 1];
    const Repository *repository = read_source(source, name) ? find(sources, name) : NULL;
    return repository ? repository->name : NULL;
}

bool sources_has(const Sources *sources, const char *source, char lost[SOURCES_NAME_MAX + 1]) {
    return !read_source(source, lost) || find(sources, lost);
}

/* ---- Git ---- */

static bool run_git(const Repository *repository, const char *const *words, Text *out, Error *err) {
    return git_run(&(GitPlace){.folder = repository->folder}, words, out, err);
}

/* Cuts the names and passwords out of the addresses in err: "https://me:token@host/". */
static void hide_passwords(Error *err) {
    static const char SCHEME_END[] = "://";
    for (char *at = strstr(err->text, SCHEME_END); at; at = strstr(at, SCHEME_END)) {
        at += strlen(SCHEME_END);
        const char *host = text_find_last(at, strcspn(at, "/ '\""), '@');
        if (host)
            memmove(at, host + 1, strlen(host + 1) + 1);
    }
}

/* git reads no local repository of another user, unless its settings name the folder, which its
 * message has in quotes. */
static void add_remedy(Error *err) {
    const char *path = strchr(err->text, '\'');
    if (strstr(err->text, "dubious ownership") && path)
        error_set(err, "%s (to trust it, as root: git config --system --add safe.directory %s)",
                  err->text, path);
}

/* Was it less than so many seconds ago? then_ns 0: never. */
static bool is_recent(int64_t then_ns, int64_t seconds) {
    return then_ns != 0 && clock_now_ns() - then_ns < seconds * CLOCK_NS_PER_SECOND;
}

/* The first name that git cannot keep beside this one, as "a" beside "a/b"; NULL: none. `names` has
 * a name at the end of each line. */
static char *find_rival(const char *names, const char *name) {
    size_t length = strlen(name);
    size_t line;
    for (const char *at; (at = text_next_line(&names, &line)) != NULL;) {
        const char *tab = memchr(at, '\t', line);
        const char *other = tab ? tab + 1 : at;
        size_t other_length = line - (size_t)(other - at);
        size_t shorter = length < other_length ? length : other_length;
        const char *longer = length < other_length ? other : name;
        if (length != other_length && strncmp(name, other, shorter) == 0 && longer[shorter] == '/')
            return mem_strndup(other, other_length);
    }
    return NULL;
}

/* Removes the branches and tags that keep a new one of the upstream's out: "a", where that has
 * "a/b". False: there are none. */
static bool make_way(const Repository *repository, int timeout_ms) {
    const char *const ask_theirs[] = {
        "ls-remote", "--quiet", "--heads", "--tags", "--refs", "--", repository->upstream, NULL};
    const char *const ask_ours[] = {"for-each-ref", "--format=%(refname)", "refs/heads",
                                    "refs/tags", NULL};
    const GitPlace place = {.folder = repository->folder, .timeout_ms = timeout_ms};
    Text theirs = {0};
    Text ours = {0};
    bool removed = false;
    bool asked =
        git_run(&place, ask_theirs, &theirs, NULL) && git_run(&place, ask_ours, &ours, NULL);
    char *rest = NULL;
    for (char *name = asked ? strtok_r(ours.data, "\n", &rest) : NULL; name;
         name = strtok_r(NULL, "\n", &rest)) {
        char *rival = find_rival(text_string(&theirs), name);
        const char *const words[] = {"-c", NO_HOOKS, "update-ref", "-d", name, NULL};
        removed = (rival && run_git(repository, words, NULL, NULL)) || removed;
        free(rival);
    }
    text_free(&theirs);
    text_free(&ours);
    return removed;
}

static bool fetch_once(const Repository *repository, int timeout_ms, Error *err) {
    /* git does not tidy the repository here, but at the start (tidy). Tidying may take minutes, and
     * git leaves large files when it is killed at the end of a fetch's time. Of an upstream that is
     * a shallow clone git fetches nothing without --update-shallow, and says that it has. */
    const char *const words[] = {"-c",
                                 "gc.auto=0",
                                 "-c",
                                 "maintenance.auto=false",
                                 "-c",
                                 NO_HOOKS,
                                 "fetch",
                                 "--quiet",
                                 "--no-prune",
                                 "--no-tags",
                                 "--no-write-fetch-head",
                                 "--update-shallow",
                                 "--",
                                 repository->upstream,
                                 "+refs/heads/*:refs/heads/*",
                                 "+refs/tags/*:refs/tags/*",
                                 NULL};
    return git_run(&(GitPlace){.folder = repository->folder, .timeout_ms = timeout_ms}, words, NULL,
                   err);
}

/* Fetches, unless a fetch hung a moment ago: each waiting thread of the server would hang too, one
 * after the other. A slow upstream may answer in the time that a user's fetch has, so a stranger's
 * fetch, which has less, keeps no other from trying. */
static bool fetch_in_turn(Repository *repository, int timeout_ms, Error *err) {
    pthread_mutex_lock(&repository->fetching);
    int64_t began = clock_now_ns();
    bool hung = is_recent(repository->hung_ns, HUNG_S);
    bool ok = !hung && fetch_once(repository, timeout_ms, err);
    if (hung)
        error_set(err, "its upstream did not answer a moment ago; try again in a minute");
    else if (!ok && !git_interrupted() && clock_elapsed_ms(began, clock_now_ns()) < timeout_ms &&
             make_way(repository, timeout_ms))
        ok = fetch_once(repository, timeout_ms, err);
    if (!ok && !hung && timeout_ms >= FETCH_MS &&
        clock_elapsed_ms(began, clock_now_ns()) >= timeout_ms)
        repository->hung_ns = clock_now_ns();
    pthread_mutex_unlock(&repository->fetching);
    return ok;
}

/* Takes one of the few places of those who wait for an upstream or for GitHub; waits a moment for
 * one: a machine that is well makes room at once. */
static bool take_place(Sources *sources, Error *err) {
    for (int waited_ms = 0; atomic_fetch_add(&sources->waiting, 1) >= WAITING_MAX;
         waited_ms += PLACE_POLL_MS) {
        atomic_fetch_sub(&sources->waiting, 1);
        if (waited_ms >= PLACE_MS)
            return error_set(err,
                             "%d requests wait for upstreams or for GitHub; try again in a minute",
                             WAITING_MAX);
        usleep(PLACE_POLL_MS * 1000);
    }
    return true;
}

static void leave_place(Sources *sources) {
    atomic_fetch_sub(&sources->waiting, 1);
}

/* Brings the upstream's branches and tags here. */
static bool fetch(Sources *sources, Repository *repository, int timeout_ms, Error *err) {
    Error cause = {0};
    bool placed = take_place(sources, &cause);
    bool ok = placed && fetch_in_turn(repository, timeout_ms, &cause);
    if (placed)
        leave_place(sources);
    if (ok)
        return true;
    hide_passwords(&cause);
    add_remedy(&cause);
    return error_set(err, "the repository %s: %s", repository->name, cause.text);
}

/* Fetches for a stranger, unless somebody fetches now or a stranger's fetch was just tried. */
static void refresh(Sources *sources, Repository *repository) {
    if (!repository->upstream || pthread_mutex_trylock(&repository->fetching) != 0)
        return;
    bool due = !is_recent(repository->refreshed_ns, REFRESH_S);
    if (due)
        repository->refreshed_ns = clock_now_ns();
    pthread_mutex_unlock(&repository->fetching);
    if (due)
        fetch(sources, repository, REFRESH_MS, NULL);
}

/* The commit of this name, exactly as git has it; "": there is none. False with err set when git
 * failed: git ends well without a commit too. */
static bool look_up(const Repository *repository, const char *prefix, const char *ref,
                    char sha[SOURCES_SHA_MAX], Error *err) {
    char *name = text_format("%s%s^{commit}", prefix, ref);
    /* With --stdin, which is empty, old versions of git do without a commit too. */
    const char *const words[] = {"rev-list", "--no-walk", "--ignore-missing", "--stdin", name,
                                 "--",       NULL};
    char *found = git_ask(&(GitPlace){.folder = repository->folder}, words, err);
    snprintf(sha, SOURCES_SHA_MAX, "%s", found && is_sha(found) ? found : "");
    bool ok = found || error_prefix(err, "the repository %s", repository->name);
    free(found);
    free(name);
    return ok;
}

/* The commit, if a test has named it; as look_up. git says neither that an object is missing nor
 * that a name's file is damaged: it ends well, as for a name that is not there. */
static bool look_up_kept(const Repository *repository, const char *sha, char found[SOURCES_SHA_MAX],
                         Error *err) {
    if (!look_up(repository, KEPT, sha, found, err))
        return false;
    if (found[0] != '\0')
        return true;
    char *name = text_format("%s%s", KEPT, sha);
    char *path = text_format("%s/%s", repository->folder, name);
    const char *const words[] = {"for-each-ref", "--format=%(refname)", name, NULL};
    /* git lists no name whose file is damaged, and a packed name has no file. */
    char *listed = git_ask(&(GitPlace){.folder = repository->folder}, words, err);
    bool absent = access(path, F_OK) != 0 && errno == ENOENT;
    bool ok = listed != NULL;
    if (!ok)
        error_prefix(err, "the repository %s", repository->name);
    else if (listed[0] != '\0' || !absent)
        ok = error_set(err, "the repository %s: %s is damaged, or its commit cannot be read",
                       repository->name, name);
    free(listed);
    free(path);
    free(name);
    return ok;
}

/* The commit of a branch or a tag, as this server has them now; as look_up. */
static bool look_up_ref(const Repository *repository, const char *ref, char sha[SOURCES_SHA_MAX],
                        Error *err) {
    return look_up(repository, "refs/heads/", ref, sha, err) &&
           (sha[0] != '\0' || look_up(repository, "refs/tags/", ref, sha, err));
}

static bool refuse_ref(const Repository *repository, const char *ref, Error *err) {
    return error_set(err,
                     "there is no branch or tag '%s' in the repository %s (a commit is named by "
                     "its 40 digits)",
                     ref, repository->name);
}

/* The commit that the forty digits name, fetched when it is missing. */
static bool find_sha(Sources *sources, Repository *repository, const char *ref,
                     char sha[SOURCES_SHA_MAX], Error *err) {
    bool ok = look_up(repository, "", ref, sha, err);
    if (ok && sha[0] == '\0' && repository->upstream)
        ok = fetch(sources, repository, FETCH_MS, err) && look_up(repository, "", ref, sha, err);
    if (!ok || sha[0] != '\0')
        return ok;
    return error_set(err, "there is no commit %s in the repository %s", ref, repository->name);
}

/* The commit of a branch or a tag. The upstream is asked first: a branch moves. When the upstream
 * does not answer, or too many requests wait already, the branch is the one that was pushed here or
 * fetched last, with a doubt. */
static bool find_ref(Sources *sources, Repository *repository, const char *ref, SourceCommit *out,
                     Error *err) {
    Error fault = {0};
    bool fresh = repository->upstream == NULL || fetch(sources, repository, FETCH_MS, &fault);
    if (!look_up_ref(repository, ref, out->sha, err))
        return false;
    bool found = out->sha[0] != '\0';
    if (found && !fresh)
        out->doubt = mem_strdup(fault.text);
    if (!found && !fresh)
        return error_set(err, "%s", fault.text);
    return found || refuse_ref(repository, ref, err);
}

/* ---- Opening ---- */

/* Has a fetch or a push brought anything? */
static bool has_commits(const Repository *repository) {
    const char *const words[] = {"for-each-ref", "--count=1", "--format=%(refname)", NULL};
    char *first = git_ask(&(GitPlace){.folder = repository->folder}, words, NULL);
    bool found = first && first[0] != '\0';
    free(first);
    return found;
}

/* Lets git pack what many fetches brought, where there is much. */
static void tidy(const Repository *repository, Log *log) {
    /* What git runs behind its back would be killed. */
    const char *const words[] = {
        "-c", "gc.autoDetach=false", "-c", NO_HOOKS, "gc", "--auto", "--quiet", NULL};
    const GitPlace place = {.folder = repository->folder, .timeout_ms = TIDY_MS};
    Error err = {0};
    if (!git_run(&place, words, NULL, &err) && !git_interrupted() && log)
        log_warn(log, "the repository %s is not tidied: %s", repository->name, err.text);
}

/* Makes the repository when it is missing. */
static bool make_repository(const Repository *repository, Error *err) {
    const char *const words[] = {"init", "--quiet", "--bare", "--", repository->folder, NULL};
    char *head = text_format("%s/HEAD", repository->folder);
    bool ok = file_exists(head) || git_run(&(GitPlace){0}, words, NULL, err) ||
              error_prefix(err, "the repository %s", repository->name);
    free(head);
    return ok;
}

/* Fetches at the start. An upstream that does not answer keeps no server from starting that has
 * fetched it before. A signal that ends git is meant for the server. */
static bool fetch_first(Sources *sources, Repository *repository, Log *log, Error *err) {
    bool fetched_before = has_commits(repository);
    if (log)
        log_info(log, "the repository %s: fetching", repository->name);
    if (fetch(sources, repository, fetched_before ? FETCH_MS : FIRST_FETCH_MS, err))
        return true;
    if (!fetched_before || git_interrupted())
        return false;
    if (log)
        log_warn(log, "%s; its branches stay as they are", err->text);
    *err = (Error){0};
    return true;
}

static bool open_repository(Sources *sources, Repository *repository, Log *log, Error *err) {
    if (!make_repository(repository, err))
        return false;
    if (repository->upstream == NULL)
        return true;
    if (!fetch_first(sources, repository, log, err))
        return false;
    tidy(repository, log);
    return !git_interrupted() || error_set(err, "the repository %s: interrupted", repository->name);
}

/* Splits "NAME=PATH", "NAME=URL" or "NAME". The name is allocated in either case. */
static bool split_word(const char *word, char **name, const char **upstream, Error *err) {
    size_t length = strcspn(word, "=");
    *upstream = word[length] == '=' ? word + length + 1 : NULL;
    *name = mem_strndup(word, length);
    if (!is_name(*name))
        return error_set(err,
                         "--repo: '%s' is no name for a repository (NAME=PATH, NAME=URL or NAME): "
                         "letters, digits, '.', '_' and '-', at most %d of them, with a letter or "
                         "digit first",
                         *name, SOURCES_NAME_MAX);
    return !*upstream || ((*upstream)[0] != '\0' && (*upstream)[0] != '-') ||
           error_set(err, "--repo %s: '%s' is not the address of a repository", *name, *upstream);
}

bool sources_check_word(const char *word, Error *err) {
    char *name;
    const char *upstream;
    bool ok = split_word(word, &name, &upstream, err);
    free(name);
    return ok;
}

static bool read_repository(const char *word, const char *data, Repository *out, Error *err) {
    const char *upstream;
    if (!split_word(word, &out->name, &upstream, err))
        return false;
    Text folder = {0};
    text_addf(&folder, "%s/repositories/%s.git", data, out->name);
    out->folder = text_take(&folder);
    /* git runs in the kept repository, so a path has to be said from the root. */
    bool is_url =
        upstream && (strstr(upstream, "://") || strcspn(upstream, ":") < strcspn(upstream, "/"));
    char *absolute = upstream && !is_url ? realpath(upstream, NULL) : NULL;
    if (upstream && !is_url && !absolute)
        return error_set(err, "--repo %s: %s: %s", out->name, upstream, strerror(errno));
    out->upstream = absolute ? absolute : mem_strdup(upstream);
    return true;
}

Sources *sources_open(const SourcesSpec *spec, Error *err) {
    Sources *sources = mem_calloc(1, sizeof *sources);
    pthread_mutex_init(&sources->differing, NULL);
    Text folder = {0};
    text_addf(&folder, "%s/zips", spec->data);
    sources->zips = text_take(&folder);
    sources->github = mem_strdup(spec->github ? spec->github : GITHUB_API);
    text_addf(&folder, "%s/repositories", spec->data);
    bool ok = file_make_folders(sources->zips, err) && file_make_folders(text_string(&folder), err);
    text_free(&folder);
    /* An earlier server has made these zips. */
    file_remove_matching(sources->zips, "*" TIP "*", NULL);
    size_t wanted = spec->repos ? spec->repos->count : 0;
    sources->items = mem_calloc(wanted + 1, sizeof *sources->items);
    for (size_t i = 0; ok && i < wanted; i++) {
        Repository *repository = &sources->items[sources->count];
        pthread_mutex_init(&repository->fetching, NULL);
        pthread_mutex_init(&repository->zipping, NULL);
        pthread_mutex_init(&repository->asking, NULL);
        ok = read_repository(spec->repos->items[i], spec->data, repository, err);
        if (ok && find(sources, repository->name))
            ok = error_set(err, "--repo: the name %s stands twice", repository->name);
        sources->count++;
        ok = ok && open_repository(sources, repository, spec->log, err);
    }
    if (ok)
        return sources;
    sources_free(sources);
    return NULL;
}

void sources_free(Sources *sources) {
    if (!sources)
        return;
    for (size_t i = 0; i < sources->count; i++) {
        pthread_mutex_destroy(&sources->items[i].fetching);
        pthread_mutex_destroy(&sources->items[i].zipping);
        pthread_mutex_destroy(&sources->items[i].asking);
        free(sources->items[i].tip);
        free(sources->items[i].name);
        free(sources->items[i].folder);
        free(sources->items[i].upstream);
    }
    for (size_t i = 0; i < DIFFERENCES_MAX; i++) {
        free(sources->differences[i].key);
        free(sources->differences[i].text);
    }
    pthread_mutex_destroy(&sources->differing);
    free(sources->items);
    free(sources->zips);
    free(sources->github);
    free(sources);
}

/* ---- Commits ---- */

static bool read_commit(const Repository *repository, SourceCommit *out, Error *err) {
    const char *const words[] = {"show",        "--no-patch", "--no-color", "--no-show-signature",
                                 "--format=%B", out->sha,     "--",         NULL};
    Text message = {0};
    Text source = {0};
    bool ok = run_git(repository, words, &message, err);
    out->message = text_take(&message);
    out->bench = git_message_bench(out->message);
    text_addf(&source, "%s%s/%s.zip", SOURCE_PATH, repository->name, out->sha);
    out->source = text_take(&source);
    return ok;
}

/* Gives the commit a name of its own, so that it stays when its branch moves or goes. */
static bool keep(const Repository *repository, const char *sha, Error *err) {
    char *name = text_format("%s%s", KEPT, sha);
    const char *const words[] = {"-c", NO_HOOKS, "update-ref", name, sha, NULL};
    bool ok = run_git(repository, words, NULL, err);
    free(name);
    return ok;
}

/* The commit of a repository on GitHub; `out` is empty. */
static bool ask_github(Sources *sources, const char *repo, const char *ref, bool by_sha,
                       const char *token, SourceCommit *out, Error *err) {
    if (!take_place(sources, err))
        return false;
    bool ok = github_resolve(sources->github, repo, ref, by_sha, token, out, err);
    leave_place(sources);
    return ok;
}

bool sources_resolve(Sources *sources, const char *repo, const char *ref, const char *token,
                     SourceCommit *out, Error *err) {
    *out = (SourceCommit){0};
    bool by_sha = is_sha(ref);
    if (!by_sha && !is_ref(ref))
        return error_set(err, "'%s' is not a valid name of a branch, a tag or a commit", ref);
    const char *kept = sources_kept(sources, repo);
    if (!kept)
        return ask_github(sources, repo, ref, by_sha, token, out, err);
    Repository *repository = find(sources, kept);
    bool ok = (by_sha ? find_sha(sources, repository, ref, out->sha, err)
                      : find_ref(sources, repository, ref, out, err)) &&
              read_commit(repository, out, err) && keep(repository, out->sha, err);
    if (!ok)
        source_commit_free(out);
    return ok;
}

void source_commit_free(SourceCommit *commit) {
    free(commit->message);
    free(commit->source);
    free(commit->doubt);
    *commit = (SourceCommit){0};
}

/* Adds the whole lines of the text within the first `limit` bytes, and says so where some lack. */
static void add_start(const Text *text, size_t limit, Text *out) {
    if (text->length <= limit) {
        text_add(out, text_string(text));
        return;
    }
    size_t length = limit;
    while (length > 0 && text->data[length - 1] != '\n')
        length--;
    text_add_bytes(out, text->data, length);
    text_addf(out, "... (the rest is left out: more than %zu bytes)\n", limit);
}

/* Are both commits here? False with err set when git failed. */
static bool has_both(const Repository *repository, const char *base, const char *dev, bool *found,
                     Error *err) {
    char first[SOURCES_SHA_MAX];
    char second[SOURCES_SHA_MAX];
    bool ok =
        look_up(repository, "", base, first, err) && look_up(repository, "", dev, second, err);
    *found = ok && first[0] != '\0' && second[0] != '\0';
    return ok;
}

static DifferenceResult refuse_difference(Error *err) {
    error_set(err, "this server keeps no such commits");
    return DIFFERENCE_REFUSED;
}

static DifferenceResult find_difference(const Repository *repository, const char *base,
                                        const char *dev, size_t limit, Text *out, Error *err) {
    bool both;
    if (!has_both(repository, base, dev, &both, err))
        return DIFFERENCE_FAULT;
    if (!both)
        return refuse_difference(err);
    Text found = {0};
    char *range = text_format("%s..%s", base, dev);
    /* The options keep git from running the programs that a configuration names. */
    const char *const log[] = {"log",        "--oneline",  "--no-decorate",
                               "--no-color", "--no-notes", "--no-show-signature",
                               range,        "--",         NULL};
    const char *const diff[] = {
        "diff", "--no-ext-diff", "--no-textconv", "--no-color", base, dev, "--", NULL};
    const GitPlace place = {.folder = repository->folder, .keep_start = true};
    bool ok = git_run(&place, log, &found, err);
    text_add_char(&found, '\n');
    ok = ok && git_run(&place, diff, &found, err);
    if (ok)
        add_start(&found, limit, out);
    else
        error_prefix(err, "the repository %s", repository->name);
    free(range);
    text_free(&found);
    return ok ? DIFFERENCE_FOUND : DIFFERENCE_FAULT;
}

/* Appends a kept difference; else begins to look for one, unless another is looked for. */
static DifferenceResult begin_difference(Sources *sources, const char *key, bool *found,
                                         Text *out) {
    pthread_mutex_lock(&sources->differing);
    *found = false;
    for (size_t i = 0; i < DIFFERENCES_MAX && !*found; i++) {
        const Difference *kept = &sources->differences[i];
        *found = kept->key && strcmp(kept->key, key) == 0;
        if (*found)
            text_add(out, kept->text);
    }
    bool busy = !*found && sources->is_differing;
    if (!*found)
        sources->is_differing = true;
    pthread_mutex_unlock(&sources->differing);
    return busy ? DIFFERENCE_BUSY : DIFFERENCE_FOUND;
}

/* Keeps the difference that was looked for; NULL: none was found. */
static void end_difference(Sources *sources, const char *key, const char *text) {
    pthread_mutex_lock(&sources->differing);
    sources->is_differing = false;
    if (text) {
        Difference *oldest = &sources->differences[sources->difference_next];
        sources->difference_next = (sources->difference_next + 1) % DIFFERENCES_MAX;
        free(oldest->key);
        free(oldest->text);
        *oldest = (Difference){mem_strdup(key), mem_strdup(text)};
    }
    pthread_mutex_unlock(&sources->differing);
}

DifferenceResult sources_difference(Sources *sources, const char *name, const char *base,
                                    const char *dev, size_t limit, Text *out, Error *err) {
    const Repository *repository = find(sources, name);
    if (!repository || !is_sha(base) || !is_sha(dev))
        return refuse_difference(err);
    Text text = {0};
    bool found;
    char *key = text_format("%s %s %s %zu", repository->name, base, dev, limit);
    DifferenceResult result = begin_difference(sources, key, &found, out);
    if (result == DIFFERENCE_FOUND && !found) {
        result = find_difference(repository, base, dev, limit, &text, err);
        end_difference(sources, key, result == DIFFERENCE_FOUND ? text_string(&text) : NULL);
        text_add(out, text_string(&text));
    }
    free(key);
    text_free(&text);
    return result;
}

/* ---- Zips ---- */

/* Makes the zip under another name first, so that nobody reads half of it. The caller holds
 * `zipping`. */
static bool make_zip(const Repository *repository, const char *sha, const char *path, Error *err) {
    Text prefix = {0};
    Text output = {0};
    char *part = text_format("%s.part", path);
    text_addf(&prefix, "--prefix=%s-%s/", repository->name, sha);
    text_addf(&output, "--output=%s", part);
    const char *const words[] = {
        "archive", "--format=zip", text_string(&prefix), text_string(&output), sha, NULL};
    bool ok = run_git(repository, words, NULL, err) && file_install(part, path, err);
    if (!ok)
        unlink(part);
    text_free(&prefix);
    text_free(&output);
    free(part);
    return ok;
}

/* The zip of the commit, made if it is missing, as is the folder of the zips. `between` stands in
 * its name between repository and commit. */
static ZipResult zip_of(Sources *sources, Repository *repository, const char *between,
                        const char *sha, char **zip, Error *err) {
    Text path = {0};
    text_addf(&path, "%s/%s%s%s.zip", sources->zips, repository->name, between, sha);
    bool ok = file_exists(text_string(&path)); /* Without waiting for another zip. */
    if (!ok) {
        pthread_mutex_lock(&repository->zipping);
        ok =
            file_exists(text_string(&path)) || (file_make_folders(sources->zips, err) &&
                                                make_zip(repository, sha, text_string(&path), err));
        pthread_mutex_unlock(&repository->zipping);
    }
    if (ok)
        *zip = text_take(&path);
    text_free(&path);
    return ok ? ZIP_FOUND : ZIP_FAULT;
}

static Repository *must_find(const Sources *sources, const char *name, Error *err) {
    Repository *repository = find(sources, name);
    if (!repository)
        error_set(err, "this server keeps no repository of this name");
    return repository;
}

ZipResult sources_zip(Sources *sources, const char *name, const char *sha, char **zip, Error *err) {
    Repository *repository = must_find(sources, name, err);
    char found[SOURCES_SHA_MAX] = "";
    *zip = NULL;
    if (!repository)
        return ZIP_REFUSED;
    if (is_sha(sha) && !look_up_kept(repository, sha, found, err))
        return ZIP_FAULT;
    if (found[0] != '\0')
        return zip_of(sources, repository, "-", found, zip, err);
    error_set(err, "no test has named this commit of the repository %s", repository->name);
    return ZIP_REFUSED;
}

/* Is a branch or a tag at the commit? False with err set when git failed. */
static bool find_tip(const Repository *repository, const char *sha, bool *found, Error *err) {
    const char *const words[] = {"for-each-ref", "--count=1", "--points-at", sha,
                                 "refs/heads",   "refs/tags", NULL};
    char *first = git_ask(&(GitPlace){.folder = repository->folder}, words, err);
    *found = first && first[0] != '\0';
    bool ok = first != NULL;
    free(first);
    return ok;
}

/* The zip of a commit that no test has named. It takes the place of the one before, so that nobody
 * fills the disk. The caller holds `asking`. */
static ZipResult tip_zip(Sources *sources, Repository *repository, const char *sha, char **zip,
                         Error *err) {
    ZipResult result = zip_of(sources, repository, TIP, sha, zip, err);
    if (result != ZIP_FOUND)
        return result;
    if (repository->tip && strcmp(*zip, repository->tip) != 0)
        unlink(repository->tip);
    free(repository->tip);
    repository->tip = mem_strdup(*zip);
    return result;
}

/* sources_ref_zip for the one that holds `asking`. */
static ZipResult ref_zip(Sources *sources, Repository *repository, const char *ref, char **zip,
                         Error *err) {
    char found[SOURCES_SHA_MAX] = "";
    char kept[SOURCES_SHA_MAX] = "";
    bool tip = !is_sha(ref);
    refresh(sources, repository);
    bool ok = is_sha(ref)   ? look_up(repository, "", ref, found, err)
              : is_ref(ref) ? look_up_ref(repository, ref, found, err)
                            : true;
    bool known = found[0] != '\0';
    ok = ok && (!known || look_up_kept(repository, found, kept, err));
    if (ok && kept[0] != '\0')
        return zip_of(sources, repository, "-", kept, zip, err);
    if (!ok || (known && !tip && !find_tip(repository, found, &tip, err)))
        return ZIP_FAULT;
    if (known && tip)
        return tip_zip(sources, repository, found, zip, err);
    if (is_sha(ref))
        error_set(err,
                  "no test has named the commit %s of the repository %s, and no branch or tag is "
                  "at this commit",
                  ref, repository->name);
    else
        refuse_ref(repository, ref, err);
    return ZIP_REFUSED;
}

ZipResult sources_ref_zip(Sources *sources, const char *name, const char *ref, char **zip,
                          Error *err) {
    Repository *repository = must_find(sources, name, err);
    *zip = NULL;
    if (!repository)
        return ZIP_REFUSED;
    if (pthread_mutex_trylock(&repository->asking) != 0) {
        error_set(err, "somebody else asks for a branch of the repository %s: ask again later",
                  name);
        return ZIP_BUSY;
    }
    ZipResult result = ref_zip(sources, repository, ref, zip, err);
    pthread_mutex_unlock(&repository->asking);
    return result;
}
