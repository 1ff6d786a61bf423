import type { LaneName } from '../fold/lane-cursor.ts'

/** Requests of a node that a process has on their way at once: components, section 7.1. */
const MOST_REQUESTS = 8

interface Slots {
  used: number
  /** Oldest first. */
  readonly waiting: (() => void)[]
}

/** Bounds the requests of each node, over all partitions of a process. Those that wait have their turns in order. */
export class RequestSlots {
  readonly #nodes = new Map<string, Slots>()

  /**
   * Makes a request as soon as there is a slot.
   *
   * @throws the reason of the signal when it is aborted before that; otherwise the error of the request
   */
  async run<Answer>(
    { account, pipeline, node }: LaneName,
    signal: AbortSignal,
    request: () => Promise<Answer>,
  ) {
    const key = `${account} ${pipeline} ${node}`
    const slots = this.#nodes.get(key) ?? { used: 0, waiting: [] }
    this.#nodes.set(key, slots)
    if (slots.used < MOST_REQUESTS) slots.used++
    else await nextSlot(slots, signal)
    try {
      return await request()
    } finally {
      // A slot goes from one request to the next.
      const next = slots.waiting.shift()
      if (next === undefined) slots.used--
      else next()
      if (slots.used === 0) this.#nodes.delete(key)
    }
  }
}

function nextSlot({ waiting }: Slots, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.splice(waiting.indexOf(enter), 1)
      reject(signal.reason)
    }
    const enter = () => {
      signal.removeEventListener('abort', leave)
      resolve()
    }
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    waiting.push(enter)
  })
}
