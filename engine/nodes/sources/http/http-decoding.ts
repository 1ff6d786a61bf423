import type { JsonValue } from '../../../../schemas/json.ts'
import type { ErrorCode } from '../../../event/errors.ts'
import { parseExactJson } from '../../../json/exact-json.ts'
import { jsonText, keptJsonText } from '../../../json/json-text.ts'
import { isNestedDeeper } from '../../../lines/parsed-line.ts'

/** `text` is another word for `bytes`. */
export type HttpDecoding = 'bytes' | 'text' | 'json' | 'ndjson' | 'auto'

/** JSON nested deeper is none. */
const MAX_DEPTH = 128
/**
 * What an event counts at least against the limit of a body: one of a byte or two takes as much time and memory as one of
 * this size. (Our choice.)
 */
const LEAST_EVENT_BYTES = 64

/** Why a body is not what its source takes. */
export class DecodingError extends Error {
  override readonly name = 'DecodingError'
  readonly code: ErrorCode
  /** Place in the body; null: all of it. */
  readonly field: string | null

  constructor(code: ErrorCode, message: string, field: string | null = null) {
    super(message)
    this.code = code
    this.field = field
  }
}

/** The body is fine, and holds more events than are taken at once. */
export class TooManyEventsError extends Error {
  override readonly name = 'TooManyEventsError'
}

/**
 * What a body holds, as the JSON text of one message after the other: components, section 6.2. A blank body holds
 * nothing. The texts are those that were sent where one stands for itself, so numbers keep all their digits.
 *
 * @param limitBytes of a body; events of fewer than `LEAST_EVENT_BYTES` count as that many
 * @throws DecodingError, TooManyEventsError; then nothing of the body is to be taken
 */
export function decodedMessages(body: Uint8Array, decoding: HttpDecoding, limitBytes: number): string[] {
  const list = new MessageList(limitBytes - body.length)
  const text = utf8.decode(body)
  if (text.trim() === '') return []
  switch (decoding) {
    case 'json':
      return messagesOfJson(text, list) ?? refuse('E_EVENT_NOT_JSON', 'The body is not one JSON text')
    case 'ndjson': {
      const messages = messagesOfLines(text, list)
      if (Array.isArray(messages)) return messages
      const { line } = messages
      return refuse('E_EVENT_NOT_NDJSON', `Line ${line} of the body is not one JSON text`, String(line))
    }
    case 'auto': {
      const ofJson = messagesOfJson(text, list)
      if (ofJson !== undefined) return ofJson
      const ofLines = messagesOfLines(text, new MessageList(limitBytes - body.length))
      return Array.isArray(ofLines) ? ofLines : textMessages(text, list)
    }
    default:
      return textMessages(text, list)
  }
}

/** What is no UTF-8 becomes U+FFFD; a byte order mark goes. */
const utf8 = new TextDecoder()

class MessageList {
  readonly messages: string[] = []
  #spareBytes: number

  constructor(spareBytes: number) {
    this.#spareBytes = spareBytes
  }

  /** @throws TooManyEventsError */
  add(message: string): void {
    if (message.length < LEAST_EVENT_BYTES)
      this.#spareBytes -= Math.max(0, LEAST_EVENT_BYTES - Buffer.byteLength(message))
    if (this.#spareBytes < 0)
      throw new TooManyEventsError(
        `Every event counts as at least ${LEAST_EVENT_BYTES} bytes, and a request may not have so many`,
      )
    this.messages.push(message)
  }
}

/** @returns undefined when the text is not one JSON text */
function messagesOfJson(text: string, list: MessageList): string[] | undefined {
  const value = jsonValueOf(text)
  if (value === undefined) return undefined
  if (!Array.isArray(value)) return [text.trim()]
  for (const element of value) list.add(keptJsonText(element))
  return list.messages
}

/** @returns the number of the first line that is not one JSON text, if there is one */
function messagesOfLines(text: string, list: MessageList): string[] | { readonly line: number } {
  for (const [index, line] of linesOf(text)) {
    if (jsonValueOf(line) === undefined) return { line: index + 1 }
    list.add(line.trim())
  }
  return list.messages
}

function textMessages(text: string, list: MessageList): string[] {
  for (const [, line] of linesOf(text)) list.add(jsonText(line))
  return list.messages
}

/** Lines that hold more than blanks, without their ends, each with its place among all. */
function* linesOf(text: string): Generator<readonly [index: number, line: string]> {
  let start = 0
  for (let index = 0; start < text.length; index++) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const line = text.slice(start, end > start && text[end - 1] === '\r' ? end - 1 : end)
    if (line.trim() !== '') yield [index, line]
    start = end + 1
  }
}

function jsonValueOf(text: string): JsonValue | undefined {
  if (isNestedDeeper(text, MAX_DEPTH)) return undefined
  try {
    return parseExactJson(text)
  } catch {
    return undefined // The caller says what that means.
  }
}

function refuse(...reason: ConstructorParameters<typeof DecodingError>): never {
  throw new DecodingError(...reason)
}
