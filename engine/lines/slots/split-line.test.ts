import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newDice } from '../../../test/support/dice.ts'
import { drawnLine } from '../../../test/support/drawn-lines.ts'
import { linesOfBothForms, type SlottedRow } from '../../../test/support/slotted-rows.ts'
import { type LineRun, lineCodec } from '../line-codec.ts'
import { FieldNames } from '../stored-line/field-names.ts'
import { OWN_MEMBERS } from '../stored-line/line-members.ts'

const DAY = 86_400_000

const APP = 'shop'

function runOf(lines: readonly (string | Buffer)[], own = 0): LineRun {
  const texts = lines.map(line => Buffer.from(line as string))
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
    apps: lines.map(() => APP),
    own: lines.map(() => own),
    timeMs: DAY,
    isExact: true,
  }
}

/** Checks that both forms give the same lines. @returns the rows of the slotted one */
function rowsOf(run: LineRun): readonly SlottedRow[] {
  const { plain, slotted, rows, names } = linesOfBothForms(lineCodec, run, () => new FieldNames())
  expect(slotted).toEqual(plain)
  expect(names[1]).toEqual(names[0])
  return rows
}

/** The slotted row of a line, with visible bytes, without its empty columns. */
function rowOf(line: string | Buffer, own = 0): Record<string, unknown> {
  const [row] = rowsOf(runOf([line], own)) as [SlottedRow]
  const shown = Object.entries(row).map(
    ([name, value]) => [name, typeof value === 'string' ? visible(value) : value] as const,
  )
  return Object.fromEntries(shown.filter(([, value]) => value !== '' && (value as unknown[]).length !== 0))
}

function visible(latin1: string): string {
  const text = Buffer.from(latin1, 'latin1').toString()
  return text
    .replaceAll('\0', '|')
    .replaceAll('\x01', '#')
    .replaceAll('\x02', ';')
    .replaceAll('\x03', '%3')
    .replaceAll('\x04', '%4')
    .replaceAll('\x05', '%5')
}

