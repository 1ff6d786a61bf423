import type { Position } from '../../schemas/log/position.ts'
import {
  blockColumns,
  blockStructure,
  isLineTable,
  LINE_TABLES,
  type LineTable,
  type SideTable,
  STORE_TABLES,
  type StoreTable,
} from '../../schemas/log/tables.ts'
import { topicNumber } from '../../schemas/log/topics.ts'
import type { Clock } from '../clock/clock.ts'
import { systemClock } from '../clock/system-clock.ts'
import { DAY_MS } from '../times/duration.ts'
import type { StoreConnection } from './connection.ts'
import { assertEssentialParts, findDamagedParts } from './damaged-parts.ts'
import { allAreFiltered, unmarkLinesWithoutFilter } from './filter-coverage.ts'
import { rebuildProjections } from './line-projections.ts'
import { migrate } from './migrations.ts'
import { type CountsOfNode, type NodeMetricsQuery, nodeMetrics } from './node-metrics.ts'
import {
  type CountOfErrors,
  type PipelineErrorEntry,
  type PipelineErrorsQuery,
  pipelineErrorCounts,
  pipelineErrors,
} from './pipeline-errors.ts'
import { dropOldActivity, removeExpired } from './retention.ts'
import type { FilteredLines } from './search/filtered-segments.ts'
import { fullFieldDays } from './search/full-field-days.ts'
import { type Buckets, countByTime, countByValue } from './search/line-counts.ts'
import type { LinePage, LineSearch, LineSelection } from './search/line-selection.ts'
import { searchLines } from './search/slices/sliced-search.ts'
import { textLiteral } from './sql-text.ts'
import { askedBy, type Statement, type StatementRunner } from './statement.ts'
import {
  type BatchInsert,
  type Epoch,
  type PartitionOwner,
  type PartitionTable,
  type SettledPartition,
  type Store,
  type StoredMark,
  StoreError,
  type StoreReach,
  type StoreStanding,
} from './store.ts'
import { type DamagedPart, DamageRecord, type KnownDamage } from './store-damage.ts'
import { FENCED, insertFailure, openFailure, statementFailure } from './store-failure.ts'
import { type StoreSize, storeSize } from './store-size.ts'
import {
  type NamedUsage,
  type PoolUsage,
  type UsageByKindQuery,
  type UsagePeriod,
  usageByKind,
  usageByKindStream,
  usageTotals,
} from './usage/usage.ts'
import { closeDay, openDays } from './usage/usage-days.ts'
import { type UsageInBucket, type UsageSeriesQuery, usageSeries } from './usage/usage-series.ts'
import { indexWords } from './word-index.ts'

/** The store on ClickHouse, which also runs statements of its tests and measurements. */
export interface ClickHouseStore extends Store, StatementRunner {
  /**
   * Assigns an open store to another log. It refuses the former log from then on.
   *
   * @throws StoreError, retriable ones, too: a repetition, after `open` for the former log, continues
   */
  giveTo(logId: string): Promise<void>
}

/** The present enterprise of an account; the account itself if it belongs to none. */
export type EnterpriseOf = (account: string) => string

/** The store on ClickHouse, embedded or a server. */
export function openClickHouseStore(
  connection: StoreConnection,
  clock: Clock = systemClock(),
  enterpriseOf: EnterpriseOf = account => account,
): ClickHouseStore {
  return new StoreOverConnection(connection, clock, enterpriseOf)
}

/**
 * One batch is one block and hence one part, whatever the engine's defaults are. Deduplication of blocks is off: the
 * engine writes the token of a block before it publishes the part. After a kill in between, a repeat would report success
 * and store nothing.
 */
const INSERT_SETTINGS = [
  'async_insert = 0',
  'insert_deduplicate = 0',
  'max_block_size = 16777216',
  'max_insert_block_size = 16777216',
  'min_insert_block_size_rows = 16777216',
  'min_insert_block_size_bytes = 0',
  'max_insert_block_size_bytes = 0',
  'max_threads = 1',
  'max_insert_threads = 1',
  'max_partitions_per_insert_block = 0',
  'optimize_on_insert = 0',
  // The index is built after a quiet time: word-index.ts.
  "exclude_materialize_skip_indexes_on_insert = 'marked_words'",
]

