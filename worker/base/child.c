/* SPDX-License-Identifier: MIT */
#include "base/child.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diskwatch.h"
#include "base/launch.h"
#include "base/memory.h"
#include "base/resident.h"
#include "base/text.h"
#include "base/tree.h"

enum {
    WATCH_MS = 500,      /* How often a child's memory is measured against its limit. */
    DRAIN_MS = 250,      /* How long output may still come after the process has been reaped. */
    REMOVE_TRIES = 5,    /* How often the removal of a scratch folder is tried, ... */
    REMOVE_NAP_MS = 100, /* ... with so long between. */
    BUFFER_SIZE = CHILD_LINE_MAX + 1,
};

void child_trampoline(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    trampoline_run(argc, argv);
}

/* ---- The child as its parent sees it ---- */

/* A pipe, read and cut into lines. */
typedef struct {
    uv_pipe_t pipe;
    Child *child;
    bool open;
    bool skipping;  /* The next bytes are the rest of an overlong line. */
    size_t held;    /* Bytes of an unfinished line at the start of the buffer. */
    size_t fresh;   /* Bytes after these, read and not yet cut into lines. */
    uint64_t stamp; /* When the fresh bytes were read. */
    char *buffer;   /* BUFFER_SIZE, allocated with the first bytes. */
} Reader;

enum { READER_OUTPUT, READER_ERRORS, READER_STATUS, READER_COUNT };

struct Child {
    uv_process_t process;
    uv_pipe_t input;
    /* The grace of child_finish; after the end, the wait for holders of the pipes. */
    uv_timer_t timer;
    uv_timer_t watch; /* Measures the child's memory, where it is limited. */
    /* Cuts fresh bytes into lines, after all children have been read; after the end, closes the
     * pipes once they have been read. */
    uv_check_t check;
    Reader readers[READER_COUNT];
    ChildEvents events;
    void *user;
    int pid;     /* The guard's process, which leads the group. */
    int program; /* The program's process; the guard's until the program's is known. */
    ResidentWatch resident;
    uint64_t disk_limit;
    DiskWatch *disk;  /* Measures the folders writable for the child; NULL: no limit. */
    int open_handles; /* Handles not yet closed; the memory goes with the last. */
    bool alive;
    bool input_open;
    bool reported; /* `gone` was called. */
    bool freed;    /* The owner has called child_free. */
    char *scratch; /* The child's scratch folder, or NULL. */
    ChildEnd end;
};

typedef struct {
    uv_write_t request;
    char bytes[];
} QueuedWrite;

static void release_if_closed(Child *c) {
    if (!c->freed || c->open_handles > 0)
        return;
    for (int i = 0; i < READER_COUNT; i++)
        free(c->readers[i].buffer);
    free(c);
}

static void on_handle_closed(uv_handle_t *handle) {
    Child *c = handle->data;
    c->open_handles--;
    release_if_closed(c);
}

static void close_handle(Child *c, uv_handle_t *handle) {
    handle->data = c;
    uv_close(handle, on_handle_closed);
}

static void close_reader(Reader *r) {
    if (!r->open)
        return;
    r->open = false;
    close_handle(r->child, (uv_handle_t *)&r->pipe);
}

static void close_input(Child *c) {
    if (!c->input_open)
        return;
    c->input_open = false;
    close_handle(c, (uv_handle_t *)&c->input);
}

/* The handles of every child, besides its pipes. */
enum { OWN_HANDLES = 4 };

static void close_own_handles(Child *c) {
    close_handle(c, (uv_handle_t *)&c->timer);
    close_handle(c, (uv_handle_t *)&c->watch);
    close_handle(c, (uv_handle_t *)&c->check);
    close_handle(c, (uv_handle_t *)&c->process);
}

/* Reports the end once the process is reaped and every pipe is closed. */
static void report_if_over(Child *c) {
    if (c->alive || c->reported)
        return;
    for (int i = 0; i < READER_COUNT; i++)
        if (c->readers[i].open)
            return;
    c->reported = true;
    close_input(c);
    close_own_handles(c);
    if (!c->freed && c->events.gone != NULL)
        c->events.gone(c, &c->end, c->user);
}

