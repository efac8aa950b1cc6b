/* SPDX-License-Identifier: MIT */
/* Any request to a server: each is answered, by JSON where clients ask, never with a fault of the
 * server, and no page shows a client's text as markup. The first line of an input is the method and
 * the path, "POST /clientHeartbeat/"; each further line is a field, "machine_id=1". "@name=value"
 * is a cookie, "?name=value" a field of the query. $M and $S in a value stand for the number and
 * the secret of a machine, $T for the token of a signed-in browser's forms.
 *
 * Other inputs go through a socket. "BODY", a path, a blank, and the type of a body: the further
 * lines are the body of a form as browsers and clients send it, files too ("\n" is sent as "\r\n").
 * "WIRE": the further lines are all that is sent. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/count.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/tree.h"
#include "fuzz/fuzz.h"
#include "openbench/http.h"
#include "serve/clientroutes.h"
#include "serve/downloads.h"
#include "serve/httpd.h"
#include "serve/pages.h"
#include "serve/secrets.h"
#include "serve/serve.h"
#include "serve/visit.h"
#include "tools/cookies.h"
#include "tools/raw_web.h"

enum { PATH_SIZE = 64, NOW = 1700000000, NUMBER_SIZE = 32, CHECK_EVERY = 1000 };

/* The last table has streams, which never end: none of them is asked for through a socket. */
static const WebRoute *const TABLES[] = {CLIENT_ROUTES, API_ROUTES,  DOWNLOADS,
                                         LIST_PAGES,    TEST_PAGES,  FORM_PAGES,
                                         PEOPLE_PAGES,  STOCK_PAGES, LIVE_PAGES};
static const WebRoutes ROUTES = {TABLES, COUNT(TABLES)};
static const WebRoutes SOCKET_ROUTES = {TABLES, COUNT(TABLES) - 1};

static const char PREFIX[] = "rd-fuzz-serve-"; /* Of the names of the runs' folders. */
static char folder[PATH_SIZE];
static Serve serve;
static char machine[NUMBER_SIZE];
static char secret[SECRET_MAX];
static char *form_token;
static WebFields cookies; /* Of the signed-in browser. */

static void require(bool holds, const char *what, const char *text) {
    if (holds)
        return;
    fprintf(stderr, "fuzz: serve: %s: %s\n", what, text != NULL ? text : "");
    abort();
}

/* ---- A server with a user, a browser, a machine and a test ---- */

static int64_t clock_now(void *user) {
    (void)user;
    return NOW;
}

/* Removes from `base` the folders of runs that were aborted: their processes are gone. */
static void clear_aborted(const char *base) {
    DIR *entries = opendir(base);
    struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        char *end, path[PATH_MAX];
        if (!text_starts_with(entry->d_name, PREFIX))
            continue;
        long process = strtol(entry->d_name + strlen(PREFIX), &end, 10);
        bool gone = process > 0 && *end == '-' && kill((pid_t)process, 0) != 0 && errno == ESRCH;
        snprintf(path, sizeof path, "%s/%s", base, entry->d_name);
        if (gone)
            tree_remove(path, NULL);
    }
    if (entries)
        closedir(entries);
}

/* Makes the folder of this run, whose name has the number of the process. */
static bool make_folder(const char *base) {
    clear_aborted(base);
    snprintf(folder, sizeof folder, "%s/%s%ld-XXXXXX", base, PREFIX, (long)getpid());
    return mkdtemp(folder) != NULL;
}

static void remove_folder(void) {
    tree_remove(folder, NULL);
}

static void sign_in(const User *user) {
    WebRequest request = {0};
    WebAnswer answer = {0};
    Visit visit;
    Error err = {0};
    visit_open(serve.people, &request, NOW, &visit);
    require(visit_sign_in(serve.people, &visit, user, &request, &answer, NOW, &err), "sign in",
            err.text);
    form_token = mem_strdup(visit.csrf);
    keep_cookies(&cookies, &answer);
    visit_free(&visit);
    web_answer_free(&answer);
}

static int64_t add_machine(Transaction *t, int64_t user) {
    static char info[] = "{\"client_ver\": 49, \"os_name\": \"Linux\", \"concurrency\": 4, "
                         "\"sockets\": 1, \"cpu_flags\": [\"POPCNT\"], \"tokens\": {}, "
                         "\"compilers\": {\"Reductio\": [\"gcc\", \"12.2.0\"]}}";
    char digest[DIGEST_HEX_MAX];
    secret_new(secret);
    secret_digest(secret, digest);
    Machine record = {.user_id = user,
                      .secret = digest,
                      .info = info,
                      .name = "box",
                      .os_name = "Linux",
                      .cpu_name = "cpu",
                      .isa_name = "isa",
                      .client = "49",
                      .client_version = serve.catalog.settings.client_version,
                      .config = serve.catalog.checksum,
                      .concurrency = 4,
                      .created = NOW,
                      .seen = NOW};
    return store_add_machine(t, &record);
}

