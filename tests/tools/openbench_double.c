/* SPDX-License-Identifier: MIT */
#include "tools/openbench_double.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <microhttpd.h>

#include "base/memory.h"
#include "base/text.h"

enum {
    MAX_BODY = 8 << 20,
    URL_MAX = 64,
    POLL_MS = 10,
    MS_PER_SECOND = 1000,
    OK = 200,
    FOUND = 302,
    FORBIDDEN = 403,
    FIRST_TEST = 1000,
    FRESH_RESULT = 1000000,
    TAKES_MS = 2 /* Any request of a worker's. */
};

typedef struct {
    char *method;
    char *path;
    char *authorization;
    char *content_type;
    char *cookies;
    char *referer;
    Words names;
    Words values;
    Text upload; /* the file of a multipart form */
} Request;

/* A workload created through a form. */
typedef struct {
    const char *kind; /* "test", "tune", "datagen" */
    Words names;
    Words values;
} CreatedTest;

typedef struct {
    char *path;
    DoubleMoment moment;
    int status;
    char *body;
    bool used;
} Replacement;

typedef struct {
    char *path;
    char *type;
    char *bytes;
    size_t length;
} File;

typedef struct {
    int64_t test_id;
    int64_t machine_id;
    int64_t result_id; /* 0: not given out */
    DoubleTotals totals;
    DoubleTotals lost;
} Row;

/* A batch that was received and takes effect later. */
typedef struct {
    int64_t test_id;
    int64_t machine_id;
    DoubleTotals batch;
} Late;

/* A request that is under way. */
typedef struct Passing {
    struct Passing *next;
    const char *path;
    int64_t machine; /* 0: it carries no machine's number. */
    bool locked;     /* It found the database locked. */
    /* The row that a question for work has read. */
    bool writes_back;
    int64_t test_id;
    DoubleTotals totals, lost;
} Passing;

struct Double {
    Passing *passing;
    int64_t overlaps;
    Text overlapped; /* The first two. */
    int workload_ms;
    bool lose_row;             /* Of the next results. */
    struct MHD_Daemon *daemon; /* NULL while the server is down. */
    uint16_t port;
    bool dying; /* Answers are lost. */
    pthread_mutex_t mutex;
    char url[URL_MAX];
    char *build_info;
    Words offers;
    size_t offered;
    Request *requests;
    size_t request_count, request_capacity;
    Replacement *replacements;
    size_t replacement_count, replacement_capacity;
    File *files;
    size_t file_count, file_capacity;
    Row *rows;
    size_t row_count, row_capacity;
    DoubleTotals totals;
    CreatedTest *tests;
    size_t test_count, test_capacity;
    char *refusal_page, *refusal; /* of the next test */
    char *message;                /* what the next page shows to whom has the cookie */
    bool want_csrf;
    bool signed_in; /* Whoever has the session's cookie. */
    Late *late;
    size_t late_count, late_capacity;
    uint64_t random;
    int trouble; /* of a hundred requests */
    bool again;
    int64_t stop_at;
    const char *failing_path;
    int64_t failing_test;
    int64_t next_machine;
    int64_t first_valid_machine;
    int64_t clock_off;
};

/* A request whose body is still coming. */
typedef struct {
    Text body;
} Arriving;

static void nap_ms(int ms) {
    nanosleep(
        &(struct timespec){.tv_sec = ms / MS_PER_SECOND, .tv_nsec = ms % MS_PER_SECOND * 1000000L},
        NULL);
}

/* ---- Forms ---- */

static int hex_value(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static char *decode(const char *text, size_t length) {
    Text out = {0};
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '+') {
            text_add_char(&out, ' ');
        } else if (text[i] == '%' && i + 2 < length && hex_value(text[i + 1]) >= 0 &&
                   hex_value(text[i + 2]) >= 0) {
            text_add_char(&out, (char)(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])));
            i += 2;
        } else {
            text_add_char(&out, text[i]);
        }
    }
    return text_take(&out);
}

static void parse_form(Request *request, const Text *body) {
    const char *at = text_string(body);
    while (*at) {
        size_t length = strcspn(at, "&");
        const char *equals = memchr(at, '=', length);
        size_t name_length = equals ? (size_t)(equals - at) : length;
        char *name = decode(at, name_length);
        char *value = equals ? decode(equals + 1, length - name_length - 1) : mem_strdup("");
        words_add(&request->names, name);
        words_add(&request->values, value);
        free(name);
        free(value);
        at += length + (at[length] == '&');
    }
}

/* The value of name="..." in a part's header; allocated, NULL when it is not there. */
static char *part_attribute(const char *header, const char *name) {
    Text key = {0};
    text_addf(&key, " %s=\"", name);
    const char *at = strstr(header, text_string(&key));
    char *value = at ? mem_strndup(at + key.length, strcspn(at + key.length, "\"")) : NULL;
    text_free(&key);
    return value;
}

/* One part, from its header on: a field, or the file. */
static void parse_part(Request *request, const char *part, size_t length) {
    const char *body = memmem(part, length, "\r\n\r\n", 4);
    if (!body)
        return;
    char *header = mem_strndup(part, (size_t)(body - part));
    char *name = part_attribute(header, "name");
    char *filename = part_attribute(header, "filename");
    size_t size = length - (size_t)(body + 4 - part);
    char *value = filename ? mem_strdup(filename) : mem_strndup(body + 4, size);
    words_add(&request->names, name ? name : "");
    words_add(&request->values, value);
    if (filename)
        text_add_bytes(&request->upload, body + 4, size);
    free(header);
    free(name);
    free(filename);
    free(value);
}

