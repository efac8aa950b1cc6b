/* SPDX-License-Identifier: MIT */
/* What the kernel tells of memory, CPU time and this program, how its texts are read, and what is
 * asked of its scheduler. */
#include <check.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "base/affinity.h"
#include "base/cpus.h"
#include "base/cputime.h"
#include "base/linux/groups.h"
#include "base/linux/proc.h"
#include "base/resident.h"
#include "base/self.h"
#include "base/text.h"
#include "runner.h"
#include "tools/temporary.h"

/* ---- Memory ---- */

START_TEST(what_is_available_is_the_kernels_estimate) {
    ck_assert_uint_eq(ram_parse("MemTotal:       24600000 kB\nMemFree:          100 kB\n"
                                "MemAvailable:       2048 kB\nBuffers: 7 kB\n"),
                      2048 << 10);
    ck_assert_uint_eq(ram_parse("MemTotal: 24600000 kB\nMemFree: 100 kB\n"), 0);
    ck_assert_uint_eq(ram_parse(""), 0);
}
END_TEST

START_TEST(a_group_may_have_less) {
    static const struct {
        const char *most;
        const char *current;
        const char *stat;
        uint64_t left;
    } rows[] = {
        {"1000\n", "400\n", "", 600},
        {"1000\n", "1400\n", "", 0},
        {"1000\n", "1000\n", "anon 700\nfile 300\ninactive_file 200\nactive_file 50\n", 250},
        {"1000\n", "100\n", "inactive_file 200\n", 1000},
        {"max\n", "400\n", "", UINT64_MAX},
        {"", "", "", UINT64_MAX},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        ck_assert_uint_eq(ram_parse_group(rows[i].most, rows[i].current, rows[i].stat),
                          rows[i].left);
}
END_TEST

START_TEST(what_a_process_occupies_is_read_from_its_status) {
    ck_assert_uint_eq(resident_parse("Name:\tx\nVmRSS:\t  999 kB\nRssAnon:\t   100 kB\n"
                                     "RssFile:\t  800 kB\nRssShmem:\t    28 kB\n"),
                      128 << 10);
    ck_assert_uint_eq(resident_parse("Name:\tx\nState:\tZ (zombie)\n"), 0);
    ck_assert_uint_eq(resident_parse(""), 0);
    ck_assert_uint_eq(resident_parse_share("1-2 r\nRss: 9 kB\nPss: 8 kB\nPss_Anon: 5 kB\n"
                                           "Pss_File: 1 kB\nPss_Shmem: 2 kB\n"),
                      7 << 10);
    ck_assert_uint_gt(resident_of((int)getpid(), UINT64_MAX), 64 << 10);
    ck_assert_uint_eq(resident_of(-1, 0), 0);
}
END_TEST

/* ---- CPU time ---- */

START_TEST(the_machines_ticks_are_read) {
    MachineTime time;
    ck_assert(
        machine_ticks_parse("cpu  10 20 30 40 5 6 7 8 900 900\ncpu0 1 1 1 1 1 1 1 1 1 1\n", &time));
    ck_assert_uint_eq(time.all, 126);
    ck_assert_uint_eq(time.stolen, 8);
    ck_assert(!machine_ticks_parse("", &time));
    ck_assert(!machine_ticks_parse("cpu 1 2 3\n", &time));
    ck_assert(!machine_ticks_parse("intr 1 2 3 4 5 6 7 8 9 10\n", &time));
    ck_assert_uint_eq(time.all, 0);
}
END_TEST

START_TEST(the_machines_pressure_is_read) {
    MachineTime time;
    ck_assert(machine_pressure_parse("some avg10=3.67 avg60=5.36 avg300=9.64 total=13350881603\n"
                                     "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
                                     &time));
    ck_assert(time.pressure_known);
    ck_assert_uint_eq(time.pressed_ns, 13350881603000);
    ck_assert(!machine_pressure_parse("", &time));
    ck_assert(!machine_pressure_parse("full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n", &time));
    ck_assert(!time.pressure_known);
    ck_assert_uint_eq(time.pressed_ns, 0);
}
END_TEST

static void *work(void *user) {
    (void)user;
    for (volatile uint64_t i = 0; i < 50000000;)
        i++;
    return NULL;
}

/* What a thread has used counts when it has ended too, and a process that is none has nothing. */
START_TEST(a_process_is_all_its_threads) {
    pthread_t thread;
    uint64_t before = cpu_time_of(getpid());
    ck_assert_uint_gt(before, 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, work, NULL), 0);
    pthread_join(thread, NULL);
    ck_assert_uint_gt(cpu_time_of(getpid()) - before, 1000000);
    ck_assert_uint_eq(cpu_time_of(-1), 0);
    ck_assert_uint_eq(cpu_time_of(0), 0);
}
END_TEST

