import type { Steps } from '../../steps.ts'
import type { WordView } from '../native-block/block-view.ts'
import type { SegmentFilter } from './segment-filter.ts'

/** Texts of a block that terms search, and the places of its rows. */
export interface SearchedLines {
  readonly rows: number
  readonly account: WordView
  /** Log time, and the line's own time, UNIX ms. */
  readonly time: (row: number) => number
  readonly timestamp: (row: number) => number
  readonly offset: (row: number) => number
  readonly row: (row: number) => number
  /** @param members rows, ascending */
  addTo(filter: SegmentFilter, members: Uint32Array): Steps
}
