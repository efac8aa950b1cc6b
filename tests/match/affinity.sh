#!/bin/sh
# SPDX-License-Identifier: MIT
# `obworker match --affinity`: the engines of a game run on the CPUs that are its own, as the kernel tells it.
set -eu
. "$srcdir/tests/match/common.sh"

if ! grep -q '^Cpus_allowed_list:' /proc/self/status 2>/dev/null; then
    echo "left out: this system does not tell where a process may run"
    exit 77
fi
if "$OBWORKER" --version | grep -q '^Sandbox: none on this system'; then
    "$OBWORKER" match --dev "$engine" --base "$engine" --affinity auto --games 2 >"$work/out" 2>"$work/err" &&
        fail "CPUs were promised by a build that binds no process"
    expect_in "the refusal" "$work/err" "--affinity: this system binds no process to CPUs"
    echo "left out: CPUs of a game: this build binds no process to CPUs"
    exit 77
fi
# Where we may run ourselves, one CPU a line.
sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/self/status | tr ',' '\n' |
    while IFS=- read -r first last; do seq "$first" "${last:-$first}"; done >"$work/cpus"
first=$(head -n 1 "$work/cpus")

# An engine that notes where it may run.
cat >"$work/engine" <<EOF
#!/bin/sh
sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/self/status >>"$work/seen"
exec $engine "\$@"
EOF
chmod +x "$work/engine"
# play OPTIONS…: plays two pairs; $seen is the lists of CPUs that engines noted, each once.
play() {
    : >"$work/seen"
    "$OBWORKER" match --dev "$work/engine" --base "$work/engine" --book "$work/book.epd" --seed 3 \
        --tc N=100 --games 4 --sandbox off --quiet "$@" >"$work/out" 2>"$work/err" ||
        fail "match $*: $(cat "$work/err")"
    seen=$(sort -u "$work/seen" | tr '\n' ' ')
}

play --concurrency 1
expect "without it" "$seen" "$(sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/self/status) "
play --affinity "$first" --concurrency 1
expect "on a CPU" "$seen" "$first "
play --affinity auto
[ -n "$seen" ] || fail "--affinity auto: no engine has noted its CPUs"
for cpus in $seen; do
    grep -qx "$cpus" "$work/cpus" || fail "each game one core: an engine may run on '$cpus'"
done
if [ "$(wc -l <"$work/cpus")" -ge 2 ]; then
    two=$(head -n 2 "$work/cpus" | tr '\n' ' ')
    list=$(echo "$two" | sed 's/ $//; s/ /,/')
    play --affinity "$list" --concurrency 2
    expect "two games on two CPUs" "$seen" "$two"
    play --affinity "$list"
    expect "as many games as there are CPUs, when no number is given" "$seen" "$two"
    play --affinity "$list" --option Threads=2
    expect "as many games as have CPUs for two threads" "$(sort -u "$work/seen" | tr '-' ',')" "$list"
    play --affinity "$list" --concurrency 1 --option Threads=2
    expect "games with two threads" "$(sort -u "$work/seen" | tr '-' ',')" "$list"
else
    echo "left out: several games at a time, for there is one CPU"
fi

match() { obworker match --dev "$engine" --base "$engine" --book "$work/book.epd" "$@"; }
refused() { expect_refused match 2 "$@"; } # TEXT OPTIONS…
refused "--affinity: 2 games at a time with 1 thread each: 2 CPUs would be needed, of 1" \
    --affinity "$first" --concurrency 2
refused "--affinity: 1 game at a time with 2000 threads each: 2000 CPUs would be needed, of 1" \
    --affinity "$first" --option Threads=2000
refused "--affinity: " --affinity "1-"
refused "--affinity: " --affinity "$first,99999"
refused "--affinity: CPU $first is named twice" --affinity "$first,$first" --concurrency 2
exit "$failed"
