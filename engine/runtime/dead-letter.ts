import {
  type DeadLetterPart,
  deadLettersType,
  type FailedEvents,
  type Failure,
  type ReplayedEvents,
} from '../../schemas/dead-letters.ts'
import type { Event } from '../event.ts'
import { eventColumns, eventsIn } from './event-columns.ts'

/** What names a dead letter: the place in the log that yielded the failure. No two failures share one. */
export interface LetterOrigin {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly row: number
}

/** The node that failed. */
export interface FailedNode {
  readonly pipeline: string
  /** Of the revision's cut. */
  readonly version: number
  readonly node: string
}

/** An event that failed, as it came to the node. */
export interface DeadLetter extends LetterOrigin, FailedNode {
  /** Log time, UNIX ms. */
  readonly failedAtMs: number
  readonly code: string
  readonly field: string | null
  readonly message: string
  readonly event: Event
}

export type DeadLetterEntry = { readonly letter: DeadLetter } | { readonly replayed: ReplayedEvents }

/** As records of events between partitions. */
const RECORD_BYTES = 900 * 1024
/** Dead letters came with this behaviour. */
const BEHAVIOUR = 2
const LETTER_BYTES = 128
const POSITION_BYTES = 12

/** Values of records that hold the entries, in order. */
export function deadLetterValues(account: string, entries: readonly DeadLetterEntry[]): Buffer[] {
  const values: Buffer[] = []
  let parts: DeadLetterPart[] = []
  let bytes = 0
  const close = () => {
    if (parts.length > 0)
      values.push(deadLettersType.encode({ behaviour: BEHAVIOUR, account, parts }, bytes + 4096))
    parts = []
    bytes = 0
  }
  for (const { part, partBytes } of encodedParts(account, entries)) {
    if (bytes + partBytes > RECORD_BYTES) close()
    parts.push(part)
    bytes += partBytes
  }
  close()
  return values
}

/** The letters of a part, in order. */
export function lettersIn({ failures, ...part }: FailedEvents): DeadLetter[] {
  const { topic, partition, pipeline, version, node } = part
  const events = eventsIn(part)
  return failures.map((failure, index) => ({
    topic,
    partition,
    pipeline,
    version,
    node,
    ...failure,
    event: events[index] as Event,
  }))
}

function* encodedParts(
  account: string,
  entries: readonly DeadLetterEntry[],
): Generator<{ part: DeadLetterPart; partBytes: number }> {
  let run: DeadLetter[] = []
  let runBytes = 0
  for (const entry of entries) {
    const letter = 'letter' in entry ? entry.letter : undefined
    const first = run[0]
    const isFull = runBytes >= RECORD_BYTES
    if (first !== undefined && (letter === undefined || isFull || !belongTogether(first, letter))) {
      yield { part: failedPart(account, run), partBytes: runBytes }
      run = []
      runBytes = 0
    }
    if (letter !== undefined) {
      run.push(letter)
      runBytes += letter.event.bytes + LETTER_BYTES
    } else if ('replayed' in entry) {
      const { replayed } = entry
      yield {
        part: { 'weir.ReplayedEvents': replayed },
        partBytes: LETTER_BYTES + POSITION_BYTES * replayed.positions.length,
      }
    }
  }
  if (run.length > 0) yield { part: failedPart(account, run), partBytes: runBytes }
}

function failedPart(account: string, run: readonly DeadLetter[]): DeadLetterPart {
  const { topic, partition, pipeline, version, node, event } = run[0] as DeadLetter
  const columns = eventColumns(
    run.map(letter => letter.event),
    account,
    routeOf(event),
  )
  const failures = run.map(
    ({ offset, row, failedAtMs, code, field, message }): Failure => ({
      offset,
      row,
      failedAtMs,
      code,
      field,
      message,
    }),
  )
  return { 'weir.FailedEvents': { topic, partition, pipeline, version, node, ...columns, failures } }
}

function belongTogether(a: DeadLetter, b: DeadLetter): boolean {
  return (
    a.node === b.node &&
    a.pipeline === b.pipeline &&
    a.version === b.version &&
    a.topic === b.topic &&
    a.partition === b.partition &&
    routeOf(a.event) === routeOf(b.event)
  )
}

function routeOf(event: Event): string {
  return event.origin?.batch.route ?? ''
}
