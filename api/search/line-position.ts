import { idOfRow, type LineRow } from '../../engine/lines/stored-line/line-record.ts'
import type { LinePosition } from '../../engine/store/search/line-selection.ts'
import { MAX_TIME_MS } from '../../engine/store/search/stored-times.ts'
import { parseLineId } from '../../schemas/log/position.ts'
import { TOPIC_NUMBERS } from '../../schemas/log/topics.ts'

const POSITION = /^(\d{1,14})-(\d{1,39})$/

/**
 * Place of a line in the order of time and id: `_ts` and `_id` of its record, with a hyphen between them. It depends on
 * nothing else, so a search can continue behind any line, in either direction.
 */
export function encodeLinePosition(row: LineRow): string {
  return `${row.ts}-${idOfRow(row)}`
}

/** @returns undefined when the text is not the position of a line */
export function decodeLinePosition(text: string): LinePosition | undefined {
  const [, ts = '', id = ''] = POSITION.exec(text) ?? []
  const parts = parseLineId(id)
  if (parts === undefined || Number(ts) > MAX_TIME_MS) return undefined
  const { timeMs, topic, partition, offset, row } = parts
  const topicNumber = TOPIC_NUMBERS[topic]
  return { ts: Number(ts), t: timeMs, topic: topicNumber, partition, offset: String(offset), row }
}
