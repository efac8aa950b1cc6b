#!/bin/sh
# SPDX-License-Identifier: MIT
# Engines from commits of a repository (git:REF): built from the commit alone, once, as servers' workers
# build; what cannot be built is refused in one line that says why.
set -eu
command -v git >/dev/null || { echo "left out: git is not installed"; exit 77; }
. "$srcdir/tests/match/common.sh"
TMPDIR=$work/tmp
export TMPDIR
mkdir "$TMPDIR"

# A repository whose engine is the scripted one.
repository=$work/repository
mkdir -p "$repository/engine" "$repository/elsewhere/deep"
cd "$repository"
git() { command git -c user.name=test -c user.email=test@localhost -c init.defaultBranch=main "$@"; }
git init -q .
# commit NAME FOLDER: a commit whose build makes the engine, and notes that it did.
commit() {
    cat >"$2/Makefile" <<EOF
EXE ?= engine
all:
	cp $engine \$(EXE)
	echo $1 built by \$(CC) >>$work/builds
EOF
    git add -A
    git commit -qm "$1"
}
commit first engine
git tag v1
commit second engine
commit third elsewhere/deep
echo 'all: ; $(error this commit does not build)' >engine/Makefile
git add -A
git commit -qm broken
git tag broken
printf 'all:\n\t$(CC) -o $(EXE) main.c\n' >engine/Makefile
echo 'int main(void) { return no_such_thing; }' >engine/main.c
git add -A
git commit -qm "does not compile"
git tag uncompiled
printf 'all: ;\n' >engine/Makefile
git add -A
git commit -qm "makes nothing"
git rm -qr engine
git commit -qm "no engine"
git tag none

# match DEV BASE OPTIONS…
match() {
    dev=$1
    base=$2
    shift 2
    "$OBWORKER" match --dev "$dev" --base "$base" --book "$work/book.epd" --seed 3 --tc N=100 \
        --draw-adj "movenumber=0 movecount=3 score=10" --games 8 --json "$@" >"$work/out" 2>"$work/err"
}

### Two commits, named in different ways, from any folder of the repository; each is built once.
echo "not committed" >Makefile
mkdir engine
(cd elsewhere && match git:v1 "git:main~4" --journal "$work/journal") || fail "$(cat "$work/err")"
expect_in "the report" "$work/out" '"games":8'
expect "builds" "$(wc -l <"$work/builds")" 2
expect_in "the journal" "$work/journal" '"spec":"git:v1"'
expect_in "the journal" "$work/journal" "\"repository\":\"$repository\",\"commit\":\"$(git rev-parse v1)\",\"subject\":\"first\""
"$OBWORKER" report --journal "$work/journal" --markdown >"$work/out"
expect_in "the report's title" "$work/out" \
    "### $(git rev-parse v1 | cut -c1-7) \"first\" against $(git rev-parse main~4 | cut -c1-7)"
expect_in "the second subject" "$work/out" "| subject | first | third |"
expect "links without an address" "$(grep -c 'https:' "$work/out")" 0

### A repository with a remote on the web: reports link to both commits and to their difference.
git remote add origin git@gitlab.example:me/engine.git
web=https://gitlab.example/me/engine/-
(cd elsewhere && match git:v1 "git:main~4" --journal "$work/linked" --html "$work/linked.html") || fail "$(cat "$work/err")"
difference=$web/compare/$(git rev-parse main~4)...$(git rev-parse v1)
expect_in "the commit's page in JSON" "$work/out" "\"page\":\"$web/commit/$(git rev-parse v1)\""
expect_in "the difference in JSON" "$work/out" "\"difference\":\"$difference\""
expect_in "base's commit in the log" "$work/err" \
    "base: commit $(git rev-parse main~4) \"third\" of $repository: $web/commit/$(git rev-parse main~4)"
