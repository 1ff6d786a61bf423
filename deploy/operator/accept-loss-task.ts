/** Topics whose losses can be accepted, by their names on the command line. */
export const LOSABLE_TOPICS = ['ingest', 'keyed', 'outbox'] as const
export type LosableTopic = (typeof LOSABLE_TOPICS)[number]

/** The task, with the reported numbers: first and last lost record. */
export interface AcceptLossTask {
  readonly task: 'accept-loss'
  readonly topic: LosableTopic
  readonly partition: number
  readonly from: number
  readonly to: number
}

/** @returns undefined when the body is not such a task */
export function acceptLossTask(body: unknown): AcceptLossTask | undefined {
  const { topic: name, partition, from, to } = body as Record<string, unknown>
  const topic = LOSABLE_TOPICS.find(each => each === name)
  if (topic === undefined || !isCount(partition) || !isCount(from) || !isCount(to)) return undefined
  return { task: 'accept-loss', topic, partition, from, to }
}

/** Whether a value is a whole number from 0 on. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
