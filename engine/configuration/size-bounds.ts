import type { ConfigurationFold } from './configuration-fold.ts'
import type { AnyKind } from './kind.ts'
import { ConfigurationRejected } from './rejection.ts'

/** Default length of the stored texts of an account together. Its lists are read and answered as a whole. (Our choice.) */
export const ACCOUNT_CHARACTERS = 16_777_216

/** A change with its stored text, which is empty when it removes the entity. */
export interface StoredChange {
  readonly kind: AnyKind
  readonly id: string
  readonly value: unknown
  readonly text: string
}

/**
 * Bounds on the length of stored texts. They hold for writes of this process only: an event on the log has the same verdict
 * whatever the settings are. A change that makes an entity or an account smaller is always possible.
 */
export class SizeBounds {
  readonly #fold: Pick<ConfigurationFold, 'get' | 'textOf' | 'storedCharacters'>
  readonly #accountCharacters: number
  /** Growth by writes that have not been read back yet, by account. */
  readonly #pending = new Map<string, number>()

  constructor(
    fold: Pick<ConfigurationFold, 'get' | 'textOf' | 'storedCharacters'>,
    accountCharacters = ACCOUNT_CHARACTERS,
  ) {
    this.#fold = fold
    this.#accountCharacters = accountCharacters
  }

  /**
   * Takes room for changes that are written together.
   *
   * @returns gives the room back, once the changes were read back or have failed
   * @throws ConfigurationRejected SIZE_LIMIT
   */
  take(changes: readonly StoredChange[]): () => void {
    const growth = new Map<string, number>()
    for (const change of changes) {
      const { kind, id, text } = change
      if (!kind.isUserSized) continue
      const before = this.#fold.textOf(kind, id).length
      const { maxCharacters = Number.POSITIVE_INFINITY } = kind
      if (text.length > Math.max(maxCharacters, before))
        throw tooLarge(`The ${kind.name} must be at most ${maxCharacters} characters long as it is stored`)
      const account = this.#accountOf(change)
      if (account !== undefined) growth.set(account, (growth.get(account) ?? 0) + text.length - before)
    }
    for (const [account, more] of growth) {
      const held = this.#fold.storedCharacters(account) + (this.#pending.get(account) ?? 0)
      if (more <= 0 || held + more <= this.#accountCharacters) continue
      throw tooLarge(
        `All views, boards, pipelines and other objects of an account must be at most ${this.#accountCharacters} characters long ` +
          `together: they are ${held} now. Delete some, or make them shorter`,
      )
    }
    for (const [account, more] of growth) this.#add(account, Math.max(0, more))
    return () => {
      for (const [account, more] of growth) this.#add(account, -Math.max(0, more))
    }
  }

  #accountOf({ kind, id, value }: StoredChange): string | undefined {
    const present = value ?? this.#fold.get(kind, id)?.value
    return present === undefined ? undefined : kind.account?.(present as never)
  }

  #add(account: string, more: number): void {
    const rest = (this.#pending.get(account) ?? 0) + more
    if (rest === 0) this.#pending.delete(account)
    else this.#pending.set(account, rest)
  }
}

function tooLarge(message: string): ConfigurationRejected {
  return new ConfigurationRejected({ code: 'SIZE_LIMIT', message })
}
