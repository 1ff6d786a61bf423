import { existsSync, readFileSync, rmSync } from 'node:fs'
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
import type { MarkWaiver } from '../engine/store/end-mark-table.ts'
import type { DataDirectory } from './data-directory.ts'
import { syncFolder, writeAtomically } from './durable-file.ts'

/** A sector of most disks, and a page: writing one slot does not change the other. */
const SLOT_BYTES = 4_096
const SLOTS = 2

/**
 * The end mark of the configuration, beside its log. It has two slots that are written in turn, so that a torn write
 * leaves the previous mark. Only the bytes of a slot change, so a write needs one flush and no space on a full disk.
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
        `${path} is damaged (it contains no mark signed with the secret key of this installation): restore the file from ` +
          'the backup of the log; or remove it: then only the store knows the end of the configuration',
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

/** An empty file in the data folder with which an operator accepts that the store has lost its mark. It counts once. */
export function markWaiver({
  path,
  endUnknownPath,
}: Pick<DataDirectory, 'path' | 'endUnknownPath'>): MarkWaiver {
  return {
    remedy: `create the empty file ${endUnknownPath}`,
    isGiven: () => existsSync(endUnknownPath),
    use() {
      rmSync(endUnknownPath, { force: true })
      syncFolder(path)
    },
  }
}

/** Marks by slot; undefined when the file does not exist. */
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

/** The slot to overwrite: that of the older mark, or one without a mark. */
function olderSlot(marks: readonly (EndMark | undefined)[]): number {
  const newest = newestOf(marks)
  return newest !== undefined && marks[0] === newest ? 1 : 0
}
