/* SPDX-License-Identifier: MIT */
/* The filter of system calls, as a program: what it answers to a call. That the kernel does as the
 * filter says: test_confine. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "base/linux/filter.h"
#include "runner.h"

enum { OWN = 77, OTHER = 78, ALL_GROUPS = 63 };

/* Every jump lands within the program, which ends with an answer. */
START_TEST(filters_are_whole) {
    struct sock_filter program[FILTER_INSTRUCTIONS_MAX];
    for (unsigned refused = 0; refused <= ALL_GROUPS; refused++) {
        size_t count = filter_make(refused, OWN, program);
        if (count == 0) {
            printf("left out: filters for this architecture\n");
            return;
        }
        ck_assert_uint_le(count, FILTER_INSTRUCTIONS_MAX);
        for (size_t i = 0; i < count; i++)
            if (BPF_CLASS(program[i].code) == BPF_JMP)
                ck_assert_uint_lt(
                    i + 1 + (program[i].jt > program[i].jf ? program[i].jt : program[i].jf), count);
        ck_assert_uint_eq(program[count - 1].code, BPF_RET | BPF_K);
    }
}
END_TEST

/* The answer of a program to a call, by the instructions that filter_make uses. */
static uint32_t answer_of(const struct sock_filter *program, size_t count,
                          const struct seccomp_data *call) {
    uint32_t loaded = 0;
    for (size_t at = 0; at < count; at++) {
        const struct sock_filter *step = &program[at];
        bool holds = false;
        switch (step->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            ck_assert_uint_le(step->k + sizeof loaded, sizeof *call);
            memcpy(&loaded, (const char *)call + step->k, sizeof loaded);
            continue;
        case BPF_ALU | BPF_AND | BPF_K:
            loaded &= step->k;
            continue;
        case BPF_JMP | BPF_JEQ | BPF_K:
            holds = loaded == step->k;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            holds = loaded >= step->k;
            break;
        case BPF_JMP | BPF_JSET | BPF_K:
            holds = (loaded & step->k) != 0;
            break;
        case BPF_RET | BPF_K:
            return step->k;
        default:
            ck_abort_msg("instruction %zu has code %d", at, step->code);
        }
        at += holds ? step->jt : step->jf;
    }
    ck_abort_msg("the program ends without an answer");
    return 0;
}

/* A call, and what the filter is to answer. */
typedef struct {
    const char *name;
    int call;
    uint64_t args[6];
    unsigned group; /* That is refused; without it the call is allowed. 0: the answer is the same
                       whatever is refused. */
    int wanted;     /* The errno, or one of these: */
} Question;

enum { ALLOWED = 0, PRETENDED = -1 /* Success, and nothing is done. */ };

/* The answer to a program of this architecture, which the second instruction names, or of another
 * one. */
static uint32_t ask(const Question *question, unsigned refused, bool foreign) {
    struct sock_filter program[FILTER_INSTRUCTIONS_MAX];
    size_t count = filter_make(refused, OWN, program);
    struct seccomp_data call = {.nr = question->call, .arch = program[1].k ^ foreign};
    for (size_t i = 0; i < COUNT(question->args); i++)
        call.args[i] = question->args[i];
    return answer_of(program, count, &call);
}

static void expect(const Question *question, unsigned refused, int wanted) {
    uint32_t answer = wanted == ALLOWED     ? SECCOMP_RET_ALLOW
                      : wanted == PRETENDED ? SECCOMP_RET_ERRNO
                                            : SECCOMP_RET_ERRNO | (uint32_t)wanted;
    uint32_t got = ask(question, refused, false);
    ck_assert_msg(got == answer, "%s(%#llx, %#llx, ...), groups %#x: got %#x, wanted %#x",
                  question->name, (unsigned long long)question->args[0],
                  (unsigned long long)question->args[1], refused, got, answer);
}

#define NAMED(call) #call, SYS_##call

