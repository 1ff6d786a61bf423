import type { Static, TObject } from 'typebox'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import type { ErrorCode, ErrorDetail, Report } from '../../event/errors.ts'
import type { Event } from '../../event/event.ts'
import type { LeftOut, Outcome } from '../../event/outcome.ts'
import type { Problem } from '../../event/problem.ts'
import type { CostMeter } from '../../expressions/cost-meter.ts'
import type { Steps } from '../../steps.ts'
import type { BucketView } from './buckets.ts'
import type { ColumnForm } from './column-form.ts'
import type { EventPlace } from './event-place.ts'
import type { ExemptKeys } from './exempt-keys.ts'
import type { NodeDeclaration } from './node-declaration.ts'
import type { StateVariable } from './pipeline-variables.ts'
import type { ProfileView } from './profile-view.ts'

export type { CostMeter } from '../../expressions/cost-meter.ts'

/** Type of processor as the API knows it, whether or not this program runs it. */
export interface ProcessorDeclaration<Schema extends TObject = TObject, Config = JsonObject>
  extends NodeDeclaration {
  readonly config: Schema
  /** Named outputs, in their listed order. Absent: only the default output. */
  outputs?(config: Config): readonly ProcessorOutput[]
}

/** Knowledge of the present event, and of its pipeline, beyond the event itself. A caller without it runs only processors that do not need it. */
export interface ProcessorPorts {
  readonly place?: EventPlace
  /** Reads those of the pipeline at the present event. Absent: those of a new pipeline. */
  readonly stateVariable?: StateVariable
}

/** Findings of a longer check; undefined: a pause, in which other work may be done. */
export type RunProblems = Iterable<Problem | undefined>

/**
 * Type of processor: its name, options, errors, behaviour and worked examples. The API, the reference page and the compiler
 * of graphs all read this one value.
 */
export interface Processor<
  Schema extends TObject = TObject,
  Code extends ErrorCode = ErrorCode,
  State = unknown,
  Config = JsonObject,
  Bounds = unknown,
> extends ProcessorDeclaration<Schema, Config> {
  /** Behaviour number of the engine that introduced it; absent: the first. */
  readonly since?: number
  /**
   * Secret options that the fold needs, at the top level. Partitions receive them encrypted with the key of the
   * installation, and no other secret.
   */
  readonly foldSecrets?: readonly string[]
  /** Paths whose values are hidden in the events that error records show; such a value may be a secret or its ciphertext. */
  hiddenFields?(config: Config): readonly string[]
  /** Codes of all errors that it can report. */
  readonly errors: readonly Code[]
  /** Causes of its errors for the reference, where those of the codes speak of something else. */
  readonly causes?: Readonly<Partial<Record<NoInfer<Code>, string>>>
  /**
   * Finds options that are stored, but cannot be run: a pipeline with them is not published. Pointers lead into the
   * options, which were checked.
   */
  runProblems?(config: Config): RunProblems
  /**
   * Prepares the options once. The returned function does the work per event and has no memory of its own.
   *
   * @param meter counts the cost of expressions. Its exceptions must not be caught, and the event may be judged again.
   *   Nothing must change until all expressions have been judged
   */
  compile(
    config: Config,
    report: Report<NoInfer<Code>>,
    meter: CostMeter,
    ports?: ProcessorPorts,
  ): Process<NoInfer<Code>, State>
  /** Present if untouched lines can be judged without their events. */
  readonly columns?: ColumnForm<Config>
  /**
   * Prepares explanations of dropped events. The returned function is called right after the event was judged, and changes
   * nothing. It gets the log time of the event's record, UNIX ms.
   *
   * @param stateVariable works as in `compile`
   */
  explain?(
    config: Config,
    stateVariable?: StateVariable,
  ): (event: Event, state: State, nowMs: number) => JsonObject
  /** Metric with a name of its own, without the prefix of the program, that counts the dropped events of its nodes. */
  readonly droppedMetric?: { readonly name: string; readonly help: string }
  readonly state?: ProcessorState<State, Config, Bounds>
  /** Present if the memory releases events when time passes. */
  readonly windows?: ProcessorWindows<State, Config, NoInfer<Code>>
  readonly examples: readonly Example[]
}

export interface ProcessorOutput {
  /** Part of the output's id after the dot. */
  readonly name: string
  readonly label: string
}

/** Function that does the work per event. @param nowMs log time of the event's record: the only time that a processor may know */
export type Process<Code extends ErrorCode = ErrorCode, State = unknown> = (
  event: Event,
  state: State,
  nowMs: number,
) => Outcome<Code>

/**
 * State of a processor in one partition. It is part of the checkpoint and moves with the partition. Its bounds are those of
 * the processor, the same in every installation; only examples and tests give smaller ones.
 */
export interface ProcessorState<State, Config, Bounds = unknown> {
  /** Creates an empty state. @param seed seed of hashes, which differs between nodes, changes speed and never a result */
  create(seed: number, bounds?: Bounds): State
  /**
   * Advances the time, before the events of a record and also without events. `nowMs` may step back; time does not.
   *
   * @returns false: not everything that is over was forgotten; call it again before anything else
   */
  advance(state: State, nowMs: number, config: Config): boolean
  /** Copies the state, in stretches. Nothing else happens between them, and later changes do not reach the copy. */
  snapshot(state: State): Steps<Uint8Array>
  /** Reads a snapshot, in stretches. @throws RangeError when the bytes are not a snapshot */
  restore(bytes: Uint8Array, bounds?: Bounds): Steps<State>
  /** Figures of its size, for operators. */
  measure(state: State): Readonly<Record<string, number>>
  /** Sets the keys that are not judged for a time; snapshots do not contain them. Absent: no key can be exempt. */
  exempt?(state: State, keys: ExemptKeys): void
  /** Whether the memory is kept after this change of options. */
  keeps(before: Config, after: Config): boolean
  /** Shows people its buckets, if it limits events by key. */
  readonly buckets?: BucketView<State, Config>
  /** Shows people the profile that it builds, which can be emptied. Absent: it builds none. */
  readonly profile?: ProfileView<State>
  /** Distribution over partitions when lines of one account are on many. */
  readonly placement: StatePlacement<State, Config>
}

