import { type ConfigurationLog, replace } from '../../engine/configuration/configuration-log.ts'
import { deployedDocument } from '../../engine/configuration/deployed-document.ts'
import { deployments } from '../../engine/configuration/entities.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import type { PauseEffect } from '../../schemas/http/pipeline/pipeline-api.ts'
import type { Caller } from '../auth/caller.ts'
import { ApiError } from '../http/errors.ts'
import type { PipelinePorts } from './pipeline-ports.ts'
import type { PipelineState, Pipelines } from './pipelines.ts'

/**
 * Pauses the deployed revision of a pipeline, or resumes it. A paused pipeline handles nothing and keeps its state; lines
 * that it would have read are not held for it. Repeating a call changes nothing. The answer is sent once the next line
 * meets the change, where an engine of this process can report that.
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
 * Returns the pipeline as it would be after a pause, without changing anything.
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
 * Returns the effects of pausing a deployed pipeline on lines, beyond those of every pause. If no other running pipeline
 * reads log ingestion, the default graph handles the lines (`AccountState.run`).
 */
export function pauseEffects(
  { catalogue, configuration }: Pick<PipelinePorts, 'catalogue' | 'configuration'>,
  { pipeline }: PipelineState,
): PauseEffect[] {
  const { account } = pipeline.value
  const readers = configuration
    .list(deployments, account)
    .filter(({ value }) => readsIngestion(catalogue, configuration, value.revisionId))
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

function readsIngestion(
  catalogue: Catalogue,
  configuration: ConfigurationLog,
  revisionId: string | null,
): boolean {
  return (
    deployedDocument(configuration, revisionId)?.nodes.some(
      ({ kind, type }) => kind === 'source' && catalogue.runningSourceOf(type)?.entrance === 'ingest',
    ) ?? false
  )
}
