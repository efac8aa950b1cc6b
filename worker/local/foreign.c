/* SPDX-License-Identifier: MIT */
#include "local/foreign.h"

#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/shellwords.h"
#include "local/foreigndraft.h"

static const char ENGINE[] = "-engine";
static const char EACH[] = "-each";

/* ---- The table's functions ---- */

/* value: the text behind the word or its '=', "" when empty. shown: the word and its key, for
 * messages. False with err set: no match here can follow the word. */
typedef bool (*Take)(ForeignDraft *d, const char *shown, const char *value, Error *err);

static bool take_arg(ForeignDraft *d, const char *shown, const char *value, Error *err) {
    (void)shown;
    (void)err;
    Text *args = &d->engine->args;
    text_add(args, " \"");
    for (; *value != '\0'; value++) {
        if (*value == '"' || *value == '\\')
            text_add_char(args, '\\');
        text_add_char(args, *value);
    }
    text_add_char(args, '"');
    return true;
}

static bool take_args(ForeignDraft *d, const char *shown, const char *value, Error *err) {
    (void)shown;
    (void)err;
    text_clear(&d->engine->args); /* fastchess's last args= counts, cutechess-cli's arg= add up. */
    text_addf(&d->engine->args, " %s", value);
    d->engine->args_whole = true;
    return true;
}

static bool take_protocol(ForeignDraft *d, const char *shown, const char *value, Error *err) {
    (void)d;
    return strcmp(value, "uci") == 0 ||
           error_set(err, "%s=%s: engines speak UCI alone here", shown, value);
}

static bool take_variant(ForeignDraft *d, const char *shown, const char *value, Error *err) {
    if (strcmp(value, "fischerandom") == 0)
        foreign_add_option(d, "chess960", NULL);
    else if (strcmp(value, "standard") != 0)
        return error_set(err, "%s %s: chess and Chess960 (fischerandom) are played, nothing else",
                         shown, value);
    return true;
}

static bool take_repeat(ForeignDraft *d, const char *shown, const char *value, Error *err) {
    (void)err;
    d->repeat = true;
    if (value[0] != '\0' && strcmp(value, "2") != 0)
        foreign_add_remark(d, shown, "each opening is played twice");
    return true;
}

static bool take_tournament(ForeignDraft *d, const char *shown, const char *value, Error *err) {
    (void)d;
    return strcmp(value, "gauntlet") == 0 || strcmp(value, "round-robin") == 0 ||
           strcmp(value, "roundrobin") == 0 ||
           error_set(err, "%s %s: two engines play a match, and no tournament of several is held",
                     shown, value);
}

static bool take_affinity(ForeignDraft *d, const char *shown, const char *value, Error *err) {
    (void)shown;
    (void)err;
    foreign_add_option(d, "affinity", value[0] != '\0' ? value : "auto");
    return true;
}

static bool take_order(ForeignDraft *d, const char *shown, const char *value, Error *err) {
    d->random_order = strcmp(value, "random") == 0;
    return d->random_order || strcmp(value, "sequential") == 0 ||
           error_set(err, "%s=%s: random and sequential are known", shown, value);
}

static bool is_true(const char *value) {
    return value[0] == '\0' || strcmp(value, "true") == 0 || strcmp(value, "on") == 0;
}

static bool take_twosided(ForeignDraft *d, const char *shown, const char *value, Error *err) {
    (void)err;
    if (is_true(value))
        foreign_add_remark(d, shown, "the loser's scores alone decide");
    return true;
}

static bool take_notation(ForeignDraft *d, const char *shown, const char *value, Error *err) {
    (void)shown;
    (void)err;
    if (strcmp(value, "san") != 0)
        foreign_add_option(d, "pgn-notation", value);
    return true;
}

static bool take_append(ForeignDraft *d, const char *shown, const char *value, Error *err) {
    (void)err;
    if (!is_true(value))
        foreign_add_remark(d, shown, "games are appended to a file that exists");
    return true;
}

static bool take_restart(ForeignDraft *d, const char *shown, const char *value, Error *err) {
    (void)err;
    if (strcmp(value, "on") != 0)
        return true;
    if (!d->restart)
        foreign_add_option(d, "restart", NULL);
    if (!d->restart && d->engine != &d->each)
        foreign_add_remark(d, shown, "both engines are started anew for each game");
    d->restart = true;
    return true;
}

