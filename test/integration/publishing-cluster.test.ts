import { expect, test } from 'vitest'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { publishUnderLoad } from '../support/publishing-under-load.ts'
import { RoleCluster } from '../support/role-cluster.ts'

const PARTITIONS = 4
const ENGINES = 2
const PUBLISHES = 10

await describeKafka('publishing in a cluster under load', {}, kafka => {
  test('every line is stored once, by the revision whose cut lies before it on the log', async () => {
    const cluster = await RoleCluster.open(kafka, { partitions: PARTITIONS, engines: ENGINES })
    try {
      const run = await publishUnderLoad(cluster, await cluster.startIngest(), PUBLISHES)
      expect(run.findings).toEqual([])
      expect(run.acknowledged).toBeGreaterThan(0)
      expect(run.stored).toBe(run.acknowledged)
      // Each partition has the first revision and the last, at least.
      expect(run.cuts).toBeGreaterThanOrEqual(2 * PARTITIONS)
      // The applied cuts: those of the lines' partitions, and the same of the keyed ones.
      expect(run.pauses.append.counts.at(-1)).toBeGreaterThanOrEqual(PARTITIONS)
      expect(run.pauses.apply.counts.at(-1)).toBeGreaterThanOrEqual(2 * PARTITIONS)
    } finally {
      await cluster.close()
    }
  }, 180_000)
})
