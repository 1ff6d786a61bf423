import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { parseExactJson } from '../json/exact-json.ts'
import { exactJsonText, parseJson } from '../json/json-text.ts'
import { canonicalTime } from '../times/canonical-time.ts'
import { Event } from './event.ts'
import { fieldAt, parseFieldPath, removalsOf } from './field-path.ts'

const at = '2031-03-09T08:15:30.250Z'

function eventOf(message: JsonValue, metadata: JsonObject = {}): Event {
  return Event.of(message, metadata, at)
}

describe('parsing a field path', () => {
  test.each([
    ['.', 'message', []],
    ['message', 'message', []],
    ['.a.b', 'message', ['a', 'b']],
    ['message.a.b', 'message', ['a', 'b']],
    ['metadata', 'metadata', []],
    ['metadata.query.tags', 'metadata', ['query', 'tags']],
    ['timestamp', 'timestamp', []],
    ['.list[2].id', 'message', ['list', 2, 'id']],
    ['.list.[2].id', 'message', ['list', 2, 'id']],
    ['message[0]', 'message', [0]],
    ['."user-agent"."x.y"', 'message', ['user-agent', 'x.y']],
    ['."a\\"b\\\\c"', 'message', ['a"b\\c']],
    ['.metadata.x', 'message', ['metadata', 'x']],
    ['.message', 'message', ['message']],
    ['message.message', 'message', ['message']],
    ['.t.$date', 'message', ['t', '$date']],
    ['.@timestamp', 'message', ['@timestamp']],
    ['.""', 'message', ['']],
    ['.a[1][2]', 'message', ['a', 1, 2]],
  ])('%s names its place', (text, root, segments) => {
    expect(parseFieldPath(text)).toEqual({ root, segments })
  })

  test.each([
    '',
    'not-a-path',
    'not-a-valid-field',
    'invalid',
    '10',
    '.a b',
    '..a',
    '.a.',
    'message.',
    'messagex',
    '.a[-1]',
    '.a[*]',
    '.a[1:2]',
    '.a[]',
    '.a[1',
    '."a',
    '.a"b"',
    ' .a',
    '.a ',
    '.é',
    'a.b',
    '."a"b',
    'timestamp"x"',
  ])('%j is refused', text => {
    expect(parseFieldPath(text)).toBeUndefined()
    expect(() => fieldAt(text)).toThrow(RangeError)
  })
})

describe('reading', () => {
  const event = eventOf(
    { a: { b: null, c: [10, { d: 'x' }] }, message: 'inner', 'x.y': 1, metadata: { x: 'of the message' } },
    { query: { site: 'oslo' } },
  )

  test.each<[string, JsonValue | undefined]>([
    ['.a.b', null],
    ['.a.missing', undefined],
    ['.a.b.c', undefined],
    ['.a.c[0]', 10],
    ['.a.c[1].d', 'x'],
    ['.a.c[2]', undefined],
    ['.a.c.length', undefined],
    ['.a[0]', undefined],
    ['.message', 'inner'],
    ['."x.y"', 1],
    ['.metadata.x', 'of the message'],
    ['metadata.query.site', 'oslo'],
    ['timestamp', at],
    ['timestamp.x', undefined],
    ['.toString', undefined],
    ['.a.__proto__', undefined],
    ['[0]', undefined],
  ])('%s', (text, value) => {
    expect(fieldAt(text).read(event)).toEqual(value)
  })

  test('every path below the message is missing if the message is a string', () => {
    expect(fieldAt('.length').read(eventOf('text'))).toBeUndefined()
    expect(fieldAt('[0]').read(eventOf('text'))).toBeUndefined()
    expect(fieldAt('.').read(eventOf('text'))).toBe('text')
  })
})

