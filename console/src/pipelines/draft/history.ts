/** Steps of an edited value, for undo and redo. */
export interface History<Value> {
  readonly past: readonly Value[]
  readonly present: Value
  readonly future: readonly Value[]
  /** Place that the last step changed; further changes there belong to that step. */
  readonly mark: string | undefined
}

const MAX_STEPS = 200

export function historyOf<Value>(present: Value): History<Value> {
  return { past: [], present, future: [], mark: undefined }
}

/** Adds a step. Changes with one mark after each other, such as those of typing in one field, are one step. */
export function withStep<Value>(history: History<Value>, next: Value, mark?: string): History<Value> {
  if (next === history.present) return history
  if (mark !== undefined && mark === history.mark) return { ...history, present: next, future: [] }
  return { past: [...history.past, history.present].slice(-MAX_STEPS), present: next, future: [], mark }
}

export function undone<Value>({ past, present, future }: History<Value>): History<Value> {
  const previous = past.at(-1)
  if (previous === undefined) return { past, present, future, mark: undefined }
  return { past: past.slice(0, -1), present: previous, future: [present, ...future], mark: undefined }
}

export function redone<Value>({ past, present, future }: History<Value>): History<Value> {
  const [next, ...rest] = future
  if (next === undefined) return { past, present, future, mark: undefined }
  return { past: [...past, present], present: next, future: rest, mark: undefined }
}
