import { deployments } from '../../engine/configuration/entities.ts'
import type { Client, SendingWorld } from './client.ts'
import { newText } from './client.ts'
import type { SimulatedAccount } from './founding.ts'
import type { SimulatedAnswer } from './front-door.ts'
import { APPS, LEVELS } from './recipe.ts'
import type { SentLine } from './sender.ts'
import type { SimulatedProcess } from './simulated-process.ts'

/** Maximum number of attempts: a pipeline may be paused for longer than clients wait. */
const MAX_ATTEMPTS = 8

/** One way of a request to a front, which the events that it brings name in their metadata. */
export interface PushAttempt {
  /** undefined: there was none. */
  answer: SimulatedAnswer | undefined
  /** Its client was still waiting for the answer. */
  isHeard: boolean
  /** Number of the newest deployment of each pipeline of which the front that answered had heard. */
  known: ReadonlyMap<string, number>
  /** It was answered 200 although its front had known all the time that a pipeline holds the events of its route. */
  isTakenFromHold: boolean
}

/** Events that a pusher sends in one request. */
export interface PushedRequest {
  readonly account: string
  /** Name in its attempts. */
  readonly name: string
  readonly events: readonly SentLine[]
  readonly body: string
  readonly accessKey: string
  readonly attempts: PushAttempt[]
}

/** A client that pushes numbered events to an account's gateway route, and repeats those that were not acknowledged. */
export class Pusher implements Client {
  readonly requests: PushedRequest[] = []
  readonly alarms: string[] = []
  readonly #world: SendingWorld
  readonly #number: number
  readonly #account: SimulatedAccount
  #current: PushedRequest | undefined
  #waitingFor: SimulatedProcess | undefined
  #events = 0

  constructor(world: SendingWorld, number: number, account: SimulatedAccount) {
    this.#world = world
    this.#number = number
    this.#account = account
  }

  get isDone(): boolean {
    return this.#current === undefined
  }

  send(process: SimulatedProcess): void {
    if (this.#waitingFor !== undefined || process.fronts === undefined) return
    this.#current ??= this.#newRequest()
    const request = this.#current
    const attempt: PushAttempt = {
      answer: undefined,
      isHeard: false,
      known: new Map(),
      isTakenFromHold: false,
    }
    const held = this.#world.heldBy(process, request.account, 'route')
    const number = request.attempts.push(attempt)
    this.#waitingFor = process
    const name = `pusher ${this.#number} request ${this.requests.length} attempt ${number}`
    this.#world.tell(`${name} (${request.events.length} events) to ${process.actor.name}`)
    const pushed = {
      path: `/v1/${this.#account.route}?request=${request.name}&attempt=${number}`,
      headers: { authorization: request.accessKey },
      body: request.body,
    }
    void this.#world.door.send(process.fronts, pushed).then(answer => {
      // The answer of a lost connection counts as well: the front must keep its promise.
      attempt.answer = answer
      attempt.known = deployedAt(process, request.account)
      const isHeld = !held.isDisjointFrom(this.#world.heldBy(process, request.account, 'route'))
      attempt.isTakenFromHold = isHeld && answer.status === 200
      if (this.#current !== request || request.attempts.at(-1) !== attempt) return
      if (this.#waitingFor === undefined) return
      this.#waitingFor = undefined
      attempt.isHeard = true
      this.#world.tell(`${name}: ${answer.status}`)
      this.#take(request, answer)
    })
  }

  loseConnection(process: SimulatedProcess | undefined = this.#waitingFor): void {
    if (process !== undefined && this.#waitingFor === process) this.#waitingFor = undefined
  }

  giveUp(): void {
    if (this.#waitingFor === undefined) this.#current = undefined
  }

  #take(request: PushedRequest, { status }: SimulatedAnswer): void {
    if (status === 503 && request.attempts.length < MAX_ATTEMPTS) return
    if (![200, 400, 401, 409, 503].includes(status))
      this.alarms.push(`pusher ${this.#number} was answered ${status}`)
    this.#current = undefined
  }

  #newRequest(): PushedRequest {
    const { dice, lineBytes } = this.#world
    const { shortId: account, accessKey } = this.#account
    const events = Array.from({ length: 1 + dice.below(5) }, () => ({
      text: newText(this.#number, this.#events++, dice.below(lineBytes)),
      app: dice.pick(APPS),
      level: dice.pick(LEVELS),
    }))
    const messages = events.map(event => JSON.stringify(messageOf(event, this.#number)))
    const request: PushedRequest = {
      account,
      name: `${this.#number}.${this.requests.length}`,
      events,
      body: dice.chance(0.7) ? `[${messages.join(', ')}]` : `${messages.join('\n')}\n`,
      accessKey: dice.chance(0.05) ? 'none' : accessKey,
      attempts: [],
    }
    this.requests.push(request)
    return request
  }
}

/** The message of an event of the route. */
export function messageOf({ text, app, level }: SentLine, client: number): object {
  return { line: text, level, host: `host-${client}`, ...(app !== '' && { app }) }
}

function deployedAt({ configuration }: SimulatedProcess, account: string): ReadonlyMap<string, number> {
  const deployed = configuration?.list(deployments, account) ?? []
  return new Map(deployed.map(({ id, value }) => [id, value.number]))
}
