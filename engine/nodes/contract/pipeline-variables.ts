/** Reads a state variable of the pipeline; null: there is none of that name. */
export type StateVariable = (name: string) => string | null

/** State variables of a pipeline that never set any: components, section 8.5. */
export const INITIAL_VARIABLES = { operational_state: 'normal' } as const

/** The state variables of one pipeline. Its scripts read them. */
export class PipelineVariables {
  #values: ReadonlyMap<string, string> = new Map(Object.entries(INITIAL_VARIABLES))

  set(values: Readonly<Record<string, string>>): void {
    this.#values = new Map(Object.entries(values))
  }

  get(name: string): string | null {
    return this.#values.get(name) ?? null
  }
}

const INITIAL = new PipelineVariables()

/** Reads the variables of a pipeline that never set any, for code without a pipeline. */
export function initialVariable(name: string): string | null {
  return INITIAL.get(name)
}
