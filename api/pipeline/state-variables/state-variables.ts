import type { Clock } from '../../../engine/clock/clock.ts'
import type { ConfigurationLog } from '../../../engine/configuration/configuration-log.ts'
import { type StateVariables, stateVariables } from '../../../engine/configuration/kinds/state-variables.ts'
import { INITIAL_VARIABLES } from '../../../engine/nodes/contract/pipeline-variables.ts'
import type {
  StateVariableRecord,
  StateVariableWrite,
} from '../../../schemas/http/pipeline/state-variable-api.ts'
import type { CutsInEffect } from '../../../schemas/log/deployed-configuration.ts'
import type { Caller } from '../../auth/caller.ts'
import { isoTime } from '../../http/iso-time.ts'
import { ProblemsError } from '../../http/problems-error.ts'
import type { PipelineState, Pipelines } from '../pipelines.ts'

export interface StateVariablePorts {
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly inEffect?: CutsInEffect | undefined
}

/**
 * State variables of pipelines. A pipeline has one record of them, with the id of the pipeline. Every method throws ApiError 404 for a
 * pipeline of another account.
 */
export class PipelineStates {
  readonly #pipelines: Pipelines
  readonly #ports: StateVariablePorts

  constructor(pipelines: Pipelines, ports: StateVariablePorts) {
    this.#pipelines = pipelines
    this.#ports = ports
  }

  /** @param pipeline undefined: all pipelines of the account */
  list(caller: Caller, pipeline: string | undefined): StateVariableRecord[] {
    const states =
      pipeline === undefined ? this.#pipelines.list(caller) : [this.#pipelines.get(caller, pipeline)]
    return states.map(state => this.#record(state))
  }

  /**
   * Replaces the variables. The answer is sent once the scripts read them at the next event, if this process can see that.
   *
   * @throws ProblemsError when the pipeline of the body is another one
   */
  async set(caller: Caller, id: string, write: StateVariableWrite): Promise<StateVariableRecord> {
    const { configuration, clock, inEffect } = this.#ports
    if (write.pipeline_id !== id)
      throw new ProblemsError([
        { instancePath: '/pipeline_id', message: 'must be the pipeline of the state variables' },
      ])
    const written = await this.#pipelines.changing(caller, id, ({ pipeline }) => {
      const { account } = pipeline.value
      const value: StateVariables = { account, state: { ...write.state }, updatedAtMs: clock.wallMs() }
      return [{ kind: stateVariables, id, expectedVersion: -1, value }]
    })
    const version = configuration.get(stateVariables, id)?.version
    if (version !== undefined)
      await inEffect?.whenInEffect(written.pipeline.value.account, 'state-variables', id, version)
    return this.#record(written)
  }

  #record({ pipeline }: PipelineState): StateVariableRecord {
    const { account, createdAtMs } = pipeline.value
    const set = this.#ports.configuration.get(stateVariables, pipeline.id)?.value
    return {
      id: pipeline.id,
      account_id: account,
      pipeline_id: pipeline.id,
      state: { ...INITIAL_VARIABLES, ...set?.state },
      created_at: isoTime(createdAtMs),
      updated_at: set === undefined ? null : isoTime(set.updatedAtMs),
    }
  }
}
