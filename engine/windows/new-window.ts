import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import type { Event } from '../event/event.ts'
import { heldBytes, heldEvent, heldEventOf, packedEvent } from '../event/held-event.ts'
import { numberOf } from './aggregate-window.ts'
import { formNamed, type MetricForm, SCRIPT_FORM } from './metric-form.ts'
import type { NewWindow, WindowSpan } from './window-columns.ts'

/** Rough size of a window in memory, in addition to its first event. */
const WINDOW_BYTES = 200

/** A window with its first event. */
export function newWindow({ startMs, endMs }: WindowSpan, form: MetricForm, event: Event): NewWindow {
  const held = heldEvent(event)
  const { message, metadata } = event
  const value = form === SCRIPT_FORM ? message : numberOf(message)
  const bytes = WINDOW_BYTES + heldBytes(held)
  return { startMs, endMs, form, first: packedEvent(held), metadata, value, merged: 1, bytes }
}

/** @throws RangeError when the value is not a window of a snapshot */
export function windowOfSnapshot(json: JsonValue | undefined): {
  readonly key: string
  readonly opened: NewWindow
} {
  if (!Array.isArray(json)) throw new RangeError('a window of a snapshot is not a list')
  const [key, startMs, endMs, form, first, value, merged, bytes, added = null] = json
  const opened: NewWindow = {
    startMs: Number(startMs),
    endMs: Number(endMs),
    form: formNamed(String(form)),
    first: packedEvent(heldEventOf(first)),
    metadata: undefined,
    value: value as JsonValue,
    merged: Number(merged),
    bytes: Number(bytes),
    ...(added !== null && { added: added as JsonObject }),
  }
  return { key: String(key), opened }
}
