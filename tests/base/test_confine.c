/* SPDX-License-Identifier: MIT */
/* What a confined engine gets away with: the scripted engine's tricks, with every part of the
 * kernel's help taken away in turn. */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
_Static_assert(LANDLOCK_ACCESS_FS_EXECUTE == 1 && LANDLOCK_ACCESS_FS_WRITE_FILE == 2 &&
                   LANDLOCK_ACCESS_FS_READ_FILE == 4 && LANDLOCK_ACCESS_FS_READ_DIR == 8 &&
                   LANDLOCK_ACCESS_FS_MAKE_SYM == 1 << 12,
               "worker/base/confine.c numbers the rights by hand");
_Static_assert(sizeof(struct landlock_path_beneath_attr) == 12 && LANDLOCK_RULE_PATH_BENEATH == 1,
               "and a rule's layout");
#endif

#include "base/confine.h"
#include "base/text.h"
#include "place.h"
#include "runner.h"

/* ---- The tricks ---- */

/* What must be in force for a trick to fail; 0: never mind, it must succeed. Any of the bits. */
enum {
    BY_FILES = 1 << 0,    /* Landlock. */
    BY_FILTER = 1 << 1,   /* seccomp. */
    BY_USER = 1 << 2,     /* A user of its own. */
    BY_MOUNTS = 1 << 3,   /* Everything mounted read-only. */
    BY_SCOPE = 1 << 4,    /* Landlock 6. */
    BY_LIMITS = 1 << 5,   /* Always there. */
    BY_COUNTING = 1 << 6, /* Not root, or a user of its own. */
    BY_TRUNCATE = 1 << 7, /* Landlock 3. */
    BY_TRACING = 1 << 8,  /* Landlock, but not from root, who may look into any process. */
    NOTHING = 0
};

static const struct {
    const char *trick; /* %S secret, %H home, %N the network's file, %P port, %A, %L, %D sockets, %W
                          this process, %F the place, %R a file that only its owner may read. */
    unsigned refused_by;
} TRICKS[] = {
    {"read:%S", BY_FILES},
    {"read:/etc/shadow", BY_FILES},
    {"read:/etc/passwd", BY_FILES},
    {"read:%R", BY_USER},
    {"list:%H", BY_FILES},
    {"write:%H/note", BY_FILES | BY_USER | BY_MOUNTS},
    {"write:%S", BY_FILES | BY_USER | BY_MOUNTS},
    {"write:%N", BY_FILES | BY_USER | BY_MOUNTS},
    {"write:%F/note", BY_FILES | BY_USER | BY_MOUNTS},
    {"truncate:%S", BY_TRUNCATE | BY_USER | BY_MOUNTS},
    {"truncate:%N", BY_TRUNCATE | BY_USER | BY_MOUNTS},
    {"chmod:%S", BY_FILTER | BY_USER | BY_MOUNTS},
    {"attributes:%N", BY_FILTER | BY_USER | BY_MOUNTS},
    {"lease:%N", BY_FILTER | BY_USER},
    {"connect:%P", BY_FILTER},
    {"udp:%P", BY_FILTER},
    {"abstract:%A", BY_FILTER | BY_SCOPE},
    {"local:%L", BY_FILTER},
    {"kill:%W", BY_FILTER | BY_USER | BY_SCOPE},
    {"own:%W", BY_FILTER},
    {"limit:%W", BY_FILTER | BY_USER},
    {"environ:%W", BY_TRACING | BY_USER},
    {"mem:%W", BY_TRACING | BY_USER},
    {"fork", BY_COUNTING},
    {"bigfile:300", BY_LIMITS},
    {"affinity:%W", BY_FILTER | BY_USER | BY_MOUNTS},
    {"priority:%W", BY_FILTER | BY_USER | BY_MOUNTS},
    {"policy:%W", BY_FILTER | BY_USER | BY_MOUNTS},
    {"ioprio:%W", BY_FILTER | BY_USER | BY_MOUNTS},
    {"group_priority", BY_FILTER},
    {"user_priority", BY_FILTER},
    {"letter:%D", BY_FILTER},
    {"name:%H/name", BY_FILTER},
    {"memfd", BY_FILTER},
    {"watch:/usr", BY_FILTER},
    {"undumpable", BY_FILTER},
    {"descriptors:clone", BY_FILTER},
    {"descriptors:close", BY_FILTER},
    {"namespace", BY_FILTER},
    {"mount", BY_FILTER | BY_USER | BY_MOUNTS},
    {"read:%N", NOTHING},
    {"read:/proc/cpuinfo", NOTHING},
    {"read:/proc/self/maps", NOTHING},
    {"list:/sys/devices/system/cpu", NOTHING},
    {"read:/dev/urandom", NOTHING},
    {"write:/dev/null", NOTHING},
    {"scratch", NOTHING},
    {"threads", NOTHING},
    {"pair", NOTHING},
};

