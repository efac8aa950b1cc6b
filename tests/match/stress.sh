#!/bin/sh
# A thousand games with engines killed and stopped at random moments: every game is counted, faults
# are faults of the right kind, nothing stays behind. `make check-deep` plays it.
set -eu
. "$srcdir/tests/tools/second_opinion/ask.sh"
if [ -z "${RD_DEEP:-}" ]; then
    echo "left out: a thousand games with engines killed at random, which make check-deep plays"
    exit 77
fi
engine=$builddir/tests/bin/scripted_engine
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work/state"
for pawn in 8/P7/1PPPPPPP 8/1P6/P1PPPPPP 8/2P5/PP1PPPPP 8/3P4/PPP1PPPP 8/4P3/PPPP1PPP; do
    echo "rnbqkbnr/pppppppp/8/8/$pawn/RNBQKBNR b KQkq -"
done >"$work/book.epd"

"$OBWORKER" match --dev "$engine side=dev delay=10 plan=30,40" \
    --base "$engine side=base delay=10 plan=30,40" --book "$work/book.epd" --seed 1 --tc 3+0.01 \
    --draw-adj "movenumber=0 movecount=3 score=10" --games 1000 --concurrency 16 --json \
    --pgn "$work/out.pgn" >"$work/out" 2>"$work/err" &
worker=$!
# The engines among the worker's children: a sanitizer has processes of its own there.
engines() { ps -o pid=,comm= --ppid "$worker" 2>/dev/null | awk '$2 ~ /^scripted/ { print $1 }' || true; }
random=1
# An engine that never worked ends the match; from now on each has.
while kill -0 "$worker" 2>/dev/null && [ ! -s "$work/out.pgn" ]; do
    sleep 0.2
done
while kill -0 "$worker" 2>/dev/null; do
    sleep 0.2
    random=$(((random * 1103515245 + 12345) % 2147483648))
    victim=$(engines | awk -v r="$random" '{ pid[NR] = $1 } END { if (NR > 0) print pid[r % NR + 1] }')
    [ -n "$victim" ] || continue
    if [ $((random / 65536 % 4)) -eq 0 ]; then
        kill -STOP "$victim" 2>/dev/null || true
    else
        kill -KILL "$victim" 2>/dev/null || true
    fi
done
code=0
wait "$worker" || code=$?
cat "$work/out"
grep -v '^warning\|games  W' "$work/err" || true
[ "$code" -eq 0 ] || { echo "status $code" >&2; exit 1; }
grep -q '"games":1000' "$work/out" || { echo "not a thousand games" >&2; exit 1; }
games=$(grep -c '^\[Round ' "$work/out.pgn")
[ "$games" -eq 1000 ] || { echo "$games games in the PGN" >&2; exit 1; }
faults=$(grep -c '^\[Termination "\(abandoned\|time forfeit\|stalled connection\)"' "$work/out.pgn" || true)
[ "$faults" -gt 0 ] || { echo "no engine was caught at work" >&2; exit 1; }
echo "$faults games lost by faults"
second_opinion "$work/out.pgn"