expect_in "the difference in the log" "$work/err" "the changes from base to dev: $difference"
"$OBWORKER" report --journal "$work/linked" --markdown >"$work/out"
expect_in "dev's commit in Markdown" "$work/out" "[$(git rev-parse v1)](<$web/commit/$(git rev-parse v1)>)"
expect_in "the difference in Markdown" "$work/out" "(<$difference>)"
expect_in "the repository in Markdown" "$work/out" "| repository | me/engine | me/engine |"
expect_in "base's commit on the page" "$work/linked.html" "<a href=\"$web/commit/$(git rev-parse main~4)\">"
expect_in "the difference on the page" "$work/linked.html" "<a href=\"$difference\">All that dev changes"
git remote remove origin

match "git:$(git rev-parse v1)" git:HEAD~4 || fail "$(cat "$work/err")"
expect "builds after asking again" "$(wc -l <"$work/builds")" 2
match git:main~3 git:main~3 --build-path elsewhere/deep || fail "$(cat "$work/err")"
expect "builds with another folder" "$(wc -l <"$work/builds")" 3
expect "what is left of building" "$(ls -A "$work/cache/obworker/engines" | grep -vc '^git-[0-9a-f]*$')" 0

### What cannot be: one line, status 1, nothing left.
# refuse TEXT SPEC OPTIONS…
refuse() {
    text=$1
    spec=$2
    shift 2
    expect_refused match 1 "$text" "$spec" "$engine" --quiet "$@"
    expect "lines with $spec" "$(lines "$work/err")" 1
    expect_in "$spec" "$work/err" "--dev $spec: "
    expect "engines kept after $spec" \
        "$(ls -A "$work/cache/obworker/engines" 2>/dev/null | grep -vc '\.log$')" "$kept"
}
kept=3
refuse "there is no commit 'nonsense' in the repository" git:nonsense
refuse "there is no commit '' in the repository" git:
refuse "there is no commit '--all' in the repository" git:--all
refuse "has no engine/Makefile: --build-path names the folder" git:none
refuse "has no elsewhere/Makefile" git:v1 --build-path elsewhere
refuse "is not a folder inside a repository" git:v1 --build-path ../engine
refuse "is not a folder inside a repository" git:v1 --build-path /engine
refuse "make exited with status 2: " git:broken
refuse "this commit does not build" git:broken
refuse "error: " git:uncompiled
refuse "no_such_thing" git:uncompiled
refuse "make made no executable of the name given by EXE= (the Makefile must write the program to \$(EXE))" git:none~1

### A commit's name alone is a program's.
code=0
match broken "$engine" --quiet || code=$?
expect "status with a commit's name alone" "$code" 1
expect_in "a commit's name alone" "$work/err" "--dev: broken: no such program on PATH (a commit is named git:broken)"

### A failed build shows the compiler's lines as lines, and names the file with all of them.
match git:uncompiled "$engine" && fail "a commit that does not compile was played"
expect "lines of the compiler" "$(grep -c '^ .*no_such_thing' "$work/err" | grep -vc '^0')" 1
expect "error lines" "$(grep -c '^error: ' "$work/err")" 1
log=$(sed -n 's/^error: .*the whole output is in //p' "$work/err")
expect_in "the log file" "$log" "no_such_thing"
expect_in "the log file" "$log" "make: "

### A kept engine is announced as kept.
match git:v1 git:v1 || fail "$(cat "$work/err")"
expect_in "the announcement" "$work/err" "dev: git:v1 is kept from an earlier build"

### Both sides are checked before either is built: a mistake of base costs no build of dev.
rm -r "$work/cache"
for base in git:nonsense lmr:KILLR=0 lmr:KILLER /no/such/engine; do
    code=0
    match git:v1 "$base" --quiet || code=$?
    expect "status with the base $base" "$code" 1
    expect_in "the error with the base $base" "$work/err" "--base"
    [ ! -e "$work/cache" ] || fail "something was built before the base $base was looked at"
done

cd "$work"
kept=0
refuse "is in no git repository" git:HEAD

