/* SPDX-License-Identifier: MIT */
#include "local/earlier.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/digest.h"
#include "local/pairlog.h"

/* Does this match play the games of the lab's comparison? */
static bool check_games(const LabComparison *known, const Venue *venue, const LocalSettings *given,
                        Error *err) {
    char tc[TIMECONTROL_TEXT_MAX];
    char digest[DIGEST_HEX_MAX];
    timecontrol_format(&venue->config.engines[SIDE_DEV].time_control, tc);
    if (!digest_file(venue->book.path, digest, err))
        return false;
    LabComparison now = {.dev = result_shown_spec(given->spec[SIDE_DEV]),
                         .base = result_shown_spec(given->spec[SIDE_BASE]),
                         .tc = tc,
                         .openings = digest,
                         .seed = venue->seed};
    bool same = lab_same_games(known, &now, err);
    free(now.dev);
    free(now.base);
    return same;
}

bool earlier_take(const Lab *lab, const Venue *venue, LocalSettings *given, Error *err) {
    const LabComparison *known = lab_find_journal(lab, given->journal);
    if (known == NULL)
        return true;
    Report report = lab_report(known);
    int64_t start = known->start + penta_pairs(&report.tally.penta);
    if (pairlog_exists(given->journal) && !pairlog_start_of(given->journal, &start, err))
        return false;
    if (given->start != known->start)
        return error_set(
            err, "--start is %" PRId64 ", but the results of %s/%s begin at opening %" PRId64,
            given->start, known->suite, known->name, known->start);
    given->start = start;
    return lab_score_before(known, start, &given->earlier, err) &&
           (tally_games(&given->earlier) == 0 || check_games(known, venue, given, err));
}
