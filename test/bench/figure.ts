/** Measurement of a benchmark. Units that end in a second are rates: more is better. */
export type Measurement = MeasuredRounds | MeasuredTries

/** A value for each round. An empty list says that the program cannot be asked for the figure yet. */
export interface MeasuredRounds extends Named {
  readonly values: readonly number[]
  /** Best possible result of this machine, or the least cost of the task, in the same unit and from the same run. */
  readonly floor?: { readonly name: string; readonly values: readonly number[] }
}

/** Times of many tries, of which quantiles are shown. */
export interface MeasuredTries extends Named {
  readonly tries: readonly number[]
}

interface Named {
  readonly name: string
  readonly unit: string
  /** Rows that the store selects for it, in its own words. */
  readonly reads?: string
}

export type Report = (measurement: Measurement) => void

/** A measurement as it is shown: its best round, with its worst for the noise. */
export interface Figure {
  readonly name: string
  readonly unit: string
  readonly better: 'higher' | 'lower'
  /** The best round, or the p50 of tries; null when the program cannot be asked yet. */
  readonly value: number | null
  /** The middle round, or the p50 of tries. */
  readonly median: number | null
  /** The worst round, or the p99 of tries. */
  readonly worst: number | null
  readonly rounds: number
  /** Whether `value` and `worst` are the p50 and p99 of so many tries. */
  readonly quantiles: boolean
  readonly floor: { readonly name: string; readonly value: number } | null
  /** The value divided by the floor's. */
  readonly ratio: number | null
  readonly reads?: string
}

export function figureOf(measurement: Measurement): Figure {
  return 'tries' in measurement ? figureOfTries(measurement) : figureOfRounds(measurement)
}

function figureOfRounds({ name, unit, values, floor, reads }: MeasuredRounds): Figure {
  const better = /(\/|-)s$/.test(unit) ? 'higher' : 'lower'
  // Lists go from the best to the worst.
  const sorted = (list: readonly number[]) => list.toSorted((a, b) => (better === 'higher' ? b - a : a - b))
  const rounds = sorted(values)
  const value = rounds[0] ?? null
  const floorValue = floor && sorted(floor.values)[0]
  return {
    name,
    unit,
    better,
    value,
    median: quantile(rounds, 0.5),
    worst: rounds.at(-1) ?? null,
    rounds: rounds.length,
    quantiles: false,
    floor: floor === undefined ? null : { name: floor.name, value: floorValue as number },
    ratio: floorValue === undefined || value === null ? null : value / floorValue,
    ...(reads === undefined ? {} : { reads }),
  }
}

function figureOfTries({ name, unit, tries, reads }: MeasuredTries): Figure {
  const sorted = tries.toSorted((a, b) => a - b)
  const p50 = quantile(sorted, 0.5)
  return {
    name,
    unit,
    better: 'lower',
    value: p50,
    median: p50,
    worst: quantile(sorted, 0.99),
    rounds: tries.length,
    quantiles: true,
    floor: null,
    ratio: null,
    ...(reads === undefined ? {} : { reads }),
  }
}

/** The least value that so large a share of a sorted list does not exceed; null when the list is empty. */
function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}

/** The figures of one benchmark as a table that reads well as text and as Markdown. */
export function figureTable(figures: readonly Figure[]): string {
  const tellsReads = figures.some(({ reads }) => reads !== undefined)
  const head = ['Figure', 'Unit', 'Best', 'Worst', 'Floor', 'Ratio', 'What the floor is']
  if (tellsReads) head.push('What is read')
  const rows = figures.map(({ name, unit, value, worst, rounds, quantiles, floor, ratio, reads }) => [
    name,
    unit,
    value === null ? '–' : numberText(value) + (quantiles ? ' p50' : ''),
    rounds > 1 && worst !== null ? `${numberText(worst)} ${quantiles ? 'p99 ' : ''}of ${rounds}` : '',
    floor === null ? '' : numberText(floor.value),
    ratio === null ? '' : ratioText(ratio),
    floor?.name ?? '',
    ...(tellsReads ? [reads ?? ''] : []),
  ])
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map(row => (row[column] as string).length)),
  )
  const isNumber = (column: number) => column >= 2 && column <= 5
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (isNumber(column) ? cell.padStart(widths[column] as number) : cell.padEnd(widths[column] as number))).join(' | ')} |`
  const rule = `| ${widths.map((width, column) => (isNumber(column) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width))).join(' | ')} |`
  return [line(head), rule, ...rows.map(line)].join('\n')
}

/** Three digits that mean something; more would be noise. */
export function numberText(value: number): string {
  if (value === 0) return '0'
  const scale = 10 ** Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  const rounded = Math.abs(value) >= 1000 ? Number(value.toPrecision(3)) : Math.round(value * scale) / scale
  return rounded.toLocaleString('en', { maximumFractionDigits: 6 })
}

/** A round count in a title, such as 2M. */
export function countText(count: number): string {
  return count.toLocaleString('en', { notation: 'compact' })
}

function ratioText(ratio: number): string {
  return ratio >= 100 ? numberText(ratio) : ratio.toFixed(ratio < 0.1 ? 3 : 2)
}