static void parse_multipart(Request *request, const Text *body) {
    static const char key[] = "boundary=";
    const char *boundary = strstr(request->content_type, key);
    Text mark = {0};
    text_addf(&mark, "\r\n--%s", boundary ? boundary + sizeof key - 1 : "?");
    /* The first boundary has no line before it. */
    const char *at = text_string(body) + mark.length - 2;
    const char *end = text_string(body) + body->length;
    while (at < end) {
        const char *next = memmem(at, (size_t)(end - at), mark.data, mark.length);
        if (!next)
            break;
        parse_part(request, at, (size_t)(next - at));
        at = next + mark.length;
    }
    text_free(&mark);
}

static const char *value_of(const Words *names, const Words *values, const char *name) {
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return values->items[i];
    return NULL;
}

static const char *form_value(const Request *request, const char *name) {
    return value_of(&request->names, &request->values, name);
}

static int64_t form_int(const Request *request, const char *name) {
    const char *value = form_value(request, name);
    return value ? strtoll(value, NULL, 10) : -1;
}

/* ---- What the server does ---- */

/* An answer that is being made. */
typedef struct {
    int status; /* 0: none */
    const char *type;
    bool cookies; /* are set */
    Text body;
    bool cut;      /* Half of it is sent. */
    bool late;     /* Results take effect later. */
    bool row_lost; /* They are added to the test's totals alone. */
    int64_t clock_off;
} Answer;

static bool check_user(const Request *request, Answer *answer) {
    const char *user = form_value(request, "username");
    const char *password = form_value(request, "password");
    if (user && password && strcmp(user, "tester") == 0 && strcmp(password, "secret") == 0)
        return true;
    text_add(&answer->body, "{\"error\": \"Bad Credentials\"}");
    return false;
}

static bool check_machine(const Double *d, const Request *request, Answer *answer) {
    int64_t machine = form_int(request, "machine_id");
    const char *secret = form_value(request, "secret");
    char wanted[32];
    snprintf(wanted, sizeof wanted, "secret-%" PRId64, machine);
    if (machine < d->first_valid_machine || machine >= d->next_machine) {
        text_add(&answer->body, "{\"error\": \"Bad Client Version: Bad Machine Id\"}");
        return false;
    }
    if (!secret || strcmp(secret, wanted) != 0) {
        text_add(&answer->body, "{\"error\": \"Bad Client Version: Invalid Secret Token\"}");
        return false;
    }
    return true;
}

static void do_client_version(Double *d, const Request *request, Answer *answer) {
    (void)d;
    if (check_user(request, answer))
        text_add(&answer->body, "{\"client_version\": 49, \"client_repo_url\": \"x\", "
                                "\"client_repo_ref\": \"master\"}");
}

static void do_build_info(Double *d, const Request *request, Answer *answer) {
    (void)request;
    text_add(&answer->body, d->build_info ? d->build_info : "{}");
}

static void do_worker_info(Double *d, const Request *request, Answer *answer) {
    if (!check_user(request, answer))
        return;
    int64_t machine = d->next_machine++;
    text_addf(&answer->body, "{\"machine_id\": %" PRId64 ", \"secret\": \"secret-%" PRId64 "\"}",
              machine, machine);
}

static Row *find_row(Double *d, int64_t test_id, int64_t machine_id) {
    for (size_t i = 0; i < d->row_count; i++)
        if (d->rows[i].test_id == test_id && d->rows[i].machine_id == machine_id)
            return &d->rows[i];
    d->rows = mem_grow(d->rows, &d->row_capacity, d->row_count + 1, sizeof *d->rows);
    d->rows[d->row_count] = (Row){.test_id = test_id, .machine_id = machine_id};
    return &d->rows[d->row_count++];
}

/* The number after a key in an offer; 0: there is none. */
static int64_t offer_number(const char *offer, const char *key, const char **at) {
    const char *found = strstr(offer, key);
    *at = found ? found + strlen(key) : NULL;
    return found ? strtoll(*at, NULL, 10) : 0;
}

/* The row of a test and machine has a result id of its own: the offer's, unless another machine had
 * that before. */
static int64_t result_of(Double *d, int64_t offered, int64_t test_id, int64_t machine_id) {
    Row *row = find_row(d, test_id, machine_id);
    for (size_t i = 0; row->result_id == 0 && i < d->row_count; i++)
        if (d->rows[i].result_id == offered)
            offered += FRESH_RESULT * machine_id;
    if (row->result_id == 0)
        row->result_id = offered;
    return row->result_id;
}

static void do_get_workload(Double *d, const Request *request, Answer *answer) {
    if (!check_machine(d, request, answer))
        return;
    if (d->again && d->offered == d->offers.count)
        d->offered = 0;
    if (d->offered == d->offers.count) {
        text_add(&answer->body, "{}");
        return;
    }
    const char *offer = d->offers.items[d->offered++];
    const char *test;
    const char *result;
    int64_t test_id = offer_number(offer, "\"test\": {\"id\": ", &test);
    int64_t offered = offer_number(offer, "\"result\": {\"id\": ", &result);
    if (!test || !result) {
        text_add(&answer->body, offer);
        return;
    }
    text_add_bytes(&answer->body, offer, (size_t)(result - offer));
    text_addf(&answer->body, "%" PRId64 "%s",
              result_of(d, offered, test_id, form_int(request, "machine_id")),
              result + strspn(result, "0123456789"));
}

static void read_numbers(const char *text, int64_t *out, size_t count) {
    char *end = (char *)text;
    for (size_t i = 0; text && i < count; i++)
        out[i] = strtoll(end, &end, 10);
}

static void add_totals(DoubleTotals *to, const DoubleTotals *more) {
    for (int i = 0; i < 3; i++)
        to->tri[i] += more->tri[i];
    for (int i = 0; i < 5; i++)
        to->penta[i] += more->penta[i];
    to->crashes += more->crashes;
    to->timelosses += more->timelosses;
    to->illegals += more->illegals;
    to->delta += more->delta;
    to->submissions += more->submissions;
}

/* Whoever sends it, a result is its machine's to whom the id was given. */
static Row *find_result(Double *d, int64_t test_id, int64_t result_id) {
    for (size_t i = 0; i < d->row_count; i++)
        if (d->rows[i].test_id == test_id && d->rows[i].result_id == result_id)
            return &d->rows[i];
    return NULL;
}

