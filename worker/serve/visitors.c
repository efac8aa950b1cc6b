/* SPDX-License-Identifier: MIT */
#include "serve/visitors.h"

#include <arpa/inet.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

/* An address stands in one of the WAYS slots of its row. */
enum { ROWS = 1024, WAYS = 4 };

typedef struct {
    char address[VISITORS_NAME_MAX]; /* "": a free slot. */
    double tokens;                   /* Requests that are allowed at once, at `last_ns`. */
    int64_t last_ns;
    int64_t connections;
} Visitor;

struct Visitors {
    double rate, burst;
    int64_t connections;
    pthread_mutex_t mutex;
    Visitor slots[ROWS][WAYS];
};

Visitors *visitors_new(double rate, double burst, int64_t connections) {
    Visitors *visitors = mem_calloc(1, sizeof *visitors);
    visitors->rate = rate;
    visitors->burst = burst;
    visitors->connections = connections;
    pthread_mutex_init(&visitors->mutex, NULL);
    return visitors;
}

void visitors_free(Visitors *visitors) {
    if (!visitors)
        return;
    pthread_mutex_destroy(&visitors->mutex);
    free(visitors);
}

/* FNV-1a, 32 bits. */
static uint32_t hash(const char *text) {
    uint32_t value = 2166136261u;
    for (; *text != '\0'; text++)
        value = (value ^ (unsigned char)*text) * 16777619u;
    return value;
}

/* Is slot a better place for a new address than slot b? Slots with connections are kept. */
static bool is_staler(const Visitor *a, const Visitor *b) {
    if ((a->connections > 0) != (b->connections > 0))
        return a->connections == 0;
    return a->last_ns < b->last_ns;
}

void visitors_name(const char *address, char out[VISITORS_NAME_MAX]) {
    struct in6_addr bytes;
    if (inet_pton(AF_INET6, address, &bytes) == 1) {
        memset(bytes.s6_addr + sizeof bytes.s6_addr / 2, 0, sizeof bytes.s6_addr / 2);
        inet_ntop(AF_INET6, &bytes, out, VISITORS_NAME_MAX);
    } else
        snprintf(out, VISITORS_NAME_MAX, "%s", address);
}

/* The slot of the address's group, which is made when the table has none. */
static Visitor *find(Visitors *visitors, const char *text) {
    char address[VISITORS_NAME_MAX];
    visitors_name(text, address);
    Visitor *row = visitors->slots[hash(address) % ROWS];
    Visitor *stalest = &row[0];
    for (int way = 0; way < WAYS; way++) {
        if (strcmp(row[way].address, address) == 0)
            return &row[way];
        if (is_staler(&row[way], stalest))
            stalest = &row[way];
    }
    *stalest = (Visitor){.tokens = visitors->burst};
    snprintf(stalest->address, sizeof stalest->address, "%s", address);
    return stalest;
}

/* The address's slot, with the requests that the time since its last look allows. Under the
 * mutex. */
static Visitor *refill(Visitors *visitors, const char *address, int64_t now_ns) {
    Visitor *visitor = find(visitors, address);
    double passed = (double)(now_ns - visitor->last_ns) / (double)CLOCK_NS_PER_SECOND;
    if (visitor->last_ns != 0 && passed > 0)
        visitor->tokens = fmin(visitors->burst, visitor->tokens + passed * visitors->rate);
    visitor->last_ns = now_ns;
    return visitor;
}

bool visitors_request(Visitors *visitors, const char *address, int64_t now_ns) {
    pthread_mutex_lock(&visitors->mutex);
    Visitor *visitor = refill(visitors, address, now_ns);
    bool allowed = visitor->tokens >= 1;
    if (allowed)
        visitor->tokens -= 1;
    pthread_mutex_unlock(&visitors->mutex);
    return allowed;
}

bool visitors_has_room(Visitors *visitors, const char *address, int64_t now_ns) {
    pthread_mutex_lock(&visitors->mutex);
    bool allowed = refill(visitors, address, now_ns)->tokens >= 1;
    pthread_mutex_unlock(&visitors->mutex);
    return allowed;
}

bool visitors_may_connect(Visitors *visitors, const char *address) {
    pthread_mutex_lock(&visitors->mutex);
    bool allowed = find(visitors, address)->connections < visitors->connections;
    pthread_mutex_unlock(&visitors->mutex);
    return allowed;
}

void visitors_opened(Visitors *visitors, const char *address) {
    pthread_mutex_lock(&visitors->mutex);
    find(visitors, address)->connections++;
    pthread_mutex_unlock(&visitors->mutex);
}

void visitors_closed(Visitors *visitors, const char *address) {
    pthread_mutex_lock(&visitors->mutex);
    Visitor *visitor = find(visitors, address);
    if (visitor->connections > 0)
        visitor->connections--;
    pthread_mutex_unlock(&visitors->mutex);
}
