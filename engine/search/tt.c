/* SPDX-License-Identifier: MIT */
#include "search/tt.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "chess/draw.h"

/* data: move 16 | score 16 | eval 16 | depth 8 | age 5 | pv 1 | bound 2 */
enum { TT_AGES = 32, TT_AGE_WEIGHT = 8, TT_SAMPLE = 1000, HUGE_PAGE = 1 << 21, MEBIBYTE = 1 << 20 };
/* A thread is started only for a part of at least so many MiB. */
enum {
    SHARE_MEBIBYTES_MIN = 16,
    SHARE_BUCKETS_MIN = SHARE_MEBIBYTES_MIN * MEBIBYTE / sizeof(TtBucket)
};
enum { SCORE_AT = 16, EVAL_AT = 32, DEPTH_AT = 48, AGE_AT = 56, PV_AT = 61, BOUND_AT = 62 };

static uint64_t pack(const TtEntry *e, uint8_t age) {
    return (uint64_t)e->move | (uint64_t)(uint16_t)e->score << SCORE_AT |
           (uint64_t)(uint16_t)e->eval << EVAL_AT | (uint64_t)(uint8_t)e->depth << DEPTH_AT |
           (uint64_t)age << AGE_AT | (uint64_t)e->pv << PV_AT | (uint64_t)e->bound << BOUND_AT;
}

static int data_depth(uint64_t data) {
    return (int)(data >> DEPTH_AT & 0xff);
}

static void unpack(uint64_t data, TtEntry *e) {
    e->move = (Move)data;
    e->score = (int16_t)(data >> SCORE_AT);
    e->eval = (int16_t)(data >> EVAL_AT);
    e->depth = (int8_t)data_depth(data);
    e->pv = data >> PV_AT & 1;
    e->bound = (Bound)(data >> BOUND_AT);
}

static uint64_t load(const _Atomic uint64_t *word) {
    return atomic_load_explicit(word, memory_order_relaxed);
}

static void store(_Atomic uint64_t *word, uint64_t value) {
    atomic_store_explicit(word, value, memory_order_relaxed);
}

static TtBucket *bucket_of(const Tt *tt, uint64_t key) {
    return &tt->buckets[(key >> 32) * tt->count >> 32];
}

