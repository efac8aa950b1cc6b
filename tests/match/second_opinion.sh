#!/bin/sh
# SPDX-License-Identifier: MIT
# Games of all kinds, as the match runner writes them, read by a rules library that is not ours: it
# agrees with every move, check, ending and result. And it does object when there is reason to.
set -eu
. "$srcdir/tests/match/common.sh"
if no_second_opinion; then
    exit 77
fi
mkdir "$work/books" "$work/games" "$work/broken"
games=${RD_DEEP:+200}
games=${games:-20}

# play NAME DEV BASE OPTIONS…: a match into NAME.pgn.
play() {
    name=$1
    dev=$2
    base=$3
    shift 3
    "$OBWORKER" match --dev "$dev" --base "$base" --seed 1 --quiet --pgn "$work/games/$name.pgn" \
        "$@" >"$work/out" 2>"$work/err" || fail "the match '$name': $(cat "$work/err")"
}

### Books.
# Double Chess960: each side's back rank is drawn by itself, by Lehmer's generator.
awk 'function random(n) { state = state * 16807 % 2147483647; return state % n }
     # Onto the k-th free square of the rank, from 0.
     function put(piece, k,   f) {
         for (f = 1; f <= 8; f++) if (rank[f] == "" && k-- == 0) { rank[f] = piece; return }
     }
     function draw(   f, text) {
         for (f = 1; f <= 8; f++) rank[f] = ""
         rank[1 + 2 * random(4)] = "b"
         rank[2 + 2 * random(4)] = "b"
         put("q", random(6)); put("n", random(5)); put("n", random(4))
         put("r", 0); put("k", 0); put("r", 0)
         for (f = 1; f <= 8; f++) text = text rank[f]
         return text
     }
     BEGIN {
         state = 2026
         for (i = 0; i < 200; i++) {
             black = draw()
             print black "/pppppppp/8/8/8/8/PPPPPPPP/" toupper(draw()) " w KQkq - 0 1"
         }
     }' >"$work/books/double960.epd"
# Counters in the book, and what is over before it begins or ends with the next move: fifty moves,
# bare kings, stalemate, mate on the move that would be the fiftieth, an en passant square.
cat >"$work/books/endings.epd" <<'EPD'
8/8/4k3/8/2r5/8/3RK3/8 w - - hmvc 88; fmvn 120;
8/5k2/8/8/8/1q6/6K1/4Q3 b - - hmvc 91; fmvn 77;
4k3/8/8/2pP4/8/8/8/4K2R w K c6 hmvc 0; fmvn 61;
8/8/3k4/8/8/2NK4/8/8 w - - hmvc 3; fmvn 90;
8/8/3k4/8/8/2BK4/8/4b3 w - - hmvc 10; fmvn 90;
k7/2Q5/2K5/8/8/8/8/8 w - - hmvc 99; fmvn 150;
k7/2Q5/1K6/8/8/8/8/8 b - - hmvc 20; fmvn 150;
EPD
# Games as openings; the first one's last position stands there for the second time.
cat >"$work/books/lines.pgn" <<'PGN'
[Event "a line"]

1. Nf3 Nf6 2. Ng1 Ng8 *

[Event "another"]
[FEN "r3k2r/pppq1ppp/2npbn2/4p3/4P3/2NPBN2/PPPQ1PPP/R3K2R b KQkq - 4 9"]
[SetUp "1"]

9... O-O 10. O-O-O d5 *
PGN

### Games.
play natural "$REDUCTIO" "$REDUCTIO" --dev-tc N=900 --base-tc N=300 --games $games \
    --win-adj None --draw-adj None
play adjudicated "$REDUCTIO" "$REDUCTIO" --dev-tc N=1000 --base-tc N=500 --games $games
play double960 "$REDUCTIO" "$REDUCTIO" --tc N=400 --games $games \
    --book "$work/books/double960.epd" --chess960 --event "Double Chess960" \
    --site "here \"and\" there" --pgn-hashfull
play endings "$REDUCTIO" "$REDUCTIO" --tc N=300 --games 14 --book "$work/books/endings.epd" \
    --win-adj None --draw-adj None
play lines "$engine" "$engine" --tc N=1 --games 8 --book "$work/books/lines.pgn" \
    --win-adj None --draw-adj None
# One game at a time, so that the first one has the fault, and dev is White there.
for fault in die illegal unparsable zero none missing; do
    play $fault "$engine fault=$fault once=$work/once-$fault" "$engine" --tc N=1 --games 4 \
        --sandbox off --concurrency 1 --book "$work/books/lines.pgn"
done
play late "$engine fault=late=1700 once=$work/once-late" "$engine" --dev-tc 0.5+0.5 \
    --base-tc 60+1 --margin 0 --games 4 --sandbox off --concurrency 1
