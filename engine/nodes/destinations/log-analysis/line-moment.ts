import type { JsonValue } from '../../../../schemas/json.ts'
import type { Event } from '../../../event/event.ts'
import type { LineDraft, OwnStoreContext } from '../../../lines/stored-line/line-draft.ts'
import type { StoredLine } from '../../../lines/stored-line/stored-line.ts'
import { isKeptTime, readLineTimeMs } from './line-time.ts'

/**
 * Sets the line's own time: the written one, else the timestamp of the event. A time that is out of bounds is replaced by
 * the log time and kept as text (ingestion, section 1.4).
 */
export function keepTime(
  line: StoredLine,
  draft: LineDraft,
  written: JsonValue | undefined,
  event: Event,
  { timeMs, retentionDays }: OwnStoreContext,
): void {
  const writtenMs = readLineTimeMs(written)
  const ownMs = writtenMs ?? event.timestampMs
  const isKept = isKeptTime(ownMs, timeMs, retentionDays)
  line.timestampMs = isKept ? ownMs : timeMs
  draft.timestampText = isKept ? undefined : writtenMs === undefined ? event.timestamp : String(written)
}