static bool take_table_verdicts(ForeignDraft *d, const char *shown, const char *value, Error *err) {
    (void)err;
    if (strcmp(value, "BOTH") != 0)
        foreign_add_remark(d, shown, "tables decide won, lost and drawn positions");
    return true;
}

/* ---- The words ---- */

typedef enum {
    WORD_OPTION, /* text: our option with the same value. */
    WORD_JOINED, /* The same; several arguments are one value, joined as fastchess joins them. */
    WORD_LIMIT,  /* text: our option with the same value; 0 is no limit, and no option. */
    WORD_FLAG,   /* text: our option without a value. */
    WORD_MATCH,  /* Keep the value at `offset` of the draft. */
    WORD_ENGINE, /* Keep the value at `offset` of the engine. */
    WORD_TAKEN,  /* `take` reads the value. */
    WORD_USUAL,  /* Matches here always do as the word asks. */
    WORD_REMARK, /* No counterpart; text: the reason. */
    WORD_REFUSED /* text: the reason. */
} RowKind;

/* A word, or a word and a key: "-openings file=". key "": an argument without a key. */
typedef struct {
    const char *word;
    const char *key;
    RowKind kind;
    const char *text;
    size_t offset;
    Take take;
} Row;

#define OPTION(word, key, name)                                                                    \
    { word, key, WORD_OPTION, name, 0, NULL }
#define LIMIT(word, name)                                                                          \
    { word, "", WORD_LIMIT, name, 0, NULL }
#define JOINED(word, name)                                                                         \
    { word, "", WORD_JOINED, name, 0, NULL }
#define FLAG(word, key, name)                                                                      \
    { word, key, WORD_FLAG, name, 0, NULL }
#define KEPT(word, key, field)                                                                     \
    { word, key, WORD_MATCH, NULL, offsetof(ForeignDraft, field), NULL }
#define OF_ENGINE(key, field)                                                                      \
    { "-engine", key, WORD_ENGINE, NULL, offsetof(ForeignEngine, field), NULL }
#define TAKEN(word, key, function)                                                                 \
    { word, key, WORD_TAKEN, NULL, 0, function }
#define USUAL(word, key)                                                                           \
    { word, key, WORD_USUAL, NULL, 0, NULL }
#define REMARK(word, key, reason)                                                                  \
    { word, key, WORD_REMARK, reason, 0, NULL }
#define REFUSED(word, key, reason)                                                                 \
    { word, key, WORD_REFUSED, reason, 0, NULL }

