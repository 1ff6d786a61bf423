import type { Position } from '../../../schemas/log/position.ts'
import type { RekeyedEvents, RekeyedPart } from '../../../schemas/log/rekeyed.ts'
import type { Event } from '../../event/event.ts'
import { eventColumns, eventsIn, type ValueForms } from '../../event/event-columns.ts'

/** Place where events wait: a node of a revision of a pipeline. */
export interface WaitingPlace {
  readonly pipeline: string
  readonly version: number
  readonly node: string
}

/** Consecutive events that one partition sends to another. */
export interface EventRun {
  readonly place: WaitingPlace
  readonly entrance: string
  readonly events: Event[]
  /** Position of each event in the sender's log. */
  readonly positions: Position[]
}

/** Whether the events of both wait in the same place. */
export function isSamePlace(one: EventRun, other: Pick<EventRun, 'place' | 'entrance'>): boolean {
  const [{ pipeline, version, node }, { place }] = [one.place, other]
  const isSameNode = node === place.node && pipeline === place.pipeline && version === place.version
  return isSameNode && one.entrance === other.entrance
}

export function encodedRun({ place, entrance, events, positions }: EventRun, account: string): RekeyedEvents {
  return {
    ...place,
    ...eventColumns(events, account, entrance),
    ...positionColumns(positions),
  }
}

/** The run of a part, with values in given forms. */
export function decodedRun(encoded: RekeyedEvents, forms?: ValueForms): EventRun {
  const { pipeline, version, node } = encoded
  const events = eventsIn(encoded, forms)
  return {
    place: { pipeline, version, node },
    entrance: events[0]?.origin?.batch.entrance ?? '',
    events,
    positions: positionsIn(encoded),
  }
}

/** Columns with the position of each event in the sender's log. */
export type PositionColumns = Pick<RekeyedEvents, 'offsets' | 'rows'>

export function positionColumns(positions: readonly Position[]): PositionColumns {
  return {
    offsets: bytesOf(Float64Array.from(positions, ({ offset }) => Number(offset))),
    rows: bytesOf(Uint32Array.from(positions, ({ row }) => row)),
  }
}

/** The positions in columns, in order. */
export function positionsIn(columns: PositionColumns): Position[] {
  const offsets = new Float64Array(new Uint8Array(columns.offsets).buffer)
  const rows = new Uint32Array(new Uint8Array(columns.rows).buffer)
  return Array.from(offsets, (offset, index) => ({ offset: BigInt(offset), row: rows[index] as number }))
}

export function lastPositionIn(part: RekeyedPart): Position {
  if ('weir.RekeyedEvents' in part) {
    const { offsets, rows } = part['weir.RekeyedEvents']
    return {
      offset: BigInt(offsets.readDoubleLE(offsets.length - 8)),
      row: rows.readUInt32LE(rows.length - 4),
    }
  }
  const [{ offset, row }] = Object.values(part) as [{ offset: number; row: number }]
  return { offset: BigInt(offset), row }
}

/** Returns the part that was sent with records below an offset; undefined without one. */
export function partBelow(part: RekeyedPart, offset: bigint, account: string): RekeyedPart | undefined {
  if (lastPositionIn(part).offset < offset) return part
  if (!('weir.RekeyedEvents' in part)) return undefined
  const { events, positions, ...run } = decodedRun(part['weir.RekeyedEvents'])
  const count = positions.findIndex(position => position.offset >= offset)
  if (count === 0) return undefined
  const below = { ...run, events: events.slice(0, count), positions: positions.slice(0, count) }
  return { 'weir.RekeyedEvents': encodedRun(below, account) }
}

function bytesOf(values: Float64Array | Uint32Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength)
}
