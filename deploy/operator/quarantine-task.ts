import { isCount } from './accept-loss-task.ts'

/** Topics whose records can be put into quarantine, by their names on the command line. */
export const QUARANTINE_TOPICS = ['ingest', 'keyed'] as const

const MAX_NAME_LENGTH = 200

/** The task of a list of the records in quarantine. */
export interface QuarantinesTask {
  readonly task: 'quarantines'
}

/** The task, with the record and the node as the watchdog names them. */
export interface QuarantineTask {
  readonly task: 'quarantine'
  readonly topic: (typeof QUARANTINE_TOPICS)[number]
  readonly partition: number
  readonly offset: number
  /** Id of the node. */
  readonly node: string
  /** Name of the operator. */
  readonly by: string
}

/** @returns undefined when the body is not such a task */
export function quarantineTask(body: unknown): QuarantineTask | undefined {
  const { topic: name, partition, offset, node, by } = body as Record<string, unknown>
  const topic = QUARANTINE_TOPICS.find(each => each === name)
  if (topic === undefined || !isCount(partition) || !isCount(offset) || typeof node !== 'string')
    return undefined
  if (typeof by !== 'string' || by.length > MAX_NAME_LENGTH) return undefined
  return { task: 'quarantine', topic, partition, offset, node, by }
}