static void deliver(Reader *r, char *text, size_t length, uint64_t stamp) {
    Child *c = r->child;
    if (r == &c->readers[READER_STATUS]) {
        c->program = atoi(text); /* The trampoline writes only this line. */
        return;
    }
    if (c->freed || c->events.line == NULL)
        return;
    if (length > 0 && text[length - 1] == '\r')
        length--;
    if (length > CHILD_LINE_MAX)
        length = CHILD_LINE_MAX;
    for (char *nul = memchr(text, '\0', length); nul != NULL;
         nul = memchr(nul, '\0', length - (size_t)(nul - text)))
        *nul = '?';
    text[length] = '\0';
    ChildStream stream = r == &c->readers[READER_OUTPUT] ? CHILD_OUTPUT : CHILD_ERRORS;
    c->events.line(c, stream, text, length, stamp, c->user);
}

/* Frees the buffer of a reader without bytes: nearly all readers are empty at any time. */
static void free_if_empty(Reader *r) {
    if (r->held + r->fresh > 0)
        return;
    free(r->buffer);
    r->buffer = NULL;
}

/* Cuts the bytes in the buffer into lines; an unfinished line moves to the start of the buffer. */
static void cut_lines(Reader *r) {
    char *start = r->buffer;
    char *end = r->buffer + r->held + r->fresh;
    uint64_t stamp = r->stamp;
    char *from = r->buffer + r->held; /* The bytes before have no line end. */
    char *newline;
    r->fresh = 0;
    while ((newline = memchr(from, '\n', (size_t)(end - from))) != NULL) {
        if (!r->skipping)
            deliver(r, start, (size_t)(newline - start), stamp);
        r->skipping = false;
        start = from = newline + 1;
    }
    r->held = (size_t)(end - start);
    if (r->held >= CHILD_LINE_MAX) {
        if (!r->skipping)
            deliver(r, start, r->held, stamp);
        r->skipping = true;
    }
    if (r->skipping)
        r->held = 0;
    if (r->held > 0 && start != r->buffer)
        memmove(r->buffer, start, r->held);
    free_if_empty(r);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf) {
    (void)suggested;
    Reader *r = handle->data;
    if (r->buffer == NULL)
        r->buffer = mem_alloc(BUFFER_SIZE);
    /* One byte stays free for the NUL behind a line as long as the buffer. */
    size_t used = r->held + r->fresh;
    *buf = uv_buf_init(r->buffer + used, (unsigned)(BUFFER_SIZE - 1 - used));
}

static void look_at_fresh(Child *c) {
    uv_check_stop(&c->check);
    for (int i = 0; i < READER_COUNT; i++)
        if (c->readers[i].fresh > 0)
            cut_lines(&c->readers[i]);
}

static void on_check(uv_check_t *check) {
    look_at_fresh(check->data);
}

/* Notes when bytes came. They are cut into lines only when the loop has read every other pipe too,
 * so that the work after one engine's answer delays no other engine's stamp. */
static void take_fresh(Reader *r, size_t n, uint64_t stamp) {
    r->fresh += n;
    r->stamp = stamp;
    if (r->held + r->fresh < BUFFER_SIZE - 1)
        uv_check_start(&r->child->check, on_check);
    else
        cut_lines(r); /* The next read needs room in the buffer at once. */
}

/* At the end of file: is a line without an end to be delivered? */
static bool has_last_line(const Reader *r) {
    bool kept = r == &r->child->readers[READER_OUTPUT] && r->child->events.whole_lines;
    return r->held > 0 && !r->skipping && !kept;
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf) {
    uint64_t stamp = uv_hrtime();
    (void)buf;
    Reader *r = stream->data;
    if (n > 0)
        take_fresh(r, (size_t)n, stamp);
    else
        free_if_empty(r);
    if (n >= 0)
        return;
    Child *c = r->child;
    look_at_fresh(c);
    if (r == &c->readers[READER_STATUS]) {
        if (r->held > 0) {
            c->end.failed_to_run = true;
            size_t length = r->held < CHILD_REASON_MAX - 1 ? r->held : CHILD_REASON_MAX - 1;
            memcpy(c->end.reason, r->buffer, length);
            c->end.reason[length] = '\0';
        }
    } else if (has_last_line(r)) {
        size_t length = r->held;
        r->held = 0;
        deliver(r, r->buffer, length, stamp);
    }
    close_reader(r);
    report_if_over(c);
}

