/* SPDX-License-Identifier: MIT */
/* The endpoints of an OpenBench server that a worker calls: composes their requests and judges
 * their answers. Pure; http.h sends the requests. Source: the recorded exchanges of the stock
 * client. */
#ifndef WORKER_OPENBENCH_API_H
#define WORKER_OPENBENCH_API_H

#include <stdbool.h>
#include <stdint.h>

#include "openbench/http.h"
#include "openbench/workload.h"
#include "stats/stats.h"

/* Does this worker speak this version of the client protocol? The exchanges of such a version are
 * recorded. */
bool api_speaks(int64_t client_version);

/* Appends the versions that this worker speaks, for messages: "49". */
void api_spoken(Text *out);

/* The sender of requests. The caller owns the strings, which must outlive the use. */
typedef struct {
    const char *base_url; /* Ends in "/". */
    const char *username;
    const char *password;
    int64_t machine_id; /* Given by the server at registration. */
    const char *secret;
    bool knows_batches; /* The server adds a batch of results with a number once
                           (api_knows_batches). */
} ApiAccount;

typedef struct {
    int64_t nps;
    int64_t dev_nps;
    int64_t base_nps;
} ApiNps;

/* How long a server that knows the numbers of batches remembers a number, in seconds. */
enum { API_BATCH_KEPT_S = 30 * 24 * 3600 };

/* Whole pairs only, seen from dev. */
typedef struct {
    int64_t test_id;
    int64_t result_id;
    int64_t losses;
    int64_t draws;
    int64_t wins;
    Penta penta;
    int64_t crashes;
    int64_t timelosses;
    int64_t illegals;
    const char *spsa_delta; /* "" unless SPSA. */
    const char *batch;      /* The batch's number; NULL: none is sent. */
} ApiResults;

/* The games of a workload. */
typedef struct {
    int64_t test_id;
    int64_t result_id;
    int64_t book_index;
    const char *file; /* Path of bzip2-compressed PGN text. */
} ApiPgn;

typedef struct {
    int64_t test_id;
    const char *error;
    const char *logs; /* NULL: the endpoint takes no logs (bench errors). */
} ApiFault;

/* Each function composes the request of one endpoint into `request`. The caller frees `request` or
 * hands it to http_start. */
void api_client_version(const ApiAccount *account, HttpRequest *request);
/* Asks for the match runner of the stock client. */
void api_runner_version(const ApiAccount *account, HttpRequest *request);
void api_build_info(const ApiAccount *account, HttpRequest *request);
void api_worker_info(const ApiAccount *account, const char *system_info, HttpRequest *request);
/* blacklist: ids of tests that this machine cannot work on. */
void api_get_workload(const ApiAccount *account, const IntList *blacklist, HttpRequest *request);
void api_submit_nps(const ApiAccount *account, const ApiNps *nps, HttpRequest *request);
void api_submit_results(const ApiAccount *account, const ApiResults *results, HttpRequest *request);
void api_heartbeat(const ApiAccount *account, int64_t test_id, HttpRequest *request);
void api_bench_error(const ApiAccount *account, const ApiFault *fault, HttpRequest *request);
void api_submit_error(const ApiAccount *account, const ApiFault *fault, HttpRequest *request);
/* A multipart form with the games' file. */
void api_submit_pgn(const ApiAccount *account, const ApiPgn *pgn, HttpRequest *request);
/* Pages for people. Without a username in the account the requests carry no login. The server's
 * engines and books: */
void api_config(const ApiAccount *account, HttpRequest *request);
/* The configuration of one engine, and of all engines (engineconfig.h): */
void api_config_engine(const ApiAccount *account, const char *engine, HttpRequest *request);
void api_all_configs(const ApiAccount *account, HttpRequest *request);
/* The server's facts about a test, mode and LLR among them: */
void api_test_info(const ApiAccount *account, int64_t test_id, HttpRequest *request);
/* The counts of a test, a row for each machine: */
void api_test_results(const ApiAccount *account, int64_t test_id, HttpRequest *request);
/* The counts of a test by user, by CPU and by instruction set: */
void api_test_summary(const ApiAccount *account, int64_t test_id, HttpRequest *request);
/* A tuning's parameters, as text (testview_read_digest): */
void api_spsa_digest(const ApiAccount *account, int64_t test_id, HttpRequest *request);
/* The list of an engine's networks: */
void api_networks(const ApiAccount *account, const char *engine, HttpRequest *request);
/* A network. The answer is raw bytes, or JSON with an error. The engine's name is percent-encoded.
 */
