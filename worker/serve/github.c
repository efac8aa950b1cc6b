/* SPDX-License-Identifier: MIT */
#include "serve/github.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "build/git.h"
#include "openbench/http.h"

static const char GITHUB[] = "https://github.com/";

enum {
    TIMEOUT_MS = 10000, /* For an answer: a thread of the server waits. */
    NOT_FOUND = 404,    /* GitHub's statuses for a ref that is unknown, */
    UNPROCESSABLE = 422,
    TOO_MANY = 429 /* and one for too many requests; the other is 403, as for other refusals. */
};

/* The length of "USER/NAME" at `path`; 0: it is something else. */
static size_t owner_and_name(const char *path) {
    size_t user = strcspn(path, "/");
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/')
        length--;
    if (user == 0 || user + 1 >= length)
        return 0;
    for (size_t i = 0; i < length; i++)
        if (i != user && !isalnum((unsigned char)path[i]) &&
            strchr(i < user ? "-" : "_.-", path[i]) == NULL)
            return 0;
    return path[user + 1] == '.' ? 0 : length;
}

/* Tells the status, and the reason that GitHub gives: {"message"}. */
static void set_reason(const char *url, const HttpResponse *response, Error *err) {
    cJSON *document = json_parse(text_string(&response->body), response->body.length, NULL);
    const cJSON *message = cJSON_GetObjectItemCaseSensitive(document, "message");
    const char *reason = cJSON_IsString(message) ? message->valuestring : "";
    bool limit = response->status == TOO_MANY || strstr(reason, "rate limit") != NULL;
    error_set(err, "%s: the answer has the status %d%s%.300s%s", url, response->status,
              *reason ? ": " : "", reason,
              limit ? " (try again later, or keep the repository here: --repo NAME=URL)" : "");
    cJSON_Delete(document);
}

/* Asks for a commit. Returns the document, or NULL; *unknown: GitHub has no such thing, and err is
 * not set. */
static cJSON *ask(const char *url, const char *token, bool *unknown, Error *err) {
    HttpRequest request = {
        .url = mem_strdup(url), .token = mem_strdup(token), .timeout_ms = TIMEOUT_MS};
    HttpResponse response;
    cJSON *document = NULL;
    http_perform(&request, NULL, &response);
    *unknown = response.outcome == HTTP_DONE &&
               (response.status == NOT_FOUND || response.status == UNPROCESSABLE);
    if (response.outcome != HTTP_DONE)
        error_set(err, "%s: %s", url, response.error.text);
    else if (response.status == HTTP_OK) {
        document = json_parse(text_string(&response.body), response.body.length, err);
        if (!document)
            error_prefix(err, "%s", url);
    } else if (!*unknown)
        set_reason(url, &response, err);
    http_response_free(&response);
    http_request_free(&request);
    return document;
}

/* Reads {"sha", "commit": {"message"}}. */
static bool read_commit(const cJSON *document, SourceCommit *out, Error *err) {
    const cJSON *sha = cJSON_GetObjectItemCaseSensitive(document, "sha");
    const cJSON *commit = cJSON_GetObjectItemCaseSensitive(document, "commit");
    const cJSON *message = cJSON_GetObjectItemCaseSensitive(commit, "message");
    if (!cJSON_IsString(sha) || !cJSON_IsString(message) ||
        strlen(sha->valuestring) != SOURCES_SHA_MAX - 1 ||
        strspn(sha->valuestring, "0123456789abcdef") != SOURCES_SHA_MAX - 1)
        return error_set(err, "GitHub's answer describes no commit");
    snprintf(out->sha, sizeof out->sha, "%s", sha->valuestring);
    out->message = mem_strdup(message->valuestring);
    out->bench = git_message_bench(out->message);
    return true;
}

bool github_resolve(const char *api, const char *repo, const char *ref, bool by_sha,
                    const char *token, SourceCommit *out, Error *err) {
    const char *path = text_starts_with(repo, GITHUB) ? repo + strlen(GITHUB) : "";
    size_t length = owner_and_name(path);
    if (length == 0)
        return error_set(err, "Sources must be found on https://github.com/<User>/<Repo>, or be "
                              "a repository of this server: its name, or /repo/NAME");
    Text url = {0};
    bool unknown = false;
    char *base = text_format("%s/repos/%.*s", api, (int)length, path);
    text_addf(&url, "%s/%s/", base, by_sha ? "commits" : "branches");
    text_add_path(&url, ref);
    cJSON *document = ask(text_string(&url), token, &unknown, err);
    const cJSON *commit = by_sha ? document : cJSON_GetObjectItemCaseSensitive(document, "commit");
    if (!document && unknown && !by_sha) {
        text_clear(&url);
        text_addf(&url, "%s/commits/", base);
        text_add_path(&url, ref);
        commit = document = ask(text_string(&url), token, &unknown, err);
    }
    if (!document && unknown)
        error_set(err, "%s could not be found", ref);
    bool ok = document && read_commit(commit, out, err);
    cJSON_Delete(document);
    if (ok) {
        out->source = text_format("%s/zipball/%s", base, out->sha);
    }
    free(base);
    text_free(&url);
    return ok;
}