/* -each has the same keys as -engine. */
static const Row ROWS[] = {
    OF_ENGINE("cmd", cmd),
    OF_ENGINE("name", name),
    TAKEN("-engine", "args", take_args),
    TAKEN("-engine", "arg", take_arg),
    OF_ENGINE("tc", tc),
    OF_ENGINE("st", st),
    OF_ENGINE("nodes", nodes),
    OF_ENGINE("depth", depth),
    OF_ENGINE("plies", depth),
    OF_ENGINE("timemargin", margin),
    TAKEN("-engine", "proto", take_protocol),
    TAKEN("-engine", "restart", take_restart),
    OF_ENGINE("dir", dir),
    REMARK("-engine", "stderr", "--transcripts keeps standard error of an engine that fails"),
    REMARK("-engine", "debug", "--transcripts keeps the dialogue with an engine that fails"),
    REMARK("-engine", "tscale", "the waits for an engine's answers are fixed"),
    REMARK("-engine", "ponder", "engines do not think in the opponent's time"),
    REMARK("-engine", "book", "both engines play the openings of --book"),
    REMARK("-engine", "bookdepth", "both engines play the openings of --book"),
    REMARK("-engine", "trust", "the rules of chess alone decide games"),
    REMARK("-engine", "whitepov", "UCI scores are the mover's: have the engine say them so"),
    REMARK("-engine", "initstr", "UCI options are set with --dev-option and --base-option"),
    REFUSED("-engine", "conf", "no file of engines is read here: name the program with cmd="),
    KEPT("-openings", "file", book),
    KEPT("-openings", "format", format),
    TAKEN("-openings", "order", take_order),
    OPTION("-openings", "start", "start"),
    KEPT("-openings", "plies", plies),
    REMARK("-openings", "policy", "each opening is played twice, then comes the next"),
    KEPT("-concurrency", "", concurrency),
    KEPT("-rounds", "", rounds),
    KEPT("-games", "", games),
    TAKEN("-repeat", "", take_repeat),
    REFUSED("-noswap", "", "games come in pairs with colours swapped, which the statistics need"),
    REMARK("-reverse", "", "dev has White in the first game of each pair"),
    OPTION("-srand", "", "seed"),
    REMARK("-randomseed", "", "a seed that is not given is a new one each time"),
    KEPT("-sprt", "elo0", elo0),
    KEPT("-sprt", "elo1", elo1),
    KEPT("-sprt", "alpha", alpha),
    KEPT("-sprt", "beta", beta),
    KEPT("-sprt", "model", model),
    KEPT("-resign", "movecount", resign_count),
    KEPT("-resign", "score", resign_score),
    TAKEN("-resign", "twosided", take_twosided),
    KEPT("-draw", "movenumber", draw_number),
    KEPT("-draw", "movecount", draw_count),
    KEPT("-draw", "score", draw_score),
    LIMIT("-maxmoves", "max-moves"),
    OPTION("-tb", "", "syzygy"),
    LIMIT("-tbpieces", "syzygy-men"),
    REMARK("-tbignore50", "", "the tables' cursed wins and blessed losses are draws"),
    TAKEN("-tbadjudicate", "", take_table_verdicts),
    TAKEN("-variant", "", take_variant),
    TAKEN("-tournament", "", take_tournament),
    REMARK("-seeds", "", "two engines need no seeding"),
    REFUSED("-quick", "", "say -engine, -each and -openings, or their counterparts here"),
    OPTION("-pgnout", "", "pgn"),
    OPTION("-pgnout", "file", "pgn"),
    TAKEN("-pgnout", "notation", take_notation),
    FLAG("-pgnout", "hashfull", "pgn-hashfull"),
    FLAG("-pgnout", "pv", "pgn-pv"),
    USUAL("-pgnout", "nodes"),
    USUAL("-pgnout", "seldepth"),
    TAKEN("-pgnout", "append", take_append),
    USUAL("-pgnout", "fi"),
    REMARK("-pgnout", "min", "the PGN has each move's score, time and nodes"),
    REMARK("-pgnout", "nps", "the PGN has each move's nodes and time"),
    REMARK("-pgnout", "tbhits", "the PGN has each move's score, depth, time and nodes"),
    REMARK("-pgnout", "timeleft", "the PGN has each move's time"),
    REMARK("-pgnout", "latency", "the log says how long engines waited for a CPU"),
    REMARK("-pgnout", "match_line", "an engine's 'info string pgncomment' goes into the PGN"),
    REMARK("-epdout", "", "the PGN has each game, and with it the last position"),
    REMARK("-epdout", "file", "the PGN has each game, and with it the last position"),
    REMARK("-crc32", "", "the journal has a checksum for each record"),
    REMARK("-crc32", "pgn", "the journal has a checksum for each record"),
    JOINED("-event", "event"),
    JOINED("-site", "site"),
    TAKEN("-use-affinity", "", take_affinity),
    REMARK("-force-concurrency", "", "--concurrency is taken as it is"),
    REMARK("--force-concurrency", "", "--concurrency is taken as it is"),
    REMARK("-recover", "", "an engine that fails is always started again"),
    REMARK("-wait", "", "games follow each other without a pause"),
    REMARK("-ratinginterval", "", "the live line always shows the rating"),
    REMARK("-scoreinterval", "", "the live line always shows the score"),
    REMARK("-outcomeinterval", "", "the PGN and the journal have each game"),
    REMARK("-resultformat", "", "there is one form, and --json for programs"),
    REMARK("-output", "format", "there is one form, and --json for programs"),
    REMARK("-report", "penta", "pairs are always reported, as five counts"),
    REMARK("-autosaveinterval", "", "--journal FILE keeps each pair before it counts"),
    REMARK("-config", "file", "--journal FILE keeps each pair, and --resume goes on"),
    REMARK("-config", "outname", "--journal FILE names the file"),
    REMARK("-config", "discard", "a match goes on with --resume alone"),
    REMARK("-config", "stats", "a match goes on with --resume alone"),
    REMARK("-log", "file", "--transcripts DIR keeps the dialogue with an engine that fails"),
    REMARK("-log", "level", "--quiet and --verbose choose what is said"),
    REMARK("-log", "engine", "--transcripts DIR keeps the dialogue with an engine that fails"),
    REMARK("-log", "append", "transcripts are files of their own"),
    REMARK("-log", "realtime", "transcripts are written when an engine fails"),
    REMARK("-log", "compress", "transcripts are small"),
    REMARK("-debug", "", "--transcripts DIR keeps the dialogue with an engine that fails"),
    REMARK("-show-latency", "", "the log says how long engines waited for a CPU"),
    REMARK("-check-mate-pvs", "", "the moves of games are checked, and no lines"),
    REMARK("-strict", "", "a match goes on after a warning"),
    REMARK("-startup-ms", "", "the waits for an engine's answers are fixed"),
    REMARK("-ucinewgame-ms", "", "the waits for an engine's answers are fixed"),
    REMARK("-ping-ms", "", "the waits for an engine's answers are fixed"),
    REMARK("-testEnv", "", "obworker work is for tests of a server"),
    REMARK("-bookmode", "", "a book is read whole"),
    REFUSED("-compliance", "", "obworker check-engine does this"),
    REFUSED("--compliance", "", "obworker check-engine does this"),
    REFUSED("-engines", "", "no file of engines is read here"),
};

