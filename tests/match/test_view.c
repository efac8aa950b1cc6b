/* SPDX-License-Identifier: MIT */
/* `obworker match` on a terminal, as somebody who sits before it sees it. */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "runner.h"
#include "tools/files.h"
#include "tools/temporary.h"
#include "tools/terminal.h"

enum { WAIT_MS = 100, TRIES = 1200, PATH_SIZE = 256, INTERRUPT = '\3', SUSPEND = '\32' };

static const char BOOK[] = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n"
                           "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq -\n";

/* A match on a terminal of its own. */
typedef struct {
    Terminal terminal;
    pid_t pid;
    char folder[PATH_SIZE];
    Text screen; /* As it was looked at last. */
} Sitting;

static void name_file(const Sitting *s, const char *name, char path[PATH_SIZE]) {
    ck_assert_int_lt(snprintf(path, PATH_SIZE, "%.200s/%s", s->folder, name), PATH_SIZE);
}

/* In the child: the terminal is its own, and keys pressed there are signals to it. */
static void play_on(const Sitting *s, const char *locale) {
    char book[PATH_SIZE], dev[2 * PATH_SIZE], base[2 * PATH_SIZE];
    const char *builddir = getenv("builddir");
    const char *program = getenv("OBWORKER");
    name_file(s, "book.epd", book);
    snprintf(dev, sizeof dev, "%.200s/tests/bin/scripted_engine delay=10 plan=40,30", builddir);
    snprintf(base, sizeof base,
             "%.200s/tests/bin/scripted_engine side=base delay=10 plan=40,30 fault=die "
             "once=%.200s/once",
             builddir, s->folder);
    setsid();
    ioctl(s->terminal.slave, TIOCSCTTY, 0);
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        dup2(s->terminal.slave, fd);
    close(s->terminal.master);
    setenv("TERM", "xterm", 1);
    setenv("LC_ALL", locale, 1);
    setenv("XDG_STATE_HOME", s->folder, 1);
    unsetenv("NO_COLOR");
    execl(program, program, "match", "--dev", dev, "--base", base, "--book", book, "--tc", "N=1",
          "--games", "100000", "--bounds", "0,5", "--sandbox", "off", "--seed", "1",
          "--concurrency", "2", (char *)NULL);
    _exit(127);
}

/* False when there are no terminals here. */
static bool sit_down(Sitting *s, const char *locale) {
    char book[PATH_SIZE];
    *s = (Sitting){.pid = 0};
    if (!terminal_open(&s->terminal, 100, 30))
        return false;
    temporary_folder(s->folder, sizeof s->folder, "test-view");
    name_file(s, "book.epd", book);
    put_text(book, BOOK);
    s->pid = fork();
    ck_assert_int_ge(s->pid, 0);
    if (s->pid == 0)
        play_on(s, locale);
    close(s->terminal.slave);
    s->terminal.slave = -1;
    return true;
}

static void get_up(Sitting *s) {
    char command[PATH_SIZE + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", s->folder);
    ck_assert_int_eq(system(command), 0);
    terminal_close(&s->terminal);
    text_free(&s->screen);
}

static void look(Sitting *s) {
    terminal_read(&s->terminal, WAIT_MS);
    text_clear(&s->screen);
    terminal_text(&s->terminal, &s->screen);
}

static bool shows(const Sitting *s, const char *words) {
    return strstr(text_string(&s->screen), words) != NULL;
}

static void expect(const Sitting *s, bool condition, const char *what) {
    ck_assert_msg(condition, "%s; the screen:\n%s", what, text_string(&s->screen));
}

/* Looks until the words are there. */
static void wait_for(Sitting *s, const char *words) {
    for (int i = 0; i < TRIES && !shows(s, words); i++)
        look(s);
    expect(s, shows(s, words), words);
}

/* Looks until the view is there to the end of its last line: a busy machine shows parts of it. */
static void wait_for_view(Sitting *s) {
    for (int i = 0; i < TRIES && !(shows(s, "Faults ") && s->terminal.column == 0); i++)
        look(s);
    expect(s, shows(s, "Faults ") && s->terminal.column == 0, "no whole view");
}

/* Looks until the games counted are not those that are shown now. */
static void wait_for_games(Sitting *s) {
    char before[64];
    wait_for_view(s);
    const char *line = strstr(text_string(&s->screen), "Games  ");
    expect(s, line != NULL, "no view");
    snprintf(before, sizeof before, "%.*s", (int)strcspn(line, "W"), line);
    for (int i = 0; i < TRIES && shows(s, before); i++) {
        look(s);
        wait_for_view(s);
    }
    expect(s, !shows(s, before), "nothing moves");
}

/* Looks until the terminal is as if no view had been there. */
static void wait_for_no_view(Sitting *s) {
    for (int i = 0; i < TRIES && (shows(s, "Games  ") || shows(s, "Speed  ")); i++)
        look(s);
    expect(s, !shows(s, "Games  ") && !shows(s, "Speed  "), "the view is gone");
}

static int count_lines(const Sitting *s, const char *beginning) {
    int count = strncmp(text_string(&s->screen), beginning, strlen(beginning)) == 0;
    for (const char *p = text_string(&s->screen); (p = strchr(p, '\n')) != NULL;)
        count += strncmp(++p, beginning, strlen(beginning)) == 0;
    return count;
}

/* One view, nothing of an older one, and the warning above it as it was written. */
static void expect_view(const Sitting *s) {
    static const char *const LINES[] = {"Games  ", "Elo    ", "LLR    ", "Speed  ", "Faults "};
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++)
        expect(s, count_lines(s, LINES[i]) == 1, LINES[i]);
    expect(s, count_lines(s, "warning: round 1") == 1, "one warning of a game");
    expect(s,
           strstr(text_string(&s->screen), "warning: ") < strstr(text_string(&s->screen), "Games"),
           "the warning is above");
    expect(s, s->terminal.column == 0, "the cursor is below the view");
}

