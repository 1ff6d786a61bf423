import { PipelineVariables } from '../../nodes/contract/pipeline-variables.ts'

/** State variables of the pipelines of one account. They are separate from the pipelines, so publishing does not change them. */
export class AccountVariables {
  readonly #pipelines = new Map<string, PipelineVariables>()
  /** Pipelines whose variables were set. */
  readonly #set = new Set<string>()

  /** Variables of a pipeline: one object for all of its revisions. */
  of(pipeline: string): PipelineVariables {
    let variables = this.#pipelines.get(pipeline)
    if (variables === undefined) {
      variables = new PipelineVariables()
      this.#pipelines.set(pipeline, variables)
    }
    return variables
  }

  has(pipeline: string): boolean {
    return this.#set.has(pipeline)
  }

  set(pipeline: string, values: Readonly<Record<string, string>>): void {
    this.#set.add(pipeline)
    this.of(pipeline).set(values)
  }
}
