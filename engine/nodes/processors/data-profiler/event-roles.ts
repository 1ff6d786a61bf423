import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json.ts'
import { Event } from '../../../event/event.ts'
import { type Field, fieldAt } from '../../../event/field-path.ts'
import { jsonValueOf } from '../parsers/json.ts'

/** Longest text that is tried as JSON: as long as a line, in UTF-16 units. (Our choice.) */
const MAX_JSON_LENGTH = 16_384
const WHOLE_MESSAGE = '.'

/** Paths of each role, in order of trial. */
export interface RolePaths {
  readonly app_fields: readonly string[]
  readonly host_fields: readonly string[]
  readonly level_fields: readonly string[]
  readonly line_fields: readonly string[]
}

/** Values of an event, by their roles. */
export interface EventRoles {
  readonly app: string | undefined
  readonly host: string | undefined
  readonly level: string | undefined
  readonly line: string | undefined
  /** Path of the line. */
  readonly lineKey: string | undefined
  /** The message; for a text that is a JSON object, that object. */
  readonly profiled: JsonValue
}

/**
 * Prepares the paths of the roles. Of each role the first path with a text that is not empty counts. A message that is a text is the
 * line, unless it is a JSON object in which a path finds one.
 */
export function rolesReader(paths: RolePaths): (event: Event) => EventRoles {
  const apps = paths.app_fields.map(fieldAt)
  const hosts = paths.host_fields.map(fieldAt)
  const levels = paths.level_fields.map(fieldAt)
  const lines = paths.line_fields.map(fieldAt)
  return event => {
    // A line of log ingestion is an object, and its columns need not be read for that.
    const message = event.isLogLine && event.untouched ? undefined : event.message
    const parsed = typeof message === 'string' ? jsonObjectIn(message) : undefined
    const read = parsed === undefined ? event : Event.of(parsed, event.metadata, event.timestamp)
    const line = firstText(lines, read)
    const whole = typeof message === 'string' && message !== '' ? message : undefined
    return {
      app: firstText(apps, read)?.text,
      host: firstText(hosts, read)?.text,
      level: firstText(levels, read)?.text,
      line: line?.text ?? whole,
      lineKey: line?.key ?? (whole === undefined ? undefined : WHOLE_MESSAGE),
      profiled: parsed ?? event.message,
    }
  }
}

function firstText(
  fields: readonly Field[],
  event: Event,
): { readonly key: string; readonly text: string } | undefined {
  for (const field of fields) {
    const text = field.read(event)
    if (typeof text === 'string' && text !== '') return { key: field.text, text }
  }
  return undefined
}

function jsonObjectIn(text: string): JsonObject | undefined {
  if (text.length > MAX_JSON_LENGTH || !text.trimStart().startsWith('{')) return undefined
  const value = jsonValueOf(text)
  return isJsonObject(value) ? value : undefined
}
