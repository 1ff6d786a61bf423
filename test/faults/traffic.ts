import { type Dice, newDice } from '../support/dice.ts'
import { requestName, type SentLine, type SentRequest } from './sent-request.ts'

/** Values of the throttle's key field; '' is the default bucket. */
const APPS = ['checkout', 'search', 'grüße', 'x'.repeat(40), '']
const WORDS = [
  'request',
  'took',
  '17 ms',
  '"quoted"',
  '\\back\\slashed\\',
  'tab\there',
  'ünïcode €',
  '日本',
  '🚰',
  '',
]
const MAX_LINES = 24
const PADDING = ' padding'
const MAX_PADDING = 8_000
/** Long lines make checkpoints, new segments and trimming frequent. */
const PADDED = 0.12

type KeyForm = 'numbered' | 'plain' | 'none'
const KEY_FORMS: readonly KeyForm[] = ['numbered', 'none', 'numbered', 'plain']

/** The requests of one connection: the same seed gives the same lines. */
export class Traffic {
  readonly #connection: number
  readonly #seed: number
  readonly #dice: Dice
  #number = 0

  constructor(seed: number, connection: number) {
    this.#connection = connection
    this.#seed = seed
    this.#dice = newDice(seed * 1_000 + connection)
  }

  next(host: string): SentRequest {
    const number = this.#number++
    const name = requestName({ connection: this.#connection, number })
    const count = 1 + this.#dice.below(MAX_LINES)
    return {
      connection: this.#connection,
      number,
      host,
      idempotencyKey: this.#keyOf(number),
      lines: Array.from({ length: count }, (_, place) => this.#line(`${name}/${place}`, place)),
      attempts: 0,
      outcome: 'open',
    }
  }

  #keyOf(number: number): string | undefined {
    switch (KEY_FORMS[this.#connection % KEY_FORMS.length]) {
      case 'numbered':
        return `stream-${this.#seed}-${this.#connection}/${number}`
      case 'plain':
        return `request-${this.#seed}-${this.#connection}-${number}`
      default:
        return undefined
    }
  }

  #line(name: string, place: number): SentLine {
    const dice = this.#dice
    return {
      text: this.#text(name),
      app: dice.pick(APPS),
      level: place === 0 || dice.chance(0.4) ? 'kept' : 'limited',
      meta: this.#meta(),
    }
  }

  #text(name: string): string {
    const dice = this.#dice
    const words = Array.from({ length: 1 + dice.below(12) }, () => dice.pick(WORDS)).join(' ')
    const padding = dice.chance(PADDED) ? PADDING.repeat(dice.below(MAX_PADDING / PADDING.length)) : ''
    const form = dice.below(10)
    if (form < 2) return JSON.stringify({ id: name, message: words, status: dice.below(600), padding })
    if (form < 3) return `${name} ${words}${padding} {"user":{"id":${dice.below(1000)}},"grüße":"✓"}`
    return `${name} ${words}${padding}`
  }

  #meta(): string {
    const dice = this.#dice
    if (dice.chance(0.8)) return ''
    if (dice.chance(0.2)) return JSON.stringify(`not indexed: "${dice.pick(WORDS)}"`)
    return JSON.stringify({ trace: dice.below(1_000_000), straße: dice.pick(WORDS) })
  }
}

/** A request as it goes over the wire; every attempt sends the same bytes. */
export function bodyOf({ lines }: SentRequest): string {
  return JSON.stringify({
    lines: lines.map(({ text, app, level, meta }) => ({
      line: text,
      ...(app !== '' && { app }),
      level,
      ...(meta !== '' && { meta: JSON.parse(meta) as unknown }),
    })),
  })
}