/* A test whose texts would be markup if a page did not escape them. */
static int64_t add_test(Transaction *t) {
    TestSide side = {.engine = "Reductio",
                     .repo = "https://github.com/a/b",
                     .branch = "<fuzz>",
                     .source = "http://127.0.0.1:1/x.zip",
                     .sha = "0123456789012345678901234567890123456789",
                     .bench = 1,
                     .network = "",
                     .netname = "",
                     .options = "Threads=1 Hash=8 <fuzz>",
                     .time_control = "N=100"};
    Test test = {.author = "tester",
                 .kind = "GAMES",
                 .sides = {side, side},
                 .info = "<fuzz>",
                 .book_name = "reductio.epd",
                 .upload_pgns = "FALSE",
                 .workload_size = 8,
                 .throughput = 1000,
                 .syzygy_wdl = "OPTIONAL",
                 .syzygy_adj = "OPTIONAL",
                 .win_adj = "None",
                 .draw_adj = "None",
                 .scale_method = "BASE",
                 .scale_nps = 1000000,
                 .max_games = 1000000,
                 .genfens_args = "",
                 .spsa_reporting = "",
                 .spsa_distribution = "",
                 .book_index = 1,
                 .approved = true,
                 .approver = "",
                 .created = NOW,
                 .updated = NOW};
    return store_add_test(t, &test);
}

/* Listens on any port of the loopback. */
static void listen_there(void) {
    static Log silent;
    log_init(&silent, stderr, LOG_QUIET);
    Error err = {0};
    HttpdSettings settings = {.listen = "127.0.0.1:0",
                              .spool = folder,
                              .routes = SOCKET_ROUTES,
                              .serve = &serve,
                              .log = &silent};
    serve.httpd = httpd_start(&settings, &err);
    require(serve.httpd != NULL, "listen", err.text);
}

static void start(void) {
    Error err = {0};
    User user;
    Words repos = {0};
    char database[PATH_SIZE + 16];
    require(make_folder("/dev/shm") || make_folder("/tmp"), "folder", folder);
    atexit(remove_folder);
    require(http_init(&err), "http", err.text);
    snprintf(database, sizeof database, "%s/server.db", folder);
    serve = (Serve){.data = folder, .clock = clock_now};
    pthread_mutex_init(&serve.log_mutex, NULL);
    pthread_mutex_init(&serve.packing, NULL);
    serve.database = database_open(database, &err);
    require(serve.database != NULL, "database", err.text);
    serve.people = people_new(serve.database);
    /* Nobody listens there: a look at GitHub fails at once. */
    SourcesSpec sources = {.data = folder, .repos = &repos, .github = "http://127.0.0.1:1"};
    serve.sources = sources_open(&sources, &err);
    require(serve.sources != NULL, "sources", err.text);
    CatalogSpec catalog = {.data = folder, .sources = serve.sources};
    require(catalog_open(&catalog, &serve.catalog, &err), "catalog", err.text);
    require(people_add(serve.people, "tester", "secret-word", true, NOW, NULL, &err), "user",
            err.text);
    Transaction *t = transaction_begin(serve.database, TRANSACTION_WRITE);
    store_user_named(t, "tester", &user);
    int64_t machine_id = add_machine(t, user.id);
    snprintf(machine, sizeof machine, "%lld", (long long)machine_id);
    /* The corpus reports to row 1 of test 1, and ends test 2 by a wrong bench. */
    store_row_of(t, add_test(t), machine_id, NOW);
    add_test(t);
    require(transaction_end(t, &err), "machine and test", err.text);
    sign_in(&user);
    store_free_user(&user);
    listen_there();
}

/* ---- A request ---- */

static void add_value(Text *out, const char *value) {
    for (const char *at = value; *at; at++) {
        bool named = at[0] == '$' && at[1] != '\0' && strchr("MST", at[1]) != NULL;
        if (named && at[1] == 'M')
            text_add(out, machine);
        else if (named && at[1] == 'S')
            text_add(out, secret);
        else if (named)
            text_add(out, form_token);
        else
            text_add_char(out, *at);
        at += named;
    }
}

static void add_field(WebRequest *request, char *line) {
    char *value = strchr(line, '=');
    Text text = {0};
    if (!value)
        return;
    *value = '\0';
    add_value(&text, value + 1);
    if (line[0] == '@')
        web_fields_add(&request->cookies, line + 1, text_string(&text));
    else if (line[0] == '?')
        web_fields_add(&request->query, line + 1, text_string(&text));
    else
        web_fields_add(&request->form, line, text_string(&text));
    text_free(&text);
}

static bool read_request(char *text, WebRequest *request) {
    char *rest = text;
    char *line = strsep(&rest, "\n");
    *request =
        (WebRequest){.post = text_starts_with(line, "POST "), .peer = mem_strdup("127.0.0.1")};
    const char *path = strchr(line, ' ');
    request->path = mem_strdup(path ? path + 1 : "/");
    for (size_t i = 0; i < cookies.names.count; i++)
        web_fields_add(&request->cookies, cookies.names.items[i], cookies.values.items[i]);
    while ((line = strsep(&rest, "\n")))
        add_field(request, line);
    return request->path[0] == '/';
}

