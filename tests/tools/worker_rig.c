/* SPDX-License-Identifier: MIT */
#include "tools/worker_rig.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/journal.h"
#include "base/memory.h"
#include "base/tree.h"
#include "build/bench.h"
#include "tools/files.h"
#include "tools/temporary.h"
#include "tools/zip.h"

enum { PATH_SIZE = 256, MAX_ARGS = 64, CASE_SECONDS = 2 * RIG_PATIENCE_S };

Double *rig_server;
pid_t rig_worker;
static char folder[PATH_SIZE];

/* ---- What the server has ---- */

const char rig_book[] =
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - hmvc 0; fmvn 1;\r\n"
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - hmvc 0; fmvn 1;\r\n"
    "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - hmvc 0; fmvn 1;\r\n"
    "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - hmvc 0; fmvn 2;\r\n"
    "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - hmvc 0; fmvn 2;\r\n"
    "rnbqkbnr/pppp1ppp/4p3/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - hmvc 0; fmvn 2;\r\n";

/* Positions after nothing, told apart by their move number: the seed's first, then one more each.
 * The question is written down beside the test's other files, in a folder up from the builds. */
static const char genfens_source[] =
    "static int genfens(const char *words, const char *next) {\n"
    "    int n = 0, seed = 0, ok = sscanf(words, \"genfens %d seed %d\", &n, &seed) == 2;\n"
    "    FILE *log = fopen(\"../../genfens\", \"a\");\n"
    "    if (log && fprintf(log, \"%s, %s\\n\", words, next) > 0)\n        fclose(log);\n"
    "    if (strstr(words, \"long\"))\n        printf(\"info string genfens %0200d\\n\", 0);\n"
    "    for (int i = 0; i < n && ok; strstr(words, \"slow\") && usleep(500000), i++)\n"
    "        printf(\"info string genfens rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR "
    "w KQkq - 0 %d\\n\", seed + i), fflush(stdout);\n"
    "    if (strstr(words, \"stall\"))\n        fflush(stdout), sleep(60);\n"
    "    return !ok;\n}\n";

void rig_serve_engine(const char *path, int bench, const char *words, const char *fault) {
    Text makefile = {0};
    Text source = {0};
    text_addf(&makefile, "all:\n\t@%s$(CC) -O1 engine.c -o $(EXE)\n", fault);
    text_addf(&source,
              "#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n%s"
              "int main(int argc, char **argv) {\n"
              "    int bench = argc > 1 && !strcmp(argv[1], \"bench\");\n"
              "    while (bench && access(\"%s/hold\", F_OK) == 0)\n        usleep(10000);\n"
              "    if (bench)\n"
              "        return printf(\"%d nodes 1000000 nps\\n\") < 0;\n"
              "    if (argc > 1 && !strncmp(argv[1], \"genfens\", 7))\n"
              "        return genfens(argv[1], argc > 2 ? argv[2] : \"\");\n"
              "    const char *program = \"%s/tests/bin/scripted_engine\";\n"
              "    execl(program, program, %s (char *)0);\n    return 1;\n}\n",
              genfens_source, folder, bench, getenv("builddir"), words);
    ZipEntry entries[] = {{"tiny-1234/", ZIP_FOLDER, NULL},
                          {"tiny-1234/src/Makefile", ZIP_FILE, text_string(&makefile)},
                          {"tiny-1234/src/engine.c", ZIP_FILE, text_string(&source)}};
    Text zip = zip_make(entries, 3);
    double_serve(rig_server, path, "application/zip", zip.data, zip.length);
    text_free(&zip);
    text_free(&makefile);
    text_free(&source);
}

void rig_hold_benches(bool held) {
    char *path = rig_path("hold");
    if (held)
        put_text(path, "");
    else
        ck_assert_int_eq(unlink(path), 0);
    free(path);
}

static void rig_serve_book(void) {
    ZipEntry entry = {"book.epd", ZIP_FILE, rig_book};
    Text zip = zip_make(&entry, 1);
    double_serve(rig_server, "/book.zip", "application/zip", zip.data, zip.length);
    text_free(&zip);
}

/* What is not said of a side is the usual. */
typedef struct {
    const char *key, *source, *url, *options, *network, *compilers, *time_control;
    bool is_private;
    char digit; /* that its commit consists of */
    int bench;
} OfferSide;

