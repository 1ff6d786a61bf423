import type { JsonObject } from '../../../schemas/json.ts'
import type { Clock } from '../../clock/clock.ts'
import type { Catalogue } from '../../nodes/contract/catalogue.ts'
import type {
  Batch,
  EncodedRequest,
  SendingDestination,
  Verdict,
} from '../../nodes/contract/define-destination.ts'
import type { DeliveryFailure } from '../../nodes/contract/own-store.ts'
import { secretValues } from '../../nodes/contract/secret.ts'
import { keptAnswer } from '../../outbound/echoed-secrets.ts'
import type { KafkaOutbound } from '../../outbound/kafka-exchange.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { LaneName } from '../fold/lane-cursor.ts'
import { type EventIds, eventIdsOf } from '../sending/event-id.ts'
import type {
  EventOutcome,
  Remote,
  RemoteAnswer,
  RemoteFailure,
  Shipment,
  ShipmentOrigin,
} from '../sending/remote.ts'
import type { DestinationOptions } from './destination-options.ts'
import { LostServers } from './lost-servers.ts'
import { RequestPaces } from './request-paces.ts'
import { type Carried, NO_ANSWER, type Transport, transportsOf } from './transports.ts'

export interface DestinationRemotePorts {
  readonly catalogue: Pick<Catalogue, 'destinationOf'>
  readonly options: DestinationOptions
  readonly outbound: Pick<Outbound, 'request'> & Partial<Pick<Outbound, 'connect'>> & KafkaOutbound
  readonly clock: Clock
  /** Id of the outbox topic. */
  readonly logId: string
}

/** A destination with the options of a shipment. */
interface Sender {
  readonly destination: SendingDestination
  readonly transport: Transport
  readonly config: JsonObject
}

/** A shipment whose events are not needed any longer. */
interface MadeShipment extends Pick<Shipment, 'lane'> {
  readonly events: number
  readonly requests: MadeRequests
}

/**
 * Requests of a shipment, each made while the one before it is sent. With the last of them the events are released: decoded, they are many times as
 * large as a body, and a server may take its time.
 */
class MadeRequests {
  #requests: Iterator<EncodedRequest<unknown>> | undefined
  #next: EncodedRequest<unknown> | undefined

  constructor(requests: Iterable<EncodedRequest<unknown>>) {
    this.#requests = requests[Symbol.iterator]()
    this.take()
  }

  /** Takes the next request; undefined: there is none. */
  take(): EncodedRequest<unknown> | undefined {
    const taken = this.#next
    const next = this.#requests?.next()
    this.#next = next?.done === true ? undefined : next?.value
    if (next?.done === true) this.#requests = undefined
    return taken
  }
}

/** A request of a shipment, and its answer. */
interface Exchange {
  /** Verdict on the whole request, or one on each of its events. */
  readonly verdict: Verdict | readonly Verdict[]
  readonly events: number
  readonly carried: Carried
}

/** The systems that destinations name. It encodes shipments, sends their requests, and judges the answers. */
export class DestinationRemote implements Remote {
  readonly #ports: DestinationRemotePorts
  readonly #transports: ReadonlyMap<string, Transport>
  readonly #paces: RequestPaces
  readonly #idOf: EventIds
  readonly #lost: LostServers

  constructor(ports: DestinationRemotePorts) {
    this.#ports = ports
    this.#transports = transportsOf(ports.outbound, ports.clock)
    this.#paces = new RequestPaces(ports.clock)
    this.#idOf = eventIdsOf(ports.logId)
    const { outbound } = ports
    this.#lost = new LostServers(outbound.connect?.bind(outbound))
  }

  untilDueMs(origin: ShipmentOrigin): number {
    const destination = this.#ports.catalogue.destinationOf(origin.type)
    const found = this.#ports.options.optionsOf(origin)
    if (destination?.delivery !== 'requests' || 'missing' in found) return 0
    return this.#paces.untilDueMs(origin.lane, destination.pace?.(found.config))
  }

