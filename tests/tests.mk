# SPDX-License-Identifier: MIT
# Every test program, a room a block. TESTS in the order of the rooms: what others rest on first.
# Test programs are built from $(LIBRARIES) and Check; scripts end in .sh.
test_programs =
test_scripts = tests/arrows.sh tests/circles.sh tests/licence.sh tests/left_out.sh tests/dist.sh
test_helpers =
test_files = tests/tools/sources.sh tests/tools/left_out.sh tests/packaging/deb.sh

# worker/base: child processes
test_programs += tests/bin/test_child tests/bin/test_sandbox tests/bin/test_confine \
	tests/bin/test_resident tests/bin/test_guard
test_programs += tests/bin/test_contention tests/bin/test_timelimit tests/bin/test_ram tests/bin/test_tree
test_programs += tests/bin/test_diskwatch tests/bin/test_appendfile tests/bin/test_loop
# A place to try the sandbox in, and its user.
place = tests/base/place.c tests/base/place.h tests/tools/ordinary.h
tests_bin_test_diskwatch_SOURCES = tests/base/test_diskwatch.c $(place)
tests_bin_test_appendfile_SOURCES = tests/base/test_appendfile.c
tests_bin_test_loop_SOURCES = tests/base/test_loop.c tests/tools/ordinary.h
tests_bin_test_tree_SOURCES = tests/base/test_tree.c tests/tools/ordinary.h
tests_bin_test_ram_SOURCES = tests/base/test_ram.c
tests_bin_test_contention_SOURCES = tests/base/test_contention.c
tests_bin_test_timelimit_SOURCES = tests/base/test_timelimit.c
tests_bin_test_child_SOURCES = tests/base/test_child.c
tests_bin_test_sandbox_SOURCES = tests/base/test_sandbox.c $(place)
tests_bin_test_confine_SOURCES = tests/base/test_confine.c $(place)
tests_bin_test_guard_SOURCES = tests/base/test_guard.c $(place)
# The Linux half alone has these. obworker_portable is the worker with the other half.
if LINUX_EXTRAS
test_programs += tests/bin/test_filter tests/bin/test_proc
test_helpers += tests/bin/obworker_portable
endif
tests_bin_test_filter_SOURCES = tests/base/linux/test_filter.c
tests_bin_test_resident_SOURCES = tests/base/test_resident.c $(place)
tests_bin_test_proc_SOURCES = tests/base/linux/test_proc.c
tests_bin_obworker_portable_SOURCES = $(worker_main) $(portable_src)
tests_bin_obworker_portable_LDADD = libworker.a libengine.a $(WORKER_LIBS)
test_scripts += tests/base/portable.sh tests/base/closed.sh
# The programs for another processor, in an emulation (make check-aarch64).
test_files += tests/tools/aarch64.sh tests/tools/emulated_cc.sh tests/tools/emulated_match.sh

# worker/base, worker/stats, worker/report: text, options, journals, judging, reporting
test_files += tests/tools/work.sh tests/runner.h tests/tools/descriptors.h tests/tools/files.h tests/tools/temporary.h tests/tools/position.h tests/tools/random.h tests/tools/tables.h
terminal = tests/tools/terminal.c tests/tools/terminal.h
test_programs += tests/bin/test_text tests/bin/test_options tests/bin/test_log \
	tests/bin/test_journal tests/bin/test_journalqueue tests/bin/test_stats tests/bin/test_sequential tests/bin/test_spsa tests/bin/test_tuning \
	tests/bin/test_block tests/bin/test_compare tests/bin/test_progress \
	tests/bin/test_record tests/bin/test_pair tests/bin/test_gamemoves tests/bin/test_games tests/bin/test_chart tests/bin/test_tuningview tests/bin/test_journal_result
