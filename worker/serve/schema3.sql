-- SPDX-License-Identifier: MIT
-- Version 3: the numbers of batches are kept in the order of their arrival, so that a wrong clock
-- does not make the server forget the newest numbers of a row (store_note_batch).
ALTER TABLE batches RENAME TO old_batches;
DROP INDEX batches_received;
CREATE TABLE batches (
    id INTEGER PRIMARY KEY,
    row_id INTEGER NOT NULL REFERENCES rows(id),
    number TEXT NOT NULL,
    received INTEGER NOT NULL,
    -- 1: the row has so many newer numbers that this one may be forgotten by its age.
    spare INTEGER NOT NULL DEFAULT 0,
    UNIQUE (row_id, number)
) STRICT;
INSERT INTO batches (row_id, number, received, spare)
    SELECT row_id, number, received,
        row_number() OVER (PARTITION BY row_id ORDER BY received DESC, number DESC) > 4
    FROM old_batches ORDER BY received, number;
DROP TABLE old_batches;
CREATE INDEX batches_by_row ON batches(row_id);
CREATE INDEX batches_spare ON batches(received) WHERE spare = 1;
