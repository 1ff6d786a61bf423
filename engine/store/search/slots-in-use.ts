import { SLOTS } from '../../../schemas/log/tables.ts'
import { isWord, readShape, SLOT_KIND, type ValueKind } from '../../lines/slots/line-shape.ts'
import { anyOf, type Condition, column, numeral, sql } from './condition.ts'
import type { SqlConstants } from './sql-constants.ts'

/** A letter for each slot of a line, its kind, and `_` for those that the line does not use. It is computed once per shape. */
const KINDS_OF_SLOTS = sql`rpad(replaceRegexpAll(${column.shape}, '(?s:\\\\x00.*)|\\\\x02([tdnbo]?)[^\\\\x00\\\\x02]*', '\\\\1'), ${numeral(SLOTS)}, '_')`
const IS_WHOLE = sql`${column.shape} = ''`

/** ASCII characters of the values of a kind. Other kinds can have any text. */
const CHARACTERS: ReadonlyMap<ValueKind, string> = new Map([
  [SLOT_KIND.number, '-.0123456789'],
  [SLOT_KIND.boolean, 'truefalsTRUEFALS'],
])

/** The columns that a search for a text reads. */
export interface SoughtSlots {
  /** Numbers of slots. */
  readonly slots: ReadonlySet<number>
  readonly wholeLine: boolean
  /** Holds for lines of shapes that were not expected. They may have the text in other slots. */
  readonly unexpected: Condition
}

/**
 * Slots that lines use, by the shapes of some of them. A search for a text then reads only the slots that can contain it, and
 * a test of a number only its slots. Searches find the same lines whichever shapes are known, because lines of unexpected
 * shapes pass the prefilter.
 */
export class SlotsInUse {
  readonly #numbers: ReadonlyMap<string, ReadonlySet<number>>
  readonly #kinds: readonly ReadonlySet<ValueKind>[]
  readonly #wholeLine: boolean

  /** @param shapes of slotted lines; the empty one is that of whole lines */
  constructor(shapes: readonly string[]) {
    const kinds = Array.from({ length: SLOTS }, () => new Set<ValueKind>())
    const numbers = new Map<string, Set<number>>()
    for (const shape of shapes.filter(text => text !== '')) {
      const slots = readShape(shape).names.filter(({ kind }) => !isWord(kind))
      for (const [slot, { kind, path }] of slots.entries()) {
        kinds[slot]?.add(kind)
        if (kind === SLOT_KIND.number) numbers.set(path, (numbers.get(path) ?? new Set()).add(slot))
      }
    }
    this.#numbers = numbers
    this.#kinds = kinds
    this.#wholeLine = shapes.includes('')
  }

  /** Slots with numbers of the field with this path. */
  withNumber(path: string): readonly number[] {
    return [...(this.#numbers.get(path) ?? [])]
  }

  /** @param texts of which one is sought, regardless of case */
  thatMayContain(texts: readonly string[], constants: SqlConstants): SoughtSlots {
    const without = new Set(
      [...CHARACTERS.keys()].filter(kind => !texts.some(text => mayContain(kind, text))),
    )
    const slots = this.#kinds.flatMap((kinds, slot) => (kinds.isSubsetOf(without) ? [] : [slot]))
    const others = `[_${[...without].join('')}]`
    const pattern = this.#kinds.map((_, slot) => (slots.includes(slot) ? '.' : others)).join('')
    return {
      slots: new Set(slots),
      wholeLine: this.#wholeLine,
      unexpected: anyOf([
        sql`NOT match(${KINDS_OF_SLOTS}, ${constants.text(`^${pattern}$`)})`,
        this.#wholeLine ? undefined : IS_WHOLE,
      ]),
    }
  }
}

function mayContain(kind: ValueKind, text: string): boolean {
  const characters = CHARACTERS.get(kind)
  return characters === undefined || [...text].every(each => each > '\x7f' || characters.includes(each))
}
