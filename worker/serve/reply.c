/* SPDX-License-Identifier: MIT */
#include "serve/reply.h"

#include "base/json.h"
#include "base/text.h"
#include "serve/serve.h"

void reply_json(WebAnswer *answer, cJSON *document) {
    text_clear(&answer->body);
    json_take(document, &answer->body);
    answer->status = WEB_OK;
    answer->type = "application/json";
}

void reply_fault(Serve *serve, WebAnswer *answer, const Error *err) {
    serve_log_error(serve, "%s", err->text);
    web_plain(answer, WEB_UNAVAILABLE, WEB_FAULT_WORDS);
}

bool reply_knows_user(Serve *serve, const WebRequest *request, const char *refusal,
                      WebAnswer *answer, User *user) {
    Error fault;
    switch (people_check(serve->people, web_form(request, "username"),
                         web_form(request, "password"), request->peer, user, &fault)) {
    case PEOPLE_KNOWN:
        return true;
    case PEOPLE_WAIT:
        web_plain(answer, WEB_TOO_MANY, PEOPLE_WAIT_WORDS);
        return false;
    case PEOPLE_FAULT:
        reply_fault(serve, answer, &fault);
        return false;
    case PEOPLE_WRONG:
    case PEOPLE_DISABLED:
        break;
    }
    web_json_error(answer, refusal);
    return false;
}

bool reply_field(const WebRequest *request, const char *name, int64_t min, int64_t max,
                 int64_t *out, Error *err) {
    const char *value = web_fields_get(&request->form, name);
    if (!value)
        return error_set(err, "%s: missing", name);
    return text_to_int(value, min, max, name, out, err);
}
