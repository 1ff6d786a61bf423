const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** Reads `90s`, `15m`, `1h`, `2d`, `1w` or `500ms`; undefined when it is none. */
export function durationMs(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|d|w)$/.exec(text.trim())
  return match ? Number(match[1]) * (UNIT_MS[match[2] as string] as number) : undefined
}
