import kafkajs, { type Kafka } from 'kafkajs'
import { BEHAVIOUR, TENTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import type { Clock } from '../../clock/clock.ts'
import type { Logger } from '../../logger.ts'
import type { Assignment, PartitionProgress } from '../assignment.ts'
import { assignPartitions } from './assign-partitions.ts'
import { typeOf } from './kafka-link.ts'
import { clusterOf, type KafkaBroker, type KafkaCluster } from './kafkajs-cluster.ts'
import { dropConnections } from './kafkajs-mended.ts'
import { decodeLowest, decodeMemberData, encodeLowest, encodeMemberData } from './member-data.ts'

const {
  AssignerProtocol: { MemberAssignment, MemberMetadata },
} = kafkajs
const PROTOCOL = 'weir'
const PROTOCOL_VERSION = 1
const DEFAULT_SESSION_TIMEOUT_MS = 10_000
/** Number of sessions that a live member has to join a round, so that a slow member is not regarded as dead. */
const SESSIONS_PER_ROUND = 6
/** Heartbeats per session, the time after which a silent member counts as dead. */
const BEATS_PER_SESSION = 10
/** A member learns of a round by its next heartbeat, so a long session does not make them rarer than this. */
const LONGEST_BEAT_MS = 1_000
const PAUSE_MS = 200
/** Generation of offsets that are committed without a membership. */
const NO_GENERATION = -1
/**
 * Number of sessions that a coordinator may take to answer: during a round it waits one session for members that died.
 */
const SESSIONS_PER_ANSWER = 1.5
/** Time that a member which must leave waits for outstanding answers. */
const PARTING_MS = 1_500
/** Errors of the coordinator to a member that it has removed. */
const FORGOTTEN = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID'])

export interface KafkaGroupOptions {
  readonly kafka: Kafka
  readonly clock: Clock
  readonly logger: Logger
  readonly groupId: string
  /**
   * Topic whose partitions are distributed, by its name on Kafka. Partitions of other topics with the same number move
   * with them.
   */
  readonly topic: string
  readonly partitions: number
  /** Prefix of all topic names. */
  readonly prefix?: string
  readonly sessionTimeoutMs?: number
  /** Behaviour number of this process; absent: that of the program. */
  readonly behaviour?: number
}

type Listener = (partitions: ReadonlySet<number>) => Promise<void>

interface Membership {
  readonly coordinator: KafkaBroker
  readonly memberId: string
  readonly generationId: number
}

/**
 * Consumer group by which engines share the partitions of a topic. Its heartbeats do not depend on other work of the
 * process. A partition moves only after the work on it has ended, or its worker counts as dead. The group's offsets show
 * the progress of each partition, where every Kafka tool finds it.
 */
export class KafkaGroup implements Assignment {
  readonly #options: KafkaGroupOptions
  readonly #cluster: KafkaCluster
  readonly #sessionTimeoutMs: number
  #listener: Listener = async () => undefined
  #membership: Membership | undefined
  #memberId = ''
  #assigned: ReadonlySet<number> = new Set()
  /** Assigned partitions, and partitions that are not released yet. */
  #held: ReadonlySet<number> = new Set()
  #lastBeatMs = 0
  #behaviour = TENTH_BEHAVIOUR
  /** Aborted once another member waits for partitions that this process has released. */
  #rejoin = new AbortController()

  constructor(options: KafkaGroupOptions) {
    this.#options = options
    this.#cluster = clusterOf(options.kafka)
    this.#sessionTimeoutMs = options.sessionTimeoutMs ?? DEFAULT_SESSION_TIMEOUT_MS
  }

  get behaviour(): number {
    return this.#behaviour
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
      this.#options.logger.debug({ err: error }, 'kafka: progress is reported the next time')
    }
  }

  async progress(topic: string): Promise<readonly PartitionProgress[]> {
    const kept = await this.#offsets(this.#options.groupId, topic)
    return kept.map(({ partition, offset, metadata }) => ({
      topic,
      ...progressOf(partition, offset, metadata),
    }))
  }

  /** Offsets that a group keeps of a topic's partitions. */
  async #offsets(groupId: string, topic: string) {
    const { partitions } = this.#options
    const name = this.#kafkaName(topic)
    await this.#cluster.connect()
    await this.#cluster.addMultipleTargetTopics([name])
    const asked = Array.from({ length: partitions }, (_, partition) => ({ partition }))
    const ask = async () => {
      const coordinator = await this.#cluster.findGroupCoordinator({ groupId })
      return coordinator.offsetFetch({ groupId, topics: [{ topic: name, partitions: asked }] })
    }
    // Another broker may be the coordinator now.
    const { responses } = await ask().catch(() => this.#cluster.refreshMetadata().then(ask))
    return (responses[0]?.partitions ?? []).filter(({ offset }) => offset !== '-1')
  }

  /** Ends of partitions that were published with `announceEnd`; none if the brokers deny the group. */
  async announcedEnds(topic: string): Promise<ReadonlyMap<number, bigint>> {
    const announced = await this.#offsets(this.#endsGroup, topic).catch((error: Error) => {
      if (typeOf(error) !== 'GROUP_AUTHORIZATION_FAILED') throw error
      return []
    })
    return new Map(announced.map(({ partition, offset }) => [partition, BigInt(offset)]))
  }

  /**
   * Publishes the offset that a partition must have reached, unless a higher one was published. The offsets of a group
   * without members contain it, so that it outlives this process.
   */
  async announceEnd(topic: string, partition: number, next: bigint): Promise<void> {
    if (((await this.announcedEnds(topic)).get(partition) ?? 0n) >= next) return
    const groupId = this.#endsGroup
    const coordinator = await this.#cluster.findGroupCoordinator({ groupId })
    const partitions = [{ partition, offset: String(next), metadata: '' }]
    const topics = [{ topic: this.#kafkaName(topic), partitions }]
    await coordinator.offsetCommit({ groupId, groupGenerationId: NO_GENERATION, memberId: '', topics })
  }

  get #endsGroup(): string {
    return `${this.#options.groupId}.ends`
  }

  #kafkaName(topic: string): string {
    return `${this.#options.prefix ?? ''}${topic}`
  }

  /** Closes a group that was only used to read the progress of others. */
  close(): Promise<void> {
    return this.#cluster.disconnect()
  }

  /** One round: all present members join, one of them distributes the partitions, and each learns its share. */
  async #join(signal: AbortSignal): Promise<void> {
    const { groupId, topic, partitions, logger, clock } = this.#options
    await this.#cluster.connect()
    await this.#cluster.addMultipleTargetTopics([topic])
    const coordinator = await this.#cluster.findGroupCoordinator({ groupId })
    this.#rejoin = new AbortController()
    const { behaviour = BEHAVIOUR } = this.#options
    const userData = encodeMemberData({ held: [...this.#held], behaviour })
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
    const decoded = MemberAssignment.decode(memberAssignment)
    const mine = decoded?.assignment[topic] ?? []
    const lowest = Math.min(decodeLowest(decoded?.userData), behaviour)
    logger.info({ generation: generationId, partitions: mine, behaviour: lowest }, 'partitions assigned')
    this.#bringIntoForce(lowest)
    this.#give(new Set(mine))
  }

  /** Once the last older member has left, the work on partitions begins anew, so that the higher number comes into force. */
  #bringIntoForce(behaviour: number): void {
    const isHigher = behaviour > this.#behaviour
    this.#behaviour = behaviour
    if (!isHigher || this.#held.size === 0) return
    const { logger } = this.#options
    this.#listener(new Set()).catch(error =>
      logger.error({ err: error }, 'cannot end the work on partitions'),
    )
  }

  /** Passes the assignment to the engine. Once it has released partitions that others wait for, another round follows. */
  #give(assigned: ReadonlySet<number>): void {
    const lost = [...this.#held].filter(partition => !assigned.has(partition))
    this.#assigned = assigned
    this.#held = new Set([...this.#held, ...assigned])
    const ended = this.#listener(assigned).then(() => {
      // Some partitions may have been assigned again in the meantime.
      const isGone = (partition: number) => lost.includes(partition) && !this.#assigned.has(partition)
      const kept = [...this.#held].filter(partition => !isGone(partition))
      const isReleased = kept.length < this.#held.size
      this.#held = new Set(kept)
      if (isReleased) this.#rejoin.abort()
    })
    ended.catch(error => this.#options.logger.error({ err: error }, 'cannot end the work on partitions'))
  }

  /** Sends heartbeats until another round is due. */
  async #beat(signal: AbortSignal): Promise<void> {
    const { clock, groupId } = this.#options
    const pauseMs = Math.min(this.#sessionTimeoutMs / BEATS_PER_SESSION, LONGEST_BEAT_MS)
    const over = AbortSignal.any([signal, this.#rejoin.signal])
    while (!over.aborted) {
      await clock.sleep(pauseMs, over)
      if (this.#membership === undefined) return
      const { coordinator, memberId, generationId } = this.#membership
      const beat = coordinator.heartbeat({ groupId, memberId, groupGenerationId: generationId })
      await this.#answered(coordinator, beat, signal)
      this.#lastBeatMs = clock.monotonicMs()
    }
  }

  /**
   * Answer of the coordinator. If the coordinator is silent for too long, or when this member must leave, its connections
   * are closed. Then another broker is asked for the coordinator.
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
    // Other members have the partitions, or will soon get them.
    if (FORGOTTEN.has(type) || isSilent) this.#give(new Set())
    if (signal.aborted) return
    await this.#cluster.refreshMetadata().catch(() => undefined)
    await clock.sleep(PAUSE_MS, signal)
  }

  /** Leaves once the work has ended, so that others can continue where it stopped. */
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
      logger.debug({ err: error, at: clock.wallMs() }, 'kafka: left the group without notice')
    }
    await this.#cluster.disconnect()
  }
}

/** A partition's progress from its offset in the group. */
export function progressOf(
  partition: number,
  offset: string,
  metadata: string | null,
): Omit<PartitionProgress, 'topic'> {
  const numbers = (metadata ?? '').split(' ').filter(text => text !== '')
  const [settledMs = 0, storedOffset = offset, rowsPerSecond = 0] = numbers
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
  const data = members.map(({ memberMetadata }) =>
    decodeMemberData(MemberMetadata.decode(memberMetadata)?.userData),
  )
  const known = members.map(({ memberId }, index) => ({
    id: memberId,
    held: (data[index]?.held ?? []).filter(partition => partition < partitions),
  }))
  return [...assignPartitions(partitions, known)].map(([memberId, assigned]) => ({
    memberId,
    memberAssignment: MemberAssignment.encode({
      version: PROTOCOL_VERSION,
      assignment: { [topic]: [...assigned] },
      userData: encodeLowest(data),
    }),
  }))
}
