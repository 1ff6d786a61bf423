import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const READER = new URL('./read-store.ts', import.meta.url).pathname

/** Active parts of the store's folder. */
export interface StoreContents {
  readonly tables: readonly TableContents[]
  /** Columns of the table of lines. */
  readonly columns: readonly ColumnContents[]
}

export interface TableContents {
  readonly table: string
  readonly rows: number
  readonly parts: number
  /** Largest number of parts of one day. */
  readonly partsOfDay: number
  /** Everything, projections and skip indexes included. */
  readonly bytes: number
}

/** Compressed bytes with marks of a column, a projection or a skip index. */
export interface ColumnContents {
  readonly name: string
  readonly bytes: number
}

/** Reads a folder that no other process has open. Another process reads it, since a process opens one folder only. */
export async function storeContents(folder: string): Promise<StoreContents> {
  const { stdout } = await promisify(execFile)(process.execPath, [READER, folder])
  return JSON.parse(stdout) as StoreContents
}
