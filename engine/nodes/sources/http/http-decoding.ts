import { isUtf8 } from 'node:buffer'
import { parseExactJson } from '../../../json/exact-json.ts'
import { jsonText, keptJsonText } from '../../../json/json-text.ts'
import { JsonWalk } from '../../../json/json-walk.ts'
import { MAX_MESSAGE_LEVELS } from '../../../json/message-levels.ts'
import { bytesOfParts } from '../../../json/part-bytes.ts'
import { joined, type Steps } from '../../../steps.ts'
import type { Decoded, PushRequest } from '../../contract/define-push-source.ts'
import type { Refusal } from '../../contract/refusal.ts'

/** `text` has the same meaning as `bytes`. */
export type HttpDecoding = 'bytes' | 'text' | 'json' | 'ndjson' | 'auto'

const ARRAY = 0x5b
const ARRAY_END = 0x5d
const COMMA = 0x2c
const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d

/**
 * Minimum number of bytes that an event counts against the limit of a body. An event of a byte or two takes as much time
 * and memory as one of this size. (Our choice.)
 */
const LEAST_EVENT_BYTES = 64
/** Bytes of a body per step: two milliseconds where every value is parsed. */
const STEP_BYTES = 16_384
/** Bytes per step where a body is made valid UTF-8. */
const RECODED_BYTES = 262_144

const BROKEN_JSON =
  'The content type is application/json, but the body is neither one JSON text nor one on each line'

const TOO_DEEP = `is nested more than ${MAX_MESSAGE_LEVELS} levels deep`

type HttpCode = 'E_EVENT_NOT_JSON' | 'E_EVENT_NOT_NDJSON'

type Limits = Pick<PushRequest, 'limitBytes' | 'eventLimitBytes'>

/** A body or a line of it that is not one JSON text. */
interface NotOneJson {
  /** Whether it is JSON up to a level that is too deep. */
  readonly isTooDeep: boolean
}

/** The body is valid, but contains more or larger events than are accepted at once. */
class TooManyEvents extends Error {}

/**
 * Messages of a body, each as JSON text: components, section 6.2. A blank body has none. A number or other value keeps
 * its text as sent, including all digits.
 *
 * Further parts of an event count against both limits: see `bytesOfParts`. An event of fewer than `LEAST_EVENT_BYTES` counts as
 * that many against the limit of the body.
 *
 * @param saysJson whether the request says that its body is JSON: `auto` then does not take it for lines of text
 */
export function* decodingMessages(
  { body, limitBytes, eventLimitBytes }: Limits & Pick<PushRequest, 'body'>,
  decoding: HttpDecoding,
  saysJson = false,
): Steps<string[] | Exclude<Decoded<HttpCode>, { readonly messages: unknown }>> {
  try {
    return yield* messagesOf(body, decoding, { limitBytes, eventLimitBytes, saysJson })
  } catch (error) {
    if (error instanceof TooManyEvents) return { isTooMany: true }
    throw error
  }
}

/** @throws TooManyEvents */
function* messagesOf(
  sent: Uint8Array,
  decoding: HttpDecoding,
  { saysJson, ...limits }: Limits & { readonly saysJson: boolean },
): Steps<string[] | { readonly refusal: Refusal<HttpCode> }> {
  const newList = () => new MessageList(limits.limitBytes - sent.length, limits.eventLimitBytes)
  const body = yield* wellFormed(sent)
  switch (decoding) {
    case 'json': {
      const messages = yield* messagesOfJson(body, newList())
      if (Array.isArray(messages)) return messages
      return refused('E_EVENT_NOT_JSON', `The body ${messages.isTooDeep ? TOO_DEEP : 'is not one JSON text'}`)
    }
    case 'ndjson': {
      const messages = yield* messagesOfLines(body, newList())
      if (Array.isArray(messages)) return messages
      const { line, isTooDeep } = messages
      const problem = isTooDeep ? TOO_DEEP : 'is not one JSON text'
      return refused('E_EVENT_NOT_NDJSON', `Line ${line} of the body ${problem}`, String(line))
    }
    case 'auto': {
      const ofJson = yield* messagesOfJson(body, newList())
      if (Array.isArray(ofJson)) return ofJson
      const ofLines = yield* messagesOfLines(body, newList())
      if (Array.isArray(ofLines)) return ofLines
      if (!saysJson) return yield* textMessages(body, newList())
      if (ofJson.isTooDeep) return refused('E_EVENT_NOT_JSON', `The body ${TOO_DEEP}`)
      return refused(
        'E_EVENT_NOT_JSON',
        ofLines.isTooDeep ? `Line ${ofLines.line} of the body ${TOO_DEEP}` : BROKEN_JSON,
      )
    }
    default:
      return yield* textMessages(body, newList())
  }
}

/** The bytes as a buffer. Those that are not UTF-8 become U+FFFD, and a byte order mark is left out. */
function* wellFormed(bytes: Uint8Array): Steps<Buffer> {
  const sent = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const hasMark = sent[0] === 0xef && sent[1] === 0xbb && sent[2] === 0xbf
  if (isUtf8(sent)) return hasMark ? sent.subarray(3) : sent
  const decoder = new TextDecoder()
  const parts: Buffer[] = []
  for (let at = 0; at < sent.length; at += RECODED_BYTES) {
    parts.push(Buffer.from(decoder.decode(sent.subarray(at, at + RECODED_BYTES), { stream: true })))
    yield
  }
  parts.push(Buffer.from(decoder.decode()))
  return yield* joined(parts)
}

const walk = new JsonWalk()

class MessageList {
  readonly messages: string[] = []
  readonly eventLimitBytes: number
  #spareBytes: number

  constructor(spareBytes: number, eventLimitBytes: number) {
    this.#spareBytes = spareBytes
    this.eventLimitBytes = eventLimitBytes
  }

