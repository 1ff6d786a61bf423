import {
  type DeadLetterPart,
  deadLettersType,
  type FailedEvents,
  type Failure,
  type ReplayedEvents,
} from '../../../schemas/log/dead-letters.ts'
import { RECORD_BYTES } from '../../../schemas/log/record-size.ts'
import type { Event } from '../../event/event.ts'
import { eventColumns, eventsIn, sharedBytes, type ValueForms } from '../../event/event-columns.ts'
import { behaviourOfEvents } from '../event-behaviour.ts'

/** Name of a dead letter: the place in the log at which the failure occurred. Two failures never share one. */
export interface LetterOrigin {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly row: number
}

/** The node that failed. */
export interface FailedNode {
  readonly pipeline: string
  /** Version of the revision's cut. */
  readonly version: number
  readonly node: string
}

/** A failed event, in the form in which it reached the node. */
export interface DeadLetter extends LetterOrigin, FailedNode {
  /** Log time, UNIX ms. */
  readonly failedAtMs: number
  readonly code: string
  readonly field: string | null
  readonly message: string
  readonly event: Event
}

/** Maximum size of lines that fail together, in addition to metadata that was sent with them. */
const RUN_BYTES = 200 * 1024
const LETTER_BYTES = 128
const POSITION_BYTES = 12

interface EncodedPart {
  readonly part: DeadLetterPart
  /** Approximate size of a part. */
  readonly partBytes: number
}

/** Values of records that contain letters, in order, with the known replays. */
export function deadLetterValues(
  account: string,
  letters: readonly DeadLetter[],
  replays: readonly ReplayedEvents[] = [],
): Buffer[] {
  const behaviour = behaviourOfEvents(letters.map(({ event }) => event))
  const encoded = [...runsOf(letters).map(run => failedPart(account, run)), ...replays.map(replayedPart)]
  const values: Buffer[] = []
  let parts: DeadLetterPart[] = []
  let bytes = 0
  const close = () => {
    if (parts.length > 0) values.push(deadLettersType.encode({ behaviour, account, parts }, bytes + 4096))
    parts = []
    bytes = 0
  }
  for (const { part, partBytes } of encoded) {
    if (bytes + partBytes > RECORD_BYTES) close()
    parts.push(part)
    bytes += partBytes
  }
  close()
  return values
}

/** The letters of a part, in order, with values in given forms. */
export function lettersIn({ failures, ...part }: FailedEvents, forms?: ValueForms): DeadLetter[] {
  const { topic, partition, pipeline, version, node } = part
  const events = eventsIn(part, forms)
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

/** Letters that follow one another and fit into one part. */
function* runsOf(letters: readonly DeadLetter[]): Generator<DeadLetter[]> {
  let run: DeadLetter[] = []
  let bytes = 0
  for (const letter of letters) {
    const [first] = run
    if (first !== undefined && (bytes >= RUN_BYTES || !belongTogether(first, letter))) {
      yield run
      run = []
      bytes = 0
    }
    run.push(letter)
    bytes += letter.event.bytes + sharedBytes(letter.event) + LETTER_BYTES
  }
  if (run.length > 0) yield run
}

function failedPart(account: string, run: readonly DeadLetter[]): EncodedPart {
  const { topic, partition, pipeline, version, node, event } = run[0] as DeadLetter
  const columns = eventColumns(
    run.map(letter => letter.event),
    account,
    entranceOf(event),
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
  const changedBytes = columns.changed.reduce(
    (sum, { message, annotations }) => sum + (message?.length ?? 0) + (annotations?.length ?? 0),
    0,
  )
  return {
    part: { 'weir.FailedEvents': { topic, partition, pipeline, version, node, ...columns, failures } },
    partBytes: columns.lines.length + changedBytes + LETTER_BYTES * run.length,
  }
}

function replayedPart(replay: ReplayedEvents): EncodedPart {
  const partBytes = LETTER_BYTES + POSITION_BYTES * replay.positions.length
  return { part: { 'weir.ReplayedEvents': replay }, partBytes }
}

function belongTogether(a: DeadLetter, b: DeadLetter): boolean {
  return (
    a.node === b.node &&
    a.pipeline === b.pipeline &&
    a.version === b.version &&
    a.topic === b.topic &&
    a.partition === b.partition &&
    entranceOf(a.event) === entranceOf(b.event)
  )
}

function entranceOf(event: Event): string {
  return event.origin?.batch.entrance ?? ''
}
