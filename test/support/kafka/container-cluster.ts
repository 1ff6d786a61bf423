import {
  GenericContainer,
  getContainerRuntimeClient,
  Network,
  type StartedNetwork,
  type StartedTestContainer,
  Wait,
} from 'testcontainers'
import { type KafkaBroker, type KafkaCluster, kafkaCluster } from './kafka-cluster.ts'
import { newId } from './kafka-kit.ts'
import { clientSecurity, type KafkaSecurity, scramArguments } from './kafka-security.ts'
import { takePortBlock } from './port-block.ts'
import { type KafkaNode, serverProperties } from './server-properties.ts'

/** The version in pom.xml. */
const IMAGE = process.env.WEIR_TEST_KAFKA_IMAGE ?? 'apache/kafka:4.4.0'
const CONFIG = '/tmp/weir.properties'
const DATA = '/tmp/weir-data'
const INTERNAL_PORT = 9093
const CONTROLLER_PORT = 9094

/** Brokers in containers of one network; clients reach each by a port of the host that stays the same. */
export async function startContainerCluster(count: number, security: KafkaSecurity): Promise<KafkaCluster> {
  const runtime = await getContainerRuntimeClient()
  const network = await new Network().start()
  const block = await takePortBlock()
  const nodes = block.ports
    .slice(0, count)
    .map((port, place) => containerNode(place + 1, runtime.info.containerRuntime.host, port))
  const clusterId = newId()
  const starts = await Promise.allSettled(
    nodes.map((node, place) => {
      const properties = serverProperties(node, nodes, DATA, security)
      return startContainer(node, block.ports[place] as number, network, properties, clusterId)
    }),
  )
  const containers = starts.flatMap(start => (start.status === 'fulfilled' ? [start.value] : []))
  const stop = async () => {
    await Promise.all(containers.map(container => container.stop()))
    await network.stop()
    block.release()
  }
  const failure = starts.find(start => start.status === 'rejected')
  if (failure) {
    await stop()
    throw failure.reason
  }
  return kafkaCluster({
    name: `${IMAGE} in a container`,
    bootstrap: nodes.map(node => node.client.address),
    brokers: nodes.map((node, place) => containerBroker(node, containers[place] as StartedTestContainer)),
    security: clientSecurity(security),
    stop,
  })
}

function containerNode(id: number, host: string, port: number): KafkaNode {
  const inside = (insidePort: number) => ({
    bind: `0.0.0.0:${insidePort}`,
    address: `${aliasOf(id)}:${insidePort}`,
  })
  return {
    id,
    client: { bind: `0.0.0.0:${port}`, address: `${host}:${port}` },
    internal: inside(INTERNAL_PORT),
    controller: inside(CONTROLLER_PORT),
  }
}

function aliasOf(id: number): string {
  return `broker-${id}`
}

function startContainer(
  node: KafkaNode,
  port: number,
  network: StartedNetwork,
  properties: string,
  clusterId: string,
): Promise<StartedTestContainer> {
  const scram = scramArguments()
    .map(argument => `'${argument}'`)
    .join(' ')
  const format = `/opt/kafka/bin/kafka-storage.sh format --ignore-formatted --cluster-id ${clusterId} --config ${CONFIG} ${scram}`
  return new GenericContainer(IMAGE)
    .withNetwork(network)
    .withNetworkAliases(aliasOf(node.id))
    .withExposedPorts({ container: port, host: port })
    .withCopyContentToContainer([{ content: properties, target: CONFIG, mode: 0o644 }])
    .withEntrypoint(['sh', '-c', `${format} && exec /opt/kafka/bin/kafka-server-start.sh ${CONFIG}`])
    .withEnvironment({ KAFKA_HEAP_OPTS: '-Xmx256m' })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .start()
}

function containerBroker(node: KafkaNode, container: StartedTestContainer): KafkaBroker {
  const docker = async () => (await getContainerRuntimeClient()).container.getById(container.getId())
  return {
    id: node.id,
    address: node.client.address,
    pid: undefined,
    // Docker also starts a stopped container again, with its files and its port.
    start: () => container.restart(),
    async kill(signal = 'SIGKILL') {
      const handle = await docker()
      await handle.kill({ signal })
      await handle.wait()
    },
    pause: async () => (await docker()).pause(),
    resume: async () => (await docker()).unpause(),
  }
}
