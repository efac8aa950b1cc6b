/* SPDX-License-Identifier: MIT */
#include "tools/openbench_double_parts.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

enum { TAKES_MS = 2 /* Any request of a worker's. */ };

static const struct {
    const char *path;
    bool prefix;
    void (*act)(Double *, const Request *, Answer *);
} routes[] = {
    {"/clientVersionRef/", false, double_do_client_version},
    {"/clientGetBuildInfo/", false, double_do_build_info},
    {"/clientWorkerInfo/", false, double_do_worker_info},
    {"/clientGetWorkload/", false, double_do_get_workload},
    {"/clientSubmitNPS/", false, double_do_machine_call},
    {"/clientSubmitResults/", false, double_do_submit_results},
    {"/clientHeartbeat/", false, double_do_heartbeat},
    {"/clientBenchError/", false, double_do_machine_call},
    {"/clientSubmitError/", false, double_do_machine_call},
    {"/clientSubmitPGN/", false, double_do_machine_call},
    {"/api/workload/", true, double_do_workload_api},
    {"/scripts/", false, double_do_scripts},
    {"/index/", false, double_do_page},
    {"/login/", false, double_do_login},
    {"/tune/new/", false, double_do_tune_form},
    {"/datagen/new/", false, double_do_datagen_form},
    {"/test/new/", false, double_do_page},
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

/* ---- Faults ---- */

Replacement *double_find_replacement(Double *d, const char *path) {
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

void double_say_instead(Answer *answer, int status, const char *body) {
    text_clear(&answer->body);
    text_add(&answer->body, body);
    answer->status = status;
    answer->type = body[0] == '<' ? "text/html" : "application/json";
}

/* What goes wrong with the answer, whether the request took effect or not. */
static void spoil(Double *d, Answer *answer) {
    switch (roll(d, 7)) {
    case 0:
        double_say_instead(answer, 0, "");
        break;
    case 1:
        double_say_instead(answer, DOUBLE_OK, "");
        break;
    case 2:
        double_say_instead(answer, DOUBLE_OK, "<html>Maintenance</html>");
        break;
    case 3:
        double_say_instead(answer, 500, "<html>Server Error</html>");
        break;
    case 4:
        double_say_instead(answer, 502, "<html>Bad Gateway</html>");
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
           double_form_int(request, "test_id") == d->failing_test;
}

static void double_decide(Double *d, const Request *request, Answer *answer) {
    if (is_failing(d, request)) {
        double_say_instead(answer, 500, "<html>Server Error</html>");
        return;
    }
    Replacement *replacement = double_find_replacement(d, request->path);
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
    double_say_instead(answer, replacement->status, replacement->body);
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
    if (next >= d->offers.count || p->machine < DOUBLE_FIRST_MACHINE)
        return;
    p->test_id = double_offer_number(d->offers.items[next], "\"test\": {\"id\": ", &at);
    const Row *row = double_find_row(d, p->test_id, p->machine);
    p->writes_back = true;
    p->totals = row->totals;
    p->lost = row->lost;
}

/* The row is written back as it was read: what was added meanwhile is in the totals alone. */
static void write_row_back(Double *d, const Passing *p) {
    if (!p->writes_back)
        return;
    Row *row = double_find_row(d, p->test_id, p->machine);
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
    int64_t machine = double_form_int(request, "machine_id");
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

/* Lets other requests pass for a moment. The mutex is locked before and after. */
static void nap_unlocked(Double *d) {
    enum { NAP_MS = 5 };
    pthread_mutex_unlock(&d->mutex);
    double_nap_ms(NAP_MS);
    pthread_mutex_lock(&d->mutex);
}

static bool is_held(const Double *d, const char *path) {
    return d->held_path && strcmp(path, d->held_path) == 0;
}

static bool is_asked(const Double *d) {
    for (const Passing *p = d->passing; p; p = p->next)
        if (p->held)
            return true;
    return false;
}

static void wait_while_held(Double *d, Passing *p) {
    while ((p->held = is_held(d, p->path)))
        nap_unlocked(d);
}

bool double_wait_asked(Double *d, int seconds) {
    int64_t began = clock_now_ns();
    pthread_mutex_lock(&d->mutex);
    while (!is_asked(d) && clock_elapsed_ms(began, clock_now_ns()) < seconds * CLOCK_MS_PER_SECOND)
        nap_unlocked(d);
    bool asked = is_asked(d);
    pthread_mutex_unlock(&d->mutex);
    return asked;
}

/* What the request does, and how long that takes. A question for work is answered at the end of its
 * time, anything else does what it does at the beginning. */
void double_pass(Double *d, const Request *request, Answer *answer) {
    Passing passing;
    pthread_mutex_lock(&d->mutex);
    begin_passing(d, request, &passing);
    bool first = !is_question_for_work(request->path);
    int ms = is_workers(request) ? TAKES_MS : 0;
    if (first)
        wait_while_held(d, &passing);
    if (passing.locked)
        double_say_instead(answer, 500, "<html>database is locked</html>");
    else if (first)
        double_decide(d, request, answer);
    pthread_mutex_unlock(&d->mutex);
    double_nap_ms(ms);
    pthread_mutex_lock(&d->mutex);
    if (!first)
        wait_while_held(d, &passing);
    if (!passing.locked && !first) {
        double_decide(d, request, answer);
        write_row_back(d, &passing);
    }
    end_passing(d, &passing);
    if (d->dying)
        answer->status = 0;
    answer->clock_off = d->clock_off;
    MEM_ADD(d->requests, d->request_count, d->request_capacity, *request);
    pthread_mutex_unlock(&d->mutex);
}
