/* SPDX-License-Identifier: MIT */
/* Simulated workers for `make bench-serve`: each registers, asks for a workload, and then reports
 * and beats on a connection of its own, as often as it is told. Prints how long the server took
 * for each kind of request. A report that gets no answer is sent again, with the same number, until
 * it gets one; at the end the server's rows must be exactly the acknowledged reports.
 *
 *   serve_load create URL USER PASSWORD SHA COUNT   COUNT tests of one commit of the repository
 *   serve_load run URL USER PASSWORD MACHINES SECONDS REPORT_MS ASK_MS
 *   serve_load get URL PATH COUNT                   one page, COUNT times
 *
 * REPORT_MS, ASK_MS: between two requests of one machine; a heartbeat stands between two reports;
 * ASK_MS 0: a machine asks once. A measurement, not a test. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/json.h"
#include "base/memory.h"
#include "openbench/http.h"
#include "openbench/sysinfo.h"

enum {
    HOST_MAX = 64,
    SECRET_MAX = 80,
    RETRY_MS = 200,
    NO_WORK_MS = 1000,
    REFUSED_MS = 1000, /* Until a refused registration is tried again. */
    CLIENT_VERSION = 49
};
static const char ENGINE[] = "Reductio";
static const char BOOK[] = "reductio.epd";

typedef enum { ASK_REGISTER, ASK_WORKLOAD, ASK_REPORT, ASK_BEAT, ASK_KINDS } AskKind;
static const char *const KIND_NAMES[ASK_KINDS] = {"clientWorkerInfo", "clientGetWorkload",
                                                  "clientSubmitResults", "clientHeartbeat"};

/* How long requests took, in milliseconds. */
typedef struct {
    double *items;
    size_t count, capacity;
} Times;

typedef struct Load Load;

/* A simulated worker. Its requests go out one at a time. */
typedef struct {
    Load *load;
    uv_tcp_t tcp;
    uv_connect_t connect;
    uv_write_t write;
    uv_timer_t timer;
    bool connected;
    bool waits;   /* A request is under way. */
    AskKind kind; /* Of that request. */
    int64_t sent_ns;
    Text request, answer;
    char secret[SECRET_MAX];
    int64_t machine, test, row;
    int64_t report_ns, beat_ns, ask_ns; /* When the next is due. */
    int64_t batch;                      /* The number of the next report. */
    int64_t games;                      /* Acknowledged by the server. */
    bool is_done;
} Worker;

struct Load {
    uv_loop_t loop;
    struct sockaddr_in address;
    char host[HOST_MAX + 16];
    const char *url, *user, *password;
    int64_t report_ms, ask_ms;
    int64_t end_ns;
    Worker *workers;
    int count, done;
    Times times[ASK_KINDS];
    int64_t errors, breaks;
    int64_t begun_ns;
};

static _Noreturn void fail(const char *text) {
    fprintf(stderr, "serve_load: %s\n", text);
    exit(EXIT_FAILURE);
}

/* ---- Times ---- */

static void add_time(Times *times, double ms) {
    MEM_ADD(times->items, times->count, times->capacity, ms);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(const char *name, Times *times, double seconds) {
    size_t n = times->count;
    if (n == 0)
        return;
    qsort(times->items, n, sizeof *times->items, by_value);
    printf("%-22s %7zu  %7.1f/s  p50 %7.2f ms  p99 %7.2f ms  max %7.2f ms\n", name, n,
           (double)n / seconds, times->items[n / 2], times->items[n - 1 - n / 100],
           times->items[n - 1]);
}

static double ms_since(int64_t from_ns) {
    return (double)(clock_now_ns() - from_ns) / (double)CLOCK_NS_PER_MS;
}

/* ---- Requests ---- */

static void compose(Worker *worker, AskKind kind, const Text *form) {
    text_clear(&worker->request);
    text_addf(&worker->request,
              "POST /%s/ HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded"
              "\r\nContent-Length: %zu\r\n\r\n%s",
              KIND_NAMES[kind], worker->load->host, form->length, text_string(form));
}

static char *system_info(int index) {
    SysinfoCompiler compiler = {.engine = ENGINE, .compiler = "gcc", .version = "12.2.0"};
    Words flags = {0};
    char name[32];
    words_add(&flags, "POPCNT");
    snprintf(name, sizeof name, "simulated-%d", index);
    Sysinfo info = {.compilers = &compiler,
                    .compiler_count = 1,
                    .cpu_flags = &flags,
                    .cpu_name = "simulated",
                    .isa_name = "x86-64",
                    .os_name = "Linux",
                    .os_ver = "6.1",
                    .worker_version = "serve_load",
                    .mac_address = "2FC00000001",
                    .logical_cores = 4,
                    .physical_cores = 4,
                    .ram_total_mb = 8192,
                    .machine_name = name,
                    .concurrency = 4,
                    .sockets = 1,
                    .cxx_compiler = "g++",
                    .client_version = CLIENT_VERSION};
    char *text = sysinfo_format(&info);
    words_free(&flags);
    return text;
}

static void add_number(Text *form, const char *name, int64_t value) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    http_form_add(form, name, text);
}

