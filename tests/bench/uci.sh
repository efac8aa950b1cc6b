# SPDX-License-Identifier: MIT
# For the scripts beside it, which read it with `.`: an engine at the other end of two pipes, by UCI. Commands go to descriptor 3,
# the engine's lines come from descriptor 4. $name is the script's own, for messages; $here is the folder of this
# file; $work is a folder that goes when the script ends.
. "$here/../tools/work.sh"

# engine_ended: the engine closed its output before it should.
engine_ended() {
    echo "$name: $engine ended" >&2
    exit 1
}

# wait_for WORD: reads the engine's lines until one begins with WORD, which stays in $line.
wait_for() {
    while read -r line <&4; do
        case $line in "$1"*) return 0 ;; esac
    done
    engine_ended
}

# number WORD TEXT: the number after WORD.
number() { printf '%s\n' "$2" | sed -n "s/.* $1 \([0-9]*\).*/\1/p"; }

# engine_start ENGINE OPTION=VALUE...: starts it, and waits until it is ready. It stays in $engine.
engine_start() {
    engine=$1
    shift
    command -v "$engine" >/dev/null || { echo "$name: $engine is not there (install it, or name another: CONTRIBUTING.md)" >&2; exit 1; }
    mkfifo "$work/in" "$work/out"
    "$engine" <"$work/in" >"$work/out" 2>/dev/null &
    exec 3>"$work/in" 4<"$work/out"
    echo uci >&3
    for option; do
        echo "setoption name ${option%%=*} value ${option#*=}" >&3
    done
    echo isready >&3
    wait_for readyok
}

# engine_new_game: the engine forgets what it knows.
engine_new_game() {
    printf 'ucinewgame\nisready\n' >&3
    wait_for readyok
}

engine_quit() {
    echo quit >&3
    exec 3>&- 4<&-
    wait
    rm -f "$work/in" "$work/out"
}

# positions_of FILE: a line "FEN|MOVE" for each line "EPD bm MOVE;" of the file, the move in coordinates.
positions_of() { sed -n 's/^\([^#].*\) bm \([a-h1-8qrbn]*\);.*/\1 0 1|\2/p' "$1"; }
