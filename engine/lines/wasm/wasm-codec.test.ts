import { describe, expect, test } from 'vitest'
import { SLOTS } from '../../../schemas/log/tables.ts'
import { readNativeBlock } from '../../../test/support/native-reader.ts'
import { DAY_MS } from '../../times/duration.ts'
import { LineBatchBuilder } from '../columns/line-batch-builder.ts'
import { fillAll, type LineRun, lineCodec } from '../line-codec.ts'
import { FieldColumns } from '../native-block/field-columns.ts'
import type { LineColumns } from '../native-block/line-block.ts'
import { nativeBlock } from '../native-block/native-block.ts'
import { MAX_SHAPES, SlottedColumns } from '../native-block/slotted-columns.ts'
import { timeBounds } from '../scan/timestamp.ts'
import { MAX_LITERAL_BYTES } from '../slots/line-shape.ts'
import { MAX_FIELD_NAMES } from '../stored-line/field-names.ts'
import { FieldNames } from '../stored-line/line-fields.ts'
import { MOST_ASKED } from './known-names.ts'
import { WasmCodec } from './wasm-codec.ts'

function runOf(lines: readonly string[], timeMs = DAY_MS): LineRun {
  const texts = lines.map(line => Buffer.from(line))
  let end = 0
  const ends = texts.map(({ length }) => {
    end += length
    return end
  })
  return {
    account: 'account',
    rows: lines.length,
    bytes: Buffer.concat(texts),
    starts: ends.map((each, row) => each - (texts[row] as Buffer).length),
    ends,
    sentLevels: lines.map(() => ''),
    apps: lines.map(() => 'a'),
    own: lines.map(() => 0),
    timeMs,
    isExact: true,
  }
}

function block(columns: LineColumns): Buffer {
  return Buffer.concat([...nativeBlock(columns.named(), columns.rows), columns.forms])
}

/** Reads runs with both codecs, which must agree. @returns rows that fell back in the last run */
function fellBackOf(
  runs: readonly LineRun[],
  codec = new WasmCodec(0),
  newColumns: () => LineColumns = () => new FieldColumns(),
): number {
  const sides = [lineCodec, codec].map(each => ({
    each,
    names: new FieldNames(),
    columns: newColumns(),
  }))
  let before = 0
  for (const run of runs) {
    before = codec.fallenBackRows
    for (const { each, names, columns } of sides) {
      names.beginRun()
      fillAll(each, run, names, columns)
    }
  }
  const [expected, given] = sides as [(typeof sides)[0], (typeof sides)[0]]
  expect(given.names.snapshot()).toEqual(expected.names.snapshot())
  expect(given.names.takeFull()).toBe(expected.names.takeFull())
  expect(block(given.columns).equals(block(expected.columns))).toBe(true)
  return codec.fallenBackRows - before
}

/** Whether a line falls back whose names are known. */
function fallsBack(line: string): boolean {
  const run = runOf([line])
  return fellBackOf([run, run]) === 1
}

describe('lines that the codec reads', () => {
  test.each([
    ['members in three levels', '{"a":1,"b":{"c":{"d":"x"}}}'],
    ['a fourth level, compact', '{"a":{"b":{"c":{"d":[1,"x\\n",{"e":null}]}}}}'],
    ['a fourth level with blanks', '{"a": {"b": {"c": {"d": [1, 2.5], "e": true}}}}'],
    ['integers that no double holds', '{"id":1234567890123456789,"less":-9007199254740993}'],
    ['numbers of many digits', '{"t":1795000000.1431234,"e":1.5e-7,"E":2E+3}'],
    ['arrays with objects and arrays', '{"a":[{"b":1},{"b":2},[],[3,{"b":"x"}]]}'],
    ['a stack trace', '{"stack":"a\\n\\tat b (c.js:1)\\n\\tat \\"d\\"","msg":"failed"}'],
    ['escaped characters', '{"a":"\\u00e9\\u4e2d\\ud83d\\ude00","half":"\\ud83d"}'],
    ['a text before the object', 'took {"ms":3} '],
    ['a level that is a number', '{"level":30,"msg":"x"}'],
    ['a brace at the end of a text', 'if (a) { b }'],
    ['members that the service owns', '{"_app":{"a":[1]},"_id":"x","status":200,"user":{"id":1}}'],
    ['characters beyond ASCII', '{"é":"中😀"}'],
    ['keys that repeat in different objects', '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}'],
  ])('%s', (_title, line) => {
    expect(fallsBack(line)).toBe(false)
  })
})