# played PROGRAM: the games of a test program, which is there where Check is installed.
played() {
    [ -x "$builddir/tests/bin/$1" ] || {
        echo "left out: the games of $1: it was not built (Check is missing)"
        return
    }
    RD_PGN=$work/games/$1.pgn "$builddir/tests/bin/$1" >/dev/null || fail "the games of $1"
}
played test_rules
if [ -n "${RD_DEEP:-}" ]; then
    played test_match
    played test_faults
    if [ -x /usr/games/stockfish ] && [ -x /usr/games/fairy-stockfish ]; then
        play packaged /usr/games/stockfish /usr/games/fairy-stockfish --tc 1+0.01 --games $games
        play packaged960 /usr/games/stockfish /usr/games/fairy-stockfish --tc N=2000 \
            --games $games --book "$work/books/double960.epd" --chess960 --win-adj None \
            --draw-adj None
    fi
    if [ -d "$RD_SHARED/golden/matches" ]; then
        cp "$RD_SHARED/golden/matches/"*.pgn "$work/games"
    fi
fi

### It agrees with all of them.
for file in "$work/games/"*.pgn; do
    second_opinion "$file" >"$work/said" || fail "$(basename "$file")"
    sed "s|^second opinion|$(basename "$file" .pgn)|" "$work/said"
    case $file in
    */double960.pgn) ! grep -q ' 0 castlings' "$work/said" || fail "nobody castled in double Chess960" ;;
    esac
done
for ending in "White mates" "Black mates" "Draw by stalemate" "Draw by fifty moves rule" \
    "Draw by 3-fold repetition" "Draw by insufficient mating material" "wins by adjudication" \
    "Draw by adjudication" "loses on time" "disconnects" "makes an illegal move: e2e5" \
    "makes an illegal move: 0000" "makes an illegal move: (none)" "makes an illegal move: Nf3"; do
    cat "$work/games/"*.pgn | tr '\n' ' ' | grep -qF "$ending" || fail "no game ends so: $ending"
done

### It objects: each of these changes one thing in a file that it agreed with. What they look for is
### there however our engine plays.
# spoil WHAT FILE FROM TO: replaces the first match in the file.
spoil() {
    [ "$2" != test_rules ] || [ -x "$builddir/tests/bin/test_rules" ] || return 0
    awk -v from="$3" -v to="$4" '!done && sub(from, to) { done = 1 } { print }' \
        "$work/games/$2.pgn" >"$work/broken/$2.pgn"
    if cmp -s "$work/games/$2.pgn" "$work/broken/$2.pgn"; then
        fail "'$3' is not in $2.pgn: nothing to spoil ($1)"
    elif second_opinion "$work/broken/$2.pgn" >/dev/null 2>"$work/err"; then
        fail "no objection: $1"
    elif ! grep -q "$2.pgn: game [0-9]* (round [0-9]*): " "$work/err"; then
        fail "$1: what is wrong? $(cat "$work/err")"
    fi
}
spoil "a check is not marked" natural '\\+ {' ' {'
spoil "a move is marked as check" natural '[0-9] {' '&+ {'
spoil "a mate is a check" test_rules '# {' '+ {'
spoil "an illegal move" natural '[a-h]4 {' 'Kh5 {'
spoil "a move is left out" natural ' [a-h][45] {[^}]*}' ''
spoil "a disambiguation too much" natural ' N[a-h][0-9] {' ' Ng1f3 {'
spoil "another castling" lines ' O-O {' ' O-O-O {'
spoil "another result" test_rules 'Result "1-0"' 'Result "0-1"'
spoil "another result after the moves" test_rules ' 1-0$' ' 1/2-1/2'
spoil "the wrong side mates" test_rules 'White mates' 'Black mates'
spoil "a repetition that is none" test_rules 'White mates' 'Draw by 3-fold repetition'
spoil "another rule" test_rules '3-fold repetition' 'fifty moves rule'
spoil "a draw agreed upon" test_rules '3-fold repetition' 'adjudication'
spoil "another termination" test_rules 'Termination "normal"' 'Termination "adjudication"'
spoil "another number of plies" test_rules 'PlyCount "' '&1'
spoil "another move number" natural '12\\. ' '13. '
spoil "castling without the right" lines ' KQkq ' ' - '
spoil "rights in letters of the other kind" double960 ' w [A-H]*[a-h]* - ' ' w KQkq - '
spoil "fifty moves that were over earlier" test_rules ' - 98 ' ' - 99 '
spoil "an en passant square that nobody captures on" natural ' w KQkq - ' ' w KQkq e3 '
spoil "a bishop for the knight" endings '2NK4' '2PK4'
spoil "a legal move called illegal" illegal 'illegal move: e2e5' 'illegal move: a2a3'
spoil "an ending that there is not" late 'loses' 'wins'
spoil "a comment of another form" natural 'n=[0-9]*' 'nodes'
spoil "no reason" test_rules ', White mates' ''
spoil "tags in another order" natural '\\[Site' '[Sight'
: >"$work/broken/empty.pgn"
second_opinion "$work/broken/empty.pgn" >/dev/null 2>&1 && fail "no objection: no game at all"
exit "$failed"
