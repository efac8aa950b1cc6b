/* SPDX-License-Identifier: MIT */
#include "local/localrun.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/appendfile.h"
#include "base/file.h"
#include "base/memory.h"
#include "local/spec.h"
#include "match/pgn.h"
#include "report/output.h"
#include "results/scorelist.h"

void localrun_init(LocalRun *run, Venue *venue, const LocalSettings *given, const char *label) {
    *run = (LocalRun){.venue = venue, .given = *given, .label = label, .config = venue->config};
    int64_t pairs = given->games / 2 - penta_pairs(&given->earlier.penta);
    run->config.pairs = pairs > 0 ? pairs : 0;
    /* The venue's book begins at its own start. */
    run->config.first_opening = given->start - venue->given->start;
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++)
        run->config.engines[side].name =
            given->name[side] != NULL ? given->name[side] : side_name(side);
    scorebook_init(&run->score, given->sprt ? &given->rule : NULL, given->pgn, venue->log);
    sequence_begin_with(&run->score.sequence, &given->earlier);
    run->score.games_wanted = given->games;
    run->score.positions.path = given->positions;
    run->score.chess960 = run->config.chess960;
}

/* ---- Engines ---- */

static bool is_tuning(const LocalRun *run) {
    return run->given.tune != NULL;
}

/* The option, without dashes, that names the side's engine. */
static const char *option_of(const LocalRun *run, Side side) {
    return is_tuning(run) ? "engine" : side_name(side);
}

/* Puts the option of the faulty engine before the error. */
static bool blame(const LocalRun *run, Side side, Error *err) {
    const char *spec = run->given.spec[side];
    return spec_is_source(spec) ? error_prefix(err, "--%s %s", option_of(run, side), spec)
                                : error_prefix(err, "--%s", option_of(run, side));
}

static bool check_folder(const LocalRun *run, Side side, Error *err) {
    struct stat info;
    const char *path = run->given.side_dir[side];
    if (path == NULL || (stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
        return true;
    return error_set(err, "--%s-dir: %s: there is no such folder", side_name(side), path);
}

bool localrun_check(LocalRun *run, Error *err) {
    BuildOptions how = {.build_path = run->given.build_path};
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++)
        if (!check_folder(run, side, err))
            return false;
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++)
        if (!spec_check(run->given.spec[side], &how, &run->argv[side], err) ||
            !spec_commit(run->given.spec[side], &run->commits[side], err))
            return blame(run, side, err);
    return true;
}

/* A branch may have moved, or a file have changed, while its engine was built. The built sources
 * are unknown then. */
static bool check_still(const LocalRun *run, Side side, Error *err) {
    static const char NO_COMMIT[] = "no commit";
    const SpecCommit *before = &run->commits[side];
    SpecCommit now;
    bool ok = spec_commit(run->given.spec[side], &now, err);
    if (ok && !text_same(before->commit, now.commit))
        ok = error_set(err, "was %.12s and is %.12s now: it moved during the build; start again",
                       before->commit != NULL ? before->commit : NO_COMMIT,
                       now.commit != NULL ? now.commit : NO_COMMIT);
    if (ok && !text_same(before->changes, now.changes))
        ok =
            error_set(err, "files of %s changed during the build; start again", before->repository);
    spec_commit_free(&now);
    return ok;
}

static bool build_engine(LocalRun *run, Side side, Error *err) {
    const char *spec = run->given.spec[side];
    if (!spec_is_source(spec))
        return true;
    if (is_tuning(run) && side == SIDE_BASE) {
        words_add(&run->argv[side], run->argv[SIDE_DEV].items[0]);
        return true;
    }
    BuildOptions how = {.build_path = run->given.build_path,
                        .tune = is_tuning(run),
                        .log = run->venue->log,
                        .label = run->label == NULL ? option_of(run, side) : NULL};
    return (spec_build(spec, &how, &run->argv[side], err) && check_still(run, side, err)) ||
           blame(run, side, err);
}

bool localrun_tell_sources(const LocalRun *run) {
    enum { HASH_SHOWN = 7 };
    bool variant = text_starts_with(run->given.spec[SIDE_DEV], "lmr:");
    const SpecCommit *from = &run->commits[variant ? SIDE_DEV : SIDE_BASE];
    if (!variant && !text_starts_with(run->given.spec[SIDE_BASE], "lmr:"))
        return false;
    if (from->commit == NULL)
        log_info(run->venue->log, "lmr: is built from %s", from->repository);
    else
        log_info(run->venue->log, "lmr: is built from %s: %.*s \"%s\"%s", from->repository,
                 HASH_SHOWN, from->commit, from->subject,
                 from->changes != NULL ? " + changes" : "");
    return true;
}

