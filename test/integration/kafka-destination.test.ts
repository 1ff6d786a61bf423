import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import type { Consumer, KafkaMessage } from 'kafkajs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { KafkaProducers } from '../../deploy/outbound/kafka-producers.ts'
import { networkOutbound } from '../../deploy/outbound/network-outbound.ts'
import { tcpOutbound } from '../../deploy/outbound/tcp-outbound.ts'
import { DestinationRemote } from '../../engine/delivery/destinations/destination-remote.ts'
import { Event } from '../../engine/event/event.ts'
import { kafka } from '../../engine/nodes/destinations/kafka/kafka.ts'
import type { KafkaOutcome, KafkaProduction } from '../../engine/outbound/kafka-exchange.ts'
import type { OutboundRules } from '../../engine/outbound/outbound-rules.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { eventually } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { OutboxWorld } from '../support/outbox-world.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const BATCH_ID = '7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10'
const AT_MS = Date.parse('2026-03-09T08:15:30.250Z')
const COMPRESSIONS = ['none', 'gzip', 'lz4', 'snappy', 'zstd'] as const
const MESSAGES: readonly JsonValue[] = [
  { user: 'a', text: 'ä€😀\n'.repeat(500) },
  ...['plain text', '', 12345678901234567890n],
  ...[{ user: 'b' }, { user: null }, { user: 'a', n: 2 }],
]
const NEVER = new AbortController().signal
const VALUES = [
  JSON.stringify(MESSAGES[0]),
  ...['"plain text"', '""', '12345678901234567890'],
  ...['{"user":"b"}', '{"user":null}', '{"user":"a","n":2}'],
]

const OUTBOUND = { rules: () => undefined, logId: 'l' }

function producersWith(rules: OutboundRules): KafkaProducers {
  return new KafkaProducers(networkOutbound({ ...tcpOutbound({ rules }), ...OUTBOUND, rules }))
}

