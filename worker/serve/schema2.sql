-- SPDX-License-Identifier: MIT
-- Version 2: the openings that are still to be played are found by the row that got them, so a
-- question for work looks at each machine of the test once, and not at each of its workloads.
DROP INDEX openings_open_by_test;
CREATE INDEX openings_open ON openings(test_id, row_id, first) WHERE played < count;