describe('a slotted line', () => {
  test('has its values in slots, and the rest of its text in its shape', () => {
    expect(rowOf('{"ts":"2026","status":200,"ok":true,"tags":["a"],"n":null}')).toEqual({
      shape: ';tts;n_status;bok;o;|{"ts":"#","status":#,"ok":#,"tags":#,"n":null}',
      ...{ s0: '2026', s1: '200', s2: 'true', s3: '["a"]' },
      text_fields: [['tags', 'a']],
    })
  })

  test('has the values of objects in up to three levels in slots of their own', () => {
    expect(rowOf('{"a":{"b":{"c":1,"d":{"e":2}}, "f":{}}} \n')).toEqual({
      shape: ';na.b.c;o;o;|{"a":{"b":{"c":#,"d":#}, "f":#}} \n',
      ...{ s0: '1', s1: '{"e":2}', s2: '{}' },
      text_fields: [
        ['a.b.d', '{"e":2}'],
        ['a.f', '{}'],
      ],
    })
  })

  test.each([
    ['"x"', ';tv;|{"v":"#"}', 'x'],
    ['""', ';tv;|{"v":"#"}', undefined],
    ['"a\\n"', ';o;|{"v":#}', '"a\\n"'],
    ['0', ';nv;|{"v":#}', '0'],
    ['-1.50', ';nv;|{"v":#}', '-1.50'],
    ['123456789012345', ';nv;|{"v":#}', '123456789012345'],
    ['-0.12345678901234', ';nv;|{"v":#}', '-0.12345678901234'],
    ['0.123456789012345', ';o;|{"v":#}', '0.123456789012345'],
    ['1234567890123456', ';o;|{"v":#}', '1234567890123456'],
    ['-0', ';o;|{"v":#}', '-0'],
    ['-0.00', ';o;|{"v":#}', '-0.00'],
    ['1e3', ';o;|{"v":#}', '1e3'],
    ['false', ';bv;|{"v":#}', 'false'],
    ['null', ';|{"v":null}', undefined],
    ['[]', ';o;|{"v":#}', '[]'],
  ])('value %s', (value, shape, slot) => {
    expect(rowOf(`{"v":${value}}`)).toMatchObject({ shape, ...(slot !== undefined && { s0: slot }) })
  })

  test('shows a member `msg` that is a text, unless it has a `message` of its own', () => {
    expect(rowOf('{"msg":"x"}')).toEqual({ shape: ';dmsg;|{"msg":"#"}', s0: 'x' })
    expect(rowOf('{"msg":"x","message":1}')).toEqual({
      shape: ';dmsg;n_message;|{"msg":"#","message":#}',
      ...{ s0: 'x', s1: '1' },
    })
    expect(rowOf('{"msg":"x","message":"y"}')).toMatchObject({
      shape: ';tmsg;tmessage;|{"msg":"#","message":"#"}',
    })
    expect(rowOf('{"msg":"x\\n"}')).toMatchObject({
      shape: ';o;|{"msg":#}',
      text_fields: [
        ['msg', 'x\n'],
        ['message', 'x\n'],
      ],
    })
    expect(rowOf('{"a":{"msg":"x"}}')).toMatchObject({ shape: ';ta.msg;|{"a":{"msg":"#"}}' })
  })

  test('has values that are not fields in opaque slots', () => {
    expect(rowOf('{"level":"Warn","_app":{"a":1},"_tag":"x","status":"y"}', OWN_MEMBERS._tag)).toEqual({
      ...{ level: 'WARN', shape: ';o;o;o;t_status;|{"level":#,"_app":#,"_tag":#,"status":"#"}' },
      ...{ s0: '"Warn"', s1: '{"a":1}', s2: '"x"', s3: 'y' },
    })
    expect(rowOf('{"level":" "}')).toMatchObject({ shape: ';t_level;|{"level":"#"}', s0: ' ' })
  })

  test('has the app of its row, and its level, in its shape', () => {
    expect(rowOf('{"app":"shop","level":"warn"}')).toEqual({
      ...{ level: 'WARN', shape: ';aapp;|{"app":"%3","level":"%4"}' },
    })
    expect(rowOf('{"app":"shop","level":"NOTICE"}')).toMatchObject({
      shape: ';aapp;|{"app":"%3","level":"%5"}',
    })
  })

  test.each([
    ['another app', '{"app":"shops"}', ';tapp;|{"app":"#"}'],
    ['an app in an object', '{"a":{"app":"shop"}}', ';ta.app;|{"a":{"app":"#"}}'],
    ['an app with an escape', '{"app":"\\u0073hop"}', ';o;|{"app":#}'],
    ['a level that is written in another way', '{"level":"Info"}', ';o;|{"level":#}'],
    ['a level with blanks', '{"level":" info"}', ';o;|{"level":#}'],
    ['a level that is a number', '{"level":30}', ';o;|{"level":#}'],
    ['a level in an object', '{"a":{"level":"info"}}', ';ta.level;|{"a":{"level":"#"}}'],
  ])('has %s in a slot', (_title, line, shape) => {
    expect(rowOf(line)).toMatchObject({ shape })
  })

  const valued = (count: number, end = '}') =>
    `{${Array.from({ length: count }, (_, key) => `"k${key}":${key}`).join()}${end}`

  test('has all values in slots if there are as many slots', () => {
    const row = rowOf(valued(16, ',"x":null} '))
    expect(row).toMatchObject({ s0: '0', s15: '15' })
    expect(row.shape).toMatch(/nk15;\|.*"k15":#,"x":null} $/)
    expect(row.number_fields).toBeUndefined()
  })

  test('has the values beyond in the last slot, up to the end of the text', () => {
    const row = rowOf(valued(17, ',"msg":"x"} '))
    expect(row).toMatchObject({ s14: '14', s15: '15,"k16":16,"msg":"x"} ' })
    expect(row.shape).toMatch(/nk14;o;\|.*"k14":#,"k15":#$/)
    expect(row.number_fields).toEqual([
      ['k15', 15],
      ['k16', 16],
    ])
    expect(row.text_fields).toEqual([
      ['msg', 'x'],
      ['message', 'x'],
    ])
  })

  test('has words of its row in its shape as long as there are slots', () => {
    const words = '"app":"shop","level":"info"'
    const all = rowOf(valued(16, `,${words}}`))
    expect(all).toMatchObject({ s15: '15' })
    expect(all.shape).toMatch(/nk15;aapp;\|.*"k15":#,"app":"%3","level":"%4"}$/)
    const more = rowOf(valued(16, `,${words},"n":1}`))
    expect(more).toMatchObject({ s15: `15,${words},"n":1}`, text_fields: [['app', 'shop']] })
    expect(more.shape).toMatch(/nk14;o;\|.*"k15":#$/)
  })

  test('has a text for display in the last slot if it is the last value', () => {
    expect(rowOf(valued(15, ',"msg":"x"}'))).toMatchObject({ s15: 'x' })
  })

  test('has values whose names are left out in opaque slots', () => {
    const many = Array.from({ length: 500 }, (_, name) => `{"n${name}":1}`)
    const [row] = rowsOf(runOf([...many, '{"n1":2,"more":"x","msg":"y"}'])).slice(-1) as [SlottedRow]
    expect(row).toMatchObject({ s0: '2', s1: '"x"', s2: '"y"', text_fields: [] })
  })

  test('may be as long in its literals as the limit', () => {
    const line = (bytes: number) => `{"${'k'.repeat(bytes - '{"":#}'.length)}":1}`
    expect(rowOf(line(1024)).whole_line).toBeUndefined()
    expect(rowOf(line(1025)).whole_line).toBe(line(1025))
    const keys = ['a', 'b', 'c'].map(key => `"${key}${'é'.repeat(200)}":1`)
    expect(rowOf(`{${keys.join()}}`).shape).toBeUndefined()
  })
})

describe('a line is stored whole', () => {
  test.each([
    ['a text', 'GET / 200'],
    ['a text before an object', 'took {"ms":3}'],
    ['a blank before an object', ' {"ms":3}'],
    ['another brace before an object', '{x{"a":1}'],
    ['nothing', ''],
    ['a key that repeats', '{"a":1,"a":2}'],
    ['a key that repeats with a text first', '{"a":"x","a":{"b":1}}'],
    ['a key that repeats with an object first', '{"a":{"b":1},"a":"x"}'],
    ['a key that repeats with other members', '{"a":{"b":1},"a":{"c":{"d":1}}}'],
    ['a key that repeats further down', '{"a":{"b":1,"b":2}}'],
    ['a key with an escape', '{"\\u0061":1}'],
    ['both spellings of a name', '{"status":1,"_status":2}'],
    ['a level that is none, and the name that it gets', '{"level":{},"_level":1}'],
    ['one name in two ways', '{"a.b":1,"a":{"b":2}}'],
    ['a character that is not UTF-8', Buffer.from('{"a":"\xff"}', 'latin1')],
  ])('%s', (_title, line) => {
    const row = rowOf(line)
    expect(row.shape).toBeUndefined()
    expect(row.s0).toBeUndefined()
  })
})

describe('no line loses anything', () => {
  test('drawn lines', () => {
    const dice = newDice(1)
    let slotted = 0
    for (let run = 0; run < 60; run++) {
      const lines = Array.from({ length: 50 }, () => drawnLine(dice))
      const own = dice.chance(0.3) ? OWN_MEMBERS._tag | OWN_MEMBERS._meta : 0
      for (const { shape } of rowsOf(runOf(lines, own))) if (shape !== '') slotted++
    }
    expect(slotted).toBeGreaterThan(500)
  })

  test('any JSON object', () => {
    const lines = fc.array(
      fc.oneof(
        fc
          .dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 5 }))
          .map(each => JSON.stringify(each)),
        fc.json({ maxDepth: 4 }),
        fc.string({ unit: 'binary' }).filter(each => each.isWellFormed()),
      ),
      { minLength: 1, maxLength: 20, size: 'max' },
    )
    fc.assert(
      fc.property(lines, each => void rowsOf(runOf(each))),
      { numRuns: 300 },
    )
  })
})