tests_bin_test_journal_result_SOURCES = tests/report/test_journal_result.c
tests_bin_test_gamemoves_SOURCES = tests/results/test_gamemoves.c
tests_bin_test_tuningview_SOURCES = tests/report/test_tuningview.c
tests_bin_test_chart_SOURCES = tests/report/test_chart.c
tests_bin_test_games_SOURCES = tests/report/test_games.c
test_programs += tests/bin/test_origin
tests_bin_test_origin_SOURCES = tests/report/test_origin.c
test_programs += tests/bin/test_shrinkage tests/bin/test_lab tests/bin/test_labclaims
tests_bin_test_shrinkage_SOURCES = tests/stats/test_shrinkage.c
tests_bin_test_lab_SOURCES = tests/report/test_lab.c
tests_bin_test_labclaims_SOURCES = tests/report/test_labclaims.c
tests_bin_test_pair_SOURCES = tests/results/test_pair.c
tests_bin_test_record_SOURCES = tests/results/test_record.c
journal_rig = tests/base/journal_rig.c tests/base/journal_rig.h
tests_bin_test_journal_SOURCES = tests/base/test_journal.c $(journal_rig)
tests_bin_test_journalqueue_SOURCES = tests/base/test_journalqueue.c $(journal_rig)
tests_bin_test_text_SOURCES = tests/base/test_text.c
test_programs += tests/bin/test_shellwords
tests_bin_test_shellwords_SOURCES = tests/base/test_shellwords.c
tests_bin_test_options_SOURCES = tests/base/test_options.c
tests_bin_test_stats_SOURCES = tests/stats/test_stats.c
tests_bin_test_compare_SOURCES = tests/report/test_compare.c
tests_bin_test_sequential_SOURCES = tests/stats/test_sequential.c
tests_bin_test_tuning_SOURCES = tests/stats/test_tuning.c
tests_bin_test_spsa_SOURCES = tests/stats/test_spsa.c
tests_bin_test_log_SOURCES = tests/base/test_log.c $(terminal)
tests_bin_test_progress_SOURCES = tests/report/test_progress.c
tests_bin_test_block_SOURCES = tests/report/test_block.c
test_scripts += tests/report/cli.sh tests/report/outputs.sh tests/report/follow.sh tests/report/lab.sh
test_files += tests/tools/browser/browser.mjs tests/tools/browser/eyes.mjs tests/tools/browser/look.mjs tests/tools/browser/play.mjs tests/tools/serve.sh tests/tools/quick_engine.sh

# worker/match: clocks, adjudication, books, PGN
test_files += tests/match/golden.h
test_programs += tests/bin/test_timecontrol tests/bin/test_book tests/bin/test_pgn tests/bin/test_movelist
tests_bin_test_timecontrol_SOURCES = tests/match/test_timecontrol.c
tests_bin_test_book_SOURCES = tests/match/test_book.c
tests_bin_test_movelist_SOURCES = tests/match/test_movelist.c
tests_bin_test_pgn_SOURCES = tests/match/test_pgn.c

# engine/lmr: the flag table
test_programs += tests/bin/test_flags
tests_bin_test_flags_SOURCES = tests/lmr/test_flags.c
test_scripts += tests/lmr/generator.sh tests/lmr/flips.sh tests/lmr/presets.sh tests/lmr/statistics.sh tests/lmr/spsa.sh
# The engine with every row a variable.
test_helpers += tests/bin/reductio_tune
tests_bin_reductio_tune_SOURCES = $(engine_main) $(engine_library_src) $(engine_hdr)
tests_bin_reductio_tune_CPPFLAGS = $(AM_CPPFLAGS) -DLMR_TUNE=1
tests_bin_reductio_tune_LDADD = $(FATHOM_LIBS) -lpthread -lm

# worker/match: a scripted engine for the tests that need faults, delays and known results
test_helpers += tests/bin/scripted_engine
tests_bin_scripted_engine_SOURCES = tests/tools/scripted_engine.c tests/tools/tricks.c \
	tests/tools/tricks.h
# The runner's benchmark of its own clock (make bench-runner).
EXTRA_PROGRAMS = tests/bin/timing
tests_bin_timing_SOURCES = tests/bench/timing.c
test_programs += tests/bin/test_dialogue tests/bin/test_transcript tests/bin/test_match \
	tests/bin/test_faults
