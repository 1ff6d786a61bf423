import { replace } from '../../engine/configuration/configuration-log.ts'
import { deployments } from '../../engine/configuration/entities.ts'
import type { Caller } from '../auth/caller.ts'
import { ApiError } from '../errors.ts'
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
  await pipelinesOfAll.changing(caller, id, ({ deployment, isPaused }) => {
    if (deployment === undefined || deployment.value.revisionId === null)
      throw new ApiError(409, 'ENOTPUBLISHED', 'Nothing of the pipeline runs: publish it first')
    if (isPaused === paused) return []
    const { account, number, revisionId } = deployment.value
    const value = { account, number: number + 1, revisionId, ...(paused ? { paused } : {}) }
    return [replace(deployments, deployment, value)]
  })
  await pipelinesOfAll.untilInEffect(caller, id)
  return pipelinesOfAll.get(caller, id)
}
