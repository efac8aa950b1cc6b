#!/bin/sh
# SPDX-License-Identifier: MIT
# obworker check-engine: a sound engine passes every check, and each fault of the scripted engine is found, told
# and followed by the checks that are left. No check here depends on the machine's speed: limits are generous, but
# where an engine never answers.
set -eu
. "$srcdir/tests/match/common.sh"
cd "$work"

# examine STATUS ENGINE OPTIONS…: the table in out.
examine() {
    wanted=$1
    shift
    code=0
    "$OBWORKER" check-engine "$@" --quiet >out 2>err || code=$?
    expect "status of check-engine $*" "$code" "$wanted"
    expect "stderr of check-engine $*" "$(said err)" ""
}
# told CHECK RESULT TEXT: the line of this check.
told() {
    grep -q "^$1  *$2  *.*$3" out || fail "'$1 $2 ... $3' is not in: $(cat out)"
}
patient="--timeout 60 --margin 60000"

### This project's engine is sound.
examine 0 "$REDUCTIO" $patient
expect "checks that are ok" "$(grep -c ' ok ' out)" 23
expect_in "a sound engine" out "Would lose games in a match: no"
expect_in "a sound engine" out "OpenBench can use it:        yes"
told bench ok "nodes, the same from two copies"
told genfens ok "4 openings"
told Chess960 ok "castling as king takes rook"

### The scripted engine answers everything, but at once, and has no bench.
examine 0 "$engine" $patient
expect_in "an engine without bench" out "Would lose games in a match: no"
expect_in "an engine without bench" out "OpenBench can use it:        no: bench"
told bench FAILS "exited with status 2"
told "go infinite, stop" warning "was answered before 'stop'"
told genfens "left out" "data generation alone"
"$OBWORKER" check-engine "$engine" $patient --json --quiet >out.json
expect_in "JSON" out.json '"loses_games":false,"openbench":false}'
expect_in "JSON" out.json '{"check":"bench","result":"FAILS"'

### A speed of 0 can scale no clock.
printf '#!/bin/sh\n[ "$1" != bench ] || exec echo 5 nodes 0 nps\nexec %s "$@"\n' "$engine" >still
chmod +x still
examine 0 "$work/still" $patient --sandbox off
told bench FAILS "tells a speed of 0: no test with clocks could be played"

### A bench that fails after its count is none for the worker to refuse; one that is killed is.
printf '#!/bin/sh\n[ "$1" != bench ] || { echo 5 nodes 7 nps; exit 3; }\nexec %s "$@"\n' "$engine" >odd
chmod +x odd
examine 0 "$work/odd" $patient --sandbox off
told bench warning "'bench' exited with status 3; workers look at its 5 nodes alone"
expect_in "an engine whose bench fails" out "OpenBench can use it:        yes"
printf '#!/bin/sh\n[ "$1" != bench ] || { echo 5 nodes 7 nps; kill -SEGV $$; }\nexec %s "$@"\n' "$engine" >cut
chmod +x cut
examine 0 "$work/cut" $patient --sandbox off
told bench FAILS "signal"
expect_in "an engine whose bench is killed" out "OpenBench can use it:        no: bench"

### The options that it is to play with.
examine 1 "$engine" $patient --option Contempt=1
told uci FAILS "Contempt: the engine has no such option"
examine 1 "$engine" $patient --option Hash=4096
told uci FAILS "Hash=4096: out of its range"
examine 0 "$engine log=$work/heard" $patient --option hash=32 --sandbox off
expect_in "what the engine heard" heard "setoption name Hash value 32"
expect_in "what the engine heard" heard "setoption name Log File value <empty>"

### A limit that nothing would watch, and a folder that nothing is built in, are refused.
code=0
"$OBWORKER" check-engine "$engine" --sandbox off --disk-limit 10 >out 2>err || code=$?
expect "status of --disk-limit without a sandbox" "$code" 2
expect_in "--disk-limit without a sandbox" err "--disk-limit: the sandbox watches the disk space, and --sandbox off "
code=0
"$OBWORKER" check-engine "$engine" --build-path src >out 2>err || code=$?
expect "status of --build-path with a program" "$code" 2
expect_in "--build-path with a program" err "--build-path: is for engines of git: or tree:"

### What the engine says of itself.
examine 0 "$engine start=no960" $patient
told Chess960 "left out" "no option UCI_Chess960"
examine 0 "$engine habits" $patient
told "option lines" warning "declares no option"
told "Hash and Threads" warning "no option Hash"
examine 0 "$engine infos=0" $patient
told scores warning "had no 'score cp'"
told pv warning "no search had a pv"
examine 0 "$engine pv=e2e5" $patient
told pv warning "'e2e5' in 'pv e2e5'"
examine 0 "$engine \"pv=nodes 7\"" $patient
told pv warning "no search had a pv"
examine 0 "$engine infos=1000" $patient
told "go nodes" warning "'go nodes 1' took 100000 nodes (and 2 more)"

