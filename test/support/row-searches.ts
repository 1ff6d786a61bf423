import { recordOf } from '../../engine/lines/stored-line/line-record.ts'
import { evaluate } from '../../engine/query-language/evaluate.ts'
import type { LineFilters } from '../../engine/query-language/line-filters.ts'
import { type CountsOfNode, NODE_COUNTS, type NodeMetricsQuery } from '../../engine/store/node-metrics.ts'
import type {
  CountOfErrors,
  PipelineErrorEntry,
  PipelineErrorsQuery,
} from '../../engine/store/pipeline-errors.ts'
import { assertSearchable } from '../../engine/store/search/exact-condition.ts'
import {
  asksForField,
  type FullFieldDaysOptions,
  isParsedName,
} from '../../engine/store/search/full-field-days.ts'
import type { BucketCounts, Buckets } from '../../engine/store/search/line-counts.ts'
import type { LinePage, LineSelection, SelectedLine } from '../../engine/store/search/line-selection.ts'
import type { StoreSearches } from '../../engine/store/store-searches.ts'
import type { NamedUsage, UsageByKindQuery, UsageKind, UsagePeriod } from '../../engine/store/usage/usage.ts'
import type { UsageInBucket, UsageSeriesQuery } from '../../engine/store/usage/usage-series.ts'
import { DAY_MS, HOUR_MS } from '../../engine/times/duration.ts'
import { utcDay } from '../../engine/times/utc-day.ts'
import type { StoreTable } from '../../schemas/log/tables.ts'
import { valueCounts, valuesOf } from './counted-records.ts'
import type { NativeValue } from './native-reader.ts'

/** A row of a block, with the place of its partition. */
export type PlacedRow = Readonly<Record<string, NativeValue>> & {
  /** Number of the topic. */
  readonly topic: number
  readonly partition: number
}

/** The searches of a store port over rows in memory: queries are evaluated on the records, as an answer shows them. */
export function rowSearches(rows: (table: StoreTable) => readonly PlacedRow[]): StoreSearches {
  const usageByKind = async (query: UsageByKindQuery) => usageOf(rows('lines'), query)
  return {
    search: (selection, page) => {
      assertSearchable(selection.query)
      return {
        access: 'scan',
        async *rows() {
          yield pageOf(rows('lines').map(selectedLine), selection, page)
        },
        async *parts() {
          const found = pageOf(rows('lines').map(selectedLine), selection, page)
          const inOrder = page.prefer === 'head' ? found : found.reverse()
          if (inOrder.length > 0) yield { rows: inOrder.map(({ found: _, ...row }) => row) }
        },
      }
    },
    async *countByValue(selection, field) {
      yield sliceOf(
        selection,
        valueCounts(
          linesOf(rows('lines').map(selectedLine), selection).map(line => recordOf(line)),
          field,
        ),
      )
    },
    async *countByTime(selection, buckets) {
      yield sliceOf(selection, bucketCounts(linesOf(rows('lines').map(selectedLine), selection), buckets))
    },
    fullFieldDays: async (selection, options) =>
      fullFieldDays(rows('full_field_days'), rows('lines'), selection, options),
    usageByKind,
    async *usageByKindStream(query) {
      yield await usageByKind(query)
    },
    usageSeries: async query => usageSeriesOf(rows('lines'), query),
    usageTotals: async period => {
      const counted = countedBy(inPeriod(rows('lines'), period), row => [row.pool as number])
      return [...counted].map(([poolDays, usage]) => ({ poolDays, ...usage })).sort(by('poolDays'))
    },
    pipelineErrors: async query => pipelineErrors(rows('pipeline_errors'), query),
    pipelineErrorCounts: async query => pipelineErrorCounts(rows('pipeline_errors'), query),
    nodeMetrics: async query => nodeMetrics(rows('node_metrics'), query),
  }
}

function selectedLine({ pool, text_fields, number_fields, ...row }: PlacedRow): SelectedLine {
  return {
    ...row,
    t: Number(row.t),
    ts: Number(row.ts),
    offset: String(row.offset),
  } as unknown as SelectedLine
}

function linesOf(
  lines: readonly SelectedLine[],
  { account, fromMs, toMs, asOfMs, filters, query, exceptDays = [] }: LineSelection,
): SelectedLine[] {
  return lines
    .filter(line => line.account === account && line.ts >= fromMs && line.ts <= toMs)
    .filter(line => line.t >= asOfMs - line.retention * DAY_MS && passes(line, filters))
    .filter(line => !exceptDays.includes(utcDay(line.t)))
    .filter(line => evaluate(query, recordOf(line)))
}

function pageOf(
  lines: readonly SelectedLine[],
  selection: LineSelection,
  { prefer, limit, behind }: LinePage,
): SelectedLine[] {
  const sign = prefer === 'head' ? 1 : -1
  const found = linesOf(lines, selection)
    .filter(line => behind === undefined || sign * order(line, behind) > 0)
    .sort((a, b) => sign * order(a, b))
    .slice(0, limit)
  if (prefer === 'head') return found
  return found.reverse().map(line => ({ ...line, found: found.length }))
}

