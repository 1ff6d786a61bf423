import type { Static, TObject } from 'typebox'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import type { ErrorCode } from '../../event/errors.ts'
import type { Steps } from '../../steps.ts'
import type { Refusal } from './refusal.ts'
import type { RunningSource } from './source-declaration.ts'

/** Source whose senders push requests to its gateway route. */
export interface PushSource<
  Schema extends TObject = TObject,
  Code extends ErrorCode = ErrorCode,
  Config = JsonObject,
> extends RunningSource {
  readonly config: Schema
  readonly entrance: 'gateway'
  /** Codes of all refusals. */
  readonly errors: readonly Code[]
  /** Whether events keep the metadata of the request that brought them. */
  keepsMetadata(config: Config): boolean
  /**
   * Decodes a request whose key was accepted, in short steps: other requests are served between them. The result depends
   * on the arguments alone.
   */
  decode(request: PushRequest, config: Config): Steps<Decoded<NoInfer<Code>>>
  /**
   * Answers a request that is not accepted in the form of the source's protocol. Absent: in the common form (components,
   * section 6.1).
   */
  refusedReply?(failure: PushFailure, head: PushHead): PushReply
  readonly examples: readonly PushExample[]
}

/** Request as its source sees it: without access keys and other secrets. */
export interface PushHead {
  /** Rest of the path behind the id of the route, as sent; empty: none. */
  readonly path: string
  /** Parameters of the query; one that was sent several times has a list. */
  readonly query: RequestValues
  /** Names in lower case. */
  readonly headers: RequestValues
  /** UNIX ms. */
  readonly receivedAtMs: number
}

export type RequestValues = Readonly<Record<string, string | readonly string[] | undefined>>

export interface PushRequest {
  readonly head: PushHead
  /** Decompressed. */
  readonly body: Uint8Array
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
  /** Answer, once the messages are durable. */
  readonly reply: PushReply
}

interface Refused<Code extends ErrorCode> {
  readonly refusal: Refusal<Code>
}

interface TooMany {
  /** The request is valid, but has more events than are accepted at once. */
  readonly isTooMany: true
}

export interface PushReply {
  /** Absent: 200, or the status of the failure. */
  readonly status?: number
  /** Absent: JSON. */
  readonly contentType?: string
  readonly body: JsonObject | string | Uint8Array
}

/** Reason why a request is not accepted. */
export interface PushFailure {
  readonly status: number
  /** Code of the refusal; for other failures that of the common form, such as ERR_UNAUTHORIZED. */
  readonly code: string
  /** Place in a refused body; null: the whole body, or another failure. */
  readonly field: string | null
  readonly message: string
  /** False: no place of the request contained a key. */
  readonly hasKey: boolean
}

/** Worked example of a push source: it runs as a test and is printed on the reference page. */
export interface PushExample {
  readonly title: string
  readonly config: JsonObject
  readonly head?: Partial<PushHead>
  readonly body: string
  /** Messages of the events. */
  readonly messages?: readonly JsonValue[]
  /** Code and field of the refusal. */
  readonly refused?: readonly [ErrorCode, string | null]
  /** Answer in the form of the protocol; absent: it is not shown. */
  readonly reply?: PushReply
}

/** Checks a source against its own options and codes, and gives it the type that all of them share. */
export function definePushSource<Schema extends TObject, Code extends ErrorCode>(
  source: PushSource<Schema, Code, Static<Schema>>,
): PushSource {
  return source as unknown as PushSource
}
