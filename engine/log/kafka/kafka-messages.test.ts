import { expect, test } from 'vitest'
import type { NewRecord } from '../log.ts'
import { messageOf, recordOf } from './kafka-messages.ts'

const VALUE = Buffer.from('x')
const record = (more: Partial<NewRecord> = {}): NewRecord => {
  return { value: VALUE, producer: null, priority: 'ingest', ...more }
}

function readBack(sent: NewRecord) {
  return recordOf({ ...messageOf(sent), offset: '5', timestamp: '7' })
}

const READ = { value: VALUE, producer: null, offset: 5n, appendTimeMs: 7 }

test('the end that a writer knew is read back with its record, beyond all numbers of a double, too', () => {
  for (const knownEnd of [1n, 6n, 2n ** 63n - 1n])
    expect(readBack(record({ knownEnd: () => knownEnd }))).toEqual({ ...READ, knownEnd })
})

test('a writer that knows nothing of a partition marks nothing', () => {
  for (const sent of [record(), record({ knownEnd: () => 0n })]) {
    expect(messageOf(sent).headers).toEqual({})
    expect(readBack(sent)).toEqual(READ)
  }
})

test('producer, sequence and known end are kept beside each other', () => {
  const producer = { id: 'a', sequence: 2 ** 31 - 1 }
  expect(readBack(record({ producer, knownEnd: () => 300n }))).toEqual({ ...READ, producer, knownEnd: 300n })
})
