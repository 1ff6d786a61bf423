import type { Static, TObject } from 'typebox'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import type { ErrorCode, Report } from '../../event/errors.ts'
import type { Event } from '../../event/event.ts'
import type { Outcome } from '../../event/outcome.ts'
import type { Problem } from '../../event/problem.ts'
import type { CostMeter } from '../../expressions/cost-meter.ts'
import type { Steps } from '../../steps.ts'
import type { ExemptKeys } from './exempt-keys.ts'
import type { NodeDeclaration } from './node-declaration.ts'
import type { StateBounds } from './state-bounds.ts'

/** A kind of processor as the API knows it, whether or not this program runs it. */
export interface ProcessorDeclaration<Schema extends TObject = TObject, Config = JsonObject>
  extends NodeDeclaration {
  readonly config: Schema
  /** Named ways out, in the order in which they are listed. A processor without has one, the default output. */
  outputs?(config: Config): readonly ProcessorOutput[]
}

/**
 * A kind of processor: its name, options, errors, behaviour and worked examples. What the API checks, what the
 * reference page says and what the compiler of graphs runs are all read from this one value.
 */
export interface Processor<
  Schema extends TObject = TObject,
  Code extends ErrorCode = ErrorCode,
  State = unknown,
  Config = JsonObject,
> extends ProcessorDeclaration<Schema, Config> {
  /** Behaviour number of the engine that brought it; absent: the first. */
  readonly since?: number
  /** Every code that it can report. */
  readonly errors: readonly Code[]
  /**
   * What is wrong with options that are kept as clients send them, and that nothing can run by: a pipeline with them is
   * not published. Pointers lead into the options, which were checked.
   */
  runProblems?(config: Config): Problem[]
  /**
   * Does the thinking once; the function that it returns does the work per event and keeps nothing of its own.
   *
   * @param meter counts what expressions cost. What it throws goes through, and the event may be judged again: until all
   *   expressions have been judged, nothing may change
   */
  compile(config: Config, report: Report<NoInfer<Code>>, meter: CostMeter): Process<NoInfer<Code>, State>
  /**
   * Tells somebody who asks why an event was dropped: done once; the function that it returns is asked right after
   * the event was judged, and changes nothing.
   */
  explain?(config: Config): (event: Event, state: State) => JsonObject
  readonly state?: ProcessorState<State, Config>
  /** Of a processor whose memory gives events when time passes. */
  readonly windows?: ProcessorWindows<State, Config>
  readonly examples: readonly Example[]
}

export interface ProcessorOutput {
  /** Part of the output's id after the dot. */
  readonly name: string
  readonly label: string
}

/** @param nowMs log time of the record that the event came with: the only time that a processor may know */
export type Process<Code extends ErrorCode = ErrorCode, State = unknown> = (
  event: Event,
  state: State,
  nowMs: number,
) => Outcome<Code>

/** What a processor remembers of one partition. It is part of the checkpoint and goes where the partition goes. */
export interface ProcessorState<State, Config> {
  /** @param seed for hashes: differs from node to node, changes speed and never a result */
  create(bounds: StateBounds, seed: number): State
  /**
   * Lets time pass, before the events of a record and also without events. `nowMs` may step back; time does not.
   *
   * @returns false: there is more to forget than is done at a time, and it is to be called again before anything else
   */
  advance(state: State, nowMs: number, config: Config): boolean
  /** A copy: what happens to the state later does not change it. It is made in stretches, and nothing happens between them. */
  snapshot(state: State): Steps<Uint8Array>
  /** @throws RangeError when the bytes are no snapshot */
  restore(bytes: Uint8Array, bounds: StateBounds): State
  /** How much it holds, for operators. */
  measure(state: State): Readonly<Record<string, number>>
  /** Tells it of the keys that are not judged for a time: theirs is part of no snapshot. Absent: none can be. */
  exempt?(state: State, keys: ExemptKeys): void
  /** Whether the memory survives this change of options. */
  keeps(before: Config, after: Config): boolean
  /** How it is shared out when lines of one account are on many partitions. */
  readonly keyed: KeyedState<State, Config>
}

/** What comes out by itself: windows end when log time reaches their end. */
export interface ProcessorWindows<State, Config> {
  /** Log time at which the next window ends, UNIX ms; Infinity: none is open. It may be too early by what has ended since, never too late. */
  deadlineMs(state: State): number
  /**
   * Done once; the function that it returns ends the windows whose end is at `untilMs` or before, one whenever the next is
   * asked for, oldest first.
   */
  release(config: Config): (state: State, untilMs: number) => Iterable<EndedWindow>
  /** How many are open: each holds one event, which the others were merged into. */
  open(state: State): number
}

export interface EndedWindow extends EndingWindow {
  /** What was in it. */
  readonly event: Event
}

export interface EndingWindow {
  /** What the events in it have in common, as the processor writes it; '' where it is all of them. */
  readonly group: string
  /** Number of events in it. */
  readonly events: number
}

/** Memory by key: each key's is in one place, wherever the events come from. */
export interface KeyedState<State, Config> {
  /** Done once; the function that it returns tells where an event belongs: a number of 32 bits, the same for a key in every state of a node. */
  hash(config: Config): (event: Event, state: State) => number
  /** Takes out the memory of keys whose share is among `shares`, in pieces of a bounded size. */
  split(
    state: State,
    shares: readonly number[],
    shareOf: (hash: number) => number,
  ): Iterable<{ readonly share: number; readonly data: Uint8Array }>
  /** Takes in such a piece. @throws RangeError when the bytes are none */
  absorb(state: State, data: Uint8Array, bounds: StateBounds): void
}

/** A worked example: it runs as a test and is printed on the reference page. */
export interface Example {
  readonly title: string
  readonly config: JsonObject
  /** Bounds of the state, where the example is about reaching them. */
  readonly bounds?: StateBounds
  readonly steps: readonly ExampleStep[]
}

export interface ExampleStep {
  /** The message; metadata is empty and the timestamp some time, unless `envelope` says otherwise. */
  readonly event: JsonValue
  readonly envelope?: { readonly metadata?: JsonObject; readonly timestamp?: string }
  /** Time of the record that the event came with, in milliseconds; 0 unless given. */
  readonly atMs?: number
  /** What time has ended before the event comes. */
  readonly released?: readonly JsonValue[]
  /** Written with bare messages in the place of events. */
  readonly outcome: Outcome<ErrorCode, JsonValue>
  readonly metadataAfter?: JsonObject
  readonly timestampAfter?: string
  /** Errors reported on the way, as code and field. */
  readonly errors?: readonly (readonly [ErrorCode, string | null])[]
}

/**
 * Checks a processor against its own options, codes and state, and gives it the one type under which all of them
 * are kept: whoever runs a processor hands it the options it accepted and the state it made, and looks into neither.
 */
export function defineProcessor<Schema extends TObject, Code extends ErrorCode, State = undefined>(
  processor: Processor<Schema, Code, State, Static<Schema>>,
): Processor {
  return processor as unknown as Processor
}

/** A processor that is accepted, stored and echoed, and that no pipeline with it can be published with. */
export function declareProcessor<Schema extends TObject>(
  declaration: ProcessorDeclaration<Schema, Static<Schema>>,
): ProcessorDeclaration {
  return declaration as unknown as ProcessorDeclaration
}
