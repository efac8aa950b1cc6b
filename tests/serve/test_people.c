/* SPDX-License-Identifier: MIT */
/* Users, passwords, sessions, and the tokens of forms. */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "runner.h"
#include "serve/secrets.h"
#include "serve/visit.h"
#include "tools/temporary.h"

static const char PASSWORD[] = "correct horse";
static const int64_t NOW = 1800000000;
static const int64_t DAY_S = 24 * 3600;

static char folder[TEMPORARY_SIZE];
static char path[TEMPORARY_SIZE + 8];
static Database *database;
static People *people;
static Error err;
static WebRequest request;
static WebAnswer answer;
static Visit visit;

static void set_up(void) {
    err = (Error){{0}};
    temporary_folder(folder, sizeof folder, "reductio-people");
    snprintf(path, sizeof path, "%s/db", folder);
    database = database_open(path, &err);
    ck_assert_msg(database != NULL, "%s", err.text);
    people = people_new(database);
    ck_assert_msg(people_add(people, "ada", PASSWORD, true, NOW, NULL, &err), "%s", err.text);
}

static void tear_down(void) {
    char file[TEMPORARY_SIZE + 16];
    static const char *const endings[] = {"", "-wal", "-shm"};
    visit_free(&visit);
    web_request_free(&request);
    web_answer_free(&answer);
    people_free(people);
    database_close(database);
    for (size_t i = 0; i < COUNT(endings); i++) {
        snprintf(file, sizeof file, "%s%s", path, endings[i]);
        unlink(file);
    }
    rmdir(folder);
}

static PeopleVerdict check(const char *name, const char *password, const char *peer) {
    User user;
    PeopleVerdict verdict = people_check(people, name, password, peer, &user, NULL);
    ck_assert_msg((verdict == PEOPLE_KNOWN) == (user.id != 0), "verdict %d, user %d", (int)verdict,
                  (int)user.id);
    store_free_user(&user);
    return verdict;
}

static User find_user(const char *name) {
    User user;
    Transaction *t = transaction_begin(database, TRANSACTION_READ);
    ck_assert(store_user_named(t, name, &user));
    transaction_end(t, NULL);
    return user;
}

/* ---- Passwords ---- */

static bool matches(const char *password, const char *hash) {
    PasswordVerdict verdict = password_check(password, hash, &err);
    ck_assert_msg(verdict != PASSWORD_FAULT, "%s", err.text);
    return verdict == PASSWORD_RIGHT;
}

START_TEST(hashes_are_salted_and_match_their_password_alone) {
    char first[PASSWORD_HASH_MAX];
    char second[PASSWORD_HASH_MAX];
    ck_assert(password_hash(PASSWORD, first, &err));
    ck_assert(password_hash(PASSWORD, second, &err));
    ck_assert_str_ne(first, second);
    ck_assert_ptr_null(strstr(first, PASSWORD));
    ck_assert(matches(PASSWORD, first));
    ck_assert(matches(PASSWORD, second));
    ck_assert(!matches("correct horsf", first));
    ck_assert(!matches("", first));
}
END_TEST

START_TEST(a_damaged_hash_matches_nothing) {
    char hash[PASSWORD_HASH_MAX];
    ck_assert(password_hash(PASSWORD, hash, &err));
    static const char *const wrong[] = {"",
                                        "x",
                                        "$scrypt$",
                                        "$scrypt$14$8$5$",
                                        "$scrypt$99$8$5$00",
                                        "$scrypt$14$8$5$00112233445566778899aabbccddeeff$"};
    for (size_t i = 0; i < COUNT(wrong); i++)
        ck_assert_msg(!matches(PASSWORD, wrong[i]), "'%s' matches", wrong[i]);
    for (size_t length = 0; length < strlen(hash); length++) {
        char *cut = mem_strndup(hash, length);
        ck_assert_msg(!matches(PASSWORD, cut), "'%s' matches", cut);
        free(cut);
    }
}
END_TEST

START_TEST(secrets_differ_and_compare_whole) {
    char first[SECRET_MAX];
    char second[SECRET_MAX];
    secret_new(first);
    secret_new(second);
    ck_assert_uint_eq(strlen(first), SECRET_MAX - 1);
    ck_assert_str_ne(first, second);
    ck_assert(secret_same(first, first));
    ck_assert(!secret_same(first, second));
    ck_assert(!secret_same("", first));
    ck_assert(!secret_same(first, ""));
}
END_TEST