### One node is less than any match asks for.
cat >one-node <<END
#!/bin/sh
exec 3>&1
while read -r line; do
    if [ "\$line" = "go nodes 1" ]; then echo "bestmove (none)" >&3; else echo "\$line"; fi
    [ "\$line" != quit ] || break
done | "$engine"
END
chmod +x one-node
examine 0 ./one-node $patient --sandbox off
told "go nodes" warning "answers '(none)', which is illegal, to 'go nodes 1' .*; few matches ask for a single node"

### Values of options. The engine `picky` does WHAT when it is told LINE; with Big its first option is one that no
### match sets.
cat >picky <<END
#!/bin/sh
exec 3>&1
bad=false
while read -r line; do
    case \$line in
    uci) echo "option name Big type spin default 1 min 1 max 100000" >&3; echo uci ;;
    "\$1") [ "\$2" = illegal ] || exit 7; bad=true ;;
    go*) if \$bad; then echo "bestmove e2e5" >&3; else echo "\$line"; fi ;;
    *) echo "\$line" ;;
    esac
    [ "\$line" != quit ] || break
done | "$engine"
END
chmod +x picky
examine 0 "./picky \"setoption name Big value 100000\" die" $patient --sandbox off
told "option values" warning "Big=100000: exited with status 0\$"
examine 0 "./picky \"setoption name Big value 100000\" illegal" $patient --sandbox off
told "option values" warning "Big=100000: answers 'e2e5', which is illegal, to 'go depth 1' in [^()]*\$"
examine 1 "./picky \"setoption name Hash value 1\" die" $patient --sandbox off
told "option values" FAILS "Hash=1: exited with status 0\$"

### No match takes more options than it does.
cat >many <<END
#!/bin/sh
while read -r line; do
    case \$line in
    uci) yes "option name Many type check default false" | head -n \$1; echo uciok ;;
    quit) exit ;;
    esac
done
END
chmod +x many
examine 1 "./many 4097" $patient --sandbox off
told uci FAILS "declares more than 4096 options"

### The end. A match waits for it a second, and the margin is added.
examine 0 "$engine ignore-quit" --timeout 60 --margin 500
told quit warning "still runs 1500 ms later"
told "end of input" warning "still runs 1500 ms later"
examine 0 "sh -c \"$engine; sleep 2\"" $patient --sandbox off
told quit ok "exited with status 0"
told "end of input" ok "exited with status 0"
examine 0 "$engine crash-at-quit" $patient
expect "an engine that crashes at quit" "$(sed -n 's/^quit  *//p' out)" "warning  the process was killed by signal 11 (Segmentation fault)"

### Faults, each committed once: the check in which it is seen fails, and those after it are made.
# fault KIND CHECK TEXT OPTIONS…
fault() {
    kind=$1
    check=$2
    text=$3
    shift 3
    rm -f once
    examine 1 "$engine fault=$kind once=$work/once at=8" "$@" --sandbox off
    told "$check" FAILS "$text"
    expect_in "after fault=$kind" out "Would lose games in a match: yes: $check"
    told "a long game" ok "plies"
}
for kind in die exit crash; do
    fault $kind "go movetime" "'go movetime 100' in .*: \(exited\|killed\)" $patient
done
fault illegal "go movetime" "answers 'e2e5', which is illegal" $patient
fault unparsable "go movetime" "answers 'Nf3', which is illegal" $patient
fault none "go movetime" "answers '(none)', which is illegal" $patient
fault missing "go movetime" "answers '', which is illegal" $patient
fault zero "go movetime" "answers '0000', which is illegal" $patient
fault late=3000 "go movetime" "took .* ms more than the limit" --timeout 60 --margin 2000
for kind in stall flood half-line long-line; do
    fault $kind "go movetime" "no bestmove within" --timeout 5 --margin 60
done
rm -f once
examine 0 "$engine fault=twice once=$work/once at=8" $patient --sandbox off
told "go movetime" warning "more than one bestmove"
rm -f once # The first search of Chess960: the process that takes its place plays Chess960 too.
examine 1 "$engine fault=die game=4 at=21 once=$work/once" $patient --sandbox off
told Chess960 FAILS "w HFhf - 2 9: exited with status 7\$"
examine 1 "$engine fault=die at=1" $patient
expect_in "an engine that dies in each game" out "OpenBench can use it:        no: go depth"

### No engine at all.
examine 1 "$engine start=exit" $patient
told uci FAILS "cannot open the network file"
expect "checks of an engine that does not start" "$(grep -c FAILS out)" 1
examine 1 "$engine start=no-uciok" --timeout 1 # A match waits longer.
told uci FAILS "no uciok within 10.0 s: is it a UCI engine?"

### The command line.
mistake() { expect_refused "obworker check-engine" "$@"; } # STATUS TEXT OPTIONS…
mistake 2 "the engine is missing"
mistake 2 "one engine at a time" a b
mistake 2 "--option: 'Hash' is not NAME=VALUE" "$engine" --option Hash
mistake 1 "/no/such/engine: no such file" /no/such/engine

exit $failed
