# SPDX-License-Identifier: MIT
# Turns the help texts of obworker's commands into a shell's completions:
#   awk -v shell=bash|zsh|fish -f completions.awk
# The input is the help of `obworker` itself, then, for each command, a line "@COMMAND name" and the help
# of that command. An option's row is as in options.awk. Its argument says what can complete it: FILE
# and DIR paths, SPEC a path or the start of lmr: and git:, words in small letters themselves.
BEGIN { COLUMN = 30; BLANKS = sprintf("%30s", ""); commands = 0; options = 0 }

/^@COMMAND / { current = $2; inside = 0; next }

# A command's row in the help of obworker itself: its name and what it does.
current == "" && /^  [a-z-]+ / {
    name[++commands] = $1
    told[commands] = $0
    sub(/^  [a-z-]+ +/, "", told[commands])
    next
}
current == "" { next }

/^  -[A-Za-z], --/ || /^      --/ {
    attached = length($0) > COLUMN && substr($0, COLUMN, 1) == " "
    row = attached ? substr($0, 1, COLUMN) : $0
    o = ++options
    owner[o] = current
    letter[o] = match(row, /^  -[A-Za-z],/) ? substr(row, 4, 1) : ""
    match(row, /--[a-z0-9-]+/)
    long[o] = substr(row, RSTART + 2, RLENGTH - 2)
    argument[o] = substr(row, RSTART + RLENGTH)
    gsub(/^ +| +$/, "", argument[o])
    text[o] = attached ? substr($0, COLUMN + 1) : ""
    inside = 1
    next
}
inside && substr($0, 1, COLUMN) == BLANKS {
    text[o] = text[o] (text[o] == "" ? "" : " ") substr($0, COLUMN + 1)
    next
}
{ inside = 0 }

