import type { Outgoing, OutgoingEvents, PipelineDeleted } from '../../../schemas/log/outgoing.ts'
import type { Position } from '../../../schemas/log/position.ts'
import type { Event } from '../../event/event.ts'
import { eventsIn, type ValueForms } from '../../event/event-columns.ts'
import { positionsIn } from '../../fold/spread/rekeyed-part.ts'

/** Events of one node in a record, in the order in which they were handed over. */
export class HandedEvents {
  readonly pipeline: string
  /** Version of the cut of the revision that handled them. */
  readonly version: number
  readonly node: string
  /** Canonical type of the destination. */
  readonly type: string
  /** JSON of the options that the fold reads. */
  readonly options: string
  /** Row of the first event. Rows number the events of a record, those of all nodes together. */
  readonly firstRow: number
  /** Position of each event in the source. */
  readonly positions: readonly Position[]
  readonly #encoded: OutgoingEvents
  readonly #forms: ValueForms
  #events: readonly Event[] | undefined

  constructor(encoded: OutgoingEvents, firstRow: number, forms: ValueForms) {
    const { pipeline, version, node, type, options } = encoded
    this.pipeline = pipeline
    this.version = version
    this.node = node
    this.type = type
    this.options = options
    this.firstRow = firstRow
    this.positions = positionsIn(encoded)
    this.#encoded = encoded
    this.#forms = forms
  }

  /** The events. They are decoded when they are first read. */
  get events(): readonly Event[] {
    this.#events ??= eventsIn(this.#encoded, this.#forms)
    return this.#events
  }
}

/** A part of a record that a partition handed over. */
export type HandedPart = HandedEvents | PipelineDeleted

/** The parts of a record in order. */
export function handedParts({ parts }: Outgoing, forms: ValueForms): HandedPart[] {
  let row = 0
  return parts.map(part => {
    if ('weir.PipelineDeleted' in part) return part['weir.PipelineDeleted']
    const events = new HandedEvents(part['weir.OutgoingEvents'], row, forms)
    row += events.positions.length
    return events
  })
}

/** Highest position of a part in its source. */
export function lastPosition(part: HandedPart): Position {
  if (part instanceof HandedEvents) return part.positions.at(-1) as Position
  return { offset: BigInt(part.offset), row: part.row }
}
