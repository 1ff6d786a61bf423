import type { Asker } from '../turns/asker.ts'
import { FairPlaces } from '../turns/fair-places.ts'
import type { EmbeddedSession, NativeSession } from './embedded-session.ts'

/** Sessions for statements of one kind. Each statement gets a session once it is its turn among enterprises and accounts. */
export class SessionPool {
  readonly #sessions: readonly EmbeddedSession[]
  readonly #free: EmbeddedSession[]
  readonly #places: FairPlaces

  constructor(sessions: readonly EmbeddedSession[]) {
    this.#sessions = sessions
    this.#free = [...sessions]
    // One place is for other accounts or enterprises, so that the statements of one never keep those of all others waiting.
    this.#places = new FairPlaces(sessions.length, Math.max(1, sessions.length - 1))
  }

  /**
   * Runs a task on a session that it shares with no other. A session that is being replaced is not free yet: a task that
   * got it would wait, and one that shared the session of another would wait for a reader that may never read on.
   *
   * @throws the reason of the signal, if it is aborted before the task begins
   */
  async run<T>(
    asker: Asker,
    signal: AbortSignal | undefined,
    task: (native: NativeSession) => Promise<T>,
  ): Promise<T> {
    const leave = await this.#places.take(asker, signal)
    // There are as many places as sessions.
    const session = this.#free.pop() as EmbeddedSession
    const result = session.run(task)
    void session.rests().then(() => {
      this.#free.push(session)
      leave()
    })
    return result
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) await session.close()
  }
}
