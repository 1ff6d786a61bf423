import assert from 'node:assert'
import { type KafkaSecurity, securityProperties, securityProtocol } from './kafka-security.ts'

/** Address on which a listener binds, and address for others: `host:port`. */
export interface Listener {
  readonly bind: string
  readonly address: string
}

/** A broker that is a controller, too. */
export interface KafkaNode {
  readonly id: number
  readonly client: Listener
  /** Listener for the other brokers. */
  readonly internal: Listener
  readonly controller: Listener
}

/** Weir's largest record has 16 MB; its batch and a margin come on top. */
const LARGEST_BATCH_BYTES = 17 * 1024 * 1024

/** The settings of one of these nodes, as the text of its file. */
export function serverProperties(
  node: KafkaNode,
  nodes: readonly KafkaNode[],
  dataFolder: string,
  security: KafkaSecurity,
): string {
  const { client, internal, controller } = node
  const replication = `${nodes.length}`
  const inSync = nodes.length > 1 ? '2' : '1'
  const properties: Record<string, string> = {
    'process.roles': 'broker,controller',
    'node.id': `${node.id}`,
    'log.dirs': dataFolder,
    'controller.quorum.voters': nodes.map(each => `${each.id}@${each.controller.address}`).join(','),
    listeners: `CLIENT://${client.bind},INTERNAL://${internal.bind},CONTROLLER://${controller.bind}`,
    'advertised.listeners': `CLIENT://${client.address},INTERNAL://${internal.address}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'INTERNAL',
    'listener.security.protocol.map': `CLIENT:${securityProtocol(security)},INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT`,
    ...securityProperties(security),

    'auto.create.topics.enable': 'false',
    'default.replication.factor': replication,
    'min.insync.replicas': inSync,
    'message.max.bytes': `${LARGEST_BATCH_BYTES}`,
    'replica.fetch.max.bytes': `${LARGEST_BATCH_BYTES}`,
    'offsets.topic.replication.factor': replication,
    'transaction.state.log.replication.factor': replication,
    'transaction.state.log.min.isr': inSync,
    'share.coordinator.state.topic.replication.factor': replication,
    'share.coordinator.state.topic.min.isr': inSync,

    // Small and quick. With the short session, a killed broker can return, and its leaders move, after a second.
    'broker.heartbeat.interval.ms': '300',
    'broker.session.timeout.ms': '1000',
    'group.initial.rebalance.delay.ms': '0',
    'group.min.session.timeout.ms': '500',
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.num.partitions': '1',
    'share.coordinator.state.topic.num.partitions': '1',
    'num.network.threads': '2',
    'num.io.threads': '2',
    'background.threads': '2',
    'num.recovery.threads.per.data.dir': '1',
    'log.cleaner.threads': '1',
    'log.cleaner.dedupe.buffer.size': '2097152',
  }
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

/** A node of this machine alone. @param ports for its three listeners */
export function loopbackNode(id: number, ports: readonly number[]): KafkaNode {
  const [client, internal, controller] = ports.map(port => {
    const address = `127.0.0.1:${port}`
    return { bind: address, address }
  })
  assert(client && internal && controller, 'a node has three listeners')
  return { id, client, internal, controller }
}
