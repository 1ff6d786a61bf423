import { isUtf8 } from 'node:buffer'
import { TIMESTAMP_ABSENT, TIMESTAMP_OTHER } from '../../../schemas/log/line-batch.ts'
import { compactJson } from '../../json/compact-json.ts'
import {
  countingParts,
  findingEnd,
  findingNesting,
  membersAt,
  nextPart,
  PARTS_OF_STEP,
  readingMembers,
  removingBlanks,
} from '../../json/json-source.ts'
import { skipBlanks } from '../../json/marked-keys.ts'
import { bytesOfParts, FREE_PARTS } from '../../json/part-bytes.ts'
import { makingWellFormed } from '../../json/well-formed-source.ts'
import type { Steps } from '../../steps.ts'
import type { LineBatchBuilder } from '../columns/line-batch-builder.ts'
import {
  APP_LIMIT_CHARACTERS,
  cleanTags,
  cutCharacters,
  cutUtf8,
  HOST_LIMIT_CHARACTERS,
  LEVEL_LIMIT_CHARACTERS,
  LINE_LIMIT_BYTES,
  META_LIMIT_BYTES,
} from '../line-limits.ts'
import { BodyError, tooLarge } from './body-error.ts'
import { LEAST_LINE_BYTES, tagBytes } from './least-bytes.ts'
import { restText } from './rest-text.ts'
import { type LineTime, type TimeBounds, timeOfNumber, timeOfText } from './timestamp.ts'
import { walkingBody } from './walking-body.ts'

/**
 * Levels of arrays and objects in a body. (Our choice: far deeper than useful bodies, and low enough for later recursion
 * over a value.)
 */
const NESTING_LIMIT = 256
/** Characters of lines per step: half a millisecond where each has a member without a meaning. */
const STEP_CHARACTERS = 4_096
/** A longer line is read in several steps: no walk over it is made in one go. */
const LONG_LINE_CHARACTERS = 64 * 1024
/** Escapes of one step: a tenth of a millisecond. */
const ESCAPES_OF_STEP = 10_000

/** Members of a body with a meaning; a body of 2 MB has room for 200,000 others. */
const ENVELOPE_MEMBERS = ['apikey', 'hostname', 'mac', 'ip', 'tags'] as const
const BODY_MEMBERS: ReadonlySet<string> = new Set([...ENVELOPE_MEMBERS, 'lines', 'ls'])
const META: ReadonlySet<string> = new Set(['meta'])

/** Members that a body may have beside its lines (one compiled client sends them); query parameters win over them. */
export interface Envelope {
  readonly apikey: string
  readonly hostname: string
  readonly mac: string
  readonly ip: string
  readonly tags: readonly string[]
}

/** A body that is valid JSON, before its members are read. */
export interface JsonBody {
  /** Members with a meaning; none for a body that is not an object. */
  readonly members: ReadonlyMap<string, string>
}

/**
 * Opens a body by the complete rules, on valid JSON text: slower than `LineScanner`, and correct for every body.
 *
 * @throws BodyError for malformed JSON and for a body that is nested too deeply
 */
export function* openingBody(bytes: Buffer): Steps<JsonBody> {
  const body = isUtf8(bytes) ? bytes : Buffer.from(bytes.toString('utf8'))
  const start = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0
  const members = new Map<string, string>()
  // The walk creates no values: `JSON.parse` takes several times as long for a body of very many small objects.
  const end = yield* walkingBody(body, start, NESTING_LIMIT, (keyStart, keyEnd, valueStart, valueEnd) => {
    const key = textOf(body.toString('utf8', keyStart, keyEnd))
    if (BODY_MEMBERS.has(key)) members.set(key, body.toString('utf8', valueStart, valueEnd))
  })
  if (end !== body.length) throw yield* explainingUnreadable(body.toString('utf8', start))
  return { members }
}

function* explainingUnreadable(text: string): Steps<BodyError> {
  return (yield* findingNesting(text)) > NESTING_LIMIT
    ? new BodyError('unreadable', `The body is nested more than ${NESTING_LIMIT} levels deep`)
    : new BodyError('unreadable', 'The body is not valid JSON')
}

