import { expect, test } from 'vitest'
import { draftChanges } from './draft-changes.ts'
import type { PipelineFile } from './file.ts'

const RUNNING: PipelineFile = {
  weir: 'pipeline/1',
  title: 'By level',
  sources: [{ name: 'lines', type: 'log-analysis-ingestion' }],
  processors: [
    { name: 'by-level', type: 'route', inputs: ['lines'], config: { conditionals: [{ label: 'debug' }] } },
    { name: 'calm', type: 'throttle', inputs: ['by-level.debug'], config: { threshold: 2 } },
  ],
  destinations: [{ name: 'store', type: 'log-analysis', inputs: ['calm', 'by-level._unmatched'] }],
}
const [route, calm] = RUNNING.processors!
const [store] = RUNNING.destinations!

test('equal documents have no changes, whatever the order of inputs', () => {
  const draft = {
    ...RUNNING,
    title: 'Another title',
    destinations: [{ ...store!, inputs: store!.inputs!.toReversed() }],
  }
  const { nodes, edges, drawn } = draftChanges(RUNNING, draft)
  expect([[...nodes], [...edges]]).toEqual([[], []])
  expect(drawn).toEqual(draft)
})

test('added, changed and removed nodes are told apart, and removed ones are drawn with their connections', () => {
  const draft: PipelineFile = {
    ...RUNNING,
    processors: [
      route!,
      { name: 'shorter', type: 'drop-fields', inputs: ['by-level.debug'], config: { fields: ['.x'] } },
    ],
    destinations: [{ ...store!, inputs: ['shorter', 'by-level._unmatched'] }],
  }
  const { nodes, edges, drawn } = draftChanges(RUNNING, draft)
  expect([...nodes]).toEqual([
    ['shorter', 'added'],
    ['calm', 'removed'],
    ['store', 'changed'],
  ])
  expect(Object.fromEntries(edges)).toEqual({
    'by-level.debug shorter': 'added',
    'shorter store': 'added',
    'by-level.debug calm': 'removed',
    'calm store': 'removed',
  })
  expect(drawn.processors?.map(({ name }) => name)).toEqual(['by-level', 'shorter', 'calm'])
  expect(drawn.destinations?.[0]?.inputs).toEqual(['shorter', 'by-level._unmatched', 'calm'])
})

test('an option that changes marks its node alone', () => {
  const draft = { ...RUNNING, processors: [route!, { ...calm!, config: { threshold: 3 } }] }
  const { nodes, edges } = draftChanges(RUNNING, draft)
  expect([[...nodes], [...edges]]).toEqual([[['calm', 'changed']], []])
})

test('a connection from an output that is gone is not drawn', () => {
  const draft: PipelineFile = {
    ...RUNNING,
    processors: [
      { ...route!, config: { conditionals: [{ label: 'error' }] } },
      { ...calm!, inputs: ['by-level.error'] },
    ],
  }
  const { nodes, edges, drawn } = draftChanges(RUNNING, draft)
  expect(Object.fromEntries(nodes)).toEqual({ 'by-level': 'changed', calm: 'changed' })
  expect([...edges]).toEqual([['by-level.error calm', 'added']])
  expect(drawn.processors?.[1]?.inputs).toEqual(['by-level.error'])
})
