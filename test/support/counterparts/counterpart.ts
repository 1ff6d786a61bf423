import { createHash } from 'node:crypto'

/** Names of all counterparts, as commands and settings use them. */
export type CounterpartName = 'search' | 'remote-write' | 'loki' | 'pubsub' | 's3' | 'azure' | 'gcs'

/** Programs that tests need, and that are not part of the project. */
export interface ForeignProgram {
  /** Name for commands and settings. */
  readonly name: string
  /** Product and version, for messages. */
  readonly product: string
  /** Name of its folder in the cache. Another version, or another way to make it, has another name. */
  readonly folder: string
  /**
   * Downloads or builds its program, which takes minutes.
   *
   * @param folder empty folder for the program
   * @throws Error with a sentence that says why it cannot be made here
   */
  make(folder: string): Promise<void>
}

/** Real server that a destination is tested against. */
export interface Counterpart extends ForeignProgram {
  readonly name: CounterpartName
  /**
   * Starts an empty server on free ports of 127.0.0.1. It ends with this process at the latest.
   *
   * @param folder complete folder of `make`
   */
  start(folder: string): Promise<RunningCounterpart>
}

export interface RunningCounterpart {
  /** Base address, without a slash at its end. */
  readonly url: string
  stop(): Promise<void>
}

/** @param recipe texts that decide how the program is made, beside its version */
export function folderName(name: string, version: string, ...recipe: readonly string[]): string {
  const digest = createHash('sha256').update(recipe.join('\0')).digest('hex').slice(0, 8)
  return `counterpart-${name}-${version}-${digest}`
}
