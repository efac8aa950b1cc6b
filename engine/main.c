/* SPDX-License-Identifier: MIT */
/* reductio: the UCI engine. Commands come from the command line, or else from standard input. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpubuild.h"
#include "uci.h"
#include "version.h"

enum { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

static const char help[] =
    "reductio: a UCI chess engine whose late move reductions are switches\n"
    "\n"
    "usage: reductio                 speak UCI on standard input\n"
    "       reductio COMMAND ...     obey these commands in order, then leave\n"
    "\n"
    "  bench [depth]            search fixed positions to a depth (11); last line:\n"
    "                           N nodes M nps\n"
    "  lmr                      the reductions' rows that differ from the default\n"
    "  lmr list [--json]        every row: value, range, source, meaning\n"
    "  lmr stats [depth] [--json]\n"
    "                           what the reductions do to a depth (10; builds with\n"
    "                           LMR=\"STATS=1\")\n"
    "  lmr spsa [ROW ...]       OpenBench SPSA input (builds with TUNE=1)\n"
    "  params [list [--json] | spsa [ROW ...]]\n"
    "                           the same for the search's own numbers\n"
    "  genfens N seed S book <None|path> [random_plies=P] [min=CP] [max=CP]\n"
    "          [nodes=N]\n"
    "                           N openings at random\n"
    "  datagen games N out FILE [nodes N] [seed S] [book <None|path>]\n"
    "          [random_plies P] [every N]\n"
    "                           quiet positions of games against itself, with score\n"
    "                           and result\n"
    "  eval, d, go perft N, and all of UCI\n"
    "  A command that holds another one's name (a file called d) goes into quotes.\n"
    "\n"
    "  --help, --version\n";

static bool is_help(const char *argument) {
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0 ||
           strcmp(argument, "help") == 0;
}

static bool is_command(const char *argument) {
    return uci_is_command(argument, strcspn(argument, " \t"));
}

/* A command and the arguments that follow it up to the next command, as one line. */
static char *join_arguments(char **arguments, int count) {
    size_t size = 1;
    for (int i = 0; i < count; i++)
        size += strlen(arguments[i]) + 1;
    char *line = malloc(size), *end = line;
    for (int i = 0; line != NULL && i < count; i++) {
        size_t length = strlen(arguments[i]);
        memcpy(end, arguments[i], length);
        end += length;
        *end++ = ' ';
    }
    if (line != NULL)
        *end = '\0';
    return line;
}

/* The exit status of commands that ended with `status`: a failure, and told, where standard output
 * did not take all that they printed. */
static int close_output(int status) {
    if ((fflush(stdout) == 0 && !ferror(stdout)) || status != STATUS_DONE)
        return status;
    fputs("reductio: standard output: not all could be written\n", stderr);
    return STATUS_FAILED;
}

static int tell_no_memory(void) {
    fputs("reductio: out of memory\n", stderr);
    return STATUS_FAILED;
}

static int run_arguments(char **arguments, int count) {
    if (!is_command(arguments[0])) {
        fprintf(stderr, "reductio: unknown command \"%s\"; see reductio --help\n", arguments[0]);
        return STATUS_USAGE;
    }
    Uci *uci = uci_new(stdout, true);
    if (uci == NULL)
        return tell_no_memory();
    bool more = true;
    for (int i = 0; more && i < count;) {
        int words = 1;
        while (i + words < count && !is_command(arguments[i + words]))
            words++;
        char *line = join_arguments(arguments + i, words);
        if (line == NULL) {
            uci_free(uci);
            return tell_no_memory();
        }
        more = uci_execute(uci, line);
        free(line);
        if (more)
            uci_finish(uci);
        i += words;
    }
    bool failed = uci_failed(uci);
    uci_free(uci);
    return close_output(failed ? STATUS_FAILED : STATUS_DONE);
}

static int run_dialogue(void) {
    Uci *uci = uci_new(stdout, false);
    if (uci == NULL)
        return tell_no_memory();
    uci_loop(uci, stdin);
    uci_free(uci);
    return close_output(STATUS_DONE);
}

int main(int argc, char **argv) {
    cpubuild_enter(argv);
    if (argc > 1 && strcmp(argv[1], "--") == 0)
        return argc > 2 ? run_arguments(argv + 2, argc - 2) : run_dialogue();
    bool version = argc > 1 && strcmp(argv[1], "--version") == 0;
    if (argc > 2 && (version || is_help(argv[1]))) {
        fprintf(stderr, "reductio: \"%s\": a word too many; see reductio --help\n", argv[2]);
        return STATUS_USAGE;
    }
    if (argc > 1 && is_help(argv[1])) {
        fputs(help, stdout);
        return close_output(STATUS_DONE);
    }
    if (version) {
        puts("reductio " REDUCTIO_VERSION);
        printf("built for %s, sliders by %s\n", cpubuild_name(), cpubuild_sliders());
        return close_output(STATUS_DONE);
    }
    if (argc > 1)
        return run_arguments(argv + 1, argc - 1);
    return run_dialogue();
}
