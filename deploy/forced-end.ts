import type { Logger } from 'pino'

/** Time for the last messages to reach an output that may be blocked. */
const FLUSH_WITHIN_MS = 200

/**
 * Ends this process at once, as a kill does. With the embedded engine it is a kill: the engine's exit handlers wait for running
 * statements, or crash beside them, so `process.exit` took as long as the longest statement or ended with SIGSEGV.
 *
 * @param holdsEngine whether this process has opened the embedded engine
 */
export function endAtOnce(logger: Logger, holdsEngine: boolean): void {
  if (!holdsEngine) process.exit(1)
  const end = () => process.kill(process.pid, 'SIGKILL')
  logger.flush(end)
  setTimeout(end, FLUSH_WITHIN_MS)
}
