/* SPDX-License-Identifier: MIT */
#include "base/linux/filter.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* The kernel's name of this machine's architecture; 0: its system calls are not known here. On
 * x86-64, calls from FOREIGN_CALLS on belong to x32, another architecture. */
#if defined(__x86_64__)
enum { ARCHITECTURE = (int)AUDIT_ARCH_X86_64, FOREIGN_CALLS = 0x40000000 };
#elif defined(__aarch64__)
enum { ARCHITECTURE = (int)AUDIT_ARCH_AARCH64, FOREIGN_CALLS = 0 };
#elif defined(__riscv) && __riscv_xlen == 64
enum { ARCHITECTURE = (int)AUDIT_ARCH_RISCV64, FOREIGN_CALLS = 0 };
#else
enum { ARCHITECTURE = 0, FOREIGN_CALLS = 0 };
#endif

/* Numbers of calls missing in the headers of older systems; they are the same on every
 * architecture. */
enum {
    CALL_PIDFD_SEND_SIGNAL = 424,
    CALL_IO_URING_SETUP = 425,
    CALL_IO_URING_ENTER,
    CALL_IO_URING_REGISTER,
    CALL_OPEN_TREE,
    CALL_MOVE_MOUNT,
    CALL_FSOPEN,
    CALL_FSCONFIG,
    CALL_FSMOUNT,
    CALL_FSPICK,
    CALL_CLONE3 = 435,
    CALL_CLOSE_RANGE,
    CALL_OPENAT2 = 437,
    CALL_PIDFD_GETFD = 438,
    CALL_PROCESS_MADVISE = 440,
    CALL_MOUNT_SETATTR = 442,
    CALL_QUOTACTL_FD,
    CALL_FCHMODAT2 = 452,
    CALL_SETXATTRAT = 463,
    CALL_REMOVEXATTRAT = 466,
    CALL_OPEN_TREE_ATTR,
    CALL_FILE_SETATTR = 469,
    CALL_MEMFD_SECRET = 447,
};

/* Commands missing there: F_SETDELEG of fcntl (Linux 6.19), and FS_IOC_ENABLE_VERITY of ioctl,
 * whose argument has 128 bytes. */
enum { SET_DELEGATION = 1024 + 16, ENABLE_VERITY = (int)_IOW('f', 133, char[128]) };

enum { NEW_NAMESPACES = 0x7e020080 }; /* All CLONE_NEW… flags. */
enum { SELF = -2 };                   /* As an operand: the id of the filtered process. */
static_assert((NEW_NAMESPACES & (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_THREAD)) ==
                  (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET),
              "the flags of new namespaces");

/* The condition on an argument that refuses a call. */
typedef enum {
    ANYHOW,
    WITH_BITS,    /* (argument & a) != 0 */
    WHERE,        /* (argument & a) == b */
    UNLESS_WHERE, /* (argument & a) != b */
    UNLESS        /* argument is neither a nor b */
} Test;

/* The values by which ioprio_set(2) and setpriority(2) mean a single thread. */
enum { IOPRIO_OF_THREAD = 1, PRIORITY_OF_THREAD = PRIO_PROCESS };
enum { ALL_BITS = -1 };
enum { OWN_TABLE = 1 << 1 }; /* CLOSE_RANGE_UNSHARE of close_range. */

typedef struct {
    int call;
    unsigned when; /* Groups (FILTER_…) with which the call is refused; 0: always. */
    Test test;
    int argument; /* The index of the tested argument, ... */
    bool high;    /* ... of which the high 32 bits are tested, else the low 32 bits. */
    int a, b;
    int error;      /* The errno for the caller; 0: EPERM. */
    bool pretended; /* The call reports success, and has done nothing. */
} Row;

