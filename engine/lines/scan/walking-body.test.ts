import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseExactJson } from '../../json/exact-json.ts'
import { finish } from '../../steps.ts'
import { walkingBody } from './walking-body.ts'

const LEVELS = 5

type Member = readonly [key: unknown, value: unknown]

/** The members as sent; undefined: not JSON, or followed by anything but blanks. */
function walked(text: string, before = ''): readonly Member[] | undefined {
  const body = Buffer.from(before + text)
  const members: Member[] = []
  const read = (start: number, end: number) => parseExactJson(body.toString('utf8', start, end))
  const note = (keyStart: number, keyEnd: number, valueStart: number, valueEnd: number) =>
    members.push([read(keyStart, keyEnd), read(valueStart, valueEnd)])
  const end = finish(walkingBody(body, Buffer.byteLength(before), LEVELS, note))
  return end === body.length ? members : undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const json = fc.json({ maxDepth: LEVELS - 1, stringUnit: 'binary' })

test('a text is accepted if and only if it is JSON', () => {
  const damage = fc.record({
    at: fc.nat(),
    removed: fc.integer({ min: 0, max: 2 }),
    added: fc.constantFrom(
      ...['', ',', ':', '"', '\\', '[', ']', '{', '}', '-', '0', '.', 'e', 'nul', '\t', '\u0001'],
    ),
  })
  fc.assert(
    fc.property(json, damage, (text, { at, removed, added }) => {
      const damaged = [...text]
      damaged.splice(at % (damaged.length + 1), removed, added)
      for (const sent of [text, damaged.join('')]) expect(walked(sent) !== undefined, sent).toBe(isJson(sent))
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  '',
  ' ',
  '[',
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":1,}',
  '[1,]',
  '[,1]',
  '[1 2]',
  '{"a" 1}',
  '{1:2}',
  '[}',
  '{]',
  '[1}',
  '01',
  '1.',
  '1e',
  '-',
  '"\\x"',
  '"\\u12"',
  '"\\u12',
  '"\\',
  '"a\u0001"',
  'tru',
  'nulll',
  '1,2',
])('%j is not JSON', text => {
  expect(walked(text)).toBeUndefined()
})

test('members are those of the outermost object, in order, repeated ones too', () => {
  expect(walked(' {"a" : 1 , "\\u0061":[{"b":[2]}, {}] ,"c":{"d":{}},"e":"x\\"}","f":[] } ')).toEqual([
    ['a', 1],
    ['a', [{ b: [2] }, {}]],
    ['c', { d: {} }],
    ['e', 'x"}'],
    ['f', []],
  ])
  for (const text of ['[{"a":1},[{"b":2}]]', '{}', '1', '"{"', '[]']) expect(walked(text), text).toEqual([])
  expect(walked('{"a":1}', '{"b":')).toEqual([['a', 1]])
})

test('a text may be as deep as the limit', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  expect(walked(nested(LEVELS))).toEqual([])
  expect(walked(`[1,${nested(LEVELS - 1)},${nested(LEVELS - 1)}]`)).toEqual([])
  expect(walked(nested(LEVELS + 1))).toBeUndefined()
})
