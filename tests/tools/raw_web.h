/* SPDX-License-Identifier: MIT */
/* A client of the web that sends exactly the bytes it is given, for tests of servers. */
#ifndef TESTS_TOOLS_RAW_WEB_H
#define TESTS_TOOLS_RAW_WEB_H

#include "base/text.h"

/* Connects to the server of an address such as "http://127.0.0.1:8000". Aborts when it cannot. */
int raw_connect(const char *url);

/* Sends all bytes. False when the server closed the connection. */
bool raw_send(int descriptor, const char *bytes, size_t length);

/* Reads until the end, or until the text contains `until` (not NULL). */
void raw_read(int descriptor, const char *until, Text *out);

/* Sends these bytes on a connection of its own; the whole answer. Add "Connection: close". */
void raw_exchange(const char *url, const char *bytes, size_t length, Text *answer);

/* GET of a path, with further header lines ("Name: value\r\n") or "". */
void raw_get(const char *url, const char *path, const char *headers, Text *answer);

/* POST of a urlencoded form. */
void raw_post(const char *url, const char *path, const char *headers, const char *form,
              Text *answer);

/* The answer's status; its body, within the answer; a header's value, allocated, or NULL. */
int raw_status(const Text *answer);
const char *raw_body(const Text *answer);
char *raw_header(const Text *answer, const char *name);

#endif
