/* SPDX-License-Identifier: MIT */
/* Random secrets of machines and browsers, and slow hashes of passwords. */
#ifndef SERVE_SECRETS_H
#define SERVE_SECRETS_H

#include <stdbool.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/mersenne.h"

enum {
    SECRET_MAX = 65,         /* 256 random bits in hexadecimal, and the NUL. */
    PASSWORD_HASH_MAX = 160, /* With the NUL. */
    PASSWORD_SHORTEST = 8,   /* Bytes of a new password. */
    PASSWORD_LONGEST = 1024  /* Longer texts are no passwords: hashing them would cost time. */
};

/* Seeds the generator at random. Ends the process, with a line, when the system has no random bits;
 * so do all functions here that need some. */
void secret_seed(Mersenne *random);

/* Makes a new secret of random bytes. */
void secret_new(char out[SECRET_MAX]);

/* The form in which a secret is stored: its SHA-256. */
void secret_digest(const char *secret, char out[DIGEST_HEX_MAX]);

/* Are the texts equal? Takes the same time for all texts of b's length. */
bool secret_same(const char *a, const char *b);

/* The salted scrypt hash of a password, with its cost: "$scrypt$14$8$5$SALT$HASH". Takes about
 * 0.2 s and 16 MB. */
bool password_hash(const char *password, char out[PASSWORD_HASH_MAX], Error *err);

typedef enum {
    PASSWORD_RIGHT, /* The hash is the password's. */
    PASSWORD_WRONG, /* It is another's, or has another form. */
    PASSWORD_FAULT  /* The password could not be hashed, as where memory is short; err is set. */
} PasswordVerdict;

/* Compares the password with a hash; costs what password_hash costs. */
PasswordVerdict password_check(const char *password, const char *hash, Error *err);

#endif
