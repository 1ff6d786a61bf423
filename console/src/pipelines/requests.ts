import type { DeliveryCheckRecord, DeliveryRecord } from '../../../schemas/http/pipeline/delivery-api.ts'
import type { PipelineGraphChange } from '../../../schemas/http/pipeline/graph-api.ts'
import type { NodeType } from '../../../schemas/http/pipeline/node-type-api.ts'
import type { PauseEffect, PipelineRecord } from '../../../schemas/http/pipeline/pipeline-api.ts'
import type {
  LiveMetrics,
  MetricsOfPipelines,
  PipelineMetrics,
} from '../../../schemas/http/pipeline/pipeline-metrics-api.ts'
import type { PreviewOutcome, PreviewRecord } from '../../../schemas/http/pipeline/preview-api.ts'
import type { ProfileRecord } from '../../../schemas/http/pipeline/profile-api.ts'
import type { RevisionDiff, RevisionSummary } from '../../../schemas/http/pipeline/revision-api.ts'
import type { SimulationRecord } from '../../../schemas/http/pipeline/simulation-api.ts'
import type { StateVariableRecord } from '../../../schemas/http/pipeline/state-variable-api.ts'
import type { TapMessage } from '../../../schemas/http/pipeline/tap-api.ts'
import type { BucketRecord, BucketTotals } from '../../../schemas/http/pipeline/throttle-api.ts'
import { Problem } from '../api/problem.ts'
import { type RequestOptions, read, send } from '../api/request.ts'
import type { PipelineFile } from './document/file.ts'
import { TEXT } from './texts.ts'

export type {
  BucketRecord,
  DeliveryCheckRecord,
  DeliveryRecord,
  LiveMetrics,
  MetricsOfPipelines,
  NodeType,
  PauseEffect,
  PipelineMetrics,
  PipelineRecord,
  PreviewOutcome,
  PreviewRecord,
  ProfileRecord,
  RevisionDiff,
  RevisionSummary,
  SimulationRecord,
  StateVariableRecord,
  TapMessage,
}

export interface BucketList {
  readonly meta: { readonly totals: BucketTotals }
  readonly data: readonly BucketRecord[]
}

const of = (id: string) => `/v3/pipeline/${encodeURIComponent(id)}`

async function data<Data>(path: string, options: RequestOptions): Promise<Data> {
  return (await read<{ data: Data }>(path, options)).data
}

export function readPipeline(id: string, signal: AbortSignal): Promise<PipelineRecord> {
  return data(of(id), { signal })
}

/** Has a document checked as the draft of a pipeline. @throws Problem with the findings */
export function checkGraph(
  id: string,
  document: PipelineFile,
  etag: string,
  signal: AbortSignal,
): Promise<PipelineGraphChange> {
  const headers = { 'if-match': etag }
  return data(`${of(id)}/graph?dry_run=true`, { method: 'PUT', body: document, headers, signal })
}

/** Saves a document as the draft. @throws Problem 409 whose data is the newer draft */
export function saveGraph(id: string, document: PipelineFile, etag: string): Promise<PipelineGraphChange> {
  return data(`${of(id)}/graph`, { method: 'PUT', body: document, headers: { 'if-match': etag } })
}

export function readNodeTypes(signal: AbortSignal): Promise<readonly NodeType[]> {
  return data('/v3/pipeline/node-type', { signal })
}

/** Counts of the last seconds, in one interval where the minutes allow it. */
export function readMetrics(id: string, seconds: number, signal: AbortSignal): Promise<PipelineMetrics> {
  const from = Math.floor(Date.now() / 1_000) - seconds
  return data(`${of(id)}/metrics?from=${from}&interval_s=${seconds}`, { signal })
}

/** Counts of all pipelines in the last hour, by minutes. */
export function readOverview(signal: AbortSignal): Promise<MetricsOfPipelines> {
  return data('/v3/pipeline/metrics', { signal })
}

/** Address of the live counts, for a WebSocket. */
export function liveMetricsPath(id: string): string {
  return `${of(id)}/metrics/live`
}

export function readRevisions(id: string, signal: AbortSignal): Promise<readonly RevisionSummary[]> {
  return data(`${of(id)}/revision`, { signal })
}

