#include "base/contention.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NS_PER_S = 1000000000, STAT_FIRST_LINE_MAX = 512, TICK_FIELDS = 8, STEAL_FIELD = 7 };

/* The start of a file of the kernel's, as text; "" when it cannot be read. */
static void read_start(int folder, const char *path, char *out, size_t size) {
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, out, size - 1) : -1;
    out[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

bool cpu_use_of(int pid, CpuUse *out) {
    char path[64];
    *out = (CpuUse){0};
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *dir = opendir(path);
    if (dir == NULL)
        return false;
    bool known = false;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char name[300];
        char text[96];
        uint64_t run;
        uint64_t wait;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/schedstat", entry->d_name);
        read_start(dirfd(dir), name, text, sizeof text);
        if (sscanf(text, "%" SCNu64 " %" SCNu64, &run, &wait) != 2)
            continue;
        out->run_ns += run;
        out->wait_ns += wait;
        known = true;
    }
    closedir(dir);
    return known;
}

CpuUse cpu_use_since(const CpuUse *before, const CpuUse *now) {
    if (now->run_ns < before->run_ns || now->wait_ns < before->wait_ns)
        return (CpuUse){0};
    return (CpuUse){.run_ns = now->run_ns - before->run_ns,
                    .wait_ns = now->wait_ns - before->wait_ns};
}

/* "cpu  user nice system idle iowait irq softirq steal …": guests' time is in user's already. */
bool cpu_ticks_parse(const char *stat, CpuTicks *out) {
    *out = (CpuTicks){0};
    int used = 0;
    sscanf(stat, "cpu %n", &used);
    if (used == 0)
        return false;
    const char *at = stat + used;
    CpuTicks ticks = {0};
    for (int i = 0; i < TICK_FIELDS; i++) {
        char *end;
        uint64_t field = strtoull(at, &end, 10);
        if (end == at)
            return false;
        at = end;
        ticks.all += field;
        if (i == STEAL_FIELD)
            ticks.stolen = field;
    }
    *out = ticks;
    return true;
}

CpuTicks cpu_ticks(void) {
    char text[STAT_FIRST_LINE_MAX];
    CpuTicks ticks;
    read_start(AT_FDCWD, "/proc/stat", text, sizeof text);
    cpu_ticks_parse(text, &ticks);
    return ticks;
}

/* ---- What it comes to ---- */

void contention_start(Contention *contention, const CpuTicks *ticks, uint64_t now_ns) {
    *contention = (Contention){.first = *ticks, .ticks = *ticks, .began_ns = now_ns};
}

static double waited_share(const CpuUse *use) {
    uint64_t wanted = use->run_ns + use->wait_ns;
    return wanted > 0 ? (double)use->wait_ns / (double)wanted : -1;
}

static double stolen_share(const CpuTicks *from, const CpuTicks *to) {
    if (to->all <= from->all || to->stolen < from->stolen)
        return -1;
    return (double)(to->stolen - from->stolen) / (double)(to->all - from->all);
}

bool contention_add(Contention *contention, const CpuUse *use, const CpuTicks *ticks,
                    uint64_t now_ns) {
    Contention *c = contention;
    c->total.run_ns += use->run_ns;
    c->total.wait_ns += use->wait_ns;
    c->span.run_ns += use->run_ns;
    c->span.wait_ns += use->wait_ns;
    if (now_ns - c->began_ns < (uint64_t)CONTENTION_SPAN_S * NS_PER_S ||
        c->span.run_ns + c->span.wait_ns < (uint64_t)CONTENTION_WORK_S * NS_PER_S)
        return false;
    bool crowded = waited_share(&c->span) > CONTENTION_SHARE ||
                   stolen_share(&c->ticks, ticks) > CONTENTION_SHARE;
    c->crowded = crowded ? c->crowded + 1 : 0;
    c->span = (CpuUse){0};
    c->ticks = *ticks;
    c->began_ns = now_ns;
    if (c->told || c->crowded < CONTENTION_SPANS)
        return false;
    c->told = true;
    return true;
}

double contention_waited(const Contention *contention) {
    return waited_share(&contention->total);
}

double contention_stolen(const Contention *contention, const CpuTicks *now) {
    return stolen_share(&contention->first, now);
}
