import { expect, test } from 'vitest'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import { groupStatus } from '../../engine/log/kafka/group-status.ts'
import { kafkaClient } from '../../engine/log/kafka/kafka-client.ts'
import { KafkaGroup } from '../../engine/log/kafka/kafka-group.ts'
import { kafkaLog } from '../../engine/log/kafka/kafka-log.ts'
import { silentLogger } from '../../engine/logger.ts'
import { BEHAVIOUR, TENTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import type { KafkaCluster } from '../support/kafka/kafka-cluster.ts'

const PARTITIONS = 4
const SESSION_MS = 1_000
/** Session that is so long that a tenth of it exceeds the patience of `until`. */
const LONG_SESSION_MS = 600_000
const clock = systemClock()
const entropy = systemEntropy()

/** A process as the group sees it: it works on its partitions, and needs a while to give them up. */
class Member {
  readonly group: KafkaGroup
  readonly #stop = new AbortController()
  readonly #letGoMs: number
  readonly #taking: Promise<void>
  /** Partitions that it works on, also while it gives them up. */
  working = new Set<number>()
  assigned: ReadonlySet<number> = new Set()
  /** Behaviours in force when its work on partitions began, in order; undefined: all of it ended. */
  readonly begun: (number | undefined)[] = []

  constructor(
    cluster: KafkaCluster,
    { topic, groupId, prefix }: Place,
    letGoMs = 0,
    sessionTimeoutMs = SESSION_MS,
    behaviour = BEHAVIOUR,
  ) {
    const kafka = kafkaClient({ brokers: cluster.bootstrap, logger: silentLogger })
    const options = { kafka, clock, logger: silentLogger, groupId, topic, prefix, partitions: PARTITIONS }
    this.group = new KafkaGroup({ ...options, sessionTimeoutMs, behaviour })
    this.#letGoMs = letGoMs
    this.#taking = this.group.take(partitions => this.#give(partitions), this.#stop.signal)
  }

  /** Resolves when it has left. */
  async leave(): Promise<void> {
    this.#stop.abort()
    await this.#taking
  }

  async #give(partitions: ReadonlySet<number>): Promise<void> {
    this.assigned = partitions
    this.begun.push(partitions.size === 0 ? undefined : this.group.behaviour)
    for (const partition of partitions) this.working.add(partition)
    await clock.sleep(this.#letGoMs)
    for (const partition of this.working) if (!this.assigned.has(partition)) this.working.delete(partition)
  }
}

interface Place {
  readonly topic: string
  readonly prefix: string
  readonly groupId: string
}

async function newPlace(cluster: KafkaCluster): Promise<Place> {
  const prefix = `group-${entropy.uuid().slice(0, 8)}.`
  const kafka = kafkaClient({ brokers: cluster.bootstrap, logger: silentLogger })
  const log = await kafkaLog({ kafka, clock, prefix, replication: 1 })
  await log.topic('weir.ingest', PARTITIONS)
  await log.close()
  return { topic: `${prefix}weir.ingest`, groupId: `${prefix}weir.engine`, prefix }
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let round = 0; !holds(); round++) {
    if (round === 600) throw new Error(`it never came to be that ${what}`)
    await clock.sleep(50)
  }
}

const sizes = (members: readonly Member[]) => members.map(({ assigned }) => assigned.size).sort()
const all = (members: readonly Member[]) =>
  members.flatMap(({ assigned }) => [...assigned]).sort((a, b) => a - b)

