import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { catalogueWith } from '../../test/support/catalogue-with.ts'
import { stamp } from '../../test/support/stamp-processor.ts'
import { declaredTypes, notes, relay } from '../../test/support/toy-nodes.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { checkGraph, checkInputs, checkingGraph } from './check-graph.ts'

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

  test('is refused with options that earlier programs saved, and that cannot be run', () => {
    const reduce = node('r', 'transform', 'reduce', ['in'], {
      date_formats: [
        { field: '.at', format: '%F' },
        { field: '.on', format: 'nonsense' },
      ],
    })
    expect(problemsOf([source, reduce, sink('r')])).toEqual([
      'r /user_config/date_formats/1/format must be a valid time format, and "nonsense" is not: it has no date',
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

  test('of a thousand nodes behind a circle reads each node a few times, not once per node before it', () => {
    let looks = 0
    const counted = (each: NodeDocument, inputs: string[]) =>
      Object.defineProperty({ ...each }, 'inputs', {
        get: () => {
          looks++
          return inputs
        },
      })
    const names = Array.from({ length: 1_000 }, (_, index) => `f${index}`)
    const behind = names.map((name, index) =>
      counted(filter(name), index === 0 ? [name] : names.slice(Math.max(0, index - 20), index)),
    )
    expect(problemsOf(behind)).toEqual(['f0 /inputs/0 must NOT lead back to the node itself'])
    expect(looks).toBeLessThan(10_000)
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

test('options of nodes are checked in steps, and not at all while only inputs are', () => {
  let checked = 0
  const catalogue = catalogueWith({
    processors: [
      {
        ...stamp,
        *runProblems() {
          checked++
          yield undefined
          yield { instancePath: '/day', message: 'must be a day' }
        },
      },
    ],
  })
  const nodes = [
    source,
    node('a', 'transform', stamp.type, ['in']),
    node('b', 'transform', stamp.type, ['c']),
  ]
  expect(checkInputs(catalogue, { nodes })).toMatchObject([{ nodeId: 'b', instancePath: '/inputs/0' }])
  expect(checked).toBe(0)
  const steps = checkingGraph(catalogue, { nodes }, { allowUnconnected: true })
  const seen: number[] = []
  let next = steps.next()
  for (; !next.done; next = steps.next()) seen.push(checked)
  expect(seen).toEqual([0, 1, 1, 2, 2])
  expect(next.value.map(({ nodeId, instancePath }) => nodeId + instancePath)).toEqual([
    'a/user_config/day',
    'b/user_config/day',
    'b/inputs/0',
  ])
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
