import { expect, test } from 'vitest'
import { readNativeBlock } from '../../../test/support/native-reader.ts'
import { pipelineErrorsBlock } from './pipeline-errors-block.ts'

const MINUTE = { offset: 9n, minuteMs: 60_000 }
const ERROR = {
  ...{ account: 'a', pipeline: 'p', node: 'n', nodeKind: 'transform', code: 'E_NOT_FOUND', field: '.x' },
  ...{ message: 'The field .x does not exist', captured: '{"y":1}', count: 4, lastMs: 61_500 },
}

test('equal errors of a node in a minute are one row, with their number and the time of the last', () => {
  const { rows } = readNativeBlock(pipelineErrorsBlock(MINUTE, [ERROR, { ...ERROR, field: null }]))
  expect(rows).toMatchObject([
    { t: 60_000, offset: 9n, row: 0, node: 'n', node_kind: 'transform', code: 'E_NOT_FOUND', field: '.x' },
    { row: 1, field: '', message: ERROR.message, captured: ERROR.captured, count: 4n, time: 61_500 },
  ])
})

test('a minute without errors has no block', () => {
  expect(pipelineErrorsBlock(MINUTE, [])).toEqual([])
})
