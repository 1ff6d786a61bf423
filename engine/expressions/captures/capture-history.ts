import type { Change } from './kept-changes.ts'
import { BEGINNING, type NextThreads, NOTHING } from './next-threads.ts'

/** Numbers of a note in the list of notes: the note before it, the slot and the place. */
const NOTE_SIZE = 3

/** Places of a match in its text, in UTF-16 units: start and end of group n at 2n and 2n + 1, -1 where it took no part. Group 0 is the match. */
export type Captures = Int32Array

/** Changes that are not plain, each with its place, in the order of the places. Their lists may be longer than what they contain. */
export interface ListedChanges {
  readonly places: number[]
  readonly changes: Change[]
}

/**
 * Ways of the threads of one search. Kept changes are only listed, and plain ones are not even that: the way of the thread that matches is
 * followed back when the search is over. Other changes are written as notes, and so are listed ones if the list becomes long.
 */
export class CaptureHistory {
  readonly list: ListedChanges
  /** Number of changes in the list, which are at the place `from` or behind it. */
  count = 0
  from: number
  /** Place of the end of the last match; below 0: none. Before `from` it is a note. */
  matchEnd = -1
  #matchNote = NOTHING
  /** Last note of each thread at the place `from`. */
  #notesOfThreads: number[] = []
  #nextNotesOfThreads: number[] = []
  readonly #notes: number[] = []

  /** @param list is used, and may have any content */
  constructor(from: number, list: ListedChanges) {
    this.from = from
    this.list = list
  }

  /** Writes the listed changes as notes. @param to place behind them */
  writeUntil(to: number): void {
    const { places, changes } = this.list
    for (let each = 0; each < this.count; each++) this.#write(changes[each] as Change, places[each] as number)
    this.count = 0
    this.from = to
  }

  /** Writes the change that was computed at the place `from`. @param next the place behind it */
  writeComputed(
    { count, match, matchNote, noteBefore, noteSlot, sources, threadNotes }: NextThreads,
    next: number,
  ): void {
    const place = this.from
    const before = this.#notesOfThreads
    const after = this.#nextNotesOfThreads
    if (match !== NOTHING) {
      let note = match === BEGINNING ? NOTHING : (before[match] as number)
      for (let save = matchNote; save >= 0; save = noteBefore[save] as number)
        note = this.#note(note, noteSlot[save] as number, place)
      this.#matchNote = note
      this.matchEnd = place
    }
    for (let thread = 0; thread < count; thread++) {
      const source = sources[thread] as number
      let note = source === BEGINNING ? NOTHING : (before[source] as number)
      for (let save = threadNotes[thread] as number; save >= 0; save = noteBefore[save] as number)
        note = this.#note(note, noteSlot[save] as number, place)
      after[thread] = note
    }
    this.#notesOfThreads = after
    this.#nextNotesOfThreads = before
    this.from = next
  }

  /** Captures of the last match; null without one. @param slots number of places */
  captures(slots: number): Captures | null {
    const { matchEnd } = this
    if (matchEnd < 0) return null
    const captures = new Int32Array(slots).fill(-1)
    captures[1] = matchEnd
    const notes = this.#notes
    for (let note = this.#followBack(captures); note >= 0; note = notes[note] as number) {
      const slot = notes[note + 1] as number
      if (captures[slot] === -1) captures[slot] = notes[note + NOTE_SIZE - 1] as number
    }
    return captures
  }

  /** Takes the captures from the listed changes. @returns the last note before them */
  #followBack(captures: Captures): number {
    const { matchEnd } = this
    if (matchEnd < this.from) return this.#matchNote
    const { places, changes } = this.list
    let each = this.count - 1
    while ((places[each] as number) > matchEnd) each--
    const { match, saves, saveEnds } = changes[each] as Change
    const first = saveEnds.length === 0 ? 0 : (saveEnds[saveEnds.length - 1] as number)
    for (let save = first; save < saves.length; save++) {
      const slot = saves[save] as number
      if (captures[slot] === -1) captures[slot] = matchEnd
    }
    let thread = match
    for (each--; thread >= 0 && each >= 0; each--) {
      const change = changes[each] as Change
      const end = change.saveEnds[thread] as number
      for (let save = thread === 0 ? 0 : (change.saveEnds[thread - 1] as number); save < end; save++) {
        const slot = change.saves[save] as number
        if (captures[slot] === -1) captures[slot] = places[each] as number
      }
      thread = change.sources[thread] as number
    }
    return thread < 0 ? NOTHING : (this.#notesOfThreads[thread] as number)
  }

  #write({ sources, saves, saveEnds, match }: Change, place: number): void {
    const before = this.#notesOfThreads
    const after = this.#nextNotesOfThreads
    let save = 0
    const { length } = sources
    for (let thread = 0; thread < length; thread++) {
      const source = sources[thread] as number
      let note = source === BEGINNING ? NOTHING : (before[source] as number)
      const end = saveEnds[thread] as number
      for (; save < end; save++) note = this.#note(note, saves[save] as number, place)
      after[thread] = note
    }
    if (match !== NOTHING) {
      let note = match === BEGINNING ? NOTHING : (before[match] as number)
      for (; save < saves.length; save++) note = this.#note(note, saves[save] as number, place)
      this.#matchNote = note
    }
    this.#notesOfThreads = after
    this.#nextNotesOfThreads = before
  }

  #note(before: number, slot: number, place: number): number {
    const notes = this.#notes
    const note = notes.length
    notes.push(before, slot, place)
    return note
  }
}