bool localrun_build(LocalRun *run, Error *err) {
    if (localrun_is_over(run)) /* by earlier games */
        return true;
    if (run->label == NULL)
        localrun_tell_sources(run);
    else
        log_info(run->venue->log, "%s: preparing %s", run->label, run->given.spec[SIDE_DEV]);
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++) {
        MatchEngine *engine = &run->config.engines[side];
        if (!build_engine(run, side, err))
            return false;
        words_terminate(&run->argv[side]);
        engine->argv = (const char *const *)run->argv[side].items;
        engine_confine(engine, &run->venue->sandbox, &run->policies[side]);
    }
    return true;
}

static bool same_settings(const LocalRun *run) {
    const Words *dev = &run->argv[SIDE_DEV];
    const Words *base = &run->argv[SIDE_BASE];
    char tc[SIDE_COUNT][TIMECONTROL_TEXT_MAX];
    for (int side = 0; side < SIDE_COUNT; side++)
        timecontrol_format(&run->config.engines[side].time_control, tc[side]);
    bool same = dev->count == base->count && strcmp(tc[SIDE_DEV], tc[SIDE_BASE]) == 0;
    for (size_t i = 1; same && i < dev->count; i++)
        same = strcmp(dev->items[i], base->items[i]) == 0;
    return same && ucioptions_equal(&run->venue->uci[SIDE_DEV], &run->venue->uci[SIDE_BASE]);
}

/* Equal sides are most likely a mistake, and the match would be long. */
static void warn_of_twins(const LocalRun *run, const RecordHead *head) {
    const RecordEngine *dev = &head->engines[SIDE_DEV];
    const RecordEngine *base = &head->engines[SIDE_BASE];
    if (!is_tuning(run) && strcmp(dev->sha256, base->sha256) == 0 && dev->margin == base->margin &&
        text_same(dev->dir, base->dir) && same_settings(run))
        log_warn(run->venue->log,
                 "%s%sdev and base are the same program with the same settings: nothing but chance "
                 "can tell them apart",
                 run->label != NULL ? run->label : "", run->label != NULL ? ": " : "");
}

/* ---- Opening: the journal and the page ---- */

/* The options that repeat the match, of which the last of a name counts: the commits' full names,
 * since a branch may move, and the seed, since a seed may be random. */
static void describe_options(const LocalRun *run, Words *out) {
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++) {
        bool commit = text_starts_with(run->given.spec[side], "git:");
        words_addf(out, "--%s=%s%s", side_name(side), commit ? "git:" : "",
                   commit ? run->commits[side].commit : run->given.spec[side]);
    }
    for (size_t i = 0; i < run->given.asked->count; i++)
        words_add(out, run->given.asked->items[i]);
    if (penta_pairs(&run->given.earlier.penta) > 0) { /* The others played the openings before. */
        words_addf(out, "--start=%" PRId64, run->given.start);
        if (run->config.pairs > 0)
            words_addf(out, "--games=%" PRId64, 2 * run->config.pairs);
    }
    words_addf(out, "--seed=%" PRId64, run->venue->seed);
}

/* Fills the journal's head with the settings of this match. */
static bool describe(const LocalRun *run, RecordHead *head, Error *err) {
    const LocalSettings *given = &run->given;
    *head = (RecordHead){.seed = run->venue->seed,
                         .start = given->start,
                         .sequential = venue_is_sequential(run->venue),
                         .plies = given->plies,
                         .win_adj = mem_strdup(given->win_adj),
                         .draw_adj = mem_strdup(given->draw_adj),
                         .moves_max = given->moves_max,
                         .syzygy = mem_strdup(given->syzygy),
                         .syzygy_men = given->syzygy_men,
                         .sprt = given->sprt,
                         .rule = given->rule,
                         .games = given->games,
                         .restart = given->restart,
                         .positions = given->positions != NULL,
                         .pgn = given->pgn != NULL,
                         .pgn_pv = given->pv,
                         .pgn_hashfull = given->hashfull,
                         .pgn_notation = mem_strdup(given->pgn_notation)};
    for (int side = 0; side < SIDE_COUNT; side++) {
        const SpecCommit *from = &run->commits[side];
        RecordEngine *engine = &head->engines[side];
        engine->spec = mem_strdup(given->spec[side]);
        engine->repository = mem_strdup(from->repository);
        engine->commit = mem_strdup(from->commit);
        engine->subject = mem_strdup(from->subject);
        engine->changes = mem_strdup(from->changes);
        engine->web = mem_strdup(from->web);
    }
    scorelist_write(&given->earlier, &head->earlier);
    if (given->asked != NULL)
        describe_options(run, &head->asked);
    if (is_tuning(run))
        tunerun_describe(given->tune, &head->tuning);
    return pairlog_describe(&run->config, head, err);
}

