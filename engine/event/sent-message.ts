import type { JsonValue } from '../../schemas/json.ts'
import { parseExactJson } from '../json/exact-json.ts'
import { JsonWalk } from '../json/json-walk.ts'
import type { LineBatchView } from '../lines/columns/line-batch-view.ts'

const OBJECT = 0x7b
/** Deeper messages are parsed. */
const MAX_LEVELS = 128
const ASCII = /^[ -~]*$/

/** Result for a message that only a parse can read. */
export const UNREAD = Symbol('unread')

const walk = new JsonWalk()
/** The message that was walked last. */
let walked: { readonly batch: LineBatchView; readonly index: number; readonly isRead: boolean } | undefined

/**
 * Size in bytes of the compact text of a message that is an object, as an unchanged event of a gateway route carries it.
 */
export function sentObjectBytes(batch: LineBatchView, index: number): number | typeof UNREAD {
  return isRead(batch, index) ? (walk.compactBytes ?? UNREAD) : UNREAD
}

/** Member of such a message; undefined: it has none of that name. Only this member is parsed. */
export function sentMember(
  batch: LineBatchView,
  index: number,
  key: string,
): JsonValue | undefined | typeof UNREAD {
  if (!isRead(batch, index) || walk.members < 0 || !ASCII.test(key)) return UNREAD
  const member = walk.memberOf(key)
  if (member < 0) return undefined
  const start = walk.valueStarts[member] as number
  const end = walk.valueEnds[member] as number
  const { lineBytes } = batch
  return walk.arePlain[member] === 1
    ? lineBytes.toString('utf8', start + 1, end - 1)
    : parseExactJson(lineBytes.toString('utf8', start, end))
}

function isRead(batch: LineBatchView, index: number): boolean {
  if (walked?.batch !== batch || walked.index !== index) {
    const start = batch.lineStart(index)
    const end = batch.lineEnd(index)
    const isRead =
      batch.isExact &&
      batch.lineBytes[start] === OBJECT &&
      walk.value(batch.lineBytes, start, end, MAX_LEVELS) === end
    walked = { batch, index, isRead }
  }
  return walked.isRead
}
