import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'
import { type HeldEvent, heldEventJson, heldEventOf } from '../../../event/held-event.ts'
import { parseExactJson } from '../../../json/exact-json.ts'
import { elementsAt } from '../../../json/json-source.ts'
import { exactJsonText } from '../../../json/json-text.ts'
import { finish, joined, type Steps } from '../../../steps.ts'
import { WindowEnds } from '../../../windows/window-ends.ts'
import type { StatePiece } from '../../contract/define-processor.ts'
import { keyHash } from '../../contract/values-key.ts'
import type { Merged } from './merged-value.ts'

const FORMAT = 1
/** Maximum size of a piece, which is sent as one record. */
const MAX_PIECE_BYTES = 500_000
/** Number of windows that are split at a time: a few milliseconds. */
const SPLIT_AT_A_TIME = 250
/** Size of the text of a snapshot that is written at once. */
const STRETCH_CHARACTERS = 32_768

/** The events of a group that were merged so far. */
export interface Reduction {
  readonly group: string
  /** Log time at which it ends, UNIX ms. */
  readonly endMs: number
  readonly first: HeldEvent
  /** Rises with each window that is opened; set when it is opened. */
  age: number
  /** Number of events in it. */
  count: number
  /** Estimated size in bytes. */
  bytes: number
  /** Merged values by root-level key, in the order of their first occurrence. */
  readonly message: Map<string, Merged>
  readonly metadata: Map<string, Merged>
}

/** The open reductions of a node on one partition, oldest first. They do not depend on the options. */
export class Reductions {
  readonly #open = new Map<string, Reduction>()
  readonly #ends = new WindowEnds<Reduction>(({ endMs }) => endMs)
  /** Iterates over them by age, once: starting from the front each time would pass all that were closed there. */
  #byAge = this.#open.values()
  #oldest: Reduction | undefined
  /** Age of the next window, counted over all windows. */
  #nextAge = 0
  #bytes = 0

  get count(): number {
    return this.#open.size
  }

  /** Estimated size of all windows, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Log time at which the next one ends; Infinity: none is open. */
  get deadlineMs(): number {
    return this.#ends.earliestMs
  }

  /** Number of times compared so far to find the windows that end. */
  get compared(): number {
    return this.#ends.compared
  }

  find(group: string): Reduction | undefined {
    return this.#open.get(group)
  }

