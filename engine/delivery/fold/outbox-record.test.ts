import { expect, test } from 'vitest'
import { BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { controlType } from '../../../schemas/log/control.ts'
import { deliveryReportsType } from '../../../schemas/log/delivery-reports.ts'
import { lossCut } from '../../../schemas/log/loss.ts'
import { withSchemaId } from '../../../schemas/log/wire-format.ts'
import { handedPart, outgoingValue } from '../../../test/support/outgoing.ts'
import { outboxRecord } from './outbox-record.ts'

const PARTITION = { topic: 'weir.outbox', partition: 3 }
const read = (value: Buffer, further = {}) =>
  outboxRecord(PARTITION, { offset: 9n, appendTimeMs: 1_000, value, producer: null, ...further })
const control = (body: Parameters<typeof controlType.encode>[0]['body'], behaviour = 1) =>
  controlType.encode({ behaviour, body })

test('each kind of record is distinguished, and shows the time', () => {
  const handed = outgoingValue([handedPart({ lines: ['a'], positions: [{ offset: 0n, row: 0 }] })])
  const reports = deliveryReportsType.encode({ behaviour: 1, epoch: 4, reports: [] })
  expect(read(handed)).toMatchObject({
    timeMs: 1_000,
    behaviour: BEHAVIOUR,
    content: { kind: 'handed', account: 'a', source: 'weir.ingest 0' },
  })
  expect(read(reports).content).toEqual({ kind: 'reports', epoch: 4, reports: [] })
  expect(read(control({ 'weir.Owner': { worker: 'w' } })).content).toEqual({ kind: 'owner' })
  expect(read(control({ 'weir.Tick': { deadlineMs: 1_500 } }))).toMatchObject({ timeMs: 1_500 })
})

test('the place of a lost or refused record has no effect, but for a time that a witness knows', () => {
  const loss = lossCut(PARTITION, { from: 9, to: 10, witnessed: { timeMs: 700 } })
  expect(read(control({ 'weir.Cut': loss }))).toMatchObject({ timeMs: 700, content: { kind: 'none' } })
  const refused = read(control({ 'weir.Owner': { worker: 'w' } }), { knownEnd: 12n })
  expect(refused).toMatchObject({ timeMs: 0, content: { kind: 'none' } })
})

test('a record of a newer program, a damaged one, and one of another topic are refused with a sentence', () => {
  const owner = control({ 'weir.Owner': { worker: 'w' } }, BEHAVIOUR + 1)
  const newer = 'record 9 of weir.outbox/3 was written by a newer program: start that one'
  expect(() => read(owner)).toThrow(newer)
  expect(() => read(withSchemaId(owner, 1_000_000_099))).toThrow(newer)
  expect(() => read(owner.subarray(0, -1))).toThrow(
    'record 9 of weir.outbox/3 cannot be read: damaged Control',
  )
})
