import { connect, createServer, type Server, type Socket } from 'node:net'
import kafkajs from 'kafkajs'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import { kafkaClient } from '../../engine/log/kafka/kafka-client.ts'
import { KafkaGroup } from '../../engine/log/kafka/kafka-group.ts'
import { kafkaLog } from '../../engine/log/kafka/kafka-log.ts'
import { clusterOf } from '../../engine/log/kafka/kafkajs-cluster.ts'
import { silentLogger } from '../../engine/logger.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import type { KafkaCluster } from '../support/kafka/kafka-cluster.ts'

const clock = systemClock()
const PARTITIONS = 2
/** Session that brokers allow by default; a member that waits out a whole round waits for six of them. */
const SESSION_MS = 10_000
/** Session of a member that joins and is never heard of again: others wait for it that long. */
const GHOST_SESSION_MS = 4_000

let cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup()
  cleanups = []
})

const newPrefix = () => `silent-${systemEntropy().uuid().slice(0, 8)}.`

/** A port that takes every connection and never says anything. */
async function silentPort(): Promise<{ address: string; taken: () => number }> {
  let taken = 0
  const sockets = new Set<Socket>()
  const server: Server = createServer(socket => {
    taken++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.resume()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { address: `127.0.0.1:${(server.address() as { port: number }).port}`, taken: () => taken }
}

/** A way to a broker that can be stopped: connections made before stay silent from then on, later ones work. */
async function wayTo(broker: string): Promise<{ address: string; stall: () => void }> {
  const [host, port] = broker.split(':') as [string, string]
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    const beyond = connect(Number(port), host)
    for (const each of [socket, beyond]) {
      sockets.add(each)
      each.on('error', () => {})
    }
    socket.pipe(beyond).pipe(socket)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    address: `127.0.0.1:${(server.address() as { port: number }).port}`,
    stall: () => {
      for (const socket of sockets) socket.unpipe()
    },
  }
}

async function newTopic(cluster: KafkaCluster, prefix: string): Promise<string> {
  const kafka = kafkaClient({ brokers: cluster.bootstrap, logger: silentLogger })
  const log = await kafkaLog({ kafka, clock, prefix, replication: cluster.bootstrap.length })
  await log.topic('weir.test', PARTITIONS)
  await log.close()
  return `${prefix}weir.test`
}

/** The first group of a cluster has no coordinator yet, or one that is not ready. */
async function repeated<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await call()
    } catch {
      await clock.sleep(100)
    }
  }
}

/** Lets a member join that is never heard of again; members that join then wait for a session. */
async function joinAsGhost(cluster: KafkaCluster, groupId: string, topic: string): Promise<void> {
  const connections = clusterOf(kafkaClient({ brokers: cluster.bootstrap, logger: silentLogger }))
  cleanups.push(() => connections.disconnect())
  await connections.connect()
  await connections.addMultipleTargetTopics([topic])
  const metadata = kafkajs.AssignerProtocol.MemberMetadata.encode({
    version: 1,
    topics: [topic],
    userData: Buffer.from('[]'),
  })
  const { coordinator, memberId, generationId } = await repeated(async () => {
    const found = await connections.findGroupCoordinator({ groupId })
    const joined = await found.joinGroup({
      groupId,
      sessionTimeout: GHOST_SESSION_MS,
      rebalanceTimeout: GHOST_SESSION_MS,
      memberId: '',
      protocolType: 'consumer',
      groupProtocols: [{ name: 'weir', metadata }],
    })
    return { coordinator: found, ...joined }
  })
  await coordinator.syncGroup({
    groupId,
    memberId,
    generationId,
    groupAssignment: [{ memberId, memberAssignment: Buffer.alloc(0) }],
  })
}

/** A member that begins to join, and is kept waiting. */
function joining(cluster: KafkaCluster, groupId: string, topic: string) {
  const kafka = kafkaClient({ brokers: cluster.bootstrap, logger: silentLogger })
  const options = { kafka, clock, logger: silentLogger, groupId, topic, partitions: PARTITIONS }
  const group = new KafkaGroup({ ...options, sessionTimeoutMs: SESSION_MS })
  const stop = new AbortController()
  const assigned = Promise.withResolvers<void>()
  const left = group.take(async partitions => {
    if (partitions.size === PARTITIONS) assigned.resolve()
  }, stop.signal)
  const leave = () => {
    stop.abort()
    return left
  }
  cleanups.push(leave)
  return { assigned: assigned.promise, leave }
}

/** The broker at which the group is. */
async function coordinatorOf(cluster: KafkaCluster, groupId: string, topic: string) {
  const connections = clusterOf(kafkaClient({ brokers: cluster.bootstrap, logger: silentLogger }))
  await connections.connect()
  await connections.addMultipleTargetTopics([topic])
  const { nodeId } = (await repeated(() => connections.findGroupCoordinator({ groupId }))) as unknown as {
    nodeId: number
  }
  await connections.disconnect()
  return cluster.brokers.find(({ id }) => id === Number(nodeId)) as KafkaCluster['brokers'][number]
}

await describeKafka('silent brokers among three', { brokers: 3, faults: true }, cluster => {
  test('a member whose coordinator falls silent within a round joins at the next coordinator', async () => {
    const prefix = newPrefix()
    const topic = await newTopic(cluster, prefix)
    await joinAsGhost(cluster, prefix, topic)
    const coordinator = await coordinatorOf(cluster, prefix, topic)
    const member = joining(cluster, prefix, topic)
    await clock.sleep(1_500)
    await coordinator.pause()
    cleanups.push(() => coordinator.resume())
    await member.assigned
    await coordinator.resume()
  }, 60_000)

  test('a member whose coordinator falls silent within a round can leave', async () => {
    const prefix = newPrefix()
    const topic = await newTopic(cluster, prefix)
    await joinAsGhost(cluster, prefix, topic)
    const coordinator = await coordinatorOf(cluster, prefix, topic)
    const member = joining(cluster, prefix, topic)
    await clock.sleep(1_500)
    await coordinator.pause()
    cleanups.push(() => coordinator.resume())
    await member.leave()
    await coordinator.resume()
  }, 20_000)
})

await describeKafka('connections to a broker', {}, cluster => {
  test('are made without delay when seeds are silent or unavailable and one answers', async () => {
    const silent = await silentPort()
    const brokers = [silent.address, silent.address, '127.0.0.1:1', ...cluster.bootstrap]
    const kafka = kafkaClient({ brokers, logger: silentLogger })
    const log = await kafkaLog({ kafka, clock, prefix: newPrefix(), replication: 1 })
    await log.topic('weir.test', 1)
    await log.close()
    expect(silent.taken()).toBeGreaterThan(0)
  }, 20_000)

  test('give an error with the name of a seed if none answers', async () => {
    const { address } = await silentPort()
    const kafka = kafkaClient({ brokers: [address], logger: silentLogger, requestTimeoutMs: 300 })
    await expect(kafkaLog({ kafka, clock, patienceMs: 500 })).rejects.toThrow('Kafka: ')
  }, 20_000)

  test('are not used again after a request on them has timed out', async () => {
    const way = await wayTo(cluster.bootstrap[0] as string)
    const kafka = kafkaClient({ brokers: [way.address], logger: silentLogger, requestTimeoutMs: 500 })
    const connections = clusterOf(kafka)
    cleanups.push(() => connections.disconnect())
    await connections.connect()
    way.stall()
    await expect(connections.refreshMetadata()).rejects.toThrow('timed out')
    await clock.sleep(50)
    // A connection that is made now works.
    await connections.connect()
    await connections.refreshMetadata()
  }, 20_000)
})