tests_bin_test_transcript_SOURCES = tests/match/test_transcript.c
tests_bin_test_dialogue_SOURCES = tests/match/test_dialogue.c
test_programs += tests/bin/test_player
tests_bin_test_player_SOURCES = tests/match/test_player.c
local_run = tests/match/local_run.c tests/match/local_run.h
tests_bin_test_match_SOURCES = tests/match/test_match.c $(local_run)
test_programs += tests/bin/test_rules tests/bin/test_view tests/bin/test_positions
tests_bin_test_positions_SOURCES = tests/match/test_positions.c
tests_bin_test_view_SOURCES = tests/match/test_view.c $(terminal)
tests_bin_test_rules_SOURCES = tests/match/test_rules.c $(local_run)
tests_bin_test_faults_SOURCES = tests/match/test_faults.c $(local_run)
test_scripts += tests/match/cli.sh tests/match/affinity.sh tests/match/journal.sh tests/match/kill.sh \
	tests/match/git.sh tests/match/again.sh tests/match/suite.sh tests/local/options.sh tests/local/lab.sh tests/local/tune.sh tests/match/stress.sh tests/match/endurance.sh tests/match/golden.sh
test_files += tests/tools/comparisons.awk tests/match/common.sh tests/match/pgn_plain.awk tests/bench/runner.sh
test_files += tests/valgrind.sh
# What another rules library says of the games; bootstrap installs it.
test_scripts += tests/match/second_opinion.sh
test_files += tests/tools/second_opinion/ask.sh tests/tools/second_opinion/check.mjs \
	tests/tools/second_opinion/package.json tests/tools/second_opinion/package-lock.json

# engine/chess: the rules
chess_walk = tests/chess/walk.c tests/chess/walk.h
test_programs += tests/bin/test_attacks tests/bin/test_perft tests/bin/test_perft_magic \
	tests/bin/test_movegen tests/bin/test_fen tests/bin/test_notation tests/bin/test_draw
tests_bin_test_attacks_SOURCES = tests/chess/test_attacks.c $(chess_walk)
tests_bin_test_perft_SOURCES = tests/chess/test_perft.c
# The same again on rules compiled without PEXT, whatever this CPU has.
tests_bin_test_perft_magic_SOURCES = tests/chess/test_perft.c $(chess_src) $(chess_hdr)
tests_bin_test_perft_magic_CPPFLAGS = $(AM_CPPFLAGS) -DRD_NO_PEXT
tests_bin_test_movegen_SOURCES = tests/chess/test_movegen.c $(chess_walk)
tests_bin_test_fen_SOURCES = tests/chess/test_fen.c $(chess_walk)
tests_bin_test_notation_SOURCES = tests/chess/test_notation.c $(chess_walk)
tests_bin_test_draw_SOURCES = tests/chess/test_draw.c
test_helpers += tests/bin/find_magics
tests_bin_find_magics_SOURCES = tests/chess/find_magics.c
tests_bin_find_magics_LDADD =
test_scripts += tests/chess/magics.sh
test_files += tests/bench/perft.sh tests/bench/tactics.sh tests/bench/smp.sh tests/bench/uci.sh tests/bench/tactics.epd

# engine: the programs around the search
test_programs += tests/bin/test_uci tests/bin/test_go tests/bin/test_wdl tests/bin/test_genfens \
	tests/bin/test_datagen
tests_bin_test_go_SOURCES = tests/engine/test_go.c
tests_bin_test_wdl_SOURCES = tests/engine/test_wdl.c
tests_bin_test_uci_SOURCES = tests/engine/test_uci.c
tests_bin_test_genfens_SOURCES = tests/engine/test_genfens.c
tests_bin_test_datagen_SOURCES = tests/engine/test_datagen.c
test_scripts += tests/engine/commands.sh tests/engine/builds.sh tests/engine/cpubuild.sh tests/engine/description.sh

# engine/lmr: the reductions themselves
test_programs += tests/bin/test_reduction
tests_bin_test_reduction_SOURCES = tests/lmr/test_reduction.c
test_scripts += tests/lmr/reduction.sh
test_files += tests/lmr/reduction_probe.c

# engine/eval
test_programs += tests/bin/test_eval
tests_bin_test_eval_SOURCES = tests/eval/test_eval.c

# engine/tune
test_programs += tests/bin/test_tune
tests_bin_test_tune_SOURCES = tests/tune/test_tune.c $(chess_walk) $(tune_src) $(tune_hdr)
test_helpers += tuner
test_scripts += tests/tune/tuner.sh

# engine/search
test_programs += tests/bin/test_parts
tests_bin_test_parts_SOURCES = tests/search/test_parts.c
test_programs += tests/bin/test_search
tests_bin_test_search_SOURCES = tests/search/test_search.c
test_programs += tests/bin/test_thread
tests_bin_test_thread_SOURCES = tests/search/test_thread.c
test_programs += tests/bin/test_tablebase
tests_bin_test_tablebase_SOURCES = tests/search/test_tablebase.c

