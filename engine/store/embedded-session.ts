import type { ClickHouseClient } from '@clickhouse/client'

/** Connection of the engine as its packages give it. */
export interface NativeSession {
  readonly client: ClickHouseClient
  openStream(sql: string): AsyncIterable<{ text(): string }>
}

/**
 * One connection of the engine. It runs one statement at a time, so statements queue. It is replaced after a failed
 * statement. The engine would return the remaining rows of such a statement as the first rows of the connection's next
 * answer.
 */
export class EmbeddedSession {
  waiting = 0
  readonly #open: () => Promise<NativeSession>
  #native: NativeSession
  #clean = true
  #tail: Promise<unknown> = Promise.resolve()

  private constructor(open: () => Promise<NativeSession>, native: NativeSession) {
    this.#open = open
    this.#native = native
  }

  static async open(open: () => Promise<NativeSession>): Promise<EmbeddedSession> {
    return new EmbeddedSession(open, await open())
  }

  /** Runs a task when those before it have ended. */
  run<T>(task: (native: NativeSession) => Promise<T>): Promise<T> {
    this.waiting++
    const result = this.#tail.then(() => this.#runCleanly(task))
    this.#tail = result
      // Replaces it at once, so that the remains take no memory; if this fails, the next task tries again.
      .catch(() => this.#replace())
      .catch(() => {})
      .finally(() => {
        this.waiting--
      })
    return result
  }

  async close(): Promise<void> {
    await this.#tail
    await this.#native.client.close()
  }

  async #runCleanly<T>(task: (native: NativeSession) => Promise<T>): Promise<T> {
    if (!this.#clean) await this.#replace()
    this.#clean = false
    const result = await task(this.#native)
    this.#clean = true
    return result
  }

  async #replace(): Promise<void> {
    const next = await this.#open()
    await this.#native.client.close()
    this.#native = next
    this.#clean = true
  }
}
