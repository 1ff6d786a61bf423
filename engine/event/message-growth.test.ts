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
  isCounted: fc.boolean(),
})

test('a changed event has the size of its message, however it was counted', () => {
  fc.assert(
    fc.property(value, fc.boolean(), fc.array(change, { maxLength: 6 }), (message, isPushed, changes) => {
      const first = isPushed
        ? pushedEvents([jsonText(message)])[0]
        : Event.of(message, {}, '2031-03-09T08:15:30Z')
      let event = first as Event
      for (const { path: text, value: written, counts, isCounted } of changes) {
        if (counts) void event.bytes
        const field = fieldAt(text)
        event = written === undefined ? field.remove(event) : field.write(event, written, isCounted)
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
  const large = { list: [1, 2] }
  expect(fieldAt('.c').write(event, large).countedBytes).toBe(undefined)
  expect(fieldAt('.c').write(event, large, true).countedBytes).toBe(
    '{"a":1,"b":"x","c":{"list":[1,2]}}'.length,
  )
})
