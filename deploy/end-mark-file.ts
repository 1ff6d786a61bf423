import { existsSync, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  type EndMark,
  isBeyond,
  type MarkKeeper,
  MarkUnreadableError,
  readMark,
  signedMark,
} from '../engine/configuration/end-mark.ts'
import type { Seal } from '../engine/configuration/seal.ts'
import { syncFolder, writeAtomically } from './durable-file.ts'

/** A sector of most disks, and a page: what is written to one slot leaves the other as it is. */
const SLOT_BYTES = 4_096
const SLOTS = 2

/**
 * The end mark of the configuration beside its log: two slots that are written in turn, so that a write which is torn
 * leaves the mark before it. Nothing but the bytes of a slot changes, hence one flush, and no room is needed on a full
 * disk.
 */
export function endMarkFile(path: string, seal: Seal): MarkKeeper {
  let slot: number | undefined
  return {
    place: path,
    async read() {
      const marks = marksIn(path, seal)
      if (marks === undefined) return undefined
      const newest = newestOf(marks)
      if (newest !== undefined) return newest
      throw new MarkUnreadableError(
        `${path} is damaged (it holds no mark that the secret key of this installation has signed): restore the file from ` +
          'the backup that the log is from; or remove it: then the store alone says how far the configuration has come',
      )
    },
    async write(mark) {
      const text = `${signedMark(mark, seal)}\n`.padEnd(SLOT_BYTES - 1, ' ')
      if (!existsSync(path)) {
        writeAtomically(path, `${text}\n`.repeat(SLOTS))
        syncFolder(dirname(path))
        return
      }
      slot ??= olderSlot(marksIn(path, seal) ?? [])
      const file = await open(path, 'r+')
      try {
        await file.write(`${text}\n`, slot * SLOT_BYTES)
        await file.datasync()
      } finally {
        await file.close()
      }
      slot = (slot + 1) % SLOTS
    },
  }
}

/** By slot; undefined: there is no file. */
function marksIn(path: string, seal: Seal): (EndMark | undefined)[] | undefined {
  if (!existsSync(path)) return undefined
  const bytes = readFileSync(path)
  return Array.from({ length: SLOTS }, (_, slot) => {
    const text = bytes.subarray(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES).toString('latin1')
    return readMark(text.trim(), seal)
  })
}

function newestOf(marks: readonly (EndMark | undefined)[]): EndMark | undefined {
  return marks.reduce(
    (newest, mark) => (mark !== undefined && isBeyond(mark, newest) ? mark : newest),
    undefined,
  )
}

/** The slot that may be lost: that of the older mark, or one that holds none. */
function olderSlot(marks: readonly (EndMark | undefined)[]): number {
  const newest = newestOf(marks)
  return newest !== undefined && marks[0] === newest ? 1 : 0
}
