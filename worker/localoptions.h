/* SPDX-License-Identifier: MIT */
/* Shared rows of the option tables of the commands that play on this machine. at: the offset of the
 * command's LocalSettings. */
#ifndef LOCALOPTIONS_H
#define LOCALOPTIONS_H

#include <stddef.h>

#include "base/options.h"
#include "local/settings.h"
#include "local/spec.h"
#include "match/match.h"

enum { CONCURRENCY_MAX = 1024 };

#define LOCAL_DEFAULTS                                                                             \
    {                                                                                              \
        .tc = "8+0.08", .win_adj = "movecount=3 score=400",                                        \
        .draw_adj = "movenumber=40 movecount=8 score=10", .build_path = SPEC_BUILD_PATH,           \
        .sandbox = "auto", .openings_order = "random", .pgn_notation = "san", .seed = -1,          \
        .start = 1, .margin = MATCH_MARGIN_MS, .side_margin = {                                    \
            -1,                                                                                    \
            -1                                                                                     \
        }                                                                                          \
    }

#define LOCAL_FIELD(at, field) ((at) + offsetof(LocalSettings, field))

#define LOCAL_OPENINGS(at)                                                                         \
    TEXT_OPTION("book", "FILE", LOCAL_FIELD(at, book),                                             \
                "openings, EPD or PGN, plain, .gz or .zip (default: the project's own)"),          \
        CHOICE_OPTION("openings-order", "random|sequential", LOCAL_FIELD(at, openings_order),      \
                      "shuffled by the seed (the default), or as they stand in the file"),         \
        INTEGER_OPTION("seed", "N", LOCAL_FIELD(at, seed), 0, 9e15,                                \
                       "shuffles the openings (default: a new one each time; the log says it)"),   \
        INTEGER_OPTION("start", "N", LOCAL_FIELD(at, start), 1, 9e15,                              \
                       "the first opening to play, from 1"),                                       \
        INTEGER_OPTION("plies", "N", LOCAL_FIELD(at, plies), 1, 1000,                              \
                       "play so many half moves of each opening of a PGN book (default: all)"),    \
        FLAG_OPTION("chess960", LOCAL_FIELD(at, chess960),                                         \
                    "play Chess960 (taken from the book's name when that says so)")

#define LOCAL_ADJUDICATION(at)                                                                     \
    TEXT_OPTION("win-adj", "RULE", LOCAL_FIELD(at, win_adj),                                       \
                "\"movecount=3 score=400\" (the default) or None"),                                \
        TEXT_OPTION("draw-adj", "RULE", LOCAL_FIELD(at, draw_adj),                                 \
                    "\"movenumber=40 movecount=8 score=10\" (the default) or None"),               \
        INTEGER_OPTION("max-moves", "N", LOCAL_FIELD(at, moves_max), 1, 10000,                     \
                       "call a game drawn after N moves of each side"),                            \
        TEXT_OPTION("syzygy", "DIR", LOCAL_FIELD(at, syzygy), "endgame tables that decide games"), \
        INTEGER_OPTION("syzygy-men", "N", LOCAL_FIELD(at, syzygy_men), 3, 7,                       \
                       "use the tables for positions with at most N pieces")

#define LOCAL_MACHINE(at)                                                                          \
    OPTION_SECTION("Machine and clock"),                                                           \
        INTEGER_OPTION("concurrency", "N", LOCAL_FIELD(at, concurrency), 1, CONCURRENCY_MAX,       \
                       "games at a time (default: as many as have a physical core for each "       \
                       "thread, no more than a limit of the service or the container allows)"),    \
        TEXT_OPTION("affinity", "auto|LIST", LOCAL_FIELD(at, affinity),                            \
                    "bind each game to CPUs of its own: physical cores, or a list such as "        \
                    "0,2,4-7"),                                                                    \
        INTEGER_OPTION("margin", "MS", LOCAL_FIELD(at, margin), 0, 1e9,                            \
                       "how late a move may be (default 250)"),                                    \
        FLAG_OPTION("restart", LOCAL_FIELD(at, restart), "start the engines anew for each game")

#define LOCAL_GAME_FILES(at)                                                                       \
    TEXT_OPTION("pgn", "FILE", LOCAL_FIELD(at, pgn),                                               \
                "append the games to this file, in the order of the book"),                        \
        FLAG_OPTION(                                                                               \
            "pgn-hashfull", LOCAL_FIELD(at, hashfull),                                             \
            "also write there after each move how full the engine's hash table was, per mille"),   \
        FLAG_OPTION("pgn-pv", LOCAL_FIELD(at, pv),                                                 \
                    "also write there after each move the engine's principal variation"),          \
        CHOICE_OPTION("pgn-notation", "san|lan|uci", LOCAL_FIELD(at, pgn_notation),                \
                      "how moves are written there: Nf3 (the default), Ng1-f3 or g1f3"),           \
        TEXT_OPTION("positions", "FILE", LOCAL_FIELD(at, positions),                               \
                    "write the positions of the games to this new file, for training: FEN | "      \
                    "score | result, both from White's side"),                                     \
        TEXT_OPTION("event", "NAME", LOCAL_FIELD(at, event), "the match's name in the PGN"),       \
        TEXT_OPTION("site", "NAME", LOCAL_FIELD(at, site), "the PGN's Site tag"),                  \
        TEXT_OPTION("transcripts", "DIR|None", LOCAL_FIELD(at, transcripts),                       \
                    "folder of the dialogues with engines that failed; the newest 100 stay "       \
                    "(default $XDG_STATE_HOME/obworker/transcripts)"),                             \
        TEXT_OPTION("journal", "FILE", LOCAL_FIELD(at, journal),                                   \
                    "keep each pair in this file before it counts: nothing that was played is "    \
                    "lost")

#define LOCAL_BUILDING(at)                                                                         \
    TEXT_OPTION(                                                                                   \
        "build-path", "DIR", LOCAL_FIELD(at, build_path),                                          \
        "where the repository has the engine's Makefile (git: and tree:; default engine)"),        \
        CHOICE_OPTION("sandbox", "on|off|auto", LOCAL_FIELD(at, sandbox),                          \
                      "shut the engines in: as far as this system can (auto, the default), on "    \
                      "(else do not start), or not at all"),                                       \
        INTEGER_OPTION("disk-limit", "MB", LOCAL_FIELD(at, disk_mb), 1, 1e9,                       \
                       "end an engine in the sandbox whose files take more (default 8192)")

#endif
