#include "scorebook.h"

#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "stats/stats.h"

enum { PLAIN_EVERY_GAMES = 10 };

/* Words within the reason that tell the kind of ending; the first that fits counts. */
static const struct {
    const char *part;
    const char *name;
} ENDINGS[SCOREBOOK_ENDINGS] = {
    {"Draw by adjudication: SyzygyTB", "drawn by tables"},
    {"adjudication: SyzygyTB", "won by tables"},
    {"Draw by adjudication", "draw adjudicated"},
    {"wins by adjudication", "win adjudicated"},
    {"mates", "mate"},
    {"3-fold", "threefold repetition"},
    {"fifty", "fifty moves"},
    {"stalemate", "stalemate"},
    {"insufficient", "insufficient material"},
    {"loses on time", "time loss"},
    {"disconnects", "disconnect"},
    {"stalls", "stall"},
    {"illegal", "illegal move"},
};

void scorebook_init(Scorebook *book, const SprtRule *rule, const char *pgn_path, Log *log) {
    *book = (Scorebook){.log = log, .pgn.path = pgn_path, .started_ns = clock_now_ns()};
    sequence_init(&book->sequence, rule);
}

void scorebook_free(Scorebook *book) {
    pgnfile_free(&book->pgn);
    sequence_free(&book->sequence);
}

/* ---- Pairs ---- */

static void count_ending(Scorebook *book, const RecordGame *game) {
    book->games++;
    book->plies += game->plies;
    for (size_t i = 0; i < SCOREBOOK_ENDINGS; i++) {
        if (strstr(game->reason, ENDINGS[i].part) != NULL) {
            book->endings[i]++;
            return;
        }
    }
}

bool scorebook_enter(Scorebook *book, const RecordPair *pair, Verdict *verdict, Error *err) {
    Tally tally = record_tally(pair);
    const char *games[2] = {pair->games[0].pgn, pair->games[1].pgn};
    *verdict = sequence_add(&book->sequence, pair->index, &tally);
    for (int i = 0; i < 2; i++)
        count_ending(book, &pair->games[i]);
    return pgnfile_enter(&book->pgn, pair->index, games, err);
}

bool scorebook_close(Scorebook *book, Error *err) {
    sequence_close(&book->sequence);
    return pgnfile_close(&book->pgn, err);
}

/* ---- What people see ---- */

double scorebook_seconds(const Scorebook *book) {
    return (double)(book->earlier_ms + clock_elapsed_ms(book->started_ns, clock_now_ns())) / 1000.0;
}

static void describe(const Scorebook *book, Text *out) {
    const Sequence *s = &book->sequence;
    const Tally *t = &s->total;
    EloInterval elo = stats_elo(&t->penta);
    double seconds = scorebook_seconds(book);
    text_addf(
        out, "%lld games  W %lld L %lld D %lld  [%lld %lld %lld %lld %lld]  Elo %+.1f +- %.1f",
        (long long)tally_games(t), (long long)t->wins, (long long)t->losses, (long long)t->draws,
        (long long)t->penta.n[0], (long long)t->penta.n[1], (long long)t->penta.n[2],
        (long long)t->penta.n[3], (long long)t->penta.n[4], elo.value, elo_margin(&elo));
    if (s->judged)
        text_addf(out, "  LLR %.2f (%.2f, %.2f)", s->llr, s->limits.lower, s->limits.upper);
    if (seconds > 0)
        text_addf(out, "  %.0f games/h", (double)book->games * 3600.0 / seconds);
    if (t->crashes + t->timelosses + t->illegals > 0)
        text_addf(out, "  crashes %lld, time losses %lld, illegal moves %lld",
                  (long long)t->crashes, (long long)t->timelosses, (long long)t->illegals);
}

void scorebook_show(Scorebook *book) {
    if (book->log == NULL)
        return;
    int64_t games = tally_games(&book->sequence.total);
    if (!book->log->terminal && games - book->announced < PLAIN_EVERY_GAMES)
        return;
    Text line = {0};
    describe(book, &line);
    if (book->log->terminal)
        log_progress(book->log, "%s", text_string(&line));
    else
        log_info(book->log, "%s", text_string(&line));
    text_free(&line);
    book->announced = games - games % PLAIN_EVERY_GAMES;
}

/* "dev: depth 11.3 on average, 812345 nodes/s"; nothing when the engine said neither. */
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

void scorebook_show_endings(const Scorebook *book) {
    if (book->games == 0)
        return;
    Text line = {0};
    for (size_t i = 0; i < SCOREBOOK_ENDINGS; i++)
        if (book->endings[i] > 0)
            text_addf(&line, "%s%lld %s", line.length > 0 ? ", " : "", (long long)book->endings[i],
                      ENDINGS[i].name);
    log_info(book->log, "endings: %s; %.1f plies a game on average", text_string(&line),
             (double)book->plies / (double)book->games);
    text_free(&line);
    show_work(book, "dev", &book->sequence.total.work[TALLY_DEV]);
    show_work(book, "base", &book->sequence.total.work[TALLY_BASE]);
}
