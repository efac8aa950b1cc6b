/* SPDX-License-Identifier: MIT */
/* What is prepared for a workload, from end to end: books made by the engine, networks, private
 * engines. */
#include <errno.h>
#ifdef __linux__
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/memory.h"
#include "session/token.h"
#include "tools/files.h"
#include "tools/games_rig.h"
#include "tools/worker_rig.h"
#include "tools/zip.h"
#include "runner.h"

#define RESULTS "/clientSubmitResults/"
#define WORKLOAD "/clientGetWorkload/"
#define FAULT "/clientSubmitError/"

/* ---- Books made by the engine ---- */

static const char no_book[] = "{\"name\": \"NONE\", \"sha\": null, \"source\": null}";
static const char seeds[] = ", \"genfens_seeds\": [1000, 2000, 3000]";

/* How many games of the text begin at a position with this move number. */
static int count_starts(const Text *text, int fullmove) {
    Text tag = {0};
    text_addf(&tag, "w KQkq - 0 %d\"]", fullmove);
    int count = count_of(text_string(text), tag.data);
    text_free(&tag);
    return count;
}

/* 16 games of 16 openings, or of 8, which three seeds make in equal shares, rounded up. */
static void expect_datagen(bool reverses, int share) {
    int per_opening = reverses ? 2 : 1;
    int openings = 16 / per_opening;
    rig_expect_games(16);
    Text text = uploaded(0);
    ck_assert_int_eq(count_games(&text), 16);
    for (int i = 0; i < openings; i++)
        ck_assert_int_eq(count_starts(&text, (i / share + 1) * 1000 + i % share), per_opening);
    text_free(&text);
}

START_TEST(datagen_plays_openings_that_the_engine_makes) {
    bool reverses = _i != 0;
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5,
                          .type = "DATAGEN",
                          .book = no_book,
                          .extra = seeds,
                          .genfens_args = "random_plies=8",
                          .upload_pgns = "COMPACT",
                          .book_index = 17,
                          .play_reverses = reverses});
    rig_run(rig_once, 0);
    int share = reverses ? 3 : 6;
    expect_datagen(reverses, share);
    Text asked = rig_read("state/genfens");
    Text wanted = {0};
    text_addf(&wanted, "genfens %d seed 3000 book None random_plies=8, quit\n", share);
    expect_words(&asked, text_string(&wanted), true);
    text_free(&wanted);
    text_free(&asked);
    /* The engine's book was this workload's. */
    char *left = rig_path("state/tmp");
    Text command = {0};
    text_addf(&command, "test -z \"$(ls '%s')\"", left);
    ck_assert_int_eq(system(text_string(&command)), 0);
    text_free(&command);
    free(left);
}
END_TEST

START_TEST(datagen_may_start_from_a_book) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5,
                          .type = "DATAGEN",
                          .extra = seeds,
                          .upload_pgns = "COMPACT",
                          .play_reverses = true});
    rig_run(rig_once, 0);
    expect_datagen(true, 3);
    Text asked = rig_read("state/genfens");
    expect_words(&asked, "state/books/", true);
    expect_words(&asked, ".epd, quit\n", true);
    text_free(&asked);
}
END_TEST

/* The wait is for the next line, not for all of them. */
START_TEST(openings_that_come_slowly_are_waited_for) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5,
                          .type = "DATAGEN",
                          .book = no_book,
                          .extra = ", \"genfens_seeds\": [7]",
                          .genfens_args = "slow"});
    rig_run((const char *const[]){"--once", "--genfens-timeout-ms", "5000", NULL}, 0);
    rig_expect_games(16);
}
END_TEST

START_TEST(a_line_that_is_too_long_for_a_position_is_no_opening) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5,
                          .type = "DATAGEN",
                          .book = no_book,
                          .extra = seeds,
                          .genfens_args = "long",
                          .upload_pgns = "COMPACT",
                          .play_reverses = true});
    rig_run(rig_once, 0);
    expect_datagen(true, 3);
}
END_TEST