/**
 * Place of the memory of an account that is on many partitions. `key`: the memory of each key is in one of them. `node`: all
 * memory of a node is in one of them. `partition`: each has a memory of its own, which never moves.
 */
export type StatePlacement<State, Config> =
  | ({ readonly by: 'key' } & KeyedState<State, Config>)
  | ({ readonly by: 'node' } & WholeState<State>)
  | { readonly by: 'partition' }

/**
 * Functions of windows, which end when log time reaches their end. A window holds the events that were gathered: merged into one,
 * or each by itself.
 */
export interface ProcessorWindows<State, Config, Code extends ErrorCode = ErrorCode> {
  /**
   * Log time at which the next window ends, UNIX ms; Infinity: none is open. It may be too early if windows have ended
   * since, never too late.
   */
  deadlineMs(state: State): number
  /**
   * Prepares the release of windows. The returned function ends those that are due at `untilMs`, oldest first, each when
   * the iterator is asked for the next. `nowMs` is the log time, which may be before `untilMs` when all windows end.
   */
  release(
    config: Config,
  ): (state: State, untilMs: number, nowMs: number) => Iterable<EndedWindow | LeftOutByTime<Code>>
  /** Number of held events. A window whose events were merged holds one. */
  open(state: State): number
  /**
   * End of a sentence for explanations of events that are held by themselves: the thing that they wait for. Absent: each event is
   * merged into the result of its window.
   */
  readonly waitsFor?: string
}

export interface EndedWindow extends EndingWindow {
  /** Result of merging its events. */
  readonly event: Event
}

/** A held event that is left out because its window has ended. */
export interface LeftOutByTime<Code extends ErrorCode = ErrorCode> extends LeftOut {
  /** Error to report on it; the first of several events of a window may report that of the window. */
  readonly error?: { readonly code: Code; readonly detail: ErrorDetail }
}

export interface EndingWindow {
  /** Text of the common values of its events; '' for a window of all events. */
  readonly group: string
  /** Number of events in it. */
  readonly events: number
}

/** Memory by key: that of each key is in one partition, regardless of the origin of the events. */
export interface KeyedState<State, Config> {
  /**
   * Prepares hashing. The returned function gives the 32-bit hash of an event's key, the same in every state of a node.
   *
   * @param meter works as in `compile`
   */
  hash(config: Config, meter: CostMeter): (event: Event, state: State) => number
  /**
   * Removes the memory of keys whose share is among `shares`, and gives it in pieces of a bounded size. Between two pieces,
   * undefined means that the work may pause.
   */
  split(
    state: State,
    shares: readonly number[],
    shareOf: (hash: number) => number,
  ): Iterable<StatePiece | undefined>
  /** Adds such a piece. @throws RangeError when the bytes are not valid */
  absorb(state: State, data: Uint8Array): void
}

/** Memory of a node that cannot be divided. All of its events go where it is. */
export interface WholeState<State> {
  /** Removes all of it, and gives it in pieces of a bounded size. In between, undefined means that the work may pause. */
  empty(state: State): Iterable<Uint8Array | undefined>
  /** Adds such a piece. @throws RangeError when the bytes are not valid */
  absorb(state: State, data: Uint8Array): void
}

/** Memory of one share. */
export interface StatePiece {
  readonly share: number
  readonly data: Uint8Array
}

/** Worked example: it runs as a test and is printed on the reference page. */
export interface Example {
  readonly title: string
  readonly config: JsonObject
  /** All bounds of the state, for an example about reaching them. */
  readonly bounds?: Readonly<Record<string, number>>
  readonly steps: readonly ExampleStep[]
}

export interface ExampleStep {
  /** The message; metadata is empty and the timestamp some time, unless `envelope` contains others. */
  readonly event: JsonValue
  readonly envelope?: { readonly metadata?: JsonObject; readonly timestamp?: string }
  /** Time of the event's record, in milliseconds; 0 unless given. */
  readonly atMs?: number
  /** Messages of the windows that time ended before the event. */
  readonly released?: readonly JsonValue[]
  /** Messages that time left out before the event. */
  readonly leftOut?: readonly JsonValue[]
  /** Outcome with bare messages in place of events. */
  readonly outcome: Outcome<ErrorCode, JsonValue>
  readonly metadataAfter?: JsonObject
  readonly timestampAfter?: string
  readonly annotationsAfter?: JsonObject
  /** Errors that are reported, as code and field. */
  readonly errors?: readonly (readonly [ErrorCode, string | null])[]
}

/**
 * Checks a processor against its own options, codes and state, and gives it the one type that all of them share. Its
 * runner passes on the options that it accepted and the state that it created, and reads neither.
 */
export function defineProcessor<
  Schema extends TObject,
  Code extends ErrorCode,
  State = undefined,
  Bounds = undefined,
>(processor: Processor<Schema, Code, State, Static<Schema>, Bounds>): Processor {
  return processor as unknown as Processor
}

/** Declares a processor that is accepted, stored and returned, and with which no pipeline can be published. */
export function declareProcessor<Schema extends TObject>(
  declaration: ProcessorDeclaration<Schema, Static<Schema>>,
): ProcessorDeclaration {
  return declaration as unknown as ProcessorDeclaration
}
