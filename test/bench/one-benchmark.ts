// First of all: a benchmark may open the engine itself.
import './installation/condition-cache-preload.ts'
import type { BenchmarkOptions } from './benchmark.ts'
import { benchmarkOf } from './benchmarks.ts'
import { figureOf } from './figure.ts'

/** usage: one-benchmark.ts NAME OPTIONS, as a child of run.ts, which gets the figures as messages. */
const [name, options] = process.argv.slice(2) as [string, string]
const benchmark = await benchmarkOf(name)
await benchmark.run(
  measurement => process.send?.(figureOf(measurement)),
  JSON.parse(options) as BenchmarkOptions,
)
process.disconnect()
