# SPDX-License-Identifier: MIT
# The one list of the worker's sources, a room a variable. Paths are from the project's root.
worker_main = worker/main.c
base_src = \
	worker/base/child.c \
	worker/base/child.h \
	worker/base/contention.c \
	worker/base/contention.h \
	worker/base/ram.c \
	worker/base/ram.h \
	worker/base/resident.c \
	worker/base/resident.h \
	worker/base/count.h \
	worker/base/cpus.c \
	worker/base/cpus.h \
	worker/base/confine.c \
	worker/base/confine.h \
	worker/base/filter.c \
	worker/base/filter.h \
	worker/base/side.c \
	worker/base/side.h \
	worker/base/sandbox.c \
	worker/base/sandbox.h \
	worker/base/machine.c \
	worker/base/machine.h \
	worker/base/tree.c \
	worker/base/tree.h \
	worker/base/config.c \
	worker/base/config.h \
	worker/base/prompt.c \
	worker/base/prompt.h \
	worker/base/diskwatch.c \
	worker/base/diskwatch.h \
	worker/base/error.c \
	worker/base/error.h \
	worker/base/memory.c \
	worker/base/memory.h \
	worker/base/text.c \
	worker/base/text.h \
	worker/base/file.c \
	worker/base/file.h \
	worker/base/journal.c \
	worker/base/journal.h \
	worker/base/journalqueue.c \
	worker/base/journalqueue.h \
	worker/base/json.c \
	worker/base/json.h \
	worker/base/log.c \
	worker/base/log.h \
	worker/base/clock.c \
	worker/base/clock.h \
	worker/base/options.h \
	worker/base/digest.h \
	worker/base/datadir.h \
	worker/base/options.c \
	worker/base/digest.c \
	worker/base/datadir.c
stats_src = \
	worker/stats/stats.h \
	worker/stats/shares.h \
	worker/stats/shares.c \
	worker/stats/outlook.h \
	worker/stats/outlook.c \
	worker/stats/estimate.h \
	worker/stats/estimate.c \
	worker/stats/sequence.h \
	worker/stats/spsa.c \
	worker/stats/spsa.h \
	worker/stats/stats.c \
	worker/stats/sequence.c \
	worker/stats/bounds.c \
	worker/stats/bounds.h
match_src = \
	worker/match/engine.c \
	worker/match/engine.h \
	worker/match/uci.c \
	worker/match/uci.h \
	worker/match/player.c \
	worker/match/player.h \
	worker/match/game.c \
	worker/match/game.h \
	worker/match/transcript.c \
	worker/match/transcript.h \
	worker/match/faultfiles.c \
	worker/match/faultfiles.h \
	worker/match/schedule.c \
	worker/match/schedule.h \
	worker/match/match.c \
	worker/match/match.h \
	worker/match/timecontrol.h \
	worker/match/adjudication.h \
	worker/match/book.h \
	worker/match/packedtext.h \
	worker/match/pgn.h \
	worker/match/timecontrol.c \
	worker/match/adjudication.c \
	worker/match/syzygy.c \
	worker/match/mersenne.c \
	worker/match/book.c \
	worker/match/packedtext.c \
	worker/match/pgn.c \
	worker/match/pgn_read.c \
	worker/match/syzygy.h \
	worker/match/mersenne.h
openbench_src = \
	worker/openbench/api.c \
	worker/openbench/api.h \
	worker/openbench/artifacts.c \
	worker/openbench/artifacts.h \
	worker/openbench/engineconfig.c \
	worker/openbench/engineconfig.h \
	worker/openbench/http.c \
	worker/openbench/http.h \
	worker/openbench/login.c \
	worker/openbench/login.h \
	worker/openbench/sysinfo.c \
	worker/openbench/sysinfo.h \
	worker/openbench/testform.c \
	worker/openbench/testform.h \
	worker/openbench/testview.c \
	worker/openbench/testview.h \
	worker/openbench/workload.c \
	worker/openbench/workload.h
build_src = \
	worker/build/archive.c \
	worker/build/archive.h \
	worker/build/bench.c \
	worker/build/bench.h \
	worker/build/build.c \
	worker/build/build.h \
	worker/build/genfens.c \
	worker/build/genfens.h \
	worker/build/commit.c \
	worker/build/errand.c \
	worker/build/errand.h \
	worker/build/git.c \
	worker/build/git.h \
	worker/build/keep.c \
	worker/build/keep.h \
	worker/build/run.c \
	worker/build/run.h \
	worker/build/toolchain.c \
	worker/build/toolchain.h \
	worker/build/variant.c
session_src = \
	worker/session/backoff.c \
	worker/session/backoff.h \
	worker/session/benchbook.c \
	worker/session/benchbook.h \
	worker/session/cache.c \
	worker/session/cache.h \
	worker/session/check.c \
	worker/session/check.h \
	worker/session/delivery.c \
	worker/session/delivery.h \
	worker/session/gamefile.c \
	worker/session/gamefile.h \
	worker/session/job.c \
	worker/session/outbox.c \
	worker/session/outbox.h \
	worker/session/parcel.c \
	worker/session/parcel.h \
	worker/session/plan.c \
	worker/session/plan.h \
	worker/session/play.c \
	worker/session/prepare.c \
	worker/session/prepare.h \
	worker/session/questions.c \
	worker/session/session.c \
	worker/session/session.h \
	worker/session/state.h \
	worker/session/shares.c \
	worker/session/shares.h \
	worker/session/status.c \
	worker/session/verify.c \
	worker/session/view.c \
	worker/session/view.h \
	worker/session/verify.h \
	worker/session/token.c \
	worker/session/token.h
report_src = \
	worker/report/block.h \
	worker/report/block.c \
	worker/report/compare.h \
	worker/report/compare.c \
	worker/report/endings.h \
	worker/report/endings.c \
	worker/report/result.h \
	worker/report/result.c \
	worker/report/journal_result.c \
	worker/report/outlookblock.h \
	worker/report/outlookblock.c \
	worker/report/page.h \
	worker/report/page.c \
	worker/report/chart.h \
	worker/report/chart.c \
	worker/report/html.h \
	worker/report/html.c \
	worker/report/progress.h \
	worker/report/progress.c \
	worker/report/record.h \
	worker/report/record.c
local_src = \
	worker/local/localrun.c \
	worker/local/localrun.h \
	worker/local/pairlog.c \
	worker/local/pairlog.h \
	worker/local/pgnfile.c \
	worker/local/pgnfile.h \
	worker/local/scorebook.c \
	worker/local/scorebook.h \
	worker/local/settings.h \
	worker/local/spec.c \
	worker/local/spec.h \
	worker/local/suite.c \
	worker/local/suite.h \
	worker/local/suiterun.c \
	worker/local/suiterun.h \
	worker/local/ucioptions.c \
	worker/local/ucioptions.h \
	worker/local/venue.c \
	worker/local/venue.h
submit_src = \
	worker/submit/flagtable.c \
	worker/submit/flagtable.h \
	worker/submit/proposal.c \
	worker/submit/proposal.h
cmd_src = \
	worker/commands.h \
	worker/testoptions.c \
	worker/testoptions.h \
	worker/cmd_match.c \
	worker/servertest.c \
	worker/servertest.h \
	worker/cmd_report.c \
	worker/cmd_submit.c \
	worker/cmd_work.c