static void add_batch(Double *d, Row *row, const DoubleTotals *batch, bool row_lost) {
    add_totals(&d->totals, batch);
    add_totals(row_lost ? &row->lost : &row->totals, batch);
}

static void add_late(Double *d, const Row *row, const DoubleTotals *batch) {
    d->late = mem_grow(d->late, &d->late_capacity, d->late_count + 1, sizeof *d->late);
    d->late[d->late_count++] = (Late){row->test_id, row->machine_id, *batch};
}

/* What was late of a test takes effect: of one machine, or of all with 0. */
static void take_effect(Double *d, int64_t test_id, int64_t machine_id) {
    size_t left = 0;
    for (size_t i = 0; i < d->late_count; i++) {
        Late late = d->late[i];
        if ((test_id && late.test_id != test_id) || (machine_id && late.machine_id != machine_id))
            d->late[left++] = late;
        else
            add_batch(d, find_row(d, late.test_id, late.machine_id), &late.batch, false);
    }
    d->late_count = left;
}

static void do_submit_results(Double *d, const Request *request, Answer *answer) {
    if (!check_machine(d, request, answer))
        return;
    DoubleTotals batch = {.crashes = form_int(request, "crashes"),
                          .timelosses = form_int(request, "timelosses"),
                          .illegals = form_int(request, "illegals"),
                          .submissions = 1};
    read_numbers(form_value(request, "trinomial"), batch.tri, 3);
    read_numbers(form_value(request, "pentanomial"), batch.penta, 5);
    const char *delta = form_value(request, "spsa_delta");
    batch.delta = delta && delta[0] == '[' ? strtod(delta + 1, NULL) : 0;
    Row *row = find_result(d, form_int(request, "test_id"), form_int(request, "result_id"));
    if (!row)
        row = find_row(d, form_int(request, "test_id"), form_int(request, "machine_id"));
    take_effect(d, row->test_id, row->machine_id);
    if (answer->late)
        add_late(d, row, &batch);
    else
        add_batch(d, row, &batch, answer->row_lost);
    bool stop = d->stop_at > 0 && d->totals.submissions >= d->stop_at;
    text_add(&answer->body, stop ? "{\"stop\": true}" : "{}");
}

static void do_heartbeat(Double *d, const Request *request, Answer *answer) {
    if (!check_machine(d, request, answer))
        return;
    bool stop = d->stop_at > 0 && d->totals.submissions >= d->stop_at;
    text_add(&answer->body, stop ? "{\"stop\": true}" : "{}");
}

static void do_machine_call(Double *d, const Request *request, Answer *answer) {
    if (check_machine(d, request, answer))
        text_add(&answer->body, "{}");
}

static void do_test_results(Double *d, const Request *request, Answer *answer) {
    if (!check_user(request, answer))
        return;
    static const char prefix[] = "/api/workload/";
    int64_t test_id = strtoll(request->path + sizeof prefix - 1, NULL, 10);
    text_add(&answer->body, "{\"results\": [");
    bool first = true;
    for (size_t i = 0; i < d->row_count; i++) {
        const DoubleTotals *t = &d->rows[i].totals;
        if (d->rows[i].test_id != test_id)
            continue;
        text_addf(&answer->body,
                  "%s{\"machine__id\": %" PRId64 ", \"machine__user__username\": \"tester\", "
                  "\"games\": %" PRId64 ", \"LL\": %" PRId64 ", \"LD\": %" PRId64
                  ", \"DD\": %" PRId64 ", \"DW\": %" PRId64 ", \"WW\": %" PRId64
                  ", \"timeloss\": %" PRId64 ", \"crashes\": %" PRId64 ", \"active\": true}",
                  first ? "" : ", ", d->rows[i].machine_id, t->tri[0] + t->tri[1] + t->tri[2],
                  t->penta[0], t->penta[1], t->penta[2], t->penta[3], t->penta[4], t->timelosses,
                  t->crashes);
        first = false;
    }
    text_add(&answer->body, "]}");
    take_effect(d, test_id, 0);
}

/* The totals of a test that was not created here: what its rows have, and what they have lost. */
static DoubleTotals test_totals(const Double *d, int64_t test_id) {
    DoubleTotals sum = {0};
    for (size_t i = 0; i < d->row_count; i++) {
        if (d->rows[i].test_id != test_id)
            continue;
        add_totals(&sum, &d->rows[i].totals);
        add_totals(&sum, &d->rows[i].lost);
    }
    return sum;
}

/* ---- Creating tests ---- */

static const char SESSION_COOKIE[] = "sessionid=s1";
static const char CSRF_TOKEN[] = "token-of-the-double";

/* A redirect; what is to be said is said on the next page. */
static void send_to(Double *d, const char *page, const char *message, Answer *answer) {
    free(d->message);
    d->message = message ? mem_strdup(message) : NULL;
    answer->status = FOUND;
    answer->cookies = true;
    text_add(&answer->body, page);
}

static CreatedTest *create_test(Double *d, const char *kind, const Request *request) {
    CreatedTest test = {.kind = kind};
    for (size_t i = 0; i < request->names.count; i++) {
        words_add(&test.names, request->names.items[i]);
        words_add(&test.values, request->values.items[i]);
    }
    d->tests = mem_grow(d->tests, &d->test_capacity, d->test_count + 1, sizeof *d->tests);
    d->tests[d->test_count++] = test;
    return &d->tests[d->test_count - 1];
}

static bool has_session(const Request *request) {
    return request->cookies && strstr(request->cookies, SESSION_COOKIE);
}

/* Does the form come from a page of this server, as its cookie and its hidden field show? */
static bool has_token(const Request *request) {
    const char *token = form_value(request, "csrfmiddlewaretoken");
    return token && strcmp(token, CSRF_TOKEN) == 0 && request->cookies &&
           strstr(request->cookies, CSRF_TOKEN) && request->referer &&
           strstr(request->referer, request->path);
}