static void end_reading(Child *c) {
    look_at_fresh(c);
    for (int i = 0; i < READER_COUNT; i++)
        close_reader(&c->readers[i]);
    report_if_over(c);
}

static void on_polled(uv_check_t *check) {
    end_reading(check->data);
}

/* The loop may have been held up since the process was reaped. It runs timers before it polls
 * pipes, and checks after that: bytes that wait in the pipes are read first. */
static void on_drain_over(uv_timer_t *timer) {
    Child *c = timer->data;
    uv_check_start(&c->check, on_polled);
    uv_timer_start(timer, on_drain_over, 1, 0); /* The poll must not wait for other events. */
}

static void kill_group(Child *c) {
    if (kill(-c->pid, SIGKILL) != 0 && c->alive)
        kill(c->pid, SIGKILL);
}

/* The removal of a scratch folder. */
typedef struct {
    uv_work_t work;
    char *folder;
} Removal;

/* Processes that were killed may make a file for a moment longer, hence the tries. */
static void remove_folder(uv_work_t *work) {
    const Removal *removal = work->data;
    for (int i = 1; !tree_remove(removal->folder, NULL) && i < REMOVE_TRIES; i++)
        nanosleep(&(struct timespec){.tv_nsec = REMOVE_NAP_MS * CLOCK_NS_PER_MS}, NULL);
}

static void on_removed(uv_work_t *work, int status) {
    Removal *removal = work->data;
    (void)status;
    free(removal->folder);
    free(removal);
}

/* To be called when the child's group has been killed. A folder may hold gigabytes: libuv's thread
 * pool waits for the disk, and the loop, which may have clocks, does not. */
static void remove_scratch(Child *c) {
    if (c->scratch == NULL)
        return;
    Removal *removal = mem_calloc(1, sizeof *removal);
    removal->work.data = removal;
    removal->folder = c->scratch;
    c->scratch = NULL;
    uv_queue_work(c->process.loop, &removal->work, remove_folder, on_removed);
}

static void describe_end(ChildEnd *end) {
    if (end->signal != 0)
        snprintf(end->reason, sizeof end->reason, "killed by signal %d (%s)", end->signal,
                 strsignal(end->signal));
    else
        snprintf(end->reason, sizeof end->reason, "exited with status %d", end->exit_status);
}

static void on_reaped(uv_process_t *process, int64_t status, int signal) {
    Child *c = process->data;
    c->alive = false;
    c->end.exit_status = signal != 0 ? -1 : (int)status;
    c->end.signal = signal;
    uv_timer_stop(&c->watch);
    diskwatch_stop(c->disk);
    c->disk = NULL;
    if (c->end.reason[0] == '\0')
        describe_end(&c->end);
    /* Processes left in the child's group would hold the pipes. */
    kill(-c->pid, SIGKILL);
    remove_scratch(c);
    close_input(c);
    uv_timer_start(&c->timer, on_drain_over, c->freed ? 0 : DRAIN_MS, 0);
    report_if_over(c);
}

/* ---- Watching a child's memory ---- */

static void on_watch(uv_timer_t *timer) {
    Child *c = timer->data;
    if (!c->alive || c->end.killed || !resident_is_over(&c->resident, c->pid))
        return;
    snprintf(c->end.reason, sizeof c->end.reason,
             "killed: occupied %" PRIu64 " MB of memory, the sandbox allows %" PRIu64 " MB",
             c->resident.occupied >> 20, c->resident.limit >> 20);
    uv_timer_stop(timer);
    kill_group(c);
}

