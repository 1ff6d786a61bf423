import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { Auditor, type Facts } from './audit.ts'
import { runCampaign } from './campaign.ts'
import { queryStore } from './node-counters.ts'
import { Site } from './site.ts'
import { SmallDisk } from './small-disk.ts'
import { Tally } from './tally.ts'
import { mayTrace } from './tracing.ts'

const SEED = Number(process.env.SEED ?? 1)
const KILLS = 20
const LONGEST_PAUSE_MS = 2_000

let site: Site | undefined

afterEach(async () => {
  await site?.close({ keepsFolder: false })
  site = undefined
})

test(`killed, stopped and without disk, the program keeps what it acknowledged, once (SEED=${SEED})`, async () => {
  const printed: string[] = []
  const options = { seed: SEED, kills: KILLS, longestPauseMs: LONGEST_PAUSE_MS }
  const tally = new Tally()
  await runCampaign(options, tally, line => {
    printed.push(line)
    if (line.startsWith('SKIPPED')) console.warn(line)
  }).catch(error => {
    throw new Error(`${printed.join('\n')}\n${error}`, { cause: error })
  })
  expect(tally.findings, [...printed, ...tally.lines()].join('\n')).toEqual([])

  const times = (label: RegExp) =>
    [...tally.times].reduce((sum, [name, count]) => sum + (label.test(name) ? count : 0), 0)
  expect(times(/^kill -9($|,| while)/)).toBe(KILLS)
  expect(times(/^SIGSTOP/)).toBe(2)
  expect(times(/ part is published$/)).toBe((await mayTrace()) ? 2 : 0)
  expect(times(/^full disk/)).toBe(mayMount() ? 1 : 0)
  expect(tally.storedLines).toBeGreaterThan(5_000)
}, 600_000)

test('what is done to the store behind the back of the program is found', async () => {
  const rule = { limit: 20, windowMs: 1_000 }
  site = await Site.open({ seed: SEED })
  const { weir, shipper, pipeline } = site
  // Also when the dice give the same rule again.
  for (let times = 0; times < 3; times++) await pipeline.publish({ ...rule })
  shipper.host = 'control'
  const beganMs = Date.now()
  shipper.start()
  await delay(700)
  await shipper.rest()
  await site.recovery(performance.now(), shipper.newestAcknowledged)
  const { sent } = shipper.take()
  const facts = async (opened: Site): Promise<Facts> => ({
    rule,
    sent,
    stored: await opened.stored(new Set(['control']), beganMs),
    usage: await opened.usage(),
  })
  const untouched = await facts(site)
  expect(amountsOf(untouched)).toEqual({})
  expect(amountsOf({ ...untouched, rule: { ...rule, limit: 19 } })['over limit']).toBeGreaterThan(0)

  await weir.end('SIGTERM')
  const [, gone, twice, changed] = untouched.stored.filter(({ level }) => level === 'KEPT')
  const at = (row = gone) => `offset = ${row?.offset} AND row = ${row?.row}`
  await queryStore(
    weir.directory,
    `INSERT INTO weir.lines SELECT * FROM weir.lines WHERE ${at(twice)}`,
    `ALTER TABLE weir.lines UPDATE line = concat(line, '!') WHERE ${at(changed)} SETTINGS mutations_sync = 1`,
    `ALTER TABLE weir.lines DELETE WHERE ${at(gone)} SETTINGS mutations_sync = 1`,
    'SELECT 1',
  )
  await weir.start()
  expect(amountsOf(await facts(site))).toEqual({ lost: 1, doubled: 1, 'bytes off': 2 })
}, 60_000)

function amountsOf(facts: Facts): Record<string, number> {
  const amounts: Record<string, number> = {}
  for (const { kind, amount } of new Auditor().audit(facts)) amounts[kind] = (amounts[kind] ?? 0) + amount
  return amounts
}

function mayMount(): boolean {
  const disk = SmallDisk.mount()
  disk?.unmount()
  return disk !== undefined
}