describe('lines that fall back', () => {
  test.each([
    ['a key that repeats', '{"a":1,"a":2}'],
    ['a key that repeats in the fourth level', '{"a":{"b":{"c":{"d":1,"d":2}}}}'],
    ['a key with an escape', '{"\\u0061":1}'],
    ['a key that begins with a digit', '{"1":1}'],
    ['a number of more digits than fit', '{"a":12345678901234567890}'],
    ['a number that no double holds', '{"a":1e400}'],
    ['a fourth level that JavaScript writes in another way', '{"a":{"b":{"c":{"d":1.0}}}}'],
    ['a fourth level with an exponent of zero', '{"a":{"b":{"c":{"d":7e0,"e":1.5e-0}}}}'],
    ['a message that is not a text', '{"message":1}'],
    ['a level that is neither a text nor a number', '{"level":null}'],
    ['a level without a word', '{"level":" "}'],
    ['both spellings of a name', '{"status":1,"_status":2}'],
    ['a second brace', 'x{"a {"b":1}'],
    ['bad JSON', '{"a":tru}'],
    ['nesting beyond the bound', `{"a":${'['.repeat(33)}${']'.repeat(33)}}`],
  ])('%s', (_title, line) => {
    expect(fallsBack(line)).toBe(true)
  })

  test('a line at the bound of a row is read, one byte more falls back', () => {
    const line = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`
    expect(fallsBack(line(65_536))).toBe(false)
    expect(fallsBack(line(65_537))).toBe(true)
  })

  test('a line with as many entries as fit into its bytes is read', () => {
    expect(fallsBack(`{"a":[${Array(16_380).fill('1').join()}]}`)).toBe(false)
    expect(fallsBack(`{"a":[${Array(16_380).fill('[]').join()}]}`)).toBe(false)
  })

  test('names are accepted by the complete rules, each once a day', () => {
    const lines = ['{"a":1}', '{"a":2,"b":3}', '{"b":1,"a":2}', '{"a":1,"b":2}']
    expect(fellBackOf([runOf(lines)])).toBe(2)
    expect(fellBackOf([runOf(lines), runOf(lines), runOf(lines, 2 * DAY_MS)])).toBe(2)
  })

  test('lines with names that are left out do not fall back', () => {
    const names = (from: number) => Array.from({ length: 250 }, (_, key) => `"n${from + key}":${key}`)
    const full = [`{${names(0).join()}}`, `{${names(250).join()}}`]
    const beyond = ['{"n1":1,"more":2,"n2":{"less":{}}}', '{"n1":{"x":[1]},"n3":3}']
    expect(fellBackOf([runOf(full), runOf(beyond)])).toBe(0)
  })

  test('an account whose lines all fall back is mostly left alone', () => {
    const codec = new WasmCodec()
    let calls = 0
    const { fill } = codec.memory.exports
    const exports = {
      ...codec.memory.exports,
      fill: (...given: Parameters<typeof fill>) => {
        calls++
        return fill(...given)
      },
    }
    Object.defineProperty(codec.memory, 'exports', { value: exports })
    const lines = Array.from({ length: 1_000 }, () => '{"a":1,"a":2}')
    expect(fellBackOf([runOf(lines)], codec)).toBe(1_000)
    expect(calls).toBeLessThan(30)
    // Lines that it can read end that soon.
    expect(fellBackOf([runOf(['{"b":1}']), runOf(Array(1_000).fill('{"b":1}'))], codec)).toBeLessThan(70)
  })
})

describe('lines that the codec splits', () => {
  const slotted = () => new SlottedColumns()
  const fallsBackSplit = (line: string) => {
    const run = runOf([line])
    return fellBackOf([run, run], new WasmCodec(0), slotted) === 1
  }
  const values = (count: number, more = '') =>
    `{${Array.from({ length: count }, (_, key) => `"k${key}":"v${key}"`).join()}${more}}`

  test.each([
    ['values of all kinds', '{"a":"x","b":-1.5,"c":true,"d":null,"e":"\\n","f":[1],"g":{},"h":1e3}'],
    ['members in four levels', '{"a":{"b":{"c":"x","d":{"e":1}}}}'],
    ['a text for display', '{"level":"info","msg":"x"}'],
    ['a text for display with an escape', '{"level":"info","msg":"x\\t"}'],
    ['two texts of which one is for display', '{"msg":"x","message":"y"}'],
    ['as many values as slots', values(16)],
    ['a text for display in the last slot', values(15, ',"msg":"x"')],
    ['more values than slots', values(15, ',"msg":"x","a":{"b":[1,{"c":2}]},"level":"warn"')],
    ['a text', 'GET / 200'],
    ['a text before an object', 'took {"ms":3}'],
    [
      'literals that are too long',
      `{"${'k'.repeat(500)}":1,"${'l'.repeat(502)}":"x","${'m'.repeat(500)}":2}`,
    ],
    ['nothing', ''],
  ])('%s', (_title, line) => {
    expect(fallsBackSplit(line)).toBe(false)
  })

  test.each([
    ['one name in two ways', '{"a.b":1,"a":{"b":2}}'],
    ['a name with another underscore', '{"status":1,"_status":[2]}'],
    ['a key that repeats', '{"a":1,"a":2}'],
    ['a number of more digits than fit', '{"a":12345678901234567890}'],
    ['bad JSON behind a slot', '{"a":1,"b":tru}'],
  ])('%s falls back', (_title, line) => {
    expect(fallsBackSplit(line)).toBe(true)
  })

  test.each([
    ['other values', '{"a":"x","b":-1,"c":true,"d":[1]}', '{"a":"","b":2.5,"c":false,"d":[]}'],
    ['an escape', '{"a":"x"}', '{"a":"\\n"}'],
    ['no escape', '{"a":"\\n"}', '{"a":"x"}'],
    ['a number in another form', '{"a":1,"b":2}', '{"a":1e3,"b":-0}'],
    ['null', '{"a":true}', '{"a":null}'],
    ['null in place of a value of the service', '{"_app":1}', '{"_app":null}'],
    ['another kind behind an array', '{"a":[1],"b":2}', '{"a":[1],"b":"x"}'],
    ['another key at its end', '{"a":1,"b":null}', '{"a":1,"c":null}'],
    ['an array of an object', '{"a":[1]}', '{"a":[{"b":1}]}'],
    ['an empty object', '{"a":[1]}', '{"a":{}}'],
    ['an object', '{"a":[1]}', '{"a":{"b":1}}'],
    ['a deep object', '{"a":{"b":{"c":[1]}}}', '{"a":{"b":{"c":{"d":1}}}}'],
    ['a level', '{"level":"info","a":1}', '{"level":"warn","a":2}'],
    ['a level that is a number', '{"level":"info","a":1}', '{"level":30,"a":2}'],
    ['a level in upper case', '{"level":"info","a":1}', '{"level":"INFO","a":2}'],
    ['a level in mixed case', '{"level":"info","a":1}', '{"level":"Info","a":2}'],
    ['a level in lower case', '{"level":"Info","a":1}', '{"level":"info","a":2}'],
    ['the app of the row', '{"app":"b","a":1}', '{"app":"a","a":2}'],
    ['another app', '{"app":"a","a":1}', '{"app":"b","a":2}'],
    ['an app that begins like that of the row', '{"app":"a","a":1}', '{"app":"ab","a":2}'],
    ['an app that is a list', '{"app":"a","a":1}', '{"app":["a"],"a":2}'],
    ['an app with an escape', '{"app":"a","a":1}', '{"app":"\\u0061","a":2}'],
    ['an escaped text for display', '{"msg":"x"}', '{"msg":"\\n"}'],
    ['a list for display', '{"msg":"\\n"}', '{"msg":["x"]}'],
    ['a value of the service', '{"_app":1}', '{"_app":[1,{"a":2}]}'],
    ['another end', '{"a":1}', '{"a":1} '],
  ])('a shape is repeated with %s', (_title, first, second) => {
    const run = runOf([first, first, second, first, second, second])
    expect(fellBackOf([run, run], new WasmCodec(0), slotted)).toBe(0)
  })

  test.each([
    ['a level without a word', '{"level":"info","a":1}', '{"level":" ","a":2}'],
    ['a message that is a list', '{"message":"\\n"}', '{"message":["x"]}'],
    ['an object that does not end', '{"a":1,"b":"x"}', '{"a":1,"b":"x"'],
    ['an object that ends twice', '{"a":1}', '{"a":1}}'],
    ['a number that goes on', '{"a":1,"b":2}', '{"a":1x,"b":2}'],
    ['a word that does not end', '{"a":true}', '{"a":tru}'],
  ])('a shape is repeated with %s, by the complete rules', (_title, first, second) => {
    const run = runOf([first, first, second, first, second, second])
    fellBackOf([run, run], new WasmCodec(0), slotted)
  })

  test('a character that is not UTF-8 is found in a line whose shape repeats', () => {
    const run = runOf(['{"a":"x"}', '{"a":"yz"}', '{"a":"yz"}'])
    run.bytes[run.bytes.indexOf('yz')] = 0xff
    fellBackOf([run, run], new WasmCodec(0), slotted)
  })

  test('slots and literals have the limits of the complete rules', () => {
    const { layout } = new WasmCodec(0).memory
    expect(layout).toMatchObject({ SLOTS, MAX_LITERAL_BYTES })
  })

  test.each([-2, -1, 0, 1, 2])('literals %i bytes longer than the limit, up to the last slot', more => {
    const before = `${values(15).slice(0, -1)},"last":`
    // Each slot so far has one byte in the literals, and the last one, too.
    const slotBytes = Array.from({ length: 15 }, (_, key) => `v${key}`.length - 1)
    const literals = before.length - slotBytes.reduce((sum, bytes) => sum + bytes) + 1
    const blanks = ' '.repeat(MAX_LITERAL_BYTES + more - literals)
    for (const end of ['"x"}', '"x","y":"z"}', '1}', '1,"y":2}'])
      expect(fallsBackSplit(before + blanks + end)).toBe(false)
  })

  test('lines of up to the longest row have their slots', () => {
    const line = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`
    expect(fallsBackSplit(line(65_536))).toBe(false)
    expect(fallsBackSplit(line(65_537))).toBe(true)
    const run = runOf(Array.from({ length: 5_000 }, (_, row) => line(8 + (row % 600))))
    expect(fellBackOf([run, run], new WasmCodec(0), slotted)).toBe(0)
    const texts = runOf(Array.from({ length: 5_000 }, (_, row) => 'x'.repeat(row % 300)))
    expect(fellBackOf([texts], new WasmCodec(0), slotted)).toBe(0)
  })

  test('more shapes than fit are forgotten and learned again', () => {
    const codec = new WasmCodec(0)
    const lines = Array.from({ length: 6_000 }, (_, row) => {
      const keys = Array.from(
        { length: 13 },
        (_, bit) => `"${'k'.repeat(20)}${bit}":${(row >> bit) & 1 ? 1 : null}`,
      )
      return `{${keys.join()}}`
    })
    fellBackOf([runOf(lines), runOf(lines.slice(0, 100)), runOf(lines.slice(-1))], codec, slotted)
    expect(codec.memory.exports.nameCount()).toBeLessThan(6_000)
  })

  test('an account has a bounded number of shapes in a block, and lines of others are whole', () => {
    const line = (blanks: number) =>
      `{${' '.repeat(blanks % 900)}"a":1${' '.repeat(Math.floor(blanks / 900))}}`
    const most = runOf(Array.from({ length: MAX_SHAPES }, (_, blanks) => line(blanks)))
    const more = runOf([line(MAX_SHAPES), line(1), line(MAX_SHAPES + 1), line(MAX_SHAPES), 'x', line(2)])
    const other = { ...runOf([line(MAX_SHAPES)]), account: 'other' }
    expect(fellBackOf([most, more, other, more], new WasmCodec(0), slotted)).toBe(0)
    const columns = slotted()
    for (const run of [most, more, other]) fillAll(new WasmCodec(0), run, new FieldNames(), columns)
    const { rows } = readNativeBlock(nativeBlock(columns.named(), columns.rows))
    const isWhole = rows.slice(MAX_SHAPES).map(({ whole_line }) => whole_line !== '')
    expect(isWhole).toEqual([true, false, true, true, true, false, false])
    columns.clear()
    expect(columns.admits('account', 'another one')).toBe(true)
  })

  test('an account and a day do not have the shapes of another one', () => {
    const codec = new WasmCodec(0)
    const line = '{"tag":"x","level":"info","msg":"y","more":1}'
    const owned = { ...runOf([line, line]), own: [0, 1] }
    fellBackOf([owned, owned, runOf([line], 2 * DAY_MS)], codec, slotted)
    const names = Array.from({ length: 500 }, (_, name) => `{"n${name}":1}`)
    fellBackOf([runOf(names), owned, owned], codec, slotted)
    fellBackOf([owned, owned], codec, slotted)
  })
})

