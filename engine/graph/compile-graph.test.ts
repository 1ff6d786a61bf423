import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import type { NodeDocument, PipelineDocument } from '../../schemas/pipeline.ts'
import { catalogueWith } from '../../test/support/catalogue-with.ts'
import { quietDestination } from '../../test/support/quiet-destination.ts'
import { sentBatch } from '../../test/support/sent-lines.ts'
import { declaredTypes, notes } from '../../test/support/toy-nodes.ts'
import { Event } from '../event/event.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { finish } from '../steps.ts'
import { type CompiledGraph, compileGraph, type NodeCounters, restoredStates } from './compile-graph.ts'

/** A graph that continues from the memory of another, as behind a restart. */
function restarted(document: PipelineDocument, stopped: CompiledGraph): CompiledGraph {
  const states = finish(restoredStates(CATALOGUE, document, stopped.snapshot()))
  return compileGraph(CATALOGUE, document, undefined, states)
}

function node(
  id: string,
  kind: NodeDocument['kind'],
  type: string,
  inputs: string[],
  config: JsonObject = {},
): NodeDocument {
  return { id, kind, type, title: null, user_config: config, inputs }
}

const source = (id = 'in') => node(id, 'source', 'log-analysis-ingestion', [])
const sink = (id: string, ...inputs: string[]) => node(id, 'sink', 'blackhole', inputs)
const filter = (id: string, field: string, ...inputs: string[]) =>
  node(id, 'transform', 'filter', inputs, { action: 'allow', conditional: exists(field) })
const throttle = (id: string, config: JsonObject, ...inputs: string[]) =>
  node(id, 'transform', 'throttle', inputs, { threshold: 1, window_ms: 1000, ...config })
const route = (id: string, fields: string[], ...inputs: string[]) =>
  node(id, 'transform', 'route', inputs, {
    conditionals: fields.map(field => ({
      label: field,
      conditional: exists(field),
      _output_name: field.slice(1),
    })),
  })

function exists(field: string): JsonObject {
  return { expressions: [{ field, str_operator: 'exists' }] }
}

function pipeline(...nodes: NodeDocument[]): PipelineDocument {
  return { id: 'p', accountId: 'a', title: 'test', revision: 1, nodes }
}

function eventOf(message: JsonValue): Event {
  return Event.of(message, {}, '2031-03-09T08:15:30.250Z')
}

interface Ran {
  /** Messages by sink. */
  readonly delivered: Record<string, JsonValue[]>
  readonly errors: string[]
}

function run(graph: CompiledGraph, messages: readonly JsonValue[], nowMs = 0, routeId = 'ingest'): Ran {
  const delivered: Record<string, JsonValue[]> = {}
  const errors: string[] = []
  graph.run(routeId, messages.map(eventOf), {
    nowMs,
    deliver: ({ nodeId }, events) => {
      delivered[nodeId] = [...(delivered[nodeId] ?? []), ...events.map(event => event.message)]
    },
    report: ({ nodeId, kind, code, field, message }) =>
      errors.push([nodeId, kind, code, field, message].join(' | ')),
  })
  return { delivered, errors }
}

function expectConserved(counters: NodeCounters): void {
  const { eventsIn, copied, created, eventsOut, dropped, failed, merged, held } = counters
  expect(eventsIn + copied + created).toBe(eventsOut + dropped + failed + merged + held)
}

