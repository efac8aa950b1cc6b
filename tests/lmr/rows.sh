#!/bin/sh
# Every row of the flag table acts: changed alone (with what its `needs` column asks for set first)
# it changes what is searched. One tunable build plays all variants. STATS must change nothing.
set -eu
src=$srcdir/engine
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LMR TUNE EXE BUILD MAKEFLAGS MAKELEVEL MFLAGS CFLAGS || true
depth=9
make -C "$src" CC="${CC:-cc}" CFLAGS="-O2" TUNE=1 BUILD="$work/build" EXE="$work/tune" \
    >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
}

# bench_with ROW=VALUE ...: nodes of bench, after these options; empty when one is refused.
bench_with() {
    for word in "$@"; do
        printf 'setoption name %s value %s\n' "${word%%=*}" "${word#*=}"
    done >"$work/commands"
    # Bench, and a race of pawns, whose promotions bench may lack.
    printf 'position fen 8/1P1k2P1/8/8/8/6p1/1p1K2r1/8 w - - 0 1\ngo depth %s\nbench %s\nquit\n' \
        "$depth" "$depth" >>"$work/commands"
    if ! "$work/tune" <"$work/commands" >"$work/answer" 2>&1 || grep -q 'setoption:' "$work/answer"
    then
        cat "$work/answer" >&2
        return 0
    fi
    awk '/^info .* nodes / { for (i = 1; i < NF; i++) if ($i == "nodes") race = $(i + 1) }
        / nodes / { bench = $1 } END { print bench "+" race }' "$work/answer"
}

# others NAME KIND DEFAULT ALLOWED: values to try instead of the default.
others() {
    case $2 in
    B) if [ "$3" = 1 ]; then echo false; else echo true; fi ;;
    C) for value in $4; do [ "$value" = "$3" ] || echo "$value"; done ;;
    *)
        low=${4%%..*}
        high=${4##*..}
        for value in 0 $(($3 + 1)) $(($3 + ($3 < 0 ? -$3 : $3) + 1)) $(($3 / 2)) 1 60 200 1024 "$low" "$high"; do
            [ "$value" -ge "$low" ] && [ "$value" -le "$high" ] && [ "$value" -ne "$3" ] &&
                echo "$value"
        done
        ;;
    esac
    true
}

# ROW=a,b and ROW!=a as options: the first value named, or any other one.
needs_of() {
    for need in $1; do
        case $need in
        -) ;;
        *!=*)
            row=${need%%!=*}
            value=$(sed -n "s/^$row *|//p" "$src/lmr/flags.def" | {
                IFS='|' read -r kind standard allowed rest
                set -- $kind "$(echo $standard)" "$(echo $allowed)"
                if [ "$2" != "${need#*!=}" ]; then echo "$2"; else others "$row" "$@" | sed -n 2p; fi
            })
            echo "$row=$value"
            ;;
        *) value=${need#*=}; echo "${need%%=*}=${value%%,*}" ;;
        esac
    done
}

rows=0
inert=0
while IFS='|' read -r name kind standard allowed texts needs meaning; do
    case $name in '#'* | '') continue ;; esac
    name=$(echo $name)
    kind=$(echo $kind)
    standard=$(echo $standard)
    allowed=$(echo $allowed)
    set -- $(needs_of "$(echo $needs)")
    rows=$((rows + 1))
    before=$(bench_with "$@" </dev/null)
    if [ "$name" = STATS ]; then
        if [ "$(bench_with STATS=true </dev/null)" != "$before" ]; then
            echo "rows: STATS changes the search" >&2
            inert=$((inert + 1))
        fi
        continue
    fi
    # What H keeps from one search to the next cannot show where every search begins afresh.
    [ "$name" = H_CLEAR ] && continue
    acts=
    for value in $(others "$name" "$kind" "$standard" "$allowed"); do
        after=$(bench_with "$@" "$name=$value" </dev/null)
        if [ -n "$after" ] && [ "$after" != "$before" ]; then
            acts=yes
            break
        fi
    done
    if [ -z "$acts" ]; then
        echo "rows: $name changes nothing: $before nodes whatever its value (with: ${*:-defaults})" >&2
        inert=$((inert + 1))
    fi
done <"$src/lmr/flags.def"
echo "rows: $rows rows tried, $inert without effect"
[ "$rows" -gt 0 ] && [ "$inert" -eq 0 ]
