import type { Event } from '../../event/event.ts'
import { type EventText, jsonBytesOf, textBytesOf } from './event-text.ts'
import { type ItemFrame, JSON_ARRAY } from './item-requests.ts'

/** Form of a body with one text per event. */
export interface BodyForm {
  readonly contentType: string
  readonly textOf: (event: Event) => EventText
  readonly frame: ItemFrame
}

/** Every line ends. */
const LINES: ItemFrame = { begin: '', between: '\n', end: '\n' }

/** Forms of bodies by the option `encoding`: components, sections 7.4 and 7.6. */
export const BODY_FORMS: Readonly<Record<'json' | 'ndjson' | 'text', BodyForm>> = {
  json: { contentType: 'application/json', textOf: jsonBytesOf, frame: JSON_ARRAY },
  ndjson: { contentType: 'application/x-ndjson', textOf: jsonBytesOf, frame: LINES },
  text: { contentType: 'text/plain', textOf: textBytesOf, frame: LINES },
}