static void say_forged(Answer *answer) {
    answer->status = FORBIDDEN;
    answer->type = "text/html";
    text_add(&answer->body, "<html>CSRF verification failed</html>");
}

static bool refuse_test(Double *d, Answer *answer) {
    if (!d->refusal)
        return false;
    send_to(d, d->refusal_page, d->refusal, answer);
    free(d->refusal);
    d->refusal = NULL;
    return true;
}

static bool is_user(const Request *request) {
    Answer ignored = {0};
    bool known = check_user(request, &ignored);
    text_free(&ignored.body);
    return known;
}

static void do_scripts(Double *d, const Request *request, Answer *answer) {
    if (d->want_csrf && !has_token(request)) {
        say_forged(answer);
    } else if (!is_user(request)) {
        send_to(d, "/login/", "Only enabled users can create tests", answer);
    } else if (!refuse_test(d, answer)) {
        create_test(d, "test", request);
        send_to(d, "/index/", NULL, answer);
    }
}

/* A page: its token, what there is to say to whom has the cookie, and links to workloads in no good
 * order. */
static void do_page(Double *d, const Request *request, Answer *answer) {
    answer->type = "text/html; charset=utf-8";
    answer->cookies = true;
    text_addf(&answer->body,
              "<html><body>\n<input type=\"hidden\" name=\"csrfmiddlewaretoken\" value=\"%s\">\n",
              CSRF_TOKEN);
    if (d->message && has_session(request)) {
        text_addf(&answer->body, "<div class=\"error-message\">\n    <pre>%s</pre>\n</div>\n",
                  d->message);
        free(d->message);
        d->message = NULL;
    }
    text_add(&answer->body, "<a href=\"/test/7/\">other</a> <a href=\"/test/new/\">new</a>\n");
    for (size_t i = 0; i < d->test_count; i++)
        text_addf(&answer->body, "<a href=\"/%s/%zu/\">x</a>\n", d->tests[i].kind, FIRST_TEST + i);
    text_add(&answer->body, "<a href=\"/test/2000/\">somebody's</a></body></html>\n");
}

static bool is_post(const Request *request) {
    return strcmp(request->method, "POST") == 0;
}

static void do_login(Double *d, const Request *request, Answer *answer) {
    if (!is_post(request)) {
        do_page(d, request, answer);
    } else if (!has_token(request)) {
        say_forged(answer);
    } else {
        d->signed_in = is_user(request);
        send_to(d, d->signed_in ? "/index/" : "/login/",
                d->signed_in ? NULL : "Unable to authenticate user", answer);
    }
}

/* What the server makes of a form that names no user, no mode and no base. */
static void complete_test(CreatedTest *test, const char *mode) {
    const char *const more[][2] = {{"username", "tester"}, {"test_mode", mode}};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        words_add(&test->names, more[i][0]);
        words_add(&test->values, more[i][1]);
    }
}

static void do_form(Double *d, const char *kind, const char *mode, const Request *request,
                    Answer *answer) {
    if (!d->signed_in || !has_session(request)) {
        send_to(d, "/login/", "Only enabled users can create tests", answer);
    } else if (!is_post(request)) {
        do_page(d, request, answer);
    } else if (!has_token(request)) {
        say_forged(answer);
    } else if (!refuse_test(d, answer)) {
        complete_test(create_test(d, kind, request), mode);
        send_to(d, "/index/", NULL, answer);
    }
}

static void do_tune_form(Double *d, const Request *request, Answer *answer) {
    do_form(d, "tune", "SPSA", request, answer);
}

static void do_datagen_form(Double *d, const Request *request, Answer *answer) {
    do_form(d, "datagen", "DATAGEN", request, answer);
}

/* What is said of a test that was created here; of any other, that it is somebody's. */
static void do_test_info(Double *d, int64_t id, Answer *answer) {
    static const char *const copied[] = {
        "test_mode",    "book_name",    "info",         "win_adj",          "draw_adj",
        "syzygy_wdl",   "syzygy_adj",   "scale_method", "dev_engine",       "base_engine",
        "dev_options",  "base_options", "dev_repo",     "base_repo",        "dev_network",
        "base_network", "dev_netname",  "base_netname", "dev_time_control", "base_time_control",
    };
    static const CreatedTest other;
    bool own = id >= FIRST_TEST && id < FIRST_TEST + (int64_t)d->test_count;
    const CreatedTest *test = own ? &d->tests[id - FIRST_TEST] : &other;
    const char *author = value_of(&test->names, &test->values, "username");
    const char *dev = value_of(&test->names, &test->values, "dev_branch");
    const char *base = value_of(&test->names, &test->values, "base_branch");
    text_addf(&answer->body, "{\"info\": {\"id\": %" PRId64 ", \"author\": \"%s\"", id,
              author ? author : "somebody");
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        const char *value = value_of(&test->names, &test->values, copied[i]);
        text_addf(&answer->body, ", \"%s\": \"%s\"", copied[i], value ? value : "");
    }
    /* A test that was created here is over already. */
    DoubleTotals t = {.tri = {3, 4, 5}, .penta = {0, 1, 3, 1, 1}};
    if (!own)
        t = test_totals(d, id);
    text_addf(&answer->body,
              ", \"elolower\": 0.0, \"eloupper\": 5.0, \"alpha\": 0.05, \"beta\": 0.05"
              ", \"lowerllr\": -2.9, \"currentllr\": 0.0, \"upperllr\": 2.9"
              ", \"games\": %" PRId64 ", \"tri\": [%" PRId64 ", %" PRId64 ", %" PRId64
              "], \"penta\": [%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
              "], \"passed\": %s, \"finished\": %s",
              t.tri[0] + t.tri[1] + t.tri[2], t.tri[0], t.tri[1], t.tri[2], t.penta[0], t.penta[1],
              t.penta[2], t.penta[3], t.penta[4], own ? "true" : "false", own ? "true" : "false");
    text_addf(&answer->body,
              ", \"dev\": {\"name\": \"%s\", \"source\": \"\", \"sha\": \"\", \"bench\": 1}, "
              "\"base\": {\"name\": \"%s\", \"source\": \"\", \"sha\": \"\", \"bench\": 1}}}",
              dev ? dev : "", base ? base : "");
}

