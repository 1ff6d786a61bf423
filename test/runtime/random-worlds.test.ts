import { expect, test } from 'vitest'
import { encodeControl } from '../../engine/fold/control-record.ts'
import { foldIdentity, PartitionFold } from '../../engine/fold/partition-fold.ts'
import type { LogRecord } from '../../engine/log/log.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { DAY_MS, HOUR_MS } from '../../engine/times/duration.ts'
import type { PartitionWorker } from '../../engine/worker/partition-worker.ts'
import { type Cut, controlType } from '../../schemas/log/control.ts'
import { isLineTable, type StoreTable } from '../../schemas/log/tables.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { type Dice, newDice } from '../support/dice.ts'
import { drawMemory } from '../support/drawn-memory.ts'
import { lineBatchValue, SAMPLE_ACCOUNT, type SampleLine } from '../support/line-batches.ts'
import { IS_LONG } from '../support/long-form.ts'
import { rowsOfBlock } from '../support/mapped-row.ts'
import type { InsertFate, MemoryRow } from '../support/memory-store.ts'
import { drawPeriods, drawRules, judgedRows, withoutRules } from '../support/rules-model.ts'
import { newWorld, node, SOURCE, type World } from '../support/world.ts'

const SEEDS = Number(process.env.SEEDS ?? (IS_LONG ? 40 : 12))
const FIRST_SEED = Number(process.env.SEED ?? 1)
const ACTIONS = 120
const TABLES = ['lines', 'node_metrics', 'pipeline_errors', 'full_field_days'] as const

type Rows = Record<StoreTable, MemoryRow[]>

const seeds = Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index)

test.each(seeds)(
  'faults do not change the result: the store contains what the log gives (SEED=%i)',
  async seed => {
    const dice = newDice(seed)
    const world = await newWorld()
    world.store.decideInserts(() => fateOf(dice))
    await new RandomRun(world, dice).run()

    const { next } = await world.ingest.bounds(world.partition)
    const records = await world.ingest.read(world.partition, 0n, Number.MAX_SAFE_INTEGER)
    expect(records).toHaveLength(Number(next))
    const expected = foldOf(world, records, () => false)
    for (const table of TABLES) expect(textOf(world.store.rows(table)), table).toBe(textOf(expected[table]))
    const restored = foldOf(world, records, () => dice.chance(0.7))
    for (const table of TABLES)
      expect(textOf(restored[table]), `${table}, restored`).toBe(textOf(expected[table]))
    expectConservation(expected)
    const free = foldOf(world, withoutRules(records), () => false)
    expect(textOf(expected.lines), 'rules').toBe(textOf(judgedRows(records, free.lines)))
  },
)

/** Lines, repeats, republishing, pauses, clocks and kills in a random order. */
class RandomRun {
  readonly #world: World
  readonly #dice: Dice
  #worker: PartitionWorker | undefined
  #version = 0
  #sequence = 0
  #lines = 0
  readonly #exemptions: Cut[] = []
  readonly #rules: Cut[] = []
  /** Latest end that an exemption ever had, by pipeline and key. */
  readonly #lastMs = new Map<string, number>()

  constructor(world: World, dice: Dice) {
    this.#world = world
    this.#dice = dice
  }

