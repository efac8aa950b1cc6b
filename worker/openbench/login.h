/* SPDX-License-Identifier: MIT */
/* Who speaks to which server: the options that say so, and the password, which is kept out of sight
 * of other processes. */
#ifndef OPENBENCH_LOGIN_H
#define OPENBENCH_LOGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/log.h"
#include "base/options.h"

/* Embed one in a command's struct and put OPTION_LOGIN(offset of the field) in its table. */
typedef struct {
    const char *username;
    const char *password;
    const char *password_file;
    const char *server;
} LoginOptions;

#define OPTION_LOGIN(at)                                                                           \
    TEXT_OPTION("username", "NAME", (at) + offsetof(LoginOptions, username),                       \
                "your name on the server", .letter = 'U', .environment = "OPENBENCH_USERNAME"),    \
        TEXT_OPTION("password", "WORD", (at) + offsetof(LoginOptions, password),                   \
                    "your password; a file of it is safer", .letter = 'P',                         \
                    .environment = "OPENBENCH_PASSWORD"),                                          \
        TEXT_OPTION("password-file", "FILE", (at) + offsetof(LoginOptions, password_file),         \
                    "the first line of FILE is your password"),                                    \
        TEXT_OPTION("server", "URL", (at) + offsetof(LoginOptions, server),                        \
                    "the server's address", .letter = 'S', .environment = "OPENBENCH_SERVER")

/* What is made of them. */
typedef struct {
    const char *username; /* The option's own. */
    char *password;
    char *base_url; /* As http_base_url gives it. */
} Login;

/* No core file of this process is written from now on, and no other process of the user may read its
 * memory. To be called before a password is read, and after sandbox_open. */
void login_protect(void);

/* Takes the password from its file, the option (which it overwrites, so that `ps` does not show
 * it), the environment or the terminal, in this order, and checks name and address; warns on
 * stderr, as `command`, of a file that others may read, and in the log of passwords that cross the
 * network unencrypted. login_free it in either case. */
bool login_take(const LoginOptions *given, const char *command, Log *log, Login *out, Error *err);

/* The same for what needs no login: without a name it is the address alone. */
bool login_take_optional(const LoginOptions *given, const char *command, Log *log, Login *out,
                         Error *err);

/* Overwrites the password where `ps` shows it, in a run that needs none. */
void login_hide(const LoginOptions *given);

/* Puts the password into a file that has no name, and its path, for --password-file of a command in
 * the program that takes this one's place; reading it closes it. Allocated; NULL with
 * err set. */
char *login_pass_on(const Login *login, Error *err);

/* Overwrites the password and frees. */
void login_free(Login *login);

#endif