static void do_workload_api(Double *d, const Request *request, Answer *answer) {
    static const char prefix[] = "/api/workload/";
    if (strstr(request->path, "/summary/"))
        text_add(&answer->body, "{\"summary\": {}}");
    else if (!strstr(request->path, "/info/"))
        do_test_results(d, request, answer);
    else if (check_user(request, answer))
        do_test_info(d, strtoll(request->path + sizeof prefix - 1, NULL, 10), answer);
}

static const struct {
    const char *path;
    bool prefix;
    void (*act)(Double *, const Request *, Answer *);
} routes[] = {
    {"/clientVersionRef/", false, do_client_version},
    {"/clientGetBuildInfo/", false, do_build_info},
    {"/clientWorkerInfo/", false, do_worker_info},
    {"/clientGetWorkload/", false, do_get_workload},
    {"/clientSubmitNPS/", false, do_machine_call},
    {"/clientSubmitResults/", false, do_submit_results},
    {"/clientHeartbeat/", false, do_heartbeat},
    {"/clientBenchError/", false, do_machine_call},
    {"/clientSubmitError/", false, do_machine_call},
    {"/clientSubmitPGN/", false, do_machine_call},
    {"/api/workload/", true, do_workload_api},
    {"/scripts/", false, do_scripts},
    {"/index/", false, do_page},
    {"/login/", false, do_login},
    {"/tune/new/", false, do_tune_form},
    {"/datagen/new/", false, do_datagen_form},
    {"/test/new/", false, do_page},
};

static void act(Double *d, const Request *request, Answer *answer) {
    for (size_t i = 0; i < d->file_count; i++) {
        if (strcmp(d->files[i].path, request->path) == 0) {
            answer->type = d->files[i].type;
            text_add_bytes(&answer->body, d->files[i].bytes, d->files[i].length);
            return;
        }
    }
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (routes[i].prefix ? text_starts_with(request->path, routes[i].path)
                             : strcmp(request->path, routes[i].path) == 0) {
            routes[i].act(d, request, answer);
            return;
        }
    }
    answer->status = 404;
    answer->type = "text/html";
    text_add(&answer->body, "<html>Not Found</html>");
}

static Replacement *find_replacement(Double *d, const char *path) {
    for (size_t i = 0; i < d->replacement_count; i++)
        if (!d->replacements[i].used && strcmp(d->replacements[i].path, path) == 0)
            return &d->replacements[i];
    return NULL;
}

/* A number below `most`, the same ones for the same seed (xorshift*). */
static unsigned roll(Double *d, unsigned most) {
    d->random ^= d->random >> 12;
    d->random ^= d->random << 25;
    d->random ^= d->random >> 27;
    return (unsigned)(d->random * 2685821657736338717u >> 33) % most;
}

static void say_instead(Answer *answer, int status, const char *body) {
    text_clear(&answer->body);
    text_add(&answer->body, body);
    answer->status = status;
    answer->type = body[0] == '<' ? "text/html" : "application/json";
}

/* What goes wrong with the answer, whether the request took effect or not. */
static void spoil(Double *d, Answer *answer) {
    switch (roll(d, 7)) {
    case 0:
        say_instead(answer, 0, "");
        break;
    case 1:
        say_instead(answer, OK, "");
        break;
    case 2:
        say_instead(answer, OK, "<html>Maintenance</html>");
        break;
    case 3:
        say_instead(answer, 500, "<html>Server Error</html>");
        break;
    case 4:
        say_instead(answer, 502, "<html>Bad Gateway</html>");
        break;
    case 5:
        if (!answer->body.length)
            text_add(&answer->body, "{}");
        answer->cut = true;
        break;
    default:
        if (!answer->body.length)
            text_add(&answer->body, "{}");
        text_add(&answer->body, "{}");
    }
}

static void act_in_trouble(Double *d, const Request *request, Answer *answer) {
    bool results = strcmp(request->path, "/clientSubmitResults/") == 0;
    bool answers = results && roll(d, 8) == 0;
    answer->late = results && roll(d, 3) == 0;
    answer->row_lost = results && !answers && roll(d, 4) == 0;
    if (answer->late || roll(d, 2))
        act(d, request, answer);
    if (!(answer->late && answers))
        spoil(d, answer);
}

static bool is_failing(const Double *d, const Request *request) {
    return d->failing_test > 0 && strcmp(request->path, d->failing_path) == 0 &&
           form_int(request, "test_id") == d->failing_test;
}

static void decide(Double *d, const Request *request, Answer *answer) {
    if (is_failing(d, request)) {
        say_instead(answer, 500, "<html>Server Error</html>");
        return;
    }
    Replacement *replacement = find_replacement(d, request->path);
    bool question =
        text_starts_with(request->path, "/client") || text_starts_with(request->path, "/api/");
    if (!replacement && question && d->trouble && roll(d, 100) < (unsigned)d->trouble) {
        act_in_trouble(d, request, answer);
        return;
    }
    if (d->lose_row && replacement && strcmp(request->path, "/clientSubmitResults/") == 0) {
        answer->row_lost = true;
        d->lose_row = false;
    }
    if (!replacement || replacement->moment == DOUBLE_AFTERWARDS)
        act(d, request, answer);
    if (!replacement)
        return;
    replacement->used = true;
    say_instead(answer, replacement->status, replacement->body);
}

/* ---- Requests at the same time ---- */

static bool is_workers(const Request *request) {
    return text_starts_with(request->path, "/client") ||
           text_starts_with(request->path, "/api/workload/");
}

