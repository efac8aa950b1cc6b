#!/bin/sh
# SPDX-License-Identifier: MIT
# The worker without what only Linux has (`--disable-linux-extras`): nothing but worker/base/linux asks for that, and the
# worker with the other half says what it lacks, plays, and leaves no engine behind when it is killed.
set -eu
. "$srcdir/tests/match/common.sh"

### Words that only Linux, or only its C library, knows, or that others have in another header (getentropy).
words='<linux/|"/proc/|\<(prctl|syscall|unshare|setns|pipe2|accept4|memfd_create|renameat2|getrandom|getentropy|explicit_bzero)\(
\<(reallocarray|qsort_r|strchrnul|sigwaitinfo|clock_getcpuclockid|close_range|epoll_[a-z]*|eventfd|signalfd|inotify_[a-z]*)\(
\<(sched_[a-z]*affinity|cpu_set_t|memrchr|sigtimedwait|SOCK_CLOEXEC|SOCK_NONBLOCK|SIGRTMIN|O_PATH|O_TMPFILE|_SC_PHYS_PAGES|__rlimit_resource_t|program_invocation_[a-z]*)\>'
words=$(echo "$words" | tr '\n' '|' | sed 's/|$//')
looked=0
cd "$srcdir"
. tests/tools/sources.sh
for file in $(listed_files worker engine | grep -E '\.[ch]$'); do
    case $file in
    worker/base/linux/*) continue ;;
    esac
    looked=$((looked + 1))
    found=$(grep -nE "$words" "$file" || true)
    [ -z "$found" ] || fail "$file: only worker/base/linux may ask for this: $found"
done
cd - >/dev/null
[ "$looked" -gt 100 ] || fail "only $looked files were looked at"

### The worker with the portable half.
portable=$builddir/tests/bin/obworker_portable
[ -x "$portable" ] || portable=$OBWORKER
expect "the sandbox of --version" "$("$portable" --version | sed -n 's/^Sandbox: //p')" "none on this system"
if command -v nm >/dev/null; then
    calls=$(nm -u "$portable" 2>/dev/null | grep -wE '(prctl|syscall|unshare|sched_setaffinity|mount|setgroups)(@.*)?' || true)
    expect "calls of Linux in the portable worker" "$calls" ""
else
    echo "left out: calls of Linux in the portable worker: nm is not installed"
fi
play() {
    "$portable" match --dev "$engine" --base "$engine" --book "$work/book.epd" --seed 3 --tc N=100 --games 8 \
        --json "$@" >"$work/out" 2>"$work/err"
}
play || fail "a match: $(cat "$work/err")"
expect_in "a match" "$work/out" '"games":8'
expect "warnings of what is missing" "$(grep -c 'this system has no sandbox: ' "$work/err")" 1
play --sandbox off || fail "--sandbox off: $(cat "$work/err")"
expect "warnings without a sandbox" "$(grep -c 'sandbox' "$work/err" || true)" 0
if play --sandbox on; then
    fail "--sandbox on: was taken"
fi
expect_in "--sandbox on" "$work/err" "--sandbox on: this system has no sandbox for engines and builds"
if play --affinity auto; then
    fail "--affinity: was taken"
fi
expect_in "--affinity" "$work/err" "--affinity: this system binds no process to CPUs"
if play --disk-limit 100; then
    fail "--disk-limit: was taken"
fi
expect_in "--disk-limit" "$work/err" "--disk-limit: the sandbox watches the disk space, and this system has none"

### An engine that dies is started again after the worker's own file was replaced by a newer version.
cp "$portable" "$work/worker"
cat >"$work/upgrading" <<END
#!/bin/sh
[ -e "$work/upgraded" ] || { cp "$portable" "$work/new" && mv "$work/new" "$work/worker" && touch "$work/upgraded"; }
exec $engine fault=die once=$work/died
END
chmod +x "$work/upgrading"
"$work/worker" match --dev "$work/upgrading" --base "$engine" --book "$work/book.epd" --seed 3 --tc N=100 --games 4 \
    --concurrency 1 --json >"$work/out" 2>"$work/err" || fail "a match during an upgrade: $(cat "$work/err")"
expect_in "a match during an upgrade" "$work/out" '"games":4'
expect_in "the engine that died" "$work/out" '"crashes":1'
[ "$failed" -eq 0 ] || exit 1

### Its engines end with it, however it ends.
OBWORKER=$portable RD_KILLS=8 sh "$srcdir/tests/match/kill.sh"
