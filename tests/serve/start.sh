#!/bin/sh
# SPDX-License-Identifier: MIT
# The data folder of 'obworker serve': the files in it belong to their owner alone, and those of a
# server that was killed are removed at the next start. A folder of books is served. A fetch at the
# start can be broken off. A port in use is told before a fetch begins.
set -eu
. "$srcdir/tests/match/common.sh"
. "$srcdir/tests/tools/own_server.sh"
cd "$work"
umask 022

# wait_until TWENTIETHS WORDS COMMAND...: waits until the command succeeds.
wait_until() {
    left=$1
    words=$2
    shift 2
    until "$@"; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || { fail "$words: $(cat server.log)"; return 0; }
        sleep 0.05
    done
}
# gone PID: is the process gone, or a zombie?
gone() {
    ! kill -0 "$1" 2>/dev/null || grep -q "^State:.Z" "/proc/$1/status" 2>/dev/null
}
mkdir -p data/spool
echo left >data/spool/upload-Ab3dEf
echo left >data/spool/games-Ab3dEf
echo mine >data/spool/notes

start_server data
expect "files in spool" "$(ls data/spool)" notes
expect_in "a server without users" server.log "nobody can sign in yet: obworker serve --data $PWD/data --add-user NAME --admin"
expect "the database's mode" "$(ls -l data/server.db | cut -c 1-10)" -rw-------
"$OBWORKER" serve --data data --backup copy.db >out 2>&1 || fail "$(cat out)"
expect "the backup's mode" "$(ls -l copy.db | cut -c 1-10)" -rw-------
end "$server"

# Who is missing is said: a user, or one who may approve tests.
echo 'correct horse' >password
add() { "$OBWORKER" serve --data data --password-file password --add-user "$@" >out 2>&1 || fail "$(cat out)"; }
for user in "bob" "ada --admin"; do
    # $user is one word or two.
    # shellcheck disable=SC2086
    add $user
    start_server data
    said=0
    grep -q "no user may approve tests: obworker serve --data $PWD/data --add-user NAME --admin" server.log || said=$?
    case $user in *admin) said=$((!said)) ;; esac
    expect "the warning after --add-user $user" "$said" 0
    end "$server"
done

# The server has the books of a folder, each as a zip under its name and digest.
mkdir own
echo "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" >own/mine.epd
echo notes >own/notes.txt
start_server data --books own
expect "books of the folder" "$(ls data/books | grep -c '^mine\.epd-[0-9a-f]*\.zip$')" 1
expect "other files of the folder" "$(ls data/books | grep -c notes)" 0
end "$server"

# A kept repository is nothing without an engine that is built from it. (Reductio is built in.)
if command -v git >/dev/null; then
    mkdir -p kept/config/Engines
    echo '{"private": false, "source": "https://git.example/u/weiss", "nps": 1000000,
        "build": {"path": "src", "compilers": ["gcc"], "cpuflags": [], "systems": ["Linux"]}}' \
        >kept/config/Engines/Weiss.json
    start_server kept --repo weiss --repo reductio --repo mine
    expect_in "a repository of no engine" server.log \
        "no engine is built from the repository mine: $PWD/kept/config/Engines/mine.json makes one"
    expect "warnings of repositories" "$(grep -c "no engine is built" server.log)" 1
    end "$server"
else
    echo "left out: kept repositories: git is not installed"
fi

# A proxy says how its clients came. It is believed when it is trusted.
if command -v curl >/dev/null; then
    for trust in "" "--trust-proxy 127.0.0.1" "--trust-proxy ::ffff:127.0.0.1"; do
        # $trust is two words or none.
        # shellcheck disable=SC2086
        start_server data $trust
        curl -s --noproxy '*' -H 'X-Forwarded-Proto: https' "$url/machines/" >page
        scheme=https
        [ -n "$trust" ] || scheme=http
        expect_in "the address on the page with '$trust'" page " $scheme://${url#http://}"
        end "$server"
    done
else
    echo "left out: headers of a proxy, which curl would send"
