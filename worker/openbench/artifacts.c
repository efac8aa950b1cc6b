/* SPDX-License-Identifier: MIT */
#include "openbench/artifacts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/json.h"
#include "base/memory.h"

enum { WORD_MAX = 32 };

static const JsonField artifact_fields[] = {
    {"name", JSON_TEXT, JSON_REQUIRED, offsetof(ArtifactEntry, name)},
    {"archive_download_url", JSON_TEXT, JSON_REQUIRED, offsetof(ArtifactEntry, url)},
    {"expired", JSON_BOOL, JSON_OPTIONAL, offsetof(ArtifactEntry, expired)},
};

/* A word of an artifact's name, the CPU flag that the word needs (in the server's spelling), and
 * the rank that the word adds. */
static const struct {
    const char *word, *flag;
    int rank;
} features[] = {
    {"avx512", "AVX512BW", 40},    {"vnni", "AVX512VNNI", 20},
    {"vnni512", "AVX512VNNI", 60}, {"avx512vnni", "AVX512VNNI", 60},
    {"avx2", "AVX2", 30},          {"avx", "AVX", 20},
    {"pext", "BMI2", 3},           {"bmi2", "BMI2", 3},
    {"sse42", "SSE42", 12},        {"sse41", "SSE41", 11},
    {"sse4", "SSE41", 11},         {"ssse3", "SSSE3", 10},
    {"popcnt", "POPCNT", 1},
};

/* Levels of x86-64 in an artifact's name, in the same way. */
static const struct {
    const char *level, *flag;
    int rank;
} levels[] = {{"x86-64-v2", "SSE42", 13}, {"x86-64-v3", "AVX2", 31}, {"x86-64-v4", "AVX512BW", 41}};

/* Words of builds for other systems, and for other processors than this program's. */
static const char *const foreign[] = {
    "windows", "win64", "win",   "mac",   "macos",   "darwin",
#if defined(__x86_64__) || defined(__i386__)
    "arm",     "arm64", "armv7", "armv8", "aarch64",
#else
    "x86",     "x64",   "amd64", "i686",
#endif
};

bool artifacts_maybe(const char *text) {
    while (isspace((unsigned char)*text))
        text++;
    return *text == '{';
}

bool artifacts_parse(const char *text, size_t length, Artifacts *out, Error *err) {
    *out = (Artifacts){0};
    cJSON *json = json_parse(text, length, err);
    if (!json)
        return false;
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "artifacts");
    bool ok = cJSON_IsArray(list) || error_set(err, "artifacts: expected a list");
    const cJSON *item;
    if (ok)
        out->items = mem_calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *out->items);
    if (ok)
        cJSON_ArrayForEach(item, list) ok =
            ok && json_read(item, "artifacts", artifact_fields, COUNT(artifact_fields),
                            &out->items[out->count++], err);
    cJSON_Delete(json);
    return ok;
}

void artifacts_free(Artifacts *artifacts) {
    for (size_t i = 0; i < artifacts->count; i++)
        json_free_fields(artifact_fields, COUNT(artifact_fields), &artifacts->items[i]);
    free(artifacts->items);
    *artifacts = (Artifacts){0};
}

/* The rank that one word of a name adds; negative: the build cannot run on this machine. */
static int rank_word(const char *word, const Words *flags, bool slow_pext) {
    for (size_t i = 0; i < COUNT(foreign); i++)
        if (strcmp(word, foreign[i]) == 0)
            return -1;
    for (size_t i = 0; i < COUNT(features); i++) {
        if (strcmp(word, features[i].word) != 0)
            continue;
        if (!words_has(flags, features[i].flag))
            return -1;
        return slow_pext && strcmp(features[i].flag, "BMI2") == 0 ? 0 : features[i].rank;
    }
    return 0;
}

/* The rank of the level in a name, 0 without one, also where the name has '_' for '-'; negative:
 * the build cannot run on this machine. */
static int rank_level(const char *name, const Words *flags) {
    char *plain = mem_strdup(name);
    int rank = 0;
    for (char *c = plain; *c; c++)
        *c = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
    for (size_t i = 0; i < COUNT(levels); i++)
        if (strstr(plain, levels[i].level))
            rank = words_has(flags, levels[i].flag) ? levels[i].rank : -1;
    free(plain);
    return rank;
}

/* The rank of the name's level, or the sum of the ranks of its words, which are letters and digits,
 * whichever is larger; negative: the build cannot run on this machine. */
static int rank_name(const char *name, const Words *flags, bool slow_pext) {
    int level = rank_level(name, flags);
    int rank = 0;
    while (level >= 0 && *name) {
        char word[WORD_MAX] = "";
        size_t length = 0;
        for (; isalnum((unsigned char)*name); name++)
            if (length + 1 < sizeof word)
                word[length++] = (char)tolower((unsigned char)*name);
        int more = rank_word(word, flags, slow_pext);
        if (more < 0)
            return -1;
        rank += more;
        name += *name != '\0';
    }
    return level < 0 || level > rank ? level : rank;
}

const ArtifactEntry *artifacts_best(const Artifacts *artifacts, const Words *cpu_flags,
                                    bool slow_pext) {
    const ArtifactEntry *best = NULL;
    int best_rank = -1;
    for (size_t i = 0; i < artifacts->count; i++) {
        const ArtifactEntry *artifact = &artifacts->items[i];
        int rank = artifact->expired ? -1 : rank_name(artifact->name, cpu_flags, slow_pext);
        if (rank > best_rank) {
            best = artifact;
            best_rank = rank;
        }
    }
    return best;
}
