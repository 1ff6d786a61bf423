import type { RareMembers } from '../../schemas/log/line-batch.ts'
import { eventParser } from '../json/exact-json.ts'
import type { LineBatchView } from './line-batch-view.ts'

/** Members of a line that few senders use, integers with all their digits; undefined when there are none. */
export function rareMembersOf(batch: LineBatchView, index: number): RareMembers | undefined {
  const text = batch.restText(index)
  return text === '' ? undefined : (eventParser(batch.isExact)(text) as RareMembers)
}
