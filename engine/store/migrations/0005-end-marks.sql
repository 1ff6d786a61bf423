-- How far the configuration log is known to have come, signed. Of each log the row with the highest rank counts: merges
-- leave that alone. A merge that a loss of power undoes must not take the rows that it came from along.
CREATE TABLE IF NOT EXISTS end_marks
(
    log_id String,
    rank UInt64,
    signed String
)
ENGINE = ReplacingMergeTree(rank)
ORDER BY log_id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_merge = 1,
    min_rows_to_fsync_after_merge = 1;
