import type { OpenFile } from './file-operations.ts'
import type { LogRecord } from './log.ts'
import { corrupt, readStretch, type Segment } from './segment-file.ts'

/** Additional bytes per read: an index entry may be this far before the wanted record, and frames have headers. */
const READ_AHEAD_BYTES = 160 * 1024
/** Maximum bytes per read; a larger request takes several reads. */
const MAX_STRETCH_BYTES = 16 * 1024 * 1024

/**
 * Reads durable records of one segment up to its end, with the semantics of `Topic.read`.
 *
 * @param offset  an offset of this segment
 * @throws LogError LOG_CORRUPT
 */
export async function readSegment(
  file: OpenFile,
  { path, index }: Segment,
  mark: number,
  offset: number,
  maxBytes: number,
): Promise<LogRecord[]> {
  const { end } = index
  let { position, offset: expected } = index.entryAt(offset)
  const records: LogRecord[] = []
  let bytes = 0
  while (position < end) {
    const wantedBytes = Math.min(maxBytes - bytes, MAX_STRETCH_BYTES) + READ_AHEAD_BYTES
    const { frames } = await readStretch(file, position, end, wantedBytes, mark)
    if (frames.length === 0)
      throw corrupt(path, position, `no sound record of offset ${expected} begins there`)
    for (const frame of frames) {
      if (frame.offset !== expected) {
        throw corrupt(path, position, `offset ${frame.offset} was found in place of ${expected}`)
      }
      expected++
      position += frame.bytes
      if (frame.offset < offset) continue
      bytes += frame.record.value.length
      if (bytes > maxBytes && records.length > 0) return records
      records.push(frame.record)
    }
  }
  return records
}
