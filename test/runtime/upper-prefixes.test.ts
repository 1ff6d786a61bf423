import { expect, test } from 'vitest'
import { BEHAVIOUR, THIRTEENTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { CostlyPartition } from '../support/costly-partition.ts'
import { SAMPLE_ROUTE } from '../support/line-batches.ts'
import { node } from '../support/world.ts'

const SCRIPT = 'function f(message) { message.script = parseInt(message.text); return message }'
const TEXTS = ['0x1F', '0X1F', '0X1f', '-0O17', '0B101', '0b101', '0xaF', '017']

/** Integers that a partition of a behaviour reads of texts: by `parse_int`, and by a script. */
function integersOf(behaviour: number): unknown[] {
  const partition = new CostlyPartition(behaviour)
  partition.publish(
    { ...node('source', 'door', 'http'), gateway_route_id: SAMPLE_ROUTE },
    node('transform', 'parse', 'parse', ['door'], {
      ...{ field: '.text', target_field: '.parsed', parser: 'parse_int' },
    }),
    node('transform', 'script', 'js-script', ['parse'], { script: SCRIPT }),
    node('sink', 'store', 'mezmo', ['script'], {
      message: { scheme: 'Explicit field selection', line: '{{.parsed}} {{.script}}' },
    }),
  )
  partition.push(...TEXTS.map(text => ({ text, parsed: '-' })))
  return partition.rows('lines').map(({ line }) => line)
}

test('integers with a prefix in upper case are none, and a log from before still reads them', () => {
  const octal = '15 17'
  expect(integersOf(BEHAVIOUR)).toEqual(['31 31', '- 0', '- 0', '- 0', '- 0', '5 5', '175 175', octal])
  expect(integersOf(THIRTEENTH_BEHAVIOUR)).toEqual([
    ...['31 31', '31 31', '31 31', '-15 -15', '5 5', '5 5', '175 175', octal],
  ])
})
