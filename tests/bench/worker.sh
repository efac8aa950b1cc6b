#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints in how much of its time `obworker work` has a game in every slot, and where the rest goes, with
# a stream of 64-game workloads at 2,000 nodes a move from a server on this machine: three tests of this
# project's own engine, whose sources are fetched and built on the way. A measurement, not a test.
#     make bench-worker       or        tests/bench/worker.sh [threads [workloads]]
set -eu
exec "${builddir:-.}/tests/bin/stream" "${1:-1}" "${2:-12}"
