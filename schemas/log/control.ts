import { WireType } from './wire-format.ts'

/** Time that passed without a record: the deadline it names has gone by. */
export interface Tick {
  readonly deadlineMs: number
}

/** A change that takes effect where it is read back. */
export interface Cut {
  readonly kind:
    | 'pipeline'
    | 'account'
    | 'slice'
    | 'spread'
    | 'dead-letter'
    | 'exemption'
    | 'line-rules'
    | 'quota'
    | 'loss'
  readonly entity: string
  readonly version: number
  /** JSON; empty when the entity is gone. */
  readonly payload: string
}

/** A worker took the partition; the offset of this record is its epoch. */
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