/* Describes this run for the journal. Call record_free_run afterwards. */
static void describe_run(const LocalRun *run, RecordRun *out) {
    pairlog_describe_run(run->config.concurrency, out);
    out->games = run->given.games;
    if (run->given.asked != NULL)
        describe_options(run, &out->asked);
}

/* Enters the pairs of an interrupted match, and makes its files of games and positions whole. */
static bool take_up(LocalRun *run, const RecordHead *head, Error *err) {
    PairLog *pairs = &run->pairs;
    if (!scorebook_resume(&run->score, err) ||
        !pairlog_resume(pairs, run->given.journal, head, err) || !scorebook_go_on(&run->score, err))
        return error_prefix(err, "--resume");
    if (run->failed)
        return error_set(err, "%s", run->error.text);
    run->score.earlier_ms = pairs->earlier_ms;
    run->earlier_plies = run->score.plies;
    log_info(run->venue->log, "journal %s: %zu pair%s of games had been played%s",
             run->given.journal, pairs->played_count, text_plural((int64_t)pairs->played_count),
             pairs->journal.torn > 0 ? "; a torn record was dropped" : "");
    return true;
}

static bool open_journal(LocalRun *run, const RecordHead *head, Error *err) {
    const char *path = run->given.journal;
    if (path == NULL)
        return true;
    return pairlog_exists(path) ? take_up(run, head, err)
                                : pairlog_create(&run->pairs, path, head, err);
}

/* Without a journal the page is made from records that are collected from here on. Takes the head
 * away. */
static bool begin_records(LocalRun *run, RecordHead *head, Error *err) {
    Record record = {.kind = RECORD_HEAD, .head = *head};
    *head = (RecordHead){0};
    run->builder = result_builder_new();
    bool ok = result_builder_take(run->builder, &record, err);
    record_free(&record);
    record = (Record){.kind = RECORD_RUN};
    describe_run(run, &record.run);
    ok = ok && result_builder_take(run->builder, &record, err);
    record_free(&record);
    return ok;
}

/* Writing an empty page now shows a wrong path before hours of play. */
static bool begin_page(LocalRun *run, RecordHead *head, Error *err) {
    if (run->given.html == NULL && !is_tuning(run))
        return true;
    return (run->given.journal != NULL || begin_records(run, head, err)) &&
           localrun_write_page(run, err);
}

/* Begins before the journal is read, because the journal's pairs move the parameters. */
static bool begin_tuning(LocalRun *run, const RecordHead *head, Error *err) {
    return !is_tuning(run) || tunerun_init(&run->tune, head, err);
}

/* Logs the commit that each engine was built from, and their pages where the repository is on the
 * web. */
static void tell_commits(const LocalRun *run, const RecordHead *head) {
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++) {
        const RecordEngine *engine = &head->engines[side];
        if (engine->commit == NULL)
            continue;
        char *page = record_commit_page(engine);
        log_info(run->venue->log, "%s: commit %s \"%s\"%s of %s%s%s", side_name(side),
                 engine->commit, engine->subject, engine->changes != NULL ? " + changes" : "",
                 engine->repository, page != NULL ? ": " : "", page != NULL ? page : "");
        free(page);
    }
    char *difference = record_difference(head);
    if (difference != NULL)
        log_info(run->venue->log, "the changes from base to dev: %s", difference);
    free(difference);
}

/* Prepares the texts for reports, and logs the commits. */
static void begin_report(LocalRun *run, const RecordHead *head) {
    if (run->label == NULL)
        tell_commits(run, head);
    record_write_settings(head, &run->described);
}

