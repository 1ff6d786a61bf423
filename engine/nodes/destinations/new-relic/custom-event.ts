import { isJsonObject, type JsonObject, type JsonValue, NumberText } from '../../../../schemas/json.ts'
import type { Event } from '../../../event/event.ts'
import { jsonText } from '../../../json/json-text.ts'
import type { DeliveryFailure } from '../../contract/own-store.ts'

/** Types of events consist of these characters, at most 255 of them. */
const EVENT_TYPE = /^[\w: ]{1,255}$/

/** Failure of an event without a type that New Relic accepts. */
export function customEventFailure({ message }: Event): DeliveryFailure<'E_NOT_FOUND'> | undefined {
  const type = isJsonObject(message) ? message.eventType : undefined
  if (typeof type === 'string' && EVENT_TYPE.test(type)) return undefined
  return {
    code: 'E_NOT_FOUND',
    field: '.eventType',
    message: 'The event has no type of letters, digits, underscores, colons and spaces',
  }
}

/** JSON of an event whose values are texts and numbers. */
export function customEventItem({ message }: Event): string {
  return jsonText(Object.fromEntries(flatMembers('', message as JsonObject)))
}

function flatMembers(prefix: string, object: JsonObject): [name: string, value: JsonValue][] {
  return Object.entries(object).flatMap(([name, value]) => {
    const path = `${prefix}${name}`
    if (isJsonObject(value)) return flatMembers(`${path}.`, value)
    if (value === null) return []
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
    // A number beyond the range of a double is not a number of JSON for New Relic.
    const shown = value instanceof NumberText ? value.text : jsonText(value)
    return [[path, isPlain ? value : shown]]
  })
}