/* The watch does not keep the loop running. */
static void watch_memory(Child *c, uint64_t limit) {
    c->resident.limit = limit;
    uv_timer_start(&c->watch, on_watch, WATCH_MS, WATCH_MS);
    uv_unref((uv_handle_t *)&c->watch);
}

/* ---- Watching a child's disk space ---- */

static void on_disk_over(uint64_t bytes, void *user) {
    Child *c = user;
    if (!c->alive || c->end.killed)
        return;
    bool counted = bytes != UINT64_MAX;
    if (counted)
        snprintf(c->end.reason, sizeof c->end.reason,
                 "killed: its files took %" PRIu64 " MB of the disk, the limit is %" PRIu64
                 " MB (--disk-limit)",
                 bytes >> 20, c->disk_limit >> 20);
    else
        snprintf(c->end.reason, sizeof c->end.reason,
                 "killed: the disk space of its files cannot be counted: paths that are too long, "
                 "or folders that cannot be read");
    kill_group(c);
}

/* `confinement` holds the settings, then one word a rule: its letter and its path. */
static void watch_disk(Child *c, uv_loop_t *loop, const Words *confinement, uint64_t limit) {
    Words folders = {0};
    for (size_t i = 1; i < confinement->count; i++) {
        const char *rule = confinement->items[i];
        if (rule[0] == CONFINE_WRITE || rule[0] == CONFINE_BUILD)
            words_add(&folders, rule + 1);
    }
    c->disk_limit = limit;
    c->disk = diskwatch_start(loop, c->pid, &folders, limit, on_disk_over, c);
    words_free(&folders);
}

/* ---- Starting ---- */

static int spawn(Child *c, uv_loop_t *loop, const ChildSpec *spec, const Launch *launch) {
    uv_stdio_container_t stdio[LAUNCH_FDS];
    for (int i = 0; i < LAUNCH_FDS; i++)
        stdio[i] = (uv_stdio_container_t){.flags = UV_INHERIT_FD, .data.fd = launch->theirs[i]};
    if (spec->merge_errors)
        stdio[LAUNCH_ERRORS] = stdio[LAUNCH_OUTPUT];
    uv_process_options_t options = {
        .exit_cb = on_reaped,
        .file = launch->argv.items[0],
        .args = launch->argv.items,
        .env = launch->environment.items,
        .cwd = spec->dir,
        .flags = UV_PROCESS_DETACHED, /* The child leads a session and group of its own. */
        .stdio_count = launch_is_confined(spec) ? LAUNCH_FDS : LAUNCH_LOCK,
        .stdio = stdio,
    };
    return uv_spawn(loop, &c->process, &options);
}

/* Puts this process's ends of the pipes on the loop. */
static void attach(Child *c, uv_loop_t *loop, const Launch *launch) {
    static const int numbers[READER_COUNT] = {[READER_OUTPUT] = LAUNCH_OUTPUT,
                                              [READER_ERRORS] = LAUNCH_ERRORS,
                                              [READER_STATUS] = LAUNCH_STATUS};
    for (int i = 0; i < READER_COUNT; i++) {
        Reader *r = &c->readers[i];
        int fd = launch->ours[numbers[i]];
        r->child = c;
        if (fd < 0)
            continue;
        uv_pipe_init(loop, &r->pipe, 0);
        uv_pipe_open(&r->pipe, fd);
        r->pipe.data = r;
        r->open = true;
        c->open_handles++;
        uv_read_start((uv_stream_t *)&r->pipe, on_alloc, on_read);
    }
    if (launch->ours[LAUNCH_INPUT] >= 0) {
        uv_pipe_init(loop, &c->input, 0);
        uv_pipe_open(&c->input, launch->ours[LAUNCH_INPUT]);
        c->input.data = c;
        c->input_open = true;
        c->open_handles++;
    }
}

static void init_handles(Child *c, uv_loop_t *loop) {
    uv_timer_init(loop, &c->timer);
    uv_timer_init(loop, &c->watch);
    uv_check_init(loop, &c->check);
    c->timer.data = c->watch.data = c->check.data = c;
    c->open_handles = OWN_HANDLES;
}

