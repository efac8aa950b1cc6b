/* SPDX-License-Identifier: MIT */
/* A match without a server, as its user asks for it. */
#ifndef LOCAL_SETTINGS_H
#define LOCAL_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/options.h"
#include "base/side.h"
#include "base/text.h"
#include "stats/spsa.h"
#include "stats/sprt.h"

/* A tuning by SPSA, as its user asks for it. */
typedef struct {
    SpsaParameters parameters;
    SpsaSchedule schedule;
    int64_t overlap; /* Iterations in play at a time. */
} TuneSettings;

/* Strings are the caller's. Those of a time control, of an adjudication and of UCI options are as
 * OpenBench writes them. */
typedef struct {
    const char *spec[SIDE_COUNT]; /* Engines: a program, lmr:... or git:... */
    const char *name[SIDE_COUNT]; /* In the PGN; NULL: dev and base. */
    const char *side_tc[SIDE_COUNT];
    const char *side_dir[SIDE_COUNT]; /* Working folders; NULL: that of this program. */
    int64_t side_margin[SIDE_COUNT];  /* Milliseconds; -1: `margin`. */
    OptionList side_options[SIDE_COUNT];
    OptionList options;
    const char *tc;
    const char *book;           /* NULL: the project's own. */
    const char *openings_order; /* "random": shuffled by the seed; "sequential": as in the file. */
    const char *win_adj;
    const char *draw_adj;
    const char *syzygy;   /* NULL: no tables. */
    const char *affinity; /* NULL: engines run anywhere. */
    const char *build_path;
    const char *sandbox;
    int64_t disk_mb; /* For the files of an engine in the sandbox; 0: the sandbox's default. */
    const char *pgn;
    const char *pgn_notation; /* "san", "lan" or "uci". */
    const char *positions;    /* For the games' positions; NULL: not written. */
    const char *journal;
    const char *html;
    const char *event;
    const char *site;
    const char *transcripts; /* NULL: in the state folder. */
    bool sprt;
    SprtRule rule; /* With sprt. */
    int64_t syzygy_men;
    int64_t games;            /* 0: as many as the SPRT needs. */
    int64_t concurrency;      /* 0: as many as there are CPUs for. */
    int64_t seed;             /* -1: the journal's, else a new one. */
    int64_t moves_max;        /* Of each side in a game, which is drawn then; 0: no limit. */
    int64_t start;            /* The first opening, from 1. */
    int64_t plies;            /* Of an opening in a PGN book; 0: all. */
    int64_t margin;           /* Milliseconds. */
    const Words *asked;       /* The other options, for the journal; NULL: not known. */
    const TuneSettings *tune; /* NULL: a match. Else both sides are the same engine. */
    bool restart;             /* The engines are started anew for each game. */
    bool chess960;
    bool hashfull;
    bool pv;
    bool resume; /* A journal that is there is gone on with. */
} LocalSettings;

#endif