  async run(): Promise<void> {
    const { clock } = this.#world
    if (this.#dice.chance(0.3)) clock.advance(DAY_MS - (clock.wallMs() % DAY_MS) - 5_000)
    await this.#restart()
    for (let action = 0; action < ACTIONS; action++) {
      await this.#act()
      await this.#surviving(async () => {
        for (let steps = this.#dice.below(6); steps > 0; steps--) await this.#step()
      })
    }
    for (let minute = 0; minute < 6; minute++) {
      await this.#surviving(async () => {
        while (await this.#step());
      })
      clock.advance(61_000)
    }
    this.#worker?.close()
  }

  async #act(): Promise<void> {
    const { clock, configuration } = this.#world
    const dice = this.#dice
    const roll = dice.below(100)
    if (roll < 45) await this.#appendLines()
    else if (roll < 50) await this.#rule()
    else if (roll < 65) clock.advance(dice.below(dice.chance(0.2) ? 70_000 : 1_500))
    else if (roll < 71)
      clock.setWall(clock.wallMs() + dice.below(dice.chance(0.1) ? 2 * HOUR_MS : 5_000) - 3_000)
    else if (roll < 77)
      configuration.deploy(this.#nodes(), ++this.#version, this.#pipeline(), dice.chance(0.3))
    else if (roll < 79) await this.#exempt()
    else if (roll < 81) this.#cut('pipeline', this.#pipeline(), '')
    else if (roll < 83) this.#cut('account', SAMPLE_ACCOUNT, this.#accountCut())
    else if (roll < 86) await this.#appendSlice()
    else if (roll < 95) await this.#restart()
    else await this.#finish()
  }

  async #appendLines(): Promise<void> {
    const dice = this.#dice
    const lines = Array.from({ length: 1 + dice.below(6) }, (): SampleLine => {
      const number = this.#lines++
      const line = dice.chance(0.5) ? `${number}` : `{"a":${number},"f${number % 7}":"x"}`
      return { line, app: dice.pick(['a', 'b', 'c', '']), level: dice.pick(['', '', '', 'vip', '9']) }
    })
    const key = dice.chance(0.5) ? `stream/${dice.below(5)}` : `key-${dice.below(4)}`
    const idempotency = dice.chance(0.3) ? { key, digest: Buffer.from('0123456789abcdef') } : undefined
    const value = lineBatchValue([{ lines, ...(idempotency && { idempotency }) }])
    const sequence = dice.chance(0.8) ? ++this.#sequence : this.#sequence
    const producer = dice.chance(0.5) ? { id: `producer-${dice.below(2)}`, sequence } : null
    await this.#world.ingest.append(this.#world.partition, { value, producer, priority: 'ingest' })
  }

  /** Exempts a key of one of the throttles for a time, ends an exemption, or repeats an old change. */
  async #exempt(): Promise<void> {
    const dice = this.#dice
    const { clock, configuration, ingest, partition } = this.#world
    const key = dice.pick(['a', 'b', null])
    const pipeline = this.#pipeline()
    const untilMs = dice.chance(0.2) ? 0 : clock.wallMs() + dice.below(dice.chance(0.5) ? 3_000 : 100_000)
    const name = `${pipeline} ${key}`
    const forgetMs = Math.max(untilMs, this.#lastMs.get(name) ?? 0)
    this.#lastMs.set(name, forgetMs)
    this.#exemptions.push(configuration.exempt(key, ++this.#version, { pipeline, untilMs, forgetMs }))
    if (dice.chance(0.7)) return
    const value = encodeControl(CATALOGUE, { 'weir.Cut': dice.pick(this.#exemptions) })
    await ingest.append(partition, { value, producer: null, priority: 'control' })
  }

  /** Changes the rules or the quota, or repeats an old change. */
  async #rule(): Promise<void> {
    const dice = this.#dice
    const { clock, configuration, ingest, partition } = this.#world
    this.#rules.push(
      dice.chance(0.6)
        ? configuration.rule(++this.#version, drawRules(dice))
        : configuration.quota(++this.#version, drawPeriods(dice, clock.wallMs())),
    )
    if (dice.chance(0.7)) return
    const value = encodeControl(CATALOGUE, { 'weir.Cut': dice.pick(this.#rules) })
    await ingest.append(partition, { value, producer: null, priority: 'control' })
  }

  async #appendSlice(): Promise<void> {
    const { ingest, partition } = this.#world
    const payload = String(this.#dice.pick([1_000, 2_000, 3_000]))
    const cut = { kind: 'slice', entity: '', version: ++this.#version, payload } as const
    const value = controlType.encode({ behaviour: 1, body: { 'weir.Cut': cut } })
    await ingest.append(partition, { value, producer: null, priority: 'control' })
  }

  #gathering(): NodeDocument {
    const dice = this.#dice
    const conditional = { expressions: [{ field: '.line', str_operator: 'contains', value: '7' }] }
    return node('transform', 'gather', 'reduce', ['filter'], {
      duration_ms: dice.pick([700, 5_000]),
      merge_strategies: [{ field: '.line', strategy: dice.pick(['array', 'concat', 'discard']) }],
      ...(dice.chance(0.7) && { group_by: ['.app'] }),
      ...(dice.chance(0.3) && { max_events: 3 }),
      ...(dice.chance(0.4) && {
        flush_condition: { when: dice.pick(['starts_when', 'ends_when']), conditional },
      }),
    })
  }

  #nodes(): NodeDocument[] {
    const dice = this.#dice
    const gathers = dice.chance(0.5)
    const keyField = dice.chance(0.8) ? { key_field: '.app' } : {}
    const exclude = { expressions: [{ field: '.level', str_operator: 'equal', value: 'vip' }] }
    const conditional = { expressions: [{ field: '.level', str_operator: 'greater', value: 5 }] }
    const limit = {
      threshold: 1 + dice.below(4),
      window_ms: dice.pick([500, 2_000, 60_000]),
      exclude,
      ...keyField,
    }
    const memory = dice.chance(0.6) ? drawMemory(dice, gathers ? 'gather' : 'filter') : []
    const last = memory.at(-1)?.id ?? (gathers ? 'gather' : 'filter')
    return [
      SOURCE,
      node('transform', 'limit', 'throttle', ['source'], limit),
      node('transform', 'filter', 'filter', ['limit'], { action: 'drop', conditional }),
      ...(gathers ? [this.#gathering()] : []),
      ...memory,
      node('sink', 'store', 'mezmo', [last]),
      node('sink', 'second', 'mezmo', ['filter', 'source']),
    ]
  }

  #pipeline(): string {
    return this.#dice.pick(['pipeline-0', 'pipeline-1', 'pipeline-1'])
  }

  #accountCut(): string {
    return JSON.stringify({ accountId: SAMPLE_ACCOUNT, retentionDays: 1 + this.#dice.below(9) })
  }

  #cut(kind: 'pipeline' | 'account', entity: string, payload: string): void {
    this.#world.configuration.set({ kind, entity, version: ++this.#version, payload })
  }

  /** A kill: the worker is simply no longer driven, wherever it was. */
  async #restart(): Promise<void> {
    this.#worker?.close()
    this.#worker = await this.#world.clock.advanceUntil(this.#world.worker())
  }

  async #finish(): Promise<void> {
    await this.#surviving(async () =>
      this.#world.clock.advanceUntil((this.#worker as PartitionWorker).finish()),
    )
    await this.#restart()
  }

  #step(): Promise<boolean> {
    return this.#world.clock.advanceUntil((this.#worker as PartitionWorker).step())
  }

  /** A worker refuses records too far in its future; the operator sets the clock right and starts it again. */
  async #surviving(action: () => Promise<unknown>): Promise<void> {
    try {
      await action()
    } catch (error) {
      if (!/in the future of this machine's clock/.test(String(error))) throw error
      this.#world.clock.setWall(this.#world.clock.wallMs() + 2 * HOUR_MS)
      await this.#restart()
      await this.#surviving(action)
    }
  }
}

function fateOf(dice: Dice): InsertFate {
  const roll = dice.below(100)
  if (roll < 10) return 'lost'
  if (roll < 20) return 'stored, answer lost'
  return roll < 25 ? 'refused' : 'stored'
}

/**
 * Rows that a log gives when the fold is restored from a checkpoint wherever one could be taken and `restores` returns
 * true.
 */
function foldOf(world: World, records: readonly LogRecord[], restores: () => boolean): Rows {
  const identity = foldIdentity(world.ingest, world.partition)
  const rows: Rows = {
    lines: [],
    slotted_lines: [],
    node_metrics: [],
    pipeline_errors: [],
    full_field_days: [],
  }
  let fold = new PartitionFold(CATALOGUE, identity)
  for (const record of records) {
    if (fold.atRest && restores()) {
      const checkpoint = fold.checkpointAtRest().checkpoint as Buffer
      fold = PartitionFold.restored(CATALOGUE, identity, checkpoint)
      expect(fold.checkpointAtRest().checkpoint).toEqual(checkpoint)
    }
    for (const { tables } of fold.apply(record)) {
      for (const { table, block } of tables)
        rows[isLineTable(table) ? 'lines' : table].push(...rowsOfBlock(table, block))
    }
  }
  return rows
}

/** Over the whole run and per node, events neither appear nor disappear; and the events that sinks gave on are stored. */
function expectConservation({ node_metrics: metrics, lines }: Rows): void {
  const sums = new Map<string, Record<string, number>>()
  for (const row of metrics) {
    const name = `${row.pipeline}/${row.node}`
    const sum = sums.get(name) ?? {}
    for (const [column, value] of Object.entries(row)) {
      if (typeof value === 'bigint') sum[column] = (sum[column] ?? 0) + Number(value)
    }
    sums.set(name, sum)
  }
  let stored = 0
  for (const [name, sum] of sums) {
    const of = (column: string) => sum[column] ?? 0
    const gone = of('events_out') + of('dropped') + of('failed') + of('merged') + of('held')
    expect(gone, name).toBe(of('events_in') + of('copied') + of('created'))
    if (/\/(store|second|own-store)$/.test(name)) stored += of('events_out')
  }
  expect(stored).toBe(lines.length)
}

function textOf(rows: readonly MemoryRow[]): string {
  return JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}