describe('running events', () => {
  test('go from the sources of their entrance to the sinks, in order, once per edge', () => {
    const graph = compileGraph(
      CATALOGUE,
      pipeline(source(), filter('f', '.a', 'in'), sink('all', 'in'), sink('some', 'f')),
    )
    expect(graph.reads('ingest')).toBe(true)
    expect(graph.sinks).toEqual([
      { nodeId: 'all', type: 'blackhole', config: {} },
      { nodeId: 'some', type: 'blackhole', config: {} },
    ])
    const { delivered } = run(graph, [{ a: 1 }, { b: 2 }, { a: 3 }])
    expect(delivered).toEqual({ all: [{ a: 1 }, { b: 2 }, { a: 3 }], some: [{ a: 1 }, { a: 3 }] })
    expect(graph.counters.get('in')).toMatchObject({
      eventsIn: 3,
      copied: 3,
      eventsOut: 6,
      bytesIn: 21,
      bytesOut: 42,
    })
    expect(graph.counters.get('f')).toMatchObject({
      eventsIn: 3,
      eventsOut: 2,
      dropped: 1,
      droppedBytes: 7,
      bytesOut: 14,
    })
    expect(graph.counters.get('some')).toMatchObject({ eventsIn: 2, bytesIn: 14, eventsOut: 2 })
  })

  test('of another entrance reach no pipeline', () => {
    const graph = compileGraph(CATALOGUE, pipeline(source(), sink('out', 'in')))
    expect(run(graph, [{ a: 1 }], 0, 'some-gateway').delivered).toEqual({})
    expect(compileGraph(CATALOGUE, pipeline(sink('out'))).reads('ingest')).toBe(false)
  })

  test('of several inputs are merged in the order of the lines, not of the branches', () => {
    const graph = compileGraph(
      CATALOGUE,
      pipeline(source(), filter('b', '.b', 'in'), filter('a', '.a', 'in'), sink('out', 'a', 'b')),
    )
    const { delivered } = run(graph, [{ b: 1 }, { a: 2 }, { a: 3, b: 3 }, { b: 4 }])
    expect(delivered.out).toEqual([{ b: 1 }, { a: 2 }, { a: 3, b: 3 }, { a: 3, b: 3 }, { b: 4 }])
  })

  test('that change on one branch do not change on another', () => {
    const drop = node('d', 'transform', 'drop-fields', ['in'], { fields: ['.a'] })
    const graph = compileGraph(CATALOGUE, pipeline(source(), drop, sink('changed', 'd'), sink('whole', 'in')))
    const { delivered } = run(graph, [{ a: 1, b: 2 }])
    expect(delivered).toEqual({ changed: [{ b: 2 }], whole: [{ a: 1, b: 2 }] })
    expect(graph.counters.get('d')).toMatchObject({ bytesIn: 13, bytesOut: 7 })
  })

  test('leave a route by each matching output, and an output without a target drops its copy', () => {
    const graph = compileGraph(
      CATALOGUE,
      pipeline(
        source(),
        route('r', ['.a', '.b'], 'in'),
        sink('a', 'r.a'),
        sink('rest', 'r._unmatched'),
        sink('rest too', 'r._unmatched'),
      ),
    )
    const { delivered } = run(graph, [{ a: 1, b: 1 }, { a: 2 }, { c: 3 }])
    expect(delivered).toEqual({ a: [{ a: 1, b: 1 }, { a: 2 }], rest: [{ c: 3 }], 'rest too': [{ c: 3 }] })
    expect(graph.counters.get('r')).toMatchObject({ eventsIn: 3, copied: 2, eventsOut: 4, dropped: 1 })
    const outputs = graph.outputCounters.map(({ node: id, output, counters }) => {
      const { eventsOut, copied, dropped } = counters
      return [id, output, eventsOut, copied, dropped]
    })
    expect(outputs).toEqual([
      ['r', '_unmatched', 2, 1, 0],
      ['r', 'a', 2, 0, 0],
      ['r', 'b', 0, 0, 1],
    ])
  })

  test('that reach a node without a way out are dropped, and counted as such', () => {
    const graph = compileGraph(CATALOGUE, pipeline(source(), filter('f', '.a', 'in')))
    run(graph, [{ a: 1 }, { b: 2 }])
    expect(graph.counters.get('f')).toMatchObject({ eventsIn: 2, eventsOut: 0, dropped: 2, droppedBytes: 14 })
  })

  test('that no node changes arrive as they came, without being parsed', () => {
    const batch = sentBatch([
      { line: 'one', app: 'web', meta: '{"a":1}' },
      { line: 'two', app: 'web' },
      { line: 'three', app: 'db', level: 'debug' },
    ])
    const limited = throttle('t', { key_field: '.app', exclude: exists('.level') }, 'in')
    const graph = compileGraph(CATALOGUE, pipeline(source(), limited, sink('out', 't')))
    const events = [0, 1, 2].map(index => Event.ofLine(batch, index))
    const delivered: Event[] = []
    graph.run('ingest', events, {
      nowMs: 0,
      deliver: (_sink, arrived) => {
        delivered.push(...arrived)
        return undefined
      },
      report: ({ message }) => expect.unreachable(message),
    })
    expect(delivered).toHaveLength(2)
    expect(delivered[0]).toBe(events[0])
    expect(delivered[1]).toBe(events[2])
    expect([...graph.measure()]).toEqual([
      ['t', expect.objectContaining({ buckets: 1, runs: 1, joinedPasses: 0 })],
    ])
    expect(delivered.every(event => event.untouched)).toBe(true)
    expect(graph.counters.get('t')).toMatchObject({ bytesIn: 18, bytesOut: 15, droppedBytes: 3 })
  })

  test('with errors continue, and the errors name node, place and found type', () => {
    const config = {
      action: 'drop',
      conditional: { expressions: [{ field: '.secret', str_operator: 'greater', value: 5 }] },
    }
    const graph = compileGraph(
      CATALOGUE,
      pipeline(source(), node('f', 'transform', 'filter', ['in'], config), sink('out', 'f')),
    )
    const { delivered, errors } = run(graph, [{ secret: 'hunter2' }, {}])
    expect(delivered.out).toHaveLength(2)
    expect(errors).toEqual([
      'f | transform | E_COMPARE_COERCION_FAILED | .secret | A field value cannot be turned into the type that the comparison needs at .secret (found: string).',
      'f | transform | E_NOT_FOUND | .secret | A configured field is not in the event at .secret.',
    ])
  })
})

