/* SPDX-License-Identifier: MIT */
/* A test as the API shows it: documents of JSON, and the texts of a tuning. Source: the recorded
 * answers of api/workload, api/spsa and api/networks. */
#ifndef SERVE_TESTJSON_H
#define SERVE_TESTJSON_H

#include <cjson/cJSON.h>

#include "base/text.h"
#include "serve/store.h"

/* The answers of api/workload/N/: info, results, summary. The caller frees them. base: the server's
 * address for the reader, without a slash at the end; now: seconds since the epoch. */
cJSON *testjson_info(const Test *test, const char *base);
cJSON *testjson_results(Transaction *t, int64_t test_id, int64_t now);
cJSON *testjson_summary(Transaction *t, int64_t test_id);

/* The texts of api/spsa/N/. digest: a line of names, and a line for each parameter: its value now
 * and at the start, its bounds, c now and at the end, r now and at the end. inputs: the parameters
 * as the form had them. outputs: names and values. */
void testjson_digest(const Test *test, const TestParameters *parameters, Text *out);
void testjson_inputs(const Test *test, const TestParameters *parameters, Text *out);
void testjson_outputs(const Test *test, const TestParameters *parameters, Text *out);

/* A network in the list of api/networks, and an engine's default one in api/buildinfo. */
cJSON *testjson_network(const Network *network);
cJSON *testjson_default_network(const Network *network);

#endif