static void add_side(Text *out, const RigOffer *o, const OfferSide *side) {
    text_addf(out, "\"%s\": {\"id\": 3, \"name\": \"%s-branch\", \"source\": \"", side->key,
              side->key);
    if (side->url)
        text_add(out, side->url);
    else
        text_addf(out, "%s/%s.zip", double_url(rig_server),
                  side->source ? side->source : side->key);
    text_add(out, "\", \"sha\": \"");
    for (int i = 0; i < 40; i++)
        text_add_char(out, side->digit);
    text_addf(out,
              "\", \"bench\": %d, \"engine\": \"%s\", \"options\": \"%s\", \"network\": \"%s\", "
              "\"netname\": \"\", \"time_control\": \"%s\", \"build\": {\"path\": \"%s\", "
              "\"compilers\": %s, \"cpuflags\": [], \"systems\": [\"Linux\"]}, \"private\": %s}",
              side->bench ? side->bench : RIG_BENCH, side->is_private ? "Hidden Tiny" : "Tiny",
              side->options ? side->options : "Threads=1 Hash=8",
              side->network ? side->network : "",
              side->time_control ? side->time_control
              : o->time_control  ? o->time_control
                                 : "N=100",
              o->path ? o->path : "src",
              side->compilers ? side->compilers : "[\"no-such-compiler\", \"gcc>=4.0\", \"clang\"]",
              side->is_private ? "true" : "false");
}

void rig_offer(const RigOffer *o) {
    char sha[DIGEST_HEX_MAX];
    Error err = {0};
    ck_assert(digest_text(rig_book, sizeof rig_book - 1, sha, &err));
    Text out = {0};
    Text book = {0};
    text_addf(&book, "{\"name\": \"book.epd\", \"sha\": \"%s\", \"source\": \"%s/book.zip\"}",
              o->book_sha ? o->book_sha : sha, double_url(rig_server));
    text_addf(&out,
              "{\"workload\": {\"result\": {\"id\": %d}, \"test\": {\"id\": %d, \"type\": \"%s\", "
              "\"syzygy_wdl\": \"OPTIONAL\", \"syzygy_adj\": \"%s\", \"win_adj\": "
              "\"movecount=3 score=400\", \"draw_adj\": \"movenumber=10 movecount=4 score=10\", "
              "\"workload_size\": 8, \"upload_pgns\": \"%s\", \"genfens_args\": \"%s\", "
              "\"play_reverses\": %s, \"scale_method\": \"BASE\", \"scale_nps\": 1000000, "
              "\"book\": %s, ",
              o->id + 100, o->id, o->type ? o->type : "SPRT",
              o->syzygy_adj ? o->syzygy_adj : "OPTIONAL", o->upload_pgns ? o->upload_pgns : "FALSE",
              o->genfens_args ? o->genfens_args : "", o->play_reverses ? "true" : "false",
              o->book ? o->book : text_string(&book));
    add_side(&out, o,
             &(OfferSide){.key = "dev",
                          .url = o->dev_source,
                          .options = o->options,
                          .network = o->network,
                          .compilers = o->dev_compilers,
                          .is_private = o->is_private,
                          .digit = 'a',
                          .bench = o->dev_bench});
    text_add(&out, ", ");
    add_side(&out, o,
             &(OfferSide){.key = "base",
                          .source = o->base_source,
                          .time_control = o->base_time_control,
                          .digit = 'b',
                          .bench = o->base_bench});
    text_addf(&out,
              ", \"book_seed\": 2, \"book_index\": %d%s}, \"distribution\": {\"runner-count\": %d, "
              "\"concurrency-per\": 1, \"rounds-per-runner\": %d}, \"spsa\": %s, "
              "\"reporting_type\": \"%s\"}}",
              o->book_index ? o->book_index : 1, o->extra ? o->extra : "",
              o->runners ? o->runners : 2, o->rounds ? o->rounds : 8, o->spsa ? o->spsa : "null",
              o->reporting ? o->reporting : "");
    double_offer(rig_server, text_string(&out));
    text_free(&out);
    text_free(&book);
}

void rig_setup(void) {
    temporary_folder(folder, sizeof folder, "rd-session");
    rig_server = double_start();
    double_set_build_info(
        rig_server, "{\"Tiny\": {\"path\": \"src\", \"compilers\": [\"no-such-compiler\", "
                    "\"gcc>=4.0\", \"clang\"], \"cpuflags\": [], \"systems\": [\"Linux\"], "
                    "\"private\": false}, \"Hidden Tiny\": {\"path\": \"src\", \"compilers\": "
                    "[\"gcc\"], \"cpuflags\": [], \"systems\": [], \"private\": true}}");
    rig_serve_book();
    rig_serve_engine("/base.zip", RIG_BENCH, "\"side=base\", \"plan=40,30\",", "");
}

void rig_teardown(void) {
    double_stop(rig_server);
    ck_assert(tree_remove(folder, NULL));
}

bool rig_ready(const char *suite) {
    /* A proxy of the developer's must not come between. */
    setenv("no_proxy", "127.0.0.1", 1);
    bool ready = getenv("OBWORKER") && getenv("builddir");
    if (!ready)
        fprintf(stderr, "%s: run by `make check`, which sets OBWORKER and builddir\n", suite);
    return ready;
}

