import type { Static, TObject } from 'typebox'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import type { ErrorCode } from '../../event/errors.ts'
import type { Refusal } from './refusal.ts'
import type { RunningSource } from './source-declaration.ts'

/**
 * Source that reads from another system.
 *
 * A batch is acknowledged after its messages are durable. A reader that is opened again continues behind the last
 * acknowledged position, so messages may be repeated and none is lost. The source reaches the other system only through
 * a remote, which its transport provides.
 */
export interface PullSource<
  Schema extends TObject = TObject,
  Code extends ErrorCode = ErrorCode,
  Remote = unknown,
  Position extends JsonValue = JsonValue,
  Config = JsonObject,
> extends RunningSource {
  readonly config: Schema
  readonly entrance: 'pull'
  /** Codes of all refusals. */
  readonly errors: readonly Code[]
  /** @param from last acknowledged position; undefined: the beginning that the options name */
  open(remote: Remote, config: Config, from: Position | undefined): PullReader<Position, NoInfer<Code>>
  readonly examples: readonly PullExample[]
}

export interface PullReader<Position, Code extends ErrorCode = ErrorCode> {
  /** Batches in the order of their positions; it ends when the signal aborts, and waits for further items until then. */
  batches(signal: AbortSignal): AsyncIterable<PulledBatch<Position, Code>>
  /** Allows the other system to forget everything up to a position. */
  acknowledge(position: Position): Promise<void>
  close(): Promise<void>
}

export interface PulledBatch<Position, Code extends ErrorCode = ErrorCode> {
  /** JSON text of each message, in order. */
  readonly messages: readonly string[]
  /** Items that cannot be decoded: they are acknowledged with the batch, and reported. */
  readonly refusals: readonly Refusal<Code>[]
  /** Position behind the batch. */
  readonly position: Position
}

/** Worked example of a pull source: it runs as a test and is printed on the reference page. */
export interface PullExample {
  readonly title: string
  readonly config: JsonObject
  /** Content of the other system, in the form that the stand-in of its transport takes. */
  readonly remote: JsonValue
  /** Last acknowledged position; absent: the reader begins where the options say. */
  readonly from?: JsonValue
  readonly batches: readonly PullExampleBatch[]
}

export interface PullExampleBatch {
  readonly messages: readonly JsonValue[]
  /** Code and field of each refusal. */
  readonly refused?: readonly (readonly [ErrorCode, string | null])[]
  readonly position: JsonValue
}

/** Checks a source against its own options, codes and positions, and gives it the type that all of them share. */
export function definePullSource<
  Schema extends TObject,
  Code extends ErrorCode,
  Remote,
  Position extends JsonValue,
>(source: PullSource<Schema, Code, Remote, Position, Static<Schema>>): PullSource {
  return source as unknown as PullSource
}
