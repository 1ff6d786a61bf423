import { isJsonObject, type JsonObject, type JsonValue, NumberText } from '../../schemas/json.ts'
import { FIFTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { compactJson, isCompactString } from '../json/compact-json.ts'
import { eventParser, parseExactJson } from '../json/exact-json.ts'
import { jsonText, mayHoldBigInteger } from '../json/json-text.ts'
import { isEmptyObject } from '../json/ordered-object.ts'
import { wellFormedSource } from '../json/well-formed-source.ts'
import { detectLevel, levelOfMember, normalLevel } from './level.ts'
import { addFieldsBelow, addParsedFields, clearFields, type FieldNames } from './line-fields.ts'
import {
  APP_LIMIT_CHARACTERS,
  cutCharacters,
  HOST_LIMIT_CHARACTERS,
  LINE_LIMIT_BYTES,
  META_LIMIT_BYTES,
} from './line-limits.ts'
import { OWN_MEMBERS } from './line-members.ts'
import { isTooDeep, parseLineObject } from './parsed-line.ts'
import type { StoredLine } from './stored-line.ts'

const MAX_UTF8_BYTES_PER_UNIT = 3
/** A smaller drift is not kept: ingestion, section 1.4. */
const KEPT_DRIFT_MS = 5000
/** `"{}"`: a text that is no meta. */
const EMPTY_META_BYTES = 4
/** Members that are kept in column `extra`. */
const EXTRA_MEMBERS =
  OWN_MEMBERS._label |
  OWN_MEMBERS._annotation |
  OWN_MEMBERS._other |
  OWN_MEMBERS._timestamp |
  OWN_MEMBERS._drift |
  OWN_MEMBERS._truncated

/** What the own store is told beside the event. */
export interface OwnStoreContext {
  readonly account: string
  /** Log time of the record that the event came with. */
  readonly timeMs: number
  readonly retentionDays: number
  /** Days of the variable-retention pool; 0: the plan's. */
  readonly poolDays: number
  readonly fieldNames: FieldNames
  /** Behaviour number in force at the event's record. */
  readonly behaviour: number
}

/**
 * What is known of a line while it is put together, beside the columns of the StoredLine itself. One instance
 * is used again and again.
 */
export class LineDraft {
  /** Whether values are read as from the fifth behaviour on, see `Event.isExact`. */
  isExact = false
  /** As sent, before the text had its say. */
  level = ''
  /** Meta as a value when it is an object, and thus searchable by field. */
  metaObject: JsonObject | undefined
  /** UTF-8 bytes of meta's JSON text. */
  metaBytes = 0
  label: JsonObject | undefined
  annotation: JsonObject | undefined
  /** Members without a place of their own that do not fit into meta. */
  other: JsonObject | undefined
  /** The time that was sent, when it was replaced. */
  timestampText: string | undefined
  driftMs = 0
  truncated = false
  readonly #text = Buffer.allocUnsafe(LINE_LIMIT_BYTES)

  begin(line: StoredLine, context: OwnStoreContext): void {
    this.isExact = context.behaviour >= FIFTH_BEHAVIOUR
    this.level = ''
    this.metaObject = undefined
    this.metaBytes = 0
    this.label = undefined
    this.annotation = undefined
    this.other = undefined
    this.timestampText = undefined
    this.driftMs = 0
    this.truncated = false
    line.account = context.account
    line.timeMs = context.timeMs
    line.retentionDays = context.retentionDays
    line.poolDays = context.poolDays
    clearFields(line)
  }

  /** Makes a string the text, cut at a character boundary. */
  setText(line: StoredLine, text: string): void {
    const bytes = this.#text.write(text, 0, LINE_LIMIT_BYTES, 'utf8')
    const mayBeCut = text.length * MAX_UTF8_BYTES_PER_UNIT > LINE_LIMIT_BYTES
    this.truncated = mayBeCut && Buffer.byteLength(text) > LINE_LIMIT_BYTES
    line.textBytes = this.#text
    line.textStart = 0
    line.textEnd = bytes
  }

  /**
   * Meta is an object or a string (parsing, section 3.3); other values become their text, an empty text is no
   * meta, and what is over its limit is kept as cut text. Before the fifth behaviour an empty object is none, either.
   */
  setMeta(line: StoredLine, value: JsonValue | undefined): void {
    const meta = value === undefined || value === null ? '' : metaValue(value)
    if (isJsonObject(meta) && (this.isExact || !isEmptyObject(meta))) {
      const text = this.#metaText(meta)
      const bytes = Buffer.byteLength(text)
      if (bytes <= META_LIMIT_BYTES) this.#keepMeta(line, text, bytes, this.#searchedMeta(meta, text))
      else this.setMeta(line, cutText(text, META_LIMIT_BYTES))
      return
    }
    const text =
      isJsonObject(meta) || meta === '' || meta === '{}'
        ? ''
        : this.#metaText(cutText(meta, META_LIMIT_BYTES))
    this.#keepMeta(line, text, Buffer.byteLength(text), undefined)
  }

  /** The same for the JSON text that was sent, of so many bytes. Most is compact already, and kept as it is. */
  setSentMeta(line: StoredLine, text: string, bytes: number): void {
    if (text === '') this.#keepMeta(line, '', 0, undefined)
    else if (bytes > EMPTY_META_BYTES && bytes <= META_LIMIT_BYTES && isCompactString(text))
      this.#keepMeta(line, text, bytes, undefined)
    else {
      const value = parseExactJson(text)
      const isKept = bytes <= META_LIMIT_BYTES && isJsonObject(value)
      // Measured: to make the text takes half the time of the parse, and less than to look for all that may differ.
      if (isKept && jsonText(value) === text) this.#keepMeta(line, text, bytes, value)
      else this.setMeta(line, value)
    }
  }

  /** Settles what depends on all the rest: level, fields, extra, size. */
  finish(line: StoredLine, { fieldNames, timeMs }: OwnStoreContext): void {
    const bytes = line.textBytes as Buffer
    const parse = eventParser(this.isExact)
    const object = parseLineObject(bytes, line.textStart, line.textEnd, parse)
    line.level =
      (object === undefined ? '' : levelOfMember(object.level)) ||
      normalLevel(this.level) ||
      detectLevel(bytes, line.textStart, line.textEnd)
    line.sizeBytes = line.textEnd - line.textStart + this.metaBytes
    const own = ownMembers(line) | this.#extraMembers()
    line.extra = (own & EXTRA_MEMBERS) === 0 ? '' : this.#extra(own)
    fieldNames.beginLine(timeMs)
    if (object !== undefined) addParsedFields(line, object, own, fieldNames)
    if (this.metaObject !== undefined) addFieldsBelow(line, '_meta', this.metaObject, fieldNames)
    if (this.label !== undefined) addFieldsBelow(line, '_label', this.label, fieldNames)
    if (this.annotation !== undefined) addFieldsBelow(line, '_annotation', this.annotation, fieldNames)
    if (this.other !== undefined) addFieldsBelow(line, '_other', this.other, fieldNames)
  }

  #keepMeta(line: StoredLine, text: string, bytes: number, object: JsonObject | undefined): void {
    line.meta = text
    this.metaBytes = bytes
    this.metaObject = object
  }

  /** Half a surrogate pair is no character, and nothing else in the store holds one. */
  #metaText(meta: JsonObject | string): string {
    const text = jsonText(meta)
    if (!this.isExact) return text
    const wellFormed = wellFormedSource(text)
    return wellFormed === text ? text : compactJson(wellFormed)
  }

  /**
   * What is searched is what the text says: there a double may look like an integer of many digits, and half a surrogate
   * pair is another character.
   */
  #searchedMeta(meta: JsonObject, text: string): JsonObject {
    const maySayOther = mayHoldBigInteger(text) || text.includes('\\u')
    return this.isExact && maySayOther ? (parseExactJson(text) as JsonObject) : meta
  }

  #extra(own: number): string {
    const extra: JsonObject = {}
    if (this.label !== undefined) extra._label = this.label
    if (this.annotation !== undefined) extra._annotation = this.annotation
    if (this.other !== undefined) extra._other = this.other
    if (this.timestampText !== undefined) extra._timestamp = this.timestampText
    if ((own & OWN_MEMBERS._drift) !== 0) extra._drift = this.driftMs
    if (this.truncated) extra._truncated = true
    return jsonText(extra)
  }

  #extraMembers(): number {
    let own = 0
    if (this.label !== undefined) own |= OWN_MEMBERS._label
    if (this.annotation !== undefined) own |= OWN_MEMBERS._annotation
    if (this.other !== undefined) own |= OWN_MEMBERS._other
    if (this.timestampText !== undefined) own |= OWN_MEMBERS._timestamp
    if (Math.abs(this.driftMs) > KEPT_DRIFT_MS) own |= OWN_MEMBERS._drift
    if (this.truncated) own |= OWN_MEMBERS._truncated
    return own
  }
}

