import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonValue } from '../../schemas/json.ts'
import { pushedEvents } from '../../test/support/pushed-events.ts'
import { textFormBytes } from '../json/json-size.ts'
import { jsonText } from '../json/json-text.ts'
import { Event } from './event.ts'
import { fieldAt } from './field-path.ts'

const key = fc.constantFrom('a', 'b', 'é"', '7', '__proto__')
const { value } = fc.letrec<{ value: JsonValue }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<JsonValue[]>('', 'é€\n', 0, -0, 1.5, 2n ** 70n, true, null),
    fc.array(tie('value'), { maxLength: 2 }),
    fc
      .array(fc.tuple(key, tie('value')), { maxLength: 3 })
      .map(entries => Object.fromEntries(entries) as JsonValue),
  ),
}))
const path = fc.constantFrom(
  '.',
  '.a',
  '.b',
  '.a.b',
  '.a.b.a',
  '."é\\""',
  '."7"',
  '.a[1]',
  '.a[0].b',
  '.__proto__',
)
const change = fc.record({
  path,
  value: fc.option(value, { nil: undefined }),
  counts: fc.boolean(),
  size: fc.constantFrom('any' as const, undefined),
})

test('a changed event has the size of its message, however it was counted', () => {
  fc.assert(
    fc.property(value, fc.boolean(), fc.array(change, { maxLength: 6 }), (message, isPushed, changes) => {
      const first = isPushed
        ? pushedEvents([jsonText(message)])[0]
        : Event.of(message, {}, '2031-03-09T08:15:30Z')
      let event = first as Event
      for (const { path: text, value: written, counts, size } of changes) {
        if (counts) void event.bytes
        const field = fieldAt(text)
        event = written === undefined ? field.remove(event) : field.write(event, written, size)
        event = event.withMetadata({ n: 1 }).withTimestamp('2031-03-09T08:15:31Z')
      }
      expect(event.bytes).toBe(textFormBytes(event.message))
    }),
    { numRuns: 3_000 },
  )
})

test('the size of a changed member is counted by the member alone', () => {
  const event = Event.of({ a: 1, b: 'x' }, {}, '2031-03-09T08:15:30Z')
  void event.bytes
  expect(fieldAt('.a').write(event, 'yes').countedBytes).toBe('{"a":"yes","b":"x"}'.length)
  expect(fieldAt('.c').write(event, null).countedBytes).toBe('{"a":1,"b":"x","c":null}'.length)
  expect(fieldAt('.a').remove(event).countedBytes).toBe('{"b":"x"}'.length)
  expect(fieldAt('.c').write(event, { list: [1, 2] }).countedBytes).toBe(
    '{"a":1,"b":"x","c":{"list":[1,2]}}'.length,
  )
  expect(fieldAt('.d.e."f g"').write(event, 7).countedBytes).toBe(
    '{"a":1,"b":"x","d":{"e":{"f g":7}}}'.length,
  )
  expect(fieldAt('.b.e').write(event, 7).countedBytes).toBe('{"a":1,"b":{"e":7}}'.length)
  expect(fieldAt('.d[0]').write(event, 7).countedBytes).toBe(undefined)
})

test('a large value is left to the count of the whole message, unless its writer counts it', () => {
  const event = Event.of({ a: 1 }, {}, '2031-03-09T08:15:30Z')
  void event.bytes
  for (const [value, isLarge] of [
    ['x'.repeat(4_094), false],
    ['x'.repeat(4_095), true],
    [Array(2_047).fill(1), false],
    [Array(2_048).fill(1), true],
    [{ a: ['x'.repeat(4_086)] }, false],
    [{ a: ['x'.repeat(4_087)] }, true],
  ] as const) {
    const size = jsonText({ a: 1, b: value as JsonValue }).length
    expect(fieldAt('.b').write(event, value as JsonValue).countedBytes).toBe(isLarge ? undefined : size)
    const written = fieldAt('.b').write(event, value as JsonValue, 'any')
    expect(written.countedBytes).toBe(size)
    expect(fieldAt('.b').remove(written).countedBytes).toBe(isLarge ? undefined : event.bytes)
  }
})