/** Rows of minutes contain the minute's start, which may be before the time of a checkpoint. */
const MINUTE_TABLES_MARGIN_MS = DAY_MS

class StoreOverConnection implements ClickHouseStore {
  readonly #connection: StoreConnection
  readonly #clock: Clock
  readonly #enterpriseOf: EnterpriseOf
  readonly #damage = new DamageRecord()
  #logId: string | undefined
  /** Lines with filters; undefined: some that have the mark may lack theirs. */
  #filtered: FilteredLines | undefined
  /** Whether this process has stored lines without filters. */
  #storesUnfiltered = false
  /** Tables that may have lines: those that are searched. */
  #lineTables: readonly LineTable[] = LINE_TABLES
  /** Tables that have had lines; undefined: other processes may fill any. */
  #filled: Set<string> | undefined
  /** Error of a search before the store was opened. */
  #notOpen = notOpen()

  constructor(connection: StoreConnection, clock: Clock, enterpriseOf: EnterpriseOf) {
    this.#connection = connection
    this.#clock = clock
    this.#enterpriseOf = enterpriseOf
  }

  async open(logId: string, wasFilled = false): Promise<void> {
    try {
      await this.#connection.createDatabase()
      await assertEssentialParts(
        ({ sql }) => this.#translated(() => this.#connection.read(sql)),
        this.#damage,
      )
      await migrate(this.#connection)
      await this.#rememberLog(logId, wasFilled)
      await rebuildProjections(this.#connection)
      await this.#findLineTables()
    } catch (error) {
      const failure = this.#noted(openFailure(error))
      this.#notOpen = notOpen(failure)
      throw failure
    }
    this.#logId = logId
    // A start does not wait for it: searches read all lines meanwhile.
    this.#filtered = undefined
    void this.#checkFilters().catch(() => {})
  }

  async giveTo(logId: string): Promise<void> {
    if (logId === this.#openLogId()) return
    await this.#translated(async () => {
      await this.#connection.command('TRUNCATE TABLE logs')
      await this.#connection.command(
        `INSERT INTO logs (log_id) SETTINGS async_insert = 0 VALUES (${textLiteral(logId)})`,
      )
    })
    this.#logId = logId
  }

