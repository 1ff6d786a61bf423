import type { Static, TObject } from 'typebox'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import type { ErrorCode } from '../../event/errors.ts'
import type { Steps } from '../../steps.ts'
import type { NodeDeclaration } from './node-declaration.ts'

/** Type of source as the API knows it, whether or not this program runs it. */
export interface SourceDeclaration extends NodeDeclaration {
  /** Whether data comes by HTTP, to the gateway route of the source (pipeline API, section 2.4). */
  readonly isPush: boolean
}

/** Type of source that this program runs. A source that pulls joins this union together with its runner. */
export type Source = LineSource | PushSource

interface RunningSource extends SourceDeclaration {
  /** Behaviour number of the engine that introduced it; absent: the first. */
  readonly since?: number
}

/** Source of all lines that the account sends to log ingestion. Ingestion decodes them: lines need no pipeline. */
export interface LineSource extends RunningSource {
  readonly entrance: 'ingest'
  readonly isPush: false
  readonly examples: readonly LineExample[]
}

/** Source whose senders push requests to its gateway route. */
export interface PushSource<
  Schema extends TObject = TObject,
  Code extends ErrorCode = ErrorCode,
  Config = JsonObject,
> extends RunningSource {
  readonly config: Schema
  readonly entrance: 'gateway'
  readonly isPush: true
  /** Headers that may carry the access key of the route; the first that is not empty counts. */
  readonly keyHeaders: readonly KeyHeader[]
  /** Codes of all refusals. */
  readonly errors: readonly Code[]
  /** Whether events keep the metadata of the request that brought them. */
  keepsMetadata(config: Config): boolean
  /**
   * Decodes a request whose key was accepted, in short steps: other requests are served between them. The result depends
   * on the arguments alone.
   */
  decode(request: PushRequest, config: Config): Steps<Decoded<NoInfer<Code>>>
  readonly examples: readonly PushExample[]
}

/** `authorization` may begin with the word Bearer. */
export type KeyHeader = 'authorization' | 'apikey'

/** Headers that every push source without places of its own accepts (components, section 6.1). */
export const COMMON_KEY_HEADERS: readonly KeyHeader[] = ['authorization', 'apikey']

export interface PushRequest {
  /** Decompressed. */
  readonly body: Uint8Array
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Bound on the events of a request, in bytes. */
  readonly limitBytes: number
  /** Bound on each of them. */
  readonly eventLimitBytes: number
}

/** Outcome of decoding. A request without messages is not accepted, not even in part. */
export type Decoded<Code extends ErrorCode = ErrorCode> = Accepted | Refused<Code> | TooMany

export interface Accepted {
  /** JSON text of each message, in order. */
  readonly messages: readonly string[]
  /** Body of the answer, once the messages are durable. */
  readonly reply: JsonObject
}

interface Refused<Code extends ErrorCode> {
  readonly refusal: Refusal<Code>
}

interface TooMany {
  /** The request is valid, but has more events than are accepted at once. */
  readonly isTooMany: true
}

/** Reason why a body is not valid. */
export interface Refusal<Code extends ErrorCode = ErrorCode> {
  readonly code: Code
  /** Place in the body; null: the whole body. */
  readonly field: string | null
  readonly message: string
}

/**
 * Source that reads from another system. Such sources do not run yet, so none is in a catalogue.
 *
 * A batch is acknowledged after its messages are durable. A reader that is opened again continues behind the last
 * acknowledged position, so messages may be repeated and none is lost.
 */
export interface PullSource<Position, Config = JsonObject> extends SourceDeclaration {
  readonly entrance: 'pull'
  readonly isPush: false
  /** @param from last acknowledged position; undefined: the beginning that the options name */
  open(config: Config, from: Position | undefined): PullReader<Position>
}

export interface PullReader<Position> {
  batches(signal: AbortSignal): AsyncIterable<PulledBatch<Position>>
  /** Allows the other system to forget everything up to a position. */
  acknowledge(position: Position): Promise<void>
  close(): Promise<void>
}

export interface PulledBatch<Position> {
  /** JSON text of each message, in order. */
  readonly messages: readonly string[]
  /** Items that cannot be decoded: they are acknowledged with the batch, and reported. */
  readonly refusals: readonly Refusal[]
  /** Position behind the batch. */
  readonly position: Position
}

/** Worked example of a push source: it runs as a test and is printed on the reference page. */
export interface PushExample {
  readonly title: string
  readonly config: JsonObject
  readonly body: string
  /** Messages of the events. */
  readonly messages?: readonly JsonValue[]
  /** Code and field of the refusal. */
  readonly refused?: readonly [ErrorCode, string | null]
}

/** Worked example of a line source. */
export interface LineExample {
  readonly title: string
  /** Line as a client sends it. */
  readonly sent: { readonly line: string; readonly app?: string; readonly host?: string }
  /** Message of its event. */
  readonly message: JsonValue
}

export function defineLineSource(source: LineSource): LineSource {
  return source
}

/** Checks a source against its own options and codes, and gives it the type that all of them share. */
export function definePushSource<Schema extends TObject, Code extends ErrorCode>(
  source: PushSource<Schema, Code, Static<Schema>>,
): PushSource {
  return source as unknown as PushSource
}

/** Declares a source that is accepted, stored and returned, and with which no pipeline can be published. */
export function declareSource(declaration: SourceDeclaration): SourceDeclaration {
  return declaration
}