START_TEST(openings_that_do_not_come_are_a_fault) {
    /* The engine prints a line too few, then sleeps, or ends. */
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\",",
                     _i ? "sed -i 's/i < n/i + 1 < n/' engine.c; "
                        : "sed -i 's/i < n/i + 1 < n/; s/sleep(60)/sleep(600)/' engine.c; ");
    rig_offer(&(RigOffer){.id = 5,
                          .type = "DATAGEN",
                          .book = no_book,
                          .extra = ", \"genfens_seeds\": [7]",
                          .genfens_args = _i ? "" : "stall"});
    rig_run((const char *const[]){"--once", "--genfens-timeout-ms", "5000", NULL}, 1);
    rig_expect_field(FAULT, 0, "error", "[Tiny-AAAAAAAA] genfens failed");
    rig_expect_field(FAULT, 0, "logs",
                     _i ? "seed 7: exited with status 0 after 15 of 16 lines\n"
                        : "seed 7: no line for 5 s after 15 of 16\n");
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
}
END_TEST

/* ---- Networks ---- */

/* By its whole path, whatever the state folder is called. */
START_TEST(a_network_is_fetched_checked_and_handed_to_the_build) {
    /* The engine does not build without its network, which holds the word "test". */
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",",
                     "test \"$$(cat '$(EVALFILE)')\" = test && ");
    double_serve(rig_server, "/api/networks/Tiny/9F86D081/", "application/octet-stream", "test", 4);
    rig_offer(&(RigOffer){.id = 5, .network = "9F86D081"});
    char *folder = rig_path("");
    ck_assert_int_eq(chdir(folder), 0);
    rig_run((const char *const[]){"--once", "--state", "elsewhere", NULL}, 0);
    free(folder);
    rig_expect_games(16);
    rig_expect_field("/api/networks/Tiny/9F86D081/", 0, "username", "tester");
    rig_expect_field("/api/networks/Tiny/9F86D081/", 0, "password", "secret");
    ck_assert_uint_eq(double_count(rig_server, "/api/networks/Tiny/9F86D081/"), 1);
}
END_TEST

START_TEST(a_kept_network_that_has_changed_is_fetched_again) {
    static const char network[] = "/api/networks/Tiny/9F86D081/";
    char *kept = rig_path("state/networks/9F86D081");
    rig_serve_dev();
    double_serve(rig_server, network, "application/octet-stream", "test", 4);
    rig_offer(&(RigOffer){.id = 5, .network = "9F86D081"});
    rig_run(rig_once, 0);
    rig_offer(&(RigOffer){.id = 5, .network = "9F86D081", .book_index = 9});
    rig_run(rig_once, 0);
    ck_assert_uint_eq(double_count(rig_server, network), 1);
    put_text(kept, "tes");
    rig_offer(&(RigOffer){.id = 5, .network = "9F86D081", .book_index = 17});
    rig_run(rig_once, 0);
    ck_assert_uint_eq(double_count(rig_server, network), 2);
    free(kept);
}
END_TEST

static const struct {
    const char *type, *answer, *words;
} networks[] = {
    {"application/octet-stream", "other", "network 9F86D081 of Tiny: the SHA-256 of what came is"},
    {"application/json", "{\"error\": \"Engine not found\"}",
     "the server has no network 9F86D081 of Tiny: Engine not found"},
};

START_TEST(a_network_that_is_not_the_one_is_not_used) {
    rig_serve_dev();
    double_serve(rig_server, "/api/networks/Tiny/9F86D081/", networks[_i].type, networks[_i].answer,
                 strlen(networks[_i].answer));
    rig_offer(&(RigOffer){.id = 5, .network = "9F86D081"});
    rig_run(rig_once, 1);
    rig_expect_log(networks[_i].words);
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
}
END_TEST

