import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { LANE_GUARDS } from './guards.ts'

/** Each guard in a process of its own, where it is switched off. */
const RUN = fileURLToPath(new URL('./run.ts', import.meta.url))
const SEEDS = '2000'
const PATIENCE_MS = 400_000

async function outcomeOf(
  ...args: readonly string[]
): Promise<{ readonly failed?: { readonly why: string } }> {
  const { stdout } = await promisify(execFile)(process.execPath, [RUN, '--seeds', SEEDS, ...args])
  return JSON.parse(stdout)
}

test(
  'every promise about deliveries holds in many worlds',
  async () => {
    expect((await outcomeOf()).failed).toBeUndefined()
  },
  PATIENCE_MS,
)

test.each(Object.keys(LANE_GUARDS))(
  'the simulation of lanes finds the fault of a missing guard: %s',
  async guard => {
    expect((await outcomeOf('--without', guard)).failed?.why).toMatch(
      /^(BrokenPromise|EndlessWorld|FoldError)/,
    )
  },
  PATIENCE_MS,
)
