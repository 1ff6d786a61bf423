import { expect, test } from 'vitest'
import { readNativeBlock } from '../../../test/support/native-reader.ts'
import { noCounts } from '../../graph/node-counters.ts'
import { nodeMetricsBlock } from './node-metrics-block.ts'

test('the nodes of a minute are rows of the record that ended it, with their counts', () => {
  const rows = ['source', 'gather'].map(node => ({
    ...{ account: 'a', pipeline: 'p', node },
    activity: { ...noCounts(), eventsIn: 3, bytesIn: 90, held: node === 'gather' ? -2 : 0 },
  }))
  const block = nodeMetricsBlock({ offset: 9n, minuteMs: 60_000 }, rows)
  const shared = { t: 60_000, offset: 9n, account: 'a', pipeline: 'p', events_in: 3n, bytes_in: 90n }
  expect(readNativeBlock(block).rows).toMatchObject([
    { ...shared, row: 0, node: 'source', held: 0n },
    { ...shared, row: 1, node: 'gather', held: -2n },
  ])
})

test('every count has a column of its own', () => {
  const counters = Object.keys(noCounts())
  const activity = Object.fromEntries(counters.map((counter, index) => [counter, index + 1])) as never
  const block = nodeMetricsBlock({ offset: 0n, minuteMs: 0 }, [
    { account: 'a', pipeline: 'p', node: 'n', activity },
  ])
  const { t, offset, row, account, pipeline, node, ...counts } = readNativeBlock(block).rows[0] ?? {}
  expect(
    Object.values(counts)
      .map(Number)
      .sort((a, b) => a - b),
  ).toEqual(counters.map((_, index) => index + 1))
})
