import { expect, test } from 'vitest'
import { describeKafka } from '../../support/kafka/describe-kafka.ts'
import { Tally } from '../tally.ts'
import { runClusterCampaign } from './cluster-campaign.ts'

const SEED = Number(process.env.SEED ?? 1)
const FAULTS = 6

await describeKafka('faults on a cluster', { brokers: 3, faults: true }, cluster => {
  test(`whatever breaks, a cluster keeps what it acknowledged, once (SEED=${SEED})`, async () => {
    const printed: string[] = []
    const tally = new Tally()
    await runClusterCampaign(cluster, { seed: SEED, faults: FAULTS }, tally, line =>
      printed.push(line),
    ).catch(error => {
      throw new Error(`${printed.join('\n')}\n${error}`, { cause: error })
    })
    expect(tally.findings, [...printed, ...tally.lines()].join('\n')).toEqual([])
    expect([...tally.times.values()].reduce((sum, times) => sum + times, 0)).toBe(FAULTS)
    expect(tally.storedLines).toBeGreaterThan(500)
  }, 600_000)
})
