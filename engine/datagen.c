/* SPDX-License-Identifier: MIT */
#include "datagen.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chess/draw.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "chess/movegen.h"
#include "words.h"

/* When a game is over before the rules say so. Wins are played far enough that won endings are
 * among the positions. */
enum {
    PLIES_MAX = 400, /* positions of a game: the last is a draw */
    WIN_SCORE = 1000,
    WIN_PLIES = 6, /* that many plies in a row, so half of them each side's own judgement */
    DRAW_SCORE = 10,
    DRAW_PLIES = 12,
    DRAW_FROM_PLY = 70
};
enum { OPENING_SCORE_MAX = 300 };

/* A game is one write: room for a line a ply, of a FEN, a score and a result. */
enum { GAME_TEXT_MAX = PLIES_MAX * (FEN_MAX + 32) };

typedef enum { WORD_NUMBER, WORD_SEED, WORD_TEXT } WordKind;

static bool store_word(WordKind kind, const char *text, int low, int high, void *field) {
    switch (kind) {
    case WORD_NUMBER:
        return words_number_within(text, low, high, field);
    case WORD_SEED:
        return opening_parse_seed(text, field);
    case WORD_TEXT:
        *(const char **)field = text;
        return true;
    }
    return false;
}

/* One pair of words; `value` is NULL when the text ended. */
static bool parse_pair(const char *name, const char *value, DatagenRequest *request,
                       char fault[OPENING_FAULT_MAX]) {
    const struct {
        const char *name;
        WordKind kind;
        int low, high;
        void *field;
    } words[] = {
        {"games", WORD_NUMBER, 1, DATAGEN_GAMES_MAX, &request->games},
        {"nodes", WORD_NUMBER, 1, DATAGEN_NODES_MAX, &request->nodes},
        {"seed", WORD_SEED, 0, 0, &request->seed},
        {"book", WORD_TEXT, 0, 0, &request->book},
        {"random_plies", WORD_NUMBER, 0, OPENING_PLIES_MAX, &request->random_plies},
        {"every", WORD_NUMBER, 1, DATAGEN_EVERY_MAX, &request->every},
        {"out", WORD_TEXT, 0, 0, &request->out},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i].name, name) != 0)
            continue;
        if (value != NULL &&
            store_word(words[i].kind, value, words[i].low, words[i].high, words[i].field))
            return true;
        if (words[i].kind == WORD_NUMBER)
            snprintf(fault, OPENING_FAULT_MAX, "%s wants a number from %d to %d, not \"%.32s\"",
                     name, words[i].low, words[i].high, value != NULL ? value : "");
        else if (words[i].kind == WORD_SEED)
            snprintf(fault, OPENING_FAULT_MAX,
                     "%s wants a number from 0 to %" PRIu64 ", not \"%.32s\"", name, UINT64_MAX,
                     value != NULL ? value : "");
        else
            snprintf(fault, OPENING_FAULT_MAX, "%s wants a file name, not \"%.32s\"", name,
                     value != NULL ? value : "");
        return false;
    }
    snprintf(fault, OPENING_FAULT_MAX,
             "unknown word \"%.32s\" (games, nodes, seed, book, random_plies, every and out are "
             "known)",
             name);
    return false;
}

bool datagen_parse(char *text, DatagenRequest *request, char fault[OPENING_FAULT_MAX]) {
    *request = (DatagenRequest){
        .nodes = DATAGEN_NODES_DEFAULT, .random_plies = OPENING_PLIES_DEFAULT, .every = 1};
    for (const char *name; (name = words_next(&text)) != NULL;)
        if (!parse_pair(name, words_next(&text), request, fault))
            return false;
    if (request->games == 0 || request->out == NULL) {
        snprintf(fault, OPENING_FAULT_MAX,
                 "games N out FILE [nodes N] [seed S] [book <None|path>] [random_plies P] "
                 "[every N] is wanted");
        return false;
    }
    if (request->book != NULL && strcmp(request->book, "None") == 0)
        request->book = NULL;
    return true;
}

typedef struct {
    char fen[FEN_MAX];
    int score; /* White's view */
} Sample;

