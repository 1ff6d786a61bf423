import { blockColumns, blockStructure, isLineTable, type StoreTable } from '../../schemas/log/tables.ts'
import { topicNumber } from '../../schemas/log/topics.ts'
import { DAY_MS } from '../times/duration.ts'
import type { AuditStatement, StoreConnection } from './connection.ts'
import { type UncoveredLines, uncoveredLines } from './filter-coverage.ts'
import type { PartitionTable } from './store.ts'
import type {
  MayBeMissing,
  RecordDifference,
  RowCount,
  RowSums,
  StoreAudit,
  StoredRange,
  StoredTopic,
  StrayRows,
  WindowSums,
} from './store-audit.ts'
import { auditFailure } from './store-failure.ts'
import { groupDigest, UsageAudit } from './usage/usage-audit.ts'

/**
 * The audit of a store on ClickHouse, embedded or a server.
 *
 * @param signal ends the running statement
 */
export function openStoreAudit(connection: StoreConnection, signal?: AbortSignal): StoreAudit {
  return new ClickHouseAudit(connection, signal)
}

class ClickHouseAudit implements StoreAudit {
  readonly #connection: StoreConnection
  readonly #signal: AbortSignal | undefined
  readonly #usage: UsageAudit

  constructor(connection: StoreConnection, signal: AbortSignal | undefined) {
    this.#connection = connection
    this.#signal = signal
    this.#usage = new UsageAudit(sql => this.#read({ sql: () => sql }))
  }

  async blockSums(table: StoreTable, blocks: readonly (readonly Uint8Array[])[]): Promise<RowSums[]> {
    const rows = await this.#read<SumsRow>({
      sql: source => `SELECT ${sums(table)} FROM ${source} GROUP BY hour, retention ORDER BY hour, retention`,
      block: blockOf(table, blocks),
    })
    return rows.map(rowSums)
  }

  async storedSums(range: StoredRange, windows: readonly bigint[]): Promise<WindowSums[]> {
    const starts = `CAST([${windows.join(', ')}], 'Array(UInt64)')`
    const rows = await this.#read<SumsRow & { window: string }>({
      sql: () => `SELECT roundDown(offset, ${starts}) AS window, ${sums(range.table)}
FROM ${range.table} WHERE ${inRange(range)}
GROUP BY window, hour, retention ORDER BY window, hour, retention SETTINGS optimize_use_projections = 0`,
    })
    return rows.map(row => ({ window: BigInt(row.window), ...rowSums(row) }))
  }

  async firstDifference(
    range: StoredRange,
    blocks: readonly (readonly Uint8Array[])[],
    { retentionDays, beforeMs }: MayBeMissing,
  ): Promise<RecordDifference | undefined> {
    const { table } = range
    const columns = blockColumns(table).map(([name]) => name)
    const groups = (name: string, source: string) =>
      `SELECT offset, hour, retention, '${name}' AS side, ${counts(table)},
  sumForEach([${columns.map(column => `cityHash64(\`${column}\`)`).join(', ')}]) AS columns
FROM (SELECT *, ${KEYS[table]} FROM ${source}) GROUP BY offset, hour, retention`
    const of = (what: string, name: string) => `sumIf(${what}, side = '${name}')`
    const ofColumns = (name: string) => `sumForEachIf(columns, side = '${name}')`
    const rows = await this.#read<DifferenceRow>({
      sql: source => `SELECT offset, hour, retention,
  ${of('rows', 'log')} AS log_rows, ${of('bytes', 'log')} AS log_bytes, ${of('digest', 'log')} AS log_digest,
  ${of('rows', 'store')} AS store_rows, ${of('bytes', 'store')} AS store_bytes, ${of('digest', 'store')} AS store_digest,
  ${ofColumns('log')} AS log_columns, ${ofColumns('store')} AS store_columns
FROM (${groups('log', source)} UNION ALL ${groups('store', `(SELECT * FROM ${table} WHERE ${inRange(range)})`)})
GROUP BY offset, hour, retention
HAVING (log_rows != store_rows OR log_digest != store_digest)
  AND NOT (store_rows = 0 AND retention <= ${retentionDays} AND hour < ${Math.floor(beforeMs / 1000)})