/** @param to number of a revision, or `draft` */
export function readDifference(
  id: string,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<RevisionDiff> {
  return data(`${of(id)}/revision/${from}/diff/${to}`, { signal })
}

export function restoreRevision(id: string, number: number): Promise<PipelineRecord> {
  return data(`${of(id)}/revision/${number}/restore`, { method: 'POST' })
}

export function publish(id: string, allowsUnconnected: boolean): Promise<PipelineRecord> {
  const query = allowsUnconnected ? '?allow_unconnected_edges=true' : ''
  return data(`${of(id)}/publish${query}`, { method: 'POST', body: {} })
}

export type PauseMode = NonNullable<PipelineRecord['pause_mode']>

/** Effects that a pause of a mode would have. */
export async function pauseEffects(
  id: string,
  mode: PauseMode,
  signal: AbortSignal,
): Promise<readonly PauseEffect[]> {
  const { meta } = await read<{ meta: { effects: readonly PauseEffect[] } }>(
    `${of(id)}/pause?dry_run=true&mode=${mode}`,
    { method: 'POST', signal },
  )
  return meta.effects
}

/** Pauses a pipeline, or changes the mode of its pause. */
export function pause(id: string, mode: PauseMode): Promise<PipelineRecord> {
  return data(`${of(id)}/pause?mode=${mode}`, { method: 'POST' })
}

export function resume(id: string): Promise<PipelineRecord> {
  return data(`${of(id)}/resume`, { method: 'POST' })
}

/** Keys of a throttle of the deployed pipeline, those with the most events first, and totals over all of them. */
export function readBuckets(id: string, nodeId: string, signal: AbortSignal): Promise<BucketList> {
  return read(`${of(id)}/transform/${nodeId}/bucket?limit=100`, { signal })
}

export function readProfile(id: string, nodeId: string, signal: AbortSignal): Promise<ProfileRecord> {
  return data(`${of(id)}/transform/${nodeId}/profile`, { signal })
}

export function readDelivery(id: string, nodeId: string, signal: AbortSignal): Promise<DeliveryRecord> {
  return data(`${of(id)}/sink/${nodeId}/delivery`, { signal })
}

/** Sends an empty request to the server of a destination. */
export function checkDestination(
  id: string,
  nodeId: string,
  revision: 'draft' | 'deployed',
): Promise<DeliveryCheckRecord> {
  return data(`${of(id)}/sink/${nodeId}/check?revision=${revision}`, { method: 'POST' })
}

/** The draft as an editor has it, saved or not. */
interface EditedDraft {
  readonly document: PipelineFile
  readonly isChanged: boolean
}

/**
 * Simulates samples on a document, saved or not. The server puts the secrets of the pipeline in the places of their masks.
 *
 * @param samples JSON, NDJSON or lines
 * @param source name of the source of the samples
 */
export function simulate(
  id: string,
  document: PipelineFile,
  samples: string,
  source: string | undefined,
): Promise<SimulationRecord> {
  return data(`${of(id)}/simulate`, {
    method: 'POST',
    body: { pipeline: document, samples, ...(source !== undefined && { source }) },
  })
}

export function beginPreview(
  id: string,
  minutes: number,
  { document, isChanged }: EditedDraft,
): Promise<PreviewRecord> {
  return data(`${of(id)}/preview`, {
    method: 'POST',
    body: { minutes, ...(isChanged && { pipeline: document }) },
  })
}

export function readPreview(id: string, previewId: string, signal: AbortSignal): Promise<PreviewRecord> {
  return data(`${of(id)}/preview/${encodeURIComponent(previewId)}`, { signal })
}

export function cancelPreview(id: string, previewId: string): Promise<PreviewRecord> {
  return data(`${of(id)}/preview/${encodeURIComponent(previewId)}`, { method: 'DELETE' })
}

/** Variables that scripts of a pipeline read. */
export async function readVariables(id: string, signal: AbortSignal): Promise<StateVariableRecord> {
  const query = new URLSearchParams({ pipeline_id: id })
  const [record] = await data<readonly StateVariableRecord[]>(`/v3/pipeline/state-variable?${query}`, {
    signal,
  })
  if (record === undefined) throw new Problem(404, TEXT.gone)
  return record
}

export function writeVariables(
  { id, pipeline_id }: StateVariableRecord,
  state: Readonly<Record<string, string>>,
): Promise<StateVariableRecord> {
  return data(`/v3/pipeline/state-variable/${encodeURIComponent(id)}`, {
    method: 'PUT',
    body: { pipeline_id, state },
  })
}

export function createPipeline(title: string): Promise<PipelineRecord> {
  return data('/v3/pipeline', { method: 'POST', body: { title } })
}

export async function removePipeline(id: string): Promise<void> {
  await send(of(id), { method: 'DELETE' })
}
