import { isUtf8 } from 'node:buffer'
import { parseExactJson } from '../../../json/exact-json.ts'
import { jsonText, keptJsonText } from '../../../json/json-text.ts'
import { JsonWalk } from '../../../json/json-walk.ts'
import type { Decoded, Refusal } from '../../contract/define-source.ts'

/** `text` has the same meaning as `bytes`. */
export type HttpDecoding = 'bytes' | 'text' | 'json' | 'ndjson' | 'auto'

const ARRAY = 0x5b
const ARRAY_END = 0x5d
const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Maximum depth; JSON nested deeper is not valid. */
const MAX_DEPTH = 128
/**
 * Minimum number of bytes that an event counts against the limit of a body. An event of a byte or two takes as much time
 * and memory as one of this size. (Our choice.)
 */
const LEAST_EVENT_BYTES = 64

type HttpCode = 'E_EVENT_NOT_JSON' | 'E_EVENT_NOT_NDJSON'

/** The body is valid, but contains more events than are accepted at once. */
class TooManyEvents extends Error {}

/**
 * Messages of a body, each as JSON text: components, section 6.2. A blank body has none. A number or other value keeps
 * its text as sent, including all digits.
 *
 * @param limitBytes bound on a body; an event of fewer than `LEAST_EVENT_BYTES` counts as that many
 */
export function decodedMessages(
  body: Uint8Array,
  decoding: HttpDecoding,
  limitBytes: number,
): string[] | Exclude<Decoded<HttpCode>, { readonly messages: unknown }> {
  try {
    return messagesOf(body, decoding, limitBytes)
  } catch (error) {
    if (error instanceof TooManyEvents) return { isTooMany: true }
    throw error
  }
}

/** @throws TooManyEvents */
function messagesOf(
  sent: Uint8Array,
  decoding: HttpDecoding,
  limitBytes: number,
): string[] | { readonly refusal: Refusal<HttpCode> } {
  const newList = () => new MessageList(limitBytes - sent.length)
  const body = wellFormed(sent)
  switch (decoding) {
    case 'json':
      return messagesOfJson(body, newList()) ?? refused('E_EVENT_NOT_JSON', 'The body is not one JSON text')
    case 'ndjson': {
      const messages = messagesOfLines(body, newList())
      if (Array.isArray(messages)) return messages
      const { line } = messages
      return refused('E_EVENT_NOT_NDJSON', `Line ${line} of the body is not one JSON text`, String(line))
    }
    case 'auto': {
      const ofJson = messagesOfJson(body, newList())
      if (ofJson !== undefined) return ofJson
      const ofLines = messagesOfLines(body, newList())
      return Array.isArray(ofLines) ? ofLines : textMessages(body, newList())
    }
    default:
      return textMessages(body, newList())
  }
}

/** The bytes as a buffer. Those that are not UTF-8 become U+FFFD, and a byte order mark is left out. */
function wellFormed(bytes: Uint8Array): Buffer {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  if (hasMark || !isUtf8(bytes)) return Buffer.from(utf8.decode(bytes))
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

const utf8 = new TextDecoder()
const walk = new JsonWalk()

class MessageList {
  readonly messages: string[] = []
  #spareBytes: number

  constructor(spareBytes: number) {
    this.#spareBytes = spareBytes
  }

  /** @throws TooManyEvents */
  add(message: string): void {
    if (message.length < LEAST_EVENT_BYTES)
      this.#spareBytes -= Math.max(0, LEAST_EVENT_BYTES - Buffer.byteLength(message))
    if (this.#spareBytes < 0) throw new TooManyEvents()
    this.messages.push(message)
  }
}

/** @returns undefined when the body is not one JSON text */
function messagesOfJson(body: Buffer, list: MessageList): string[] | undefined {
  if (isJson(body, 0, body.length)) {
    if (body[walk.start] === ARRAY) return messagesOfArray(body, walk.start + 1, list)
    return [body.toString('utf8', walk.start, walk.end)]
  }
  return isBlank(body, 0, body.length) ? [] : undefined
}

/** @param body a valid array @param start position of its first element */
function messagesOfArray(body: Buffer, start: number, list: MessageList): string[] {
  for (let at = start; ; at++) {
    at = walk.value(body, at, body.length, MAX_DEPTH - 1)
    if (at < 0) return list.messages // There is no element behind the bracket.
    const text = body.toString('utf8', walk.start, walk.end)
    list.add(walk.isCompact ? text : keptJsonText(parseExactJson(text)))
    if (body[at] === ARRAY_END) return list.messages
  }
}

/** @returns the number of the first line that is not one JSON text, if any */
function messagesOfLines(body: Buffer, list: MessageList): string[] | { readonly line: number } {
  for (const { index, start, end } of linesOf(body)) {
    if (isJson(body, start, end)) list.add(body.toString('utf8', walk.start, walk.end))
    else if (!isBlank(body, start, end)) return { line: index + 1 }
  }
  return list.messages
}

function textMessages(body: Buffer, list: MessageList): string[] {
  for (const { start, end } of linesOf(body)) {
    const line = body.toString('utf8', start, end)
    if (line.trim() !== '') list.add(jsonText(line))
  }
  return list.messages
}

/** Lines without their ends. */
function* linesOf(
  body: Buffer,
): Generator<{ readonly index: number; readonly start: number; readonly end: number }> {
  let start = 0
  for (let index = 0; start < body.length; index++) {
    const newline = body.indexOf(NEWLINE, start)
    const end = newline < 0 ? body.length : newline
    yield { index, start, end: end > start && body[end - 1] === CARRIAGE_RETURN ? end - 1 : end }
    start = end + 1
  }
}

function isJson(body: Buffer, start: number, end: number): boolean {
  return walk.value(body, start, end, MAX_DEPTH) === end
}

function isBlank(body: Buffer, start: number, end: number): boolean {
  return body.toString('utf8', start, end).trim() === ''
}

function refused(
  code: HttpCode,
  message: string,
  field: string | null = null,
): { readonly refusal: Refusal<HttpCode> } {
  return { refusal: { code, field, message } }
}
