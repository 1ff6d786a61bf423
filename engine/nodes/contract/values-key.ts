import { hash } from 'node:crypto'
import type { Event } from '../../event/event.ts'
import { type Field, fieldAt } from '../../event/field-path.ts'
import type { CostMeter } from '../../expressions/cost-meter.ts'
import { canonicalJson } from '../../json/canonical-json.ts'
import { ENTRY_UNITS, UNCOUNTED_PASSES } from './option-work.ts'

/**
 * Prepares the text of the values at some fields, for groups and comparisons. Types count, objects equal whatever the order of
 * their keys, and a missing value is a value of its own.
 *
 * @param meter counts the texts of many fields, since each may be that of the whole event
 */
export function valuesKey(paths: readonly string[], meter: CostMeter): (event: Event) => string {
  const fields = paths.map(fieldAt)
  const isCounted = fields.length > UNCOUNTED_PASSES
  return event => {
    if (isCounted) meter.work(fields.length * ENTRY_UNITS)
    let key = ''
    for (let index = 0; index < fields.length; index++) {
      if (index > 0) key += ','
      const value = (fields[index] as Field).read(event)
      if (value === undefined) continue
      const text = canonicalJson(value)
      if (isCounted) meter.work(text.length)
      key += text
    }
    return inOnePiece(key)
  }
}

/** Receives a character that was read. */
const last = { unit: 0 }

/**
 * V8 keeps the parts of a text that was put together, until a character is read. A map looks up a text in one piece in half of the
 * time.
 */
function inOnePiece(text: string): string {
  last.unit = text.charCodeAt(0)
  return text
}

/** Shorter texts are always copies. */
const MIN_PART_UNITS = 13

/**
 * A copy of a text, for a memory that keeps it. V8 represents a long text that was put together by its parts, and one that was cut out by
 * the whole text around it; `join` copies the characters.
 */
export function copiedText(text: string): string {
  return text.length < MIN_PART_UNITS ? text : [text.slice(0, 1), text.slice(1)].join('')
}

/** Hash of a key: 32 bits, the same everywhere. */
export function keyHash(key: string): number {
  return hash('sha256', key, 'buffer').readUInt32LE(0)
}
