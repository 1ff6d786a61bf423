import { createRequire } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import kafkajs from 'kafkajs'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import { GuardedTopic } from '../../engine/log/guarded-topic.ts'
import { kafkaClient } from '../../engine/log/kafka/kafka-client.ts'
import { kafkaLog } from '../../engine/log/kafka/kafka-log.ts'
import type { Log, LogRecord, NewRecord, Topic } from '../../engine/log/log.ts'
import { Producer } from '../../engine/log/producer.ts'
import { silentLogger } from '../../engine/logger.ts'
import { logContract } from '../conformance/log-contract.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import type { KafkaCluster } from '../support/kafka/kafka-cluster.ts'
import { longTest } from '../support/long-form.ts'

const { CompressionTypes, Partitioners } = kafkajs
const clock = systemClock()
const entropy = systemEntropy()
const logs: Log[] = []

afterEach(async () => {
  for (const log of logs.splice(0)) await log.close()
})

/** Names of a test of its own: topics are never removed. */
function newPrefix(): string {
  return `test-${entropy.uuid().slice(0, 8)}.`
}

interface OpenOptions {
  readonly prefix?: string
  readonly requestTimeoutMs?: number
  readonly patienceMs?: number
}

async function openLog(cluster: KafkaCluster, options: OpenOptions = {}): Promise<Log> {
  const { prefix = newPrefix(), requestTimeoutMs, patienceMs } = options
  const kafka = kafkaClient({ brokers: cluster.bootstrap, logger: silentLogger, requestTimeoutMs })
  const log = await kafkaLog({ kafka, clock, prefix, patienceMs, replication: 1 })
  logs.push(log)
  return log
}

async function everything(topic: Topic): Promise<LogRecord[]> {
  const records: LogRecord[] = []
  const { first, next } = await topic.bounds(0)
  for (let from = first; from < next; ) {
    records.push(...(await topic.read(0, from, 1_000_000)))
    from = (records.at(-1) as LogRecord).offset + 1n
  }
  return records
}

/** Another copy of kafkajs, as it comes: the log mends the one that it uses (kafkajs-mended.ts). */
function unmendedKafkajs(): typeof import('kafkajs') {
  const require = createRequire(import.meta.url)
  for (const file of Object.keys(require.cache)) if (file.includes('/kafkajs/')) delete require.cache[file]
  return require('kafkajs') as typeof import('kafkajs')
}

/** Records that the reading side keeps: rising sequences of each producer. */
function withoutRepeats(records: readonly LogRecord[]): string[] {
  const highest = new Map<string, number>()
  return records.flatMap(({ producer, value }) => {
    if (producer === null || (highest.get(producer.id) ?? -1) >= producer.sequence) return []
    highest.set(producer.id, producer.sequence)
    return [value.toString()]
  })
}

/** Sends numbered texts one after the other until it is stopped. @returns the acknowledged ones */
async function sendNumbered(
  send: (text: string) => Promise<unknown>,
  name: string,
  signal: AbortSignal,
): Promise<string[]> {
  const acknowledged: string[] = []
  for (let number = 0; !signal.aborted; number++) {
    const text = `${name} ${number}`
    try {
      await send(text)
      acknowledged.push(text)
    } catch {
      // Unknown: it may be there, once.
    }
  }
  return acknowledged
}

/** Four senders, while the broker stands still for longer than a request may take. */
async function sendPastPause(
  cluster: KafkaCluster,
  send: (text: string) => Promise<unknown>,
): Promise<string[]> {
  const [broker] = cluster.brokers
  const over = new AbortController()
  const sending = Promise.all(['a', 'b', 'c', 'd'].map(name => sendNumbered(send, name, over.signal)))
  await clock.sleep(500)
  await broker?.pause()
  await clock.sleep(3_500)
  await broker?.resume()
  await clock.sleep(2_500)
  over.abort()
  return (await sending).flat()
}