/* Work counts, and sleep does not. */
START_TEST(a_thread_is_busy_or_asleep) {
    uint64_t first = cpu_time_busy();
    if (first == 0) /* A kernel without this count. */
        return;
    work(NULL);
    uint64_t second = cpu_time_busy();
    ck_assert_uint_gt(second - first, 1000000);
    uint64_t before = uv_hrtime();
    for (int i = 0; i < 20; i++)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    ck_assert_uint_lt(cpu_time_busy() - second, uv_hrtime() - before - 200000000);
}
END_TEST

/* ---- The time of a group ---- */

/* The names of the groups that the text leads to, each with a bar behind it. */
static char *walked(const char *cgroup) {
    Groups groups;
    Text names = {0};
    groups_parse(cgroup, &groups);
    while (groups_next(&groups))
        text_addf(&names, "%s|", groups.name);
    return text_take(&names);
}

START_TEST(the_groups_of_the_single_hierarchy_are_walked_to_the_top) {
    static const struct {
        const char *cgroup;
        const char *names;
    } rows[] = {{"4:memory:/other\n0::/user.slice/work\n", "/user.slice/work|/user.slice||"},
                {"0::/work", "/work||"},
                {"0::/\n", "|"},
                {"4:memory:/other\n", ""},
                {"", ""}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *names = walked(rows[i].cgroup);
        ck_assert_str_eq(names, rows[i].names);
        free(names);
    }
}
END_TEST

START_TEST(a_group_may_have_the_time_of_fewer_cpus) {
    ck_assert_int_eq(cpus_parse_group("200000 100000\n"), 2);
    ck_assert_int_eq(cpus_parse_group("290000 100000\n"), 2);
    ck_assert_int_eq(cpus_parse_group("30000 100000\n"), 1);
    ck_assert_int_eq(cpus_parse_group("max 100000\n"), INT_MAX);
    ck_assert_int_eq(cpus_parse_group("9000000000000000 1\n"), INT_MAX);
    ck_assert_int_eq(cpus_parse_group("100000 0\n"), INT_MAX);
    ck_assert_int_eq(cpus_parse_group(""), INT_MAX);
    ck_assert_int_ge(affinity_quota(), 1);
}
END_TEST

/* ---- Scheduling ---- */

static int policy(void) {
    return sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
}

/* False, and says what is left out, where this program may not choose its policy. */
static bool start_under(int wanted) {
    if (left_out_in_emulation("policies of the scheduler", "they are those of qemu"))
        return false;
    if (sched_setscheduler(0, wanted, &(struct sched_param){0}) == 0)
        return true;
    leave_out("policies of the scheduler", "this program may not choose its own");
    return false;
}

START_TEST(a_normal_program_is_scheduled_as_its_work_wants) {
    if (!start_under(SCHED_OTHER))
        return;
    cpus_set_prompt(false);
    ck_assert_int_eq(policy(), SCHED_BATCH);
    cpus_set_prompt(true);
    ck_assert_int_eq(policy(), SCHED_OTHER);
}
END_TEST

/* Only some users may leave this policy again: root is one. */
START_TEST(a_program_for_idle_times_stays_one) {
    if (!start_under(SCHED_IDLE))
        return;
    cpus_set_prompt(false);
    ck_assert_int_eq(policy(), SCHED_IDLE);
    cpus_set_prompt(true);
    ck_assert_int_eq(policy(), SCHED_IDLE);
}
END_TEST

/* ---- This program ---- */

/* Else a child that cannot be started would be said to be missing. */
START_TEST(without_proc_the_path_of_this_program_is_not_told) {
    char folder[TEMPORARY_SIZE];
    char path[TEMPORARY_SIZE];
    int status;
    ck_assert(self_program(path, sizeof path));
    temporary_folder(folder, sizeof folder, "no-proc");
    pid_t child = fork();
    if (child == 0) {
        if (chroot(folder) != 0 && (unshare(CLONE_NEWUSER) != 0 || chroot(folder) != 0))
            _exit(RUNNER_LEFT_OUT);
        _exit(self_program(path, sizeof path));
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == RUNNER_LEFT_OUT)
        leave_out("a system without /proc", "this program may not leave its root folder");
    else
        ck_assert_int_eq(status, 0);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, without_proc_the_path_of_this_program_is_not_told);
    tcase_add_test(tests, what_is_available_is_the_kernels_estimate);
    tcase_add_test(tests, a_group_may_have_less);
    tcase_add_test(tests, what_a_process_occupies_is_read_from_its_status);
    tcase_add_test(tests, the_machines_ticks_are_read);
    tcase_add_test(tests, the_machines_pressure_is_read);
    tcase_add_test(tests, a_process_is_all_its_threads);
    tcase_add_test(tests, a_thread_is_busy_or_asleep);
    tcase_add_test(tests, the_groups_of_the_single_hierarchy_are_walked_to_the_top);
    tcase_add_test(tests, a_group_may_have_the_time_of_fewer_cpus);
    tcase_add_test(tests, a_normal_program_is_scheduled_as_its_work_wants);
    tcase_add_test(tests, a_program_for_idle_times_stays_one);
}

int main(void) {
    return run_tests("proc", add_tests);
}
