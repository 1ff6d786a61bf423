import type {
  BucketRecord,
  BucketTotals,
  ExemptionRecord,
  ExemptionWrite,
  OneBucketRecord,
} from '../../../schemas/http/pipeline/throttle-api.ts'
import { type PipelineGraph, readGraph, readPipelines } from '../api/pipelines.ts'
import { Problem } from '../api/problem.ts'
import { read, send } from '../api/request.ts'
import type { JsonObject } from '../pipelines/document/file.ts'
import { titleOf } from '../pipelines/document/nodes.ts'
import { readMetrics } from '../pipelines/requests.ts'
import { HOUR_MS } from '../times/time.ts'

export type { BucketRecord, BucketTotals, ExemptionRecord, ExemptionWrite, OneBucketRecord }

/** A throttle of a deployed pipeline. */
export interface Throttle {
  readonly pipelineId: string
  readonly pipelineTitle: string
  readonly nodeId: string
  /** Name of the node in the document. */
  readonly name: string
  readonly title: string
  /** Options as the document has them. */
  readonly options: JsonObject
  /** Events of the last hour; undefined where the server does not say. */
  readonly lastHour: { readonly events: number; readonly dropped: number } | undefined
}

const HOUR_S = HOUR_MS / 1_000
const TYPE = 'throttle'

/** All throttles that run, those of one pipeline beside each other. @throws Problem */
export async function readThrottles(signal: AbortSignal): Promise<readonly Throttle[]> {
  const pipelines = await readPipelines(signal)
  const running = pipelines.filter(each => each.deployed_revision_id !== null)
  const found = await Promise.all(running.map(({ id, title }) => throttlesOf(id, title, signal)))
  return found.flat()
}

async function throttlesOf(id: string, title: string, signal: AbortSignal): Promise<readonly Throttle[]> {
  const { document, nodes } = await readGraph(id, 'deployed', signal).catch(noneDeployed)
  const own = (document.processors ?? []).filter(({ type }) => type === TYPE)
  if (own.length === 0) return []
  // Members whose groups limit their lines do not see counts, and see the throttles nevertheless.
  const metrics = await readMetrics(id, HOUR_S, signal).catch(() => undefined)
  return own.flatMap(node => {
    const nodeId = nodes.find(each => each.name === node.name)?.id
    if (nodeId === undefined) return []
    const series = metrics?.nodes.find(each => each.node === nodeId)
    return [
      {
        pipelineId: id,
        pipelineTitle: title,
        nodeId,
        name: node.name,
        title: titleOf(node),
        options: node.config ?? {},
        lastHour: metrics && { events: sum(series?.events_in), dropped: sum(series?.dropped) },
      },
    ]
  })
}

/** A pipeline that was withdrawn between two requests has no throttles. @throws Problem other than 404 */
function noneDeployed(error: unknown): Pick<PipelineGraph, 'document' | 'nodes'> {
  if (error instanceof Problem && error.status === 404)
    return { document: { weir: 'pipeline/1', title: '' }, nodes: [] }
  throw error
}

function sum(counts: readonly number[] = []): number {
  return counts.reduce((total, each) => total + each, 0)
}

/** Path of a throttle. */
type Of = Pick<Throttle, 'pipelineId' | 'nodeId'>

const of = ({ pipelineId, nodeId }: Of) =>
  `/v3/pipeline/${encodeURIComponent(pipelineId)}/transform/${encodeURIComponent(nodeId)}`

/** A bucket with its pass times. @param key null: that of events without a key */
export async function readBucket(
  throttle: Of,
  key: string | null,
  signal: AbortSignal,
): Promise<OneBucketRecord> {
  const path = key === null ? '-?default=true' : encodeURIComponent(key)
  return (await read<{ data: OneBucketRecord }>(`${of(throttle)}/bucket/${path}`, { signal })).data
}

export async function readExemptions(throttle: Of, signal: AbortSignal): Promise<readonly ExemptionRecord[]> {
  return (await read<{ data: readonly ExemptionRecord[] }>(`${of(throttle)}/exemption`, { signal })).data
}

/** @throws Problem */
export async function exempt(throttle: Of, body: ExemptionWrite): Promise<void> {
  await send(`${of(throttle)}/exemption`, { method: 'PUT', body })
}

export async function endExemption(throttle: Of, key: string | null): Promise<void> {
  const query = new URLSearchParams(key === null ? { default: 'true' } : { key })
  await send(`${of(throttle)}/exemption?${query}`, { method: 'DELETE' })
}
