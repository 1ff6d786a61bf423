import { expect, test } from 'vitest'
import { finish } from '../../engine/steps.ts'
import { namingSchemas, withMarkedNames } from './named-schemas.ts'

const ADDRESS = { $id: 'Address', type: 'object', properties: { city: { type: 'string' } } }

function documentOf(...bodies: readonly object[]) {
  const operations = bodies.map(
    schema => [`/v1/${bodies.indexOf(schema)}/{id}`, { get: { schema } }] as const,
  )
  const paths = withMarkedNames(Object.fromEntries(operations)) as Record<string, object>
  return finish(namingSchemas({ paths }))
}

test('a schema is present once, under its name, and other places refer to it', () => {
  const person = { $id: 'Person', properties: { home: ADDRESS, work: ADDRESS } }
  const { components, paths } = documentOf(person, ADDRESS)
  const address = { $ref: '#/components/schemas/Address' }
  expect(components?.schemas).toEqual({
    Address: { type: 'object', properties: { city: { type: 'string' } } },
    Person: { properties: { home: address, work: address } },
  })
  expect(paths).toMatchObject({ '/v1/1/{id}': { get: { schema: address, operationId: 'getV11ById' } } })
})

test('one name for two forms is refused', () => {
  expect(() => documentOf(ADDRESS, { ...ADDRESS, type: 'string' })).toThrow('two schemas are named Address')
})