describe('the names that the codec knows', () => {
  test('more than fit are forgotten and learned again', () => {
    const codec = new WasmCodec(0)
    const most = codec.memory.layout.MAX_NAMES
    const lineOf = (from: number) =>
      `{"a":{${Array.from({ length: 100 }, (_, key) => `"k${from + key}":1`).join()}}}`
    const lines = Array.from({ length: most / 100 + 10 }, (_, row) => lineOf(row * 100))
    fellBackOf([runOf(lines), runOf(['{"a":{"k1":2},"b":"x"}']), runOf(lines.slice(0, 5))], codec)
    expect(codec.memory.exports.nameCount()).toBeLessThan(most)
  })

  test('a call that has asked for very many names leaves the next row to the complete rules', () => {
    const codec = new WasmCodec(0)
    const keys = (from: number, count: number) =>
      Array.from({ length: count }, (_, key) => `"k${from + key}":1`).join()
    // The names of the day are full, so that further ones need not be accepted.
    const full = runOf([`{"a":{${keys(0, MAX_FIELD_NAMES)}}}`])
    const names = new FieldNames()
    const columns = new FieldColumns()
    fillAll(codec, full, names, columns)
    const rowsOf = (more: number) =>
      runOf([`{"b":{${keys(0, MOST_ASKED - 1)}}}`, `{"c":{${keys(0, more)}}}`, `{"a":{${keys(0, 1)}}}`])
    const run = rowsOf(1)
    expect(codec.fill(run, 0, names, columns)).toBe(1)
    const exact = { ...run, rows: 1 }
    expect(new WasmCodec(0).fill(exact, 0, names, columns)).toBe(1)
    fellBackOf([full, rowsOf(1), rowsOf(900), rowsOf(900)], codec)
  })

  test('more levels than fit are forgotten', () => {
    const codec = new WasmCodec(0)
    const sent = (from: number) => {
      const run = runOf(Array(2_000).fill('x'))
      return { ...run, sentLevels: run.sentLevels.map((_, row) => `level ${from + row}`) }
    }
    expect(
      fellBackOf(
        Array.from({ length: 20 }, (_, run) => sent(run * 2_000)),
        codec,
      ),
    ).toBe(0)
  })

  /** Number of the name above all texts of levels, as in assembly/rows.ts. */
  const LEVELS_ROOT = 11

  test('a search visits two buckets at most, even if a thousand texts share one', () => {
    const codec = new WasmCodec(0)
    const { exports, layout, bytes } = codec.memory
    const bucketOf = (text: string) =>
      exports.bucketOf(LEVELS_ROOT, layout.INPUT, bytes.write(text, layout.INPUT))
    const sharing: string[] = []
    for (let number = 0; sharing.length < 1_000; number++)
      if (bucketOf(`L${number}`) === 7) sharing.push(`L${number}`)
    const others = sharing.map((_, number) => `M${number}`)
    const probesOf = (texts: readonly string[]) => {
      const run = runOf(texts.map(text => `{"level":"${text}"}`))
      expect(fellBackOf([run], codec)).toBe(0)
      const before = exports.probes.value
      expect(fellBackOf([run], codec)).toBe(0)
      return Number(exports.probes.value - before) / texts.length
    }
    // Eight are in the bucket that all share, the others in their second ones.
    expect(probesOf(sharing)).toBeLessThanOrEqual(16)
    expect(probesOf(others)).toBeLessThanOrEqual(16)
  })

  /** Makes the codec's additions of names fail, as if both of their buckets were full, until the result is called. */
  function withoutSlots(codec: WasmCodec): () => void {
    const real = codec.memory.exports
    const set = (value: typeof real) =>
      Object.defineProperty(codec.memory, 'exports', { value, configurable: true })
    set({
      ...real,
      addName: (...given) => {
        real.addName(...given)
        return 0
      },
    })
    return () => set(real)
  }

  test('a name without a slot makes its row fall back, and all names move to other slots', () => {
    const codec = new WasmCodec(0)
    const lines = ['{"level":"one"}', '{"level":"two"}']
    fellBackOf([runOf(lines)], codec)
    const { exports, layout, bytes } = codec.memory
    const bucket = () => exports.bucketOf(LEVELS_ROOT, layout.INPUT, bytes.write('one', layout.INPUT))
    const names = new FieldNames()
    const columns = new FieldColumns()
    fillAll(codec, runOf(lines), names, columns)
    const before = { bucket: bucket(), fellBack: codec.fallenBackRows, names: exports.nameCount() }
    const restore = withoutSlots(codec)
    fillAll(codec, runOf(['{"level":"three"}']), names, columns)
    expect(codec.fallenBackRows).toBe(before.fellBack + 1)
    restore()
    fillAll(codec, runOf(lines), names, columns)
    expect(bucket()).not.toBe(before.bucket)
    expect(codec.fallenBackRows).toBe(before.fellBack + 1)
    // The codec found both names in their present slots. The third text has a number, and its slot.
    expect(exports.nameCount()).toBe(before.names + 1)
    fillAll(codec, runOf(['{"level":"three"}']), names, columns)
    expect(exports.nameCount()).toBe(before.names + 1)
  })

  test('if names have no slot again and again, all are forgotten', () => {
    const codec = new WasmCodec(0)
    const names = new FieldNames()
    const columns = new FieldColumns()
    fillAll(codec, runOf(['{"level":"known"}']), names, columns)
    const known = codec.memory.exports.nameCount()
    const restore = withoutSlots(codec)
    for (let number = 0; number < 5; number++)
      fillAll(codec, runOf([`{"level":"new ${number}"}`]), names, columns)
    restore()
    fillAll(codec, runOf(['{"level":"known"}']), names, columns)
    expect(codec.memory.exports.nameCount()).toBe(known)
  })
})

test('rows that are out of order are read as they come', () => {
  const run = runOf(['{"a":1}', '{"b":2}', 'x'])
  const reversed = {
    ...run,
    starts: [...(run.starts as number[])].reverse(),
    ends: [...(run.ends as number[])].reverse(),
  }
  expect(fellBackOf([run, reversed])).toBe(0)
})

test('bodies that its readers leave to the complete rules are counted', () => {
  const codec = new WasmCodec()
  const readers = [codec.newReader(), codec.newReader()]
  const read = (body: string) => {
    for (const reader of readers) {
      reader.load([Buffer.from(body)])
      reader.readLines(new LineBatchBuilder(), timeBounds(DAY_MS, 30), null, 1_000)
    }
  }
  read('{"lines":["a"]}')
  expect(codec.fallenBackBodies).toBe(0)
  read('{"lines":["a"],"hostname":"h"}')
  expect(codec.fallenBackBodies).toBe(2)
})
