/* SPDX-License-Identifier: MIT */
#include "openbench/login.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/prompt.h"
#include "base/text.h"
#include "openbench/http.h"

enum { PASSWORD_LIMIT = 4096, OTHERS_MAY = 077 };

/* PR_SET_DUMPABLE also prevents cores that are piped to a program, which ignore RLIMIT_CORE, and
 * keeps other processes of the user from reading the memory. */
void login_protect(void) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    prctl(PR_SET_DUMPABLE, 0);
}

/* Overwrites a word of the command line, which `ps` and /proc show. Zeros would change the number
 * of words. */
static void wipe(const char *text) {
    if (text)
        memset((char *)text, 'x', strlen(text));
}

static bool read_password_file(const char *path, const char *command, char **password, Error *err) {
    struct stat status;
    Text text = {0};
    int descriptor;
    if (!file_read(path, PASSWORD_LIMIT, &text, err))
        return error_prefix(err, "--password-file");
    if (sscanf(path, "/proc/self/fd/%d", &descriptor) == 1)
        close(descriptor); /* From login_pass_on, before SIGHUP restarted this program. */
    else if (stat(path, &status) == 0 && (status.st_mode & OTHERS_MAY))
        fprintf(stderr, "%s: warning: others may read %s (chmod 600 it)\n", command, path);
    *password = mem_strndup(text_string(&text), strcspn(text_string(&text), "\r\n"));
    explicit_bzero(text.data, text.length);
    text_free(&text);
    return (*password)[0] || error_set(err, "--password-file: %s: its first line is empty", path);
}

static bool take_password(const LoginOptions *given, const char *command, char **password,
                          Error *err) {
    if (given->password_file) {
        wipe(given->password);
        return read_password_file(given->password_file, command, password, err);
    }
    if (given->password) {
        *password = mem_strdup(given->password);
        wipe(given->password);
        return true;
    }
    if (!prompt_possible())
        return error_set(err,
                         "--password-file: is missing: a file whose first line is your password");
    Text question = {0};
    text_addf(&question, "Password of %s at %s: ", given->username, given->server);
    *password = prompt_hidden(text_string(&question), err);
    text_free(&question);
    return *password || error_prefix(err, "the password");
}

bool login_take(const LoginOptions *given, const char *command, Log *log, Login *out, Error *err) {
    *out = (Login){0};
    if (given->server && !given->username)
        return error_set(err, "--username: is missing: your name on %s", given->server);
    return login_take_optional(given, command, log, out, err);
}

bool login_take_optional(const LoginOptions *given, const char *command, Log *log, Login *out,
                         Error *err) {
    bool plain = false;
    *out = (Login){.username = given->username};
    if (!given->server)
        return error_set(err, "--server: is missing: its address");
    if (!given->username)
        login_hide(given);
    else if (!take_password(given, command, &out->password, err))
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
    wipe(given->password);
}

char *login_pass_on(const Login *login, Error *err) {
    int descriptor = memfd_create("password", 0);
    size_t length = strlen(login->password);
    Text path = {0};
    if (descriptor < 0 || write(descriptor, login->password, length) != (ssize_t)length ||
        lseek(descriptor, 0, SEEK_SET) != 0) {
        error_set(err, "no file in memory for the password: %s", strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
        return NULL;
    }
    text_addf(&path, "/proc/self/fd/%d", descriptor);
    return text_take(&path);
}

void login_free(Login *login) {
    if (login->password)
        explicit_bzero(login->password, strlen(login->password));
    free(login->password);
    free(login->base_url);
    *login = (Login){0};
}