describe('writing', () => {
  test.each<[string, JsonValue, JsonValue]>([
    ['.a.b', {}, { a: { b: 1 } }],
    ['.a.b', { a: 'text', z: 0 }, { a: { b: 1 }, z: 0 }],
    ['.a.b', { a: null }, { a: { b: 1 } }],
    ['.a[2]', {}, { a: [null, null, 1] }],
    ['.a[0]', { a: [5, 6] }, { a: [1, 6] }],
    ['.a[1].b', { a: [5, { c: 2 }] }, { a: [5, { c: 2, b: 1 }] }],
    ['.', { a: 1 }, 1],
    ['.a', 'a string message', { a: 1 }],
    ['[1]', {}, [null, 1]],
  ])('%s into %j', (text, before, after) => {
    expect(fieldAt(text).write(eventOf(before), 1).message).toEqual(after)
  })

  test('the previous event is not changed, nor the parts that it shares with the new one', () => {
    const message = { a: { b: [1, 2] }, other: { deep: true } }
    const before = eventOf(message)
    const after = fieldAt('.a.b[1]').write(before, 9)
    expect(before.message).toEqual({ a: { b: [1, 2] }, other: { deep: true } })
    expect(after.message).toEqual({ a: { b: [1, 9] }, other: { deep: true } })
    expect((after.message as typeof message).other).toBe(message.other)
  })

  test('index 1000 is written, index 1001 is refused', () => {
    const event = eventOf({})
    expect(fieldAt('.a[1000]').write(event, 1).message).toHaveProperty('a.length', 1001)
    expect(fieldAt('.a[1001]').write(event, 1)).toBe(event)
  })

  test('the timestamp accepts a time and nothing else', () => {
    const event = eventOf({})
    expect(fieldAt('timestamp').write(event, '2031-03-09T09:15:30.250+01:00').timestamp).toBe(at)
    expect(fieldAt('timestamp').write(event, 'soon')).toBe(event)
    expect(fieldAt('timestamp').write(event, 7)).toBe(event)
  })

  test('metadata remains an object', () => {
    const event = eventOf({}, { a: 1 })
    expect(fieldAt('metadata').write(event, 'text')).toBe(event)
    expect(fieldAt('metadata').write(event, { b: 2 }).metadata).toEqual({ b: 2 })
    expect(fieldAt('metadata.c').write(event, 3).metadata).toEqual({ a: 1, c: 3 })
  })
})

describe('removing', () => {
  test.each<[string, JsonValue, JsonValue]>([
    ['.a.b', { a: { b: 1 } }, { a: {} }],
    ['.a[0]', { a: [1, 2, 3] }, { a: [2, 3] }],
    ['.a[1].b', { a: [1, { b: 2, c: 3 }] }, { a: [1, { c: 3 }] }],
    ['.', { a: 1 }, {}],
    ['.', 'text', {}],
    ['.a', { a: null, b: 1 }, { b: 1 }],
  ])('%s from %j', (text, before, after) => {
    expect(fieldAt(text).remove(eventOf(before)).message).toEqual(after)
  })

  test.each(['.missing', '.a.missing', '.a[5]', '.a.b.c', 'timestamp', 'metadata.x'])(
    '%s, which does not exist, changes nothing',
    text => {
      const event = eventOf({ a: { b: 1 } })
      expect(fieldAt(text).remove(event)).toBe(event)
    },
  )
})

test('removals that are made together give the same as one after the other', () => {
  const path = fc.constantFrom(
    '.a',
    '.b',
    '."7"',
    '."__proto__"',
    '.c',
    '.d.a',
    '.d',
    '.list[0]',
    '.',
    'metadata.a',
    'timestamp',
  )
  const sent = fc.constantFrom(
    '{"b":1,"a":2,"7":3,"c":4,"d":{"a":1,"z":{}},"list":[1,2,3]}',
    '{"7":3,"a":2,"__proto__":{"a":1}}',
    '{"list":[],"z":null}',
    '[1]',
    '"text"',
  )
  fc.assert(
    fc.property(fc.array(path, { maxLength: 8 }), sent, (paths, text) => {
      const event = eventOf(parseExactJson(text), { a: 1 })
      const removals = removalsOf(paths)
      let [together, single] = [event, event]
      for (const removal of removals) together = removal.remove(together)
      for (const each of paths) single = fieldAt(each).remove(single)
      expect(exactJsonText(together.message)).toBe(exactJsonText(single.message))
      expect([together.metadata, together === event]).toEqual([single.metadata, single === event])
    }),
  )
})

