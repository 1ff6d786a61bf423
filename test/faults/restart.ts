import type { Injected } from './fault.ts'
import type { Site } from './site.ts'

/** Starts the program, which has ended, and does not wait until it is ready. */
export function restarted({ weir, shipper }: Site, what: string): Injected {
  const injected = { what, sinceMs: performance.now(), newest: shipper.newestAcknowledged }
  // A failed start is noticed by callers that wait for readiness, with its output.
  weir.start().catch(() => undefined)
  return injected
}
