import type { JsonValue } from '../../schemas/json.ts'
import { parseExactJson } from '../json/exact-json.ts'
import { JsonWalk, MEMBER, memberAt } from '../json/json-walk.ts'
import type { LineBatchView } from '../lines/columns/line-batch-view.ts'

const OBJECT = 0x7b
/** Deeper messages are parsed. */
const MAX_LEVELS = 128
const ASCII = /^[ -~]*$/

/** Result for a message that only a parse can read. */
export const UNREAD = Symbol('unread')

/** In place of a size. */
const NOT_WALKED = -2
const NOT_KNOWN = -1
const FIRST_PLACES = 1_024

const walk = new JsonWalk()
const MESSAGES = new WeakMap<LineBatchView, SentMessages>()

/** Messages of unchanged events of a gateway route, whose batch holds them as JSON texts. */
export function sentMessages(batch: LineBatchView): SentMessages {
  let messages = MESSAGES.get(batch)
  if (messages === undefined) {
    messages = new SentMessages(batch)
    MESSAGES.set(batch, messages)
  }
  return messages
}

/** Walks each message once, when it is first asked for. Only those members are parsed that nodes read. */
class SentMessages {
  readonly #batch: LineBatchView
  readonly #bytes: Int32Array
  /** Range of each message's members in the places; its end is negative when they are not known. */
  readonly #from: Uint32Array
  readonly #to: Int32Array
  #places = new Uint32Array(FIRST_PLACES)
  #length = 0

  constructor(batch: LineBatchView) {
    this.#batch = batch
    this.#bytes = new Int32Array(batch.count).fill(NOT_WALKED)
    this.#from = new Uint32Array(batch.count)
    this.#to = new Int32Array(batch.count)
  }

  /** Size in bytes of the compact text of a message that is an object. */
  bytes(index: number): number | typeof UNREAD {
    this.#read(index)
    const bytes = this.#bytes[index] as number
    return bytes === NOT_KNOWN ? UNREAD : bytes
  }

  /** Top-level member of a message that is an object; undefined: it has none of that name. */
  member(index: number, key: string): JsonValue | undefined | typeof UNREAD {
    this.#read(index)
    const { lineBytes } = this.#batch
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
    if (this.#bytes[index] !== NOT_WALKED) return
    const { lineBytes, isExact } = this.#batch
    const start = this.#batch.lineStart(index)
    const end = this.#batch.lineEnd(index)
    const isRead =
      isExact && lineBytes[start] === OBJECT && walk.value(lineBytes, start, end, MAX_LEVELS) === end
    this.#bytes[index] = isRead ? (walk.compactBytes ?? NOT_KNOWN) : NOT_KNOWN
    this.#from[index] = this.#length
    this.#to[index] = isRead && walk.members >= 0 ? this.#keepMembers() : NOT_KNOWN
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