/* A page of a server in trouble is no network, nor a word about it. */
START_TEST(a_network_is_waited_for_while_the_server_is_in_trouble) {
    static const char path[] = "/api/networks/Tiny/9F86D081/";
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",",
                     "test \"$$(cat '$(EVALFILE)')\" = test && ");
    double_serve(rig_server, path, "application/octet-stream", "test", 4);
    double_replace(rig_server, path, DOUBLE_INSTEAD, 200, "<html>Maintenance</html>");
    double_replace(rig_server, path, DOUBLE_INSTEAD, 200, "{\"erro");
    double_replace(rig_server, path, DOUBLE_INSTEAD, 200, "");
    rig_offer(&(RigOffer){.id = 5, .network = "9F86D081"});
    rig_run(rig_once, 0);
    rig_expect_games(16);
    ck_assert_uint_eq(double_count(rig_server, path), 4);
}
END_TEST

/* Pages and parts of archives say nothing about the test. */
START_TEST(archives_are_waited_for_while_something_else_comes) {
    static const char *const paths[] = {"/book.zip", "/dev.zip"};
    rig_serve_dev();
    for (size_t i = 0; i < COUNT(paths); i++) {
        double_replace(rig_server, paths[i], DOUBLE_INSTEAD, 200, "<html>Maintenance</html>");
        double_replace(rig_server, paths[i], DOUBLE_INSTEAD, 200, "PK\3\4");
        double_replace(rig_server, paths[i], DOUBLE_INSTEAD, 200, "");
    }
    rig_offer(&(RigOffer){.id = 5});
    rig_run(rig_once, 0);
    rig_expect_games(16);
    for (size_t i = 0; i < COUNT(paths); i++)
        ck_assert_uint_eq(double_count(rig_server, paths[i]), 4);
}
END_TEST

/* ---- Private engines ---- */

/* The token went with the requests of `path`, and with none of `others`. */
static void expect_token_at(const char *path, const char *const *others) {
    rig_expect_field(path, 0, "@Authorization", "token ghp_abc123");
    for (; *others; others++)
        for (size_t i = 0; i < double_count(rig_server, *others); i++)
            ck_assert_msg(!double_field(rig_server, *others, i, "@Authorization", 0), "%s",
                          *others);
    Text log = rig_log();
    expect_words(&log, "ghp_abc123", false);
    text_free(&log);
}

START_TEST(a_private_engine_is_fetched_with_its_token) {
    rig_serve_dev();
    rig_keep_token(double_url(rig_server));
    rig_offer(&(RigOffer){.id = 5, .is_private = true});
    rig_run(rig_once, 0);
    rig_expect_games(16);
    expect_token_at("/dev.zip", (const char *const[]){"/base.zip", "/book.zip", RESULTS, NULL});
    char *info = double_field(rig_server, "/clientWorkerInfo/", 0, "system_info", 0);
    ck_assert_msg(strstr(info, "\"tokens\":{\"Hidden Tiny\":true}") != NULL, "%s", info);
    ck_assert_msg(strstr(info, "ghp_") == NULL, "%s", info);
    free(info);
}
END_TEST

static const struct {
    const char *home, *words;
} misplaced[] = {
    {"", ", but the token in "},
    {"https://git.example", "is for https://git.example"},
    {NULL, "and there is no file credentials.hiddentiny with a token for it in the working folder "
           "or in /"},
};

START_TEST(a_token_goes_nowhere_but_home) {
    rig_serve_dev();
    if (misplaced[_i].home)
        rig_keep_token(misplaced[_i].home);
    rig_offer(&(RigOffer){.id = 5, .is_private = true});
    rig_run(rig_once, 1);
    rig_expect_log(misplaced[_i].words);
    ck_assert_uint_eq(double_count(rig_server, "/dev.zip"), 0);
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
}
END_TEST

START_TEST(an_engine_with_a_slash_in_its_name_has_no_token) {
    Token token;
    Error err = {0};
    ck_assert(!token_read("state", "Hidden/Tiny", NULL, &token, &err));
    ck_assert_str_eq(
        err.text,
        "Hidden/Tiny is a private engine, and no file with a token can be named after it: "
        "a file's name has no '/'");
}
END_TEST

