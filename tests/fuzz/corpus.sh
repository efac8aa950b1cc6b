#!/bin/sh
# SPDX-License-Identifier: MIT
# The fuzzers' harnesses over their corpus and some thousand mutations of it. `make fuzz` goes on
# from there, where clang has libFuzzer.
set -eu
corpus=${srcdir:-.}/tests/fuzz/corpus
programs=${builddir:-.}/tests/bin
"$programs/fuzz_fen" "${RD_FUZZ_FEN:-20000}" "$corpus"/fen/*
"$programs/fuzz_uci" "${RD_FUZZ_UCI:-1000}" "$corpus"/uci/*
"$programs/fuzz_answer" "${RD_FUZZ_ANSWER:-20000}" "$corpus"/answer/*
if [ -x "$programs/fuzz_serve" ]; then
    "$programs/fuzz_serve" "${RD_FUZZ_SERVE:-2000}" "$corpus"/serve/*
else
    echo 'fuzz: obworker serve is not built in: its requests are left out'
fi
