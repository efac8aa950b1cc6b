# SPDX-License-Identifier: MIT
# The one list of the engine's sources, read by engine/Makefile and by Automake.
# Paths are from the project's root. Rooms in the order of the arrows: chess, eval, lmr, search, uci.
chess_src = \
	engine/chess/attacks.c \
	engine/chess/zobrist.c \
	engine/chess/position.c \
	engine/chess/movegen.c \
	engine/chess/move.c \
	engine/chess/fen.c \
	engine/chess/san.c \
	engine/chess/draw.c \
	engine/chess/perft.c
eval_src = engine/eval/evaluate.c
eval_src += engine/eval/weights.c
eval_src += engine/eval/network.c
eval_src += engine/eval/network_weights.c
lmr_src = engine/lmr/flags.c
lmr_src += engine/lmr/report.c
lmr_src += engine/lmr/reduction.c
lmr_src += engine/lmr/history.c
lmr_src += engine/lmr/statistics.c
search_src = engine/search/search.c
search_src += engine/search/iterate.c
search_src += engine/search/report.c
search_src += engine/search/node.c
search_src += engine/search/prune.c
search_src += engine/search/candidate.c
search_src += engine/search/facts.c
search_src += engine/search/qsearch.c
search_src += engine/search/thread.c
search_src += engine/search/movepick.c
search_src += engine/search/history.c
search_src += engine/search/see.c
search_src += engine/search/tablebase.c
search_src += engine/search/tt.c
search_src += engine/search/threats.c
search_src += engine/search/timeman.c
search_src += engine/search/vote.c
uci_src = engine/uci.c engine/go.c engine/ucijob.c engine/options.c engine/wdl.c engine/words.c engine/output.c engine/task.c
uci_src += engine/bench.c engine/cpubuild.c engine/opening.c engine/genfens.c engine/datagen.c
chess_hdr = \
	engine/chess/types.h \
	engine/chess/bitboard.h \
	engine/chess/attacks.h \
	engine/chess/zobrist.h \
	engine/chess/random.h \
	engine/chess/position.h \
	engine/chess/movegen.h \
	engine/chess/move.h \
	engine/chess/fen.h \
	engine/chess/san.h \
	engine/chess/draw.h \
	engine/chess/perft.h
eval_hdr = engine/eval/eval.h
eval_hdr += engine/eval/weights.h
eval_hdr += engine/eval/network.h
eval_hdr += engine/eval/parts.h
eval_hdr += engine/eval/pawns.h
eval_hdr += engine/eval/pieces.h
eval_hdr += engine/eval/king.h
eval_hdr += engine/eval/threats.h
eval_hdr += engine/eval/endgame.h
lmr_hdr =
lmr_hdr += engine/lmr/flags.h
lmr_hdr += engine/lmr/report.h
lmr_hdr += engine/lmr/reduction.h
lmr_hdr += engine/lmr/history.h
lmr_hdr += engine/lmr/statistics.h
search_hdr = engine/search/search.h
search_hdr += engine/search/context.h
search_hdr += engine/search/node.h
search_hdr += engine/search/movepick.h
search_hdr += engine/search/history.h
search_hdr += engine/search/facts.h
search_hdr += engine/search/see.h
search_hdr += engine/search/tablebase.h
search_hdr += engine/search/tt.h
search_hdr += engine/search/threats.h
search_hdr += engine/search/timeman.h
search_hdr += engine/search/vote.h
uci_hdr = engine/version.h engine/uci.h engine/go.h engine/ucijob.h engine/options.h engine/wdl.h engine/words.h \
	engine/output.h engine/task.h engine/bench.h engine/cpubuild.h engine/opening.h engine/genfens.h engine/datagen.h
engine_main = engine/main.c
# The tuner of the evaluation, a program of its own that no release needs.
tune_src = engine/tune/corpus.c
tune_src += engine/tune/target.c
tune_src += engine/tune/model.c
tune_src += engine/tune/netmodel.c
tune_src += engine/tune/train.c
tune_src += engine/tune/start.c
tune_src += engine/tune/write.c
tune_hdr = engine/tune/corpus.h
tune_hdr += engine/tune/target.h
tune_hdr += engine/tune/model.h
tune_hdr += engine/tune/netmodel.h
tune_hdr += engine/tune/train.h
tune_hdr += engine/tune/start.h
tune_hdr += engine/tune/write.h
tune_main = engine/tune/main.c
# What a build needs besides C.
engine_data = engine/Makefile engine/lmr/flags.def engine/lmr/presets.def engine/lmr/flags.awk \
	engine/search/params.def
