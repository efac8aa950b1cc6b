/* SPDX-License-Identifier: MIT */
#include "local/earlier.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/digest.h"
#include "base/memory.h"
#include "local/pairlog.h"

/* Does this match play the games of the lab's comparison? */
static bool check_games(const LabComparison *known, const Venue *venue, const LocalSettings *given,
                        Error *err) {
    char tc[SIDE_COUNT][TIMECONTROL_TEXT_MAX];
    char digest[DIGEST_HEX_MAX];
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++)
        timecontrol_format(&venue->config.engines[side].time_control, tc[side]);
    if (!digest_file(venue->book.path, digest, err))
        return false;
    LabComparison now = {.dev = result_shown_spec(given->spec[SIDE_DEV]),
                         .base = result_shown_spec(given->spec[SIDE_BASE]),
                         .tc = tc[SIDE_DEV],
                         .base_tc = tc[SIDE_BASE],
                         .openings = digest,
                         .seed = venue->seed,
                         .sequential = venue_is_sequential(venue),
                         .win_adj = mem_strdup(given->win_adj),
                         .draw_adj = mem_strdup(given->draw_adj),
                         .moves_max = given->moves_max,
                         .tables = given->syzygy != NULL,
                         .plies = given->plies};
    pairlog_describe_options(&venue->config.engines[SIDE_DEV], &now.dev_options);
    pairlog_describe_options(&venue->config.engines[SIDE_BASE], &now.base_options);
    lab_hide_folders(&now.dev_options);
    lab_hide_folders(&now.base_options);
    bool same = lab_same_games(known, &now, err);
    free(now.dev);
    free(now.base);
    free(now.win_adj);
    free(now.draw_adj);
    words_free(&now.dev_options);
    words_free(&now.base_options);
    return same;
}

/* Reads where the journal begins, and refuses one that ends before the known games do: another
 * machine has played on, or the journal has lost pairs, and this journal would play their openings
 * again. */
static bool read_journal(const LabComparison *known, int64_t known_end, const char *journal,
                         int64_t *start, Error *err) {
    Result result = {0};
    bool ok = pairlog_start_of(journal, start, err) && result_of_journal(journal, &result, err);
    int64_t end = ok ? *start + penta_pairs(&result.before_gap.penta) : 0;
    if (ok && end < known_end)
        ok = error_set(err,
                       "ends before opening %" PRId64 ", but the results of %s/%s go on to opening "
                       "%" PRId64 ": another machine has played on, or this journal has lost "
                       "pairs. Take a new folder for the journals: the match there begins behind "
                       "these results",
                       end, known->suite, known->name, known_end - 1);
    result_free(&result);
    return ok;
}

bool earlier_take(const Lab *lab, const Venue *venue, LocalSettings *given, Error *err) {
    const LabComparison *known = lab_find_journal(lab, given->journal);
    if (known == NULL)
        return true;
    Report report = lab_report(known);
    int64_t end = known->start + penta_pairs(&report.tally.penta);
    int64_t start = end;
    if (pairlog_exists(given->journal) && !read_journal(known, end, given->journal, &start, err))
        return false;
    if (given->start != known->start)
        return error_set(
            err, "--start is %" PRId64 ", but the results of %s/%s begin at opening %" PRId64,
            given->start, known->suite, known->name, known->start);
    given->start = start;
    return lab_score_before(known, start, &given->earlier, err) &&
           (tally_games(&given->earlier) == 0 || check_games(known, venue, given, err));
}
