import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import { type LineIdParts, lineId } from '../../../schemas/log/position.ts'
import { TOPIC_NUMBERS } from '../../../schemas/log/topics.ts'
import { eventParser, parseExactJson } from '../../json/exact-json.ts'
import { jsonText } from '../../json/json-text.ts'
import { displayText, hasFixedName, OWN_MEMBERS, recordName } from './line-members.ts'
import { parseBoundedJson, parseTextObject } from './parsed-line.ts'
import type { StoredLine } from './stored-line.ts'

/** A row of table `lines` as JSON. Empty strings mean unknown values. */
export interface LineRow {
  readonly account: string
  /** Log time, UNIX ms. */
  readonly t: number
  /** The line's own time, UNIX ms. */
  readonly ts: number
  /** Number of the topic. */
  readonly topic: number
  readonly partition: number
  /** Decimal digits: it may exceed 2^53. */
  readonly offset: string
  readonly row: number
  readonly host: string
  readonly app: string
  readonly level: string
  readonly file: string
  readonly env: string
  readonly mac: string
  readonly ip: string
  readonly remote: string
  readonly tags: readonly string[]
  readonly line: string
  /** JSON text. */
  readonly meta: string
  /** Text of a JSON object with rare members. */
  readonly extra: string
  readonly size: number
  readonly retention: number
}

/** Place of a line in the log. */
export interface LinePlace {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  readonly row: number
}

/** The row of a line on its way into the store. */
export function rowOfLine(line: StoredLine, { topic, partition, offset, row }: LinePlace): LineRow {
  const { buffer, byteOffset, byteLength } = line.textBytes
  return {
    account: line.account,
    t: line.timeMs,
    ts: line.timestampMs,
    topic: (TOPIC_NUMBERS as Readonly<Record<string, number>>)[topic] ?? -1,
    partition,
    offset: String(offset),
    row,
    host: line.host,
    app: line.app,
    level: line.level,
    file: line.file,
    env: line.env,
    mac: line.mac,
    ip: line.ip,
    remote: line.remoteAddress,
    tags: line.tags,
    line: Buffer.from(buffer, byteOffset, byteLength).toString('utf8', line.textStart, line.textEnd),
    meta: line.meta,
    extra: line.extra,
    size: line.sizeBytes,
    retention: line.retentionDays,
  }
}

