# Every test program, a room a block. TESTS in the order of the rooms: what others rest on first.
# Test programs are built from $(LIBRARIES) and Check; scripts end in .sh.
test_programs =
test_scripts = tests/arrows.sh
test_helpers =
test_files =

# worker/base: child processes
test_programs += tests/bin/test_child
tests_bin_test_child_SOURCES = tests/base/test_child.c

# engine/lmr: the flag table
test_programs += tests/bin/test_flags
tests_bin_test_flags_SOURCES = tests/lmr/test_flags.c
test_scripts += tests/lmr/generator.sh

# worker/match: a scripted engine for the tests that need faults, delays and known results
test_helpers += tests/bin/scripted_engine
tests_bin_scripted_engine_SOURCES = tests/tools/scripted_engine.c
