import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { describeSettings, readSettings, type SettingsError } from '../../deploy/settings/settings.ts'

const CHART = fileURLToPath(new URL('../../deploy/charts/weir/', import.meta.url))
const read = (name: string) => readFileSync(`${CHART}${name}`, 'utf8')

/** Settings that the chart gives values of its own, or that have no use in it. */
const OWN = new Set([
  ...['WEIR_DATA_DIR', 'WEIR_HOST', 'WEIR_PORT', 'WEIR_INGEST_PORT', 'WEIR_METRICS_PORT', 'WEIR_PARTITIONS'],
  ...['KAFKA_BROKERS', 'CLICKHOUSE_URL', 'WEIR_STORE_HOST', 'WEIR_STORE_PORT', 'WEIR_SIGN_IN_LINK'],
  ...['WEIR_INGEST_HOST', 'WEIR_TLS_CERT', 'WEIR_TLS_KEY'],
])
/** Settings of which the program knows more than a pattern can say. */
const LENIENT = new Set([
  ...['WEIR_LOG_HOST_PATTERN', 'WEIR_TRUSTED_PROXIES', 'WEIR_CORS_ORIGINS', 'WEIR_OUTBOUND_DENY'],
  ...['WEIR_OUTBOUND_ALLOW', 'SCHEMA_REGISTRY_URL', 'WEIR_LOG_MAX_BYTES'],
  ...['WEIR_DELIVERY_MEMORY', 'WEIR_OUTBOX_MAX_BYTES'],
])
const SAMPLES = [
  ...['on', 'off', 'yes', 'debug', 'plain', 'scram-sha-256', 'a b', 'name', '1name', '*', 'Ä', '20GB', '8MB'],
  ...['0123456789', 'http://127.0.0.1:8081', 'ftp://x', 'https://a.example/registry', '10.0.0.0/8'],
  ...[
    -1, 0, 1, 9, 10, 100, 1_000, 1_024, 1_440, 3_650, 4_096, 8_760, 10_000, 20_000, 65_535, 65_536, 100_000,
  ],
  ...[300_000, 1_000_000, 4_194_304, 12_582_912, 67_108_864, 1_073_741_824, 1_099_511_627_776],
]

const schema = JSON.parse(read('values.schema.json')) as {
  properties: { settings: { properties: Readonly<Record<string, object>> } }
}
const settings = schema.properties.settings.properties

const isNumber = (sample: string | number) => Number.isInteger(Number(sample))

/** Whether the program takes a value, as far as it concerns that setting alone. */
function isTaken(name: string, value: string | number): boolean {
  try {
    readSettings({ [name]: String(value) })
    return true
  } catch (error) {
    const { problems } = error as SettingsError
    return !problems.some(problem => problem.startsWith(`${name} must`))
  }
}

test('the values of the chart have each setting that is neither secret nor given by the chart', () => {
  const expected = describeSettings().filter(({ name, isSecret }) => !isSecret && !OWN.has(name))
  expect(Object.keys(settings).sort()).toEqual(expected.map(({ name }) => name).sort())
})

test('the chart refuses the values of settings that the program refuses, and no others', () => {
  const ajv = new Ajv({ strict: false })
  for (const [name, declared] of Object.entries(settings)) {
    const isAllowed = ajv.compile(declared)
    for (const sample of SAMPLES) {
      const verdicts = [isAllowed(sample), isTaken(name, sample)]
      if (LENIENT.has(name) && verdicts[0]) continue
      // Values have types there: a number is not accepted as a text, nor a text as a number.
      if (!verdicts[0] && isNumber(sample) !== 'minimum' in declared) continue
      if (!verdicts[0] && isNumber(sample) && typeof sample === 'string') continue
      expect(verdicts, `${name}=${sample}`).toEqual([verdicts[1], verdicts[1]])
    }
  }
})

test('the defaults of the chart are allowed', () => {
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema)
  expect([validate(parse(read('values.yaml'))), validate.errors]).toEqual([true, null])
})

test('the templates of the chart know no other settings', () => {
  const known = new Set(describeSettings().map(({ name }) => name))
  const texts = [...readdirSync(`${CHART}templates`).map(name => `templates/${name}`), 'values.yaml']
  const found = texts.flatMap(name => read(name).match(/\b(?:WEIR|KAFKA|CLICKHOUSE)_[A-Z_]+\b/g) ?? [])
  expect(found.length).toBeGreaterThan(10)
  expect(found.filter(name => !known.has(name))).toEqual([])
})
