import { timeOfStream } from '../../../engine/configuration/kinds/line-routing.ts'
import { HOUR_MS } from '../../../engine/times/duration.ts'
import type { World } from '../world.ts'

/**
 * Maximum age of a stream. A stream stays on the partition of its first request; a new one can use the present partition.
 */
const LONGEST_USE_MS = HOUR_MS

/** First part of idempotency keys: a UUID of version 7, which contains the start time of the stream. */
export function newStream({ clock, entropy }: Pick<World, 'clock' | 'entropy'>): string {
  const time = clock.wallMs().toString(16).padStart(12, '0')
  const [, , , variant, rest] = entropy.uuid().split('-')
  const chance = entropy.bytes(2).toString('hex').slice(1)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${chance}-${variant}-${rest}`
}

/** Whether the stream should be replaced, once it has no outstanding request. */
export function isWorn(stream: string, nowMs: number): boolean {
  const beganMs = timeOfStream(stream)
  return beganMs === undefined || Math.abs(nowMs - beganMs) > LONGEST_USE_MS
}
