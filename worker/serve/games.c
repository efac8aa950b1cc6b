/* SPDX-License-Identifier: MIT */
#include "serve/games.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

/* The name of a file of games, which the tar has too; and its folder. */
static void add_name(Text *out, int64_t test_id, int64_t row_id, int64_t book_index) {
    text_addf(out, "%lld.%lld.%lld.pgn.bz2", (long long)test_id, (long long)row_id,
              (long long)book_index);
}
static void add_folder(Text *out, const char *data, int64_t test_id) {
    text_addf(out, "%s/games/%lld", data, (long long)test_id);
}

bool games_are_bzip2(const char *path, bool *found, Error *err) {
    char magic[4];
    bool ok = file_read_start(path, magic, sizeof magic) ||
              error_set(err, "%s: %s", path, strerror(errno));
    *found = strcmp(magic, "BZh") == 0;
    return ok;
}

bool games_keep(const char *data, int64_t test_id, int64_t row_id, int64_t book_index,
                const char *from, Error *err) {
    Text to = {0};
    add_folder(&to, data, test_id);
    bool ok = file_make_folders(text_string(&to), err);
    text_add_char(&to, '/');
    add_name(&to, test_id, row_id, book_index);
    ok = ok && file_install(from, text_string(&to), err);
    text_free(&to);
    return ok;
}

StoredGames games_list(const char *data, int64_t test_id, Query *query, Words *files) {
    StoredGames games, all = {.test_id = test_id};
    while (store_next_games(query, &games)) {
        Text path = {0};
        add_folder(&path, data, test_id);
        text_add_char(&path, '/');
        add_name(&path, test_id, games.row_id, games.book_index);
        words_add(files, text_string(&path));
        text_free(&path);
        all.bytes += games.bytes;
        if (games.created > all.created)
            all.created = games.created;
    }
    return all;
}
