-- Up to which offset each partition of the log is stored, and the log time there, UNIX ms, as its workers say before each
-- checkpoint. Rows do not tell it for ever, since retention removes them. Of each partition the row with the highest offset counts: merges leave that alone.
CREATE TABLE IF NOT EXISTS stored_marks
(
    topic UInt8,
    partition UInt16,
    stored_to UInt64,
    settled_ms Int64
)
ENGINE = ReplacingMergeTree(stored_to)
ORDER BY (topic, partition)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_merge = 1,
    min_rows_to_fsync_after_merge = 1;
