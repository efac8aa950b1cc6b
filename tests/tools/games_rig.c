/* SPDX-License-Identifier: MIT */
#include "tools/games_rig.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>

#include "match/pgn.h"
#include "tools/worker_rig.h"

Text uploaded(size_t index) {
    size_t length = 0;
    char *bytes = double_upload(rig_server, GAMES, index, &length);
    ck_assert_msg(bytes && length > 3 && memcmp(bytes, "BZh", 3) == 0, "no bzip2 file");
    struct archive *reader = archive_read_new();
    struct archive_entry *entry;
    Text text = {0};
    char block[4096];
    la_ssize_t got;
    archive_read_support_filter_bzip2(reader);
    archive_read_support_format_raw(reader);
    ck_assert_int_eq(archive_read_open_memory(reader, bytes, length), ARCHIVE_OK);
    ck_assert_int_eq(archive_read_next_header(reader, &entry), ARCHIVE_OK);
    while ((got = archive_read_data(reader, block, sizeof block)) > 0)
        text_add_bytes(&text, block, (size_t)got);
    ck_assert_int_eq(got, 0);
    archive_read_free(reader);
    free(bytes);
    return text;
}

int count_games(const Text *text) {
    PgnReader reader = {.text = text_string(text), .length = text->length};
    PgnRecord record = {0};
    Error err = {0};
    int games = 0;
    int more;
    while ((more = pgn_read(&reader, &record, &err)) > 0)
        games++;
    ck_assert_msg(more == 0, "%s", err.text);
    pgn_record_free(&record);
    return games;
}

void expect_words(const Text *text, const char *words, bool wanted) {
    bool found = strstr(text_string(text), words) != NULL;
    ck_assert_msg(found == wanted, "%s \"%s\" in:\n%.2000s", wanted ? "no" : "a", words,
                  text_string(text));
}
