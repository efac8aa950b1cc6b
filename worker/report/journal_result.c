/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/journal.h"
#include "base/memory.h"
#include "report/origin.h"
#include "report/result.h"
#include "results/scorelist.h"
#include "stats/bounds.h"
#include "stats/sequence.h"

/* A pair's data, kept until all pairs have been read. */
typedef struct {
    int64_t index;
    size_t before; /* How many pairs were read before it. */
    Tally tally;
    int64_t ended;
    size_t run;
    Ending endings[2];
} Played;

/* The state of a journal's reading. */
struct ResultBuilder {
    RecordKind kind; /* The kind of its head; RECORD_OTHER: no head was read yet. */
    RecordHead head;
    RecordWorkload workload;
    bool over;
    bool dropped;
    bool strayed;
    RecordTime time;
    RecordRun *runs;
    size_t run_count, run_capacity;
    Played *pairs;
    size_t count, capacity;
    GameList games;
    double llr;      /* Of all pairs that count, earlier games' too, */
    Verdict verdict; /* and their verdict. */
    int64_t lines;
    int64_t damaged_lines;
    int64_t first_damaged; /* A line's number, from 1. */
    int64_t lost_pairs;
};
typedef struct ResultBuilder Reading;

/* The number of games and the options may be others when a match is resumed. */
static void take_run(Reading *r, RecordRun *run) {
    if (run->games != RECORD_GAMES_UNKNOWN)
        r->head.games = run->games;
    if (run->asked.count > 0) {
        Words before = r->head.asked;
        r->head.asked = run->asked;
        run->asked = before;
    }
    MEM_ADD(r->runs, r->run_count, r->run_capacity, *run);
    *run = (RecordRun){0};
}

/* Is the pair's opening the one that its place in the match gives? True without a book's size. */
static bool is_of_book(const RecordHead *head, const PairResult *pair) {
    int64_t count = head->book.openings;
    return count < 1 || pair->opening == (head->start - 1 + pair->index) % count + 1;
}

static void keep_pair(Reading *r, const PairResult *pair) {
    MEM_ADD(r->pairs, r->count, r->capacity,
            (Played){.index = pair->index,
                     .before = r->count,
                     .tally = pair_tally(pair),
                     .ended = pair->ended,
                     .run = r->run_count,
                     .endings = {pair->games[0].ending, pair->games[1].ending}});
    games_add(&r->games, pair);
    r->strayed = r->strayed || !is_of_book(&r->head, pair);
}

ResultBuilder *result_builder_new(void) {
    return mem_calloc(1, sizeof(ResultBuilder));
}

void result_builder_free(ResultBuilder *r) {
    if (r == NULL)
        return;
    for (size_t i = 0; i < r->run_count; i++)
        record_free_run(&r->runs[i]);
    free(r->runs);
    free(r->pairs);
    games_free(&r->games);
    record_free_head(&r->head);
    record_free_workload(&r->workload);
    free(r);
}

/* Could the head's tuning have been played? True for a match's head. */
static bool is_sound_tuning(const RecordHead *head, Error *err) {
    Tuning trial;
    if (head->tuning.parameters.count == 0)
        return true;
    if (!record_tuning(head, &trial, err))
        return false;
    tuning_free(&trial);
    return true;
}

static bool take_head(Reading *r, Record *record, Error *err) {
    if (record->kind == RECORD_HEAD && record->head.sprt && !sprt_rule_is_sound(&record->head.rule))
        return error_set(err, "its bounds and error rates make no SPRT");
    if (record->kind == RECORD_HEAD && !is_sound_tuning(&record->head, err))
        return false;
    r->kind = record->kind;
    r->head = record->head;
    r->workload = record->workload;
    record->head = (RecordHead){0};
    record->workload = (RecordWorkload){0};
    return true;
}

bool result_builder_take(ResultBuilder *r, Record *record, Error *err) {
    if (!record_check_place(record, r->kind == RECORD_OTHER, err))
        return false;
    if (record_is_head(record))
        return take_head(r, record, err);
    record_time_add(&r->time, record);
    if (record->kind == RECORD_RUN)
        take_run(r, &record->run);
    else if (record->kind == RECORD_PAIR)
        keep_pair(r, &record->pair);
    r->dropped = r->dropped || record->kind == RECORD_DROPPED;
    r->over = r->over || r->dropped || record->kind == RECORD_OVER;
    return true;
}

