#!/bin/sh
# SPDX-License-Identifier: MIT
# The options of a match for daily use, each seen in the games, in the dialogue with the engines, or
# in the files that the match writes; and a journal is not gone on with when one of them differs.
set -eu
. "$srcdir/tests/match/common.sh"
cd "$work"

# match OPTIONS…: a match of two scripted engines, one game at a time; later options win.
match() {
    "$OBWORKER" match --dev "$engine side=dev" --base "$engine side=base" --book book.epd --seed 3 \
        --tc N=100 --draw-adj "movenumber=0 movecount=3 score=10" --concurrency 1 --games 8 "$@" >out 2>err
}
refuse() { expect_refused "match --quiet" "$@"; } # STATUS TEXT OPTIONS…
# opening NUMBER: the position of that line of the book, without its counters.
opening() { sed -n "$1s/ hmvc.*//p" book.epd; }
# played FILE: the positions that the pairs of a PGN file begin with, one a line.
played() { sed -n 's/^\[FEN "\(.*\) [0-9]* [0-9]*"\]/\1/p' "$1" | awk 'NR % 2'; }

### Openings in the order of the file, from --start on, and around its end.
match --openings-order sequential --start 9 --pgn order.pgn --journal order || fail "$(cat err)"
for number in 9 10 1 2; do opening $number; done >wanted
played order.pgn >got
cmp -s got wanted || fail "the openings in the file's order: $(cat got)"
expect_in "the log" err "openings, in the order of the file; 1 game at a time"
"$OBWORKER" report --journal order --markdown >told
expect_in "the report" told "| order of the openings | as in the file |"
refuse 1 "was begun with sequential true, not false (--openings-order)" --journal order --resume --pgn order.pgn --start 9
match --pgn shuffled.pgn || fail "$(cat err)"
[ "$(played shuffled.pgn)" != "$(for i in 1 2 3 4; do opening $i; done)" ] ||
    fail "the openings are not shuffled without --openings-order"
refuse 2 "--openings-order: 'file' is not one of random|sequential" --openings-order file

