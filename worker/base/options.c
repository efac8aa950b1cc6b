/* SPDX-License-Identifier: MIT */
#include "base/options.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum { HELP_COLUMN = 30, HELP_WIDTH = 79, USAGE_INDENT = 7, NAME_MAX_SHOWN = 40 };

/* The state of one parse. */
typedef struct {
    const OptionTable *table;
    int argc;
    char **argv;
    int next; /* index of the next argument */
    void *target;
    bool *seen; /* by row: the option was given */
    bool *help; /* --help was given */
    Error *err;
} Parse;

/* The row after a table's own. */
static const Option HELP = {
    .name = "help", .letter = 'h', .kind = OPTION_FLAG, .help = "this text"};

LogLevel options_log_level(const CommonOptions *common) {
    if (common->quiet)
        return LOG_QUIET;
    return common->verbose ? LOG_VERBOSE : LOG_NORMAL;
}

static void *field_of(const Option *option, void *target) {
    return (char *)target + option->offset;
}

static void list_add(OptionList *list, const char *item) {
    MEM_ADD(list->items, list->count, list->capacity, item);
}

static bool has_value(const Option *option) {
    return option->kind != OPTION_FLAG;
}

/* Is `word` one of the words in `choices`, which '|' separates? */
static bool is_choice(const char *choices, const char *word) {
    size_t length = strlen(word);
    for (const char *s = choices; s; s = strchr(s, '|')) {
        if (*s == '|')
            s++;
        if (strcspn(s, "|") == length && strncmp(s, word, length) == 0)
            return length > 0;
    }
    return false;
}

/* An option has its limits as doubles, which hold integers exactly up to 2^53. */
static bool store_integer(const Option *option, const char *what, const char *value, void *field,
                          Error *err) {
    bool limited = option->min != 0 || option->max != 0;
    int64_t min = limited ? (int64_t)option->min : INT64_MIN;
    int64_t max = limited ? (int64_t)option->max : INT64_MAX;
    return text_to_int(value, min, max, what, field, err);
}

static bool store_number(const Option *option, const char *what, const char *value, void *field,
                         Error *err) {
    bool limited = option->min != 0 || option->max != 0;
    double min = limited ? option->min : -1e300;
    double max = limited ? option->max : 1e300;
    return text_to_double(value, min, max, what, field, err);
}

static bool names_path(const Option *option) {
    return option->value && (strncmp(option->value, "FILE", strlen("FILE")) == 0 ||
                             strncmp(option->value, "DIR", strlen("DIR")) == 0);
}

static bool complain_missing(const Option *option, const char *what, Error *err) {
    return error_set(err, "%s: %s is missing", what, option->value ? option->value : "its value");
}

void options_hide(const char *value) {
    if (value)
        memset((char *)value, 'x', strlen(value));
}

/* Puts a value into the option's field. `what` names the option, or the variable with the value. */
static bool store(const Option *option, const char *what, const char *value, void *target,
                  Error *err) {
    void *field = field_of(option, target);
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return true;
    case OPTION_STRING:
        /* A script's unset variable gives "", which as a path would be the current folder. */
        if (value[0] == '\0' && names_path(option))
            return complain_missing(option, what, err);
        if (option->secret)
            options_hide(*(const char **)field);
        *(const char **)field = value;
        return true;
    case OPTION_CHOICE:
        if (!is_choice(option->value, value))
            return error_set(err, "%s: '%.80s' is not one of %s", what, value, option->value);
        *(const char **)field = value;
        return true;
    case OPTION_INTEGER:
        return store_integer(option, what, value, field, err);
    case OPTION_NUMBER:
        return store_number(option, what, value, field, err);
    case OPTION_LIST:
    case OPTION_WORDS:
        list_add(field, value);
        return true;
    case OPTION_HEADING: /* Its name is empty, so no word gives it. */
        break;
    }
    return false;
}

/* Does --help show the option? */
static bool is_offered(const Option *option) {
    return option->help && option->kind != OPTION_HEADING;
}

static const Option *row_or_help(const OptionTable *table, size_t i) {
    return i < table->count ? &table->options[i] : &HELP;
}

