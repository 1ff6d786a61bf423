import { isJsonObject } from '../../../../schemas/json.ts'
import { foundType } from '../../../event/errors.ts'
import type { Event } from '../../../event/event.ts'
import { fieldAt, parseFieldPath } from '../../../event/field-path.ts'
import { type Failed, fail } from '../../../event/outcome.ts'
import { PARENT_SPAN_ID_FIELD, TRACE_ID_FIELD, type TraceOptions } from './trace-options.ts'
import { keptTrace } from './traces.ts'

const NO_OBJECT = 'the message is not an object, so it has no trace id'

/** Prepares the stored form of an event's trace id; an event without one fails. */
export function traceReader({
  trace_id_field: text = TRACE_ID_FIELD,
}: TraceOptions): (event: Event) => string | Failed<'E_NOT_FOUND' | 'E_TRACE_BAD_TYPE'> {
  const field = fieldAt(text)
  const path = parseFieldPath(text)
  // A member of the message is only there if the message is an object.
  const isMember = path?.root === 'message' && typeof path.segments[0] === 'string'
  const isObject = (event: Event) => event.isLogLine || isJsonObject(event.message)
  return event => {
    const id = field.read(event)
    if (typeof id === 'string' && id !== '' && (isMember || isObject(event))) return keptTrace(id)
    if (id === undefined && isObject(event)) return fail('E_NOT_FOUND', { field: text })
    if (id === undefined)
      return fail('E_TRACE_BAD_TYPE', { found: foundType(event.message), cause: NO_OBJECT })
    return fail('E_TRACE_BAD_TYPE', { field: text, found: foundType(id) })
  }
}

/** Prepares the test whether a span is the root of its trace. */
export function rootTest({
  parent_span_id_field: text = PARENT_SPAN_ID_FIELD,
}: TraceOptions): (event: Event) => boolean {
  const field = fieldAt(text)
  return event => {
    const parent = field.read(event)
    return parent === undefined || parent === null || parent === ''
  }
}
