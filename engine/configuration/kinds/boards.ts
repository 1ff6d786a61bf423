import type { BoardGraph } from '../../../schemas/http/account/board.ts'
import { defineKind } from '../kind.ts'

/** Graphs on one page. Key: ten hexadecimal digits. */
export interface Board {
  readonly account: string
  readonly title: string
  readonly graphs: readonly BoardGraph[]
  /** Ids of graphs; the remaining graphs follow. */
  readonly order: readonly string[]
  /** Ids of categories, some of which may have been removed; see `categoryNames`. */
  readonly categories: readonly string[]
  readonly createdAtMs: number
}

export const boards = defineKind<Board>('board', { account: ({ account }) => account, isUserSized: true })