static void spell_out(const Place *place, const char *pattern, Text *out) {
    for (const char *p = pattern; *p != '\0'; p++) {
        if (*p != '%') {
            text_add_char(out, *p);
            continue;
        }
        switch (*++p) {
        case 'S':
            text_add(out, place->secret);
            break;
        case 'H':
            text_add(out, place->home);
            break;
        case 'N':
            text_add(out, place->network);
            break;
        case 'F':
            text_add(out, place->folder);
            break;
        case 'R':
            text_add(out, place->closed);
            break;
        case 'P':
            text_addf(out, "%d", place->port);
            break;
        case 'A':
            text_add(out, place->abstract);
            break;
        case 'L':
            text_add(out, place->local);
            break;
        case 'D':
            text_add(out, place->letters);
            break;
        default:
            text_addf(out, "%d", (int)getpid());
            break;
        }
    }
}

/* What is in force with these layers. */
static unsigned in_force(const ConfineLayers *layers) {
    unsigned parts = BY_LIMITS;
    parts |= layers->landlock >= 1 ? BY_FILES : 0;
    parts |= layers->landlock >= 3 || (layers->landlock >= 1 && layers->filter) ? BY_TRUNCATE : 0;
    parts |= layers->landlock >= 6 ? BY_SCOPE : 0;
    parts |= layers->landlock >= 1 && geteuid() != 0 ? BY_TRACING : 0;
    parts |= layers->filter ? BY_FILTER : 0;
    parts |= layers->own_user ? BY_USER : 0;
    parts |= layers->namespaces ? BY_MOUNTS : 0;
    parts |= layers->own_user || geteuid() != 0 ? BY_COUNTING : 0;
    return parts;
}

static void try_tricks(Place *place) {
    unsigned parts = in_force(&place->sandbox.layers);
    for (size_t i = 0; i < sizeof TRICKS / sizeof *TRICKS; i++) {
        unsigned by = TRICKS[i].refused_by;
        if (by != NOTHING && (by & parts) == 0)
            continue; /* Nobody promises anything. */
        Text trick = {0};
        char answer[PLACE_ANSWER];
        spell_out(place, TRICKS[i].trick, &trick);
        place_play(place, text_string(&trick), answer);
        const char *wanted = by == NOTHING ? "done" : "refused";
        ck_assert_msg(text_starts_with(answer, wanted), "%s: %s, wanted: %s (layers: %d %d %d %d)",
                      text_string(&trick), answer, wanted, place->sandbox.layers.landlock,
                      place->sandbox.layers.filter, place->sandbox.layers.own_user,
                      place->sandbox.layers.namespaces);
        text_free(&trick);
    }
}

START_TEST(an_engine_gets_away_with_nothing) {
    Place place;
    place_open(&place);
    try_tricks(&place);
    place_close(&place);
}
END_TEST

/* An older Landlock, or a layer missing: what the others promise still holds. */
START_TEST(each_layer_holds_without_the_others) {
    Place place;
    place_open(&place);
    const ConfineLayers all = place.sandbox.layers;
    ConfineLayers variants[] = {all, all, all, all, all, all, all, all, all};
    for (int version = 0; version < CONFINE_LANDLOCK_MAX; version++)
        variants[version].landlock = version < all.landlock ? version : all.landlock;
    variants[6].filter = false;
    variants[7].own_user = variants[7].namespaces = false;
    variants[8] = (ConfineLayers){.landlock = all.landlock < 1 ? 0 : 1, .filter = all.filter};
    place.sandbox.layers = variants[_i];
    try_tricks(&place);
    place_close(&place);
}
END_TEST

