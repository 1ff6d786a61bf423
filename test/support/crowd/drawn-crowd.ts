import { deflateSync, gzipSync } from 'node:zlib'
import { type Dice, newDice } from '../dice.ts'
import { drawnBody } from '../drawn-bodies.ts'

/**
 * Way in which a request reaches the front. `in one step`: whole, and together with others. `cut off`: its last byte is missing.
 * `unheard`: its sender goes before the answer.
 */
export type Delivery = 'in one step' | 'in pieces' | 'cut off' | 'unheard'

export interface DrawnRequest {
  /** Hostname, or parameter of the query. It is in the record beside the lines. */
  readonly name: string
  /** Number of the account that sends it. */
  readonly sender: number
  readonly entrance: 'lines' | 'push'
  /** Whether the key of the account is a member of the body. */
  readonly isKeyInBody: boolean
  readonly idempotencyKey: string | undefined
  /** The body before compression. */
  readonly body: Buffer
  readonly coding: 'gzip' | 'deflate' | undefined
  /** The body as it is sent. */
  readonly sent: Buffer
  /** Whether it cannot be decompressed. */
  readonly isTorn: boolean
  readonly delivery: Delivery
  /** Lengths of the pieces in which it is sent. The remaining bytes follow in one piece. */
  readonly pieces: readonly number[]
  /** Turns of the event loop before the request, and between its pieces. */
  readonly pauses: number
  /** Further members of the query. */
  readonly query: string
}

/** Size of bodies that make others wait for a later turn. */
const PACED_BYTES = 300_000
const LONG_BYTES = 40_000
const NOTHING = Buffer.alloc(0)
const KEYS = ['k-1', 'k-2', 'k-3', 'steady/1', 'steady/2', 'steady/3']
const ODD_MEMBERS = ['"tags":["own","tags"],', '"mac":"02:00:00:00:00:09",', '"x":{"y":[1,"z"]},']

/** Usual number of requests that are under way at the same time. */
export const REQUESTS_OF_CROWD = 40

/** Main subject of a crowd. */
interface Mood {
  /** Share of requests that repeat an earlier one with its idempotency key. */
  readonly repeated: number
  /** Share of bodies with lines that are refused: a repeat finds these again. */
  readonly refused: number
  /** All requests are short ones of one account, so many of them are in one record. */
  readonly isNarrow: boolean
}

const MIXED: Mood = { repeated: 0.2, refused: 0.1, isNarrow: false }
const REPEATING: Mood = { repeated: 0.6, refused: 0.8, isNarrow: true }
const REPEATING_SHARE = 0.2

/** Requests that are under way at the same time. @param keys of the accounts, in the order of their numbers */
export function drawnCrowd(seed: number, size: number, keys: readonly string[]): DrawnRequest[] {
  const dice = newDice(seed)
  const mood = dice.chance(REPEATING_SHARE) ? REPEATING : MIXED
  const draw = new CrowdDice(dice, mood, seed)
  const keyed: Content[] = []
  return Array.from({ length: size }, (_, number) => {
    const name = `r-${seed}-${number}`
    const isRepeat = keyed.length > 0 && dice.chance(mood.repeated)
    const content = isRepeat ? dice.pick(keyed) : draw.content(name, keys)
    if (!isRepeat && content.idempotencyKey !== undefined) keyed.push(content)
    return { ...content, name, ...drawnForm(dice, content.body), ...drawnDelivery(dice, name) }
  })
}

type Content = Pick<DrawnRequest, 'sender' | 'entrance' | 'isKeyInBody' | 'idempotencyKey' | 'body'>

class CrowdDice {
  readonly #dice: Dice
  readonly #mood: Mood
  readonly #seed: number

  constructor(dice: Dice, mood: Mood, seed: number) {
    this.#dice = dice
    this.#mood = mood
    this.#seed = seed
  }

  content(name: string, keys: readonly string[]): Content {
    const dice = this.#dice
    const sender = this.#mood.isNarrow ? 0 : dice.below(keys.length)
    if (dice.chance(0.25)) {
      const body = dice.chance(0.05) ? NOTHING : this.#pushed(name)
      return { sender, entrance: 'push', isKeyInBody: false, idempotencyKey: undefined, body }
    }
    const isKeyInBody = dice.chance(0.2)
    const lines = dice.chance(0.04) ? NOTHING : dice.chance(0.35) ? drawnBody(dice) : this.#lines(name)
    return {
      sender,
      entrance: 'lines',
      isKeyInBody,
      idempotencyKey: dice.chance(0.35) ? `${this.#seed}-${dice.pick(KEYS)}` : undefined,
      body: isKeyInBody ? withMember(lines, `"apikey":"${keys[sender]}",`) : lines,
    }
  }

