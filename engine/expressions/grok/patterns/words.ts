import type { LibraryPatterns } from './library-pattern.ts'

/** Words, numbers and texts between marks. */
export const WORDS: LibraryPatterns = {
  USERNAME: { is: '[a-zA-Z0-9._-]+', lines: ['ida', 'i.da-7_x'], others: ['ida b', ''] },
  USER: { is: '%{USERNAME}', lines: ['ida'], others: ['ida@x'] },
  EMAILLOCALPART: {
    is: "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+)*",
    lines: ['ida', "ida.b+c'd"],
    others: ['.ida', 'ida.', 'i..da'],
  },
  EMAILADDRESS: {
    is: '%{EMAILLOCALPART}@%{HOSTNAME}',
    lines: ['ida@fjord.example', 'ida.b@mail'],
    others: ['ida', '@fjord.example', 'ida@'],
  },
  INT: { is: '[+-]?[0-9]+', lines: ['7', '-42', '+1'], others: ['1.5', '--1', ''] },
  BASE10NUM: {
    is: '[+-]?(?:[0-9]+(?:\\.[0-9]+)?|\\.[0-9]+)',
    lines: ['7', '-4.25', '.5', '+10'],
    others: ['1.', '1.2.3', '0x1F', ''],
  },
  NUMBER: { is: '%{BASE10NUM}', lines: ['7', '-4.25'], others: ['seven', '1e5'] },
  BASE16NUM: { is: '[+-]?(?:0x)?[0-9A-Fa-f]+', lines: ['0xBEEF', '-1f', '10'], others: ['0x', 'xyz'] },
  BASE16FLOAT: {
    is: '[+-]?(?:0x)?(?:[0-9A-Fa-f]+(?:\\.[0-9A-Fa-f]*)?|\\.[0-9A-Fa-f]+)',
    lines: ['0xA.8', '1f', '-.c'],
    others: ['0x', 'g.1'],
  },
  POSINT: { is: '\\b[1-9][0-9]*\\b', lines: ['1', '8080'], others: ['0', '08', '-1'] },
  NONNEGINT: { is: '\\b[0-9]+\\b', lines: ['0', '08', '12'], others: ['-1', '1.5'] },
  WORD: { is: '\\b\\w+\\b', lines: ['door', 'a_1'], others: ['a-b', 'two words', ''] },
  NOTSPACE: { is: '\\S+', lines: ['a-b:c/é'], others: ['a b', ''] },
  SPACE: { is: '\\s*', lines: ['', '  \t'], others: ['a', ' a'] },
  DATA: { is: '.*?', lines: ['', 'all of it'], others: ['two\nlines'] },
  GREEDYDATA: { is: '.*', lines: ['', 'all of it'], others: ['two\nlines'] },
  QUOTEDSTRING: {
    is: '"(?:\\\\.|[^\\\\"])*"|\'(?:\\\\.|[^\\\\\'])*\'|`(?:\\\\.|[^\\\\`])*`',
    lines: ['"a b"', '""', "'it\\'s'", '`x`', '"a \\" b"'],
    others: ['"a', 'a"', '"a" b"', '\'a"'],
  },
  QS: { is: '%{QUOTEDSTRING}', lines: ['"a b"'], others: ['a b'] },
  UUID: {
    is: '[A-Fa-f0-9]{8}-(?:[A-Fa-f0-9]{4}-){3}[A-Fa-f0-9]{12}',
    lines: ['01234567-89ab-cdef-0123-456789ABCDEF'],
    others: ['0123456789abcdef0123456789abcdef', '01234567-89ab-cdef-0123-456789abcde'],
  },
  URN: {
    is: "urn:[0-9A-Za-z][0-9A-Za-z-]{0,31}:(?:%[0-9a-fA-F]{2}|[0-9A-Za-z()+,.:=@;$_!*'/?#-])+",
    lines: ['urn:isbn:0451450523'],
    others: ['urn:-x:1', 'url:isbn:1', 'urn:isbn:'],
  },
  LOGLEVEL: {
    is: '(?i:alert|trace|debug|notice|info(?:rmation)?|warn(?:ing)?|err(?:or)?|crit(?:ical)?|fatal|severe|emerg(?:ency)?)',
    lines: ['info', 'WARNING', 'Err', 'emergency', 'SEVERE'],
    others: ['informal', 'loud', ''],
  },
  // Patterns of their own, in place of literals.
  JSON_OBJECT: {
    is: '\\{.*\\}',
    lines: ['{"a":{"b":1}}', '{} and {}', '{}'],
    others: ['{', '[]', '{}x'],
  },
  JSON_ARRAY: { is: '\\[.*\\]', lines: ['[1,[2]]', '[] and []'], others: ['[', '{}', '[]x'] },
  XML: {
    is: '<[\\w"= ]+>.*</[^<>]*>',
    lines: ['<a>1</a>', '<a b="c">1</a> and <d></d>'],
    others: ['<a>', '<a/>', '<a-b>1</a-b>', 'x<a>1</a>'],
  },
  CURLY_BRACKET: { is: '[{}]', lines: ['{', '}'], others: ['{}', '['] },
  SQUARE_BRACKET: { is: '[\\[\\]]', lines: ['[', ']'], others: ['[]', '{'] },
  TAB: { is: '\\t', lines: ['\t'], others: [' ', '\t\t'] },
  SINGLE_SPACE: { is: '\\s', lines: [' ', '\t'], others: ['  ', 'a'] },
  ANY_CHAR: { is: '.', lines: ['a', '😀', ' '], others: ['ab', '', '\n'] },
  DOUBLE_QUOTE: { is: '"', lines: ['"'], others: ["'", '""'] },
  SINGLE_QUOTE: { is: "'", lines: ["'"], others: ['"'] },
  PERIOD: { is: '\\.', lines: ['.'], others: ['a', '..'] },
  PERIOD_CHAR: { is: '\\.', lines: ['.'], others: [','] },
  UTF8_WORD: { is: '\\p{L}+', lines: ['Straße', 'дверь', '字'], others: ['a1', 'a b', ''] },
  SENTENCE: {
    is: '[\\p{L}\\s,":;-]+',
    lines: ['Die Tür, "offen"; ja: a-b'],
    others: ['door 4', 'open.', ''],
  },
  OPTIONAL_SENTENCE: { is: '[\\p{L}\\s,":;-]*', lines: ['Die Tür', ''], others: ['door 4', 'open.'] },
}
