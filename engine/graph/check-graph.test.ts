import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { catalogueWith } from '../../test/support/catalogue-with.ts'
import { declaredTypes, notes, relay } from '../../test/support/toy-nodes.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { checkGraph } from './check-graph.ts'

function node(
  id: string,
  kind: NodeDocument['kind'],
  type: string,
  inputs: string[],
  config: JsonObject = {},
): NodeDocument {
  return { id, kind, type, title: null, user_config: config, inputs }
}

const TYPES = catalogueWith(declaredTypes)
const source = node('in', 'source', 'log-analysis-ingestion', [])
const sink = (...inputs: string[]) => node('out', 'sink', 'blackhole', inputs)
const filter = (id: string, ...inputs: string[]) => node(id, 'transform', 'filter', inputs)
const route = (id: string, ...inputs: string[]) =>
  node(id, 'transform', 'route', inputs, {
    conditionals: [{ label: 'hot', conditional: { expressions: [] }, _output_name: 'aaaaaaaa' }],
  })

function problemsOf(nodes: NodeDocument[], allowUnconnected = true): string[] {
  return checkGraph(TYPES, { nodes }, { allowUnconnected }).map(
    ({ nodeId, instancePath, message }) => `${nodeId} ${instancePath} ${message}`,
  )
}

describe('a graph', () => {
  test('from a source to a sink is valid, and so is an empty one', () => {
    expect(problemsOf([source, filter('f', 'in'), sink('f', 'in')], false)).toEqual([])
    expect(problemsOf([], false)).toEqual([])
  })

  test.each([
    ['a destination whose requests nothing carries', node('out', 'sink', 'relay', ['in'])],
    ['a source that nothing opens', node('shelf', 'source', 'notes', [])],
  ])('is refused with %s', (_name, refused) => {
    const catalogue = catalogueWith({ sources: [notes], destinations: [relay] })
    expect(checkGraph(catalogue, { nodes: [source, refused] }, { allowUnconnected: true })).toEqual([
      {
        nodeId: refused.id,
        instancePath: '/type',
        message: expect.stringContaining('is not available on this server yet'),
      },
    ])
  })

  test('is refused with options that can be saved but not run', () => {
    const reduce = node('r', 'transform', 'reduce', ['in'], {
      date_formats: [
        { field: '.at', format: '%F' },
        { field: '.on', format: 'nonsense' },
      ],
    })
    expect(problemsOf([source, reduce, sink('r')])).toEqual([
      'r /user_config/date_formats/1/format must be a valid time format: it has no date',
    ])
  })

  test('can use every output of a route, and no similar name', () => {
    expect(problemsOf([source, route('r', 'in'), sink('r.aaaaaaaa', 'r._unmatched')], false)).toEqual([])
    const refused = 'must be an output of another node of this pipeline'
    expect(problemsOf([source, route('r', 'in'), sink('r', 'r.bbbbbbbb', 'in.aaaaaaaa', 'gone')])).toEqual([
      `out /inputs/0 ${refused}`,
      `out /inputs/1 ${refused}`,
      `out /inputs/2 ${refused}`,
      `out /inputs/3 ${refused}`,
    ])
  })

  test('has no sinks among its inputs, no inputs at sources, and no input twice', () => {
    expect(problemsOf([source, sink('in'), filter('f', 'out')])).toEqual([
      'f /inputs/0 must be an output of another node of this pipeline',
    ])
    expect(problemsOf([filter('f'), { ...source, inputs: ['f'] }])).toEqual([
      'in /inputs must NOT have more than 0 items',
    ])
    expect(problemsOf([source, sink('in', 'in')])).toEqual(['out /inputs/1 must NOT have duplicate items'])
  })

  test('reports exactly the inputs that close a circle, in any graph', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    const graph = fc.array(fc.subarray(ids), { minLength: ids.length, maxLength: ids.length })
    fc.assert(
      fc.property(graph, inputsOf => {
        const from = new Map(ids.map((id, index) => [id, inputsOf[index] ?? []]))
        const isBehind = (id: string, wanted: string, seen = new Set<string>()): boolean =>
          id === wanted ||
          (!seen.has(id) && (from.get(id) ?? []).some(input => isBehind(input, wanted, seen.add(id))))
        const blamed = ids.flatMap(id => {
          const index = (from.get(id) ?? []).findIndex(input => isBehind(input, id))
          return index < 0 ? [] : [`${id} /inputs/${index} must NOT lead back to the node itself`]
        })
        expect(problemsOf(ids.map(id => filter(id, ...(from.get(id) ?? []))))).toEqual(blamed)
      }),
      { numRuns: 500 },
    )
  })

  test('of a thousand nodes in one circle is judged, and all of them are reported', () => {
    const ring = Array.from({ length: 1000 }, (_, index) => filter(`${index}`, `${(index + 1) % 1000}`))
    expect(problemsOf(ring)).toHaveLength(1000)
  })

  test('has no circles, and nodes behind one are not reported', () => {
    const message = 'must NOT lead back to the node itself'
    expect(
      problemsOf([
        source,
        filter('a', 'in', 'c'),
        filter('b', 'a'),
        filter('c', 'b'),
        filter('d', 'c'),
        sink('d'),
      ]),
    ).toEqual([`a /inputs/1 ${message}`, `b /inputs/0 ${message}`, `c /inputs/0 ${message}`])
    expect(problemsOf([filter('a', 'a')])).toEqual([`a /inputs/0 ${message}`])
    expect(problemsOf([route('r', 'r._unmatched')])).toEqual([`r /inputs/0 ${message}`])
  })

  test('has every node connected, unless that is allowed', () => {
    const loose = [source, filter('f'), sink()]
    expect(problemsOf(loose)).toEqual([])
    expect(problemsOf(loose, false)).toEqual([
      'in  must have an output that leads to another node',
      'f /inputs must NOT have fewer than 1 items',
      'f  must have an output that leads to another node',
      'out /inputs must NOT have fewer than 1 items',
    ])
    expect(problemsOf([source, route('r', 'in'), sink('r.aaaaaaaa')], false)).toEqual([])
  })

  test('has only nodes that this program runs, each once', () => {
    expect(problemsOf([node('h', 'source', 'declared-source', [])])).toEqual([
      'h /type "declared-source" is not available on this server yet: the source h is kept, and cannot be published',
    ])
    expect(problemsOf([source, source])).toEqual(['in /id must NOT be the id of another node'])
  })
})

describe('outputs', () => {
  test('are the id for a plain node, one per rule with the rest first for a route, and none for a sink', () => {
    expect(CATALOGUE.outputsOf(source)).toEqual([{ id: 'in', label: 'Default' }])
    expect(CATALOGUE.outputsOf(sink())).toEqual([])
    expect(CATALOGUE.outputsOf(route('r')).map(({ id, label }) => [id, label])).toEqual([
      ['r._unmatched', 'Unmatched'],
      ['r.aaaaaaaa', 'hot'],
    ])
  })
})
