/* SPDX-License-Identifier: MIT */
#include "base/machine.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <uv.h>

#include "base/affinity.h"
#include "base/cpuinfo.h"
#include "base/file.h"
#include "base/cpus.h"
#include "base/memory.h"
#include "base/ram.h"

enum { MAC_FILE_LIMIT = 64, BYTES_PER_MB = 1 << 20, NUMBER_MAX = 64 };
static const uint64_t MAC_MASK = UINT64_C(0xFFFFFFFFFFFF);
/* The multicast bit of a MAC address, which no network card's own address has. */
static const uint64_t MAC_RANDOM = UINT64_C(0x010000000000);

/* ---- The text about the CPUs (base/cpuinfo.h) ---- */

/* A line "key : value"; key and value have no blanks around them. */
typedef struct {
    const char *key;
    size_t key_length;
    const char *value;
    size_t value_length;
} InfoLine;

static size_t trimmed(const char *text, size_t length) {
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    return length;
}

/* Splits the line at `text`; returns the beginning of the next line. */
static const char *split_line(const char *text, InfoLine *line) {
    size_t length = strcspn(text, "\n");
    const char *colon = memchr(text, ':', length);
    *line = (InfoLine){.key = text};
    if (colon) {
        line->key_length = trimmed(text, (size_t)(colon - text));
        line->value = colon + 1;
        while (line->value < text + length && isspace((unsigned char)*line->value))
            line->value++;
        line->value_length = trimmed(line->value, (size_t)(text + length - line->value));
    }
    return text[length] ? text + length + 1 : text + length;
}

/* Compares case too: "processor" is a number, "Processor" a name (ARM). */
static bool has_key(const InfoLine *line, const char *key) {
    return line->value && line->key_length == strlen(key) &&
           strncmp(line->key, key, line->key_length) == 0;
}

static void add_flags(const InfoLine *line, Words *flags) {
    const char *end = line->value + line->value_length;
    for (const char *at = line->value; at < end;) {
        Text flag = {0};
        for (; at < end && !isspace((unsigned char)*at); at++)
            if (*at != '_' && *at != '.')
                text_add_char(&flag, (char)toupper((unsigned char)*at));
        while (at < end && isspace((unsigned char)*at))
            at++;
        if (flag.length)
            words_add(flags, text_string(&flag));
        text_free(&flag);
    }
}

/* Adds "package/core" to the set of known cores. */
static void note_core(Words *cores, int64_t package, int64_t core) {
    char name[NUMBER_MAX];
    snprintf(name, sizeof name, "%" PRId64 "/%" PRId64, package, core);
    if (!words_has(cores, name))
        words_add(cores, name);
}

void machine_parse_cpuinfo(const char *text, Machine *out) {
    Words cores = {0};
    int64_t package = 0;
    while (*text) {
        InfoLine line;
        text = split_line(text, &line);
        bool names = has_key(&line, "model name") || has_key(&line, "Processor");
        if ((has_key(&line, "flags") || has_key(&line, "Features")) && out->cpu_flags.count == 0)
            add_flags(&line, &out->cpu_flags);
        else if (names && !out->cpu_name)
            out->cpu_name = mem_strndup(line.value, line.value_length);
        else if (has_key(&line, "physical id"))
            package = strtoll(line.value, NULL, 10);
        else if (has_key(&line, "core id"))
            note_core(&cores, package, strtoll(line.value, NULL, 10));
    }
    out->physical_cores = (int64_t)cores.count;
    words_free(&cores);
}

/* ---- The machine ---- */

static int64_t usable_cores(void) {
    CpuList usable = {0};
    affinity_allowed(&usable);
    int64_t count = (int64_t)usable.count;
    cpulist_free(&usable);
    int64_t quota = affinity_quota();
    return count < quota ? count : quota;
}

void machine_read(Machine *out) {
    *out = (Machine){0};
    Text cpuinfo = {0};
    struct utsname names = {0};
    if (cpuinfo_read(&cpuinfo))
        machine_parse_cpuinfo(text_string(&cpuinfo), out);
    text_free(&cpuinfo);
    uname(&names);
    if (!out->cpu_name)
        out->cpu_name = mem_strdup(names.machine);
    out->os_name = mem_strdup(names.sysname[0] ? names.sysname : "Unknown");
    out->os_ver = mem_strdup(names.release);
    out->host = mem_strdup(names.nodename);
    out->logical_cores = cpus_online();
    out->usable_cores = usable_cores();
    if (out->physical_cores == 0 || out->physical_cores > out->logical_cores)
        out->physical_cores = out->logical_cores;
    out->ram_total_mb = (int64_t)(ram_total() / BYTES_PER_MB);
}

void machine_free(Machine *machine) {
    words_free(&machine->cpu_flags);
    free(machine->cpu_name);
    free(machine->os_name);
    free(machine->os_ver);
    free(machine->host);
    *machine = (Machine){0};
}

bool machine_mac(const char *state_dir, char out[MACHINE_MAC_MAX], Error *err) {
    Text kept = {0};
    char *path = text_format("%s/machine-number", state_dir);
    uint64_t number = 0;
    bool ok = true;
    if (file_read(path, MAC_FILE_LIMIT, &kept, NULL))
        number = strtoull(text_string(&kept), NULL, 16) & MAC_MASK;
    if (number == 0) {
        int status = uv_random(NULL, NULL, &number, sizeof number, 0, NULL);
        if (status != 0)
            ok = error_set(err, "no random numbers: %s", uv_strerror(status));
        number = (number & MAC_MASK) | MAC_RANDOM;
        char line[NUMBER_MAX];
        int length = snprintf(line, sizeof line, "%" PRIX64 "\n", number);
        ok = ok && file_write_atomic(path, line, (size_t)length, 0600, err);
    }
    snprintf(out, MACHINE_MAC_MAX, "%" PRIX64, number);
    text_free(&kept);
    free(path);
    return ok;
}
