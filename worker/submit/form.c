/* SPDX-License-Identifier: MIT */
#include "submit/form.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/text.h"
#include "match/timecontrol.h"

/* ---- Settings ---- */

static bool set_time_control(TestForm *form, const FormSettings *given, Error *err) {
    TimeControl tc;
    char text[TIMECONTROL_TEXT_MAX];
    if (!given->tc)
        return true;
    if (!timecontrol_parse(given->tc, &tc, err))
        return error_prefix(err, "--tc");
    timecontrol_format_plain(&tc, text);
    testform_set(form, "dev_time_control", text);
    testform_set(form, "base_time_control", text);
    return true;
}

static void set_word(TestForm *form, const char *field, const char *word) {
    Text text = {0};
    for (; word && *word; word++)
        text_add_char(&text, (char)toupper((unsigned char)*word));
    testform_set(form, field, text.length > 0 ? text_string(&text) : NULL);
    text_free(&text);
}

static void set_length(TestForm *form, const FormSettings *given) {
    if (given->bounds) {
        testform_set_two(form, "test_bounds", given->rule.elo0, given->rule.elo1);
        testform_set(form, "test_mode", "SPRT");
    }
    if (given->confidence) /* The server wants beta first. */
        testform_set_two(form, "test_confidence", given->rule.beta, given->rule.alpha);
    if (given->games) {
        testform_set_number(form, "test_max_games", (double)given->games);
        testform_set_number(form, "datagen_max_games", (double)given->games);
        testform_set(form, "test_mode", "GAMES");
    }
}

static void set_tuning(TestForm *form, const FormSettings *given) {
    testform_set_schedule(form, &given->schedule);
    set_word(form, "spsa_reporting_type", given->reporting);
    set_word(form, "spsa_distribution_type", given->distribution);
}

void form_set_parameters(TestForm *form, const SpsaParameters *parameters) {
    Text lines = {0};
    for (size_t i = 0; i < parameters->count; i++) {
        text_add(&lines, i > 0 ? "\n" : "");
        spsa_write_parameter(&parameters->items[i], &lines);
    }
    testform_set(form, "spsa_inputs", parameters->count > 0 ? text_string(&lines) : NULL);
    text_free(&lines);
}

/* Refuses options without a field in a form of this kind. */
static bool check_kind(const TestForm *form, const FormSettings *given, Error *err) {
    bool datagen = form->kind == TESTFORM_DATAGEN;
    const struct {
        const char *option;
        bool given;
        const char *field;
    } own[] = {{"bounds", given->bounds, "test_bounds"},
               {"confidence", given->confidence, "test_confidence"},
               {"games", given->games != 0, datagen ? "datagen_max_games" : "test_max_games"},
               {"iterations", given->schedule.iterations >= 0, "spsa_iterations"},
               {"pairs-per", given->schedule.pairs_per >= 0, "spsa_pairs_per"},
               {"alpha", given->schedule.alpha >= 0, "spsa_alpha"},
               {"gamma", given->schedule.gamma >= 0, "spsa_gamma"},
               {"a-ratio", given->schedule.a_ratio >= 0, "spsa_A_ratio"},
               {"reporting", given->reporting, "spsa_reporting_type"},
               {"distribution", given->distribution, "spsa_distribution_type"},
               {"genfens", given->genfens, "datagen_custom_genfens"},
               {"reverses", given->reverses, "datagen_play_reverses"}};
    for (size_t i = 0; i < COUNT(own); i++)
        if (own[i].given && !testform_has(form, own[i].field))
            return error_set(err, "--%s: a %s has none", own[i].option,
                             testform_names(form->kind)->noun);
    return true;
}

/* Refuses a tuning's schedule, wherever its numbers come from: the server would refuse the form
 * when the branch has been pushed already. */
static bool check_schedule(const TestForm *form, Error *err) {
    SpsaSchedule schedule;
    return form->kind != TESTFORM_TUNE || testform_read_schedule(form, &schedule, err);
}

/* Puts name=value into the words. An option of the same name gets the value and keeps its spelling:
 * servers look for "Threads=" and "Hash=". */
