import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { GUARDS } from './guards.ts'

/** Each guard in a process of its own, where it is switched off. */
const RUN = fileURLToPath(new URL('./run.ts', import.meta.url))
const SEEDS = 500
const SEEDS_OF_RARE: Readonly<Record<string, number>> = {
  // A statement must arrive after its settling and before its repeat: about one world in two thousand has such an instant.
  'the epoch is raised before settling': 8_000,
  // The worker must end between the last new value that the limit allows and the next, and its windows must be read.
  'values of a limited tag are in the checkpoint': 2_000,
}
const PATIENCE_MS = 400_000

test.each(Object.keys(GUARDS))(
  'the simulation finds the fault of a missing guard: %s',
  async guard => {
    const seeds = String(SEEDS_OF_RARE[guard] ?? SEEDS)
    const args = [RUN, '--seeds', seeds, '--twice-every', '1000000', '--without', guard, '--whole']
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const last = JSON.parse(stdout.trim().split('\n').at(-1) as string) as { failed?: { why: string } }
    expect(last.failed?.why).toMatch(/^(BrokenPromise|EndlessWorld)/)
  },
  PATIENCE_MS,
)