/* ---- Users ---- */

START_TEST(a_user_is_known_by_name_and_password) {
    ck_assert_int_eq(check("ada", PASSWORD, "10.0.0.1"), PEOPLE_KNOWN);
    ck_assert_int_eq(check("ada", PASSWORD, "10.0.0.1"), PEOPLE_KNOWN); /* Remembered. */
    ck_assert_int_eq(check("ada", "correct horsf", "10.0.0.1"), PEOPLE_WRONG);
    ck_assert_int_eq(check("bob", PASSWORD, "10.0.0.1"), PEOPLE_WRONG);
    ck_assert_int_eq(check("", "", "10.0.0.1"), PEOPLE_WRONG);
}
END_TEST

START_TEST(a_disabled_user_is_refused_at_once) {
    ck_assert_int_eq(check("ada", PASSWORD, "10.0.0.1"), PEOPLE_KNOWN);
    User user = find_user("ada");
    user.enabled = false;
    Transaction *t = transaction_begin(database, TRANSACTION_WRITE);
    store_update_user(t, &user);
    ck_assert(transaction_end(t, &err));
    store_free_user(&user);
    ck_assert_int_eq(check("ada", PASSWORD, "10.0.0.1"), PEOPLE_DISABLED);
}
END_TEST

START_TEST(a_changed_password_ends_the_old_one) {
    User user = find_user("ada");
    ck_assert_int_eq(check("ada", PASSWORD, "10.0.0.1"), PEOPLE_KNOWN);
    ck_assert(people_set_password(people, user.name, "battery staple", NULL, NULL, &err));
    ck_assert_int_eq(check("ada", PASSWORD, "10.0.0.1"), PEOPLE_WRONG);
    ck_assert_int_eq(check("ada", "battery staple", "10.0.0.1"), PEOPLE_KNOWN);
    ck_assert(!people_set_password(people, "eve", "battery staple", NULL, NULL, &err));
    ck_assert_str_eq(err.text, "there is no user eve");
    store_free_user(&user);
}
END_TEST

/* The digits of scrypt that it refuses on every system, as where memory is short: such costs go
 * with larger blocks alone. */
static const char REFUSED_HASH[] =
    "$scrypt$20$1$1$00112233445566778899aabbccddeeff$"
    "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

START_TEST(a_password_that_could_not_be_hashed_is_not_a_wrong_one) {
    User user = find_user("ada");
    free(user.password);
    user.password = mem_strdup(REFUSED_HASH);
    Transaction *t = transaction_begin(database, TRANSACTION_WRITE);
    store_update_user(t, &user);
    ck_assert(transaction_end(t, &err));
    store_free_user(&user);
    for (int i = 0; i < 40; i++) { /* More than an address may fail at once. */
        Error fault = {{0}};
        ck_assert_int_eq(people_check(people, "ada", PASSWORD, "10.0.0.1", &user, &fault),
                         PEOPLE_FAULT);
        ck_assert_int_eq(user.id, 0);
        ck_assert_str_eq(fault.text, "the password could not be hashed: is memory short?");
    }
    ck_assert_int_eq(check("eve", "a guess or two", "10.0.0.1"), PEOPLE_WRONG);
}
END_TEST

START_TEST(names_and_passwords_have_rules) {
    static const char *const names[] = {"", "a b", "<script>", "a/b", "ä"};
    for (size_t i = 0; i < COUNT(names); i++)
        ck_assert_msg(!people_add(people, names[i], PASSWORD, false, NOW, NULL, &err), "%s",
                      names[i]);
    ck_assert(!people_add(people, "bob", "short", false, NOW, NULL, &err));
    ck_assert_str_eq(err.text, "a password has 8 to 1024 bytes");
    ck_assert(!people_add(people, "bob", "gr\xfc\xdf dich Gott", false, NOW, NULL, &err));
    ck_assert_str_eq(err.text, "the password is not UTF-8");
    ck_assert(!people_set_password(people, "ada", "gr\xfc\xdf dich Gott", NULL, NULL, &err));
    ck_assert(people_set_password(people, "ada", "grüß dich Gott", NULL, NULL, &err));
    ck_assert(!people_add(people, "ada", PASSWORD, false, NOW, NULL, &err));
    ck_assert_str_eq(err.text, "there is a user ada already");
}
END_TEST

