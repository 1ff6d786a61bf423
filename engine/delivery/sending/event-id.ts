import { createHash } from 'node:crypto'
import { topicNumber } from '../../../schemas/log/topics.ts'
import type { Event } from '../../event/event.ts'
import type { SentEvent } from './remote.ts'

/** Annotation of a dead letter of a delivery: the id with which the event was sent. Its replay has the same. */
const DELIVERY_ID = 'delivery_id'
/** The numbers have at most 46 digits. */
const ID = /^\d{1,46}$/

/** Id of an event that a remote may know it by. */
export type EventIds = (event: SentEvent) => string

/**
 * Gives the events of an installation their ids: decimal texts of 150-bit numbers. From high to low such a number has the
 * beginning of a hash of the log's id (64 bits), topic (2), partition (12), offset (40) and row (32). A replayed event keeps the
 * id with which it was sent first.
 *
 * @param logId id of the outbox topic
 */
export function eventIdsOf(logId: string): EventIds {
  const installation = createHash('sha256').update(logId).digest().readBigUInt64BE() << 86n
  // Most events come from the record of the event before them.
  let last: RecordIds | undefined
  return ({ event, source, position: { offset, row } }) => {
    const known = event.annotations?.[DELIVERY_ID]
    if (typeof known === 'string' && ID.test(known)) return known
    if (last?.offset !== offset || last.source !== source) {
      const [topic, partition] = source.split(' ') as [string, string]
      const place = (BigInt(topicNumber(topic)) << 12n) | BigInt(partition)
      last = recordIds(source, offset, installation | (place << 72n) | (offset << 32n))
    }
    return idIn(last, row)
  }
}

/** Ids of the events of one record: the first one plus the row. */
interface RecordIds {
  readonly source: string
  readonly offset: bigint
  readonly first: bigint
  /** Decimal digits of the first id: the low ones as a number, so that adding a row needs no bigint. */
  readonly high: string
  readonly low: number
}

const LOW_DIGITS = 15
const LOW = 10n ** BigInt(LOW_DIGITS)
const LOW_END = Number(LOW)

function recordIds(source: string, offset: bigint, first: bigint): RecordIds {
  return { source, offset, first, high: (first / LOW).toString(), low: Number(first % LOW) }
}

function idIn({ first, high, low }: RecordIds, row: number): string {
  if (first < LOW || low + row >= LOW_END) return (first + BigInt(row)).toString()
  return `${high}${String(low + row).padStart(LOW_DIGITS, '0')}`
}

/** The event with the id with which it was sent. Destinations do not send annotations. */
export function withDeliveryId(event: Event, id: string): Event {
  return event.withAnnotations({ ...event.annotations, [DELIVERY_ID]: id })
}
