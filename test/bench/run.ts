import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { BenchmarkOptions } from './benchmark.ts'
import { BENCHMARK_NAMES, benchmarkOf } from './benchmarks.ts'
import type { Figure } from './figure.ts'
import { loadAverage, theseVersions, thisMachine } from './machine.ts'
import { type BenchmarkResult, placeText, resultText, withResult } from './performance-page.ts'

/**
 * Runs all benchmarks, or the named ones, one after another and each in its own process, so that none measures remains of
 * another. A figure never makes a run fail.
 */
const USAGE = `usage: npm run bench [-- NAME… [--json] [--page PATH] [--quick] [--lines N] [--rounds N] [--bodies N] [--directory PATH]]

  NAME         ${BENCHMARK_NAMES.join(', ')}; all of them without a name
  --json       one JSON document on stdout, for machines
  --page       page of Markdown whose sections of these benchmarks are written anew, such as docs/performance.md
  --quick      few lines, where a benchmark can: to see that it works, for its figures mean nothing
  --lines      lines of end-to-end, 2,000,000 without it; of each shape; of push; of search, scaling and kafka, 1,000,000 without it
  --rounds     rounds of end-to-end, shapes, push and kafka, 1 without it
  --bodies     lines per body of end-to-end, 10, 100 or 1000, and of kafka, 100 or 1000; each of them without it
  --directory  folder for the lines of the search: they are left there, and used again by the next run`

/** Enough for a full page of each search, and at most the lines of one UTC day, which a block must not leave. */
const MIN_LINES = 10_000
const MAX_LINES = 40_000_000
const MAX_ROUNDS = 20
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
  const { names, json, page, options } = asked
  const machine = thisMachine()
  const versions = await theseVersions()
  const print = json ? console.error : console.log
  const takenAt = new Date().toISOString()
  const taken = { takenAt, machine, versions }
  print(placeText(taken))
  const benchmarks: BenchmarkResult[] = []
  for (const name of names) {
    const result = await runOne(name, options)
    if (result === undefined) continue
    benchmarks.push(result)
    print(`\n${name}: ${resultText(result)}`)
    // The page is written after each benchmark, because the run may be ended before the last one.
    if (page !== undefined) writeFileSync(page, withResult(readFileSync(page, 'utf8'), result, taken))
  }
  if (json) console.log(JSON.stringify({ ...taken, benchmarks }, undefined, 2))
  return benchmarks.length === names.length ? 0 : 1
}

interface Asked {
  readonly names: readonly string[]
  readonly json: boolean
  readonly page: string | undefined
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
        page: { type: 'string' },
        quick: { type: 'boolean' },
        lines: { type: 'string' },
        rounds: { type: 'string' },
        bodies: { type: 'string' },
        directory: { type: 'string' },
        help: { type: 'boolean' },
      },
    })
    if (values.help) return undefined
    const unknown = positionals.find(name => !BENCHMARK_NAMES.includes(name))
    if (unknown !== undefined) return `there is no benchmark ${unknown}`
    const lines = wholeNumber('--lines', values.lines, MIN_LINES, MAX_LINES)
    const rounds = wholeNumber('--rounds', values.rounds, 1, MAX_ROUNDS)
    const linesPerBody = wholeNumber('--bodies', values.bodies, 10, 1_000)
    const { directory, quick = false, json = false, page } = values
    return {
      names: positionals.length === 0 ? BENCHMARK_NAMES : positionals,
      json,
      page,
      options: {
        quick,
        ...(lines !== undefined && { lines }),
        ...(rounds !== undefined && { rounds }),
        ...(linesPerBody !== undefined && { linesPerBody }),
        ...(directory !== undefined && { directory }),
      },
    }
  } catch (error) {
    return (error as Error).message
  }
}

/** @throws a sentence when it is none within the bounds */
function wholeNumber(
  name: string,
  text: string | undefined,
  least: number,
  most: number,
): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < least || value > most)
    throw new Error(
      `${name} must be a whole number from ${least.toLocaleString('en')} to ${most.toLocaleString('en')}`,
    )
  return value
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
