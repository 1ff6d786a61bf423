import { expect, test } from 'vitest'
import { nodeIdOf } from './node-id.ts'

test('ids of nodes are UUIDs of version 5, as others make them of the same name space and name', () => {
  expect(nodeIdOf('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe(
    '2ed6657d-e927-568b-95e1-2665a8aea6a2',
  )
})

test('a name is another node in another pipeline, and another name another one in the same', () => {
  const pipeline = '8c9b0591-0c9b-4256-bf22-7f1a18de7730'
  const ids = [
    nodeIdOf(pipeline, 'calm'),
    nodeIdOf(pipeline, 'Calm'),
    nodeIdOf('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'calm'),
  ]
  expect(new Set(ids).size).toBe(3)
  expect(nodeIdOf(pipeline, 'calm')).toBe(ids[0])
})
