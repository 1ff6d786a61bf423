/**
 * A part of a table whose files have changed since they were written. A part contains the rows of some batches, of one
 * day.
 */
export interface DamagedPart {
  /** Name of the table; empty if the engine does not name it. */
  readonly table: string
  /** The engine's name of it, such as 20260101_1_6_1; empty if it does not name it. */
  readonly part: string
  /**
   * 'unreadable': it exists, but reading it fails. 'set aside': the engine found it broken at a start, and answers
   * without its rows.
   */
  readonly state: 'unreadable' | 'set aside'
}

/** A damaged part that was set aside at a start, and whose rows are all in other parts. */
export interface SparePart {
  readonly table: string
  readonly part: string
  /** Its name from now on. */
  readonly ignoredAs: string
}

/** Damage that is known without a query. */
export interface KnownDamage {
  readonly parts: readonly DamagedPart[]
  /** Statements that failed because of it, since the start. */
  readonly failedStatements: number
}

export const NO_DAMAGE: KnownDamage = { parts: [], failedStatements: 0 }

const GUIDE = 'See "A damaged part of the store" in the operator\'s guide'

/** Meaning of the damage and the remedy, for operators. */
export function damageSentence({ table, part, state }: DamagedPart): string {
  const name = part === '' ? 'A part of the store' : `Part ${part} of the table ${table || '(unknown)'}`
  if (state === 'set aside')
    return (
      `${name} was found damaged at a start and is set aside: its rows are missing from every answer. ` +
      `Restore a backup, or accept the loss by deleting the part that was set aside. ${GUIDE}.`
    )
  return (
    `${name} is damaged and cannot be read: whatever needs it fails. ` +
    `Restore a backup, or continue without the part, whose rows are then lost. ${GUIDE}.`
  )
}

/** Message for a damaged part without which the state of the store is unknown. */
export function essentialSentence({ table, part }: DamagedPart): string {
  return (
    `Part ${part} of the table ${table} was found damaged at a start and is set aside, and without it the store cannot be ` +
    `opened: restore a backup. ${GUIDE}.`
  )
}

/** Message for a damaged part that nobody misses. */
export function sparePartSentence({ table, part, ignoredAs }: SparePart): string {
  return (
    `Part ${part} of the table ${table} was found damaged at this start and is set aside. Other parts contain all of its rows, so ` +
    `nothing is missing. It was renamed to ${ignoredAs} and can be deleted. Check the disk, which may have damaged more`
  )
}

/** Collects the damage that statements have reported. */
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

  /** Forgets parts that no longer exist. */
  keepUnreadable(isThere: (part: DamagedPart) => boolean): void {
    for (const [key, part] of this.#unreadable) if (!isThere(part)) this.#unreadable.delete(key)
  }

  setAside(parts: readonly DamagedPart[]): void {
    this.#setAside = parts
  }
}