ORDER BY offset, hour, retention LIMIT 100 SETTINGS optimize_use_projections = 0`,
      block: blockOf(table, blocks),
    })
    const [first] = rows
    return (
      first &&
      differenceOf(
        columns,
        rows.filter(row => row.offset === first.offset),
      )
    )
  }

  async firstRow(range: StoredRange, exceptDays: readonly string[] = []): Promise<StrayRows | undefined> {
    const other =
      exceptDays.length === 0 ? '' : ` AND toYYYYMMDD(t) NOT IN (${exceptDays.map(dayNumber).join(', ')})`
    const [row] = await this.#read<StrayRow>({
      sql: () => `SELECT count() AS rows, min(offset) AS lowest,
  toUnixTimestamp(toStartOfHour(argMin(t, offset))) AS hour FROM ${range.table} WHERE ${inRange(range)}${other}`,
    })
    return row === undefined || row.rows === '0' ? undefined : strayRows(row)
  }

  async lastOffset(target: PartitionTable, from: bigint): Promise<bigint | undefined> {
    const [row] = await this.#read<{ rows: string; last: string }>({
      sql: () =>
        `SELECT count() AS rows, max(offset) AS last FROM ${target.table} WHERE ${inPartition(target)} AND offset >= ${from}`,
    })
    return row === undefined || row.rows === '0' ? undefined : BigInt(row.last)
  }

  async firstOfNoPartition(known: readonly StoredTopic[], table: StoreTable) {
    const isKnown = known.map(
      ({ name, partitions }) => `(topic = ${topicNumber(name)} AND partition < ${partitions})`,
    )
    const rows = await this.#read<StrayRow & { topic: number; partition: number; highest: string }>({
      sql: () => `SELECT topic, partition, count() AS rows, min(offset) AS lowest, max(offset) AS highest,
  toUnixTimestamp(toStartOfHour(argMin(t, offset))) AS hour FROM ${table}
WHERE NOT (${isKnown.join(' OR ')}) GROUP BY topic, partition ORDER BY topic, partition LIMIT 1`,
    })
    const [row] = rows
    if (row === undefined) return undefined
    return {
      ...strayRows(row),
      topicNumber: row.topic,
      partition: row.partition,
      lastOffset: BigInt(row.highest),
    }
  }

  async firstWithoutFilter(day: string) {
    const [row] = await this.#read<UncoveredLines>({ sql: () => uncoveredLines(day.replaceAll('-', '')) })
    if (row === undefined) return undefined
    const { topic: topicNumber, partition, lines, first, last } = row
    return { topicNumber, partition, lines, firstOffset: BigInt(first), lastOffset: BigInt(last) }
  }

  days = () => this.#usage.days()
  isClosed = (day: string) => this.#usage.isClosed(day)
  closedUsage = (day: string) => this.#usage.closedUsage(day)
  firstUsageDifference: StoreAudit['firstUsageDifference'] = (day, mayLackLines) =>
    this.#usage.firstDifference(day, mayLackLines)
  firstProjectionDifference = (day: string) => this.#usage.firstProjectionDifference(day)

  async #read<Row>(statement: AuditStatement): Promise<Row[]> {
    try {
      return await this.#connection.audit<Row>({ ...statement, signal: this.#signal })
    } catch (error) {
      this.#signal?.throwIfAborted()
      throw auditFailure(error)
    }
  }
}

interface SumsRow {
  readonly hour: number
  readonly retention: number
  readonly rows: string
  readonly bytes: string
  readonly digest: string
  readonly lines_digest: string
  readonly bytes_digest: string
}

interface DifferenceRow {
  readonly offset: string
  readonly hour: number
  readonly log_rows: string
  readonly log_bytes: string
  readonly log_digest: string
  readonly store_rows: string
  readonly store_bytes: string
  readonly store_digest: string
  readonly log_columns: readonly string[]
  readonly store_columns: readonly string[]
}

interface StrayRow {
  readonly rows: string
  readonly lowest: string
  readonly hour: number
}

const HOUR = 'toUnixTimestamp(toStartOfHour(t)) AS hour'

/** Columns by which rows are grouped. Only lines have their own retention. */
const KEYS: Readonly<Record<StoreTable, string>> = {
  lines: HOUR,
  slotted_lines: HOUR,
  node_metrics: `${HOUR}, 0 AS retention`,
  pipeline_errors: `${HOUR}, 0 AS retention`,
  full_field_days: `${HOUR}, 0 AS retention`,
}

function sums(table: StoreTable): string {
  const usage = isLineTable(table)
    ? `sum(${groupDigest(table)}) AS lines_digest, sum(${groupDigest(table)} * size) AS bytes_digest`
    : "'0' AS lines_digest, '0' AS bytes_digest"
  const keys = isLineTable(table) ? `${HOUR}, retention` : KEYS[table]
  return `${keys}, ${counts(table)}, ${usage}`
}

/** Counts every column, in order. */
function counts(table: StoreTable): string {
  const columns = blockColumns(table).map(([name]) => `\`${name}\``)
  const bytes = isLineTable(table) ? 'sum(size)' : 'toUInt64(0)'
  return `count() AS rows, ${bytes} AS bytes, sum(cityHash64(${columns.join(', ')})) AS digest`
}

