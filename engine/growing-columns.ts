type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array

const DOUBLED_BELOW = 1024
const GROWTH = 1.1

/**
 * The next capacity of flat columns. Small ones double, and large ones grow by a tenth, so that a million entries do
 * not reserve a million empty ones.
 */
export function nextCapacity(capacity: number): number {
  return capacity < DOUBLED_BELOW ? capacity * 2 : Math.ceil(capacity * GROWTH)
}

/** The capacity that step-by-step growth reaches for this number of entries. */
export function capacityFor(entries: number, capacity: number): number {
  let enough = capacity
  while (enough < entries) enough = nextCapacity(enough)
  return enough
}

/** Copies a column into a longer one; the new values are zero. */
export function grown<C extends Column>(column: C, capacity: number): C {
  const Constructor = column.constructor as new (length: number) => C
  const longer = new Constructor(capacity)
  longer.set(column)
  return longer
}
