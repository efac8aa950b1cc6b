/* SPDX-License-Identifier: MIT */
/* obworker: one program for contributing to an OpenBench server and for testing without a server.
 * Finds the command, and calls its main. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/confine.h"
#include "base/descriptors.h"
#include "base/options.h"
#include "base/sandbox.h"
#include "base/streams.h"
#include "base/text.h"
#include "commands.h"

/* A command. */
typedef struct {
    const char *name;
    const char *about;
    int (*run)(int argc, char **argv);
} Command;

static const Command commands[] = {
    {"match", "an A/B test on this machine, with no server", cmd_match_main},
    {"tune", "tune an engine's options by SPSA, with no server", cmd_tune_main},
    {"work", "contribute this machine's CPU to an OpenBench server", cmd_work_main},
    {"report", "Elo, LLR and pentanomial of results", cmd_report_main},
    {"submit", "put A/B tests on an OpenBench server", cmd_submit_main},
    {"check-engine", "would an engine survive a match, and can OpenBench use it?", cmd_check_main},
    {"serve", "an OpenBench server on this machine", cmd_serve_main},
};

enum {
    COMMAND_COUNT = sizeof commands / sizeof *commands,
    /* Three pipes to each engine of 4096 games at a time, and some more. */
    DESCRIPTORS = 32768
};

#ifdef HAVE_FATHOM
static const char fathom[] = "yes";
#else
static const char fathom[] = "no (configured without libfathom)";
#endif

#ifdef HAVE_SERVE
static const char server[] = "yes";
#else
static const char server[] = "no (configured without libmicrohttpd or SQLite)";
#endif

static void print_version(void) {
    ConfineLayers layers;
    Text sandbox = {0};
    if (!confine_exists())
        text_add(&sandbox, "none on this system");
    else if (confine_probe(&layers))
        sandbox_describe(&layers, geteuid() == 0, &sandbox);
    else
        text_add(&sandbox, "unknown, since no process can be started");
    printf("obworker %s\nSyzygy adjudication: %s\nServer: %s\nSandbox: %s\n", PACKAGE_VERSION,
           fathom, server, text_string(&sandbox));
    text_free(&sandbox);
}

static void print_help(FILE *out) {
    fputs("Usage: obworker COMMAND [options]\n\n"
          "Measures what a change of a chess engine is worth, by games.\n\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-14s%s\n", commands[i].name, commands[i].about);
    fputs("\n  -h, --help      this text; 'obworker help COMMAND' for a command's own\n"
          "  -V, --version   version, what was built in, the layers of the sandbox\n",
          out);
}

static bool is_one_of(const char *word, const char *first, const char *second) {
    return strcmp(word, first) == 0 || strcmp(word, second) == 0;
}

static int complain_unknown(const char *name) {
    TextGuess guess = {.word = name};
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        text_guess(&guess, commands[i].name);
    if (is_one_of(name, "fastchess", "cutechess-cli")) /* `match` knows their words. */
        guess.best = "match";
    fprintf(stderr, "obworker: '%s' is not a command%s\nTry 'obworker --help'.\n", name,
            text_guess_hint(&guess));
    return EXIT_USAGE;
}

/* Runs the command that argv[0] names. */
static int run_named(int argc, char **argv) {
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(argv[0], commands[i].name) != 0)
            continue;
        if (argc != 2 || strcmp(argv[1], "--version") != 0)
            return commands[i].run(argc, argv);
        print_version();
        return EXIT_DONE;
    }
    return complain_unknown(argv[0]);
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    bool help = strcmp(argv[1], "help") == 0 || is_one_of(argv[1], "--help", "-h");
    bool version = is_one_of(argv[1], "--version", "-V");
    int most = help && argc > 2 && argv[2][0] != '-' ? 3 : help || version ? 2 : argc;
    if (argc > most) {
        fprintf(stderr, "obworker: '%s': a word too many\nTry 'obworker --help'.\n", argv[most]);
        return EXIT_USAGE;
    }
    if (help && argc > 2)
        return run_named(2, (char *[]){argv[2], (char *)"--help", NULL});
    if (help) {
        print_help(stdout);
        return EXIT_DONE;
    }
    if (version) {
        print_version();
        return EXIT_DONE;
    }
    return run_named(argc - 1, argv + 1);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    if (!streams_open()) {
        perror("obworker: a standard stream is closed, and /dev/null cannot be opened");
        return EXIT_FAILED;
    }
    descriptors_allow(DESCRIPTORS);
    signal(SIGCHLD, SIG_DFL); /* Ignored, as some parents leave it, it hides how children end. */
    int status = run(argc, argv);
    /* A full disk or a closed pipe must not look like success, nor like a verdict. */
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && status != EXIT_FAILED && status != EXIT_USAGE) {
        fprintf(stderr, "obworker: standard output: %s\n",
                errno != 0 ? strerror(errno) : "not all could be written");
        return EXIT_FAILED;
    }
    return status;
}