/* The numbers that older headers lack stand here as the kernel's tables have them. */
static const Question QUESTIONS[] = {
    /* Namespaces and mounts. */
    {NAMED(unshare), .wanted = EPERM},
    {NAMED(setns), .wanted = EPERM},
    {NAMED(clone), {CLONE_NEWUSER | SIGCHLD}, .wanted = EPERM},
    {NAMED(clone), {CLONE_NEWPID}, .wanted = EPERM},
    {NAMED(clone), {CLONE_NEWNET}, .wanted = EPERM},
    {NAMED(clone), {0x80}, .wanted = EPERM}, /* CLONE_NEWTIME */
    {NAMED(clone), {SIGCHLD}, .wanted = ALLOWED},
    {"clone3", 435, .wanted = ENOSYS},
    {NAMED(mount), .wanted = EPERM},
    {NAMED(umount2), .wanted = EPERM},
    {NAMED(pivot_root), .wanted = EPERM},
    {NAMED(chroot), .wanted = EPERM},
    {"open_tree", 428, .wanted = EPERM},
    {"open_tree_attr", 467, .wanted = EPERM},
    {"move_mount", 429, .wanted = EPERM},
    {"fsopen", 430, .wanted = EPERM},
    {"fsconfig", 431, .wanted = EPERM},
    {"fsmount", 432, .wanted = EPERM},
    {"fspick", 433, .wanted = EPERM},
    {"mount_setattr", 442, .wanted = EPERM},
    {NAMED(open_by_handle_at), .wanted = EPERM},
    /* Other processes. */
    {NAMED(ptrace), .wanted = EPERM},
    {NAMED(process_vm_readv), .wanted = EPERM},
    {NAMED(process_vm_writev), .wanted = EPERM},
    {"process_madvise", 440, .wanted = EPERM},
    {"pidfd_getfd", 438, .wanted = EPERM},
    {NAMED(kcmp), .wanted = EPERM},
    {NAMED(prlimit64), {OTHER}, .wanted = EPERM},
    {NAMED(prlimit64), {OWN}, .wanted = ALLOWED},
    {NAMED(prlimit64), {0}, .wanted = ALLOWED},
    {NAMED(move_pages), {OTHER}, .wanted = EPERM},
    {NAMED(move_pages), {0}, .wanted = ALLOWED},
    {NAMED(migrate_pages), {OTHER}, .wanted = EPERM},
    {NAMED(migrate_pages), {OWN}, .wanted = ALLOWED},
    {NAMED(setpriority), {PRIO_PGRP, 0}, .wanted = EPERM},
    {NAMED(setpriority), {PRIO_USER, 0}, .wanted = EPERM},
    {NAMED(setpriority), {PRIO_PROCESS, 0}, .wanted = ALLOWED},
    {NAMED(setpriority), {PRIO_PROCESS, OTHER}, FILTER_SCHEDULING, EPERM},
    {NAMED(setpriority), {PRIO_PROCESS, OWN}, FILTER_SCHEDULING, ALLOWED},
    {NAMED(ioprio_set), {2, 0}, .wanted = EPERM},
    {NAMED(ioprio_set), {1, 0}, .wanted = ALLOWED},
    {NAMED(ioprio_set), {1, OTHER}, FILTER_SCHEDULING, EPERM},
    {NAMED(sched_setscheduler), {OTHER}, FILTER_SCHEDULING, EPERM},
    {NAMED(sched_setparam), {OTHER}, FILTER_SCHEDULING, EPERM},
    {NAMED(sched_setattr), {OTHER}, FILTER_SCHEDULING, EPERM},
    {NAMED(sched_setattr), {0}, FILTER_SCHEDULING, ALLOWED},
    {NAMED(sched_setaffinity), {OTHER}, FILTER_SCHEDULING, PRETENDED},
    {NAMED(sched_setaffinity), {OWN}, FILTER_SCHEDULING, ALLOWED},
    /* Descriptors, files in memory, watches, groups. */
    {NAMED(prctl), {PR_SET_DUMPABLE}, .wanted = EPERM},
    {NAMED(prctl), {PR_SET_NAME}, .wanted = ALLOWED},
    {NAMED(clone), {CLONE_VM | CLONE_THREAD}, .wanted = EPERM},
    {NAMED(clone), {CLONE_VM | CLONE_FILES | CLONE_THREAD}, .wanted = ALLOWED},
    {"close_range", 436, {3, 9, 2}, .wanted = EINVAL},
    {"close_range", 436, {3, 9, 0}, .wanted = ALLOWED},
    {NAMED(memfd_create), .wanted = ENOSYS},
    {"memfd_secret", 447, .wanted = ENOSYS},
    {NAMED(inotify_init1), .wanted = ENOSYS},
    {NAMED(fcntl), {3, F_NOTIFY}, .wanted = EPERM},
    {NAMED(fcntl), {3, F_SETLEASE}, .wanted = EPERM},
    {NAMED(fcntl), {3, 1040}, .wanted = EPERM}, /* F_SETDELEG */
    {NAMED(fcntl), {3, F_SETFL}, .wanted = ALLOWED},
    {NAMED(setsid), .wanted = EPERM},
    {NAMED(setpgid), .wanted = PRETENDED},
    /* What passes no filter, and what outlives its process. */
    {"io_uring_setup", 425, .wanted = ENOSYS},
    {"io_uring_enter", 426, .wanted = ENOSYS},
    {"io_uring_register", 427, .wanted = ENOSYS},
    {NAMED(add_key), .wanted = EPERM},
    {NAMED(request_key), .wanted = EPERM},
    {NAMED(keyctl), .wanted = EPERM},
    {NAMED(shmget), .wanted = EPERM},
    {NAMED(shmat), .wanted = EPERM},
    {NAMED(shmctl), .wanted = EPERM},
    {NAMED(semget), .wanted = EPERM},
    {NAMED(semctl), .wanted = EPERM},
#ifdef SYS_semop
    {NAMED(semop), .wanted = EPERM},
#endif
#ifdef SYS_semtimedop
    {NAMED(semtimedop), .wanted = EPERM},
#endif
    {NAMED(msgget), .wanted = EPERM},
    {NAMED(msgctl), .wanted = EPERM},
    {NAMED(msgsnd), .wanted = EPERM},
    {NAMED(msgrcv), .wanted = EPERM},
    {NAMED(mq_open), .wanted = EPERM},
    /* The kernel. */
    {NAMED(bpf), .wanted = EPERM},
    {NAMED(perf_event_open), .wanted = EPERM},
    {NAMED(userfaultfd), .wanted = EPERM},
    {NAMED(fanotify_init), .wanted = EPERM},
    {NAMED(init_module), .wanted = EPERM},
    {NAMED(finit_module), .wanted = EPERM},
    {NAMED(delete_module), .wanted = EPERM},
    {NAMED(kexec_load), .wanted = EPERM},
    {NAMED(reboot), .wanted = EPERM},
    {NAMED(swapon), .wanted = EPERM},
    {NAMED(swapoff), .wanted = EPERM},
    {NAMED(acct), .wanted = EPERM},
    {NAMED(quotactl), .wanted = EPERM},
    {"quotactl_fd", 443, .wanted = EPERM},
    {NAMED(syslog), .wanted = EPERM},
    {NAMED(vhangup), .wanted = EPERM},
    {NAMED(sethostname), .wanted = EPERM},
    {NAMED(setdomainname), .wanted = EPERM},
    {NAMED(settimeofday), .wanted = EPERM},
    {NAMED(clock_settime), .wanted = EPERM},
    /* Sockets. */
    {NAMED(socketpair), {AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC}, .wanted = ALLOWED},
    {NAMED(socketpair), {AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK}, .wanted = ALLOWED},
    {NAMED(socketpair), {AF_UNIX, SOCK_DGRAM}, .wanted = EPERM},
    {NAMED(socketpair), {AF_UNIX, SOCK_RAW}, .wanted = EPERM},
    {NAMED(socketpair), {AF_INET, SOCK_STREAM}, .wanted = EPERM},
    {NAMED(socket), {AF_INET, SOCK_STREAM}, FILTER_SOCKETS, EPERM},
    {NAMED(bind), {0}, FILTER_SOCKETS, EPERM},
    {NAMED(connect), {0}, FILTER_SOCKETS, EPERM},
    {NAMED(listen), {0}, FILTER_SOCKETS, EPERM},
    {NAMED(sendto), {3, 1, 1, 0, 0x1000}, FILTER_SOCKETS, EPERM},
    {NAMED(sendto), {3, 1, 1, 0, UINT64_C(1) << 32}, FILTER_SOCKETS, EPERM},
    {NAMED(sendto), {3, 1, 1, 0, 0}, FILTER_SOCKETS, ALLOWED},
    {NAMED(socket), {AF_UNIX}, FILTER_LOCAL_SOCKETS, EPERM},
    {NAMED(socket), {AF_NETLINK}, FILTER_LOCAL_SOCKETS, EPERM},
    {NAMED(socket), {AF_INET}, FILTER_LOCAL_SOCKETS, ALLOWED},
    {NAMED(socket), {AF_INET6}, FILTER_LOCAL_SOCKETS, ALLOWED},
    /* Files. */
    {NAMED(fchmod), {0}, FILTER_METADATA, EPERM},
    {NAMED(fchmodat), {0}, FILTER_METADATA, EPERM},
    {"fchmodat2", 452, {0}, FILTER_METADATA, EPERM},
    {NAMED(fchown), {0}, FILTER_METADATA, EPERM},
    {NAMED(fchownat), {0}, FILTER_METADATA, EPERM},
    {NAMED(utimensat), {0}, FILTER_METADATA, EPERM},
    {NAMED(setxattr), {0}, FILTER_METADATA, EPERM},
    {NAMED(lsetxattr), {0}, FILTER_METADATA, EPERM},
    {NAMED(fsetxattr), {0}, FILTER_METADATA, EPERM},
    {"setxattrat", 463, {0}, FILTER_METADATA, EPERM},
    {NAMED(removexattr), {0}, FILTER_METADATA, EPERM},
    {NAMED(lremovexattr), {0}, FILTER_METADATA, EPERM},
    {NAMED(fremovexattr), {0}, FILTER_METADATA, EPERM},
    {"removexattrat", 466, {0}, FILTER_METADATA, EPERM},
    {"file_setattr", 469, {0}, FILTER_METADATA, EPERM},
    {NAMED(ioctl), {3, FS_IOC_SETFLAGS}, FILTER_METADATA, EPERM},
    {NAMED(ioctl), {3, FS_IOC_FSSETXATTR}, FILTER_METADATA, EPERM},
    {NAMED(ioctl), {3, 0x40806685}, FILTER_METADATA, EPERM}, /* FS_IOC_ENABLE_VERITY */
    {NAMED(ioctl), {3, FS_IOC_GETFLAGS}, FILTER_METADATA, ALLOWED},
    {NAMED(truncate), {0}, FILTER_TRUNCATION, EPERM},
    {NAMED(openat), {3, 1, O_RDONLY | O_TRUNC}, FILTER_TRUNCATION, EPERM},
    {NAMED(openat), {3, 1, O_WRONLY | O_TRUNC}, FILTER_TRUNCATION, ALLOWED},
    {NAMED(openat), {3, 1, O_RDONLY}, FILTER_TRUNCATION, ALLOWED},
    {"openat2", 437, {0}, FILTER_TRUNCATION, ENOSYS},
    /* Signals. */
    {NAMED(kill), {OTHER, SIGKILL}, FILTER_SIGNALS, EPERM},
    {NAMED(kill), {OWN, SIGKILL}, FILTER_SIGNALS, ALLOWED},
    {NAMED(kill), {0, SIGKILL}, FILTER_SIGNALS, ALLOWED},
    {NAMED(tgkill), {OTHER}, FILTER_SIGNALS, EPERM},
    {NAMED(tgkill), {OWN}, FILTER_SIGNALS, ALLOWED},
    {NAMED(tkill), {OTHER}, FILTER_SIGNALS, EPERM},
    {NAMED(rt_sigqueueinfo), {OTHER}, FILTER_SIGNALS, EPERM},
    {NAMED(rt_tgsigqueueinfo), {OTHER}, FILTER_SIGNALS, EPERM},
    {"pidfd_send_signal", 424, {0}, FILTER_SIGNALS, EPERM},
    {NAMED(fcntl), {3, F_SETOWN}, .wanted = EPERM},
    {NAMED(fcntl), {3, F_SETOWN_EX}, .wanted = EPERM},
    {NAMED(ioctl), {3, FIOSETOWN}, .wanted = EPERM},
    {NAMED(ioctl), {3, SIOCSPGRP}, .wanted = EPERM},
    {NAMED(ioctl), {3, 0x5401}, .wanted = ALLOWED}, /* TCGETS */
#if defined(__x86_64__)
    {NAMED(iopl), .wanted = EPERM},
    {NAMED(ioperm), .wanted = EPERM},
    {NAMED(kexec_file_load), .wanted = EPERM},
    {NAMED(inotify_init), .wanted = ENOSYS},
    {NAMED(chmod), {0}, FILTER_METADATA, EPERM},
    {NAMED(chown), {0}, FILTER_METADATA, EPERM},
    {NAMED(lchown), {0}, FILTER_METADATA, EPERM},
    {NAMED(utime), {0}, FILTER_METADATA, EPERM},
    {NAMED(utimes), {0}, FILTER_METADATA, EPERM},
    {NAMED(futimesat), {0}, FILTER_METADATA, EPERM},
    {NAMED(open), {1, O_RDONLY | O_TRUNC}, FILTER_TRUNCATION, EPERM},
    {NAMED(open), {1, O_RDWR | O_TRUNC}, FILTER_TRUNCATION, ALLOWED},
#endif
    /* What every engine does. */
    {NAMED(read), .wanted = ALLOWED},
    {NAMED(write), .wanted = ALLOWED},
    {NAMED(mmap), .wanted = ALLOWED},
    {NAMED(futex), .wanted = ALLOWED},
    {NAMED(execve), .wanted = ALLOWED},
    {NAMED(wait4), .wanted = ALLOWED},
    {NAMED(pipe2), .wanted = ALLOWED},
    {NAMED(exit_group), .wanted = ALLOWED},
};

START_TEST(each_call_is_answered) {
    struct sock_filter program[FILTER_INSTRUCTIONS_MAX];
    if (filter_make(0, OWN, program) == 0) {
        printf("left out: filters for this architecture\n");
        return;
    }
    for (size_t i = 0; i < COUNT(QUESTIONS); i++) {
        const Question *question = &QUESTIONS[i];
        expect(question, question->group, question->wanted);
        expect(question, question->group != 0 ? 0 : ALL_GROUPS,
               question->group != 0 ? ALLOWED : question->wanted);
        ck_assert_uint_eq(ask(question, 0, true), SECCOMP_RET_KILL_PROCESS);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, filters_are_whole);
    tcase_add_test(tests, each_call_is_answered);
}

int main(void) {
    return run_tests("filter", add_tests);
}
