import { expect, test } from 'vitest'
import { canonicalTimeOf } from '../../../times/instant.ts'
import type { TimeFormat } from '../../../times/time-format.ts'
import { EPOCH_FORMATS } from './epoch-format.ts'

test.each([
  ['epoch_ms', '1930810530250', '2031-03-09T08:15:30.250Z'],
  ['epoch_ms', '0', '1970-01-01T00:00:00Z'],
  ['epoch_ms', '-1', '1969-12-31T23:59:59.999Z'],
  ['epoch_ms', '-1000', '1969-12-31T23:59:59Z'],
  ['epoch_ms', '253402300799999', '9999-12-31T23:59:59.999Z'],
  ['epoch_ns', '1930810530250000001', '2031-03-09T08:15:30.250000001Z'],
  ['epoch_ns', '-1', '1969-12-31T23:59:59.999999999Z'],
  ['epoch_ns', '253402300799999999999', '9999-12-31T23:59:59.999999999Z'],
  ['epoch_ns', '-62167219200000000000', '0000-01-01T00:00:00Z'],
])('%s reads %s as %s, and writes it', (name, text, time) => {
  const format = EPOCH_FORMATS.get(name) as TimeFormat
  const instant = format.read(text, 0)
  if (instant === undefined) throw new Error('it is not read')
  expect(canonicalTimeOf(instant)).toBe(time)
  expect(format.write(instant)).toBe(text)
})

test.each([
  ...['', '-', ' 1', '1 ', '+1', '1.5', '1e3', '0x1', '1_000', '9'.repeat(22)],
  ...['253402300800000', '-62167219200001'],
])('epoch_ms refuses %j', text => {
  expect(EPOCH_FORMATS.get('epoch_ms')?.read(text, 0)).toBeUndefined()
})