function ownMembers(line: StoredLine): number {
  let own = 0
  if (line.tags.length > 0) own |= OWN_MEMBERS._tag
  if (line.file !== '') own |= OWN_MEMBERS._file
  if (line.mac !== '') own |= OWN_MEMBERS._mac
  if (line.ip !== '') own |= OWN_MEMBERS._ip
  if (line.env !== '') own |= OWN_MEMBERS._env
  if (line.remoteAddress !== '') own |= OWN_MEMBERS._ipremote
  if (line.meta !== '') own |= OWN_MEMBERS._meta
  return own
}

export function cutHost(host: string): string {
  return cutCharacters(host, HOST_LIMIT_CHARACTERS)
}

/** App as it is stored: what is given, else the base name of the file, else "unknown" (ingestion, section 1.4). */
export function storedApp(app: string, file: string): string {
  return (
    cutCharacters(app, APP_LIMIT_CHARACTERS) ||
    cutCharacters(baseName(file), APP_LIMIT_CHARACTERS) ||
    'unknown'
  )
}

/** A string, number or word as text; empty for everything that has no plain text. */
export function plainText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value
  if (value instanceof NumberText) return value.text
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value)
}

function baseName(file: string): string {
  return file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)
}

function metaValue(value: JsonValue): JsonObject | string {
  if (typeof value !== 'object' || value instanceof NumberText) return plainText(value)
  if (isTooDeep(value as JsonValue)) return '' // It cannot be printed: see MAX_NESTING.
  return isJsonObject(value) ? value : jsonText(value)
}

function cutText(text: string, maxBytes: number): string {
  if (text.length * MAX_UTF8_BYTES_PER_UNIT <= maxBytes) return text
  const bytes = Buffer.allocUnsafe(maxBytes)
  return bytes.toString('utf8', 0, bytes.write(text, 0, maxBytes, 'utf8'))
}
