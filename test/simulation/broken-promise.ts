/** A promise that a world has broken. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise'
}

/** @throws BrokenPromise with the result of `found` */
export function must(holds: boolean, promise: string, found: () => string): void {
  if (!holds) throw new BrokenPromise(`${promise}: ${found()}`)
}