static void on_counted(const PairResult *pair, void *user);
static int pair_options(int64_t pair, Side side, const MatchOption **options, void *user) {
    LocalRun *run = user;
    return is_tuning(run) ? tunerun_options(&run->tune, pair, side, options) : 0;
}

static void on_lost(const Error *err, void *user);
static void on_crowded(bool crowded, void *user);

static PgnNotation notation_of(const char *name) {
    return strcmp(name, "lan") == 0 ? PGN_LAN : strcmp(name, "uci") == 0 ? PGN_UCI : PGN_SAN;
}

/* Can the files be written? Positions of two matches may be equal to the byte, so only the match
 * that began the file may go on with it. */
static bool check_files(const LocalRun *run, Error *err) {
    const LocalSettings *given = &run->given;
    struct stat info;
    bool begun = given->journal != NULL && pairlog_exists(given->journal);
    if (given->pgn != NULL && !appendfile_add(given->pgn, "", 0, err))
        return error_prefix(err, "--pgn");
    if (given->positions == NULL)
        return true;
    if (!begun && stat(given->positions, &info) == 0 && info.st_size > 0)
        return error_set(err, "--positions %s: exists; each match writes a new file",
                         given->positions);
    return appendfile_add(given->positions, "", 0, err) || error_prefix(err, "--positions");
}

bool localrun_open(LocalRun *run, Error *err) {
    static const PairLogEvents EVENTS = {
        .counted = on_counted, .crowded = on_crowded, .failed = on_lost};
    RecordHead head = {0};
    if (localrun_is_over(run)) /* by earlier games */
        return true;
    if (!check_files(run, err))
        return false;
    pairlog_init(&run->pairs, &run->venue->loop, &EVENTS, run);
    run->config.keeps_moves =
        run->given.journal != NULL || run->given.html != NULL || run->given.positions != NULL;
    run->config.pgn = (MatchPgn){.kept = run->given.pgn != NULL,
                                 .style = PGN_FULL,
                                 .notation = notation_of(run->given.pgn_notation),
                                 .hashfull = run->given.hashfull,
                                 .pv = run->given.pv};
    bool ok = engine_note_program(&run->config.engines[SIDE_DEV], err) &&
              engine_note_program(&run->config.engines[SIDE_BASE], err) &&
              describe(run, &head, err);
    if (ok) {
        warn_of_twins(run, &head);
        begin_report(run, &head);
    }
    ok = ok && begin_tuning(run, &head, err) && open_journal(run, &head, err) &&
         begin_page(run, &head, err);
    record_free_head(&head);
    return ok;
}

bool localrun_start(LocalRun *run, Venue *venue, Error *err) {
    const LocalSettings *given = venue->given;
    int64_t seed = given->seed;
    if (given->journal != NULL && !pairlog_find(given->journal, given->resume, &seed, err))
        return false;
    if (given->journal != NULL && given->resume && !pairlog_exists(given->journal))
        log_info(venue->log, "journal %s: there is none yet: this starts from the beginning",
                 given->journal);
    if (!venue_open(venue, seed, err))
        return false;
    localrun_init(run, venue, given, NULL);
    if (!localrun_check(run, err))
        return false;
    venue_announce(venue);
    return localrun_build(run, err) && localrun_open(run, err);
}

bool localrun_result(const LocalRun *run, Result *result, Error *err) {
    if (run->given.journal != NULL)
        return result_of_journal(run->given.journal, result, err);
    result_builder_make(run->builder,
                        is_tuning(run) ? "a tuning without a journal" : "a match without a journal",
                        result);
    return true;
}

bool localrun_write_page(const LocalRun *run, Error *err) {
    Result result = {0};
    if (run->given.html == NULL)
        return true;
    bool ok =
        localrun_result(run, &result, err) && output_result_page(&result, run->given.html, err);
    result_free(&result);
    return ok;
}

/* ---- Load of the machine ---- */

static void tell_waiting(const LocalRun *run) {
    Text shares = {0};
    double waited = contention_waited(&run->contention, &run->left);
    if (venue_is_timed(run->venue) && waited >= 0) {
        contention_describe(&run->contention, &run->left, &shares);
        log_info(run->venue->log, "%s%s", text_string(&shares),
                 waited > CONTENTION_SHARE ? ": too much for games with clocks" : "");
    }
    text_free(&shares);
}

/* ---- Playing ---- */

