# SPDX-License-Identifier: MIT
# Makes flags_gen.h of flags.def, search/params.def and presets.def. Plain POSIX awk.
#   LMR="PRESET=t1 KILLER=exempt" TUNE=0 awk -f flags.awk flags.def params.def presets.def > flags_gen.h
# A row of flags.def is LMR_<ROW> in the code, a row of params.def SEARCH_<ROW>. presets.def comes last.
# LMR holds ROW=VALUE words, parted by blanks or commas. A word that names no row, or a value that
# the row does not allow, ends in one line on stderr and status 1. RD_CHECK=1 only checks.
# A row's value is resolved in layers, the later one wins: the table's default, the preset that
# PRESET=NAME chooses, LMR's other words.

function fail(text) {
    print "LMR: " text | "cat 1>&2"
    close("cat 1>&2")
    failed = 1
    exit 1
}

function trim(text) {
    gsub(/^[ \t]+|[ \t]+$/, "", text)
    return text
}

function table_fault(text) { fail(FILENAME " line " FNR ": " text) }

function is_integer(text) { return text ~ /^-?[0-9]+$/ && length(text) <= 9 }

# A choice's name as it stands in a C identifier: main+cont is MAIN_CONT.
function identifier(text) {
    text = toupper(text)
    gsub(/[^A-Z0-9]/, "_", text)
    return text
}

# The edit distance of two names, for "did you mean".
function distance(a, b, i, j, above, left, corner, cost, line) {
    for (j = 0; j <= length(b); j++)
        line[j] = j
    for (i = 1; i <= length(a); i++) {
        corner = line[0]
        line[0] = i
        for (j = 1; j <= length(b); j++) {
            above = line[j]
            left = line[j - 1]
            cost = corner + (substr(a, i, 1) == substr(b, j, 1) ? 0 : 1)
            if (above + 1 < cost)
                cost = above + 1
            if (left + 1 < cost)
                cost = left + 1
            corner = above
            line[j] = cost
        }
    }
    return line[length(b)]
}

function suggestion(name, i, d, best, best_distance) {
    if (toupper(name) == "PRESET")
        return " (did you mean PRESET?)"
    best_distance = 1 + int(length(name) / 3)
    for (i = 1; i <= rows; i++) {
        d = distance(toupper(name), row[i])
        if (d <= best_distance && (best == "" || d < best_distance)) {
            best = row[i]
            best_distance = d
        }
    }
    return best == "" ? " (reductio lmr list and params list name them)" : " (did you mean " best "?)"
}

# The number of a value written by a person, or "" when the row does not allow it.
function number_of(name, text, i) {
    if (kind[name] == "C") {
        for (i = 1; i <= choices[name]; i++)
            if (text == choice[name, i])
                return choice_value[name, i]
        for (i = 1; i <= choices[name]; i++)
            if (text == choice_value[name, i] "")
                return choice_value[name, i]
        return ""
    }
    if (!is_integer(text) || text + 0 < low[name] || text + 0 > high[name])
        return ""
    return text + 0
}

function refuse_value(name, text) {
    if (kind[name] == "C")
        fail(name "=" text " is not one of: " allowed[name] \
             (numbered[name] ? "" : " (or 0.." choices[name] - 1 ")"))
    if (text !~ /^-?[0-9]+$/)
        fail(name "=" text " is not a whole number in " allowed[name])
    fail(name "=" text " is out of range " allowed[name])
}

function read_allowed(name, text, n, parts, i) {
    if (kind[name] != "C") {
        n = split(text, parts, /\.\./)
        if (n != 2 || !is_integer(parts[1]) || !is_integer(parts[2]) || parts[1] + 0 > parts[2] + 0)
            table_fault(name ": \"" text "\" is no range lo..hi")
        low[name] = parts[1] + 0
        high[name] = parts[2] + 0
        return
    }
    choices[name] = split(text, parts, " ")
    if (choices[name] < 2)
        table_fault(name ": a choice needs at least two values")
    numbered[name] = (parts[1] ~ /^[0-9]+$/)
    for (i = 1; i <= choices[name]; i++) {
        choice[name, i] = parts[i]
        choice_value[name, i] = numbered[name] ? parts[i] + 0 : i - 1
        if (i == 1 || choice_value[name, i] < low[name])
            low[name] = choice_value[name, i]
        if (i == 1 || choice_value[name, i] > high[name])
            high[name] = choice_value[name, i]
        claim(prefix[name] name "_" identifier(parts[i]))
    }
}

# Every identifier that the header defines is defined once.
function claim(symbol) {
    if (symbol in claimed)
        table_fault(symbol " would be defined twice")
    claimed[symbol] = 1
}

