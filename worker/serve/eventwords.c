/* SPDX-License-Identifier: MIT */
#include "serve/eventwords.h"

#include <inttypes.h>
#include <string.h>

#include "match/pgn.h"
#include "serve/values.h"

/* Appends the players, the loser first. */
static void add_players(const PgnRecord *game, Text *out) {
    bool white_won = strcmp(game->result, "1-0") == 0;
    bool over = white_won || strcmp(game->result, "0-1") == 0;
    if (white_won)
        text_addf(out, "%s (Black) lost to %s (White)", game->black, game->white);
    else
        text_addf(out, "%s (White) %s %s (Black)", game->white, over ? "lost to" : "against",
                  game->black);
}

static void add_game(const char *log, Text *out) {
    const char *tags_end = strstr(log, "\n\n");
    PgnReader reader = {.text = log, .length = tags_end ? (size_t)(tags_end - log) : strlen(log)};
    PgnRecord game = {0};
    Error err;
    if (pgn_read(&reader, &game, &err) == 1 && game.white[0] != '\0' && game.black[0] != '\0') {
        if (game.round[0] != '\0')
            text_addf(out, "round %s: ", game.round);
        add_players(&game, out);
    }
    pgn_record_free(&game);
}

void event_values(cJSON *item, const Event *event, int64_t now) {
    Text machine = {0};
    Text game = {0};
    if (event->machine_id)
        text_addf(&machine, "%s #%" PRId64, event->machine_name, event->machine_id);
    add_game(event->log, &game);
    value_number(item, "id", event->id);
    value_time(item, "time", event->time, now);
    value_text(item, "author", event->author);
    value_take(item, "machine", &machine);
    value_number(item, "test", event->test_id);
    value_text(item, "summary", event->summary);
    value_text(item, "log", event->log);
    value_take(item, "game", &game);
}
