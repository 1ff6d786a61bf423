import { expect, test } from 'vitest'
import { publishUnderLoad } from './publishing-under-load.ts'
import type { RoleCluster } from './role-cluster.ts'

/**
 * @param open the cluster, once the test runs
 * @param publishes how often a pipeline is published
 */
export function testPublishing(open: () => RoleCluster, publishes: number): void {
  test('every line is stored once, by the revision whose cut precedes it on the log', async () => {
    const cluster = open()
    const run = await publishUnderLoad(cluster, await cluster.startIngest(), publishes)
    expect(run.findings).toEqual([])
    expect(run.acknowledged).toBeGreaterThan(0)
    expect(run.stored).toBe(run.acknowledged)
    const { partitions } = cluster.base.ingest
    // Each partition has the first revision and the last, at least.
    expect(run.cuts).toBeGreaterThanOrEqual(2 * partitions)
    // The applied cuts: those of the lines' partitions, and the same of the keyed ones.
    expect(run.pauses.append.counts.at(-1)).toBeGreaterThanOrEqual(partitions)
    expect(run.pauses.apply.counts.at(-1)).toBeGreaterThanOrEqual(2 * partitions)
  }, 180_000)
}