function sliceOf<Counts>({ fromMs, toMs }: LineSelection, counts: Counts) {
  return { fromMs, toMs, counts }
}

function bucketCounts(lines: readonly SelectedLine[], { starts, by }: Buckets): BucketCounts {
  const counted = new Map<string, number>()
  for (const line of lines) {
    const start = starts.findLast(ms => ms <= line.ts)
    const found =
      by === undefined ? [] : valuesOf(recordOf(line), by.field).map(value => by.values.indexOf(value))
    const shown = found.filter(index => index >= 0)
    for (const value of shown.length === 0 ? [-1] : shown) {
      const key = JSON.stringify([start, value])
      counted.set(key, (counted.get(key) ?? 0) + 1)
    }
  }
  const buckets = [...counted].map(([key, of]) => {
    const [startMs, value] = JSON.parse(key) as [number, number]
    return { startMs, value, lines: of }
  })
  return { lines: lines.length, buckets }
}

function passes(line: SelectedLine, { hosts, apps, levels, tags }: LineFilters): boolean {
  const level = line.level.toLowerCase()
  return (
    (hosts.length === 0 || hosts.includes(line.host)) &&
    (apps.length === 0 || apps.includes(line.app)) &&
    (levels.length === 0 || levels.some(name => name.toLowerCase() === level)) &&
    (tags.length === 0 || tags.some(tag => line.tags.includes(tag)))
  )
}

type Ordered = Pick<SelectedLine, 'ts' | 't' | 'topic' | 'partition' | 'offset' | 'row'>

function order(a: Ordered, b: Ordered): number {
  return (
    a.ts - b.ts ||
    a.t - b.t ||
    a.topic - b.topic ||
    a.partition - b.partition ||
    Number(BigInt(a.offset) - BigInt(b.offset)) ||
    a.row - b.row
  )
}

function fullFieldDays(
  rows: readonly PlacedRow[],
  lines: readonly PlacedRow[],
  { account, fromMs, toMs, query }: LineSelection,
  { fields = [] }: FullFieldDaysOptions = {},
): string[] {
  if (!asksForField(query) && !fields.some(isParsedName)) return []
  const dayOf = (row: PlacedRow) => Math.floor(Number(row.t) / DAY_MS)
  const found = lines.filter(
    line => line.account === account && Number(line.ts) >= fromMs && Number(line.ts) <= toMs,
  )
  const ofFound = new Set(found.map(dayOf))
  const days = rows
    .filter(row => row.account === account)
    .map(dayOf)
    .filter(
      day => (day >= Math.floor(fromMs / DAY_MS) && day <= Math.floor(toMs / DAY_MS)) || ofFound.has(day),
    )
  return [...new Set(days)].sort((a, b) => a - b).map(day => utcDay(day * DAY_MS))
}

/** Bounds are whole seconds. */
function inPeriod(rows: readonly PlacedRow[], { account, fromMs, toMs }: UsagePeriod): PlacedRow[] {
  const second = (ms: number) => Math.floor(ms / 1000)
  return rows.filter(
    row =>
      row.account === account &&
      second(Number(row.t)) >= second(fromMs) &&
      second(Number(row.t)) <= second(toMs),
  )
}

interface Counted {
  bytes: number
  lines: number
}

function countedBy<Key>(
  rows: readonly PlacedRow[],
  keysOf: (row: PlacedRow) => Iterable<Key>,
): Map<Key, Counted> {
  const counted = new Map<Key, Counted>()
  for (const row of rows)
    for (const key of keysOf(row)) {
      const usage = counted.get(key) ?? { bytes: 0, lines: 0 }
      usage.bytes += row.size as number
      usage.lines++
      counted.set(key, usage)
    }
  return counted
}

const NAMES_OF: Readonly<Record<UsageKind, (row: PlacedRow) => Iterable<string>>> = {
  apps: row => [row.app as string],
  hosts: row => [row.host as string],
  tags: row => new Set(row.tags as string[]),
}

function usageSeriesOf(rows: readonly PlacedRow[], query: UsageSeriesQuery): UsageInBucket[] {
  const { kind, names, starts } = query
  const namesOf = (row: PlacedRow) => (kind === 'pools' ? [String(row.pool)] : [...NAMES_OF[kind](row)])
  const counted = countedBy(inPeriod(rows, query), row =>
    namesOf(row).map(name => {
      const bucket = starts.findLastIndex(startMs => startMs <= Number(row.t))
      return JSON.stringify([bucket, names.includes(name) ? name : null])
    }),
  )
  return [...counted].map(([key, usage]) => {
    const [bucket, name] = JSON.parse(key) as [number, string | null]
    return { bucket, name, ...usage }
  })
}

function usageOf(rows: readonly PlacedRow[], query: UsageByKindQuery): NamedUsage[] {
  const { kind, name, poolDays, limit, order: largestBy = 'bytes' } = query
  const counted = inPeriod(rows, query).filter(row => poolDays === undefined || row.pool === poolDays)
  return [...countedBy(counted, NAMES_OF[kind])]
    .map(([key, usage]) => ({ name: key, ...usage }))
    .filter(usage => name === undefined || usage.name === name)
    .sort((a, b) => b[largestBy] - a[largestBy] || byteOrder(a.name, b.name))
    .slice(0, limit)
}