static const Row rows[] = {
    /* New namespaces, which would give the child rights within them. A filter cannot read the flags
     * of clone3: without clone3, C libraries call clone. */
    {.call = SYS_unshare},
    {.call = SYS_setns},
    {.call = SYS_clone, .test = WITH_BITS, .a = NEW_NAMESPACES},
    {.call = CALL_CLONE3, .error = ENOSYS},
    {.call = SYS_mount},
    {.call = SYS_umount2},
    {.call = SYS_pivot_root},
    {.call = SYS_chroot},
    {.call = CALL_OPEN_TREE},
    {.call = CALL_OPEN_TREE_ATTR},
    {.call = CALL_MOVE_MOUNT},
    {.call = CALL_FSOPEN},
    {.call = CALL_FSCONFIG},
    {.call = CALL_FSMOUNT},
    {.call = CALL_FSPICK},
    {.call = CALL_MOUNT_SETATTR},
    {.call = SYS_open_by_handle_at},
    /* Access to other processes. */
    {.call = SYS_ptrace},
    {.call = SYS_process_vm_readv},
    {.call = SYS_process_vm_writev},
    {.call = CALL_PROCESS_MADVISE},
    {.call = CALL_PIDFD_GETFD},
    {.call = SYS_kcmp},
    {.call = SYS_prlimit64, .test = UNLESS, .b = SELF},
    {.call = SYS_move_pages, .test = UNLESS, .b = SELF},
    {.call = SYS_migrate_pages, .test = UNLESS, .b = SELF},
    /* The opponent's CPU time. A filter cannot know the ids of a process's other threads: a thread
     * that binds another thread to CPUs is told that it has succeeded. */
    {.call = SYS_setpriority, .test = UNLESS_WHERE, .a = ALL_BITS, .b = PRIORITY_OF_THREAD},
    {.call = SYS_setpriority, .when = FILTER_SCHEDULING, .test = UNLESS, .argument = 1, .b = SELF},
    {.call = SYS_ioprio_set, .test = UNLESS_WHERE, .a = ALL_BITS, .b = IOPRIO_OF_THREAD},
    {.call = SYS_ioprio_set, .when = FILTER_SCHEDULING, .test = UNLESS, .argument = 1, .b = SELF},
    {.call = SYS_sched_setscheduler, .when = FILTER_SCHEDULING, .test = UNLESS, .b = SELF},
    {.call = SYS_sched_setparam, .when = FILTER_SCHEDULING, .test = UNLESS, .b = SELF},
    {.call = SYS_sched_setattr, .when = FILTER_SCHEDULING, .test = UNLESS, .b = SELF},
    {.call = SYS_sched_setaffinity,
     .when = FILTER_SCHEDULING,
     .test = UNLESS,
     .b = SELF,
     .pretended = true},
    /* Hiding descriptors. base/deleted.h looks for deleted files among the descriptors of each
     * process, so no process may become undumpable and no thread may have descriptors of its
     * own. */
    {.call = SYS_prctl, .test = WHERE, .a = ALL_BITS, .b = PR_SET_DUMPABLE},
    {.call = SYS_clone, .test = WHERE, .a = CLONE_THREAD | CLONE_FILES, .b = CLONE_THREAD},
    {.call = CALL_CLOSE_RANGE, .test = WITH_BITS, .argument = 2, .a = OWN_TABLE, .error = EINVAL},
    /* Files in memory, which count in no process and could be run where no rule allows running
     * files. */
    {.call = SYS_memfd_create, .error = ENOSYS},
    {.call = CALL_MEMFD_SECRET, .error = ENOSYS},
    /* Watching folders: Landlock does not restrict who is told of changes in a folder. */
    {.call = SYS_inotify_init1, .error = ENOSYS},
    {.call = SYS_fcntl, .test = WHERE, .argument = 1, .a = ALL_BITS, .b = F_NOTIFY},
    /* Leases and delegations: a process that opens the file waits until the holder gives the lease
     * up, for up to 45 seconds. */
    {.call = SYS_fcntl, .test = WHERE, .argument = 1, .a = ALL_BITS, .b = F_SETLEASE},
    {.call = SYS_fcntl, .test = WHERE, .argument = 1, .a = ALL_BITS, .b = SET_DELEGATION},
    /* Leaving the process group, by which a child is killed with all its descendants. ninja and
     * timeout make groups and end when they cannot: setpgid reports success to them. */
    {.call = SYS_setsid},
    {.call = SYS_setpgid, .pretended = true},
    /* io_uring, whose requests pass no filter. */
    {.call = CALL_IO_URING_SETUP, .error = ENOSYS},
    {.call = CALL_IO_URING_ENTER, .error = ENOSYS},
    {.call = CALL_IO_URING_REGISTER, .error = ENOSYS},
    /* Keys, and memory, semaphores and messages that outlive their processes: those of the user's
     * other processes can be removed by their ids. */
    {.call = SYS_add_key},
    {.call = SYS_request_key},
    {.call = SYS_keyctl},
    {.call = SYS_shmget},
    {.call = SYS_shmat},
    {.call = SYS_shmctl},
    {.call = SYS_semget},
    {.call = SYS_semctl},
#ifdef SYS_semop /* On some architectures (i386, s390x) the call ipc does this. */
    {.call = SYS_semop},
#endif
#ifdef SYS_semtimedop
    {.call = SYS_semtimedop},
#endif
    {.call = SYS_msgget},
    {.call = SYS_msgctl},
    {.call = SYS_msgsnd},
    {.call = SYS_msgrcv},
    {.call = SYS_mq_open},
    /* Administration of the kernel. */
    {.call = SYS_bpf},
    {.call = SYS_perf_event_open},
    {.call = SYS_userfaultfd},
    {.call = SYS_fanotify_init},
    {.call = SYS_init_module},
    {.call = SYS_finit_module},
    {.call = SYS_delete_module},
    {.call = SYS_kexec_load},
    {.call = SYS_reboot},
    {.call = SYS_swapon},
    {.call = SYS_swapoff},
    {.call = SYS_acct},
    {.call = SYS_quotactl},
    {.call = CALL_QUOTACTL_FD},
    {.call = SYS_syslog},
    {.call = SYS_vhangup},
    {.call = SYS_sethostname},
    {.call = SYS_setdomainname},
    {.call = SYS_settimeofday},
    {.call = SYS_clock_settime},
    /* Sockets. A connected pair of streams, or of packets in sequence (Rust starts processes with
     * such a pair), leads nowhere: the kernel refuses or ignores addresses in the messages. A pair
     * of datagram sockets can send to addresses. The mask leaves out the bit in which the two
     * allowed types differ. */
    {.call = SYS_socketpair, .test = UNLESS_WHERE, .a = ALL_BITS, .b = AF_UNIX},
    {.call = SYS_socketpair,
     .test = UNLESS_WHERE,
     .argument = 1,
     .a = ~(SOCK_CLOEXEC | SOCK_NONBLOCK | (SOCK_STREAM ^ SOCK_SEQPACKET)),
     .b = SOCK_STREAM & SOCK_SEQPACKET},
    {.call = SYS_bind, .when = FILTER_SOCKETS},
    {.call = SYS_connect, .when = FILTER_SOCKETS},
    {.call = SYS_listen, .when = FILTER_SOCKETS},
    {.call = SYS_sendto, .when = FILTER_SOCKETS, .test = WITH_BITS, .argument = 4, .a = ALL_BITS},
    {.call = SYS_sendto,
     .when = FILTER_SOCKETS,
     .test = WITH_BITS,
     .argument = 4,
     .high = true,
     .a = ALL_BITS},
    {.call = SYS_socket, .when = FILTER_SOCKETS},
    {.call = SYS_socket, .when = FILTER_LOCAL_SOCKETS, .test = UNLESS, .a = AF_INET, .b = AF_INET6},
    /* Modes, owners, times and attributes of files; by descriptor too, since a descriptor opened
     * for reading suffices. */
    {.call = SYS_fchmod, .when = FILTER_METADATA},
    {.call = SYS_fchmodat, .when = FILTER_METADATA},
    {.call = CALL_FCHMODAT2, .when = FILTER_METADATA},
    {.call = SYS_fchown, .when = FILTER_METADATA},
    {.call = SYS_fchownat, .when = FILTER_METADATA},
    {.call = SYS_utimensat, .when = FILTER_METADATA},
    {.call = SYS_setxattr, .when = FILTER_METADATA},
    {.call = SYS_lsetxattr, .when = FILTER_METADATA},
    {.call = SYS_fsetxattr, .when = FILTER_METADATA},
    {.call = CALL_SETXATTRAT, .when = FILTER_METADATA},
    {.call = SYS_removexattr, .when = FILTER_METADATA},
    {.call = SYS_lremovexattr, .when = FILTER_METADATA},
    {.call = SYS_fremovexattr, .when = FILTER_METADATA},
    {.call = CALL_REMOVEXATTRAT, .when = FILTER_METADATA},
    {.call = CALL_FILE_SETATTR, .when = FILTER_METADATA},
    {.call = SYS_ioctl,
     .when = FILTER_METADATA,
     .test = WHERE,
     .argument = 1,
     .a = ALL_BITS,
     .b = (int)FS_IOC_SETFLAGS},
    {.call = SYS_ioctl,
     .when = FILTER_METADATA,
     .test = WHERE,
     .argument = 1,
     .a = ALL_BITS,
     .b = (int)FS_IOC_FSSETXATTR},
    {.call = SYS_ioctl,
     .when = FILTER_METADATA,
     .test = WHERE,
     .argument = 1,
     .a = ALL_BITS,
     .b = ENABLE_VERITY},
    /* Truncation, which Landlock restricts only since version 3. A filter cannot read openat2's
     * flags. */
    {.call = SYS_truncate, .when = FILTER_TRUNCATION},
    {.call = SYS_openat,
     .when = FILTER_TRUNCATION,
     .test = WHERE,
     .argument = 2,
     .a = O_TRUNC | O_ACCMODE,
     .b = O_TRUNC | O_RDONLY},
    {.call = CALL_OPENAT2, .when = FILTER_TRUNCATION, .error = ENOSYS},
    /* Signals, which Landlock restricts only since version 6. kill(0) reaches the child's own
     * group. */
    {.call = SYS_kill, .when = FILTER_SIGNALS, .test = UNLESS, .b = SELF},
    {.call = SYS_tgkill, .when = FILTER_SIGNALS, .test = UNLESS, .a = SELF, .b = SELF},
    {.call = SYS_tkill, .when = FILTER_SIGNALS, .test = UNLESS, .a = SELF, .b = SELF},
    {.call = SYS_rt_sigqueueinfo, .when = FILTER_SIGNALS, .test = UNLESS, .a = SELF, .b = SELF},
    {.call = SYS_rt_tgsigqueueinfo, .when = FILTER_SIGNALS, .test = UNLESS, .a = SELF, .b = SELF},
    {.call = CALL_PIDFD_SEND_SIGNAL, .when = FILTER_SIGNALS},
    /* A descriptor that becomes ready sends its owner any signal. */
    {.call = SYS_fcntl, .test = WHERE, .argument = 1, .a = ALL_BITS, .b = F_SETOWN},
    {.call = SYS_fcntl, .test = WHERE, .argument = 1, .a = ALL_BITS, .b = F_SETOWN_EX},
    {.call = SYS_ioctl, .test = WHERE, .argument = 1, .a = ALL_BITS, .b = FIOSETOWN},
    {.call = SYS_ioctl, .test = WHERE, .argument = 1, .a = ALL_BITS, .b = SIOCSPGRP},
#if defined(__x86_64__)
    /* Calls of older architectures only. */
    {.call = SYS_iopl},
    {.call = SYS_ioperm},
    {.call = SYS_kexec_file_load},
    {.call = SYS_inotify_init, .error = ENOSYS},
    {.call = SYS_chmod, .when = FILTER_METADATA},
    {.call = SYS_chown, .when = FILTER_METADATA},
    {.call = SYS_lchown, .when = FILTER_METADATA},
    {.call = SYS_utime, .when = FILTER_METADATA},
    {.call = SYS_utimes, .when = FILTER_METADATA},
    {.call = SYS_futimesat, .when = FILTER_METADATA},
    {.call = SYS_open,
     .when = FILTER_TRUNCATION,
     .test = WHERE,
     .argument = 1,
     .a = O_TRUNC | O_ACCMODE,
     .b = O_TRUNC | O_RDONLY},
#endif
};