# worker/openbench: what a server and its workers exchange
recordings = tests/tools/recordings.c tests/tools/recordings.h
test_programs += tests/bin/test_workload tests/bin/test_api tests/bin/test_recordings
tests_bin_test_workload_SOURCES = tests/openbench/test_workload.c
tests_bin_test_api_SOURCES = tests/openbench/test_api.c
tests_bin_test_recordings_SOURCES = tests/openbench/test_recordings.c $(recordings)
openbench_double = tests/tools/openbench_double.c tests/tools/openbench_double.h \
	tests/tools/openbench_double_parts.h tests/tools/openbench_double_forms.c \
	tests/tools/openbench_double_rows.c tests/tools/openbench_double_pages.c \
	tests/tools/openbench_double_answers.c tests/tools/openbench_double_tests.c
if HAVE_MICROHTTPD
test_programs += tests/bin/test_http tests/bin/test_servertest
endif
tests_bin_test_servertest_SOURCES = tests/report/test_servertest.c $(openbench_double) $(recordings)
tests_bin_test_http_SOURCES = tests/openbench/test_http.c $(openbench_double)

# worker/build: archives, toolchains, benches, builds
zip_tool = tests/tools/zip.c tests/tools/zip.h
test_programs += tests/bin/test_archive tests/bin/test_build tests/bin/test_git
tests_bin_test_archive_SOURCES = tests/build/test_archive.c $(zip_tool)
tests_bin_test_git_SOURCES = tests/build/test_git.c
tests_bin_test_build_SOURCES = tests/build/test_build.c

# worker/session: `obworker work` against a server
test_programs += tests/bin/test_plan tests/bin/test_counts tests/bin/test_prepare \
	tests/bin/test_workview tests/bin/test_job tests/bin/test_parcel
tests_bin_test_parcel_SOURCES = tests/session/test_parcel.c
tests_bin_test_workview_SOURCES = tests/session/test_workview.c
tests_bin_test_job_SOURCES = tests/session/test_job.c
tests_bin_test_prepare_SOURCES = tests/session/test_prepare.c tests/tools/ordinary.h
tests_bin_test_plan_SOURCES = tests/session/test_plan.c
tests_bin_test_counts_SOURCES = tests/session/test_counts.c
if HAVE_MICROHTTPD
test_programs += tests/bin/test_session tests/bin/test_protocol tests/bin/test_operation \
	tests/bin/test_once tests/bin/test_store tests/bin/test_batches tests/bin/test_no_room \
	tests/bin/test_numbers tests/bin/test_outbox \
	tests/bin/test_older_journals tests/bin/test_idle tests/bin/test_engines tests/bin/test_shut_in \
	tests/bin/test_user tests/bin/test_requests tests/bin/test_gamefile tests/bin/test_preparing
endif
test_scripts += tests/session/layers.sh
worker_rig = tests/tools/worker_rig.c tests/tools/worker_rig.h $(openbench_double) $(zip_tool)
tests_bin_test_session_SOURCES = tests/session/test_session.c $(worker_rig) $(recordings)
games_rig = tests/tools/games_rig.c tests/tools/games_rig.h $(worker_rig)
tests_bin_test_protocol_SOURCES = tests/session/test_protocol.c $(games_rig)
tests_bin_test_user_SOURCES = tests/session/test_user.c tests/tools/ordinary.h $(worker_rig)
tests_bin_test_requests_SOURCES = tests/session/test_requests.c $(worker_rig)
tests_bin_test_gamefile_SOURCES = tests/session/test_gamefile.c $(games_rig)
tests_bin_test_preparing_SOURCES = tests/session/test_preparing.c $(games_rig)
tests_bin_test_operation_SOURCES = tests/session/test_operation.c $(worker_rig) $(terminal)
# The worker's benchmark of its own time (make bench-worker).
EXTRA_PROGRAMS += tests/bin/stream
tests_bin_stream_SOURCES = tests/bench/stream.c $(worker_rig)
test_files += tests/bench/worker.sh
tests_bin_test_engines_SOURCES = tests/session/test_engines.c $(worker_rig)
# Engines of another make.
test_files += tests/tools/small/rules.h tests/tools/small/engine.c tests/tools/small/engine.cpp \
	tests/tools/small/engine.rs
