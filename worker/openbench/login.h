/* SPDX-License-Identifier: MIT */
/* The user's account on a server: the options for name, password and address. The password is
 * hidden from other processes. */
#ifndef OPENBENCH_LOGIN_H
#define OPENBENCH_LOGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/log.h"
#include "base/options.h"

/* The login options of a command. The command embeds them in its struct and puts
 * OPTION_LOGIN(offset of the field) in its option table. */
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
                    .environment = "OPENBENCH_PASSWORD", .secret = true),                          \
        TEXT_OPTION("password-file", "FILE", (at) + offsetof(LoginOptions, password_file),         \
                    "the first line of FILE is your password"),                                    \
        TEXT_OPTION("server", "URL", (at) + offsetof(LoginOptions, server),                        \
                    "the server's address", .letter = 'S', .environment = "OPENBENCH_SERVER")

/* The login after login_take. */
typedef struct {
    const char *username; /* Owned by the options. */
    char *password;
    char *base_url; /* In the form of http_base_url. */
} Login;

/* Moves the password of the command line or of the environment to memory that lists of processes do
 * not show, and overwrites the original. Only login_protect closes this memory to others. For a
 * command that has more to do before login_take. Allocated, and options->password from then on;
 * NULL: there is none. */
char *login_hold(LoginOptions *options);

/* Forbids core files of this process, and access to its memory by other processes of the user. Call
 * before a password is read, and after sandbox_open. */
void login_protect(void);

/* Reads the password in the first line of the file of --password-file. A path /dev/fd/N is that
 * descriptor, which is closed. Warns of a file that others may read. *password is allocated, and
 * NULL when the file cannot be read. */
bool login_read_password_file(const char *path, Log *log, char **password, Error *err);

/* Takes the password from its file, from the option (overwritten, to hide the password from `ps`),
 * from the environment or from the terminal, in this order. Checks name and address. Warns of a
 * file that others may read, and of passwords that cross the network unencrypted. Call login_free
 * in either case. */
bool login_take(const LoginOptions *given, Log *log, Login *out, Error *err);

/* As login_take, when no login is needed: without a username only the address is taken. */
bool login_take_optional(const LoginOptions *given, Log *log, Login *out, Error *err);

/* Overwrites the password that `ps` shows, in a run that needs no password. */
void login_hide(const LoginOptions *given);

/* Writes the password into a pipe and returns the path of the pipe's reading end, which is the
 * password_file of the program that replaces this process. login_take reads the pipe and closes
 * it. Allocated; NULL with err set. */
char *login_pass_on(const Login *login, Error *err);

/* Overwrites the password and frees the login. */
void login_free(Login *login);

#endif
