import { expect, test } from 'vitest'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { type Control, controlType } from '../../schemas/log/control.ts'
import { SAMPLE_ACCOUNT } from '../../test/support/line-batches.ts'
import { node, SOURCE } from '../../test/support/world.ts'
import { LineBatchBuilder } from '../lines/columns/line-batch-builder.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import type { Reductions } from '../nodes/processors/reduce/reductions.ts'
import type { Steps } from '../steps.ts'
import { PartitionFold } from './partition-fold.ts'

const START_MS = Date.UTC(2026, 10, 20, 12)
const DURATION_MS = 1_500
const NODES = 2
/** Open windows of each node. */
const WINDOWS = 25_000
/** Maximum number of windows that end before other work has a turn. */
const ENDED_AT_A_TIME = 100
const IDENTITY = {
  topic: 'weir.ingest',
  partition: 0,
  partitions: 1,
  logId: '00000000-0000-4000-8000-000000000000',
}
const NO_FACTS = { mac: '', ip: '', remoteAddress: '127.0.0.1', tags: [], driftMs: null, idempotency: null }

/** Drives work like a worker. @returns how often it gave other work a turn */
function driven<Result>(steps: Steps<Result>): { readonly turns: number; readonly result: Result } {
  for (let turns = 0; ; turns++) {
    const { done, value } = steps.next()
    if (done) return { turns, result: value }
  }
}

/** Two nodes that reduce, each with that many windows, opened by records a millisecond apart. */
function holding(windows: number, perRecord = 1_000, durationMs = DURATION_MS) {
  const fold = new PartitionFold(CATALOGUE, IDENTITY)
  let offset = 0n
  const apply = (appendTimeMs: number, value: Buffer) =>
    driven(fold.applying({ offset: offset++, appendTimeMs, value, producer: null }))
  const control = (timeMs: number, body: Control['body']) =>
    apply(timeMs, controlType.encode({ behaviour: BEHAVIOUR, body }))
  const names = Array.from({ length: NODES }, (_, index) => `reduce-${index}`)
  const config = { duration_ms: durationMs, group_by: ['.app'] }
  const nodes = [
    SOURCE,
    ...names.map(name => node('transform', name, 'reduce', ['source'], config)),
    node('sink', 'sink', 'blackhole', names),
  ]
  const document = { id: 'p', accountId: SAMPLE_ACCOUNT, title: 'p', nodes }
  control(START_MS, { 'weir.Owner': { worker: 'w' } })
  control(START_MS, {
    'weir.Cut': { kind: 'pipeline', entity: 'p', version: 1, payload: JSON.stringify(document) },
  })
  for (let first = 0; first < windows; first += perRecord) {
    const builder = new LineBatchBuilder()
    builder.addRequest(batch => {
      for (let index = first; index < Math.min(windows, first + perRecord); index++)
        batch.add({
          ...{ line: Buffer.from('y'), host: '', level: '', env: '', file: '', meta: '', rest: '' },
          ...{ app: `app-${index}`, timestampMs: START_MS, timestampKind: 0 },
        })
      return { facts: { ...NO_FACTS, hostname: 'h', receivedAtMs: START_MS } }
    })
    apply(START_MS + first / perRecord, builder.encode(SAMPLE_ACCOUNT, 'ingest'))
  }
  const states = names.map(name => fold.memoryOf(SAMPLE_ACCOUNT, 'p', name)?.value as Reductions)
  expect(states.map(({ count }) => count)).toEqual(names.map(() => windows))
  return {
    fold,
    states,
    tick: (timeMs: number) => control(timeMs, { 'weir.Tick': { deadlineMs: timeMs } }),
  }
}

test('fifty thousand windows that end at once do not make other work wait for all of them', () => {
  const { tick, states, fold } = holding(WINDOWS, 1_000, 60_000)
  tick(START_MS + 10_000) // causes the checkpoint, which takes turns of its own
  const { turns } = tick(START_MS + 70_000)
  expect(turns).toBeGreaterThanOrEqual((NODES * WINDOWS) / ENDED_AT_A_TIME)
  expect(states.map(({ count }) => count)).toEqual([0, 0])
  expect(fold.windowsEndMs).toBe(Number.POSITIVE_INFINITY)
  const sunk = [...fold.nodeTotals].find(({ node: id }) => id === 'sink')
  expect(sunk?.activity.eventsOut).toBe(NODES * WINDOWS)
})

test('a checkpoint with fifty thousand windows is written and read in turns, and contains all of them', () => {
  const { tick, states } = holding(WINDOWS, 1_000, 60_000)
  const { turns, result } = tick(START_MS + 10_000)
  const checkpoint = result.find(flush => flush.checkpoint !== null)?.checkpoint as Buffer
  expect(turns).toBeGreaterThanOrEqual((NODES * WINDOWS) / (2 * ENDED_AT_A_TIME))
  const restoring = driven(PartitionFold.restoring(CATALOGUE, IDENTITY, checkpoint))
  expect(restoring.turns).toBeGreaterThanOrEqual((NODES * WINDOWS) / (2 * ENDED_AT_A_TIME))
  const restored = restoring.result
  const memory = restored.memoryOf(SAMPLE_ACCOUNT, 'p', 'reduce-0')?.value as Reductions
  expect([memory.count, memory.deadlineMs]).toEqual([WINDOWS, states[0]?.deadlineMs])
  expect(states[0]?.count).toBe(WINDOWS)
})

test('finding the windows that end costs the same for each, however many are open', () => {
  const costs = [5_000, 20_000].map(windows => {
    const { states, tick } = holding(windows, 20)
    // A record for every few windows: each of them checks which windows end.
    for (let ms = 0; ms <= windows / 20; ms += 5) tick(START_MS + DURATION_MS + ms)
    expect(states[0]?.count).toBe(0)
    return (states[0]?.compared ?? 0) / windows
  })
  expect(costs[1]).toBeLessThan(2 * (costs[0] as number))
})
