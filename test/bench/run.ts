import { fork } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import type { BenchmarkOptions } from './benchmark.ts'
import { BENCHMARK_NAMES, benchmarkOf } from './benchmarks.ts'
import { type Figure, figureTable } from './figure.ts'
import { loadAverage, theseVersions, thisMachine } from './machine.ts'

/**
 * Runs the benchmarks, or those whose names are given, one after another and each in a process of its own, so that
 * none measures what another has left behind. No figure makes a run fail.
 */
const USAGE = `usage: npm run bench [-- NAME… [--json] [--lines N] [--directory PATH]]

  NAME         ${BENCHMARK_NAMES.join(', ')}; all of them without a name
  --json       one JSON document on stdout, for machines
  --lines      lines that the search is about, and those of each round of the scaling, 1,000,000 without it
  --directory  folder for the lines of the search: they are left there, and used again by the next run`

interface BenchmarkResult {
  readonly name: string
  readonly summary: string
  readonly seconds: number
  /** Runnable processes of the minute before it: other work on the machine shows here. */
  readonly loadAverageBefore: number
  readonly figures: readonly Figure[]
}

/** Enough for a full page of each search, and what one UTC day has room for, which a block must not leave. */
const MIN_LINES = 10_000
const MAX_LINES = 40_000_000
const ONE_BENCHMARK = new URL('./one-benchmark.ts', import.meta.url)

async function main(args: readonly string[]): Promise<number> {
  const asked = readArguments(args)
  if (typeof asked === 'string') {
    console.error(`${asked}\n\n${USAGE}`)
    return 2
  }
  if (asked === undefined) {
    console.log(USAGE)
    return 0
  }
  const { names, json, options } = asked
  const machine = thisMachine()
  const versions = await theseVersions()
  const print = json ? console.error : console.log
  print(
    `${machine.cores} x ${machine.cpu}, ${Math.round(machine.memoryBytes / 2 ** 30)} GiB, ${machine.system}\n` +
      `weir ${versions.weir} (${versions.commit ?? 'no commit'}), Node ${versions.node}, ClickHouse ${versions.clickhouse} (chdb ${versions.chdb})`,
  )
  const takenAt = new Date().toISOString()
  const benchmarks: BenchmarkResult[] = []
  for (const name of names) {
    const result = await runOne(name, options)
    if (result === undefined) continue
    benchmarks.push(result)
    print(
      `\n${name}: ${result.summary}\n(${result.seconds} s, load average before it ${result.loadAverageBefore})\n\n${figureTable(result.figures)}`,
    )
  }
  if (json) console.log(JSON.stringify({ takenAt, machine, versions, benchmarks }, undefined, 2))
  return benchmarks.length === names.length ? 0 : 1
}

interface Asked {
  readonly names: readonly string[]
  readonly json: boolean
  readonly options: BenchmarkOptions
}

/** @returns a sentence when the arguments cannot be used, undefined when help is asked for */
function readArguments(args: readonly string[]): Asked | string | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean' },
        lines: { type: 'string' },
        directory: { type: 'string' },
        help: { type: 'boolean' },
      },
    })
    if (values.help) return undefined
    const unknown = positionals.find(name => !BENCHMARK_NAMES.includes(name))
    if (unknown !== undefined) return `there is no benchmark ${unknown}`
    const lines = Number(values.lines ?? 1_000_000)
    if (!Number.isSafeInteger(lines) || lines < MIN_LINES || lines > MAX_LINES)
      return `--lines must be a whole number from ${MIN_LINES.toLocaleString('en')} to ${MAX_LINES.toLocaleString('en')}`
    return {
      names: positionals.length === 0 ? BENCHMARK_NAMES : positionals,
      json: values.json ?? false,
      options: { lines, ...(values.directory !== undefined && { directory: values.directory }) },
    }
  } catch (error) {
    return (error as Error).message
  }
}

/** @returns undefined when it could not measure, which it has said itself */
async function runOne(name: string, options: BenchmarkOptions): Promise<BenchmarkResult | undefined> {
  const { summary } = await benchmarkOf(name)
  const loadAverageBefore = loadAverage()
  const startedMs = performance.now()
  const child = fork(ONE_BENCHMARK, [name, JSON.stringify(options)])
  const figures: Figure[] = []
  child.on('message', figure => figures.push(figure as Figure))
  // The last messages may come after the end.
  const [[code]] = (await Promise.all([once(child, 'exit'), once(child, 'disconnect')])) as [
    [number | null],
    [],
  ]
  if (code !== 0) {
    console.error(`\n${name} ended with ${code ?? child.signalCode}: its figures are left out`)
    return undefined
  }
  const seconds = Math.round((performance.now() - startedMs) / 100) / 10
  return { name, summary, seconds, loadAverageBefore, figures }
}

process.exitCode = await main(process.argv.slice(2))
