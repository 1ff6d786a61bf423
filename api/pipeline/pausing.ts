import { type ConfigurationLog, replace } from '../../engine/configuration/configuration-log.ts'
import { deployments, revisions } from '../../engine/configuration/entities.ts'
import { sourceOf } from '../../engine/nodes/sources.ts'
import type { PauseEffect } from '../../schemas/http/pipeline-api.ts'
import type { Caller } from '../auth/caller.ts'
import { ApiError } from '../http/errors.ts'
import type { PipelineState, Pipelines } from './pipelines.ts'

/**
 * Pauses what runs of a pipeline, or lets it run again. A paused pipeline handles nothing and keeps what it
 * remembers; lines that it would have read are not held for it. Doing it twice changes nothing. Answers when the next
 * line meets it, where an engine of this process can tell.
 *
 * @throws ApiError 404; 409 when nothing of the pipeline is deployed
 */
export async function setPaused(
  pipelinesOfAll: Pipelines,
  caller: Caller,
  id: string,
  paused: boolean,
): Promise<PipelineState> {
  await pipelinesOfAll.changing(caller, id, state => {
    const deployment = deploymentOf(state)
    if (state.isPaused === paused) return []
    const { account, number, revisionId } = deployment.value
    const value = { account, number: number + 1, revisionId, ...(paused ? { paused } : {}) }
    return [replace(deployments, deployment, value)]
  })
  await pipelinesOfAll.untilInEffect(caller, id)
  return pipelinesOfAll.get(caller, id)
}

/**
 * The pipeline as a pause would leave it; nothing is changed.
 *
 * @throws ApiError as `setPaused`
 */
export function asPaused(pipelinesOfAll: Pipelines, caller: Caller, id: string): PipelineState {
  const state = pipelinesOfAll.get(caller, id)
  deploymentOf(state)
  return { ...state, isPaused: true }
}

function deploymentOf({ deployment }: PipelineState) {
  if (deployment === undefined || deployment.value.revisionId === null)
    throw new ApiError(409, 'ENOTPUBLISHED', 'Nothing of the pipeline runs: publish it first')
  return deployment
}

/**
 * What a pause of a deployed pipeline means for lines, beyond what a pause always does. Where no other pipeline that
 * runs reads log ingestion, the default graph does (design of the fold: `AccountState.run`).
 */
export function pauseEffects(configuration: ConfigurationLog, { pipeline }: PipelineState): PauseEffect[] {
  const { account } = pipeline.value
  const readers = configuration
    .list(deployments, account)
    .filter(({ value }) => readsIngestion(configuration, value.revisionId))
  const isReader = readers.some(({ id }) => id === pipeline.id)
  const isRead = readers.some(({ id, value }) => id !== pipeline.id && value.paused !== true)
  if (!isReader || isRead) return []
  return [
    {
      code: 'INGESTION_UNFILTERED',
      message:
        'No other running pipeline reads log ingestion: until this one is resumed, every line goes into the store ' +
        'unfiltered and unthrottled',
    },
  ]
}

function readsIngestion(configuration: ConfigurationLog, revisionId: string | null): boolean {
  const revision = revisionId === null ? undefined : configuration.get(revisions, revisionId)
  return (
    revision?.value.document.nodes.some(
      ({ kind, type }) => kind === 'source' && sourceOf(type)?.entrance === 'ingest',
    ) ?? false
  )
}