static bool take_record(const char *text, size_t length, void *user, Error *err) {
    Reading *r = user;
    Record record = {0};
    bool ok = record_read(text, length, &record, err) && result_builder_take(r, &record, err);
    r->lines++;
    record_free(&record);
    return ok;
}

/* ---- Damage ---- */

static int64_t count_words(const char *text, size_t length, const char *words) {
    int64_t count = 0;
    const char *end = text + length;
    for (const char *at = text; (at = memmem(at, (size_t)(end - at), words, strlen(words))); at++)
        count++;
    return count;
}

/* An estimate of the pairs in a damaged line: several when a line end was damaged, none when the
 * line is another kind of record, else one. */
static int64_t pairs_in(const char *line, size_t length) {
    int64_t kinds = count_words(line, length, "\"kind\":\"pair\"");
    int64_t numbers = count_words(line, length, "\"pair\":");
    int64_t pairs = kinds > numbers ? kinds : numbers;
    return pairs > 0 || count_words(line, length, "\"kind\":\"") > 0 ? pairs : 1;
}

static bool pass_damaged(const char *line, size_t length, void *user, Error *err) {
    (void)err;
    Reading *r = user;
    r->lines++;
    r->lost_pairs += pairs_in(line, length);
    if (r->damaged_lines++ == 0)
        r->first_damaged = r->lines;
    return true;
}

static void write_damage(const Reading *r, Text *out) {
    text_addf(out, "%" PRId64 " %s: ", r->lost_pairs,
              r->lost_pairs == 1 ? "pair is lost" : "pairs are lost");
    if (r->damaged_lines == 1)
        text_addf(out, "line %" PRId64 " is damaged", r->first_damaged);
    else
        text_addf(out, "%" PRId64 " lines are damaged, the first is line %" PRId64,
                  r->damaged_lines, r->first_damaged);
}

/* stuck: the pairs that move no parameter of a tuning, because of a lost pair before them. */
static void add_warning(const Reading *r, int64_t stuck, Result *result) {
    Text text = {0};
    if (r->dropped)
        text_add(&text, "no pair counts: the bench of an engine was wrong");
    else if (r->damaged_lines > 0)
        write_damage(r, &text);
    else
        return;
    if (stuck > 0)
        text_addf(&text,
                  "; %" PRId64 " later pair%s no parameter: the values are those of iteration "
                  "%" PRId64,
                  stuck, stuck == 1 ? " moves" : "s move", result->tuning->done);
    result_add_setting(result, "warning", text_string(&text), NULL);
    result->warning = text_take(&text);
}

/* Of records of one pair the first counts, as for the match that goes on. */
static int by_index(const void *a, const void *b) {
    const Played *one = a;
    const Played *other = b;
    int order = (one->index > other->index) - (one->index < other->index);
    return order != 0 ? order : (one->before > other->before) - (one->before < other->before);
}

/* ---- What the pairs say ---- */

/* Puts the pairs in the order of the book, and drops those that stand twice. An SPRT judges no pair
 * before all earlier ones: while one is missing, the pairs behind it are dropped. A lost pair never
 * comes, so nothing waits for it. Returns the number of different pairs that wait. */
static int64_t order_pairs(Reading *r) {
    bool waits = r->head.sprt && r->lost_pairs == 0;
    size_t kept = 0;
    size_t whole = 0; /* The pairs before the first missing one. */
    if (r->dropped)
        r->count = 0;
    if (r->count > 0)
        qsort(r->pairs, r->count, sizeof *r->pairs, by_index);
    for (size_t i = 0; i < r->count; i++)
        if (kept == 0 || r->pairs[kept - 1].index != r->pairs[i].index)
            r->pairs[kept++] = r->pairs[i];
    while (whole < kept && r->pairs[whole].index == (int64_t)whole)
        whole++;
    r->count = waits ? whole : kept;
    return (int64_t)(kept - r->count);
}

/* Judges the pairs in the order of the book behind those of earlier games, adding points to the
 * path, and drops the pairs that do not count. */
