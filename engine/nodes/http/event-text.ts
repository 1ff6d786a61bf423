import type { Event, LineOrigin } from '../../event/event.ts'
import { jsonText, textForm } from '../../json/json-text.ts'

/** Text of an event in a body: a string, or a line whose bytes are the text. */
export type EventText = string | LineOrigin

/** JSON form of an event's message: components, section 7.1. */
export function jsonFormOf(event: Event): string {
  const printed = event.printedMessage
  return printed === undefined ? jsonText(event.message) : printed.batch.lineText(printed.index)
}

/** Text form of an event's message: a string as it is, everything else in JSON. */
export function textFormOf(event: Event): string {
  const printed = event.printedMessage
  return printed === undefined ? textForm(event.message) : printed.batch.lineText(printed.index)
}

/** Like `jsonFormOf`, without a string where the bytes can be copied. */
export function jsonBytesOf(event: Event): EventText {
  return event.printedMessage ?? jsonText(event.message)
}

/** Like `textFormOf`, without a string where the bytes can be copied. */
export function textBytesOf(event: Event): EventText {
  return event.printedMessage ?? textForm(event.message)
}

/** Length of a text in bytes of UTF-8. */
export function lengthOf(text: EventText): number {
  return typeof text === 'string'
    ? Buffer.byteLength(text)
    : text.batch.lineEnd(text.index) - text.batch.lineStart(text.index)
}

/** Writes a text into a buffer that has room for it. @returns the position behind it */
export function writeText(text: EventText, target: Buffer, at: number): number {
  if (typeof text === 'string') return at + target.write(text, at)
  const { batch, index } = text
  return at + batch.lineBytes.copy(target, at, batch.lineStart(index), batch.lineEnd(index))
}
