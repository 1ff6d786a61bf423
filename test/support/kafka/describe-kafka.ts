import { afterAll, beforeAll, describe } from 'vitest'
import type { KafkaCluster } from './kafka-cluster.ts'
import { type KafkaNeeds, kafkaAtHand } from './kafka-support.ts'

const START_TIMEOUT_MS = 120_000

/**
 * Tests with a Kafka that they share, started before the first of them; skipped, loudly, when there is none.
 * Await it: whether there is one must be known before tests are counted.
 *
 * @param tests its cluster answers within tests and hooks, not yet while they are declared
 */
export async function describeKafka(
  name: string,
  needs: KafkaNeeds,
  tests: (cluster: KafkaCluster) => void,
): Promise<void> {
  const kafka = await kafkaAtHand(needs)
  describe.skipIf(kafka === undefined)(name, () => {
    let started: KafkaCluster | undefined
    beforeAll(async () => {
      started = await kafka?.start()
    }, START_TIMEOUT_MS)
    afterAll(() => started?.stop())
    tests(lateCluster(() => started))
  })
}

function lateCluster(current: () => KafkaCluster | undefined): KafkaCluster {
  const cluster = () => {
    const started = current()
    if (started === undefined) throw new Error('the cluster is there within tests and hooks only')
    return started
  }
  return {
    get name() {
      return cluster().name
    },
    get bootstrap() {
      return cluster().bootstrap
    },
    get brokers() {
      return cluster().brokers
    },
    get security() {
      return cluster().security
    },
    client: config => cluster().client(config),
    stop: () => cluster().stop(),
  }
}