/* Stops a match that cannot go on; only the first reason is told. */
static void give_up(LocalRun *run, const char *what, const Error *err) {
    if (!run->failed)
        error_set(&run->error, "%s%s", what, err->text);
    run->failed = true;
    if (run->match != NULL)
        match_stop(run->match, MATCH_NOW);
}

/* Warns once when pair `pair` begins with an opening that was played before. A tuning's pairs have
 * other values each time. */
static void warn_of_repeats(LocalRun *run, int64_t pair) {
    size_t openings = run->config.book->count;
    if (is_tuning(run) || run->repeats_told ||
        (uint64_t)(run->config.first_opening + pair) < openings)
        return;
    run->repeats_told = true;
    log_warn(
        run->venue->log,
        "%s%sthe book has %zu opening%s, and more pairs are played. With fixed nodes the games "
        "of an opening are the same each time, and with clocks they are alike. The report "
        "counts them as new evidence",
        run->label != NULL ? run->label : "", run->label != NULL ? ": " : "", openings,
        text_plural((int64_t)openings));
}

static void on_pair(PairResult *pair, void *user) {
    LocalRun *run = user;
    warn_of_repeats(run, pair->index);
    pairlog_add(&run->pairs, pair);
}

/* Warns once when the engines wait too long for their CPUs. */
static void on_game(const FinishedGame *game, void *user) {
    LocalRun *run = user;
    if (!venue_is_timed(run->venue))
        return;
    MachineTime now = machine_time();
    if (!contention_add(&run->contention, &game->cpu, &now))
        return;
    Text shares = {0};
    contention_describe(&run->contention, &now, &shares);
    int games = run->config.concurrency;
    log_warn(run->venue->log,
             "this machine is too busy for %d game%s with clocks at a time: %s; %s", games,
             text_plural(games), text_string(&shares),
             games > 1 ? "play fewer with --concurrency" : "end other programs that need its CPUs");
    text_free(&shares);
}

/* Shows the score, or a tuning's parameters. */
static void show(LocalRun *run) {
    if (is_tuning(run))
        tunerun_show(&run->tune, scorebook_seconds(&run->score), run->venue->log);
    else
        scorebook_show(&run->score);
}

/* Moves the parameters, and lets waiting pairs of the next iterations begin. */
static void move_parameters(LocalRun *run, const PairResult *pair) {
    Error err = {0};
    if (!tunerun_take(&run->tune, pair, &err))
        give_up(run, "--journal: ", &err);
    else if (run->match != NULL)
        match_limit(run->match, tuning_open_pairs(&run->tune.tuning));
}

/* A pair of this run or of an earlier run is in the journal, and counts. */
static void on_counted(const PairResult *pair, void *user) {
    LocalRun *run = user;
    Verdict verdict = VERDICT_NONE;
    Error err = {0};
    if (!scorebook_enter(&run->score, pair, &verdict, &err))
        give_up(run, "", &err);
    if (is_tuning(run))
        move_parameters(run, pair);
    if (run->builder != NULL)
        result_builder_take(run->builder, &(Record){.kind = RECORD_PAIR, .pair = *pair}, NULL);
    if (run->playing)
        show(run);
    if (verdict != VERDICT_NONE && run->match != NULL)
        match_stop(run->match, MATCH_NOW);
}

static void on_lost(const Error *err, void *user) {
    give_up(user, "--", err);
}

static void on_crowded(bool crowded, void *user) {
    LocalRun *run = user;
    if (run->match != NULL)
        match_hold(run->match, crowded);
}

/* Was the tuned engine built from a commit or tree of this project? Such a build has the rows of
 * the tables as UCI options only with TUNE=1. */
static bool is_untuned_build(const LocalRun *run) {
    const char *repository = run->commits[SIDE_DEV].repository;
    if (!is_tuning(run) || repository == NULL ||
        text_starts_with(run->given.spec[SIDE_DEV], "lmr:"))
        return false;
    char *table = text_format("%s/%s/lmr/flags.def", repository, run->given.build_path);
    bool own = file_exists(table);
    free(table);
    return own;
}

/* Tells the user how to get past the failure, for the end of the error. */
static const char *remedy(const LocalRun *run) {
    if (match_option_missing(run->match) && is_untuned_build(run))
        return "; a build with TUNE=1 has it: --engine lmr: makes one of the tree that this folder "
               "is in";
    Fault fault = match_fault(run->match);
    if (fault == FAULT_TIME_LOSS)
        return "; --margin allows later moves, and --concurrency fewer games at a time";
    if (run->venue->sandbox.on && fault != FAULT_ILLEGAL && !match_unstarted(run->match) &&
        !match_option_refused(run->match))
        return " (in the sandbox; --sandbox off lets it do all that you may)";
    return "";
}