# "ROW=VALUE ..." of a preset: as LMR's words, but each on top of what the preset rests on.
function read_preset_rows(preset, words, n, list, i, at, name, text) {
    n = split(words, list, " ")
    for (i = 1; i <= n; i++) {
        at = index(list[i], "=")
        name = substr(list[i], 1, at - 1)
        text = substr(list[i], at + 1)
        if (at < 2)
            table_fault(preset ": \"" list[i] "\" is not ROW=VALUE")
        if (!(name in kind))
            table_fault(preset ": unknown row " name suggestion(name))
        if ((preset, name) in named)
            table_fault(preset ": " name " is given twice")
        if (number_of(name, text) == "")
            table_fault(preset ": " name "=" text " is not among " allowed[name])
        named[preset, name] = 1
        preset_value[preset, name] = number_of(name, text)
    }
}

# A preset that can be chosen has a number, in the order of the file.
function add_preset(name, from, i) {
    is_preset[name] = 1
    if (name !~ /^_/) {
        preset_names = preset_names (presets > 0 ? " " : "") name
        preset[presets++] = name
    }
    for (i = 1; i <= rows; i++)
        preset_value[name, row[i]] = from == "-" ? standard[row[i]] : preset_value[from, row[i]]
}

BEGIN { claimed["LMR_PRESET"] = 1 }

FNR == 1 {
    is_presets = FILENAME ~ /presets\.def$/
    is_params = FILENAME ~ /params\.def$/
}

