/* SPDX-License-Identifier: MIT */
/* obworker serve: an OpenBench server on this machine. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/datadir.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/prompt.h"
#include "base/self.h"
#include "base/shellwords.h"
#include "base/text.h"
#include "commands.h"
#include "openbench/http.h"
#include "openbench/login.h"
#include "serve/arriving.h"
#include "serve/clientroutes.h"
#include "serve/downloads.h"
#include "serve/pages.h"
#include "serve/serve.h"
#include "serve/workercall.h"

enum {
    /* How often a lock that another process holds is tried: for 5 seconds. */
    LOCK_TRIES = 100,
    LOCK_NAP_MS = 50,
};

typedef struct {
    const char *listen;
    const char *data;
    const char *config;
    const char *books;
    const char *log_format;
    const char *add_user;
    const char *set_password;
    const char *password_file;
    const char *backup;
    OptionList repos;
    OptionList proxies;
    bool admin;
    bool check;
    CommonOptions common;
} ServeOptions;

#define FIELD(field) offsetof(ServeOptions, field)

static const Option options[] = {
    OPTION_SECTION("The server"),
    TEXT_OPTION("listen", "ADDRESS:PORT", FIELD(listen),
                "where to listen (default 127.0.0.1:8000)"),
    TEXT_OPTION("data", "DIR", FIELD(data),
                "the folder of all that the server keeps (default "
                "$XDG_STATE_HOME/obworker/server)"),
    LIST_OPTION("repo", "NAME=PATH|URL", FIELD(repos),
                "keep a copy of this repository and hand out its commits; NAME alone: a repository "
                "to push to; may be given several times"),
    TEXT_OPTION("books", "DIR", FIELD(books), "a folder of opening books, besides our own"),
    TEXT_OPTION("config", "DIR", FIELD(config),
                "a folder with OpenBench's config.json, Engines and Books (default DATA/config)"),
    LIST_OPTION("trust-proxy", "ADDRESS", FIELD(proxies),
                "believe what the proxy at this address says of its clients"),
    CHOICE_OPTION("log-format", "text|json", FIELD(log_format),
                  "how the lines on stderr are written (default text)"),
    OPTION_SECTION("Users"),
    TEXT_OPTION("add-user", "NAME", FIELD(add_user), "add a user and end; asks for the password"),
    FLAG_OPTION("admin", FIELD(admin), "the new user may approve tests and change users"),
    TEXT_OPTION("set-password", "NAME", FIELD(set_password),
                "replace a user's password and end; asks for the new one"),
    TEXT_OPTION("password-file", "FILE", FIELD(password_file),
                "the first line of FILE is the password"),
    OPTION_SECTION("The database"),
    TEXT_OPTION("backup", "FILE", FIELD(backup),
                "write a copy of the database to a new file and end; the server may run meanwhile"),
    FLAG_OPTION("check", FIELD(check), "check the database and end"),
    OPTION_COMMON(FIELD(common))};

static const OptionTable table = {
    .command = "obworker serve",
    .synopsis = "[--listen ADDRESS:PORT] [--data DIR] [--repo NAME=PATH|URL ...] [options]",
    .about = "An OpenBench server: hands out tests to workers, adds up their results, and shows "
             "them to a browser. Listens on this machine alone unless --listen says otherwise.",
    .options = options,
    .count = COUNT(options),
    .operands = OPTION_NO_OPERANDS,
};

/* All that runs. */
typedef struct {
    Serve serve;
    Log log;
    char *data;
    char *spool;
    char *books;
    Words repos, proxies;
    int lock; /* Held while the server runs; -1: not held. */
} Server;

/* ---- The data folder ---- */

static bool writes_user(const ServeOptions *given) {
    return given->add_user || given->set_password;
}

static bool only_reads(const ServeOptions *given) {
    return given->backup || given->check;
}

/* Is a database of before wanted, so that a mistyped folder is refused? */
static bool wants_database(const ServeOptions *given) {
    return only_reads(given) || given->set_password;
}

static char *absolute(const char *given, const char *option, Error *err) {
    char *path = file_absolute(given);
    if (path == NULL)
        error_set(err, "--%s: the current folder is gone", option);
    for (size_t length = path ? strlen(path) : 0; length > 1 && path[length - 1] == '/';)
        path[--length] = '\0';
    return path;
}

