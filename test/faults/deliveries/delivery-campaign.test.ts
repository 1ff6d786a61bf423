import { expect, test } from 'vitest'
import { runDeliveryCampaign } from './delivery-campaign.ts'
import { DeliveryTally } from './delivery-tally.ts'

const SEED = Number(process.env.SEED ?? 1)
const KILLS = 4

test(`killed a few times while it delivers, the program loses, doubles and delays nothing (SEED=${SEED})`, async () => {
  const tally = new DeliveryTally()
  const printed: string[] = []
  await runDeliveryCampaign({ kills: KILLS, seed: SEED }, tally, line => printed.push(line))
  expect(tally.findings, [...printed, ...tally.lines()].join('\n')).toEqual([])
  expect(tally.kills).toBe(KILLS)
}, 600_000)
