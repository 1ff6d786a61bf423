import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SchemaRegistry as RegistryClient } from '@kafkajs/confluent-schema-registry'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openSchemaRegistry } from '../../deploy/cluster/schema-registry.ts'
import { readSettings } from '../../deploy/settings/settings.ts'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { registryLog } from '../../engine/log/registry-log.ts'
import { type Control, controlType } from '../../schemas/log/control.ts'
import { BUNDLED_SCHEMAS, schemaIdOf, schemaText } from '../../schemas/log/wire-format.ts'
import { eventually } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { type RegistryAtHand, registryAtHand, type SchemaRegistry } from '../support/kafka/schema-registry.ts'
import { runWeir } from '../support/program.ts'
import { type RegistryProxy, startRegistryProxy } from '../support/registry-proxy.ts'
import { type RunningRole, startRole } from '../support/running-role.ts'

const START_TIMEOUT_MS = 120_000
const CERTIFICATE = join(import.meta.dirname, '../data/tls/cert.pem')
const LOGIN = { user: 'weir', password: 'a secret: of tests' }
const owner: Control = { behaviour: 1, body: { 'weir.Owner': { worker: 'w' } } }

const found = (await registryAtHand()) as RegistryAtHand
let registry: SchemaRegistry
let closing: (() => Promise<unknown>)[]

beforeAll(async () => {
  registry = await found?.start()
  if (registry === undefined) return
  // Afterwards it gives ids that no bundled schema has.
  for (const { name, id } of BUNDLED_SCHEMAS)
    await registerForeign(`foreign.${name}`, { type: 'fixed', name: 'Foreign', size: id })
}, START_TIMEOUT_MS)
afterAll(() => registry?.stop())
beforeEach(() => {
  closing = []
})
afterEach(async () => {
  for (const close of closing.reverse()) await close()
})

/** Subjects of a test of its own. */
const newPrefix = () => `test-${crypto.randomUUID().slice(0, 8)}.`

function settingsFor(url: string, more: Readonly<Record<string, string>> = {}) {
  return readSettings({
    KAFKA_BROKERS: 'nowhere:9092',
    KAFKA_TOPIC_PREFIX: newPrefix(),
    WEIR_SECRET_KEY: 'ab'.repeat(32),
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
    SCHEMA_REGISTRY_URL: url,
    ...more,
  })
}

async function opened(url: string, more: Readonly<Record<string, string>> = {}) {
  const schemas = await openSchemaRegistry(settingsFor(url, more), systemClock())
  if (schemas === undefined) throw new Error('the settings name a registry')
  return schemas
}

async function proxied(options: Parameters<typeof startRegistryProxy>[1]): Promise<RegistryProxy> {
  const proxy = await startRegistryProxy(registry.url, options)
  closing.push(() => proxy.close())
  return proxy
}

