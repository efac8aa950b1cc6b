/* SPDX-License-Identifier: MIT */
#include "base/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { PIECE = 1 << 16, SHA256_BYTES = 32 };

static EVP_MD_CTX *digest_begin(Error *err) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1)
        return context;
    EVP_MD_CTX_free(context);
    error_set(err, "SHA-256 is not available in libcrypto");
    return NULL;
}

/* Ends the computation, which has succeeded so far if `ok`, and frees the context. */
static bool digest_end(EVP_MD_CTX *context, bool ok, char out[DIGEST_HEX_MAX], Error *err) {
    static const char digits[] = "0123456789abcdef";
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    ok = ok && EVP_DigestFinal_ex(context, sum, &length) == 1 && length == SHA256_BYTES;
    EVP_MD_CTX_free(context);
    if (!ok)
        return error_set(err, "SHA-256 failed in libcrypto");
    for (unsigned int i = 0; i < SHA256_BYTES; i++) {
        out[2 * i] = digits[sum[i] >> 4];
        out[2 * i + 1] = digits[sum[i] & 15];
    }
    out[DIGEST_HEX_MAX - 1] = '\0';
    return true;
}

bool digest_bytes(const void *bytes, size_t length, char out[DIGEST_HEX_MAX], Error *err) {
    EVP_MD_CTX *context = digest_begin(err);
    if (!context)
        return false;
    return digest_end(context, EVP_DigestUpdate(context, bytes, length) == 1, out, err);
}

bool digest_text(const void *bytes, size_t length, char out[DIGEST_HEX_MAX], Error *err) {
    EVP_MD_CTX *context = digest_begin(err);
    if (!context)
        return false;
    const char *s = bytes;
    const char *end = s + length;
    bool ok = true;
    while (ok && s < end) {
        /* The piece ends before a CR that LF follows, which is left out. */
        const char *cr = memchr(s, '\r', (size_t)(end - s));
        const char *stop = cr ? cr : end;
        if (cr && (cr + 1 == end || cr[1] != '\n'))
            stop = cr + 1;
        ok = EVP_DigestUpdate(context, s, (size_t)(stop - s)) == 1;
        s = stop == cr ? cr + 1 : stop;
    }
    return digest_end(context, ok, out, err);
}

bool digest_file(const char *path, char out[DIGEST_HEX_MAX], Error *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(err, "%s: %s", path, strerror(errno));
    bool ok = false;
    EVP_MD_CTX *context = digest_begin(err);
    if (!context)
        goto done;
    unsigned char piece[PIECE];
    ssize_t n;
    bool updated = true;
    while (updated && ((n = read(fd, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0)
            updated = EVP_DigestUpdate(context, piece, (size_t)n) == 1;
    int cause = errno;
    ok = digest_end(context, updated, out, err);
    if (updated && n < 0)
        ok = error_set(err, "%s: %s", path, strerror(cause));
done:
    close(fd);
    return ok;
}

bool digest_matches(const char *digest, const char *wanted) {
    return wanted[0] && strncasecmp(digest, wanted, strlen(wanted)) == 0;
}
