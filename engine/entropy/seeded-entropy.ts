import type { Entropy } from './entropy.ts'

/** Pseudo-random bytes, one per call; equal for equal seeds (mulberry32). */
export function seededBytes(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) & 0xff
  }
}

/** Entropy that is equal for equal seeds: for tests and simulations, never for keys. */
export function seededEntropy(seed: number): Entropy {
  const next = seededBytes(seed)
  const bytes = (count: number) => {
    const buffer = Buffer.allocUnsafe(count)
    for (let index = 0; index < count; index++) buffer[index] = next()
    return buffer
  }
  return {
    bytes,
    uuid: () => {
      const raw = bytes(16)
      raw[6] = ((raw[6] as number) & 0x0f) | 0x40
      raw[8] = ((raw[8] as number) & 0x3f) | 0x80
      const hex = raw.toString('hex')
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
        '-',
      )
    },
  }
}
