import type { preHandlerAsyncHookHandler } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { isLogAway } from '../../engine/log/log.ts'
import { unavailable } from '../http/errors.ts'
import { authenticateAgain, type CallerPorts, isRead } from './request-caller.ts'

export interface PresentPorts extends CallerPorts {
  readonly configuration: ConfigurationLog
  readonly clock: Clock
}

/** The command-line client waits 3 s (configuration and account API, section 1, rule 8) and must get the answer. */
const PATIENCE_MS = 2_000
const AWAY = 'The configuration cannot be read up to its present end at the moment'

/**
 * Runs before a request is handled. A write that was answered holds for every later request, whichever process handles it
 * (configuration and account API, section 1, rule 13). This step does not write, so its failure does not concern changes.
 *
 * @throws ApiError 503; reads wait only for a short time. 401 or 403, unless it is a read, when the caller lost their rights
 */
export function withPresentConfiguration(ports: PresentPorts): preHandlerAsyncHookHandler {
  const { configuration, clock } = ports
  return async (request, reply) => {
    const reads = isRead(request)
    try {
      await (reads ? caughtUpSoon(configuration, clock) : configuration.catchUp())
    } catch (error) {
      throw isLogAway(error) ? unavailable(AWAY) : error
    }
    // The caller was admitted by an older state of this process: a revocation by another one is known by now.
    if (!reads) authenticateAgain(ports, request, reply)
  }
}

async function caughtUpSoon(configuration: Pick<ConfigurationLog, 'catchUp'>, clock: Clock): Promise<void> {
  const done = new AbortController()
  const timeUp = clock.sleep(PATIENCE_MS, done.signal).then(() => {
    if (!done.signal.aborted) throw unavailable(AWAY)
  })
  try {
    await Promise.race([configuration.catchUp(), timeUp])
  } finally {
    done.abort()
  }
}