await describeKafka('the destination kafka', {}, cluster => {
  const producers = producersWith(() => undefined)
  const topics = COMPRESSIONS.map(compression => ({
    compression,
    topic: `weir-test-${compression}-${randomUUID()}`,
  }))
  const small = `weir-test-small-${randomUUID()}`
  /** Records by topic and position; the first of repeats. */
  const read = new Map<string, Map<string, KafkaMessage & { readonly partition: number }>>()
  let consumer: Consumer

  const configOf = (more: JsonObject): JsonObject => ({
    ...{
      brokers: cluster.bootstrap.map(brokerAt),
      tls_enabled: false,
      encoding: 'json',
      event_key_field: '.user',
    },
    ...more,
  })

  async function sent(more: JsonObject, messages: readonly JsonValue[], by = producers) {
    const config = configOf(more)
    const batch = {
      ...{ id: BATCH_ID, closedMs: AT_MS },
      events: messages.map((message, index) => Event.of(message, {}, new Date(AT_MS + index).toISOString())),
      eventIds: messages.map((_, index) => `id-${index}`),
    }
    const [only] = kafka.encode(batch, config)
    if (only === undefined) throw new Error('a batch has a request')
    const outcome: KafkaOutcome = await by.send(only.request as KafkaProduction, NEVER)
    return { outcome, verdict: kafka.judge(outcome, config, only) }
  }

  beforeAll(async () => {
    const admin = cluster.client().admin()
    await admin.connect()
    await admin.createTopics({
      waitForLeaders: true,
      topics: [
        // The broker decompresses the records, so that its own library judges them.
        ...topics.map(({ topic }) => ({
          ...{ topic, numPartitions: 3 },
          configEntries: [{ name: 'compression.type', value: 'uncompressed' }],
        })),
        { topic: small, numPartitions: 1, configEntries: [{ name: 'max.message.bytes', value: '2000' }] },
      ],
    })
    await admin.disconnect()
    consumer = cluster.client().consumer({ groupId: `weir-test-${randomUUID()}` })
    await consumer.connect()
    await consumer.subscribe({ topics: topics.map(({ topic }) => topic), fromBeginning: true })
    await consumer.run({
      eachMessage: async ({ topic, partition, message }) => {
        const records = read.get(topic) ?? new Map()
        read.set(topic, records)
        if (!records.has(positionOf(message))) records.set(positionOf(message), { ...message, partition })
      },
    })
  })

  afterAll(async () => {
    await Promise.all([consumer?.disconnect(), producers.close()])
  })

  test('what is in a batch arrives with each compression, in order, under its key', async () => {
    for (const { compression, topic } of topics) {
      // A new topic has no leader for a moment, so some records may be there twice.
      const { verdict } = await eventually(
        () => sent({ topic, compression }, MESSAGES),
        answer => answer.verdict !== 'again',
      )
      expect(verdict).toBe('delivered')
    }
    const counts = await eventually(
      async () => topics.map(({ topic }) => read.get(topic)?.size),
      sizes => sizes.every(size => size === MESSAGES.length),
    )
    expect(counts).toEqual(topics.map(() => MESSAGES.length))
    for (const { topic } of topics) {
      const records = [...(read.get(topic)?.values() ?? [])]
      const byPosition = records.toSorted((one, other) => (positionOf(one) < positionOf(other) ? -1 : 1))
      expect(byPosition.map(({ value }) => String(value))).toEqual(VALUES)
      expect(byPosition.map(({ key }) => key && String(key))).toEqual(['a', null, null, null, 'b', null, 'a'])
      expect(byPosition.map(({ timestamp }) => Number(timestamp))).toEqual(
        VALUES.map((_, index) => AT_MS + index),
      )
      expect(records.map(({ headers }) => String(headers?.['idempotency-key']))).toEqual(
        VALUES.map(() => BATCH_ID),
      )
      const withoutKey = records.filter(({ key }) => key === null)
      expect(new Set(withoutKey.map(({ partition }) => partition)).size).toBe(1)
      for (const some of Map.groupBy(records, ({ partition }) => partition).values())
        expect(some.map(positionOf)).toEqual(some.map(positionOf).toSorted())
    }
  })

  test('lines that a partition hands over arrive through the outbox', async () => {
    const world = await OutboxWorld.open()
    const outbound = networkOutbound({ ...tcpOutbound({ rules: () => undefined }), ...OUTBOUND })
    const topic = topics[0]?.topic as string
    const config = configOf({ topic, event_key_field: '.line' })
    const remote = new DestinationRemote({
      ...{
        catalogue: { destinationOf: () => kafka },
        clock: world.clock,
        logId: world.topic.logId,
        outbound,
      },
      options: { optionsOf: () => ({ config }) },
    })
    const lines = ['through the outbox', 'and another']
    await world.hand(lines)
    const worker = await world.start({ remote })
    await world.until(() => [...worker.fold.lanes].some(({ counts }) => counts.delivered === lines.length))
    await world.end()
    await outbound.close()
    const keys = () => [...(read.get(topic)?.values() ?? [])].map(({ key }) => String(key))
    expect(
      await eventually(
        async () => keys(),
        found => lines.every(line => found.includes(line)),
      ),
    ).toEqual(expect.arrayContaining(lines))
  })

  test('a record that is too large fails alone', async () => {
    const large = 'x'.repeat(3_000)
    expect(await sent({ topic: small }, ['a', large])).toMatchObject({ verdict: 'halve' })
    expect(await sent({ topic: small }, [large])).toMatchObject({
      outcome: { error: 'MESSAGE_TOO_LARGE' },
      verdict: { code: 'E_DELIVERY_FAILED', message: 'The cluster answered MESSAGE_TOO_LARGE' },
    })
    expect(await sent({ topic: small }, ['a'])).toMatchObject({ verdict: 'delivered' })
  })

  test('a broker that is denied or away is not reached, and neither is one that the cluster names', async () => {
    const gone = { brokers: [{ host: '127.0.0.1', port: await freePort() }] }
    expect(await sent({ topic: small, ...gone }, ['a'])).toMatchObject({
      ...{ outcome: { failure: 'NOT_CONNECTED' }, verdict: 'again' },
    })
    const denying = producersWith(() => 'it is denied')
    expect(await sent({ topic: small }, ['a'], denying)).toEqual({
      outcome: { failure: 'DENIED' },
      verdict: {
        ...{ code: 'E_DELIVERY_FAILED', field: null },
        message: 'Connections to a broker of the cluster are not allowed',
      },
    })
    await denying.close()
    // A front of the broker has an allowed address; the one that the cluster names for the broker is denied.
    const front = await frontOf(cluster.bootstrap[0] as string)
    const denyingLater = producersWith(address => (address === '127.0.0.2' ? undefined : 'it is denied'))
    const answer = await sent({ topic: small, brokers: [brokerAt(front.address)] }, ['a'], denyingLater)
    expect(answer).toMatchObject({ outcome: { failure: 'DENIED' } })
    front.close()
    await denyingLater.close()
  })
})

function positionOf({ headers }: Pick<KafkaMessage, 'headers'>): string {
  return String(headers?.['weir-position'])
}

function brokerAt(address: string): JsonObject {
  const { hostname: host, port } = new URL(`tcp://${address}`)
  return { host, port: Number(port) }
}

/** Opens an address at which the broker answers, and which it does not name. */
async function frontOf(address: string): Promise<{ readonly address: string; close(): void }> {
  const { hostname, port } = new URL(`tcp://${address}`)
  const server = createServer(client => {
    const broker = connect(Number(port), hostname)
    client.on('error', () => broker.destroy()).pipe(broker)
    broker.on('error', () => client.destroy()).pipe(client)
  }).listen(0, '127.0.0.2')
  await once(server, 'listening')
  return { address: `127.0.0.2:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}
