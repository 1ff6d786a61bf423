-- Lines since the eleventh behaviour: each part of a line is stored once. Values of its JSON object are in slots, its app and its
-- level are in their columns, and all else of its text is the shape, which many lines share (engine/lines/slots). Other lines are
-- whole. A granule has so many rows that a block of long texts is compressed well: with 2,048, lines take 13 % more.
CREATE TABLE IF NOT EXISTS slotted_lines
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
    tag_list LowCardinality(String),
    facts LowCardinality(String),
    shape LowCardinality(String),
    s0 String CODEC(ZSTD(3)),
    s1 String CODEC(ZSTD(3)),
    s2 String CODEC(ZSTD(3)),
    s3 String CODEC(ZSTD(3)),
    s4 String CODEC(ZSTD(3)),
    s5 String CODEC(ZSTD(3)),
    s6 String CODEC(ZSTD(3)),
    s7 String CODEC(ZSTD(3)),
    s8 String CODEC(ZSTD(3)),
    s9 String CODEC(ZSTD(3)),
    s10 String CODEC(ZSTD(3)),
    s11 String CODEC(ZSTD(3)),
    s12 String CODEC(ZSTD(3)),
    s13 String CODEC(ZSTD(3)),
    s14 String CODEC(ZSTD(3)),
    s15 String CODEC(ZSTD(3)),
    whole_line String CODEC(ZSTD(3)),
    meta String CODEC(ZSTD(1)),
    extra String CODEC(ZSTD(1)),
    size UInt32 CODEC(T64, ZSTD(1)),
    retention UInt16,
    pool UInt16,
    -- Fields whose values are in no slot. Maps would take several times as long, also when they are empty.
    text_names Array(String) CODEC(ZSTD(1)),
    text_values Array(String) CODEC(ZSTD(1)),
    number_names Array(String) CODEC(ZSTD(1)),
    number_values Array(Float64) CODEC(ZSTD(1)),
    filtered UInt8,

    -- The parts of the facts. Their expressions are computed per word, not per row.
    file LowCardinality(String) ALIAS replaceAll(replaceAll(regexpExtract(facts, '^([^\\x1f]*)', 1), '\x1e1', '\x1f'), '\x1e0', '\x1e'),
    env LowCardinality(String) ALIAS replaceAll(replaceAll(regexpExtract(facts, '^(?:[^\\x1f]*\\x1f){1}([^\\x1f]*)', 1), '\x1e1', '\x1f'), '\x1e0', '\x1e'),
    mac LowCardinality(String) ALIAS replaceAll(replaceAll(regexpExtract(facts, '^(?:[^\\x1f]*\\x1f){2}([^\\x1f]*)', 1), '\x1e1', '\x1f'), '\x1e0', '\x1e'),
    ip LowCardinality(String) ALIAS replaceAll(replaceAll(regexpExtract(facts, '^(?:[^\\x1f]*\\x1f){3}([^\\x1f]*)', 1), '\x1e1', '\x1f'), '\x1e0', '\x1e'),
    remote LowCardinality(String) ALIAS replaceAll(replaceAll(regexpExtract(facts, '^(?:[^\\x1f]*\\x1f){4}([^\\x1f]*)', 1), '\x1e1', '\x1f'), '\x1e0', '\x1e'),
    tags Array(String) ALIAS arrayMap(
        v -> replaceAll(replaceAll(v, '\x1e1', '\x1f'), '\x1e0', '\x1e'),
        arrayPopBack(splitByChar('\x1f', tag_list))),

    -- The text as it came: the literals of the shape with the slots and words between them.
    line String ALIAS if(shape = '', whole_line,
        replaceAll(replaceAll(replaceAll(concat(
            regexpExtract(shape, '^[^\\x00]*\\x00([^\\x01]*)', 1),
            s0, regexpExtract(shape, '^[^\\x00]*\\x00(?:[^\\x01]*\\x01){1}([^\\x01]*)', 1),
            s1, regexpExtract(shape, '^[^\\x00]*\\x00(?:[^\\x01]*\\x01){2}([^\\x01]*)', 1),
            s2, regexpExtract(shape, '^[^\\x00]*\\x00(?:[^\\x01]*\\x01){3}([^\\x01]*)', 1),
            s3, regexpExtract(shape, '^[^\\x00]*\\x00(?:[^\\x01]*\\x01){4}([^\\x01]*)', 1),
            s4, regexpExtract(shape, '^[^\\x00]*\\x00(?:[^\\x01]*\\x01){5}([^\\x01]*)', 1),
            s5, regexpExtract(shape, '^[^\\x00]*\\x00(?:[^\\x01]*\\x01){6}([^\\x01]*)', 1),
            s6, regexpExtract(shape, '^[^\\x00]*\\x00(?:[^\\x01]*\\x01){7}([^\\x01]*)', 1),
            s7, regexpExtract(shape, '^[^\\x00]*\\x00(?:[^\\x01]*\\x01){8}([^\\x01]*)', 1),
            s8, regexpExtract(shape, '^[^\\x00]*\\x00(?:[^\\x01]*\\x01){9}([^\\x01]*)', 1),
            s9, regexpExtract(shape, '^[^\\x00]*\\x00(?:[^\\x01]*\\x01){10}([^\\x01]*)', 1),
            s10, regexpExtract(shape, '^[^\\x00]*\\x00(?:[^\\x01]*\\x01){11}([^\\x01]*)', 1),
            s11, regexpExtract(shape, '^[^\\x00]*\\x00(?:[^\\x01]*\\x01){12}([^\\x01]*)', 1),
            s12, regexpExtract(shape, '^[^\\x00]*\\x00(?:[^\\x01]*\\x01){13}([^\\x01]*)', 1),
            s13, regexpExtract(shape, '^[^\\x00]*\\x00(?:[^\\x01]*\\x01){14}([^\\x01]*)', 1),
            s14, regexpExtract(shape, '^[^\\x00]*\\x00(?:[^\\x01]*\\x01){15}([^\\x01]*)', 1),
            s15, regexpExtract(shape, '^[^\\x00]*\\x00(?:[^\\x01]*\\x01){16}([^\\x01]*)', 1)), '\x03', app), '\x04', lower(level)), '\x05', level)),

    INDEX positions (topic, partition, offset) TYPE minmax GRANULARITY 1,
    INDEX unfiltered filtered TYPE minmax GRANULARITY 1,
    PROJECTION usage
    (
        SELECT account, toDateTime(t), app, host, tag_list, pool, sum(size), count()
        GROUP BY account, toDateTime(t), app, host, tag_list, pool
    ),
    -- Numbers of lines per minute, for counts that read no lines.
    PROJECTION minutes
    (
        SELECT account, intDiv(toUnixTimestamp64Milli(ts), 60000), app, level, intDiv(toUnixTimestamp64Milli(t), 86400000), retention, count()
        GROUP BY account, intDiv(toUnixTimestamp64Milli(ts), 60000), app, level, intDiv(toUnixTimestamp64Milli(t), 86400000), retention
    )
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(t)
ORDER BY (account, ts, t, topic, partition, offset, row)
SETTINGS index_granularity = 8192, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 0, min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1;
