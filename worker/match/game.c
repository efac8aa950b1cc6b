/* SPDX-License-Identifier: MIT */
#include "match/game.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "chess/draw.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "chess/movegen.h"
#include "match/movelist.h"

enum {
    NUMBER_MAX = 24,
    TOLD_MOVE_MAX = 16, /* Bytes of an illegal move that the ending repeats. */
    THIRD_TIME = 2,     /* Earlier occurrences of a position that make a threefold repetition. */
};

struct Game {
    const MatchConfig *config;
    int64_t pair;
    Player *players[COLOR_COUNT]; /* By colour. */
    Side sides[COLOR_COUNT];
    Opening opening;
    Position position;
    GameClock clocks[COLOR_COUNT];
    Adjudicator adjudicator;
    uint64_t *keys; /* The keys of all positions since the start, the present one last. */
    size_t key_count;
    size_t key_capacity;
    PgnMove *moves;
    size_t move_count;
    size_t move_capacity;
    Text told; /* The line "position fen … moves …" for the engines. */
    Text go;
    int ready;   /* Players that are ready. */
    Text reason; /* The ending's words, for `record`. */
    PgnGame record;
    GameResult result;
    CpuUse cpu;
    GameOver report;
    void *user;
};

/* White's half points. */
static const int POINTS[] = {
    [ADJUDGED_WHITE_WINS] = 2, [ADJUDGED_BLACK_WINS] = 0, [ADJUDGED_DRAW] = 1};

static Adjudged win_for(Color color) {
    return color == WHITE ? ADJUDGED_WHITE_WINS : ADJUDGED_BLACK_WINS;
}

/* ---- The end ---- */

/* Adds up the moves and their times, by side. */
static void add_up_moves(Game *g) {
    Position start;
    fen_parse(&start, g->opening.fen, g->config->chess960, NULL);
    Color mover = start.stm;
    for (size_t i = 0; i < g->move_count; i++, mover ^= 1) {
        GamePart *part = &g->result.parts[g->sides[mover]];
        if (g->moves[i].book)
            continue;
        part->moves++;
        part->ms += g->moves[i].elapsed_ms;
    }
}

static void finish_record(Game *g) {
    const MatchPgn *pgn = &g->config->pgn;
    game_write_ending(&g->result, &g->reason);
    g->record.result = game_score(&g->result);
    g->record.termination = ending_termination(g->result.ending);
    g->record.reason = text_string(&g->reason);
    g->record.ended = time(NULL);
    g->record.moves = g->moves;
    g->record.move_count = g->move_count;
    Text text = {0};
    if (pgn->kept) {
        pgn_write(&g->record, pgn->style, &text);
        g->result.pgn = text_take(&text);
    }
    if (g->config->keeps_moves) {
        movelist_write(&g->record, &text);
        g->result.moves = text_take(&text);
        g->result.fen = mem_strdup(g->record.fen);
    }
}

/* Stops listening to the players. */
static void let_go(Game *g) {
    for (Color c = WHITE; c <= BLACK; c++)
        player_listen(g->players[c], NULL, NULL);
}

/* What the engines wanted and got of the CPUs since the last call; only where a side has a clock.
 */
static CpuUse take_cpu_use(const Game *g) {
    CpuUse sum = {0};
    if (!timecontrol_is_timed(&g->clocks[WHITE].tc) && !timecontrol_is_timed(&g->clocks[BLACK].tc))
        return sum;
    for (Color c = WHITE; c <= BLACK; c++) {
        CpuUse use = player_cpu_use(g->players[c]);
        sum.wanted_ns += use.wanted_ns;
        sum.run_ns += use.run_ns;
    }
    return sum;
}

/* Plies that the engines have played, without the opening's. */
static int64_t played_plies(const Game *g) {
    return (int64_t)(g->move_count - g->opening.move_count);
}

/* Ends the game. detail: the detail for the ending's words, or NULL. why: the fault of an engine,
 * "" without a fault; NULL: the ending's words. */
static void end_game(Game *g, Adjudged how, Ending ending, const char *detail, const char *why) {
    let_go(g);
    g->cpu = take_cpu_use(g);
    g->result.white = g->sides[WHITE];
    g->result.dev_points = g->sides[WHITE] == SIDE_DEV ? POINTS[how] : 2 - POINTS[how];
    g->result.ending = ending;
    g->result.detail = mem_strdup(detail);
    g->result.plies = played_plies(g);
    add_up_moves(g);
    finish_record(g);
    g->report(g, GAME_OVER, SIDE_DEV, why != NULL ? why : g->record.reason, g->user);
}

