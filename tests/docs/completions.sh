#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The completions for bash, zsh and fish know every command and option that --help names, and each shell
# that is installed reads its file and completes with it.
set -eu
srcdir=${srcdir:-.} builddir=${builddir:-.}
obworker=${OBWORKER:-$builddir/obworker}
folder=$builddir/docs/completions
. "$srcdir/tests/tools/work.sh"
. "$srcdir/tests/tools/without_server.sh"

count=0
for command in $("$obworker" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'); do
    # What each file has of this command alone.
    sed -n "s/^ *$command) words=' *\(.*\)' ;;/ \1 /p" "$folder/obworker" >"$work/bash"
    sed -n "/^    $command)/,/;;/p" "$folder/_obworker" >"$work/zsh"
    seen=" "
    for option in $("$obworker" $command --help | grep -o '^  \(-[A-Za-z], \|    \)--[a-z0-9-]*' | grep -o -- '[a-z0-9][a-z0-9-]*$'); do
        count=$((count + 1))
        case $seen in *" $option "*) fail "--$option of $command has two rows" ;; esac
        seen="$seen$option "
        grep -q -- " --$option " "$work/bash" || fail "bash does not know --$option of $command"
        grep -q -- "--$option\[" "$work/zsh" || fail "zsh does not know --$option of $command"
        grep -q -- "from $command'.* -l $option " "$folder/obworker.fish" ||
            fail "$folder/obworker.fish does not know --$option of $command"
    done
done
[ "$count" -gt 40 ] || fail "only $count options were found in --help"
for shell in bash zsh fish; do
    if sh "$srcdir/docs/make-completions.sh" $shell false >"$work/made" 2>&1; then
        fail "completions for $shell are made though the program fails"
    fi
done

# An obworker without the server's libraries has no help of that command.
without_server "$obworker" >"$work/without"
chmod +x "$work/without"
for shell in bash zsh fish; do
    sh "$srcdir/docs/make-completions.sh" $shell "$work/without" >"$work/made" ||
        fail "no completions for $shell are made of an obworker without a server"
    grep -q -- 'disk-limit' "$work/made" || fail "the completions for $shell of an obworker without a server lack options"
done

# bash_words WORD...: what bash completes the last WORD to, in one line.
bash_words() {
    (
        . "$folder/obworker"
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _obworker
        echo "${COMPREPLY[*]}"
    )
}
# expect WHAT SHOWN WANTED
expect() { [ "$2" = "$3" ] || fail "$1: '$2' instead of '$3'"; }

cd "$work"
mkdir games
touch 'my games.pgn'
folder=$(cd "$OLDPWD" && cd "$folder" && pwd)
expect "bash, a command" "$(bash_words obworker su)" submit
expect "bash, an option" "$(bash_words obworker match --sand)" --sandbox
expect "bash, an option of another command" "$(bash_words obworker report --sand)" ""
expect "bash, a word" "$(bash_words obworker match --sandbox o)" "on off"
expect "bash, a word beside a number" "$(bash_words obworker work --threads '')" auto
expect "bash, a file with a blank" "$(bash_words obworker match --pgn my)" "my games.pgn"
expect "bash, a folder" "$(bash_words obworker match --syzygy '')" games
expect "bash, an engine" "$(bash_words obworker match --dev l)" lmr:
# bash makes words of = and : too.
expect "bash, a word after =" "$(bash_words obworker match --sandbox = o)" "on off"
expect "bash, words after =" "$(bash_words obworker match --sandbox =)" "on off auto"
expect "bash, an option's value" "$(bash_words obworker match --option SyzygyPath = my)" "my games.pgn"
expect "bash, no options in an option's value" "$(bash_words obworker match --option Hash = -)" ""
expect "bash, no options in an engine's name" "$(cd games && bash_words obworker match --dev lmr :)" ""
expect "bash, an option behind a row" "$(bash_words obworker match --option Hash = 1 --sand)" --sandbox

case $("$obworker" --version) in
*"Server: no"*) echo "left out: an address with a port for zsh: this obworker was built without serve" ;;
*) grep -qF 'ADDRESS\:PORT' "$folder/_obworker" || fail "zsh: an address with a port is two arguments" ;;
esac
if command -v zsh >/dev/null; then
    zsh -n "$folder/_obworker" || fail "zsh does not read its file"
else
    echo "completions: no zsh here: how zsh reads its file is left out"
fi
if command -v fish >/dev/null; then
    HOME=$work XDG_CONFIG_HOME=$work
    export HOME XDG_CONFIG_HOME
    fish_words() { fish -c "source $folder/obworker.fish; complete -C'$1'" | cut -f 1 | tr '\n' ' '; }
    expect "fish, a command" "$(fish_words 'obworker su')" "submit "
    expect "fish, an option" "$(fish_words 'obworker match --sand')" "--sandbox "
    expect "fish, a word" "$(fish_words 'obworker match --sandbox o')" "off on "
else
    echo "completions: no fish here: how fish completes is left out"
fi
echo "completions: $count options"
