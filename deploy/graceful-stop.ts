import type { Logger } from 'pino'

/** Time limit of a graceful stop: services are usually killed ten seconds after the signal. */
const STOP_WITHIN_MS = 9_500

/**
 * Stops a role, and ends the process when that takes too long.
 *
 * @param consequence of such an end, for the log
 */
export async function stopGracefully(
  logger: Logger,
  consequence: string,
  stop: () => Promise<void>,
): Promise<void> {
  const startedMs = performance.now()
  const late = setTimeout(() => {
    logger.error({}, `stopping took too long: ${consequence}`)
    process.exit(1)
  }, STOP_WITHIN_MS)
  await stop()
  clearTimeout(late)
  logger.info({ tookMs: Math.round(performance.now() - startedMs) }, 'stopped')
}
