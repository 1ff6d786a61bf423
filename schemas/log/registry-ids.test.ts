import { describe, expect, test } from 'vitest'
import { type Control, controlType } from './control.ts'
import { isFreeFor, RegistryIds } from './registry-ids.ts'
import { BUNDLED_SCHEMAS, type SchemaName, schemaIdOf, schemaText, WireFormatError } from './wire-format.ts'

const control: Control = { behaviour: 1, body: { 'weir.Owner': { worker: 'w' } } }

/** A registry that begins at 100. */
const given = new Map<SchemaName, number>(BUNDLED_SCHEMAS.map(({ name, id }) => [name, 100 + id]))

function controlSchema(change: (schema: { name: string; fields: unknown[] }) => void): string {
  const schema = JSON.parse(schemaText('Control')) as { name: string; fields: unknown[] }
  change(schema)
  return JSON.stringify(schema)
}

describe('ids of a registry', () => {
  test('are written to the log and read back as the bundled ones, and the given value is not changed', () => {
    const ids = new RegistryIds(given)
    const value = controlType.encode(control)
    const before = Buffer.from(value)
    const outward = ids.outward(value)
    expect(schemaIdOf(outward)).toBe(102)
    expect(value).toEqual(before)
    expect(ids.inward(outward)).toEqual(before)
  })

  test('leave records with bundled ids readable', () => {
    const value = controlType.encode(control)
    expect(new RegistryIds(given).inward(value)).toEqual(value)
  })

  test('are refused if they would mean another bundled schema', () => {
    expect(isFreeFor('Control', 2)).toBe(true)
    expect(isFreeFor('Control', 4)).toBe(false)
    expect(isFreeFor('Control', 9)).toBe(true)
    expect(() => new RegistryIds(new Map([['Control', 4]]))).toThrow('bundled id of another')
  })

  test.each([Buffer.alloc(0), Buffer.from('text'), Buffer.from([1, 0, 0, 0, 2, 9])])(
    'do not change bytes that are not in the wire format: %o',
    bytes => {
      const ids = new RegistryIds(given)
      expect(ids.outward(bytes)).toEqual(bytes)
      expect(ids.unknownId(bytes)).toBeUndefined()
      expect(ids.inward(bytes)).toEqual(bytes)
    },
  )
})

describe('a record of another version', () => {
  /** A value from a version of the program whose Control has an additional first field. */
  function foreign(id: number): Buffer {
    const header = Buffer.from([0, 0, 0, 0, id])
    const note = Buffer.from([4, 104, 105]) // "hi"
    return Buffer.concat([header, note, controlType.encode(control).subarray(5)])
  }
  const withNote = controlSchema(schema => schema.fields.unshift({ name: 'note', type: 'string' }))

  test('can be read by the rules of Avro once its schema is known', () => {
    const ids = new RegistryIds(given)
    expect(ids.unknownId(foreign(77))).toBe(77)
    ids.learn(77, withNote)
    expect(ids.unknownId(foreign(77))).toBeUndefined()
    expect(controlType.decode(ids.inward(foreign(77)))).toEqual(control)
  })

  test('that ends too early is damaged', () => {
    const ids = new RegistryIds(given)
    ids.learn(77, withNote)
    expect(() => ids.inward(foreign(77).subarray(0, 7))).toThrow(WireFormatError)
  })

  test('is refused with a sentence when this version cannot read it, or does not know the record', () => {
    const ids = new RegistryIds(given)
    const other = controlSchema(schema => {
      schema.fields.shift()
    })
    expect(() => ids.learn(77, other)).toThrow(/cannot read a weir\.Control .*: start that version/)
    const unheardOf = controlSchema(schema => {
      schema.name = 'Unheard'
    })
    expect(() => ids.learn(78, unheardOf)).toThrow(/weir\.Unheard are unknown to this version/)
  })
})
