/* SPDX-License-Identifier: MIT */
#include "match/syzygy.h"

#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "chess/bitboard.h"

enum { MEN_MIN = 3, MEN_MAX = 7 };

#ifdef HAVE_FATHOM
#include <tbprobe.h>

bool syzygy_available(void) {
    return true;
}

/* Without empty names: at a colon at the end the library reads beyond the text. */
static bool opens_tables(const char *folders) {
    Text named = {0};
    char *names = mem_strdup(folders), *rest = NULL;
    for (char *name = strtok_r(names, ":", &rest); name; name = strtok_r(NULL, ":", &rest))
        text_addf(&named, "%s%s", named.length ? ":" : "", name);
    bool opened = named.length && tb_init(named.data) && TB_LARGEST > 0;
    text_free(&named);
    free(names);
    return opened;
}

/* Why the folder cannot be read; NULL: it can. The dot makes a file an error too. */
static const char *folder_fault(const char *folder) {
    char *inside = text_format("%s/.", folder);
    int code = access(inside, R_OK | X_OK) == 0 ? 0 : errno;
    free(inside);
    return code ? strerror(code) : NULL;
}

/* Names the folders that cannot be read, and where no table was opened, those without tables. */
static void add_faults(Text *faults, const char *folders, bool opened) {
    char *names = mem_strdup(folders), *rest = NULL;
    for (char *name = strtok_r(names, ":", &rest); name; name = strtok_r(NULL, ":", &rest)) {
        const char *fault = folder_fault(name);
        if (!fault && !opened)
            fault = "no Syzygy tables there";
        if (fault)
            text_addf(faults, "%s%s: %s", faults->length ? "; " : "", name, fault);
    }
    free(names);
}

bool syzygy_open(Syzygy *syzygy, const char *folder, int men_limit, Log *log, Error *err) {
    *syzygy = (Syzygy){0};
    Text faults = {0};
    bool opened = opens_tables(folder);
    add_faults(&faults, folder, opened);
    if (!opened)
        error_set(err, "%s", faults.length ? text_string(&faults) : "no folder is named");
    else if (faults.length)
        log_warn(log, "--syzygy: %s; the tables of the other folders are in use",
                 text_string(&faults));
    text_free(&faults);
    if (!opened)
        return false;
    syzygy->men = (int)TB_LARGEST;
    if (men_limit > 0 && men_limit < syzygy->men)
        syzygy->men = men_limit;
    return true;
}

Adjudged syzygy_verdict(const Syzygy *syzygy, const Position *pos) {
    if (bb_popcount(position_occupied(pos)) > syzygy->men)
        return ADJUDGED_NONE;
    unsigned ep = pos->ep == SQUARE_NONE ? 0 : pos->ep;
    unsigned wdl = tb_probe_wdl(pos->by_color[WHITE], pos->by_color[BLACK], pos->by_type[KING],
                                pos->by_type[QUEEN], pos->by_type[ROOK], pos->by_type[BISHOP],
                                pos->by_type[KNIGHT], pos->by_type[PAWN], pos->rule50,
                                pos->castling, ep, pos->stm == WHITE);
    bool white_moves = pos->stm == WHITE;
    switch (wdl) {
    case TB_WIN:
        return white_moves ? ADJUDGED_WHITE_WINS : ADJUDGED_BLACK_WINS;
    case TB_LOSS:
        return white_moves ? ADJUDGED_BLACK_WINS : ADJUDGED_WHITE_WINS;
    case TB_CURSED_WIN:
    case TB_BLESSED_LOSS:
    case TB_DRAW:
        return ADJUDGED_DRAW;
    default: /* no table for this material */
        return ADJUDGED_NONE;
    }
}

#else

bool syzygy_available(void) {
    return false;
}

bool syzygy_open(Syzygy *syzygy, const char *folder, int men_limit, Log *log, Error *err) {
    (void)men_limit;
    (void)log;
    *syzygy = (Syzygy){0};
    return error_set(err, "%s: this program was built without Syzygy support (libfathom)", folder);
}

Adjudged syzygy_verdict(const Syzygy *syzygy, const Position *pos) {
    (void)syzygy;
    (void)pos;
    return ADJUDGED_NONE;
}

#endif

/* Whether one of the folders has the WDL table of this name. */
static bool has_table(const char *folders, const char *name) {
    for (const char *s = folders; *s;) {
        size_t length = strcspn(s, ":");
        Text path = {0};
        text_addf(&path, "%.*s/%s.rtbw", (int)length, s, name);
        bool found = length > 0 && access(path.data, R_OK) == 0;
        text_free(&path);
        if (found)
            return true;
        s += length + (s[length] == ':');
    }
    return false;
}

/* A material of both sides without the kings, under construction: the places of the pieces in
 * PIECE_ROW, never rising, White's first. */
typedef struct {
    const char *folders;
    int count[2];
    int pieces[2][MEN_MAX];
} Material;

static const char PIECE_ROW[] = "QRBNP";

static bool has_material(const Material *m) {
    char name[2 * MEN_MAX];
    size_t at = 0;
    for (int side = 0; side < 2; side++) {
        if (side)
            name[at++] = 'v';
        name[at++] = 'K';
        for (int i = 0; i < m->count[side]; i++)
            name[at++] = PIECE_ROW[m->pieces[side][i]];
    }
    name[at] = '\0';
    return has_table(m->folders, name);
}

/* Whether the sides of the material stand in the order of a table's name. With equal numbers of
 * pieces the side with the stronger ones is named first; a file has only one of the two names. */
static bool is_named_so(const Material *m) {
    if (m->count[0] != m->count[1])
        return m->count[0] > m->count[1];
    for (int i = 0; i < m->count[0]; i++)
        if (m->pieces[0][i] != m->pieces[1][i])
            return m->pieces[0][i] < m->pieces[1][i];
    return true;
}

/* Tries all pieces from place `at` on, White's, then Black's. Whether every complete material has a
 * table. */
static bool has_all_from(Material *m, int at) {
    int side = at < m->count[0] ? 0 : 1;
    int index = at - (side ? m->count[0] : 0);
    if (at == m->count[0] + m->count[1])
        return !is_named_so(m) || has_material(m);
    for (int piece = index ? m->pieces[side][index - 1] : 0; PIECE_ROW[piece]; piece++) {
        m->pieces[side][index] = piece;
        if (!has_all_from(m, at + 1))
            return false;
    }
    return true;
}

int syzygy_complete_men(const char *folders) {
    int complete = 0;
    for (int men = MEN_MIN; men <= MEN_MAX; men++) {
        for (int black = 0; 2 * black <= men - 2; black++) {
            Material m = {.folders = folders, .count = {men - 2 - black, black}};
            if (!has_all_from(&m, 0))
                return complete;
        }
        complete = men;
    }
    return complete;
}
