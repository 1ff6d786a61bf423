import type { JsonObject } from '../../schemas/json.ts'
import type { Event, LineOrigin } from '../event/event.ts'
import type { GraphObserver, SentTo } from '../graph/graph-observer.ts'
import type { NodeError } from '../graph/node-error.ts'

/** What a node did with an event. */
export interface ExplainedStep {
  readonly node: string
  /**
   * `held`: it opened a window of the node; `merged`: into the events that a window holds. What the window gives is told
   * of the event that is the last in it. `moved`: to the partition where the memory of its key is, where it goes on.
   */
  readonly outcome: 'passed' | 'dropped' | 'failed' | 'held' | 'merged' | 'moved'
  /** Names of the outputs that it left by; '' is the default one. */
  readonly outputs: readonly string[]
  readonly event: Event
  /** Of an event that was dropped: which rule it was, as the processor says. */
  readonly reason: JsonObject | undefined
  /** Of an event that moved. */
  readonly sentTo: SentTo | undefined
  readonly errors: readonly NodeError[]
}

type OpenStep = Omit<ExplainedStep, 'outputs' | 'errors'> & { readonly outputs: string[] }

/** What the nodes of a pipeline did with some of the events that entered it. */
export class EventPaths implements GraphObserver {
  readonly #isAsked: (row: number) => boolean
  readonly #steps = new Map<number, OpenStep[]>()
  /** Rows of the last events of windows, by what these gave: that has a line of its own. */
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

  /** @param row number of the event that entered @returns in the order in which nodes met what became of it */
  steps(row: number): ExplainedStep[] {
    return this.#of(row).map(step => ({
      ...step,
      errors: this.#errors
        .filter(each => each.row === row && each.error.nodeId === step.node)
        .map(({ error }) => error),
    }))
  }

  /** Of an event that a window gave, or that became of that: the row of the last event in the window. */
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