test('cannot fill the memory by branches that join again: those beyond the numbers of a record fail', () => {
  const nodes = [source('n0')]
  for (let level = 1; level <= 22; level++) {
    const [previous] = nodes.slice(-1) as [NodeDocument]
    const inputs = level === 1 ? [previous.id] : [`${previous.id}.a`, `${previous.id}.b`]
    nodes.push(route(`n${level}`, ['.a', '.b'], ...inputs))
  }
  const graph = compileGraph(CATALOGUE, pipeline(...nodes, sink('out', 'n22.a')))
  let events = 0
  graph.run('ingest', [eventOf({ a: 1, b: 1 })], {
    nowMs: 0,
    deliver: (_sink, delivered) => {
      events += delivered.length
    },
    report: () => {},
  })
  expect(events).toBe(2 ** 20)
  for (const counters of graph.counters.values()) expectConserved(counters)
  expect(graph.counters.get('n22')?.failed).toBe(2 ** 20)
})

describe('random graphs', () => {
  const fields = ['.a', '.b', '.c']
  /** Each node may read any output of the nodes before it. */
  const document = fc
    .array(
      fc.record({
        what: fc.constantFrom('source', 'filter', 'route', 'drop', 'throttle', 'sink'),
        field: fc.constantFrom(...fields),
        picks: fc.array(fc.nat({ max: 30 }), { maxLength: 4 }),
      }),
      { minLength: 1, maxLength: 12 },
    )
    .map(specs => {
      const nodes: NodeDocument[] = [source('n0')]
      const outputs = ['n0']
      for (const [index, { what, field, picks }] of specs.entries()) {
        const id = `n${index + 1}`
        const inputs = [...new Set(picks.map(pick => outputs[pick % outputs.length] as string))]
        if (what === 'source') nodes.push(source(id))
        else if (what === 'filter') nodes.push(filter(id, field, ...inputs))
        else if (what === 'route') nodes.push(route(id, ['.a', field === '.a' ? '.b' : field], ...inputs))
        else if (what === 'throttle') nodes.push(throttle(id, { threshold: 2, key_field: field }, ...inputs))
        else if (what === 'drop')
          nodes.push(node(id, 'transform', 'drop-fields', inputs, { fields: [field] }))
        else nodes.push(sink(id, ...inputs))
        if (what === 'route') outputs.push(`${id}.a`, `${id}._unmatched`)
        else if (what !== 'sink') outputs.push(id)
      }
      return pipeline(...nodes)
    })
  const message = fc
    .record({ a: fc.nat({ max: 2 }), b: fc.nat({ max: 2 }), c: fc.nat({ max: 2 }) }, { requiredKeys: [] })
    .map(members => ({ ...members }) as JsonObject)
  const records = fc.array(
    fc.record({ nowMs: fc.nat({ max: 5000 }), messages: fc.array(message, { maxLength: 8 }) }),
    {
      maxLength: 6,
    },
  )

  test('every event is accounted for at every node, and every byte on every edge', () => {
    fc.assert(
      fc.property(document, records, (documentInHand, recordsInHand) => {
        const graph = compileGraph(CATALOGUE, documentInHand)
        for (const { nowMs, messages } of recordsInHand) run(graph, messages, nowMs)
        let eventsIn = 0
        let eventsOut = 0
        let bytesIn = 0
        let bytesOut = 0
        for (const { id, kind } of documentInHand.nodes) {
          const counters = graph.counters.get(id) as NodeCounters
          expectConserved(counters)
          for (const count of Object.values(counters)) expect(count).toBeGreaterThanOrEqual(0)
          if (kind !== 'source') eventsIn += counters.eventsIn
          if (kind !== 'source') bytesIn += counters.bytesIn
          if (kind !== 'sink') eventsOut += counters.eventsOut
          if (kind !== 'sink') bytesOut += counters.bytesOut
        }
        expect([eventsIn, bytesIn]).toEqual([eventsOut, bytesOut])
      }),
      { numRuns: 300 },
    )
  })

  test('every sink gets the events that the model predicts, line by line', () => {
    /** Copies of one message that reach a node, by a walk over the drawn graph. */
    const arrivals = (documentInHand: PipelineDocument, id: string, start: JsonObject): JsonObject[] => {
      const { kind, inputs } = documentInHand.nodes.find(other => other.id === id) as NodeDocument
      if (kind === 'source') return [start]
      return inputs.flatMap(input => {
        const [owner = '', output = ''] = input.split('.')
        const { type, user_config: config } = documentInHand.nodes.find(
          other => other.id === owner,
        ) as NodeDocument
        return arrivals(documentInHand, owner, start).flatMap(seen => {
          const has = (field: string) => Object.hasOwn(seen, field)
          const shown = JSON.stringify(config)
          if (type === 'filter') return has(shown.charAt(shown.indexOf('"field":".') + 10)) ? [seen] : []
          if (type === 'drop-fields') {
            const { [shown.charAt(shown.indexOf('[".') + 3)]: _dropped, ...rest } = seen
            return [rest]
          }
          if (type !== 'route') return [seen]
          const names = (config.conditionals as JsonObject[]).map(rule => String(rule._output_name))
          const fits = output === '_unmatched' ? !names.some(has) : has(output)
          return fits ? [seen] : []
        })
      })
    }
    const withoutThrottle = document.filter(({ nodes }) => nodes.every(({ type }) => type !== 'throttle'))
    fc.assert(
      fc.property(withoutThrottle, fc.array(message, { maxLength: 6 }), (documentInHand, messages) => {
        const { delivered } = run(compileGraph(CATALOGUE, documentInHand), messages)
        for (const { id, kind } of documentInHand.nodes) {
          if (kind !== 'sink') continue
          const expected = messages.flatMap(start => arrivals(documentInHand, id, start))
          expect(delivered[id] ?? []).toEqual(expected)
        }
      }),
      { numRuns: 200 },
    )
  })

  test('stopping anywhere and continuing from a snapshot changes nothing', () => {
    fc.assert(
      fc.property(document, records, fc.nat({ max: 6 }), (documentInHand, recordsInHand, stopAt) => {
        const straight = compileGraph(CATALOGUE, documentInHand)
        let stopped = compileGraph(CATALOGUE, documentInHand)
        for (const [index, { nowMs, messages }] of recordsInHand.entries()) {
          if (index === stopAt) stopped = restarted(documentInHand, stopped)
          expect(run(stopped, messages, nowMs)).toEqual(run(straight, messages, nowMs))
        }
      }),
      { numRuns: 100 },
    )
  })
})

