import type { CountedRole, ProfiledName } from '../../contract/profile-view.ts'
import { cutText } from './line-templates.ts'

export const COUNTED_ROLES: readonly CountedRole[] = ['apps', 'hosts', 'levels', 'event_types']
const MAX_NAMES = 1_000
/** Length of a kept name, in UTF-16 units. (Our choice.) */
const NAME_LENGTH = 256

interface Count {
  lines: number
  bytes: number
}

/** Counts in a snapshot. */
export type KeptCount = readonly [name: string | null, lines: number, bytes: number]

/** Lines and bytes by name, for one role. Names beyond the bound are counted together. */
export class NameCounts {
  readonly #counts = new Map<string, Count>()
  readonly #other: Count = { lines: 0, bytes: 0 }
  readonly #maxNames: number

  /** @param maxNames bound on the names; more than a thousand are never kept */
  constructor(maxNames: number) {
    this.#maxNames = Math.min(maxNames, MAX_NAMES)
  }

  get size(): number {
    return this.#counts.size
  }

  add(name: string, bytes: number): void {
    this.#note(cutText(name, NAME_LENGTH), 1, bytes)
  }

  /** Counts of a snapshot, in the order in which the names were met. */
  *kept(): Generator<KeptCount> {
    for (const [name, { lines, bytes }] of this.#counts) yield [name, lines, bytes]
    const { lines, bytes } = this.#other
    if (lines > 0) yield [null, lines, bytes]
  }

  put([name, lines, bytes]: KeptCount): void {
    if (name === null) addTo(this.#other, lines, bytes)
    else this.#note(name, lines, bytes)
  }

  names(): ProfiledName[] {
    return Array.from(this.kept(), ([name, lines, bytes]) => ({ name: name ?? undefined, lines, bytes }))
  }

  #note(name: string, lines: number, bytes: number): void {
    let count = this.#counts.get(name)
    if (count === undefined && this.#counts.size < this.#maxNames) {
      count = { lines: 0, bytes: 0 }
      this.#counts.set(name, count)
    }
    addTo(count ?? this.#other, lines, bytes)
  }
}

function addTo(count: Count, lines: number, bytes: number): void {
  count.lines += lines
  count.bytes += bytes
}