tests_bin_test_idle_SOURCES = tests/session/test_idle.c $(worker_rig)
tests_bin_test_once_SOURCES = tests/session/test_once.c $(worker_rig)
tests_bin_test_older_journals_SOURCES = tests/session/test_older_journals.c $(worker_rig)
outbox_rig = tests/tools/outbox_rig.c tests/tools/outbox_rig.h $(worker_rig)
tests_bin_test_store_SOURCES = tests/session/test_store.c $(outbox_rig)
tests_bin_test_batches_SOURCES = tests/session/test_batches.c $(outbox_rig)
tests_bin_test_no_room_SOURCES = tests/session/test_no_room.c $(outbox_rig)
tests_bin_test_numbers_SOURCES = tests/session/test_numbers.c $(outbox_rig)
tests_bin_test_outbox_SOURCES = tests/session/test_outbox.c $(outbox_rig)
tests_bin_test_shut_in_SOURCES = tests/session/test_shut_in.c tests/tools/ordinary.h \
	tests/tools/without.h $(worker_rig)

# worker: suites and `obworker submit`
test_programs += tests/bin/test_suite tests/bin/test_settings tests/bin/test_labsuites
test_programs += tests/bin/test_declaration
tests_bin_test_declaration_SOURCES = tests/check/test_declaration.c
test_programs += tests/bin/test_examination
tests_bin_test_examination_SOURCES = tests/check/test_examination.c
test_scripts += tests/check/engines.sh
test_programs += tests/bin/test_foreign
tests_bin_test_foreign_SOURCES = tests/local/test_foreign.c
test_scripts += tests/local/foreign.sh
test_programs += tests/bin/test_pairlog tests/bin/test_pairfile
tests_bin_test_pairlog_SOURCES = tests/local/test_pairlog.c
tests_bin_test_pairfile_SOURCES = tests/local/test_pairfile.c
tests_bin_test_settings_SOURCES = tests/local/test_settings.c
tests_bin_test_labsuites_SOURCES = tests/local/test_labsuites.c
tests_bin_test_suite_SOURCES = tests/local/test_suite.c
test_programs += tests/bin/test_flagtable tests/bin/test_scratch
tests_bin_test_flagtable_SOURCES = tests/submit/test_flagtable.c
tests_bin_test_scratch_SOURCES = tests/submit/test_scratch.c
if HAVE_MICROHTTPD
test_programs += tests/bin/test_submit tests/bin/test_form tests/bin/test_testserver \
	tests/bin/test_proposal tests/bin/test_commitbench tests/bin/test_tunable
endif
submit_rig = tests/tools/submit_rig.c tests/tools/submit_rig.h $(openbench_double) $(recordings)
tests_bin_test_submit_SOURCES = tests/submit/test_submit.c $(submit_rig)
tests_bin_test_form_SOURCES = tests/submit/test_form.c $(submit_rig)
tests_bin_test_testserver_SOURCES = tests/submit/test_testserver.c $(submit_rig)
tests_bin_test_proposal_SOURCES = tests/submit/test_proposal.c $(submit_rig)
tests_bin_test_commitbench_SOURCES = tests/submit/test_commitbench.c $(submit_rig)
tests_bin_test_tunable_SOURCES = tests/submit/test_tunable.c $(submit_rig)

