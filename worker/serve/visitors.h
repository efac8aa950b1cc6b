/* SPDX-License-Identifier: MIT */
/* Limits for each address: requests a second, and connections at a time. A table of fixed size
 * holds the addresses seen last, so that no number of addresses takes more memory. The addresses of
 * an IPv6 network of 64 bits count as one. Any thread may call these. */
#ifndef SERVE_VISITORS_H
#define SERVE_VISITORS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Visitors Visitors;

/* Writes the name under which an address is counted: that of the network of 64 bits for IPv6, since
 * a client has all addresses of its network, else the text itself. */
enum { VISITORS_NAME_MAX = 46 };
void visitors_name(const char *address, char out[VISITORS_NAME_MAX]);

/* rate: requests a second from an address; burst: requests before the rate counts; connections: at
 * a time. All are above 0. */
Visitors *visitors_new(double rate, double burst, int64_t connections);
void visitors_free(Visitors *visitors); /* NULL is allowed */

/* May this address make a request now? Counts the request. now_ns: clock_now_ns. */
bool visitors_request(Visitors *visitors, const char *address, int64_t now_ns);

/* May this address make a request now? Counts nothing. */
bool visitors_has_room(Visitors *visitors, const char *address, int64_t now_ns);

/* May this address open a connection? */
bool visitors_may_connect(Visitors *visitors, const char *address);

/* Count an opened and a closed connection. */
void visitors_opened(Visitors *visitors, const char *address);
void visitors_closed(Visitors *visitors, const char *address);

#endif
