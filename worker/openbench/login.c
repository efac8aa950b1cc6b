/* SPDX-License-Identifier: MIT */
#include "openbench/login.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/prompt.h"
#include "base/self.h"
#include "base/text.h"
#include "openbench/http.h"

enum { PASSWORD_LIMIT = 4096 }; /* A pipe holds PASSWORD_LIMIT bytes. */

/* The path of an open descriptor. */
#define DESCRIPTOR_PATH "/dev/fd/%d"

void login_protect(void) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    self_close_to_others();
}

char *login_hold(LoginOptions *options) {
    if (!options->password)
        return NULL;
    char *held = mem_strdup(options->password);
    options_hide(options->password);
    options->password = held;
    return held;
}

/* Reads the pipe that login_pass_on made before SIGHUP restarted this program, or whatever a shell
 * has opened, and closes the descriptor. */
static bool read_descriptor(int descriptor, Text *out, Error *err) {
    char bytes[PASSWORD_LIMIT];
    size_t length = 0;
    ssize_t n;
    while ((n = read(descriptor, bytes + length, sizeof bytes - length)) > 0)
        length += (size_t)n;
    if (n < 0)
        error_set(err, "--password-file: descriptor %d: %s", descriptor, strerror(errno));
    close(descriptor);
    text_add_bytes(out, bytes, length);
    mem_wipe(bytes, sizeof bytes);
    return n == 0;
}

bool login_read_password_file(const char *path, Log *log, char **password, Error *err) {
    *password = NULL;
    Text text = {0};
    int descriptor;
    if (sscanf(path, DESCRIPTOR_PATH, &descriptor) == 1) {
        if (!read_descriptor(descriptor, &text, err))
            return false;
    } else if (!file_read(path, PASSWORD_LIMIT, &text, err)) {
        return error_prefix(err, "--password-file");
    } else {
        file_warn_of_readers(path, log);
    }
    *password = mem_strndup(text_string(&text), strcspn(text_string(&text), "\r\n"));
    mem_wipe(text.data, text.length);
    text_free(&text);
    return (*password)[0] || error_set(err, "--password-file: %s: its first line is empty", path);
}

static bool take_password(const LoginOptions *given, Log *log, char **password, Error *err) {
    if (given->password_file) {
        options_hide(given->password);
        return login_read_password_file(given->password_file, log, password, err);
    }
    if (given->password) {
        *password = mem_strdup(given->password);
        options_hide(given->password);
        return (*password)[0] || error_set(err, "--password: is empty");
    }
    if (!prompt_possible())
        return error_set(err,
                         "--password-file: is missing: a file whose first line is your password");
    char *question = text_format("Password of %s at %s: ", given->username, given->server);
    *password = prompt_hidden(question, err);
    free(question);
    return *password || error_prefix(err, "the password");
}

bool login_take(const LoginOptions *given, Log *log, Login *out, Error *err) {
    *out = (Login){0};
    if (given->server && !given->username)
        return error_set(err, "--username: is missing: your name on %s", given->server);
    return login_take_optional(given, log, out, err);
}

bool login_take_optional(const LoginOptions *given, Log *log, Login *out, Error *err) {
    bool plain = false;
    *out = (Login){.username = given->username};
    if (!given->server)
        return error_set(err, "--server: is missing: the address (-S https://openbench.example, or "
                              "OPENBENCH_SERVER)");
    if (given->username && !given->username[0])
        return error_set(err, "--username: is empty");
    if (!given->username)
        login_hide(given);
    else if (!take_password(given, log, &out->password, err))
        return false;
    out->base_url = http_base_url(given->server, &plain, err);
    if (!out->base_url)
        return error_prefix(err, "--server");
    if (plain && given->username)
        log_warn(log, "%s: plain http: your password crosses the network unencrypted",
                 out->base_url);
    return true;
}

void login_hide(const LoginOptions *given) {
    options_hide(given->password);
}

char *login_pass_on(const Login *login, Error *err) {
    int ends[2];
    size_t length = strlen(login->password);
    if (pipe(ends) != 0) {
        error_set(err, "no pipe for the password: %s", strerror(errno));
        return NULL;
    }
    bool ok = write(ends[1], login->password, length) == (ssize_t)length;
    if (!ok)
        error_set(err, "the pipe for the password: %s", strerror(errno));
    close(ends[1]);
    if (!ok) {
        close(ends[0]);
        return NULL;
    }
    return text_format(DESCRIPTOR_PATH, ends[0]);
}

void login_free(Login *login) {
    if (login->password)
        mem_wipe(login->password, strlen(login->password));
    free(login->password);
    free(login->base_url);
    *login = (Login){0};
}
