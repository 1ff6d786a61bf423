-- A merge and a mutation flush the part that they write before it takes the place of its sources, which the engine may
-- remove at once. Without these settings a power cut leaves neither: the log has let go of the lines long before.

ALTER TABLE lines
    MODIFY SETTING min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1;

ALTER TABLE usage_days
    MODIFY SETTING min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1;

ALTER TABLE owners
    MODIFY SETTING min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1;

ALTER TABLE node_metrics
    MODIFY SETTING min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1;

ALTER TABLE pipeline_errors
    MODIFY SETTING min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1;

ALTER TABLE logs
    MODIFY SETTING min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1;

ALTER TABLE migrations
    MODIFY SETTING min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1;
