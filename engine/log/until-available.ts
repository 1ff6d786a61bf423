import { BackOff } from '../clock/back-off.ts'
import type { Clock } from '../clock/clock.ts'
import { LogError } from './log.ts'

const PAUSES = { firstMs: 250, longestMs: 1_000 }

/**
 * Repeats a call until unavailable brokers are back.
 *
 * @param signal ends the repetition by the error of the call
 * @param untilMs monotonic time that ends it likewise
 * @throws the error of the call unless it is a retriable one of the log
 */
export function untilAvailable<T>(
  call: () => Promise<T>,
  clock: Clock,
  {
    signal,
    untilMs = Number.POSITIVE_INFINITY,
  }: { readonly signal?: AbortSignal; readonly untilMs?: number } = {},
): Promise<T> {
  const mayRepeat = (error: unknown) =>
    error instanceof LogError && error.retriable && clock.monotonicMs() < untilMs
  return new BackOff(clock, PAUSES).repeat(call, mayRepeat, signal)
}
