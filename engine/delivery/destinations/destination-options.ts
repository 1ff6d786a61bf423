import type { JsonObject } from '../../../schemas/json.ts'
import type { ShipmentOrigin } from '../sending/remote.ts'

/**
 * Options with which a shipment is sent. `later`: they are not known now; `never`: nothing can be sent any more. The message is one
 * sentence without its dot.
 */
export type FoundOptions =
  | { readonly config: JsonObject }
  | { readonly missing: 'later' | 'never'; readonly message: string }

/** The configuration, as far as senders read it. It has the secrets, which reach no partition. */
export interface DestinationOptions {
  optionsOf(shipment: ShipmentOrigin): FoundOptions
}
