import kafkajs, { type Kafka } from 'kafkajs'
import type { Clock } from '../../clock/clock.ts'
import type { Logger } from '../../logger.ts'
import type { Assignment, PartitionProgress } from '../../worker/assignment.ts'
import { assignPartitions } from './assign-partitions.ts'
import { typeOf } from './kafka-link.ts'
import { clusterOf, type KafkaBroker, type KafkaCluster } from './kafkajs-cluster.ts'
import { dropConnections } from './kafkajs-mended.ts'

const {
  AssignerProtocol: { MemberAssignment, MemberMetadata },
} = kafkajs
const PROTOCOL = 'weir'
const PROTOCOL_VERSION = 1
const DEFAULT_SESSION_TIMEOUT_MS = 10_000
/** How many sessions a member that beats has to join a round: who is slow need not be taken for dead. */
const SESSIONS_PER_ROUND = 6
/** Heartbeats in the time after which a silent member is believed dead. */
const BEATS_PER_SESSION = 10
const PAUSE_MS = 200
/** How many sessions a coordinator may take to answer: within a round it gives up who has died, which takes one. */
const SESSIONS_PER_ANSWER = 1.5
/** How long a member that is told to go still waits for what it has asked. */
const PARTING_MS = 1_500
/** What the coordinator says to somebody whom it has given up. */
const FORGOTTEN = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID'])

export interface KafkaGroupOptions {
  readonly kafka: Kafka
  readonly clock: Clock
  readonly logger: Logger
  readonly groupId: string
  /** The one that is shared out, as Kafka names it. Partitions of the same number of others go with it. */
  readonly topic: string
  readonly partitions: number
  /** Of the names of all topics. */
  readonly prefix?: string
  readonly sessionTimeoutMs?: number
}

type Listener = (partitions: ReadonlySet<number>) => Promise<void>

interface Membership {
  readonly coordinator: KafkaBroker
  readonly memberId: string
  readonly generationId: number
}

/**
 * The consumer group by which engines share the partitions of a topic. Its heartbeats depend on nothing else that the
 * process does, and a partition moves only after the work on it has ended, or its worker is believed dead. How far
 * each partition is stands in the group's offsets, where every tool for Kafka finds it.
 */
export class KafkaGroup implements Assignment {
  readonly #options: KafkaGroupOptions
  readonly #cluster: KafkaCluster
  readonly #sessionTimeoutMs: number
  #listener: Listener = async () => undefined
  #membership: Membership | undefined
  #memberId = ''
  #assigned: ReadonlySet<number> = new Set()
  /** Assigned, or not yet let go of. */
  #held: ReadonlySet<number> = new Set()
  #lastBeatMs = 0
  /** Somebody waits for partitions that this process has let go of. */
  #rejoin = false

  constructor(options: KafkaGroupOptions) {
    this.#options = options
    this.#cluster = clusterOf(options.kafka)
    this.#sessionTimeoutMs = options.sessionTimeoutMs ?? DEFAULT_SESSION_TIMEOUT_MS
  }

  async take(listener: Listener, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options
    this.#listener = listener
    this.#lastBeatMs = clock.monotonicMs()
    while (!signal.aborted) {
      try {
        await this.#join(signal)
        await this.#beat(signal)
      } catch (error) {
        logger.debug({ err: error }, 'kafka: trouble with the group')
        await this.#bear(error, signal)
      }
    }
    await this.#leave()
  }

