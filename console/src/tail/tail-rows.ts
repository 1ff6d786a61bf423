import type { LineText } from '../api/records.ts'
import { isLine, type ListRow, type NoteRow } from '../lines/rows.ts'

export interface TailBounds {
  /** Rows that are held while the end is followed, and lines that wait while the tail is paused. */
  readonly following: number
  /** Rows that are held while one reads further up; later lines are counted. */
  readonly reading: number
}

const USUAL: TailBounds = { following: 20_000, reading: 40_000 }
/** Rows are removed in parts of this size. */
const TRIMMED = 1_000

/** A tail as it can be drawn. */
export interface ShownTail {
  readonly rows: readonly ListRow[]
  /** Lines that arrived while the end was not followed, or while the tail was paused. */
  readonly unseen: number
}

/**
 * Rows of a live tail, outside React: ten thousand lines a second arrive here, and the page reads them once a frame.
 * Every line is held, waits, or is counted in a row that says so.
 */
export class TailRows {
  readonly #bounds: TailBounds
  readonly #note: (lines: number) => NoteRow
  #rows: ListRow[] = []
  #waiting: ListRow[] = []
  readonly #ids = new Set<string>()
  #isFollowing = true
  #isPaused = false
  /** Lines that are neither held nor waiting. */
  #counted = 0
  #unseen = 0
  #received = 0
  #shown: ShownTail | undefined

  /** @param note makes the row for lines that were counted alone */
  constructor(note: (lines: number) => NoteRow, bounds: TailBounds = USUAL) {
    this.#note = note
    this.#bounds = bounds
  }

  /** Different lines that arrived since the beginning. */
  get received(): number {
    return this.#received
  }

  get isFollowing(): boolean {
    return this.#isFollowing
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** The present rows. The value stays the same while nothing changes. */
  shown(): ShownTail {
    this.#shown ??= { rows: this.#rows.slice(), unseen: this.#unseen }
    return this.#shown
  }

  /** Adds lines in their order of acceptance. Lines that are held already, as after a reconnection, are left out. */
  add(lines: readonly LineText[]): void {
    for (const line of lines) {
      if (this.#ids.has(line.id)) continue
      this.#received++
      if (this.#isPaused || !this.#isFollowing) this.#unseen++
      this.#take(line)
    }
    this.#changed()
  }

  /** Adds rows that stand before the tail, such as lines of a search. */
  addBefore(rows: readonly ListRow[]): void {
    for (const row of rows) this.#ids.add(row.id)
    this.#rows = [...rows, ...this.#rows]
    this.#changed()
  }

  addNote(note: NoteRow): void {
    this.#take(note)
    this.#changed()
  }

  follow(isFollowing: boolean): void {
    if (this.#isFollowing === isFollowing) return
    this.#isFollowing = isFollowing
    if (isFollowing) this.#catchUp()
    this.#changed()
  }

  pause(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return
    this.#isPaused = isPaused
    if (!isPaused) this.#catchUp()
    this.#changed()
  }

  clear(): void {
    this.#rows = []
    this.#waiting = []
    this.#ids.clear()
    this.#counted = 0
    this.#unseen = 0
    this.#changed()
  }

  #take(row: ListRow): void {
    const { following, reading } = this.#bounds
    if (this.#isPaused) {
      this.#hold(this.#waiting, row)
      if (this.#waiting.length > following) this.#forget(this.#waiting.splice(0, TRIMMED))
    } else if (this.#isFollowing) {
      this.#hold(this.#rows, row)
      if (this.#rows.length > following + TRIMMED) this.#release(this.#rows.splice(0, TRIMMED))
    } else if (this.#rows.length < reading) {
      this.#hold(this.#rows, row)
    } else {
      this.#counted++
    }
  }

  #hold(rows: ListRow[], row: ListRow): void {
    rows.push(row)
    this.#ids.add(row.id)
  }

  /** Removes the marks of rows that were seen. */
  #release(rows: readonly ListRow[]): void {
    for (const { id } of rows) this.#ids.delete(id)
  }

  /** Counts lines that nobody saw. */
  #forget(rows: readonly ListRow[]): void {
    this.#release(rows)
    this.#counted += rows.filter(isLine).length
  }

  /** Shows the waiting lines, behind a row that says how many lines were counted alone. */
  #catchUp(): void {
    if (this.#isPaused) return
    const waiting = this.#waiting
    this.#waiting = []
    this.#unseen = 0
    // Rows that were shown make room for those that were not.
    const excess = this.#rows.length + waiting.length + 1 - this.#bounds.following
    if (this.#isFollowing && excess > 0) this.#release(this.#rows.splice(0, excess))
    if (this.#counted > 0) this.#rows.push(this.#note(this.#counted))
    this.#counted = 0
    this.#rows.push(...waiting)
  }

  #changed(): void {
    this.#shown = undefined
  }
}
