# SPDX-License-Identifier: MIT
# What the scripts that run `obworker serve` share; they source it behind tests/match/common.sh and
# have a folder $work. The server, and what else the script puts into $running, ends with the script.
running=
# forget PID: the process has ended, and how does not matter.
forget() {
    others=
    for process in $running; do
        [ "$process" = "$1" ] || others="$others $process"
    done
    running=$others
}
# end PID: asks the process to end and waits until it has. A stopped process takes the signal
# when it goes on. A status that is not 0 is a failure.
end() {
    kill "$1" 2>/dev/null || :
    kill -CONT "$1" 2>/dev/null || :
    ended=0
    wait "$1" 2>/dev/null || ended=$?
    [ "$ended" -eq 0 ] || fail "process $1 ended with status $ended: $(tail -n 20 "$work"/*.log)"
    forget "$1"
}
end_all() {
    left=$?
    for one in $running; do
        end "$one"
    done
    rm -rf "$work"
    [ "$left" -ne 0 ] || exit "$failed"
}
trap end_all EXIT

# launch_server DATA OPTION...: begins a server on a free port, with this data folder. Its process is
# $server, and its log $work/server.log.
launch_server() {
    : >"$work/server.log"
    folder=$1
    shift
    "$OBWORKER" serve --data "$folder" --listen 127.0.0.1:0 "$@" 2>>"$work/server.log" &
    server=$!
    running="$server $running"
}
# start_server DATA OPTION...: launches a server, and waits until it listens. Its address is $url.
start_server() {
    launch_server "$@"
    tries=0
    url=
    while [ -z "$url" ] && [ "$tries" -lt 1200 ]; do
        sleep 0.05
        tries=$((tries + 1))
        url=$(grep -oE -m 1 'http://127\.0\.0\.1:[0-9]+' "$work/server.log" || true)
    done
    [ -n "$url" ] || {
        fail "the server names no address: $(cat "$work/server.log")"
        exit 1
    }
}
# add_user NAME: an administrator; the password is in $work/password, which is made if missing.
add_user() {
    [ -f "$work/password" ] || (umask 077; echo 'correct horse' >"$work/password")
    "$OBWORKER" serve --data "$work/data" --add-user "$1" --admin --password-file "$work/password" >/dev/null ||
        fail "the user $1 cannot be added"
}

# tiny_engine BRANCH WORDS: commits to this branch of the repository $work/tiny an engine that is the
# scripted one with these words, quoted for C and each followed by a comma. Its bench is 777, and the
# openings that it generates are one position.
tiny_engine() {
    [ -d "$work/tiny" ] || git init -q -b "$1" "$work/tiny"
    (
        cd "$work/tiny"
        [ "$(git symbolic-ref --short HEAD)" = "$1" ] || git switch -qC "$1"
        printf 'all:\n\t@$(CC) -O1 engine.c -o $(EXE)\n' >Makefile
        cat >engine.c <<END
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
    const char *program = "$engine";
    int openings;
    if (argc > 1 && sscanf(argv[1], "genfens %d", &openings) == 1) {
        while (openings-- > 0)
            puts("info string genfens rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "bench") == 0)
        return printf("777 nodes 1000000 nps\\n") < 0;
    return execl(program, program, $2 (char *)0);
}
END
        git add -A
        git -c user.name=A -c user.email=a@localhost commit -qm "The engine $1" -m 'Bench: 777'
    )
}
# tiny_config: the server's configuration, with this engine.
tiny_config() {
    mkdir -p "$work/data/config/Engines"
    cat >"$work/data/config/Engines/Tiny.json" <<END
{"private": false, "nps": 1000000, "source": "/repo/tiny",
 "build": {"path": "", "compilers": ["gcc", "clang"], "cpuflags": [], "systems": ["Linux"]},
 "test_presets": {"default": {"base_branch": "main", "both_options": "Threads=1 Hash=8",
   "both_time_control": "N=100", "workload_size": 8}},
 "tune_presets": {"default": {"dev_options": "Threads=1 Hash=8", "dev_time_control": "N=100"}},
 "datagen_presets": {"default": {"both_options": "Threads=1 Hash=8", "both_time_control": "N=100"}}}
END
}

# start_worker OPTION...: `obworker work` of the user ada, which asks again soon where there is no work.
# It has 2 threads, as a tuning wants.
# Its log is $work/worker.log. The scripted engine is outside of what the sandbox shows.
start_worker() {
    "$OBWORKER" work -U ada --password-file "$work/password" -S "$url" -T 2 --state "$work/worker" \
        --sandbox off --idle-ms 300 --report-ms 300 "$@" >"$work/worker.log" 2>&1 &
    worker=$!
    running="$worker $running" # A worker that ends has results for its server.
}
