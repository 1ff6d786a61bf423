import type {
  EventOutcome,
  Remote,
  RemoteAnswer,
  RemoteFailure,
  Shipment,
} from '../../engine/delivery/sending/remote.ts'
import { Actor, type Scheduler } from '../simulation/scheduler.ts'
import type { Dice } from '../support/dice.ts'
import { textOf } from '../support/outgoing.ts'
import { BAD, type PlannedNode } from './plan.ts'

/** Events of a shipment that a remote has accepted. */
export interface Acceptance {
  readonly node: string
  readonly lines: readonly string[]
}

const MODES = ['well', 'well', 'away', 'refuses', 'hangs', 'deaf'] as const
/** `refuses`: it does not accept the credentials; `deaf`: what it does is not heard of. */
export type RemoteMode = (typeof MODES)[number]

const TIMEOUT_MS = 60_000

/** Remotes of all nodes, behind links that fail. */
export class SimulatedRemotes {
  readonly accepted: Acceptance[] = []
  /** All shipments that were on their way, by node. */
  readonly shipments: { readonly node: string; readonly shipment: Shipment }[] = []
  readonly #scheduler: Scheduler
  readonly #dice: Dice
  readonly #nodes: ReadonlyMap<string, PlannedNode>
  readonly #modes = new Map<string, RemoteMode>()
  readonly #actor = new Actor('remotes')
  /** Share of the requests that fail although the remote is well. */
  faultShare = 0.1

  constructor(scheduler: Scheduler, dice: Dice, nodes: readonly PlannedNode[]) {
    this.#scheduler = scheduler
    this.#dice = dice
    this.#nodes = new Map(nodes.map(node => [node.node, node]))
  }

  /** Draws the mode of a remote. */
  change(): void {
    this.#modes.set(this.#dice.pick([...this.#nodes.keys()]), this.#dice.pick(MODES))
  }

  heal(): void {
    this.#modes.clear()
    this.faultShare = 0
  }

  /** The remotes as one process reaches them. */
  of(actor: Actor): Remote {
    return { send: (shipment, signal) => this.#send(actor, shipment, signal) }
  }

  async #send(actor: Actor, shipment: Shipment, signal: AbortSignal): Promise<RemoteAnswer> {
    const { node } = shipment.lane
    this.shipments.push({ node, shipment })
    await this.#scheduler.step(actor, 'send')
    const mode = this.#dice.chance(this.faultShare) ? this.#dice.pick(MODES) : this.#modes.get(node)
    if (mode === 'away') return this.#answer(actor, again(null))
    if (mode === 'refuses')
      return this.#answer(actor, { kind: 'rest', status: 401, bytes: 0, failure: why('key') })
    if (mode === 'hangs' || mode === 'deaf') {
      if (mode === 'deaf') this.#judge(shipment)
      else if (this.#dice.chance(0.3)) void this.#judgeLate(shipment)
      await this.#scheduler.sleep(actor, TIMEOUT_MS, signal)
      return again(null)
    }
    return this.#answer(actor, this.#judge(shipment))
  }

  async #answer(actor: Actor, answer: RemoteAnswer): Promise<RemoteAnswer> {
    await this.#scheduler.step(actor, 'answer')
    return answer
  }

  /** The request arrives after its sender has stopped waiting. */
  async #judgeLate(shipment: Shipment): Promise<void> {
    await this.#scheduler.sleep(this.#actor, this.#dice.below(90_000))
    await this.#scheduler.step(this.#actor, 'late request')
    this.#judge(shipment)
  }

  #judge({ lane, events }: Shipment): RemoteAnswer {
    const lines = events.map(({ event }) => textOf(event))
    const judges = this.#nodes.get(lane.node)?.judges
    const head = { status: 200, bytes: lines.join('\n').length }
    if (lines.some(isBad) && judges === 'request')
      return { ...head, kind: 'refused', status: 400, divides: true, failure: why('a bad event') }
    const isBusy = () => judges === 'busy' && this.#dice.chance(0.2)
    const outcomes = lines.map((line): EventOutcome => {
      if (isBad(line)) return why('a bad event')
      return isBusy() ? 'again' : 'delivered'
    })
    const accepted = lines.filter((_, index) => outcomes[index] === 'delivered')
    if (accepted.length > 0) this.accepted.push({ node: lane.node, lines: accepted })
    return accepted.length === lines.length
      ? { ...head, kind: 'delivered' }
      : { ...head, kind: 'each', outcomes }
  }
}

export function isBad(line: string): boolean {
  return line.includes(BAD)
}

function again(status: number | null): RemoteAnswer {
  return { kind: 'again', status, bytes: 0, failure: why('no answer') }
}

function why(message: string): RemoteFailure {
  return { code: 'E_DELIVERY_FAILED', field: null, message, answer: null }
}
