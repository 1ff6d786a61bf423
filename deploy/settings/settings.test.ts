import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeSettings, readSettings, SettingsError, serviceLinks } from './settings.ts'

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readSettings(environment)
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
  return []
}

test('an empty environment gives the defaults', () => {
  const settings = readSettings({ PATH: '/bin', HOME: '/home/x' })
  expect(settings).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    dataDirectory: './weir-data',
    bodyLimitBytes: 2_097_152,
  })
  expect(settings.clickhouseUrl).toBeUndefined()
})

test('every wrong setting is named in a sentence, all at once', () => {
  const problems = problemsOf({
    WEIR_PORT: '70000',
    LOG_LEVEL: 'loud',
    CLICKHOUSE_URL: 'ftp://x',
    WEIR_LOG_MAX_BYTES: 'much',
    WEIR_BOOTSTRAP_ACCESS_TOKEN: 'sts_short',
  })
  expect(problems).toHaveLength(5)
  for (const name of [
    'WEIR_PORT',
    'LOG_LEVEL',
    'CLICKHOUSE_URL',
    'WEIR_LOG_MAX_BYTES',
    'WEIR_BOOTSTRAP_ACCESS_TOKEN',
  ]) {
    expect(problems.some(problem => problem.startsWith(`${name} must be`))).toBe(true)
  }
})

test('the sentence about an unusable secret does not repeat its value', () => {
  expect(problemsOf({ WEIR_SECRET_KEY: 'hunter2' }).join()).not.toContain('hunter2')
})

test.each([
  ['0', true],
  ['65535', true],
  ['65536', false],
  ['-1', false],
  ['8080.5', false],
])('port %s is accepted: %s', (port, accepted) => {
  expect(problemsOf({ WEIR_PORT: port }).length === 0).toBe(accepted)
})

test.each(['1e3', '0x10', ' ', '+1', '1.0', '٣'])(
  'a number is written in decimal digits: "%s" is refused',
  number => {
    for (const name of ['WEIR_PORT', 'WEIR_MAX_TAILS', 'WEIR_PARTITIONS'])
      expect(problemsOf({ [name]: number })).toEqual([
        expect.stringContaining(`${name} must be a whole number`),
      ])
  },
)

test.each([
  'not an origin',
  'example.org',
  'http://x/path',
  'http://a, b c',
  '**',
  'http://',
  'https://*.example.org',
])('WEIR_CORS_ORIGINS=%s is refused, because no browser sends such an origin', origins => {
  expect(problemsOf({ WEIR_CORS_ORIGINS: origins })).toEqual([
    expect.stringContaining('WEIR_CORS_ORIGINS must be * or origins separated by commas'),
  ])
})

test('each port is a separate one, unless it is 0', () => {
  const ports = { WEIR_PORT: '8080', WEIR_INGEST_PORT: '8081', WEIR_METRICS_PORT: '8082' }
  expect(problemsOf(ports)).toEqual([])
  expect(problemsOf({ ...ports, WEIR_INGEST_PORT: '8080' })).toEqual([
    'WEIR_INGEST_PORT must differ from WEIR_PORT',
  ])
  expect(problemsOf({ ...ports, WEIR_METRICS_PORT: '8080' })).toEqual([
    'WEIR_METRICS_PORT must differ from WEIR_PORT',
  ])
  expect(problemsOf({ ...ports, WEIR_METRICS_PORT: '8081' })).toEqual([
    'WEIR_METRICS_PORT must differ from WEIR_INGEST_PORT',
  ])
  expect(problemsOf({ WEIR_PORT: '0', WEIR_INGEST_PORT: '0', WEIR_METRICS_PORT: '0' })).toEqual([])
})

test('origins can have a port and an address', () => {
  const origins = [
    'https://app.example.org',
    'http://127.0.0.1:3000',
    'http://[::1]:80',
    'capacitor://localhost',
  ]
  expect(readSettings({ WEIR_CORS_ORIGINS: origins.join(', ') }).corsOrigins).toEqual(origins)
  expect(readSettings({ WEIR_CORS_ORIGINS: '*' }).corsOrigins).toEqual(['*'])
})

test.each(['/', '//', '/tmp/..'])('WEIR_DATA_DIR=%s is refused: it is the root of the file system', path => {
  expect(problemsOf({ WEIR_DATA_DIR: path })).toEqual([
    'WEIR_DATA_DIR must be a folder of its own, not the root of the file system',
  ])
})

test('sizes can have a unit', () => {
  expect(readSettings({ WEIR_LOG_MAX_BYTES: '512MB' }).logMaxBytes).toBe(512 * 1024 * 1024)
  expect(readSettings({ WEIR_LOG_MAX_BYTES: '20 GiB' }).logMaxBytes).toBe(20 * 1024 ** 3)
})

test('a misspelt setting is refused, not ignored', () => {
  expect(problemsOf({ WEIR_PROT: '1' })).toEqual([
    'WEIR_PROT is not a setting of Weir; did you mean "WEIR_PORT"?',
  ])
})