/* Refuses a long option, which was written with `dashes`. */
static void complain_unknown(const OptionTable *table, const char *dashes, const char *name,
                             size_t length, Error *err) {
    char shown[NAME_MAX_SHOWN + 1];
    snprintf(shown, sizeof shown, "%.*s", (int)(length < NAME_MAX_SHOWN ? length : NAME_MAX_SHOWN),
             name);
    TextGuess guess = {.word = shown, .before = "--"};
    for (size_t i = 0; i <= table->count; i++)
        if (is_offered(row_or_help(table, i)))
            text_guess(&guess, row_or_help(table, i)->name);
    error_set(err, "unknown option %s%s%s", dashes, shown, text_guess_hint(&guess));
}

/* The option of this long name, or the only option whose name begins like it. */
static const Option *find_long(const OptionTable *table, const char *name, size_t length,
                               Error *err) {
    const Option *found = NULL;
    for (size_t i = 0; length && i <= table->count; i++) {
        const Option *option = row_or_help(table, i);
        if (strncmp(option->name, name, length) != 0)
            continue;
        if (strlen(option->name) == length)
            return option;
        if (!option->help)
            continue; /* A hidden option has no short form. */
        if (found) {
            error_set(err, "--%.*s: may be --%s or --%s", (int)length, name, found->name,
                      option->name);
            return NULL;
        }
        found = option;
    }
    if (!found)
        complain_unknown(table, "--", name, length, err);
    return found;
}

bool options_check_uses(const OptionUse *uses, size_t count, Error *err) {
    for (size_t i = 0; i < count; i++)
        if (uses[i].given && !uses[i].useful)
            return error_set(err, "--%s: %s", uses[i].name, uses[i].why);
    return true;
}

bool options_is_whole(const OptionTable *table, const char *word, Error *err) {
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < table->count; i++) {
        const Option *option = &table->options[i];
        if (option->kind != OPTION_HEADING && length == strlen("--") + strlen(option->name) &&
            strncmp(word + strlen("--"), option->name, length - strlen("--")) == 0)
            return word[length] == '=' || !has_value(option) || complain_missing(option, word, err);
    }
    return error_set(err, "%.*s: is no option: names in files are written in full", (int)length,
                     word);
}

/* NULL: no option has this letter. */
static const Option *find_short(const OptionTable *table, char letter) {
    for (size_t i = 0; i <= table->count; i++)
        if (row_or_help(table, i)->letter == letter)
            return row_or_help(table, i);
    return NULL;
}

static bool is_option(const char *arg) {
    return arg[0] == '-' && arg[1] != '\0';
}

/* Stores an option's value: `attached`, or the next argument (for OPTION_WORDS also those after
 * it). False for --help, too. */
static bool take_value(Parse *p, const Option *option, const char *what, const char *attached) {
    if (attached && option->kind == OPTION_FLAG)
        return error_set(p->err, "%s: takes no value", what);
    if (option == &HELP) {
        *p->help = true;
        return false;
    }
    p->seen[option - p->table->options] = true;
    if (!has_value(option))
        return store(option, what, "", p->target, p->err);
    if (!attached) {
        if (p->next >= p->argc)
            return complain_missing(option, what, p->err);
        attached = p->argv[p->next++];
    }
    if (!store(option, what, attached, p->target, p->err))
        return false;
    while (option->kind == OPTION_WORDS && p->next < p->argc && !is_option(p->argv[p->next]))
        store(option, what, p->argv[p->next++], p->target, p->err);
    return true;
}

static bool parse_long(Parse *p, const char *arg) {
    const char *name = arg + 2;
    size_t length = strcspn(name, "=");
    const Option *option = find_long(p->table, name, length, p->err);
    if (!option)
        return false;
    char what[NAME_MAX_SHOWN + 3];
    snprintf(what, sizeof what, "--%.*s", NAME_MAX_SHOWN, option->name);
    return take_value(p, option, what, name[length] ? name + length + 1 : NULL);
}

