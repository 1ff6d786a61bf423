import { expect, test } from 'vitest'
import type { KafkaCluster } from './kafka/kafka-cluster.ts'
import { publishUnderLoad } from './publishing-under-load.ts'
import { RoleCluster } from './role-cluster.ts'

/** @param sizes how much of each there is, and how often a pipeline is published */
export function testPublishing(
  kafka: KafkaCluster,
  sizes: { readonly partitions: number; readonly engines: number; readonly publishes: number },
): void {
  const { partitions, engines, publishes } = sizes
  test('every line is stored once, by the revision whose cut precedes it on the log', async () => {
    const cluster = await RoleCluster.open(kafka, { partitions, engines })
    try {
      const run = await publishUnderLoad(cluster, await cluster.startIngest(), publishes)
      expect(run.findings).toEqual([])
      expect(run.acknowledged).toBeGreaterThan(0)
      expect(run.stored).toBe(run.acknowledged)
      // Each partition has the first revision and the last, at least.
      expect(run.cuts).toBeGreaterThanOrEqual(2 * partitions)
      // The applied cuts: those of the lines' partitions, and the same of the keyed ones.
      expect(run.pauses.append.counts.at(-1)).toBeGreaterThanOrEqual(partitions)
      expect(run.pauses.apply.counts.at(-1)).toBeGreaterThanOrEqual(2 * partitions)
    } finally {
      await cluster.close()
    }
  }, 180_000)
}
