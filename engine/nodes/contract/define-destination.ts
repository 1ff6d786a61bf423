import type { Static, TObject } from 'typebox'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import type { ErrorCode } from '../../event/errors.ts'
import type { Event } from '../../event/event.ts'
import type { Problem } from '../../event/problem.ts'
import type { NodeDeclaration } from './node-declaration.ts'
import type { DeliveryFailure, OwnStoreSink } from './own-store.ts'

/** Type of destination that this program runs. */
export type Destination = OwnStore | SendingDestination

interface RunningDestination<
  Code extends ErrorCode = ErrorCode,
  FoldOptions extends readonly string[] = readonly string[],
> extends NodeDeclaration {
  /** Number of the first behaviour whose programs run it; absent: the first of all. */
  readonly since?: number
  /** Options that the fold reads, none of them a secret. No other option reaches the log of a partition. */
  readonly foldOptions: FoldOptions
  /** Codes of all failures that it can report. */
  readonly errors: readonly Code[]
  /** Findings that prevent the publication of a node, with pointers into its options, which were checked. */
  publishProblems?(config: JsonObject, site: PublishSite): Problem[]
}

/** Names of options of a schema. */
type OptionNames<Schema extends TObject> = readonly (keyof Static<Schema> & string)[]

/** The options of a schema that the fold reads. */
export type FoldConfig<Schema extends TObject, FoldOptions extends OptionNames<Schema>> = Pick<
  Static<Schema>,
  FoldOptions[number]
>

/** Destination whose events become lines of the own store. The fold makes the lines, and its worker stores them. */
export interface OwnStore<
  Schema extends TObject = TObject,
  FoldOptions extends readonly string[] = readonly string[],
  Config = JsonObject,
> extends RunningDestination<ErrorCode, FoldOptions> {
  readonly config: Schema
  readonly delivery: 'lines'
  /** @param config the options that the fold reads, checked */
  compile(config: Config): OwnStoreSink
  /**
   * Sends lines to other installations. Its options are those of the own store; its type is in no request, only in the documents
   * that partitions receive. Absent: lines stay here.
   */
  readonly elsewhere?: SendingDestination
  /** Whether the lines of a node go to another installation. Absent: never. */
  goesElsewhere?(config: JsonObject, site: Pick<PublishSite, 'isOwnHost'>): boolean
  readonly examples: readonly StoredExample[]
}

/** Transport of destinations without requests: the fold itself calls them. */
export const NO_TRANSPORT = 'none'
/** Transport whose requests are `HttpRequest`. */
export const HTTP_TRANSPORT = 'http'
/** Transport whose requests are `KafkaProduction`. */
export const KAFKA_TRANSPORT = 'kafka'

/**
 * Destination that sends requests to another system. It is pure: it creates requests and judges answers. A transport
 * carries them.
 */
export interface SendingDestination<
  Schema extends TObject = TObject,
  Code extends ErrorCode = ErrorCode,
  Request = unknown,
  Answer = unknown,
  FoldOptions extends readonly string[] = readonly string[],
  Transport extends string = string,
  /** Options that the fold reads. */
  Config = JsonObject,
  /** Options that reach its transport. */
  SentConfig = JsonObject,
> extends RunningDestination<Code, FoldOptions> {
  readonly config: Schema
  readonly delivery: 'requests'
  /**
   * Name of the transport that carries its requests: `none` for a destination without requests, `http` or `kafka`. No pipeline
   * with another one, or with requests and without `since`, can be published.
   */
  readonly transport: Transport
  /**
   * Returns the reason why an event can never be sent; undefined: it can be.
   *
   * @param config the options that the fold reads
   */
  neverSent(event: Event, config: Config): DeliveryFailure<NoInfer<Code>> | undefined
  /** Absent: events need no requests. */
  readonly batching?: Batching<Config>
  /**
   * Creates the requests of a batch, in order. Every event is part of exactly one request, or needs none. The same batch and
   * options always give the same bytes. A batch within the bounds of `batching` needs one request.
   *
   * @param config all options; without a transport, those that the fold reads
   */
  encode(batch: Batch, config: SentConfig): Iterable<EncodedRequest<Request>>
  /**
   * Judges the answer to a request, or the failure of the connection.
   *
   * @param config all options; without a transport, those that the fold reads
   * @returns a verdict on all events of the request, or one per event, in order
   */
  judge(
    answer: Answer,
    config: SentConfig,
    sent: EncodedRequest<Request>,
  ): Verdict<NoInfer<Code>> | readonly Verdict<NoInfer<Code>>[]
  /**
   * Returns the rate of requests that must not be exceeded: more of them wait. Absent or undefined: any.
   *
   * @param config all options
   */
  pace?(config: SentConfig): RequestPace | undefined
  /**
   * Creates a request that changes nothing, whose answer shows whether the server is there and accepts the credentials. Absent:
   * a request of `encode` with an empty body does so.
   *
   * @param config all options
   */
  checkRequest?(config: SentConfig): Request
  readonly examples: readonly SendingExample[]
}

