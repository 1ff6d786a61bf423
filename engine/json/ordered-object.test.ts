import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonValue } from '../../schemas/json.ts'
import { entriesOf, ObjectBuilder, orderedObject, withMember } from './ordered-object.ts'

const KEY = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    '',
    '0',
    '7',
    '10',
    '01',
    '4294967294',
    '4294967295',
    'a',
    'b',
  ),
  fc.string({ maxLength: 3 }),
)
const ENTRIES = fc.array(fc.tuple(KEY, fc.integer()), { maxLength: 20, size: 'max' })

/** A repeated key has its first place and its last value, as in a `Map`. */
test('members keep their order, whatever their names', () => {
  fc.assert(
    fc.property(ENTRIES, entries => {
      const object = orderedObject(entries)
      const expected = [...new Map(entries)]
      expect(entriesOf(object)).toEqual(expected)
      expect(Object.keys(object)).toEqual(expected.map(([key]) => key))
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
    }),
  )
})

test('an object that is built can be read while it is built', () => {
  fc.assert(
    fc.property(ENTRIES, entries => {
      const builder = new ObjectBuilder()
      const known = new Map<string, JsonValue>()
      for (const [key, value] of entries) {
        expect(builder.get(key)).toBe(known.get(key))
        builder.set(key, value)
        known.set(key, value)
      }
      expect(entriesOf(builder.built())).toEqual([...known])
    }),
  )
})

test('a copy with a changed member keeps the order, and the object stays as it is', () => {
  fc.assert(
    fc.property(ENTRIES, KEY, (entries, key) => {
      const object = orderedObject(entries)
      const before = entriesOf(object)
      expect(entriesOf(withMember(object, key, null))).toEqual([
        ...new Map<string, JsonValue>(before).set(key, null),
      ])
      expect(entriesOf(object)).toEqual(before)
    }),
  )
})
