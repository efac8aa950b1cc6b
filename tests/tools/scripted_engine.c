/* SPDX-License-Identifier: MIT */
/* A UCI engine that does what its arguments say: plays quick legal moves that depend on nothing but
 * the position, says given scores, and commits the fault that a test is about.
 *
 *   side=dev|base     which side of the plan it is (default dev)
 *   plan=WINS,DRAWS   dev says +500 in so many of 100 games, 0 in so many, -500 in the rest, by the
 *                     hash of the opening and dev's colour; base says the opposite (default 0,100)
 *   tuned=BEST,SCALE  has options Value and Idle; says -500 in a share of games, by the hash of the
 *                     opening, its colour and Value: the square of (Value - BEST) / SCALE; else 0
 *   names=A,B         what these two options are called instead
 *   delay=MS          sleeps before each move
 *   tickets=FIFO      takes a byte from FIFO before the first move of each game, and waits for one
 *   infos=N           info lines before each move (default 1)
 *   nodes=N           the nodes that they name (default 100 in the first, 200 in the second, …)
 *   pv=MOVES          what they name as the best line instead of the move
 *   first=MOVE …      words after this one are the first moves it plays, whatever the position
 *   fault=KIND        see commit_fault below; at=N: at its Nth move of a game (default 2);
 *   game=N            only in the Nth game of the process
 *   once=FILE         only if FILE does not exist, which is then made
 *   start=KIND        exit | no-uciok | no-readyok | slow=MS | slow-ready=MS | no960: what goes
 *                     wrong at the start
 *   start-if=FILE     that only if FILE exists, which is then removed
 *   start-while=FILE  that only as long as FILE exists
 *   habits            has the ways of other engines: lines that end in CR LF, a name of odd bytes,
 *                     no option Hash, a ponder move, a thousand info strings before each move,
 *                     bounds and other lines after the score, words that nobody knows, a
 *                     pgncomment with a byte that is no UTF-8
 *   tables            has the option SyzygyPath
 *   ignore-quit       neither quit nor end of input nor SIGTERM ends it
 *   crash-at-quit     dies of a signal when it is told to quit
 *   log=FILE          appends every line it reads, with its process id
 *   report            says the time it took as a pgncomment, in microseconds, and when it began by
 *                     the monotonic clock
 *   trick=TRICK       tries it before its first move of a game, and says how it went, as an info
 *                     string and as a pgncomment with all of them: see tests/tools/tricks.h; may be
 *                     repeated */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "chess/fen.h"
#include "chess/move.h"
#include "chess/movegen.h"
#include "tools/tricks.h"

enum { LINE_SIZE = 65536, HUNDRED = 100, OPTION_NAME_SIZE = 32, SCORE = 500, TRICKS_MAX = 32 };

typedef struct {
    bool is_base;
    int wins, draws;
    int best, scale; /* scale 0: there are no options to tune. */
    int value;
    char names[2][OPTION_NAME_SIZE];
    int delay_ms;
    const char *tickets;
    int infos;
    int64_t nodes; /* 0: by the number of the line. */
    const char *pv;
    char **first;
    int first_count;
    const char *fault;
    int at;
    int game;
    const char *once;
    const char *start;
    const char *start_if;
    const char *start_while;
    bool crash_at_quit;
    bool habits;
    bool tables;
    bool ignore_quit;
    const char *log;
    bool report;
    const char *tricks[TRICKS_MAX];
    int trick_count;
    /* The game */
    bool chess960;
    uint64_t opening; /* Hash of the start position. */
    Position position;
    int games; /* Begun so far. */
    int moves; /* Own moves so far. */
    char last[MOVE_UCI_MAX];
} Engine;

static void say(const char *text) {
    fputs(text, stdout);
    fputc('\n', stdout);
    fflush(stdout);
}

static void sleep_ms(int64_t ms) {
    struct timespec t = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
    while (nanosleep(&t, &t) != 0)
        continue;
}

static int64_t now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void wait_for_death(void) {
    for (;;)
        pause();
}

/* ---- Faults: each happens instead of, or before, the move ---- */

static void fault_die(void) {
    _exit(7);
}

static void fault_crash(void) {
    raise(SIGSEGV);
}

static void fault_flood(void) {
    for (;;)
        say("info depth 1 score cp 1 nodes 50000 pv a2a3");
}

static void begin_line(void) {
    fputs("bestmove e2", stdout);
    fflush(stdout);
}

static void fault_half_line(void) {
    begin_line();
    wait_for_death();
}