/* The path of the program that was built for dev. */
static Text built_program(void) {
    char *folder = rig_path("state/engines");
    Text command = {0};
    Text path = {0};
    char line[512] = "";
    text_addf(&command, "ls -d '%s'/Tiny-AAAAAAAA-*", folder);
    FILE *names = popen(text_string(&command), "r");
    ck_assert(names && fgets(line, sizeof line, names));
    pclose(names);
    line[strcspn(line, "\n")] = '\0';
    text_add(&path, line);
    text_free(&command);
    free(folder);
    return path;
}

/* A list of builds, the best of which is behind a redirect to another server: the token does not go
 * there, and nothing is compiled. */
START_TEST(a_private_engines_own_build_is_taken) {
    Double *store = double_start();
    Text target = {0};
    Text list = {0};
    Text url = {0};
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    rig_run(rig_once, 0);
    Text program = built_program();
    ZipEntry entry = {"tiny", ZIP_COPY, text_string(&program)};
    Text zip = zip_make(&entry, 1);
    double_serve(store, "/blob", "application/zip", zip.data, zip.length);
    text_addf(&target, "%s/blob", double_url(store));
    double_replace(rig_server, "/2/zip", DOUBLE_INSTEAD, 302, text_string(&target));
    text_addf(&list, "{\"total_count\": 2, \"artifacts\": [");
    static const char *const names[] = {"tiny-windows-popcnt", "tiny-linux"};
    for (int i = 0; i < 2; i++)
        text_addf(&list,
                  "%s{\"name\": \"%s\", \"expired\": false, \"archive_download_url\": "
                  "\"%s/%d/zip\"}",
                  i ? ", " : "", names[i], double_url(rig_server), i + 1);
    text_add(&list, "]}");
    double_serve(rig_server, "/artifacts", "application/json", list.data, list.length);
    text_addf(&url, "%s/artifacts", double_url(rig_server));
    rig_keep_token(double_url(rig_server));
    rig_offer(&(RigOffer){.id = 6, .is_private = true, .dev_source = text_string(&url)});
    rig_run(rig_once, 0);
    rig_expect_games(32);
    rig_expect_field("/2/zip", 0, "@Authorization", "token ghp_abc123");
    expect_token_at("/artifacts", (const char *const[]){"/base.zip", RESULTS, NULL});
    ck_assert_uint_eq(double_count(store, "/blob"), 1);
    Text log = rig_log();
    expect_words(&log, "building ", false);
    text_free(&log);
    ck_assert_ptr_null(double_field(store, "/blob", 0, "@Authorization", 0));
    double_stop(store);
    text_free(&target);
    text_free(&list);
    text_free(&url);
    text_free(&program);
    text_free(&zip);
}
END_TEST

/* ---- This machine's faults ---- */

static void allow_descriptors(rlim_t most) {
    const struct rlimit few = {.rlim_cur = most, .rlim_max = most};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
}

/* A machine that can open few pipes runs few copies of a bench. A bench error would end the test
 * for everyone. */
START_TEST(a_bench_that_this_machine_cannot_start_ends_no_test) {
    enum { DESCRIPTORS = 100 };
    allow_descriptors(DESCRIPTORS);
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5, .time_control = "5.0+0.05"});
    rig_start((const char *const[]){"--max-workloads", "1", "-T", "80", NULL});
    rig_wait();
    rig_expect_log("its bench cannot be run: ");
    rig_expect_games(0);
    ck_assert_uint_eq(double_count(rig_server, "/clientBenchError/"), 0);
    ck_assert_uint_eq(double_count(rig_server, FAULT), 0);
}
END_TEST

