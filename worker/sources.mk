# The one list of the worker's sources, a room a variable. Paths are from the project's root.
worker_main = worker/main.c
base_src = worker/base/child.h
stats_src =
match_src = worker/match/match.h
openbench_src =
build_src = worker/build/build.h
session_src =
report_src =
cmd_src =
