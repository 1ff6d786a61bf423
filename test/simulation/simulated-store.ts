import { type EndMark, isBeyond, type MarkKeeper } from '../../engine/configuration/end-mark.ts'
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
} from '../../engine/store/store.ts'
import { NO_DAMAGE } from '../../engine/store/store-damage.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { utcDay } from '../../engine/times/utc-day.ts'
import type { Position } from '../../schemas/log/position.ts'
import { isLineTable, STORE_TABLES, type StoreTable } from '../../schemas/log/tables.ts'
import { TOPIC_NUMBERS } from '../../schemas/log/topics.ts'
import type { Dice } from '../support/dice.ts'
import { rowsOfBlock } from '../support/mapped-row.ts'
import type { NativeValue } from '../support/native-reader.ts'
import { type PlacedRow, rowSearches } from '../support/row-searches.ts'
import { Actor, type Scheduler } from './scheduler.ts'

export type StoredRow = Readonly<Record<string, NativeValue>>

/** A committed insert. */
export interface Part {
  readonly target: PartitionTable
  readonly block: Buffer
  readonly rows: readonly StoredRow[]
}

/** Ways in which the store itself can be wrong, for negative controls. */
export type StoreDefect = 'no fence' | 'fence that reports success' | 'closed day copied twice'

/** The whole store at one instant. */
export interface StoreCopy {
  readonly history: readonly Part[]
  readonly usageDays: ReadonlyMap<string, readonly UsageRow[]>
  readonly removed: ReadonlySet<string>
  readonly endMark: EndMark | undefined
  readonly owners: ReadonlyMap<string, Epoch>
  readonly marks: ReadonlyMap<string, StoredMark>
}

interface Running {
  readonly insert: BatchInsert
  isKilled: boolean
  readonly ended: Promise<'stored' | 'killed'>
}

export interface UsageRow {
  readonly account: string
  readonly app: string
  readonly bytes: number
  readonly lines: number
}

/**
 * One store for all processes, with ClickHouse's semantics. A part is visible as a whole or not at all. The fence is
 * checked when a statement starts. A statement continues when its caller has gone, and may even start then. It may take
 * effect although its caller gets an error. KILL QUERY ends it, or comes too late.
 */
export class SimulatedStore {
  /** Share of the statements that do not simply succeed. */
  faultShare = 0
  isAway = false
  isSlow = false
  defect: StoreDefect | undefined
  /** Every insert that took effect, in its order. */
  readonly history: Part[] = []
  /** Closed days: rows of `usage_days`. */
  readonly usageDays = new Map<string, readonly UsageRow[]>()
  /** Lines that retention removed, as "partition offset row". */
  readonly removed = new Set<string>()
  readonly #scheduler: Scheduler
  readonly #dice: Dice
  readonly #actor = new Actor('store')
  /** The last known end of the configuration. */
  endMark: EndMark | undefined
  /** Every mark that was written, rising. */
  readonly endMarks: EndMark[] = []
  readonly #owners = new Map<string, Epoch>()
  readonly #marks = new Map<string, StoredMark>()
  /** Usage of closed days is not among the rows, because retention does not change it. */
  readonly #searches = rowSearches(table => this.#placedRows(table))
  #running: Running[] = []

  constructor(scheduler: Scheduler, dice: Dice) {
    this.#scheduler = scheduler
    this.#dice = dice
  }