await describeKafka('the log on Kafka', {}, cluster => {
  logContract(
    'log on Kafka',
    async () => {
      const prefix = newPrefix()
      return { open: () => openLog(cluster, { prefix }), remove: async () => {} }
    },
    { embedded: false },
  )

  test('times are those of the broker, and a record is found by its time', async () => {
    const log = await openLog(cluster)
    const topic = await log.topic('weir.test', 1)
    const value = Buffer.from('x')
    const before = clock.wallMs()
    const { appendTimeMs } = await topic.append(0, { value, producer: null, priority: 'ingest' })
    expect(Math.abs(appendTimeMs - before)).toBeLessThan(60_000)
    expect((await everything(topic))[0]?.appendTimeMs).toBe(appendTimeMs)
    expect(await topic.offsetAtTime(0, appendTimeMs)).toBe(0n)
    expect(await topic.offsetAtTime(0, appendTimeMs + 60_000)).toBeNull()
  })

  test('other clients of the broker read the records, and theirs are read, with any of three compressions', async () => {
    const prefix = newPrefix()
    const topic = await (await openLog(cluster, { prefix })).topic('weir.test', 1)
    const client = cluster.client()
    const producer = client.producer({ createPartitioner: Partitioners.DefaultPartitioner })
    await producer.connect()
    const sent: string[] = []
    for (const compression of [CompressionTypes.None, CompressionTypes.GZIP, CompressionTypes.ZSTD]) {
      const text = `compression ${compression} `.repeat(5_000)
      await producer.send({ topic: `${prefix}weir.test`, compression, messages: [{ key: 'k', value: text }] })
      const value = Buffer.from(`own ${text}`)
      await topic.append(0, { value, producer: { id: 'a', sequence: compression }, priority: 'ingest' })
      sent.push(text, value.toString())
    }
    await producer.disconnect()
    expect((await everything(topic)).map(({ value }) => value.toString())).toEqual(sent)
    const consumer = client.consumer({ groupId: prefix, maxWaitTimeInMs: 100 })
    await consumer.connect()
    await consumer.subscribe({ topic: `${prefix}weir.test`, fromBeginning: true })
    const found: string[] = []
    await new Promise<void>(all => {
      void consumer.run({
        eachMessage: async ({ message }) => {
          if (found.push(String(message.value)) === sent.length) all()
        },
      })
    })
    await consumer.disconnect()
    expect(found).toEqual(sent)
  })

  test('a record carries the end that its writer knew when it was sent, not when it waited', async () => {
    const log = await openLog(cluster)
    const inner = await log.topic('weir.test', 1)
    const topic = new GuardedTopic(inner, { look: async () => undefined, monotonicMs: () => 0 })
    const record: NewRecord = { value: Buffer.from('x'), producer: null, priority: 'ingest' }
    await topic.append(0, record)
    const first = topic.append(0, record)
    // It is on its way by now, so the next one waits for its answer.
    for (let turn = 0; turn < 3; turn++) await setImmediate()
    await Promise.all([first, topic.append(0, record)])
    expect((await everything(inner)).map(({ knownEnd }) => knownEnd)).toEqual([undefined, 1n, 2n])
  })

  test.each([
    ['message.timestamp.type', 'CreateTime', 'LogAppendTime'],
    ['retention.ms', '3600000', '-1'],
    ['retention.bytes', '1000000', '-1'],
    ['cleanup.policy', 'compact', 'delete'],
    ['max.message.bytes', '1000000', '16842752'],
  ])('a topic with %s=%s is refused', async (name, value, wanted) => {
    const prefix = newPrefix()
    const admin = cluster.client().admin()
    await admin.connect()
    const right = [
      ['message.timestamp.type', 'LogAppendTime'],
      ['retention.ms', '-1'],
      ['max.message.bytes', '16842752'],
      [name, value],
    ]
    const configEntries = [...new Map(right as [string, string][])].map(([name, value]) => ({ name, value }))
    await admin.createTopics({
      topics: [{ topic: `${prefix}weir.test`, numPartitions: 1, replicationFactor: 1, configEntries }],
    })
    await admin.disconnect()
    const log = await openLog(cluster, { prefix })
    await expect(log.topic('weir.test', 1)).rejects.toThrow(
      `topic ${prefix}weir.test has ${name}=${value}, but Weir needs ${wanted}`,
    )
  })

  test('a topic that was created again has another log id', async () => {
    const prefix = newPrefix()
    const { logId } = await (await openLog(cluster, { prefix })).topic('weir.test', 1)
    const admin = cluster.client().admin()
    await admin.connect()
    await admin.deleteTopics({ topics: [`${prefix}weir.test`] })
    await admin.disconnect()
    await clock.sleep(500)
    const again = await (await openLog(cluster, { prefix })).topic('weir.test', 1)
    expect(again.logId).not.toBe(logId)
  })

  test('idle connections have no timer that fires all the time, and there are no warnings', async () => {
    const warnings: string[] = []
    const note = (warning: Error) => warnings.push(warning.name)
    process.on('warning', note)
    const topic = await (await openLog(cluster)).topic('weir.test', 1)
    for (let count = 0; count < 20; count++)
      await topic.append(0, { value: Buffer.from('x'), producer: null, priority: 'ingest' })
    let fired = 0
    const { setTimeout: original } = globalThis
    globalThis.setTimeout = ((...args: Parameters<typeof original>) => {
      fired++
      return original(...args)
    }) as typeof original
    await new Promise(resolve => original(resolve, 500))
    globalThis.setTimeout = original
    process.off('warning', note)
    expect(warnings).toEqual([])
    expect(fired).toBeLessThan(20)
  })
})

await describeKafka(
  'a broker that is paused for longer than a request may take',
  { faults: true },
  cluster => {
    test('loses and duplicates nothing of a producer of Weir', async () => {
      const log = await openLog(cluster, { requestTimeoutMs: 1_000, patienceMs: 1_000 })
      const topic = await log.topic('weir.test', 1)
      const producer = new Producer({ topic, clock, entropy, patienceMs: 20_000 })
      const acknowledged = await sendPastPause(cluster, text =>
        producer.append(0, Buffer.from(text), 'ingest'),
      )
      const kept = withoutRepeats(await everything(topic))
      expect(new Set(kept).size).toBe(kept.length)
      expect(acknowledged.filter(text => !kept.includes(text))).toEqual([])
      expect(acknowledged.length).toBeGreaterThan(20)
    })

    longTest(
      "makes kafkajs's idempotent producer acknowledge missing records, which is the reason not to use it",
      async () => {
        const prefix = newPrefix()
        const topic = await (await openLog(cluster, { prefix })).topic('weir.test', 1)
        const kafka = new (unmendedKafkajs().Kafka)({
          brokers: [...cluster.bootstrap],
          requestTimeout: 1_000,
          retry: { retries: 200, initialRetryTime: 50, maxRetryTime: 250 },
          logCreator: () => () => {},
        })
        const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 })
        await producer.connect()
        const acknowledged = await sendPastPause(cluster, value =>
          producer.send({ topic: `${prefix}weir.test`, messages: [{ value }] }),
        )
        await producer.disconnect()
        const kept = (await everything(topic)).map(({ value }) => value.toString())
        const lost = acknowledged.filter(text => !kept.includes(text))
        expect(lost.length + kept.length - new Set(kept).size).toBeGreaterThan(0)
      },
    )
  },
)
