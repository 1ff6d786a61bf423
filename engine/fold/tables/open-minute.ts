import type { StoreTable } from '../../../schemas/log/tables.ts'
import { MINUTE_MS } from '../../times/duration.ts'
import type { TableBatch } from '../flush.ts'
import { PendingNodeActivity } from '../node-activity.ts'
import { nodeMetricsBlock } from './node-metrics-block.ts'
import { pipelineErrorsBlock } from './pipeline-errors-block.ts'

/** Counts and errors of nodes in the present minute of log time. They become rows once the minute is over. */
export class OpenMinute {
  readonly activity = new PendingNodeActivity()
  /** Start of the minute, UNIX ms; meaningless while nothing is pending. */
  startMs = 0

  /** Begins another minute if nothing is pending. */
  noteTime(timeMs: number): void {
    if (this.activity.empty) this.startMs = minuteOf(timeMs)
  }

  /** End of the minute, log time; Infinity while nothing is pending. */
  get deadlineMs(): number {
    return this.activity.empty ? Number.POSITIVE_INFINITY : this.startMs + MINUTE_MS
  }

  isOver(timeMs: number): boolean {
    return minuteOf(timeMs) !== this.startMs
  }

  /** Whether its rows must be flushed before a record of that time. */
  endsBefore(timeMs: number): boolean {
    return !this.activity.empty && this.isOver(timeMs)
  }

  /** Returns its rows, one batch per table. @param offset of the record that ends it */
  take(offset: bigint): TableBatch[] {
    if (this.activity.empty) return []
    const minuteMs = this.startMs
    const { nodes, errors } = this.activity.take()
    const context = { offset, minuteMs }
    const batch = (table: StoreTable, block: readonly Uint8Array[], rows: number): TableBatch[] =>
      rows === 0
        ? []
        : [
            {
              table,
              block,
              rows,
              first: { offset, row: 0 },
              last: { offset, row: rows - 1 },
              sinceMs: minuteMs,
            },
          ]
    return [
      ...batch('node_metrics', nodeMetricsBlock(context, nodes), nodes.length),
      ...batch('pipeline_errors', pipelineErrorsBlock(context, errors), errors.length),
    ]
  }
}

function minuteOf(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS) * MINUTE_MS
}