# The first clause of a text, for a word between single quotes of the shell.
function brief(s) {
    sub(/ ?[;:(].*/, "", s)
    gsub(/[$`\\]|\[|\]/, "", s)
    sub(/[,.]$/, "", s)
    gsub(/'/, shell == "fish" ? "\\'" : "'\\''", s)
    return s
}

# The words that an argument may be: those in small letters of on|off|auto, DIR|None or auto|LIST.
function words_of(argument,   part, n, i, list) {
    n = split(argument, part, "|")
    list = ""
    for (i = 1; n > 1 && i <= n; i++)
        if (part[i] ~ /[a-z]/)
            list = list (list == "" ? "" : " ") part[i]
    return argument == "SPEC" ? "lmr: git: tree:" : list
}
function takes_file(argument) { return argument ~ /FILE|SPEC/ }
function takes_folder(argument) { return argument ~ /DIR/ }

function bash_file(   i, c, all) {
    print "# bash completion for obworker, made from its help."
    print "_obworker() {"
    print "    local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} at=$((COMP_CWORD - 1)) words= paths="
    print "    COMPREPLY=()"
    for (c = 1; c <= commands; c++)
        all = all name[c] " "
    print "    if [ \"$COMP_CWORD\" -eq 1 ]; then"
    print "        COMPREPLY=($(compgen -W '" all "help --help --version' -- \"$current\"))"
    print "        return"
    print "    fi"
    print "    # = and : are words too: --sandbox=on is three."
    print "    case $current in = | :) at=$COMP_CWORD current= ;; esac"
    print "    case ${COMP_WORDS[at]} in = | :) [[ ${COMP_WORDS[at - 1]} != --* ]] || at=$((at - 1)) ;; esac"
    print "    case $command:${COMP_WORDS[at]} in"
    print "    help:*) words='" all "' ;;"
    for (i = 1; i <= options; i++)
        if (argument[i] != "")
            printf "    %s:--%s%s) words='%s' paths=%s ;;\n", owner[i], long[i],
                letter[i] == "" ? "" : " | " owner[i] ":-" letter[i], words_of(argument[i]),
                takes_file(argument[i]) ? "-f" : takes_folder(argument[i]) ? "-d" : "none"
    print "    *:= | *::) paths=-f ;;"
    print "    *)"
    print "        paths=-f"
    print "        case $command in"
    for (c = 1; c <= commands; c++) {
        all = ""
        for (i = 1; i <= options; i++)
            if (owner[i] == name[c])
                all = all " --" long[i]
        print "        " name[c] ") words='" substr(all, 2) "' ;;"
    }
    print "        esac"
    print "        ;;"
    print "    esac"
    print "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))"
    print "    case ${COMPREPLY[*]} in *:) compopt -o nospace 2>/dev/null ;; esac"
    print "    case $paths:$current in"
    print "    -f:-* | none:*) ;;"
    print "    -f:* | -d:*)"
    print "        local path"
    print "        while IFS= read -r path; do COMPREPLY+=(\"$path\"); done < <(compgen $paths -- \"$current\")"
    print "        ;;"
    print "    esac"
    print "}"
    print "complete -o filenames -F _obworker obworker"
}

function zsh_value(argument,   words) {
    if (argument == "")
        return ""
    words = words_of(argument)
    gsub(/:/, "\\:", words)
    if (takes_file(argument))
        return ":" argument ":_files"
    if (takes_folder(argument))
        return ":" argument ":_files -/"
    gsub(/[|]/, " or ", argument)
    gsub(/:/, "\\:", argument)
    return ":" argument ":" (words == "" ? " " : "(" words ")")
}
function zsh_file(   i, c) {
    print "#compdef obworker"
    print "# zsh completion for obworker, made from its help."
    print "_obworker() {"
    print "  local curcontext=\"$curcontext\" state line"
    print "  local -a commands=("
    for (c = 1; c <= commands; c++)
        print "    '" name[c] ":" brief(told[c]) "'"
    print "    'help:what a command does'"
    print "  )"
    print "  _arguments -C '1: :->command' '*:: :->arguments'"
    print "  case $state in"
    print "  command) _describe command commands ;;"
    print "  arguments)"
    print "    case $words[1] in"
    print "    help) _describe command commands ;;"
    for (c = 1; c <= commands; c++) {
        print "    " name[c] ")"
        print "      _arguments \\"
        for (i = 1; i <= options; i++)
            if (owner[i] == name[c]) {
                print "        '*--" long[i] "[" brief(text[i]) "]" zsh_value(argument[i]) "' \\"
                if (letter[i] != "")
                    print "        '*-" letter[i] "[" brief(text[i]) "]" zsh_value(argument[i]) "' \\"
            }
        print "        '*:file:_files'"
        print "      ;;"
    }
    print "    esac"
    print "    ;;"
    print "  esac"
    print "}"
    print "_obworker \"$@\""
}

function fish_value(argument,   words) {
    if (argument == "")
        return ""
    words = words_of(argument)
    return (takes_file(argument) ? " -r -F" : takes_folder(argument) ? " -x -a '(__fish_complete_directories)'" : " -x") \
        (words == "" ? "" : " -a '" words "'")
}
function fish_file(   i, c) {
    print "# fish completion for obworker, made from its help."
    for (c = 1; c <= commands; c++)
        print "complete -c obworker -f -n __fish_use_subcommand -a " name[c] " -d '" brief(told[c]) "'"
    print "complete -c obworker -f -n __fish_use_subcommand -a help -d 'what a command does'"
    for (i = 1; i <= options; i++)
        print "complete -c obworker -n '__fish_seen_subcommand_from " owner[i] "'" \
            (letter[i] == "" ? "" : " -s " letter[i]) " -l " long[i] fish_value(argument[i]) " -d '" brief(text[i]) "'"
}

END {
    if (shell == "bash")
        bash_file()
    else if (shell == "zsh")
        zsh_file()
    else
        fish_file()
}
