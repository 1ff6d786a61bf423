import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../../../schemas/json.ts'
import type { ProfiledField } from '../../contract/profile-view.ts'
import { FieldSummaries } from './field-summaries.ts'
import { leafFieldsOf } from './leaf-fields.ts'

function fieldOf(messages: readonly JsonValue[], field: string): ProfiledField | undefined {
  const summaries = new FieldSummaries({ maxFields: 1_000, maxValues: 50_000 })
  for (const message of messages) for (const leaf of leafFieldsOf(message)) summaries.add(leaf, 1)
  return summaries.fields().find(each => each.field === field)
}

/** Values with their events, as an object. */
function valuesOf(field: ProfiledField | undefined): Record<string, number> {
  return Object.fromEntries(
    field?.values.map(({ kind, value, events }) => [`${kind} ${value}`, events]) ?? [],
  )
}

describe('values of a field', () => {
  test('are counted by kind: texts cut, arrays by length, objects at a depth by their keys', () => {
    const deep = (value: JsonValue) => ({ a: { b: { c: { d: { e: { f: { g: { h: value } } } } } } } })
    expect(
      valuesOf(fieldOf([{ x: 'y'.repeat(60) }, { x: 'y'.repeat(51) }, { x: [1, 2] }, { x: [[], []] }], '.x')),
    ).toEqual({
      [`text ${'y'.repeat(50)}`]: 2,
      'array 2': 2,
    })
    expect(valuesOf(fieldOf([deep({ z: 1, y: {} }), deep({ y: 0, z: 0 })], '.a.b.c.d.e.f.g.h'))).toEqual({
      'object y,z': 2,
    })
    expect(valuesOf(fieldOf([{ x: {} }, { x: null }, { x: true }], '.x'))).toEqual({
      'object ': 1,
      'null ': 1,
      'boolean true': 1,
    })
  })

  test('integers are values up to 65 distinct ones, and beyond them only numbers', () => {
    const integers = (count: number) => Array.from({ length: count }, (_, n) => ({ n }))
    expect(fieldOf(integers(65), '.n')?.values).toHaveLength(65)
    expect(fieldOf([...integers(66), { n: 'x' }, { n: 3 }], '.n')).toMatchObject({
      events: 68,
      values: [{ kind: 'text', value: 'x', events: 1 }],
      otherValues: 0,
      numbers: { count: 67, min: 0, max: 65 },
    })
  })

  test('other numbers have a least, a greatest and a mean, also where their sum is too large', () => {
    expect(fieldOf([{ n: 0.5 }, { n: 2 }, { n: 1.5 }], '.n')?.numbers).toEqual({
      count: 3,
      min: 0.5,
      max: 2,
      mean: 4 / 3,
    })
    const huge = fieldOf([{ n: 1.7e308 }, { n: 1.7e308 }, { n: -0 }], '.n')?.numbers
    expect(huge).toMatchObject({ count: 3, min: 0, max: 1.7e308 })
    expect(huge?.mean).toBeLessThan(Number.POSITIVE_INFINITY)
    expect(fieldOf([{ n: 10n ** 400n }], '.n')?.numbers).toBeUndefined()
  })

  test('times have a first and a last, whatever their digits and zones', () => {
    const times = ['2031-03-09T08:15:30.250Z', '2031-03-09T09:15:30+01:00', '2031-03-09T08:15:30.100000001Z']
    expect(
      fieldOf(
        times.map(at => ({ at })),
        '.at',
      ),
    ).toMatchObject({
      values: [],
      times: { count: 3, min: '2031-03-09T08:15:30Z', max: '2031-03-09T08:15:30.250Z' },
    })
  })

  test('at most 500 are kept', () => {
    const texts = (count: number) => Array.from({ length: count }, (_, n) => ({ x: `t${n}` }))
    expect(fieldOf([...texts(500), ...texts(500)], '.x')).toMatchObject({ otherValues: 0 })
    const field = fieldOf([...texts(501), ...texts(501)], '.x')
    expect([field?.values.length, field?.otherValues]).toEqual([500, 2])
  })
})
