/* SPDX-License-Identifier: MIT */
#include "session/view.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LLR_DECIMALS = 2 };

/* Bytes of UTF-8 that continue a character. */
enum { CONTINUES = 0x80, CONTINUES_MASK = 0xC0 };

/* Appends the line with visible characters only, cut to the width. A byte takes at most one column.
 */
static void add_line(Text *out, int width, Text *line) {
    Text visible = {0};
    text_add_visible(&visible, text_string(line), KEEP_NO_LINES);
    size_t length = visible.length;
    size_t most = width > 1 ? (size_t)width - 1 : 1;
    if (length > most) {
        length = most;
        while (length > 0 && ((unsigned char)visible.data[length] & CONTINUES_MASK) == CONTINUES)
            length--;
    }
    text_add_bytes(out, text_string(&visible), length);
    text_add_char(out, '\n');
    text_clear(line);
    text_free(&visible);
}

static void write_test(const WorkView *v, int width, Text *line, Text *out) {
    text_addf(line, "Test    %" PRId64 " %s   %s [%s] against %s [%s]", v->test_id, v->test_type,
              v->dev, v->dev_engine, v->base, v->base_engine);
    add_line(out, width, line);
    text_addf(line, "Played  %" PRId64 " of %" PRId64 " games", v->games_over, v->games);
    if (v->games_per_hour > 0)
        text_addf(line, "   %.0f games/h", v->games_per_hour);
    add_line(out, width, line);
    if (!v->known)
        return;
    if (v->sprt)
        text_addf(line, "LLR     %+.2f (%+.2f, %+.2f) after %" PRId64 " games",
                  unsigned_zero(v->llr, LLR_DECIMALS), unsigned_zero(v->llr_lower, LLR_DECIMALS),
                  unsigned_zero(v->llr_upper, LLR_DECIMALS), v->server_games);
    else
        text_addf(line, "Server  has %" PRId64 " games of the test", v->server_games);
    add_line(out, width, line);
}

void workview_write(const WorkView *v, int width, Text *out) {
    Text line = {0};
    text_addf(&line, "Server  %s   machine %" PRId64 ", %" PRId64 " thread%s   %s", v->server,
              v->machine_id, v->threads, text_plural(v->threads), v->state);
    add_line(out, width, &line);
    if (v->has_test)
        write_test(v, width, &line, out);
    text_addf(&line, "Upload  %" PRId64 " games", v->games_uploaded);
    if (v->last_upload)
        text_addf(&line, ", lastly %s", v->last_upload);
    if (v->games_waiting > 0)
        text_addf(&line, "   %" PRId64 " waiting", v->games_waiting);
    add_line(out, width, &line);
    if (v->next_action) {
        text_addf(&line, "Next    %s", v->next_action);
        if (v->next_wait_s >= 0)
            text_addf(&line, " in %" PRId64 " s", v->next_wait_s);
        add_line(out, width, &line);
    }
    text_free(&line);
}

void workview_free(WorkView *v) {
    free(v->last_upload);
    free(v->next_action_at);
}