static void on_end(const Error *err, void *user) {
    LocalRun *run = user;
    if (err != NULL) {
        Error cause;
        error_set(&cause, "%s%s", err->text, remedy(run));
        give_up(run, "", &cause);
    }
    match_free(run->match);
    run->match = NULL;
}

static void on_interrupt(int number, void *user) {
    LocalRun *run = user;
    if (run->match == NULL)
        return;
    if (number == 1)
        log_info(run->venue->log, "finishing the games that complete a pair; once more stops them");
    match_stop(run->match, number == 1 ? MATCH_FINISH_GAMES : MATCH_NOW);
}

static void on_frozen(uint64_t ns, void *user) {
    LocalRun *run = user;
    scorebook_excuse(&run->score, ns);
}

static void on_redraw(void *user) {
    show(user);
}

static void on_resumed(uint64_t ns, void *user) {
    LocalRun *run = user;
    scorebook_excuse(&run->score, ns);
    if (run->match != NULL)
        match_excuse(run->match, ns);
}

/* The index that a slice ends before: `pairs` more than are played, but past every played pair, and
 * at most the number of pairs of the match. */
static int64_t end_of_slice(const LocalRun *run, int64_t pairs) {
    const PairLog *log = &run->pairs;
    int64_t all = run->config.pairs;
    int64_t end = (int64_t)log->played_count + pairs;
    if (log->played_count > 0 && end <= log->played[log->played_count - 1])
        end = log->played[log->played_count - 1] + 1;
    return all > 0 && all < end ? all : end;
}

/* The number of played pairs below the limit; 0: no limit. An interrupted match may have played
 * pairs beyond a limit of now, and lack earlier ones. */
static size_t played_below(const PairLog *log, int64_t limit) {
    size_t count = log->played_count;
    while (limit > 0 && count > 0 && log->played[count - 1] >= limit)
        count--;
    return count;
}

static bool start(LocalRun *run, const MatchConfig *config, Error *err) {
    static const MatchCallbacks CALLBACKS = {.on_pair = on_pair,
                                             .on_game = on_game,
                                             .on_end = on_end,
                                             .on_frozen = on_frozen,
                                             .pair_options = pair_options};
    RecordRun begins = {0};
    describe_run(run, &begins);
    bool noted = pairlog_start(&run->pairs, &begins, err);
    record_free_run(&begins);
    if (!noted)
        return error_prefix(err, "--journal");
    MachineTime now = machine_time();
    if (run->left.at_ns == 0)
        contention_start(&run->contention, &now);
    else
        contention_skip(&run->contention, &run->left, &now);
    run->match = match_start(&run->venue->loop, config, &CALLBACKS, run, err);
    if (run->match != NULL && is_tuning(run))
        match_limit(run->match, tuning_open_pairs(&run->tune.tuning));
    return run->match != NULL;
}

bool localrun_play(LocalRun *run, int64_t pairs, Error *err) {
    static const VenueEvents EVENTS = {
        .interrupted = on_interrupt, .redraw = on_redraw, .resumed = on_resumed};
    const PairLog *log = &run->pairs;
    MatchConfig config = run->config;
    if (pairs > 0)
        config.pairs = end_of_slice(run, pairs);
    config.played_count = played_below(log, config.pairs);
    if (localrun_is_over(run) || (config.pairs > 0 && config.played_count == (size_t)config.pairs))
        return true;
    if (!venue_watch(run->venue, err))
        return false;
    /* The match reads a copy, because the log's list grows meanwhile. */
    int64_t *played = mem_alloc((config.played_count + 1) * sizeof *played);
    if (config.played_count > 0)
        memcpy(played, log->played, config.played_count * sizeof *played);
    config.played = played;
    if (run->config.pairs > 0 && !run->given.sprt) /* An SPRT may end before. */
        warn_of_repeats(run, run->config.pairs - 1);
    scorebook_start(&run->score);
    run->playing = true;
    bool ok = start(run, &config, err);
    if (ok)
        venue_run(run->venue, &EVENTS, run);
    run->playing = false;
    scorebook_stop(&run->score);
    run->left = machine_time();
    free(played);
    return ok && (!run->failed || error_set(err, "%s", run->error.text));
}

