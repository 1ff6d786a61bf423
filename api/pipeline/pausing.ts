import { replace } from '../../engine/configuration/configuration-log.ts'
import { entrancesOf } from '../../engine/configuration/deployed-document.ts'
import { deployments, pipelines } from '../../engine/configuration/entities.ts'
import { pauseMembers, pauseModeOf, takesEvents } from '../../engine/configuration/pause-mode.ts'
import type { PauseEffect } from '../../schemas/http/pipeline/pipeline-api.ts'
import { INGEST_ENTRANCE } from '../../schemas/log/line-batch.ts'
import type { PauseMode } from '../../schemas/pipeline.ts'
import type { Caller } from '../auth/caller.ts'
import { ApiError } from '../http/errors.ts'
import type { PipelinePorts } from './pipeline-ports.ts'
import type { PipelineState, Pipelines } from './pipelines.ts'

type PausingPorts = Pick<PipelinePorts, 'catalogue' | 'configuration'>

/**
 * Pauses the deployed revision of a pipeline, or changes the mode of its pause. Repeating a call changes nothing. The answer
 * is sent once the next line meets the change, where an engine of this process can report that.
 *
 * @param mode undefined: that of the present pause; `store` for a pipeline that is not paused
 * @throws ApiError 404; 409 when nothing of the pipeline is deployed
 */
export function pausePipeline(
  pipelinesOfAll: Pipelines,
  caller: Caller,
  id: string,
  mode: PauseMode | undefined,
): Promise<PipelineState> {
  return withPause(pipelinesOfAll, caller, id, state => modeOfPause(state, mode))
}

/** Resumes a pipeline as `pausePipeline` pauses it. @throws ApiError as `pausePipeline` */
export function resumePipeline(
  pipelinesOfAll: Pipelines,
  caller: Caller,
  id: string,
): Promise<PipelineState> {
  return withPause(pipelinesOfAll, caller, id, () => undefined)
}

async function withPause(
  pipelinesOfAll: Pipelines,
  caller: Caller,
  id: string,
  wanted: (state: PipelineState) => PauseMode | undefined,
): Promise<PipelineState> {
  await pipelinesOfAll.changing(caller, id, state => {
    const deployment = deploymentOf(state)
    const mode = wanted(state)
    if (state.pauseMode === mode) return []
    const { account, number, revisionId } = deployment.value
    return [
      replace(deployments, deployment, { account, number: number + 1, revisionId, ...pauseMembers(mode) }),
    ]
  })
  await pipelinesOfAll.untilInEffect(caller, id)
  return pipelinesOfAll.get(caller, id)
}

/**
 * Returns the pipeline as it would be after a pause, without changing anything.
 *
 * @throws ApiError as `pausePipeline`
 */
export function asPaused(
  pipelinesOfAll: Pipelines,
  caller: Caller,
  id: string,
  mode: PauseMode | undefined,
): PipelineState {
  const state = pipelinesOfAll.get(caller, id)
  deploymentOf(state)
  return { ...state, pauseMode: modeOfPause(state, mode) }
}

function modeOfPause({ pauseMode }: PipelineState, mode: PauseMode | undefined): PauseMode {
  return mode ?? pauseMode ?? 'store'
}

function deploymentOf({ deployment }: PipelineState) {
  if (deployment === undefined || deployment.value.revisionId === null)
    throw new ApiError(409, 'ENOTPUBLISHED', 'Nothing of the pipeline runs: publish it first')
  return deployment
}

/** A deployed pipeline of the account beside the paused one, with the entrances that both read. */
interface OtherReader {
  readonly title: string
  readonly mode: PauseMode | undefined
  readonly shared: ReadonlySet<string>
}

/** Returns the effects of the pause of a deployed pipeline on the senders and the lines of its entrances. */
export function pauseEffects(ports: PausingPorts, state: PipelineState): PauseEffect[] {
  const { catalogue, configuration } = ports
  const { deployment, pauseMode } = state
  const entrances = deployment && entrancesOf(catalogue, configuration, deployment.value)
  if (pauseMode === undefined || entrances === undefined || entrances.size === 0) return []
  const others = otherReaders(ports, state, entrances)
  switch (pauseMode) {
    case 'store':
      return effectsOfStore(entrances, others)
    case 'hold':
      return effectsOfHold(entrances, others)
    case 'drop':
      return effectsOfDrop(entrances, others)
  }
}

/** If no other pipeline takes the lines of log ingestion, the default graph handles them (`EventRuns.run`). */
function effectsOfStore(entrances: ReadonlySet<string>, others: readonly OtherReader[]): PauseEffect[] {
  const isTaken = others.some(
    ({ mode, shared }) => shared.has(INGEST_ENTRANCE) && takesEvents(pauseMembers(mode)),
  )
  if (!entrances.has(INGEST_ENTRANCE) || isTaken) return []
  return [
    {
      code: 'INGESTION_UNFILTERED',
      message:
        'No other running pipeline reads log ingestion: until this one is resumed, every line goes into the store ' +
        'unfiltered and unthrottled',
    },
  ]
}

function effectsOfHold(entrances: ReadonlySet<string>, others: readonly OtherReader[]): PauseEffect[] {
  const titles = others.filter(({ mode }) => mode === undefined).map(({ title }) => `"${title}"`)
  return [
    {
      code: 'SENDERS_HELD',
      message:
        `Until this pipeline is resumed, requests to ${namesOf(entrances)} are answered 503, and their senders must ` +
        `keep the data${titles.length > 0 ? `: pipelines that read the same get none either (${titles.join(', ')})` : ''}`,
    },
  ]
}

function effectsOfDrop(entrances: ReadonlySet<string>, others: readonly OtherReader[]): PauseEffect[] {
  const handlers = others.filter(({ mode }) => mode === undefined || mode === 'hold')
  const unread = [...entrances].filter(entrance => !handlers.some(({ shared }) => shared.has(entrance)))
  if (unread.length === 0) return []
  return [
    {
      code: 'LINES_DROPPED',
      message:
        `No other running pipeline reads ${namesOf(new Set(unread))}: until this one is resumed, everything that is ` +
        'sent there is dropped',
    },
  ]
}

function otherReaders(
  { catalogue, configuration }: PausingPorts,
  { pipeline }: PipelineState,
  entrances: ReadonlySet<string>,
): OtherReader[] {
  return configuration
    .list(deployments, pipeline.value.account)
    .filter(({ id }) => id !== pipeline.id)
    .flatMap(({ id, value }) => {
      const shared = entrances.intersection(entrancesOf(catalogue, configuration, value))
      const title = configuration.get(pipelines, id)?.value.title ?? id
      return shared.size === 0 ? [] : [{ title, mode: pauseModeOf(value), shared }]
    })
}

function namesOf(entrances: ReadonlySet<string>): string {
  const routes = entrances.size - (entrances.has(INGEST_ENTRANCE) ? 1 : 0)
  const ofRoutes = routes === 1 ? 'its gateway route' : 'its gateway routes'
  if (!entrances.has(INGEST_ENTRANCE)) return ofRoutes
  return routes === 0 ? 'log ingestion' : `log ingestion and ${ofRoutes}`
}
