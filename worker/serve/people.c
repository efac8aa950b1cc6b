/* SPDX-License-Identifier: MIT */
#include "serve/people.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "serve/secrets.h"
#include "serve/visitors.h"

enum {
    REMEMBERED = 512,   /* Passwords that were right lately. */
    REMEMBERED_S = 600, /* For so long. */
    NAME_LONGEST = 64,
    HASHES_WAITING = 2,  /* Checks that may wait for the slow hash; others are turned away. */
    FAILURES_BURST = 20, /* Wrong passwords from an address before the rate counts. */
    NAME_BURST = 1000    /* The same for a name: strangers alone should not lock a user out. */
};
const char PEOPLE_WAIT_WORDS[] = "Too many passwords are being tried. Try again in a few minutes.";
static const double FAILURES_RATE = 0.1; /* A second. */
static const double NAME_RATE = 1;

/* A password that was right. */
typedef struct {
    char digest[DIGEST_HEX_MAX]; /* Of the process's key, the name, the password and its hash. */
    int64_t until_ns;
} Remembered;

struct People {
    Database *database;
    Visitors *failures;          /* By address. */
    Visitors *name_failures;     /* By name_key. */
    char key[SECRET_MAX];        /* Makes the digests worthless outside this process. */
    pthread_mutex_t hashing;     /* One slow hash at a time: a hash takes 16 MB. */
    pthread_mutex_t memory;      /* Of `remembered`, `checks` and `latest`. */
    int checks;                  /* Slow checks under way or waiting. */
    char latest[DIGEST_HEX_MAX]; /* Of the last of these. */
    char wrong[DIGEST_HEX_MAX];  /* Of the last wrong password; under `hashing`. */
    Remembered remembered[REMEMBERED];
    char nobody[PASSWORD_HASH_MAX]; /* A hash that is checked when there is no such user, so that
                                     * the time does not tell which names exist. */
};

People *people_new(Database *database) {
    People *people = mem_calloc(1, sizeof *people);
    people->database = database;
    people->failures = visitors_new(FAILURES_RATE, FAILURES_BURST, 1);
    people->name_failures = visitors_new(NAME_RATE, NAME_BURST, 1);
    pthread_mutex_init(&people->hashing, NULL);
    pthread_mutex_init(&people->memory, NULL);
    secret_new(people->key);
    password_hash(people->key, people->nobody, NULL);
    return people;
}

void people_free(People *people) {
    if (!people)
        return;
    visitors_free(people->failures);
    visitors_free(people->name_failures);
    pthread_mutex_destroy(&people->hashing);
    pthread_mutex_destroy(&people->memory);
    mem_wipe(people, sizeof *people);
    free(people);
}

Database *people_database(const People *people) {
    return people->database;
}

/* ---- Adding and changing ---- */

bool people_check_letters(const char *name, Error *err) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789@.+-_";
    size_t length = strlen(name);
    if (length == 0 || length > NAME_LONGEST || strspn(name, letters) != length)
        return error_set(err,
                         "a user's name has 1 to %d characters: letters of English, digits and "
                         "@ . + - _",
                         (int)NAME_LONGEST);
    return true;
}

/* Forms bring texts as UTF-8 alone, so no other password could ever be sent. */
static bool is_utf8(const char *password) {
    Text clean = {0};
    text_add_utf8(&clean, password);
    bool same = strcmp(text_string(&clean), password) == 0;
    mem_wipe(clean.data, clean.length);
    text_free(&clean);
    return same;
}

/* Says that it was no refusal; returns false. */
static bool failed(bool *fault) {
    if (fault)
        *fault = true;
    return false;
}

static bool hash_new_password(People *people, const char *password, char out[PASSWORD_HASH_MAX],
                              bool *fault, Error *err) {
    size_t length = strlen(password);
    if (length < PASSWORD_SHORTEST || length > PASSWORD_LONGEST)
        return error_set(err, "a password has %d to %d bytes", (int)PASSWORD_SHORTEST,
                         (int)PASSWORD_LONGEST);
    if (!is_utf8(password))
        return error_set(err, "the password is not UTF-8");
    pthread_mutex_lock(&people->hashing);
    bool hashed = password_hash(password, out, err);
    pthread_mutex_unlock(&people->hashing);
    return hashed || failed(fault);
}

