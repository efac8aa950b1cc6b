/* SPDX-License-Identifier: MIT */
/* obworker match: an A/B test on this machine, with no server. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "base/child.h"
#include "base/contention.h"
#include "base/cpus.h"
#include "base/datadir.h"
#include "base/file.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/ram.h"
#include "base/options.h"
#include "base/text.h"
#include "build/build.h"
#include "cmd_match.h"
#include "commands.h"
#include "match/match.h"
#include "match/pgn.h"
#include "match/syzygy.h"
#include "local/pairlog.h"
#include "report/block.h"
#include "report/page.h"
#include "report/result.h"
#include "local/scorebook.h"
#include "local/suite.h"

enum { CONCURRENCY_MOST = 1024, SLICE_MOST = 100000000 };

/* With --exit-verdict. */
enum { EXIT_H1 = EXIT_DONE, EXIT_H0 = 3, EXIT_UNDECIDED = 4 };

static const char DEFAULT_TC[] = "8+0.08";
static const char DEFAULT_BOOK[] = "openings/reductio.epd.gz";
static const char DEFAULT_BUILD_PATH[] = "engine";
static const char DEFAULT_WIN_ADJ[] = "movecount=3 score=400";
static const char DEFAULT_DRAW_ADJ[] = "movenumber=40 movecount=8 score=10";
static const char *const DEFAULT_OPTIONS[] = {"Threads=1", "Hash=16"};

/* ---- The command line ---- */

#define FIELD(field) offsetof(MatchOptions, field)

static const Option options[] = {
    OPTION_SECTION("Engines"),
    TEXT_OPTION(
        "dev", "SPEC", FIELD(spec[SIDE_DEV]),
        "the engine under test: a program (with arguments when quoted), lmr:ROW=VALUE,... "
        "(this project's engine with these switches; lmr: is the default build), or git:REF, a "
        "commit of the repository that this folder is in"),
    TEXT_OPTION("base", "SPEC", FIELD(spec[SIDE_BASE]), "the engine it is measured against"),
    TEXT_OPTION("dev-name", "NAME", FIELD(name[SIDE_DEV]), "its name in the PGN (default dev)"),
    TEXT_OPTION("base-name", "NAME", FIELD(name[SIDE_BASE]), "its name in the PGN (default base)"),
    OPTION_TC(FIELD(tc)),
    TEXT_OPTION("dev-tc", "TC", FIELD(side_tc[SIDE_DEV]), "dev's own time control"),
    TEXT_OPTION("base-tc", "TC", FIELD(side_tc[SIDE_BASE]), "base's own time control"),
    OPTION_UCI(FIELD(options)),
    LIST_OPTION("dev-option", "NAME=VALUE", FIELD(side_options[SIDE_DEV]),
                "a UCI option for dev alone"),
    LIST_OPTION("base-option", "NAME=VALUE", FIELD(side_options[SIDE_BASE]),
                "a UCI option for base alone"),
    OPTION_SECTION("Openings"),
    TEXT_OPTION("book", "FILE", FIELD(book),
                "openings, EPD or PGN, plain or .gz (default: the project's own)"),
    INTEGER_OPTION("seed", "N", FIELD(seed), 0, 9e15,
                   "shuffles the openings (default: a new one each time, which is told)"),
    INTEGER_OPTION("start", "N", FIELD(start), 1, 9e15, "the first opening to play, from 1"),
    FLAG_OPTION("chess960", FIELD(chess960),
                "play Chess960 (taken from the book's name when that says so)"),
    OPTION_SECTION("The end, of the match and of games"),
    OPTION_RULE(FIELD(rule), "the SPRT's hypotheses, in Elo of the --model (default 0,5)"),
    OPTION_MODEL(FIELD(rule)),
    OPTION_GAMES(FIELD(games),
                 "so many games, an even number; without an SPRT unless --bounds is given too"),
    TEXT_OPTION("win-adj", "RULE", FIELD(win_adj),
                "\"movecount=3 score=400\" (the default) or None"),
    TEXT_OPTION("draw-adj", "RULE", FIELD(draw_adj),
                "\"movenumber=40 movecount=8 score=10\" (the default) or None"),
    TEXT_OPTION("syzygy", "DIR", FIELD(syzygy), "endgame tables that decide games"),
    INTEGER_OPTION("syzygy-men", "N", FIELD(syzygy_men), 3, 7,
                   "for positions of so many pieces at most"),
    OPTION_SECTION("Machine and clock"),
    INTEGER_OPTION("concurrency", "N", FIELD(concurrency), 1, CONCURRENCY_MOST,
                   "games at a time (default: one for each physical core)"),
    TEXT_OPTION("affinity", "auto|LIST", FIELD(affinity),
                "bind each game to CPUs of its own: physical cores, or a list such as 0,2,4-7"),
    INTEGER_OPTION("margin", "MS", FIELD(margin), 0, 1e9, "how late a move may be (default 250)"),
    OPTION_SECTION("Records and results"),
    TEXT_OPTION("pgn", "FILE", FIELD(pgn),
                "append the games to this file, in the order of the book"),
    FLAG_OPTION("pgn-hashfull", FIELD(hashfull),
                "also say there after each move how full its hash table was, per mille"),
    TEXT_OPTION("event", "NAME", FIELD(event), "the match's name in the PGN"),
    TEXT_OPTION("site", "NAME", FIELD(site), "and where it is played"),
    TEXT_OPTION("transcripts", "DIR|None", FIELD(transcripts),
                "where the dialogue with an engine that fails is kept, the last 100 (default "
                "$XDG_STATE_HOME/obworker/transcripts)"),
    TEXT_OPTION("journal", "FILE", FIELD(journal),
                "keep each pair in this file before it counts: nothing that was played is lost"),
    FLAG_OPTION("resume", FIELD(resume),
                "go on with the match whose journal that is, given with the same options"),
    TEXT_OPTION(
        "html", "FILE", FIELD(html),
        "in the end, a page of the match (or of a suite's table), as obworker report makes it"),
    FLAG_OPTION("json", FIELD(json), "end with a JSON object instead of the report block"),
    FLAG_OPTION("exit-verdict", FIELD(exit_verdict), "let the exit status tell the SPRT's verdict"),
    OPTION_SECTION("Several variants"),
    TEXT_OPTION("suite", "FILE", FIELD(suite),
                "measure each variant of the file against the base: a name and a SPEC a line, and "
                "options without their dashes (tc = N=5000); --journal names the folder of their "
                "journals (default FILE.journals)"),
    CHOICE_OPTION("order", "evidence|turn", FIELD(order),
                  "which comes next: the most undecided one (the default), or one after the other"),
    INTEGER_OPTION(
        "slice", "PAIRS", FIELD(slice), 1, SLICE_MOST,
        "with evidence: how many pairs of one are played before it is looked again (default "
        "50)"),
    OPTION_SECTION("Besides"),
    TEXT_OPTION("build-path", "DIR", FIELD(build_path),
                "where a git: engine has its Makefile (default engine)"),
    CHOICE_OPTION(
        "sandbox", "on|off|auto", FIELD(sandbox),
        "shut the engines in: as far as this system can (auto, the default), or not at all"),
    OPTION_COMMON(FIELD(common)),
};