static void judge_pairs(Reading *r, Result *result) {
    enum { POINTS = 200 };
    Sequence sequence;
    size_t kept = 0;
    int64_t waiting = order_pairs(r);
    sequence_init(&sequence, r->head.sprt ? &r->head.rule : NULL);
    scorelist_read(&r->head.earlier, &result->report.earlier, NULL); /* Checked before. */
    sequence_begin_with(&sequence, &result->report.earlier);
    size_t every = r->count / POINTS + 1;
    while (kept < r->count && sequence.verdict == VERDICT_NONE) {
        const Played *pair = &r->pairs[kept];
        sequence_add(&sequence, (int64_t)kept, &pair->tally);
        tally_add(&result->report.tally, &pair->tally);
        if (pair->index == (int64_t)kept)
            tally_add(&result->before_gap, &pair->tally);
        kept++;
        if (kept % every == 0 || kept == r->count || sequence.verdict != VERDICT_NONE)
            result_add_point(result, 2 * (int64_t)kept);
    }
    r->count = kept;
    r->llr = sequence.llr;
    r->verdict = sequence.verdict;
    result->waiting = r->verdict == VERDICT_NONE ? waiting : 0;
    sequence_free(&sequence);
}

static void list_games(const Reading *r, Result *result) {
    int64_t *indices = mem_calloc(r->count + 1, sizeof *indices);
    for (size_t i = 0; i < r->count; i++)
        indices[i] = r->pairs[i].index;
    games_copy(&result->games, &r->games, indices, r->count);
    free(indices);
}

static void count_endings(const Reading *r, Result *result) {
    int64_t counts[ENDING_COUNT] = {0};
    for (size_t i = 0; i < r->count; i++)
        for (int game = 0; game < 2; game++)
            counts[r->pairs[i].endings[game]]++;
    for (int i = ENDING_UNKNOWN + 1; i < ENDING_COUNT; i++)
        if (counts[i] > 0)
            result_add_ending(result, ending_name((Ending)i), counts[i],
                              ending_fault((Ending)i) != FAULT_NONE);
    if (counts[ENDING_UNKNOWN] > 0)
        result_add_ending(result, ending_name(ENDING_UNKNOWN), counts[ENDING_UNKNOWN], false);
}

/* Adds a group of the pairs whose run has this name as its host, or (cpu) as its CPU. */
static void add_run_group(const Reading *r, const char *kind, const char *name, bool cpu,
                          Result *result) {
    ResultGroup group = {.kind = kind, .name = (char *)(uintptr_t)name, .faults_known = true};
    for (size_t i = 0; i < r->count; i++) {
        size_t run = r->pairs[i].run;
        if (run == 0)
            continue;
        const char *played_on = cpu ? r->runs[run - 1].cpu : r->runs[run - 1].host;
        if (strcmp(played_on, name) == 0)
            tally_add(&group.tally, &r->pairs[i].tally);
    }
    if (penta_pairs(&group.tally.penta) > 0)
        groups_add(&result->groups, &group);
}

static void add_run_groups(const Reading *r, bool cpu, Result *result) {
    for (size_t i = 0; i < r->run_count; i++) {
        const char *name = cpu ? r->runs[i].cpu : r->runs[i].host;
        bool before = false;
        for (size_t k = 0; k < i; k++)
            before |= strcmp(cpu ? r->runs[k].cpu : r->runs[k].host, name) == 0;
        if (!before)
            add_run_group(r, cpu ? "CPU" : "machine", name, cpu, result);
    }
}

static void format_time(int64_t when, const char *format, char *out, size_t size) {
    time_t seconds = (time_t)when;
    struct tm parts;
    if (gmtime_r(&seconds, &parts) == NULL || strftime(out, size, format, &parts) == 0)
        snprintf(out, size, "%" PRId64, when);
}

/* Adds groups of a few equal slices of the time between the first pair and the last, which show
 * drift, trouble and breaks. */
