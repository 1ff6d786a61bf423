import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import type { ErrorCode } from '../../event/errors.ts'
import type { Event } from '../../event/event.ts'
import type { Problem } from '../../event/problem.ts'
import type { NodeDeclaration } from './node-declaration.ts'
import type { DeliveryFailure, OwnStoreSink } from './own-store.ts'

/** Type of destination that this program runs. */
export type Destination = OwnStore | SendingDestination

interface RunningDestination extends NodeDeclaration {
  /** Options that the fold reads. No other option reaches the log of a partition. */
  readonly foldOptions: readonly string[]
  /** Codes of all failures that it can report. */
  readonly errors: readonly ErrorCode[]
  /** Findings that prevent the publication of a node, with pointers into its options, which were checked. */
  publishProblems?(config: JsonObject, site: PublishSite): Problem[]
}

/** Destination whose events become lines of the own store. The fold makes the lines, and its worker stores them. */
export interface OwnStore extends RunningDestination {
  readonly delivery: 'lines'
  /** @param config checked options */
  compile(config: JsonObject): OwnStoreSink
  readonly examples: readonly StoredExample[]
}

/**
 * Destination that sends requests to another system. It is pure: it creates requests and judges answers. A transport
 * carries them.
 */
export interface SendingDestination<Request = unknown, Answer = unknown> extends RunningDestination {
  readonly delivery: 'requests'
  readonly transport: Transport
  /** Returns a reason why an event can never be sent; undefined: it can be. */
  neverSent(event: Event, config: JsonObject): DeliveryFailure | undefined
  /** Creates requests for events, in order. Every event is part of exactly one request, or needs none. */
  encode(events: readonly Event[], config: JsonObject): Iterable<EncodedRequest<Request>>
  /** Judges the answer to a request, or the failure of the connection. */
  judge(answer: Answer, config: JsonObject): Verdict
  readonly examples: readonly SendingExample[]
}

/** Transport of requests. None exists yet, so only a destination without requests can be defined. */
export type Transport = 'none'

export interface EncodedRequest<Request> {
  readonly request: Request
  /** Number of events in it. */
  readonly events: number
}

/** `refused`: the same request will never be accepted. */
export type Verdict = 'delivered' | 'again' | 'refused'

/** Installation and account for which a destination is published. */
export interface PublishSite {
  /** Whether a host, with its port as written, is this installation's own. */
  isOwnHost(host: string): boolean
  /** Whether a text is the ingestion key of another account. */
  isForeignKey(key: string): boolean
  /** End of a sentence about a valid node that this version cannot run. */
  readonly notPublished: string
}

/** Worked example of an own store: it runs as a test and is printed on the reference page. */
export interface StoredExample {
  readonly title: string
  readonly config: JsonObject
  /** Message of an event that is not an unchanged line. */
  readonly event: JsonValue
  /** Members of the stored line. */
  readonly line?: Readonly<Record<string, JsonValue>>
  /** Code and field of the failure. */
  readonly failed?: readonly [ErrorCode, string | null]
}

/** Worked example of a destination that sends requests. */
export interface SendingExample {
  readonly title: string
  readonly config: JsonObject
  /** Messages of the events. */
  readonly events: readonly JsonValue[]
  /** Requests as they are sent. */
  readonly requests: readonly JsonValue[]
}

export function defineOwnStore(destination: OwnStore): OwnStore {
  return destination
}

export function defineDestination<Request, Answer>(
  destination: SendingDestination<Request, Answer>,
): SendingDestination {
  return destination as SendingDestination
}

/** Declares a destination that is accepted, stored and returned, and with which no pipeline can be published. */
export function declareDestination(declaration: NodeDeclaration): NodeDeclaration {
  return declaration
}

/** A sink in the form that the runtime uses. */
export interface SinkNode {
  readonly nodeId: string
  /** Canonical type, independent of the sent alias. */
  readonly type: string
  readonly config: JsonObject
}