  async lostAnswer(origin: ShipmentOrigin, signal: AbortSignal): Promise<RemoteAnswer | undefined> {
    const found = this.#ports.options.optionsOf(origin)
    if ('missing' in found || !(await this.#lost.isLost(origin.lane, found.config, signal))) return undefined
    return withoutAnswer('later', NO_ANSWER.NOT_CONNECTED)
  }

  // It is not async, because such a function holds its arguments until it ends.
  send(shipment: Shipment, signal: AbortSignal): Promise<RemoteAnswer> {
    const destination = this.#ports.catalogue.destinationOf(shipment.type)
    const transport =
      destination?.delivery === 'requests' ? this.#transports.get(destination.transport) : undefined
    if (destination?.delivery !== 'requests' || transport === undefined)
      return withoutAnswer('later', `No destination of type "${shipment.type}" sends requests here`)
    const found = this.#ports.options.optionsOf(shipment)
    if ('missing' in found) return withoutAnswer(found.missing, found.message)
    const { lane, events } = shipment
    const { config } = found
    const requests = new MadeRequests(destination.encode(this.#batchOf(shipment), config))
    return this.#sendAll(
      { destination, transport, config },
      { lane, events: events.length, requests },
      signal,
    )
  }

  isAcknowledged(batch: Pick<Shipment, 'lane' | 'version' | 'type' | 'options'>): boolean {
    const found = this.#ports.options.optionsOf(batch)
    return 'missing' in found || found.config.ack_enabled !== false
  }

  async #sendAll(
    sender: Sender,
    { lane, events, requests }: MadeShipment,
    signal: AbortSignal,
  ): Promise<RemoteAnswer> {
    const exchanges = await this.#exchanges(sender, lane, requests, signal)
    return this.#answer(exchanges, events, secretValues(sender.destination.config, sender.config))
  }

  #batchOf({ id, place, events: sent, closedMs }: Shipment): Batch {
    const idOf = this.#idOf
    let eventIds: string[] | undefined
    return {
      ...{ id, events: sent.map(({ event }) => event), closedMs },
      ...(place !== undefined && { place }),
      // Most destinations send none of them.
      get eventIds() {
        eventIds ??= sent.map(idOf)
        return eventIds
      },
    }
  }

  /** Sends the requests of a shipment in order, up to the first that has to be sent again, or divided. */
  async #exchanges(
    { destination, transport, config }: Sender,
    lane: LaneName,
    requests: MadeRequests,
    signal: AbortSignal,
  ): Promise<Exchange[]> {
    const pace = destination.pace?.(config)
    const exchanges: Exchange[] = []
    for (let encoded = requests.take(); encoded !== undefined; encoded = requests.take()) {
      const { request, events } = encoded
      await this.#paces.whenDue(lane, pace, signal)
      const carried = await transport(request, lane.account, signal)
      this.#lost.note(lane, config, request, carried.outcome)
      const verdict = destination.judge(carried.outcome, config, encoded)
      exchanges.push({ verdict, events, carried })
      if (verdict === 'again' || verdict === 'rest' || verdict === 'halve') break
    }
    return exchanges
  }

  #answer(exchanges: readonly Exchange[], events: number, secrets: readonly string[]): RemoteAnswer {
    const bytes = exchanges.reduce((sum, exchange) => sum + exchange.carried.bytes, 0)
    const all = { status: exchanges.at(-1)?.carried.status ?? null, bytes }
    if (exchanges.every(({ verdict }) => verdict === 'delivered')) return { ...all, kind: 'delivered' }
    const [first] = exchanges as [Exchange, ...Exchange[]]
    const judged = judgedWhole(first, exchanges.length === 1 && first.events === events, secrets)
    if (judged !== undefined) return { ...all, ...judged }
    const outcomes = exchanges.flatMap(exchange => outcomesOf(exchange, secrets))
    // The rest of the shipment was not sent, or has to be sent again.
    while (outcomes.length < events) outcomes.push('again')
    return { ...all, kind: 'each', outcomes }
  }
}

/** An answer about the whole shipment. @param isOnly whether the request has all of its events */
function judgedWhole({ verdict, carried }: Exchange, isOnly: boolean, secrets: readonly string[]) {
  const failure = () => troubleOf(carried, secrets)
  const { pauseMs } = carried
  if (verdict === 'again')
    return { kind: 'again' as const, failure: failure(), ...(pauseMs > 0 && { retryAfterMs: pauseMs }) }
  if (verdict === 'rest') return { kind: 'rest' as const, failure: failure() }
  if (verdict === 'halve') return { kind: 'refused' as const, failure: failure(), divides: true }
  if (!isOnly || typeof verdict === 'string' || !('code' in verdict)) return undefined
  return { kind: 'refused' as const, failure: failureOf(verdict, carried, secrets), divides: false }
}

function outcomesOf({ verdict, events, carried }: Exchange, secrets: readonly string[]): EventOutcome[] {
  const verdicts = Array.isArray(verdict)
    ? (verdict as readonly Verdict[])
    : Array.from({ length: events }, () => verdict as Verdict)
  // Equal failures stay one object, so that a report joins their events.
  const known = new Map<DeliveryFailure, RemoteFailure>()
  return verdicts.map(each => {
    if (each === 'delivered') return 'delivered'
    if (typeof each === 'string') return 'again'
    const failure = known.get(each) ?? failureOf(each, carried, secrets)
    known.set(each, failure)
    return failure
  })
}

function failureOf(
  { code, field, message }: DeliveryFailure,
  { text }: Carried,
  secrets: readonly string[],
): RemoteFailure {
  const answer = text === '' ? null : keptAnswer(text, secrets)
  return { code, field, message, answer }
}

/** Why a request has to be sent again. */
function troubleOf(carried: Carried, secrets: readonly string[]): RemoteFailure {
  return failureOf({ code: 'E_DELIVERY_FAILED', field: null, message: carried.trouble }, carried, secrets)
}

async function withoutAnswer(missing: 'later' | 'never', message: string): Promise<RemoteAnswer> {
  const failure = { code: 'E_DELIVERY_FAILED', field: null, message, answer: null }
  return missing === 'later'
    ? { kind: 'again', status: null, bytes: 0, failure }
    : { kind: 'refused', status: null, bytes: 0, failure, divides: false }
}