static void press(const Sitting *s, char key) {
    ck_assert_int_eq(write(s->terminal.master, &key, 1), 1);
}

START_TEST(a_view_is_drawn_left_and_taken_away) {
    static Sitting s;
    int status;
    if (!sit_down(&s, "C.UTF-8"))
        return;
    wait_for(&s, "Faults 1 crash");
    for (int i = 0; i < 5; i++) {
        wait_for_games(&s);
        expect_view(&s);
    }
    expect(&s, shows(&s, " ├") && shows(&s, "±"), "a bar");

    /* Ctrl-Z leaves a terminal as if nothing had been there, and fg brings it back. */
    press(&s, SUSPEND);
    ck_assert_int_eq(waitpid(s.pid, &status, WUNTRACED), s.pid);
    ck_assert(WIFSTOPPED(status));
    wait_for_no_view(&s);
    kill(s.pid, SIGCONT);
    wait_for_games(&s);
    expect(&s, count_lines(&s, "Games") == 1, "one view");

    /* Ctrl-C ends with a report, and with nothing else. */
    press(&s, INTERRUPT);
    wait_for(&s, "Penta | ");
    ck_assert_int_eq(waitpid(s.pid, &status, 0), s.pid);
    ck_assert_int_eq(status, 0);
    wait_for(&s, "Games | N: ");
    wait_for_no_view(&s);
    static const char *const LINES[] = {"finishing the games that complete a pair",
                                        "the SPRT is undecided",
                                        "endings: ",
                                        "dev: depth 1.0",
                                        "base: depth 1.0",
                                        "Elo   | ",
                                        "Games | N: "};
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++)
        expect(&s, count_lines(&s, LINES[i]) == 1, LINES[i]);
    expect(&s, s.terminal.column == 0, "the cursor is at the beginning of a line");
    get_up(&s);
}
END_TEST

START_TEST(a_worker_that_is_killed_leaves_the_terminal_in_order) {
    static Sitting s;
    int status;
    if (!sit_down(&s, "C"))
        return;
    wait_for(&s, "Faults 1 crash");
    wait_for_games(&s);
    expect_view(&s);
    expect(&s, shows(&s, " [") && shows(&s, "|") && !shows(&s, "├"), "a bar in ASCII");
    kill(s.pid, SIGKILL);
    ck_assert_int_eq(waitpid(s.pid, &status, 0), s.pid);
    wait_for_view(&s);
    /* The cursor was never hidden, and no colour is left on. */
    const char *bytes = text_string(&s.terminal.bytes);
    ck_assert_ptr_null(strstr(bytes, "\x1b[?"));
    const char *last = NULL;
    for (const char *p = bytes; (p = strstr(p, "\x1b[")) != NULL; p++)
        last = p[2 + strspn(p + 2, "0123456789")] == 'm' ? p : last;
    ck_assert(last != NULL && strncmp(last, "\x1b[0m", 4) == 0);
    get_up(&s);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_view_is_drawn_left_and_taken_away);
    tcase_add_test(tests, a_worker_that_is_killed_leaves_the_terminal_in_order);
}

int main(void) {
    return run_tests("view", add_tests);
}
