import { defineKind } from '../kind.ts'

/** State variables of a pipeline. Key: the id of the pipeline. */
export interface StateVariables {
  readonly account: string
  /** Values by name. */
  readonly state: Readonly<Record<string, string>>
  readonly updatedAtMs: number
}

export const stateVariables = defineKind<StateVariables>('state-variables', {
  account: ({ account }) => account,
})
