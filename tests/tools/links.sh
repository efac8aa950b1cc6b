# SPDX-License-Identifier: MIT
# For test scripts, which source it.

# links_of PAGE: the files that a Markdown page links to, relative to its folder.
links_of() {
    tr '\n' ' ' <"$1" | grep -oE '\]\([^)# ]+' | sed 's/^](<*//; s/>$//' | grep -vE '^[a-z]+:' || true
}
