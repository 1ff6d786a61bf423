import { expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { bootstrap } from '../../engine/configuration/bootstrap.ts'
import { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import type { Topic } from '../../engine/log/log.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { CONFIG_TOPIC } from '../../engine/log/topics.ts'
import { silentLogger } from '../../engine/logger.ts'
import type { Caller } from '../auth/caller.ts'
import { Nodes } from './nodes.ts'
import { Pipelines } from './pipelines.ts'
import { publish } from './publish.ts'

const clock = manualClock()

/** What one process has; several share a topic. */
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
  const ports = { configuration, clock, entropy }
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

test('a change of a pipeline that another process deleted meanwhile is 404', async () => {
  const { processes, caller, id } = await twoProcesses()
  const [first, second] = processes
  await first.pipelines.delete(caller, id)
  await expect(second.nodes.create(caller, id, 'transform', body)).rejects.toMatchObject({ status: 404 })
})

test('of two processes that publish at the same time one finds that nothing has changed', async () => {
  const { processes, caller, id } = await twoProcesses()
  const options = { allowUnconnected: true, isOwnHost: () => true }
  const outcomes = await Promise.allSettled(
    processes.map(each => publish(each.pipelines, each, caller, id, options)),
  )
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  expect(refused).toEqual([{ status: 'rejected', reason: expect.objectContaining({ code: 'ENOCHANGES' }) }])
})
