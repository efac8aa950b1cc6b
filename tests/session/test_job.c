/* SPDX-License-Identifier: MIT */
/* The states of a workload's job: where events lead, and that every job comes to an end. */
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "session/job.h"
#include "runner.h"

/* The state after several events in turn, from a new job on; an event that changes nothing fails.
 */
static JobState after(const JobEvent *events, size_t count) {
    JobState state = JOB_QUEUED;
    for (size_t i = 0; i < count; i++) {
        JobState next = job_next(state, events[i]);
        ck_assert_msg(next != JOB_NONE, "event %d changes nothing in state %d", (int)events[i],
                      (int)state);
        state = next;
    }
    return state;
}

#define AFTER(...)                                                                                 \
    after((const JobEvent[]){__VA_ARGS__},                                                         \
          sizeof((const JobEvent[]){__VA_ARGS__}) / sizeof(JobEvent))

START_TEST(a_proved_workload_is_prepared_played_and_reported) {
    ck_assert_int_eq(AFTER(JOB_TURN, JOB_PREPARED), JOB_READY);
    ck_assert_int_eq(AFTER(JOB_TURN, JOB_PREPARED, JOB_STARTED), JOB_PLAYING);
    ck_assert_int_eq(AFTER(JOB_TURN, JOB_PREPARED, JOB_STARTED, JOB_GAMES_OVER), JOB_REPORTING);
}
END_TEST

START_TEST(benches_beside_the_games_may_end_before_them_or_after) {
    ck_assert_int_eq(AFTER(JOB_TURN, JOB_PREPARED, JOB_STARTED_UNPROVED, JOB_BENCH, JOB_PROVED),
                     JOB_PLAYING);
    ck_assert_int_eq(
        AFTER(JOB_TURN, JOB_PREPARED, JOB_STARTED_UNPROVED, JOB_BENCH, JOB_GAMES_OVER, JOB_PROVED),
        JOB_REPORTING);
    ck_assert_int_eq(
        AFTER(JOB_TURN, JOB_PREPARED, JOB_STARTED_UNPROVED, JOB_GAMES_OVER, JOB_BENCH, JOB_PROVED),
        JOB_REPORTING);
}
END_TEST

START_TEST(a_wrong_bench_has_the_workload_prepared_once_more) {
    ck_assert_int_eq(AFTER(JOB_TURN, JOB_PREPARED, JOB_STARTED_UNPROVED, JOB_BENCH, JOB_WRONG),
                     JOB_REDOING);
    ck_assert_int_eq(
        AFTER(JOB_TURN, JOB_PREPARED, JOB_STARTED_UNPROVED, JOB_BENCH, JOB_WRONG, JOB_GAMES_OVER),
        JOB_QUEUED);
    ck_assert_int_eq(
        AFTER(JOB_TURN, JOB_PREPARED, JOB_STARTED_UNPROVED, JOB_BENCH, JOB_GAMES_OVER, JOB_WRONG),
        JOB_QUEUED);
}
END_TEST

/* A job of which something runs is done only when nothing runs any more. */
START_TEST(a_dropped_job_waits_for_what_runs) {
    ck_assert_int_eq(AFTER(JOB_TURN, JOB_DROP), JOB_CANCELLING);
    ck_assert_int_eq(AFTER(JOB_TURN, JOB_DROP, JOB_PREPARED), JOB_DROPPED);
    ck_assert_int_eq(AFTER(JOB_TURN, JOB_PREPARED, JOB_STARTED, JOB_DROP), JOB_STOPPING);
    ck_assert_int_eq(AFTER(JOB_TURN, JOB_PREPARED, JOB_STARTED, JOB_DROP, JOB_GAMES_OVER),
                     JOB_DROPPED);
}
END_TEST

static bool is_end(JobState state) {
    return state == JOB_DROPPED;
}

/* Whether the events of what runs lead from a dropped job's state to its end. */
static bool ends(JobState state) {
    for (int steps = 0; !is_end(state) && steps < JOB_STATES; steps++) {
        JobState prepared = job_next(state, JOB_UNPREPARED);
        state = prepared != JOB_NONE ? prepared : job_next(state, JOB_GAMES_OVER);
        if (state == JOB_NONE)
            return false;
    }
    return is_end(state);
}

START_TEST(a_job_can_be_dropped_in_every_state) {
    for (JobState state = JOB_QUEUED; state < JOB_STATES; state++) {
        JobState dropped = job_next(state, JOB_DROP);
        if (dropped == JOB_NONE)
            dropped = state; /* It is dropped already. */
        ck_assert_msg(ends(dropped), "state %d, dropped, never ends", (int)state);
    }
}
END_TEST

START_TEST(a_dropped_job_never_comes_back) {
    static const JobState dropped[] = {JOB_CANCELLING, JOB_STOPPING, JOB_DROPPED};
    for (size_t i = 0; i < COUNT(dropped); i++) {
        for (JobEvent event = JOB_TURN; event < JOB_EVENTS; event++) {
            JobState next = job_next(dropped[i], event);
            ck_assert_msg(next == JOB_NONE || next == JOB_DROPPED,
                          "event %d leads from state %d to %d", (int)event, (int)dropped[i],
                          (int)next);
        }
    }
}
END_TEST

START_TEST(every_state_has_a_name) {
    for (JobState state = JOB_NONE; state < JOB_STATES; state++)
        ck_assert_msg(job_state_name(state) != NULL, "state %d has no name", (int)state);
    ck_assert_str_eq(job_state_name(JOB_READY), "preparing");
    ck_assert_str_eq(job_state_name(JOB_PLAYING_BENCHING), "playing");
    ck_assert_str_eq(job_state_name(JOB_BENCHING), "reporting");
}
END_TEST

static void hear(Job *job, JobNews news, void *user) {
    (void)job;
    (void)news;
    (void)user;
}

/* The job's games need not begin for that: its engines are no programs. */
START_TEST(speeds_that_were_measured_before_an_overload_do_not_count) {
    Host host = {0};
    JobSite site = {.host = &host, .tell = hear};
    Workload workload = {.upload_pgns = mem_strdup("FALSE")};
    int64_t before = (int64_t)time(NULL);
    Job *job = job_new(&site, &workload, 1);
    for (int i = 0; i < SIDE_COUNT; i++)
        job->prepared.engines[i].binary = mem_strdup("/nonexistent");
    job_start(job, 1, 0);
    ck_assert_int_eq(site.speeds_since, 0);
    job->play.events->on_contention(job->play.user);
    ck_assert_int_ge(site.speeds_since, before);
    job_free(job);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_proved_workload_is_prepared_played_and_reported);
    tcase_add_test(tests, benches_beside_the_games_may_end_before_them_or_after);
    tcase_add_test(tests, a_wrong_bench_has_the_workload_prepared_once_more);
    tcase_add_test(tests, a_dropped_job_waits_for_what_runs);
    tcase_add_test(tests, a_job_can_be_dropped_in_every_state);
    tcase_add_test(tests, a_dropped_job_never_comes_back);
    tcase_add_test(tests, every_state_has_a_name);
    tcase_add_test(tests, speeds_that_were_measured_before_an_overload_do_not_count);
}

int main(void) {
    return run_tests("job", add_tests);
}
