import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { GUARDS } from './guards.ts'

/** Each guard in a process of its own, where it is switched off. */
const RUN = fileURLToPath(new URL('./run.ts', import.meta.url))
const SEEDS = '500'

test.each(Object.keys(GUARDS))('the simulation misses a guard: %s', async guard => {
  const args = [RUN, '--seeds', SEEDS, '--twice-every', '1000000', '--without', guard, '--whole']
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const last = JSON.parse(stdout.trim().split('\n').at(-1) as string) as { failed?: { why: string } }
  expect(last.failed?.why).toMatch(/^(BrokenPromise|EndlessWorld)/)
})