const OptionTable match_option_table = {
    .command = "obworker match",
    .synopsis = "{--dev SPEC | --suite FILE} --base SPEC [options]",
    .about = "Plays pairs of games between two engines until the SPRT is decided, and reports. "
             "Ctrl-C finishes the games in play; twice stops them.\n\n"
             "  obworker match --dev lmr:KILLER=0 --base lmr:\n"
             "  obworker match --dev ./new --base ./old --tc N=5000 --games 400 --pgn out.pgn",
    .statuses = "; with --exit-verdict: 0 H1, 3 H0, 4 undecided",
    .options = options,
    .count = sizeof options / sizeof *options,
    .operands = OPTION_NO_OPERANDS,
};

/* ---- What is made of it ---- */

/* UCI options of one side, with the text that they point into. */
typedef struct {
    MatchOption *items;
    size_t count;
    size_t capacity;
} UciOptions;

/* Everything that a match needs and that outlives it. */
typedef struct {
    MatchOptions given;
    MatchStep *step; /* NULL: the whole match at once. */
    Log log;
    MatchConfig config;
    Sandbox sandbox;
    SandboxPolicy policies[SIDE_COUNT];
    Words argv[SIDE_COUNT];
    UciOptions uci[SIDE_COUNT];
    Book book;
    Syzygy syzygy;
    bool syzygy_open;
    FaultFiles transcripts;
    char *transcripts_folder;
    Contention contention;
    CpuList cpus;
    const int **cpu_sets;
    int *cpu_counts;
    SprtRule rule;
    bool sprt;
    int64_t seed;
    PairLog pairs;
    Scorebook score;
    ResultBuilder *builder; /* With --html. */
    uv_loop_t loop;
    uv_signal_t signals[2];
    uv_timer_t redraw;     /* On a terminal: time goes on between pairs, */
    uv_signal_t suspended; /* and a shell wants the place. */
    Match *match;
    int interrupts;
    bool playing; /* The match was started. */
    bool failed;
    Error error; /* Why it failed. */
} LocalMatch;

/* ---- Engines ---- */

/* Sets name=value, in the place of an option of that name. `text` is not kept. optional: an engine
 * need not have the option. */
static void set_uci_option(UciOptions *list, const char *text, bool optional) {
    const char *equals = strchr(text, '=');
    size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    MatchOption option = {.name = mem_strndup(text, length),
                          .value = equals != NULL ? mem_strdup(equals + 1) : NULL,
                          .optional = optional};
    size_t at = 0;
    while (at < list->count && strcasecmp(list->items[at].name, option.name) != 0)
        at++;
    if (at == list->count)
        list->items = mem_grow(list->items, &list->capacity, ++list->count, sizeof option);
    else {
        free((char *)(uintptr_t)list->items[at].name);
        free((char *)(uintptr_t)list->items[at].value);
    }
    list->items[at] = option;
}

static void free_uci_options(UciOptions *list) {
    for (size_t i = 0; i < list->count; i++) {
        free((char *)(uintptr_t)list->items[i].name);
        free((char *)(uintptr_t)list->items[i].value);
    }
    free(list->items);
}

static const char *uci_value(const UciOptions *list, const char *name) {
    for (size_t i = 0; i < list->count; i++)
        if (strcasecmp(list->items[i].name, name) == 0 && list->items[i].value != NULL)
            return list->items[i].value;
    return "";
}

static bool is_word_pair(const char *text) {
    return text[0] != '=' && strchr(text, '=') != NULL && strchr(text, '\n') == NULL;
}

static bool collect_uci_options(LocalMatch *m, int side, Error *err) {
    UciOptions *list = &m->uci[side];
    for (size_t i = 0; i < sizeof DEFAULT_OPTIONS / sizeof *DEFAULT_OPTIONS; i++)
        set_uci_option(list, DEFAULT_OPTIONS[i], true);
    const OptionList *given[] = {&m->given.options, &m->given.side_options[side]};
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < given[k]->count; i++) {
            if (!is_word_pair(given[k]->items[i]))
                return error_set(err, "--%s%soption: '%s' is not NAME=VALUE (of a button, NAME=)",
                                 k == 0 ? "" : side_name((Side)side), k == 0 ? "" : "-",
                                 given[k]->items[i]);
            set_uci_option(list, given[k]->items[i], false);
        }
    }
    m->config.engines[side].strict_options = true;
    m->config.engines[side].options = list->items;
    m->config.engines[side].option_count = (int)list->count;
    return true;
}

