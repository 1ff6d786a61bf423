import { expect, test } from 'vitest'
import { eventsOf, looseRevision, runThrough } from '../../../test/support/loose-revision.ts'
import { node, SOURCE } from '../../../test/support/world.ts'
import type { ActivityOfNode, DeployedRevision } from './deployed-revision.ts'

const NODES = [SOURCE, node('sink', 'hole', 'blackhole', ['source'])]

/** Events that went into each node, and those that it dropped. */
const shown = (activity: Iterable<ActivityOfNode>) =>
  [...activity].map(({ node, activity: { eventsIn, dropped } }) => [node, eventsIn, dropped])
const taken = (revision: DeployedRevision) => shown(revision.takeActivity())

test('the activity of every node is counted since it was last taken', () => {
  const revision = looseRevision(1, NODES)
  runThrough(revision, eventsOf('web', 'db'))
  expect(taken(revision)).toEqual([
    ['source', 2, 0],
    ['hole', 2, 0],
  ])
  runThrough(revision, eventsOf('web'))
  expect(shown(revision.lastActivity())).toEqual([
    ['source', 1, 0],
    ['hole', 1, 0],
  ])
})

test('a paused revision counts the events that it passes over, under a node of their own', () => {
  const paused = looseRevision(1, NODES, { paused: true })
  paused.passOver(eventsOf('web', 'db'))
  expect([paused.isPaused, taken(paused)[0]]).toEqual([true, ['paused', 2, 2]])
  expect(taken(paused)[0]).toEqual(['paused', 0, 0])
  const running = looseRevision(2, NODES)
  running.passOver(eventsOf('web'))
  expect([running.isPaused, taken(running).map(([node]) => node)]).toEqual([false, ['source', 'hole']])
})