static void set_option(Words *words, const char *option) {
    size_t name = strcspn(option, "=") + 1;
    for (size_t i = 0; i < words->count; i++) {
        if (strncasecmp(words->items[i], option, name) == 0) {
            char *old = words->items[i];
            words->items[i] = text_format("%.*s%s", (int)name, old, option + name);
            free(old);
            return;
        }
    }
    words_add(words, option);
}

/* Adds the options of --option to a side's options; a word with blanks is quoted as a whole. */
static bool set_uci_options(TestForm *form, const OptionList *options, const char *field,
                            Error *err) {
    Words words = {0};
    Text text = {0};
    if (!testform_has(form, field))
        return true;
    if (!words_split(&words, testform_get(form, field), err)) {
        words_free(&words);
        return error_prefix(err, "%s", field);
    }
    for (size_t i = 0; i < options->count; i++)
        set_option(&words, options->items[i]);
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

/* Takes the form's kind from the options, else from the fields of the file. */
static bool find_kind(TestForm *form, const FormSettings *given, Error *err) {
    form->kind = given->kind;
    return !given->from || form->kind != TESTFORM_TEST ||
           testform_find_kind(form, given->from, err);
}

bool form_read(TestForm *form, const FormSettings *given, Error *err) {
    if (!find_kind(form, given, err) || (given->from && !testform_read(form, given->from, err)))
        return error_prefix(err, "--from");
    if (!check_kind(form, given, err))
        return false;
    if (given->games && given->bounds)
        return error_set(err, "--games: cannot stand beside --bounds");
    if (!set_time_control(form, given, err) || !check_options(&given->options, err))
        return false;
    set_length(form, given);
    set_tuning(form, given);
    const char *const texts[][2] = {{"dev_engine", given->engine},
                                    {"base_engine", given->engine},
                                    {"dev_repo", given->repo},
                                    {"base_repo", given->repo},
                                    {"dev_branch", given->branch},
                                    {"base_branch", given->base_branch},
                                    {"datagen_custom_genfens", given->genfens},
                                    {"datagen_play_reverses", given->reverses ? "YES" : NULL},
                                    {"book_name", given->book},
                                    {"info", given->info}};
    for (size_t i = 0; i < COUNT(texts); i++)
        testform_set(form, texts[i][0], texts[i][1]);
    return true;
}

bool form_check_games(const TestForm *form, const FormSettings *given, Error *err) {
    bool datagen = form->kind == TESTFORM_DATAGEN;
    bool fixed =
        form->kind == TESTFORM_TEST && strcmp(testform_text(form, "test_mode"), "GAMES") == 0;
    if (fixed && given->confidence)
        return error_set(
            err, "--confidence: is for an SPRT, and this is a test of fixed games: leave it out");
    if ((!datagen && !fixed) || form_says(form, datagen ? "datagen_max_games" : "test_max_games"))
        return true;
    return error_set(err, "--games: is missing: how many games to %s",
                     datagen ? "generate" : "play");
}

bool form_complete(TestForm *form, const FormSettings *given, Error *err) {
    testform_fill(form);
    return form_check_games(form, given, err) && check_schedule(form, err) &&
           set_uci_options(form, &given->options, "dev_options", err) &&
           set_uci_options(form, &given->options, "base_options", err);
}

bool form_says(const TestForm *form, const char *field) {
    return testform_text(form, field)[0] != '\0';
}

/* ---- The repository's address ---- */

static const char *const repo_fields[] = {"dev_repo", "base_repo"};

void form_use_address(TestForm *form, const char *address) {
    for (size_t i = 0; i < COUNT(repo_fields); i++)
        if (!form_says(form, repo_fields[i]))
            testform_set(form, repo_fields[i], address);
}

bool form_check_address(const TestForm *form, const char *remote, Error *err) {
    for (size_t i = 0; i < COUNT(repo_fields); i++)
        if (testform_has(form, repo_fields[i]) && !form_says(form, repo_fields[i]))
            return error_set(err,
                             "--repo: is missing: the address at which the server finds the "
                             "branches (the remote %s has none on the web)",
                             remote);
    return true;
}
