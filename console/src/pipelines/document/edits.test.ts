import { describe, expect, test } from 'vitest'
import {
  closesCircle,
  freeName,
  nodesAlone,
  placeOf,
  withChangedNode,
  withConnection,
  withNode,
  withoutConnection,
  withoutNode,
  withPastedNodes,
} from './edits.ts'
import type { PipelineFile } from './file.ts'
import { connectionsOf, nodeNamed } from './nodes.ts'

const ROUTED: PipelineFile = {
  weir: 'pipeline/1',
  title: 'P',
  sources: [{ name: 'in', type: 'log-analysis-ingestion' }],
  processors: [
    {
      name: 'split',
      type: 'route',
      inputs: ['in'],
      config: { conditionals: [{ label: 'hot' }, { label: 'cold' }] },
    },
    { name: 'few', type: 'sample', inputs: ['split.hot', 'split._unmatched'] },
  ],
  destinations: [{ name: 'out', type: 'blackhole', inputs: ['few'] }],
  alerts: [{ on: 'few', config: {} }],
}

const split = nodeNamed(ROUTED, 'split')!.node

test('a new node stands behind an output, under a name that is free', () => {
  const { document, name } = withNode(ROUTED, { kind: 'transform', type: 'sample', input: 'split.cold' })
  const second = withNode(document, { kind: 'transform', type: 'sample' })
  expect([name, second.name]).toEqual(['sample', 'sample-2'])
  expect(nodeNamed(document, 'sample')?.node.inputs).toEqual(['split.cold'])
  expect(freeName(ROUTED, 'Fewer lines, and more')).toBe('fewer-lines-and-more')
  expect(freeName(ROUTED, '!')).toBe('node')
})

test('a source takes no input', () => {
  const { document, name } = withNode(ROUTED, { kind: 'source', type: 'http', input: 'few' })
  expect(nodeNamed(document, name)?.node).toEqual({ name: 'http', type: 'http' })
})

test('a removed node leaves no connection and no alert behind', () => {
  const without = withoutNode(ROUTED, 'few')
  expect(connectionsOf(without).map(({ to }) => to)).toEqual(['split'])
  expect(without.alerts).toEqual([])
  expect(nodeNamed(without, 'out')?.node).not.toHaveProperty('inputs')
})

describe('references to the outputs of a node', () => {
  test('follow a changed label, and a changed name', () => {
    const renamed = { ...split, config: { conditionals: [{ label: 'warm' }, { label: 'cold' }] } }
    const document = withChangedNode(ROUTED, 'split', renamed)
    expect(nodeNamed(document, 'few')?.node.inputs).toEqual(['split.warm', 'split._unmatched'])
    const moved = withChangedNode(ROUTED, 'split', { ...split, name: 'way' })
    expect(nodeNamed(moved, 'few')?.node.inputs).toEqual(['way.hot', 'way._unmatched'])
  })

  test('stay as they are when the number of outputs changes', () => {
    const fewer = { ...split, config: { conditionals: [{ label: 'cold' }] } }
    const document = withChangedNode(ROUTED, 'split', fewer)
    expect(nodeNamed(document, 'few')?.node.inputs).toEqual(['split.hot', 'split._unmatched'])
  })
})

test('a connection is made once, and removed', () => {
  const made = withConnection(withConnection(ROUTED, 'split.cold', 'out'), 'split.cold', 'out')
  expect(nodeNamed(made, 'out')?.node.inputs).toEqual(['few', 'split.cold'])
  expect(nodeNamed(withoutConnection(made, 'few', 'out'), 'out')?.node.inputs).toEqual(['split.cold'])
})

test('a connection that closes a circle is found', () => {
  expect(closesCircle(ROUTED, 'few', 'split')).toBe(true)
  expect(closesCircle(ROUTED, 'split', 'split')).toBe(true)
  expect(closesCircle(ROUTED, 'in', 'few')).toBe(false)
})

test('the place of a finding is a node and a pointer into it', () => {
  expect(placeOf(ROUTED, 'processors/1/config/rate')).toEqual({ node: 'few', pointer: '/config/rate' })
  expect(placeOf(ROUTED, 'destinations/0')).toEqual({ node: 'out', pointer: '' })
  expect(placeOf(ROUTED, 'title')).toEqual({ node: undefined, pointer: '/title' })
  expect(placeOf(ROUTED, 'processors/7/type')).toEqual({ node: undefined, pointer: '/processors/7/type' })
})

describe('copied nodes', () => {
  test('keep their names and connections in a pipeline that has neither of them', () => {
    const { document, names } = withPastedNodes(
      { weir: 'pipeline/1', title: 'Q' },
      { ...ROUTED, ...nodesAlone(ROUTED, ['split', 'few']), sources: [], destinations: [] },
    )
    expect(names).toEqual(['split', 'few'])
    expect(nodeNamed(document, 'split')?.node).not.toHaveProperty('inputs')
    expect(nodeNamed(document, 'few')?.node.inputs).toEqual(['split.hot', 'split._unmatched'])
  })

  test('get numbers where they came from, and are connected with each other', () => {
    const copied = nodesAlone(ROUTED, ['split', 'few'])
    const { document, names } = withPastedNodes(ROUTED, { weir: 'pipeline/1', title: '', ...copied })
    expect(names).toEqual(['split-2', 'few-2'])
    expect(nodeNamed(document, 'split-2')?.node.inputs).toEqual(['in'])
    expect(nodeNamed(document, 'few-2')?.node.inputs).toEqual(['split-2.hot', 'split-2._unmatched'])
    expect(nodeNamed(document, 'few')).toEqual(nodeNamed(ROUTED, 'few'))
  })
})
