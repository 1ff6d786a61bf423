import { SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SchemaRegistry as RegistryForTests, registryAtHand } from './schema-registry.ts'

const first = {
  type: 'record',
  name: 'Line',
  namespace: 'weir.test',
  fields: [{ name: 'text', type: 'string' }],
}
const withoutDefault = { ...first, fields: [...first.fields, { name: 'size', type: 'int' }] }

const found = await registryAtHand()
describe.skipIf(found === undefined)('a schema registry', () => {
  let registry: RegistryForTests
  beforeAll(async () => {
    registry = await found!.start()
  }, 120_000)
  afterAll(() => registry.stop())

  test('gives a schema a number, by which its records can be read', async () => {
    const client = new SchemaRegistry({ host: registry.url })
    const schema = { type: SchemaType.AVRO as const, schema: JSON.stringify(first) }
    const { id } = await client.register(schema, { subject: `test-${crypto.randomUUID()}` })
    const bytes = await client.encode(id, { text: 'hello' })
    expect(await new SchemaRegistry({ host: registry.url }).decode(bytes)).toEqual({ text: 'hello' })
  })

  test('refuses a schema that cannot read the records of the previous one', async () => {
    const subject = `test-${crypto.randomUUID()}`
    const client = new SchemaRegistry({ host: registry.url })
    const register = (schema: object) =>
      client.register({ type: SchemaType.AVRO, schema: JSON.stringify(schema) }, { subject })
    await register(first)
    await fetch(`${registry.url}/config/${subject}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
      body: JSON.stringify({ compatibility: 'BACKWARD' }),
    })
    await expect(register(withoutDefault)).rejects.toMatchObject({ status: 409 })
  })
})
