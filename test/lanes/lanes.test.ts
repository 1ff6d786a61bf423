import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { patched } from '../simulation/switched-off.ts'
import { LANE_GUARDS } from './guards.ts'
import { tryLanes } from './lanes-trial.ts'

const ROOT = new URL('../../', import.meta.url)
const FIRST_SEED = Number(process.env.SEED ?? 1)
/** The long form is guards.test.ts, and `node test/lanes/run.ts`. */
const SEEDS = Number(process.env.SEEDS ?? 40)

test(`every promise about deliveries holds, and a seed repeats itself (from SEED=${FIRST_SEED})`, async () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    try {
      await tryLanes(seed, seed % 4 === 0)
    } catch (error) {
      throw new Error(`node test/lanes/run.ts --seed ${seed}`, { cause: error })
    }
  }
})

test.each(Object.entries(LANE_GUARDS))(
  'each patch of a guard meets its text exactly once: %s',
  (_name, patches) => {
    const sources = new Map<string, string>()
    for (const patch of patches) {
      const source = sources.get(patch.file) ?? readFileSync(new URL(patch.file, ROOT), 'utf8')
      const without = patched(source, patch)
      expect(without).not.toBe(source)
      sources.set(patch.file, without)
    }
  },
)
