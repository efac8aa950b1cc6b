/* SPDX-License-Identifier: MIT */
#include "local/scorebook.h"

#include "base/clock.h"
#include "base/text.h"
#include "match/pgn.h"
#include "match/positions.h"
#include "report/block.h"
#include "report/progress.h"

enum { PLAIN_EVERY_GAMES = 10 };

void scorebook_init(Scorebook *book, const SprtRule *rule, const char *pgn_path, Log *log) {
    *book = (Scorebook){.log = log, .pgn = {.path = pgn_path, .shared = true}};
    sequence_init(&book->sequence, rule);
}

void scorebook_free(Scorebook *book) {
    pairfile_free(&book->pgn);
    pairfile_free(&book->positions);
    sequence_free(&book->sequence);
}

/* ---- Pairs ---- */

static void count_ending(Scorebook *book, const GameResult *game) {
    book->games++;
    book->plies += game->plies;
    book->endings[game->ending]++;
}

static bool enter_positions(Scorebook *book, const PairResult *pair, Error *err) {
    Text texts[2] = {{0}, {0}};
    bool ok = true;
    if (book->positions.path == NULL)
        return true;
    for (int i = 0; ok && i < 2; i++)
        ok = positions_write(&pair->games[i], book->chess960, POSITIONS_ALL, &texts[i], err);
    const char *const written[2] = {text_string(&texts[0]), text_string(&texts[1])};
    ok = ok && pairfile_enter(&book->positions, pair->index, written, err);
    for (int i = 0; i < 2; i++)
        text_free(&texts[i]);
    return ok;
}

bool scorebook_enter(Scorebook *book, const PairResult *pair, Verdict *verdict, Error *err) {
    Tally tally = pair_tally(pair);
    const char *pgn[2] = {pair->games[0].pgn, pair->games[1].pgn};
    *verdict = sequence_add(&book->sequence, pair->index, &tally);
    for (int i = 0; i < 2; i++)
        count_ending(book, &pair->games[i]);
    return (pairfile_enter(&book->pgn, pair->index, pgn, err) || error_prefix(err, "--pgn")) &&
           (enter_positions(book, pair, err) || error_prefix(err, "--positions"));
}

bool scorebook_close(Scorebook *book, Error *err) {
    sequence_close(&book->sequence);
    return (pairfile_close(&book->pgn, err) || error_prefix(err, "--pgn")) &&
           (pairfile_close(&book->positions, err) || error_prefix(err, "--positions"));
}

/* ---- Going on after an interruption ---- */

bool scorebook_resume(Scorebook *book, Error *err) {
    return pairfile_resume(&book->pgn, err) && pairfile_resume(&book->positions, err);
}

/* Warns when the first game behind those of the journal's pairs is of the next pair. The journal
 * has usually lost this pair. The game may also be of another match that was resumed: a new match
 * begins with pair 1. */
static void warn_of_lost_pairs(const Scorebook *book) {
    PgnReader reader = {0};
    PgnRecord game = {0};
    int64_t round;
    reader.text = pairfile_behind(&book->pgn, &reader.length);
    if (reader.text != NULL && pgn_read(&reader, &game, NULL) == 1 &&
        text_to_int(game.round, 1, INT64_MAX, "round", &round, NULL) && round == book->pgn.next + 1)
        log_warn(
            book->log,
            "--pgn %s: has games of a pair %lld that the journal does not have, of this match or "
            "another. Pairs that are played again stand in this file twice; a new file gets each "
            "pair once",
            book->pgn.path, (long long)round);
    pgn_record_free(&game);
}

bool scorebook_go_on(Scorebook *book, Error *err) {
    warn_of_lost_pairs(book);
    return pairfile_go_on(&book->pgn, err) && pairfile_go_on(&book->positions, err);
}

/* ---- Time ---- */

static int64_t played_ms(const Scorebook *book) {
    return book->earlier_ms +
           (book->started_ns > 0 ? clock_elapsed_ms(book->started_ns, clock_now_ns()) : 0);
}

