import { expect, test } from 'vitest'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { Event } from '../event/event.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { compileGraph } from './compile-graph.ts'

function node(id: string, kind: NodeDocument['kind'], type: string, inputs: string[], user_config = {}) {
  return { id, kind, type, title: null, user_config, inputs }
}

/** Runs two events from a source through three nodes in a row to a sink, and through another sink beside them. */
function run(quarantined: readonly string[]) {
  const nodes = [
    node('source', 'source', 'log-analysis-ingestion', []),
    node('drop', 'transform', 'drop-fields', ['source'], { fields: ['.secret'] }),
    node('limit', 'transform', 'throttle', ['drop'], { threshold: 9, window_ms: 1_000 }),
    node('sum', 'transform', 'reduce', ['limit'], { duration_ms: 1_000 }),
    node('sink', 'sink', 'blackhole', ['limit']),
    node('other', 'sink', 'blackhole', ['source']),
  ]
  const document = { id: 'p', accountId: 'a', title: 'test', revision: 1, nodes }
  const graph = compileGraph(CATALOGUE, document)
  const delivered: Record<string, number> = {}
  const errors: string[] = []
  const letters: string[] = []
  const observed: string[] = []
  const events = ['a', 'b'].map(line => Event.of({ line }, {}, '2031-03-09T08:15:30.250Z'))
  graph.run('ingest', events, {
    nowMs: 0,
    quarantinedNodes: new Set(quarantined),
    deliver: ({ nodeId }, { length }) => {
      delivered[nodeId] = (delivered[nodeId] ?? 0) + length
      return undefined
    },
    report: ({ nodeId, kind, code, message }) => errors.push(`${nodeId} ${kind} ${code} ${message}`),
    takeDeadLetter: ({ nodeId, event }) => letters.push(`${nodeId} ${event.member('line')}`),
    observer: {
      left: () => undefined,
      dropped: () => undefined,
      gathered: () => undefined,
      moved: () => undefined,
      reported: () => undefined,
      failed: (id, _event, row) => observed.push(`${id} ${row}`),
    },
  })
  for (const [id, counts] of graph.counters) {
    const { eventsIn, copied, created, eventsOut, dropped, failed, merged, held } = counts
    expect(eventsOut + dropped + failed + merged + held, id).toBe(eventsIn + copied + created)
  }
  return { delivered, errors, letters, observed, failed: graph.counters.get(quarantined[0] ?? '')?.failed }
}

test('without a quarantine every node has the events', () => {
  expect(run([])).toMatchObject({ delivered: { sink: 2, other: 2 }, errors: [], letters: [] })
})

test.each([
  ['drop', 'transform', { other: 2 }],
  ['limit', 'transform', { other: 2 }],
  ['sum', 'transform', { sink: 2, other: 2 }],
  ['sink', 'destination', { other: 2 }],
])('the events of a record in quarantine at %s fail there, and nowhere else', (id, kind, delivered) => {
  const result = run([id])
  expect(result.delivered).toEqual(delivered)
  expect(result.errors).toHaveLength(2)
  for (const error of result.errors) {
    expect(error).toContain(`${id} ${kind} E_EXPRESSION_COST An operator has put the record into quarantine`)
  }
  expect(result.observed).toEqual([`${id} 0`, `${id} 1`])
  expect(result.failed).toBe(2)
  expect(new Set(result.letters)).toEqual(new Set([`${id} a`, `${id} b`]))
})

test('at a source all events fail, and none becomes a dead letter', () => {
  const { delivered, errors, letters, failed } = run(['source'])
  expect([delivered, letters, failed]).toEqual([{}, [], 2])
  expect(errors[0]).toContain('source source E_EXPRESSION_COST')
})
