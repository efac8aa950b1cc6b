/* SPDX-License-Identifier: MIT */
#include "submit/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "base/file.h"
#include "base/text.h"
#include "base/tree.h"

/* Reads until the lifeline breaks. A build that dies with this process may write a file a moment
 * longer, hence the tries. */
static const char REMOVE[] =
    "read -r _; for try in 1 2 3 4 5; do rm -rf -- \"$1\" && exit; sleep 1; done";

/* Becomes the remover. In a session of its own no terminal reaches the remover, and without the
 * standard streams it keeps no reader of ours waiting. */
static _Noreturn void wait_and_remove(int lifeline, const char *path) {
    int nowhere = open("/dev/null", O_RDWR);
    setsid();
    dup2(lifeline, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execl("/bin/sh", "sh", "-c", REMOVE, "sh", path, (char *)NULL);
    _exit(EXIT_FAILURE);
}

static bool start_remover(Scratch *scratch, Error *err) {
    int ends[2];
    int status = uv_pipe(ends, 0, 0);
    if (status != 0)
        return error_set(err, "no pipe can be made: %s", uv_strerror(status));
    pid_t remover = fork();
    if (remover == 0)
        wait_and_remove(ends[0], scratch->path);
    close(ends[0]);
    if (remover < 0) {
        close(ends[1]);
        return error_set(err, "no process can be started: %s", strerror(errno));
    }
    scratch->lifeline = ends[1];
    scratch->remover = remover;
    return true;
}

bool scratch_open(Scratch *scratch, Error *err) {
    *scratch = (Scratch){.path = text_format("%s/obworker-submit-XXXXXX", file_temporary_folder())};
    if (!mkdtemp(scratch->path)) {
        error_set(err, "%s: %s", scratch->path, strerror(errno));
    } else if (start_remover(scratch, err)) {
        return true;
    } else {
        rmdir(scratch->path);
    }
    free(scratch->path);
    *scratch = (Scratch){0};
    return false;
}

void scratch_close(Scratch *scratch) {
    if (!scratch->path)
        return;
    tree_remove(scratch->path, NULL);
    close(scratch->lifeline);
    while (waitpid(scratch->remover, NULL, 0) < 0 && errno == EINTR)
        continue;
    free(scratch->path);
    *scratch = (Scratch){0};
}
