/* SPDX-License-Identifier: MIT */
/* The users: who may sign in, with which password. Any thread may call these. */
#ifndef SERVE_PEOPLE_H
#define SERVE_PEOPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "serve/database.h"
#include "serve/store.h"

typedef struct People People;

/* The database outlives the people. */
People *people_new(Database *database);
void people_free(People *people); /* NULL is allowed */
Database *people_database(const People *people);

/* Refuses a name that no user can have: too long, or with other letters than names have. */
bool people_check_letters(const char *name, Error *err);

/* Refuses a name that people_add (is_new), or else people_set_password, would refuse: to be asked
 * before somebody types a password. */
bool people_check_name(People *people, const char *name, bool is_new, Error *err);

/* Adds an enabled user. Refuses a name that is taken or holds characters other than letters, digits
 * and "@.+-_", and a password that is too short. now: seconds since the epoch. *fault, unless NULL,
 * is set to true when the system or the database failed, and is left alone otherwise. */
bool people_add(People *people, const char *name, const char *password, bool admin, int64_t now,
                bool *fault, Error *err);

/* Replaces the user's password, and ends the user's sessions but that of the token's digest
 * `kept`, which may be NULL. fault: as of people_add. */
bool people_set_password(People *people, const char *name, const char *password, const char *kept,
                         bool *fault, Error *err);

/* Counts the users who may sign in, and those of them who may approve tests. */
bool people_count(People *people, int *users, int *approvers, Error *err);

typedef enum {
    PEOPLE_KNOWN,
    PEOPLE_WRONG,    /* There is no such user, or the password is another. */
    PEOPLE_DISABLED, /* The password is right; an administrator has disabled the user. */
    PEOPLE_WAIT,     /* Too many wrong passwords came from this address or for this name, or too
                      * many passwords are being checked just now. */
    PEOPLE_FAULT     /* The database could not be read, or the password not be hashed; err says why.
                      * Counts as no wrong password. */
} PeopleVerdict;

/* What a person reads after PEOPLE_WAIT. */
extern const char PEOPLE_WAIT_WORDS[];

/* Checks a name and its password. Slow (0.2 s), but quick for a password that was right within the
 * last minutes: clients send theirs with each request. peer: the client's address. The caller frees
 * *out with store_free_user; it is zero unless PEOPLE_KNOWN. */
PeopleVerdict people_check(People *people, const char *name, const char *password, const char *peer,
                           User *out, Error *err);

#endif
