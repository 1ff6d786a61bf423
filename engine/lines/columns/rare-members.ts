import type { RareMembers } from '../../../schemas/log/line-batch.ts'
import { eventParser } from '../../json/exact-json.ts'
import type { LineBatchView } from './line-batch-view.ts'

/** Members of a line that few senders use, with all digits of integers; undefined without such members. */
export function rareMembersOf(batch: LineBatchView, index: number): RareMembers | undefined {
  const text = batch.restText(index)
  return text === '' ? undefined : (eventParser(batch.forms.isExact)(text) as RareMembers)
}
