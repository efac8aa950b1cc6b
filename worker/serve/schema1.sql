-- SPDX-License-Identifier: MIT
-- Version 1 of the server's database. Times are seconds since the epoch. A file of this kind never
-- changes once released: schema2.sql would hold what turns version 1 into version 2.
CREATE TABLE users (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    password TEXT NOT NULL,
    enabled INTEGER NOT NULL,
    approver INTEGER NOT NULL,
    admin INTEGER NOT NULL,
    created INTEGER NOT NULL
) STRICT;
-- A session of a browser whose user has signed in; the token is stored as its SHA-256.
CREATE TABLE sessions (
    token TEXT PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    csrf TEXT NOT NULL,
    message TEXT,
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_expires ON sessions(expires);
-- A registration of a worker; the secret is stored as its SHA-256.
CREATE TABLE machines (
    id INTEGER PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users(id),
    secret TEXT NOT NULL,
    info TEXT NOT NULL,
    name TEXT NOT NULL,
    os_name TEXT NOT NULL,
    cpu_name TEXT NOT NULL,
    isa_name TEXT NOT NULL,
    client TEXT NOT NULL,
    concurrency INTEGER NOT NULL,
    physical_cores INTEGER NOT NULL,
    client_version INTEGER NOT NULL,
    config TEXT NOT NULL,
    created INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    test_id INTEGER REFERENCES tests(id),
    focused INTEGER NOT NULL,
    nps REAL NOT NULL,
    dev_nps REAL NOT NULL,
    base_nps REAL NOT NULL
) STRICT;
CREATE INDEX machines_by_seen ON machines(seen);
CREATE TABLE tests (
    id INTEGER PRIMARY KEY,
    author TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('SPRT', 'GAMES', 'SPSA', 'DATAGEN')),
    dev_engine TEXT NOT NULL,
    dev_repo TEXT NOT NULL,
    dev_branch TEXT NOT NULL,
    dev_source TEXT NOT NULL,
    dev_sha TEXT NOT NULL,
    dev_bench INTEGER NOT NULL,
    dev_network TEXT NOT NULL,
    dev_netname TEXT NOT NULL,
    dev_options TEXT NOT NULL,
    dev_time_control TEXT NOT NULL,
    base_engine TEXT NOT NULL,
    base_repo TEXT NOT NULL,
    base_branch TEXT NOT NULL,
    base_source TEXT NOT NULL,
    base_sha TEXT NOT NULL,
    base_bench INTEGER NOT NULL,
    base_network TEXT NOT NULL,
    base_netname TEXT NOT NULL,
    base_options TEXT NOT NULL,
    base_time_control TEXT NOT NULL,
    info TEXT NOT NULL,
    book_name TEXT NOT NULL,
    upload_pgns TEXT NOT NULL,
    workload_size INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    throughput INTEGER NOT NULL CHECK (throughput > 0),
    syzygy_wdl TEXT NOT NULL,
    syzygy_adj TEXT NOT NULL,
    win_adj TEXT NOT NULL,
    draw_adj TEXT NOT NULL,
    scale_method TEXT NOT NULL,
    scale_nps INTEGER NOT NULL,
    elo0 REAL NOT NULL,
    elo1 REAL NOT NULL,
    alpha REAL NOT NULL,
    beta REAL NOT NULL,
    max_games INTEGER NOT NULL,
    genfens_args TEXT NOT NULL,
    play_reverses INTEGER NOT NULL,
    spsa_reporting TEXT NOT NULL,
    spsa_distribution TEXT NOT NULL,
    spsa_alpha REAL NOT NULL,
    spsa_gamma REAL NOT NULL,
    spsa_a_ratio REAL NOT NULL,
    spsa_iterations INTEGER NOT NULL,
    spsa_pairs_per INTEGER NOT NULL,
    book_index INTEGER NOT NULL,
    wins INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    draws INTEGER NOT NULL,
    ll INTEGER NOT NULL,
    ld INTEGER NOT NULL,
    dd INTEGER NOT NULL,
    dw INTEGER NOT NULL,
    ww INTEGER NOT NULL,
    crashes INTEGER NOT NULL,
    timelosses INTEGER NOT NULL,
    illegals INTEGER NOT NULL,
    llr REAL NOT NULL,
    approved INTEGER NOT NULL,
    approver TEXT NOT NULL,
    finished INTEGER NOT NULL,
    passed INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    faulty INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL
) STRICT;
-- The tests that may be handed out; the same condition stands in the question for them.
CREATE INDEX tests_open ON tests(id) WHERE approved AND NOT finished AND NOT deleted;
CREATE INDEX tests_by_update ON tests(updated);
-- The counts of a machine in a test. The protocol's result_id is the row's id.
CREATE TABLE rows (
    id INTEGER PRIMARY KEY,
    test_id INTEGER NOT NULL REFERENCES tests(id),
    machine_id INTEGER NOT NULL REFERENCES machines(id),
    wins INTEGER NOT NULL DEFAULT 0,
    losses INTEGER NOT NULL DEFAULT 0,
    draws INTEGER NOT NULL DEFAULT 0,
    ll INTEGER NOT NULL DEFAULT 0,
    ld INTEGER NOT NULL DEFAULT 0,
    dd INTEGER NOT NULL DEFAULT 0,
    dw INTEGER NOT NULL DEFAULT 0,
    ww INTEGER NOT NULL DEFAULT 0,
    crashes INTEGER NOT NULL DEFAULT 0,
    timelosses INTEGER NOT NULL DEFAULT 0,
    illegals INTEGER NOT NULL DEFAULT 0,
    updated INTEGER NOT NULL,
    UNIQUE (test_id, machine_id)
) STRICT;
-- The course of a test: its counts whenever they have grown by a hundredth.
CREATE TABLE points (
    test_id INTEGER NOT NULL REFERENCES tests(id),
    games INTEGER NOT NULL,
    wins INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    draws INTEGER NOT NULL,
    ll INTEGER NOT NULL,
    ld INTEGER NOT NULL,
    dd INTEGER NOT NULL,
    dw INTEGER NOT NULL,
    ww INTEGER NOT NULL,
    llr REAL NOT NULL,
    PRIMARY KEY (test_id, games)
) STRICT, WITHOUT ROWID;
CREATE TABLE parameters (
    test_id INTEGER NOT NULL REFERENCES tests(id),
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    is_float INTEGER NOT NULL,
    start REAL NOT NULL,
    min REAL NOT NULL,
    max REAL NOT NULL,
    c_end REAL NOT NULL,
    r_end REAL NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY (test_id, position)
) STRICT, WITHOUT ROWID;
-- The numbers of the batches of the last thirty days, so that none is added twice.
CREATE TABLE batches (
    row_id INTEGER NOT NULL REFERENCES rows(id),
    number TEXT NOT NULL,
    received INTEGER NOT NULL,
    PRIMARY KEY (row_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX batches_received ON batches(received);
-- The openings of a workload. Those from first + played on are still to be played.
CREATE TABLE openings (
    id INTEGER PRIMARY KEY,
    test_id INTEGER NOT NULL REFERENCES tests(id),
    row_id INTEGER NOT NULL REFERENCES rows(id),
    first INTEGER NOT NULL,
    count INTEGER NOT NULL,
    played INTEGER NOT NULL
) STRICT;
CREATE INDEX openings_open_by_test ON openings(test_id, first) WHERE played < count;
CREATE INDEX openings_open_by_row ON openings(row_id, id) WHERE played < count;
-- News of a test or a user, and errors with their logs.
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    time INTEGER NOT NULL,
    is_error INTEGER NOT NULL,
    author TEXT NOT NULL,
    machine_id INTEGER REFERENCES machines(id),
    test_id INTEGER REFERENCES tests(id),
    summary TEXT NOT NULL,
    log TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_test ON events(test_id, id);
CREATE TABLE networks (
    id INTEGER PRIMARY KEY,
    engine TEXT NOT NULL,
    name TEXT NOT NULL,
    sha TEXT NOT NULL,
    digest TEXT NOT NULL,
    author TEXT NOT NULL,
    created INTEGER NOT NULL,
    is_default INTEGER NOT NULL,
    was_default INTEGER NOT NULL,
    UNIQUE (engine, sha),
    UNIQUE (engine, name)
) STRICT;
-- The games of a workload; the bytes are a file of the data folder.
CREATE TABLE pgns (
    test_id INTEGER NOT NULL REFERENCES tests(id),
    row_id INTEGER NOT NULL REFERENCES rows(id),
    book_index INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    created INTEGER NOT NULL,
    PRIMARY KEY (test_id, row_id, book_index)
) STRICT, WITHOUT ROWID;
