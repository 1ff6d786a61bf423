import { isJsonObject, type JsonObject, type JsonValue, NumberText } from '../../../../schemas/json.ts'
import type { RareMembers } from '../../../../schemas/log/line-batch.ts'
import type { Event, LineOrigin } from '../../../event/event.ts'
import { eventParser } from '../../../json/exact-json.ts'
import { parseJson, textForm } from '../../../json/json-text.ts'
import { entriesOf, isEmptyObject, orderedObject } from '../../../json/ordered-object.ts'
import { rareMembersOf } from '../../../lines/columns/rare-members.ts'
import { cleanTags } from '../../../lines/line-limits.ts'
import {
  cutHost,
  hostAsSent,
  type LineDraft,
  type OwnStoreContext,
  plainText,
} from '../../../lines/stored-line/line-draft.ts'
import { isTooDeep, parseBoundedJson } from '../../../lines/stored-line/parsed-line.ts'
import type { StoredLine } from '../../../lines/stored-line/stored-line.ts'
import { keepTime } from './line-moment.ts'
import { validIp, validMac } from './line-query.ts'
import type { OwnStoreOptions } from './own-store-options.ts'

const EMPTY_OBJECT = /^\{[\t\n\r ]*\}$/

/** Members of a line's message that have a place of their own in the record. */
const PLACED_MEMBERS = new Set([
  'line',
  'timestamp',
  'app',
  'level',
  'env',
  'file',
  'host',
  'meta',
  'tags',
  'label',
  'annotation',
])

/** Members whose places take values of all types. */
const WHOLE_MEMBERS = new Set(['line', 'meta'])

/** Fills the line of an event with an unchanged message: everything as sent, the text byte for byte. */
export function fillAsSent(
  line: StoredLine,
  draft: LineDraft,
  event: Event,
  options: OwnStoreOptions,
  context: OwnStoreContext,
): void {
  const origin = event.origin as LineOrigin
  const { batch, index } = origin
  const rare = rareMembersOf(batch, index)
  line.textBytes = batch.lineBytes
  line.textStart = batch.lineStart(index)
  line.textEnd = batch.lineEnd(index)
  line.host = hostAsSent(batch, index)
  line.app = batch.app(index)
  line.file = batch.file(index)
  line.env = batch.env(index)
  draft.level = batch.level(index)
  fillRequest(line, draft, event)
  line.tags = batch.request(index).tags
  line.timestampMs = event.timestampMs
  if (rare === undefined) fillMetaAsSent(line, draft, origin)
  else fillRareAsSent(line, draft, origin, rare, options)
  if (event.timestampChanged) keepTime(line, draft, undefined, event, context)
  const text = options.line?.text(event, draft.renderedCharacters)
  if (text !== undefined && text !== batch.lineText(index)) draft.setText(line, text)
}

/**
 * Fills the line of an event with a changed message. Members of the message are stored, and removed ones are not. A host
 * is required, so the sent host replaces a removed one.
 */
export function fillAsChanged(
  line: StoredLine,
  draft: LineDraft,
  event: Event,
  options: OwnStoreOptions,
  context: OwnStoreContext,
): void {
  const origin = event.origin as LineOrigin
  const rare = rareMembersOf(origin.batch, origin.index)
  const members = isJsonObject(event.message) ? event.message : {}
  line.host = cutHost(plainText(members.host)) || hostAsSent(origin.batch, origin.index)
  line.app = plainText(members.app)
  line.file = plainText(members.file)
  line.env = plainText(members.env)
  line.tags = tagsOf(members.tags)
  draft.level = plainText(members.level)
  draft.label = objectMember(members.label)
  draft.annotation = objectMember(members.annotation)
  fillRequest(line, draft, event)
  fillChangedText(line, draft, event, rare, options)
  fillChangedTime(line, draft, event, rare, context)
}