### An interrupt while an engine of a suite is prepared ends the suite, whatever runs for it: no other engine is built.
git clone -q "$repository" "$work/building"
mkdir "$work/building/engine"
printf 'all:\n\techo begun >%s\n\tsleep 600\n' "$work/begun" >"$work/building/engine/Makefile"
printf 'base = %s\ntc = N=100\nfirst tree:building\nsecond tree:building/engine\n' "$engine" >suite
printf '#!/bin/sh\necho begun >%s\nexec sleep 600\n' "$work/begun" >compiler
chmod 755 compiler
for compiler in "${CC:-}" "$work/compiler"; do
    rm -f begun
    CC=$compiler "$OBWORKER" match --suite suite --book book.epd --games 4 --sandbox off >out 2>err &
    job=$!
    until_in begun begun
    kill -INT "$job"
    code=0
    wait "$job" || code=$?
    expect "status after an interrupt" "$code" 1
    expect_in "an interrupt" err "error: first: interrupted"
    expect "a second build after an interrupt" "$(grep -c 'second: preparing' err)" 0
    expect "faults after an interrupt" "$(grep -c 'failed, see above' err)" 0
done

### A commit that is there no more after the build, or then for the first time, ends the match.
own=$work/own
mkdir -p "$own/engine/lmr"
touch "$own/engine/lmr/flags.def"
echo 'BEGIN { exit }' >"$own/engine/lmr/flags.awk"
printf 'all:\n\tgit -C %s symbolic-ref HEAD refs/heads/$$(cat %s)\n\tcp %s $(EXE)\n' "$own" "$work/branch" "$engine" \
    >"$own/engine/Makefile"
cd "$own"
git init -q .
git add -A
git commit -qm own
at=$(git rev-parse HEAD | cut -c1-12)
# moves SPEC BRANCH WAS IS: HEAD becomes BRANCH while the engine is built.
moves() {
    echo "$2" >"$work/branch"
    code=0
    (export OBWORKER_DATADIR=; match "$1" "$engine") || code=$?
    expect "status with $2 as HEAD after the build" "$code" 1
    expect_in "$2 as HEAD after the build" "$work/err" \
        "error: --dev $1: was $3 and is $4 now: it moved during the build; start again"
}
moves lmr:ROW=1 none "$at" "no commit"
moves lmr:ROW=2 main "no commit" "$at"

### A name that has moved since the journal was begun is told with both commits.
git clone -q "$repository" "$work/moving"
cd "$work/moving"
git checkout -q v1
match git:HEAD "$engine side=base" --journal "$work/moved" || fail "$(cat "$work/err")"
before=$(git rev-parse HEAD)
printf 'all:\n\tcp %s $(EXE) && echo >>$(EXE)\n' "$engine" >engine/Makefile
git commit -qam "another engine"
code=0
match git:HEAD "$engine side=base" --journal "$work/moved" --resume || code=$?
expect "status with a name that has moved" "$code" 1
expect_in "a name that has moved" "$work/err" "dev's git:HEAD was $(echo "$before" | cut -c1-7) \"first\" and is $(git rev-parse HEAD | cut -c1-7) \"another engine\" now; git:$before is the old one"
match "git:$before" "$engine side=base" --journal "$work/moved" --resume || fail "$(cat "$work/err")"

