import { beforeEach, expect, test } from 'vitest'
import { GATHERING } from '../../../test/support/loose-fold.ts'
import { eventsOf, looseRevision, runThrough } from '../../../test/support/loose-revision.ts'
import { node, SOURCE } from '../../../test/support/world.ts'
import { finish } from '../../steps.ts'
import { Deployments } from './deployments.ts'
import { type MemoryPiece, NodeMemories } from './node-memories.ts'

const LIMITING = [
  SOURCE,
  node('transform', 'limit', 'throttle', ['source'], { threshold: 1, window_ms: 1_000 }),
]

let deployments: Deployments
let memories: NodeMemories
beforeEach(() => {
  deployments = new Deployments()
  memories = new NodeMemories(deployments)
})

/** Pieces of the memory of all keys, which leaves the nodes. */
const split = () =>
  [...memories.split([0], () => 0)].filter((piece): piece is MemoryPiece => piece !== undefined)

test('revisions that share a memory have one in a checkpoint, under the newest version', () => {
  const first = looseRevision(1, LIMITING)
  runThrough(first, eventsOf('web'))
  deployments.put('p', first)
  deployments.retire('p', 0)
  deployments.put('p', looseRevision(2, LIMITING, { previous: first }))
  expect(finish(memories.snapshot())).toMatchObject([{ pipeline: 'p', version: 2, node: 'limit' }])
  expect(split()).toMatchObject([{ pipeline: 'p', versions: [2, 1], node: 'limit' }])
})

test('the events that a node with windows holds are counted', () => {
  const revision = looseRevision(1, GATHERING)
  deployments.put('p', revision)
  expect([...memories.holdings()]).toEqual([{ pipeline: 'p', node: 'gather', held: 0 }])
  runThrough(revision, eventsOf('web', 'web', 'db'))
  expect([...memories.holdings()]).toMatchObject([{ held: 2 }])
})

test('memory of keys that leaves a partition is added in another, if a revision that shared it is known', () => {
  const revision = looseRevision(1, GATHERING)
  deployments.put('p', revision)
  runThrough(revision, eventsOf('web', 'db'))
  const pieces = split()
  expect(pieces).toMatchObject([{ share: 0, pipeline: 'p', versions: [1], node: 'gather' }])
  expect([...memories.holdings()]).toMatchObject([{ held: 0 }])
  const moved = pieces.map(piece => ({ ...piece, offset: 0, row: 0, data: Buffer.from(piece.data) }))
  for (const each of moved) memories.absorb({ ...each, versions: [7] } as never)
  expect([...memories.holdings()]).toMatchObject([{ held: 0 }])
  for (const each of moved) memories.absorb(each as never)
  expect([...memories.holdings()]).toMatchObject([{ held: 2 }])
})