typedef enum { BLACK_WINS, DRAWN, WHITE_WINS, PLAYING } Outcome;

/* A game in play. */
typedef struct {
    Position position;
    uint64_t keys[PLIES_MAX + 1]; /* of the positions from the opening's last on, that one too */
    int ply;                      /* since the opening */
    int winning_plies;            /* in a row with a decisive score for the same side */
    int drawish_plies;
    Outcome last_winner;
    int quiet; /* positions seen */
    int count; /* samples */
    Sample samples[PLIES_MAX];
} Game;

/* The result by the rules, or none while the game goes on. */
static Outcome outcome_by_rules(const Game *game) {
    const Position *position = &game->position;
    if (!movegen_any(position))
        return !position_in_check(position) ? DRAWN
               : position->stm == WHITE     ? BLACK_WINS
                                            : WHITE_WINS;
    if (draw_insufficient_material(position) || position->rule50 >= DRAW_RULE50_PLIES ||
        draw_repetitions(game->keys, game->ply + 1, position->rule50) >= 2)
        return DRAWN;
    return PLAYING;
}

/* The result by the last scores, or none. `score` is the latest, in White's view. */
static Outcome outcome_by_scores(Game *game, int score) {
    Outcome winner = score >= WIN_SCORE ? WHITE_WINS : score <= -WIN_SCORE ? BLACK_WINS : DRAWN;
    game->winning_plies = winner == DRAWN               ? 0
                          : winner == game->last_winner ? game->winning_plies + 1
                                                        : 1;
    game->last_winner = winner;
    game->drawish_plies = abs(score) <= DRAW_SCORE ? game->drawish_plies + 1 : 0;
    if (game->winning_plies >= WIN_PLIES)
        return winner;
    if ((game->ply >= DRAW_FROM_PLY && game->drawish_plies >= DRAW_PLIES) ||
        game->ply + 1 >= PLIES_MAX)
        return DRAWN;
    return PLAYING;
}

static bool is_quiet(const Position *position, const SearchResult *found) {
    return !position_in_check(position) && !search_is_mate(found->score) &&
           !move_is_noisy(position, found->best);
}

/* Searches, notes the position and plays the move. False when the task was ended. */
static bool play_move(Task *task, const DatagenRequest *request, Game *game, Outcome *outcome) {
    Position *position = &game->position;
    SearchLimits limits = {.nodes = (uint64_t)request->nodes};
    SearchResult found;
    Undo undo;
    if (!task_search(task, position, game->keys, game->ply, &limits, &found))
        return false;
    int score = position->stm == WHITE ? found.score : -found.score;
    if (is_quiet(position, &found) && game->quiet++ % request->every == 0) {
        Sample *sample = &game->samples[game->count++];
        sample->score = score;
        fen_format(position, sample->fen);
    }
    *outcome = outcome_by_scores(game, score);
    if (*outcome == PLAYING) {
        position_make(position, found.best, &undo);
        game->keys[++game->ply] = position->key;
        *outcome = outcome_by_rules(game);
    }
    return true;
}

/* Plays from the opening in *game to the end; false when the task was ended. */
static bool play_game(Task *task, const DatagenRequest *request, Game *game, Outcome *outcome) {
    search_clear(task->search);
    game->keys[0] = game->position.key;
    *outcome = PLAYING;
    while (*outcome == PLAYING)
        if (!play_move(task, request, game, outcome))
            return false;
    return true;
}

/* May both sides win? True also when the task was ended. */
static bool is_playable(const Position *position, void *task) {
    int score;
    return !opening_score(task, position, OPENING_NODES, &score) || abs(score) <= OPENING_SCORE_MAX;
}

/* Draws until both sides may win, or the task was ended. */
static bool find_opening(Task *task, const DatagenRequest *request, Openings *openings,
                         Position *position, char fault[OPENING_FAULT_MAX]) {
    OpeningDraw draw =
        openings_find(openings, request->random_plies, is_playable, task, position, fault);
    if (draw == OPENING_OVER)
        snprintf(fault, OPENING_FAULT_MAX,
                 "%d openings drawn, and each ended the game or came to a position twice: lower "
                 "random_plies or take another book",
                 OPENING_DRAWS_MAX);
    if (draw == OPENING_REFUSED)
        snprintf(fault, OPENING_FAULT_MAX,
                 "%d openings drawn, and none is within %d centipawns: change random_plies or take "
                 "another book",
                 OPENING_DRAWS_MAX, OPENING_SCORE_MAX);
    return draw == OPENING_DRAWN;
}