static void compose_register(Worker *worker) {
    Text form = {0};
    char *info = system_info((int)(worker - worker->load->workers));
    http_form_add(&form, "username", worker->load->user);
    http_form_add(&form, "password", worker->load->password);
    http_form_add(&form, "system_info", info);
    compose(worker, ASK_REGISTER, &form);
    free(info);
    text_free(&form);
}

/* One pair, with a number that the worker never used before. */
static void add_report(const Worker *worker, Text *form) {
    static const char *const PAIRS[] = {"1 1 0", "0 2 0", "0 1 1"};
    static const char *const PENTA[] = {"0 1 0 0 0", "0 0 1 0 0", "0 0 0 1 0"};
    size_t k = (size_t)worker->batch % COUNT(PAIRS);
    add_number(form, "result_id", worker->row);
    http_form_add(form, "trinomial", PAIRS[k]);
    http_form_add(form, "pentanomial", PENTA[k]);
    http_form_add(form, "crashes", "0");
    http_form_add(form, "timelosses", "0");
    http_form_add(form, "illegals", "0");
    http_form_add(form, "spsa_delta", "");
    add_number(form, "batch", worker->batch);
}

static void compose_of_machine(Worker *worker, AskKind kind) {
    Text form = {0};
    add_number(&form, "machine_id", worker->machine);
    http_form_add(&form, "secret", worker->secret);
    if (kind != ASK_WORKLOAD)
        add_number(&form, "test_id", worker->test);
    if (kind == ASK_REPORT)
        add_report(worker, &form);
    compose(worker, kind, &form);
    text_free(&form);
}

/* ---- The way of a request ---- */

static void take_answer(Worker *worker, const char *body, size_t length);
static void go_on(Worker *worker);
static void send_request(Worker *worker);

static void on_retry(uv_timer_t *timer) {
    send_request(timer->data);
}

static void on_closed(uv_handle_t *handle) {
    Worker *worker = handle->data;
    worker->connected = false;
    if (worker->waits)
        uv_timer_start(&worker->timer, on_retry, RETRY_MS, 0);
    else
        go_on(worker);
}

/* The connection is gone. A request without an answer is sent again. */
static void drop(Worker *worker) {
    worker->load->breaks += worker->waits;
    uv_timer_stop(&worker->timer);
    if (!uv_is_closing((uv_handle_t *)&worker->tcp))
        uv_close((uv_handle_t *)&worker->tcp, on_closed);
}

static void on_space(uv_handle_t *handle, size_t size, uv_buf_t *buffer) {
    Worker *worker = handle->data;
    text_reserve(&worker->answer, size);
    *buffer = uv_buf_init(worker->answer.data + worker->answer.length, (unsigned)size);
}

/* The length of the body by the header; -1: the header names none. */
static long body_length(const char *header) {
    const char *at = strcasestr(header, "\r\ncontent-length:");
    return at ? strtol(at + strlen("\r\ncontent-length:"), NULL, 10) : -1;
}

/* Takes the answer when all of it is here. at_end: the server closed the connection. */
static void look_at_answer(Worker *worker, bool at_end) {
    Text *answer = &worker->answer;
    char *end = answer->length ? strstr(text_string(answer), "\r\n\r\n") : NULL;
    if (!end)
        return;
    size_t header = (size_t)(end - answer->data) + strlen("\r\n\r\n");
    long length = body_length(answer->data);
    if (length < 0 ? !at_end : answer->length < header + (size_t)length)
        return;
    worker->waits = false;
    add_time(&worker->load->times[worker->kind], ms_since(worker->sent_ns));
    take_answer(worker, answer->data + header, answer->length - header);
    text_clear(answer);
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer) {
    (void)buffer;
    Worker *worker = stream->data;
    if (length > 0) {
        worker->answer.length += (size_t)length;
        worker->answer.data[worker->answer.length] = '\0';
    }
    bool waited = worker->waits;
    if (waited)
        look_at_answer(worker, length < 0);
    if (length < 0)
        drop(worker);
    else if (waited && !worker->waits)
        go_on(worker);
}

