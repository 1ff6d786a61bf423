import { statfs } from 'node:fs/promises'

/** Free space that a definition needs. It equals `keep_free_space_bytes` in `engine-settings.xml`, which the engine applies to parts alone. */
const ROOM_BYTES = 64 * 1024 ** 2
/** Statements that write the definition of a table, or a file about a mutation. */
const WRITES_DEFINITION = /^(?:CREATE TABLE|ALTER TABLE)\b/im
/** Statements that only remove or link parts, or that write nothing in a store that exists. */
const WRITES_NONE = /\b(?:DROP PARTITION|DROP PART|FREEZE WITH)\b|^CREATE TABLE IF NOT EXISTS\b/im

/**
 * Refuses a statement that writes a definition on a disk that is nearly full. The engine replaces a definition by an empty
 * file if its write fails, and does not start with it again.
 *
 * @param folder the engine's data folder
 * @throws an error in the engine's words; the statement was not begun
 */
export async function assertRoomFor(sql: string, folder: string, leastBytes = ROOM_BYTES): Promise<void> {
  if (!WRITES_DEFINITION.test(sql) || WRITES_NONE.test(sql)) return
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize >= leastBytes) return
  throw new Error(
    `Code: 243. DB::Exception: the disk of the store has less than ${leastBytes / 1024 ** 2} MB of free space (NOT_ENOUGH_SPACE)`,
  )
}
