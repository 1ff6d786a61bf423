import type { Logger } from 'pino'
import { endByForce } from './forced-end.ts'

/** Time limit of a graceful stop: services are usually killed ten seconds after the signal. */
const STOP_WITHIN_MS = 9_500

export interface GracefulStop {
  readonly logger: Logger
  /** Consequence of an end by force, for the log. */
  readonly consequence: string
  /** Whether the embedded engine runs in this process. */
  readonly holdsEngine: boolean
  /** Default: `STOP_WITHIN_MS`. */
  readonly withinMs?: number
}

/** Stops a role, and ends the process when that takes too long. */
export async function stopGracefully(
  { logger, consequence, holdsEngine, withinMs = STOP_WITHIN_MS }: GracefulStop,
  stop: () => Promise<void>,
): Promise<void> {
  const startedMs = performance.now()
  const late = setTimeout(() => {
    logger.error({}, `stopping took too long: ${consequence}`)
    endByForce(holdsEngine)
  }, withinMs)
  await stop()
  clearTimeout(late)
  logger.info({ tookMs: Math.round(performance.now() - startedMs) }, 'stopped')
}