/* Says why the file cannot be used. Answers false. */
static bool file_fault(char fault[OPENING_FAULT_MAX], const char *path, const char *why) {
    snprintf(fault, OPENING_FAULT_MAX, "%.256s: %s", path, why);
    return false;
}

/* Writes the game's samples and flushes the file. */
static bool write_game(const Game *game, Outcome outcome, const char *path, FILE *out,
                       char fault[OPENING_FAULT_MAX]) {
    static const char *const results[] = {"0.0", "0.5", "1.0"};
    for (int i = 0; i < game->count; i++)
        fprintf(out, "%s | %d | %s\n", game->samples[i].fen, game->samples[i].score,
                results[outcome]);
    return fflush(out) == 0 || file_fault(fault, path, strerror(errno));
}

/* Plays all games, with the openings and the file that datagen_run has opened. *whole is the size
 * of the games that were written. */
static bool play_games(Task *task, const DatagenRequest *request, Openings *openings, FILE *out,
                       off_t *whole, DatagenResult *result, char fault[OPENING_FAULT_MAX]) {
    Game *game = malloc(sizeof *game);
    bool done = game != NULL;
    if (!done)
        snprintf(fault, OPENING_FAULT_MAX, "out of memory");
    while (done && result->games < request->games) {
        Outcome outcome;
        memset(game, 0, sizeof *game);
        done = find_opening(task, request, openings, &game->position, fault);
        if (!done || !play_game(task, request, game, &outcome))
            break;
        done = write_game(game, outcome, request->out, out, fault);
        if (done) {
            *whole = ftello(out);
            result->games++;
            result->positions += game->count;
        }
    }
    free(game);
    return done;
}

/* Opens what is to be written to. Of two runs with the same file, only one makes it. Pipes and
 * devices are there already. A pipe must have its reader: one that never comes would hold the task
 * up for ever. */
static FILE *open_out(const char *path, bool *special, char fault[OPENING_FAULT_MAX]) {
    struct stat info = {0};
    bool is_there = stat(path, &info) == 0;
    *special = is_there && !S_ISREG(info.st_mode);
    FILE *out = NULL;
    if (*special) {
        int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0 && fcntl(fd, F_SETFL, O_WRONLY) == 0)
            out = fdopen(fd, "w");
        int why = errno;
        if (fd >= 0 && out == NULL)
            close(fd);
        errno = why;
    } else {
        out = fopen(path, "wx");
    }
    if (out == NULL)
        file_fault(fault, path,
                   errno == EEXIST ? "exists; name a new file"
                   : errno == ENXIO && S_ISFIFO(info.st_mode)
                       ? "is a pipe that nobody reads; start its reader first"
                       : strerror(errno));
    return out;
}

bool datagen_run(Task *task, const DatagenRequest *request, DatagenResult *result,
                 char fault[OPENING_FAULT_MAX]) {
    Openings openings = {0};
    *result = (DatagenResult){0};
    if (!openings_open(&openings, request->book, request->seed, fault))
        return false;
    bool special;
    FILE *out = open_out(request->out, &special, fault);
    char buffer[GAME_TEXT_MAX];
    bool done = out != NULL;
    if (done) {
        off_t whole = 0;
        setvbuf(out, buffer, _IOFBF, GAME_TEXT_MAX);
        done = play_games(task, request, &openings, out, &whole, result, fault);
        int close_error = fclose(out) == 0 ? 0 : errno;
        /* A full disk takes a part of a game: the file is cut behind the last whole one. */
        if (!special && whole == 0)
            remove(request->out);
        else if (!special && !done)
            (void)!truncate(request->out, whole);
        if (done && close_error != 0)
            done = file_fault(fault, request->out, strerror(close_error));
    }
    openings_close(&openings);
    return done;
}
