/* SPDX-License-Identifier: MIT */
#include "submit/remote.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "build/git.h"
#include "openbench/engineconfig.h"

char *remote_web_address(const char *remote) {
    Text out = {0};
    const char *scheme_end = strstr(remote, "://");
    const char *rest = scheme_end ? scheme_end + 3 : remote;
    bool web = text_starts_with(remote, "http://") || text_starts_with(remote, "https://");
    bool ssh = text_starts_with(remote, "ssh://") ||
               (!scheme_end && strchr(remote, ':') && strcspn(remote, ":") < strcspn(remote, "/"));
    if (!web && !ssh)
        return NULL;
    const char *at = memchr(rest, '@', strcspn(rest, "/"));
    rest = at ? at + 1 : rest;
    size_t host = strcspn(rest, web ? "/" : ":/");
    text_addf(&out, "%s%.*s", text_starts_with(remote, "http://") ? "http://" : "https://",
              (int)host, rest);
    rest += host;
    if (!web && scheme_end && *rest == ':') /* drop ssh's port, which is not the web's */
        rest += strcspn(rest, "/");
    rest += *rest == ':' || *rest == '/';
    text_addf(&out, "/%s", rest);
    out.data[repository_length(out.data)] = '\0';
    return text_take(&out);
}

char *remote_address(const char *remote) {
    const char *const words[] = {"remote", "get-url", "--push", "--", remote, NULL};
    char *url = git_ask(&(GitPlace){0}, words, NULL);
    char *address = url ? remote_web_address(url) : NULL;
    free(url);
    return address;
}
