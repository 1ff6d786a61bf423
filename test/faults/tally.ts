import { type Column, tableLines } from '../../deploy/cli/table.ts'
import { FINDING_KINDS, type Finding, type FindingKind } from './finding.ts'
import type { Recovery } from './site.ts'

const TOTAL = 'all'

/** Results of all faults of one kind. */
interface TallyRow {
  readonly label: string
  times: number
  /** Stored lines that were sent during these faults. */
  lines: number
  slowestMs: number
  readonly amounts: Record<FindingKind, number>
}

/** The table of a campaign: a row for each kind of fault, with the findings about the lines sent during it. */
export class Tally {
  readonly findings: Finding[] = []
  readonly #rows = new Map<string, TallyRow>()
  readonly #labels = new Map<string, string>()

  /** Assigns the lines of a host to faults of a label: they were sent during such a fault. */
  name(host: string, label: string): void {
    this.#labels.set(host, label)
  }

  /** Number of survived faults of each kind, by label. */
  get times(): ReadonlyMap<string, number> {
    return new Map([...this.#rows.values()].map(({ label, times }) => [label, times]))
  }

  get storedLines(): number {
    return this.#total().lines
  }

  recovered(label: string, { readyMs, storedMs }: Recovery): void {
    const row = this.#row(label)
    row.times++
    row.slowestMs = Math.max(row.slowestMs, readyMs, storedMs)
  }

  stored(host: string, lines: number): void {
    this.#row(this.#labels.get(host) ?? TOTAL).lines += lines
  }

  found(findings: readonly Finding[]): void {
    this.findings.push(...findings)
    for (const { kind, host, amount } of findings)
      this.#row(this.#labels.get(host) ?? TOTAL).amounts[kind] += amount
  }

  lines(): string[] {
    const rows = [...this.#rows.values()].filter(({ label }) => label !== TOTAL)
    return tableLines(COLUMNS, [...rows.sort((a, b) => (a.label < b.label ? -1 : 1)), this.#total()], false)
  }

  #row(label: string): TallyRow {
    let row = this.#rows.get(label)
    if (row === undefined) {
      row = newRow(label)
      this.#rows.set(label, row)
    }
    return row
  }

  /** The sum of all rows, which includes findings outside any fault. */
  #total(): TallyRow {
    const total = newRow(TOTAL)
    for (const { times, lines, slowestMs, amounts } of this.#rows.values()) {
      total.times += times
      total.lines += lines
      total.slowestMs = Math.max(total.slowestMs, slowestMs)
      for (const kind of FINDING_KINDS) total.amounts[kind] += amounts[kind]
    }
    return total
  }
}

function newRow(label: string): TallyRow {
  const amounts = Object.fromEntries(FINDING_KINDS.map(kind => [kind, 0])) as Record<FindingKind, number>
  return { label, times: 0, lines: 0, slowestMs: 0, amounts }
}

const COLUMNS: readonly Column<TallyRow>[] = [
  { title: 'fault', text: ({ label }) => label },
  { title: 'times', align: 'right', text: ({ times }) => String(times) },
  { title: 'lines', align: 'right', text: ({ lines }) => String(lines) },
  ...FINDING_KINDS.map(
    (kind): Column<TallyRow> => ({
      title: kind,
      align: 'right',
      text: ({ amounts }) => String(amounts[kind]),
    }),
  ),
  {
    title: 'slowest recovery',
    align: 'right',
    text: ({ times, slowestMs }) => (times === 0 ? '-' : `${(slowestMs / 1000).toFixed(2)} s`),
  },
]
