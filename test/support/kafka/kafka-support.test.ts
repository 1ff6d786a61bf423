import { setTimeout } from 'node:timers/promises'
import kafkajs, { type Kafka } from 'kafkajs'
import { expect, test, vi } from 'vitest'
import { describeKafka } from './describe-kafka.ts'
import type { KafkaCluster } from './kafka-cluster.ts'
import { KAFKA_USER } from './kafka-security.ts'
import { type KafkaNeeds, kafkaAtHand } from './kafka-support.ts'

const RETRY = { retries: 200, initialRetryTime: 50, maxRetryTime: 250 }
/** Kafka's number for a topic whose records bear the time of the broker. */
const LOG_APPEND_TIME = '1'
const LARGEST_RECORD_BYTES = 16 * 1024 * 1024

async function withAdmin<T>(
  kafka: Kafka,
  work: (admin: ReturnType<Kafka['admin']>) => Promise<T>,
): Promise<T> {
  const admin = kafka.admin()
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.disconnect()
  }
}

async function newTopic(kafka: Kafka): Promise<string> {
  const topic = `test-${crypto.randomUUID()}`
  const configEntries = [{ name: 'message.timestamp.type', value: 'LogAppendTime' }]
  await withAdmin(kafka, admin =>
    admin.createTopics({ topics: [{ topic, numPartitions: 1, configEntries }], waitForLeaders: true }),
  )
  return topic
}

/** @returns offsets and times of the acknowledged records */
async function produce(kafka: Kafka, topic: string, values: readonly (string | Buffer)[]) {
  const producer = kafka.producer({ createPartitioner: () => () => 0, retry: RETRY })
  await producer.connect()
  try {
    return await producer.send({
      topic,
      acks: -1,
      messages: values.map(value => ({ value, timestamp: LOG_APPEND_TIME })),
    })
  } finally {
    await producer.disconnect()
  }
}

/** The first `count` values of the topic. */
async function consume(kafka: Kafka, topic: string, count: number): Promise<Buffer[]> {
  const consumer = kafka.consumer({ groupId: `group-of-${topic}`, maxWaitTimeInMs: 100, retry: RETRY })
  const values: Buffer[] = []
  await consumer.connect()
  try {
    await consumer.subscribe({ topic, fromBeginning: true })
    await new Promise<void>((resolve, reject) => {
      consumer.on('consumer.crash', ({ payload }) => {
        if (!payload.restart) reject(payload.error)
      })
      consumer
        .run({
          eachMessage: async ({ message }) => {
            values.push(message.value as Buffer)
            if (values.length === count) resolve()
          },
        })
        .catch(reject)
    })
    return values
  } finally {
    await consumer.disconnect()
  }
}

async function leaderOf(cluster: KafkaCluster, topic: string) {
  const { topics } = await withAdmin(cluster.client(), admin => admin.fetchTopicMetadata({ topics: [topic] }))
  const broker = cluster.brokers.find(({ id }) => id === topics[0]?.partitions[0]?.leader)
  expect(broker).toBeDefined()
  return broker!
}

function worksAsKafka(cluster: KafkaCluster): void {
  test('records are kept in order with the time of the broker, and deleted up to an offset', async () => {
    const kafka = cluster.client()
    const topic = await newTopic(kafka)
    const [kept] = await produce(kafka, topic, ['a', 'b', 'c'])
    expect(kept?.baseOffset).toBe('0')
    expect(Number(kept?.logAppendTime)).toBeGreaterThan(Number(LOG_APPEND_TIME))
    await withAdmin(kafka, async admin => {
      await admin.fetchTopicOffsets(topic) // Without it kafkajs does not know the leader, and does not ask.
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '1' }] })
      expect(await admin.fetchTopicOffsets(topic)).toMatchObject([{ low: '1', high: '3' }])
    })
    expect((await consume(kafka, topic, 2)).map(String)).toEqual(['b', 'c'])
  })

  test('a record of 16 MiB passes', async () => {
    const kafka = cluster.client()
    const topic = await newTopic(kafka)
    await produce(kafka, topic, [Buffer.alloc(LARGEST_RECORD_BYTES, 'x')])
    expect((await consume(kafka, topic, 1))[0]?.length).toBe(LARGEST_RECORD_BYTES)
  })
}

await describeKafka('one broker', {}, worksAsKafka)