static bool row_has_word(const Row *row, const char *word) {
    return strcmp(row->word, strcmp(word, EACH) == 0 ? ENGINE : word) == 0;
}

static bool row_is(const Row *row, const char *word, const char *key, size_t length) {
    return row_has_word(row, word) && strlen(row->key) == length &&
           strncmp(row->key, key, length) == 0;
}

static const Row *find_row(const char *word, const char *key, size_t length) {
    for (size_t i = 0; i < COUNT(ROWS); i++)
        if (row_is(&ROWS[i], word, key, length))
            return &ROWS[i];
    return NULL;
}

static bool has_keys(const char *word) {
    for (size_t i = 0; i < COUNT(ROWS); i++)
        if (row_has_word(&ROWS[i], word) && ROWS[i].key[0] != '\0')
            return true;
    return false;
}

static bool is_known(const char *word) {
    if (strcmp(word, EACH) == 0)
        return true;
    for (size_t i = 0; i < COUNT(ROWS); i++)
        if (strcmp(ROWS[i].word, word) == 0)
            return true;
    return false;
}

bool foreign_is(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (is_known(argv[i]))
            return true;
    return false;
}

/* A word begins with "--", or with "-" and a small letter. A negative number is a value. */
static bool begins_word(const char *text) {
    return text[0] == '-' && (text[1] == '-' || (text[1] >= 'a' && text[1] <= 'z'));
}

/* ---- Reading ---- */

/* Refuses an option of obworker's, and names the word that makes the line one of another tool. */
static bool complain_mixed(const Words *words, const char *option, Error *err) {
    for (size_t i = 0; i < words->count; i++)
        if (is_known(words->items[i]) && !text_starts_with(words->items[i], "--"))
            return error_set(err,
                             "%s: is not a word of fastchess or cutechess-cli, and %s is: options "
                             "of obworker have two dashes and stand outside of that tool's line; "
                             "--from-fastchess takes the whole line of the other tool as one word, "
                             "in quotes",
                             option, words->items[i]);
    return error_set(err, "%s: is not a word of fastchess or cutechess-cli", option);
}

static bool complain_unknown(const Words *words, const char *word, Error *err) {
    TextGuess guess = {.word = word};
    if (text_starts_with(word, "--"))
        return complain_mixed(words, word, err);
    text_guess(&guess, EACH);
    for (size_t i = 0; i < COUNT(ROWS); i++)
        text_guess(&guess, ROWS[i].word);
    return error_set(err, "%s: is not a word of fastchess or cutechess-cli%s", word,
                     text_guess_hint(&guess));
}

