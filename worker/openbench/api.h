/* SPDX-License-Identifier: MIT */
/* The endpoints of an OpenBench server that a worker calls: what each is sent, and what its answer
 * means. Composing and judging are pure; http.h carries the requests. Source: the recorded
 * exchanges of the stock client. */
#ifndef WORKER_OPENBENCH_API_H
#define WORKER_OPENBENCH_API_H

#include <stdbool.h>
#include <stdint.h>

#include "openbench/http.h"
#include "openbench/workload.h"

/* Whether this worker speaks that version of the client protocol: what it says and hears then is as
 * recorded. */
bool api_speaks(int64_t client_version);

/* The versions that it speaks, for messages: "49". Appended to *out. */
void api_spoken(Text *out);

/* Whom the requests are from. The strings are the caller's and must outlive the use. */
typedef struct {
    const char *base_url; /* Ends in "/". */
    const char *username;
    const char *password;
    int64_t machine_id; /* Given by the server at registration. */
    const char *secret;
} ApiAccount;

typedef struct {
    int64_t nps;
    int64_t dev_nps;
    int64_t base_nps;
} ApiNps;

/* Whole pairs only, seen from dev. */
typedef struct {
    int64_t test_id;
    int64_t result_id;
    int64_t losses;
    int64_t draws;
    int64_t wins;
    int64_t penta[5]; /* LL LD DD DW WW */
    int64_t crashes;
    int64_t timelosses;
    int64_t illegals;
    const char *spsa_delta; /* "" unless SPSA */
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
    const char *logs; /* NULL: the endpoint has none (bench errors). */
} ApiFault;

/* One function an endpoint; each fills `request`, which the caller frees or hands to http_start. */
void api_client_version(const ApiAccount *account, HttpRequest *request);
/* Which match runner the stock client would play with. */
void api_runner_version(const ApiAccount *account, HttpRequest *request);
void api_build_info(const ApiAccount *account, HttpRequest *request);
void api_worker_info(const ApiAccount *account, const char *system_info, HttpRequest *request);
/* `blacklist`: ids of tests that cannot be worked on here. */
void api_get_workload(const ApiAccount *account, const IntList *blacklist, HttpRequest *request);
void api_submit_nps(const ApiAccount *account, const ApiNps *nps, HttpRequest *request);
void api_submit_results(const ApiAccount *account, const ApiResults *results, HttpRequest *request);
void api_heartbeat(const ApiAccount *account, int64_t test_id, HttpRequest *request);
void api_bench_error(const ApiAccount *account, const ApiFault *fault, HttpRequest *request);
void api_submit_error(const ApiAccount *account, const ApiFault *fault, HttpRequest *request);
/* A multipart form with the file in it. */
void api_submit_pgn(const ApiAccount *account, const ApiPgn *pgn, HttpRequest *request);
/* What people look at is asked without a login where the account has no username: which engines and
 * books the server has, */
void api_config(const ApiAccount *account, HttpRequest *request);
/* an engine as its configuration has it, and all of them (engineconfig.h), */
void api_config_engine(const ApiAccount *account, const char *engine, HttpRequest *request);
void api_all_configs(const ApiAccount *account, HttpRequest *request);
/* what it says of a test: its mode, its LLR, */
void api_test_info(const ApiAccount *account, int64_t test_id, HttpRequest *request);
/* the counts of a test, a row a machine, */
void api_test_results(const ApiAccount *account, int64_t test_id, HttpRequest *request);
/* the same by user, by CPU and by instruction set, */
void api_test_summary(const ApiAccount *account, int64_t test_id, HttpRequest *request);
/* a tuning's parameters, as text (testview_read_digest). */
void api_spsa_digest(const ApiAccount *account, int64_t test_id, HttpRequest *request);
/* An engine's networks. */
void api_networks(const ApiAccount *account, const char *engine, HttpRequest *request);
/* Its answer is raw bytes, or JSON with an error. The engine's name is percent-encoded. */
void api_network(const ApiAccount *account, const char *engine, const char *network,
                 HttpRequest *request);

/* What an answer asks for. */
typedef enum {
    API_OK,
    API_RETRY,    /* A fault that passes: no connection, 5xx, not JSON. Wait and try again. */
    API_REGISTER, /* The session is stale: register again and go on. */
    API_UNKNOWN_MACHINE, /* The same; but a server says so too whose database is locked. */
    API_WRONG_VERSION,   /* The server speaks another version of the protocol. */
    API_REFUSED          /* The server's own words say no. */
} ApiVerdict;

typedef struct {
    ApiVerdict verdict;
    int64_t expected_version; /* With API_WRONG_VERSION. */
    cJSON *json;              /* With API_OK; owned. */
    Error error;              /* Unless API_OK: one line. The server's words, with API_REFUSED. */
} ApiAnswer;

/* Judges an answer. `answer` need not be initialised; api_answer_free it. */
void api_judge(const HttpResponse *response, ApiAnswer *answer);
/* The same of a page of text, which is no JSON: it has no `json`. */
void api_judge_text(const HttpResponse *response, ApiAnswer *answer);
void api_answer_free(ApiAnswer *answer);

/* Reads of an API_OK answer; a fault in it is a fault that passes, as a truncated page is. */
bool api_read_client_version(const ApiAnswer *answer, int64_t *version, Error *err);
/* The oldest match runner that the server's stock client plays with; allocated. */
bool api_read_runner_version(const ApiAnswer *answer, char **version, Error *err);
/* `secret` is allocated. */
bool api_read_registration(const ApiAnswer *answer, int64_t *machine_id, char **secret, Error *err);
/* A test's counts: those of one machine, and those of all others together. All zero where the test
 * has none. */
typedef struct {
    int64_t games;
    int64_t penta[5];
    int64_t others[5]; /* Pentanomial too. */
} ApiTestCounts;
bool api_read_test_results(const ApiAnswer *answer, int64_t machine_id, ApiTestCounts *counts,
                           Error *err);
/* A server's engines and books. */
typedef struct {
    Words engines;
    Words books;
} ApiServerConfig;
/* api_config_free it in either case. */
bool api_read_config(const ApiAnswer *answer, ApiServerConfig *config, Error *err);
void api_config_free(ApiServerConfig *config);

/* A network that the server keeps for an engine: by the name that people gave it, and by the first
 * eight hexadecimal digits of its SHA-256, which forms and workloads have. Allocated. */
typedef struct {
    char *name, *sha256;
} ApiNetwork;
typedef struct {
    ApiNetwork *items;
    size_t count, capacity;
} ApiNetworks;
/* api_networks_free it in either case. */
bool api_read_networks(const ApiAnswer *answer, ApiNetworks *networks, Error *err);
void api_networks_free(ApiNetworks *networks);

/* How a test stands. */
typedef struct {
    int64_t games;
    bool sprt; /* The three that follow mean something. */
    double llr;
    double llr_lower;
    double llr_upper;
} ApiTestInfo;
bool api_read_test_info(const ApiAnswer *answer, ApiTestInfo *info, Error *err);
/* The pentanomial counts of the whole test, from the same answer. */
bool api_read_test_totals(const ApiAnswer *answer, int64_t penta[5], Error *err);
/* Whether it answers a report: {} or {stop: ...}. Any other object is some other page's, from a
 * proxy or a cache, and says nothing of whether the report was added. */
bool api_is_receipt(const ApiAnswer *answer);
/* Whether the server says that the test is over. */
bool api_read_stop(const ApiAnswer *answer);

#endif