export function* readingEnvelope({ members }: JsonBody): Steps<Envelope> {
  const wellFormed = new Map<string, string>()
  for (const name of ENVELOPE_MEMBERS)
    wellFormed.set(name, yield* makingWellFormed(members.get(name) ?? 'null'))
  const tags = yield* readingTags(wellFormed.get('tags'))
  return {
    apikey: wordOf(wellFormed.get('apikey')),
    // The value is trimmed like the query's: a host of blanks counts as absent.
    hostname: cutCharacters(wordOf(wellFormed.get('hostname')).trim(), HOST_LIMIT_CHARACTERS),
    mac: wordOf(wellFormed.get('mac')).trim(),
    ip: wordOf(wellFormed.get('ip')).trim(),
    tags: cleanTags(tags),
  }
}

/**
 * Appends the lines of a body to a batch.
 *
 * @param tags  tags of the request; a line's own tags are added to them
 * @param spareBytes  limit of the body minus its size; see `LEAST_LINE_BYTES`
 * @returns places of the refused lines, the number of all lines, and the number of lines with a time out of bounds
 * @throws BodyError for a body without an array of lines, one of which nothing can be stored, or one above the limit
 */
export function* parsingLines(
  { members }: JsonBody,
  batch: LineBatchBuilder,
  bounds: TimeBounds,
  tags: readonly string[],
  spareBytes: number,
): Steps<{ readonly count: number; readonly refused: readonly number[]; readonly retimed: number }> {
  const source = linesSource(members)
  const refused: number[] = []
  let count = 0
  let retimed = 0
  const spare = new SpareBytes(spareBytes)
  const requestTags = new Set(tags)
  let restAt = STEP_CHARACTERS
  for (let at = skipBlanks(source, 1); source[at] !== ']'; ) {
    if (at > restAt) {
      yield
      restAt = at + STEP_CHARACTERS
    }
    const end = yield* findingEnd(source, at)
    const element = source.slice(at, end)
    at = nextPart(source, end)
    const line = yield* parsingLine(element, batch, bounds, requestTags, spare)
    if (line === undefined) refused.push(count)
    if (line?.isRetimed) retimed++
    if (!line?.textBytes) spare.take(Math.max(0, LEAST_LINE_BYTES - Buffer.byteLength(element)))
    count++
  }
  if (refused.length > 0 && refused.length === count)
    throw new BodyError('no lines', '"lines" holds no line with a text')
  return { count, refused, retimed }
}

/** Remaining part of the limit of a body, for parts that cost more time than their bytes suggest. */
class SpareBytes {
  #bytes: number

  constructor(bytes: number) {
    this.#bytes = bytes
  }