static void end_by_time(Game *g, Color loser, int64_t overrun_ms) {
    char overrun[NUMBER_MAX];
    snprintf(overrun, sizeof overrun, "%lld", (long long)overrun_ms);
    end_game(g, win_for(loser ^ 1), ENDING_TIME_LOSS, overrun, NULL);
}

/* Ends the game where the rules of chess end the game. True when the game is over; the callback may
 * have freed the game. */
static bool judge_rules(Game *g) {
    const Position *pos = &g->position;
    bool stuck = !movegen_any(pos);
    bool mate = stuck && position_in_check(pos);
    Ending ending = ENDING_UNKNOWN;
    if (pos->rule50 >= DRAW_RULE50_PLIES && !mate)
        ending = ENDING_FIFTY_MOVES;
    else if (draw_insufficient_material(pos))
        ending = ENDING_MATERIAL;
    else if (draw_repetitions(g->keys, (int)g->key_count, pos->rule50) >= THIRD_TIME)
        ending = ENDING_THREEFOLD;
    else if (mate)
        ending = ENDING_MATE;
    else if (stuck)
        ending = ENDING_STALEMATE;
    if (ending == ENDING_UNKNOWN)
        return false;
    end_game(g, ending == ENDING_MATE ? win_for(pos->stm ^ 1) : ADJUDGED_DRAW, ending, NULL, "");
    return true;
}

/* Ends the game as a draw at the limit of moves. True when the game is over; the callback may have
 * freed the game. */
static bool judge_length(Game *g) {
    int64_t moves_max = g->config->adjudication.moves_max;
    if (moves_max == 0 || played_plies(g) < 2 * moves_max)
        return false;
    end_game(g, ADJUDGED_DRAW, ENDING_MOVE_LIMIT, NULL, "");
    return true;
}

/* Asks the rules, the tables, the scores after `last` (the engines' latest move, NULL before the
 * first), and the game's length, in this order. True when the game is over; the callback may have
 * freed the game. */
static bool judge(Game *g, const PgnMove *last) {
    if (judge_rules(g))
        return true;
    Adjudged how = ADJUDGED_NONE;
    if (g->config->adjudication.syzygy != NULL)
        how = syzygy_verdict(g->config->adjudication.syzygy, &g->position);
    bool tables = how != ADJUDGED_NONE;
    if (!tables && last != NULL)
        how = adjudicator_verdict(&g->adjudicator, g->position.stm ^ 1, &last->score,
                                  g->position.fullmove);
    if (how == ADJUDGED_NONE)
        return judge_length(g);
    if (how == ADJUDGED_DRAW)
        end_game(g, how, tables ? ENDING_TABLE_DRAW : ENDING_DRAW_ADJUDICATED, NULL, "");
    else
        end_game(g, how, tables ? ENDING_TABLE_WIN : ENDING_WIN_ADJUDICATED, NULL, "");
    return true;
}

/* ---- Moves ---- */

static PgnMove *add_move(Game *g, const PgnMove *move) {
    char text[MOVE_UCI_MAX];
    Undo undo;
    move_to_uci(move->move, g->config->chess960, text);
    text_add(&g->told, g->move_count == 0 ? " moves " : " ");
    text_add(&g->told, text);
    position_make(&g->position, move->move, &undo);
    MEM_ADD(g->keys, g->key_count, g->key_capacity, g->position.key);
    MEM_ADD(g->moves, g->move_count, g->move_capacity, *move);
    return &g->moves[g->move_count - 1];
}

static void ask_for_move(Game *g) {
    Color color = g->position.stm;
    const GameClock *clock = &g->clocks[color];
    int64_t deadline = gameclock_deadline_ms(clock);
    int64_t nodes = clock->tc.kind == TC_NODES ? clock->tc.nodes : 0;
    const MatchDeadlines *fixed = &g->config->deadlines;
    if (deadline < 0)
        deadline = clock->tc.kind == TC_DEPTH ? fixed->depth : fixed->nodes;
    text_clear(&g->go);
    uci_add_go(&g->go, &g->clocks[WHITE], &g->clocks[BLACK], color == WHITE);
    player_go(g->players[color], &g->told, text_string(&g->go), deadline, nodes);
}

