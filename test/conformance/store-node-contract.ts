import { describe, expect, test } from 'vitest'
import { nodeMetricsBlock } from '../../engine/fold/tables/node-metrics-block.ts'
import { pipelineErrorsBlock } from '../../engine/fold/tables/pipeline-errors-block.ts'
import { noCounts } from '../../engine/graph/node-counters.ts'
import type { ClickHouseStore } from '../../engine/store/clickhouse-store.ts'
import { MINUTE_MS } from '../../engine/times/duration.ts'
import type { StoreTable } from '../../schemas/log/tables.ts'

const DAY = Date.UTC(2026, 0, 2)
const PARTITION = { topic: 'weir.ingest', partition: 3 } as const

/** An open store with rows of partition 3. */
interface WrittenStore {
  readonly store: ClickHouseStore
  insert(block: readonly Uint8Array[], rows: number, table: StoreTable): Promise<void>
}

/** Promises of the store on counts and errors of nodes. */
export function nodeContract(opened: () => WrittenStore): void {
  describe('nodes of pipelines', () => {
    test('counts of nodes and their errors are stored with positions of their own', async () => {
      const { store, insert } = opened()
      const context = { offset: 41n, minuteMs: DAY }
      const name = { account: 'a', pipeline: 'p', node: 'n' }
      const activity = {
        eventsIn: 5,
        bytesIn: 50,
        eventsOut: 3,
        bytesOut: 30,
        copied: 0,
        created: 0,
        dropped: 4,
        droppedBytes: 20,
        failed: 0,
        merged: 0,
        held: -2,
      }
      await insert(nodeMetricsBlock(context, [{ ...name, activity }]), 1, 'node_metrics')
      const error = {
        nodeKind: 'transform',
        code: 'E_NOT_FOUND',
        message: 'no .a',
        captured: '{}',
        count: 9,
      }
      const errors = [
        { ...name, ...error, field: null, lastMs: DAY + 5 },
        { ...name, ...error, field: '.a', lastMs: DAY + 6 },
      ]
      await insert(pipelineErrorsBlock(context, errors), 2, 'pipeline_errors')
      const [metrics] = await store.query({
        sql: 'SELECT partition, offset, row, node, events_in, dropped, dropped_bytes, held FROM node_metrics',
      })
      expect(metrics).toEqual({
        partition: 3,
        offset: '41',
        row: 0,
        node: 'n',
        events_in: '5',
        dropped: '4',
        dropped_bytes: '20',
        held: '-2',
      })
      const stored = await store.query({
        sql: 'SELECT row, field, count FROM pipeline_errors ORDER BY row',
      })
      expect(stored).toEqual([
        { row: 0, field: '', count: '9' },
        { row: 1, field: '.a', count: '9' },
      ])
      for (const table of ['node_metrics', 'pipeline_errors'] as const) {
        const from = { offset: 41n, row: 0, timeMs: DAY + 59_000 }
        const row = table === 'node_metrics' ? 0 : 1
        expect(await store.settle({ ...PARTITION, table }, from)).toEqual({ offset: 41n, row })
      }
    })

    test('counts of outputs are stored beside those of their node, and blocks without outputs have none', async () => {
      const { store, insert } = opened()
      const name = { account: 'a', pipeline: 'p', node: 'n' }
      const of = (eventsIn: number, eventsOut: number) => ({ ...noCounts(), eventsIn, eventsOut })
      const rows = [
        { ...name, activity: of(5, 0) },
        { ...name, output: 'b2', activity: of(0, 4) },
      ]
      await insert(nodeMetricsBlock({ offset: 41n, minuteMs: DAY }, rows), 2, 'node_metrics')
      const others = [{ ...name, node: 'other', activity: of(1, 1) }]
      await insert(nodeMetricsBlock({ offset: 42n, minuteMs: DAY }, others), 1, 'node_metrics')
      const stored = await store.query({
        sql: 'SELECT node, output, events_in, events_out FROM node_metrics ORDER BY offset, row',
      })
      expect(stored).toEqual([
        { node: 'n', output: '', events_in: '5', events_out: '0' },
        { node: 'n', output: 'b2', events_in: '0', events_out: '4' },
        { node: 'other', output: '', events_in: '1', events_out: '1' },
      ])
    })

    test('counts of nodes are summed by output and interval, for the pipelines that are asked for', async () => {
      const { store, insert } = opened()
      const name = { account: 'a', pipeline: 'p', node: 'n' }
      const activity = { ...noCounts(), eventsIn: 5, bytesIn: 50, eventsOut: 7, held: -2 }
      const rows = [
        { ...name, activity },
        { ...name, output: 'b2', activity },
        { ...name, pipeline: 'q', activity },
        { ...name, account: 'b', activity },
      ]
      for (const [index, minuteMs] of [
        DAY,
        DAY + MINUTE_MS,
        DAY + 2 * MINUTE_MS,
        DAY + 3 * MINUTE_MS,
      ].entries())
        await insert(
          nodeMetricsBlock({ offset: 41n + BigInt(index), minuteMs }, rows),
          rows.length,
          'node_metrics',
        )
      const period = { fromMs: DAY, toMs: DAY + 3 * MINUTE_MS, intervalMs: 2 * MINUTE_MS }
      const query = { account: 'a', pipelines: ['p', 'x'], ...period, limit: 9 }
      const found = await store.nodeMetrics(query)
      const none = {
        bytes_out: 0,
        copied: 0,
        created: 0,
        dropped: 0,
        dropped_bytes: 0,
        failed: 0,
        merged: 0,
      }
      const counts = (times: number) => ({
        ...none,
        ...{ events_in: 5 * times, bytes_in: 50 * times, events_out: 7 * times, held: -2 * times },
      })
      expect(found).toEqual(
        ['', 'b2'].flatMap(output => [
          { pipeline: 'p', node: 'n', output, bucket: 0, counts: counts(2) },
          { pipeline: 'p', node: 'n', output, bucket: 1, counts: counts(1) },
        ]),
      )
      expect(await store.nodeMetrics({ ...query, limit: 3 })).toEqual(found.slice(0, 3))
      expect(await store.nodeMetrics({ ...query, ofNodes: true })).toEqual([
        { pipeline: 'p', node: 'n', output: '', bucket: 0, counts: counts(4) },
        { pipeline: 'p', node: 'n', output: '', bucket: 1, counts: counts(2) },
      ])
    })

    test('errors of a node with one code and field are one entry, with the sentence and the event of the first', async () => {
      const { store, insert } = opened()
      const error = {
        account: 'a',
        pipeline: 'p',
        node: 'n',
        nodeKind: 'transform',
        code: 'E',
        message: 'm',
      }
      const other = { captured: 'other', count: 1, lastMs: DAY + 1 }
      for (const [offset, minuteMs, rows] of [
        [
          41n,
          DAY,
          [
            { ...error, field: null, captured: "it's {c:String}", count: 2, lastMs: DAY + 9 },
            { ...error, ...other, field: '.a' },
            { ...error, ...other, field: null, message: 'other' },
            { ...error, ...other, field: null, code: 'F' },
            { ...error, ...other, field: null, pipeline: 'q' },
            { ...error, ...other, field: null, account: 'b' },
          ],
        ],
        [42n, DAY + 60_000, [{ ...error, field: null, captured: '', count: 3, lastMs: DAY + 60_005 }]],
      ] as const)
        await insert(pipelineErrorsBlock({ offset, minuteMs }, rows), rows.length, 'pipeline_errors')
      const query = { account: 'a', pipelines: ['p'], fromMs: DAY, limit: 9 }
      const [newest, ...others] = await store.pipelineErrors(query)
      expect(newest).toEqual({
        pipeline: 'p',
        node: 'n',
        nodeKind: 'transform',
        code: 'E',
        field: null,
        message: 'other',
        captured: 'other',
        count: 6,
        hours: [{ startMs: DAY, count: 6 }],
        firstMs: DAY,
        lastMs: DAY + 60_005,
      })
      expect(others.map(({ code, field, message }) => [code, field, message])).toEqual([
        ['E', '.a', 'm'],
        ['F', null, 'm'],
      ])
      const both = await store.pipelineErrors({ ...query, pipelines: ['q', 'p', 'none'] })
      expect(both.map(({ pipeline }) => pipeline)).toEqual(['p', 'p', 'p', 'q'])
      const [before] = await store.pipelineErrors({ ...query, toMs: DAY + 60_005 })
      expect(before).toMatchObject({ captured: 'other', count: 3, firstMs: DAY, lastMs: DAY + 9 })
    })
  })
}
