import { expect, test } from 'vitest'
import { type NodeCounters, noCounts } from '../../../engine/graph/node-counters.ts'
import type { PreviewResult } from '../../../engine/replay/preview/preview.ts'
import { outcomeOf } from './preview-outcome.ts'

test('a revision that was in force before the period is shown from its beginning, and an end as no revision', () => {
  const fromMs = Date.parse('2026-01-01T00:00:00Z')
  const result: PreviewResult = {
    ...{ deployed: new Map(), draft: new Map(), samples: [] },
    ...{ differing: 0, underWay: 0, isOrderAssumed: false },
    inForce: [
      { fromMs: fromMs - 5_000, revision: 3, isPaused: false },
      { fromMs: fromMs + 60_000, revision: 3, isPaused: true },
      { fromMs: fromMs + 120_000, revision: undefined, isPaused: false },
    ],
  }
  const document = { id: 'p', accountId: 'a', title: 'p', revision: 0, nodes: [] }
  const { in_force: inForce } = outcomeOf({ document, deployedNodes: [], names: new Map(), fromMs }, result)
  expect(inForce).toEqual([
    { from: '2026-01-01T00:00:00.000Z', revision: 3, paused: false },
    { from: '2026-01-01T00:01:00.000Z', revision: 3, paused: true },
    { from: '2026-01-01T00:02:00.000Z', revision: null, paused: false },
  ])
})

test('each node has the counts of both sides, and null on a side that lacks it', () => {
  const counters = (from: number): NodeCounters => {
    const counts = noCounts()
    for (const [index, name] of (Object.keys(counts) as (keyof NodeCounters)[]).entries())
      counts[name] = from + index
    return counts
  }
  const shown = (counts: NodeCounters) => ({
    events_in: counts.eventsIn,
    bytes_in: counts.bytesIn,
    events_out: counts.eventsOut,
    bytes_out: counts.bytesOut,
    dropped: counts.dropped,
    dropped_bytes: counts.droppedBytes,
    failed: counts.failed,
    merged: counts.merged,
    held: counts.held,
  })
  const node = (id: string) => ({
    id,
    kind: 'transform' as const,
    type: 'throttle',
    title: id,
    inputs: [],
    user_config: {},
  })
  const [deployed, draft] = [counters(100), counters(200)]
  const result: PreviewResult = {
    deployed: new Map([
      ['kept', deployed],
      ['removed', counters(300)],
    ]),
    draft: new Map([
      ['kept', draft],
      ['added', counters(400)],
    ]),
    ...{ samples: [], differing: 7, underWay: 3, isOrderAssumed: true, inForce: [] },
  }
  const document = {
    ...{ id: 'p', accountId: 'a', title: 'p', revision: 0 },
    nodes: [node('kept'), node('added')],
  }
  const deployedNodes = [node('kept'), node('removed')]
  const previewed = { document, deployedNodes, names: new Map<string, string>(), fromMs: 0 }
  const outcome = outcomeOf(previewed, result)
  expect(outcome.nodes.map(each => [each.id, each.deployed, each.draft])).toEqual([
    ['kept', shown(deployed), shown(draft)],
    ['removed', shown(counters(300)), null],
    ['added', null, shown(counters(400))],
  ])
  expect(outcome).toMatchObject({
    differing: 7,
    under_way: 3,
    assumption: expect.stringMatching(/^The account was on many partitions/),
  })
  expect(outcomeOf(previewed, { ...result, isOrderAssumed: false }).assumption).toBeNull()
})