static void add_time_groups(const Reading *r, Result *result) {
    enum { SLICES = 4, PAIRS_MIN = 40, DAY = 86400 };
    int64_t from = INT64_MAX;
    int64_t to = INT64_MIN;
    for (size_t i = 0; i < r->count; i++) {
        from = r->pairs[i].ended < from ? r->pairs[i].ended : from;
        to = r->pairs[i].ended > to ? r->pairs[i].ended : to;
    }
    if (r->count < PAIRS_MIN || to - from < SLICES)
        return;
    const char *format = to - from < DAY ? "%H:%M:%S" : "%Y-%m-%d %H:%M";
    for (int slice = 0; slice < SLICES; slice++) {
        int64_t begin = from + (to - from) * slice / SLICES;
        int64_t end = slice + 1 < SLICES ? from + (to - from) * (slice + 1) / SLICES : to + 1;
        ResultGroup group = {.kind = "time", .faults_known = true};
        for (size_t i = 0; i < r->count; i++)
            if (r->pairs[i].ended >= begin && r->pairs[i].ended < end)
                tally_add(&group.tally, &r->pairs[i].tally);
        char first[64];
        char last[64];
        Text name = {0};
        format_time(begin, format, first, sizeof first);
        format_time(slice + 1 < SLICES ? end : to, format, last, sizeof last);
        text_addf(&name, "%s to %s UTC", first, last);
        group.name = name.data;
        if (penta_pairs(&group.tally.penta) > 0)
            groups_add(&result->groups, &group);
        text_free(&name);
    }
}

/* ---- What the head says ---- */

static void add_words(Text *out, const Words *words) {
    for (size_t i = 0; i < words->count; i++)
        text_addf(out, "%s%s", out->length > 0 ? " " : "", words->items[i]);
}

static void add_options(const RecordHead *head, Result *result) {
    Text texts[SIDE_COUNT] = {{0}, {0}};
    for (int side = 0; side < SIDE_COUNT; side++)
        add_words(&texts[side], &head->engines[side].options);
    result_add_setting(result, "options", text_string(&texts[0]), text_string(&texts[1]));
    for (int side = 0; side < SIDE_COUNT; side++)
        text_free(&texts[side]);
}

static void add_number(Result *result, const char *name, int64_t value, const char *unit) {
    char text[64];
    snprintf(text, sizeof text, "%" PRId64 "%s", value, unit);
    result_add_setting(result, name, text, NULL);
}

/* Adds what of the match is not in this journal. */
static void add_earlier(const Reading *r, Result *result) {
    Text text = {0};
    if (tally_games(&result->report.earlier) == 0)
        return;
    text_addf(&text, "%" PRId64 ", whose results are elsewhere",
              tally_games(&result->report.earlier));
    if (r->head.sprt)
        text_addf(&text, "; the LLR of all games is %.2f (%s)", unsigned_zero(r->llr, 2),
                  verdict_name(r->verdict));
    result_add_setting(result, "earlier games", text_string(&text), NULL);
    text_free(&text);
}

static void add_margins(const RecordHead *head, Result *result) {
    char texts[SIDE_COUNT][32];
    for (int side = 0; side < SIDE_COUNT; side++)
        snprintf(texts[side], sizeof texts[side], "%" PRId64 " ms", head->engines[side].margin);
    result_add_setting(result, "time margin", texts[SIDE_DEV], texts[SIDE_BASE]);
}

/* Folders are private: of the book the file's name is shown. */
static void add_settings(const Reading *r, Result *result) {
    enum { DIGEST_SHOWN = 16 };
    const RecordHead *head = &r->head;
    const RecordEngine *dev = &head->engines[SIDE_DEV];
    const RecordEngine *base = &head->engines[SIDE_BASE];
    char digests[SIDE_COUNT][DIGEST_SHOWN + 1];
    for (int side = 0; side < SIDE_COUNT; side++)
        snprintf(digests[side], sizeof digests[side], "%.*s", DIGEST_SHOWN,
                 head->engines[side].sha256);
    char *specs[SIDE_COUNT] = {result_shown_spec(dev->spec), result_shown_spec(base->spec)};
    result_add_setting(result, "engine", specs[SIDE_DEV], specs[SIDE_BASE]);
    for (int side = 0; side < SIDE_COUNT; side++)
        free(specs[side]);
    result_add_setting(result, "program's SHA-256", digests[SIDE_DEV], digests[SIDE_BASE]);
    result_add_setting(result, "time control", dev->tc, base->tc);
    add_options(head, result);
    result_add_rule(result);
    result_add_setting(result, "book", file_name_of(head->book.file), NULL);
    add_number(result, "openings", head->book.openings, "");
    add_number(result, "seed", head->seed, "");
    add_number(result, "first opening", head->start, "");
    if (head->sequential)
        result_add_setting(result, "order of the openings", "as in the file", NULL);
    if (head->plies > 0)
        add_number(result, "half moves of an opening", head->plies, "");
    result_add_setting(result, "win adjudication", head->win_adj, NULL);
    result_add_setting(result, "draw adjudication", head->draw_adj, NULL);
    if (head->moves_max > 0)
        add_number(result, "moves of a game at most", head->moves_max, "");
    if (head->syzygy != NULL)
        result_add_setting(result, "Syzygy tables", head->syzygy, NULL);
    add_margins(head, result);
    if (head->restart)
        result_add_setting(result, "engines", "started anew for each game", NULL);
    if (head->chess960)
        result_add_setting(result, "variant", "Chess960", NULL);
    if (head->games > 0)
        add_number(result, "games wanted", head->games, "");
    if (result->waiting > 0)
        add_number(result, "games that do not count yet", 2 * result->waiting,
                   ", behind a pair that is not played");
    add_earlier(r, result);
    if (r->run_count > 0)
        add_number(result, "games at a time", r->runs[r->run_count - 1].concurrency, "");
}

