import type { JsonValue } from '../../schemas/json.ts'
import { parseExactJson } from '../json/exact-json.ts'
import { JsonWalk, MEMBER, memberAt } from '../json/json-walk.ts'
import { MAX_MESSAGE_LEVELS } from '../json/message-levels.ts'
import type { LineBatchView } from '../lines/columns/line-batch-view.ts'

const OBJECT = 0x7b
const ASCII = /^[ -~]*$/

/** Result for a message that only a parse can read. */
export const UNREAD = Symbol('unread')

const NOT_KNOWN = -1
const MOST_WALKS = 0xffffffff
const FIRST_ROWS = 1_024
const FIRST_PLACES = 16_384

const walk = new JsonWalk()

/**
 * Messages of unchanged events of a gateway route, whose batch holds them as JSON texts. Each is walked once, when it is
 * first asked for, and only those members are parsed that nodes read.
 *
 * There is one instance, for the batch that was asked for last: events nearly always come one batch after another.
 */
class SentMessages {
  #batch: LineBatchView | undefined
  /** Differs for each batch: a row has been walked if it bears the present one. */
  #walks = 0
  #walkOf = new Uint32Array(0)
  #bytes = new Int32Array(0)
  #areCompact = new Uint8Array(0)
  /** Range of each message's members in the places; its end is negative when they are not known. */
  #from = new Uint32Array(0)
  #to = new Int32Array(0)
  #places = new Uint32Array(FIRST_PLACES)
  #length = 0

  /** Makes a batch the present one. */
  of(batch: LineBatchView): this {
    if (batch === this.#batch) return this
    this.#batch = batch
    this.#length = 0
    this.#walks++
    if (batch.count > this.#bytes.length || this.#walks > MOST_WALKS) this.#makeRoom(batch.count)
    return this
  }

  /** Size in bytes of the compact text of a message that is an object. */
  bytes(index: number): number | typeof UNREAD {
    this.#read(index)
    const bytes = this.#bytes[index] as number
    return bytes === NOT_KNOWN ? UNREAD : bytes
  }

  /** Whether the text of a message is an object's compact text. */
  isCompact(index: number): boolean {
    this.#read(index)
    return this.#areCompact[index] === 1
  }

  /** Top-level member of a message that is an object; undefined: it has none of that name. */
  member(index: number, key: string): JsonValue | undefined | typeof UNREAD {
    this.#read(index)
    const { lineBytes } = this.#batch as LineBatchView
    const places = this.#places
    const to = this.#to[index] as number
    if (to === NOT_KNOWN || !ASCII.test(key)) return UNREAD
    const member = memberAt(lineBytes, places, this.#from[index] as number, to, key)
    if (member < 0) return undefined
    const start = places[member + MEMBER.valueStart] as number
    const end = places[member + MEMBER.valueEnd] as number
    return places[member + MEMBER.isPlain] === 1
      ? lineBytes.toString('utf8', start + 1, end - 1)
      : parseExactJson(lineBytes.toString('utf8', start, end))
  }

  #read(index: number): void {
    if (this.#walkOf[index] === this.#walks) return
    this.#walkOf[index] = this.#walks
    const batch = this.#batch as LineBatchView
    const { lineBytes, forms } = batch
    const start = batch.lineStart(index)
    const end = batch.lineEnd(index)
    const isRead =
      forms.isExact &&
      lineBytes[start] === OBJECT &&
      walk.value(lineBytes, start, end, MAX_MESSAGE_LEVELS) === end
    this.#bytes[index] = isRead ? (walk.compactBytes ?? NOT_KNOWN) : NOT_KNOWN
    this.#areCompact[index] = isRead && walk.isCompact ? 1 : 0
    this.#from[index] = this.#length
    this.#to[index] = isRead && walk.members >= 0 ? this.#keepMembers() : NOT_KNOWN
  }

  #makeRoom(count: number): void {
    const rows = Math.max(FIRST_ROWS, count)
    this.#walks = 1
    this.#walkOf = new Uint32Array(rows)
    this.#bytes = new Int32Array(rows)
    this.#areCompact = new Uint8Array(rows)
    this.#from = new Uint32Array(rows)
    this.#to = new Int32Array(rows)
  }

  /** @returns the end of the members of the message that was walked */
  #keepMembers(): number {
    const count = walk.members * MEMBER.numbers
    if (this.#length + count > this.#places.length) {
      const places = new Uint32Array(2 * (this.#length + count))
      places.set(this.#places.subarray(0, this.#length))
      this.#places = places
    }
    this.#places.set(walk.places.subarray(0, count), this.#length)
    this.#length += count
    return this.#length
  }
}

export const SENT_MESSAGES = new SentMessages()
