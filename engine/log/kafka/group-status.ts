import kafkajs, { type Kafka } from 'kafkajs'
import { progressOf } from './kafka-group.ts'
import { logErrorOf } from './kafka-link.ts'

/** State of a partition according to the group and the brokers. */
export interface PartitionStatus {
  readonly partition: number
  /** Process that works on it, `name@host`; undefined when none does. */
  readonly worker: string | undefined
  /** First kept offset and next offset. */
  readonly first: bigint
  readonly next: bigint
  /** First offset that was not stored at the worker's last report; undefined before the first report. */
  readonly storedOffset: bigint | undefined
  /** Rows stored per second at the worker's last report; undefined before the first report. */
  readonly rowsPerSecond: number | undefined
  /** Log time of its newest checkpoint, UNIX ms; undefined before the first. */
  readonly settledMs: number | undefined
}

/** Owner and progress of each partition. @throws LogError when no broker answers */
export async function groupStatus(kafka: Kafka, groupId: string, topic: string): Promise<PartitionStatus[]> {
  const admin = kafka.admin({ retry: { retries: 5, initialRetryTime: 50, maxRetryTime: 250 } })
  try {
    await admin.connect()
    const bounds = await admin.fetchTopicOffsets(topic)
    const { groups } = await admin.describeGroups([groupId])
    const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] })
    const workers = new Map<number, string>()
    for (const { memberAssignment, clientId, clientHost } of groups[0]?.members ?? [])
      for (const partition of assignedIn(memberAssignment, topic))
        workers.set(partition, `${clientId}@${clientHost.replace(/^\//, '')}`)
    return bounds
      .map(({ partition, low, high }) => {
        const offset = committed?.partitions.find(each => each.partition === partition)
        const progress =
          offset === undefined || offset.offset === '-1'
            ? undefined
            : progressOf(partition, offset.offset, offset.metadata)
        return {
          partition,
          worker: workers.get(partition),
          first: BigInt(low),
          next: BigInt(high),
          storedOffset: progress?.storedOffset,
          rowsPerSecond: progress?.rowsPerSecond,
          settledMs: progress?.settledMs,
        }
      })
      .sort((a, b) => a.partition - b.partition)
  } catch (error) {
    throw logErrorOf(error)
  } finally {
    await admin.disconnect()
  }
}

function assignedIn(memberAssignment: Buffer, topic: string): readonly number[] {
  if (memberAssignment.length === 0) return []
  return kafkajs.AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment[topic] ?? []
}
