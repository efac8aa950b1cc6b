/* SPDX-License-Identifier: MIT */
#include "base/resident.h"

#include "base/clock.h"
#include "base/ram.h"

enum {
    LEFT_OUT_MAX = 9,  /* Looks that are left out in a row. */
    ESTIMATE_MS = 250, /* How long all watches use one reading of the machine's memory. */
};

/* The machine's available memory, read again when the last reading is too old. */
static uint64_t recently_available(void) {
    static _Thread_local uint64_t bytes;
    static _Thread_local int64_t read_ns;
    int64_t now_ns = clock_now_ns();
    if (read_ns == 0 || clock_elapsed_ms(read_ns, now_ns) >= ESTIMATE_MS) {
        bytes = ram_available();
        read_ns = now_ns;
    }
    return bytes;
}

bool resident_is_due(const ResidentWatch *watch, uint64_t available) {
    uint64_t room = watch->limit > watch->occupied ? watch->limit - watch->occupied : 0;
    bool fell = available < watch->available && watch->available - available >= room / 2;
    return watch->available == 0 || available == 0 || watch->left_out >= LEFT_OUT_MAX || fell;
}

bool resident_is_over(ResidentWatch *watch, int pid) {
    uint64_t available = recently_available();
    if (!resident_is_due(watch, available)) {
        watch->left_out++;
        return false;
    }
    watch->available = available;
    watch->occupied = resident_of(pid, watch->limit);
    watch->left_out = 0;
    return watch->occupied > watch->limit;
}
