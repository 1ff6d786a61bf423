import { expect, test } from 'vitest'
import { SmallDisk } from './small-disk.ts'
import { mayTrace } from './tracing.ts'
import { triedCampaign } from './tried-campaign.ts'

const SEED = Number(process.env.SEED ?? 1)
const KILLS = 20
const LONGEST_PAUSE_MS = 2_000

test(`killed, stopped and without disk, the program keeps what it acknowledged, once (SEED=${SEED})`, async () => {
  const options = { seed: SEED, kills: KILLS, longestPauseMs: LONGEST_PAUSE_MS }
  const { tally, times, printed } = await triedCampaign(options)
  expect(tally.findings, printed).toEqual([])
  expect(times(/^kill -9($|,| while)/)).toBe(KILLS)
  expect(times(/^SIGSTOP/)).toBe(2)
  expect(times(/^lost log tail/)).toBe(1)
  expect(times(/^configuration ends early/)).toBe(1)
  expect(times(/^expressions at full budget/)).toBe(2)
  expect(printed).toMatch(/[1-9]\d* lines could not pay for their expression/)
  expect(times(/ part is published$/)).toBe((await mayTrace()) ? 2 : 0)
  expect(times(/^full disk/)).toBe(mayMount() ? 1 : 0)
  expect(tally.storedLines).toBeGreaterThan(5_000)
}, 600_000)

function mayMount(): boolean {
  const disk = SmallDisk.mount()
  disk?.unmount()
  return disk !== undefined
}