START_TEST(wrong_passwords_have_to_wait_but_not_the_known_ones) {
    int tries = 0;
    ck_assert_int_eq(check("ada", PASSWORD, "10.0.0.9"), PEOPLE_KNOWN);
    while (check("eve", "a guess or two", "10.0.0.9") == PEOPLE_WRONG)
        ck_assert_int_lt(++tries, 1000);
    ck_assert_int_ge(tries, 10);
    ck_assert_int_eq(check("ada", "another guess", "10.0.0.9"), PEOPLE_WAIT);
    ck_assert_int_eq(check("ada", PASSWORD, "10.0.0.9"), PEOPLE_KNOWN); /* Remembered. */
    ck_assert_int_eq(check("ada", "another guess", "10.0.0.8"), PEOPLE_WRONG);
}
END_TEST

START_TEST(addresses_of_one_ipv6_network_count_as_one) {
    int tries = 0;
    char peer[64];
    do {
        ck_assert_int_lt(++tries, 40);
        snprintf(peer, sizeof peer, "2001:db8:0:1::%x", (unsigned)tries);
    } while (check("eve", "a guess or two", peer) == PEOPLE_WRONG);
    ck_assert_int_eq(check("eve", "a guess or two", "2001:db8:0:2::1"), PEOPLE_WRONG);
}
END_TEST

START_TEST(strangers_do_not_lock_a_user_out) {
    char peer[64];
    for (int i = 0; i < 25; i++) {
        snprintf(peer, sizeof peer, "10.1.0.%d", i);
        ck_assert_int_eq(check("ada", "a guess or two", peer), PEOPLE_WRONG);
    }
    ck_assert_int_eq(check("ada", PASSWORD, "10.0.0.1"), PEOPLE_KNOWN);
}
END_TEST

/* One password: only the first check takes a slow hash. */
START_TEST(strangers_who_guess_for_one_name_have_to_wait_from_any_address) {
    int tries = 0;
    char peer[64];
    do {
        ck_assert_int_lt(++tries, 2000);
        snprintf(peer, sizeof peer, "10.3.%d.%d", tries / 256, tries % 256);
    } while (check("ada", "a guess or two", peer) == PEOPLE_WRONG);
    ck_assert_int_gt(tries, 1000);
    ck_assert_int_eq(check("ada", "a guess or two", "10.4.0.1"), PEOPLE_WAIT);
    ck_assert_int_eq(check("eve", "a guess or two", "10.4.0.1"), PEOPLE_WRONG);
}
END_TEST

enum { GUESSERS = 8, GUESSES = 5 };
static atomic_int turned_away;

/* Guesses from an address of its own each time, until one guesser is told to wait. */
static void *guess(void *user) {
    const int *number = user;
    for (int i = 0; i < GUESSES && turned_away == 0; i++) {
        char peer[64], password[64];
        User nobody;
        snprintf(peer, sizeof peer, "10.2.%d.%d", *number, i);
        snprintf(password, sizeof password, "guess %d of %d", i, *number);
        turned_away += people_check(people, "eve", password, peer, &nobody, NULL) == PEOPLE_WAIT;
    }
    return NULL;
}

START_TEST(few_checks_wait_for_the_slow_hash) {
    pthread_t threads[GUESSERS];
    int numbers[GUESSERS];
    turned_away = 0;
    for (int i = 0; i < GUESSERS; i++) {
        numbers[i] = i;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, guess, &numbers[i]), 0);
    }
    for (int i = 0; i < GUESSERS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_gt(turned_away, 0);
    ck_assert_int_eq(check("ada", PASSWORD, "10.0.0.1"), PEOPLE_KNOWN); /* The line is empty. */
}
END_TEST

static void *come_as_a_worker(void *user) {
    User ada;
    PeopleVerdict *verdict = user;
    *verdict = people_check(people, "ada", PASSWORD, "10.0.0.1", &ada, NULL);
    store_free_user(&ada);
    return NULL;
}

