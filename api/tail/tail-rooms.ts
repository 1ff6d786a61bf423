import type { Asker } from '../../engine/turns/asker.ts'

/** Bytes that a tail holds for its reader. */
const MAX_BYTES = 1536 * 1024
/** Bytes that the tails of an account hold together. (Our choice.) */
const MAX_BYTES_PER_ACCOUNT = 12 * 1024 * 1024
/** Bytes that all tails of the process hold together. (Our choice.) */
const MAX_BYTES_PER_PROCESS = 96 * 1024 * 1024

/** Share of a tail in the memory for lines on their way to readers. */
export interface TailRoom {
  /** Maximum of bytes at present: it falls while more tails are open. */
  readonly bytes: number
}

/**
 * Divides the memory for lines: evenly among enterprises, then among the accounts of an enterprise, then among the tails of an
 * account. The others get the rest that one of them cannot use.
 */
export class TailRooms {
  readonly #askerOf = new Map<TailRoom, Asker>()
  /** Number of rooms by enterprise and account. */
  readonly #counts = new Map<string, Map<string, number>>()
  /** Bytes of each room, by account; undefined: not divided since a room was opened or closed. */
  #bytes: ReadonlyMap<string, number> | undefined

  /** Number of open rooms. */
  get count(): number {
    return this.#askerOf.size
  }

  countOf({ account, enterprise }: Asker): number {
    return this.#counts.get(enterprise)?.get(account) ?? 0
  }

  open(asker: Asker): TailRoom {
    const bytes = () => {
      this.#bytes ??= this.#divided()
      return this.#bytes.get(asker.account) ?? 0
    }
    const room: TailRoom = {
      get bytes() {
        return bytes()
      },
    }
    this.#askerOf.set(room, asker)
    this.#add(asker, 1)
    return room
  }

  close(room: TailRoom): void {
    const asker = this.#askerOf.get(room)
    if (asker === undefined) return
    this.#askerOf.delete(room)
    this.#add(asker, -1)
  }

  #add(asker: Asker, rooms: number): void {
    const accounts = this.#counts.get(asker.enterprise) ?? new Map<string, number>()
    const count = this.countOf(asker) + rooms
    if (count > 0) accounts.set(asker.account, count)
    else accounts.delete(asker.account)
    if (accounts.size > 0) this.#counts.set(asker.enterprise, accounts)
    else this.#counts.delete(asker.enterprise)
    this.#bytes = undefined
  }

  #divided(): Map<string, number> {
    const bytes = new Map<string, number>()
    const wanted = [...this.#counts.values()].map(accounts => [...accounts.values()].map(bytesWanted))
    const mostPerEnterprise = fairShare(MAX_BYTES_PER_PROCESS, wanted.map(sumOf))
    for (const accounts of this.#counts.values()) {
      const mostPerAccount = fairShare(mostPerEnterprise, [...accounts.values()].map(bytesWanted))
      for (const [account, count] of accounts)
        bytes.set(account, Math.floor(Math.min(bytesWanted(count), mostPerAccount) / count))
    }
    return bytes
  }
}

/** Bytes that the tails of an account use, if the process has enough. */
function bytesWanted(count: number): number {
  return Math.min(MAX_BYTES_PER_ACCOUNT, count * MAX_BYTES)
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

/** Maximum that each holder gets, so that together they get at most `bytes`; those who want less leave the rest to the others. */
function fairShare(bytes: number, wanted: readonly number[]): number {
  let left = bytes
  for (const [index, wants] of wanted.toSorted((a, b) => a - b).entries()) {
    const share = left / (wanted.length - index)
    if (wants > share) return share
    left -= wants
  }
  return bytes
}
