import { beforeEach, expect, test } from 'vitest'
import { SECOND_BEHAVIOUR, TWELFTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { deadLettersType } from '../../../schemas/log/dead-letters.ts'
import { RECORD_BYTES } from '../../../schemas/log/record-size.ts'
import { rekeyedType } from '../../../schemas/log/rekeyed.ts'
import { INGEST_TOPIC, partitionOfAccount } from '../../../schemas/log/topics.ts'
import { schemaIdOf } from '../../../schemas/log/wire-format.ts'
import { linesOf } from '../../../test/support/loose-fold.ts'
import { Event } from '../../event/event.ts'
import { CATALOGUE } from '../../nodes/catalogue.ts'
import { FoldMail, type OutgoingRecord } from './fold-mail.ts'
import { decodedRun } from './rekeyed-part.ts'

const KEYED = { topic: 'keyed', partition: 1 } as const
const EVENT = Event.ofLine(linesOf(['x'], 'a'), 0)
const moved = (row: number) => ({ 'weir.ShareMoved': { offset: 4, row, share: 1 } })

let mail: FoldMail
beforeEach(() => {
  mail = new FoldMail(CATALOGUE, { topic: INGEST_TOPIC, partition: 0, partitions: 2 })
})

/** Sends an event to a node. */
function send(node: string, row: number): void {
  mail.addEvent(KEYED, 'a', { pipeline: 'p', version: 1, node }, EVENT, { offset: 4n, row })
}

const partsIn = ({ value }: OutgoingRecord) =>
  rekeyedType
    .decode(value)
    .parts.map(part => ('weir.RekeyedEvents' in part ? part['weir.RekeyedEvents'].node : 'other'))

test('consecutive events for one node travel as one part, with the position of each', () => {
  for (const [row, node] of ['n', 'n', 'm', 'n'].entries()) send(node, row)
  const [[record]] = mail.take() as [[OutgoingRecord]]
  expect(record).toMatchObject(KEYED)
  expect(partsIn(record)).toEqual(['n', 'm', 'n'])
  expect(rekeyedType.decode(record.value)).toMatchObject({ sourceTopic: INGEST_TOPIC, account: 'a' })
  expect(mail.empty).toBe(true)
})

test('only a record with annotated events has the newer form, and their annotations arrive', () => {
  const annotated = EVENT.withAnnotations({ app: 'gate' })
  const sent = [EVENT, annotated].map((event, row) => {
    mail.addEvent(KEYED, 'a', { pipeline: 'p', version: 1, node: 'n' }, event, { offset: 4n, row })
    const [[{ value }]] = mail.take() as [[OutgoingRecord]]
    return { id: schemaIdOf(value), ...rekeyedType.decode(value) }
  })
  expect(sent.map(({ id }) => id)).toEqual([1_000_000_001, 1_000_000_008])
  expect(sent.map(({ behaviour }) => behaviour)).toEqual([SECOND_BEHAVIOUR, TWELFTH_BEHAVIOUR])
  const events = sent.flatMap(({ parts }) =>
    parts.flatMap(part =>
      'weir.RekeyedEvents' in part ? decodedRun(part['weir.RekeyedEvents']).events : [],
    ),
  )
  expect(events.map(({ annotations }) => annotations)).toEqual([undefined, { app: 'gate' }])
})

test('a later round is taken behind all earlier parts', () => {
  send('n', 0)
  mail.endRound()
  mail.endRound()
  mail.add({ ...KEYED, partition: 0 }, 'a', moved(1), 16)
  const rounds = mail.take()
  expect(rounds.map(round => round.map(({ partition }) => partition))).toEqual([[1], [0]])
})

test('parts that do not fit into one record go into several, in order', () => {
  const records = (bytes: number) => {
    for (const row of [0, 1]) mail.add(KEYED, 'a', moved(row), bytes)
    return mail.take().flat().map(partsIn)
  }
  expect(records(RECORD_BYTES / 2)).toEqual([['other', 'other']])
  expect(records(RECORD_BYTES / 2 + 1)).toEqual([['other'], ['other']])
})

test('dead letters go last, to the partition that keeps those of the account', () => {
  const node = { pipeline: 'p', version: 1, node: 'n' }
  const failure = { failedAtMs: 0, code: 'E_NOT_FOUND', field: null, message: 'no', event: EVENT }
  mail.addDeadLetter('a', { topic: INGEST_TOPIC, partition: 0, offset: 4, row: 0, ...node, ...failure })
  send('n', 1)
  const [events, letters] = mail.take()
  expect(events).toMatchObject([KEYED])
  expect(letters).toMatchObject([{ topic: 'deadLetters', partition: partitionOfAccount('a', 2) }])
  expect(deadLettersType.decode(letters?.[0]?.value as Buffer).account).toBe('a')
})

test('an observer takes the mail without dead letters, or discards everything', () => {
  send('n', 0)
  mail.endRound()
  send('n', 1)
  expect(mail.takeMail()).toMatchObject([
    { target: KEYED, parts: [{ events: [EVENT] }, { events: [EVENT] }] },
  ])
  send('n', 2)
  mail.discard()
  expect([mail.empty, mail.take()]).toEqual([true, []])
})
