import { jsonText } from '../../json/json-text.ts'
import type { LeftEvent } from './preview-side.ts'

/** Results that match each other on both sides; absent: missing on that side. */
export interface GivenPair {
  readonly deployed: LeftEvent | undefined
  readonly draft: LeftEvent | undefined
}

/**
 * Window results of one side without a match on the other so far. They belong to no line, and a window may end elsewhere
 * and at another time on the other side, so they are matched by content.
 */
export class WindowsGiven {
  readonly #deployed = new Unmatched()
  readonly #draft = new Unmatched()

  add(deployed: readonly LeftEvent[], draft: readonly LeftEvent[]): void {
    for (const left of deployed) this.#draft.take(left) || this.#deployed.add(left)
    for (const left of draft) this.#deployed.take(left) || this.#draft.add(left)
  }

  /** Number of results without a match, of the side that has more. */
  get size(): number {
    return Math.max(this.#deployed.size, this.#draft.size)
  }

  /** Takes all results without a match, oldest first. */
  takeDiffering(): GivenPair[] {
    const [deployed, draft] = [this.#deployed.takeAll(), this.#draft.takeAll()]
    const longer = deployed.length > draft.length ? deployed : draft
    return longer.map((_, index) => ({ deployed: deployed[index], draft: draft[index] }))
  }
}

class Unmatched {
  readonly #events = new Map<string, LeftEvent[]>()
  size = 0

  add(left: LeftEvent): void {
    const content = contentOf(left)
    const same = this.#events.get(content)
    if (same === undefined) this.#events.set(content, [left])
    else same.push(left)
    this.size++
  }

  /** @returns whether there was a result with that content */
  take(left: LeftEvent): boolean {
    if (this.size === 0) return false
    const content = contentOf(left)
    const same = this.#events.get(content)
    if (same === undefined) return false
    same.pop()
    if (same.length === 0) this.#events.delete(content)
    this.size--
    return true
  }

  takeAll(): LeftEvent[] {
    const all = [...this.#events.values()].flat()
    this.#events.clear()
    this.size = 0
    return all
  }
}

export function contentOf({ node, event: { message, metadata, timestamp } }: LeftEvent): string {
  return `${node} ${jsonText([message, metadata, timestamp])}`
}