static const char TAKEN[] = "there is a user %s already";
static const char UNKNOWN[] = "there is no user %s";

bool people_check_name(People *people, const char *name, bool is_new, Error *err) {
    User user = {0};
    if (is_new && !people_check_letters(name, err))
        return false;
    Transaction *t = transaction_begin(people->database, TRANSACTION_READ);
    bool known = store_user_named(t, name, &user);
    store_free_user(&user);
    if (!transaction_end(t, err))
        return false;
    return known != is_new || error_set(err, is_new ? TAKEN : UNKNOWN, name);
}

bool people_add(People *people, const char *name, const char *password, bool admin, int64_t now,
                bool *fault, Error *err) {
    char hash[PASSWORD_HASH_MAX];
    User existing = {0};
    if (!people_check_letters(name, err) || !hash_new_password(people, password, hash, fault, err))
        return false;
    Transaction *t = transaction_begin(people->database, TRANSACTION_WRITE);
    bool taken = store_user_named(t, name, &existing);
    store_free_user(&existing);
    if (taken) {
        transaction_cancel(t);
        return error_set(err, TAKEN, name);
    }
    store_add_user(t, &(User){.name = (char *)name,
                              .password = hash,
                              .enabled = true,
                              .approver = admin,
                              .admin = admin,
                              .created = now});
    return transaction_end(t, err) || failed(fault);
}

bool people_count(People *people, int *users, int *approvers, Error *err) {
    User user;
    *users = *approvers = 0;
    Transaction *t = transaction_begin(people->database, TRANSACTION_READ);
    Query *query = store_users(t);
    while (store_next_user(query, &user)) {
        *users += user.enabled;
        *approvers += user.enabled && user.approver;
        store_free_user(&user);
    }
    query_end(query);
    return transaction_end(t, err);
}

bool people_set_password(People *people, const char *name, const char *password, const char *kept,
                         bool *fault, Error *err) {
    char hash[PASSWORD_HASH_MAX];
    User user = {0};
    if (!hash_new_password(people, password, hash, fault, err))
        return false;
    Transaction *t = transaction_begin(people->database, TRANSACTION_WRITE);
    bool known = store_user_named(t, name, &user);
    if (known) {
        free(user.password);
        user.password = mem_strdup(hash);
        store_update_user(t, &user);
        store_end_user_sessions(t, user.id, kept);
    }
    store_free_user(&user);
    if (!transaction_end(t, err))
        return failed(fault);
    return known || error_set(err, UNKNOWN, name);
}

/* ---- Passwords that were right lately ---- */

static void digest_of(const People *people, const User *user, const char *password,
                      char out[DIGEST_HEX_MAX]) {
    Text text = {0};
    text_addf(&text, "%s\n%s\n%s\n%s", people->key, user->name, user->password, password);
    secret_digest(text_string(&text), out);
    mem_wipe(text.data, text.length);
    text_free(&text);
}

/* Where a digest may stand. */
static Remembered *place_of(People *people, const char *digest) {
    char start[9] = {0};
    memcpy(start, digest, sizeof start - 1);
    return &people->remembered[strtoul(start, NULL, 16) % REMEMBERED];
}

static bool is_remembered(People *people, const char *digest) {
    pthread_mutex_lock(&people->memory);
    const Remembered *place = place_of(people, digest);
    bool known = strcmp(place->digest, digest) == 0 && clock_now_ns() < place->until_ns;
    pthread_mutex_unlock(&people->memory);
    return known;
}

static void remember(People *people, const char *digest) {
    pthread_mutex_lock(&people->memory);
    Remembered *place = place_of(people, digest);
    memcpy(place->digest, digest, DIGEST_HEX_MAX);
    place->until_ns = clock_now_ns() + (int64_t)REMEMBERED_S * CLOCK_NS_PER_SECOND;
    pthread_mutex_unlock(&people->memory);
}

/* ---- Checking ---- */

