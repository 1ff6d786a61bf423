import type { Event } from '../../engine/event/event.ts'
import type { EventRecord } from '../../schemas/http/pipeline/simulation-api.ts'

/** The envelope of an event, as users see it. */
export function eventRecord({ message, metadata, timestamp, annotations }: Event): EventRecord {
  return { message, metadata, timestamp, ...(annotations !== undefined && { annotations }) }
}
