import type { SentCuts } from './cuts.ts'
import { WireType } from './wire-format.ts'

/** Time that passed without a record: its deadline has expired. */
export interface Tick {
  readonly deadlineMs: number
}

/** Kinds of cuts: those of the configuration, and those that a partition or an operator writes. */
export type CutName = keyof SentCuts | 'slice' | 'loss'

/** A change of configuration. It takes effect at its place on the log. */
export interface Cut {
  readonly kind: CutName
  readonly entity: string
  readonly version: number
  /** JSON; empty when the entity was removed. */
  readonly payload: string
}

/** A worker took over the partition; the offset of this record is its epoch. */
export interface Owner {
  readonly worker: string
}

export interface Control {
  readonly behaviour: number
  readonly body:
    | { readonly 'weir.Tick': Tick }
    | { readonly 'weir.Cut': Cut }
    | { readonly 'weir.Owner': Owner }
}

export const controlType = new WireType<Control>('Control')
