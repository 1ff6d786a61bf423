import { createContext, useContext } from 'react'

/** A finding of the server at an option, by a JSON pointer into the options. */
export interface FieldFinding {
  readonly pointer: string
  readonly message: string
}

/** State that all fields of a form share. */
export interface FormState {
  readonly findings: readonly FieldFinding[]
  /** Id of the list of field paths for completion. */
  readonly pathList: string | undefined
}

export const FormContext = createContext<FormState>({ findings: [], pathList: undefined })

/** Findings at exactly one option. */
export function useFindings(pointer: string): readonly string[] {
  const { findings } = useContext(FormContext)
  return findings.filter(each => each.pointer === pointer).map(({ message }) => message)
}
