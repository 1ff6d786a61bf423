import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../engine/times/duration.ts'

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: SECOND_MS,
  m: MINUTE_MS,
  min: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
}

/** Reads `90s`, `15m`, `1h`, `2d`, `1w` or `500ms`; undefined for other texts. */
export function durationMs(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|d|w)$/.exec(text.trim())
  return match ? Number(match[1]) * (UNIT_MS[match[2] as string] as number) : undefined
}
