/* SPDX-License-Identifier: MIT */
/* The scripted server with the answers that a folder holds, for scripts:
 * DIR/api/workload/12/info.json is the answer to /api/workload/12/info/, and so on for each *.json,
 * *.html and *.txt below. Prints its address, then serves until its input ends.
 *
 *   served DIR */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "tools/openbench_double.h"

enum { FILE_MAX = 1 << 20 };

static const struct {
    const char *suffix, *type;
} TYPES[] = {{".json", "application/json"}, {".html", "text/html"}, {".txt", "text/plain"}};

/* The type of a file that is served, and how long its name is without the suffix; NULL: it is not.
 */
static const char *type_of(const char *path, size_t *stem) {
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        size_t suffix = strlen(TYPES[i].suffix);
        if (length > suffix && strcmp(path + length - suffix, TYPES[i].suffix) == 0) {
            *stem = length - suffix;
            return TYPES[i].type;
        }
    }
    return NULL;
}

static bool serve_file(Double *server, const char *root, const char *path) {
    Text body = {0};
    Text name = {0};
    Error err = {0};
    size_t stem = 0;
    const char *type = type_of(path, &stem);
    bool ok = type == NULL || file_read(path, FILE_MAX, &body, &err);
    if (ok && type != NULL) {
        text_add_bytes(&name, path + strlen(root), stem - strlen(root));
        text_add_char(&name, '/');
        double_serve(server, text_string(&name), type, body.data, body.length);
    }
    if (!ok)
        fprintf(stderr, "served: %s\n", err.text);
    text_free(&name);
    text_free(&body);
    return ok;
}

static bool serve_folder(Double *server, const char *root, const char *folder) {
    DIR *list = opendir(folder);
    bool ok = list != NULL;
    if (!ok)
        fprintf(stderr, "served: %s: cannot be read\n", folder);
    for (struct dirent *entry; ok && (entry = readdir(list)) != NULL;) {
        struct stat info;
        Text path = {0};
        text_addf(&path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.' && stat(text_string(&path), &info) == 0)
            ok = S_ISDIR(info.st_mode) ? serve_folder(server, root, text_string(&path))
                                       : serve_file(server, root, text_string(&path));
        text_free(&path);
    }
    if (list != NULL)
        closedir(list);
    return ok;
}

int main(int argc, char **argv) {
    char sink[64];
    if (argc != 2) {
        fprintf(stderr, "usage: served DIR\n");
        return 2;
    }
    Double *server = double_start();
    bool ok = serve_folder(server, argv[1], argv[1]);
    if (ok) {
        printf("%s\n", double_url(server));
        fflush(stdout);
        while (read(STDIN_FILENO, sink, sizeof sink) > 0)
            ;
    }
    double_stop(server);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
