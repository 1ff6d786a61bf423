import { Seal } from '../../../engine/configuration/seal.ts'
import { seededEntropy } from '../../../engine/entropy/seeded-entropy.ts'

/** Promises of a store's writer at some moment. */
export interface Promised {
  readonly step: string
  /**
   * Offsets from 0 on that are stored, each with `ROWS` rows in each of the tables that workers fill. Both the mark of the
   * partition and the end mark lie behind them.
   */
  readonly stored: number
  /** Number of epochs that were claimed. */
  readonly epochs: number
  /** Lines of the day that usage counts once it is closed. */
  readonly closedLines: number
  /** Whether lines of offset 0 may be gone. */
  readonly isExpired: boolean
}

export const LOG_ID = 'log-of-the-power-cuts'
/** Partition of the stored rows. */
export const PARTITION = { topic: 'weir.ingest', partition: 3 } as const
/** Signs end marks. */
export const seal = new Seal(Buffer.alloc(32, 7), seededEntropy(1))
export const DAY = Date.UTC(2026, 0, 2)
export const OFFSETS = 3
export const EPOCHS = 2
export const ROWS = 400
/** Days that the lines of offset 0 are kept. */
export const EXPIRED_DAYS = 7

/** Promises of the program to its users. */
export interface PromisedByProgram {
  readonly step: string
  readonly accessToken: string
  readonly lines: number
  readonly pipelines: readonly string[]
  /** Bytes of the followed file that need not be read again. */
  readonly shippedBytes: number
}

/** The log has small segments. */
export const PROGRAM_SETTINGS = {
  WEIR_PARTITIONS: '1',
  WEIR_LOG_MAX_BYTES: String(16 * 1024 ** 2),
  UV_USE_IO_URING: '0',
}