static bool is_program(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* The program and its arguments. A name in the current folder needs no "./"; a path may have blanks
 * in it where the whole SPEC is one. */
static bool resolve_program(LocalMatch *m, int side, const char *spec, Error *err) {
    Words *argv = &m->argv[side];
    if (strpbrk(spec, " \t") != NULL && is_program(spec))
        words_add(argv, spec);
    else if (!words_split(argv, spec, err))
        return error_prefix(err, "--%s", side_name((Side)side));
    if (argv->count == 0)
        return error_set(err, "--%s: no program is named", side_name((Side)side));
    Text local = {0};
    text_addf(&local, "./%s", argv->items[0]);
    char path[CHILD_PATH_MAX];
    bool here = strchr(argv->items[0], '/') == NULL && access(text_string(&local), X_OK) == 0;
    bool found = child_find(here ? text_string(&local) : argv->items[0], path, err);
    text_free(&local);
    if (!found && strncasecmp(argv->items[0], "lmr", strlen("lmr")) == 0)
        return error_set(err,
                         "--%s: %s is no program; this project's engine is lmr: or "
                         "lmr:ROW=VALUE,... in small letters",
                         side_name((Side)side), spec);
    if (!found)
        return error_prefix(err, "--%s", side_name((Side)side));
    free(argv->items[0]);
    argv->items[0] = mem_strdup(path);
    return true;
}

/* ---- Engines that are built first ---- */

static bool check_variant(const LocalMatch *m, const char *flags, Error *err) {
    (void)m;
    return build_variant_check(flags, &(VariantOptions){0}, err);
}

static bool make_variant(const LocalMatch *m, const char *flags, char *path, Error *err) {
    (void)m;
    return build_variant(flags, &(VariantOptions){0}, path, err);
}

static bool check_commit(const LocalMatch *m, const char *ref, Error *err) {
    return build_commit_check(ref, &(CommitOptions){.build_path = m->given.build_path}, err);
}

static bool make_commit(const LocalMatch *m, const char *ref, char *path, Error *err) {
    return build_commit(ref, &(CommitOptions){.build_path = m->given.build_path}, path, err);
}

/* A kind of SPEC that names sources. */
typedef struct {
    const char *prefix;
    bool (*check)(const LocalMatch *m, const char *rest, Error *err);
    bool (*make)(const LocalMatch *m, const char *rest, char *path, Error *err);
} SourceKind;

static const SourceKind SOURCES[] = {{"lmr:", check_variant, make_variant},
                                     {"git:", check_commit, make_commit}};

/* NULL: the SPEC names a program. */
static const SourceKind *source_kind(const char *spec) {
    for (size_t i = 0; i < sizeof SOURCES / sizeof *SOURCES; i++)
        if (text_starts_with(spec, SOURCES[i].prefix))
            return &SOURCES[i];
    return NULL;
}

/* Finds what can be wrong with the SPEC before anything is built. */
static bool check_engine(LocalMatch *m, int side, Error *err) {
    const char *spec = m->given.spec[side];
    const SourceKind *kind = source_kind(spec);
    if (kind == NULL)
        return resolve_program(m, side, spec, err);
    return kind->check(m, spec + strlen(kind->prefix), err) ||
           error_prefix(err, "--%s %s", side_name(side), spec);
}

static bool make_engine(LocalMatch *m, int side, Error *err) {
    const char *spec = m->given.spec[side];
    const SourceKind *kind = source_kind(spec);
    char path[BUILD_PATH_MAX];
    if (kind == NULL)
        return true;
    if (m->step == NULL)
        log_info(&m->log, "%s: building %s", side_name(side), spec);
    if (!kind->make(m, spec + strlen(kind->prefix), path, err))
        return error_prefix(err, "--%s %s", side_name(side), spec);
    words_add(&m->argv[side], path);
    return true;
}

static bool same_program(const LocalMatch *m) {
    char digests[SIDE_COUNT][DIGEST_HEX_MAX];
    for (int side = 0; side < SIDE_COUNT; side++)
        if (!digest_file(m->argv[side].items[0], digests[side], &(Error){0}))
            return false;
    return strcmp(digests[SIDE_DEV], digests[SIDE_BASE]) == 0;
}

static bool same_settings(const LocalMatch *m) {
    const Words *argv = m->argv;
    const UciOptions *uci = m->uci;
    char tc[SIDE_COUNT][TIMECONTROL_TEXT_MAX];
    for (int side = 0; side < SIDE_COUNT; side++)
        timecontrol_format(&m->config.engines[side].time_control, tc[side]);
    bool same = argv[SIDE_DEV].count == argv[SIDE_BASE].count &&
                uci[SIDE_DEV].count == uci[SIDE_BASE].count &&
                strcmp(tc[SIDE_DEV], tc[SIDE_BASE]) == 0;
    for (size_t i = 1; same && i < argv[SIDE_DEV].count; i++)
        same = strcmp(argv[SIDE_DEV].items[i], argv[SIDE_BASE].items[i]) == 0;
    for (size_t i = 0; same && i < uci[SIDE_DEV].count; i++) {
        const char *name = uci[SIDE_DEV].items[i].name;
        same = strcmp(uci_value(&uci[SIDE_DEV], name), uci_value(&uci[SIDE_BASE], name)) == 0;
    }
    return same;
}

/* Two variants that make one build are a mistake as a rule, and the match would be long. */
static void warn_of_twins(LocalMatch *m) {
    if (same_settings(m) && same_program(m))
        log_warn(&m->log, "dev and base are the same program with the same settings: nothing but "
                          "chance can tell them apart");
}

/* Says what the sandbox lacks here, once. */
static bool open_sandbox(LocalMatch *m, Error *err) {
    Text missing = {0};
    bool ok = sandbox_open(&m->sandbox, m->given.sandbox, &missing, err);
    if (missing.length > 0)
        log_warn(&m->log, "%s", text_string(&missing));
    text_free(&missing);
    return ok;
}

static bool prepare_engines(LocalMatch *m, Error *err) {
    if (!open_sandbox(m, err))
        return false;
    for (int side = 0; side < SIDE_COUNT; side++)
        if (!check_engine(m, side, err))
            return false;
    for (int side = 0; side < SIDE_COUNT; side++) {
        MatchEngine *engine = &m->config.engines[side];
        if (!make_engine(m, side, err))
            return false;
        words_terminate(&m->argv[side]);
        engine->argv = (const char *const *)m->argv[side].items;
        engine_confine(engine, &m->sandbox, &m->policies[side]);
    }
    return true;
}

/* ---- The rest of the configuration ---- */

static bool read_rules(LocalMatch *m, Error *err) {
    const MatchOptions *given = &m->given;
    for (int side = 0; side < SIDE_COUNT; side++) {
        MatchEngine *engine = &m->config.engines[side];
        const char *own = given->side_tc[side];
        engine->name = given->name[side] != NULL ? given->name[side] : side_name((Side)side);
        if (!timecontrol_parse(own != NULL ? own : given->tc, &engine->time_control, err))
            return error_prefix(err, "--%s%stc", own != NULL ? side_name((Side)side) : "",
                                own != NULL ? "-" : "");
        if (given->spec[side] == NULL)
            return error_set(err, "--%s: is missing: the engine to play", side_name((Side)side));
        if (!collect_uci_options(m, side, err))
            return false;
    }
    if (!games_check(given->games, err))
        return false;
    if (given->resume && given->journal == NULL)
        return error_set(err, "--resume: --journal FILE is missing: the match to go on with");
    if (given->journal != NULL && given->pgn != NULL && strcmp(given->journal, given->pgn) == 0)
        return error_set(err, "--journal %s: --pgn names the same file", given->journal);
    m->sprt = match_has_sprt(given);
    if (given->exit_verdict && !m->sprt)
        return error_set(err, "--exit-verdict: --games without --bounds has no SPRT to decide");
    return adjudication_parse_resign(given->win_adj, &m->config.adjudication.resign, err) &&
           adjudication_parse_draw(given->draw_adj, &m->config.adjudication.draw, err) &&
           rule_read(&given->rule, &m->rule, err);
}

static int64_t threads_of(const UciOptions *list) {
    enum { THREADS_MOST = 1024 };
    int64_t threads;
    return text_to_int(uci_value(list, "Threads"), 1, THREADS_MOST, "Threads", &threads, NULL)
               ? threads
               : 1;
}

/* A game takes as many CPUs as its thirstier engine has threads, since one engine thinks at a time.
 */
static size_t threads_of_game(const LocalMatch *m) {
    int64_t dev = threads_of(&m->uci[SIDE_DEV]);
    int64_t base = threads_of(&m->uci[SIDE_BASE]);
    return (size_t)(dev > base ? dev : base);
}

/* How many games at a time, and on which CPUs. */
static bool share_cpus(LocalMatch *m, Error *err) {
    const MatchOptions *given = &m->given;
    size_t threads = threads_of_game(m);
    bool listed = given->affinity != NULL && strcmp(given->affinity, "auto") != 0;
    if (!listed)
        cpus_physical(&m->cpus);
    else if (!cpus_parse(given->affinity, "--affinity", &m->cpus, err))
        return false;
    size_t sets = m->cpus.count / threads;
    m->config.concurrency = given->concurrency > 0 ? (int)given->concurrency
                            : sets > 0             ? (int)sets
                                                   : 1;
    if (given->affinity == NULL)
        return true;
    if ((size_t)m->config.concurrency > sets)
        return error_set(
            err,
            "--affinity: %d game%s at a time with %zu thread%s each: %zu CPUs would be "
            "needed, of %zu",
            m->config.concurrency, text_plural(m->config.concurrency), threads,
            text_plural((int64_t)threads), (size_t)m->config.concurrency * threads, m->cpus.count);
    m->cpu_sets = mem_calloc(sets, sizeof *m->cpu_sets);
    m->cpu_counts = mem_calloc(sets, sizeof *m->cpu_counts);
    for (size_t i = 0; i < sets; i++) {
        m->cpu_sets[i] = &m->cpus.items[i * threads];
        m->cpu_counts[i] = (int)threads;
    }
    m->config.cpus = m->cpu_sets;
    m->config.cpu_counts = m->cpu_counts;
    m->config.cpu_sets = (int)sets;
    return true;
}

static bool is_there(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

/* A match without a journal, with a new one, or with one to go on with: that tells the seed when
 * the command line does not. */
static bool find_journal(LocalMatch *m, Error *err) {
    MatchOptions *given = &m->given;
    RecordHead head = {0};
    if (given->journal == NULL)
        return true;
    if (!is_there(given->journal)) {
        if (given->resume && m->step == NULL)
            log_info(&m->log, "journal %s: there is none yet: the match starts from its beginning",
                     given->journal);
        given->resume = false;
        return true;
    }
    if (!given->resume)
        return error_set(err, "--journal %s: exists; --resume goes on with it", given->journal);
    bool ok = pairlog_peek(given->journal, &head, err) || error_prefix(err, "--resume");
    if (ok && given->seed < 0)
        given->seed = head.seed;
    record_free_head(&head);
    return ok;
}

static bool load_book(LocalMatch *m, Error *err) {
    char *own = NULL;
    const char *path = m->given.book;
    if (path == NULL) {
        own = datadir_find(DEFAULT_BOOK, err);
        if (own == NULL)
            return error_prefix(err, "the default book (--book plays another)");
        path = own;
    }
    const char *slash = strrchr(path, '/');
    m->config.chess960 =
        m->given.chess960 || book_name_is_chess960(slash != NULL ? slash + 1 : path);
    bool loaded = book_load(&m->book, path, m->config.chess960, err);
    free(own);
    if (!loaded)
        return false;
    if ((uint64_t)m->given.start > m->book.count)
        return error_set(err,
                         "--start: %" PRId64 " is past the end of the book %s, which has %zu "
                         "openings",
                         m->given.start, m->book.path, m->book.count);
    uint32_t fresh = (uint32_t)time(NULL) ^ (uint32_t)getpid() << 16;
    m->seed = m->given.seed >= 0 ? m->given.seed : fresh;
    book_shuffle(&m->book, (uint64_t)m->seed);
    book_rotate(&m->book, (uint64_t)m->given.start);
    log_info(&m->log, "%zu openings%s, seed %" PRId64 "; %d game%s at a time", m->book.count,
             m->config.chess960 ? " of Chess960" : "", m->seed, m->config.concurrency,
             text_plural(m->config.concurrency));
    m->config.book = &m->book;
    return true;
}

/* The folder is not made before an engine fails. */
static void choose_transcripts(LocalMatch *m) {
    const char *given = m->given.transcripts;
    if (given != NULL && strcasecmp(given, "None") == 0)
        return;
    Error err = {0};
    char *state = given == NULL ? statedir_path(&err) : NULL;
    if (given == NULL && state == NULL) {
        log_info(&m->log, "no transcripts of engines that fail are kept: %s", err.text);
        return;
    }
    Text folder = {0};
    text_add(&folder, given != NULL ? given : state);
    text_add(&folder, given != NULL ? "" : "/transcripts");
    free(state);
    m->transcripts_folder = text_take(&folder);
    m->transcripts.folder = m->transcripts_folder;
    m->config.transcripts = &m->transcripts;
}

static bool prepare_files(LocalMatch *m, Error *err) {
    const MatchOptions *given = &m->given;
    if (!find_journal(m, err) || !load_book(m, err))
        return false;
    if (given->syzygy != NULL) {
        if (!syzygy_open(&m->syzygy, given->syzygy, (int)given->syzygy_men, err))
            return error_prefix(err, "--syzygy");
        m->syzygy_open = true;
        m->config.adjudication.syzygy = &m->syzygy;
    }
    choose_transcripts(m);
    /* A path that cannot be written must not be found out after hours of play. */
    if (given->pgn != NULL && !pgn_append(given->pgn, "", 0, err))
        return error_prefix(err, "--pgn");
    return true;
}

/* ---- The journal ---- */

static char *copy_of(const char *text) {
    return text != NULL ? mem_strdup(text) : NULL;
}

/* The settings of this match, for the journal's head. */
static bool describe_match(const LocalMatch *m, RecordHead *head, Error *err) {
    const MatchOptions *given = &m->given;
    *head = (RecordHead){.seed = m->seed,
                         .start = given->start,
                         .win_adj = copy_of(given->win_adj),
                         .draw_adj = copy_of(given->draw_adj),
                         .syzygy = copy_of(given->syzygy),
                         .syzygy_men = given->syzygy_men,
                         .sprt = m->sprt,
                         .rule = m->rule,
                         .games = given->games,
                         .pgn = given->pgn != NULL};
    for (int side = 0; side < SIDE_COUNT; side++)
        head->engines[side].spec = copy_of(given->spec[side]);
    return pairlog_describe(&m->config, head, err);
}

/* Enters what an interrupted match has left, and makes its PGN file whole. */
static bool take_up(LocalMatch *m, const RecordHead *head, Error *err) {
    PairLog *pairs = &m->pairs;
    if (!pgnfile_resume(&m->score.pgn, err) ||
        !pairlog_resume(pairs, m->given.journal, head, err) || !pgnfile_go_on(&m->score.pgn, err))
        return error_prefix(err, "--resume");
    if (m->failed)
        return error_set(err, "%s", m->error.text);
    m->score.earlier_ms = pairs->earlier_ms;
    m->config.played = pairs->played;
    m->config.played_count = pairs->played_count;
    log_info(&m->log, "journal %s: %zu pair%s of games had been played%s", m->given.journal,
             pairs->played_count, text_plural((int64_t)pairs->played_count),
             pairs->journal.torn > 0 ? "; a torn record was dropped" : "");
    return true;
}

static bool write_page(const LocalMatch *m, const Result *result, Error *err) {
    enum { PAGE_MODE = 0644 };
    Text page = {0};
    page_of_result(result, &page);
    bool ok = file_write_atomic(m->given.html, page.data, page.length, PAGE_MODE, err) ||
              error_prefix(err, "--html");
    text_free(&page);
    return ok;
}

/* The page of the match so far: of its journal, or of what was counted where it has none. */
static bool make_page(const LocalMatch *m, Error *err) {
    Result result = {0};
    if (m->given.html == NULL || m->step != NULL)
        return true;
    bool ok = true;
    if (m->given.journal != NULL)
        ok = result_of_journal(m->given.journal, &result, err);
    else
        result_builder_make(m->builder, "a match without a journal", &result);
    ok = ok && write_page(m, &result, err);
    result_free(&result);
    return ok;
}

/* Without a journal the page is made of what is taken in here. */
static bool begin_page(LocalMatch *m, Error *err) {
    if (m->given.html == NULL || m->step != NULL)
        return true;
    Record record = {.kind = RECORD_HEAD};
    m->builder = result_builder_new();
    bool ok = describe_match(m, &record.head, err) && result_builder_take(m->builder, &record, err);
    record_free(&record);
    record = (Record){.kind = RECORD_RUN};
    pairlog_describe_run(m->config.concurrency, &record.run);
    ok = ok && result_builder_take(m->builder, &record, err);
    record_free(&record);
    return ok && make_page(m, err); /* A path that cannot be written is found out now. */
}

static bool open_journal(LocalMatch *m, Error *err) {
    const MatchOptions *given = &m->given;
    RecordHead head = {0};
    if (given->journal == NULL)
        return true;
    bool ok = describe_match(m, &head, err) &&
              (given->resume ? take_up(m, &head, err)
                             : pairlog_create(&m->pairs, given->journal, &head, err));
    record_free_head(&head);
    return ok;
}

/* ---- Whether the machine is up to it ---- */

static bool is_timed(const LocalMatch *m) {
    return timecontrol_is_timed(&m->config.engines[SIDE_DEV].time_control) ||
           timecontrol_is_timed(&m->config.engines[SIDE_BASE].time_control);
}

/* With clocks, games that share cores measure each other. */
static void warn_of_crowding(LocalMatch *m) {
    size_t needed = (size_t)m->config.concurrency * threads_of_game(m);
    if (is_timed(m) && m->given.affinity == NULL && needed > m->cpus.count)
        log_warn(
            &m->log,
            "%d game%s at a time: %zu cores would be needed, of %zu: the engines will wait for "
            "each other while their clocks run",
            m->config.concurrency, text_plural(m->config.concurrency), needed, m->cpus.count);
}

/* Engines that do not fit are swapped out while their clocks run, or ended by the kernel. */
static void warn_of_memory(LocalMatch *m) {
    Text want = {0};
    int fit = match_fit_memory(&m->config, ram_available(), &want);
    if (want.length > 0)
        log_warn(&m->log, "%s: play %d with --concurrency, or give the engines a smaller Hash",
                 text_string(&want), fit);
    text_free(&want);
}

/* "engines waited …; … of the machine's time was taken by its host" */
static void add_shares(const LocalMatch *m, const MachineTime *now, Text *out) {
    double waited = contention_waited(&m->contention, now);
    double stolen = contention_stolen(&m->contention, now);
    if (waited >= 0)
        text_addf(out, "engines waited for a CPU %.1f %% of the time that they wanted to run",
                  waited * 100);
    if (stolen >= 0)
        text_addf(out, "%s%.1f %% of the machine's time was taken by its host",
                  waited >= 0 ? ", " : "", stolen * 100);
}

static void show_waiting(LocalMatch *m) {
    Text shares = {0};
    MachineTime now = machine_time();
    double waited = contention_waited(&m->contention, &now);
    if (is_timed(m) && waited >= 0) {
        add_shares(m, &now, &shares);
        log_info(&m->log, "%s%s", text_string(&shares),
                 waited > CONTENTION_SHARE ? ": too much for games with clocks" : "");
    }
    text_free(&shares);
}

/* ---- Playing ---- */

/* The match cannot go on; the first cause is told. */
static void give_up(LocalMatch *m, const char *what, const Error *err) {
    if (!m->failed)
        error_set(&m->error, "%s%s", what, err->text);
    m->failed = true;
    if (m->match != NULL)
        match_stop(m->match, MATCH_NOW);
}

static void on_pair(const MatchPair *pair, void *user) {
    LocalMatch *m = user;
    pairlog_add(&m->pairs, pair);
}

/* Says it once when the engines are kept waiting for long. */
static void on_game(int64_t pair, int game, const MatchGame *result, void *user) {
    (void)pair;
    (void)game;
    LocalMatch *m = user;
    if (!is_timed(m))
        return;
    MachineTime now = machine_time();
    if (!contention_add(&m->contention, &result->cpu, &now))
        return;
    Text shares = {0};
    add_shares(m, &now, &shares);
    log_warn(&m->log,
             "this machine is too busy for %d games with clocks at a time: %s; play fewer with "
             "--concurrency",
             m->config.concurrency, text_string(&shares));
    text_free(&shares);
}

static void on_counted(const RecordPair *pair, void *user) {
    LocalMatch *m = user;
    Verdict verdict = VERDICT_NONE;
    Error err = {0};
    if (!scorebook_enter(&m->score, pair, &verdict, &err))
        give_up(m, "--pgn: ", &err);
    if (m->builder != NULL)
        result_builder_take(m->builder, &(Record){.kind = RECORD_PAIR, .pair = *pair}, NULL);
    if (m->playing)
        scorebook_show(&m->score);
    if (verdict != VERDICT_NONE && m->match != NULL)
        match_stop(m->match, MATCH_NOW);
}

static void on_lost(const Error *err, void *user) {
    give_up(user, "--", err);
}

static void on_crowded(bool crowded, void *user) {
    LocalMatch *m = user;
    if (m->match != NULL)
        match_hold(m->match, crowded);
}

static const PairLogEvents PAIR_EVENTS = {
    .counted = on_counted, .crowded = on_crowded, .failed = on_lost};

static void on_redraw(uv_timer_t *timer) {
    scorebook_show(timer->data);
}

/* Ctrl-Z: the shell finds the terminal as if nothing had been there. */
static void on_suspended(uv_signal_t *handle, int number) {
    (void)number;
    log_progress_clear(handle->data);
    raise(SIGSTOP);
}

static void start_view(LocalMatch *m) {
    enum { REDRAW_MS = 500 };
    uv_timer_init(&m->loop, &m->redraw);
    uv_signal_init(&m->loop, &m->suspended);
    m->redraw.data = &m->score;
    m->suspended.data = &m->log;
    if (m->log.terminal) {
        uv_timer_start(&m->redraw, on_redraw, 0, REDRAW_MS);
        uv_signal_start(&m->suspended, on_suspended, SIGTSTP);
    }
}

static void stop_listening(LocalMatch *m) {
    for (int i = 0; i < 2; i++)
        uv_close((uv_handle_t *)&m->signals[i], NULL);
    uv_close((uv_handle_t *)&m->redraw, NULL);
    uv_close((uv_handle_t *)&m->suspended, NULL);
}

static void on_end(MatchEnd end, const Error *err, void *user) {
    LocalMatch *m = user;
    if (end == MATCH_END_FAILED) {
        const char *hint = " (in the sandbox; --sandbox off lets it do all that you may)";
        bool shut_in = m->sandbox.on && !match_option_refused(m->match);
        Error cause;
        error_set(&cause, "%s%s", err->text, shut_in ? hint : "");
        give_up(m, "", &cause);
    }
    match_free(m->match);
    m->match = NULL;
    stop_listening(m);
}

static void on_signal(uv_signal_t *handle, int number) {
    (void)number;
    LocalMatch *m = handle->data;
    if (m->match == NULL)
        return;
    if (m->interrupts++ == 0) {
        log_info(&m->log, "finishing the games in play; once more stops them");
        match_stop(m->match, MATCH_FINISH_GAMES);
    } else
        match_stop(m->match, MATCH_NOW);
}

static bool play(LocalMatch *m, Error *err) {
    static const MatchCallbacks CALLBACKS = {
        .on_pair = on_pair, .on_game = on_game, .on_end = on_end};
    static const int SIGNALS[2] = {SIGINT, SIGTERM};
    if (!pairlog_start(&m->pairs, m->config.concurrency, err))
        return error_prefix(err, "--journal");
    warn_of_crowding(m);
    warn_of_memory(m);
    MachineTime now = machine_time();
    contention_start(&m->contention, &now);
    m->playing = true;
    m->match = match_start(&m->loop, &m->config, &CALLBACKS, m, err);
    if (m->match == NULL)
        return false;
    for (int i = 0; i < 2; i++) {
        uv_signal_init(&m->loop, &m->signals[i]);
        m->signals[i].data = m;
        uv_signal_start(&m->signals[i], on_signal, SIGNALS[i]);
    }
    start_view(m);
    uv_run(&m->loop, UV_RUN_DEFAULT);
    log_progress_clear(&m->log);
    return true;
}

/* Is nothing left to play? */
static bool is_over(const LocalMatch *m) {
    int64_t pairs = m->given.games / 2;
    return m->score.sequence.verdict != VERDICT_NONE ||
           (pairs > 0 && penta_pairs(&m->score.sequence.total.penta) >= pairs);
}

/* Has an earlier run left nothing to play, or does the step want no more? */
static bool is_decided(const LocalMatch *m) {
    return is_over(m) || (m->step != NULL && m->step->pairs == 0) ||
           (m->config.pairs > 0 && m->config.played_count >= (size_t)m->config.pairs);
}

static bool play_out(LocalMatch *m, Error *err) {
    if (!is_decided(m) && !play(m, err))
        return false;
    if (!scorebook_close(&m->score, err) && !m->failed)
        return error_prefix(err, "--pgn");
    if (m->failed)
        return error_set(err, "%s", m->error.text);
    return true;
}

/* ---- The report ---- */

static void add_setup(const LocalMatch *m, Text *out) {
    char tc[SIDE_COUNT][TIMECONTROL_TEXT_MAX];
    for (int side = 0; side < SIDE_COUNT; side++)
        timecontrol_format(&m->config.engines[side].time_control, tc[side]);
    report_setup(out, tc[SIDE_DEV], tc[SIDE_BASE], uci_value(&m->uci[SIDE_DEV], "Threads"),
                 uci_value(&m->uci[SIDE_BASE], "Threads"), uci_value(&m->uci[SIDE_DEV], "Hash"),
                 uci_value(&m->uci[SIDE_BASE], "Hash"));
}

/* setup: the memory of its line. */
static Report make_report(const LocalMatch *m, Text *setup) {
    add_setup(m, setup);
    MachineTime now = machine_time();
    return (Report){.sprt = m->sprt,
                    .rule = m->rule,
                    .waits_known = is_timed(m),
                    .cpu_waited = contention_waited(&m->contention, &now),
                    .cpu_stolen = contention_stolen(&m->contention, &now),
                    .setup = text_string(setup),
                    .tally = m->score.sequence.total,
                    .games_known = true,
                    .seconds = scorebook_seconds(&m->score)};
}

static void print_report(const LocalMatch *m) {
    Text setup = {0};
    Text out = {0};
    Report report = make_report(m, &setup);
    if (m->given.json)
        report_json(&report, &out);
    else
        report_block(&report, &out);
    fputs(text_string(&out), stdout);
    text_free(&setup);
    text_free(&out);
}

static void tell_step(const LocalMatch *m) {
    MatchStep *step = m->step;
    step->over = is_over(m);
    step->interrupted = m->interrupts > 0;
    step->llr = m->score.sequence.llr;
    step->report = make_report(m, &step->setup);
}

/* How many descriptors this process has open. */
static int open_descriptors(void) {
    DIR *list = opendir("/proc/self/fd");
    int count = -1; /* The list's own. */
    while (list != NULL && readdir(list) != NULL)
        count++;
    if (list != NULL)
        closedir(list);
    return count - 2; /* "." and ".." */
}

/* What the worker itself has cost, engines not counted, and what it holds now that all is over. */
static void show_own_cost(LocalMatch *m) {
    struct rusage usage;
    if (m->score.plies == 0 || getrusage(RUSAGE_SELF, &usage) != 0)
        return;
    double us = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
                (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    double seconds = scorebook_seconds(&m->score);
    log_debug(&m->log,
              "own CPU time: %.1f us a ply (%.2f s for %" PRId64 " plies), %.1f games/s, "
              "%.1f MB",
              us / (double)m->score.plies, us / 1e6, m->score.plies,
              seconds > 0 ? (double)m->score.games / seconds : 0.0,
              (double)usage.ru_maxrss / 1024.0);
    siginfo_t child;
    bool childless = waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD;
    log_debug(&m->log, "at the end: %d descriptors, %s children", open_descriptors(),
              childless ? "0" : "some");
}

static void free_local_match(LocalMatch *m) {
    for (int side = 0; side < SIDE_COUNT; side++) {
        words_free(&m->argv[side]);
        free_uci_options(&m->uci[side]);
        sandbox_policy_free(&m->policies[side]);
    }
    sandbox_free(&m->sandbox);
    pairlog_free(&m->pairs);
    scorebook_free(&m->score);
    book_free(&m->book);
    if (m->syzygy_open)
        syzygy_close(&m->syzygy);
    free(m->transcripts_folder);
    result_builder_free(m->builder);
    cpulist_free(&m->cpus);
    free(m->cpu_sets);
    free(m->cpu_counts);
    log_free(&m->log);
}

static int fail(LocalMatch *m, const Error *err) {
    log_error(&m->log, "%s", err->text);
    return EXIT_FAILED;
}

/* The end of what is played at once. */
static bool show_end(LocalMatch *m) {
    scorebook_show_endings(&m->score);
    show_waiting(m);
    show_own_cost(m);
    if (m->interrupts > 0 && m->given.journal != NULL)
        log_info(&m->log, "journal %s: the same command with --resume goes on from here",
                 m->given.journal);
    print_report(m);
    Error err = {0};
    if (!make_page(m, &err)) {
        log_error(&m->log, "%s", err.text);
        return false;
    }
    return true;
}

static int exit_status(const LocalMatch *m) {
    Verdict verdict = m->score.sequence.verdict;
    if (!m->given.exit_verdict)
        return EXIT_DONE;
    return verdict == VERDICT_H1 ? EXIT_H1 : verdict == VERDICT_H0 ? EXIT_H0 : EXIT_UNDECIDED;
}

/* Plays and reports; the configuration is sound. */
static int run(LocalMatch *m) {
    Error err = {0};
    uv_loop_init(&m->loop);
    bool played = play_out(m, &err);
    uv_loop_close(&m->loop);
    if (!played && m->score.games == 0)
        return fail(m, &err);
    bool told = true;
    if (m->step != NULL)
        tell_step(m);
    else
        told = show_end(m);
    if (!played)
        return fail(m, &err);
    return told ? exit_status(m) : EXIT_FAILED;
}

/* How far a step goes: so many pairs past those that were played, and not past the last. */
static void limit_step(LocalMatch *m) {
    int64_t all = m->config.pairs;
    int64_t limit = (int64_t)m->config.played_count + m->step->pairs;
    if (m->config.played_count > 0 && limit <= m->config.played[m->config.played_count - 1])
        limit = m->config.played[m->config.played_count - 1] + 1;
    m->config.pairs = all > 0 && all < limit ? all : limit;
}

static bool open_match(LocalMatch *m, Error *err) {
    warn_of_twins(m);
    scorebook_init(&m->score, m->sprt ? &m->rule : NULL, m->given.pgn, &m->log);
    m->score.games_wanted = m->given.games;
    m->pairs = (PairLog){.loop = &m->loop,
                         .events = &PAIR_EVENTS,
                         .user = m,
                         .config = &m->config,
                         .pgn = m->given.pgn != NULL};
    if (!open_journal(m, err) || !begin_page(m, err))
        return false;
    if (m->step != NULL)
        limit_step(m);
    return true;
}

/* From values that are sound to a match that can be played. Says nothing when it was said before.
 */
static bool prepare_match(LocalMatch *m, Error *err) {
    Log log = m->log;
    bool building = m->step != NULL && m->step->build_only;
    bool silent = m->step != NULL && m->step->again;
    if (silent)
        m->log = (Log){0};
    bool ok = (building || prepare_files(m, err)) && prepare_engines(m, err) &&
              (building || open_match(m, err));
    if (silent)
        m->log = log;
    return ok;
}

static void configure(LocalMatch *m) {
    m->config.margin_ms = m->given.margin;
    m->config.pairs = m->given.games / 2;
    m->config.event = m->given.event;
    m->config.site = m->given.site;
    m->config.hashfull = m->given.hashfull;
    m->config.log = &m->log;
}

bool match_has_sprt(const MatchOptions *given) {
    return given->games == 0 || given->rule.bounds != NULL;
}

bool match_check(const MatchOptions *given, Error *err) {
    LocalMatch m = {.given = *given};
    bool ok = read_rules(&m, err) && share_cpus(&m, err);
    free_local_match(&m);
    return ok;
}

int match_play(const MatchOptions *given, MatchStep *step) {
    int status;
    Error err = {0};
    LocalMatch m = {.given = *given, .step = step};
    log_init(&m.log, stderr, options_log_level(&m.given.common));
    configure(&m);
    if (!read_rules(&m, &err) || !share_cpus(&m, &err))
        status = options_usage_error(&match_option_table, &err);
    else if (!prepare_match(&m, &err))
        status = fail(&m, &err);
    else
        status = step != NULL && step->build_only ? EXIT_DONE : run(&m);
    free_local_match(&m);
    return status;
}

const MatchOptions match_defaults = {.tc = DEFAULT_TC,
                                     .win_adj = DEFAULT_WIN_ADJ,
                                     .draw_adj = DEFAULT_DRAW_ADJ,
                                     .build_path = DEFAULT_BUILD_PATH,
                                     .sandbox = "auto",
                                     .order = "evidence",
                                     .slice = SUITE_SLICE_PAIRS,
                                     .seed = -1,
                                     .start = 1,
                                     .margin = MATCH_MARGIN_MS};

int cmd_match_main(int argc, char **argv) {
    int status;
    MatchOptions given = match_defaults;
    if (!options_run(&match_option_table, argc, argv, &given, &status))
        return status;
    status = given.suite != NULL ? suite_main(argc, argv, &given) : match_play(&given, NULL);
    options_free(&match_option_table, &given);
    return status;
}
