/** What a benchmark measured, a value for each round. Units that end in a second are rates: more is better. */
export interface Measurement {
  readonly name: string
  readonly unit: string
  readonly values: readonly number[]
  /** What this machine can do at most, or the least that the task takes, by the same unit and in the same run. */
  readonly floor?: { readonly name: string; readonly values: readonly number[] }
  /** What the store says that it reads for it. */
  readonly reads?: string
}

export type Report = (measurement: Measurement) => void

/** A measurement as it is shown: its best round, with its worst for the noise. */
export interface Figure {
  readonly name: string
  readonly unit: string
  readonly better: 'higher' | 'lower'
  readonly value: number
  readonly worst: number
  readonly rounds: number
  readonly floor: { readonly name: string; readonly value: number } | null
  /** The value divided by the floor's. */
  readonly ratio: number | null
  readonly reads?: string
}

export function figureOf({ name, unit, values, floor, reads }: Measurement): Figure {
  const better = /(\/|-)s$/.test(unit) ? 'higher' : 'lower'
  const [best, worst] = better === 'higher' ? [Math.max, Math.min] : [Math.min, Math.max]
  const value = best(...values)
  const floorValue = floor && best(...floor.values)
  return {
    name,
    unit,
    better,
    value,
    worst: worst(...values),
    rounds: values.length,
    floor: floor === undefined ? null : { name: floor.name, value: floorValue as number },
    ratio: floorValue === undefined ? null : value / floorValue,
    ...(reads === undefined ? {} : { reads }),
  }
}

/** The figures of one benchmark as a table that reads well as text and as Markdown. */
export function figureTable(figures: readonly Figure[]): string {
  const tellsReads = figures.some(({ reads }) => reads !== undefined)
  const head = ['Figure', 'Unit', 'Best', 'Worst', 'Floor', 'Ratio', 'What the floor is']
  if (tellsReads) head.push('EXPLAIN: what is read')
  const rows = figures.map(({ name, unit, value, worst, rounds, floor, ratio, reads }) => [
    name,
    unit,
    numberText(value),
    rounds > 1 ? `${numberText(worst)} of ${rounds}` : '',
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

function ratioText(ratio: number): string {
  return ratio >= 100 ? numberText(ratio) : ratio.toFixed(ratio < 0.1 ? 3 : 2)
}