static MoveScore score_of(const UciInfo *info) {
    return (MoveScore){
        .known = info->kind != UCI_NO_SCORE, .is_mate = info->is_mate, .value = info->score};
}

/* A greater count of a move's nodes is an engine's mistake, and is left out. The counts of the
 * longest game then add up to a whole number that JSON holds exactly (base/json.h). */
static const int64_t NODES_BELIEVED = 1000000000000;

/* Adds the depth and nodes that the engine reported to its side's sums. */
static void count_work(EngineWork *work, const PlayerMove *answer) {
    if (answer->info.depth > 0)
        work_add(work, &(EngineWork){.depths = answer->info.depth, .depth_moves = 1});
    if (answer->nodes >= 0 && answer->nodes <= NODES_BELIEVED)
        work_add(work,
                 &(EngineWork){.nodes = answer->nodes, .nodes_ns = (int64_t)answer->elapsed_ns});
}

/* Plays a legal move that came in time. */
static void play(Game *g, Move move, const PlayerMove *answer, int64_t elapsed_ms) {
    const Position *pos = &g->position;
    Color mover = pos->stm;
    bool zeroing = move_is_capture(pos, move) || piece_type(pos->board[move_from(move)]) == PAWN;
    const PgnMove *last =
        add_move(g, &(PgnMove){.move = move,
                               .score = score_of(&answer->info),
                               .depth = answer->info.depth,
                               .seldepth = answer->info.seldepth,
                               .nodes = answer->info.nodes,
                               .hashfull = g->config->pgn.hashfull ? answer->info.hashfull : 0,
                               .elapsed_ms = elapsed_ms,
                               .comment = mem_strdup(answer->comment),
                               .pv = answer->pv[0] == '\0' ? NULL : mem_strdup(answer->pv)});
    count_work(&g->result.parts[g->sides[mover]].work, answer);
    adjudicator_count(&g->adjudicator, mover, &last->score, zeroing);
    if (!judge(g, last))
        ask_for_move(g);
}

static Color color_of(const Game *g, const Player *player) {
    return player == g->players[WHITE] ? WHITE : BLACK;
}

/* Ends the game by an illegal move; "" is a missing one. */
static void end_by_illegal_move(Game *g, Color loser, const char *move) {
    Text valid = {0};
    Text told = {0};
    text_add_utf8(&valid, move[0] == '\0' ? "(none)" : move);
    text_add_start(&told, text_string(&valid), TOLD_MOVE_MAX);
    char *detail = text_take(&told);
    text_free(&valid);
    end_game(g, win_for(loser ^ 1), ENDING_ILLEGAL_MOVE, detail, NULL);
    free(detail);
}

static void on_moved(Player *player, const PlayerMove *answer, void *user) {
    Game *g = user;
    Color color = color_of(g, player);
    Move move = move_from_uci(&g->position, answer->text);
    bool missing = answer->text[0] == '\0';
    int64_t elapsed_ms = (int64_t)(answer->elapsed_ns / CLOCK_NS_PER_MS);
    int64_t overrun_ms = 0;
    bool in_time = gameclock_charge(&g->clocks[color], elapsed_ms, &overrun_ms);
    if ((move == MOVE_NONE && !missing) || (missing && in_time))
        end_by_illegal_move(g, color, answer->text);
    else if (!in_time)
        end_by_time(g, color, overrun_ms);
    else
        play(g, move, answer, elapsed_ms);
}

static void on_failed(Player *player, PlayerFault fault, uint64_t elapsed_ns, const char *why,
                      void *user) {
    Game *g = user;
    Color color = color_of(g, player);
    int64_t overrun_ms = 0;
    if (fault == PLAYER_UNUSABLE) {
        let_go(g);
        g->report(g, GAME_UNUSABLE, g->sides[color], why, g->user);
    } else if (fault == PLAYER_GONE)
        end_game(g, win_for(color ^ 1), ENDING_DISCONNECT, NULL, why);
    else if (fault == PLAYER_SILENT &&
             !gameclock_charge(&g->clocks[color], (int64_t)(elapsed_ns / CLOCK_NS_PER_MS),
                               &overrun_ms))
        end_by_time(g, color, overrun_ms);
    else
        end_game(g, win_for(color ^ 1), ENDING_STALL, NULL, why);
}