export interface RequestPace {
  readonly requests: number
  /** Length of the span in which as many requests may begin, in ms. */
  readonly perMs: number
}

/** Events that leave together. A repeat has the same id, events and ids of events, also in another process. */
export interface Batch {
  /** Text of a UUID. */
  readonly id: string
  readonly events: readonly Event[]
  /** Id of each event: the decimal text of a number that no other event has, at each repeat and replay the same. */
  readonly eventIds: readonly string[]
  /** Log time at which the batch was closed, UNIX ms. */
  readonly closedMs: number
  /** Place of the batch in its lane; absent: it is in none. */
  readonly place?: BatchPlace
}

/** Place of a batch among those that a node sends from a partition. A repeat has the same place. */
export interface BatchPlace {
  /** Name of the lane, which no other lane of any installation has: 1 to 64 letters, digits and `-`. */
  readonly lane: string
  /** Number of the batch in the lane, which rises. */
  readonly number: number
  /** Absent: the batch is whole. */
  readonly part?: BatchPart
}

/** Part of a batch that is sent alone. */
export interface BatchPart {
  /** Index of its first event in the whole batch. */
  readonly first: number
  readonly events: number
  /** Number of events in the whole batch. */
  readonly of: number
}

/** Rules by which events become batches. They follow from the events and the options alone. */
export interface Batching<Config = JsonObject> {
  /** @param config the options that the fold reads */
  bounds(config: Config): BatchBounds
  /**
   * Returns the bytes that an event adds to a request before compression.
   *
   * @param config the options that the fold reads
   */
  sizeOf(event: Event, config: Config): number
  /**
   * Returns the text by which batches are split: events with different texts are never in one batch. Absent: all may be.
   *
   * @param config the options that the fold reads
   */
  splitOf?(event: Event, config: Config): string
}

/** A batch ends at the first bound that is reached. An event that is larger than a batch is one alone. */
export interface BatchBounds {
  /** Maximum sum of sizes. */
  readonly bytes: number
  /** Maximum number of events; absent: any. */
  readonly events?: number
  /** Time since the first event, in ms. */
  readonly ageMs: number
}

export interface EncodedRequest<Request> {
  readonly request: Request
  /** Number of events in it. */
  readonly events: number
  /**
   * Indexes of events of it that its body does not contain, because the server accepts them only in a later request. They are
   * judged as `again`. Absent: none.
   */
  readonly waiting?: readonly number[]
}

/**
 * Fate of an event after an answer. `again`: the request is repeated. `rest`: the server does not accept the credentials, so
 * the node waits for a change and repeats the request from time to time. `halve`: both halves of the events are sent
 * alone, in order, because one of the events may be the reason. A failure means that the event will never be accepted.
 */
export type Verdict<Code extends ErrorCode = ErrorCode> =
  | 'delivered'
  | 'again'
  | 'rest'
  | 'halve'
  | DeliveryFailure<Code>

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
  readonly failed?: ShownFailure
}

/** Worked example of a destination that sends requests: it runs as a test and is printed on the reference page. */
export interface SendingExample {
  readonly title: string
  readonly config: JsonObject
  /** Messages of events. */
  readonly events: readonly JsonValue[]
  /** Code and field of the failure of each event that can never be sent, by the index of the event. */
  readonly never?: Readonly<Record<number, ShownFailure>>
  /** Requests for the other events, as they are sent. */
  readonly requests: readonly JsonValue[]
  /** Answers to the first request. Absent members of answers by HTTP are empty. */
  readonly answers?: readonly AnswerExample[]
}

export interface AnswerExample {
  readonly answer: JsonValue
  readonly verdict: ShownVerdict | readonly ShownVerdict[]
}

export type ShownVerdict = Exclude<Verdict, DeliveryFailure> | { readonly failed: ShownFailure }

/** Code and field of a failure. */
export type ShownFailure = readonly [ErrorCode, string | null]

/** Checks an own store against its own options, and gives it the type that all of them share. */
export function defineOwnStore<Schema extends TObject, const FoldOptions extends OptionNames<Schema>>(
  destination: OwnStore<Schema, FoldOptions, FoldConfig<Schema, FoldOptions>>,
): OwnStore {
  return destination as unknown as OwnStore
}

/** Checks a destination against its own options, codes and requests, and gives it the type that all of them share. */
export function defineDestination<
  Schema extends TObject,
  Code extends ErrorCode,
  Request,
  Answer,
  const FoldOptions extends OptionNames<Schema>,
  Transport extends string,
>(
  destination: SendingDestination<
    Schema,
    Code,
    Request,
    Answer,
    FoldOptions,
    Transport,
    FoldConfig<Schema, FoldOptions>,
    Transport extends typeof NO_TRANSPORT ? FoldConfig<Schema, FoldOptions> : Static<Schema>
  >,
): SendingDestination {
  return destination as unknown as SendingDestination
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
