import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { CROWD_CONTROLS } from '../support/crowd/crowd-controls.ts'
import { CrowdedFront } from '../support/crowd/crowded-front.ts'
import { REQUESTS_OF_CROWD } from '../support/crowd/drawn-crowd.ts'
import { IS_LONG } from '../support/long-form.ts'

const FIRST_SEED = Number(process.env.SEED ?? 1)
const SEEDS = Number(process.env.SEEDS ?? (IS_LONG ? 100 : 8))
const SEEDS_OF_CONTROL = 60
const PRELOAD = fileURLToPath(new URL('../support/switched-off-preload.ts', import.meta.url))
const TRY_CROWDS = fileURLToPath(new URL('../support/crowd/try-crowds.ts', import.meta.url))

test('bodies that are read at the same time keep their lines, accounts and keys', async () => {
  const front = await CrowdedFront.open()
  try {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
      await expect(front.try(seed, REQUESTS_OF_CROWD), `SEED=${seed} SEEDS=1`).resolves.toBeUndefined()
  } finally {
    await front.close()
  }
})

/** The short form shows the first fault, which is the one that has been in the program. */
const controls = Object.entries(CROWD_CONTROLS).slice(0, IS_LONG ? undefined : 1)

test.each(controls)('crowds of bodies show the fault: %s', async (_fault, patch) => {
  const args = ['--import', PRELOAD, TRY_CROWDS, String(SEEDS_OF_CONTROL)]
  const env = { ...process.env, SWITCHED_OFF: JSON.stringify([patch]) }
  await expect(promisify(execFile)(process.execPath, args, { env })).rejects.toThrow('CrowdError')
})