static void on_written(uv_write_t *write, int status) {
    Worker *worker = write->data;
    if (status != 0 && status != UV_ECANCELED)
        drop(worker);
}

static void write_request(Worker *worker) {
    uv_buf_t buffer = uv_buf_init(worker->request.data, (unsigned)worker->request.length);
    text_clear(&worker->answer);
    worker->write.data = worker;
    if (uv_write(&worker->write, (uv_stream_t *)&worker->tcp, &buffer, 1, on_written) != 0)
        drop(worker);
}

static void on_connected(uv_connect_t *connect, int status) {
    Worker *worker = connect->data;
    if (status == UV_ECANCELED)
        return;
    if (status != 0) {
        drop(worker);
        return;
    }
    worker->connected = true;
    uv_read_start((uv_stream_t *)&worker->tcp, on_space, on_read);
    write_request(worker);
}

/* Sends worker->request, on a new connection when there is none. */
static void send_request(Worker *worker) {
    if (!worker->waits)
        worker->sent_ns = clock_now_ns();
    worker->waits = true;
    if (worker->connected) {
        write_request(worker);
        return;
    }
    uv_tcp_init(&worker->load->loop, &worker->tcp);
    uv_tcp_nodelay(&worker->tcp, 1);
    worker->tcp.data = worker;
    worker->connect.data = worker;
    if (uv_tcp_connect(&worker->connect, &worker->tcp,
                       (const struct sockaddr *)&worker->load->address, on_connected) != 0)
        drop(worker);
}

/* ---- A worker's life ---- */

static int64_t number_of(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? (int64_t)item->valuedouble : 0;
}

static bool take_workload(Worker *worker, const cJSON *json) {
    const cJSON *workload = cJSON_GetObjectItemCaseSensitive(json, "workload");
    if (!workload)
        return false;
    worker->test = number_of(cJSON_GetObjectItemCaseSensitive(workload, "test"), "id");
    worker->row = number_of(cJSON_GetObjectItemCaseSensitive(workload, "result"), "id");
    return true;
}

static void take_answer(Worker *worker, const char *body, size_t length) {
    Load *load = worker->load;
    cJSON *json = json_parse(body, length, NULL);
    const cJSON *secret = cJSON_GetObjectItemCaseSensitive(json, "secret");
    bool ok = json && !cJSON_GetObjectItemCaseSensitive(json, "error");
    if (ok && worker->kind == ASK_REGISTER) {
        worker->machine = number_of(json, "machine_id");
        worker->ask_ns = 0;
        snprintf(worker->secret, sizeof worker->secret, "%s",
                 cJSON_IsString(secret) ? secret->valuestring : "");
    } else if (ok && worker->kind == ASK_WORKLOAD) {
        ok = take_workload(worker, json);
    } else if (ok && worker->kind == ASK_REPORT) {
        ok = !cJSON_GetObjectItemCaseSensitive(json, "stop");
        worker->games += ok ? 2 : 0;
        worker->batch++;
    }
    if (!ok && load->errors++ == 0)
        fprintf(stderr, "serve_load: %s: %.200s\n", KIND_NAMES[worker->kind], body);
    cJSON_Delete(json);
}

static void finish(Worker *worker) {
    if (worker->is_done)
        return;
    worker->is_done = true;
    if (++worker->load->done == worker->load->count)
        uv_stop(&worker->load->loop);
}

static void ask(Worker *worker, AskKind kind) {
    worker->kind = kind;
    if (kind == ASK_REGISTER)
        compose_register(worker);
    else
        compose_of_machine(worker, kind);
    send_request(worker);
}

static void on_due(uv_timer_t *timer) {
    go_on(timer->data);
}