START_TEST(many_workers_of_a_user_come_at_once) {
    pthread_t threads[GUESSERS];
    PeopleVerdict verdicts[GUESSERS];
    for (int i = 0; i < GUESSERS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, come_as_a_worker, &verdicts[i]), 0);
    for (int i = 0; i < GUESSERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < GUESSERS; i++)
        ck_assert_int_eq(verdicts[i], PEOPLE_KNOWN);
}
END_TEST

/* ---- Visits ---- */

/* The value of a cookie that the answer set, allocated; NULL: none. */
static char *cookie_set(const char *name) {
    char *value = NULL;
    size_t length = strlen(name);
    for (size_t i = 0; i < answer.headers.values.count; i++) {
        const char *set = answer.headers.values.items[i];
        if (strncmp(set, name, length) != 0 || set[length] != '=')
            continue;
        free(value);
        value = mem_strndup(set + length + 1, strcspn(set + length + 1, ";"));
    }
    return value;
}

/* The next request of the browser, which has kept the answer's cookies, at the time `now`. */
static void go_on(int64_t now) {
    static const char *const names[] = {"sessionid", "csrftoken", "refusal"};
    WebRequest next = {0};
    for (size_t i = 0; i < COUNT(names); i++) {
        char *value = cookie_set(names[i]);
        const char *kept = value ? value : web_cookie(&request, names[i]);
        if (kept[0] != '\0')
            web_fields_add(&next.cookies, names[i], kept);
        free(value);
    }
    web_request_free(&request);
    web_answer_free(&answer);
    visit_free(&visit);
    request = next;
    visit_open(people, &request, now, &visit);
}

static void sign_in(void) {
    User user = find_user("ada");
    visit_open(people, &request, NOW, &visit);
    ck_assert(visit_sign_in(people, &visit, &user, &request, &answer, NOW, &err));
    store_free_user(&user);
    go_on(NOW + 1);
}

START_TEST(a_session_lasts_and_ends) {
    sign_in();
    ck_assert_str_eq(visit.user.name, "ada");
    go_on(NOW + 14 * DAY_S - 1);
    ck_assert_str_eq(visit.user.name, "ada");
    go_on(NOW + 14 * DAY_S);
    ck_assert_int_eq(visit.user.id, 0);
}
END_TEST

START_TEST(signing_out_ends_the_session_for_a_copied_cookie_too) {
    sign_in();
    char *stolen = mem_strdup(web_cookie(&request, "sessionid"));
    ck_assert(visit_sign_out(people, &visit, &request, &answer, &err));
    web_answer_free(&answer);
    web_request_free(&request);
    visit_free(&visit);
    web_fields_add(&request.cookies, "sessionid", stolen);
    visit_open(people, &request, NOW + 2, &visit);
    ck_assert_int_eq(visit.user.id, 0);
    free(stolen);
}
END_TEST

START_TEST(the_database_does_not_hold_the_cookie) {
    sign_in();
    ck_assert_str_ne(visit.digest, web_cookie(&request, "sessionid"));
}
END_TEST

START_TEST(a_form_of_another_site_is_refused) {
    sign_in();
    ck_assert(!visit_owns_form(&visit, &request));
    web_fields_add(&request.form, VISIT_TOKEN_FIELD, "");
    ck_assert(!visit_owns_form(&visit, &request));
    web_fields_free(&request.form);
    web_fields_add(&request.form, VISIT_TOKEN_FIELD, visit.csrf);
    ck_assert(visit_owns_form(&visit, &request));
}
END_TEST

START_TEST(without_a_session_the_form_repeats_the_cookie) {
    visit_open(people, &request, NOW, &visit);
    web_fields_add(&request.form, VISIT_TOKEN_FIELD, visit.csrf);
    ck_assert(!visit_owns_form(&visit, &request)); /* No cookie yet. */
    visit_add_cookie(&visit, &request, &answer);
    char *shown = mem_strdup(visit.csrf);
    go_on(NOW);
    ck_assert_str_eq(visit.csrf, shown);
    web_fields_add(&request.form, VISIT_TOKEN_FIELD, shown);
    ck_assert(visit_owns_form(&visit, &request));
    free(shown);
}
END_TEST

START_TEST(a_message_waits_for_the_next_page) {
    sign_in();
    ck_assert(visit_leave_message(people, &visit, "one\ntwo", &err));
    go_on(NOW + 1);
    ck_assert_str_eq(visit.message, "one\ntwo");
    visit_clear_message(people, &visit, &request, &answer);
    go_on(NOW + 2);
    ck_assert_ptr_null(visit.message);
}
END_TEST