  async report(progress: readonly PartitionProgress[]): Promise<void> {
    const held = progress.filter(({ partition }) => this.#held.has(partition))
    if (this.#membership === undefined || held.length === 0) return
    const { coordinator, memberId, generationId } = this.#membership
    const topics = Map.groupBy(held, ({ topic }) => topic)
    try {
      await coordinator.offsetCommit({
        groupId: this.#options.groupId,
        groupGenerationId: generationId,
        memberId,
        topics: [...topics].map(([topic, rows]) => ({
          topic: this.#kafkaName(topic),
          partitions: rows.map(({ partition, neededFrom, settledMs, storedOffset, rowsPerSecond }) => ({
            partition,
            offset: String(neededFrom),
            metadata: `${settledMs} ${storedOffset} ${rowsPerSecond}`,
          })),
        })),
      })
    } catch (error) {
      this.#options.logger.debug({ err: error }, 'kafka: progress is told the next time')
    }
  }

  async progress(topic: string): Promise<readonly PartitionProgress[]> {
    const { partitions, groupId } = this.#options
    const name = this.#kafkaName(topic)
    await this.#cluster.connect()
    await this.#cluster.addMultipleTargetTopics([name])
    const asked = Array.from({ length: partitions }, (_, partition) => ({ partition }))
    const ask = async () => {
      const coordinator = await this.#cluster.findGroupCoordinator({ groupId })
      return coordinator.offsetFetch({ groupId, topics: [{ topic: name, partitions: asked }] })
    }
    // Another broker may have become the coordinator since.
    const { responses } = await ask().catch(() => this.#cluster.refreshMetadata().then(ask))
    const told = responses[0]?.partitions ?? []
    return told
      .filter(({ offset }) => offset !== '-1')
      .map(({ partition, offset, metadata }) => ({ topic, ...progressOf(partition, offset, metadata) }))
  }

  #kafkaName(topic: string): string {
    return `${this.#options.prefix ?? ''}${topic}`
  }

  /** For a process that has only asked how far others are. */
  close(): Promise<void> {
    return this.#cluster.disconnect()
  }

  /** One round: everybody who is there joins, one of them shares out, all hear what they have. */
  async #join(signal: AbortSignal): Promise<void> {
    const { groupId, topic, partitions, logger, clock } = this.#options
    await this.#cluster.connect()
    await this.#cluster.addMultipleTargetTopics([topic])
    const coordinator = await this.#cluster.findGroupCoordinator({ groupId })
    this.#rejoin = false
    const userData = Buffer.from(JSON.stringify([...this.#held]))
    const joining = coordinator.joinGroup({
      groupId,
      sessionTimeout: this.#sessionTimeoutMs,
      rebalanceTimeout: SESSIONS_PER_ROUND * this.#sessionTimeoutMs,
      memberId: this.#memberId,
      protocolType: 'consumer',
      groupProtocols: [
        {
          name: PROTOCOL,
          metadata: MemberMetadata.encode({ version: PROTOCOL_VERSION, topics: [topic], userData }),
        },
      ],
    })
    const joined = await this.#answered(coordinator, joining, signal)
    const { memberId, generationId } = joined
    this.#memberId = memberId
    const groupAssignment = joined.leaderId === memberId ? shareOut(joined.members, topic, partitions) : []
    const syncing = coordinator.syncGroup({ groupId, generationId, memberId, groupAssignment })
    const { memberAssignment } = await this.#answered(coordinator, syncing, signal)
    this.#lastBeatMs = clock.monotonicMs()
    this.#membership = { coordinator, memberId, generationId }
    const mine = MemberAssignment.decode(memberAssignment)?.assignment[topic] ?? []
    logger.info({ generation: generationId, partitions: mine }, 'partitions assigned')
    this.#give(new Set(mine))
  }

  /** Tells the engine; when it has let go of what others wait for, another round is due. */
  #give(assigned: ReadonlySet<number>): void {
    const lost = [...this.#held].filter(partition => !assigned.has(partition))
    this.#assigned = assigned
    this.#held = new Set([...this.#held, ...assigned])
    const ended = this.#listener(assigned).then(() => {
      // Some of them may have come back meanwhile.
      const isGone = (partition: number) => lost.includes(partition) && !this.#assigned.has(partition)
      const kept = [...this.#held].filter(partition => !isGone(partition))
      if (kept.length < this.#held.size) this.#rejoin = true
      this.#held = new Set(kept)
    })
    ended.catch(error => this.#options.logger.error({ err: error }, 'cannot end the work on partitions'))
  }

  /** Beats until another round is due. */
  async #beat(signal: AbortSignal): Promise<void> {
    const { clock, groupId } = this.#options
    while (!signal.aborted && !this.#rejoin) {
      await clock.sleep(this.#sessionTimeoutMs / BEATS_PER_SESSION, signal)
      if (this.#membership === undefined) return
      const { coordinator, memberId, generationId } = this.#membership
      const beat = coordinator.heartbeat({ groupId, memberId, groupGenerationId: generationId })
      await this.#answered(coordinator, beat, signal)
      this.#lastBeatMs = clock.monotonicMs()
    }
  }

  /**
   * An answer of the coordinator. One that is silent for too long, or still when this member has been told to go,
   * loses its connections: another broker is asked then who coordinates.
   */
  async #answered<Answer>(
    coordinator: KafkaBroker,
    answer: Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { clock } = this.#options
    const over = new AbortController()
    const watch = async () => {
      const patienceMs = SESSIONS_PER_ANSWER * this.#sessionTimeoutMs
      await clock.sleep(patienceMs, AbortSignal.any([signal, over.signal]))
      if (signal.aborted) await clock.sleep(PARTING_MS, over.signal)
      if (!over.signal.aborted) dropConnections(coordinator, 'the coordinator of the group is silent')
    }
    const watching = watch()
    try {
      return await answer
    } finally {
      over.abort()
      await watching
    }
  }

  async #bear(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    const type = error instanceof Error ? typeOf(error) : ''
    if (type === 'REBALANCE_IN_PROGRESS') return
    const isSilent = clock.monotonicMs() - this.#lastBeatMs > this.#sessionTimeoutMs
    if (FORGOTTEN.has(type)) this.#memberId = ''
    // Others have the partitions by now, or will have them soon.
    if (FORGOTTEN.has(type) || isSilent) this.#give(new Set())
    if (signal.aborted) return
    await this.#cluster.refreshMetadata().catch(() => undefined)
    await clock.sleep(PAUSE_MS, signal)
  }

  /** Goes when the work has ended, so that others can take it up where it stopped. */
  async #leave(): Promise<void> {
    const { groupId, clock, logger } = this.#options
    const over = new AbortController()
    const beating = this.#beat(over.signal).catch(() => undefined)
    await this.#listener(new Set())
    over.abort()
    await beating
    try {
      if (this.#membership !== undefined) {
        const { coordinator, memberId } = this.#membership
        await this.#answered(coordinator, coordinator.leaveGroup({ groupId, memberId }), AbortSignal.abort())
      }
    } catch (error) {
      logger.debug({ err: error, at: clock.wallMs() }, 'kafka: left without a word')
    }
    await this.#cluster.disconnect()
  }
}

/** A partition's progress as its offset in the group tells it. */
export function progressOf(
  partition: number,
  offset: string,
  metadata: string | null,
): Omit<PartitionProgress, 'topic'> {
  const told = (metadata ?? '').split(' ').filter(text => text !== '')
  const [settledMs = 0, storedOffset = offset, rowsPerSecond = 0] = told
  return {
    partition,
    neededFrom: BigInt(offset),
    settledMs: Number(settledMs),
    storedOffset: BigInt(storedOffset),
    rowsPerSecond: Number(rowsPerSecond),
  }
}

interface JoinedMember {
  readonly memberId: string
  readonly memberMetadata: Buffer
}

function shareOut(
  members: readonly JoinedMember[],
  topic: string,
  partitions: number,
): { memberId: string; memberAssignment: Buffer }[] {
  const known = members.map(({ memberId, memberMetadata }) => ({
    id: memberId,
    held: heldBy(memberMetadata).filter(partition => partition < partitions),
  }))
  return [...assignPartitions(partitions, known)].map(([memberId, assigned]) => ({
    memberId,
    memberAssignment: MemberAssignment.encode({
      version: PROTOCOL_VERSION,
      assignment: { [topic]: [...assigned] },
      userData: Buffer.alloc(0),
    }),
  }))
}

function heldBy(metadata: Buffer): number[] {
  const userData = MemberMetadata.decode(metadata)?.userData
  return userData === undefined || userData.length === 0 ? [] : (JSON.parse(userData.toString()) as number[])
}
