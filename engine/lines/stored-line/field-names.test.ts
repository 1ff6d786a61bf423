import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS } from '../../times/duration.ts'
import { FieldNames, MAX_FIELD_NAMES } from './field-names.ts'

const NOON = 20_000 * DAY_MS + DAY_MS / 2

function accepts(names: FieldNames, path: string): boolean {
  const [first, ...keys] = path.split('.') as [string, ...string[]]
  let node = names.root(first)
  for (const key of keys) node = node === undefined ? undefined : names.child(node, key)
  return node !== undefined && names.accept(node)
}

describe('names of fields', () => {
  test('the 500th name of a day is accepted, the 501st is not, and known ones stay accepted', () => {
    const names = new FieldNames()
    names.beginLine(NOON)
    for (let index = 0; index < MAX_FIELD_NAMES; index++) expect(accepts(names, `name.${index}`)).toBe(true)
    expect(accepts(names, 'one.more')).toBe(false)
    expect(accepts(names, 'name.0')).toBe(true)
    expect(accepts(names, `name.${MAX_FIELD_NAMES - 1}`)).toBe(true)
    expect(names.size).toBe(MAX_FIELD_NAMES)
  })

  test('the count starts anew with the first line of a new UTC day, not a millisecond before', () => {
    const names = new FieldNames()
    const midnight = NOON + DAY_MS / 2
    names.beginLine(NOON)
    for (let index = 0; index < MAX_FIELD_NAMES; index++) accepts(names, `name${index}`)
    names.beginLine(midnight - 1)
    expect(accepts(names, 'late')).toBe(false)
    names.beginLine(midnight)
    expect(names.size).toBe(0)
    expect(accepts(names, 'late')).toBe(true)
  })

  test('a step on the way to a name is not a name', () => {
    const names = new FieldNames()
    names.beginLine(NOON)
    accepts(names, 'a.b.c')
    expect(names.size).toBe(1)
  })

  test('a name of 512 characters is accepted, a longer one is not', () => {
    const names = new FieldNames()
    names.beginLine(NOON)
    expect(accepts(names, 'x'.repeat(512))).toBe(true)
    expect(accepts(names, 'x'.repeat(513))).toBe(false)
    expect(accepts(names, `a.${'x'.repeat(511)}`)).toBe(false)
  })

  test('more names than the cache holds do not change any answer', () => {
    const names = new FieldNames()
    names.beginLine(NOON)
    for (let index = 0; index < 20_000; index++) {
      expect(accepts(names, `n.${index}`)).toBe(index < MAX_FIELD_NAMES)
    }
    expect(accepts(names, 'n.499')).toBe(true)
    expect(accepts(names, 'n.500')).toBe(false)
  })

  test('a snapshot taken anywhere and restored gives the same answers', () => {
    const key = fc.constantFrom('a', 'b', 'c', '"', 'ü', '\ud800')
    const path = fc.array(key, { minLength: 1, maxLength: 8 }).map(keys => keys.join(''))
    const step = fc.record({
      dayOffset: fc.constantFrom(0, 0, 0, 1),
      paths: fc.array(path, { maxLength: 300, size: 'max' }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.nat({ max: 8 }), (steps, snapshotAt) => {
        const whole = new FieldNames()
        let resumed = new FieldNames()
        let timeMs = NOON
        for (const [index, { dayOffset, paths }] of steps.entries()) {
          if (index === snapshotAt) resumed = FieldNames.restore(resumed.snapshot())
          timeMs += dayOffset * DAY_MS
          whole.beginLine(timeMs)
          resumed.beginLine(timeMs)
          for (const name of paths) expect(accepts(resumed, name)).toBe(accepts(whole, name))
        }
        expect(Buffer.from(resumed.snapshot())).toEqual(Buffer.from(whole.snapshot()))
      }),
      { numRuns: 50 },
    )
  })
})
