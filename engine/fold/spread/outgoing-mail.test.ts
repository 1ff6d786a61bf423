import { expect, test } from 'vitest'
import { outgoingType } from '../../../schemas/log/outgoing.ts'
import { RECORD_BYTES, RECORD_ROWS } from '../../../schemas/log/record-size.ts'
import { INGEST_TOPIC } from '../../../schemas/log/topics.ts'
import { linesOf } from '../../../test/support/loose-fold.ts'
import { HandedEvents, handedParts, lastPosition } from '../../delivery/fold/handed-events.ts'
import { Event } from '../../event/event.ts'
import { valueFormsOf } from '../../lines/columns/value-forms.ts'
import { OutgoingMail } from './outgoing-mail.ts'

const SOURCE = { topic: INGEST_TOPIC, partition: 2 }
const NODE = { pipeline: 'p', version: 3, node: 'n', type: 'http', options: '{"encoding":"json"}' }
const eventOf = (line: string) => Event.ofLine(linesOf([line], 'a'), 0)

function partsIn(mail: OutgoingMail) {
  return Array.from(mail.values(SOURCE), ({ value }) => {
    const record = outgoingType.decode(value)
    expect(record).toMatchObject({ sourceTopic: INGEST_TOPIC, sourcePartition: 2, account: 'a' })
    return handedParts(record, valueFormsOf(record.behaviour))
  })
}

test('consecutive events of a node share a part, and everything stays in order with its position', () => {
  const mail = new OutgoingMail('a')
  for (const [row, node] of ['n', 'n', 'm', 'n'].entries())
    mail.add({ ...NODE, node }, eventOf(`line ${row}`), { offset: 7n, row })
  mail.delete('q', { offset: 7n, row: 4 })
  mail.add({ ...NODE, version: 4 }, eventOf('line 5'), { offset: 7n, row: 5 })
  const [parts = []] = partsIn(mail)
  const shown = parts.map(part =>
    part instanceof HandedEvents
      ? [part.node, part.version, part.options, ...part.events.map(event => event.member('line'))]
      : part.pipeline,
  )
  expect(shown).toEqual([
    ['n', 3, NODE.options, 'line 0', 'line 1'],
    ['m', 3, NODE.options, 'line 2'],
    ['n', 3, NODE.options, 'line 3'],
    'q',
    ['n', 4, NODE.options, 'line 5'],
  ])
  expect(parts.map(lastPosition).map(({ row }) => row)).toEqual([1, 2, 3, 4, 5])
})

test('a record is at most as large as others, and a larger event is in one alone', () => {
  const mail = new OutgoingMail('a')
  const lengths = [RECORD_BYTES / 2, RECORD_BYTES / 2, 2 * RECORD_BYTES, 10]
  for (const [row, length] of lengths.entries())
    mail.add(NODE, eventOf('x'.repeat(length)), { offset: 7n, row })
  const rows = partsIn(mail).map(parts =>
    parts.flatMap(part => (part instanceof HandedEvents ? part.positions.map(({ row }) => row) : [])),
  )
  expect(rows).toEqual([[0, 1], [2], [3]])
})

test('a record has at most as many events as others', () => {
  const mail = new OutgoingMail('a')
  const event = eventOf('x')
  for (let row = 0; row < RECORD_ROWS + 1; row++) mail.add(NODE, event, { offset: 7n, row })
  expect(partsIn(mail)).toHaveLength(2)
})

test('a record without events only ends lanes', () => {
  const mail = new OutgoingMail('a')
  mail.delete('p', { offset: 7n, row: 0 })
  expect([...mail.values(SOURCE)].map(({ endsLanes }) => endsLanes)).toEqual([true])
  mail.add(NODE, eventOf('x'), { offset: 7n, row: 1 })
  expect([...mail.values(SOURCE)].map(({ endsLanes }) => endsLanes)).toEqual([false])
})