static bool complain_key(const char *word, const char *argument, Error *err) {
    Text keys = {0};
    for (size_t i = 0; i < COUNT(ROWS); i++)
        if (row_has_word(&ROWS[i], word) && ROWS[i].key[0] != '\0') {
            text_add(&keys, keys.length > 0 ? ", " : "; known are ");
            text_add(&keys, ROWS[i].key);
        }
    if (row_has_word(&ROWS[0], word)) /* -engine or -each */
        text_add(&keys, ", option.NAME");
    error_set(err, "%s %s: is not known%s", word, argument, text_string(&keys));
    text_free(&keys);
    return false;
}

static bool follow(ForeignDraft *d, const Row *row, const char *shown, const char *value,
                   Error *err) {
    bool valued = row->kind == WORD_OPTION || row->kind == WORD_JOINED || row->kind == WORD_LIMIT ||
                  row->kind == WORD_MATCH || row->kind == WORD_ENGINE;
    if (valued && value[0] == '\0')
        return error_set(err, "%s: its value is missing", shown);
    switch (row->kind) {
    case WORD_OPTION:
    case WORD_JOINED:
        foreign_add_option(d, row->text, value);
        return true;
    case WORD_LIMIT:
        if (strcmp(value, "0") != 0)
            foreign_add_option(d, row->text, value);
        return true;
    case WORD_FLAG:
        if (is_true(value))
            foreign_add_option(d, row->text, NULL);
        return true;
    case WORD_MATCH:
        memcpy((char *)d + row->offset, &value, sizeof value);
        return true;
    case WORD_ENGINE:
        memcpy((char *)d->engine + row->offset, &value, sizeof value);
        return true;
    case WORD_TAKEN:
        return row->take(d, shown, value, err);
    case WORD_REMARK:
        foreign_add_remark(d, shown, row->text);
        return true;
    case WORD_REFUSED:
        return error_set(err, "%s: %s", shown, row->text);
    case WORD_USUAL:
        break;
    }
    return true;
}

/* Reads one argument behind a word. */
static bool read_argument(ForeignDraft *d, const char *word, const char *argument, Error *err) {
    static const char UCI[] = "option.";
    size_t length = strcspn(argument, "=");
    const char *value = argument[length] == '=' ? argument + length + 1 : "";
    if (d->engine != NULL && text_starts_with(argument, UCI)) {
        if (argument[length] != '=')
            return error_set(err, "%s %s: is not option.NAME=VALUE", word, argument);
        words_add(&d->engine->options, argument + strlen(UCI));
        return true;
    }
    const Row *row = find_row(word, argument, length);
    char shown[64];
    if (row != NULL) {
        snprintf(shown, sizeof shown, "%s %s", word, row->key);
        return follow(d, row, shown, value, err);
    }
    /* cutechess-cli's file of games has no key, and its name may have a '='. */
    bool misspelt = argument[length] == '=' && !d->cutechess && has_keys(word);
    row = misspelt ? NULL : find_row(word, "", 0);
    return row != NULL ? follow(d, row, word, argument, err) : complain_key(word, argument, err);
}

/* Reads a word itself, before its arguments. words: the whole line. */
static bool begin_word(ForeignDraft *d, const Words *words, const char *word, Error *err) {
    d->engine = NULL;
    if (strcmp(word, EACH) == 0)
        d->engine = &d->each;
    else if (strcmp(word, ENGINE) == 0 && d->engines == SIDE_COUNT)
        return error_set(err, "%s: a match has two engines, not more: play the pairings one by one",
                         word);
    else if (strcmp(word, ENGINE) == 0)
        d->engine = &d->side[d->engines++];
    else if (strcmp(word, "-pgnout") == 0)
        d->pgnout = true;
    else if (strcmp(word, "-sprt") == 0)
        d->sprt = true;
    else if (strcmp(word, "-resign") == 0)
        d->resign = true;
    else if (strcmp(word, "-draw") == 0)
        d->draw = true;
    return is_known(word) || complain_unknown(words, word, err);
}

/* Reads the arguments behind a word, from *at on, as one value. */
static bool read_joined(ForeignDraft *d, const Row *row, const Words *words, size_t *at,
                        Error *err) {
    Text value = {0};
    for (; *at < words->count && !begins_word(words->items[*at]); ++*at)
        text_add(&value, words->items[*at]);
    bool ok = follow(d, row, row->word, text_string(&value), err);
    text_free(&value);
    return ok;
}