/** Fills facts of the request: its own addresses, not members of the message. */
function fillRequest(line: StoredLine, draft: LineDraft, event: Event): void {
  const { batch, index } = event.origin as LineOrigin
  const request = batch.request(index)
  line.remoteAddress = request.remoteAddress
  draft.driftMs = request.driftMs ?? 0
  if (!event.metadataChanged) {
    line.mac = request.mac
    line.ip = request.ip
    return
  }
  const { query } = event.metadata
  line.mac = isJsonObject(query) ? validMac(plainText(query.mac)) : ''
  line.ip = isJsonObject(query) ? validIp(plainText(query.ip)) : ''
}

function fillMetaAsSent(line: StoredLine, draft: LineDraft, { batch, index }: LineOrigin): void {
  const text = batch.metaText(index)
  if (draft.isExact) {
    draft.setSentMeta(line, text, batch.metaBytes(index))
    return
  }
  line.meta = text
  draft.metaBytes = batch.metaBytes(index)
  if (text === '' || !text.trimStart().startsWith('{')) return
  const value = parseBoundedJson(text, parseJson)
  draft.metaObject = isJsonObject(value) ? value : undefined
}

function fillRareAsSent(
  line: StoredLine,
  draft: LineDraft,
  origin: LineOrigin,
  rare: RareMembers,
  { usedKeys, lineIsWholeMessage }: OwnStoreOptions,
): void {
  const metaText = origin.batch.metaText(origin.index)
  const unplaced = lineIsWholeMessage ? {} : without(unplacedMembers(rare), usedKeys)
  if (rare.metaCut) setMergedMeta(line, draft, metaText, unplaced)
  else if (isEmptyObject(unplaced)) fillMetaAsSent(line, draft, origin)
  else
    setMergedMeta(
      line,
      draft,
      metaText === '' ? undefined : (parseBoundedJson(metaText, eventParser(draft.isExact)) ?? metaText),
      unplaced,
    )
  if (rare.tags !== undefined) line.tags = cleanTags([...line.tags, ...rare.tags])
  draft.label = objectMember(rare.label)
  draft.annotation = objectMember(rare.annotation)
  draft.truncated = rare.truncated === true
  if (rare.clamped) draft.timestampText = sentTimestamp(origin, rare)
}

/** Members without a meaning of their own, and those whose meaning needs another type. */
function unplacedMembers({ other, label, annotation }: RareMembers): JsonObject {
  const members = (other ?? {}) as JsonObject
  const isOdd = (value: unknown) => value !== undefined && objectMember(value) === undefined
  if (!isOdd(label) && !isOdd(annotation)) return members
  return orderedObject([
    ...entriesOf(members),
    ...(isOdd(label) ? [['label', label as JsonValue] as const] : []),
    ...(isOdd(annotation) ? [['annotation', annotation as JsonValue] as const] : []),
  ])
}

/**
 * Fills the text, and adds the members without a place of their own to meta. Without a text, the rest of the message is
 * the text.
 */
function fillChangedText(
  line: StoredLine,
  draft: LineDraft,
  event: Event,
  rare: RareMembers | undefined,
  options: OwnStoreOptions,
): void {
  const { batch, index } = event.origin as LineOrigin
  const { message } = event
  const members = isJsonObject(message) ? message : {}
  const meta = metaLeft(members.meta, batch.metaText(index))
  const own = isJsonObject(message) ? message.line : message
  const text =
    options.line?.text(event, draft.renderedCharacters) ??
    (own === undefined || isTooDeep(own) ? undefined : textForm(own))
  const rest = options.lineIsWholeMessage ? {} : restOf(members, options.usedKeys, draft.keepsOdd)
  if (text === undefined) {
    draft.setText(line, textForm(rest))
    draft.setMeta(line, meta)
    return
  }
  draft.setText(line, text)
  if (rare?.truncated === true && text === batch.lineText(index)) draft.truncated = true
  setMergedMeta(line, draft, meta, options.passThrough ? onlySent(rest, rare) : rest)
}

