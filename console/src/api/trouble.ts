import type { WaitingDeadLetters } from '../../../schemas/http/pipeline/dead-letter-api.ts'
import type { DestinationDeliveryRecord } from '../../../schemas/http/pipeline/delivery-api.ts'
import type {
  PipelineErrorCount,
  PipelineErrorRecord,
} from '../../../schemas/http/pipeline/pipeline-error-api.ts'
import { HOUR_MS } from '../times/time.ts'
import { read } from './request.ts'

/** Equal errors of a node, with their number in each hour. */
export interface HourlyError extends PipelineErrorRecord {
  readonly hours: readonly { readonly start: string; readonly count: number }[]
}

/** Number of the errors of a node with one code. */
export type ErrorCount = PipelineErrorCount

/** Conditions on errors; an empty text restricts nothing. */
export interface ErrorFilter {
  /** Id of a pipeline. */
  readonly pipeline: string
  /** Id of a node. */
  readonly node: string
  readonly code: string
}

/** Number of errors that are listed. */
export const MOST_ERRORS = 200

/** Errors of the last hours, of all pipelines or of one, newest first. */
export async function readErrors(
  hours: number,
  { pipeline, node, code }: Partial<ErrorFilter>,
  signal: AbortSignal,
): Promise<readonly HourlyError[]> {
  const query = lastHours(hours, { pipeline_id: pipeline, node_id: node, code, limit: String(MOST_ERRORS) })
  return (await read<{ data: readonly HourlyError[] }>(`/v3/pipeline/error?${query}`, { signal })).data
}

/** Numbers of the errors of the last hours by pipeline, node and code, the largest first. */
export async function readErrorCounts(
  hours: number,
  { pipeline }: Pick<Partial<ErrorFilter>, 'pipeline'>,
  signal: AbortSignal,
): Promise<readonly ErrorCount[]> {
  const query = lastHours(hours, { pipeline_id: pipeline })
  return (await read<{ data: readonly ErrorCount[] }>(`/v3/pipeline/error/count?${query}`, { signal })).data
}

/** Parameters of a question about the last hours; those without a value are left out. */
function lastHours(hours: number, conditions: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const from = new Date(Date.now() - hours * HOUR_MS).toISOString()
  const given = Object.entries(conditions).flatMap(([name, value = '']) =>
    value === '' ? [] : [[name, value]],
  )
  return new URLSearchParams([['from', from], ...given])
}

/** Failed events that wait to be replayed, by pipeline and code. */
export async function readWaiting(signal: AbortSignal): Promise<readonly WaitingDeadLetters[]> {
  return (await read<{ data: readonly WaitingDeadLetters[] }>('/v3/pipeline/dead-letter', { signal })).data
}

/** Deliveries of the destinations of all pipelines that have received an event. */
export async function readDeliveries(signal: AbortSignal): Promise<readonly DestinationDeliveryRecord[]> {
  return (await read<{ data: readonly DestinationDeliveryRecord[] }>('/v3/pipeline/delivery', { signal }))
    .data
}
