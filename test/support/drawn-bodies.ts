import { DAY_MS } from '../../engine/times/duration.ts'
import type { Dice } from './dice.ts'

/** Time of arrival for drawn bodies, UNIX ms. */
export const DRAWN_NOW_MS = 1_795_000_000_000

/** A request body that readers may read differently. A third of them have unusual parts, and a few are damaged. */
export function drawnBody(dice: Dice): Buffer {
  const body = new DrawnBody(dice, dice.chance(0.35))
  const lines = dice.chance(0.005) ? body.manyLines() : body.lines(dice.below(12))
  const bytes = Buffer.from(body.framed(lines))
  return dice.chance(0.07) ? damaged(bytes, dice) : bytes
}

/** Cuts bytes into chunks that end anywhere. */
export function drawnChunks(bytes: Buffer, dice: Dice): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + dice.below(dice.chance(0.3) ? 4 : bytes.length + 1))
    chunks.push(bytes.subarray(at, end))
    at = end
  }
  return chunks
}

/** Values of one kind, and others that scanners may leave to the complete rules. */
interface Choices {
  readonly usual: readonly string[]
  readonly odd: readonly string[]
}

const BEFORE: Choices = {
  usual: ['{"lines":', '{"ls":', '{"e":"ls","ls":', '{ "lines" : ', '\n{\n  "lines": ', '{"e":"","lines":'],
  odd: [
    ...['{"e":"a\\n","lines":', '{"e":"x","e":"y","lines":', '{"other":1,"lines":', '{"l\\u0069nes":'],
    ...['{"tags":"a,b","lines":', '{"lines":["x"],"ls":', '{"e":5,"lines":', '["lines":', '{"linez":'],
    ...['{"e":"x",', '\ufeff{"lines":'],
  ],
}
const BEHIND: Choices = {
  usual: ['}', '}', '}', ' } \r\n', ',"e":"ls"}', ', "e" : "" }', '\n}\n'],
  odd: ['', '}x', '}}', ',}', ',"e":1}', ',"lines":[]}', ',"ls":["x"]}', ']}', ',"x":{"y":[1]}}', '}\u0000'],
}
const ODD_LINES = [
  'null',
  '7',
  '[]',
  '{}',
  '{"app":"x"}',
  '{"line":1}',
  '{"line":{"a":1}}',
  '{"line":null}',
  'tru',
]
const ODD_MEMBERS = [
  ...[
    '"f":"/a"',
    '"t":1795000000000',
    '"tags":["a"]',
    '"label":{"a":1}',
    '"pid":7',
    '"":1',
    '"lin":1',
    '"line2":"x"',
  ],
  ...[
    '"timestamps":1',
    '"metadata":{}',
    '"hosts":"a"',
    '"hostnames":"a"',
    '"application":"a"',
    '"levels":"a"',
  ],
]
const TEXTS = [
  ...[
    '',
    ' ',
    'x',
    'GET / 200',
    '{"msg":"handled \\"it\\"","status":200}',
    'a\\b',
    'line\nbreak',
    '\ttab',
    'é',
  ],
  ...[
    '中文',
    '😀',
    'C:\\logs\\a.log',
    '/a/b',
    '"',
    '\\',
    '\u0000',
    '\u0001',
    '\u007f',
    '\u2028',
    '{}',
    '[1,2]',
  ],
]
const LENGTHS = [13, 14, 15, 16, 17, 31, 32, 33, 125, 126, 127, 128, 129, 300]
const LONG_LENGTHS = [16_382, 16_383, 16_384, 16_385, 16_400]
const FILLINGS = ['x', '"', '\n', 'é', '😀', '中', 'ab"', '0123456789abcd\\', '0123456789abcde\\', '\u0001']
const WORDS: Choices = {
  usual: [
    'web',
    'api',
    'nginx',
    'INFO',
    'warn',
    'error',
    'prod',
    '/var/log/a.log',
    'db-1',
    'é1',
    '😀',
    'a b',
    '',
  ],
  odd: [' ', '\u00a0', 'é', '\t', 'w'.repeat(80), 'w'.repeat(81), 'w'.repeat(256), 'w'.repeat(257)],
}
const LONG_WORDS = [511, 512, 513, 4_095, 4_096, 4_097].map(length => 'w'.repeat(length))
const ODD_WORDS = ['5', 'true', '{}', '[1]', '"\\ud83d"', '"\\u00', '"\\x"']
const TIMES: Choices = {
  usual: [
    ...[
      '1',
      '1795000000',
      '1795000000.25',
      '1795000000.1239',
      '1795000000000.5',
      '1795000000000000',
      '99999999999',
    ],
    ...[
      '1795000000000000000',
      '100000000000',
      '99999999999999',
      '100000000000000',
      '99999999999999999',
      'null',
    ],
    ...['""', '" "', '"0"', '"0.0004"', '"soon"', '"1795000000000 "', '"01795000000000"', '"1795000000.5"'],
    ...['"2026-11-18"', '"2026-11-18T10:00"', '"2026-02-30T00:00:00Z"', '"2026-13-01T00:00:00Z"'],
    ...[
      '"2026-00-10T00:00:00Z"',
      '"2026-11-18T24:00:00Z"',
      '"2026-11-18T23:60:00Z"',
      '"2026-11-18T23:59:60Z"',
    ],
    ...[
      '"2026-11-18T23:59:61Z"',
      '"1970-01-01T00:00:00Z"',
      '"1970-01-01T00:30:00+01:00"',
      '"1970-12-31T23:59:59Z"',
      '"0000-01-01T00:00:00Z"',
    ],
    ...[
      '"9999-12-31T23:59:59Z"',
      '"2026-11-18T10:00:00+"',
      '"2026-11-18T10:00:00.Z"',
      '"+2026-11-18T10:00:00Z"',
    ],
    ...['"2026-11-18T10:00:00+24:00"', '"2026-11-18T10:00:00+01:60"', '"2026-11-18T10:00:00+1"'],
  ],
  odd: [
    ...[
      '0',
      '01',
      '-5',
      '1e12',
      '1.5e12',
      '1795000000.',
      '17950000000000000000',
      '179500000000000000000',
      'true',
    ],
    ...[
      '100000000000000000',
      '1795000000.0123456789012345678901234',
      '{}',
      '"\\u0031"',
      `"${'1'.repeat(65)}"`,
      '20241744073709551616',
      `1795000000.${'1'.repeat(120)}`,
      `"2026-11-18T10:00:00.${'1'.repeat(120)}Z"`,
      `"${'soon '.repeat(30)}"`,
    ],
  ],
}
const METAS: Choices = {
  usual: [
    ...[
      '{}',
      '""',
      '"{}"',
      '"text"',
      '"a longer text here"',
      '"{\\"a\\":1}"',
      '{"a":1}',
      '{ "a" : [ 1 , { } ] }',
    ],
    ...['{"a":-0.5E+10,"b":[0,1e3,true,false,null]}', '{"a":"\\u00e9\\ud83d\\ude00"}', '{"a":\n1}', 'null'],
  ],
  odd: [
    ...[
      '"\\u007b}"',
      '7',
      '[1]',
      '{"a":01}',
      '{"a":1.}',
      '{"a":-}',
      '{"a":1e}',
      '{"a":tru}',
      '{"a":1,}',
      '{a:1}',
    ],
    ...[
      '{"a"}',
      '{"a":"\\ud83d"}',
      '{"\\ude00":1}',
      '{"a":"\\x"}',
      '"\\ud83d"',
      '{"a":[}',
      '{"a":"tab\t"}',
      '-',
    ],
  ],
}
const BAD_ESCAPES = ['\\u12', '\\x', '\\', '\u0001', '\\u00g0']
const ESCAPES = ['\\/', '\\ud83d\\ude00', '\\u0000', '\\b', '\\f', '\\r', '\\t']
const HALF_ESCAPES = ['\\ud83d', '\\ude00', '\\ud83d\\ud83d\\ude00']

