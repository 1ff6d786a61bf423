import type { Logger } from 'pino'

/** Time for the last messages, which are written in the background, to reach their output. */
const WRITTEN_WITHIN_MS = 100

/**
 * Ends this process as a kill does. With the embedded engine it is a kill: the engine's exit handlers wait for running statements,
 * or crash beside them, so `process.exit` took as long as the longest statement or ended with SIGSEGV.
 *
 * @param holdsEngine whether this process has opened the embedded engine
 */
export function endByForce(holdsEngine: boolean): void {
  if (!holdsEngine) process.exit(1)
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), WRITTEN_WITHIN_MS)
}

/** Ends this process by force, which holds the embedded engine, with a sentence in the log. */
export function endWith(sentence: string, logger: Logger): void {
  logger.fatal({}, sentence)
  endByForce(true)
}
