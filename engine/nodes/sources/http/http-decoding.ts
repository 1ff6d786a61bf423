import type { JsonValue } from '../../../../schemas/json.ts'
import { parseExactJson } from '../../../json/exact-json.ts'
import { jsonText, keptJsonText } from '../../../json/json-text.ts'
import { isNestedDeeper } from '../../../lines/stored-line/parsed-line.ts'
import type { Decoded, Refusal } from '../../contract/define-source.ts'

/** `text` has the same meaning as `bytes`. */
export type HttpDecoding = 'bytes' | 'text' | 'json' | 'ndjson' | 'auto'

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
  body: Uint8Array,
  decoding: HttpDecoding,
  limitBytes: number,
): string[] | { readonly refusal: Refusal<HttpCode> } {
  const list = new MessageList(limitBytes - body.length)
  const text = utf8.decode(body)
  if (text.trim() === '') return []
  switch (decoding) {
    case 'json':
      return messagesOfJson(text, list) ?? refused('E_EVENT_NOT_JSON', 'The body is not one JSON text')
    case 'ndjson': {
      const messages = messagesOfLines(text, list)
      if (Array.isArray(messages)) return messages
      const { line } = messages
      return refused('E_EVENT_NOT_NDJSON', `Line ${line} of the body is not one JSON text`, String(line))
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

/** Bytes that are not UTF-8 become U+FFFD; a byte order mark is left out. */
const utf8 = new TextDecoder()

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

/** @returns undefined when the text is not one JSON text */
function messagesOfJson(text: string, list: MessageList): string[] | undefined {
  const value = jsonValueOf(text)
  if (value === undefined) return undefined
  if (!Array.isArray(value)) return [text.trim()]
  for (const element of value) list.add(keptJsonText(element))
  return list.messages
}

/** @returns the number of the first line that is not one JSON text, if any */
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

/** Lines with more than blanks, without their ends, each with its place among all lines. */
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
    return undefined // The caller decides about the error.
  }
}

function refused(
  code: HttpCode,
  message: string,
  field: string | null = null,
): { readonly refusal: Refusal<HttpCode> } {
  return { refusal: { code, field, message } }
}
