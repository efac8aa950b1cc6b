/* SPDX-License-Identifier: MIT */
#include "tools/httpd_rig.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "tools/raw_web.h"
#include "tools/temporary.h"

HttpdRig rig;

static char spool[TEMPORARY_SIZE];
static const WebRoute *tables[1];

HttpdSettings httpd_rig_settings(void) {
    return (HttpdSettings){.listen = "127.0.0.1:0",
                           .spool = spool,
                           .spool_limit = HTTPD_RIG_SPOOL,
                           .stop_s = 600,
                           .proxies = &rig.proxies,
                           .routes = {tables, 1},
                           .rate = 0.001, /* None comes back while a test runs. */
                           .burst = 2};
}

void httpd_rig_start(const WebRoute *routes) {
    Error err = {{0}};
    rig = (HttpdRig){0};
    tables[0] = routes;
    temporary_folder(spool, sizeof spool, "reductio-httpd");
    HttpdSettings settings = httpd_rig_settings();
    rig.httpd = httpd_start(&settings, &err);
    ck_assert_msg(rig.httpd != NULL, "%s", err.text);
}

void httpd_rig_stop(void) {
    httpd_stop(rig.httpd);
    words_free(&rig.proxies);
    text_free(&rig.answer);
    ck_assert_msg(rmdir(spool) == 0, "a file was left in %s", spool);
}

void httpd_rig_get(const char *path, const char *headers) {
    raw_get(httpd_url(rig.httpd), path, headers, &rig.answer);
}

void httpd_rig_post(const char *path, const char *headers, const char *form) {
    raw_post(httpd_url(rig.httpd), path, headers, form, &rig.answer);
}

void httpd_rig_exchange(const char *request, size_t length) {
    raw_exchange(httpd_url(rig.httpd), request, length, &rig.answer);
}

void httpd_rig_expect(const char *words) {
    ck_assert_msg(strstr(text_string(&rig.answer), words) != NULL, "'%s' is not in: %.1000s", words,
                  text_string(&rig.answer));
}

void httpd_rig_expect_status(int status) {
    ck_assert_msg(raw_status(&rig.answer) == status, "%d instead of %d: %.1000s",
                  raw_status(&rig.answer), status, text_string(&rig.answer));
}

void httpd_rig_say_back(Serve *serve, const WebRequest *request, WebAnswer *out) {
    (void)serve;
    out->type = "text/plain";
    text_addf(&out->body, "peer=%s secure=%d q=%s cookie=%s\n", request->peer, request->secure,
              web_query(request, "q"), web_cookie(request, "c"));
    for (size_t i = 0; i < request->form.names.count; i++)
        text_addf(&out->body, "%s=[%s]\n", request->form.names.items[i],
                  request->form.values.items[i]);
    for (size_t i = 0; i < request->upload_count; i++) {
        Text file = {0};
        file_read(request->uploads[i].path, HTTPD_RIG_FILE, &file, NULL);
        text_addf(&out->body, "%s: %s of %zu bytes: %.4s\n", request->uploads[i].name,
                  request->uploads[i].file_name, file.length, text_string(&file));
        text_free(&file);
    }
}
