import { beforeAll, test } from 'vitest'
import { planOf } from './plan.ts'
import { Trial } from './trial.ts'

const FIRST_SEED = Number(process.env.SEED ?? 1)
const SEEDS_PER_TEST = 125
const PATIENCE_MS = 180_000

/**
 * Tries worlds one after another.
 *
 * @param count of worlds; SEEDS says otherwise, and SEED which is the first
 * @param twiceEvery one of so many is tried twice, and must give the same bytes
 */
export function testSeeds(count: number, twiceEvery = 1): void {
  const seeds = Number(process.env.SEEDS ?? count)
  const firsts = Array.from(
    { length: Math.ceil(seeds / SEEDS_PER_TEST) },
    (_, index) => FIRST_SEED + index * SEEDS_PER_TEST,
  )
  let trial: Trial
  beforeAll(async () => {
    trial = await Trial.open()
  })

  test.each(firsts)(
    'every promise holds, and a seed repeats itself (from SEED=%i)',
    async first => {
      const last = Math.min(first + SEEDS_PER_TEST, FIRST_SEED + seeds)
      for (let seed = first; seed < last; seed++) {
        try {
          await trial.run(planOf(seed), { isTwice: seed % twiceEvery === 0 })
        } catch (error) {
          throw new Error(`npm run simulate -- --seed ${seed} --only all`, { cause: error })
        }
      }
    },
    PATIENCE_MS,
  )
}
