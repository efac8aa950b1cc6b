/* SPDX-License-Identifier: MIT */
/* Command lines from a table: GNU conventions, one error that names the option, defaults from the
 * environment. Each command declares its rows; parsing fills a struct of the command. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"

/* Exit statuses of every command; `statuses` of a table names further ones. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* The kind of an option, and the type of its field at `offset`. */
typedef enum {
    OPTION_FLAG,    /* bool; no value */
    OPTION_STRING,  /* const char * */
    OPTION_CHOICE,  /* const char *, one of the words in `value`, e.g. "on|off|auto" */
    OPTION_INTEGER, /* int64_t within [min, max] */
    OPTION_NUMBER,  /* double within [min, max] */
    OPTION_LIST,    /* OptionList; may be given several times */
    OPTION_WORDS,   /* OptionList; takes every word up to the next option: --focus A B C */
    OPTION_HEADING, /* no option: a heading, the text in `help`, above the rows that follow */
} OptionKind;

/* Values in the order given. The strings belong to argv. All zero: empty. */
typedef struct {
    const char **items;
    size_t count;
    size_t capacity;
} OptionList;

/* One option. The caller sets the defaults in the struct before parsing. */
typedef struct {
    const char *name; /* long form, without "--"; "" for a heading */
    char letter;      /* short form, or 0 */
    OptionKind kind;
    size_t offset;     /* offsetof(the command's struct, field) */
    const char *value; /* the value's name in --help: "FILE"; for a choice its words */
    const char *help;  /* wrapped to fit; NULL: --help does not show the option, which works */
    const char *environment; /* variable that is read when the option is not given; NULL: none */
    double min, max;         /* of numbers; both 0: the limits of the type alone */
    bool secret; /* of a string: a value that another one replaces is hidden, as by options_hide */
} Option;

typedef struct {
    const char *command;  /* "obworker match", for --help and errors */
    const char *synopsis; /* "--dev SPEC --base SPEC [options]" */
    const char *about;    /* what the command does, a sentence or more; line breaks are kept */
    const char *statuses; /* the command's own exit statuses: "; 3 no work"; NULL: none */
    const Option *options;
    size_t count;
    size_t operands; /* offset of an OptionList for all other words, or OPTION_NO_OPERANDS */
    const char *no_operands; /* where other words belong, for their error; NULL: nowhere */
} OptionTable;

#define OPTION_NO_OPERANDS ((size_t)-1)

/* The rows of a table, a line each. at: the field's offset. After the help text, other fields of
 * the Option may follow by their names: .letter = 'T'. */
#define OPTION_SECTION(title)                                                                      \
    { .name = "", .kind = OPTION_HEADING, .help = (title) }
#define FLAG_OPTION(title, at, ...)                                                                \
    { .name = (title), .kind = OPTION_FLAG, .offset = (at), .help = __VA_ARGS__ }
#define VALUE_OPTION(title, of_kind, shown, at, ...)                                               \
    { .name = (title), .kind = (of_kind), .value = (shown), .offset = (at), .help = __VA_ARGS__ }
#define TEXT_OPTION(title, shown, at, ...)                                                         \
    VALUE_OPTION(title, OPTION_STRING, shown, at, __VA_ARGS__)
#define LIST_OPTION(title, shown, at, ...) VALUE_OPTION(title, OPTION_LIST, shown, at, __VA_ARGS__)
#define WORDS_OPTION(title, shown, at, ...)                                                        \
    VALUE_OPTION(title, OPTION_WORDS, shown, at, __VA_ARGS__)
#define CHOICE_OPTION(title, words, at, ...)                                                       \
    VALUE_OPTION(title, OPTION_CHOICE, words, at, __VA_ARGS__)
#define INTEGER_OPTION(title, shown, at, least, most, ...)                                         \
    VALUE_OPTION(title, OPTION_INTEGER, shown, at, __VA_ARGS__, .min = (least), .max = (most))
#define NUMBER_OPTION(title, shown, at, least, most, ...)                                          \
    VALUE_OPTION(title, OPTION_NUMBER, shown, at, __VA_ARGS__, .min = (least), .max = (most))

/* The options of every command: a command's struct has a CommonOptions, and its table has
 * OPTION_COMMON(offset of this field). */
typedef struct {
    bool quiet;
    bool verbose;
} CommonOptions;

#define OPTION_COMMON(at)                                                                          \
    FLAG_OPTION("quiet", (at) + offsetof(CommonOptions, quiet),                                    \
                "only results, warnings and errors", .letter = 'q'),                               \
        FLAG_OPTION("verbose", (at) + offsetof(CommonOptions, verbose), "more detail",             \
                    .letter = 'v')

/* Overwrites a value where lists of processes show it: in argv or the environment. Zeros would
 * change the number of words. NULL is allowed. */
void options_hide(const char *value);

LogLevel options_log_level(const CommonOptions *common);

/* Parses argv[1 …] into *target and returns true. For --help prints the help to stdout, for an
 * error prints the error to stderr; then sets *status and returns false. Understands --name=value,
 * --name value, -n value, -nvalue, -abc for flags, unique beginnings of long names, and --. A value
 * given again replaces the first. Strings in *target belong to argv or the environment. */
bool options_run(const OptionTable *table, int argc, char **argv, void *target, int *status);

/* An option that needs another option, or excludes one. */
typedef struct {
    const char *name;
    bool given, useful;
    const char *why; /* What to read where the option is of no use. */
} OptionUse;

/* Refuses the first option that was given and would say nothing: "--name: why". */
bool options_check_uses(const OptionUse *uses, size_t count, Error *err);

/* Is "--name=value", or "--name" of an option without a value, an option by its whole name? What
 * stands in files keeps its meaning when a new option begins alike, and takes no part of the next
 * line. err may be NULL. */
bool options_is_whole(const OptionTable *table, const char *word, Error *err);

/* As options_run, without any output: false with err set, or, for --help, with *help true. */
bool options_parse(const OptionTable *table, int argc, char **argv, void *target, bool *help,
                   Error *err);

/* Appends a word "--name=value" for each value of *given that differs from *standard, which options
   set to begin with, but not for options of the names in `left_out`, NULL-terminated. */
void options_write(const OptionTable *table, const void *given, const void *standard,
                   const char *const *left_out, Words *out);

/* Frees the lists of *target. */
void options_free(const OptionTable *table, void *target);

void options_print_help(const OptionTable *table, FILE *out);

/* Reports a usage fault that parsing cannot find (in a value's meaning): "obworker match: cause" on
 * stderr. Returns EXIT_USAGE. */
int options_usage_error(const OptionTable *table, const Error *err);

#endif