function pipelineErrors(rows: readonly PlacedRow[], query: PipelineErrorsQuery): PipelineErrorEntry[] {
  const found = errorsOf(rows, query)
  const keyOf = (row: PlacedRow) =>
    JSON.stringify([row.pipeline, row.node, row.node_kind, row.code, row.field])
  return [...Map.groupBy(found, keyOf).values()]
    .map(errorEntry)
    .sort(
      (a, b) =>
        b.lastMs - a.lastMs ||
        byteOrder(a.pipeline, b.pipeline) ||
        byteOrder(a.node, b.node) ||
        byteOrder(a.code, b.code) ||
        byteOrder(a.field ?? '', b.field ?? '') ||
        byteOrder(a.nodeKind, b.nodeKind),
    )
    .slice(0, query.limit)
}

function errorsOf(
  rows: readonly PlacedRow[],
  { account, pipelines, node, code, fromMs, toMs = Number.POSITIVE_INFINITY }: PipelineErrorsQuery,
): PlacedRow[] {
  return rows.filter(
    row =>
      row.account === account &&
      pipelines.includes(row.pipeline as string) &&
      (node === undefined || row.node === node) &&
      (code === undefined || row.code === code) &&
      Number(row.time) >= fromMs &&
      Number(row.time) < toMs,
  )
}

function pipelineErrorCounts(rows: readonly PlacedRow[], query: PipelineErrorsQuery): CountOfErrors[] {
  const groups = Map.groupBy(errorsOf(rows, query), ({ pipeline, node, code }) =>
    [pipeline, node, code].join(' '),
  )
  return [...groups.values()]
    .map(some => {
      const [{ pipeline, node, code }] = some as [PlacedRow, ...PlacedRow[]]
      const count = some.reduce((sum, row) => sum + Number(row.count), 0)
      return { pipeline, node, code, count } as CountOfErrors
    })
    .sort(
      (a, b) =>
        b.count - a.count ||
        byteOrder(a.pipeline, b.pipeline) ||
        byteOrder(a.node, b.node) ||
        byteOrder(a.code, b.code),
    )
    .slice(0, query.limit)
}

function nodeMetrics(
  rows: readonly PlacedRow[],
  { account, pipelines, fromMs, toMs, intervalMs, ofNodes, limit }: NodeMetricsQuery,
): CountsOfNode[] {
  const found = rows
    .map(({ output = '', ...row }) => ({ ...row, output: ofNodes ? '' : output }) as PlacedRow)
    .filter(row => row.account === account && pipelines.includes(row.pipeline as string))
    .filter(({ t }) => Number(t) >= fromMs && Number(t) < toMs)
  const bucketOf = (row: PlacedRow) => Math.floor((Number(row.t) - fromMs) / intervalMs)
  const groups = Map.groupBy(found, row =>
    JSON.stringify([row.pipeline, row.node, row.output, bucketOf(row)]),
  )
  return [...groups.values()]
    .map(some => {
      const [first] = some as [PlacedRow, ...PlacedRow[]]
      const sumOf = (name: string) => some.reduce((sum, row) => sum + Number(row[name]), 0)
      const counts = Object.fromEntries(NODE_COUNTS.map(name => [name, sumOf(name)]))
      const [pipeline, node, output] = [first.pipeline, first.node, first.output].map(String)
      return { pipeline, node, output, bucket: bucketOf(first), counts } as CountsOfNode
    })
    .sort(
      (a, b) =>
        byteOrder(a.pipeline, b.pipeline) ||
        byteOrder(a.node, b.node) ||
        byteOrder(a.output, b.output) ||
        a.bucket - b.bucket,
    )
    .slice(0, limit)
}

/** @param rows at least one */
function errorEntry(rows: readonly PlacedRow[]): PipelineErrorEntry {
  const timeOf = (row: PlacedRow) => Number(row.time)
  const [first] = rows.toSorted((a, b) => timeOf(a) - timeOf(b)) as [PlacedRow]
  const starts = rows.map(row => (row.count === 1n ? timeOf(row) : Number(row.t)))
  const hours = Map.groupBy(rows, row => Math.floor(timeOf(row) / HOUR_MS) * HOUR_MS)
  const countOf = (some: readonly PlacedRow[]) => some.reduce((sum, row) => sum + Number(row.count), 0)
  return {
    pipeline: first.pipeline as string,
    node: first.node as string,
    nodeKind: first.node_kind as string,
    code: first.code as string,
    field: first.field === '' ? null : (first.field as string),
    message: first.message as string,
    captured: first.captured as string,
    count: countOf(rows),
    hours: [...hours].map(([startMs, some]) => ({ startMs, count: countOf(some) })).sort(by('startMs')),
    firstMs: Math.min(...starts),
    lastMs: Math.max(...rows.map(timeOf)),
  }
}

function byteOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function by<Key extends string>(key: Key): (a: Record<Key, number>, b: Record<Key, number>) => number {
  return (a, b) => a[key] - b[key]
}
