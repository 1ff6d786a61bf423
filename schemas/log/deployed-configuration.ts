import type { Cut } from './control.ts'

/** A cut with the account that it belongs to. */
export interface AddressedCut {
  /** Short id. */
  readonly account: string
  readonly cut: Cut
}

/** The configuration as far as partitions must know it: the newest cut of every entity. */
export interface DeployedConfiguration {
  /** Short ids of all accounts that have cuts. */
  accounts(): Iterable<string>
  /** All cuts, in the order in which partitions should apply them. With an account, only its own. */
  cuts(account?: string): Iterable<AddressedCut>
  /** Whether lines of the account are, or were, on all partitions. */
  isSpread(account: string): boolean
  /** Whether that holds for any account. */
  readonly anySpread: boolean
  /**
   * Reads the changes that other processes have written until now.
   *
   * @returns the command that puts a record of the partition into quarantine, if it has begun and not ended
   * @throws LogError
   */
  begunQuarantine(topic: string, partition: number): Promise<string | undefined>
  /** @param listener receives, after a change, the accounts whose cuts may have changed; the returned function ends it */
  subscribe(listener: (accounts: ReadonlySet<string>) => void): () => void
}

/** State of cuts in the partitions, for callers that wait until their change takes effect. */
export interface CutsInEffect {
  /** Version of an account's entity that is in effect for its lines; undefined while this process does not know it. */
  cutVersion(account: string, kind: Cut['kind'], entity: string): number | undefined
  /** Highest version of the entity that this process knows to be on the log; undefined: none. */
  versionOnLog(account: string, kind: Cut['kind'], entity: string): number | undefined
  /**
   * Waits at most a few seconds until at least that version is in effect for lines of the account.
   *
   * @returns false when it is not in effect yet; it will be once the partition reads on
   */
  whenInEffect(account: string, kind: Cut['kind'], entity: string, version: number): Promise<boolean>
}
