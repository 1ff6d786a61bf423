import { expect, test } from 'vitest'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { controlType } from '../../schemas/log/control.ts'
import { withSchemaId } from '../../schemas/log/wire-format.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../../test/support/line-batches.ts'
import { FoldError } from './fold-error.ts'
import { FoldMoment } from './fold-moment.ts'
import { RecordReader } from './record-reader.ts'

const moment = new FoldMoment()
const reader = new RecordReader({ topic: 'weir.ingest', partition: 3 }, moment)
const record = (value: Buffer) => ({ offset: 9n, appendTimeMs: 0, producer: null, value })
const tick = (behaviour: number) =>
  controlType.encode({ behaviour, body: { 'weir.Tick': { deadlineMs: 5 } } })

test('a control record puts the behaviour that it carries into force, and never a lower one', () => {
  expect(reader.control(record(tick(3)))?.body).toEqual({ 'weir.Tick': { deadlineMs: 5 } })
  expect(moment.behaviour).toBe(3)
  reader.control(record(tick(1)))
  expect(moment.behaviour).toBe(3)
})

test('a record of lines is not a control record, and names its account', () => {
  const lines = record(lineBatchValue([{ lines: [{ line: 'a' }] }]))
  expect(reader.control(lines)).toBeUndefined()
  expect(reader.content(lines)).toMatchObject({ kind: 'lines', account: SAMPLE_ACCOUNT })
})

test('the error about a record of a newer program, or a damaged one, names the record', () => {
  expect(() => reader.control(record(tick(BEHAVIOUR + 1)))).toThrow(
    `record 9 of weir.ingest/3 was written by a newer program (behaviour ${BEHAVIOUR + 1}, this one knows ${BEHAVIOUR}): start that one`,
  )
  expect(() => reader.control(record(withSchemaId(tick(1), 1_000_000_099)))).toThrow(
    'record 9 of weir.ingest/3 was written by a newer program: start that one',
  )
  expect(() => reader.control(record(tick(1).subarray(0, 7)))).toThrow(FoldError)
  expect(() => reader.control(record(tick(1).subarray(0, 7)))).toThrow(
    'record 9 of weir.ingest/3 cannot be read',
  )
})
