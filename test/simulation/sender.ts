import { type Client, newText, type SendingWorld } from './client.ts'
import type { SimulatedAccount } from './founding.ts'
import { APPS, LEVELS } from './recipe.ts'
import type { SimulatedProcess } from './simulated-process.ts'

/** Keys are remembered for 24 h: a sender that was away for longer uses a new key. */
const KEY_PATIENCE_MS = 10 * 3_600_000
const FLOOD_SHARE = 0.4
const FLOOD_LINES = 300

export interface SentLine {
  readonly text: string
  readonly app: string
  readonly level: string
}

/** Lines that a sender sends in one request, which may need several attempts. */
export interface SentRequest {
  readonly account: string
  readonly sender: number
  readonly key: string | undefined
  readonly lines: readonly SentLine[]
  readonly firstSentMs: number
  attempts: number
  /** Id in the answer that acknowledged it; empty if only the log shows it. */
  batchId: string
  status: 'open' | 'acknowledged' | 'given up'
  /** It was answered 200 although its front had known all the time that a pipeline holds lines of log ingestion. */
  isTakenFromHold: boolean
}

/**
 * A client of one account that sends numbered lines, one request at a time, and repeats those that were not acknowledged.
 */
export class Sender implements Client {
  readonly requests: SentRequest[] = []
  readonly alarms: string[] = []
  readonly #world: SendingWorld
  readonly #number: number
  readonly #account: SimulatedAccount
  readonly #keys: 'numbered' | 'single' | 'none'
  #current: SentRequest | undefined
  /** The process that the attempt in flight went to. */
  #waitingFor: SimulatedProcess | undefined
  #lines = 0

  constructor(world: SendingWorld, number: number, account: SimulatedAccount) {
    this.#world = world
    this.#number = number
    this.#account = account
    this.#keys = world.dice.pick(['numbered', 'single', 'single', 'none'])
  }

  get isWaiting(): boolean {
    return this.#waitingFor !== undefined
  }

  get isDone(): boolean {
    return this.#current === undefined
  }

  send(process: SimulatedProcess): void {
    if (this.isWaiting || process.fronts === undefined) return
    this.#giveUpIfTooOld()
    this.#current ??= this.#newRequest()
    const request = this.#current
    request.attempts++
    this.#waitingFor = process
    const attempt = request.attempts
    const name = `sender ${this.#number} request ${this.requests.length} attempt ${attempt}`
    this.#world.tell(`${name} (${request.lines.length} lines) to ${process.actor.name}`)
    const { ingestionKey: apikey } = this.#account
    const body = JSON.stringify({
      lines: request.lines.map(({ text, ...rest }) => ({ line: text, ...rest })),
    })
    const headers = { apikey, ...(request.key !== undefined && { 'idempotency-key': request.key }) }
    const attempted = { path: `/logs/ingest?hostname=host-${this.#number}`, headers, body }
    const held = this.#world.heldBy(process, request.account, 'lines')
    void this.#world.door.send(process.fronts, attempted).then(({ status, body: { batchID = '' } }) => {
      const isHeld = !held.isDisjointFrom(this.#world.heldBy(process, request.account, 'lines'))
      if (isHeld && status === 200) request.isTakenFromHold = true
      if (this.#current !== request || request.attempts !== attempt || !this.isWaiting) return
      this.#waitingFor = undefined
      this.#world.tell(`${name}: ${status}`)
      request.batchId = String(batchID)
      this.#take(request, status)
    })
  }

  loseConnection(process: SimulatedProcess | undefined = this.#waitingFor): void {
    if (process !== undefined && this.#waitingFor === process) this.#waitingFor = undefined
  }

  giveUp(): void {
    if (this.#current === undefined || this.isWaiting) return
    this.#current.status = 'given up'
    this.#current = undefined
  }

  #take(request: SentRequest, status: number): void {
    if (status === 503) return
    if (status !== 200) this.alarms.push(`sender ${this.#number} was answered ${status}`)
    request.status = status === 200 ? 'acknowledged' : 'given up'
    this.#current = undefined
  }

  #giveUpIfTooOld(): void {
    if (this.#current === undefined) return
    const ageMs = Math.abs(this.#world.logClockMs() - this.#current.firstSentMs)
    if (ageMs > KEY_PATIENCE_MS) this.giveUp()
  }

  #newRequest(): SentRequest {
    const { dice, lineBytes, sendsFloods } = this.#world
    const count = sendsFloods && dice.chance(FLOOD_SHARE) ? FLOOD_LINES : 1 + dice.below(5)
    const number = this.requests.length
    const request: SentRequest = {
      account: this.#account.shortId,
      sender: this.#number,
      key: this.#keyOf(number),
      lines: Array.from({ length: count }, () => ({
        text: newText(this.#number, this.#lines++, dice.below(lineBytes)),
        app: dice.pick(APPS),
        level: dice.pick(LEVELS),
      })),
      firstSentMs: this.#world.logClockMs(),
      attempts: 0,
      batchId: '',
      status: 'open',
      isTakenFromHold: false,
    }
    this.requests.push(request)
    return request
  }

  #keyOf(number: number): string | undefined {
    if (this.#keys === 'none') return undefined
    return this.#keys === 'numbered' ? `sender-${this.#number}/${number}` : `key-${this.#number}-${number}`
  }
}
