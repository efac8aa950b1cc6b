/* SPDX-License-Identifier: MIT */
#include "session/host.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/datadir.h"
#include "base/file.h"
#include "match/syzygy.h"
#include "session/prepare.h"

enum { MODE_PRIVATE = 0600 };

static void default_wait(int64_t *wait, int64_t standard) {
    if (*wait <= 0)
        *wait = standard;
}

void session_default_waits(SessionWaits *waits) {
#define DEFAULT_WAIT(field, option, standard) default_wait(&waits->field, standard);
    SESSION_WAITS(DEFAULT_WAIT)
#undef DEFAULT_WAIT
}

static void fill_defaults(SessionConfig *config) {
    session_default_waits(&config->waits);
    if (config->cache_mb <= 0)
        config->cache_mb = SESSION_CACHE_MB;
    if (config->rebench_minutes <= 0)
        config->rebench_minutes = SESSION_REBENCH_MINUTES;
}

bool host_takes_path(const char *state_dir, Error *err) {
    static const char apart[] = " \t\r\n\v\f$#'\"\\:%;&|<>()[]{}*?`";
    const char *found = strpbrk(state_dir, apart);
    if (found == NULL)
        return true;
    const char mark[] = {'\'', *found, '\'', '\0'};
    return error_set(err,
                     "%s: builds and engines do not take a path with %s in it: move the state "
                     "folder, with the results that wait in it, and name it with --state",
                     state_dir, isspace((unsigned char)*found) ? "a blank" : mark);
}

/* Makes the state folder, and locks it against other workers. */
static bool open_state(Host *host, Error *err) {
    const char *dir = host->config.state_dir;
    if (!host_takes_path(dir, err))
        return false;
    if (!statedir_make(dir, err))
        return error_prefix(err, "--state");
    if (file_disk_runs_nothing(dir))
        return error_set(
            err, "%s: its disk runs no programs (noexec): --state names another folder", dir);
    char *path = text_format("%s/lock", dir);
    host->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, MODE_PRIVATE);
    bool ok = host->lock >= 0 || error_set(err, "--state: %s: %s", path, strerror(errno));
    if (ok && !file_lock(host->lock))
        ok =
            errno == EWOULDBLOCK
                ? error_set(err, "%s: another worker uses this folder (--state names another)", dir)
                : error_set(err, "%s: cannot be locked: %s (--state names another folder)", path,
                            strerror(errno));
    free(path);
    host->real_state = realpath(dir, NULL);
    return ok && prepare_folders(dir, host->config.clean, host->log, err) &&
           machine_mac(dir, host->mac, err);
}

int host_threads(const SessionConfig *config, const Machine *machine) {
    int64_t cores = machine->physical_cores < machine->usable_cores ? machine->physical_cores
                                                                    : machine->usable_cores;
    return config->threads > 0 ? config->threads : (int)cores;
}

bool host_has_threads(const SessionConfig *config, const Machine *machine, Error *err) {
    int threads = host_threads(config, machine);
    return config->sockets <= threads ||
           error_set(err, "--nsockets %d: more than the threads (%d)", config->sockets, threads);
}

static void look_at_machine(Host *host) {
    machine_read(&host->machine);
    host->threads = host_threads(&host->config, &host->machine);
    if (!host->config.syzygy)
        return;
    if (!syzygy_available()) {
        log_warn(host->log,
                 "--syzygy: this obworker was built without Fathom: no tables are announced");
        host->config.syzygy = NULL;
        return;
    }
    host->syzygy_max = syzygy_complete_men(host->config.syzygy);
    if (host->syzygy_max == 0)
        log_warn(host->log,
                 "--syzygy %s: not all tables of three men are there: no tables are announced",
                 host->config.syzygy);
}

bool host_open(Host *host, uv_loop_t *loop, const SessionConfig *config, Error *err) {
    *host = (Host){.config = *config, .loop = loop, .log = config->log, .lock = -1};
    fill_defaults(&host->config);
    if (!open_state(host, err))
        return false;
    look_at_machine(host);
    if (!host_has_threads(&host->config, &host->machine, err))
        return false;
    host->engine_dir = text_format("%s/tmp", config->state_dir);
    host->transcripts.folder = text_format("%s/transcripts", config->state_dir);
    return true;
}

void host_close(Host *host) {
    machine_free(&host->machine);
    free(host->real_state);
    free(host->engine_dir);
    free((char *)(uintptr_t)host->transcripts.folder);
    if (host->lock >= 0)
        close(host->lock);
}
