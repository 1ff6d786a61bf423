import type { Event } from '../../event/event.ts'
import { textFormOf } from './event-text.ts'

/** JSON of an event as a log whose text is the message. Services of logs read the members of a text that is JSON. */
export function messageItem(event: Event): string {
  return `{"message":${JSON.stringify(textFormOf(event))}}`
}