static int64_t count_sessions(void) {
    Transaction *t = transaction_begin(people_database(people), TRANSACTION_READ);
    int64_t count = sql_number(t, "SELECT count(*) FROM sessions", SQL_NO_VALUES);
    ck_assert(transaction_end(t, NULL));
    return count;
}

START_TEST(a_refusal_is_told_once_and_stands_in_no_database) {
    visit_open(people, &request, NOW, &visit);
    visit_refuse(&request, &answer, VISIT_WRONG_PASSWORD);
    go_on(NOW + 1);
    ck_assert_int_eq(visit.user.id, 0);
    ck_assert_str_eq(visit.message, "Unable to Authenticate User");
    visit_clear_message(people, &visit, &request, &answer);
    go_on(NOW + 2);
    ck_assert_ptr_null(visit.message);
    ck_assert_int_eq(count_sessions(), 0);
}
END_TEST

START_TEST(a_refusal_is_also_told_to_a_user_who_is_signed_in) {
    sign_in();
    visit_refuse(&request, &answer, VISIT_SCRIPT_OF_NOBODY);
    go_on(NOW + 1);
    ck_assert_str_eq(visit.user.name, "ada");
    ck_assert_str_eq(visit.message, "Only enabled users can create tests");
}
END_TEST

START_TEST(a_forged_refusal_says_nothing) {
    static const char *const forged[] = {"3", "-1", "99999999999999999999", "<b>", "1x"};
    for (size_t i = 0; i < COUNT(forged); i++) {
        web_fields_add(&request.cookies, "refusal", forged[i]);
        visit_open(people, &request, NOW, &visit);
        ck_assert_msg(visit.message == NULL, "'%s' says '%s'", forged[i], visit.message);
        web_request_free(&request);
        request = (WebRequest){0};
        visit_free(&visit);
    }
}
END_TEST

START_TEST(signing_in_begins_another_session) {
    sign_in();
    char *before = mem_strdup(web_cookie(&request, "sessionid"));
    User user = find_user("ada");
    ck_assert(visit_sign_in(people, &visit, &user, &request, &answer, NOW, &err));
    store_free_user(&user);
    go_on(NOW);
    ck_assert_str_ne(web_cookie(&request, "sessionid"), before);
    free(before);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, hashes_are_salted_and_match_their_password_alone);
    tcase_add_test(tests, a_damaged_hash_matches_nothing);
    tcase_add_test(tests, secrets_differ_and_compare_whole);
    tcase_add_test(tests, a_user_is_known_by_name_and_password);
    tcase_add_test(tests, a_disabled_user_is_refused_at_once);
    tcase_add_test(tests, a_changed_password_ends_the_old_one);
    tcase_add_test(tests, a_password_that_could_not_be_hashed_is_not_a_wrong_one);
    tcase_add_test(tests, names_and_passwords_have_rules);
    tcase_add_test(tests, wrong_passwords_have_to_wait_but_not_the_known_ones);
    tcase_add_test(tests, addresses_of_one_ipv6_network_count_as_one);
    tcase_add_test(tests, strangers_do_not_lock_a_user_out);
    tcase_add_test(tests, strangers_who_guess_for_one_name_have_to_wait_from_any_address);
    tcase_add_test(tests, few_checks_wait_for_the_slow_hash);
    tcase_add_test(tests, many_workers_of_a_user_come_at_once);
    tcase_add_test(tests, a_session_lasts_and_ends);
    tcase_add_test(tests, signing_out_ends_the_session_for_a_copied_cookie_too);
    tcase_add_test(tests, the_database_does_not_hold_the_cookie);
    tcase_add_test(tests, a_form_of_another_site_is_refused);
    tcase_add_test(tests, without_a_session_the_form_repeats_the_cookie);
    tcase_add_test(tests, a_message_waits_for_the_next_page);
    tcase_add_test(tests, a_refusal_is_told_once_and_stands_in_no_database);
    tcase_add_test(tests, a_refusal_is_also_told_to_a_user_who_is_signed_in);
    tcase_add_test(tests, a_forged_refusal_says_nothing);
    tcase_add_test(tests, signing_in_begins_another_session);
}

int main(void) {
    return run_tests("people", add_tests);
}
