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

/** Entry among the migrations that the store has had a mark. An older program takes no notice of it. */
const HAD_MARK = 0

/** Permission of an operator to start with a store that has lost its mark. */
export interface MarkWaiver {
  /** End of a sentence that says how an operator gives the permission. */
  readonly remedy: string
  isGiven(): boolean
  /** Called once the store has a mark again. */
  use(): void
}

export interface EndMarkTableOptions {
  readonly connection: StoreConnection
  readonly seal: Seal
  /** Whether the store can be used. */
  readonly isOpen: () => boolean
  /** Absent: the operator has access to the tables of the store. */
  readonly waiver?: MarkWaiver
}

/** The end mark of the configuration in the store. Writing an older mark than the present one has no effect. */
export function endMarkTable({ connection, seal, isOpen, waiver }: EndMarkTableOptions): MarkKeeper {
  /** Whether this process has found or made the entry that the store has had a mark. */
  let isNoted = false
  return {
    place: 'the store',
    async read() {
      if (!isOpen()) throw notOpen()
      const rows = await readable(() => signedRows(connection))
      if (rows.length === 0 && !waiver?.isGiven() && (await readable(() => hadMark(connection))))
        throw markLost(waiver)
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
        if (isNoted) return
        // After the mark: a kill between the two leaves a store whose loss of the mark would not be noticed yet.
        await connection.command(
          `INSERT INTO migrations SETTINGS async_insert = 0
SELECT ${HAD_MARK}, 'end-mark' WHERE (SELECT count() FROM migrations WHERE number = ${HAD_MARK}) = 0`,
        )
        isNoted = true
        if (waiver?.isGiven()) waiver.use()
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
    if (isNotThere(error)) return []
    throw error
  }
}

async function hadMark(connection: StoreConnection): Promise<boolean> {
  try {
    const rows = await connection.read<{ number: number }>(
      `SELECT number FROM migrations WHERE number = ${HAD_MARK} LIMIT 1`,
    )
    return rows.length > 0
  } catch (error) {
    if (isNotThere(error)) return false
    throw error
  }
}

function isNotThere(error: unknown): boolean {
  return NOT_THERE.test(`${(error as { type?: string }).type} ${(error as Error).message}`)
}

/**
 * Runs a statement. A failure that no repetition cures leaves the end unknown, and a revoked token might work again.
 *
 * @throws StoreError while the store is unavailable; MarkUnreadableError
 */
async function readable<Result>(statement: () => Promise<Result>): Promise<Result> {
  try {
    return await statement()
  } catch (error) {
    const failure = statementFailure(error)
    if (failure.retriable) throw failure
    throw new MarkUnreadableError(
      `the store cannot read its mark of the end of the configuration, without which revoked tokens could work again: ${failure.message}`,
      { cause: error },
    )
  }
}

function markLost(waiver: MarkWaiver | undefined): MarkUnreadableError {
  const remedy =
    waiver?.remedy ?? `run "ALTER TABLE migrations DELETE WHERE number = ${HAD_MARK}" on its database`
  return new MarkUnreadableError(
    'the store has lost its mark of the end of the configuration: its table end_marks is empty, and it was not. If the configuration log ' +
      '(weir.config) is an older copy, revoked tokens and deleted keys would work again. Restore a backup. Only if that is not possible, ' +
      `and the log is known to be complete: ${remedy}, then start again, and repeat the revocations that may have been lost`,
  )
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