test.each(['abc', '10.0.0.0/33', '10.0.0.1,proxy.example', '10.0.0.0/0'])(
  'WEIR_TRUSTED_PROXIES=%s is refused with a sentence, not with a TypeError of the server',
  proxies => {
    expect(problemsOf({ WEIR_TRUSTED_PROXIES: proxies })).toEqual([
      'WEIR_TRUSTED_PROXIES must be an address or a network, or several of them separated by commas, such as 10.0.0.0/8,192.0.2.7',
    ])
  },
)

test('proxies can be addresses, networks, and names that the server knows', () => {
  for (const proxies of [
    ' ',
    '10.0.0.0/8',
    '192.0.2.7, fd00::/8,::1',
    'loopback,uniquelocal',
    '10.0.0.0/255.0.0.0',
  ])
    expect([proxies, problemsOf({ WEIR_TRUSTED_PROXIES: proxies })]).toEqual([proxies, []])
})

/** Variables that Kubernetes gives a container for services called weir, weir-ingest and weir-store. */
const SERVICE_LINKS = {
  WEIR_SERVICE_HOST: '10.0.0.1',
  WEIR_SERVICE_PORT: '8080',
  WEIR_SERVICE_PORT_HTTP: '8080',
  WEIR_PORT: 'tcp://10.0.0.1:8080',
  WEIR_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
  WEIR_PORT_8080_TCP_PROTO: 'tcp',
  WEIR_PORT_8080_TCP_PORT: '8080',
  WEIR_PORT_8080_TCP_ADDR: '10.0.0.1',
  WEIR_PORT_514_UDP: 'udp://10.0.0.1:514',
  WEIR_INGEST_SERVICE_HOST: '10.0.0.2',
  WEIR_INGEST_SERVICE_PORT: '8081',
  WEIR_INGEST_PORT: 'tcp://10.0.0.2:8081',
  WEIR_INGEST_PORT_8081_TCP_ADDR: '10.0.0.2',
  WEIR_STORE_PORT: 'tcp://10.0.0.3:8123',
  WEIR_LOG_STORE_2_PORT: 'tcp://10.0.0.4:8123',
}

test('service links of an orchestrator do not stop the start: they are ignored, each by its name', () => {
  expect(serviceLinks({ PATH: '/bin', ...SERVICE_LINKS })).toEqual(Object.keys(SERVICE_LINKS))
  expect(readSettings(SERVICE_LINKS)).toEqual(readSettings({}))
  expect(readSettings({ ...SERVICE_LINKS, WEIR_PORT: '9000' })).toMatchObject({ port: 9000, storePort: 8123 })
})

