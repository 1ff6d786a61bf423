import {
  type Destination,
  HTTP_TRANSPORT,
  KAFKA_TRANSPORT,
  NO_TRANSPORT,
  type SendingDestination,
} from './define-destination.ts'
import { secretPlaces } from './secret.ts'

const CARRYING: ReadonlySet<string> = new Set([HTTP_TRANSPORT, KAFKA_TRANSPORT])

/** Destinations beside an own store that send its lines to other installations. */
export function elsewhereOf(destination: Destination): readonly SendingDestination[] {
  return destination.delivery === 'lines' && destination.elsewhere !== undefined
    ? [destination.elsewhere]
    : []
}

/** Whether the outbox carries the requests of a destination, or it has none. */
export function isCarried(destination: Destination): boolean {
  if (destination.delivery === 'lines' || destination.transport === NO_TRANSPORT) return true
  return CARRYING.has(destination.transport) && destination.since !== undefined
}

/**
 * Partitions do not get secrets of destinations, so the fold would run without the option.
 *
 * @throws RangeError
 */
export function assertNoSecretInFold({ type, config, foldOptions }: Destination): void {
  for (const [name = '', ...within] of secretPlaces(config))
    if (within.length === 0 && foldOptions.includes(name))
      throw new RangeError(`the fold of destination "${type}" cannot read the secret option "${name}"`)
}
