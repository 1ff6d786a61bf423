import type { Steps } from '../../steps.ts'
import type { WordView } from '../native-block/block-view.ts'
import type { SegmentFilter } from './segment-filter.ts'

/** Texts of a block that terms search, and the places of its rows. */
export interface SearchedLines {
  readonly rows: number
  readonly account: WordView
  /** Log time, UNIX ms. */
  readonly time: (row: number) => number
  /** The lines' own times, UNIX ms. */
  readonly timestamps: Float64Array
  readonly offset: (row: number) => number
  readonly row: (row: number) => number
  /** @param members rows, ascending */
  addTo(filter: SegmentFilter, members: Uint32Array): Steps
}