/* The same from where nothing was promised to be refused: the tricks do work. */
START_TEST(without_a_sandbox_the_tricks_succeed) {
    static const char *const patterns[] = {
        "read:%S",           "read:%R",        "list:%H",     "write:%H/note",
        "connect:%P",        "udp:%P",         "abstract:%A", "local:%L",
        "kill:%W",           "own:%W",         "limit:%W",    "environ:%W",
        "chmod:%S",          "truncate:%S",    "bigfile:300", "scratch",
        "memory:100000",     "affinity:%W",    "priority:%W", "policy:%W",
        "ioprio:%W",         "group_priority", "letter:%D",   "memfd",
        "watch:/usr",        "threads",        "undumpable",  "descriptors:clone",
        "descriptors:close", "lease:%N"};
    Place place;
    place_open(&place);
    place.sandbox.on = false;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        Text trick = {0};
        char answer[PLACE_ANSWER];
        if (strcmp(patterns[i], "descriptors:clone") == 0 &&
            left_out_in_emulation("a thread with descriptors of its own", "qemu makes none"))
            continue;
        spell_out(&place, patterns[i], &trick);
        place_play(&place, text_string(&trick), answer);
        ck_assert_msg(text_starts_with(answer, "done"), "%s: %s", text_string(&trick), answer);
        text_free(&trick);
    }
    place_close(&place);
}
END_TEST

/* An engine in root's own home is found, though other users may not pass there. What the engine
 * keeps for that opens closed files below its rules. */
START_TEST(an_engine_is_found_where_only_its_owner_gets) {
    static const struct {
        mode_t folder, engine_folder;
        const char *closed; /* What reading the closed file beside the engine answers to root's. */
    } CASES[] = {{0711, 0755, "refused"}, {0700, 0755, "done"}, {0711, 0700, "done"}};
    Place place;
    char trick[PLACE_PATH + 8], answer[PLACE_ANSWER];
    place_open(&place);
    ck_assert_int_eq(chmod(place.folder, CASES[_i].folder), 0);
    ck_assert_int_eq(chmod(place.engine_folder, CASES[_i].engine_folder), 0);
    place_play(&place, "scratch", answer);
    ck_assert_msg(text_starts_with(answer, "done"), "%s", answer);
    snprintf(trick, sizeof trick, "read:%s", place.closed);
    place_play(&place, trick, answer);
    const char *wanted = place.sandbox.layers.own_user ? CASES[_i].closed : "done";
    ck_assert_msg(text_starts_with(answer, wanted), "%o %o: %s, wanted: %s", CASES[_i].folder,
                  CASES[_i].engine_folder, answer, wanted);
    ck_assert(!place.sandbox.layers.own_user ||
              confine_passes(place.engine_folder) == (strcmp(CASES[_i].closed, "refused") == 0));
    place_close(&place);
}
END_TEST

/* What becomes of a signal to a process that is gone, for a child with this user: the errno. 0:
 * this process cannot make such a child. */
static int signal_as(unsigned user, pid_t gone) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        static char root[] = "x/";
        char *rules[] = {root};
        char word[CONFINE_SETTINGS_MAX];
        const char *what;
        ConfineSettings settings = {.layers = {.filter = true, .own_user = true}};
        confine_format(&settings, word);
        if (!confine_enter(word, rules, 1, &settings, &what))
            _exit(0);
        settings.user = user;
        if (!confine_apply(&settings, root + 1, rules, 1, &what))
            _exit(0);
        _exit(kill(gone, 0) != 0 ? errno : 0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Where few numbers of users are mapped, another child may have the same one: then the filter
 * refuses signals, and the user's number alone does not do. */
START_TEST(a_user_that_another_child_may_have_signals_nobody) {
    enum { ALONE = 0x70000001, SHARED = 61184 };
    ConfineLayers layers;
    ck_assert(confine_probe(&layers));
    if (!layers.filter || !layers.own_user) {
        leave_out("signals of users of few numbers", "no filter, or no user of its own");
        return;
    }
    pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    ck_assert_int_eq(waitpid(gone, NULL, 0), gone);
    ck_assert_int_eq(signal_as(SHARED, gone), EPERM);
    int alone = signal_as(ALONE, gone);
    ck_assert_msg(alone == ESRCH || alone == 0, "%d", alone);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_user_that_another_child_may_have_signals_nobody);
    tcase_add_test(tests, without_a_sandbox_the_tricks_succeed);
    tcase_add_test(tests, an_engine_gets_away_with_nothing);
    tcase_add_loop_test(tests, an_engine_is_found_where_only_its_owner_gets, 0, 3);
    tcase_add_loop_test(tests, each_layer_holds_without_the_others, 0, 9);
}

int main(int argc, char **argv) {
    return place_main(argc, argv, "confine", add_tests);
}
