/* SPDX-License-Identifier: MIT */
#include "tools/raw_web.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"

int raw_connect(const char *url) {
    const char *colon = strrchr(url, ':');
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10)),
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        fprintf(stderr, "nobody listens at %s\n", url);
        abort();
    }
    return descriptor;
}

bool raw_send(int descriptor, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(descriptor, bytes, length, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

void raw_read(int descriptor, const char *until, Text *out) {
    char bytes[4096];
    ssize_t length;
    while (!(until && strstr(text_string(out), until)) &&
           (length = recv(descriptor, bytes, sizeof bytes, 0)) > 0)
        text_add_bytes(out, bytes, (size_t)length);
}

void raw_exchange(const char *url, const char *bytes, size_t length, Text *answer) {
    int descriptor = raw_connect(url);
    text_clear(answer);
    raw_send(descriptor, bytes, length);
    raw_read(descriptor, NULL, answer);
    close(descriptor);
}

void raw_get(const char *url, const char *path, const char *headers, Text *answer) {
    Text request = {0};
    text_addf(&request, "GET %s HTTP/1.1\r\nHost: test\r\nConnection: close\r\n%s\r\n", path,
              headers);
    raw_exchange(url, request.data, request.length, answer);
    text_free(&request);
}

void raw_post(const char *url, const char *path, const char *headers, const char *form,
              Text *answer) {
    Text request = {0};
    text_addf(&request,
              "POST %s HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Type: "
              "application/x-www-form-urlencoded\r\nContent-Length: %zu\r\n%s\r\n%s",
              path, strlen(form), headers, form);
    raw_exchange(url, request.data, request.length, answer);
    text_free(&request);
}

int raw_status(const Text *answer) {
    int status = 0;
    sscanf(text_string(answer), "HTTP/1.1 %d", &status);
    return status;
}

const char *raw_body(const Text *answer) {
    const char *end = strstr(text_string(answer), "\r\n\r\n");
    return end ? end + 4 : "";
}

char *raw_header(const Text *answer, const char *name) {
    const char *end = strstr(text_string(answer), "\r\n\r\n");
    const char *line = strstr(text_string(answer), "\r\n");
    size_t length = strlen(name);
    for (; line && line != end; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, length) == 0 && line[length] == ':') {
            line += length + 1 + strspn(line + length + 1, " ");
            return mem_strndup(line, strcspn(line, "\r"));
        }
    }
    return NULL;
}
