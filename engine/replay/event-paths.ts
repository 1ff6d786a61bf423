import type { JsonObject } from '../../schemas/json.ts'
import type { Event, LineOrigin } from '../event/event.ts'
import type { GraphObserver, SentTo } from '../graph/graph-observer.ts'
import type { NodeError } from '../graph/node-error.ts'

/** Effect of a node on an event. */
export interface ExplainedStep {
  readonly node: string
  /**
   * `held`: it opened a window of the node; `merged`: it became part of events in a window. The result of the window
   * belongs to its last event. `moved`: it went to the partition of its key and continues there.
   */
  readonly outcome: 'passed' | 'dropped' | 'failed' | 'held' | 'merged' | 'moved'
  /** Names of the outputs by which it left; '' is the default one. */
  readonly outputs: readonly string[]
  readonly event: Event
  /** Rule that dropped the event, as reported by the processor. */
  readonly reason: JsonObject | undefined
  /** Destination of an event that moved. */
  readonly sentTo: SentTo | undefined
  readonly errors: readonly NodeError[]
}

type OpenStep = Omit<ExplainedStep, 'outputs' | 'errors'> & { readonly outputs: string[] }

/** Records the effects of a pipeline's nodes on some of the events that entered it. */
export class EventPaths implements GraphObserver {
  readonly #isAsked: (row: number) => boolean
  readonly #steps = new Map<number, OpenStep[]>()
  /** Rows of the last events of windows, by their results: each result has a line of its own. */
  readonly #lastRows = new Map<LineOrigin, number>()
  readonly #errors: { readonly row: number; readonly error: NodeError }[] = []

  constructor(isAsked: (row: number) => boolean) {
    this.#isAsked = isAsked
  }

  left(node: string, output: string, event: Event, row: number): void {
    if (!this.#isAsked(row)) return
    const same = this.#of(row).find(step => step.node === node && step.event === event)
    if (same === undefined) this.#add(row, { node, outcome: 'passed', outputs: [output], event })
    else same.outputs.push(output)
  }

  dropped(node: string, event: Event, row: number, reason: () => JsonObject | undefined): void {
    if (this.#isAsked(row)) this.#add(row, { node, outcome: 'dropped', event, reason: reason() })
  }

  gathered(node: string, event: Event, row: number, merged: boolean): void {
    if (this.#isAsked(row)) this.#add(row, { node, outcome: merged ? 'merged' : 'held', event })
  }

  gave(_node: string, { origin }: Event, _window: unknown, row: number): void {
    if (origin !== null && this.#isAsked(row)) this.#lastRows.set(origin, row)
  }

  failed(node: string, event: Event, row: number): void {
    if (this.#isAsked(row)) this.#add(row, { node, outcome: 'failed', event })
  }

  moved(node: string, event: Event, row: number, sentTo: SentTo): void {
    if (this.#isAsked(row)) this.#add(row, { node, outcome: 'moved', event, sentTo })
  }

  reported(error: NodeError, row: number): void {
    if (this.#isAsked(row)) this.#errors.push({ row, error })
  }

  /**
   * @param row number of the event that entered @returns steps in the order in which nodes handled the event and its
   *   results
   */
  steps(row: number): ExplainedStep[] {
    return this.#of(row).map(step => ({
      ...step,
      errors: this.#errors
        .filter(each => each.row === row && each.error.nodeId === step.node)
        .map(({ error }) => error),
    }))
  }

  /** Row of the last event in the window, for a window's result or an event made from it. */
  lastRowIn({ origin }: Event): number | undefined {
    return origin === null ? undefined : this.#lastRows.get(origin)
  }

  #of(row: number): OpenStep[] {
    return this.#steps.get(row) ?? []
  }

  #add(row: number, step: Pick<OpenStep, 'node' | 'outcome' | 'event'> & Partial<OpenStep>): void {
    this.#steps.set(row, [...this.#of(row), { outputs: [], reason: undefined, sentTo: undefined, ...step }])
  }
}
