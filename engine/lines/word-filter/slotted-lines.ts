import { SLOTS } from '../../../schemas/log/tables.ts'
import type { Steps } from '../../steps.ts'
import { BlockView, type ListView, type TextView, type WordView } from '../native-block/block-view.ts'
import { factsOf, tagsOf } from '../slots/line-facts.ts'
import { readShape } from '../slots/line-shape.ts'
import { addElements, addTexts, addWords, metaText, startOf, withoutEscapes } from './column-texts.ts'
import type { SearchedLines } from './searched-lines.ts'
import { type SegmentFilter, TEXT_MARK } from './segment-filter.ts'

/**
 * Texts of a block of table `slotted_lines` that terms search. A text that many lines share is added once. No word
 * begins in a slot and ends outside of it, because JSON has signs between its parts.
 */
export class SlottedLines implements SearchedLines {
  readonly rows: number
  readonly account: WordView
  readonly time: (row: number) => number
  readonly timestamps: Float64Array
  readonly offset: (row: number) => number
  readonly row: (row: number) => number
  readonly #words: readonly WordView[]
  readonly #tagList: WordView
  readonly #facts: WordView
  readonly #shape: WordView
  readonly #slots: readonly TextView[]
  readonly #wholeLine: TextView
  readonly #meta: TextView
  readonly #textValues: ListView & { values(): TextView }

  constructor(block: readonly Uint8Array[]) {
    // The order is that of the columns: schemas/log/tables.ts.
    const view = new BlockView(block)
    this.rows = view.rows
    this.account = view.words()
    this.time = view.integers()
    this.timestamps = view.allIntegers()
    this.offset = view.integers()
    this.row = view.smallIntegers(4)
    this.#words = [view.words(), view.words(), view.words()]
    this.#tagList = view.words()
    this.#facts = view.words()
    this.#shape = view.words()
    this.#slots = Array.from({ length: SLOTS }, () => view.texts())
    this.#wholeLine = view.texts()
    this.#meta = view.texts()
    view.texts()
    view.smallIntegers(4)
    view.smallIntegers(2)
    view.smallIntegers(2)
    view.textLists()
    this.#textValues = view.textLists()
  }

  *addTo(filter: SegmentFilter, members: Uint32Array): Steps {
    for (const word of this.#sharedTexts(members)) filter.addText(word)
    for (const slot of this.#slots)
      yield* addTexts(filter, slot, members, (row, mark) => addFolded(filter, slot, row, mark))
    yield* addTexts(filter, this.#wholeLine, members, (row, mark) => {
      addFolded(filter, this.#wholeLine, row, mark)
      if ((mark & TEXT_MARK.escaped) !== 0) filter.addText(withoutEscapes(this.#wholeLine.text(row)))
    })
    if (this.#meta.areEmpty && this.#textValues.count === 0) return
    for (const row of members) this.#addFields(filter, row)
  }

  /** Words of the rows, and the literals of their shapes. */
  #sharedTexts(members: Uint32Array): Set<string> {
    const texts = new Set<string>()
    for (const column of this.#words) addWords(texts, column, members)
    for (const list of wordsOf(this.#tagList, members)) for (const tag of tagsOf(list)) texts.add(tag)
    for (const facts of wordsOf(this.#facts, members)) {
      const { file, env } = factsOf(facts)
      texts.add(file).add(env)
    }
    for (const shape of wordsOf(this.#shape, members))
      if (shape !== '') for (const literal of readShape(shape).literals) texts.add(literal)
    return texts
  }

  /** Texts of a row's fields that may not stand in its line. */
  #addFields(filter: SegmentFilter, row: number): void {
    if (!this.#meta.isEmpty(row)) filter.addText(metaText(this.#meta.text(row)))
    const from = startOf(this.#textValues, row)
    const to = this.#textValues.end(row)
    if (from !== to) addElements(filter, this.#textValues.values(), from, to)
  }
}

function addFolded(filter: SegmentFilter, column: TextView, row: number, mark: number): void {
  if ((mark & TEXT_MARK.folded) !== 0) filter.addText(column.text(row))
}

function wordsOf(column: WordView, members: Uint32Array): Set<string> {
  const words = new Set<string>()
  addWords(words, column, members)
  return words
}