/* Finds the data folder, and makes it unless a database of before is wanted. */
static bool open_data(const ServeOptions *given, Server *server, Error *err) {
    if (given->data) {
        server->data = absolute(given->data, "data", err);
    } else {
        char *state = statedir_path(err);
        if (!state)
            error_prefix(err, "--data: is missing");
        else if (!wants_database(given) && !statedir_make(state, err))
            error_prefix(err, "--data");
        else
            server->data = text_format("%s/server", state);
        free(state);
    }
    server->spool = text_format("%s/spool", server->data ? server->data : "");
    return server->data && (wants_database(given) || file_make_folders(server->spool, err) ||
                            error_prefix(err, "--data"));
}

/* Opens the lock's file in the data folder: two servers would hand out the same openings. */
static bool open_lock(Server *server, Error *err) {
    char *path = text_format("%s/lock", server->data);
    server->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    bool ok = server->lock >= 0 || error_set(err, "%s: %s", path, strerror(errno));
    free(path);
    return ok;
}

static bool is_there(const char *path, Error *err) {
    return access(path, F_OK) == 0 ||
           error_set(err, "%s: %s (--data names the folder of a server)", path, strerror(errno));
}

/* Opens a database that is there, and leaves its schema as it is. */
static Database *open_unchanged(const char *path, Error *err) {
    return is_there(path, err) ? database_open_unchanged(path, err) : NULL;
}

/* Makes the database, or brings its schema up to date, only when no other process holds the lock: a
 * server of an older version may be running. A user who is written beside a running server leaves
 * the schema as it is. *held: another process holds the lock. */
static Database *try_to_open(const ServeOptions *given, const Server *server, const char *path,
                             bool *held, Error *err) {
    *held = flock(server->lock, LOCK_EX | LOCK_NB) != 0;
    if (!*held)
        return database_open(path, err);
    if (writes_user(given))
        return open_unchanged(path, err);
    error_set(err, "%s: another obworker serve uses this folder", server->data);
    return NULL;
}

/* Tries for some seconds: --add-user holds the lock for a moment, in which the database may be
 * missing or empty. */
static Database *open_in_turn(const ServeOptions *given, const Server *server, const char *path,
                              Error *err) {
    bool held;
    Database *database = try_to_open(given, server, path, &held, err);
    for (int tries = 1; !database && held && tries < LOCK_TRIES; tries++) {
        nanosleep(&(struct timespec){.tv_nsec = LOCK_NAP_MS * CLOCK_NS_PER_MS}, NULL);
        database = try_to_open(given, server, path, &held, err);
    }
    return database;
}

/* Opens the database. A copy and a check always leave the schema as it is. */
static Database *open_database(const ServeOptions *given, Server *server, Error *err) {
    Database *database = NULL;
    char *path = text_format("%s/server.db", server->data);
    if (only_reads(given))
        database = open_unchanged(path, err);
    else if ((!wants_database(given) || is_there(path, err)) && open_lock(server, err))
        database = open_in_turn(given, server, path, err);
    free(path);
    return database;
}

/* Lets a server start while a password is asked for. */
static void unlock_data(Server *server) {
    if (server->lock >= 0)
        close(server->lock);
    server->lock = -1;
}

/* Removes the uploads and the packed games that a killed server left. The caller holds the lock. */
static bool empty_spool(const Server *server, Error *err) {
    return file_remove_matching(server->spool, "upload-*", err) &&
           file_remove_matching(server->spool, "games-*", err);
}

/* ---- What ends at once ---- */

static void free_password(char *password) {
    if (password)
        mem_wipe(password, strlen(password));
    free(password);
}

/* The user's new password: from a file, or asked for twice. Allocated; NULL with err set. */
static char *new_password(const ServeOptions *given, Log *log, Error *err) {
    if (given->password_file) {
        char *password;
        if (login_read_password_file(given->password_file, log, &password, err))
            return password;
        free_password(password);
        return NULL;
    }
    if (!prompt_possible()) {
        error_set(err, "no terminal to ask for the password: use --password-file");
        return NULL;
    }
    char *first = prompt_hidden("Password: ", err);
    char *second = first ? prompt_hidden("Once more: ", err) : NULL;
    bool same = second && strcmp(first, second) == 0;
    if (second && !same)
        error_set(err, "the two passwords differ");
    free_password(second);
    if (!same) {
        free_password(first);
        return NULL;
    }
    return first;
}

static bool write_user(const ServeOptions *given, Server *server, Error *err) {
    People *people = server->serve.people;
    const char *name = given->add_user ? given->add_user : given->set_password;
    if (!people_check_name(people, name, given->add_user != NULL, err))
        return false;
    char *password = new_password(given, &server->log, err);
    bool ok = password &&
              (given->add_user
                   ? people_add(people, given->add_user, password, given->admin,
                                serve_now(&server->serve), NULL, err)
                   : people_set_password(people, given->set_password, password, NULL, NULL, err));
    free_password(password);
    if (ok && given->add_user)
        printf("user %s added\n", given->add_user);
    else if (ok)
        printf("user %s has a new password\n", given->set_password);
    return ok;
}

