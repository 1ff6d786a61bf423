import { THIRTEENTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { type OutgoingEvents, type OutgoingPart, outgoingType } from '../../../schemas/log/outgoing.ts'
import type { Position } from '../../../schemas/log/position.ts'
import { RECORD_BYTES, RECORD_ROWS } from '../../../schemas/log/record-size.ts'
import type { Event } from '../../event/event.ts'
import { eventColumns, sharedBytes } from '../../event/event-columns.ts'
import type { PartitionName } from '../run-watch.ts'
import { positionColumns } from './rekeyed-part.ts'

/** Approximate size of an event without its texts: its position, and its place in the columns. */
const EVENT_BYTES = 64
/** Approximate size of a part without its events and options. */
const PART_BYTES = 256

/** Node of a revision that hands events over. */
export interface HandingNode {
  readonly pipeline: string
  /** Version of the cut of the revision. */
  readonly version: number
  readonly node: string
  /** Canonical type of the destination. */
  readonly type: string
  /** JSON of the options that the fold reads. */
  readonly options: string
}

/** Events that one node hands over, in order. */
interface HandedRun {
  readonly from: HandingNode
  readonly entrance: string
  readonly events: Event[]
  readonly positions: Position[]
}

type MailPart = HandedRun | { readonly deleted: string; readonly position: Position }

/** Value of a record for the outbox. */
export interface OutgoingValue {
  readonly value: Buffer
  /** Whether it has no events: it only ends lanes, of which there are none without an outbox. */
  readonly endsLanes: boolean
}

/** Events of one account that a partition hands over to the outbox, and deletions of its pipelines, by rising positions. */
export class OutgoingMail {
  readonly #account: string
  readonly #parts: MailPart[] = []

  constructor(account: string) {
    this.#account = account
  }

  /** Adds an event. Its position is beyond those of all that was added before. */
  add(from: HandingNode, event: Event, position: Position): void {
    const entrance = event.origin?.batch.entrance ?? ''
    const last = this.#parts.at(-1)
    if (last !== undefined && 'from' in last && last.entrance === entrance && isSameNode(last.from, from)) {
      last.events.push(event)
      last.positions.push(position)
      return
    }
    this.#parts.push({ from, entrance, events: [event], positions: [position] })
  }

  /** Adds the deletion of a pipeline. */
  delete(pipeline: string, position: Position): void {
    this.#parts.push({ deleted: pipeline, position })
  }

  /** The values of records with everything that was added. */
  *values({ topic: sourceTopic, partition: sourcePartition }: PartitionName): Generator<OutgoingValue> {
    const account = this.#account
    let parts: OutgoingPart[] = []
    let bytes = 0
    let rows = 0
    const close = (): OutgoingValue => {
      const record = { behaviour: THIRTEENTH_BEHAVIOUR, sourceTopic, sourcePartition, account, parts }
      const value = outgoingType.encode(record, bytes + 4_096)
      const endsLanes = !parts.some(part => 'weir.OutgoingEvents' in part)
      parts = []
      bytes = 0
      rows = 0
      return { value, endsLanes }
    }
    for (const piece of this.#parts.flatMap(part => [...piecesOf(part, account)])) {
      if (parts.length > 0 && (bytes + piece.bytes > RECORD_BYTES || rows + piece.rows > RECORD_ROWS))
        yield close()
      parts.push(piece.part)
      bytes += piece.bytes
      rows += piece.rows
    }
    if (parts.length > 0) yield close()
  }
}

interface Piece {
  readonly part: OutgoingPart
  readonly bytes: number
  readonly rows: number
}

/** Divides a part into pieces that each fit into a record. */
function* piecesOf(part: MailPart, account: string): Generator<Piece> {
  if ('deleted' in part) {
    const { offset, row } = part.position
    const deleted = { offset: Number(offset), row, pipeline: part.deleted }
    yield { part: { 'weir.PipelineDeleted': deleted }, bytes: PART_BYTES, rows: 1 }
    return
  }
  const { events } = part
  const fixedBytes = PART_BYTES + part.from.options.length
  let first = 0
  let bytes = fixedBytes
  for (let end = 1; end <= events.length; end++) {
    const event = events[end - 1] as Event
    bytes += event.bytes + sharedBytes(event) + EVENT_BYTES
    if (end < events.length && bytes < RECORD_BYTES && end - first < RECORD_ROWS) continue
    const encoded = encodedRun(part, first, end, account)
    const size = fixedBytes + encoded.lines.length + 12 * (end - first)
    yield { part: { 'weir.OutgoingEvents': encoded }, bytes: size, rows: end - first }
    first = end
    bytes = fixedBytes
  }
}

function encodedRun(
  { from, entrance, events, positions }: HandedRun,
  first: number,
  end: number,
  account: string,
): OutgoingEvents {
  return {
    ...from,
    ...eventColumns(events.slice(first, end), account, entrance),
    ...positionColumns(positions.slice(first, end)),
  }
}

function isSameNode(one: HandingNode, other: HandingNode): boolean {
  const isSameRevision = one.pipeline === other.pipeline && one.version === other.version
  return isSameRevision && one.node === other.node
}
