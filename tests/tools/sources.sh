# SPDX-License-Identifier: MIT
# For test scripts, in the project's root: `. tests/tools/sources.sh`.

# listed_files FOLDER...: the source files below these folders that the rooms' lists (sources.mk, tests.mk)
# name, one a line. Builds may leave other files beside them.
listed_files() {
    for folder in "$@"; do
        grep -hoE "(^|[[:space:]=])$folder/[A-Za-z0-9_./-]+" \
            engine/sources.mk worker/sources.mk tests/tests.mk
    done | sed -n 's/^[[:space:]=]*//; /\.[A-Za-z]*$/p; /\/Makefile$/p' | sort -u
}