describe('a new revision', () => {
  const graphOf = (config: JsonObject) => pipeline(source(), throttle('t', config, 'in'), sink('out', 't'))
  const passes = (graph: CompiledGraph, nowMs: number) =>
    run(graph, [{ k: 'x' }], nowMs).delivered.out !== undefined

  test('keeps the passed times when limit, window or exclusions change', () => {
    const first = compileGraph(CATALOGUE, graphOf({ threshold: 2, key_field: '.k' }))
    expect(passes(first, 0)).toBe(true)
    expect(passes(first, 1)).toBe(true)
    const lower = compileGraph(CATALOGUE, graphOf({ threshold: 1, key_field: '.k' }), first)
    expect(passes(lower, 999)).toBe(false)
    expect(passes(lower, 1000)).toBe(false)
    expect(passes(lower, 1001)).toBe(true)
    const longer = compileGraph(
      CATALOGUE,
      graphOf({ threshold: 1, window_ms: 5000, key_field: '.k', exclude: exists('.x') }),
      lower,
    )
    expect(passes(longer, 6000)).toBe(false)
    expect(passes(longer, 6001)).toBe(true)
  })

  test('starts empty when the key field changes, and not when "" replaces none', () => {
    const first = compileGraph(CATALOGUE, graphOf({ key_field: '.k' }))
    expect(passes(first, 0)).toBe(true)
    const other = compileGraph(CATALOGUE, graphOf({ key_field: '.other' }), first)
    expect(passes(other, 0)).toBe(true)
    const none = compileGraph(CATALOGUE, graphOf({}), other)
    expect(passes(none, 0)).toBe(true)
    expect(passes(compileGraph(CATALOGUE, graphOf({ key_field: '' }), none), 0)).toBe(false)
  })

  test('takes nothing from a node with another id', () => {
    const first = compileGraph(CATALOGUE, graphOf({}))
    expect(passes(first, 0)).toBe(true)
    const renamed = pipeline(source(), throttle('t2', {}, 'in'), sink('out', 't2'))
    expect(passes(compileGraph(CATALOGUE, renamed, first), 0)).toBe(true)
  })

  test('keeps its time, and an earlier record does not set it back', () => {
    const graph = compileGraph(CATALOGUE, graphOf({}))
    expect(passes(graph, 5000)).toBe(true)
    expect(passes(graph, 3000)).toBe(false)
    graph.tick(5999)
    expect(passes(graph, 0)).toBe(false)
    finish(graph.tick(6000))
    expect(passes(graph, 0)).toBe(true)
  })
})

