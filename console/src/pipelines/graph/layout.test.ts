import { expect, test } from 'vitest'
import type { PipelineFile } from '../document/file.ts'
import { laidOut } from './layout.ts'

const DOCUMENT: PipelineFile = {
  weir: 'pipeline/1',
  title: 'By level',
  sources: [{ name: 'lines', type: 'log-analysis-ingestion' }],
  processors: [
    {
      name: 'by-level',
      type: 'route',
      inputs: ['lines'],
      config: { conditionals: [{ label: 'debug' }, { label: 'error' }] },
    },
    { name: 'calm', type: 'throttle', inputs: ['by-level.debug'] },
  ],
  destinations: [
    { name: 'store', type: 'log-analysis', inputs: ['calm', 'by-level._unmatched', 'by-level.error'] },
  ],
}

test.each([
  { ofNodes: false, ofEdges: false },
  { ofNodes: true, ofEdges: true },
])('connections go around the nodes between theirs, with %o', shown => {
  const { nodes, crossings } = laidOut(DOCUMENT, shown)
  const between = nodes.find(({ placed }) => placed.node.name === 'calm')!
  const heights = ['by-level._unmatched store', 'by-level.error store'].map(id => {
    const [crossing, ...more] = crossings.get(id)!
    expect(more).toEqual([])
    expect([crossing!.left, crossing!.right]).toEqual([between.x, between.x + 208])
    expect(crossing!.y < between.y || crossing!.y > between.y + between.height, id).toBe(true)
    return crossing!.y
  })
  expect(heights[0]).not.toBe(heights[1])
  expect(crossings.get('lines by-level')).toEqual([])
})
