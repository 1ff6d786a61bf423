import { type KeptEvent, keptBytes, keptEventsJson } from '../../../event/kept-event.ts'
import { exactJsonText } from '../../../json/json-text.ts'
import { QueueMap } from '../../../windows/queue-map.ts'
import { copiedText } from '../../contract/values-key.ts'

/** Size of the text of held spans that is written or read at once. */
const STRETCH_CHARACTERS = 32_768

/** Beginning of the lines with spans. */
export const WAITING = '["waiting"'

/** A trace whose root has not come. */
export interface WaitingTrace {
  readonly trace: string
  /** Log time until which it waits, UNIX ms. */
  readonly endMs: number
  readonly spans: KeptEvent[]
  bytes: number
}

/** Traces whose roots have not come, in the order in which they began to wait, which is that of their ends. */
export class WaitingTraces {
  readonly #traces = new QueueMap<string, WaitingTrace>()
  #spans = 0
  #bytes = 0

  get count(): number {
    return this.#traces.size
  }

  /** Number of spans of all traces. */
  get spans(): number {
    return this.#spans
  }

  /** Bytes of all spans. */
  get bytes(): number {
    return this.#bytes
  }

  get oldest(): WaitingTrace | undefined {
    const { first } = this.#traces
    return first === undefined ? undefined : this.#traces.get(first)
  }

  find(trace: string): WaitingTrace | undefined {
    return this.#traces.get(trace)
  }

  /** @param endMs end of the wait, if the span is the first of its trace */
  add(trace: string, endMs: number, span: KeptEvent): void {
    let waiting = this.#traces.get(trace)
    if (waiting === undefined) {
      const id = copiedText(trace)
      waiting = { trace: id, endMs, spans: [], bytes: 0 }
      this.#traces.add(id, waiting)
    }
    const bytes = keptBytes(span)
    waiting.spans.push(span)
    waiting.bytes += bytes
    this.#spans++
    this.#bytes += bytes
  }

  /** Ends the wait of a trace. */
  end(waiting: WaitingTrace): void {
    this.#traces.delete(waiting.trace)
    this.#spans -= waiting.spans.length
    this.#bytes -= waiting.bytes
  }

  *all(): Generator<WaitingTrace> {
    for (const [, waiting] of this.#traces.entries()) yield waiting
  }

  /** Restores the order after traces of another partition were added. */
  sort(): void {
    this.#traces.sort((one, other) => one.endMs - other.endMs)
  }
}

/** The spans of a trace in lines of a bounded size, but for single spans that are larger. */
export function* waitingLines(
  { trace, endMs, spans }: WaitingTrace,
  characters = STRETCH_CHARACTERS,
): Generator<string> {
  const head = `${WAITING},${JSON.stringify(trace)},${endMs},`
  let together: KeptEvent[] = []
  let bytes = 0
  for (const span of spans) {
    together.push(span)
    bytes += keptBytes(span)
    // Base64 adds a third.
    if (bytes + (bytes >> 1) < characters) continue
    yield `${head}${keptEventsJson(together).map(exactJsonText).join(',')}]`
    together = []
    bytes = 0
  }
  if (together.length > 0) yield `${head}${keptEventsJson(together).map(exactJsonText).join(',')}]`
}
