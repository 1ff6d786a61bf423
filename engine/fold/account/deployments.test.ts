import { beforeEach, expect, test } from 'vitest'
import { lineBatchValue } from '../../../test/support/line-batches.ts'
import { node, SOURCE } from '../../../test/support/world.ts'
import { Event } from '../../event/event.ts'
import { compileGraph } from '../../graph/compile-graph.ts'
import { LineBatchView } from '../../lines/columns/line-batch-view.ts'
import { CATALOGUE } from '../../nodes/catalogue.ts'
import { HOUR_MS } from '../../times/duration.ts'
import { AccountRules } from '../rules/account-rules.ts'
import { AccountActivity } from './account-activity.ts'
import { DeployedRevision } from './deployed-revision.ts'
import { Deployments } from './deployments.ts'
import { NodeMemories } from './node-memories.ts'

const LIMIT = node('transform', 'limit', 'throttle', ['source'], { threshold: 1, window_ms: 1_000 })

let deployments: Deployments
beforeEach(() => {
  deployments = new Deployments()
})

function revision(
  version: number,
  { pipeline = 'p', paused = false, previous = undefined as DeployedRevision | undefined } = {},
) {
  const document = { id: pipeline, accountId: 'a', title: 'p', revision: version, nodes: [SOURCE, LIMIT] }
  const graph = compileGraph(CATALOGUE, document, previous?.graph)
  return new DeployedRevision(graph, { version, ownStores: new Map(), sendingSinks: new Map(), paused })
}

const versions = () => [...deployments.revisions()].map(([pipeline, { version }]) => `${pipeline} ${version}`)

test('pipelines are in the order of their ids, not of their publication', () => {
  deployments.put('b', revision(1, { pipeline: 'b' }))
  deployments.put('a', revision(1, { pipeline: 'a' }))
  deployments.put('b', revision(2, { pipeline: 'b' }))
  expect(versions()).toEqual(['a 1', 'b 2'])
})

test('a revision retires once no partition sends events of it, and an hour has passed', () => {
  deployments.put('p', revision(1))
  deployments.retire('p', 0)
  deployments.put('p', revision(2))
  expect(versions()).toEqual(['p 2', 'p 1'])
  expect([...deployments.kept()]).toMatchObject([{ version: 1, replacedMs: 0 }])
  const forgotten = (timeMs: number, least: number) =>
    [...deployments.forget(timeMs, () => least)].map(({ revision }) => revision.version)
  expect(forgotten(HOUR_MS - 1, 2)).toEqual([])
  expect(forgotten(HOUR_MS, 1)).toEqual([])
  expect(forgotten(HOUR_MS, 2)).toEqual([1])
  expect(deployments.knows('p', 1)).toBe(false)
})

test('two revisions with a shared state have one state, that of the newer version', async () => {
  const first = revision(1)
  deployments.put('p', first)
  deployments.retire('p', 0)
  deployments.put('p', revision(2, { previous: first }))
  const steps = new NodeMemories(deployments).snapshot()
  let step = steps.next()
  while (!step.done) step = steps.next()
  expect(step.value).toMatchObject([{ pipeline: 'p', version: 2, node: 'limit' }])
})

test('activity is reported once: of nodes, of a paused pipeline, and of events without a reader', () => {
  const activity = new AccountActivity('a', deployments, new AccountRules())
  const events = [Event.ofLine(LineBatchView.decode(lineBatchValue([{ lines: [{ line: 'x' }] }])), 0)]
  const paused = revision(1, { paused: true })
  deployments.put('p', paused)
  paused.passOver(events)
  activity.noteUnread('route', events)
  activity.noteStranded('gone', 'node', events)
  const taken = () => [...activity.take()].filter(each => each.activity.dropped > 0).map(({ node }) => node)
  expect(taken()).toEqual(['paused', 'node', 'gateway-route-route'])
  expect(taken()).toEqual([])
})