static void fault_half_line_die(void) {
    begin_line();
    _exit(1);
}

static void fault_late(void) {
    sleep_ms(2600);
}

static void fault_exit(void) {
    _exit(0);
}

static void fault_long_answer(void) {
    for (int i = 0; i < 1000000; i++)
        fputc('x', stdout);
    say("");
}

static void fault_long_line(void) {
    for (int i = 0; i < 1000000; i++)
        fputc('x', stdout);
    fflush(stdout);
    wait_for_death();
}

static void fault_garbage(void) {
    static const char GARBAGE[] = "\0\xff\xfe bestmove\n\x80\x81 info score cp\n";
    fwrite(GARBAGE, 1, sizeof GARBAGE - 1, stdout);
    fflush(stdout);
}

static void fault_close_input(void) {
    close(STDIN_FILENO);
}

/* A descendant that keeps the pipes open when the engine has died. */
static void fault_grandchild(void) {
    if (fork() == 0) {
        setsid();
        sleep_ms(3000);
        _exit(0);
    }
    _exit(7);
}

static void fault_stderr(void) {
    for (int i = 0; i < 100000; i++)
        fputs("something is wrong, and it is told at length\n", stderr);
}

/* Another process of its group complains for ever, while the moves go on. */
static void fault_stderr_endless(void) {
    if (fork() == 0)
        for (;;)
            fputs("something is wrong, and it is told without end\n", stderr);
}

static const struct {
    const char *name;
    void (*act)(void);
    const char *answer; /* Instead of the move; NULL: the move follows. */
} FAULTS[] = {
    {"die", fault_die, NULL},
    {"crash", fault_crash, NULL},
    {"stall", wait_for_death, NULL},
    {"flood", fault_flood, NULL},
    {"half-line", fault_half_line, NULL},
    {"half-line-die", fault_half_line_die, NULL},
    {"long-line", fault_long_line, NULL},
    {"garbage", fault_garbage, NULL},
    {"close-input", fault_close_input, NULL},
    {"grandchild", fault_grandchild, NULL},
    {"stderr", fault_stderr, NULL},
    {"stderr-endless", fault_stderr_endless, NULL},
    {"exit", fault_exit, NULL},
    {"late-illegal", fault_late, "bestmove e2e5"},
    {"late-missing", fault_late, "bestmove"},
    {"long-answer", fault_long_answer, NULL},
    {"illegal", NULL, "bestmove e2e5"},
    {"unparsable", NULL, "bestmove Nf3"},
    {"zero", NULL, "bestmove 0000"},
    {"none", NULL, "bestmove (none)"},
    {"missing", NULL, "bestmove"},
    /* Longer than is repeated, with a byte that is no UTF-8. */
    {"odd-bytes", NULL,
     "bestmove g\xff"
     "x\303\251\303\251\303\251\303\251\303\251\303\251"},
};

/* ---- Moves ---- */

static uint64_t hash_text(const char *text) {
    uint64_t hash = 14695981039346656037u;
    for (; *text != '\0' && *text != '\n'; text++)
        hash = (hash ^ (uint8_t)*text) * 1099511628211u;
    hash ^= hash >> 29;
    return hash * 0x9e3779b97f4a7c15u;
}

/* Any legal move, the same for the same position; without captures and pawn moves where possible,
 * so that games stay level. */
static Move choose_move(const Engine *e) {
    Move moves[MAX_MOVES];
    int all = movegen_quiets(&e->position, moves);
    int count = 0;
    for (int i = 0; i < all; i++)
        if (piece_type(e->position.board[move_from(moves[i])]) != PAWN)
            moves[count++] = moves[i];
    if (count == 0)
        count = movegen_legal(&e->position, moves);
    if (count == 0)
        return MOVE_NONE;
    uint64_t pick = (e->position.key ^ (uint64_t)e->position.fullmove) * 0x9e3779b97f4a7c15u;
    return moves[(pick >> 32) % (uint64_t)count];
}

/* What an engine says that is the worse the farther its option is from the best. */
static int tuned_score(const Engine *e) {
    enum { PARTS = 1000 };
    uint64_t luck = e->opening ^ ((uint64_t)(int64_t)e->value * 2 + (e->position.stm == WHITE)) *
                                     0x9e3779b97f4a7c15u;
    luck = (luck ^ luck >> 31) * 0xbf58476d1ce4e5b9u;
    double distance = (double)(e->value - e->best) / e->scale;
    return (double)((luck >> 32) % PARTS) < (double)PARTS * distance * distance ? -SCORE : 0;
}

