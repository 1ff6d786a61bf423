import { dockerAnswers, inContainerOr } from './container.ts'
import { startContainerCluster } from './container-cluster.ts'
import { startJavaCluster } from './java-cluster.ts'
import { type KafkaCluster, kafkaCluster } from './kafka-cluster.ts'
import { kafkaKit } from './kafka-kit.ts'
import type { KafkaSecurity } from './kafka-security.ts'
import { neededOrSkipped } from './needed-or-skipped.ts'
import { sharedBroker } from './shared-broker.ts'

export interface KafkaNeeds {
  /** Three: topics have three replicas, of which two must be in step. */
  readonly brokers?: 1 | 3
  readonly security?: KafkaSecurity
  /** True: brokers that the test may kill, hold and start again, so none that were there before. */
  readonly faults?: boolean
}

/** A cluster that can be had here, not yet started. */
export interface KafkaAtHand {
  start(): Promise<KafkaCluster>
}

/**
 * A real Kafka: that of KAFKA_BROKERS if it meets the needs, else the broker of this test run if that does, else a new
 * one.
 *
 * @returns undefined when none is available; prints the reason once
 * @throws instead when WEIR_REQUIRE_KAFKA is set
 */
export async function kafkaAtHand(needs: KafkaNeeds = {}): Promise<KafkaAtHand | undefined> {
  const { brokers = 1, security = 'none', faults = false } = needs
  const isOpen = security === 'none' && !faults
  const given = process.env.KAFKA_BROKERS
  if (given && isOpen) {
    const cluster = await givenCluster(given)
    if (cluster.bootstrap.length >= brokers) return { start: async () => cluster }
  }
  const own = await ownKafkaAtHand(needs)
  const askForShared = isOpen && brokers === 1 ? sharedBroker() : undefined
  if (own === undefined || askForShared === undefined) return own
  return { start: async () => presentCluster('the broker of this run', await askForShared()) }
}

/**
 * A broker that belongs to its caller, in containers or else from Kafka's own jars. Its results are like those of
 * `kafkaAtHand`.
 */
export async function ownKafkaAtHand(needs: KafkaNeeds = {}): Promise<KafkaAtHand | undefined> {
  const { brokers = 1, security = 'none' } = needs
  const fromJars = async () => startJavaCluster(await kafkaKit(), brokers, security)
  if (dockerAnswers())
    return {
      start: () => inContainerOr(fromJars, () => startContainerCluster(brokers, security)),
    }
  try {
    await kafkaKit()
  } catch (error) {
    return neededOrSkipped('Kafka', 'KAFKA_BROKERS', (error as Error).message)
  }
  return { start: fromJars }
}

/** Like `kafkaAtHand`, started. */
export async function kafkaForTests(needs: KafkaNeeds = {}): Promise<KafkaCluster | undefined> {
  return (await kafkaAtHand(needs))?.start()
}

/** @returns with the addresses of all its brokers @throws when nothing answers there */
async function givenCluster(addresses: string): Promise<KafkaCluster> {
  const cluster = presentCluster('the Kafka of KAFKA_BROKERS', addresses.split(','))
  const admin = cluster.client({ retry: { retries: 2 } }).admin()
  try {
    await admin.connect()
    const { brokers } = await admin.describeCluster()
    return kafkaCluster({ ...cluster, bootstrap: brokers.map(({ host, port }) => `${host}:${port}`) })
  } catch (error) {
    throw new Error(`KAFKA_BROKERS (${addresses}) does not answer: start it, or unset the variable`, {
      cause: error,
    })
  } finally {
    await admin.disconnect()
  }
}

/** One that others have started, and that stays when its tests have ended. */
function presentCluster(name: string, bootstrap: readonly string[]): KafkaCluster {
  return kafkaCluster({ name, bootstrap, brokers: [], security: {}, stop: async () => {} })
}