/* Reads letters behind one dash: flags, of which the last may be an option with a value. */
static bool parse_short(Parse *p, const char *arg) {
    for (const char *s = arg + 1; *s; s++) {
        const Option *option = find_short(p->table, *s);
        bool whole = s == arg + 1 && s[1]; /* A long option with one dash: -tc, -html. */
        if (whole && (!option || option == &HELP)) {
            complain_unknown(p->table, "-", s, 1 + strcspn(s + 1, "="), p->err);
            return false;
        }
        if (!option)
            return error_set(p->err,
                             s == arg + 1 ? "unknown option -%c" : "unknown option -%c in %.64s",
                             *s, arg);
        char what[3] = {'-', *s, '\0'};
        bool valued = has_value(option);
        if (!take_value(p, option, what, valued && s[1] ? s + 1 : NULL))
            return false;
        if (valued)
            break;
    }
    return true;
}

static bool take_environment(Parse *p) {
    for (size_t i = 0; i < p->table->count; i++) {
        const Option *option = &p->table->options[i];
        const char *value = option->environment ? getenv(option->environment) : NULL;
        if (p->seen[i]) {
            if (option->secret)
                options_hide(value);
            continue;
        }
        if (value && *value && !store(option, option->environment, value, p->target, p->err))
            return false;
    }
    return true;
}

static bool parse_all(Parse *p) {
    bool only_operands = false;
    while (p->next < p->argc) {
        const char *arg = p->argv[p->next++];
        if (!only_operands && is_option(arg)) {
            if (strcmp(arg, "--") == 0)
                only_operands = true;
            else if (!(arg[1] == '-' ? parse_long(p, arg) : parse_short(p, arg)))
                return false;
        } else if (p->table->operands == OPTION_NO_OPERANDS) {
            return error_set(p->err, "'%.80s': not an option%s%s", arg,
                             p->table->no_operands ? ": " : "",
                             p->table->no_operands ? p->table->no_operands : "");
        } else {
            list_add((OptionList *)((char *)p->target + p->table->operands), arg);
        }
    }
    return take_environment(p);
}

bool options_parse(const OptionTable *table, int argc, char **argv, void *target, bool *help,
                   Error *err) {
    Parse p = {.table = table, .argc = argc, .argv = argv, .next = 1, .target = target, .err = err};
    p.seen = mem_calloc(table->count, sizeof *p.seen);
    p.help = help;
    *help = false;
    bool ok = parse_all(&p);
    free(p.seen);
    return ok;
}

int options_usage_error(const OptionTable *table, const Error *err) {
    fprintf(stderr, "%s: ", table->command);
    text_print(stderr, err->text);
    fprintf(stderr, "\nTry '%s --help'.\n", table->command);
    return EXIT_USAGE;
}

bool options_run(const OptionTable *table, int argc, char **argv, void *target, int *status) {
    Error err = {0};
    bool help;
    if (options_parse(table, argc, argv, target, &help, &err))
        return true;
    if (help) {
        options_print_help(table, stdout);
        *status = EXIT_DONE;
    } else {
        *status = options_usage_error(table, &err);
    }
    options_free(table, target);
    return false;
}

static void list_free(OptionList *list) {
    free(list->items);
    *list = (OptionList){0};
}

void options_free(const OptionTable *table, void *target) {
    for (size_t i = 0; i < table->count; i++) {
        OptionKind kind = table->options[i].kind;
        if (kind == OPTION_LIST || kind == OPTION_WORDS)
            list_free(field_of(&table->options[i], target));
    }
    if (table->operands != OPTION_NO_OPERANDS)
        list_free((OptionList *)((char *)target + table->operands));
}

/* Prints text in lines of HELP_WIDTH: the first begins at `column`, the others at `indent`. */
static void print_wrapped(const char *text, int column, int indent, FILE *out) {
    for (const char *word = text; *word;) {
        int length = (int)strcspn(word, " \n");
        bool begins = word == text;
        if (!begins && (word[-1] == '\n' || column + 1 + length > HELP_WIDTH)) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            begins = true;
        }
        column += fprintf(out, "%s%.*s", begins ? "" : " ", length, word);
        word += length + (word[length] != '\0');
    }
    fputc('\n', out);
}

