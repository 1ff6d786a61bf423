import { describe, expect, test } from 'vitest'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { Catalogue, NodeKind } from '../../engine/nodes/contract/catalogue.ts'
import { checkNode } from '../../engine/nodes/contract/check-node.ts'
import { blackhole } from '../../engine/nodes/destinations/blackhole.ts'
import { filter } from '../../engine/nodes/processors/filter.ts'
import { catalogueWith } from '../support/catalogue-with.ts'
import { storedOptions } from '../support/stored-options.ts'
import { parcels } from '../support/toy-nodes.ts'

/**
 * Every wire id of the contract, with its other spellings. The contract (pipeline API, sections 4 to 6) is not part of this
 * repository, so the list repeats it: a type that is lost or misspelled is noticed. All its types are declared already.
 */
const CONTRACT: Readonly<Record<NodeKind, readonly string[]>> = {
  source: [
    ...['log-agent', 'mezmo-agent', 'datadog-agent', 'mezmo-datadog-source', 'azure-event-hub', 'demo-logs'],
    ...['fluent', 'http', 'kafka', 'kinesis-firehose', 'log-analysis', 'log-analysis-ingestion', 'logstash'],
    ...['open-telemetry-logs', 'open-telemetry-metrics', 'open-telemetry-traces', 'prometheus-remote-write'],
    ...['s3', 'splunk-hec', 'sqs', 'webhook'],
  ],
  transform: [
    ...['aggregate', 'aggregate-v2', 'compact-fields', 'data-profiler', 'decrypt-fields', 'dedupe'],
    ...['drop-fields', 'encrypt-fields', 'event-to-metric', 'filter', 'flatten-fields', 'js-script'],
    ...['script-execution', 'map-fields', 'mask-pii', 'metrics-tag-cardinality-limit', 'parse'],
    ...['parse-sequentially', 'redact', 'reduce', 'route', 'sample', 'set-timestamp', 'stringify'],
    ...['throttle', 'trace-sampling', 'unroll'],
  ],
  sink: [
    ...['azure-blob-storage', 'blackhole', 'datadog-logs', 'datadog-metrics', 'elasticsearch'],
    ...['gcp-cloud-monitoring', 'gcp-cloud-operations', 'gcp-cloud-pubsub', 'gcp-cloud-storage'],
    ...['honeycomb-logs', 'http', 'kafka', 'log-analysis', 'log-store', 'loki', 'mezmo', 'new-relic'],
    ...['prometheus-remote-write', 's3', 'splunk-hec-logs'],
  ],
}
const KINDS = Object.keys(CONTRACT) as NodeKind[]

test.each(KINDS)('every %s of the contract is declared, and no name belongs to two types', kind => {
  const types = CATALOGUE.declarations[kind].flatMap(({ type, aliases = [] }) => [type, ...aliases])
  expect(CONTRACT[kind].filter(name => !types.includes(name))).toEqual([])
  expect(types.filter((name, index) => types.indexOf(name) !== index)).toEqual([])
})

/** Running types of the first behaviour. Their declarations need no number; the list is closed. */
const TYPES_OF_FIRST_BEHAVIOUR: Readonly<Record<NodeKind, readonly string[]>> = {
  source: ['log-analysis-ingestion'],
  transform: ['drop-fields', 'filter', 'route', 'throttle'],
  sink: ['blackhole', 'log-analysis'],
}

test('every running type says since which behaviour it runs, except those of the first', () => {
  expect(runningTypesWithoutNumber(CATALOGUE)).toEqual(TYPES_OF_FIRST_BEHAVIOUR)
})

test('a new running type of any kind without a number is noticed', () => {
  const catalogue = catalogueWith({
    sources: [parcels],
    processors: [{ ...filter, type: 'new-filter' }],
    destinations: [{ ...blackhole, type: 'new-blackhole' }],
  })
  expect(runningTypesWithoutNumber(catalogue)).toEqual({
    source: expect.arrayContaining(['parcels']) as unknown,
    transform: expect.arrayContaining(['new-filter']) as unknown,
    sink: expect.arrayContaining(['new-blackhole']) as unknown,
  })
})

function runningTypesWithoutNumber({ runningSources, processors, destinations }: Catalogue) {
  const unnumbered = (running: readonly { readonly type: string; readonly since?: number }[]) =>
    running
      .filter(({ since }) => since === undefined)
      .map(({ type }) => type)
      .toSorted()
  return {
    source: unnumbered(runningSources),
    transform: unnumbered(processors),
    sink: unnumbered(destinations),
  }
}

describe.each(
  KINDS.flatMap(kind =>
    CATALOGUE.declarations[kind].map(declaration => [kind, declaration.type, declaration] as const),
  ),
)('%s %s', (kind, type, declaration) => {
  test('has examples of options with their stored form', () => {
    expect(declaration.configs.length).toBeGreaterThan(0)
    for (const example of declaration.configs) {
      const { sent } = example
      const stored = storedOptions(example)
      const before = structuredClone(sent)
      const checked = checkNode(CATALOGUE, kind, type, sent)
      expect(withoutOutputNames(checked)).toEqual(withoutOutputNames({ stored }))
      expect(sent, 'what was sent is not touched').toEqual(before)
      if (example.defaults !== undefined) expect(stored, 'defaults add members').not.toEqual(sent)
    }
  })

  test('the stored form can be sent back and changes nothing', () => {
    for (const example of declaration.configs) {
      const once = checkNode(CATALOGUE, kind, type, storedOptions(example))
      if ('problems' in once) throw new Error(JSON.stringify(once.problems))
      expect(checkNode(CATALOGUE, kind, type, once.stored, { previous: once.stored })).toEqual(once)
    }
  })

  test('an unknown member is refused, and so is null in place of any member', () => {
    for (const { sent } of declaration.configs) {
      const surplus = checkNode(CATALOGUE, kind, type, { ...sent, surplus_member: 1 })
      expect(surplus).toMatchObject({
        problems: expect.arrayContaining([
          { instancePath: '/user_config', message: "must NOT have additional properties: 'surplus_member'" },
        ]) as unknown,
      })
      for (const member of Object.keys(declaration.config.properties)) {
        const checked = checkNode(CATALOGUE, kind, type, { ...sent, [member]: null })
        expect('problems' in checked, member).toBe(true)
      }
    }
  })

  test('is found under its type and its aliases', () => {
    for (const name of [type, ...(declaration.aliases ?? [])])
      expect(CATALOGUE.declarationOf(kind, name)).toBe(declaration)
  })
})

/** The server makes them; which ones is tested where they are made. */
function withoutOutputNames(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, member: unknown) => (key === '_output_name' ? 'XXXXXXXX' : member)),
  )
}
