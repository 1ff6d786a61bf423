import { isJsonObject, type JsonObject, type JsonValue, NumberText } from '../../../schemas/json.ts'
import {
  FIFTH_BEHAVIOUR,
  FOURTEENTH_BEHAVIOUR,
  NINTH_BEHAVIOUR,
} from '../../../schemas/log/behaviour-numbers.ts'
import { compactJson, isCompactString } from '../../json/compact-json.ts'
import { eventParser, parseExactJson } from '../../json/exact-json.ts'
import { printingJson } from '../../json/json-printing.ts'
import { jsonText, mayHoldBigInteger } from '../../json/json-text.ts'
import { isEmptyObject } from '../../json/ordered-object.ts'
import { makingWellFormed, wellFormedSource } from '../../json/well-formed-source.ts'
import type { Steps } from '../../steps.ts'
import type { LineBatchView } from '../columns/line-batch-view.ts'
import {
  APP_LIMIT_CHARACTERS,
  cutCharacters,
  HOST_LIMIT_CHARACTERS,
  LINE_LIMIT_BYTES,
  META_LIMIT_BYTES,
} from '../line-limits.ts'
import { levelOfLine } from './level.ts'
import {
  addFieldsBelow,
  addingFieldsBelow,
  addParsedFields,
  clearFields,
  type FieldNames,
} from './line-fields.ts'
import { OWN_MEMBERS } from './line-members.ts'
import { isTooDeep, parseLineObject } from './parsed-line.ts'
import type { StoredLine } from './stored-line.ts'

const MAX_UTF8_BYTES_PER_UNIT = 3
/** A smaller drift is not stored: ingestion, section 1.4. */
const KEPT_DRIFT_MS = 5000
/** Size of `"{}"` in a batch: such a text does not count as meta. */
const EMPTY_META_BYTES = 4
/** Members that are stored in column `extra`. */
const EXTRA_MEMBERS =
  OWN_MEMBERS._label |
  OWN_MEMBERS._annotation |
  OWN_MEMBERS._other |
  OWN_MEMBERS._timestamp |
  OWN_MEMBERS._drift |
  OWN_MEMBERS._truncated

/** Input of the own store in addition to the event. */
export interface OwnStoreContext {
  readonly account: string
  /** Log time of the event's record. */
  readonly timeMs: number
  readonly retentionDays: number
  /** Days of the variable-retention pool; 0: the plan's. */
  readonly poolDays: number
  readonly fieldNames: FieldNames
  /** Behaviour number in force at the event's record. */
  readonly behaviour: number
}

interface SentLine {
  readonly batch: LineBatchView
  readonly index: number
}

/**
 * State of a line while it is composed, in addition to the columns of the StoredLine itself. One instance is reused for
 * all lines.
 */
export class LineDraft {
  /** Whether values are read as from the fifth behaviour on, see `ValueForms.isExact`. */
  isExact = false
  /** Whether members whose place needs another type are kept: since the fourteenth behaviour. */
  keepsOdd = false
  /** Number of characters beyond which a rendered text may end: no text of a line is longer. */
  renderedCharacters = Number.POSITIVE_INFINITY
  /** Level as sent, before one is sought in the text. */
  level = ''
  /** Meta as a value if it is an object, and thus searchable by field. */
  metaObject: JsonObject | undefined
  /** UTF-8 bytes of meta's JSON text. */
  metaBytes = 0
  label: JsonObject | undefined
  annotation: JsonObject | undefined
  /** Members without a place of their own that do not fit into meta. */
  other: JsonObject | undefined
  /** The sent time, if it was replaced. */
  timestampText: string | undefined
  driftMs = 0
  truncated = false
  /** Members that the service gives the record: a sum of OWN_MEMBERS. Known once the line is settled. */
  own = 0
  #isOwnText = false
  readonly #text = Buffer.allocUnsafe(LINE_LIMIT_BYTES)
  /** Whether long meta and members are left to `settling`. */
  #isInSteps = false
  /** Meta whose text `settling` makes. */
  #lateMeta: JsonObject | undefined

