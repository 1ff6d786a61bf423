import type { DeliveryTrouble } from '../delivery-sign.tsx'
import type { NodeChange } from '../document/draft-changes.ts'

/** Numbers of events at a node, in a simulation or while it runs; undefined: not known. */
export interface NodeFigures {
  readonly eventsIn: number | undefined
  readonly eventsOut: number | undefined
  readonly dropped: number
  readonly failed: number
  readonly merged: number
  /** Change of the number of events that the node holds. */
  readonly held: number
  /** Whether they are numbers of each second. */
  readonly isRate: boolean
}

/** Events that went along a connection; undefined: not known. */
export interface EdgeFigures {
  readonly events: number | undefined
  readonly bytes: number | undefined
  readonly isRate: boolean
}

/** Marks of a node on the canvas and in the outline. */
export interface NodeMarks {
  readonly findings: number
  /** Errors that the node reported. */
  readonly errors: number
  readonly figures: NodeFigures | undefined
  /** Trouble of a destination with its deliveries. */
  readonly delivery: DeliveryTrouble | undefined
  /** Difference of a draft from the version that runs. */
  readonly change: NodeChange | undefined
}

export const NO_MARKS: NodeMarks = {
  findings: 0,
  errors: 0,
  figures: undefined,
  delivery: undefined,
  change: undefined,
}

/** Signs of changes, beside their colours. */
export const CHANGE_SIGNS = { added: '+', changed: '~', removed: '\u2212' } as const

export type MarksByName = ReadonlyMap<string, NodeMarks>

/** Figures of connections, by `edgeId`. */
export type FiguresByEdge = ReadonlyMap<string, EdgeFigures>