static bool back_up(const ServeOptions *given, Server *server, Error *err) {
    bool ok = database_backup(server->serve.database, given->backup, err);
    if (ok)
        printf("the database is copied to %s\n", given->backup);
    return ok;
}

static bool check(Server *server, Error *err) {
    bool ok = database_check(server->serve.database, err);
    if (ok)
        printf("the database is sound\n");
    return ok;
}

/* ---- Serving ---- */

static const WebRoute *const tables[] = {CLIENT_ROUTES, API_ROUTES,  DOWNLOADS,
                                         LIST_PAGES,    TEST_PAGES,  FORM_PAGES,
                                         PEOPLE_PAGES,  STOCK_PAGES, LIVE_PAGES};

/* Writes the proxies' addresses as the server sees those of its clients. */
static bool read_proxies(const OptionList *given, Words *proxies, Error *err) {
    for (size_t i = 0; i < given->count; i++) {
        const char *word = given->items[i];
        char address[ARRIVING_ADDRESS_MAX];
        if (!arriving_read_address(word, address))
            return error_set(err,
                             "--trust-proxy: '%s' is no IP address; a name or a range of "
                             "addresses is not understood",
                             word);
        words_add(proxies, address);
    }
    return true;
}

static bool open_catalog(const ServeOptions *given, Server *server, Error *err) {
    Serve *serve = &server->serve;
    for (size_t i = 0; i < given->repos.count; i++)
        words_add(&server->repos, given->repos.items[i]);
    SourcesSpec sources = {.data = server->data, .repos = &server->repos, .log = &server->log};
    serve->sources = sources_open(&sources, err);
    if (!serve->sources)
        return false;
    if (given->books && !(server->books = absolute(given->books, "books", err)))
        return false;
    CatalogSpec catalog = {.data = server->data,
                           .folder = given->config,
                           .books = server->books,
                           .sources = serve->sources,
                           .log = &server->log};
    return catalog_open(&catalog, &serve->catalog, err);
}

static bool listen_there(const ServeOptions *given, Server *server, Error *err) {
    HttpdSettings settings = {.listen = given->listen,
                              .spool = server->spool,
                              .proxies = &server->proxies,
                              .routes = {tables, COUNT(tables)},
                              .serve = &server->serve,
                              .log = &server->log};
    hearing_begin(&server->serve.hearing, clock_now_ns(), serve_now(&server->serve));
    server->serve.httpd = httpd_start(&settings, err);
    if (!server->serve.httpd)
        return false;
    if (!httpd_is_local(server->serve.httpd) && given->proxies.count == 0)
        log_warn(&server->log, "passwords cross the network in the clear: put a proxy with TLS "
                               "before this server (--trust-proxy)");
    log_info(&server->log, "%s", httpd_url(server->serve.httpd));
    return true;
}

/* Warns when nobody can use the server, and says how to add the user who is missing. */
static bool warn_of_people(Server *server, Error *err) {
    int users, approvers;
    if (!people_count(server->serve.people, &users, &approvers, err))
        return false;
    if (approvers > 0)
        return true;
    Text folder = {0};
    shell_quote(server->data, &folder);
    log_warn(&server->log, "%s: obworker serve --data %s --add-user NAME --admin",
             users == 0 ? "nobody can sign in yet"
                        : "no test will be played, because no user may approve tests",
             text_string(&folder));
    text_free(&folder);
    return true;
}

static bool is_built_from(const Server *server, const char *repository) {
    const Catalog *catalog = &server->serve.catalog;
    for (size_t i = 0; i < catalog->engine_count; i++) {
        const char *kept = sources_kept(server->serve.sources, catalog->engines[i].source);
        if (kept && strcmp(kept, repository) == 0)
            return true;
    }
    return false;
}

/* Warns of kept repositories of no engine: no test can be of their branches. */
static void warn_of_repositories(const ServeOptions *given, Server *server) {
    const Sources *sources = server->serve.sources;
    for (size_t i = 0; i < sources_count(sources); i++) {
        const char *name = sources_name(sources, i);
        if (!is_built_from(server, name))
            log_warn(&server->log,
                     "no engine is built from the repository %s: %s%s/Engines/%s.json makes one "
                     "unless config.json lists others only (docs/server.md shows such a file)",
                     name, given->config ? given->config : server->data,
                     given->config ? "" : "/config", name);
    }
}

