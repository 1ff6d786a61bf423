import type { RunningWeir } from '../support/running-weir.ts'
import { deployThrottle } from './deploy-throttle.ts'
import type { Report } from './figure.ts'
import { measureWholeWay } from './whole-way.ts'

export const summary =
  'the whole way on the real program: HTTP bodies in, durable, through a graph, stored, and counted by its own usage. The floor is a bare node:http server that collects the same bodies and keeps nothing.'

export async function run(report: Report): Promise<void> {
  for (const [title, deploy] of [
    ['default graph', async () => {}],
    ['filter and throttle by app', deployThrottle],
  ] as const) {
    const open = async (weir: RunningWeir) => {
      await deploy(weir)
      const { ingestUrl, ingestionKey } = weir.credentials
      return { url: `${ingestUrl}/logs/ingest`, key: ingestionKey }
    }
    await measureWholeWay({ title, form: 'lines', noun: 'lines', open }, report)
  }
}