/** Meta that a node has emptied counts as absent; an empty object that was sent is ordinary meta. */
function metaLeft(meta: JsonValue | undefined, sent: string): JsonValue | undefined {
  const isEmptied = isJsonObject(meta) && isEmptyObject(meta) && !EMPTY_OBJECT.test(sent)
  return isEmptied ? undefined : meta
}

/**
 * Adds members without a place of their own to meta. If meta is not an object or has the same key, they are stored beside
 * it.
 */
function setMergedMeta(
  line: StoredLine,
  draft: LineDraft,
  meta: JsonValue | undefined,
  other: JsonObject,
): void {
  const entries = entriesOf(other)
  if (entries.length === 0) {
    draft.setMeta(line, meta)
    return
  }
  const isAbsent = meta === undefined || meta === null || meta === ''
  if (!isAbsent && !isJsonObject(meta)) {
    draft.setMeta(line, meta)
    draft.other = other
    return
  }
  const own = isJsonObject(meta) ? meta : {}
  const beside = entries.filter(([key]) => Object.hasOwn(own, key))
  const members = [...entries, ...entriesOf(own)]
  draft.setMeta(line, draft.isExact ? orderedObject(members) : Object.fromEntries(members))
  if (beside.length > 0) draft.other = orderedObject(beside)
}

/**
 * Members of a changed message that have no place of their own and that no option uses.
 *
 * @param keepsOdd whether also those whose place needs another type: since the fourteenth behaviour
 */
function restOf(members: JsonObject, usedKeys: ReadonlySet<string>, keepsOdd: boolean): JsonObject {
  const entries = entriesOf(members).filter(([key, value]) => {
    if (usedKeys.has(key) || isTooDeep(value)) return false
    if (key === 'label' || key === 'annotation') return !isJsonObject(value)
    if (!PLACED_MEMBERS.has(key)) return true
    return keepsOdd && !WHOLE_MEMBERS.has(key) && !fitsPlace(key, value)
  })
  return orderedObject(entries)
}

/** Whether the place of a member takes all of its value. */
function fitsPlace(key: string, value: JsonValue): boolean {
  if (key === 'tags' && Array.isArray(value)) return value.every(isPlain)
  return isPlain(value)
}

function isPlain(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null || value instanceof NumberText
}

/** Pass-through keeps only known keys; members that were sent with the line stay nevertheless. */
function onlySent(rest: JsonObject, rare: RareMembers | undefined): JsonObject {
  const sent = rare === undefined ? {} : unplacedMembers(rare)
  return orderedObject(entriesOf(rest).filter(([key]) => Object.hasOwn(sent, key)))
}

function fillChangedTime(
  line: StoredLine,
  draft: LineDraft,
  event: Event,
  rare: RareMembers | undefined,
  context: OwnStoreContext,
): void {
  const origin = event.origin as LineOrigin
  const written = isJsonObject(event.message) ? event.message.timestamp : undefined
  const sent = rare?.timestamp ?? origin.batch.timestampMs(origin.index)
  const isAsSent = written === undefined || plainText(written) === String(sent)
  if (!isAsSent || event.timestampChanged) {
    keepTime(line, draft, event.timestampChanged ? undefined : written, event, context)
    return
  }
  line.timestampMs = event.timestampMs
  if (rare?.clamped) draft.timestampText = sentTimestamp(origin, rare)
}

function sentTimestamp({ batch, index }: LineOrigin, rare: RareMembers): string {
  return String(rare.timestamp ?? batch.timestampMs(index))
}

function tagsOf(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return cleanTags(value.map(plainText))
  return cleanTags(plainText(value).split(','))
}

function objectMember(value: unknown): JsonObject | undefined {
  const member = value as JsonValue | undefined
  return isJsonObject(member) && !isTooDeep(member) ? member : undefined
}

function without(object: JsonObject, keys: ReadonlySet<string>): JsonObject {
  if (keys.size === 0) return object
  return orderedObject(entriesOf(object).filter(([key]) => !keys.has(key)))
}
