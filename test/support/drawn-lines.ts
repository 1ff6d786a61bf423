import type { Dice } from './dice.ts'

/** Texts of lines that codecs may read differently. Most are objects, many nearly valid, some no text at all. */
export function drawnLine(dice: Dice): Buffer {
  const bytes = Buffer.from(dice.chance(0.2) ? drawnText(dice) : surrounded(drawnObject(dice, 0), dice))
  return dice.chance(0.08) ? damaged(bytes, dice) : bytes
}

/** A value that stands in an object or an array. */
const VALUE =
  /(?<=[:,[][ \t\r\n]*)(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|\[\]|\{\})(?=[ \t\r\n]*[,}\]])/g

/** A line with the keys of another one. Most of its values are drawn anew, in general of the same kinds. */
export function variedLine(line: Buffer, dice: Dice): Buffer {
  const text = line.toString('latin1').replace(VALUE, value => {
    if (dice.chance(0.3)) return value
    const other = dice.chance(0.03) ? drawnValue(dice, 1) : valueLike(value, dice)
    return Buffer.from(other).toString('latin1')
  })
  return Buffer.from(text, 'latin1')
}

function valueLike(value: string, dice: Dice): string {
  if (value.startsWith('"')) return drawnString(dice)
  if (/^[-\d]/.test(value)) return drawnNumber(dice)
  if (value === 'true' || value === 'false') return dice.pick(['true', 'false'])
  return value === '[]' ? drawnArray(dice, 1) : value
}

const WORDS = [
  ...['error', 'ERRORS', 'Warn', 'warning', 'info_', 'debug', 'emergency', 'critical', 'CRITICAL7', 'alert'],
  ...['trace', 'fatal', 'severe', 'in', 'x', '-', '—', 'é', '😀', '}', '{', '{"', '" }', '\t', '\u00a0'],
]

function drawnText(dice: Dice): string {
  const words = Array.from({ length: dice.below(60) }, () => dice.pick(WORDS))
  return words.join(dice.pick([' ', ': ', '', '.'])) + ' '.repeat(dice.below(3))
}

/** Text before an object and blanks behind it; a few objects are cut or repeated. */
function surrounded(object: string, dice: Dice): string {
  const before = dice.chance(0.1) ? dice.pick(['took ', 'x{ ', '{"a ', ' ', '\v', '[', 'é', '\ufeff']) : ''
  const behind = dice.chance(0.1) ? dice.pick([' ', '\r\n', '\v', '.', '}', object, '\u00a0']) : ''
  const text = before + object + behind
  return dice.chance(0.05) ? text.slice(0, dice.below(text.length)) : text
}

/** One byte is another one, or is missing. */
function damaged(bytes: Buffer, dice: Dice): Buffer {
  if (bytes.length === 0) return bytes
  const at = dice.below(bytes.length)
  if (dice.chance(0.5)) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])
  bytes[at] = dice.chance(0.5) ? dice.below(256) : dice.pick(['"', '\\', '{', '}', ',', ':']).charCodeAt(0)
  return bytes
}

const KEYS = [
  ...[
    'ts',
    'level',
    'msg',
    'message',
    'status',
    'user',
    'a',
    'b',
    'c',
    'é',
    '',
    'kubernetes',
    'dur',
    '_id',
    'app',
    'app',
    'level',
  ],
  ...[
    'err',
    'stack',
    'app.kubernetes.io/name',
    'service',
    '__proto__',
    'constructor',
    '_app',
    'tag',
    'timestamp',
  ],
  ...['x'.repeat(7), 'x'.repeat(8), 'x'.repeat(9), 'x'.repeat(16), 'x'.repeat(17), 'a key with blanks'],
]
const RARE_KEYS = [
  ...[
    '_status',
    '_user',
    '1',
    '07',
    '_tag',
    '_timestamp',
    '_meta',
    '_label',
    '_level',
    '_message',
    '__status',
  ],
  ...['k'.repeat(511), 'k'.repeat(512), 'k'.repeat(513), 'é'.repeat(400), '\\', '\n'],
]

function drawnKey(dice: Dice): string {
  if (dice.chance(0.01)) return `n${dice.below(2_000)}`
  const key = JSON.stringify(dice.pick(dice.chance(0.05) ? RARE_KEYS : KEYS))
  return dice.chance(0.01) ? escaped(key, dice) : key
}

function drawnObject(dice: Dice, depth: number): string {
  const keys = Array.from({ length: dice.below(depth === 0 ? 9 : 5) }, () => drawnKey(dice))
  // Only some repeat a key, since those fall back.
  const kept = dice.chance(0.95) ? [...new Set(keys)] : keys
  const members = kept.map(key => `${quoted(key)}${blank(dice)}:${blank(dice)}${drawnValue(dice, depth + 1)}`)
  return `{${blank(dice)}${members.join(`${blank(dice)},${blank(dice)}`)}${blank(dice)}}`
}