void scorebook_start(Scorebook *book) {
    book->started_ns = clock_now_ns();
}

void scorebook_stop(Scorebook *book) {
    book->earlier_ms = played_ms(book);
    book->started_ns = 0;
}

void scorebook_excuse(Scorebook *book, uint64_t ns) {
    if (book->started_ns > 0)
        book->started_ns += (int64_t)ns;
}

double scorebook_seconds(const Scorebook *book) {
    return (double)played_ms(book) / 1000.0;
}

/* ---- Display ---- */

static Progress progress_of(const Scorebook *book) {
    const Sequence *s = &book->sequence;
    return (Progress){.tally = s->total,
                      .sprt = s->judged,
                      .rule = s->rule,
                      .llr = s->llr,
                      .games_wanted = book->games_wanted,
                      .games_played = book->games,
                      .seconds = scorebook_seconds(book)};
}

void scorebook_show(Scorebook *book) {
    Log *log = book->log;
    int64_t games = tally_games(&book->sequence.total);
    bool plain = log != NULL && !log->terminal && games - book->announced >= PLAIN_EVERY_GAMES;
    if (!plain && !log_live_due(log))
        return;
    Text text = {0};
    Progress progress = progress_of(book);
    if (plain) {
        progress_line(&progress, &text);
        log_info(log, "%s", text_string(&text));
        book->announced = games - games % PLAIN_EVERY_GAMES;
    } else {
        ProgressStyle style = {.width = log_width(log), .utf8 = log->utf8, .color = log->color};
        progress_view(&progress, &style, &text);
        log_live(log, text_string(&text));
    }
    text_free(&text);
}

/* Logs "dev: depth 11.3 on average, 812345 nodes/s"; nothing when the engine reported neither. */
static void show_work(const Scorebook *book, const char *name, const EngineWork *work) {
    Text line = {0};
    double value;
    if (work_depth(work, &value))
        text_addf(&line, "depth %.1f on average", value);
    if (work_nps(work, &value))
        text_addf(&line, "%s%.0f nodes/s", line.length > 0 ? ", " : "", value);
    if (line.length > 0)
        log_info(book->log, "%s: %s", name, text_string(&line));
    text_free(&line);
}

static void show_verdict(const Scorebook *book) {
    const Sequence *s = &book->sequence;
    Text words = {0};
    if (!s->judged)
        return;
    if (s->verdict == VERDICT_NONE)
        text_add(&words, "is undecided");
    else
        report_accepted(&s->rule, s->verdict, &words);
    log_info(book->log, "the SPRT %s", text_string(&words));
    text_free(&words);
}

/* Tells how many of the games of the endings are not in the score. */
static void show_uncounted(const Scorebook *book) {
    const Sequence *s = &book->sequence;
    int64_t games = s->judged ? book->games - GAMES_PER_PAIR * s->next : 0;
    if (games > 0)
        log_info(book->log, "%lld of these games do not count: their pairs stand behind %s",
                 (long long)games,
                 s->verdict == VERDICT_NONE ? "one that is missing" : "the deciding pair");
}

void scorebook_show_endings(const Scorebook *book) {
    if (book->games == 0)
        return;
    Text line = {0};
    show_verdict(book);
    for (int i = ENDING_UNKNOWN + 1; i < ENDING_COUNT; i++)
        if (book->endings[i] > 0)
            text_addf(&line, "%s%lld %s", line.length > 0 ? ", " : "", (long long)book->endings[i],
                      ending_name((Ending)i));
    log_info(book->log, "endings: %s; %.1f plies a game on average", text_string(&line),
             (double)book->plies / (double)book->games);
    show_uncounted(book);
    text_free(&line);
    show_work(book, "dev", &book->sequence.total.work[SIDE_DEV]);
    show_work(book, "base", &book->sequence.total.work[SIDE_BASE]);
}