const TOPIC_NAMES = new Map<number, LineIdParts['topic']>(
  Object.entries(TOPIC_NUMBERS).map(([name, number]) => [number, name as LineIdParts['topic']]),
)
/** White space between the tokens of a JSON text: the text is then not compact, and a line end would split the record. */
const MAYBE_SPACED = /[\t\n\r]|(?:^|[{}[\]:,"]) | (?:[,\]}]|$)/

/** The id of the line in a row: decimal digits, rising in the order of storage. */
export function idOfRow({ t, topic, partition, offset, row }: LineRow): string {
  const name = TOPIC_NAMES.get(topic)
  if (name === undefined) throw new RangeError(`line of an unknown topic: ${topic}`)
  return lineId({ timeMs: t, topic: name, partition, offset: BigInt(offset), row })
}

/**
 * The record of a stored line as compact JSON text, without a line end (the stored line, section 2). It contains the
 * service's members and, at the top level, the members of a JSON line, which is parsed again from its text.
 */
export function renderRecord(row: LineRow): string {
  const id = idOfRow(row)
  const object = parseTextObject(row.line)
  let text = `{"_id":"${id}","_lid":"${id}","_account":${quoted(row.account)},"_ts":${row.ts}`
  text += `,"_host":${quoted(row.host)},"_app":${quoted(row.app)},"_line":${quoted(row.line)}`
  if (object !== undefined) text += parsedMembers(object, row)
  text += `,"level":${quoted(row.level)},"_logtype":${object === undefined ? '"line"' : '"json"'}`
  if (row.file !== '') text += `,"_file":${quoted(row.file)}`
  if (row.tags.length > 0) text += `,"_tag":${JSON.stringify(row.tags)}`
  if (row.mac !== '') text += `,"_mac":${quoted(row.mac)}`
  if (row.ip !== '') text += `,"_ip":${quoted(row.ip)}`
  if (row.remote !== '') text += `,"_ipremote":${quoted(row.remote)}`
  if (row.env !== '') text += `,"_env":${quoted(row.env)}`
  if (row.meta !== '') text += `,"_meta":${compactJson(row.meta)}`
  if (row.extra !== '') text += `,${row.extra.slice(1, -1)}`
  return `${text},"_retention":${row.retention},"_mezmo_line_size":${row.size}}`
}

/**
 * Returns the same record as an object for code that reads its members. Meta that is nested too deep to be parsed is its
 * text. The object does not have a prototype, because a line may have a member of any name.
 *
 * @param isExact see `ValueForms.isExact`
 */
export function recordOf(row: LineRow, isExact = true): JsonObject {
  const id = idOfRow(row)
  const parse = eventParser(isExact)
  const object = parseTextObject(row.line, parse)
  const record = Object.create(null) as JsonObject
  record._id = id
  record._lid = id
  record._account = row.account
  record._ts = row.ts
  record._host = row.host
  record._app = row.app
  record._line = row.line
  if (object !== undefined) addParsedMembers(record, object, row)
  record.level = row.level
  record._logtype = object === undefined ? 'line' : 'json'
  if (row.file !== '') record._file = row.file
  if (row.tags.length > 0) record._tag = [...row.tags]
  if (row.mac !== '') record._mac = row.mac
  if (row.ip !== '') record._ip = row.ip
  if (row.remote !== '') record._ipremote = row.remote
  if (row.env !== '') record._env = row.env
  if (row.meta !== '') record._meta = metaValue(row.meta, parse)
  if (row.extra !== '') Object.assign(record, parse(row.extra))
  record._retention = row.retention
  record._mezmo_line_size = row.size
  return record
}

function addParsedMembers(record: JsonObject, object: JsonObject, row: LineRow): void {
  const display = typeof object.message === 'string' ? undefined : displayText(object)
  const own = ownMembers(row)
  if (display !== undefined) record.message = display
  for (const key of Object.keys(object)) {
    const name = hasFixedName(key) ? key : recordName(key, object, own)
    if (name !== undefined) record[name] = object[key] as JsonValue
  }
}

/** Members of the parsed line, each with a comma before it. */
function parsedMembers(object: JsonObject, row: LineRow): string {
  const display = typeof object.message === 'string' ? undefined : displayText(object)
  const own = ownMembers(row)
  let text = display === undefined ? '' : `,"message":${quoted(display)}`
  for (const key of Object.keys(object)) {
    const name = hasFixedName(key) ? key : recordName(key, object, own)
    if (name !== undefined) text += `,${quoted(name)}:${valueText(object[key] as JsonValue)}`
  }
  return text
}

function valueText(value: JsonValue): string {
  if (typeof value === 'string') return quoted(value)
  return typeof value === 'boolean' ? (value ? 'true' : 'false') : jsonText(value)
}

function ownMembers(row: LineRow): number {
  let own = row.extra === '' ? 0 : ownMembersOf(row.extra)
  if (row.tags.length > 0) own |= OWN_MEMBERS._tag
  if (row.file !== '') own |= OWN_MEMBERS._file
  if (row.mac !== '') own |= OWN_MEMBERS._mac
  if (row.ip !== '') own |= OWN_MEMBERS._ip
  if (row.env !== '') own |= OWN_MEMBERS._env
  if (row.remote !== '') own |= OWN_MEMBERS._ipremote
  if (row.meta !== '') own |= OWN_MEMBERS._meta
  return own
}

function ownMembersOf(extra: string): number {
  const names = Object.keys(JSON.parse(extra) as object) as (keyof typeof OWN_MEMBERS)[]
  return names.reduce((own, name) => own | OWN_MEMBERS[name], 0)
}

function compactJson(text: string): string {
  return MAYBE_SPACED.test(text) ? jsonText(metaValue(text)) : text
}

/** Returns JSON that is nested too deep as its text. */
function metaValue(text: string, parse = parseExactJson): JsonValue {
  return parseBoundedJson(text, parse) ?? text
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