static void check_answer(const WebRequest *request, const WebAnswer *answer) {
    const char *body = text_string(&answer->body);
    bool of_client = text_starts_with(request->path, "/client");
    require(answer->status != WEB_FAULT, "a fault of the server", request->path);
    require(strlen(body) == answer->body.length, "a NUL in the answer", request->path);
    if (of_client && (answer->status == 0 || answer->status == WEB_OK) && !answer->file) {
        cJSON *json = json_parse(body, answer->body.length, NULL);
        require(json != NULL, "an answer that is no JSON", body);
        cJSON_Delete(json);
    }
    if (!answer->type || strstr(answer->type, "html"))
        require(!strstr(body, "<fuzz>"), "a client's text as markup", body);
}

/* ---- Through the socket ---- */

/* Appends the text with its names' values, each line ended as on the wire. */
static void add_lines(Text *out, const char *text) {
    Text named = {0};
    add_value(&named, text);
    for (const char *at = text_string(&named); *at; at++) {
        if (*at == '\n' && (at == named.data || at[-1] != '\r'))
            text_add_char(out, '\r');
        text_add_char(out, *at);
    }
    text_free(&named);
}

/* A form with its length and the cookies of the signed-in browser. words: the path, and the type
 * of the body. */
static void add_form(Text *out, char *words, const char *lines) {
    Text body = {0};
    char *type = words;
    const char *path = strsep(&type, " ");
    add_lines(&body, lines);
    text_addf(out, "POST %s HTTP/1.1\r\nHost: fuzz\r\nContent-Type: %s\r\nContent-Length: %zu\r\n",
              path, type ? type : "", body.length);
    for (size_t i = 0; i < cookies.names.count; i++)
        text_addf(out, "Cookie: %s=%s\r\n", cookies.names.items[i], cookies.values.items[i]);
    text_addf(out, "Connection: close\r\n\r\n%s", text_string(&body));
    text_free(&body);
}

/* Is the answer a page? Only there a client's text could be markup. */
static bool is_page(const Text *answer) {
    char *type = raw_header(answer, "Content-Type");
    bool is = type && text_starts_with(type, "text/html");
    free(type);
    return is;
}

/* Sends the bytes, says that no more come, and reads the answer. A server that waits for the rest
 * of a body is not waited for. */
static void exchange(const Text *bytes) {
    static const struct timeval patience = {.tv_usec = 100000};
    Text answer = {0};
    int descriptor = raw_connect(httpd_url(serve.httpd));
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    raw_send(descriptor, bytes->data, bytes->length);
    shutdown(descriptor, SHUT_WR);
    raw_read(descriptor, NULL, &answer);
    close(descriptor);
    require(raw_status(&answer) != WEB_FAULT, "a fault of the server", text_string(&answer));
    require(!is_page(&answer) || !strstr(text_string(&answer), "<fuzz>"),
            "a client's text as markup", text_string(&answer));
    text_free(&answer);
}

/* Whether the text is one for the socket; it was sent then. */
static bool try_socket(char *text) {
    Text bytes = {0};
    char *rest = text;
    bool form = text_starts_with(text, "BODY ");
    if (!form && !text_starts_with(text, "WIRE\n"))
        return false;
    char *line = strsep(&rest, "\n");
    if (form)
        add_form(&bytes, line + strlen("BODY "), rest ? rest : "");
    else
        add_lines(&bytes, rest);
    if (bytes.length > 0)
        exchange(&bytes);
    text_free(&bytes);
    return true;
}

/* The server has to know the machine: otherwise no request of a client gets past the door. */
static void require_known_machine(void) {
    char text[] = "POST /clientHeartbeat/\nmachine_id=$M\nsecret=$S\ntest_id=1";
    WebRequest request;
    WebAnswer answer = {0};
    read_request(text, &request);
    web_dispatch(&ROUTES, &serve, &request, &answer);
    require(!strstr(text_string(&answer.body), "rror"), "the machine's first heartbeat",
            text_string(&answer.body));
    web_request_free(&request);
    web_answer_free(&answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int64_t count;
    if (!serve.database) {
        start();
        require_known_machine();
    }
    char *text = mem_alloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    WebRequest request;
    WebAnswer answer = {0};
    Error err = {0};
    if (try_socket(text)) {
        request = (WebRequest){0};
    } else if (read_request(text, &request)) {
        web_dispatch(&ROUTES, &serve, &request, &answer);
        check_answer(&request, &answer);
    }
    web_request_free(&request);
    web_answer_free(&answer);
    free(text);
    if (++count % CHECK_EVERY == 0)
        require(database_check(serve.database, &err), "the database", err.text);
    return 0;
}
