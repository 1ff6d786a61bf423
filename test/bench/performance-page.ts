import { type Figure, figureTable } from './figure.ts'
import type { Machine, Versions } from './machine.ts'

export interface BenchmarkResult {
  readonly name: string
  readonly summary: string
  readonly seconds: number
  /** Runnable processes of the minute before it: other work on the machine shows here. */
  readonly loadAverageBefore: number
  readonly figures: readonly Figure[]
}

/** Place and time of the figures. */
export interface Taken {
  readonly takenAt: string
  readonly machine: Machine
  readonly versions: Versions
}

export function placeText({ machine, versions }: Taken): string {
  const { cores, cpu, memoryBytes, system } = machine
  return (
    `${cores} x ${cpu}, ${Math.round(memoryBytes / 2 ** 30)} GiB, ${system}\n` +
    `weir ${versions.weir} (${versions.commit ?? 'no commit'}), Node ${versions.node}, ClickHouse ${versions.clickhouse} (chdb ${versions.chdb})`
  )
}

export function resultText({ summary, seconds, loadAverageBefore, figures }: BenchmarkResult): string {
  return `${summary}\n(${seconds} s, load average before it ${loadAverageBefore})\n\n${figureTable(figures)}`
}

/**
 * A page on which the section of one benchmark is written anew. Comments of the page mark the section; headings and
 * remarks of people stand around it and remain.
 *
 * @throws when the page does not mark the section
 */
export function withResult(page: string, result: BenchmarkResult, taken: Taken): string {
  const [begin, end] = marksOf(result.name)
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`the page does not mark ${result.name} by ${begin} and ${end}`)
  const place = `${taken.takenAt.slice(0, 10)}, ${placeText(taken).replace('\n', ', ')}`
  const section = `${begin}\n\n${resultText(result)}\n\n${place}\n\n`
  return page.slice(0, from) + section + page.slice(to)
}

export function marksOf(name: string): readonly [begin: string, end: string] {
  return [`<!-- bench ${name} -->`, `<!-- end ${name} -->`]
}
