import { expect, test } from 'vitest'
import { SmallDisk } from './small-disk.ts'
import { mayTrace } from './tracing.ts'
import { triedCampaign } from './tried-campaign.ts'

const SEED = Number(process.env.SEED ?? 1)
/** `npm run faults -- --kills 500` runs more. */
const KILLS = 10
const LONGEST_PAUSE_MS = 2_000

test(`killed, stopped and without disk, the program keeps what it acknowledged, once (SEED=${SEED})`, async () => {
  const options = { seed: SEED, kills: KILLS, longestPauseMs: LONGEST_PAUSE_MS }
  const { tally, times, printed } = await triedCampaign(options)
  expect(tally.findings, printed).toEqual([])
  expect(times(/^kill -9($|,| while)/)).toBe(KILLS)
  expect(times(/^SIGSTOP/)).toBe(1)
  expect(times(/^lost log tail/)).toBe(1)
  expect(times(/^configuration ends early/)).toBe(1)
  expect(times(/^expressions at full budget/)).toBe(1)
  expect(times(/^ten processors/)).toBe(KILLS)
  expect(printed).toMatch(/[1-9]\d* lines could not pay for their expression/)
  expect(times(/ part is published$/)).toBe((await mayTrace()) ? 1 : 0)
  expect(times(/^full disk/)).toBe(mayMount() ? 1 : 0)
  expect(tally.storedLines).toBeGreaterThan(5_000)
}, 1_800_000)

function mayMount(): boolean {
  const disk = SmallDisk.mount()
  disk?.unmount()
  return disk !== undefined
}