static void print_row(char letter, const char *name, const char *value, const char *help,
                      FILE *out) {
    Text row = {0};
    if (letter)
        text_addf(&row, "  -%c, --%s", letter, name);
    else
        text_addf(&row, "      --%s", name);
    if (value)
        text_addf(&row, " %s", value);
    /* An option too long for its column has its help on the next line. */
    if (row.length + 2 > HELP_COLUMN)
        fprintf(out, "%s\n%*s", row.data, HELP_COLUMN, "");
    else
        fprintf(out, "%-*s", HELP_COLUMN, row.data);
    print_wrapped(help, HELP_COLUMN, HELP_COLUMN, out);
    text_free(&row);
}

void options_print_help(const OptionTable *table, FILE *out) {
    int column = fprintf(out, "Usage: %s ", table->command);
    print_wrapped(table->synopsis, column, USAGE_INDENT, out);
    fputc('\n', out);
    print_wrapped(table->about, 0, 0, out);
    fputc('\n', out);
    for (size_t i = 0; i < table->count; i++) {
        const Option *option = &table->options[i];
        if (option->kind == OPTION_HEADING)
            fprintf(out, "%s%s:\n", i > 0 ? "\n" : "", option->help);
        if (!is_offered(option))
            continue;
        print_row(option->letter, option->name, has_value(option) ? option->value : NULL,
                  option->help, out);
    }
    print_row(HELP.letter, HELP.name, NULL, HELP.help, out);
    char *statuses = text_format("Exit status: %d done, %d failed, %d wrong usage%s", EXIT_DONE,
                                 EXIT_FAILED, EXIT_USAGE, table->statuses ? table->statuses : "");
    fputc('\n', out);
    print_wrapped(statuses, 0, 0, out);
    free(statuses);
}

/* ---- Writing ---- */

static bool is_named(const char *const *names, const char *name) {
    for (; *names != NULL; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

static void add_word(Words *out, const char *name, const char *value) {
    words_addf(out, "--%s%s%s", name, value != NULL ? "=" : "", value != NULL ? value : "");
}

static void write_integer(const Option *option, int64_t value, int64_t standard, Words *out) {
    char *number = text_format("%" PRId64, value);
    if (value != standard)
        add_word(out, option->name, number);
    free(number);
}

static void write_number(const Option *option, double value, double standard, Words *out) {
    Text number = {0};
    bool both_unset = isnan(value) && isnan(standard);
    text_add_number(&number, value);
    if (value != standard && !both_unset)
        add_word(out, option->name, text_string(&number));
    text_free(&number);
}

static void write_option(const Option *option, const void *given, const void *standard,
                         Words *out) {
    const void *value = (const char *)given + option->offset;
    const void *before = (const char *)standard + option->offset;
    const OptionList *list = value;
    switch (option->kind) {
    case OPTION_FLAG:
        if (*(const bool *)value && !*(const bool *)before)
            add_word(out, option->name, NULL);
        break;
    case OPTION_STRING:
    case OPTION_CHOICE: {
        const char *text = *(const char *const *)value;
        const char *old = *(const char *const *)before;
        if (text != NULL && (old == NULL || strcmp(text, old) != 0))
            add_word(out, option->name, text);
        break;
    }
    case OPTION_INTEGER:
        write_integer(option, *(const int64_t *)value, *(const int64_t *)before, out);
        break;
    case OPTION_NUMBER:
        write_number(option, *(const double *)value, *(const double *)before, out);
        break;
    case OPTION_LIST:
    case OPTION_WORDS:
        for (size_t i = 0; i < list->count; i++)
            add_word(out, option->name, list->items[i]);
        break;
    case OPTION_HEADING:
        break;
    }
}

void options_write(const OptionTable *table, const void *given, const void *standard,
                   const char *const *left_out, Words *out) {
    for (size_t i = 0; i < table->count; i++)
        if (!is_named(left_out, table->options[i].name))
            write_option(&table->options[i], given, standard, out);
}