TCase *rig_case(Suite *suite, const char *name) {
    TCase *tests = tcase_create(name);
    tcase_set_timeout(tests, CASE_SECONDS);
    tcase_add_checked_fixture(tests, rig_setup, rig_teardown);
    suite_add_tcase(suite, tests);
    return tests;
}

void rig_serve_dev(void) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",", "");
}

/* Our end of the FIFO of tickets, which keeps them. */
static int tickets_end = -1;

void rig_serve_dev_with_tickets(int tickets) {
    char *path = rig_path("tickets");
    Text words = {0};
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    tickets_end = open(path, O_RDWR | O_CLOEXEC);
    ck_assert_int_ge(tickets_end, 0);
    text_addf(&words, "\"side=dev\", \"plan=40,30\", \"tickets=%s\", \"log=%s.log\",", path, path);
    rig_serve_engine("/dev.zip", RIG_BENCH, text_string(&words), "");
    rig_give_tickets(tickets);
    text_free(&words);
    free(path);
}

void rig_give_tickets(int tickets) {
    while (tickets-- > 0)
        ck_assert_int_eq(write(tickets_end, "t", 1), 1);
}

void rig_keep_token(const char *home) {
    char *state = rig_path("state");
    char *path = rig_path("state/credentials.hiddentiny");
    Text text = {0};
    Error err = {0};
    text_addf(&text, "ghp_abc123\n%s%s", home, home[0] ? "\n" : "");
    ck_assert(file_make_folders(state, &err));
    put_bytes(path, text.data, text.length, 0600);
    text_free(&text);
    free(state);
    free(path);
}

/* ---- Our own engine, as a server would have it played ---- */

enum { MAX_SOURCES = 200 };

/* The names and texts of the engine's sources, as entries of a zip; everything is leaked: the
 * test's process ends soon. */
static size_t own_sources(ZipEntry *entries) {
    size_t count = 0;
    Text command = {0};
    text_addf(&command,
              "cd '%s' && find engine -type f '(' -name '*.[ch]' -o -name Makefile -o "
              "-name '*.mk' -o -name '*.def' -o -name '*.awk' ')' ! -path '*/build/*'",
              getenv("srcdir"));
    FILE *names = popen(text_string(&command), "r");
    char line[PATH_SIZE];
    while (names && count < MAX_SOURCES && fgets(line, sizeof line, names)) {
        Text path = {0};
        Text name = {0};
        line[strcspn(line, "\n")] = '\0';
        text_addf(&path, "%s/%s", getenv("srcdir"), line);
        text_addf(&name, "reductio-abc/%s", line);
        Text text = read_whole(text_string(&path));
        entries[count++] = (ZipEntry){text_take(&name), ZIP_FILE, text_take(&text)};
        text_free(&path);
    }
    ck_assert_ptr_nonnull(names);
    pclose(names);
    text_free(&command);
    return count;
}

int64_t rig_own_bench(void) {
    Text command = {0};
    Text output = {0};
    char part[512];
    int64_t nodes = 0;
    int64_t nps = 0;
    text_addf(&command, "'%s' bench", getenv("REDUCTIO"));
    FILE *stream = popen(text_string(&command), "r");
    ck_assert_ptr_nonnull(stream);
    while (fgets(part, sizeof part, stream))
        text_add(&output, part);
    pclose(stream);
    ck_assert_msg(bench_parse(text_string(&output), &nodes, &nps), "%s", text_string(&output));
    text_free(&output);
    text_free(&command);
    return nodes;
}

void rig_serve_own(const char *path) {
    static ZipEntry entries[MAX_SOURCES];
    size_t count = own_sources(entries);
    ck_assert_uint_gt(count, 20);
    Text zip = zip_make(entries, count);
    double_serve(rig_server, path, "application/zip", zip.data, zip.length);
    text_free(&zip);
}

/* ---- The worker ---- */

char *rig_path(const char *name) {
    return text_format("%s/%s", folder, name);
}

static void exec_worker(const char *const *words, const char *password_file, const char *state) {
    const char *argv[MAX_ARGS] = {getenv("OBWORKER"), "work", "-U", "tester", "-S",
                                  double_url(rig_server), "--state", state, "-T", "2", "--retry-ms",
                                  "50", "--retry-max-ms", "200", "--idle-ms", "100", "--report-ms",
                                  "100", "--verify-ms", "100", "--verify-again-ms", "50",
                                  /* The engines write down what they hear. */
                                  "--sandbox", "off"};
    int count = 0;
    while (argv[count])
        count++;
    bool own_password = false;
    for (; *words && count < MAX_ARGS - 3; words++) {
        own_password = own_password || strcmp(*words, "-P") == 0 || strcmp(*words, "--config") == 0;
        argv[count++] = *words;
    }
    if (!own_password) {
        argv[count++] = "--password-file";
        argv[count++] = password_file;
    }
    execv(argv[0], (char **)argv);
    _exit(127);
}

