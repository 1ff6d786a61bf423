import type { Static } from 'typebox'
import type {
  ExclusionRecord as ExclusionRecordSchema,
  IngestionExclusionRecord as IngestionExclusionRecordSchema,
  RetentionRuleRecord as RetentionRuleRecordSchema,
} from '../../../schemas/http/account/line-rules-api.ts'
import type { RetentionRecord } from '../../../schemas/http/account/retention-api.ts'
import { read, send } from '../api/request.ts'

/** A rule that leaves lines out; `indexonly` is there for rules about stored lines. */
export type ExclusionRecord = Static<typeof ExclusionRecordSchema> &
  Partial<Pick<Static<typeof IngestionExclusionRecordSchema>, 'indexonly'>>
export type RetentionRuleRecord = Static<typeof RetentionRuleRecordSchema>

/** Lists of rules by the name of their tab. */
const LISTS = {
  exclusions: '/v1/config/ingestion/exclusions',
  stream: '/v1/config/stream/exclusions',
  retention: '/v1/config/retention-rules',
} as const
const RETENTION = '/v1/config/retention'

export type RuleList = keyof typeof LISTS
export type ExclusionList = Exclude<RuleList, 'retention'>
/** Record of a rule of each list. */
interface Rules {
  readonly exclusions: ExclusionRecord
  readonly stream: ExclusionRecord
  readonly retention: RetentionRuleRecord
}

export function readRules<List extends RuleList>(
  list: List,
  signal: AbortSignal,
): Promise<readonly Rules[List][]> {
  return read(LISTS[list], { signal })
}

/** Creates a rule. @throws Problem with the findings */
export function createRule<List extends RuleList>(
  list: List,
  body: Omit<Rules[List], 'id'>,
): Promise<Rules[List]> {
  return read(LISTS[list], { method: 'POST', body })
}

/** Changes a rule; members that are left out stay as they are. @throws Problem with the findings */
export function changeRule<List extends RuleList>(
  list: List,
  id: string,
  body: Partial<Omit<Rules[List], 'id'>>,
): Promise<Rules[List]> {
  return read(`${LISTS[list]}/${encodeURIComponent(id)}`, { method: 'PATCH', body })
}

export async function removeRule(list: RuleList, id: string): Promise<void> {
  await send(`${LISTS[list]}/${encodeURIComponent(id)}`, { method: 'DELETE' })
}

/** Sets the days for which lines are kept unless a rule says otherwise. */
export function setRetention(days: number): Promise<RetentionRecord> {
  return read(RETENTION, { method: 'PUT', body: { days } })
}
