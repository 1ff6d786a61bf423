import { FOURTH_BEHAVIOUR, SECOND_BEHAVIOUR, TWELFTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import type { Event } from '../event/event.ts'

/** Behaviour number that a program must know to receive events from another partition. */
export function behaviourOfEvents(events: readonly Event[]): number {
  if (events.some(({ annotations }) => annotations !== undefined)) return TWELFTH_BEHAVIOUR
  return events.some(({ origin }) => origin?.batch.isPushed) ? FOURTH_BEHAVIOUR : SECOND_BEHAVIOUR
}
