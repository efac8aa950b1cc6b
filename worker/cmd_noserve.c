/* SPDX-License-Identifier: MIT */
/* obworker serve, in a program that was built without the server's libraries. */
#include <stdio.h>

#include "base/options.h"
#include "commands.h"

int cmd_serve_main(int argc, char **argv) {
    (void)argc;
    (void)argv;
    fputs("obworker serve: this obworker was built without libmicrohttpd or SQLite: install both "
          "with their headers (Debian: libmicrohttpd-dev libsqlite3-dev), run ./configure, and "
          "build again\n",
          stderr);
    return EXIT_FAILED;
}