static void on_ready(Player *player, void *user) {
    (void)player;
    Game *g = user;
    if (++g->ready < COLOR_COUNT)
        return;
    g->record.started = time(NULL);
    take_cpu_use(g); /* What the engines took to get ready is none of the game's. */
    if (!judge(g, NULL))
        ask_for_move(g);
}

static const PlayerEvents PLAYER_EVENTS = {
    .ready = on_ready, .moved = on_moved, .failed = on_failed};

/* ---- Setting up ---- */

/* Plays the moves of the opening. */
static bool play_opening(Game *g, Error *err) {
    for (size_t i = 0; i < g->opening.move_count; i++) {
        Move move = g->opening.moves[i];
        if (!move_is_legal(&g->position, move))
            return error_set(err, "the opening's move %zu is not legal", i + 1);
        add_move(g, &(PgnMove){.move = move, .book = true, .nodes = -1});
    }
    return true;
}

static bool set_position(Game *g, Error *err) {
    FenError fault;
    if (!fen_parse(&g->position, g->opening.fen, g->config->chess960, &fault))
        return error_set(err, "opening %s: %s", g->opening.fen, fault.text);
    MEM_ADD(g->keys, g->key_count, g->key_capacity, g->position.key);
    text_add(&g->told, "position fen ");
    text_add(&g->told, g->opening.fen);
    return play_opening(g, err);
}

static void start_record(Game *g) {
    const MatchConfig *config = g->config;
    g->record = (PgnGame){
        .event = config->event,
        .site = config->site,
        .round = g->pair + 1,
        .white = config->engines[g->sides[WHITE]].name,
        .black = config->engines[g->sides[BLACK]].name,
        .fen = g->opening.fen,
        .chess960 = config->chess960,
        .time_control = {&config->engines[g->sides[WHITE]].time_control,
                         &config->engines[g->sides[BLACK]].time_control},
        .scale_factor = config->pgn.scale_factor,
        .notation = config->pgn.notation,
    };
}

Game *game_new(const MatchConfig *config, int64_t pair, int number, Error *err) {
    Game *g = mem_calloc(1, sizeof *g);
    g->config = config;
    g->pair = pair;
    g->sides[WHITE] = number == 0 ? SIDE_DEV : SIDE_BASE;
    g->sides[BLACK] = number == 0 ? SIDE_BASE : SIDE_DEV;
    int64_t opening = config->first_opening + (config->no_reverses ? 2 * pair + number : pair);
    if (!book_opening(config->book, (uint64_t)opening, &g->opening, err) || !set_position(g, err)) {
        game_free(g);
        return NULL;
    }
    adjudicator_start(&g->adjudicator, &config->adjudication);
    for (Color c = WHITE; c <= BLACK; c++)
        gameclock_start(&g->clocks[c], &config->engines[g->sides[c]].time_control,
                        config->engines[g->sides[c]].margin_ms);
    start_record(g);
    return g;
}

void game_start(Game *game, Player *players[SIDE_COUNT],
                const MatchOption *const options[SIDE_COUNT], const int option_counts[SIDE_COUNT],
                GameOver over, void *user) {
    game->report = over;
    game->user = user;
    for (Color c = WHITE; c <= BLACK; c++) {
        Side side = game->sides[c];
        game->players[c] = players[side];
        player_listen(players[side], &PLAYER_EVENTS, game);
        player_new_game(players[side], options[side], option_counts[side]);
    }
}

FinishedGame game_finished(const Game *game) {
    return (FinishedGame){.pair = game->pair,
                          .number = game->sides[WHITE] == SIDE_DEV ? 0 : 1,
                          .result = &game->result,
                          .record = &game->record,
                          .cpu = game->cpu};
}

GameResult game_take_result(Game *game) {
    GameResult result = game->result;
    game->result = (GameResult){0};
    return result;
}

void game_free(Game *game) {
    if (game == NULL)
        return;
    for (size_t i = 0; i < game->move_count; i++) {
        free((char *)(uintptr_t)game->moves[i].comment);
        free((char *)(uintptr_t)game->moves[i].pv);
    }
    free(game->moves);
    free(game->keys);
    game_free_result(&game->result);
    text_free(&game->reason);
    text_free(&game->told);
    text_free(&game->go);
    opening_free(&game->opening);
    free(game);
}
