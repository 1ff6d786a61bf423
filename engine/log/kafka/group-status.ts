import kafkajs, { type Kafka } from 'kafkajs'
import { progressOf } from './kafka-group.ts'
import { logErrorOf } from './kafka-link.ts'

/** A partition as the group and the brokers know it. */
export interface PartitionStatus {
  readonly partition: number
  /** Process that works on it, `name@host`; undefined while nobody does. */
  readonly worker: string | undefined
  /** First record that is kept, and the offset that the next one will get. */
  readonly first: bigint
  readonly next: bigint
  /** First offset that was not stored when the worker last told; undefined when none ever has. */
  readonly storedOffset: bigint | undefined
  /** Stored while the worker last looked; undefined when none ever has. */
  readonly rowsPerSecond: number | undefined
  /** Log time that its newest checkpoint has passed, UNIX ms; undefined before the first. */
  readonly settledMs: number | undefined
}

/** Who works on which partition, and how far each is. @throws LogError when no broker answers */
export async function groupStatus(kafka: Kafka, groupId: string, topic: string): Promise<PartitionStatus[]> {
  const admin = kafka.admin({ retry: { retries: 5, initialRetryTime: 50, maxRetryTime: 250 } })
  try {
    await admin.connect()
    const bounds = await admin.fetchTopicOffsets(topic)
    const { groups } = await admin.describeGroups([groupId])
    const [told] = await admin.fetchOffsets({ groupId, topics: [topic] })
    const workers = new Map<number, string>()
    for (const { memberAssignment, clientId, clientHost } of groups[0]?.members ?? [])
      for (const partition of assignedIn(memberAssignment, topic))
        workers.set(partition, `${clientId}@${clientHost.replace(/^\//, '')}`)
    return bounds
      .map(({ partition, low, high }) => {
        const offset = told?.partitions.find(each => each.partition === partition)
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