  /** @param isInSteps the line is settled by `settling`, not by `settle` */
  begin(line: StoredLine, context: OwnStoreContext, isInSteps = false): void {
    this.#isInSteps = isInSteps
    this.#lateMeta = undefined
    this.isExact = context.behaviour >= FIFTH_BEHAVIOUR
    this.keepsOdd = context.behaviour >= FOURTEENTH_BEHAVIOUR
    this.renderedCharacters =
      context.behaviour >= NINTH_BEHAVIOUR ? LINE_LIMIT_BYTES : Number.POSITIVE_INFINITY
    this.level = ''
    this.metaObject = undefined
    this.metaBytes = 0
    this.label = undefined
    this.annotation = undefined
    this.other = undefined
    this.timestampText = undefined
    this.driftMs = 0
    this.truncated = false
    this.own = 0
    this.#isOwnText = false
    line.account = context.account
    line.timeMs = context.timeMs
    line.retentionDays = context.retentionDays
    line.poolDays = context.poolDays
    clearFields(line)
  }

  /** Makes a string the text, cut at a character boundary. */
  setText(line: StoredLine, text: string): void {
    const bytes = this.#text.write(text, 0, LINE_LIMIT_BYTES, 'utf8')
    this.#isOwnText = true
    const mayBeCut = text.length * MAX_UTF8_BYTES_PER_UNIT > LINE_LIMIT_BYTES
    this.truncated = mayBeCut && Buffer.byteLength(text) > LINE_LIMIT_BYTES
    line.textBytes = this.#text
    line.textStart = 0
    line.textEnd = bytes
  }

  /** Makes the text of a line of a batch the text, without a copy. @returns false: it is too long and has to be cut */
  setSentText(line: StoredLine, { batch, index }: SentLine): boolean {
    const start = batch.lineStart(index)
    const end = batch.lineEnd(index)
    if (end - start > LINE_LIMIT_BYTES) return false
    line.textBytes = batch.lineBytes
    line.textStart = start
    line.textEnd = end
    return true
  }

  /**
   * Meta is an object or a string (parsing, section 3.3). Other values become their text, an empty text does not count as
   * meta, and meta over its limit is kept as cut text. Before the fifth behaviour an empty object did not count, either.
   */
  setMeta(line: StoredLine, value: JsonValue | undefined): void {
    const meta = value === undefined || value === null ? '' : metaValue(value)
    if (isJsonObject(meta) && (this.isExact || !isEmptyObject(meta))) {
      if (this.#isInSteps) {
        this.#keepMeta(line, '', 0, undefined)
        this.#lateMeta = meta
      } else this.#setMetaObject(line, meta, this.#metaText(meta))
      return
    }
    const text =
      isJsonObject(meta) || meta === '' || meta === '{}'
        ? ''
        : this.#metaText(cutText(meta, META_LIMIT_BYTES))
    this.#keepMeta(line, text, Buffer.byteLength(text), undefined)
  }

  /** Sets meta to the sent JSON text, with its size in bytes. Most texts are already compact and are kept unchanged. */
  setSentMeta(line: StoredLine, text: string, bytes: number): void {
    if (text === '') this.#keepMeta(line, '', 0, undefined)
    else if (bytes > EMPTY_META_BYTES && bytes <= META_LIMIT_BYTES && isCompactString(text))
      this.#keepMeta(line, text, bytes, undefined)
    else {
      const value = parseExactJson(text)
      const isKept = bytes <= META_LIMIT_BYTES && isJsonObject(value)
      // Measured: making the text takes half the time of the parse, and less than a search for all possible differences.
      if (isKept && jsonText(value) === text) this.#keepMeta(line, text, bytes, value)
      else this.setMeta(line, value)
    }
  }

  /** Whether level and fields follow from a sent text, so that a LineCodec can read it with others of its batch. */
  get isSentTextAlone(): boolean {
    return (
      !this.#isOwnText &&
      this.metaObject === undefined &&
      this.label === undefined &&
      this.annotation === undefined &&
      this.other === undefined
    )
  }

  /** Determines size and extra members, which depend on all the rest of the head. */
  settle(line: StoredLine): void {
    const extra = this.#settleFacts(line)
    line.extra = extra === undefined ? '' : jsonText(extra)
  }

  /** Like `settle`, in steps. */
  *settling(line: StoredLine): Steps {
    const meta = this.#lateMeta
    if (meta !== undefined) {
      const printed = yield* printingJson(meta)
      const wellFormed = this.isExact ? yield* makingWellFormed(printed) : printed
      this.#setMetaObject(line, meta, wellFormed === printed ? printed : compactJson(wellFormed))
    }
    const extra = this.#settleFacts(line)
    line.extra = extra === undefined ? '' : yield* printingJson(extra)
  }

