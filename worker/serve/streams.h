/* SPDX-License-Identifier: MIT */
/* Streams of server-sent events: connections that wait, at rest, until httpd_wake asks them for
 * more. Sees libmicrohttpd for httpd.c. Any thread may call these. */
#ifndef SERVE_STREAMS_H
#define SERVE_STREAMS_H

#include <microhttpd.h>

#include "serve/web.h"

typedef struct Streams Streams;

/* limit: streams at a time; of one client: client_limit. NULL with err set when no thread can be
 * started. */
Streams *streams_new(size_t limit, size_t client_limit, Error *err);
void streams_free(Streams *streams); /* After the connections have ended. NULL is allowed. */

/* The response that sends the stream, which it takes over; NULL when there are too many streams:
 * the caller still owns the stream then. client: as visitors_name writes it; NULL: no limit holds
 * for it. */
struct MHD_Response *streams_response(Streams *streams, struct MHD_Connection *connection,
                                      const char *client, WebStream *stream);

/* Has every stream asked for more, soon: the streams are woken twice a second at most. */
void streams_wake(Streams *streams);

/* Ends every stream, and those that come. */
void streams_end(Streams *streams);

#endif
