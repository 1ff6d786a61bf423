import kafkajs, { type Admin, type AdminConfig } from 'kafkajs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Clock } from '../../engine/clock/clock.ts'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import { kafkaClient } from '../../engine/log/kafka/kafka-client.ts'
import { kafkaLog } from '../../engine/log/kafka/kafka-log.ts'
import { type Logger, silentLogger } from '../../engine/logger.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { withReplaced } from '../support/replaced-methods.ts'

const clock = systemClock()
const TOPIC = 'weir.test'
/** All that Weir asks of a topic but its copies. */
const SETTINGS = {
  'message.timestamp.type': 'LogAppendTime',
  'retention.ms': '-1',
  'max.message.bytes': '16842752',
}

await describeKafka('copies of topics', { brokers: 3, faults: true }, cluster => {
  let admin: Admin
  let prefix: string

  beforeEach(async () => {
    prefix = `copies-${systemEntropy().uuid().slice(0, 8)}.`
    admin = cluster.client().admin()
    await admin.connect()
  })
  afterEach(() => admin.disconnect())

  async function create(copies: number, inSync: number): Promise<void> {
    const settings = { ...SETTINGS, 'min.insync.replicas': String(inSync) }
    const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }))
    const topic = `${prefix}${TOPIC}`
    await admin.createTopics({
      topics: [{ topic, numPartitions: 2, replicationFactor: copies, configEntries }],
    })
  }

  /** @returns its warnings */
  async function open(replication?: number, by: Clock = clock): Promise<string[]> {
    const warnings: string[] = []
    const logger: Logger = { ...silentLogger, warn: (_, message) => warnings.push(message) }
    const kafka = kafkaClient({ brokers: cluster.bootstrap, logger: silentLogger })
    const log = await kafkaLog({ kafka, clock: by, logger, prefix, replication })
    try {
      const topic = await log.topic(TOPIC, 2)
      await topic.append(0, { value: Buffer.from('x'), producer: null, priority: 'ingest' })
      return warnings
    } finally {
      await log.close()
    }
  }

  async function replicas(): Promise<number[]> {
    const { topics } = await admin.fetchTopicMetadata({ topics: [`${prefix}${TOPIC}`] })
    return topics.flatMap(({ partitions }) => partitions.map(partition => partition.replicas.length))
  }

  async function untilBrokers(count: number): Promise<void> {
    while ((await admin.describeCluster()).brokers.length !== count) await clock.sleep(100)
  }

  test('are three, although the third broker starts only during the first start', async () => {
    await cluster.brokers[2]?.kill()
    await untilBrokers(2)
    // A machine may take its time to start a broker: the clock that says how long is waited for it goes slowly.
    const slowly = { ...clock, monotonicMs: () => clock.monotonicMs() / 10 }
    const opened = open(undefined, slowly)
    await clock.sleep(500)
    await cluster.brokers[2]?.start()
    expect(await opened).toEqual([])
    expect(await replicas()).toEqual([3, 3])
  }, 60_000)

  test('are as many as there are brokers when no more start, and a message says so', async () => {
    await cluster.brokers[2]?.kill()
    await untilBrokers(2)
    expect(await open()).toEqual([
      'topics are created with 2 copies of each record, as Kafka has 2 brokers now, and they keep that ' +
        'number when brokers are added: set KAFKA_REPLICATION to the number of copies',
    ])
    expect(await replicas()).toEqual([2, 2])
    await cluster.brokers[2]?.start()
    await untilBrokers(3)
    expect(await open()).toEqual([
      `ACKNOWLEDGED LINES CAN BE LOST: topic ${prefix}${TOPIC} has 2 copies of each record where 3 are wanted; give ` +
        `${prefix}${TOPIC} 3 copies of each record with kafka-reassign-partitions.sh and set its ` +
        'min.insync.replicas=2 with kafka-configs.sh',
    ])
  }, 60_000)

  test('are counted again when the broker that was asked refuses connections, as one that starts does', async () => {
    const kafka = kafkaClient({ brokers: cluster.bootstrap, logger: silentLogger })
    let asked = 0
    const startingAdmin = (config?: AdminConfig) => {
      const admin = kafka.admin(config)
      return withReplaced(admin, {
        describeCluster: async () => {
          if (++asked > 2) return admin.describeCluster()
          throw new kafkajs.KafkaJSConnectionError('connect ECONNREFUSED')
        },
      })
    }
    const log = await kafkaLog({ kafka: withReplaced(kafka, { admin: startingAdmin }), clock, prefix })
    await log.topic(TOPIC, 2)
    await log.close()
    expect(asked).toBeGreaterThan(2)
  })

  test('that are fewer than KAFKA_REPLICATION are refused, with the remedy', async () => {
    await create(1, 1)
    await expect(open(3)).rejects.toThrow(
      `topic ${prefix}${TOPIC} has 1 copy of each record where 3 are wanted; give ${prefix}${TOPIC} 3 copies of each ` +
        'record with kafka-reassign-partitions.sh and set its min.insync.replicas=2 with kafka-configs.sh, or set ' +
        'KAFKA_REPLICATION to the intended number (it is 3)',
    )
    expect(await open(1)).toEqual([])
  })

  test('of which a single one must have a record are refused or reported, too', async () => {
    await create(3, 1)
    await expect(open(3)).rejects.toThrow('has min.insync.replicas=1')
    expect(await open()).toEqual([expect.stringContaining('has min.insync.replicas=1')])
  })
})
