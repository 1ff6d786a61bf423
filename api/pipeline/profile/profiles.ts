import type { Clock } from '../../../engine/clock/clock.ts'
import {
  type Change,
  type ConfigurationLog,
  create,
  remove,
  replace,
} from '../../../engine/configuration/configuration-log.ts'
import { deployedDocument } from '../../../engine/configuration/deployed-document.ts'
import { spreads } from '../../../engine/configuration/entities.ts'
import {
  type ProfileReset,
  profileResetKey,
  profileResets,
} from '../../../engine/configuration/kinds/profile-reset.ts'
import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import { presentProfile } from '../../../engine/replay/node-profiles.ts'
import { MemoryUnavailableError, type PresentMemory } from '../../../engine/replay/present-memory.ts'
import type { ProfileRecord, ProfileResetRecord } from '../../../schemas/http/pipeline/profile-api.ts'
import type { CutsInEffect } from '../../../schemas/log/deployed-configuration.ts'
import type { Caller } from '../../auth/caller.ts'
import { ApiError, notFound, unavailable } from '../../http/errors.ts'
import { isoTime } from '../../http/iso-time.ts'
import { processorIn } from '../deployed-processor.ts'
import type { PipelineState, Pipelines } from '../pipelines.ts'
import { type ProfileBounds, profileRecord } from './profile-record.ts'

export interface ProfilePorts {
  readonly catalogue: Catalogue
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly memory: PresentMemory
  readonly inEffect?: CutsInEffect | undefined
}

/** A data-profiler as a request names it. */
export interface ProfilerPath {
  readonly pipeline: string
  readonly node: string
}

/**
 * Profiles of data-profilers. Every method throws ApiError:
 *
 * - 404 for a node of another account,
 * - 400 for a node that is not a data-profiler,
 * - 409 when it is not deployed,
 * - 503 when its worker does not answer in time.
 */
export class Profiles {
  readonly #pipelines: Pipelines
  readonly #ports: ProfilePorts

  constructor(pipelines: Pipelines, ports: ProfilePorts) {
    this.#pipelines = pipelines
    this.#ports = ports
  }

  async show(caller: Caller, path: ProfilerPath, bounds: ProfileBounds): Promise<ProfileRecord> {
    const { configuration, clock, memory } = this.#ports
    const state = this.#pipelines.get(caller, path.pipeline)
    this.#assertRuns(state, path.node)
    const { account } = state.pipeline.value
    const isSpread = configuration.get(spreads, account) !== undefined
    try {
      const found = await presentProfile(memory, { account, ...path }, isSpread, clock.wallMs())
      if (found === undefined) throw notRunning()
      return profileRecord(found, bounds)
    } catch (error) {
      throw error instanceof MemoryUnavailableError ? unavailable(error.message) : error
    }
  }

  /** Empties the profile. The answer is sent once that holds for the next event, if this process can see it. */
  async reset(caller: Caller, path: ProfilerPath): Promise<ProfileResetRecord> {
    const { configuration, clock, inEffect } = this.#ports
    const id = profileResetKey(path.pipeline, path.node)
    const resetAtMs = clock.wallMs()
    await this.#pipelines.changing(caller, path.pipeline, state => {
      this.#assertRuns(state, path.node)
      const before = configuration.get(profileResets, id)
      const value: ProfileReset = { account: state.pipeline.value.account, ...path, resetAtMs }
      const change =
        before === undefined ? create(profileResets, id, value) : replace(profileResets, before, value)
      return [...this.#ofRemovedNodes(state), change]
    })
    const written = configuration.get(profileResets, id)
    if (written === undefined) throw notFound('The pipeline does not exist') // the pipeline was deleted in the meantime
    const { account } = written.value
    await inEffect?.whenInEffect(account, 'profile-reset', id, written.version)
    const held = inEffect?.cutVersion(account, 'profile-reset', id)
    return {
      reset_at: isoTime(written.value.resetAtMs),
      in_effect: held === undefined ? null : held >= written.version,
    }
  }

  /** Removes the resets of nodes that the pipeline does not have any more: their number is bounded by that of its nodes. */
  #ofRemovedNodes({ pipeline, draft, deployedRevisionId }: PipelineState): Change[] {
    const { configuration } = this.#ports
    const deployed = deployedDocument(configuration, deployedRevisionId)
    const nodes = [...draft.value.nodes, ...(deployed?.nodes ?? [])]
    const ids = new Set(nodes.map(({ id }) => id))
    return configuration
      .list(profileResets, pipeline.value.account)
      .filter(({ value }) => value.pipeline === pipeline.id && !ids.has(value.node))
      .map(each => remove(profileResets, each))
  }

  #assertRuns(state: PipelineState, id: string): void {
    const { catalogue, configuration } = this.#ports
    const { node, runs } = processorIn(configuration, state, id)
    if (catalogue.processorOf(node.type)?.state?.profile === undefined)
      throw new ApiError(
        400,
        'BadRequest',
        `The processor is of type "${node.type}": only a data-profiler has a profile`,
      )
    if (!runs) throw notRunning()
  }
}

function notRunning(): ApiError {
  return new ApiError(409, 'ENOTPUBLISHED', 'The data-profiler does not run: publish the pipeline first')
}
