import { expect, test } from 'vitest'
import { controlType } from './control.ts'
import { NewerSchemaError, WireFormatError, withSchemaId } from './wire-format.ts'

const value = controlType.encode({ behaviour: 1, body: { 'weir.Owner': { worker: 'w' } } })

test('a value with a missing end is damaged, not half a value', () => {
  for (let bytes = 0; bytes < value.length; bytes++)
    expect(() => controlType.decode(value.subarray(0, bytes))).toThrow(WireFormatError)
})

test('a value of another schema is refused, and for an unknown id the setting is named', () => {
  expect(() => controlType.decode(withSchemaId(value, 1))).toThrow(/found schema 1$/)
  expect(() => controlType.decode(withSchemaId(value, 57))).toThrow(
    /found schema 57: set SCHEMA_REGISTRY_URL/,
  )
})

test('an id that no registry gives, and that is unknown here, belongs to a newer program', () => {
  const reading = (id: number) => () => controlType.decode(withSchemaId(value, id))
  expect(reading(1_000_000_099)).toThrow('schema 1000000099 belongs to a newer program: start that one')
  expect(reading(1_000_000_099)).toThrow(NewerSchemaError)
  expect(reading(1_000_000_000)).toThrow(/set SCHEMA_REGISTRY_URL/)
  expect(reading(1_000_000_001)).toThrow(/found schema 1000000001$/)
})