### tree: is the working tree with what is not committed, from a copy; the record says what differs.
rm -r "$work/cache"
state=$(git status --porcelain; git rev-parse HEAD; ls -A)
match tree: "$engine side=base" --journal "$work/clean" || fail "$(cat "$work/err")"
"$OBWORKER" report --journal "$work/clean" --markdown >"$work/out"
expect_in "the title of a clean tree" "$work/out" "$(git rev-parse HEAD | cut -c1-7) \"another engine\" against"
if grep -q '"changes"' "$work/clean"; then fail "a clean tree is said to have changes"; fi
expect "the repository after a build" "$(git status --porcelain; git rev-parse HEAD; ls -A)" "$state"
printf 'all:\n\tcp %s $(EXE) && cat new >>$(EXE)\n' "$engine" >engine/Makefile
echo "not known to git" >engine/new
state=$(git status --porcelain; git rev-parse HEAD; ls -A; git count-objects)
(cd engine && match "tree:$PWD" "$engine side=base" --journal "$work/changed") || fail "$(cat "$work/err")"
expect "the repository after a build of changes" "$(git status --porcelain; git rev-parse HEAD; ls -A; git count-objects)" "$state"
"$OBWORKER" report --journal "$work/changed" --markdown >"$work/out"
expect_in "the title of a changed tree" "$work/out" "\"another engine\" + changes against"
expect_in "the SPEC of a changed tree" "$work/out" "| engine | tree: |"
expect "digests of the difference" "$(grep -c '"changes":"[0-9a-f]\{64\}"' "$work/changed")" 1
digest() { sed -n 's/.*"dev":.*"changes":"\([0-9a-f]*\)".*/\1/p' "$1"; }
odd="$work/a:repository with \"quotes\""
cp -r "$PWD" "$odd"
(cd "$odd" && match tree: "$engine side=base" --journal "$work/odd") || fail "in $odd: $(cat "$work/err")"
echo "changed again" >engine/new
(cd engine && match tree: "$engine side=base" --journal "$work/again") || fail "$(cat "$work/err")"
[ "$(digest "$work/again")" != "$(digest "$work/changed")" ] || fail "another difference has the same digest"
here="$(git rev-parse HEAD | cut -c1-7) \"another engine\""
# moved JOURNAL WAS IS: what --resume says of a tree whose files have changed.
moved() {
    code=0
    match tree: "$engine side=base" --journal "$1" --resume || code=$?
    expect "status with a tree that has changed" "$code" 1
    expect_in "a tree that has changed" "$work/err" "other sources: dev's tree: was $here$2 and is $here$3 now"
}
echo "and changed again" >engine/new
moved "$work/again" " + changes" " + other changes"
moved "$work/clean" "" " + changes"

### An interrupt that ends a run of git ends the command: no commit is said to be missing.
mkdir "$work/bin"
cat >"$work/bin/git" <<EOF
#!/bin/sh
case "\$*" in "\$SSH_STOP"*) kill -INT "\$SSH_PID" && exec sleep 60 ;; esac
exec $(unset -f git && command -v git) "\$@"
EOF
chmod +x "$work/bin/git"
# interrupted SPEC WORDS: the interrupt comes when git is run with these words at the front.
interrupted() {
    code=0
    SSH_STOP=$2 PATH=$work/bin:$PATH sh -c 'SSH_PID=$$ && export SSH_PID && exec "$0" "$@"' \
        "$OBWORKER" match --dev "$1" --base "$engine" --book "$work/book.epd" --tc N=100 --games 2 \
        >"$work/out" 2>"$work/err" || code=$?
    expect "status of $1 interrupted in $2" "$code" 1
    expect "$1 interrupted in $2" "$(said "$work/err")" "error: --dev $1: interrupted"
}
interrupted git:v1 "rev-parse --verify"
interrupted tree: "write-tree"
interrupted lmr: "rev-parse --show-toplevel"

### A tuning of this project's own tree needs a build with TUNE=1; the error says how to get one.
mkdir engine/lmr
for table in "" engine/lmr/flags.def; do
    [ -z "$table" ] || touch "$table"
    code=0
    "$OBWORKER" tune --engine tree: --param "DIV, int, 100, 50, 200, 10, 0.002" --tc N=100 --book "$work/book.epd" \
        --iterations 1 >"$work/out" 2>"$work/err" || code=$?
    expect "status of a tuning without the option" "$code" 1
    expect_in "a tuning without the option" "$work/err" "DIV: the engine has no such option"
    wanted=0
    [ -z "$table" ] || wanted=1
    expect "hints at TUNE=1 with the table '$table'" \
        "$(grep -c "a build with TUNE=1 has it: --engine lmr: makes one" "$work/err")" "$wanted"
done
rm engine/Makefile
code=0
match tree: "$engine" --quiet || code=$?
expect "status of a tree without a Makefile" "$code" 1
expect_in "a tree without a Makefile" "$work/err" "--dev tree:: the tree "
code=0
match "tree:$work/cache" "$engine" --quiet || code=$?
expect_in "a tree in no repository" "$work/err" "is in no git repository"
expect "what snapshots leave" "$(ls -d "$TMPDIR"/obworker-tree-* 2>/dev/null | wc -l)" 0

exit "$failed"
