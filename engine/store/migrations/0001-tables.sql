-- Lines. One batch is one block of one day, hence one part: visible whole or not at all.
-- The merge tree keeps no tokens of inserts: repeats are prevented by positions and fencing alone.
CREATE TABLE IF NOT EXISTS lines
(
    account LowCardinality(String),
    t DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    ts DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    topic UInt8,
    partition UInt16,
    offset UInt64 CODEC(Delta, ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    host LowCardinality(String),
    app LowCardinality(String),
    level LowCardinality(String),
    file LowCardinality(String),
    env LowCardinality(String),
    mac LowCardinality(String),
    ip LowCardinality(String),
    remote LowCardinality(String),
    tags Array(LowCardinality(String)),
    line String CODEC(ZSTD(1)),
    meta String CODEC(ZSTD(1)),
    extra String CODEC(ZSTD(1)),
    size UInt32,
    retention UInt16,
    pool UInt16,
    text_fields Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    number_fields Map(LowCardinality(String), Float64) CODEC(ZSTD(1)),
    INDEX positions (topic, partition, offset) TYPE minmax GRANULARITY 1,
    PROJECTION usage
    (
        SELECT account, toDateTime(t), app, host, tags, pool, sum(size), count()
        GROUP BY account, toDateTime(t), app, host, tags, pool
    )
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(t)
ORDER BY (account, ts, t, topic, partition, offset, row)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0;

-- Usage of closed days, copied from the projection once and never again.
CREATE TABLE IF NOT EXISTS usage_days
(
    day Date,
    account LowCardinality(String),
    app LowCardinality(String),
    host LowCardinality(String),
    tags Array(LowCardinality(String)),
    pool UInt16,
    bytes UInt64,
    lines UInt64
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(day)
ORDER BY (account, day, app, host, tags, pool)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Who owns a partition of the log: inserts of lower epochs fail.
CREATE TABLE IF NOT EXISTS owners
(
    log_id String,
    topic UInt8,
    partition UInt16,
    epoch_offset UInt64,
    epoch_attempt UInt32
)
ENGINE = MergeTree
ORDER BY (topic, partition, epoch_offset, epoch_attempt)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- What each node did, per minute of log time.
CREATE TABLE IF NOT EXISTS node_metrics
(
    t DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    topic UInt8,
    partition UInt16,
    offset UInt64 CODEC(Delta, ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    account LowCardinality(String),
    pipeline LowCardinality(String),
    node LowCardinality(String),
    events_in UInt64,
    bytes_in UInt64,
    events_out UInt64,
    bytes_out UInt64,
    copied UInt64,
    created UInt64,
    dropped UInt64,
    dropped_bytes UInt64,
    failed UInt64,
    merged UInt64,
    held Int64,
    INDEX positions (topic, partition, offset) TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(t)
ORDER BY (account, pipeline, node, t, topic, partition, offset, row)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0;

-- Errors that nodes reported, equal ones of a minute as one row.
CREATE TABLE IF NOT EXISTS pipeline_errors
(
    t DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    topic UInt8,
    partition UInt16,
    offset UInt64 CODEC(Delta, ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    account LowCardinality(String),
    pipeline LowCardinality(String),
    node LowCardinality(String),
    node_kind LowCardinality(String),
    code LowCardinality(String),
    field LowCardinality(String),
    message String CODEC(ZSTD(1)),
    captured String CODEC(ZSTD(1)),
    time DateTime64(3, 'UTC'),
    count UInt64,
    INDEX positions (topic, partition, offset) TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(t)
ORDER BY (account, pipeline, node, t, topic, partition, offset, row)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0;

-- The log that the lines come from; one row.
CREATE TABLE IF NOT EXISTS logs
(
    log_id String
)
ENGINE = MergeTree
ORDER BY log_id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