### So many half moves of a PGN book's openings.
cat >book.pgn <<'PGN'
[Event "an opening"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 *
PGN
# book_moves FILE: how many moves of each game are the opening's.
book_moves() { awk '/^\[Event/ { if (n != "") print n; n = 0 } { n += gsub(/{book}/, "") } END { print n }' "$1"; }
for plies in "" 1 4 9; do
    rm -f plies.pgn
    match --book book.pgn --games 2 ${plies:+--plies $plies} --pgn plies.pgn || fail "$(cat err)"
    wanted=${plies:-5}
    [ "$wanted" -le 5 ] || wanted=5
    expect "half moves of the opening with --plies $plies" "$(book_moves plies.pgn | sort -u)" "$wanted"
done
refuse 1 "--plies: the book book.epd has positions without moves" --plies 4
match --book book.pgn --games 2 --plies 4 --journal plies || fail "$(cat err)"
refuse 1 "was begun with plies 4, not 0" --book book.pgn --journal plies --resume

### A game in which each side has made so many moves is drawn, whatever the opening had.
match --draw-adj None --max-moves 5 --pgn limit.pgn --journal limit || fail "$(cat err)"
expect "games that the move limit ends" "$(tr '\n' ' ' <limit.pgn | grep -o 'Draw by adjudication: move limit} 1/2-1/2' | wc -l)" 8
expect "their lengths" "$(grep '^\[PlyCount' limit.pgn | sort -u)" '[PlyCount "10"]'
expect "their Termination" "$(grep '^\[Termination' limit.pgn | sort -u)" '[Termination "adjudication"]'
expect_in "the log" err "endings: 8 drawn by the move limit; 10.0 plies a game"
match --book book.pgn --games 2 --draw-adj None --max-moves 5 --pgn after.pgn || fail "$(cat err)"
expect "half moves after an opening of five" "$(grep '^\[PlyCount' after.pgn | sort -u)" '[PlyCount "15"]'
"$OBWORKER" report --journal limit --markdown >told
expect_in "the report" told "| moves of a game at most | 5 |"
refuse 1 "was begun with max_moves 5, not 6 (--max-moves)" --draw-adj None --max-moves 6 --journal limit --resume --pgn limit.pgn
# The scores come first: a game that is won in its last move is won.
match --dev "$engine side=dev plan=100,0" --base "$engine side=base plan=100,0" --draw-adj None \
    --win-adj "movecount=3 score=400" --max-moves 3 --json || fail "$(cat err)"
expect_in "games that are won in their last move" out '"wins":8'

### A process for each game, which is told to end after the game.
# processes_of FILE: how many processes a log of engines has.
processes_of() { cut -d' ' -f1 "$1" | sort -u | wc -l; }
for restart in "" --restart; do
    rm -f dialogue dialogue-base
    match --dev "$engine side=dev log=$work/dialogue" --base "$engine side=base log=$work/dialogue-base" --sandbox off $restart --json || fail "$(cat err)"
    counts out | sed 's/,"match":.*//' >"counts$restart"
    wanted=1
    [ -z "$restart" ] || wanted=8
    expect "processes of eight games with '$restart'" "$(processes_of dialogue)" "$wanted"
    expect "processes of base with '$restart'" "$(processes_of dialogue-base)" "$wanted"
    expect "games for each process" "$(grep -c ' ucinewgame' dialogue)" 8
    expect_gone "of a match with '$restart'" "$work/dialogue"
    expect_gone "of base of a match with '$restart'" "$work/dialogue-base"
done
cmp -s counts counts--restart || fail "--restart changes the result: $(cat counts counts--restart)"
expect "processes that were told to quit" "$(grep -c ' quit$' dialogue)" 8
match --restart --journal restart || fail "$(cat err)"
refuse 1 "was begun with restart true, not false" --journal restart --resume

### Each side has its own margin for late moves. Dev is late by more than any machine is slow.
late() { match --games 2 --dev "$engine side=dev fault=late=1500" --tc MT=100 --draw-adj \
    "movenumber=0 movecount=3 score=10" --json "$@"; }
late --base-margin 60000 || fail "$(cat err)"
expect_in "dev with the common margin" out '"timelosses":2'
late --dev-margin 60000 --base-margin 60000 --journal margins || fail "$(cat err)"
expect_in "dev with a margin of its own" out '"timelosses":0'
"$OBWORKER" report --journal margins --markdown >told
expect_in "the report" told "| time margin | 60000 ms |"
code=0
late --dev-margin 50 --base-margin 60000 --journal margins --resume || code=$?
expect "status with another margin" "$code" 1
expect_in "another margin" err "was begun with dev's margin 60000, not 50"

### Each side has its own working folder, which an engine in the sandbox may read, and not write.
mkdir folder elsewhere
echo "of its own" >folder/data
match --dev-dir folder --dev "$engine side=dev log=seen" --base "$engine side=base trick=read:folder/data" --games 2 --sandbox off \
    --journal folders || fail "$(cat err)"
[ -s folder/seen ] || fail "dev did not run in its folder"
refuse 1 "was begun with dev's dir \"$work/folder\", not \"$work/elsewhere\"" --dev-dir elsewhere \
    --dev "$engine side=dev log=seen" --base "$engine side=base trick=read:folder/data" --journal folders --resume
refuse 1 "--dev-dir: nowhere: there is no such folder" --dev-dir nowhere
refuse 1 "--base-dir: book.epd: there is no such folder" --base-dir book.epd
# tried FILE: what the engine's tricks came to, of a PGN file.
tried() { tr '\n' ' ' <"$1" | grep -o 'line=[^}]*' | head -n 1; }
if match --sandbox on --games 2 --base-dir folder --base "$engine side=base trick=read:data trick=write:note" --pgn tried.pgn; then
    expect_in "what the engine did" tried.pgn "read:data done"
    expect_in "what the engine did" tried.pgn "write:note refused"
else
    echo "left out: --sandbox on, which this system refuses: $(cat err)"
    expect_in "a sandbox that is not complete" err "error: --sandbox on: "
fi

### The PGN file: other notations, which our own books may be in too, and principal variations.
# moves FILE: each game's moves without numbers and comments.
moves() { sed 's/{[^}]*}//g; /^\[/d; s/[0-9]*\.\.*//g' "$1" | tr -s ' \n' '\n' | grep -v '^$'; }
match --games 2 --pgn san.pgn --openings-order sequential || fail "$(cat err)"
match --games 2 --pgn lan.pgn --openings-order sequential --pgn-notation lan --pgn-pv --journal notation || fail "$(cat err)"
match --games 2 --pgn uci.pgn --openings-order sequential --pgn-notation uci || fail "$(cat err)"
expect "moves in the long notation" \
    "$(moves lan.pgn | grep -c '^[NBRQK]\{0,1\}[a-h][1-8][-x][a-h][1-8][+#]\{0,1\}$')" 12
expect "moves as the protocol has them" "$(moves uci.pgn | grep -c '^[a-h][1-8][a-h][1-8]$')" 12
expect "principal variations" "$(tr '\n' ' ' <lan.pgn | grep -o ', pv=[NBRQK]\{0,1\}[a-h][1-8][-x]' | wc -l)" 12
refuse 1 'was begun with pgn_notation "lan", not "uci"' --pgn-notation uci --pgn-pv --journal notation --resume \
    --games 2 --openings-order sequential --pgn lan.pgn
refuse 1 'was begun with pgn_pv true, not false' --pgn-notation lan --journal notation --resume \
    --games 2 --openings-order sequential --pgn lan.pgn
# A pipe has no games to go on after, and nobody writes into it.
mkfifo pipe.pgn
match --games 2 --pgn pipe.pgn --journal piped || fail "$(cat err)"
match --games 4 --pgn pipe.pgn --journal piped --resume || fail "$(cat err)"
[ -p pipe.pgn ] || fail "a PGN file took a pipe's place"
for notation in san lan uci; do
    match --book $notation.pgn --games 4 --pgn of-$notation.pgn --openings-order sequential || fail "$(cat err)"
done
for notation in lan uci; do
    [ "$(moves of-$notation.pgn)" = "$(moves of-san.pgn)" ] || fail "a book in the notation $notation: $(moves of-$notation.pgn)"
done

### The positions of the games, for training: whole pairs in the order of the book, at any number of
### games at a time, and after an interruption. A game that an engine's fault ended gives none.
training() { match --dev "$engine side=dev plan=50,20" --base "$engine side=base plan=50,20" --games 40 \
    --win-adj "movecount=3 score=400" "$@"; }
training --positions one.txt --pgn one.pgn --journal one || fail "$(cat err)"
training --positions many.txt --concurrency 8 || fail "$(cat err)"
cmp -s one.txt many.txt || fail "eight games at a time give other positions"
sed -n 's/^\[PlyCount "\(.*\)"\]/\1/p' one.pgn | awk '{ n += $1 } END { print n }' >wanted
expect "lines of positions, one for each move" "$(wc -l <one.txt)" "$(cat wanted)"
expect "lines of another form" \
    "$(grep -cv '^[1-8/a-zA-Z]* [wb] [KQkq-]* [-a-h1-8]* [0-9]* [0-9]* | -\{0,1\}[0-9]* | \(1\.0\|0\.5\|0\.0\)$' one.txt)" 0
# The engines say +500 of a game that they win: White's score has the sign of White's result.
expect "scores against the result" "$(awk -F' [|] ' '$2 * ($3 - 0.5) < 0' one.txt | head -n 1)" ""
for result in 1.0 0.5 0.0; do grep -q "| $result\$" one.txt || fail "no position of a game with the result $result"; done
cp one.txt whole.txt
# The file has what the journal's pairs gave, or less: a pair stands in the journal first. It has more only where the
# journal has lost pairs: these are played again and stand there once.
for left in "0 0" "3 0" "3 1000" "19 0" "19 1000" "19 5001" "3 99999999"; do
    head -n $((${left% *} + 2)) one >cut
    head -c "${left#* }" whole.txt >cut.txt
    training --positions cut.txt --pgn cut.pgn --journal cut --resume || fail "$(cat err)"
    cmp -s cut.txt whole.txt || fail "from pairs and bytes $left: other positions"
    rm cut.pgn
done
refuse 1 "--positions one.txt: exists; each match writes a new file" --positions one.txt
refuse 1 "was begun with positions true, not false" --dev "$engine side=dev plan=50,20" \
    --base "$engine side=base plan=50,20" --win-adj "movecount=3 score=400" --pgn one.pgn --journal one --resume

### The same positions of the journals alone: games of one opening follow each other.
report() { "$OBWORKER" report "$@" >out 2>err; }
echo mine >read.txt.part
(umask 077 && report --positions read.txt one) || fail "$(cat err)"
expect "a file that stood beside" "$(cat read.txt.part)" mine
expect "files with positions" "$(ls -l read.txt* | cut -c1-10 | tr '\n' ' ')" "-rw------- -rw-r--r-- "
expect "what report tells" "$(cat err)" "read.txt: $(wc -l <whole.txt) positions of 40 games"
sort whole.txt >wanted
sort read.txt | cmp -s - wanted || fail "report --positions has other positions than the match wrote"
head -n 21 one >first
{ sed 1q one; tail -n +22 one; } >second
report --positions joined.txt second first || fail "$(cat err)"
cmp -s joined.txt read.txt || fail "the journals' order matters"
report --positions twice.txt one first one || fail "$(cat err)"
cmp -s twice.txt read.txt || fail "a game that several journals have is not written once"
expect "what report tells" "$(cat err)" \
    "twice.txt: $(wc -l <read.txt) positions of 40 games; 78 games stood there twice"
report --positions /dev/stdout one || fail "$(cat err)"
cmp -s out read.txt || fail "other positions on standard output"
# openings FILE: the positions after the opening in the order of their first line there.
openings() { awk 'NR == FNR { book[$1 " " $2]; next } ($1 " " $2) in book && !seen[$1]++ { print $1 }' book.epd "$1"; }
expect "openings" "$(openings read.txt | wc -l)" "$(wc -l <book.epd)"
[ "$(openings read.txt)" != "$(openings read.txt | sort)" ] || fail "the openings stand by their letters"
report --positions quiet.txt --only-quiet one || fail "$(cat err)"
awk 'NR == FNR { all[$0]++; next } !all[$0]-- { print }' read.txt quiet.txt >more
expect "quiet positions that are none of all" "$(cat more)" ""
[ -s quiet.txt ] || fail "no quiet position"
cp read.txt read.copy
report --positions read.txt one && fail "report wrote over a file"
expect "what report tells" "$(cat err)" "error: --positions read.txt: exists; name a new file"
cmp -s read.txt read.copy || fail "report wrote over a file"
# refuse_journal TEXT: the journal "bad" gives no file.
refuse_journal() {
    if report --positions bad.txt bad; then fail "a bad journal was read"; fi
    expect_in "what report tells" err "$1"
    [ ! -e bad.txt ] && [ ! -e bad.txt.part ] || fail "a bad journal left a file"
}
tail -n +2 one >bad
refuse_journal "journal bad: line 1: is not the head of a match"
{ cat one; sed 1q one; } >bad
refuse_journal "is a second head"
# Damage in a journal's last write is a torn write. "cut" has its last pair in a write of its own.
sed '5s/"moves":/"m0ves":/' cut >bad
report --positions less.txt bad || fail "$(cat err)"
expect_in "what report tells of damage" err "warning: bad: 1 damaged line is left out"
expect_in "what report tells of damage" err "positions of 38 games"
match --games 2 --journal late --dev "$engine side=dev fault=illegal" || fail "$(cat err)"
report --positions none.txt late || fail "$(cat err)"
expect "what report tells" "$(cat err)" \
    "none.txt: 0 positions of 0 games; 2 games are left out, which an engine's fault ended"
if [ -w /dev/full ]; then
    ! report --positions /dev/full one || fail "positions on a full disk"
    expect "what report tells" "$(cat err)" "error: --positions /dev/full: No space left on device"
else
    echo "left out: positions on a full disk: no /dev/full here"
fi
### Chess960 has letters of its own for castling rights.
echo 'rkrnbbqn/pppppppp/8/8/8/8/PPPPPPPP/RKRNBBQN w CAca - hmvc 0; fmvn 1;' >960.epd
training --chess960 --book 960.epd --games 2 --positions 960.txt --journal 960 || fail "$(cat err)"
report --positions read960.txt 960 || fail "$(cat err)"
sort 960.txt >wanted
sort read960.txt | cmp -s - wanted || fail "other positions of Chess960"
grep -q ' [wb] CAca ' read960.txt || fail "no castling rights of Chess960: $(head -n 3 read960.txt)"
# Who did not ask for it learns why.
match --book 960.epd --games 2 || fail "$(cat err)"
expect_in "Chess960 by a name" err "1 opening of Chess960 (by the book's name), "
grep -q -e "plain chess" err && fail "a warning of the default book: $(cat err)"
"$OBWORKER" match --dev "$engine side=dev" --base "$engine side=base" --tc N=100 --chess960 --games 2 >out 2>err || fail "$(cat err)"
expect_in "Chess960 of the default book" err "--chess960: the default book has openings of plain chess alone"
refuse 1 "--positions: /no/such/folder/x: No such file" --positions /no/such/folder/x
refuse 2 "--positions same: --pgn names the same file" --positions same --pgn same
cp one one.copy
refuse 2 "--journal one: --html names the same file" --journal one --resume --html ./one
refuse 2 "--pgn one.pgn: --html names the same file" --pgn one.pgn --html one.pgn
refuse 2 "--pgn new: --html names the same file" --pgn new --html ./new
refuse 2 "--journal new: --html names the same file" --journal new --html "$PWD/new"
cmp -s one one.copy || fail "a refused match wrote its journal"
refuse 2 "both engines are named base: one of them needs another name" --dev-name base
refuse 2 "--base-name: is empty" --base-name ""
cp book.epd book.copy
refuse 2 "--pgn ./book.epd: --book names the same file" --pgn ./book.epd
refuse 2 "--html book.epd: --book names the same file" --html book.epd
cmp -s book.epd book.copy || fail "a refused match wrote into its book"
for purpose in --pgn --html --positions --journal; do
    match --games 2 --json || fail "$(cat err)"
    cp out played.json
    code=0
    "$OBWORKER" match --again played.json $purpose ./played.json --quiet >told 2>err || code=$?
    expect "status of a match again with $purpose on its report" "$code" 2
    expect_in "a match again with $purpose on its report" err "$purpose ./played.json: --again names the same file"
    cmp -s played.json out || fail "a refused match wrote into its report with $purpose"
done
echo "dev $engine" >suite
cp suite suite.copy
for purpose in --html --journal; do
    code=0
    "$OBWORKER" match --suite suite --base "$engine" --games 2 --quiet $purpose "$PWD/suite" >told 2>err || code=$?
    expect "status of a suite with $purpose on its file" "$code" 2
    expect_in "a suite with $purpose on its file" err "$purpose $PWD/suite: --suite names the same file"
done
cmp -s suite suite.copy || fail "a refused suite wrote into its file"
match --games 2 --dev "$engine side=dev fault=illegal" --positions faults.txt || fail "$(cat err)"
expect "positions of games that ended by a fault" "$(wc -c <faults.txt)" 0

### An option that would say nothing is refused.
for option in "--pgn-pv" "--pgn-hashfull" "--pgn-notation uci"; do
    refuse 2 "${option%% *}: --pgn FILE is missing" $option
done
refuse 2 "--syzygy-men: --syzygy DIR is missing" --syzygy-men 4
# In a suite's file the two stand on lines of their own, and each name in full.
printf 'base = %s\nsyzygy = /nonexistent\nsyzygy-men = 4\na %s\n' "$engine" "$engine" >tables.suite
"$OBWORKER" match --suite tables.suite --games 2 2>err && fail "a suite without its tables was played"
grep -q '^error: --syzygy: ' err || fail "a suite with two lines about tables: $(cat err)"
printf 'base = %s\njourna = elsewhere\na %s\n' "$engine" "$engine" >short.suite
"$OBWORKER" match --suite short.suite --games 2 2>err && fail "a suite chose its journals"
expect_in "a shortened name in a suite" err "short.suite: line 2: --journa: is no option: names in files are written in full"

### A folder of the engine's name hides no engine on PATH.
mkdir -p bin hidden.name
printf '#!/bin/sh\nexec %s side=dev\n' "$engine" >bin/hidden.name
chmod +x bin/hidden.name
PATH=$PWD/bin:$PATH match --dev hidden.name --games 2 --sandbox off || fail "an engine beside a folder of its name: $(cat err)"

### Somebody else reads the games.
match --games 2 --pgn-pv --pgn-hashfull --pgn pv.pgn || fail "$(cat err)"
expect "principal variations" "$(tr '\n' ' ' <pv.pgn | grep -o 'hashfull=7, pv=[A-Za-z]' | wc -l)" 12
cat order.pgn limit.pgn pv.pgn >all.pgn
second_opinion all.pgn || fail "the second opinion on the games"

exit "$failed"
