-- Filters of words: for a segment, which is some thousand lines of one account that follow each other in their own time, the
-- keys of its words as a Bloom filter, in 64 slices (engine/lines/word-filter). The rows of a batch are stored before its
-- lines, under the same fence, so a line with `filtered = 1` always has its filter. A repeat may store rows again.
CREATE TABLE IF NOT EXISTS word_filters
(
    account LowCardinality(String),
    slice UInt16,
    ts_min DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    ts_max DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    t DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    topic UInt8,
    partition UInt16,
    first_offset UInt64 CODEC(Delta, ZSTD(1)),
    first_row UInt32 CODEC(Delta, ZSTD(1)),
    last_offset UInt64 CODEC(Delta, ZSTD(1)),
    last_row UInt32 CODEC(Delta, ZSTD(1)),
    segment UInt32 CODEC(Delta, ZSTD(1)),
    lines UInt32 CODEC(ZSTD(1)),
    filter String CODEC(NONE),
    INDEX times ts_max TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(t)
ORDER BY (account, slice, ts_min)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1;

-- Lines of before, and those that an older program stores meanwhile, have no filters: searches read them.
ALTER TABLE lines
    ADD COLUMN IF NOT EXISTS filtered UInt8,
    ADD INDEX IF NOT EXISTS unfiltered filtered TYPE minmax GRANULARITY 1;