await describeKafka('the consumer group of engines', {}, cluster => {
  test('shares partitions evenly, never gives one to two members, and takes back those of members that left', async () => {
    const place = await newPlace(cluster)
    const first = new Member(cluster, place, 300)
    await until('the first has all', () => first.assigned.size === PARTITIONS)
    const second = new Member(cluster, place, 300)
    const members = [first, second]
    let shared = 0
    const watching = (async () => {
      while (shared < 20) {
        for (const partition of first.working) expect(second.working.has(partition)).toBe(false)
        if (second.assigned.size === 2) shared++
        await clock.sleep(10)
      }
    })()
    await until('both have half', () => sizes(members).join() === '2,2')
    await watching
    expect(all(members)).toEqual([0, 1, 2, 3])
    await first.leave()
    expect(first.working.size).toBe(0)
    await until('the second has all', () => second.assigned.size === PARTITIONS)
    await second.leave()
  })

  test('brings a behaviour into force when the last member of an older program has left, and work begins anew', async () => {
    const place = await newPlace(cluster)
    const older = new Member(cluster, place, 0, SESSION_MS, TENTH_BEHAVIOUR)
    await until('the older has all', () => older.assigned.size === PARTITIONS)
    const newer = new Member(cluster, place)
    await until('both have half', () => sizes([older, newer]).join() === '2,2')
    expect(newer.group.behaviour).toBe(TENTH_BEHAVIOUR)
    await older.leave()
    await until('the newer has all', () => newer.assigned.size === PARTITIONS)
    expect(newer.group.behaviour).toBe(BEHAVIOUR)
    const rise = newer.begun.indexOf(BEHAVIOUR)
    expect(newer.begun.slice(0, rise - 1)).toContain(TENTH_BEHAVIOUR)
    expect(newer.begun[rise - 1]).toBeUndefined()
    await newer.leave()
  })

  test('hands partitions over within seconds, however long a session is', async () => {
    const place = await newPlace(cluster)
    const first = new Member(cluster, place, 100, LONG_SESSION_MS)
    await until('the first has all', () => first.assigned.size === PARTITIONS)
    const second = new Member(cluster, place, 100, LONG_SESSION_MS)
    await until('both have half', () => sizes([first, second]).join() === '2,2')
    await first.leave()
    await until('the second has all', () => second.assigned.size === PARTITIONS)
    await second.leave()
  })

  test('keeps a member that is busy for longer than a session', async () => {
    const place = await newPlace(cluster)
    const busy = new Member(cluster, place, 4 * SESSION_MS)
    await until('it has all', () => busy.assigned.size === PARTITIONS)
    const other = new Member(cluster, place)
    await clock.sleep(3 * SESSION_MS)
    // It still ends its work on the two that it has lost: the other gets them only then.
    expect(busy.assigned.size).toBe(2)
    expect(other.assigned.size).toBe(0)
    await until('the other has half', () => other.assigned.size === 2)
    await Promise.all([busy.leave(), other.leave()])
  })

  test('shows all clients the progress of each partition as offsets that other tools can read', async () => {
    const place = await newPlace(cluster)
    const [first, second] = [new Member(cluster, place), new Member(cluster, place)]
    const members = [first, second]
    await until('both have half', () => sizes(members).join() === '2,2')
    expect(await first.group.progress('weir.ingest')).toEqual([])
    for (const { group, assigned } of members)
      for (const partition of assigned)
        await group.report([
          {
            topic: 'weir.ingest',
            partition,
            neededFrom: BigInt(partition * 10),
            settledMs: partition,
            storedOffset: BigInt(partition * 11),
            rowsPerSecond: partition * 12,
          },
        ])
    const expected = [0, 1, 2, 3].map(partition => ({
      topic: 'weir.ingest',
      partition,
      neededFrom: BigInt(partition * 10),
      settledMs: partition,
      storedOffset: BigInt(partition * 11),
      rowsPerSecond: partition * 12,
    }))
    for (const { group } of members) expect(await group.progress('weir.ingest')).toEqual(expected)
    // A report about a partition of another member is ignored.
    const [foreign] = second.assigned
    await first.group.report([
      {
        topic: 'weir.ingest',
        partition: foreign as number,
        neededFrom: 999n,
        settledMs: 0,
        storedOffset: 999n,
        rowsPerSecond: 0,
      },
    ])
    expect(await first.group.progress('weir.ingest')).toEqual(expected)
    const kafka = kafkaClient({ brokers: cluster.bootstrap, logger: silentLogger })
    const rows = await groupStatus(kafka, place.groupId, place.topic)
    expect(rows.map(({ partition, next, storedOffset }) => [partition, next, storedOffset])).toEqual(
      [0, 1, 2, 3].map(partition => [partition, 0n, BigInt(partition * 11)]),
    )
    for (const { worker } of rows) expect(worker).toMatch(/^weir@/)
    const admin = cluster.client().admin()
    await admin.connect()
    const [committed] = await admin.fetchOffsets({ groupId: place.groupId, topics: [place.topic] })
    expect(committed?.partitions.map(({ offset }) => offset).sort()).toEqual(['0', '10', '20', '30'])
    await admin.disconnect()
    await Promise.all(members.map(member => member.leave()))
  })
})

await describeKafka('the consumer group while the broker is paused', { faults: true }, cluster => {
  test('releases all partitions after a session without an answer, and shares them again when the broker returns', async () => {
    const place = await newPlace(cluster)
    const members = [new Member(cluster, place), new Member(cluster, place)]
    await until('both have half', () => sizes(members).join() === '2,2')
    await cluster.brokers[0]?.pause()
    await until('nobody works', () => members.every(({ working }) => working.size === 0))
    await cluster.brokers[0]?.resume()
    await until('both have half again', () => sizes(members).join() === '2,2')
    expect(all(members)).toEqual([0, 1, 2, 3])
    await Promise.all(members.map(member => member.leave()))
  })

  test('continues by itself after the broker was killed', async () => {
    const place = await newPlace(cluster)
    const members = [new Member(cluster, place), new Member(cluster, place)]
    await until('both have half', () => sizes(members).join() === '2,2')
    await cluster.brokers[0]?.kill()
    await cluster.brokers[0]?.start()
    await until('both have half again', () => sizes(members).join() === '2,2' && all(members).length === 4)
    await Promise.all(members.map(member => member.leave()))
  })
})