/* Is the engine named by its commit? Our own engine is named by its rows, which say more. */
static bool has_commit_name(const RecordEngine *engine, Side side) {
    return strcmp(engine->name, side_name(side)) == 0 && engine->commit != NULL &&
           engine->subject != NULL && !text_starts_with(engine->spec, "lmr:");
}

/* The most telling name of a side: a SPEC rather than "dev" or "base", and the commit rather than
 * "git:HEAD": 60c5137 "Reduce less" against 3ca09c2. Allocated. */
static char *name_of(const RecordHead *head, Side side) {
    enum { HASH_SHOWN = 7, SUBJECT_SHOWN = 60 };
    const RecordEngine *engine = &head->engines[side];
    Text name = {0};
    if (strcmp(engine->name, side_name(side)) != 0)
        return mem_strdup(engine->name);
    if (!has_commit_name(engine, side))
        return result_shown_spec(engine->spec);
    text_addf(&name, "%.*s", HASH_SHOWN, engine->commit);
    if (side == SIDE_DEV || !has_commit_name(&head->engines[SIDE_DEV], SIDE_DEV)) {
        text_add(&name, " \"");
        text_add_start(&name, engine->subject, SUBJECT_SHOWN);
        text_add_char(&name, '"');
    }
    text_add(&name, engine->changes != NULL ? " + changes" : "");
    return text_take(&name);
}

/* Adds the time of play: from `began`, a Unix time, to the latest pair. */
static void add_dates(const Reading *r, int64_t began, Result *result) {
    static const char FORMAT[] = "%Y-%m-%d %H:%M";
    char first[64];
    char last[64];
    int64_t ended = 0;
    for (size_t i = 0; i < r->count; i++)
        ended = r->pairs[i].ended > ended ? r->pairs[i].ended : ended;
    if (began == 0 || ended == 0)
        return;
    format_time(began, FORMAT, first, sizeof first);
    format_time(ended, FORMAT, last, sizeof last);
    char *text = text_format("%s to %s UTC", first, last);
    result_add_setting(result, "played", text, NULL);
    free(text);
}

static void describe_match(const Reading *r, Result *result) {
    const RecordHead *head = &r->head;
    const RecordEngine *dev = &head->engines[SIDE_DEV];
    const RecordEngine *base = &head->engines[SIDE_BASE];
    Text text = {0};
    char *names[SIDE_COUNT] = {name_of(head, SIDE_DEV), name_of(head, SIDE_BASE)};
    result_set_sides(result, names[SIDE_DEV], names[SIDE_BASE]);
    for (int side = 0; side < SIDE_COUNT; side++)
        free(names[side]);
    report_setup(&text, dev->tc, base->tc, words_value(&dev->options, "Threads"),
                 words_value(&base->options, "Threads"), words_value(&dev->options, "Hash"),
                 words_value(&base->options, "Hash"));
    result_set_setup(result, &text);
    record_write_settings(head, &text);
    result->match = text_take(&text);
    result->report.match = result->match;
    for (int side = 0; side < SIDE_COUNT; side++)
        result->origins[side] = origin_of(&head->engines[side]);
    result->changes = record_difference(head);
    result->spec = result_shown_spec(dev->spec);
    result_add_flags(result, dev->spec, base->spec);
    add_settings(r, result);
    add_dates(r, r->run_count > 0 ? r->runs[0].started : 0, result);
}

