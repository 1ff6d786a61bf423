import type { Clock } from './clock.ts'

/** A clock that moves only when a test moves it. */
export interface ManualClock extends Clock {
  /** Advances the time: both readings move, and due sleepers wake in order. */
  advance(ms: number): void
  /** Advances the time, one second at a time, until `done` settles. */
  advanceUntil<T>(done: Promise<T>): Promise<T>
  /** Sets only the wall reading, as an operator or a time server would. */
  setWall(ms: number): void
}

export function manualClock(startMs = 1_700_000_000_000): ManualClock {
  let wallMs = startMs
  let monotonicMs = 0
  let sleepers: { dueMs: number; wake: () => void }[] = []
  const advance = (ms: number) => {
    wallMs += ms
    monotonicMs += ms
    const due = sleepers.filter(sleeper => sleeper.dueMs <= monotonicMs).sort((a, b) => a.dueMs - b.dueMs)
    sleepers = sleepers.filter(sleeper => sleeper.dueMs > monotonicMs)
    for (const sleeper of due) sleeper.wake()
  }
  return {
    wallMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    sleep: (ms, signal) =>
      new Promise(resolve => {
        if (signal?.aborted || ms <= 0) return resolve()
        const sleeper = { dueMs: monotonicMs + ms, wake: resolve }
        sleepers.push(sleeper)
        signal?.addEventListener(
          'abort',
          () => {
            sleepers = sleepers.filter(other => other !== sleeper)
            resolve()
          },
          { once: true },
        )
      }),
    advance,
    advanceUntil: async done => {
      let pending = true
      const finish = () => {
        pending = false
      }
      done.then(finish, finish)
      while (pending) {
        await new Promise(resolve => setImmediate(resolve))
        if (pending && sleepers.length > 0) advance(1_000)
      }
      return done
    },
    setWall: ms => {
      wallMs = ms
    },
  }
}
