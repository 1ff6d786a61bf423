import type { ClickHouseClient } from '@clickhouse/client'

/** Connection of the engine as its packages give it. */
export interface NativeSession {
  readonly client: ClickHouseClient
  /** Answer in JSONEachRow; the engine plans and runs the statement on a thread of its own. */
  readWhole(sql: string): Promise<Uint8Array>
  /** Answer in JSONEachRow, block by block. The calling thread waits until the statement is planned. */
  openStream(sql: string): AsyncIterable<{ raw(): Uint8Array }>
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

  /** Resolves when the tasks so far have ended and the session is ready for another one. */
  async rests(): Promise<void> {
    await this.#tail
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
    // The engine lists a failed statement until the next one of its connection begins, and scans pause while it is listed.
    // The connection itself is closed only once no statement runs, which may be a scan that pauses.
    await this.#native.client.command({ query: 'SELECT 1' }).catch(() => {})
    const next = await this.#open()
    await this.#native.client.close()
    this.#native = next
    this.#clean = true
  }
}
