import type { Steps } from '../../steps.ts'
import { BlockView, type ListView, type TextView, type WordView } from '../native-block/block-view.ts'
import { addElements, addTexts, addWords, metaText, startOf, withoutEscapes } from './column-texts.ts'
import type { SearchedLines } from './searched-lines.ts'
import { type SegmentFilter, TEXT_MARK } from './segment-filter.ts'

/** Texts of a block of table `lines` that terms search. */
export class MappedLines implements SearchedLines {
  readonly rows: number
  readonly account: WordView
  readonly time: (row: number) => number
  readonly timestamps: Float64Array
  readonly offset: (row: number) => number
  readonly row: (row: number) => number
  readonly #words: readonly WordView[]
  readonly #tags: ListView & WordView
  readonly #line: TextView
  readonly #meta: TextView
  readonly #extra: TextView
  readonly #textFields: ListView & { values(): TextView }

  constructor(block: readonly Uint8Array[]) {
    // Columns are read in their order: schemas/log/tables.ts.
    const view = new BlockView(block)
    this.rows = view.rows
    this.account = view.words()
    this.time = view.integers()
    this.timestamps = view.allIntegers()
    this.offset = view.integers()
    this.row = view.smallIntegers(4)
    const [host, app, level, file, env] = Array.from({ length: 5 }, () => view.words())
    // Terms do not search addresses.
    for (let each = 0; each < 3; each++) view.words()
    this.#words = [host, app, level, file, env] as WordView[]
    this.#tags = view.wordLists()
    this.#line = view.texts()
    this.#meta = view.texts()
    this.#extra = view.texts()
    view.smallIntegers(4)
    view.smallIntegers(2)
    view.smallIntegers(2)
    this.#textFields = view.textMap()
  }

  /** @param members rows, ascending */
  *addTo(filter: SegmentFilter, members: Uint32Array): Steps {
    const words = new Set<string>()
    for (const column of this.#words) addWords(words, column, members)
    for (const row of members)
      for (let at = startOf(this.#tags, row); at < this.#tags.end(row); at++)
        words.add(this.#tags.words[this.#tags.places[at] as number] as string)
    for (const word of words) filter.addText(word)
    const rewritten = new Set<number>()
    yield* addTexts(filter, this.#line, members, (row, mark) => {
      if ((mark & TEXT_MARK.folded) !== 0) filter.addText(this.#line.text(row))
      if ((mark & TEXT_MARK.escaped) !== 0) filter.addText(withoutEscapes(this.#line.text(row)))
      if ((mark & TEXT_MARK.nested) !== 0) rewritten.add(row)
    })
    for (const column of [this.#meta, this.#extra])
      if (!column.areEmpty) for (const row of members) if (!column.isEmpty(row)) rewritten.add(row)
    for (const row of rewritten) this.#addFields(filter, row)
  }

  /** Texts of a row's fields that may not stand in its line. */
  #addFields(filter: SegmentFilter, row: number): void {
    if (!this.#meta.isEmpty(row)) filter.addText(metaText(this.#meta.text(row)))
    const from = startOf(this.#textFields, row)
    const to = this.#textFields.end(row)
    if (from === to) return
    addElements(filter, this.#textFields.values(), from, to)
  }
}
