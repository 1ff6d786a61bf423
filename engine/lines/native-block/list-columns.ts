import type { Steps } from '../../steps.ts'
import { ENTRIES_OF_STEP } from './column-buffers.ts'
import type { NativeColumn } from './native-block.ts'
import { Int64Column } from './number-columns.ts'
import { TextColumn } from './text-column.ts'
import type { NumberedWords } from './word-columns.ts'

/** Array(…): end of each array, elements. */
class ListColumn<Values extends NativeColumn> implements NativeColumn {
  readonly ends = new Int64Column()
  readonly values: Values

  constructor(values: Values) {
    this.values = values
  }

  get bytes(): number {
    return this.ends.bytes + this.values.bytes
  }

  take(): Uint8Array[] {
    return [...this.ends.take(), ...this.values.take()]
  }
}

/** Two columns of arrays: the names of fields and their values. A name may repeat. */
export class ListedFields<Value, Values extends NativeColumn & { append(value: Value): void }> {
  readonly names = new ListColumn(new TextColumn())
  readonly values: ListColumn<Values>
  #entries = 0

  constructor(values: Values) {
    this.values = new ListColumn(values)
  }

  /** The first `count` of both arrays are the entries of this row. */
  append(names: readonly string[], values: readonly Value[], count: number): void {
    this.#appendEntries(names, values, 0, count)
    this.#endRow(count)
  }

  /** Like `append`, in steps. */
  *appending(names: readonly string[], values: readonly Value[], count: number): Steps {
    for (let from = 0; from < count; from += ENTRIES_OF_STEP) {
      const to = Math.min(count, from + ENTRIES_OF_STEP)
      yield* this.names.values.makingRoom(to - from, unitsOf(names, from, to))
      if (this.values.values instanceof TextColumn)
        yield* this.values.values.makingRoom(to - from, unitsOf(values as readonly string[], from, to))
      this.#appendEntries(names, values, from, to)
      yield
    }
    this.#endRow(count)
  }

  /**
   * Appends the names of many rows. The caller appends as many values to the column that is returned.
   *
   * @param ends number of entries up to the end of each row
   */
  appendNumbered(ends: Uint32Array, words: NumberedWords, numbers: Uint32Array): Values {
    this.names.ends.appendSums(ends, this.#entries)
    this.values.ends.appendSums(ends, this.#entries)
    for (const number of numbers) this.names.values.append(words.texts[number] as string)
    this.#entries += numbers.length
    return this.values.values
  }

  #appendEntries(names: readonly string[], values: readonly Value[], from: number, to: number): void {
    for (let index = from; index < to; index++) {
      this.names.values.append(names[index] as string)
      this.values.values.append(values[index] as Value)
    }
  }

  #endRow(count: number): void {
    this.#entries += count
    this.names.ends.appendHalves(this.#entries, 0)
    this.values.ends.appendHalves(this.#entries, 0)
  }

  /** Starts again, after the columns were taken. */
  clear(): void {
    this.#entries = 0
  }
}

/** Length of texts in UTF-16 units. */
function unitsOf(texts: readonly string[], from: number, to: number): number {
  let units = 0
  for (let index = from; index < to; index++) units += (texts[index] as string).length
  return units
}