  /** @returns members that are stored in column `extra`; undefined: none */
  #settleFacts(line: StoredLine): JsonObject | undefined {
    line.sizeBytes = line.textEnd - line.textStart + this.metaBytes
    const own = ownMembers(line) | this.#extraMembers()
    this.own = own
    return (own & EXTRA_MEMBERS) === 0 ? undefined : this.#extra(own)
  }

  /** Fills level and fields of a settled line, the second step of a line that no LineCodec reads. */
  fillFields(line: StoredLine, context: OwnStoreContext): void {
    const { fieldNames } = context
    this.#fillParsedFields(line, context)
    if (this.label !== undefined) addFieldsBelow(line, '_label', this.label, fieldNames)
    if (this.annotation !== undefined) addFieldsBelow(line, '_annotation', this.annotation, fieldNames)
    if (this.other !== undefined) addFieldsBelow(line, '_other', this.other, fieldNames)
  }

  /** Like `fillFields`, in steps. */
  *fillingFields(line: StoredLine, context: OwnStoreContext): Steps {
    const { fieldNames } = context
    this.#fillParsedFields(line, context)
    if (this.label !== undefined) yield* addingFieldsBelow(line, '_label', this.label, fieldNames)
    if (this.annotation !== undefined)
      yield* addingFieldsBelow(line, '_annotation', this.annotation, fieldNames)
    if (this.other !== undefined) yield* addingFieldsBelow(line, '_other', this.other, fieldNames)
  }

  /** Fills level and the fields of text and meta, which have limits. */
  #fillParsedFields(line: StoredLine, { fieldNames, timeMs }: OwnStoreContext): void {
    const bytes = line.textBytes as Buffer
    const parse = eventParser(this.isExact)
    const object = parseLineObject(bytes, line.textStart, line.textEnd, parse)
    line.level = levelOfLine(object, this.level, bytes, line.textStart, line.textEnd)
    fieldNames.beginRun()
    fieldNames.beginLine(timeMs)
    if (object !== undefined) addParsedFields(line, object, this.own, fieldNames)
    if (this.metaObject !== undefined) addFieldsBelow(line, '_meta', this.metaObject, fieldNames)
  }

  /** @param text of the object */
  #setMetaObject(line: StoredLine, meta: JsonObject, text: string): void {
    const bytes = Buffer.byteLength(text)
    if (bytes <= META_LIMIT_BYTES) this.#keepMeta(line, text, bytes, this.#searchedMeta(meta, text))
    else this.setMeta(line, cutText(text, META_LIMIT_BYTES))
  }

  #keepMeta(line: StoredLine, text: string, bytes: number, object: JsonObject | undefined): void {
    this.#lateMeta = undefined
    line.meta = text
    this.metaBytes = bytes
    this.metaObject = object
  }

  /** Text of meta. Half a surrogate pair is not a character, and the store does not contain any. */
  #metaText(meta: JsonObject | string): string {
    const text = jsonText(meta)
    if (!this.isExact) return text
    const wellFormed = wellFormedSource(text)
    return wellFormed === text ? text : compactJson(wellFormed)
  }

  /**
   * Meta as its text reads, which is the value that searches see. In the text, a double may look like an integer of many
   * digits, and half a surrogate pair is another character.
   */
  #searchedMeta(meta: JsonObject, text: string): JsonObject {
    const maySayOther = mayHoldBigInteger(text) || text.includes('\\u')
    return this.isExact && maySayOther ? (parseExactJson(text) as JsonObject) : meta
  }

  #extra(own: number): JsonObject {
    const extra: JsonObject = {}
    if (this.label !== undefined) extra._label = this.label
    if (this.annotation !== undefined) extra._annotation = this.annotation
    if (this.other !== undefined) extra._other = this.other
    if (this.timestampText !== undefined) extra._timestamp = this.timestampText
    if ((own & OWN_MEMBERS._drift) !== 0) extra._drift = this.driftMs
    if (this.truncated) extra._truncated = true
    return extra
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

/** Host of a line that no node changed. A line without one cannot come from ingestion; clients hide records without a host. */
export function hostAsSent(batch: LineBatchView, index: number): string {
  return batch.host(index) || 'unknown'
}

/** Stored app: the given one, else the base name of the file, else "unknown" (ingestion, section 1.4). */
export function storedApp(app: string, file: string): string {
  return (
    cutCharacters(app, APP_LIMIT_CHARACTERS) ||
    cutCharacters(baseName(file), APP_LIMIT_CHARACTERS) ||
    'unknown'
  )
}

/** A string, number or word as text; empty for any other value. */
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
