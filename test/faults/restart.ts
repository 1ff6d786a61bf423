import type { Injected } from './fault.ts'
import type { Site } from './site.ts'

/** Starts the program, which has ended, and does not wait until it is ready. */
export function restarted({ weir, shipper }: Site, what: string): Injected {
  const injected = { what, sinceMs: performance.now(), newest: shipper.newestAcknowledged }
  // A start that fails is seen by those who wait for it to be ready, with what it printed.
  weir.start().catch(() => undefined)
  return injected
}
