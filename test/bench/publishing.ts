import { kafkaForTests } from '../support/kafka/kafka-support.ts'
import { quantileBound } from '../support/metrics-histogram.ts'
import { publishUnderLoad } from '../support/publishing-under-load.ts'
import { RoleCluster } from '../support/role-cluster.ts'
import type { Report } from './figure.ts'

const PARTITIONS = 8
const ENGINES = 2
const PUBLISHES = 100

export const summary = `The benchmark makes ${PUBLISHES} publications of one pipeline while lines of its account flow over ${PARTITIONS} partitions, two engines and one broker on the same cores. Each revision writes its number into the lines that it handles. The benchmark fails when a line is lost, doubled, or handled by another revision than the log prescribes. A pause is the time during which a partition was not read because of a cut. Its quantiles are upper bounds of the metric's buckets.`

export async function run(report: Report): Promise<void> {
  const kafka = await kafkaForTests({ faults: true })
  if (kafka === undefined) throw new Error('there is no Kafka here: CONTRIBUTING.md says what it takes')
  const cluster = await RoleCluster.open(kafka, { partitions: PARTITIONS, engines: ENGINES })
  try {
    const startedMs = performance.now()
    const result = await publishUnderLoad(cluster, await cluster.startIngest(), PUBLISHES)
    const seconds = (performance.now() - startedMs) / 1000
    const { findings, acknowledged, cuts, publishMs, pauses } = result
    if (findings.length > 0)
      throw new Error(`${findings.length} findings: ${findings.slice(0, 10).join('; ')}`)
    const sorted = publishMs.toSorted((a, b) => a - b)
    const value = (name: string, unit: string, number: number) => report({ name, unit, values: [number] })
    value('lines acknowledged, and stored once by the revision in effect', 'lines', acknowledged)
    value('the same, over the whole run with its checks', 'lines/s', acknowledged / seconds)
    value('cuts of the pipeline on all partitions', 'cuts', cuts)
    for (const [name, share] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const) {
      value(`publish call: ${name}`, 'ms', sorted[Math.ceil(share * sorted.length) - 1] as number)
      value(
        `pause of a partition, append of the cut: ${name} at most`,
        'ms',
        quantileBound(pauses.append, share) * 1000,
      )
      value(
        `pause of a partition, cut applied and sent on: ${name} at most`,
        'ms',
        quantileBound(pauses.apply, share) * 1000,
      )
    }
  } finally {
    await cluster.close()
    await kafka.stop()
  }
}