await describeKafka('one broker that meets faults', { faults: true }, cluster => {
  test('has its acknowledged records after it was killed and started again', async () => {
    const topic = await newTopic(cluster.client())
    await produce(cluster.client(), topic, ['before'])
    const [broker] = cluster.brokers
    await broker!.kill('SIGKILL')
    await expect(withAdmin(cluster.client({ retry: { retries: 0 } }), async () => {})).rejects.toThrow()
    await broker!.start()
    await produce(cluster.client(), topic, ['after'])
    expect((await consume(cluster.client(), topic, 2)).map(String)).toEqual(['before', 'after'])
  })

  test('acknowledges nothing while it is paused, and continues when it is resumed', async () => {
    const topic = await newTopic(cluster.client())
    const [broker] = cluster.brokers
    const producer = cluster.client({ requestTimeout: 60_000 }).producer({ createPartitioner: () => () => 0 })
    await producer.connect()
    await producer.send({ topic, messages: [{ value: 'before' }] })
    await broker!.pause()
    const during = producer.send({ topic, messages: [{ value: 'during' }] })
    expect(await Promise.race([during, setTimeout(500, 'nothing')])).toBe('nothing')
    await broker!.resume()
    expect(await during).toMatchObject([{ baseOffset: '1' }])
    await producer.disconnect()
  })
})

await describeKafka('three brokers', { brokers: 3, faults: true }, cluster => {
  worksAsKafka(cluster)

  test('have topics with three replicas, of which two must be in sync', async () => {
    const topic = await newTopic(cluster.client())
    await withAdmin(cluster.client(), async admin => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
      expect(topics[0]?.partitions[0]?.replicas.toSorted()).toEqual([1, 2, 3])
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: [
          { type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configNames: ['min.insync.replicas'] },
        ],
      })
      expect(resources[0]?.configEntries[0]?.configValue).toBe('2')
    })
  })

  test('continue with another leader of a topic after kill -9 of the first, which can return', async () => {
    const topic = await newTopic(cluster.client())
    await produce(cluster.client(), topic, ['before'])
    const leader = await leaderOf(cluster, topic)
    await leader.kill('SIGKILL')
    await produce(cluster.client(), topic, ['after'])
    expect((await leaderOf(cluster, topic)).id).not.toBe(leader.id)
    await leader.start()
    expect((await consume(cluster.client(), topic, 2)).map(String)).toEqual(['before', 'after'])
    const inSync = async () => {
      const { topics } = await withAdmin(cluster.client(), admin =>
        admin.fetchTopicMetadata({ topics: [topic] }),
      )
      return topics[0]?.partitions[0]?.isr
    }
    await vi.waitFor(async () => expect(await inSync()).toContain(leader.id), { timeout: 30_000 })
  })
})

for (const security of ['sasl-plain', 'sasl-scram', 'tls', 'tls-sasl-scram'] as const)
  await describeKafka(`a broker with ${security}`, { security }, cluster => {
    const refusal = (config: Parameters<KafkaCluster['client']>[0]) =>
      withAdmin(cluster.client({ retry: { retries: 0 }, ...config }), async () => {})

    test('accepts clients with the required credentials', async () => {
      const topic = await newTopic(cluster.client())
      expect(await produce(cluster.client(), topic, ['a'])).toMatchObject([{ baseOffset: '0' }])
    })

    if (security.includes('sasl'))
      test('refuses a wrong password', async () => {
        const sasl = { ...cluster.security.sasl, password: 'wrong' } as KafkaCluster['security']['sasl']
        await expect(refusal({ sasl: sasl! })).rejects.toThrow(/authentication failed/i)
      })

    if (security.includes('scram'))
      test('supports SCRAM-SHA-256, too', async () => {
        const sasl = (password: string) =>
          ({ mechanism: 'scram-sha-256', username: KAFKA_USER.username, password }) as const
        await expect(refusal({ sasl: sasl(KAFKA_USER.password) })).resolves.toBeUndefined()
        await expect(refusal({ sasl: sasl('wrong') })).rejects.toThrow(/authentication failed/i)
      })

    if (security.includes('tls'))
      test('is not trusted without its authority', async () => {
        await expect(refusal({ ssl: true })).rejects.toThrow(/self-signed certificate/)
      })
  })

await describeKafka('an existing Kafka', { faults: true }, cluster => {
  const found = async (addresses: string, needs: KafkaNeeds) => {
    vi.stubEnv('KAFKA_BROKERS', addresses)
    try {
      return await kafkaAtHand(needs)
    } finally {
      vi.unstubAllEnvs()
    }
  }

  test('is used unchanged, and left unchanged', async () => {
    const given = await (await found(cluster.bootstrap.join(), {}))!.start()
    expect(given.bootstrap).toEqual(cluster.bootstrap)
    expect(given.brokers).toEqual([])
    await given.stop()
    expect((await withAdmin(given.client(), admin => admin.describeCluster())).brokers).toHaveLength(1)
  })

  test('is not used for tests that need more than it offers', async () => {
    for (const needs of [{ faults: true }, { security: 'tls' }, { brokers: 3 }] as const) {
      const other = await (await found(cluster.bootstrap.join(), needs))!.start()
      expect(other.bootstrap).not.toContain(cluster.bootstrap[0])
      expect(other.brokers.length).toBeGreaterThan(0)
      await other.stop()
    }
  })

  test('is named when it does not answer', async () => {
    await expect(found('127.0.0.1:1', {})).rejects.toThrow('KAFKA_BROKERS (127.0.0.1:1) does not answer')
  })
})