/^[ \t]*(#|$)/ { next }

is_presets {
    if (split($0, field, "|") != 3)
        table_fault("a preset has three columns: name | from | rows")
    name = trim(field[1])
    from = trim(field[2])
    if (name != "") {
        if (name !~ /^_?[a-z][a-z0-9]*$/ || name in is_preset)
            table_fault("\"" name "\" is no name for a preset, or the second of that name")
        if (from != "-" && !(from in is_preset))
            table_fault(name ": there is no preset \"" from "\" above it")
        add_preset(current = name, from)
    } else if (current == "" || from != "")
        table_fault("a line without a name goes on with the rows of the preset above")
    read_preset_rows(current, field[3])
    next
}

{
    if (split($0, field, "|") != 7)
        table_fault("a row has seven columns: name | kind | default | allowed | texts | needs | meaning")
    name = trim(field[1])
    if (name !~ /^[A-Z][A-Z0-9_]*$/)
        table_fault("\"" name "\" is no name for a row")
    if (name in kind)
        table_fault(name " is the second row of that name")
    prefix[name] = is_params ? "SEARCH_" : "LMR_"
    claim(prefix[name] name)
    row[++rows] = name
    flags += !is_params
    kind[name] = trim(field[2])
    if (kind[name] !~ /^[BICW]$/)
        table_fault(name ": kind is one of B I C W")
    allowed[name] = trim(field[4])
    gsub(/[ \t]+/, " ", allowed[name])
    read_allowed(name, allowed[name])
    texts[name] = trim(field[5])
    gsub(/[ \t]+/, " ", texts[name])
    needs[name] = trim(field[6])
    meaning[name] = trim(field[7])
    if (texts[name] needs[name] meaning[name] ~ /["\\]/)
        table_fault(name ": no quote or backslash, please: the row becomes C text")
    standard[name] = number_of(name, trim(field[3]))
    if (standard[name] == "")
        table_fault(name ": default " trim(field[3]) " is not among " allowed[name])
}

# "ROW=a,b ROW!=c/ROW=d": every row named in a needs column exists and has those values.
function check_needs(name, conditions, n, i, sides, k, wanted, j, other) {
    if (needs[name] == "-")
        return
    n = split(needs[name], conditions, /[ \/]/)
    for (i = 1; i <= n; i++) {
        if (split(conditions[i], sides, /!?=/) != 2 || !(sides[1] in kind))
            fail("the table: " name " needs \"" conditions[i] "\", which is no ROW=value")
        other = sides[1]
        k = split(sides[2], wanted, ",")
        for (j = 1; j <= k; j++)
            if (number_of(other, wanted[j]) == "")
                fail("the table: " name " needs " other "=" wanted[j] ", which is not among " \
                     allowed[other])
    }
}

# The preset among LMR's words, wherever it stands there; modern when there is none.
function apply_preset(words, n, list, i, found) {
    n = split(words, list, " ")
    for (i = 1; i <= n; i++) {
        if (list[i] !~ /^PRESET=/)
            continue
        if (found)
            fail("PRESET is given twice")
        found = substr(list[i], 8)
        for (chosen = 0; chosen < presets && preset[chosen] != found; chosen++)
            ;
        if (chosen == presets)
            fail("PRESET=" found " is not one of: " preset_names)
    }
    for (i = 1; i <= rows; i++)
        value[row[i]] = preset_value[preset[chosen + 0], row[i]]
}

function apply_words(words, n, list, i, at, name, text) {
    n = split(words, list, " ")
    for (i = 1; i <= n; i++) {
        if (list[i] ~ /^PRESET=/)
            continue
        at = index(list[i], "=")
        if (at < 2)
            fail("\"" list[i] "\" is not ROW=VALUE")
        name = substr(list[i], 1, at - 1)
        text = substr(list[i], at + 1)
        if (!(name in kind))
            fail("unknown row " name suggestion(name))
        if (name in given)
            fail(name " is given twice")
        given[name] = 1
        if (number_of(name, text) == "")
            refuse_value(name, text)
        value[name] = number_of(name, text)
    }
}

function print_choices(name, i) {
    print "enum {"
    for (i = 1; i <= choices[name]; i++)
        print "    " prefix[name] name "_" identifier(choice[name, i]) " = " choice_value[name, i] ","
    print "};"
}

function print_check(name, test, symbol, i) {
    symbol = prefix[name] name
    if (numbered[name]) {
        for (i = 1; i <= choices[name]; i++)
            test = test (i > 1 ? " || " : "") "(" symbol ") == " choice_value[name, i]
    } else {
        test = "(" symbol ") >= " low[name] " && (" symbol ") <= " high[name]
    }
    print "_Static_assert(" test ","
    print "               \"LMR: " name " allows only: " allowed[name] "\");"
}

# In the order of use: what a row may be, what it is, the check, and the value as code sees it.
function print_row(name) {
    print "\n/* " name ": " allowed[name] " */"
    if (kind[name] == "C")
        print_choices(name)
    print "#ifndef " prefix[name] name
    print "#define " prefix[name] name " " value[name]
    print "#endif"
    print_check(name)
    print "enum { LMR_SET_" name " = (" prefix[name] name ") };"
}

function print_runtime(i) {
    print "\n/* In a tunable build the rows are variables, which UCI options set; in one that counts"
    print " * statistics ENABLE alone, so that it can be measured against none; else constants. */"
    print "#if LMR_TUNE"
    print "typedef struct LmrValues {"
    print "    int preset;"
    for (i = 1; i <= rows; i++)
        print "    int v_" row[i] ";"
    print "} LmrValues;"
    print "extern LmrValues lmr_values;"
    for (i = 1; i <= rows; i++) {
        print "#undef " prefix[row[i]] row[i]
        print "#define " prefix[row[i]] row[i] " (lmr_values.v_" row[i] ")"
    }
    print "#elif LMR_STATS"
    print "typedef struct LmrValues {"
    print "    int v_ENABLE;"
    print "} LmrValues;"
    print "extern LmrValues lmr_values;"
    print "#undef LMR_ENABLE"
    print "#define LMR_ENABLE (lmr_values.v_ENABLE)"
    print "#endif"
}

function print_table(i, name) {
    print "\n/* X(name, kind, default, set, low, high, allowed, texts, needs, meaning) for every row. */"
    print "#define LMR_ROWS(X) \\"
    for (i = 1; i <= rows; i++) {
        name = row[i]
        print "    X(" name ", '" kind[name] "', " standard[name] ", LMR_SET_" name ", " low[name] ", " \
              high[name] ", \\"
        print "      \"" allowed[name] "\", \"" texts[name] "\", \"" needs[name] "\", \\"
        print "      \"" meaning[name] "\")" (i < rows ? " \\" : "")
    }
    print "/* The flags come first, the search's parameters after them. */"
    print "enum { LMR_FLAG_COUNT = " flags + 0 ", LMR_ROW_COUNT = " rows " };"
}

# The presets by number, each with the values of all rows in the order of the table.
function print_presets(p, i, line) {
    print "\n/* X(name, values of all rows) for every preset; the first is the table as it is. */"
    print "#define LMR_PRESETS(X) \\"
    for (p = 0; p < presets; p++) {
        line = "    X(" preset[p]
        for (i = 1; i <= rows; i++)
            line = line ", " preset_value[preset[p], row[i]]
        print line ")" (p < presets - 1 ? " \\" : "")
    }
    print "enum { LMR_PRESET_COUNT = " presets ", LMR_SET_PRESET = " chosen + 0 " };"
    print "#ifdef LMR_PRESET"
    print "#error \"a preset is chosen with LMR=PRESET=name, not with -DLMR_PRESET\""
    print "#endif"
}

END {
    if (failed)
        exit 1
    if (rows == 0)
        fail("flags.def holds no row")
    for (i = 1; i <= rows; i++)
        check_needs(row[i])
    if (presets == 0)
        add_preset("modern", "-")
    words = ENVIRON["LMR"]
    gsub(/,/, " ", words)
    apply_preset(words)
    apply_words(words)
    tune = ENVIRON["TUNE"] == "" ? "0" : ENVIRON["TUNE"]
    if (tune != "0" && tune != "1")
        fail("TUNE=" tune " is neither 0 nor 1")
    if (ENVIRON["RD_CHECK"] == "1")
        exit 0
    print "/* Made of flags.def, params.def and presets.def by flags.awk; changes here are lost. */"
    print "#ifndef LMR_FLAGS_GEN_H\n#define LMR_FLAGS_GEN_H\n"
    print "#ifndef LMR_TUNE"
    print "#define LMR_TUNE " tune
    print "#endif"
    for (i = 1; i <= rows; i++)
        print_row(row[i])
    print_runtime()
    print_table()
    print_presets()
    print "\n#endif"
}
