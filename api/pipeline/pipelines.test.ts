import { expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { bootstrap } from '../../engine/configuration/bootstrap.ts'
import { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { accessKeys, gatewayRoutes } from '../../engine/configuration/entities.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import type { Topic } from '../../engine/log/log.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { LoopTurns } from '../../engine/turns/loop-turns.ts'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import type { Caller } from '../auth/caller.ts'
import { GatewayRouteService } from './gateway-route-service.ts'
import { Nodes } from './nodes.ts'
import { Pipelines } from './pipelines.ts'
import { publish } from './publish.ts'

const clock = manualClock()
const replayTurns = new LoopTurns(clock)

/** Services of one process; several processes share a topic. */
async function newProcess(topic: Topic, seed: number) {
  const entropy = seededEntropy(seed)
  const secretKey = Buffer.alloc(32, 1)
  const configuration = await ConfigurationLog.open({
    topic,
    clock,
    entropy,
    secretKey,
    logger: silentLogger,
  })
  const ports = { catalogue: CATALOGUE, configuration, clock, entropy }
  const pipelines = new Pipelines(ports)
  return { ...ports, pipelines, nodes: new Nodes(pipelines, ports, {}) }
}

async function twoProcesses() {
  const topic = await memoryLog({ clock, entropy: seededEntropy(1) }).topic(CONFIG_TOPIC, 1)
  const first = await newProcess(topic, 2)
  await bootstrap(first.configuration, first, { accountId: '507f1f77bc' })
  const second = await newProcess(topic, 3)
  const caller: Caller = {
    subjectId: 'tester',
    credential: { id: 'k', scope: null, expiresAtMs: null },
    accessType: 'service',
    role: 'admin',
    delegated: false,
    account: { shortId: '507f1f77bc', id: 'x', retentionDays: 30, ingestionSuspended: false },
  }
  const { pipeline } = await first.pipelines.create(caller, { title: 'P' })
  await second.configuration.catchUp()
  return { processes: [first, second] as const, caller, id: pipeline.id }
}

const body = { sent: { type: 'drop-fields', user_config: { fields: ['.x'] } }, findings: [] }

test('processes that change one pipeline at the same time lose none of the changes', async () => {
  const { processes, caller, id } = await twoProcesses()
  const work = Array.from({ length: 20 }, (_, index) =>
    processes[index % 2 === 0 ? 0 : 1].nodes.create(caller, id, 'transform', body),
  )
  const created = await Promise.all(work)
  for (const { configuration, pipelines } of processes) {
    await configuration.catchUp()
    const held = pipelines.get(caller, id).draft.value.nodes.map(node => node.id)
    expect(held.sort()).toEqual(created.map(({ node }) => node.id).sort())
  }
})

test('a change of a pipeline that another process has just deleted is 404', async () => {
  const { processes, caller, id } = await twoProcesses()
  const [first, second] = processes
  await first.pipelines.delete(caller, id)
  await expect(second.nodes.create(caller, id, 'transform', body)).rejects.toMatchObject({ status: 404 })
})

const pushBody = (route?: string) => ({
  sent: { type: 'http', ...(route === undefined ? {} : { gateway_route_id: route }) },
  findings: [],
})

test('a route whose last source is removed while another process joins it is either kept or not joined', async () => {
  const { processes, caller, id } = await twoProcesses()
  const [first, second] = processes
  const { pipeline } = await first.pipelines.create(caller, { title: 'Q' })
  for (const joinsFirst of [true, false]) {
    const { node: maker } = await first.nodes.create(caller, id, 'source', pushBody())
    await second.configuration.catchUp()
    const join = () => second.nodes.create(caller, pipeline.id, 'source', pushBody(maker.id))
    const leave = () => first.nodes.delete(caller, { pipeline: id, kind: 'source', node: maker.id })
    const [joined, left] = joinsFirst
      ? await Promise.allSettled([join(), leave()])
      : (await Promise.allSettled([leave(), join()])).toReversed()
    expect(left?.status).toBe('fulfilled')
    await first.configuration.catchUp()
    const isKept = first.configuration.get(gatewayRoutes, maker.id) !== undefined
    expect([isKept, joined?.status]).toEqual([joinsFirst, joinsFirst ? 'fulfilled' : 'rejected'])
    if (joined?.status === 'rejected')
      expect(joined.reason.problems).toMatchObject([{ instancePath: '/gateway_route_id' }])
  }
})

test('a route is deleted when two processes remove its last two sources at the same time', async () => {
  const { processes, caller, id } = await twoProcesses()
  const [first, second] = processes
  const { pipeline } = await first.pipelines.create(caller, { title: 'Q' })
  const { node: maker } = await first.nodes.create(caller, id, 'source', pushBody())
  const { node: other } = await first.nodes.create(caller, pipeline.id, 'source', pushBody(maker.id))
  await second.configuration.catchUp()
  await Promise.all([
    first.nodes.delete(caller, { pipeline: id, kind: 'source', node: maker.id }),
    second.nodes.delete(caller, { pipeline: pipeline.id, kind: 'source', node: other.id }),
  ])
  await first.configuration.catchUp()
  expect(first.configuration.list(gatewayRoutes)).toEqual([])
})

test('a route that another process deletes at the same time leaves no access key', async () => {
  const { processes, caller } = await twoProcesses()
  const [first, second] = processes.map(each => new GatewayRouteService(each.pipelines, each)) as [
    GatewayRouteService,
    GatewayRouteService,
  ]
  const route = await first.create(caller, { sent: { title: 'R', type: 'http' }, findings: [] })
  await processes[1].configuration.catchUp()
  const key = { sent: { title: 'K', type: 'generated' }, findings: [] }
  const [created, deleted] = await Promise.allSettled([
    second.createAccessKey(caller, route.id, key),
    first.delete(caller, route.id),
  ])
  expect([created?.status, deleted?.status]).toEqual(['fulfilled', 'fulfilled'])
  await processes[1].configuration.catchUp()
  for (const { configuration } of processes) expect(configuration.list(accessKeys)).toEqual([])
})

test('of two processes that publish at the same time one reports that nothing has changed', async () => {
  const { processes, caller, id } = await twoProcesses()
  const options = { allowUnconnected: true, isOwnHost: () => true }
  const outcomes = await Promise.allSettled(
    processes.map(each => publish(each.pipelines, { ...each, replayTurns }, caller, id, options)),
  )
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  expect(refused).toEqual([{ status: 'rejected', reason: expect.objectContaining({ code: 'ENOCHANGES' }) }])
})
