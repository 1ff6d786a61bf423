import { hash } from 'node:crypto'
import type { Event } from '../../event/event.ts'
import { fieldAt } from '../../event/field-path.ts'
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
    return fields
      .map(field => {
        const value = field.read(event)
        if (value === undefined) return ''
        const text = canonicalJson(value)
        if (isCounted) meter.work(text.length)
        return text
      })
      .join(',')
  }
}

/** Hash of a key: 32 bits, the same everywhere. */
export function keyHash(key: string): number {
  return hash('sha256', key, 'buffer').readUInt32LE(0)
}