static bool is_question_for_work(const char *path) {
    return strcmp(path, "/clientGetWorkload/") == 0;
}

/* The row that the next offer is for, as this machine's question for work reads it. */
static void read_row(Double *d, Passing *p) {
    const char *at;
    size_t next = d->again && d->offered == d->offers.count ? 0 : d->offered;
    if (next >= d->offers.count || p->machine < d->first_valid_machine)
        return;
    p->test_id = offer_number(d->offers.items[next], "\"test\": {\"id\": ", &at);
    const Row *row = find_row(d, p->test_id, p->machine);
    p->writes_back = true;
    p->totals = row->totals;
    p->lost = row->lost;
}

/* The row is written back as it was read: what was added meanwhile is in the totals alone. */
static void write_row_back(Double *d, const Passing *p) {
    if (!p->writes_back)
        return;
    Row *row = find_row(d, p->test_id, p->machine);
    DoubleTotals all = row->totals;
    if (memcmp(&all, &p->totals, sizeof all) == 0)
        return;
    for (int i = 0; i < 3; i++)
        row->lost.tri[i] += all.tri[i] - p->totals.tri[i];
    for (int i = 0; i < 5; i++)
        row->lost.penta[i] += all.penta[i] - p->totals.penta[i];
    row->lost.delta += all.delta - p->totals.delta;
    row->totals = p->totals;
}

/* A request comes: whether it meets another of a worker's. */
static void begin_passing(Double *d, const Request *request, Passing *p) {
    *p = (Passing){.path = request->path};
    if (!is_workers(request))
        return;
    int64_t machine = form_int(request, "machine_id");
    p->machine = machine > 0 ? machine : 0;
    for (const Passing *other = d->passing; other; other = other->next) {
        if (!p->machine && !other->machine)
            continue;
        d->overlaps++;
        if (!d->overlapped.length)
            text_addf(&d->overlapped, "%s came while %s was under way", p->path, other->path);
        bool loses =
            is_question_for_work(other->path) && strcmp(p->path, "/clientSubmitResults/") == 0;
        p->locked = p->locked || !loses;
    }
    p->next = d->passing;
    d->passing = p;
    if (is_question_for_work(p->path))
        read_row(d, p);
}

static void end_passing(Double *d, const Passing *p) {
    Passing **link = &d->passing;
    while (*link && *link != p)
        link = &(*link)->next;
    if (*link)
        *link = p->next;
}

/* What the request does, and how long that takes. A question for work is answered at the end of its
 * time, anything else does what it does at the beginning. */
static void pass(Double *d, const Request *request, Answer *answer) {
    Passing passing;
    pthread_mutex_lock(&d->mutex);
    begin_passing(d, request, &passing);
    bool first = !is_question_for_work(request->path);
    int ms = !is_workers(request) ? 0 : first ? TAKES_MS : TAKES_MS + d->workload_ms;
    if (passing.locked)
        say_instead(answer, 500, "<html>database is locked</html>");
    else if (first)
        decide(d, request, answer);
    pthread_mutex_unlock(&d->mutex);
    nap_ms(ms);
    pthread_mutex_lock(&d->mutex);
    if (!passing.locked && !first) {
        decide(d, request, answer);
        write_row_back(d, &passing);
    }
    end_passing(d, &passing);
    if (d->dying)
        answer->status = 0;
    answer->clock_off = d->clock_off;
    d->requests =
        mem_grow(d->requests, &d->request_capacity, d->request_count + 1, sizeof *d->requests);
    d->requests[d->request_count++] = *request;
    pthread_mutex_unlock(&d->mutex);
}

/* ---- HTTP ---- */

static char *copy_header(struct MHD_Connection *connection, const char *name) {
    const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
    return value ? mem_strdup(value) : NULL;
}

/* Half an answer, and then the connection is closed. */
static ssize_t read_half(void *text, uint64_t at, char *out, size_t most) {
    const Text *body = text;
    size_t half = body->length / 2;
    if (at >= half)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    size_t size = half - (size_t)at < most ? half - (size_t)at : most;
    memcpy(out, body->data + at, size);
    return (ssize_t)size;
}

static void free_half(void *text) {
    text_free(text);
    free(text);
}

static struct MHD_Response *cut_response(Answer *answer) {
    Text *body = mem_calloc(1, sizeof *body);
    text_add(body, text_string(&answer->body));
    return MHD_create_response_from_callback(body->length, 4096, read_half, body, free_half);
}

/* Without it the library says the time itself. */
static void add_date(struct MHD_Response *response, int64_t clock_off) {
    static const char form[] = "%a, %d %b %Y %H:%M:%S GMT";
    char date[64];
    struct tm tm;
    time_t now = time(NULL) + (time_t)clock_off;
    if (!clock_off)
        return;
    strftime(date, sizeof date, form, gmtime_r(&now, &tm));
    MHD_add_response_header(response, "Date", date);
}

