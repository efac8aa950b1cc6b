/* SPDX-License-Identifier: MIT */
#include "testfollow.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/follow.h"
#include "servertest.h"

/* A followed test. A server tells only a test's present state; the path of LLR and Elo is made of
 * the states seen since following began. */
typedef struct {
    const ApiAccount *account;
    int64_t id;
    ResultPoint *seen;
    size_t seen_count, seen_capacity;
} Followed;

static void add_path(Followed *f, Result *result) {
    if (result->path_count == 0)
        return;
    ResultPoint now = result->path[0];
    while (f->seen_count > 0 && f->seen[f->seen_count - 1].games > now.games)
        f->seen_count--; /* The server has taken results back. */
    if (f->seen_count == 0 || f->seen[f->seen_count - 1].games < now.games)
        MEM_ADD(f->seen, f->seen_count, f->seen_capacity, now);
    result->path =
        mem_grow(result->path, &result->path_capacity, f->seen_count, sizeof *result->path);
    memcpy(result->path, f->seen, f->seen_count * sizeof *f->seen);
    result->path_count = f->seen_count;
}

static bool read_test(Result *result, bool *again, void *user, Error *err) {
    Followed *f = user;
    if (!servertest_read(f->account, f->id, result, again, err))
        return false;
    add_path(f, result);
    return true;
}

bool testfollow(const ApiAccount *account, int64_t id, const TestFollowOptions *options, Log *log,
                Error *err) {
    enum { EVERY_SECONDS = 60 };
    Followed followed = {.account = account, .id = id};
    Follow follow = {.read = read_test,
                     .user = &followed,
                     .every = options->every ? options->every : EVERY_SECONDS,
                     .html = options->html,
                     .format = options->format,
                     .left = options->left,
                     .log = log};
    bool ok = follow_test(&follow, err);
    free(followed.seen);
    return ok;
}
