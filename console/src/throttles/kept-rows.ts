/** A row of a list that refreshes itself. It keeps its place while values change. */
export interface KeptRow<Value> {
  readonly id: string
  readonly value: Value
  /** Whether the newest answer does not contain it any more. */
  readonly isGone: boolean
}

/**
 * Rows in the order of before, with the newest values. New ones follow them, and those that are gone keep their last values.
 *
 * @param most rows at most; where they get more, the order begins anew
 */
export function keptRows<Value>(
  before: readonly KeptRow<Value>[],
  values: readonly Value[],
  idOf: (value: Value) => string,
  most: number,
): readonly KeptRow<Value>[] {
  const newest = new Map(values.map(value => [idOf(value), value] as const))
  const known = new Set(before.map(({ id }) => id))
  const kept = before.map(({ id, value }) => {
    const present = newest.get(id)
    return { id, value: present ?? value, isGone: present === undefined }
  })
  const added = [...newest].filter(([id]) => !known.has(id))
  const rows = [...kept, ...added.map(([id, value]) => ({ id, value, isGone: false }))]
  return rows.length > most ? rowsOf(newest) : rows
}

/** Whether rows are those of the newest answer in its order. */
export function areInOrder<Value>(
  rows: readonly KeptRow<Value>[],
  values: readonly Value[],
  idOf: (value: Value) => string,
): boolean {
  return rows.length === values.length && rows.every(({ id }, at) => id === idOf(values[at] as Value))
}

function rowsOf<Value>(values: ReadonlyMap<string, Value>): readonly KeptRow<Value>[] {
  return [...values].map(([id, value]) => ({ id, value, isGone: false }))
}