fi
# refuse WORDS OPTION...: the command line is at fault, so the service is not started again.
refuse() {
    words=$1
    shift
    status=0
    timeout 60 "$OBWORKER" serve --data data --listen 127.0.0.1:0 "$@" >out 2>&1 </dev/null || status=$?
    expect "status of $*" "$status" 2
    expect_in "$*" out "$words"
}
refuse "--trust-proxy: 'proxy.example' is no IP address" --trust-proxy proxy.example
refuse "--listen 8000: is no address with a port" --listen 8000
refuse "--repo: '/tmp/x' is no name for a repository (NAME=PATH, NAME=URL or NAME)" --repo /tmp/x
refuse "--repo x: '' is not the address of a repository" --repo x=
refuse "--add-user: a user's name has" --add-user "a b"
status=0
HOME='' XDG_STATE_HOME=state timeout 60 "$OBWORKER" serve --listen 127.0.0.1:0 >out 2>&1 </dev/null || status=$?
expect "status without a data folder" "$status" 1
expect_in "no data folder" out "--data: is missing: neither XDG_STATE_HOME nor HOME names a folder from the root"
start_server "it's"
end "$server"
expect_in "a folder with a quote" server.log "obworker serve --data '$PWD/it'\\''s' --add-user NAME --admin"
status=0
"$OBWORKER" serve --data /dev/null >out 2>&1 </dev/null || status=$?
expect "status of a file as the data folder" "$status" 1
expect_in "a file as the data folder" out "--data: /dev/null"

# A log for a collector.
start_server data --log-format json
end "$server"
expect "lines with the address as JSON" "$(grep -c '^{"time":".*","level":"info","message":"http://' server.log)" 1
expect "lines that are no JSON" "$(grep -cv '^{.*}$' server.log)" 0

# A mistyped folder is no empty database.
mkdir empty
for option in --check "--backup other.db" "--set-password ada --password-file password"; do
    for folder in dat empty; do
        # $option is one word or more.
        # shellcheck disable=SC2086
        "$OBWORKER" serve --data $folder $option >out 2>&1 && fail "serve --data $folder $option: $(cat out)"
        grep -q "$folder/server.db: No such file" out || fail "serve --data $folder $option says: $(cat out)"
    done
    [ ! -e dat ] && [ ! -e other.db ] && [ -z "$(ls -A empty)" ] || fail "serve $option has made a file"
done

# A git that waits for its upstream and never ends.
mkdir bin
cat >bin/git <<END
#!/bin/sh
case " \$* " in *" fetch "* | *" ls-remote "*) echo \$\$ >"$work/fetching"; exec sleep 1000 ;; esac
exec $(command -v git) "\$@"
END
chmod +x bin/git
PATH=$work/bin:$PATH

# A port in use is told before a repository is fetched.
start_server data
address=${url#http://}
status=0
timeout 60 "$OBWORKER" serve --data fetched --listen "$address" --repo "mine=$work" >out 2>&1 || status=$?
expect "status of a port in use" "$status" 1
expect_in "a port in use" out "--listen $address: the port is in use"
expect "fetches for a port in use" "$([ -e fetching ] && echo some || echo none)" none
end "$server"

# A signal ends the server that fetches, in the first fetch and in a later one.
for fetch in first later; do
    rm -f fetching
    launch_server fetched --repo "mine=$work"
    wait_until 600 "the $fetch fetch does not begin" test -s fetching
    kill "$server"
    wait_until 600 "the server waits for the $fetch fetch, or goes on" gone "$server"
    wait_until 600 "git outlives the server" gone "$(cat fetching)"
    kill -9 "$server" 2>/dev/null || :
    forget "$server"
    # From now on the repository has a commit of an earlier start.
    kept=fetched/repositories/mine.git
    tree=$(git -C "$kept" mktree </dev/null)
    commit=$(git -C "$kept" -c user.name=Ada -c user.email=ada@localhost commit-tree -m Begin "$tree")
    git -C "$kept" update-ref refs/heads/main "$commit"
done
exit "$failed"
