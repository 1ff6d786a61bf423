import { SLOT_NAMES } from '../../../schemas/log/tables.ts'
import type { Steps } from '../../steps.ts'
import type { SplitLine } from '../slots/split-line.ts'
import type { RowFields, StoredLine } from '../stored-line/stored-line.ts'
import {
  FieldColumns,
  type NamedColumn,
  type ReadRows,
  type TypedColumn,
  typedColumns,
} from './field-columns.ts'
import { TextColumn } from './text-column.ts'
import { WordColumn } from './word-columns.ts'

/** The text of a line, as in a StoredLine. */
export type LineText = Pick<StoredLine, 'textBytes' | 'textStart' | 'textEnd'>

/** Rows that a codec has read together, with the members that a single row has. */
export interface ReadSlottedRows extends ReadRows {
  /** Numbers of the shapes of rows; 0: the row is whole. */
  readonly shapes: Uint32Array
  /** The texts of each slot, one per row, each with its length as a varint before it. */
  readonly slots: readonly Uint8Array[]
  /** The texts of whole rows; empty ones for the others. */
  readonly lines: Uint8Array
}

const NO_SHAPE = ''
/**
 * Different shapes of an account in a block. Further ones would make the dictionary of the column large, and hardly any of their
 * lines would share them. (Our choice.)
 */
export const MAX_SHAPES = 1024

/**
 * Columns of table `slotted_lines` that follow from the texts of lines: level, shape, slots, the text of whole rows, and
 * the fields that are in no slot.
 */
export class SlottedColumns {
  readonly #fields = new FieldColumns('slotted_lines')
  readonly #line = new TextColumn()
  readonly #shape = new WordColumn()
  readonly #slots = SLOT_NAMES.map(() => new TextColumn())

  /** Shapes of the block by account. */
  #shapes = new Map<string, Set<string>>()

  get rows(): number {
    return this.#fields.rows
  }

  /** Whether the block can have a row of this shape. Otherwise the row must be stored whole. */
  admits(account: string, shape: string): boolean {
    let known = this.#shapes.get(account)
    if (known === undefined) {
      known = new Set()
      this.#shapes.set(account, known)
    }
    if (!known.has(shape) && known.size >= MAX_SHAPES) return false
    known.add(shape)
    return true
  }

  /** Another object in each block. Its shapes are admitted anew. */
  get block(): object {
    return this.#shapes
  }

  /** Form of each row; a view, valid until the next change. */
  get forms(): Uint8Array {
    return this.#fields.forms
  }

  appendWhole(form: number, level: string, fields: RowFields, text: LineText): void {
    this.#fields.append(form, level, fields)
    this.#appendText(text)
  }

  /** Like `appendWhole`, in steps. Nothing else may be appended between them. */
  *appendingWhole(form: number, level: string, fields: RowFields, text: LineText): Steps {
    yield* this.#fields.appending(form, level, fields)
    this.#appendText(text)
  }

  /** @param fields those that are in no slot */
  appendSlotted(form: number, level: string, fields: RowFields, { shape, slots }: SplitLine): void {
    this.#fields.append(form, level, fields)
    this.#line.appendEmpty()
    this.#shape.append(shape)
    for (const [index, column] of this.#slots.entries()) column.append(slots[index] ?? '')
  }

  /** Appends copies of rows. */
  appendAll(rows: ReadSlottedRows): void {
    this.#fields.appendAll(rows)
    this.#line.appendEncoded(rows.lines)
    this.#shape.appendNumbered(rows.words, rows.shapes)
    for (const [index, column] of this.#slots.entries()) column.appendEncoded(rows.slots[index] as Uint8Array)
  }

  #appendText({ textBytes, textStart, textEnd }: LineText): void {
    this.#line.appendBytes(textBytes, textStart, textEnd)
    this.#shape.append(NO_SHAPE)
    for (const slot of this.#slots) slot.appendEmpty()
  }

  /** Starts again, after the columns were taken. */
  clear(): void {
    this.#fields.clear()
    this.#shapes = new Map()
  }

  /** Names and types of the table's columns, for `nativeBlock`. */
  named(): readonly TypedColumn[] {
    const slots = SLOT_NAMES.map((name, index): NamedColumn => [name, this.#slots[index] as TextColumn])
    const own: readonly NamedColumn[] = [['whole_line', this.#line], ['shape', this.#shape], ...slots]
    return [...this.#fields.named(), ...typedColumns('slotted_lines', own)]
  }
}