  /**
   * Counts an event before its text is read.
   *
   * @param bytes of the event as sent
   * @throws TooManyEvents
   */
  expect(bytes: number, parts: number): void {
    const furtherBytes = bytesOfParts(parts)
    this.#take(furtherBytes)
    if (bytes + furtherBytes > this.eventLimitBytes) throw new TooManyEvents()
  }

  /** @throws TooManyEvents */
  add(message: string): void {
    if (message.length < LEAST_EVENT_BYTES)
      this.#take(Math.max(0, LEAST_EVENT_BYTES - Buffer.byteLength(message)))
    this.messages.push(message)
  }

  #take(bytes: number): void {
    this.#spareBytes -= bytes
    if (this.#spareBytes < 0) throw new TooManyEvents()
  }
}

function* messagesOfJson(body: Buffer, list: MessageList): Steps<string[] | NotOneJson> {
  if (isBlank(body, 0, body.length)) return []
  const start = skipBlanks(body, 0)
  if (body[start] === ARRAY) return yield* messagesOfArray(body, start + 1, list)
  if (walkEvent(body, start, body.length, MAX_MESSAGE_LEVELS, list) !== body.length) return notOneJson()
  list.expect(walk.end - walk.start, walk.parts)
  list.add(body.toString('utf8', walk.start, walk.end))
  return list.messages
}

/** @param start position of its first element */
function* messagesOfArray(body: Buffer, start: number, list: MessageList): Steps<string[] | NotOneJson> {
  let at = skipBlanks(body, start)
  let restAt = at + STEP_BYTES
  if (body[at] !== ARRAY_END)
    for (;;) {
      at = walkEvent(body, at, body.length, MAX_MESSAGE_LEVELS - 1, list)
      const isEnd = body[at] === ARRAY_END
      if (!isEnd && body[at] !== COMMA) return notOneJson()
      list.expect(walk.end - walk.start, walk.parts)
      const text = body.toString('utf8', walk.start, walk.end)
      list.add(walk.isCompact ? text : keptJsonText(parseExactJson(text)))
      if (isEnd) break
      at = skipBlanks(body, at + 1)
      if (at < restAt) continue
      yield
      restAt = at + STEP_BYTES
    }
  return skipBlanks(body, at + 1) === body.length ? list.messages : { isTooDeep: false }
}

/** Reason why the last walk over an event did not come to its end. */
function notOneJson(): NotOneJson {
  return { isTooDeep: walk.isTooDeep }
}

/** @returns the number of the first line that is not one JSON text, if any */
function* messagesOfLines(
  body: Buffer,
  list: MessageList,
): Steps<string[] | (NotOneJson & { readonly line: number })> {
  let restAt = STEP_BYTES
  for (const { index, start, end } of linesOf(body)) {
    if (start > restAt) {
      yield
      restAt = start + STEP_BYTES
    }
    if (isBlank(body, start, end)) continue
    if (walkEvent(body, skipBlanks(body, start), end, MAX_MESSAGE_LEVELS, list) !== end)
      return { line: index + 1, ...notOneJson() }
    list.expect(walk.end - walk.start, walk.parts)
    list.add(body.toString('utf8', walk.start, walk.end))
  }
  return list.messages
}

function* textMessages(body: Buffer, list: MessageList): Steps<string[]> {
  let restAt = STEP_BYTES
  for (const { start, end } of linesOf(body)) {
    if (start > restAt) {
      yield
      restAt = start + STEP_BYTES
    }
    if (isBlank(body, start, end)) continue
    list.expect(end - start, 0)
    list.add(jsonText(body.toString('utf8', start, end)))
  }
  return list.messages
}

/** Lines without their ends; empty ones are left out. */
function* linesOf(
  body: Buffer,
): Generator<{ readonly index: number; readonly start: number; readonly end: number }> {
  let start = 0
  for (let index = 0; ; index++) {
    for (; body[start] === NEWLINE; start++) index++
    if (start >= body.length) return
    const newline = body.indexOf(NEWLINE, start)
    const end = newline < 0 ? body.length : newline
    yield { index, start, end: end > start && body[end - 1] === CARRIAGE_RETURN ? end - 1 : end }
    start = end + 1
  }
}

/**
 * Walks over one event, and not much further than an event may be long.
 *
 * @param start position of its first byte
 * @returns like `JsonWalk.value`
 * @throws TooManyEvents for a larger event
 */
function walkEvent(body: Buffer, start: number, end: number, levels: number, list: MessageList): number {
  const limit = Math.min(end, start + list.eventLimitBytes + 1)
  const behind = walk.value(body, start, limit, levels)
  if (limit < end && walk.isCutOff) throw new TooManyEvents()
  return behind === limit ? skipBlanks(body, behind, end) : behind
}

/** @returns the position behind JSON's white space */
function skipBlanks(body: Buffer, from: number, end = body.length): number {
  let at = from
  while (at < end && isJsonBlank(body[at] as number)) at++
  return at
}

function isJsonBlank(byte: number): boolean {
  return byte === 0x20 || byte === NEWLINE || byte === CARRIAGE_RETURN || byte === 0x09
}

function isBlank(body: Buffer, start: number, end: number): boolean {
  const at = skipBlanks(body, start, end)
  if (at === end) return true
  // The other characters that `trim` removes are not ASCII, except two.
  const byte = body[at] as number
  const canBeBlank = byte >= 0x80 || byte === 0x0b || byte === 0x0c
  return canBeBlank && body.toString('utf8', at, end).trim() === ''
}

function refused(
  code: HttpCode,
  message: string,
  field: string | null = null,
): { readonly refusal: Refusal<HttpCode> } {
  return { refusal: { code, field, message } }
}