/* The same machine has room for the openings of one seed, and not for those of many at a time. */
START_TEST(openings_that_this_machine_cannot_start_are_no_fault) {
    enum { DESCRIPTORS = 100, SEEDS = 100 };
    Text many = {0};
    RigOffer offer = {
        .id = 5, .type = "DATAGEN", .book = no_book, .extra = ", \"genfens_seeds\": [1]"};
    rig_serve_dev();
    rig_offer(&offer);
    rig_run((const char *const[]){"--once", "-T", "1", NULL}, 0); /* The bench is known. */
    text_add(&many, ", \"genfens_seeds\": [1");
    for (int i = 2; i <= SEEDS; i++)
        text_addf(&many, ", %d", i);
    text_add(&many, "]");
    offer.extra = text_string(&many);
    offer.rounds = SEEDS;
    rig_offer(&offer);
    allow_descriptors(DESCRIPTORS);
    rig_run((const char *const[]){"--once", "-T", "80", NULL}, 1);
    rig_expect_log("its openings cannot be made: ");
    rig_expect_games(16);
    ck_assert_uint_eq(double_count(rig_server, FAULT), 0);
    text_free(&many);
}
END_TEST

/* Mounts something for this process and its children alone; type NULL: a file in another's place.
 * False: this user may not. */
static bool mount_own(const char *source, const char *target, const char *type,
                      const char *settings) {
#ifdef __linux__
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount(source, target, type, type ? 0 : MS_BIND, settings) == 0;
#else
    (void)source, (void)target, (void)type, (void)settings;
    return false;
#endif
}

/* Shows this process and its children a machine of other CPUs. False: this user may not. */
static bool change_cpus(void) {
    static const char cpus[] =
        "processor : 0\nmodel name : Another\nflags : popcnt sse4_1\ncore id : 0\n";
    char *path = rig_path("cpuinfo");
    put_bytes(path, cpus, sizeof cpus - 1, 0644);
    bool changed = mount_own(path, "/proc/cpuinfo", NULL, NULL);
    free(path);
    return changed;
}

/* A state folder that comes to another machine: its engines may have instructions that are unknown
 * there. */
START_TEST(engines_are_built_anew_for_other_cpus) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    rig_run(rig_once, 0);
    rig_expect_games(16);
    if (!change_cpus()) {
        puts("left out: this user cannot show a worker other CPUs");
        return;
    }
    rig_offer(&(RigOffer){.id = 6});
    rig_run(rig_once, 0);
    rig_expect_log("building Tiny-AAAAAAAA with gcc");
    rig_expect_games(32);
}
END_TEST

/* A disk of four megabytes, which an old network fills but for the room that another one takes. */
START_TEST(a_download_for_which_the_disk_has_no_room_takes_the_place_of_kept_files) {
    enum { OLD = 3600 << 10, NEW = 1 << 20 };
    char *state = rig_path("state");
    char *folder = rig_path("state/networks");
    char *kept = rig_path("state/networks/0123ABCD");
    char *bytes = mem_calloc(1, OLD);
    char digest[DIGEST_HEX_MAX];
    Text path = {0};
    Error err = {0};
    ck_assert(digest_bytes(bytes, NEW, digest, &err));
    digest[8] = '\0';
    text_addf(&path, "/api/networks/Tiny/%s/", digest);
    rig_serve_dev();
    double_serve(rig_server, text_string(&path), "application/octet-stream", bytes, NEW);
    rig_offer(&(RigOffer){.id = 5, .network = digest});
    ck_assert(file_make_folders(state, &err));
    bool mounted = mount_own("none", state, "tmpfs", "size=4m,mode=700");
    if (mounted) {
        ck_assert_msg(file_make_folders(folder, &err) &&
                          file_write_atomic(kept, bytes, OLD, 0600, &err),
                      "%s", err.text);
        rig_run(rig_once, 0);
        rig_expect_log("No space left on device; removing the kept files that are not in use");
        rig_expect_games(16);
        ck_assert(!file_exists(kept));
        ck_assert_int_eq(umount(state), 0);
    } else {
        puts("left out: this user cannot give a worker a small disk");
    }
    text_free(&path);
    free(bytes);
    free(kept);
    free(folder);
    free(state);
}
END_TEST

