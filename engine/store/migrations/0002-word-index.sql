-- Which granules may hold a word, for searches that ask for whole words. None of the columns is stored, and neither
-- inserts nor merges build the index: engine/store/word-index.ts. Parts without it are read in full.

ALTER TABLE lines
    -- All that a word is looked for in. What stands in the fields stands in the text and in meta already, unless an escape
    -- is in the way, or an object of the text is so deep that it has become a text of its own, with other digits.
    ADD COLUMN IF NOT EXISTS searched_text String ALIAS
        concat(
            line, ' ', host, ' ', app, ' ', level, ' ', file, ' ', env, ' ',
            if(startsWith(meta, '"'), JSONExtractString(meta), meta), ' ', arrayStringConcat(tags, ' '), ' ',
            if(position(line, '\\') = 0 AND position(meta, '\\') = 0 AND position(extra, '{') = 0
                AND countSubstrings(line, '{') < 4,
                '', arrayStringConcat(text_fields.values, ' '))
        ),

    -- The same without what is not ASCII. Two letters outside ASCII equal one in it without regard to case: the long s, and
    -- the Kelvin sign, which is an upper-case letter.
    ADD COLUMN IF NOT EXISTS ascii_text String ALIAS
        if(isValidASCII(searched_text), searched_text, replaceRegexpAll(
            replaceAll(replaceAll(searched_text, '\xC5\xBF', 's'), '\xE2\x84\xAA', 'K'), '[^\\x00-\\x7f]+', ' ')),

    -- The words that hold several tokens, in any of which another word may be found whole.
    ADD COLUMN IF NOT EXISTS compound_words String ALIAS
        arrayStringConcat(extractAll(ascii_text,
            '[0-9A-Za-z]*(?:[a-z][A-Z0-9]|[A-Z][0-9]|[0-9][A-Za-z])[0-9A-Za-z]*'), ' '),

    -- Words are runs of letters and digits, in lower case. Behind them, marked with a dot, what is known of those with several
    -- tokens: lengths that one of them is beyond, and every four characters of their runs of letters and of digits. One
    -- index knows it all, because the engine combines several only in statements with few conditions.
    ADD COLUMN IF NOT EXISTS words String ALIAS
        concat(lower(ascii_text), ' ',
            if(match(compound_words, '[0-9A-Za-z]{5}'), '·beyond4 ', ''),
            if(match(compound_words, '[0-9A-Za-z]{9}'), '·beyond8 ', ''),
            if(match(compound_words, '[0-9A-Za-z]{17}'), '·beyond16 ', ''),
            if(match(compound_words, '[0-9A-Za-z]{25}'), '·beyond24 ', ''),
            if(match(compound_words, '[0-9A-Za-z]{33}'), '·beyond32 ', ''),
            '·', arrayStringConcat(ngrams(lower(arrayStringConcat(
                extractAll(compound_words, '[A-Za-z]{4,}|[0-9]{4,}'), ' ')), 4), ' ·')),

    ADD INDEX IF NOT EXISTS words words TYPE tokenbf_v1(32768, 3, 0) GRANULARITY 1,

    MODIFY SETTING exclude_materialize_skip_indexes_on_merge = 'words';
