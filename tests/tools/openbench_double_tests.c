/* SPDX-License-Identifier: MIT */
#include "tools/openbench_double_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

enum { POLL_MS = 10 };

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

void double_keep_running(Double *d, int64_t id) {
    pthread_mutex_lock(&d->mutex);
    d->running_test = id;
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
    File file = {.path = mem_strdup(path), .type = mem_strdup(type), .length = length};
    file.bytes = mem_alloc(length + 1);
    memcpy(file.bytes, bytes, length);
    MEM_ADD(d->files, d->file_count, d->file_capacity, file);
    pthread_mutex_unlock(&d->mutex);
}

void double_replace(Double *d, const char *path, DoubleMoment moment, int status,
                    const char *body) {
    pthread_mutex_lock(&d->mutex);
    MEM_ADD(d->replacements, d->replacement_count, d->replacement_capacity,
            (Replacement){.path = mem_strdup(path),
                          .moment = moment,
                          .status = status,
                          .body = mem_strdup(body)});
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
    for (Replacement *left; (left = double_find_replacement(d, path));)
        left->used = true;
    pthread_mutex_unlock(&d->mutex);
}

void double_know_batches(Double *d) {
    pthread_mutex_lock(&d->mutex);
    d->knows_batches = true;
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
        double_take_effect(d, 0, 0);
    pthread_mutex_unlock(&d->mutex);
}

void double_hold(Double *d, const char *path) {
    pthread_mutex_lock(&d->mutex);
    d->held_path = path;
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
    for (int waited = 0; waited < seconds * CLOCK_MS_PER_SECOND; waited += POLL_MS) {
        if (double_count(d, path) >= count)
            return true;
        double_nap_ms(POLL_MS);
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
