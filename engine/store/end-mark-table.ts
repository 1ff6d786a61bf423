import {
  type EndMark,
  type MarkKeeper,
  MarkUnreadableError,
  readMark,
  signedMark,
} from '../configuration/end-mark.ts'
import type { Seal } from '../configuration/seal.ts'
import type { StoreConnection } from './connection.ts'
import { textLiteral } from './sql-text.ts'
import { StoreError } from './store.ts'
import { statementFailure } from './store-failure.ts'

/** Larger than every offset, which has 40 bits. */
const RANK_OF_LOSS = 2n ** 40n
/** Codes of the engine for a store that was never opened. */
const NOT_THERE = /\b(UNKNOWN_TABLE|UNKNOWN_DATABASE)\b/

/**
 * The end mark of the configuration in the store. Writing an older mark than the present one has no effect.
 *
 * @param isOpen whether the store can be used
 */
export function endMarkTable(connection: StoreConnection, seal: Seal, isOpen: () => boolean): MarkKeeper {
  return {
    place: 'the store',
    async read() {
      if (!isOpen()) throw notOpen()
      const rows = await signedRows(connection)
      const marks = rows.map(({ signed }) => readMark(signed, seal) ?? unreadable())
      return marks.reduce<EndMark | undefined>(
        (newest, mark) => (newest === undefined || rankOf(mark) > rankOf(newest) ? mark : newest),
        undefined,
      )
    },
    async write(mark) {
      if (!isOpen()) throw notOpen()
      const values = [textLiteral(mark.logId), rankOf(mark), textLiteral(signedMark(mark, seal))]
      try {
        await connection.command(
          `INSERT INTO end_marks (log_id, rank, signed) SETTINGS async_insert = 0 VALUES (${values.join(', ')})`,
        )
      } catch (error) {
        throw statementFailure(error)
      }
    },
  }
}

/** The newest mark of each log with which the store was ever used. */
async function signedRows(connection: StoreConnection): Promise<{ signed: string }[]> {
  try {
    return await connection.read<{ signed: string }>(
      'SELECT argMax(signed, rank) AS signed FROM end_marks GROUP BY log_id',
    )
  } catch (error) {
    if (NOT_THERE.test(`${(error as { type?: string }).type} ${(error as Error).message}`)) return []
    throw statementFailure(error)
  }
}

function rankOf({ losses, next }: EndMark): bigint {
  return BigInt(losses) * RANK_OF_LOSS + next
}

function notOpen(): StoreError {
  return new StoreError('UNAVAILABLE', 'the store is unavailable', { retriable: true })
}

function unreadable(): never {
  throw new MarkUnreadableError(
    'the store has a mark of the end of the configuration that the secret key of this installation has not signed: give ' +
      'the program the store and the key (WEIR_SECRET_KEY) that belong to its log, or restore all of them from one backup',
  )
}
