import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { eventually } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import type { KafkaCluster } from '../support/kafka/kafka-cluster.ts'
import { KAFKA_USER } from '../support/kafka/kafka-security.ts'
import { runWeir } from '../support/program.ts'
import { startRole } from '../support/running-role.ts'

type Environment = Readonly<Record<string, string>>

const TLS = join(import.meta.dirname, '../data/tls')
const CERTIFICATE = join(TLS, 'cert.pem')
const ON_TLS = { KAFKA_TLS: 'on', KAFKA_TLS_CA: CERTIFICATE }
const SECRET_KEY = 'ab'.repeat(32)

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let closing: (() => Promise<unknown>)[]
beforeEach(() => {
  closing = []
})
afterEach(async () => {
  for (const close of closing.reverse()) await close()
})

const login = (mechanism: string, password: string = KAFKA_USER.password) => ({
  KAFKA_SASL_MECHANISM: mechanism,
  KAFKA_SASL_USERNAME: KAFKA_USER.username,
  KAFKA_SASL_PASSWORD: password,
})

function environmentFor(brokers: readonly string[], more: Environment): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    KAFKA_BROKERS: brokers.join(','),
    WEIR_SECRET_KEY: SECRET_KEY,
    WEIR_PORT: '0',
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
    LOG_LEVEL: 'error',
    ...more,
  }
}

/** Returns the same broker under an address that its certificate does not have. */
async function otherAddressOf(address: string): Promise<string> {
  const [host, port] = address.split(':') as [string, string]
  const tunnel = createServer(client => {
    const broker = connect(Number(port), host)
    client.on('error', () => broker.destroy()).pipe(broker)
    broker.on('error', () => client.destroy()).pipe(client)
  })
  await new Promise<void>(listening => tunnel.listen(0, '127.0.0.2', listening))
  closing.push(async () => tunnel.close())
  return `127.0.0.2:${(tunnel.address() as AddressInfo).port}`
}

/** A start that reaches its log, and stops on request. */
async function letIn(cluster: KafkaCluster, more: Environment, role = 'ingest'): Promise<void> {
  const running = await startRole(role, environmentFor(cluster.bootstrap, more))
  expect(await running.end('SIGTERM')).toBe(0)
}

/** A start that ends by itself. @returns its message */
async function refusal(brokers: readonly string[], more: Environment, role = 'ingest'): Promise<string> {
  const { code, err } = await runWeir([role], environmentFor(brokers, more))
  expect(err).toMatch(/^weir: .*\n$/) // One sentence, no stack.
  expect(code).toBe(2)
  return err
}

function refusals(starts: readonly [readonly string[], Environment][]): Promise<string[]> {
  return Promise.all(starts.map(([brokers, more]) => refusal(brokers, more)))
}

await describeKafka('Kafka with SASL PLAIN', { security: 'sasl-plain' }, cluster => {
  test('accepts the right password and refuses all others', async () => {
    await letIn(cluster, login('plain'))
    const [wrong, none, unknown] = await refusals([
      [cluster.bootstrap, login('plain', 'another')],
      [cluster.bootstrap, {}],
      [cluster.bootstrap, login('scram-sha-512')],
    ])
    expect(wrong).toContain('check KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD')
    expect(wrong).not.toContain('another')
    expect(none).toContain('requires TLS (KAFKA_TLS) or a login (KAFKA_SASL_MECHANISM)')
    expect(unknown).toContain('check KAFKA_SASL_MECHANISM')
  })
})

await describeKafka('Kafka with SASL SCRAM', { security: 'sasl-scram' }, cluster => {
  test.each(['scram-sha-256', 'scram-sha-512'])(
    'accepts the right password by %s and refuses all others',
    async mechanism => {
      await letIn(cluster, login(mechanism))
      expect(await refusal(cluster.bootstrap, login(mechanism, 'another'))).toContain(
        'check KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD',
      )
    },
  )
})

await describeKafka('Kafka with TLS', { security: 'tls' }, cluster => {
  test('is trusted only with the authority of KAFKA_TLS_CA, under the name in its certificate', async () => {
    await letIn(cluster, ON_TLS)
    const [untrusted, noPem, renamed, plain] = await refusals([
      [cluster.bootstrap, { KAFKA_TLS: 'on' }],
      [cluster.bootstrap, { ...ON_TLS, KAFKA_TLS_CA: import.meta.filename }],
      [[await otherAddressOf(cluster.bootstrap[0] as string)], ON_TLS],
      [cluster.bootstrap, {}],
    ])
    expect(untrusted).toContain('not trusted: set KAFKA_TLS_CA')
    expect(noPem).toMatch(/KAFKA_TLS_CA: .* is not a PEM file/)
    expect(renamed).toContain('use the names in their certificates there')
    expect(plain).toContain('requires TLS (KAFKA_TLS)')
  })
})

await describeKafka('Kafka without security', {}, cluster => {
  test('ends a start with a login, or with TLS, with a sentence', async () => {
    const [loggedIn, encrypted] = await refusals([
      [cluster.bootstrap, login('plain')],
      [cluster.bootstrap, ON_TLS],
    ])
    expect(loggedIn).toContain('does not require a login: unset KAFKA_SASL_MECHANISM')
    expect(encrypted).toContain('KAFKA_TLS is on, but that port does not use TLS')
  })
})