static enum MHD_Result respond(struct MHD_Connection *connection, Answer *answer) {
    if (answer->status == 0)
        return MHD_NO;
    struct MHD_Response *response =
        answer->cut ? cut_response(answer)
                    : MHD_create_response_from_buffer(answer->body.length,
                                                      (void *)text_string(&answer->body),
                                                      MHD_RESPMEM_MUST_COPY);
    /* For a status that redirects, the body is the address. */
    if (answer->status >= 300 && answer->status < 400)
        MHD_add_response_header(response, "Location", text_string(&answer->body));
    MHD_add_response_header(response, "Content-Type", answer->type);
    add_date(response, answer->clock_off);
    if (answer->cookies) {
        Text cookie = {0};
        text_addf(&cookie, "%s; HttpOnly; Path=/", SESSION_COOKIE);
        MHD_add_response_header(response, "Set-Cookie", text_string(&cookie));
        text_clear(&cookie);
        text_addf(&cookie, "csrftoken=%s; Path=/; SameSite=Lax", CSRF_TOKEN);
        MHD_add_response_header(response, "Set-Cookie", text_string(&cookie));
        text_free(&cookie);
    }
    enum MHD_Result result = MHD_queue_response(connection, (unsigned)answer->status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **state) {
    (void)version;
    Double *d = user;
    Arriving *arriving = *state;
    if (!arriving) {
        *state = mem_calloc(1, sizeof *arriving);
        return MHD_YES;
    }
    if (*size > 0) {
        if (arriving->body.length + *size < MAX_BODY)
            text_add_bytes(&arriving->body, data, *size);
        *size = 0;
        return MHD_YES;
    }
    Answer answer = {.status = OK, .type = "application/json"};
    Request request = {.method = mem_strdup(method),
                       .path = mem_strdup(url),
                       .authorization = copy_header(connection, "Authorization"),
                       .content_type = copy_header(connection, "Content-Type"),
                       .cookies = copy_header(connection, "Cookie"),
                       .referer = copy_header(connection, "Referer")};
    if (request.content_type && text_starts_with(request.content_type, "multipart/form-data"))
        parse_multipart(&request, &arriving->body);
    else
        parse_form(&request, &arriving->body);
    pass(d, &request, &answer);
    enum MHD_Result result = respond(connection, &answer);
    text_free(&answer.body);
    return result;
}

static void on_completed(void *user, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code) {
    (void)user;
    (void)connection;
    (void)code;
    Arriving *arriving = *state;
    if (!arriving)
        return;
    text_free(&arriving->body);
    free(arriving);
    *state = NULL;
}

/* Listens on this port, or on a free one for 0. */
static void listen_on(Double *d, uint16_t port) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(port),
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    d->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0,
                                 NULL, NULL, on_request, d, MHD_OPTION_SOCK_ADDR, &address,
                                 MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        d->daemon ? MHD_get_daemon_info(d->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!info) {
        fprintf(stderr, "the double cannot listen on 127.0.0.1, port %u (0: any)\n", port);
        abort();
    }
    d->port = info->port;
}

Double *double_start(void) {
    Double *d = mem_calloc(1, sizeof *d);
    pthread_mutex_init(&d->mutex, NULL);
    d->next_machine = 2;
    d->first_valid_machine = 2;
    listen_on(d, 0);
    snprintf(d->url, sizeof d->url, "http://127.0.0.1:%u", (unsigned)d->port);
    return d;
}

static void set_dying(Double *d, bool dying) {
    pthread_mutex_lock(&d->mutex);
    d->dying = dying;
    pthread_mutex_unlock(&d->mutex);
}

void double_go_down(Double *d, int dying_ms) {
    set_dying(d, true);
    nap_ms(dying_ms);
    MHD_stop_daemon(d->daemon);
    d->daemon = NULL;
}

void double_come_back(Double *d) {
    set_dying(d, false);
    listen_on(d, d->port);
}

void double_stop(Double *d) {
    if (d->daemon)
        MHD_stop_daemon(d->daemon);
    if (d->overlaps > 0) {
        fprintf(stderr, "%" PRId64 " requests of a worker overlapped, first: %s\n", d->overlaps,
                text_string(&d->overlapped));
        abort();
    }
    text_free(&d->overlapped);
    for (size_t i = 0; i < d->request_count; i++) {
        Request *request = &d->requests[i];
        free(request->method);
        free(request->path);
        free(request->authorization);
        free(request->content_type);
        free(request->cookies);
        free(request->referer);
        words_free(&request->names);
        words_free(&request->values);
        text_free(&request->upload);
    }
    for (size_t i = 0; i < d->replacement_count; i++) {
        free(d->replacements[i].path);
        free(d->replacements[i].body);
    }
    for (size_t i = 0; i < d->file_count; i++) {
        free(d->files[i].path);
        free(d->files[i].type);
        free(d->files[i].bytes);
    }
    for (size_t i = 0; i < d->test_count; i++) {
        words_free(&d->tests[i].names);
        words_free(&d->tests[i].values);
    }
    free(d->tests);
    free(d->refusal_page);
    free(d->refusal);
    free(d->message);
    words_free(&d->offers);
    free(d->requests);
    free(d->replacements);
    free(d->files);
    free(d->rows);
    free(d->late);
    free(d->build_info);
    pthread_mutex_destroy(&d->mutex);
    free(d);
}

/* ---- What tests say and ask ---- */

const char *double_url(const Double *d) {
    return d->url;
}

void double_set_build_info(Double *d, const char *json) {
    pthread_mutex_lock(&d->mutex);
    free(d->build_info);
    d->build_info = mem_strdup(json);
    pthread_mutex_unlock(&d->mutex);
}

void double_refuse_test(Double *d, const char *path, const char *reasons) {
    pthread_mutex_lock(&d->mutex);
    free(d->refusal_page);
    free(d->refusal);
    d->refusal_page = mem_strdup(path);
    d->refusal = mem_strdup(reasons);
    pthread_mutex_unlock(&d->mutex);
}

void double_want_csrf(Double *d) {
    pthread_mutex_lock(&d->mutex);
    d->want_csrf = true;
    pthread_mutex_unlock(&d->mutex);
}

void double_set_clock(Double *d, int64_t seconds) {
    pthread_mutex_lock(&d->mutex);
    d->clock_off = seconds;
    pthread_mutex_unlock(&d->mutex);
}

void double_offer(Double *d, const char *json) {
    pthread_mutex_lock(&d->mutex);
    words_add(&d->offers, json);
    pthread_mutex_unlock(&d->mutex);
}

void double_serve(Double *d, const char *path, const char *type, const void *bytes, size_t length) {
    pthread_mutex_lock(&d->mutex);
    d->files = mem_grow(d->files, &d->file_capacity, d->file_count + 1, sizeof *d->files);
    File file = {.path = mem_strdup(path), .type = mem_strdup(type), .length = length};
    file.bytes = mem_alloc(length + 1);
    memcpy(file.bytes, bytes, length);
    d->files[d->file_count++] = file;
    pthread_mutex_unlock(&d->mutex);
}