bool tt_resize(Tt *tt, int mebibytes, int threads) {
    size_t size = (size_t)mebibytes * MEBIBYTE;
    size_t rounded = (size + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
    void *memory = aligned_alloc(HUGE_PAGE, rounded);
    if (!memory)
        return false;
#ifdef MADV_HUGEPAGE
    madvise(memory, rounded, MADV_HUGEPAGE);
#endif
    free(tt->buckets);
    tt->buckets = memory;
    tt->count = size / sizeof(TtBucket);
    tt_clear(tt, threads);
    return true;
}

void tt_free(Tt *tt) {
    free(tt->buckets);
    *tt = (Tt){0};
}

/* The part of a table that one thread empties. */
typedef struct {
    pthread_t thread;
    TtBucket *first;
    uint64_t count;
} Share;

static void *clear_share(void *argument) {
    const Share *share = argument;
    memset((void *)share->first, 0, (size_t)share->count * sizeof(TtBucket));
    return NULL;
}

void tt_clear(Tt *tt, int threads) {
    Share shares[SEARCH_THREADS_MAX];
    uint64_t most = tt->count / SHARE_BUCKETS_MIN;
    uint64_t count = threads < 1 || most < 1    ? 1
                     : most < (uint64_t)threads ? most
                                                : (uint64_t)threads;
    uint64_t next = 0;
    uint64_t started = 0;
    assert(threads <= SEARCH_THREADS_MAX);
    /* This thread empties the last part, and each part for which no thread could be started. */
    while (started + 1 < count) {
        Share *share = &shares[started];
        *share = (Share){.first = tt->buckets + next, .count = tt->count / count};
        if (pthread_create(&share->thread, NULL, clear_share, share) != 0)
            break;
        next += share->count;
        started++;
    }
    clear_share(&(Share){.first = tt->buckets + next, .count = tt->count - next});
    for (uint64_t i = 0; i < started; i++)
        pthread_join(shares[i].thread, NULL);
    tt->age = 0;
}

void tt_new_search(Tt *tt) {
    tt->age = (uint8_t)((tt->age + 1) % TT_AGES);
}

bool tt_probe(const Tt *tt, uint64_t key, TtEntry *entry) {
    const TtBucket *bucket = bucket_of(tt, key);
    for (int i = 0; i < TT_WAYS; i++) {
        uint64_t data = load(&bucket->slot[i].data);
        if ((load(&bucket->slot[i].check) ^ data) == key && data != 0) {
            unpack(data, entry);
            return true;
        }
    }
    return false;
}

/* The value of a slot: its depth, less TT_AGE_WEIGHT for each search since the slot was written. */
static int worth(uint64_t data, uint8_t age) {
    int old = (TT_AGES + age - (int)(data >> AGE_AT & (TT_AGES - 1))) % TT_AGES;
    return data == 0 ? -TT_AGES * TT_AGE_WEIGHT - 1 : data_depth(data) - TT_AGE_WEIGHT * old;
}

/* The slot that holds the key, else the slot of the least value. */
static TtSlot *victim(const Tt *tt, uint64_t key, bool *same) {
    TtBucket *bucket = bucket_of(tt, key);
    TtSlot *slot = NULL;
    int least = 0;
    *same = false;
    for (int i = 0; i < TT_WAYS; i++) {
        uint64_t data = load(&bucket->slot[i].data);
        if (data != 0 && (load(&bucket->slot[i].check) ^ data) == key) {
            *same = true;
            return &bucket->slot[i];
        }
        int value = worth(data, tt->age);
        if (!slot || value < least) {
            slot = &bucket->slot[i];
            least = value;
        }
    }
    return slot;
}

void tt_store(Tt *tt, uint64_t key, const TtEntry *entry) {
    enum { KEEP_MARGIN = 4 };
    bool same;
    TtSlot *slot = victim(tt, key, &same);
    TtEntry fresh = *entry;
    if (same) {
        uint64_t data = load(&slot->data);
        TtEntry old;
        unpack(data, &old);
        bool current = (data >> AGE_AT & (TT_AGES - 1)) == tt->age;
        if (current && fresh.bound != BOUND_EXACT && fresh.depth + KEEP_MARGIN <= old.depth)
            return;
        if (fresh.move == MOVE_NONE)
            fresh.move = old.move;
    }
    uint64_t data = pack(&fresh, tt->age);
    store(&slot->data, data);
    store(&slot->check, key ^ data);
}

void tt_prefetch(const Tt *tt, uint64_t key) {
    __builtin_prefetch(bucket_of(tt, key));
}

int tt_hashfull(const Tt *tt) {
    int used = 0;
    int looked = 0;
    for (uint64_t b = 0; b < tt->count && looked < TT_SAMPLE; b++) {
        for (int i = 0; i < TT_WAYS; i++, looked++) {
            uint64_t data = load(&tt->buckets[b].slot[i].data);
            used += data != 0 && (data >> AGE_AT & (TT_AGES - 1)) == tt->age;
        }
    }
    return looked ? used * 1000 / looked : 0;
}

int tt_score_in(int score, int ply) {
    if (score >= SCORE_WIN)
        return score + ply;
    return score <= -SCORE_WIN ? score - ply : score;
}

/* May the fifty moves end the game before this mate, or before the position that the endgame tables
 * know? */
static bool is_prevented(int score, int rule50) {
    int at_once = search_is_mate(score) ? SCORE_MATE : SCORE_TABLES;
    return search_is_known(score) && at_once - abs(score) > DRAW_RULE50_PLIES - rule50;
}

int tt_score_out(int score, int ply, int rule50) {
    if (is_prevented(score, rule50))
        return SCORE_NONE;
    if (score >= SCORE_WIN)
        return score - ply;
    return score <= -SCORE_WIN ? score + ply : score;
}
