import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import type { StatePiece } from '../nodes/contract/define-processor.ts'
import { keyHash } from '../nodes/contract/values-key.ts'
import { finish, joined, type Steps } from '../steps.ts'
import { AggregateWindow, byEnd } from './aggregate-window.ts'
import { GroupTable, type IdleGroup, NO_GROUP, type Retained } from './group-table.ts'
import { windowOfSnapshot } from './new-window.ts'
import { linesIn, listIn } from './snapshot-lines.ts'
import { type NewWindow, NO_WINDOW, WindowColumns } from './window-columns.ts'
import { WindowEnds } from './window-ends.ts'

const FORMAT = 1
/** Maximum size of a piece, which is sent as one record. */
const MAX_PIECE_BYTES = 500_000
/** Number of windows that are split, or groups that are forgotten, at a time: a few milliseconds. */
const WINDOWS_AT_A_TIME = 250
/** Size of the text of a snapshot that is written or read at once. */
const STRETCH_CHARACTERS = 32_768
/** Rough size of a group without windows. */
const GROUP_BYTES = 150

/** Bounds of the windows of one aggregate in one partition: components, section 5.1. */
export interface AggregateBounds {
  readonly maxGroups: number
  /** Open windows of one group. */
  readonly maxGroupWindows: number
  /** Estimated bytes of one window. */
  readonly maxWindowBytes: number
  /** Estimated bytes of all windows. */
  readonly maxBytes: number
}

/** Bounds of every installation. */
export const AGGREGATE_BOUNDS: AggregateBounds = {
  maxGroups: 20_000,
  maxGroupWindows: 200,
  maxWindowBytes: 100 * 1024,
  maxBytes: 64 * 1024 * 1024,
}

/** The open windows of a node in one partition, and the retained numbers of its groups. They do not depend on the operation. */
export class OpenAggregates {
  readonly bounds: AggregateBounds
  readonly #windows = new WindowColumns()
  readonly #groups = new GroupTable(this.#windows)
  readonly #ends = new WindowEnds<number>(window => this.#windows.endMs[window] as number)
  readonly #idle = new WindowEnds<IdleGroup>(({ endMs }) => endMs)
  #bytes = 0

  constructor(bounds: AggregateBounds = AGGREGATE_BOUNDS) {
    this.bounds = bounds
  }

  /** Number of open windows. */
  get count(): number {
    return this.#windows.count
  }

  /** Number of groups. */
  get groups(): number {
    return this.#groups.size
  }

  /** Estimated size of all windows, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Log time at which the next window is due; Infinity: none is open. */
  get deadlineMs(): number {
    return this.#ends.earliestMs
  }

  /** @returns `NO_GROUP` without open windows and retained numbers */
  find(key: string): number {
    return this.#groups.find(key)
  }

  keyOf(group: number): string {
    return this.#groups.keyOf(group)
  }

  /** Group of a window. */
  groupOf({ number }: AggregateWindow): number {
    return this.#windows.group[number] as number
  }

  /** Open windows of a group, by their starts. */
  windowsOf(group: number): AggregateWindow[] {
    return this.#groups.windowsOf(group).map(window => this.at(window))
  }