bool localrun_is_over(const LocalRun *run) {
    const Sequence *sequence = &run->score.sequence;
    return sequence->verdict != VERDICT_NONE ||
           (run->given.games > 0 && penta_pairs(&sequence->total.penta) >= run->given.games / 2);
}

bool localrun_finish(LocalRun *run, Error *err) {
    return scorebook_close(&run->score, err);
}

/* ---- Results ---- */

Report localrun_report(LocalRun *run) {
    const UciOptions *uci = run->venue->uci;
    const MatchEngine *engines = run->config.engines;
    char tc[SIDE_COUNT][TIMECONTROL_TEXT_MAX];
    for (int side = 0; side < SIDE_COUNT; side++)
        timecontrol_format(&engines[side].time_control, tc[side]);
    bool elsewhere = tally_games(&run->given.earlier) > 0; /* Their score alone is known. */
    text_clear(&run->setup);
    report_setup(
        &run->setup, tc[SIDE_DEV], tc[SIDE_BASE], ucioptions_value(&uci[SIDE_DEV], "Threads"),
        ucioptions_value(&uci[SIDE_BASE], "Threads"), ucioptions_value(&uci[SIDE_DEV], "Hash"),
        ucioptions_value(&uci[SIDE_BASE], "Hash"));
    return (Report){.sprt = run->given.sprt,
                    .rule = run->given.rule,
                    .waits_known = venue_is_timed(run->venue),
                    .cpu_waited = contention_waited(&run->contention, &run->left),
                    .cpu_stolen = contention_stolen(&run->contention, &run->left),
                    .setup = text_string(&run->setup),
                    .match = text_string(&run->described),
                    .tally = run->score.sequence.total,
                    .games_known = true,
                    .faults_unknown = elsewhere,
                    .details_unknown = elsewhere,
                    .seconds = scorebook_seconds(&run->score)};
}

/* The number of open descriptors of this process. */
static int open_descriptors(void) {
    DIR *list = opendir("/dev/fd");
    int count = -1; /* The descriptor of the listing itself. */
    while (list != NULL && readdir(list) != NULL)
        count++;
    if (list != NULL)
        closedir(list);
    return count - 2; /* "." and ".." */
}

/* Tells the CPU time and the memory of this program without the engines, and its open descriptors
 * after the match. */
static void tell_own_cost(const LocalRun *run) {
    const Scorebook *score = &run->score;
    uv_rusage_t usage;
    int64_t plies = score->plies - run->earlier_plies;
    if (plies == 0 || uv_getrusage(&usage) != 0)
        return;
    double us = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
                (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    double seconds = scorebook_seconds(score);
    log_debug(run->venue->log,
              "own CPU time: %.1f us a ply (%.2f s for %" PRId64 " plies), %.1f games/s, %.1f MB",
              us / (double)plies, us / 1e6, plies,
              seconds > 0 ? (double)score->games / seconds : 0.0, (double)usage.ru_maxrss / 1024.0);
    siginfo_t child;
    bool childless = waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD;
    log_debug(run->venue->log, "at the end: %d descriptors, %s children", open_descriptors(),
              childless ? "0" : "some");
}

/* --resume refuses another program. */
static bool may_resume(const LocalRun *run) {
    return engine_is_noted_program(&run->config.engines[SIDE_DEV]) &&
           engine_is_noted_program(&run->config.engines[SIDE_BASE]);
}

void localrun_tell(LocalRun *run) {
    scorebook_show_endings(&run->score);
    tell_waiting(run);
    tell_own_cost(run);
    if (run->given.journal != NULL && run->pairs.played_count > 0 && !localrun_is_over(run) &&
        may_resume(run))
        log_info(run->venue->log, "journal %s: the same command with --resume goes on from here",
                 run->given.journal);
}

void localrun_close(LocalRun *run) {
    for (int side = 0; side < SIDE_COUNT; side++) {
        words_free(&run->argv[side]);
        spec_commit_free(&run->commits[side]);
        sandbox_policy_free(&run->policies[side]);
    }
    pairlog_free(&run->pairs);
    scorebook_free(&run->score);
    tunerun_free(&run->tune);
    result_builder_free(run->builder);
    text_free(&run->setup);
    text_free(&run->described);
    *run = (LocalRun){0};
}