  async claim({ topic, partition, epoch }: PartitionOwner): Promise<void> {
    const number = topicNumber(topic)
    await this.#translated(() =>
      this.#connection.command(
        `INSERT INTO owners (log_id, topic, partition, epoch_offset, epoch_attempt) SETTINGS async_insert = 0
SELECT ${textLiteral(this.#openLogId())}, ${number}, ${partition}, ${epoch.offset}, ${epoch.attempt}
WHERE ${fence(number, partition, epoch)}`,
      ),
    )
  }

  async insert(insert: BatchInsert): Promise<void> {
    const { table, block, filters } = insert
    try {
      if (isLineTable(table)) this.#noteLines(table)
      if (filters === undefined && isLineTable(table)) this.#noteUnfiltered()
      if (filters !== undefined) await this.#insertBlock(insert, 'word_filters', filters)
      await this.#insertBlock(insert, table, block)
    } catch (error) {
      throw this.#noted(insertFailure(error))
    }
  }

  async #insertBlock(
    insert: BatchInsert,
    table: StoreTable | SideTable,
    block: readonly Uint8Array[],
  ): Promise<void> {
    const { topic, partition, epoch, filters } = insert
    const number = topicNumber(topic)
    const names = blockColumns(table).map(([name]) => `\`${name}\``)
    const named: [string, number][] = [
      ['topic', number],
      ['partition', partition],
    ]
    if (isLineTable(table) && filters !== undefined) named.push(['filtered', 1])
    const columns = [...named.map(([name]) => name), ...names].join(', ')
    const values = [...named.map(([, value]) => value), ...names].join(', ')
    const comment = this.#comment(insert)
    const settings = [...INSERT_SETTINGS, `log_comment = ${textLiteral(comment)}`].join(', ')
    await this.#connection.insertBlock({
      sql: source => `INSERT INTO ${table} (${columns}) SETTINGS ${settings}
SELECT ${values} FROM ${source} WHERE ${fence(number, partition, epoch)}`,
      structure: blockStructure(table),
      block,
      comment,
    })
  }

  async settle(
    target: PartitionTable,
    from: Position & { readonly timeMs: number },
  ): Promise<Position | null> {
    return this.#translated(async () => {
      await this.#connection.endInserts(this.#comment(target))
      const [found] = await this.#connection.read<{ rows: string; highest: [string, number] }>(
        `SELECT count() AS rows, max((offset, row)) AS highest
FROM ${target.table}
WHERE ${atOrBehind(target, from)}`,
      )
      if (found === undefined || found.rows === '0') return null
      const [offset, row] = found.highest
      return { offset: BigInt(offset), row }
    })
  }

  markStored(
    { topic, partition }: Pick<PartitionTable, 'topic' | 'partition'>,
    { storedTo, settledMs }: StoredMark,
  ): Promise<void> {
    return this.#translated(() =>
      this.#connection.command(
        `INSERT INTO stored_marks (topic, partition, stored_to, settled_ms) SETTINGS async_insert = 0
VALUES (${topicNumber(topic)}, ${partition}, ${storedTo}, ${Math.floor(settledMs)})`,
      ),
    )
  }

  async standing({ topic, partition }: Pick<PartitionTable, 'topic' | 'partition'>): Promise<StoreStanding> {
    if (this.#logId === undefined) throw this.#notOpen
    const ofPartition = `topic = ${topicNumber(topic)} AND partition = ${partition}`
    const [row] = await this.#translated(() =>
      this.#connection.read<{ owner: string | null; mark: [string, string]; marks: string }>(
        `SELECT (SELECT maxOrNull(epoch_offset) FROM owners WHERE ${ofPartition}) AS owner,
  max((stored_to, settled_ms)) AS mark, count() AS marks
FROM stored_marks WHERE ${ofPartition}`,
      ),
    )
    if (row === undefined) return { owner: null, mark: null }
    const { owner, mark, marks } = row
    return {
      owner: owner === null ? null : BigInt(owner),
      mark: marks === '0' ? null : { storedTo: BigInt(mark[0]), settledMs: Number(mark[1]) },
    }
  }

  async reached(
    { topic, partition }: Pick<PartitionTable, 'topic' | 'partition'>,
    from: Position & { readonly timeMs: number },
  ): Promise<StoreReach> {
    if (this.#logId === undefined) throw this.#notOpen
    // A single statement, because a start runs it for every partition.
    const ofTables = STORE_TABLES.map(
      table => `SELECT '${table}' AS name, count() AS rows, max((offset, row)) AS highest, toUnixTimestamp64Milli(max(t)) AS latest
FROM ${table} WHERE ${atOrBehind({ topic, partition, table }, from)}`,
    )
    const ofOwners = `SELECT 'owners' AS name, count() AS rows, max((epoch_offset, epoch_attempt)) AS highest, toInt64(0) AS latest
FROM owners WHERE topic = ${topicNumber(topic)} AND partition = ${partition}`
    const rows = await this.#translated(() =>
      this.#connection.read<{ name: string; rows: string; highest: [string, number]; latest: string }>(
        [ofOwners, ...ofTables].join('\nUNION ALL\n'),
      ),
    )
    const positions = new Map<StoreTable, Position>()
    let [owner, timeMs]: [bigint | null, number] = [null, 0]
    for (const { name, rows: count, highest, latest } of rows) {
      if (count === '0') continue
      const [offset, row] = highest
      if (name === 'owners') owner = BigInt(offset)
      else positions.set(name as StoreTable, { offset: BigInt(offset), row })
      timeMs = Math.max(timeMs, Number(latest))
    }
    return { owner, positions, timeMs }
  }

  async query<Row>(statement: Statement, signal?: AbortSignal): Promise<Row[]> {
    if (this.#logId === undefined) throw this.#notOpen
    try {
      return await this.#connection.query<Row>(statement, signal)
    } catch (error) {
      signal?.throwIfAborted()
      throw this.#noted(statementFailure(error))
    }
  }

  async *queryStream<Row>(statement: Statement, signal?: AbortSignal): AsyncIterable<Row[]> {
    if (this.#logId === undefined) throw this.#notOpen
    try {
      yield* this.#connection.queryStream<Row>(statement, signal)
    } catch (error) {
      signal?.throwIfAborted()
      throw this.#noted(statementFailure(error))
    }
  }

  search(selection: LineSelection, page: LinePage): LineSearch {
    const runner = this.#askedBy(selection.account)
    return searchLines(runner, this.#lineTables, selection, page, this.#filtered, this.#clock)
  }

  fullFieldDays: Store['fullFieldDays'] = (selection, options) =>
    fullFieldDays(this.#askedBy(selection.account), this.#lineTables, selection, options)

  countByValue(selection: LineSelection, field: string, signal: AbortSignal) {
    return countByValue(this.#askedBy(selection.account), this.#lineTables, selection, field, signal)
  }

  countByTime(selection: LineSelection, buckets: Buckets, signal: AbortSignal) {
    return countByTime(this.#askedBy(selection.account), this.#lineTables, selection, buckets, signal)
  }

  usageByKind(query: UsageByKindQuery, signal?: AbortSignal): Promise<NamedUsage[]> {
    return usageByKind(this.#askedBy(query.account), this.#lineTables, query, signal)
  }

  usageByKindStream(query: UsageByKindQuery, signal: AbortSignal): AsyncIterable<NamedUsage[]> {
    return usageByKindStream(this.#askedBy(query.account), this.#lineTables, query, signal, this.#clock)
  }

  usageSeries(query: UsageSeriesQuery, signal?: AbortSignal): Promise<UsageInBucket[]> {
    return usageSeries(this.#askedBy(query.account), this.#lineTables, query, signal)
  }

  usageTotals(period: UsagePeriod, signal?: AbortSignal): Promise<PoolUsage[]> {
    return usageTotals(this.#askedBy(period.account), this.#lineTables, period, signal)
  }

  pipelineErrors(query: PipelineErrorsQuery, signal?: AbortSignal): Promise<PipelineErrorEntry[]> {
    return pipelineErrors(this.#askedBy(query.account), query, signal)
  }

  pipelineErrorCounts(query: PipelineErrorsQuery, signal?: AbortSignal): Promise<CountOfErrors[]> {
    return pipelineErrorCounts(this.#askedBy(query.account), query, signal)
  }

  nodeMetrics(query: NodeMetricsQuery, signal?: AbortSignal): Promise<CountsOfNode[]> {
    return nodeMetrics(this.#askedBy(query.account), query, signal)
  }

  #askedBy(account: string): StatementRunner {
    return askedBy({ account, enterprise: this.#enterpriseOf(account) }, this)
  }

  get damage(): KnownDamage {
    return this.#damage.known
  }

  async findDamage(signal?: AbortSignal): Promise<readonly DamagedPart[]> {
    return findDamagedParts(statement => this.query(statement, signal), this.#damage)
  }

  size(signal?: AbortSignal): Promise<StoreSize> {
    return storeSize(this, signal)
  }

  closeDay(day: string): Promise<void> {
    return this.#translated(() => closeDay(this.#connection, day))
  }

  openDays(): Promise<string[]> {
    return this.#translated(() => openDays(this.#connection))
  }

  removeExpired(nowMs: number, settled: readonly SettledPartition[]): Promise<number> {
    return this.#translated(async () => {
      await dropOldActivity(this.#connection, nowMs, settled)
      return removeExpired(this.#connection, nowMs, settled)
    })
  }

  indexWords(restMs: number): Promise<void> {
    return this.#translated(async () => {
      if (this.#filtered === undefined) await this.#checkFilters()
      await indexWords(this.#connection, restMs)
    })
  }

  async close(): Promise<void> {
    await this.#connection.close()
  }

  async #checkFilters(): Promise<void> {
    await unmarkLinesWithoutFilter(this.#connection)
    // Lines that are stored from here on have filters, unless a process of an older program stores some.
    const all = !this.#connection.isShared && (await allAreFiltered(this.#connection))
    this.#filtered = all && !this.#storesUnfiltered ? 'all' : 'some'
  }

  /**
   * A table without lines need not be searched. Other processes may fill the tables of a server at any time, so all of
   * them are searched there.
   */
  async #findLineTables(): Promise<void> {
    if (this.#connection.isShared) return
    const rows = await this.#connection.read<{ name: string }>(
      `SELECT DISTINCT table AS name FROM system.parts WHERE database = currentDatabase() AND active AND rows > 0`,
    )
    this.#filled = new Set(rows.map(({ name }) => name))
    this.#searchFilled(this.#filled)
  }

  #noteLines(table: LineTable): void {
    if (this.#filled === undefined || this.#filled.has(table)) return
    this.#filled.add(table)
    this.#searchFilled(this.#filled)
  }

  #searchFilled(filled: ReadonlySet<string>): void {
    const tables = LINE_TABLES.filter(table => filled.has(table))
    this.#lineTables = tables.length > 0 ? tables : LINE_TABLES.slice(-1)
  }

  #noteUnfiltered(): void {
    this.#storesUnfiltered = true
    this.#filtered &&= 'some'
  }

  /** Records damage that an error reports. */
  #noted(failure: StoreError): StoreError {
    const { damaged } = failure
    if (damaged?.state === 'unreadable') this.#damage.noteUnreadable(damaged)
    if (damaged !== undefined && !isLineTable(damaged.table)) this.#filtered = undefined
    return failure
  }

  async #translated<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task()
    } catch (error) {
      throw this.#noted(statementFailure(error))
    }
  }

  /** Two processes that start together may both write: they read the same log, or both are refused. */
  async #rememberLog(logId: string, wasFilled: boolean): Promise<void> {
    const known = () => this.#connection.read<{ log_id: string }>('SELECT DISTINCT log_id FROM logs')
    if ((await known()).length === 0) {
      if (wasFilled)
        throw new StoreError('STORE_LOST', 'the store is new, but the log says that lines were stored before')
      await this.#connection.command(
        `INSERT INTO logs (log_id) SETTINGS async_insert = 0 VALUES (${textLiteral(logId)})`,
      )
    }
    const other = (await known()).find(({ log_id: id }) => id !== logId)
    if (other !== undefined)
      throw new StoreError(
        'STORE_OF_ANOTHER_LOG',
        `the store was filled from log ${other.log_id}, this is log ${logId}: give each log a store of its own`,
      )
  }

  #comment({ topic, partition, table }: PartitionTable): string {
    return `weir:${this.#openLogId()}:${topic}:${partition}:${table}`
  }

  #openLogId(): string {
    if (this.#logId === undefined) throw new Error('the store is used before it is opened')
    return this.#logId
  }
}

/** An older owner gets an error; a condition that is merely false would report success and store nothing. */
function fence(topic: number, partition: number, { offset, attempt }: Epoch): string {
  return `throwIf((SELECT max((epoch_offset, epoch_attempt)) FROM owners WHERE topic = ${topic} AND partition = ${partition}) > (toUInt64(${offset}), toUInt32(${attempt})), '${FENCED}') = 0`
}

/** Rows of a partition at or behind a position. */
function atOrBehind(
  { topic, partition, table }: PartitionTable,
  from: Position & { readonly timeMs: number },
): string {
  const sinceMs = isLineTable(table) ? from.timeMs : from.timeMs - MINUTE_TABLES_MARGIN_MS
  return `topic = ${topicNumber(topic)} AND partition = ${partition}
  AND t >= fromUnixTimestamp64Milli(${Math.max(0, Math.floor(sinceMs))}, 'UTC')
  AND offset >= ${from.offset} AND (offset, row) >= (${from.offset}, ${from.row})`
}

function notOpen(cause?: StoreError): StoreError {
  return new StoreError('UNAVAILABLE', cause?.message ?? 'it is being opened', { retriable: true, cause })
}
