import type { Change } from './capturing-automaton.ts'
import { BEGINNING, type NextThreads, NOTHING } from './next-threads.ts'

/** Numbers of a note in the list of notes: the note before it, the slot and the place. */
const NOTE_SIZE = 3

/** Places of a match in its text, in UTF-16 units: start and end of group n at 2n and 2n + 1, -1 where it took no part. Group 0 is the match. */
export type Captures = Int32Array

/**
 * Ways of the threads of one search. Kept changes are only listed, by their places: the way of the thread that matches is followed back when
 * the search is over. Other changes are written as notes, and so are listed ones if the list becomes long.
 */
export class CaptureHistory {
  /** Changes from the place `from` on; undefined at the second unit of a character. */
  readonly changes: (Change | undefined)[]
  from: number
  /** Place of the end of the last match; below 0: none. Before `from` it is a note. */
  matchEnd = -1
  #matchNote = NOTHING
  /** Last note of each thread at the place `from`. */
  #notesOfThreads: number[] = []
  #nextNotesOfThreads: number[] = []
  readonly #notes: number[] = []

  /** @param changes an array to use, of any content */
  constructor(from: number, changes: (Change | undefined)[]) {
    this.from = from
    this.changes = changes
  }

  /** Writes the listed changes as notes. @param to place behind them */
  writeUntil(to: number): void {
    const { changes, from } = this
    for (let place = from; place < to; place++) {
      const change = changes[place - from]
      if (change !== undefined && !change.isPlain) this.#write(change, place)
    }
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
    const { changes, from, matchEnd } = this
    if (matchEnd < from) return this.#matchNote
    const { match, saves, saveEnds } = changes[matchEnd - from] as Change
    const first = saveEnds.length === 0 ? 0 : (saveEnds[saveEnds.length - 1] as number)
    for (let save = first; save < saves.length; save++) {
      const slot = saves[save] as number
      if (captures[slot] === -1) captures[slot] = matchEnd
    }
    let thread = match
    for (let place = matchEnd - 1; thread >= 0 && place >= from; place--) {
      const change = changes[place - from]
      if (change === undefined || change.isPlain) continue
      const end = change.saveEnds[thread] as number
      for (let save = thread === 0 ? 0 : (change.saveEnds[thread - 1] as number); save < end; save++) {
        const slot = change.saves[save] as number
        if (captures[slot] === -1) captures[slot] = place
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
