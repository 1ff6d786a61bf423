import { seededBytes } from '../../engine/entropy/seeded-entropy.ts'

/** Random decisions that a seed repeats. */
export interface Dice {
  /** A whole number from 0 up to, not including, `sides`. */
  below(sides: number): number
  /** True that often, from 0 to 1. */
  chance(share: number): boolean
  pick<T>(choices: readonly T[]): T
}

export function newDice(seed: number): Dice {
  const byte = seededBytes(seed)
  const fraction = () => ((byte() | (byte() << 8) | (byte() << 16) | (byte() << 24)) >>> 0) / 2 ** 32
  return {
    below: sides => Math.floor(fraction() * sides),
    chance: share => fraction() < share,
    pick: choices => choices[Math.floor(fraction() * choices.length)] as (typeof choices)[number],
  }
}
