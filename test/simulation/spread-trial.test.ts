import { test } from 'vitest'
import { IS_LONG } from '../support/long-form.ts'
import { SpreadTrial } from './spread-trial.ts'

const SEEDS = Number(process.env.SEEDS ?? (IS_LONG ? 120 : 6))
const FIRST_SEED = Number(process.env.SEED ?? 1)

test.each(Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index))(
  'a processor remembers while its account is spread and gathered (SEED=%i)',
  async seed => new SpreadTrial().run({ seed }),
)
