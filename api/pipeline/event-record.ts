import type { Event } from '../../engine/event/event.ts'
import type { EventRecord } from '../../schemas/http/pipeline/simulation-api.ts'

export function eventRecord({ message, metadata, timestamp }: Event): EventRecord {
  return { message, metadata, timestamp }
}