enum { ROW_INSTRUCTIONS = 6, FRAME_INSTRUCTIONS = 8 };
static_assert(sizeof rows / sizeof *rows * ROW_INSTRUCTIONS + FRAME_INSTRUCTIONS <=
                  FILTER_INSTRUCTIONS_MAX,
              "the longest program");

/* ---- Writing the program ---- */

typedef struct {
    struct sock_filter *out;
    size_t count;
} Program;

static void add(Program *p, int code, uint32_t operand, int if_true, int if_false) {
    p->out[p->count++] = (struct sock_filter){
        .code = (uint16_t)code, .jt = (uint8_t)if_true, .jf = (uint8_t)if_false, .k = operand};
}

static void load(Program *p, size_t offset) {
    add(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(Program *p, uint32_t what) {
    add(p, BPF_RET | BPF_K, what, 0, 0);
}

/* Each jump skips so many instructions. */
static void if_equal(Program *p, uint32_t value, int then, int otherwise) {
    add(p, BPF_JMP | BPF_JEQ | BPF_K, value, then, otherwise);
}

/* Loads one half of an argument. Every architecture known here is little-endian. */
static void load_argument(Program *p, const Row *row) {
    load(p, offsetof(struct seccomp_data, args) + sizeof(uint64_t) * (size_t)row->argument +
                (row->high ? sizeof(uint32_t) : 0));
}

static uint32_t operand(int value, int pid) {
    return (uint32_t)(value == SELF ? pid : value);
}

/* Adds the instructions of a row. The accumulator holds the number of the call before and after
 * them. */
static void add_row(Program *p, const Row *row, int pid) {
    int error = row->pretended ? 0 : row->error != 0 ? row->error : EPERM;
    uint32_t refusal = SECCOMP_RET_ERRNO | (uint32_t)error;
    uint32_t call = (uint32_t)row->call;
    if (row->test == ANYHOW) {
        if_equal(p, call, 0, 1);
        answer(p, refusal);
        return;
    }
    if_equal(p, call, 0, row->test == WITH_BITS ? 4 : 5);
    load_argument(p, row);
    switch (row->test) {
    case WITH_BITS:
        add(p, BPF_JMP | BPF_JSET | BPF_K, (uint32_t)row->a, 0, 1);
        break;
    case WHERE:
        add(p, BPF_ALU | BPF_AND | BPF_K, (uint32_t)row->a, 0, 0);
        if_equal(p, (uint32_t)row->b, 0, 1);
        break;
    case UNLESS_WHERE:
        add(p, BPF_ALU | BPF_AND | BPF_K, (uint32_t)row->a, 0, 0);
        if_equal(p, (uint32_t)row->b, 1, 0);
        break;
    default: /* UNLESS */
        if_equal(p, operand(row->a, pid), 2, 0);
        if_equal(p, operand(row->b, pid), 1, 0);
        break;
    }
    answer(p, refusal);
    load(p, offsetof(struct seccomp_data, nr));
}

size_t filter_make(unsigned refused, int pid, struct sock_filter out[FILTER_INSTRUCTIONS_MAX]) {
    Program p = {.out = out};
    if (ARCHITECTURE == 0)
        return 0;
    load(&p, offsetof(struct seccomp_data, arch));
    if_equal(&p, (uint32_t)ARCHITECTURE, 1, 0);
    answer(&p, SECCOMP_RET_KILL_PROCESS);
    load(&p, offsetof(struct seccomp_data, nr));
    if (FOREIGN_CALLS != 0) {
        add(&p, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)FOREIGN_CALLS, 0, 1);
        answer(&p, SECCOMP_RET_KILL_PROCESS);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].when == 0 || (rows[i].when & refused) != 0)
            add_row(&p, &rows[i], pid);
    answer(&p, SECCOMP_RET_ALLOW);
    return p.count;
}
