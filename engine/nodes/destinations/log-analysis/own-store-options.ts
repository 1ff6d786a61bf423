import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json.ts'
import type { Event } from '../../../event/event.ts'
import { type Field, fieldAt } from '../../../event/field-path.ts'
import { compileTemplate, messageKeyOf, type Template } from '../../../event/template.ts'
import { textForm } from '../../../json/json-text.ts'
import { isDefaultHostname, isPathOption, PASS_THROUGH_SCHEME } from './wire-options.ts'

/** Number of references and tags that are as little work as the rest of a line. */
const UNCOUNTED_REFERENCES = 32
/** Reading a reference, or keeping a tag. */
const REFERENCE_UNITS = 64

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
  /** Units of reading the references of templates, for `CostMeter.work`; 0: there are few. */
  readonly renderingUnits: number
  /** Whether `line` is the whole message, so that nothing else remains. */
  readonly lineIsWholeMessage: boolean
}

/** Text of the line; undefined when it does not render or the path is missing. */
export interface LineOption {
  text(event: Event, limit: number): string | undefined
  readonly messageKeys: readonly string[]
  /** Number of its references. */
  readonly references: number
}

/** The options that the fold reads, as stored. They were checked when they were saved. */
export type OwnStoreConfig = Readonly<Partial<Record<'query' | 'message', unknown>>>

export function compileOptions(config: OwnStoreConfig): OwnStoreOptions {
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
    renderingUnits: renderingUnits([...templates, line], tags.length),
    lineIsWholeMessage: ['.', 'message'].includes(String(message.line)),
  }
}

function renderingUnits(
  options: readonly (Pick<Template, 'references'> | undefined)[],
  tags: number,
): number {
  let entries = tags
  for (const option of options) entries += option?.references ?? 0
  return entries <= UNCOUNTED_REFERENCES ? 0 : entries * REFERENCE_UNITS
}

function lineOption(text: string | undefined): LineOption | undefined {
  if (text === undefined) return undefined
  if (!isPathOption(text)) {
    const template = compileTemplate(text)
    const { messageKeys, references } = template
    return { text: (event, limit) => template.render(event, limit), messageKeys, references }
  }
  const field = fieldAt(text)
  return {
    text: event => {
      const value = field.read(event)
      return value === undefined ? undefined : textForm(value)
    },
    messageKeys: messageKeyOf(text),
    references: 1,
  }
}

function objectOf(value: unknown): JsonObject {
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