/* Keeps a network that no workload uses; its path, allocated. */
static char *keep_old_network(void) {
    char *folder = rig_path("state/networks");
    char *kept = rig_path("state/networks/0123ABCD");
    Error err = {0};
    ck_assert_msg(file_make_folders(folder, &err) && file_write_atomic(kept, "old", 3, 0600, &err),
                  "%s", err.text);
    free(folder);
    return kept;
}

/* Offers a workload whose build fails for want of room, as the cause says, unless the condition
 * ("test ... ||") holds. */
static void offer_build_without_room(const char *condition, int cause) {
    Text words = {0};
    text_addf(&words, "%s{ echo 'as: engine.o: %s' >&2; exit 1; }; ", condition, strerror(cause));
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",", text_string(&words));
    rig_offer(&(RigOffer){.id = 5});
    text_free(&words);
}

/* There is room to build once a kept file has gone that no workload uses. */
START_TEST(a_build_for_which_the_disk_has_no_room_takes_the_place_of_kept_files) {
    char *state = rig_path("state");
    Text condition = {0};
    Error err = {0};
    ck_assert(file_make_folders(state, &err));
    if (mount_own("none", state, "tmpfs", "size=32m,mode=700")) {
        char *kept = keep_old_network();
        text_addf(&condition, "test ! -e '%s' || ", kept);
        offer_build_without_room(text_string(&condition), ENOSPC);
        rig_run(rig_once, 0);
        rig_expect_log("as: engine.o: No space left on device");
        rig_expect_log("/state: No space left on device; removing the kept files that are not in "
                       "use");
        rig_expect_games(16);
        ck_assert_uint_eq(double_count(rig_server, "/book.zip"), 1);
        ck_assert_uint_eq(double_count(rig_server, "/dev.zip"), 1);
        ck_assert_int_eq(umount(state), 0);
        free(kept);
    } else {
        puts("left out: this user cannot give a worker a small disk");
    }
    text_free(&condition);
    free(state);
}
END_TEST

/* The server and its users can do nothing about it, and kept files of another disk stay. */
START_TEST(a_build_for_which_the_temporary_folder_has_no_room_is_nobody_elses_fault) {
    char *temporary = rig_path("temporary");
    Error err = {0};
    ck_assert(file_make_folders(temporary, &err));
    if (mount_own("none", temporary, "tmpfs", "size=4m,mode=700")) {
        char *kept = keep_old_network();
        offer_build_without_room("", ENOSPC);
        setenv("TMPDIR", temporary, 1);
        rig_start((const char *const[]){NULL});
        ck_assert(double_wait(rig_server, WORKLOAD, 3, RIG_PATIENCE_S));
        kill(rig_worker, SIGTERM);
        rig_expect_status(0);
        rig_expect_log("test 5: [Tiny] dev-branch is not built: /");
        rig_expect_log("/temporary: No space left on device");
        ck_assert(file_exists(kept));
        ck_assert_uint_eq(double_count(rig_server, FAULT), 0);
        /* The test was put off once. */
        ck_assert_ptr_null(double_field(rig_server, WORKLOAD, 2, "blacklist", 0));
        ck_assert_int_eq(umount(temporary), 0);
        free(kept);
    } else {
        puts("left out: this user cannot give a worker a small disk");
    }
    free(temporary);
}
END_TEST

/* Lets this process and its children write no megabyte at a time, as a user whose quota is used up.
 * False: this system cannot. */
static bool use_up_quota(void) {
#ifdef __linux__
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1 << 20, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EDQUOT),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog filter = {.len = COUNT(program), .filter = program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
#else
    return false;
#endif
}

