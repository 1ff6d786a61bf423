-- Days on which an account sent more names of fields than are indexed: the place of the first stored line of the day, in a
-- partition, of which a name was left out.
CREATE TABLE IF NOT EXISTS full_field_days
(
    t DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    topic UInt8,
    partition UInt16,
    offset UInt64 CODEC(Delta, ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    account LowCardinality(String),
    INDEX positions (topic, partition, offset) TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(t)
ORDER BY (account, t, topic, partition, offset, row)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1;