static int planned_score(const Engine *e) {
    if (e->scale > 0)
        return tuned_score(e);
    bool white = e->position.stm == WHITE;
    bool dev_white = white != e->is_base;
    int luck = (int)((e->opening ^ (dev_white ? 0 : 0x5bd1e9955bd1e995u)) >> 17) % HUNDRED;
    if (luck < 0)
        luck = -luck;
    int dev = luck < e->wins ? SCORE : luck < e->wins + e->draws ? 0 : -SCORE;
    return e->is_base ? -dev : dev;
}

static bool fault_is_due(const Engine *e) {
    if (e->fault == NULL || e->moves != e->at || (e->game != 0 && e->games != e->game))
        return false;
    if (e->once == NULL)
        return true;
    int fd = open(e->once, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* A promotion as people write it, not as the protocol has it. */
static void say_promotion_in_capitals(const Engine *e) {
    Move moves[MAX_MOVES];
    int count = movegen_legal(&e->position, moves);
    for (int i = 0; i < count; i++) {
        char text[MOVE_UCI_MAX];
        move_to_uci(moves[i], e->chess960, text);
        if (strlen(text) != 5 || text[4] != 'q')
            continue;
        text[4] = 'Q';
        printf("bestmove %s\n", text);
        fflush(stdout);
        return;
    }
}

/* Commits the fault; true when it answered in place of the move. */
static bool commit_fault(const Engine *e) {
    static const char LATE[] = "late=";
    static const char SLOW[] = "slow=";
    if (strncmp(e->fault, LATE, strlen(LATE)) == 0) {
        sleep_ms(atoi(e->fault + strlen(LATE)));
        return false;
    }
    if (strncmp(e->fault, SLOW, strlen(SLOW)) == 0) {
        int ms = atoi(e->fault + strlen(SLOW));
        sleep_ms(ms / 10);
        say("info nodes 1");
        sleep_ms(ms - ms / 10);
        return false;
    }
    if (strcmp(e->fault, "again") == 0) {
        printf("bestmove %s\n", e->last);
        fflush(stdout);
        return true;
    }
    if (strcmp(e->fault, "capitals") == 0) {
        say_promotion_in_capitals(e);
        return true;
    }
    for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++) {
        if (strcmp(e->fault, FAULTS[i].name) != 0)
            continue;
        if (FAULTS[i].act != NULL)
            FAULTS[i].act();
        if (FAULTS[i].answer != NULL)
            say(FAULTS[i].answer);
        return FAULTS[i].answer != NULL;
    }
    return false;
}

static void play_tricks(const Engine *e) {
    char answers[TRICKS_MAX][TRICK_ANSWER_MAX];
    for (int i = 0; i < e->trick_count; i++) {
        trick_play(e->tricks[i], answers[i]);
        printf("info string %s %s\n", e->tricks[i], answers[i]);
    }
    fputs("info string pgncomment", stdout);
    for (int i = 0; i < e->trick_count; i++)
        printf(" %s %s", e->tricks[i], answers[i]);
    say("");
}

/* What others print around their move; the score that counts was said before. */
static void show_habits(const char *told) {
    enum { STRINGS = 1000 };
    for (int i = 0; i < STRINGS; i++)
        printf("info string thinking about move %d bestmove a1a1\r\n", i);
    printf("info depth 1 score cp 900 lowerbound nodes 100 pv %s\r\n"
           "info depth 1 seldepth 9 multipv 2 score cp -900 nodes 100 pv a1a1\r\n"
           "info depth 30/40 currmove %s currmovenumber 1\r\n"
           "info nodes 100 nps 100 hashfull\r\n"
           "info string pgncomment \200caf\303\251\r\n"
           "\r\ninfo\r\nbestmoves a1a1\r\nhint: bestmove a1a1\r\n"
           " \tbestmove\t%s  ponder a1a1\r\n",
           told, told, told);
    fflush(stdout);
}

static void take_ticket(const Engine *e) {
    char ticket;
    int fd = open(e->tickets, O_RDONLY);
    if (fd < 0 || read(fd, &ticket, 1) != 1)
        _exit(6);
    close(fd);
}

static void think(Engine *e) {
    int64_t start = now_us();
    char move[MOVE_UCI_MAX];
    e->moves++;
    if (e->moves == 1 && e->tickets != NULL)
        take_ticket(e);
    if (e->moves == 1 && e->trick_count > 0)
        play_tricks(e);
    bool due = fault_is_due(e);
    if (due && commit_fault(e))
        return;
    if (e->delay_ms > 0)
        sleep_ms(e->delay_ms);
    move_to_uci(choose_move(e), e->chess960, move);
    const char *told = e->moves <= e->first_count ? e->first[e->moves - 1] : move;
    for (int i = 1; i <= e->infos; i++)
        printf("info depth %d seldepth %d multipv 1 score cp %d nodes %lld nps 1000 hashfull 7 pv "
               "%s\n",
               i, i + 1, planned_score(e), (long long)(e->nodes > 0 ? e->nodes : 100 * i),
               e->pv != NULL ? e->pv : told);
    if (e->report)
        printf("info string pgncomment took=%lld began=%lld\n", (long long)(now_us() - start),
               (long long)start);
    if (e->habits) {
        show_habits(told);
        return;
    }
    printf("bestmove %s\n", told);
    fflush(stdout);
    snprintf(e->last, sizeof e->last, "%s", told);
    if (due && strcmp(e->fault, "die-after") == 0)
        _exit(7);
    if (due && strcmp(e->fault, "twice") == 0)
        say("bestmove a1a1");
    if (due && strcmp(e->fault, "twice-later") == 0) {
        sleep_ms(30);
        printf("info depth 99 score mate 1\nbestmove %s\n", told);
        fflush(stdout);
    }
}

/* ---- Dialogue ---- */

static void set_position(Engine *e, char *text) {
    char *moves = strstr(text, " moves ");
    if (moves != NULL) {
        *moves = '\0';
        moves += strlen(" moves ");
    }
    const char *fen = strncmp(text, "fen ", 4) == 0 ? text + 4 : FEN_STARTPOS;
    bool startpos = strncmp(text, "startpos", strlen("startpos")) == 0;
    if ((fen != text + 4 && !startpos) || !fen_parse(&e->position, fen, e->chess960, NULL))
        _exit(3);
    e->opening = hash_text(fen);
    for (char *word = moves ? strtok(moves, " \n") : NULL; word; word = strtok(NULL, " \n")) {
        Undo undo;
        Move move = move_from_uci(&e->position, word);
        if (move == MOVE_NONE)
            _exit(4);
        position_make(&e->position, move, &undo);
    }
}

static bool starts_with(const char *text, const char *word) {
    return strncmp(text, word, strlen(word)) == 0;
}

/* Does the process begin with what start=KIND says? */
static void choose_start(Engine *e) {
    if ((e->start_if != NULL && unlink(e->start_if) != 0) ||
        (e->start_while != NULL && access(e->start_while, F_OK) != 0))
        e->start = NULL;
}

static bool start_is(const Engine *e, const char *kind) {
    return e->start != NULL && starts_with(e->start, kind);
}

static void declare(const Engine *e) {
    if (start_is(e, "exit")) {
        fputs("cannot open the network file\n", stderr);
        _exit(5);
    }
    if (start_is(e, "no-uciok"))
        return;
    if (start_is(e, "slow="))
        sleep_ms(atoi(e->start + strlen("slow=")));
    if (e->habits) {
        fputs(
            "Some Engine 1.0 (c) nobody\r\nid name \x80\xff \x1b[31m red\r\nid author \xc3\xa9\r\n"
            "option name Threads type spin default 1 min 1 max 4\r\n"
            "option name Book File type string default <empty>\r\n"
            "option name Style of play type combo default Very Wild var Very Wild var Shy\r\n"
            "option name\r\noption\r\noption name Type type spin min x max\r\nuciok\r\n",
            stdout);
        fflush(stdout);
        return;
    }
    say("id name scripted\nid author nobody\n"
        "option name Threads type spin default 1 min 1 max 4\n"
        "option name Hash type spin default 16 min 1 max 1024\n"
        "option name Style type combo default Solid var Solid var Very Wild\n"
        "option name Log File type string default <empty>\n"
        "option name Clear Hash type button");
    if (e->scale > 0)
        printf("option name %s type spin default 0 min -1000 max 1000\n"
               "option name %s type spin default 0 min -1000 max 1000\n",
               e->names[0], e->names[1]);
    if (e->tables)
        say("option name SyzygyPath type string default <empty>");
    if (!start_is(e, "no960"))
        say("option name UCI_Chess960 type check default false");
    say("uciok");
}

/* Does the line set the option that is tuned? */
static bool set_value(Engine *e, const char *line) {
    char name[OPTION_NAME_SIZE];
    int value;
    if (sscanf(line, "setoption name %31s value %d", name, &value) != 2 ||
        strcmp(name, e->names[0]) != 0)
        return false;
    e->value = value;
    return true;
}

/* False on quit. */
static bool obey(Engine *e, char *line) {
    if (starts_with(line, "quit")) {
        if (e->crash_at_quit)
            raise(SIGSEGV);
        return e->ignore_quit;
    }
    if (starts_with(line, "ucinewgame")) {
        e->games++;
        e->moves = 0;
    } else if (starts_with(line, "uci"))
        declare(e);
    else if (starts_with(line, "isready")) {
        if (start_is(e, "slow-ready=") && e->games == 1 && e->moves == 0)
            sleep_ms(atoi(e->start + strlen("slow-ready=")));
        bool silent = e->moves == 0 && e->fault != NULL && strcmp(e->fault, "no-readyok") == 0 &&
                      fault_is_due(e);
        if (!start_is(e, "no-readyok") && !silent)
            say("readyok");
    } else if (set_value(e, line))
        return true;
    else if (starts_with(line, "setoption name UCI_Chess960 value true"))
        e->chess960 = true;
    else if (starts_with(line, "position "))
        set_position(e, line + strlen("position "));
    else if (starts_with(line, "go"))
        think(e);
    return true;
}

static void log_line(const Engine *e, const char *line) {
    if (e->log == NULL)
        return;
    char text[LINE_SIZE + 32];
    int length = snprintf(text, sizeof text, "%d %s", (int)getpid(), line);
    int fd = open(e->log, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (fd < 0 || write(fd, text, (size_t)length) != length)
        _exit(6);
    close(fd);
}

static void read_arguments(Engine *e, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        const char *value = strchr(word, '=') != NULL ? strchr(word, '=') + 1 : "";
        if (starts_with(word, "side="))
            e->is_base = strcmp(value, "base") == 0;
        else if (starts_with(word, "plan="))
            sscanf(value, "%d,%d", &e->wins, &e->draws);
        else if (starts_with(word, "tuned="))
            sscanf(value, "%d,%d", &e->best, &e->scale);
        else if (starts_with(word, "names="))
            sscanf(value, "%31[^,],%31s", e->names[0], e->names[1]);
        else if (starts_with(word, "delay="))
            e->delay_ms = atoi(value);
        else if (starts_with(word, "tickets="))
            e->tickets = value;
        else if (starts_with(word, "infos="))
            e->infos = atoi(value);
        else if (starts_with(word, "nodes="))
            e->nodes = atoll(value);
        else if (starts_with(word, "pv="))
            e->pv = value;
        else if (starts_with(word, "fault="))
            e->fault = value;
        else if (starts_with(word, "at="))
            e->at = atoi(value);
        else if (starts_with(word, "game="))
            e->game = atoi(value);
        else if (starts_with(word, "start-if="))
            e->start_if = value;
        else if (starts_with(word, "start-while="))
            e->start_while = value;
        else if (strcmp(word, "habits") == 0)
            e->habits = true;
        else if (strcmp(word, "tables") == 0)
            e->tables = true;
        else if (strcmp(word, "crash-at-quit") == 0)
            e->crash_at_quit = true;
        else if (starts_with(word, "once="))
            e->once = value;
        else if (starts_with(word, "start="))
            e->start = value;
        else if (starts_with(word, "log="))
            e->log = value;
        else if (starts_with(word, "trick=") && e->trick_count < TRICKS_MAX)
            e->tricks[e->trick_count++] = value;
        else if (strcmp(word, "ignore-quit") == 0)
            e->ignore_quit = true;
        else if (strcmp(word, "report") == 0)
            e->report = true;
        else if (starts_with(word, "first=")) {
            e->first = argv + i;
            e->first[0] += strlen("first=");
            e->first_count = argc - i;
            return;
        } else {
            fprintf(stderr, "scripted_engine: what is %s?\n", word);
            exit(2);
        }
    }
}

int main(int argc, char **argv) {
    static char line[LINE_SIZE];
    static Engine engine = {.draws = HUNDRED, .infos = 1, .at = 2, .names = {"Value", "Idle"}};
    read_arguments(&engine, argc, argv);
    choose_start(&engine);
    chess_init();
    if (engine.ignore_quit)
        signal(SIGTERM, SIG_IGN);
    while (fgets(line, sizeof line, stdin) != NULL) {
        log_line(&engine, line);
        if (!obey(&engine, line))
            return 0;
    }
    if (engine.ignore_quit)
        wait_for_death();
    return 0;
}