  get oldest(): Reduction | undefined {
    const known = this.#oldest
    if (known !== undefined && this.#open.get(known.group) === known) return known
    this.#oldest = this.#byAge.next().value
    if (this.#oldest !== undefined) return this.#oldest
    // An iterator does not continue after its end.
    this.#byAge = this.#open.values()
    this.#oldest = this.#byAge.next().value
    return this.#oldest
  }

  /** Windows that are due at a time, oldest first. */
  endingBy(timeMs: number): Reduction[] {
    return this.#ends.endingBy(timeMs).sort((one, other) => one.age - other.age)
  }

  open(reduction: Reduction): void {
    reduction.age = this.#nextAge++
    this.#open.set(reduction.group, reduction)
    this.#ends.add(reduction)
    this.#bytes += reduction.bytes
  }

  grow(reduction: Reduction, bytes: number): void {
    reduction.count++
    reduction.bytes += bytes
    this.#bytes += bytes
  }

  close(reduction: Reduction): void {
    this.#open.delete(reduction.group)
    this.#ends.remove(reduction)
    this.#bytes -= reduction.bytes
  }

  /** JSON of the reductions: a list that begins with its format. */
  *snapshot(): Steps<Uint8Array> {
    const parts: Buffer[] = []
    let text = `[${FORMAT}`
    for (const reduction of this.#open.values()) {
      text += `,${exactJsonText(jsonOf(reduction))}`
      if (text.length < STRETCH_CHARACTERS) continue
      parts.push(Buffer.from(text))
      text = ''
      yield
    }
    parts.push(Buffer.from(`${text}]`))
    return yield* joined(parts)
  }

  /** @throws RangeError when the bytes are not a snapshot */
  static *restore(bytes: Uint8Array): Steps<Reductions> {
    const reductions = new Reductions()
    yield* reductions.#absorbing(bytes)
    return reductions
  }

  /** Adds a snapshot, or a piece of one. @throws RangeError when the bytes are not valid */
  absorb(bytes: Uint8Array): void {
    finish(this.#absorbing(bytes))
  }

  *#absorbing(bytes: Uint8Array): Steps {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
    const parts = partsOfSnapshot(text)
    const format = parts.next().value
    if (format !== String(FORMAT)) throw new RangeError(`reductions of an unknown format: ${format}`)
    let readCharacters = 0
    for (const part of parts) {
      readCharacters += part.length
      if (readCharacters > STRETCH_CHARACTERS) {
        readCharacters = 0
        yield
      }
      const reduction = reductionOf(parseExactJson(part))
      // A key has one place at a time, so its window is not present already; if it were, it would end by itself.
      const taken = this.#open.get(reduction.group)
      if (taken !== undefined) this.#rename(taken)
      this.open(reduction)
    }
  }

  /** Removes the windows of some shares. @yields pieces of a bounded size, for `absorb` */
  *split(shares: readonly number[], shareOf: (hash: number) => number): Iterable<StatePiece | undefined> {
    const pieces = new Map(shares.map(share => [share, new Reductions()]))
    for (const [index, reduction] of [...this.#open.values()].entries()) {
      if (index % SPLIT_AT_A_TIME === SPLIT_AT_A_TIME - 1) yield undefined
      const share = shareOf(keyHash(reduction.group))
      const piece = pieces.get(share)
      if (piece === undefined) continue
      this.close(reduction)
      piece.open(reduction)
      if (piece.bytes < MAX_PIECE_BYTES) continue
      pieces.set(share, new Reductions())
      yield { share, data: finish(piece.snapshot()) }
    }
    for (const [share, piece] of pieces) if (piece.count > 0) yield { share, data: finish(piece.snapshot()) }
  }

  #rename(reduction: Reduction): void {
    this.close(reduction)
    this.open({ ...reduction, group: `${reduction.group} ` })
  }
}

function jsonOf({ group, endMs, first, count, bytes, message, metadata }: Reduction): JsonValue {
  const entries = (merged: ReadonlyMap<string, Merged>) =>
    [...merged].map(([key, { strategy, ...rest }]) => [key, strategy, rest as unknown as JsonObject])
  return [group, endMs, heldEventJson(first), count, bytes, entries(message), entries(metadata)]
}

function reductionOf(value: JsonValue): Reduction {
  if (!Array.isArray(value)) throw new RangeError('a reduction of a snapshot is not a list')
  const [group, endMs, first, count, bytes, message, metadata] = value
  return {
    group: String(group),
    endMs: Number(endMs),
    first: heldEventOf(first),
    age: 0,
    count: Number(count),
    bytes: Number(bytes),
    message: mergedOf(message),
    metadata: mergedOf(metadata),
  }
}

function mergedOf(value: JsonValue | undefined): Map<string, Merged> {
  // The program wrote it.
  const entries = value as unknown as readonly (readonly [
    string,
    Merged['strategy'],
    Omit<Merged, 'strategy'>,
  ])[]
  return new Map(entries.map(([key, strategy, rest]) => [key, { strategy, ...rest }]))
}

/** Texts of the elements of a snapshot. @throws RangeError when it is not a whole list */
function* partsOfSnapshot(text: string): Generator<string, undefined> {
  let end = 0
  if (text.startsWith('[') && text.endsWith(']'))
    for (const span of elementsAt(text, 0)) {
      yield text.slice(span.start, span.end)
      end = span.end
    }
  if (end !== text.length - 1) throw new RangeError('reductions of a snapshot are not a list')
}
