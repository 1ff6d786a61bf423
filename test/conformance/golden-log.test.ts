import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pipelineCut } from '../../engine/fold/cuts/pipeline.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import { blackhole } from '../../engine/nodes/destinations/blackhole.ts'
import { unroll } from '../../engine/nodes/processors/unroll.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { controlType } from '../../schemas/log/control.ts'
import type { PipelineCut } from '../../schemas/log/cuts.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import { catalogueWith } from '../support/catalogue-with.ts'
import { DECIDED_LINES, DECIDED_MESSAGES } from '../support/deciding-data.ts'
import { examplePipelines } from '../support/example-pipelines.ts'
import {
  digestOf,
  drawGoldenLog,
  exampleRecords,
  type GoldenLog,
  goldenFold,
  recordsOf,
} from '../support/golden-log.ts'
import { parcels } from '../support/toy-nodes.ts'

const fileOf = (behaviour: number) => new URL(`../data/golden/behaviour-${behaviour}.json`, import.meta.url)
const behaviours = Array.from({ length: BEHAVIOUR }, (_, index) => index + 1)

/**
 * Under a behaviour number, the result of a log never changes. If a deliberate change of the engine breaks this test,
 * raise BEHAVIOUR; running this test with GOLDEN_LOG=new writes the log of a new number.
 */
test.each(behaviours)('the golden log of behaviour %i replays to the digest of its time', behaviour => {
  const file = fileOf(behaviour)
  if (process.env.GOLDEN_LOG === 'new' && !existsSync(file)) {
    writeFileSync(file, `${JSON.stringify(drawGoldenLog(behaviour), null, 1)}\n`)
  }
  const golden = JSON.parse(readFileSync(file, 'utf8')) as GoldenLog
  expect(golden.behaviour).toBe(behaviour)
  expect(digestOf(recordsOf(golden), behaviour)).toBe(golden.digest)
})

test('an append time that is a millisecond later gives another digest', () => {
  const golden = JSON.parse(readFileSync(fileOf(1), 'utf8')) as GoldenLog
  const lineRecord = golden.records.findIndex(record => record.producer !== null)
  const later = recordsOf(golden).map((record, index) =>
    index === lineRecord ? { ...record, appendTimeMs: record.appendTimeMs + 1 } : record,
  )
  expect(digestOf(later, 1)).not.toBe(golden.digest)
})

test.each(behaviours)(
  'the golden log of behaviour %i has a node of every type that runs since then',
  behaviour => {
    const since = [...CATALOGUE.runningSources, ...CATALOGUE.processors, ...CATALOGUE.destinations]
      .filter(declaration => declaration.since === behaviour)
      .map(({ type }) => type)
    const golden = JSON.parse(readFileSync(fileOf(behaviour), 'utf8')) as GoldenLog
    const types = recordsOf(golden).flatMap(({ value }) => nodeTypesIn(value))
    expect(types).toEqual(expect.arrayContaining(since))
  },
)

test.each(behaviours)('the first examples of the types of behaviour %i reach their nodes', behaviour => {
  expect(unreachedNodes(CATALOGUE, behaviour)).toEqual([])
})

test('the golden log of this behaviour has events that tables of user agents, letters and host names decide', () => {
  const golden = JSON.parse(readFileSync(fileOf(BEHAVIOUR), 'utf8')) as GoldenLog
  const values = recordsOf(golden).map(({ value }) => value)
  for (const { agent, address, text } of DECIDED_MESSAGES)
    for (const decided of [agent, address, text])
      expect(values.some(value => value.includes(decided as string))).toBe(true)
  for (const line of DECIDED_LINES) expect(values.some(value => value.includes(line))).toBe(true)
})

test('a new log has the first examples of new types of every kind, and they reach their nodes', () => {
  const catalogue = catalogueWith({
    sources: [{ ...parcels, since: BEHAVIOUR }],
    processors: [{ ...unroll, type: 'new-unroll', since: BEHAVIOUR }],
    destinations: [{ ...blackhole, type: 'new-blackhole', since: BEHAVIOUR }],
  })
  const types = recordsOf(exampleLog(catalogue, BEHAVIOUR)).flatMap(({ value }) => nodeTypesIn(value))
  expect(types).toEqual(expect.arrayContaining(['parcels', 'new-unroll', 'new-blackhole']))
  expect(unreachedNodes(catalogue, BEHAVIOUR)).toEqual([])
})

const exampleLog = (catalogue: Catalogue, behaviour: number): GoldenLog => ({
  behaviour,
  records: exampleRecords(catalogue, behaviour, Date.UTC(2026, 10, 20)),
  digest: '',
})

/** Nodes of the example pipelines that no event enters, by name and type. An example may drop all events before the store. */
function unreachedNodes(catalogue: Catalogue, behaviour: number) {
  const fold = goldenFold(catalogue)
  for (const record of recordsOf(exampleLog(catalogue, behaviour))) fold.apply(record)
  const reached = new Set(
    [...fold.nodeTotals]
      .filter(({ activity }) => activity.eventsIn > 0)
      .map(({ pipeline, node }) => `${pipeline} ${node}`),
  )
  return examplePipelines(catalogue, behaviour)
    .flatMap(({ id, nodes }) => nodes.map(node => [`${id} ${node.id}`, node.type] as const))
    .filter(([name]) => !reached.has(name) && !name.endsWith(' store'))
}

/** Types of the nodes of a pipeline that the record puts into effect. */
function nodeTypesIn(value: Buffer): string[] {
  if (schemaIdOf(value) !== controlType.id) return []
  const { body } = controlType.decode(value)
  if (!('weir.Cut' in body) || body['weir.Cut'].kind !== pipelineCut.kind) return []
  const { payload } = body['weir.Cut']
  return payload === '' ? [] : (JSON.parse(payload) as PipelineCut).nodes.map(({ type }) => type)
}