describe('silent brokers', () => {
  let silent: Server
  beforeAll(async () => {
    silent = createServer()
    await new Promise<void>(listening => silent.listen(0, '127.0.0.1', listening))
  })
  afterAll(() => silent.close())

  test('end a start with a sentence that names them', async () => {
    const { port } = silent.address() as AddressInfo
    const addresses = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${port}`, 'no.such.host.invalid:9092']
    const said = await refusals(addresses.map(address => [[address], {}]))
    for (const [place, address] of addresses.entries())
      expect(said[place]).toContain(
        `no broker of KAFKA_BROKERS (${address}) can be used: start Kafka, or correct the setting`,
      )
  })
})

await describeKafka('Kafka that requires a certificate', { security: 'tls-mutual' }, cluster => {
  const own = { KAFKA_TLS_CERT: CERTIFICATE, KAFKA_TLS_KEY: join(TLS, 'key.pem') }

  test('accepts a process with a certificate', async () => {
    await letIn(cluster, { ...ON_TLS, ...own })
  })

  test('ends a start without a certificate, or with half of one', async () => {
    expect(await refusal(cluster.bootstrap, ON_TLS)).toContain('KAFKA_TLS_CERT')
    const { KAFKA_TLS_CERT } = own
    expect(await refusal(cluster.bootstrap, { ...ON_TLS, KAFKA_TLS_CERT })).toContain(
      'KAFKA_TLS_CERT and KAFKA_TLS_KEY must be set together',
    )
  })
})

const ACCESS_TOKEN = `sts_${'a1'.repeat(20)}`
const INGESTION_KEY = 'b2'.repeat(16)

await describeKafka(
  'Kafka with TLS and SCRAM, and a store with TLS',
  { security: 'tls-sasl-scram' },
  cluster => {
    const password = 'only for tests'
    let folder: string
    let storeUrl: string
    const links = () => ({
      ...ON_TLS,
      ...login('scram-sha-512'),
      CLICKHOUSE_URL: storeUrl,
      CLICKHOUSE_PASSWORD: password,
      NODE_EXTRA_CA_CERTS: CERTIFICATE,
    })

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'weir-security-'))
      const store = await startRole('store', {
        PATH: process.env.PATH ?? '',
        WEIR_DATA_DIR: folder,
        WEIR_STORE_PORT: '0',
        WEIR_TLS_CERT: CERTIFICATE,
        WEIR_TLS_KEY: join(TLS, 'key.pem'),
        CLICKHOUSE_PASSWORD: password,
        LOG_LEVEL: 'error',
      })
      storeUrl = store.url
      return async () => {
        await store.end('SIGKILL')
        rmSync(folder, { recursive: true, force: true })
      }
    })

    test('carry lines from a sender to a search, and their log has a single secret key', async () => {
      expect(storeUrl).toMatch(/^https:/)
      const founding = {
        WEIR_BOOTSTRAP_ACCESS_TOKEN: ACCESS_TOKEN,
        WEIR_BOOTSTRAP_INGESTION_KEY: INGESTION_KEY,
      }
      const weir = await startRole('all', environmentFor(cluster.bootstrap, { ...links(), ...founding }))
      closing.push(() => weir.end('SIGKILL'))
      const sent = await fetch(`${weir.url}/logs/ingest?hostname=web-1`, {
        method: 'POST',
        headers: { apikey: INGESTION_KEY, 'content-type': 'application/json' },
        body: JSON.stringify({ lines: [{ line: 'over three links' }] }),
      })
      expect(sent.status).toBe(200)
      const found = async () => {
        const query = `from=${Date.now() - 3_600_000}&to=${Date.now() + 3_600_000}`
        const headers = { authorization: `Token ${ACCESS_TOKEN}` }
        return (await fetch(`${weir.url}/v2/export?${query}`, { headers })).text()
      }
      expect(await eventually(found, text => text.includes('over three links'))).toContain('over three links')
      expect(await weir.end('SIGTERM')).toBe(0)

      const otherKey = { ...links(), WEIR_SECRET_KEY: 'cd'.repeat(32) }
      expect(await refusal(cluster.bootstrap, otherKey)).toContain('WEIR_SECRET_KEY differs from the key')
    })

    test.each<[string, Environment, string]>([
      [
        'another password of the store',
        { CLICKHOUSE_PASSWORD: 'another' },
        'check CLICKHOUSE_USER and CLICKHOUSE_PASSWORD',
      ],
      [
        'another user of the store',
        { CLICKHOUSE_USER: 'another' },
        'check CLICKHOUSE_USER and CLICKHOUSE_PASSWORD',
      ],
      ['no secret key', { WEIR_SECRET_KEY: '' }, 'requires WEIR_SECRET_KEY'],
      ['an unknown authority of the store', { NODE_EXTRA_CA_CERTS: '' }, 'set NODE_EXTRA_CA_CERTS'],
      ['another password of Kafka', login('scram-sha-512', 'another'), 'KAFKA_SASL_PASSWORD'],
      [
        'no login to Kafka',
        { KAFKA_SASL_MECHANISM: '', KAFKA_SASL_USERNAME: '' },
        'a login (KAFKA_SASL_MECHANISM)',
      ],
    ])('end a start with %s', async (_, wrong, sentence) => {
      expect(await refusal(cluster.bootstrap, { ...links(), ...wrong }, 'engine')).toContain(sentence)
    })
  },
)
