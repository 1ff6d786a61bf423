import { expect, test } from 'vitest'
import { planOf } from './plan.ts'
import { shrink, withOnly } from './shrink.ts'
import { testSeeds } from './tested-seeds.ts'

/** The long form is long-simulation.test.ts. */
testSeeds(40)

test('a failure is shrunk to the actions that it needs', async () => {
  const plan = planOf(1)
  const needed = plan.actions.slice(2, 3).concat(plan.actions.slice(-1))
  const kept = await shrink(plan, async ({ actions }) => needed.every(action => actions.includes(action)))
  expect(withOnly(plan, kept).actions).toEqual(needed)
})