void api_network(const ApiAccount *account, const char *engine, const char *network,
                 HttpRequest *request);

/* The consequence of an answer. */
typedef enum {
    API_OK,
    API_RETRY,    /* A passing fault: no connection, 429, 5xx, not JSON. Wait and try again. */
    API_REGISTER, /* The session is stale: register again and go on. */
    API_UNKNOWN_MACHINE, /* Like API_REGISTER, or the server's database is locked. */
    API_WRONG_VERSION,   /* The server speaks another version of the protocol. */
    API_REFUSED          /* The server refuses, with its reason in words. */
} ApiVerdict;

typedef struct {
    ApiVerdict verdict;
    int64_t expected_version; /* Valid with API_WRONG_VERSION. */
    cJSON *json;              /* Valid with API_OK; owned. */
    Error error;              /* One line, unless API_OK. With API_REFUSED: the server's words. */
} ApiAnswer;

/* Judges an answer. `answer` need not be initialised. Call api_answer_free. */
void api_judge(const HttpResponse *response, ApiAnswer *answer);
/* Judges an answer of plain text, whose `json` stays NULL. */
void api_judge_text(const HttpResponse *response, ApiAnswer *answer);
void api_answer_free(ApiAnswer *answer);

/* The readers of an API_OK answer. A reader's error is a passing fault, like a truncated page. */
bool api_read_client_version(const ApiAnswer *answer, int64_t *version, Error *err);
/* Reads the oldest match runner that the stock client plays with; allocated. */
bool api_read_runner_version(const ApiAnswer *answer, char **version, Error *err);
/* `secret` is allocated. */
bool api_read_registration(const ApiAnswer *answer, int64_t *machine_id, char **secret, Error *err);
/* Does the answer to a registration say that the server adds a batch once, however often a batch of
 * the same number comes? A stock server says nothing of the kind. */
bool api_knows_batches(const ApiAnswer *answer);
/* A test's counts: of one machine, and of all other machines together. All zero for a test without
 * results. */
typedef struct {
    Penta own, others;
} ApiTestCounts;
bool api_read_test_results(const ApiAnswer *answer, int64_t machine_id, ApiTestCounts *counts,
                           Error *err);
/* Reads a row of such an answer: the machine's number and its pairs. */
bool api_read_row(const cJSON *row, int64_t *machine_id, Penta *penta, Error *err);
/* A server's engines and books. */
typedef struct {
    Words engines;
    Words books;
} ApiServerConfig;
/* Call api_config_free in either case. */
bool api_read_config(const ApiAnswer *answer, ApiServerConfig *config, Error *err);
void api_config_free(ApiServerConfig *config);

/* A network that the server keeps for an engine: its name, and the first eight hexadecimal digits
 * of its SHA-256, which forms and workloads use. Allocated. */
typedef struct {
    char *name, *sha256;
} ApiNetwork;
typedef struct {
    ApiNetwork *items;
    size_t count, capacity;
} ApiNetworks;
/* Call api_networks_free in either case. */
bool api_read_networks(const ApiAnswer *answer, ApiNetworks *networks, Error *err);
void api_networks_free(ApiNetworks *networks);

/* The state of a test. */
typedef struct {
    int64_t games;
    bool sprt; /* The three fields below are valid. */
    double llr;
    double llr_lower;
    double llr_upper;
} ApiTestInfo;
bool api_read_test_info(const ApiAnswer *answer, ApiTestInfo *info, Error *err);
/* Read the counts of the whole test from an answer of api_test_info: its pairs; its wins, draws and
 * losses into *tally. */
bool api_read_test_pairs(const ApiAnswer *answer, Penta *penta, Error *err);
bool api_read_test_games(const ApiAnswer *answer, Tally *tally, Error *err);
/* A test's mode ("SPRT") and the names of its branches, strings of the answer. "": the server does
 * not tell. */
typedef struct {
    const char *mode, *dev, *base;
} ApiTestNames;
/* Reads an answer of api_test_info. */
void api_read_test_names(const ApiAnswer *answer, ApiTestNames *names);
/* Does the answer confirm a report? A confirmation is {} or {stop: ...}. Any other object comes
 * from another page, a proxy or a cache, and leaves open whether the report was added. */
bool api_is_receipt(const ApiAnswer *answer);
/* Does the server say that the test is over? */
bool api_read_stop(const ApiAnswer *answer);

#endif
