/* SPDX-License-Identifier: MIT */
#include "submit/form.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "match/timecontrol.h"
#include "submit/proposal.h"

/* ---- Settings ---- */

static bool set_time_control(TestForm *form, const FormSettings *given, Error *err) {
    TimeControl tc;
    char text[TIMECONTROL_TEXT_MAX];
    if (!given->tc)
        return true;
    if (!timecontrol_parse(given->tc, &tc, err))
        return error_prefix(err, "--tc");
    timecontrol_format(&tc, text);
    if (timecontrol_is_timed(&tc))
        text[strlen(text) - 1] = '\0'; /* the report's "s" */
    testform_set(form, "dev_time_control", text);
    testform_set(form, "base_time_control", text);
    return true;
}

/* Two numbers as the form has them: with two decimals, or as many as they need. */
static void set_numbers(TestForm *form, const char *field, double first, double second) {
    Text text = {0};
    const double numbers[] = {first, second};
    for (int i = 0; i < 2; i++) {
        char two[64];
        snprintf(two, sizeof two, "%.2f", numbers[i]);
        text_add(&text, i ? ", " : "[");
        if (strtod(two, NULL) == numbers[i])
            text_add(&text, two);
        else
            text_addf(&text, "%.10g", numbers[i]);
    }
    text_add(&text, "]");
    testform_set(form, field, text_string(&text));
    text_free(&text);
}

static void set_mode(TestForm *form, const FormSettings *given) {
    char games[32];
    if (given->bounds)
        set_numbers(form, "test_bounds", given->rule.elo0, given->rule.elo1);
    if (given->confidence) /* The server wants beta first. */
        set_numbers(form, "test_confidence", given->rule.beta, given->rule.alpha);
    if (given->games) {
        snprintf(games, sizeof games, "%" PRId64, given->games);
        testform_set(form, "test_max_games", games);
        testform_set(form, "test_mode", "GAMES");
    }
}

/* Puts name=value into the words, in the place of one of that name. */
static void set_word(Words *words, const char *option) {
    size_t name = strcspn(option, "=") + 1;
    for (size_t i = 0; i < words->count; i++) {
        if (strncmp(words->items[i], option, name) == 0) {
            free(words->items[i]);
            words->items[i] = mem_strdup(option);
            return;
        }
    }
    words_add(words, option);
}

/* A side's options with those of --option; a word with blanks is quoted whole. */
static bool set_uci_options(TestForm *form, const OptionList *options, const char *field,
                            Error *err) {
    Words words = {0};
    Text text = {0};
    if (!words_split(&words, testform_get(form, field), err)) {
        words_free(&words);
        return error_prefix(err, "%s", field);
    }
    for (size_t i = 0; i < options->count; i++)
        set_word(&words, options->items[i]);
    for (size_t i = 0; i < words.count; i++) {
        const char *quote = strpbrk(words.items[i], " \t") ? "\"" : "";
        text_addf(&text, "%s%s%s%s", i ? " " : "", quote, words.items[i], quote);
    }
    testform_set(form, field, text_string(&text));
    words_free(&words);
    text_free(&text);
    return true;
}

static bool check_options(const OptionList *list, Error *err) {
    for (size_t i = 0; i < list->count; i++) {
        const char *text = list->items[i];
        if (text[0] == '=' || !strchr(text, '=') || strpbrk(text, "\"\n"))
            return error_set(err, "--option: '%s' is not NAME=VALUE", text);
    }
    return true;
}

bool form_read(TestForm *form, const FormSettings *given, Error *err) {
    if (given->from && !testform_read(form, given->from, err))
        return error_prefix(err, "--from");
    if (given->games && given->bounds)
        return error_set(err, "--games: is instead of --bounds");
    if (!set_time_control(form, given, err) || !check_options(&given->options, err))
        return false;
    set_mode(form, given);
    testform_set(form, "dev_engine", given->engine);
    testform_set(form, "base_engine", given->engine);
    testform_set(form, "dev_repo", given->repo);
    testform_set(form, "base_repo", given->repo);
    testform_set(form, "book_name", given->book);
    testform_set(form, "info", given->info);
    testform_set(form, "dev_branch", given->branch);
    testform_set(form, "base_branch", given->base_branch);
    return true;
}

bool form_complete(TestForm *form, const FormSettings *given, Error *err) {
    testform_fill(form);
    return set_uci_options(form, &given->options, "dev_options", err) &&
           set_uci_options(form, &given->options, "base_options", err);
}

bool form_says(const TestForm *form, const char *field) {
    const char *value = testform_get(form, field);
    return value && value[0] != '\0';
}

/* ---- The repository's address ---- */

static const char *const repo_fields[] = {"dev_repo", "base_repo"};

void form_find_address(TestForm *form, const char *remote) {
    char *address = remote_address(remote);
    for (size_t i = 0; i < COUNT(repo_fields); i++)
        if (!form_says(form, repo_fields[i]))
            testform_set(form, repo_fields[i], address);
    free(address);
}

bool form_check_address(const TestForm *form, const char *remote, Error *err) {
    for (size_t i = 0; i < COUNT(repo_fields); i++)
        if (!form_says(form, repo_fields[i]))
            return error_set(err,
                             "--repo: is missing: the address at which the server finds the "
                             "branches (the remote %s has none on the web)",
                             remote);
    return true;
}
