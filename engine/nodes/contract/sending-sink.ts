import type { JsonObject } from '../../../schemas/json.ts'
import type { Event } from '../../event/event.ts'
import type { SendingDestination } from './define-destination.ts'
import type { DeliveryFailure } from './own-store.ts'

/** Sink of a compiled graph whose events leave by requests. */
export class SendingSink {
  readonly #destination: SendingDestination
  readonly #config: JsonObject

  /** @param config the options that the fold reads */
  constructor(destination: SendingDestination, config: JsonObject) {
    this.#destination = destination
    this.#config = config
  }

  /**
   * Takes the events of a run. They count as delivered, because no transport exists yet: none of them may need a request.
   *
   * @param fail receives the events that can never be sent
   * @throws RangeError when an event needs a request
   */
  take(events: readonly Event[], fail: (event: Event, failure: DeliveryFailure) => void): void {
    const destination = this.#destination
    const config = this.#config
    let sent: Event[] | undefined
    for (let index = 0; index < events.length; index++) {
      const event = events[index] as Event
      const failure = destination.neverSent(event, config)
      if (failure === undefined) {
        sent?.push(event)
        continue
      }
      sent ??= events.slice(0, index)
      fail(event, failure)
    }
    for (const _ of destination.encode(sent ?? events, config))
      throw new RangeError(`destination "${destination.type}" has a request, which nothing carries`)
  }
}