function quoted(key: string): string {
  return key.startsWith('"') ? key : `"${key}"`
}

function blank(dice: Dice): string {
  return dice.chance(0.9) ? '' : dice.pick([' ', ' ', '\n', '\t ', '\r', dice.chance(0.05) ? '\v' : ' '])
}

const STRINGS = [
  ...[
    '',
    ' ',
    'info',
    'info',
    'DEBUG',
    ' WARN ',
    'Error',
    'shop',
    'shop',
    'a\nb',
    'quote " and \\ back',
    'é中',
    '😀',
    '\u0001',
    'tab\t',
    '/slash',
  ],
  ...[
    '}',
    '{"a":1}',
    'x'.repeat(15),
    'x'.repeat(16),
    'x'.repeat(17),
    'y'.repeat(127),
    'y'.repeat(128),
    'z'.repeat(300),
  ],
  `${'w'.repeat(120)}\n${'w'.repeat(6)}`,
  `${'w'.repeat(120)}\n${'w'.repeat(7)}`,
  `\u2028${'é"'.repeat(70)}`,
]
const LONG_STRINGS = [
  'x'.repeat(16_383),
  'x'.repeat(16_384),
  `\n${'x'.repeat(16_382)}`,
  `"${'x'.repeat(16_383)}`,
]
const NUMBERS = [
  ...['0', '-0', '1', '-1', '7', '3.14', '1e3', '1.5E-7', '0.1', '0.30000000000000004', '1.10', '100.25'],
  ...['123456789012345', '1234567890123456', '9007199254740991', '9007199254740992', '9007199254740993'],
  ...[
    '-9007199254740993',
    '1234567890123456789',
    '9999999999999999999',
    '18446744073709551615',
    '1e400',
    '-1e-400',
  ],
  ...[
    '1795000000.143123',
    '0.000001',
    '0.0000001',
    '1234567.8901234567',
    '0.1234567890123456789',
    '1e22',
    '1e23',
  ],
  ...['4.35', '0.000', '9007199254740993.5', '1E+2', '5e-324', '-12.5'],
]
const NO_NUMBERS = ['01', '1.', '.5', '-', '1e', '1e+', '0x1', '00']

function drawnNumber(dice: Dice): string {
  if (dice.chance(0.01)) return dice.pick(NO_NUMBERS)
  if (dice.chance(0.3)) return dice.pick(NUMBERS)
  const digits = (most: number) =>
    Array.from({ length: 1 + dice.below(most) }, () => String(dice.below(10))).join('')
  const whole = String(BigInt(digits(dice.chance(0.8) ? 8 : 20)))
  const fraction = dice.chance(0.5) ? `.${digits(dice.chance(0.8) ? 6 : 18)}` : ''
  const exponent = dice.chance(0.1) ? `e${dice.pick(['', '-', '+'])}${dice.below(30)}` : ''
  return `${dice.chance(0.2) ? '-' : ''}${whole}${fraction}${exponent}`
}

function drawnString(dice: Dice): string {
  if (dice.chance(0.002)) return JSON.stringify(dice.pick(LONG_STRINGS))
  const text = JSON.stringify(dice.pick(STRINGS))
  return dice.chance(0.1) ? escaped(text, dice) : text
}

/** Some characters as escapes, needed or not, valid or nearly so. */
function escaped(text: string, dice: Dice): string {
  return text.replace(/[^"\\](?=.)/g, character => {
    if (!dice.chance(0.1)) return character
    if (dice.chance(0.02)) return dice.pick(['\\u12', '\\x'])
    if (dice.chance(0.2)) return dice.pick(['\\/', '\\ud83d', '\\ude00', '\\ud83d\\ude00', '\\u0000', '\\b'])
    const hex = character.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${dice.chance(0.5) ? hex : hex.toUpperCase()}`
  })
}

function drawnValue(dice: Dice, depth: number): string {
  const kind = dice.below(16)
  if (kind < 5) return drawnString(dice)
  if (kind < 9) return drawnNumber(dice)
  if (kind === 9) return dice.pick(dice.chance(0.02) ? ['nul', 'True', 'falsy'] : ['true', 'false', 'null'])
  if (depth > 6) return '1'
  if (kind < 12) return drawnArray(dice, depth)
  if (kind === 12 && dice.chance(0.02)) return `${'['.repeat(40)}1${']'.repeat(40)}`
  return drawnObject(dice, depth)
}

function drawnArray(dice: Dice, depth: number): string {
  const elements = Array.from({ length: dice.below(4) }, () => drawnValue(dice, depth + 1))
  return `[${blank(dice)}${elements.join(`${blank(dice)},${blank(dice)}`)}${blank(dice)}]`
}