  at(window: number): AggregateWindow {
    return new AggregateWindow(this.#windows, window)
  }

  /** Numbers that change operators compare with; undefined: none, or they are too old. @param silentMs works as in `close` */
  retainedOf(group: number, nowMs: number, silentMs: number): Retained | undefined {
    const isSilent = group === NO_GROUP || nowMs - (this.#groups.lastMs[group] as number) >= silentMs
    return isSilent ? undefined : this.#groups.retained.get(group)
  }

  /** The window that was opened before all others; there must be one. */
  get oldest(): AggregateWindow {
    return this.at(this.#windows.oldest)
  }

  /** Windows that are due at a time, in the order in which they are emitted. */
  dueBy(timeMs: number): AggregateWindow[] {
    const due = this.#ends.endingBy(timeMs).map(window => this.at(window))
    return due.sort(byEnd)
  }

  open(key: string, opened: NewWindow, nowMs: number): AggregateWindow {
    const groups = this.#groups
    const known = groups.find(key)
    const group = known === NO_GROUP ? groups.add(key, nowMs) : known
    this.#wake(group)
    const window = this.#windows.add(opened)
    groups.link(window, group)
    this.#ends.add(window)
    this.#bytes += opened.bytes
    return this.at(window)
  }

  #wake(group: number): void {
    const idle = this.#groups.idle.get(group)
    if (idle === undefined) return
    this.#idle.remove(idle)
    this.#groups.idle.delete(group)
  }

  /** Notes that open windows of a group took an event, and grew. */
  note(group: number, grownBytes: number, nowMs: number): void {
    this.#bytes += grownBytes
    const { lastMs } = this.#groups
    lastMs[group] = Math.max(lastMs[group] as number, nowMs)
  }

  /**
   * Closes a window.
   *
   * @param retained its numbers, which the group keeps; undefined: nothing compares with them
   * @param silentMs time without events after which they are forgotten
   */
  close(window: AggregateWindow, retained?: Retained, silentMs = 0): void {
    const groups = this.#groups
    const group = this.groupOf(window)
    this.#take(window.number, group)
    if (retained === undefined) groups.retained.delete(group)
    else groups.retained.set(group, retained)
    if (groups.firstWindow[group] !== NO_WINDOW) return
    if (retained === undefined) groups.remove(group)
    else this.#rest(group, silentMs)
  }

  #take(window: number, group: number): void {
    this.#groups.unlink(window, group)
    this.#ends.remove(window)
    this.#bytes -= this.#windows.bytes[window] as number
    this.#windows.remove(window)
  }

  #rest(group: number, silentMs: number): void {
    const idle = { group, endMs: (this.#groups.lastMs[group] as number) + silentMs }
    this.#groups.idle.set(group, idle)
    this.#idle.add(idle)
  }

  /** Forgets groups that have been silent long enough. @returns false: there are more; call it again */
  forgetSilent(nowMs: number): boolean {
    if (this.#idle.earliestMs > nowMs) return true
    const silent = this.#idle.endingBy(nowMs)
    for (const idle of silent.slice(0, WINDOWS_AT_A_TIME)) {
      this.#idle.remove(idle)
      this.#groups.remove(idle.group)
    }
    return silent.length <= WINDOWS_AT_A_TIME
  }

  measure(): Readonly<Record<string, number>> {
    return {
      groups: this.groups,
      windows: this.count,
      bytes: this.#bytes + GROUP_BYTES * this.groups,
    }
  }

  /** JSON lines; the first is the format. Windows are in the order in which they were opened. */
  *snapshot(): Steps<Uint8Array> {
    const parts: Buffer[] = []
    let text = `${FORMAT}\n`
    for (const line of this.#lines()) {
      text += line
      if (text.length < STRETCH_CHARACTERS) continue
      parts.push(Buffer.from(text))
      text = ''
      yield
    }
    parts.push(Buffer.from(text))
    return yield* joined(parts)
  }

  *#lines(): Generator<string> {
    for (const group of this.#groups.all()) yield this.#groupLine(group)
    for (const window of this.#windows.inOrderOfOpening()) yield this.#windowLine(window)
  }

  #groupLine(group: number): string {
    const { lastMs, idle, retained } = this.#groups
    const numbers = retained.get(group)
    const ofFields = numbers === undefined ? null : Object.fromEntries(numbers)
    const endMs = idle.get(group)?.endMs ?? null
    return `${JSON.stringify(['group', this.keyOf(group), lastMs[group] as number, endMs, ofFields])}\n`
  }

  #windowLine(number: number): string {
    const window = this.at(number)
    return `["window",${window.json(this.keyOf(this.groupOf(window)))}]\n`
  }

  /** @throws RangeError when the bytes are not a snapshot */
  static *restore(bytes: Uint8Array, bounds?: AggregateBounds): Steps<OpenAggregates> {
    const windows = new OpenAggregates(bounds)
    yield* windows.#absorbing(bytes)
    return windows
  }

  /** Adds a piece of a snapshot. @throws RangeError when the bytes are not valid */
  absorb(bytes: Uint8Array): void {
    finish(this.#absorbing(bytes))
  }

  *#absorbing(bytes: Uint8Array): Steps {
    let readCharacters = 0
    for (const text of linesIn(bytes, FORMAT)) {
      readCharacters += text.length
      if (readCharacters > STRETCH_CHARACTERS) {
        readCharacters = 0
        yield
      }
      const line = listIn(text)
      if (line[0] === 'group') {
        this.#addGroup(line)
      } else {
        const { key, opened } = windowOfSnapshot(line[1])
        this.open(key, opened, Number.NEGATIVE_INFINITY)
      }
    }
  }

  /** A group comes before its windows. */
  #addGroup([, name, lastMs, idleUntilMs, retained]: readonly JsonValue[]): void {
    const groups = this.#groups
    const key = String(name)
    const known = groups.find(key)
    const group = known === NO_GROUP ? groups.add(key, Number(lastMs)) : known
    groups.lastMs[group] = Math.max(groups.lastMs[group] as number, Number(lastMs))
    if (retained !== null)
      groups.retained.set(group, new Map(Object.entries(retained as JsonObject) as [string, number][]))
    // A group has one place at a time, so it is not present already.
    if (idleUntilMs !== null && groups.firstWindow[group] === NO_WINDOW)
      this.#rest(group, Number(idleUntilMs) - (groups.lastMs[group] as number))
  }

  /** Removes the groups of some shares. @yields pieces of a bounded size, for `absorb` */
  *split(shares: readonly number[], shareOf: (hash: number) => number): Iterable<StatePiece | undefined> {
    const texts = new Map(shares.map(share => [share, '']))
    const shareOfGroups = new Map<number, number>()
    const add = function* (share: number, line: string): Iterable<StatePiece> {
      const text = `${texts.get(share)}${line}`
      if (text.length < MAX_PIECE_BYTES) {
        texts.set(share, text)
        return
      }
      texts.set(share, '')
      yield { share, data: pieceOf(text) }
    }
    let count = 0
    for (const group of [...this.#groups.all()]) {
      if (++count % WINDOWS_AT_A_TIME === 0) yield undefined
      const share = shareOf(keyHash(this.keyOf(group)))
      if (!texts.has(share)) continue
      shareOfGroups.set(group, share)
      yield* add(share, this.#groupLine(group))
      this.#wake(group)
    }
    for (const window of [...this.#windows.inOrderOfOpening()]) {
      if (++count % WINDOWS_AT_A_TIME === 0) yield undefined
      const group = this.#windows.group[window] as number
      const share = shareOfGroups.get(group)
      if (share === undefined) continue
      const line = this.#windowLine(window)
      this.#take(window, group)
      yield* add(share, line)
    }
    for (const group of shareOfGroups.keys()) this.#groups.remove(group)
    for (const [share, text] of texts) if (text !== '') yield { share, data: pieceOf(text) }
  }
}

function pieceOf(lines: string): Buffer {
  return Buffer.from(`${FORMAT}\n${lines}`)
}
