import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json.ts'
import type { Event } from '../../../event/event.ts'
import { type Field, fieldAt } from '../../../event/field-path.ts'
import { compileTemplate, messageKeyOf, type Template } from '../../../event/template.ts'
import { textForm } from '../../../json/json-text.ts'
import { isDefaultHostname, isPathOption, PASS_THROUGH_SCHEME } from './wire-options.ts'

/** The options of an own-store destination, compiled. An option that was not set is undefined. */
export interface OwnStoreOptions {
  readonly passThrough: boolean
  readonly hostname: Template | undefined
  /** Host of events without one: by default the text in the configuration. */
  readonly defaultHostname: string
  readonly tags: readonly Template[]
  readonly ip: Template | undefined
  readonly mac: Template | undefined
  readonly line: LineOption | undefined
  readonly meta: Field | undefined
  readonly timestamp: Field | undefined
  readonly app: Template | undefined
  readonly file: Template | undefined
  readonly env: Template | undefined
  /** Keys of the message that an option uses as a whole: they are not part of "the rest". */
  readonly usedKeys: ReadonlySet<string>
  /** Keys without those that only `line` uses. */
  readonly keysUsedBesideLine: ReadonlySet<string>
  /** False when every option except the line is unset. */
  readonly namesMembers: boolean
  /** Whether `line` is the whole message, so that nothing else remains. */
  readonly lineIsWholeMessage: boolean
}

/** Text of the line; undefined when it does not render or the path is missing. */
export interface LineOption {
  text(event: Event): string | undefined
  readonly messageKeys: readonly string[]
}

/** @param config as stored, checked when it was saved */
export function compileOptions(config: JsonObject): OwnStoreOptions {
  const query = objectOf(config.query)
  const message = objectOf(config.message)
  const hostname = textOf(query.hostname)
  const named = hostname !== undefined && !isDefaultHostname(hostname)
  const options = {
    passThrough: message.scheme === PASS_THROUGH_SCHEME,
    hostname: named ? compileTemplate(hostname) : undefined,
    defaultHostname: hostname ?? 'log-analysis',
    tags: (Array.isArray(query.tags) ? query.tags : []).map(tag => compileTemplate(String(tag))),
    ip: templateOf(query.ip),
    mac: templateOf(query.mac),
    line: lineOption(textOf(message.line)),
    meta: fieldOf(message.meta_field),
    timestamp: fieldOf(message.timestamp_field),
    app: templateOf(message.app),
    file: templateOf(message.file),
    env: templateOf(message.env),
  }
  const { hostname: host, tags, ip, mac, line, meta, timestamp, app, file, env } = options
  const templates = [host, ...tags, ip, mac, app, file, env]
  const keysUsedBesideLine = new Set([
    ...templates.flatMap(template => template?.messageKeys ?? []),
    ...[meta, timestamp].flatMap(field => (field === undefined ? [] : messageKeyOf(field.text))),
  ])
  return {
    ...options,
    namesMembers: [...templates, meta, timestamp].some(option => option !== undefined),
    keysUsedBesideLine,
    usedKeys: new Set([...keysUsedBesideLine, ...(line?.messageKeys ?? [])]),
    lineIsWholeMessage: ['.', 'message'].includes(String(message.line)),
  }
}

function lineOption(text: string | undefined): LineOption | undefined {
  if (text === undefined) return undefined
  if (!isPathOption(text)) {
    const template = compileTemplate(text)
    return { text: event => template.render(event), messageKeys: template.messageKeys }
  }
  const field = fieldAt(text)
  return {
    text: event => {
      const value = field.read(event)
      return value === undefined ? undefined : textForm(value)
    },
    messageKeys: messageKeyOf(text),
  }
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function templateOf(value: JsonValue | undefined): Template | undefined {
  return typeof value === 'string' ? compileTemplate(value) : undefined
}

function fieldOf(value: JsonValue | undefined): Field | undefined {
  return typeof value === 'string' ? fieldAt(value) : undefined
}