Child *child_start(uv_loop_t *loop, const ChildSpec *spec, const ChildEvents *events, void *user,
                   Error *err) {
    Launch launch;
    if (!launch_make(spec, &launch, err))
        return NULL;
    Child *c = mem_calloc(1, sizeof *c);
    c->events = *events;
    c->user = user;
    init_handles(c, loop);
    int status = spawn(c, loop, spec, &launch);
    c->process.data = c;
    if (status != 0) {
        error_set(err, "%s: cannot be started: %s", spec->argv[0], uv_strerror(status));
        launch_undo(&launch);
        c->freed = true;
        close_own_handles(c);
        return NULL;
    }
    c->pid = c->program = uv_process_get_pid(&c->process);
    c->alive = true;
    c->scratch = launch.scratch;
    if (launch_is_confined(spec) && spec->policy->resident > 0)
        watch_memory(c, spec->policy->resident);
    if (launch_is_confined(spec) && spec->policy->disk > 0)
        watch_disk(c, loop, &launch.confinement, spec->policy->disk);
    attach(c, loop, &launch);
    launch_free(&launch);
    return c;
}

/* ---- The owner's calls ---- */

int child_pid(const Child *child) {
    return child->pid;
}

int child_program(const Child *child) {
    return child->program;
}

bool child_alive(const Child *child) {
    return child->alive;
}

const char *child_unfinished(const Child *child, size_t *length) {
    const Reader *r = &child->readers[READER_OUTPUT];
    *length = r->held;
    return r->buffer;
}

static void on_written(uv_write_t *request, int status) {
    (void)status; /* `gone` reports a child with a closed input. */
    free(request->data);
}

uint64_t child_write(Child *child, const char *bytes, size_t length) {
    uint64_t stamp = uv_hrtime();
    if (!child->input_open || length == 0)
        return stamp;
    uv_stream_t *stream = (uv_stream_t *)&child->input;
    uv_buf_t buf = uv_buf_init((char *)(uintptr_t)bytes, (unsigned)length);
    int taken = uv_try_write(stream, &buf, 1);
    if (taken < 0 && taken != UV_EAGAIN)
        return stamp;
    size_t rest = length - (taken > 0 ? (size_t)taken : 0);
    if (rest == 0)
        return stamp;
    QueuedWrite *queued = mem_alloc(sizeof *queued + rest);
    memcpy(queued->bytes, bytes + (length - rest), rest);
    queued->request.data = queued;
    buf = uv_buf_init(queued->bytes, (unsigned)rest);
    if (uv_write(&queued->request, stream, &buf, 1, on_written) != 0)
        free(queued);
    return stamp;
}

static void on_shutdown(uv_shutdown_t *request, int status) {
    Child *c = request->handle->data;
    free(request);
    (void)status;
    close_input(c);
}

void child_close_input(Child *child) {
    if (!child->input_open)
        return;
    if (uv_stream_get_write_queue_size((uv_stream_t *)&child->input) == 0) {
        close_input(child);
        return;
    }
    uv_shutdown_t *request = mem_alloc(sizeof *request);
    if (uv_shutdown(request, (uv_stream_t *)&child->input, on_shutdown) != 0) {
        free(request);
        close_input(child);
    }
}

void child_kill(Child *child) {
    if (!child->alive)
        return;
    child->end.killed = true;
    kill_group(child);
}

static void on_grace_over(uv_timer_t *timer) {
    child_kill(timer->data);
}

void child_finish(Child *child, const char *words, uint64_t grace_ms) {
    if (!child->alive)
        return;
    child->end.killed = true;
    if (words != NULL)
        child_write(child, words, strlen(words));
    child_close_input(child);
    uv_timer_start(&child->timer, on_grace_over, grace_ms, 0);
}

void child_free(Child *child) {
    if (child == NULL || child->freed)
        return;
    child->freed = true;
    if (child->alive && !uv_is_active((uv_handle_t *)&child->timer))
        child_kill(child);
    else if (!child->alive && !child->reported)
        end_reading(child);
    release_if_closed(child);
}
