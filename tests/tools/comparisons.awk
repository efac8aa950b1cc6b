# SPDX-License-Identifier: MIT
# Of suites: a line "SUITE/NAME DEV BASE" for each comparison.
FNR == 1 {
    suite = FILENAME
    sub(/.*\//, "", suite)
    sub(/\.suite$/, "", suite)
    base = ""
}
/^#/ || NF == 0 { next }
$2 == "=" { if ($1 == "base") base = $3; next }
{ print suite "/" $1, $2, $3 == "against" ? $4 : base }
