import type { JsonObject } from '../../../schemas/json.ts'
import type { Event } from '../../event/event.ts'
import { jsonText } from '../../json/json-text.ts'
import { NO_TRANSPORT, type SendingDestination } from './define-destination.ts'
import type { DeliveryFailure } from './own-store.ts'

/** Receives the events of a run, as far as they leave by requests. */
export interface SendingOutput {
  /** Receives the events that can be sent, in order. */
  handOver(events: readonly Event[]): void
  /** Receives an event that can never be sent. */
  fail(event: Event, failure: DeliveryFailure): void
}

/** Sink of a compiled graph whose events leave by requests. */
export class SendingSink {
  /** Canonical type. */
  readonly type: string
  /** JSON of the options that the fold reads. */
  readonly options: string
  readonly #destination: SendingDestination
  readonly #config: JsonObject

  /** @param config the options that the fold reads */
  constructor(destination: SendingDestination, config: JsonObject) {
    this.type = destination.type
    this.options = jsonText(config)
    this.#destination = destination
    this.#config = config
  }

  /**
   * Takes the events of a run. Those of a destination without a transport count as delivered.
   *
   * @throws RangeError when an event of a destination without a transport needs a request
   */
  take(events: readonly Event[], output: SendingOutput): void {
    const sendable = this.#sendable(events, output)
    if (this.#destination.transport !== NO_TRANSPORT) {
      if (sendable.length > 0) output.handOver(sendable)
      return
    }
    const batch = { id: '', events: sendable, eventIds: [], closedMs: 0 }
    for (const _ of this.#destination.encode(batch, this.#config))
      throw new RangeError(`destination "${this.type}" has a request, which nothing carries`)
  }

  #sendable(events: readonly Event[], { fail }: SendingOutput): readonly Event[] {
    let sendable: Event[] | undefined
    for (let index = 0; index < events.length; index++) {
      const event = events[index] as Event
      const failure = this.#destination.neverSent(event, this.#config)
      if (failure === undefined) {
        sendable?.push(event)
        continue
      }
      sendable ??= events.slice(0, index)
      fail(event, failure)
    }
    return sendable ?? events
  }
}
