/* SPDX-License-Identifier: MIT */
/* The settings of a local match (a match without a server), as the user gives them. */
#ifndef LOCAL_SETTINGS_H
#define LOCAL_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/options.h"
#include "base/side.h"
#include "base/text.h"
#include "stats/spsa.h"
#include "stats/sprt.h"
#include "stats/stats.h"

/* The settings of a tuning by SPSA, as the user gives them. */
typedef struct {
    SpsaParameters parameters;
    SpsaSchedule schedule;
    int64_t overlap; /* Iterations in play at a time. */
} TuneSettings;

/* The caller owns the strings. Time controls, adjudication rules and UCI options are written as
 * OpenBench writes them. */
typedef struct {
    const char *spec[SIDE_COUNT]; /* SPECs of engines (local/spec.h). */
    const char *name[SIDE_COUNT]; /* The engines' names in the PGN; NULL: "dev" and "base". */
    const char *side_tc[SIDE_COUNT];
    const char *side_dir[SIDE_COUNT]; /* Working folders; NULL: this program's. */
    int64_t side_margin[SIDE_COUNT];  /* Milliseconds; -1: as `margin`. */
    OptionList side_options[SIDE_COUNT];
    OptionList options;
    const char *tc;
    const char *book;           /* NULL: the project's own book. */
    const char *openings_order; /* "random": shuffled by the seed; "sequential". */
    const char *win_adj;
    const char *draw_adj;
    const char *syzygy;   /* NULL: no tablebases. */
    const char *affinity; /* NULL: engines run anywhere. */
    const char *build_path;
    const char *sandbox;
    int64_t disk_mb; /* For the files of a sandboxed engine; 0: the sandbox's default. */
    const char *pgn;
    const char *pgn_notation; /* "san", "lan" or "uci". */
    const char *positions;    /* Path of the file of positions; NULL: no positions are written. */
    const char *journal;
    const char *html;
    const char *event;
    const char *site;
    const char *transcripts; /* Folder of the transcripts; NULL: in the state folder. */
    bool sprt;
    SprtRule rule; /* Valid with `sprt`. */
    int64_t syzygy_men;
    int64_t games;       /* 0: as many games as the SPRT needs. */
    int64_t concurrency; /* Games at a time; 0: as many as the CPUs allow. */
    int64_t seed;        /* -1: the seed of the journal, else a new one. */
    int64_t moves_max; /* Moves of each side before a game is adjudicated as a draw; 0: no limit. */
    int64_t start;     /* The number of the first opening, from 1. */
    int64_t plies;     /* Plies played of an opening from a PGN book; 0: all. */
    int64_t margin;    /* Milliseconds. */
    const Words *asked;       /* The other options, for the journal; NULL: unknown. */
    const TuneSettings *tune; /* NULL: a match; else both sides are one engine. */
    Tally earlier; /* The score of games of this match that another machine or journal has: they
                      count, and `start` is behind their openings. All zero: none. */
    bool restart;  /* Start the engines anew for each game. */
    bool chess960;
    bool hashfull;
    bool pv;
    bool resume; /* Go on with an existing journal instead of refusing the match. */
} LocalSettings;

#endif