/* Sends what is due, or waits for it. */
static void go_on(Worker *worker) {
    Load *load = worker->load;
    int64_t now = clock_now_ns();
    int64_t period = load->report_ms * CLOCK_NS_PER_MS;
    if (worker->waits || uv_is_active((uv_handle_t *)&worker->timer))
        return;
    if (now >= load->end_ns) {
        finish(worker);
    } else if (worker->machine == 0 && now >= worker->ask_ns) {
        worker->ask_ns = now + REFUSED_MS * CLOCK_NS_PER_MS; /* Unless the server takes it. */
        ask(worker, ASK_REGISTER);
    } else if (worker->machine == 0) {
        uv_timer_start(&worker->timer, on_due, REFUSED_MS, 0);
    } else if ((worker->test == 0 || load->ask_ms) && now >= worker->ask_ns) {
        int64_t pause = worker->test == 0 ? NO_WORK_MS : load->ask_ms;
        worker->ask_ns = now + pause * CLOCK_NS_PER_MS;
        ask(worker, ASK_WORKLOAD);
    } else if (worker->test == 0) {
        uv_timer_start(&worker->timer, on_due, NO_WORK_MS, 0);
    } else if (now >= worker->report_ns) {
        worker->report_ns += period;
        worker->beat_ns = worker->report_ns - period / 2;
        ask(worker, ASK_REPORT);
    } else if (worker->beat_ns && now >= worker->beat_ns) {
        worker->beat_ns = 0;
        ask(worker, ASK_BEAT);
    } else {
        int64_t due = worker->beat_ns ? worker->beat_ns : worker->report_ns;
        if (load->ask_ms && worker->ask_ns < due)
            due = worker->ask_ns;
        if (load->end_ns < due)
            due = load->end_ns;
        uv_timer_start(&worker->timer, on_due, (uint64_t)((due - now) / CLOCK_NS_PER_MS) + 1, 0);
    }
}

/* Workers begin spread over a period, so that their requests do not come all at once. */
static void start_worker(Load *load, int index) {
    Worker *worker = &load->workers[index];
    int64_t offset_ms = load->report_ms * index / load->count;
    worker->load = load;
    worker->report_ns = load->begun_ns + (load->report_ms + offset_ms) * CLOCK_NS_PER_MS;
    worker->batch = 1;
    uv_timer_init(&load->loop, &worker->timer);
    worker->timer.data = worker;
    uv_timer_start(&worker->timer, on_due, (uint64_t)offset_ms, 0);
}

/* ---- The server's rows ---- */

static cJSON *ask_rows(const Load *load, int64_t test) {
    Text url = {0};
    Text form = {0};
    HttpResponse response;
    text_addf(&url, "%s/api/workload/%" PRId64 "/results/", load->url, test);
    http_form_add(&form, "username", load->user);
    http_form_add(&form, "password", load->password);
    HttpRequest request = {.url = text_take(&url), .form = text_take(&form)};
    http_perform(&request, NULL, &response);
    cJSON *json = json_parse(text_string(&response.body), response.body.length, NULL);
    http_response_free(&response);
    http_request_free(&request);
    return json;
}

/* Prints how many games the rows have beyond the acknowledged ones, or too few. */
static bool check_rows(const Load *load) {
    int64_t acknowledged = 0;
    int64_t lost = 0;
    int64_t doubled = 0;
    cJSON *json = NULL;
    for (int i = 0; i < load->count; i++) {
        const Worker *worker = &load->workers[i];
        int64_t there = 0;
        const cJSON *row;
        if (worker->test && !json)
            json = ask_rows(load, worker->test);
        cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(json, "results")) {
            if (number_of(row, "machine__id") == worker->machine)
                there = number_of(row, "games");
        }
        acknowledged += worker->games;
        lost += there < worker->games ? worker->games - there : 0;
        doubled += there > worker->games ? there - worker->games : 0;
    }
    cJSON_Delete(json);
    printf("games acknowledged %" PRId64 ", lost %" PRId64 ", counted twice %" PRId64 "\n",
           acknowledged, lost, doubled);
    return lost == 0 && doubled == 0;
}

/* ---- The commands ---- */

static void set_address(Load *load, const char *url) {
    char name[HOST_MAX];
    int port = 0;
    load->url = url;
    if (sscanf(url, "http://%63[^:/]:%d", name, &port) != 2 ||
        uv_ip4_addr(name, port, &load->address) != 0)
        fail("URL is http://ADDRESS:PORT, without a slash at its end");
    snprintf(load->host, sizeof load->host, "%s:%d", name, port);
}

