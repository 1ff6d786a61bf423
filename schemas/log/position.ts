import { TOPIC_NUMBERS } from './topics.ts'

/** Origin of an event: the row-th item of the record at `offset`. */
export interface Position {
  readonly offset: bigint
  readonly row: number
}

/** Whether a position comes after another in the same log. */
export function isBeyond(one: Position, other: Position): boolean {
  return one.offset > other.offset || (one.offset === other.offset && one.row > other.row)
}

/** Maximum number of rows per record; surplus rows fail. The row must fit the layout of a line id with room to spare. */
export const MAX_ROWS_PER_RECORD = 2 ** 20

export interface LineIdParts {
  readonly timeMs: number
  readonly topic: keyof typeof TOPIC_NUMBERS
  readonly partition: number
  readonly offset: bigint
  readonly row: number
}

/**
 * Id of a stored line: a 128-bit number in decimal. From high to low it has milliseconds of log time (42 bits), topic
 * (2), partition (12), offset (40) and row (32). It is unique, rises with storage order within a partition, and gives the
 * line's place on the log.
 */
export function lineId({ timeMs, topic, partition, offset, row }: LineIdParts): string {
  const high = (BigInt(timeMs) << 14n) | (BigInt(TOPIC_NUMBERS[topic]) << 12n) | BigInt(partition)
  return ((high << 72n) | (offset << 32n) | BigInt(row)).toString()
}

/** @returns undefined when the text is not the id of a line */
export function parseLineId(text: string): LineIdParts | undefined {
  if (!/^\d{1,39}$/.test(text)) return undefined
  const number = BigInt(text)
  const topicNumber = Number((number >> 84n) & 3n)
  const topic = Object.entries(TOPIC_NUMBERS).find(([, value]) => value === topicNumber)?.[0]
  if (topic === undefined || number >> 128n !== 0n) return undefined
  return {
    timeMs: Number(number >> 86n),
    topic: topic as keyof typeof TOPIC_NUMBERS,
    partition: Number((number >> 72n) & 0xfffn),
    offset: (number >> 32n) & 0xffffffffffn,
    row: Number(number & 0xffffffffn),
  }
}