/* A workload names its engines' branches, and not their commits and options. */
static void set_purpose(const RecordWorkload *workload, Result *result) {
    Text title = {0};
    if (strcmp(workload->type, "SPSA") == 0) {
        text_addf(&title, "Tuning in %s", workload->dev);
        result_set_title(result, &title);
        result->report.purpose = PURPOSE_TUNING;
    } else if (strcmp(workload->type, "DATAGEN") == 0 && strcmp(workload->dev, workload->base) == 0)
        result_set_data(result);
}

/* Describes a worker's workload. The account and the machine's name are private and left out. */
static void describe_workload(const Reading *r, Result *result) {
    const RecordWorkload *workload = &r->workload;
    result_set_sides(result, workload->dev, workload->base);
    set_purpose(workload, result);
    result_add_setting(result, "engine", workload->dev, workload->base);
    result_add_setting(result, "server", workload->server, NULL);
    add_number(result, "test", workload->test_id, "");
    result_add_setting(result, "type", workload->type, NULL);
    add_number(result, "first opening", workload->book_index, "");
    add_dates(r, workload->created, result);
}

/* Moves the parameters by the counted pairs, in the order of the book. Pairs that cannot have been
 * played with these parameters move nothing; returns their number. */
static int64_t retune(const Reading *r, Result *result) {
    Tuning tuning;
    int64_t stuck = 0;
    if (r->head.tuning.parameters.count == 0 || !record_tuning(&r->head, &tuning, NULL))
        return 0;
    for (size_t i = 0; i < r->count; i++)
        stuck += !tuning_take(&tuning, r->pairs[i].index, &r->pairs[i].tally, NULL);
    int64_t games = GAMES_PER_PAIR * tuning.schedule.pairs_per * tuning.done;
    for (size_t i = 0; i < tuning.count; i++)
        tuned_add_spsa(&result->report.parameters, &tuning.schedule, &tuning.parameters[i],
                       tuning.values[i], games);
    result->tuning = mem_alloc(sizeof *result->tuning);
    *result->tuning = tuning;
    result->tuned_spec = mem_strdup(r->head.engines[SIDE_DEV].spec);
    return stuck;
}

static void set_state(const Reading *r, Result *result) {
    const RecordHead *head = &r->head;
    int64_t earlier = tally_games(&result->report.earlier);
    int64_t games = earlier + tally_games(&result->report.tally);
    bool decided = r->verdict != VERDICT_NONE;
    bool played = head->games > 0 && games + 2 * r->lost_pairs >= head->games;
    if (head->games > earlier)
        result->games_wanted = head->games - earlier;
    result->over = decided || played || r->over;
    result->strayed = r->strayed;
    if (!head->sprt)
        result->state = mem_strdup(result->over ? "finished" : "not finished");
}

void result_builder_make(ResultBuilder *r, const char *path, Result *result) {
    bool workload = r->kind == RECORD_WORKLOAD;
    /* Before version 3 a worker's pairs had no plies and no times. */
    result->report = (Report){.sprt = r->head.sprt,
                              .rule = r->head.rule,
                              .games_known = true,
                              .details_unknown = workload && r->workload.version <= 2,
                              .seconds = (double)(r->time.earlier_ms + r->time.latest_ms) / 1000};
    result->source = mem_strdup(file_name_of(path));
    judge_pairs(r, result);
    set_state(r, result);
    count_endings(r, result);
    if (!result->report.details_unknown)
        list_games(r, result);
    if (workload)
        describe_workload(r, result);
    else
        describe_match(r, result);
    result->damaged_line = r->first_damaged;
    add_warning(r, retune(r, result), result);
    if (result->tuning != NULL)
        result_set_tuning(result);
    add_run_groups(r, false, result);
    add_run_groups(r, true, result);
    add_time_groups(r, result);
}

bool result_of_journal(const char *path, Result *result, Error *err) {
    ResultBuilder *r = result_builder_new();
    bool ok = journal_read_past_damage(path, take_record, pass_damaged, r, err);
    if (ok)
        result_builder_make(r, path, result);
    result_builder_free(r);
    return ok;
}
