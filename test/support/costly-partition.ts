import type { Flush } from '../../engine/fold/flush.ts'
import { PartitionFold } from '../../engine/fold/partition-fold.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { finish } from '../../engine/steps.ts'
import type { JsonValue } from '../../schemas/json.ts'
import { type Control, controlType } from '../../schemas/log/control.ts'
import { isLineTable } from '../../schemas/log/tables.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { lineBatchValue, pushedValue, SAMPLE_ACCOUNT } from './line-batches.ts'
import { rowsOfBlock } from './mapped-row.ts'
import type { NativeValue } from './native-reader.ts'
import { exclusion } from './world.ts'

const START_MS = 1_700_000_000_000
const IDENTITY = {
  topic: INGEST_TOPIC,
  partition: 0,
  partitions: 1,
  logId: '00000000-0000-4000-8000-000000000000',
}

/** A partition whose records a test writes one after the other. */
export class CostlyPartition {
  fold: PartitionFold
  timeMs = START_MS
  /** Number of stretches of the last record that was applied in stretches. */
  stretches = 0
  readonly #behaviour: number
  readonly #identity: typeof IDENTITY
  readonly #flushes: Flush[] = []
  #offset = 0n
  #version = 0

  /** @param partitions number of partitions of its topic */
  constructor(behaviour: number, partitions = 1) {
    this.#behaviour = behaviour
    this.#identity = { ...IDENTITY, partitions }
    this.fold = new PartitionFold(CATALOGUE, this.#identity)
    this.control({ 'weir.Tick': { deadlineMs: START_MS } })
  }

  control(body: Control['body']): void {
    this.#apply(controlType.encode({ behaviour: this.#behaviour, body }))
  }

  publish(...nodes: readonly NodeDocument[]): void {
    this.publishAs('p', ...nodes)
  }

  publishAs(id: string, ...nodes: readonly NodeDocument[]): void {
    const version = ++this.#version
    const document = { id, accountId: SAMPLE_ACCOUNT, title: '', revision: version, nodes }
    const payload = JSON.stringify(document)
    this.control({ 'weir.Cut': { kind: 'pipeline', entity: id, version, payload } })
  }

  exclude(query: string): void {
    const rule = exclusion('1234567890', { query })
    const payload = JSON.stringify({ accountId: SAMPLE_ACCOUNT, exclusions: [rule], retentionRules: [] })
    this.control({ 'weir.Cut': { kind: 'line-rules', entity: SAMPLE_ACCOUNT, version: 1, payload } })
  }

  send(...lines: readonly string[]): void {
    this.#apply(lineBatchValue([{ lines: lines.map(line => ({ line })) }]))
  }

  push(...messages: readonly JsonValue[]): void {
    this.#apply(pushedValue([{ messages }]))
  }

  /** Lets time pass: open batches are stored. */
  pass(ms: number): void {
    this.timeMs += ms
    this.control({ 'weir.Tick': { deadlineMs: this.timeMs } })
  }

  get failedSinceRestart(): number {
    return [...this.fold.nodeTotals].reduce((sum, { activity }) => sum + activity.failed, 0)
  }

  /** Goes on in another process, from a checkpoint. */
  restart(): void {
    const checkpoint = this.fold.checkpointAtRest().checkpoint
    this.fold = PartitionFold.restored(CATALOGUE, this.#identity, checkpoint ?? undefined)
  }

  /** All rows of a table so far; those of `lines` are all lines, whatever their table is. */
  rows(table: 'lines' | 'node_metrics' | 'pipeline_errors'): Readonly<Record<string, NativeValue>>[] {
    this.pass(60_000)
    return this.#flushes.flatMap(({ tables }) =>
      tables
        .filter(each => each.table === table || (table === 'lines' && isLineTable(each.table)))
        .flatMap(({ table: of, block }) => rowsOfBlock(of, block)),
    )
  }

  nodeCounts(name: string): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const row of this.rows('node_metrics')) {
      if (row.node !== name) continue
      for (const column of ['events_in', 'events_out', 'dropped', 'failed'])
        counts[column] = (counts[column] ?? 0) + Number(row[column])
    }
    return counts
  }

  #apply(value: Buffer): void {
    const record = { offset: this.#offset++, appendTimeMs: this.timeMs, producer: null, value }
    const steps = this.fold.applying(record)
    this.stretches = 1
    const counted = (function* (partition) {
      for (;;) {
        const { done, value: flushes } = steps.next()
        if (done) return flushes
        partition.stretches++
        yield
      }
    })(this)
    this.#flushes.push(...finish(counted))
  }
}