# worker/serve: the server
if HAVE_SERVE
test_programs += tests/bin/test_sources tests/bin/test_catalog tests/bin/test_downloads
test_programs += tests/bin/test_web tests/bin/test_httpd tests/bin/test_httpd_forms
test_programs += tests/bin/test_template tests/bin/test_people
# The pages.
test_programs += tests/bin/test_pages tests/bin/test_testpages tests/bin/test_forms tests/bin/test_scripts
# Rules, store, protocol.
test_programs += tests/bin/test_rules_of_server tests/bin/test_database tests/bin/test_served_protocol tests/bin/test_recorded
test_scripts += tests/serve/start.sh tests/serve/browser.sh tests/serve/worker.sh
test_files += tests/tools/own_server.sh tests/tools/browser/find.sh tests/tools/browser/serve.mjs
test_programs += tests/bin/test_full_disk
endif
tests_bin_test_rules_of_server_SOURCES = tests/serve/test_rules.c
protocol_rig = tests/tools/protocol_rig.c tests/tools/protocol_rig.h $(serve_rig) $(recordings)
tests_bin_test_served_protocol_SOURCES = tests/serve/test_protocol.c $(protocol_rig)
tests_bin_test_recorded_SOURCES = tests/serve/test_recorded.c $(protocol_rig)
tests_bin_test_database_SOURCES = tests/serve/test_database.c $(serve_rig)
tests_bin_test_full_disk_SOURCES = tests/serve/test_full_disk.c $(serve_rig)
tests_bin_test_web_SOURCES = tests/serve/test_web.c
raw_web = tests/tools/raw_web.c tests/tools/raw_web.h
httpd_rig = tests/tools/httpd_rig.c tests/tools/httpd_rig.h $(raw_web)
tests_bin_test_httpd_SOURCES = tests/serve/test_httpd.c $(httpd_rig)
tests_bin_test_httpd_forms_SOURCES = tests/serve/test_httpd_forms.c $(httpd_rig)
tests_bin_test_template_SOURCES = tests/serve/test_template.c
tests_bin_test_people_SOURCES = tests/serve/test_people.c
serve_rig = tests/tools/serve_rig.c tests/tools/serve_rig.h
tests_bin_test_pages_SOURCES = tests/serve/test_pages.c $(serve_rig)
tests_bin_test_testpages_SOURCES = tests/serve/test_testpages.c $(serve_rig)
tests_bin_test_forms_SOURCES = tests/serve/test_forms.c $(serve_rig)
tests_bin_test_scripts_SOURCES = tests/serve/test_scripts.c $(serve_rig)
tests_bin_test_catalog_SOURCES = tests/serve/test_catalog.c $(zip_tool) $(recordings)
# Simulated workers (make bench-serve).
EXTRA_PROGRAMS += tests/bin/serve_load
test_files += tests/bench/serve.sh tests/demo.sh tests/tools/cookies.h
tests_bin_serve_load_SOURCES = tests/bench/serve_load.c
tests_bin_test_downloads_SOURCES = tests/serve/test_downloads.c $(serve_rig)
tests_bin_test_sources_SOURCES = tests/serve/test_sources.c $(openbench_double)

# docs: the man pages and the unit
test_files += tests/tools/links.sh tests/tools/without_server.sh
test_scripts += tests/docs/pages.sh tests/docs/completions.sh tests/docs/install.sh tests/docs/guides.sh tests/docs/summary.sh tests/docs/configure.sh
test_files += tests/docs/server tests/docs/authors.setup.sh tests/docs/tuning.setup.sh
if HAVE_MICROHTTPD
test_helpers += tests/bin/served
endif
tests_bin_served_SOURCES = tests/tools/served.c $(openbench_double)

# openings: the bundled book
test_programs += tests/bin/test_openings
tests_bin_test_openings_SOURCES = tests/openings/test_openings.c
test_scripts += tests/openings/regenerate.sh

# fuzz: any text as a FEN, a dialogue, a server's answer (`make fuzz` has libFuzzer search for more)
fuzz_tool = tests/fuzz/mutate.c tests/fuzz/fuzz.h
test_helpers += tests/bin/fuzz_fen tests/bin/fuzz_uci tests/bin/fuzz_answer
if HAVE_SERVE
test_helpers += tests/bin/fuzz_serve
endif
tests_bin_fuzz_serve_SOURCES = tests/fuzz/fuzz_serve.c tests/tools/raw_web.c tests/tools/raw_web.h $(fuzz_tool)
tests_bin_fuzz_answer_SOURCES = tests/fuzz/fuzz_answer.c $(fuzz_tool)
tests_bin_fuzz_fen_SOURCES = tests/fuzz/fuzz_fen.c $(fuzz_tool)
tests_bin_fuzz_fen_LDADD = libengine.a $(FATHOM_LIBS) -lpthread -lm
tests_bin_fuzz_uci_SOURCES = tests/fuzz/fuzz_uci.c $(fuzz_tool)
tests_bin_fuzz_uci_LDADD = libengine.a $(FATHOM_LIBS) -lpthread -lm
test_scripts += tests/fuzz/corpus.sh
test_files += tests/fuzz/corpus tests/fuzz/make-fuzz.sh tests/fuzz/fen.dict tests/fuzz/uci.dict tests/fuzz/answer.dict tests/fuzz/serve.dict