function inPartition({ topic, partition }: PartitionTable): string {
  return `topic = ${topicNumber(topic)} AND partition = ${partition}`
}

function inRange(range: StoredRange): string {
  const except = (range.except ?? []).map(({ from, to }) => ` AND NOT (offset >= ${from} AND offset < ${to})`)
  const offsets = `${inPartition(range)} AND offset >= ${range.from} AND offset < ${range.until}${except.join('')}`
  if (range.day === undefined) return offsets
  const startMs = Date.parse(range.day)
  return `${offsets} AND t >= ${moment(startMs)} AND t < ${moment(startMs + DAY_MS)}`
}

function moment(ms: number): string {
  return `fromUnixTimestamp64Milli(${ms}, 'UTC')`
}

function dayNumber(day: string): string {
  return day.replaceAll('-', '')
}

function blockOf(table: StoreTable, blocks: readonly (readonly Uint8Array[])[]) {
  return { structure: blockStructure(table), block: blocks.flat() }
}

function rowSums(row: SumsRow): RowSums {
  const rows = Number(row.rows)
  const bytes = Number(row.bytes)
  return {
    hourMs: row.hour * 1000,
    retentionDays: row.retention,
    rows,
    bytes,
    digest: BigInt(row.digest),
    usage: {
      lines: rows,
      bytes,
      linesDigest: BigInt(row.lines_digest),
      bytesDigest: BigInt(row.bytes_digest),
    },
  }
}

/** A record can be in several groups if hours or retentions differ, too. */
function differenceOf(columns: readonly string[], rows: readonly DifferenceRow[]): RecordDifference {
  const first = rows[0] as DifferenceRow
  const total = (side: 'log' | 'store'): RowCount =>
    rows.reduce(
      (sum, row) => ({
        rows: sum.rows + Number(row[`${side}_rows`]),
        bytes: sum.bytes + Number(row[`${side}_bytes`]),
        digest: BigInt.asUintN(64, sum.digest + BigInt(row[`${side}_digest`])),
      }),
      { rows: 0, bytes: 0, digest: 0n },
    )
  const ofColumn = (side: 'log' | 'store', index: number) =>
    BigInt.asUintN(
      64,
      rows.reduce((sum, row) => sum + BigInt(row[`${side}_columns`][index] ?? 0), 0n),
    )
  return {
    offset: BigInt(first.offset),
    hourMs: first.hour * 1000,
    expected: total('log'),
    found: total('store'),
    columns: columns.filter((_, index) => ofColumn('log', index) !== ofColumn('store', index)),
  }
}

function strayRows({ rows, lowest, hour }: StrayRow): StrayRows {
  return { rows: Number(rows), offset: BigInt(lowest), hourMs: hour * 1000 }
}
