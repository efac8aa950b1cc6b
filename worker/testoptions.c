/* SPDX-License-Identifier: MIT */
#include "testoptions.h"

#include <inttypes.h>

#include "base/file.h"
#include "stats/bounds.h"

static const char *given_or(const char *given, const char *fallback) {
    return given ? given : fallback;
}

bool rule_read(const RuleOptions *given, SprtRule *out, Error *err) {
    return sprt_parse_bounds(given_or(given->bounds, "0,5"), out, "--bounds", err) &&
           sprt_parse_confidence(given_or(given->confidence, "0.05,0.05"), out, "--confidence",
                                 err) &&
           sprt_parse_model(given_or(given->model, "normalized"), out, "--model", err);
}

bool games_check(int64_t games, Error *err) {
    return games % 2 == 0 ||
           error_set(err, "--games: %" PRId64 " is odd: games are played in pairs", games);
}

static bool take_parameter(char *line, int number, void *user, Error *err) {
    (void)number;
    return spsa_add_parameter(user, line, err);
}

bool parameters_read(const char *path, SpsaParameters *out, Error *err) {
    enum { FILE_LIMIT = 1 << 20 };
    return file_read_lines(path, FILE_LIMIT, take_parameter, out, err) ||
           error_prefix(err, "--params");
}