void double_replace(Double *d, const char *path, DoubleMoment moment, int status,
                    const char *body) {
    pthread_mutex_lock(&d->mutex);
    d->replacements = mem_grow(d->replacements, &d->replacement_capacity, d->replacement_count + 1,
                               sizeof *d->replacements);
    d->replacements[d->replacement_count++] = (Replacement){
        .path = mem_strdup(path), .moment = moment, .status = status, .body = mem_strdup(body)};
    pthread_mutex_unlock(&d->mutex);
}

void double_fail(Double *d, const char *path, int64_t test_id) {
    pthread_mutex_lock(&d->mutex);
    d->failing_path = path;
    d->failing_test = test_id;
    pthread_mutex_unlock(&d->mutex);
}

void double_forgive(Double *d, const char *path) {
    pthread_mutex_lock(&d->mutex);
    for (Replacement *left; (left = find_replacement(d, path));)
        left->used = true;
    pthread_mutex_unlock(&d->mutex);
}

void double_stop_at(Double *d, int64_t submission) {
    pthread_mutex_lock(&d->mutex);
    d->stop_at = submission;
    pthread_mutex_unlock(&d->mutex);
}

void double_offer_again(Double *d, bool again) {
    pthread_mutex_lock(&d->mutex);
    d->again = again;
    if (!again)
        d->offered = d->offers.count;
    pthread_mutex_unlock(&d->mutex);
}

void double_trouble(Double *d, uint64_t seed, int percent) {
    pthread_mutex_lock(&d->mutex);
    d->random = seed * 2 + 1;
    d->trouble = percent;
    if (percent == 0)
        take_effect(d, 0, 0);
    pthread_mutex_unlock(&d->mutex);
}

void double_forget_machines(Double *d) {
    pthread_mutex_lock(&d->mutex);
    d->first_valid_machine = d->next_machine;
    pthread_mutex_unlock(&d->mutex);
}

int64_t double_take_overlaps(Double *d) {
    pthread_mutex_lock(&d->mutex);
    int64_t overlaps = d->overlaps;
    d->overlaps = 0;
    text_clear(&d->overlapped);
    pthread_mutex_unlock(&d->mutex);
    return overlaps;
}

void double_slow_workloads(Double *d, int ms) {
    pthread_mutex_lock(&d->mutex);
    d->workload_ms = ms;
    pthread_mutex_unlock(&d->mutex);
}

void double_lose_row(Double *d) {
    pthread_mutex_lock(&d->mutex);
    d->lose_row = true;
    pthread_mutex_unlock(&d->mutex);
}

DoubleTotals double_totals(Double *d) {
    pthread_mutex_lock(&d->mutex);
    DoubleTotals totals = d->totals;
    pthread_mutex_unlock(&d->mutex);
    return totals;
}

bool double_row(Double *d, size_t index, DoubleRow *row) {
    pthread_mutex_lock(&d->mutex);
    bool there = index < d->row_count;
    if (there)
        *row = (DoubleRow){d->rows[index].test_id, d->rows[index].machine_id, d->rows[index].totals,
                           d->rows[index].lost};
    pthread_mutex_unlock(&d->mutex);
    return there;
}

size_t double_count(Double *d, const char *path) {
    size_t count = 0;
    pthread_mutex_lock(&d->mutex);
    for (size_t i = 0; i < d->request_count; i++)
        count += strcmp(d->requests[i].path, path) == 0;
    pthread_mutex_unlock(&d->mutex);
    return count;
}

bool double_wait(Double *d, const char *path, size_t count, int seconds) {
    for (int waited = 0; waited < seconds * MS_PER_SECOND; waited += POLL_MS) {
        if (double_count(d, path) >= count)
            return true;
        nap_ms(POLL_MS);
    }
    return double_count(d, path) >= count;
}

/* The index-th request of `path`; the mutex is held. */
static const Request *find_request(const Double *d, const char *path, size_t index) {
    for (size_t i = 0; i < d->request_count; i++)
        if (strcmp(d->requests[i].path, path) == 0 && index-- == 0)
            return &d->requests[i];
    return NULL;
}

static const char *find_value(const Request *request, const char *name, size_t nth) {
    if (strcmp(name, "@Authorization") == 0)
        return request->authorization;
    if (strcmp(name, "@Content-Type") == 0)
        return request->content_type;
    if (strcmp(name, "@Method") == 0)
        return request->method;
    for (size_t i = 0; i < request->names.count; i++)
        if (strcmp(request->names.items[i], name) == 0 && nth-- == 0)
            return request->values.items[i];
    return NULL;
}

char *double_field(Double *d, const char *path, size_t index, const char *name, size_t nth) {
    pthread_mutex_lock(&d->mutex);
    const Request *request = find_request(d, path, index);
    const char *value = request ? find_value(request, name, nth) : NULL;
    char *copy = value ? mem_strdup(value) : NULL;
    pthread_mutex_unlock(&d->mutex);
    return copy;
}

char *double_upload(Double *d, const char *path, size_t index, size_t *length) {
    pthread_mutex_lock(&d->mutex);
    const Request *request = find_request(d, path, index);
    char *copy = NULL;
    if (request && request->upload.length) {
        *length = request->upload.length;
        copy = mem_alloc(*length);
        memcpy(copy, request->upload.data, *length);
    }
    pthread_mutex_unlock(&d->mutex);
    return copy;
}

char *double_field_names(Double *d, const char *path, size_t index) {
    Text names = {0};
    pthread_mutex_lock(&d->mutex);
    const Request *request = find_request(d, path, index);
    for (size_t i = 0; request && i < request->names.count; i++)
        text_addf(&names, "%s,", request->names.items[i]);
    pthread_mutex_unlock(&d->mutex);
    return text_take(&names);
}
