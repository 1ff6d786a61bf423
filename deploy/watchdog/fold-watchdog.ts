import { Worker } from 'node:worker_threads'
import { foldProgress, type PlaceNames, PROGRESS_BYTES } from '../../engine/fold-progress.ts'
import type { Logger } from '../../engine/logger.ts'
import { slowestTurn } from './slowest-turn.ts'
import { DEFAULT_LIMITS, type WatchdogLimits } from './standing.ts'

/** Data for the thread. */
export interface WatchdogData {
  readonly memory: SharedArrayBuffer
  readonly limits: WatchdogLimits
  readonly logLevel: string
}

/** Message to the thread with another level. */
export interface NewLevel {
  readonly logLevel: string
}

/** Message to the thread: the names of a place whose number follows in the memory. */
export interface NamedPlace {
  readonly number: number
  readonly names: PlaceNames
}

export interface FoldWatchdog {
  setLevel(logLevel: string): void
  close(): Promise<void>
}

/**
 * Starts a thread that watches the folds of this process. A node that does not come to an end with an event stops all other work of
 * the process, so only another thread can report it. The thread reports it, and then kills the process: other processes can
 * take its partitions, and an orchestrator starts it again. Slow turns of nodes that do end are measured in this thread.
 */
export function startFoldWatchdog(
  logLevel: string,
  logger: Logger,
  limits: WatchdogLimits = DEFAULT_LIMITS,
): FoldWatchdog {
  const memory = new SharedArrayBuffer(PROGRESS_BYTES)
  const workerData: WatchdogData = { memory, limits, logLevel }
  const thread = new Worker(new URL('./watchdog-thread.ts', import.meta.url), {
    workerData,
    name: 'watchdog',
  })
  slowestTurn.logTo(logger)
  const detach = foldProgress.attach(memory, {
    named(number, names) {
      slowestTurn.named(number, names)
      thread.postMessage({ number, names } satisfies NamedPlace)
    },
    moves: (fold, node, offset) => slowestTurn.moves(fold, node, offset),
  })
  thread.on('error', error => {
    detach()
    logger.error({ err: error }, 'the watchdog of the folds has ended')
  })
  // It does not keep the process alive.
  thread.unref()
  return {
    setLevel: logLevel => thread.postMessage({ logLevel } satisfies NewLevel),
    async close() {
      detach()
      await thread.terminate()
    },
  }
}