/* The disk itself has room. */
START_TEST(a_build_for_which_a_quota_has_no_room_is_nobody_elses_fault) {
    if (!use_up_quota()) {
        puts("left out: no system calls can be filtered here");
        return;
    }
    offer_build_without_room("", EDQUOT);
    rig_start((const char *const[]){NULL});
    ck_assert(double_wait(rig_server, WORKLOAD, 3, RIG_PATIENCE_S));
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    rig_expect_log("/state: Disk quota exceeded; removing the kept files that are not in use");
    rig_expect_log("test 5: [Tiny] dev-branch is not built: /");
    ck_assert_uint_eq(double_count(rig_server, FAULT), 0);
}
END_TEST

/* Every build would fail there, and each test's server would hear of it. */
START_TEST(a_state_folder_whose_disk_runs_no_programs_is_refused) {
    char *state = rig_path("state");
    Error err = {0};
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    ck_assert(file_make_folders(state, &err));
    if (mount_own("none", state, "tmpfs", "mode=700")) {
#ifdef __linux__
        ck_assert_int_eq(mount(NULL, state, NULL, MS_REMOUNT | MS_NOEXEC, NULL), 0);
#endif
        rig_run(rig_once, 1);
        rig_expect_log("/state: its disk runs no programs (noexec): --state names another folder");
        ck_assert_uint_eq(double_count(rig_server, FAULT), 0);
        rig_run((const char *const[]){"--check", NULL}, 1);
        Text said = rig_read("out");
        ck_assert_msg(strstr(text_string(&said), "/state: its disk runs no programs (noexec)"),
                      "%s", text_string(&said));
        text_free(&said);
        ck_assert_int_eq(umount(state), 0);
    } else {
        puts("left out: this user cannot give a worker a disk of its own");
    }
    free(state);
}
END_TEST

int main(void) {
    if (!rig_ready("preparing"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("preparing");
    TCase *tc = rig_case(suite, "datagen");
    tcase_add_loop_test(tc, datagen_plays_openings_that_the_engine_makes, 0, 2);
    tcase_add_test(tc, datagen_may_start_from_a_book);
    tcase_add_test(tc, openings_that_come_slowly_are_waited_for);
    tcase_add_test(tc, a_line_that_is_too_long_for_a_position_is_no_opening);
    tcase_add_loop_test(tc, openings_that_do_not_come_are_a_fault, 0, 2);
    tc = rig_case(suite, "networks");
    tcase_add_test(tc, a_network_is_fetched_checked_and_handed_to_the_build);
    tcase_add_test(tc, a_kept_network_that_has_changed_is_fetched_again);
    tcase_add_loop_test(tc, a_network_that_is_not_the_one_is_not_used, 0, COUNT(networks));
    tcase_add_test(tc, a_network_is_waited_for_while_the_server_is_in_trouble);
    tcase_add_test(tc, archives_are_waited_for_while_something_else_comes);
    tc = rig_case(suite, "private");
    tcase_add_test(tc, a_private_engine_is_fetched_with_its_token);
    tcase_add_loop_test(tc, a_token_goes_nowhere_but_home, 0, COUNT(misplaced));
    tcase_add_test(tc, an_engine_with_a_slash_in_its_name_has_no_token);
    tcase_add_test(tc, a_private_engines_own_build_is_taken);
    tcase_add_test(tc, a_bench_that_this_machine_cannot_start_ends_no_test);
    tcase_add_test(tc, openings_that_this_machine_cannot_start_are_no_fault);
    tcase_add_test(tc, engines_are_built_anew_for_other_cpus);
    tcase_add_test(tc, a_download_for_which_the_disk_has_no_room_takes_the_place_of_kept_files);
    tcase_add_test(tc, a_build_for_which_the_disk_has_no_room_takes_the_place_of_kept_files);
    tcase_add_test(tc, a_build_for_which_the_temporary_folder_has_no_room_is_nobody_elses_fault);
    tcase_add_test(tc, a_build_for_which_a_quota_has_no_room_is_nobody_elses_fault);
    tcase_add_test(tc, a_state_folder_whose_disk_runs_no_programs_is_refused);
    return run_suite(suite);
}