async function ask<Answer>(path: string, method = 'GET', body?: object): Promise<Answer> {
  const response = await fetch(`${registry.url}${path}`, {
    method,
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Answer
}

/** Registers a schema as another program does. */
async function registerForeign(subject: string, schema: object): Promise<number> {
  const body = { schema: JSON.stringify(schema) }
  return (await ask<{ id: number }>(`/subjects/${subject}/versions`, 'POST', body)).id
}

/** The schema of Control as another version of the program may have it. */
function controlWith(field: object): object {
  const schema = JSON.parse(schemaText('Control')) as { fields: object[] }
  return { ...schema, fields: [field, ...schema.fields] }
}

describe.skipIf(found === undefined)('a schema registry', () => {
  test('has every schema under the name of its record, checked against all earlier ones, and processes agree on the ids', async () => {
    const prefix = newPrefix()
    const all = await Promise.all([1, 2, 3].map(() => opened(registry.url, { KAFKA_TOPIC_PREFIX: prefix })))
    const value = controlType.encode(owner)
    const [first, ...others] = all.map(({ ids }) => schemaIdOf(ids.outward(value)))
    expect(first).toBeGreaterThan(BUNDLED_SCHEMAS.length)
    expect(others).toEqual([first, first])
    for (const { name } of BUNDLED_SCHEMAS) {
      const subject = `${prefix}weir.${name}`
      const { schema } = await ask<{ schema: string }>(`/subjects/${subject}/versions/latest`)
      expect(JSON.parse(schema)).toMatchObject({ namespace: 'weir', name })
      expect(await ask(`/config/${subject}`)).toEqual({ compatibilityLevel: 'BACKWARD_TRANSITIVE' })
    }
    expect(await new RegistryClient({ host: registry.url }).decode(all[0]!.ids.outward(value))).toEqual(owner)
  })

  test('is asked once for an id of another version', async () => {
    const proxy = await proxied({})
    const schemas = await opened(proxy.url)
    const inner = memoryLog({ clock: manualClock(), entropy: seededEntropy(1) })
    const log = registryLog(inner, schemas.ids, schemas.lookup)
    const [topic, raw] = [await log.topic('weir.test', 1), await inner.topic('weir.test', 1)]
    const id = await registerForeign(newPrefix(), controlWith({ name: 'note', type: 'string' }))
    const header = Buffer.alloc(5)
    header.writeUInt32BE(id, 1)
    const foreign = Buffer.concat([header, Buffer.from([2, 110]), controlType.encode(owner).subarray(5)])
    for (const value of [foreign, foreign])
      await raw.append(0, { value, producer: null, priority: 'control' })
    for (let round = 0; round < 2; round++)
      expect((await topic.read(0, 0n, 1000)).map(({ value }) => controlType.decode(value))).toEqual([
        owner,
        owner,
      ])
    expect(proxy.asked.filter(each => each === `GET /schemas/ids/${id}`)).toHaveLength(1)
  })

  test('that is unavailable for an unknown id is asked again, and one without that id is named', async () => {
    const proxy = await proxied({})
    const { lookup } = await opened(proxy.url)
    await expect(lookup.schemaOf(2_000_000_000)).rejects.toMatchObject({
      retriable: false,
      message: expect.stringContaining('(SCHEMA_REGISTRY_URL) has no schema 2000000000'),
    })
    await proxy.close()
    await expect(lookup.schemaOf(1_999_999_999)).rejects.toMatchObject({ retriable: true })
  })

  test('that refuses a schema ends the start with a sentence', async () => {
    const prefix = newPrefix()
    const subject = `${prefix}weir.Control`
    await registerForeign(subject, {
      type: 'record',
      namespace: 'weir',
      name: 'Control',
      fields: [{ name: 'behaviour', type: 'string' }],
    })
    await ask(`/config/${subject}`, 'PUT', { compatibility: 'BACKWARD_TRANSITIVE' })
    await expect(opened(registry.url, { KAFKA_TOPIC_PREFIX: prefix })).rejects.toThrow(
      new RegExp(
        `\\(SCHEMA_REGISTRY_URL\\) refuses ${subject}: it cannot read what an earlier version wrote`,
      ),
    )
  })

  test('with a weaker compatibility rule is refused, and the rule is named', async () => {
    const prefix = newPrefix()
    const subject = `${prefix}weir.LineBatch`
    await registerForeign(subject, JSON.parse(schemaText('LineBatch')) as object)
    await ask(`/config/${subject}`, 'PUT', { compatibility: 'NONE' })
    await expect(opened(registry.url, { KAFKA_TOPIC_PREFIX: prefix })).rejects.toThrow(
      'set the compatibility of that subject to BACKWARD_TRANSITIVE',
    )
  })

  test('with a password accepts the right one and ends a start with a sentence otherwise', async () => {
    const { url } = await proxied({ login: `${LOGIN.user}:${LOGIN.password}` })
    const login = { SCHEMA_REGISTRY_USER: LOGIN.user, SCHEMA_REGISTRY_PASSWORD: LOGIN.password }
    await opened(url, login)
    for (const wrong of [{}, { ...login, SCHEMA_REGISTRY_PASSWORD: 'another' }])
      await expect(opened(url, wrong)).rejects.toThrow(
        'check SCHEMA_REGISTRY_USER and SCHEMA_REGISTRY_PASSWORD',
      )
  })

  test('with HTTPS is trusted only with the authority of SCHEMA_REGISTRY_CA', async () => {
    const { url } = await proxied({ tls: true })
    await opened(url, { SCHEMA_REGISTRY_CA: CERTIFICATE })
    await expect(opened(url)).rejects.toThrow('not trusted: set SCHEMA_REGISTRY_CA')
    await expect(opened(url, { SCHEMA_REGISTRY_CA: import.meta.filename })).rejects.toThrow(
      'is not a PEM file',
    )
  })

  test('that is silent, or is another program, ends the start with a sentence', async () => {
    const silent = createServer()
    await new Promise<void>(listening => silent.listen(0, '127.0.0.1', listening))
    closing.push(async () => silent.close())
    const { port } = silent.address() as { port: number }
    const away = /\(SCHEMA_REGISTRY_URL\) does not answer: start it, or correct the setting\. It says/
    await expect(opened(`http://127.0.0.1:${await freePort()}`)).rejects.toThrow(away)
    await expect(opened(`http://127.0.0.1:${port}`)).rejects.toThrow(away)
    await expect(opened(`${registry.url}/elsewhere`)).rejects.toThrow('with its path')
  })
})

/** Needs a registry that has nothing else, whose numbers begin at 1. */
describe.skipIf(found === undefined || process.env.SCHEMA_REGISTRY_URL)('a new registry', () => {
  test(
    'with foreign schemas never gives ours the number of a bundled schema',
    async () => {
      const own = await found.start()
      closing.push(() => own.stop())
      for (const number of [1, 2, 3])
        await fetch(`${own.url}/subjects/foreign-${number}/versions`, {
          method: 'POST',
          headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
          body: JSON.stringify({
            schema: JSON.stringify({ type: 'fixed', name: `Foreign${number}`, size: number }),
          }),
        })
      const { ids } = await opened(own.url)
      const value = controlType.encode(owner)
      const outward = ids.outward(value)
      expect(BUNDLED_SCHEMAS.map(({ id }) => id as number)).not.toContain(schemaIdOf(outward))
      expect(ids.inward(outward)).toEqual(value)
      expect(schemaIdOf((await opened(own.url)).ids.outward(value))).toBe(schemaIdOf(outward))
    },
    START_TIMEOUT_MS,
  )
})

const ACCESS_TOKEN = `sts_${'a1'.repeat(20)}`
const INGESTION_KEY = 'b2'.repeat(16)

await describeKafka('weir on Kafka', {}, cluster => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-registry-'))
    closing.push(async () => rmSync(folder, { recursive: true, force: true }))
  })

  async function start(role: string, environment: Readonly<Record<string, string>>): Promise<RunningRole> {
    const running = await startRole(role, environment)
    closing.push(() => running.end('SIGKILL'))
    return running
  }

  async function send(url: string, lines: readonly string[]): Promise<number> {
    const response = await fetch(`${url}/logs/ingest?hostname=web-1`, {
      method: 'POST',
      headers: { apikey: INGESTION_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ lines: lines.map(line => ({ line })) }),
    })
    return response.status
  }

  async function foundLines(url: string): Promise<string[]> {
    const hourMs = 3_600_000
    const query = `from=${Date.now() - hourMs}&to=${Date.now() + hourMs}&size=1000`
    const headers = { authorization: `Token ${ACCESS_TOKEN}` }
    const response = await fetch(`${url}/v2/export?${query}`, { headers })
    if (!response.ok) return []
    const { lines } = (await response.json()) as { lines: { _line: string }[] }
    return lines.map(line => line._line).sort()
  }

  async function environmentFor(prefix: string): Promise<Record<string, string>> {
    const store = await start('store', {
      PATH: process.env.PATH ?? '',
      WEIR_DATA_DIR: join(folder, 'store'),
      WEIR_STORE_PORT: '0',
      LOG_LEVEL: 'error',
    })
    return {
      PATH: process.env.PATH ?? '',
      WEIR_PORT: '0',
      WEIR_PARTITIONS: '1',
      WEIR_SECRET_KEY: 'ab'.repeat(32),
      KAFKA_BROKERS: cluster.bootstrap.join(','),
      KAFKA_TOPIC_PREFIX: prefix,
      CLICKHOUSE_URL: store.url,
      WEIR_BOOTSTRAP_ACCESS_TOKEN: ACCESS_TOKEN,
      WEIR_BOOTSTRAP_INGESTION_KEY: INGESTION_KEY,
      LOG_LEVEL: 'error',
    }
  }

  const loginTo = ({ url }: RegistryProxy) => ({
    SCHEMA_REGISTRY_URL: url,
    SCHEMA_REGISTRY_USER: LOGIN.user,
    SCHEMA_REGISTRY_PASSWORD: LOGIN.password,
  })

  /** Schema ids of all records of a topic, in order. */
  async function idsOn(topic: string): Promise<number[]> {
    const ids: number[] = []
    const admin = cluster.client().admin()
    const consumer = cluster.client().consumer({ groupId: `ids-${crypto.randomUUID()}` })
    await Promise.all([admin.connect(), consumer.connect()])
    const offsets = await admin.fetchTopicOffsets(topic)
    const count = offsets.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0)
    await consumer.subscribe({ topic, fromBeginning: true })
    await new Promise<void>(all => {
      void consumer.run({
        eachMessage: async ({ message }) => {
          ids.push(schemaIdOf(message.value as Buffer))
          if (ids.length === count) all()
        },
      })
    })
    await Promise.all([admin.disconnect(), consumer.disconnect()])
    return ids
  }

  test('continues with a registry after a start without one, and finds every line; new records carry its ids', async () => {
    const proxy = await proxied({ login: `${LOGIN.user}:${LOGIN.password}` })
    const prefix = newPrefix()
    const environment = await environmentFor(prefix)
    const before = await start('all', environment)
    expect(await send(before.url, ['one', 'two'])).toBe(200)
    expect(await before.end('SIGTERM')).toBe(0)
    const earlier = await idsOn(`${prefix}weir.ingest`)
    expect(earlier.every(id => id <= BUNDLED_SCHEMAS.length)).toBe(true)

    const login = loginTo(proxy)
    const after = await start('all', { ...environment, ...login })
    expect(await send(after.url, ['three'])).toBe(200)
    const all = ['one', 'three', 'two']
    expect(
      await eventually(
        () => foundLines(after.url),
        lines => lines.length >= 3,
      ),
    ).toEqual(all)
    expect(await after.end('SIGTERM')).toBe(0)
    const last = await start('all', { ...environment, ...login })
    expect(
      await eventually(
        () => foundLines(last.url),
        lines => lines.length >= 3,
      ),
    ).toEqual(all)
    expect(await last.end('SIGTERM')).toBe(0)
    const later = (await idsOn(`${prefix}weir.ingest`)).slice(earlier.length)
    expect(later.length).toBeGreaterThan(0)
    expect(later.every(id => id > BUNDLED_SCHEMAS.length)).toBe(true)
  }, 120_000)

  test('ends with a sentence without the registry of its log, or with a wrong password', async () => {
    const proxy = await proxied({ login: `${LOGIN.user}:${LOGIN.password}` })
    const environment = await environmentFor(newPrefix())
    const founding = await start('api', { ...environment, ...loginTo(proxy) })
    expect(await founding.end('SIGTERM')).toBe(0)
    for (const [wrong, sentence] of [
      [{}, 'the configuration on Kafka cannot be read: expected a ConfigurationEvent'],
      [{ ...loginTo(proxy), SCHEMA_REGISTRY_PASSWORD: 'no' }, 'check SCHEMA_REGISTRY_USER'],
    ] as const) {
      const { code, err } = await runWeir(['ingest'], { ...environment, ...wrong })
      expect(code).toBe(2)
      expect(err).toContain(sentence)
      expect(err).toContain('SCHEMA_REGISTRY_URL')
    }
  }, 60_000)
})