  /** @throws BodyError */
  take(bytes: number): void {
    this.#bytes -= bytes
    if (this.#bytes < 0) throw tooLarge()
  }
}

function linesSource(members: ReadonlyMap<string, string>): string {
  const sources = [members.get('lines'), members.get('ls')]
  const array = sources.find(source => source?.startsWith('['))
  if (array !== undefined) return array
  const isThere = sources.some(source => source !== undefined)
  throw new BodyError('no lines', isThere ? '"lines" must be an array' : '"lines" is required')
}

interface AddedLine {
  readonly textBytes: number
  /** Whether its own time was out of bounds. */
  readonly isRetimed: boolean
}

/** @returns undefined for a line without anything to store */
function* parsingLine(
  sent: string,
  batch: LineBatchBuilder,
  bounds: TimeBounds,
  requestTags: ReadonlySet<string>,
  spare: SpareBytes,
): Steps<AddedLine | undefined> {
  if (sent[0] === '"') {
    spare.take(tagBytes(requestTags.size))
    return addBareLine(batch, bounds, sent)
  }
  if (sent[0] !== '{') return undefined
  // The sources of its members are well-formed, too.
  const source = yield* makingWellFormed(sent)
  const isLong = source.length > LONG_LINE_CHARACTERS
  if (isLong) yield
  spare.take(yield* partBytes(source))
  const members = isLong ? yield* readingMembers(source, 0) : membersAt(source, 0)
  const text = take(members, 'line')
  if (text === undefined) return undefined
  const tags = yield* readingTags(take(members, 'tags'))
  spare.take(tagBytes(requestTags.size + tags.length))
  return yield* addingLine(batch, bounds, cleanTags(tags, requestTags), text, members, spare)
}

/** Bytes that the parts of a line, without its meta, count against the limit of a body. */
function* partBytes(line: string): Steps<number> {
  if (line.length <= FREE_PARTS) return 0
  const parts = yield* countingParts(line)
  if (parts <= FREE_PARTS) return 0
  const meta = (yield* readingMembers(line, 0, META)).get('meta') ?? ''
  return bytesOfParts(parts - (yield* countingParts(meta)))
}

/** Adds a text without anything beside it. */
function addBareLine(batch: LineBatchBuilder, bounds: TimeBounds, source: string): AddedLine {
  const text = Buffer.from(textOf(source))
  const end = cutUtf8(text, 0, text.length, LINE_LIMIT_BYTES)
  batch.lines.append(text, 0, end)
  batch.meta.appendEmpty()
  batch.rest.appendText(restText({ truncated: end !== text.length }))
  batch.finishLine(0, 0, 0, 0, 0, bounds.receivedAtMs, TIMESTAMP_ABSENT)
  return { textBytes: text.length, isRetimed: false }
}

/** @param members those beside text and tags; members with a meaning are removed, and the rest is kept under meta */
function* addingLine(
  batch: LineBatchBuilder,
  bounds: TimeBounds,
  tags: readonly string[],
  textSource: string,
  members: Map<string, string>,
  spare: SpareBytes,
): Steps<AddedLine> {
  const text = Buffer.from(textOf(textSource))
  const end = cutUtf8(text, 0, text.length, LINE_LIMIT_BYTES)
  const timestamp = takeTimestamp(members)
  const time = timestamp === undefined ? undefined : timeOf(timestamp, bounds)
  const meta = yield* readingMeta(take(members, 'meta'), spare)
  const host = takeHost(members)
  const app = takeWord(members, 'app', undefined, APP_LIMIT_CHARACTERS)
  const level = takeWord(members, 'level', undefined, LEVEL_LIMIT_CHARACTERS)
  const env = takeWord(members, 'env', undefined, Number.POSITIVE_INFINITY)
  const file = takeWord(members, 'file', 'f', Number.POSITIVE_INFINITY)
  const rest = restText({
    timestamp: time?.kind === TIMESTAMP_OTHER ? timestamp : undefined,
    clamped: time?.clamped === true,
    tags,
    label: takeObject(members, 'label'),
    annotation: takeObject(members, 'annotation'),
    truncated: end !== text.length,
    metaCut: meta.cut,
    other: members,
  })
  batch.add({
    line: text.subarray(0, end),
    host,
    app,
    level,
    env,
    file,
    timestampMs: time?.ms ?? bounds.receivedAtMs,
    timestampKind: time?.kind ?? TIMESTAMP_ABSENT,
    meta: meta.text,
    rest,
  })
  return { textBytes: text.length, isRetimed: time?.clamped === true }
}

/** Removes a member and returns it; null counts as absent. */
function take(members: Map<string, string>, name: string): string | undefined {
  const source = members.get(name)
  members.delete(name)
  return source === 'null' ? undefined : source
}

/**
 * Removes the first of two words, like `takeWord`. As in the query, a blank word counts as absent: the line then has the
 * host of its request.
 */
function takeHost(members: Map<string, string>): string {
  for (const name of ['hostname', 'host']) {
    const host = cutCharacters(wordOf(take(members, name)), HOST_LIMIT_CHARACTERS)
    if (host.trim() !== '') return host
  }
  return ''
}

/** Removes the first of two names that has a word; if both have one, the second stays, for meta. */
function takeWord(
  members: Map<string, string>,
  name: string,
  second: string | undefined,
  limit: number,
): string {
  const word = cutCharacters(wordOf(take(members, name)), limit)
  if (word !== '' || second === undefined) return word
  return cutCharacters(wordOf(take(members, second)), limit)
}

/**
 * Removes `timestamp`, else `t` of an older agent. A value that is neither number nor text is not a time and stays, for
 * meta.
 */
function takeTimestamp(members: Map<string, string>): string | undefined {
  for (const name of ['timestamp', 't']) {
    const source = members.get(name)
    if (source === 'null') members.delete(name)
    if (source === undefined || !/^["\d-]/.test(source)) continue
    members.delete(name)
    return source
  }
  return undefined
}

function timeOf(source: string, bounds: TimeBounds): LineTime {
  return source[0] === '"' ? timeOfText(textOf(source), bounds) : timeOfNumber(source, bounds)
}

/** Removes an object, which is kept as sent. Any other value has no meaning here and stays, for meta. */
function takeObject(members: Map<string, string>, name: string): string | undefined {
  const source = members.get(name)
  if (source === 'null') members.delete(name)
  if (source?.[0] !== '{') return undefined
  members.delete(name)
  return source
}

/** Ingestion, section 3.3. Meta that exceeds the limit even as compact JSON becomes cut plain text that is not parsed. */
function* readingMeta(
  source: string | undefined,
  spare: SpareBytes,
): Steps<{ readonly text: string; readonly cut: boolean }> {
  if (source === undefined) return { text: '', cut: false }
  const isText = source[0] === '"'
  const isScalar = !isText && source[0] !== '{' && source[0] !== '['
  const isOver = !isText && Buffer.byteLength(source) > META_LIMIT_BYTES
  const plain = isText
    ? textOf(source)
    : isOver
      ? yield* compacting(source, spare)
      : isScalar
        ? compactJson(source)
        : source
  if (isText && (plain === '' || plain === '{}')) return { text: '', cut: false }
  const bytes = Buffer.from(plain)
  const end = cutUtf8(bytes, 0, bytes.length, META_LIMIT_BYTES)
  if (end !== bytes.length) return { text: bytes.toString('utf8', 0, end), cut: true }
  return { text: isScalar ? JSON.stringify(plain) : isText ? source : plain, cut: false }
}

/**
 * Meta as compact JSON. A text that exceeds the limit only because of its blanks and escapes is not parsed: its beginning
 * is kept.
 */
function* compacting(meta: string, spare: SpareBytes): Steps<string> {
  const text = yield* removingBlanks(meta)
  if (Buffer.byteLength(text) - (yield* countingSaved(text)) > META_LIMIT_BYTES) return text
  spare.take(bytesOfParts(yield* countingParts(text)))
  return compactJson(text)
}

/** Maximum number of bytes that escapes can save in another spelling. */
function* countingSaved(text: string): Steps<number> {
  let saved = 0
  let escapes = 0
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', at + 2)) {
    saved += text[at + 1] === 'u' ? 5 : 1
    if (++escapes % ESCAPES_OF_STEP === 0) yield
  }
  return saved
}

/** Reads a list, or one text with commas: ingestion, section 1.1. */
function* readingTags(source: string | undefined): Steps<string[]> {
  if (source === undefined || source === 'null') return []
  if (source[0] !== '[') return wordOf(source).split(',')
  const tags: string[] = []
  for (let at = skipBlanks(source, 1); source[at] !== ']'; ) {
    const end = yield* findingEnd(source, at)
    tags.push(wordOf(source.slice(at, end)))
    at = nextPart(source, end)
    if (tags.length % PARTS_OF_STEP === 0) yield
  }
  return tags
}

/**
 * Any value as a word: a text itself, a number as `String` prints it, a list or an object as its JSON text.
 *
 * @param source well-formed
 */
function wordOf(source: string | undefined): string {
  if (source === undefined || source === 'null') return ''
  if (source[0] === '"') return textOf(source)
  if (source[0] === '{' || source[0] === '[') return source
  const value: unknown = JSON.parse(source)
  return typeof value === 'number' && !Number.isSafeInteger(value) ? source : String(value)
}

/** The text of a string's source; the source itself for any other value. */
function textOf(source: string): string {
  if (source[0] !== '"') return source
  const text = source.includes('\\') ? (JSON.parse(source) as string) : source.slice(1, -1)
  return text.toWellFormed()
}