class DrawnBody {
  readonly #dice: Dice
  readonly #isOdd: boolean

  constructor(dice: Dice, isOdd: boolean) {
    this.#dice = dice
    this.#isOdd = isOdd
  }

  framed(lines: readonly string[]): string {
    const array = `[${this.#blank()}${lines.join(`${this.#blank()},${this.#blank()}`)}${this.#blank()}]`
    return this.#choice(BEFORE, 0.1) + array + this.#choice(BEHIND, 0.1)
  }

  lines(count: number): string[] {
    return Array.from({ length: count }, () => this.#line())
  }

  /** More lines, more words or longer texts than a reader holds at once. */
  manyLines(): string[] {
    const dice = this.#dice
    const lines = this.lines(20)
    const rows = (length: number, row: (number: number) => string) =>
      Array.from({ length }, (_, number) => row(number))
    switch (dice.below(4)) {
      case 0:
        return rows(2_000 + dice.below(2_500), () => dice.pick(lines))
      case 1:
        return rows(900 + dice.below(300), row => `{"line":"x","app":"app ${row}","file":"/${row % 7}"}`)
      case 2:
        return rows(60 + dice.below(20), () => `{"line":"${'y'.repeat(16_000 + dice.below(500))}"}`)
      default:
        return rows(
          10 + dice.below(10),
          () => `{"line":"z","meta":{"m":"${'z'.repeat(32_000 + dice.below(800))}"}}`,
        )
    }
  }

  #line(): string {
    const dice = this.#dice
    if (this.#isOdd && dice.chance(0.01)) return dice.pick(ODD_LINES)
    if (dice.chance(0.1)) return this.#text()
    const members = [this.#key('line') + this.#text()]
    const add = (share: number, name: string, value: () => string) => {
      if (dice.chance(share)) members.splice(dice.below(members.length + 1), 0, this.#key(name) + value())
    }
    add(0.6, 'timestamp', () => this.#time())
    add(0.5, 'app', () => this.#word())
    add(0.4, 'level', () => this.#word())
    add(0.1, 'env', () => this.#word())
    add(0.1, 'file', () => this.#word())
    add(0.2, 'meta', () => this.#meta())
    add(0.05, dice.pick(['host', 'hostname']), () => this.#word())
    if (this.#isOdd && dice.chance(0.02))
      members.push(dice.chance(0.5) ? this.#anotherMember() : dice.pick(ODD_MEMBERS))
    return `{${this.#blank()}${members.join(`${this.#blank()},${this.#blank()}`)}${this.#blank()}}`
  }

  /** A member that the line mostly has already, with another value. */
  #anotherMember(): string {
    const name = this.#dice.pick(['line', 'app', 'level', 'timestamp', 'meta', 'host', 'hostname'])
    if (name === 'line') return this.#key(name) + this.#text()
    if (name === 'timestamp') return this.#key(name) + this.#time()
    return this.#key(name) + (name === 'meta' ? this.#meta() : this.#word())
  }

  #key(name: string): string {
    const isEscaped = this.#isOdd && this.#dice.chance(0.003)
    return `"${isEscaped ? name.replace(/[aei]/, unitOf) : name}"${this.#blank()}:${this.#blank()}`
  }

  #blank(): string {
    const dice = this.#dice
    if (dice.chance(0.95)) return ''
    return dice.pick([' ', '  ', ' ', '\n', '\t', '\r\n', this.#isOdd && dice.chance(0.1) ? '\v' : ' '])
  }

  #text(): string {
    const dice = this.#dice
    return this.#spelled(dice.chance(0.2) ? this.#filled() : dice.pick(TEXTS) + dice.pick(TEXTS), ESCAPES)
  }

  /** A text that ends near a border of steps, lengths or limits. */
  #filled(): string {
    const dice = this.#dice
    const bytes = dice.pick(dice.chance(0.05) ? LONG_LENGTHS : LENGTHS)
    const filling = dice.pick(FILLINGS)
    return 'x'.repeat(dice.below(18)) + filling.repeat(Math.ceil(bytes / Buffer.byteLength(filling)))
  }

  #word(): string {
    const dice = this.#dice
    if (dice.chance(0.02)) return 'null'
    if (this.#isOdd && dice.chance(0.03)) return dice.pick(ODD_WORDS)
    if (dice.chance(0.1)) return this.#spelled(`app ${dice.below(3_000)}`, ESCAPES)
    return this.#spelled(dice.chance(0.01) ? dice.pick(LONG_WORDS) : this.#choice(WORDS, 0.1), ESCAPES)
  }

  /** JSON text of a string, sometimes with escapes that are not needed, or are none. */
  #spelled(text: string, escapes: readonly string[]): string {
    const dice = this.#dice
    const json = JSON.stringify(text)
    if (!dice.chance(0.15)) return json
    return json.replace(/[^"\\](?=.)/gu, character => {
      if (!dice.chance(0.1)) return character
      if (this.#isOdd && dice.chance(0.03)) return dice.pick(BAD_ESCAPES)
      if (this.#isOdd && dice.chance(0.1)) return dice.pick(HALF_ESCAPES)
      if (dice.chance(0.2)) return dice.pick(escapes)
      return Array.from({ length: character.length }, (_, at) => unitOf(character[at] as string)).join('')
    })
  }

  #time(): string {
    const dice = this.#dice
    const ms = DRAWN_NOW_MS - 40 * DAY_MS + dice.below(45) * DAY_MS + dice.below(DAY_MS)
    switch (dice.below(6)) {
      case 0:
        return this.#choice(TIMES, 0.2)
      case 1:
        return `"${ms}"`
      case 2:
        return drawnDate(dice, ms)
      case 3:
        return dice.pick([`${ms}000`, `${ms}123456`, String(ms / 1000), String(Math.floor(ms / 1000))])
      default:
        return String(ms)
    }
  }

  #meta(): string {
    const dice = this.#dice
    if (dice.chance(0.02)) return nested(dice.pick(this.#isOdd ? [24, 25, 26, 255, 256] : [22, 23, 24]))
    if (dice.chance(0.02)) return `{"m":"${'m'.repeat(dice.pick([118, 119, 120, 32_760]))}"}`
    if (this.#isOdd && dice.chance(0.01)) return `{"m":"${'m'.repeat(dice.pick([32_761, 40_000]))}"}`
    return this.#choice(METAS, 0.2)
  }

  #choice({ usual, odd }: Choices, share: number): string {
    return this.#dice.pick(this.#isOdd && this.#dice.chance(share) ? odd : usual)
  }
}

function unitOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A date-time that is near, of any other year, or on a day that its month may not have. */
function drawnDate(dice: Dice, nearMs: number): string {
  const ms = dice.chance(0.5) ? nearMs : dice.below(2_900_000) * DAY_MS * dice.pick([0.001, 0.01, 1])
  const text = new Date(ms).toISOString()
  const date = dice.pick([text.slice(0, 10), text.slice(0, 10), `${text.slice(0, 8)}${28 + dice.below(5)}`])
  const fraction = dice.pick(['', '.5', text.slice(19, 23), '.123456789', ',25', '.00'])
  const offset = dice.pick(['Z', 'Z', 'z', '', '+01:00', '-0930', '+23:59', '-00:00'])
  return `"${date}${dice.pick(['T', 'T', 't', ' '])}${text.slice(11, 19)}${fraction}${offset}"`
}

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
}

/** One byte is another one, is missing, or all behind it is. */
function damaged(bytes: Buffer, dice: Dice): Buffer {
  if (bytes.length === 0) return bytes
  const at = dice.below(bytes.length)
  if (dice.chance(0.2)) return bytes.subarray(0, at)
  if (dice.chance(0.5)) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])
  bytes[at] = dice.chance(0.5)
    ? dice.below(256)
    : dice.pick(['"', '\\', '{', '}', ',', ':', '[', ']']).charCodeAt(0)
  return bytes
}