void rig_start(const char *const *words) {
    char *log = rig_path("log");
    char *out = rig_path("out");
    char *password = rig_path("password");
    char *state = rig_path("state");
    put_bytes(password, "secret\n", 7, 0600);
    /* Before the fork: a caller that waits for words of this worker's log must not find those of
     * the worker before. */
    int log_file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int out_file = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    rig_worker = fork();
    ck_assert_int_ge(rig_worker, 0);
    if (rig_worker == 0) {
        dup2(log_file, STDERR_FILENO);
        dup2(out_file, STDOUT_FILENO);
        unsetenv("OPENBENCH_PASSWORD");
        exec_worker(words, password, state);
    }
    close(log_file);
    close(out_file);
    free(log);
    free(out);
    free(password);
    free(state);
}

Text rig_read(const char *name) {
    char *path = rig_path(name);
    Text text = read_whole(path);
    free(path);
    return text;
}

Text rig_log(void) {
    return rig_read("log");
}

void nap(void) {
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

int rig_wait(void) {
    for (int waited = 0; waited < RIG_PATIENCE_S * 100; waited++) {
        int status;
        if (waitpid(rig_worker, &status, WNOHANG) == rig_worker) {
            if (WIFSIGNALED(status)) /* Its last request meets none of the next worker's. */
                double_settle(rig_server);
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        nap();
    }
    kill(rig_worker, SIGKILL);
    waitpid(rig_worker, NULL, 0);
    Text log = rig_log();
    ck_abort_msg("the worker did not end:\n%.3000s", text_string(&log));
}

void rig_expect_status(int status) {
    int got = rig_wait();
    Text log = rig_log();
    ck_assert_msg(got == status, "exit status %d, wanted %d:\n%.3000s", got, status,
                  text_string(&log));
    ck_assert_msg(!strstr(text_string(&log), "secret"), "the password is in the log:\n%.3000s",
                  text_string(&log));
    text_free(&log);
}

void rig_run(const char *const *words, int status) {
    rig_start(words);
    rig_expect_status(status);
}

const char *const rig_once[] = {"--once", NULL};

static bool is_in_log(const char *words) {
    Text log = rig_log();
    bool found = strstr(text_string(&log), words) != NULL;
    text_free(&log);
    return found;
}

void rig_expect_log(const char *words) {
    Text log = rig_log();
    ck_assert_msg(is_in_log(words), "no \"%s\" in:\n%.3000s", words, text_string(&log));
    text_free(&log);
}

void rig_wait_log(const char *words) {
    for (int waited = 0; waited < RIG_PATIENCE_S * 100 && !is_in_log(words); waited++)
        nap();
    rig_expect_log(words);
}

void rig_expect_field(const char *path, size_t index, const char *name, const char *wanted) {
    char *value = double_field(rig_server, path, index, name, 0);
    ck_assert_msg(value != NULL, "%s: no field %s", path, name);
    ck_assert_str_eq(value, wanted);
    free(value);
}

int rig_journals(const char *name, JournalTake take, void *user) {
    char *path = rig_path(name);
    Words names = {0};
    Error err = {0};
    int count = 0;
    file_list(path, &names, NULL);
    for (size_t i = 0; i < names.count; i++) {
        if (!text_ends_with(names.items[i], ".journal"))
            continue;
        char *file = text_format("%s/%s", path, names.items[i]);
        ck_assert_msg(take == NULL || journal_read(file, take, user, &err), "%s", err.text);
        free(file);
        count++;
    }
    words_free(&names);
    free(path);
    return count;
}

static bool count_pair(const char *record, size_t length, void *user, Error *err) {
    static const char pair[] = "{\"kind\":\"pair\",";
    (void)err;
    *(int64_t *)user += length >= sizeof pair && strncmp(record, pair, sizeof pair - 1) == 0;
    return true;
}

int64_t rig_kept_games(void) {
    int64_t pairs = 0;
    rig_journals("state/outbox", count_pair, &pairs);
    rig_journals("state/outbox/delivered", count_pair, &pairs);
    rig_journals("state/outbox/parked", count_pair, &pairs);
    return 2 * pairs;
}

void rig_expect_games(int64_t games) {
    DoubleTotals t = double_totals(rig_server);
    int64_t pairs = t.penta[0] + t.penta[1] + t.penta[2] + t.penta[3] + t.penta[4];
    int64_t points = t.penta[1] + 2 * t.penta[2] + 3 * t.penta[3] + 4 * t.penta[4];
    ck_assert_int_eq(t.tri[0] + t.tri[1] + t.tri[2], games);
    ck_assert_int_eq(2 * pairs, games);
    ck_assert_int_eq(t.tri[1] + 2 * t.tri[2], points);
}
