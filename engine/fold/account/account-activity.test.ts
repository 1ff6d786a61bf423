import { beforeEach, expect, test } from 'vitest'
import { eventsOf, looseRevision, runThrough } from '../../../test/support/loose-revision.ts'
import { node, SOURCE } from '../../../test/support/world.ts'
import { AccountRules } from '../rules/account-rules.ts'
import { AccountActivity } from './account-activity.ts'
import { Deployments } from './deployments.ts'

const NODES = [SOURCE, node('sink', 'hole', 'blackhole', ['source'])]

let deployments: Deployments
let activity: AccountActivity
beforeEach(() => {
  deployments = new Deployments()
  activity = new AccountActivity('a', deployments, new AccountRules())
})

/** Names of the nodes that counted an event since the last call. */
const taken = () =>
  [...activity.take()]
    .filter(({ activity: { eventsIn } }) => eventsIn > 0)
    .map(({ account, pipeline, node }) => `${account}/${pipeline}/${node}`)

test('every node of a deployed pipeline is counted once', () => {
  const revision = looseRevision(1, NODES)
  deployments.put('p', revision)
  runThrough(revision, eventsOf('web'))
  expect(taken()).toEqual(['a/p/source', 'a/p/hole'])
  expect(taken()).toEqual([])
})

test('events outside of all pipelines are counted, too: by the default graph, and by a route that nobody reads', () => {
  activity.defaultGraph.eventsIn++
  activity.noteUnread('7', eventsOf('web'))
  expect(taken()).toEqual(['a//own-store', 'a//gateway-route-7'])
  expect(taken()).toEqual([])
})

test('nodes that no longer exist keep their last counts, until these are taken', () => {
  const revision = looseRevision(1, NODES)
  runThrough(revision, eventsOf('web'))
  activity.noteLast('p', revision.lastActivity())
  activity.noteStranded('p', 'gone', eventsOf('web'))
  expect(taken()).toEqual(['a/p/source', 'a/p/hole', 'a/p/gone'])
  expect(taken()).toEqual([])
})
