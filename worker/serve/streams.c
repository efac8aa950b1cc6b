/* SPDX-License-Identifier: MIT */
#include "serve/streams.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/clock.h"
#include "base/loop.h"
#include "base/memory.h"

enum { BLOCK = 4096, BEAT_S = 15, WAKES_APART_MS = 500 };

/* One connection. */
typedef struct Live {
    Streams *streams;
    struct MHD_Connection *connection;
    char *client; /* NULL: no limit holds for it. */
    WebStream stream;
    Text waiting;     /* Read and not yet sent. */
    int64_t spoke_ns; /* When bytes were sent last. */
    bool at_rest;     /* Suspended until the next wake. */
    struct Live *next;
} Live;

struct Streams {
    size_t limit, client_limit, count;
    uv_mutex_t mutex; /* Of everything here. */
    uv_cond_t news;   /* For the beat: `over` or `asked` has become true. */
    uv_thread_t beat;
    bool over;
    bool asked;      /* A wake was asked for and has to wait for WAKES_APART_MS. */
    int64_t woke_ns; /* When the streams were woken last. */
    uint64_t wakes;  /* Counted, so that no wake is missed between a read and the rest. */
    Live *first;
};

/* Under the mutex. */
static void wake(Streams *streams) {
    streams->wakes++;
    streams->asked = false;
    streams->woke_ns = clock_now_ns();
    for (Live *live = streams->first; live; live = live->next)
        if (live->at_rest) {
            live->at_rest = false;
            MHD_resume_connection(live->connection);
        }
}

/* The milliseconds until the next wake is due; 0 or less: now. Under the mutex. */
static int64_t until_wake(const Streams *streams) {
    int64_t apart_ms = streams->asked ? WAKES_APART_MS : BEAT_S * CLOCK_MS_PER_SECOND;
    return apart_ms - clock_elapsed_ms(streams->woke_ns, clock_now_ns());
}

/* Wakes the streams when that was asked for, and now and then: a connection whose client has gone
 * is noticed by writing. libuv's waits go by a clock that nobody sets. */
static void beat(void *user) {
    Streams *streams = user;
    uv_mutex_lock(&streams->mutex);
    while (!streams->over) {
        int64_t ms = until_wake(streams);
        if (ms > 0)
            uv_cond_timedwait(&streams->news, &streams->mutex, (uint64_t)ms * CLOCK_NS_PER_MS);
        else
            wake(streams);
    }
    uv_mutex_unlock(&streams->mutex);
}

Streams *streams_new(size_t limit, size_t client_limit, Error *err) {
    Streams *streams = mem_calloc(1, sizeof *streams);
    streams->limit = limit;
    streams->client_limit = client_limit;
    /* These are refused for want of memory alone. */
    if (uv_mutex_init(&streams->mutex) != 0 || uv_cond_init(&streams->news) != 0)
        mem_exhausted(sizeof *streams);
    if (loop_start_thread(&streams->beat, beat, streams, err))
        return streams;
    streams_free(streams);
    return NULL;
}

void streams_wake(Streams *streams) {
    uv_mutex_lock(&streams->mutex);
    if (!streams->asked) {
        streams->asked = true;
        uv_cond_signal(&streams->news);
    }
    uv_mutex_unlock(&streams->mutex);
}

void streams_end(Streams *streams) {
    uv_mutex_lock(&streams->mutex);
    streams->over = true;
    wake(streams);
    uv_cond_signal(&streams->news);
    uv_mutex_unlock(&streams->mutex);
    uv_thread_join(&streams->beat);
}

void streams_free(Streams *streams) {
    if (!streams)
        return;
    uv_cond_destroy(&streams->news);
    uv_mutex_destroy(&streams->mutex);
    free(streams);
}

/* Puts the connection to rest unless there was a wake since the count `seen`. */
static bool rest(Live *live, uint64_t seen) {
    Streams *streams = live->streams;
    uv_mutex_lock(&streams->mutex);
    bool resting = !streams->over && streams->wakes == seen;
    if (resting) {
        live->at_rest = true;
        MHD_suspend_connection(live->connection);
    }
    uv_mutex_unlock(&streams->mutex);
    return resting;
}

/* Reads the stream until there is something to send, its end, or a rest. False at the end. */
static bool fill(Live *live) {
    Streams *streams = live->streams;
    for (;;) {
        uv_mutex_lock(&streams->mutex);
        uint64_t seen = streams->wakes;
        bool over = streams->over;
        uv_mutex_unlock(&streams->mutex);
        bool more = !over && live->stream.read(live->stream.user, &live->waiting);
        int64_t silent_ms = clock_elapsed_ms(live->spoke_ns, clock_now_ns());
        if (more && live->waiting.length == 0 && silent_ms >= BEAT_S * CLOCK_MS_PER_SECOND)
            text_add(&live->waiting, ":\n\n"); /* A comment, which readers pass over. */
        if (live->waiting.length > 0 || !more)
            return live->waiting.length > 0;
        if (rest(live, seen))
            return true;
    }
}

static ssize_t send_more(void *user, uint64_t position, char *buffer, size_t room) {
    (void)position;
    Live *live = user;
    if (live->waiting.length == 0 && !fill(live))
        return MHD_CONTENT_READER_END_OF_STREAM;
    size_t length = live->waiting.length < room ? live->waiting.length : room;
    if (length == 0)
        return 0; /* At rest. */
    memcpy(buffer, live->waiting.data, length);
    text_drop(&live->waiting, length);
    live->spoke_ns = clock_now_ns();
    return (ssize_t)length;
}

static void forget(void *user) {
    Live *live = user;
    Streams *streams = live->streams;
    uv_mutex_lock(&streams->mutex);
    for (Live **at = &streams->first; *at; at = &(*at)->next)
        if (*at == live) {
            *at = live->next;
            break;
        }
    streams->count--;
    uv_mutex_unlock(&streams->mutex);
    if (live->stream.free)
        live->stream.free(live->stream.user);
    text_free(&live->waiting);
    free(live->client);
    free(live);
}

/* Is there room for one more stream of the client's? Under the mutex. */
static bool has_room(const Streams *streams, const char *client) {
    size_t of_client = 0;
    for (const Live *live = streams->first; client && live; live = live->next)
        of_client += live->client && strcmp(live->client, client) == 0;
    return !streams->over && streams->count < streams->limit && of_client < streams->client_limit;
}

struct MHD_Response *streams_response(Streams *streams, struct MHD_Connection *connection,
                                      const char *client, WebStream *stream) {
    uv_mutex_lock(&streams->mutex);
    bool room = has_room(streams, client);
    Live *live = room ? mem_calloc(1, sizeof *live) : NULL;
    if (room) {
        *live = (Live){.streams = streams,
                       .connection = connection,
                       .client = mem_strdup(client),
                       .stream = *stream,
                       .spoke_ns = clock_now_ns(),
                       .next = streams->first};
        streams->first = live;
        streams->count++;
        *stream = (WebStream){0};
    }
    uv_mutex_unlock(&streams->mutex);
    return room
               ? MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, send_more, live, forget)
               : NULL;
}
