/* SPDX-License-Identifier: MIT */
/* A kernel that lacks one of the sandbox's layers, for this process and all that it starts: the
 * system calls of the layer answer as they do where the layer does not exist. */
#ifndef TESTS_TOOLS_WITHOUT_H
#define TESTS_TOOLS_WITHOUT_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The calls by which a layer begins, and what they answer. */
static const struct {
    const char *name;
    int call, error;
} WITHOUT[] = {{"Landlock", 444 /* landlock_create_ruleset */, ENOSYS},
               {"namespaces", SYS_unshare, EPERM},
               {"system call filter", SYS_seccomp, ENOSYS}};

enum { WITHOUT_LANDLOCK, WITHOUT_NAMESPACES, WITHOUT_FILTER, WITHOUT_COUNT };

/* Takes the layer away for good; false with errno where that cannot be done. */
static inline bool without(int layer) {
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)WITHOUT[layer].call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)WITHOUT[layer].error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

#endif
