import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../engine/clock/clock.ts'
import { recordOf } from '../../engine/lines/stored-line/line-record.ts'
import { type Field, SearchedRecord } from '../../engine/query-language/evaluate.ts'
import { fieldName, fieldPaths } from '../../engine/query-language/field-paths.ts'
import type { LineSearch, LineSelection } from '../../engine/store/search/line-selection.ts'
import {
  MAX_COMPLETION_CHARACTERS,
  MAX_EXAMPLES,
  MAX_READ_LINES,
} from '../../schemas/http/lines/field-api.ts'
import type { Visibility } from './line-answers.ts'

/** Names or values that are kept while lines are read; further ones are not listed. */
const MAX_KEPT = 20_000
/** Texts between two turns of other work, in UTF-16 code units. */
const UNITS_IN_TURN = 64 * 1024
/** Members of a record that users do not look for as fields: ids, times and the text of the line. */
const NOT_COMPLETED: ReadonlySet<string> = new Set([
  '_id',
  '_lid',
  '_account',
  '_ts',
  '_line',
  '_logtype',
  '_retention',
  '_mezmo_line_size',
  '_timestamp',
  '_drift',
  '_truncated',
])

/** The newest lines of a search. */
export interface NewestLines {
  /** Search that returns at most MAX_READ_LINES lines, the newest first. */
  readonly search: LineSearch
  readonly selection: Pick<LineSelection, 'fromMs' | 'toMs'>
  readonly isVisible: Visibility
  readonly clock: Clock
  /** Monotonic time after which no further lines are read. */
  readonly untilMs: number
  readonly signal: AbortSignal
}

/** Choice of the names or values that are listed. */
export interface Wanted {
  /** Text with which each listed name or value begins; upper and lower case are equal. */
  readonly prefix: string
  readonly limit: number
}

type Values = Omit<Field, 'present'>

interface Coverage {
  /** Lines that were read. */
  readonly lines: number
  readonly complete: boolean
  /** Time of the oldest line that was read, or the start of the period, UNIX ms. */
  readonly coveredFromMs: number
}

export interface FieldsOfLines extends Coverage {
  readonly fields: readonly MetField[]
  readonly more: boolean
}

export interface MetField {
  readonly name: string
  readonly type: 'text' | 'number' | 'both'
  readonly lines: number
  readonly examples: readonly string[]
}

/** The fields that lines have, those of most lines first. */
export async function fieldsOfLines(newest: NewestLines, wanted: Wanted): Promise<FieldsOfLines> {
  const met = new Map<string, FieldCount>()
  let isCut = false
  const begins = beginningWith(wanted.prefix)
  const covered = await readNewest(newest, record => {
    for (const [path, values] of record.fields()) {
      if (!hasValue(values)) continue
      let count = met.get(path)
      if (count === undefined) {
        if (!isNamed(path) || !begins(fieldName(path))) continue
        if (met.size >= MAX_KEPT) {
          isCut = true
          continue
        }
        count = new FieldCount()
        met.set(path, count)
      }
      count.add(values)
    }
  })
  const fields = [...met].map(([path, count]) => count.ofField(fieldName(path)))
  const listed = mostLinesFirst(fields, ({ name }) => name).slice(0, wanted.limit)
  return { fields: listed, more: isCut || listed.length < fields.length, ...covered }
}

export interface ValuesOfField extends Coverage {
  readonly values: readonly { readonly value: string; readonly lines: number }[]
  readonly more: boolean
}

/** The values of a field, those of most lines first. A line with several values counts for each different one. */
export async function valuesOfField(
  newest: NewestLines,
  field: string,
  wanted: Wanted,
): Promise<ValuesOfField> {
  const met = new Map<string, number>()
  let isCut = false
  const begins = beginningWith(wanted.prefix)
  const covered = await readNewest(newest, record => {
    for (const value of new Set(textsOf(record.field(field)))) {
      if (!isListed(value) || !begins(value)) continue
      const lines = met.get(value)
      if (lines === undefined && met.size >= MAX_KEPT) isCut = true
      else met.set(value, (lines ?? 0) + 1)
    }
  })
  const values = [...met].map(([value, lines]) => ({ value, lines }))
  const listed = mostLinesFirst(values, ({ value }) => value).slice(0, wanted.limit)
  return { values: listed, more: isCut || listed.length < values.length, ...covered }
}

/** Counts of one field over the lines that were read. */
class FieldCount {
  #lines = 0
  #hasText = false
  #hasNumber = false
  readonly #examples: string[] = []

  add(values: Values): void {
    this.#lines++
    this.#hasText ||= values.texts.length > 0
    this.#hasNumber ||= values.numbers.length > 0
    if (this.#examples.length === MAX_EXAMPLES) return
    for (const text of textsOf(values)) {
      const isNew = text.length <= MAX_COMPLETION_CHARACTERS && !this.#examples.includes(text)
      if (isNew && this.#examples.length < MAX_EXAMPLES) this.#examples.push(text)
    }
  }

  ofField(name: string): MetField {
    const type = this.#hasText ? (this.#hasNumber ? 'both' : 'text') : 'number'
    return { name, type, lines: this.#lines, examples: this.#examples }
  }
}

/** Reads lines from the newest on, in turns with other requests. */
async function readNewest(
  { search, selection, isVisible, clock, untilMs, signal }: NewestLines,
  read: (record: SearchedRecord) => void,
): Promise<Coverage> {
  let [lines, found, oldestMs, units] = [0, 0, selection.toMs, 0]
  for await (const part of search.parts(signal)) {
    if (!('rows' in part)) continue
    for (const row of part.rows) {
      found++
      if (!isVisible(row)) continue
      lines++
      oldestMs = row.ts
      read(new SearchedRecord(recordOf(row), NOT_COMPLETED))
      units += row.line.length + row.meta.length
      if (units < UNITS_IN_TURN) continue
      units = 0
      await nextTurn()
      signal.throwIfAborted()
      if (clock.monotonicMs() >= untilMs) break
    }
    if (clock.monotonicMs() >= untilMs) return { lines, complete: false, coveredFromMs: oldestMs }
  }
  const complete = found < MAX_READ_LINES
  return { lines, complete, coveredFromMs: complete ? selection.fromMs : oldestMs }
}

function beginningWith(prefix: string): (text: string) => boolean {
  const folded = prefix.toLowerCase()
  return text => folded === '' || text.slice(0, prefix.length).toLowerCase().startsWith(folded)
}

/** Whether queries can name the field at a path. A member `app` of a line cannot be named: queries mean the app of the line. */
function isNamed(path: string): boolean {
  const name = fieldName(path)
  return isListed(name) && fieldPaths(name).includes(path)
}

function isListed(text: string): boolean {
  return text !== '' && text.length <= MAX_COMPLETION_CHARACTERS
}

/** Host, app and level are empty where they are not known. */
function hasValue({ texts, numbers, bigIntegers }: Values): boolean {
  return numbers.length > 0 || bigIntegers.length > 0 || texts.some(text => text !== '')
}

/** An integer that a double cannot represent counts by its digits. */
function textsOf({ texts, numbers, bigIntegers }: Values): string[] {
  return [...texts, ...bigIntegers, ...(bigIntegers.length > 0 ? [] : numbers.map(String))]
}

function mostLinesFirst<Item extends { readonly lines: number }>(
  items: readonly Item[],
  textOf: (item: Item) => string,
): Item[] {
  return items.toSorted((a, b) => b.lines - a.lines || (textOf(a) < textOf(b) ? -1 : 1))
}