  copy(): StoreCopy {
    return {
      history: [...this.history],
      usageDays: new Map(this.usageDays),
      removed: new Set(this.removed),
      endMark: this.endMark,
      owners: new Map(this.#owners),
      marks: new Map(this.#marks),
    }
  }

  /** Returns to the state of a copy; no process may use the store meanwhile. */
  goBack({ history, usageDays, removed, endMark, owners, marks }: StoreCopy): void {
    this.history.splice(0, this.history.length, ...history)
    replaceEntries(this.usageDays, usageDays)
    replaceEntries(this.#owners, owners)
    replaceEntries(this.#marks, marks)
    this.removed.clear()
    for (const row of removed) this.removed.add(row)
    this.endMark = endMark
  }

  /** Rows that a search would see, of one table; those of `lines` are all lines, whatever their table is. */
  rows(table: StoreTable): StoredRow[] {
    const parts = this.history.filter(part => isOfTable(part, table))
    if (this.removed.size === 0) return parts.flatMap(({ rows }) => rows)
    return parts.flatMap(({ target, rows }) => rows.filter(row => !this.removed.has(nameOf(target, row))))
  }

  #placedRows(table: StoreTable): PlacedRow[] {
    return this.history
      .filter(part => isOfTable(part, table))
      .flatMap(({ target, rows }) =>
        rows
          .filter(row => !this.removed.has(nameOf(target, row)))
          .map(row => ({
            ...row,
            topic: TOPIC_NUMBERS[target.topic as keyof typeof TOPIC_NUMBERS],
            partition: target.partition,
          })),
      )
  }

  /** The store as one process sees it. */
  clientOf(actor: Actor): Store {
    const call = async <T>(label: string, action: () => T | Promise<T>): Promise<T> => {
      await this.#reach(actor, label)
      const result = await action()
      await this.#scheduler.step(actor, 'answer')
      return result
    }
    return {
      open: async () => undefined,
      claim: owner => call('claim', () => this.#claim(owner)),
      insert: insert => this.#insert(actor, insert),
      markStored: (target, mark) => call('mark', () => this.#mark(target, mark)),
      standing: target => call('standing', () => this.#standing(target)),
      reached: (target, from) => call('reached', () => this.#reached(target, from)),
      settle: (target, from) => call('settle', () => this.#settle(target, from)),
      ...this.#searches,
      damage: NO_DAMAGE,
      findDamage: () => call('look for damage', () => []),
      size: () =>
        call('measure', () => ({
          bytes: 0,
          rows: 0,
          oldestDay: null,
          diskFreeBytes: null,
          uncoveredRows: 0,
        })),
      closeDay: day => call('close a day', () => this.#closeDay(day)),
      openDays: () => call('open days', () => this.#openDays()),
      indexWords: async () => {},
      removeExpired: (nowMs, settled) => call('remove', () => this.#removeExpired(nowMs, settled)),
      close: async () => undefined,
    }
  }

  /** The end mark of the configuration, as one process sees it. */
  endMarkOf(actor: Actor): MarkKeeper {
    return {
      place: 'the store',
      read: async () => {
        await this.#reach(actor, 'read the end mark')
        return this.endMark
      },
      write: async mark => {
        await this.#reach(actor, 'write the end mark')
        if (isBeyond(mark, this.endMark)) {
          this.endMark = mark
          this.endMarks.push(mark)
        }
        await this.#scheduler.step(actor, 'end mark written')
        if (this.#dice.chance(this.faultShare / 4)) throw outcomeUnknown()
      },
    }
  }

  async #reach(actor: Actor, label: string): Promise<void> {
    await this.#scheduler.step(actor, label)
    if (!this.isAway && !this.#dice.chance(this.faultShare / 4)) return
    await this.#scheduler.step(actor, 'store is away')
    throw new StoreError('UNAVAILABLE', 'the store is unavailable', { retriable: true })
  }

  async #claim({ topic, partition, epoch }: PartitionOwner): Promise<void> {
    const key = `${topic}/${partition}`
    const known = this.#owners.get(key)
    if (known !== undefined && isHigher(known, epoch)) throw fenced()
    await this.#scheduler.step(this.#actor, 'owner row')
    const present = this.#owners.get(key)
    if (present === undefined || isHigher(epoch, present)) this.#owners.set(key, epoch)
  }

  async #insert(actor: Actor, insert: BatchInsert): Promise<void> {
    await this.#reach(actor, 'insert')
    const fate = this.#dice.chance(this.faultShare) ? this.#dice.below(4) : -1
    if (fate === 0 || fate === 3) {
      void this.#startLate(insert)
      await this.#scheduler.step(actor, 'connection lost')
      throw outcomeUnknown()
    }
    const outcome = this.#start(insert)
    if (fate === 1) {
      outcome.catch(() => undefined)
      await this.#scheduler.step(actor, 'connection lost')
      throw outcomeUnknown()
    }
    const result = await outcome
    await this.#scheduler.step(actor, 'inserted')
    if (fate === 2 || result === 'killed') throw outcomeUnknown()
  }

  /** A statement whose connection broke on the way may still arrive. */
  async #startLate(insert: BatchInsert): Promise<void> {
    if (this.#dice.chance(0.2)) return
    if (this.#dice.chance(0.6)) await this.#scheduler.sleep(this.#actor, this.#dice.below(3_000))
    await this.#scheduler.step(this.#actor, 'late insert')
    await this.#start(insert).catch(() => undefined)
  }

  async #start(insert: BatchInsert): Promise<'stored' | 'killed'> {
    const owner = this.#owners.get(`${insert.topic}/${insert.partition}`)
    if ((owner === undefined || isHigher(owner, insert.epoch)) && this.defect !== 'no fence') {
      if (this.defect === 'fence that reports success') return 'stored'
      throw fenced()
    }
    let end: (outcome: 'stored' | 'killed') => void = () => undefined
    const ended = new Promise<'stored' | 'killed'>(resolve => {
      end = resolve
    })
    const running: Running = { insert, isKilled: false, ended }
    this.#running.push(running)
    void this.#run(running).then(outcome => {
      this.#running = this.#running.filter(other => other !== running)
      end(outcome)
    })
    return ended
  }

  async #run(running: Running): Promise<'stored' | 'killed'> {
    if (this.isSlow) await this.#scheduler.sleep(this.#actor, this.#dice.below(10_000))
    for (let steps = 1 + this.#dice.below(3); steps > 0; steps--)
      await this.#scheduler.step(this.#actor, 'insert runs')
    // Between the last check of the kill and the rename of the part, a kill comes too late.
    if (running.isKilled && this.#dice.chance(0.7)) return 'killed'
    const { topic, partition, table, rows: expected, block } = running.insert
    const bytes = Buffer.concat(block)
    const rows = rowsOfBlock(table, [bytes])
    if (rows.length !== expected) throw new Error(`${rows.length} rows in a block of ${expected}`)
    this.history.push({ target: { topic, partition, table }, block: bytes, rows })
    this.#scheduler.note(`${table}/${partition} ${rows.length}`)
    return 'stored'
  }

  async #settle(
    target: PartitionTable,
    from: Position & { readonly timeMs: number },
  ): Promise<Position | null> {
    const running = this.#running.filter(({ insert }) => isSameTable(insert, target))
    for (const statement of running) statement.isKilled = true
    for (const { ended } of running) await ended
    return this.#highest(target, from)
  }

  #mark({ topic, partition }: Pick<PartitionTable, 'topic' | 'partition'>, mark: StoredMark): void {
    const key = `${topic}/${partition}`
    if (mark.storedTo > (this.#marks.get(key)?.storedTo ?? -1n)) this.#marks.set(key, mark)
  }

  #standing({ topic, partition }: Pick<PartitionTable, 'topic' | 'partition'>): StoreStanding {
    const key = `${topic}/${partition}`
    return { owner: this.#owners.get(key)?.offset ?? null, mark: this.#marks.get(key) ?? null }
  }

  #reached(
    target: Pick<PartitionTable, 'topic' | 'partition'>,
    from: Position & { readonly timeMs: number },
  ): StoreReach {
    const positions = new Map<StoreTable, Position>()
    for (const table of STORE_TABLES) {
      const highest = this.#highest({ ...target, table }, from)
      if (highest !== null) positions.set(table, highest)
    }
    const parts = this.history.filter(
      part => part.target.topic === target.topic && part.target.partition === target.partition,
    )
    const timeMs = Math.max(0, ...parts.flatMap(({ rows }) => rows.map(({ t }) => Number(t))))
    return {
      owner: this.#owners.get(`${target.topic}/${target.partition}`)?.offset ?? null,
      positions,
      timeMs,
    }
  }

  /** Like the real store: rows of earlier days are not read, and minutes begin before the errors in them. */
  #highest(target: PartitionTable, from: Position & { readonly timeMs: number }): Position | null {
    const sinceMs = isLineTable(target.table) ? from.timeMs : from.timeMs - DAY_MS
    let highest: Position | null = null
    for (const part of this.history) {
      if (!isSameTable(part.target, target)) continue
      for (const row of part.rows) {
        const position = positionOf(row)
        if (isBefore(position, from) || Number(row.t) < sinceMs) continue
        if (this.removed.has(nameOf(target, row))) continue
        if (highest === null || isBefore(highest, position)) highest = position
      }
    }
    return highest
  }

  #openDays(): string[] {
    const days = new Set(this.rows('lines').map(row => dayOf(Number(row.t))))
    return [...days].filter(day => !this.usageDays.has(day)).sort()
  }

  /** Built separately, then put in its place in one step; the second process finds it closed. */
  async #closeDay(day: string): Promise<void> {
    const isCareless = this.defect === 'closed day copied twice'
    if (this.usageDays.has(day) && !isCareless) return
    const aside = usageOf(this.rows('lines').filter(row => dayOf(Number(row.t)) === day))
    await this.#scheduler.step(this.#actor, 'usage copied')
    if (aside.length === 0) return
    if (isCareless) this.usageDays.set(day, [...(this.usageDays.get(day) ?? []), ...aside])
    else if (!this.usageDays.has(day)) this.usageDays.set(day, aside)
  }

  #removeExpired(nowMs: number, settled: readonly SettledPartition[]): number {
    let removed = 0
    for (const { target, rows } of this.history) {
      if (!isLineTable(target.table)) continue
      const below = settled.find(each => each.partition === target.partition)?.checkpointOffset ?? 0n
      for (const row of rows) {
        const timeMs = Number(row.t)
        const daysPast = Math.floor(nowMs / DAY_MS) - Math.floor(timeMs / DAY_MS)
        if (daysPast <= Number(row.retention) || !this.usageDays.has(dayOf(timeMs))) continue
        const name = nameOf(target, row)
        if (this.removed.has(name) || positionOf(row).offset >= below) continue
        this.removed.add(name)
        removed++
      }
    }
    return removed
  }
}

function replaceEntries<Key, Value>(map: Map<Key, Value>, entries: ReadonlyMap<Key, Value>): void {
  map.clear()
  for (const [key, value] of entries) map.set(key, value)
}

export function usageOf(rows: readonly StoredRow[]): UsageRow[] {
  const sums = new Map<string, { account: string; app: string; bytes: number; lines: number }>()
  for (const { account, app, size } of rows) {
    const key = `${account} ${app}`
    const sum = sums.get(key) ?? { account: String(account), app: String(app), bytes: 0, lines: 0 }
    sum.bytes += Number(size)
    sum.lines++
    sums.set(key, sum)
  }
  return [...sums.values()]
}

const days = new Map<number, string>()

/** UTC day, YYYY-MM-DD. */
export function dayOf(timeMs: number): string {
  const number = Math.floor(timeMs / DAY_MS)
  let day = days.get(number)
  if (day === undefined) {
    day = utcDay(timeMs)
    days.set(number, day)
  }
  return day
}

function nameOf({ partition }: PartitionTable, row: StoredRow): string {
  return `${partition} ${row.offset} ${row.row}`
}

function positionOf(row: StoredRow): Position {
  return { offset: row.offset as bigint, row: row.row as number }
}

/** Whether a part has rows of a table; `lines` stands for all tables of lines. */
export function isOfTable({ target }: Pick<Part, 'target'>, table: StoreTable): boolean {
  return target.table === table || (table === 'lines' && isLineTable(target.table))
}

function isSameTable(a: PartitionTable, b: PartitionTable): boolean {
  return a.topic === b.topic && a.partition === b.partition && a.table === b.table
}

function isHigher(a: Epoch, b: Epoch): boolean {
  return a.offset > b.offset || (a.offset === b.offset && a.attempt > b.attempt)
}

function isBefore(a: Position, b: Position): boolean {
  return a.offset < b.offset || (a.offset === b.offset && a.row < b.row)
}

function fenced(): StoreError {
  return new StoreError('FENCED', 'fenced')
}

function outcomeUnknown(): StoreError {
  return new StoreError('OUTCOME_UNKNOWN', 'connection lost', { retriable: true })
}