describe('a document that could not have been published', () => {
  test.each<[string, PipelineDocument]>([
    ['form a cycle', pipeline(filter('a', '.x', 'b'), filter('b', '.x', 'a'))],
    ['which is not an output', pipeline(source(), sink('out', 'gone'))],
    ['no source of type', pipeline(node('n', 'source', 'declared-source', []))],
    ['no processor of type', pipeline(node('n', 'transform', 'declared-processor', []))],
    ['no destination of type', pipeline(node('n', 'sink', 'declared-destination', []))],
    ['options of node t', pipeline(throttle('t', { threshold: 0 }))],
  ])('is refused: %s', (reason, document) => {
    expect(() => compileGraph(catalogueWith(declaredTypes), document)).toThrow(reason)
  })
})

test('a destination whose requests nothing carries is refused', () => {
  const destinations = [{ ...quietDestination(), transport: 'http' as never }]
  expect(() =>
    compileGraph(catalogueWith({ destinations }), pipeline(node('n', 'sink', 'quiet', []))),
  ).toThrow('nothing carries the requests of a destination of type "quiet"')
})

test('a source that nothing opens is refused', () => {
  expect(() =>
    compileGraph(catalogueWith({ sources: [notes] }), pipeline(node('n', 'source', 'notes', []))),
  ).toThrow('nothing opens a source of type "notes"')
})

test('a source that captures no metadata omits it, even if another source of its route captures it', () => {
  const pushed = (id: string, config: JsonObject) => ({
    ...node(id, 'source', 'http', [], config),
    gateway_route_id: 'r',
  })
  const graph = compileGraph(
    CATALOGUE,
    pipeline(
      pushed('with', {}),
      pushed('without', { capture_metadata: false }),
      sink('one', 'with'),
      sink('other', 'without'),
    ),
  )
  const metadata: Record<string, JsonValue[]> = {}
  graph.run('r', [Event.of('m', { headers: { a: 'b' } }, '2031-03-09T08:15:30.250Z')], {
    nowMs: 0,
    deliver: ({ nodeId }, events) => {
      metadata[nodeId] = events.map(event => event.metadata)
    },
    report: () => {},
  })
  expect(metadata).toEqual({ one: [{ headers: { a: 'b' } }], other: [{}] })
})