/* The name of the tool, without its folder, that the first word names; NULL: it names none. */
static const char *tool_of(const Words *words) {
    return words->count > 0 && words->items[0][0] != '-' ? file_name_of(words->items[0]) : NULL;
}

static bool read_words(ForeignDraft *d, const Words *words, Error *err) {
    const char *tool = tool_of(words);
    size_t i = tool != NULL;
    if (tool != NULL && strstr(tool, "c-chess-cli") != NULL)
        return error_set(err,
                         "%s: the words of fastchess and cutechess-cli are understood, those of "
                         "c-chess-cli are not: docs/coming-from.md has their counterparts",
                         tool);
    while (i < words->count) {
        const char *word = words->items[i++];
        if (!begin_word(d, words, word, err))
            return false;
        const Row *alone = find_row(word, "", 0);
        bool bare = i == words->count || begins_word(words->items[i]);
        if (alone != NULL && alone->kind == WORD_JOINED && !bare) {
            if (!read_joined(d, alone, words, &i, err))
                return false;
            continue;
        }
        if (bare && alone != NULL && !follow(d, alone, word, "", err))
            return false;
        for (; i < words->count && !begins_word(words->items[i]); i++)
            if (!read_argument(d, word, words->items[i], err))
                return false;
    }
    return true;
}

static bool is_one_of(const char *word, const char *const *beginnings, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (text_starts_with(word, beginnings[i]))
            return true;
    return false;
}

/* Does -games stand before a number above 2? A round of fastchess has one game or two. */
static bool has_long_rounds(const Words *words) {
    int64_t games;
    for (size_t i = 0; i + 1 < words->count; i++)
        if (strcmp(words->items[i], "-games") == 0 &&
            text_to_int(words->items[i + 1], 3, INT64_MAX, "-games", &games, NULL))
            return true;
    return false;
}

/* Only cutechess-cli needs a protocol and has more than two games a round, but fastchess accepts
 * both words: a remark names the one that alone decides. */
static bool is_cutechess(ForeignDraft *d, const Words *words) {
    static const char *const FASTCHESS[] = {"args=",   "model=",  "notation=", "-config", "-log",
                                            "-output", "-report", "-testEnv",  "-use-"};
    static const char *const CUTECHESS[] = {"conf=", "arg="};
    bool cutechess = false;
    const char *guess = has_long_rounds(words) ? "-games" : NULL;
    const char *tool = tool_of(words);
    if (tool != NULL)
        return strstr(tool, "cutechess") != NULL;
    for (size_t i = 0; i < words->count; i++) {
        if (is_one_of(words->items[i], FASTCHESS, COUNT(FASTCHESS)))
            return false;
        cutechess = cutechess || is_one_of(words->items[i], CUTECHESS, COUNT(CUTECHESS));
        if (text_starts_with(words->items[i], "proto="))
            guess = "proto=";
    }
    if (guess != NULL && !cutechess)
        foreign_add_remark(d, guess,
                           "read as a line of cutechess-cli; put fastchess before the words if "
                           "they are of fastchess");
    return cutechess || guess != NULL;
}

static void free_engine(ForeignEngine *engine) {
    text_free(&engine->args);
    words_free(&engine->options);
}

bool foreign_read(const Words *words, ForeignMatch *out, Error *err) {
    ForeignMatch same = {0}; /* The options that need no conversion come last. */
    *out = (ForeignMatch){0};
    ForeignDraft d = {.out = &same};
    d.cutechess = is_cutechess(&d, words);
    bool ok = read_words(&d, words, err);
    if (ok && d.pgnout && !words_has(&same.options, "--pgn"))
        ok = error_set(err, "-pgnout: file= is missing: the file that gets the games");
    out->remarks = same.remarks;
    d.out = out;
    ok = ok && foreign_write(&d, err);
    for (size_t i = 0; i < same.options.count; i++)
        words_add(&out->options, same.options.items[i]);
    words_free(&same.options);
    free_engine(&d.each);
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++)
        free_engine(&d.side[side]);
    return ok;
}

void foreign_command(const ForeignMatch *match, Text *out) {
    text_add(out, "obworker match");
    shell_quote_words(&match->options, out);
}

void foreign_free(ForeignMatch *match) {
    words_free(&match->options);
    words_free(&match->remarks);
}
