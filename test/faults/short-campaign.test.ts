import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { IS_LONG, longTest } from '../support/long-form.ts'
import { Auditor, type Facts } from './audit.ts'
import { queryStore } from './node-counters.ts'
import { Site } from './site.ts'
import { triedCampaign } from './tried-campaign.ts'

/** The short form of campaign.test.ts, and the proof that its auditor finds faults. */

const SEED = Number(process.env.SEED ?? 1)
/** In the long form the first meets the default graph, and the second a pipeline, as the only one of the short form does. */
const KILLS = IS_LONG ? 2 : 1
const KILLS_OF_PROCESSORS = 1

let site: Site | undefined

afterEach(async () => {
  await site?.close({ keepsFolder: false })
  site = undefined
})

test(`killed a few times, the program keeps what it acknowledged, once (SEED=${SEED})`, async () => {
  const { tally, times, printed } = await triedCampaign({
    seed: SEED,
    kills: KILLS,
    faultsBeforePipeline: KILLS - 1,
    only: 'kill',
    longestPauseMs: 2_000,
  })
  expect(tally.findings, printed).toEqual([])
  expect(times(/^kill -9($|,| while)/)).toBe(KILLS)
  expect(tally.storedLines).toBeGreaterThan(250 * KILLS)
}, 300_000)

test(`killed under a pipeline of ten processors, the program keeps the state of each (SEED=${SEED})`, async () => {
  const { tally, times, printed } = await triedCampaign({
    seed: SEED,
    kills: KILLS_OF_PROCESSORS,
    only: 'processors',
    longestPauseMs: 2_000,
  })
  expect(tally.findings, printed).toEqual([])
  expect(times(/^ten processors, kill -9/)).toBe(KILLS_OF_PROCESSORS)
  expect(tally.storedLines).toBeGreaterThan(300)
}, 300_000)

longTest(
  'the auditor finds changes that were made directly in the store',
  async () => {
    const rule = { limit: 20, windowMs: 1_000 }
    site = await Site.open({ seed: SEED })
    const { weir, shipper, pipeline } = site
    // Repeats the rule, as the dice sometimes do.
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
      `INSERT INTO weir.slotted_lines SELECT * FROM weir.slotted_lines WHERE ${at(twice)}`,
      `ALTER TABLE weir.slotted_lines UPDATE whole_line = concat(whole_line, '!') WHERE ${at(changed)} SETTINGS mutations_sync = 1`,
      `ALTER TABLE weir.slotted_lines DELETE WHERE ${at(gone)} SETTINGS mutations_sync = 1`,
      'SELECT 1',
    )
    await weir.start()
    expect(amountsOf(await facts(site))).toEqual({ lost: 1, doubled: 1, 'bytes off': 2 })
  },
  60_000,
)

function amountsOf(facts: Facts): Record<string, number> {
  const amounts: Record<string, number> = {}
  for (const { kind, amount } of new Auditor().audit(facts)) amounts[kind] = (amounts[kind] ?? 0) + amount
  return amounts
}