test('a setting in a file takes effect beside a service link of the same name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-settings-'))
  try {
    const path = join(folder, 'port')
    writeFileSync(path, '9000')
    expect(readSettings({ ...SERVICE_LINKS, WEIR_PORT_FILE: path }).port).toBe(9000)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.each([
  ['WEIR_PORT', 'http://10.0.0.1:8080', 'WEIR_PORT must be a whole number from 0 to 65535'],
  ['WEIR_HOST', 'tcp://10.0.0.1:8080', undefined],
  ['WEIR_PROT_8080_TCP_ADDR', '10.0.0.1', 'WEIR_PROT_8080_TCP_ADDR is not a setting of Weir'],
  ['WEIR_SERVICE', '10.0.0.1', 'WEIR_SERVICE is not a setting of Weir'],
  ['WEIR_OTHER_PORT', '8080', 'WEIR_OTHER_PORT is not a setting of Weir'],
])('%s=%s is not a service link', (name, value, problem) => {
  expect(serviceLinks({ [name]: value })).toEqual([])
  expect(problemsOf({ [name]: value })).toEqual(problem === undefined ? [] : [problem])
})

test('settings of the command line are ignored by the server', () => {
  expect(problemsOf({ WEIR_URL: 'http://127.0.0.1:1', WEIR_ACCESS_TOKEN: 'x' })).toEqual([])
})

test('a broker that this version would ignore is refused', () => {
  expect(problemsOf({ KAFKA_BROKERS: 'localhost:9092' })[0]).toContain('KAFKA_BROKERS')
})

test('a setting can be read from a file, but not from both places', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-settings-'))
  try {
    const path = join(folder, 'key')
    writeFileSync(path, `${'ab'.repeat(32)}\n`)
    expect(readSettings({ WEIR_SECRET_KEY_FILE: path }).secretKey).toBe('ab'.repeat(32))
    expect(problemsOf({ WEIR_SECRET_KEY_FILE: path, WEIR_SECRET_KEY: 'ab'.repeat(32) })[0]).toContain(
      'both set',
    )
    expect(problemsOf({ WEIR_SECRET_KEY_FILE: join(folder, 'none') })[0]).toContain('WEIR_SECRET_KEY_FILE')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('service keys are read with their accounts, and a wrong key is not repeated', () => {
  const key = 'ab'.repeat(16)
  expect(
    readSettings({ WEIR_SERVICE_KEYS: `0123456789:${key}, 9876543210:${'cd'.repeat(16)},` }).serviceKeys,
  ).toEqual([
    { account: '0123456789', key },
    { account: '9876543210', key: 'cd'.repeat(16) },
  ])
  for (const wrong of [
    key,
    `0123456789:${key}0`,
    `012345678:${key}`,
    `0123456789:${key};9876543210:${key}`,
  ]) {
    const [problem, ...others] = problemsOf({ WEIR_SERVICE_KEYS: wrong })
    expect(problem).toContain('WEIR_SERVICE_KEYS must be account:key')
    expect(problem).not.toContain(key)
    expect(others).toEqual([])
  }
})

test('a pattern that is not a regular expression is refused', () => {
  expect(problemsOf({ WEIR_LOG_HOST_PATTERN: '(' })).toEqual([
    'WEIR_LOG_HOST_PATTERN must be a regular expression',
  ])
  expect(readSettings({ WEIR_LOG_HOST_PATTERN: '^logs\\.' }).logHostPattern?.test('logs.example.org')).toBe(
    true,
  )
})

test('networks that users can or cannot name are lists of addresses and blocks, and each wrong one is named', () => {
  const { outboundDeny, outboundAllow } = readSettings({
    WEIR_OUTBOUND_DENY: '10.0.0.0/8, fd00::/8',
    WEIR_OUTBOUND_ALLOW: '10.1.2.3',
  })
  expect([outboundDeny.map(({ bits }) => bits), outboundAllow.map(({ bits }) => bits)]).toEqual([
    [8, 8],
    [32],
  ])
  for (const wrong of ['10.0.0.0/33', '10.0.0', 'example.org', '::1/129', '010.0.0.1', '10.0.0.0/8;::1'])
    expect(problemsOf({ WEIR_OUTBOUND_ALLOW: `::1,${wrong}` })).toEqual([
      `WEIR_OUTBOUND_ALLOW must be addresses or networks separated by commas, such as 10.1.0.0/16,fd12::/16; "${wrong}" is neither`,
    ])
})

test('certificate and key must be given together', () => {
  expect(problemsOf({ WEIR_TLS_CERT: 'a.pem' })).toEqual([
    'WEIR_TLS_CERT and WEIR_TLS_KEY must be set together',
  ])
})

test('every setting has a description', () => {
  for (const { name, summary } of describeSettings()) {
    expect(name).toMatch(/^[A-Z_]+$/)
    expect(summary.endsWith('.')).toBe(true)
  }
})

test.each([
  ['http://127.0.0.1:8123', true],
  ['https://clickhouse.example/', true],
  ['http://weir:word@127.0.0.1:8123', false],
  ['http://127.0.0.1:8123/weir', false],
  ['http://127.0.0.1:8123/?database=weir', false],
])('the address of a server alone, %s, is accepted: %s', (url, accepted) => {
  const problems = problemsOf({ CLICKHOUSE_URL: url })
  expect(problems.length === 0).toBe(accepted)
  expect(problems.join()).not.toContain('word@')
})

test.each([
  ['weir_2', true],
  ['_w', true],
  ['a-b', false],
  ['2weir', false],
  ['w'.repeat(64), true],
  ['w'.repeat(65), false],
])('a database named %s is accepted: %s', (database, accepted) => {
  expect(problemsOf({ CLICKHOUSE_DATABASE: database }).length === 0).toBe(accepted)
})

const REGISTRY = { SCHEMA_REGISTRY_URL: 'https://registry.example/apis/ccompat/v7' }
const ON_KAFKA = {
  KAFKA_BROKERS: 'kafka:9092',
  WEIR_SECRET_KEY: 'ab'.repeat(32),
  CLICKHOUSE_URL: 'http://127.0.0.1:8123',
}

test('a schema registry has an address with a path, and belongs to Kafka', () => {
  expect(readSettings({ ...ON_KAFKA, ...REGISTRY }).schemaRegistryUrl).toBe(REGISTRY.SCHEMA_REGISTRY_URL)
  expect(problemsOf(REGISTRY)).toEqual(['SCHEMA_REGISTRY_URL has no effect unless KAFKA_BROKERS is set'])
})

test.each([
  [{ SCHEMA_REGISTRY_URL: 'https://weir:word@registry.example' }, 'SCHEMA_REGISTRY_USER and'],
  [{ SCHEMA_REGISTRY_URL: 'registry:8081' }, 'must be an http or https address'],
  [{ ...REGISTRY, SCHEMA_REGISTRY_PASSWORD: 'word' }, 'requires SCHEMA_REGISTRY_USER'],
  [{ SCHEMA_REGISTRY_USER: 'weir' }, 'have no effect unless SCHEMA_REGISTRY_URL is set'],
  [{ SCHEMA_REGISTRY_URL: 'http://registry', SCHEMA_REGISTRY_CA: 'ca.pem' }, 'begins with https'],
])('settings of a registry that contradict each other are refused: %o', (settings, sentence) => {
  const problems = problemsOf({ ...ON_KAFKA, ...settings })
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(sentence)
  expect(problems[0]).not.toContain('word@')
})
