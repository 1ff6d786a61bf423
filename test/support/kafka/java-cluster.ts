import { type ChildProcess, execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Child } from '../child.ts'
import { type KafkaBroker, type KafkaCluster, kafkaCluster } from './kafka-cluster.ts'
import { copyFormatted, type KafkaKit, kafkaReady, newId, startKafka } from './kafka-kit.ts'
import { clientSecurity, type KafkaSecurity } from './kafka-security.ts'
import { takePortBlock } from './port-block.ts'
import { temporaryFolder } from './reaper.ts'
import { type KafkaNode, loopbackNode, serverProperties } from './server-properties.ts'

const LISTENERS_PER_NODE = 3
/** Three brokers share the work. */
const MEMORY_MB = { alone: 256, together: 192 }

/** Brokers of this machine's Java, on free ports and in a temporary folder. */
export async function startJavaCluster(
  kit: KafkaKit,
  count: number,
  security: KafkaSecurity,
): Promise<KafkaCluster> {
  const folder = temporaryFolder('weir-kafka-')
  const block = await takePortBlock()
  const clusterId = newId()
  const nodes = Array.from({ length: count }, (_, place) =>
    loopbackNode(place + 1, block.ports.slice(place * LISTENERS_PER_NODE, (place + 1) * LISTENERS_PER_NODE)),
  )
  const brokers = nodes.map(node => {
    const config = join(folder.path, `${node.id}.properties`)
    const data = join(folder.path, `${node.id}`)
    copyFormatted(kit, data, node.id, clusterId)
    writeFileSync(config, serverProperties(node, nodes, data, security))
    const memoryMb = count === 1 ? MEMORY_MB.alone : MEMORY_MB.together
    return javaBroker(kit, node, { config, data, memoryMb })
  })
  const stop = async () => {
    await Promise.all(brokers.map(broker => broker.kill()))
    folder.remove()
    block.release()
  }
  try {
    await Promise.all(brokers.map(broker => broker.start()))
  } catch (error) {
    await stop()
    throw error
  }
  return kafkaCluster({
    name: 'Apache Kafka from its jars',
    bootstrap: nodes.map(node => node.client.address),
    brokers,
    security: clientSecurity(security),
    stop,
  })
}

function javaBroker(
  kit: KafkaKit,
  node: KafkaNode,
  { config, data, memoryMb }: { readonly config: string; readonly data: string; readonly memoryMb: number },
): KafkaBroker {
  let running: Child | undefined
  return {
    id: node.id,
    address: node.client.address,
    data,
    get pid() {
      return running?.process.pid
    },
    async start() {
      if (running !== undefined) throw new Error(`broker ${node.id} is up already`)
      const broker = startKafka(kit, config, memoryMb)
      running = broker
      broker.process.once('close', () => {
        running = undefined
      })
      await kafkaReady(broker)
    },
    async kill(signal = 'SIGKILL') {
      await running?.kill(signal)
    },
    async pause() {
      if (running !== undefined) await stopProcess(running.process)
    },
    async resume() {
      running?.process.kill('SIGCONT')
    },
  }
}

/**
 * Resolves when the process is stopped: it receives the signal when it next has a processor, and may answer until then.
 */
async function stopProcess(child: ChildProcess): Promise<void> {
  child.kill('SIGSTOP')
  const state = async () => (await promisify(execFile)('ps', ['-o', 'state=', '-p', `${child.pid}`])).stdout
  while (!(await state()).startsWith('T'));
}
