/* SPDX-License-Identifier: MIT */
#include "serve/secrets.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SECRET_BYTES = 32,
    SALT_BYTES = 16,
    HASH_BYTES = 32,
    /* The cost of new hashes: 2^14 blocks of 1 KB, five times over. */
    COST_LOG = 14,
    BLOCK = 8,
    TIMES = 5,
    MOST_COST_LOG = 20, /* Of a stored hash. */
    MOST_BLOCK = 32,
    MOST_TIMES = 64,
};

/* A hash with its parts. */
typedef struct {
    unsigned cost_log, block, times;
    unsigned char salt[SALT_BYTES];
    unsigned char hash[HASH_BYTES];
} Slow;

static void to_hex(const unsigned char *bytes, size_t length, char *out) {
    for (size_t i = 0; i < length; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static bool from_hex(const char *text, unsigned char *out, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned byte;
        if (strspn(text, "0123456789abcdef") < 2 || sscanf(text, "%2x", &byte) != 1)
            return false;
        out[i] = (unsigned char)byte;
        text += 2;
    }
    return true;
}

static void secret_bytes(unsigned char *out, int length) {
    if (RAND_bytes(out, length) != 1) {
        fputs("error: the system has no random bits\n", stderr);
        abort();
    }
}

void secret_seed(Mersenne *random) {
    uint64_t seed = 0;
    secret_bytes((unsigned char *)&seed, sizeof seed);
    mersenne_seed(random, seed);
}

void secret_new(char out[SECRET_MAX]) {
    unsigned char bytes[SECRET_BYTES];
    secret_bytes(bytes, sizeof bytes);
    to_hex(bytes, sizeof bytes, out);
    OPENSSL_cleanse(bytes, sizeof bytes);
}

void secret_digest(const char *secret, char out[DIGEST_HEX_MAX]) {
    Error err;
    if (!digest_bytes(secret, strlen(secret), out, &err)) {
        fprintf(stderr, "error: %s\n", err.text);
        abort();
    }
}

bool secret_same(const char *a, const char *b) {
    size_t length = strlen(b);
    return strlen(a) == length && CRYPTO_memcmp(a, b, length) == 0;
}

/* Computes slow->hash of the other parts. */
static bool compute(const char *password, Slow *slow, Error *err) {
    uint64_t blocks = UINT64_C(1) << slow->cost_log;
    uint64_t memory = UINT64_C(128) * slow->block * (blocks + slow->times + 2);
    return EVP_PBE_scrypt(password, strlen(password), slow->salt, SALT_BYTES, blocks, slow->block,
                          slow->times, memory + (UINT64_C(1) << 20), slow->hash, HASH_BYTES) == 1 ||
           error_set(err, "the password could not be hashed: is memory short?");
}

bool password_hash(const char *password, char out[PASSWORD_HASH_MAX], Error *err) {
    Slow slow = {.cost_log = COST_LOG, .block = BLOCK, .times = TIMES};
    char salt[2 * SALT_BYTES + 1];
    char hash[2 * HASH_BYTES + 1];
    secret_bytes(slow.salt, SALT_BYTES);
    if (!compute(password, &slow, err))
        return false;
    to_hex(slow.salt, SALT_BYTES, salt);
    to_hex(slow.hash, HASH_BYTES, hash);
    snprintf(out, PASSWORD_HASH_MAX, "$scrypt$%u$%u$%u$%s$%s", slow.cost_log, slow.block,
             slow.times, salt, hash);
    return true;
}

/* Reads the parts of a hash. False: it has another form. */
static bool read_hash(const char *hash, Slow *out) {
    int used = 0;
    if (sscanf(hash, "$scrypt$%2u$%2u$%2u$%n", &out->cost_log, &out->block, &out->times, &used) !=
            3 ||
        used == 0 || out->cost_log > MOST_COST_LOG || out->block > MOST_BLOCK ||
        out->times > MOST_TIMES)
        return false;
    const char *salt = hash + used;
    return from_hex(salt, out->salt, SALT_BYTES) && salt[2 * SALT_BYTES] == '$' &&
           from_hex(salt + 2 * SALT_BYTES + 1, out->hash, HASH_BYTES);
}

PasswordVerdict password_check(const char *password, const char *hash, Error *err) {
    Slow stored = {0};
    if (!read_hash(hash, &stored))
        return PASSWORD_WRONG;
    Slow slow = stored;
    if (!compute(password, &slow, err))
        return PASSWORD_FAULT;
    return CRYPTO_memcmp(stored.hash, slow.hash, HASH_BYTES) == 0 ? PASSWORD_RIGHT : PASSWORD_WRONG;
}
