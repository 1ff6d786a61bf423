-- A word index whose filters grow with the words that are in their lines, so that lines with many ids are told apart as well
-- as others, and in which a look at a filter costs nothing. It has a name of its own: none of before is taken for it.

ALTER TABLE lines
    DROP INDEX IF EXISTS words,
    DROP COLUMN IF EXISTS words,
    DROP COLUMN IF EXISTS compound_words,

    -- As before; the fields' texts count as well where an object of meta is so deep that it has become a text of its own.
    MODIFY COLUMN searched_text String ALIAS
        concat(
            line, ' ', host, ' ', app, ' ', level, ' ', file, ' ', env, ' ',
            if(startsWith(meta, '"'), JSONExtractString(meta), meta), ' ', arrayStringConcat(tags, ' '), ' ',
            if(position(line, '\\') = 0 AND position(meta, '\\') = 0 AND position(extra, '{') = 0
                AND countSubstrings(line, '{') < 4 AND countSubstrings(meta, '{') < 4,
                '', arrayStringConcat(text_fields.values, ' '))
        ),

    -- As before. Each mention of a column like these is a copy of what it is, and planning a search takes as long as the
    -- copies are, so it is not asked first whether a text is ASCII alone.
    MODIFY COLUMN ascii_text String ALIAS
        replaceRegexpAll(
            replaceAll(replaceAll(searched_text, '\xC5\xBF', 's'), '\xE2\x84\xAA', 'K'), '[^\\x00-\\x7f]+', ' '),

    -- The words that hold several tokens, in any of which another word may be found whole.
    ADD COLUMN IF NOT EXISTS compounds Array(String) ALIAS
        extractAll(ascii_text, '[0-9A-Za-z]*(?:[a-z][A-Z0-9]|[A-Z][0-9]|[0-9][A-Za-z])[0-9A-Za-z]*'),

    -- Words are runs of letters and digits, in lower case. With them, marked with a dot, what is known of those with several
    -- tokens: lengths that one of them is beyond, their runs of digits, and every four characters of their runs of letters. A
    -- run of digits is never divided among tokens, one of letters may be.
    ADD COLUMN IF NOT EXISTS marked_words Array(String) ALIAS
        arrayConcat(
            tokens(lower(ascii_text)),
            arrayMap(beyond -> concat('·beyond', toString(beyond)), arrayFilter(
                beyond -> beyond < arrayMax(arrayMap(word -> length(word), compounds)),
                [4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48, 64])),
            arrayMap(run -> concat('·', run), extractAll(arrayStringConcat(compounds, ' '), '[0-9]{4,}')),
            arrayMap(sequence -> concat('·', sequence), ngrams(lower(arrayStringConcat(
                extractAll(arrayStringConcat(compounds, ' '), '[A-Za-z]{4,}'), ' ')), 4))),

    ADD INDEX IF NOT EXISTS marked_words marked_words TYPE bloom_filter(0.002) GRANULARITY 1,

    MODIFY SETTING exclude_materialize_skip_indexes_on_merge = 'marked_words';