test('a change costs as much as the objects and arrays on its way have members, and nothing when it is missing', () => {
  const units = (path: string, message: JsonValue) => fieldAt(path).copyUnits(eventOf(message))
  const object = (members: number) =>
    Object.fromEntries(Array.from({ length: members }, (_, n) => [`m${n}`, n]))
  expect(units('.m0', object(64))).toBe(1 + 64 * 4)
  expect(units('.m0', object(65))).toBe(1 + 65 * 64)
  expect(units('.a.m1', { a: object(3), b: 1 })).toBe(1 + 5 * 4)
  expect(units('.list[3]', { list: Array(4_000).fill(1) })).toBe(1 + 4 + 1_000)
  expect(units('."7"', parseExactJson('{"a":1,"7":2}'))).toBe(1 + 2 * 64)
  expect([units('.none', object(3)), units('.m0.deep', object(3)), units('timestamp', {})]).toEqual([0, 0, 0])
})

describe('keys with a meaning in JavaScript', () => {
  const event = eventOf(parseJson('{"__proto__":{"admin":true},"constructor":"c"}'))

  test('are read as members', () => {
    expect(fieldAt('.__proto__.admin').read(event)).toBe(true)
    expect(fieldAt('.constructor').read(event)).toBe('c')
    expect(fieldAt('.__proto__').read(eventOf({}))).toBeUndefined()
  })

  test('are written and removed as members, and no prototype changes', () => {
    const written = fieldAt('.__proto__.x').write(eventOf({ k: 1 }), 5)
    expect(JSON.stringify(written.message)).toBe('{"k":1,"__proto__":{"x":5}}')
    expect(Object.getPrototypeOf(written.message)).toBe(Object.prototype)
    const other = fieldAt('.z').write(event, 1)
    expect(JSON.stringify(other.message)).toBe('{"__proto__":{"admin":true},"constructor":"c","z":1}')
    expect(JSON.stringify(fieldAt('.__proto__').remove(event).message)).toBe('{"constructor":"c"}')
    expect(JSON.stringify(fieldAt('.constructor').remove(event).message)).toBe('{"__proto__":{"admin":true}}')
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })
})

test('a value that is written at a path is read there, and removing it makes it missing', () => {
  const segment = fc.oneof(fc.constantFrom('a', 'b', '__proto__', 'x y'), fc.nat({ max: 4 }))
  const path = fc
    .array(segment, { minLength: 1, maxLength: 4 })
    .map(parts => parts.map(part => (typeof part === 'number' ? `[${part}]` : `."${part}"`)).join(''))
  const keys = fc.constantFrom('a', 'b', '__proto__')
  const message = fc.letrec(tie => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(keys, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).value as fc.Arbitrary<JsonValue>
  fc.assert(
    fc.property(path, message, (text, start) => {
      const field = fieldAt(text)
      const before = JSON.stringify(start)
      const written = field.write(eventOf(start), 'written')
      expect(field.read(written)).toBe('written')
      const arrayAtEnd = text.endsWith(']') // Removing an element closes the gap, so the next element takes its index.
      if (!arrayAtEnd) expect(field.read(field.remove(written))).toBeUndefined()
      expect(JSON.stringify(start)).toBe(before)
    }),
  )
})

describe('the canonical time form', () => {
  test.each([
    ['2031-03-09T08:15:30Z', '2031-03-09T08:15:30Z'],
    ['2031-03-09t08:15:30.000z', '2031-03-09T08:15:30Z'],
    ['2031-03-09T08:15:30.5Z', '2031-03-09T08:15:30.500Z'],
    ['2031-03-09T08:15:30.1234Z', '2031-03-09T08:15:30.123400Z'],
    ['2031-03-09T08:15:30.123456789Z', '2031-03-09T08:15:30.123456789Z'],
    ['2031-01-01T00:30:00+01:00', '2030-12-31T23:30:00Z'],
    ['2031-12-31T23:30:00-01:00', '2032-01-01T00:30:00Z'],
  ])('%s is %s', (text, canonical) => {
    expect(canonicalTime(text)).toBe(canonical)
  })

  test.each([
    '2031-02-30T00:00:00Z',
    '2031-13-01T00:00:00Z',
    '2031-03-09T24:00:00Z',
    '2031-03-09',
    '2031-03-09T08:15:30',
    '9999-12-31T23:59:59-01:00',
  ])('%s is not a time', text => {
    expect(canonicalTime(text)).toBeUndefined()
  })
})
