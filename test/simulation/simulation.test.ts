import { beforeAll, expect, test } from 'vitest'
import { planOf } from './plan.ts'
import { shrink, withOnly } from './shrink.ts'
import { Trial } from './trial.ts'

const SEEDS = Number(process.env.SEEDS ?? 2_000)
const FIRST_SEED = Number(process.env.SEED ?? 1)
const SEEDS_PER_TEST = 250

let trial: Trial
beforeAll(async () => {
  trial = await Trial.open()
})

const firsts = Array.from({ length: Math.ceil(SEEDS / SEEDS_PER_TEST) }, (_, index) => index * SEEDS_PER_TEST)

test.each(firsts.map(index => FIRST_SEED + index))(
  'every promise holds, and a seed repeats itself (from SEED=%i)',
  async first => {
    const last = Math.min(first + SEEDS_PER_TEST, FIRST_SEED + SEEDS)
    for (let seed = first; seed < last; seed++) {
      try {
        await trial.run(planOf(seed), { isTwice: true })
      } catch (error) {
        throw new Error(`npm run simulate -- --seed ${seed} --only all`, { cause: error })
      }
    }
  },
)

test('a failure is shrunk to the actions that it needs', async () => {
  const plan = planOf(1)
  const needed = plan.actions.slice(2, 3).concat(plan.actions.slice(-1))
  const kept = await shrink(plan, async ({ actions }) => needed.every(action => actions.includes(action)))
  expect(withOnly(plan, kept).actions).toEqual(needed)
})
