/** A part of a table whose files are not as they were written. A part holds the rows of some batches, of one day. */
export interface DamagedPart {
  /** Empty where the engine does not say. */
  readonly table: string
  /** The engine's name of it, such as 20260101_1_6_1; empty where it does not say. */
  readonly part: string
  /**
   * 'unreadable': it is there, and what has to read it fails. 'set aside': the engine found it broken at a start, and
   * answers as if its rows had never been.
   */
  readonly state: 'unreadable' | 'set aside'
}

/** What is known of damage without asking the engine. */
export interface KnownDamage {
  readonly parts: readonly DamagedPart[]
  /** Statements that failed because of it, since the start. */
  readonly failedStatements: number
}

export const NO_DAMAGE: KnownDamage = { parts: [], failedStatements: 0 }

const GUIDE = 'See "A damaged part of the store" in the operator\'s guide'

/** What it means and what to do, in words for operators. */
export function damageSentence({ table, part, state }: DamagedPart): string {
  const name = part === '' ? 'A part of the store' : `Part ${part} of the table ${table || '(unknown)'}`
  if (state === 'set aside')
    return (
      `${name} was found damaged at a start and is set aside: its rows are missing from every answer. ` +
      `Restore a backup, or accept the loss by deleting what was set aside. ${GUIDE}.`
    )
  return (
    `${name} is damaged and cannot be read: whatever needs it fails. ` +
    `Restore a backup, or go on without the part, whose rows are lost then. ${GUIDE}.`
  )
}

/** Of a part without which the store does not know what it is. */
export function essentialSentence({ table, part }: DamagedPart): string {
  return (
    `Part ${part} of the table ${table} was found damaged at a start and is set aside, and without it the store cannot be ` +
    `opened: restore a backup. ${GUIDE}.`
  )
}

/** Keeps what statements have told of damage. */
export class DamageRecord {
  readonly #unreadable = new Map<string, DamagedPart>()
  #setAside: readonly DamagedPart[] = []
  #failedStatements = 0

  get known(): KnownDamage {
    return {
      parts: [...this.#unreadable.values(), ...this.#setAside],
      failedStatements: this.#failedStatements,
    }
  }

  get unreadable(): readonly DamagedPart[] {
    return [...this.#unreadable.values()]
  }

  noteUnreadable(part: DamagedPart): void {
    this.#failedStatements++
    this.#unreadable.set(`${part.table}/${part.part}`, part)
  }

  /** Parts that are gone cannot fail any more. */
  keepUnreadable(isThere: (part: DamagedPart) => boolean): void {
    for (const [key, part] of this.#unreadable) if (!isThere(part)) this.#unreadable.delete(key)
  }

  setAside(parts: readonly DamagedPart[]): void {
    this.#setAside = parts
  }
}