static int run(char **words) {
    static Load load;
    set_address(&load, words[0]);
    load.user = words[1];
    load.password = words[2];
    load.count = atoi(words[3]);
    int64_t seconds = atoi(words[4]);
    load.report_ms = atoi(words[5]);
    load.ask_ms = atoi(words[6]);
    if (load.count < 1 || seconds < 1 || load.report_ms < 1)
        fail("MACHINES, SECONDS and REPORT_MS are above 0");
    load.workers = mem_calloc((size_t)load.count, sizeof *load.workers);
    uv_loop_init(&load.loop);
    load.begun_ns = clock_now_ns();
    load.end_ns = load.begun_ns + seconds * 1000 * CLOCK_NS_PER_MS;
    for (int i = 0; i < load.count; i++)
        start_worker(&load, i);
    uv_run(&load.loop, UV_RUN_DEFAULT);
    double took = ms_since(load.begun_ns) / 1000;
    for (int kind = 0; kind < ASK_KINDS; kind++)
        print_times(KIND_NAMES[kind], &load.times[kind], took);
    printf("errors %" PRId64 ", requests sent again %" PRId64 "\n", load.errors, load.breaks);
    bool sound = check_rows(&load);
    return sound && load.errors == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static bool create_test(const char *url, char **words, int index) {
    const struct {
        const char *name, *value;
    } fields[] = {{"dev_engine", ENGINE},
                  {"dev_repo", "reductio"},
                  {"dev_branch", words[2]},
                  {"dev_bench", "1"},
                  {"dev_network", ""},
                  {"dev_options", "Threads=1 Hash=8"},
                  {"dev_time_control", "N=100"},
                  {"base_engine", ENGINE},
                  {"base_repo", "reductio"},
                  {"base_branch", words[2]},
                  {"base_bench", "1"},
                  {"base_network", ""},
                  {"base_options", "Threads=1 Hash=8"},
                  {"base_time_control", "N=100"},
                  {"test_mode", "GAMES"},
                  {"test_bounds", ""},
                  {"test_confidence", ""},
                  {"test_max_games", "100000000"},
                  {"book_name", BOOK},
                  {"upload_pgns", "FALSE"},
                  {"throughput", "1000"},
                  {"workload_size", "8"},
                  {"syzygy_wdl", "OPTIONAL"},
                  {"syzygy_adj", "OPTIONAL"},
                  {"win_adj", "None"},
                  {"draw_adj", "None"},
                  {"scale_method", "BASE"},
                  {"scale_nps", "1000000"},
                  {"info", "A simulated test"},
                  {"username", words[0]},
                  {"password", words[1]},
                  {"action", "CREATE_TEST"}};
    Text form = {0};
    for (size_t i = 0; i < COUNT(fields); i++)
        http_form_add(&form, fields[i].name, fields[i].value);
    /* The first test goes before the others, so that all workers get it. */
    http_form_add(&form, "priority", index == 0 ? "1" : "0");
    Text address = {0};
    text_addf(&address, "%s/scripts/", url);
    HttpRequest request = {.url = text_take(&address), .form = text_take(&form), .page = true};
    HttpResponse response;
    http_perform(&request, NULL, &response);
    bool ok = response.outcome == HTTP_DONE && response.url && strstr(response.url, "/index/");
    if (!ok)
        fprintf(stderr, "serve_load: test %d: status %d, %s\n%s\n", index + 1, response.status,
                response.url ? response.url : response.error.text, text_string(&response.body));
    http_response_free(&response);
    http_request_free(&request);
    return ok;
}

static int create(char **words) {
    for (int i = 0; i < atoi(words[4]); i++)
        if (!create_test(words[0], words + 1, i))
            return EXIT_FAILURE;
    return EXIT_SUCCESS;
}

static int get(char **words) {
    Times times = {0};
    size_t bytes = 0;
    int64_t begun = clock_now_ns();
    for (int i = 0; i < atoi(words[2]); i++) {
        Text url = {0};
        HttpResponse response;
        text_addf(&url, "%s%s", words[0], words[1]);
        HttpRequest request = {.url = text_take(&url)};
        int64_t sent = clock_now_ns();
        http_perform(&request, NULL, &response);
        if (response.outcome != HTTP_DONE || response.status != HTTP_OK)
            fail("the page cannot be had");
        add_time(&times, ms_since(sent));
        bytes = response.body.length;
        http_response_free(&response);
        http_request_free(&request);
    }
    print_times(words[1], &times, ms_since(begun) / 1000);
    printf("%zu bytes\n", bytes);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int words;
        int (*run)(char **words);
    } COMMANDS[] = {{"create", 5, create}, {"run", 7, run}, {"get", 3, get}};
    Error err = {0};
    if (!http_init(&err))
        fail(err.text);
    for (size_t i = 0; argc > 1 && i < COUNT(COMMANDS); i++)
        if (strcmp(argv[1], COMMANDS[i].name) == 0 && argc - 2 == COMMANDS[i].words)
            return COMMANDS[i].run(argv + 2);
    fail("see the head of tests/bench/serve_load.c for its commands");
}