/* The key under which the failures for a name are counted. */
static void name_key(const char *name, char out[46]) {
    char digest[DIGEST_HEX_MAX];
    secret_digest(name, digest);
    snprintf(out, 46, "name %.40s", digest);
}

/* Enters the line for the slow hash. False when the line is too long. Many workers of one user come
 * at once after a start of the server: those who bring the password that entered last cost no hash
 * of their own and may always wait. *counted: for leave_line. */
static bool enter_line(People *people, const char *digest, bool *counted) {
    pthread_mutex_lock(&people->memory);
    bool same = people->checks > 0 && strcmp(people->latest, digest) == 0;
    *counted = !same && people->checks <= HASHES_WAITING;
    if (*counted) {
        people->checks++;
        memcpy(people->latest, digest, DIGEST_HEX_MAX);
    }
    pthread_mutex_unlock(&people->memory);
    return same || *counted;
}

static void leave_line(People *people, bool counted) {
    pthread_mutex_lock(&people->memory);
    people->checks -= counted;
    pthread_mutex_unlock(&people->memory);
}

/* Compares by the slow hash, and remembers a verdict. The caller holds `hashing`. */
static PeopleVerdict compare_slowly(People *people, const char *digest, const char *password,
                                    const char *hash, Error *err) {
    if (is_remembered(people, digest))
        return PEOPLE_KNOWN;
    if (strcmp(people->wrong, digest) == 0)
        return PEOPLE_WRONG;
    PasswordVerdict verdict =
        strlen(password) <= PASSWORD_LONGEST ? password_check(password, hash, err) : PASSWORD_WRONG;
    if (verdict == PASSWORD_FAULT)
        return PEOPLE_FAULT;
    if (verdict == PASSWORD_RIGHT)
        remember(people, digest);
    else
        memcpy(people->wrong, digest, DIGEST_HEX_MAX);
    return verdict == PASSWORD_RIGHT ? PEOPLE_KNOWN : PEOPLE_WRONG;
}

/* Checks the password by the slow hash, one at a time. */
static PeopleVerdict compare(People *people, const char *digest, const char *password,
                             const char *hash, Error *err) {
    bool counted;
    if (!enter_line(people, digest, &counted))
        return PEOPLE_WAIT;
    pthread_mutex_lock(&people->hashing);
    PeopleVerdict verdict = compare_slowly(people, digest, password, hash, err);
    pthread_mutex_unlock(&people->hashing);
    leave_line(people, counted);
    return verdict;
}

static PeopleVerdict check_slowly(People *people, const User *user, const char *digest,
                                  const char *password, const char *peer, Error *err) {
    char key[46];
    int64_t now = clock_now_ns();
    name_key(user->name, key);
    if (!visitors_has_room(people->failures, peer, now) ||
        !visitors_has_room(people->name_failures, key, now))
        return PEOPLE_WAIT;
    PeopleVerdict verdict = compare(people, digest, password, user->password, err);
    if (verdict == PEOPLE_WRONG) {
        visitors_request(people->failures, peer, now);
        visitors_request(people->name_failures, key, now);
    }
    return verdict;
}

PeopleVerdict people_check(People *people, const char *name, const char *password, const char *peer,
                           User *out, Error *err) {
    char digest[DIGEST_HEX_MAX];
    Transaction *t = transaction_begin(people->database, TRANSACTION_READ);
    bool found = store_user_named(t, name, out);
    if (!transaction_end(t, err)) {
        store_free_user(out);
        return PEOPLE_FAULT;
    }
    const User nobody = {.name = (char *)name, .password = people->nobody};
    const User *user = found ? out : &nobody;
    digest_of(people, user, password, digest);
    PeopleVerdict verdict = is_remembered(people, digest)
                                ? PEOPLE_KNOWN
                                : check_slowly(people, user, digest, password, peer, err);
    if (verdict == PEOPLE_KNOWN)
        remember(people, digest);
    if (!found && verdict == PEOPLE_KNOWN)
        verdict = PEOPLE_WRONG;
    if (verdict == PEOPLE_KNOWN && !out->enabled)
        verdict = PEOPLE_DISABLED;
    if (verdict != PEOPLE_KNOWN)
        store_free_user(out);
    return verdict;
}
