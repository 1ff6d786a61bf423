import { expect, test } from 'vitest'
import type { PipelineFile } from '../document/file.ts'
import { liveRates, namedFigures, periodTotals } from './running-counts.ts'

const DOCUMENT: PipelineFile = {
  weir: 'pipeline/1',
  title: 'By level',
  sources: [{ name: 'lines', type: 'log-analysis-ingestion' }],
  processors: [{ name: 'by-level', type: 'route', inputs: ['lines'] }],
  destinations: [{ name: 'store', type: 'log-analysis', inputs: ['by-level.debug', 'by-level._unmatched'] }],
}
const GRAPH = {
  revision: 1,
  etag: 'a',
  document: DOCUMENT,
  nodes: [
    { id: 'n1', name: 'lines', sends: false, outputs: [{ id: 'o1', label: '', name: 'lines' }] },
    {
      id: 'n2',
      name: 'by-level',
      sends: false,
      outputs: [
        { id: 'o2', label: 'Unmatched', name: 'by-level._unmatched' },
        { id: 'o3', label: 'debug', name: 'by-level.debug' },
      ],
    },
    { id: 'n3', name: 'store', sends: false, outputs: [] },
  ],
}
const LIVE_NODE = {
  ...{ node: 'n2', events_in: 30, bytes_in: 300, events_out: 20, bytes_out: 200 },
  ...{ dropped: 8, failed: 2, merged: 0, held: 0 },
}

test('live counts become numbers of a second, and what is left out had no events', () => {
  const counts = liveRates({
    type: 'counts',
    at: '2026-03-04T00:00:00.000Z',
    over_ms: 2_000,
    nodes: [LIVE_NODE],
    edges: [{ output: 'o3', node: 'n3', events: 20, bytes: 201 }],
  })
  const { nodes, edges } = namedFigures(DOCUMENT, GRAPH, counts)
  expect(nodes.get('by-level')).toMatchObject({ eventsIn: 15, eventsOut: 10, dropped: 4, failed: 1 })
  expect(nodes.get('lines')).toMatchObject({ eventsIn: 0, eventsOut: 0, isRate: true })
  expect(edges.get('by-level.debug store')).toEqual({ events: 10, bytes: 101, isRate: true })
  expect(edges.get('by-level._unmatched store')).toEqual({ events: 0, bytes: 0, isRate: true })
  expect(edges.size).toBe(3)
})

test('intervals of a period are added', () => {
  const two = [3, 4]
  const counts = periodTotals({
    ...{ from: 0, to: 2, interval_ms: 1, starts: [0, 1], pipeline_id: 'p', revision_id: 'r' },
    nodes: [
      {
        ...{ node: 'n1', events_in: two, bytes_in: two, events_out: two, bytes_out: two, copied: two },
        ...{ created: two, dropped: [1, 0], dropped_bytes: two, failed: [0, 2], merged: two, held: [5, -5] },
      },
    ],
    edges: [{ output: 'o1', node: 'n2', events: two, bytes: two }],
  })
  const { nodes, edges } = namedFigures(DOCUMENT, GRAPH, counts)
  expect(nodes.get('lines')).toMatchObject({ eventsIn: 7, eventsOut: 7, dropped: 1, failed: 2, held: 0 })
  expect(edges.get('lines by-level')).toEqual({ events: 7, bytes: 7, isRate: false })
})

test('without counts nothing is known', () => {
  const { nodes, edges } = namedFigures(DOCUMENT, GRAPH, undefined)
  expect(nodes.get('store')?.eventsIn).toBeUndefined()
  expect(edges.get('lines by-level')?.events).toBeUndefined()
})