/* Serves until a signal says to end. A port in use is told first. The first fetch of a big
 * repository takes minutes, and a signal ends the program at once meanwhile. Then the signals are
 * blocked, before any thread starts, so that this one gets them. */
static bool serve_until_told(const ServeOptions *given, Server *server, Error *err) {
    if (!http_init(err) || !httpd_try_address(given->listen, err) || !empty_spool(server, err) ||
        !open_catalog(given, server, err) || !assign_warn(&server->serve, err) ||
        !warn_of_people(server, err))
        return false;
    warn_of_repositories(given, server);
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    if (!listen_there(given, server, err))
        return false;
    int told = 0;
    sigwait(&ends, &told);
    log_info(&server->log, "the server ends");
    return true;
}

static void free_server(Server *server) {
    httpd_stop(server->serve.httpd);
    http_cleanup();
    catalog_free(&server->serve.catalog);
    sources_free(server->serve.sources);
    people_free(server->serve.people);
    database_close(server->serve.database);
    pthread_mutex_destroy(&server->serve.log_mutex);
    pthread_mutex_destroy(&server->serve.packing);
    words_free(&server->repos);
    words_free(&server->proxies);
    free(server->books);
    free(server->spool);
    free(server->data);
    unlock_data(server);
    log_free(&server->log);
}

static bool run(const ServeOptions *given, Server *server, Error *err) {
    if (!open_data(given, server, err))
        return false;
    server->serve.data = server->data;
    server->serve.database = open_database(given, server, err);
    if (!server->serve.database)
        return false;
    server->serve.people = people_new(server->serve.database);
    if (writes_user(given)) {
        unlock_data(server);
        return write_user(given, server, err);
    }
    if (given->backup)
        return back_up(given, server, err);
    if (given->check)
        return check(server, err);
    return serve_until_told(given, server, err);
}

/* Of the options after which the command ends at once, one alone may stand. */
static bool is_one_wish(const ServeOptions *given, Error *err) {
    const char *first = NULL;
    const struct {
        bool given;
        const char *option;
    } wishes[] = {{given->add_user, "--add-user"},
                  {given->set_password, "--set-password"},
                  {given->backup, "--backup"},
                  {given->check, "--check"}};
    for (size_t i = 0; i < COUNT(wishes); i++) {
        if (wishes[i].given && first)
            return error_set(err, "%s and %s: one at a time", first, wishes[i].option);
        first = wishes[i].given ? wishes[i].option : first;
    }
    const OptionUse uses[] = {{"admin", given->admin, given->add_user, "needs --add-user"},
                              {"password-file", given->password_file, writes_user(given),
                               "needs --add-user or --set-password"}};
    return options_check_uses(uses, COUNT(uses), err);
}

/* Refuses words that could never be right, so that a service is not started again with them. */
static bool check_words(const ServeOptions *given, Error *err) {
    for (size_t i = 0; i < given->repos.count; i++)
        if (!sources_check_word(given->repos.items[i], err))
            return false;
    if (given->add_user && !people_check_letters(given->add_user, err))
        return error_prefix(err, "--add-user");
    return httpd_check_address(given->listen, err);
}

int cmd_serve_main(int argc, char **argv) {
    ServeOptions given = {.listen = "127.0.0.1:8000", .log_format = "text"};
    Server server = {.lock = -1};
    Error err = {0};
    int status;
    /* The data folder holds the users' passwords (hashed) and private sources. All that the server
     * writes is thus readable by its owner alone, in a folder of any mode. */
    umask(S_IRWXG | S_IRWXO);
    if (!options_run(&table, argc, argv, &given, &status))
        return status;
    if (!is_one_wish(&given, &err) || !check_words(&given, &err) ||
        !read_proxies(&given.proxies, &server.proxies, &err)) {
        words_free(&server.proxies);
        options_free(&table, &given);
        return options_usage_error(&table, &err);
    }
    self_return_memory(); /* A password's check takes 16 MB for a moment. */
    log_init(&server.log, stderr, options_log_level(&given.common));
    if (strcmp(given.log_format, "json") == 0)
        log_use_json(&server.log);
    server.serve.log = &server.log;
    pthread_mutex_init(&server.serve.log_mutex, NULL);
    pthread_mutex_init(&server.serve.packing, NULL);
    bool ok = run(&given, &server, &err);
    if (!ok)
        log_error(&server.log, "%s", err.text);
    free_server(&server);
    options_free(&table, &given);
    return ok ? EXIT_DONE : EXIT_FAILED;
}
