#!/bin/sh
# SPDX-License-Identifier: MIT
# The words of fastchess and cutechess-cli on the command line of `obworker match`: they are answered with a
# command that plays the match, and --from-fastchess plays the match at once.
set -eu
. "$srcdir/tests/match/common.sh"
cd "$work"
words="-engine cmd=$engine args=side=dev name=new -engine cmd=$engine args=side=base name='the old one' -each nodes=100
    -openings file=book.epd format=epd order=random -srand 3 -rounds 4 -repeat -concurrency 2
    -draw movecount=3 score=10 -ratinginterval 10"

### Nothing is played: our words on standard output, the reasons on standard error, status 2.
code=0
eval '"$OBWORKER" match' "$(echo "$words" | tr '\n' ' ')" >command 2>err || code=$?
expect "status of other words" "$code" 2
expect "lines of the answer" "$(wc -l <command)" 1
expect_in "the answer" command "--base-name 'the old one' --tc N=100"
expect_in "the reasons" err "-ratinginterval: the live line always shows the rating"

### The answer, pasted, is the match that --from-fastchess plays.
sed "s|^obworker\(.*\)|'$OBWORKER'\1 --pgn pasted.pgn --json --quiet|" command >paste
sh ./paste >pasted.json 2>err || fail "$(cat err)"
"$OBWORKER" match --from-fastchess "fastchess $words" --pgn at-once.pgn --json --quiet >at-once.json 2>err || fail "$(cat err)"
expect "the result" "$(counts at-once.json)" "$(counts pasted.json)"
expect "the games" "$(untimed at-once.pgn)" "$(untimed pasted.pgn)"
expect "games of White's" "$(grep -c '^\[White "the old one"\]' at-once.pgn)" 4
expect_in "the log" err "-ratinginterval: the live line always shows the rating"

### Options beside the words count more.
"$OBWORKER" match --from-fastchess "$words" --games 2 --json --quiet >two.json 2>err || fail "$(cat err)"
expect_in "two games" two.json '"games":2'

### An option for both engines counts more than each engine's own, unless that stands beside the words too.
# told WORD: how often the head of the journal has the word.
told() { head -n 1 both.jsonl | grep -o -e "$1" | wc -l; }
own="-engine cmd=$engine args=side=dev nodes=100 timemargin=10 option.Hash=8 option.Style=Solid
    -engine cmd=$engine args=side=base nodes=200 timemargin=20 option.hash=2 -openings file=book.epd -rounds 1
    -draw movecount=3 score=10"
"$OBWORKER" match --tc N=50 --margin 60 --option HASH=4 --journal both.jsonl --from-fastchess "fastchess $own" --quiet \
    >out 2>err || fail "$(cat err)"
for word in '"tc":"N=50"' '"margin":60' '"HASH=4"'; do expect "sides with $word" "$(told "$word")" 2; done
expect "sides with an option of dev alone" "$(told '"Style=Solid"')" 1
rm both.jsonl
"$OBWORKER" match --tc N=50 --dev-tc N=70 --option Hash=4 --base-option Hash=16 --journal both.jsonl \
    --from-fastchess "fastchess $own" --quiet >out 2>err || fail "$(cat err)"
for word in '"tc":"N=70"' '"tc":"N=50"' '"Hash=4"' '"Hash=16"' '"margin":10,' '"margin":20,'; do
    expect "sides with $word" "$(told "$word")" 1
done

### A book beside the line is the one that is played, and no other is told.
bookless="-engine cmd=$engine args=side=dev nodes=100 -engine cmd=$engine args=side=base nodes=100 -rounds 1 -draw movecount=3 score=10"
"$OBWORKER" match --book book.epd --from-fastchess "fastchess $bookless" >out 2>err || fail "$(cat err)"
expect_in "the book beside the line" err "$(wc -l <book.epd) openings, seed"
if grep -e "-openings: is missing" err; then fail "other openings are told than those that are played"; fi
"$OBWORKER" match --from-fastchess "fastchess $bookless" >out 2>err || fail "$(cat err)"
expect_in "no book at all" err "warning: -openings: is missing"

### What cannot be is told in one line.
mistake() { expect_refused "obworker match" 2 "$@"; } # TEXT OPTIONS…
mistake "-engine: a match needs two engines" -engine cmd=a -each tc=1
# An answer that would be refused is no answer.
while read -r text foreign; do
    mistake "$text" -engine cmd=a -engine cmd=b $foreign
done <<'END'
--concurrency: -each tc=1 -concurrency -1
--seed: -each tc=1 -srand 18446744073709551615
--tc: -each tc=1x
--syzygy-men: -each tc=1 -tbpieces 5
END
mistake "--dev: is not a word of fastchess or cutechess-cli" -engine cmd=a --dev b
mistake "-games is: options of obworker have two dashes" --dev a --base b -games 2
mistake "--from-fastchess takes the whole line of the other tool as one word" -engine cmd=a --journal x
mistake "--from-fastchess takes the whole line of the other tool as one word" --from-fastchess fastchess -engine cmd=a
mistake "--compliance: obworker check-engine does this" --compliance "$engine"
mistake "--from-fastchess: a quote is left open" --from-fastchess "-engine cmd='a"
mistake "--from-fastchess: -each option.Hash" --from-fastchess "-each option.Hash"
mistake "--from-fastchess: describes one match" --from-fastchess "$words" --suite "$work/book.epd"

exit $failed
