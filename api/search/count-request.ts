import type { Clock } from '../../engine/clock/clock.ts'
import { isCountable } from '../../engine/store/search/counted-field.ts'
import type { LineSelection } from '../../engine/store/search/line-selection.ts'
import { nearestStoredTime } from '../../engine/store/search/stored-times.ts'
import { BUCKETS, BUDGET_MS, FACET_VALUES, MAX_FACET_FIELDS } from '../../schemas/http/lines/count-api.ts'
import type { QueryParameters } from '../http/query-parameters.ts'
import { readSelection, SELECTION_PARAMETERS } from './export-request.ts'
import { isTimeZone, type TimeBuckets, timeBuckets } from './time-buckets.ts'

export const NOT_COUNTABLE =
  'must be app, host, level, file, env, tag or the name of a parsed field: lines cannot be counted by their text, id or time'

interface CountRequest {
  readonly selection: LineSelection
  /** Time after which no further part of the period is counted. */
  readonly budgetMs: number
}

export interface HistogramRequest extends CountRequest {
  readonly buckets: TimeBuckets
  /** Field by whose values lines are counted separately. */
  readonly by: string | undefined
}

export interface FacetRequest extends CountRequest {
  readonly fields: readonly string[]
  readonly limit: number
}

/** @throws ApiError 400 with all findings about the parameters */
export function readHistogram(parameters: QueryParameters, account: string, clock: Clock): HistogramRequest {
  parameters.only([...SELECTION_PARAMETERS, 'by', 'buckets', 'zone', 'budget_ms'])
  const request = readCounted(parameters, account, clock)
  const most = parameters.integer('buckets', BUCKETS) ?? BUCKETS.usual
  const zone = parameters.text('zone') ?? 'UTC'
  if (!isTimeZone(zone)) parameters.refuse('zone', 'must be a time zone such as Europe/Berlin or +02:00')
  const by = parameters.text('by')
  if (by !== undefined && !isCountable(by)) parameters.refuse('by', NOT_COUNTABLE)
  parameters.check()
  const { fromMs, toMs } = request.selection
  return { ...request, buckets: timeBuckets(fromMs, toMs, zone, most), by }
}

/** @throws ApiError 400 with all findings about the parameters */
export function readFacets(parameters: QueryParameters, account: string, clock: Clock): FacetRequest {
  parameters.only([...SELECTION_PARAMETERS, 'fields', 'limit', 'budget_ms'])
  const request = readCounted(parameters, account, clock)
  const fields = [...new Set(parameters.list('fields'))]
  if (fields.length === 0) parameters.refuse('fields', 'is required: names of fields, separated by commas')
  if (fields.length > MAX_FACET_FIELDS)
    parameters.refuse('fields', `must name at most ${MAX_FACET_FIELDS} fields`)
  for (const field of fields) {
    if (!isCountable(field))
      parameters.refuseAs('fields', `"fields" contains "${field}", which ${NOT_COUNTABLE}`)
  }
  const limit = parameters.integer('limit', FACET_VALUES) ?? FACET_VALUES.usual
  parameters.check()
  return { ...request, fields, limit }
}

function readCounted(parameters: QueryParameters, account: string, clock: Clock): CountRequest {
  const { fromMs, toMs, ...selection } = readSelection(parameters, account, clock.wallMs())
  const budgetMs = parameters.integer('budget_ms', BUDGET_MS) ?? BUDGET_MS.usual
  const within = { fromMs: nearestStoredTime(fromMs), toMs: nearestStoredTime(toMs) }
  return { selection: { ...selection, ...within }, budgetMs }
}