  /** Lines that no other body has. Some bodies have a member that only the complete rules read. */
  #lines(name: string): Buffer {
    const dice = this.#dice
    const before = dice.chance(0.3) ? dice.pick(ODD_MEMBERS) : ''
    const refusedShare = dice.chance(this.#mood.refused) ? 0.3 : 0
    const lines = this.#texts(name).map(text => {
      if (dice.chance(0.2)) return JSON.stringify(text)
      if (dice.chance(refusedShare)) return '{"app":"without a text"}'
      const app = dice.chance(0.5) ? `,"app":"app of ${name}"` : ''
      const level = dice.chance(0.3) ? `,"level":"${dice.pick(['info', 'warn', name])}"` : ''
      const meta = dice.chance(0.2) ? `,"meta":{"of":"${name}"}` : ''
      return `{"line":${JSON.stringify(text)}${app}${level}${meta}}`
    })
    const body = Buffer.from(`{${before}"lines":[${lines.join(',')}]}`)
    return dice.chance(0.06) ? body.subarray(0, dice.below(body.length)) : body
  }

  /** Messages of a push: an array, lines of JSON, or texts. Some are broken in a way that one of the forms refuses. */
  #pushed(name: string): Buffer {
    const dice = this.#dice
    const texts = this.#texts(name)
    const form = dice.pick(['array', 'lines', 'texts'] as const)
    if (form === 'texts') return Buffer.from(texts.join('\n'))
    const events = texts.map((text, index) => JSON.stringify({ of: name, index, text }))
    const body = form === 'array' ? `[${events.join(',')}]` : events.join('\n')
    return Buffer.from(dice.chance(0.1) ? body.slice(0, dice.below(body.length)) : body)
  }

  /** Texts of one request: a few bytes each, beyond the limit of a line, or of usual length. */
  #texts(name: string): string[] {
    const dice = this.#dice
    const texts: string[] = []
    const least = this.#leastBytes()
    for (let bytes = 0; texts.length === 0 || bytes < least; bytes += (texts.at(-1) as string).length + 12) {
      const filling = dice.pick(['x', 'é', '\\', '"', '中', 'GET /a 200 ', '\t'])
      const length = dice.chance(0.02) ? 17_000 : dice.chance(0.3) ? dice.below(4) : dice.below(120)
      texts.push(`${name} ${texts.length} ${filling.repeat(Math.ceil(length / filling.length))}`)
    }
    return texts
  }

  /** Least size of a body. */
  #leastBytes(): number {
    const dice = this.#dice
    const drawn = dice.below(100)
    if (this.#mood.isNarrow || drawn < 50) return dice.below(600)
    if (drawn < 75) return dice.below(LONG_BYTES)
    if (drawn < 92) return LONG_BYTES + dice.below(80_000)
    return PACED_BYTES + dice.below(300_000)
  }
}

/** Puts a member first. A body that is not an object stays as it is. */
function withMember(body: Buffer, member: string): Buffer {
  return body[0] === 0x7b ? Buffer.concat([Buffer.from(`{${member}`), body.subarray(1)]) : body
}

function drawnForm(dice: Dice, body: Buffer): Pick<DrawnRequest, 'coding' | 'sent' | 'isTorn'> {
  const coding = dice.chance(0.3) ? dice.pick(['gzip', 'deflate'] as const) : undefined
  if (coding === undefined || body.length === 0) return { coding: undefined, sent: body, isTorn: false }
  const compressed = coding === 'gzip' ? gzipSync(body) : deflateSync(body)
  const isTorn = dice.chance(0.08)
  return { coding, sent: isTorn ? compressed.subarray(0, compressed.length - 5) : compressed, isTorn }
}

function drawnDelivery(
  dice: Dice,
  name: string,
): Pick<DrawnRequest, 'delivery' | 'pieces' | 'pauses' | 'query'> {
  const drawn = dice.below(100)
  const delivery = drawn < 60 ? 'in one step' : drawn < 82 ? 'in pieces' : drawn < 91 ? 'cut off' : 'unheard'
  const pieces = Array.from({ length: dice.below(6) }, () =>
    dice.chance(0.3) ? dice.below(5) : dice.below(60_000),
  )
  const tags = dice.chance(0.1) ? `&tags=of,${name}` : ''
  const mac = dice.chance(0.1) ? '&mac=02:00:00:00:00:01' : ''
  return { delivery, pieces, pauses: dice.chance(0.7) ? 0 : dice.below(8), query: `${tags}${mac}` }
}
