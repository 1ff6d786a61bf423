import type { PipelineGraph } from '../../../schemas/http/pipeline/graph-api.ts'
import type { PipelineRecord } from '../../../schemas/http/pipeline/pipeline-api.ts'
import { read } from './request.ts'

export type { PipelineGraph, PipelineRecord }

export async function readPipelines(signal: AbortSignal): Promise<readonly PipelineRecord[]> {
  return (await read<{ data: readonly PipelineRecord[] }>('/v3/pipeline', { signal })).data
}

/** @param revision `draft`, `deployed` or a number; 404 where nothing is deployed */
export async function readGraph(id: string, revision: string, signal: AbortSignal): Promise<PipelineGraph> {
  const path = `/v3/pipeline/${encodeURIComponent(id)}/graph?revision=${encodeURIComponent(revision)}`
  return (await read<{ data: PipelineGraph }>(path, { signal })).data
}
